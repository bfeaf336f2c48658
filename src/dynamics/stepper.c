// SPDX-License-Identifier: Apache-2.0
// Which stepper moves a model, and what holds for all of them.
#include "dynamics/stepper.h"

#include <stddef.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

static const struct dc_stepper implicit = {
    .name = "implicit",
    .step = dc_implicit_step,
    .adjoint = dc_implicit_adjoint,
    .tangent = dc_implicit_tangent,
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
  return &implicit;
}

bool dc_model_has_adjoint(const struct dc_model *model)
{
  return dc_stepper_of(model)->adjoint != NULL;
}

bool dc_model_keeps_velocity(const struct dc_model *model)
{
  return dc_stepper_of(model)->velocity != NULL;
}

static enum dc_status refuse(const struct dc_rollout *rollout, struct dc_error *error)
{
  return dc_fail(error, DC_BAD_INPUT, "model %s has no adjoint; use --gradient fd or bundle",
                 rollout->model->definition.contact_model->name);
}

enum dc_status dc_rollout_adjoint_block(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        const struct dc_trajectory *trajectory, int count, struct dc_adjoint_row *rows,
                                        struct dc_error *error)
{
  return rollout->stepper->adjoint ? rollout->stepper->adjoint(rollout, input, trajectory, count, rows, error)
                                   : refuse(rollout, error);
}

enum dc_status dc_rollout_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                                  struct dc_rollout_cotangent *cotangent, struct dc_error *error)
{
  struct dc_adjoint_row row = {.last = trajectory->steps, .frames = *frames, .input = cotangent};
  return dc_rollout_adjoint_block(rollout, input, trajectory, 1, &row, error);
}

enum dc_status dc_rollout_tangent(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, int count,
                                  const struct dc_rollout_cotangent *const *directions, double *tangents,
                                  struct dc_error *error)
{
  if (!dc_rollout_adopt(rollout, input, error))
    return error ? error->status : DC_INFEASIBLE;
  for (int d = 0; d < count; d++)
    if (directions[d]->shape && !dc_shape_design_is_zero(directions[d]->shape))
      return dc_fail(error, DC_BAD_INPUT, "a design of shapes has no products forward");
  return rollout->stepper->tangent
             ? rollout->stepper->tangent(rollout, input, trajectory, count, directions, tangents, error)
             : refuse(rollout, error);
}
