// SPDX-License-Identifier: Apache-2.0
// Which stepper moves a model, and what holds for all of them.
#include "dynamics/stepper.h"

#include <stddef.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

const struct dc_stepper dc_implicit_stepper = {
    .name = "implicit",
    .step = dc_implicit_step,
    .adjoint = dc_implicit_adjoint,
};

#ifndef DC_MUJOCO
const char *dc_mujoco_version(void)
{
  return NULL;
}
#endif

const struct dc_stepper *dc_stepper_of(const struct dc_model *model)
{
#ifdef DC_MUJOCO
  if (model->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return &dc_mujoco_stepper;
#else
  (void)model;  // no model of such a build is foreign
#endif
  return &dc_implicit_stepper;
}

bool dc_model_has_adjoint(const struct dc_model *model)
{
  return dc_stepper_of(model)->adjoint != NULL;
}

bool dc_model_keeps_velocity(const struct dc_model *model)
{
  return dc_stepper_of(model)->velocity != NULL;
}

enum dc_status dc_rollout_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                                  struct dc_rollout_cotangent *cotangent, struct dc_error *error)
{
  if (!rollout->stepper->adjoint)
    return dc_fail(error, DC_BAD_INPUT, "model %s has no adjoint; use --gradient fd or bundle",
                   rollout->model->definition.contact_model->name);
  return rollout->stepper->adjoint(rollout, input, trajectory, frames, cotangent, error);
}
