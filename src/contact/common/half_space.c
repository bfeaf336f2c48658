// SPDX-License-Identifier: Apache-2.0
// The half-space below a plane: gap h = n.x - height, one normal n for all points, no curvature.
//
// The sum of a barrier b over points with s = b', k = b'', r = x_v - c_a and z = (r x n; n):
//     P_xi = sum s z,   P_xixi = sum k z z^T + rotation block sum s [(n r^T + r n^T)/2 - (n.r) I].
// n is the same for all points, so that the sums of struct sums are enough.
#include <math.h>

#include "contact/common/contact_internal.h"
#include "math/vector.h"

enum { BLOCK = 64 };  // points whose barriers are asked for at once
static const double ROUNDING = 1 + 1e-9;

static void place(struct dc_primitive *half_space, const struct dc_pose *pose)
{
  for (int k = 0; k < 3; k++)
    half_space->normal[k] = pose->rotation[3 * k + 2];
  half_space->height = dc_vec_dot(half_space->normal, pose->position);
}

static void see(const struct dc_primitive *half_space, const double origin[3], const double *rotation,
                struct dc_primitive *seen)
{
  seen->type = half_space->type;
  seen->height = half_space->height - dc_vec_dot(half_space->normal, origin);
  if (rotation)
    dc_mat_apply_transposed(seen->normal, rotation, half_space->normal);
  else
    dc_vec_copy(seen->normal, half_space->normal);
}

static double gap(const struct dc_primitive *half_space, const double x[3], double *normal)
{
  if (normal)
    dc_vec_copy(normal, half_space->normal);
  return dc_vec_dot(half_space->normal, x) - half_space->height;
}

struct sums {
  double energy, slope, curvature;  // s, k
  double torque[3];                 // sum s (r x n)
  double first[3];                  // sum s r
  double moment[3], second[6];      // sum k (r x n), sum k (r x n)(r x n)^T, lower triangle
};

// Adds a vertex to the sums of force, torque and moments from which gradient and Hessian are made at the end.
static void add_vertex(struct sums *sums, const double *r, const double *n, double energy, double slope,
                       double curvature)
{
  double arm[3];
  dc_vec_cross(arm, r, n);
  sums->energy += energy;
  sums->slope += slope;
  sums->curvature += curvature;
  for (int i = 0, e = 0; i < 3; i++) {
    double scaled = curvature * arm[i];
    sums->torque[i] += slope * arm[i];
    sums->first[i] += slope * r[i];
    sums->moment[i] += scaled;
    for (int j = 0; j <= i; j++, e++)
      sums->second[e] += scaled * arm[j];
  }
}

// Adds the second derivatives of sum phi(n . (r_v + x)) by turn and translation, as the lower triangle of [6][6]:
// phi'' (r x n)(r x n)^T is in `second`, and phi' times the second derivative of the turned arm (n r^T + r n^T)/2 - (n
// . r) 1 in `first`.
static void add_hessian(const struct sums *sums, const double *n, double *h)
{
  double along = dc_vec_dot(n, sums->first);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      h[e] += sums->second[e] + 0.5 * (n[i] * sums->first[j] + n[j] * sums->first[i]) - (i == j ? along : 0);
  for (int i = 0; i < 3; i++) {
    double *row = h + (3 + i) * (4 + i) / 2;
    for (int j = 0; j < 3; j++)
      row[j] += n[i] * sums->moment[j];
    for (int j = 0; j <= i; j++)
      row[3 + j] += sums->curvature * n[i] * n[j];
  }
}

// Sums a barrier over the vertices of a body above a half-space, in blocks whose gaps vectorize; returns the smallest
// gap.
static double sum(const struct dc_primitive *seen, const struct dc_primitive_points *points,
                  dc_primitive_barrier *barrier, int order, struct dc_pair_derivatives *result)
{
  const double *n = seen->normal;
  double least = INFINITY;
  struct sums sums = {0};
  for (int first = 0; first < points->count; first += BLOCK) {
    int count = points->count - first < BLOCK ? points->count - first : BLOCK;
    double gaps[BLOCK], values[BLOCK][3];
    for (int v = 0; v < count; v++) {
      gaps[v] = dc_vec_dot(n, points->arms[first + v]) - seen->height;
      gaps[v] -= points->radii ? points->radii[first + v] : 0;
      least = gaps[v] < least ? gaps[v] : least;
    }
    barrier(points, first, count, gaps, values);
    for (int v = 0; v < count; v++)
      if (values[v][1] != 0)
        add_vertex(&sums, points->arms[first + v], n, values[v][0], values[v][1], values[v][2]);
  }
  result->energy += sums.energy;
  if (order < 1)
    return least;
  dc_vec_add(result->gradient, result->gradient, sums.torque);
  dc_vec_add_scaled(result->gradient + 3, result->gradient + 3, sums.slope, n);
  if (order > 1)
    add_hessian(&sums, n, result->hessian);
  return least;
}

// A stretch along which no point of a body comes nearer than this times the stretch: its speed along -n, at most, and
// half of its bend.
static double fastest_approach(const struct dc_collider *a, const struct dc_motion *motion, const double *n,
                               const struct dc_instant *now)
{
  double turned[3];
  dc_vec_cross(turned, n, now->twist);  // n.(w x r) = (n x w).r
  return fmax(0, -dc_vec_dot(n, now->twist + 3)) + dc_vec_norm(turned) * a->radius +
         0.5 * (motion->bend + motion->spin * a->radius);
}

// Most points have room for the whole of what is left; only the others are followed.
static double stretch(const struct dc_primitive *half_space, const struct dc_collider *a, struct dc_motion *motion,
                      double keep, double s)
{
  const double *n = half_space->normal;
  const struct dc_instant *start = &motion->start, *now = dc_motion_at(motion, s);
  double stretch = INFINITY, fastest = ROUNDING * fastest_approach(a, motion, n, now);
  for (int v = 0; v < a->vertex_count; v++) {
    const double *r_start = a->turned[v];
    double r[3], displacement[3], velocity[3];
    double height = dc_vec_dot(n, start->center) + dc_vec_dot(n, r_start) - half_space->height;
    height -= dc_vertex_radius(a, v);
    if (now == start && (1 - keep) * height > fastest * fmin(stretch, 1))
      continue;
    dc_vertex_arm(a, v, motion, now, r);
    dc_point_velocity(now, r, velocity);
    for (int k = 0; k < 3; k++)
      displacement[k] = (now->center[k] - start->center[k]) + (r[k] - r_start[k]);
    double room = (1 - keep) * height + dc_vec_dot(n, displacement);
    stretch = fmin(stretch, dc_first_zero(room, dc_vec_dot(n, velocity), dc_point_bend(motion, r, velocity)));
  }
  return stretch;
}

const struct dc_primitive_type dc_half_space = {
    .name = "half-space", .place = place, .see = see, .gap = gap, .sum = sum, .stretch = stretch};
