// SPDX-License-Identifier: Apache-2.0
// The state of one interval as the terms see it: where it begins and ends, by coordinates and by poses, and what a
// rollout knows of contact there.  Besides, how much of elastic forces and of those of half-spaces is due in it.
#include "dynamics/step.h"

// They damp elastic forces beside a prediction: D and S in terms_past.c.
static const double DAMPING = 0.2;   // D; a constant g of 0.55 let stiff blocks that spin gain energy at 10 ms
static const double STIFF = 40;      // S; with 160 blocks that spin gain energy
static const double CONTACT = 0.55;  // c there; with 0.5 derivatives grow, less would give energy

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

// Newmark's numbers of an interval of length h, from s in terms_past.c; sound has the speed sqrt(E/density).
struct newmark {
  double g, b;
};

static struct newmark newmark_of(const struct dc_soft *soft, double h)
{
  double s = h * h * soft->young / soft->density * soft->elastic.steepness, g = 0.5 + DAMPING * s / (s + STIFF);
  return (struct newmark){g, 0.25 * (g + 0.5) * (g + 0.5)};
}

double dc_past_share(const struct dc_step_state *state, const struct dc_soft *soft)
{
  double h = state->interval.length, past = dc_interval_past(state->interval);
  struct newmark now = newmark_of(soft, h), before = newmark_of(soft, past * h);
  if (!state->prediction)
    return 1;
  if (state->place == DC_AT_NEXT)
    return now.b;
  return state->place == DC_AT_NOW ? 0.5 - now.b + past * (before.g - before.b) : past * (0.5 - before.g + before.b);
}

double dc_contact_share(const struct dc_step_state *state)
{
  if (!state->prediction)
    return 1;
  if (state->place == DC_AT_NEXT)
    return CONTACT;
  return state->place == DC_AT_NOW ? dc_interval_past(state->interval) * (1 - CONTACT) : 0;
}
