// SPDX-License-Identifier: Apache-2.0
// The kinds of joints, each a descriptor, and the options of an entry of "joint".
#include "body/body.h"

// `parts` stand outermost first: each acts in the frame that those before it have displaced. `part_axis` gives the
// axis of each slide or hinge: 0 the joint's axis, 1 its second one, 2 the one perpendicular to both (body.c,
// set_axes).
const struct dc_joint_type dc_joint_free = {
    .name = "free",
    .summary = "moves and turns freely",
    .reference = "state: position of the centre of mass and unit quaternion; derivatives in exponential charts",
    .nq = 7,
    .nv = 6,
    .only = true,
    .part_count = 2,
    .parts = {DC_PART_TRANSLATION, DC_PART_BALL},
};

const struct dc_joint_type dc_joint_fixed = {
    .name = "fixed",
    .summary = "never moves relative to its parent",
    .reference = "no state; the pose relative to the parent (or the world) is that at rest",
};

static const struct dc_joint_type hinge = {
    .name = "hinge",
    .summary = "turns about an axis through its anchor",
    .reference = "state: angle, rad; docs/theory.md, \"Joints\"",
    .nq = 1,
    .nv = 1,
    .axis = true,
    .range = true,
    .part_count = 1,
    .parts = {DC_PART_HINGE},
};

static const struct dc_joint_type slide = {
    .name = "slide",
    .summary = "moves along an axis",
    .reference = "state: displacement, m; docs/theory.md, \"Joints\"",
    .nq = 1,
    .nv = 1,
    .axis = true,
    .range = true,
    .part_count = 1,
    .parts = {DC_PART_SLIDE},
};

static const struct dc_joint_type universal = {
    .name = "universal",
    .summary = "turns about two perpendicular axes through its anchor; the first turns the second",
    .reference = "state: two angles, rad; docs/theory.md, \"Joints\"",
    .nq = 2,
    .nv = 2,
    .axis = true,
    .part_count = 2,
    .parts = {DC_PART_HINGE, DC_PART_HINGE},
    .part_axis = {0, 1},
};

static const struct dc_joint_type ball = {
    .name = "ball",
    .summary = "turns freely about its anchor",
    .reference = "state: unit quaternion; derivatives in exponential charts",
    .nq = 4,
    .nv = 3,
    .part_count = 1,
    .parts = {DC_PART_BALL},
};

static const struct dc_joint_type planar = {
    .name = "planar",
    .summary = "moves in the plane perpendicular to its axis and turns about the axis",
    .reference = "state: two displacements, m, and an angle, rad; docs/theory.md, \"Joints\"",
    .nq = 3,
    .nv = 3,
    .axis = true,
    .part_count = 3,
    .parts = {DC_PART_SLIDE, DC_PART_SLIDE, DC_PART_HINGE},
    .part_axis = {1, 2, 0},
};

const struct dc_joint_type *const dc_joint_types[] = {&dc_joint_free, &dc_joint_fixed, &hinge,  &slide,
                                                      &universal,     &ball,           &planar, NULL};

// Names for the option, in the order of dc_joint_types.
static const char *const type_choices[] = {"free", "fixed", "hinge", "slide", "universal", "ball", "planar", NULL};

const struct dc_option dc_joint_options[] = {
    DC_CHOICE_OPTION(struct dc_joint_definition, type, NULL, type_choices, "kind of joint"),
    DC_VECTOR_OPTION(
        struct dc_joint_definition, axis, "", "null", 1e6,
        "axis of a hinge or slide, first axis of a universal joint, normal of a planar one; default: the body's axis"),
    DC_VECTOR_OPTION(
        struct dc_joint_definition, axis2, "", "null", 1e6,
        "second axis of a universal joint, first direction of a planar one; default: the coordinate axis after the "
        "one nearest to axis"),
    DC_VECTOR_OPTION(struct dc_joint_definition, anchor, "m", "null", 1e6,
                     "point that the joint turns about; default: the body's anchor"),
    DC_REALS_OPTION(struct dc_joint_definition, range, "m or rad", "null", 2, -1e6, 1e6,
                    "bounds of the coordinate of a hinge or slide; default: the body's range, none without"),
    DC_REAL_OPTION(struct dc_joint_definition, damping, "N s/m or N m s/rad", "0", 0, 1e12,
                   "force against the velocity, per velocity; of a free body also on the origin of its shape's frame"),
    DC_REAL_OPTION(struct dc_joint_definition, armature, "kg or kg m^2", "0", 0, 1e12,
                   "inertia of a rotor that every coordinate turns, seen through its gear; not of what turns about a "
                   "point"),
    DC_REAL_OPTION(struct dc_joint_definition, stiffness, "N/m or N m/rad", "0", 0, 1e12,
                   "spring towards rest; of a ball joint towards its start"),
    DC_REAL_OPTION(struct dc_joint_definition, rest, "m or rad", "0", -1e6, 1e6,
                   "coordinate where the spring is slack"),
    DC_REAL_OPTION(
        struct dc_joint_definition, dry_friction, "N or N m", "0", 0, 1e12,
        "force against motion, of this size at any speed above 0.001 m/s or rad/s; not of what turns about a "
        "point"),
    DC_REAL_OPTION(struct dc_joint_definition, force, "N or N m", "0", -1e12, 1e12,
                   "constant force along every coordinate; not of what turns about a point"),
    DC_OPTIONS_END,
};

// Gains of turning that are not given are those of moving.  A damper alone on a joint that both moves and turns
// is an exception, because a force per speed is no moment per turning speed: its gain of turning gets the
// square of the radius of gyration as a factor.
void dc_pd_settle(struct dc_pd_definition *pd, const struct dc_body *body)
{
  // Mean of the three squared radii of gyration, m^2: tr(I)/(3 m), where I = tr(S) 1 - S gives tr(I) = 2 tr(S).
  const double *s = body->second_moment;
  double gyration = body->mass > 0 ? 2.0 / 3 * (s[0] + s[4] + s[8]) / body->mass : 0;
  bool moves = false, turns = false;
  for (int p = 0; p < body->part_count; p++) {
    bool turning = body->parts[p].kind == DC_PART_BALL || body->parts[p].kind == DC_PART_HINGE;
    turns = turns || turning;
    moves = moves || !turning;
  }
  bool damps = pd->kp == 0 && !(pd->kp_rotation > 0) && moves && turns && gyration > 0;
  if (isnan(pd->kp_rotation))
    pd->kp_rotation = pd->kp;
  if (isnan(pd->kd_rotation))
    pd->kd_rotation = damps ? pd->kd * gyration : pd->kd;
}
