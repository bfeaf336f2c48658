// SPDX-License-Identifier: Apache-2.0
// Objective "com": the common centre of mass c = sum m_i x_i / M, M = sum m_i, of bodies comes within a tolerance of a
// target y (paper 003, VI: the walkers' loss),
//     f = weight * max(e, 0),   e = |c - y|^2 - (inside tolerance)^2,   cbar = 2 weight (c - y) where e > 0, else 0,
//     x_i gains m_i/M cbar,   m_i gains (x_i - c) . cbar / M,
// where |.| is taken over the chosen axes.  The masses are those of the present model, with its design, times the
// factors of the input.
#include <math.h>

#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_BODIES_OPTION(struct dc_com_options,
                     "names of the bodies whose common centre of mass counts; all that move when absent"),
    DC_TARGET_OPTION(struct dc_com_options, "point that the common centre of mass shall reach"),
    DC_TOLERANCE_OPTION(struct dc_com_options, tolerance, "m", "0", "distance that counts as reached"),
    DC_INSIDE_OPTION(struct dc_com_options, inside),
    DC_WEIGHT_OPTION(struct dc_com_options, weight, "1/m^2", "factor on the squared distance"),
    DC_WHEN_OPTION(struct dc_com_options, when, "\"end\"", DC_WHEN_FRAMES),
    DC_AXES_OPTION(struct dc_com_options, "\"xyz\""),
    DC_OPTIONS_END,
};

// Bodies as listed, or, with an empty list, all of the model; those without mass add nothing.
static int body_count(const struct dc_com_options *com, const struct dc_model *model)
{
  return com->bodies.count ? com->bodies.count : model->bodies.count;
}

static int body_of(const struct dc_com_options *com, int i)
{
  return com->bodies.count ? com->bodies.indices[i] : i;
}

// Refuses bodies without mass that are named, as they would not count; a mass of all bodies together must
// remain.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_com_options *com = options;
  enum dc_status status = com->bodies.count ? dc_objective_check_bodies(&com->bodies, model, error) : DC_OK;
  bool moves = false;
  for (int i = 0; i < body_count(com, model) && !status; i++) {
    bool fixed = dc_objective_scene_mass(model, body_of(com, i)) == 0;
    if (fixed && com->bodies.count)
      return dc_fail(error, DC_BAD_INPUT, "bodies: \"%.255s\" has no mass%s",
                     model->bodies.bodies[body_of(com, i)].name,
                     dc_frame_moves(&model->bodies, body_of(com, i)) ? "" : ", it never moves");
    moves |= !fixed;
  }
  if (!status && !moves)
    status = dc_fail(error, DC_BAD_INPUT, "bodies: none moves");
  return status ? status : dc_objective_check_axes(com->axes, error);
}

// Computes c and returns M.
static double center_of(const struct dc_com_options *com, const struct dc_model *model,
                        const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int frame,
                        double center[3])
{
  double total = 0;
  center[0] = center[1] = center[2] = 0;
  for (int i = 0; i < body_count(com, model); i++) {
    int body = body_of(com, i);
    double mass = dc_objective_mass_of(model, input, body);
    dc_vec_add_scaled(center, center, mass, dc_objective_center(trajectory, frame, body));
    total += mass;
  }
  dc_vec_scale(center, center, 1 / total);
  return total;
}

// Adds the derivatives by positions and masses that follow from by_center, the derivative by c.
static void pull_back(const struct dc_com_options *com, const struct dc_model *model,
                      const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int frame,
                      const double by_center[3], struct dc_loss_cotangent *cotangent)
{
  double center[3], total = center_of(com, model, input, trajectory, frame, center);
  for (int i = 0; i < body_count(com, model); i++) {
    int body = body_of(com, i);
    double mass = dc_objective_mass_of(model, input, body), arm[3];
    dc_objective_add(cotangent, model, trajectory, frame, body, mass / total, by_center);
    dc_vec_sub(arm, dc_objective_center(trajectory, frame, body), center);
    dc_objective_add_mass(cotangent, model, input, body, dc_vec_dot(arm, by_center) / total);
  }
}

// weight * max(e, 0), and c - y in offset; NaN stays NaN
static double frame_value(const struct dc_com_options *com, const struct dc_model *model,
                          const struct dc_rollout_input *input, const struct dc_trajectory *trajectory, int frame,
                          double offset[3])
{
  double center[3];
  center_of(com, model, input, trajectory, frame, center);
  dc_objective_offset(offset, center, com->target, com->axes);
  double rim = dc_objective_rim(com->inside, com->tolerance), excess = dc_vec_dot(offset, offset) - rim * rim;
  return excess <= 0 ? 0 : com->weight * excess;
}

// Adds weight max(d^2 - (inside tolerance)^2, 0) over the frames, times their share; d: distance of the common centre
// of mass from the target.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  const struct dc_com_options *com = options;
  struct dc_frame_range frames = dc_objective_frames(com->when, trajectory);
  double sum = 0;
  for (int frame = frames.first; frame <= frames.last; frame++) {
    double offset[3], value = frame_value(com, model, input, trajectory, frame, offset);
    sum += value;
    if (cotangent && value != 0) {
      dc_vec_scale(offset, offset, 2 * com->weight * frames.share);
      pull_back(com, model, input, trajectory, frame, offset, cotangent);
    }
    dc_trajectory_release(trajectory, frame);
  }
  return frames.share * sum;
}

// One group of rows for each frame that counts.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  (void)model;
  struct dc_frame_range frames = dc_objective_frames(((const struct dc_com_options *)options)->when, trajectory);
  return frames.last - frames.first + 1;
}

// One group per frame with rows c - y and a disc of the radius `inside` times the tolerance.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  const struct dc_com_options *com = options;
  struct dc_frame_range frames = dc_objective_frames(com->when, trajectory);
  double offset[3], beyond[3];
  *first = *last = frames.first + index;
  double value = frame_value(com, model, input, trajectory, *first, offset);
  dc_vec_scale(beyond, offset, value != 0);
  dc_objective_group(group, com->axes, offset, beyond);
  group->weight = frames.share * com->weight;
  group->value = frames.share * value;
  group->radius = dc_objective_rim(com->inside, com->tolerance);
}

// Pulls weights on the rows of a frame back; rows are those of the chosen axes.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  const struct dc_com_options *com = options;
  double direction[3];
  dc_objective_scatter(com->axes, weights, direction);
  pull_back(com, model, input, trajectory, dc_objective_frames(com->when, trajectory).first + index, direction,
            cotangent);
}

static const struct dc_objective_rows rows = {
    .by_input = true, .count = row_groups, .group = row_group, .pull_back = row_pull_back};

// No single body is to blame for a common centre of mass, so that *body is -1.
static void report(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                   const struct dc_trajectory *trajectory, int frame, int *body, double *distance, bool *reached)
{
  const struct dc_com_options *com = options;
  double offset[3];
  *body = -1;
  frame_value(com, model, input, trajectory, frame, offset);
  *distance = dc_vec_norm(offset);
  *reached = dc_vec_dot(offset, offset) - com->tolerance * com->tolerance <= 0;
}

// One ring about the target; no body belongs to it.
static bool mark(const void *options, int i, int *body, double target[3], double *radius)
{
  const struct dc_com_options *com = options;
  *body = -1;
  dc_vec_copy(target, com->target);
  *radius = com->tolerance;
  return i == 0;
}

const struct dc_objective_type dc_objective_com = {
    .name = "com",
    .summary = "weight * max(|c - target|^2 - tolerance^2, 0) of the common centre of mass c of bodies",
    .reference = "paper 003, VI: the loss of its walking robots",
    .options = options_table,
    .options_size = sizeof(struct dc_com_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
    .report = report,
    .mark = mark,
};
