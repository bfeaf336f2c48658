// SPDX-License-Identifier: Apache-2.0
// The formulas of the header for points that slide on each other: the two laws f0, the sums of a unit over its points,
// and the cotangents of G by motions, normals and vertices.
//
// f holds f0(y), f0'(y)/y and (f0''(y) - f0'(y)/y): the force along the slip u is f[1] u, its derivative f[1] P + f[2]
// u u^T / y^2 with P the projection onto the plane.  No division by a slip of zero is needed.
#include "contact/friction/point_slip.h"

#include <string.h>

#include "math/vector.h"

// IPC's law (paper 004 after Li et al. 2020): f0' = 2 y/w - y^2/w^2 below w = e h, 1 above.
void dc_slip_ipc(double y, double width, double f[3])
{
  bool slides = y >= width;
  f[0] = y < width ? y * y / width * (1 - y / (3 * width)) : y - width / 3;
  f[1] = slides ? 1 / y : (2 - y / width) / width;
  f[2] = slides ? -1 / y : -y / (width * width);
}

// The law of paper 003, Eq. 13: f0 = sqrt(y^2 + w^2) - w.
void dc_slip_root(double y, double width, double f[3])
{
  double s = sqrt(y * y + width * width);
  f[0] = y * y / (s + width);  // without the cancellation
  f[1] = 1 / s;
  f[2] = -(y / s) * (y / s) / s;
}

// rows = [r]x K, K symmetric: H_wt of a force whose change is K.
static void turn_rows(const double r[3], const double k[3][3], double rows[3][3])
{
  double column[3];
  for (int j = 0; j < 3; j++) {
    dc_vec_cross(column, r, k[j]);
    for (int i = 0; i < 3; i++)
      rows[i][j] = column[i];
  }
}

// block += sign J_X^T K J_Y of the arms r of X and s of Y
static void add_block(const double rows[3][3], const double s[3], const double columns[3][3], const double k[3][3],
                      double sign, double block[6][6])
{
  double turned[3];
  for (int i = 0; i < 3; i++) {
    dc_vec_cross(turned, s, rows[i]);  // row of [r]x K times [s]x^T
    for (int j = 0; j < 3; j++) {
      block[i][j] += sign * turned[j];
      block[i][3 + j] += sign * rows[i][j];
      block[3 + i][j] += sign * columns[j][i];
      block[3 + i][3 + j] += sign * k[i][j];
    }
  }
}

// turn += sign ((g r^T + r g^T)/2 - (g.r) 1), lower triangle: the curvature of a rotation whose arm r feels the force
// g.
static void add_turn(const double g[3], const double r[3], double sign, double turn[6])
{
  double along = dc_vec_dot(g, r);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      turn[e] += sign * (0.5 * (g[i] * r[j] + r[i] * g[j]) - (i == j ? along : 0));
}

struct evaluation {
  const struct dc_friction_motion *motion;
  dc_slip_law *law;
  double width;  // e h, m
  bool majorant;
};

// Adds energy and derivatives (those by rotations' curvature into turn) of one.
static void add_sliding(const struct evaluation *evaluation, const struct dc_sliding_point *sliding,
                        struct dc_friction_derivatives *sum)
{
  const struct dc_friction_motion *motion = evaluation->motion;
  double moved[2][3], arm[2][3], u[3], g[3], k[3][3], rows[2][3][3], f[3];
  for (int side = 0; side < 2; side++) {
    dc_mat_apply(moved[side], motion->drift[side], sliding->arm[side]);
    dc_vec_add(moved[side], moved[side], motion->velocity[side]);
  }
  dc_vec_sub(u, moved[0], moved[1]);
  dc_vec_add_scaled(u, u, -dc_vec_dot(sliding->normal, u), sliding->normal);
  double y = dc_vec_norm(u);
  evaluation->law(y, evaluation->width, f);
  sum->energy += sliding->strength * f[0];
  if (motion->order < 1)
    return;
  dc_vec_scale(g, u, sliding->strength * f[1]);
  for (int side = 0; side < 1 + motion->both; side++) {
    double torque[3], sign = side ? -1 : 1;
    dc_mat_apply(arm[side], motion->turn[side], sliding->arm[side]);
    dc_vec_cross(torque, arm[side], g);
    dc_vec_add_scaled(sum->gradient + 6 * side, sum->gradient + 6 * side, sign, torque);
    dc_vec_add_scaled(sum->gradient + 6 * side + 3, sum->gradient + 6 * side + 3, sign, g);
    if (motion->order > 1)
      add_turn(g, arm[side], sign, sum->turn[side]);
  }
  if (motion->order < 2)
    return;
  double slope = y > 0 && !evaluation->majorant ? sliding->strength * f[2] / (y * y) : 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      k[i][j] = sliding->strength * f[1] * ((i == j) - sliding->normal[i] * sliding->normal[j]) + slope * u[i] * u[j];
  turn_rows(arm[0], (const double(*)[3])k, rows[0]);
  add_block((const double(*)[3])rows[0], arm[0], (const double(*)[3])rows[0], (const double(*)[3])k, 1, sum->h_aa);
  if (!motion->both)
    return;
  turn_rows(arm[1], (const double(*)[3])k, rows[1]);
  add_block((const double(*)[3])rows[0], arm[1], (const double(*)[3])rows[1], (const double(*)[3])k, -1, sum->h_ab);
  add_block((const double(*)[3])rows[1], arm[1], (const double(*)[3])rows[1], (const double(*)[3])k, 1, sum->h_bb);
}

// Units hold lower triangles row by row, as the kernels of triangles leave them.
static void store(const struct dc_friction_derivatives *sum, struct dc_friction_unit *unit)
{
  unit->energy = sum->energy;
  memcpy(unit->gradient, sum->gradient, sizeof unit->gradient);
  memcpy(unit->turn, sum->turn, sizeof unit->turn);
  memcpy(unit->h_ab, sum->h_ab, sizeof unit->h_ab);
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++) {
      unit->h_aa[e] = sum->h_aa[i][j];
      unit->h_bb[e] = sum->h_bb[i][j];
    }
}

void dc_sliding_points_run(const struct dc_sliding_point *sliding_points, dc_slip_law *law,
                           const struct dc_friction_motion *motion, struct dc_friction_unit *unit)
{
  struct dc_friction_derivatives sum;
  const struct evaluation evaluation = {
      .motion = motion, .law = law, .width = motion->smoothing * motion->time_step, .majorant = motion->start == 0};
  memset(&sum, 0, sizeof sum);
  for (size_t k = unit->first; k < unit->first + unit->count; k++)
    add_sliding(&evaluation, &sliding_points[k], &sum);
  store(&sum, unit);
}

// The laws of points take displacements over the step, m, where planes take mean velocities, m/s.
struct dc_friction_motion dc_point_displacements(const struct dc_friction_motion *motion)
{
  struct dc_friction_motion displaced = *motion;
  for (int x = 0; x < 2; x++) {
    dc_vec_scale(displaced.velocity[x], displaced.velocity[x], motion->time_step);
    for (int i = 0; i < 9; i++)
      displaced.drift[x][i] *= motion->time_step;
  }
  return displaced;
}

// G and its cotangents by Delta, delta and n; the formulas of the header.
void dc_point_slip_cotangents(const struct dc_sliding_point *sliding, dc_slip_law *law, double width,
                              const double moved[3], const double varied[3], struct dc_point_cotangents *c)
{
  const double *n = sliding->normal;
  double u[3], f[3];
  double moved_n = dc_vec_dot(n, moved), varied_n = dc_vec_dot(n, varied);
  dc_vec_add_scaled(u, moved, -moved_n, n);
  double y = dc_vec_norm(u), product = dc_vec_dot(u, varied);
  law(y, width, f);
  double gamma = y > 0 ? f[2] / (y * y) : 0;
  c->total = sliding->strength * f[1] * product;
  for (int k = 0; k < 3; k++) {
    c->by_moved[k] = sliding->strength * (f[1] * (varied[k] - varied_n * n[k]) + gamma * product * u[k]);
    c->by_varied[k] = sliding->strength * f[1] * u[k];
    c->by_normal[k] = -sliding->strength *
                      (f[1] * (varied_n * moved[k] + moved_n * varied[k]) + gamma * product * moved_n * moved[k]);
  }
}

// Adds what the mollifier's c takes to the ends of the edges.
static void through_parallel(const double (*x)[3], double by_c, double (*out)[3])
{
  double e[3], f[3], n[3], by_e[3], by_f[3];
  dc_vec_sub(e, x[1], x[0]);
  dc_vec_sub(f, x[3], x[2]);
  dc_vec_cross(n, e, f);
  dc_vec_cross(by_e, f, n);
  dc_vec_cross(by_f, n, e);
  for (int v = 0; v < 4; v++)
    dc_vec_add_scaled(out[v], out[v], v % 2 ? 2 * by_c : -2 * by_c, v < 2 ? by_e : by_f);
}

// Cotangents of a sliding point become those of its four vertices: by the motion of the closest points, by distance
// and normal through r, by the weights, and by how parallel two edges are.
void dc_point_pull_back(const struct dc_point_origin *origin, const double normal[3],
                        const struct dc_point_cotangents *c, double (*out)[3])
{
  const struct dc_closest *closest = origin->closest;
  double by_r[3], by_weight[4], d = sqrt(closest->square), along = dc_vec_dot(normal, c->by_normal);
  for (int k = 0; k < 3; k++)
    by_r[k] = c->total * origin->by_distance * normal[k] + (c->by_normal[k] - along * normal[k]) / d;
  for (int v = 0; v < 4; v++) {
    by_weight[v] = dc_vec_dot(c->by_moved, origin->moved[v]) + dc_vec_dot(c->by_varied, origin->varied[v]);
    dc_vec_add_scaled(out[v], out[v], -closest->weight[v], c->by_moved);
  }
  dc_closest_pull_back(closest, origin->x, by_r, by_weight, out);
  if (origin->by_parallel != 0)
    through_parallel(origin->x, c->total * origin->by_parallel, out);
}
