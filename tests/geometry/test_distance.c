// SPDX-License-Identifier: Apache-2.0
// Closest points against search, in every region; derivatives against differences.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "geometry/convex/distance.h"
#include "geometry/mesh/triangle.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { TRIANGLE, EDGES };
static const int regions[2] = {7, 9};
static const unsigned moving[2] = {1, 3};

static void closest_of(int kind, const double (*x)[3], struct dc_closest *closest)
{
  if (kind == TRIANGLE)
    dc_closest_point_triangle(x, closest);
  else
    dc_closest_edges(x, closest);
}

static void random_vertices(struct dc_random *random, double (*x)[3])
{
  for (int i = 0; i < 12; i++)
    x[i / 3][i % 3] = dc_random_normal(random);
}

// |r|^2 at parameters (s, t): of the triangle t is the fraction of what s leaves.
static double square_at(int kind, const double (*x)[3], double s, double t)
{
  double r[3];
  for (int k = 0; k < 3; k++) {
    if (kind == EDGES)
      r[k] = (x[0][k] + s * (x[1][k] - x[0][k])) - (x[2][k] + t * (x[3][k] - x[2][k]));
    else
      r[k] = x[0][k] - (x[1][k] + s * (x[2][k] - x[1][k]) + (1 - s) * t * (x[3][k] - x[1][k]));
  }
  return dc_vec_dot(r, r);
}

// Least over one parameter by thirds: along each line of the parameters the square is convex.
static double best_second(int kind, const double (*x)[3], double s)
{
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double p = low + (high - low) / 3, q = high - (high - low) / 3;
    if (square_at(kind, x, s, p) < square_at(kind, x, s, q))
      high = q;
    else
      low = p;
  }
  double middle = 0.5 * (low + high);
  return fmin(fmin(square_at(kind, x, s, 0), square_at(kind, x, s, 1)), square_at(kind, x, s, middle));
}

// The least over t is convex in s for edges; for the triangle it is that over segments that shrink linearly.
static double searched(int kind, const double (*x)[3])
{
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double p = low + (high - low) / 3, q = high - (high - low) / 3;
    if (best_second(kind, x, p) < best_second(kind, x, q))
      high = q;
    else
      low = p;
  }
  return fmin(fmin(best_second(kind, x, 0), best_second(kind, x, 1)), best_second(kind, x, 0.5 * (low + high)));
}

// What must hold of a result: r belongs to its weights, these to its region, and it is orthogonal to the parameters.
static void check_consistent(int kind, const double (*x)[3], const struct dc_closest *c)
{
  double r[3] = {0, 0, 0}, sum = 0;
  for (int v = 0; v < 4; v++) {
    dc_vec_add_scaled(r, r, c->weight[v], x[v]);
    sum += c->weight[v];
    double least = kind == TRIANGLE && v > 0 ? -1 : v < 2 ? 0 : -1;
    CHECK(c->weight[v] >= least - 1e-12 && c->weight[v] <= least + 1 + 1e-12, "weight %d: %g", v, c->weight[v]);
  }
  CHECK(fabs(sum) < 1e-14, "%g", sum);
  CHECK(dc_vec_distance(r, c->r) < 1e-12, "%g", dc_vec_distance(r, c->r));  // 4e-15 observed
  for (int k = 0; k < c->parameters; k++) {
    double t[3] = {0, 0, 0};
    for (int v = 0; v < 4; v++)
      dc_vec_add_scaled(t, t, c->slope[k][v], x[v]);
    CHECK(fabs(dc_vec_dot(t, c->r)) < 1e-13 * (1 + dc_vec_dot(t, t)), "%g", dc_vec_dot(t, c->r));
  }
}

static void test_search(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int kind = 0; kind < 2; kind++) {
    int counts[9] = {0};
    double worst = 0;
    for (int i = 0; i < 3000; i++) {
      double x[4][3];
      struct dc_closest c;
      random_vertices(&random, x);
      closest_of(kind, (const double(*)[3])x, &c);
      check_consistent(kind, (const double(*)[3])x, &c);
      counts[c.region]++;
      double best = searched(kind, (const double(*)[3])x);
      worst = larger(worst, fabs(best - c.square) / (c.square + 1e-3));
    }
    printf("# kind %d: %.1e\n", kind, worst);
    CHECK(worst < 1e-12, "%g", worst);  // 1e-14 observed
    for (int k = 0; k < regions[kind]; k++)
      CHECK(counts[k] > 20, "region %d of kind %d: %d", k, kind, counts[k]);
  }
}

static void test_closed_forms(void)
{
  static const double h = 1e-7;
  static const struct {
    int kind, region;
    double x[4][3], square;
  } cases[] = {
      {TRIANGLE, DC_NEAR_FACE, {{0.2, 0.3, h}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, h * h},
      {TRIANGLE, DC_NEAR_0, {{-1, -2, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 9},
      {TRIANGLE, DC_NEAR_1, {{2, -0.5, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 1.25},
      {TRIANGLE, DC_NEAR_2, {{0, 3, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 5},
      {TRIANGLE, DC_NEAR_01, {{0.5, -3, 4}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 25},
      {TRIANGLE, DC_NEAR_12, {{1, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 0.5},
      {TRIANGLE, DC_NEAR_20, {{-1, 0.5, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 2},
      {EDGES, 3 * DC_NEAR_INSIDE + DC_NEAR_INSIDE, {{-1, 0, h}, {1, 0, h}, {0, -1, 0}, {0, 2, 0}}, h * h},
      {EDGES, 3 * DC_NEAR_START + DC_NEAR_INSIDE, {{1, 0, 2}, {2, 0, 2}, {0, -1, 0}, {0, 2, 0}}, 5},
      {EDGES, 3 * DC_NEAR_END + DC_NEAR_START, {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {2, 2, 0}}, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct dc_closest c;
    closest_of(cases[i].kind, cases[i].x, &c);
    CHECK(c.region == cases[i].region, "case %zu: region %d", i, c.region);
    CHECK(fabs(c.square / cases[i].square - 1) < 1e-15, "case %zu: %.17g", i, c.square);
  }
}

// Parallel edges that overlap, and nearly parallel ones that cross: the distance keeps its digits.
static void test_parallel(void)
{
  double worst = 0;
  for (double sine = 1; sine > 1e-9; sine *= 0.1) {
    double gap = 1e-6, x[4][3] = {{-1, 0.1 * sine, gap}, {0.7, 0.1 * sine, gap}, {-0.9, 0, 0}, {0, 0, 0}};
    x[3][0] = x[2][0] + 2 * sqrt(1 - sine * sine);
    x[2][1] = -1.0 * sine;
    x[3][1] = 1.0 * sine;
    double q[4], rotation[9], turned[4][3];
    struct dc_closest c;
    dc_rotation_exp(q, (double[3]){0.3, -0.8, 1.1});
    dc_rotation_matrix(rotation, q);
    for (int v = 0; v < 4; v++)
      dc_mat_apply(turned[v], rotation, x[v]);
    dc_closest_edges((const double(*)[3])turned, &c);
    worst = larger(worst, fabs(sqrt(c.square) / gap - 1));
  }
  printf("# nearly parallel: %.1e\n", worst);
  CHECK(worst < 1e-9, "%g", worst);  // 2e-10 observed: 1e-16 over the gap
  static const double starts[] = {-3, -1, 0, 0.4, 1.5}, apart[] = {2, 0, 0, 0, 0.5};
  for (int i = 0; i < 5; i++) {
    double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {starts[i], 0.3, 0}, {starts[i] + (i == 0 ? 1 : 2), 0.3, 0}};
    struct dc_closest c;
    for (int k = 0; k < 2; k++) {
      dc_closest_edges((const double(*)[3])x, &c);
      CHECK_NEAR(c.square, apart[i] * apart[i] + 0.09, 1e-14);
      double swap[3];
      dc_vec_copy(swap, x[2]);
      dc_vec_copy(x[2], x[3]);
      dc_vec_copy(x[3], swap);
    }
  }
}

static const double point[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

// Vertices in `which` turned and moved along scale * twist
static void twisted(const double (*x)[3], unsigned which, double scale, const double twist[6], double (*moved)[3])
{
  double w[3], q[4], rotation[9];
  dc_vec_scale(w, twist, scale);
  dc_rotation_exp(q, w);
  dc_rotation_matrix(rotation, q);
  for (int v = 0; v < 4; v++) {
    dc_vec_copy(moved[v], x[v]);
    if (!(which & 1u << v))
      continue;
    dc_mat_apply(moved[v], rotation, x[v]);
    dc_vec_add_scaled(moved[v], moved[v], scale, twist + 3);
  }
}

// Second differences of the square along twists: along its own twist the chart does not turn.
static void test_twists(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  for (int kind = 0; kind < 2; kind++) {
    int counts[9] = {0};
    double worst[2] = {0, 0};
    for (int i = 0; i < 4000; i++) {
      double x[4][3], moved[4][3], twist[6], gradient[6], hessian[21], slope = 0, curvature = 0, h = 5e-4;
      struct dc_closest c, other;
      bool same = true, flipped = kind == TRIANGLE && i % 2;
      unsigned which = flipped ? 14 : moving[kind];
      random_vertices(&random, x);
      for (int k = 0; k < 6; k++)
        twist[k] = dc_random_normal(&random);
      closest_of(kind, (const double(*)[3])x, &c);
      if (flipped)
        dc_closest_flip(&c);
      dc_closest_twist(&c, (const double(*)[3])x, which, 2, gradient, hessian);
      double first = 0, second = 0, size[2] = {0, 0};
      for (int a = 0, e = 0; a < 6; a++) {
        slope += gradient[a] * twist[a];
        size[0] += fabs(gradient[a] * twist[a]);
        for (int b = 0; b <= a; b++, e++) {
          curvature += (a == b ? 1 : 2) * hessian[e] * twist[a] * twist[b];
          size[1] += fabs(hessian[e] * twist[a] * twist[b]);
        }
      }
      for (int p = 0; p < 4; p++) {
        double g[6], along = 0;
        twisted((const double(*)[3])x, which, point[p] * h, twist, moved);
        closest_of(kind, (const double(*)[3])moved, &other);
        same &= other.region == c.region;
        first += weight[p] / h * other.square;
        if (flipped)
          dc_closest_flip(&other);
        for (int v = 0; v < 4; v++)  // the centre moves along
          dc_vec_add_scaled(moved[v], moved[v], -point[p] * h, twist + 3);
        dc_closest_twist(&other, (const double(*)[3])moved, which, 1, g, NULL);
        for (int k = 0; k < 6; k++)
          along += g[k] * twist[k];
        second += weight[p] / h * along;
      }
      double conditioned = 1;
      if (c.parameters == 2) {
        double t[2][3] = {{0}}, n[3];
        for (int k = 0; k < 2; k++)
          for (int v = 0; v < 4; v++)
            dc_vec_add_scaled(t[k], t[k], c.slope[k][v], x[v]);
        dc_vec_cross(n, t[0], t[1]);
        conditioned = dc_vec_norm(n) / (dc_vec_norm(t[0]) * dc_vec_norm(t[1]));
      }
      if (!same || conditioned < 0.2)
        continue;
      counts[c.region]++;
      worst[0] = larger(worst[0], fabs(first - slope) / size[0]);
      worst[1] = larger(worst[1], fabs(second - curvature) / size[1]);
    }
    printf("# kind %d: gradient %.1e, Hessian %.1e\n", kind, worst[0], worst[1]);
    CHECK(worst[0] < 1e-7, "%g", worst[0]);  // 4e-9 observed
    CHECK(worst[1] < 1e-7, "%g", worst[1]);  // 5e-9 observed
    for (int k = 0; k < regions[kind]; k++)
      CHECK(counts[k] > 20, "region %d of kind %d: %d", k, kind, counts[k]);
  }
}

// a.r + b.weight of moved vertices, against its cotangents.
static void test_pull_back(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int kind = 0; kind < 2; kind++) {
    int counts[9] = {0};
    double worst = 0;
    for (int i = 0; i < 3000; i++) {
      double x[4][3], d[4][3], out[4][3] = {{0}}, a[3], b[4], difference = 0, along = 0, size = 0, h = 1e-3;
      struct dc_closest c, other;
      bool same = true;
      random_vertices(&random, x);
      random_vertices(&random, d);
      for (int k = 0; k < 4; k++) {
        a[k % 3] = dc_random_normal(&random);
        b[k] = dc_random_normal(&random);
      }
      closest_of(kind, (const double(*)[3])x, &c);
      dc_closest_pull_back(&c, (const double(*)[3])x, a, b, out);
      for (int p = 0; p < 4; p++) {
        double moved[4][3], sum = 0;
        for (int v = 0; v < 4; v++)
          dc_vec_add_scaled(moved[v], x[v], point[p] * h, d[v]);
        closest_of(kind, (const double(*)[3])moved, &other);
        same &= other.region == c.region;
        sum = dc_vec_dot(a, other.r);
        for (int v = 0; v < 4; v++)
          sum += b[v] * other.weight[v];
        difference += weight[p] / h * sum;
      }
      for (int v = 0; v < 4; v++) {
        along += dc_vec_dot(out[v], d[v]);
        size += dc_vec_norm(out[v]) * dc_vec_norm(d[v]);
      }
      // Thin triangles and nearly parallel edges have large higher derivatives.
      if (!same || size > 50)
        continue;
      counts[c.region]++;
      worst = larger(worst, fabs(difference - along) / size);
    }
    printf("# kind %d: %.1e\n", kind, worst);
    CHECK(worst < 1e-6, "%g", worst);  // 1e-7 observed
    for (int k = 0; k < regions[kind]; k++)
      CHECK(counts[k] > 20, "region %d of kind %d: %d", k, kind, counts[k]);
  }
}

// A search that may end early says the same of triangles that cross, and of others that they are apart.
static void test_separation(void)
{
  struct dc_random random;
  int crossing = 0, sooner = 0;
  dc_random_seed(&random, 11);
  for (int i = 0; i < 4000; i++) {
    double x[4][3], y[4][3], whole[3], early[3];
    random_vertices(&random, x);
    random_vertices(&random, y);
    double enough = i % 2 ? 0 : 0.1;
    double all = dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, INFINITY, whole);
    double some = dc_triangle_separation((const double(*)[3])x, (const double(*)[3])y, enough, early);
    CHECK(all > enough ? some > enough && some <= all : some == all && memcmp(whole, early, sizeof whole) == 0,
          "%.17g and %.17g", all, some);
    crossing += !(all > enough);
    sooner += some < all;
  }
  printf("# %d of 4000 are nearer than asked for, %d searches ended early\n", crossing, sooner);
  CHECK(crossing > 1000 && crossing < 3000 && sooner > 500, "%d, %d", crossing, sooner);
}

RUN_TESTS({"closest points against search", test_search}, {"closed forms", test_closed_forms},
          {"parallel edges", test_parallel}, {"twists against differences", test_twists},
          {"cotangents against differences", test_pull_back}, {"separation of triangles", test_separation})
