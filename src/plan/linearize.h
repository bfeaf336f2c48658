// SPDX-License-Identifier: Apache-2.0
// The residual rows of a plan and their Jacobian by its parameters (docs/theory.md, "Products").  With cases they are
// those of its own world, then those of each case: the weighted squares of all sum up to the loss.
#ifndef DC_PLAN_LINEARIZE_H
#define DC_PLAN_LINEARIZE_H

#include "plan/trajectory_plan.h"

// Which way a Jacobian is computed: as it is cheaper, by the directions of the parameters, or by the rows.
enum dc_products { DC_PRODUCTS_AUTO, DC_PRODUCTS_FORWARD, DC_PRODUCTS_REVERSE };

// The rows of the objectives at parameters [parameter_count] and their Jacobian, into rows (zeros before the first
// call; released by dc_residual_rows_release).  Rolls out unless plan->trajectory is that of these parameters already.
// Many columns or rows are computed in portions, which take bounded memory.  DC_BAD_INPUT: an objective without rows, a
// model without adjoint, a plan for rollouts alone; statuses of dc_plan_evaluate and dc_rollout_adjoint.
enum dc_status dc_plan_linearize(struct dc_plan *plan, const double *parameters, enum dc_products way,
                                 struct dc_residual_rows *rows, struct dc_error *error);

// Of every row, into bounds [row_count] (zeros before): what the largest entry of its Jacobian could be for moves of
// this size in other directions, by norms (dc_rollout_contract).  What is far smaller is rounding.  Statuses as above.
enum dc_status dc_plan_row_bounds(struct dc_plan *plan, const double *parameters, double *bounds,
                                  struct dc_error *error);

// The rows without a Jacobian: rows->dimension is 0.  Statuses as above.
enum dc_status dc_plan_find_rows(struct dc_plan *plan, const double *parameters, struct dc_residual_rows *rows,
                                 struct dc_error *error);
// The Jacobian times a direction [parameter_count], into product [rows], by one tangent of the rollout; and its
// transposed times weights [rows], into gradient [parameter_count], by one adjoint.  Neither forms the Jacobian.
// Statuses as above.
enum dc_status dc_plan_push_forward(struct dc_plan *plan, const double *parameters, const double *direction,
                                    double *product, struct dc_error *error);
enum dc_status dc_plan_pull_back(struct dc_plan *plan, const double *parameters, const double *weights,
                                 double *gradient, struct dc_error *error);

// As a problem of optimizers has them.  The number of rows of the plan's window; 0: there are none.
int dc_plan_row_count(const struct dc_plan *plan);
// Value, rows and Jacobian at x; context is the plan.  DC_STOPPED when plan->stop says so while the Jacobian is
// computed.
enum dc_status dc_plan_linearize_problem(void *context, const double *x, const struct dc_draw *draw,
                                         struct dc_rows *rows, struct dc_error *error);

#endif
