// SPDX-License-Identifier: Apache-2.0
// Growth of the rest shape of solids: the material sees F A^-1 instead of F, with
//     A = I + (e^c - 1) d d^T along a unit vector d, or e^c I in all directions;
// the energy counts by the volume before growth (Rodriguez, Hoger and McCulloch 1994 split F like this).  Private to
// src/elastic but for the struct.
#ifndef DC_ELASTIC_GROWTH_H
#define DC_ELASTIC_GROWTH_H

#include <math.h>

#include "elastic/elastic.h"
#include "math/vector.h"

// (A^-1)' = slope of A^-1 by c where by_strain, else A^-1, of sample e: a I + b d d^T.  False: the sample does not
// grow.
static inline bool dc_growth_inverse(const struct dc_growth *growth, int e, bool by_strain, double inverse[9])
{
  int part = growth ? growth->part_of[e] : -1;
  if (part < 0)
    return false;
  const double *d = growth->directions[part];
  bool all = d[0] == 0 && d[1] == 0 && d[2] == 0;
  double shrunk = exp(-growth->strains[part]), one = by_strain ? -shrunk : shrunk,
         a = all ? one : by_strain ? 0 : 1, b = all ? 0 : by_strain ? one : one - 1;
  for (int i = 0; i < 9; i++)
    inverse[i] = (i % 4 == 0 ? a : 0) + b * d[i / 3] * d[i % 3];
  return true;
}

// f = F A^-1
static inline void dc_growth_apply(const struct dc_growth *growth, int e, double f[9])
{
  double inverse[9], grown[9];
  if (!dc_growth_inverse(growth, e, false, inverse))
    return;
  dc_mat_multiply(grown, f, inverse);
  for (int i = 0; i < 9; i++)
    f[i] = grown[i];
}

// p = P A^-T, of the stress at F A^-1: the derivative by F.  A is symmetric.
static inline void dc_growth_pull_back(const struct dc_growth *growth, int e, double p[9])
{
  dc_growth_apply(growth, e, p);
}

#endif
