// SPDX-License-Identifier: Apache-2.0
// Contact manifolds: derivatives by poses and shapes against differences at three scales, options.
#include "contact/manifold/manifold.h"

#include "base/random.h"
#include "geometry/sdf_move.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

static double uniform(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static void set_pose(struct dc_pose *pose, const double position[3], const double w[3])
{
  dc_vec_copy(pose->position, position);
  dc_rotation_exp(pose->quaternion, w);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

static void move_pose(const struct dc_pose *from, int k, double h, struct dc_pose *to)
{
  double w[3] = {0, 0, 0}, q[4];
  *to = *from;
  if (k >= 3) {
    to->position[k - 3] += h;
    return;
  }
  w[k] = h;
  dc_rotation_exp(q, w);
  dc_rotation_multiply(to->quaternion, q, from->quaternion);
  dc_rotation_matrix(to->rotation, to->quaternion);
}

// A box: 8 corners, 12 edges.
static double corners[2][8][3];
static const int box_edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                     {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static void make_corners(double (*out)[3], const double half[3], double factor)
{
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++)
      out[i][k] = factor * half[k] * (i >> k & 1 ? 1 : -1);
}

// Corners of the box on its superquadric: 3^(-e/2) of the half-lengths for e1 = e2 = e.
static double inscribed(double e)
{
  return pow(3, -0.5 * e);
}

struct scene {
  struct dc_arena *arena;
  struct dc_sdf *sdf[2];
  struct dc_manifold_surface surfaces[2];
  struct dc_manifold_settings settings;
  struct dc_pose poses[2];
  struct dc_manifold *manifold;
  int count, parameters[2];
  double rest[2][8][3], level[2][8];  // vertices, and their own signed distance there
  struct dc_manifold_contact *contacts;
  struct dc_manifold_cotangent *by;
};

static void destroy(struct scene *scene)
{
  dc_manifold_destroy(scene->manifold);
  free(scene->contacts);
  free(scene->by);
  dc_arena_destroy(scene->arena);
}

static void create(struct scene *scene)
{
  struct dc_error error = {0};
  scene->manifold = dc_manifold_create(scene->surfaces, &scene->settings, &error);
  CHECK(scene->manifold, "%s", error.text);
  scene->count = dc_manifold_most(scene->manifold);
  scene->contacts = calloc((size_t)scene->count, sizeof *scene->contacts);
  scene->by = calloc((size_t)scene->count, sizeof *scene->by);
  for (int s = 0; s < 2; s++)
    for (int v = 0; v < 8; v++) {
      double g[3];
      dc_vec_copy(scene->rest[s][v], corners[s][v]);
      scene->level[s][v] = dc_sdf_value(scene->sdf[s], corners[s][v], g);
    }
}

enum kind { SUPERQUADRICS, UNIONS, POLYHEDRA, POINTS };

// An ellipsoid: points in the directions of the corners and of the axes.
static struct dc_sdf *make_points(const double half[3], struct dc_arena *arena)
{
  enum { COUNT = 14 };
  double places[COUNT][3], normals[COUNT][3];
  for (int i = 0; i < COUNT; i++) {
    double direction[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
    for (int k = 0; k < 3 && i >= 8; k++)
      direction[k] = k == (i - 8) / 2 ? (i % 2 ? 1 : -1) : 0;
    for (int k = 0; k < 3; k++) {
      places[i][k] = half[k] * direction[k] / dc_vec_norm(direction);
      normals[i][k] = direction[k] / half[k];
    }
  }
  return dc_sdf_make_points(COUNT, (const double(*)[3])places, (const double(*)[3])normals, arena);
}

// Two bodies that overlap: boxes, with a ball in unions, or ellipsoids of points.
static void make_scene(struct scene *scene, double size, enum kind kind, struct dc_random *random)
{
  double half[3] = {0.5 * size, 0.4 * size, 0.3 * size}, zero[3] = {0, 0, 0}, w[3], position[3];
  *scene = (struct scene){.arena = dc_arena_create()};
  for (int s = 0; s < 2; s++) {
    make_corners(corners[s], half, 0.85);
    scene->sdf[s] = kind == POLYHEDRA ? dc_sdf_make_box(half, 0.05 * size, scene->arena)
                    : kind == POINTS  ? make_points(half, scene->arena)
                                      : dc_sdf_make_superquadric(half, 0.3, 0.35, scene->arena);
    if (kind == UNIONS) {
      struct dc_sdf *both = dc_sdf_make(&dc_sdf_union, 1, 2, scene->arena);
      double ball[3] = {0.3 * size, 0.3 * size, 0.3 * size};
      both->numbers[0] = 0.03 * size;
      both->children[0] = *scene->sdf[s];
      both->children[1] = *dc_sdf_make_superquadric(ball, 1, 1, scene->arena);
      both->children[1].position[s] = 0.3 * size;
      scene->sdf[s] = both;
    }
    scene->surfaces[s] = (struct dc_manifold_surface){scene->sdf[s], 8, 12, (const double(*)[3])corners[s], box_edges};
    scene->parameters[s] = dc_sdf_parameter_count(scene->sdf[s]);
  }
  for (int k = 0; k < 3; k++) {
    w[k] = uniform(random, -0.5, 0.5);
    position[k] = 0.1 * size * uniform(random, -1, 1) + (k == 2 ? 0.55 * size : 0);
  }
  set_pose(&scene->poses[0], position, w);
  set_pose(&scene->poses[1], zero, (double[3]){0.1, 0.2, 0.3});
  dc_manifold_defaults(scene->surfaces, &scene->settings);
  scene->settings.edges = 0;
  scene->settings.edge.softness = 0.05;
  scene->settings.edge.regularization = 0.005;
}

static double total(struct scene *scene, const struct dc_pose poses[2])
{
  double sum = 0;
  dc_manifold_evaluate(scene->manifold, poses, scene->contacts);
  for (int i = 0; i < dc_manifold_count(scene->manifold); i++) {
    const struct dc_manifold_contact *c = &scene->contacts[i];
    sum += scene->by[i].activity * c->activity + scene->by[i].distance * c->distance;
    for (int k = 0; k < 3; k++)
      sum += scene->by[i].point[k] * c->point[k] + scene->by[i].normal[k] * c->normal[k];
  }
  return sum;
}

static double fourth(const double f[4], double h)
{
  return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

static const double STEPS[4] = {-2, -1, 1, 2};

// Largest error of the twists, relative to their size.  Of several steps the best.
static double pose_error(struct scene *scene, const double twists[2][6], double size)
{
  double worst = 0, scale[2] = {0, 0};
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 6; k++)
      scale[k / 3] = fmax(scale[k / 3], fabs(twists[s][k]));
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 6; k++) {
      double unit = k < 3 ? 1 : size, best = INFINITY;
      for (double h = 1e-3 * unit; h > 1e-6 * unit; h *= 0.2) {
        double f[4];
        for (int i = 0; i < 4; i++) {
          struct dc_pose poses[2] = {scene->poses[0], scene->poses[1]};
          move_pose(&scene->poses[s], k, STEPS[i] * h, &poses[s]);
          f[i] = total(scene, poses);
        }
        best = fmin(best, fabs(fourth(f, h) - twists[s][k]) / scale[k / 3]);
      }
      worst = larger(worst, best);
    }
  return worst;
}

// With parameter p of body s moved by h, its vertices as they were or moved onto their level sets again.
static double moved_total(struct scene *scene, int s, int p, double h, bool follow)
{
  sdf_move_parameter(scene->sdf[s], p, h);
  for (int v = 0; v < 8 && follow; v++)
    dc_sdf_project(scene->sdf[s], scene->level[s][v], corners[s][v]);
  double sum = total(scene, scene->poses);
  sdf_move_parameter(scene->sdf[s], p, -h);
  memcpy(corners[s], scene->rest[s], sizeof corners[s]);
  return sum;
}

// What parameter p is measured in.
static double unit_of(struct dc_sdf *sdf, int p, double size)
{
  const double *number = dc_sdf_number(sdf, p);
  if (number)
    return fmin(size, fabs(*number) + 0.01 * size);
  return sdf_parameter_turns(sdf, p) ? 1 : size;
}

// Errors of the parameters' derivatives times the parameters' units, relative to themselves or to a hundredth of the
// body's largest.  Of several steps the best.
static double parameter_error(struct scene *scene, double *const parameters[2], double size, bool follow)
{
  double worst = 0;
  for (int s = 0; s < 2; s++) {
    double largest = 0;
    for (int p = 0; p < scene->parameters[s]; p++)
      largest = larger(largest, fabs(parameters[s][p]) * unit_of(scene->sdf[s], p, size));
    for (int p = 0; p < scene->parameters[s]; p++) {
      double unit = unit_of(scene->sdf[s], p, size), got = parameters[s][p] * unit, best = INFINITY;
      for (double h = 1e-3; h > 1e-6; h *= 0.2) {
        double f[4];
        for (int i = 0; i < 4; i++)
          f[i] = moved_total(scene, s, p, STEPS[i] * h * unit, follow);
        best = fmin(best, fabs(fourth(f, h) - got) / fmax(fabs(got), 1e-2 * largest));
      }
      worst = larger(worst, best);
    }
  }
  return worst;
}

static void draw_cotangents(struct scene *scene, double size, struct dc_random *random)
{
  for (int i = 0; i < scene->count; i++) {
    scene->by[i].distance = uniform(random, -1, 1) / size;
    scene->by[i].activity = uniform(random, -1, 1);
    for (int k = 0; k < 3; k++) {
      scene->by[i].point[k] = uniform(random, -1, 1) / size;
      scene->by[i].normal[k] = uniform(random, -1, 1);
    }
  }
}

// Vertices lie on the level set and follow it: what a pull back gives for their places belongs to its parameters.
static void pull_back_mesh(const struct scene *scene, int s, double *parameters)
{
  const struct dc_manifold_surface *surface = &scene->surfaces[s];
  for (int v = 0; v < surface->vertex_count; v++) {
    double by[3];
    dc_manifold_by_vertex(scene->manifold, s, v, by);
    if (by[0] != 0 || by[1] != 0 || by[2] != 0)
      dc_sdf_project_pull_back(surface->sdf, surface->vertices[v], by, parameters);
  }
}

static void check_derivatives(struct scene *scene, const char *name, double size, struct dc_random *random)
{
  double twists[2][6] = {{0}}, others[2][6] = {{0}}, *parameters[2];
  create(scene);
  draw_cotangents(scene, size, random);
  for (int s = 0; s < 2; s++)
    parameters[s] = calloc((size_t)scene->parameters[s], sizeof **parameters);
  total(scene, scene->poses);
  dc_manifold_pull_back(scene->manifold, scene->by, twists, NULL);
  dc_manifold_pull_back(scene->manifold, scene->by, others, parameters);
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < 6; k++)
      CHECK_NEAR(twists[s][k], others[s][k], 1e-12 * largest_of(others[s], 6));  // 3e-14 observed
  double poses = pose_error(scene, (const double(*)[6])twists, size),
         shapes = parameter_error(scene, parameters, size, false);
  total(scene, scene->poses);
  memset(twists, 0, sizeof twists);
  dc_manifold_pull_back(scene->manifold, scene->by, twists, NULL);
  for (int s = 0; s < 2; s++)
    pull_back_mesh(scene, s, parameters[s]);
  double meshes = parameter_error(scene, parameters, size, true);
  printf("# %s, size %g: %d contacts, derivatives by poses within %.2g, by shapes within %.2g, with meshes %.2g\n",
         name, size, scene->count, poses, shapes, meshes);
  // 5e-9, 2e-9 and 7e-9 observed
  CHECK(poses < 1e-7 && shapes < 1e-7 && meshes < 1e-7, "%s, size %g: %g %g %g", name, size, poses, shapes, meshes);
  free(parameters[0]);
  free(parameters[1]);
  destroy(scene);
}

// Of few edges, which are selected by shares that fade over a part of the size.
static void check_selected(struct scene *scene, const char *name, double size, int edges, struct dc_random *random)
{
  scene->settings.edges = edges;
  scene->settings.selection = 0.02 * size;
  check_derivatives(scene, name, size, random);
}

static void test_derivatives(void)
{
  static const double sizes[] = {0.05, 1, 20};
  struct dc_random random;
  struct scene scene;
  dc_random_seed(&random, 11);
  for (int i = 0; i < 3; i++) {
    make_scene(&scene, sizes[i], SUPERQUADRICS, &random);
    check_derivatives(&scene, "superquadrics, all edges", sizes[i], &random);
    make_scene(&scene, sizes[i], UNIONS, &random);
    check_derivatives(&scene, "unions, all edges", sizes[i], &random);
    make_scene(&scene, sizes[i], POLYHEDRA, &random);
    check_derivatives(&scene, "polyhedra, all edges", sizes[i], &random);
    make_scene(&scene, sizes[i], UNIONS, &random);
    scene.settings.vertices = 5;
    check_selected(&scene, "unions, selected edges and vertices", sizes[i], 4, &random);
    make_scene(&scene, sizes[i], SUPERQUADRICS, &random);  // flat: four vertices and four edges are nearly equally deep
    set_pose(&scene.poses[0], (const double[3]){1e-3 * sizes[i], 2e-3 * sizes[i], 0.55 * sizes[i]}, (double[3]){0});
    set_pose(&scene.poses[1], (const double[3]){0}, (double[3]){0});
    scene.settings.vertices = 3;
    check_selected(&scene, "superquadrics, selected of equal ones", sizes[i], 3, &random);
    make_scene(&scene, sizes[i], UNIONS, &random);
    scene.settings.one_sided = true;
    check_selected(&scene, "unions, one-sided", sizes[i], 6, &random);
    make_scene(&scene, sizes[i], UNIONS, &random);
    scene.settings.edge_edge = false;
    check_derivatives(&scene, "unions, no edges", sizes[i], &random);
    make_scene(&scene, sizes[i], POINTS, &random);
    check_selected(&scene, "points, selected edges", sizes[i], 3, &random);
    make_scene(&scene, sizes[i], UNIONS, &random);
    scene.settings.levels = true;
    check_selected(&scene, "unions, shares of edges", sizes[i], 4, &random);
  }
}

// A mesh on the box instead of on its superquadric stands out at its edges, which the check says.
static void test_check(void)
{
  const double half[3] = {0.5, 0.5, 0.5};
  struct dc_arena *arena = dc_arena_create();
  struct dc_sdf *sdf = dc_sdf_make_superquadric(half, 0.1, 0.1, arena);
  struct dc_manifold_surface surface = {sdf, 8, 12, (const double(*)[3])corners[0], box_edges};
  struct dc_manifold_fit fit;
  make_corners(corners[0], half, 1);
  dc_manifold_check(&surface, &fit);
  CHECK(fit.edges > 0.02 && fit.vertices > 0.02, "corners outside: %g %g", fit.vertices, fit.edges);
  make_corners(corners[0], half, inscribed(0.1));
  dc_manifold_check(&surface, &fit);
  CHECK(fit.edges < 1e-9 && fit.vertices < 1e-9, "corners on the surface: %g %g", fit.vertices, fit.edges);
  dc_arena_destroy(arena);
}

RUN_TESTS({"derivatives by poses and shapes at three scales", test_derivatives},
          {"meshes and their signed distances", test_check})
