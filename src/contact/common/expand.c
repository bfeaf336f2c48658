// SPDX-License-Identifier: Apache-2.0
// From the relative twist of a body pair to the twists of both frames (docs/theory.md, "Pairs of bodies").
//
// Each frame moves by x -> c_X + exp([w_X]x) (x - c_X) + t_X.  To second order the relative twist of a about c_a is
//     w = w_a - w_b + (w_a x w_b)/2,   t = tau + D x w_b - w_b x tau + (w_b x (w_b x D))/2,   tau = t_a - t_b,  D =
// c_a - c_b.
// Two balls about their origins have an energy of |D| alone.  They are turned by nothing, and the nearest positive
// semidefinite matrix to their Hessian, psi'/r (I - e e^T) + psi'' e e^T with psi' < 0, is the part along e.
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "math/eigen6.h"
#include "math/vector.h"

// From the derivative g by the first body's turn and translation to those by both frames, each about its own origin. P
// depends on the relative placement only: the second body has -g_t, and the moment of g_t about its origin.
void dc_contact_expand_gradient(const struct dc_pair_derivatives *pair, double gradient[12])
{
  const double *g = pair->gradient;
  double torque[3];
  if (pair->central) {
    for (int k = 0; k < 3; k++) {
      gradient[k] = gradient[6 + k] = 0;
      gradient[3 + k] = g[3 + k];
      gradient[9 + k] = -g[3 + k];
    }
    return;
  }
  dc_vec_cross(torque, g + 3, pair->arm);  // [D]x^T g_t = g_t x D
  for (int k = 0; k < 3; k++) {
    gradient[k] = g[k];
    gradient[3 + k] = g[3 + k];
    gradient[6 + k] = torque[k] - g[k];
    gradient[9 + k] = -g[3 + k];
  }
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
  if (!(curvature > 0))
    curvature = 0;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++)
      h[i][k] = curvature * z[i] * z[k];
}

// Adds (w_b,w_a) += [g_w]x/2,  (w_b,t_a) += [g_t]x,  (w_b,t_b) -= [g_t]x,  (w_b,w_b) += (g_t D^T + D g_t^T)/2 - (g_t.D)
// I, and the transposes, to the blocks of 3 rows: those of b of h_ab, turned, and of h_bb.  [g]x^T = -[g]x.
static inline void add_second_order(const double *g, const double *d, double ab_ww[3][3], double ab_tw[3][3],
                                    double bb_ww[3][3], double bb_tw[3][3])
{
  static const int next[3] = {1, 2, 0};
  double along = dc_vec_dot(g + 3, d);
  for (int k = 0; k < 3; k++) {  // [g]x has -g_k at (next, after) and g_k at (after, next)
    int i = next[k], j = next[i];
    ab_ww[i][j] += 0.5 * g[k];
    ab_ww[j][i] -= 0.5 * g[k];
    ab_tw[i][j] += g[3 + k];
    ab_tw[j][i] -= g[3 + k];
    bb_tw[i][j] -= g[3 + k];
    bb_tw[j][i] += g[3 + k];
    for (int l = 0; l < 3; l++)
      bb_ww[k][l] += 0.5 * (g[3 + k] * d[l] + d[k] * g[3 + l]);
    bb_ww[k][k] -= along;
  }
}

// The block by the translation between two balls. Unless it is wanted exactly, the part along the force alone stays,
// and only where it is positive: the rest is -|f|/d across the line, which is negative for what repels.
void dc_contact_central_hessian(const struct dc_pair_derivatives *pair, bool exact, double h[3][3])
{
  const double *g = pair->gradient + 3;
  double force = dc_vec_norm(g), curvature = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k <= i; k++)
      h[i][k] = h[k][i] = pair->hessian[(3 + i) * (4 + i) / 2 + 3 + k];
  if (exact || !(force > 0))
    return;
  for (int i = 0; i < 3; i++)
    curvature += g[i] / force * dc_vec_dot(h[i], g) / force;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      h[i][k] = fmax(curvature, 0) * (g[i] / force) * (g[k] / force);
}

// Blocks of 6 of two balls: shifts alone.
static void expand_central(const struct dc_pair_derivatives *pair, bool exact, double h_aa[6][6], double h_ab[6][6],
                           double h_bb[6][6])
{
  double h[3][3];
  dc_contact_central_hessian(pair, exact, h);
  memset(h_aa, 0, 36 * sizeof(double));
  if (h_ab) {
    memset(h_ab, 0, 36 * sizeof(double));
    memset(h_bb, 0, 36 * sizeof(double));
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      h_aa[3 + i][3 + k] = h[i][k];
      if (h_ab) {
        h_ab[3 + i][3 + k] = -h[i][k];
        h_bb[3 + i][3 + k] = h[i][k];
      }
    }
}

// J = [I, -B] with B = [I 0; -[D]x I]: H_ab = -H B, H_bb = B^T H B.  With the blocks W, C, T of H by turns and shifts,
//     H B = [W - C^T [D]x, C^T; P, T],   P = C - T [D]x,   B^T H B = [W - C^T [D]x + [D]x P, P^T; P, T].
// The rows of M [D]x are those of M crossed with D, the columns of [D]x M those of M that D crosses.
void dc_contact_expand_hessian(const struct dc_pair_derivatives *pair, bool exact, double h_aa[6][6], double h_ab[6][6],
                               double h_bb[6][6])
{
  const double *d = pair->arm;
  if (pair->central) {
    expand_central(pair, exact, h_aa, h_ab, h_bb);
    return;
  }
  for (int i = 0, e = 0; i < 6; i++)
    for (int k = 0; k <= i; k++, e++)
      h_aa[i][k] = h_aa[k][i] = pair->hessian[e];
  if (!exact)
    project(pair, h_aa);
  if (!h_ab)
    return;
  double ab_ww[3][3], ab_tw[3][3], bb_ww[3][3], bb_tw[3][3];
  for (int i = 0; i < 3; i++) {
    double turned[3], shifted[3];
    dc_vec_cross(turned, h_aa[i] + 3, d);
    dc_vec_cross(shifted, h_aa[3 + i] + 3, d);
    for (int k = 0; k < 3; k++) {
      bb_ww[i][k] = h_aa[i][k] - turned[k];
      ab_ww[i][k] = -bb_ww[i][k];
      bb_tw[i][k] = h_aa[3 + i][k] - shifted[k];
      ab_tw[i][k] = -bb_tw[i][k];
    }
  }
  for (int k = 0; k < 3; k++) {
    bb_ww[0][k] += d[1] * bb_tw[2][k] - d[2] * bb_tw[1][k];
    bb_ww[1][k] += d[2] * bb_tw[0][k] - d[0] * bb_tw[2][k];
    bb_ww[2][k] += d[0] * bb_tw[1][k] - d[1] * bb_tw[0][k];
  }
  if (exact)
    add_second_order(pair->gradient, d, ab_ww, ab_tw, bb_ww, bb_tw);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      h_ab[i][k] = ab_ww[i][k];
      h_ab[i][3 + k] = -h_aa[i][3 + k];
      h_ab[3 + i][k] = ab_tw[i][k];
      h_ab[3 + i][3 + k] = -h_aa[3 + i][3 + k];
      h_bb[i][k] = bb_ww[i][k];
      h_bb[i][3 + k] = bb_tw[k][i];
      h_bb[3 + i][k] = bb_tw[i][k];
      h_bb[3 + i][3 + k] = h_aa[3 + i][3 + k];
    }
}
