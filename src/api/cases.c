// SPDX-License-Identifier: Apache-2.0
// The cases of a run (io/scene/scene_cases.c): each is judged by itself and, with a run directory, left as a run of its own
// in DIR/cases/NAME, which the other commands read like any other.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/session.h"
#include "plan/plan_cases.h"

// Loss, success and the farthest body of a case at the outcome's parameters.
static enum dc_status judge(const struct session *session, const struct outcome *outcome, int k,
                            struct case_outcome *judged, struct dc_error *error)
{
  const struct dc_scene *scene = session->scene->scene->cases[k];
  struct dc_plan *plan = session->plan->cases[k];
  *judged = (struct case_outcome){.name = scene->name, .body = -1, .distance = NAN};
  enum dc_status status = dc_plan_evaluate(plan, outcome->best_parameters, &judged->loss, NULL, error);
  if (status)
    return status;
  int last = plan->trajectory->steps;
  judged->success = dc_task_success(&scene->task, &scene->model, plan->trajectory, last);
  for (int i = 0; i < scene->task.objective_count; i++) {
    const struct dc_objective *objective = &scene->task.objectives[i];
    int body = -1;
    double distance = NAN;
    bool reached;
    if (!objective->type->report)
      continue;
    objective->type->report(objective->options, &scene->model, plan->trajectory, last, &body, &distance, &reached);
    if (!(distance <= judged->distance)) {
      judged->distance = distance;
      judged->body = body;
    }
  }
  return DC_OK;
}

// The run directory of a case: its scene simulated with these parameters.
static enum dc_status leave(struct session *session, const struct outcome *outcome, int k, struct dc_error *error)
{
  dcsim_scene scene = {.scene = session->scene->scene->cases[k], .seed = session->scene->seed};
  char directory[1100];
  int length = snprintf(directory, sizeof directory, "%s/cases/%s", dc_run_directory(session->run), scene.scene->name);
  if (length < 0 || (size_t)length >= sizeof directory)
    return dc_fail(error, DC_IO, "%.600s: the name of a case's directory is too long", dc_run_directory(session->run));
  const dcsim_run_options options = {
      .size = sizeof options, .directory = directory, .command_line = session->options->command_line};
  struct session single = {
      .scene = &scene, .options = &options, .given = outcome->best_parameters, .best_loss = NAN, .first_loss = NAN};
  dcsim_result result = {.plant_success = -1};
  dcsim_error failure = {0};
  if (dc_session_run(&single, &result, NULL, &failure) == DCSIM_OK)
    return DC_OK;
  return dc_fail(error, (enum dc_status)failure.status, "%.900s", failure.text);
}

enum dc_status dc_session_judge_cases(struct session *session, struct outcome *outcome)
{
  const struct dc_scene *scene = session->scene->scene;
  int count = session->plan ? session->plan->case_count : 0;
  if (count == 0 || outcome->best->steps != scene->definition.time.steps)
    return DC_OK;
  outcome->cases = dc_alloc((size_t)count, sizeof *outcome->cases);
  if (!outcome->cases)
    return dc_fail(&session->error, DC_MEMORY, "out of memory for cases");
  for (int k = 0; k < count; k++) {
    struct dc_error error = {0};
    enum dc_status status = judge(session, outcome, k, &outcome->cases[k], &error);
    if (!status && session->run && !session->options->results_only)
      status = leave(session, outcome, k, &error);
    if (status)
      return dc_fail(&session->error, status, "case \"%.255s\": %.600s", scene->cases[k]->name, error.text);
    outcome->success &= outcome->cases[k].success;
    outcome->case_count++;
  }
  return DC_OK;
}

void dc_session_put_cases(const struct session *session, const struct outcome *outcome, struct dc_json_writer *json,
                          struct dc_text *text)
{
  if (outcome->case_count == 0)
    return;
  dc_json_begin(json, "cases", '[');
  for (int k = 0; k < outcome->case_count; k++) {
    const struct case_outcome *judged = &outcome->cases[k];
    const struct dc_body *bodies = session->scene->scene->cases[k]->model.bodies.bodies;
    const char *body = judged->body >= 0 ? bodies[judged->body].name : NULL;
    dc_json_begin(json, NULL, '{');
    dc_json_put_string(json, "name", judged->name);
    dc_json_put_number(json, "loss", judged->loss);
    dc_json_put_boolean(json, "success", judged->success);
    dc_json_put_number(json, "distance", judged->distance);
    if (body)
      dc_json_put_string(json, "body", body);
    dc_json_end(json, '}');
    dc_text_add(text, "  case %s: loss %.6g", judged->name, judged->loss);
    if (body)
      dc_text_add(text, ", %s %.4g m from its target", body, judged->distance);
    dc_text_add(text, "%s\n", judged->success ? ", reached" : "");
  }
  dc_json_end(json, ']');
}

enum dc_status dc_session_check_cases(const struct session *session, const double *parameters, struct dc_error *error)
{
  const struct dc_scene *scene = session->scene->scene;
  struct dc_plan *plan = session->plan;
  for (int k = 0; plan && k < plan->case_count; k++) {
    for (int i = 0; i < plan->parameter_count; i++)
      plan->cases[k]->parameters[i] = parameters[i];
    enum dc_status status = dc_api_check_start(scene->cases[k], plan->cases[k], error);
    if (status) {
      dc_error_prefix(error, "case \"%.255s\"", scene->cases[k]->name);
      return status;
    }
  }
  return DC_OK;
}
