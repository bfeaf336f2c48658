// SPDX-License-Identifier: Apache-2.0
// Oriented point clouds (paper 001, Eq. 6): weighted means of the distances d_i = n_i.(x - p_i) to the points' planes,
//     phi = sum w_i d_i,   w = softmax(l),   l_i = -|x - p_i|^2/(2 h_i^2).
// All points count everywhere: cut off, the mean would not be smooth.  With lambda_i = u.grad l_i, nu_i = u.n_i and
// A_i = nu_i + (d_i - phi) lambda_i is u.g = sum w_i A_i, from which the derivatives below follow term by term.
#include <math.h>
#include <string.h>

#include "geometry/implicit/constants.h"
#include "geometry/implicit/sdf.h"
#include "math/vector.h"

enum { POINT = DC_SDF_POINT, NORMAL = 3, RANGE = 6, NEIGHBOURS = 6 };

// l_i of a point, and r = x - p_i.
static double exponent(const double *p, const double x[3], double r[3])
{
  dc_vec_sub(r, x, p);
  return -0.5 * dc_vec_dot(r, r) / (p[RANGE] * p[RANGE]);
}

// Largest exponent and sum of exp(l - largest).
static double normalize(const struct dc_sdf *sdf, const double x[3], double *largest)
{
  double sum = 0, r[3];
  *largest = -INFINITY;
  for (int i = 0; i < sdf->number_count; i += POINT)
    *largest = fmax(*largest, exponent(sdf->numbers + i, x, r));
  for (int i = 0; i < sdf->number_count; i += POINT)
    sum += exp(exponent(sdf->numbers + i, x, r) - *largest);
  return sum;
}

// The weighted mean of the distances to the planes, which is the value.
static double mean(const struct dc_sdf *sdf, const double x[3], double largest, double sum)
{
  double phi = 0, r[3];
  for (int i = 0; i < sdf->number_count; i += POINT) {
    const double *p = sdf->numbers + i;
    double w = exp(exponent(p, x, r) - largest) / sum;
    phi += w * dc_vec_dot(p + NORMAL, r);
  }
  return phi;
}

// With w_i = softmax(l) and grad l_i = -(x - p_i)/h_i^2,
//     grad phi = sum w_i n_i + sum w_i (d_i - phi) grad l_i.
// The exponents are computed three times instead of stored, since clouds have no limit of points.
static double value(const struct dc_sdf *sdf, const double x[3], double gradient[3])
{
  double largest, sum = normalize(sdf, x, &largest), phi = mean(sdf, x, largest, sum), r[3];
  memset(gradient, 0, 3 * sizeof *gradient);
  for (int i = 0; i < sdf->number_count; i += POINT) {
    const double *p = sdf->numbers + i;
    double w = exp(exponent(p, x, r) - largest) / sum, above = dc_vec_dot(p + NORMAL, r) - phi;
    dc_vec_add_scaled(gradient, gradient, w, p + NORMAL);
    dc_vec_add_scaled(gradient, gradient, -w * above / (p[RANGE] * p[RANGE]), r);
  }
  return phi;
}

// Derivatives of v phi + u . grad phi by place, points, normals and ranges.
static void pull_back(const struct dc_sdf *sdf, const double x[3], double v, const double u[3], double by_x[3],
                      double *parameters)
{
  double largest, sum = normalize(sdf, x, &largest), phi = mean(sdf, x, largest, sum), r[3];
  double total = 0, slope = 0;  // sum w A, sum w lambda
  for (int i = 0; i < sdf->number_count; i += POINT) {
    const double *p = sdf->numbers + i;
    double w = exp(exponent(p, x, r) - largest) / sum, above = dc_vec_dot(p + NORMAL, r) - phi;
    double lambda = -dc_vec_dot(r, u) / (p[RANGE] * p[RANGE]);
    total += w * (dc_vec_dot(p + NORMAL, u) + above * lambda);
    slope += w * lambda;
  }
  for (int i = 0; i < sdf->number_count; i += POINT) {
    const double *p = sdf->numbers + i, *n = p + NORMAL;
    double w = exp(exponent(p, x, r) - largest) / sum, above = dc_vec_dot(n, r) - phi;
    double inverse = 1 / (p[RANGE] * p[RANGE]), along = dc_vec_dot(r, u), lambda = -along * inverse;
    double by_l = w * (dc_vec_dot(n, u) + above * lambda - total) + (v - slope) * w * above;
    double by_d = w * (v - slope + lambda), by_lambda = w * above, by_r[3];
    for (int k = 0; k < 3; k++)
      by_r[k] = by_d * n[k] - inverse * (by_l * r[k] + by_lambda * u[k]);
    dc_vec_add(by_x, by_x, by_r);
    if (!parameters)
      continue;
    double *own = parameters + i;
    dc_vec_sub(own, own, by_r);
    dc_vec_add_scaled(own + NORMAL, own + NORMAL, by_d, r);
    dc_vec_add_scaled(own + NORMAL, own + NORMAL, w, u);
    own[RANGE] += (by_l * dc_vec_dot(r, r) + 2 * by_lambda * along) * inverse / p[RANGE];
  }
}

// A ball around all points, each with its range: an estimate, since phi of a cloud that is open on one side may be
// negative farther out.
static double radius(const struct dc_sdf *sdf)
{
  double radius = 0;
  for (int i = 0; i < sdf->number_count; i += POINT)
    radius = fmax(radius, dc_vec_norm(sdf->numbers + i) + sdf->numbers[i + RANGE]);
  return radius;
}

const struct dc_sdf_type dc_sdf_points = {
    .name = "points", .twice_differentiable = true, .value = value, .pull_back = pull_back, .radius = radius};

// 1.5 times the mean distance to the nearest points.
static double range_of(int count, const double (*places)[3], int i)
{
  double nearest[NEIGHBOURS], sum = 0;
  int known = 0;
  for (int j = 0; j < count; j++) {
    if (j == i)
      continue;
    double distance = dc_vec_distance(places[i], places[j]);
    if (known < NEIGHBOURS)
      nearest[known++] = distance;
    else if (distance < nearest[NEIGHBOURS - 1])
      nearest[NEIGHBOURS - 1] = distance;
    for (int k = known - 1; k > 0 && nearest[k - 1] > nearest[k]; k--) {
      double swap = nearest[k];
      nearest[k] = nearest[k - 1];
      nearest[k - 1] = swap;
    }
  }
  for (int k = 0; k < known; k++)
    sum += nearest[k];
  return DC_POINTS_RANGE * sum / (known > 0 ? known : 1);
}

// Normals are made unit vectors; each point's range follows of the distances of its neighbours, in a time that
// is quadratic in the number of points.
struct dc_sdf *dc_sdf_make_points(int count, const double (*places)[3], const double (*normals)[3],
                                  struct dc_arena *arena)
{
  struct dc_sdf *sdf = dc_sdf_make(&dc_sdf_points, POINT * count, 0, arena);
  for (int i = 0; sdf && i < count; i++) {
    double *point = sdf->numbers + POINT * i;
    dc_vec_copy(point, places[i]);
    dc_vec_scale(point + NORMAL, normals[i], 1 / dc_vec_norm(normals[i]));
    point[RANGE] = range_of(count, places, i);
  }
  return sdf;
}
