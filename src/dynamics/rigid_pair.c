// SPDX-License-Identifier: Apache-2.0
// Sums of one pair of rigid bodies, which the terms of contact, friction and restitution share.
//
// 1. The Hessian of terms that see the places of time t+1 by their change since t: a block for each body with the
//    curvature of its rotations, and the block between the two.
// 2. The part of a pair's forces that is rounding of places.
#include "dynamics/step.h"

#include "math/vector.h"

static void add_block(double *sum, const double block[6][6])
{
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      sum[6 * i + j] += block[i][j];
}

static void add_turn(double *block, const double turn[6])
{
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++) {
      block[6 * i + j] += turn[e];
      if (i != j)
        block[6 * j + i] += turn[e];
    }
}

void dc_rigid_add_lagged_hessian(const struct dc_step_state *state, int p,
                                 const struct dc_friction_derivatives *derivatives, bool exact,
                                 struct dc_step_hessian *hessian)
{
  const int *pair = state->rigid->pair_bodies[p];
  add_block(hessian->blocks[pair[0]], derivatives->h_aa);
  if (exact)
    add_turn(hessian->blocks[pair[0]], derivatives->turn[0]);
  if (!dc_body_moves(&state->model->bodies.bodies[pair[1]]))
    return;
  add_block(hessian->blocks[pair[1]], derivatives->h_bb);
  if (exact)
    add_turn(hessian->blocks[pair[1]], derivatives->turn[1]);
  dc_assemble_pair(hessian->assembler, hessian->kinematics, pair[0], pair[1], 1, &derivatives->h_ab[0][0],
                   hessian->matrix);
}

void dc_rigid_add_floor(const struct dc_step_state *state, int p, double turn, double shift, double force,
                        struct dc_step_forces *floor)
{
  const int *pair = state->rigid->pair_bodies[p];
  double arm = dc_vec_norm(state->pairs[p].arm);
  for (int side = 0; side < 2; side++) {
    if (!dc_body_moves(&state->model->bodies.bodies[pair[side]]))
      continue;
    // Seen from b the relative twist is about c_a: the arm adds to its torque.
    double reach = state->model->bodies.bodies[pair[side]].radius + (side ? arm : 0);
    double position = dc_vec_norm(state->next[pair[side]].position) + reach;
    for (int k = 0; k < 3; k++) {
      floor->wrenches[pair[side]][k] += DC_POSITION_NOISE * (turn + shift * reach * position) + force * reach;
      floor->wrenches[pair[side]][3 + k] += DC_POSITION_NOISE * shift * position + force;
    }
  }
}
