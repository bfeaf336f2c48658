// SPDX-License-Identifier: Apache-2.0
// Numbers of soft bodies: Young's modulus, Poisson's ratio, bending stiffness, pressure; wind.
#include "design/number_kinds.h"

static bool is_soft(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index) != NULL;
}

// One modulus for the body; young_element gives each element a factor of its own on top of it.
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

// Rods have no Poisson's ratio.
static bool has_poisson(const struct dc_model *model, int index)
{
  const struct dc_soft *soft = dc_soft_of(&model->bodies, index);
  return soft && soft->mesh.corners > 2;
}

// Limits of the option; moduli are infinite at -1 and 1/2.
static void poisson_limits(const struct dc_model *model, int index, double limits[2])
{
  (void)model, (void)index;
  limits[0] = -0.99, limits[1] = 0.4999;
}

// Shifted, not scaled: ratios of 0 and below are sound.
static double poisson_value(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index)->poisson;
}

const struct dc_number_kind dc_number_poisson = {.name = "poisson",
                                                 .summary = "Poisson's ratio of a soft body",
                                                 .index = DC_NUMBER_OF_BODY,
                                                 .present = has_poisson,
                                                 .limits = poisson_limits,
                                                 .value = poisson_value,
                                                 .unit = "1",
                                                 .offset = offsetof(struct dc_design, poisson),
                                                 .array = true};

// Solids resist bending by their modulus alone and have no number of this kind.
static bool bends(const struct dc_model *model, int index)
{
  const struct dc_soft *soft = dc_soft_of(&model->bodies, index);
  return soft && soft->bending > 0 && soft->elastic.bend_count > 0;
}

static double bending_value(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index)->bending;
}

// Cloth has it per unit of its width, a rod as a whole.
static const char *bending_unit(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index)->mesh.corners == 3 ? "N m" : "N m^2";
}

const struct dc_number_kind dc_number_bending = {.name = "bending",
                                                 .summary = "bending stiffness of cloth or a rod",
                                                 .index = DC_NUMBER_OF_BODY,
                                                 .factor = true,
                                                 .present = bends,
                                                 .value = bending_value,
                                                 .unit_of = bending_unit,
                                                 .offset = offsetof(struct dc_design, bending_scale),
                                                 .array = true};

// Rods have no surface.
static bool has_surface(const struct dc_model *model, int index)
{
  const struct dc_soft *soft = dc_soft_of(&model->bodies, index);
  return soft && soft->mesh.corners > 2;
}

// Pressure is checked by differences only in scenes with a pressure or drag: for stiff bodies a pascal is too little
// for differences.
static bool is_in_air(const struct dc_model *model, int index)
{
  const struct dc_soft *soft = dc_soft_of(&model->bodies, index);
  return soft->drag > 0 || soft->pressure != 0;
}

static double pressure_value(const struct dc_model *model, int index)
{
  return dc_soft_of(&model->bodies, index)->pressure;
}

const struct dc_number_kind dc_number_pressure = {.name = "pressure",
                                                  .summary = "pressure on the surface of a soft body",
                                                  .index = DC_NUMBER_OF_BODY,
                                                  .present = has_surface,
                                                  .checked = is_in_air,
                                                  .value = pressure_value,
                                                  .unit = "Pa",
                                                  .offset = offsetof(struct dc_design, pressure),
                                                  .array = true};

// Wind acts by drag on surfaces, so one such body must be there.
static bool feels_wind(const struct dc_model *model, int index)
{
  (void)index;
  for (int s = 0; s < model->bodies.soft_count; s++)
    if (model->bodies.soft[s].mesh.corners > 2 && model->bodies.soft[s].drag > 0)
      return true;
  return false;
}

static double wind_value(const struct dc_model *model, int index)
{
  return model->definition.wind[index];
}

const struct dc_number_kind dc_number_wind = {.name = "wind",
                                              .summary = "velocity of the air along an axis",
                                              .index = DC_NUMBER_OF_AXIS,
                                              .present = feels_wind,
                                              .value = wind_value,
                                              .unit = "m/s",
                                              .offset = offsetof(struct dc_design, wind)};

// Elements are counted through all soft bodies; each begins with the modulus of its body, the last that begins
// before it.
static double element_young(const struct dc_model *model, int index)
{
  double young = 0;
  for (int s = 0; s < model->bodies.soft_count; s++)
    if (index >= model->bodies.soft[s].first_element)
      young = model->bodies.soft[s].young;
  return young;
}

const struct dc_number_kind dc_number_young_element = {.name = "young_element",
                                                       .summary = "Young's modulus of each element of a soft body",
                                                       .index = DC_NUMBER_OF_ELEMENT,
                                                       .factor = true,
                                                       .value = element_young,
                                                       .unit = "Pa",
                                                       .offset = offsetof(struct dc_design, young_element),
                                                       .array = true};
