// SPDX-License-Identifier: Apache-2.0
// The present window of a receding horizon: its length, its start, and its minimization.
#include <string.h>

#include "plan/horizon_internal.h"

int dc_horizon_window_steps(const struct dc_receding_horizon *h)
{
  long rest = h->steps - h->executed->steps;
  return (int)(h->horizon.length < rest ? h->horizon.length : rest);
}

// Sets the start of the next window: the end of the steps executed, or the plant's state; a window that was foreseen
// gets no iterations unless it was tried before.
void dc_horizon_set_start(struct dc_receding_horizon *h)
{
  struct dc_optimizer_common *common = h->optimizer_options;
  if (common)  // a replay has none
    common->iterations = h->foreseen && !h->window.retried ? 0 : h->horizon.iterations;
  size_t nq = (size_t)h->model->bodies.nq, k = (size_t)h->executed->steps;
  struct dc_plan *plan = h->plan;
  dc_plan_set_window(plan, (long)k, dc_horizon_window_steps(h));
  plan->start = (struct dc_plan_start){0};
  if (k == 0)
    return;
  if (h->plant) {
    plan->start = dc_horizon_plant_start(h);
    return;
  }
  plan->start = dc_plan_go_on(h->model, h->executed, h->window.start_velocity);
  plan->start.q_before = memcpy(h->window.q_before, plan->start.q_before, nq * sizeof *h->window.q_before);
}

enum dc_status dc_horizon_begin_window(struct dc_receding_horizon *h, struct dc_error *error)
{
  return dc_plan_begin(h->plan, h->optimizer, h->optimizer_options, h->parameters, error);
}
