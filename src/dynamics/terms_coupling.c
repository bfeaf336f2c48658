// SPDX-License-Identifier: Apache-2.0
// The term of couplings: follower b of a coordinate t is held by a spring,
//     S/2 e^2,  e = q_b+ - m q_t+ - c;   gradient S e (1, -m),  Hessian S (1, -m; -m, m^2)
// in (q_b+, q_t+), and nothing else depends on it (docs/theory.md, "Couplings").
#include <math.h>

#include "dynamics/step.h"

static const struct dc_joint_part *part_of(const struct dc_step_state *state, int body)
{
  return &state->model->bodies.bodies[body].parts[0];
}

// e of the model's coupling k.
static double stretch(const struct dc_step_state *state, int k)
{
  const struct dc_coupling *coupling = &state->model->definition.couplings[k];
  double follower = state->q_next[part_of(state, coupling->body)->q],
         other = state->q_next[part_of(state, coupling->to)->q];
  return follower - coupling->multiplier * other - coupling->offset;
}

static double coupling_value(const struct dc_step_state *state)
{
  double sum = 0;
  for (int k = 0; k < state->model->definition.coupling_count; k++) {
    double e = stretch(state, k);
    sum += 0.5 * state->model->definition.couplings[k].stiffness * e * e;
  }
  return sum;
}

static void coupling_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  for (int k = 0; k < state->model->definition.coupling_count; k++) {
    const struct dc_coupling *coupling = &state->model->definition.couplings[k];
    double force = coupling->stiffness * stretch(state, k);
    forces->joints[part_of(state, coupling->body)->v] += force;
    forces->joints[part_of(state, coupling->to)->v] -= coupling->multiplier * force;
  }
}

static void coupling_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  (void)exact;  // convex
  for (int k = 0; k < state->model->definition.coupling_count; k++) {
    const struct dc_coupling *coupling = &state->model->definition.couplings[k];
    int v = part_of(state, coupling->body)->v, w = part_of(state, coupling->to)->v;
    double own = coupling->stiffness, mixed = -coupling->multiplier * own, other = -coupling->multiplier * mixed;
    dc_assemble_joint(hessian->assembler, coupling->body, v, 1, &own, hessian->matrix);
    dc_assemble_joint(hessian->assembler, coupling->to, w, 1, &other, hessian->matrix);
    dc_assemble_coordinates(hessian->assembler, coupling->body, v, coupling->to, w, mixed, hessian->matrix);
  }
}

static void coupling_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                               struct dc_step_cotangent *out)
{
  (void)state, (void)direction, (void)out;  // depends on q+ only
}

static void coupling_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  for (int k = 0; k < state->model->definition.coupling_count; k++) {
    const struct dc_coupling *coupling = &state->model->definition.couplings[k];
    const struct dc_joint_part *part = part_of(state, coupling->body), *other = part_of(state, coupling->to);
    double m = fabs(coupling->multiplier);
    double rounding = DC_POSITION_NOISE * coupling->stiffness *
                      (1 + fabs(state->q_next[part->q]) + m * (1 + fabs(state->q_next[other->q])));
    floor->joints[part->v] += rounding;
    floor->joints[other->v] += m * rounding;
  }
}

const struct dc_step_term dc_coupling_term = {
    .name = "couplings",
    .reference = "docs/theory.md, \"Couplings\"",
    .value = coupling_value,
    .add_gradient = coupling_add_gradient,
    .add_hessian = coupling_add_hessian,
    .add_mixed = coupling_add_mixed,
    .add_floor = coupling_add_floor,
};
