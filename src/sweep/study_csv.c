// SPDX-License-Identifier: Apache-2.0
// Reads a file of points in CSV (RFC 4180): lines may end with CR LF; a quoted field may contain commas and line ends.
#include <stdlib.h>
#include <string.h>

#include "io/json/json_print.h"
#include "io/json/json_value.h"
#include "sweep/study.h"

// A file being read: `at` moves from its beginning to `end`; `line` is that of `at`, for messages.
struct table {
  const char *path, *at, *end;
  long line;
  struct dc_arena *arena;
  struct dc_error *error;
};

// Messages name file and line, as those of other text files do.
static enum dc_status refuse(const struct table *table, const char *rule)
{
  return dc_fail(table->error, DC_BAD_INPUT, "%.400s:%ld: %s", table->path, table->line, rule);
}

// Reads the next field by RFC 4180; *last: it ends its line.  Quotes around a field are removed, doubled ones within
// become one.  A quote in the middle of an unquoted field is an ordinary character, as spreadsheets write it.
static enum dc_status next_field(struct table *table, struct dc_text *field, bool *last)
{
  bool quoted = table->at < table->end && *table->at == '"';
  if (quoted)
    table->at++;
  for (; table->at < table->end; table->at++) {
    char c = *table->at;
    if (quoted && c == '"' && table->at + 1 < table->end && table->at[1] == '"')
      table->at++;
    else if (quoted && c == '"')
      break;
    else if (!quoted && (c == ',' || c == '\n' || (c == '\r' && table->at + 1 < table->end && table->at[1] == '\n')))
      break;
    table->line += c == '\n';
    dc_text_append(field, &c, 1);
  }
  if (quoted) {
    if (table->at == table->end)
      return refuse(table, "a quoted field does not end");
    table->at++;
  }
  if (table->at < table->end && *table->at == '\r')
    table->at++;
  *last = table->at == table->end || *table->at == '\n';
  if (!*last && *table->at != ',')
    return refuse(table, "a quoted field must end before a comma or the end of the line");
  if (table->at < table->end)
    table->at++;
  if (field->failed)
    return dc_out_of_memory_in(table->error, table->path);
  if (!dc_json_is_utf8(field->bytes ? field->bytes : "", field->length))
    return refuse(table, "invalid UTF-8");
  return DC_OK;
}

// A field as JSON text: what is JSON stays, everything else becomes a string, so that names need no quotes in a
// table.
static const char *as_json(struct table *table, const char *field)
{
  struct dc_json_document document = {0};
  struct dc_text text = {0};
  struct dc_error ignored = {0};
  struct dc_arena *scratch = dc_arena_create();
  if (scratch && dc_json_load_text(&document, table->path, field, scratch, &ignored) == DC_OK)
    dc_json_print(document.root, &text);
  else
    dc_text_string(&text, field);
  const char *json = scratch && !text.failed ? dc_arena_strdup(table->arena, text.bytes) : NULL;
  dc_json_release(&document);
  dc_arena_destroy(scratch);
  dc_text_free(&text);
  return json;
}

// Appends the fields of one line to *fields, unchanged (names) or as JSON.
static enum dc_status read_line(struct table *table, bool names, const char ***fields, size_t *capacity, size_t *count)
{
  bool last = false;
  while (!last) {
    struct dc_text field = {0};
    enum dc_status status = next_field(table, &field, &last);
    const char *text = field.bytes ? field.bytes : "";
    const char *kept = status ? NULL : names ? dc_arena_strdup(table->arena, text) : as_json(table, text);
    dc_text_free(&field);
    if (status)
      return status;
    if (!kept || dc_grow(fields, capacity, *count + 1, sizeof **fields))
      return dc_out_of_memory_in(table->error, table->path);
    if (names && !kept[0])
      return refuse(table, "a column has no name");
    (*fields)[(*count)++] = kept;
  }
  return DC_OK;
}

// Reads all lines but the first; each is a level of the factor, with as many fields as there are names.
static enum dc_status read_rows(struct table *table, struct dc_factor *factor, const char ***fields, size_t *capacity,
                                size_t *count)
{
  while (table->at < table->end) {
    table->line++;
    size_t before = *count;
    if (*table->at == '\n' || (*table->at == '\r' && table->at[1] == '\n')) {  // an empty line is no point
      table->at += 1 + (*table->at == '\r');
      continue;
    }
    enum dc_status status = read_line(table, false, fields, capacity, count);
    if (status)
      return status;
    if (*count - before != (size_t)factor->columns)
      return dc_fail(table->error, DC_BAD_INPUT, "%.400s:%ld: has %zu fields, the first line %d", table->path,
                     table->line, *count - before, factor->columns);
    if (++factor->levels > DC_MOST_POINTS)
      return dc_fail(table->error, DC_BAD_INPUT, "%.400s: has more than %d points", table->path, DC_MOST_POINTS);
  }
  return factor->levels ? DC_OK : dc_fail(table->error, DC_BAD_INPUT, "%.400s: has no points", table->path);
}

// Copies the list to the arena.
static const char *const *keep_list(struct dc_arena *arena, const char **list, size_t count)
{
  const char **kept = dc_arena_alloc(arena, count ? count : 1, sizeof *kept);
  if (kept && count)
    memcpy(kept, list, count * sizeof *kept);
  return kept;
}

// Reads a table of points as one factor: names in the first line, one level per line; the values are JSON or texts.
enum dc_status dc_study_read_csv(const char *path, struct dc_arena *arena, struct dc_factor *factor,
                                 struct dc_error *error)
{
  const char *text, **names = NULL, **fields = NULL;
  size_t length, name_capacity = 0, name_count = 0, capacity = 0, count = 0;
  enum dc_status status = dc_json_read_text(path, arena, &text, &length, error);
  if (status)
    return status;
  struct table table = {.path = path, .at = text, .end = text + length, .line = 1, .arena = arena, .error = error};
  status = read_line(&table, true, &names, &name_capacity, &name_count);
  factor->columns = (int)name_count;
  if (!status)
    status = read_rows(&table, factor, &fields, &capacity, &count);
  factor->names = keep_list(arena, names, name_count);
  factor->texts = keep_list(arena, fields, count);
  free(names);
  free(fields);
  if (!status && (!factor->names || !factor->texts))
    status = dc_out_of_memory_in(error, path);
  return status;
}
