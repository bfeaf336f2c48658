// SPDX-License-Identifier: Apache-2.0
// Rows and summaries of `dcsim bench tasks`.  Private to bench.
#ifndef BENCH_TASK_TABLE_H
#define BENCH_TASK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "io/json/json_write.h"

enum { DC_TASK_METHOD = 200, DC_TASK_MESSAGE = 200 };

// One case solved, or not, by one method.
struct dc_task_row {
  char task[24];
  uint64_t seed;
  int draw;
  char method[DC_TASK_METHOD];  // its name and the settings beside it
  double limit;                 // CPU s that the case had
  bool success, at_rest;
  double speed;  // m/s, the largest of the task's bodies in the last steps
  double loss;
  int iterations;
  long rollouts;
  double seconds;  // of processor time, of all threads
  int status;      // enum dcsim_status
  char message[DC_TASK_MESSAGE];
};

// A table of rows, in memory and, with a folder, in its file rows.tsv, where rows of earlier runs are found again.
struct dc_task_table {
  struct dc_task_row *rows;
  size_t count, capacity;
  char *path;  // NULL: in memory alone
};

// Reads what the folder holds, which is made; a last line that a killed run did not finish is cut off.  *table must be
// zero-initialized.  DC_IO, DC_MEMORY.
enum dc_status dc_task_table_open(struct dc_task_table *table, const char *folder, struct dc_error *error);
void dc_task_table_close(struct dc_task_table *table);
// The row of the same task, seed, draw, method and limit, or NULL.
const struct dc_task_row *dc_task_table_find(const struct dc_task_table *table, const struct dc_task_row *row);
enum dc_status dc_task_table_add(struct dc_task_table *table, const struct dc_task_row *row, struct dc_error *error);

// Wilson's interval [2] for a probability of which hits of count cases came out well, at 95 %.
void dc_wilson_interval(int hits, int count, double *interval);

// A line for every row, then one for every method: rows [count] of one task and seed, those of a method together.
void dc_task_table_report(const struct dc_task_row *const *rows, int count, struct dc_json_writer *json,
                          struct dc_text *text);

#endif
