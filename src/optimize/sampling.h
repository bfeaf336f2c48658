// SPDX-License-Identifier: Apache-2.0
// What sampling optimizers share.  Private to src/optimize.
//
//     repeat   draw z_i ~ N(mean, spread^2), i = 1 .. samples;   x_i = base + B z_i within the bounds
//              sort the values f(x_i), side by side, and that of the mean, which is known
//              the method moves mean and spread
//              evaluate the new mean; the iterate is it or the best sample, whichever is lower
//
// base is the first guess.  B is 1, or, with knots, interpolates linearly between the numbers of a few knots spread evenly
// over the groups of parameters, which are taken as times in order.  Numbers are drawn by one thread from the seeds of
// options and problem and the iteration.
#ifndef DC_OPTIMIZE_SAMPLING_H
#define DC_OPTIMIZE_SAMPLING_H

#include "optimize/iteration.h"

// Options that every sampling optimizer's structure begins with.
struct dc_sampling_options {
  struct dc_optimizer_common common;
  long samples, knots, seed;
  double spread;
};

#define DC_SAMPLING_OPTIONS(default_samples)                                                                           \
  {.name = "samples",                                                                                                  \
   .type = DC_INTEGER,                                                                                                 \
   .unit = "",                                                                                                         \
   .fallback = (default_samples),                                                                                      \
   .minimum = 1,                                                                                                       \
   .maximum = 1e6,                                                                                                     \
   .help = "points drawn in an iteration",                                                                             \
   .offset = offsetof(struct dc_sampling_options, samples)},                                                           \
      {.name = "spread",                                                                                               \
       .type = DC_REAL,                                                                                                \
       .unit = "",                                                                                                     \
       .fallback = "0.5",                                                                                              \
       .minimum = 0,                                                                                                   \
       .minimum_excluded = true,                                                                                       \
       .maximum = 1e9,                                                                                                 \
       .help = "standard deviation of the first points, in the parameters' units",                                     \
       .offset = offsetof(struct dc_sampling_options, spread)},                                                        \
      {.name = "knots",                                                                                                \
       .type = DC_INTEGER,                                                                                             \
       .unit = "",                                                                                                     \
       .fallback = "0",                                                                                                \
       .minimum = 0,                                                                                                   \
       .maximum = 1e6,                                                                                                 \
       .help = "draw changes at so many times, with straight lines between them; 0: at every parameter",               \
       .offset = offsetof(struct dc_sampling_options, knots)},                                                         \
      DC_SEED_OPTION(struct dc_sampling_options, "of the random numbers")

// An iteration as the method sees it: `count` candidates that could be evaluated, the mean of the iteration before among
// them, in the order of their values.
struct dc_sampled {
  int dimension;          // of z
  int count;              // >= 1
  const double **z;       // [count] of [dimension]
  const double *values;   // [count] ascending
  double *mean, *spread;  // [dimension], to be moved
};
typedef void dc_sampling_move(const void *options, struct dc_sampled *sampled);

// DC_BAD_INPUT where knots are asked for and parameters do not come in groups of one size, one after the other.
enum dc_status dc_sampling_check(const void *options, const struct dc_problem *problem, struct dc_error *error);
size_t dc_sampling_state_size(const void *options, const struct dc_problem *problem, int iteration);
// One iteration; errors as of iterate.
enum dc_status dc_sampling_iterate(const void *options, struct dc_iteration *iteration, dc_sampling_move *move,
                                   struct dc_error *error);

#endif
