// SPDX-License-Identifier: Apache-2.0
#include "task/rest.h"

#include <math.h>

// A value with its derivative.
struct slope {
  double value, slope;
};

static struct slope gate(double u)
{
  if (u <= 0 || u >= 1)
    return (struct slope){u <= 0, 0};
  return (struct slope){1 - u * u * u * (10 - 15 * u + 6 * u * u), -30 * u * u * (1 - u) * (1 - u)};
}

// p(w) and its derivative by w = |v|^2.
static struct slope excess(double speed, double squared)
{
  double z = squared / (speed * speed) - 1;
  if (z <= 0)
    return (struct slope){0, 0};
  double part = z / (1 + z);
  return (struct slope){speed * speed * z * part * part, part * part * (3 + z) / (1 + z)};
}

static bool has_frame_before(const struct dc_trajectory *trajectory, int frame)
{
  return frame + trajectory->earlier > 0;
}

// Velocity [3] of a centre of mass along the axes since the frame before; zeros where there is none.  Returns the
// speed.
static double velocity_of(const struct dc_trajectory *trajectory, int frame, int body, const char *axes,
                          double velocity[3])
{
  for (int i = 0; i < 3; i++)
    velocity[i] = 0;
  if (!has_frame_before(trajectory, frame))
    return 0;
  dc_objective_offset(velocity, dc_objective_center(trajectory, frame, body),
                      dc_objective_center(trajectory, frame - 1, body), axes);
  dc_vec_scale(velocity, velocity, 1 / trajectory->time_step);
  return dc_vec_norm(velocity);
}

bool dc_rest_holds(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                   const char *axes)
{
  double velocity[3];
  int count = (int)fmin(fmax(round(rest->settle / trajectory->time_step), 1), 1e6);
  for (int k = 0; dc_rest_asked(rest) && k < count && has_frame_before(trajectory, frame - k); k++)
    if (!(velocity_of(trajectory, frame - k, body, axes, velocity) <= rest->speed))
      return false;
  return true;
}

double dc_rest_value(const struct dc_rest_options *rest, const struct dc_model *model,
                     const struct dc_trajectory *trajectory, int frame, int body, const char *axes, double u,
                     const double *by_place, double scale, struct dc_loss_cotangent *cotangent)
{
  if (!dc_rest_asked(rest) || !has_frame_before(trajectory, frame))
    return 0;
  double velocity[3], speed = velocity_of(trajectory, frame, body, axes, velocity);
  double squared_time = rest->settle * rest->settle;
  struct slope near = gate(u), moving = excess(rest->speed, speed * speed);
  if (near.value * moving.value != 0) {
    double rate = scale * squared_time * near.value * moving.slope * 2 / trajectory->time_step;
    dc_objective_add(cotangent, model, trajectory, frame, body, scale * squared_time * near.slope * moving.value,
                     by_place);
    dc_objective_add(cotangent, model, trajectory, frame, body, rate, velocity);
    dc_objective_add(cotangent, model, trajectory, frame - 1, body, -rate, velocity);
  }
  return squared_time * near.value * moving.value;
}

void dc_rest_group(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                   const char *axes, double u, double share, struct dc_residual_group *group)
{
  double velocity[3], beyond[3], speed = velocity_of(trajectory, frame, body, axes, velocity);
  double near = gate(u).value;
  struct slope moving = excess(rest->speed, speed * speed);
  dc_vec_scale(velocity, velocity, rest->settle);
  dc_vec_scale(beyond, velocity, moving.slope);
  dc_objective_group(group, axes, velocity, beyond);
  group->weight = share * near;
  group->value = share * rest->settle * rest->settle * near * moving.value;
  group->radius = rest->settle * rest->speed;
}

void dc_rest_add_to_place(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame,
                          int body, const char *axes, double u, const double *by_place, double *e)
{
  double velocity[3];
  if (!dc_rest_asked(rest))
    return;
  double speed = velocity_of(trajectory, frame, body, axes, velocity);
  double moving = excess(rest->speed, speed * speed).value;
  dc_vec_add_scaled(e, e, rest->settle * rest->settle * gate(u).slope * moving / 2, by_place);
}

void dc_rest_group_pull_back(const struct dc_rest_options *rest, const struct dc_model *model,
                             const struct dc_trajectory *trajectory, bool motion, int frame, int body, const char *axes,
                             const double *weights, struct dc_loss_cotangent *cotangent)
{
  double direction[3], rate = rest->settle / trajectory->time_step;
  dc_objective_scatter(axes, weights, direction);
  if (!motion)
    dc_objective_add(cotangent, model, trajectory, frame, body, 1, direction);
  if (!motion || !has_frame_before(trajectory, frame))
    return;
  dc_objective_add(cotangent, model, trajectory, frame, body, rate, direction);
  dc_objective_add(cotangent, model, trajectory, frame - 1, body, -rate, direction);
}
