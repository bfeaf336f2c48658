// SPDX-License-Identifier: Apache-2.0
// Names, bounds and targets of the actuator coordinates that a control moves.
//
// Options name a body and coordinates; parsing lists their entries in the vector of actuator targets, with bounds.  The
// functions for targets pass displacement and rate through scale and bounds: with c these (task/clamp.h), the targets are
// c(y) + l v and v = c'(y) y', l the lead, and derivatives follow by the chain rule with c''.  A tangent that leaves the
// bounds within the lead gives way to the line that ends at the bound b, v = (b - c(y))/l.  Since l |y'| <= 3/4 of the
// margin of c rules that out, drives of second order stay so.
#include "task/actuator_coordinates.h"

#include <stdio.h>
#include <string.h>

static const char *const letters[6] = {"rx", "ry", "rz", "x", "y", "z"};

// Index of the first of the three rotations that have letters, among a body's degrees of freedom; -1 without.
static int first_rotation(const struct dc_body *body)
{
  if (body->free)
    return 0;
  for (int i = 0; i < body->part_count; i++)
    if (body->parts[i].kind == DC_PART_BALL)
      return body->parts[i].v - body->v_offset;
  return -1;
}

// Whether a coordinate of the body is an angle (rad), by the part of its joint; free bodies have three
// rotations before three translations.
static bool is_angle(const struct dc_body *body, int index)
{
  if (body->free)
    return index < 3;
  for (int i = 0; i < body->part_count; i++) {
    const struct dc_joint_part *part = &body->parts[i];
    int first = part->v - body->v_offset;
    if (index >= first && index < first + dc_part_nv(part))
      return part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
  }
  return false;
}

// Whether the body is a frame on nodes, which forces can push along x, y and z.
static bool on_nodes(const struct dc_model *model, const struct dc_body *body)
{
  return !dc_body_moves(body) && dc_frame_moves(&model->bodies, (int)(body - model->bodies.bodies));
}

// The drives of a soft body, where actuators and not forces are asked for; NULL: none.
static const struct dc_soft_drives *drives_of(const struct dc_model *model, const struct dc_body *body, bool powered)
{
  const struct dc_soft *soft = powered ? dc_soft_of(&model->bodies, (int)(body - model->bodies.bodies)) : NULL;
  return soft ? &soft->drives : NULL;
}

// The name of a coordinate: that of a drive of a soft body, a letter (rx ry rz x y z), or its number where its
// joint has no letters; text is room for a number.
static const char *name_of(const struct dc_model *model, const struct dc_body *body, bool powered, int index,
                           char text[16])
{
  const struct dc_soft_drives *drives = drives_of(model, body, powered);
  if (drives)
    return dc_soft_drive_name(drives, index);
  if (on_nodes(model, body))
    return letters[3 + index];
  int first = first_rotation(body), letter = first < 0 ? -1 : index - first;
  if (letter >= 0 && letter < (body->free ? 6 : 3))
    return letters[letter];
  snprintf(text, 16, "%d", index);
  return text;
}

const char *dc_actuator_coordinate_name(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model,
                                        char text[16])
{
  return name_of(model, &model->bodies.bodies[coordinate->body], coordinate->powered, coordinate->index, text);
}

// The number of coordinates: of a cable its length, of a frame on nodes its position or, powered, its drives.
static int coordinate_count(const struct dc_model *model, const struct dc_body *body, bool powered)
{
  const struct dc_soft_drives *drives = drives_of(model, body, powered);
  if (drives)
    return dc_soft_drive_count(drives);
  return on_nodes(model, body) ? 3 : body->nv == 0 && body->actuator >= 0 ? 1 : body->nv;
}

// Finds the degree of freedom whose name is the first `length` characters of name; -1: none.
static int find_coordinate(const struct dc_model *model, const struct dc_body *body, bool powered, const char *name,
                           size_t length)
{
  for (int i = 0; i < coordinate_count(model, body, powered); i++) {
    char number[16], text[16];
    const char *own = name_of(model, body, powered, i, text);
    snprintf(number, sizeof number, "%d", i);
    if ((strlen(own) == length && strncmp(own, name, length) == 0) ||
        (strlen(number) == length && strncmp(number, name, length) == 0))
      return i;
  }
  return -1;
}

// Refuses a body without coordinates.  powered: the joint must have an actuator, and the message tells how the
// body gets one.
static enum dc_status check_body(const char *option, const struct dc_model *model, int body, bool powered,
                                 struct dc_error *error)
{
  if (body < 0 || body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "%s: must name a body", option);
  const struct dc_body *named = &model->bodies.bodies[body];
  if (!powered && coordinate_count(model, named, powered) == 0)
    return dc_fail(error, DC_BAD_INPUT, "%s: must have a joint that moves (\"%s\" has none)", option, named->name);
  if (powered && named->actuator < 0 && dc_frame_moves(&model->bodies, body) && !dc_body_moves(named))
    return dc_fail(error, DC_BAD_INPUT, "%s: must have an actuator: \"%s\" is soft and has neither a surface nor muscles that controls could drive (\"muscles\" of the soft body; forces on it are the control torque)", option, named->name);
  if (powered && named->actuator < 0)
    return dc_fail(error, DC_BAD_INPUT, "%s: must have an actuator (\"%s\" has no pd: \"pd\": {\"kp\": ..., \"kd\": ...} of the body gives it one)", option, named->name);
  return DC_OK;
}

// Unit, scale and entry of a coordinate.  Pressures are counted in units of the body's Young's modulus, so that
// parameters of all drives are near 1.
static struct dc_actuator_coordinate coordinate_of(const struct dc_model *model, int body, bool powered, int index)
{
  const struct dc_body *owner = &model->bodies.bodies[body];
  const struct dc_soft_drives *drives = drives_of(model, owner, powered);
  bool angle = is_angle(owner, index);
  struct dc_actuator_coordinate coordinate = {.body = body,
                                              .index = index,
                                              .entry = owner->actuator + index,
                                              .angle = angle,
                                              .powered = powered,
                                              .unit = drives ? dc_soft_drive_unit(drives, index)
                                                      : angle ? "rad" : "m",
                                              .scale = 1,
                                              .bounds = {-INFINITY, INFINITY}};
  if (drives && index < dc_soft_first_muscle(drives))
    coordinate.scale = dc_soft_of(&model->bodies, body)->young;
  return coordinate;
}

// Adds a coordinate; false when it is there already, or there is no room.
static bool add_coordinate(struct dc_actuator_coordinates *coordinates, const struct dc_model *model, int body,
                           bool powered, int index)
{
  for (int i = 0; i < coordinates->count; i++)
    if (coordinates->items[i].body == body && coordinates->items[i].index == index)
      return false;
  if (coordinates->count == DC_ACTUATOR_COORDINATES_MOST)
    return false;
  coordinates->items[coordinates->count++] = coordinate_of(model, body, powered, index);
  return true;
}

// Lists of bounds hold one number for all coordinates, or one for each.
static enum dc_status check_count(const char *option, const struct dc_real_list *list, int count,
                                  struct dc_error *error)
{
  if (list->count > 1 && list->count != count)
    return dc_fail(error, DC_BAD_INPUT, "%s: must hold one number for all or %d, one per coordinate (holds %d)", option,
                   count, list->count);
  return DC_OK;
}

// Sets the bounds of the coordinates; one number stands for all.
static enum dc_status set_bounds(struct dc_actuator_coordinates *coordinates, const struct dc_real_list *low,
                                 const struct dc_real_list *high, struct dc_error *error)
{
  enum dc_status status = check_count("low", low, coordinates->count, error);
  if (!status)
    status = check_count("high", high, coordinates->count, error);
  if (status)
    return status;
  if ((low->count == 0) != (high->count == 0))
    return dc_fail(error, DC_BAD_INPUT, "%s: must be given when %s is", low->count ? "high" : "low",
                   low->count ? "low" : "high");
  for (int i = 0; low->count && i < coordinates->count; i++) {
    struct dc_clamp bounds = {low->values[low->count > 1 ? i : 0], high->values[high->count > 1 ? i : 0]};
    if (!(bounds.low < bounds.high))
      return dc_fail(error, DC_BAD_INPUT, "low: must be below high (%.10g is not below %.10g)", bounds.low,
                     bounds.high);
    coordinates->items[i].bounds = bounds;
  }
  return DC_OK;
}

// Adds the coordinates that a text names, separated by spaces.
static enum dc_status add_named(struct dc_actuator_coordinates *coordinates, const struct dc_model *model, int body,
                                bool powered, const char *names, struct dc_error *error)
{
  const struct dc_body *owner = &model->bodies.bodies[body];
  for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    int index = find_coordinate(model, owner, powered, at, length);
    if (index < 0) {
      char all[256] = "", text[16];
      for (int i = 0; i < coordinate_count(model, owner, powered); i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, " %s", name_of(model, owner, powered, i, text));
      }
      return dc_fail(error, DC_BAD_INPUT,
                     "coordinates: must be \"all\" or some of%s, separated by spaces, for \"%s\" (is \"%s\")", all,
                     owner->name, names);
    }
    if (!add_coordinate(coordinates, model, body, powered, index))
      return dc_fail(error, DC_BAD_INPUT, "coordinates: must name each coordinate once (is \"%s\")", names);
    at += length;
  }
  if (coordinates->count == 0)
    return dc_fail(error, DC_BAD_INPUT, "coordinates: must name a coordinate (is \"%s\")", names);
  return DC_OK;
}

// Adds all coordinates of a body.
static enum dc_status add_all(struct dc_actuator_coordinates *coordinates, const struct dc_model *model, int body,
                              bool powered, const char *option, struct dc_error *error)
{
  const struct dc_body *owner = &model->bodies.bodies[body];
  if (coordinates->count + coordinate_count(model, owner, powered) > DC_ACTUATOR_COORDINATES_MOST)
    return dc_fail(error, DC_BAD_INPUT, "%s: must have at most %d coordinates together", option,
                   DC_ACTUATOR_COORDINATES_MOST);
  for (int i = 0; i < coordinate_count(model, owner, powered); i++)
    if (!add_coordinate(coordinates, model, body, powered, i))
      return dc_fail(error, DC_BAD_INPUT, "%s: must name each body once (\"%s\" twice)", option, owner->name);
  return DC_OK;
}

// Finds the coordinates that options name, with their bounds; "initial" must hold a whole number of rows.
// `powered`: coordinates of actuators, else those of the joint, for forces.
static enum dc_status parse(struct dc_actuator_coordinates *coordinates, const struct dc_actuator_options *options,
                            const struct dc_model *model, bool powered, struct dc_error *error)
{
  coordinates->count = 0;
  enum dc_status status = check_body("body", model, options->body, powered, error);
  if (!status)
    status = strcmp(options->coordinates, "all") == 0
                 ? add_all(coordinates, model, options->body, powered, "body", error)
                 : add_named(coordinates, model, options->body, powered, options->coordinates, error);
  if (!status)
    status = set_bounds(coordinates, &options->low, &options->high, error);
  if (!status && options->initial.count % coordinates->count != 0)
    status = dc_fail(error, DC_BAD_INPUT,
                     "initial: must hold %d numbers, one per coordinate, or so many for each time (holds %d)",
                     coordinates->count, options->initial.count);
  return status;
}

// The first guess of parameter i: rows of "initial" follow each other in time, and the last one is repeated.
double dc_actuator_initial(const struct dc_actuator_options *options,
                           const struct dc_actuator_coordinates *coordinates, int i)
{
  int count = options->initial.count, own = i % coordinates->count;
  if (!count)
    return 0;
  return options->initial.values[i < count ? i : count - coordinates->count + own] / coordinates->items[own].scale;
}

// Coordinates with an actuator, in the vector of targets.
enum dc_status dc_actuator_coordinates_parse(struct dc_actuator_coordinates *coordinates,
                                             const struct dc_actuator_options *options, const struct dc_model *model,
                                             struct dc_error *error)
{
  return parse(coordinates, options, model, true, error);
}

// Coordinates of a joint or of a frame on nodes, whether or not an actuator drives them: for forces.
enum dc_status dc_joint_coordinates_parse(struct dc_actuator_coordinates *coordinates,
                                          const struct dc_actuator_options *options, const struct dc_model *model,
                                          struct dc_error *error)
{
  enum dc_status status = parse(coordinates, options, model, false, error);
  const struct dc_body *named = status ? NULL : &model->bodies.bodies[options->body];
  if (!status && named->nv == 0 && named->actuator >= 0 && !on_nodes(model, named))
    return dc_fail(error, DC_BAD_INPUT, "body: must not be a cable (\"%s\" is one): its length is driven", named->name);
  return status;
}

enum dc_status dc_actuator_coordinates_all(struct dc_actuator_coordinates *coordinates,
                                           const struct dc_index_list *bodies, const struct dc_real_list *low,
                                           const struct dc_real_list *high, const struct dc_model *model,
                                           struct dc_error *error)
{
  coordinates->count = 0;
  for (int i = 0; i < bodies->count; i++) {
    enum dc_status status = check_body("bodies", model, bodies->indices[i], true, error);
    if (!status)
      status = add_all(coordinates, model, bodies->indices[i], true, "bodies", error);
    if (status)
      return status;
  }
  return set_bounds(coordinates, low, high, error);
}

// The same again for options that have been checked: parsing is cheap beside a rollout, and options stay plain data.
struct dc_actuator_coordinates dc_actuator_coordinates(const struct dc_actuator_options *options,
                                                       const struct dc_model *model)
{
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, options, model, true, NULL);
  return coordinates;
}

struct dc_actuator_coordinates dc_joint_coordinates(const struct dc_actuator_options *options,
                                                    const struct dc_model *model)
{
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, options, model, false, NULL);
  return coordinates;
}

// Targets are [steps][actuators].
static size_t target_index(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step)
{
  return (size_t)step * (size_t)model->bodies.actuator_count + (size_t)coordinate->entry;
}

const char *dc_actuator_parameter_unit(const void *options, const struct dc_model *model, int steps, int i,
                                       double *scale)
{
  (void)steps;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(options, model);
  *scale = coordinates.items[i % coordinates.count].scale;
  return coordinates.items[i % coordinates.count].unit;
}

// c(y) with its first two derivatives by the parameter y, for the bounds and the scale s of the coordinate:
// value c(s y), slope s c', curvature s^2 c''.
static struct dc_clamped bounded(const struct dc_actuator_coordinate *coordinate, double y)
{
  double scale = coordinate->scale;
  struct dc_clamped clamped = dc_clamp(&coordinate->bounds, scale * y);
  return (struct dc_clamped){clamped.value, scale * clamped.slope, scale * scale * clamped.curvature};
}

// l of the head, s: a whole step with the integrator of second order, whose drives push at the beginning of a step;
// else 0.
double dc_actuator_lead(const struct dc_model *model)
{
  const struct dc_time_settings *time = &model->definition.time;
  return time->integrator == DC_SECOND_ORDER ? time->step : 0;
}

// The time that a target of a step belongs to, in steps from the beginning of the run: its end, or with a lead its
// beginning.
double dc_actuator_target_steps(const struct dc_model *model, const struct dc_window *window, int step)
{
  return (double)(window->first + step + (dc_actuator_lead(model) > 0 ? 0 : 1));
}

// A target, its rate, and their derivatives by y and y'.
struct moving_target {
  double position, velocity;
  double position_by_y, position_by_rate;
  double velocity_by_y, velocity_by_rate;
};

// c(y) + l v with v = c'(y) y', or the bound b and v = (b - c(y))/l where that is beyond b.
static struct moving_target moving_target(const struct dc_actuator_coordinate *coordinate, double lead, double y,
                                          double rate)
{
  struct dc_clamped at = bounded(coordinate, y);
  double velocity = at.slope * rate, bend = at.curvature * rate;
  double bound = velocity > 0 ? coordinate->bounds.high : coordinate->bounds.low;
  if (lead * fabs(velocity) > fabs(bound - at.value))
    return (struct moving_target){
        .position = bound, .velocity = (bound - at.value) / lead, .velocity_by_y = -at.slope / lead};
  return (struct moving_target){.position = at.value + lead * velocity,
                                .velocity = velocity,
                                .position_by_y = at.slope + lead * bend,
                                .position_by_rate = lead * at.slope,
                                .velocity_by_y = bend,
                                .velocity_by_rate = at.slope};
}

// Adds the target and its time derivative to those of a step.
void dc_actuator_add_target(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step,
                            double lead, double y, double rate, struct dc_rollout_input *input)
{
  size_t target = target_index(coordinate, model, step);
  struct moving_target moving = moving_target(coordinate, lead, y, rate);
  input->target_position[target] += moving.position;
  input->target_velocity[target] += moving.velocity;
}

// Derivatives by y and y' from cotangents of the target and of its rate.
void dc_actuator_pull_back(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step,
                           double lead, double y, double rate, const struct dc_rollout_cotangent *cotangent,
                           double *by_y, double *by_rate)
{
  size_t target = target_index(coordinate, model, step);
  struct moving_target moving = moving_target(coordinate, lead, y, rate);
  double position = cotangent->target_position[target], velocity = cotangent->target_velocity[target];
  *by_y = moving.position_by_y * position + moving.velocity_by_y * velocity;
  *by_rate = moving.position_by_rate * position + moving.velocity_by_rate * velocity;
}

// The transposed of pull_back.
void dc_actuator_push_forward(const struct dc_actuator_coordinate *coordinate, const struct dc_model *model, int step,
                              double lead, double y, double rate, double along_y, double along_rate,
                              struct dc_rollout_cotangent *moved)
{
  size_t target = target_index(coordinate, model, step);
  struct moving_target moving = moving_target(coordinate, lead, y, rate);
  moved->target_position[target] += moving.position_by_y * along_y + moving.position_by_rate * along_rate;
  moved->target_velocity[target] += moving.velocity_by_y * along_y + moving.velocity_by_rate * along_rate;
}
