// SPDX-License-Identifier: Apache-2.0
// The smoothed nearest point of a triangle to a vertex: against the exact one, derivatives against differences, the
// interior point method against both.
#include "base/random.h"
#include "bench/face_point.h"
#include "geometry/convex/distance.h"
#include "harness.h"
#include "math/vector.h"

enum { PAIRS = 100000, DERIVATIVES = 2000 };

static void draw(struct dc_random *random, double size, double in[12])
{
  for (int k = 0; k < 12; k++)
    in[k] = size * dc_random_uniform(random);
}

// The nearest point and the part of the triangle that it is on.
static int exact(const double in[12], double point[3])
{
  double x[4][3];
  struct dc_closest closest;
  memcpy(x, in, sizeof x);
  dc_closest_point_triangle((const double(*)[3])x, &closest);
  dc_vec_sub(point, in, closest.r);
  return closest.region;
}

// Two points a length d apart on both sides of a corner may have squares of distances that differ by d^2 only, so that
// choosing between them is off by up to max_d d exp(-d^2/t) = 0.43 sqrt(t), t the softness.
static void check_hard_limit(double softness, double allowed)
{
  struct dc_random random;
  double worst = 0;
  int regions[7] = {0};
  dc_random_seed(&random, 31);
  for (int i = 0; i < PAIRS; i++) {
    double in[12], point[3], known[3];
    draw(&random, 1, in);
    dc_face_point(softness, in, point);
    regions[exact(in, known)]++;
    worst = larger(worst, dc_vec_distance(point, known));
  }
  for (int r = 0; r < 7; r++)
    CHECK(regions[r] > PAIRS / 100, "part %d of the triangle is nearest %d times", r, regions[r]);
  CHECK(worst < allowed, "softness %g: %g", softness, worst);
  printf("# faces: softness %g within %.2g\n", softness, worst);
}

static void test_hard_limit(void)
{
  check_hard_limit(1e-11, 2e-6);
  check_hard_limit(1e-15, 1e-8);
}

// Errors fall with the softness.
static void test_softness(void)
{
  static const double softness[] = {0.1, 0.01, 0.001};
  double means[3];
  for (int s = 0; s < 3; s++) {
    struct dc_random random;
    double sum = 0;
    dc_random_seed(&random, 32);
    for (int i = 0; i < DERIVATIVES; i++) {
      double in[12], point[3], known[3];
      draw(&random, 1, in);
      dc_face_point(softness[s], in, point);
      exact(in, known);
      sum += dc_vec_distance(point, known);
    }
    means[s] = sum / DERIVATIVES;
  }
  CHECK(means[1] < 0.3 * means[0] && means[2] < 0.3 * means[1], "%g, %g, %g", means[0], means[1], means[2]);
}

static double longest(const double in[12])
{
  return larger(larger(dc_vec_distance(in + 3, in + 6), dc_vec_distance(in + 6, in + 9)),
                dc_vec_distance(in + 9, in + 3));
}

// Triangles with heights of at least a tenth of their longest edge: differences resolve them.
static bool thick(const double in[12])
{
  double base = longest(in);
  return 2 * dc_triangle_area(in + 3, in + 6, in + 9) > 0.1 * base * base;
}

static double weighted(double softness, const double in[12], const double by[3])
{
  double point[3];
  dc_face_point(softness, in, point);
  return dc_vec_dot(by, point);
}

static void test_derivatives(void)
{
  static const double sizes[] = {0.05, 1, 20}, softness[] = {0.1, 0.02, 0.005}, steps[] = {-2, -1, 1, 2},
                      factors[] = {1, -8, 8, -1};
  double worst = 0;
  for (int c = 0; c < 3; c++) {
    struct dc_random random;
    dc_random_seed(&random, 33 + (unsigned)c);
    for (int i = 0; i < DERIVATIVES; i++) {
      double in[12], by[3], by_in[12], largest = 0, error = 0;
      do
        draw(&random, sizes[c], in);
      while (!thick(in));
      for (int k = 0; k < 3; k++)
        by[k] = 2 * dc_random_uniform(&random) - 1;
      dc_face_point_back(softness[c], in, by, by_in);
      for (int k = 0; k < 12; k++) {
        double h = 3e-4 * softness[c] * longest(in), difference = 0, at[12];
        for (int j = 0; j < 4; j++) {
          memcpy(at, in, sizeof at);
          at[k] += steps[j] * h;
          difference += factors[j] * weighted(softness[c], at, by) / (12 * h);
        }
        largest = larger(largest, fabs(by_in[k]));
        error = larger(error, fabs(by_in[k] - difference));
      }
      worst = larger(worst, error / largest);
    }
  }
  CHECK(worst < 1e-6, "%g", worst);
  printf("# faces: derivatives within %.2g\n", worst);
}

static void test_interior_point(void)
{
  struct dc_random random;
  double worst = 0;
  int failures = 0;
  dc_random_seed(&random, 36);
  for (int i = 0; i < DERIVATIVES; i++) {
    double in[12], point[3], known[3];
    do
      draw(&random, 1, in);
    while (!thick(in));
    failures += dc_face_interior_point(in, 1e-9, point) < 0;
    exact(in, known);
    worst = larger(worst, dc_vec_distance(point, known));
  }
  CHECK(failures == 0 && worst < 1e-3, "%d failures, within %g", failures, worst);
  printf("# faces: interior point within %.2g\n", worst);
}

RUN_TESTS({"hard limit of faces", test_hard_limit}, {"errors fall with the softness", test_softness},
          {"derivatives of faces", test_derivatives}, {"interior point method", test_interior_point})
