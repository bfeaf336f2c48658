// SPDX-License-Identifier: Apache-2.0
// Objective "effort": a cost of the forces F of actuators, forces of lengths and torques of angles alike,
//     f = weight * mean over the steps of sum F_a^2,   df/dF_a = 2 weight F_a / steps.
#include <string.h>

#include "task/objective_parts.h"

enum { MOST_FORCES = 4096 };

static const struct dc_option options_table[] = {
    {.name = "bodies",
     .type = DC_BODY_LIST,
     .unit = "",
     .fallback = "null",
     .count = DC_OBJECTIVE_BODIES_MOST,
     .help = "names of the bodies with pd whose actuators count; all when absent",
     .offset = offsetof(struct dc_effort_options, bodies)},
    DC_WEIGHT_OPTION(struct dc_effort_options, "1/N^2 or 1/(N m)^2", "factor on the squared forces"),
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_effort_options *effort = options;
  enum dc_status status = DC_OK;
  if (model->bodies.actuator_count == 0)
    status = dc_fail(error, DC_BAD_INPUT, "bodies: must have an actuator (no body has pd)");
  else if (model->bodies.actuator_count > MOST_FORCES)
    status = dc_fail(error, DC_BAD_INPUT, "bodies: must have at most %d actuator coordinates in the scene (has %d)",
                     MOST_FORCES, model->bodies.actuator_count);
  else if (effort->bodies.count > 0)
    status = dc_objective_check_bodies(&effort->bodies, model, error);
  for (int i = 0; i < effort->bodies.count && !status; i++) {
    const struct dc_body *body = &model->bodies.bodies[effort->bodies.indices[i]];
    if (body->actuator < 0)
      status = dc_fail(error, DC_BAD_INPUT, "bodies: must have an actuator (\"%s\" has no pd)", body->name);
  }
  return status;
}

// 2 weight / steps times the forces that count, zero for the others; returns weight * the sum of their squares.
static double weigh(const struct dc_effort_options *effort, const struct dc_model *model, int steps,
                    const double *forces, double *weights)
{
  double sum = 0;
  memset(weights, 0, (size_t)model->bodies.actuator_count * sizeof *weights);
  int count = effort->bodies.count ? effort->bodies.count : model->bodies.count;
  for (int i = 0; i < count; i++) {
    const struct dc_body *body = &model->bodies.bodies[effort->bodies.count ? effort->bodies.indices[i] : i];
    if (body->actuator < 0)
      continue;
    for (int a = body->actuator; a < body->actuator + body->nv; a++) {
      sum += effort->weight * forces[a] * forces[a];
      weights[a] = 2 * effort->weight * forces[a] / steps;
    }
  }
  return sum;
}

static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  double forces[MOST_FORCES], weights[MOST_FORCES], sum = 0;
  for (int step = 0; step < trajectory->steps; step++) {
    dc_rollout_actuator_forces(model, input, trajectory, step, forces);
    sum += weigh(options, model, trajectory->steps, forces, weights) / trajectory->steps;
    if (cotangent) {
      double *now = cotangent->frames.forces + (size_t)step * (size_t)model->bodies.nv;
      dc_rollout_actuator_pull_back(model, input, trajectory, step, weights, now, now + model->bodies.nv,
                                    cotangent->input);
    }
    dc_trajectory_release(trajectory, step);
  }
  return sum;
}

const struct dc_objective_type dc_objective_effort = {
    .name = "effort",
    .summary = "weight * mean squared force of actuators",
    .reference = "a quadratic running cost of optimal control",
    .options = options_table,
    .options_size = sizeof(struct dc_effort_options),
    .check = check,
    .evaluate = evaluate,
};
