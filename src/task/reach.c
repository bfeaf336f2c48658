// SPDX-License-Identifier: Apache-2.0
// Objective "reach": the centres of mass x of bodies come within a tolerance of a target y,
//     f = weight * sum max(e, 0),   e = |x - y|^2 - r^2,   df/dx = 2 weight (x - y) where e > 0, else 0,
// r = inside * tolerance, with |.| over the chosen axes.  At the kink e = 0 the derivative is that of the inside.  With
// "rest" a body adds the term of task/rest.h with u = max(e, 0) / (3 tolerance^2), which is 1 at twice the tolerance.
#include <math.h>

#include "task/rest.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_reach_options, body, "null", "name of the body that shall reach the target"),
    DC_BODIES_OPTION(struct dc_reach_options, "names of several bodies that shall reach it, instead of body"),
    DC_TARGET_OPTION(struct dc_reach_options, "point that the centre of mass shall reach"),
    DC_TOLERANCE_OPTION(struct dc_reach_options, tolerance, "m", "0", "distance that counts as reached"),
    DC_INSIDE_OPTION(struct dc_reach_options, rest.inside),
    DC_WEIGHT_OPTION(struct dc_reach_options, weight, "1/m^2", "factor on the squared distance"),
    DC_WHEN_OPTION(struct dc_reach_options, when, "\"end\"", DC_WHEN_FRAMES),
    DC_AXES_OPTION(struct dc_reach_options, "\"xyz\""),
    DC_REST_OPTIONS(struct dc_reach_options, rest),
    DC_OPTIONS_END,
};

// Refuses both or none of "body" and "bodies", and rest without a tolerance within which a body could rest.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_reach_options *reach = options;
  enum dc_status status = DC_OK;
  if ((reach->body >= 0) == (reach->bodies.count > 0))
    status = dc_fail(error, DC_BAD_INPUT, "body: must be given, or bodies, and not both");
  else if (reach->body >= model->bodies.count)
    status = dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  else if (reach->body < 0)
    status = dc_objective_check_bodies(&reach->bodies, model, error);
  if (!status && dc_rest_asked(&reach->rest) && reach->tolerance <= 0)
    status = dc_fail(error, DC_BAD_INPUT, "rest: needs a tolerance > 0, within which a body rests");
  return status ? status : dc_objective_check_axes(reach->axes, error);
}

// One body, or those of a list: check() has seen that exactly one of both is given.
static int body_count(const struct dc_reach_options *reach)
{
  return reach->body >= 0 ? 1 : reach->bodies.count;
}

static int body_of(const struct dc_reach_options *reach, int i)
{
  return reach->body >= 0 ? reach->body : reach->bodies.indices[i];
}

// The radius within which the loss is zero, m: `inside` times the tolerance.
static double radius_of(const struct dc_reach_options *reach)
{
  return dc_objective_rim(reach->rest.inside, reach->tolerance);
}

// weight * max(e, 0); NaN stays NaN
static double body_value(const struct dc_reach_options *reach, double squared_distance)
{
  double excess = squared_distance - radius_of(reach) * radius_of(reach);
  return excess <= 0 ? 0 : reach->weight * excess;
}

// u of the term for rest, with du/dx in by_place [3]; 0 where rest is not asked for.  Unlike the loss it counts
// from the tolerance itself.
static double outside(const struct dc_reach_options *reach, const double *offset, double *by_place)
{
  if (!dc_rest_asked(&reach->rest))
    return 0;
  double size = 3 * reach->tolerance * reach->tolerance;
  double excess = dc_vec_dot(offset, offset) - reach->tolerance * reach->tolerance;
  dc_vec_scale(by_place, offset, excess > 0 ? 2 / size : 0);
  return excess > 0 ? excess / size : 0;
}

// The number of steps before a frame over which rest is asked for.
static int motions_of(const struct dc_reach_options *reach, const struct dc_trajectory *trajectory)
{
  return dc_rest_motions(&reach->rest, reach->when, trajectory);
}

// The term for rest of one body at a frame.
static double motion_value(const struct dc_reach_options *reach, const struct dc_model *model,
                           const struct dc_trajectory *trajectory, int frame, int body, const double *offset,
                           double share, struct dc_loss_cotangent *cotangent)
{
  double by_place[3] = {0}, u = outside(reach, offset, by_place);
  return reach->weight * dc_rest_value(&reach->rest, model, trajectory, frame, motions_of(reach, trajectory), body,
                                       reach->axes, u, by_place, share * reach->weight, cotangent);
}

// Adds weight max(d^2 - radius^2, 0) and the term for rest over frames and bodies, times the frames' share; d: distance
// of the centre of mass from the target.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_reach_options *reach = options;
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  double sum = 0;
  for (int frame = frames.first; frame <= frames.last; frame++) {
    for (int i = 0; i < body_count(reach); i++) {
      double offset[3];
      int body = body_of(reach, i);
      dc_objective_offset(offset, dc_objective_center(trajectory, frame, body), reach->target, reach->axes);
      double value = body_value(reach, dc_vec_dot(offset, offset));
      sum += value + motion_value(reach, model, trajectory, frame, body, offset, frames.share, cotangent);
      if (value != 0)
        dc_objective_add(cotangent, model, trajectory, frame, body, 2 * reach->weight * frames.share, offset);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

// A group for each body and frame that counts, and those of the term for rest behind each.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  const struct dc_reach_options *reach = options;
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  return dc_rest_groups(&frames, motions_of(reach, trajectory), body_count(reach));
}

// Groups of rows x - y with a disc of radius r, and those of the term for rest.  A row x - y carries the
// derivative of that term by the place as well, so that the rows' squares have the loss's gradient.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  const struct dc_reach_options *reach = options;
  int frame, body;
  double offset[3], by_place[3] = {0};
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  int motion = dc_rest_place(&frames, body_count(reach), index, &frame, &body);
  body = body_of(reach, body);
  dc_objective_offset(offset, dc_objective_center(trajectory, frame, body), reach->target, reach->axes);
  dc_rest_span(motion, frame, first, last);
  double u = outside(reach, offset, by_place);
  if (motion) {
    dc_rest_group(&reach->rest, trajectory, frame, motion, motions_of(reach, trajectory), body, reach->axes, u,
                  frames.share * reach->weight, group);
    return;
  }
  double value = body_value(reach, dc_vec_dot(offset, offset));
  double beyond[3];
  dc_vec_scale(beyond, offset, value != 0);
  dc_rest_add_to_place(&reach->rest, trajectory, frame, motions_of(reach, trajectory), body, reach->axes, u, by_place,
                       beyond);
  dc_objective_group(group, reach->axes, offset, beyond);
  group->weight = frames.share * reach->weight;
  group->value = frames.share * value;
  group->radius = radius_of(reach);
}

// Weights of a group go to the place of a body at its frame, or to the frames of a motion before it.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_reach_options *reach = options;
  int frame, body;
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  int motion = dc_rest_place(&frames, body_count(reach), index, &frame, &body);
  dc_rest_group_pull_back(&reach->rest, model, trajectory, motion, frame, body_of(reach, body), reach->axes, weights,
                          cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

// Finds the body that is farthest; reached: all are within the tolerance and, where that is asked for, rest.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  (void)model, (void)input;
  const struct dc_reach_options *reach = options;
  *body = -1, *distance = -1, *reached = true;
  for (int i = 0; i < body_count(reach); i++) {
    double offset[3];
    dc_objective_offset(offset, dc_objective_center(trajectory, frame, body_of(reach, i)), reach->target, reach->axes);
    double squared = dc_vec_dot(offset, offset);
    *reached = *reached && squared - reach->tolerance * reach->tolerance <= 0 &&
               dc_rest_holds(&reach->rest, trajectory, frame, body_of(reach, i), reach->axes);
    if (!(sqrt(squared) <= *distance))
      *body = body_of(reach, i), *distance = sqrt(squared);
  }
}

// The distance, and with "rest" the speed: both of the body for which it is largest.
static int conditions(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int frame,
                      struct dc_condition conditions[DC_CONDITIONS_MOST])
{
  const struct dc_reach_options *reach = options;
  bool reached;
  conditions[0] = (struct dc_condition){.name = "position", .unit = "m", .allowed = reach->tolerance, .frame = frame};
  report(options, model, input, trajectory, frame, &conditions[0].body, &conditions[0].value, &reached);
  conditions[0].holds = conditions[0].value <= reach->tolerance;
  conditions[1] = (struct dc_condition){
      .name = "speed", .unit = "m/s", .body = -1, .value = -1, .allowed = reach->rest.speed, .frame = frame};
  for (int i = 0; i < body_count(reach) && dc_rest_asked(&reach->rest); i++)
    dc_rest_condition(&reach->rest, trajectory, frame, body_of(reach, i), reach->axes, &conditions[1]);
  conditions[1].holds = conditions[1].value <= reach->rest.speed;
  return dc_rest_asked(&reach->rest) ? 2 : 1;
}

// Where a body is to be, for what looks ahead: along axes that do not count it may stay where it is.
static bool goal(const void *options, int i, const struct dc_pose *poses, int *body, double place[3], double *radius)
{
  const struct dc_reach_options *reach = options;
  if (i >= body_count(reach))
    return false;
  *body = body_of(reach, i);
  for (int k = 0; k < 3; k++)
    place[k] = strchr(reach->axes, "xyz"[k]) ? reach->target[k] : poses[*body].position[k];
  *radius = reach->tolerance;
  return true;
}

// A ring with the tolerance as its radius, around the target, for each body.
static bool mark(const void *options, int i, int *body, double target[3], double *radius)
{
  const struct dc_reach_options *reach = options;
  if (i >= body_count(reach))
    return false;
  *body = body_of(reach, i);
  dc_vec_copy(target, reach->target);
  *radius = reach->tolerance;
  return true;
}

const struct dc_objective_type dc_objective_reach = {
    .name = "reach",
    .summary = "weight * max(|x - target|^2 - tolerance^2, 0) of the centre of mass x of a body, or of several",
    .reference = "paper 000, A.6.2: the loss that measures progress in all benchmarks",
    .options = options_table,
    .options_size = sizeof(struct dc_reach_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .conditions = conditions,
    .goal = goal,
    .mark = mark,
};
