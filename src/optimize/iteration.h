// SPDX-License-Identifier: Apache-2.0
// One iteration of an optimizer with `iterate`.  Private to src/optimize.
#ifndef DC_OPTIMIZE_ITERATION_H
#define DC_OPTIMIZE_ITERATION_H

#include "optimize/optimizer.h"

struct dc_iteration {
  const struct dc_problem *problem;
  struct dc_minimization *owner;
  int number;                          // 0: the first guess, which x is; otherwise x is the iterate before
  double *state;                       // [state_size(number)]
  double *x;                           // [point_size] receives the iterate; of aside: holds nothing yet
  double *gradient;                    // [dimension] receives what is known of the gradient there
  double value;                        // of the iterate, to be set
  bool accepted;                       // to be set; true when iterate is called
  bool finished;                       // set it instead of everything else: nothing is left to do
  struct dc_optimizer_result *result;  // infeasible, failed, restarts are the optimizer's to count
  const double *best;                  // [point_size]
  bool is_best;                        // by dc_iteration_book
  struct dc_random *random;            // seeded by the problem
  uint64_t *draws;                     // number of the next draw
};

// A draw that no other has the number of.
struct dc_draw dc_iteration_draw(struct dc_iteration *iteration, double trust);
// Value and gradient (may be NULL) at x, counted, infeasible and failed ones too; what is not finite is DC_NUMERICAL, a
// point that is not DC_INFEASIBLE.
enum dc_status dc_iteration_evaluate(struct dc_iteration *iteration, const double *x, double *value, double *gradient,
                                     struct dc_error *error);
// Counts points that were asked about otherwise.
void dc_iteration_count(struct dc_iteration *iteration, int points);
// Books a finite value at x: whether it is the best.  The first one booked is that of the first guess.
bool dc_iteration_book(struct dc_iteration *iteration, const double *x, double value);

#endif
