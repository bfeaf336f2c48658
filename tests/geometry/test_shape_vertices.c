// SPDX-License-Identifier: Apache-2.0
// Shapes with other vertices: mass by vertices against differences and its invariants, hulls, shapes that cannot be.
#include "harness.h"

#include "base/random.h"
#include "geometry/convex/hull.h"
#include "geometry/shapes/shape.h"
#include "geometry/shapes/shape_thickness.h"
#include "geometry/shapes/shape_types.h"
#include "math/vector.h"

struct weights {
  double volume, first[3], second[9];
};

static void make_box(struct dc_arena *arena, const double size[3], struct dc_shape *shape)
{
  struct dc_error error = {0};
  void *options = dc_arena_alloc(arena, 1, dc_shape_box.options_size);
  dc_options_set_defaults(dc_shape_box.options, options, arena, &error);
  int at = dc_option_find(dc_shape_box.options, "size");
  memcpy((char *)options + dc_shape_box.options[at].offset, size, 3 * sizeof *size);
  *shape = (struct dc_shape){.name = "box", .type = &dc_shape_box, .options = options};
  enum dc_status status = dc_shape_build(shape, arena, &error);
  CHECK(status == DC_OK, "%s", error.text);
}

// <weights, (V, F, S)> about the origin: F = V c, S = moment + V c c^T.
static double functional(const struct dc_mesh *mesh, const struct weights *w)
{
  struct dc_mass_properties p;
  dc_mesh_mass_properties(mesh, &p);
  double sum = w->volume * p.volume + p.volume * dc_vec_dot(w->first, p.center);
  for (int k = 0; k < 9; k++)
    sum += w->second[k] * (p.second_moment[k] + p.volume * p.center[k / 3] * p.center[k % 3]);
  return sum;
}

static void draw(struct dc_random *random, double *numbers, int count)
{
  for (int i = 0; i < count; i++)
    numbers[i] = dc_random_normal(random);
}

static void test_mass(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_shape box;
  struct dc_random random;
  struct weights w = {.volume = 1.3};
  double gradient[8][3] = {{0}}, origin[3] = {0, 0, 0}, by_size = 0, by_turn[3] = {0, 0, 0}, by_shift[3] = {0, 0, 0};
  dc_random_seed(&random, 3);
  make_box(arena, (const double[3]){1, 0.7, 0.5}, &box);
  for (int v = 0; v < 8; v++)
    for (int k = 0; k < 3; k++)
      box.mesh.vertices[v][k] += 0.05 * dc_random_normal(&random) + (k == 0 ? 0.4 : 0);
  draw(&random, w.first, 3);
  draw(&random, w.second, 9);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      w.second[3 * i + j] = w.second[3 * j + i];
  dc_mesh_mass_pull_back(&box.mesh, origin, w.volume, w.first, w.second, gradient);
  for (int v = 0; v < 8; v++)
    for (int k = 0; k < 3; k++) {
      double kept = box.mesh.vertices[v][k], step = 1e-3, value[2];
      for (int side = 0; side < 2; side++) {
        box.mesh.vertices[v][k] = kept + (side ? -step : step);
        value[side] = functional(&box.mesh, &w);
      }
      box.mesh.vertices[v][k] = kept;
      // cubic in one coordinate: the square of the step
      CHECK_NEAR(gradient[v][k], (value[0] - value[1]) / (2 * step), 1e-6);
    }
  // of the volume alone: three times it by size, nothing by shift and turn
  double by_volume[8][3] = {{0}}, none[9] = {0}, turn[3];
  dc_mesh_mass_pull_back(&box.mesh, origin, 1, none, none, by_volume);
  for (int v = 0; v < 8; v++) {
    by_size += dc_vec_dot(by_volume[v], box.mesh.vertices[v]);
    dc_vec_add(by_shift, by_shift, by_volume[v]);
    dc_vec_cross(turn, box.mesh.vertices[v], by_volume[v]);
    dc_vec_add(by_turn, by_turn, turn);
  }
  struct dc_mass_properties p;
  dc_mesh_mass_properties(&box.mesh, &p);
  CHECK_NEAR(by_size, 3 * p.volume, 1e-15);
  CHECK(dc_vec_norm(by_shift) <= 1e-15 && dc_vec_norm(by_turn) <= 1e-15, "%g %g", dc_vec_norm(by_shift),
        dc_vec_norm(by_turn));
  dc_arena_destroy(arena);
}

static void test_hulls(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_shape box, other;
  struct dc_error error = {0};
  double vertices[8][3];
  make_box(arena, (const double[3]){1, 1, 1}, &box);
  CHECK(dc_shape_vertex_count(&box) == 8, "%d", dc_shape_vertex_count(&box));
  dc_shape_vertices(&box, vertices);
  for (int v = 0; v < 8; v++)
    vertices[v][2] *= 2;
  enum dc_status status = dc_shape_with_vertices(&box, (const double(*)[3])vertices, arena, &other, &error);
  CHECK(status == DC_OK, "%s", error.text);
  CHECK_NEAR(other.properties.volume, 2, 1e-14);
  const struct dc_hulls_options *options = other.options;
  const struct dc_hulls_part *part = options->parts.objects;
  CHECK(other.type == &dc_shape_hulls && options->parts.count == 1 && part->vertices.count == 24, "still a box");
  CHECK(memcmp(part->vertices.values, vertices, sizeof vertices) == 0, "other vertices");
  // a corner that moves inside stays a vertex of the part, and is none of the hull
  for (int v = 0; v < 8; v++)
    vertices[v][2] /= 2;
  for (int k = 0; k < 3; k++)
    vertices[3][k] *= 0.1;
  status = dc_shape_with_vertices(&box, (const double(*)[3])vertices, arena, &other, &error);
  CHECK(status == DC_OK && other.parts[0].vertex_count == 8 && other.mesh.vertex_count == 7, "%s", error.text);
  CHECK_NEAR(other.properties.volume, 5.0 / 6, 1e-14);
  bool used = false;
  for (int t = 0; t < other.parts[0].triangle_count; t++)
    for (int k = 0; k < 3; k++)
      used |= other.parts[0].triangles[t][k] == 3;
  CHECK(!used, "an inner vertex has a face");
  dc_arena_destroy(arena);
}

static void test_refusals(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_shape box, other;
  struct dc_error error = {0};
  double vertices[8][3];
  make_box(arena, (const double[3]){1, 1, 1}, &box);
  dc_shape_vertices(&box, vertices);
  for (int v = 0; v < 8; v++)
    vertices[v][0] *= 0.99e-3;
  CHECK(dc_shape_with_vertices(&box, (const double(*)[3])vertices, arena, &other, &error) == DC_INFEASIBLE, "thin");
  for (int v = 0; v < 8; v++)
    vertices[v][0] *= 1.02 / 0.99;
  CHECK(dc_shape_with_vertices(&box, (const double(*)[3])vertices, arena, &other, &error) == DC_OK, "%s", error.text);
  for (int v = 0; v < 8; v++)
    vertices[v][0] = 0;
  CHECK(dc_shape_with_vertices(&box, (const double(*)[3])vertices, arena, &other, &error) == DC_INFEASIBLE, "flat");
  dc_arena_destroy(arena);
}

// A box of 3 x 2 x 2 blocks: 8 corners each, a vertex for each of the 20 faces between them, once in both its blocks.
static double *option_of(const struct dc_shape *blocks, const char *name)
{
  const struct dc_option *table = dc_shape_blocks.options;
  return (double *)(void *)((char *)blocks->options + table[dc_option_find(table, name)].offset);
}

// A lattice of 3 x 2 x 2 blocks with 20 common faces, not yet built.
static struct dc_shape make_blocks(struct dc_arena *arena)
{
  static const double size[3] = {0.3, 0.2, 0.1}, divisions[3] = {3, 2, 2};
  struct dc_error error = {0};
  void *options = dc_arena_alloc(arena, 1, dc_shape_blocks.options_size);
  struct dc_shape blocks = {.name = "blocks", .type = &dc_shape_blocks, .options = options};
  dc_options_set_defaults(dc_shape_blocks.options, options, arena, &error);
  memcpy(option_of(&blocks, "size"), size, sizeof size);
  memcpy(option_of(&blocks, "divisions"), divisions, sizeof divisions);
  return blocks;
}

static void test_blocks(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  struct dc_shape blocks = make_blocks(arena);
  double *given = option_of(&blocks, "divisions");
  CHECK(dc_shape_build(&blocks, arena, &error) == DC_OK, "%s", error.text);
  int count = dc_shape_vertex_count(&blocks), shared = 0;
  CHECK(blocks.part_count == 12 && count == 12 * 8 + 2 * 20, "%d parts, %d vertices", blocks.part_count, count);
  CHECK_NEAR(blocks.properties.volume, 0.3 * 0.2 * 0.1, 1e-15);
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *vertices);
  int *owners = dc_arena_alloc(arena, (size_t)count, sizeof *owners);
  dc_shape_vertices(&blocks, vertices);
  for (int part = 0, v = 0; part < blocks.part_count; part++)
    for (int k = 0; k < blocks.parts[part].vertex_count; k++)
      owners[v++] = part;
  for (int v = 0; v < count; v++) {
    int twin = blocks.twins[v];
    CHECK(twin <= v && blocks.twins[twin] == twin && (twin == v || owners[twin] < owners[v]), "twin of %d: %d", v,
          twin);
    CHECK_NEAR(dc_vec_distance(vertices[v], vertices[twin]), 0, 0);
    shared += twin != v;
  }
  CHECK(shared == 20, "%d shared", shared);
  given[1] = 1.5;
  CHECK(dc_shape_build(&blocks, arena, &error) == DC_BAD_INPUT && strstr(error.text, "divisions[1]: must be a whole"),
        "%s", error.text);
  given[1] = 1000, given[0] = 5;
  CHECK(dc_shape_build(&blocks, arena, &error) == DC_BAD_INPUT && strstr(error.text, "at most 4096 blocks"), "%s",
        error.text);
  dc_arena_destroy(arena);
}

// Blocks with spokes: three vertices so far apart, on the common face of both blocks, that move as one.
static void test_spokes(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_error error = {0};
  const double spoke = 0.03;
  struct dc_shape blocks = make_blocks(arena);
  *option_of(&blocks, "spoke") = spoke;
  CHECK(dc_shape_build(&blocks, arena, &error) == DC_OK, "%s", error.text);
  int count = dc_shape_vertex_count(&blocks), faces = 0;
  CHECK(count == 12 * 8 + 2 * 20 * 3, "%d vertices", count);
  CHECK_NEAR(blocks.properties.volume, 0.3 * 0.2 * 0.1, 1e-15);
  double(*vertices)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *vertices);
  dc_shape_vertices(&blocks, vertices);
  for (int v = 0; v < count; v++) {
    int twin = blocks.twins[v], moving[6], many = 0;
    for (int u = 0; u < count && twin == v; u++)
      if (blocks.twins[u] == v && many < 6)
        moving[many++] = u;
    if (twin != v || many == 1)
      continue;
    faces++;
    CHECK(many == 6, "%d move with vertex %d", many, v);
    for (int k = 0; k < 3; k++) {
      CHECK_NEAR(dc_vec_distance(vertices[moving[k]], vertices[moving[(k + 1) % 3]]), spoke, 1e-15);
      CHECK_NEAR(dc_vec_distance(vertices[moving[k]], vertices[moving[3 + k]]), 0, 0);
    }
  }
  CHECK(faces == 20, "%d faces", faces);
  *option_of(&blocks, "spoke") = 0.041;
  CHECK(dc_shape_build(&blocks, arena, &error) == DC_BAD_INPUT &&
            strstr(error.text, "spoke: must be at most 0.04 m, 0.8 of the shortest edge"),
        "%s", error.text);
  dc_arena_destroy(arena);
}

static double width_along(const struct dc_mesh *mesh, const double direction[3])
{
  double low = INFINITY, high = -INFINITY;
  for (int v = 0; v < mesh->vertex_count; v++) {
    double height = dc_vec_dot(direction, mesh->vertices[v]);
    low = fmin(low, height);
    high = fmax(high, height);
  }
  return (high - low) / dc_vec_norm(direction);
}

static void axis_of(const struct dc_extents *extents, int k, double axis[3])
{
  for (int i = 0; i < 3; i++)
    axis[i] = extents->axes[3 * i + k];
}

static void test_box_extents(void)
{
  static const double size[3] = {1, 0.7, 0.5};
  struct dc_arena *arena = dc_arena_create();
  struct dc_shape box;
  struct dc_extents extents;
  make_box(arena, size, &box);
  dc_part_extents(&box.mesh, &extents);
  for (int k = 0; k < 3; k++) {
    double axis[3];
    axis_of(&extents, k, axis);
    CHECK_NEAR(extents.lengths[k], fabs(dc_vec_dot(axis, size)), 1e-15);
  }
  CHECK_NEAR(dc_shape_least_extent(&box), 0.5, 1e-15);
  dc_arena_destroy(arena);
}

// The least ratio of a width to the least extent.  None of a hull's extents is larger than the width along its axis.
static double least_width(const struct dc_mesh *hull, struct dc_random *random)
{
  struct dc_extents extents;
  double least = INFINITY, width = INFINITY;
  dc_part_extents(hull, &extents);
  for (int k = 0; k < 3; k++) {
    double axis[3];
    axis_of(&extents, k, axis);
    least = fmin(least, extents.lengths[k]);
    CHECK(extents.lengths[k] <= width_along(hull, axis), "extent %g of %g", extents.lengths[k],
          width_along(hull, axis));
  }
  const struct dc_shape shape = {.part_count = 1, .parts = hull};
  CHECK(dc_shape_least_extent(&shape) == least, "%g", least);
  width = dc_shape_thinnest(&shape);
  for (int i = 0; i < 100; i++) {
    double direction[3];
    draw(random, direction, 3);
    width = fmin(width, width_along(hull, direction));
  }
  return width / least;
}

// No width of a convex body is less than its least extent: from flat to long.
static void test_extents(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_random random;
  double nearest = INFINITY;
  dc_random_seed(&random, 8);
  for (int trial = 0; trial < 300; trial++) {
    double points[12][3];
    struct dc_mesh hull;
    struct dc_error error = {0};
    draw(&random, points[0], 36);
    for (int v = 0; v < 12; v++)
      points[v][2] *= 0.1 + trial / 100.0;
    CHECK(dc_hull((const double(*)[3])points, 4 + trial % 9, arena, &hull, &error) == DC_OK, "%s", error.text);
    nearest = fmin(nearest, least_width(&hull, &random));
  }
  CHECK(nearest >= 1 && nearest < 1.5, "a width of %g least extents", nearest);
  printf("# the least width is %.3f least extents\n", nearest);
  dc_arena_destroy(arena);
}

static const struct test tests[] = {{"mass by vertices", test_mass},
                                    {"hulls of vertices that moved", test_hulls},
                                    {"parts without volume", test_refusals},
                                    {"blocks", test_blocks},
                                    {"blocks with spokes", test_spokes},
                                    {"principal extents of a box", test_box_extents},
                                    {"principal extents and widths", test_extents}};

TEST_MAIN
{
  return run_tests(tests, (int)(sizeof tests / sizeof *tests));
}
