// SPDX-License-Identifier: Apache-2.0
// Estimated gradients and first guesses drawn at random, on a ball that is thrown at another one.
#include <omp.h>

#include "base/random.h"
#include "base/threads.h"
#include "plan/worker.h"
#include "plan_scene.h"

static const char pair_text[] =
    "{'name': 'pair', 'time': {'step': 0.02, 'steps': 6}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 1, 'base': 'octahedron'}},\n"
    " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.1, 'position': [-0.3, 0, 0], 'velocity': [2, 0, 0]},\n"
    "            {'name': 'eight', 'shape': 'ball', 'mass': 0.1, 'position': [0, 0.02, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'cue', 'position': 'y', 'velocity': 'xy'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'eight', 'target': [0.5, 0.2, 0], 'tolerance': 0.01}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.05, 'iterations': 5}}\n";
enum { PAIR_PARAMETERS = 3 };
static const double pair_parameters[PAIR_PARAMETERS] = {0.03, 0.4, -0.2};

// A ball between two thick walls whose faces are 0.1 m away from it; %s: what is controlled.
static const char walls_text[] =
    "{'name': 'walls', 'time': {'step': 0.02, 'steps': 3}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 1, 'base': 'octahedron'},\n"
    "            'wall': {'type': 'box', 'size': [40, 1, 1]}},\n"
    " 'bodies': [{'name': 'ball', 'shape': 'ball', 'mass': 0.1},\n"
    "            {'name': 'left', 'shape': 'wall', 'joint': 'fixed', 'position': [-20.2, 0, 0]},\n"
    "            {'name': 'right', 'shape': 'wall', 'joint': 'fixed', 'position': [20.2, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'ball', %s}],\n"
    " 'objective': [{'type': 'reach', 'body': 'ball', 'target': [0.3, 0.5, 0]}]}\n";

// The cue is driven from window to window; whether it meets the other ball depends on what is drawn.
static const char windows_text[] =
    "{'name': 'windows', 'time': {'step': 0.05, 'steps': 5}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 1, 'base': 'octahedron'}},\n"
    " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.1, 'position': [-0.4, 0, 0],\n"
    "             'joint': [{'type': 'slide', 'axis': [1, 0, 0]}, {'type': 'slide', 'axis': [0, 1, 0]}],\n"
    "             'pd': {'kp': 100, 'kd': 10}},\n"
    "            {'name': 'eight', 'shape': 'ball', 'mass': 0.1, 'position': [0, 0.02, 0]}],\n"
    " 'control': [{'type': 'pd_velocity', 'body': 'cue', 'speed': 3, 'gain': 10}],\n"
    " 'objective': [{'type': 'reach', 'body': 'eight', 'target': [0.5, 0.2, 0], 'tolerance': 0.01}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.1, 'iterations': 3},\n"
    " 'horizon': {'length': 3, 'iterations': 2}}\n";

static struct dc_plan *create(const struct dc_scene *scene, const struct dc_gradient_settings *settings)
{
  struct dc_error error = {0};
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, &error);
  if (!plan) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  if (settings)
    dc_plan_set_gradient(plan, settings);
  return plan;
}

static void set_defaults(const struct dc_option *table, void *settings)
{
  struct dc_arena *arena = dc_arena_create();
  CHECK(dc_options_set_defaults(table, settings, arena, NULL) == DC_OK);
  dc_arena_destroy(arena);
}

static struct dc_gradient_settings settings_of(enum dc_gradient_type type)
{
  struct dc_gradient_settings settings = {0};
  set_defaults(dc_gradient_options, &settings);
  settings.type = (int)type;
  settings.samples = 10;
  return settings;
}

static double norm(const double *x, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum = hypot(sum, x[i]);
  return sum;
}

static void gradient_at(const struct dc_scene *scene, const struct dc_gradient_settings *settings, bool tight,
                        double *loss, double *gradient)
{
  struct dc_error error = {0};
  struct dc_plan *plan = create(scene, settings);
  dc_rollout_set_tight(plan->rollout, tight);
  CHECK(dc_plan_evaluate(plan, pair_parameters, loss, gradient, &error) == DC_OK, "%s", error.text);
  dc_plan_destroy(plan);
}

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
  CHECK(plan->gradient_counts.dropped == 1 && plan->gradient_counts.one_sided == 0);
  // the point itself and two of the velocity
  CHECK(plan->work.rollouts == 3 && plan->work.steps == 9, "%ld", plan->work.rollouts);
  parameters[0] = 0.06;  // one side is free
  CHECK(dc_plan_evaluate(plan, parameters, &loss, gradient, &error) == DC_OK, "%s", error.text);
  CHECK(plan->gradient_counts.dropped == 1 && plan->gradient_counts.one_sided == 1);
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
  CHECK(plan->gradient_counts.estimates == 2 && plan->gradient_counts.dropped == dropped);
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
    CHECK(plan->gradient_counts.dropped == (type == DC_GRADIENT_BUNDLE ? settings.samples : 1));
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
  CHECK(straight->gradient_counts.estimates == 6, "%ld", straight->gradient_counts.estimates);
  for (int at = 0; at < 5; at += 2) {
    struct stop stop = {.plan = create(scene, &settings), .at = at, .snapshot = dc_snapshot_create()};
    CHECK(optimize((struct dc_plan *)stop.plan, scene, pair_parameters, note, &stop, NULL, &error) == DC_STOPPED);
    struct dc_plan *resumed = create(scene, &settings);
    CHECK(dc_plan_begin(resumed, scene->optimizer, scene->optimizer_options, pair_parameters, &error) == DC_OK);
    CHECK(dc_plan_load(resumed, stop.snapshot, &error) == DC_OK, "%s", error.text);
    stop.at = -1;
    CHECK(dc_plan_continue(resumed, note, &stop, &error) == DC_OK, "%s", error.text);
    CHECK(memcmp(all.losses, stop.losses, 6 * sizeof *all.losses) == 0, "from iteration %d", at);
    CHECK(resumed->gradient_counts.estimates == 6 && resumed->work.rollouts == straight->work.rollouts &&
          resumed->work.newton_iterations == straight->work.newton_iterations);
    CHECK(memcmp(resumed->best_parameters, straight->best_parameters, sizeof pair_parameters) == 0);
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
    plan->first_guess = *first_guess;
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
    CHECK(memcmp(plan->best_parameters, still, sizeof still) == 0, "without draws it stays where it is");
    dc_plan_destroy(plan);

    plan = minimize(scene, type, &settings);
    long draws = plan->first_guess_counts.draws;
    CHECK(draws > 0 && draws <= 50 && plan->first_guess_counts.vanished == 0, "%ld draws", draws);
    CHECK(dc_plan_evaluate(plan, plan->first_parameters, &loss, gradient, NULL) == DC_OK);
    CHECK(norm(gradient, PAIR_PARAMETERS) > 1e-6 * loss, "%g", norm(gradient, PAIR_PARAMETERS));
    CHECK(dc_minimization_result(plan->minimization)->iterations == 5);
    CHECK(memcmp(plan->first_parameters, still, sizeof still) != 0);
    double found[PAIR_PARAMETERS];
    memcpy(found, plan->first_parameters, sizeof found);
    dc_plan_destroy(plan);

    // one draw less does not do it, and then nothing changes
    settings.draws = draws - 1;
    if (draws > 1) {
      plan = minimize(scene, type, &settings);
      CHECK(plan->first_guess_counts.vanished == 1 && plan->first_guess_counts.draws == draws - 1);
      dc_plan_destroy(plan);
    }
    // another seed, another draw
    settings.draws = 50;
    settings.seed = 2;
    plan = minimize(scene, type, &settings);
    CHECK(memcmp(plan->first_parameters, found, sizeof found) != 0);
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
        memcpy(found, plan->best_parameters, sizeof found);
        work = plan->work;
        draws = plan->first_guess_counts.draws;
      }
      CHECK(memcmp(found, plan->best_parameters, sizeof found) == 0, "seed %ld, %d threads", seed, threads);
      CHECK(plan->first_guess_counts.draws == draws, "%ld draws, %ld", plan->first_guess_counts.draws, draws);
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
  CHECK(plan->first_guess_counts.draws == 7 && plan->first_guess_counts.vanished == 1);
  CHECK(memcmp(plan->first_parameters, still, sizeof still) == 0);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
  // with the far field there is nothing to draw
  scene = read_scene(pair_text);
  plan = minimize(scene, DC_GRADIENT_ADJOINT, &settings);
  CHECK(plan->first_guess_counts.draws == 0 && plan->first_guess_counts.vanished == 0);
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
    plan->first_guess = first_guess;
    CHECK(optimize(plan, scene, NULL, NULL, NULL, NULL, &error) == DC_OK, "%s", error.text);
    CHECK(plan->work.rollouts == 1, "type %d: %ld rollouts", type, plan->work.rollouts);
    CHECK(plan->first_guess_counts.draws == 0 && plan->first_guess_counts.vanished == 0, "type %d: %ld draws", type,
          plan->first_guess_counts.draws);
    CHECK(plan->gradient_counts.estimates == 0 && plan->gradient_counts.dropped == 0, "type %d", type);
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
    plan->first_guess = settings;
    CHECK(plan->parameter_count == 10, "%d", plan->parameter_count);
    memcpy(parameters, plan->parameters, 10 * sizeof *parameters);
    long heard = 0;
    plan->first_guess_observer = (struct dc_first_guess_observer){count_draw, &heard};
    CHECK(dc_first_guess_find(plan, parameters, NULL) == DC_OK);
    CHECK(plan->first_guess_counts.draws > 0 && plan->first_guess_counts.vanished == 0, "%ld draws",
          plan->first_guess_counts.draws);
    CHECK(heard == plan->first_guess_counts.draws - 1, "all but the last were in vain: %ld", heard);
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
  horizon->plan->first_guess = sampling(0.1, 2);
  horizon->plan->first_guess.threshold = 1e6;  // nothing will do: the best of two draws and the given one is taken
  horizon->plan->first_guess.every_window = every_window;
  return horizon;
}

static void test_windows(void)
{
  struct dc_scene *scene = read_scene(windows_text);
  struct watch all = {.horizon = create_windows(scene, true)}, once = {.horizon = create_windows(scene, false)};
  struct dc_receding_horizon *straight = all.horizon;
  CHECK(run_windows(&all) == DC_OK && run_windows(&once) == DC_OK);
  long draws = straight->plan->first_guess_counts.draws, draws_once = once.horizon->plan->first_guess_counts.draws;
  CHECK(draws == 2 * straight->executed->steps && draws_once == 2, "%ld, %ld draws", draws, draws_once);
  CHECK(straight->plan->first_guess_counts.vanished == straight->executed->steps &&
        once.horizon->plan->first_guess_counts.vanished == 1);
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
    CHECK(resumed->plan->first_guess_counts.draws == draws &&
          resumed->plan->gradient_counts.estimates == straight->plan->gradient_counts.estimates);
    dc_snapshot_destroy(watch.snapshot);
    dc_horizon_destroy(watch.horizon);
  }
  dc_horizon_destroy(straight);
  dc_horizon_destroy(once.horizon);
  dc_scene_destroy(scene);
}

// Losses side by side are those of one rollout after the other, bit for bit, and count as much work.
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
  }
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

RUN_TESTS({"losses of many points", test_values}, {"differences against the adjoint", test_differences},
          {"differences where bodies overlap", test_differences_into_walls},
          {"a narrow bundle is the adjoint", test_narrow_bundle}, {"a bundle is a mean", test_bundle},
          {"a bundle where bodies overlap", test_bundle_into_walls}, {"nothing can be rolled out", test_nothing_left},
          {"equal bits with any number of threads", test_threads}, {"equal bits after a snapshot", test_resume},
          {"models without an adjoint", test_foreign}, {"first guesses are drawn", test_sampling},
          {"draws with any number of threads", test_sampling_threads},
          {"no draw helps, none is needed", test_sampling_in_vain}, {"nothing to optimize", test_no_parameters},
          {"draws held over all steps", test_held}, {"windows", test_windows})
