// SPDX-License-Identifier: Apache-2.0
// Optimizers on functions with known minima, and the rules of dc_minimize about failures, targets and observers.
#include "harness.h"

#include "optimize/optimizer.h"

enum { MOST = 4 };

// A function of up to MOST variables that can fail on purpose.
struct function {
  double (*value)(const double *x, double *gradient);
  int dimension;
  double scale;            // of the value and gradient
  double wall;             // x[0] > wall is infeasible
  int fail_from, fail_to;  // calls that answer DC_NUMERICAL
  double bad_value;        // not 0: answered with DC_OK in those calls instead
  int calls;
};

static double quadratic(const double *x, double *gradient)
{
  double value = 0;
  for (int i = 0; i < 3; i++) {
    gradient[i] = 2 * (i + 1) * (x[i] - i);
    value += (i + 1) * (x[i] - i) * (x[i] - i);
  }
  return value;
}

static double rosenbrock(const double *x, double *gradient)
{
  double valley = x[1] - x[0] * x[0];
  gradient[0] = -400 * x[0] * valley - 2 * (1 - x[0]);
  gradient[1] = 200 * valley;
  return 100 * valley * valley + (1 - x[0]) * (1 - x[0]);
}

static double slope(const double *x, double *gradient)
{
  gradient[0] = -1;
  return -x[0];
}

static double constant(const double *x, double *gradient)
{
  (void)x;
  gradient[0] = 0;
  return 1;
}

static double nothing(const double *x, double *gradient)
{
  (void)x, (void)gradient;
  return 3;
}

static enum dc_status evaluate(void *context, const double *x, double *value, double *gradient, struct dc_error *error)
{
  struct function *function = context;
  int call = function->calls++;
  if (function->dimension && x[0] > function->wall)
    return dc_fail(error, DC_INFEASIBLE, "beyond the wall");
  bool fail = call >= function->fail_from && call < function->fail_to;
  if (fail && function->bad_value == 0)
    return dc_fail(error, DC_NUMERICAL, "as asked");
  *value = function->scale * function->value(x, gradient);
  for (int i = 0; i < function->dimension; i++)
    gradient[i] *= function->scale;
  if (fail)
    *value = function->bad_value;
  return DC_OK;
}

static struct function make(double (*value)(const double *, double *), int dimension)
{
  return (struct function){.value = value, .dimension = dimension, .scale = 1, .wall = INFINITY};
}

// Everything an observer saw.
enum { MOST_SEEN = 4001 };
struct log {
  int count, stop_at;
  struct {
    int iteration, backed_off;
    double value, norm, x[MOST];
    bool best;
  } seen[MOST_SEEN];
  int dimension;
};
static struct log history;

static bool observe(void *context, const struct dc_iterate *iterate)
{
  struct log *log = context;
  int k = log->count++;
  log->seen[k].iteration = iterate->iteration;
  log->seen[k].backed_off = iterate->backed_off;
  log->seen[k].value = iterate->value;
  log->seen[k].norm = iterate->gradient_norm;
  log->seen[k].best = iterate->best;
  for (int i = 0; i < log->dimension; i++)
    log->seen[k].x[i] = iterate->x[i];
  return log->stop_at == 0 || log->count < log->stop_at;
}

static struct dc_arena *arena;

// Options of a type with defaults, then rate, iterations and target.
static void *make_options(const struct dc_optimizer_type *type, double rate, long iterations, double target)
{
  struct dc_optimizer_common *common = dc_arena_alloc(arena, 1, type->options_size);
  CHECK(dc_options_set_defaults(type->options, common, arena, NULL) == DC_OK, "%s", type->name);
  CHECK(common->iterations == 400 && common->target == 0 && common->learning_rate == 0.03, "%s", type->name);
  common->learning_rate = rate, common->iterations = iterations, common->target = target;
  return common;
}

// Sets the option of that name, a real or the first of several.
static void set_real(const struct dc_optimizer_type *type, void *options, const char *name, int index, double value)
{
  ((double *)((char *)options + type->options[dc_option_find(type->options, name)].offset))[index] = value;
}

static enum dc_status run(const struct dc_optimizer_type *type, const void *options, struct function *function,
                          double *x, struct dc_optimizer_result *result, struct dc_error *error)
{
  struct dc_problem problem = {function->dimension, function, evaluate};
  history.count = 0, history.dimension = function->dimension;
  return dc_minimize(type, options, &problem, x, observe, &history, result, error);
}

static void test_minima(void)
{
  arena = dc_arena_create();
  for (int k = 0; dc_optimizer_types[k]; k++) {
    const struct dc_optimizer_type *type = dc_optimizer_types[k];
    CHECK(dc_optimizer_find(type->name) == type && type->summary && type->reference, "%s", type->name);
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
  CHECK(dc_optimizer_find("newton") == NULL, "no such optimizer");
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
        worst = fmax(worst, fabs(history.seen[i].x[j] - first.seen[i].x[j]));
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
      largest = fmax(largest, fabs(gradient[i]));
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
  for (int k = 0; dc_optimizer_types[k]; k++) {
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

    function = make(nothing, 0);
    struct dc_problem problem = {0, &function, evaluate};
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
          {"Adam step by step", test_adam_formula}, {"infeasible points are backed off", test_infeasible},
          {"failed evaluations", test_failed_evaluations}, {"the best iterate is kept", test_best_is_kept},
          {"how a minimization ends", test_ends})
