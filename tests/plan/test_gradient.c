// SPDX-License-Identifier: Apache-2.0
// Estimated gradients and first guesses drawn at random, on a ball that is thrown at another one.
#include "gradient_fixture.h"

static void test_differences(void)
{
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_DIFFERENCES);
  double exact[PAIR_PARAMETERS], estimate[PAIR_PARAMETERS], exact_loss, loss;
  CHECK(settings.step == 1e-6 && scene->gradient.type == DC_GRADIENT_ADJOINT && scene->gradient.samples == 100 &&
        scene->gradient.sigma == 0.1 && scene->gradient.order == 1);
  gradient_at(scene, NULL, true, &exact_loss, exact);
  gradient_at(scene, &settings, true, &loss, estimate);
  CHECK(loss == exact_loss && norm(exact, PAIR_PARAMETERS) > 1e-3, "%g", norm(exact, PAIR_PARAMETERS));
  for (int i = 0; i < PAIR_PARAMETERS; i++)
    CHECK_NEAR(estimate[i], exact[i], 1e-7 * norm(exact, PAIR_PARAMETERS));  // 6e-10 observed
  dc_scene_destroy(scene);
}

static struct dc_scene *read_walls(const char *control)
{
  char text[2 * sizeof walls_text];
  snprintf(text, sizeof text, walls_text, control);
  return read_scene(text);
}

static double tight_loss(const struct dc_scene *scene, double x)
{
  double loss, parameters[2] = {x, 0.5};
  struct dc_error error = {0};
  struct dc_plan *plan = create(scene, NULL);
  dc_rollout_set_tight(plan->rollout, true);
  CHECK(dc_plan_evaluate(plan, parameters, &loss, NULL, &error) == DC_OK, "%s", error.text);
  dc_plan_destroy(plan);
  return loss;
}

static void test_differences_into_walls(void)
{
  struct dc_scene *scene = read_walls("'position': 'x', 'velocity': 'y'");
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_DIFFERENCES);
  struct dc_error error = {0};
  double gradient[2], loss, parameters[2] = {0, 0.5};
  settings.step = 0.15;  // inside a wall to either side
  struct dc_plan *plan = create(scene, &settings);
  CHECK(dc_plan_evaluate(plan, parameters, &loss, gradient, &error) == DC_OK, "%s", error.text);
  CHECK(gradient[0] == 0 && gradient[1] != 0, "%g %g", gradient[0], gradient[1]);
  CHECK(plan->estimate.counts.dropped == 1 && plan->estimate.counts.one_sided == 0);
  // the point itself and two of the velocity
  CHECK(plan->work.rollouts == 3 && plan->work.steps == 9, "%ld", plan->work.rollouts);
  parameters[0] = 0.06;  // one side is free
  CHECK(dc_plan_evaluate(plan, parameters, &loss, gradient, &error) == DC_OK, "%s", error.text);
  CHECK(plan->estimate.counts.dropped == 1 && plan->estimate.counts.one_sided == 1);
  CHECK(plan->work.rollouts == 3 + 5, "the middle is rolled out again: %ld", plan->work.rollouts);
  // 0 observed; the step is rounded
  CHECK_NEAR(gradient[0], (tight_loss(scene, 0.06) - tight_loss(scene, 0.06 - 0.15)) / 0.15, 1e-14);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// The perturbation of a sample, as docs/theory.md defines it.
static void perturbation(long seed, long estimate, long sample, int count, double *x)
{
  struct dc_random random;
  dc_random_seed(&random, (uint64_t)seed);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)estimate);
  dc_random_seed(&random, dc_random_bits(&random) + (uint64_t)sample);
  for (int i = 0; i < count; i++)
    x[i] = dc_random_normal(&random);
}

static void test_narrow_bundle(void)
{
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_BUNDLE);
  double exact[PAIR_PARAMETERS], estimate[PAIR_PARAMETERS], exact_loss, loss;
  // Where a step that is just converged needs one iteration more at a neighbour, the gradient changes by the tolerance.
  scene->model.definition.solver.tolerance = 1e-8;
  settings.sigma = 1e-9;
  gradient_at(scene, NULL, false, &exact_loss, exact);
  gradient_at(scene, &settings, false, &loss, estimate);
  CHECK(loss == exact_loss);
  for (int i = 0; i < PAIR_PARAMETERS; i++)
    CHECK_NEAR(estimate[i], exact[i], 1e-7 * norm(exact, PAIR_PARAMETERS));  // 8e-10 observed
  dc_scene_destroy(scene);
}

// The mean over samples that do not fail, computed one after the other; their number.
static int mean_by_hand(const struct dc_scene *scene, const struct dc_gradient_settings *settings, long estimate,
                        int count, const double *parameters, double *mean)
{
  struct dc_plan *plan = create(scene, NULL);
  double x[PAIR_PARAMETERS], e[PAIR_PARAMETERS], gradient[PAIR_PARAMETERS], loss, middle;
  int used = 0;
  CHECK(dc_plan_evaluate(plan, parameters, &middle, NULL, NULL) == DC_OK);
  memset(mean, 0, (size_t)count * sizeof *mean);
  for (long s = 0; s < settings->samples; s++) {
    perturbation(settings->seed, estimate, s, count, e);
    for (int i = 0; i < count; i++)
      x[i] = parameters[i] + settings->sigma * e[i];
    if (dc_plan_evaluate(plan, x, &loss, gradient, NULL) != DC_OK)
      continue;
    used++;
    for (int i = 0; i < count; i++)
      mean[i] += settings->order ? gradient[i] : (loss - middle) / settings->sigma * e[i];
  }
  for (int i = 0; i < count; i++)
    mean[i] /= used;
  dc_plan_destroy(plan);
  return used;
}

static void compare_bundle(const struct dc_scene *scene, const struct dc_gradient_settings *settings, int count,
                           const double *parameters, int *used)
{
  double mean[PAIR_PARAMETERS], estimate[PAIR_PARAMETERS], loss;
  struct dc_error error = {0};
  struct dc_plan *plan = create(scene, settings);
  long dropped = 0;
  // the second estimate has samples of its own
  for (long k = 0; k < 2; k++) {
    CHECK(dc_plan_evaluate(plan, parameters, &loss, estimate, &error) == DC_OK, "%s", error.text);
    *used = mean_by_hand(scene, settings, k, count, parameters, mean);
    dropped += settings->samples - *used;
    for (int i = 0; i < count; i++)
      CHECK_NEAR(estimate[i], mean[i], 1e-14 * norm(mean, count));  // 0 observed: sums in the same order
  }
  CHECK(plan->estimate.counts.estimates == 2 && plan->estimate.counts.dropped == dropped);
  CHECK(plan->work.rollouts == 2 + 2 * settings->samples - dropped, "%ld", plan->work.rollouts);
  dc_plan_destroy(plan);
}

static void test_bundle(void)
{
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_BUNDLE);
  int used;
  settings.sigma = 0.02;
  settings.samples = 5;
  compare_bundle(scene, &settings, PAIR_PARAMETERS, pair_parameters, &used);
  settings.order = 0;
  settings.seed = 5;
  compare_bundle(scene, &settings, PAIR_PARAMETERS, pair_parameters, &used);
  dc_scene_destroy(scene);
}

static void test_bundle_into_walls(void)
{
  struct dc_scene *scene = read_walls("'position': 'x', 'velocity': 'y'");
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_BUNDLE);
  const double parameters[2] = {0, 0.5};
  int used;
  settings.samples = 70;  // more than are held at a time
  compare_bundle(scene, &settings, 2, parameters, &used);
  CHECK(used > 0 && used < settings.samples, "%d", used);
  dc_scene_destroy(scene);
}

static void test_nothing_left(void)
{
  struct dc_scene *scene = read_walls("'position': 'x'");
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_DIFFERENCES);
  double loss, gradient, parameter = 0;
  for (int type = DC_GRADIENT_DIFFERENCES; type <= DC_GRADIENT_BUNDLE; type++) {
    struct dc_error error = {0};
    settings.type = type;
    settings.step = 0.15;
    settings.sigma = 10;  // inside the walls but for one in a hundred
    struct dc_plan *plan = create(scene, &settings);
    CHECK(dc_plan_evaluate(plan, &parameter, &loss, &gradient, &error) == DC_NUMERICAL, "%s", error.text);
    CHECK(strstr(error.text, "can be had") || strstr(error.text, "could be rolled out"), "%s", error.text);
    CHECK(plan->estimate.counts.dropped == (type == DC_GRADIENT_BUNDLE ? settings.samples : 1));
    dc_plan_destroy(plan);
  }
  dc_scene_destroy(scene);
}

static void test_threads(void)
{
  struct dc_scene *scene = read_scene(pair_text);
  int before = omp_get_max_threads();
  for (int kind = 0; kind < 3; kind++) {
    struct dc_gradient_settings settings = settings_of(kind ? DC_GRADIENT_BUNDLE : DC_GRADIENT_DIFFERENCES);
    settings.order = kind == 1;
    settings.samples = 4;
    double first[PAIR_PARAMETERS], again[PAIR_PARAMETERS];
    struct dc_plan_work work = {0};
    for (int threads = 1; threads <= 3; threads++) {
      double loss, *gradient = threads == 1 ? first : again;
      omp_set_num_threads(threads);
      struct dc_plan *plan = create(scene, &settings);
      for (int k = 0; k < 2; k++)
        CHECK(dc_plan_evaluate(plan, pair_parameters, &loss, gradient, NULL) == DC_OK);
      CHECK(omp_get_max_threads() == threads);
      if (threads == 1)
        work = plan->work;
      CHECK(memcmp(first, gradient, sizeof first) == 0, "kind %d with %d threads", kind, threads);
      CHECK(work.rollouts == plan->work.rollouts && work.steps == plan->work.steps &&
            work.newton_iterations == plan->work.newton_iterations && work.evaluations == plan->work.evaluations);
      dc_plan_destroy(plan);
    }
  }
  omp_set_num_threads(before);
  dc_scene_destroy(scene);
}

struct stop {
  const struct dc_plan *plan;
  struct dc_snapshot *snapshot;
  int at;
  double losses[16];
};

static bool note(void *context, const struct dc_plan_iteration *iteration)
{
  struct stop *stop = context;
  stop->losses[iteration->iteration] = iteration->loss;
  if (iteration->iteration != stop->at)
    return true;
  CHECK(dc_plan_save(stop->plan, stop->snapshot) == DC_OK);
  return false;
}

static void test_resume(void)
{
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_BUNDLE);
  struct dc_error error = {0};
  settings.sigma = 0.01;
  settings.samples = 2;
  struct dc_plan *straight = create(scene, &settings);
  struct stop all = {.plan = straight, .at = -1};
  CHECK(optimize(straight, scene, pair_parameters, note, &all, NULL, &error) == DC_OK, "%s", error.text);
  CHECK(straight->estimate.counts.estimates == 6, "%ld", straight->estimate.counts.estimates);
  for (int at = 0; at < 5; at += 2) {
    struct stop stop = {.plan = create(scene, &settings), .at = at, .snapshot = dc_snapshot_create()};
    CHECK(optimize((struct dc_plan *)stop.plan, scene, pair_parameters, note, &stop, NULL, &error) == DC_STOPPED);
    struct dc_plan *resumed = create(scene, &settings);
    CHECK(dc_plan_begin(resumed, scene->optimizer, scene->optimizer_options, pair_parameters, &error) == DC_OK);
    CHECK(dc_plan_load(resumed, stop.snapshot, &error) == DC_OK, "%s", error.text);
    stop.at = -1;
    CHECK(dc_plan_continue(resumed, note, &stop, &error) == DC_OK, "%s", error.text);
    CHECK(memcmp(all.losses, stop.losses, 6 * sizeof *all.losses) == 0, "from iteration %d", at);
    CHECK(resumed->estimate.counts.estimates == 6 && resumed->work.rollouts == straight->work.rollouts &&
          resumed->work.newton_iterations == straight->work.newton_iterations);
    CHECK(memcmp(resumed->descent.best_parameters, straight->descent.best_parameters, sizeof pair_parameters) == 0);
    dc_snapshot_destroy(stop.snapshot);
    dc_plan_destroy((struct dc_plan *)stop.plan);
    dc_plan_destroy(resumed);
  }
  dc_plan_destroy(straight);
  dc_scene_destroy(scene);
}

static void test_foreign(void)
{
  const struct dc_contact_model foreign = {.name = "other", .flags = DC_CONTACT_FOREIGN};
  const struct dc_contact_model *own = dc_contact_model_find("bsh");
  struct dc_error error = {0};
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_ADJOINT);
  dc_gradient_complete(&settings, false, false, own);
  CHECK(settings.type == DC_GRADIENT_ADJOINT && settings.order == 1);
  dc_gradient_complete(&settings, true, true, &foreign);
  CHECK(settings.type == DC_GRADIENT_ADJOINT && settings.order == 1);
  CHECK(dc_gradient_check_model(&settings, own, &error) == DC_OK);
  CHECK(dc_gradient_check_model(&settings, &foreign, &error) == DC_BAD_INPUT &&
            strstr(error.text, "gradient.type: the contact model \"other\" has no adjoint"),
        "%s", error.text);
  settings.type = DC_GRADIENT_BUNDLE;
  CHECK(dc_gradient_check_model(&settings, &foreign, &error) == DC_BAD_INPUT && strstr(error.text, "gradient.order"),
        "%s", error.text);
  dc_gradient_complete(&settings, true, false, &foreign);
  CHECK(settings.type == DC_GRADIENT_BUNDLE && settings.order == 0);
  CHECK(dc_gradient_check_model(&settings, &foreign, &error) == DC_OK);
  settings = settings_of(DC_GRADIENT_ADJOINT);
  dc_gradient_complete(&settings, false, false, &foreign);
  CHECK(settings.type == DC_GRADIENT_DIFFERENCES && dc_gradient_check_model(&settings, &foreign, &error) == DC_OK);
}

static void test_values(void)
{
  enum { POINTS = 5 };
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_plan *plan = create(scene, NULL);
  double xs[POINTS][PAIR_PARAMETERS], expected[POINTS], losses[POINTS];
  enum dc_status statuses[POINTS];
  int before = omp_get_max_threads();
  for (int i = 0; i < POINTS; i++) {
    memcpy(xs[i], pair_parameters, sizeof xs[i]);
    xs[i][1] += 0.1 * i;
    CHECK(dc_plan_evaluate(plan, xs[i], &expected[i], NULL, NULL) == DC_OK);
  }
  CHECK(expected[0] != expected[POINTS - 1]);
  long newton = plan->work.newton_iterations;
  for (int threads = 1; threads < 4; threads++) {
    omp_set_num_threads(threads);
    dc_loops_always_shared(true);
    long start = plan->work.newton_iterations, rollouts = plan->work.rollouts;
    CHECK(dc_plan_values(plan, POINTS, xs[0], losses, statuses, NULL) == DC_OK);
    for (int i = 0; i < POINTS; i++)
      CHECK(statuses[i] == DC_OK && losses[i] == expected[i], "%d: %.17g %.17g", i, losses[i], expected[i]);
    CHECK(plan->work.newton_iterations - start == newton && plan->work.rollouts - rollouts == POINTS);
    CHECK(!plan->succeeded, "what the plan holds depends on threads");
    int until = POINTS, first = 0;
    while (!(expected[first] <= expected[2]))
      first++;
    rollouts = plan->work.rollouts;
    CHECK(dc_plan_values_until(plan, &until, xs[0], expected[2], losses, statuses, NULL) == DC_OK);
    CHECK(until == first + 1 && losses[first] == expected[first] && plan->work.rollouts - rollouts == until,
          "%d of %d, %ld rollouts", until, first + 1, plan->work.rollouts - rollouts);
  }
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Two threads: the first is soon done with its two points, which have no loss, and takes the last one; that is broken
// off when the second finds the third point enough.  Nothing of it may be seen in the next roll-outs.
static void test_broken_off(void)
{
  enum { POINTS = 4, TIMES = 40 };
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_plan *plan = create(scene, NULL);
  double xs[POINTS][PAIR_PARAMETERS], losses[POINTS], expected[POINTS], loss;
  enum dc_status statuses[POINTS];
  int before = omp_get_max_threads();
  for (int i = 0; i < POINTS; i++) {
    memcpy(xs[i], pair_parameters, sizeof xs[i]);
    xs[i][1] = i < 2 ? 1e200 : xs[i][1] + 0.1 * i;
    enum dc_status status = dc_plan_evaluate(plan, xs[i], &expected[i], NULL, NULL);
    CHECK(i < 2 ? dc_point_has_no_value(status) : status == DC_OK, "%d: %d", i, status);
  }
  omp_set_num_threads(2);
  dc_loops_always_shared(true);
  for (int time = 0; time < TIMES; time++) {
    int until = POINTS;
    CHECK(dc_plan_values_until(plan, &until, xs[0], expected[2], losses, statuses, NULL) == DC_OK);
    CHECK(until == 3 && losses[2] == expected[2], "%d of 3, %.17g", until, losses[2]);
    CHECK(dc_plan_evaluate(plan, xs[3], &loss, NULL, NULL) == DC_OK && loss == expected[3], "%.17g", loss);
  }
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

RUN_TESTS({"losses of many points", test_values}, {"roll-outs that are broken off", test_broken_off},
          {"differences against the adjoint", test_differences},
          {"differences where bodies overlap", test_differences_into_walls},
          {"a narrow bundle is the adjoint", test_narrow_bundle}, {"a bundle is a mean", test_bundle},
          {"a bundle where bodies overlap", test_bundle_into_walls}, {"nothing can be rolled out", test_nothing_left},
          {"equal bits with any number of threads", test_threads}, {"equal bits after a snapshot", test_resume},
          {"models without an adjoint", test_foreign})
