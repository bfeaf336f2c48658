// SPDX-License-Identifier: Apache-2.0
// Which stepper moves a model.
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
