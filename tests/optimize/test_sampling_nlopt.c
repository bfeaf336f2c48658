// SPDX-License-Identifier: Apache-2.0
// Optimizers that sample and those of NLopt on problems with known minima: within bounds, on any number of threads,
// and, those of NLopt, interrupted anywhere.
#include "optimize/iterations_fixture.h"

#include <omp.h>

#include "base/threads.h"
#include "optimize/nlopt.h"

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
  (void)e, (void)enough;  // those behind the first that is enough do no harm
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

RUN_TESTS({"sampling", test_sampling}, {"sampling at knots", test_knots}, {"methods of NLopt", test_nlopt})
