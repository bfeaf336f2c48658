// SPDX-License-Identifier: Apache-2.0
// The list of MJCF's attributes: no row twice, rows of an element together, and docs/robots.md has the table that it
// makes.
#include "harness.h"

#include <stdlib.h>

#include "io/robot/mjcf_tree.h"

static char line[20000];

static void add(const char *text, bool *first, const char *between)
{
  if (!*first)
    strcat(line, between);
  strcat(line, text);
  *first = false;
}

// The table's line of the element whose rows begin at first.
static void make_line(const struct dc_mjcf_known *first)
{
  snprintf(line, sizeof line, "| %s |", first->element);
  for (int role = DC_MJCF_ACTS; role <= DC_MJCF_ABSENT; role++) {
    bool none = true;
    strcat(line, " ");
    for (const struct dc_mjcf_known *row = first; row->element && strcmp(row->element, first->element) == 0; row++) {
      if ((int)row->role != role || (role == DC_MJCF_ACTS && strcmp(row->attribute, "*") == 0))
        continue;
      add(strcmp(row->attribute, "*") == 0 ? "\\*" : row->attribute, &none, role == DC_MJCF_ABSENT ? "; " : ", ");
      if (row->text) {
        strcat(line, ": ");
        strcat(line, row->text);
      }
    }
    strcat(line, none ? "|" : " |");
  }
}

static bool begins(const struct dc_mjcf_known *row)
{
  return row == dc_mjcf_known || strcmp(row[-1].element, row->element) != 0;
}

static void test_rows(void)
{
  for (const struct dc_mjcf_known *row = dc_mjcf_known; row->element; row++) {
    CHECK((row->role == DC_MJCF_ABSENT) == (row->text != NULL), "%s %s", row->element, row->attribute);
    CHECK(!begins(row) || strcmp(row->attribute, "*") == 0, "%s begins with itself", row->element);
    for (const struct dc_mjcf_known *other = dc_mjcf_known; other < row; other++) {
      bool same = strcmp(other->element, row->element) == 0;
      CHECK(!same || strcmp(other->attribute, row->attribute) != 0, "%s %s twice", row->element, row->attribute);
      CHECK(!same || !begins(row), "rows of %s stand apart", row->element);
    }
  }
}

static void test_document(void)
{
  const char *source = getenv("DCSIM_SOURCE");
  char path[1000];
  snprintf(path, sizeof path, "%s/docs/robots.md", source ? source : ".");
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  CHECK(file && text, "%s", path);
  if (!file || !text)
    return;
  CHECK(fread(text, 1, (1 << 20) - 1, file) > 0, "%s", path);
  fclose(file);
  int rows = 0, written = 0;
  for (const struct dc_mjcf_known *row = dc_mjcf_known; row->element; row++)
    if (begins(row)) {
      make_line(row);
      CHECK(strstr(text, line) != NULL, "docs/robots.md lacks: %s", line);
      rows++;
    }
  const char *table = strstr(text, "## Attributes of MJCF");
  for (const char *c = table ? table : ""; (c = strstr(c, "\n| ")) != NULL; c++)
    written++;
  CHECK(written == rows + 1, "%d rows, %d written", rows, written);
  free(text);
}

RUN_TESTS({"rows", test_rows}, {"docs/robots.md", test_document})
