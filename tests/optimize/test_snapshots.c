// SPDX-License-Identifier: Apache-2.0
// Minimizations that are interrupted go on from a snapshot bit for bit, and refuse those of something else.
#include "function_fixture.h"

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

RUN_TESTS({"snapshots go on bit for bit", test_snapshots},
          {"snapshots of something else are refused", test_snapshot_refusals})
