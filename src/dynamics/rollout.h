// SPDX-License-Identifier: Apache-2.0
// Rolling a model forward and pulling a loss back: one implicit step per time step.
#ifndef DC_DYNAMICS_ROLLOUT_H
#define DC_DYNAMICS_ROLLOUT_H

#include <stdbool.h>

#include "dynamics/model.h"

// What a rollout starts from and is driven by; a cotangent has the same layout with tangents instead of states.
struct dc_rollout_input {
  double *q;         // initial state [nq]
  double *velocity;  // initial velocity [nv]: per body angular (world axes, rad/s), then linear (m/s)
  struct dc_design design;
};

struct dc_rollout_cotangent {
  double *q;                // [nv]
  double *velocity;         // [nv]
  struct dc_design design;  // derivative of the loss by each number of the design
};

// A trajectory: frame 0 is the initial state, frame k the state after k steps.  Owned by its creator; sized once.
struct dc_trajectory {
  int steps, nq, nv;
  double time_step;
  double *q;               // [steps + 1][nq]
  double *min_gap;         // [steps + 1], m
  int *newton_iterations;  // [steps]
  int *evaluations;        // [steps] contact evaluations
  bool *converged;         // [steps]
  int regularized_steps;   // steps with an indefinite Hessian or a damped iteration on the way
  int unconverged_steps;
  double largest_residual;            // of all converged steps, relative to the tolerance
  struct dc_pair_derivatives *pairs;  // [steps][pair_count] at each converged step, for the adjoint
};

struct dc_trajectory *dc_trajectory_create(const struct dc_model *model, int steps);
void dc_trajectory_destroy(struct dc_trajectory *trajectory);
// Copies a trajectory of the same model and number of steps; pair_count as dc_model_pair_count.
void dc_trajectory_copy(struct dc_trajectory *to, const struct dc_trajectory *from, int pair_count);

// Workspace of one caller.
struct dc_rollout;
struct dc_rollout *dc_rollout_create(const struct dc_model *model, struct dc_error *error);
void dc_rollout_destroy(struct dc_rollout *rollout);
struct dc_contact *dc_rollout_contact(struct dc_rollout *rollout);

struct dc_rollout_input *
dc_rollout_input_create(const struct dc_model *model);  // initial state and design of the model
void dc_rollout_input_reset(const struct dc_model *model, struct dc_rollout_input *input);
void dc_rollout_input_destroy(struct dc_rollout_input *input);
struct dc_rollout_cotangent *dc_rollout_cotangent_create(const struct dc_model *model);
void dc_rollout_cotangent_clear(const struct dc_model *model, struct dc_rollout_cotangent *cotangent);
void dc_rollout_cotangent_destroy(struct dc_rollout_cotangent *cotangent);

// Seconds spent in contact evaluations since creation.
double dc_rollout_contact_seconds(const struct dc_rollout *rollout);

// Converge every step to rounding instead of the model's tolerance (for difference checks).
void dc_rollout_set_tight(struct dc_rollout *rollout, bool tight);

// Rolls input forward over trajectory->steps steps.  Warm starts are reset at the beginning.  DC_INFEASIBLE when
// bodies overlap at the start, DC_NUMERICAL when a step fails; a step that reaches the iteration limit with an
// acceptable residual is counted in unconverged_steps.
enum dc_status dc_rollout_forward(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  struct dc_trajectory *trajectory, struct dc_error *error);

// Adds to cotangent the derivative of a loss whose derivatives with respect to the states are given: frames [steps +
// 1][nv], in the tangent space of each frame.  Exact for the discrete trajectory (docs/theory.md, "Adjoint").
// DC_NUMERICAL when a step's Hessian is singular or a step did not converge.
enum dc_status dc_rollout_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, const double *frames,
                                  struct dc_rollout_cotangent *cotangent, struct dc_error *error);

#endif
