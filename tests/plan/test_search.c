// SPDX-License-Identifier: Apache-2.0
// Searches: what they reach that one optimizer does not, threads, stages, budgets; retreats of plain optimizations.
#include "plan/search.h"

#include <omp.h>

#include "plan/race_internal.h"
#include "plan_scene.h"

// A cue at rest, far from the ball that is to move aside: its gradient tells next to nothing.
static const char shot_text[] =
    "{'time': {'step': 0.04, 'steps': 24}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 0}},\n"
    " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.1, 'position': [-0.8, 0.1, 0]},\n"
    "            {'name': 'near', 'shape': 'ball', 'mass': 0.1, 'position': [0, 0, 0]},\n"
    "            {'name': 'far', 'shape': 'ball', 'mass': 0.1, 'position': [0.2, 0.5, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'cue', %s'velocity': 'xy'}],\n"
    " 'objective': [{'type': 'reach', %s, 'target': [0.5, 0.9, 0], 'tolerance': 0.1, 'axes': 'xy'}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.03, 'iterations': 40}%s}\n";

enum { MOST_ROWS = 400, MOST_PARAMETERS = 64 };

struct rows {
  int count, stop_at;
  double losses[MOST_ROWS], parameters[MOST_ROWS][4];
  int stages[MOST_ROWS];
  char phases[MOST_ROWS];
};

static bool note(void *context, const struct dc_plan_iteration *row)
{
  struct rows *rows = context;
  CHECK(row->iteration == rows->count && rows->count < MOST_ROWS, "%d", row->iteration);
  rows->losses[rows->count] = row->loss;
  rows->stages[rows->count] = row->stage;
  rows->phases[rows->count] = row->phase[0];
  for (int i = 0; i < 4 && i < row->parameter_count; i++)
    rows->parameters[rows->count][i] = row->parameters[i];
  return ++rows->count != rows->stop_at;
}

static struct dc_scene *read_any_shot(const char *place, const char *bodies, const char *more)
{
  char text[4096];
  snprintf(text, sizeof text, shot_text, place, bodies, more);
  return read_scene(text);
}

static struct dc_scene *read_placed_shot(const char *place, const char *more)
{
  return read_any_shot(place, "'body': 'far'", more);
}

static struct dc_scene *read_shot(const char *more)
{
  return read_placed_shot("", more);
}

static struct dc_plan *create_plan(const struct dc_scene *scene)
{
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, NULL);
  if (!plan) {
    printf("Bail out! no plan\n");
    exit(1);
  }
  return plan;
}

static struct dc_search *create(struct dc_plan *plan, const struct dc_scene *scene)
{
  struct dc_search *search =
      dc_search_create(plan, &scene->search, scene->optimizer, scene->optimizer_options, plan->parameters, NULL);
  if (!search) {
    printf("Bail out! no search\n");
    exit(1);
  }
  return search;
}

// With two stages and few draws, so that every phase has its turn.
static void test_threads(void)
{
  struct dc_scene *scene =
      read_shot(", 'portfolio': {'rollouts': 150, 'draws': 20, 'candidates': 3, 'iterations': 3, 'alone': 1},\n"
                "'continuation': {'stiffness': 10, 'step': 2}");
  static struct rows rows[2];
  long rollouts[2];
  double losses[2];
  int before = omp_get_max_threads();
  for (int k = 0; k < 2; k++) {
    omp_set_num_threads(k ? 3 : 1);
    struct dc_plan *plan = create_plan(scene);
    struct dc_search *search = create(plan, scene);
    struct dc_error error = {0};
    CHECK(dc_search_run(search, note, &rows[k], &error) == DC_OK, "%s", error.text);
    rollouts[k] = plan->work.rollouts;
    losses[k] = plan->descent.best_loss;
    CHECK(dc_search_reached(search) == !(plan->descent.best_loss > 0) && dc_search_done(search));
    dc_search_destroy(search);
    dc_plan_destroy(plan);
  }
  omp_set_num_threads(before);
  CHECK(rows[0].count == rows[1].count && rollouts[0] == rollouts[1] && losses[0] == losses[1], "%d %d, %ld %ld",
        rows[0].count, rows[1].count, rollouts[0], rollouts[1]);
  CHECK(memcmp(rows[0].losses, rows[1].losses, sizeof rows[0].losses) == 0);
  CHECK(memcmp(rows[0].parameters, rows[1].parameters, sizeof rows[0].parameters) == 0);
  CHECK(rows[0].stages[rows[0].count - 1] == 2 && strchr(rows[0].phases, 'd'), "%s", rows[0].phases);
  dc_scene_destroy(scene);
}

// A whole search whose first fan is alone for some iterations.  Returns the rollouts up to the third row, and all of
// them in *total.
static long run_alone(int most, int iterations, int alone, struct rows *rows, long *total)
{
  char more[160];
  snprintf(more, sizeof more, ", 'portfolio': {'rollouts': %d, 'draws': 20, 'iterations': %d, 'alone': %d}", most,
           iterations, alone);
  struct dc_scene *scene = read_shot(more);
  struct dc_plan *plan = create_plan(scene);
  struct dc_search *search = create(plan, scene);
  struct dc_error error = {0};
  rows->stop_at = 3;
  CHECK(dc_search_run(search, note, rows, &error) == DC_STOPPED, "%s", error.text);
  long first = plan->work.rollouts;
  rows->stop_at = 0;
  CHECK(dc_search_run(search, note, rows, &error) == DC_OK && dc_search_done(search), "%s", error.text);
  *total = plan->work.rollouts;
  dc_search_destroy(search);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
  return first;
}

// As long as the first fan is alone its rollouts are the only ones; the search goes on after that as ever.
static void test_alone(void)
{
  static struct rows rows[2];
  long first[2], total;
  for (int k = 0; k < 2; k++)
    first[k] = run_alone(250, 4, 2 * k, &rows[k], &total);
  printf("# %ld rollouts instead of %ld\n", first[1], first[0]);
  CHECK(2 * first[1] < first[0], "%ld %ld", first[1], first[0]);
}

// When the first fan ends early, those beside it begin at once, with as many turns as they always have.
static void test_alone_too_long(void)
{
  static struct rows rows[2];
  long total[2];
  for (int k = 0; k < 2; k++)
    run_alone(600, 3, k ? 1000 : 3, &rows[k], &total[k]);
  CHECK(total[0] == total[1] && rows[0].count == rows[1].count, "%ld %ld", total[0], total[1]);
  for (int i = 0; i < rows[0].count && i < rows[1].count; i++)
    CHECK(rows[0].losses[i] == rows[1].losses[i] && rows[0].phases[i] == rows[1].phases[i], "row %d", i);
}

// Rows of a round of one fan: how many turns it goes on without a lowest loss of at most 0.7 of the last such one.
static int idle_turns(const struct rows *rows, int first, int end)
{
  double lowest = INFINITY, mark = INFINITY;
  int idle = 0, most = 0;
  for (int i = first; i < end; i++) {
    lowest = fmin(lowest, rows->losses[i]);
    idle = lowest <= 0.7 * mark ? 0 : idle + 1;
    mark = idle ? mark : lowest;
    most = idle > most ? idle : most;
  }
  return most;
}

// Fans that stall end, those that do not go on; a search that is cut anywhere goes on as if it was not.
static void test_stall(void)
{
  enum { STALL = 2, TURNS = 12 };
  // two balls cannot be in one place
  struct dc_scene *scene = read_any_shot("", "'bodies': ['near', 'far']",
                                         ", 'portfolio': {'rollouts': 60, 'draws': 4, 'candidates': 1,\n"
                                         "'iterations': 12, 'stall': 2, 'stiffer': 1}");
  static struct rows whole, cut;
  struct dc_error error = {0};
  struct dc_plan *plan = create_plan(scene);
  struct dc_search *search = create(plan, scene);
  CHECK(dc_search_run(search, note, &whole, &error) == DC_OK, "%s", error.text);
  const double best = plan->descent.best_loss;
  int stalled = 0;
  for (int first = 0, end; first < whole.count; first = end) {
    for (end = first + 1; end < whole.count && whole.phases[end] == whole.phases[first]; end++)
      ;
    if (whole.phases[first] != 'r' || end == whole.count)
      continue;  // the last round ends with the search
    int idle = idle_turns(&whole, first, end);
    CHECK(idle == STALL || end - first == TURNS, "%d idle turns of %d", idle, end - first);
    stalled += idle == STALL && end - first < TURNS;
  }
  CHECK(stalled > 1, "%d rounds ended so", stalled);
  dc_search_destroy(search);
  dc_plan_destroy(plan);
  for (int k = 2; k < whole.count; k += 3) {
    struct dc_snapshot *snapshot = dc_snapshot_create();
    cut = (struct rows){.stop_at = k};
    plan = create_plan(scene);
    search = create(plan, scene);
    CHECK(dc_search_run(search, note, &cut, &error) == DC_STOPPED && dc_search_save(search, snapshot) == DC_OK);
    dc_search_destroy(search);
    dc_plan_destroy(plan);
    plan = create_plan(scene);
    search = create(plan, scene);
    CHECK(dc_search_load(search, snapshot, &error) == DC_OK, "%s", error.text);
    cut.stop_at = 0;
    CHECK(dc_search_run(search, note, &cut, &error) == DC_OK, "%s", error.text);
    CHECK(cut.count == whole.count && !memcmp(cut.losses, whole.losses, sizeof cut.losses) &&
              plan->descent.best_loss == best,
          "cut after %d: %d of %d rows", k, cut.count, whole.count);
    dc_search_destroy(search);
    dc_snapshot_destroy(snapshot);
    dc_plan_destroy(plan);
  }
  dc_scene_destroy(scene);
}

// A copy of a snapshot with one integer replaced.
static struct dc_snapshot *forge(const struct dc_snapshot *snapshot, const char *name, size_t place, long number)
{
  struct dc_snapshot *forged = dc_snapshot_create();
  struct dc_snapshot_entry entry;
  for (size_t i = 0; dc_snapshot_entry(snapshot, i, &entry); i++) {
    if (entry.reals) {
      CHECK(dc_snapshot_put_reals(forged, entry.name, entry.count, entry.reals) == DC_OK);
      continue;
    }
    long *integers = malloc((entry.count + 1) * sizeof *integers);
    memcpy(integers, entry.integers, entry.count * sizeof *integers);
    if (strcmp(entry.name, name) == 0)
      integers[place] = number;
    CHECK(dc_snapshot_put_integers(forged, entry.name, entry.count, integers) == DC_OK);
    free(integers);
  }
  return forged;
}

// A checkpoint that puts members of a race where their recipe has nothing to do is refused.
static void test_forged_race(void)
{
  struct dc_scene *scene = read_shot(", 'portfolio': {'rollouts': 300, 'draws': 24, 'iterations': 8}");
  struct dc_snapshot *snapshot = dc_snapshot_create();
  static struct rows rows;
  scene->search.automatic = true;
  struct dc_plan *plan = create_plan(scene);
  struct dc_search *search = create(plan, scene);
  rows.stop_at = 3;
  CHECK(dc_search_run(search, note, &rows, NULL) == DC_STOPPED && dc_search_save(search, snapshot) == DC_OK);
  dc_search_destroy(search);
  dc_plan_destroy(plan);
  for (int in_windows = 0; in_windows < 2; in_windows++) {
    struct dc_error error = {0};
    struct dc_snapshot *forged = forge(snapshot, "search/recipes", 2, in_windows);  // of the first member, a fan
    const long counts[10] = {0};
    const double values[6] = {0};
    CHECK(dc_snapshot_put_integers(forged, "search/windows/horizon/counts", 10, counts) == DC_OK);
    CHECK(dc_snapshot_put_reals(forged, "search/windows/horizon/values", 6, values) == DC_OK);
    plan = create_plan(scene);
    search = create(plan, scene);
    CHECK(dc_search_load(search, forged, &error) == (in_windows ? DC_CHECKPOINT : DC_OK), "%s", error.text);
    dc_search_destroy(search);
    dc_plan_destroy(plan);
    dc_snapshot_destroy(forged);
  }
  dc_snapshot_destroy(snapshot);
  dc_scene_destroy(scene);
}

// A race whose first fan seems to make progress in every turn: the other members have as many turns together, but for a
// lead, and go on once it has ended, until they stall.
struct urged {
  struct dc_search *search;
  int fan_turns, others, after;  // turns of the fan, of all others meanwhile, and of one other in all
};

static bool urge(void *context, const struct dc_plan_iteration *row)
{
  enum { LEAD = 8 };
  struct urged *urged = context;
  struct dc_search *search = urged->search;
  struct dc_search_member *fan = search->members;
  (void)row;
  if (search->round > 0)
    return false;
  if (search->member_count && fan->plan && fan->recipe == DC_RECIPE_FIRST_FAN) {
    fan->mark = INFINITY;
    urged->fan_turns = fan->turns;
    urged->others = search->race->others;
    CHECK(fan->turns <= urged->others + LEAD + 1, "%d turns of the fan, %d of others", fan->turns, urged->others);
    return true;
  }
  for (int i = 1; i < search->member_count; i++)
    if (search->members[i].plan && !search->members[i].own && search->members[i].turns > urged->after)
      urged->after = search->members[i].turns;
  return true;
}

static void test_fair_race(void)
{
  struct dc_scene *scene =
      read_scene("{'time': {'step': 0.02, 'steps': 20}, 'gravity': [0, 0, 0], 'shapes': {'ball': {'type': 'sphere', "
                 "'radius': 0.1}},\n"
                 " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.2, 'velocity': [1, 0, 0]},\n"
                 "            {'name': 'aim', 'shape': 'ball', 'mass': 0.2, 'position': [0.5, 0.05, 0]}],\n"
                 " 'control': [{'type': 'initial_state', 'body': 'cue', 'velocity': 'xy'}],\n"
                 " 'objective': [{'type': 'reach', 'body': 'cue', 'target': [1e5, 3e4, 2], 'tolerance': 0.05}]}\n");
  struct dc_plan *plan = create_plan(scene);
  struct urged urged = {.search = create(plan, scene)};
  CHECK(dc_search_run(urged.search, urge, &urged, NULL) == DC_STOPPED);
  CHECK(urged.fan_turns > 16 && urged.others > urged.fan_turns / 2, "%d turns of the fan, %d of others",
        urged.fan_turns, urged.others);
  CHECK(urged.after > 2, "%d turns of a member after the fan's %d", urged.after, urged.fan_turns);
  dc_search_destroy(urged.search);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Without a stiffer fan the first round has fewer rollouts, which begin alike.
static void test_stiffer(void)
{
  static struct rows rows[2];
  long rollouts[2];
  for (int k = 0; k < 2; k++) {
    struct dc_scene *scene = read_shot(k ? ", 'portfolio': {'stiffer': 1}" : ", 'portfolio': {}");
    struct dc_plan *plan = create_plan(scene);
    struct dc_search *search = create(plan, scene);
    rows[k].stop_at = 4;
    CHECK(dc_search_run(search, note, &rows[k], NULL) == DC_STOPPED);
    rollouts[k] = plan->work.rollouts;
    dc_search_destroy(search);
    dc_plan_destroy(plan);
    dc_scene_destroy(scene);
  }
  CHECK(rollouts[1] < rollouts[0] && rows[0].losses[1] == rows[1].losses[1], "%ld, %ld rollouts", rollouts[1],
        rollouts[0]);
}

// Adam stays where it is; draws reach.
static void test_reaches(void)
{
  struct dc_scene *scene = read_shot(", 'portfolio': {'rollouts': 600, 'draws': 48}");
  struct dc_plan *plan = create_plan(scene);
  struct dc_error error = {0};
  CHECK(optimize(plan, scene, NULL, NULL, NULL, NULL, &error) == DC_OK && plan->descent.best_loss > 0.05, "adam: %g",
        plan->descent.best_loss);
  dc_plan_destroy(plan);
  plan = create_plan(scene);
  struct dc_search *search = create(plan, scene);
  static struct rows rows;
  CHECK(dc_search_run(search, note, &rows, &error) == DC_OK, "%s", error.text);
  CHECK(dc_search_reached(search) && plan->descent.best_loss == 0, "%g after %d turns", plan->descent.best_loss,
        rows.count);
  double loss;
  CHECK(dc_plan_evaluate(plan, plan->descent.best_parameters, &loss, NULL, &error) == DC_OK &&
        loss == plan->descent.best_loss);
  CHECK(dc_trajectory_gap(plan->trajectory, 0, 24) == dc_trajectory_gap(plan->descent.best, 0, 24));
  const struct dc_search_stage *stages;
  CHECK(dc_search_stages(search, &stages) == 1 && stages[0].reached && stages[0].turns == rows.count - 1);
  CHECK(dc_search_run(search, NULL, NULL, &error) == DC_OK && dc_search_iterations(search) == rows.count - 1, "again");
  dc_search_destroy(search);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// The cue in the place of a ball: of a portfolio only the guess is lost, of a continuation everything.
static void test_refused_guess(void)
{
  static const double overlapping[4] = {0.8, -0.1, 0, 0};
  static const char place[] = "'position': 'xy', ";
  struct dc_scene *scene =
      read_placed_shot(place, ", 'portfolio': {'rollouts': 300, 'draws': 24, 'iterations': 8, 'seed': 2}");
  static struct rows whole, begun, rest;
  struct dc_error error = {0};
  double best = NAN;
  for (int cut = 0; cut < 2; cut++) {
    struct dc_plan *plan = create_plan(scene);
    struct dc_search *search =
        dc_search_create(plan, &scene->search, scene->optimizer, scene->optimizer_options, overlapping, &error);
    begun.stop_at = 2;  // members that begin at the guess come to their end in the first turn
    CHECK(dc_search_run(search, note, cut ? &begun : &whole, &error) == (cut ? DC_STOPPED : DC_OK), "%s", error.text);
    if (cut) {
      struct dc_snapshot *snapshot = dc_snapshot_create();
      CHECK(dc_search_save(search, snapshot) == DC_OK && isinf(plan->descent.best_loss));
      dc_search_destroy(search);
      dc_plan_destroy(plan);
      plan = create_plan(scene);
      search = dc_search_create(plan, &scene->search, scene->optimizer, scene->optimizer_options, overlapping, &error);
      CHECK(dc_search_load(search, snapshot, &error) == DC_OK, "%s", error.text);
      rest = begun, rest.stop_at = 0;
      CHECK(dc_search_run(search, note, &rest, &error) == DC_OK, "%s", error.text);
      CHECK(plan->descent.best_loss == best, "%g, %g", plan->descent.best_loss, best);
      dc_snapshot_destroy(snapshot);
    }
    best = plan->descent.best_loss;
    CHECK(isfinite(best) && best < 0.05, "%g", best);
    CHECK(dc_trajectory_gap(plan->descent.first, 0, 24) > 0 &&
              memcmp(plan->descent.first_parameters, overlapping, sizeof overlapping),
          "the first is one that could be rolled out");
    dc_search_destroy(search);
    dc_plan_destroy(plan);
  }
  CHECK(isnan(whole.losses[0]) && whole.count > 3 && rest.count == whole.count, "%d, %d", rest.count, whole.count);
  dc_scene_destroy(scene);
  static const char *const hopeless[] = {", 'continuation': {}", ", 'portfolio': {'rollouts': 1}"};
  for (int i = 0; i < 2; i++) {
    scene = read_placed_shot(place, hopeless[i]);
    struct dc_plan *plan = create_plan(scene);
    struct dc_search *search =
        dc_search_create(plan, &scene->search, scene->optimizer, scene->optimizer_options, overlapping, &error);
    CHECK(dc_search_run(search, NULL, NULL, &error) == DC_INFEASIBLE && !dc_search_reached(search));
    dc_search_destroy(search);
    dc_plan_destroy(plan);
    dc_scene_destroy(scene);
  }
}

static void test_stages(void)
{
  struct dc_scene *scene = read_shot(", 'continuation': {'stiffness': 1000, 'stages': 3, 'step': 4, 'iterations': 2}");
  struct dc_plan *plan = create_plan(scene);
  struct dc_search *search = create(plan, scene);
  const struct dc_search_stage *stages;
  const double stiffness[] = {1000, 100, 10, 1};
  const int steps[] = {4, 2, 1, 1};
  int count = dc_search_stages(search, &stages);
  CHECK(count == 4, "%d", count);
  for (int k = 0; k < count; k++) {
    CHECK_NEAR(stages[k].stiffness, stiffness[k], 1e-12 * stiffness[k]);  // 1e-13 observed
    CHECK(stages[k].step == steps[k], "%d: %d", k, stages[k].step);
  }
  static struct rows rows;
  CHECK(dc_search_run(search, note, &rows, NULL) == DC_OK);
  // the first guess, two iterations and their first guess a stage, then all of Adam's
  CHECK(rows.count == 1 + 3 * 2 + 41 + 1, "%d", rows.count);
  CHECK(!dc_search_reached(search) && dc_search_done(search));
  dc_search_destroy(search);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Steps of a control become those at their time; numbers that do not belong to steps stay.
static void test_resample(void)
{
  struct dc_scene *scene =
      read_scene("{'time': {'step': 0.02, 'steps': 8}, 'gravity': [0, 0, 0],\n"
                 " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 0}},\n"
                 " 'bodies': [{'name': 'a', 'shape': 'ball', 'mass': 1, 'pd': {'kp': 400, 'kd': 40}},\n"
                 "            {'name': 'b', 'shape': 'ball', 'mass': 1, 'position': [1, 0, 0]}],\n"
                 " 'control': [{'type': 'pd_velocity', 'body': 'a', 'coordinates': 'x y'},\n"
                 "             {'type': 'initial_state', 'body': 'b', 'velocity': 'xyz'}],\n"
                 " 'objective': [{'type': 'reach', 'body': 'b', 'target': [0.4, 0.1, 0]}]}\n");
  double fine[MOST_PARAMETERS], coarse[MOST_PARAMETERS], back[MOST_PARAMETERS];
  int n = dc_task_parameter_count(&scene->task, &scene->model, 4);
  CHECK(n == 4 * 2 + 3, "%d", n);
  for (int i = 0; i < n; i++)
    coarse[i] = i;
  dc_task_resample(&scene->task, &scene->model, 4, coarse, 8, fine);
  for (int step = 0; step < 8; step++)
    CHECK(fine[2 * step] == 2 * (step / 2) && fine[2 * step + 1] == 2 * (step / 2) + 1, "step %d", step);
  CHECK(fine[16] == 8 && fine[18] == 10, "the rest");
  dc_task_resample(&scene->task, &scene->model, 8, fine, 4, back);
  CHECK(memcmp(back, coarse, (size_t)n * sizeof *back) == 0, "and back");
  dc_scene_destroy(scene);
}

// A goal inside of a body that does not move: the start runs into it.
static void test_retreats(void)
{
  struct dc_scene *scene = read_scene(
      "{'time': {'step': 0.02, 'steps': 1}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-9},\n"
      " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 0}, 'wall': {'type': 'box', "
      "'surface': 'mesh', 'size': [0.2, 1, "
      "1]}},\n"
      " 'bodies': [{'name': 'wall', 'shape': 'wall', 'joint': 'fixed'},\n"
      "            {'name': 'ball', 'shape': 'ball', 'mass': 1, 'position': [-0.4, 0, 0]}],\n"
      " 'control': [{'type': 'initial_state', 'body': 'ball', 'position': 'x'}],\n"
      " 'objective': [{'type': 'reach', 'body': 'ball', 'target': [0, 0, 0], 'axes': 'x', 'tolerance': 0.01}],\n"
      " 'optimizer': {'type': 'gradient_descent', 'learning_rate': 0.2, 'iterations': 300}}\n");
  double losses[2];
  for (int most = 0; most <= 3; most += 3) {
    struct dc_plan *plan = create_plan(scene);
    struct dc_error error = {0};
    plan->descent.most_retreats = most;
    CHECK(optimize(plan, scene, NULL, NULL, NULL, NULL, &error) == DC_OK, "%s", error.text);
    CHECK(plan->descent.retreats == most && dc_minimization_result(plan->descent.running)->end == DC_END_BLOCKED,
          "%d retreats", plan->descent.retreats);
    losses[most > 0] = plan->descent.best_loss;
    double loss;
    CHECK(dc_plan_evaluate(plan, plan->descent.best_parameters, &loss, NULL, &error) == DC_OK &&
              loss == plan->descent.best_loss,
          "the best is kept: %g, %g", loss, plan->descent.best_loss);
    dc_plan_destroy(plan);
  }
  CHECK(losses[1] <= losses[0], "%g, %g", losses[1], losses[0]);
  dc_scene_destroy(scene);
}

RUN_TESTS({"any number of threads gives the same rows", test_threads}, {"the first fan alone", test_alone},
          {"the first fan ends while it is alone", test_alone_too_long}, {"fans that stall end", test_stall},
          {"a second fan or none", test_stiffer}, {"a forged race is refused", test_forged_race},
          {"a first fan leaves turns to others", test_fair_race}, {"draws reach what Adam does not", test_reaches},
          {"a first guess that cannot be rolled out", test_refused_guess},
          {"stages go down in equal ratios", test_stages}, {"parameters are functions of time", test_resample},
          {"a blocked optimization begins again near its best", test_retreats})
