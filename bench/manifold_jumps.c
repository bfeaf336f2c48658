// SPDX-License-Identifier: Apache-2.0
// Jumps of contact along smooth paths: how much sums of contact points and normals change per step, for smooth
// manifolds and for hulls.
#include "bench/manifold_jumps.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "bench/figure.h"
#include "bench/hull_manifold.h"
#include "bench/sort.h"
#include "contact/manifold/manifold.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { CORNERS = 8, EDGES = 12, BOX_PATHS = 15, FIGURE_PATHS = 5, MOST_PATHS = 15, SEED = 21 };
static const double EXPONENT = 0.1, HALF = 0.5, DEPTH = 0.02;
static const int box_edges[EDGES][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                        {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

struct bodies {
  struct dc_manifold_surface surface;  // of either body
  struct dc_manifold *manifold;
  struct dc_manifold_contact *contacts;
  int hull_count;
  struct dc_bench_hull *hulls;  // of either body
  struct dc_epa *epa;
  struct dc_hull_contact *hull_contacts;
};

// Start and motion of a path; positions are fractions of the motion.
struct path {
  struct dc_pose start[2];
  double turn[3], move[3];
};

struct sum {
  double force[3], centre[3], weight;
};

static void add(struct sum *sum, double weight, double sign, const double normal[3], const double point[3])
{
  dc_vec_add_scaled(sum->force, sum->force, sign * weight, normal);
  dc_vec_add_scaled(sum->centre, sum->centre, weight, point);
  sum->weight += weight;
}

static void sum_smooth(const struct bodies *bodies, const struct dc_pose poses[2], struct sum *sum)
{
  dc_manifold_evaluate(bodies->manifold, poses, bodies->contacts);
  for (int i = 0; i < dc_manifold_count(bodies->manifold); i++) {
    const struct dc_manifold_contact *c = &bodies->contacts[i];
    add(sum, c->activity * fmax(-c->distance, 0), c->body ? -1 : 1, c->normal, c->point);
  }
}

static void sum_hulls(const struct bodies *bodies, const struct dc_pose poses[2], struct sum *sum)
{
  int count = dc_bench_hulls_contacts(bodies->epa, bodies->hulls, bodies->hull_count, bodies->hulls, bodies->hull_count,
                                      poses, true, bodies->hull_contacts);
  for (int i = 0; i < count; i++) {
    const struct dc_hull_contact *c = &bodies->hull_contacts[i];
    add(sum, fmax(-c->distance, 0), -1, c->normal, c->point);
  }
}

static void place(const struct path *path, double part, struct dc_pose poses[2])
{
  double turn[3], q[4];
  poses[0] = path->start[0];
  poses[1] = path->start[1];
  dc_vec_scale(turn, path->turn, part);
  dc_rotation_exp(q, turn);
  dc_rotation_multiply(poses[0].quaternion, q, path->start[0].quaternion);
  dc_rotation_matrix(poses[0].rotation, poses[0].quaternion);
  dc_vec_add_scaled(poses[0].position, poses[0].position, part, path->move);
}

static void follow(const struct bodies *bodies, const struct path *path, int steps,
                   void (*evaluate)(const struct bodies *, const struct dc_pose[2], struct sum *), double *force,
                   double *centre)
{
  struct sum last = {.weight = 0};
  double change = 0, most = 0;
  *centre = 0;
  for (int i = 0; i <= steps; i++) {
    struct dc_pose poses[2];
    struct sum sum = {.weight = 0};
    place(path, (double)i / steps, poses);
    evaluate(bodies, poses, &sum);
    dc_vec_scale(sum.centre, sum.centre, sum.weight > 0 ? 1 / sum.weight : 0);
    most = fmax(most, dc_vec_norm(sum.force));
    if (i > 0)
      change = fmax(change, dc_vec_distance(sum.force, last.force));
    if (i > 0 && sum.weight > 0 && last.weight > 0)
      *centre = fmax(*centre, dc_vec_distance(sum.centre, last.centre));
    last = sum;
  }
  *force = most > 0 ? change / most : 0;
}

static double uniform(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static void set_turn(struct dc_pose *pose, const double turn[3])
{
  dc_rotation_exp(pose->quaternion, turn);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

static void draw_box_paths(struct path *paths)
{
  static const double none[3] = {0, 0, 0};
  struct dc_random random;
  dc_random_seed(&random, SEED);
  for (int i = 0; i < BOX_PATHS; i++) {
    double yaw = uniform(&random, 0.1, 1.1), about = uniform(&random, 0, 2 * M_PI);
    paths[i] = (struct path){.turn = {0.1 * cos(about), 0.1 * sin(about), 0.3}};
    set_turn(&paths[i].start[0], (const double[3]){-0.05 * cos(about), -0.05 * sin(about), yaw});
    set_turn(&paths[i].start[1], none);
    for (int k = 0; k < 2; k++)
      paths[i].start[0].position[k] = uniform(&random, -0.3, 0.3);
    paths[i].start[0].position[2] = 2 * HALF * pow(3, -0.5 * EXPONENT) - DEPTH;
  }
}

static void draw_figure_paths(struct path *paths)
{
  struct dc_random random;
  dc_random_seed(&random, SEED);
  for (int i = 0; i < FIGURE_PATHS; i++) {
    paths[i] = (struct path){.turn = {0, 0, 0}};
    for (int s = 0; s < 2; s++) {
      double turn[3];
      for (int k = 0; k < 3; k++) {
        turn[k] = uniform(&random, -1, 1);
        paths[i].start[s].position[k] = s * uniform(&random, -0.3, 0.3);
      }
      set_turn(&paths[i].start[s], turn);
    }
    for (int k = 0; k < 3; k++) {
      paths[i].turn[k] = uniform(&random, -1, 1);
      paths[i].move[k] = uniform(&random, -1, 1);
    }
    dc_vec_scale(paths[i].turn, paths[i].turn, 0.06 / dc_vec_norm(paths[i].turn));
    dc_vec_scale(paths[i].move, paths[i].move, 0.02 / dc_vec_norm(paths[i].move));
  }
}

static enum dc_status make_box(struct bodies *bodies, struct dc_arena *arena, struct dc_error *error)
{
  double inscribed = pow(3, -0.5 * EXPONENT), (*vertices)[3] = dc_arena_alloc(arena, CORNERS, sizeof *vertices);
  bodies->hulls = dc_arena_alloc(arena, 1, sizeof *bodies->hulls);
  bodies->hull_count = 1;
  bodies->surface = (struct dc_manifold_surface){
      .sdf = dc_sdf_make_superquadric((const double[3]){HALF, HALF, HALF}, EXPONENT, EXPONENT, arena),
      .vertex_count = CORNERS,
      .edge_count = EDGES,
      .vertices = (const double(*)[3])vertices,
      .edges = box_edges};
  if (!vertices || !bodies->hulls || !bodies->surface.sdf)
    return dc_out_of_memory_for(error, "boxes");
  for (int i = 0; i < CORNERS; i++)
    for (int k = 0; k < 3; k++)
      vertices[i][k] = inscribed * HALF * (i >> k & 1 ? 1 : -1);
  return dc_bench_make_hull((const double(*)[3])vertices, CORNERS, arena, bodies->hulls, error);
}

static enum dc_status make_figure(struct bodies *bodies, struct dc_arena *arena, struct dc_error *error)
{
  enum dc_status status = dc_bench_figure(DC_FIGURE_PARTS, arena, &bodies->surface, error);
  bodies->hulls = dc_arena_alloc(arena, DC_FIGURE_PARTS, sizeof *bodies->hulls);
  bodies->hull_count = DC_FIGURE_PARTS;
  if (!status && !bodies->hulls)
    return dc_out_of_memory_for(error, "figures");
  return status ? status : dc_bench_make_hulls(bodies->surface.sdf, arena, bodies->hulls, error);
}

enum method { SMOOTH, SHARES, VERTICES, HULLS };

static enum dc_status follow_all(struct bodies *bodies, const struct path *paths, enum method method,
                                 struct dc_manifold_jump *jump, struct dc_error *error)
{
  static const char *const names[] = {"smooth", "smooth, edges by shares", "smooth, vertices alone", "hulls"};
  struct dc_manifold_surface surfaces[2] = {bodies->surface, bodies->surface};
  struct dc_manifold_settings settings;
  dc_manifold_defaults(surfaces, &settings);
  settings.edges = bodies->surface.edge_count > EDGES ? settings.edges : 0;
  settings.edge_edge = method != VERTICES;
  settings.levels = method == SHARES;
  bodies->manifold = dc_manifold_create(surfaces, &settings, error);
  size_t most = bodies->manifold ? (size_t)dc_manifold_most(bodies->manifold) : 0;
  bodies->contacts = dc_alloc(most, sizeof *bodies->contacts);
  jump->method = names[method];
  for (int fine = 0; fine < 2 && bodies->contacts && bodies->manifold; fine++) {
    double force[MOST_PATHS], centre[MOST_PATHS];
    for (int i = 0; i < jump->paths; i++)
      follow(bodies, &paths[i], fine ? 4 * DC_JUMP_STEPS : DC_JUMP_STEPS, method == HULLS ? sum_hulls : sum_smooth,
             &force[i], &centre[i]);
    jump->force[fine] = dc_bench_median(force, jump->paths);
    jump->centre[fine] = dc_bench_median(centre, jump->paths);
  }
  bool made = bodies->manifold && bodies->contacts;
  dc_manifold_destroy(bodies->manifold);
  free(bodies->contacts);
  return made ? DC_OK : dc_out_of_memory_for(error, "contact manifolds");
}

static enum dc_status run(bool figures, struct dc_manifold_jump *jumps, struct dc_error *error)
{
  static const enum method methods[2][4] = {{SMOOTH, HULLS}, {SMOOTH, SHARES, VERTICES, HULLS}};
  struct dc_arena *arena = dc_arena_create();
  struct bodies bodies = {.manifold = NULL};
  struct path paths[MOST_PATHS];
  if (!arena)
    return dc_out_of_memory_for(error, "boxes and figures");
  enum dc_status status = (figures ? make_figure : make_box)(&bodies, arena, error);
  (figures ? draw_figure_paths : draw_box_paths)(paths);
  size_t hulls = (size_t)bodies.hull_count;
  bodies.epa = dc_arena_alloc(arena, 1, sizeof *bodies.epa);
  bodies.hull_contacts = dc_arena_alloc(arena, DC_HULL_POINTS * hulls * hulls, sizeof *bodies.hull_contacts);
  if (!status && (!bodies.epa || !bodies.hull_contacts))
    status = dc_out_of_memory_for(error, "boxes and figures");
  for (int m = 0; m < (figures ? 4 : 2) && !status; m++) {
    jumps[m] =
        (struct dc_manifold_jump){.bodies = figures ? "figures" : "boxes", .paths = figures ? FIGURE_PATHS : BOX_PATHS};
    status = follow_all(&bodies, paths, methods[figures][m], &jumps[m], error);
  }
  dc_arena_destroy(arena);
  return status;
}

enum dc_status dc_bench_manifold_jumps(struct dc_manifold_jump jumps[DC_MANIFOLD_JUMPS], struct dc_error *error)
{
  enum dc_status status = run(false, jumps, error);
  return status ? status : run(true, jumps + 2, error);
}
