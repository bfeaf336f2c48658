// SPDX-License-Identifier: Apache-2.0
// The present window of a receding horizon: its length, where it starts, how it is minimized.
#include <string.h>

#include "plan/horizon_internal.h"

int dc_horizon_window_steps(const struct dc_receding_horizon *h)
{
  long rest = h->steps - h->executed->steps;
  return (int)(h->horizon.length < rest ? h->horizon.length : rest);
}

void dc_horizon_set_start(struct dc_receding_horizon *h)
{
  struct dc_optimizer_common *common = h->optimizer_options;
  if (common)  // of a replay there is none
    common->iterations = h->foreseen && !h->retried ? 0 : h->horizon.iterations;
  const struct dc_bodies *bodies = &h->model->bodies;
  size_t nq = (size_t)bodies->nq, k = (size_t)h->executed->steps;
  struct dc_plan *plan = h->plan;
  dc_plan_set_window(plan, (long)k, dc_horizon_window_steps(h));
  plan->start = (struct dc_plan_start){0};
  if (k == 0)
    return;
  plan->start.q = h->executed->q + k * nq;
  plan->start.velocity = h->start_velocity;
  double before;
  int last = (int)k - 1;
  const double *q_before =
      dc_trajectory_state(h->executed, last, dc_trajectory_substeps(h->executed, last) - 1, &before);
  plan->start.q_before = memcpy(h->q_before, q_before, nq * sizeof *h->q_before);
  plan->start.before_length = plan->window.time_step * (1 - before);
  if (h->executed->velocity) {
    memcpy(h->start_velocity, h->executed->velocity + k * (size_t)bodies->nv,
           (size_t)bodies->nv * sizeof *h->start_velocity);
    return;
  }
  dc_state_difference(bodies, plan->start.q_before, plan->start.q, h->start_velocity);
  for (int i = 0; i < bodies->nv; i++)
    h->start_velocity[i] /= plan->start.before_length;
}

enum dc_status dc_horizon_begin_window(struct dc_receding_horizon *h, struct dc_error *error)
{
  return dc_plan_begin(h->plan, h->optimizer, h->optimizer_options, h->parameters, error);
}
