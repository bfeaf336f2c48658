// SPDX-License-Identifier: Apache-2.0
// The interface of the methods that take a model from frame to frame: the implicit step (step.h, adjoint.c) or, in
// builds with it, MuJoCo.  The contact model of a scene chooses.  Private to src/dynamics.
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
  // The same as dc_rollout_adjoint_block and dc_rollout_tangent; both NULL: there are none.
  enum dc_status (*adjoint)(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                            const struct dc_trajectory *trajectory, int count, struct dc_adjoint_row *rows,
                            struct dc_error *error);
  enum dc_status (*tangent)(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                            const struct dc_trajectory *trajectory, int count,
                            const struct dc_rollout_cotangent *const *directions, double *tangents,
                            struct dc_error *error);
};

extern const struct dc_stepper dc_mujoco_stepper;  // only when built with it
const struct dc_stepper *dc_stepper_of(const struct dc_model *model);

// Those of the implicit step (adjoint.c, tangent.c).
enum dc_status dc_implicit_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, int count, struct dc_adjoint_row *rows,
                                   struct dc_error *error);
enum dc_status dc_implicit_tangent(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, int count,
                                   const struct dc_rollout_cotangent *const *directions, double *tangents,
                                   struct dc_error *error);

#endif
