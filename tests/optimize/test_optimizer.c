// SPDX-License-Identifier: Apache-2.0
// Optimizers on functions with known minima, and the rules of dc_minimize about failures, targets and observers.
#include "function_fixture.h"

static void test_minima(void)
{
  arena = dc_arena_create();
  for (int k = 0; dc_optimizer_types[k] && dc_optimizer_types[k]->propose; k++) {
    const struct dc_optimizer_type *type = dc_optimizer_types[k];
    CHECK(type->name && type->summary && type->reference, "%s", type->name);
    struct function function = make(quadratic, 3);
    struct dc_optimizer_result result;
    double x[3] = {2, -1, 4};
    const void *options = make_options(type, 0.1, 2000, 1e-10);
    CHECK(run(type, options, &function, x, &result, NULL) == DC_OK, "%s", type->name);
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(x[i], i, 1e-5);
    CHECK(result.best_value <= 1e-10 && result.iterations < 2000 && result.first_value == 4 + 2 * 4 + 3 * 4, "%s: %g",
          type->name, result.best_value);
    CHECK(result.iterations + 1 == function.calls && history.count == function.calls && result.failed == 0, "%s",
          type->name);

    function = make(rosenbrock, 2);
    double y[2] = {-1.2, 1};
    options = make_options(type, k ? 1e-3 : 0.05, 2000, 0);
    CHECK(run(type, options, &function, y, &result, NULL) == DC_OK, "%s", type->name);
    CHECK(result.best_value < 1e-1 && result.first_value > 24, "%s: %g", type->name, result.best_value);
    double gradient[2];
    CHECK(rosenbrock(y, gradient) == result.best_value, "x is the best iterate");
  }
  dc_arena_destroy(arena);
}

static void test_scale(void)
{
  arena = dc_arena_create();
  const struct dc_optimizer_type *type = &dc_optimizer_adam;
  const double scales[] = {1, 0x1p-100, 0x1p100, 0x1p-900, 0x1p900, 1e-30, 1e30};
  static struct log first;
  for (int k = 0; k < 7; k++) {
    struct function function = make(rosenbrock, 2);
    function.scale = scales[k];
    double x[2] = {-1.2, 1}, worst = 0;
    CHECK(run(type, make_options(type, 0.05, 300, 0), &function, x, NULL, NULL) == DC_OK, "%g", scales[k]);
    if (k == 0)
      first = history;
    CHECK(history.count == first.count, "%g", scales[k]);
    for (int i = 0; i < history.count; i++)
      for (int j = 0; j < 2; j++)
        worst = larger(worst, fabs(history.seen[i].x[j] - first.seen[i].x[j]));
    CHECK_NEAR(worst, 0, k < 5 ? 0 : 1e-12);  // powers of two bit for bit; 1e-30 and 1e30: 2e-15 observed
    CHECK_NEAR(history.seen[9].norm / scales[k] / first.seen[9].norm, 1, k < 5 ? 0 : 1e-12);
  }

  // normalized gradient descent makes steps of the given length at any scale
  type = &dc_optimizer_gradient_descent;
  for (int k = 0; k < 5; k++) {
    struct function function = make(quadratic, 3);
    function.scale = scales[k];
    double x[3] = {20, 20, 20};
    void *options = make_options(type, 0.25, 3, 0);
    *(bool *)((char *)options + type->options[dc_option_find(type->options, "normalize")].offset) = true;
    CHECK(run(type, options, &function, x, NULL, NULL) == DC_OK, "%g", scales[k]);
    for (int i = 1; i < 4; i++) {
      const double *a = history.seen[i - 1].x, *b = history.seen[i].x;
      CHECK_NEAR(hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]), 0.25, 1e-14);  // 1e-15 observed
    }
  }
  dc_arena_destroy(arena);
}

// Two steps of the formulas by hand.
static void test_adam_formula(void)
{
  arena = dc_arena_create();
  struct function function = make(quadratic, 3);
  double x[3] = {2, -1, 4}, expected[3] = {2, -1, 4}, m[3] = {0}, v[3] = {0}, gradient[3], largest = 0;
  void *options = make_options(&dc_optimizer_adam, 0.1, 2, 0);
  set_real(&dc_optimizer_adam, options, "betas", 0, 0.3);
  set_real(&dc_optimizer_adam, options, "betas", 1, 0.5);
  set_real(&dc_optimizer_adam, options, "epsilon", 0, 0.01);
  CHECK(run(&dc_optimizer_adam, options, &function, x, NULL, NULL) == DC_OK, "adam");
  for (int t = 1; t <= 2; t++) {
    quadratic(expected, gradient);
    for (int i = 0; i < 3; i++)
      largest = larger(largest, fabs(gradient[i]));
    for (int i = 0; i < 3; i++) {
      m[i] = 0.3 * m[i] + 0.7 * gradient[i];
      v[i] = 0.5 * v[i] + 0.5 * gradient[i] * gradient[i];
      expected[i] -= 0.1 * m[i] / (1 - pow(0.3, t)) / (sqrt(v[i] / (1 - pow(0.5, t))) + 0.01 * largest);
    }
  }
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(x[i], expected[i], 1e-15);  // 0 observed
  dc_arena_destroy(arena);
}
static void test_shared_moment(void)
{
  arena = dc_arena_create();
  static const int groups[3] = {1, 0, 1};
  const double sizes[2] = {1, 2};
  struct function function = make(quadratic, 3);
  struct dc_problem problem = {
      .dimension = 3, .context = &function, .evaluate = evaluate, .group = groups, .group_count = 2};
  void *options = make_options(&dc_optimizer_adam, 0.1, 3, 0);
  set_real(&dc_optimizer_adam, options, "betas", 0, 0.3);
  set_real(&dc_optimizer_adam, options, "betas", 1, 0.5);
  set_shared(options);
  double x[3] = {2, -1, 4}, expected[3] = {2, -1, 4}, m[3] = {0}, v[2] = {0}, gradient[3], largest = 0;
  history.count = 0, history.dimension = 3;
  CHECK(dc_minimize(&dc_optimizer_adam, options, &problem, x, observe, &history, NULL, NULL) == DC_OK, "adam");
  for (int t = 1; t <= 3; t++) {
    quadratic(expected, gradient);
    double square[2] = {0};
    for (int i = 0; i < 3; i++) {
      largest = larger(largest, fabs(gradient[i]));
      square[groups[i]] += gradient[i] * gradient[i];
    }
    for (int j = 0; j < 2; j++)
      v[j] = 0.5 * v[j] + 0.5 * square[j] / sizes[j];
    for (int i = 0; i < 3; i++) {
      m[i] = 0.3 * m[i] + 0.7 * gradient[i];
      expected[i] -= 0.1 * m[i] / (1 - pow(0.3, t)) / (sqrt(v[groups[i]] / (1 - pow(0.5, t))) + 1e-8 * largest);
      CHECK_NEAR(history.seen[t].x[i], expected[i], 1e-14);  // 4e-16 observed
    }
  }
  double start[3] = {2, -1, 4};
  quadratic(start, gradient);
  double dx = history.seen[1].x[0] - 2, dz = history.seen[1].x[2] - 4;
  CHECK_NEAR(hypot(dx, dz), 0.1 * sqrt(2), 1e-8);         // epsilon shortens it by 1e-9
  CHECK_NEAR(dx * gradient[2], dz * gradient[0], 1e-14);  // 0 observed: along the gradient
  CHECK(fabs(dx / dz) < 0.5, "not sign descent: %g", dx / dz);

  // without groups nothing is shared
  struct log plain;
  problem.group = NULL, problem.group_count = 0;
  double y[3] = {2, -1, 4}, z[3] = {2, -1, 4};
  history.count = 0;
  CHECK(dc_minimize(&dc_optimizer_adam, options, &problem, y, observe, &history, NULL, NULL) == DC_OK, "no groups");
  plain = history;
  CHECK(run(&dc_optimizer_adam, make_options(&dc_optimizer_adam, 0.1, 3, 0), &function, z, NULL, NULL) == DC_OK,
        "adam");
  CHECK(plain.seen[1].x[0] == history.seen[1].x[0], "the first step does not depend on the betas");
  dc_arena_destroy(arena);
}

static void test_infeasible(void)
{
  arena = dc_arena_create();
  const struct dc_optimizer_type *type = &dc_optimizer_gradient_descent;
  struct dc_optimizer_result result;
  struct dc_error error = {0};
  struct function function = make(slope, 1);
  function.wall = 0.3;
  double x[1] = {0};
  // steps of 1 towards the wall at 0.3: 1/4, then 1/32, ... are what fits
  CHECK(run(type, make_options(type, 1, 3, -INFINITY), &function, x, &result, &error) == DC_OK, "%s", error.text);
  CHECK(history.seen[1].x[0] == 0.25 && history.seen[1].backed_off == 2, "%g", history.seen[1].x[0]);
  CHECK(history.seen[2].x[0] == 0.28125 && history.seen[2].backed_off == 5, "%g", history.seen[2].x[0]);
  CHECK(result.infeasible == 3 && result.failed == 0 && x[0] <= 0.3 && result.iterations == 3, "%d", result.infeasible);

  // at the wall nothing fits: an end with the best point kept
  CHECK(run(type, make_options(type, 1, 1000, -INFINITY), &function, x, &result, &error) == DC_OK, "stuck");
  CHECK(result.blocked && x[0] <= 0.3 && x[0] > 0.3 - 1e-5, "%g", x[0]);

  // with a second variable the search slides along the wall to that one's minimum
  struct function valley = make(rosenbrock, 2);
  valley.wall = 0.3;
  double y[2] = {0.2, 0.6};
  CHECK(run(type, make_options(type, 2e-3, 2000, -INFINITY), &valley, y, &result, &error) == DC_OK, "%s", error.text);
  CHECK(y[0] <= 0.3 && y[0] > 0.29 && fabs(y[1] - y[0] * y[0]) < 1e-3, "%g %g", y[0], y[1]);

  x[0] = 1;
  CHECK(run(type, make_options(type, 1, 3, 0), &function, x, &result, &error) == DC_INFEASIBLE, "first guess");
  CHECK(x[0] == 1 && history.count == 0 && strcmp(error.text, "beyond the wall") == 0, "%s", error.text);
  dc_arena_destroy(arena);
}

static void test_failed_evaluations(void)
{
  arena = dc_arena_create();
  const struct dc_optimizer_type *type = &dc_optimizer_gradient_descent;
  const double bad[] = {0, NAN, INFINITY};
  for (int k = 0; k < 3; k++) {
    struct dc_optimizer_result result;
    struct dc_error error = {0};
    struct function function = make(slope, 1);
    function.bad_value = bad[k];
    function.fail_from = 2, function.fail_to = 6;  // four in a row: the step is a sixteenth
    double x[1] = {0};
    CHECK(run(type, make_options(type, 1, 3, -INFINITY), &function, x, &result, &error) == DC_OK, "%s", error.text);
    CHECK(history.seen[1].x[0] == 1 && history.seen[2].x[0] == 1.0625 && x[0] == 2.0625, "%g", x[0]);
    CHECK(result.failed == 4 && result.iterations == 3 && history.seen[2].backed_off == 0, "%d", result.failed);

    function.calls = 0, function.fail_to = 100, x[0] = 0;
    CHECK(run(type, make_options(type, 1, 3, -INFINITY), &function, x, &result, &error) == DC_NUMERICAL, "five");
    CHECK(result.failed == 5 && function.calls == 7 && x[0] == 1 && history.count == 2, "%d", function.calls);
    CHECK(strncmp(error.text, "5 evaluations failed in a row: ", 31) == 0, "%s", error.text);

    function.calls = 0, function.fail_from = 0;
    CHECK(run(type, make_options(type, 1, 3, 0), &function, x, &result, &error) == DC_NUMERICAL, "first guess");
    CHECK(result.failed == 1 && x[0] == 1, "%g", x[0]);
  }
  dc_arena_destroy(arena);
}

static void test_best_is_kept(void)
{
  arena = dc_arena_create();
  // a rate beyond 2 / curvature oscillates outwards
  const struct dc_optimizer_type *type = &dc_optimizer_gradient_descent;
  struct dc_optimizer_result result;
  struct function function = make(quadratic, 3);
  double x[3] = {1, 1, 2.001}, gradient[3];
  CHECK(run(type, make_options(type, 0.35, 60, 0), &function, x, &result, NULL) == DC_OK, "diverging");
  CHECK(history.seen[60].value > 1e3 * result.best_value && result.best_iteration > 0, "%d", result.best_iteration);
  double best = INFINITY;
  for (int i = 0; i <= 60; i++) {
    CHECK(history.seen[i].best == (history.seen[i].value < best) && history.seen[i].iteration == i, "%d", i);
    best = fmin(best, history.seen[i].value);
  }
  CHECK(quadratic(x, gradient) == best && result.best_value == best, "%g", best);
  CHECK(history.seen[result.best_iteration].value == best, "%d", result.best_iteration);
  dc_arena_destroy(arena);
}

static void test_ends(void)
{
  arena = dc_arena_create();
  for (int k = 0; dc_optimizer_types[k] && dc_optimizer_types[k]->propose; k++) {
    const struct dc_optimizer_type *type = dc_optimizer_types[k];
    struct dc_optimizer_result result;
    struct dc_error error = {0};
    struct function function = make(quadratic, 3);
    double x[3] = {2, -1, 4};
    history.stop_at = 4;
    CHECK(run(type, make_options(type, 0.01, 100, 0), &function, x, &result, &error) == DC_STOPPED, "observer");
    CHECK(result.iterations == 3 && x[0] == history.seen[3].x[0], "%d", result.iterations);
    history.stop_at = 0;

    function = make(quadratic, 3);
    CHECK(run(type, make_options(type, 0.01, 0, 0), &function, x, &result, NULL) == DC_OK, "no iterations");
    CHECK(function.calls == 1 && result.iterations == 0 && result.best_value == result.first_value, "%d",
          function.calls);

    function = make(constant, 1);
    CHECK(run(type, make_options(type, 1, 100, 0), &function, x, &result, NULL) == DC_OK, "zero gradient");
    CHECK(function.calls == 1 && isfinite(x[0]), "%d", function.calls);

    struct dc_problem drawn = {.dimension = 1, .context = &function, .evaluate = evaluate, .drawn = true};
    function = make(constant, 1);
    void *few = make_options(type, 1, 5, 0);
    CHECK(dc_minimize(type, few, &drawn, x, NULL, NULL, &result, NULL) == DC_OK, "zero estimate");
    CHECK(function.calls == 6 && result.iterations == 5 && isfinite(x[0]), "%d", function.calls);

    function = make(nothing, 0);
    struct dc_problem problem = {.context = &function, .evaluate = evaluate};
    void *options = make_options(type, 1, 100, 0);
    CHECK(dc_minimize(type, options, &problem, NULL, NULL, NULL, &result, NULL) == DC_OK, "empty");
    CHECK(result.best_value == 3 && result.iterations == 0, "%g", result.best_value);

    function = make(slope, 1);  // overflows
    x[0] = 0;
    options = make_options(type, 1e9, 100, -INFINITY);
    function.scale = k ? 1e305 : 1;
    enum dc_status status = run(type, options, &function, x, &result, &error);
    CHECK(isfinite(x[0]) && (status == DC_OK || status == DC_NUMERICAL), "%d %g", (int)status, x[0]);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"minima are found", test_minima}, {"the scale of the loss does not matter", test_scale},
          {"Adam step by step", test_adam_formula}, {"a shared second moment keeps the direction", test_shared_moment},
          {"infeasible points are backed off", test_infeasible}, {"failed evaluations", test_failed_evaluations},
          {"the best iterate is kept", test_best_is_kept}, {"how a minimization ends", test_ends})
