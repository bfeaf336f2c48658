// SPDX-License-Identifier: Apache-2.0
// Smoothed witness points and how they follow the other one (docs/theory.md, "Derivatives of witness points").
//
// With scores u_i of samples v_i, temperature tau and weights w_i = exp(u_i / tau) / sum_j exp(u_j / tau)
//     x* = sum_i w_i v_i,
//     A = dx*/dy = (1 / tau) sum_i w_i (v_i - x*) (g_i - (u_i / tau) dtau/dy)^T,   g_i = du_i/dy.
// Nothing changes when the same number is added to all u_i, or the same vector to all g_i: it is chosen so that no
// digits are lost however far y is.
#include <float.h>
#include <string.h>

#include "geometry/convex/constants.h"
#include "geometry/convex/witness_local.h"
#include "math/vector.h"

// Scores, their derivatives and weights of the samples around one witness point.  The unit of u is m^2 for squared
// distances and m for distances.  tau is std(u), or its square root as a number in SI units, and tau_by_y is dtau/dy.
struct scores {
  double u[DC_WITNESS_SAMPLES_MOST];
  double g[3][DC_WITNESS_SAMPLES_MOST];  // du_i/dy
  double weight[DC_WITNESS_SAMPLES_MOST];
  double tau, tau_by_y[3];
};

// With p = v - x and e = y - x: u = |e|^2 - |p - e|^2 = p.(2 e - p), g = 2 p, or u = |e| - |p - e|, g = (p - e) / |p -
// e|.  Returns the largest number that the u were computed from.
static double score(const struct dc_witness_settings *settings, const struct dc_witness_points *points,
                    const double e[3], struct scores *scores)
{
  int n = points->count;
  double *u = scores->u, largest = 0;
  for (int i = 0; i < n; i++) {
    double p[3] = {points->x[i], points->y[i], points->z[i]};
    double square = dc_vec_dot(p, p), product = 2 * dc_vec_dot(p, e);
    u[i] = product - square;
    largest = fmax(largest, fabs(product) + square);
    for (int k = 0; k < 3; k++)
      scores->g[k][i] = 2 * p[k];
  }
  if (settings->score == DC_SCORE_SQUARED)
    return largest;
  double far = dc_vec_norm(e);
  largest = 0;
  for (int i = 0; i < n; i++) {
    double d[3] = {points->x[i] - e[0], points->y[i] - e[1], points->z[i] - e[2]};
    double distance = dc_vec_norm(d), sum = far + distance;
    u[i] = sum > 0 ? u[i] / sum : 0;
    largest = fmax(largest, sum);
    for (int k = 0; k < 3; k++)
      scores->g[k][i] = distance > 0 ? d[k] / distance : 0;
  }
  return largest;
}

// tau = std(u) or its square root, and dtau/dy; false when the scores are equal to rounding.
static bool find_temperature(const struct dc_witness_settings *settings, int n, double largest, struct scores *scores)
{
  const double *u = scores->u;
  double mean = 0, square = 0, slope[3] = {0};
  for (int i = 0; i < n; i++)
    mean += u[i];
  mean /= n;
  for (int i = 0; i < n; i++) {
    double deviation = u[i] - mean;
    square += deviation * deviation;
    for (int k = 0; k < 3; k++)
      slope[k] += deviation * scores->g[k][i];
  }
  double deviation = sqrt(square / (n - 1));
  if (!(deviation > DC_SCORES_EQUAL * largest && deviation > 1e-150))
    return false;
  scores->tau = settings->score == DC_SCORE_SQUARED ? deviation : sqrt(deviation);
  double factor = 1 / ((n - 1) * deviation);
  if (settings->score != DC_SCORE_SQUARED)
    factor /= 2 * scores->tau;
  if (!settings->temperature)
    factor = 0;
  dc_vec_scale(scores->tau_by_y, slope, factor);
  return true;
}

// Weights and the weighted mean of the points.
static void soften(const struct dc_witness_points *points, struct scores *scores, double mean[3])
{
  int n = points->count;
  double top = -INFINITY, sum = 0;
  for (int i = 0; i < n; i++)
    top = fmax(top, scores->u[i]);
  mean[0] = mean[1] = mean[2] = 0;
  for (int i = 0; i < n; i++) {
    double w = exp((scores->u[i] - top) / scores->tau);
    scores->weight[i] = w;
    sum += w;
    mean[0] += w * points->x[i];
    mean[1] += w * points->y[i];
    mean[2] += w * points->z[i];
  }
  for (int i = 0; i < n; i++)
    scores->weight[i] /= sum;
  dc_vec_scale(mean, mean, 1 / sum);
}

// Equal scores have equal weights whatever y is: the mean of the points [3], m, and a derivative of zero.
static void follow_nothing(const struct dc_witness_points *points, double mean[3], double follow[9])
{
  double sum[3] = {0};
  for (int i = 0; i < points->count; i++) {
    double p[3] = {points->x[i], points->y[i], points->z[i]};
    dc_vec_add(sum, sum, p);
  }
  dc_vec_scale(mean, sum, 1.0 / points->count);
  memset(follow, 0, 9 * sizeof *follow);
}

// follow = (1 / tau) sum_i w_i (p_i - mean) (g_i - (u_i / tau) dtau/dy)^T
static void differentiate(const struct dc_witness_points *points, const struct scores *scores, const double mean[3],
                          double follow[9])
{
  double m[9] = {0};
  for (int i = 0; i < points->count; i++) {
    double p[3] = {points->x[i] - mean[0], points->y[i] - mean[1], points->z[i] - mean[2]};
    double ratio = scores->u[i] / scores->tau, h[3];
    for (int k = 0; k < 3; k++)
      h[k] = scores->g[k][i] - ratio * scores->tau_by_y[k];
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        m[3 * r + c] += scores->weight[i] * p[r] * h[c];
  }
  for (int k = 0; k < 9; k++)
    follow[k] = m[k] / scores->tau;
}

void dc_witness_smooth(const struct dc_witness_settings *settings, const struct dc_witness_points *points,
                       const double offset[3], double mean[3], double follow[9])
{
  struct scores scores;
  double largest = score(settings, points, offset, &scores);
  if (!find_temperature(settings, points->count, largest, &scores)) {
    follow_nothing(points, mean, follow);
    return;
  }
  soften(points, &scores, mean);
  differentiate(points, &scores, mean, follow);
}

// Inverse of m by cofactors; false when a number of it is over `most`.
static bool invert(const double m[9], double most, double inverse[9])
{
  dc_vec_cross(inverse, m + 3, m + 6);
  dc_vec_cross(inverse + 3, m + 6, m);
  dc_vec_cross(inverse + 6, m, m + 3);
  double determinant = dc_vec_dot(m, inverse), columns[9];
  bool good = true;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      columns[3 * r + c] = inverse[3 * c + r] / determinant;
      good = good && fabs(columns[3 * r + c]) <= most;
    }
  memcpy(inverse, columns, sizeof columns);
  return good;
}

// x = f(y), y = s (z - x) with s = 1 apart and -1 in overlap, F = df/dy symmetric: dx = s F (dz - dx), hence
// dx/dz = (1 + s F)^-1 s F.  The matrix is never singular for s = 1.  For s = -1 it is where an eigenvalue of F is 1:
// at a gain over 1000 the damped solution (M^2 + 1e-6)^-1 M s F of M X = s F is taken.
void dc_witness_smooth_direction(const struct dc_witness_points *points, const double offset[3], double distance,
                                 double mean[3], double follow[9])
{
  struct scores scores = {.tau = DC_DIRECTION_TEMPERATURE};
  double s = distance < 0 ? -1 : 1, f[9], m[9], inverse[9];
  for (int i = 0; i < points->count; i++) {
    double p[3] = {points->x[i], points->y[i], points->z[i]};
    scores.u[i] = s * dc_vec_dot(p, offset);
    for (int k = 0; k < 3; k++)
      scores.g[k][i] = s * p[k];
  }
  soften(points, &scores, mean);
  differentiate(points, &scores, mean, f);
  for (int k = 0; k < 9; k++)
    m[k] = f[k] + (k % 4 == 0);
  if (!invert(m, DC_DIRECTION_GAIN, inverse)) {
    double square[9], product[9];
    dc_mat_multiply_transposed(square, m, m);
    for (int k = 0; k < 9; k += 4)
      square[k] += DC_DIRECTION_DAMPING;
    invert(square, INFINITY, product);
    dc_mat_multiply(inverse, product, m);
  }
  dc_mat_multiply(follow, inverse, f);
}
