// SPDX-License-Identifier: Apache-2.0
// Trajectory optimization: parameters -> controls -> rollout -> loss, and back by the adjoint.
#ifndef DC_PLAN_TRAJECTORY_PLAN_H
#define DC_PLAN_TRAJECTORY_PLAN_H

#include "optimize/optimizer.h"
#include "task/task.h"

// A model, a task and everything to evaluate them; one caller at a time.
struct dc_plan {
  const struct dc_model *model;
  const struct dc_task *task;
  int parameter_count, steps, pair_count;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;
  struct dc_rollout_cotangent *cotangent;
  struct dc_trajectory *trajectory;      // of the last evaluation
  struct dc_trajectory *first, *best;    // of an optimization
  double *frames;                        // [steps + 1][nv]
  double *parameters, *best_parameters;  // [parameter_count]
  double *first_parameters;
  long rollouts, newton_iterations, evaluations;  // since creation; evaluations of the contact
  double seconds;                                 // spent in evaluations
};

// steps: number of time steps, at most the model's.  NULL and *error on failure.
struct dc_plan *dc_plan_create(const struct dc_model *model, const struct dc_task *task, int steps,
                               struct dc_error *error);
void dc_plan_destroy(struct dc_plan *plan);

// Rolls out with parameters [parameter_count]: the loss, and its gradient unless NULL.  The trajectory stays in
// plan->trajectory.  Statuses of dc_rollout_forward and dc_rollout_adjoint; DC_NUMERICAL also when loss or gradient
// are not finite.
enum dc_status dc_plan_evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                                struct dc_error *error);

struct dc_plan_iteration {
  int iteration;
  double loss, gradient_norm, min_gap;
  long newton_iterations;  // of this rollout
  bool best;
  int backed_off;
  const double *parameters;
};
// Called after every successful evaluation; returns false to stop.
typedef bool dc_plan_observer(void *context, const struct dc_plan_iteration *iteration);

// Minimizes the loss from parameters; first and best trajectories and parameters are kept in plan.  Statuses of
// dc_minimize.
enum dc_status dc_plan_optimize(struct dc_plan *plan, const struct dc_optimizer_type *optimizer, const void *options,
                                const double *parameters, dc_plan_observer *observer, void *observer_context,
                                struct dc_optimizer_result *result, struct dc_error *error);

#endif
