// SPDX-License-Identifier: Apache-2.0
// Gradient descent: steps -learning_rate g, or, normalized, -learning_rate g/|g|.
#include "optimize/common_options.h"
#include "optimize/norm.h"
#include "optimize/optimizer.h"

struct gradient_descent_options {
  struct dc_first_order_options first_order;
  bool normalize;
};

static const struct dc_option options_table[] = {
    LEARNING_RATE(1e300, "factor on the gradient; length of the step when normalized"),
    DC_BOOLEAN_OPTION(struct gradient_descent_options, normalize, "false",
                      "whether steps have the length learning_rate whatever the size of the gradient"),
    ITERATIONS_AND_TARGET,
    DC_OPTIONS_END,
};

// Steps depend on the gradient alone: there is no state to save.
static size_t state_size(const void *options, const struct dc_problem *problem, int iteration)
{
  (void)options, (void)problem, (void)iteration;
  return 0;
}

static void propose(const void *options, const struct dc_problem *problem, double *state, const double *x, double value,
                    const double *gradient, double *step)
{
  (void)state, (void)x, (void)value;
  const struct gradient_descent_options *descent = options;
  // A zero gradient has no direction; the step is zero then, whatever the rate.
  double norm = descent->normalize ? norm_euclidean(gradient, problem->dimension) : 1;
  for (int i = 0; i < problem->dimension; i++)
    step[i] = norm > 0 ? -descent->first_order.learning_rate * (gradient[i] / norm) : 0;
}

const struct dc_optimizer_type dc_optimizer_gradient_descent = {
    .name = "gradient_descent",
    .summary = "steps along the negative gradient, by a fixed factor or of a fixed length",
    .reference = "Cauchy 1847",
    .options = options_table,
    .options_size = sizeof(struct gradient_descent_options),
    .state_size = state_size,
    .propose = propose,
};
