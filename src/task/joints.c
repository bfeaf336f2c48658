// SPDX-License-Identifier: Apache-2.0
// Objective "joints": slides and hinges come to given coordinates, d_i = q_i - y_i, to given velocities,
// d_i = (q_i - q_i before the step) / h - w_i, or to both; a goal each, with one tolerance for all.
//
// Coordinates are counted over the slides and hinges of the named bodies, body after body; ball joints and free bodies
// have none.  Residuals are those of all coordinates and then those of all velocities, so that residual i is of
// coordinate i or i - count.  A velocity depends on two frames, which is why the goal is one `by_step`: its derivative
// goes to the frame and, negative, to the one before.
#include <math.h>

#include "task/goal.h"

static const struct dc_option options_table[] = {
    DC_BODY_LIST_OPTION(struct dc_joints_options, bodies, NULL, DC_OBJECTIVE_BODIES_MOST,
                        "names of the bodies whose joints, slides and hinges, shall come to their targets"),
    DC_REAL_LIST_OPTION(struct dc_joints_options, target, "m or rad", "[]", DC_OBJECTIVE_BODIES_MOST, -1e6, 1e6,
                        "a coordinate for each slide and hinge, body after body"),
    DC_REAL_LIST_OPTION(struct dc_joints_options, velocity, "m/s or rad/s", "[]", DC_OBJECTIVE_BODIES_MOST, -1e6, 1e6,
                        "a velocity for each slide and hinge, likewise"),
    DC_GOAL_OPTIONS(struct dc_joints_options, goal, "m or rad", "1/m^2 or 1/rad^2"),
    DC_OPTIONS_END,
};

// Finds the i-th slide or hinge of the bodies; NULL: there are fewer.
static const struct dc_joint_part *part_at(const struct dc_joints_options *joints, const struct dc_model *model, int i,
                                           int *body)
{
  for (int b = 0; b < joints->bodies.count; b++) {
    const struct dc_body *own = &model->bodies.bodies[joints->bodies.indices[b]];
    for (int p = 0; p < own->part_count; p++)
      if (dc_part_nv(&own->parts[p]) == 1 && i-- == 0) {
        *body = joints->bodies.indices[b];
        return &own->parts[p];
      }
  }
  return NULL;
}

// An empty list asks for nothing of that kind.
static bool has(const struct dc_real_list *list)
{
  return list->count > 0;
}

// Targets and velocities are counted by the slides and hinges that the named bodies have; either list may be empty,
// but not both.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_joints_options *joints = options;
  int count = 0, body;
  enum dc_status status = dc_objective_check_bodies(&joints->bodies, model, error);
  if (status)
    return status;
  while (part_at(joints, model, count, &body))
    count++;
  if (count == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies: must have slides or hinges");
  if (!has(&joints->target) && !has(&joints->velocity))
    return dc_fail(error, DC_BAD_INPUT, "target: must hold %d numbers, one per slide and hinge, or velocity must",
                   count);
  if (has(&joints->target) && joints->target.count != count)
    return dc_fail(error, DC_BAD_INPUT, "target: must hold %d numbers, one per slide and hinge (holds %d)", count,
                   joints->target.count);
  if (has(&joints->velocity) && joints->velocity.count != count)
    return dc_fail(error, DC_BAD_INPUT, "velocity: must hold %d numbers, one per slide and hinge (holds %d)", count,
                   joints->velocity.count);
  return DC_OK;
}

// Residuals of one frame: coordinates first, then velocities.
static int count(const void *options, const struct dc_model *model)
{
  (void)model;
  const struct dc_joints_options *joints = options;
  return joints->target.count + joints->velocity.count;
}

// Whether residual i is of a velocity, and the number of its coordinate.
static bool is_velocity(const struct dc_joints_options *joints, int i, int *coordinate)
{
  bool velocity = i >= joints->target.count;
  *coordinate = velocity ? i - joints->target.count : i;
  return velocity;
}

// Residual i: of a coordinate, or of a velocity, which is the difference quotient over the step before the
// frame.  At the first frame of a run there is no such step, and a velocity is met.
static int residual(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, double d[3])
{
  const struct dc_joints_options *joints = options;
  int body, coordinate;
  bool velocity = is_velocity(joints, i, &coordinate);
  const double *q = trajectory->q + (ptrdiff_t)frame * trajectory->nq + part_at(joints, model, coordinate, &body)->q;
  if (!velocity)
    d[0] = q[0] - joints->target.values[coordinate];
  else if (frame + trajectory->earlier > 0)
    d[0] = (q[0] - q[-trajectory->nq]) / trajectory->time_step - joints->velocity.values[coordinate];
  else
    d[0] = 0;
  return 1;
}

// Adds weights to the cotangents of the state at the frame and, for velocities, with the opposite sign to that
// of the frame before.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                      int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent)
{
  int body, coordinate;
  bool velocity = is_velocity(options, i, &coordinate);
  const struct dc_joint_part *part = part_at(options, model, coordinate, &body);
  double *at = cotangent->frames.forces + (size_t)(frame - cotangent->first) * (size_t)trajectory->nv + (size_t)part->v;
  if (!velocity) {
    at[0] += weights[0];
  } else if (frame > cotangent->first) {
    at[0] += weights[0] / trajectory->time_step;
    at[-trajectory->nv] -= weights[0] / trajectory->time_step;
  }
}

// The body whose slide or hinge residual i is about, for reports.
static int body_of(const void *options, const struct dc_model *model, int i)
{
  int body = -1;
  int coordinate;
  is_velocity(options, i, &coordinate);
  part_at(options, model, coordinate, &body);
  return body;
}

static const struct dc_goal_kind kind = {
    .count = count, .residual = residual, .pull_back = pull_back, .body_of = body_of, .by_step = true};
DC_GOAL_FUNCTIONS(kind)

// The largest difference of coordinates, and that of velocities.
static int conditions(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int frame, struct dc_condition list[DC_CONDITIONS_MOST])
{
  (void)input;
  const struct dc_joints_options *joints = options;
  int kinds = 0;
  for (int velocity = 0; velocity < 2; velocity++) {
    struct dc_condition worst = {.name = velocity ? "speed of a joint" : "coordinate",
                                 .unit = velocity ? "m/s or rad/s" : "m or rad",
                                 .body = -1,
                                 .value = -1,
                                 .allowed = joints->goal.tolerance,
                                 .frame = frame};
    for (int k = 0; k < count(options, model); k++) {
      double d[3];
      int coordinate;
      if (is_velocity(joints, k, &coordinate) != velocity)
        continue;
      residual(options, model, trajectory, frame, k, d);
      if (!(fabs(d[0]) <= worst.value))
        worst.value = fabs(d[0]), worst.body = body_of(options, model, k);
    }
    worst.holds = worst.value <= joints->goal.tolerance;
    if (worst.body >= 0)
      list[kinds++] = worst;
  }
  return kinds;
}

const struct dc_objective_type dc_objective_joints = {
    .name = "joints",
    .summary = "weight * sum of max((q - target)^2 - tolerance^2, 0) of coordinates of joints, and of their velocities",
    .reference = "a goal in joint space",
    .options = options_table,
    .options_size = sizeof(struct dc_joints_options),
    .check = check,
    .evaluate = goal_evaluate,
    .rows = &goal_rows,
    .report = goal_report,
    .conditions = conditions,
};
