// SPDX-License-Identifier: Apache-2.0
// Numbers of soft bodies: Young's modulus and Poisson's ratio.
#include "design/number_kinds.h"

static bool is_soft(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index) != NULL;
}

static double young_value(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index)->young;
}

static const char *young_unit(const struct dc_model *model, int index)
{
  (void)model, (void)index;
  return "Pa";
}

static double *young_input(const struct dc_model *model, struct dc_rollout_input *input, int index)
{
  (void)model;
  return &input->design.young_scale[index];
}

static double *young_cotangent(const struct dc_model *model, struct dc_rollout_cotangent *cotangent, int index)
{
  (void)model;
  return &cotangent->design.young_scale[index];
}

const struct dc_number_kind dc_number_young = {.name = "young",
                                               .summary = "Young's modulus of a soft body",
                                               .index = DC_NUMBER_OF_BODY,
                                               .factor = true,
                                               .present = is_soft,
                                               .value = young_value,
                                               .unit = young_unit,
                                               .input = young_input,
                                               .cotangent = young_cotangent};

// Those of the option; at -1 and 1/2 moduli are infinite.
static void poisson_limits(const struct dc_model *model, int index, double limits[2])
{
  (void)model, (void)index;
  limits[0] = -0.99, limits[1] = 0.4999;
}

static double poisson_value(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index)->poisson;
}

static const char *poisson_unit(const struct dc_model *model, int index)
{
  (void)model, (void)index;
  return "1";
}

static double *poisson_input(const struct dc_model *model, struct dc_rollout_input *input, int index)
{
  (void)model;
  return &input->design.poisson[index];
}

static double *poisson_cotangent(const struct dc_model *model, struct dc_rollout_cotangent *cotangent, int index)
{
  (void)model;
  return &cotangent->design.poisson[index];
}

const struct dc_number_kind dc_number_poisson = {.name = "poisson",
                                                 .summary = "Poisson's ratio of a soft body",
                                                 .index = DC_NUMBER_OF_BODY,
                                                 .present = is_soft,
                                                 .limits = poisson_limits,
                                                 .value = poisson_value,
                                                 .unit = poisson_unit,
                                                 .input = poisson_input,
                                                 .cotangent = poisson_cotangent};
