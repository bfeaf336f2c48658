// SPDX-License-Identifier: Apache-2.0
// Actuators of an MJCF model as those of bodies.
//
// An actuator's force is gear (gain u + b0 + b1 gear q + b2 gear v), q the file's coordinate.  So -b1 gear^2 is the
// gain kp of "pd", and -b2 gear^2 is kd.  With u the control of the keyframe (0 without), gear (gain u + b0) is kp
// times the target; where kp is 0 it is kd times the target velocity, and where both are 0 a constant force, within the
// limits of the actuator and of the joint.
#include <math.h>
#include <string.h>

#include "io/robot/mjcf_build.h"

// The limit of an actuator's force on its joint; 0: none.  A motor's is that of its control as well.
double dc_mjcf_effort(const struct dc_mjcf_actuator *actuator)
{
  double effort = fmax(fabs(actuator->force[0]), fabs(actuator->force[1]));
  if (!actuator->affine)
    effort = fmin(effort, fabs(actuator->gain) * fmax(fabs(actuator->control[0]), fabs(actuator->control[1])));
  return isfinite(effort) ? effort * fabs(actuator->gear[0]) : 0;
}

// The control at the start: the keyframe's, within the actuator's limits; 0 where it is filtered or integrated.
double dc_mjcf_control(const struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf_actuator *actuator = &builder->mjcf->actuators[a];
  double control = builder->key && builder->key->ctrl ? builder->key->ctrl[a] : 0;
  return actuator->follows ? 0 : fmin(fmax(control, actuator->control[0]), actuator->control[1]);
}

// Whether the force of an actuator is what its control says, however the joint moves.
bool dc_mjcf_is_steady(const struct dc_mjcf_actuator *actuator)
{
  return actuator->bias[1] == 0 && actuator->bias[2] == 0;
}

// By how much a force of the actuator acts on a joint: its gear, of a tendon of several joints times its coefficient.
double dc_mjcf_arm(const struct dc_mjcf *mjcf, const struct dc_mjcf_actuator *actuator, int joint)
{
  if (actuator->joint >= 0)
    return actuator->joint == joint ? actuator->gear[0] : 0;
  const struct dc_mjcf_tendon *tendon = actuator->tendon >= 0 ? &mjcf->tendons[actuator->tendon] : NULL;
  double arm = 0;
  for (int k = 0; tendon && k < tendon->count; k++)
    arm += tendon->joints[k] == joint ? actuator->gear[0] * tendon->coefficients[k] : 0;
  return arm;
}

// One with a limit and no gain on lengths is none: what its control asks for is limited together with its damping.
bool dc_mjcf_is_tendon_servo(const struct dc_mjcf *mjcf, const struct dc_mjcf_actuator *actuator)
{
  const struct dc_mjcf_tendon *tendon = actuator->tendon >= 0 ? &mjcf->tendons[actuator->tendon] : NULL;
  if (actuator->off || !actuator->simple || !actuator->affine || actuator->joint >= 0 || !tendon || !tendon->fixed)
    return false;
  for (int k = 0; k < tendon->count; k++)
    if (mjcf->joints[tendon->joints[k]].held)
      return false;
  bool limited = isfinite(actuator->force[0]) || isfinite(actuator->force[1]);
  bool pulls = actuator->bias[1] < 0 || (actuator->bias[1] == 0 && actuator->bias[2] < 0 && !limited);
  return tendon->count > 0 && pulls && actuator->bias[2] <= 0 && actuator->gear[0] != 0;
}

static double within(double number, const double range[2])
{
  return fmin(fmax(number, range[0]), range[1]);
}

// gain u + b0, within the limits of a steady force.
static double offset_of(const struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf_actuator *actuator = &builder->mjcf->actuators[a];
  double offset = actuator->gain * dc_mjcf_control(builder, a) + actuator->bias[0];
  return dc_mjcf_is_steady(actuator) ? within(offset, actuator->force) : offset;
}

// Sums what the actuators do to one joint: gains, constant force, and the limit of their efforts.  An actuator
// on a tendon of several joints contributes its constant force by the joint's coefficient, but no gains.  One
// without a limit, unless it is a constant, makes the joint unlimited; the joint's own "actuatorfrcrange" is a
// limit in any case.  A gain that would push away (a positive bias) counts as 0 and is named by
// check_actuator().
struct dc_mjcf_gains dc_mjcf_find_gains(const struct dc_mjcf_builder *builder, int joint)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  struct dc_mjcf_gains gains = {0};
  bool unlimited = false;
  for (size_t a = 0; a < mjcf->actuator_count; a++) {
    const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
    double gear = dc_mjcf_arm(mjcf, actuator, joint), control = dc_mjcf_control(builder, a);
    if (gear == 0 || actuator->off || !actuator->simple)
      continue;
    bool along = dc_mjcf_is_tendon_servo(mjcf, actuator) && actuator->bias[1] != 0;
    gains.force += along ? 0 : gear * offset_of(builder, a);  // the others' is in their spring
    gains.controlled |= control != 0 || actuator->bias[0] != 0;
    if (actuator->joint != joint)
      continue;
    bool constant = actuator->gain == 0 && dc_mjcf_is_steady(actuator);
    unlimited |= !constant && dc_mjcf_effort(actuator) == 0;
    gains.effort += dc_mjcf_effort(actuator);
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

// Whether a coupling makes a joint follow another.
bool dc_mjcf_follows(const struct dc_mjcf *mjcf, int joint)
{
  for (size_t e = 0; e < mjcf->coupling_count; e++)
    if (mjcf->couplings[e].joints[0] == joint && mjcf->couplings[e].joints[1] >= 0)
      return true;
  return false;
}

// The one limit of an actuator of several joints is the least of those that it drives: all of them with "pd" of the
// include, those with gains otherwise.  Limits that are not alike are named.
static void put_effort(struct dc_mjcf_builder *builder, cJSON *pd, int count, const int *joints,
                       const struct dc_mjcf_gains *gains, int place)
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
static void put_effort_limit(struct dc_mjcf_builder *builder, cJSON *body, int count, const struct dc_mjcf_gains *gains,
                             int place)
{
  bool alike = builder->use->common.effort && gains[0].effort > 0;
  for (int k = 1; k < count; k++)
    alike = alike && gains[k].effort == gains[0].effort;
  if (alike)
    dc_urdf_put_number(&builder->base, body, "effort_limit", gains[0].effort, place);
}

// Where servos pull to: coordinates here are the file's less ref.  One that the include's start moves holds that,
// unless the file controls it.
static void put_targets(struct dc_mjcf_builder *builder, cJSON *pd, int count, const int *joints,
                        const struct dc_mjcf_gains *gains, int place)
{
  double targets[DC_MJCF_MOST_JOINTS];
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
static void put_target_velocities(struct dc_mjcf_builder *builder, cJSON *pd, int count,
                                  const struct dc_mjcf_gains *gains, int place)
{
  double velocities[DC_MJCF_MOST_JOINTS];
  bool any = false;
  for (int k = 0; k < count; k++) {
    velocities[k] = gains[k].kp == 0 && gains[k].kd > 0 ? gains[k].force / gains[k].kd : 0;
    any |= velocities[k] != 0;
  }
  if (any)
    dc_urdf_put_numbers(&builder->base, pd, "target_velocity", velocities, count, place);
}

// Gains of joints of one kind that are not alike; 0: passive.
static void put_gains(struct dc_mjcf_builder *builder, cJSON *pd, int count, const struct dc_mjcf_gains *gains,
                      int place)
{
  double kp[DC_MJCF_MOST_JOINTS], kd[DC_MJCF_MOST_JOINTS];
  for (int k = 0; k < count; k++) {
    kp[k] = gains[k].kp;
    kd[k] = gains[k].kd;
  }
  dc_urdf_put_numbers(&builder->base, pd, "kp_each", kp, count, place);
  dc_urdf_put_numbers(&builder->base, pd, "kd_each", kd, count, place);
}

// One actuator for the whole body: that of its slides and that of its hinges.
void dc_mjcf_put_actuators(struct dc_mjcf_builder *builder, cJSON *body, int count, const int *joints,
                           const struct dc_mjcf_gains *gains, int place)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  struct dc_mjcf_gains kinds[2] = {{0}};  // slides, hinges
  int seen[2] = {0};
  bool unlike = false, scalar = true;
  for (int k = 0; k < count; k++) {
    int kind = mjcf->joints[joints[k]].type == DC_MJCF_HINGE;
    struct dc_mjcf_gains *most = &kinds[kind];
    scalar &= dc_mjcf_is_scalar(&mjcf->joints[joints[k]]);
    unlike |= seen[kind]++ && (gains[k].kp != most->kp || gains[k].kd != most->kd);
    most->given |= gains[k].given;
    most->kp = fmax(most->kp, gains[k].kp);
    most->kd = fmax(most->kd, gains[k].kd);
  }
  if (count == 0 || !scalar)
    return;
  put_effort_limit(builder, body, count, gains, place);
  if (builder->use->common.pd) {
    if (count == 1 && dc_mjcf_follows(mjcf, joints[0]))
      return;
    cJSON *copied = cJSON_Duplicate(builder->use->common.pd, true);
    cJSON *pd = dc_urdf_put(&builder->base, body, "pd", copied, builder->use->common.pd->valueint);
    put_effort(builder, pd, count, joints, gains, place);
    return;
  }
  if (!kinds[0].given && !kinds[1].given)
    return;
  cJSON *pd = dc_urdf_put(&builder->base, body, "pd", cJSON_CreateObject(), place);
  const struct dc_mjcf_gains *lengths = seen[0] ? &kinds[0] : &kinds[1];
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
