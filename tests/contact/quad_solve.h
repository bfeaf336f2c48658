// SPDX-License-Identifier: Apache-2.0
// Newton's step of a separating plane in 113-bit arithmetic, for references of pairs.
#ifndef DC_TESTS_QUAD_SOLVE_H
#define DC_TESTS_QUAD_SOLVE_H

typedef __float128 quad;

// Solves H step = g by elimination without pivots, H symmetric and positive definite.  h: H and, in its last column, g;
// it is overwritten.  Returns the decrement g.H^-1 g.
static inline quad quad_newton_step(quad h[4][5], quad step[4])
{
  quad g[4], decrement = 0;
  for (int i = 0; i < 4; i++)
    g[i] = h[i][4];
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) {
      quad factor = h[j][i] / h[i][i];
      for (int k = i; k < 5; k++)
        h[j][k] -= factor * h[i][k];
    }
  for (int i = 3; i >= 0; i--) {
    step[i] = h[i][4];
    for (int k = i + 1; k < 4; k++)
      step[i] -= h[i][k] * step[k];
    step[i] /= h[i][i];
    decrement += step[i] * g[i];
  }
  return decrement;
}

#endif
