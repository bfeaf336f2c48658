// SPDX-License-Identifier: Apache-2.0
#include "plan/worker.h"

#include <stdlib.h>
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

enum dc_status dc_plan_team_create(struct dc_plan *plan, int wanted, struct dc_plan_team *team, struct dc_error *error)
{
  struct dc_error none = {0};
  *team = (struct dc_plan_team){.plans = dc_alloc((size_t)wanted, sizeof(struct dc_plan *))};
  if (!team->plans)
    return dc_fail(error, DC_MEMORY, "out of memory for plans");
  team->plans[team->count++] = plan;
  while (team->count < wanted) {
    struct dc_plan *worker = dc_plan_hire(plan, &none);
    if (!worker)
      break;
    dc_plan_follow(worker, plan);
    team->plans[team->count++] = worker;
  }
  return DC_OK;
}

void dc_plan_team_release(struct dc_plan_team *team)
{
  for (int i = 1; i < team->count; i++)
    dc_plan_destroy(team->plans[i]);
  free(team->plans);
  *team = (struct dc_plan_team){0};
}

void dc_plan_add_work(struct dc_plan_work *sum, const struct dc_plan_work *work)
{
  sum->rollouts += work->rollouts;
  sum->steps += work->steps;
  sum->newton_iterations += work->newton_iterations;
  sum->evaluations += work->evaluations;
  sum->contact_seconds += work->contact_seconds;
}
