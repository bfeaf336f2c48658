// SPDX-License-Identifier: Apache-2.0
// From the relative twist of a body pair to the twists of both frames (docs/theory.md, "Pairs of bodies").
//
// Each frame moves by x -> c_X + exp([w_X]x) (x - c_X) + t_X.  To second order the relative twist of a about c_a is
//     w = w_a - w_b + (w_a x w_b)/2,   t = tau + D x w_b - w_b x tau + (w_b x (w_b x D))/2,   tau = t_a - t_b,  D =
// c_a - c_b.
#include <math.h>

#include "contact/contact.h"
#include "math/eigen6.h"
#include "math/vector.h"

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

// A block [6][6] gains sign * m at (row, column).
static void add_block(double block[6][6], int row, int column, double sign, const double m[9])
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      block[row + i][column + k] += sign * m[3 * i + k];
}

// (w_b,w_a) += [g_w]x/2,  (w_b,t_a) += [g_t]x,  (w_b,t_b) -= [g_t]x,  (w_b,w_b) += (g_t D^T + D g_t^T)/2 - (g_t.D)
// I, and the transposes.  [g]x^T = -[g]x.
static void add_second_order(const struct dc_pair_derivatives *pair, double h_ab[6][6], double h_bb[6][6])
{
  const double *g = pair->gradient, *d = pair->arm;
  double cross[9], symmetric[9], along = dc_vec_dot(g + 3, d);
  dc_mat_cross(cross, g);
  add_block(h_ab, 0, 0, -0.5, cross);
  dc_mat_cross(cross, g + 3);
  add_block(h_ab, 3, 0, -1, cross);
  add_block(h_bb, 0, 3, -1, cross);
  add_block(h_bb, 3, 0, 1, cross);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      symmetric[3 * i + k] = 0.5 * (g[3 + i] * d[k] + d[i] * g[3 + k]) - (i == k ? along : 0);
  add_block(h_bb, 0, 0, 1, symmetric);
}

// The nearest positive semidefinite matrix; of a single centred term, psi'' z z^T with z = (x x e; e) along the
// gradient.
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

// J = [I, -B] with B = [I 0; -[D]x I]: H_ab = -H B, H_bb = B^T H B.  The columns of H [D]x are rows of H crossed
// with D.
void dc_contact_expand_hessian(const struct dc_pair_derivatives *pair, bool exact, double h_aa[6][6], double h_ab[6][6],
                               double h_bb[6][6])
{
  double hb[6][6], cross[3];
  for (int i = 0, e = 0; i < 6; i++)
    for (int k = 0; k <= i; k++, e++)
      h_aa[i][k] = h_aa[k][i] = pair->hessian[e];
  if (!exact)
    project(pair, h_aa);
  if (!h_ab)
    return;
  for (int i = 0; i < 6; i++) {
    dc_vec_cross(cross, h_aa[i] + 3, pair->arm);  // row of H_.t times [D]x
    for (int k = 0; k < 3; k++) {
      hb[i][k] = h_aa[i][k] - cross[k];
      hb[i][3 + k] = h_aa[i][3 + k];
    }
    for (int k = 0; k < 6; k++)
      h_ab[i][k] = -hb[i][k];
  }
  for (int k = 0; k < 6; k++) {
    double column[3] = {hb[3][k], hb[4][k], hb[5][k]};
    dc_vec_cross(cross, pair->arm, column);  // (-[D]x)^T = [D]x
    for (int i = 0; i < 3; i++) {
      h_bb[i][k] = hb[i][k] + cross[i];
      h_bb[3 + i][k] = hb[3 + i][k];
    }
  }
  if (exact)
    add_second_order(pair, h_ab, h_bb);
}
