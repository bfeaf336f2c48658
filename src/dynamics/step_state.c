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

// Sum of the design's factors on the moduli of a body's elements.
static double sum_of_factors(const struct dc_step_state *state, const struct dc_soft *soft)
{
  const double *factor = state->input->design.young_element + soft->first_element;
  double sum = 0;
  for (int e = 0; e < soft->mesh.element_count; e++)
    sum += factor[e];
  return sum;
}

double dc_mean_young(const struct dc_step_state *state, const struct dc_soft *soft)
{
  return state->input->design.young_scale[soft->body] * soft->young * sum_of_factors(state, soft) /
         soft->mesh.element_count;
}

// Newmark's numbers of an interval of length h, from s in terms_past.c, and their derivatives by log s; sound has the
// speed sqrt(E/density), both of the design.
struct newmark {
  double g, b, g_slope, b_slope;
};

static struct newmark newmark_of(const struct dc_step_state *state, const struct dc_soft *soft, double h)
{
  double density = state->input->design.body_mass_scale[soft->body] * soft->density;
  double s = h * h * dc_mean_young(state, soft) / density * soft->elastic.steepness, g = 0.5 + DAMPING * s / (s + STIFF);
  double slope = DAMPING * STIFF * s / ((s + STIFF) * (s + STIFF));
  return (struct newmark){g, 0.25 * (g + 0.5) * (g + 0.5), slope, 0.5 * (g + 0.5) * slope};
}

// The share of elastic forces at a place of the interval, and its derivative by the logarithm of modulus over density.
struct share {
  double value, slope;
};

static struct share share_of(const struct dc_step_state *state, const struct dc_soft *soft)
{
  double h = state->interval.length, past = dc_interval_past(state->interval);
  if (!state->prediction)
    return (struct share){1, 0};
  struct newmark now = newmark_of(state, soft, h), before = newmark_of(state, soft, past * h);
  double behind = past * (before.g - before.b), behind_slope = past * (before.g_slope - before.b_slope);
  if (state->place == DC_AT_NEXT)
    return (struct share){now.b, now.b_slope};
  if (state->place == DC_AT_NOW)
    return (struct share){0.5 - now.b + behind, behind_slope - now.b_slope};
  return (struct share){past * (0.5 - before.g + before.b), -behind_slope};
}

double dc_past_share(const struct dc_step_state *state, const struct dc_soft *soft)
{
  return share_of(state, soft).value;
}

void dc_past_share_pull_back(const struct dc_step_state *state, const struct dc_soft *soft, double weight,
                             struct dc_design *design)
{
  const struct dc_design *at = &state->input->design;
  double slope = weight * share_of(state, soft).slope;
  if (slope == 0)
    return;
  design->young_scale[soft->body] += slope / at->young_scale[soft->body];
  design->body_mass_scale[soft->body] -= slope / at->body_mass_scale[soft->body];
  double each = slope / sum_of_factors(state, soft);
  for (int e = 0; e < soft->mesh.element_count; e++)
    design->young_element[soft->first_element + e] += each;
}

double dc_past_share_change(const struct dc_step_state *state, const struct dc_soft *soft,
                            const struct dc_design *change)
{
  const struct dc_design *at = &state->input->design;
  double slope = share_of(state, soft).slope, elements = 0;
  for (int e = 0; e < soft->mesh.element_count && slope != 0; e++)
    elements += change->young_element[soft->first_element + e];
  if (slope == 0)
    return 0;
  return slope * (change->young_scale[soft->body] / at->young_scale[soft->body] -
                  change->body_mass_scale[soft->body] / at->body_mass_scale[soft->body] +
                  elements / sum_of_factors(state, soft));
}

double dc_contact_share(const struct dc_step_state *state)
{
  if (!state->prediction)
    return 1;
  if (state->place == DC_AT_NEXT)
    return CONTACT;
  return state->place == DC_AT_NOW ? dc_interval_past(state->interval) * (1 - CONTACT) : 0;
}
