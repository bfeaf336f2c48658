// SPDX-License-Identifier: Apache-2.0
// Control "initial_state": offsets of the initial pose and velocity of one free body along chosen axes.  (Of a soft
// body only position and velocity: all nodes move alike.)
//
//     x0 += p,   R0 <- exp([p]x) R0,   v0 += p,   omega0 += p
//
// in world axes, rotation about the centre of mass.  With R' = exp([p]x) R0, a change of p rotates R' by J(p) dp, and a
// change of R0 by exp([p]x) dw, with J the left Jacobian.  Therefore a derivative g by the rotation R' becomes J(p)^T g
// by p and exp([p]x)^T g by R0.  All other parameters simply add.
#include "task/task.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

enum { GROUPS = 4, MOST_PARAMETERS = 3 * GROUPS };
enum group { POSITION, ROTATION, VELOCITY, ANGULAR_VELOCITY };

static const char *const group_names[GROUPS] = {"position", "rotation", "velocity", "angular_velocity"};

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_initial_state_options, body, NULL,
                   "name of the free or soft body whose start is controlled"),
    DC_STRING_OPTION(struct dc_initial_state_options, position, "\"\"",
                     "axes along which the initial position may be shifted, such as \"xy\"; parameters in m"),
    DC_STRING_OPTION(
        struct dc_initial_state_options, rotation, "\"\"",
        "world axes of the rotation vector that turns the body about its centre of mass; parameters in rad"),
    DC_STRING_OPTION(struct dc_initial_state_options, velocity, "\"\"",
                     "axes along which velocity may be added; parameters in m/s"),
    DC_STRING_OPTION(struct dc_initial_state_options, angular_velocity, "\"\"",
                     "world axes about which angular velocity may be added; parameters in rad/s"),
    DC_REAL_LIST_OPTION(
        struct dc_initial_state_options, initial, "", "[]", MOST_PARAMETERS, 0, 0,
        "first guess, one number per parameter: position, rotation, velocity, angular velocity; zeros when empty"),
    DC_OPTIONS_END,
};

static const char *group_axes(const struct dc_initial_state_options *options, enum group group)
{
  const char *const axes[GROUPS] = {options->position, options->rotation, options->velocity, options->angular_velocity};
  return axes[group];
}

static int parameter_count(const void *options, const struct dc_model *model, int steps)
{
  (void)model, (void)steps;
  int count = 0;
  for (int group = 0; group < GROUPS; group++)
    count += (int)strlen(group_axes(options, group));
  return count;
}

// Refuses bodies that are neither free nor soft; rotations of soft ones; starts of bodies that hold nodes of
// soft ones, which would stay behind; and axes out of order, as they name parameters.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_initial_state_options *start = options;
  if (start->body < 0 || start->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  const struct dc_body *body = &model->bodies.bodies[start->body];
  bool soft = dc_soft_of(&model->bodies, start->body) != NULL;
  if (!body->free && !soft)
    return dc_fail(error, DC_BAD_INPUT, "body: must be a free or soft body (\"%s\" is %s)", body->name,
                   body->joint_name);
  if (soft && (start->rotation[0] || start->angular_velocity[0]))
    return dc_fail(error, DC_BAD_INPUT, "%s: of the soft body \"%s\" only position and velocity can be shifted",
                   start->rotation[0] ? group_names[ROTATION] : group_names[ANGULAR_VELOCITY], body->name);
  const struct dc_soft *carried = dc_soft_carried(&model->bodies, start->body);
  for (int group = 0; group < GROUPS && carried; group++)
    if (group_axes(start, group)[0])
      return dc_fail(error, DC_BAD_INPUT,
                     "%s: must not be shifted: \"%s\" holds nodes of the soft body \"%s\", which would stay behind",
                     group_names[group], body->name, model->bodies.bodies[carried->body].name);
  if (soft && start->position[0] && dc_soft_of(&model->bodies, start->body)->pin_count > 0)
    return dc_fail(error, DC_BAD_INPUT, "position: must not be shifted: pins hold nodes of \"%s\" and would stay behind",
                   body->name);
  for (int group = 0; group < GROUPS; group++) {
    const char *axes = group_axes(start, group);
    char last = 'x' - 1;
    for (int i = 0; axes[i]; last = axes[i], i++)
      if (axes[i] <= last || axes[i] > 'z')
        return dc_fail(error, DC_BAD_INPUT, "%s: must be a subset of \"xyz\" in that order (is \"%s\")",
                       group_names[group], axes);
  }
  int count = parameter_count(options, model, 0);
  if (start->initial.count != 0 && start->initial.count != count)
    return dc_fail(error, DC_BAD_INPUT, "initial: must hold %d numbers, one per parameter (holds %d)", count,
                   start->initial.count);
  return DC_OK;
}

static void parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text, size_t size)
{
  (void)steps;
  const struct dc_initial_state_options *start = options;
  for (int group = 0; group < GROUPS; group++) {
    const char *axes = group_axes(start, group);
    int count = (int)strlen(axes);
    if (i < count) {
      snprintf(text, size, "%s.%s.%c", model->bodies.bodies[start->body].name, group_names[group], axes[i]);
      return;
    }
    i -= count;
  }
}

static const char *parameter_unit(const void *options, const struct dc_model *model, int steps, int i, double *scale)
{
  static const char *const units[GROUPS] = {"m", "rad", "m/s", "rad/s"};
  (void)model, (void)steps;
  int group = 0;
  *scale = 1;
  for (int count; group < GROUPS - 1 && i >= (count = (int)strlen(group_axes(options, group))); group++)
    i -= count;
  return units[group];
}

static void initial(const void *options, const struct dc_model *model, int steps, double *parameters)
{
  const struct dc_initial_state_options *start = options;
  for (int i = 0; i < parameter_count(options, model, steps); i++)
    parameters[i] = i < start->initial.count ? start->initial.values[i] : 0;
}

// The axes of one quantity form a group.
static int groups(const void *options, const struct dc_model *model, int steps, int *numbers)
{
  (void)model, (void)steps;
  int count = 0;
  for (int group = 0; group < GROUPS; group++) {
    const char *axes = group_axes(options, group);
    for (int i = 0; axes[i]; i++)
      *numbers++ = count;
    count += axes[0] != '\0';
  }
  return count;
}

// Expands the parameters of every group to vectors, zero along other axes.
static void scatter(const struct dc_initial_state_options *options, const double *parameters, double offsets[GROUPS][3])
{
  memset(offsets, 0, GROUPS * sizeof *offsets);
  for (int group = 0; group < GROUPS; group++)
    for (const char *axis = group_axes(options, group); *axis; axis++)
      offsets[group][*axis - 'x'] = *parameters++;
}

// Adds the offsets to all nodes of a soft body.
static void add_to_nodes(const struct dc_soft *soft, double offsets[GROUPS][3], double *q, double *velocity)
{
  for (int i = 0; i < 3 * soft->node_count; i += 3) {
    dc_vec_add(q + i, q + i, offsets[POSITION]);
    dc_vec_add(velocity + i, velocity + i, offsets[VELOCITY]);
  }
}

// The transposed of add_to_nodes: an offset of all nodes has the sum of their cotangents.
static void sum_over_nodes(const struct dc_soft *soft, const double *tangent, double sum[3])
{
  memset(sum, 0, 3 * sizeof *sum);
  for (int i = 0; i < 3 * soft->node_count; i += 3)
    dc_vec_add(sum, sum, tangent + i);
}

// Adds the offsets to the start: position and velocities; the rotation turns from the left, exp(offset) q.
static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  (void)window, (void)state;
  const struct dc_initial_state_options *start = options;
  const struct dc_body *body = &model->bodies.bodies[start->body];
  double *q = input->q + body->q_offset, *velocity = input->velocity + body->v_offset;
  double offsets[GROUPS][3], turn[4];
  const struct dc_soft *soft = dc_soft_of(&model->bodies, start->body);
  scatter(start, parameters, offsets);
  if (soft) {
    add_to_nodes(soft, offsets, input->q + soft->q_offset, input->velocity + soft->v_offset);
    return;
  }
  dc_vec_add(q, q, offsets[POSITION]);
  // Without rotation parameters the bits of the quaternion must not change.
  if (start->rotation[0]) {
    dc_rotation_exp(turn, offsets[ROTATION]);
    dc_rotation_multiply(q + 3, turn, q + 3);
  }
  dc_vec_add(velocity, velocity, offsets[ANGULAR_VELOCITY]);
  dc_vec_add(velocity + 3, velocity + 3, offsets[VELOCITY]);
}

// Adjoint of apply.  Cotangents of rotations are those of left twists: the parameters get J_l^T of them, with the left
// Jacobian J_l of exp, and the quaternion before the turn R gets R^T of them.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  (void)window, (void)state;
  const struct dc_initial_state_options *start = options;
  const struct dc_body *body = &model->bodies.bodies[start->body];
  double *twist = cotangent->q + body->v_offset, *velocity = cotangent->velocity + body->v_offset;
  double offsets[GROUPS][3], derivatives[GROUPS][3], jacobian[9];
  scatter(start, parameters, offsets);
  dc_rotation_left_jacobian(jacobian, offsets[ROTATION]);
  const struct dc_soft *soft = dc_soft_of(&model->bodies, start->body);
  if (soft) {
    memset(derivatives, 0, sizeof derivatives);
    sum_over_nodes(soft, cotangent->q + soft->v_offset, derivatives[POSITION]);
    sum_over_nodes(soft, cotangent->velocity + soft->v_offset, derivatives[VELOCITY]);
  } else {
    dc_vec_copy(derivatives[POSITION], twist + 3);
    dc_mat_apply_transposed(derivatives[ROTATION], jacobian, twist);
    dc_vec_copy(derivatives[VELOCITY], velocity + 3);
    dc_vec_copy(derivatives[ANGULAR_VELOCITY], velocity);
  }
  for (int group = 0; group < GROUPS; group++)
    for (const char *axis = group_axes(start, group); *axis; axis++)
      *gradient++ = derivatives[group][*axis - 'x'];
  if (start->rotation[0]) {
    double turn[4], matrix[9], before[3];
    dc_rotation_exp(turn, offsets[ROTATION]);
    dc_rotation_matrix(matrix, turn);
    dc_mat_apply_transposed(before, matrix, twist);
    dc_vec_copy(twist, before);
  }
}

// Tangent of apply: the twist of the start turns with R and gains J_l times the direction.
static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  (void)window, (void)state;
  const struct dc_initial_state_options *start = options;
  const struct dc_body *body = &model->bodies.bodies[start->body];
  double *twist = moved->q + body->v_offset, *velocity = moved->velocity + body->v_offset;
  double offsets[GROUPS][3], along[GROUPS][3];
  const struct dc_soft *soft = dc_soft_of(&model->bodies, start->body);
  scatter(start, parameters, offsets);
  scatter(start, direction, along);
  if (soft) {
    add_to_nodes(soft, along, moved->q + soft->v_offset, moved->velocity + soft->v_offset);
    return;
  }
  if (start->rotation[0]) {
    double turn[4], matrix[9], before[3] = {twist[0], twist[1], twist[2]}, change[3];
    dc_rotation_exp(turn, offsets[ROTATION]);
    dc_rotation_matrix(matrix, turn);
    dc_mat_apply(twist, matrix, before);
    dc_rotation_left_jacobian(matrix, offsets[ROTATION]);
    dc_mat_apply(change, matrix, along[ROTATION]);
    dc_vec_add(twist, twist, change);
  }
  dc_vec_add(twist + 3, twist + 3, along[POSITION]);
  dc_vec_add(velocity, velocity, along[ANGULAR_VELOCITY]);
  dc_vec_add(velocity + 3, velocity + 3, along[VELOCITY]);
}

// Chooses a free body to aim at, other than self, or -1; *farthest: largest distance of such a body.
static int draw_aim(const struct dc_model *model, int self, struct dc_random *random, double *farthest)
{
  const struct dc_bodies *bodies = &model->bodies;
  int count = 0, aim = -1;
  double u = dc_random_uniform(random);
  *farthest = 0;
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].free && i != self) {
      count++;
      *farthest =
          fmax(*farthest, dc_vec_distance(bodies->bodies[i].start.position, bodies->bodies[self].start.position));
    }
  int pick = (int)(u * count);
  for (int i = 0; i < bodies->count && aim < 0; i++)
    if (bodies->bodies[i].free && i != self && pick-- == 0)
      aim = i;
  return aim;
}

// Sets components along other axes to zero.
static void keep_axes(const char *axes, double v[3])
{
  for (int k = 0; k < 3; k++)
    v[k] = strchr(axes, 'x' + k) ? v[k] : 0;
}

static void draw_direction(const char *axes, struct dc_random *random, double direction[3])
{
  for (int k = 0; k < 3; k++)
    direction[k] = dc_random_normal(random);
  keep_axes(axes, direction);
}

// The speed that a shot needs, at equal masses, to lose g d by friction on its way of d, at a coefficient of 1, and to
// lift what it hits by twice its radius r: v^2 = 2 g (d + 2 r).
static double hard_speed(const struct dc_model *model, int self, int aim)
{
  const struct dc_body *bodies = model->bodies.bodies;
  double way = dc_vec_distance(bodies[aim].start.position, bodies[self].start.position);
  return sqrt(2 * dc_vec_norm(model->definition.gravity) * (way + 2 * bodies[aim].radius));
}

// Draws a shot at a random free body: past its centre by less than makes it miss, from a distance of up to a
// few diameters, and at most so fast that it could go to the farthest body and back within the window.
//
// A shot anywhere (spread->anywhere) has any direction, as one off a cushion needs.  It is fast enough to come,
// after part of the time, up to twice the goal's distance far, and is aimed as much higher as gravity will have
// pulled it down by then.
static void draw(const void *options, const struct dc_model *model, const struct dc_window *window, const double *guess,
                 const struct dc_spread *spread, struct dc_random *random, double *parameters)
{
  // The start moves by up to so many diameters along each axis.  Speeds are from a share of the fastest up to it; the
  // fastest comes so many times as far as the farthest body is, within the window.  Times are at least that share of
  // the window.
  static const double diameters = 1.5, least_speed = 0.15, most_speed = 2, least_time = 0.3;
  const struct dc_initial_state_options *start = options;
  const struct dc_body *body = &model->bodies.bodies[start->body];
  double offsets[GROUPS][3], direction[3], aside[3], farthest;
  scatter(start, guess, offsets);
  int aim = draw_aim(model, start->body, random, &farthest);
  for (int k = 0; k < 3; k++) {
    offsets[POSITION][k] += diameters * 2 * body->radius * (2 * dc_random_uniform(random) - 1);
    offsets[ROTATION][k] += spread->deviation * dc_random_normal(random);
    offsets[ANGULAR_VELOCITY][k] += spread->deviation * dc_random_normal(random);
  }
  keep_axes(start->position, offsets[POSITION]);
  draw_direction(start->velocity, random, direction);
  if (aim >= 0 && !spread->anywhere) {
    const struct dc_body *other = &model->bodies.bodies[aim];
    dc_vec_copy(aside, direction);
    dc_vec_sub(direction, other->start.position, body->start.position);
    dc_vec_sub(direction, direction, offsets[POSITION]);
    keep_axes(start->velocity, direction);
    double along = dc_vec_dot(aside, direction) / fmax(dc_vec_dot(direction, direction), 1e-300);
    for (int k = 0; k < 3; k++)
      aside[k] -= along * direction[k];
    double length = fmax(dc_vec_norm(aside), 1e-300);
    double miss = (body->radius + other->radius) * dc_random_uniform(random);
    for (int k = 0; k < 3; k++)
      direction[k] += miss * aside[k] / length;
  }
  double duration = window->steps * window->time_step, length = fmax(dc_vec_norm(direction), 1e-300);
  double fastest = aim >= 0 && duration > 0 ? most_speed * farthest / duration : spread->deviation;
  if (aim >= 0 && spread->hard)
    fastest = hypot(fastest, hard_speed(model, start->body, aim));
  double speed = fastest * (least_speed + (1 - least_speed) * dc_random_uniform(random)), fall[3] = {0};
  if (spread->anywhere && duration > 0) {
    // passes, after part of the time, a point no farther than twice the goal, whatever gravity does
    double time = duration * (least_time + (1 - least_time) * dc_random_uniform(random));
    speed = fmax(speed, most_speed * spread->distance / time * dc_random_uniform(random));
    dc_vec_scale(fall, model->definition.gravity, -0.5 * time);
    keep_axes(start->velocity, fall);
  }
  for (int k = 0; k < 3; k++)
    offsets[VELOCITY][k] = speed * direction[k] / length + fall[k] - body->start.velocity[k];
  for (int group = 0; group < GROUPS; group++)
    for (const char *axis = group_axes(start, group); *axis; axis++)
      *parameters++ = offsets[group][*axis - 'x'];
}

const struct dc_control_type dc_control_initial_state = {
    .name = "initial_state",
    .summary = "offsets of the initial position, rotation and velocities of one free body, or of position and velocity "
               "of a soft one",
    .reference = "the control of the Billiards experiment of paper 000",
    .options = options_table,
    .options_size = sizeof(struct dc_initial_state_options),
    .check = check,
    .parameter_count = parameter_count,
    .parameter_name = parameter_name,
    .parameter_unit = parameter_unit,
    .initial = initial,
    .groups = groups,
    .draw = draw,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
};
