// SPDX-License-Identifier: Apache-2.0
// Joints of an MJCF model, their passive forces and starts.  A body of the scene has its own joints behind those of
// the bodies without mass above it.  Coordinates of scenes are those of the file less "ref": ranges, starts and rests
// of springs are shifted by it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"
#include "math/rotation.h"
#include "math/vector.h"

// Springs, dampers, rotors and friction that a joint of that kind has here; the others are named.  True: there is
// something to write.
static bool put_passive(struct dc_mjcf_builder *builder, cJSON *object, const struct dc_mjcf_joint *joint, double force,
                        int place)
{
  const struct dc_mjcf_option *option = &builder->mjcf->option;
  struct dc_urdf_builder *base = &builder->base;
  const char *name = dc_mjcf_called(builder, joint->name, joint->node);
  double stiffness = option->no_spring ? 0 : joint->stiffness, damping = option->no_damper ? 0 : joint->damping;
  double friction = option->no_friction ? 0 : joint->frictionloss, rest = joint->springref - joint->ref;
  bool scalar = dc_mjcf_is_scalar(joint);
  for (int k = 0; k < 2; k++)
    if (joint->curved[k] && !(k ? option->no_damper : option->no_spring))
      dc_mjcf_remember(builder, &builder->dropped,
                       k ? "damping by higher powers of the speed of joint" : "stiffness by higher powers of joint",
                       name, joint->node);
  if (joint->crowded)
    dc_mjcf_remember(builder, &builder->dropped, "margin, which leaves nothing of the range, of joint", name,
                     joint->node);
  if (!scalar && joint->armature > 0 && !dc_mjcf_has_rotor(builder, joint))
    dc_mjcf_remember(builder, &builder->dropped, "armature of joint", name, joint->node);
  if (!scalar && friction > 0)
    dc_mjcf_remember(builder, &builder->dropped, "frictionloss of joint", name, joint->node);
  if (joint->type == DC_MJCF_FREE && stiffness > 0)
    dc_mjcf_remember(builder, &builder->dropped, "spring of free joint", name, joint->node);
  stiffness = joint->type == DC_MJCF_FREE ? 0 : stiffness;
  if (joint->type == DC_MJCF_BALL && stiffness > 0)
    dc_mjcf_remember(builder, &builder->dropped, "torque of a spring beyond the sine of the angle, of ball joint", name,
                     joint->node);
  if (damping > 0)
    dc_urdf_put_number(base, object, "damping", damping, place);
  if (stiffness > 0)
    dc_urdf_put_number(base, object, "stiffness", stiffness, place);
  if (stiffness > 0 && scalar && rest != 0)
    dc_urdf_put_number(base, object, "rest", rest, place);
  if (scalar && joint->armature > 0)
    dc_urdf_put_number(base, object, "armature", joint->armature, place);
  if (scalar && friction > 0)
    dc_urdf_put_number(base, object, "dry_friction", friction, place);
  if (scalar && force != 0)
    dc_urdf_put_number(base, object, "force", force, place);
  return damping > 0 || stiffness > 0 || (scalar && (joint->armature > 0 || friction > 0 || force != 0));
}

// Axis, anchor and range of a joint of a body with that pose.
static void put_joint(struct dc_mjcf_builder *builder, cJSON *object, const struct dc_mjcf_joint *joint,
                      const struct dc_urdf_pose *pose, int place)
{
  double rotation[9], axis[3], anchor[3];
  dc_rotation_matrix(rotation, pose->rotation);
  dc_mat_apply(axis, rotation, joint->axis);
  dc_mat_apply(anchor, rotation, joint->pos);
  dc_vec_add(anchor, anchor, pose->position);
  if (dc_mjcf_is_scalar(joint))
    dc_urdf_put_direction(&builder->base, object, "axis", axis, 3, place);
  if (joint->type != DC_MJCF_SLIDE)
    dc_urdf_put_numbers(&builder->base, object, "anchor", anchor, 3, place);
  if (!joint->limited)
    return;
  if (dc_mjcf_is_scalar(joint))
    dc_urdf_put_numbers(&builder->base, object, "range",
                        (double[2]){joint->stops[0] - joint->ref, joint->stops[1] - joint->ref}, 2, place);
  else
    dc_mjcf_remember(builder, &builder->dropped, "range of the ball joint",
                     dc_mjcf_called(builder, joint->name, joint->node), joint->node);
}

// Joints of a body and of those without mass above it, outermost first: joint and the body whose joint it is.
static int list_joints(const struct dc_mjcf_builder *builder, int i, int joints[DC_MJCF_MOST_JOINTS],
                       int owners[DC_MJCF_MOST_JOINTS])
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  int total = 0;
  for (int body = i; body > 0; body = builder->links[body].above)
    for (int k = 0; k < mjcf->bodies[body].joints; k++)
      total += !mjcf->joints[mjcf->bodies[body].first_joint + k].gone;
  if (total > DC_MJCF_MOST_JOINTS)
    return total;
  for (int body = i, end = total; body > 0; body = builder->links[body].above) {
    for (int k = mjcf->bodies[body].joints - 1; k >= 0; k--) {
      int joint = mjcf->bodies[body].first_joint + k;
      if (mjcf->joints[joint].gone)
        continue;
      joints[--end] = joint;
      owners[end] = body;
    }
  }
  return total;
}

const char *dc_mjcf_find_coordinate(const struct dc_mjcf_builder *builder, int joint, int *coordinate)
{
  int joints[DC_MJCF_MOST_JOINTS], owners[DC_MJCF_MOST_JOINTS];
  for (int i = builder->mjcf->joints[joint].body; i < (int)builder->mjcf->body_count; i++) {
    int count = builder->links[i].body >= 0 ? list_joints(builder, i, joints, owners) : 0;
    *coordinate = 0;
    for (int k = 0; k < count && count <= DC_MJCF_MOST_JOINTS; k++) {
      if (joints[k] == joint)
        return builder->links[i].name;
      *coordinate += dc_mjcf_is_scalar(&builder->mjcf->joints[joints[k]]);
    }
  }
  return NULL;
}

double dc_mjcf_wanted_start(const struct dc_mjcf_builder *builder, int j)
{
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[j];
  double given = builder->use->common.start[j];
  return !isnan(given) ? given : builder->key && builder->key->qpos ? builder->key->qpos[joint->qpos] - joint->ref : 0;
}

// The coordinate at the start, less the joint's reference: the include's own, else the keyframe's, else 0,
// which is the description.  The include's is taken as it is; the others are moved into the joint's range, with
// a note.
static double start_of(struct dc_mjcf_builder *builder, int j)
{
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[j];
  double given = builder->use->common.start[j], start = dc_mjcf_wanted_start(builder, j);
  if (!isnan(given))
    return given;
  if (!joint->limited)
    return start;
  double inside = fmin(fmax(start, joint->stops[0] - joint->ref), joint->stops[1] - joint->ref);
  if (fabs(inside - start) > 1e-12 * (1 + fabs(start))) {
    const char *moved =
        dc_arena_printf(builder->urdf.arena, "%s from %.6g to %.6g", dc_mjcf_called(builder, joint->name, joint->node),
                        start + joint->ref, inside + joint->ref);
    dc_mjcf_remember(builder, &builder->clamped, "", moved ? moved : joint->name, joint->node);
  }
  return inside;
}

// A ball joint has no coordinates in a scene, so a keyframe's quaternion becomes part of the body's pose: a
// turn about the anchor.  Joints outside of the ball move the turned body as they would have moved it before, so that
// a body can start so whose innermost joint is a ball of its own, and its only one.
static const struct dc_mjcf_joint *turned_ball(const struct dc_mjcf_builder *builder, int i)
{
  int joints[DC_MJCF_MOST_JOINTS], owners[DC_MJCF_MOST_JOINTS], count = list_joints(builder, i, joints, owners);
  if (count < 1 || count > DC_MJCF_MOST_JOINTS || owners[count - 1] != i)
    return NULL;
  const struct dc_mjcf_joint *all = builder->mjcf->joints;
  for (int k = 0; k + 1 < count; k++)
    if (!dc_mjcf_is_scalar(&all[joints[k]]))
      return NULL;
  return all[joints[count - 1]].type == DC_MJCF_BALL ? &all[joints[count - 1]] : NULL;
}

// Turns the pose of a body by its ball joint's start.  True: it is turned by more than rounding.
bool dc_mjcf_turns_at_start(const struct dc_mjcf_builder *builder, int i, struct dc_urdf_pose *pose)
{
  const struct dc_mjcf_joint *joint = turned_ball(builder, i);
  if (!joint || joint->held || !builder->key || !builder->key->qpos)
    return false;
  // pose times (turn about pos)
  struct dc_urdf_pose turn;
  double matrix[9], moved[3];
  memcpy(turn.rotation, builder->key->qpos + joint->qpos, sizeof turn.rotation);
  dc_rotation_matrix(matrix, turn.rotation);
  dc_mat_apply(moved, matrix, joint->pos);
  dc_vec_sub(turn.position, joint->pos, moved);
  dc_urdf_pose_compose(pose, pose, &turn);
  return fabs(turn.rotation[0]) < 1 - 1e-12;
}

// A ball that cannot start turned, or whose spring would then rest elsewhere, is named.
static void check_ball(struct dc_mjcf_builder *builder, int i, int j)
{
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[j];
  if (!builder->key || !builder->key->qpos || joint->held || fabs(builder->key->qpos[joint->qpos]) >= 1 - 1e-12)
    return;
  const char *name = dc_mjcf_called(builder, joint->name, joint->node);
  if (turned_ball(builder, i) != joint)
    dc_mjcf_remember(builder, &builder->refused, "start of the ball joint", name, joint->node);
  else if (joint->stiffness > 0)
    dc_mjcf_remember(builder, &builder->dropped, "where the spring of the turned ball joint is slack:", name,
                     joint->node);
}

// "joint_position" and "joint_velocity" of a body, left out where all are 0.  Free bodies start by pose and
// velocity instead, and joints that a coupling drives by their driver.  A ball has three velocities and no
// position.
static void put_starts(struct dc_mjcf_builder *builder, cJSON *body, int i, int count, const int *joints, int place)
{
  static const int degrees[] = {6, 3, 1, 1};
  const struct dc_mjcf *mjcf = builder->mjcf;
  double positions[DC_MJCF_MOST_JOINTS], velocities[3 * DC_MJCF_MOST_JOINTS];
  int scalars = 0, freedoms = 0;
  bool moved = false, moving = false;
  if (count == 0 || mjcf->joints[joints[0]].type == DC_MJCF_FREE || (count == 1 && dc_mjcf_follows(mjcf, joints[0])))
    return;
  for (int k = 0; k < count; k++) {
    const struct dc_mjcf_joint *joint = &mjcf->joints[joints[k]];
    for (int n = 0; n < degrees[joint->type]; n++) {
      velocities[freedoms] =
          builder->key && builder->key->qvel && !joint->held ? builder->key->qvel[joint->dof + n] : 0;
      moving |= velocities[freedoms++] != 0;
    }
    if (joint->type == DC_MJCF_BALL) {
      check_ball(builder, i, joints[k]);
      continue;
    }
    dc_urdf_note_start(&builder->base, body, scalars, joint->name);
    positions[scalars] = start_of(builder, joints[k]);
    moved |= positions[scalars++] != 0;
  }
  if (moved)
    dc_urdf_put_numbers(&builder->base, body, "joint_position", positions, scalars, place);
  if (moving)
    dc_urdf_put_numbers(&builder->base, body, "joint_velocity", velocities, freedoms, place);
}

static const char *const types[] = {"free", "ball", "slide", "hinge"};

// A body's only joint: its axis, anchor and range are the body's.
static void put_only_joint(struct dc_mjcf_builder *builder, cJSON *body, int j, int owner, double force, int place)
{
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[j];
  cJSON *object = cJSON_CreateObject();
  if (!object) {
    builder->base.failed = true;
    return;
  }
  object->valueint = place;
  dc_urdf_put_string(&builder->base, object, "type", types[joint->type], place);
  if (put_passive(builder, object, joint, force, place)) {
    dc_urdf_put(&builder->base, body, "joint", object, place);
  } else {
    cJSON_Delete(object);
    dc_urdf_put_string(&builder->base, body, "joint", types[joint->type], place);
  }
  if (joint->type != DC_MJCF_FREE)
    put_joint(builder, body, joint, &builder->links[owner].pose, place);
}

// Writes the joints of body i with their passive forces, starts and actuators.  One joint is an object or a
// word, several are an array from the outermost inwards, each with its own axis and anchor.  A constant force
// of actuators becomes a force of the joint where no gain makes a target of it.
enum dc_status dc_mjcf_put_joints(struct dc_mjcf_builder *builder, cJSON *body, int i, int place)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  int joints[DC_MJCF_MOST_JOINTS], owners[DC_MJCF_MOST_JOINTS], count = list_joints(builder, i, joints, owners);
  struct dc_mjcf_gains gains[DC_MJCF_MOST_JOINTS] = {{0}};
  double forces[DC_MJCF_MOST_JOINTS];
  if (count > DC_MJCF_MOST_JOINTS)
    return dc_mjcf_fail(mjcf->bodies[i].node, builder->base.error, DC_BAD_INPUT,
                        "more than %d joints, with those of bodies without mass", DC_MJCF_MOST_JOINTS);
  if (count == 0) {
    dc_urdf_put_string(&builder->base, body, "joint", "fixed", place);
    return DC_OK;
  }
  for (int k = 0; k < count; k++) {
    gains[k] = dc_mjcf_find_gains(builder, joints[k]);
    const double *limits = mjcf->joints[joints[k]].forces;
    forces[k] = gains[k].kp == 0 && gains[k].kd == 0 ? fmin(fmax(gains[k].force, limits[0]), limits[1]) : 0;
  }
  if (count == 1) {
    put_only_joint(builder, body, joints[0], owners[0], forces[0], place);
  } else {
    cJSON *list = dc_urdf_put(&builder->base, body, "joint", cJSON_CreateArray(), place);
    for (int k = 0; k < count; k++) {
      const struct dc_mjcf_joint *joint = &mjcf->joints[joints[k]];
      int at = dc_mjcf_place(builder, joint->node);
      cJSON *object = dc_urdf_put(&builder->base, list, NULL, cJSON_CreateObject(), at);
      dc_urdf_put_string(&builder->base, object, "type", types[joint->type], at);
      put_joint(builder, object, joint, &builder->links[owners[k]].pose, at);
      put_passive(builder, object, joint, forces[k], at);
    }
  }
  put_starts(builder, body, i, count, joints, place);
  dc_mjcf_put_actuators(builder, body, count, joints, gains, place);
  return DC_OK;
}
