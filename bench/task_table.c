// SPDX-License-Identifier: Apache-2.0
// The rows are lines of a text, fields separated by tabs, in the order of struct dc_task_row.
#include "bench/task_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "bench/sort.h"

static const char HEADER[] = "task\tseed\tdraw\tmethod\tlimit\tsuccess\tat_rest\tspeed\tloss\titerations\trollouts\t"
                             "seconds\tstatus\tmessage\n";

static enum dc_status fail(const struct dc_task_table *table, struct dc_error *error)
{
  return dc_fail(error, DC_IO, "%.500s: %s", table->path, strerror(errno));
}

static enum dc_status keep(struct dc_task_table *table, const struct dc_task_row *row, struct dc_error *error)
{
  if (dc_grow(&table->rows, &table->capacity, table->count + 1, sizeof *row))
    return dc_out_of_memory_for(error, "rows");
  table->rows[table->count++] = *row;
  return DC_OK;
}

// The message may be empty, which is why it is taken by hand.
static bool parse(const char *line, struct dc_task_row *row)
{
  unsigned long long seed;
  int success, at_rest, read = 0;
  int fields = sscanf(line, "%23[^\t]\t%llu\t%d\t%199[^\t]\t%lf\t%d\t%d\t%lf\t%lf\t%d\t%ld\t%lf\t%d\t%n", row->task,
                      &seed, &row->draw, row->method, &row->limit, &success, &at_rest, &row->speed, &row->loss,
                      &row->iterations, &row->rollouts, &row->seconds, &row->status, &read);
  if (fields != 13 || read == 0)
    return false;
  row->seed = seed;
  row->success = success;
  row->at_rest = at_rest;
  snprintf(row->message, sizeof row->message, "%.*s", (int)strcspn(line + read, "\n"), line + read);
  return true;
}

// Keeps whole lines; *length: bytes of them.
static enum dc_status read_rows(struct dc_task_table *table, FILE *file, long *length, struct dc_error *error)
{
  char line[1024];
  enum dc_status status = DC_OK;
  *length = 0;
  for (int number = 1; !status && fgets(line, sizeof line, file); number++) {
    struct dc_task_row row = {0};
    if (!strchr(line, '\n'))
      break;
    if (number == 1 ? strcmp(line, HEADER) != 0 : !parse(line, &row))
      return dc_fail(error, DC_BAD_INPUT, "%.500s:%d: is no row of a table of tasks", table->path, number);
    if (number > 1)
      status = keep(table, &row, error);
    *length = ftell(file);
  }
  return status ? status : ferror(file) ? fail(table, error) : DC_OK;
}

enum dc_status dc_task_table_open(struct dc_task_table *table, const char *folder, struct dc_error *error)
{
  if (!folder)
    return DC_OK;
  size_t size = strlen(folder) + sizeof "/rows.tsv";
  table->path = malloc(size);
  if (!table->path)
    return dc_out_of_memory_for(error, "a table");
  snprintf(table->path, size, "%s/rows.tsv", folder);
  if (mkdir(folder, 0777) && errno != EEXIST)
    return fail(table, error);
  FILE *file = fopen(table->path, "a+");
  if (!file)
    return fail(table, error);
  rewind(file);
  long length;
  enum dc_status status = read_rows(table, file, &length, error);
  if (!status &&
      (ftruncate(fileno(file), length) || fseek(file, 0, SEEK_END) || (length == 0 && fputs(HEADER, file) < 0)))
    status = fail(table, error);
  if (fclose(file) && !status)
    status = fail(table, error);
  return status;
}

void dc_task_table_close(struct dc_task_table *table)
{
  free(table->rows);
  free(table->path);
  *table = (struct dc_task_table){0};
}

const struct dc_task_row *dc_task_table_find(const struct dc_task_table *table, const struct dc_task_row *row)
{
  for (size_t i = 0; i < table->count; i++) {
    const struct dc_task_row *other = &table->rows[i];
    if (strcmp(other->task, row->task) == 0 && other->seed == row->seed && other->draw == row->draw &&
        strcmp(other->method, row->method) == 0 && fabs(other->limit - row->limit) < 1e-9 * row->limit)
      return other;
  }
  return NULL;
}

enum dc_status dc_task_table_add(struct dc_task_table *table, const struct dc_task_row *row, struct dc_error *error)
{
  enum dc_status status = keep(table, row, error);
  if (status || !table->path)
    return status;
  FILE *file = fopen(table->path, "a");
  if (!file)
    return fail(table, error);
  fprintf(file, "%s\t%llu\t%d\t%s\t%.17g\t%d\t%d\t%.17g\t%.17g\t%d\t%ld\t%.17g\t%d\t%s\n", row->task,
          (unsigned long long)row->seed, row->draw, row->method, row->limit, row->success, row->at_rest, row->speed,
          row->loss, row->iterations, row->rollouts, row->seconds, row->status, row->message);
  bool failed = ferror(file);
  return fclose(file) || failed ? fail(table, error) : DC_OK;
}

void dc_wilson_interval(int hits, int count, double *interval)
{
  const double z = 1.959963984540054;
  double n = count, p = count ? hits / n : 0, scale = 1 + z * z / n;
  double middle = (p + z * z / (2 * n)) / scale, half = z / scale * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  interval[0] = count ? fmax(middle - half, 0) : 0;
  interval[1] = count ? fmin(middle + half, 1) : 1;
}

// Room for the longest name.
static int name_width(const struct dc_task_row *const *rows, int count)
{
  int width = (int)strlen("method");
  for (int i = 0; i < count; i++)
    width = (int)strlen(rows[i]->method) > width ? (int)strlen(rows[i]->method) : width;
  return width;
}

static void report_row(const struct dc_task_row *row, int width, struct dc_json_writer *json, struct dc_text *text)
{
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "method", row->method);
  dc_json_put_integer(json, "draw", row->draw);
  dc_json_put_boolean(json, "success", row->success);
  dc_json_put_boolean(json, "at_rest", row->at_rest);
  DC_JSON_NUMBERS(json, {"speed", row->speed}, {"loss", row->loss}, {"iterations", row->iterations},
                  {"rollouts", row->rollouts}, {"seconds", row->seconds}, {"status", row->status});
  dc_json_put_string(json, "message", row->message);
  dc_json_end(json, "}");
  dc_text_add(text, "%-*s %5d  %-7s %-4s %9.3g %11.4g %10d %9ld %9.3g%s%s\n", width, row->method, row->draw,
              row->success ? "reached" : "-", row->at_rest ? "rest" : "", row->speed, row->loss, row->iterations,
              row->rollouts, row->seconds, *row->message ? "  " : "", row->message);
}

enum { ITERATIONS, ROLLOUTS, SECONDS, COSTS };
static const char *const cost_names[COSTS] = {"iterations", "rollouts", "seconds"};

// Medians [COSTS] of the cases that were reached; NAN without any.
static void medians(const struct dc_task_row *const *rows, int count, double *median)
{
  double *values = calloc((size_t)count, sizeof *values);
  for (int cost = 0; cost < COSTS; cost++) {
    int reached = 0;
    for (int i = 0; values && i < count; i++)
      if (rows[i]->success)
        values[reached++] = cost == ITERATIONS ? rows[i]->iterations
                            : cost == ROLLOUTS ? (double)rows[i]->rollouts
                                               : rows[i]->seconds;
    if (reached)
      dc_bench_sort(values, reached);
    median[cost] = reached ? 0.5 * (values[(reached - 1) / 2] + values[reached / 2]) : NAN;
  }
  free(values);
}

// A number, or a dash where there is none.
static void add_median(struct dc_text *text, double median, int width)
{
  if (isnan(median))
    dc_text_add(text, " %*s", width, "-");
  else
    dc_text_add(text, " %*.5g", width, median);
}

static void report_method(const struct dc_task_row *const *rows, int count, int width, struct dc_json_writer *json,
                          struct dc_text *text)
{
  int reached = 0, at_rest = 0;
  double interval[2], median[COSTS], total = 0;
  for (int i = 0; i < count; i++) {
    reached += rows[i]->success;
    at_rest += rows[i]->success && rows[i]->at_rest;
    total += rows[i]->seconds;
  }
  dc_wilson_interval(reached, count, interval);
  medians(rows, count, median);
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "method", rows[0]->method);
  DC_JSON_NUMBERS(json, {"cases", count}, {"reached", reached}, {"at_rest", at_rest});
  dc_json_put_numbers(json, "interval", interval, 2);
  for (int cost = 0; cost < COSTS; cost++)
    dc_json_put_number(json, cost_names[cost], median[cost]);
  dc_json_put_number(json, "total_seconds", total);
  dc_json_end(json, "}");
  dc_text_add(text, "%-*s %3d of %-3d (%3.0f %% ... %3.0f %%) %8d", width, rows[0]->method, reached, count,
              100 * interval[0], 100 * interval[1], at_rest);
  add_median(text, median[ITERATIONS], 10);
  add_median(text, median[ROLLOUTS], 9);
  add_median(text, median[SECONDS], 9);
  dc_text_add(text, " %9.4g\n", total);
}

void dc_task_table_report(const struct dc_task_row *const *rows, int count, struct dc_json_writer *json,
                          struct dc_text *text)
{
  int width = name_width(rows, count);
  dc_text_add(text, "%-*s %5s  %-7s %-4s %9s %11s %10s %9s %9s\n", width, "method", "draw", "", "", "speed", "loss",
              "iterations", "rollouts", "CPU s");
  dc_json_begin(json, "cases", '[');
  for (int i = 0; i < count; i++)
    report_row(rows[i], width, json, text);
  dc_json_end(json, "]");
  dc_text_add(text, "\n%-*s %-10s %-17s %8s %10s %9s %9s %9s\n", width, "method", "reached", "95 % interval", "at rest",
              "iterations", "rollouts", "CPU s", "in all");
  dc_json_begin(json, "methods", '[');
  for (int i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && strcmp(rows[next]->method, rows[i]->method) == 0; next++)
      ;
    report_method(rows + i, next - i, width, json, text);
  }
  dc_json_end(json, "]");
}
