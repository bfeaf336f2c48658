// SPDX-License-Identifier: Apache-2.0
// Bodies that hold the pins of soft bodies, found once all joints have their starts.
//
// 1. Pins that name no body are held by the parent of the soft body, or by the world.
// 2. The nodes of a body with a parent go along from where the parent is at rest to where it starts, with its velocity.
// 3. Without boxes the nodes of the end that faces the parent are held.
// 4. A pin keeps the place of its node in the frame of the body that holds it; one on a body that never moves is held
//    in the world.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body_build.h"
#include "body/kinematics.h"
#include "math/rotation.h"
#include "math/vector.h"

// Depth of the layer of nodes that is held at the end of a mesh, relative to the extent along the axis.  A flat end has
// its nodes within rounding (ON_FACE).  Where that finds fewer than FEW, as on a round end, a cap of the mesh is held.
static const double ON_FACE = 1e-3, NEAR_FACE = 0.1;
enum { FEW = 3 };                                     // pins, which leave a hinge or less

// Only a frame that turns can hold nodes.
static enum dc_status check_holder(const struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                                   int body, const char *option, int index, struct dc_error *error)
{
  for (int above = body; above >= 0; above = definitions[above].parent)
    if (definitions[above].soft || definitions[above].cable)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: must be a rigid body (\"%.255s\" is %s)", index, option,
                     bodies->bodies[body].name,
                     above != body             ? "a point of a soft body"
                     : definitions[above].soft ? "soft"
                                               : "a cable");
  return DC_OK;
}

// The parent holds pins that name no body.  Sets *any: a body holds some.
static enum dc_status find_holders(const struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                                   struct dc_soft *soft, bool *any, struct dc_error *error)
{
  const struct dc_body_definition *own = &definitions[soft->body];
  const struct dc_pin_definition *pins = own->soft->pins.objects;
  enum dc_status status = check_holder(bodies, definitions, own->parent, "parent", soft->body, error);
  for (int i = 0; i < own->soft->pins.count && !status; i++)
    if (pins[i].body >= 0)
      status = check_holder(bodies, definitions, pins[i].body, "soft.pins.body", soft->body, error);
  for (int p = 0; p < soft->pin_count; p++) {
    if (soft->pins[p].body < 0)
      soft->pins[p].body = own->parent;
    *any |= soft->pins[p].body >= 0;
  }
  *any |= own->parent >= 0;
  return status;
}

// Holds the nodes of a face of the mesh's box: axis k, its lower or upper end, within a part of the extent.
static void hold_face(const double (*x)[3], int k, bool upper, const double low[3], const double high[3], double part,
                      int holder, struct dc_soft *soft)
{
  double end = upper ? high[k] : low[k];
  soft->pin_count = 0;
  for (int n = 0; n < soft->node_count; n++)
    if (fabs(x[n][k] - end) <= part * (high[k] - low[k]))
      soft->pins[soft->pin_count++] =
          (struct dc_pin){.node = n, .stiffness = DC_PIN_STIFFNESS, .body = holder, .stands_on = -1};
}

// Without boxes: the end of the mesh that faces the parent.  In the mesh's own axes, the parent's origin lies outside
// of the box along one axis by more half extents than along the others; the end on that side is held.
static enum dc_status hold_end(const struct dc_bodies *bodies, const struct dc_body_definition *own,
                               struct dc_soft *soft, struct dc_error *error)
{
  double rotation[9], quaternion[4], arm[3], origin[3], low[3], high[3], most = -1;
  double(*x)[3] = dc_alloc((size_t)soft->node_count, sizeof *x);
  int axis = 0;
  if (!x)
    return dc_out_of_memory_for(error, "pins");
  memcpy(quaternion, own->rotation, sizeof quaternion);
  dc_rotation_normalize(quaternion);
  dc_rotation_matrix(rotation, quaternion);
  for (int n = 0; n < soft->node_count; n++) {
    dc_vec_sub(arm, soft->mesh.nodes[n], own->position);
    dc_mat_apply_transposed(x[n], rotation, arm);
    for (int k = 0; k < 3; k++) {
      low[k] = n == 0 ? x[n][k] : fmin(low[k], x[n][k]);
      high[k] = n == 0 ? x[n][k] : fmax(high[k], x[n][k]);
    }
  }
  dc_vec_sub(arm, bodies->bodies[own->parent].start.position, own->position);
  dc_mat_apply_transposed(origin, rotation, arm);
  for (int k = 0; k < 3; k++) {
    double out = high[k] > low[k] ? fabs(2 * origin[k] - low[k] - high[k]) / (high[k] - low[k]) : 0;
    if (out > most)
      most = out, axis = k;
  }
  bool upper = 2 * origin[axis] > low[axis] + high[axis];
  hold_face((const double(*)[3])x, axis, upper, low, high, ON_FACE, own->parent, soft);
  if (soft->pin_count < FEW)
    hold_face((const double(*)[3])x, axis, upper, low, high, NEAR_FACE, own->parent, soft);
  free(x);
  return DC_OK;
}

// Moves the nodes with the parent, from its pose at rest to that at the start, and adds its velocity w x r + t.
// Equal poses leave the nodes untouched, because rotating there and back would change their last bits.
static void go_along(struct dc_bodies *bodies, const struct dc_soft *soft, int parent, const struct dc_pose *pose,
                     const double twist[6])
{
  const struct dc_body_start *rest = &bodies->bodies[parent].start;
  double turn[9], arm[3], own[3], speed[3];
  dc_rotation_matrix(turn, rest->quaternion);
  for (int n = 0; n < soft->node_count; n++) {
    double *x = bodies->initial_q + soft->q_offset + 3 * n, *velocity = soft->velocity + 3 * n;
    if (memcmp(rest->position, pose->position, sizeof rest->position) != 0 ||
        memcmp(rest->quaternion, pose->quaternion, sizeof rest->quaternion) != 0) {
      dc_vec_sub(arm, x, rest->position);
      dc_mat_apply_transposed(own, turn, arm);
      dc_mat_apply(arm, pose->rotation, own);
      dc_vec_add(x, pose->position, arm);
    }
    dc_vec_sub(arm, x, pose->position);
    dc_vec_cross(speed, twist, arm);
    dc_vec_add(speed, speed, twist + 3);
    dc_vec_add(velocity, velocity, speed);
  }
}

// Gives pins the places of their nodes: in the frame of a holder that moves, else in the world.  A holder that never
// moves is only remembered, in stands_on: no freedoms of it enter the Hessian.
static void set_places(struct dc_bodies *bodies, struct dc_soft *soft, const struct dc_pose *poses)
{
  for (int p = 0; p < soft->pin_count; p++) {
    struct dc_pin *pin = &soft->pins[p];
    const double *x = bodies->initial_q + soft->q_offset + 3 * (size_t)pin->node;
    double arm[3];
    dc_vec_copy(pin->place, x);
    if (pin->body >= 0 && dc_body_moves(&bodies->bodies[pin->body])) {
      dc_vec_sub(arm, x, poses[pin->body].position);
      dc_mat_apply_transposed(pin->place, poses[pin->body].rotation, arm);
      soft->held_by = pin->body;
      bodies->mount_count++;
    } else if (pin->body >= 0) {
      pin->stands_on = pin->body;
      pin->body = -1;
    }
  }
}

// The steps of the head.  Poses and twists at the start are computed once, and only where a body holds some node.
enum dc_status dc_pins_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                             struct dc_arena *arena, struct dc_error *error)
{
  struct dc_kinematics kinematics;
  bool any = false;
  enum dc_status status = DC_OK;
  for (int s = 0; s < bodies->soft_count && !status; s++)
    status = find_holders(bodies, definitions, &bodies->soft[s], &any, error);
  if (status || !any)
    return status;
  double *velocity = dc_arena_alloc(arena, (size_t)bodies->nv, sizeof *velocity);
  double(*twists)[6] = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *twists);
  if (!velocity || !twists)
    return dc_out_of_memory_for(error, "pins");
  if ((status = dc_kinematics_create(bodies, arena, &kinematics, error)))
    return status;
  dc_kinematics_update(bodies, bodies->initial_q, &kinematics);
  dc_initial_velocity(bodies, velocity);
  dc_twists(bodies, &kinematics, velocity, twists);
  for (int s = 0; s < bodies->soft_count && !status; s++) {
    struct dc_soft *soft = &bodies->soft[s];
    const struct dc_body_definition *own = &definitions[soft->body];
    if (own->parent >= 0 && soft->pin_count == 0)
      status = hold_end(bodies, own, soft, error);
    if (own->parent >= 0 && dc_body_moves(&bodies->bodies[own->parent]))
      go_along(bodies, soft, own->parent, &kinematics.poses[own->parent], twists[own->parent]);
    set_places(bodies, soft, kinematics.poses);
  }
  return status;
}
