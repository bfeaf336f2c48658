// SPDX-License-Identifier: Apache-2.0
// The state of one interval as the terms see it: where it begins and ends, by coordinates and by poses, and what a
// rollout knows of contact there.
#include "dynamics/step.h"

// The state of a step as its terms read it: three configurations, their poses, and the contacts of the rollout.
struct dc_step_state dc_step_state_of(const struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                      struct dc_step_interval interval, const double *q_before, const double *q_now,
                                      const double *q_next)
{
  bool predicts = rollout->prediction != NULL;
  return (struct dc_step_state){.model = rollout->model,
                                .input = input,
                                .interval = interval,
                                .q_before = q_before,
                                .q_now = q_now,
                                .q_next = q_next,
                                .before = rollout->before.poses,
                                .now = rollout->now.poses,
                                .next = rollout->next.poses,
                                .axes_now = rollout->now.axes,
                                .held = rollout->newton.held,
                                .hardening = 1,
                                .rigid = &rollout->rigid,
                                .pairs = rollout->rigid.pairs,
                                .surface = rollout->surface,
                                .far = rollout->far,
                                .prediction = rollout->prediction,
                                .q_predicted = predicts ? dc_predicted_state(rollout->prediction) : NULL,
                                .predicted = predicts ? dc_predicted_poses(rollout->prediction) : NULL,
                                .kick = predicts ? 0.5 * (1 + dc_interval_past(interval)) : 1,
                                .past = rollout->nodes.past};
}
