// SPDX-License-Identifier: Apache-2.0
// Objective "orientation": the rotation R of a body approaches a rotation Y,
//
//     d = log(R Y^T), a rotation vector, |d| <= pi the angle between the two,    dd/dw = J_l(d)^-1.
//
// At half a turn the direction of d is discontinuous: from there a body may rotate either way.
#include <math.h>

#include "math/rotation.h"
#include "task/goal.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_orientation_options, body, NULL, "name of the body that shall turn"),
    DC_REALS_OPTION(struct dc_orientation_options, target, "", "[1, 0, 0, 0]", 4, -1, 1,
                    "rotation of the frame of its shape, unit quaternion (w, x, y, z)"),
    DC_GOAL_OPTIONS(struct dc_orientation_options, goal, "rad", "1/rad^2"),
    DC_OPTIONS_END,
};

// Frames on nodes are points without a rotation.  A quaternion far from unit length is most likely a mistake.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_orientation_options *orientation = options;
  double length = sqrt(dc_dot(orientation->target, orientation->target, 4));
  if (orientation->body < 0 || orientation->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  enum dc_status status = dc_frame_check_turns(&model->bodies, orientation->body, "body", error);
  if (status)
    return status;
  if (!(fabs(length - 1) <= 1e-3))
    return dc_fail(error, DC_BAD_INPUT, "target: must be of unit length within 0.001 (its length is %.10g)", length);
  return DC_OK;
}

// d [3] = log(R Y^T), rad, in world axes; its length is the angle of the shortest turn between the two.
static int residual(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, double d[3])
{
  (void)model, (void)i;
  const struct dc_orientation_options *orientation = options;
  double inverse[4], relative[4];
  dc_rotation_conjugate(inverse, orientation->target);
  dc_rotation_multiply(relative, dc_goal_pose(trajectory, frame, orientation->body)->quaternion, inverse);
  dc_rotation_log(d, relative);
  return 3;
}

// The torque J_l(d)^-T weights about the body's centre; no force.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                      int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent)
{
  const struct dc_orientation_options *orientation = options;
  double d[3], inverse[9], turn[3], force[3] = {0};
  residual(options, model, trajectory, frame, i, d);
  dc_rotation_left_jacobian_inverse(inverse, d);
  dc_mat_apply_transposed(turn, inverse, weights);
  dc_goal_add(cotangent, model, trajectory, frame, orientation->body, turn, force);
}

static const struct dc_goal_kind kind = {
    .residual = residual, .pull_back = pull_back, .body_at = offsetof(struct dc_orientation_options, body)};
DC_GOAL_FUNCTIONS(kind)

const struct dc_objective_type dc_objective_orientation = {
    .name = "orientation",
    .summary = "weight * max(angle^2 - tolerance^2, 0) of the rotation of a body to a target",
    .reference = "the distance of rotations along the shortest way (Huynh 2009)",
    .options = options_table,
    .options_size = sizeof(struct dc_orientation_options),
    .check = check,
    .evaluate = goal_evaluate,
    .rows = &goal_rows,
    .report = goal_report,
};
