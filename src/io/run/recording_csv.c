// SPDX-License-Identifier: Apache-2.0
// Tables of recorded motion, as `dcsim export --format csv` writes them or a motion capture system may: comma
// separated, the first line names the columns, each with or without its unit in brackets: "time [s]", "box.x [m]",
// "box.qw".  Other units are refused, as "time [ms]".  Lines that begin with "#", and columns that mean nothing here,
// are passed over.  An empty field, or "nan", was not seen.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/run/recording.h"
#include "math/rotation.h"

enum { NUMBERS = 7 };  // of a pose
static const char *const endings[NUMBERS] = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};

// A table while it is read.  Its text is cut up in place: ends of lines and fields become NULs.  Missing
// numbers are NAN.
struct table {
  const char *path;
  char *at;  // the rest of the text
  long line;
  struct dc_error *error;
  const struct dc_bodies *bodies;
  int column_count, time_column;
  int *body, *number;        // [column_count] of the model and of the pose; -1: passed over
  int body_count, *indices;  // those that there are columns of
  int *place;                // [bodies->count] among these
  size_t rows;
  double *time, *poses;  // [rows], [rows][body_count][NUMBERS]
};

static enum dc_status out_of_memory(const struct table *table)
{
  return dc_out_of_memory_in(table->error, table->path);
}

// The message names line and column, both from 1, and the field if there is one.
static enum dc_status fail_at(const struct table *table, int column, const char *rule, const char *what)
{
  return dc_fail(table->error, DC_BAD_INPUT, "%.600s:%ld: column %d: %s%s%.100s%s", table->path, table->line,
                 column + 1, rule, what ? " (is \"" : "", what ? what : "", what ? "\")" : "");
}

// The next line that is no comment and not empty, without its end; NULL behind the last.
static char *next_line(struct table *table)
{
  while (table->at && *table->at) {
    char *line = table->at, *end = strchr(line, '\n');
    table->line++;
    table->at = end ? end + 1 : NULL;
    if (end)
      *end = '\0';
    size_t length = strlen(line);
    if (length && line[length - 1] == '\r')
      line[length - 1] = '\0';
    if (line[0] && line[0] != '#')
      return line;
  }
  return NULL;
}

// The next field of a line, without quotes and the spaces around it (RFC 4180: a doubled quote within quotes is
// a quote); *line moves behind it and is NULL after the last one.  The field is written over itself, as it only
// becomes shorter.
static char *next_field(char **line)
{
  char *field = *line, *to = field, *from = field;
  bool quoted = *from == '"';
  for (from += quoted; *from && (quoted || *from != ','); from++) {
    if (quoted && *from == '"') {
      if (from[1] != '"') {
        quoted = false;
        continue;
      }
      from++;
    }
    *to++ = *from;
  }
  *line = *from ? from + 1 : NULL;
  while (to > field && (to[-1] == ' ' || to[-1] == '\t'))
    to--;
  *to = '\0';
  while (*field == ' ' || *field == '\t')
    field++;
  return field;
}

static int find_body(const struct dc_bodies *bodies, const char *name)
{
  for (int b = 0; b < bodies->count; b++)
    if (strcmp(bodies->bodies[b].name, name) == 0)
      return b;
  return -1;
}

// A name that is nothing but the ending does not count: there would be no body's name before it.
static bool ends_with(const char *text, const char *ending)
{
  size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

// Cuts " [unit]" off a title; NULL: it has none.
static const char *cut_unit(char *title)
{
  char *unit = strrchr(title, '[');
  if (!unit || unit == title || unit[-1] != ' ')
    return NULL;
  char *end = unit + strlen(unit) - 1;
  if (*end != ']')
    return NULL;
  unit[-1] = *end = '\0';
  return unit + 1;
}

// Numbers are taken as they stand, so that those of another unit would be wrong without a word.
static enum dc_status check_unit(const struct table *table, int column, const char *unit, const char *due)
{
  char rule[32];
  if (!unit || strcmp(unit, due) == 0)
    return DC_OK;
  snprintf(rule, sizeof rule, "must be in [%s]", due);
  return fail_at(table, column, rule, unit);
}

// Finds what a column holds by its title, "time" or "BODY.NUMBER", with or without " [unit]"; the title is cut
// up.  Columns that mean nothing here stay -1 and are passed over, so that tables may have more than is asked
// for.
static enum dc_status read_title(struct table *table, int column, char *title)
{
  table->body[column] = table->number[column] = -1;
  const char *unit = cut_unit(title);
  if (title[0] == '\'')  // as exported for spreadsheets
    title++;
  if (strcmp(title, "time") == 0) {
    table->time_column = column;
    return check_unit(table, column, unit, "s");
  }
  for (int k = 0; k < NUMBERS; k++)
    if (ends_with(title, endings[k])) {
      title[strlen(title) - strlen(endings[k])] = '\0';
      table->body[column] = find_body(table->bodies, title);
      table->number[column] = k;
      return table->body[column] < 0 ? DC_OK : check_unit(table, column, unit, k < 3 ? "m" : "1");
    }
  return DC_OK;
}

// Chooses the bodies that are read: those that are wanted, or all that move, as far as they have columns.  A
// body that is wanted and has none is an error; so is a table without any.  Columns of other bodies are passed
// over from here on.
static enum dc_status choose_bodies(struct table *table, const struct dc_index_list *wanted)
{
  bool *listed = dc_alloc((size_t)table->bodies->count, sizeof *listed);
  if (!listed)
    return out_of_memory(table);
  for (int i = 0; i < wanted->count; i++)
    listed[wanted->indices[i]] = true;
  for (int b = 0; b < table->bodies->count; b++)
    table->place[b] = -1;
  for (int c = 0; c < table->column_count; c++) {
    int b = table->body[c];
    if (b < 0 || (wanted->count ? !listed[b] : !dc_frame_moves(table->bodies, b)))
      table->body[c] = -1;
    else if (table->place[b] < 0) {
      table->place[b] = table->body_count;
      table->indices[table->body_count++] = b;
    }
  }
  free(listed);
  for (int i = 0; i < wanted->count; i++)
    if (table->place[wanted->indices[i]] < 0)
      return dc_fail(table->error, DC_BAD_INPUT, "%.600s: must have columns of \"%.255s\", such as \"%.255s.x\"",
                     table->path, table->bodies->bodies[wanted->indices[i]].name,
                     table->bodies->bodies[wanted->indices[i]].name);
  if (!table->body_count)
    return dc_fail(table->error, DC_BAD_INPUT, "%.600s: must have columns of a body that moves, such as \"NAME.x\"",
                   table->path);
  return DC_OK;
}

// Pairs are compared directly: tables have few columns that are read.
static enum dc_status check_columns(const struct table *table)
{
  if (table->time_column < 0)
    return dc_fail(table->error, DC_BAD_INPUT, "%.600s: must have a column \"time\"", table->path);
  for (int c = 0; c < table->column_count; c++)
    for (int d = 0; d < c; d++)
      if (table->body[c] >= 0 && table->body[c] == table->body[d] && table->number[c] == table->number[d])
        return fail_at(table, c, "must not repeat another column", NULL);
  return DC_OK;
}

// Reads the first line: which body and which number of its pose every column holds.  Columns of bodies that are not
// wanted are passed over.
static enum dc_status read_titles(struct table *table, const struct dc_index_list *wanted, struct dc_arena *arena)
{
  enum { MOST_COLUMNS = 10000 };
  char *line = next_line(table);
  if (!line)
    return dc_fail(table->error, DC_BAD_INPUT, "%.600s: must have a line with the names of its columns", table->path);
  table->column_count = 1;
  for (const char *c = line; *c; c++)
    table->column_count += *c == ',';
  if (table->column_count > MOST_COLUMNS)
    return dc_fail(table->error, DC_BAD_INPUT, "%.600s: must have at most %d columns", table->path, MOST_COLUMNS);
  size_t columns = (size_t)table->column_count, bodies = (size_t)table->bodies->count;
  table->body = dc_arena_alloc(arena, columns, sizeof *table->body);
  table->number = dc_arena_alloc(arena, columns, sizeof *table->number);
  table->indices = dc_arena_alloc(arena, bodies, sizeof *table->indices);
  table->place = dc_arena_alloc(arena, bodies, sizeof *table->place);
  if (!table->body || !table->number || !table->indices || !table->place)
    return out_of_memory(table);
  table->column_count = 0;
  enum dc_status status = DC_OK;
  while (line && !status) {
    char *title = next_field(&line);
    status = read_title(table, table->column_count++, title);
  }
  if (!status)
    status = choose_bodies(table, wanted);
  return status ? status : check_columns(table);
}

// A number, or NAN for a field that holds none.
static enum dc_status read_number(const struct table *table, int column, const char *field, double *number)
{
  char *end;
  *number = NAN;
  if (!field[0] || strcmp(field, "nan") == 0 || strcmp(field, "NaN") == 0)
    return DC_OK;
  *number = strtod(field, &end);
  return *end || !isfinite(*number) ? fail_at(table, column, "must hold a number", field) : DC_OK;
}

// Reads one row into poses[row][body][NUMBERS].  Numbers that are missing stay NAN; times must be there and
// increase, and a row must have as many fields as there are titles.
static enum dc_status read_row(struct table *table, char *line)
{
  double *poses = table->poses + table->rows * (size_t)table->body_count * NUMBERS, time = NAN;
  for (int i = 0; i < table->body_count * NUMBERS; i++)
    poses[i] = NAN;
  int column = 0;
  for (; line && column < table->column_count; column++) {
    char *field = next_field(&line);
    int body = table->body[column];
    double number;
    if (body < 0 && column != table->time_column)
      continue;
    enum dc_status status = read_number(table, column, field, &number);
    if (status)
      return status;
    if (column == table->time_column)
      time = number;
    else
      poses[table->place[body] * NUMBERS + table->number[column]] = number;
  }
  if (line || column < table->column_count)
    return dc_fail(table->error, DC_BAD_INPUT, "%.600s:%ld: must have %d fields, one for each column", table->path,
                   table->line, table->column_count);
  if (isnan(time) || (table->rows && !(time > table->time[table->rows - 1])))
    return fail_at(table, table->time_column, "must hold a time later than the row before", NULL);
  table->time[table->rows++] = time;
  return DC_OK;
}

// Reads all rows.  Line ends of the rest of the text bound their number, so that arrays are made once.
static enum dc_status read_rows(struct table *table, struct dc_arena *arena)
{
  size_t most = 1;
  for (const char *c = table->at; c && *c; c++)
    most += *c == '\n';
  table->time = dc_arena_alloc(arena, most, sizeof *table->time);
  table->poses = dc_alloc(most, (size_t)table->body_count * NUMBERS * sizeof *table->poses);
  enum dc_status status = table->time && table->poses ? DC_OK : out_of_memory(table);
  for (char *line; !status && (line = next_line(table));)
    status = read_row(table, line);
  if (!status && !table->rows)
    status = dc_fail(table->error, DC_BAD_INPUT, "%.600s: must have a row", table->path);
  return status;
}

// Parts poses into positions and rotations, as recordings have them.  Quaternions that are rounded, within 1e-3
// of length 1, are normalized; others are refused, as they are likely angles or another order of columns.  A
// quaternion of which a number is missing was not seen.
static enum dc_status separate(const struct table *table, double *position, double *quaternion)
{
  size_t poses = table->rows * (size_t)table->body_count;
  for (size_t i = 0; i < poses; i++) {
    double *q = quaternion + 4 * i;
    memcpy(position + 3 * i, table->poses + NUMBERS * i, 3 * sizeof *position);
    memcpy(q, table->poses + NUMBERS * i + 3, 4 * sizeof *q);
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (isnan(length))
      q[0] = q[1] = q[2] = q[3] = NAN;
    else if (!(fabs(length - 1) <= 1e-3))
      return dc_fail(table->error, DC_BAD_INPUT,
                     "%.600s: must hold quaternions of length 1 (at %g s of \"%.255s\": %g)", table->path,
                     table->time[i / (size_t)table->body_count],
                     table->bodies->bodies[table->indices[i % (size_t)table->body_count]].name, length);
    else
      dc_rotation_normalize(q);
  }
  return DC_OK;
}

// Reads a table of poses: titles, rows, then positions and quaternions apart.  A byte order mark is passed over.
enum dc_status dc_recording_parse_csv(const char *path, char *text, const struct dc_bodies *bodies,
                                      const struct dc_index_list *wanted, struct dc_arena *arena,
                                      struct dc_recording *recording, struct dc_error *error)
{
  struct table table = {.path = path, .at = text, .error = error, .bodies = bodies, .time_column = -1};
  if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
    table.at += 3;
  enum dc_status status = read_titles(&table, wanted, arena);
  if (!status)
    status = read_rows(&table, arena);
  if (!status) {
    size_t poses = table.rows * (size_t)table.body_count;
    double *position = dc_arena_alloc(arena, poses, 3 * sizeof *position);
    double *quaternion = dc_arena_alloc(arena, poses, 4 * sizeof *quaternion);
    status = position && quaternion ? separate(&table, position, quaternion) : out_of_memory(&table);
    *recording = (struct dc_recording){.rows = (int)table.rows,
                                       .body_count = table.body_count,
                                       .time = table.time,
                                       .bodies = table.indices,
                                       .position = position,
                                       .quaternion = quaternion};
  }
  free(table.poses);
  return status;
}
