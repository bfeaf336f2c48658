// SPDX-License-Identifier: Apache-2.0
// A table with every kind of nested option, for the tests of option tables and of what reads and writes them.
#ifndef DC_TESTS_BASE_NESTED_OPTIONS_H
#define DC_TESTS_BASE_NESTED_OPTIONS_H

#include "base/options.h"

struct gains {
  double kp, kd;
};

struct joint {
  int type, other;                  // index of a choice; of a body
  double axis[3], range[2];         // range NAN when absent
  struct gains *pd;                 // NULL when absent
  struct dc_object_list actuators;  // struct gains
};

struct robot {
  struct dc_object_list joints;     // struct joint
  struct dc_object_list waypoints;  // struct waypoint
  struct gains *brake;
  struct joint *mount;
  struct dc_index_list bodies;
  struct dc_string_list tags;
};

struct waypoint {
  double time;
  const char *name;
};

enum { MOST_JOINTS = 3, MOST_WAYPOINTS = 2, MOST_BODIES = 3, MOST_TAGS = 2 };

static const char *const joint_types[] = {"free", "hinge", "slide", NULL};

static const struct dc_option gains_options[] = {
    DC_POSITIVE_OPTION(struct gains, kp, "N/m", NULL, 1e9, "stiffness"),
    DC_REAL_OPTION(struct gains, kd, "N s/m", "0.5", 0, 1e9, "damping"),
    DC_OPTIONS_END,
};

static const struct dc_option joint_options[] = {
    DC_CHOICE_OPTION(struct joint, type, NULL, joint_types, "kind of joint"),
    DC_REALS_OPTION(struct joint, axis, "", "[0, 0, 1]", 3, 0, 0, "direction of motion"),
    DC_REALS_OPTION(struct joint, range, "rad", "null", 2, -10, 10, "least and greatest position"),
    DC_BODY_OPTION(struct joint, other, "null", "body at the other end"),
    DC_OBJECT_OPTION(struct joint, pd, "null", gains_options, struct gains, "gains of an actuator"),
    DC_OBJECT_LIST_OPTION(struct joint, actuators, "null", 2, gains_options, struct gains, "gains of more actuators"),
    DC_OPTIONS_END,
};

static const struct dc_option waypoint_options[] = {
    DC_REAL_OPTION(struct waypoint, time, "s", NULL, 0, 10, "when"),
    DC_STRING_OPTION(struct waypoint, name, "\"way\"", "what to call it"),
    DC_OPTIONS_END,
};

static const struct dc_option robot_options[] = {
    {.name = "joint",
     .type = DC_OBJECT_LIST,
     .unit = "",
     .fallback = "\"hinge\"",
     .count = MOST_JOINTS,
     .help = "joint or joints to the parent",
     .offset = offsetof(struct robot, joints),
     .table = joint_options,
     .object_size = sizeof(struct joint),
     .short_key = "type"},
    {.name = "waypoints",  // a string may not stand for one: the time must be given
     .type = DC_OBJECT_LIST,
     .unit = "",
     .fallback = "null",
     .count = MOST_WAYPOINTS,
     .help = "where to be",
     .offset = offsetof(struct robot, waypoints),
     .table = waypoint_options,
     .object_size = sizeof(struct waypoint),
     .short_key = "name"},
    DC_OBJECT_OPTION(struct robot, brake, "null", gains_options, struct gains, "gains of the brake"),
    {.name = "mount",
     .type = DC_OBJECT,
     .unit = "",
     .fallback = "null",
     .help = "joint to the world",
     .offset = offsetof(struct robot, mount),
     .table = joint_options,
     .object_size = sizeof(struct joint),
     .short_key = "type"},
    DC_BODY_LIST_OPTION(struct robot, bodies, "null", MOST_BODIES, "what it consists of"),
    {.name = "tags",
     .type = DC_STRING_LIST,
     .unit = "",
     .fallback = "\"robot\"",
     .count = MOST_TAGS,
     .help = "words to find it by",
     .offset = offsetof(struct robot, tags)},
    DC_OPTIONS_END,
};

#endif
