// SPDX-License-Identifier: Apache-2.0
// The cases of a plan: further worlds that are driven by the same parameters (struct dc_task_world).  The plan's loss
// is the sum over its own world and all cases, and so is its gradient.  Each case is a plan of its own, for rollouts
// and gradients only.
#ifndef DC_PLAN_PLAN_CASES_H
#define DC_PLAN_PLAN_CASES_H

#include "plan/trajectory_plan.h"

// Evaluates one world: dc_plan_evaluate, or the plan's function for its own world.
typedef enum dc_status dc_plan_evaluate_world(struct dc_plan *world, const double *parameters, double *loss,
                                              double *gradient, struct dc_error *error);
// Evaluates the plan's own world and, by evaluate_case, its cases side by side; sums are taken in order, so that they
// do not depend on threads.  gradient may be NULL.  Returns the first status that is not DC_OK, with the name of the
// case in its message.
enum dc_status dc_plan_cases_evaluate(struct dc_plan *plan, dc_plan_evaluate_world *evaluate,
                                      dc_plan_evaluate_world *evaluate_case, const double *parameters, double *loss,
                                      double *gradient, struct dc_error *error);

// Loss of the last evaluation, computed from the present trajectories.
double dc_plan_cases_loss(const struct dc_plan *plan);

// Computes the losses of the cases at parameters and adds them.
enum dc_status dc_plan_cases_add_losses(struct dc_plan *plan, dc_plan_evaluate_world *evaluate_case,
                                        const double *parameters, double *loss, struct dc_error *error);

// Status of a world (0: the plan's own, then its cases), with the name of the case in its message.
enum dc_status dc_plan_case_fail(const struct dc_plan *plan, int world, enum dc_status status,
                                 const struct dc_error *of, struct dc_error *error);

// Lists the terms whose sum is the loss of the last evaluation, from the present trajectories (struct
// dc_plan_iteration).  Returns their number.
int dc_plan_list_terms(const struct dc_plan *plan, double terms[DC_PLAN_TERMS]);

// dc_rollout_set_tight and dc_rollout_set_gapless for the plan's own world and all cases.
void dc_plan_set_tight(struct dc_plan *plan, bool tight);
void dc_plan_set_gapless(struct dc_plan *plan, bool gapless);
// The smallest gap of the last evaluation in any of its worlds, m.
double dc_plan_gap(const struct dc_plan *plan);

#endif
