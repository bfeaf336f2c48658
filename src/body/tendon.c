// SPDX-License-Identifier: Apache-2.0
// Tendons over joints: options and rules.
#include "body/tendon.h"

#include <math.h>

#include "body/body.h"

static const struct dc_option joint_options[] = {
    DC_BODY_OPTION(struct dc_tendon_joint, body, NULL, "name of a body whose joint it runs over"),
    DC_INTEGER_OPTION(struct dc_tendon_joint, coordinate, "0", 0, 100,
                      "which of the slides and hinges of the body's joint, outermost first"),
    DC_REAL_OPTION(struct dc_tendon_joint, factor, "", "1", -1e6, 1e6,
                   "of the joint's coordinate in the length of the tendon"),
    DC_OPTIONS_END,
};

const struct dc_option dc_tendon_options[] = {
    DC_OBJECT_LIST_OPTION(struct dc_tendon, joints, NULL, DC_TENDON_JOINTS, joint_options, struct dc_tendon_joint,
                          "the joints that it runs over; its length is the sum of their coordinates times factors"),
    DC_REAL_OPTION(struct dc_tendon, stiffness, "J/m^2 or J/rad^2", "0", 0, 1e12, "of its spring"),
    DC_REALS_OPTION(struct dc_tendon, rest, "m or rad", "[0, 0]", 2, -1e6, 1e6,
                    "lengths between which the spring is slack, the lower one first"),
    DC_REAL_OPTION(struct dc_tendon, damping, "N s/m or N m s/rad", "0", 0, 1e12,
                   "force along it over the velocity of its length"),
    DC_REAL_OPTION(struct dc_tendon, dry_friction, "N or N m", "0", 0, 1e12,
                   "force along it against any motion of its length"),
    DC_POSITIVE_OPTION(struct dc_tendon, effort, "N or N m", "null", 1e12,
                       "limit of the force of spring and damping together; none when absent"),
    DC_REALS_OPTION(struct dc_tendon, range, "m or rad", "null", 2, -1e6, 1e6,
                    "of its length, the lower end first; stiff springs hold it there"),
    DC_OPTIONS_END,
};

const struct dc_joint_part *dc_tendon_part(const struct dc_bodies *bodies, const struct dc_tendon_joint *joint)
{
  const struct dc_body *body = &bodies->bodies[joint->body];
  long left = joint->coordinate;
  for (int p = 0; p < body->part_count; p++) {
    bool scalar = body->parts[p].kind == DC_PART_SLIDE || body->parts[p].kind == DC_PART_HINGE;
    if (scalar && left-- == 0)
      return &body->parts[p];
  }
  return NULL;
}

double dc_tendon_turned(const struct dc_tendon *tendon, double rest[2], double range[2])
{
  bool turned = tendon->rest[1] < 0;
  double sign = turned ? -1 : 1;
  for (int k = 0; k < 2; k++) {
    rest[k] = sign * tendon->rest[turned ? 1 - k : k];
    range[k] = sign * tendon->range[turned ? 1 - k : k];
  }
  return sign;
}

// Its length at the start.
static double length_at_start(const struct dc_bodies *bodies, const struct dc_tendon *tendon)
{
  const struct dc_tendon_joint *joints = tendon->joints.objects;
  double length = 0;
  for (int k = 0; k < tendon->joints.count; k++)
    length += joints[k].factor * bodies->initial_q[dc_tendon_part(bodies, &joints[k])->q];
  return length;
}

// Every joint has a coordinate of that number, and stands once.
static enum dc_status check_joints(const struct dc_bodies *bodies, int index, const struct dc_tendon *tendon,
                                   struct dc_error *error)
{
  const struct dc_tendon_joint *joints = tendon->joints.objects;
  for (int k = 0; k < tendon->joints.count; k++) {
    if (joints[k].body < 0 || joints[k].body >= bodies->count)
      return dc_fail(error, DC_BAD_INPUT, "tendons[%d].joints[%d].body: must name a body", index, k);
    const struct dc_body *body = &bodies->bodies[joints[k].body];
    if (!dc_tendon_part(bodies, &joints[k]))
      return dc_fail(error, DC_BAD_INPUT,
                     "tendons[%d].joints[%d].coordinate: \"%.255s\" (%s) has no slide or hinge of that number", index,
                     k, body->name, body->joint_name);
    for (int i = 0; i < k; i++)
      if (joints[i].body == joints[k].body && joints[i].coordinate == joints[k].coordinate)
        return dc_fail(error, DC_BAD_INPUT, "tendons[%d].joints[%d]: stands there twice", index, k);
  }
  return DC_OK;
}

// Beside the options' bounds: ends in their order, and a start within the range, whose ends hold the tendon like walls.
enum dc_status dc_tendons_check(const struct dc_bodies *bodies, int count, const struct dc_tendon *tendons,
                                struct dc_error *error)
{
  for (int k = 0; k < count; k++) {
    const struct dc_tendon *tendon = &tendons[k];
    enum dc_status status = check_joints(bodies, k, tendon, error);
    if (status)
      return status;
    if (tendon->joints.count < 1)
      return dc_fail(error, DC_BAD_INPUT, "tendons[%d].joints: must name a joint", k);
    if (!(tendon->rest[0] <= tendon->rest[1]))
      return dc_fail(error, DC_BAD_INPUT, "tendons[%d].rest: the lower one must come first", k);
    if (tendon->effort > 0 && tendon->rest[0] != tendon->rest[1])
      return dc_fail(error, DC_BAD_INPUT, "tendons[%d].effort: is for springs that are slack at one length", k);
    if (isnan(tendon->range[0]))
      continue;
    double length = length_at_start(bodies, tendon);
    if (!(tendon->range[0] < tendon->range[1]))
      return dc_fail(error, DC_BAD_INPUT, "tendons[%d].range: the lower end must come first", k);
    if (length < tendon->range[0] - 1e-9 || length > tendon->range[1] + 1e-9)
      return dc_fail(error, DC_BAD_INPUT, "tendons[%d].range: must hold the length at the start (%.10g)", k, length);
  }
  return DC_OK;
}
