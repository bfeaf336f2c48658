// SPDX-License-Identifier: Apache-2.0
// The barrier of two convex hulls on their optimal plane (paper 003, Eq. 7; docs/theory.md, "SDRS").
//
//     U(n, o) = P_s(1 - |n|) + sum_v P_s(u_v),   u_v = s_v (n.x_v + o),   s_v = +1 on a, -1 on b
// is convex; in the frame of a plane, T_3 its normal, n = n_1 T_1 + n_2 T_2 + (|n_0| - dn_3) T_3, and with P', P'' at
// beta = 1 - |n|, m = n/|n|, y_v = s_v (x_v, 1)
//     gradient  (-P' m, 0) + sum P'(u_v) y_v,
//     Hessian   P'' m m^T - P'/|n| (I - m m^T) + sum P''(u_v) y_v y_v^T.
#include <float.h>
#include <string.h>

#include "contact/common/plane_axes.h"
#include "contact/leaf/constants.h"
#include "contact/leaf/walls.h"
#include "math/vector.h"

// In the frame: (n_1, n_2), slack b with n_3 = 1 - b, offset.
struct local_plane {
  double tilt[2], slack, offset;
};

static double side(const struct dc_sdrs_hulls *hulls, int v)
{
  return v < hulls->count_a ? 1 : -1;
}

// beta = 1 - |n| without cancellation
static double slack_of(const struct local_plane *p, double *length)
{
  double tilt = p->tilt[0] * p->tilt[0] + p->tilt[1] * p->tilt[1], third = 1 - p->slack;
  *length = sqrt(tilt + third * third);
  return (p->slack * (2 - p->slack) - tilt) / (1 + *length);
}

// Two axes orthogonal to n without a branch (Duff et al. 2017); rows of axes, n last.
void dc_sdrs_complete_axes(const double n[3], double axes[9])
{
  double sign = n[2] < 0 ? -1 : 1, a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
  double first[3] = {1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]},
         second[3] = {b, sign + n[1] * n[1] * a, -n[1]};
  dc_vec_copy(axes, first);
  dc_vec_copy(axes + 3, second);
  dc_vec_copy(axes + 6, n);
}

// Weights of the vertices into hulls->trial: |P_s^(derivative)| over its largest value.  False when all are 0 or a
// vertex is on the wrong side.
static bool weigh(struct dc_sdrs_hulls *hulls, const struct dc_sdrs_plane *plane, int derivative)
{
  double largest = 0;
  for (int v = 0; v < hulls->count; v++) {
    double p[3], u = side(hulls, v) * (1 - plane->slack) * (dc_vec_dot(plane->normal, hulls->x[v]) + plane->offset);
    if (!(u > 0))
      return false;
    dc_sdrs_barrier(hulls->support, u, p);
    hulls->trial[v] = fabs(p[derivative]);
    largest = fmax(largest, hulls->trial[v]);
  }
  if (!(largest > 0))
    return false;
  for (int v = 0; v < hulls->count; v++)
    hulls->trial[v] /= largest;
  return true;
}

// Makes the frame in which a plane is solved: its origin is the mean of the vertices on the plane by their weights, its
// third axis the plane's normal, the others principal axes.
bool dc_sdrs_make_frame(struct dc_sdrs_hulls *hulls, const struct dc_sdrs_plane *plane, int derivative,
                        struct dc_sdrs_frame *frame)
{
  double total = 0, low = INFINITY, high = -INFINITY, *weights = hulls->trial;
  if (!weigh(hulls, plane, derivative))
    return false;
  memset(frame->origin, 0, sizeof frame->origin);
  for (int v = 0; v < hulls->count; v++) {
    total += weights[v];
    dc_vec_add_scaled(frame->origin, frame->origin, weights[v], hulls->x[v]);
  }
  dc_vec_scale(frame->origin, frame->origin, 1 / total);
  double height = dc_vec_dot(plane->normal, frame->origin) + plane->offset;
  dc_vec_add_scaled(frame->origin, frame->origin, -height, plane->normal);
  dc_sdrs_complete_axes(plane->normal, frame->axes);
  for (int v = 0; v < hulls->count; v++) {
    double d[3];
    dc_vec_sub(d, hulls->x[v], frame->origin);
    dc_mat_apply(hulls->local[v], frame->axes, d);
    if (v < hulls->count_a)
      low = fmin(low, hulls->local[v][2]);
    else
      high = fmax(high, hulls->local[v][2]);
  }
  dc_plane_turn_to_principal(frame->axes, hulls->count, hulls->local, weights);
  // Rounding of the offset, far from c_a, may have put a vertex on the wrong side.
  double shift = low > 0 && high < 0 ? 0 : 0.5 * (low + high);
  if (!(low - shift > 0 && high - shift < 0))
    return false;
  dc_vec_add_scaled(frame->origin, frame->origin, shift, frame->axes + 6);
  for (int v = 0; v < hulls->count; v++) {
    hulls->local[v][2] -= shift;
    hulls->distance[v] = side(hulls, v) * (1 - plane->slack) * hulls->local[v][2];
  }
  return true;
}

// U at the distances; INFINITY outside of its domain.  depth: how far 1 - |n| and the nearest vertex of a and of b are
// inside of the support.
static double value_at(const struct dc_sdrs_hulls *hulls, const struct local_plane *plane, const double *distance,
                       double depth[3])
{
  double length, beta = slack_of(plane, &length), p[3], value;
  depth[0] = hulls->support - beta;
  depth[1] = depth[2] = 0;
  if (!(beta > 0))
    return INFINITY;
  dc_sdrs_barrier(hulls->support, beta, p);
  value = p[0];
  for (int v = 0; v < hulls->count; v++) {
    if (distance[v] >= hulls->support)
      continue;
    if (!(distance[v] > 0))
      return INFINITY;
    double *deepest = &depth[v < hulls->count_a ? 1 : 2];
    *deepest = fmax(*deepest, hulls->support - distance[v]);
    dc_sdrs_barrier(hulls->support, distance[v], p);
    value += p[0];
  }
  return value;
}

// Whether a step leaves enough of all three within the support: without one of them, which the minimum has unless it is
// 0, the Hessian is singular.
static bool stays_inside(const double before[3], const double after[3])
{
  return after[0] > DC_WALL_LEAST_DEPTH * before[0] && after[1] > DC_WALL_LEAST_DEPTH * before[1] && after[2] > DC_WALL_LEAST_DEPTH * before[2];
}

// Gradient and Hessian (lower triangle in h[i][j], j <= i) for (o, n_1, n_2, n_3).
static void assemble(const struct dc_sdrs_hulls *hulls, const struct local_plane *plane, double g[4], double h[4][4])
{
  double length, beta = slack_of(plane, &length), p[3], n[3] = {plane->tilt[0], plane->tilt[1], 1 - plane->slack}, m[3];
  memset(g, 0, 4 * sizeof *g);
  memset(h, 0, 16 * sizeof **h);
  for (int v = 0; v < hulls->count; v++) {
    if (hulls->distance[v] >= hulls->support)
      continue;
    dc_sdrs_barrier(hulls->support, hulls->distance[v], p);
    const double y[4] = {1, hulls->local[v][0], hulls->local[v][1], hulls->local[v][2]};
    double slope = side(hulls, v) * p[1];
    for (int i = 0; i < 4; i++) {
      double scaled = p[2] * y[i];
      g[i] += slope * y[i];
      for (int j = 0; j <= i; j++)
        h[i][j] += scaled * y[j];
    }
  }
  dc_sdrs_barrier(hulls->support, beta, p);
  dc_vec_scale(m, n, 1 / length);
  for (int i = 0; i < 3; i++) {
    g[1 + i] -= p[1] * m[i];
    h[1 + i][1 + i] -= p[1] / length;
    for (int j = 0; j <= i; j++)
      h[1 + i][1 + j] += (p[2] + p[1] / length) * m[i] * m[j];
  }
}

// LDL^T of the 4x4 Hessian in place; returns the largest loss of a pivot, INFINITY when it is not positive definite.
double dc_sdrs_factor_plane(double h[4][4])
{
  double loss = 1;
  for (int j = 0; j < 4; j++) {
    double diagonal = h[j][j];
    for (int k = 0; k < j; k++)
      h[j][j] -= h[j][k] * h[j][k] * h[k][k];
    if (!(h[j][j] > 0))
      return INFINITY;
    loss = fmax(loss, diagonal / h[j][j]);
    for (int i = j + 1; i < 4; i++) {
      for (int k = 0; k < j; k++)
        h[i][j] -= h[i][k] * h[j][k] * h[k][k];
      h[i][j] /= h[j][j];
    }
  }
  return loss;
}

// Solves with the factors; returns g . x, the Newton decrement.
double dc_sdrs_solve_plane(const double h[4][4], const double g[4], double x[4])
{
  double decrement = 0;
  for (int i = 0; i < 4; i++) {
    x[i] = g[i];
    for (int k = 0; k < i; k++)
      x[i] -= h[i][k] * x[k];
  }
  for (int i = 0; i < 4; i++)
    decrement += x[i] * x[i] / h[i][i];
  for (int i = 3; i >= 0; i--) {
    x[i] /= h[i][i];
    for (int k = i + 1; k < 4; k++)
      x[i] -= h[k][i] * x[k];
  }
  return decrement;
}

// P_s is a power of its argument where that is small and of its complement where it is large, for which Newton's steps
// are too short (1/6 of the way): the Newton step of U^(1 - q) is that of U times 1 / (1 - q g^T H^-1 g / U).  Not
// beyond the part of the way to the nearest vertex.
static double step_length(const struct dc_sdrs_hulls *hulls, double ratio)
{
  double steepest = 0;
  for (int v = 0; v < hulls->count; v++)
    if (hulls->change[v] < 0)
      steepest = fmax(steepest, -hulls->change[v] / hulls->distance[v]);
  double length = 1 / fmax(DC_WALL_LEAST_DIVISOR, 1 - DC_WALL_SPEED_UP * ratio);
  return length * steepest > DC_WALL_LARGEST_STEP ? DC_WALL_LARGEST_STEP / steepest : length;
}

// Relative to U, what rounding leaves of the decrement: of the distances, seen through the largest depth.
static double noise_of(const struct dc_sdrs_hulls *hulls, const double depth[3])
{
  double relative = 16 * DC_WALL_NOISE * hulls->support / fmax(depth[0], fmax(depth[1], depth[2]));
  return relative * relative;
}

enum newton { CONVERGED, ZERO, BAD_FRAME, FAILED };

// Newton from the plane of the frame; leaves local, distance, the plane and U.
static enum newton newton(struct dc_sdrs_hulls *hulls, struct local_plane *plane, double largest_loss, int limit,
                          double *value, int *iterations)
{
  double depth[3];
  *value = value_at(hulls, plane, hulls->distance, depth);
  for (;;) {
    double g[4], h[4][4], step[4];
    if (*value == 0)
      return ZERO;
    if (*iterations >= limit)
      return FAILED;
    ++*iterations;
    assemble(hulls, plane, g, h);
    if (!(dc_sdrs_factor_plane(h) <= largest_loss))
      return BAD_FRAME;
    double decrement = dc_sdrs_solve_plane((const double(*)[4])h, g, step), ratio = decrement / *value;
    bool last = ratio <= DC_WALL_DECREMENT + noise_of(hulls, depth);
    for (int v = 0; v < hulls->count; v++) {
      const double *x = hulls->local[v];
      hulls->change[v] = -side(hulls, v) * (step[0] + (step[1] * x[0] + step[2] * x[1] + step[3] * x[2]));
    }
    double alpha = last ? 1 : step_length(hulls, ratio), trial_value = INFINITY, trial_depth[3];
    struct local_plane trial = *plane;
    for (int halving = 0; halving < DC_WALL_HALVINGS; halving++, alpha *= 0.5) {
      trial = (struct local_plane){{plane->tilt[0] - alpha * step[1], plane->tilt[1] - alpha * step[2]},
                                   plane->slack + alpha * step[3],
                                   plane->offset - alpha * step[0]};
      for (int v = 0; v < hulls->count; v++)
        hulls->trial[v] = hulls->distance[v] + alpha * hulls->change[v];
      trial_value = value_at(hulls, &trial, hulls->trial, trial_depth);
      if (last ? trial_value < INFINITY
               : trial_value <= *value - 1e-4 * alpha * decrement && stays_inside(depth, trial_depth))
        break;
    }
    if (!(trial_value < INFINITY) || (!last && trial_value >= *value))
      return FAILED;
    double *exchanged = hulls->trial;
    hulls->trial = hulls->distance;
    hulls->distance = exchanged;
    *plane = trial;
    *value = trial_value;
    memcpy(depth, trial_depth, sizeof depth);
    if (last)
      return *value == 0 ? ZERO : CONVERGED;
  }
}

// The plane in world axes.
static void leave_frame(const struct dc_sdrs_frame *frame, const struct local_plane *local, struct dc_sdrs_plane *plane)
{
  double n[3] = {local->tilt[0], local->tilt[1], 1 - local->slack}, length;
  plane->slack = slack_of(local, &length);
  dc_vec_scale(n, n, 1 / length);
  dc_mat_apply_transposed(plane->normal, frame->axes, n);
  plane->offset = local->offset / length - dc_vec_dot(plane->normal, frame->origin);
}

// With z_v = (x_v x n; n), Q = sum_A P', a = sum_A P' x_v, x_v the arms about c_a:
//     U_xi   = (a x n; Q n)
//     G      = sum_A P'' z_v y_v^T + [rotation rows a x T_k; translation rows Q T_k],  no column for o
//     U_xixi = sum_A P'' z_v z_v^T + [rotation block: (n a^T + a n^T)/2 - (n.a) I] - G H^-1 G^T,
// h factored.
static void differentiate(const struct dc_sdrs_hulls *hulls, const struct dc_sdrs_frame *frame,
                          const struct local_plane *plane, const double h[4][4], int order,
                          struct dc_sdrs_solution *solution)
{
  double local_n[3] = {plane->tilt[0], plane->tilt[1], 1 - plane->slack}, n[3], sum = 0, a[3] = {0, 0, 0};
  double mixed[6][4] = {{0}}, *hessian = solution->hessian;
  memset(hessian, 0, sizeof solution->hessian);
  dc_mat_apply_transposed(n, frame->axes, local_n);
  for (int v = 0; v < hulls->count_a; v++) {
    double p[3], z[6];
    if (hulls->distance[v] >= hulls->support)
      continue;
    dc_sdrs_barrier(hulls->support, hulls->distance[v], p);
    sum += p[1];
    dc_vec_add_scaled(a, a, p[1], hulls->x[v]);
    if (order < 2)
      continue;
    const double y[4] = {1, hulls->local[v][0], hulls->local[v][1], hulls->local[v][2]};
    dc_vec_cross(z, hulls->x[v], n);
    dc_vec_copy(z + 3, n);
    for (int i = 0, e = 0; i < 6; i++) {
      double scaled = p[2] * z[i];
      for (int k = 0; k < 4; k++)
        mixed[i][k] += scaled * y[k];
      for (int j = 0; j <= i; j++, e++)
        hessian[e] += scaled * z[j];
    }
  }
  dc_vec_cross(solution->gradient, a, n);
  dc_vec_scale(solution->gradient + 3, n, sum);
  if (order < 2)
    return;
  for (int k = 0; k < 3; k++) {
    double turned[3];
    dc_vec_cross(turned, a, frame->axes + 3 * k);
    for (int i = 0; i < 3; i++) {
      mixed[i][1 + k] += turned[i];
      mixed[3 + i][1 + k] += sum * frame->axes[3 * k + i];
    }
  }
  double along = dc_vec_dot(n, a);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      hessian[e] += 0.5 * (n[i] * a[j] + n[j] * a[i]) - (i == j ? along : 0);
  for (int i = 0, e = 0; i < 6; i++) {
    for (int k = 0; k < 4; k++)
      for (int l = 0; l < k; l++)
        mixed[i][k] -= h[k][l] * mixed[i][l];
    for (int j = 0; j <= i; j++, e++)
      for (int k = 0; k < 4; k++)
        hessian[e] -= mixed[i][k] * mixed[j][k] / h[k][k];
  }
}

// The hulls' gap along the plane's normal.
static double gap_along(const struct dc_sdrs_hulls *hulls, const struct local_plane *plane)
{
  double length, a = INFINITY, b = INFINITY;
  slack_of(plane, &length);
  for (int v = 0; v < hulls->count; v++) {
    double *least = v < hulls->count_a ? &a : &b;
    *least = fmin(*least, hulls->distance[v]);
  }
  return (a + b) / length;
}

// Finds the plane between two hulls by Newton's method.  A frame in which digits are lost is made anew at the plane
// found so far; the last of DC_WALL_FRAMES attempts accepts any loss.
enum dc_sdrs_outcome dc_sdrs_solve(struct dc_sdrs_hulls *hulls, const struct dc_sdrs_plane *start, int order, int limit,
                                   struct dc_sdrs_solution *solution)
{
  solution->plane = *start;
  solution->energy = INFINITY;
  solution->iterations = 0;
  for (int attempt = 0; attempt < DC_WALL_FRAMES; attempt++) {
    struct dc_sdrs_frame frame;
    struct local_plane local = {.slack = solution->plane.slack};
    double g[4], h[4][4] = {{0}}, largest_loss = attempt < DC_WALL_FRAMES - 1 ? DC_WALL_LARGEST_LOSS : DBL_MAX;
    if (!dc_sdrs_make_frame(hulls, &solution->plane, 2, &frame))
      return DC_SDRS_UNSOLVED;
    enum newton newtons = newton(hulls, &local, largest_loss, limit, &solution->energy, &solution->iterations);
    leave_frame(&frame, &local, &solution->plane);
    solution->gap = gap_along(hulls, &local);
    if (newtons == ZERO)
      return DC_SDRS_APART;
    if (newtons == FAILED)
      return DC_SDRS_UNSOLVED;
    if (newtons == BAD_FRAME)
      continue;
    if (order > 1) {
      assemble(hulls, &local, g, h);
      if (!(dc_sdrs_factor_plane(h) <= largest_loss))
        continue;
    }
    if (order > 0)
      differentiate(hulls, &frame, &local, (const double(*)[4])h, order, solution);
    return DC_SDRS_SOLVED;
  }
  return DC_SDRS_UNSOLVED;
}
