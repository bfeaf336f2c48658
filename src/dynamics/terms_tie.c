// SPDX-License-Identifier: Apache-2.0
// The term of ties: a spring between the centres a and b of two frames,
//     S/2 |e|^2,  e = a(q+) - b(q+);   forces S e on a and -S e on b,  Hessian S (1, -1; -1, 1) by (a, b) along every axis,
// and nothing else depends on it (docs/theory/bodies.md, "Ties").  A force there is a wrench without torque; the assembler
// adds what places of frames have for second derivatives by coordinates.
#include <math.h>

#include "dynamics/step.h"
#include "math/vector.h"

#define FOR_EACH_TIE(tie, state)                                                                                       \
  for (const struct dc_tie *tie = (state)->model->definition.ties, *end_ = tie + (state)->model->definition.tie_count; \
       tie < end_; tie++)

static void stretch(const struct dc_step_state *state, const struct dc_tie *tie, double e[3])
{
  dc_vec_sub(e, state->next[tie->body].position, state->next[tie->to].position);
}

static double tie_value(const struct dc_step_state *state)
{
  double sum = 0, e[3];
  FOR_EACH_TIE(tie, state)
  {
    stretch(state, tie, e);
    sum += 0.5 * tie->stiffness * dc_vec_dot(e, e);
  }
  return sum;
}

static void tie_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  double e[3];
  FOR_EACH_TIE(tie, state)
  {
    stretch(state, tie, e);
    dc_vec_add_scaled(forces->wrenches[tie->body] + 3, forces->wrenches[tie->body] + 3, tie->stiffness, e);
    dc_vec_add_scaled(forces->wrenches[tie->to] + 3, forces->wrenches[tie->to] + 3, -tie->stiffness, e);
  }
}

// A block of stiffness along every axis of the shifts.
static void add_shift(double block[36], double stiffness)
{
  for (int k = 3; k < 6; k++)
    block[7 * k] += stiffness;
}

// Positive semidefinite as it is.
static void tie_add_hessian(const struct dc_step_state *state, bool exact, struct dc_step_hessian *hessian)
{
  const struct dc_body *bodies = state->model->bodies.bodies;
  (void)exact;
  FOR_EACH_TIE(tie, state)
  {
    bool moves = dc_body_moves(&bodies[tie->body]), other = dc_body_moves(&bodies[tie->to]);
    double both[36] = {0};
    if (moves)
      add_shift(hessian->blocks[tie->body], tie->stiffness);
    if (other)
      add_shift(hessian->blocks[tie->to], tie->stiffness);
    if (!moves || !other)
      continue;
    add_shift(both, -tie->stiffness);
    dc_assemble_pair(hessian->assembler, hessian->kinematics, tie->body, tie->to, 1, both, hessian->matrix);
  }
}

static void tie_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                          struct dc_step_cotangent *out)
{
  (void)state, (void)direction, (void)out;  // depends on q+ only
}

// Rates of the forces on the frames' centres along the direction.
static enum dc_status tie_add_shape_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                                          struct dc_step_shape *shape, struct dc_error *error)
{
  double rate[3];
  (void)error;
  FOR_EACH_TIE(tie, state)
  {
    dc_vec_sub(rate, direction->twists[tie->body] + 3, direction->twists[tie->to] + 3);
    dc_vec_add_scaled(shape->rates[tie->body], shape->rates[tie->body], tie->stiffness, rate);
    dc_vec_add_scaled(shape->rates[tie->to], shape->rates[tie->to], -tie->stiffness, rate);
  }
  return DC_OK;
}

// Noise of places times stiffness.
static void tie_add_floor(const struct dc_step_state *state, struct dc_step_forces *floor)
{
  FOR_EACH_TIE(tie, state)
  {
    double size = dc_vec_norm(state->next[tie->body].position) + dc_vec_norm(state->next[tie->to].position);
    for (int k = 3; k < 6; k++) {
      floor->wrenches[tie->body][k] += DC_POSITION_NOISE * tie->stiffness * size;
      floor->wrenches[tie->to][k] += DC_POSITION_NOISE * tie->stiffness * size;
    }
  }
}

const struct dc_step_term dc_tie_term = {
    .name = "ties",
    .reference = "docs/theory/bodies.md, \"Ties\"",
    .value = tie_value,
    .add_gradient = tie_add_gradient,
    .add_hessian = tie_add_hessian,
    .add_mixed = tie_add_mixed,
    .add_shape_mixed = tie_add_shape_mixed,
    .add_floor = tie_add_floor,
};
