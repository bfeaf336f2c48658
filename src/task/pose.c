// SPDX-License-Identifier: Apache-2.0
// Objective "pose": a body comes to a place and a rotation together,
//     f = f_reach + f_orientation,
// the sum of the objectives "reach" (centre of mass, with its tolerance and axes) and "orientation" (task/reach.c,
// task/orientation.c), whose functions it calls with their options.  It is reached where both are at the same frame.
// Groups of residual rows are those of the first, then those of the second.
#include "task/pose.h"

#include <math.h>

#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_pose_options, body, NULL, "name of the body that shall come to the pose"),
    DC_TARGET_OPTION(struct dc_pose_options, "place of its centre of mass"),
    DC_REALS_OPTION(struct dc_pose_options, rotation, "", "[1, 0, 0, 0]", 4, -1, 1,
                    "rotation of the frame of its shape, unit quaternion (w, x, y, z)"),
    DC_TOLERANCE_OPTION(struct dc_pose_options, tolerance, "m", "0", "distance that counts as reached"),
    {.name = "rotation_tolerance",
     .type = DC_REAL,
     .unit = "rad",
     .fallback = "0",
     .minimum = 0,
     .maximum = 4,
     .help = "angle that counts as reached",
     .offset = offsetof(struct dc_pose_options, rotation_tolerance)},
    DC_INSIDE_OPTION(struct dc_pose_options, inside),
    DC_WEIGHT_OPTION(struct dc_pose_options, weight, "1/m^2", "factor on the squared distance"),
    {.name = "rotation_weight",
     .type = DC_REAL,
     .unit = "1/rad^2",
     .fallback = "1",
     .minimum = 0,
     .maximum = 1e30,
     .help = "factor on the squared angle",
     .offset = offsetof(struct dc_pose_options, rotation_weight)},
    DC_WHEN_OPTION(struct dc_pose_options, when, "\"end\"", DC_WHEN_FRAMES),
    DC_AXES_OPTION(struct dc_pose_options, "\"xyz\""),
    DC_OPTIONS_END,
};

// The options of "reach" that this objective has; no rest is asked for.
static struct dc_reach_options reach_of(const struct dc_pose_options *pose)
{
  struct dc_reach_options reach = {.body = pose->body,
                                   .tolerance = pose->tolerance,
                                   .weight = pose->weight,
                                   .when = pose->when,
                                   .axes = pose->axes,
                                   .rest = {.speed = NAN, .inside = pose->inside}};
  dc_vec_copy(reach.target, pose->target);
  return reach;
}

// The options of "orientation" that this objective has.
static struct dc_orientation_options orientation_of(const struct dc_pose_options *pose)
{
  struct dc_orientation_options orientation = {.goal = {.tolerance = pose->rotation_tolerance,
                                                        .inside = pose->inside,
                                                        .weight = pose->rotation_weight,
                                                        .when = pose->when},
                                               .body = pose->body};
  memcpy(orientation.target, pose->rotation, sizeof orientation.target);
  return orientation;
}

// Checks the length of the quaternion here, so that the message names "rotation", and the rest by both
// objectives.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_pose_options *pose = options;
  struct dc_reach_options reach = reach_of(pose);
  struct dc_orientation_options orientation = orientation_of(pose);
  double length = sqrt(dc_dot(pose->rotation, pose->rotation, 4));
  if (pose->body < 0 || pose->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  if (!(fabs(length - 1) <= 1e-3))
    return dc_fail(error, DC_BAD_INPUT, "rotation: must be of unit length within 0.001 (its length is %.10g)", length);
  enum dc_status status = dc_objective_reach.check(&reach, model, error);
  return status ? status : dc_objective_orientation.check(&orientation, model, error);
}

// The sum of both losses; each adds its own part to the cotangent.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  struct dc_reach_options reach = reach_of(options);
  struct dc_orientation_options orientation = orientation_of(options);
  double place = dc_objective_reach.evaluate(&reach, model, input, trajectory, cotangent);
  return place + dc_objective_orientation.evaluate(&orientation, model, input, trajectory, cotangent);
}

// How many groups of rows belong to the place; those of the rotation stand behind them.
static int place_groups(const struct dc_pose_options *pose, const struct dc_model *model,
                        const struct dc_trajectory *trajectory)
{
  struct dc_reach_options reach = reach_of(pose);
  return dc_objective_reach.rows->count(&reach, model, trajectory);
}

// Rows of the place, then rows of the rotation.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  struct dc_orientation_options orientation = orientation_of(options);
  return place_groups(options, model, trajectory) +
         dc_objective_orientation.rows->count(&orientation, model, trajectory);
}

// Groups below place_groups are those of reach, the others those of orientation.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  struct dc_reach_options reach = reach_of(options);
  struct dc_orientation_options orientation = orientation_of(options);
  int places = place_groups(options, model, trajectory);
  if (index < places)
    dc_objective_reach.rows->group(&reach, model, input, trajectory, index, group, first, last);
  else
    dc_objective_orientation.rows->group(&orientation, model, input, trajectory, index - places, group, first, last);
}

// Hands the weights to the objective that the group belongs to.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  struct dc_reach_options reach = reach_of(options);
  struct dc_orientation_options orientation = orientation_of(options);
  int places = place_groups(options, model, trajectory);
  if (index < places)
    dc_objective_reach.rows->pull_back(&reach, model, input, trajectory, index, weights, cotangent);
  else
    dc_objective_orientation.rows->pull_back(&orientation, model, input, trajectory, index - places, weights,
                                             cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

// The distance is that of the place; reached is that of both.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  struct dc_reach_options reach = reach_of(options);
  struct dc_orientation_options orientation = orientation_of(options);
  double angle;
  bool turned;
  dc_objective_orientation.report(&orientation, model, input, trajectory, frame, body, &angle, &turned);
  dc_objective_reach.report(&reach, model, input, trajectory, frame, body, distance, reached);
  *reached = *reached && turned;
}

// Position and orientation.
static int conditions(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int frame, struct dc_condition list[DC_CONDITIONS_MOST])
{
  struct dc_reach_options reach = reach_of(options);
  struct dc_orientation_options orientation = orientation_of(options);
  int count = dc_objective_reach.conditions(&reach, model, input, trajectory, frame, list);
  struct dc_condition *turn = &list[count];
  *turn = (struct dc_condition){
      .name = "orientation", .unit = "rad", .allowed = orientation.goal.tolerance, .frame = frame};
  dc_objective_orientation.report(&orientation, model, input, trajectory, frame, &turn->body, &turn->value,
                                  &turn->holds);
  return count + 1;
}

// For what looks ahead a pose is a place to go to; its rotation is not looked at.
static bool goal(const void *options, int i, const struct dc_pose *poses, int *body, double place[3], double *radius)
{
  struct dc_reach_options reach = reach_of(options);
  return dc_objective_reach.goal(&reach, i, poses, body, place, radius);
}

static bool mark(const void *options, int i, int *body, double target[3], double *radius)
{
  struct dc_reach_options reach = reach_of(options);
  return dc_objective_reach.mark(&reach, i, body, target, radius);
}

const struct dc_objective_type dc_objective_pose = {
    .name = "pose",
    .summary = "the sum of reach and orientation of a body: a place and a rotation at the same time",
    .reference = "distance of rigid motions as a weighted sum (Park 1995)",
    .options = options_table,
    .options_size = sizeof(struct dc_pose_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .conditions = conditions,
    .goal = goal,
    .mark = mark,
};
