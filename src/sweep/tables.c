// SPDX-License-Identifier: Apache-2.0
// Writes sweep.csv and sweep.h5: a row for each point that is done, in the order of the points.  The bytes do not
// depend on how the points were run; times are in the last column only.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/run/run_files.h"
#include "io/run/table_h5.h"
#include "sweep/tables.h"

// Writes a field of RFC 4180, quoted where needed.
static void put_field(struct dc_text *text, const char *field)
{
  if (!field[strcspn(field, ",\"\r\n")]) {
    dc_text_append(text, field, strlen(field));
    return;
  }
  dc_text_append(text, "\"", 1);
  for (const char *c = field; *c; c++)
    dc_text_append(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  dc_text_append(text, "\"", 1);
}

// Writes a varying value: strings without quotes, everything else as JSON.
static void put_value(struct dc_text *text, const struct dc_sweep *sweep, long point, int column)
{
  struct dc_text value = {0};
  dc_study_value(sweep->study, point, column, &value);
  cJSON *node = value.bytes && value.bytes[0] == '"' ? cJSON_Parse(value.bytes) : NULL;
  put_field(text, node && node->valuestring ? node->valuestring : value.bytes ? value.bytes : "");
  cJSON_Delete(node);
  text->failed = text->failed || value.failed;
  dc_text_free(&value);
}

// Point, varying values, results, in the order of the header.
static void put_row(struct dc_text *text, const struct dc_sweep *sweep, long point)
{
  const struct dc_sweep_row *row = &sweep->rows[point];
  int columns = dc_study_columns(sweep->study);
  dc_text_add(text, "%ld", point);
  for (int i = 0; i < columns; i++) {
    dc_text_append(text, ",", 1);
    put_value(text, sweep, point, i);
  }
  for (int i = 0; i < DC_RESULTS; i = dc_result_next(sweep->study, i)) {
    dc_text_append(text, ",", 1);
    if (i == DC_RESULT_MESSAGE)
      put_field(text, dc_sweep_row_message(row));
    else
      dc_text_short_real(text, dc_result_number(row, (enum dc_result)i), "");
  }
  dc_text_append(text, "\n", 1);
}

// Replaces a file of the sweep's directory as a whole; bytes NULL: they could not be made.
static enum dc_status write_file(const struct dc_sweep *sweep, const char *name, const char *bytes, size_t size,
                                 struct dc_error *error)
{
  char *path = dc_path_join(sweep->directory, name);
  enum dc_status status =
      path && bytes ? dc_file_write(path, bytes, size, error) : dc_out_of_memory_in(error, sweep->directory);
  free(path);
  return status;
}

// sweep.csv: a header, then a row for each point.  A failure is a row with empty results, its status and its message.
static enum dc_status write_csv(const struct dc_sweep *sweep, struct dc_error *error)
{
  struct dc_text text = {0};
  int columns = dc_study_columns(sweep->study);
  dc_text_add(&text, "point");
  for (int i = 0; i < columns; i++) {
    dc_text_append(&text, ",", 1);
    put_field(&text, dc_study_column(sweep->study, i));
  }
  for (int i = 0; i < DC_RESULTS; i = dc_result_next(sweep->study, i))
    dc_text_add(&text, ",%s", dc_result_name((enum dc_result)i));
  dc_text_append(&text, "\n", 1);
  for (long i = 0; i < sweep->study->points.count; i++)
    if (sweep->rows[i].done)
      put_row(&text, sweep, i);
  enum dc_status status = write_file(sweep, "sweep.csv", text.failed ? NULL : text.bytes, text.length, error);
  dc_text_free(&text);
  return status;
}

// Numbers and texts of a varying column, [points that are done] each; false when one value is no number: then the
// column holds texts.  Texts are the caller's to free.
static bool fill_values(const struct dc_sweep *sweep, int column, double *numbers, char **texts)
{
  bool all = true;
  long n = 0;
  for (long i = 0; i < sweep->study->points.count; i++) {
    struct dc_text field = {0};
    char *end = NULL;
    if (!sweep->rows[i].done)
      continue;
    put_value(&field, sweep, i, column);
    texts[n] = field.bytes;  // freed by the caller
    numbers[n] = field.bytes ? strtod(field.bytes, &end) : NAN;
    all = all && end && end != field.bytes && !*end;
    n++;
  }
  return all;
}

// Varying columns as numbers where all values are, as texts otherwise.
static void put_values(const struct dc_sweep *sweep, struct dc_h5_table *table, long count, double *numbers,
                       char **texts)
{
  int columns = dc_study_columns(sweep->study);
  for (int i = 0; i < columns; i++) {
    const char *name = dc_study_column(sweep->study, i);
    if (fill_values(sweep, i, numbers, texts))
      dc_h5_table_add_numbers(table, "values", name, numbers);
    else
      dc_h5_table_add_texts(table, "values", name, (const char *const *)texts);
    for (long k = 0; k < count; k++)
      free(texts[k]);
  }
}

// The number of the point, then every result; -1 stands for the number.
static void put_results(const struct dc_sweep *sweep, struct dc_h5_table *table, double *numbers, const char **texts)
{
  for (int result = -1; result < DC_RESULTS; result = dc_result_next(sweep->study, result)) {
    long n = 0;
    for (long i = 0; i < sweep->study->points.count; i++) {
      if (!sweep->rows[i].done)
        continue;
      texts[n] = dc_sweep_row_message(&sweep->rows[i]);
      numbers[n++] = result < 0 ? (double)i : dc_result_number(&sweep->rows[i], (enum dc_result)result);
    }
    if (result == DC_RESULT_MESSAGE)
      dc_h5_table_add_texts(table, NULL, dc_result_name((enum dc_result)result), texts);
    else
      dc_h5_table_add_numbers(table, NULL, result < 0 ? "point" : dc_result_name((enum dc_result)result), numbers);
  }
}

// sweep.h5: every column as an array [points that are done], varying values in the group "values".  The two buffers
// hold one column after the other; the table copies what it is given.
static enum dc_status write_h5(const struct dc_sweep *sweep, struct dc_error *error)
{
  long count = sweep->done;
  char *bytes = NULL;
  size_t size = 0;
  double *numbers = calloc((size_t)count + 1, sizeof *numbers);
  char **texts = calloc((size_t)count + 1, sizeof *texts);
  struct dc_h5_table *table = numbers && texts ? dc_h5_table_create(count) : NULL;
  enum dc_status status = table ? DC_OK : dc_out_of_memory_for(error, "sweep.h5");
  if (!status) {
    put_values(sweep, table, count, numbers, texts);
    put_results(sweep, table, numbers, (const char **)texts);
    status = dc_h5_table_image(table, "dcsim-sweep-1", &bytes, &size, error);
  }
  if (!status)
    status = write_file(sweep, "sweep.h5", bytes, size, error);
  dc_h5_table_destroy(table);
  free(bytes);
  free(numbers);
  free(texts);
  return status;
}

// CSV for spreadsheets, HDF5 for programs, and a page for people.
enum dc_status dc_sweep_write_tables(const struct dc_sweep *sweep, struct dc_error *error)
{
  enum dc_status status = write_csv(sweep, error);
  if (!status)
    status = write_h5(sweep, error);
  return status ? status : dc_sweep_write_page(sweep, error);
}
