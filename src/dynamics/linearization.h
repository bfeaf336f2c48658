// SPDX-License-Identifier: Apache-2.0
// A rollout linearized about a trajectory, interval by interval: what its adjoint and its tangent share.  Private to
// src/dynamics.
#ifndef DC_DYNAMICS_LINEARIZATION_H
#define DC_DYNAMICS_LINEARIZATION_H

#include "dynamics/step.h"

// A state of a trajectory: number `inside` of those that step `step` was solved through; frame t is the last one of
// step t - 1, the first frame number 0 of step 0, and what came before it number -1.
struct dc_state_place {
  int step, inside;
};

struct dc_state_place dc_place_before(const struct dc_trajectory *trajectory, struct dc_state_place place);
struct dc_state_place dc_place_after(const struct dc_trajectory *trajectory, struct dc_state_place place);
// The frame that a state is, or -1.
int dc_place_frame(const struct dc_trajectory *trajectory, struct dc_state_place place);
// [nq]; before the first frame rollout->q_before.
const double *dc_place_state(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory,
                             struct dc_state_place place);

// The interval that ends in `next`, with the poses of rollout->before, now and next and, where they are not on the
// tape, the pairs of rollout->rigid.
struct dc_step_state dc_interval_state(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                       const struct dc_trajectory *trajectory, struct dc_state_place next);

// The interval that ends in a state, lengths as the forward solve has them.
struct dc_step_interval dc_interval_to(const struct dc_rollout_input *input, const struct dc_trajectory *trajectory,
                                       struct dc_state_place end);

// Whether what an interval leaves, or restitution in it, asks for the derivatives of pairs at its beginning.
bool dc_needs_pairs_now(const struct dc_step_state *state);
// How many numbers every interval may leave to the next one: 0 where none has left anything.
size_t dc_remembered_count(const struct dc_rollout_input *input, const struct dc_trajectory *trajectory);

// Whether there is no tape to read.
bool dc_recomputes_pairs(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory);
// Assembles the true Hessian H of a step into rollout->matrix and factors it, unless that many right-hand sides do
// without (node_newton.h).  DC_NUMERICAL when it is singular.
enum dc_status dc_step_factor(struct dc_rollout *rollout, const struct dc_step_state *state, int count,
                              struct dc_error *error);
// x <- -H^-1 x for vectors x [count][nv].  DC_NUMERICAL when a relative residual is too large.
enum dc_status dc_step_answer(const struct dc_rollout *rollout, int count, double *x, struct dc_error *error);

#endif
