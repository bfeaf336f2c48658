// SPDX-License-Identifier: Apache-2.0
// Meshes in memory: the rules for bodies, mass properties, inside and outside.
#include "harness.h"

#include "geometry/mesh/mesh.h"
#include "geometry/shapes/shape.h"
#include "math/vector.h"

enum { MOST_VERTICES = 64, MOST_TRIANGLES = 64 };

// A small mesh that can be damaged.
struct workpiece {
  double vertices[MOST_VERTICES][3];
  int triangles[MOST_TRIANGLES][3];
  struct dc_mesh mesh;
};

// Appends the box from lower to upper, facing inwards when inside_out: 8 vertices, 12 triangles.
static void add_box(struct workpiece *piece, const double lower[3], const double upper[3], bool inside_out)
{
  static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  struct dc_mesh *mesh = &piece->mesh;
  mesh->vertices = piece->vertices;
  mesh->triangles = piece->triangles;
  int base = mesh->vertex_count;
  for (int i = 0; i < 8; i++, mesh->vertex_count++)
    for (int k = 0; k < 3; k++)
      mesh->vertices[mesh->vertex_count][k] = i >> k & 1 ? upper[k] : lower[k];
  for (int q = 0; q < 6; q++)
    for (int half = 0; half < 2; half++) {
      int *triangle = mesh->triangles[mesh->triangle_count++];
      triangle[0] = base + quads[q][0];
      triangle[inside_out ? 2 : 1] = base + quads[q][1 + half];
      triangle[inside_out ? 1 : 2] = base + quads[q][2 + half];
    }
}

static void make_cube(struct workpiece *piece)
{
  memset(piece, 0, sizeof *piece);
  add_box(piece, (const double[3]){0, 0, 0}, (const double[3]){1, 1, 1}, false);
}

static void make_tetrahedron(struct workpiece *piece, const double vertices[4][3])
{
  static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  memset(piece, 0, sizeof *piece);
  memcpy(piece->vertices, vertices, 4 * sizeof *vertices);
  memcpy(piece->triangles, triangles, sizeof triangles);
  piece->mesh = (struct dc_mesh){
      .vertex_count = 4, .triangle_count = 4, .vertices = piece->vertices, .triangles = piece->triangles};
}

static void swap_corners(struct workpiece *piece, int t)
{
  int corner = piece->triangles[t][0];
  piece->triangles[t][0] = piece->triangles[t][1];
  piece->triangles[t][1] = corner;
}

static void expect(const struct workpiece *piece, const char *message)
{
  struct dc_error error = {0};
  enum dc_status status = dc_mesh_validate(&piece->mesh, &error);
  CHECK(status == (message ? DC_BAD_INPUT : DC_OK), "status %d: %s", status, error.text);
  if (message)
    CHECK(strcmp(error.text, message) == 0, "'%s', expected '%s'", error.text, message);
}

static void test_valid(void)
{
  struct workpiece piece;
  make_cube(&piece);
  expect(&piece, NULL);
  // Two parts beside each other, and one with a cavity.
  add_box(&piece, (const double[3]){2, 0, 0}, (const double[3]){3, 1, 1}, false);
  expect(&piece, NULL);
  make_cube(&piece);
  add_box(&piece, (const double[3]){0.25, 0.25, 0.25}, (const double[3]){0.75, 0.75, 0.75}, true);
  expect(&piece, NULL);
  struct dc_mass_properties properties;
  dc_mesh_mass_properties(&piece.mesh, &properties);
  CHECK_NEAR(properties.volume, 0.875, 1e-15);
  CHECK(!dc_mesh_contains(&piece.mesh, (const double[3]){0.5, 0.5, 0.5}), "the cavity is outside");
  CHECK(dc_mesh_contains(&piece.mesh, (const double[3]){0.1, 0.5, 0.5}), "the wall is inside");
}

static void test_indices_and_coordinates(void)
{
  struct workpiece piece;
  make_cube(&piece);
  piece.mesh.triangle_count = 0;
  expect(&piece, "empty mesh: 8 vertices, 0 triangles");
  make_cube(&piece);
  piece.triangles[3][1] = 8;
  expect(&piece, "1 vertex index out of range (first: 8 in triangle 3, with 8 vertices)");
  piece.triangles[5][0] = -1;
  piece.vertices[0][0] = NAN;  // less fundamental
  expect(&piece, "2 vertex indices out of range (first: 8 in triangle 3, with 8 vertices)");
  make_cube(&piece);
  piece.vertices[6][2] = NAN;
  piece.vertices[7][0] = -INFINITY;
  expect(&piece, "2 vertices are not finite or beyond 1e+09 m (first: 6)");
  make_cube(&piece);
  piece.vertices[2][1] = 1.1e9;
  expect(&piece, "1 vertex is not finite or beyond 1e+09 m (first: 2)");
  make_cube(&piece);
  memset(piece.vertices, 0, sizeof piece.vertices);
  expect(&piece, "the mesh must be at least 1e-09 m in size (is 0)");
}

static void test_degenerate_and_duplicate(void)
{
  struct workpiece piece;
  make_cube(&piece);
  piece.triangles[4][1] = piece.triangles[4][0];
  expect(&piece, "1 degenerate triangle (first: 4)");
  make_cube(&piece);  // two vertices in one place
  dc_vec_copy(piece.vertices[0], piece.vertices[1]);
  expect(&piece, "2 degenerate triangles (first: 1)");
  // A sliver above and below 1e-14 of the squared size: height 2e-14 and 1e-13 of a diagonal of about 1.7.
  for (int below = 0; below < 2; below++) {
    double height = below ? 2e-14 : 1e-13;
    make_tetrahedron(&piece, (const double[4][3]){{0, 0, 0}, {1, 0, 0}, {0.5, height, 0}, {0.5, 1, 1}});
    struct dc_error error = {0};
    dc_mesh_validate(&piece.mesh, &error);
    CHECK((strstr(error.text, "degenerate") != NULL) == below, "%s", error.text);
  }
  make_cube(&piece);
  memcpy(piece.triangles[12], piece.triangles[5], sizeof piece.triangles[5]);
  piece.mesh.triangle_count = 13;
  expect(&piece, "1 duplicate triangle (first: 12 has the vertices of 5)");
  // The same, turned around and started elsewhere.
  piece.triangles[12][0] = piece.triangles[5][2];
  piece.triangles[12][2] = piece.triangles[5][0];
  expect(&piece, "1 duplicate triangle (first: 12 has the vertices of 5)");
  // Two triangles back to back are closed, but no solid.
  make_cube(&piece);
  memcpy(piece.triangles[1], piece.triangles[0], sizeof piece.triangles[0]);
  swap_corners(&piece, 1);
  piece.mesh.triangle_count = 2;
  expect(&piece, "1 duplicate triangle (first: 1 has the vertices of 0)");
}

static void test_edges(void)
{
  struct workpiece piece;
  make_cube(&piece);
  piece.mesh.triangle_count = 11;  // without {1, 7, 5}
  expect(&piece, "open mesh: 3 edges with one triangle only (first: 1-5); close it, or take its hull by \"convex\": true");
  make_cube(&piece);
  swap_corners(&piece, 0);
  expect(&piece, "inverted triangles: 3 edges run through in the same direction twice (first: 0-2)");
  // Two cubes that share an edge: four triangles at it.
  make_cube(&piece);
  add_box(&piece, (const double[3]){1, 1, 0}, (const double[3]){2, 2, 1}, false);
  for (int t = 12; t < 24; t++)
    for (int k = 0; k < 3; k++) {
      int *corner = &piece.triangles[t][k];
      *corner = *corner == 8 ? 3 : *corner == 12 ? 7 : *corner;
    }
  expect(&piece, "1 edge with more than two triangles (first: 3-7)");
}

static void test_volume(void)
{
  struct workpiece piece;
  make_cube(&piece);
  for (int t = 0; t < 12; t++)
    swap_corners(&piece, t);
  expect(&piece, "negative volume (-1 m^3): the triangles face inwards; exchange two corners of each, or take its hull by "
                 "\"convex\": true");
  // A flat tetrahedron is closed, without degenerate triangles, and has no volume.
  make_tetrahedron(&piece, (const double[4][3]){{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
  expect(&piece, "zero volume (0 m^3 in a mesh 1.41421 m in size)");
  make_cube(&piece);
  add_box(&piece, (const double[3]){2, 2, 2}, (const double[3]){2.5, 2.5, 2.5}, true);
  expect(&piece, "inverted triangles: 1 part faces inwards outside all others (first: at vertex 8)");
}

// Second moment of a tetrahedron about its centre: V/20 sum over the vertices of (x - c)(x - c)^T.
static void check_tetrahedron(const double vertices[4][3], double volume, double tolerance)
{
  struct workpiece piece;
  struct dc_mass_properties properties;
  double center[3] = {0}, offset[4][3];
  make_tetrahedron(&piece, vertices);
  dc_mesh_mass_properties(&piece.mesh, &properties);
  // Relative to the first vertex, so that the expected values are good to rounding wherever it is.
  for (int i = 0; i < 4; i++) {
    dc_vec_sub(offset[i], vertices[i], vertices[0]);
    dc_vec_add_scaled(center, center, 0.25, offset[i]);
  }
  CHECK_NEAR(properties.volume, volume, tolerance);
  for (int a = 0; a < 3; a++) {
    CHECK_NEAR(properties.center[a] - vertices[0][a], center[a], fmax(tolerance, 1e-15 * fabs(vertices[0][a])));
    for (int b = 0; b < 3; b++) {
      double moment = 0;
      for (int i = 0; i < 4; i++)
        moment += volume / 20 * (offset[i][a] - center[a]) * (offset[i][b] - center[b]);
      CHECK_NEAR(properties.second_moment[3 * a + b], moment, tolerance);
    }
  }
}

static void test_tetrahedron(void)
{
  double vertices[4][3] = {{0, 0, 0}, {2, 0, 0}, {0.5, 1, 0}, {0.25, 0.5, 3}};
  check_tetrahedron(vertices, 1, 1e-15);  // observed 1.4e-17
  // 128 is a power of two: the moved coordinates are exact, and so is the answer.
  for (int i = 0; i < 4; i++)
    dc_vec_add(vertices[i], vertices[i], (const double[3]){128, -128, 64});
  check_tetrahedron(vertices, 1, 1e-15);
}

// 100 m away the coordinates themselves are rounded to 7e-15 m; the moments keep the digits that this leaves.
static void test_offset(void)
{
  struct workpiece piece;
  memset(&piece, 0, sizeof piece);
  const double size[3] = {0.2, 0.3, 0.1}, far[3] = {100, -100, 100};
  double upper[3];
  dc_vec_add(upper, far, size);
  add_box(&piece, far, upper, false);
  struct dc_mass_properties properties;
  dc_mesh_mass_properties(&piece.mesh, &properties);
  double volume = size[0] * size[1] * size[2];
  // Observed: volume 5.2e-14 (relative), centre exact, moments 5e-16, area 5e-15.
  CHECK_NEAR(properties.volume / volume, 1, 1e-13);
  for (int a = 0; a < 3; a++) {
    CHECK_NEAR(properties.center[a], far[a] + size[a] / 2, 2e-14);
    for (int b = 0; b < 3; b++)
      CHECK_NEAR(properties.second_moment[3 * a + b] / volume, a == b ? size[a] * size[a] / 12 : 0, 2e-15);
  }
  CHECK_NEAR(properties.surface_area, 2 * (0.06 + 0.03 + 0.02), 1e-14);
}

// Many like terms: plain sums over these triangles are off by 7e-13 (volume) and 3e-13 (area), carried ones by
// nothing.
static void test_long_sums(void)
{
  struct workpiece piece;
  make_cube(&piece);
  struct dc_arena *arena = dc_arena_create();
  enum { COPIES = 20000 };
  struct dc_mesh many = {.vertex_count = 8,
                         .triangle_count = 12 * COPIES,
                         .vertices = piece.vertices,
                         .triangles = dc_arena_alloc(arena, 12 * COPIES, sizeof(int[3]))};
  dc_vec_scale(piece.vertices[1], piece.vertices[1], 1.1);  // the cube's faces are not exact in binary
  for (int i = 0; i < COPIES; i++)
    memcpy(many.triangles + 12 * i, piece.triangles, 12 * sizeof(int[3]));
  struct dc_mass_properties one, all;
  dc_mesh_mass_properties(&piece.mesh, &one);
  dc_mesh_mass_properties(&many, &all);
  CHECK_NEAR(all.volume / one.volume / COPIES, 1, 1e-15);
  CHECK_NEAR(all.surface_area / one.surface_area / COPIES, 1, 1e-15);
  dc_arena_destroy(arena);
}

static void test_contains(void)
{
  struct workpiece piece;
  make_cube(&piece);
  static const struct {
    double point[3];
    bool inside;
  } cases[] = {{{0.5, 0.5, 0.5}, true},      {{1e-9, 1e-9, 1e-9}, true},    {{-1e-9, 0.5, 0.5}, false},
               {{0.999999, 0.5, 0.5}, true}, {{1.000001, 0.5, 0.5}, false}, {{0.5, 0.5, 2}, false},
               {{2, 0, 0}, false},           {{1, 1, 1.5}, false},          {{0.3, 0.3, 0.9999999}, true},
               {{1e8, 1e8, 1e8}, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CHECK(dc_mesh_contains(&piece.mesh, cases[i].point) == cases[i].inside, "case %zu", i);
  add_box(&piece, (const double[3]){2, 0, 0}, (const double[3]){3, 1, 1}, false);
  CHECK(dc_mesh_contains(&piece.mesh, (const double[3]){2.5, 0.5, 0.5}), "second part");
  CHECK(!dc_mesh_contains(&piece.mesh, (const double[3]){1.5, 0.5, 0.5}), "between the parts");
}

// Boxes as parts of one mesh.
static void test_parts_apart(void)
{
  static const struct {
    const char *name;
    int count;
    struct {
      double lower[3], upper[3];
      bool inside_out;
    } boxes[3];
    const char *message;  // its beginning; NULL: accepted
  } cases[] = {
      {"one", 1, {{{0, 0, 0}, {1, 1, 1}, 0}}, NULL},
      {"apart", 2, {{{0, 0, 0}, {1, 1, 1}, 0}, {{1.001, 0, 0}, {2, 1, 1}, 0}}, NULL},
      {"crossing", 2, {{{0, 0, 0}, {1, 1, 1}, 0}, {{.5, .5, .5}, {2, 2, 2}, 0}}, "closed surfaces overlap: "},
      {"same", 2, {{{0, 0, 0}, {1, 1, 1}, 0}, {{0, 0, 0}, {1, 1, 1}, 0}}, "closed surfaces overlap: "},
      {"faces touch", 2, {{{0, 0, 0}, {1, 1, 1}, 0}, {{1, 0, 0}, {2, 1, 1}, 0}}, "closed surfaces overlap: "},
      {"nested",
       2,
       {{{0, 0, 0}, {1, 1, 1}, 0}, {{.4, .4, .4}, {.6, .6, .6}, 0}},
       "closed surfaces are nested: 1 of the 2 connected parts lies inside others (first: that of vertex 8 inside that "
       "of vertex 0); "},
      {"nested, the inner one first",
       2,
       {{{.4, .4, .4}, {.6, .6, .6}, 0}, {{0, 0, 0}, {1, 1, 1}, 0}},
       "closed surfaces are nested: 1 of the 2 connected parts lies inside others (first: that of vertex 0 inside that "
       "of vertex 8); "},
      {"cavity", 2, {{{0, 0, 0}, {1, 1, 1}, 0}, {{.4, .4, .4}, {.6, .6, .6}, 1}}, NULL},
      {"cavity that crosses",
       2,
       {{{0, 0, 0}, {1, 1, 1}, 0}, {{.4, .4, .4}, {.6, .6, 1.6}, 1}},
       "closed surfaces overlap: "},
      {"a body in a cavity",
       3,
       {{{0, 0, 0}, {1, 1, 1}, 0}, {{.2, .2, .2}, {.8, .8, .8}, 1}, {{.4, .4, .4}, {.6, .6, .6}, 0}},
       NULL},
      {"a cavity in a cavity",
       3,
       {{{0, 0, 0}, {1, 1, 1}, 0}, {{.2, .2, .2}, {.8, .8, .8}, 1}, {{.4, .4, .4}, {.6, .6, .6}, 1}},
       "closed surfaces are nested: 1 of the 3 connected parts lies inside others (first: that of vertex 16 "},
      {"side by side in the third",
       3,
       {{{.1, .1, .1}, {.2, .2, .2}, 0}, {{.4, .4, .4}, {.6, .6, .6}, 0}, {{0, 0, 0}, {1, 1, 1}, 0}},
       "closed surfaces are nested: 2 of the 3 connected parts lie inside others (first: that of vertex 0 inside that "
       "of "
       "vertex 16); "},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct workpiece piece = {0};
    struct dc_error error = {0};
    for (int i = 0; i < cases[c].count; i++)
      add_box(&piece, cases[c].boxes[i].lower, cases[c].boxes[i].upper, cases[c].boxes[i].inside_out);
    CHECK(dc_mesh_validate(&piece.mesh, &error) == DC_OK, "%s: %s", cases[c].name, error.text);
    const char *message = cases[c].message;
    enum dc_status status = dc_mesh_check_apart(&piece.mesh, &error);
    CHECK(status == (message ? DC_BAD_INPUT : DC_OK), "%s: %s", cases[c].name, error.text);
    CHECK(!message || strncmp(error.text, message, strlen(message)) == 0, "%s: %s", cases[c].name, error.text);
  }
}

RUN_TESTS({"valid meshes", test_valid}, {"indices and coordinates", test_indices_and_coordinates},
          {"degenerate and duplicate triangles", test_degenerate_and_duplicate}, {"edges", test_edges},
          {"volume and orientation of parts", test_volume}, {"tetrahedron", test_tetrahedron},
          {"box 100 m from the origin", test_offset}, {"long sums keep their digits", test_long_sums},
          {"inside and outside", test_contains}, {"parts bound one solid", test_parts_apart})
