// SPDX-License-Identifier: Apache-2.0
#include "optimize/optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/iteration.h"
#include "optimize/minimization.h"
#include "optimize/norm.h"

enum { HALVINGS_BEFORE_SLIDING = 2, MOST_TO_SLIDE = 32 };
static const double LEAST_SLIDE = 0.1;  // of the held coordinate's part of the step

const struct dc_optimizer_type *const dc_optimizer_types[] = {
    &dc_optimizer_adam,      &dc_optimizer_gradient_descent, &dc_lbfgs, &dc_gauss_newton, &dc_nlopt,
    &dc_levenberg_marquardt, &dc_normalized_descent,         &dc_cem,   &dc_mppi,         NULL};

bool dc_minimization_allocate(struct dc_minimization *minimization)
{
  size_t n = (size_t)minimization->problem->dimension, p = (size_t)dc_problem_point_size(minimization->problem);
  size_t bools = n / sizeof(double) + 1;
  double *next = dc_alloc(4 * p + 4 * n + bools, sizeof *next);
  if (!next)
    return false;
  minimization->memory = next;
  minimization->current = (struct dc_point){next, next + p, 0}, next += p + n;
  minimization->trial = (struct dc_point){next, next + p, 0}, next += p + n;
  minimization->best = next, next += p;
  minimization->kept = next, next += p;
  minimization->step = next, next += n;
  minimization->scaled = next, next += n;
  minimization->held = (bool *)next;
  return true;
}

void dc_minimization_release(struct dc_minimization *minimization)
{
  free(minimization->memory);
  free(minimization->state);
  free(minimization->before);
}

enum dc_status dc_minimization_reserve(struct dc_minimization *minimization, int iteration, struct dc_error *error)
{
  size_t count = minimization->type->state_size(minimization->options, minimization->problem, iteration);
  if (minimization->state && count <= minimization->state_count)
    return DC_OK;
  // growing by a number or two an iteration must not cost a copy each
  size_t room = minimization->state ? count + count / 2 : count, old = minimization->state_count;
  double *state = dc_alloc(room, sizeof *state), *before = dc_alloc(room, sizeof *before);
  if (!state || !before) {
    free(state);
    free(before);
    return dc_fail(error, DC_MEMORY, "out of memory for an optimizer of %d parameters",
                   minimization->problem->dimension);
  }
  if (old)
    memcpy(state, minimization->state, old * sizeof *state);
  free(minimization->state);
  free(minimization->before);
  minimization->state = state;
  minimization->before = before;
  minimization->state_count = room;
  return DC_OK;
}

// Moves the first guess into the bounds.
static void begin_at(struct dc_minimization *minimization, const double *x)
{
  const struct dc_problem *problem = minimization->problem;
  size_t bytes = (size_t)dc_problem_point_size(problem) * sizeof(double);
  if (!bytes)
    return;
  memcpy(minimization->current.x, x, bytes);
  for (int i = 0; i < problem->dimension && !problem->retract; i++) {
    double *moved = &minimization->current.x[i];
    *moved = problem->low && *moved < problem->low[i] ? problem->low[i] : *moved;
    *moved = problem->high && *moved > problem->high[i] ? problem->high[i] : *moved;
  }
  memcpy(minimization->best, minimization->current.x, bytes);
}

struct dc_minimization *dc_minimization_create(const struct dc_optimizer_type *type, const void *options,
                                               const struct dc_problem *problem, const double *x)
{
  struct dc_minimization *minimization = calloc(1, sizeof *minimization);
  if (!minimization)
    return NULL;
  *minimization = (struct dc_minimization){.type = type, .options = options, .problem = problem, .sliding = -1};
  // the state of an optimizer with `iterate` may be large: only once its problem is checked
  if (!dc_minimization_allocate(minimization) || (type->propose && dc_minimization_reserve(minimization, 0, NULL))) {
    dc_minimization_destroy(minimization);
    return NULL;
  }
  dc_random_seed(&minimization->random, problem->seed);
  minimization->draws = dc_random_bits(&minimization->random);
  begin_at(minimization, x);
  if (type->propose && type->start)
    type->start(options, problem, minimization->state);
  return minimization;
}

void dc_minimization_destroy(struct dc_minimization *minimization)
{
  if (!minimization)
    return;
  dc_minimization_release(minimization);
  free(minimization);
}

bool dc_minimization_begun(const struct dc_minimization *minimization)
{
  return minimization->begun;
}

const double *dc_minimization_best(const struct dc_minimization *minimization)
{
  return minimization->best;
}

const double *dc_minimization_current(const struct dc_minimization *minimization)
{
  return minimization->current.x;
}

const struct dc_optimizer_result *dc_minimization_result(const struct dc_minimization *minimization)
{
  return &minimization->result;
}

// Value and gradient at point->x.  What is not finite never reaches the optimizer: it counts as DC_NUMERICAL, and a
// point that overflowed as DC_INFEASIBLE.
static enum dc_status ask(const struct dc_problem *problem, struct dc_point *point, struct dc_error *error)
{
  if (!problem->evaluate)
    return dc_fail(error, DC_BAD_INPUT, "this problem has no gradient");
  if (!isfinite(norm_largest(point->x, dc_problem_point_size(problem))))
    return dc_fail(error, DC_INFEASIBLE, "the parameters are not finite");
  enum dc_status status = problem->evaluate(problem->context, point->x, &point->value, point->gradient, error);
  if (status)
    return status;
  if (!isfinite(point->value))
    return dc_fail(error, DC_NUMERICAL, "the value is %g", point->value);
  if (point->gradient && !isfinite(norm_largest(point->gradient, problem->dimension)))
    return dc_fail(error, DC_NUMERICAL, "the gradient is not finite");
  return DC_OK;
}

// The same, counted.
static enum dc_status evaluate(struct dc_minimization *minimization, struct dc_point *point, struct dc_error *error)
{
  enum dc_status status = ask(minimization->problem, point, error);
  minimization->result.evaluations += status == DC_OK || status == DC_INFEASIBLE || status == DC_NUMERICAL;
  return status;
}

// Books a value had at x in an iteration.
static bool book(struct dc_minimization *minimization, int iteration, const double *x, double value)
{
  struct dc_optimizer_result *result = &minimization->result;
  bool first = iteration == 0 && !minimization->begun, best = first || value < result->best_value;
  if (first)
    result->first_value = value;
  if (best) {
    result->best_value = value;
    result->best_iteration = iteration;
    memcpy(minimization->best, x, (size_t)dc_problem_point_size(minimization->problem) * sizeof *x);
  }
  return best;
}

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

// Books the current point.
static void accept(struct dc_minimization *minimization, struct dc_iterate *iterate)
{
  const struct dc_point *point = &minimization->current;
  bool best = book(minimization, minimization->result.iterations, point->x, point->value);
  minimization->begun = true;
  *iterate = describe(minimization, best, true);
}

// Evaluates the point that scale * step leads to, one coordinate held (-1: none), and makes it the current one.
static enum dc_status try_move(struct dc_minimization *minimization, double scale, int held, struct dc_error *error)
{
  struct dc_point *current = &minimization->current, *trial = &minimization->trial;
  for (int i = 0; i < minimization->problem->dimension; i++)
    minimization->scaled[i] = i == held ? 0 : scale * minimization->step[i];
  dc_problem_move(minimization->problem, current->x, minimization->scaled, trial->x);
  enum dc_status status = evaluate(minimization, trial, error);
  if (status)
    return status;
  struct dc_point swap = *current;
  *current = *trial;
  *trial = swap;
  minimization->failures = minimization->dropped = 0;
  return DC_OK;
}

// Whether the step with one coordinate held leaves a part worth taking.
static bool worth_holding(const struct dc_minimization *minimization, int held)
{
  double rest = 0;
  for (int i = 0; i < minimization->problem->dimension; i++)
    if (i != held)
      rest = fmax(rest, fabs(minimization->step[i]));
  return rest > 0 && rest >= LEAST_SLIDE * fabs(minimization->step[held]);
}

// Slides along infeasible parameters: the whole step with one coordinate held after the other, from held on.
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

// Tries the move that is due: the scaled step and, after two halvings, sliding.  DC_OK, DC_INFEASIBLE or DC_NUMERICAL end
// it; after another status the same move is still due.
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
  if (status == DC_OK || status == DC_INFEASIBLE || status == DC_NUMERICAL)
    minimization->sliding = -1;
  return status;
}

// Moves along the proposal until an evaluation succeeds and makes that point the current one.  DC_INFEASIBLE: no point
// along it was feasible.
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

// Asks the optimizer for a step, unless one is under way.
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

// Whether the gradient is zero but for what pushes against bounds.
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

// Whether it is over for any optimizer.
static bool used_up(const struct dc_minimization *minimization, double value)
{
  const struct dc_optimizer_common *common = minimization->options;
  return !(value > common->target) || minimization->result.iterations >= common->iterations;
}

static bool finished(struct dc_minimization *minimization)
{
  const struct dc_problem *problem = minimization->problem;
  return minimization->result.blocked || used_up(minimization, minimization->result.best_value) ||
         ((!problem->drawn || !problem->dimension) && stationary(minimization));
}

struct dc_draw dc_iteration_draw(struct dc_iteration *iteration, double trust)
{
  return (struct dc_draw){.number = (*iteration->draws)++, .trust = trust};
}

enum dc_status dc_iteration_evaluate(struct dc_iteration *iteration, const double *x, double *value, double *gradient,
                                     struct dc_error *error)
{
  struct dc_point point = {.x = (double *)x, .gradient = gradient};
  enum dc_status status = evaluate(iteration->owner, &point, error);
  iteration->result->infeasible += status == DC_INFEASIBLE;
  iteration->result->failed += status == DC_NUMERICAL;
  *value = point.value;
  return status;
}

void dc_iteration_count(struct dc_iteration *iteration, int points)
{
  iteration->result->evaluations += points;
}

bool dc_iteration_book(struct dc_iteration *iteration, const double *x, double value)
{
  struct dc_minimization *minimization = iteration->owner;
  bool best = book(minimization, iteration->number, x, value);
  iteration->is_best = iteration->is_best || best;
  minimization->begun = true;
  return best;
}

// Lets the optimizer do an iteration, or nothing at all.
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

// An iteration beside the proposals, if there is one to do: *told says so.
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

// The next iterate of an optimizer with `iterate`.
static enum dc_status next_whole(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                 struct dc_error *error)
{
  const struct dc_problem *problem = minimization->problem;
  const struct dc_optimizer_type *type = minimization->type;
  int number = minimization->begun ? minimization->result.iterations + 1 : 0;
  enum dc_status status = DC_OK;
  if (number && (used_up(minimization, minimization->result.best_value) || !problem->dimension)) {
    *done = true;
    return DC_OK;
  }
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
  if (*done)
    return DC_OK;
  minimization->result.iterations = number;
  minimization->current.value = iteration.value;
  *iterate = describe(minimization, iteration.is_best, iteration.accepted);
  return DC_OK;
}

// The next iterate of an optimizer with `propose`.
static enum dc_status next_proposed(struct dc_minimization *minimization, struct dc_iterate *iterate, bool *done,
                                    struct dc_error *error)
{
  if (!minimization->begun) {
    enum dc_status status = evaluate(minimization, &minimization->current, error);
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
    // the moments of the optimizer may still turn the next proposal away from the boundary
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

enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error)
{
  if (result)
    *result = (struct dc_optimizer_result){0};
  struct dc_minimization *minimization = dc_minimization_create(type, options, problem, x);
  if (!minimization)
    return dc_fail(error, DC_MEMORY, "out of memory for %d parameters", problem->dimension);
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
