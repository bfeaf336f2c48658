// SPDX-License-Identifier: Apache-2.0
// Optimizers and the loop that runs them.
#ifndef DC_OPTIMIZE_OPTIMIZER_H
#define DC_OPTIMIZE_OPTIMIZER_H

#include <stdbool.h>

#include "base/options.h"
#include "base/snapshot.h"
#include "optimize/problem.h"

struct dc_iterate {
  int iteration;  // 0 is the first guess
  double value;
  double gradient_norm;    // Euclidean, where the gradient (or a direction of descent) was had last
  bool best;               // lower than every value before
  int backed_off;          // halvings that the infeasible proposal before it needed
  const double *x;         // [point_size]
  const double *gradient;  // [dimension]; of optimizers with `iterate`: as they have it
  int evaluations;         // points asked about so far, those without an answer included
  double best_value;
  bool accepted;  // the next step begins here; always so of proposals
};

// Called after every successful evaluation; returns false to stop.
typedef bool dc_observer(void *context, const struct dc_iterate *iterate);

struct dc_iteration;

// An optimizer has `propose` or `iterate`.  All that it remembers is in its state, so that a snapshot can hold it.
struct dc_optimizer_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  bool manifold;  // made for problems whose points are moved by retract; the others are made for vectors
  bool one_path;  // every iterate is one step from the one before and none is taken back: the last is a result, too
  // What the problem must have beside a value and a gradient.  DC_BAD_INPUT or DC_MEMORY with a reason.  NULL: nothing.
  enum dc_status (*check)(const void *options, const struct dc_problem *problem, struct dc_error *error);
  // Numbers of the state before iteration `iteration` >= 0; never fewer than for the one before it.  New ones are zero.
  size_t (*state_size)(const void *options, const struct dc_problem *problem, int iteration);
  // Sets the state; NULL: zeros.
  void (*start)(const void *options, const struct dc_problem *problem, double *state);
  // The step [dimension] that the optimizer proposes at x with this gradient; updates state.  The minimization shortens
  // it after failures.
  void (*propose)(const void *options, const struct dc_problem *problem, double *state, const double *x, double value,
                  const double *gradient, double *step);
  // May do an iteration from another point (iteration.h) before a proposal, which knows nothing of it; or sets
  // iteration->finished.  Errors as of iterate.  NULL: never.
  enum dc_status (*aside)(const void *options, struct dc_iteration *iteration, struct dc_error *error);
  // A whole iteration, for optimizers that reject points or ask for more than a gradient (iteration.h).  An error that
  // it returns ends the call as if it had not been: state, point and counts are then as before, and a further call
  // repeats the iteration.
  enum dc_status (*iterate)(const void *options, struct dc_iteration *iteration, struct dc_error *error);
};
extern const struct dc_optimizer_type dc_optimizer_adam, dc_optimizer_gradient_descent, dc_lbfgs, dc_gauss_newton,
    dc_nlopt, dc_levenberg_marquardt, dc_normalized_descent, dc_cem, dc_mppi;
extern const struct dc_optimizer_type *const dc_optimizer_types[];  // NULL-terminated

// Options that every optimizer's structure begins with.
struct dc_optimizer_common {
  long iterations;  // after the first guess
  double target;    // stop when the value is <= target
};

// Options that every structure of a first-order method begins with.
struct dc_first_order_options {
  struct dc_optimizer_common common;
  double learning_rate;
};

// Why a minimization is done.
enum dc_optimizer_end {
  DC_END_NONE,        // it is not
  DC_END_TARGET,      // the value is <= target
  DC_END_ITERATIONS,  // they are used up
  DC_END_STATIONARY,  // the gradient is zero but for what pushes against bounds
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
  int evaluations;  // points asked about, those without an answer included
  int restarts;
  enum dc_optimizer_end end;
};

// A minimization under way, one iteration at a time.  An infeasible proposal is halved up to 20 times towards the last
// feasible point; on the way, with at most 32 parameters, the whole step is tried with one parameter held, to slide
// along what is infeasible; then it is dropped for a new one.  A DC_NUMERICAL evaluation (or one that is not finite)
// skips the update and halves the step.
struct dc_minimization;

// Begins at x [point_size], which is copied and moved into the bounds; nothing is evaluated yet.  problem, options and
// the arrays of both must live as long.  NULL: out of memory.
struct dc_minimization *dc_minimization_create(const struct dc_optimizer_type *type, const void *options,
                                               const struct dc_problem *problem, const double *x);
void dc_minimization_destroy(struct dc_minimization *minimization);

// The next iterate: the first guess, then one after the other.  *done (nothing was evaluated): the iterations are used
// up, the value is <= target, the gradient is exactly zero but for what pushes against bounds, five proposals in a row
// had no feasible point (blocked), or the optimizer is at its end.  DC_NUMERICAL after five failed evaluations in a
// row, or when the first guess fails; DC_INFEASIBLE when the first guess is infeasible; DC_BAD_INPUT and DC_MEMORY
// where the optimizer cannot do with the problem.  Other statuses of the problem are passed on, and a further call
// repeats the evaluation (or the iteration, of an optimizer with `iterate`) that they came from.  *iterate points into
// the minimization and is valid until the next call.
enum dc_status dc_minimization_next(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error);
// Whether the first guess has been evaluated.
bool dc_minimization_begun(const struct dc_minimization *minimization);
const double *dc_minimization_best(const struct dc_minimization *minimization);     // [point_size]
const double *dc_minimization_current(const struct dc_minimization *minimization);  // [point_size]
const struct dc_optimizer_result *dc_minimization_result(const struct dc_minimization *minimization);

// Everything that the next iterations depend on, between any two calls of next, under names "prefix/…"; a minimization
// of the same type, options and problem that loads it goes on bit for bit.  Saving: DC_OK, DC_MEMORY, or DC_USAGE when
// the names are taken.  Loading: DC_CHECKPOINT when it is not such a minimization's (the minimization is then as
// before).
enum dc_status dc_minimization_save(const struct dc_minimization *minimization, const char *prefix,
                                    struct dc_snapshot *snapshot);
enum dc_status dc_minimization_load(struct dc_minimization *minimization, const char *prefix,
                                    const struct dc_snapshot *snapshot, struct dc_error *error);

// All of it: minimizes from x [point_size], which receives the best iterate whatever is returned.  DC_STOPPED when the
// observer (may be NULL) stopped it; other statuses as above.  result may be NULL.
enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error);

#endif
