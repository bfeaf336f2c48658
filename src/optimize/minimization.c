// SPDX-License-Identifier: Apache-2.0
// A minimization's memory, its evaluations, and the record of the best point.
//
// sizes: n parameters (dimension), p numbers of a point (point size; a rotation has 4 numbers and 3 parameters).
#include "optimize/minimization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optimize/norm.h"

// One block of memory: current and trial point with gradients [p + n] each, best and kept point [p], step and scaled
// step [n], and flags held [n]. `before` and `state` are allocated when the optimizer's size is known.
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

// Makes room for the state of an optimizer whose size grows with iterations.
enum dc_status dc_minimization_reserve(struct dc_minimization *minimization, int iteration, struct dc_error *error)
{
  size_t count = minimization->type->state_size(minimization->options, minimization->problem, iteration);
  if (minimization->state && count <= minimization->state_count)
    return DC_OK;
  // Rounded up, since a growth by a number or two per iteration must not cost a copy each.
  size_t room = minimization->state ? count + count / 2 : count, old = minimization->state_count;
  double *state = dc_alloc(room, sizeof *state), *before = dc_alloc(room, sizeof *before);
  if (!state || !before) {
    free(state);
    free(before);
    return dc_out_of_memory_for(error, "an optimizer of %d parameters", minimization->problem->dimension);
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

// Starts from x, moved into the bounds; points with a retraction have no bounds coordinate by coordinate.
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

// Begins at x with the problem's seed.  Nothing is evaluated yet: the first call of dc_minimization_next does that.
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

// Evaluates value and gradient at point->x.  Non-finite results never reach the optimizer: they become DC_NUMERICAL,
// and a point that overflowed becomes DC_INFEASIBLE.
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

enum dc_status dc_minimization_evaluate(struct dc_minimization *minimization, struct dc_point *point,
                                        struct dc_error *error)
{
  enum dc_status status = ask(minimization->problem, point, error);
  minimization->result.evaluations += status == DC_OK || dc_point_has_no_value(status);
  return status;
}

// Counts a value for the record: the first of all, or lower than the best so far.  Ties keep the earlier point.
bool dc_minimization_book(struct dc_minimization *minimization, int iteration, const double *x, double value)
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
