// SPDX-License-Identifier: Apache-2.0
// First guesses drawn at random: for whole plans, for one without parameters, and for windows.
#include "gradient_fixture.h"

static struct dc_contact_model local_model;

// The scene with contact that ends where things do not touch.
static struct dc_scene *read_local(const char *text)
{
  struct dc_scene *scene = read_scene(text);
  struct dc_error error = {0};
  local_model = *dc_contact_model_find("bsh");
  local_model.local = true;
  scene->definition.contact_model = &local_model;
  CHECK(dc_model_create(&scene->model, &scene->definition, scene->arena, &error) == DC_OK, "%s", error.text);
  return scene;
}

static struct dc_first_guess_settings sampling(double sigma, long draws)
{
  struct dc_first_guess_settings settings = {0};
  set_defaults(dc_first_guess_options, &settings);
  CHECK(settings.type == DC_FIRST_GUESS_SAMPLED && settings.draws == 100 && settings.threshold == 1e-10);
  settings.sigma = sigma;
  settings.draws = draws;
  return settings;
}

// An observer of draws: they come one after the other.
static void count_draw(void *context, long draw, long draws)
{
  long *heard = context;
  CHECK(draw == *heard + 1 && draw <= draws, "draw %ld of %ld after %ld", draw, draws, *heard);
  *heard = draw;
}

static const double still[PAIR_PARAMETERS] = {0, -2, 0};  // the cue at rest

// Minimizes from still; the plan.
static struct dc_plan *minimize(const struct dc_scene *scene, enum dc_gradient_type type,
                                const struct dc_first_guess_settings *first_guess)
{
  struct dc_gradient_settings settings = settings_of(type);
  struct dc_error error = {0};
  struct dc_plan *plan = create(scene, &settings);
  if (first_guess)
    plan->guess.settings = *first_guess;
  CHECK(optimize(plan, scene, still, NULL, NULL, NULL, &error) == DC_OK, "%s", error.text);
  return plan;
}

static void test_sampling(void)
{
  struct dc_scene *scene = read_local(pair_text);
  for (int type = DC_GRADIENT_ADJOINT; type <= DC_GRADIENT_DIFFERENCES; type++) {
    struct dc_first_guess_settings settings = sampling(2, 50);
    struct dc_plan *plan = minimize(scene, type, NULL);
    double gradient[PAIR_PARAMETERS], loss;
    CHECK(memcmp(plan->descent.best_parameters, still, sizeof still) == 0, "without draws it stays where it is");
    dc_plan_destroy(plan);

    plan = minimize(scene, type, &settings);
    long draws = plan->guess.counts.draws;
    CHECK(draws > 0 && draws <= 50 && plan->guess.counts.vanished == 0, "%ld draws", draws);
    CHECK(dc_plan_evaluate(plan, plan->descent.first_parameters, &loss, gradient, NULL) == DC_OK);
    CHECK(norm(gradient, PAIR_PARAMETERS) > 1e-6 * loss, "%g", norm(gradient, PAIR_PARAMETERS));
    CHECK(dc_minimization_result(plan->descent.running)->iterations == 5);
    CHECK(memcmp(plan->descent.first_parameters, still, sizeof still) != 0);
    double found[PAIR_PARAMETERS];
    memcpy(found, plan->descent.first_parameters, sizeof found);
    dc_plan_destroy(plan);

    // one draw less does not do it, and then nothing changes
    settings.draws = draws - 1;
    if (draws > 1) {
      plan = minimize(scene, type, &settings);
      CHECK(plan->guess.counts.vanished == 1 && plan->guess.counts.draws == draws - 1);
      dc_plan_destroy(plan);
    }
    // another seed, another draw
    settings.draws = 50;
    settings.seed = 2;
    plan = minimize(scene, type, &settings);
    CHECK(memcmp(plan->descent.first_parameters, found, sizeof found) != 0);
    dc_plan_destroy(plan);
  }
  dc_scene_destroy(scene);
}

// However many draws are rolled out at a time, the same one is found, and the same work is counted.
static void test_sampling_threads(void)
{
  struct dc_scene *scene = read_local(pair_text);
  int before = omp_get_max_threads();
  bool found_late = false;
  for (long seed = 1; seed < 8; seed++) {
    struct dc_first_guess_settings settings = sampling(2, 50);
    double found[PAIR_PARAMETERS];
    struct dc_plan_work work = {0};
    long draws = 0;
    settings.seed = seed;
    for (int threads = 1; threads <= 4; threads++) {
      omp_set_num_threads(threads);
      dc_loops_always_shared(threads > 1);
      struct dc_plan *plan = minimize(scene, DC_GRADIENT_ADJOINT, &settings);
      if (threads == 1) {
        memcpy(found, plan->descent.best_parameters, sizeof found);
        work = plan->work;
        draws = plan->guess.counts.draws;
      }
      CHECK(memcmp(found, plan->descent.best_parameters, sizeof found) == 0, "seed %ld, %d threads", seed, threads);
      CHECK(plan->guess.counts.draws == draws, "%ld draws, %ld", plan->guess.counts.draws, draws);
      CHECK(work.rollouts == plan->work.rollouts && work.steps == plan->work.steps &&
                work.newton_iterations == plan->work.newton_iterations && work.evaluations == plan->work.evaluations,
            "%ld rollouts, %ld", plan->work.rollouts, work.rollouts);
      found_late |= draws % threads != 0 && draws > threads;  // in the middle of some rolled out together
      dc_plan_destroy(plan);
    }
  }
  CHECK(found_late, "draws are left over");
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_scene_destroy(scene);
}

static void test_sampling_in_vain(void)
{
  struct dc_scene *scene = read_local(pair_text);
  struct dc_first_guess_settings settings = sampling(1e-3, 7);
  settings.distribution = DC_UNIFORM;
  struct dc_plan *plan = minimize(scene, DC_GRADIENT_ADJOINT, &settings);
  CHECK(plan->guess.counts.draws == 7 && plan->guess.counts.vanished == 1);
  CHECK(memcmp(plan->descent.first_parameters, still, sizeof still) == 0);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
  // with the far field there is nothing to draw
  scene = read_scene(pair_text);
  plan = minimize(scene, DC_GRADIENT_ADJOINT, &settings);
  CHECK(plan->guess.counts.draws == 0 && plan->guess.counts.vanished == 0);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Without controls there is nothing to estimate, draw or warn of: one rollout is all.
static void test_no_parameters(void)
{
  static const char text[] = "{'time': {'step': 0.02, 'steps': 2},\n"
                             " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 0}},\n"
                             " 'bodies': [{'name': 'ball', 'shape': 'ball'}],\n"
                             " 'objective': [{'type': 'reach', 'body': 'ball', 'target': [1, 0, 0]}]}\n";
  struct dc_scene *scene = read_scene(text);
  for (int type = DC_GRADIENT_ADJOINT; type <= DC_GRADIENT_BUNDLE; type++) {
    struct dc_first_guess_settings first_guess = sampling(1, 50);
    struct dc_gradient_settings settings = settings_of(type);
    struct dc_error error = {0};
    struct dc_plan *plan = create(scene, &settings);
    plan->guess.settings = first_guess;
    CHECK(optimize(plan, scene, NULL, NULL, NULL, NULL, &error) == DC_OK, "%s", error.text);
    CHECK(plan->work.rollouts == 1, "type %d: %ld rollouts", type, plan->work.rollouts);
    CHECK(plan->guess.counts.draws == 0 && plan->guess.counts.vanished == 0, "type %d: %ld draws", type,
          plan->guess.counts.draws);
    CHECK(plan->estimate.counts.estimates == 0 && plan->estimate.counts.dropped == 0, "type %d", type);
    dc_plan_destroy(plan);
  }
  dc_scene_destroy(scene);
}

// Whether the draws of a coordinate are the same in all steps.
static void test_held(void)
{
  struct dc_scene *scene = read_local(windows_text);
  double parameters[64];
  for (int held = 0; held < 2; held++) {
    struct dc_first_guess_settings settings = sampling(2, 50);
    settings.held = held;
    settings.distribution = DC_UNIFORM;
    struct dc_plan *plan = create(scene, NULL);
    plan->guess.settings = settings;
    CHECK(plan->parameter_count == 10, "%d", plan->parameter_count);
    memcpy(parameters, plan->parameters, 10 * sizeof *parameters);
    long heard = 0;
    plan->guess.observer = (struct dc_first_guess_observer){count_draw, &heard};
    CHECK(dc_first_guess_find(plan, parameters, NULL) == DC_OK);
    CHECK(plan->guess.counts.draws > 0 && plan->guess.counts.vanished == 0, "%ld draws", plan->guess.counts.draws);
    CHECK(heard == plan->guess.counts.draws - 1, "all but the last were in vain: %ld", heard);
    for (int i = 0; i < 10; i++)
      CHECK(fabs(parameters[i] - plan->parameters[i]) < 2 && parameters[i] != plan->parameters[i]);
    CHECK((fabs(parameters[2] - parameters[0]) < 1e-15 && fabs(parameters[9] - parameters[1]) < 1e-15) == held);
    dc_plan_destroy(plan);
  }
  dc_scene_destroy(scene);
}

struct watch {
  struct dc_receding_horizon *horizon;
  int calls, stop_at;
  struct dc_snapshot *snapshot;
};

static bool count_call(void *context, const struct dc_plan_iteration *iteration)
{
  struct watch *watch = context;
  (void)iteration;
  if (++watch->calls != watch->stop_at)
    return true;
  CHECK(dc_horizon_save(watch->horizon, watch->snapshot) == DC_OK);
  return false;
}

static enum dc_status run_windows(struct watch *watch)
{
  struct dc_error error = {0};
  struct dc_horizon_observer observer = {.context = watch, .iterated = count_call, .applied = count_call};
  enum dc_status status = dc_horizon_run(watch->horizon, &observer, &error);
  CHECK(status == DC_OK || status == DC_STOPPED, "%s", error.text);
  return status;
}

static struct dc_receding_horizon *create_windows(const struct dc_scene *scene, bool every_window)
{
  struct dc_error error = {0};
  struct dc_gradient_settings settings = settings_of(DC_GRADIENT_BUNDLE);
  struct dc_receding_horizon *horizon = dc_horizon_create(&scene->model, &scene->task, &scene->horizon,
                                                          scene->optimizer, scene->optimizer_options, &error);
  if (!horizon) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  settings.samples = 2;
  settings.sigma = 1e-3;
  dc_plan_set_gradient(horizon->plan, &settings);
  horizon->plan->guess.settings = sampling(0.1, 2);
  horizon->plan->guess.settings.threshold = 1e6;  // nothing will do: the best of two draws and the given one is taken
  horizon->plan->guess.settings.every_window = every_window;
  return horizon;
}

static void test_windows(void)
{
  struct dc_scene *scene = read_scene(windows_text);
  struct watch all = {.horizon = create_windows(scene, true)}, once = {.horizon = create_windows(scene, false)};
  struct dc_receding_horizon *straight = all.horizon;
  CHECK(run_windows(&all) == DC_OK && run_windows(&once) == DC_OK);
  long draws = straight->plan->guess.counts.draws, draws_once = once.horizon->plan->guess.counts.draws;
  CHECK(draws == 2 * straight->executed->steps && draws_once == 2, "%ld, %ld draws", draws, draws_once);
  CHECK(straight->plan->guess.counts.vanished == straight->executed->steps &&
        once.horizon->plan->guess.counts.vanished == 1);
  CHECK(all.calls > 8, "%d", all.calls);
  for (int at = 1; at < all.calls; at += 3) {
    struct watch watch = {.horizon = create_windows(scene, true), .stop_at = at, .snapshot = dc_snapshot_create()};
    struct dc_error error = {0};
    CHECK(run_windows(&watch) == DC_STOPPED);
    dc_horizon_destroy(watch.horizon);
    watch.horizon = create_windows(scene, true);
    CHECK(dc_horizon_load(watch.horizon, watch.snapshot, &error) == DC_OK, "%s", error.text);
    CHECK(run_windows(&watch) == DC_OK);
    const struct dc_receding_horizon *resumed = watch.horizon;
    size_t bytes = ((size_t)resumed->executed->steps + 1) * (size_t)resumed->executed->nq * sizeof(double);
    CHECK(resumed->executed->steps == straight->executed->steps &&
              memcmp(resumed->executed->q, straight->executed->q, bytes) == 0,
          "from call %d", at);
    CHECK(resumed->plan->guess.counts.draws == draws &&
          resumed->plan->estimate.counts.estimates == straight->plan->estimate.counts.estimates);
    dc_snapshot_destroy(watch.snapshot);
    dc_horizon_destroy(watch.horizon);
  }
  dc_horizon_destroy(straight);
  dc_horizon_destroy(once.horizon);
  dc_scene_destroy(scene);
}

// Losses side by side are those of one rollout after the other, bit for bit, and count as much work.

RUN_TESTS({"first guesses are drawn", test_sampling}, {"draws with any number of threads", test_sampling_threads},
          {"no draw helps, none is needed", test_sampling_in_vain}, {"nothing to optimize", test_no_parameters},
          {"draws held over all steps", test_held}, {"windows", test_windows})
