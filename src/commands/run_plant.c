// SPDX-License-Identifier: Apache-2.0
// The verdict of the scene's plant on a plan that was found in one piece.
#include <math.h>

#include "commands/session.h"

bool dc_session_is_transferred(const struct session *session)
{
  return session->scene->scene->plant_given && session->optimizing && session->plan;
}

// Executes the best controls in the plant and judges what comes of them by the scene's task.
enum dc_status dc_session_transfer(struct session *session, const struct outcome *outcome, struct transfer *transfer)
{
  const struct dc_scene *scene = session->scene->scene;
  int steps = outcome->best->steps;
  transfer->record = dc_record_create(&scene->model, steps);
  if (!transfer->record)
    return dc_out_of_memory_for(&session->error, "a trajectory of %d steps", steps);
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
  transfer->loss = dc_task_loss(&scene->task, outcome->model, outcome->input, transfer->record, NULL);
  transfer->success = dc_task_success(&scene->task, outcome->model, outcome->input, transfer->record, steps);
  return DC_OK;
}
