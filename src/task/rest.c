// SPDX-License-Identifier: Apache-2.0
// The term that makes bodies rest where they are counted as reached (rest.h): value with derivative, and residual rows.
//
// Velocities are differences of centres of mass between consecutive frames, so that the derivative goes to both frames
// with opposite signs.
#include "task/rest.h"

#include <math.h>

// A function's value and its derivative by the argument.
struct slope {
  double value, slope;
};

// g(u) = 1 - u^3 (10 - 15 u + 6 u^2): 1 for u <= 0, 0 for u >= 1, twice continuously differentiable.  A body
// has to rest only where it is.
static struct slope gate(double u)
{
  if (u <= 0 || u >= 1)
    return (struct slope){u <= 0, 0};
  return (struct slope){1 - u * u * u * (10 - 15 * u + 6 * u * u), -30 * u * u * (1 - u) * (1 - u)};
}

// p(w) and its derivative by w = |v|^2, s the allowed speed: with z = w/s^2 - 1, p = s^2 z (z/(1 + z))^2 above
// the speed, 0 below.  It begins with zero slope and grows like w.
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

// Velocity [3] of a centre of mass along the axes over the step before a frame, zero where there is no step.  Returns
// the speed.
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

// The number of steps that the settling time has, at least one.
static int settling_steps(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory)
{
  return (int)fmin(fmax(round(rest->settle / trajectory->time_step), 1), 1e6);
}

// The number of steps before a frame over which p is averaged: those of the settling time, as far as the run
// has them; one where every frame counts.  0: rest is not asked for.
int dc_rest_motions(const struct dc_rest_options *rest, int when, const struct dc_trajectory *trajectory)
{
  int most = trajectory->steps + trajectory->earlier;
  if (!dc_rest_asked(rest) || when == DC_WHEN_EVERY)
    return dc_rest_asked(rest);
  int count = settling_steps(rest, trajectory);
  return count <= most ? count : most > 0 ? most : 1;
}

// Whether the body has been slow in all steps of the settling time before the frame.
bool dc_rest_holds(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                   const char *axes)
{
  double velocity[3];
  int count = settling_steps(rest, trajectory);
  for (int k = 0; dc_rest_asked(rest) && k < count && has_frame_before(trajectory, frame - k); k++)
    if (!(velocity_of(trajectory, frame - k, body, axes, velocity) <= rest->speed))
      return false;
  return true;
}

// Puts the largest speed in those steps into `worst`, if it is larger than what stands there.
void dc_rest_condition(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int body,
                       const char *axes, struct dc_condition *worst)
{
  double velocity[3];
  int count = settling_steps(rest, trajectory);
  for (int k = 0; k < count && (k == 0 || has_frame_before(trajectory, frame - k)); k++) {
    double speed = velocity_of(trajectory, frame - k, body, axes, velocity);
    if (!(speed <= worst->value)) {
      worst->value = speed;
      worst->body = body;
      worst->frame = frame - k;
    }
  }
}

// p of the k-th step back from a frame, k = 1, 2, ..., with its velocity [3].
static struct slope motion_of(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame,
                              int k, int body, const char *axes, double velocity[3])
{
  double speed = velocity_of(trajectory, frame - (k - 1), body, axes, velocity);
  return excess(dc_objective_rim(rest->inside, rest->speed), speed * speed);
}

// Mean of p over these steps.
static double mean_motion(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame,
                          int motions, int body, const char *axes)
{
  double velocity[3], sum = 0;
  for (int k = 1; k <= motions; k++)
    sum += motion_of(rest, trajectory, frame, k, body, axes, velocity).value;
  return sum / motions;
}

// The term for rest: t^2 g(u) times the mean of p over the last motions, with its derivatives by the places at both
// ends of each.
double dc_rest_value(const struct dc_rest_options *rest, const struct dc_model *model,
                     const struct dc_trajectory *trajectory, int frame, int motions, int body, const char *axes,
                     double u, const double *by_place, double scale, struct dc_loss_cotangent *cotangent)
{
  if (!dc_rest_asked(rest) || !has_frame_before(trajectory, frame))
    return 0;
  double velocity[3], squared_time = rest->settle * rest->settle;
  struct slope near = gate(u);
  double moving = near.value != 0 ? mean_motion(rest, trajectory, frame, motions, body, axes) : 0;
  if (moving == 0)
    return 0;
  dc_objective_add(cotangent, model, trajectory, frame, body, scale * squared_time * near.slope * moving, by_place);
  for (int k = 1; k <= motions && cotangent; k++) {
    struct slope one = motion_of(rest, trajectory, frame, k, body, axes, velocity);
    double rate = scale * squared_time * near.value * one.slope * 2 / trajectory->time_step / motions;
    if (one.value == 0)
      continue;
    dc_objective_add(cotangent, model, trajectory, frame - (k - 1), body, rate, velocity);
    dc_objective_add(cotangent, model, trajectory, frame - k, body, -rate, velocity);
  }
  return squared_time * near.value * moving;
}

// One group of residual rows: the velocity of the `motion`-th step back times the settling time, with the disc
// of the allowed speed as target set, weighted by g(u).
void dc_rest_group(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame, int motion,
                   int motions, int body, const char *axes, double u, double share, struct dc_residual_group *group)
{
  double velocity[3], beyond[3], near = gate(u).value;
  struct slope moving = motion_of(rest, trajectory, frame, motion, body, axes, velocity);
  dc_vec_scale(velocity, velocity, rest->settle);
  dc_vec_scale(beyond, velocity, moving.slope);
  dc_objective_group(group, axes, velocity, beyond);
  group->weight = share * near / motions;
  group->value = share * rest->settle * rest->settle * near * moving.value / motions;
  group->radius = rest->settle * dc_objective_rim(rest->inside, rest->speed);
}

// Adds to the row of a place, e, what the gate's slope makes of the motion there: a body can also escape the
// term by leaving.
void dc_rest_add_to_place(const struct dc_rest_options *rest, const struct dc_trajectory *trajectory, int frame,
                          int motions, int body, const char *axes, double u, const double *by_place, double *e)
{
  if (!dc_rest_asked(rest))
    return;
  double moving = mean_motion(rest, trajectory, frame, motions, body, axes);
  dc_vec_add_scaled(e, e, rest->settle * rest->settle * gate(u).slope * moving / 2, by_place);
}

// motion 0 is the place at the frame, motion k > 0 the step that ends k - 1 frames before it.  Rows of a motion are
// settle times a velocity.
void dc_rest_group_pull_back(const struct dc_rest_options *rest, const struct dc_model *model,
                             const struct dc_trajectory *trajectory, int motion, int frame, int body, const char *axes,
                             const double *weights, struct dc_loss_cotangent *cotangent)
{
  double direction[3], rate = rest->settle / trajectory->time_step;
  int last = frame - (motion - 1);
  dc_objective_scatter(axes, weights, direction);
  if (motion == 0)
    dc_objective_add(cotangent, model, trajectory, frame, body, 1, direction);
  if (motion == 0 || !has_frame_before(trajectory, last))
    return;
  dc_objective_add(cotangent, model, trajectory, last, body, rate, direction);
  dc_objective_add(cotangent, model, trajectory, last - 1, body, -rate, direction);
}
