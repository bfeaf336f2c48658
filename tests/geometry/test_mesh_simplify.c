// SPDX-License-Identifier: Apache-2.0
// Simplified hulls and split edges.
#include <math.h>
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/mesh/mesh_groups.h"
#include "geometry/mesh/mesh_simplify.h"
#include "harness.h"
#include "math/vector.h"

// The hull of points of a ball, spread along a spiral.
static void make_ball(int count, double radius, struct dc_arena *arena, struct dc_mesh *hull)
{
  double(*points)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *points);
  struct dc_error error = {0};
  for (int i = 0; i < count; i++) {
    double z = 1 - (2 * i + 1.0) / count, turn = i * M_PI * (3 - sqrt(5));
    points[i][0] = radius * sqrt(1 - z * z) * cos(turn);
    points[i][1] = radius * sqrt(1 - z * z) * sin(turn);
    points[i][2] = radius * z;
  }
  CHECK(dc_hull((const double(*)[3])points, count, arena, hull, &error) == DC_OK, "%s", error.text);
}

// Of a ball: the corners are some of those before, and the error is that of the deepest face.
static void test_hull(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh hull, simple;
  struct dc_error error = {0};
  double deviation, before = INFINITY;
  make_ball(2000, 0.1, arena, &hull);
  for (int points = 8; points <= 128; points *= 2) {
    double deepest = 0;
    simple = hull;
    CHECK(dc_hull_simplify(&simple, points, arena, &deviation, &error) == DC_OK, "%s", error.text);
    CHECK(dc_mesh_validate(&simple, &error) == DC_OK, "%s", error.text);
    CHECK(simple.vertex_count <= points && simple.vertex_count > points / 2, "%d", simple.vertex_count);
    for (int v = 0; v < simple.vertex_count; v++)
      CHECK_NEAR(dc_vec_norm(simple.vertices[v]), 0.1, 1e-12);
    for (int t = 0; t < simple.triangle_count; t++) {
      double middle[3] = {0};
      for (int k = 0; k < 3; k++)
        dc_vec_add_scaled(middle, middle, 1.0 / 3, simple.vertices[simple.triangles[t][k]]);
      deepest = larger(deepest, 0.1 - dc_vec_norm(middle));
    }
    CHECK(deviation < before && deviation > 0.5 * deepest && deviation < 1.5 * deepest, "%d: %g, %g", points, deviation,
          deepest);
    before = deviation;
  }
  CHECK(before < 0.0045, "%g", before);  // observed 0.0034 with 128
  simple = hull;
  CHECK(dc_hull_simplify(&simple, 2000, arena, &deviation, &error) == DC_OK && deviation == 0, "nothing to do");
  CHECK(simple.vertices == hull.vertices, "nothing to do");
  dc_arena_destroy(arena);
}

// A disc across all axes with one corner above its middle: the corners that are extreme along the axes lie in a plane,
// and without that one there is no hull.
static void test_flat_beginning(void)
{
  enum { RIM = 400 };
  static double corners[RIM + 1][3];
  static const double u[3] = {1 / M_SQRT2, -1 / M_SQRT2, 0},
                      v[3] = {0.40824829046386302, 0.40824829046386302, -0.81649658092772603};
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh hull, simple;
  struct dc_error error = {0};
  double deviation;
  for (int i = 0; i < RIM; i++)
    for (int k = 0; k < 3; k++)
      corners[i][k] = cos(2 * M_PI * i / RIM) * u[k] + sin(2 * M_PI * i / RIM) * v[k];
  for (int k = 0; k < 3; k++)
    corners[RIM][k] = 0.05;
  CHECK(dc_hull((const double(*)[3])corners, RIM + 1, arena, &hull, &error) == DC_OK, "%s", error.text);
  simple = hull;
  CHECK(dc_hull_simplify(&simple, 8, arena, &deviation, &error) == DC_OK, "%s", error.text);
  CHECK(simple.vertex_count <= 8 && deviation < 0.3, "%d corners, %g", simple.vertex_count, deviation);
  // Three corners are no hull, which is told as such.
  simple = hull;
  CHECK(dc_hull_simplify(&simple, 3, arena, &deviation, &error) == DC_BAD_INPUT && !strstr(error.text, "memory"), "%s",
        error.text);
  dc_arena_destroy(arena);
}

// A long thin box: no long edge is left, the surface is closed, its place and the solid are the same.
static void test_split(void)
{
  static double corners[8][3];
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh mesh;
  struct dc_error error = {0};
  struct dc_mass_properties before, after;
  bool convex;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++)
      corners[i][k] = (i >> k & 1) * (k == 0 ? 1 : 0.03);
  CHECK(dc_hull((const double(*)[3])corners, 8, arena, &mesh, &error) == DC_OK, "%s", error.text);
  dc_mesh_mass_properties(&mesh, &before);
  CHECK(dc_mesh_split_edges(&mesh, 0.04, arena, &error) == DC_OK, "%s", error.text);
  CHECK(dc_mesh_validate(&mesh, &error) == DC_OK, "%s", error.text);
  CHECK(dc_mesh_is_convex(&mesh, 1e-9, &convex, &error) == DC_OK && convex, "convex");
  dc_mesh_mass_properties(&mesh, &after);
  CHECK_NEAR(after.volume, before.volume, 1e-15);
  CHECK_NEAR(after.second_moment[0], before.second_moment[0], 1e-15);
  CHECK(mesh.triangle_count > 200 && mesh.triangle_count < 1000, "%d", mesh.triangle_count);
  for (int t = 0; t < mesh.triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      double edge[3];
      dc_vec_sub(edge, mesh.vertices[mesh.triangles[t][k]], mesh.vertices[mesh.triangles[t][(k + 1) % 3]]);
      CHECK(dc_vec_norm(edge) <= 0.04, "%g", dc_vec_norm(edge));
    }
  CHECK(dc_mesh_split_edges(&mesh, 1e-9, arena, &error) == DC_BAD_INPUT, "too many");
  dc_arena_destroy(arena);
}

RUN_TESTS({"hulls of fewer corners", test_hull}, {"a flat beginning", test_flat_beginning},
          {"no long edges", test_split})
