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

// log(a) of positive normal numbers: a = 2^k (1 + f), 1 + f within [sqrt(1/2), sqrt(2)), log(1 + f) = 2 artanh(f/(2 + f)).
// The quotient is left to the caller: divisions are what costs, and several may share one.
static inline void lane_log_split(lanes a, lanes *k, lanes *f)
{
  const lane_mask root = (lane_mask)splat(0.70710678118654752440);
  lane_mask exponent = ((lane_mask)a - root) >> 52;
  *k = (lanes)(exponent + (lane_mask)splat(0x1.8p52)) - splat(0x1.8p52);
  *f = (lanes)((lane_mask)a - (exponent << 52)) - 1;
}

// s: f/(2 + f)
static inline lanes lane_log_join(lanes k, lanes s)
{
  lanes z = s * s, p = splat(2.0 / 23);
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

static inline lanes lane_log(lanes a)
{
  lanes k, f;
  lane_log_split(a, &k, &f);
  return lane_log_join(k, f / (2 + f));
}

// Three at the cost of one division.
static inline void lane_log3(const lanes a[3], lanes out[3])
{
  lanes k[3], f[3], d[3];
  for (int i = 0; i < 3; i++) {
    lane_log_split(a[i], &k[i], &f[i]);
    d[i] = 2 + f[i];
  }
  lanes first = d[0] * d[1], inverse = 1 / (first * d[2]), rest = inverse * d[2];
  out[0] = lane_log_join(k[0], f[0] * (rest * d[1]));
  out[1] = lane_log_join(k[1], f[1] * (rest * d[0]));
  out[2] = lane_log_join(k[2], f[2] * (inverse * first));
}

// log(a/b) of numbers within [1, 2].
static inline lanes lane_log_ratio(lanes a, lanes b)
{
  lanes s = (a - b) / (a + b), z = s * s, p = splat(2.0 / 33);
  p = p * z + 2.0 / 31;
  p = p * z + 2.0 / 29;
  p = p * z + 2.0 / 27;
  p = p * z + 2.0 / 25;
  p = p * z + 2.0 / 23;
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
  return 2 * s + s * z * p;
}

// 1/(1 + exp(-a))
static inline lanes lane_sigmoid(lanes a)
{
  lanes power = lane_exp(-absolute(a));
  return choose(greater(a, splat(0)), splat(1), power) / (1 + power);
}

#endif
