// SPDX-License-Identifier: Apache-2.0
// Smooth signed distances: known values, gradients, and the derivatives of v phi + u.grad phi by points, numbers and
// places against central differences at several steps.
#include "geometry/implicit/sdf.h"
#include "base/random.h"
#include "geometry/sdf_move.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

static double uniform(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static void turn_matrix(const double w[3], double matrix[9])
{
  double q[4];
  dc_rotation_exp(q, w);
  dc_rotation_matrix(matrix, q);
}

static void random_place(struct dc_random *random, struct dc_sdf *sdf, double spread)
{
  double w[3];
  for (int k = 0; k < 3; k++) {
    sdf->position[k] = uniform(random, -spread, spread);
    w[k] = uniform(random, -1.5, 1.5);
  }
  turn_matrix(w, sdf->rotation);
}

static struct dc_sdf *make(const struct dc_sdf_type *type, double size, struct dc_random *random,
                           struct dc_arena *arena);

static struct dc_sdf *make_points(double size, struct dc_random *random, struct dc_arena *arena)
{
  enum { COUNT = 40 };
  double places[COUNT][3], normals[COUNT][3];
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < 3; k++)
      normals[i][k] = uniform(random, -1, 1);
    dc_vec_scale(normals[i], normals[i], 1 / dc_vec_norm(normals[i]));
    dc_vec_scale(places[i], normals[i], size);
  }
  return dc_sdf_make_points(COUNT, (const double(*)[3])places, (const double(*)[3])normals, arena);
}

static struct dc_sdf *make_blend(const struct dc_sdf_type *type, double size, struct dc_random *random,
                                 struct dc_arena *arena)
{
  const struct dc_sdf_type *const kinds[] = {&dc_sdf_superquadric, &dc_sdf_polyhedron, &dc_sdf_capsule};
  struct dc_sdf *sdf = dc_sdf_make(type, 1, 3, arena);
  sdf->numbers[0] = 0.1 * size;
  for (int i = 0; i < 3; i++) {
    sdf->children[i] = *make(kinds[i], 0.7 * size, random, arena);
    random_place(random, &sdf->children[i], 0.3 * size);
  }
  return sdf;
}

static struct dc_sdf *make(const struct dc_sdf_type *type, double size, struct dc_random *random,
                           struct dc_arena *arena)
{
  double lengths[3];
  for (int k = 0; k < 3; k++)
    lengths[k] = size * uniform(random, 0.5, 1.5);
  if (type == &dc_sdf_superquadric)
    return dc_sdf_make_superquadric(lengths, uniform(random, 0.1, 1), uniform(random, 0.1, 1), arena);
  if (type == &dc_sdf_polyhedron)
    return dc_sdf_make_box(lengths, 0.1 * size, arena);
  if (type == &dc_sdf_points)
    return make_points(size, random, arena);
  if (type != &dc_sdf_capsule && type != &dc_sdf_cone)
    return make_blend(type, size, random, arena);
  struct dc_sdf *sdf = dc_sdf_make(type, type == &dc_sdf_cone ? 3 : 2, 0, arena);
  for (int k = 0; k < sdf->number_count; k++)
    sdf->numbers[k] = lengths[k];
  return sdf;
}

static double function(const struct dc_sdf *sdf, const double x[3], double v, const double u[3])
{
  double g[3], value = dc_sdf_value(sdf, x, g);
  return v * value + dc_vec_dot(u, g);
}

// Of a point with a fourth-order difference: f at -2h, -h, h, 2h.
static double fourth(const double f[4], double h)
{
  return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

static const double STEPS[4] = {-2, -1, 1, 2};

// Cotangents of a value and of a gradient or point.
struct query {
  double x[3], v, u[3], level;
};

static double value_of(struct dc_sdf *sdf, const struct query *query)
{
  return function(sdf, query->x, query->v, query->u);
}

// Of a point that stays on its level set.
static double projection_of(struct dc_sdf *sdf, const struct query *query)
{
  double at[3];
  dc_vec_copy(at, query->x);
  dc_sdf_project(sdf, query->level, at);
  return dc_vec_dot(query->u, at);
}

// The worst error of derivatives of f by parameters, relative to themselves or to a scale, that of derivatives by
// lengths.  Of some steps the best: exponents have no length, and sharp ones want small steps.
static double parameter_error(struct dc_sdf *sdf, double (*f)(struct dc_sdf *, const struct query *),
                              const struct query *query, const double *parameters, double size, double scale)
{
  double worst = 0;
  for (int i = 0; i < dc_sdf_parameter_count(sdf); i++) {
    double unit = sdf_parameter_turns(sdf, i) ? 1 : size, error = INFINITY, expected = 0, values[4];
    for (double h = 1e-3 * unit; h > 0.5e-6 * unit; h *= 0.1) {
      for (int s = 0; s < 4; s++) {
        sdf_move_parameter(sdf, i, STEPS[s] * h);
        values[s] = f(sdf, query);
        sdf_move_parameter(sdf, i, -STEPS[s] * h);
      }
      if (!(fabs(fourth(values, h) - parameters[i]) < error))
        continue;
      expected = fourth(values, h);
      error = fabs(expected - parameters[i]);
    }
    error /= fmax(scale * size / unit, fabs(expected));
    CHECK(error <= 1e-8, "parameter %d: %.12g, %.12g", i, parameters[i], expected);  // 1e-10 observed
    worst = larger(worst, error);
  }
  return worst;
}

static double check_projection(struct dc_sdf *sdf, const double x[3], double size, struct dc_random *random)
{
  double g[3], *parameters = calloc((size_t)dc_sdf_parameter_count(sdf), sizeof *parameters);
  struct query query = {.x = {x[0], x[1], x[2]}, .level = dc_sdf_value(sdf, x, g)};
  for (int k = 0; k < 3; k++)
    query.u[k] = uniform(random, -1, 1);
  dc_sdf_project_pull_back(sdf, x, query.u, parameters);
  double error = parameter_error(sdf, projection_of, &query, parameters, size, 1);
  free(parameters);
  return error;
}

static double check_point(struct dc_sdf *sdf, const double x[3], double size, struct dc_random *random)
{
  double by_x[3] = {0, 0, 0}, f[4], *parameters = calloc((size_t)dc_sdf_parameter_count(sdf), sizeof *parameters);
  struct query query = {.x = {x[0], x[1], x[2]}, .v = uniform(random, -1, 1) / size};
  for (int k = 0; k < 3; k++)
    query.u[k] = uniform(random, -1, 1);
  dc_sdf_pull_back(sdf, x, query.v, query.u, by_x, parameters);
  double scale = fmax(dc_vec_norm(by_x), 1 / size);
  for (int k = 0; k < 3; k++) {
    double h = 1e-4 * size;
    for (int s = 0; s < 4; s++) {
      double at[3] = {x[0], x[1], x[2]};
      at[k] += STEPS[s] * h;
      f[s] = function(sdf, at, query.v, query.u);
    }
    CHECK_NEAR(by_x[k], fourth(f, h), 1e-6 * scale);  // 2e-8 observed, the difference's own error
  }
  double error = parameter_error(sdf, value_of, &query, parameters, size, scale);
  free(parameters);
  return error;
}

static void test_derivatives(void)
{
  static const double sizes[] = {1e-2, 1, 30};
  struct dc_random random, others;
  double worst[2] = {0, 0};
  dc_random_seed(&random, 7);
  dc_random_seed(&others, 8);
  for (int kind = 0; dc_sdf_types[kind]; kind++)
    for (int s = 0; s < 3; s++)
      for (int repeat = 0; repeat < 12; repeat++) {
        struct dc_arena *arena = dc_arena_create();
        double size = sizes[s], x[3], g[3], f[4];
        struct dc_sdf *sdf = make(dc_sdf_types[kind], size, &random, arena);
        random_place(&random, sdf, size);
        for (int k = 0; k < 3; k++)
          x[k] = sdf->position[k] + uniform(&random, -1.5, 1.5) * size;
        dc_sdf_value(sdf, x, g);
        for (int k = 0; k < 3; k++) {
          for (int i = 0; i < 4; i++) {
            double at[3] = {x[0], x[1], x[2]}, unused[3];
            at[k] += STEPS[i] * 1e-4 * size;
            f[i] = dc_sdf_value(sdf, at, unused);
          }
          CHECK_NEAR(g[k], fourth(f, 1e-4 * size), 1e-7);
        }
        int failures = test_failures;
        worst[0] = larger(worst[0], check_point(sdf, x, size, &random));
        worst[1] = larger(worst[1], check_projection(sdf, x, size, &others));
        CHECK(test_failures == failures, "%s of size %g", dc_sdf_types[kind]->name, size);
        dc_arena_destroy(arena);
      }
  printf("# by parameters of values within %.1e, of points on level sets within %.1e\n", worst[0], worst[1]);
}

// By the numbers of superquadrics so near to the centre that the least radius counts.
static void test_near_centres(void)
{
  struct dc_random random;
  double worst = 0;
  dc_random_seed(&random, 9);
  for (int repeat = 0; repeat < 40; repeat++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_sdf *sdf = make(&dc_sdf_superquadric, 1, &random, arena);
    struct query query = {.v = uniform(&random, -1, 1)};
    double by_x[3] = {0, 0, 0}, parameters[11] = {0}, largest = 0, values[4];
    for (int k = 0; k < 3; k++) {
      query.x[k] = uniform(&random, -3e-6, 3e-6);
      query.u[k] = uniform(&random, -1, 1);
    }
    dc_sdf_pull_back(sdf, query.x, query.v, query.u, by_x, parameters);
    for (int i = 0; i < sdf->number_count; i++)
      largest = larger(largest, fabs(parameters[i]));
    for (int i = 0; i < sdf->number_count; i++) {
      double error = INFINITY;
      for (double h = 1e-3; h > 0.5e-6; h *= 0.1) {
        for (int s = 0; s < 4; s++) {
          sdf_move_parameter(sdf, i, STEPS[s] * h);
          values[s] = value_of(sdf, &query);
          sdf_move_parameter(sdf, i, -STEPS[s] * h);
        }
        error = fmin(error, fabs(fourth(values, h) - parameters[i]) / largest);
      }
      CHECK(error <= 1e-7, "parameter %d: %g off", i, error);
      worst = larger(worst, error);
    }
    dc_arena_destroy(arena);
  }
  printf("# near centres within %.1e\n", worst);  // 1.4e-11 observed
}

static void test_known_values(void)
{
  struct dc_arena *arena = dc_arena_create();
  double radius[3] = {0.3, 0.3, 0.3}, g[3], x[3] = {0.4, -0.5, 0.2}, half[3] = {0.5, 0.4, 0.3};
  struct dc_sdf *sphere = dc_sdf_make_superquadric(radius, 1, 1, arena), *floor = dc_sdf_make_half_space(arena),
                *box = dc_sdf_make_box(half, 1e-3, arena);
  CHECK_NEAR(dc_sdf_value(sphere, x, g), dc_vec_norm(x) - 0.3, 1e-11);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(g[k], x[k] / dc_vec_norm(x), 1e-9);
  double center[3] = {0, 0, 0};
  double deepest = dc_sdf_value(sphere, center, g);
  CHECK(deepest < 0 && deepest >= -0.3 && isfinite(g[0]), "finite at the centre: %g", deepest);
  CHECK_NEAR(dc_sdf_value(floor, x, g), 0.2, 1e-15);
  CHECK_NEAR(g[2], 1, 1e-15);
  double above[3] = {0.1, 0.1, 0.35};
  CHECK_NEAR(dc_sdf_value(box, above, g), 0.05, 1e-15);
  CHECK(isinf(dc_sdf_radius(floor)), "a half-space has no end");
  CHECK_NEAR(dc_sdf_radius(box), dc_vec_norm(half), 1e-15);
  dc_arena_destroy(arena);
}

// Of cones, truncated ones either way up and cylinders: the distance to the nearest of many points of the outline.
static void test_cones(void)
{
  static const double shapes[][3] = {{0.5, 0, 0.4}, {0.5, 0.2, 0.4}, {0.3, 2, 0.1}, {2, 0.3, 0.1}, {0.4, 0.4, 0.6}};
  enum { SHAPES = sizeof shapes / sizeof *shapes, SAMPLES = 2000 };
  struct dc_random random;
  struct dc_arena *arena = dc_arena_create();
  double worst = 0;
  dc_random_seed(&random, 6);
  for (int i = 0; i < SHAPES; i++) {
    struct dc_sdf *cone = dc_sdf_make(&dc_sdf_cone, 3, 0, arena);
    const double *r = shapes[i], corners[4][2] = {{0, -r[2]}, {r[0], -r[2]}, {r[1], r[2]}, {0, r[2]}};
    memcpy(cone->numbers, r, 3 * sizeof *r);
    for (int repeat = 0; repeat < 100; repeat++) {
      double rho = uniform(&random, 0, 2.5), z = uniform(&random, -1.2, 1.2), nearest = INFINITY, g[3];
      for (int c = 0; c < 3; c++)
        for (int n = 0; n <= SAMPLES; n++) {
          double t = n / (double)SAMPLES;
          nearest = fmin(nearest, hypot(rho - (1 - t) * corners[c][0] - t * corners[c + 1][0],
                                        z - (1 - t) * corners[c][1] - t * corners[c + 1][1]));
        }
      double across = r[0] + (r[1] - r[0]) * (z + r[2]) / (2 * r[2]), inside = fabs(z) < r[2] && rho < across ? -1 : 1;
      double found = dc_sdf_value(cone, (const double[3]){0.6 * rho, 0.8 * rho, z}, g);
      worst = larger(worst, fabs(found - inside * nearest));
      CHECK_NEAR(dc_vec_norm(g), 1, 1e-9);
    }
  }
  CHECK(worst < 1e-3, "cones are off by %g", worst);  // the samples' own distance: 1e-3 of a segment of 2
  printf("# cones within %.2g of samples\n", worst);
  dc_arena_destroy(arena);
}

// Along rays from its centre a superquadric's distance only grows, unlike that of the paper.
static void test_monotone_along_rays(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  struct dc_arena *arena = dc_arena_create();
  for (int repeat = 0; repeat < 200; repeat++) {
    struct dc_sdf *sdf = make(&dc_sdf_superquadric, 1, &random, arena);
    double d[3], g[3], last = -INFINITY;
    for (int k = 0; k < 3; k++)
      d[k] = uniform(&random, -1, 1);
    for (double r = 0.01; r < 20; r *= 1.3) {
      double x[3] = {r * d[0], r * d[1], r * d[2]}, value = dc_sdf_value(sdf, x, g);
      CHECK(value > last && dc_vec_dot(g, d) > 0, "at %g", r);
      last = value;
    }
  }
  dc_arena_destroy(arena);
}

// Balls around superquadrics: no sample of the surface is farther, and some nearly touch.
static void test_balls(void)
{
  struct dc_random random;
  struct dc_arena *arena = dc_arena_create();
  double slack = 0;
  dc_random_seed(&random, 4);
  for (int repeat = 0; repeat < 40; repeat++) {
    double axes[3], e1 = uniform(&random, 0.1, 1.9), e2 = uniform(&random, 0.1, 1.9), g[3], most = 0;
    for (int k = 0; k < 3; k++)
      axes[k] = uniform(&random, 0.5, 1.5);
    const struct dc_sdf *sdf = dc_sdf_make_superquadric(axes, e1, e2, arena);
    double radius = dc_superquadric_radius(sdf->numbers);
    for (int i = 0; i <= 40; i++)
      for (int j = 0; j <= 40; j++) {
        double a = 0.5 * M_PI * i / 40, b = 0.5 * M_PI * j / 40;
        double x[3] = {3 * cos(a) * cos(b), 3 * sin(a) * cos(b), 3 * sin(b)};
        most = larger(most, 3 - dc_sdf_value(sdf, x, g));
      }
    CHECK(radius >= most * (1 - 1e-5), "e %g %g: %g, sampled %g", e1, e2, radius, most);
    slack = larger(slack, radius / most);
  }
  CHECK(slack < 1.005, "balls are off by %g", slack);  // 1.001 observed: the samples' own distance
  printf("# balls within %.4g\n", slack);
  dc_arena_destroy(arena);
}

// The blend of N parts lies within t log N of the exact union, that of a difference above the exact one.
static void test_blend_bounds(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  struct dc_arena *arena = dc_arena_create();
  for (int repeat = 0; repeat < 100; repeat++) {
    struct dc_sdf *both = make(&dc_sdf_union, 1, &random, arena);
    double x[3], g[3], least = INFINITY, t = both->numbers[0];
    for (int k = 0; k < 3; k++)
      x[k] = uniform(&random, -2, 2);
    for (int i = 0; i < 3; i++)
      least = fmin(least, dc_sdf_value(&both->children[i], x, g));
    double value = dc_sdf_value(both, x, g);
    CHECK(value <= least + 1e-14 && value >= least - t * log(3) - 1e-14, "union %g of %g", value, least);
    struct dc_sdf without = *both;
    without.type = &dc_sdf_difference;
    double most = dc_sdf_value(&both->children[0], x, g);
    for (int i = 1; i < 3; i++)
      most = larger(most, -dc_sdf_value(&both->children[i], x, g));
    value = dc_sdf_value(&without, x, g);
    CHECK(value >= most - 1e-14 && value <= most + t * log(3) + 1e-14, "difference %g of %g", value, most);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"known values", test_known_values}, {"derivatives of all types at three scales", test_derivatives},
          {"cones and cylinders", test_cones}, {"monotone along rays", test_monotone_along_rays},
          {"balls around superquadrics", test_balls}, {"bounds of blends", test_blend_bounds},
          {"near centres", test_near_centres})
