// SPDX-License-Identifier: Apache-2.0
// Signed distances that follow vertices: those of the shape while vertices are where they were; derivatives by vertices
// against differences; of superquadrics scaled along their axes the vertices stay on the level set.
#include "geometry/shapes/shape_follow.h"

#include "base/random.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "shape_builder.h"

enum { MOST = 400, SAMPLES = 20 };
static const double STEP = 1e-5;  // m

static void draw(struct dc_random *random, double size, double x[3])
{
  for (int k = 0; k < 3; k++)
    x[k] = size * (2 * dc_random_uniform(random) - 1);
}

static double moved(struct dc_shape_follower *follower, double (*places)[3], const double (*motion)[3], int count,
                    double step, const double x[3], double v, const double u[3])
{
  double at[MOST][3], g[3];
  const struct dc_sdf *sdf;
  struct dc_error error = {0};
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      at[i][k] = places[i][k] + step * motion[i][k];
  CHECK(!dc_shape_follow(follower, (const double(*)[3])at, &sdf, &error), "%s", error.text);
  double value = dc_sdf_value(sdf, x, g);
  return v * value + dc_vec_dot(u, g);
}

// The derivative of v phi(x) + u.g(x) along a motion of the vertices against differences of fourth order, relative to
// the sum of the magnitudes of its summands.
static double check_motion(struct dc_shape_follower *follower, double (*places)[3], const double (*motion)[3],
                           int count, struct dc_random *random, double size)
{
  static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
  double x[3], u[3], dropped[3] = {0, 0, 0}, by[MOST][3] = {{0}}, slope = 0, parts = 0, difference = 0;
  double v = dc_random_normal(random), *parameters;
  const struct dc_sdf *sdf;
  struct dc_error error = {0};
  draw(random, size, x);
  draw(random, size, u);
  for (int n = 0; n < 4; n++)
    difference += weights[n] / STEP * moved(follower, places, motion, count, steps[n] * STEP, x, v, u);
  CHECK(!dc_shape_follow(follower, (const double(*)[3])places, &sdf, &error), "%s", error.text);
  parameters = dc_alloc((size_t)dc_sdf_parameter_count(sdf), sizeof *parameters);
  dc_sdf_pull_back(sdf, x, v, u, dropped, parameters);
  dc_shape_follower_pull_back(follower, parameters, by);
  free(parameters);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      slope += by[i][k] * motion[i][k];
      parts += fabs(by[i][k] * motion[i][k]);
    }
  return fabs(slope - difference) / parts;
}

static void check_start(const struct dc_shape *shape, const struct dc_sdf *sdf, double smoothing,
                        struct dc_arena *arena, struct dc_random *random)
{
  const struct dc_sdf *given;
  struct dc_error error = {0};
  CHECK(!dc_shape_sdf(shape, smoothing, arena, &given, &error), "%s", error.text);
  for (int i = 0; i < SAMPLES; i++) {
    double x[3], g[3], h[3];
    draw(random, 1, x);
    double off = dc_sdf_value(sdf, x, g) - dc_sdf_value(given, x, h);
    // 2e-16 m and 4e-15 observed
    CHECK(fabs(off) < 1e-14 && dc_vec_distance(g, h) < 1e-13, "off by %g, %g", off, dc_vec_distance(g, h));
  }
}

// Every side is two triangles, which bend.
static void check_box(uint64_t seed)
{
  struct builder builder = begin("box");
  struct dc_shape_follower *follower;
  struct dc_error error = {0};
  struct dc_random random;
  const struct dc_sdf *sdf;
  double places[MOST][3], motion[MOST][3], worst = 0;
  dc_random_seed(&random, seed);
  set_reals(&builder, "size", 0.6, 0.4, 0.5);
  if (!build(&builder))
    return;
  int count = builder.shape.mesh.vertex_count;
  CHECK(count <= MOST && !dc_shape_follower_create(&builder.shape, 0.01, builder.arena, &follower, &error), "%s",
        error.text);
  dc_shape_vertices(&builder.shape, places);
  CHECK(!dc_shape_follow(follower, (const double(*)[3])places, &sdf, &error), "%s", error.text);
  check_start(&builder.shape, sdf, 0.01, builder.arena, &random);
  for (int v = 0; v < count; v++) {
    double shift[3];
    draw(&random, 0.01, shift);
    dc_vec_add(places[v], places[v], shift);
  }
  for (int n = 0; n < SAMPLES; n++) {
    for (int v = 0; v < count; v++)
      draw(&random, 1, motion[v]);
    worst = larger(worst, check_motion(follower, places, (const double(*)[3])motion, count, &random, 0.5));
  }
  printf("# a box within %.1e\n", worst);
  CHECK(worst < 5e-10, "off by %g", worst);  // 3e-11 observed
  for (int k = 0; k < 3; k++)
    places[0][k] *= 0.5;
  CHECK(dc_shape_follow(follower, (const double(*)[3])places, &sdf, &error) == DC_INFEASIBLE, "a dent is taken");
  end(&builder);
}

static void test_box(void)
{
  for (uint64_t seed = 5; seed < 9; seed++)
    check_box(seed);
}

static void build_superquadric(struct builder *builder, const double rotation[4])
{
  struct dc_superquadrics_options *options = (void *)builder->options;
  struct dc_superquadrics_part *part = dc_arena_alloc(builder->arena, 1, sizeof *part);
  struct dc_error error = {0};
  *part = (struct dc_superquadrics_part){
      .axes = {0.3, 0.2, 0.25}, .exponents = {0.6, 0.8}, .position = {0.05, -0.02, 0.01}};
  memcpy(part->rotation, rotation, sizeof part->rotation);
  options->parts = (struct dc_object_list){.count = 1, .objects = part};
  options->triangles = 60;
  options->cells = 16;
  CHECK(!dc_shape_unite(&builder->shape, 0, NULL, builder->arena, &error), "%s", error.text);
}

// aligned: the axes are those of the shape's frame, in any order, each with a factor of its own; else one factor for
// all.
static void check_superquadric(uint64_t seed, const double rotation[4], bool aligned)
{
  struct builder builder = begin("superquadrics");
  struct dc_shape_follower *follower;
  struct dc_error error = {0};
  struct dc_random random;
  const struct dc_sdf *sdf;
  double start[MOST][3], places[MOST][3], motion[MOST][3], worst = 0, level = 0;
  const double factors[3] = {1.1, aligned ? 0.9 : 1.1, aligned ? 1.3 : 1.1};
  dc_random_seed(&random, seed);
  build_superquadric(&builder, rotation);
  int count = builder.shape.mesh.vertex_count;
  CHECK(count < MOST && !dc_shape_follower_create(&builder.shape, 0, builder.arena, &follower, &error), "%s",
        error.text);
  dc_shape_vertices(&builder.shape, start);
  CHECK(!dc_shape_follow(follower, (const double(*)[3])start, &sdf, &error), "%s", error.text);
  check_start(&builder.shape, sdf, 0, builder.arena, &random);
  for (int v = 0; v < count; v++)
    for (int k = 0; k < 3; k++)
      places[v][k] = factors[k] * start[v][k];
  CHECK(!dc_shape_follow(follower, (const double(*)[3])places, &sdf, &error), "%s", error.text);
  for (int v = 0; v < count; v++) {
    double g[3], off = fabs(dc_sdf_value(sdf, places[v], g));
    level = larger(level, off);
    CHECK(off < 1e-14, "vertex %d is off the level set by %g", v, off);  // 2e-16 observed
  }
  for (int n = 0; n < SAMPLES; n++) {
    double rates[3], shift[3];
    draw(&random, 1, rates);
    draw(&random, 0.3, shift);
    for (int v = 0; v < count; v++)
      for (int k = 0; k < 3; k++)
        motion[v][k] = (aligned ? rates[k] : rates[0]) * start[v][k] + shift[k];
    worst = larger(worst, check_motion(follower, places, (const double(*)[3])motion, count, &random, 0.5));
  }
  printf("# a superquadric within %.1e, vertices on the level set to %.1e\n", worst, level);
  CHECK(worst < 2e-9, "off by %g", worst);  // 1.4e-10 observed
  places[0][0] += 1e-3;
  CHECK(dc_shape_follow(follower, (const double(*)[3])places, &sdf, &error) == DC_BAD_INPUT, "one vertex alone");
  for (int v = 0; v < count; v++)
    places[v][1] = 1.2 * start[v][1];
  places[0][0] -= 1e-3;
  if (!aligned)
    CHECK(dc_shape_follow(follower, (const double(*)[3])places, &sdf, &error) == DC_BAD_INPUT, "factors that differ");
  end(&builder);
}

static void test_superquadrics(void)
{
  for (uint64_t seed = 6; seed < 10; seed++) {
    check_superquadric(seed, (const double[4]){1, 0, 0, 0}, true);
    check_superquadric(seed, (const double[4]){M_SQRT1_2, M_SQRT1_2, 0, 0}, true);
    check_superquadric(seed, (const double[4]){0.9, 0.1, 0.4, 0.1411}, false);
  }
}

RUN_TESTS({"a box", test_box}, {"superquadrics", test_superquadrics})
