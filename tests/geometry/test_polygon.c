// SPDX-License-Identifier: Apache-2.0
// Polygons as triangles: every point inside is covered once, nothing outside is.  In files the same, of every format.
#include "harness.h"

#include "base/random.h"
#include "geometry/mesh/mesh_assimp.h"
#include "geometry/mesh/mesh_read.h"
#include "geometry/mesh/polygon.h"
#include "geometry/shapes/shape.h"

enum { MOST = 200 };

static double cross(const double *a, const double *b, const double *c)
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// How often a flat polygon goes round a point.
static int winding(const double (*points)[3], int count, const double *point)
{
  int number = 0;
  for (int k = 0; k < count; k++) {
    const double *a = points[k], *b = points[(k + 1) % count];
    if ((a[1] <= point[1]) != (b[1] <= point[1]))
      number += cross(a, b, point) > 0 ? (a[1] <= point[1]) : -(b[1] <= point[1]);
  }
  return number;
}

// Cuts a flat polygon, given counter-clockwise, and looks at random points; false: it is said to cross itself.
static bool check_flat(const double (*points)[3], int count, struct dc_random *random)
{
  int triangles[MOST][3];
  if (dc_polygon_cut(points, count, triangles) != DC_POLYGON_CUT)
    return false;
  for (int s = 0; s < 40; s++) {
    double point[3] = {2.4 * dc_random_uniform(random) - 1.2, 2.4 * dc_random_uniform(random) - 1.2, 0};
    int covered = 0;
    for (int t = 0; t < count - 2; t++) {
      const double *a = points[triangles[t][0]], *b = points[triangles[t][1]], *c = points[triangles[t][2]];
      CHECK(cross(a, b, c) >= 0, "triangle %d of %d", t, count - 2);
      covered += cross(a, b, point) > 0 && cross(b, c, point) > 0 && cross(c, a, point) > 0;
    }
    CHECK(covered == winding(points, count, point), "%d of %d corners at %g, %g", covered, count, point[0], point[1]);
  }
  return true;
}

// Stars about the origin with corners on straight edges.
static void test_stars(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int draw = 0; draw < 400; draw++) {
    double points[MOST][3] = {{0}};
    int corners = 3 + (int)(20 * dc_random_uniform(&random)), count = 0;
    for (int k = 0; k < corners; k++) {
      double angle = 2 * M_PI * (k + 0.9 * dc_random_uniform(&random)) / corners;
      double radius = 0.05 + dc_random_uniform(&random);
      points[count][0] = radius * cos(angle), points[count][1] = radius * sin(angle);
      if (count > 1 && draw % 3 == 0 && k % 4 == 0) {  // a corner in the middle of the last edge
        memcpy(points[count + 1], points[count], sizeof points[count]);
        for (int i = 0; i < 2; i++)
          points[count][i] = 0.5 * (points[count - 1][i] + points[count + 1][i]);
        count++;
      }
      count++;
    }
    CHECK(check_flat((const double(*)[3])points, count, &random), "draw %d", draw);
  }
}

// Combs, spirals and a square with a hole that a slit leads to.
static void test_hard(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  double comb[MOST][3] = {{0}}, spiral[MOST][3] = {{0}};
  int count = 0;
  comb[count][0] = -1, comb[count++][1] = -1;
  comb[count][0] = 1, comb[count++][1] = -1;
  for (int k = 20; k >= 0; k--, count++) {
    comb[count][0] = -1 + k / 10.0;
    comb[count][1] = k % 2 ? -0.95 : 1;
  }
  CHECK(check_flat((const double(*)[3])comb, count, &random), "comb");
  for (int k = 0; k < 60; k++)
    for (int side = 0; side < 2; side++) {
      double angle = 0.3 * k, radius = (side ? 0.08 : 0.05) + 0.015 * k, *point = spiral[side ? k : 119 - k];
      point[0] = radius * cos(angle), point[1] = radius * sin(angle);
    }
  CHECK(check_flat((const double(*)[3])spiral, 120, &random), "spiral");
  static const double holed[][3] = {{-1, -1, 0},     {1, -1, 0},     {1, 1, 0},     {-1, 1, 0},     {-1, -1, 0},
                                    {-0.5, -0.5, 0}, {-0.5, 0.5, 0}, {0.5, 0.5, 0}, {0.5, -0.5, 0}, {-0.5, -0.5, 0}};
  CHECK(check_flat(holed, 10, &random), "square with a hole");
}

// A polygon in space is cut as its projection is; a convex one becomes a fan from its first corner.
static void test_space(void)
{
  static const double u[][3] = {{0, 0, 0}, {3, 0, 0}, {3, 0, 3}, {2, 0, 3}, {2, 0, 1}, {1, 0, 1}, {1, 0, 3}, {0, 0, 3}};
  for (int turn = 0; turn < 8; turn++)
    for (int back = 0; back < 2; back++) {
      double points[8][3], area = 0;
      int triangles[6][3];
      for (int k = 0; k < 8; k++)
        memcpy(points[k], u[((back ? 8 - k : k) + turn) % 8], sizeof points[k]);
      CHECK(dc_polygon_cut((const double(*)[3])points, 8, triangles) == DC_POLYGON_CUT, "turn %d", turn);
      for (int t = 0; t < 6; t++) {
        const double *a = points[triangles[t][0]], *b = points[triangles[t][1]], *c = points[triangles[t][2]];
        double twice = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);  // along y
        CHECK(back ? twice > 0 : twice < 0, "turn %d, triangle %d", turn, t);
        area += fabs(twice) / 2;
      }
      CHECK_NEAR(area, 7, 1e-14);
    }
  double circle[50][3];
  int fan[48][3];
  for (int k = 0; k < 50; k++)
    circle[k][0] = cos(k * M_PI / 25), circle[k][1] = 0.3, circle[k][2] = sin(k * M_PI / 25);
  CHECK(dc_polygon_cut((const double(*)[3])circle, 50, fan) == DC_POLYGON_CUT, "circle");
  for (int t = 0; t < 48; t++)
    CHECK(fan[t][0] == 0 && fan[t][1] == t + 1 && fan[t][2] == t + 2, "triangle %d", t);
}

static void test_crossing(void)
{
  static const double eight[][3] = {{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {0, 1, 0}},
                      flat[][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 0}};
  int triangles[2][3];
  CHECK(dc_polygon_cut(eight, 4, triangles) == DC_POLYGON_CROSSES, "an eight");
  CHECK(dc_polygon_cut(flat, 4, triangles) == DC_POLYGON_CUT, "no area");
}

// A channel along y with a section of eight corners, open at its ends, 7/9 of the block around it.  Points that are
// inside and outside of it tell whether its ends are closed.
#define CHANNEL_X(y)                                                                                                   \
  "0 " y " 0\n", "3 " y " 0\n", "3 " y " 3\n", "2 " y " 3\n", "2 " y " 1\n", "1 " y " 1\n", "1 " y " 3\n", "0 " y " 3\n"
static const char *const channel_points[16] = {CHANNEL_X("0"), CHANNEL_X("2")};

static void check_channel(const char *name, const char *text)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_mesh mesh;
  struct dc_error error = {0};
  struct dc_mass_properties properties;
  enum dc_status status =
      dc_mesh_parse(&(struct dc_mesh_file){.name = name, .bytes = text, .size = strlen(text)}, arena, &mesh, &error);
  CHECK(!status && dc_mesh_validate(&mesh, &error) == DC_OK, "%s: %s", name, error.text);
  if (!status) {
    CHECK(mesh.vertex_count == 16 && mesh.triangle_count == 28 && !mesh.fault, "%s", name);
    dc_mesh_mass_properties(&mesh, &properties);
    CHECK_NEAR(properties.volume, 14, 1e-12);
    CHECK_NEAR(properties.surface_area, 2 * 7 + 2 * 16, 1e-12);
  }
  dc_arena_destroy(arena);
}

// Ends and sides of the channel, from a first number on.
static void add_faces(char *text, const char *eight, const char *four, int first, const char *numbers)
{
  int k[8];
  for (int end = 0; end < 2; end++) {
    for (int i = 0; i < 8; i++)
      k[i] = first + (end ? 15 - i : i);
    strcat(text, eight);
    for (int i = 0; i < 8; i++)
      sprintf(text + strlen(text), numbers, k[i]);
    strcat(text, "\n");
  }
  for (int i = 0; i < 8; i++) {
    int j = (i + 1) % 8;
    strcat(text, four);
    const int corner[4] = {first + i, first + 8 + i, first + 8 + j, first + j};
    for (int c = 0; c < 4; c++)
      sprintf(text + strlen(text), numbers, corner[c]);
    strcat(text, "\n");
  }
}

static void test_files(void)
{
  static char obj[4000], ply[4000], off[4000], dae[8000];
  for (int i = 0; i < 16; i++)
    sprintf(obj + strlen(obj), "v %s", channel_points[i]);
  add_faces(obj, "f", "f", 1, " %d");
  check_channel("channel.obj", obj);
  if (!dc_assimp_version())
    SKIP("no Assimp");
  strcpy(ply, "ply\nformat ascii 1.0\nelement vertex 16\nproperty float x\nproperty float y\nproperty float z\nelement "
              "face 10\nproperty list uchar int vertex_indices\nend_header\n");
  strcpy(off, "OFF\n16 10 0\n");
  strcpy(dae,
         "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
         "<asset><unit meter=\"1\"/><up_axis>Z_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>"
         "<source id=\"p\"><float_array id=\"pa\" count=\"48\">");
  for (int i = 0; i < 16; i++) {
    strcat(ply, channel_points[i]);
    strcat(off, channel_points[i]);
    strcat(dae, channel_points[i]);
  }
  add_faces(ply, "8", "4", 0, " %d");
  check_channel("channel.ply", ply);
  add_faces(off, "8", "4", 0, " %d");
  check_channel("channel.off", off);
  strcat(dae, "</float_array><technique_common><accessor source=\"#pa\" count=\"16\" stride=\"3\"><param name=\"X\" "
              "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
              "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
              "<polylist count=\"10\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
              "<vcount>8 8 4 4 4 4 4 4 4 4</vcount><p>");
  add_faces(dae, "", "", 0, " %d");
  strcat(dae, "</p></polylist></mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\">"
              "<node id=\"n\"><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
              "<instance_visual_scene url=\"#s\"/></scene></COLLADA>");
  check_channel("channel.dae", dae);
  // Mirrored nodes: alone, and beside one that is not, which must not count as its cavity.
  char *node = strstr(dae, "<instance_geometry"), rest[2000];
  strcpy(rest, node);
  strcpy(node, "<scale>-1 1 1</scale>");
  strcat(dae, rest);
  check_channel("mirrored.dae", dae);
}

RUN_TESTS({"stars, with corners on straight edges", test_stars}, {"combs, spirals, holes", test_hard},
          {"polygons in space, and fans of convex ones", test_space}, {"borders that cross", test_crossing},
          {"files of every format", test_files})
