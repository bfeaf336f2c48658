// SPDX-License-Identifier: Apache-2.0
// Parts of an MJCF model that nothing here corresponds to, remembered by name and line for notes and refusals.
//
// Three lists: `refused`, parts that the model would lack; `forces`, forces that it would lack; `dropped`, details
// that are not applied.  The option "unsupported" of the include says which of the first two are errors and which are
// notes; the third are notes always.
#include <math.h>
#include <string.h>

#include "io/robot/mjcf_build.h"

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
  return known && !pulls && dc_mjcf_control(builder, a) == 0;
}

// Whether a position or velocity along a tendon of several joints pulls on them.
static bool is_servo(const struct dc_mjcf_actuator *actuator)
{
  return actuator->affine && (actuator->bias[1] != 0 || actuator->bias[2] != 0);
}

// Whether limits of forces are not alike in both directions; a steady force obeys them as they are.
static bool is_uneven(const struct dc_mjcf_actuator *actuator)
{
  const double *range =
      dc_mjcf_is_steady(actuator) && !isfinite(actuator->force[0]) ? actuator->control : actuator->force;
  return range[0] != -range[1];
}

// Limits that act otherwise than the file has them: uneven ones, and those of several actuators on one joint.
static void check_limits(struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
  bool shares = false;
  if (!builder->use->common.effort || dc_mjcf_effort(actuator) == 0)
    return;
  for (size_t k = 0; k < mjcf->actuator_count; k++)
    shares |= k != a && !mjcf->actuators[k].off && dc_mjcf_arm(mjcf, &mjcf->actuators[k], actuator->joint) != 0;
  if (is_uneven(actuator))
    name_actuator(builder, actuator,
                  "limits of forces that are not alike in both directions, the greater holds in both,",
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
  bool scalar = actuator->joint >= 0 && dc_mjcf_is_scalar(&mjcf->joints[actuator->joint]);
  if (actuator->joint >= 0 && mjcf->joints[actuator->joint].held)
    name_actuator(builder, actuator, "actuator of a joint that an equality holds:", &builder->dropped);
  else if (tendon && tendon->fixed && !scalar && actuator->simple &&
           (!is_servo(actuator) || dc_mjcf_is_tendon_servo(mjcf, actuator)))
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
  else if (dc_mjcf_is_tendon_servo(mjcf, actuator) && is_uneven(actuator) && builder->use->common.effort)
    name_actuator(builder, actuator,
                  "limits of forces that are not alike in both directions, the greater holds in both,",
                  &builder->dropped);
  if (scalar && actuator->affine && actuator->simple && (actuator->bias[1] > 0 || actuator->bias[2] > 0))
    name_actuator(builder, actuator, "force that grows with position or speed of", &builder->dropped);
}

// The keyframe of an aligned free joint starts the axes of inertia of its body, which here starts as the file has it.
static void check_aligned(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  for (size_t j = 0; j < mjcf->joint_count; j++) {
    const struct dc_mjcf_joint *joint = &mjcf->joints[j];
    bool alone = joint->aligned && (builder->key->qpos || builder->key->qvel);
    for (size_t b = 0; b < mjcf->body_count && alone; b++)
      alone = b == 0 || mjcf->bodies[b].parent != joint->body;
    if (alone)
      dc_mjcf_remember(builder, &builder->dropped,
                       "start in the axes of inertia by the keyframe, of aligned free joint",
                       dc_mjcf_called(builder, joint->name, joint->node), joint->node);
  }
}

// A joint that an equality locks elsewhere than it starts, or that would start with a speed.
static void check_locked(struct dc_mjcf_builder *builder, const struct dc_mjcf_joint *joint)
{
  const struct dc_mjcf_key *key = builder->key;
  double place = key && key->qpos ? key->qpos[joint->qpos] - joint->ref : 0;
  if (fabs(place - joint->locked_at) > 1e-6 || (key && key->qvel && key->qvel[joint->dof] != 0))
    dc_mjcf_remember(builder, &builder->dropped, "start or starting speed, as an equality locks it, of joint",
                     dc_mjcf_called(builder, joint->name, joint->node), joint->node);
}

// A limit of all forces on a joint that is not alike in both directions, where a servo acts there, or that does not see
// what a servo on a tendon does: steady forces obey it as it is.
static void check_joint_limit(struct dc_mjcf_builder *builder, int j)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_joint *joint = &mjcf->joints[j];
  bool served = false, pulled = false;
  for (size_t a = 0; a < mjcf->actuator_count; a++) {
    const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
    served |= !actuator->off && !dc_mjcf_is_steady(actuator) && dc_mjcf_arm(mjcf, actuator, j) != 0;
    pulled |= dc_mjcf_is_tendon_servo(mjcf, actuator) && dc_mjcf_arm(mjcf, actuator, j) != 0;
  }
  if (pulled && isfinite(joint->force))
    dc_mjcf_remember(builder, &builder->dropped, "limit of forces, for those along tendons, of joint",
                     dc_mjcf_called(builder, joint->name, joint->node), joint->node);
  if (served && isfinite(joint->force) && joint->forces[0] != -joint->forces[1] && builder->use->common.effort)
    dc_mjcf_remember(builder, &builder->dropped,
                     "limit of forces that is not alike in both directions, the greater holds in both, of joint",
                     dc_mjcf_called(builder, joint->name, joint->node), joint->node);
}

// Names everything that nothing corresponds to: what the model would lack (soft bodies, equalities of bodies), and its
// forces, as springs and ranges of tendons and actuators that pull at the start.  Actuators that are forces on slides
// and hinges, or gains on their coordinates and velocities, act; others are left out with a note.
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
  for (size_t m = 0; m < mjcf->assets.mesh_count; m++)
    if (mjcf->assets.meshes[m].partial && mjcf->assets.meshes[m].weighed)
      dc_mjcf_remember(builder, &builder->dropped,
                       "mass of other groups than the first one, which MuJoCo leaves out, too, of mesh",
                       dc_mjcf_called(builder, mjcf->assets.meshes[m].name, mjcf->assets.meshes[m].node),
                       mjcf->assets.meshes[m].node);
  for (size_t p = 0; p < mjcf->pair_count; p++)
    if (mjcf->pairs[p].uneven)
      dc_mjcf_remember(builder, &builder->dropped,
                       "friction in the second direction of a pair, the first holds in all,", "", mjcf->pairs[p].node);
  for (size_t t = 0; t < mjcf->tendon_count; t++)
    if (mjcf->tendons[t].acts)
      name_tendon(builder, &mjcf->tendons[t], mjcf->tendons[t].acts);
  for (size_t a = 0; a < mjcf->actuator_count; a++) {
    const struct dc_mjcf_actuator *actuator = &mjcf->actuators[a];
    limited += !actuator->off && actuator->joint >= 0 && dc_mjcf_effort(actuator) > 0;
    if (!actuator->off)
      check_actuator(builder, a);
  }
  if (limited && !builder->use->common.effort)
    dc_mjcf_remember(builder, &builder->dropped, "limits of forces (\"effort\": \"file\" applies them)", "", NULL);
  if (builder->key)
    check_aligned(builder);
  for (size_t j = 0; j < mjcf->joint_count; j++)
    check_joint_limit(builder, (int)j);
  for (size_t j = 0; j < mjcf->joint_count; j++)
    if (mjcf->joints[j].locked)
      check_locked(builder, &mjcf->joints[j]);
    else if (mjcf->joints[j].held && builder->key)
      dc_mjcf_remember(builder, &builder->dropped, "start by the keyframe, as an equality holds the body, of joint",
                       dc_mjcf_called(builder, mjcf->joints[j].name, mjcf->joints[j].node), mjcf->joints[j].node);
  for (size_t b = 0; b < mjcf->body_count; b++)
    if (mjcf->bodies[b].mocap)
      dc_mjcf_remember(builder, &builder->dropped, "motion of mocap body",
                       dc_mjcf_called(builder, mjcf->bodies[b].name, mjcf->bodies[b].node), mjcf->bodies[b].node);
}
