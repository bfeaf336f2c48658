// SPDX-License-Identifier: Apache-2.0
#include "body/body.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

static const char *const joint_choices[] = {"free", "fixed", NULL};

#define DEFAULT_DENSITY 1000.0   // kg/m^3, of free bodies given neither density nor mass
#define ROTATION_TOLERANCE 1e-3  // on the length of a given quaternion

const struct dc_option dc_body_options[] = {
    {.name = "name",
     .type = DC_STRING,
     .unit = "",
     .help = "unique name that controls, objectives and results refer to",
     .offset = offsetof(struct dc_body_definition, name)},
    {.name = "joint",
     .type = DC_CHOICE,
     .unit = "",
     .fallback = "\"free\"",
     .choices = joint_choices,
     .help = "how the body may move: free, or fixed to the world",
     .offset = offsetof(struct dc_body_definition, joint)},
    {.name = "shape",
     .type = DC_SHAPE,
     .unit = "",
     .help = "name of the shape the body is made of",
     .offset = offsetof(struct dc_body_definition, shape)},
    {.name = "density",
     .type = DC_REAL,
     .unit = "kg/m^3",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1e6,
     .minimum_excluded = true,
     .help = "density of the solid; free bodies take density or mass, 1000 kg/m^3 without either",
     .offset = offsetof(struct dc_body_definition, density)},
    {.name = "mass",
     .type = DC_REAL,
     .unit = "kg",
     .fallback = "null",
     .minimum = 0,
     .maximum = 1e9,
     .minimum_excluded = true,
     .help = "mass, spread evenly over the solid; instead of density",
     .offset = offsetof(struct dc_body_definition, mass)},
    {.name = "position",
     .type = DC_REALS,
     .unit = "m",
     .fallback = "[0, 0, 0]",
     .minimum = -1e6,
     .maximum = 1e6,
     .count = 3,
     .help = "initial position of the origin of the shape's frame",
     .offset = offsetof(struct dc_body_definition, position)},
    {.name = "rotation",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[1, 0, 0, 0]",
     .count = 4,
     .help = "initial rotation of the shape's frame, unit quaternion (w, x, y, z)",
     .offset = offsetof(struct dc_body_definition, rotation)},
    {.name = "velocity",
     .type = DC_REALS,
     .unit = "m/s",
     .fallback = "[0, 0, 0]",
     .minimum = -1e5,
     .maximum = 1e5,
     .count = 3,
     .help = "initial velocity of the centre of mass",
     .offset = offsetof(struct dc_body_definition, velocity)},
    {.name = "angular_velocity",
     .type = DC_REALS,
     .unit = "rad/s",
     .fallback = "[0, 0, 0]",
     .minimum = -1e4,
     .maximum = 1e4,
     .count = 3,
     .help = "initial angular velocity in world axes",
     .offset = offsetof(struct dc_body_definition, angular_velocity)},
    {.name = "color",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[0.7, 0.7, 0.7]",
     .minimum = 0,
     .maximum = 1,
     .count = 3,
     .help = "colour in pictures, linear red, green and blue",
     .offset = offsetof(struct dc_body_definition, color)},
    DC_OPTIONS_END,
};

// A definition need not come from a scene: every number is held against its bounds here too.
static enum dc_status check_numbers(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  for (const struct dc_option *option = dc_body_options; option->name; option++) {
    if (option->type != DC_REAL && option->type != DC_REALS)
      continue;
    const double *numbers = (const double *)((const char *)definition + option->offset);
    bool optional = option->fallback && strcmp(option->fallback, "null") == 0;
    for (int i = 0; i < (option->type == DC_REALS ? option->count : 1); i++) {
      char text[128];
      if (optional && isnan(numbers[i]))
        continue;
      const char *rule = dc_option_check(option, numbers[i], text, sizeof text);
      if (rule)
        return dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: %s", index, option->name, rule);
    }
  }
  return DC_OK;
}

static bool is_zero(const double *vector)
{
  return vector[0] == 0 && vector[1] == 0 && vector[2] == 0;
}

static enum dc_status check_rules(const struct dc_body_definition *definition, int index, const struct dc_shape *shape,
                                  struct dc_error *error)
{
  bool fixed = dc_joint_types[definition->joint] == &dc_joint_fixed;
  const double *rotation = definition->rotation;
  double length = sqrt(rotation[0] * rotation[0] + dc_vec_dot(rotation + 1, rotation + 1));
  if (fabs(length - 1) > ROTATION_TOLERANCE)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].rotation: must be of unit length within %g (its length is %.10g)",
                   index, ROTATION_TOLERANCE, length);
  if (fixed) {
    if (!is_zero(definition->velocity))
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].velocity: must be zero for a fixed body", index);
    if (!is_zero(definition->angular_velocity))
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].angular_velocity: must be zero for a fixed body", index);
    return DC_OK;
  }
  if (shape->type->half_space)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint: must be \"fixed\" for the half-space \"%s\"", index,
                   shape->name);
  if (!isnan(definition->density) && !isnan(definition->mass))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].mass: must not be given together with density", index);
  if (!(shape->properties.volume > 0))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].shape: \"%s\" has no volume", index, shape->name);
  return DC_OK;
}

static int compare_names(const void *a, const void *b)
{
  const struct dc_body_definition *first = *(const struct dc_body_definition *const *)a;
  const struct dc_body_definition *second = *(const struct dc_body_definition *const *)b;
  int order = strcmp(first->name, second->name);
  return order ? order : (first > second) - (first < second);
}

// Sorted, so that many bodies cost no quadratic time.
static enum dc_status check_names(int count, const struct dc_body_definition *definitions, struct dc_error *error)
{
  const struct dc_body_definition **sorted = dc_alloc((size_t)count, sizeof *sorted);
  if (!sorted)
    return dc_fail(error, DC_MEMORY, "out of memory for %d bodies", count);
  enum dc_status status = DC_OK;
  for (int i = 0; i < count && !status; i++) {
    sorted[i] = &definitions[i];
    if (!definitions[i].name || !definitions[i].name[0])
      status = dc_fail(error, DC_BAD_INPUT, "bodies[%d].name: must not be empty", i);
  }
  if (!status) {
    qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
    for (int i = 1; i < count && !status; i++)
      if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
        status = dc_fail(error, DC_BAD_INPUT, "bodies[%d].name: \"%s\" is the name of bodies[%d] already",
                         (int)(sorted[i] - definitions), sorted[i]->name, (int)(sorted[i - 1] - definitions));
  }
  free(sorted);
  return status;
}

// Mass, second moment and centre of the solid; fixed bodies keep zeros, their inertia never matters.
static void set_inertia(struct dc_body *body, const struct dc_body_definition *definition)
{
  const struct dc_mass_properties *properties = &body->shape->properties;
  double density = isnan(definition->density) ? DEFAULT_DENSITY : definition->density;
  if (!isnan(definition->mass))
    density = definition->mass / properties->volume;
  body->mass = isnan(definition->mass) ? density * properties->volume : definition->mass;
  for (int i = 0; i < 9; i++)
    body->second_moment[i] = density * properties->second_moment[i];
}

static void set_geometry(struct dc_body *body, const struct dc_body_definition *definition)
{
  double rotation[9], arm[3];
  memcpy(body->quaternion, definition->rotation, sizeof body->quaternion);
  dc_rotation_normalize(body->quaternion);
  if (!body->shape->type->half_space)
    dc_vec_copy(body->center, body->shape->properties.center);
  dc_rotation_matrix(rotation, body->quaternion);
  dc_mat_apply(arm, rotation, body->center);
  dc_vec_add(body->position, definition->position, arm);
  const struct dc_mesh *mesh = &body->shape->mesh;
  for (int i = 0; i < mesh->vertex_count; i++)
    body->radius = fmax(body->radius, dc_vec_distance(mesh->vertices[i], body->center));
}

enum dc_status dc_bodies_create(struct dc_bodies *bodies, int count, const struct dc_body_definition *definitions,
                                const struct dc_shape *shapes, struct dc_arena *arena, struct dc_error *error)
{
  memset(bodies, 0, sizeof *bodies);
  if (count > INT_MAX / dc_joint_free.nq)
    return dc_fail(error, DC_MEMORY, "bodies: too many (%d)", count);
  enum dc_status status = check_names(count, definitions, error);
  if (status)
    return status;
  bodies->bodies = dc_arena_alloc(arena, (size_t)count, sizeof *bodies->bodies);
  if (!bodies->bodies)
    return dc_fail(error, DC_MEMORY, "out of memory for %d bodies", count);
  for (int i = 0; i < count; i++) {
    const struct dc_body_definition *definition = &definitions[i];
    struct dc_body *body = &bodies->bodies[i];
    if (definition->shape < 0)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].shape: must be given", i);
    body->joint = dc_joint_types[definition->joint];
    body->shape = &shapes[definition->shape];
    status = check_numbers(definition, i, error);
    if (!status)
      status = check_rules(definition, i, body->shape, error);
    if (status)
      return status;
    body->name = dc_arena_strdup(arena, definition->name);
    if (!body->name)
      return dc_fail(error, DC_MEMORY, "out of memory for %d bodies", count);
    bool movable = body->joint->nv > 0;
    set_geometry(body, definition);
    if (movable)
      set_inertia(body, definition);
    dc_vec_copy(body->velocity, definition->velocity);
    dc_vec_copy(body->angular_velocity, definition->angular_velocity);
    dc_vec_copy(body->color, definition->color);
    body->q_offset = movable ? bodies->nq : -1;
    body->v_offset = movable ? bodies->nv : -1;
    bodies->nq += body->joint->nq;
    bodies->nv += body->joint->nv;
  }
  bodies->count = count;
  return DC_OK;
}

int dc_bodies_find(const struct dc_bodies *bodies, const char *name)
{
  for (int i = 0; i < bodies->count; i++)
    if (strcmp(bodies->bodies[i].name, name) == 0)
      return i;
  return -1;
}

void dc_initial_state(const struct dc_bodies *bodies, double *q)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (body->q_offset < 0)
      continue;
    memcpy(q + body->q_offset, body->position, sizeof body->position);
    memcpy(q + body->q_offset + 3, body->quaternion, sizeof body->quaternion);
  }
}

void dc_poses(const struct dc_bodies *bodies, const double *q, struct dc_pose *poses)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    bool movable = body->q_offset >= 0;
    memcpy(poses[i].position, movable ? q + body->q_offset : body->position, sizeof poses[i].position);
    memcpy(poses[i].quaternion, movable ? q + body->q_offset + 3 : body->quaternion, sizeof poses[i].quaternion);
    dc_rotation_matrix(poses[i].rotation, poses[i].quaternion);
  }
}

void dc_state_move(const struct dc_bodies *bodies, const double *q, double scale, const double *tangent, double *r)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (body->q_offset < 0)
      continue;
    const double *from = q + body->q_offset, *twist = tangent + body->v_offset;
    double *to = r + body->q_offset, turn[3], quaternion[4];
    dc_vec_scale(turn, twist, scale);
    dc_rotation_exp(quaternion, turn);
    dc_vec_add_scaled(to, from, scale, twist + 3);
    dc_rotation_multiply(to + 3, quaternion, from + 3);
  }
}

void dc_state_difference(const struct dc_bodies *bodies, const double *from, const double *to, double *tangent)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (body->q_offset < 0)
      continue;
    const double *start = from + body->q_offset, *end = to + body->q_offset;
    double *twist = tangent + body->v_offset, quaternion[4];
    dc_rotation_conjugate(quaternion, start + 3);
    dc_rotation_multiply(quaternion, end + 3, quaternion);
    dc_rotation_log(twist, quaternion);
    dc_vec_sub(twist + 3, end, start);
  }
}
