// SPDX-License-Identifier: Apache-2.0
// The cases of a run (io/scene/scene_cases.c), each judged by itself.  The loss of a run is the sum over its worlds,
// but it succeeds only where all of them do: a sum may hide one that fails.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/session.h"
#include "plan/plan_cases.h"

// Evaluates a case at the outcome's parameters: its loss, its success, and the body that ends farthest from its
// target, by the objectives that measure lengths.
static enum dc_status judge(const struct session *session, const struct outcome *outcome, int k,
                            struct case_outcome *judged, struct dc_error *error)
{
  const struct dc_scene *scene = session->scene->scene->cases.scenes[k];
  struct dc_plan *plan = session->plan->cases.plans[k];
  *judged = (struct case_outcome){.name = scene->name, .body = -1, .distance = NAN};
  enum dc_status status = dc_plan_evaluate(plan, outcome->best_parameters, &judged->loss, NULL, error);
  if (status)
    return status;
  int last = plan->trajectory->steps;
  judged->success = dc_task_success(&scene->task, dc_plan_model(plan), plan->input, plan->trajectory, last);
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    int body = -1;
    double distance = NAN;
    bool reached;
    if (!dc_task_reachable(objective) || strcmp(dc_task_distance_unit(objective->type), "m") != 0)
      continue;
    objective->type->report(objective->options, dc_plan_model(plan), plan->input, plan->trajectory, last, &body,
                            &distance, &reached);
    if (!(distance <= judged->distance)) {
      judged->distance = distance;
      judged->body = body;
    }
  }
  return DC_OK;
}

// Judges every case at the best parameters; a run succeeds only when all its cases do.
enum dc_status dc_session_judge_cases(struct session *session, struct outcome *outcome)
{
  const struct dc_scene *scene = session->scene->scene;
  int count = session->plan ? session->plan->cases.count : 0;
  if (count == 0 || outcome->best->steps != scene->definition.time.steps)
    return DC_OK;
  outcome->cases = dc_alloc((size_t)count, sizeof *outcome->cases);
  if (!outcome->cases)
    return dc_out_of_memory_for(&session->error, "cases");
  for (int k = 0; k < count; k++) {
    struct dc_error error = {0};
    enum dc_status status = judge(session, outcome, k, &outcome->cases[k], &error);
    if (status)
      return dc_fail(&session->error, status, "case \"%.255s\": %.600s", scene->cases.scenes[k]->name, error.text);
    outcome->success &= outcome->cases[k].success;
    outcome->case_count++;
  }
  return DC_OK;
}

// Refuses parameters with which bodies of a case overlap at the start; the message names the case.
enum dc_status dc_session_check_cases(const struct session *session, const double *parameters, struct dc_error *error)
{
  const struct dc_scene *scene = session->scene->scene;
  struct dc_plan *plan = session->plan;
  for (int k = 0; plan && k < plan->cases.count; k++) {
    for (int i = 0; i < plan->parameter_count; i++)
      plan->cases.plans[k]->parameters[i] = parameters[i];
    enum dc_status status = dc_api_check_start(scene->cases.scenes[k], plan->cases.plans[k], error);
    if (status) {
      dc_error_prefix(error, "case \"%.255s\"", scene->cases.scenes[k]->name);
      return status;
    }
  }
  return DC_OK;
}
