// SPDX-License-Identifier: Apache-2.0
// The cross-entropy method: the best samples (elites) determine the distribution of the next ones,
//
//     mean <- k mean + (1 - k) mean of the elites,   spread <- max(k spread + (1 - k) deviation of the elites, least),
//
// number by number, with k = keep.
#include <math.h>

#include "optimize/common_options.h"
#include "optimize/optimizer.h"
#include "optimize/sampling.h"

struct cem_options {
  struct dc_sampling_options sampling;
  long elites;
  double keep, least;
};

static const struct dc_option options_table[] = {
    DC_SAMPLING_OPTIONS("64"),
    DC_INTEGER_OPTION(struct cem_options, elites, "8", 1, 1e6, "best points that make the next distribution"),
    DC_REAL_OPTION(struct cem_options, keep, "", "0.1", 0, 0.999,
                   "part of the distribution before that stays in the next one"),
    DC_REAL_OPTION(struct cem_options, least, "", "0.01", 0, 1e9, "smallest standard deviation of a parameter"),
    ITERATIONS_AND_TARGET,
    DC_OPTIONS_END,
};

// The new mean and deviations are those of the elites, and keep a part of the old ones. `least` holds deviations open,
// or the search would end where it first gathers.
static void move(const void *options, struct dc_sampled *sampled)
{
  const struct cem_options *cem = options;
  // Samples without a value are not among the sorted ones: then all that have one are elites.
  int elites = cem->elites < sampled->count ? (int)cem->elites : sampled->count;
  for (int k = 0; k < sampled->dimension; k++) {
    double mean = 0, variance = 0;
    for (int e = 0; e < elites; e++)
      mean += sampled->z[e][k] / elites;
    for (int e = 0; e < elites; e++)
      variance += (sampled->z[e][k] - mean) * (sampled->z[e][k] - mean) / elites;
    sampled->mean[k] = cem->keep * sampled->mean[k] + (1 - cem->keep) * mean;
    sampled->spread[k] = fmax(cem->keep * sampled->spread[k] + (1 - cem->keep) * sqrt(variance), cem->least);
  }
}

static enum dc_status iterate(const void *options, struct dc_iteration *iteration, struct dc_error *error)
{
  return dc_sampling_iterate(options, iteration, move, error);
}

const struct dc_optimizer_type dc_cem = {
    .name = "cem",
    .summary = "the cross-entropy method: samples about the mean of the best samples; no gradients",
    .reference = "Rubinstein and Kroese 2004, The Cross-Entropy Method; with a floor under the deviations",
    .options = options_table,
    .options_size = sizeof(struct cem_options),
    .check = dc_sampling_check,
    .state_size = dc_sampling_state_size,
    .iterate = iterate,
};
