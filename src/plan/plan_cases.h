// SPDX-License-Identifier: Apache-2.0
// The cases of a plan: worlds beside its own that the same parameters drive (struct dc_task_world).  Its loss is the
// sum over its own world and all of them, its gradient likewise.  Each is a plan of its own, for rollouts and gradients
// alone.
#ifndef DC_PLAN_PLAN_CASES_H
#define DC_PLAN_PLAN_CASES_H

#include "plan/trajectory_plan.h"

// Evaluates one world: dc_plan_evaluate, or what it does with a plan's own world.
typedef enum dc_status dc_plan_evaluate_world(struct dc_plan *world, const double *parameters, double *loss,
                                              double *gradient, struct dc_error *error);
// Evaluates the plan's own world and, by evaluate_case, its cases side by side: the sums in their order, so that they
// do not depend on the number of threads.  gradient may be NULL.  The first status that is not DC_OK, its message with
// the name of the case.
enum dc_status dc_plan_cases_evaluate(struct dc_plan *plan, dc_plan_evaluate_world *evaluate,
                                      dc_plan_evaluate_world *evaluate_case, const double *parameters, double *loss,
                                      double *gradient, struct dc_error *error);

// The loss of the last evaluation, from trajectories that are there.
double dc_plan_cases_loss(const struct dc_plan *plan);

// Adds the losses of the cases alone, at parameters.
enum dc_status dc_plan_cases_add_losses(struct dc_plan *plan, dc_plan_evaluate_world *evaluate_case,
                                        const double *parameters, double *loss, struct dc_error *error);

// The status of what a world (0: the plan's own, then its cases) came to, its message with the name of the case.
enum dc_status dc_plan_case_fail(const struct dc_plan *plan, int world, enum dc_status status,
                                 const struct dc_error *of, struct dc_error *error);

// What the loss of the last evaluation, of trajectories that are there, is the sum of (struct dc_plan_iteration).  How
// many.
int dc_plan_list_terms(const struct dc_plan *plan, double terms[DC_PLAN_TERMS]);

// As dc_rollout_set_tight and dc_rollout_set_gapless, for the plan's own world and all cases.
void dc_plan_set_tight(struct dc_plan *plan, bool tight);
void dc_plan_set_gapless(struct dc_plan *plan, bool gapless);
// The smallest gap of the last evaluation in any of its worlds, m.
double dc_plan_gap(const struct dc_plan *plan);

#endif
