// SPDX-License-Identifier: Apache-2.0
// The fan: Gauss-Newton steps of several lengths from one Jacobian.  Private to src/optimize.
#ifndef DC_OPTIMIZE_FAN_H
#define DC_OPTIMIZE_FAN_H

#include "optimize/iteration.h"

enum dc_fan_model { DC_FAN_EDGE, DC_FAN_CENTRE };
enum dc_fan_metric { DC_FAN_COLUMNS, DC_FAN_UNIT };

struct dc_fan_settings {
  struct dc_real_list radii;  // factors on the radius of the last step
  double radius;              // of the first step
  double least, most;         // bounds of the radius; monotone fans may go below
  double margin;              // fraction of discs and boxes that steps aim at
  int model, metric;          // enum dc_fan_model, dc_fan_metric
  double sufficient;          // a candidate at most this part of the value ends the trials
  bool monotone;              // whether only lower values are taken
};

enum dc_status dc_fan_check(const char *name, const struct dc_problem *problem, struct dc_error *error);
size_t dc_fan_state_size(const struct dc_problem *problem);

// Prepares the state [dc_fan_state_size] at iteration->x and linearizes there: value and gradient of the iteration are
// set, nothing is booked.
enum dc_status dc_fan_begin(const struct dc_fan_settings *settings, struct dc_iteration *iteration, double *state,
                            struct dc_error *error);
// Sets the radius to which the factors of the next step apply.
void dc_fan_set_radius(double *state, double radius);
// Takes one step: sets iteration->x, value and gradient and books the value, or sets iteration->finished.  Radii behind
// the first one that leads to a value of at most `enough` are not tried.
enum dc_status dc_fan_step(const struct dc_fan_settings *settings, struct dc_iteration *iteration, double enough,
                           double *state, struct dc_error *error);

#endif
