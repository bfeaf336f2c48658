// SPDX-License-Identifier: Apache-2.0
// The term of ties: a spring between the centres a and b of two frames,
//     S/2 |e|^2,  e = a(q+) - b(q+);   forces S e on a and -S e on b,  Hessian S (1, -1; -1, 1) by (a, b) along every axis,
// and nothing else depends on it (docs/theory/bodies.md, "Ties").  A prediction q* holds ties already
// (prediction_ties.c); beside it how they give way to contact is left, with the share w of t+1,
//     w S/2 |e - e*|^2,  e* = a(q*) - b(q*).
// A force there is a wrench without torque; the assembler
// adds what places of frames have for second derivatives by coordinates.
#include <math.h>

#include "dynamics/step.h"
#include "dynamics/tie_shares.h"
#include "math/vector.h"

#define FOR_EACH_TIE(tie, state)                                                                                       \
  for (const struct dc_tie *tie = (state)->model->definition.ties, *end_ = tie + (state)->model->definition.tie_count; \
       tie < end_; tie++)

// e, or e - e*, and its stiffness.
static double stretch(const struct dc_step_state *state, const struct dc_tie *tie, double e[3])
{
  double predicted[3];
  dc_vec_sub(e, state->next[tie->body].position, state->next[tie->to].position);
  if (!state->prediction)
    return tie->stiffness;
  dc_vec_sub(predicted, state->predicted[tie->body].position, state->predicted[tie->to].position);
  dc_vec_sub(e, e, predicted);
  return tie->stiffness * dc_tie_shares_of(&state->interval, tie->stiffness, tie->mass).next;
}

// Adds a force on a and its opposite on b.
static void add_forces(const struct dc_tie *tie, double scale, const double e[3], double (*wrenches)[6])
{
  dc_vec_add_scaled(wrenches[tie->body] + 3, wrenches[tie->body] + 3, scale, e);
  dc_vec_add_scaled(wrenches[tie->to] + 3, wrenches[tie->to] + 3, -scale, e);
}

// With a prediction e is what the tie is stretched by beyond it, and S its share.
static double tie_value(const struct dc_step_state *state)
{
  double sum = 0, e[3];
  FOR_EACH_TIE(tie, state)
  {
    double stiffness = stretch(state, tie, e);
    sum += 0.5 * stiffness * dc_vec_dot(e, e);
  }
  return sum;
}

static void tie_add_gradient(const struct dc_step_state *state, struct dc_step_forces *forces)
{
  double e[3];
  FOR_EACH_TIE(tie, state)
  {
    double stiffness = stretch(state, tie, e);
    add_forces(tie, stiffness, e, forces->wrenches);
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
    double both[36] = {0}, e[3], stiffness = stretch(state, tie, e);
    if (moves)
      add_shift(hessian->blocks[tie->body], stiffness);
    if (other)
      add_shift(hessian->blocks[tie->to], stiffness);
    if (!moves || !other)
      continue;
    add_shift(both, -stiffness);
    dc_assemble_pair(hessian->assembler, hessian->kinematics, tie->body, tie->to, 1, both, hessian->matrix);
  }
}

// Adds to wrenches the change of the forces by the prediction, along twists [bodies][6].
static void add_change(const struct dc_step_state *state, const double (*twists)[6], double (*wrenches)[6])
{
  double rate[3], e[3];
  if (!state->prediction)
    return;
  FOR_EACH_TIE(tie, state)
  {
    double stiffness = stretch(state, tie, e);
    dc_vec_sub(rate, twists[tie->body] + 3, twists[tie->to] + 3);
    add_forces(tie, -stiffness, rate, wrenches);
  }
}

// Depends on q+, and on the prediction where there is one.
static void tie_add_mixed(const struct dc_step_state *state, const struct dc_step_direction *direction,
                          struct dc_step_cotangent *out)
{
  add_change(state, direction->twists, out->predicted.wrenches);
}

static void tie_add_product(const struct dc_step_state *state, const struct dc_step_variation *variation,
                            struct dc_step_forces *forces)
{
  add_change(state, variation->predicted.twists, forces->wrenches);
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
    .add_product = tie_add_product,
    .add_floor = tie_add_floor,
};
