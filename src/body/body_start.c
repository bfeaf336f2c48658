// SPDX-License-Identifier: Apache-2.0
// The start of a body's coordinates and their velocities, and its actuator.
//
// Numbers of a definition are given for slides and hinges in their order; a free body starts in its pose, a ball
// unturned. A follower of a coupling gets its start later, from its leader (coupling.c).
#include <math.h>
#include <string.h>

#include "body/body_build.h"
#include "math/vector.h"

// A coordinate with a range must start inside; a start at an end is moved in by DC_START_MARGIN of the range.
static enum dc_status start_coordinate(int i, const struct dc_joint_part *part, double given, double *start,
                                       struct dc_error *error)
{
  double low = part->range[0], high = part->range[1], margin = DC_START_MARGIN * (high - low);
  *start = given;
  if (isinf(low))
    return DC_OK;
  if (given < low || given > high)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].joint_position: %.10g is outside of the range [%.10g, %.10g]", i,
                   given, low, high);
  *start = fmin(fmax(given, low + margin), high - margin);
  return DC_OK;
}

// Sets the start of a body's coordinates and their velocities: given numbers for slides and hinges, poses for free
// bodies, the identity for balls.
enum dc_status dc_body_set_start(struct dc_bodies *bodies, const struct dc_body_definition *definition, int i,
                                 bool follows, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_body *body = &bodies->bodies[i];
  double *q = bodies->initial_q, *velocity = dc_arena_alloc(arena, (size_t)body->nv, sizeof *velocity);
  int scalars = 0, positions = definition->joint_position.count, velocities = definition->joint_velocity.count;
  // Velocities may also be given for every freedom, three for a ball; then the list has nv numbers instead of one for
  // each slide and hinge.
  bool whole = !body->free && velocities == body->nv;
  if (!velocity)
    return dc_out_of_memory_for(error, "%d bodies", bodies->count);
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if (part->kind == DC_PART_TRANSLATION) {
      dc_vec_copy(q + part->q, body->start.position);
    } else if (part->kind == DC_PART_BALL) {
      if (whole)
        memcpy(velocity + (part->v - body->v_offset), definition->joint_velocity.values + (part->v - body->v_offset),
               3 * sizeof *velocity);
      memcpy(q + part->q, body->free ? body->start.quaternion : (double[4]){1, 0, 0, 0}, 4 * sizeof *q);
    } else {
      double given = scalars < positions ? definition->joint_position.values[scalars] : 0;
      enum dc_status status = follows ? DC_OK : start_coordinate(i, part, given, &q[part->q], error);
      if (status)
        return status;
      int at = whole ? part->v - body->v_offset : scalars;
      velocity[part->v - body->v_offset] = at < velocities ? definition->joint_velocity.values[at] : 0;
      scalars++;
    }
  }
  body->start.joint_velocity = velocity;
  if ((positions && positions != scalars) || (velocities && velocities != scalars && !whole))
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].%s: must hold %d numbers, one per slide and hinge (holds %d)", i,
                   positions && positions != scalars ? "joint_position" : "joint_velocity", scalars,
                   positions && positions != scalars ? positions : velocities);
  return DC_OK;
}

// Where an actuator pulls slides and hinges to, or how fast.
static enum dc_status set_targets(struct dc_body *body, const struct dc_pd_definition *pd, bool velocities, int i,
                                  struct dc_error *error)
{
  struct dc_joint_part *parts = (struct dc_joint_part *)body->parts;
  const struct dc_real_list *given = velocities ? &pd->target_velocity : &pd->target;
  int scalars = 0;
  for (int p = 0; p < body->part_count && given->count; p++)
    if (parts[p].kind == DC_PART_SLIDE || parts[p].kind == DC_PART_HINGE) {
      double *target = velocities ? &parts[p].target_velocity : &parts[p].target;
      *target = scalars < given->count ? given->values[scalars] : *target;
      scalars++;
    }
  if (given->count && given->count != scalars)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].pd.%s: must hold %d numbers, one per slide and hinge (holds %d)", i,
                   velocities ? "target_velocity" : "target", scalars, given->count);
  return DC_OK;
}

// Sets the actuator of a body: gains, one number of rotation and length each, or one per coordinate; it takes nv
// actuator coordinates.
enum dc_status dc_body_set_actuator(struct dc_bodies *bodies, const struct dc_body_definition *definition, int i,
                                    struct dc_arena *arena, struct dc_error *error)
{
  struct dc_body *body = &bodies->bodies[i];
  if (!definition->pd)
    return DC_OK;
  enum dc_status status = set_targets(body, definition->pd, false, i, error);
  if (status || (status = set_targets(body, definition->pd, true, i, error)))
    return status;
  struct dc_pd_definition *pd = dc_arena_alloc(arena, 1, sizeof *pd);
  if (!pd)
    return dc_out_of_memory_for(error, "%d bodies", bodies->count);
  *pd = *definition->pd;
  const struct dc_real_list *lists[] = {&pd->kp_each, &pd->kd_each};
  for (int k = 0; k < 2; k++)
    if (lists[k]->count && lists[k]->count != body->nv)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].pd.%s: must hold one number for each of the %d coordinates", i,
                     k ? "kd_each" : "kp_each", body->nv);
  dc_pd_settle(pd, body);
  body->pd = pd;
  body->actuator = bodies->actuator_count;
  bodies->actuator_count += body->nv;
  return DC_OK;
}
