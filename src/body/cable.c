// SPDX-License-Identifier: Apache-2.0
// Cables: options, rules, construction, lengths, and the pairs of Hessian blocks that they couple.
//
// The length is the sum of the distances between consecutive points; unit vectors along the stretches are its gradient.
#include "body/cable.h"

#include <math.h>

#include "body/body_build.h"
#include "math/vector.h"

const struct dc_option dc_cable_options[] = {
    DC_BODY_LIST_OPTION(
        struct dc_cable_definition, through, NULL, DC_CABLE_POINTS,
        "names of the bodies whose frames it runs through, in order: markers on soft and rigid bodies, or bodies "
        "themselves at their centres of mass"),
    DC_POSITIVE_OPTION(struct dc_cable_definition, stiffness, "N/m", "1e4", 1e12,
                       "tension over the way by which it is longer than it is let to be"),
    DC_POSITIVE_OPTION(struct dc_cable_definition, smoothing, "m", "1e-4", 1e3,
                       "over which way tension sets in: half of stiffness times it where the cable is just straight"),
    DC_POSITIVE_OPTION(struct dc_cable_definition, length, "m", "null", 1e6,
                       "how long it is let to be where its coordinate is 0; its length at the start when absent"),
    DC_OPTIONS_END,
};

// A cable is no body that moves: it has neither joint nor shape, only the points that it runs through.
enum dc_status dc_cable_check(const struct dc_body_definition *definition, int index, struct dc_error *error)
{
  if (definition->soft)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].cable: must not be given for a soft body", index);
  enum dc_status status = dc_jointless_check(definition, index, "cable", error);
  if (!status)
    status = dc_thread_check(definition, index, error);
  if (!status && definition->cable->through.count < 2)
    status = dc_fail(error, DC_BAD_INPUT, "bodies[%d].cable.through: must name at least two bodies", index);
  return status;
}

// A scan over the cables: scenes have few.
const struct dc_cable *dc_cable_of(const struct dc_bodies *bodies, int body)
{
  for (int c = 0; c < bodies->cable_count; c++)
    if (bodies->cables[c].body == body)
      return &bodies->cables[c];
  return NULL;
}

// The length now, with unit vectors along [count - 1] and lengths [count - 1] of the stretches between its
// points.
double dc_cable_stretches(const struct dc_cable *cable, const struct dc_pose *poses, double (*along)[3],
                          double *lengths)
{
  double sum = 0;
  for (int k = 0; k + 1 < cable->count; k++) {
    dc_vec_sub(along[k], poses[cable->through[k + 1]].position, poses[cable->through[k]].position);
    lengths[k] = dc_vec_norm(along[k]);
    dc_vec_scale(along[k], along[k], 1 / lengths[k]);
    sum += lengths[k];
  }
  return sum;
}

// A cable changes its length only if its points belong to different rigid groups, one of which moves.
static bool can_pull(const struct dc_bodies *bodies, const struct dc_cable *cable)
{
  int group = -1;
  for (int k = 0; k < cable->count; k++) {
    int body = cable->through[k],
        own = cable->supports[k] || dc_body_moves(&bodies->bodies[body]) ? bodies->group[body] : -1;
    if (cable->supports[k] || (k > 0 && own != group))
      return true;
    group = own;
  }
  return false;
}

// Checks a cable's points and sets its length: the one given, or that of the start.  Points must be apart at the
// start, because the gradient of the length is a unit vector along each stretch.
static enum dc_status build_cable(struct dc_bodies *bodies, const struct dc_cable_definition *given,
                                  struct dc_cable *cable, struct dc_arena *arena, struct dc_error *error)
{
  int count = given->through.count;
  int *through = dc_arena_alloc(arena, (size_t)count, sizeof *through);
  cable->supports = dc_arena_alloc(arena, (size_t)count, sizeof *cable->supports);
  if (!through || !cable->supports)
    return dc_out_of_memory_for(error, "a cable");
  cable->count = count;
  cable->through = through;
  cable->stiffness = given->stiffness;
  cable->smoothing = given->smoothing;
  for (int k = 0; k < count; k++) {
    const struct dc_body *body = &bodies->bodies[given->through.indices[k]];
    through[k] = given->through.indices[k];
    cable->supports[k] = dc_support_of(bodies, through[k]);
    if (through[k] == cable->body)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].cable.through[%d]: must not be the cable itself", cable->body, k);
    if (dc_cable_of(bodies, through[k]))
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].cable.through[%d]: must not be a cable (\"%.255s\" is one)",
                     cable->body, k, body->name);
    if (k == 0)
      continue;
    double length = dc_vec_distance(body->start.position, bodies->bodies[through[k - 1]].start.position);
    if (!(length > 0))
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].cable.through[%d]: must not lie where the one before it lies",
                     cable->body, k);
    cable->length += length;
  }
  if (!can_pull(bodies, cable))
    return dc_fail(
        error, DC_BAD_INPUT,
        "bodies[%d].cable.through: must name bodies that move against each other (all are fixed to each other)",
        cable->body);
  if (!isnan(given->length))
    cable->length = given->length;
  return DC_OK;
}

// Builds the cables; each has one actuator coordinate, which is its length.
enum dc_status dc_cables_build(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                               struct dc_arena *arena, struct dc_error *error)
{
  int count = 0;
  enum dc_status status = DC_OK;
  for (int i = 0; i < bodies->count; i++)
    count += definitions[i].cable != NULL;
  if (!count)
    return DC_OK;
  bodies->cables = dc_arena_alloc(arena, (size_t)count, sizeof *bodies->cables);
  if (!bodies->cables)
    return dc_out_of_memory_for(error, "%d cables", count);
  for (int i = 0; i < bodies->count; i++)
    if (definitions[i].cable) {
      struct dc_cable *cable = &bodies->cables[bodies->cable_count++];
      cable->body = i;
      cable->actuator = bodies->bodies[i].actuator = bodies->actuator_count++;
    }
  for (int c = 0; c < bodies->cable_count && !status; c++)
    status = build_cable(bodies, definitions[bodies->cables[c].body].cable, &bodies->cables[c], arena, error);
  return status;
}

// The i-th block of the Hessian that moves point k of a cable: a node, or the mechanism of a rigid body; -1: no more.
static int block_of(const struct dc_bodies *bodies, const struct dc_cable *cable, int k, int i)
{
  const struct dc_support *support = cable->supports[k];
  if (support)
    return i < support->count ? bodies->mechanism_count + support->places[i] / 3 : -1;
  return i == 0 ? bodies->bodies[cable->through[k]].mechanism : -1;
}

// Lists the pairs of matrix blocks that cables connect: any two of their points, since the energy depends on the sum
// of all stretches.  With pairs NULL they are only counted.
long dc_cables_list_pairs(const struct dc_bodies *bodies, int (*pairs)[2])
{
  long count = 0;
  for (int c = 0; c < bodies->cable_count; c++) {
    const struct dc_cable *cable = &bodies->cables[c];
    for (int k = 0; k < cable->count; k++)
      for (int l = 0; l <= k; l++)
        for (int i = 0, one; (one = block_of(bodies, cable, k, i)) >= 0; i++)
          for (int j = 0, other; (other = block_of(bodies, cable, l, j)) >= 0; j++) {
            if (one == other)
              continue;
            if (pairs) {
              pairs[count][0] = one;
              pairs[count][1] = other;
            }
            count++;
          }
  }
  return count;
}
