// SPDX-License-Identifier: Apache-2.0
// Parameters of one actuator for every step, or every "hold" steps: [block][coordinate].
//
// Blocks begin at multiples of hold since the start of the run, so that they stay in place while the window of a
// receding horizon advances.  A window of n steps has ceil(n / hold) blocks; when it begins inside a block, its last
// block extends to its end.  Functions of options, model and so on are members of struct dc_control_type, for controls
// whose options begin with struct dc_held_options.
#ifndef DC_TASK_HELD_PARAMETERS_H
#define DC_TASK_HELD_PARAMETERS_H

#include "task/actuator_coordinates.h"

#define DC_HOLD_OPTION(structure, member)                                                                              \
  {                                                                                                                    \
    .name = "hold", .type = DC_INTEGER, .unit = "", .fallback = "1", .minimum = 1, .maximum = 1e6,                     \
    .help = "number of time steps that share their parameters", .offset = offsetof(structure, member)                  \
  }

// The block of a step of the window.
int dc_held_block(const struct dc_held_options *options, const struct dc_window *window, int step);

// The parameters of given coordinates: their number, names, first guess; those of one block are a group.
int dc_held_count(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates, int steps);
void dc_held_name(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates,
                  const struct dc_model *model, int i, char *text, size_t size);
void dc_held_guess(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates, int steps,
                   double *parameters);
int dc_held_group(const struct dc_held_options *options, const struct dc_actuator_coordinates *coordinates, int steps,
                  int *group);

// The same of the coordinates of an actuator.
int dc_held_parameter_count(const void *options, const struct dc_model *model, int steps);
void dc_held_parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text,
                            size_t size);
void dc_held_initial(const void *options, const struct dc_model *model, int steps, double *parameters);
int dc_held_groups(const void *options, const struct dc_model *model, int steps, int *group);

// Moves the parameters forward by applied steps.  Blocks that come in are zero, or repeat the last one.
void dc_held_advance(const struct dc_held_options *options, int coordinates, const struct dc_window *window,
                     int applied, bool repeat, double *parameters);

#endif
