// SPDX-License-Identifier: Apache-2.0
// Functions with known minima that can fail on purpose, and minimizations of them that log what they saw.
#ifndef DC_TESTS_OPTIMIZE_FUNCTION_FIXTURE_H
#define DC_TESTS_OPTIMIZE_FUNCTION_FIXTURE_H

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

static inline double quadratic(const double *x, double *gradient)
{
  double value = 0;
  for (int i = 0; i < 3; i++) {
    gradient[i] = 2 * (i + 1) * (x[i] - i);
    value += (i + 1) * (x[i] - i) * (x[i] - i);
  }
  return value;
}

static inline double rosenbrock(const double *x, double *gradient)
{
  double valley = x[1] - x[0] * x[0];
  gradient[0] = -400 * x[0] * valley - 2 * (1 - x[0]);
  gradient[1] = 200 * valley;
  return 100 * valley * valley + (1 - x[0]) * (1 - x[0]);
}

static inline double slope(const double *x, double *gradient)
{
  gradient[0] = -1;
  return -x[0];
}

static inline double constant(const double *x, double *gradient)
{
  (void)x;
  gradient[0] = 0;
  return 1;
}

static inline double nothing(const double *x, double *gradient)
{
  (void)x, (void)gradient;
  return 3;
}

static inline enum dc_status evaluate(void *context, const double *x, double *value, double *gradient,
                                      struct dc_error *error)
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

static inline struct function make(double (*value)(const double *, double *), int dimension)
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

static inline bool observe(void *context, const struct dc_iterate *iterate)
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
static inline void *make_options(const struct dc_optimizer_type *type, double rate, long iterations, double target)
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
static inline void set_real(const struct dc_optimizer_type *type, void *options, const char *name, int index,
                            double value)
{
  ((double *)((char *)options + type->options[dc_option_find(type->options, name)].offset))[index] = value;
}

static inline enum dc_status run(const struct dc_optimizer_type *type, const void *options, struct function *function,
                                 double *x, struct dc_optimizer_result *result, struct dc_error *error)
{
  struct dc_problem problem = {.dimension = function->dimension, .context = function, .evaluate = evaluate};
  history.count = 0, history.dimension = function->dimension;
  return dc_minimize(type, options, &problem, x, observe, &history, result, error);
}

static inline void set_shared(void *options)
{
  const struct dc_option *table = dc_optimizer_adam.options;
  *(bool *)((char *)options + table[dc_option_find(table, "shared")].offset) = true;
}

// With a shared second moment the first step of a group has length learning_rate * sqrt(members) (bias correction makes
// it g / sqrt(mean g^2)) and the direction of the gradient; the next follow the formula.

#endif
