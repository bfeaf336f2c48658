// SPDX-License-Identifier: Apache-2.0
// What takes a model from frame to frame: the implicit step (step.h, adjoint.c) or, when built with it, MuJoCo.  The
// contact model of a scene chooses.  Private to src/dynamics.
#ifndef DC_DYNAMICS_STEPPER_H
#define DC_DYNAMICS_STEPPER_H

#include "dynamics/step.h"

struct dc_stepper {
  const char *name;
  // Memory of the stepper's own in rollout->own, made last, and its release, also when create failed or was not reached
  // (own NULL); NULL: none.
  enum dc_status (*create)(struct dc_rollout *rollout, struct dc_error *error);
  void (*destroy)(struct dc_rollout *rollout);
  // Takes over initial state and design of an input whose bodies do not overlap; NULL: nothing to do.
  enum dc_status (*start)(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct dc_error *error);
  // The step from frame `step` of a trajectory to the next: writes its state, the pairs of the step and states between
  // the frames, leaves its poses in rollout->next.poses.
  enum dc_status (*step)(struct dc_rollout *rollout, const struct dc_rollout_input *input, int step,
                         struct dc_trajectory *trajectory, struct dc_step_report *report, struct dc_error *error);
  // Velocity [nv] at the end of the last step; NULL: states alone tell how to go on.
  void (*velocity)(const struct dc_rollout *rollout, double *velocity);
  // As dc_rollout_adjoint; NULL: there is none.
  enum dc_status (*adjoint)(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                            const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                            struct dc_rollout_cotangent *cotangent, struct dc_error *error);
};

extern const struct dc_stepper dc_implicit_stepper;
extern const struct dc_stepper dc_mujoco_stepper;  // only when built with it
const struct dc_stepper *dc_stepper_of(const struct dc_model *model);

// The adjoint of the implicit step (adjoint.c).
enum dc_status dc_implicit_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                                   struct dc_rollout_cotangent *cotangent, struct dc_error *error);

#endif
