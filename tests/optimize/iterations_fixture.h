// SPDX-License-Identifier: Apache-2.0
// Problems with known minima for optimizers that do whole iterations, runs of them that are noted down, and runs that
// are interrupted anywhere.
#ifndef DC_TESTS_ITERATIONS_FIXTURE_H
#define DC_TESTS_ITERATIONS_FIXTURE_H

#include "harness.h"
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

static inline double value_of(const struct function *f, const double *d)
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

static inline enum dc_status enter(struct function *f, const double *x, struct dc_error *error)
{
  for (int i = 0; i < f->problem.dimension; i++)
    CHECK(x[i] >= f->low[i] && x[i] <= f->high[i], "%d: %g is out of bounds", i, x[i]);
  if (f->stop_at && ++f->calls == f->stop_at) {
    f->stop_at = 0;
    return dc_fail(error, DC_STOPPED, "as asked");
  }
  return x[0] > f->wall ? dc_fail(error, DC_INFEASIBLE, "beyond the wall") : DC_OK;
}

static inline enum dc_status evaluate(void *context, const double *x, double *value, double *gradient,
                                      struct dc_error *error)
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

static inline enum dc_status linearize(void *context, const double *x, const struct dc_draw *draw, struct dc_rows *rows,
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

static inline void set_up(struct function *f, void (*rows)(const double *, double *, double (*)[MOST]), int n, int m)
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

static inline void rosenbrock(const double *x, double *d, double (*jacobian)[MOST])
{
  d[0] = 10 * (x[1] - x[0] * x[0]), d[1] = 1 - x[0];
  jacobian[0][0] = -20 * x[0], jacobian[0][1] = 10, jacobian[1][0] = -1;
}

// Two points in the plane that x moves, by sines of it, towards (1, 0) and (0, 1).
static inline void points(const double *x, double *d, double (*jacobian)[MOST])
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
static inline void bowl(const double *x, double *d, double (*jacobian)[MOST])
{
  d[0] = x[0] - 3, d[1] = x[1] - 3, d[2] = x[0] + x[1] - 2 * x[2];
  jacobian[0][0] = jacobian[1][1] = jacobian[2][0] = jacobian[2][1] = 1, jacobian[2][2] = -2;
}

static struct log {
  int count;
  double seen[MOST_SEEN][MOST + 3];
} history;

static inline void note(struct log *log, const struct dc_iterate *iterate, int n)
{
  double *row = log->seen[log->count % MOST_SEEN];
  CHECK(iterate->iteration == log->count && log->count < MOST_SEEN, "%d", iterate->iteration);
  row[0] = iterate->value, row[1] = iterate->gradient_norm, row[2] = iterate->best + 2 * iterate->accepted;
  memcpy(row + 3, iterate->x, (size_t)n * sizeof *row);
  log->count++;
}

static inline bool observe(void *context, const struct dc_iterate *iterate)
{
  note(&history, iterate, *(int *)context);
  return true;
}

static struct dc_arena *arena;
static struct dc_error error;

static inline void *defaults(const struct dc_optimizer_type *type, long iterations, double target)
{
  struct dc_optimizer_common *options = dc_arena_alloc(arena, 1, type->options_size);
  CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
  options->iterations = iterations, options->target = target;
  return options;
}

static inline void *value_at(const struct dc_optimizer_type *type, void *options, const char *name)
{
  return (char *)options + type->options[dc_option_find(type->options, name)].offset;
}

static inline enum dc_status run(const struct dc_optimizer_type *type, const void *options, struct function *f,
                                 double *x, struct dc_optimizer_result *result)
{
  history.count = 0;
  error = (struct dc_error){0};
  return dc_minimize(type, options, &f->problem, x, observe, &f->problem.dimension, result, &error);
}

// Runs to the end; interrupted: handed over to a new minimization before every call, and stopped once in the evaluation
// number stop_at.
static inline void run_in_parts(const struct dc_optimizer_type *type, const void *options, struct function *f,
                                const double *x, bool interrupted, struct log *log)
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

static inline void check_parts(const struct dc_optimizer_type *type, const void *options, bool wall)
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

#endif
