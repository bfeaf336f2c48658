// SPDX-License-Identifier: Apache-2.0
// Joints whose coordinates trajectory.h5 holds, one data set a body.  A free body has none: its pose says all.
// Widths are numbers of coordinates q, so that a ball has four, those of its quaternion, in the unit "1".
#include <stdlib.h>

#include "io/run/h5_file.h"
#include "io/run/trajectory_h5.h"

bool dc_h5_has_joint_numbers(const struct dc_body *body)
{
  return body->nq > 0 && !body->free;
}

void dc_h5_joint_units(const struct dc_body *body, const char **units)
{
  for (int p = 0, count = 0; p < body->part_count; p++) {
    enum dc_part_kind kind = body->parts[p].kind;
    for (int i = 0; i < dc_part_nq(&body->parts[p]); i++)
      units[count++] = kind == DC_PART_HINGE ? "rad" : kind == DC_PART_BALL ? "1" : "m";
  }
}

static enum dc_status describe_joint(const struct dc_body *body, int index, struct dc_stored_trajectory *trajectory)
{
  struct dc_stored_joint *joint = &trajectory->joints[trajectory->joint_count++];
  char *link = dc_h5_link_name(body->name);
  *joint = (struct dc_stored_joint){.body = index, .width = body->nq};
  joint->units = dc_arena_alloc(trajectory->arena, (size_t)body->nq, sizeof *joint->units);
  joint->link = link ? dc_arena_strdup(trajectory->arena, link) : NULL;
  free(link);
  if (!joint->link || !joint->units)
    return DC_MEMORY;
  dc_h5_joint_units(body, joint->units);
  return DC_OK;
}

enum dc_status dc_h5_describe_joints(const struct dc_bodies *bodies, struct dc_stored_trajectory *trajectory)
{
  enum dc_status status = DC_OK;
  trajectory->joints = dc_arena_alloc(trajectory->arena, (size_t)bodies->count, sizeof *trajectory->joints);
  if (!trajectory->joints)
    return DC_MEMORY;
  for (int b = 0; b < bodies->count && !status; b++)
    if (dc_h5_has_joint_numbers(&bodies->bodies[b]))
      status = describe_joint(&bodies->bodies[b], b, trajectory);
  return status;
}
