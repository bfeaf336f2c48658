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
    {.name = "kp",
     .type = DC_REAL,
     .unit = "N/m",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     .help = "stiffness",
     .offset = offsetof(struct gains, kp)},
    {.name = "kd",
     .type = DC_REAL,
     .unit = "N s/m",
     .fallback = "0.5",
     .minimum = 0,
     .maximum = 1e9,
     .help = "damping",
     .offset = offsetof(struct gains, kd)},
    DC_OPTIONS_END,
};

static const struct dc_option joint_options[] = {
    {.name = "type",
     .type = DC_CHOICE,
     .unit = "",
     .choices = joint_types,
     .help = "kind of joint",
     .offset = offsetof(struct joint, type)},
    {.name = "axis",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[0, 0, 1]",
     .count = 3,
     .help = "direction of motion",
     .offset = offsetof(struct joint, axis)},
    {.name = "range",
     .type = DC_REALS,
     .unit = "rad",
     .fallback = "null",
     .minimum = -10,
     .maximum = 10,
     .count = 2,
     .help = "least and greatest position",
     .offset = offsetof(struct joint, range)},
    {.name = "other",
     .type = DC_BODY,
     .unit = "",
     .fallback = "null",
     .help = "body at the other end",
     .offset = offsetof(struct joint, other)},
    {.name = "pd",
     .type = DC_OBJECT,
     .unit = "",
     .fallback = "null",
     .help = "gains of an actuator",
     .offset = offsetof(struct joint, pd),
     .table = gains_options,
     .object_size = sizeof(struct gains)},
    {.name = "actuators",
     .type = DC_OBJECT_LIST,
     .unit = "",
     .fallback = "null",
     .count = 2,
     .help = "gains of more actuators",
     .offset = offsetof(struct joint, actuators),
     .table = gains_options,
     .object_size = sizeof(struct gains)},
    DC_OPTIONS_END,
};

static const struct dc_option waypoint_options[] = {
    {.name = "time",
     .type = DC_REAL,
     .unit = "s",
     .minimum = 0,
     .maximum = 10,
     .help = "when",
     .offset = offsetof(struct waypoint, time)},
    {.name = "name",
     .type = DC_STRING,
     .unit = "",
     .fallback = "\"way\"",
     .help = "what to call it",
     .offset = offsetof(struct waypoint, name)},
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
    {.name = "brake",
     .type = DC_OBJECT,
     .unit = "",
     .fallback = "null",
     .help = "gains of the brake",
     .offset = offsetof(struct robot, brake),
     .table = gains_options,
     .object_size = sizeof(struct gains)},
    {.name = "mount",
     .type = DC_OBJECT,
     .unit = "",
     .fallback = "null",
     .help = "joint to the world",
     .offset = offsetof(struct robot, mount),
     .table = joint_options,
     .object_size = sizeof(struct joint),
     .short_key = "type"},
    {.name = "bodies",
     .type = DC_BODY_LIST,
     .unit = "",
     .fallback = "null",
     .count = MOST_BODIES,
     .help = "what it consists of",
     .offset = offsetof(struct robot, bodies)},
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
