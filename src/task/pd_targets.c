// SPDX-License-Identifier: Apache-2.0
// Control "pd_targets": one target displacement per step, or per block of steps, for the actuator of one body.  With
// parameter y the target displacement from the initial state is c(y), with c the bounds (task/clamp.h), which a scene
// may leave open (task/target_bounds.h).  The target velocity is zero, so that kd damps.
//
// Parameters are [blocks][coordinates]; targets of several controls on one coordinate add up.
#include "task/held_parameters.h"

static const struct dc_option options_table[] = {
    DC_ACTUATOR_OPTIONS(struct dc_held_options, actuator, "m, rad, Pa or 1", DC_INITIAL_HELP("the target displacements")),
    DC_HOLD_OPTION(struct dc_held_options, hold),
    {.name = "chosen",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "in resolved scenes: low and high were chosen, and are chosen anew when it is read",
     .offset = offsetof(struct dc_held_options, actuator.chosen)},
    DC_OPTIONS_END,
};

// Coordinates are found from the options at each call; here it is seen that they can be.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates;
  return dc_actuator_coordinates_parse(&coordinates, &held->actuator, model, error);
}

// Every step of a block gets the same target c(y), m or rad, and a target velocity of zero.
static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  (void)state;
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  for (int step = 0; step < window->steps; step++) {
    const double *block = parameters + dc_held_block(held, window, step) * coordinates.count;
    for (int c = 0; c < coordinates.count; c++)
      dc_actuator_add_target(&coordinates.items[c], model, step, 0, block[c], 0, input);
  }
}

// Adds the cotangent of every step's target to the parameter of the block that holds it.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  (void)state;
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  for (int i = 0; i < dc_held_parameter_count(options, model, window->steps); i++)
    gradient[i] = 0;
  for (int step = 0; step < window->steps; step++) {
    int first = dc_held_block(held, window, step) * coordinates.count;
    for (int c = 0; c < coordinates.count; c++) {
      double by_target, by_rate;
      dc_actuator_pull_back(&coordinates.items[c], model, step, 0, parameters[first + c], 0, cotangent, &by_target,
                            &by_rate);
      gradient[first + c] += by_target;
    }
  }
}

// The transposed of pull_back: targets move by c'(y) times the direction.
static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  (void)state;
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  for (int step = 0; step < window->steps; step++) {
    int first = dc_held_block(held, window, step) * coordinates.count;
    for (int c = 0; c < coordinates.count; c++)
      dc_actuator_push_forward(&coordinates.items[c], model, step, 0, parameters[first + c], 0, direction[first + c], 0,
                               moved);
  }
}

// Blocks that were applied are dropped and the rest moves forward (task/held_parameters.h).
static void advance(const void *options, const struct dc_model *model, const struct dc_window *window, int applied,
                    double *state, double *parameters)
{
  (void)state;
  int count = dc_actuator_coordinates(&((const struct dc_held_options *)options)->actuator, model).count;
  dc_held_advance(options, count, window, applied, true, parameters);
}

// Finds parameters whose targets are those given [steps][actuators]: each block gets the target of its last
// step, through the inverse of the bounds.
static void aim(const void *options, const struct dc_model *model, const struct dc_window *window, const double *state,
                const double *targets, double *parameters)
{
  (void)state;
  const struct dc_held_options *held = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&held->actuator, model);
  for (int step = 0; step < window->steps; step++) {
    double *block = parameters + dc_held_block(held, window, step) * coordinates.count;
    const double *wanted = targets + (size_t)step * (size_t)model->bodies.actuator_count;
    for (int c = 0; c < coordinates.count; c++)
      block[c] = dc_clamp_inverse(&coordinates.items[c].bounds, wanted[coordinates.items[c].entry]) /
                 coordinates.items[c].scale;
  }
}

const struct dc_control_type dc_control_pd_targets = {
    .name = "pd_targets",
    .summary = "target displacements of the actuator of one body, for every step",
    .reference = "paper 003, Eq. 5: the targets of its stable PD controller as controls",
    .options = options_table,
    .options_size = sizeof(struct dc_held_options),
    .check = check,
    .parameter_count = dc_held_parameter_count,
    .parameter_name = dc_held_parameter_name,
    .parameter_unit = dc_actuator_parameter_unit,
    .initial = dc_held_initial,
    .groups = dc_held_groups,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
    .advance = advance,
    .aim = aim,
};
