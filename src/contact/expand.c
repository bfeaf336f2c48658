// SPDX-License-Identifier: Apache-2.0
// From the relative twist of a body pair to the twists of both frames (docs/theory.md, "Pairs of bodies").
//
// Each frame moves by x -> c_X + exp([w_X]x) (x - c_X) + t_X.  To second order the relative twist of a about c_a is
//     w = w_a - w_b + (w_a x w_b)/2,   t = tau + D x w_b - w_b x tau + (w_b x (w_b x D))/2,   tau = t_a - t_b,  D = c_a - c_b.
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "math/eigen6.h"
#include "math/vector.h"

// J [6][12] = [I 0 -I 0; 0 I [D]x -I] for the order (w_a, t_a, w_b, t_b).
static void fill_jacobian(const double arm[3], double j[6][12])
{
  double cross[9];
  memset(j, 0, 6 * sizeof *j);
  dc_mat_cross(cross, arm);
  for (int i = 0; i < 3; i++) {
    j[i][i] = j[3 + i][3 + i] = 1;
    j[i][6 + i] = j[3 + i][9 + i] = -1;
    for (int k = 0; k < 3; k++)
      j[3 + i][6 + k] = cross[3 * i + k];
  }
}

void dc_contact_expand_gradient(const struct dc_pair_derivatives *pair, double gradient[12])
{
  const double *g = pair->gradient;
  double torque[3];
  dc_vec_cross(torque, g + 3, pair->arm);  // [D]x^T g_t = g_t x D
  for (int k = 0; k < 3; k++) {
    gradient[k] = g[k];
    gradient[3 + k] = g[3 + k];
    gradient[6 + k] = torque[k] - g[k];
    gradient[9 + k] = -g[3 + k];
  }
}

static void add_block(double h[12][12], int row, int column, double sign, const double m[9])
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      h[row + i][column + k] += sign * m[3 * i + k];
      if (row != column)
        h[column + k][row + i] += sign * m[3 * i + k];
    }
}

// (w_b,w_a) += [g_w]x/2,  (w_b,t_a) += [g_t]x,  (w_b,t_b) -= [g_t]x,  (w_b,w_b) += (g_t D^T + D g_t^T)/2 - (g_t.D) I
static void add_second_order(const struct dc_pair_derivatives *pair, double h[12][12])
{
  const double *g = pair->gradient, *d = pair->arm;
  double cross[9], symmetric[9];
  dc_mat_cross(cross, g);
  add_block(h, 6, 0, 0.5, cross);
  dc_mat_cross(cross, g + 3);
  add_block(h, 6, 3, 1, cross);
  add_block(h, 6, 9, -1, cross);
  double along = dc_vec_dot(g + 3, d);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      symmetric[3 * i + k] = 0.5 * (g[3 + i] * d[k] + d[i] * g[3 + k]) - (i == k ? along : 0);
  add_block(h, 6, 6, 1, symmetric);
}

// The nearest positive semidefinite matrix; of a single centred term, psi'' z z^T with z = (x x e; e) along the gradient.
static void project(const struct dc_pair_derivatives *pair, double h[6][6])
{
  if (!pair->radial) {
    dc_eigen6_project(h);
    return;
  }
  const double *g = pair->gradient;
  double force = dc_vec_norm(g + 3), z[6], curvature = 0;
  for (int i = 0; i < 6; i++)
    z[i] = g[i] / force;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      curvature += z[3 + i] * h[3 + i][3 + k] * z[3 + k];
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      h[i][k] = fmax(curvature, 0) * z[i] * z[k];
}

void dc_contact_expand_hessian(const struct dc_pair_derivatives *pair, bool exact, double hessian[12][12])
{
  double relative[6][6], jacobian[6][12], product[6][12];
  for (int i = 0, e = 0; i < 6; i++)
    for (int k = 0; k <= i; k++, e++)
      relative[i][k] = relative[k][i] = pair->hessian[e];
  if (!exact)
    project(pair, relative);
  fill_jacobian(pair->arm, jacobian);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 12; k++) {
      product[i][k] = 0;
      for (int l = 0; l < 6; l++)
        product[i][k] += relative[i][l] * jacobian[l][k];
    }
  for (int i = 0; i < 12; i++)
    for (int k = 0; k < 12; k++) {
      hessian[i][k] = 0;
      for (int l = 0; l < 6; l++)
        hessian[i][k] += jacobian[l][i] * product[l][k];
    }
  if (exact)
    add_second_order(pair, hessian);
}
