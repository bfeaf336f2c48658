// SPDX-License-Identifier: Apache-2.0
// Least squares with noisy Jacobians: restarts, draws by seed, and runs that are handed over.
#include "least_squares_fixture.h"

// (x^2 - 1)^2 + 0.25 (x - 1)^2 with a local minimum near -0.854 and the global one at 1, of value 0.
static void two_wells(const double *x, double *r, double (*jacobian)[MOST])
{
  r[0] = x[0] * x[0] - 1, r[1] = 0.5 * (x[0] - 1);
  jacobian[0][0] = 2 * x[0], jacobian[1][0] = 0.5;
}

static void restart(void *context, const double *best, int attempt, struct dc_random *random, double *point)
{
  struct function *f = context;
  CHECK(attempt == ++f->restarts && best[0] < 0, "%d", attempt);
  point[0] = best[0] + (attempt % 3 == 0 ? 3 * dc_random_uniform(random) : 0.1 * dc_random_normal(random));
}

static void test_restarts(void)
{
  struct function f;
  set_up(&f, two_wells, 1, 2);
  set_defaults(marquardt);
  double x[1] = {-2};
  CHECK(run(marquardt, &f, 7, x) == DC_OK, "%s", error.text);
  CHECK(result.restarts == 0 && result.iterations < 100, "ends after the failures: %d", result.iterations);
  CHECK_NEAR(x[0], -0.8536, 1e-3);  // -0.85355 observed
  for (int i = 1; i <= 9; i++)
    CHECK(!history.seen[history.count - i].accepted ||
              history.seen[history.count - i].value > (1 - 1e-11) * history.seen[history.count - i - 1].best_value,
          "%d", i);

  x[0] = -2;
  f.problem.restart = restart;
  f.jacobians = 0;
  CHECK(run(marquardt, &f, 7, x) == DC_OK, "%s", error.text);
  CHECK(result.best_value <= 1e-13 && result.restarts >= 3 && result.restarts % 3 == 0, "%g after %d",
        result.best_value, result.restarts);  // 3 observed
  CHECK_NEAR(x[0], 1, 1e-6);
  CHECK(f.jacobians <= result.iterations + 1, "%d", f.jacobians);

  x[0] = -2;
  set(marquardt, "restarts", 2);
  f.restarts = 0;
  CHECK(run(marquardt, &f, 7, x) == DC_OK && result.restarts == 2 && f.restarts == 2, "%d", result.restarts);
  CHECK_NEAR(x[0], -0.8536, 1e-3);

  // a step that gains too little counts as a failure: with progress 1 every one does, and the 10th begins anew
  set(marquardt, "iterations", 10);
  for (int k = 0; k < 2; k++) {
    x[0] = -2;
    f.restarts = 0;
    set(marquardt, "progress", k);
    CHECK(run(marquardt, &f, 7, x) == DC_OK && result.restarts == k, "%d", result.restarts);
  }
}

// A Jacobian that is drawn: others after every failure, each with a number of its own; trust and its bounds.
static void test_draws(void)
{
  struct function f;
  set_up(&f, rosenbrock, 2, 2);
  f.noise = 0.4;
  set_defaults(marquardt);
  set(marquardt, "failures", 200);
  double x[2] = {-1.2, 1}, y[2] = {-1.2, 1}, z[2] = {-1.2, 1};
  CHECK(run(marquardt, &f, 5, x) == DC_OK && result.best_value <= 1e-13, "%g", result.best_value);
  int rejected = 0, shrunk = 0;
  double trust = 1;
  for (int i = 1; i < history.count; i++) {
    rejected += !history.seen[i].accepted;
    trust = history.seen[i].accepted ? fmin(1.5 * trust, 1) : fmax(0.7 * trust, 1e-6);
    if (i < f.jacobians) {
      CHECK_NEAR(f.trust_seen[i], trust, 1e-15);  // 0 observed
      CHECK(f.draw_seen[i] != f.draw_seen[i - 1], "%d", i);
      shrunk += trust < 1;
    }
  }
  CHECK(rejected > 3 && shrunk > 3, "%d %d", rejected, shrunk);
  struct dc_optimizer_result first = result;

  CHECK(run(marquardt, &f, 5, y) == DC_OK && memcmp(x, y, sizeof x) == 0, "the same seed, the same bits");
  CHECK(result.iterations == first.iterations && result.best_value == first.best_value, "%d", result.iterations);
  CHECK(run(marquardt, &f, 6, z) == DC_OK && memcmp(x, z, sizeof x) != 0, "another seed, other draws");

  f.noise = 0.3;
  double last[2];
  set_defaults(descent);
  for (int k = 0; k < 3; k++) {
    x[0] = -1.2, x[1] = 1;
    CHECK(run(descent, &f, k == 2 ? 6 : 5, x) == DC_OK, "%s", error.text);
    CHECK(k == 0 || (memcmp(x, last, sizeof x) == 0) == (k == 1), "%d", k);
    memcpy(last, x, sizeof x);
  }
}

// Runs with noisy Jacobians and restarts, handed over to a new minimization by a snapshot before every call of next and
// stopped in the middle of some of the iterations.
static void hand_over(const struct dc_optimizer_type *type, const struct function *f, struct dc_minimization **run_of)
{
  double elsewhere[1] = {3};
  struct dc_snapshot *snapshot = dc_snapshot_create();
  CHECK(dc_minimization_save(*run_of, "run", snapshot) == DC_OK, "%s", type->name);
  dc_minimization_destroy(*run_of);
  *run_of = dc_minimization_create(type, options, &f->problem, elsewhere);
  CHECK(dc_minimization_load(*run_of, "run", snapshot, &error) == DC_OK, "%s: %s", type->name, error.text);
  dc_snapshot_destroy(snapshot);
}

static int run_in_parts(const struct dc_optimizer_type *type, bool interrupted, double (*seen)[3])
{
  struct function f;
  struct dc_iterate iterate;
  bool done = false;
  const double x[1] = {-2};
  int count = 0;
  set_up(&f, two_wells, 1, 2);
  f.noise = 0.3;
  f.problem.restart = restart;
  f.problem.seed = 7;
  set_defaults(type);
  set(type, "iterations", 60);
  struct dc_minimization *run_of = dc_minimization_create(type, options, &f.problem, x);
  for (int call = 0; !done; call++) {
    int attempts = f.restarts;
    if (interrupted)
      hand_over(type, &f, &run_of);
    f.fail_at = interrupted && call % 3 == 1 ? f.calls + 1 + call % 2 : 0, f.failure = DC_STOPPED;
    enum dc_status status = dc_minimization_next(run_of, &iterate, &done, NULL);
    CHECK(status == DC_OK || (status == DC_STOPPED && interrupted), "%s: %d", type->name, (int)status);
    if (status)
      f.restarts = attempts;  // the whole iteration comes again
    else if (!done)
      seen[count][0] = iterate.value, seen[count][1] = iterate.x[0], seen[count++][2] = iterate.gradient_norm;
  }
  CHECK(interrupted || type != marquardt || f.restarts > 0, "%d", f.restarts);
  dc_minimization_destroy(run_of);
  return count;
}

static void test_snapshots(void)
{
  static double straight[MOST_SEEN][3], parts[MOST_SEEN][3];
  for (int k = 0; k < 2; k++) {
    int count = run_in_parts(least_squares_types[k], false, straight);
    CHECK(count > 20 && run_in_parts(least_squares_types[k], true, parts) == count, "%d", count);
    CHECK(memcmp(straight, parts, (size_t)count * sizeof *straight) == 0, "%s", least_squares_types[k]->name);
  }
}

RUN_TESTS({"restarts", test_restarts}, {"draws and seeds", test_draws}, {"snapshots go on bit for bit", test_snapshots})
