// SPDX-License-Identifier: Apache-2.0
// Fixed tendons of several joints of an MJCF model as tendons of the scene, and the servos on them.
//
// A tendon has the length L = sum of c_i q_i.  Coordinates of the scene are the file's less their references, so that
// its lengths are smaller by sum of c_i ref_i.  An actuator of gear g on it pulls with
//     g (gain u + b0 + b1 g L + b2 g v) = -k (L - r) - d v,   k = -b1 g^2,   d = -b2 g^2,   r = g (gain u + b0)/k,
// which is a tendon of its own: spring and damper, with the actuator's limit.  Where k is 0, what is left of its force
// at rest is one on the joints (mjcf_servos.c).
#include <math.h>

#include "io/robot/mjcf_build.h"

// How far lengths at the start may be outside of a range, m or rad, as scenes have it.
static const double ROUNDING = 1e-9;

// sum of c_i ref_i
static double reference_of(const struct dc_mjcf *mjcf, const struct dc_mjcf_tendon *tendon)
{
  double sum = 0;
  for (int k = 0; k < tendon->count; k++)
    sum += tendon->coefficients[k] * mjcf->joints[tendon->joints[k]].ref;
  return sum;
}

// Where the scene will have a joint at the start: within its range, a follower where its leader has it.
static double start_at(const struct dc_mjcf_builder *builder, int j)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const struct dc_mjcf_joint *joint = &mjcf->joints[j];
  for (size_t e = 0; e < mjcf->coupling_count; e++) {
    const struct dc_mjcf_coupling *own = &mjcf->couplings[e];
    if (own->joints[0] != j || own->joints[1] < 0)
      continue;
    double x = dc_mjcf_wanted_start(builder, own->joints[1]);
    const double *a = own->polynomial;
    return a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
  }
  double start = dc_mjcf_wanted_start(builder, j);
  return joint->limited ? fmin(fmax(start, joint->stops[0] - joint->ref), joint->stops[1] - joint->ref) : start;
}

// A tendon of the scene with its joints; NULL: a joint has no body there.
static cJSON *begin(struct dc_mjcf_builder *builder, const struct dc_mjcf_tendon *tendon,
                    const struct dc_mjcf_node *node, int *place)
{
  cJSON *root = builder->base.document->root;
  int coordinate;
  for (int k = 0; k < tendon->count; k++)
    if (!dc_mjcf_find_coordinate(builder, tendon->joints[k], &coordinate))
      return NULL;
  cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "tendons");
  if (!list)
    list = dc_urdf_put(&builder->base, root, "tendons", cJSON_CreateArray(), builder->base.at->valueint);
  *place = dc_mjcf_place(builder, node);
  cJSON *made = dc_urdf_put(&builder->base, list, NULL, cJSON_CreateObject(), *place);
  cJSON *joints = dc_urdf_put(&builder->base, made, "joints", cJSON_CreateArray(), *place);
  for (int k = 0; k < tendon->count; k++) {
    cJSON *joint = dc_urdf_put(&builder->base, joints, NULL, cJSON_CreateObject(), *place);
    const char *name = dc_mjcf_find_coordinate(builder, tendon->joints[k], &coordinate);
    dc_urdf_put_string(&builder->base, joint, "body", name, *place);
    if (coordinate > 0)
      dc_urdf_put_number(&builder->base, joint, "coordinate", coordinate, *place);
    dc_urdf_put_number(&builder->base, joint, "factor", tendon->coefficients[k], *place);
  }
  return made;
}

// A range that the start is outside of would throw the joints into it, and is left out by name.
static void put_range(struct dc_mjcf_builder *builder, const struct dc_mjcf_tendon *tendon, cJSON *made, int place)
{
  double reference = reference_of(builder->mjcf, tendon), length = 0;
  double range[2] = {tendon->pull.range[0] - reference, tendon->pull.range[1] - reference};
  for (int k = 0; k < tendon->count; k++)
    length += tendon->coefficients[k] * start_at(builder, tendon->joints[k]);
  if (length >= range[0] - ROUNDING && length <= range[1] + ROUNDING)
    dc_urdf_put_numbers(&builder->base, made, "range", range, 2, place);
  else
    dc_mjcf_remember(builder, &builder->forces, "range, which the start is outside of, of tendon",
                     dc_mjcf_called(builder, tendon->name, tendon->node), tendon->node);
}

static void put_pull(struct dc_mjcf_builder *builder, const struct dc_mjcf_tendon *tendon)
{
  const struct dc_mjcf_pull *pull = &tendon->pull;
  struct dc_urdf_builder *base = &builder->base;
  double reference = reference_of(builder->mjcf, tendon),
         rest[2] = {pull->rest[0] - reference, pull->rest[1] - reference};
  int place;
  cJSON *made = begin(builder, tendon, tendon->node, &place);
  if (!made) {
    dc_mjcf_remember(builder, &builder->forces, "tendon over a body without mass",
                     dc_mjcf_called(builder, tendon->name, tendon->node), tendon->node);
    return;
  }
  if (pull->stiffness > 0) {
    dc_urdf_put_number(base, made, "stiffness", pull->stiffness, place);
    dc_urdf_put_numbers(base, made, "rest", rest, 2, place);
  }
  if (pull->damping > 0)
    dc_urdf_put_number(base, made, "damping", pull->damping, place);
  if (pull->friction > 0)
    dc_urdf_put_number(base, made, "dry_friction", pull->friction, place);
  if (pull->ranged)
    put_range(builder, tendon, made, place);
}

static void put_servo(struct dc_mjcf_builder *builder, size_t a)
{
  const struct dc_mjcf_actuator *actuator = &builder->mjcf->actuators[a];
  const struct dc_mjcf_tendon *tendon = &builder->mjcf->tendons[actuator->tendon];
  struct dc_urdf_builder *base = &builder->base;
  double gear = actuator->gear[0], kp = -actuator->bias[1] * gear * gear, kd = -actuator->bias[2] * gear * gear;
  double force = gear * (actuator->gain * dc_mjcf_control(builder, a) + actuator->bias[0]);
  double limit = fmax(fabs(actuator->force[0]), fabs(actuator->force[1])) * fabs(gear);
  int place;
  cJSON *made = begin(builder, tendon, actuator->node, &place);
  if (!made) {
    dc_mjcf_remember(builder, &builder->forces, "actuator of a tendon over a body without mass",
                     dc_mjcf_called(builder, actuator->name, actuator->node), actuator->node);
    return;
  }
  if (kp > 0) {
    double rest = force / kp - reference_of(builder->mjcf, tendon);
    dc_urdf_put_number(base, made, "stiffness", kp, place);
    dc_urdf_put_numbers(base, made, "rest", (double[2]){rest, rest}, 2, place);
  }
  if (kd > 0)
    dc_urdf_put_number(base, made, "damping", kd, place);
  if (isfinite(limit) && limit > 0 && builder->use->common.effort)
    dc_urdf_put_number(base, made, "effort", limit, place);
}

void dc_mjcf_put_tendons(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  for (size_t t = 0; t < mjcf->tendon_count && !builder->base.failed; t++)
    if (mjcf->tendons[t].pull.acts)
      put_pull(builder, &mjcf->tendons[t]);
  for (size_t a = 0; a < mjcf->actuator_count && !builder->base.failed; a++)
    if (dc_mjcf_is_tendon_servo(mjcf, &mjcf->actuators[a]))
      put_servo(builder, a);
}
