// SPDX-License-Identifier: Apache-2.0
// Problems: loss and gradient, arrays, objectives of the caller's, scenes from texts, structs of other sizes.
#include <math.h>
#include <pthread.h>

#include "api/api_scenes.h"

enum { DIMENSION = 3 };

static dcsim_problem *create(const dcsim_scene *scene, const dcsim_problem_options *options)
{
  dcsim_problem *problem;
  dcsim_error error = {0};
  CHECK(dcsim_problem_create(scene, options, &problem, &error) == DCSIM_OK, "%s", error.text);
  if (!problem)
    exit(1);
  CHECK(dcsim_problem_dimension(problem) == DIMENSION, "dimension %d", dcsim_problem_dimension(problem));
  return problem;
}

static double evaluate(dcsim_problem *problem, const double *x, double *gradient)
{
  double loss = NAN;
  dcsim_error error = {0};
  CHECK(dcsim_problem_evaluate(problem, x, &loss, gradient, &error) == DCSIM_OK, "%s", error.text);
  return loss;
}

// Largest relative difference of the gradient from differences of the loss.
static double check_gradient(dcsim_problem *problem, const double *x)
{
  double gradient[DIMENSION], moved[DIMENSION], scale = 0, worst = 0;
  evaluate(problem, x, gradient);
  for (int i = 0; i < DIMENSION; i++)
    scale = larger(scale, fabs(gradient[i]));
  for (int i = 0; i < DIMENSION; i++) {
    double best = INFINITY;
    for (double h = 1e-4; h > 1e-7; h /= 10) {
      double values[2];
      for (int side = 0; side < 2; side++) {
        memcpy(moved, x, sizeof moved);
        moved[i] += side ? h : -h;
        values[side] = evaluate(problem, moved, NULL);
      }
      best = fmin(best, fabs((values[1] - values[0]) / (2 * h) - gradient[i]) / scale);
    }
    worst = larger(worst, best);
  }
  return worst;
}

static void test_gradient(void)
{
  dcsim_scene *scene = open_text(two_balls);
  dcsim_problem *problem = create(scene, NULL);
  double x[DIMENSION], gradient[DIMENSION], again[DIMENSION], other[DIMENSION] = {0.02, 1.2, 0.1}, low, high;
  int group[DIMENSION];
  char name[32];
  dcsim_problem_initial(problem, x);
  double loss = evaluate(problem, x, gradient), off = check_gradient(problem, x);
  printf("# loss %.6g, gradient off by %.2g\n", loss, off);
  CHECK_NEAR(off, 0, 1e-6);
  evaluate(problem, other, NULL);
  CHECK(evaluate(problem, x, again) == loss && memcmp(gradient, again, sizeof again) == 0, "not a function of x");
  dcsim_problem_name(problem, 1, name, sizeof name);
  CHECK(strcmp(name, "cue.velocity.x") == 0, "%s", name);
  double scale = 0;
  CHECK(strcmp(dcsim_problem_unit(problem, 1, &scale), "m/s") == 0 && scale == 1, "%g", scale);
  CHECK(strcmp(dcsim_problem_unit(problem, 1, NULL), "m/s") == 0, "without a scale");
  dcsim_problem_groups(problem, group);
  CHECK(group[0] == 0 && group[1] == 1, "groups %d %d", group[0], group[1]);
  double lows[DIMENSION], highs[DIMENSION];
  dcsim_problem_bounds(problem, lows, highs);
  low = lows[0], high = highs[0];
  CHECK(low < x[0] && x[0] < high, "bounds %g %g", low, high);
  dcsim_problem_destroy(problem);
  dcsim_scene_close(scene);
}

// The arrays of the last evaluation: start, poses that fit q, velocities.
static void test_arrays(void)
{
  dcsim_scene *scene = open_text(two_balls);
  dcsim_problem *problem = create(scene, &(dcsim_problem_options){.size = sizeof(dcsim_problem_options), .steps = 5});
  dcsim_trajectory t = DCSIM_SIZED(dcsim_trajectory);
  dcsim_contacts c = DCSIM_SIZED(dcsim_contacts);
  dcsim_error error = {0};
  const double x[DIMENSION] = {0.01, -0.5, -0.5};
  CHECK(dcsim_problem_get_trajectory(problem, &t, &error) == DCSIM_USAGE, "none yet");
  evaluate(problem, x, NULL);
  CHECK(dcsim_problem_get_trajectory(problem, &t, &error) == DCSIM_OK, "%s", error.text);
  CHECK(t.steps == 5 && t.bodies == 3 && t.nq == 14 && t.nv == 12 && !t.divided_steps, "sizes");
  CHECK_NEAR(t.q[0], -0.4, 0);
  CHECK_NEAR(t.q[1], 0.02, 1e-15);
  CHECK_NEAR(t.qd[3], 1, 0);
  CHECK_NEAR(t.qd[4], -0.5, 0);
  for (int f = 0; f <= t.steps; f++) {
    const double *pose = t.poses + DCSIM_POSE * (3 * f + 1), *q = t.q + 14 * f;
    CHECK(memcmp(pose, q, 7 * sizeof *q) == 0, "pose of frame %d", f);
    CHECK_NEAR(pose[7], 1 - 2 * (q[5] * q[5] + q[6] * q[6]), 1e-14);
    for (int k = 0; k < 3 && f > 0; k++)
      CHECK_NEAR(t.qd[12 * f + 3 + k], (q[k] - q[k - 14]) / t.time_step, 1e-12);
  }
  CHECK(dcsim_problem_get_contacts(problem, &c, &error) == DCSIM_OK, "%s", error.text);
  CHECK(c.frames == 6 && c.pairs == 3, "%d frames, %d pairs", c.frames, c.pairs);
  for (int f = 0; f < c.frames; f++)
    for (int p = 0; p < c.pairs; p++)
      CHECK(c.gaps[f * c.pairs + p] >= t.min_gap[f] * (1 - 1e-9), "gap of pair %d at frame %d", p, f);
  dcsim_problem_destroy(problem);
  dcsim_scene_close(scene);
}

// The scene's objective once more, by hand; weight 1, tolerance 0.01.
struct goal {
  int answer, calls;
};

static int reach(void *context, const dcsim_trajectory *t, double *value, double *wrenches, double *forces)
{
  static const double target[] = {0.5, 0.1, 0.1};
  struct goal *goal = context;
  const double *x = t->poses + DCSIM_POSE * (t->steps * t->bodies + 2);
  double square = -1e-4;
  for (int k = 0; k < 3; k++)
    square += (x[k] - target[k]) * (x[k] - target[k]);
  goal->calls++;
  *value = fmax(square, 0);
  for (int k = 0; k < 3 && wrenches; k++)  // one half for the frame, one for the state: they are the same here
    wrenches[6 * (t->steps * t->bodies + 2) + 3 + k] += x[k] - target[k],
        forces[t->steps * t->nv + 9 + k] += x[k] - target[k];
  return goal->answer;
}

static void test_objective(void)
{
  dcsim_scene *scene = open_text(two_balls);
  struct goal goal = {0};
  dcsim_problem_options options = {.size = sizeof options, .objective = reach, .objective_context = &goal};
  dcsim_problem *both = create(scene, &options), *own = create(scene, NULL);
  options.only_objective = 1;
  dcsim_problem *callers = create(scene, &options);
  const double x[DIMENSION] = {0.01, 0.1, 0.05};
  double ga[DIMENSION], gb[DIMENSION], gc[DIMENSION];
  double a = evaluate(own, x, ga), b = evaluate(callers, x, gb), c = evaluate(both, x, gc);
  CHECK_NEAR(b, a, 1e-15);
  CHECK_NEAR(c, a + b, 1e-15);
  for (int i = 0; i < DIMENSION; i++) {
    CHECK_NEAR(gb[i], ga[i], 1e-12);
    CHECK_NEAR(gc[i], ga[i] + gb[i], 1e-12);
  }
  CHECK(goal.calls == 2, "%d calls", goal.calls);
  CHECK_NEAR(check_gradient(callers, x), 0, 1e-6);
  goal.answer = 7;
  double kept = 5;
  dcsim_error error = {0};
  dcsim_trajectory t = DCSIM_SIZED(dcsim_trajectory);
  CHECK(dcsim_problem_evaluate(callers, x, &kept, NULL, &error) == DCSIM_STOPPED && kept == 5, "%s", error.text);
  CHECK(strstr(error.text, "7") != NULL, "%s", error.text);
  CHECK(dcsim_problem_get_trajectory(callers, &t, &error) == DCSIM_USAGE, "a trajectory after a failure");
  dcsim_problem_destroy(both);
  dcsim_problem_destroy(own);
  dcsim_problem_destroy(callers);
  dcsim_scene_close(scene);
}

static void test_infeasible(void)
{
  dcsim_scene *scene = open_text(two_balls);
  dcsim_problem *problem = create(scene, NULL);
  const double x[DIMENSION] = {0, 0, 0}, nowhere[DIMENSION] = {NAN, 0, 0};
  double loss = 3, gradient[DIMENSION] = {4, 4, 4};
  dcsim_error error = {0};
  dcsim_scene *inside;
  char *text = strdup(two_balls), *at = strstr(text, "-0.4, 0.01");
  memcpy(at, "-0.1", 4);
  CHECK(dcsim_scene_open_text(text, NULL, NULL, &inside, &error) == DCSIM_OK, "%s", error.text);
  dcsim_problem *overlapping = create(inside, NULL);
  CHECK(dcsim_problem_evaluate(overlapping, x, &loss, gradient, &error) == DCSIM_INFEASIBLE, "%s", error.text);
  CHECK(error.status == DCSIM_INFEASIBLE && loss == 3 && gradient[0] == 4, "after a failure");
  CHECK(dcsim_problem_evaluate(problem, nowhere, &loss, gradient, &error) == DCSIM_USAGE, "NAN");
  CHECK(strstr(error.text, "x[0] is not finite") != NULL, "%s", error.text);
  CHECK(dcsim_problem_evaluate(problem, NULL, &loss, gradient, &error) == DCSIM_USAGE, "%s", error.text);
  CHECK(dcsim_problem_evaluate(problem, x, &loss, gradient, &error) == DCSIM_OK, "%s", error.text);
  dcsim_problem_destroy(overlapping);
  dcsim_problem_destroy(problem);
  dcsim_scene_close(inside);
  dcsim_scene_close(scene);
  free(text);
}

static void test_texts(void)
{
  dcsim_scene *scene;
  dcsim_error error = {0};
  CHECK(dcsim_scene_open_text("{\n  \"time\": {\"step\": -1}\n}", NULL, NULL, &scene, &error) == DCSIM_BAD_INPUT &&
            !scene,
        "%s", error.text);
  CHECK(strncmp(error.text, "text:2:", 7) == 0, "%s", error.text);
  CHECK(dcsim_scene_open_text("{", NULL, NULL, &scene, &error) == DCSIM_BAD_INPUT, "%s", error.text);
  CHECK(strncmp(error.text, "text:1:2", 8) == 0, "%s", error.text);
  CHECK(dcsim_scene_open_text(two_balls, "/nowhere/at/all", NULL, &scene, &error) == DCSIM_BAD_INPUT, "%s", error.text);
  // Meshes are looked for in the folder: there, and not here.
  const char *source = getenv("DCSIM_SOURCE");
  char scenes[1000];
  snprintf(scenes, sizeof scenes, "%s/meshes", source ? source : ".");
  static const char with_mesh[] =
      "{\"time\": {\"step\": 0.02, \"steps\": 1}, \"shapes\": {\"s\": {\"type\": \"mesh\", \"file\": \"%s\"}},"
      " \"bodies\": [{\"name\": \"b\", \"shape\": \"s\", \"mass\": 1}]}";
  char text[500];
  snprintf(text, sizeof text, with_mesh, "there_is_none.obj");
  CHECK(dcsim_scene_open_text(text, scenes, NULL, &scene, &error) == DCSIM_BAD_INPUT, "%s", error.text);
  CHECK(strstr(error.text, "/meshes/there_is_none.obj") != NULL, "%s", error.text);
}

// Softnesses of a query: no options are those of 1; a factor out of range is refused whichever one it is.
static void test_query(void)
{
  static const double refused[][2] = {{1e-4, 0}, {0, 1e4}, {-1, 1}, {NAN, 0}};
  dcsim_scene *scene;
  dcsim_report plain = {0}, ones = {0};
  dcsim_error error = {0};
  const dcsim_query_options one = {.size = sizeof one, .softness = 1, .gradient_softness = 1};
  CHECK(dcsim_scene_open_text(two_balls, NULL, NULL, &scene, &error) == DCSIM_OK, "%s", error.text);
  CHECK(dcsim_query(scene, NULL, NULL, &plain, &error) == DCSIM_OK, "%s", error.text);
  CHECK(dcsim_query(scene, NULL, &one, &ones, &error) == DCSIM_OK, "%s", error.text);
  CHECK(strcmp(plain.json, ones.json) == 0, "%s", ones.json);
  dcsim_report_free(&plain);
  dcsim_report_free(&ones);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const dcsim_query_options options = {
        .size = sizeof options, .softness = refused[i][0], .gradient_softness = refused[i][1]};
    CHECK(dcsim_query(scene, NULL, &options, &plain, &error) == DCSIM_USAGE && strstr(error.text, "softness"), "%s",
          error.text);
  }
  dcsim_scene_close(scene);
}

// A caller that knows less, one that knows more, and one that forgot the size.
static void test_sizes(void)
{
  struct {
    dcsim_scene_options known;
    long more;
  } later = {.known = {.size = sizeof later}};
  dcsim_scene *scene;
  dcsim_error error = {0};
  const dcsim_scene_options forgotten = {0};
  CHECK(dcsim_scene_open_text(two_balls, NULL, &forgotten, &scene, &error) == DCSIM_USAGE, "%s", error.text);
  CHECK(dcsim_scene_open_text(two_balls, NULL, &later.known, &scene, &error) == DCSIM_OK, "%s", error.text);
  dcsim_scene_close(scene);
  later.known.size = SIZE_MAX;
  CHECK(dcsim_scene_open_text(two_balls, NULL, &later.known, &scene, &error) == DCSIM_USAGE, "%s", error.text);
  later.known.size = sizeof later;
  CHECK(dcsim_scene_open(NULL, NULL, &scene, &error) == DCSIM_USAGE && !scene, "%s", error.text);
  CHECK(dcsim_scene_open_text(two_balls, NULL, NULL, NULL, &error) == DCSIM_USAGE, "%s", error.text);
  later.more = 1;
  CHECK(dcsim_scene_open_text(two_balls, NULL, &later.known, &scene, &error) == DCSIM_USAGE, "%s", error.text);
  const dcsim_scene_options earlier = {
      .size = offsetof(dcsim_scene_options, gradient), .model = "exact", .gradient = "no such"};
  CHECK(dcsim_scene_open_text(two_balls, NULL, &earlier, &scene, &error) == DCSIM_OK, "%s", error.text);
  dcsim_scene_sizes sizes = {.size = offsetof(dcsim_scene_sizes, nv), .nv = -5};
  CHECK(dcsim_scene_get_sizes(scene, &sizes, &error) == DCSIM_OK && sizes.bodies == 3 && sizes.nq == 14 &&
            sizes.nv == -5,
        "%d bodies, nq %d, nv %d", sizes.bodies, sizes.nq, sizes.nv);
  dcsim_scene_close(scene);
}

static void *evaluate_alone(void *context)
{
  static const double x[DIMENSION] = {0.01, 0.1, 0.05};
  dcsim_problem *problem = create(context, NULL);
  double gradient[DIMENSION], *sum = malloc(sizeof *sum);
  *sum = 0;
  for (int i = 0; i < 5; i++) {
    *sum += evaluate(problem, x, gradient);
    *sum += gradient[1];
  }
  dcsim_problem_destroy(problem);
  return sum;
}

static void test_threads(void)
{
  enum { THREADS = 3 };
  dcsim_scene *scene = open_text(two_balls);
  pthread_t threads[THREADS];
  double *expected = evaluate_alone(scene);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, evaluate_alone, scene);
  for (int i = 0; i < THREADS; i++) {
    void *sum;
    pthread_join(threads[i], &sum);
    CHECK(*(double *)sum == *expected, "thread %d", i);
    free(sum);
  }
  free(expected);
  dcsim_scene_close(scene);
}

// Twice the sum of w J^T e is the gradient, e the way out of the set.
static void test_linearize(void)
{
  dcsim_scene *scene = open_text(two_balls);
  dcsim_problem *problem;
  dcsim_error error = {0};
  dcsim_linearization rows = DCSIM_SIZED(dcsim_linearization);
  double x[8], loss, gradient[8], sum[8] = {0}, square = 0;
  CHECK(dcsim_problem_create(scene, NULL, &problem, &error) == DCSIM_OK, "%s", error.text);
  dcsim_problem_initial(problem, x);
  CHECK(dcsim_problem_evaluate(problem, x, &loss, gradient, &error) == DCSIM_OK, "%s", error.text);
  CHECK(dcsim_problem_linearize(problem, x, &rows, &error) == DCSIM_OK, "%s", error.text);
  CHECK(rows.rows == 3 && rows.dimension == 3, "%d rows, %d columns", rows.rows, rows.dimension);
  for (int r = 0; r < rows.rows; r++) {
    CHECK(rows.group[r] == 0 && rows.radius[r] == 0.01 && rows.half[r] == 0, "set of row %d", r);
    square += rows.weight[r] * rows.residual[r] * rows.residual[r];
    for (int i = 0; i < 3; i++)
      sum[i] += 2 * rows.weight[r] * rows.residual[r] * rows.jacobian[3 * r + i];
  }
  CHECK_NEAR(square - 0.01 * 0.01, loss, 1e-12);
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(sum[i], gradient[i], 1e-9);
  dcsim_problem_destroy(problem);
  dcsim_scene_close(scene);
}

// Products with the Jacobian are those of the matrix; the rows alone come without it.
static void test_products(void)
{
  dcsim_scene *scene = open_text(two_balls);
  dcsim_problem *problem;
  dcsim_error error = {0};
  dcsim_linearization rows = DCSIM_SIZED(dcsim_linearization);
  const double direction[3] = {0.3, -0.7, 0.2}, weights[3] = {1.5, 0.4, -0.6};
  double x[8], jacobian[9], pushed[3], pulled[3];
  CHECK(dcsim_problem_create(scene, NULL, &problem, &error) == DCSIM_OK, "%s", error.text);
  dcsim_problem_initial(problem, x);
  CHECK(dcsim_problem_linearize(problem, x, &rows, &error) == DCSIM_OK, "%s", error.text);
  memcpy(jacobian, rows.jacobian, sizeof jacobian);
  CHECK(dcsim_problem_push_forward(problem, x, direction, pushed, &error) == DCSIM_OK, "%s", error.text);
  CHECK(dcsim_problem_pull_back(problem, x, NULL, pulled, &error) == DCSIM_USAGE &&
            dcsim_problem_pull_back(problem, x, weights, NULL, &error) == DCSIM_USAGE &&
            dcsim_problem_push_forward(problem, x, NULL, pulled, &error) == DCSIM_USAGE &&
            dcsim_problem_push_forward(problem, NULL, weights, pulled, &error) == DCSIM_USAGE,
        "no vector, or no place for the product");
  CHECK(dcsim_problem_evaluate(problem, x, NULL, NULL, &error) == DCSIM_OK, "%s", error.text);
  CHECK(dcsim_problem_pull_back(problem, x, weights, pulled, &error) == DCSIM_OK, "%s", error.text);
  for (int i = 0; i < 3; i++) {
    double along = 0, back = 0, size = 1e-300;
    for (int j = 0; j < 3; j++) {
      along += jacobian[3 * i + j] * direction[j];
      back += jacobian[3 * j + i] * weights[j];
      size = larger(size, larger(fabs(jacobian[3 * i + j]), fabs(jacobian[3 * j + i])));
    }
    CHECK_NEAR(pushed[i], along, 1e-12 * size);
    CHECK_NEAR(pulled[i], back, 1e-12 * size);
  }
  CHECK(dcsim_problem_find_rows(problem, x, &rows, &error) == DCSIM_OK, "%s", error.text);
  CHECK(rows.rows == 3 && !rows.jacobian && rows.residual, "%d rows, a Jacobian", rows.rows);
  dcsim_problem_destroy(problem);
  dcsim_scene_close(scene);
}

// Says so at its first call, which comes within the evaluation.
static int end_it(void *context)
{
  ++*(int *)context;
  return 1;
}

// An evaluation that is ended is a failure that leaves everything as it was; the next one has the bits that it would
// have.
static void test_poll(void)
{
  dcsim_scene *scene = open_text(two_balls), *long_one;
  dcsim_error error = {0};
  const char *set[] = {"time.steps=400000", "time.step=1e-6"};
  dcsim_scene_options options = {.size = sizeof options, .override_count = 2, .overrides = set};
  CHECK(dcsim_scene_open_text(two_balls, ".", &options, &long_one, &error) == DCSIM_OK, "%s", error.text);
  dcsim_problem *problem = create(long_one, NULL), *other = create(scene, NULL);
  double x[DIMENSION], loss = -1, gradient[DIMENSION] = {7, 8, 9};
  int calls = 0;
  dcsim_problem_initial(problem, x);
  dcsim_problem_set_poll(problem, end_it, &calls);
  CHECK(dcsim_problem_evaluate(problem, x, &loss, gradient, &error) == DCSIM_STOPPED, "not stopped: %s", error.text);
  CHECK(calls == 1 && loss == -1 && gradient[0] == 7 && gradient[2] == 9, "%d calls, loss %g", calls, loss);
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  CHECK(dcsim_problem_get_trajectory(problem, &trajectory, &error) == DCSIM_USAGE, "a trajectory of what was ended");
  double before = evaluate(other, x, NULL);
  dcsim_problem_set_poll(other, end_it, &calls);
  dcsim_problem_set_poll(other, NULL, NULL);
  CHECK(evaluate(other, x, NULL) == before && calls == 1, "%d calls", calls);
  dcsim_problem_set_poll(NULL, end_it, &calls);
  dcsim_problem_destroy(problem);
  dcsim_problem_destroy(other);
  dcsim_scene_close(long_one);
  dcsim_scene_close(scene);
}

// Whoever wants no report gives none.
static void test_no_report(void)
{
  dcsim_error error = {0};
  CHECK(dcsim_schema(NULL, &error) == DCSIM_OK && dcsim_list(NULL, NULL, &error) == DCSIM_OK, "%s", error.text);
}

RUN_TESTS({"residual rows and their Jacobian", test_linearize}, {"products", test_products},
          {"loss and gradient", test_gradient}, {"arrays", test_arrays},
          {"an objective of the caller's", test_objective}, {"infeasible", test_infeasible},
          {"scenes from texts", test_texts}, {"softnesses of queries", test_query}, {"sizes of structs", test_sizes},
          {"one scene, several threads", test_threads},
          {"ended by its caller", test_poll}, {"without a report", test_no_report})
