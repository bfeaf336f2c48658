// SPDX-License-Identifier: Apache-2.0
// The adjoint against differences: for every kind of parameter, and by a Taylor test.
#ifndef DC_PLAN_GRADIENT_CHECK_H
#define DC_PLAN_GRADIENT_CHECK_H

#include <stdint.h>

#include "plan/product_check.h"
#include "plan/trajectory_plan.h"

// Most differences: of controls and numbers of the model together, and as many again of the design's parameters.
enum { DC_GRADIENT_CHECKS = 16, DC_GRADIENT_CHECKS_MOST = 2 * DC_GRADIENT_CHECKS, DC_TAYLOR_DIRECTIONS = 4 };

struct dc_gradient_difference {
  char parameter[128];
  const char *unit;  // of the parameter: "1" of a factor; a parameter of 1 is scale of it
  double scale;
  double adjoint, difference;
  double relative_error;  // |adjoint - difference| / |gradient of this kind of parameter|
  double step;            // that the difference was taken with
  double spread;    // what differences with other steps, and slopes on both sides, differ from it by; as the error
  int passed_over;  // step sizes that could not be used: at an end time steps are divided otherwise than at the point
  bool straddles;   // no smooth neighbourhood was found for that reason: difference, error and step are NAN
};

struct dc_gradient_check {
  double loss;
  int count;
  struct dc_gradient_difference checks[DC_GRADIENT_CHECKS_MOST];
  double max_relative_error;  // of those that do not straddle
  int steps, divided_steps;   // of the rollout at the point
  int straddling;             // differences that do
  int taylor_count;           // directions whose remainder stands above rounding
  int taylor_straddling;      // those that have none for changes of division
  double taylor_orders[DC_TAYLOR_DIRECTIONS];
  bool flat;  // the gradient is exactly zero
  struct dc_product_check products;
};

// Checks the plan at parameters, by extrapolated central differences: up to 16 seeded coordinates, one after the other
// of the controls and of every kind of number (dc_number_kinds: of masses, friction, gains and stiffness the factors;
// of the start all coordinates; before controls and design act on them), and up to 16 of the parameters of the design,
// one after the other of its entries.  4 random directions of all parameters are checked by the order of the Taylor
// remainder.  Forward solves are converged to rounding, as many side by side as there are threads (dc_threads), which
// changes nothing.  At last the products (plan/product_check.h).
enum dc_status dc_gradient_check(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                 struct dc_gradient_check *check, struct dc_error *error);

// The adjoint against the same differences along `count` seeded directions of all parameters together, into entries
// [count], whose names stay empty; errors are relative to the slope or, where it is small, to one as large as is
// typical of a random direction, |gradient| / sqrt(number of parameters).  DC_NUMERICAL, DC_INFEASIBLE, DC_MEMORY.
enum dc_status dc_gradient_check_directions(struct dc_plan *plan, const double *parameters, uint64_t seed, int count,
                                            struct dc_gradient_difference *entries, struct dc_error *error);

#endif
