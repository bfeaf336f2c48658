// SPDX-License-Identifier: Apache-2.0
// Objective "upright": a direction a of a body points along a world direction y, whatever the rotation about it,
//
//     d = R a - y,    |d| = 2 sin(angle/2),    dd/dw = -[R a]x.
//
// It is smooth at every angle; apart from the goal it is stationary only where a points the opposite way.  The
// tolerance applies to |d|, which for small angles is the angle in rad.
#include "task/goal.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_upright_options, body, NULL, "name of the body that shall stand upright"),
    DC_VECTOR_OPTION(struct dc_upright_options, axis, "", "[0, 0, 1]", 1e6,
                     "direction in the frame of its shape, of any length"),
    DC_VECTOR_OPTION(struct dc_upright_options, target, "", "[0, 0, 1]", 1e6,
                     "direction in the world that it shall have, of any length"),
    DC_GOAL_OPTIONS(struct dc_upright_options, goal, "", ""),
    DC_OPTIONS_END,
};

// Directions may have any length but zero.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_upright_options *upright = options;
  if (upright->body < 0 || upright->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  enum dc_status status = dc_frame_check_turns(&model->bodies, upright->body, "body", error);
  if (status)
    return status;
  if (!(dc_vec_norm(upright->axis) > 0))
    return dc_fail(error, DC_BAD_INPUT, "axis: must not be zero");
  if (!(dc_vec_norm(upright->target) > 0))
    return dc_fail(error, DC_BAD_INPUT, "target: must not be zero");
  return DC_OK;
}

// R a, a of unit length
static void direction_of(const struct dc_upright_options *upright, const struct dc_trajectory *trajectory, int frame,
                         double direction[3])
{
  dc_mat_apply(direction, dc_goal_pose(trajectory, frame, upright->body)->rotation, upright->axis);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(upright->axis));
}

static int residual(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, double d[3])
{
  (void)model, (void)i;
  const struct dc_upright_options *upright = options;
  direction_of(upright, trajectory, frame, d);
  dc_vec_add_scaled(d, d, -1 / dc_vec_norm(upright->target), upright->target);
  return 3;
}

static void pull_back(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                      int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent)
{
  (void)i;
  const struct dc_upright_options *upright = options;
  double direction[3], turn[3], force[3] = {0};
  direction_of(upright, trajectory, frame, direction);
  dc_vec_cross(turn, direction, weights);
  dc_goal_add(cotangent, model, trajectory, frame, upright->body, turn, force);
}

static const struct dc_goal_kind kind = {
    .residual = residual, .pull_back = pull_back, .body_at = offsetof(struct dc_upright_options, body)};
DC_GOAL_FUNCTIONS(kind)

const struct dc_objective_type dc_objective_upright = {
    .name = "upright",
    .summary = "weight * max(|R axis - target|^2 - tolerance^2, 0) of a direction of a body",
    .reference = "the balance terms of legged robots' costs",
    .options = options_table,
    .options_size = sizeof(struct dc_upright_options),
    .check = check,
    .evaluate = goal_evaluate,
    .rows = &goal_rows,
    .report = goal_report,
};
