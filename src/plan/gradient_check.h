// SPDX-License-Identifier: Apache-2.0
// Compares the adjoint with differences: for every kind of parameter, and by a Taylor test.
#ifndef DC_PLAN_GRADIENT_CHECK_H
#define DC_PLAN_GRADIENT_CHECK_H

#include <stdint.h>

#include "plan/product_check.h"
#include "plan/trajectory_plan.h"

// Most differences: for controls and numbers of the model together, and as many again for parameters of the design.
enum { DC_GRADIENT_CHECKS = 16, DC_GRADIENT_CHECKS_MOST = 2 * DC_GRADIENT_CHECKS, DC_TAYLOR_DIRECTIONS = 4 };

struct dc_gradient_difference {
  char parameter[128];
  const char *unit;  // unit of the parameter, "1" for a factor; a parameter of 1 changes it by scale
  double scale;
  double adjoint, difference;
  double relative_error;  // |adjoint - difference| / |gradient of this kind of parameter|
  double step;            // step of the difference
  // largest distance to differences with other steps and between one-sided slopes; relative like the error
  double spread;
  int passed_over;  // step sizes that were skipped, because time steps are divided differently at an end
  bool straddles;   // no smooth neighbourhood was found for that reason: difference, error and step are NAN
};

struct dc_gradient_check {
  double loss;
  int count;
  struct dc_gradient_difference checks[DC_GRADIENT_CHECKS_MOST];
  double max_relative_error;  // over those that do not straddle
  int steps, divided_steps;   // of the rollout at the point
  int straddling;             // differences that do
  int taylor_count;           // directions whose remainder is above rounding
  int taylor_straddling;      // directions without an order because of changes of division
  double taylor_orders[DC_TAYLOR_DIRECTIONS];
  bool flat;  // the gradient is exactly zero
  struct dc_product_check products;
};

// Checks the plan at parameters by extrapolated central differences.  Up to 16 seeded coordinates are chosen in turn
// from the controls and every kind of number (dc_number_kinds), before controls and design act on them: of masses,
// friction, gains and stiffness the factors, of the start all coordinates.  Up to 16 more are parameters of the design,
// in turn from its entries. 4 random directions of all parameters are checked by the order of the Taylor remainder.
// Forward solves are converged to rounding, side by side on all threads (dc_threads), which does not change the result.
// Finally the products are checked (plan/product_check.h).
enum dc_status dc_gradient_check(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                 struct dc_gradient_check *check, struct dc_error *error);

// Compares the adjoint with the same differences along `count` seeded directions of all parameters, into entries
// [count], without names.  Errors are relative to the slope or, where that is small, to the typical slope of a random
// direction, |gradient| / sqrt(number of parameters).  DC_NUMERICAL, DC_INFEASIBLE, DC_MEMORY.
enum dc_status dc_gradient_check_directions(struct dc_plan *plan, const double *parameters, uint64_t seed, int count,
                                            struct dc_gradient_difference *entries, struct dc_error *error);

#endif
