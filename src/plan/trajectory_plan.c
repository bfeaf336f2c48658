// SPDX-License-Identifier: Apache-2.0
#include "plan/trajectory_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct dc_plan *dc_plan_create(const struct dc_model *model, const struct dc_task *task, int steps,
                               struct dc_error *error)
{
  struct dc_plan *plan = dc_alloc(1, sizeof *plan);
  if (!plan) {
    dc_fail(error, DC_MEMORY, "out of memory for a plan");
    return NULL;
  }
  plan->model = model;
  plan->task = task;
  plan->steps = steps;
  plan->pair_count = dc_model_pair_count(model);
  plan->parameter_count = dc_task_parameter_count(task, model);
  plan->rollout = dc_rollout_create(model, error);
  if (!plan->rollout) {
    dc_plan_destroy(plan);
    return NULL;
  }
  size_t parameters = (size_t)plan->parameter_count;
  plan->input = dc_rollout_input_create(model);
  plan->cotangent = dc_rollout_cotangent_create(model);
  plan->trajectory = dc_trajectory_create(model, steps);
  plan->first = dc_trajectory_create(model, steps);
  plan->best = dc_trajectory_create(model, steps);
  plan->frames = dc_alloc(((size_t)steps + 1) * (size_t)model->bodies.nv, sizeof *plan->frames);
  plan->parameters = dc_alloc(parameters, sizeof *plan->parameters);
  plan->best_parameters = dc_alloc(parameters, sizeof *plan->best_parameters);
  plan->first_parameters = dc_alloc(parameters, sizeof *plan->first_parameters);
  if (!plan->input || !plan->cotangent || !plan->trajectory || !plan->first || !plan->best || !plan->frames ||
      !plan->parameters || !plan->best_parameters || !plan->first_parameters) {
    dc_fail(error, DC_MEMORY, "out of memory for trajectories of %d steps", steps);
    dc_plan_destroy(plan);
    return NULL;
  }
  dc_task_initial(task, model, plan->parameters);
  return plan;
}

void dc_plan_destroy(struct dc_plan *plan)
{
  if (!plan)
    return;
  dc_rollout_destroy(plan->rollout);
  dc_rollout_input_destroy(plan->input);
  dc_rollout_cotangent_destroy(plan->cotangent);
  dc_trajectory_destroy(plan->trajectory);
  dc_trajectory_destroy(plan->first);
  dc_trajectory_destroy(plan->best);
  free(plan->frames);
  free(plan->parameters);
  free(plan->best_parameters);
  free(plan->first_parameters);
  free(plan);
}

static enum dc_status evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                               struct dc_error *error)
{
  dc_rollout_input_reset(plan->model, plan->input);
  dc_task_apply(plan->task, plan->model, parameters, plan->input);
  enum dc_status status = dc_rollout_forward(plan->rollout, plan->input, plan->trajectory, error);
  if (status)
    return status;
  plan->rollouts++;
  for (int t = 0; t < plan->steps; t++) {
    plan->newton_iterations += plan->trajectory->newton_iterations[t];
    plan->evaluations += plan->trajectory->evaluations[t];
  }
  *loss = dc_task_loss(plan->task, plan->model, plan->trajectory, gradient ? plan->frames : NULL);
  if (!isfinite(*loss))
    return dc_fail(error, DC_NUMERICAL, "the loss is not finite");
  if (!gradient)
    return DC_OK;
  dc_rollout_cotangent_clear(plan->model, plan->cotangent);
  status = dc_rollout_adjoint(plan->rollout, plan->input, plan->trajectory, plan->frames, plan->cotangent, error);
  if (status)
    return status;
  dc_task_pull_back(plan->task, plan->model, parameters, plan->cotangent, gradient);
  for (int i = 0; i < plan->parameter_count; i++)
    if (!isfinite(gradient[i]))
      return dc_fail(error, DC_NUMERICAL, "the gradient is not finite");
  return DC_OK;
}

enum dc_status dc_plan_evaluate(struct dc_plan *plan, const double *parameters, double *loss, double *gradient,
                                struct dc_error *error)
{
  double start = dc_seconds();
  enum dc_status status = evaluate(plan, parameters, loss, gradient, error);
  plan->seconds += dc_seconds() - start;
  return status;
}

struct optimization {
  struct dc_plan *plan;
  dc_plan_observer *observer;
  void *observer_context;
  long newton_before;
};

static enum dc_status evaluate_problem(void *context, const double *x, double *value, double *gradient,
                                       struct dc_error *error)
{
  struct optimization *optimization = context;
  optimization->newton_before = optimization->plan->newton_iterations;
  return dc_plan_evaluate(optimization->plan, x, value, gradient, error);
}

static bool observe(void *context, const struct dc_iterate *iterate)
{
  struct optimization *optimization = context;
  struct dc_plan *plan = optimization->plan;
  size_t bytes = (size_t)plan->parameter_count * sizeof *iterate->x;
  if (iterate->iteration == 0) {
    dc_trajectory_copy(plan->first, plan->trajectory, plan->pair_count);
    memcpy(plan->first_parameters, iterate->x, bytes);
  }
  if (iterate->best) {
    dc_trajectory_copy(plan->best, plan->trajectory, plan->pair_count);
    memcpy(plan->best_parameters, iterate->x, bytes);
  }
  double gap = INFINITY;
  for (int k = 0; k <= plan->steps; k++)
    gap = fmin(gap, plan->trajectory->min_gap[k]);
  struct dc_plan_iteration iteration = {.iteration = iterate->iteration,
                                        .loss = iterate->value,
                                        .gradient_norm = iterate->gradient_norm,
                                        .min_gap = gap,
                                        .newton_iterations = plan->newton_iterations - optimization->newton_before,
                                        .best = iterate->best,
                                        .backed_off = iterate->backed_off,
                                        .parameters = iterate->x};
  return optimization->observer ? optimization->observer(optimization->observer_context, &iteration) : true;
}

enum dc_status dc_plan_optimize(struct dc_plan *plan, const struct dc_optimizer_type *optimizer, const void *options,
                                const double *parameters, dc_plan_observer *observer, void *observer_context,
                                struct dc_optimizer_result *result, struct dc_error *error)
{
  struct optimization optimization = {.plan = plan, .observer = observer, .observer_context = observer_context};
  struct dc_problem problem = {
      .dimension = plan->parameter_count, .context = &optimization, .evaluate = evaluate_problem};
  memmove(plan->parameters, parameters, (size_t)plan->parameter_count * sizeof *parameters);
  return dc_minimize(optimizer, options, &problem, plan->parameters, observe, &optimization, result, error);
}
