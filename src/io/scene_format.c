// SPDX-License-Identifier: Apache-2.0
#include "io/scene_format.h"

#include <string.h>

const char *const dc_scene_keys[] = {
    "name",    "comment",   "description", "time",     "gravity", "contact", "solver", "mujoco", "shapes",  "bodies",
    "control", "objective", "optimizer",   "gradient", "init",    "horizon", "camera", "models", "$schema", NULL};
const char *const dc_scene_sections[] = {"time",     "contact", "solver",  "mujoco", "optimizer",
                                         "gradient", "init",    "horizon", "camera", NULL};

const struct dc_option dc_gravity_options[] = {
    {.name = "gravity",
     .type = DC_REALS,
     .unit = "m/s^2",
     .fallback = "[0, 0, -9.81]",
     .minimum = -1e6,
     .maximum = 1e6,
     .count = 3,
     .help = "acceleration of free fall",
     .offset = offsetof(struct dc_model_definition, gravity)},
    DC_OPTIONS_END,
};

const struct dc_option dc_camera_options[] = {
    {.name = "eye",
     .type = DC_REALS,
     .unit = "m",
     .minimum = -1e9,
     .maximum = 1e9,
     .count = 3,
     .help = "where the camera stands",
     .offset = offsetof(struct dc_camera, eye)},
    {.name = "target",
     .type = DC_REALS,
     .unit = "m",
     .fallback = "[0, 0, 0]",
     .minimum = -1e9,
     .maximum = 1e9,
     .count = 3,
     .help = "point in the middle of the picture",
     .offset = offsetof(struct dc_camera, target)},
    {.name = "up",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[0, 0, 1]",
     .minimum = -1e9,
     .maximum = 1e9,
     .count = 3,
     .help = "direction that is up in the picture",
     .offset = offsetof(struct dc_camera, up)},
    {.name = "fov_deg",
     .type = DC_REAL,
     .unit = "degrees",
     .fallback = "40",
     .minimum = 0,
     .maximum = 175,
     .minimum_excluded = true,
     .help = "vertical field of view",
     .offset = offsetof(struct dc_camera, fov_deg)},
    DC_OPTIONS_END,
};

const struct dc_option dc_shot_options[] = {
    {.name = "reference_seed",
     .type = DC_INTEGER,
     .unit = "",
     .minimum = 0,
     .maximum = 0x1p53,
     .help = "seed of the random reference control",
     .offset = offsetof(struct dc_shot, reference_seed)},
    {.name = "balls",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "1",
     .minimum = 1,
     .maximum = DC_SCENE_MOST_BODIES,
     .help = "number of moved bodies that get a target",
     .offset = offsetof(struct dc_shot, balls)},
    {.name = "minimum_distance",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e6,
     .help = "least distance of a target from the start of its body",
     .offset = offsetof(struct dc_shot, minimum_distance)},
    {.name = "velocity",
     .type = DC_REAL,
     .unit = "m/s",
     .fallback = "6",
     .minimum = 0,
     .maximum = 1e5,
     .help = "bound of the reference control's velocity",
     .offset = offsetof(struct dc_shot, velocity)},
    {.name = "position",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1e6,
     .help = "bound of the reference control's shift of position",
     .offset = offsetof(struct dc_shot, position)},
    {.name = "tolerance",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "0.05",
     .minimum = 0,
     .maximum = 1e6,
     .help = "distance that counts as reached",
     .offset = offsetof(struct dc_shot, tolerance)},
    {.name = "weight",
     .type = DC_REAL,
     .unit = "1/m^2",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e30,
     .help = "factor on the squared distance",
     .offset = offsetof(struct dc_shot, weight)},
    DC_OPTIONS_END,
};

#define COLLECT(registry)                                                                                              \
  for (; (registry)[count] && count < DC_FAMILY_MOST; count++)                                                         \
    members[count] = (struct dc_family_member)                                                                         \
    {                                                                                                                  \
      .name = (registry)[count]->name, .summary = (registry)[count]->summary, .options = (registry)[count]->options    \
    }

int dc_family_members(enum dc_family family, struct dc_family_member members[DC_FAMILY_MOST])
{
  int count = 0;
  switch (family) {
  case DC_CONTACT_MODELS: COLLECT(dc_contact_models); break;
  case DC_SHAPE_TYPES: COLLECT(dc_shape_types); break;
  case DC_CONTROL_TYPES: COLLECT(dc_control_types); break;
  case DC_OBJECTIVE_TYPES: COLLECT(dc_objective_types); break;
  case DC_OPTIMIZER_TYPES: COLLECT(dc_optimizer_types); break;
  }
  return count;
}

void dc_family_names(enum dc_family family, const char *names[DC_FAMILY_MOST + 1])
{
  struct dc_family_member members[DC_FAMILY_MOST];
  int count = dc_family_members(family, members);
  for (int i = 0; i < count; i++)
    names[i] = members[i].name;
  names[count] = NULL;
}

bool dc_is_file_option(const struct dc_option *option)
{
  return option->type == DC_STRING && strcmp(option->name, "file") == 0;
}
