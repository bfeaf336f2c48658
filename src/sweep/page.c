// SPDX-License-Identifier: Apache-2.0
// Writes sweep.html: the table as data for one page that works offline (viewer/sweep.html).
#include <stdlib.h>
#include <string.h>

#include "io/run/run.h"
#include "render/report.h"
#include "sweep/tables.h"

// Targets that the page can link to for a run: its report, its directory, or nothing.  The page knows these numbers
// (viewer/sweep.html).
enum kept { NOTHING, REPORT, RUN };

// The runs that a study keeps may have been removed since: the page links to what is there now.
static enum kept find_kept(const struct dc_sweep *sweep, long point)
{
  char name[DC_POINT_NAME];
  char *path = dc_path_join(sweep->directory, dc_point_name(point, name));
  enum kept kept = NOTHING;
  if (path && dc_run_has(path, "report.html"))
    kept = REPORT;
  else if (path && dc_run_has(path, "run.json"))
    kept = RUN;
  free(path);
  return kept;
}

// Names of columns: the point, then what varies, whose number tells the page where results begin, then the results.
static void put_columns(const struct dc_sweep *sweep, struct dc_text *text)
{
  int columns = dc_study_columns(sweep->study);
  dc_text_add(text, ",\n\"columns\": [\"point\"");
  for (int i = 0; i < columns; i++) {
    dc_text_add(text, ", ");
    dc_text_string(text, dc_study_column(sweep->study, i));
  }
  for (int i = 0; i < DC_RESULTS; i = dc_result_next(sweep->study, i))
    dc_text_add(text, ", \"%s\"", dc_result_name((enum dc_result)i));
  dc_text_add(text, "],\n\"varying\": %d", columns);
}

// Numbers and strings stay as they are; other values become texts for the page.
static void put_value(const struct dc_sweep *sweep, long point, int column, struct dc_text *text)
{
  struct dc_text value = {0};
  dc_study_value(sweep->study, point, column, &value);
  const char *bytes = value.bytes ? value.bytes : "null";
  if (strchr("-0123456789\"", bytes[0]))
    dc_text_append(text, bytes, strlen(bytes));
  else
    dc_text_string(text, bytes);
  text->failed = text->failed || value.failed;
  dc_text_free(&value);
}

// Writes a row as an array: the point, the values that vary, the results.
static void put_row(const struct dc_sweep *sweep, long point, struct dc_text *text)
{
  const struct dc_sweep_row *row = &sweep->rows[point];
  int columns = dc_study_columns(sweep->study);
  dc_text_add(text, "[%ld", point);
  for (int i = 0; i < columns; i++) {
    dc_text_add(text, ",");
    put_value(sweep, point, i, text);
  }
  for (int i = 0; i < DC_RESULTS; i = dc_result_next(sweep->study, i)) {
    dc_text_add(text, ",");
    if (i == DC_RESULT_MESSAGE)
      dc_text_string(text, dc_sweep_row_message(row));
    else
      dc_text_short_real(text, dc_result_number(row, (enum dc_result)i), "null");
  }
  dc_text_add(text, "]");
}

// The table as one object.  Points that have not ended are left out; "reports" runs beside "rows".
static void put_data(const struct dc_sweep *sweep, struct dc_text *text)
{
  const struct dc_study *study = sweep->study;
  const char *slash = strrchr(study->scene, '/'), *separator = "";
  dc_text_add(text, "{\"name\": ");
  dc_text_string(text, study->name);
  dc_text_add(text, ", \"scene\": ");
  dc_text_string(text, slash ? slash + 1 : study->scene);
  dc_text_add(text, ", \"version\": ");
  dc_text_string(text, dcsim_version());
  dc_text_add(text, ", \"points\": %ld", study->points.count);
  put_columns(sweep, text);
  dc_text_add(text, ",\n\"rows\": [");
  for (long i = 0; i < study->points.count; i++)
    if (sweep->rows[i].done) {
      dc_text_add(text, "%s\n", separator);
      put_row(sweep, i, text);
      separator = ",";
    }
  dc_text_add(text, "],\n\"reports\": [");
  separator = "";
  for (long i = 0; i < study->points.count; i++)
    if (sweep->rows[i].done) {
      dc_text_add(text, "%s%d", separator, find_kept(sweep, i));
      separator = ",";
    }
  dc_text_add(text, "]}");
}

// The page is a template with the data inside, so that it can be sent and needs no network.
enum dc_status dc_sweep_write_page(const struct dc_sweep *sweep, struct dc_error *error)
{
  struct dc_text text = {0};
  size_t size = 0;
  put_data(sweep, &text);
  char *page = text.failed ? NULL : dc_report_page(dc_sweep_template, text.bytes, &size);
  char *path = page ? dc_path_join(sweep->directory, "sweep.html") : NULL;
  enum dc_status status = path ? dc_file_write(path, page, size, error) : dc_out_of_memory_in(error, sweep->directory);
  dc_text_free(&text);
  free(page);
  free(path);
  return status;
}
