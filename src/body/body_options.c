// SPDX-License-Identifier: Apache-2.0
// The options of a body and of its actuator.
#include "body/body.h"

static const char *const frame_choices[] = {"world", "parent", NULL};
static const char *const mass_models[] = {"hull", "lumped", "given", NULL};

enum { MOST_JOINTS = 6, MOST_COORDINATES = 32, MOST_FILTERS = 1000 };

const struct dc_option dc_pd_options[] = {
    DC_REAL_OPTION(struct dc_pd_definition, kp, "N/m or N m/rad", NULL, 0, 1e12,
                   "gain on the distance to the target position"),
    DC_REAL_OPTION(struct dc_pd_definition, kd, "N s/m or N m s/rad", "0", 0, 1e12,
                   "gain on the distance to the target velocity"),
    DC_REAL_OPTION(struct dc_pd_definition, kp_rotation, "N m/rad", "null", 0, 1e12,
                   "gain of angles where it is not kp"),
    DC_REAL_OPTION(struct dc_pd_definition, kd_rotation, "N m s/rad", "null", 0, 1e12,
                   "gain of angular velocities where it is not kd"),
    DC_REAL_LIST_OPTION(struct dc_pd_definition, kp_each, "N/m or N m/rad", "[]", MOST_COORDINATES, 0, 1e12,
                        "kp of every coordinate where they differ, 0: passive"),
    DC_REAL_LIST_OPTION(struct dc_pd_definition, kd_each, "N s/m or N m s/rad", "[]", MOST_COORDINATES, 0, 1e12,
                        "kd of every coordinate where they differ"),
    DC_REAL_OPTION(struct dc_pd_definition, effort, "N or N m", "0", 0, 1e12,
                   "limit of the force on each coordinate, which smoothly levels off there; 0: none"),
    DC_BOOLEAN_OPTION(struct dc_pd_definition, gravity_compensation, "false",
                      "slides and hinges hold the weight that hangs on them, as it is at the start of a step"),
    DC_REAL_LIST_OPTION(struct dc_pd_definition, target, "m or rad", "[]", MOST_COORDINATES, -1e6, 1e6,
                        "coordinates of slides and hinges that they are pulled to without controls, which are added; "
                        "the start when empty"),
    DC_OPTIONS_END,
};

const struct dc_option dc_pair_friction_options[] = {
    DC_BODY_OPTION(struct dc_pair_friction, body, NULL, "the other body"),
    DC_REAL_OPTION(struct dc_pair_friction, friction, "", NULL, 0, 100, "Coulomb coefficient of the two"),
    DC_OPTIONS_END,
};

const struct dc_option dc_body_options[] = {
    DC_STRING_OPTION(struct dc_body_definition, name, NULL,
                     "unique name that controls, objectives and results refer to"),
    {.name = "joint",
     .type = DC_OBJECT_LIST,
     .unit = "",
     .fallback = "\"free\"",
     .count = MOST_JOINTS,
     .table = dc_joint_options,
     .object_size = sizeof(struct dc_joint_definition),
     .short_key = "type",
     .help = "how the body moves relative to its parent: a joint or a list of joints, the outermost first",
     .offset = offsetof(struct dc_body_definition, joint)},
    DC_BODY_OPTION(struct dc_body_definition, parent, "null", "body that the joint hangs on; default: the world"),
    DC_CHOICE_OPTION(
        struct dc_body_definition, frame, "\"world\"", frame_choices,
        "frame of position, rotation, axes and anchors: the world, or the shape's frame of the parent"),
    DC_SHAPE_OPTION(struct dc_body_definition, shape, "null",
                    "name of the shape the body is made of; default: none, it touches nothing"),
    DC_SHAPE_OPTION(struct dc_body_definition, visual, "null",
                    "name of the shape that pictures show instead, in the frame of shape"),
    DC_POSITIVE_OPTION(struct dc_body_definition, density, "kg/m^3", "null", 1e6,
                       "density of the solid; free bodies take density or mass, 1000 kg/m^3 without either"),
    DC_REAL_OPTION(struct dc_body_definition, mass, "kg", "null", 0, 1e9,
                   "mass, spread evenly over the solid unless inertia is given; instead of density; 0 only of a body "
                   "that never moves by itself"),
    DC_REALS_OPTION(
        struct dc_body_definition, inertia, "kg m^2", "null", 6, -1e15, 1e15,
        "xx, yy, zz, xy, xz, yz of the inertia about the centre of mass, axes of the shape's frame; with mass"),
    DC_VECTOR_OPTION(struct dc_body_definition, center_of_mass, "m", "null", 1e6,
                     "centre of mass in the shape's frame, default: that of the solid; with mass"),
    DC_CHOICE_OPTION(
        struct dc_body_definition, mass_model, "\"hull\"", mass_models,
        "hull: mass is spread over the solid and follows a shape that the design changes; lumped: mass in equal "
        "points at the vertices of the convex parts; given: mass, centre and inertia stay those of the start"),
    DC_VECTOR_OPTION(struct dc_body_definition, position, "m", "[0, 0, 0]", 1e6,
                     "position of the origin of the shape's frame where joint coordinates are zero"),
    DC_REALS_OPTION(struct dc_body_definition, rotation, "", "[1, 0, 0, 0]", 4, 0, 0,
                    "rotation of the shape's frame there, unit quaternion (w, x, y, z)"),
    DC_VECTOR_OPTION(struct dc_body_definition, velocity, "m/s", "[0, 0, 0]", 1e5,
                     "initial velocity of the centre of mass of a free body"),
    DC_VECTOR_OPTION(struct dc_body_definition, angular_velocity, "rad/s", "[0, 0, 0]", 1e4,
                     "initial angular velocity of a free body in world axes"),
    DC_VECTOR_OPTION(struct dc_body_definition, axis, "", "null", 1e6, "axis of joints that give none; default: z"),
    DC_VECTOR_OPTION(struct dc_body_definition, anchor, "m", "null", 1e6,
                     "anchor of joints that give none; default: the position of the body"),
    DC_REALS_OPTION(struct dc_body_definition, range, "m or rad", "null", 2, -1e6, 1e6,
                    "bounds of the coordinate of a hinge or slide that gives none"),
    DC_REAL_LIST_OPTION(struct dc_body_definition, joint_position, "m or rad", "[]", MOST_COORDINATES, -1e6, 1e6,
                        "initial coordinates of slides and hinges; zeros when empty"),
    DC_REAL_LIST_OPTION(
        struct dc_body_definition, joint_velocity, "m/s or rad/s", "[]", MOST_COORDINATES, -1e6, 1e6,
        "initial velocities of slides and hinges, or of all: with three rad/s of every ball in the axes that its body "
        "has at rest; zeros when empty"),
    DC_POSITIVE_OPTION(struct dc_body_definition, limit_stiffness, "J", "1e-4", 1e6,
                       "strength of the barriers at the ends of ranges; they act over the last twentieth of the range"),
    DC_POSITIVE_OPTION(
        struct dc_body_definition, velocity_limit, "m/s or rad/s", "null", 1e12,
        "speed that slides and hinges shall stay below: the objective speed asks for it, a run tells where it is "
        "passed"),
    DC_OBJECT_OPTION(struct dc_body_definition, pd, "null", dc_pd_options, struct dc_pd_definition,
                     "proportional-derivative actuator on every coordinate of the joint"),
    DC_OBJECT_OPTION(
        struct dc_body_definition, soft, "null", dc_soft_options, struct dc_soft_definition,
        "makes it a soft body, an elastic solid, cloth or rod; bodies fixed to it (parent) are markers on it"),
    DC_OBJECT_OPTION(struct dc_body_definition, cable, "null", dc_cable_options, struct dc_cable_definition,
                     "makes it a cable, which pulls markers on soft bodies together; controls drive its length"),
    DC_REAL_OPTION(struct dc_body_definition, friction, "", "null", 0, 100,
                   "Coulomb coefficient; default: that of the contact settings; of a pair: the geometric mean"),
    DC_OBJECT_LIST_OPTION(struct dc_body_definition, friction_with, "null", MOST_FILTERS, dc_pair_friction_options,
                          struct dc_pair_friction,
                          "bodies with which it has another coefficient; both must have friction above 0"),
    DC_REAL_OPTION(
        struct dc_body_definition, restitution, "", "null", 0, 1,
        "ratio of speeds after and before an impact; default: that of the contact settings; of a pair: the smaller"),
    // Members of the filter have names of their own, so that these entries are written out.
    {.name = "collide",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "true",
     .help = "false: the body touches nothing",
     .offset = offsetof(struct dc_body_definition, filter.collide)},
    {.name = "collide_parent",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "true: the body collides with the body that its joint hangs on",
     .offset = offsetof(struct dc_body_definition, filter.parent)},
    {.name = "collide_except",
     .type = DC_BODY_LIST,
     .unit = "",
     .fallback = "null",
     .count = MOST_FILTERS,
     .help = "bodies that it does not touch",
     .offset = offsetof(struct dc_body_definition, filter.except)},
    {.name = "near_only",
     .type = DC_BODY_LIST,
     .unit = "",
     .fallback = "null",
     .count = MOST_FILTERS,
     .help = "bodies whose parts act on it only where they are near: within near_range of the contact settings (bsh)",
     .offset = offsetof(struct dc_body_definition, filter.near_only)},
    DC_REALS_OPTION(struct dc_body_definition, color, "", "[0.7, 0.7, 0.7]", 3, 0, 1,
                    "colour in pictures, linear red, green and blue"),
    DC_OPTIONS_END,
};
