// SPDX-License-Identifier: Apache-2.0
// Control "torque": forces on the coordinates of one joint, with or without an actuator, or on a point of a soft body,
// one per step or block of steps.  A point's force acts on its nodes by their weights.  With parameter y the force is L
// c(y), with c the bounds -1 and 1 (task/clamp.h): y is the requested fraction of the limit L, which on slides and
// hinges is never above the effort_limit of their body.
//
// Forces are linear in c(y), so that the three products are short: apply adds L c(y) to force [steps][nv] of the input,
// pull_back takes L c'(y) times the cotangent at the same entry, summed over the steps of a block, and push_forward
// adds L c'(y) times the direction there.  On a soft body an entry becomes one for every node of the support, with its
// weight. Parameters are [blocks][coordinates]; the helpers for blocks are those of all controls that hold
// (held_parameters.h).
#include "task/held_parameters.h"

static const struct dc_option options_table[] = {
    {.name = "body",
     .type = DC_BODY,
     .unit = "",
     .help = "name of the body whose joint is driven, of a soft body or a marker on one",
     .offset = offsetof(struct dc_torque_options, held.actuator.body)},
    {.name = "coordinates",
     .type = DC_STRING,
     .unit = "",
     .fallback = "\"all\"",
     .help =
         "coordinates that forces act on, separated by spaces: of a free body rx ry rz x y z, of a ball rx ry rz, of "
         "hinges and slides their numbers from 0, on a soft body x y z; or all",
     .offset = offsetof(struct dc_torque_options, held.actuator.coordinates)},
    {.name = "limit",
     .type = DC_REAL_LIST,
     .unit = "N or N m",
     .minimum = 0,
     .maximum = 1e12,
     .minimum_excluded = true,
     .count = DC_ACTUATOR_COORDINATES_MOST,
     .help = "largest force or torque, one number for all or one per coordinate, at most the effort_limit of the body; "
             "parameters are parts of it",
     .offset = offsetof(struct dc_torque_options, limit)},
    {.name = "initial",
     .type = DC_REAL_LIST,
     .unit = "",
     .fallback = "[]",
     .minimum = -1e6,
     .maximum = 1e6,
     .count = DC_ACTUATOR_COORDINATES_MOST,
     .help = DC_INITIAL_HELP("the parts of the limit"),
     .offset = offsetof(struct dc_torque_options, held.actuator.initial)},
    DC_HOLD_OPTION(struct dc_torque_options, held.hold),
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates;
  enum dc_status status = dc_joint_coordinates_parse(&coordinates, &torque->held.actuator, model, error);
  if (!status && torque->limit.count != 1 && torque->limit.count != coordinates.count)
    status = dc_fail(error, DC_BAD_INPUT, "limit: must hold one number for all or %d, one per coordinate (holds %d)",
                     coordinates.count, torque->limit.count);
  return status;
}

// Whether a coordinate (counted from the body's first) is one of a slide or hinge, the only ones with an effort_limit.
static bool is_scalar(const struct dc_body *body, int index)
{
  for (int p = 0; p < body->part_count; p++)
    if (body->parts[p].v - body->v_offset == index)
      return body->parts[p].kind == DC_PART_SLIDE || body->parts[p].kind == DC_PART_HINGE;
  return false;
}

// The limit L of coordinate c: that of the options, one for all or one for each, and for slides and hinges at
// most that of the body.
static double limit_of(const struct dc_torque_options *torque, const struct dc_model *model,
                       const struct dc_actuator_coordinate *coordinate, int c)
{
  const struct dc_body *body = &model->bodies.bodies[coordinate->body];
  double limit = torque->limit.values[torque->limit.count > 1 ? c : 0];
  bool limited = body->limits.effort > 0 && is_scalar(body, coordinate->index);
  return limited ? fmin(limit, body->limits.effort) : limit;
}

static int parameter_count(const void *options, const struct dc_model *model, int steps)
{
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  return dc_held_count(&torque->held, &coordinates, steps);
}

static void parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text, size_t size)
{
  (void)steps;
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  dc_held_name(&torque->held, &coordinates, model, i, text, size);
}

static void initial(const void *options, const struct dc_model *model, int steps, double *parameters)
{
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  dc_held_guess(&torque->held, &coordinates, steps, parameters);
}

static int groups(const void *options, const struct dc_model *model, int steps, int *group)
{
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  return dc_held_group(&torque->held, &coordinates, steps, group);
}

static const char *parameter_unit(const void *options, const struct dc_model *model, int steps, int i, double *scale)
{
  (void)steps;
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  *scale = torque->limit.count
               ? limit_of(torque, model, &coordinates.items[i % coordinates.count], i % coordinates.count)
               : 1;  // before the options are checked
  return coordinates.items[i % coordinates.count].angle ? "N m" : "N";
}

// The force of coordinate c at parameter y, its slope, and its place in the input's forces: one entry with
// weight 1, or, on a soft body, one for every node of the support.
struct push {
  double force, slope;
  size_t entry;
  const struct dc_support *support;
};

// Force, slope and entry of one coordinate in one step; of a frame on nodes the entries are those of its support.
static struct push push_at(const struct dc_torque_options *torque, const struct dc_model *model,
                           const struct dc_actuator_coordinate *coordinate, int c, int step, double y)
{
  const struct dc_clamp unit = {-1, 1};
  const struct dc_bodies *bodies = &model->bodies;
  double limit = limit_of(torque, model, coordinate, c);
  struct dc_clamped clamped = dc_clamp(&unit, y);
  const struct dc_support *support = dc_support_of(bodies, coordinate->body);
  int v = (support ? bodies->first_node_v : bodies->bodies[coordinate->body].v_offset) + coordinate->index;
  return (struct push){limit * clamped.value, limit * clamped.slope, (size_t)step * (size_t)bodies->nv + (size_t)v,
                       support};
}

// Adds a number to the entries of a push, by the weights of its nodes.
static void add_push(const struct push *push, double number, double *force)
{
  for (int k = 0; push->support && k < push->support->count; k++)
    force[push->entry + (size_t)push->support->places[k]] += push->support->weights[k] * number;
  if (!push->support)
    force[push->entry] += number;
}

// The transposed of add_push: the sum of the entries by the same weights.
static double sum_push(const struct push *push, const double *force)
{
  double sum = 0;
  for (int k = 0; push->support && k < push->support->count; k++)
    sum += push->support->weights[k] * force[push->entry + (size_t)push->support->places[k]];
  return push->support ? sum : force[push->entry];
}

static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  (void)state;
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  for (int step = 0; step < window->steps; step++) {
    const double *block = parameters + dc_held_block(&torque->held, window, step) * coordinates.count;
    for (int c = 0; c < coordinates.count; c++) {
      struct push push = push_at(torque, model, &coordinates.items[c], c, step, block[c]);
      add_push(&push, push.force, input->force);
    }
  }
}

// Torques are held over blocks of steps: a parameter collects the cotangents of all steps of its block, times the
// slope of the map that keeps it within its bounds.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  (void)state;
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  for (int i = 0; i < dc_held_count(&torque->held, &coordinates, window->steps); i++)
    gradient[i] = 0;
  for (int step = 0; step < window->steps; step++) {
    int first = dc_held_block(&torque->held, window, step) * coordinates.count;
    for (int c = 0; c < coordinates.count; c++) {
      struct push push = push_at(torque, model, &coordinates.items[c], c, step, parameters[first + c]);
      gradient[first + c] += push.slope * sum_push(&push, cotangent->force);
    }
  }
}

// The same product the other way: a direction of a parameter moves the force in all steps of its block.
static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  (void)state;
  const struct dc_torque_options *torque = options;
  struct dc_actuator_coordinates coordinates = dc_joint_coordinates(&torque->held.actuator, model);
  for (int step = 0; step < window->steps; step++) {
    int first = dc_held_block(&torque->held, window, step) * coordinates.count;
    for (int c = 0; c < coordinates.count; c++) {
      struct push push = push_at(torque, model, &coordinates.items[c], c, step, parameters[first + c]);
      add_push(&push, push.slope * direction[first + c], moved->force);
    }
  }
}

// New parameters at the end of a window ask for no force.
static void advance(const void *options, const struct dc_model *model, const struct dc_window *window, int applied,
                    double *state, double *parameters)
{
  (void)state;
  const struct dc_torque_options *torque = options;
  dc_held_advance(&torque->held, dc_joint_coordinates(&torque->held.actuator, model).count, window, applied, false,
                  parameters);
}

const struct dc_control_type dc_control_torque = {
    .name = "torque",
    .summary = "forces and torques on the coordinates of a joint, for every step, within limits",
    .reference = "direct shooting over generalized forces; docs/theory.md, \"Given forces\"",
    .options = options_table,
    .options_size = sizeof(struct dc_torque_options),
    .check = check,
    .parameter_count = parameter_count,
    .parameter_name = parameter_name,
    .parameter_unit = parameter_unit,
    .initial = initial,
    .groups = groups,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
    .advance = advance,
    .forces = true,
};
