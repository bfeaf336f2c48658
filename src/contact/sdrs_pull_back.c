// SPDX-License-Identifier: Apache-2.0
// Friction's mixed derivative for sdrs: how its gradient at t+1 depends on the poses at t, coefficients and stiffness
// (docs/theory.md, "SDRS", "Derivatives at t").
//
// With y all that belongs to time t, a motion x' of the vertices at t+1 and zeta the answer of the plane's motion,
//     Z zeta = sum E^T K x',     d/dy (D_x x') = d/dy G,   G = sum_v W_v ((r_v.r'_v) / s_v + rho^2 omega varpi / e)
// at fixed x, z, x', zeta.  In three dimensions, with P = I - m m^T and q = x_v - o,
//     r = P p,   p = (x+ - x)/h - u - omega m x q,     r' = P p',   p' = x'/h - upsilon - varpi m x q,
//     a = dG/dr = W (r'/s - r (r.r')/s^3),   b = dG/dr' = W r/s,
//     x gains -a/h - omega a x m - varpi b x m,   m gains -(m.p) a - omega q x a - (m.p') b - varpi q x b.
// Everything below is in the frame of a plane: b_1, b_2, m about o.
#include <string.h>

#include "contact/sdrs_internal.h"
#include "math/vector.h"

// Twists of the frames at t+1 in, wrenches of those at t out; both of a body pair.
struct pair_sides {
  const double *twist[2];
  double wrench[2][6];
};

// G's derivative by what belongs to the plane at t: (o, n_1, n_2, n_3) in units of length, o for the offset.
struct plane_cotangent {
  double p[4];
};

// What the sums over a pair's vertices share.
struct pull {
  const struct dc_sdrs_rub *rub;
  const struct dc_sdrs_rubbing *vertices;
  const struct dc_sdrs_motion *motion;
  double time_step, smoothing, drag, length, support;
};

static int body_of(const struct dc_sdrs_rub *rub, int v)
{
  return v < rub->count_a ? 0 : 1;
}

// (x+ - x)/h of a vertex and x'/h for a twist of its frame at t+1, in the axes of the plane.
static void vertex_velocity(const struct pull *pull, int v, const struct pair_sides *sides, double velocity[3],
                            double variation[3])
{
  const double *arm = pull->vertices[v].arm;
  int x = body_of(pull->rub, v);
  double moved[3], rho[3], turned[3];
  dc_mat_apply(moved, pull->motion->drift[x], arm);
  dc_vec_add(moved, moved, pull->motion->velocity[x]);
  dc_mat_apply(velocity, pull->rub->axes, moved);
  dc_mat_apply(rho, pull->motion->turn[x], arm);
  dc_vec_cross(turned, sides->twist[x], rho);
  dc_vec_add(turned, turned, sides->twist[x] + 3);
  dc_vec_scale(turned, turned, 1 / pull->time_step);
  dc_mat_apply(variation, pull->rub->axes, turned);
}

static void slip_of(const struct pull *pull, int v, const double velocity[3], double slip[2])
{
  const double *z = pull->rub->motion, *lever = pull->vertices[v].local;
  slip[0] = velocity[0] - z[0] + z[2] * lever[1];
  slip[1] = velocity[1] - z[1] - z[2] * lever[0];
}

// zeta = (upsilon, varpi): how the plane's motion answers; 0 on a half space.
static void plane_answer(const struct pull *pull, const struct pair_sides *sides, double zeta[3])
{
  double matrix[3][3] = {[2][2] = pull->drag}, g[3] = {0, 0, 0}, e2 = pull->smoothing * pull->smoothing;
  memset(zeta, 0, 3 * sizeof *zeta);
  for (int v = 0; v < pull->rub->count && !pull->rub->floor; v++) {
    const double *lever = pull->vertices[v].local;
    double velocity[3], x[3], r[2];
    vertex_velocity(pull, v, sides, velocity, x);
    slip_of(pull, v, velocity, r);
    double s2 = r[0] * r[0] + r[1] * r[1] + e2, scale = pull->vertices[v].weight / (s2 * sqrt(s2));
    double k[2][2] = {{scale * (e2 + r[1] * r[1]), -scale * r[0] * r[1]},
                      {-scale * r[0] * r[1], scale * (e2 + r[0] * r[0])}};
    double e[2][3] = {{1, 0, -lever[1]}, {0, 1, lever[0]}};
    for (int i = 0; i < 3; i++) {
      double row[2] = {e[0][i] * k[0][0] + e[1][i] * k[1][0], e[0][i] * k[0][1] + e[1][i] * k[1][1]};
      g[i] += row[0] * x[0] + row[1] * x[1];
      for (int j = 0; j <= i; j++)
        matrix[i][j] += row[0] * e[0][j] + row[1] * e[1][j];
    }
  }
  if (pull->rub->floor)
    return;
  dc_sdrs_factor_motion(matrix);
  dc_sdrs_solve_motion((const double(*)[3])matrix, g, zeta);
}

// Through r and r': x gains of one vertex, m gains (m_1, m_2); returns the vertex's part of G.
static double through_slip(const struct pull *pull, int v, const struct pair_sides *sides, const double zeta[3],
                           double x[3], double m[2])
{
  const double *z = pull->rub->motion, *place = pull->vertices[v].local;
  double velocity[3], variation[3], r[2], dr[2], a[2], b[2], omega = z[2], varpi = zeta[2];
  double e2 = pull->smoothing * pull->smoothing, weight = pull->rub->strength * pull->vertices[v].weight;
  vertex_velocity(pull, v, sides, velocity, variation);
  slip_of(pull, v, velocity, r);
  dr[0] = variation[0] - zeta[0] + varpi * place[1];
  dr[1] = variation[1] - zeta[1] - varpi * place[0];
  double s2 = r[0] * r[0] + r[1] * r[1] + e2, s = sqrt(s2), turned = (r[0] * dr[1] - r[1] * dr[0]) / s2;
  // r'/s - r (r.r')/s^3 = (e^2 r' + (r x r') r turned)/s^3
  a[0] = weight / s * (e2 / s2 * dr[0] - turned * r[1]);
  a[1] = weight / s * (e2 / s2 * dr[1] + turned * r[0]);
  b[0] = weight * r[0] / s;
  b[1] = weight * r[1] / s;
  x[0] = -a[0] / pull->time_step - omega * a[1] - varpi * b[1];
  x[1] = -a[1] / pull->time_step + omega * a[0] + varpi * b[0];
  x[2] = 0;
  m[0] = -velocity[2] * a[0] - variation[2] * b[0] + place[2] * (omega * a[1] + varpi * b[1]);
  m[1] = -velocity[2] * a[1] - variation[2] * b[1] - place[2] * (omega * a[0] + varpi * b[0]);
  return weight * ((r[0] * dr[0] + r[1] * dr[1]) / s + pull->drag * omega * varpi);
}

// The optimal plane's Hessian for (o, n_1, n_2, n_3) in its own frame, n = (0, 0, 1 - beta): see sdrs_pair.c.
static void plane_hessian(const struct pull *pull, double h[4][4])
{
  double p[3], size = 1 - pull->rub->slack;
  memset(h, 0, 16 * sizeof **h);
  for (int v = 0; v < pull->rub->count; v++) {
    const double *x = pull->vertices[v].local, unit = 1 / pull->length;
    const double y[4] = {1, unit * x[0], unit * x[1], unit * x[2]};
    dc_sdrs_barrier(pull->support, pull->vertices[v].distance, p);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j <= i; j++)
        h[i][j] += p[2] * y[i] * y[j];
  }
  dc_sdrs_barrier(pull->support, pull->rub->slack, p);
  h[1][1] -= p[1] / size;
  h[2][2] -= p[1] / size;
  h[3][3] += p[2];
}

// Adds the wrench of a force given in the axes of the plane at a vertex.
static void add_wrench(const struct pull *pull, int v, const double local_force[3], struct pair_sides *sides)
{
  double force[3], torque[3], *wrench = sides->wrench[body_of(pull->rub, v)];
  dc_mat_apply_transposed(force, pull->rub->axes, local_force);
  dc_vec_cross(torque, pull->vertices[v].arm, force);
  dc_vec_add(wrench, wrench, torque);
  dc_vec_add(wrench + 3, wrench + 3, force);
}

// H eta = cotangent of (o, n); as P'(u_v) y_v sum to minus the gradient of P_s(1 - |n|), a vertex gains
//     -s_v (P'' (y_v.eta) n + P' eta_n) / l.
static void through_plane(const struct pull *pull, const struct plane_cotangent *cotangent, struct pair_sides *sides)
{
  double h[4][4], eta[4], size = 1 - pull->rub->slack, unit = 1 / pull->length;
  plane_hessian(pull, h);
  dc_sdrs_factor_plane(h);
  dc_sdrs_solve_plane((const double(*)[4])h, cotangent->p, eta);
  for (int v = 0; v < pull->rub->count; v++) {
    const double *x = pull->vertices[v].local;
    double p[3], sign = body_of(pull->rub, v) ? -1 : 1, force[3];
    dc_sdrs_barrier(pull->support, pull->vertices[v].distance, p);
    double along = sign * (eta[0] + unit * (x[0] * eta[1] + x[1] * eta[2] + x[2] * eta[3]));
    for (int k = 0; k < 3; k++)
      force[k] = -sign * unit * p[1] * eta[1 + k];
    force[2] -= sign * unit * p[2] * along * size;
    add_wrench(pull, v, force, sides);
  }
}

// Returns G.  f_v = -mu |n| P_s'(u_v)/l, u_v = s_v (n.x_v + o)/l: through_slip's parts of G times d log f_v.
static double pull_back_rub(const struct pull *pull, struct pair_sides *sides)
{
  struct plane_cotangent plane = {{0, 0, 0, 0}};
  double zeta[3], total = 0, size = 1 - pull->rub->slack, unit = 1 / pull->length;
  plane_answer(pull, sides, zeta);
  for (int v = 0; v < pull->rub->count; v++) {
    const double *place = pull->vertices[v].local;
    double x[3], m[2], p[3], sign = body_of(pull->rub, v) ? -1 : 1;
    double share = through_slip(pull, v, sides, zeta, x, m);
    dc_sdrs_barrier(pull->support, pull->vertices[v].distance, p);
    double by_distance = sign * share * p[2] / p[1];
    x[2] += by_distance * unit * (pull->rub->floor ? 1 : size);
    add_wrench(pull, v, x, sides);
    total += share;
    plane.p[0] += by_distance;
    plane.p[1] += by_distance * unit * place[0] + m[0] / size;
    plane.p[2] += by_distance * unit * place[1] + m[1] / size;
    plane.p[3] += by_distance * unit * place[2] + share / size;
  }
  if (!pull->rub->floor)
    through_plane(pull, &plane, sides);
  return total;
}

// The first of the things that rub, which are sorted by pair, of this pair or a later one.
static size_t first_rub(const struct dc_sdrs_friction *friction, int pair)
{
  size_t low = 0, high = friction->rub_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (friction->rubs[middle].pair < pair)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void dc_sdrs_pull_back(struct dc_contact *contact, int first, int end, const struct dc_pose *next,
                       const double (*twists)[6], double (*wrenches)[6], double *coefficient, double *stiffness)
{
  static const double none[6] = {0, 0, 0, 0, 0, 0};
  const struct dc_sdrs_friction *friction = ((const struct dc_sdrs *)contact->own)->friction;
  for (size_t k = first_rub(friction, first); k < friction->rub_count && friction->rubs[k].pair < end; k++) {
    const struct dc_sdrs_rub *rub = &friction->rubs[k];
    int a = contact->pairs[rub->pair].a, b = contact->pairs[rub->pair].b;
    struct dc_sdrs_motion motion;
    dc_sdrs_motion_of(contact, rub->pair, next, &motion);
    struct pull pull = {.rub = rub,
                        .vertices = friction->vertices + rub->first,
                        .motion = &motion,
                        .time_step = friction->time_step,
                        .smoothing = friction->smoothing,
                        .drag = friction->drag,
                        .length = contact->settings.length,
                        .support = contact->settings.support};
    struct pair_sides sides = {.twist = {twists[a], motion.both ? twists[b] : none}};
    double total = pull_back_rub(&pull, &sides);
    for (int i = 0; i < 6; i++) {
      wrenches[a][i] += sides.wrench[0][i];
      wrenches[b][i] += motion.both ? sides.wrench[1][i] : 0;
    }
    coefficient[a] += 0.5 * total / friction->coefficient[a];
    coefficient[b] += 0.5 * total / friction->coefficient[b];
    *stiffness += total / friction->stiffness;
  }
}
