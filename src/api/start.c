// SPDX-License-Identifier: Apache-2.0
// Bodies that overlap at the start.  Contact is a barrier: no step can begin in an overlap, so that it is
// refused before the run.  The message names both bodies and the depth, tells what of the scene puts them there
// (the body itself, a control or an entry of the design), and a place or setting that would not overlap.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "contact/surface/surface.h"
#include "dynamics/step.h"

// Where bodies a and b are after the first movers of the task: controls, then entries of the design.  poses [bodies]:
// room for all.
static void place_pair(struct dc_plan *plan, int movers, int a, int b, struct dc_pose *poses, struct dc_pose pair[2])
{
  struct dc_task task = *plan->task;
  int controls = task.control_count;
  task.control_count = movers < controls ? movers : controls;
  task.design_count = movers > controls ? movers - controls : 0;
  dc_plan_reset_input(plan);
  dc_task_apply(&task, plan->model, &plan->window, plan->state, plan->parameters, plan->input);
  dc_poses(&plan->model->bodies, plan->input->q, poses);
  pair[0] = poses[a];
  pair[1] = poses[b];
}

// The number of the last mover that moves body a or b, or -1: both are where the scene puts them.
// The cost is one forward kinematics for each mover, which an error message may take.
static int find_mover(struct dc_plan *plan, int a, int b, struct dc_pose *poses)
{
  struct dc_pose before[2], after[2];
  int mover = -1;
  // Movers are applied one more at a time: whoever changes the bits of a pose last has put the body there.
  place_pair(plan, 0, a, b, poses, before);
  for (int i = 0; i < plan->task->control_count + plan->task->design_count; i++) {
    place_pair(plan, i + 1, a, b, poses, after);
    if (memcmp(before, after, sizeof before) != 0)
      mover = i;
    memcpy(before, after, sizeof before);
  }
  return mover;
}

// Room that is left between bodies that are moved apart, over the radius of the one that moves.
static const double ROOM = 0.01;

// The message names a place that would not overlap: above a half-space along its normal, else the setting that finds
// one.
static void add_shift(const struct dc_body *bodies, int a, int b, const struct dc_pose *poses, double depth,
                      struct dc_error *error)
{
  // One of both moves, or the pair would not be looked at; of two that move the first is told where to go.
  int moving = dc_body_moves(&bodies[a]) ? a : b, other = moving == a ? b : a;
  bool plane = bodies[other].shape->type && bodies[other].shape->type->half_space;
  const double *x = poses[moving].position, *rotation = poses[other].rotation;
  double way = depth + ROOM * bodies[moving].radius;
  if (depth > 0 && plane && bodies[moving].free)
    dc_error_append(error, "; at (%.4g, %.4g, %.4g) it would not", x[0] + way * rotation[2], x[1] + way * rotation[5],
                    x[2] + way * rotation[8]);
  else
    dc_error_append(error, "; \"overlaps\": \"separate\" of the scene moves them apart");
}

// Writes the message about the bodies of an offending pair, then puts the place in the file in front of it.
// Two causes are named where they are likely: a round body whose mesh would be free, and a mesh in millimetres.
// The parts of the message: both names and the depth; a place or setting that would help; two likely causes; in front
// of it, the entry of the scene that puts the bodies there.
static enum dc_status refuse(const struct dc_scene *scene, struct dc_plan *plan, int pair, struct dc_pose *poses,
                             struct dc_error *error)
{
  struct dc_contact *contact = dc_rollout_contact(plan->rollout);
  const struct dc_body *bodies = plan->model->bodies.bodies;
  int a = dc_contact_pairs(contact)[pair][0], b = dc_contact_pairs(contact)[pair][1];
  double depth = dc_contact_overlap_depth(contact, poses, pair);
  const double *x = poses[a].position;
  // A depth of 0 or less is that of a pair that touches, or whose depth no query finds.
  char how_deep[64] = "touch or overlap at the start; how deep is not known";
  if (depth > 0)
    snprintf(how_deep, sizeof how_deep, "overlap at the start, by at least %.3g m", depth);
  dc_fail(error, DC_BAD_INPUT, "bodies \"%.255s\" (at %.4g, %.4g, %.4g m) and \"%.255s\" %s", bodies[a].name, x[0],
          x[1], x[2], bodies[b].name, how_deep);
  add_shift(bodies, a, b, poses, depth, error);
  // A leaf is rounder and may be larger than its triangles: by the mesh the bodies might not overlap.
  for (int side = 0; side < 2; side++) {
    const struct dc_body *body = &bodies[side ? b : a];
    if (dc_contact_leaves(contact, side ? b : a) > 0 && body->shape->leaves[0].radius > 0)
      dc_error_append(error, " (\"%.100s\" is round here; \"surface\": \"mesh\" of its shape takes the triangles)",
                      body->name);
  }
  for (int side = 0; side < 2; side++) {
    const struct dc_body *body = &bodies[side ? b : a];
    if (dc_body_moves(body) && body->radius > DC_HUGE_RADIUS)
      dc_error_append(error, " (\"%.100s\" has a radius of %.3g m; in millimetres? Then %s)", body->name, body->radius,
                      dc_option_find(body->shape->type->options, "scale") >= 0 ? "its shape wants \"scale\": 0.001"
                                                                               : "divide its shape's sizes by 1000");
  }
  int mover = find_mover(plan, a, b, poses), controls = plan->task->control_count;
  if (mover >= controls)
    return dc_scene_wrap(scene, DC_PART_DESIGN, mover - controls, error);
  return mover < 0 ? dc_scene_wrap(scene, DC_PART_BODY, a > b ? a : b, error)
                   : dc_scene_wrap(scene, DC_PART_CONTROL, mover, error);
}

// Refuses nodes of soft bodies that lie in half-spaces, by the deepest node of each pair.
// A gap of exactly 0 is refused, because the barrier is infinite there.
static enum dc_status check_nodes(const struct dc_scene *scene, const struct dc_bodies *bodies, const double *q,
                                  const struct dc_pose *poses, struct dc_error *error)
{
  for (int s = 0; s < bodies->soft_count; s++)
    for (int plane = 0; plane < bodies->count; plane++) {
      const struct dc_soft *soft = &bodies->soft[s];
      double lowest = INFINITY, normal[3];
      for (int i = 0; i < soft->node_count && dc_soft_touches(bodies, soft, plane); i++)
        lowest = fmin(lowest, dc_node_gap(&poses[plane], q + soft->q_offset + 3 * (size_t)i, normal));
      if (lowest > 0)
        continue;
      dc_fail(error, DC_BAD_INPUT, "bodies \"%.255s\" and \"%.255s\" %s at the start", bodies->bodies[soft->body].name,
              bodies->bodies[plane].name, lowest < 0 ? "overlap" : "touch");
      if (lowest < 0)
        dc_error_append(error, ", by %.3g m", -lowest);
      dc_error_append(error, "; contact begins at a gap: move \"%.100s\" by more than that out of it",
                      bodies->bodies[soft->body].name);
      return dc_scene_wrap(scene, DC_PART_BODY, soft->body, error);
    }
  return DC_OK;
}

// Refuses surfaces of soft bodies that meet rigid bodies, each other or themselves.
static enum dc_status check_surfaces(const struct dc_scene *scene, const struct dc_bodies *bodies, const double *q,
                                     const struct dc_pose *poses, struct dc_error *error)
{
  struct dc_surface_contact *surfaces;
  int pair[2];
  enum dc_status status = dc_surface_contact_create(bodies, &surfaces, error);
  if (status || !surfaces)
    return status;
  if (dc_surface_evaluate(surfaces, q, poses)) {
    status = dc_out_of_memory_for(error, "touching surfaces");
  } else if (dc_surface_overlap(surfaces, pair)) {
    const char *a = bodies->bodies[pair[0]].name, *b = bodies->bodies[pair[1]].name;
    if (pair[0] == pair[1])
      dc_fail(error, DC_BAD_INPUT, "the surface of \"%.255s\" crosses itself at the start", a);
    else
      dc_fail(
          error, DC_BAD_INPUT,
          "bodies \"%.255s\" and \"%.255s\" touch or overlap at the start; contact begins at a gap: move them apart", a,
          b);
    status = dc_scene_wrap(scene, DC_PART_BODY, pair[0] > pair[1] ? pair[0] : pair[1], error);
  }
  dc_surface_contact_destroy(surfaces);
  return status;
}

// Refuses a start in which bodies, nodes of soft bodies or their surfaces overlap.
// Leaves the plan's input as its parameters give it.  DC_BAD_INPUT with a message that names place and remedy;
// DC_MEMORY.
enum dc_status dc_api_check_start(const struct dc_scene *scene, struct dc_plan *plan, struct dc_error *error)
{
  const struct dc_bodies *bodies = &plan->model->bodies;
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  if (!poses)
    return dc_out_of_memory_for(error, "poses");
  dc_plan_apply(plan, plan->parameters);
  dc_poses(bodies, plan->input->q, poses);
  // Rigid bodies come first: their messages name a remedy.
  int pair;
  double depth;
  enum dc_status status = DC_OK;
  if (dc_contact_overlap(dc_rollout_contact(plan->rollout), poses, &pair, &depth))
    status = refuse(scene, plan, pair, poses, error);
  if (!status)
    status = check_nodes(scene, bodies, plan->input->q, poses, error);
  if (!status)
    status = check_surfaces(scene, bodies, plan->input->q, poses, error);
  free(poses);
  return status;
}

// Refuses adjoint gradients by shapes that the roll-out cannot give; the message names the first entry of the
// design that changes shapes.
enum dc_status dc_api_check_gradient(const struct dc_scene *scene, const struct dc_plan *plan, struct dc_error *error)
{
  if (scene->gradient.type != DC_GRADIENT_ADJOINT || !dc_rollout_check_shapes(plan->rollout, error))
    return DC_OK;
  // There is such an entry: without one the roll-out would not have been asked for gradients by shapes.
  int entry = 0;
  while (!scene->task.design[entry].type->shapes)
    entry++;
  return dc_scene_wrap(scene, DC_PART_DESIGN, entry, error);
}
