// SPDX-License-Identifier: Apache-2.0
// The present window of a receding horizon: its length, where it starts, how it is minimized.
#include <string.h>

#include "plan/horizon_internal.h"

int dc_horizon_window_steps(const struct dc_receding_horizon *h)
{
  long rest = h->steps - h->executed->steps;
  return (int)(h->horizon.length < rest ? h->horizon.length : rest);
}

// After a kick the next windows may be applied as they are, unless they cannot be rolled out.
bool dc_horizon_coasts(const struct dc_receding_horizon *h)
{
  return h->horizon.stall > 0 && h->stalled >= h->horizon.stall && h->stalled % h->horizon.stall < h->horizon.coast &&
         !h->retried;
}

void dc_horizon_set_start(struct dc_receding_horizon *h)
{
  struct dc_optimizer_common *common = h->optimizer_options;
  if (common)  // of a replay there is none
    common->iterations = dc_horizon_coasts(h) ? 0 : h->horizon.iterations;
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
  plan->start = dc_plan_go_on(h->model, h->executed, h->start_velocity);
  plan->start.q_before = memcpy(h->q_before, plan->start.q_before, nq * sizeof *h->q_before);
}

enum dc_status dc_horizon_begin_window(struct dc_receding_horizon *h, struct dc_error *error)
{
  enum dc_status status = dc_plan_begin(h->plan, h->optimizer, h->optimizer_options, h->parameters, error);
  h->plan->first_guess_found |= dc_horizon_coasts(h);
  return status;
}
