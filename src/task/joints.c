// SPDX-License-Identifier: Apache-2.0
// Objective "joints": slides and hinges come to given coordinates, d_i = q_i - y_i, a goal each.
#include "task/goal.h"

static const struct dc_option options_table[] = {
    DC_BODY_LIST_OPTION(struct dc_joints_options, bodies, NULL, DC_OBJECTIVE_BODIES_MOST,
                        "names of the bodies whose joints, slides and hinges, shall come to their targets"),
    DC_REAL_LIST_OPTION(struct dc_joints_options, target, "m or rad", NULL, DC_OBJECTIVE_BODIES_MOST, -1e6, 1e6,
                        "a coordinate for each slide and hinge, body after body"),
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
  if (joints->target.count != count)
    return dc_fail(error, DC_BAD_INPUT, "target: must hold %d numbers, one per slide and hinge (holds %d)", count,
                   joints->target.count);
  return DC_OK;
}

static int count(const void *options, const struct dc_model *model)
{
  (void)model;
  return ((const struct dc_joints_options *)options)->target.count;
}

static int residual(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                    int frame, int i, double d[3])
{
  const struct dc_joints_options *joints = options;
  int body;
  d[0] = trajectory->q[(size_t)frame * (size_t)trajectory->nq + (size_t)part_at(joints, model, i, &body)->q] -
         joints->target.values[i];
  return 1;
}

static void pull_back(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory,
                      int frame, int i, const double weights[3], struct dc_loss_cotangent *cotangent)
{
  int body;
  size_t slice = (size_t)(frame - cotangent->first);
  cotangent->frames.forces[slice * (size_t)trajectory->nv + (size_t)part_at(options, model, i, &body)->v] += weights[0];
}

static int body_of(const void *options, const struct dc_model *model, int i)
{
  int body = -1;
  part_at(options, model, i, &body);
  return body;
}

static const struct dc_goal_kind kind = {
    .count = count, .residual = residual, .pull_back = pull_back, .body_of = body_of};
DC_GOAL_FUNCTIONS(kind)

const struct dc_objective_type dc_objective_joints = {
    .name = "joints",
    .summary = "weight * sum of max((q - target)^2 - tolerance^2, 0) of the coordinates of joints",
    .reference = "a goal in joint space",
    .options = options_table,
    .options_size = sizeof(struct dc_joints_options),
    .check = check,
    .evaluate = goal_evaluate,
    .rows = &goal_rows,
    .report = goal_report,
};
