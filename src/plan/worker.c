// SPDX-License-Identifier: Apache-2.0
#include "plan/worker.h"

#include <string.h>

struct dc_plan *dc_plan_hire(const struct dc_plan *plan, struct dc_error *error)
{
  return dc_plan_create(plan->model, plan->task, plan->capacity, error);
}

void dc_plan_follow(struct dc_plan *worker, const struct dc_plan *plan)
{
  dc_plan_set_window(worker, plan->window.first, plan->window.steps);
  worker->start = plan->start;
  memcpy(worker->state, plan->state, (size_t)plan->state_size * sizeof *plan->state);
  worker->work = (struct dc_plan_work){0};
}

void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work)
{
  sum->rollouts += work->rollouts;
  sum->steps += work->steps;
  sum->newton_iterations += work->newton_iterations;
  sum->evaluations += work->evaluations;
  sum->contact_seconds += work->contact_seconds;
}
