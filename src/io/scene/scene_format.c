// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_format.h"

#include <string.h>

#include "base/characters.h"

const char *const dc_scene_keys[] = {
    "name",      "comment",  "description", "time",         "gravity",   "wind",    "contact",   "solver",
    "mujoco",    "include",  "shapes",      "bodies",       "couplings", "control", "objective", "design",
    "optimizer", "gradient", "init",        "continuation", "horizon",   "problem", "refine",    "pairs",
    "camera",    "models",   "plant",       "certify",      "portfolio", "$schema", "cases",     NULL};
const char *const dc_scene_case_keys[] = {"name", "gravity", "bodies", "control", "objective", NULL};
const char *const dc_scene_sections[] = {
    "time",         "contact",       "solver",       "mujoco",       "optimizer",         "gradient", "init",
    "continuation", "portfolio",     "horizon",      "refine",       "refine.derivative", "camera",   "plant",
    "plant.time",   "plant.contact", "plant.solver", "plant.mujoco", "certify",           NULL};

static const char *const problems[] = {"trajectory", "refine", NULL};
const struct dc_option dc_problem_options[] = {
    {.name = "problem",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"trajectory\"",
     .choices = problems,
     .help = "trajectory: controls of a motion are sought; refine: poses at which pairs of points touch",
     .offset = 0},
    DC_OPTIONS_END,
};

const struct dc_option dc_pairs_options[] = {
    {.name = "pairs",
     .type = DC_OBJECT_LIST,
     .unit = "",
     .fallback = "null",
     .count = DC_SCENE_MOST_ENTRIES,
     .help = "points that should touch each other",
     .offset = offsetof(struct dc_refinement, pairs),
     .table = dc_refine_pair_options,
     .object_size = sizeof(struct dc_refine_pair)},
    DC_OPTIONS_END,
};

const struct dc_option dc_gravity_options[] = {
    DC_VECTOR_OPTION(struct dc_model_definition, gravity, "m/s^2", "[0, 0, -9.81]", 1e6, "acceleration of free fall"),
    DC_VECTOR_OPTION(struct dc_model_definition, wind, "m/s", "[0, 0, 0]", 1e6,
                     "velocity of the air that soft bodies with drag feel"),
    DC_OPTIONS_END,
};

const struct dc_option dc_camera_options[] = {
    DC_VECTOR_OPTION(struct dc_camera, eye, "m", NULL, 1e9, "where the camera stands"),
    DC_VECTOR_OPTION(struct dc_camera, target, "m", "[0, 0, 0]", 1e9, "point in the middle of the picture"),
    DC_VECTOR_OPTION(struct dc_camera, up, "", "[0, 0, 1]", 1e9, "direction that is up in the picture"),
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

const struct dc_option dc_include_options[] = {
    {.name = "file",
     .type = DC_STRING,
     .unit = "",
     .help = "URDF or MJCF file, relative to the scene file",
     .offset = offsetof(struct dc_include_options, file)},
    {.name = "prefix",
     .type = DC_STRING,
     .unit = "",
     .fallback = "\"\"",
     .help = "put before the name of every body and shape",
     .offset = offsetof(struct dc_include_options, prefix)},
    DC_VECTOR_OPTION(struct dc_include_options, position, "m", "[0, 0, 0]", 1e6, "position of the root link's frame"),
    {.name = "rotation",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[1, 0, 0, 0]",
     .count = 4,
     .help = "rotation of the root link's frame, unit quaternion (w, x, y, z)",
     .offset = offsetof(struct dc_include_options, rotation)},
    {.name = "base",
     .type = DC_OBJECT_LIST,
     .unit = "",
     .fallback = "\"fixed\"",
     .count = 6,
     .table = dc_joint_options,
     .object_size = sizeof(struct dc_joint_definition),
     .short_key = "type",
     .help = "how the root link moves: a joint of a body, in world axes",
     .offset = offsetof(struct dc_include_options, base)},
    {.name = "pd",
     .type = DC_OBJECT,
     .unit = "",
     .fallback = "null",
     .table = dc_pd_options,
     .object_size = sizeof(struct dc_pd_definition),
     .help = "proportional-derivative actuator on every hinge and slide of the robot that follows no other",
     .offset = offsetof(struct dc_include_options, pd)},
    {.name = "collide",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "true",
     .help = "false: the robot touches nothing",
     .offset = offsetof(struct dc_include_options, collide)},
    {.name = "convex",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "true",
     .help = "collision meshes become convex hulls; false: they are closed surfaces as they stand",
     .offset = offsetof(struct dc_include_options, convex)},
    {.name = "hull_points",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "-1",
     .minimum = -1,
     .maximum = 100000,
     .help = "at most so many corners of a convex hull of a collision mesh; 0: all; -1: 64, in refinements all",
     .offset = offsetof(struct dc_include_options, hull_points)},
    {.name = "longest_edge",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "null",
     .maximum = 1e9,
     .help = "triangles of these hulls and cylinders with longer edges are split; 0: none; default: 0.04, in "
             "refinements none",
     .offset = offsetof(struct dc_include_options, longest_edge)},
    {.name = "srdf",
     .type = DC_STRING,
     .unit = "",
     .fallback = "null",
     .help = "file of the Semantic Robot Description Format: links whose collisions it disables do not touch",
     .offset = offsetof(struct dc_include_options, srdf)},
    {.name = "inertia",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"repair\"",
     .choices = (const char *const[]){"repair", "file", "shape", NULL},
     .help = "inertias that no body has are repaired by as little as possible; or all are as the file has them; or "
             "those of "
             "the collision geometry",
     .offset = offsetof(struct dc_include_options, inertia)},
    {.name = "overlaps",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"exclude\"",
     .choices = (const char *const[]){"exclude", "refuse", NULL},
     .help =
         "links of the robot that overlap at the start of the scene do not touch each other; or the scene is refused",
     .offset = offsetof(struct dc_include_options, overlaps)},
    {.name = "self_contact",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"all\"",
     .choices = (const char *const[]){"all", "auto", "none", NULL},
     .help =
         "which links of the robot touch each other: all that no joint connects; those that came near each other in a "
         "sample of the positions that the joints allow; none",
     .offset = offsetof(struct dc_include_options, self_contact)},
    {.name = "self_field",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"full\"",
     .choices = (const char *const[]){"full", "near", NULL},
     .help = "near: links of the robot that touch each other do so only where they are near (near_only of bodies), "
             "which costs a fraction",
     .offset = offsetof(struct dc_include_options, self_field)},
    {.name = "effort",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"none\"",
     .choices = (const char *const[]){"none", "file", NULL},
     .help = "file: the file's limits of effort become those of pd, where that has none of its own",
     .offset = offsetof(struct dc_include_options, effort)},
    {.name = "keyframe",
     .type = DC_STRING,
     .unit = "",
     .fallback = "null",
     .help =
         "MJCF: the keyframe that the model starts from; default: where its coordinates are those of its description",
     .offset = offsetof(struct dc_include_options, keyframe)},
    {.name = "unsupported",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"refuse\"",
     .choices = (const char *const[]){"refuse", "skip", NULL},
     .help = "MJCF: tendons and whatever else nothing here corresponds to are refused; or left out with a note",
     .offset = offsetof(struct dc_include_options, unsupported)},
    {.name = "color",
     .type = DC_REALS,
     .unit = "",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1,
     .count = 3,
     .help = "colour of all links, linear red, green and blue; default: that of their materials",
     .offset = offsetof(struct dc_include_options, color)},
    {.name = "density",
     .type = DC_REAL,
     .unit = "kg/m^3",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1e6,
     .minimum_excluded = true,
     .help = "density of links without a mass; default: that of bodies",
     .offset = offsetof(struct dc_include_options, density)},
    DC_OPTIONS_END,
};

const struct dc_option dc_start_options[] = {
    {.name = "joint_position",
     .type = DC_REAL,
     .unit = "m or rad",
     .fallback = "null",
     .minimum = -1e6,
     .maximum = 1e6,
     .help = "initial coordinates of joints by their names; default: the ones nearest to zero in the range"},
    DC_OPTIONS_END,
};

// Entries i of a registry for which a condition holds.
#define COLLECT_IF(registry, condition)                                                                                \
  for (int i = 0; (registry)[i] && count < DC_FAMILY_MOST; i++)                                                        \
    if (condition)                                                                                                     \
      members[count++] = (struct dc_family_member)                                                                     \
      {                                                                                                                \
        .name = (registry)[i]->name, .summary = (registry)[i]->summary, .options = (registry)[i]->options              \
      }
#define COLLECT(registry) COLLECT_IF(registry, true)

const struct dc_optimizer_type *dc_family_optimizer(enum dc_family family, int index)
{
  for (int i = 0; dc_optimizer_types[i]; i++)
    if (dc_optimizer_types[i]->manifold == (family == DC_LEAST_SQUARES_TYPES) && index-- == 0)
      return dc_optimizer_types[i];
  return NULL;
}

int dc_family_members(enum dc_family family, struct dc_family_member members[DC_FAMILY_MOST])
{
  int count = 0;
  switch (family) {
  case DC_CONTACT_MODELS: COLLECT(dc_contact_models); break;
  case DC_SHAPE_TYPES: COLLECT(dc_shape_types); break;
  case DC_CONTROL_TYPES: COLLECT(dc_control_types); break;
  case DC_OBJECTIVE_TYPES: COLLECT(dc_objective_types); break;
  case DC_DESIGN_TYPES: COLLECT(dc_design_types); break;
  case DC_OPTIMIZER_TYPES: COLLECT_IF(dc_optimizer_types, !dc_optimizer_types[i]->manifold); break;
  case DC_LEAST_SQUARES_TYPES: COLLECT_IF(dc_optimizer_types, dc_optimizer_types[i]->manifold); break;
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

bool dc_is_name(const char *name)
{
  bool good = name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strlen(name) <= 255;
  for (size_t left = strlen(name), count; good && left > 0; name += count, left -= count) {
    count = dc_utf8_length(name, left);
    good = count > 0 && *name != '/' && !dc_is_control(dc_utf8_code_point(name, count));
  }
  return good;
}
