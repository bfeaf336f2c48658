// SPDX-License-Identifier: Apache-2.0
#include "bench/manifold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench/edge_baselines.h"
#include "bench/figure.h"
#include "bench/hull_manifold.h"
#include "bench/sort.h"
#include "contact/kernels/lane_kernels.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { PAIRS = 4096, REPEATS = 15, SLOW_REPEATS = 5, POSES = 100 };
static const struct dc_edge_smoothing smoothing = {0.02, 0.002};
static const double BARRIER = 1e-3;

struct pairs {
  double ends[DC_EDGE_ENDS][PAIRS] DC_LINE, results[DC_EDGE_RESULTS][PAIRS], by_ends[DC_EDGE_ENDS][PAIRS],
      by_results[DC_EDGE_RESULTS][PAIRS];
  double each[PAIRS][DC_EDGE_ENDS];
  long iterations, failures;
};

static void kernel_forward(struct pairs *p)
{
  const double *in[DC_EDGE_ENDS];
  double *out[DC_EDGE_RESULTS] = {p->results[0], p->results[1], p->results[2]};
  for (int k = 0; k < DC_EDGE_ENDS; k++)
    in[k] = p->ends[k];
  dc_lane_kernels()->edge_witness(&smoothing, PAIRS, in, out);
}

// Values and derivatives.
static void kernel_both(struct pairs *p)
{
  const double *in[DC_EDGE_ENDS], *by[DC_EDGE_RESULTS] = {p->by_results[0], p->by_results[1], p->by_results[2]};
  double *back[DC_EDGE_ENDS];
  for (int k = 0; k < DC_EDGE_ENDS; k++) {
    in[k] = p->ends[k];
    back[k] = p->by_ends[k];
  }
  kernel_forward(p);
  dc_lane_kernels()->edge_witness_back(&smoothing, PAIRS, in, by, back);
}

static void exact(struct pairs *p)
{
  for (int i = 0; i < PAIRS; i++) {
    double a[2];
    dc_edge_exact(p->each[i], a);
    p->results[0][i] = a[0];
    p->results[1][i] = a[1];
  }
}

static void solve(struct pairs *p, int (*method)(const double[12], double, double, double[2]))
{
  for (int i = 0; i < PAIRS; i++) {
    double a[2];
    int iterations = method(p->each[i], smoothing.regularization, BARRIER, a);
    p->iterations += iterations > 0 ? iterations : 0;
    p->failures += iterations < 0;
    p->results[0][i] = a[0];
    p->results[1][i] = a[1];
  }
}

static void interior_point(struct pairs *p)
{
  solve(p, dc_edge_interior_point);
}

static void lbfgs(struct pairs *p)
{
  solve(p, dc_edge_lbfgs);
}

static void time_method(const char *name, void (*run)(struct pairs *), int repeats, struct pairs *p,
                        struct dc_edge_rate *rate)
{
  double seconds[REPEATS];
  run(p);
  p->iterations = p->failures = 0;
  for (int i = 0; i < repeats; i++) {
    double start = dc_thread_seconds();
    run(p);
    seconds[i] = dc_thread_seconds() - start;
  }
  *rate = (struct dc_edge_rate){.name = name,
                                .nanoseconds = 1e9 * dc_bench_median(seconds, repeats) / PAIRS,
                                .iterations = (double)p->iterations / (PAIRS * (double)repeats),
                                .failures = p->failures / repeats};
}

static enum dc_status time_edges(struct dc_manifold_rates *rates, struct dc_error *error)
{
  struct dc_random random;
  struct pairs *p = dc_alloc(1, sizeof *p);
  if (!p)
    return dc_fail(error, DC_MEMORY, "out of memory for pairs of edges");
  dc_random_seed(&random, 1);
  for (int i = 0; i < PAIRS; i++)
    for (int k = 0; k < DC_EDGE_ENDS; k++)
      p->ends[k][i] = p->each[i][k] = dc_random_uniform(&random);
  for (int k = 0; k < DC_EDGE_RESULTS; k++)
    for (int i = 0; i < PAIRS; i++)
      p->by_results[k][i] = dc_random_uniform(&random);
  struct dc_edge_rate *rate = rates->method;
  time_method("smoothed, in lanes", kernel_forward, REPEATS, p, rate++);
  time_method("smoothed, with derivative", kernel_both, REPEATS, p, rate++);
  time_method("not smoothed, one by one", exact, REPEATS, p, rate++);
  time_method("interior point", interior_point, SLOW_REPEATS, p, rate++);
  time_method("L-BFGS", lbfgs, SLOW_REPEATS, p, rate++);
  rates->methods = (int)(rate - rates->method);
  free(p);
  return DC_OK;
}

static void draw_poses(struct dc_random *random, struct dc_pose poses[2])
{
  for (int s = 0; s < 2; s++) {
    double w[3];
    for (int k = 0; k < 3; k++) {
      w[k] = 2 * dc_random_uniform(random) - 1;
      poses[s].position[k] = s * (0.6 * dc_random_uniform(random) - 0.3);
    }
    dc_rotation_exp(poses[s].quaternion, w);
    dc_rotation_matrix(poses[s].rotation, poses[s].quaternion);
  }
}

static void time_poses(struct dc_manifold *manifold, struct dc_manifold_contact *contacts,
                       const struct dc_manifold_cotangent *by, struct dc_figure_rate *rate)
{
  struct dc_random random;
  double forward[POSES], both[POSES];
  dc_random_seed(&random, 5);
  for (int i = 0; i < POSES; i++) {
    struct dc_pose poses[2];
    double twists[2][6] = {{0}}, start;
    draw_poses(&random, poses);
    start = dc_thread_seconds();
    dc_manifold_evaluate(manifold, poses, contacts);
    forward[i] = dc_thread_seconds() - start;
    dc_manifold_pull_back(manifold, by, twists, NULL);
    both[i] = dc_thread_seconds() - start;
  }
  rate->forward = dc_bench_median(forward, POSES);
  rate->with_gradient = dc_bench_median(both, POSES);
}

// The same poses as above.
static enum dc_status time_hulls(const struct dc_sdf *sdf, struct dc_arena *arena, struct dc_figure_rate *rate,
                                 struct dc_error *error)
{
  size_t count = (size_t)sdf->child_count;
  struct dc_bench_hull *hulls = dc_arena_alloc(arena, count, sizeof *hulls);
  struct dc_epa *epa = dc_arena_alloc(arena, 1, sizeof *epa);
  struct dc_hull_contact *contacts = dc_arena_alloc(arena, DC_HULL_POINTS * count * count, sizeof *contacts);
  if (!hulls || !epa || !contacts)
    return dc_fail(error, DC_MEMORY, "out of memory for the hulls of a figure");
  enum dc_status status = dc_bench_make_hulls(sdf, arena, hulls, error);
  for (int near = 0; near < 2 && !status; near++) {
    struct dc_random random;
    double seconds[POSES], found[POSES];
    dc_random_seed(&random, 5);
    for (int i = 0; i < POSES; i++) {
      struct dc_pose poses[2];
      draw_poses(&random, poses);
      double start = dc_thread_seconds();
      found[i] = dc_bench_hulls_contacts(epa, hulls, (int)count, hulls, (int)count, poses, near, contacts);
      seconds[i] = dc_thread_seconds() - start;
    }
    *(near ? &rate->near_hulls : &rate->hulls) = dc_bench_median(seconds, POSES);
    *(near ? &rate->near_hull_contacts : &rate->hull_contacts) = (int)dc_bench_median(found, POSES);
  }
  return status;
}

static enum dc_status time_figure(int parts, const char *options, struct dc_figure_rate *rate, struct dc_error *error)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_manifold_surface surfaces[2];
  struct dc_manifold_settings settings;
  enum dc_status status =
      arena ? dc_bench_figure(parts, arena, &surfaces[0], error) : dc_fail(error, DC_MEMORY, "out of memory");
  if (!status) {
    surfaces[1] = surfaces[0];
    dc_manifold_defaults(surfaces, &settings);
    settings.edge_edge = strcmp(options, "no edges") != 0;
    settings.one_sided = strcmp(options, "one-sided") == 0;
    struct dc_manifold *manifold = dc_manifold_create(surfaces, &settings, error);
    int count = manifold ? dc_manifold_count(manifold) : 0;
    struct dc_manifold_contact *contacts = dc_arena_alloc(arena, (size_t)count, sizeof *contacts);
    struct dc_manifold_cotangent *by = dc_arena_alloc(arena, (size_t)count, sizeof *by);
    *rate = (struct dc_figure_rate){
        .parts = parts, .vertices = surfaces[0].vertex_count, .edges = surfaces[0].edge_count, .options = options};
    if (!manifold || !contacts || !by) {
      status = dc_fail(error, DC_MEMORY, "out of memory for a contact manifold");
    } else {
      rate->vertex_contacts = dc_manifold_vertex_contacts(manifold);
      rate->edge_contacts = count - rate->vertex_contacts;
      for (int i = 0; i < count; i++)
        by[i].distance = 1.0 / count;
      time_poses(manifold, contacts, by, rate);
      if (!*options)
        status = time_hulls(surfaces[0].sdf, arena, rate, error);
    }
    dc_manifold_destroy(manifold);
  }
  dc_arena_destroy(arena);
  return status;
}

enum dc_status dc_bench_manifold(struct dc_manifold_rates *rates, struct dc_error *error)
{
  static const struct {
    int parts;
    const char *options;
  } figures[] = {{1, ""}, {3, ""}, {5, ""}, {9, ""}, {18, ""}, {18, "no edges"}, {18, "one-sided"}};
  enum dc_status status = time_edges(rates, error);
  rates->figures = 0;
  for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++)
    status = time_figure(figures[i].parts, figures[i].options, &rates->figure[rates->figures++], error);
  return status;
}
