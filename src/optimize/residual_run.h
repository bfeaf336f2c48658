// SPDX-License-Identifier: Apache-2.0
// What the methods of least_squares.h share: the best point, counts, draws, the observer, and rows of option tables.
// Private to src/optimize.
#ifndef DC_OPTIMIZE_RESIDUAL_RUN_H
#define DC_OPTIMIZE_RESIDUAL_RUN_H

#include "optimize/least_squares.h"

// When to stop; struct dc_least_squares_common begins the options.
#define DC_RESIDUAL_ITERATIONS(meaning)                                                                                \
  {                                                                                                                    \
    .name = "iterations", .type = DC_INTEGER, .unit = "", .fallback = "2000", .minimum = 0, .maximum = 1e9,            \
    .help = (meaning), .offset = offsetof(struct dc_least_squares_common, iterations)                                  \
  }
#define DC_RESIDUAL_TARGET(default_text)                                                                               \
  {                                                                                                                    \
    .name = "target", .type = DC_REAL, .unit = "", .fallback = (default_text), .minimum = 0, .maximum = 1e300,         \
    .help = "stop when the value to be minimized is at most this",                                                     \
    .offset = offsetof(struct dc_least_squares_common, target)                                                         \
  }

struct dc_residual_run {
  const struct dc_residual_problem *problem;
  dc_residual_observer *observer;
  void *observer_context;
  struct dc_least_squares_result result;
  double *best;             // [point_size], the caller's
  struct dc_random random;  // of restarts
  uint64_t draw;            // number of the next draw
};

// Begins at point, which becomes best.
void dc_residual_run_begin(struct dc_residual_run *run, const struct dc_residual_problem *problem, uint64_t seed,
                           double *point, dc_residual_observer *observer, void *observer_context);
// A draw that no other has the number of.
struct dc_residual_draw dc_residual_run_draw(struct dc_residual_run *run, double trust);
// Books a finite value had at point: whether it is the best.
bool dc_residual_run_book(struct dc_residual_run *run, const double *point, double value);
// Tells the observer: DC_STOPPED when it asks for that.  iterate: what is not in result.
enum dc_status dc_residual_run_tell(struct dc_residual_run *run, struct dc_residual_iterate iterate,
                                    struct dc_error *error);

#endif
