// SPDX-License-Identifier: Apache-2.0
// Builds bodies from their definitions.
//
// 1. Check each definition and copy names; count the numbers of joints.
// 2. Sort parents before children, group bodies into mechanisms and number degrees of freedom.
// 3. From parents to children: poses at rest, mass and second moment, joint parts, chains, start, actuator.
// 4. Couplings move the starts of followers; soft bodies and cables get their places.
// 5. Reach of every angle, poses at the start, and the filter of pairs that may touch.
#include "body/body.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body_build.h"
#include "math/rotation.h"
#include "math/vector.h"

// Temporary data while building, owned by the arena of the bodies.
struct build {
  struct dc_bodies *bodies;
  const struct dc_body_definition *definitions;
  struct dc_arena *arena;
  struct dc_error *error;
  struct dc_pose *rest;  // [count] poses of the shapes' frames in the world, joint coordinates zero
  int coupling_count;
  const struct dc_coupling *couplings;
  bool *follows;  // [count] a coupling determines where the body starts
};

static enum dc_status out_of_memory(struct build *build)
{
  return dc_out_of_memory_for(build->error, "%d bodies", build->bodies->count);
}

// The joints of body i as the scene gives them, outermost first.
static const struct dc_joint_definition *joints_of(const struct build *build, int i)
{
  return build->definitions[i].joint.objects;
}

// Sorts parents before children, otherwise in the given order: for every body not yet placed, walks up to the first
// ancestor that is, then places the bodies of the walk downwards.  A walk that returns to a body it has passed is a
// loop.
static enum dc_status sort_bodies(struct build *build)
{
  // A body that an earlier walk has seen is placed already, and so are all of its ancestors: every body is visited
  // once.
  int count = build->bodies->count, placed = 0;
  int *order = dc_arena_alloc(build->arena, (size_t)count, sizeof *order);
  int *seen = dc_alloc((size_t)count, sizeof *seen);  // 1 + the index of the body whose walk passed
  enum dc_status status = !order || !seen ? out_of_memory(build) : DC_OK;
  for (int i = 0; i < count && !status; i++) {
    int above = 0, body = i;
    for (; body >= 0 && !seen[body]; body = build->definitions[body].parent, above++)
      seen[body] = i + 1;
    if (above > 0 && body >= 0 && seen[body] == i + 1)
      status = dc_fail(build->error, DC_BAD_INPUT, "bodies[%d].parent: must not lead back to the body itself", body);
    body = i;
    for (int k = above; k-- > 0; body = build->definitions[body].parent)
      order[placed + k] = body;
    placed += above;
  }
  free(seen);
  build->bodies->order = order;
  return status;
}

// Counts the parts and the numbers of a body's joints.
static void count_joint(struct build *build, int i)
{
  struct dc_body *body = &build->bodies->bodies[i];
  const struct dc_joint_definition *joints = joints_of(build, i);
  int count = build->definitions[i].joint.count;
  if (dc_is_jointless(&build->definitions[i])) {
    body->joint_name = build->definitions[i].soft ? "soft" : "cable";
    return;
  }
  body->joint_name = count > 1 ? "composite" : dc_joint_types[joints[0].type]->name;
  body->free = dc_joint_types[joints[0].type] == &dc_joint_free;
  for (int k = 0; k < count; k++) {
    body->nq += dc_joint_types[joints[k].type]->nq;
    body->nv += dc_joint_types[joints[k].type]->nv;
    body->part_count += dc_joint_types[joints[k].type]->part_count;
  }
}

// A moving body belongs to its parent's mechanism, if that moves, else to a new one.  Degrees of freedom are numbered
// mechanism by mechanism, so that each is one block of the Hessian.  The first loop counts freedoms, the second one
// gives mechanisms their places in v; the third counts again, as places of bodies within them.  Numbers of q go body
// by body.
static enum dc_status number_mechanisms(struct build *build)
{
  struct dc_bodies *bodies = build->bodies;
  bodies->mechanisms = dc_arena_alloc(build->arena, (size_t)bodies->count, sizeof *bodies->mechanisms);
  if (!bodies->mechanisms)
    return out_of_memory(build);
  for (int k = 0; k < bodies->count; k++) {
    struct dc_body *body = &bodies->bodies[bodies->order[k]];
    body->mechanism = body->parent >= 0 ? bodies->bodies[body->parent].mechanism : -1;
    if (body->mechanism < 0 && body->nv > 0)
      body->mechanism = bodies->mechanism_count++;
    if (body->mechanism < 0)
      continue;
    bodies->mechanisms[body->mechanism].nv += body->nv;
    bodies->mechanisms[body->mechanism].members++;
  }
  for (int m = 0; m < bodies->mechanism_count; m++) {
    bodies->mechanisms[m].v_offset = bodies->nv;
    bodies->nv += bodies->mechanisms[m].nv;
    bodies->mechanisms[m].nv = 0;
  }
  for (int k = 0; k < bodies->count; k++) {
    struct dc_body *body = &bodies->bodies[bodies->order[k]];
    body->q_offset = body->v_offset = body->actuator = -1;
    if (body->nv == 0)
      continue;
    struct dc_mechanism *mechanism = &bodies->mechanisms[body->mechanism];
    body->q_offset = bodies->nq;
    body->v_offset = mechanism->v_offset + mechanism->nv;
    bodies->nq += body->nq;
    mechanism->nv += body->nv;
  }
  return DC_OK;
}

// Quaternions of files are of unit length within 1e-3 only; here they become exact.
static void pose_set(struct dc_pose *pose, const double *position, const double *quaternion)
{
  dc_vec_copy(pose->position, position);
  memcpy(pose->quaternion, quaternion, sizeof pose->quaternion);
  dc_rotation_normalize(pose->quaternion);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

// The frame in which position, axes and anchors of a body are given; NULL: the world.
static const struct dc_pose *given_frame(const struct build *build, int i)
{
  const struct dc_body_definition *definition = &build->definitions[i];
  return definition->frame == DC_FRAME_PARENT ? &build->rest[definition->parent] : NULL;
}

// x_world = R x + p of the given frame; NULL: the point is in the world already.
static void point_in_world(const struct dc_pose *frame, const double *point, double *world)
{
  dc_vec_copy(world, point);
  if (frame) {
    dc_mat_apply(world, frame->rotation, point);
    dc_vec_add(world, world, frame->position);
  }
}

// Iterates over the vertices of the convex parts; *part and *v start as zeros.
static const double *next_vertex(const struct dc_shape *shape, int *part, int *v)
{
  while (*v == shape->parts[*part].vertex_count)
    ++*part, *v = 0;
  return shape->parts[*part].vertices[(*v)++];
}

// The mean of the vertices of all convex parts, m: the centre of mass of equal point masses there.
static void mean_vertex(const struct dc_shape *shape, double mean[3])
{
  int count = dc_shape_vertex_count(shape), part = 0, v = 0;
  memset(mean, 0, 3 * sizeof *mean);
  for (int i = 0; i < count; i++)
    dc_vec_add_scaled(mean, mean, 1.0 / count, next_vertex(shape, &part, &v));
}

// The radius of the ball about a centre that holds the surface, m.
static double farthest_vertex(const struct dc_shape *shape, const double *center)
{
  double farthest = 0;
  for (int v = 0; v < shape->mesh.vertex_count; v++)
    farthest = fmax(farthest, dc_vec_distance(shape->mesh.vertices[v], center));
  return farthest;
}

// Computes the poses at rest of the shape's frame and of the frame at the centre of mass, relative to the parent's
// frame, and the radius of the body.
//
// 1. Shape's frame in the world, from position and rotation in the given frame.
// 2. Centre of mass in the shape's frame: the one given, that of the vertices (lumped), or that of the solid; a
// half-space has none.
// 3. Body's frame in the world: origin there, axes of the shape's frame.
// 4. rest_position and rest_quaternion, the same relative to the parent; the identity for a free body, whose q is its
// whole pose.
static void place(struct build *build, int i)
{
  const struct dc_body_definition *definition = &build->definitions[i];
  struct dc_body *body = &build->bodies->bodies[i];
  const struct dc_pose *frame = given_frame(build, i);
  struct dc_pose *rest = &build->rest[i];
  double position[3], quaternion[4], arm[3];
  point_in_world(frame, definition->position, position);
  memcpy(quaternion, definition->rotation, sizeof quaternion);
  dc_rotation_normalize(quaternion);
  if (frame)
    dc_rotation_multiply(quaternion, frame->quaternion, quaternion);
  pose_set(rest, position, quaternion);
  if (!isnan(definition->center_of_mass[0]))
    dc_vec_copy(body->center, definition->center_of_mass);
  else if (definition->mass_model == DC_MASS_LUMPED)
    mean_vertex(body->shape, body->center);
  else if (!body->shape->type->half_space)
    dc_vec_copy(body->center, body->shape->properties.center);
  dc_mat_apply(arm, rest->rotation, body->center);
  dc_vec_add(body->start.position, rest->position, arm);
  memcpy(body->start.quaternion, rest->quaternion, sizeof body->start.quaternion);
  body->radius = farthest_vertex(body->shape, body->center);
  body->appearance.radius = farthest_vertex(dc_body_look(body), body->center);
  dc_vec_copy(body->rest_position, body->start.position);
  memcpy(body->rest_quaternion, body->start.quaternion, sizeof body->rest_quaternion);
  if (body->free) {
    memcpy(body->rest_position, (double[3]){0, 0, 0}, sizeof body->rest_position);
    memcpy(body->rest_quaternion, (double[4]){1, 0, 0, 0}, sizeof body->rest_quaternion);
  } else if (body->parent >= 0) {
    const struct dc_body *parent = &build->bodies->bodies[body->parent];
    double inverse[4], offset[3];
    dc_vec_sub(offset, body->start.position, parent->start.position);
    dc_mat_apply_transposed(body->rest_position, build->rest[body->parent].rotation, offset);
    dc_rotation_conjugate(inverse, parent->start.quaternion);
    dc_rotation_multiply(body->rest_quaternion, inverse, body->start.quaternion);
  }
}

// Sets three perpendicular unit vectors: the axis; axis2 (default: the coordinate axis after the one nearest to the
// axis), made perpendicular; and the cross product of both.
static enum dc_status set_axes(struct build *build, int i, const double *axis, const double *axis2, double axes[3][3])
{
  dc_vec_scale(axes[0], axis, 1 / dc_vec_norm(axis));
  double second[3] = {0, 0, 0};
  if (!isnan(axis2[0])) {
    dc_vec_copy(second, axis2);
  } else {
    int largest = 0;
    for (int k = 1; k < 3; k++)
      if (fabs(axes[0][k]) >= fabs(axes[0][largest]))
        largest = k;
    second[(largest + 1) % 3] = 1;
  }
  double size = dc_vec_norm(second);
  dc_vec_add_scaled(second, second, -dc_vec_dot(second, axes[0]), axes[0]);
  double norm = dc_vec_norm(second);
  // The part perpendicular to the axis is rounding when this much smaller than the vector: a direction made of it
  // would be arbitrary.
  if (!(norm > 1e-6 * size))
    return dc_fail(build->error, DC_BAD_INPUT, "bodies[%d].joint: axis2 must not be parallel to axis", i);
  dc_vec_scale(axes[1], second, 1 / norm);
  dc_vec_cross(axes[2], axes[0], axes[1]);
  return DC_OK;
}

// Parts without passive forces are marked, so that steps pass over them without reading six zeros.
static struct dc_joint_passive passive_of(const struct dc_joint_definition *joint)
{
  return (struct dc_joint_passive){.given = joint->damping != 0 || joint->armature != 0 || joint->stiffness != 0 ||
                                            joint->dry_friction != 0 || joint->force != 0,
                                   .stiffness = joint->stiffness,
                                   .rest = joint->rest,
                                   .damping = joint->damping,
                                   .armature = joint->armature,
                                   .dry_friction = joint->dry_friction,
                                   .force = joint->force};
}

// Adds the parts of one joint, with axes and anchors in the body's frame at rest, and numbers its coordinates: *q and
// *v go on by those of the joint.  Axis and anchor come from the joint, else from the body, else they are z and the
// origin of the shape's frame.  They are given in the frame of the body's position; the axis is taken to the world
// and from there to the body.
static enum dc_status add_parts(struct build *build, int i, const struct dc_joint_definition *joint,
                                struct dc_joint_part *parts, int *q, int *v)
{
  static const double z[3] = {0, 0, 1};
  const struct dc_body_definition *definition = &build->definitions[i];
  const struct dc_joint_type *type = dc_joint_types[joint->type];
  const struct dc_body *body = &build->bodies->bodies[i];
  const struct dc_pose *frame = given_frame(build, i), *rest = &build->rest[i];
  double axes[3][3], anchor[3];
  const double *axis = !isnan(joint->axis[0]) ? joint->axis : !isnan(definition->axis[0]) ? definition->axis : z;
  const double *range = isnan(joint->range[0]) ? definition->range : joint->range;
  enum dc_status status = set_axes(build, i, axis, joint->axis2, axes);
  if (status)
    return status;
  if (!isnan(joint->anchor[0]) || !isnan(definition->anchor[0]))
    point_in_world(frame, isnan(joint->anchor[0]) ? definition->anchor : joint->anchor, anchor);
  else
    dc_vec_copy(anchor, rest->position);
  for (int k = 0; k < type->part_count; k++) {
    struct dc_joint_part *part = &parts[k];
    double direction[3], offset[3];
    *part =
        (struct dc_joint_part){.kind = type->parts[k], .q = *q, .v = *v, .range = {-INFINITY, INFINITY}, .target = NAN};
    dc_vec_copy(direction, axes[type->part_axis[k]]);
    if (frame)
      dc_mat_apply(direction, frame->rotation, axes[type->part_axis[k]]);
    dc_mat_apply_transposed(part->axis, rest->rotation, direction);
    dc_vec_sub(offset, anchor, body->start.position);
    dc_mat_apply_transposed(part->anchor, rest->rotation, offset);
    if (type->range && !isnan(range[0]))
      memcpy(part->range, range, sizeof part->range);
    part->passive = passive_of(joint);
    *q += dc_part_nq(part);
    *v += dc_part_nv(part);
  }
  if (body->free) {  // its tangent is the twist of the frame, rotation first
    parts[0].v = body->v_offset + 3;
    parts[1].v = body->v_offset;
    memset(parts[1].anchor, 0, sizeof parts[1].anchor);
  }
  return DC_OK;
}

// Sets the parts of a body's joints, with their places in q and v.
static enum dc_status set_parts(struct build *build, int i)
{
  struct dc_body *body = &build->bodies->bodies[i];
  struct dc_joint_part *parts = dc_arena_alloc(build->arena, (size_t)body->part_count, sizeof *parts);
  if (!parts)
    return out_of_memory(build);
  int q = body->q_offset, v = body->v_offset, first = 0;
  const struct dc_joint_definition *joints = joints_of(build, i);
  for (int k = 0; !dc_is_jointless(&build->definitions[i]) && k < build->definitions[i].joint.count; k++) {
    enum dc_status status = add_parts(build, i, &joints[k], parts + first, &q, &v);
    if (status)
      return status;
    first += dc_joint_types[joints[k].type]->part_count;
  }
  body->parts = parts;
  return DC_OK;
}

// Lists the chain of a body: its parent's chain, then its own degrees of freedom. part_of [nv] numbers parts over all
// bodies, so that two freedoms of one ball are known (assembler.c).  Columns of all chains stand in one array, those
// of a body from first_column.
static enum dc_status set_chain(struct build *build, int i, int *part_of, int *part_total)
{
  struct dc_body *body = &build->bodies->bodies[i];
  const struct dc_body *parent = body->parent >= 0 ? &build->bodies->bodies[body->parent] : NULL;
  int inherited = parent ? parent->chain_count : 0;
  int *chain = dc_arena_alloc(build->arena, (size_t)(inherited + body->nv), sizeof *chain);
  if (!chain)
    return out_of_memory(build);
  if (inherited)
    memcpy(chain, parent->chain, (size_t)inherited * sizeof *chain);
  int count = inherited;
  for (int p = 0; p < body->part_count; p++) {
    for (int k = 0; k < dc_part_nv(&body->parts[p]); k++) {
      chain[count++] = body->parts[p].v + k;
      part_of[body->parts[p].v + k] = *part_total;
    }
    ++*part_total;
  }
  body->chain = chain;
  body->chain_count = count;
  body->first_column = build->bodies->column_count;
  build->bodies->column_count += count;
  return DC_OK;
}

// Second moment sum m_v r_v r_v^T of equal point masses at the vertices of the convex parts, about their mean (paper
// 003, Eq. 4).
static void set_lumped_inertia(struct dc_body *body, double mass)
{
  int count = dc_shape_vertex_count(body->shape), part = 0, v = 0;
  body->mass = mass;
  for (int i = 0; i < count; i++) {
    double r[3];
    dc_vec_sub(r, next_vertex(body->shape, &part, &v), body->center);
    for (int k = 0; k < 9; k++)
      body->second_moment[k] += mass / count * r[k / 3] * r[k % 3];
  }
}

// Sets mass and second moment.  They come from the solid, moved to a given centre of mass, or from a given inertia I as
// S = tr(I)/2 1 - I, because I = tr(S) 1 - S.  Bodies that never move keep zeros, since their inertia has no effect.
static void set_inertia(struct dc_body *body, const struct dc_body_definition *definition)
{
  const struct dc_mass_properties *properties = &body->shape->properties;
  const double *inertia = definition->inertia;
  double *s = body->second_moment, density = isnan(definition->density) ? DC_DEFAULT_DENSITY : definition->density;
  if (!isnan(inertia[0])) {
    double half = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
    body->mass = definition->mass;
    for (int k = 0; k < 3; k++)
      s[4 * k] = half - inertia[k];
    s[1] = s[3] = -inertia[3];
    s[2] = s[6] = -inertia[4];
    s[5] = s[7] = -inertia[5];
    if (!dc_shape_has_surface(body->shape))
      body->radius = sqrt((s[0] + s[4] + s[8]) / body->mass);
    return;
  }
  if (definition->mass_model == DC_MASS_LUMPED) {
    set_lumped_inertia(body, definition->mass);
    return;
  }
  if (!isnan(definition->mass))
    density = definition->mass / properties->volume;
  body->mass = isnan(definition->mass) ? density * properties->volume : definition->mass;
  for (int i = 0; i < 9; i++)
    s[i] = density * properties->second_moment[i];
}

// Computes the reach of every angle, m: the largest distance, at rest, from its anchor to a point of any body that it
// carries, bounded by the distance of that body's centre plus its radius.  Angles times reach are lengths, which
// makes tolerances of both kinds of coordinates comparable.  Coordinates that are lengths have reach 1.
static enum dc_status set_reach(struct build *build)
{
  struct dc_bodies *bodies = build->bodies;
  bodies->reach = dc_arena_alloc(build->arena, (size_t)bodies->nv, sizeof *bodies->reach);
  if (!bodies->reach)
    return out_of_memory(build);
  for (int v = 0; v < bodies->nv; v++)
    bodies->reach[v] = 1;
  for (int k = 0; k < bodies->count; k++)  // a body sets its own reach before its children raise it
    for (int i = bodies->order[k], above = i; above >= 0 && dc_body_moves(&bodies->bodies[above]);
         above = bodies->bodies[above].parent) {
      const struct dc_body *below = &bodies->bodies[i], *body = &bodies->bodies[above];
      for (int p = 0; p < body->part_count; p++) {
        const struct dc_joint_part *part = &body->parts[p];
        double anchor[3], far;
        if (part->kind != DC_PART_BALL && part->kind != DC_PART_HINGE)
          continue;
        dc_mat_apply(anchor, build->rest[above].rotation, part->anchor);
        dc_vec_add(anchor, anchor, body->start.position);
        far = dc_vec_distance(anchor, below->start.position) + below->radius;
        for (int j = 0; j < dc_part_nv(part); j++)
          bodies->reach[part->v + j] = above == i ? far : fmax(bodies->reach[part->v + j], far);
      }
    }
  return DC_OK;
}

// Checks a definition, copies its name and counts its joint.
static enum dc_status begin_body(struct build *build, int i, const struct dc_shape *shapes)
{
  const struct dc_body_definition *definition = &build->definitions[i];
  struct dc_body *body = &build->bodies->bodies[i];
  enum dc_status status = dc_body_check(definition, i, build->bodies->count, build->error);
  if (status)
    return status;
  body->shape = definition->shape < 0 ? &dc_shape_nothing : &shapes[definition->shape];
  body->appearance.visual = definition->visual < 0 ? NULL : &shapes[definition->visual];
  body->parent = definition->soft ? -1 : definition->parent;  // what holds a soft body moves no frame of it
  body->friction = definition->surface.friction;
  body->restitution = definition->surface.restitution;
  body->limit_stiffness = definition->limit_stiffness;
  body->limits = definition->limits;
  body->buoyancy = definition->buoyancy;
  dc_vec_copy(body->start.velocity, definition->velocity);
  dc_vec_copy(body->start.angular_velocity, definition->angular_velocity);
  dc_vec_copy(body->appearance.color, definition->color);
  body->name = dc_arena_strdup(build->arena, definition->name);
  count_joint(build, i);
  return body->name ? DC_OK : out_of_memory(build);
}

// Builds the bodies in this order: checks and names, tree, mechanisms, soft bodies, whose freedoms stand behind those
// of joints; then from the root outwards poses, inertia, joints, chains, starts and actuators; then couplings and
// starts of soft bodies.  Rest poses of parents must be known before their children's.  Pins come last, because they
// hold nodes on bodies whose joints have started.
static enum dc_status build_bodies(struct build *build, const struct dc_shape *shapes)
{
  struct dc_bodies *bodies = build->bodies;
  int part_total = 0;
  enum dc_status status = DC_OK;
  for (int i = 0; i < bodies->count && !status; i++)
    status = begin_body(build, i, shapes);
  if (status || (status = sort_bodies(build)) || (status = number_mechanisms(build)) ||
      (status = dc_soft_build(bodies, build->definitions, build->arena, build->error)))
    return status;
  int *part_of = dc_arena_alloc(build->arena, (size_t)bodies->nv, sizeof *part_of);
  bodies->part_of = part_of;
  bodies->initial_q = dc_arena_alloc(build->arena, (size_t)bodies->nq, sizeof *bodies->initial_q);
  if (!part_of || !bodies->initial_q)
    return out_of_memory(build);
  for (int k = 0; k < bodies->count && !status; k++) {
    int i = bodies->order[k];
    struct dc_body *body = &bodies->bodies[i];
    status = dc_body_check_motion(&build->definitions[i], i, dc_body_moves(body), body->shape, body->appearance.visual,
                                  build->error);
    if (status)
      return status;
    place(build, i);
    if (dc_body_moves(body))
      set_inertia(body, &build->definitions[i]);
    if (!(status = set_parts(build, i)) && !(status = set_chain(build, i, part_of, &part_total)) &&
        !(status = dc_body_set_start(bodies, &build->definitions[i], i, build->follows[i], build->arena, build->error)))
      status = dc_body_set_actuator(bodies, &build->definitions[i], i, build->arena, build->error);
  }
  if (!status && !(status = dc_couplings_check(bodies, build->coupling_count, build->couplings, build->error)))
    status = dc_couplings_start(bodies, build->definitions, build->coupling_count, build->couplings, build->arena,
                                build->error);
  if (!status)
    status = dc_soft_start(bodies, build->definitions, build->arena, build->error);
  if (!status)
    status = dc_pins_start(bodies, build->definitions, build->arena, build->error);
  return status ? status : set_reach(build);
}

// Sets the poses at the start, which differ from those at rest where joints start elsewhere.
static enum dc_status set_initial_poses(struct build *build)
{
  struct dc_bodies *bodies = build->bodies;
  dc_poses(bodies, bodies->initial_q, build->rest);
  for (int i = 0; i < bodies->count; i++) {
    dc_vec_copy(bodies->bodies[i].start.position, build->rest[i].position);
    memcpy(bodies->bodies[i].start.quaternion, build->rest[i].quaternion, sizeof build->rest[i].quaternion);
  }
  enum dc_status status = dc_body_filter(bodies, build->definitions, build->arena, build->error);
  return status ? status : dc_body_pair_friction(bodies, build->definitions, build->arena, build->error);
}

// Creates the bodies of definitions, with couplings and cables.
enum dc_status dc_bodies_create_coupled(struct dc_bodies *bodies, int count,
                                        const struct dc_body_definition *definitions, const struct dc_shape *shapes,
                                        int coupling_count, const struct dc_coupling *couplings, struct dc_arena *arena,
                                        struct dc_error *error)
{
  memset(bodies, 0, sizeof *bodies);
  if (count > INT_MAX / dc_joint_free.nq)
    return dc_fail(error, DC_MEMORY, "bodies: too many (%d)", count);
  enum dc_status status = dc_body_check_names(count, definitions, error);
  if (status)
    return status;
  struct build build = {.bodies = bodies,
                        .definitions = definitions,
                        .arena = arena,
                        .error = error,
                        .coupling_count = coupling_count,
                        .couplings = couplings};
  bodies->count = count;
  bodies->bodies = dc_arena_alloc(arena, (size_t)count, sizeof *bodies->bodies);
  build.rest = dc_alloc((size_t)count, sizeof *build.rest);
  build.follows = dc_alloc((size_t)count, sizeof *build.follows);
  if (!bodies->bodies || !build.rest || !build.follows)
    status = out_of_memory(&build);
  for (int i = 0; i < coupling_count && !status; i++)
    if (couplings[i].body >= 0 && couplings[i].body < count)
      build.follows[couplings[i].body] = true;
  if (!status)
    status = build_bodies(&build, shapes);
  if (!status)
    status = set_initial_poses(&build);
  if (!status)
    status = dc_cables_build(bodies, definitions, arena, error);
  free(build.rest);
  free(build.follows);
  return status;
}

enum dc_status dc_bodies_create(struct dc_bodies *bodies, int count, const struct dc_body_definition *definitions,
                                const struct dc_shape *shapes, struct dc_arena *arena, struct dc_error *error)
{
  return dc_bodies_create_coupled(bodies, count, definitions, shapes, 0, NULL, arena, error);
}
