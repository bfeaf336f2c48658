// SPDX-License-Identifier: Apache-2.0
// Energy of a touch and its derivatives by the places of the four vertices.
//
// With D the squared distance, r = sum_v w_v x_v the vector between the closest points and t_k, s_kv as in
// geometry/convex/distance.h,
//     D_v = 2 w_v r,   D_vu = 2 (w_v w_u I - sum_kl phi_kv (t.t)^-1_kl phi_lu^T),   phi_kv = s_kv r + w_v t_k,
// and of two edges e = x_1 - x_0, f = x_3 - x_2, q = e.f: c = |e|^2 |f|^2 - q^2,
//     c_e = 2 (|f|^2 e - q f),   c_ee = 2 (|f|^2 I - f f^T),   c_ef = 2 (2 e f^T - f e^T - q I).
#include <math.h>
#include <string.h>

#include "contact/barrier/clamped.h"
#include "contact/surface/surface_internal.h"

void dc_touch_profile(const struct dc_touch *touch, double p[3])
{
  dc_clamped_profile(touch->closest.square, touch->range, p);
}

static void edges_of(const struct dc_touch *touch, double e[3], double f[3])
{
  dc_vec_sub(e, touch->x[1], touch->x[0]);
  dc_vec_sub(f, touch->x[3], touch->x[2]);
}

// m(c) and two derivatives: 1 of a point and a triangle; of edges it fades out as they become parallel, where the
// distance has a kink (Li et al. 2020, Eq. 24).
void dc_touch_mollifier(const struct dc_touch *touch, double m[3])
{
  double e[3], f[3], n[3];
  m[0] = 1;
  m[1] = m[2] = 0;
  if (touch->first == 1)
    return;
  edges_of(touch, e, f);
  dc_vec_cross(n, e, f);
  dc_clamped_mollifier(dc_vec_dot(n, n), touch->threshold, m);
}

// The rows phi_k, the second orthogonal to the first, and what divides their squares; returns how many.
static int parameter_rows(const struct dc_touch *touch, double rows[2][12], double squares[2])
{
  const struct dc_closest *closest = &touch->closest;
  double t[2][3] = {{0}}, n[3];
  for (int k = 0; k < closest->parameters; k++) {
    for (int v = 0; v < 4; v++)
      dc_vec_add_scaled(t[k], t[k], closest->slope[k][v], touch->x[v]);
    for (int v = 0; v < 4; v++)
      for (int i = 0; i < 3; i++)
        rows[k][3 * v + i] = closest->slope[k][v] * closest->r[i] + closest->weight[v] * t[k][i];
  }
  squares[0] = dc_vec_dot(t[0], t[0]);
  if (closest->parameters < 2)
    return closest->parameters;
  double part = dc_vec_dot(t[0], t[1]) / squares[0];
  dc_vec_cross(n, t[0], t[1]);
  squares[1] = dc_vec_dot(n, n) / squares[0];
  for (int i = 0; i < 12; i++)
    rows[1][i] -= part * rows[0][i];
  return 2;
}

// hessian += scale D_xx
static void add_distance_hessian(const struct dc_touch *touch, double scale, double (*hessian)[12])
{
  const double *w = touch->closest.weight;
  double rows[2][12], squares[2];
  int count = parameter_rows(touch, rows, squares);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      double sum = i % 3 == j % 3 ? w[i / 3] * w[j / 3] : 0;
      for (int k = 0; k < count; k++)
        sum -= rows[k][i] * rows[k][j] / squares[k];
      hessian[i][j] += 2 * scale * sum;
    }
}

// c_x
static void parallel_gradient(const double e[3], const double f[3], double c[12])
{
  double q = dc_vec_dot(e, f), ee = dc_vec_dot(e, e), ff = dc_vec_dot(f, f);
  for (int i = 0; i < 3; i++) {
    c[3 + i] = 2 * (ff * e[i] - q * f[i]);
    c[i] = -c[3 + i];
    c[9 + i] = 2 * (ee * f[i] - q * e[i]);
    c[6 + i] = -c[9 + i];
  }
}

// hessian += scale c_xx
static void add_parallel_hessian(const double e[3], const double f[3], double scale, double (*hessian)[12])
{
  double q = dc_vec_dot(e, f), ee = dc_vec_dot(e, e), ff = dc_vec_dot(f, f), by[2][2][3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      by[0][0][i][j] = 2 * ((i == j ? ff : 0) - f[i] * f[j]);
      by[1][1][i][j] = 2 * ((i == j ? ee : 0) - e[i] * e[j]);
      by[0][1][i][j] = by[1][0][j][i] = 2 * (2 * e[i] * f[j] - f[i] * e[j] - (i == j ? q : 0));
    }
  for (int v = 0; v < 4; v++)
    for (int u = 0; u < 4; u++) {
      double sign = v % 2 == u % 2 ? scale : -scale;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          hessian[3 * v + i][3 * u + j] += sign * by[v / 2][u / 2][i][j];
    }
}

// E = kappa m p:  E_x = kappa (m p' D_x + m' p c_x),
// E_xx = kappa (m p' D_xx + m p'' D_x D_x^T + m' p' (c_x D_x^T + D_x c_x^T) + p (m' c_xx + m'' c_x c_x^T)).
void dc_touch_derivatives(const struct dc_touch *touch, double (*gradient)[3], double (*hessian)[12])
{
  double p[3], m[3], d[12], c[12] = {0}, e[3], f[3], kappa = touch->stiffness;
  dc_touch_profile(touch, p);
  dc_touch_mollifier(touch, m);
  bool mollified = m[1] != 0 || m[2] != 0;
  for (int i = 0; i < 12; i++)
    d[i] = 2 * touch->closest.weight[i / 3] * touch->closest.r[i % 3];
  if (mollified) {
    edges_of(touch, e, f);
    parallel_gradient(e, f, c);
  }
  for (int i = 0; i < 12; i++)
    gradient[i / 3][i % 3] = kappa * (m[0] * p[1] * d[i] + m[1] * p[0] * c[i]);
  if (!hessian)
    return;
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      hessian[i][j] =
          kappa * (m[0] * p[2] * d[i] * d[j] + m[1] * p[1] * (c[i] * d[j] + d[i] * c[j]) + m[2] * p[0] * c[i] * c[j]);
  add_distance_hessian(touch, kappa * m[0] * p[1], hessian);
  if (mollified)
    add_parallel_hessian(e, f, kappa * m[1] * p[0], hessian);
}
