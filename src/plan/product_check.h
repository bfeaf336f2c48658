// SPDX-License-Identifier: Apache-2.0
// Compares products of derivatives: the tangent of a rollout with its adjoint, and the Jacobian of residual rows by
// columns with that by rows, with differences and with the gradient.
#ifndef DC_PLAN_PRODUCT_CHECK_H
#define DC_PLAN_PRODUCT_CHECK_H

#include <stdint.h>

#include "plan/trajectory_plan.h"

enum { DC_PRODUCT_DIRECTIONS = 4 };

struct dc_product_check {
  // Largest difference of tangent and adjoint, for the derivative of the loss along random directions of start, design
  // and targets, relative to the sum of the products' magnitudes.
  double apart;
  // Largest difference that rounding makes of the products of the tangent, relative likewise.
  double rounding;
  bool rows;  // the objectives have residual rows; otherwise the following is 0
  int row_count, column_count;
  bool forward;             // whether columns are the cheaper way
  bool both;                // both ways were computed
  double ways_apart;        // largest difference of a row, relative to its largest entry
  double gradient_apart;    // distance of 2 J^T W e from the adjoint's gradient, relative to its largest entry
  bool differences;         // there were differences with steps divided alike
  double difference_error;  // error of J v along a random unit vector v, relative to |J v|
  double spread;            // spread of these differences between steps; relative likewise
};

// Checks the plan, whose rollout is tight, at parameters.  Statuses of dc_plan_linearize.
enum dc_status dc_product_check(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                struct dc_product_check *check, struct dc_error *error);

#endif
