// SPDX-License-Identifier: Apache-2.0
// Optimizations that are stopped within a Jacobian and go on, in the same process or from a snapshot, leave the rows
// and counts of one that was never stopped.
#include <omp.h>
#include <pthread.h>

#include "plan/closed_loop.h"
#include "plan/search.h"
#include "plan_scene.h"

static const char push_text[] =
    "{'time': {'step': 0.02, 'steps': 8},\n" PUSH_SECTIONS "               {'type': 'effort', 'weight': 0.001}],\n"
    " %s}\n";

enum { MOST_ROWS = 64, MOST_PARAMETERS = 16 };

struct rows {
  int count;
  double losses[MOST_ROWS], parameters[MOST_ROWS][MOST_PARAMETERS];
  long rollouts, newton_iterations;  // at the end
};

static bool note(void *context, const struct dc_plan_iteration *row)
{
  struct rows *rows = context;
  CHECK(row->iteration == rows->count && rows->count < MOST_ROWS, "%d after %d", row->iteration, rows->count);
  rows->losses[rows->count] = row->loss;
  CHECK(row->parameter_count <= MOST_PARAMETERS, "%d parameters", row->parameter_count);
  memcpy(rows->parameters[rows->count], row->parameters, (size_t)row->parameter_count * sizeof(double));
  rows->count++;
  return true;
}

// Says no once, when it is asked for the stop_at-th time; must be asked on the thread that runs.
struct caller {
  long asked, stop_at;
  pthread_t thread;
};

static bool ask(void *context)
{
  struct caller *caller = context;
  CHECK(pthread_equal(caller->thread, pthread_self()), "asked on another thread");
  return ++caller->asked != caller->stop_at;
}

// A plan, or a search for one.
struct work {
  const struct dc_scene *scene;
  struct dc_plan *plan;
  struct dc_search *search;
  struct dc_stop_request stop;
};

static void begin(struct work *work, const struct dc_scene *scene)
{
  struct dc_error error = {0};
  work->scene = scene;
  work->search = NULL;
  work->plan = dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, &error);
  if (!work->plan) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  work->plan->stop = &work->stop;
  if (dc_search_wanted(&scene->search))
    work->search = dc_search_create(work->plan, &scene->search, scene->optimizer, scene->optimizer_options,
                                    work->plan->parameters, &error);
  else
    CHECK(dc_plan_begin(work->plan, scene->optimizer, scene->optimizer_options, work->plan->parameters, &error) ==
              DC_OK,
          "%s", error.text);
}

static void end(struct work *work)
{
  dc_search_destroy(work->search);
  dc_plan_destroy(work->plan);
}

static enum dc_status go_on(struct work *work, struct caller *caller, struct rows *rows, struct dc_error *error)
{
  caller->thread = pthread_self();
  dc_stop_request_begin(&work->stop, ask, caller);
  enum dc_status status =
      work->search ? dc_search_run(work->search, note, rows, error) : dc_plan_continue(work->plan, note, rows, error);
  rows->rollouts = work->plan->work.rollouts;
  rows->newton_iterations = work->plan->work.newton_iterations;
  return status;
}

// Another plan or search that has loaded what this one saves.
static void move(struct work *work)
{
  struct dc_snapshot *snapshot = dc_snapshot_create();
  struct dc_error error = {0};
  CHECK((work->search ? dc_search_save(work->search, snapshot) : dc_plan_save(work->plan, snapshot)) == DC_OK);
  end(work);
  begin(work, work->scene);
  CHECK((work->search ? dc_search_load(work->search, snapshot, &error) : dc_plan_load(work->plan, snapshot, &error)) ==
            DC_OK,
        "%s", error.text);
  dc_snapshot_destroy(snapshot);
}

static void check_same(const struct rows *a, const struct rows *b)
{
  CHECK(a->count == b->count && a->rollouts == b->rollouts && a->newton_iterations == b->newton_iterations,
        "%d and %d rows, %ld and %ld rollouts, %ld and %ld Newton iterations", a->count, b->count, a->rollouts,
        b->rollouts, a->newton_iterations, b->newton_iterations);
  CHECK(memcmp(a->losses, b->losses, sizeof a->losses) == 0, "other losses");
  CHECK(memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0, "other parameters");
}

static struct dc_scene *read_push(const char *optimizer)
{
  char text[2048];
  CHECK(snprintf(text, sizeof text, push_text, optimizer) < (int)sizeof text, "a longer text");
  return read_scene(text);
}

// The run that is never stopped; how often it asks whether to go on.
static long run_straight(const struct dc_scene *scene, struct rows *rows)
{
  struct work work;
  struct caller never = {0};
  struct dc_error error = {0};
  *rows = (struct rows){0};
  begin(&work, scene);
  CHECK(go_on(&work, &never, rows, &error) == DC_OK, "%s", error.text);
  end(&work);
  return never.asked;
}

static void compare(const char *optimizer)
{
  static const double parts[] = {0, 0.3, 0.5, 0.7, 1};  // of all questions
  static struct rows straight, stopped;
  struct dc_scene *scene = read_push(optimizer);
  long asked = run_straight(scene, &straight);
  CHECK(asked > 100, "asked %ld times", asked);
  for (int k = 0; k < 2 * 5; k++) {
    struct caller caller = {.stop_at = 1 + (long)(parts[k / 2] * (double)(asked - 1))};
    struct work work;
    struct dc_error error = {0};
    stopped = (struct rows){0};
    begin(&work, scene);
    CHECK(go_on(&work, &caller, &stopped, &error) == DC_STOPPED && strstr(error.text, "stopped after"), "%s",
          error.text);
    CHECK(caller.asked == caller.stop_at, "asked again after it had said no");
    if (k % 2)
      move(&work);
    CHECK(go_on(&work, &caller, &stopped, &error) == DC_OK, "%s", error.text);
    check_same(&straight, &stopped);
    end(&work);
  }
  dc_scene_destroy(scene);
}

static bool note_once(void *context, const struct dc_plan_iteration *row)
{
  note(context, row);
  return false;
}

// Moves after every row, as a run does that is killed and resumed there.
static void compare_moved(const char *optimizer)
{
  static struct rows straight, moved;
  struct dc_scene *scene = read_push(optimizer);
  struct work work;
  struct dc_error error = {0};
  enum dc_status status;
  run_straight(scene, &straight);
  moved = (struct rows){0};
  begin(&work, scene);
  while ((status = dc_plan_continue(work.plan, note_once, &moved, &error)) == DC_STOPPED)
    move(&work);
  CHECK(status == DC_OK && moved.count > 2, "%s after %d rows", error.text, moved.count);
  moved.rollouts = work.plan->work.rollouts;
  moved.newton_iterations = work.plan->work.newton_iterations;
  check_same(&straight, &moved);
  end(&work);
  dc_scene_destroy(scene);
}

// Adam's steps are so short that every one is lower than the one before: a polish begins at the present point, of which
// there are a gradient and, after a move, a rollout alone.
static void test_moved(void)
{
  compare_moved("'optimizer': {'type': 'gauss_newton', 'iterations': 5}");
  compare_moved("'optimizer': {'type': 'lbfgs', 'iterations': 5}");
  for (int polish = 1; polish < 5; polish++) {
    char text[128];
    snprintf(text, sizeof text, "'optimizer': {'type': 'adam', 'learning_rate': 1e-6, 'iterations': 8, 'polish': %d}",
             polish);
    compare_moved(text);
  }
}

static void test_plain(void)
{
  compare("'optimizer': {'type': 'gauss_newton', 'iterations': 5}");
}

static void test_polish(void)
{
  compare("'optimizer': {'type': 'adam', 'learning_rate': 0.1, 'iterations': 12, 'polish': 3}");
}

// On one thread: which of the members asks on more depends on who comes first, what is left of them does not.
static void test_search(void)
{
  int before = omp_get_max_threads();
  omp_set_num_threads(1);
  compare("'optimizer': {'type': 'adam', 'iterations': 12},\n"
          " 'portfolio': {'rollouts': 120, 'draws': 6, 'candidates': 2, 'iterations': 4},\n"
          " 'continuation': {'stiffness': 4, 'step': 2}");
  omp_set_num_threads(before);
}

// On several threads the others hear what the first was told, which is not asked again.  Which members are its own, and
// so how often it is asked, differs from run to run: some of the runs end before it says no, the one that says it at
// once cannot.
static void test_threads(void)
{
  static struct rows straight, stopped;
  int before = omp_get_max_threads(), stops = 0;
  struct dc_scene *scene = read_push("'optimizer': {'type': 'adam', 'iterations': 12},\n"
                                     " 'portfolio': {'rollouts': 120, 'draws': 6, 'candidates': 2, 'iterations': 4}");
  omp_set_num_threads(3);
  long asked = run_straight(scene, &straight);
  for (long stop_at = 1; stop_at < 200; stop_at *= 3) {
    struct caller caller = {.stop_at = stop_at};
    struct work work;
    struct dc_error error = {0};
    stopped = (struct rows){0};
    begin(&work, scene);
    enum dc_status status = go_on(&work, &caller, &stopped, &error);
    if (status == DC_STOPPED) {
      CHECK(caller.asked == stop_at, "asked again after it had said no");
      stops++;
      move(&work);
      status = go_on(&work, &caller, &stopped, &error);
    }
    CHECK(status == DC_OK, "%s", error.text);
    check_same(&straight, &stopped);
    end(&work);
  }
  printf("# asked %ld times, stopped %d times of 5\n", asked, stops);
  CHECK(stops > 0, "never stopped");
  omp_set_num_threads(before);
  dc_scene_destroy(scene);
}

// A cart whose plant has twice the friction is brought to its place in a loop.
static const char slide_text[] =
    "{'time': {'step': 0.02, 'steps': 20}, 'contact': {'friction': 0.3},\n"
    " 'shapes': {'ground': {'type': 'plane'}, 'block': {'type': 'box', 'size': [0.1, 0.1, 0.1]}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "            {'name': 'block', 'shape': 'block', 'mass': 1, 'joint': {'type': 'planar', 'axis': [0, 1, 0]},\n"
    "             'position': [0, 0, 0.051], 'pd': {'kp': 0, 'kd': 0}}],\n"
    " 'control': [{'type': 'torque', 'body': 'block', 'coordinates': '1', 'limit': [20]}],\n"
    " 'objective': [{'type': 'reach', 'body': 'block', 'target': [0.2, 0, 0], 'axes': 'x', 'tolerance': 1e-9}],\n"
    " 'plant': {'contact': {'friction': 0.6}}}\n";

// A loop that is stopped says so, and has what was executed where one has come to its end.
static void test_loop(void)
{
  struct dc_scene *scene = read_scene(slide_text);
  int steps = (int)scene->definition.time.steps;
  double *parameters = calloc((size_t)dc_task_parameter_count(&scene->task, &scene->model, steps), sizeof *parameters);
  struct dc_stop_request stop;
  struct caller caller = {.thread = pthread_self()};
  const struct dc_loop_scene loop = {.model = &scene->model,
                                     .task = &scene->task,
                                     .plant = &scene->plant,
                                     .gradient = &scene->gradient,
                                     .parameters = parameters,
                                     .stop = &stop};
  for (long stop_at = 0; stop_at < 30; stop_at = 1 + 3 * stop_at) {
    struct dc_loop_result result;
    struct dc_error error = {0};
    caller.asked = 0;
    caller.stop_at = stop_at;
    dc_stop_request_begin(&stop, ask, &caller);
    enum dc_status status = dc_loop_close(&loop, &result, &error);
    CHECK(status == (stop_at ? DC_STOPPED : DC_OK), "stopped at %ld: status %d %s", stop_at, (int)status, error.text);
    CHECK(!stop_at || (result.tries == 1 && !result.record), "%d tries", result.tries);
    CHECK(stop_at || result.record, "nothing was executed");
    dc_trajectory_destroy(result.record);
  }
  free(parameters);
  dc_scene_destroy(scene);
}

RUN_TESTS({"moved after every row", test_moved}, {"Gauss-Newton", test_plain}, {"a polish beside Adam", test_polish},
          {"a search", test_search}, {"a search on several threads", test_threads}, {"a closed loop", test_loop})
