// SPDX-License-Identifier: Apache-2.0
// The tables of the scene format, which reader, resolved text and JSON Schema all follow: keys of the top level,
// sections that --set may add, and options of sections that belong to no registry (problem, pairs, gravity, camera,
// shot, include, init).  The families of types (contact models, gradients, optimizers, ...) are collected from their
// registries.
#include "io/scene/scene_format.h"

#include <string.h>

#include "base/characters.h"

const char *const dc_scene_keys[] = {
    "name",    "comment",      "description", "time",      "gravity",   "wind",      "contact", "solver",    "mujoco",
    "include", "shapes",       "bodies",      "couplings", "control",   "objective", "design",  "optimizer", "gradient",
    "init",    "continuation", "horizon",     "problem",   "refine",    "pairs",     "camera",  "models",    "plant",
    "certify", "portfolio",    "$schema",     "cases",     "automatic", "ties",      "tendons", NULL};
const char *const dc_scene_case_keys[] = {"name", "gravity", "bodies", "control", "objective", NULL};
const char *const dc_scene_sections[] = {
    "time",         "contact",       "solver",       "mujoco",       "optimizer",         "gradient",  "init",
    "continuation", "portfolio",     "horizon",      "refine",       "refine.derivative", "camera",    "plant",
    "plant.time",   "plant.contact", "plant.solver", "plant.mujoco", "certify",           "automatic", NULL};

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
    DC_OBJECT_LIST_OPTION(struct dc_refinement, pairs, "null", DC_SCENE_MOST_ENTRIES, dc_refine_pair_options,
                          struct dc_refine_pair, "points that should touch each other"),
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
    DC_POSITIVE_OPTION(struct dc_camera, fov_deg, "degrees", "40", 175, "vertical field of view"),
    DC_OPTIONS_END,
};

const struct dc_option dc_shot_options[] = {
    DC_INTEGER_OPTION(struct dc_shot, reference_seed, NULL, 0, 0x1p53, "seed of the random reference control"),
    DC_INTEGER_OPTION(struct dc_shot, balls, "1", 1, DC_SCENE_MOST_BODIES, "number of moved bodies that get a target"),
    DC_REAL_OPTION(struct dc_shot, minimum_distance, "m", "0", 0, 1e6,
                   "least distance of a target from the start of its body"),
    DC_REAL_OPTION(struct dc_shot, velocity, "m/s", "6", 0, 1e5, "bound of the reference control's velocity"),
    DC_REAL_OPTION(struct dc_shot, position, "m", "0.5", 0, 1e6, "bound of the reference control's shift of position"),
    DC_REAL_OPTION(struct dc_shot, tolerance, "m", "0.05", 0, 1e6, "distance that counts as reached"),
    DC_REAL_OPTION(struct dc_shot, weight, "1/m^2", "1", 0, 1e30, "factor on the squared distance"),
    DC_OPTIONS_END,
};

const struct dc_option dc_include_options[] = {
    DC_STRING_OPTION(struct dc_include_options, file, NULL, "URDF, SDF or MJCF file, relative to the scene file"),
    DC_STRING_OPTION(struct dc_include_options, prefix, "\"\"", "put before the name of every body and shape"),
    DC_VECTOR_OPTION(struct dc_include_options, position, "m", "[0, 0, 0]", 1e6, "position of the root link's frame"),
    DC_REALS_OPTION(struct dc_include_options, rotation, "", "[1, 0, 0, 0]", 4, 0, 0,
                    "rotation of the root link's frame, unit quaternion (w, x, y, z)"),
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
    DC_OBJECT_OPTION(
        struct dc_include_options, pd, "null", dc_pd_options, struct dc_pd_definition,
        "proportional-derivative actuator on every hinge and slide of the robot that follows no other and, where "
        "the file says which joints have one, has one; or objects of these by the names of joints, null "
        "for none"),
    DC_BOOLEAN_OPTION(struct dc_include_options, collide, "true", "false: the robot touches nothing"),
    DC_BOOLEAN_OPTION(struct dc_include_options, convex, "true",
                      "collision meshes become convex hulls; false: they are closed surfaces as they stand"),
    DC_INTEGER_OPTION(
        struct dc_include_options, hull_points, "-1", -1, 100000,
        "at most so many corners of a convex hull of a collision mesh; 0: all; -1: 64, in refinements all"),
    DC_REAL_OPTION(struct dc_include_options, longest_edge, "m", "null", 0, 1e9,
                   "triangles of these hulls and cylinders with longer edges are split; 0: none; default: 0.04, in "
                   "refinements none"),
    DC_STRING_OPTION(struct dc_include_options, srdf, "null",
                     "file of the Semantic Robot Description Format: links whose collisions it disables do not touch"),
    DC_CHOICE_OPTION(
        struct dc_include_options, inertia, "\"repair\"", DC_CHOICES("repair", "file", "shape"),
        "inertias that no body has are repaired by as little as possible; or all are as the file has them; or "
        "those of the collision geometry"),
    DC_CHOICE_OPTION(
        struct dc_include_options, overlaps, "\"exclude\"", DC_CHOICES("exclude", "refuse", "separate"),
        "links of the robot that overlap at the start of the scene do not touch each other; or the scene is refused; "
        "or, beside the first, free and sliding bases that overlap with other things start a little apart from them"),
    DC_CHOICE_OPTION(
        struct dc_include_options, self_contact, "\"file\"", DC_CHOICES("all", "auto", "none", "file"),
        "which links of the robot touch each other: all that no joint connects; those that came near each other in a "
        "sample of the positions that the joints allow; none; or what the file says, that is all that no joint "
        "connects, but in SDF of one model those with <self_collide> alone, and by bit masks"),
    DC_CHOICE_OPTION(struct dc_include_options, self_field, "\"near\"", DC_CHOICES("full", "near"),
                     "near: links of the robot act on each other, and on what of the file's world the robot hangs "
                     "beside, only where "
                     "they are near (near_only of bodies), which costs a fraction; full: at any distance"),
    DC_CHOICE_OPTION(struct dc_include_options, surface, "\"auto\"", DC_CHOICES("mesh", "leaves", "auto"),
                     "what contact sees of its shapes, as \"surface\" of a shape says"),
    DC_CHOICE_OPTION(struct dc_include_options, effort, "\"file\"", DC_CHOICES("none", "file"),
                     "file: the file's limits of effort become those of pd, where that has none of its own"),
    DC_CHOICE_OPTION(struct dc_include_options, dynamics, "\"file\"", DC_CHOICES("none", "file"),
                     "file: damping, dry friction, springs and armature of joints act as the file has them"),
    DC_STRING_OPTION(
        struct dc_include_options, keyframe, "null",
        "MJCF: the keyframe that the model starts from; default: where its coordinates are those of its description"),
    DC_CHOICE_OPTION(
        struct dc_include_options, unsupported, "\"structure\"", DC_CHOICES("structure", "refuse", "skip"),
        "MJCF: what nothing here corresponds to is refused where bodies, geometry or what holds bodies together would "
        "be "
        "missing, and forces are left out with a note; or all of it is refused; or all is left out with a note"),
    DC_REALS_OPTION(struct dc_include_options, color, "", "null", 3, 0, 1,
                    "colour of all links, linear red, green and blue; default: that of their materials"),
    DC_POSITIVE_OPTION(struct dc_include_options, density, "kg/m^3", "null", 1e6,
                       "density of links without a mass; default: that of bodies"),
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

// Optimizers on a manifold (least squares) serve refinements, all others serve trajectories: each family counts
// its own members of one registry.
const struct dc_optimizer_type *dc_family_optimizer(enum dc_family family, int index)
{
  for (int i = 0; dc_optimizer_types[i]; i++)
    if (dc_optimizer_types[i]->manifold == (family == DC_LEAST_SQUARES_TYPES) && index-- == 0)
      return dc_optimizer_types[i];
  return NULL;
}

// All members of a registry with names and option tables, which schema, manual, lists and completion are made from.
// Optimizers of refinements are a family of their own, as they move poses and not numbers.
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

// Whether a text may name a scene, body or shape: UTF-8 of at most 255 bytes without slashes and control
// characters, and neither "." nor "..", because names become parts of paths in run directories and HDF5 files.
bool dc_is_name(const char *name)
{
  bool good = name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strlen(name) <= 255;
  for (size_t left = strlen(name), count; good && left > 0; name += count, left -= count) {
    count = dc_utf8_length(name, left);
    good = count > 0 && *name != '/' && !dc_is_control(dc_utf8_code_point(name, count));
  }
  return good;
}
