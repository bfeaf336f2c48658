// SPDX-License-Identifier: Apache-2.0
// Convex hulls: all points inside, volumes against formulas, orientation, counts, refusals; convexity of surfaces.
#include "harness.h"

#include "base/random.h"
#include "geometry/convex/hull.h"
#include "geometry/shapes/shape.h"
#include "math/vector.h"

#define POINTS(array) (const double(*)[3])(array), (int)(sizeof(array) / sizeof *(array))

static struct dc_arena *arena;  // of the test that runs

// n points of [-1, 1]^3.
static double (*random_cube(int n, uint64_t seed))[3]
{
  double(*points)[3] = dc_arena_alloc(arena, (size_t)n, sizeof *points);
  struct dc_random random;
  dc_random_seed(&random, seed);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      points[i][k] = 2 * dc_random_uniform(&random) - 1;
  return points;
}

// n points of the unit sphere, evenly distributed.
static double (*random_sphere(int n, uint64_t seed))[3]
{
  double(*points)[3] = dc_arena_alloc(arena, (size_t)n, sizeof *points);
  struct dc_random random;
  dc_random_seed(&random, seed);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++)
      points[i][k] = dc_random_normal(&random);
    dc_vec_scale(points[i], points[i], 1 / dc_vec_norm(points[i]));
  }
  return points;
}

static bool hull(const double (*points)[3], int count, struct dc_mesh *mesh)
{
  struct dc_error error = {0};
  enum dc_status status = dc_hull(points, count, arena, mesh, &error);
  CHECK(status == DC_OK, "%s", error.text);
  return status == DC_OK;
}

static double volume(const struct dc_mesh *mesh)
{
  struct dc_mass_properties properties;
  dc_mesh_mass_properties(mesh, &properties);
  return properties.volume;
}

// The greatest height of a point above a side, by all of them.
static double greatest_height(const struct dc_mesh *mesh, const double (*points)[3], int count)
{
  double most = -INFINITY;
  for (int t = 0; t < mesh->triangle_count; t++) {
    const double *corner[3];
    double u[3], v[3], normal[3], d[3];
    for (int k = 0; k < 3; k++)
      corner[k] = mesh->vertices[mesh->triangles[t][k]];
    dc_vec_sub(u, corner[1], corner[0]);
    dc_vec_sub(v, corner[2], corner[0]);
    dc_vec_cross(normal, u, v);
    dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
    for (int i = 0; i < count; i++) {
      dc_vec_sub(d, points[i], corner[0]);
      most = larger(most, dc_vec_dot(d, normal));
    }
  }
  return most;
}

// Valid, of the topology of a sphere, outward, all points on or below all sides.
static void check_hull(const double (*points)[3], int count, const struct dc_mesh *mesh, double tolerance)
{
  struct dc_error error = {0};
  bool convex = false;
  CHECK(dc_mesh_validate(mesh, &error) == DC_OK, "%s", error.text);
  CHECK(2 * mesh->vertex_count - mesh->triangle_count == 4, "%d vertices, %d triangles", mesh->vertex_count,
        mesh->triangle_count);
  double height = greatest_height(mesh, points, count);
  CHECK(height <= tolerance && height >= 0, "a point is %g above a side", height);
  CHECK(dc_mesh_is_convex(mesh, 1e-12, &convex, &error) == DC_OK && convex, "%s", error.text);
}

static void test_random_points(void)
{
  static const int counts[] = {4, 5, 6, 10, 100, 2000};
  for (int i = 0; i < 6; i++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      struct dc_mesh mesh;
      double(*points)[3] = random_cube(counts[i], seed);
      if (hull((const double(*)[3])points, counts[i], &mesh))
        check_hull((const double(*)[3])points, counts[i], &mesh, 3e-11);  // observed 4e-16
      double(*sphere)[3] = random_sphere(counts[i], seed);
      if (hull((const double(*)[3])sphere, counts[i], &mesh)) {
        check_hull((const double(*)[3])sphere, counts[i], &mesh, 3e-11);  // observed 2e-16
        CHECK(mesh.vertex_count == counts[i], "%d of %d points of a sphere", mesh.vertex_count, counts[i]);
        CHECK(memcmp(mesh.vertices, sphere, (size_t)counts[i] * sizeof *sphere) == 0, "the points in their order");
      }
    }
}

static void test_cube(void)
{
  // Corners, and points on edges, on sides and inside, each twice.
  double points[2 * 343][3];
  for (int i = 0; i < 2 * 343; i++) {
    points[i][0] = i / 2 % 7 / 6.0;
    points[i][1] = i / 14 % 7 / 6.0;
    points[i][2] = i / 98 / 6.0;
  }
  struct dc_mesh mesh;
  if (!hull(POINTS(points), &mesh))
    return;
  check_hull(POINTS(points), &mesh, 0);
  CHECK(mesh.vertex_count == 8 && mesh.triangle_count == 12, "%d vertices, %d triangles", mesh.vertex_count,
        mesh.triangle_count);
  CHECK(volume(&mesh) == 1, "%.17g", volume(&mesh));
  // Turned, and far away: corners on edges are such to rounding only.
  for (int turn = 1; turn <= 20; turn++) {
    double c = cos(turn), s = sin(turn), far = turn % 2 ? 100 : 0, moved[2 * 343][3];
    for (int i = 0; i < 2 * 343; i++) {
      double x = c * points[i][0] - s * points[i][1], y = s * points[i][0] + c * points[i][1];
      moved[i][0] = x + far, moved[i][1] = c * y - s * points[i][2], moved[i][2] = s * y + c * points[i][2];
    }
    if (!hull(POINTS(moved), &mesh))
      continue;
    check_hull(POINTS(moved), &mesh, 1e-13);  // observed 1.2e-14
    CHECK(mesh.vertex_count == 8, "%d vertices", mesh.vertex_count);
    CHECK_NEAR(volume(&mesh), 1, 1e-13);  // observed 6e-15
  }
}

static void test_tetrahedron(void)
{
  const double points[6][3] = {{0.25, 0.25, 0.25}, {0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0.1, 0.1, 0.1}, {0, 0, 5}};
  struct dc_mesh mesh;
  if (!hull(points, 6, &mesh))
    return;
  check_hull(points, 6, &mesh, 1e-15);
  CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4, "%d vertices", mesh.vertex_count);
  CHECK_NEAR(volume(&mesh), 5, 1e-14);
  CHECK(mesh.vertices[3][2] == 5 && mesh.vertices[1][0] == 2, "the order of the input");
}

// The mean volume of the hull of n random points of a sphere is (n - 1)(n - 2)(n - 3) / ((n + 1)(n + 2)(n + 3)) of
// the ball's: for tetrahedra the known 4 pi / 105.
static void test_ball(void)
{
  static const struct {
    int points, times;
    double tolerance;
  } cases[] = {
      {4, 4000, 5e-3}, {10, 1000, 1e-2}, {100, 50, 2e-3}, {10000, 1, 3e-5}};  // observed 1.5e-3, 3e-3, 7e-4, 8e-6
  for (int i = 0; i < 4; i++) {
    double n = cases[i].points, mean = 0;
    double expected = (n - 1) * (n - 2) * (n - 3) / ((n + 1) * (n + 2) * (n + 3));
    for (int time = 0; time < cases[i].times; time++) {
      struct dc_mesh mesh;
      if (!hull((const double(*)[3])random_sphere(cases[i].points, (uint64_t)time + 1), cases[i].points, &mesh))
        return;
      mean += volume(&mesh) / (4 * M_PI / 3) / cases[i].times;
    }
    CHECK_NEAR(mean / expected, 1, cases[i].tolerance);
    CHECK_NEAR((1 - mean) / (1 - expected), 1, 0.02);  // observed 5e-5, 1.2e-3, 5.7e-3, 6.4e-3
  }
}

static void test_many_points(void)
{
  struct dc_mesh mesh;
  double(*cube)[3] = random_cube(100000, 3);
  if (hull((const double(*)[3])cube, 100000, &mesh)) {
    check_hull((const double(*)[3])cube, 100000, &mesh, 1e-14);
    CHECK(volume(&mesh) > 7.9 && volume(&mesh) < 8, "%g", volume(&mesh));  // observed 7.98
  }
}

static void test_deterministic(void)
{
  struct dc_mesh meshes[2];
  for (int i = 0; i < 2; i++) {
    // Memory elsewhere in the second run.
    dc_arena_alloc(arena, 1000003, 1);
    double(*points)[3] = random_cube(5000, 9);
    for (int p = 0; p < 5000; p += 2)
      for (int k = 0; k < 3; k++)
        points[p][k] = round(2 * points[p][k]) / 2;
    if (!hull((const double(*)[3])points, 5000, &meshes[i]))
      return;
  }
  CHECK(meshes[0].vertex_count == meshes[1].vertex_count && meshes[0].triangle_count == meshes[1].triangle_count,
        "counts");
  CHECK(!memcmp(meshes[0].vertices, meshes[1].vertices, (size_t)meshes[0].vertex_count * sizeof(double[3])),
        "vertices");
  CHECK(!memcmp(meshes[0].triangles, meshes[1].triangles, (size_t)meshes[0].triangle_count * sizeof(int[3])),
        "triangles");
}

// Lattices whose points are off by little, and clusters: whatever rounding makes of them, what comes out is a hull.
static void test_nearly_degenerate(void)
{
  for (int power = 1; power <= 17; power++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      double(*noise)[3] = random_cube(300, seed), points[300][3], size = pow(10, -power);
      struct dc_mesh mesh;
      for (int i = 0; i < 300; i++)
        for (int k = 0; k < 3; k++)
          points[i][k] = floor(2.5 * (noise[i][k] + 1)) + size * noise[(i + 7) % 300][k];
      if (hull(POINTS(points), &mesh))
        check_hull(POINTS(points), &mesh, 5e-7 * dc_mesh_size(&mesh));  // observed: a quarter
      for (int i = 0; i < 300; i++)
        for (int k = 0; k < 3; k++)
          points[i][k] = (i % 4 == k + 1) + size * noise[i][k];
      if (hull(POINTS(points), &mesh))
        check_hull(POINTS(points), &mesh, 5e-7 * dc_mesh_size(&mesh));  // observed: a quarter
    }
}

static void refuse(const double (*points)[3], int count, const char *message)
{
  struct dc_mesh mesh;
  struct dc_error error = {0};
  CHECK(dc_hull(points, count, arena, &mesh, &error) == DC_BAD_INPUT, "%s", message);
  CHECK(strstr(error.text, message), "'%s' not in '%s'", message, error.text);
  CHECK(mesh.vertex_count == 0 && mesh.triangle_count == 0 && !mesh.vertices, "nothing comes out");
}

static void test_refusals(void)
{
  const double tetrahedron[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double points[100][3] = {{0}};
  refuse(tetrahedron, 3, "a convex hull needs at least 4 points (has 3)");
  refuse(NULL, 0, "at least 4 points (has 0)");
  refuse(POINTS(points), "all 100 points lie in one place");
  for (int i = 0; i < 100; i++)
    for (int k = 0; k < 3; k++)
      points[i][k] = tetrahedron[i % 3][k];
  refuse(POINTS(points), "all 100 points lie in a plane");
  for (int i = 0; i < 100; i++)
    points[i][0] = points[i][1] = points[i][2] = i * 0.1;
  refuse(POINTS(points), "all 100 points lie on a line");
  double(*noise)[3] = random_cube(100, 4);
  for (int i = 0; i < 100; i++) {
    points[i][0] = noise[i][0];
    points[i][1] = noise[i][1];
    points[i][2] = noise[i][0] + 3 * noise[i][1] + 1e-12 * noise[i][2];
  }
  refuse(POINTS(points), "all 100 points lie in a plane");
  memcpy(points, noise, sizeof points);
  points[7][1] = NAN;
  refuse(POINTS(points), "point 7 of a convex hull is not finite or beyond 1e+09 m");
  points[7][1] = -INFINITY;
  refuse(POINTS(points), "point 7");
  points[7][1] = 1e300;
  refuse(POINTS(points), "point 7");
  int most = DC_HULL_VERTICES_MAX + 10;
  refuse((const double(*)[3])random_sphere(most, 1), most, "has more than 200000 corners");
  CHECK(dc_hull(tetrahedron, 3, arena, &(struct dc_mesh){0}, NULL) == DC_BAD_INPUT, "without a place for a message");
}

// Thin and small ones are hulls still.
static void test_sizes(void)
{
  double(*noise)[3] = random_cube(200, 8);
  for (int power = 0; power <= 8; power++) {
    double thin[200][3], small[200][3], factor = pow(10, -power);
    struct dc_mesh mesh;
    for (int i = 0; i < 200; i++) {
      dc_vec_copy(thin[i], noise[i]);
      thin[i][2] *= factor;
      dc_vec_scale(small[i], noise[i], factor);
    }
    if (hull(POINTS(thin), &mesh))
      check_hull(POINTS(thin), &mesh, 1e-8 * factor);
    if (hull(POINTS(small), &mesh))
      check_hull(POINTS(small), &mesh, 1e-14 * factor);
  }
}

static bool is_convex(const struct dc_mesh *mesh, double tolerance)
{
  struct dc_error error = {0};
  bool convex = false;
  CHECK(dc_mesh_validate(mesh, &error) == DC_OK, "%s", error.text);
  CHECK(dc_mesh_is_convex(mesh, tolerance, &convex, &error) == DC_OK, "%s", error.text);
  return convex;
}

// A cube whose side z = 1 has a vertex in its middle, at height.
static struct dc_mesh cube_with_tip(double height, double vertices[9][3], int triangles[14][3])
{
  static const int sides[14][3] = {{0, 3, 1}, {0, 2, 3}, {0, 1, 5}, {0, 5, 4}, {1, 3, 7}, {1, 7, 5}, {3, 2, 6},
                                   {3, 6, 7}, {2, 0, 4}, {2, 4, 6}, {4, 5, 8}, {5, 7, 8}, {7, 6, 8}, {6, 4, 8}};
  for (int v = 0; v < 8; v++)
    for (int k = 0; k < 3; k++)
      vertices[v][k] = v >> k & 1;
  vertices[8][0] = vertices[8][1] = 0.5, vertices[8][2] = height;
  memcpy(triangles, sides, sizeof sides);
  return (struct dc_mesh){.vertex_count = 9, .triangle_count = 14, .vertices = vertices, .triangles = triangles};
}

static void test_convexity(void)
{
  static const struct {
    double height;
    bool convex;
  } cases[] = {{1, true}, {1.3, true}, {1 - 1e-9, true}, {1 - 1e-5, false}, {0.5, false}};
  double vertices[9][3];
  int triangles[14][3];
  for (int i = 0; i < 5; i++) {
    struct dc_mesh mesh = cube_with_tip(cases[i].height, vertices, triangles);
    CHECK(is_convex(&mesh, 1e-6) == cases[i].convex, "height %.10g", cases[i].height);
  }
  // The dent is as deep as the tolerance says: 1e-5 under the side, whose planes it tilts by 2e-5.
  struct dc_mesh mesh = cube_with_tip(1 - 1e-5, vertices, triangles);
  CHECK(is_convex(&mesh, 1.2e-5) && !is_convex(&mesh, 1.1e-5), "2e-5 / sqrt(3) of the size is 1.155e-5");
}

// All corners of Schoenhardt's polyhedron are corners of its hull, but three of its edges turn inwards.
static void test_twisted_prism(void)
{
  double vertices[6][3];
  static const int triangles[8][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                      {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  for (int twist = -1; twist <= 1; twist++) {
    for (int v = 0; v < 6; v++) {
      double angle = 2 * M_PI / 3 * (v % 3) + (v < 3 ? 0 : twist * 0.5);
      vertices[v][0] = cos(angle), vertices[v][1] = sin(angle), vertices[v][2] = v / 3;
    }
    struct dc_mesh mesh = {
        .vertex_count = 6, .triangle_count = 8, .vertices = vertices, .triangles = (int(*)[3])triangles};
    struct dc_mesh all;
    CHECK(is_convex(&mesh, 1e-9) == (twist <= 0), "twist %d", twist);
    if (hull((const double(*)[3])vertices, 6, &all))
      CHECK(all.vertex_count == 6, "%d corners", all.vertex_count);
  }
}

static void test_two_components(void)
{
  double vertices[18][3];
  int triangles[28][3];
  cube_with_tip(1.5, vertices, triangles);
  cube_with_tip(1.5, vertices + 9, triangles + 14);
  for (int t = 14; t < 28; t++)
    for (int k = 0; k < 3; k++)
      triangles[t][k] += 9;
  struct dc_mesh mesh = {.vertex_count = 18, .triangle_count = 28, .vertices = vertices, .triangles = triangles};
  CHECK(!is_convex(&mesh, 1e-6), "the same cube twice is no convex surface");
}

#define IN_ARENA(test)                                                                                                 \
  static void test##_in_arena(void)                                                                                    \
  {                                                                                                                    \
    arena = dc_arena_create();                                                                                         \
    test();                                                                                                            \
    dc_arena_destroy(arena);                                                                                           \
  }
IN_ARENA(test_random_points)
IN_ARENA(test_cube)
IN_ARENA(test_tetrahedron)
IN_ARENA(test_ball)
IN_ARENA(test_many_points)
IN_ARENA(test_deterministic)
IN_ARENA(test_nearly_degenerate)
IN_ARENA(test_refusals)
IN_ARENA(test_sizes)
IN_ARENA(test_convexity)
IN_ARENA(test_twisted_prism)
IN_ARENA(test_two_components)

RUN_TESTS({"random points: inside, topology, orientation, convexity", test_random_points_in_arena},
          {"cube: lattice, duplicates, turned and far away", test_cube_in_arena},
          {"tetrahedron: volume, order", test_tetrahedron_in_arena},
          {"points of a sphere: volume converges to the ball's", test_ball_in_arena},
          {"1e5 points", test_many_points_in_arena}, {"the same bits", test_deterministic_in_arena},
          {"lattices and clusters with noise", test_nearly_degenerate_in_arena}, {"refusals", test_refusals_in_arena},
          {"thin and small hulls", test_sizes_in_arena},
          {"convexity: a cube with a tip or a dent", test_convexity_in_arena},
          {"convexity: a twisted prism", test_twisted_prism_in_arena},
          {"convexity: two components", test_two_components_in_arena})
