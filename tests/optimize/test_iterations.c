// SPDX-License-Identifier: Apache-2.0
// Optimizers that do whole iterations with derivatives (lbfgs, gauss_newton, adam's polish) on problems with known
// minima, within bounds, beside infeasible points, and interrupted anywhere.
#include "optimize/iterations_fixture.h"

static void test_minima(void)
{
  static const struct dc_optimizer_type *const types[] = {&dc_lbfgs, &dc_gauss_newton};
  arena = dc_arena_create();
  struct dc_optimizer_result result;
  struct function f;
  for (int k = 0; k < 2; k++) {
    set_up(&f, rosenbrock, 2, 2);
    double x[2] = {-1.2, 1};
    CHECK(run(types[k], defaults(types[k], 300, 1e-12), &f, x, &result) == DC_OK, "%s", error.text);
    // 37 and 14 iterations observed
    CHECK(result.best_value <= 1e-12 && result.iterations < (k ? 25 : 60), "%s: %g after %d", types[k]->name,
          result.best_value, result.iterations);
    CHECK_NEAR(x[0], 1, 1e-5);
    CHECK(history.count == result.iterations + 1, "%d", history.count);
    CHECK_NEAR(result.first_value, 24.2, 1e-14);  // 4e-15 observed

    set_up(&f, points, 4, 4);
    f.size = 2, f.weight = 3;
    double y[4] = {0, 0, 0.1, 0};
    CHECK(run(types[k], defaults(types[k], 100, 1e-14), &f, y, &result) == DC_OK, "%s", error.text);
    CHECK(result.best_value <= 1e-14 && result.iterations < 40, "%s: %g after %d", types[k]->name, result.best_value,
          result.iterations);
  }
  dc_arena_destroy(arena);
}

static void test_bounds(void)
{
  static const struct dc_optimizer_type *const types[] = {&dc_lbfgs, &dc_gauss_newton, &dc_optimizer_adam,
                                                          &dc_optimizer_gradient_descent};
  arena = dc_arena_create();
  for (int k = 0; k < 4; k++) {
    struct dc_optimizer_result result;
    struct function f;
    set_up(&f, bowl, 3, 3);
    f.high[0] = 1, f.low[1] = 4;
    double x[3] = {5, 0, 1};  // outside: begins at (1, 4, 1)
    CHECK(run(types[k], defaults(types[k], 900, -INFINITY), &f, x, &result) == DC_OK, "%s", error.text);
    CHECK(result.first_value == 4 + 1 + 9, "%g", result.first_value);
    CHECK(x[0] == 1 && x[1] == 4, "%s: %.17g %.17g", types[k]->name, x[0], x[1]);
    CHECK_NEAR(x[2], 2.5, 1e-4);  // 4e-5 observed (adam)
    CHECK(types[k]->propose || result.iterations < 60, "%s ends by itself: %d", types[k]->name, result.iterations);
  }
  dc_arena_destroy(arena);
}

// What lies beyond a wall cannot be evaluated; the minimum (1, 1) of the function does.
static void test_wall(void)
{
  static const struct dc_optimizer_type *const types[] = {&dc_lbfgs, &dc_gauss_newton, &dc_cem, &dc_mppi};
  arena = dc_arena_create();
  for (int k = 0; k < 4; k++) {
    struct dc_optimizer_result result;
    struct function f;
    set_up(&f, rosenbrock, 2, 2);
    f.wall = -0.5;
    double x[2] = {-1.2, 1};
    CHECK(run(types[k], defaults(types[k], 200, 0), &f, x, &result) == DC_OK, "%s: %s", types[k]->name, error.text);
    CHECK(result.infeasible > 0 && result.best_value < 4 && x[0] <= f.wall, "%s: %d %g", types[k]->name,
          result.infeasible, result.best_value);
    f.wall = -2;
    x[0] = -1.2;
    CHECK(run(types[k], defaults(types[k], 200, 0), &f, x, &result) == DC_INFEASIBLE, "%s", types[k]->name);
  }
  dc_arena_destroy(arena);
}

// Steps of the edge model end where the discs begin, those of the centre in the middle; neither needs more than the
// goal.
static void test_models(void)
{
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  arena = dc_arena_create();
  double end[2][2];
  for (int model = 0; model < 2; model++) {
    struct function f;
    struct dc_optimizer_result result;
    set_up(&f, points, 4, 4);
    f.size = 2, f.radius = 0.1;
    double x[4] = {0, 0, 0.1, 0}, d[4], jacobian[4][MOST] = {{0}};
    void *options = defaults(type, 40, 0);
    *(int *)value_at(type, options, "model") = model;
    CHECK(run(type, options, &f, x, &result) == DC_OK && result.best_value == 0, "%d: %g", model, result.best_value);
    CHECK(result.iterations <= 15, "%d", result.iterations);  // 5 and 5 observed
    points(x, d, jacobian);
    for (int k = 0; k < 2; k++)
      end[model][k] = hypot(d[2 * k], d[2 * k + 1]);
  }
  CHECK(end[0][0] > 0.07 && end[0][0] <= 0.1 && end[0][1] > 0.07 && end[0][1] <= 0.1, "%g %g", end[0][0], end[0][1]);
  CHECK(fmin(end[1][0], end[1][1]) < 0.07, "%g %g", end[1][0], end[1][1]);
  dc_arena_destroy(arena);
}

// One step of length radius of the linear least squares: |p|_M = 0.05 along the damped direction.
static void test_first_step(void)
{
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  static double one = 1;
  arena = dc_arena_create();
  for (int metric = 0; metric < 2; metric++) {
    struct function f;
    set_up(&f, bowl, 3, 3);
    double x[3] = {0, 0, 0};
    void *options = defaults(type, 1, 0);
    *(int *)value_at(type, options, "metric") = metric;
    *(double *)value_at(type, options, "radius") = 0.05;
    *(struct dc_real_list *)value_at(type, options, "radii") = (struct dc_real_list){1, &one};
    CHECK(run(type, options, &f, x, NULL) == DC_OK && history.count == 2, "%s", error.text);
    // columns of norms sqrt(2), sqrt(2), 2
    double scale = metric ? 1 : sqrt(0.5), residual[3], jacobian[3][MOST] = {{0}}, ratio[3];
    CHECK_NEAR(sqrt(scale * (x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]), 0.05, 1e-12);  // 7e-18 observed
    // what is left of the normal equations is -lambda M p
    bowl(x, residual, jacobian);
    for (int i = 0; i < 3; i++) {
      ratio[i] = 0;
      for (int r = 0; r < 3; r++)
        ratio[i] -= jacobian[r][i] * residual[r] / ((i < 2 ? scale : 1) * x[i]);
    }
    CHECK(ratio[0] > 0, "%g", ratio[0]);
    CHECK_NEAR(ratio[1] / ratio[0], 1, 1e-9);  // 2e-16, 3e-13 observed
    CHECK_NEAR(ratio[2] / ratio[0], 1, 1e-9);
  }
  dc_arena_destroy(arena);
}

// Where the first candidate lowers the value enough the others are not tried; where it does not they are.
static void test_sufficient(void)
{
  static double radii[] = {1, 0.5, 0.25};
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  arena = dc_arena_create();
  for (int sufficient = 0; sufficient < 2; sufficient++)
    for (int steep = 0; steep < 2; steep++) {
      struct function f;
      struct dc_optimizer_result result;
      set_up(&f, bowl, 3, 3);
      double x[3] = {0, 0, 0};
      void *options = defaults(type, 1, 0);
      *(struct dc_real_list *)value_at(type, options, "radii") = (struct dc_real_list){3, radii};
      *(double *)value_at(type, options, "radius") = steep ? 1 : 0.05;
      *(double *)value_at(type, options, "sufficient") = sufficient ? 0.7 : 0;
      CHECK(run(type, options, &f, x, &result) == DC_OK && history.count == 2, "%s", error.text);
      bool enough = history.seen[1][0] <= 0.7 * history.seen[0][0];
      CHECK(enough == steep, "%g of %g", history.seen[1][0], history.seen[0][0]);
      CHECK(result.evaluations == (sufficient && steep ? 2 : 4), "%d", result.evaluations);
    }
  dc_arena_destroy(arena);
}

// Monotone fans never go up; others do, on a function with ripples, and keep the best.
static void ripples(const double *x, double *d, double (*jacobian)[MOST])
{
  d[0] = x[0] + 0.4 * sin(9 * x[0]), d[1] = x[1] + 0.4 * sin(7 * x[1] + x[0]);
  jacobian[0][0] = 1 + 3.6 * cos(9 * x[0]);
  jacobian[1][1] = 1 + 2.8 * cos(7 * x[1] + x[0]), jacobian[1][0] = 0.4 * cos(7 * x[1] + x[0]);
}

static void test_monotone(void)
{
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  arena = dc_arena_create();
  for (int monotone = 0; monotone < 2; monotone++) {
    struct function f;
    struct dc_optimizer_result result;
    set_up(&f, ripples, 2, 2);
    double x[2] = {4, -3}, d[2], jacobian[2][MOST], least = INFINITY;
    void *options = defaults(type, 60, 1e-12);
    *(bool *)value_at(type, options, "monotone") = monotone;
    *(double *)value_at(type, options, "least") = 0.2;
    CHECK(run(type, options, &f, x, &result) == DC_OK, "%s", error.text);
    int up = 0;
    for (int i = 0; i < history.count; i++) {
      up += i && history.seen[i][0] >= history.seen[i - 1][0];
      least = fmin(least, history.seen[i][0]);
    }
    CHECK(monotone ? up == 0 : up > 0, "%d", up);
    ripples(x, d, jacobian);
    CHECK(least == result.best_value && d[0] * d[0] + d[1] * d[1] == least, "%g", least);
  }
  dc_arena_destroy(arena);
}

static enum dc_status values(void *context, int *count, const double *xs, double enough, double *found,
                             enum dc_status *statuses, struct dc_error *e)
{
  struct function *f = context;
  (void)enough;                     // values behind the first that is enough do no harm
  for (int i = *count; i-- > 0;) {  // in any order
    statuses[i] = evaluate(context, xs + i * f->problem.dimension, &found[i], NULL, e);
    if (statuses[i] == DC_STOPPED)
      return DC_STOPPED;
  }
  return DC_OK;
}

// Where there is no Jacobian, the next best candidate is gone to; values side by side change nothing.
static void test_candidates(void)
{
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  arena = dc_arena_create();
  static struct log alone;
  for (int k = 0; k < 3; k++) {
    struct function f;
    struct dc_optimizer_result result;
    set_up(&f, rosenbrock, 2, 2);
    f.problem.values = k ? values : NULL;
    f.fail_jacobian = k == 2 ? 4 : 0;
    double x[2] = {-1.2, 1};
    CHECK(run(type, defaults(type, 100, 1e-10), &f, x, &result) == DC_OK && result.best_value <= 1e-10, "%g",
          result.best_value);
    CHECK(result.failed == (k == 2), "%d", result.failed);
    if (k == 0)
      alone = history;
    CHECK((alone.count == history.count &&
           memcmp(alone.seen, history.seen, sizeof alone.seen[0] * (size_t)alone.count) == 0) == (k < 2),
          "%d", k);
  }
  struct function f;
  set_up(&f, rosenbrock, 2, 2);
  f.problem.linearize = NULL;
  double x[2] = {0};
  CHECK(run(type, defaults(type, 1, 0), &f, x, NULL) == DC_BAD_INPUT && strstr(error.text, "Jacobian"), "%s",
        error.text);
  dc_arena_destroy(arena);
}

// Candidates behind the first that reaches the target are not evaluated, and that one is gone to.
static void test_enough(void)
{
  const struct dc_optimizer_type *type = &dc_gauss_newton;
  arena = dc_arena_create();
  for (int k = 0; k < 2; k++) {
    struct function f;
    struct dc_optimizer_result all, some;
    double x[2] = {-1.2, 1}, y[2] = {-1.2, 1};
    set_up(&f, rosenbrock, 2, 2);
    f.problem.values = k ? values : NULL;
    CHECK(run(type, defaults(type, 100, 1), &f, x, &some) == DC_OK, "%s", error.text);
    CHECK(run(type, defaults(type, some.iterations, -INFINITY), &f, y, &all) == DC_OK, "%s", error.text);
    printf("# %d of %d evaluations, %g and %g\n", some.evaluations, all.evaluations, some.best_value, all.best_value);
    CHECK(some.iterations == all.iterations && some.evaluations < all.evaluations, "%d", some.evaluations);
    CHECK(some.best_value <= 1 && some.best_value > all.best_value, "%g", some.best_value);
  }
  dc_arena_destroy(arena);
}

static void test_snapshots(void)
{
  static const struct dc_optimizer_type *const types[] = {&dc_lbfgs, &dc_gauss_newton, &dc_cem, &dc_mppi};
  arena = dc_arena_create();
  for (int k = 0; k < 4; k++)
    for (int wall = 0; wall < 2; wall++)
      check_parts(types[k], defaults(types[k], 40, 1e-14), wall);
  dc_arena_destroy(arena);
}

// Adam with polish: its own points are those without, iterations of Gauss-Newton come in between and get there.
static void test_polish(void)
{
  const struct dc_optimizer_type *type = &dc_optimizer_adam;
  static struct log plain;
  arena = dc_arena_create();
  for (int polish = 0; polish < 2; polish++) {
    struct function f;
    struct dc_optimizer_result result;
    set_up(&f, points, 4, 4);
    f.size = 2;
    double x[4] = {0.5, 0.5, 0.5, -0.5};
    void *options = defaults(type, 60, 1e-9);
    *(long *)value_at(type, options, "polish") = polish ? 7 : 0;
    ((struct dc_first_order_options *)options)->learning_rate = 0.05;
    CHECK(run(type, options, &f, x, &result) == DC_OK, "%s", error.text);
    CHECK(polish ? result.best_value <= 1e-9 && f.jacobians > 2 : result.best_value > 1e-9 && f.jacobians == 0,
          "%d: %g after %d", polish, result.best_value, result.iterations);
    if (!polish) {
      plain = history;
      continue;
    }
    // iterates 0 to 7 are Adam's, then come two of the fan, then Adam's 8th step
    CHECK(memcmp(history.seen, plain.seen, 8 * sizeof plain.seen[0]) == 0 && history.count > 11, "%d", history.count);
    CHECK(memcmp(history.seen[10], plain.seen[8], 2 * sizeof(double)) == 0, "goes on as if nothing had been");
    CHECK(history.seen[8][0] < history.seen[7][0] && history.seen[9][0] < history.seen[8][0], "%g %g",
          history.seen[8][0], history.seen[9][0]);
    check_parts(type, options, false);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"minima are found", test_minima}, {"bounds are kept", test_bounds},
          {"infeasible points are turned from", test_wall}, {"edge and centre of discs", test_models},
          {"the first step of a fan", test_first_step}, {"monotone or not", test_monotone},
          {"a step that is sufficient", test_sufficient}, {"candidates of a fan", test_candidates},
          {"the first candidate that is enough", test_enough}, {"interrupted anywhere", test_snapshots},
          {"Adam with polish", test_polish})
