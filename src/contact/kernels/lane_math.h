// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of lanes, without branches: to three units in the last place (1.5 and 2.6 observed,
// tests/contact/test_lane_math.c).
#ifndef DC_CONTACT_LANE_MATH_H
#define DC_CONTACT_LANE_MATH_H

#include "contact/kernels/lanes.h"

#define LANE_LN2_HIGH 6.93147180369123816490e-01
#define LANE_LN2_LOW 1.90821492927058770002e-10
#define LANE_LOG2_E 1.4426950408889634

#define LANE_COUNT(array) (int)(sizeof(array) / sizeof *(array))

// (2^r - 1)/r over r within [-1/2, 1/2], the highest power first: interpolated at Chebyshev's nodes to 1.3e-17, with
// these doubles to 4.1e-17 (tests/contact/test_lane_math.c computes them again).
static const double LANE_EXP2_SLOPE[] = {4.4549605981865186e-10, 7.072585949269223e-09, 1.0178062445845774e-07,
                                         1.321544258792169e-06,  1.525273382983612e-05, 0.0001540353044173605,
                                         0.0013333558146416936,  0.009618129107606888,  0.0555041086648216,
                                         0.24022650695910097,    0.6931471805599453};

static const double LANE_MAGIC = 0x1.8p52;  // added to a number pushes its integer into the low bits

// One polynomial at x of count lanes, of so many coefficients, the highest power first, by Horner's rule.  Each sum
// waits for the one before it: several run side by side.
static inline __attribute__((always_inline)) void
lane_polynomials(int count, const lanes *x, const double *coefficients, int coefficient_count, lanes *out)
{
#pragma GCC unroll 12
  for (int i = 0; i < count; i++)
    out[i] = splat(coefficients[0]);
#pragma GCC unroll 16
  for (int term = 1; term < coefficient_count; term++)
#pragma GCC unroll 12
    for (int i = 0; i < count; i++)
      out[i] = out[i] * x[i] + coefficients[term];
}

// 2^(k + r) of count lanes, k in the low bits of shifted.
static inline __attribute__((always_inline)) void lane_power_many(int count, const lanes *shifted, const lanes *r,
                                                                  lanes *out)
{
  enum { MOST = 8 };
  lanes p[MOST];
  lane_polynomials(count, r, LANE_EXP2_SLOPE, LANE_COUNT(LANE_EXP2_SLOPE), p);
#pragma GCC unroll 8
  for (int i = 0; i < count; i++)
    out[i] = (lanes)((lane_mask)(p[i] * r[i] + 1) + ((lane_mask)shifted[i] << 52));
}

// exp of count lanes, a cut to [-700, 700]: a = k ln 2 + rest, |rest| <= ln 2 / 2.
static inline __attribute__((always_inline)) void lane_exp_many(int count, const lanes *a, lanes *out)
{
  enum { MOST = 8 };
  lanes shifted[MOST], r[MOST];
#pragma GCC unroll 8
  for (int i = 0; i < count; i++) {
    lanes cut = smaller(splat(700), larger(splat(-700), a[i]));  // in this order what is no number stays so
    shifted[i] = cut * LANE_LOG2_E + LANE_MAGIC;
    lanes k = shifted[i] - LANE_MAGIC;
    r[i] = LANE_LOG2_E * ((cut - k * LANE_LN2_HIGH) - k * LANE_LN2_LOW);
  }
  lane_power_many(count, shifted, r, out);
}

// 2^a of count lanes, a within [-1000, 1000]: no constant is to be split.
static inline __attribute__((always_inline)) void lane_exp2_many(int count, const lanes *a, lanes *out)
{
  enum { MOST = 8 };
  lanes shifted[MOST], r[MOST];
#pragma GCC unroll 8
  for (int i = 0; i < count; i++) {
    shifted[i] = a[i] + LANE_MAGIC;
    r[i] = a[i] - (shifted[i] - LANE_MAGIC);
  }
  lane_power_many(count, shifted, r, out);
}

// log2(a) of positive normal numbers: a = 2^k (1 + f), 1 + f within [sqrt(1/2), sqrt(2)), log(1 + f) = 2 artanh(f/(2 +
// f)).  The quotient is left to the caller: divisions are what costs, and several may share one.
static inline void lane_log_split(lanes a, lanes *k, lanes *f)
{
  const lane_mask root = (lane_mask)splat(0.70710678118654752440);
  lane_mask exponent = ((lane_mask)a - root) >> 52;
  *k = (lanes)(exponent + (lane_mask)splat(LANE_MAGIC)) - LANE_MAGIC;
  *f = (lanes)((lane_mask)a - (exponent << 52)) - 1;
}

// (2 artanh(s) - 2 s)/(s^3 log(2)) over s^2 within [0, (sqrt(2) - 1)^4], |s| at most 0.1716, the highest power first:
// interpolated at Chebyshev's nodes to 4.5e-16, with these doubles to 5e-16, which is 2.5e-18 of the logarithm.
static const double LANE_LOG2_TAIL[] = {0.21087079476015172, 0.221189987214124, 0.2623236397004895,
                                        0.32059873801756367, 0.412198583898078, 0.5770780163541355,
                                        0.961796693925976};
#define LANE_TWO_OVER_LN2 2.8853900817779268

// s: f/(2 + f); count side by side
static inline __attribute__((always_inline)) void lane_log2_join_many(int count, const lanes *k, const lanes *s,
                                                                      lanes *out)
{
  enum { MOST = 12 };
  lanes z[MOST], p[MOST];
#pragma GCC unroll 12
  for (int i = 0; i < count; i++)
    z[i] = s[i] * s[i];
  lane_polynomials(count, z, LANE_LOG2_TAIL, LANE_COUNT(LANE_LOG2_TAIL), p);
#pragma GCC unroll 12
  for (int i = 0; i < count; i++)
    out[i] = k[i] + s[i] * (p[i] * z[i] + LANE_TWO_OVER_LN2);
}

// (2 artanh(s) - 2 s)/s^3 over s^2, the highest power first: its series, of which 1.3e-18 of the logarithm are left out
// at |s| = 1/3.
static const double LANE_ARTANH_TAIL[] = {2.0 / 33, 2.0 / 31, 2.0 / 29, 2.0 / 27, 2.0 / 25, 2.0 / 23,
                                          2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                          2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};

// log(a/b) of s = (a - b)/(a + b), a and b within [1, 2], |s| at most 1/3; count side by side.
static inline __attribute__((always_inline)) void lane_log_quotients(int count, const lanes *s, lanes *out)
{
  enum { MOST = 6 };
  lanes z[MOST], p[MOST];
#pragma GCC unroll 6
  for (int i = 0; i < count; i++)
    z[i] = s[i] * s[i];
  lane_polynomials(count, z, LANE_ARTANH_TAIL, LANE_COUNT(LANE_ARTANH_TAIL), p);
#pragma GCC unroll 6
  for (int i = 0; i < count; i++)
    p[i] = s[i] * z[i] * p[i];
#pragma GCC unroll 6
  for (int i = 0; i < count; i++)
    out[i] = 2 * s[i] + p[i];
}

#endif
