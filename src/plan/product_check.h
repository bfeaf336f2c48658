// SPDX-License-Identifier: Apache-2.0
// Products of derivatives both ways: the tangent of a rollout against its adjoint, the Jacobian of residual rows by
// columns against rows, against differences and against the gradient.
#ifndef DC_PLAN_PRODUCT_CHECK_H
#define DC_PLAN_PRODUCT_CHECK_H

#include <stdint.h>

#include "plan/trajectory_plan.h"

enum { DC_PRODUCT_DIRECTIONS = 4 };

struct dc_product_check {
  // The derivative of the loss along random directions of start, design and targets: what tangent and adjoint differ
  // by, relative to the sum of the products' magnitudes; the largest.
  double apart;
  bool rows;  // the objectives have residual rows; else what follows is 0
  int row_count, column_count;
  bool forward;             // the cheaper way
  bool both;                // the other way was not too dear
  double ways_apart;        // largest difference of a row, relative to its largest number
  double gradient_apart;    // of 2 J^T W e from the adjoint's gradient, relative to its largest number
  bool differences;         // there are some of steps that are divided alike
  double difference_error;  // of J v, v a random direction of length 1, relative to |J v|
  double spread;            // of these differences between steps; likewise
};

// Checks the plan, whose rollout is tight, at parameters.  Statuses of dc_plan_linearize.
enum dc_status dc_product_check(struct dc_plan *plan, const double *parameters, uint64_t seed,
                                struct dc_product_check *check, struct dc_error *error);

#endif
