// SPDX-License-Identifier: Apache-2.0
// Where inertia, gravity, actuators and ties alone would take bodies and chains in an interval, to second order in its
// length: what the inertia of a step is measured from with the integrator "second_order" (docs/theory.md, "Second
// order").  Private to src/dynamics.
#ifndef DC_DYNAMICS_PREDICTION_H
#define DC_DYNAMICS_PREDICTION_H

#include "body/kinematics.h"

struct dc_model;
struct dc_rollout;
struct dc_step_state;
struct dc_step_variation;
struct dc_step_cotangent;

// A prediction of one interval, and how it depends on what it was made of.
struct dc_prediction;

// Owned by arena; NULL when out of memory.
struct dc_prediction *dc_prediction_create(const struct dc_model *model, struct dc_arena *arena);

// Predicts the end of an interval from state->q_before, q_now and their frames in rollout->before and rollout->now,
// which have to stay as they are while the prediction is asked.  DC_NUMERICAL where a body turns too far in the
// interval or the one before.
enum dc_status dc_predict(struct dc_rollout *rollout, const struct dc_step_state *state, struct dc_error *error);

// Predicted coordinates [nq] and frames [bodies].
const double *dc_predicted_state(const struct dc_prediction *prediction);
const struct dc_pose *dc_predicted_poses(const struct dc_prediction *prediction);

// Makes out->predicted zeros in memory of the prediction, to be added to; then passes it on to the states at t and t-1,
// start, targets and design.
void dc_prediction_begin_pull_back(const struct dc_step_state *state, struct dc_step_cotangent *out);
void dc_prediction_pull_back(const struct dc_step_state *state, struct dc_step_cotangent *out);
// The transposed: variation->predicted, in memory of the prediction, of the rest of a variation.
void dc_prediction_push(const struct dc_step_state *state, struct dc_step_variation *variation);

#endif
