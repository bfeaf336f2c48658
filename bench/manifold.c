// SPDX-License-Identifier: Apache-2.0
// Time of contact manifolds between two figures, smooth and by hulls, at random poses.
#include "bench/manifold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench/figure.h"
#include "bench/hull_manifold.h"
#include "bench/sort.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { POSES = 100 };

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

// Times the hulls at the same poses as above.
static enum dc_status time_hulls(const struct dc_sdf *sdf, struct dc_arena *arena, struct dc_figure_rate *rate,
                                 struct dc_error *error)
{
  size_t count = (size_t)sdf->child_count;
  struct dc_bench_hull *hulls = dc_arena_alloc(arena, count, sizeof *hulls);
  struct dc_epa *epa = dc_arena_alloc(arena, 1, sizeof *epa);
  struct dc_hull_contact *contacts = dc_arena_alloc(arena, DC_HULL_POINTS * count * count, sizeof *contacts);
  if (!hulls || !epa || !contacts)
    return dc_out_of_memory_for(error, "the hulls of a figure");
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
  enum dc_status status = arena ? dc_bench_figure(parts, arena, &surfaces[0], error) : dc_out_of_memory(error);
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
      status = dc_out_of_memory_for(error, "a contact manifold");
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
  enum dc_status status = dc_bench_nearest(rates->nearest, error);
  rates->figures = 0;
  for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++)
    status = time_figure(figures[i].parts, figures[i].options, &rates->figure[rates->figures++], error);
  return status;
}
