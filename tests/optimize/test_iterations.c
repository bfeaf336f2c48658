// SPDX-License-Identifier: Apache-2.0
// Optimizers that do whole iterations (lbfgs, gauss_newton, nlopt, cem, mppi, adam's polish) on problems with known minima, within
// bounds, beside infeasible points, and interrupted anywhere.
#include "harness.h"

#include <omp.h>

#include "base/threads.h"
#include "optimize/nlopt.h"
#include "optimize/optimizer.h"

enum { MOST = 8, MOST_ROWS = 24, MOST_SEEN = 1000 };

// A problem of rows d(x), value sum over groups of weight max(|d|^2 - radius^2, 0), that can fail on purpose.
struct function {
  struct dc_problem problem;
  void (*rows)(const double *x, double *d, double (*jacobian)[MOST]);
  double low[MOST], high[MOST], weight, radius;
  int size;     // rows of a group
  double wall;  // x[0] > wall is infeasible
  int stop_at;  // this evaluation, counted from 1, answers DC_STOPPED, once
  int calls, jacobians, fail_jacobian;
};

static double value_of(const struct function *f, const double *d)
{
  double value = 0;
  for (int r = 0; r < f->problem.row_count; r += f->size) {
    double square = 0;
    for (int i = r; i < r + f->size; i++)
      square += d[i] * d[i];
    value += f->weight * fmax(square - f->radius * f->radius, 0);
  }
  return value;
}

static enum dc_status enter(struct function *f, const double *x, struct dc_error *error)
{
  for (int i = 0; i < f->problem.dimension; i++)
    CHECK(x[i] >= f->low[i] && x[i] <= f->high[i], "%d: %g is out of bounds", i, x[i]);
  if (f->stop_at && ++f->calls == f->stop_at) {
    f->stop_at = 0;
    return dc_fail(error, DC_STOPPED, "as asked");
  }
  return x[0] > f->wall ? dc_fail(error, DC_INFEASIBLE, "beyond the wall") : DC_OK;
}

static enum dc_status evaluate(void *context, const double *x, double *value, double *gradient, struct dc_error *error)
{
  struct function *f = context;
  double d[MOST_ROWS], jacobian[MOST_ROWS][MOST] = {{0}};
  enum dc_status status = enter(f, x, error);
  if (status)
    return status;
  f->rows(x, d, jacobian);
  *value = value_of(f, d);
  for (int i = 0; i < f->problem.dimension && gradient; i++)
    gradient[i] = 0;
  for (int r = 0; r < f->problem.row_count && gradient; r++) {
    double square = 0;
    for (int k = r - r % f->size; k < r - r % f->size + f->size; k++)
      square += d[k] * d[k];
    for (int i = 0; i < f->problem.dimension && square > f->radius * f->radius; i++)
      gradient[i] += 2 * f->weight * d[r] * jacobian[r][i];
  }
  return DC_OK;
}

static enum dc_status linearize(void *context, const double *x, const struct dc_draw *draw, struct dc_rows *rows,
                                struct dc_error *error)
{
  struct function *f = context;
  double jacobian[MOST_ROWS][MOST] = {{0}};
  enum dc_status status = enter(f, x, error);
  if (status)
    return status;
  if (++f->jacobians == f->fail_jacobian)
    return dc_fail(error, DC_NUMERICAL, "as asked");
  CHECK(draw->trust == 1, "%g", draw->trust);
  f->rows(x, rows->residual, jacobian);
  rows->value = value_of(f, rows->residual);
  for (int r = 0; r < f->problem.row_count; r++) {
    rows->weight[r] = f->weight;
    rows->group[r] = r / f->size;
    rows->radius[r] = f->radius;
    for (int i = 0; i < f->problem.dimension; i++)
      rows->jacobian[r * f->problem.dimension + i] = jacobian[r][i];
  }
  return DC_OK;
}

static enum dc_status values(void *context, int *count, const double *xs, double enough, double *found,
                             enum dc_status *statuses, struct dc_error *error)
{
  struct function *f = context;
  (void)enough;                     // all may be told
  for (int i = *count; i-- > 0;) {  // in any order
    statuses[i] = evaluate(context, xs + i * f->problem.dimension, &found[i], NULL, error);
    if (statuses[i] == DC_STOPPED)
      return DC_STOPPED;
  }
  return DC_OK;
}

static void set_up(struct function *f, void (*rows)(const double *, double *, double (*)[MOST]), int n, int m)
{
  *f = (struct function){.rows = rows, .weight = 1, .size = 1, .wall = INFINITY};
  for (int i = 0; i < MOST; i++)
    f->low[i] = -INFINITY, f->high[i] = INFINITY;
  f->problem = (struct dc_problem){.dimension = n,
                                   .row_count = m,
                                   .context = f,
                                   .evaluate = evaluate,
                                   .linearize = linearize,
                                   .low = f->low,
                                   .high = f->high};
}

static void rosenbrock(const double *x, double *d, double (*jacobian)[MOST])
{
  d[0] = 10 * (x[1] - x[0] * x[0]), d[1] = 1 - x[0];
  jacobian[0][0] = -20 * x[0], jacobian[0][1] = 10, jacobian[1][0] = -1;
}

// Two points in the plane that x moves, by sines of it, towards (1, 0) and (0, 1).
static void points(const double *x, double *d, double (*jacobian)[MOST])
{
  for (int k = 0; k < 2; k++) {
    double a = x[2 * k], b = x[2 * k + 1];
    d[2 * k] = a + 0.3 * sin(3 * b) - (k == 0);
    d[2 * k + 1] = b + 0.3 * sin(2 * a) - (k == 1);
    jacobian[2 * k][2 * k] = 1, jacobian[2 * k][2 * k + 1] = 0.9 * cos(3 * b);
    jacobian[2 * k + 1][2 * k] = 0.6 * cos(2 * a), jacobian[2 * k + 1][2 * k + 1] = 1;
  }
}

// (x - 3)^2 + (y - 3)^2 + (x + y - 2 z)^2: with x <= 1, y >= 4 least, 5, at (1, 4, 2.5).
static void bowl(const double *x, double *d, double (*jacobian)[MOST])
{
  d[0] = x[0] - 3, d[1] = x[1] - 3, d[2] = x[0] + x[1] - 2 * x[2];
  jacobian[0][0] = jacobian[1][1] = jacobian[2][0] = jacobian[2][1] = 1, jacobian[2][2] = -2;
}

static struct log {
  int count;
  double seen[MOST_SEEN][MOST + 3];
} history;

static void note(struct log *log, const struct dc_iterate *iterate, int n)
{
  double *row = log->seen[log->count % MOST_SEEN];
  CHECK(iterate->iteration == log->count && log->count < MOST_SEEN, "%d", iterate->iteration);
  row[0] = iterate->value, row[1] = iterate->gradient_norm, row[2] = iterate->best + 2 * iterate->accepted;
  memcpy(row + 3, iterate->x, (size_t)n * sizeof *row);
  log->count++;
}

static bool observe(void *context, const struct dc_iterate *iterate)
{
  note(&history, iterate, *(int *)context);
  return true;
}

static struct dc_arena *arena;
static struct dc_error error;

static void *defaults(const struct dc_optimizer_type *type, long iterations, double target)
{
  struct dc_optimizer_common *options = dc_arena_alloc(arena, 1, type->options_size);
  CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
  options->iterations = iterations, options->target = target;
  return options;
}

static void *value_at(const struct dc_optimizer_type *type, void *options, const char *name)
{
  return (char *)options + type->options[dc_option_find(type->options, name)].offset;
}

static enum dc_status run(const struct dc_optimizer_type *type, const void *options, struct function *f, double *x,
                          struct dc_optimizer_result *result)
{
  history.count = 0;
  error = (struct dc_error){0};
  return dc_minimize(type, options, &f->problem, x, observe, &f->problem.dimension, result, &error);
}

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

// Steps of the edge model end where the discs begin, those of the centre in the middle; neither needs more than the goal.
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

// Runs to the end; interrupted: handed over to a new minimization before every call, and stopped once in the evaluation
// number stop_at.
static void run_in_parts(const struct dc_optimizer_type *type, const void *options, struct function *f, const double *x,
                         bool interrupted, struct log *log)
{
  const double elsewhere[MOST] = {0.5, -0.5};
  struct dc_minimization *run_of = dc_minimization_create(type, options, &f->problem, x);
  struct dc_iterate iterate;
  bool done = false;
  for (log->count = 0; !done;) {
    if (interrupted) {
      struct dc_snapshot *snapshot = dc_snapshot_create();
      CHECK(dc_minimization_save(run_of, "run", snapshot) == DC_OK, "%s", type->name);
      dc_minimization_destroy(run_of);
      run_of = dc_minimization_create(type, options, &f->problem, elsewhere);
      CHECK(dc_minimization_load(run_of, "run", snapshot, &error) == DC_OK, "%s: %s", type->name, error.text);
      dc_snapshot_destroy(snapshot);
    }
    enum dc_status status = dc_minimization_next(run_of, &iterate, &done, &error);
    CHECK(status == DC_OK || status == DC_STOPPED, "%s: %s", type->name, error.text);
    if (!status && !done)
      note(log, &iterate, f->problem.dimension);
  }
  dc_minimization_destroy(run_of);
}

static void check_parts(const struct dc_optimizer_type *type, const void *options, bool wall)
{
  static struct log straight, parts;
  const double x[2] = {-1.2, 1};
  struct function f;
  set_up(&f, rosenbrock, 2, 2);
  f.wall = wall ? 0.2 : INFINITY;
  f.low[1] = 0.1;
  run_in_parts(type, options, &f, x, false, &straight);
  CHECK(straight.count > 6, "%s: %d", type->name, straight.count);
  for (int stop_at = 1; stop_at < 60; stop_at += 2) {
    f.calls = 0, f.stop_at = stop_at;
    run_in_parts(type, options, &f, x, true, &parts);
    CHECK(f.stop_at == 0 || stop_at > 20, "%s: %d", type->name, stop_at);
    CHECK(parts.count == straight.count &&
              memcmp(parts.seen, straight.seen, sizeof parts.seen[0] * (size_t)parts.count) == 0,
          "%s: stopped at evaluation %d", type->name, stop_at);
  }
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

struct sides {
  struct function *f;
  const double *xs;
  double *found;
};

// Values of many points side by side, each a function of its point alone.
static void value_pass(void *context, int index, int thread)
{
  const struct sides *sides = context;
  (void)thread;
  evaluate(sides->f, sides->xs + index * sides->f->problem.dimension, &sides->found[index], NULL, NULL);
}

static enum dc_status values_on_threads(void *context, int *count, const double *xs, double enough, double *found,
                                        enum dc_status *statuses, struct dc_error *e)
{
  struct sides sides = {context, xs, found};
  (void)e, (void)enough;  // all may be told
  dc_loop_run(value_pass, &sides, *count, 0, NULL);
  memset(statuses, 0, (size_t)*count * sizeof *statuses);
  return DC_OK;
}

// Sampling optimizers come to the minimum without gradients, keep the bounds, and do not depend on threads.
static void test_sampling(void)
{
  static const struct dc_optimizer_type *const types[] = {&dc_cem, &dc_mppi, &dc_mppi};
  static struct log one;
  dc_loops_always_shared(true);
  arena = dc_arena_create();
  for (int k = 0; k < 3; k++) {
    struct dc_optimizer_result result;
    struct function f;
    void *options = defaults(types[k], 80, 1e-3);
    if (k)
      *(double *)value_at(types[k], options, "decay") = 0.9;
    if (k == 2)
      *(double *)value_at(types[k], options, "temperature") = 0;
    for (int threads = 1; threads <= 2; threads++) {
      omp_set_num_threads(threads);
      set_up(&f, points, 4, 4);
      f.problem.values = values_on_threads;
      double x[4] = {0, 0, 0.1, 0};
      CHECK(run(types[k], options, &f, x, &result) == DC_OK, "%s", error.text);
      CHECK(result.best_value <= 1e-3, "%s: %g after %d", types[k]->name, result.best_value, result.iterations);
      CHECK(result.evaluations >= 65 * result.iterations, "%d", result.evaluations);
      if (threads == 1)
        one = history;
      CHECK(one.count == history.count && memcmp(one.seen, history.seen, sizeof one.seen) == 0, "%s", types[k]->name);
    }
    set_up(&f, bowl, 3, 3);
    f.high[0] = 1, f.low[1] = 4;
    double y[3] = {5, 0, 1};
    CHECK(run(types[k], options, &f, y, &result) == DC_OK, "%s", error.text);
    CHECK(y[0] == 1 && y[1] == 4, "%s: %.17g %.17g", types[k]->name, y[0], y[1]);
    CHECK_NEAR(y[2], 2.5, 0.1);
  }
  dc_arena_destroy(arena);
  dc_loops_always_shared(false);
}

// With knots changes are straight lines over the groups; parameters that are no series are refused.
static void test_knots(void)
{
  int group[3] = {0, 1, 2};
  arena = dc_arena_create();
  struct dc_optimizer_result result;
  struct function f;
  void *options = defaults(&dc_mppi, 30, -INFINITY);
  *(long *)value_at(&dc_mppi, options, "knots") = 2;
  set_up(&f, bowl, 3, 3);
  f.problem.group = group, f.problem.group_count = 3;
  // lines cannot change a second difference; 14 at the start, 16/19 at best
  double x[3] = {0, 1, 0};
  CHECK(run(&dc_mppi, options, &f, x, &result) == DC_OK, "%s", error.text);
  CHECK_NEAR(x[0] - 2 * x[1] + x[2], -2, 1e-14);
  CHECK_NEAR(result.best_value, 16.0 / 19, 0.05);
  group[1] = 0;
  CHECK(run(&dc_mppi, options, &f, x, &result) == DC_BAD_INPUT, "%s", error.text);
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

// Every method comes near to the minimum, keeps the bounds, turns from what cannot be evaluated, and, cut into single
// iterations by its log, is the run that it is.
static void test_nlopt(void)
{
  const struct dc_optimizer_type *type = &dc_nlopt;
  const char *const *methods = type->options[dc_option_find(type->options, "method")].choices;
  arena = dc_arena_create();
  for (int k = 0; methods[k] && dc_nlopt_version(); k++) {
    for (int wall = 0; wall < 2; wall++) {
      struct function f;
      struct dc_optimizer_result result;
      set_up(&f, bowl, 3, 3);
      f.problem.seed = 3;
      for (int i = 0; i < 3; i++)
        f.low[i] = -6, f.high[i] = 6;
      f.high[0] = 1, f.low[1] = 4;
      f.wall = wall ? 0.5 : INFINITY;
      double x[3] = {0, 5, 1};
      void *options = defaults(type, methods[k][0] == 'G' ? 400 : 150, 1e-8);
      *(int *)value_at(type, options, "method") = k;
      CHECK(run(type, options, &f, x, &result) == DC_OK, "%s: %s", methods[k], error.text);
      // 5 is the least, 7.25 beside the wall, 22 the first; 10.1 (LD_MMA at the wall) and 8.9 (GN_ESCH) observed
      bool global = methods[k][0] == 'G';
      CHECK(result.best_value < (global ? 9.5
                                 : wall ? 11
                                        : 5.3),
            "%s: %g after %d", methods[k], result.best_value, result.iterations);
      CHECK(result.iterations > 3 && result.evaluations == result.iterations + 1 + result.infeasible, "%s: %d %d %d",
            methods[k], result.evaluations, result.iterations, result.infeasible);
      CHECK(!wall || global || result.infeasible > 0, "%s", methods[k]);
    }
    void *options = defaults(type, 25, 1e-14);
    *(int *)value_at(type, options, "method") = k;
    if (methods[k][0] != 'G')
      check_parts(type, options, true);
  }
  if (dc_nlopt_version()) {
    struct function f;
    double x[3] = {0};
    set_up(&f, bowl, 3, 3);
    void *options = defaults(type, 25, 1e-14);
    while (methods[*(int *)value_at(type, options, "method")][0] != 'G')
      ++*(int *)value_at(type, options, "method");
    CHECK(run(type, options, &f, x, NULL) == DC_BAD_INPUT && strstr(error.text, "bounds"), "%s", error.text);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"minima are found", test_minima}, {"bounds are kept", test_bounds},
          {"infeasible points are turned from", test_wall}, {"edge and centre of discs", test_models},
          {"the first step of a fan", test_first_step}, {"monotone or not", test_monotone}, {"enough", test_sufficient},
          {"candidates of a fan", test_candidates}, {"interrupted anywhere", test_snapshots},
          {"sampling", test_sampling}, {"sampling at knots", test_knots}, {"Adam with polish", test_polish},
          {"methods of NLopt", test_nlopt})
