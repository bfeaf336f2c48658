// SPDX-License-Identifier: Apache-2.0
// Joints of an MJCF model, their passive forces, starts and actuators.
//
// An actuator's force is gear (gain u + b0 + b1 gear q + b2 gear v), q the file's coordinate.  So -b1 gear^2 is the gain
// kp of "pd", and -b2 gear^2 is kd.  With u the control of the keyframe (0 without), gear (gain u + b0) is kp times the
// target; where kp is 0 it is kd times the target velocity, and where both are 0 a constant force, within the limits of
// the actuator and of the joint.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_JOINTS = 6 };  // of a body of ours

static bool is_scalar(const struct dc_mjcf_joint *joint)
{
  return joint->type == DC_MJCF_HINGE || joint->type == DC_MJCF_SLIDE;
}

// Gains of one joint's actuators together.
struct gains {
  bool given;
  double kp, kd, effort;  // effort: sum of the limits of its actuators, 0 when one of them has none
  double force;           // gear (gain u + b0) of all
  bool controlled;        // by a control or a constant
};

// The limit of an actuator's force on its joint; 0: none.  A motor's is that of its control as well.
static double effort_of(const struct dc_mjcf_actuator *actuator)
{
  double effort = fmax(fabs(actuator->force[0]), fabs(actuator->force[1]));
  if (!actuator->affine)
    effort = fmin(effort, fabs(actuator->gain) * fmax(fabs(actuator->control[0]), fabs(actuator->control[1])));
  return isfinite(effort) ? effort * fabs(actuator->gear[0]) : 0;
}

// The control at the start: the keyframe's, within the actuator's limits; 0 where it is filtered or integrated.
static double control_of(const struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf_actuator *actuator = &builder->mjcf->actuators[a];
  double control = builder->key && builder->key->ctrl ? builder->key->ctrl[a] : 0;
  return actuator->follows ? 0 : fmin(fmax(control, actuator->control[0]), actuator->control[1]);
}

static double within(double number, const double range[2])
{
  return fmin(fmax(number, range[0]), range[1]);
}

// Whether the force of an actuator is what its control says, however the joint moves.
static bool is_steady(const struct dc_mjcf_actuator *actuator)
{
  return actuator->bias[1] == 0 && actuator->bias[2] == 0;
}

// gain u + b0, within the limits of a steady force.
static double offset_of(const struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf_actuator *actuator = &builder->mjcf->actuators[a];
  double offset = actuator->gain * control_of(builder, a) + actuator->bias[0];
  return is_steady(actuator) ? within(offset, actuator->force) : offset;
}

// By how much a force of the actuator acts on a joint: its gear, of a tendon of several joints times its coefficient.
static double arm_of(const struct dc_mjcf *mjcf, const struct dc_mjcf_actuator *actuator, int joint)
{
  if (actuator->joint >= 0)
    return actuator->joint == joint ? actuator->gear[0] : 0;
  const struct dc_mjcf_tendon *tendon = actuator->tendon >= 0 ? &mjcf->tendons[actuator->tendon] : NULL;
  double arm = 0;
  for (int k = 0; tendon && k < tendon->count; k++)
    arm += tendon->joints[k] == joint ? actuator->gear[0] * tendon->coefficients[k] : 0;
  return arm;
}

// Sums what the actuators do to one joint: gains, constant force, and the limit of their efforts.  An actuator
// on a tendon of several joints contributes its constant force by the joint's coefficient, but no gains.  One
// without a limit, unless it is a constant, makes the joint unlimited; the joint's own "actuatorfrcrange" is a
// limit in any case.  A gain that would push away (a positive bias) counts as 0 and is named by
// check_actuator().
static struct gains find_gains(const struct dc_mjcf_builder *builder, int joint)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  struct gains gains = {0};
  bool unlimited = false;
  for (size_t a = 0; a < mjcf->actuator_count; a++) {
    const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
    double gear = arm_of(mjcf, actuator, joint), control = control_of(builder, a);
    if (gear == 0 || actuator->off || !actuator->simple)
      continue;
    gains.force += gear * offset_of(builder, a);
    gains.controlled |= control != 0 || actuator->bias[0] != 0;
    if (actuator->joint != joint)
      continue;
    bool constant = actuator->gain == 0 && is_steady(actuator);
    unlimited |= !constant && effort_of(actuator) == 0;
    gains.effort += effort_of(actuator);
    if (!actuator->affine)
      continue;
    gains.given = true;
    gains.kp += fmax(0, -actuator->bias[1]) * gear * gear;
    gains.kd += fmax(0, -actuator->bias[2]) * gear * gear;
  }
  if (unlimited)
    gains.effort = 0;
  if (isfinite(mjcf->joints[joint].force))
    gains.effort = gains.effort > 0 ? fmin(gains.effort, mjcf->joints[joint].force) : mjcf->joints[joint].force;
  return gains;
}

// Springs, dampers, rotors and friction that a joint of that kind has here; the others are named.
static bool put_passive(struct dc_mjcf_builder *builder, cJSON *object, const struct dc_mjcf_joint *joint, double force,
                        int place)
{
  const struct dc_mjcf_option *option = &builder->mjcf->option;
  struct dc_urdf_builder *base = &builder->base;
  const char *name = dc_mjcf_called(builder, joint->name, joint->node);
  double stiffness = option->no_spring ? 0 : joint->stiffness, damping = option->no_damper ? 0 : joint->damping;
  double friction = option->no_friction ? 0 : joint->frictionloss, rest = joint->springref - joint->ref;
  bool scalar = is_scalar(joint);
  if (!scalar && joint->armature > 0)
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
  if (is_scalar(joint))
    dc_urdf_put_direction(&builder->base, object, "axis", axis, 3, place);
  if (joint->type != DC_MJCF_SLIDE)
    dc_urdf_put_numbers(&builder->base, object, "anchor", anchor, 3, place);
  if (!joint->limited)
    return;
  if (is_scalar(joint))
    dc_urdf_put_numbers(&builder->base, object, "range",
                        (double[2]){joint->range[0] - joint->ref, joint->range[1] - joint->ref}, 2, place);
  else
    dc_mjcf_remember(builder, &builder->dropped, "range of the ball joint",
                     dc_mjcf_called(builder, joint->name, joint->node), joint->node);
}

// Joints of a body and of those without mass above it, outermost first: joint and the body whose joint it is.
static int list_joints(const struct dc_mjcf_builder *builder, int i, int joints[MOST_JOINTS], int owners[MOST_JOINTS])
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  int total = 0;
  for (int body = i; body > 0; body = builder->links[body].above)
    total += mjcf->bodies[body].joints;
  if (total > MOST_JOINTS)
    return total;
  for (int body = i, end = total; body > 0; body = builder->links[body].above) {
    end -= mjcf->bodies[body].joints;
    for (int k = 0; k < mjcf->bodies[body].joints; k++) {
      joints[end + k] = mjcf->bodies[body].first_joint + k;
      owners[end + k] = body;
    }
  }
  return total;
}

// Whether a coupling makes a joint follow another.
static bool follows(const struct dc_mjcf *mjcf, int joint)
{
  for (size_t e = 0; e < mjcf->coupling_count; e++)
    if (mjcf->couplings[e].joints[0] == joint && mjcf->couplings[e].joints[1] >= 0)
      return true;
  return false;
}

// The coordinate at the start, less the joint's reference: the include's own, else the keyframe's, else 0,
// which is the description.  The include's is taken as it is; the others are moved into the joint's range, with
// a note.
static double start_of(struct dc_mjcf_builder *builder, int j)
{
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[j];
  double given = builder->use->common.start[j];
  double start = builder->key && builder->key->qpos ? builder->key->qpos[joint->qpos] - joint->ref : 0;
  if (!isnan(given))
    return given;
  if (!joint->limited)
    return start;
  double inside = fmin(fmax(start, joint->range[0] - joint->ref), joint->range[1] - joint->ref);
  if (inside != start)
    dc_mjcf_remember(builder, &builder->clamped, "", dc_mjcf_called(builder, joint->name, joint->node), joint->node);
  return inside;
}

// A ball joint has no coordinates in a scene, so a keyframe's quaternion becomes part of the body's pose: a
// turn about the anchor.  Only a body whose single joint is a ball of its own can start so.  True: it is turned
// by more than rounding.
bool dc_mjcf_turns_at_start(const struct dc_mjcf_builder *builder, int i, struct dc_urdf_pose *pose)
{
  int joints[MOST_JOINTS], owners[MOST_JOINTS], count = list_joints(builder, i, joints, owners);
  const struct dc_mjcf_joint *joint = count == 1 ? &builder->mjcf->joints[joints[0]] : NULL;
  if (!joint || joint->type != DC_MJCF_BALL || joint->held || owners[0] != i || !builder->key || !builder->key->qpos)
    return false;
  // pose times (turn about pos)
  struct dc_urdf_pose turn;
  double matrix[9], moved[3];
  memcpy(turn.rotation, builder->key->qpos + joint->qpos, sizeof turn.rotation);
  dc_rotation_normalize(turn.rotation);
  dc_rotation_matrix(matrix, turn.rotation);
  dc_mat_apply(moved, matrix, joint->pos);
  dc_vec_sub(turn.position, joint->pos, moved);
  dc_urdf_pose_compose(pose, pose, &turn);
  return fabs(turn.rotation[0]) < 1 - 1e-12;
}

// A ball that cannot start turned, or whose spring would then rest elsewhere, is named.
static void check_ball(struct dc_mjcf_builder *builder, int j, int count, bool own)
{
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[j];
  if (!builder->key || !builder->key->qpos || joint->held || fabs(builder->key->qpos[joint->qpos]) >= 1 - 1e-12)
    return;
  const char *name = dc_mjcf_called(builder, joint->name, joint->node);
  if (count > 1 || !own)
    dc_mjcf_remember(builder, &builder->refused, "start of the ball joint", name, joint->node);
  else if (joint->stiffness > 0)
    dc_mjcf_remember(builder, &builder->dropped, "where the spring of the turned ball joint is slack:", name,
                     joint->node);
}

// "joint_position" and "joint_velocity" of a body, left out where all are 0.  Free bodies start by pose and
// velocity instead, and joints that a coupling drives by their driver.  A ball has three velocities and no
// position.
static void put_starts(struct dc_mjcf_builder *builder, cJSON *body, int count, const int *joints, bool own, int place)
{
  static const int degrees[] = {6, 3, 1, 1};
  const struct dc_mjcf *mjcf = builder->mjcf;
  double positions[MOST_JOINTS], velocities[3 * MOST_JOINTS];
  int scalars = 0, freedoms = 0;
  bool moved = false, moving = false;
  if (count == 0 || mjcf->joints[joints[0]].type == DC_MJCF_FREE || (count == 1 && follows(mjcf, joints[0])))
    return;
  for (int k = 0; k < count; k++) {
    const struct dc_mjcf_joint *joint = &mjcf->joints[joints[k]];
    for (int n = 0; n < degrees[joint->type]; n++) {
      velocities[freedoms] =
          builder->key && builder->key->qvel && !joint->held ? builder->key->qvel[joint->dof + n] : 0;
      moving |= velocities[freedoms++] != 0;
    }
    if (joint->type == DC_MJCF_BALL) {
      check_ball(builder, joints[k], count, own);
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

// The one limit of an actuator of several joints is the least of those that it drives: all of them with "pd" of the
// include, those with gains otherwise.  Limits that are not alike are named.
static void put_effort(struct dc_mjcf_builder *builder, cJSON *pd, int count, const int *joints,
                       const struct gains *gains, int place)
{
  double effort = INFINITY, most = 0;
  const struct dc_mjcf_joint *joint = NULL;
  for (int k = 0; k < count; k++)
    if (builder->use->common.pd || gains[k].given) {
      double own = gains[k].effort > 0 ? gains[k].effort : INFINITY;
      effort = fmin(effort, own);
      most = fmax(most, own);
      joint = &builder->mjcf->joints[joints[k]];
    }
  if (joint && effort < most && builder->use->common.effort)
    dc_mjcf_remember(builder, &builder->dropped, "limits of forces beyond the least, on joints of one body:",
                     dc_mjcf_called(builder, joint->name, joint->node), joint->node);
  if (builder->use->common.effort && isfinite(effort) && cJSON_IsObject(pd) && !cJSON_HasObjectItem(pd, "effort"))
    dc_urdf_put_number(&builder->base, pd, "effort", effort, place);
}

// The limit of forces of controls on the joints of a body, where theirs are alike.
static void put_effort_limit(struct dc_mjcf_builder *builder, cJSON *body, int count, const struct gains *gains,
                             int place)
{
  bool alike = builder->use->common.effort && gains[0].effort > 0;
  for (int k = 1; k < count; k++)
    alike = alike && gains[k].effort == gains[0].effort;
  if (alike)
    dc_urdf_put_number(&builder->base, body, "effort_limit", gains[0].effort, place);
}

// Where servos pull to: coordinates here are the file's less ref.  One that the include's start moves holds that, unless
// the file controls it.
static void put_targets(struct dc_mjcf_builder *builder, cJSON *pd, int count, const int *joints,
                        const struct gains *gains, int place)
{
  double targets[MOST_JOINTS];
  bool other = false;
  for (int k = 0; k < count; k++) {
    const struct dc_mjcf_joint *joint = &builder->mjcf->joints[joints[k]];
    double given = builder->use->common.start[joints[k]], start = isnan(given) ? 0 : given;
    if (isnan(given) && builder->key && builder->key->qpos)
      start = builder->key->qpos[joint->qpos] - joint->ref;
    bool held = gains[k].kp == 0 || (!isnan(given) && !gains[k].controlled);
    targets[k] = held ? start : gains[k].force / gains[k].kp - joint->ref;
    other |= fabs(targets[k] - start) > 1e-15 * (1 + fabs(start));
  }
  if (other)
    dc_urdf_put_numbers(&builder->base, pd, "target", targets, count, place);
}

// The velocities that servos without a gain on places ask for.
static void put_target_velocities(struct dc_mjcf_builder *builder, cJSON *pd, int count, const struct gains *gains,
                                  int place)
{
  double velocities[MOST_JOINTS];
  bool any = false;
  for (int k = 0; k < count; k++) {
    velocities[k] = gains[k].kp == 0 && gains[k].kd > 0 ? gains[k].force / gains[k].kd : 0;
    any |= velocities[k] != 0;
  }
  if (any)
    dc_urdf_put_numbers(&builder->base, pd, "target_velocity", velocities, count, place);
}

// Gains of joints of one kind that are not alike; 0: passive.
static void put_gains(struct dc_mjcf_builder *builder, cJSON *pd, int count, const struct gains *gains, int place)
{
  double kp[MOST_JOINTS], kd[MOST_JOINTS];
  for (int k = 0; k < count; k++) {
    kp[k] = gains[k].kp;
    kd[k] = gains[k].kd;
  }
  dc_urdf_put_numbers(&builder->base, pd, "kp_each", kp, count, place);
  dc_urdf_put_numbers(&builder->base, pd, "kd_each", kd, count, place);
}

// One actuator for the whole body: that of its slides and that of its hinges.
static void put_actuators(struct dc_mjcf_builder *builder, cJSON *body, int count, const int *joints,
                          const struct gains *gains, int place)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  struct gains kinds[2] = {{0}};  // slides, hinges
  int seen[2] = {0};
  bool unlike = false, scalar = true;
  for (int k = 0; k < count; k++) {
    int kind = mjcf->joints[joints[k]].type == DC_MJCF_HINGE;
    struct gains *most = &kinds[kind];
    scalar &= is_scalar(&mjcf->joints[joints[k]]);
    unlike |= seen[kind]++ && (gains[k].kp != most->kp || gains[k].kd != most->kd);
    most->given |= gains[k].given;
    most->kp = fmax(most->kp, gains[k].kp);
    most->kd = fmax(most->kd, gains[k].kd);
  }
  if (count == 0 || !scalar)
    return;
  put_effort_limit(builder, body, count, gains, place);
  if (builder->use->common.pd) {
    if (count == 1 && follows(mjcf, joints[0]))
      return;
    cJSON *copied = cJSON_Duplicate(builder->use->common.pd, true);
    cJSON *pd = dc_urdf_put(&builder->base, body, "pd", copied, builder->use->common.pd->valueint);
    put_effort(builder, pd, count, joints, gains, place);
    return;
  }
  if (!kinds[0].given && !kinds[1].given)
    return;
  cJSON *pd = dc_urdf_put(&builder->base, body, "pd", cJSON_CreateObject(), place);
  const struct gains *lengths = seen[0] ? &kinds[0] : &kinds[1];
  dc_urdf_put_number(&builder->base, pd, "kp", lengths->kp, place);
  dc_urdf_put_number(&builder->base, pd, "kd", lengths->kd, place);
  if (seen[0] && seen[1]) {
    dc_urdf_put_number(&builder->base, pd, "kp_rotation", kinds[1].kp, place);
    dc_urdf_put_number(&builder->base, pd, "kd_rotation", kinds[1].kd, place);
  }
  if (unlike)
    put_gains(builder, pd, count, gains, place);
  put_targets(builder, pd, count, joints, gains, place);
  put_target_velocities(builder, pd, count, gains, place);
  put_effort(builder, pd, count, joints, gains, place);
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
  int joints[MOST_JOINTS], owners[MOST_JOINTS], count = list_joints(builder, i, joints, owners);
  struct gains gains[MOST_JOINTS] = {{0}};
  double forces[MOST_JOINTS];
  if (count > MOST_JOINTS)
    return dc_mjcf_fail(mjcf->bodies[i].node, builder->base.error, DC_BAD_INPUT,
                        "more than %d joints, with those of bodies without mass", MOST_JOINTS);
  if (count == 0) {
    dc_urdf_put_string(&builder->base, body, "joint", "fixed", place);
    return DC_OK;
  }
  for (int k = 0; k < count; k++) {
    gains[k] = find_gains(builder, joints[k]);
    forces[k] = gains[k].kp == 0 && gains[k].kd == 0 ? within(gains[k].force, mjcf->joints[joints[k]].forces) : 0;
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
  put_starts(builder, body, count, joints, owners[0] == i, place);
  put_actuators(builder, body, count, joints, gains, place);
  return DC_OK;
}

// The name of the body that has a joint: that below, where its own has no mass.
static const char *owner_of(const struct dc_mjcf_builder *builder, int joint)
{
  int owner = builder->mjcf->joints[joint].body;
  for (int i = owner; i < (int)builder->mjcf->body_count; i++)
    for (int body = i; body > 0 && builder->links[i].body >= 0; body = builder->links[body].above)
      if (body == owner)
        return builder->links[i].name;
  return "";
}

// The polynomial must be a line; one of a higher degree, one that fixes a single joint, and one on a joint that
// is gone are remembered as refused.  "body" and "to" are the bodies that have the joints, and coordinates here
// are the file's less their references, which is what the polynomial relates too.
enum dc_status dc_mjcf_put_couplings(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  cJSON *couplings = NULL, *root = builder->base.document->root;
  for (size_t e = 0; e < mjcf->coupling_count; e++) {
    const struct dc_mjcf_coupling *own = &mjcf->couplings[e];
    const double *data = own->polynomial;
    bool held = mjcf->joints[own->joints[0]].held || (own->joints[1] >= 0 && mjcf->joints[own->joints[1]].held);
    if (own->joints[1] < 0 || held || data[2] != 0 || data[3] != 0 || data[4] != 0) {
      dc_mjcf_remember(builder, &builder->refused, "equality of joints", "", own->node);
      continue;
    }
    if (!couplings && !(couplings = cJSON_GetObjectItemCaseSensitive(root, "couplings")))
      couplings = dc_urdf_put(&builder->base, root, "couplings", cJSON_CreateArray(), builder->base.at->valueint);
    int place = dc_mjcf_place(builder, own->node);
    cJSON *coupling = dc_urdf_put(&builder->base, couplings, NULL, cJSON_CreateObject(), place);
    for (int side = 0; side < 2; side++)
      dc_urdf_put_string(&builder->base, coupling, side ? "to" : "body", owner_of(builder, own->joints[side]), place);
    dc_urdf_put_number(&builder->base, coupling, "multiplier", data[1], place);
    dc_urdf_put_number(&builder->base, coupling, "offset", data[0], place);
  }
  return DC_OK;
}

static void name_actuator(struct dc_mjcf_builder *builder, const struct dc_mjcf_actuator *actuator, const char *what,
                          struct dc_urdf_names *list)
{
  dc_mjcf_remember(builder, list, what, dc_mjcf_called(builder, actuator->name, actuator->node), actuator->node);
}

static void name_tendon(struct dc_mjcf_builder *builder, const struct dc_mjcf_tendon *tendon, const char *what)
{
  dc_mjcf_remember(builder, &builder->forces, what, dc_mjcf_called(builder, tendon->name, tendon->node), tendon->node);
}

// Whether an actuator that nothing here corresponds to does nothing as long as its control is that of the start.
static bool is_idle(const struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf_actuator *actuator = &builder->mjcf->actuators[a];
  bool pulls = actuator->simple && actuator->affine &&
               (actuator->bias[0] != 0 || actuator->bias[1] != 0 || actuator->bias[2] != 0);
  bool known = actuator->simple || strcmp(actuator->node->name, "adhesion") == 0;
  return known && !pulls && control_of(builder, a) == 0;
}

// Whether a position or velocity along a tendon of several joints pulls on them.
static bool is_servo(const struct dc_mjcf_actuator *actuator)
{
  return actuator->affine && (actuator->bias[1] != 0 || actuator->bias[2] != 0);
}

// Whether limits of forces are not alike in both directions; a steady force obeys them as they are.
static bool is_uneven(const struct dc_mjcf_actuator *actuator)
{
  const double *range = is_steady(actuator) && !isfinite(actuator->force[0]) ? actuator->control : actuator->force;
  return range[0] != -range[1];
}

// Limits that act otherwise than the file has them: uneven ones, and those of several actuators on one joint.
static void check_limits(struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
  bool shares = false;
  if (!builder->use->common.effort || effort_of(actuator) == 0)
    return;
  for (size_t k = 0; k < mjcf->actuator_count; k++)
    shares |= k != a && !mjcf->actuators[k].off && arm_of(mjcf, &mjcf->actuators[k], actuator->joint) != 0;
  if (is_uneven(actuator))
    name_actuator(builder, actuator, "limits of forces that are not alike in both directions, the greater holds in both,",
                  &builder->dropped);
  if (shares)
    name_actuator(builder, actuator, "limits of forces of each of the actuators on one joint, their sum holds,",
                  &builder->dropped);
}

// An actuator that is not a force on a slide or hinge with gains on its coordinate and velocity.
static void check_actuator(struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
  const struct dc_mjcf_tendon *tendon = actuator->tendon >= 0 ? &mjcf->tendons[actuator->tendon] : NULL;
  bool scalar = actuator->joint >= 0 && is_scalar(&mjcf->joints[actuator->joint]);
  if (actuator->joint >= 0 && mjcf->joints[actuator->joint].held)
    name_actuator(builder, actuator, "actuator of a joint that an equality holds:", &builder->dropped);
  else if (tendon && tendon->fixed && !scalar && actuator->simple && !is_servo(actuator))
    name_actuator(builder, actuator, "control, beyond its force at the start, of the actuator on several joints",
                  &builder->dropped);
  else if ((!scalar || !actuator->simple) && is_idle(builder, a))
    name_actuator(builder, actuator, "control, 0 at the start, of actuator", &builder->dropped);
  else if (actuator->joint >= 0 && !scalar)
    name_actuator(builder, actuator, "actuator of a ball or free joint", &builder->forces);
  else if (!scalar || !actuator->simple)
    name_actuator(builder, actuator, tendon ? "actuator of a tendon" : "actuator", &builder->forces);
  else if (actuator->follows)
    name_actuator(builder, actuator, "filter or integral of the control of", &builder->dropped);
  if (scalar && actuator->simple)
    check_limits(builder, a);
  if (scalar && actuator->affine && actuator->simple && (actuator->bias[1] > 0 || actuator->bias[2] > 0))
    name_actuator(builder, actuator, "force that grows with position or speed of", &builder->dropped);
}

// Names everything that nothing corresponds to: what the model would lack (soft bodies, equalities of bodies), and its
// forces, as springs and ranges of tendons and actuators that pull at the start.  Actuators that are forces on slides and hinges, or gains on
// their coordinates and velocities, act; others are left out with a note.
void dc_mjcf_find_refused(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  int limited = 0;
  for (size_t k = 0; k < mjcf->named_count; k++) {
    const struct dc_mjcf_node *node = mjcf->named[k];
    const char *name = "";
    for (int i = 0; i < node->attribute_count; i++)
      if (strcmp(node->attributes[i].name, "name") == 0)
        name = node->attributes[i].value;
    bool equality = node->parent && strcmp(node->parent->name, "equality") == 0;
    dc_mjcf_remember(builder, &builder->refused, equality ? "equality" : node->name, name, node);
  }
  for (size_t g = 0; g < mjcf->geom_count; g++)
    if (mjcf->geoms[g].type == DC_MJCF_SDF)
      dc_mjcf_remember(builder, &builder->refused, "signed distance",
                       dc_mjcf_called(builder, mjcf->geoms[g].name, mjcf->geoms[g].node), mjcf->geoms[g].node);
  for (size_t p = 0; p < mjcf->pair_count; p++)
    if (mjcf->pairs[p].uneven)
      dc_mjcf_remember(builder, &builder->dropped, "friction in the second direction of a pair, the first holds in all,",
                       "", mjcf->pairs[p].node);
  for (size_t t = 0; t < mjcf->tendon_count; t++)
    if (mjcf->tendons[t].acts)
      name_tendon(builder, &mjcf->tendons[t], mjcf->tendons[t].acts);
  for (size_t a = 0; a < mjcf->actuator_count; a++) {
    const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
    limited += !actuator->off && actuator->joint >= 0 && effort_of(actuator) > 0;
    if (!actuator->off)
      check_actuator(builder, a);
  }
  if (limited && !builder->use->common.effort)
    dc_mjcf_remember(builder, &builder->dropped, "limits of forces (\"effort\": \"file\" applies them)", "", NULL);
  for (size_t j = 0; j < mjcf->joint_count && builder->key; j++)
    if (mjcf->joints[j].held)
      dc_mjcf_remember(builder, &builder->dropped, "start by the keyframe, as an equality holds the body, of joint",
                       dc_mjcf_called(builder, mjcf->joints[j].name, mjcf->joints[j].node), mjcf->joints[j].node);
  for (size_t b = 0; b < mjcf->body_count; b++)
    if (mjcf->bodies[b].mocap)
      dc_mjcf_remember(builder, &builder->dropped, "motion of mocap body",
                       dc_mjcf_called(builder, mjcf->bodies[b].name, mjcf->bodies[b].node), mjcf->bodies[b].node);
}
