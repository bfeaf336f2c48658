// SPDX-License-Identifier: Apache-2.0
// Tasks of witness points, solved by descent with each method of derivatives: success rates and times (paper 002,
// section V).
#include "bench/witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/sort.h"
#include "geometry/convex/witness_local.h"
#include "math/vector.h"

static const char *const sets[] = {"convex", "hard", "concave", NULL};

const struct dc_option dc_bench_witness_options[] = {
    DC_CHOICE_OPTION(struct dc_bench_witness_settings, objects, "\"convex\"", sets, "kind of objects"),
    DC_INTEGER_OPTION(struct dc_bench_witness_settings, tasks, "100", 1, 1e6, "number of tasks"),
    DC_SEED_OPTION(struct dc_bench_witness_settings, "seed of objects and tasks"),
    DC_REAL_OPTION(struct dc_bench_witness_settings, slack, "m", "1e-2", 0, 1e3,
                   "a pair of targets is taken when the witness points of touching objects are so near to it"),
    DC_REAL_OPTION(struct dc_bench_witness_settings, relative_slack, "", "0", 0, 1e3,
                   "the same in sizes of the smaller object; 0: not asked for"),
    DC_BOOLEAN_OPTION(struct dc_bench_witness_settings, both, "false", "move the first object, too"),
    DC_OBJECT_OPTION(struct dc_bench_witness_settings, refine, "{}", dc_refine_options, struct dc_refine_settings,
                     "settings of the refinement"),
    DC_OPTIONS_END,
};

static const double ACCURATE = 1e-6;  // m^2: a task below counts as solved (paper 002, section V-A)

static enum dc_status make_tasks(const struct dc_bench_witness_settings *settings, struct dc_arena *arena,
                                 struct dc_witness_tasks *tasks, struct dc_error *error)
{
  struct dc_witness_tasks_settings wanted;
  dc_witness_tasks_settings_default(&wanted);
  wanted.set = settings->objects;
  wanted.count = (int)settings->tasks;
  wanted.seed = (uint64_t)settings->seed;
  wanted.slack = settings->slack;
  wanted.relative_slack = settings->relative_slack;
  return dc_witness_tasks_create(&wanted, arena, tasks, error);
}

// One task as a refinement: two bodies and a pair.  Everything is owned by arena but refine.
struct work {
  struct dc_shape shapes[2];
  struct dc_body_definition bodies[2];
  struct dc_model model;
  struct dc_refine *refine;
};

static enum dc_status open_work(const struct dc_bench_witness_settings *settings, const struct dc_witness_tasks *tasks,
                                int index, struct dc_arena *arena, struct work *work, struct dc_error *error)
{
  const struct dc_witness_task *task = &tasks->tasks[index];
  struct dc_refine_pair pair = {.body = {0, 1}};
  struct dc_refine_settings refine = *settings->refine;
  struct dc_bodies *bodies = &work->model.bodies;
  memcpy(pair.point, task->target, sizeof pair.point);
  refine.seed = (long)(((uint64_t)refine.seed * 1000003u + (uint64_t)index) & 0xffffffffffffu);
  for (int k = 0; k < 2; k++) {
    struct dc_body_definition *body = &work->bodies[k];
    work->shapes[k] = tasks->shapes[task->object[k]];
    enum dc_status status = dc_options_set_defaults(dc_body_options, body, arena, error);
    if (status)
      return status;
    body->name = k ? "second" : "first";
    body->shape = k;
    body->density = 1000;
    if (k == 1) {
      memcpy(body->position, task->position, sizeof body->position);
      memcpy(body->rotation, task->quaternion, sizeof body->rotation);
    }
    struct dc_joint_definition *joint = body->joint.objects;
    for (int j = 0; dc_joint_types[j]; j++)
      if (dc_joint_types[j] == (k == 1 || settings->both ? &dc_joint_free : &dc_joint_fixed))
        joint->type = j;
  }
  enum dc_status status = dc_bodies_create(bodies, 2, work->bodies, work->shapes, arena, error);
  if (status)
    return status;
  work->refine = dc_refine_create(&work->model, &refine, 1, &pair, error);
  return work->refine ? DC_OK : error->status;
}

struct outcome {
  double best, last;
  long queries, iterations;
  double seconds;
  enum dc_status status;
  struct dc_error error;
};

static bool note_last(void *context, const struct dc_iterate *iterate)
{
  struct outcome *outcome = context;
  outcome->last = iterate->value;
  return true;
}

static void solve(const struct dc_bench_witness_settings *settings, const struct dc_witness_tasks *tasks, int index,
                  const struct dc_optimizer_type *method, const void *method_options, struct outcome *outcome)
{
  struct work work = {0};
  struct dc_optimizer_result result = {0};
  double q[14];
  struct dc_arena *arena = dc_arena_create();
  outcome->status = arena ? open_work(settings, tasks, index, arena, &work, &outcome->error)
                          : dc_out_of_memory_for(&outcome->error, "a task");
  if (!outcome->status) {
    dc_initial_state(&work.model.bodies, q);
    double before = dc_thread_seconds();
    struct dc_problem problem = *dc_refine_problem(work.refine);
    problem.seed = (uint64_t)index;
    outcome->status = dc_minimize(method, method_options, &problem, q, note_last, outcome, &result, &outcome->error);
    outcome->seconds = dc_thread_seconds() - before;
    outcome->best = result.best_value;
    outcome->iterations = result.iterations;
    outcome->queries = dc_refine_counts(work.refine).queries;
  }
  dc_refine_destroy(work.refine);
  dc_arena_destroy(arena);
}

// Sorts values.
static struct dc_bench_witness_score score(double *values, int count)
{
  int accurate = 0;
  dc_bench_sort(values, count);
  while (accurate < count && values[accurate] < ACCURATE)
    accurate++;
  return (struct dc_bench_witness_score){
      .accuracy = (double)accurate / count, .median = values[count / 2], .ninth = values[(int)(0.9 * count)]};
}

static enum dc_status summarize(const struct outcome *outcomes, int count, struct dc_bench_witness_result *result,
                                struct dc_error *error)
{
  double *values = dc_alloc((size_t)count, sizeof *values);
  if (!values)
    return dc_out_of_memory_for(error, "results");
  result->tasks = count;
  for (int i = 0; i < count; i++) {
    const struct outcome *outcome = &outcomes[i];
    if (outcome->status) {
      *error = outcome->error;
      free(values);
      return outcome->status;
    }
    values[i] = outcome->best;
    result->queries += (double)outcome->queries;
    result->iterations += (double)outcome->iterations;
    result->seconds += outcome->seconds;
  }
  result->queries /= count;
  result->iterations /= count;
  result->best = score(values, count);
  for (int i = 0; i < count; i++)
    values[i] = outcomes[i].last;
  result->last = score(values, count);
  free(values);
  return DC_OK;
}

enum dc_status dc_bench_witness(const struct dc_bench_witness_settings *settings,
                                const struct dc_optimizer_type *method, const void *method_options,
                                struct dc_bench_witness_result *result, struct dc_error *error)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_witness_tasks tasks = {0};
  struct outcome *outcomes = dc_alloc((size_t)settings->tasks, sizeof *outcomes);
  *result = (struct dc_bench_witness_result){.last_counts = method->one_path};
  enum dc_status status =
      arena && outcomes ? make_tasks(settings, arena, &tasks, error) : dc_out_of_memory_for(error, "tasks");
  if (!status) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < tasks.count; i++)
      solve(settings, &tasks, i, method, method_options, &outcomes[i]);
    status = summarize(outcomes, tasks.count, result, error);
  }
  free(outcomes);
  dc_arena_destroy(arena);
  return status;
}

enum { MOST_POSES = 256 };

// The states that a descent passes through.
struct way {
  int count;
  double q[MOST_POSES][14];
  int nq;
};

static bool keep(void *context, const struct dc_iterate *iterate)
{
  struct way *way = context;
  memcpy(way->q[way->count++], iterate->x, (size_t)way->nq * sizeof(double));
  return way->count < MOST_POSES;
}

static void place(const struct dc_bodies *bodies, const double *q, struct dc_placement placements[2])
{
  struct dc_pose poses[2];
  dc_poses(bodies, q, poses);
  for (int k = 0; k < 2; k++) {
    const double *r = poses[k].rotation, *c = bodies->bodies[k].center;
    memcpy(placements[k].rotation, r, sizeof placements[k].rotation);
    for (int i = 0; i < 3; i++)
      placements[k].position[i] = poses[k].position[i] - (r[3 * i] * c[0] + r[3 * i + 1] * c[1] + r[3 * i + 2] * c[2]);
  }
}

// A way as queries see it.
struct stretch {
  const struct dc_bench_witness_settings *settings;
  struct work *work;
  const struct way *way;
  struct dc_surface_samples samples[2];
  struct dc_witness_solid solids[2];
  struct dc_witness_search *search;
  struct dc_placement (*placements)[2];  // [way->count], as the following
  double (*targets)[2][3], (*centers)[2][3];
  struct dc_witness *witnesses;
  struct dc_witness_side (*sides)[2];
};

static enum dc_status open_stretch(const struct dc_witness_task *task, const struct dc_witness_tasks *tasks,
                                   struct dc_arena *arena, struct stretch *stretch, struct dc_error *error)
{
  stretch->placements = dc_arena_alloc(arena, MOST_POSES, sizeof *stretch->placements);
  stretch->targets = dc_arena_alloc(arena, MOST_POSES, sizeof *stretch->targets);
  stretch->centers = dc_arena_alloc(arena, MOST_POSES, sizeof *stretch->centers);
  stretch->witnesses = dc_arena_alloc(arena, MOST_POSES, sizeof *stretch->witnesses);
  stretch->sides = dc_arena_alloc(arena, MOST_POSES, sizeof *stretch->sides);
  if (!stretch->placements || !stretch->targets || !stretch->centers || !stretch->witnesses || !stretch->sides)
    return dc_out_of_memory_for(error, "poses");
  for (int k = 0; k < 2; k++) {
    const struct dc_solid *solid = &tasks->solids[task->object[k]];
    enum dc_status status = dc_surface_samples_create(solid, (int)stretch->settings->refine->candidates, 1, arena,
                                                      &stretch->samples[k], error);
    if (status)
      return status;
    stretch->solids[k] = (struct dc_witness_solid){solid, &stretch->samples[k]};
  }
  for (int i = 0; i < stretch->way->count; i++) {
    place(&stretch->work->model.bodies, stretch->way->q[i], stretch->placements[i]);
    for (int k = 0; k < 2; k++) {
      const struct dc_placement *placement = &stretch->placements[i][k];
      dc_mat_apply(stretch->targets[i][k], placement->rotation, task->target[k]);
      dc_vec_add(stretch->targets[i][k], stretch->targets[i][k], placement->position);
      dc_vec_copy(stretch->centers[i][k], placement->position);
    }
  }
  stretch->search = dc_witness_search_create(stretch->solids[0].solid, stretch->solids[1].solid);
  return stretch->search ? DC_OK : dc_out_of_memory_for(error, "a search");
}

// Queries, derivatives and their parts; adds to times.
static void time_queries(const struct stretch *stretch, struct dc_bench_witness_times *times)
{
  const struct dc_witness_settings *witness = stretch->settings->refine->witness;
  int count = stretch->way->count;
  double clock = dc_thread_seconds(), next, whole;
  for (int i = 0; i < count; i++)
    dc_witness_query(stretch->search, &stretch->placements[i][0], &stretch->placements[i][1], &stretch->witnesses[i]);
  next = dc_thread_seconds();
  times->forward += next - clock;
  if (witness->method == DC_WITNESS_FINITE_DIFFERENCE || witness->method == DC_WITNESS_RS0)
    return;
  clock = dc_thread_seconds();
  for (int i = 0; i < count; i++) {
    const struct dc_witness_draw draw = {.key = (uint64_t)i, .radius_scale = 1};
    dc_witness_derivative(witness, stretch->solids, stretch->placements[i], &stretch->witnesses[i],
                          (const double(*)[3])stretch->targets[i], &draw, stretch->sides[i]);
  }
  next = dc_thread_seconds();
  whole = next - clock;
  clock = next;
  for (int i = 0; i < count; i++) {
    double jacobian[2][2][18];
    dc_witness_jacobian(witness, &stretch->witnesses[i], stretch->sides[i], (const double(*)[3])stretch->centers[i],
                        jacobian);
  }
  next = dc_thread_seconds();
  times->passing += next - clock;
  times->backward += whole + next - clock;
  if (witness->method == DC_WITNESS_ANALYTICAL)
    return;
  clock = dc_thread_seconds();
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2; k++) {
      const struct dc_witness_draw draw = {.key = (uint64_t)i, .radius_scale = 1};
      struct dc_witness_local local;
      struct dc_witness_points points;
      dc_witness_localize(witness, &stretch->solids[k], &stretch->placements[i][k], &stretch->witnesses[i], k,
                          stretch->targets[i][k], &draw, &local);
      dc_witness_sample(witness, &stretch->solids[k], &local, 2 * draw.key + (uint64_t)k, &points);
    }
  next = dc_thread_seconds();
  times->sampling += next - clock;
  times->smoothing += whole - (next - clock);
}

// Processor time of directions of descent at states first to end - 1 of the way, each `often` times, for steps of the
// paper's size (or of none: then nothing is transported).
static enum dc_status time_descent(const struct stretch *stretch, int first, int end, int often, double size,
                                   double *seconds, struct dc_error *error)
{
  const struct dc_problem *problem = dc_refine_problem(stretch->work->refine);
  const double sizes[DC_REFINE_GROUPS] = {10 * size, 0.01 * size, size};
  double direction[12], value, clock = dc_thread_seconds();
  for (int i = first * often; i < end * often; i++) {
    const struct dc_draw draw = {.number = (uint64_t)i, .trust = 1};
    enum dc_status status =
        problem->descend(problem->context, stretch->way->q[i / often], &draw, sizes, &value, direction, error);
    if (status)
      return status;
  }
  *seconds = dc_thread_seconds() - clock;
  return DC_OK;
}

// Time of equivalent gradient transport: directions with it minus directions without, each the shortest of several
// times at a state.  The witness points are queried there once before.
static enum dc_status time_transport(const struct stretch *stretch, struct dc_bench_witness_times *times,
                                     struct dc_error *error)
{
  enum { ROUNDS = 4, OFTEN = 8 };
  int method = stretch->settings->refine->witness->method;
  if (!stretch->settings->refine->transport || stretch->settings->both || method == DC_WITNESS_FINITE_DIFFERENCE ||
      method == DC_WITNESS_RS0)
    return DC_OK;
  for (int i = 0; i < stretch->way->count; i++) {
    double least[2] = {INFINITY, INFINITY}, seconds;
    enum dc_status status = time_descent(stretch, i, i + 1, 1, 1, &seconds, error);
    for (int round = 0; !status && round < 2 * ROUNDS; round++) {
      status = time_descent(stretch, i, i + 1, OFTEN, round % 2, &seconds, error);
      least[round % 2] = fmin(least[round % 2], seconds);
    }
    if (status)
      return status;
    times->transport += (least[1] - least[0]) / OFTEN;
  }
  return DC_OK;
}

static enum dc_status time_way(struct work *work, const struct dc_witness_task *task,
                               const struct dc_witness_tasks *tasks, const struct dc_bench_witness_settings *settings,
                               const struct way *way, struct dc_arena *arena, struct dc_bench_witness_times *times,
                               struct dc_error *error)
{
  struct stretch stretch = {.settings = settings, .work = work, .way = way};
  double seconds = 0;
  enum dc_status status = open_stretch(task, tasks, arena, &stretch, error);
  if (!status) {
    time_queries(&stretch, times);
    status = time_descent(&stretch, 0, way->count, 1, 1, &seconds, error);
  }
  if (!status)
    status = time_transport(&stretch, times, error);
  times->iteration += seconds;
  times->poses += way->count;
  dc_witness_search_destroy(stretch.search);
  return status;
}

static enum dc_status time_task(const struct dc_bench_witness_settings *settings, const struct dc_witness_tasks *tasks,
                                int index, const void *descent, struct dc_bench_witness_times *times,
                                struct dc_error *error)
{
  struct work work = {0};
  struct way way = {.count = 0};
  double q[14];
  struct dc_arena *arena = dc_arena_create();
  enum dc_status status =
      arena ? open_work(settings, tasks, index, arena, &work, error) : dc_out_of_memory_for(error, "a task");
  if (!status) {
    way.nq = work.model.bodies.nq;
    dc_initial_state(&work.model.bodies, q);
    struct dc_problem problem = *dc_refine_problem(work.refine);
    problem.seed = 1;
    status = dc_minimize(&dc_normalized_descent, descent, &problem, q, keep, &way, NULL, error);
    if (status == DC_STOPPED)
      status = DC_OK;
  }
  if (!status)
    status = time_way(&work, &tasks->tasks[index], tasks, settings, &way, arena, times, error);
  dc_refine_destroy(work.refine);
  dc_arena_destroy(arena);
  return status;
}

// Sums over poses become means; parts that the method does not have become NAN.
static void average(const struct dc_bench_witness_settings *settings, struct dc_bench_witness_times *times)
{
  int method = settings->refine->witness->method;
  bool differences = method == DC_WITNESS_FINITE_DIFFERENCE || method == DC_WITNESS_RS0;
  double *means[] = {&times->forward,   &times->backward, &times->iteration, &times->sampling,
                     &times->smoothing, &times->passing,  &times->transport};
  for (size_t i = 0; i < sizeof means / sizeof *means; i++)
    *means[i] /= (double)times->poses;
  if (differences)
    times->backward = times->iteration - times->forward;
  if (differences || method == DC_WITNESS_ANALYTICAL)
    times->sampling = times->smoothing = NAN;
  if (differences)
    times->passing = NAN;
  if (differences || settings->both || !settings->refine->transport)
    times->transport = NAN;
}

enum dc_status dc_bench_witness_time(const struct dc_bench_witness_settings *settings,
                                     struct dc_bench_witness_times *times, struct dc_error *error)
{
  *times = (struct dc_bench_witness_times){.tasks = (int)settings->tasks};
  struct dc_arena *arena = dc_arena_create();
  struct dc_witness_tasks tasks = {0};
  void *descent = arena ? dc_arena_alloc(arena, 1, dc_normalized_descent.options_size) : NULL;
  enum dc_status status = descent ? dc_options_set_defaults(dc_normalized_descent.options, descent, arena, error)
                                  : dc_out_of_memory_for(error, "tasks");
  if (!status)
    status = make_tasks(settings, arena, &tasks, error);
  for (int i = 0; !status && i < tasks.count; i++)
    status = time_task(settings, &tasks, i, descent, times, error);
  if (!status)
    average(settings, times);
  dc_arena_destroy(arena);
  return status;
}
