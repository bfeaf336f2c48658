// SPDX-License-Identifier: Apache-2.0
// Derivatives of forces by where the shape of a body stands in its frame: rates of shifts, from 6 x 6 Hessians by poses
// (turns first).
#ifndef DC_DYNAMICS_SHAPE_RATES_H
#define DC_DYNAMICS_SHAPE_RATES_H

#include "math/vector.h"

// Adds to rate [3] the rows of the translations of a block times a twist [6], times scale.
static inline void dc_shape_add_rate(const double block[6][6], double scale, const double *twist, double *rate)
{
  for (int k = 0; k < 3; k++)
    rate[k] += scale * dc_dot(block[3 + k], twist, 6);
}

// The same of the transposed block.
static inline void dc_shape_add_transposed_rate(const double block[6][6], double scale, const double *twist, double *rate)
{
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 6; j++)
      rate[k] += scale * block[j][3 + k] * twist[j];
}

#endif
