// SPDX-License-Identifier: Apache-2.0
// One iteration of an optimizer with `iterate`, as it sees the minimization.  Private to src/optimize.
#ifndef DC_OPTIMIZE_ITERATION_H
#define DC_OPTIMIZE_ITERATION_H

#include "optimize/optimizer.h"

struct dc_iteration {
  const struct dc_problem *problem;
  struct dc_minimization *owner;
  int number;                          // 0: the first guess, which x holds; later x holds the previous iterate
  double *state;                       // [state_size(number)]
  double *x;                           // [point_size] receives the iterate; in aside it is undefined at first
  double *gradient;                    // [dimension] receives the gradient, as far as it is known
  double value;                        // value of the iterate, to be set
  bool accepted;                       // to be set; true at the call
  bool finished;                       // may be set instead of all others: there is no step left
  struct dc_optimizer_result *result;  // infeasible, failed and restarts are counted by the optimizer
  const double *best;                  // [point_size]
  bool is_best;                        // set by dc_iteration_book
  struct dc_random *random;            // seeded by the problem
  uint64_t *draws;                     // number of the next draw
};

// Returns a draw with a number of its own.
struct dc_draw dc_iteration_draw(struct dc_iteration *iteration, double trust);
// Computes value and gradient (may be NULL) at x, and counts the evaluation, also when it fails.  A result that is not
// finite is DC_NUMERICAL; a point that is not finite is DC_INFEASIBLE.
enum dc_status dc_iteration_evaluate(struct dc_iteration *iteration, const double *x, double *value, double *gradient,
                                     struct dc_error *error);
// Counts points that were evaluated in another way.
void dc_iteration_count(struct dc_iteration *iteration, int points);
// Books a finite value at x and returns whether it is the best; the first one booked must be that of the first guess.
bool dc_iteration_book(struct dc_iteration *iteration, const double *x, double value);

#endif
