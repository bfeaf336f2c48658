// SPDX-License-Identifier: Apache-2.0
#include "optimize/optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/norm.h"

enum { MOST_HALVINGS = 20, MOST_FAILURES = 5, HALVINGS_BEFORE_SLIDING = 2, MOST_TO_SLIDE = 32 };
static const double LEAST_SLIDE = 0.1;  // of the held coordinate's part of the step

const struct dc_optimizer_type *const dc_optimizer_types[] = {&dc_optimizer_adam, &dc_optimizer_gradient_descent, NULL};

const struct dc_optimizer_type *dc_optimizer_find(const char *name)
{
  for (int i = 0; dc_optimizer_types[i]; i++)
    if (strcmp(dc_optimizer_types[i]->name, name) == 0)
      return dc_optimizer_types[i];
  return NULL;
}

// One point with its value and gradient.
struct point {
  double *x, *gradient;  // [dimension]
  double value;
};

// The state of one minimization.  All arrays are parts of memory.
struct search {
  const struct dc_problem *problem;
  struct dc_optimizer_result *result;
  struct point current, trial;
  double *step, *best, *state;
  double *memory;
  int failures;    // evaluations with DC_NUMERICAL since the last success
  int dropped;     // proposals without a feasible point since the last success
  int backed_off;  // infeasible halvings of the last proposal
};

static enum dc_status allocate(struct search *search, const struct dc_optimizer_type *type, const void *options,
                               struct dc_error *error)
{
  size_t n = (size_t)search->problem->dimension;
  size_t state = (size_t)type->state_size(options, search->problem->dimension);
  search->memory = dc_alloc(6 * n + state, sizeof(double));
  if (!search->memory)
    return dc_fail(error, DC_MEMORY, "out of memory for %d parameters", search->problem->dimension);
  search->current = (struct point){search->memory, search->memory + n, 0};
  search->trial = (struct point){search->memory + 2 * n, search->memory + 3 * n, 0};
  search->step = search->memory + 4 * n;
  search->best = search->memory + 5 * n;
  search->state = search->memory + 6 * n;
  return DC_OK;
}

// Value and gradient at point->x.  What is not finite never reaches the optimizer: it counts as DC_NUMERICAL, and a
// point that overflowed as DC_INFEASIBLE.
static enum dc_status evaluate(const struct dc_problem *problem, struct point *point, struct dc_error *error)
{
  if (!isfinite(norm_largest(point->x, problem->dimension)))
    return dc_fail(error, DC_INFEASIBLE, "the parameters are not finite");
  enum dc_status status = problem->evaluate(problem->context, point->x, &point->value, point->gradient, error);
  if (status)
    return status;
  if (!isfinite(point->value))
    return dc_fail(error, DC_NUMERICAL, "the value is %g", point->value);
  if (!isfinite(norm_largest(point->gradient, problem->dimension)))
    return dc_fail(error, DC_NUMERICAL, "the gradient is not finite");
  return DC_OK;
}

// Books a successful evaluation of the current point: best so far, observer.
static enum dc_status accept(struct search *search, dc_observer *observer, void *context, struct dc_error *error)
{
  struct dc_optimizer_result *result = search->result;
  const struct point *point = &search->current;
  int n = search->problem->dimension;
  bool first = result->iterations == 0, best = first || point->value < result->best_value;
  if (first)
    result->first_value = point->value;
  if (best) {
    result->best_value = point->value;
    result->best_iteration = result->iterations;
    memcpy(search->best, point->x, (size_t)n * sizeof(double));
  }
  struct dc_iterate iterate = {.iteration = result->iterations,
                               .value = point->value,
                               .gradient_norm = norm_euclidean(point->gradient, n),
                               .best = best,
                               .backed_off = search->backed_off,
                               .x = point->x,
                               .gradient = point->gradient};
  if (observer && !observer(context, &iterate))
    return dc_fail(error, DC_STOPPED, "stopped after %d iterations", result->iterations);
  return DC_OK;
}

// Evaluates the point that scale * step leads to, one coordinate held (-1: none), and makes it the current one.
static enum dc_status try_move(struct search *search, double scale, int held, struct dc_error *error)
{
  for (int i = 0; i < search->problem->dimension; i++)
    search->trial.x[i] = search->current.x[i] + (i == held ? 0 : scale * search->step[i]);
  enum dc_status status = evaluate(search->problem, &search->trial, error);
  if (status)
    return status;
  struct point swap = search->current;
  search->current = search->trial;
  search->trial = swap;
  search->failures = search->dropped = 0;
  return DC_OK;
}

// Slides along infeasible parameters: the whole step with one coordinate held, where that leaves a part worth taking.
static enum dc_status slide(struct search *search, struct dc_error *error)
{
  enum dc_status status = DC_INFEASIBLE;
  for (int held = 0; held < search->problem->dimension && status == DC_INFEASIBLE; held++) {
    double rest = 0;
    for (int i = 0; i < search->problem->dimension; i++)
      if (i != held)
        rest = fmax(rest, fabs(search->step[i]));
    if (rest > 0 && rest >= LEAST_SLIDE * fabs(search->step[held]))
      status = try_move(search, 1, held, error);
  }
  return status;
}

// Moves along step until an evaluation succeeds and makes that point the current one.  DC_INFEASIBLE: no point along
// it was feasible.
static enum dc_status move(struct search *search, struct dc_error *error)
{
  double scale = 1;
  search->backed_off = 0;
  for (;;) {
    enum dc_status status = try_move(search, scale, -1, error);
    if (status == DC_INFEASIBLE && search->backed_off == HALVINGS_BEFORE_SLIDING && search->problem->dimension <= MOST_TO_SLIDE)
      status = slide(search, error);
    if (!status)
      return DC_OK;
    if (status == DC_NUMERICAL) {
      search->result->failed++;
      if (++search->failures == MOST_FAILURES) {
        dc_error_prefix(error, "%d evaluations failed in a row", MOST_FAILURES);
        return status;
      }
    } else if (status == DC_INFEASIBLE) {
      if (search->backed_off == 0)
        search->result->infeasible++;
      if (search->backed_off == MOST_HALVINGS)
        return status;
      search->backed_off++;
    } else {
      return status;
    }
    scale *= 0.5;
  }
}

static enum dc_status iterate(struct search *search, const struct dc_optimizer_type *type, const void *options,
                              dc_observer *observer, void *context, struct dc_error *error)
{
  const struct dc_optimizer_common *common = options;
  int n = search->problem->dimension;
  enum dc_status status = evaluate(search->problem, &search->current, error);
  search->result->failed += status == DC_NUMERICAL;
  if (!status)
    status = accept(search, observer, context, error);
  type->start(options, n, search->state);
  while (!status && search->current.value > common->target && search->result->iterations < common->iterations &&
         norm_largest(search->current.gradient, n) > 0) {
    type->propose(options, n, search->state, search->current.x, search->current.value, search->current.gradient,
                  search->step);
    status = move(search, error);
    if (status == DC_INFEASIBLE) {
      // the moments of the optimizer may still turn the next proposal away from the boundary
      status = DC_OK;
      if (++search->dropped == MOST_FAILURES) {
        search->result->blocked = true;
        return DC_OK;
      }
      continue;
    }
    if (!status) {
      search->result->iterations++;
      status = accept(search, observer, context, error);
    }
  }
  return status;
}

enum dc_status dc_minimize(const struct dc_optimizer_type *type, const void *options, const struct dc_problem *problem,
                           double *x, dc_observer *observer, void *observer_context, struct dc_optimizer_result *result,
                           struct dc_error *error)
{
  struct dc_optimizer_result unused;
  struct search search = {.problem = problem, .result = result ? result : &unused};
  memset(search.result, 0, sizeof *search.result);
  enum dc_status status = allocate(&search, type, options, error);
  if (status)
    return status;
  size_t bytes = (size_t)problem->dimension * sizeof(double);
  if (bytes) {
    memcpy(search.current.x, x, bytes);
    memcpy(search.best, x, bytes);
  }
  status = iterate(&search, type, options, observer, observer_context, error);
  if (bytes)
    memcpy(x, search.best, bytes);
  free(search.memory);
  return status;
}
