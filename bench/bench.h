// SPDX-License-Identifier: Apache-2.0
// Benchmarks that the program dcsim brings along: speeds and properties of the library, measured from inside.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <dcsim.h>

// Runs the benchmark called name; NULL lists them.  settings [setting_count]: "path=value", for those that take some.
// Statuses as of the functions of dcsim.h; report is released with dcsim_report_free.
int bench_run(const char *name, int setting_count, const char *const *settings, dcsim_report *report,
              dcsim_error *error);

#endif
