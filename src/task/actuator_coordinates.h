// SPDX-License-Identifier: Apache-2.0
// The coordinates of actuators that a control moves.
//
// Coordinates have names within their body.  A free body has "rx", "ry", "rz" (components of the rotation vector, rad)
// and "x", "y", "z" (translation, m); a ball "rx", "ry", "rz".  A hinge or slide, alone or in a composite, is named by
// its number among the degrees of freedom of the body, from "0".  Numbers name every coordinate; in a composite with
// several balls only the first has letters.  A soft body has "pressure", its chambers and its muscles
// (body/soft_drives.h); forces push it along "x", "y", "z".
//
// The target velocity of a coordinate is the rate of its target position.  When several components of a rotation vector
// change at once, this is the target's angular velocity to first order in the angle from the initial state.
#ifndef DC_TASK_ACTUATOR_COORDINATES_H
#define DC_TASK_ACTUATOR_COORDINATES_H

#include "task/clamp.h"
#include "task/task.h"

enum { DC_ACTUATOR_COORDINATES_MOST = 128 };

struct dc_actuator_coordinate {
  int body, index;  // index among the degrees of freedom of the body
  int entry;        // in vectors of actuator targets
  bool angle;        // rad
  bool powered;      // moved by an actuator, not by a force
  const char *unit;  // "m", "rad", "Pa" or "1" (muscles)
  // Change of the target for a parameter of 1, in the unit: 1, or Young's modulus for pressures, so that parameters of
  // one size matter alike.
  double scale;
  struct dc_clamp bounds;  // of the target
};

struct dc_actuator_coordinates {
  int count;
  struct dc_actuator_coordinate items[DC_ACTUATOR_COORDINATES_MOST];
};

#define DC_INITIAL_HELP(what)                                                                                          \
  "first guess of " what ", one per coordinate, or as many for each of the first times (steps, holds or knots), the "  \
  "last of which stay; zeros when empty"

// Rows of an option table that select coordinates: the first options of struct dc_actuator_options, member of
// structure.
#define DC_COORDINATE_OPTIONS(structure, member)                                                                       \
  {.name = "body",                                                                                                     \
   .type = DC_BODY,                                                                                                    \
   .unit = "",                                                                                                         \
   .help = "name of the body with pd whose joint is driven, of a cable or of a soft body",                              \
   .offset = offsetof(structure, member.body)},                                                                        \
  {                                                                                                                    \
    .name = "coordinates", .type = DC_STRING, .unit = "", .fallback = "\"all\"",                                       \
    .help = "coordinates to move, separated by spaces: of a free body rx ry rz x y z, of a ball rx ry rz, of "         \
            "hinges and slides their numbers from 0, of a soft body pressure (Pa) and the names of its chambers (Pa) " \
            "and muscles; or all",                                                                                     \
    .offset = offsetof(structure, member.coordinates)                                                                  \
  }

// All rows of struct dc_actuator_options; the meaning of "initial" differs between controls.
#define DC_ACTUATOR_OPTIONS(structure, member, initial_unit, initial_help)                                             \
  DC_COORDINATE_OPTIONS(structure, member), DC_BOUND_OPTION("low", "lower", structure, member.low),                    \
      DC_BOUND_OPTION("high", "upper", structure, member.high),                                                        \
  {                                                                                                                    \
    .name = "initial", .type = DC_REAL_LIST, .unit = (initial_unit), .fallback = "[]", .minimum = -1e9,                \
    .maximum = 1e9, .count = DC_ACTUATOR_COORDINATES_MOST, .help = (initial_help),                                     \
    .offset = offsetof(structure, member.initial)                                                                      \
  }

#define DC_BOUND_OPTION(option, which, structure, member)                                                              \
  {                                                                                                                    \
    .name = (option), .type = DC_REAL_LIST, .unit = "m, rad, Pa or 1", .fallback = "[]", .minimum = -1e9, .maximum = 1e9, \
    .count = DC_ACTUATOR_COORDINATES_MOST,                                                                             \
    .help = which " bounds of the target displacements, one number for all or one per coordinate; none when empty",    \
    .offset = offsetof(structure, member)                                                                              \
  }

// Lists all coordinates that options name.  DC_BAD_INPUT: the message begins with the option.
enum dc_status dc_actuator_coordinates_parse(struct dc_actuator_coordinates *coordinates,
                                             const struct dc_actuator_options *options, const struct dc_model *model,
                                             struct dc_error *error);
// The same for joints with or without an actuator; without one, entry is meaningless.
enum dc_status dc_joint_coordinates_parse(struct dc_actuator_coordinates *coordinates,
                                          const struct dc_actuator_options *options, const struct dc_model *model,
                                          struct dc_error *error);
// Lists all coordinates of all bodies, with bounds low and high.  DC_BAD_INPUT as above, naming "bodies", "low" or
// "high".
enum dc_status dc_actuator_coordinates_all(struct dc_actuator_coordinates *coordinates,
                                           const struct dc_index_list *bodies, const struct dc_real_list *low,
                                           const struct dc_real_list *high, const struct dc_model *model,
                                           struct dc_error *error);

// First guess of parameter i, counted over all times with the coordinates of a time together.
double dc_actuator_initial(const struct dc_actuator_options *options,
                           const struct dc_actuator_coordinates *coordinates, int i);
// The same lists for options that have passed the check.
struct dc_actuator_coordinates dc_actuator_coordinates(const struct dc_actuator_options *options,
                                                       const struct dc_model *model);
struct dc_actuator_coordinates dc_joint_coordinates(const struct dc_actuator_options *options,
                                                    const struct dc_model *model);

// The coordinate's name within its body, such as "rx" or "0".
const char *dc_actuator_coordinate_name(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model,
                                        char text[16]);

// The unit of the coordinate: the member parameter_unit of controls whose parameters are displacements, coordinate
// after coordinate, and whose options begin with struct dc_actuator_options.
const char *dc_actuator_parameter_unit(const void *options, const struct dc_model *model, int steps, int i,
                                       double *scale);

// From when functions of time are asked for the targets of a step to its end, s.  It is 0; with second_order, whose
// drives push with half of the velocities before and after the beginning of a step, it is all of the step.
double dc_actuator_lead(const struct dc_model *model);
// How many steps after the start of the run that is.
double dc_actuator_target_steps(const struct dc_model *model, const struct dc_window *window, int step);
// Adds to the targets of a step; y and rate are target displacement and velocity before the bounds, so long before its
// end, to which the rate leads, to a bound at most.
void dc_actuator_add_target(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step,
                            double lead, double y, double rate, struct dc_rollout_input *input);
// Derivatives of a loss by y and its rate, from the derivatives by the targets.
void dc_actuator_pull_back(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step,
                           double lead, double y, double rate, const struct dc_rollout_cotangent *cotangent,
                           double *by_y, double *by_rate);
// Adds to moved the change of the targets along a change of y and rate.
void dc_actuator_push_forward(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step,
                              double lead, double y, double rate, double along_y, double along_rate,
                              struct dc_rollout_cotangent *moved);

#endif
