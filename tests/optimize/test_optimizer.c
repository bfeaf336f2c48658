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
  int stop_at;             // this call, counted from 1, answers DC_STOPPED, once
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
  if (function->stop_at && function->calls + 1 == function->stop_at) {
    function->stop_at = 0;
    return dc_fail(error, DC_STOPPED, "as asked");
  }
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
  CHECK(common->iterations == 400 && common->target == 0, "%s", type->name);
  common->iterations = iterations, common->target = target;
  if (type->propose) {
    struct dc_first_order_options *first_order = (void *)common;
    CHECK(first_order->learning_rate == 0.03, "%s", type->name);
    first_order->learning_rate = rate;
  }
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
  struct dc_problem problem = {.dimension = function->dimension, .context = function, .evaluate = evaluate};
  history.count = 0, history.dimension = function->dimension;
  return dc_minimize(type, options, &problem, x, observe, &history, result, error);
}

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

static void set_shared(void *options)
{
  const struct dc_option *table = dc_optimizer_adam.options;
  *(bool *)((char *)options + table[dc_option_find(table, "shared")].offset) = true;
}

// With a shared second moment the first step of a group has length learning_rate * sqrt(members) (bias correction makes
// it g / sqrt(mean g^2)) and the direction of the gradient; the next follow the formula.
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
      largest = fmax(largest, fabs(gradient[i]));
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

// A run that is interrupted again and again.
struct relay {
  const struct dc_optimizer_type *type;
  const void *options;
  struct function function;
  struct dc_problem problem;
  struct dc_minimization *minimization;
  struct dc_snapshot *snapshot;
};

// Hands the run over to a new minimization by a snapshot; what the old one was must not matter any more.
static void hand_over(struct relay *relay)
{
  const double elsewhere[MOST] = {9, 9, 9, 9};
  struct dc_error error = {0};
  dc_snapshot_clear(relay->snapshot);
  CHECK(dc_snapshot_put_reals(relay->snapshot, "other/x", 0, NULL) == DC_OK, "%s", relay->type->name);
  CHECK(dc_minimization_save(relay->minimization, "optimizer", relay->snapshot) == DC_OK, "%s", relay->type->name);
  dc_minimization_destroy(relay->minimization);
  relay->minimization = dc_minimization_create(relay->type, relay->options, &relay->problem, elsewhere);
  CHECK(dc_minimization_load(relay->minimization, "optimizer", relay->snapshot, &error) == DC_OK, "%s", error.text);
}

// Runs to the end.  hand_over_at: before this call of next (-1: never, -2: before every one); stop_at: also whenever
// this evaluation was stopped.
static enum dc_status run_relay(struct relay *relay, struct function function, const double *x, int hand_over_at,
                                int stop_at, struct log *log, struct dc_optimizer_result *result)
{
  struct dc_iterate iterate;
  bool done = false;
  enum dc_status status = DC_OK;
  relay->function = function;
  relay->function.stop_at = stop_at;
  relay->minimization = dc_minimization_create(relay->type, relay->options, &relay->problem, x);
  log->count = log->stop_at = 0, log->dimension = function.dimension;
  for (int call = 0; !status && !done; call++) {
    if (call == hand_over_at || hand_over_at == -2)
      hand_over(relay);
    status = dc_minimization_next(relay->minimization, &iterate, &done, NULL);
    if (status == DC_STOPPED) {
      hand_over(relay);
      status = dc_minimization_next(relay->minimization, &iterate, &done, NULL);
    }
    if (!status && !done)
      observe(log, &iterate);
  }
  *result = *dc_minimization_result(relay->minimization);
  for (int i = 0; i < function.dimension && log->count; i++)
    CHECK(dc_minimization_best(relay->minimization)[i] == log->seen[result->best_iteration].x[i], "best");
  dc_minimization_destroy(relay->minimization);
  return status;
}

static bool same_logs(const struct log *a, const struct log *b)
{
  bool same = a->count == b->count;
  for (int k = 0; k < a->count && same; k++) {
    same = a->seen[k].iteration == b->seen[k].iteration && a->seen[k].backed_off == b->seen[k].backed_off &&
           a->seen[k].best == b->seen[k].best;
    same = same && memcmp(&a->seen[k].value, &b->seen[k].value, sizeof a->seen[k].value) == 0 &&
           memcmp(&a->seen[k].norm, &b->seen[k].norm, sizeof a->seen[k].norm) == 0 &&
           memcmp(a->seen[k].x, b->seen[k].x, sizeof(double) * (size_t)a->dimension) == 0;
  }
  return same;
}

static bool same_results(const struct dc_optimizer_result *a, const struct dc_optimizer_result *b)
{
  return a->iterations == b->iterations && a->first_value == b->first_value && a->best_value == b->best_value &&
         a->best_iteration == b->best_iteration && a->infeasible == b->infeasible && a->failed == b->failed &&
         a->blocked == b->blocked;
}

// One run straight, then handed over at every call of next and stopped in every evaluation.
static enum dc_status check_hand_overs(const char *what, struct relay *relay, struct function function, const double *x,
                                       struct dc_optimizer_result *straight_result)
{
  static struct log straight, handed;
  struct dc_optimizer_result result;
  enum dc_status expected = run_relay(relay, function, x, -1, 0, &straight, straight_result);
  int calls = relay->function.calls;
  CHECK(straight.count == straight_result->iterations + 1, "%s: %d", what, straight.count);
  for (int at = -2; at <= straight.count; at++) {
    CHECK(run_relay(relay, function, x, at, 0, &handed, &result) == expected, "%s, call %d", what, at);
    CHECK(same_logs(&straight, &handed) && same_results(straight_result, &result), "%s, call %d", what, at);
    CHECK(relay->function.calls == calls, "%s, call %d: as many evaluations", what, at);
  }
  for (int call = 1; call <= calls; call++) {
    CHECK(run_relay(relay, function, x, -1, call, &handed, &result) == expected, "%s, evaluation %d", what, call);
    CHECK(same_logs(&straight, &handed) && same_results(straight_result, &result), "%s, evaluation %d", what, call);
    CHECK(relay->function.calls == calls && !relay->function.stop_at, "%s, evaluation %d", what, call);
  }
  return expected;
}

static void test_snapshots(void)
{
  static const int groups[3] = {0, 1, 0};
  arena = dc_arena_create();
  struct dc_optimizer_result result;
  for (int k = 0; k < 4; k++) {  // adam, gradient descent, adam with a shared moment, and with that but without groups
    const struct dc_optimizer_type *type = dc_optimizer_types[k % 2 && k < 2];
    struct relay relay = {.type = type, .snapshot = dc_snapshot_create()};
    relay.problem = (struct dc_problem){.dimension = 3, .context = &relay.function, .evaluate = evaluate};
    if (k == 2)
      relay.problem.group = groups, relay.problem.group_count = 2;
    double x[3] = {2, -1, 4};
    struct dc_first_order_options *options = make_options(type, 0.05, 30, -INFINITY);
    if (k >= 2)
      set_shared(options);
    relay.options = options;
    CHECK(check_hand_overs("smooth", &relay, make(quadratic, 3), x, &result) == DC_OK, "%d", k);
    CHECK(result.iterations == 30 && result.infeasible == 0, "%d", result.iterations);

    relay.problem.dimension = 2;
    options->learning_rate = k == 1 ? 1e-3 : 0.05;
    struct function function = make(rosenbrock, 2);
    function.wall = k == 1 ? -0.99 : -0.9;  // the valley leads through it
    double y[2] = {-1, 1};
    CHECK(check_hand_overs("along a wall", &relay, function, y, &result) == DC_OK, "%d", k);
    CHECK(result.iterations >= 10 && result.infeasible >= 5, "%d, %d", result.iterations, result.infeasible);

    function.fail_from = 7, function.fail_to = 11;
    CHECK(check_hand_overs("failing for a while", &relay, function, y, &result) == DC_OK, "%d", k);
    CHECK(result.iterations >= 10 && result.failed == 4, "%d, %d", result.iterations, result.failed);
    function.fail_to = 1000;
    CHECK(check_hand_overs("failing for good", &relay, function, y, &result) == DC_NUMERICAL, "%d", k);
    CHECK(result.iterations > 0 && result.failed == 5, "%d", result.failed);

    relay.problem.dimension = 1;
    function = make(slope, 1);
    function.wall = x[0] = 0.3;
    CHECK(check_hand_overs("blocked", &relay, function, x, &result) == DC_OK, "%d", k);
    CHECK(result.blocked && result.infeasible == 5, "%d", result.infeasible);
    dc_snapshot_destroy(relay.snapshot);
  }
  dc_arena_destroy(arena);
}

static size_t count_of(const struct dc_snapshot *snapshot, const char *name)
{
  struct dc_snapshot_entry entry;
  for (size_t i = 0; dc_snapshot_entry(snapshot, i, &entry); i++)
    if (strcmp(entry.name, name) == 0)
      return entry.count;
  return 0;
}

static void test_snapshot_refusals(void)
{
  arena = dc_arena_create();
  struct function function = make(quadratic, 3);
  struct dc_problem problem = {.dimension = 3, .context = &function, .evaluate = evaluate};
  const double x[3] = {2, -1, 4};
  const struct dc_optimizer_type *adam = &dc_optimizer_adam, *descent = &dc_optimizer_gradient_descent;
  struct dc_minimization *from = dc_minimization_create(adam, make_options(adam, 0.1, 9, 0), &problem, x);
  struct dc_snapshot *snapshot = dc_snapshot_create();
  struct dc_error error = {0};
  struct dc_iterate iterate;
  bool done;
  for (int k = 0; k < 3; k++)
    CHECK(dc_minimization_next(from, &iterate, &done, NULL) == DC_OK && !done, "%d", k);
  CHECK(dc_minimization_save(from, "a/", snapshot) == DC_OK && count_of(snapshot, "a/best") == 3, "a slash");
  CHECK(dc_minimization_save(from, "a", snapshot) == DC_USAGE, "the same names again");

  struct dc_minimization *into = dc_minimization_create(adam, make_options(adam, 0.1, 9, 0), &problem, x);
  CHECK(dc_minimization_load(into, "b", snapshot, &error) == DC_CHECKPOINT, "no such names");
  CHECK(strcmp(error.text, "b/integers: is not in the snapshot") == 0, "%s", error.text);
  dc_minimization_destroy(into);
  into = dc_minimization_create(descent, make_options(descent, 0.1, 9, 0), &problem, x);
  CHECK(dc_minimization_load(into, "a", snapshot, &error) == DC_CHECKPOINT, "another optimizer");
  CHECK(strcmp(error.text, "a/integers: is not of the optimizer \"gradient_descent\"") == 0, "%s", error.text);
  dc_minimization_destroy(into);
  void *options = make_options(adam, 0.1, 9, 0);
  set_shared(options);
  static const int groups[3] = {0, 0, 0};
  struct dc_problem grouped = problem;
  grouped.group = groups, grouped.group_count = 1;
  into = dc_minimization_create(adam, options, &grouped, x);
  CHECK(dc_minimization_load(into, "a", snapshot, &error) == DC_CHECKPOINT, "another state");
  CHECK(strncmp(error.text, "a/state: must hold 7 numbers", 28) == 0, "%s", error.text);
  // what could not be loaded changed nothing
  CHECK(memcmp(dc_minimization_current(into), x, sizeof x) == 0, "as before");
  CHECK(dc_minimization_next(into, &iterate, &done, NULL) == DC_OK && iterate.iteration == 0, "as before");
  dc_minimization_destroy(into);

  // numbers that cannot be
  long integers[64];
  size_t count = count_of(snapshot, "a/integers");
  CHECK(count > 0 && count < 64, "%zu", count);
  into = dc_minimization_create(adam, make_options(adam, 0.1, 9, 0), &problem, x);
  for (size_t i = 0; i < count && count < 64; i++) {
    struct dc_snapshot *bad = dc_snapshot_create();
    CHECK(dc_snapshot_get_integers(snapshot, "a/integers", count, integers, NULL) == DC_OK, "integers");
    integers[i] = 1L << 40;
    CHECK(dc_snapshot_put_integers(bad, "a/integers", count, integers) == DC_OK, "%zu", i);
    CHECK(dc_minimization_load(into, "a", bad, &error) == DC_CHECKPOINT, "%zu", i);
    CHECK(strncmp(error.text, "a/integers: ", 12) == 0, "%s", error.text);
    dc_snapshot_destroy(bad);
  }
  dc_minimization_destroy(into);
  dc_minimization_destroy(from);
  dc_minimization_destroy(NULL);
  dc_snapshot_destroy(snapshot);
  dc_arena_destroy(arena);
}

RUN_TESTS({"minima are found", test_minima}, {"the scale of the loss does not matter", test_scale},
          {"Adam step by step", test_adam_formula}, {"a shared second moment keeps the direction", test_shared_moment},
          {"infeasible points are backed off", test_infeasible}, {"failed evaluations", test_failed_evaluations},
          {"the best iterate is kept", test_best_is_kept}, {"how a minimization ends", test_ends},
          {"snapshots go on bit for bit", test_snapshots},
          {"snapshots of something else are refused", test_snapshot_refusals})
