// SPDX-License-Identifier: Apache-2.0
// Model predictive path integral control: the next mean is a weighted mean of all samples,
//
//     mean <- sum w_i z_i / sum w_i,   w_i = exp(-(f_i - f_min) / (temperature s)),   spread <- decay spread.
//
// s is the mean of f_i - f_min over the better half, so that weights do not depend on the scale of f.  With temperature
// 0 the best sample is the next mean: predictive sampling.
#include <math.h>

#include "optimize/common_options.h"
#include "optimize/optimizer.h"
#include "optimize/sampling.h"

struct mppi_options {
  struct dc_sampling_options sampling;
  double temperature, decay;
};

static const struct dc_option options_table[] = {
    DC_SAMPLING_OPTIONS("64"),
    DC_REAL_OPTION(struct mppi_options, temperature, "", "0.1", 0, 1e9,
                   "how much worse than the best one samples may be to count, in units of the better half's mean; 0: "
                   "the best one alone (predictive sampling)"),
    DC_POSITIVE_OPTION(struct mppi_options, decay, "", "1", 1, "factor on the spread after every iteration"),
    ITERATIONS_AND_TARGET,
    DC_OPTIONS_END,
};

static double scale_of(const struct dc_sampled *sampled)
{
  // Values are sorted; the worse half may hold failures near infinity, which would make all weights equal.
  int half = (sampled->count + 1) / 2;
  double sum = 0;
  for (int i = 0; i < half; i++)
    sum += sampled->values[i] - sampled->values[0];
  return sum / half;
}

// The mean becomes the mean of the samples weighted by exp(-(value - lowest) / temperature), in units of the values'
// scale; the spread decays.
static void move(const void *options, struct dc_sampled *sampled)
{
  const struct mppi_options *mppi = options;
  double unit = mppi->temperature * scale_of(sampled), sum = 0;
  for (int k = 0; k < sampled->dimension; k++) {
    sampled->mean[k] = 0;
    sampled->spread[k] *= mppi->decay;
  }
  for (int i = 0; i < sampled->count; i++) {
    double weight = unit > 0 ? exp(-(sampled->values[i] - sampled->values[0]) / unit) : i == 0;
    sum += weight;
    for (int k = 0; k < sampled->dimension; k++)
      sampled->mean[k] += weight * sampled->z[i][k];
  }
  for (int k = 0; k < sampled->dimension; k++)
    sampled->mean[k] /= sum;
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  return dc_sampling_iterate(options, iteration, move, error);
}

const struct dc_optimizer_type dc_mppi = {
    .name = "mppi",
    .summary = "path-integral control: the mean of samples weighted by their losses; no gradients",
    .reference = "Williams et al. 2017; with temperature 0 predictive sampling (Howell et al. 2022)",
    .options = options_table,
    .options_size = sizeof(struct mppi_options),
    .check = dc_sampling_check,
    .state_size = dc_sampling_state_size,
    .iterate = iterate,
};
