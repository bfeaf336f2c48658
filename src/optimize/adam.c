// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba 2015, Algorithm 1) in a form that does not depend on the scale of the loss:
//     m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2,
//     step = -learning_rate m' / (sqrt(v') + epsilon G),   m' = m / (1 - b1^t),   v' = v / (1 - b2^t),
// with G the largest |g|_inf so far.  The original has G = 1, which swamps the tiny gradients of distant contact;
// with G = 0 components that are pure noise would move at the full rate.  The moments are kept in units of the power
// of two above G, so that neither tiny nor huge gradients underflow or overflow and a loss times a power of two gives
// the same bits.
#include <math.h>
#include <string.h>

#include "optimize/norm.h"
#include "optimize/optimizer.h"

struct adam_options {
  struct dc_optimizer_common common;
  double betas[2];
  double epsilon;
};

static const struct dc_option options_table[] = {
    {.name = "learning_rate",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.03",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     .help = "size of the steps of each parameter, in the parameter's unit",
     .offset = offsetof(struct adam_options, common.learning_rate)},
    {.name = "betas",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[0.9, 0.999]",
     .minimum = 0,
     .maximum = 0.999999999,
     .count = 2,
     .help = "decay of the first and the second moment of the gradient, each in [0, 1)",
     .offset = offsetof(struct adam_options, betas)},
    {.name = "iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "400",
     .minimum = 0,
     .maximum = 1e9,
     .help = "evaluations after the first guess",
     .offset = offsetof(struct adam_options, common.iterations)},
    {.name = "target",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0",
     .help = "stop when the loss is at most this",
     .offset = offsetof(struct adam_options, common.target)},
    {.name = "epsilon",
     .type = DC_REAL,
     .unit = "",
     .fallback = "1e-8",
     .minimum = 0,
     .maximum = 1,
     .help = "part of the largest gradient so far below which a component counts as noise",
     .offset = offsetof(struct adam_options, epsilon)},
    DC_OPTIONS_END,
};

// The state: steps taken, largest |g|_inf so far, then the two moments.
enum { STEPS, LARGEST, MOMENTS };

static int state_size(const void *options, int dimension)
{
  (void)options;
  return MOMENTS + 2 * dimension;
}

static void start(const void *options, int dimension, double *state)
{
  memset(state, 0, (size_t)state_size(options, dimension) * sizeof *state);
}

static void propose(const void *options, int dimension, double *state, const double *x, double value,
                    const double *gradient, double *step)
{
  (void)x, (void)value;
  const struct adam_options *adam = options;
  double *first = state + MOMENTS, *second = first + dimension;
  double before = state[LARGEST];
  int old_unit, unit;
  state[LARGEST] = fmax(before, norm_largest(gradient, dimension));
  frexp(before, &old_unit);
  double relative = frexp(state[LARGEST], &unit);              // G in the unit, in [1/2, 1)
  double change = before > 0 ? ldexp(1, old_unit - unit) : 0;  // of the unit, at most 1
  double b1 = adam->betas[0], b2 = adam->betas[1];
  double steps = ++state[STEPS];
  double correction1 = 1 - pow(b1, steps), correction2 = 1 - pow(b2, steps);
  for (int i = 0; i < dimension; i++) {
    double g = ldexp(gradient[i], -unit);
    first[i] = b1 * (change * first[i]) + (1 - b1) * g;
    second[i] = b2 * (change * change * second[i]) + (1 - b2) * g * g;
    double size = sqrt(second[i] / correction2) + adam->epsilon * relative;
    step[i] = size > 0 ? -adam->common.learning_rate * (first[i] / correction1) / size : 0;
  }
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
};
