// SPDX-License-Identifier: Apache-2.0
// Restitution as a term of the step potential: D(poses at t+1; poses at t) of contact/friction/impact.h.
#include <string.h>

#include "dynamics/step.h"
#include "math/vector.h"

static double impact_value(const struct dc_step_state *state)
{
  return state->resists ? state->impact_energy : 0;
}

static void impact_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int p = 0; p < state->pair_count && state->resists; p++)
    for (int i = 0; i < 12; i++)
      forces->wrenches[state->pair_bodies[p][i / 6]][i % 6] += state->impact[p].gradient[i];
}

// Where nothing opens there is no energy and no derivative.
static bool opens(const struct dc_step_state *state, int pair)
{
  return state->resists && state->impact[pair].energy > 0;
}

static void impact_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  for (int p = 0; p < state->pair_count; p++)
    if (opens(state, p))
      dc_step_add_lagged_hessian(state, p, &state->impact[p], exact, hessian);
}

static void impact_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                             struct dc_step_cotangent *out)
{
  double mu = 0;
  if (state->resists)
    dc_contact_impact_pull_back(state->contact, state->next, direction->twists, out->now.wrenches, &mu);
  out->input->design.stiffness_scale += mu * state->model->definition.contact.stiffness;
}

// D is proportional to the stiffness.
static void impact_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                               struct dc_step_forces *forces)
{
  double scale = variation->input->design.stiffness_scale / state->input->design.stiffness_scale;
  for (int m = 0; m < state->impact_mixed_count; m++) {
    const struct dc_friction_mixed *mixed = &state->impact_mixed[m];
    const int *pair = state->pair_bodies[mixed->pair];
    const double *a = variation->now.twists[pair[0]], *b = variation->now.twists[pair[1]];
    for (int i = 0; i < 12; i++)
      forces->wrenches[pair[i / 6]][i % 6] += dc_dot(mixed->rows[i], a, 6) + dc_dot(mixed->rows[i] + 6, b, 6) +
                                              scale * state->impact[mixed->pair].gradient[i];
  }
}

const struct dc_step_term dc_impact_term = {
    .name = "restitution",
    .reference = "docs/theory.md, \"Restitution\"",
    .value = impact_value,
    .add_gradient = impact_add_gradient,
    .add_hessian = impact_add_hessian,
    .add_mixed = impact_add_mixed,
    .add_product = impact_add_product,
};
