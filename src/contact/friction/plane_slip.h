// SPDX-License-Identifier: Apache-2.0
// The derivative of friction on planes by time t, as far as it is the same for triangle pairs and for pairs of hulls.
//
// With y all that belongs to time t, a motion x' of the vertices at t+1 and zeta the answer of the plane's motion,
//     Z zeta = sum E^T K x',     d/dy (D_x x') = d/dy G,   G = D_x x' + D_z zeta = sum_v W_v (r_v.r'_v) / s_v
// at fixed x, z, x', zeta (docs/theory.md, "Friction").  In three dimensions, with P = I - n n^T and q = x_v - o,
//     r = P p,   p = (x+ - x)/h - u - omega n x q,     r' = P p',   p' = x'/h - upsilon - varpi n x q,
//     a = dG/dr = W (r'/s - r (r.r')/s^3),   b = dG/dr' = W r/s,
//     x gains -a/h - omega a x n - varpi b x n,   n gains -(n.p) a - omega q x a - (n.p') b - varpi q x b.
// Everything is in the frame of a plane: b_1, b_2, n about o.
#ifndef DC_CONTACT_PLANE_SLIP_H
#define DC_CONTACT_PLANE_SLIP_H

#include "contact/friction/friction_internal.h"
#include "math/vector.h"

// One vertex on its plane: (x+ - x)/h, x'/h, and q = x_v - o with the height above the plane last.
struct dc_plane_vertex {
  double velocity[3], variation[3], place[3];
};

// How a plane moves, (u, omega), and how that answers, (upsilon, varpi); e^2 and h.
struct dc_plane_motion {
  double z[3], zeta[3], e2, time_step;
};

// Velocity and variation of a vertex of side x at arm for a twist of its frame at t+1, in the axes of the plane.
static inline void dc_plane_vertex_velocity(const struct dc_friction_motion *motion, int x, const double *axes,
                                            const double *arm, const double *twist, double velocity[3],
                                            double variation[3])
{
  double moved[3], rho[3], turned[3];
  dc_mat_apply(moved, motion->drift[x], arm);
  dc_vec_add(moved, moved, motion->velocity[x]);
  dc_mat_apply(velocity, axes, moved);
  dc_mat_apply(rho, motion->turn[x], arm);
  dc_vec_cross(turned, twist, rho);
  dc_vec_add(turned, turned, twist + 3);
  dc_vec_scale(turned, turned, 1 / motion->time_step);
  dc_mat_apply(variation, axes, turned);
}

// r_v
static inline void dc_plane_slip(const struct dc_plane_vertex *v, const double z[3], double r[2])
{
  r[0] = v->velocity[0] - z[0] + z[2] * v->place[1];
  r[1] = v->velocity[1] - z[1] - z[2] * v->place[0];
}

// Adds E^T K E to Z (lower triangle) and E^T K x' to g, for a vertex of weight W.
static inline void dc_plane_add_answer(const struct dc_plane_vertex *v, const struct dc_plane_motion *m, double weight,
                                       double z[3][3], double g[3])
{
  const double *lever = v->place, *x = v->variation;
  double r[2];
  dc_plane_slip(v, m->z, r);
  double s2 = r[0] * r[0] + r[1] * r[1] + m->e2, scale = weight / (s2 * sqrt(s2));
  double k[2][2] = {{scale * (m->e2 + r[1] * r[1]), -scale * r[0] * r[1]},
                    {-scale * r[0] * r[1], scale * (m->e2 + r[0] * r[0])}};
  double e[2][3] = {{1, 0, -lever[1]}, {0, 1, lever[0]}};
  for (int i = 0; i < 3; i++) {
    double row[2] = {e[0][i] * k[0][0] + e[1][i] * k[1][0], e[0][i] * k[0][1] + e[1][i] * k[1][1]};
    g[i] += row[0] * x[0] + row[1] * x[1];
    for (int j = 0; j <= i; j++)
      z[i][j] += row[0] * e[0][j] + row[1] * e[1][j];
  }
}

// Adds a vertex of weight W to the cotangents x of its place in the plane and n of the plane's normal, with a and b;
// returns r.r', with s_v in *size.
static inline double dc_plane_through_slips(const struct dc_plane_vertex *v, const struct dc_plane_motion *m,
                                            double weight, double x[2], double n[2], double a[2], double b[2],
                                            double *size)
{
  double omega = m->z[2], varpi = m->zeta[2], r[2], height = v->place[2];
  dc_plane_slip(v, m->z, r);
  double dr[2] = {v->variation[0] - m->zeta[0] + varpi * v->place[1],
                  v->variation[1] - m->zeta[1] - varpi * v->place[0]};
  double s2 = r[0] * r[0] + r[1] * r[1] + m->e2, s = sqrt(s2), turned = (r[0] * dr[1] - r[1] * dr[0]) / s2;
  // r'/s - r (r.r')/s^3 = (e^2 r' + (r x r') r turned)/s^3
  a[0] = weight / s * (m->e2 / s2 * dr[0] - turned * r[1]);
  a[1] = weight / s * (m->e2 / s2 * dr[1] + turned * r[0]);
  b[0] = weight * r[0] / s;
  b[1] = weight * r[1] / s;
  x[0] = -a[0] / m->time_step - omega * a[1] - varpi * b[1];
  x[1] = -a[1] / m->time_step + omega * a[0] + varpi * b[0];
  n[0] = -v->velocity[2] * a[0] - v->variation[2] * b[0] + height * (omega * a[1] + varpi * b[1]);
  n[1] = -v->velocity[2] * a[1] - v->variation[2] * b[1] - height * (omega * a[0] + varpi * b[0]);
  *size = s;
  return r[0] * dr[0] + r[1] * dr[1];
}

// Adds the wrench of force at arm.
static inline void dc_add_wrench(const double arm[3], const double force[3], double wrench[6])
{
  double torque[3];
  dc_vec_cross(torque, arm, force);
  dc_vec_add(wrench, wrench, torque);
  dc_vec_add(wrench + 3, wrench + 3, force);
}

// Adds the derivative by the place of point `index` of side x in its frame: R_t^T force + R_t+1^T (a + b x w)/h, with w
// the turn of the side's twist.  force acts on the point at t, a through its slip, b through the velocity w x rho that
// varies the slip.  World axes.
static inline void dc_friction_add_point(const struct dc_friction_sides *sides, int x, int index, double time_step,
                                         const double force[3], const double a[3], const double b[3])
{
  double *point = sides->points[x][index], part[3], slip[3];
  dc_mat_apply_transposed(part, sides->now[x], force);
  dc_vec_add(point, point, part);
  dc_vec_cross(slip, b, sides->twist[x]);
  dc_vec_add(slip, slip, a);
  dc_mat_apply_transposed(part, sides->next[x], slip);
  dc_vec_add_scaled(point, point, 1 / time_step, part);
}

// The same with force in world axes, and a [2], b [2] along the first two axes of a plane; NULL without slip.
static inline void dc_friction_add_slip(const struct dc_friction_sides *sides, int x, int index, const double *axes,
                                        double time_step, const double force[3], const double *a, const double *b)
{
  double slip[3] = {0, 0, 0}, pulled[3] = {0, 0, 0};
  for (int k = 0; k < 3 && a; k++) {
    slip[k] = a[0] * axes[k] + a[1] * axes[3 + k];
    pulled[k] = b[0] * axes[k] + b[1] * axes[3 + k];
  }
  dc_friction_add_point(sides, x, index, time_step, force, slip, pulled);
}

// friction_pull_back.c
// The plane of a triangle pair minimizes S over unit normals: with y = (1, x.b_1, x.b_2) its Hessian is M = diag(0, S,
// S)
// + sum 2/h^3 y y^T.  Solves (scale^3 M) eta = eta in place; returns scale, the least of the distances.
double dc_triangle_solve_plane(const double distance[6], const struct dc_plane_vertex vertex[6], double eta[3]);

#endif
