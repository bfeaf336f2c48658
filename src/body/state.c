// SPDX-License-Identifier: Apache-2.0
// States: the start, poses of all frames, motions along tangents, and differences of states.  Rotations move by R <-
// exp([w]x) R; all other coordinates add.
#include <string.h>

#include "body/body.h"
#include "math/rotation.h"
#include "math/vector.h"

// The start that joints and couplings give, [nq], before controls or designs change it.
void dc_initial_state(const struct dc_bodies *bodies, double *q)
{
  if (bodies->nq)
    memcpy(q, bodies->initial_q, (size_t)bodies->nq * sizeof *q);
}

// The velocities of the scene; free bodies have angular velocity before velocity.
void dc_initial_velocity(const struct dc_bodies *bodies, double *velocity)
{
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (body->nv == 0)
      continue;
    memcpy(velocity + body->v_offset, body->start.joint_velocity, (size_t)body->nv * sizeof *velocity);
    if (body->free) {
      dc_vec_copy(velocity + body->v_offset, body->start.angular_velocity);
      dc_vec_copy(velocity + body->v_offset + 3, body->start.velocity);
    }
  }
  for (int s = 0; s < bodies->soft_count; s++)
    memcpy(velocity + bodies->soft[s].v_offset, bodies->soft[s].velocity,
           3 * (size_t)bodies->soft[s].node_count * sizeof *velocity);
}

// pose = pose * X, X the displacement by one part.  A rotation acts about the anchor p, x -> p + X (x - p), and so
// shifts the origin by p - X p; `shift` is in the frame before the part, `turned` in world axes.
static void apply_part(const struct dc_joint_part *part, const double *q, struct dc_pose *pose)
{
  double shift[3], turned[3], quaternion[4], moved[3], matrix[9];
  switch (part->kind) {
  case DC_PART_TRANSLATION: dc_vec_copy(shift, q + part->q); break;
  case DC_PART_SLIDE: dc_vec_scale(shift, part->axis, q[part->q]); break;
  default:
    if (part->kind == DC_PART_BALL) {
      memcpy(quaternion, q + part->q, sizeof quaternion);
    } else {
      dc_vec_scale(turned, part->axis, q[part->q]);
      dc_rotation_exp(quaternion, turned);
    }
    dc_rotation_matrix(matrix, quaternion);
    dc_mat_apply(moved, matrix, part->anchor);
    dc_vec_sub(shift, part->anchor, moved);
    break;
  }
  dc_mat_apply(turned, pose->rotation, shift);
  dc_vec_add(pose->position, pose->position, turned);
  if (part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE) {
    dc_rotation_multiply(pose->quaternion, pose->quaternion, quaternion);
    dc_rotation_matrix(pose->rotation, pose->quaternion);
  }
}

// The matrix is kept beside the quaternion, as most readers of a pose rotate vectors.
static void set_pose(struct dc_pose *pose, const double *position, const double *quaternion)
{
  memcpy(pose->position, position, sizeof pose->position);
  memcpy(pose->quaternion, quaternion, sizeof pose->quaternion);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

// Poses of all bodies, from the root outwards: parent, rest pose, then the parts of the joints.  Bodies that never
// move keep the pose of the start; those of free bodies are their numbers of q.  Frames of soft bodies and of points
// on them come last, from their nodes.
void dc_poses(const struct dc_bodies *bodies, const double *q, struct dc_pose *poses)
{
  for (int k = 0; k < bodies->count; k++) {
    int i = bodies->order[k];
    const struct dc_body *body = &bodies->bodies[i];
    struct dc_pose *pose = &poses[i];
    if (!dc_body_moves(body)) {
      set_pose(pose, body->start.position, body->start.quaternion);
      continue;
    }
    if (body->free) {
      set_pose(pose, q + body->q_offset, q + body->q_offset + 3);
      continue;
    }
    set_pose(pose, body->rest_position, body->rest_quaternion);
    if (body->parent >= 0) {
      const struct dc_pose *parent = &poses[body->parent];
      double arm[3];
      dc_mat_apply(arm, parent->rotation, body->rest_position);
      dc_vec_add(pose->position, parent->position, arm);
      dc_rotation_multiply(pose->quaternion, parent->quaternion, body->rest_quaternion);
      dc_rotation_matrix(pose->rotation, pose->quaternion);
    }
    for (int p = 0; p < body->part_count; p++)
      apply_part(&body->parts[p], q, pose);
  }
  dc_support_poses(bodies, q, poses);
}

// r = q moved by scale times a tangent; balls turn from the left by the exponential.
void dc_state_move(const struct dc_bodies *bodies, const double *q, double scale, const double *tangent, double *r)
{
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      const double *from = q + part->q, *rate = tangent + part->v;
      double *to = r + part->q, turn[3], quaternion[4];
      switch (part->kind) {
      case DC_PART_TRANSLATION: dc_vec_add_scaled(to, from, scale, rate); break;
      case DC_PART_BALL:
        dc_vec_scale(turn, rate, scale);
        dc_rotation_exp(quaternion, turn);
        dc_rotation_multiply(to, quaternion, from);
        break;
      default: *to = *from + scale * *rate;
      }
    }
  for (int k = 0; k < 3 * bodies->node_count; k++)
    r[bodies->first_node_q + k] = q[bodies->first_node_q + k] + scale * tangent[bodies->first_node_v + k];
}

// The inverse: the tangent that moves `from` to `to`.
void dc_state_difference(const struct dc_bodies *bodies, const double *from, const double *to, double *tangent)
{
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      const double *start = from + part->q, *end = to + part->q;
      double *rate = tangent + part->v, quaternion[4];
      switch (part->kind) {
      case DC_PART_TRANSLATION: dc_vec_sub(rate, end, start); break;
      case DC_PART_BALL:
        dc_rotation_conjugate(quaternion, start);
        dc_rotation_multiply(quaternion, end, quaternion);
        dc_rotation_log(rate, quaternion);
        break;
      default: *rate = *end - *start;
      }
    }
  for (int k = 0; k < 3 * bodies->node_count; k++)
    tangent[bodies->first_node_v + k] = to[bodies->first_node_q + k] - from[bodies->first_node_q + k];
}
