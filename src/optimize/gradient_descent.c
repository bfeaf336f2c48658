// SPDX-License-Identifier: Apache-2.0
// Gradient descent: steps -learning_rate g, or of length learning_rate along -g.
#include "optimize/norm.h"
#include "optimize/optimizer.h"

struct gradient_descent_options {
  struct dc_optimizer_common common;
  bool normalize;
};

static const struct dc_option options_table[] = {
    {.name = "learning_rate",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0.03",
     .minimum = 0,
     .maximum = 1e300,
     .minimum_excluded = true,
     .help = "factor on the gradient; length of the step when normalized",
     .offset = offsetof(struct gradient_descent_options, common.learning_rate)},
    {.name = "normalize",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "whether steps have the length learning_rate whatever the size of the gradient",
     .offset = offsetof(struct gradient_descent_options, normalize)},
    {.name = "iterations",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "400",
     .minimum = 0,
     .maximum = 1e9,
     .help = "evaluations after the first guess",
     .offset = offsetof(struct gradient_descent_options, common.iterations)},
    {.name = "target",
     .type = DC_REAL,
     .unit = "",
     .fallback = "0",
     .help = "stop when the loss is at most this",
     .offset = offsetof(struct gradient_descent_options, common.target)},
    DC_OPTIONS_END,
};

static int state_size(const void *options, int dimension)
{
  (void)options, (void)dimension;
  return 0;
}

static void start(const void *options, int dimension, double *state)
{
  (void)options, (void)dimension, (void)state;
}

static void propose(const void *options, int dimension, double *state, const double *x, double value,
                    const double *gradient, double *step)
{
  (void)state, (void)x, (void)value;
  const struct gradient_descent_options *descent = options;
  double norm = descent->normalize ? norm_euclidean(gradient, dimension) : 1;
  for (int i = 0; i < dimension; i++)
    step[i] = norm > 0 ? -descent->common.learning_rate * (gradient[i] / norm) : 0;
}

const struct dc_optimizer_type dc_optimizer_gradient_descent = {
    .name = "gradient_descent",
    .summary = "steps along the negative gradient, by a fixed factor or of a fixed length",
    .reference = "Cauchy 1847",
    .options = options_table,
    .options_size = sizeof(struct gradient_descent_options),
    .state_size = state_size,
    .start = start,
    .propose = propose,
};
