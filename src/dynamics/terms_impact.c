// SPDX-License-Identifier: Apache-2.0
// Restitution as a term of the step potential: D(poses at t+1; poses at t) of contact/friction/impact.h.
#include <math.h>
#include <string.h>

#include "dynamics/step.h"
#include "math/vector.h"

static double impact_value(const struct dc_step_state *state)
{
  return state->rigid->resists ? state->rigid->impact_energy : 0;
}

static void impact_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int p = 0; p < state->rigid->pair_count && state->rigid->resists; p++)
    for (int i = 0; i < 12; i++)
      forces->wrenches[state->rigid->pair_bodies[p][i / 6]][i % 6] += state->rigid->impact[p].gradient[i];
}

// Where nothing opens there is no energy and no derivative.
static bool opens(const struct dc_step_state *state, int pair)
{
  return state->rigid->resists && state->rigid->impact[pair].energy > 0;
}

static void impact_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  for (int p = 0; p < state->rigid->pair_count; p++)
    if (opens(state, p))
      dc_rigid_add_lagged_hessian(state, p, &state->rigid->impact[p], exact, hessian);
}

static void impact_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                             struct dc_step_cotangent *out)
{
  double mu = 0;
  if (state->rigid->resists)
    dc_contact_impact_pull_back(state->rigid->contact, state->next, direction->twists, out->now.wrenches, &mu,
                                out->input->design.restitution_shift);
  out->input->design.stiffness_scale += mu * state->model->definition.contact.stiffness;
}

// The relative change of what a pair loses along a variation of the restitutions.
static double loss_change(const struct dc_step_state *state, const struct dc_design *change, const int pair[2])
{
  const struct dc_design *design = &state->input->design;
  double slopes[2];
  if (change->restitution_shift[pair[0]] == 0 && change->restitution_shift[pair[1]] == 0)
    return 0;
  dc_impact_loss_slopes(fmin(dc_design_restitution(state->model, design, pair[0]), 1),  // fmin passes over NAN
                        fmin(dc_design_restitution(state->model, design, pair[1]), 1), slopes);
  return slopes[0] * change->restitution_shift[pair[0]] + slopes[1] * change->restitution_shift[pair[1]];
}

// D is proportional to the stiffness and to 1 - e^2.
static void impact_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                               struct dc_step_forces *forces)
{
  double stiffness = variation->input->design.stiffness_scale / state->input->design.stiffness_scale;
  for (size_t m = 0; m < state->rigid->impact_mixed.count; m++) {
    const struct dc_friction_mixed *mixed = &state->rigid->impact_mixed.pairs[m];
    const int *pair = state->rigid->pair_bodies[mixed->pair];
    const double *a = variation->now.twists[pair[0]], *b = variation->now.twists[pair[1]];
    double scale = stiffness + loss_change(state, &variation->input->design, pair);
    for (int i = 0; i < 12; i++)
      forces->wrenches[pair[i / 6]][i % 6] += dc_dot(mixed->rows[i], a, 6) + dc_dot(mixed->rows[i] + 6, b, 6) +
                                              scale * state->rigid->impact[mixed->pair].gradient[i];
  }
}

// Where bodies part slowly.
static void impact_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  for (int p = 0; p < state->rigid->pair_count && state->rigid->resists; p++) {
    const double(*h_aa)[6] = state->rigid->impact[p].h_aa;
    dc_rigid_add_floor(state, p, 0, h_aa[3][3] + h_aa[4][4] + h_aa[5][5], 0, floor);
  }
}

static enum dc_status impact_prepare_product(struct dc_rollout *rollout, const struct dc_step_state *state,
                                             struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  rigid->impact_mixed.count = 0;
  memset(rollout->twists, 0, (size_t)rollout->model->bodies.count * sizeof *rollout->twists);
  for (int p = 0; p < rigid->pair_count; p++) {
    if (!opens(state, p))
      continue;
    struct dc_friction_mixed *mixed = dc_rigid_add_mixed(&rigid->impact_mixed, p);
    if (!mixed)
      return dc_fail(error, DC_MEMORY, "out of memory for restitution");
    dc_contact_impact_mixed(rigid->contact, state->next, p, rollout->twists, rollout->wrenches_now, mixed->rows);
  }
  return DC_OK;
}

const struct dc_step_term dc_impact_term = {
    .name = "restitution",
    .reference = "docs/theory.md, \"Restitution\"",
    .value = impact_value,
    .add_gradient = impact_add_gradient,
    .add_hessian = impact_add_hessian,
    .add_mixed = impact_add_mixed,
    .add_product = impact_add_product,
    .add_floor = impact_add_floor,
    .prepare_product = impact_prepare_product,
};
