// SPDX-License-Identifier: Apache-2.0
// Tasks of witness points solved: shares of them as the theory page claims, the ranking of derivatives, and the same
// results for any number of threads.
#include "harness.h"

#ifdef _OPENMP
#include <omp.h>
#endif

#include "bench/witness.h"

enum { TASKS = 60, FEW = 12 };

struct setup {
  struct dc_arena *arena;
  struct dc_error error;
  struct dc_bench_witness_settings settings;
  struct dc_refine_settings refine;
  struct dc_witness_settings witness;
  void *descent, *marquardt;  // options
};

static void *defaults_of(struct setup *setup, const struct dc_optimizer_type *method)
{
  void *options = dc_arena_alloc(setup->arena, 1, method->options_size);
  dc_options_set_defaults(method->options, options, setup->arena, &setup->error);
  return options;
}

static void begin(struct setup *setup)
{
  *setup = (struct setup){.arena = dc_arena_create()};
  dc_options_set_defaults(dc_bench_witness_options, &setup->settings, setup->arena, &setup->error);
  setup->refine = *setup->settings.refine;
  setup->witness = *setup->refine.witness;
  setup->settings.refine = &setup->refine;
  setup->refine.witness = &setup->witness;
  setup->settings.tasks = TASKS;
  setup->refine.margin = 1e-3;
  setup->descent = defaults_of(setup, &dc_normalized_descent);
  setup->marquardt = defaults_of(setup, &dc_levenberg_marquardt);
  CHECK(setup->error.status == DC_OK, "%s", setup->error.text);
}

static void end(struct setup *setup)
{
  dc_arena_destroy(setup->arena);
}

static struct dc_bench_witness_result run(struct setup *setup, const struct dc_optimizer_type *method)
{
  struct dc_bench_witness_result result = {0};
  const void *options = method == &dc_normalized_descent ? setup->descent : setup->marquardt;
  enum dc_status status = dc_bench_witness(&setup->settings, method, options, &result, &setup->error);
  CHECK(status == DC_OK, "%s", setup->error.text);
  return result;
}

static void test_descent(void)
{
  struct setup setup;
  begin(&setup);
  struct dc_bench_witness_result result = run(&setup, &dc_normalized_descent);
  // 100 % of 60 tasks (98.3 % of the last iteration), 2.7e-9 m^2
  CHECK(result.tasks == TASKS && result.best.accuracy > 0.95 && result.last.accuracy > 0.95, "%g, %g",
        result.best.accuracy, result.last.accuracy);
  CHECK(result.last_counts && result.last.median < 5e-9, "D5 %g", result.last.median);
  CHECK(result.best.median <= result.last.median && result.best.ninth <= result.last.ninth, "lowest values");
  CHECK(result.queries == 2001 && result.iterations == 2000, "%g queries", result.queries);
  end(&setup);
}

static void test_marquardt(void)
{
  struct setup setup;
  begin(&setup);
  struct dc_bench_witness_result result = run(&setup, &dc_levenberg_marquardt);
  // 100 % in 43 queries
  CHECK(result.best.accuracy > 0.95 && result.best.median < 1e-13, "%g, D5 %g", result.best.accuracy,
        result.best.median);
  CHECK(!result.last_counts && result.queries < 220, "%g queries", result.queries);
  setup.refine.restart = DC_RESTART_TURNED;
  result = run(&setup, &dc_levenberg_marquardt);
  CHECK(result.best.accuracy > 0.95, "%g", result.best.accuracy);
  end(&setup);
}

// Paper 002, Table I: smoothing by distance with transport, by direction without, closest points of features.
static void test_ranking(void)
{
  struct setup setup;
  begin(&setup);
  double ours = run(&setup, &dc_normalized_descent).last.accuracy;
  setup.refine.transport = false;
  double alone = run(&setup, &dc_normalized_descent).last.accuracy;
  setup.witness.method = DC_WITNESS_DIRECTION;
  setup.witness.sampling = DC_SAMPLE_NEIGHBOR;
  double direction = run(&setup, &dc_normalized_descent).last.accuracy;
  setup.witness.method = DC_WITNESS_ANALYTICAL;
  double analytical = run(&setup, &dc_normalized_descent).last.accuracy;
  CHECK(ours > alone && ours > direction && direction > analytical && alone > analytical, "%g, %g, %g, %g", ours, alone,
        direction, analytical);
  CHECK(analytical < 0.5, "%g", analytical);
  end(&setup);
}

#ifdef _OPENMP
static bool same(const struct dc_bench_witness_result *a, const struct dc_bench_witness_result *b)
{
  return memcmp(&a->best, &b->best, sizeof a->best) == 0 && memcmp(&a->last, &b->last, sizeof a->last) == 0 &&
         a->queries == b->queries && a->iterations == b->iterations;
}
#endif

static void test_threads(void)
{
#ifdef _OPENMP
  struct setup setup;
  struct dc_bench_witness_result results[2];
  begin(&setup);
  for (int way = 0; way < 2; way++) {
    const struct dc_optimizer_type *method = way ? &dc_levenberg_marquardt : &dc_normalized_descent;
    for (int threads = 1; threads <= 2; threads++) {
      omp_set_num_threads(threads);
      results[threads - 1] = run(&setup, method);
    }
    CHECK(same(&results[0], &results[1]), "%s", method->name);
  }
  setup.settings.seed = 2;
  results[1] = run(&setup, &dc_levenberg_marquardt);
  CHECK(!same(&results[0], &results[1]), "another seed, other tasks");
  end(&setup);
#else
  SKIP("no OpenMP");
#endif
}

static void test_times(void)
{
  struct setup setup;
  struct dc_bench_witness_times times;
  static const int methods[] = {DC_WITNESS_SMOOTHED, DC_WITNESS_ANALYTICAL, DC_WITNESS_RS0};
  begin(&setup);
  setup.settings.tasks = FEW;
  for (int i = 0; i < 3; i++) {
    setup.witness.method = methods[i];
    setup.refine.transport = methods[i] != DC_WITNESS_RS0;
    setup.settings.tasks = methods[i] == DC_WITNESS_RS0 ? 1 : FEW;
    CHECK(dc_bench_witness_time(&setup.settings, &times, &setup.error) == DC_OK, "%s", setup.error.text);
    CHECK(times.forward > 0 && times.backward > 0 && times.iteration > 0 && times.poses == 256 * setup.settings.tasks,
          "%ld poses", times.poses);
    CHECK(isfinite(times.sampling) == (i == 0) && isfinite(times.smoothing) == (i == 0), "samples");
    CHECK(isfinite(times.passing) == (i < 2) && isfinite(times.transport) == (i < 2), "closed forms");
    if (i == 0)
      CHECK_NEAR(times.sampling + times.smoothing + times.passing, times.backward, 1e-6 * times.backward);
  }
  end(&setup);
}

RUN_TESTS({"normalized descent solves nearly all", test_descent},
          {"Levenberg-Marquardt solves nearly all in few queries", test_marquardt},
          {"ranking of derivatives", test_ranking}, {"any number of threads", test_threads},
          {"times and their parts", test_times})
