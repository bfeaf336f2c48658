// SPDX-License-Identifier: Apache-2.0
// A block on two slides that an actuator drives to a target, alone in the world: the windows of a receding horizon.
#include <omp.h>

#include "base/threads.h"
#include "plan_scene.h"

static const char scene_text[] =
    "{'name': 'slides', 'time': {'step': 0.05, 'steps': 12}, 'gravity': [0, 0, 0],\n"
    " 'shapes': {'block': {'type': 'box', 'size': [0.1, 0.1, 0.1]}},\n"
    " 'bodies': [{'name': 'block', 'shape': 'block', 'mass': 1, 'pd': {'kp': 100, 'kd': 10},\n"
    "             'joint': [{'type': 'slide', 'axis': [1, 0, 0]}, {'type': 'slide', 'axis': [0, 1, 0]}]}],\n"
    " 'control': [{'type': 'pd_velocity', 'body': 'block', 'speed': 1, 'gain': 10}],\n"
    " 'objective': [{'type': 'reach', 'body': 'block', 'target': [0.3, -0.1, 0], 'tolerance': 0.01, 'weight': 100}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.1, 'iterations': 3},\n"
    " 'horizon': {'length': 4, 'iterations': 5}}\n";
static const double target[3] = {0.3, -0.1, 0};
enum { STEPS = 12, MOST_ROWS = STEPS + 1, COORDINATES = 2 };

static struct dc_receding_horizon *create(const struct dc_scene *scene, const struct dc_horizon *options)
{
  struct dc_error error = {0};
  struct dc_receding_horizon *horizon =
      dc_horizon_create(&scene->model, &scene->task, options, scene->optimizer, scene->optimizer_options, &error);
  if (!horizon) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return horizon;
}

struct row {
  int iteration;
  double loss, gradient_norm, min_gap;
  long newton_iterations;
};

// Notes rows; takes a snapshot, if it has one, and stops at the call with the number stop_at (from 1; 0: never).
struct recorder {
  struct dc_receding_horizon *horizon;
  struct row rows[MOST_ROWS];
  int row_count, calls, stop_at, window_calls;
  struct dc_snapshot *snapshot;
};

static bool count_call(struct recorder *recorder)
{
  if (++recorder->calls != recorder->stop_at)
    return true;
  CHECK(!recorder->snapshot || dc_horizon_save(recorder->horizon, recorder->snapshot) == DC_OK);
  return false;
}

static bool note_iteration(void *context, const struct dc_plan_iteration *iteration)
{
  struct recorder *recorder = context;
  (void)iteration;
  recorder->window_calls++;
  return count_call(recorder);
}

static bool note_row(void *context, const struct dc_plan_iteration *row)
{
  struct recorder *recorder = context;
  CHECK(recorder->row_count < MOST_ROWS);
  if (recorder->row_count < MOST_ROWS)
    recorder->rows[recorder->row_count++] =
        (struct row){row->iteration, row->loss, row->gradient_norm, row->min_gap, row->newton_iterations};
  return count_call(recorder);
}

static enum dc_status run(struct recorder *recorder, struct dc_error *error)
{
  struct dc_horizon_observer observer = {.context = recorder, .iterated = note_iteration, .applied = note_row};
  return dc_horizon_run(recorder->horizon, &observer, error);
}

static bool same_row(const struct row *a, const struct row *b)
{
  bool same_norm = a->gradient_norm == b->gradient_norm || (isnan(a->gradient_norm) && isnan(b->gradient_norm));
  return a->iteration == b->iteration && a->loss == b->loss && same_norm && a->min_gap == b->min_gap &&
         a->newton_iterations == b->newton_iterations;
}

static bool same_executed(const struct dc_receding_horizon *a, const struct dc_receding_horizon *b)
{
  const struct dc_trajectory *s = a->executed, *t = b->executed;
  size_t frames = (size_t)s->steps + 1, targets = (size_t)s->steps * COORDINATES * sizeof(double);
  size_t parameters = (size_t)dc_task_parameter_count(a->task, a->model, a->steps) * sizeof(double);
  return s->steps == t->steps && memcmp(s->q, t->q, frames * (size_t)s->nq * sizeof *s->q) == 0 &&
         memcmp(s->min_gap, t->min_gap, frames * sizeof *s->min_gap) == 0 &&
         memcmp(a->target_position, b->target_position, targets) == 0 &&
         memcmp(a->target_velocity, b->target_velocity, targets) == 0 &&
         memcmp(a->applied, b->applied, parameters) == 0;
}

static double loss_at(const struct dc_trajectory *trajectory, int frame)
{
  double square = 0;
  for (int i = 0; i < 3; i++)
    square += pow(trajectory->poses[frame * trajectory->bodies].position[i] - target[i], 2);
  return 100 * fmax(square - 1e-4, 0);
}

static void test_rows(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  CHECK(scene->horizon_given && scene->horizon.length == 4 && scene->horizon.iterations == 5 &&
        scene->horizon.apply == 1 && scene->horizon.patience == 0 && scene->horizon.keep == DC_KEEP_LAST);
  struct recorder recorder = {.horizon = create(scene, &scene->horizon)};
  struct dc_receding_horizon *horizon = recorder.horizon;
  struct dc_error error = {0};
  CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
  int steps = horizon->executed->steps;
  CHECK(recorder.row_count == steps + 1 && steps > 4 && steps <= STEPS, "%d rows, %d steps", recorder.row_count, steps);
  long newton = 0;
  for (int k = 0; k < recorder.row_count; k++) {
    const struct row *row = &recorder.rows[k];
    CHECK(row->iteration == k);
    CHECK_NEAR(row->loss, loss_at(horizon->executed, k), 1e-12);  // rounding of 10
    CHECK(k == 0 ? isnan(row->gradient_norm) && row->newton_iterations == 0 : isfinite(row->gradient_norm));
    newton += row->newton_iterations;
  }
  CHECK(newton == horizon->plan->work.newton_iterations, "%ld", newton);
  CHECK(horizon->initial_loss == recorder.rows[0].loss && horizon->loss == recorder.rows[steps].loss);
  CHECK(horizon->loss < 0.5 * horizon->initial_loss, "%g", horizon->loss);
  // Each window but those that end at the target has its first guess and five iterations.
  CHECK(recorder.window_calls == dc_horizon_iterations(horizon) + steps && dc_horizon_iterations(horizon) <= 5 * steps);
  CHECK(dc_horizon_iterations(horizon) > 5 * (steps - 4), "%d", dc_horizon_iterations(horizon));
  CHECK(horizon->first && horizon->first->steps == STEPS);
  dc_horizon_destroy(horizon);
  dc_scene_destroy(scene);
}

// The applied parameters, rolled out as one run, give the executed trajectory: the windows join without a seam.
static void test_seams(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = scene->horizon;
  struct dc_error error = {0};
  for (options.apply = 1; options.apply <= 3; options.apply += 2) {
    struct recorder recorder = {.horizon = create(scene, &options)};
    struct dc_receding_horizon *horizon = recorder.horizon;
    CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
    int steps = horizon->executed->steps;
    struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, steps, &error);
    CHECK(plan && plan->parameter_count == steps * COORDINATES, "%s", error.text);
    double loss, largest = 0;
    dc_horizon_applied(horizon, plan->parameters);
    CHECK(dc_plan_evaluate(plan, plan->parameters, &loss, NULL, &error) == DC_OK, "%s", error.text);
    for (int i = 0; i < (steps + 1) * COORDINATES; i++)
      largest = larger(largest, fabs(plan->trajectory->q[i] - horizon->executed->q[i]));
    CHECK_NEAR(largest, 0, 1e-9);  // 0 observed where steps are exact
    for (int i = 0; i < steps * COORDINATES; i++)
      CHECK_NEAR(plan->input->target_position[i], horizon->target_position[i], 1e-13);  // rounding of 1
    dc_plan_destroy(plan);
    dc_horizon_destroy(horizon);
  }
  dc_scene_destroy(scene);
}

// Windows with other steps than they were planned for, states that are cut, a last window that applies fewer steps: the
// same frames and targets, also when the replay is stopped in between.
static void test_replay(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = scene->horizon;
  struct dc_error error = {0};
  struct dc_pd_velocity_options *drive = scene->task.controls[0].options;
  double low[] = {-0.05}, high[] = {0.05};
  drive->held.actuator.low = (struct dc_real_list){.count = 1, .values = low};
  drive->held.actuator.high = (struct dc_real_list){.count = 1, .values = high};
  for (int stop = 0; stop < 4; stop++) {
    options.apply = 1 + stop;
    options.length = 5;
    struct recorder original = {.horizon = create(scene, &options)};
    CHECK(run(&original, &error) == DC_OK, "%s", error.text);
    struct dc_applied_targets targets = dc_horizon_targets(original.horizon);
    CHECK(targets.steps == STEPS && targets.apply == options.apply);
    double parameters[STEPS * COORDINATES], again[STEPS * COORDINATES];
    dc_horizon_applied(original.horizon, parameters);
    struct recorder replay = {.stop_at = stop};
    replay.horizon = dc_horizon_create_replay(&scene->model, &scene->task, &targets, parameters, NULL, &error);
    CHECK(replay.horizon, "%s", error.text);
    CHECK(run(&replay, &error) == (stop ? DC_STOPPED : DC_OK), "%s", error.text);
    CHECK(!stop || replay.row_count == stop, "%d", replay.row_count);
    CHECK(run(&replay, &error) == DC_OK, "%s", error.text);
    CHECK(same_executed(original.horizon, replay.horizon), "apply %ld", options.apply);
    CHECK(replay.horizon->loss == original.horizon->loss && replay.row_count == original.row_count);
    for (int k = 0; k < replay.row_count && k < original.row_count; k++)
      CHECK(replay.rows[k].iteration == original.rows[k].iteration && replay.rows[k].loss == original.rows[k].loss);
    dc_horizon_applied(replay.horizon, again);
    CHECK(memcmp(parameters, again, (size_t)targets.steps * COORDINATES * sizeof *again) == 0);
    CHECK(dc_horizon_iterations(replay.horizon) == 0 && replay.window_calls == 0 && !replay.horizon->first);
    dc_horizon_destroy(replay.horizon);
    dc_horizon_destroy(original.horizon);
  }
  dc_scene_destroy(scene);
}

// Stopped and saved at any call and loaded into a new horizon, the run goes on bit for bit.
static void check_resume(const struct dc_scene *scene, const struct dc_horizon *options)
{
  struct dc_error error = {0};
  struct recorder whole = {.horizon = create(scene, options)};
  CHECK(run(&whole, &error) == DC_OK, "%s", error.text);
  for (int stop = 1; stop <= whole.calls; stop += stop < 10 ? 1 : 4) {
    struct recorder first = {.horizon = create(scene, options), .stop_at = stop, .snapshot = dc_snapshot_create()};
    CHECK(run(&first, &error) == DC_STOPPED, "call %d: %s", stop, error.text);
    struct recorder second = {.horizon = create(scene, options), .row_count = first.row_count};
    memcpy(second.rows, first.rows, sizeof first.rows);
    CHECK(dc_horizon_load(second.horizon, first.snapshot, &error) == DC_OK, "call %d: %s", stop, error.text);
    CHECK(run(&second, &error) == DC_OK, "call %d: %s", stop, error.text);
    CHECK(first.calls + second.calls == whole.calls, "call %d: %d + %d, not %d", stop, first.calls, second.calls,
          whole.calls);
    CHECK(same_executed(whole.horizon, second.horizon), "call %d", stop);
    CHECK(second.row_count == whole.row_count, "call %d", stop);
    for (int k = 0; k < whole.row_count; k++)
      CHECK(same_row(&whole.rows[k], &second.rows[k]), "call %d, row %d", stop, k);
    CHECK(dc_horizon_iterations(whole.horizon) == dc_horizon_iterations(second.horizon), "call %d", stop);
    CHECK(whole.horizon->plan->work.rollouts == second.horizon->plan->work.rollouts, "call %d", stop);
    // The one that was stopped may go on itself.
    first.stop_at = 0;
    CHECK(run(&first, &error) == DC_OK && same_executed(whole.horizon, first.horizon), "call %d", stop);
    dc_horizon_destroy(first.horizon);
    dc_horizon_destroy(second.horizon);
    dc_snapshot_destroy(first.snapshot);
  }
  dc_horizon_destroy(whole.horizon);
}

static void test_resume(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = scene->horizon;
  struct dc_error error = {0};
  options.apply = 2;
  check_resume(scene, &options);
  struct recorder whole = {.horizon = create(scene, &options)};
  CHECK(run(&whole, &error) == DC_OK, "%s", error.text);
  // A run that was never begun, with a first guess that only the snapshot knows.
  struct recorder first = {.horizon = create(scene, &options), .snapshot = dc_snapshot_create()};
  struct recorder second = {.horizon = create(scene, &options)};
  double guess[STEPS * COORDINATES];
  for (int i = 0; i < STEPS * COORDINATES; i++)
    guess[i] = 0.01 * (1 + i % 3);
  dc_horizon_set_parameters(first.horizon, guess);
  CHECK(dc_horizon_save(first.horizon, first.snapshot) == DC_OK);
  CHECK(dc_horizon_load(second.horizon, first.snapshot, &error) == DC_OK, "%s", error.text);
  CHECK(run(&first, &error) == DC_OK && run(&second, &error) == DC_OK, "%s", error.text);
  CHECK(same_executed(first.horizon, second.horizon) && !same_executed(whole.horizon, second.horizon));
  dc_horizon_destroy(first.horizon);
  dc_horizon_destroy(second.horizon);
  dc_snapshot_destroy(first.snapshot);
  struct recorder other = {.horizon = create(scene, &options), .snapshot = dc_snapshot_create()};
  CHECK(dc_horizon_load(other.horizon, other.snapshot, &error) == DC_CHECKPOINT, "an empty snapshot");
  dc_snapshot_destroy(other.snapshot);
  dc_horizon_destroy(other.horizon);
  dc_horizon_destroy(whole.horizon);
  dc_scene_destroy(scene);
}

// The last windows are shorter than the others, and the last of them applies what is left.
static void test_last_windows(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = {.length = 8, .iterations = 1, .apply = 5, .keep = DC_KEEP_BEST};
  struct dc_error error = {0};
  struct recorder recorder = {.horizon = create(scene, &options)};
  CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
  CHECK(recorder.row_count == 4 && recorder.rows[1].iteration == 5 && recorder.rows[2].iteration == 10 &&
        recorder.rows[3].iteration == STEPS);
  CHECK(recorder.horizon->plan->window.first == 10 && recorder.horizon->plan->window.steps == 2);
  dc_horizon_destroy(recorder.horizon);
  options = (struct dc_horizon){.length = 100, .iterations = 0, .apply = 100};
  recorder = (struct recorder){.horizon = create(scene, &options)};
  CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
  CHECK(recorder.row_count == 2 && recorder.rows[1].iteration == STEPS);
  dc_horizon_destroy(recorder.horizon);
  dc_scene_destroy(scene);
}

static void test_early_ends(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_error error = {0};
  struct dc_reach_options *reach = scene->task.objectives[0].options;
  reach->tolerance = 0.2;
  struct recorder recorder = {.horizon = create(scene, &scene->horizon)};
  CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
  const struct dc_trajectory *executed = recorder.horizon->executed;
  CHECK(recorder.horizon->success && recorder.horizon->loss == 0 && executed->steps < STEPS, "%d", executed->steps);
  for (int k = 0; k < executed->steps; k++)
    CHECK(!dc_task_success(&scene->task, &scene->model, NULL, executed, k), "frame %d", k);
  dc_horizon_destroy(recorder.horizon);
  // Without iterations nothing moves: no window brings a lower loss.
  struct dc_horizon options = {.length = 4, .iterations = 0, .apply = 1, .patience = 3};
  recorder = (struct recorder){.horizon = create(scene, &options)};
  CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
  CHECK(recorder.horizon->executed->steps == 3 && !recorder.horizon->success);
  dc_horizon_destroy(recorder.horizon);
  dc_scene_destroy(scene);
}

// An objective that fails: from the start of the window at fail_from on, fail_count evaluations.
static struct dc_objective_type failing;
static const struct dc_receding_horizon *watched;
static int fail_from, fail_count;

static double evaluate_failing(const void *options, const struct dc_model *model, const struct dc_rollout_input *input,
                               const struct dc_trajectory *trajectory, struct dc_loss_cotangent *cotangent)
{
  if (watched && watched->executed->steps >= fail_from && trajectory->steps > 0 && fail_count-- > 0)
    return NAN;
  return dc_objective_reach.evaluate(options, model, input, trajectory, cotangent);
}

static void test_failing_windows(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  failing = dc_objective_reach;
  failing.evaluate = evaluate_failing;
  scene->task.objectives[0].type = &failing;
  for (int fatal = 0; fatal < 2; fatal++) {
    struct dc_error error = {0};
    struct recorder recorder = {.horizon = create(scene, &scene->horizon)};
    watched = recorder.horizon;
    fail_from = 3;
    fail_count = fatal ? 1000 : 1;  // the first guess of the window
    enum dc_status status = run(&recorder, &error);
    int steps = recorder.horizon->executed->steps;
    if (fatal)
      CHECK(status == DC_NUMERICAL && steps == 3 && recorder.row_count == 4 && strstr(error.text, "step 3"), "%d: %s",
            steps, error.text);
    else
      CHECK(status == DC_OK && steps > 4 && fail_count < 0, "%d: %s", steps, error.text);
    watched = NULL;
    dc_horizon_destroy(recorder.horizon);
  }
  dc_scene_destroy(scene);
}

static void test_refusals(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_error error = {0};
  struct dc_control control = {.type = &dc_control_initial_state};
  struct dc_task task = {.control_count = 1, .controls = &control};
  struct dc_horizon options = {.length = 4, .iterations = 1, .apply = 5};
  CHECK(dc_horizon_check(&scene->task, &scene->model, &options, &error) == DC_BAD_INPUT);
  CHECK(strstr(error.text, "apply: must be <= length, 4 (is 5)"), "%s", error.text);
  options.apply = 4;
  CHECK(dc_horizon_check(&scene->task, &scene->model, &options, &error) == DC_OK);
  CHECK(dc_horizon_check(&task, &scene->model, &options, &error) == DC_BAD_INPUT);
  CHECK(strstr(error.text, "control[0]: parameters of \"initial_state\" are for the whole run"), "%s", error.text);
  dc_scene_destroy(scene);
}

// A minimization over the whole run that is saved in the middle and goes on elsewhere.
struct plan_recorder {
  struct dc_plan *plan;
  double losses[16];
  int count, stop_at;
  struct dc_snapshot *snapshot;
};

static bool note_loss(void *context, const struct dc_plan_iteration *iteration)
{
  struct plan_recorder *recorder = context;
  if (recorder->count < 16)
    recorder->losses[recorder->count++] = iteration->loss;
  if (recorder->count != recorder->stop_at)
    return true;
  CHECK(dc_plan_save(recorder->plan, recorder->snapshot) == DC_OK);
  return false;
}

static void test_plan_resume(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_error error = {0};
  struct plan_recorder whole = {.plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error)};
  struct plan_recorder half = {.plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error), .stop_at = 2};
  struct plan_recorder rest = {.plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error)};
  half.snapshot = dc_snapshot_create();
  const struct dc_optimizer_type *type = scene->optimizer;
  const void *options = scene->optimizer_options;
  struct dc_optimizer_result result;
  CHECK(optimize(whole.plan, scene, NULL, note_loss, &whole, &result, &error) == DC_OK, "%s", error.text);
  CHECK(result.iterations == 3 && whole.count == 4 && result.first_value == whole.losses[0]);
  CHECK(optimize(half.plan, scene, NULL, note_loss, &half, NULL, &error) == DC_STOPPED);
  CHECK(dc_plan_begin(rest.plan, type, options, rest.plan->parameters, &error) == DC_OK, "%s", error.text);
  CHECK(dc_plan_load(rest.plan, half.snapshot, &error) == DC_OK, "%s", error.text);
  CHECK(dc_plan_continue(rest.plan, note_loss, &rest, &error) == DC_OK, "%s", error.text);
  CHECK(half.count == 2 && rest.count == 2 && memcmp(whole.losses + 2, rest.losses, 2 * sizeof(double)) == 0);
  size_t bytes = (STEPS + 1) * COORDINATES * sizeof(double);
  CHECK(memcmp(whole.plan->descent.first->q, rest.plan->descent.first->q, bytes) == 0);
  CHECK(memcmp(whole.plan->descent.best->q, rest.plan->descent.best->q, bytes) == 0);
  CHECK(memcmp(whole.plan->descent.best_parameters, rest.plan->descent.best_parameters,
               STEPS * COORDINATES * sizeof(double)) == 0);
  CHECK(whole.plan->work.newton_iterations == rest.plan->work.newton_iterations);
  // Saved before the first evaluation, and loaded into one that began elsewhere.
  double other[STEPS * COORDINATES];
  for (int i = 0; i < STEPS * COORDINATES; i++)
    other[i] = 0.01;
  dc_snapshot_clear(half.snapshot);
  rest.count = half.stop_at = 0;
  CHECK(dc_plan_begin(half.plan, type, options, half.plan->descent.first_parameters, &error) == DC_OK, "%s",
        error.text);
  half.plan->work = rest.plan->work = (struct dc_plan_work){0};
  CHECK(dc_plan_save(half.plan, half.snapshot) == DC_OK);
  CHECK(dc_plan_begin(rest.plan, type, options, other, &error) == DC_OK, "%s", error.text);
  CHECK(dc_plan_load(rest.plan, half.snapshot, &error) == DC_OK, "%s", error.text);
  CHECK(rest.plan->work.rollouts == 0, "nothing is rolled out");
  CHECK(dc_plan_continue(rest.plan, note_loss, &rest, &error) == DC_OK, "%s", error.text);
  CHECK(rest.count == 4 && memcmp(whole.losses, rest.losses, 4 * sizeof(double)) == 0);
  dc_snapshot_destroy(half.snapshot);
  dc_plan_destroy(whole.plan);
  dc_plan_destroy(half.plan);
  dc_plan_destroy(rest.plan);
  dc_scene_destroy(scene);
}

// The loss of the first guess of every window.
struct guesses {
  int count;
  double loss[STEPS];
};

static bool note_guess(void *context, const struct dc_plan_iteration *iteration)
{
  struct guesses *guesses = context;
  if (iteration->iteration == 0 && guesses->count < STEPS)
    guesses->loss[guesses->count++] = iteration->loss;
  return true;
}

static void guess(const struct dc_scene *scene, const struct dc_horizon *options, struct guesses *guesses)
{
  struct dc_receding_horizon *horizon = create(scene, options);
  struct dc_horizon_observer observer = {.context = guesses, .iterated = note_guess};
  struct dc_error error = {0};
  guesses->count = 0;
  CHECK(dc_horizon_run(horizon, &observer, &error) == DC_OK, "%s", error.text);
  dc_horizon_destroy(horizon);
}

// Without iterations nothing moves until a draw does; the best one of several is the next first guess.
static void test_draws(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = scene->horizon;
  struct guesses none, one, many;
  options.iterations = 0;
  options.spread = 0.5;
  guess(scene, &options, &none);
  options.explore = 3;
  options.draws = 1;
  guess(scene, &options, &one);
  options.draws = 16;
  guess(scene, &options, &many);
  int first = 0;
  while (first < STEPS && one.loss[first] == none.loss[first])
    first++;
  CHECK(first >= 2 && first < STEPS, "drawn before window %d", first);  // the first draw that helps
  CHECK(many.loss[0] == one.loss[0] && many.loss[1] == one.loss[1], "the same before the draw");
  CHECK(many.loss[first] < one.loss[first], "%g of 16 draws, %g of one", many.loss[first], one.loss[first]);
  check_resume(scene, &options);
  options.iterations = 2;
  options.explore = 1;
  check_resume(scene, &options);
  dc_scene_destroy(scene);
}

// A run that compares draws, by so many threads.
static struct recorder run_drawn(const struct dc_scene *scene, const struct dc_horizon *options,
                                 const struct dc_gradient_settings *gradient, int threads)
{
  struct recorder recorder = {.horizon = create(scene, options)};
  struct dc_error error = {0};
  omp_set_num_threads(threads);
  dc_loops_always_shared(threads > 1);
  dc_plan_set_gradient(recorder.horizon->plan, gradient);
  CHECK(run(&recorder, &error) == DC_OK, "%s", error.text);
  return recorder;
}

// Draws of which the best is taken: the same bits and the same work, whatever the number of threads.
static void test_draw_threads(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = scene->horizon;
  int before = omp_get_max_threads();
  options.iterations = 1;
  options.explore = 1;
  options.draws = 5;
  options.spread = 0.5;
  struct recorder one = run_drawn(scene, &options, &scene->gradient, 1);
  const struct dc_plan_work *work = &one.horizon->plan->work;
  CHECK(work->rollouts > 6 * one.horizon->steps / 2, "%ld rollouts", work->rollouts);
  for (int threads = 2; threads <= 4; threads += 2) {
    struct dc_loop_counts helped = dc_loop_counts();
    struct recorder many = run_drawn(scene, &options, &scene->gradient, threads);
    const struct dc_plan_work *other = &many.horizon->plan->work;
    CHECK(dc_loop_counts().helped > helped.helped, "nobody helped");
    CHECK(same_executed(one.horizon, many.horizon), "with %d threads", threads);
    for (int k = 0; k < one.row_count; k++)
      CHECK(same_row(&one.rows[k], &many.rows[k]), "with %d threads, row %d", threads, k);
    CHECK(work->rollouts == other->rollouts && work->steps == other->steps &&
              work->newton_iterations == other->newton_iterations && work->evaluations == other->evaluations,
          "with %d threads: %ld rollouts, not %ld", threads, other->rollouts, work->rollouts);
    dc_horizon_destroy(many.horizon);
  }
  dc_horizon_destroy(one.horizon);
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_scene_destroy(scene);
}

// The iterations of every window.
struct windows {
  int count, iterations[STEPS];
};

static bool note_length(void *context, const struct dc_plan_iteration *iteration)
{
  struct windows *windows = context;
  windows->count += iteration->iteration == 0;
  if (windows->count <= STEPS)
    windows->iterations[windows->count - 1] = iteration->iteration;
  return true;
}

// Once a window ends with everything reached the rest of it is applied as it is.
static void test_foreseen(void)
{
  struct dc_scene *scene = read_scene(scene_text);
  struct dc_horizon options = scene->horizon;
  struct dc_error error = {0};
  options.length = 9;
  options.iterations = 30;
  ((struct dc_reach_options *)scene->task.objectives[0].options)->when = DC_WHEN_EVERY;  // a loss on the way, too
  int plain[2] = {0};  // windows without an iteration
  for (int k = 0; k < 2; k++) {
    options.explore = k;
    struct dc_receding_horizon *horizon = create(scene, &options);
    struct windows windows = {0};
    struct dc_horizon_observer observer = {.context = &windows, .iterated = note_length};
    CHECK(dc_horizon_run(horizon, &observer, &error) == DC_OK, "%s", error.text);
    CHECK(horizon->success, "reached");
    CHECK(windows.iterations[0] == 30, "the first window: %d iterations", windows.iterations[0]);
    for (int i = 0; i < windows.count; i++)
      plain[k] += windows.iterations[i] == 0;
    dc_horizon_destroy(horizon);
  }
  CHECK(plain[0] == 0 && plain[1] > 2, "%d and %d windows without an iteration", plain[0], plain[1]);
  check_resume(scene, &options);
  dc_scene_destroy(scene);
}

RUN_TESTS({"a row for the start and for every step", test_rows},
          {"the applied parameters give the executed trajectory", test_seams},
          {"a replay executes the same", test_replay},
          {"a run that was stopped anywhere goes on bit for bit", test_resume},
          {"draws when nothing progresses", test_draws}, {"draws with any number of threads", test_draw_threads},
          {"what is foreseen is applied as it is", test_foreseen}, {"the last windows are shorter", test_last_windows},
          {"the run ends at the target or when patience is over", test_early_ends},
          {"a window that fails is tried again from zero", test_failing_windows},
          {"what cannot run in a receding horizon is refused", test_refusals},
          {"an optimization of the whole run goes on from a snapshot", test_plan_resume})
