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

const struct dc_number_kind dc_number_young = {.name = "young",
                                               .summary = "Young's modulus of a soft body",
                                               .index = DC_NUMBER_OF_BODY,
                                               .factor = true,
                                               .present = is_soft,
                                               .value = young_value,
                                               .unit = "Pa",
                                               .offset = offsetof(struct dc_design, young_scale),
                                               .array = true};

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

const struct dc_number_kind dc_number_poisson = {.name = "poisson",
                                                 .summary = "Poisson's ratio of a soft body",
                                                 .index = DC_NUMBER_OF_BODY,
                                                 .present = is_soft,
                                                 .limits = poisson_limits,
                                                 .value = poisson_value,
                                                 .unit = "1",
                                                 .offset = offsetof(struct dc_design, poisson),
                                                 .array = true};
