// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of lanes, without branches: to two units in the last place (tests/contact/test_manifold_kernels.c).
#ifndef DC_CONTACT_LANE_MATH_H
#define DC_CONTACT_LANE_MATH_H

#include "contact/kernels/lanes.h"

#define LANE_LN2_HIGH 6.93147180369123816490e-01
#define LANE_LN2_LOW 1.90821492927058770002e-10

static const double LANE_EXP_TAYLOR[] = {
    1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
    1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};

// exp of count lanes, a cut to [-700, 700]: a = k ln 2 + r, |r| <= ln 2 / 2, Taylor's polynomial in r, k added to the
// exponent.  A polynomial waits for each of its own terms: several run side by side.
static inline __attribute__((always_inline)) void lane_exp_many(int count, const lanes *a, lanes *out)
{
  enum { MOST = 8 };
  const lanes magic = splat(0x1.8p52);  // pushes an integer into the low bits
  lanes shifted[MOST], r[MOST], p[MOST];
#pragma GCC unroll 8
  for (int i = 0; i < count; i++) {
    lanes cut = smaller(larger(a[i], splat(-700)), splat(700));
    shifted[i] = cut * 1.4426950408889634 + magic;
    lanes k = shifted[i] - magic;
    r[i] = (cut - k * LANE_LN2_HIGH) - k * LANE_LN2_LOW;
    p[i] = splat(LANE_EXP_TAYLOR[0]);
  }
#pragma GCC unroll 16
  for (size_t term = 1; term < sizeof LANE_EXP_TAYLOR / sizeof *LANE_EXP_TAYLOR; term++)
#pragma GCC unroll 8
    for (int i = 0; i < count; i++)
      p[i] = p[i] * r[i] + LANE_EXP_TAYLOR[term];
#pragma GCC unroll 8
  for (int i = 0; i < count; i++)
    out[i] = (lanes)((lane_mask)p[i] + ((lane_mask)shifted[i] << 52));
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

// 2 artanh(s) - 2 s by its series up to the odd power highest; count side by side.
static inline __attribute__((always_inline)) void lane_artanh_tails(int count, int highest, const lanes *s, lanes *out)
{
  enum { MOST = 6 };
  lanes z[MOST], p[MOST];
#pragma GCC unroll 6
  for (int i = 0; i < count; i++) {
    z[i] = s[i] * s[i];
    p[i] = splat(2.0 / highest);
  }
#pragma GCC unroll 16
  for (int odd = highest - 2; odd >= 3; odd -= 2)
#pragma GCC unroll 6
    for (int i = 0; i < count; i++)
      p[i] = p[i] * z[i] + 2.0 / odd;
#pragma GCC unroll 6
  for (int i = 0; i < count; i++)
    out[i] = s[i] * z[i] * p[i];
}

// s: f/(2 + f); count side by side
static inline __attribute__((always_inline)) void lane_log_join_many(int count, const lanes *k, const lanes *s,
                                                                     lanes *out)
{
  lanes tails[6];
  lane_artanh_tails(count, 23, s, tails);
#pragma GCC unroll 6
  for (int i = 0; i < count; i++)
    out[i] = k[i] * LANE_LN2_HIGH + (2 * s[i] + (tails[i] + k[i] * LANE_LN2_LOW));
}

static inline lanes lane_log(lanes a)
{
  lanes k, f, s, out;
  lane_log_split(a, &k, &f);
  s = f / (2 + f);
  lane_log_join_many(1, &k, &s, &out);
  return out;
}

// Three each of count at the cost of one division each.
static inline __attribute__((always_inline)) void lane_log3_many(int count, const lanes (*a)[3], lanes (*out)[3])
{
  enum { MOST = 2 };
  lanes k[MOST][3], f[MOST][3], quotient[MOST][3];
#pragma GCC unroll 2
  for (int n = 0; n < count; n++) {
    lanes d[3];
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
      lane_log_split(a[n][i], &k[n][i], &f[n][i]);
      d[i] = 2 + f[n][i];
    }
    lanes first = d[0] * d[1], inverse = 1 / (first * d[2]), rest = inverse * d[2];
    quotient[n][0] = f[n][0] * (rest * d[1]);
    quotient[n][1] = f[n][1] * (rest * d[0]);
    quotient[n][2] = f[n][2] * (inverse * first);
  }
  lane_log_join_many(3 * count, k[0], quotient[0], out[0]);
}

// log(a/b) of s = (a - b)/(a + b), a and b within [1, 2]; count lanes side by side.
static inline __attribute__((always_inline)) void lane_log_quotients(int count, const lanes *s, lanes *out)
{
  lanes tails[6];
  lane_artanh_tails(count, 33, s, tails);
#pragma GCC unroll 6
  for (int i = 0; i < count; i++)
    out[i] = 2 * s[i] + tails[i];
}

#endif
