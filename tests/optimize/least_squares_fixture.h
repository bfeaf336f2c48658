// SPDX-License-Identifier: Apache-2.0
// Least squares on functions with known residuals that can fail on purpose.
#ifndef DC_TESTS_OPTIMIZE_LEAST_SQUARES_FIXTURE_H
#define DC_TESTS_OPTIMIZE_LEAST_SQUARES_FIXTURE_H

#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "optimize/optimizer.h"

enum { MOST = 8, MOST_RESIDUALS = 40, MOST_SEEN = 4096 };

// A problem of up to MOST coordinates that can fail on purpose.  Unless retract says otherwise points are vectors.
struct function {
  struct dc_problem problem;
  void (*residual)(const double *x, double *residual, double (*jacobian)[MOST]);
  double metric[MOST];
  int group[MOST];
  double lower[MOST], upper[MOST];
  double noise;  // relative, of the Jacobian, by the draw
  int calls, jacobians, restarts, fail_at, not_finite_at;
  enum dc_status failure;
  double trust_seen[MOST_SEEN];
  uint64_t draw_seen[MOST_SEEN];
};

enum { ROTATION, TRANSLATION, JOINT, GROUPS };
static const struct dc_coordinate_group groups[GROUPS] = {{"rotation", "rad"}, {"translation", "m"}, {"joint", "rad"}};
static const struct dc_optimizer_type *const least_squares_types[] = {&dc_levenberg_marquardt, &dc_normalized_descent};

static inline enum dc_status linearize(void *context, const double *point, const struct dc_draw *draw,
                                       struct dc_rows *rows, struct dc_error *error)
{
  struct function *f = context;
  double *residual = rows->residual, *jacobian = rows->jacobian;
  int n = f->problem.dimension, m = f->problem.row_count;
  double derivative[MOST_RESIDUALS][MOST] = {{0}};
  for (int i = 0; i < f->problem.point_size; i++)
    CHECK(isfinite(point[i]), "what is not finite was proposed");
  if (++f->calls == f->fail_at)
    return dc_fail(error, f->failure, "failed on purpose");
  f->residual(point, residual, derivative);
  if (f->calls == f->not_finite_at)
    residual[0] = NAN;
  if (!jacobian)
    return DC_OK;
  if (f->jacobians < MOST_SEEN) {
    f->draw_seen[f->jacobians] = draw->number;
    f->trust_seen[f->jacobians] = draw->trust;
  }
  f->jacobians++;
  struct dc_random random;
  dc_random_seed(&random, draw->number);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      jacobian[i * n + j] = derivative[i][j] * (1 + f->noise * dc_random_normal(&random));
  return DC_OK;
}

static inline enum dc_status descend(void *context, const double *point, const struct dc_draw *draw,
                                     const double *step_size, double *value, double *direction, struct dc_error *error)
{
  struct function *f = context;
  int n = f->problem.dimension, m = f->problem.row_count;
  double residual[MOST_RESIDUALS], jacobian[MOST_RESIDUALS * MOST];
  for (int group = 0; group < GROUPS; group++)
    CHECK(step_size[group] > 0, "%d", group);
  struct dc_rows rows = {.residual = residual, .jacobian = jacobian};
  enum dc_status status = linearize(context, point, draw, &rows, error);
  if (status)
    return status;
  *value = 0;
  memset(direction, 0, (size_t)n * sizeof *direction);
  for (int i = 0; i < m; i++) {
    *value += residual[i] * residual[i];
    for (int j = 0; j < n; j++)
      direction[j] -= 2 * residual[i] * jacobian[i * n + j];
  }
  return DC_OK;
}

static inline void retract(void *context, const double *point, const double *step, double *result)
{
  struct function *f = context;
  for (int i = 0; i < f->problem.dimension; i++)
    result[i] = fmin(fmax(point[i] + step[i], f->lower[i]), f->upper[i]);
}

static inline void hold(void *context, const double *point, const double *gradient, bool *held)
{
  struct function *f = context;
  for (int i = 0; i < f->problem.dimension; i++)
    held[i] = (point[i] <= f->lower[i] && gradient[i] > 0) || (point[i] >= f->upper[i] && gradient[i] < 0);
}

static inline void set_up(struct function *f, void (*residual)(const double *, double *, double (*)[MOST]), int n,
                          int m)
{
  *f = (struct function){.residual = residual};
  for (int i = 0; i < MOST; i++) {
    f->metric[i] = 1;
    f->group[i] = TRANSLATION;
    f->lower[i] = -INFINITY, f->upper[i] = INFINITY;
  }
  f->problem = (struct dc_problem){.point_size = n,
                                   .dimension = n,
                                   .row_count = m,
                                   .context = f,
                                   .metric = f->metric,
                                   .group = f->group,
                                   .group_count = GROUPS,
                                   .groups = groups,
                                   .linearize = linearize,
                                   .descend = descend,
                                   .retract = retract};
}

static struct {
  int count, stop_at;
  struct dc_iterate seen[MOST_SEEN];
} history;

static inline bool observe(void *context, const struct dc_iterate *iterate)
{
  CHECK(context == &history, " ");
  CHECK(isfinite(iterate->value) && isfinite(iterate->best_value) && isfinite(iterate->gradient_norm), "%d",
        iterate->iteration);
  CHECK(iterate->iteration == history.count && iterate->best_value <= iterate->value, "%d", iterate->iteration);
  CHECK(!iterate->best || iterate->best_value == iterate->value, "%d", iterate->iteration);
  if (history.count < MOST_SEEN)
    history.seen[history.count] = *iterate;
  history.count++;
  return history.stop_at == 0 || history.count < history.stop_at;
}

// Options with defaults; numbers are set by name.
static _Alignas(64) char options[512];
static inline void set_defaults(const struct dc_optimizer_type *type)
{
  struct dc_arena *arena = dc_arena_create();
  CHECK(type->options_size <= sizeof options, "%s", type->name);
  CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
  dc_arena_destroy(arena);
}

static inline void set(const struct dc_optimizer_type *type, const char *name, double value)
{
  const struct dc_option *option = &type->options[dc_option_find(type->options, name)];
  if (option->type == DC_INTEGER)
    *(long *)(options + option->offset) = (long)value;
  else if (option->type == DC_CHOICE)
    *(int *)(options + option->offset) = (int)value;
  else
    *(double *)(options + option->offset) = value;
}

static struct dc_optimizer_result result;
static struct dc_error error;
static inline enum dc_status run(const struct dc_optimizer_type *type, struct function *f, uint64_t seed, double *x)
{
  history.count = 0;
  error = (struct dc_error){0};
  f->problem.seed = seed;
  return dc_minimize(type, options, &f->problem, x, observe, &history, &result, &error);
}

static const struct dc_optimizer_type *const marquardt = &dc_levenberg_marquardt;
static const struct dc_optimizer_type *const descent = &dc_normalized_descent;

// Residuals A x - b of 3 unknowns, least at (1, 2, 3) with |r|^2 = 4: the last row of A is zero.
static inline void linear(const double *x, double *r, double (*jacobian)[MOST])
{
  static const double a[4][3] = {{2, 1, 0}, {0, 3, -1}, {1, 0, 5}, {0, 0, 0}};
  for (int i = 0; i < 4; i++) {
    r[i] = i == 3 ? 2 : 0;
    for (int j = 0; j < 3; j++) {
      r[i] += a[i][j] * (x[j] - (j + 1));
      jacobian[i][j] = a[i][j];
    }
  }
}

static inline void rosenbrock(const double *x, double *r, double (*jacobian)[MOST])
{
  r[0] = 10 * (x[1] - x[0] * x[0]), r[1] = 1 - x[0];
  jacobian[0][0] = -20 * x[0], jacobian[0][1] = 10, jacobian[1][0] = -1;
}

// Powell 1962: the Jacobian is singular at the minimum 0.
static inline void powell(const double *x, double *r, double (*jacobian)[MOST])
{
  double u = x[1] - 2 * x[2], v = x[0] - x[3];
  r[0] = x[0] + 10 * x[1], jacobian[0][0] = 1, jacobian[0][1] = 10;
  r[1] = sqrt(5) * (x[2] - x[3]), jacobian[1][2] = sqrt(5), jacobian[1][3] = -sqrt(5);
  r[2] = u * u, jacobian[2][1] = 2 * u, jacobian[2][2] = -4 * u;
  r[3] = sqrt(10) * v * v, jacobian[3][0] = 2 * sqrt(10) * v, jacobian[3][3] = -2 * sqrt(10) * v;
}

// y = a exp(-b t) + c at 30 times, made with (2, 1.5, 0.5).
static inline void curve(const double *x, double *r, double (*jacobian)[MOST])
{
  for (int i = 0; i < 30; i++) {
    double t = i / 10.0, e = exp(-x[1] * t);
    r[i] = x[0] * e + x[2] - (2 * exp(-1.5 * t) + 0.5);
    jacobian[i][0] = e, jacobian[i][1] = -x[0] * t * e, jacobian[i][2] = 1;
  }
}

#endif
