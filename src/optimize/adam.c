// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba 2015, Algorithm 1) in a form that does not depend on the scale of the loss:
//     m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2,
//     step = -learning_rate m' / (sqrt(v') + epsilon G),   m' = m / (1 - b1^t),   v' = v / (1 - b2^t),
// with G the largest |g|_inf so far.  The original has G = 1, which swamps the tiny gradients of distant contact;
// with G = 0 components that are pure noise would move at the full rate.  The moments are kept in units of the power
// of two above G, so that neither tiny nor huge gradients underflow or overflow and a loss times a power of two gives
// the same bits.
//
// With small betas sqrt(v') is nearly |m'|, and a step is nearly -learning_rate sign(g): of a force along x and y only
// the quadrant is left.  "shared" gives the parameters of one group one second moment, with the mean of g^2 over the
// group instead of g^2, so that a step within the group has the direction of m'.
//
// "polish": Adam crosses the ripples of a loss through contact but does not settle.  Every `polish` steps, if the best
// value has fallen since the last time, two monotone Gauss-Newton steps (fan.h) are taken from the best point; Adam's
// own point and moments stay as they are.
#include <math.h>
#include <string.h>

#include "optimize/common_options.h"
#include "optimize/fan.h"
#include "optimize/norm.h"
#include "optimize/optimizer.h"

struct adam_options {
  struct dc_first_order_options first_order;
  double betas[2];
  double epsilon;
  bool shared;
  long polish;
};

static const struct dc_option options_table[] = {
    LEARNING_RATE(1e9, "size of the steps of each parameter, in the parameter's unit"),
    DC_REALS_OPTION(struct adam_options, betas, "", "[0.9, 0.999]", 2, 0, 0.999999999,
                    "decay of the first and the second moment of the gradient, each in [0, 1)"),
    ITERATIONS_AND_TARGET,
    DC_REAL_OPTION(struct adam_options, epsilon, "", "1e-8", 0, 1,
                   "part of the largest gradient so far below which a component counts as noise"),
    DC_BOOLEAN_OPTION(
        struct adam_options, shared, "false",
        "whether parameters that belong together share the second moment, so that a step keeps their direction"),
    DC_INTEGER_OPTION(
        struct adam_options, polish, "0", 0, 1e9,
        "steps after which two Gauss-Newton steps are tried from the best point, if that is new; 0: never"),
    DC_OPTIONS_END,
};

// Layout of the state: number of steps, largest |g|_inf so far, first moment [dimension], second moment [dimension].
// Shared: instead of the latter the second moment and the size of every group, [group_count] each.  With polish, the
// members below and the state of the fan follow.
enum { STEPS, LARGEST, MOMENTS };
enum { POLISHED_AT, POLISHED_BEST, POLISH_LEFT, POLISH_POINT };  // steps, value, iterations to do, point [point_size]
enum { POLISH_ITERATIONS = 2 };
// polish only if the best value fell below this part of that at the last time
static const double WORTH_POLISHING = 0.98;
static double polish_radii[] = {0.2, 0.03, 0.005};
static const struct dc_fan_settings polish_settings = {
    .radii = {3, polish_radii}, .radius = 1, .least = 0, .most = 1, .margin = 0.8, .monotone = true};

// Moments are shared only where the problem has groups.
static bool shares(const struct adam_options *adam, const struct dc_problem *problem)
{
  return adam->shared && problem->group;
}

static bool polishes(const struct adam_options *adam, const struct dc_problem *problem)
{
  return adam->polish > 0 && problem->linearize;
}

static size_t own_size(const struct adam_options *adam, const struct dc_problem *problem)
{
  int seconds = shares(adam, problem) ? 2 * problem->group_count : problem->dimension;
  return (size_t)(MOMENTS + problem->dimension + seconds);
}

static size_t state_size(const void *options, const struct dc_problem *problem, int iteration)
{
  (void)iteration;
  size_t own = own_size(options, problem);
  return polishes(options, problem)
             ? own + POLISH_POINT + (size_t)dc_problem_point_size(problem) + dc_fan_state_size(problem)
             : own;
}

static void start(const void *options, const struct dc_problem *problem, double *state)
{
  memset(state, 0, state_size(options, problem, 0) * sizeof *state);
  if (polishes(options, problem))
    state[own_size(options, problem) + POLISHED_BEST] = INFINITY;
  if (!shares(options, problem))
    return;
  double *sizes = state + MOMENTS + problem->dimension + problem->group_count;
  for (int i = 0; i < problem->dimension; i++)
    sizes[problem->group[i]]++;
}

// Updates the largest |g|_inf.  Sets *unit, the exponent of the unit of the moments, and returns the old unit in new
// ones (at most 1).
static double rescale(double *largest, const double *gradient, int dimension, int *unit)
{
  double before = *largest;
  int old_unit;
  *largest = fmax(before, norm_largest(gradient, dimension));
  frexp(before, &old_unit);
  frexp(*largest, unit);
  return before > 0 ? ldexp(1, old_unit - *unit) : 0;
}

// One step of Adam; gradients are scaled by a power of two, so that their squares neither overflow nor vanish.  Groups
// share one second moment, the mean over their parameters.
static void propose(const void *options, const struct dc_problem *problem, double *state, const double *x, double value,
                    const double *gradient, double *step)
{
  (void)x, (void)value;
  const struct adam_options *adam = options;
  int n = problem->dimension, unit;
  const int *group = shares(adam, problem) ? problem->group : NULL;
  int seconds = group ? problem->group_count : n;
  double *first = state + MOMENTS, *second = first + n, *sizes = second + seconds;
  double change = rescale(&state[LARGEST], gradient, n, &unit);
  double noise = adam->epsilon * ldexp(state[LARGEST], -unit);
  double b1 = adam->betas[0], b2 = adam->betas[1];
  double steps = ++state[STEPS];
  double correction1 = 1 - pow(b1, steps), correction2 = 1 - pow(b2, steps);
  // Moments of the past are taken to the new unit: m has the unit of g, v its square.
  for (int j = 0; j < seconds; j++)
    second[j] = b2 * (change * change * second[j]);
  for (int i = 0; i < n; i++) {
    double g = ldexp(gradient[i], -unit);
    first[i] = b1 * (change * first[i]) + (1 - b1) * g;
    if (group)
      second[group[i]] += (1 - b2) * g * g / sizes[group[i]];
    else
      second[i] += (1 - b2) * g * g;
  }
  for (int i = 0; i < n; i++) {
    double size = sqrt(second[group ? group[i] : i] / correction2) + noise;
    step[i] = size > 0 ? -adam->first_order.learning_rate * (first[i] / correction1) / size : 0;
  }
}

// Takes one of the Gauss-Newton steps that are due; finished: none is, and Adam proposes.  A polish begins at the
// best point, and its second step goes on from the first one's result.  It ends early when the fan has no step left
// or its points have no value, which is no failure of Adam's.
static enum dc_status aside(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  const struct adam_options *adam = options;
  const struct dc_problem *problem = iteration->problem;
  iteration->finished = !polishes(adam, problem);
  if (iteration->finished)
    return DC_OK;
  double steps = iteration->state[STEPS], *polish = iteration->state + own_size(adam, problem);
  double *point = polish + POLISH_POINT, *fan = point + dc_problem_point_size(problem);
  size_t bytes = (size_t)dc_problem_point_size(problem) * sizeof *point;
  enum dc_status status = DC_OK;
  if (polish[POLISH_LEFT] == 0) {
    double best = iteration->result->best_value;
    iteration->finished =
        steps - polish[POLISHED_AT] < (double)adam->polish || !(best < WORTH_POLISHING * polish[POLISHED_BEST]);
    if (iteration->finished)
      return DC_OK;
    polish[POLISHED_AT] = steps;
    polish[POLISHED_BEST] = best;
    polish[POLISH_LEFT] = POLISH_ITERATIONS;
    memcpy(iteration->x, iteration->best, bytes);
    status = dc_fan_begin(&polish_settings, iteration, fan, error);
    dc_iteration_count(iteration, 1);
  } else {
    memcpy(iteration->x, point, bytes);
  }
  dc_fan_set_radius(fan, polish_settings.radius);
  if (!status)
    status = dc_fan_step(&polish_settings, iteration, adam->first_order.common.target, fan, error);
  if (status && !dc_point_has_no_value(status))
    return status;
  iteration->finished = iteration->finished || status;
  polish[POLISH_LEFT] = iteration->finished ? 0 : polish[POLISH_LEFT] - 1;
  memcpy(point, iteration->x, bytes);
  return DC_OK;
}

const struct dc_optimizer_type dc_optimizer_adam = {
    .name = "adam",
    .summary = "gradient descent with adaptive moments; its steps do not depend on the scale of the loss",
    .reference = "Kingma and Ba 2015, Algorithm 1, with epsilon relative to the largest gradient so far",
    .options = options_table,
    .options_size = sizeof(struct adam_options),
    .state_size = state_size,
    .start = start,
    .propose = propose,
    .aside = aside,
};
