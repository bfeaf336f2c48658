// SPDX-License-Identifier: Apache-2.0
// The iteration that sampling optimizers share.  Private to src/optimize.
//
//     repeat   draw z_i ~ N(mean, spread^2), i = 1 .. samples;   x_i = base + B z_i within the bounds
//              sort the values f(x_i), side by side, and that of the mean, which is known
//              the method moves mean and spread
//              evaluate the new mean; the iterate is it or the best sample, whichever is lower
//
// base is the first guess.  B is the identity, or, with knots, linear interpolation between the numbers of a few knots
// spread evenly over the groups of parameters, which are taken as consecutive times.  One thread draws all numbers from
// the seeds of options and problem and the number of the iteration.
#ifndef DC_OPTIMIZE_SAMPLING_H
#define DC_OPTIMIZE_SAMPLING_H

#include "optimize/iteration.h"

// The common first member of sampling optimizers' options.
struct dc_sampling_options {
  struct dc_optimizer_common common;
  long samples, knots, seed;
  double spread;
};

#define DC_SAMPLING_OPTIONS(default_samples)                                                                           \
  DC_INTEGER_OPTION(struct dc_sampling_options, samples, (default_samples), 1, 1e6, "points drawn in an iteration"),   \
      DC_POSITIVE_OPTION(struct dc_sampling_options, spread, "", "0.5", 1e9,                                           \
                         "standard deviation of the first points, in the parameters' units"),                          \
      DC_INTEGER_OPTION(struct dc_sampling_options, knots, "0", 0, 1e6,                                                \
                        "draw changes at so many times, with straight lines between them; 0: at every parameter"),     \
      DC_SEED_OPTION(struct dc_sampling_options, "seed of the random numbers")

// An iteration as the method sees it: `count` candidates that have a value, including the previous mean, in ascending
// order of their values.
struct dc_sampled {
  int dimension;          // of z
  int count;              // >= 1
  const double **z;       // [count] of [dimension]
  const double *values;   // [count] ascending
  double *mean, *spread;  // [dimension], to be moved
};
typedef void dc_sampling_move(const void *options, struct dc_sampled *sampled);

// DC_BAD_INPUT when knots are requested and parameters do not form groups of equal size.
enum dc_status dc_sampling_check(const void *options, const struct dc_problem *problem, struct dc_error *error);
size_t dc_sampling_state_size(const void *options, const struct dc_problem *problem, int iteration);
// One iteration; errors as of iterate.
enum dc_status dc_sampling_iterate(const void *options, struct dc_iteration *iteration, dc_sampling_move *move,
                                   struct dc_error *error);

#endif
