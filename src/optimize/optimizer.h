// SPDX-License-Identifier: Apache-2.0
// Optimizers: they know a function and its gradient, nothing of physics.
#ifndef DC_OPTIMIZE_OPTIMIZER_H
#define DC_OPTIMIZE_OPTIMIZER_H

#include <stdbool.h>

#include "base/options.h"
#include "base/snapshot.h"

// A function to be minimized.
struct dc_problem {
  int dimension;
  void *context;
  // Value and gradient [dimension] at x [dimension].  DC_OK; DC_INFEASIBLE: nothing can be said at x, try nearer;
  // DC_NUMERICAL: the value or gradient could not be had; DC_STOPPED and every other status end the optimization.
  // Never returns DC_OK with a non-finite number.
  enum dc_status (*evaluate)(void *context, const double *x, double *value, double *gradient, struct dc_error *error);
  // [dimension] index below group_count of the group that a parameter belongs to: parameters of one group have one unit
  // and may share their scale.  NULL: each for itself.
  const int *group;
  int group_count;
  // Bounds of x [dimension], which may be infinite: nothing is evaluated outside.  NULL: none.
  const double *low, *high;
  // The gradient is estimated from random numbers, others every time: that one estimate is zero does not end the
  // minimization.
  bool drawn;
};

struct dc_iterate {
  int iteration;                // 0 is the first guess
  double value, gradient_norm;  // Euclidean
  bool best;                    // lower than every value before
  int backed_off;               // halvings that the infeasible proposal before it needed
  const double *x, *gradient;
};

// Called after every successful evaluation; returns false to stop.
typedef bool dc_observer(void *context, const struct dc_iterate *iterate);

struct dc_optimizer_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  // State of the optimizer, so that a snapshot can hold it: state_size(options, problem) doubles.
  int (*state_size)(const void *options, const struct dc_problem *problem);
  void (*start)(const void *options, const struct dc_problem *problem, double *state);
  // The step [dimension] that the optimizer proposes at x with this gradient; updates state.  The minimization shortens
  // it after failures.
  void (*propose)(const void *options, const struct dc_problem *problem, double *state, const double *x, double value,
                  const double *gradient, double *step);
};
extern const struct dc_optimizer_type dc_optimizer_adam, dc_optimizer_gradient_descent;
extern const struct dc_optimizer_type *const dc_optimizer_types[];  // NULL-terminated: "adam", "gradient_descent"

// Options that every optimizer's structure begins with.
struct dc_optimizer_common {
  double learning_rate;
  long iterations;  // evaluations after the first guess
  double target;    // stop when the value is <= target (default 0)
};

struct dc_optimizer_result {
  int iterations;  // evaluations that succeeded, after the first guess
  double first_value, best_value;
  int best_iteration;
  int infeasible;  // proposals that were backed off
  int failed;      // evaluations with DC_NUMERICAL
  bool blocked;    // ended against infeasible parameters: five proposals in a row had no feasible point
};

// A minimization under way, one iteration at a time.  An infeasible proposal is halved up to 20 times towards the last
// feasible point; on the way, with at most 32 parameters, the whole step is tried with one parameter held, to slide along
// what is infeasible; then it is dropped for a new one.  A DC_NUMERICAL evaluation (or one that is not finite) skips the
// update and halves the step.
struct dc_minimization;

// Begins at x [dimension], which is copied; nothing is evaluated yet.  problem, options and the group array must live as
// long.  NULL: out of memory.
struct dc_minimization *dc_minimization_create(const struct dc_optimizer_type *type, const void *options,
                                               const struct dc_problem *problem, const double *x);
void dc_minimization_destroy(struct dc_minimization *minimization);

// The next successful evaluation: the first guess, then one iterate after the other.  *done (nothing was evaluated): the
// iterations are used up, the value is <= target, the gradient is exactly zero, or five proposals in a row had no
// feasible point (blocked).  DC_NUMERICAL after five failed evaluations in a row, or when the first guess fails;
// DC_INFEASIBLE when the first guess is infeasible.  Other statuses of the problem are passed on, and a further call
// repeats the evaluation that they came from.  *iterate points into the minimization and is valid until the next call.
enum dc_status dc_minimization_next(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error);
// Whether the first guess has been evaluated.
bool dc_minimization_begun(const struct dc_minimization *minimization);
const double *dc_minimization_best(const struct dc_minimization *minimization);     // [dimension]
const double *dc_minimization_current(const struct dc_minimization *minimization);  // [dimension]
const struct dc_optimizer_result *dc_minimization_result(const struct dc_minimization *minimization);

// Everything that the next iterations depend on, between any two calls of next, under names "prefix/…"; a minimization of
// the same type, options and problem that loads it goes on bit for bit.  Saving: DC_OK, DC_MEMORY, or DC_USAGE when the
// names are taken.  Loading: DC_CHECKPOINT when it is not such a minimization's (the minimization is then as before).
enum dc_status dc_minimization_save(const struct dc_minimization *minimization, const char *prefix,
                                    struct dc_snapshot *snapshot);
enum dc_status dc_minimization_load(struct dc_minimization *minimization, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error);

// All of it: minimizes from x [dimension], which receives the best iterate whatever is returned.  DC_STOPPED when the
// observer stopped it; other statuses as above.
enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error);

#endif
