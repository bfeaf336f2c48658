// SPDX-License-Identifier: Apache-2.0
// Objective "velocity": a cost of the speed of the centres of mass x of bodies,
//     f = weight * mean over t of sum |d_t|^2,   d_t = (x_{t+1} - x_t) / h
// over the chosen axes.  With n steps that count, the derivative is 2 weight d_t / (n h) by x_{t+1}, and minus that by
// x_t.
#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_BODY_LIST_OPTION(struct dc_velocity_options, bodies, NULL, DC_OBJECTIVE_BODIES_MOST,
                        "names of the bodies that shall be slow"),
    DC_WEIGHT_OPTION(struct dc_velocity_options, weight, "s^2/m^2", "factor on the squared velocity"),
    DC_WHEN_OPTION(struct dc_velocity_options, when, "\"every\"",
                   "every: the mean over all steps; end: the last step counts"),
    DC_AXES_OPTION(struct dc_velocity_options, "\"xyz\""),
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_velocity_options *velocity = options;
  enum dc_status status = dc_objective_check_bodies(&velocity->bodies, model, error);
  return status ? status : dc_objective_check_axes(velocity->axes, error);
}

// Adds weight |v|^2 over frames and bodies, times the frames' share; v: the difference of two frames over the time
// step.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = dc_objective_frames(velocity->when, trajectory);
  double h = trajectory->time_step, sum = 0;
  for (int frame = frames.first; frame <= frames.last && frame > 0; frame++) {
    for (int i = 0; i < velocity->bodies.count; i++) {
      double speed[3];
      int body = velocity->bodies.indices[i];
      dc_objective_offset(speed, dc_objective_center(trajectory, frame, body),
                          dc_objective_center(trajectory, frame - 1, body), velocity->axes);
      dc_vec_scale(speed, speed, 1 / h);
      sum += velocity->weight * dc_vec_dot(speed, speed);
      double scale = 2 * velocity->weight * frames.share / h;
      dc_objective_add(cotangent, model, trajectory, frame, body, scale, speed);
      dc_objective_add(cotangent, model, trajectory, frame - 1, body, -scale, speed);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

// Steps that count: none of a trajectory without steps.
static struct dc_frame_range steps_of(const struct dc_velocity_options *velocity,
                                      const struct dc_trajectory *trajectory)
{
  struct dc_frame_range frames = dc_objective_frames(velocity->when, trajectory);
  frames.first = frames.first > 0 ? frames.first : 1;
  return frames;
}

static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  return (frames.last - frames.first + 1) * velocity->bodies.count;
}

// Rows d_t.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)model, (void)input;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  int frame, body = velocity->bodies.indices[dc_objective_place(&frames, velocity->bodies.count, index, &frame)];
  double speed[3];
  dc_objective_offset(speed, dc_objective_center(trajectory, frame, body),
                      dc_objective_center(trajectory, frame - 1, body), velocity->axes);
  dc_vec_scale(speed, speed, 1 / trajectory->time_step);
  dc_objective_group(group, velocity->axes, speed, speed);
  group->weight = frames.share * velocity->weight;
  group->value = group->weight * dc_vec_dot(speed, speed);
  *first = frame - 1, *last = frame;
}

static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_velocity_options *velocity = options;
  struct dc_frame_range frames = steps_of(velocity, trajectory);
  int frame, body = velocity->bodies.indices[dc_objective_place(&frames, velocity->bodies.count, index, &frame)];
  double direction[3], rate = 1 / trajectory->time_step;
  dc_objective_scatter(velocity->axes, weights, direction);
  dc_objective_add(cotangent, model, trajectory, frame, body, rate, direction);
  dc_objective_add(cotangent, model, trajectory, frame - 1, body, -rate, direction);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

const struct dc_objective_type dc_objective_velocity = {
    .name = "velocity",
    .summary = "weight * squared velocity of the centres of mass of bodies",
    .reference = "a quadratic running cost of optimal control",
    .options = options_table,
    .options_size = sizeof(struct dc_velocity_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
};
