// SPDX-License-Identifier: Apache-2.0
// Objective "effort": a cost of the forces F of actuators, forces of lengths and torques of angles alike,
//     f = weight * mean over the steps of sum F_a^2,   df/dF_a = 2 weight F_a / steps.
#include <string.h>

#include "task/objective_parts.h"

// Coordinates of actuators in a scene: two arrays of so many numbers stand on the stack, 64 KB.
enum { MOST_FORCES = 4096 };

static const struct dc_option options_table[] = {
    DC_BODIES_OPTION(struct dc_effort_options, "names of the bodies with pd whose actuators count; all when absent"),
    DC_WEIGHT_OPTION(struct dc_effort_options, weight, "1/N^2 or 1/(N m)^2", "factor on the squared forces"),
    DC_OPTIONS_END,
};

// Whether the scene has any actuator with a force.
static bool any_pd(const struct dc_bodies *bodies)
{
  for (int i = 0; i < bodies->count; i++)
    if (bodies->bodies[i].pd)
      return true;
  return false;
}

// Refuses bodies without proportional-derivative actuators: cables and soft bodies are driven by lengths and
// pressures, for which no force is computed here.  MOST_FORCES bounds arrays on the stack.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_effort_options *effort = options;
  enum dc_status status = DC_OK;
  if (!any_pd(&model->bodies))
    status = dc_fail(error, DC_BAD_INPUT, "bodies: must have an actuator (no body has pd)");
  else if (model->bodies.actuator_count > MOST_FORCES)
    status = dc_fail(error, DC_BAD_INPUT, "bodies: must have at most %d actuator coordinates in the scene (has %d)",
                     MOST_FORCES, model->bodies.actuator_count);
  else if (effort->bodies.count > 0)
    status = dc_objective_check_bodies(&effort->bodies, model, error);
  for (int i = 0; i < effort->bodies.count && !status; i++) {
    const struct dc_body *body = &model->bodies.bodies[effort->bodies.indices[i]];
    if (!body->pd && body->actuator >= 0)
      status = dc_fail(error, DC_BAD_INPUT, "bodies: must have a joint with pd (\"%s\" is %s, whose drives have no effort)",
                       body->name, dc_cable_of(&model->bodies, effort->bodies.indices[i]) ? "a cable" : "soft");
    else if (!body->pd)
      status = dc_fail(error, DC_BAD_INPUT, "bodies: must have an actuator (\"%s\" has no pd: \"pd\": {\"kp\": ..., \"kd\": ...} of the body gives it one)", body->name);
  }
  return status;
}

// weights = 2 weight / steps times the forces that count, zero for others; returns weight times the sum of their
// squares.
static double weigh(const struct dc_effort_options *effort, const struct dc_model *model, int steps,
                    const double *forces, double *weights)
{
  double sum = 0;
  memset(weights, 0, (size_t)model->bodies.actuator_count * sizeof *weights);
  int count = effort->bodies.count ? effort->bodies.count : model->bodies.count;
  for (int i = 0; i < count; i++) {
    const struct dc_body *body = &model->bodies.bodies[effort->bodies.count ? effort->bodies.indices[i] : i];
    if (!body->pd)
      continue;
    for (int a = body->actuator; a < body->actuator + body->nv; a++) {
      sum += effort->weight * forces[a] * forces[a];
      weights[a] = 2 * effort->weight * forces[a] / steps;
    }
  }
  return sum;
}

// Sums over the steps.  The force of a step depends on the states at both its ends and on targets and gains;
// dc_rollout_actuator_pull_back adds its derivatives to the cotangents of both frames.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  double forces[MOST_FORCES], weights[MOST_FORCES], sum = 0;
  for (int step = 0; step < trajectory->steps; step++) {
    dc_rollout_actuator_forces(model, input, trajectory, step, forces);
    sum += weigh(options, model, trajectory->steps, forces, weights) / trajectory->steps;
    if (cotangent) {
      double *now = cotangent->frames.forces + (size_t)(step - cotangent->first) * (size_t)model->bodies.nv;
      dc_rollout_actuator_pull_back(model, input, trajectory, step, weights, now, now + model->bodies.nv,
                                    cotangent->input);
    }
    dc_trajectory_release(trajectory, step);
  }
  return sum;
}

// Number of actuator coordinates that count.
static int force_count(const struct dc_effort_options *effort, const struct dc_model *model)
{
  int sum = 0, count = effort->bodies.count ? effort->bodies.count : model->bodies.count;
  for (int i = 0; i < count; i++) {
    const struct dc_body *body = &model->bodies.bodies[effort->bodies.count ? effort->bodies.indices[i] : i];
    sum += body->pd ? body->nv : 0;
  }
  return sum;
}

// Entry of the n-th of them.
static int force_at(const struct dc_effort_options *effort, const struct dc_model *model, int n)
{
  for (int i = 0;; i++) {
    const struct dc_body *body = &model->bodies.bodies[effort->bodies.count ? effort->bodies.indices[i] : i];
    int own = body->pd ? body->nv : 0;
    if (n < own)
      return body->actuator + n;
    n -= own;
  }
}

// A group of one row for each step and force.
static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  return trajectory->steps * force_count(options, model);
}

// One row per force and step.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  const struct dc_effort_options *effort = options;
  int count = force_count(effort, model), step = index / count;
  double forces[MOST_FORCES];
  dc_rollout_actuator_forces(model, input, trajectory, step, forces);
  group->axes = 1;
  group->d[0] = group->e[0] = forces[force_at(effort, model, index % count)];
  group->weight = effort->weight / trajectory->steps;
  group->value = group->weight * group->d[0] * group->d[0];
  *first = step, *last = step + 1;
}

// The weight is the cotangent of one force in one step, pulled back like those of the loss.
static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  const struct dc_effort_options *effort = options;
  int count = force_count(effort, model), step = index / count;
  double by_force[MOST_FORCES],
      *now = cotangent->frames.forces + (size_t)(step - cotangent->first) * (size_t)model->bodies.nv;
  memset(by_force, 0, (size_t)model->bodies.actuator_count * sizeof *by_force);
  by_force[force_at(effort, model, index % count)] = weights[0];
  dc_rollout_actuator_pull_back(model, input, trajectory, step, by_force, now, now + model->bodies.nv,
                                cotangent->input);
}

static const struct dc_objective_rows rows = {
    .by_input = true, .count = row_groups, .group = row_group, .pull_back = row_pull_back};

const struct dc_objective_type dc_objective_effort = {
    .name = "effort",
    .summary = "weight * mean squared force of actuators",
    .reference = "a quadratic running cost of optimal control",
    .options = options_table,
    .options_size = sizeof(struct dc_effort_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
};
