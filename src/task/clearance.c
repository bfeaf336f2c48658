// SPDX-License-Identifier: Apache-2.0
// Objective "clearance": two bodies keep at least, at most or exactly a distance D:
//
//     d = min(g - D, 0) for at_least,   max(g - D, 0) for at_most,   g - D for exactly.
//
// g is the signed distance between the unions of convex parts (geometry/convex/witness.h), minus the depth in overlap,
// independent of the contact model.  With the nearest points x_a, x_b and the unit normal n from a to b, dg = n . (dx_b
// - dx_a) at points fixed to the bodies.  This is exact where they are unique; between parallel faces the derivative
// jumps.
#include <math.h>

#include "base/memory.h"
#include "task/clearance.h"
#include "task/goal.h"

static const char *const keep_choices[] = {"at_least", "at_most", "exactly", NULL};

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_clearance_options, body, NULL, "name of the one body"),
    DC_BODY_OPTION(struct dc_clearance_options, to, NULL, "name of the other"),
    DC_REAL_OPTION(struct dc_clearance_options, distance, "m", "0", 0, 1e6, "distance of their surfaces"),
    DC_CHOICE_OPTION(
        struct dc_clearance_options, keep, "\"at_least\"", keep_choices,
        "at_least: they stay apart; at_most: they come near, with 0 and a tolerance into contact; exactly: both"),
    DC_GOAL_OPTIONS(struct dc_clearance_options, goal, "m", "1/m^2"),
    DC_OPTIONS_END,
};

// Refuses bodies without convex parts, whose distance is not known, and shapes that a design changes: the
// derivative by vertices is not formed here.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_clearance_options *clearance = options;
  const struct dc_bodies *bodies = &model->bodies;
  const int both[2] = {clearance->body, clearance->to};
  for (int k = 0; k < 2; k++) {
    if (both[k] < 0 || both[k] >= bodies->count)
      return dc_fail(error, DC_BAD_INPUT, "%s: must name a body", k ? "to" : "body");
    if (bodies->bodies[both[k]].shape->part_count == 0)
      return dc_fail(error, DC_BAD_INPUT,
                     "%s: must have a shape that is convex or a union of convex parts (\"%s\" has not)",
                     k ? "to" : "body", bodies->bodies[both[k]].name);
  }
  if (both[0] == both[1])
    return dc_fail(error, DC_BAD_INPUT, "to: must be another body than body");
  for (int k = 0; k < 2; k++)
    if (model->shapes_change && (!model->vertices_move || model->vertices_move[both[k]]))
      return dc_fail(error, DC_BAD_INPUT, "%s: \"%s\" must not have a shape that a design changes", k ? "to" : "body",
                     bodies->bodies[both[k]].name);
  return DC_OK;
}

// The search is made anew each time, as an objective keeps no state.
bool dc_clearance_nearest(const struct dc_bodies *bodies, const int pair[2], const struct dc_pose *const poses[2],
                          struct dc_witness *witness)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_witness_search *search = NULL;
  struct dc_solid solids[2];
  struct dc_placement places[2];
  bool made = arena != NULL;
  for (int k = 0; k < 2 && made; k++) {
    const struct dc_body *body = &bodies->bodies[pair[k]];
    double arm[3];
    made = !dc_solid_create(body->shape, arena, &solids[k], NULL);
    dc_mat_apply(arm, poses[k]->rotation, body->center);
    dc_vec_sub(places[k].position, poses[k]->position, arm);
    memcpy(places[k].rotation, poses[k]->rotation, sizeof places[k].rotation);
  }
  made = made && (search = dc_witness_search_create(&solids[0], &solids[1])) != NULL;
  if (made)
    dc_witness_query(search, &places[0], &places[1], witness);
  dc_witness_search_destroy(search);
  dc_arena_destroy(arena);
  return made;
}

// Nearest points of the two bodies at a frame; false: out of memory.
static bool find_nearest(const struct dc_clearance_options *clearance, const struct dc_model *model,
                         const struct dc_trajectory *trajectory, int frame, struct dc_witness *witness)
{
  const int pair[2] = {clearance->body, clearance->to};
  const struct dc_pose *const poses[2] = {dc_goal_pose(trajectory, frame, pair[0]),
                                          dc_goal_pose(trajectory, frame, pair[1])};
  return dc_clearance_nearest(&model->bodies, pair, poses, witness);
}

// The one residual d (m) of a frame; NAN when memory is out, which makes the loss no number.
static int residual(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, double d[3])
{
  (void)i;
  const struct dc_clearance_options *clearance = options;
  struct dc_witness witness;
  d[0] = NAN;
  if (!find_nearest(clearance, model, trajectory, frame, &witness))
    return 1;
  double off = witness.distance - clearance->distance;
  d[0] = clearance->keep == DC_CLEARANCE_AT_LEAST  ? fmin(off, 0)
         : clearance->keep == DC_CLEARANCE_AT_MOST ? fmax(off, 0)
                                                   : off;
  return 1;
}

// Weights on the distance become opposite forces at the two nearest points.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                      int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent)
{
  const struct dc_clearance_options *clearance = options;
  const int both[2] = {clearance->body, clearance->to};
  struct dc_witness witness;
  double d[3];
  residual(options, model, trajectory, frame, i, d);
  if (d[0] == 0 || !find_nearest(clearance, model, trajectory, frame, &witness))
    return;
  for (int k = 0; k < 2; k++) {
    double arm[3], force[3], turn[3];
    dc_vec_scale(force, witness.normal, k ? weights[0] : -weights[0]);
    dc_vec_sub(arm, witness.point[k], dc_goal_pose(trajectory, frame, both[k])->position);
    dc_vec_cross(turn, arm, force);
    dc_goal_add(cotangent, model, trajectory, frame, both[k], turn, force);
  }
}

static const struct dc_goal_kind kind = {
    .residual = residual, .pull_back = pull_back, .body_at = offsetof(struct dc_clearance_options, body)};
DC_GOAL_FUNCTIONS(kind)

const struct dc_objective_type dc_objective_clearance = {
    .name = "clearance",
    .summary = "weight * max(d^2 - tolerance^2, 0), d the excess or lack of the distance of two bodies",
    .reference = "the signed distance of paper 002, section III",
    .options = options_table,
    .options_size = sizeof(struct dc_clearance_options),
    .check = check,
    .evaluate = goal_evaluate,
    .rows = &goal_rows,
    .report = goal_report,
};
