// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of lanes, without branches: to two units in the last place (tests/contact/test_manifold_kernels.c).
#ifndef DC_CONTACT_LANE_MATH_H
#define DC_CONTACT_LANE_MATH_H

#include "contact/kernels/lanes.h"

#define LANE_LN2_HIGH 6.93147180369123816490e-01
#define LANE_LN2_LOW 1.90821492927058770002e-10

// exp(a), a cut to [-700, 700]: a = k ln 2 + r, |r| <= ln 2 / 2, Taylor's polynomial in r, k added to the exponent.
static inline lanes lane_exp(lanes a)
{
  const lanes magic = splat(0x1.8p52);  // pushes an integer into the low bits
  a = smaller(larger(a, splat(-700)), splat(700));
  lanes shifted = a * 1.4426950408889634 + magic, k = shifted - magic;
  lanes r = (a - k * LANE_LN2_HIGH) - k * LANE_LN2_LOW;
  lanes p = splat(1.0 / 479001600);
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1;
  p = p * r + 1;
  return (lanes)((lane_mask)p + ((lane_mask)shifted << 52));
}

// log(a) of positive normal numbers: a = 2^k m, m within [sqrt(1/2), sqrt(2)), log m = 2 artanh((m - 1)/(m + 1)).
static inline lanes lane_log(lanes a)
{
  const lane_mask root = (lane_mask)splat(0.70710678118654752440);
  lane_mask exponent = ((lane_mask)a - root) >> 52;
  lanes m = (lanes)((lane_mask)a - (exponent << 52));
  lanes k = (lanes)(exponent + (lane_mask)splat(0x1.8p52)) - splat(0x1.8p52);
  lanes f = m - 1, s = f / (2 + f), z = s * s;
  lanes p = splat(2.0 / 23);
  p = p * z + 2.0 / 21;
  p = p * z + 2.0 / 19;
  p = p * z + 2.0 / 17;
  p = p * z + 2.0 / 15;
  p = p * z + 2.0 / 13;
  p = p * z + 2.0 / 11;
  p = p * z + 2.0 / 9;
  p = p * z + 2.0 / 7;
  p = p * z + 2.0 / 5;
  p = p * z + 2.0 / 3;
  return k * LANE_LN2_HIGH + (2 * s + (s * z * p + k * LANE_LN2_LOW));
}

// 1/(1 + exp(-a)) and log(1 + exp(a)).
static inline lanes lane_sigmoid(lanes a)
{
  lanes power = lane_exp(-absolute(a));
  return choose(greater(a, splat(0)), splat(1), power) / (1 + power);
}

static inline lanes lane_softplus(lanes a)
{
  return larger(a, splat(0)) + lane_log(1 + lane_exp(-absolute(a)));
}

#endif
