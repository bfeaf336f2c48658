// SPDX-License-Identifier: Apache-2.0
// The damping ratio z of a servo of an MJCF file on a joint becomes bias2 = -2 z sqrt(kp m / gear^2), with m the
// inertia that the coordinate has at the description's pose: its rotor's, and that of all that hangs on it about its
// axis.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

// A line in the world: a point on it and its direction.
struct line {
  double point[3], along[3];
};

// Inertia of a body for turns about a line.
static double about(const struct dc_mjcf_body *body, const struct dc_urdf_pose *pose, const struct line *line)
{
  const double *own = body->inertia;
  const double tensor[9] = {own[0], own[3], own[4], own[3], own[1], own[5], own[4], own[5], own[2]};
  double rotation[9], center[3], arm[3], local[3], bent[3], speed[3];
  dc_rotation_matrix(rotation, pose->rotation);
  dc_mat_apply(center, rotation, body->center);
  dc_vec_add(center, center, pose->position);
  dc_vec_sub(arm, center, line->point);
  dc_mat_apply_transposed(local, rotation, line->along);
  dc_mat_apply(bent, tensor, local);
  dc_vec_cross(speed, line->along, arm);
  return dc_vec_dot(local, bent) + body->mass * dc_vec_dot(speed, speed);
}

// m; NAN: out of memory.
static double inertia_along(const struct dc_mjcf *model, const struct dc_urdf_pose *poses, int j)
{
  const struct dc_mjcf_joint *joint = &model->joints[j];
  const struct dc_urdf_pose *own = &poses[joint->body];
  double rotation[9], sum = joint->armature;
  struct line line;
  bool *below = dc_alloc(model->body_count, sizeof *below);
  if (!below)
    return NAN;
  dc_rotation_matrix(rotation, own->rotation);
  dc_mat_apply(line.along, rotation, joint->axis);
  dc_mat_apply(line.point, rotation, joint->pos);
  dc_vec_add(line.point, line.point, own->position);
  below[joint->body] = true;
  for (size_t b = (size_t)joint->body; b < model->body_count; b++) {
    const struct dc_mjcf_body *body = &model->bodies[b];
    below[b] |= body->parent >= 0 && below[body->parent];
    if (below[b])
      sum += joint->type == DC_MJCF_SLIDE ? body->mass : about(body, &poses[b], &line);
  }
  free(below);
  return sum;
}

// Poses in the world at the description's pose: one pass, as parents come before children.
struct dc_urdf_pose *dc_mjcf_find_poses(struct dc_mjcf_reader *reader)
{
  const struct dc_mjcf *model = reader->model;
  struct dc_urdf_pose *poses = reader->poses;
  if (!poses)  // as many as there will be: equalities that ask for them come behind all bodies
    poses = reader->poses = dc_arena_alloc(reader->arena, model->body_count, sizeof *poses);
  if (!poses) {
    dc_mjcf_refuse(reader, model->root, DC_MEMORY, "out of memory");
    return NULL;
  }
  for (size_t b = 0; b < model->body_count; b++)
    if (model->bodies[b].parent < 0)
      poses[b] = model->bodies[b].pose;
    else
      dc_urdf_pose_compose(&poses[b], &poses[model->bodies[b].parent], &model->bodies[b].pose);
  return poses;
}

// Replaces ratios of damping, which are marked by a positive bias2 of a servo, by coefficients.  Actuators that
// drive no slide or hinge keep theirs: nothing here takes them.  Poses are computed for the first one that
// needs them.
void dc_mjcf_finish_actuators(struct dc_mjcf_reader *reader)
{
  struct dc_mjcf *model = reader->model;
  struct dc_urdf_pose *poses = NULL;
  for (size_t a = 0; a < model->actuator_count && !reader->status; a++) {
    struct dc_mjcf_actuator *actuator = &model->actuators[a];
    bool ratio = actuator->affine && actuator->bias[2] > 0 && actuator->gain == -actuator->bias[1];
    if (!ratio || actuator->joint < 0 || model->joints[actuator->joint].type < DC_MJCF_SLIDE || actuator->gear[0] == 0)
      continue;
    if (!poses && !(poses = dc_mjcf_find_poses(reader)))
      return;
    double mass = inertia_along(model, poses, actuator->joint) / (actuator->gear[0] * actuator->gear[0]);
    actuator->bias[2] *= -2 * sqrt(fmax(0, actuator->gain * mass));
  }
}
