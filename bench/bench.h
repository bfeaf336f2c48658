// SPDX-License-Identifier: Apache-2.0
// Benchmarks that the program dcsim brings along: speeds and properties of the library, measured from inside.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <dcsim.h>

#include <stdbool.h>
#include <stdint.h>

// Options of a benchmark; zeros and NULL are the defaults.  Those of tasks are described in task_table.h.
struct bench_options {
  int count;
  const char *const *settings;  // [count] "path=value", for witness, witness-time and tasks
  // of tasks alone
  const char *task;
  int64_t draws;
  bool seed_given;
  uint64_t seed;
  int method_count;
  const char *const *methods;  // [method_count]
  double limit;                // CPU seconds for a case
  const char *output;          // folder of the rows
  const char *write;           // folder for scenes and commands of the cases
  const char *scenes;          // folder of the shipped scenes
  const char *run;             // run directory for the only case, or NULL
  const char *command_line;    // for its run.json
};

// Runs the benchmark called name; NULL lists them.  Statuses as of the functions of dcsim.h; report is released with
// dcsim_report_free.
int bench_run(const char *name, const struct bench_options *options, dcsim_report *report, dcsim_error *error);

#endif
