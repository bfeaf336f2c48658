// SPDX-License-Identifier: Apache-2.0
// Cases of tasks, drawn from a seed: what `dcsim bench tasks` solves.  Private to bench.
//
// A case is a list of "path=value" arguments on top of a shipped scene.  Ranges stand beside the code that draws from
// them (task_draws.c) and in docs/benchmarks.md.
#ifndef BENCH_TASK_DRAWS_H
#define BENCH_TASK_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"

enum { DC_TASK_OVERRIDES = 64, DC_TASK_PLANE = 4, DC_TASK_KNOWN = 4, DC_TASK_PLAIN = 2 };

struct dc_task_case {
  struct dc_arena *arena;  // of the arguments
  int count;
  const char *overrides[DC_TASK_OVERRIDES];
  // After them, for methods that do without controls that leave the plane.
  int plane_count;
  const char *plane[DC_TASK_PLANE];
  double known[DC_TASK_KNOWN];  // parameters of the scene that are known to reach the targets; known_count may be 0
  int known_count;
  bool failed;  // out of memory, or there were too many
};

struct dc_task_kind {
  const char *name, *scene;          // file name of the shipped scene
  const char *bodies;                // how the names of the bodies begin that have to be brought somewhere
  bool windows;                      // the scene has a receding horizon
  const char *plain[DC_TASK_PLAIN];  // what makes the scene one of a single optimizer, the paper's
  // scene: path of the shipped scene, for tasks whose feasibility is shown by a rollout.
  enum dc_status (*draw)(struct dc_random *random, const char *scene, struct dc_task_case *drawn,
                         struct dc_error *error);
};
extern const struct dc_task_kind dc_task_kinds[];  // ends with a NULL name

// Case number draw >= 0 of the seed; the same numbers whatever else is drawn.  DC_MEMORY, or what a rollout ended with.
// *drawn must be zero-initialized; dc_task_case_release also after a failure.
enum dc_status dc_task_draw(const struct dc_task_kind *kind, const char *scene, uint64_t seed, int draw,
                            struct dc_task_case *drawn, struct dc_error *error);
void dc_task_case_release(struct dc_task_case *drawn);

#endif
