// SPDX-License-Identifier: Apache-2.0
// Superquadrics (paper 001, Eq. 4, whose division by |x| must be a product): with s_1 = x^2/a^2 + d, ... and L = log s,
//     h = e2 log(exp(L_1/e2) + exp(L_2/e2)),   g = e1 log(exp(h/e1) + exp(L_3/e1)) = e1 log f,
//     phi = |x| (1 - exp(-g/2)),
// the distance to the surface along the ray from the centre: exact for spheres, and growing along every ray.  d = 1e-12
// keeps logarithms finite on the coordinate planes, and value and gradient finite at the centre.
#include <math.h>

#include "geometry/implicit/constants.h"
#include "geometry/implicit/sdf.h"
#include "math/vector.h"

enum { A, E1 = 3, E2 = 4, NUMBERS = 5 };

// e log(exp(a/e) + exp(b/e)) and its derivative by a.
static double soft_larger(double a, double b, double e, double *weight)
{
  double difference = (a - b) / e, power = exp(-fabs(difference));
  *weight = difference > 0 ? 1 / (1 + power) : power / (1 + power);
  return fmax(a, b) + e * log1p(power);
}

// The terms of the head at one point: s_k and their logarithms L_k, h, g, the weights dh/dL_1 and dg/dh of both blends,
// and |x|, m, with its rounding term.
struct terms {
  double s[3], l[3], h, g, by_l1, by_h, radius, fall;  // fall: exp(-g/2)
};

// Value and derivative share these terms; both blends work with logarithms, so that large powers do not overflow.
static void compute(const struct dc_sdf *sdf, const double x[3], struct terms *t)
{
  const double *n = sdf->numbers;
  for (int k = 0; k < 3; k++) {
    t->s[k] = x[k] * x[k] / (n[A + k] * n[A + k]) + DC_SUPERQUADRIC_LEAST;
    t->l[k] = log(t->s[k]);
  }
  t->h = soft_larger(t->l[0], t->l[1], n[E2], &t->by_l1);
  t->g = soft_larger(t->h, t->l[2], n[E1], &t->by_h);
  t->radius = sqrt(dc_vec_dot(x, x) + DC_SUPERQUADRIC_LEAST * n[A] * n[A]);
  t->fall = exp(-0.5 * t->g);
}

// With weights w_k = dg/dL_k, which sum to 1, and E = exp(-g/2),
//     grad phi = (1 - E) x/|x| + |x| E w_k x_k/(a_k^2 s_k)   by components.
static double value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  const double *n = sdf->numbers;
  struct terms t;
  compute(sdf, x, &t);
  double weights[3] = {t.by_h * t.by_l1, t.by_h * (1 - t.by_l1), 1 - t.by_h};
  for (int k = 0; k < 3; k++)
    gradient[k] =
        (1 - t.fall) * x[k] / t.radius + t.radius * t.fall * weights[k] * x[k] / (n[A + k] * n[A + k] * t.s[k]);
  return t.radius * (1 - t.fall);
}

// A soft_larger of a and b with rates a', b' along u: cotangents of value and rate to those of a, b and their rates.
struct blend {
  double by_a, by_b, by_a_rate, by_b_rate, by_e;
};

// The rate is w a' + (1 - w) b', and dw = w (1 - w)/e (da - db) makes the curvature term.  by_e joins
//     d value/de = (value - w a - (1 - w) b)/e   and   dw/de = -w (1 - w) (a - b)/e^2.
static struct blend blend_pull_back(double a, double b, double a_rate, double b_rate, double e, double weight,
                                    double value, double by_value, double by_rate)
{
  double curvature = by_rate * (a_rate - b_rate) * weight * (1 - weight) / e;
  return (struct blend){.by_a = by_value * weight + curvature,
                        .by_b = by_value * (1 - weight) - curvature,
                        .by_a_rate = by_rate * weight,
                        .by_b_rate = by_rate * (1 - weight),
                        .by_e = by_value * (value - weight * a - (1 - weight) * b) / e - curvature * (a - b) / e};
}

// Rates along u beside the values, then backwards through both.
static void pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  const double *n = sdf->numbers;
  struct terms t;
  compute(sdf, x, &t);
  double s_rate[3], l_rate[3];
  for (int k = 0; k < 3; k++) {
    s_rate[k] = 2 * x[k] * u[k] / (n[A + k] * n[A + k]);
    l_rate[k] = s_rate[k] / t.s[k];
  }
  double h_rate = t.by_l1 * l_rate[0] + (1 - t.by_l1) * l_rate[1];
  double g_rate = t.by_h * h_rate + (1 - t.by_h) * l_rate[2];
  double radius_rate = dc_vec_dot(x, u) / t.radius;
  // F = v r (1 - E) + r' (1 - E) + r E g'/2
  double by_g = 0.5 * t.fall * (v * t.radius + radius_rate - 0.5 * t.radius * g_rate);
  double by_radius = v * (1 - t.fall) + 0.5 * t.fall * g_rate - (1 - t.fall) * radius_rate / t.radius;
  struct blend outer =
      blend_pull_back(t.h, t.l[2], h_rate, l_rate[2], n[E1], t.by_h, t.g, by_g, 0.5 * t.radius * t.fall);
  struct blend inner =
      blend_pull_back(t.l[0], t.l[1], l_rate[0], l_rate[1], n[E2], t.by_l1, t.h, outer.by_a, outer.by_a_rate);
  double by_l[3] = {inner.by_a, inner.by_b, outer.by_b},
         by_l_rate[3] = {inner.by_a_rate, inner.by_b_rate, outer.by_b_rate};
  for (int k = 0; k < 3; k++) {
    double square = n[A + k] * n[A + k], by_s_rate = by_l_rate[k] / t.s[k];
    double by_s = (by_l[k] - by_l_rate[k] * l_rate[k]) / t.s[k];
    by_x[k] += (by_radius * x[k] + (1 - t.fall) * u[k]) / t.radius + 2 * (by_s * x[k] + by_s_rate * u[k]) / square;
    if (parameters)
      parameters[A + k] -= 2 * (by_s * x[k] * x[k] + by_s_rate * 2 * x[k] * u[k]) / (square * n[A + k]);
  }
  if (!parameters)
    return;
  parameters[A] += DC_SUPERQUADRIC_LEAST * n[A] * by_radius / t.radius;
  parameters[E1] += outer.by_e;
  parameters[E2] += inner.by_e;
}

// |(a, b, c)|: the box around the superquadric holds it for every exponent.
static double radius(const struct dc_sdf *sdf)
{
  return dc_vec_norm(sdf->numbers + A);
}

// The largest a u + b v of all u, v >= 0 with u^(1/e) + v^(1/e) = 1: for e < 1 (a^q + b^q)^(1/q), q = 1/(1 - e), by
// Hoelder's inequality, else at an end.
static double blend_most(double a, double b, double e)
{
  double end = fmax(a, b), q = 1 / (1 - e);
  return e < 1 - 1e-9 ? end * pow(pow(a / end, q) + pow(b / end, q), 1 / q) : end;
}

// |x|^2 = a^2 s_1 + b^2 s_2 + c^2 s_3 on the surface (s_1^(1/e2) + s_2^(1/e2))^(e2/e1) + s_3^(1/e1) = 1.
double dc_superquadric_radius(const double numbers[5])
{
  double square[3];
  for (int k = 0; k < 3; k++)
    square[k] = numbers[A + k] * numbers[A + k];
  return sqrt(blend_most(blend_most(square[0], square[1], numbers[E2]), square[2], numbers[E1]));
}

const struct dc_sdf_type dc_sdf_superquadric = {
    .name = "superquadric", .twice_differentiable = true, .value = value, .pull_back = pull_back, .radius = radius};

// axes [3]: half-axes, m; e1 shapes the profile along z, e2 the section across z.
struct dc_sdf *dc_sdf_make_superquadric(const double axes[3], double e1, double e2, struct dc_arena *arena)
{
  struct dc_sdf *sdf = dc_sdf_make(&dc_sdf_superquadric, NUMBERS, 0, arena);
  if (!sdf)
    return NULL;
  dc_vec_copy(sdf->numbers + A, axes);
  sdf->numbers[E1] = e1;
  sdf->numbers[E2] = e2;
  return sdf;
}
