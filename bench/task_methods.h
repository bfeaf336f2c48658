// SPDX-License-Identifier: Apache-2.0
// Methods that `dcsim bench tasks` solves cases with: overlays of the scene.  Private to bench.
#ifndef BENCH_TASK_METHODS_H
#define BENCH_TASK_METHODS_H

#include <stdbool.h>

enum { DC_TASK_METHOD_OVERRIDES = 8 };

struct dc_task_method {
  const char *name, *summary;
  const char *model;  // contact model instead of the scene's, or NULL
  bool plane;         // controls that leave the plane are left out where the task has some
  bool searches;      // what the scene searches with stays; else one optimizer, the paper's, is what overrides change
  const char *overrides[DC_TASK_METHOD_OVERRIDES];  // of every task
  const char *windows[DC_TASK_METHOD_OVERRIDES];    // after them, of tasks with a receding horizon
};
extern const struct dc_task_method dc_task_methods[];  // ends with a NULL name; the first one is the default

#endif
