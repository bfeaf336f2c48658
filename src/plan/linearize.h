// SPDX-License-Identifier: Apache-2.0
// Residual rows of a plan and their Jacobian by its parameters (docs/theory.md, "Products").  With cases, the rows of
// its own world are followed by those of each case: the weighted squares of all add up to the loss.
#ifndef DC_PLAN_LINEARIZE_H
#define DC_PLAN_LINEARIZE_H

#include "plan/trajectory_plan.h"

// How a Jacobian is computed: the cheaper way, by directions of the parameters, or by rows.
enum dc_products { DC_PRODUCTS_AUTO, DC_PRODUCTS_FORWARD, DC_PRODUCTS_REVERSE };

// Computes the rows of the objectives at parameters [parameter_count] and their Jacobian into rows (zeros before the
// first call; released by dc_residual_rows_release).  Rolls out unless plan->trajectory belongs to these parameters
// already.  Many columns or rows are computed in portions of bounded memory.  DC_BAD_INPUT: an objective without rows,
// a model without adjoint, a plan for rollouts alone; statuses of dc_plan_evaluate and dc_rollout_adjoint.
enum dc_status dc_plan_linearize(struct dc_plan *plan, const double *parameters, enum dc_products way,
                                 struct dc_residual_rows *rows, struct dc_error *error);

// bounds [row_count] (zeros before): for every row, the largest possible entry of its Jacobian, for moves of this size
// in any direction, by norms (dc_rollout_contract).  Entries far smaller than that are rounding.  Statuses as above.
enum dc_status dc_plan_row_bounds(struct dc_plan *plan, const double *parameters, double *bounds,
                                  struct dc_error *error);

// The rows without a Jacobian: rows->dimension is 0.  Statuses as above.
enum dc_status dc_plan_find_rows(struct dc_plan *plan, const double *parameters, struct dc_residual_rows *rows,
                                 struct dc_error *error);
// Products with the Jacobian that do not form it: J direction [parameter_count] into product [rows], by one tangent of
// the rollout; J^T weights [rows] into gradient [parameter_count], by one adjoint.  Statuses as above.
enum dc_status dc_plan_push_forward(struct dc_plan *plan, const double *parameters, const double *direction,
                                    double *product, struct dc_error *error);
enum dc_status dc_plan_pull_back(struct dc_plan *plan, const double *parameters, const double *weights,
                                 double *gradient, struct dc_error *error);

// For the problem of an optimizer: the number of rows of the plan's window; 0: none.
int dc_plan_row_count(const struct dc_plan *plan);
// Value, rows and Jacobian at x; context is the plan.  DC_STOPPED when plan->stop asks for it while the Jacobian is
// computed.
enum dc_status dc_plan_linearize_problem(void *context, const double *x, const struct dc_draw *draw,
                                         struct dc_rows *rows, struct dc_error *error);

#endif
