// SPDX-License-Identifier: Apache-2.0
// The registry of optimizers.
#include "optimize/optimizer.h"

const struct dc_optimizer_type *const dc_optimizer_types[] = {
    &dc_optimizer_adam,      &dc_optimizer_gradient_descent, &dc_lbfgs, &dc_gauss_newton, &dc_nlopt,
    &dc_levenberg_marquardt, &dc_normalized_descent,         &dc_cem,   &dc_mppi,         NULL};
