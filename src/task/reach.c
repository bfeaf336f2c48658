// SPDX-License-Identifier: Apache-2.0
// Objective "reach": the centres of mass x of bodies come within a tolerance of a target y,
//     f = weight * sum max(e, 0),   e = |x - y|^2 - tolerance^2,   df/dx = 2 weight (x - y) where e > 0, else 0,
// with |.| over the chosen axes.  The kink at e = 0 takes the derivative of the inside.
#include <math.h>

#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    {.name = "body",
     .type = DC_BODY,
     .unit = "",
     .fallback = "null",
     .help = "name of the body that shall reach the target",
     .offset = offsetof(struct dc_reach_options, body)},
    {.name = "bodies",
     .type = DC_BODY_LIST,
     .unit = "",
     .fallback = "null",
     .count = DC_OBJECTIVE_BODIES_MOST,
     .help = "names of several bodies that shall reach it, instead of body",
     .offset = offsetof(struct dc_reach_options, bodies)},
    {.name = "target",
     .type = DC_REALS,
     .unit = "m",
     .count = 3,
     .minimum = -1e6,
     .maximum = 1e6,
     .help = "point that the centre of mass shall reach",
     .offset = offsetof(struct dc_reach_options, target)},
    {.name = "tolerance",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e6,
     .help = "distance that counts as reached",
     .offset = offsetof(struct dc_reach_options, tolerance)},
    DC_WEIGHT_OPTION(struct dc_reach_options, "1/m^2", "factor on the squared distance"),
    DC_WHEN_OPTION(struct dc_reach_options, "\"end\"",
                   "end: the last frame counts; every: the mean over all frames after the first"),
    DC_AXES_OPTION(struct dc_reach_options, "\"xyz\""),
    DC_OPTIONS_END,
};

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
  return status ? status : dc_objective_check_axes(reach->axes, error);
}

static int body_count(const struct dc_reach_options *reach)
{
  return reach->body >= 0 ? 1 : reach->bodies.count;
}

static int body_of(const struct dc_reach_options *reach, int i)
{
  return reach->body >= 0 ? reach->body : reach->bodies.indices[i];
}

// weight * max(e, 0); a NaN stays one.
static double body_value(const struct dc_reach_options *reach, double squared_distance)
{
  double excess = squared_distance - reach->tolerance * reach->tolerance;
  return excess <= 0 ? 0 : reach->weight * excess;
}

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
      sum += value;
      if (value != 0)
        dc_objective_add(cotangent, model, trajectory, frame, body, 2 * reach->weight * frames.share, offset);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  const struct dc_reach_options *reach = options;
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  return (frames.last - frames.first + 1) * body_count(reach);
}

// Rows x - y; nothing is wrong within the tolerance.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  static const double none[3] = {0, 0, 0};
  const struct dc_reach_options *reach = options;
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  int frame, body = body_of(reach, dc_objective_place(&frames, body_count(reach), index, &frame));
  double offset[3];
  dc_objective_offset(offset, dc_objective_center(trajectory, frame, body), reach->target, reach->axes);
  double value = body_value(reach, dc_vec_dot(offset, offset));
  dc_objective_group(group, reach->axes, offset, value != 0 ? offset : none);
  group->weight = frames.share * reach->weight;
  group->value = frames.share * value;
  group->radius = reach->tolerance;
  *first = *last = frame;
}

static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_reach_options *reach = options;
  struct dc_frame_range frames = dc_objective_frames(reach->when, trajectory);
  int frame, body = body_of(reach, dc_objective_place(&frames, body_count(reach), index, &frame));
  double direction[3];
  dc_objective_scatter(reach->axes, weights, direction);
  dc_objective_add(cotangent, model, trajectory, frame, body, 1, direction);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

static void report(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory, int frame,
                   int *body, double *distance, bool *reached)
{
  (void)model;
  const struct dc_reach_options *reach = options;
  *body = -1, *distance = -1, *reached = true;
  for (int i = 0; i < body_count(reach); i++) {
    double offset[3];
    dc_objective_offset(offset, dc_objective_center(trajectory, frame, body_of(reach, i)), reach->target, reach->axes);
    double squared = dc_vec_dot(offset, offset);
    *reached = *reached && squared - reach->tolerance * reach->tolerance <= 0;
    if (!(sqrt(squared) <= *distance))
      *body = body_of(reach, i), *distance = sqrt(squared);
  }
}

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
    .mark = mark,
};
