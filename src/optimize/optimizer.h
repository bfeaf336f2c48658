// SPDX-License-Identifier: Apache-2.0
// Optimizers, their registry, and the minimization that runs them.
#ifndef DC_OPTIMIZE_OPTIMIZER_H
#define DC_OPTIMIZE_OPTIMIZER_H

#include <stdbool.h>

#include "base/options.h"
#include "base/snapshot.h"
#include "optimize/problem.h"

struct dc_iterate {
  int iteration;  // 0 is the first guess
  double value;
  double gradient_norm;    // Euclidean norm, where a gradient (or direction of descent) was computed last
  bool best;               // lower than every value before
  int backed_off;          // halvings of the proposal because of infeasible points
  const double *x;         // [point_size]
  const double *gradient;  // [dimension]; from optimizers with `iterate`: the gradient as they know it
  int evaluations;         // points evaluated so far, including those without a value
  double best_value;
  bool accepted;  // the next step starts here; always true for proposals
};

// Called after every successful evaluation; returns false to stop.
typedef bool dc_observer(void *context, const struct dc_iterate *iterate);

struct dc_iteration;

// An optimizer has `propose` or `iterate`.  All its memory is in its state, so that a snapshot can hold it.
struct dc_optimizer_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  bool manifold;  // supports problems whose points are moved by retract; other optimizers need vectors
  bool one_path;  // iterates form one path of steps, none is taken back: the last one is a result, too
  // Checks that the problem offers more than value and gradient where needed: DC_BAD_INPUT or DC_MEMORY with a reason.
  // NULL: no needs.
  enum dc_status (*check)(const void *options, const struct dc_problem *problem, struct dc_error *error);
  // Size of the state before iteration `iteration` >= 0; it never shrinks.  New numbers are zero.
  size_t (*state_size)(const void *options, const struct dc_problem *problem, int iteration);
  // Initializes the state; NULL: zeros.
  void (*start)(const void *options, const struct dc_problem *problem, double *state);
  // Proposes a step [dimension] from x with this gradient; updates state.  The minimization shortens the step after
  // failures.
  void (*propose)(const void *options, const struct dc_problem *problem, double *state, const double *x, double value,
                  const double *gradient, double *step);
  // May do an iteration from another point (iteration.h) before a proposal, without effect on it; or sets
  // iteration->finished.  Errors as for iterate.  NULL: never.
  enum dc_status (*aside)(const void *options, struct dc_iteration *iteration, struct dc_error *error);
  // Does a whole iteration, for optimizers that reject points or need more than a gradient (iteration.h).  An error
  // undoes the call: state, point and counts stay as before, and another call repeats the iteration.
  enum dc_status (*iterate)(const void *options, struct dc_iteration *iteration, struct dc_error *error);
};
extern const struct dc_optimizer_type dc_optimizer_adam, dc_optimizer_gradient_descent, dc_lbfgs, dc_gauss_newton,
    dc_nlopt, dc_levenberg_marquardt, dc_normalized_descent, dc_cem, dc_mppi;
extern const struct dc_optimizer_type *const dc_optimizer_types[];  // NULL-terminated

// The common first member of every optimizer's options.
struct dc_optimizer_common {
  long iterations;  // iterations after the first guess
  double target;    // stop when the value is <= target
};

// The common first member of first-order methods' options.
struct dc_first_order_options {
  struct dc_optimizer_common common;
  double learning_rate;
};

// Why a minimization is done.
enum dc_optimizer_end {
  DC_END_NONE,        // not done
  DC_END_TARGET,      // the value is <= target
  DC_END_ITERATIONS,  // all iterations are done
  DC_END_STATIONARY,  // the gradient is zero except where bounds hold
  DC_END_BLOCKED,     // five proposals in a row had no feasible point
  DC_END_NO_STEP      // the optimizer has no step left to take
};

struct dc_optimizer_result {
  int iterations;  // iterates after the first guess
  double first_value, best_value;
  int best_iteration;
  int infeasible;   // proposals that were backed off
  int failed;       // evaluations with DC_NUMERICAL
  bool blocked;     // ended against infeasible parameters: five proposals in a row had no feasible point
  int evaluations;  // points evaluated, including those without a value
  int restarts;
  enum dc_optimizer_end end;
};

// A minimization, one iteration at a time.  An infeasible proposal is halved up to 20 times towards the last feasible
// point.  On the way, with at most 32 parameters, the whole step is tried with one parameter held, to slide along the
// infeasible region; then the proposal is dropped.  A DC_NUMERICAL or non-finite evaluation skips the update and halves
// the step.
struct dc_minimization;

// Creates a minimization from x [point_size], which is copied and moved into the bounds; nothing is evaluated yet.
// problem, options and their arrays must outlive it.  NULL: out of memory.
struct dc_minimization *dc_minimization_create(const struct dc_optimizer_type *type, const void *options,
                                               const struct dc_problem *problem, const double *x);
void dc_minimization_destroy(struct dc_minimization *minimization);

// Computes the next iterate, first that of the first guess.  *done (nothing was evaluated): iterations are used up, the
// target is met, the gradient is zero except where bounds hold, five proposals in a row had no feasible point
// (blocked), or the optimizer has no step left. DC_NUMERICAL after five failed evaluations in a row, or when the first
// guess fails; DC_INFEASIBLE when the first guess is infeasible; DC_BAD_INPUT and DC_MEMORY when the optimizer does not
// fit the problem.  Other statuses of the problem are passed on, and another call repeats the evaluation (or the
// iteration, for `iterate`).  *iterate points into the minimization and is valid until the next call.
enum dc_status dc_minimization_next(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error);
// Whether the first guess has been evaluated.
bool dc_minimization_begun(const struct dc_minimization *minimization);
const double *dc_minimization_best(const struct dc_minimization *minimization);     // [point_size]
const double *dc_minimization_current(const struct dc_minimization *minimization);  // [point_size]
const struct dc_optimizer_result *dc_minimization_result(const struct dc_minimization *minimization);

// Save and load everything that further iterations depend on, between two calls of next, under names "prefix/…".  A
// minimization of the same type, options and problem that loads it continues bit for bit.  Saving: DC_OK, DC_MEMORY, or
// DC_USAGE when the names are taken.  Loading: DC_CHECKPOINT when the snapshot is not of such a minimization, which is
// then as before.
enum dc_status dc_minimization_save(const struct dc_minimization *minimization, const char *prefix,
                                    struct dc_snapshot *snapshot);
enum dc_status dc_minimization_load(struct dc_minimization *minimization, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error);

// Runs a whole minimization from x [point_size], which receives the best iterate whatever is returned.  DC_STOPPED when
// the observer (may be NULL) stopped it; other statuses as above.  result may be NULL.
enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error);

#endif
