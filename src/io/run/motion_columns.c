// SPDX-License-Identifier: Apache-2.0
// Columns in the order of bodies, of the parts of a body's joint, and of the numbers of a part.  A body is listed when
// it has a joint; a free body only when it has actuators or carries other bodies, as its pose says everything
// otherwise.
#include "io/run/motion_columns.h"

#include <stdio.h>

const char *dc_motion_name(enum dc_motion motion)
{
  static const char *const names[DC_MOTIONS] = {"q", "qd", "torque", "target"};
  return names[motion];
}

// Whether a body has columns.  A free body has them only with actuators or as the parent of others: position
// and rotation of every body are stored beside, and would be repeated.
static bool is_listed(const struct dc_bodies *bodies, int index)
{
  const struct dc_body *body = &bodies->bodies[index];
  if (!body->free || body->pd)
    return body->nq > 0;
  for (int b = 0; b < bodies->count; b++)
    if (bodies->bodies[b].parent == index)
      return true;
  return false;
}

// The unit of a number by the kind of its part: lengths for translations and slides, angles for hinges and
// balls.  Coordinates q of a ball are a unit quaternion, without a unit.
static const char *unit_of(enum dc_motion motion, enum dc_part_kind kind)
{
  static const char *const units[DC_MOTIONS][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}, {"m", "rad"}};
  if (motion == DC_MOTION_Q && kind == DC_PART_BALL)
    return "1";
  return units[motion][kind == DC_PART_HINGE || kind == DC_PART_BALL];
}

// Lists the columns of a table of motion, the coordinates of all listed bodies, joint part by joint part, and
// returns their count; columns NULL: only counts.  The index `at` goes into q, into v (qd and torque), or into
// the actuators' coordinates (targets).
int dc_motion_columns(const struct dc_bodies *bodies, enum dc_motion motion, struct dc_motion_column *columns)
{
  int count = 0;
  for (int b = 0; b < bodies->count; b++) {
    const struct dc_body *body = &bodies->bodies[b];
    if (!is_listed(bodies, b) || (motion == DC_MOTION_TARGET && !body->pd))
      continue;
    for (int p = 0, number = 0; p < body->part_count; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      int n = motion == DC_MOTION_Q ? dc_part_nq(part) : dc_part_nv(part);
      for (int k = 0; k < n; k++, number++, count++) {
        if (!columns)
          continue;
        int at = motion == DC_MOTION_Q        ? part->q + k
                 : motion == DC_MOTION_TARGET ? body->actuator + part->v - body->v_offset + k
                                              : part->v + k;
        columns[count] = (struct dc_motion_column){.body = b,
                                                   .number = number,
                                                   .count = motion == DC_MOTION_Q ? body->nq : body->nv,
                                                   .at = at,
                                                   .part = part->kind == DC_PART_BALL ? NULL : part,
                                                   .component = k,
                                                   .unit = unit_of(motion, part->kind)};
      }
    }
  }
  return count;
}

void dc_motion_column_name(const struct dc_bodies *bodies, const struct dc_motion_column *column, char *text,
                           size_t size)
{
  const char *name = bodies->bodies[column->body].name;
  if (column->count == 1)
    snprintf(text, size, "%s", name);
  else
    snprintf(text, size, "%s.%d", name, column->number);
}
