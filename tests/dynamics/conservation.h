// SPDX-License-Identifier: Apache-2.0
// Energy of motion and momenta of a trajectory, as the inertia term defines them.
#ifndef DC_TESTS_DYNAMICS_CONSERVATION_H
#define DC_TESTS_DYNAMICS_CONSERVATION_H

#include "scenes.h"

// Sum over bodies and entries of the poses: |(T1 - T0)/h|^2_M / 2, the energy of motion that the inertia term knows.
static inline double kinetic_energy(const struct scene *scene, const struct dc_trajectory *trajectory, int frame)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_pose now[SCENE_BODIES], next[SCENE_BODIES];
  double sum = 0, h = trajectory->time_step;
  dc_poses(bodies, frame_of(trajectory, frame), now);
  dc_poses(bodies, frame_of(trajectory, frame + 1), next);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double distance = dc_vec_distance(next[i].position, now[i].position);
    sum += 0.5 * body->mass * distance * distance;
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
          sum += 0.5 * (next[i].rotation[3 * r + j] - now[i].rotation[3 * r + j]) * body->second_moment[3 * j + k] *
                 (next[i].rotation[3 * r + k] - now[i].rotation[3 * r + k]);
  }
  return sum / (h * h);
}

// Interval k of step t: its states and those before, and their distances in time.
struct interval {
  const double *states[3];
  double length, before_length;
};

static inline struct interval interval_at(const struct dc_trajectory *trajectory, int t, int k)
{
  struct interval interval;
  double at, end, before;
  interval.states[1] = dc_trajectory_state(trajectory, t, k, &at);
  interval.states[2] = dc_trajectory_state(trajectory, t, k + 1, &end);
  interval.length = trajectory->time_step * (end - at);
  int last = k > 0 ? t : t - 1, place = k > 0 ? k - 1 : dc_trajectory_substeps(trajectory, t - 1) - 1;
  interval.states[0] = dc_trajectory_state(trajectory, last, place, &before);
  interval.before_length = trajectory->time_step * ((k > 0 ? at : 1) - before);
  return interval;
}

// Rate of change of linear momentum and of angular momentum about the origin in an interval, as the scheme defines
// them: the derivative of the inertia term for a common shift and turn of all bodies, summed x+ x m a and axl of E M
// R+^T with E = R+ - (1 + r) R + r R-, r the length of the interval over that of the one before.
static inline void interval_momentum_rates(const struct scene *scene, const struct interval *interval, double rate[6],
                                           double *size)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_pose poses[3][SCENE_BODIES];
  double h = interval->length, r = h / interval->before_length;
  memset(rate, 0, 6 * sizeof *rate);
  *size = 0;
  for (int k = 0; k < 3; k++)
    dc_poses(bodies, interval->states[k], poses[k]);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    double e[9], em[9], w[9], force[3], torque[3];
    for (int k = 0; k < 9; k++)
      e[k] = poses[2][i].rotation[k] - (1 + r) * poses[1][i].rotation[k] + r * poses[0][i].rotation[k];
    for (int k = 0; k < 3; k++)
      force[k] = body->mass *
                 (poses[2][i].position[k] - (1 + r) * poses[1][i].position[k] + r * poses[0][i].position[k]) / (h * h);
    dc_mat_multiply(em, e, body->second_moment);
    dc_mat_multiply_transposed(w, em, poses[2][i].rotation);
    dc_vec_cross(torque, poses[2][i].position, force);
    rate[0] += torque[0] + (w[7] - w[5]) / (h * h);
    rate[1] += torque[1] + (w[2] - w[6]) / (h * h);
    rate[2] += torque[2] + (w[3] - w[1]) / (h * h);
    for (int k = 0; k < 3; k++)
      rate[3 + k] += force[k];
    *size = larger(*size, dc_vec_norm(force));
  }
}

// The largest rates of all intervals of a step, and the largest force.
static inline void momentum_rates(const struct scene *scene, const struct dc_trajectory *trajectory, int step,
                                  double rate[6], double *size)
{
  memset(rate, 0, 6 * sizeof *rate);
  *size = 0;
  for (int k = 0; k < dc_trajectory_substeps(trajectory, step); k++) {
    struct interval interval = interval_at(trajectory, step, k);
    double own[6], force;
    interval_momentum_rates(scene, &interval, own, &force);
    for (int i = 0; i < 6; i++)
      rate[i] = larger(rate[i], fabs(own[i]));
    *size = larger(*size, force);
  }
}

#endif
