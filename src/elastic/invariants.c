// SPDX-License-Identifier: Apache-2.0
// The Neo-Hookean solid by the invariants of F: singular values would cost more than all the rest.  With A = F^-T and J
// = det F
//
//     P = mu (F - A) + lambda log J A,
//     dP = mu dF + (mu - lambda log J) A dF^T A + lambda (A : dF) A,
//
// so that nodes a and b with a = A g_a, b = A g_b have the block mu (g_a . g_b) I + lambda a b^T + (mu - lambda log J)
// b a^T.
#include <math.h>

#include "elastic/element.h"

// det(I + g) - 1 as a sum of invariants of g: for small g no large numbers cancel.
static double determinant_change(const double g[9])
{
  double cross[3], sum = g[0] + g[4] + g[8];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    sum += g[4 * i] * g[4 * j] - g[3 * i + j] * g[3 * j + i];
  }
  dc_vec_cross(cross, g + 3, g + 6);
  return sum + dc_vec_dot(g, cross);
}

// Computes A = F^-T and log J; false when J is not positive.
static bool invert(const double f[9], double a[9], double *log_j)
{
  for (int i = 0; i < 3; i++)
    dc_vec_cross(a + 3 * i, f + (i + 1) % 3 * 3, f + (i + 2) % 3 * 3);
  double j = dc_vec_dot(f, a);
  if (!(j > 0))
    return false;
  for (int i = 0; i < 9; i++)
    a[i] /= j;
  *log_j = log(j);
  return true;
}

// With C = F^T F - I: mu/2 (tr C - log det(I + C)) + lambda/8 log^2 det(I + C).  In this form a rotation and rounding
// change C in second order only.
double dc_neo_hookean_energy(struct dc_lame lame, const double f[9])
{
  double c[9], cross[3];
  dc_vec_cross(cross, f + 3, f + 6);
  if (!(dc_vec_dot(f, cross) > 0))
    return INFINITY;
  for (int i = 0; i < 9; i++)
    c[i] = f[i / 3] * f[i % 3] + f[3 + i / 3] * f[3 + i % 3] + f[6 + i / 3] * f[6 + i % 3] - (i % 4 == 0);
  double change = determinant_change(c), log_square = change > -0.5 ? log1p(change) : 2 * log(dc_vec_dot(f, cross));
  return 0.5 * lame.mu * (c[0] + c[4] + c[8] - log_square) + 0.125 * lame.lambda * log_square * log_square;
}

void dc_neo_hookean_stress(struct dc_lame lame, const double f[9], double p[9])
{
  double a[9], log_j;
  bool possible = invert(f, a, &log_j);
  for (int i = 0; i < 9; i++)
    p[i] = possible ? lame.mu * (f[i] - a[i]) + lame.lambda * log_j * a[i] : 0;
}

// Second derivatives of V W, W = mu/2 (|F|^2 - 3) - mu log J + lambda/2 log^2 J, by the nodes a and b: with m_a = F^-T
// g_a
//    V ((mu g_a . g_b) I + lambda m_a m_b^T + (mu - lambda log J) m_b m_a^T).
// false: the element is inside out, where W is not finite.
bool dc_neo_hookean_blocks(struct dc_lame lame, const double f[9], int count, const double (*gradients)[3],
                           double volume, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double inverse[9], log_j, moved[DC_ELEMENT_NODES][3];
  if (!invert(f, inverse, &log_j))
    return false;
  double stress = volume * (lame.mu - lame.lambda * log_j), bulk = volume * lame.lambda;
  for (int a = 0; a < count; a++)
    dc_mat_apply(moved[a], inverse, gradients[a]);
  for (int a = 0; a < count; a++)
    for (int b = 0; b <= a; b++) {
      double *block = blocks[dc_element_block(a, b)], shear = volume * lame.mu * dc_vec_dot(gradients[a], gradients[b]);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          block[3 * i + j] = bulk * moved[a][i] * moved[b][j] + stress * moved[b][i] * moved[a][j];
      for (int i = 0; i < 9; i += 4)
        block[i] += shear;
    }
  return true;
}
