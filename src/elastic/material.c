// SPDX-License-Identifier: Apache-2.0
// Energy densities by singular values: derivatives psi_i, psi_ij, the quotients for pairs of axes, and their
// projection.
//
// The quotient plus = (psi_i + psi_j)/(s_i + s_j) is singular where s_i + s_j = 0; the sum is kept away from 0 there.
// The projection cuts off negative eigenvalues of the 3x3 block, and negative quotients.
#include "elastic/material.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

const char *const dc_material_names[] = {"arap", "corotated", "neo_hookean", NULL};

// Bound of |s_i + s_j| from below: where it is zero, an element is inverted through a plane, and the best rotation
// changes without bound.
static const double LEAST_SUM = 1e-3;

struct dc_lame dc_lame_of(int dimension, double young, double poisson)
{
  if (dimension == 1)
    return (struct dc_lame){young / 2, 0};
  double coupled = dimension == 2 ? 1 - poisson * poisson : (1 + poisson) * (1 - 2 * poisson);
  return (struct dc_lame){young / (2 * (1 + poisson)), young * poisson / coupled};
}

struct dc_lame dc_lame_by_young(int dimension, double poisson)
{
  return dc_lame_of(dimension, 1, poisson);
}

struct dc_lame dc_lame_by_poisson(int dimension, double young, double poisson)
{
  double a = 1 + poisson, b = dimension == 2 ? 1 - poisson : 1 - 2 * poisson, square = poisson * poisson;
  if (dimension == 1)
    return (struct dc_lame){0, 0};
  return (struct dc_lame){-young / (2 * a * a), young * (1 + (dimension == 2 ? square : 2 * square)) / (a * a * b * b)};
}

static double clamped_sum(double sum)
{
  return fabs(sum) >= LEAST_SUM ? sum : copysign(LEAST_SUM, sum);
}

// psi_i = 2 mu (s_i - 1) + lambda t,  t = sum s - 3.
static void corotated(struct dc_lame lame, const double s[3], bool second_order, struct dc_material_response *response)
{
  double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1}, t = e[0] + e[1] + e[2];
  response->energy = lame.mu * dc_vec_dot(e, e) + 0.5 * lame.lambda * t * t;
  for (int i = 0; i < 3; i++)
    response->first[i] = 2 * lame.mu * e[i] + lame.lambda * t;
  for (int i = 0; i < 3 && second_order; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int l = 0; l < 3; l++)
      response->second[i][l] = lame.lambda + (i == l ? 2 * lame.mu : 0);
    response->minus[i] = 2 * lame.mu;
    response->plus[i] = (2 * lame.mu * (e[j] + e[k]) + 2 * lame.lambda * t) / clamped_sum(s[j] + s[k]);
  }
}

// psi_i = mu (s_i - 1/s_i) + lambda log J / s_i.  With e = s - 1 no large numbers cancel near rest.
static void neo_hookean(struct dc_lame lame, const double s[3], bool second_order,
                        struct dc_material_response *response)
{
  double log_j = 0, shape = 0;
  if (!(s[0] > 0 && s[1] > 0 && s[2] > 0)) {
    memset(response, 0, sizeof *response);
    response->energy = INFINITY;
    return;
  }
  for (int i = 0; i < 3; i++) {
    double e = s[i] - 1, l = log1p(e);
    log_j += l;
    shape += 0.5 * e * e + (e - l);
  }
  response->energy = lame.mu * shape + 0.5 * lame.lambda * log_j * log_j;
  for (int i = 0; i < 3; i++)
    response->first[i] = (lame.mu * (s[i] - 1) * (s[i] + 1) + lame.lambda * log_j) / s[i];
  double stress = lame.mu - lame.lambda * log_j;
  for (int i = 0; i < 3 && second_order; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int l = 0; l < 3; l++)
      response->second[i][l] = lame.lambda / (s[i] * s[l]) + (i == l ? lame.mu + stress / (s[i] * s[i]) : 0);
    response->minus[i] = lame.mu + stress / (s[j] * s[k]);
    response->plus[i] = lame.mu - stress / (s[j] * s[k]);
  }
}

void dc_material_respond(enum dc_material material, struct dc_lame lame, const double s[3], bool second_order,
                         struct dc_material_response *response)
{
  if (material == DC_MATERIAL_NEO_HOOKEAN) {
    neo_hookean(lame, s, second_order, response);
    return;
  }
  if (material == DC_MATERIAL_ARAP)
    lame.lambda = 0;
  corotated(lame, s, second_order, response);
}

// Projects a symmetric 3x3 matrix: Jacobi rotations to its eigenvectors, negative eigenvalues to 0, and back.
static void project3(double a[3][3])
{
  enum { SWEEPS = 20 };
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int turn = 0; turn < 3; turn++) {
      int p = turn == 2, q = turn == 0 ? 1 : 2;  // (0, 1), (0, 2), (1, 2)
      if (fabs(a[p][q]) <= 1e-16 * (fabs(a[p][p]) + fabs(a[q][q])))
        continue;
      double zeta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      double tangent = copysign(1 / (fabs(zeta) + sqrt(1 + zeta * zeta)), zeta);
      double c = 1 / sqrt(1 + tangent * tangent), s = c * tangent;
      for (int i = 0; i < 3; i++) {
        double x = a[i][p], y = a[i][q];
        a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
        x = v[i][p], y = v[i][q];
        v[i][p] = c * x - s * y, v[i][q] = s * x + c * y;
      }
      for (int i = 0; i < 3; i++) {
        double x = a[p][i], y = a[q][i];
        a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
      }
    }
  double eigenvalues[3] = {fmax(a[0][0], 0), fmax(a[1][1], 0), fmax(a[2][2], 0)};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += v[i][k] * eigenvalues[k] * v[j][k];
      a[i][j] = sum;
    }
}

void dc_material_project(struct dc_material_response *response)
{
  project3(response->second);
  for (int k = 0; k < 3; k++) {
    response->minus[k] = fmax(response->minus[k], 0);
    response->plus[k] = fmax(response->plus[k], 0);
  }
}
