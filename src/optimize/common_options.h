// SPDX-License-Identifier: Apache-2.0
// Rows of the option tables that all optimizers share; their options begin with struct dc_optimizer_common.  Private to
// src/optimize.
#ifndef DC_OPTIMIZE_COMMON_OPTIONS_H
#define DC_OPTIMIZE_COMMON_OPTIONS_H

#include "optimize/optimizer.h"

// Stopping criteria.
#define ITERATIONS_AND_TARGET                                                                                          \
  DC_INTEGER_OPTION(struct dc_optimizer_common, iterations, "400", 0, 1e9, "evaluations after the first guess"),       \
  {                                                                                                                    \
    .name = "target", .type = DC_REAL, .unit = "", .fallback = "0", .help = "stop when the loss is at most this",      \
    .offset = offsetof(struct dc_optimizer_common, target)                                                             \
  }

// Stopping criteria of least-squares problems, with other defaults.
#define DC_RESIDUAL_ITERATIONS(meaning)                                                                                \
  {                                                                                                                    \
    .name = "iterations", .type = DC_INTEGER, .unit = "", .fallback = "2000", .minimum = 0, .maximum = 1e9,            \
    .help = (meaning), .offset = offsetof(struct dc_optimizer_common, iterations)                                      \
  }
#define DC_RESIDUAL_TARGET(default_text)                                                                               \
  {                                                                                                                    \
    .name = "target", .type = DC_REAL, .unit = "", .fallback = (default_text), .minimum = 0, .maximum = 1e300,         \
    .help = "stop when the value to be minimized is at most this",                                                     \
    .offset = offsetof(struct dc_optimizer_common, target)                                                             \
  }

// The meaning of the factor, and its largest value, differ between methods.
#define LEARNING_RATE(most, meaning)                                                                                   \
  {                                                                                                                    \
    .name = "learning_rate", .type = DC_REAL, .unit = "", .fallback = "0.03", .minimum = 0, .maximum = (most),         \
    .minimum_excluded = true, .help = (meaning), .offset = offsetof(struct dc_first_order_options, learning_rate)      \
  }

#endif
