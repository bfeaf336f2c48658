// SPDX-License-Identifier: Apache-2.0
// The data of a minimization.  Private to src/optimize.
#ifndef DC_OPTIMIZE_MINIMIZATION_H
#define DC_OPTIMIZE_MINIMIZATION_H

#include "optimize/optimizer.h"

enum { DC_MOST_HALVINGS = 20, DC_MOST_FAILURES = 5 };

// One point with its value and gradient.
struct dc_point {
  double *x;         // [point_size]
  double *gradient;  // [dimension]
  double value;
};

struct dc_minimization {
  const struct dc_optimizer_type *type;
  const void *options;
  const struct dc_problem *problem;
  struct dc_optimizer_result result;
  struct dc_point current, trial;
  double *step, *scaled;   // [dimension]
  double *best, *kept;     // [point_size]; kept: the best before the present iteration
  bool *held;              // [dimension]
  double *memory;          // holds these arrays
  double *state, *before;  // [state_count]; before: the state at the start of the present iteration
  size_t state_count;
  struct dc_random random;  // for optimizers with `iterate`
  uint64_t draws;
  bool begun;      // the first guess has been evaluated
  bool proposed;   // step holds a proposal that is not finished; the following members tell which trial is next
  double scale;    // factor on the step
  int sliding;     // coordinate to hold during sliding, -1: not sliding
  int backed_off;  // infeasible halvings of this proposal
  int failures;    // evaluations with DC_NUMERICAL since the last success
  int dropped;     // proposals without a feasible point since the last success
};

bool dc_minimization_allocate(struct dc_minimization *minimization);
void dc_minimization_release(struct dc_minimization *minimization);
// Makes room for the state of an iteration.
enum dc_status dc_minimization_reserve(struct dc_minimization *minimization, int iteration, struct dc_error *error);
// Evaluates and counts value and gradient at point->x.  DC_NUMERICAL for results, DC_INFEASIBLE for points that are not
// finite.
enum dc_status dc_minimization_evaluate(struct dc_minimization *minimization, struct dc_point *point,
                                        struct dc_error *error);
// Books a value at x [point_size] in an iteration; returns whether it is the best.
bool dc_minimization_book(struct dc_minimization *minimization, int iteration, const double *x, double value);

#endif
