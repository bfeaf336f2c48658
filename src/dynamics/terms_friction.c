// SPDX-License-Identifier: Apache-2.0
// The term friction of the step potential: D(poses at t+1; poses at t) of rigid bodies, whose lists and derivatives are
// those of contact/friction/friction.h (paper 003, Eq. 12 and 13).  terms_contact.c evaluates it with contact; here it
// is added up, with its derivatives by the poses at t, coefficients, stiffness and what the interval before has left.
#include <string.h>

#include "dynamics/impact_pair.h"
#include "dynamics/lag.h"
#include "dynamics/shape_rates.h"
#include "math/vector.h"

// Whether a pair of bodies has any friction at the last evaluation; what is at rest has no energy but is stiff.
static bool slides(const struct dc_step_state *state, int pair)
{
  const struct dc_friction_derivatives *friction = &state->rigid->friction[pair];
  return state->rigid->slides && friction->acts &&
         (friction->h_aa[3][3] != 0 || friction->h_aa[4][4] != 0 || friction->h_aa[5][5] != 0);
}

// Makes room for one pair more; NULL when out of memory.
static struct dc_friction_mixed *add_mixed(struct dc_mixed_list *list, int pair)
{
  if (dc_grow(&list->pairs, &list->capacity, list->count + 1, sizeof *list->pairs))
    return NULL;
  list->pairs[list->count].pair = pair;
  return &list->pairs[list->count++];
}

// The mixed Hessians of the friction of all sliding pairs.
static enum dc_status friction_prepare_product(struct dc_rollout *rollout, const struct dc_step_state *state,
                                               struct dc_error *error)
{
  struct dc_rigid_contact *rigid = &rollout->rigid;
  rigid->mixed.count = 0;
  memset(rollout->adjoint.twists, 0, (size_t)rollout->model->bodies.count * sizeof *rollout->adjoint.twists);
  for (int p = 0; p < rigid->pair_count; p++) {
    if (!slides(state, p))
      continue;
    struct dc_friction_mixed *mixed = add_mixed(&rigid->mixed, p);
    if (!mixed)
      return dc_out_of_memory_for(error, "friction");
    dc_contact_friction_mixed(rigid->contact, state->next, p, rollout->adjoint.twists, rollout->adjoint.wrenches_now,
                              rollout->adjoint.coefficient_cotangents, mixed->rows);
  }
  return DC_OK;
}

static double friction_value(const struct dc_step_state *state)
{
  return state->rigid->slides ? state->rigid->friction_energy : 0;
}

// D has no derivatives where nothing slides since t, so that the arrays of the last interval are not read.
static void friction_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int p = 0; p < state->rigid->pair_count && state->rigid->slides; p++)
    for (int side = 0; side < 2 && state->rigid->friction[p].acts; side++)
      for (int k = 0; k < 6; k++)
        forces->wrenches[state->rigid->pair_bodies[p][side]][k] += state->rigid->friction[p].gradient[6 * side + k];
}

// The curvature of the rotations comes on its own.
static void friction_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  if (state->rigid->slides)
    dc_contact_friction_complete(state->rigid->contact, state->next, state->rigid->friction);
  for (int p = 0; p < state->rigid->pair_count && state->rigid->slides; p++)
    if (slides(state, p))
      dc_rigid_add_lagged_hessian(state, p, &state->rigid->friction[p], exact, hessian);
}

// The logarithmic derivatives of D by two of the numbers that the interval before has left.
struct by_memory {
  double beside, held;
};
static struct by_memory by_memory(const struct dc_lag *lag)
{
  if (lag->factor == 0)
    return (struct by_memory){0, 0};
  return (struct by_memory){lag->factor_by_slip / lag->factor, -lag->factor_by_net / lag->factor};
}

// D depends on the poses at t through planes, normal forces and places, on the logarithms of the friction
// coefficients, on the stiffness of contact, and on the impulse that friction did not use before.  Contact pulls back
// the first three.
static void friction_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                               struct dc_step_cotangent *out)
{
  if (!state->rigid->slides)
    return;
  double mu = 0;
  memset(out->coefficients, 0, (size_t)state->model->bodies.count * sizeof *out->coefficients);
  dc_contact_friction_pull_back(state->rigid->contact, state->next, direction->twists, out->now.wrenches,
                                out->coefficients, &mu, out->points);
  for (int i = 0; i < state->model->bodies.count; i++)
    if (out->coefficients[i] != 0)
      out->input->design.friction_scale[i] += out->coefficients[i] / state->input->design.friction_scale[i];
  out->input->design.stiffness_scale += mu * state->model->definition.contact.stiffness;
  // D is linear in the factor of the lag.
  for (int p = 0; p < state->rigid->pair_count && state->rigid->memory; p++) {
    struct by_memory by = by_memory(&state->rigid->lags[p]);
    double both[12], along;
    if ((by.beside == 0 && by.held == 0) || !slides(state, p))
      continue;
    dc_impact_gather(state->rigid->pair_bodies[p], direction->twists, both);
    along = dc_dot(both, state->rigid->friction[p].gradient, 12);
    out->memory[p][DC_IMPACT_BESIDE] += along * by.beside;
    out->memory[p][DC_IMPACT_HELD] += along * by.held;
  }
}

// Points have their part from add_mixed.
static enum dc_status friction_add_shape_mixed(const struct dc_step_state *state,
                                               const struct dc_step_direction *direction, struct dc_step_shape *shape,
                                               struct dc_error *error)
{
  (void)error;
  for (int p = 0; p < state->rigid->pair_count; p++) {
    int a = state->rigid->pair_bodies[p][0], b = state->rigid->pair_bodies[p][1];
    const struct dc_friction_derivatives *friction = &state->rigid->friction[p];
    if (!slides(state, p))
      continue;
    dc_shape_add_rate(friction->h_aa, 1, direction->twists[a], shape->rates[a]);
    dc_shape_add_rate(friction->h_ab, 1, direction->twists[b], shape->rates[a]);
    dc_shape_add_rate(friction->h_bb, 1, direction->twists[b], shape->rates[b]);
    dc_shape_add_transposed_rate(friction->h_ab, 1, direction->twists[a], shape->rates[b]);
  }
  return DC_OK;
}

// D is proportional to the stiffness and to the root of the coefficients of both bodies.
static void friction_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                                 struct dc_step_forces *forces)
{
  const struct dc_design *design = &state->input->design, *change = &variation->input->design;
  for (size_t m = 0; m < state->rigid->mixed.count; m++) {
    const struct dc_friction_mixed *mixed = &state->rigid->mixed.pairs[m];
    const int *pair = state->rigid->pair_bodies[mixed->pair];
    const double *a = variation->now.twists[pair[0]], *b = variation->now.twists[pair[1]];
    double scale = change->stiffness_scale / design->stiffness_scale;
    for (int side = 0; side < 2; side++)
      if (design->friction_scale[pair[side]] > 0)
        scale += 0.5 * change->friction_scale[pair[side]] / design->friction_scale[pair[side]];
    if (state->rigid->memory) {
      const double *moved = variation->memory[mixed->pair];
      struct by_memory by = by_memory(&state->rigid->lags[mixed->pair]);
      scale += moved[DC_IMPACT_BESIDE] * by.beside + moved[DC_IMPACT_HELD] * by.held;
    }
    for (int i = 0; i < 12; i++)
      forces->wrenches[pair[i / 6]][i % 6] += dc_dot(mixed->rows[i], a, 6) + dc_dot(mixed->rows[i] + 6, b, 6) +
                                              scale * state->rigid->friction[mixed->pair].gradient[i];
  }
}

// lambda f/(e h) at rest
static void friction_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  const struct dc_friction_law law = {.coefficient = state->rigid->coefficients,
                                     .scale = state->input->design.friction_scale};
  double width = state->model->definition.contact.friction_smoothing * state->interval.length;
  for (int p = 0; p < state->rigid->pair_count && state->rigid->slides; p++) {
    const int *pair = state->rigid->pair_bodies[p];
    double force = dc_step_stiffness(state) * dc_vec_norm(state->pairs[p].gradient + 3);
    if (force == 0)
      continue;
    double coefficient = dc_friction_law_coefficient(&law, state->rigid->contact, pair[0], pair[1]);
    dc_rigid_add_floor(state, p, 0, state->rigid->lag_factors[p] * coefficient * force / width, 0, floor);
  }
}

const struct dc_step_term dc_friction_term = {
    .name = "friction",
    .reference = "paper 003, Eq. 12 and 13; paper 000, A.3",
    .value = friction_value,
    .add_gradient = friction_add_gradient,
    .add_hessian = friction_add_hessian,
    .add_mixed = friction_add_mixed,
    .add_shape_mixed = friction_add_shape_mixed,
    .add_product = friction_add_product,
    .add_floor = friction_add_floor,
    .prepare_product = friction_prepare_product,
};
