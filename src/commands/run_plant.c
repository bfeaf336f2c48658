// SPDX-License-Identifier: Apache-2.0
// The verdict of the scene's plant on a plan that was found in one piece, and the loop around it.
#include "commands/session.h"

bool dc_session_is_transferred(const struct session *session)
{
  return session->scene->scene->plant_given && session->optimizing && session->plan;
}

// Judges what was executed.
static void judge(const struct session *session, const struct outcome *outcome, struct transfer *transfer)
{
  const struct dc_task *task = &session->scene->scene->task;
  transfer->executed = true;
  transfer->loss = dc_task_loss(task, outcome->model, outcome->input, transfer->record, NULL);
  transfer->success = dc_task_success(task, outcome->model, outcome->input, transfer->record, transfer->record->steps);
}

// Where a plan of a scene without an optimizer misses, the loop is closed with settings by rule.  DC_STOPPED: it was
// not closed to its end, and a resumed run closes it anew.
static enum dc_status close_loop(struct session *session, const struct outcome *outcome, struct transfer *transfer)
{
  const struct dc_scene *scene = session->scene->scene;
  if (!scene->search.automatic || transfer->success || session->stopped || !outcome->success ||
      scene->task.design_count || scene->task.case_count)
    return DC_OK;
  const struct dc_loop_scene loop = {.model = &scene->model,
                                     .task = &scene->task,
                                     .plant = &scene->plant,
                                     .gradient = &scene->gradient,
                                     .parameters = outcome->best_parameters,
                                     .stop = &session->stop,
                                     .cancel = session->plan->cancel};
  dc_stop_request_begin(&session->stop, dc_session_observe_loop, session);
  enum dc_status status = dc_loop_close(&loop, &transfer->loop, &session->error);
  if (!transfer->loop.record)
    return status;
  dc_trajectory_destroy(transfer->record);
  transfer->record = transfer->loop.record;
  judge(session, outcome, transfer);
  return status;
}

// Executes the best controls in the plant and judges what comes of them by the scene's task; a plan that the plant
// cannot execute is one that does not reach anything there.
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
  if (!status)
    judge(session, outcome, transfer);
  return close_loop(session, outcome, transfer);
}
