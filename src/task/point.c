// SPDX-License-Identifier: Apache-2.0
// Objective "point": a point p of a body, given in the frame of its shape, approaches a position y,
//
//     d = x + R (p - c) - y along the chosen axes,    dd/dw = -[R (p - c)]x,    dd/dx = 1,    dd/dc = -R,
//
// with x the centre of mass and c its position in the shape's frame, which designs of shapes change.
#include "task/goal.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_point_options, body, NULL, "name of the body that the point is fixed to"),
    DC_VECTOR_OPTION(struct dc_point_options, point, "m", "[0, 0, 0]", 1e6, "point in the frame of the body's shape"),
    DC_TARGET_OPTION(struct dc_point_options, "place that the point shall come to"),
    DC_GOAL_OPTIONS(struct dc_point_options, goal, "m", "1/m^2"),
    DC_AXES_OPTION(struct dc_point_options, "\"xyz\""),
    DC_OPTIONS_END,
};

// Refuses points off the centre of a frame on nodes, which does not turn, so that such a point would not follow
// the body.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_point_options *point = options;
  if (point->body < 0 || point->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  const struct dc_body *body = &model->bodies.bodies[point->body];
  if (dc_support_of(&model->bodies, point->body) && dc_vec_distance(point->point, body->center) > 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "point: must be the centre of mass of \"%.255s\", which follows the nodes of a soft body and does not "
                   "turn (fix a body to the soft one at the point)",
                   body->name);
  return dc_objective_check_axes(point->axes, error);
}

// R (p - c)
static void arm_of(const struct dc_point_options *point, const struct dc_model *model, const struct dc_pose *pose,
                   double arm[3])
{
  double local[3];
  dc_vec_sub(local, point->point, model->bodies.bodies[point->body].center);
  dc_mat_apply(arm, pose->rotation, local);
}

// Coordinates of the point relative to its target along the chosen axes, m.
static int residual(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, double d[3])
{
  (void)i;
  const struct dc_point_options *point = options;
  const struct dc_pose *pose = dc_goal_pose(trajectory, frame, point->body);
  double arm[3], place[3];
  int axes[3], rows = dc_objective_axes(point->axes, axes);
  arm_of(point, model, pose, arm);
  dc_vec_add(place, pose->position, arm);
  for (int k = 0; k < rows; k++)
    d[k] = place[axes[k]] - point->target[axes[k]];
  return rows;
}

// Pulls weights on the point's coordinates back to its body: a force at the end of the arm is a force and a torque.
// With a shape design the centre of mass, which the arm starts from, moves the other way.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                      int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent)
{
  (void)i;
  const struct dc_point_options *point = options;
  const struct dc_pose *pose = dc_goal_pose(trajectory, frame, point->body);
  struct dc_shape_design *by = cotangent->input ? cotangent->input->shape : NULL;
  double arm[3], force[3], turn[3], local[3];
  dc_objective_scatter(point->axes, weights, force);
  arm_of(point, model, pose, arm);
  dc_vec_cross(turn, arm, force);
  dc_goal_add(cotangent, model, trajectory, frame, point->body, turn, force);
  if (by) {
    dc_mat_apply_transposed(local, pose->rotation, force);
    dc_vec_sub(by->center[point->body], by->center[point->body], local);
  }
}

static bool mark(const void *options, int i, int *body, double target[3], double *radius)
{
  const struct dc_point_options *point = options;
  *body = point->body;
  dc_vec_copy(target, point->target);
  *radius = point->goal.tolerance;
  return i == 0;
}

static const struct dc_goal_kind kind = {
    .residual = residual, .pull_back = pull_back, .body_at = offsetof(struct dc_point_options, body)};
DC_GOAL_FUNCTIONS(kind)

const struct dc_objective_type dc_objective_point = {
    .name = "point",
    .summary = "weight * max(|x - target|^2 - tolerance^2, 0) of a point of a body",
    .reference = "the task of a hand in operational space (Khatib 1987)",
    .options = options_table,
    .options_size = sizeof(struct dc_point_options),
    .check = check,
    .evaluate = goal_evaluate,
    .rows = &goal_rows,
    .report = goal_report,
    .mark = mark,
};
