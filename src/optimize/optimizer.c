// SPDX-License-Identifier: Apache-2.0
// The loop of all optimizers (dc_minimization_next).
//
// Optimizers with `propose`: ask for a step; try it, halved after infeasible or failed evaluations; after two halvings
// also slide, i.e. take the whole step with one coordinate held; accept the first point that has a value.  All of this
// is resumable between two evaluations, since a snapshot may be taken there.
//
// Optimizers with `iterate`: save the state, let the optimizer do one iteration, restore the state if it fails.
#include "optimize/optimizer.h"

#include <math.h>
#include <string.h>

#include "optimize/iteration.h"
#include "optimize/minimization.h"
#include "optimize/norm.h"

// Sliding costs up to one evaluation for each coordinate: few halvings come first, and beyond MOST_TO_SLIDE coordinates
// none slides.
enum { HALVINGS_BEFORE_SLIDING = 2, MOST_TO_SLIDE = 32 };
static const double LEAST_SLIDE = 0.1;  // least part of a step's length that the held coordinate must have

static struct dc_iterate describe(const struct dc_minimization *minimization, bool best, bool accepted)
{
  const struct dc_point *point = &minimization->current;
  return (struct dc_iterate){.iteration = minimization->result.iterations,
                             .evaluations = minimization->result.evaluations,
                             .value = point->value,
                             .best_value = minimization->result.best_value,
                             .gradient_norm = norm_euclidean(point->gradient, minimization->problem->dimension),
                             .best = best,
                             .accepted = accepted,
                             .backed_off = minimization->backed_off,
                             .x = point->x,
                             .gradient = point->gradient};
}

// Makes the current point the iterate and books it.
static void accept(struct dc_minimization *minimization, struct dc_iterate *iterate)
{
  const struct dc_point *point = &minimization->current;
  bool best = dc_minimization_book(minimization, minimization->result.iterations, point->x, point->value);
  minimization->begun = true;
  *iterate = describe(minimization, best, true);
}

// Evaluates the point at scale * step, with one coordinate held (-1: none), and makes it the current one.
static enum dc_status try_move(struct dc_minimization *minimization, double scale, int held, struct dc_error *error)
{
  struct dc_point *current = &minimization->current, *trial = &minimization->trial;
  for (int i = 0; i < minimization->problem->dimension; i++)
    minimization->scaled[i] = i == held ? 0 : scale * minimization->step[i];
  dc_problem_move(minimization->problem, current->x, minimization->scaled, trial->x);
  enum dc_status status = dc_minimization_evaluate(minimization, trial, error);
  if (status)
    return status;
  struct dc_point swap = *current;
  *current = *trial;
  *trial = swap;
  minimization->failures = minimization->dropped = 0;
  return DC_OK;
}

// Whether holding a coordinate changes the step enough to be tried.
static bool worth_holding(const struct dc_minimization *minimization, int held)
{
  double rest = 0;
  for (int i = 0; i < minimization->problem->dimension; i++)
    if (i != held)
      rest = fmax(rest, fabs(minimization->step[i]));
  return rest > 0 && rest >= LEAST_SLIDE * fabs(minimization->step[held]);
}

// Slides along infeasible parameters: tries the whole step with one coordinate held after the other, from `sliding`
// on, where an interrupted slide continues.  The first point with a value is taken, not the best, since each costs an
// evaluation.
static enum dc_status slide(struct dc_minimization *minimization, struct dc_error *error)
{
  enum dc_status status = DC_INFEASIBLE;
  for (; minimization->sliding < minimization->problem->dimension; minimization->sliding++) {
    if (worth_holding(minimization, minimization->sliding))
      status = try_move(minimization, 1, minimization->sliding, error);
    if (status != DC_INFEASIBLE)
      break;
  }
  return status;
}

// Tries what is next: the scaled step, then, after two halvings, sliding.  DC_OK, DC_INFEASIBLE and DC_NUMERICAL finish
// a trial; after any other status the same trial is still due.
static enum dc_status try_due(struct dc_minimization *minimization, struct dc_error *error)
{
  enum dc_status status = DC_INFEASIBLE;
  if (minimization->sliding < 0) {
    status = try_move(minimization, minimization->scale, -1, error);
    if (status == DC_INFEASIBLE && minimization->backed_off == HALVINGS_BEFORE_SLIDING &&
        minimization->problem->dimension <= MOST_TO_SLIDE)
      minimization->sliding = 0;
  }
  if (minimization->sliding >= 0)
    status = slide(minimization, error);
  if (status == DC_OK || dc_point_has_no_value(status))
    minimization->sliding = -1;
  return status;
}

// Moves along the proposal until an evaluation succeeds, and makes that point the current one.  Every trial without a
// value halves the scale.  Infeasible ones count against DC_MOST_HALVINGS of this proposal, failed ones against
// DC_MOST_FAILURES in a row over all proposals.  DC_INFEASIBLE: no point along it was feasible.
static enum dc_status move(struct dc_minimization *minimization, struct dc_error *error)
{
  for (;;) {
    enum dc_status status = try_due(minimization, error);
    if (status == DC_NUMERICAL) {
      minimization->result.failed++;
      if (++minimization->failures == DC_MOST_FAILURES) {
        dc_error_prefix(error, "%d evaluations failed in a row", DC_MOST_FAILURES);
        return status;
      }
    } else if (status == DC_INFEASIBLE) {
      if (minimization->backed_off == 0)
        minimization->result.infeasible++;
      if (minimization->backed_off == DC_MOST_HALVINGS)
        return status;
      minimization->backed_off++;
    } else {
      return status;
    }
    minimization->scale *= 0.5;
  }
}

// Asks the optimizer for a step, unless one is unfinished.
static void propose(struct dc_minimization *minimization)
{
  if (minimization->proposed)
    return;
  const struct dc_point *current = &minimization->current;
  minimization->type->propose(minimization->options, minimization->problem, minimization->state, current->x,
                              current->value, current->gradient, minimization->step);
  minimization->proposed = true;
  minimization->scale = 1;
  minimization->backed_off = 0;
}

// Whether the gradient is zero in all coordinates that are not held by bounds.
static bool stationary(struct dc_minimization *minimization)
{
  const struct dc_problem *problem = minimization->problem;
  const struct dc_point *current = &minimization->current;
  double largest = norm_largest(current->gradient, problem->dimension);
  if (largest > 0 && dc_problem_hold(problem, current->x, current->gradient, minimization->held)) {
    largest = 0;
    for (int i = 0; i < problem->dimension; i++)
      largest = fmax(largest, minimization->held[i] ? 0 : fabs(current->gradient[i]));
  }
  return !(largest > 0);
}

// Whether the target is met or the iterations are used up.
static enum dc_optimizer_end used_up(const struct dc_minimization *minimization)
{
  const struct dc_optimizer_common *common = minimization->options;
  if (!(minimization->result.best_value > common->target))
    return DC_END_TARGET;
  return minimization->result.iterations >= common->iterations ? DC_END_ITERATIONS : DC_END_NONE;
}

// Why the minimization ends, if it does.  A gradient estimated from draws is never taken for zero.
static bool finished(struct dc_minimization *minimization)
{
  const struct dc_problem *problem = minimization->problem;
  struct dc_optimizer_result *result = &minimization->result;
  result->end = used_up(minimization);
  if (!result->end && result->blocked)
    result->end = DC_END_BLOCKED;
  if (!result->end && (!problem->drawn || !problem->dimension) && stationary(minimization))
    result->end = DC_END_STATIONARY;
  return result->end != DC_END_NONE;
}

// Lets the optimizer do one iteration completely or not at all: before it begins, the state, the point with its
// gradient and the best point are copied, and put back after a failure or a stop.  Then the same iteration can be
// repeated, as after resuming from a checkpoint.
static enum dc_status iterate_whole(struct dc_minimization *minimization, struct dc_iteration *iteration,
                                    struct dc_error *error)
{
  size_t points = (size_t)dc_problem_point_size(minimization->problem) * sizeof(double);
  size_t states = minimization->state_count * sizeof(double);
  struct dc_minimization old = *minimization;
  memcpy(minimization->before, minimization->state, states);
  memcpy(minimization->trial.x, minimization->current.x, points);
  memcpy(minimization->kept, minimization->best, points);
  memcpy(minimization->trial.gradient, minimization->current.gradient,
         (size_t)minimization->problem->dimension * sizeof(double));
  enum dc_status status = minimization->type->iterate(minimization->options, iteration, error);
  if (!status)
    return DC_OK;
  *minimization = old;
  memcpy(minimization->state, minimization->before, states);
  memcpy(minimization->current.x, minimization->trial.x, points);
  memcpy(minimization->best, minimization->kept, points);
  memcpy(minimization->current.gradient, minimization->trial.gradient,
         (size_t)minimization->problem->dimension * sizeof(double));
  return status;
}

static struct dc_iteration open_iteration(struct dc_minimization *minimization, struct dc_point *point, int number)
{
  return (struct dc_iteration){.problem = minimization->problem,
                               .owner = minimization,
                               .number = number,
                               .state = minimization->state,
                               .x = point->x,
                               .gradient = point->gradient,
                               .value = point->value,
                               .accepted = true,
                               .result = &minimization->result,
                               .best = minimization->best,
                               .random = &minimization->random,
                               .draws = &minimization->draws};
}

// Lets the optimizer do an iteration between proposals (`aside`); *told: there is an iterate to report.  The
// optimizer's current point stays: the iterate lives in the trial point.  A failure puts back state and best point,
// as above.
static enum dc_status step_aside(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *told,
                                 struct dc_error *error)
{
  size_t states = minimization->state_count * sizeof(double);
  size_t points = (size_t)dc_problem_point_size(minimization->problem) * sizeof(double);
  struct dc_minimization old = *minimization;
  struct dc_iteration iteration =
      open_iteration(minimization, &minimization->trial, minimization->result.iterations + 1);
  memcpy(minimization->before, minimization->state, states);
  memcpy(minimization->kept, minimization->best, points);
  enum dc_status status = minimization->type->aside(minimization->options, &iteration, error);
  if (status) {
    *minimization = old;
    memcpy(minimization->state, minimization->before, states);
    memcpy(minimization->best, minimization->kept, points);
    return status;
  }
  *told = !iteration.finished;
  if (!*told)
    return DC_OK;
  minimization->result.iterations = iteration.number;
  *iterate = describe(minimization, iteration.is_best, iteration.accepted);
  iterate->value = iteration.value;
  iterate->x = iteration.x;
  iterate->gradient = iteration.gradient;
  iterate->gradient_norm = norm_euclidean(iteration.gradient, minimization->problem->dimension);
  return DC_OK;
}

// Computes the next iterate of an optimizer with `iterate`.
//
// 1. End, if the target is met, iterations are used up, or nothing can move.
// 2. Before the first: check the problem, then make and start the state, whose size is that of this iteration.
// 3. One whole iteration; its number counts only when it has an iterate to report.
static enum dc_status next_whole(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                 struct dc_error *error)
{
  const struct dc_problem *problem = minimization->problem;
  const struct dc_optimizer_type *type = minimization->type;
  int number = minimization->begun ? minimization->result.iterations + 1 : 0;
  enum dc_status status = DC_OK;
  minimization->result.end = number ? used_up(minimization) : DC_END_NONE;
  if (number && !minimization->result.end && !problem->dimension)
    minimization->result.end = DC_END_STATIONARY;
  *done = minimization->result.end != DC_END_NONE;
  if (*done)
    return DC_OK;
  bool fresh = !minimization->state;
  if (!number && type->check)
    status = type->check(minimization->options, problem, error);
  if (!status)
    status = dc_minimization_reserve(minimization, number, error);
  if (status)
    return status;
  if (fresh && type->start)
    type->start(minimization->options, problem, minimization->state);
  struct dc_iteration iteration = open_iteration(minimization, &minimization->current, number);
  status = iterate_whole(minimization, &iteration, error);
  if (status)
    return status;
  *done = iteration.finished;
  if (*done) {
    minimization->result.end = DC_END_NO_STEP;
    return DC_OK;
  }
  minimization->result.iterations = number;
  minimization->current.value = iteration.value;
  *iterate = describe(minimization, iteration.is_best, iteration.accepted);
  return DC_OK;
}

// Computes the next iterate of an optimizer with `propose`. The first call evaluates the first guess.  A proposal
// along which nothing was feasible is dropped; DC_MOST_FAILURES of them in a row end the minimization as blocked.
static enum dc_status next_proposed(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error)
{
  if (!minimization->begun) {
    enum dc_status status = dc_minimization_evaluate(minimization, &minimization->current, error);
    minimization->result.failed += status == DC_NUMERICAL;
    if (status)
      return status;
    accept(minimization, iterate);
    return DC_OK;
  }
  if (minimization->failures >= DC_MOST_FAILURES)
    return dc_fail(error, DC_NUMERICAL, "%d evaluations failed in a row", DC_MOST_FAILURES);
  while (!finished(minimization)) {
    bool told = false;
    enum dc_status status = DC_OK;
    if (minimization->type->aside && !minimization->proposed)
      status = step_aside(minimization, iterate, &told, error);
    if (status || told)
      return status;
    propose(minimization);
    status = move(minimization, error);
    if (status && status != DC_INFEASIBLE)
      return status;
    minimization->proposed = false;
    if (!status) {
      minimization->result.iterations++;
      accept(minimization, iterate);
      return DC_OK;
    }
    // The optimizer's moments may still turn the next proposal away from the boundary.
    minimization->result.blocked = ++minimization->dropped == DC_MOST_FAILURES;
  }
  *done = true;
  return DC_OK;
}

enum dc_status dc_minimization_next(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error)
{
  *done = false;
  return minimization->type->propose ? next_proposed(minimization, iterate, done, error)
                                     : next_whole(minimization, iterate, done, error);
}

// Minimizes in one call: iterates until done or stopped by the observer; x becomes the best point.
enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error)
{
  if (result)
    *result = (struct dc_optimizer_result){0};
  struct dc_minimization *minimization = dc_minimization_create(type, options, problem, x);
  if (!minimization)
    return dc_out_of_memory_for(error, "%d parameters", problem->dimension);
  struct dc_iterate iterate;
  bool done = false;
  enum dc_status status = DC_OK;
  while (!status && !done) {
    status = dc_minimization_next(minimization, &iterate, &done, error);
    if (!status && !done && observer && !observer(observer_context, &iterate))
      status = dc_fail(error, DC_STOPPED, "stopped after %d iterations", iterate.iteration);
  }
  if (dc_problem_point_size(problem))
    memcpy(x, minimization->best, (size_t)dc_problem_point_size(problem) * sizeof(double));
  if (result)
    *result = minimization->result;
  dc_minimization_destroy(minimization);
  return status;
}
