// SPDX-License-Identifier: Apache-2.0
// Time of nearest points of edges and faces, for batches of pairs, by the smooth formulas, exact cases and iterative
// baselines.
#include "bench/nearest.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/edge_baselines.h"
#include "bench/face_point.h"
#include "bench/sort.h"
#include "contact/kernels/lane_kernels.h"

enum { PART = 1000000, PAIRS = 10000, REPEATS = 15, SLOW_REPEATS = 3, AT_LEAST = 20000 };
static const struct dc_edge_smoothing smoothing = {0.02, 0.002};
static const double BARRIER = 1e-3;

const int dc_nearest_counts[DC_NEAREST_COUNTS] = {1, 100, PAIRS, PART, 10 * PART};

// The same numbers in both layouts: one array for each of the 12, and 12 for each pair.
struct pairs {
  int count, room;  // room: count in whole batches
  double *ends[DC_EDGE_ENDS], *by_ends[DC_EDGE_ENDS], *results[DC_EDGE_RESULTS], *by_results[DC_EDGE_RESULTS];
  double (*each)[DC_EDGE_ENDS], (*by_each)[DC_EDGE_ENDS];
  long iterations;
  int failures;
};

static void edges_forward(struct pairs *p)
{
  dc_lane_kernels()->edge_witness(&smoothing, p->room, (const double *const *)p->ends, p->results);
}

// Values and derivatives.
static void edges_both(struct pairs *p)
{
  edges_forward(p);
  dc_lane_kernels()->edge_witness_back(&smoothing, p->room, (const double *const *)p->ends,
                                       (const double *const *)p->by_results, p->by_ends);
}

static void edges_exact(struct pairs *p)
{
  for (int i = 0; i < p->count; i++) {
    double a[2];
    dc_edge_exact(p->each[i], a);
    p->results[0][i] = a[0];
    p->results[1][i] = a[1];
  }
}

static void count_iterations(struct pairs *p, int iterations)
{
  p->iterations += iterations > 0 ? iterations : 0;
  p->failures += iterations < 0;
}

static void solve_edges(struct pairs *p, int (*method)(const double[12], double, double, double[2]))
{
  for (int i = 0; i < p->count; i++) {
    double a[2];
    count_iterations(p, method(p->each[i], smoothing.regularization, BARRIER, a));
    p->results[0][i] = a[0];
    p->results[1][i] = a[1];
  }
}

static void edges_interior_point(struct pairs *p)
{
  solve_edges(p, dc_edge_interior_point);
}

static void edges_lbfgs(struct pairs *p)
{
  solve_edges(p, dc_edge_lbfgs);
}

static void put_point(struct pairs *p, int i, const double point[3])
{
  for (int k = 0; k < 3; k++)
    p->results[k][i] = point[k];
}

static void faces_forward(struct pairs *p)
{
  for (int i = 0; i < p->count; i++) {
    double point[3];
    dc_face_point(smoothing.softness, p->each[i], point);
    put_point(p, i, point);
  }
}

static void faces_both(struct pairs *p)
{
  faces_forward(p);
  for (int i = 0; i < p->count; i++) {
    double by[3] = {p->by_results[0][i], p->by_results[1][i], p->by_results[2][i]};
    dc_face_point_back(smoothing.softness, p->each[i], by, p->by_each[i]);
  }
}

static void faces_interior_point(struct pairs *p)
{
  for (int i = 0; i < p->count; i++) {
    double point[3] = {0};
    count_iterations(p, dc_face_interior_point(p->each[i], BARRIER, point));
    put_point(p, i, point);
  }
}

static const struct method {
  const char *kind, *name;
  void (*run)(struct pairs *pairs);
  int repeats;
} methods[] = {{"edges", "smoothed, in lanes", edges_forward, REPEATS},
               {"edges", "smoothed, with derivative", edges_both, REPEATS},
               {"edges", "not smoothed, one by one", edges_exact, REPEATS},
               {"edges", "interior point", edges_interior_point, SLOW_REPEATS},
               {"edges", "L-BFGS", edges_lbfgs, SLOW_REPEATS},
               {"faces", "smoothed, one by one", faces_forward, SLOW_REPEATS},
               {"faces", "smoothed, with derivative", faces_both, SLOW_REPEATS},
               {"faces", "interior point", faces_interior_point, SLOW_REPEATS}};
enum { METHODS = sizeof methods / sizeof *methods };
_Static_assert((int)METHODS == (int)DC_NEAREST_METHODS, "a rate for each method");

static enum dc_status create(struct dc_arena *arena, int most, struct pairs *p, struct dc_error *error)
{
  size_t room = (size_t)dc_whole_batches(most);
  bool complete = (p->each = dc_arena_alloc(arena, room, sizeof *p->each)) &&
                  (p->by_each = dc_arena_alloc(arena, room, sizeof *p->by_each));
  for (int k = 0; k < DC_EDGE_ENDS && complete; k++)
    complete = (p->ends[k] = dc_arena_alloc(arena, room, sizeof(double))) &&
               (p->by_ends[k] = dc_arena_alloc(arena, room, sizeof(double)));
  for (int k = 0; k < DC_EDGE_RESULTS && complete; k++)
    complete = (p->results[k] = dc_arena_alloc(arena, room, sizeof(double))) &&
               (p->by_results[k] = dc_arena_alloc(arena, room, sizeof(double)));
  return complete ? DC_OK : dc_out_of_memory_for(error, "%d pairs", most);
}

static void draw(struct dc_random *random, int count, struct pairs *p)
{
  p->count = count;
  p->room = dc_whole_batches(count);
  for (int i = 0; i < p->room; i++) {
    for (int k = 0; k < DC_EDGE_ENDS; k++)
      p->ends[k][i] = p->each[i][k] = dc_random_uniform(random);
    for (int k = 0; k < DC_EDGE_RESULTS; k++)
      p->by_results[k][i] = 2 * dc_random_uniform(random) - 1;
  }
}

// Seconds per run, over as many runs as take AT_LEAST pairs.
static double seconds_of(const struct method *method, struct pairs *p)
{
  int runs = p->count < AT_LEAST ? (AT_LEAST + p->count - 1) / p->count : 1;
  double start = dc_thread_seconds();
  for (int i = 0; i < runs; i++)
    method->run(p);
  return (dc_thread_seconds() - start) / runs;
}

static void time_methods(struct pairs *p, int c, struct dc_nearest_rate *rates)
{
  for (int m = 0; m < METHODS; m++) {
    const struct method *method = &methods[m];
    double seconds[REPEATS];
    p->iterations = p->failures = 0;
    method->run(p);
    if (p->count == PAIRS) {
      rates[m].iterations = (double)p->iterations / p->count;
      rates[m].failures = p->failures;
    }
    for (int i = 0; i < method->repeats; i++)
      seconds[i] = seconds_of(method, p);
    rates[m].nanoseconds[c] = 1e9 * dc_bench_median(seconds, method->repeats) / p->count;
  }
}

enum dc_status dc_bench_nearest(struct dc_nearest_rate rates[DC_NEAREST_METHODS], struct dc_error *error)
{
  struct dc_random random;
  struct pairs pairs = {0};
  struct dc_arena *arena = dc_arena_create();
  enum dc_status status = arena ? create(arena, PART, &pairs, error) : dc_out_of_memory_for(error, "nearest points");
  dc_random_seed(&random, 1);
  for (int m = 0; m < METHODS; m++)
    rates[m] = (struct dc_nearest_rate){.kind = methods[m].kind, .name = methods[m].name};
  for (int c = 0; c < DC_NEAREST_COUNTS && !status; c++) {
    int count = dc_nearest_counts[c];
    if (count <= PART) {
      draw(&random, count, &pairs);
      time_methods(&pairs, c, rates);
      continue;
    }
    for (int part = 0; part < count / PART; part++) {
      draw(&random, PART, &pairs);
      for (int m = 0; m < METHODS; m++)
        rates[m].nanoseconds[c] += 1e9 * seconds_of(&methods[m], &pairs) / count;
    }
  }
  dc_arena_destroy(arena);
  return status;
}
