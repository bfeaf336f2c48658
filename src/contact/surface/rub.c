// SPDX-License-Identifier: Apache-2.0
// Friction of touches: between rigid bodies too it is that of the places, normals and forces of time t (Li et al. 2020,
// section 5), so that it has a potential at t+1.  With F the coefficient times the normal force, w_v the weights of the closest
// points, n the normal, all of t, and the law of docs/theory.md, "Friction",
//     Delta = sum_v w_v (x_v+ - x_v),   u = (I - n n^T) Delta,   D = F (sqrt(|u|^2 + e^2) - e),   e = smoothing h,
//     force of vertex v  -w_v F phi u,   phi = 1/sqrt(|u|^2 + e^2),
//     Hessian  w_v w_u F (phi (I - n n^T) - phi^3 u u^T), positive semidefinite.
// The derivative of G = F phi u.delta, delta = sum_v w_v delta_v, by time t, where F, n and w_v are functions of x, is that of
// contact/friction/point_slip.h.
#include <math.h>
#include <string.h>

#include "contact/friction/point_slip.h"
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

double dc_rub_pull_back(const struct dc_rub *rub, const double (*x)[3], const double (*varied)[3], double (*out)[3])
{
  const struct dc_point_rub points = {.normal = {rub->normal[0], rub->normal[1], rub->normal[2]},
                                      .strength = rub->strength};
  double moved[4][3], delta[3], turned[3], u[3];
  struct dc_point_cotangents c;
  slip(rub, x, moved, delta, u);
  weigh(rub, varied, turned);
  dc_point_slip_cotangents(&points, dc_slip_root, rub->width, delta, turned, &c);
  const struct dc_point_origin origin = {&rub->touch.closest, rub->by_distance,          rub->by_parallel,
                                         rub->touch.x,        (const double(*)[3])moved, varied};
  dc_point_pull_back(&origin, rub->normal, &c, out);
  return c.total;
}
