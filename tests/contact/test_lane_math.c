// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of lanes: their coefficients computed again in 113-bit arithmetic, their values against
// it.
#define larger larger_lanes  // the harness has one of numbers
#include "contact/kernels/lane_math.h"
#undef larger

#include <quadmath.h>

#include "base/random.h"
#include "contact/kernels/lane_kernels.h"
#include "harness.h"

typedef __float128 quad;

enum { DRAWS = 100000, MOST_TERMS = 16 };

// (2^r - 1)/r
static quad exp2_slope(quad r)
{
  return r == 0 ? M_LN2q : expm1q(r * M_LN2q) / r;
}

// (2 artanh(s) - 2 s)/(s^3 log(2)), s^2 = z
static quad log2_tail(quad z)
{
  quad s = sqrtq(z);
  return z == 0 ? 2 / (3 * M_LN2q) : 2 * (atanhq(s) - s) / (s * z * M_LN2q);
}

// The polynomial of so many coefficients that has the values of f at Chebyshev's nodes of [low, high], by divided
// differences; the highest power first.
static void interpolate(quad (*f)(quad), quad low, quad high, int count, quad *coefficients)
{
  quad nodes[MOST_TERMS], newton[MOST_TERMS], sum[MOST_TERMS] = {0};
  for (int i = 0; i < count; i++) {
    nodes[i] = (low + high) / 2 + (high - low) / 2 * cosq(M_PIq * (2 * i + 1) / (2 * count));
    newton[i] = f(nodes[i]);
  }
  for (int order = 1; order < count; order++)
    for (int i = count - 1; i >= order; i--)
      newton[i] = (newton[i] - newton[i - 1]) / (nodes[i] - nodes[i - order]);
  for (int i = count - 1; i >= 0; i--) {  // sum becomes sum (x - nodes[i]) + newton[i], the lowest power first
    for (int k = count - 1; k > 0; k--)
      sum[k] = sum[k - 1] - nodes[i] * sum[k];
    sum[0] = newton[i] - nodes[i] * sum[0];
  }
  for (int k = 0; k < count; k++)
    coefficients[k] = sum[count - 1 - k];
}

static void check_table(const char *name, quad (*f)(quad), quad low, quad high, const double *table, int count,
                        double allowed)
{
  quad coefficients[MOST_TERMS], worst[2] = {0, 0};
  interpolate(f, low, high, count, coefficients);
  for (int k = 0; k < count; k++)
    CHECK((double)coefficients[k] == table[k], "%s[%d] = %.17g, not %.17g", name, k, table[k], (double)coefficients[k]);
  for (int i = 0; i <= 1000; i++) {
    quad x = low + (high - low) * i / 1000, sums[2] = {0, 0};
    for (int k = 0; k < count; k++) {
      sums[0] = sums[0] * x + coefficients[k];
      sums[1] = sums[1] * x + table[k];
    }
    for (int k = 0; k < 2; k++)
      worst[k] = fmaxq(worst[k], fabsq(sums[k] - f(x)));
  }
  CHECK((double)worst[1] < allowed, "%s: off by %g", name, (double)worst[1]);
  printf("# %s: interpolated within %.2g, rounded %.2g\n", name, (double)worst[0], (double)worst[1]);
}

static void test_tables(void)
{
  quad end = (M_SQRT2q - 1) * (M_SQRT2q - 1);  // s of a = sqrt(2)
  check_table("LANE_EXP2_SLOPE", exp2_slope, -0.5Q, 0.5Q, LANE_EXP2_SLOPE, LANE_COUNT(LANE_EXP2_SLOPE), 4.2e-17);
  check_table("LANE_LOG2_TAIL", log2_tail, 0, end * end, LANE_LOG2_TAIL, LANE_COUNT(LANE_LOG2_TAIL), 5.1e-16);
}

// The error of a value in units in its last place.
static double units(double value, quad exact)
{
  double rounded = fabs((double)exact);
  return (double)(fabsq(value - exact) / (quad)(nextafter(rounded, INFINITY) - rounded));
}

static double exp2_of(double a)
{
  lanes in = splat(a), out;
  lane_exp2_many(1, &in, &out);
  return out[0];
}

static double exp_of(double a)
{
  lanes in = splat(a), out;
  lane_exp_many(1, &in, &out);
  return out[0];
}

static double log2_of(double a)
{
  lanes k, f, s, out;
  lane_log_split(splat(a), &k, &f);
  s = f / (2 + f);
  lane_log2_join_many(1, &k, &s, &out);
  return out[0];
}

static double log_quotient_of(double s)
{
  lanes in = splat(s), out;
  lane_log_quotients(1, &in, &out);
  return out[0];
}

static quad log_quotient_quad(quad s)
{
  return 2 * atanhq(s);
}

static void test_values(void)
{
  static const struct {
    const char *name;
    double (*value)(double);
    quad (*exact)(quad);
    double low, high;
    bool power;  // of two: exponents are drawn
  } cases[] = {{"exp2", exp2_of, exp2q, -1000, 1000, false},
               {"exp2, small", exp2_of, exp2q, -1, 1, false},
               {"exp", exp_of, expq, -700, 700, false},
               {"exp, small", exp_of, expq, -1, 1, false},
               {"log2", log2_of, log2q, -1000, 1000, true},
               {"log2, near 1", log2_of, log2q, 0.5, 2, false},
               {"log2, nearest", log2_of, log2q, 1 - 1e-9, 1 + 1e-9, false},
               {"log(a/b)", log_quotient_of, log_quotient_quad, -1. / 3, 1. / 3, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct dc_random random;
    double worst = 0;
    dc_random_seed(&random, 51 + (unsigned)c);
    for (int i = 0; i < DRAWS; i++) {
      double a = cases[c].low + (cases[c].high - cases[c].low) * dc_random_uniform(&random);
      a = cases[c].power ? exp2(a) : a;
      worst = larger(worst, units(cases[c].value(a), cases[c].exact(a)));
    }
    CHECK(worst < 3, "%s: %g units in the last place", cases[c].name, worst);  // 2.6 observed
    printf("# %s: %.2f units in the last place\n", cases[c].name, worst);
  }
}

static void test_kernels(void)
{
  static double a[DRAWS], out[DRAWS];
  _Static_assert(DRAWS % DC_BATCH == 0, "whole batches");
  for (const struct dc_lane_kernels *const *kernels = dc_lane_kernels_all(); *kernels; kernels++) {
    struct dc_random random;
    double worst[2] = {0, 0}, ends[DC_BATCH] = {0, -1e4, 1e4, -INFINITY, INFINITY, NAN, -700, 700};
    dc_random_seed(&random, 61);
    for (int i = 0; i < DRAWS; i++)
      a[i] = (i % 2 ? 1 : 700) * (2 * dc_random_uniform(&random) - 1);
    memcpy(out, a, sizeof out);
    (*kernels)->exponentials(DRAWS, out);
    for (int i = 0; i < DRAWS; i++)
      worst[0] = larger(worst[0], units(out[i], expq(a[i])));
    memcpy(out, a, sizeof out);
    (*kernels)->sigmoids(DRAWS, out);
    for (int i = 0; i < DRAWS; i++)
      worst[1] = larger(worst[1], units(out[i], 1 / (1 + expq(-(quad)a[i]))));
    CHECK(worst[0] < 2 && worst[1] < 3, "%s: %g, %g", (*kernels)->name, worst[0], worst[1]);
    printf("# %s: exponentials within %.2f units in the last place, sigmoids %.2f\n", (*kernels)->name, worst[0],
           worst[1]);
    (*kernels)->exponentials(DC_BATCH, ends);
    CHECK(ends[0] == 1 && ends[1] == ends[6] && ends[3] == ends[6] && ends[2] == ends[7] && ends[4] == ends[7],
          "%s: beyond 700", (*kernels)->name);
    CHECK(isnan(ends[5]), "%s: %g of no number", (*kernels)->name, ends[5]);
  }
}

RUN_TESTS({"coefficients", test_tables}, {"values", test_values}, {"kernels of all widths", test_kernels})
