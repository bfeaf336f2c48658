// SPDX-License-Identifier: Apache-2.0
// Friction of touches: between rigid bodies too it is that of the places, normals and forces of time t (Li et al. 2020,
// section 5), so that it has a potential at t+1.  With F the coefficient times the normal force, w_v the weights of the closest
// points, n the normal, all of t, and the law of docs/theory.md, "Friction",
//     Delta = sum_v w_v (x_v+ - x_v),   u = (I - n n^T) Delta,   D = F (sqrt(|u|^2 + e^2) - e),   e = smoothing h,
//     force of vertex v  -w_v F phi u,   phi = 1/sqrt(|u|^2 + e^2),
//     Hessian  w_v w_u F (phi (I - n n^T) - phi^3 u u^T), positive semidefinite.
// Derivative of G = F phi u.delta, delta = sum_v w_v delta_v, by time t, where F, n and w_v are functions of x: with
// gamma = -phi^3,
//     by Delta   F (phi (I - n n^T) delta + gamma (u.delta) u),    by delta   F phi u,
//     by n       -F (phi ((n.delta) Delta + (n.Delta) delta) + gamma (u.delta) (n.Delta) Delta),
//     by r       (I - n n^T) (by n)/d + G (ln F)_d n,    by c   G (ln F)_c,    by w_v   (by Delta).(x_v+ - x_v) + (by delta).delta_v.
#include <math.h>
#include <string.h>

#include "contact/surface/surface_internal.h"

int dc_surface_friction_begin(struct dc_surface_contact *contact, const double *coefficients, double smoothing,
                              double time_step)
{
  contact->rub_count = 0;
  for (size_t t = 0; t < contact->touch_count; t++) {
    const struct dc_touch *touch = &contact->touches[t];
    double p[3], m[3], d = sqrt(touch->closest.square);
    dc_touch_profile(touch, p);
    dc_touch_mollifier(touch, m);
    double coefficient = sqrt(coefficients[touch->body[0]] * coefficients[touch->body[1]]);
    double strength = -coefficient * touch->stiffness * m[0] * 2 * d * p[1];
    if (!(strength > 0))
      continue;
    if (dc_grow(&contact->rubs, &contact->rub_capacity, contact->rub_count + 1, sizeof *contact->rubs))
      return -1;
    struct dc_rub *rub = &contact->rubs[contact->rub_count++];
    *rub = (struct dc_rub){.touch = *touch,
                           .strength = strength,
                           .width = smoothing * time_step,
                           .by_distance = 1 / d + 2 * d * p[2] / p[1],
                           .by_parallel = m[1] / m[0]};
    dc_vec_scale(rub->normal, touch->closest.r, 1 / d);
  }
  return 0;
}

const struct dc_rub *dc_surface_rubs(const struct dc_surface_contact *contact, size_t *count)
{
  *count = contact->rub_count;
  return contact->rubs;
}

// sum_v w_v y_v
static void weigh(const struct dc_rub *rub, const double (*y)[3], double sum[3])
{
  memset(sum, 0, 3 * sizeof *sum);
  for (int v = 0; v < 4; v++)
    dc_vec_add_scaled(sum, sum, rub->touch.closest.weight[v], y[v]);
}

// How far the points moved and slipped.
static void slip(const struct dc_rub *rub, const double (*x)[3], double moved[4][3], double delta[3], double u[3])
{
  for (int v = 0; v < 4; v++)
    dc_vec_sub(moved[v], x[v], rub->touch.x[v]);
  weigh(rub, (const double(*)[3])moved, delta);
  dc_vec_add_scaled(u, delta, -dc_vec_dot(rub->normal, delta), rub->normal);
}

double dc_rub_derivatives(const struct dc_rub *rub, const double (*x)[3], double (*gradient)[3], double (*hessian)[12])
{
  double moved[4][3], delta[3], u[3], k[9];
  const double *w = rub->touch.closest.weight, *n = rub->normal;
  slip(rub, x, moved, delta, u);
  double square = dc_vec_dot(u, u), root = sqrt(square + rub->width * rub->width), phi = 1 / root;
  for (int v = 0; v < 4 && gradient; v++)
    dc_vec_scale(gradient[v], u, w[v] * rub->strength * phi);
  for (int i = 0; i < 9; i++)
    k[i] = rub->strength * phi * ((i / 3 == i % 3) - n[i / 3] * n[i % 3] - phi * phi * u[i / 3] * u[i % 3]);
  for (int i = 0; i < 12 && hessian; i++)
    for (int j = 0; j < 12; j++)
      hessian[i][j] = w[i / 3] * w[j / 3] * k[3 * (i % 3) + j % 3];
  return rub->strength * square / (root + rub->width);
}

// Adds what the mollifier's c takes to the ends of the edges.
static void through_parallel(const struct dc_rub *rub, double by_c, double (*out)[3])
{
  double e[3], f[3], n[3], by_e[3], by_f[3];
  dc_vec_sub(e, rub->touch.x[1], rub->touch.x[0]);
  dc_vec_sub(f, rub->touch.x[3], rub->touch.x[2]);
  dc_vec_cross(n, e, f);
  dc_vec_cross(by_e, f, n);
  dc_vec_cross(by_f, n, e);
  for (int v = 0; v < 4; v++)
    dc_vec_add_scaled(out[v], out[v], v % 2 ? 2 * by_c : -2 * by_c, v < 2 ? by_e : by_f);
}

double dc_rub_pull_back(const struct dc_rub *rub, const double (*x)[3], const double (*varied)[3], double (*out)[3])
{
  const struct dc_closest *closest = &rub->touch.closest;
  const double *n = rub->normal;
  double moved[4][3], delta[3], u[3], turned[3], by_moved[3], by_varied[3], by_normal[3], by_r[3], by_weight[4];
  slip(rub, x, moved, delta, u);
  weigh(rub, varied, turned);
  double phi = 1 / sqrt(dc_vec_dot(u, u) + rub->width * rub->width), gamma = -phi * phi * phi,
         along = dc_vec_dot(u, turned), delta_n = dc_vec_dot(n, delta), varied_n = dc_vec_dot(n, turned),
         total = rub->strength * phi * along, d = sqrt(closest->square);
  for (int k = 0; k < 3; k++) {
    by_moved[k] = rub->strength * (phi * (turned[k] - varied_n * n[k]) + gamma * along * u[k]);
    by_varied[k] = rub->strength * phi * u[k];
    by_normal[k] =
        -rub->strength * (phi * (varied_n * delta[k] + delta_n * turned[k]) + gamma * along * delta_n * delta[k]);
  }
  double normal_part = dc_vec_dot(n, by_normal);
  for (int k = 0; k < 3; k++)
    by_r[k] = total * rub->by_distance * n[k] + (by_normal[k] - normal_part * n[k]) / d;
  for (int v = 0; v < 4; v++) {
    by_weight[v] = dc_vec_dot(by_moved, moved[v]) + dc_vec_dot(by_varied, varied[v]);
    dc_vec_add_scaled(out[v], out[v], -closest->weight[v], by_moved);
  }
  dc_closest_pull_back(closest, rub->touch.x, by_r, by_weight, out);
  if (rub->by_parallel != 0)
    through_parallel(rub, total * rub->by_parallel, out);
  return total;
}
