// SPDX-License-Identifier: Apache-2.0
// Hulls at known distances: features on two parallel planes above each other, whatever lies behind them.
#include "geometry/convex/hull_distance.h"

#include <float.h>

#include "base/random.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST = 24 };

static double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// A hull whose nearest points to the plane z = height are a feature of 1 to 5 points there, above it for sign +1, below
// for -1: a point, a segment or a polygon around (0, 0).  flat: the other points lie at one height; sliver: it is thin.
static int make_hull(struct dc_random *random, int feature, double height, double sign, bool flat, double sliver,
                     double (*x)[3])
{
  int count = 0;
  double turn = between(random, 0, 6), back = between(random, 0.2, 1);
  for (; count < feature; count++) {
    double angle = turn + 2 * M_PI * count / feature, size = feature == 1 ? 0 : between(random, 0.3, 1);
    x[count][0] = size * cos(angle);
    x[count][1] = size * sin(angle) * (feature == 2 ? 1 : sliver);
    x[count][2] = height;
  }
  if (feature == 2)  // through (0, 0)
    dc_vec_add_scaled(x[1], (double[3]){0, 0, 2 * height}, -1.7, (double[3]){x[0][0], x[0][1], height / 1.7});
  for (int more = (int)between(random, 0, 12); more > 0; more--, count++) {
    x[count][0] = between(random, -2, 2);
    x[count][1] = between(random, -2, 2) * sliver;
    x[count][2] = height + sign * (flat ? back : between(random, 0.01, 1));
  }
  return count;
}

static void turn(double (*x)[3], int count, const double matrix[9], const double shift[3])
{
  for (int v = 0; v < count; v++) {
    double y[3];
    dc_mat_apply(y, matrix, x[v]);
    dc_vec_add(x[v], y, shift);
  }
}

static void test_known(void)
{
  struct dc_random random;
  double worst[2] = {0, 0};
  dc_random_seed(&random, 1);
  for (int i = 0; i < 40000; i++) {
    double a[MOST][3], b[MOST][3], q[4], matrix[9], shift[3], normal[3], expected[3],
        gap = pow(10, -between(&random, -0.5, 9));
    double sliver = i % 5 == 0 ? 1e-4 : 1, ratio = i % 3 == 0 ? 30 : 1;
    int count_a = make_hull(&random, 1 + i % 5, 0.5 * gap, 1, i % 2, sliver, a);
    int count_b = make_hull(&random, 1 + i / 5 % 5, -0.5 * gap, -1, i % 7 < 3, 1, b);
    for (int v = 0; v < count_b; v++)
      for (int k = 0; k < 2; k++)
        b[v][k] *= ratio;
    for (int k = 0; k < 4; k++)
      q[k] = i % 4 == 0 ? k == 0 : dc_random_normal(&random);
    dc_rotation_normalize(q);
    dc_rotation_matrix(matrix, q);
    for (int k = 0; k < 3; k++)
      shift[k] = between(&random, -1, 1);
    turn(a, count_a, matrix, shift);
    turn(b, count_b, matrix, shift);
    double found = dc_hull_distance((const double(*)[3])a, count_a, (const double(*)[3])b, count_b, normal);
    double rounding = 256 * DBL_EPSILON * ratio;
    dc_mat_apply(expected, matrix, (double[3]){0, 0, 1});
    double off = fabs(gap - found) / (1e-13 * gap + rounding);
    worst[gap < 1e-8] = larger(worst[gap < 1e-8], gap < 1e-8 ? 1 - found / gap : off);
    if (gap < 1e-8)
      CHECK(found > 0.5 * gap && found < gap + rounding, "%d: gap %g, found %g", i, gap, found);  // 0.87 observed
    else
      CHECK(off <= 1, "%d: gap %g, found %.17g, normal off by %g", i, gap, found,
            dc_vec_distance(normal, expected));  // 0.24 observed
    // The gap is that along the normal.
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < count_a; v++)
      low = fmin(low, dc_vec_dot(normal, a[v]));
    for (int v = 0; v < count_b; v++)
      high = larger(high, dc_vec_dot(normal, b[v]));
    CHECK(fabs(low - high - found) <= rounding, "%d: %g along the normal, %g", i, low - high, found);
  }
  printf("# error over what is allowed %.2g, part of the smallest gaps %.2g\n", worst[0], worst[1]);
}

static void test_meeting(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  for (int i = 0; i < 20000; i++) {
    double a[MOST][3], b[MOST][3], normal[3], depth = pow(10, -between(&random, 0.5, 9));
    int count_a = make_hull(&random, 1 + i % 5, -0.5 * depth, 1, false, 1, a);
    int count_b = make_hull(&random, 1 + i / 5 % 5, 0.5 * depth, -1, false, 1, b);
    // A point of each on the other side: both hold a neighbourhood of the origin's line.
    for (int k = 0; k < 3; k++) {
      static const double corner[3][2] = {{1, 0}, {-0.6, 0.8}, {-0.6, -0.8}};
      for (int l = 0; l < 2; l++)
        a[count_a][l] = b[count_b][l] = corner[k][l];
      a[count_a++][2] = 0.5;
      b[count_b++][2] = -0.5;
    }
    double found = dc_hull_distance((const double(*)[3])a, count_a, (const double(*)[3])b, count_b, normal);
    CHECK(found == 0, "%d: depth %g, %g", i, depth, found);
  }
}

static void test_degenerate(void)
{
  static const double point[1][3] = {{1, 2, 3}}, same[3][3] = {{1, 2, 5}, {1, 2, 5}, {1, 2, 5}};
  static const double line[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, above[2][3] = {{0.5, 0, 0.25}, {3, 0, 0.25}};
  double normal[3];
  CHECK(dc_hull_distance(point, 1, point, 1, normal) == 0, "one point");
  CHECK_NEAR(dc_hull_distance(same, 3, point, 1, normal), 2, 1e-15);
  CHECK_NEAR(normal[2], 1, 1e-15);
  CHECK_NEAR(dc_hull_distance(above, 2, line, 3, normal), 0.25, 1e-15);
  CHECK(dc_hull_distance(line, 3, line, 3, normal) == 0, "one line");
}

RUN_TESTS({"known distances", test_known}, {"hulls that meet", test_meeting}, {"degenerate hulls", test_degenerate})
