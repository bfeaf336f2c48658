// SPDX-License-Identifier: Apache-2.0
// Elements and attributes of URDF and SDF by the lists that the readers go by: no row stands twice or is hidden by one
// before, and docs/robots.md has a line for each parent.  DCSIM_PRINT_ROWS=1 prints these lines.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "io/robot/attribute_table.h"

static char line[1 << 15];

static bool is_last(const struct dc_attribute_row *row)
{
  return !row->parent && !row->name;
}

static bool same(const char *a, const char *b)
{
  return a == b || (a && b && strcmp(a, b) == 0);
}

static void add(const char *text)
{
  strncat(line, text, sizeof line - strlen(line) - 1);
}

static void add_name(const char *name)
{
  add(!name ? "all others" : name[0] == '@' ? name + 1 : "");
  if (!name || name[0] == '@')
    return;
  add("<");
  add(name);
  add(">");
}

// The line of a parent in the table of the format.
static void make_line(const struct dc_attribute_row *rows, const char *parent)
{
  snprintf(line, sizeof line, "| %s |", parent ? parent : "any");
  for (int kind = DC_ATTRIBUTE_ACTS; kind <= DC_ATTRIBUTE_ABSENT; kind++) {
    bool none = true;
    add(" ");
    for (const struct dc_attribute_row *row = rows; !is_last(row); row++) {
      if ((int)row->kind != kind || !same(row->parent, parent))
        continue;
      add(none ? "" : kind == DC_ATTRIBUTE_ABSENT ? "; " : ", ");
      none = false;
      add_name(row->name);
      if (kind == DC_ATTRIBUTE_ABSENT) {
        add(": ");
        add(row->effect);
      }
    }
    add(none ? "|" : " |");
  }
}

static bool is_first(const struct dc_attribute_row *rows, const struct dc_attribute_row *row)
{
  for (const struct dc_attribute_row *other = rows; other < row; other++)
    if (same(other->parent, row->parent))
      return false;
  return true;
}

static void check_rows(const struct dc_attribute_row *rows)
{
  for (const struct dc_attribute_row *row = rows; !is_last(row); row++) {
    CHECK(row->kind != DC_ATTRIBUTE_ABSENT || (row->effect && *row->effect), "%s %s says no effect", row->parent,
          row->name);
    for (const struct dc_attribute_row *other = rows; other < row; other++)
      CHECK(!same(other->parent, row->parent) || (other->name && !same(other->name, row->name)),
            "%s %s is hidden by a row before", row->parent ? row->parent : "", row->name ? row->name : "");
  }
}

static char *read_document(void)
{
  const char *source = getenv("DCSIM_SOURCE");
  char path[1000], *text = calloc(1, 1 << 20);
  snprintf(path, sizeof path, "%s/docs/robots.md", source ? source : ".");
  FILE *file = fopen(path, "rb");
  CHECK(file && text && fread(text, 1, (1 << 20) - 1, file) > 0, "%s", path);
  if (file)
    fclose(file);
  return text;
}

static void check_document(const struct dc_attribute_row *rows, const char *heading)
{
  char *text = read_document();
  char *section = text ? strstr(text, heading) : NULL, *end = section ? strstr(section + 3, "\n## ") : NULL;
  bool print = getenv("DCSIM_PRINT_ROWS");
  int wanted = 0, written = 0;
  if (end)
    *end = '\0';
  CHECK(section || print, "docs/robots.md has no %s", heading);
  for (const struct dc_attribute_row *row = rows; !is_last(row); row++)
    if (is_first(rows, row)) {
      make_line(rows, row->parent);
      wanted++;
      if (print)
        printf("# %s\n", line);
      else
        CHECK(section && strstr(section, line), "docs/robots.md lacks: %s", line);
    }
  for (const char *c = section ? section : ""; (c = strstr(c, "\n| ")) != NULL; c++)
    written++;
  CHECK(print || written == wanted + 1, "%d rows, %d written", wanted, written);
  free(text);
}

static void test_rows(void)
{
  check_rows(dc_urdf_rows);
  check_rows(dc_sdf_rows);
}

static void test_document(void)
{
  check_document(dc_urdf_rows, "## Attributes of URDF");
  check_document(dc_sdf_rows, "## Attributes of SDF");
}

RUN_TESTS({"rows", test_rows}, {"docs/robots.md", test_document})
