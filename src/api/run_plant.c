// SPDX-License-Identifier: Apache-2.0
// What a run tells about the scene's plant, and the verdict there on a plan that was found in one piece.
#include <math.h>

#include "api/session.h"

bool dc_session_is_transferred(const struct session *session)
{
  return session->scene->scene->plant_given && session->optimizing && session->plan;
}

// A plan that the plant cannot execute is one that does not reach anything there.
enum dc_status dc_session_transfer(struct session *session, const struct outcome *outcome, struct transfer *transfer)
{
  const struct dc_scene *scene = session->scene->scene;
  int steps = outcome->best->steps;
  transfer->record = dc_record_create(&scene->model, steps);
  if (!transfer->record)
    return dc_fail(&session->error, DC_MEMORY, "out of memory for a trajectory of %d steps", steps);
  session->execution = dc_execution_create(&scene->plant, steps, &session->error);
  if (!session->execution)
    return session->error.status;
  enum dc_status status =
      dc_execution_begin(session->execution, outcome->input, steps, transfer->record, &transfer->failure);
  if (status == DC_MEMORY)
    return dc_fail(&session->error, DC_MEMORY, "%s", transfer->failure.text);
  if (status)
    return DC_OK;
  transfer->executed = true;
  transfer->loss = dc_task_loss(&scene->task, &scene->model, outcome->input, transfer->record, NULL);
  transfer->success = dc_task_success(&scene->task, &scene->model, transfer->record, steps);
  return DC_OK;
}

void dc_session_describe_plant(const struct session *session, const struct transfer *transfer,
                               const struct outcome *outcome, struct dc_text *text, struct dc_json_writer *json)
{
  const struct dc_scene *scene = session->scene->scene;
  const struct dc_model_definition *plant = &scene->plant.model.definition;
  if (!scene->plant_given)
    return;
  dc_json_begin(json, "plant", '{');
  dc_json_put_string(json, "model", plant->contact_model->name);
  dc_json_put_number(json, "time_step", plant->time.step);
  if (dc_session_is_transferred(session)) {
    dc_json_put_boolean(json, "success", transfer->success);
    dc_text_add(text, "  executed in the plant (%s, steps of %.9g s): ", plant->contact_model->name, plant->time.step);
  } else {
    dc_text_add(text, "  this is in the plant (%s, steps of %.9g s)\n", plant->contact_model->name, plant->time.step);
  }
  if (transfer->executed) {
    struct outcome there = *outcome;
    double gap = dc_trajectory_gap(transfer->record, 0, transfer->record->steps);
    there.judged = *transfer->record;
    dc_json_put_number(json, "loss", transfer->loss);
    dc_json_put_number(json, "min_gap", gap);
    dc_text_add(text, "loss %.6g, task %sreached\n", transfer->loss, transfer->success ? "" : "not ");
    dc_session_put_objectives(session, &there, json, text);
  } else if (dc_session_is_transferred(session)) {
    dc_json_put_string(json, "failure", transfer->failure.text);
    dc_text_add(text, "task not reached: %s\n", transfer->failure.text);
  }
  dc_json_end(json, '}');
}
