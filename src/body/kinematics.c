// SPDX-License-Identifier: Apache-2.0
// Poses, axes and Jacobian columns of all frames at a state, and products with the Jacobian and its transpose.
//
// Update: poses from parents to children (state.c), axes of each joint from the outside in, then for every degree of
// freedom in a body's chain the column (a; v) = (axis; axis x (origin - anchor)) for rotations, (0; axis) for slides.
#include "body/kinematics.h"

#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

// Allocates poses [bodies], columns [sum of chain lengths][6] and axes [nv], which an update overwrites.
enum dc_status dc_kinematics_create(const struct dc_bodies *bodies, struct dc_arena *arena,
                                    struct dc_kinematics *kinematics, struct dc_error *error)
{
  kinematics->poses = dc_arena_alloc(arena, (size_t)bodies->count, sizeof *kinematics->poses);
  kinematics->columns = dc_arena_alloc(arena, (size_t)bodies->column_count, sizeof *kinematics->columns);
  kinematics->axes = dc_arena_alloc(arena, (size_t)bodies->nv, sizeof *kinematics->axes);
  if (!kinematics->poses || !kinematics->columns || !kinematics->axes)
    return dc_out_of_memory_for(error, "the kinematics of %d bodies", bodies->count);
  return DC_OK;
}

// Computes axes and anchors in world axes of one body's degrees of freedom, from the outside in.  (rotation, origin)
// is the frame in which the next part acts: the rest pose carried by the parent, then displaced by part after part.
// A ball has the three axes of the frame outside of it, since it rotates from the left.
static void set_axes(const struct dc_bodies *bodies, int i, const double *q, struct dc_kinematics *kinematics)
{
  const struct dc_body *body = &bodies->bodies[i];
  double rotation[9], origin[3], matrix[9], arm[3], turned[9], quaternion[4], turn[3];
  // Pose of the frame at rest, carried by the parent.
  dc_rotation_matrix(matrix, body->rest_quaternion);
  if (body->parent >= 0) {
    const struct dc_pose *parent = &kinematics->poses[body->parent];
    dc_mat_multiply(rotation, parent->rotation, matrix);
    dc_mat_apply(arm, parent->rotation, body->rest_position);
    dc_vec_add(origin, parent->position, arm);
  } else {
    memcpy(rotation, matrix, sizeof rotation);
    dc_vec_copy(origin, body->rest_position);
  }
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    struct dc_axis *axes = kinematics->axes + part->v;
    bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    double anchor[3], shift[3];
    dc_mat_apply(anchor, rotation, part->anchor);
    dc_vec_add(anchor, anchor, origin);
    for (int k = 0; k < dc_part_nv(part); k++) {
      struct dc_axis *axis = &axes[k];
      axis->turns = turns;
      dc_vec_copy(axis->anchor, anchor);
      if (part->kind == DC_PART_TRANSLATION || part->kind == DC_PART_BALL)
        for (int row = 0; row < 3; row++)
          axis->direction[row] = rotation[3 * row + k];
      else
        dc_mat_apply(axis->direction, rotation, part->axis);
    }
    if (p + 1 == body->part_count)
      break;  // nothing is carried by it
    if (turns) {
      if (part->kind == DC_PART_BALL) {
        dc_rotation_matrix(matrix, q + part->q);
      } else {
        dc_vec_scale(turn, part->axis, q[part->q]);
        dc_rotation_exp(quaternion, turn);
        dc_rotation_matrix(matrix, quaternion);
      }
      dc_mat_multiply(turned, rotation, matrix);
      memcpy(rotation, turned, sizeof rotation);
      dc_mat_apply(arm, rotation, part->anchor);
      dc_vec_sub(origin, anchor, arm);
    } else {
      if (part->kind == DC_PART_SLIDE)
        dc_vec_scale(shift, part->axis, q[part->q]);
      else
        dc_vec_copy(shift, q + part->q);
      dc_mat_apply(arm, rotation, shift);
      dc_vec_add(origin, origin, arm);
    }
  }
}

// Poses, axes of joints and columns at q.  A column is the twist of a body per unit of one coordinate of its chain: (a;
// a x arm) where it turns, (0; a) where it slides.
void dc_kinematics_update(const struct dc_bodies *bodies, const double *q, struct dc_kinematics *kinematics)
{
  dc_poses(bodies, q, kinematics->poses);
  for (int k = 0; k < bodies->count; k++) {
    int i = bodies->order[k];
    const struct dc_body *body = &bodies->bodies[i];
    if (body->nv)
      set_axes(bodies, i, q, kinematics);
    if (body->free)
      continue;
    for (int c = 0; c < body->chain_count; c++) {
      const struct dc_axis *axis = &kinematics->axes[body->chain[c]];
      double *column = kinematics->columns[body->first_column + c], arm[3];
      if (axis->turns) {
        dc_vec_copy(column, axis->direction);
        dc_vec_sub(arm, kinematics->poses[i].position, axis->anchor);
        dc_vec_cross(column + 3, axis->direction, arm);
      } else {
        memset(column, 0, 3 * sizeof *column);
        dc_vec_copy(column + 3, axis->direction);
      }
    }
  }
}

// The axes of one body from its pose alone, without those of its ancestors.  It works from the inside out: undoing a
// part's displacement of the given pose yields the part's axes and the next frame.  An axis of a hinge or slide is
// the same on both sides of its own part; the three of a ball or translation are those of the frame outside of it.
void dc_joint_axes(const struct dc_body *body, const double *q, const struct dc_pose *pose, struct dc_axis *axes)
{
  double rotation[9], origin[3], matrix[9], outer[9], anchor[3], arm[3], turn[3], quaternion[4];
  memcpy(rotation, pose->rotation, sizeof rotation);
  dc_vec_copy(origin, pose->position);
  for (int p = body->part_count - 1; p >= 0; p--) {
    const struct dc_joint_part *part = &body->parts[p];
    bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    struct dc_axis *axis = axes + (part->v - body->v_offset);
    dc_mat_apply(arm, rotation, part->anchor);
    dc_vec_add(anchor, origin, arm);
    if (part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE)
      dc_mat_apply(axis->direction, rotation, part->axis);
    bool outermost = p == 0 && dc_part_nv(part) == 1;  // nothing asks for the frame before it
    if (part->kind == DC_PART_BALL)
      dc_rotation_matrix(matrix, q + part->q);
    if (part->kind == DC_PART_HINGE && !outermost) {
      dc_vec_scale(turn, part->axis, q[part->q]);
      dc_rotation_exp(quaternion, turn);
      dc_rotation_matrix(matrix, quaternion);
    }
    if (turns && !outermost) {
      dc_mat_multiply_transposed(outer, rotation, matrix);
      memcpy(rotation, outer, sizeof rotation);
      dc_mat_apply(arm, rotation, part->anchor);
      dc_vec_sub(origin, anchor, arm);
    } else if (!outermost) {
      for (int k = 0; k < 3; k++)
        turn[k] = part->kind == DC_PART_SLIDE ? part->axis[k] * q[part->q] : q[part->q + k];
      dc_mat_apply(arm, rotation, turn);
      dc_vec_sub(origin, origin, arm);
    }
    for (int k = 0; k < dc_part_nv(part); k++) {
      axis[k].turns = turns;
      dc_vec_copy(axis[k].anchor, anchor);
      for (int row = 0; row < 3 && dc_part_nv(part) == 3; row++)
        axis[k].direction[row] = rotation[3 * row + k];
    }
  }
}

// The columns [chain_count][6] of a body, in the order of its chain.
static const double (*columns_of(const struct dc_kinematics *kinematics, const struct dc_body *body))[6]
{
  return (const double(*)[6])kinematics->columns + body->first_column;
}

// Twists of all bodies for a tangent: its columns times the rates of their chain.
void dc_twists(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, const double *tangent,
               double (*twists)[6])
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    memset(twists[i], 0, sizeof twists[i]);
    if (body->free) {
      memcpy(twists[i], tangent + body->v_offset, sizeof twists[i]);
      continue;
    }
    const double(*columns)[6] = columns_of(kinematics, body);
    for (int c = 0; c < body->chain_count; c++)
      for (int k = 0; k < 6; k++)
        twists[i][k] += tangent[body->chain[c]] * columns[c][k];
  }
  dc_support_twists(bodies, tangent, twists);
}

// gradient [nv] += J^T wrench, J the columns of the body: the transpose of dc_twists.  A free body is its own chart,
// J = 1.
void dc_pull_back_body(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, int i,
                       const double wrench[6], double *gradient)
{
  const struct dc_body *body = &bodies->bodies[i];
  if (body->free) {
    for (int k = 0; k < 6; k++)
      gradient[body->v_offset + k] += wrench[k];
    return;
  }
  const double(*columns)[6] = columns_of(kinematics, body);
  for (int c = 0; c < body->chain_count; c++)
    gradient[body->chain[c]] += dc_vec_dot(columns[c], wrench) + dc_vec_dot(columns[c] + 3, wrench + 3);
}

// Joints first, then nodes: frames on nodes pass their forces on by weights.
void dc_pull_back(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, const double (*wrenches)[6],
                  double *gradient)
{
  for (int i = 0; i < bodies->count; i++)
    dc_pull_back_body(bodies, kinematics, i, wrenches[i], gradient);
  dc_support_pull_back(bodies, wrenches, gradient);
}

// bound [nv] += |J|^T magnitude: how large rounding of a wrench can be in coordinates, with all signs alike.
void dc_pull_back_magnitude(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics, int i,
                            const double magnitude[6], double *bound)
{
  const struct dc_body *body = &bodies->bodies[i];
  if (body->free) {
    for (int k = 0; k < 6; k++)
      bound[body->v_offset + k] += magnitude[k];
    return;
  }
  const double(*columns)[6] = columns_of(kinematics, body);
  for (int c = 0; c < body->chain_count; c++)
    for (int k = 0; k < 6; k++)
      bound[body->chain[c]] += fabs(columns[c][k]) * magnitude[k];
}
