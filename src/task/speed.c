// SPDX-License-Identifier: Apache-2.0
// Objective "speed": joints stay below the velocity limits L of their bodies, where there is one,
//
//     f = weight * mean over the steps of sum e^2,   r = (q_{t+1} - q_t)/(h L),   e = r - min(max(r, -p), p)
//
// over slides and hinges, with the allowed fraction p of the limit.  The derivative is 2 weight e / (n h L) by q_{t+1},
// and minus that by q_t.
#include "task/objective_parts.h"

static const struct dc_option options_table[] = {
    DC_BODIES_OPTION(struct dc_speed_options,
                     "names of the bodies whose joints count; all with a velocity_limit when absent"),
    DC_POSITIVE_OPTION(struct dc_speed_options, part, "", "1", 1,
                       "part of the limit that is allowed: below 1 a plan ends inside"),
    DC_WEIGHT_OPTION(struct dc_speed_options, weight, "", "factor on the squared excess, in parts of the limit"),
    DC_OPTIONS_END,
};

// A coordinate that counts.
struct joint {
  int q, v;
  double limit;
};

// Finds the n-th slide or hinge that has a limit (n < 0: none) and returns how many there are.
static int find_joint(const struct dc_speed_options *speed, const struct dc_bodies *bodies, int n, struct joint *joint)
{
  int count = 0, listed = speed->bodies.count ? speed->bodies.count : bodies->count;
  for (int i = 0; i < listed; i++) {
    const struct dc_body *body = &bodies->bodies[speed->bodies.count ? speed->bodies.indices[i] : i];
    for (int p = 0; p < body->part_count && body->limits.velocity > 0; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
        continue;
      if (count++ == n)
        *joint = (struct joint){part->q, part->v, body->limits.velocity};
    }
  }
  return count;
}

// Refuses bodies without a limit that are named, and scenes in which no joint has one.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_speed_options *speed = options;
  struct joint joint = {0};
  enum dc_status status = speed->bodies.count ? dc_objective_check_bodies(&speed->bodies, model, error) : DC_OK;
  for (int i = 0; i < speed->bodies.count && !status; i++) {
    const struct dc_body *body = &model->bodies.bodies[speed->bodies.indices[i]];
    if (!(body->limits.velocity > 0))
      status = dc_fail(error, DC_BAD_INPUT, "bodies[%d]: \"%s\" must have a velocity_limit", i, body->name);
  }
  if (!status && !find_joint(speed, &model->bodies, -1, &joint))
    status = dc_fail(error, DC_BAD_INPUT, "bodies: none has a slide or hinge with a velocity_limit");
  return status;
}

// Speed of a joint in a step, relative to its limit.
static double ratio_of(const struct dc_trajectory *trajectory, const struct joint *joint, int step)
{
  const double *q = trajectory->q + (size_t)step * (size_t)trajectory->nq + (size_t)joint->q;
  return (q[trajectory->nq] - q[0]) / (trajectory->time_step * joint->limit);
}

// The part of a ratio beyond the allowed one, with its sign.
// 0 within the allowed part of the limit in either direction.
static double excess(const struct dc_speed_options *speed, double ratio)
{
  return ratio - fmin(fmax(ratio, -speed->part), speed->part);
}

// Adds scale times the derivative of the ratio.
static void add_ratio(const struct dc_model *model, const struct dc_trajectory *trajectory, const struct joint *joint,
                      int step, double scale, struct dc_loss_cotangent *cotangent)
{
  size_t nv = (size_t)model->bodies.nv;
  double *now = cotangent->frames.forces + (size_t)(step - cotangent->first) * nv + (size_t)joint->v;
  double rate = scale / (trajectory->time_step * joint->limit);
  now[nv] += rate;
  now[0] -= rate;
}

// Mean over the steps of weight e^2, e the excess of the joint's speed over its limit.
static double evaluate(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                       const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  (void)input;
  const struct dc_speed_options *speed = options;
  struct joint joint = {0};
  double sum = 0;
  int count = find_joint(speed, &model->bodies, -1, &joint);
  for (int n = 0; n < count && trajectory->steps > 0; n++) {
    find_joint(speed, &model->bodies, n, &joint);
    for (int step = 0; step < trajectory->steps; step++) {
      double e = excess(speed, ratio_of(trajectory, &joint, step)), weight = speed->weight / trajectory->steps;
      sum += weight * e * e;
      if (cotangent && e != 0)
        add_ratio(model, trajectory, &joint, step, 2 * weight * e, cotangent);
      dc_trajectory_release(trajectory, step);
    }
  }
  return sum;
}

static int row_groups(const void *options, const struct dc_model *model, const struct dc_trajectory *trajectory)
{
  struct joint joint = {0};
  return trajectory->steps * find_joint(options, &model->bodies, -1, &joint);
}

// One row r per joint and step.
static void row_group(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                      const struct dc_trajectory *trajectory, int index, struct dc_residual_group *group, int *first,
                      int *last)
{
  (void)input;
  const struct dc_speed_options *speed = options;
  struct joint joint = {0};
  int step = index % trajectory->steps;
  find_joint(speed, &model->bodies, index / trajectory->steps, &joint);
  group->axes = 1;
  group->d[0] = ratio_of(trajectory, &joint, step);
  group->e[0] = excess(speed, group->d[0]);
  group->radius = NAN;
  group->half[0] = speed->part;
  group->weight = speed->weight / trajectory->steps;
  group->value = group->weight * group->e[0] * group->e[0];
  *first = step, *last = step + 1;
}

static void row_pull_back(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                          const struct dc_trajectory *trajectory, int index, const double *weights,
                          struct dc_loss_cotangent *cotangent)
{
  (void)input;
  struct joint joint = {0};
  find_joint(options, &model->bodies, index / trajectory->steps, &joint);
  add_ratio(model, trajectory, &joint, index % trajectory->steps, weights[0], cotangent);
}

static const struct dc_objective_rows rows = {.count = row_groups, .group = row_group, .pull_back = row_pull_back};

const struct dc_objective_type dc_objective_speed = {
    .name = "speed",
    .summary = "weight * mean squared excess of the speed of joints over their limits",
    .reference = "a penalty on the limits of joints, as trajectory optimizers of robots have it",
    .options = options_table,
    .options_size = sizeof(struct dc_speed_options),
    .check = check,
    .evaluate = evaluate,
    .rows = &rows,
};
