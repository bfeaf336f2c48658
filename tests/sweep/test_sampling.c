// SPDX-License-Identifier: Apache-2.0
// Values of points: combinations, strata, distributions; that they depend on nothing but seed, path and point.
#include "sweep/sampling.h"

#include "harness.h"

static const char *const first_names[] = {"a"}, *const second_names[] = {"b"}, *const third_names[] = {"c"};
static const char *const letters[] = {"\"x\"", "\"y\"", "\"z\""}, *const digits[] = {"1", "2"};
static const struct dc_factor three = {.levels = 3, .columns = 1, .names = first_names, .texts = letters};
static const struct dc_factor two = {.levels = 2, .columns = 1, .names = second_names, .texts = digits};
static const struct dc_factor drawn = {
    .distribution = DC_DRAW_UNIFORM, .low = -2, .high = 3, .columns = 1, .names = third_names};

static const char *value(const struct dc_points *points, long point, int factor)
{
  static char kept[4][64];
  static int next;
  struct dc_text text = {0};
  dc_points_value(points, point, factor, 0, &text);
  char *copy = kept[next++ % 4];
  snprintf(copy, sizeof kept[0], "%s", text.bytes);
  dc_text_free(&text);
  return copy;
}

static double number(const struct dc_points *points, long point, int factor)
{
  return strtod(value(points, point, factor), NULL);
}

static void test_grid(void)
{
  struct dc_arena *arena = dc_arena_create();
  const struct dc_factor factors[] = {three, drawn, two};
  struct dc_points points = {.samples = 2, .factor_count = 3, .factors = factors};
  CHECK(dc_points_prepare(&points, arena, NULL) == DC_OK);
  CHECK(points.count == 12, "%ld", points.count);
  for (long i = 0; i < points.count; i++) {
    CHECK(strcmp(value(&points, i, 0), letters[i / 4]) == 0);
    CHECK(strcmp(value(&points, i, 2), digits[i / 2 % 2]) == 0);
    CHECK(i == 0 || number(&points, i, 1) != number(&points, i - 1, 1));
  }
  dc_arena_destroy(arena);
}

static void test_zip(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  const struct dc_factor unequal[] = {three, two}, equal[] = {three, drawn, three};
  struct dc_points points = {.sampling = DC_SAMPLE_ZIP, .samples = 1, .factor_count = 2, .factors = unequal};
  CHECK(dc_points_prepare(&points, arena, &error) == DC_BAD_INPUT);
  CHECK(strstr(error.text, "\"a\" has 3, \"b\" 2") != NULL, "%s", error.text);
  points.factors = equal;
  points.factor_count = 3;
  CHECK(dc_points_prepare(&points, arena, NULL) == DC_OK && points.count == 3);
  for (long i = 0; i < 3; i++)
    CHECK(strcmp(value(&points, i, 0), letters[i]) == 0 && strcmp(value(&points, i, 2), letters[i]) == 0);
  dc_arena_destroy(arena);
}

// A value depends on seed, path and point, not on other factors or on the order in which it is asked for.
static void test_determinism(void)
{
  const struct dc_factor alone[] = {drawn}, more[] = {three, drawn};
  for (int k = 0; k < 2; k++) {
    struct dc_arena *arena = dc_arena_create();
    enum dc_sampling sampling = k ? DC_SAMPLE_LATIN_HYPERCUBE : DC_SAMPLE_RANDOM;
    struct dc_points a = {.sampling = sampling, .samples = 40, .seed = 7, .factor_count = 1, .factors = alone};
    struct dc_points b = {.sampling = sampling, .samples = 40, .seed = 7, .factor_count = 2, .factors = more};
    struct dc_points c = {.sampling = sampling, .samples = 40, .seed = 8, .factor_count = 1, .factors = alone};
    CHECK(!dc_points_prepare(&a, arena, NULL) && !dc_points_prepare(&b, arena, NULL) &&
          !dc_points_prepare(&c, arena, NULL));
    int same = 0;
    for (long i = 39; i >= 0; i--) {
      CHECK(number(&a, i, 0) == number(&b, i, 1));
      same += number(&a, i, 0) == number(&c, i, 0);
    }
    CHECK(same == 0);
    dc_arena_destroy(arena);
  }
}

// Each of n strata of equal probability holds exactly one number; levels appear equally often.
static void test_latin_hypercube(void)
{
  enum { N = 60 };
  struct dc_factor factors[] = {drawn, three, drawn};
  factors[2].names = second_names;
  struct dc_arena *arena = dc_arena_create();
  struct dc_points points = {
      .sampling = DC_SAMPLE_LATIN_HYPERCUBE, .samples = N, .seed = 3, .factor_count = 3, .factors = factors};
  CHECK(!dc_points_prepare(&points, arena, NULL));
  int counts[3][N] = {{0}}, levels[3] = {0}, moved = 0;
  for (long i = 0; i < N; i++) {
    int first = (int)((number(&points, i, 0) + 2) / 5 * N), second = (int)((number(&points, i, 2) + 2) / 5 * N);
    CHECK(first >= 0 && first < N && second >= 0 && second < N);
    counts[0][first]++;
    counts[1][second]++;
    moved += first != second;
    levels[value(&points, i, 1)[1] - 'x']++;
  }
  for (int i = 0; i < N; i++)
    CHECK(counts[0][i] == 1 && counts[1][i] == 1, "stratum %d", i);
  CHECK(levels[0] == N / 3 && levels[1] == N / 3 && levels[2] == N / 3);
  CHECK(moved > N / 2, "the factors' orders are independent: %d of %d differ", moved, N);
  dc_arena_destroy(arena);
}

// Means and deviations of 4000 numbers within four standard errors, and exact ones of a Latin hypercube nearly so.
static void test_distributions(void)
{
  enum { N = 4000 };
  struct dc_factor factors[] = {drawn, drawn, drawn};
  factors[1] =
      (struct dc_factor){.distribution = DC_DRAW_NORMAL, .low = 5, .high = 2, .columns = 1, .names = first_names};
  factors[2] = (struct dc_factor){
      .distribution = DC_DRAW_LOG_UNIFORM, .low = 1e-4, .high = 1, .columns = 1, .names = second_names};
  for (int k = 0; k < 2; k++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_points points = {.sampling = k ? DC_SAMPLE_LATIN_HYPERCUBE : DC_SAMPLE_RANDOM,
                               .samples = N,
                               .seed = 1,
                               .factor_count = 3,
                               .factors = factors};
    CHECK(!dc_points_prepare(&points, arena, NULL));
    double mean[3] = {0}, square = 0;
    for (long i = 0; i < N; i++) {
      double normal = number(&points, i, 1);
      mean[0] += number(&points, i, 0) / N;
      mean[1] += normal / N;
      square += (normal - 5) * (normal - 5) / N;
      mean[2] += log10(number(&points, i, 2)) / N;
    }
    double errors = k ? 0.002 : 4 / sqrt(N);  // observed at most 2.1e-4 and 0.6 of it
    CHECK_NEAR(mean[0], 0.5, errors * 5 / sqrt(12));
    CHECK_NEAR(mean[1], 5, errors * 2);
    CHECK_NEAR(sqrt(square), 2, k ? 0.01 : 4 * 2 / sqrt(2 * N));
    CHECK_NEAR(mean[2], -2, errors * 4 / sqrt(12));
    dc_arena_destroy(arena);
  }
}

static void test_limits(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  struct dc_points points = {.samples = DC_MOST_POINTS, .factor_count = 1, .factors = &two};
  CHECK(dc_points_prepare(&points, arena, &error) == DC_BAD_INPUT, "%s", error.text);
  points.samples = DC_MOST_POINTS / 2;
  CHECK(dc_points_prepare(&points, arena, NULL) == DC_OK && points.count == DC_MOST_POINTS);
  points.factor_count = 0;
  points.samples = 1;
  CHECK(dc_points_prepare(&points, arena, NULL) == DC_OK && points.count == 1);
  dc_arena_destroy(arena);
}

TEST_MAIN
{
  static const struct test tests[] = {
      {"a grid has all combinations, the last factor fastest", test_grid},
      {"lists go on together", test_zip},
      {"values depend on seed, path and point alone", test_determinism},
      {"a Latin hypercube visits every stratum once", test_latin_hypercube},
      {"numbers have their distribution", test_distributions},
      {"there are not too many points", test_limits},
  };
  return run_tests(tests, sizeof tests / sizeof tests[0]);
}
