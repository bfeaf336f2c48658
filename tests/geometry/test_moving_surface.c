// SPDX-License-Identifier: Apache-2.0
// Surfaces whose corners move: common vertices of parts, shapes that keep their triangles, sphere trees that follow and
// their derivatives against differences.
#include "harness.h"

#include "base/random.h"
#include "geometry/bounding/sphere_tree.h"
#include "geometry/shapes/shape.h"
#include "geometry/shapes/shape_thickness.h"
#include "math/vector.h"

enum { CORNERS = 8, MOST_NODES = 64 };

static void fill_box(const double center[3], const double size[3], double (*corners)[3])
{
  for (int v = 0; v < CORNERS; v++)
    for (int k = 0; k < 3; k++)
      corners[v][k] = center[k] + size[k] * ((v >> k & 1) - 0.5);
}

// Three boxes in a row; the first two overlap, the last one is apart.
static void make_parts(double corners[3][CORNERS][3], struct dc_mesh parts[3])
{
  static const double centers[3][3] = {{0, 0, 0}, {0.8, 0.2, 0.1}, {3, 0, 0}}, size[3] = {1, 0.6, 0.5};
  for (int i = 0; i < 3; i++) {
    fill_box(centers[i], size, corners[i]);
    parts[i] = (struct dc_mesh){.vertex_count = CORNERS, .vertices = corners[i]};
  }
}

static void test_common_vertices(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  double corners[3][CORNERS][3];
  struct dc_mesh parts[3];
  make_parts(corners, parts);
  CHECK(dc_shape_add_common_vertices(3, parts, arena, &error) == DC_OK, "%s", error.text);
  CHECK(parts[0].vertex_count == 9 && parts[1].vertex_count == 9 && parts[2].vertex_count == 8, "%d, %d, %d",
        parts[0].vertex_count, parts[1].vertex_count, parts[2].vertex_count);
  const double *middle = parts[0].vertices[8], low[3] = {0.3, -0.1, -0.15}, high[3] = {0.5, 0.3, 0.25};
  CHECK(memcmp(middle, parts[1].vertices[8], sizeof corners[0][0]) == 0, "one vertex");
  for (int k = 0; k < 3; k++)
    CHECK(middle[k] > low[k] && middle[k] < high[k], "axis %d: %g", k, middle[k]);
  CHECK_NEAR(middle[0], 0.4, 2e-3);  // the least extent of what they have in common; 2e-4 observed
  struct dc_shape shape = {.name = "row"};
  CHECK(dc_shape_set_hulls(&shape, 3, parts, arena, &error) == DC_OK, "%s", error.text);
  CHECK_NEAR(dc_shape_thinnest(&shape), 0.5, 1e-12);
  CHECK(shape.mesh.vertex_count == 24 && dc_shape_vertex_count(&shape) == 26, "common vertices are no corners");
  int indices[24];
  CHECK(dc_shape_mesh_vertices(&shape, indices), "the mesh is made of the parts");
  for (int v = 0; v < 24; v++)
    CHECK(indices[v] == v + (v >= 8) + (v >= 16), "vertex %d is %d", v, indices[v]);
  dc_arena_destroy(arena);
}

static void test_surface(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  double corners[3][CORNERS][3], moved[26][3];
  struct dc_mesh parts[3];
  struct dc_shape shape = {.name = "row"}, result, hulls;
  struct dc_random random;
  make_parts(corners, parts);
  CHECK(!dc_shape_add_common_vertices(3, parts, arena, &error) && !dc_shape_set_hulls(&shape, 3, parts, arena, &error),
        "%s", error.text);
  dc_random_seed(&random, 2);
  dc_shape_vertices(&shape, moved);
  for (int i = 0; i < 26 * 3; i++)
    moved[i / 3][i % 3] += 0.02 * dc_random_normal(&random);
  const double(*at)[3] = (const double(*)[3])moved;
  CHECK(dc_shape_move_surface(&shape, at, arena, &result, &error) == DC_OK, "%s", error.text);
  CHECK(dc_shape_with_vertices(&shape, at, arena, &hulls, &error) == DC_OK, "%s", error.text);
  CHECK(result.mesh.triangles == shape.mesh.triangles && result.parts[2].triangles == shape.parts[2].triangles,
        "triangles stay");
  CHECK(memcmp(result.mesh.vertices[8], moved[9], sizeof moved[9]) == 0, "corners move");
  CHECK(result.properties.volume < hulls.properties.volume && result.properties.volume > 0.9 * hulls.properties.volume,
        "%g of hulls of %g", result.properties.volume, hulls.properties.volume);
  for (int v = 18; v < 26; v++)
    moved[v][2] = 0;
  CHECK(dc_shape_move_surface(&shape, at, arena, &result, &error) == DC_INFEASIBLE && strstr(error.text, "part 3"),
        "%s", error.text);
  dc_arena_destroy(arena);
}

struct problem {
  struct dc_mesh mesh;
  double start[24][3], vertices[24][3], weights[MOST_NODES];
  struct dc_node_cotangent by[MOST_NODES];
};

// The tree over the start that follows the vertices.
static struct dc_sphere_tree tree_of(const struct problem *p, struct dc_arena *arena)
{
  struct dc_sphere_tree tree;
  struct dc_error error = {0};
  const int(*triangles)[3] = (const int(*)[3])p->mesh.triangles;
  CHECK(dc_sphere_tree_build(&tree, p->start, p->mesh.vertex_count, triangles, p->mesh.triangle_count, p->weights,
                             DC_CENTER_WEIGHTED, arena, &error) == DC_OK &&
            dc_sphere_tree_follow(&tree, p->vertices, triangles, arena, &error) == DC_OK,
        "%s", error.text);
  return tree;
}

static double value_of(const struct problem *p)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_sphere_tree tree = tree_of(p, arena);
  double sum = 0;
  for (int i = 0; i < tree.node_count; i++)
    sum += dc_vec_dot(p->by[i].center, tree.center[i]) + p->by[i].radius * tree.radius[i] +
           p->by[i].spread * tree.spread[i];
  dc_arena_destroy(arena);
  return sum;
}

static void start(struct problem *p, struct dc_arena *arena)
{
  struct dc_error error = {0};
  double corners[3][CORNERS][3];
  struct dc_mesh parts[3];
  struct dc_shape shape = {.name = "row"};
  struct dc_random random;
  make_parts(corners, parts);
  CHECK(dc_shape_set_hulls(&shape, 2, parts, arena, &error) == DC_OK, "%s", error.text);
  p->mesh = shape.mesh;
  dc_random_seed(&random, 6);
  for (int i = 0; i < 3 * shape.mesh.vertex_count; i++) {
    double *at = &p->start[0][0] + i;
    *at = (&shape.mesh.vertices[0][0])[i] + 0.02 * dc_random_normal(&random);
    (&p->vertices[0][0])[i] = *at + 0.1 * dc_random_normal(&random);
  }
  for (int i = 0; i < MOST_NODES; i++) {
    p->weights[i] = 0.5 + dc_random_uniform(&random);
    for (int k = 0; k < 3; k++)
      p->by[i].center[k] = dc_random_normal(&random);
    p->by[i].radius = dc_random_normal(&random);
    p->by[i].spread = dc_random_normal(&random);
  }
}

static void test_tree(void)
{
  static struct problem p;
  struct dc_arena *arena = dc_arena_create();
  double gradient[24][3] = {{0}}, worst = 0;
  start(&p, arena);
  struct dc_sphere_tree tree = tree_of(&p, arena);
  for (int i = 0; i < tree.node_count; i++)
    for (int c = 0; c < 2 && tree.right[i] >= 0; c++) {
      int child = c ? tree.right[i] : i + 1;
      CHECK(dc_vec_distance(tree.center[i], tree.center[child]) + tree.radius[child] <= tree.radius[i], "node %d", i);
    }
  struct dc_node_cotangent by[MOST_NODES];
  memcpy(by, p.by, sizeof by);
  dc_sphere_tree_pull_back(&tree, p.vertices, (const int(*)[3])p.mesh.triangles, 2, by, gradient);
  for (int i = 0; i < 3 * p.mesh.vertex_count; i++) {
    double *number = &p.vertices[0][0] + i, kept = *number, values[2];
    for (int side = 0; side < 2; side++) {
      *number = kept + (side ? -1e-5 : 1e-5);
      values[side] = value_of(&p);
    }
    *number = kept;
    worst = larger(worst, fabs((&gradient[0][0])[i] - 2 * (values[0] - values[1]) / 2e-5));
  }
  CHECK_NEAR(worst, 0, 1e-6);  // of derivatives of 1 to 10; p = 32 bends much
  CHECK(by[0].radius == 0 && by[tree.node_count - 1].center[0] == 0, "cotangents are used up");
  dc_arena_destroy(arena);
}

RUN_TESTS({"common vertices", test_common_vertices}, {"surfaces that move", test_surface},
          {"trees that follow", test_tree})
