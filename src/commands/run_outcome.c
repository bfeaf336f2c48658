// SPDX-License-Identifier: Apache-2.0
// The results of a run so far: first, best and present trajectories and parameters, by kind of run.
#include "commands/session.h"

// Results of a receding horizon: the executed trajectory, whose parameters are those applied, joined over all windows.
enum dc_status dc_session_horizon_outcome(struct session *session, struct outcome *outcome)
{
  const struct dc_receding_horizon *horizon = session->horizon;
  int steps = horizon->executed->steps;
  size_t count = (size_t)dc_task_parameter_count(horizon->task, horizon->model, steps);
  outcome->applied = dc_alloc(count, sizeof *outcome->applied);
  if (!outcome->applied)
    return dc_out_of_memory_for(&session->error, "parameters");
  dc_horizon_applied(horizon, outcome->applied);
  outcome->best = horizon->executed;
  outcome->first = session->optimizing ? horizon->first : horizon->executed;
  outcome->best_parameters = outcome->applied;
  outcome->first_parameters = session->optimizing ? horizon->first_parameters : outcome->applied;
  outcome->targets = dc_horizon_targets(horizon);
  outcome->judged = dc_horizon_frame(horizon, steps);
  outcome->input = horizon->plan->input;
  outcome->plan = horizon->plan;
  outcome->iterations = dc_horizon_iterations(horizon);
  return DC_OK;
}

// Why the minimization is over.
static const char *end_of(const struct dc_plan *plan)
{
  static const char *const names[] = {
      [DC_END_TARGET] = "target",   [DC_END_ITERATIONS] = "iterations", [DC_END_STATIONARY] = "stationary",
      [DC_END_BLOCKED] = "blocked", [DC_END_NO_STEP] = "no step",       [DC_END_NONE] = NULL};
  const struct dc_optimizer_common *common = plan->descent.optimizer_options;
  enum dc_optimizer_end end = dc_minimization_result(plan->descent.running)->end;
  bool used_up = plan->descent.earlier > 0 && dc_plan_iterations(plan) >= common->iterations;
  return names[end == DC_END_NONE && used_up ? DC_END_ITERATIONS : end];
}

// Results of a plan or a search: the best trajectory and the first.  The best parameters are applied to the plan's
// input.
enum dc_status dc_session_plan_outcome(struct session *session, struct outcome *outcome)
{
  struct dc_plan *plan = session->plan;
  dc_plan_apply(plan, plan->descent.best_parameters);
  outcome->best = plan->forward ? plan->trajectory : plan->descent.best;  // a simulation has one
  outcome->first = plan->forward ? plan->trajectory : plan->descent.first;
  outcome->best_parameters = plan->descent.best_parameters;
  outcome->first_parameters = plan->descent.first_parameters;
  outcome->judged = *outcome->best;
  outcome->input = plan->input;
  outcome->plan = plan;
  outcome->iterations = dc_plan_iterations(plan);
  outcome->retreats = plan->descent.retreats;
  if (plan->descent.running)
    outcome->end = end_of(plan);
  if (session->search) {
    outcome->iterations = dc_search_iterations(session->search);
    outcome->end = dc_search_done(session->search) ? dc_search_reached(session->search) ? "target" : "rollouts" : NULL;
  }
  return DC_OK;
}

// Collects the results of the session's kind of run, with the model that its design made, and judges success.
enum dc_status dc_session_outcome(struct session *session, struct outcome *outcome)
{
  const struct dc_scene *scene = session->scene->scene;
  *outcome = (struct outcome){0};
  enum dc_status status = session->kind->outcome(session, outcome);
  if (status)
    return status;
  if (outcome->plan && outcome->input)
    outcome->model = dc_rollout_adopt(outcome->plan->rollout, outcome->input, NULL);
  if (!outcome->model)
    outcome->model = &scene->model;
  outcome->success =
      dc_task_success(&scene->task, outcome->model, outcome->input, &outcome->judged, outcome->judged.steps);
  return DC_OK;
}
