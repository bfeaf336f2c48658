// SPDX-License-Identifier: Apache-2.0
// Mesh files: formats, refusals with place and rule, things that are not files, random damage.
#include "harness.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/random.h"
#include "geometry/mesh/mesh_groups.h"
#include "geometry/mesh/mesh_read.h"
#include "geometry/shapes/shape.h"

static struct dc_arena *arena;
static char folder[] = "/tmp/dcsim-mesh-XXXXXX";

// The file NAME in the test's folder; the text stays valid until the next but one call.
static const char *in_folder(const char *name)
{
  static char paths[2][512];
  static int turn;
  turn = !turn;
  snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
  return paths[turn];
}

static const char *write_file(const char *name, const void *bytes, size_t size)
{
  const char *path = in_folder(name);
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s", path);
  return path;
}

// Parses bytes as the file NAME from memory of exactly that size, so that reading beyond it is seen by the
// sanitizers.
static enum dc_status parse(const char *name, const void *bytes, size_t size, struct dc_mesh *mesh,
                            struct dc_error *error)
{
  char *copy = malloc(size + 1);
  if (size)
    memcpy(copy, bytes, size);
  copy[size] = '\0';
  struct dc_mesh_file file = {.name = name, .bytes = copy, .size = size};
  enum dc_status status = dc_mesh_parse(&file, arena, mesh, error);
  free(copy);
  return status;
}

static void expect_mesh(const char *name, const char *text, int vertex_count, int triangle_count)
{
  struct dc_mesh mesh;
  struct dc_error error = {0};
  CHECK(parse(name, text, strlen(text), &mesh, &error) == DC_OK, "%s", error.text);
  CHECK(mesh.vertex_count == vertex_count && mesh.triangle_count == triangle_count, "%d vertices, %d triangles: %.60s",
        mesh.vertex_count, mesh.triangle_count, text);
  CHECK(!error.status && dc_mesh_validate(&mesh, &error) == DC_OK, "%s: %.60s", error.text, text);
}

static void expect_refusal(const char *name, const void *bytes, size_t size, const char *message)
{
  struct dc_mesh mesh;
  struct dc_error error = {0};
  CHECK(parse(name, bytes, size, &mesh, &error) == DC_BAD_INPUT, "%s", message);
  CHECK(strcmp(error.text, message) == 0, "'%s', expected '%s'", error.text, message);
}

static void refuse_text(const char *name, const char *text, const char *message)
{
  expect_refusal(name, text, strlen(text), message);
}

#define TETRAHEDRON "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
#define FACES "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

static void test_obj(void)
{
  expect_mesh("a.obj", TETRAHEDRON FACES, 4, 4);
  expect_mesh("a", TETRAHEDRON FACES, 4, 4);
  expect_mesh("no final newline.obj", TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4", 4, 4);
  expect_mesh("negative.obj", TETRAHEDRON "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n", 4, 4);
  expect_mesh("crlf.obj",
              "# dos\r\nv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nv 0 0 1\r\nf 1 3 2\r\nf 1 2 4\r\nf 1 4 3\r\nf 2 3 4", 4, 4);
  expect_mesh("cr.obj", "v 0 0 0\rv 1 0 0\rv 0 1 0\rv 0 0 1\rf 1 3 2\rf 1 2 4\rf 1 4 3\rf 2 3 4\r", 4, 4);
  expect_mesh("mark.obj", "\xef\xbb\xbf" TETRAHEDRON FACES, 4, 4);
  expect_mesh("corners.obj",
              TETRAHEDRON "vt 0 0\nvn 0 0 1\nf 1/1 3/1 2/1\nf 1//1 2//1 4//1\nf 1/1/1 4/1/1 3/1/1\nf +2 3/-1/-1 4\n", 4,
              4);
  expect_mesh("comments.obj",
              "# ends with a backslash \\\n" TETRAHEDRON "\n\t \n#f 9 9 9\nf 1 3 2#x\nf 1 2 4 # y\nf 1 4 3\nf 2 3 4\n",
              4, 4);
  expect_mesh("continued.obj", TETRAHEDRON "f 1 \\\n3 2\nf 1\\\r\n 2 4\nf 1 4 \\\n\\\n3\nf 2 3 4\n", 4, 4);
  expect_mesh("ignored.obj", "mtllib a b.mtl\no x\ng y z\ns off\nusemtl m\nl 1 2 99\np 77\nvp 1 2\n" TETRAHEDRON FACES,
              4, 4);
  expect_mesh("faces first.obj", FACES TETRAHEDRON, 4, 4);
  expect_mesh("unused.obj", "v 9 9 9\n" TETRAHEDRON "v 8 8 8\nf 2 4 3\nf 2 3 5\nf 2 5 4\nf 3 4 5\n", 4, 4);
  expect_mesh("colours.obj", "v 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0 1 .5 .5 .5\nv 0 0 1e0\n" FACES, 4, 4);
  // A cube of quadrilaterals.
  expect_mesh("polygons.obj",
              "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n"
              "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n",
              8, 12);
}

// Vertices of their own for every triangle are merged, bit for bit, where the surface is open without.
static void test_obj_unshared(void)
{
  static const char solid[][16] = {"0 0 0", "0 1 0", "1 0 0", "0 0 0", "1 0 0", "0 0 1",
                                   "0 0 0", "0 0 1", "0 1 0", "1 0 0", "0 1 0", "0 0 1"};
  char text[2000] = "", off[2000] = "";
  for (int t = 0; t < 4; t++) {
    for (int k = 0; k < 3; k++) {
      sprintf(text + strlen(text), "v %s\n", solid[3 * t + k]);
      sprintf(off + strlen(off), "v %s%s\n", solid[3 * t + k], t == 3 ? "000001" : "");  // z of the last face
    }
    strcat(text, "f -3 -2 -1\n");
    strcat(off, "f -3 -2 -1\n");
  }
  expect_mesh("unshared.obj", text, 4, 4);
  expect_mesh("signs of zero.obj",
              "v -0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\n" TETRAHEDRON "f -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n", 4, 4);
  // Two solids that touch along an edge keep vertices of their own there.
  expect_mesh("touching.obj",
              TETRAHEDRON FACES "v 0 0 0\nv -1 0 0\nv 0 -1 0\nv 0 0 1\n"
                                "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n",
              8, 8);
  struct dc_mesh mesh;
  struct dc_error error = {0};
  CHECK(parse("near.obj", off, strlen(off), &mesh, &error) == DC_OK, "%s", error.text);
  CHECK(dc_mesh_validate(&mesh, &error) == DC_BAD_INPUT && strstr(error.text, "do not share vertices"), "%s",
        error.text);
}

static void test_obj_groups(void)
{
  static const struct {
    const char *text;
    int count, start[4];
  } cases[] = {{TETRAHEDRON FACES, 1, {0, 4}},
               {"g a\no b\n" TETRAHEDRON FACES "g\n", 1, {0, 4}},
               {TETRAHEDRON "f 1 3 2\ng a b\n#g\nf 1 2 4\ns 1\nf 1 4 3\no\no\nf 2 3 4\n", 3, {0, 1, 3, 4}},
               {TETRAHEDRON "g a\nf 1 3 2\ng b\nf 1 2 4\ng a\nf 1 4 3 2\n", 3, {0, 1, 2, 4}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct dc_mesh mesh;
    struct dc_error error = {0};
    CHECK(parse("a.obj", cases[i].text, strlen(cases[i].text), &mesh, &error) == DC_OK, "%s", error.text);
    CHECK(mesh.group_count == cases[i].count, "case %zu: %d groups", i, mesh.group_count);
    for (int g = 0; g <= mesh.group_count && g <= cases[i].count; g++)
      CHECK(mesh.group_start[g] == cases[i].start[g], "case %zu, group %d: %d", i, g, mesh.group_start[g]);
  }
}

static void test_obj_values(void)
{
  struct dc_mesh mesh;
  struct dc_error error = {0};
  const char *text = "v 7 7 7\nv -1.5e-3 +2 .25\nv 1 0 0\nv 0 1 0\nf 2 3 4 \n";
  CHECK(parse("a.obj", text, strlen(text), &mesh, &error) == DC_OK, "%s", error.text);
  CHECK(mesh.vertices[0][0] == -1.5e-3 && mesh.vertices[0][1] == 2 && mesh.vertices[0][2] == 0.25, "vertex");
  CHECK(mesh.triangles[0][0] == 0 && mesh.triangles[0][1] == 1 && mesh.triangles[0][2] == 2, "triangle");
}

// Numbers of every length against strtod, bit for bit, and words that are none.
static void test_numbers(void)
{
  static const char *const none[] = {"", "-", "+", ".", "-.", "1-", "--1", "1..2", "1.2.3", "e5", "12e", "1 2", "0x1"};
  struct dc_random random;
  dc_random_seed(&random, 5);
  for (int i = 0; i < 20000; i++) {
    char word[64];
    double number, scale = pow(10, 8 * dc_random_uniform(&random) - 4), value = scale * dc_random_normal(&random);
    int length = snprintf(word, sizeof word, i % 5 == 4 ? "%.*e" : "%.*f", i % 20, value);
    CHECK(dc_mesh_parse_number(word, (size_t)length, &number), "%s", word);
    double expected = strtod(word, NULL);
    CHECK(memcmp(&number, &expected, sizeof number) == 0, "%s: %.17g, not %.17g", word, number, expected);
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    double number;
    CHECK(!dc_mesh_parse_number(none[i], strlen(none[i]), &number), "'%s'", none[i]);
  }
}

static void test_obj_refusals(void)
{
  refuse_text("a.obj", "", "a.obj: the file is empty");
  refuse_text("a.obj", "# nothing\n", "a.obj: no faces (0 vertices)");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "a.obj: no faces (3 vertices)");
  refuse_text("a.obj", "v 0 0 0\nv 1 0 nan\n" FACES, "a.obj:2: 'nan' is not a finite decimal number");
  const char *pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab\nsize 12345\n";
  refuse_text("a.obj", pointer, "a.obj: is not the mesh but a pointer of Git LFS to it: run git lfs pull");
  refuse_text("a.stl", pointer, "a.stl: is not the mesh but a pointer of Git LFS to it: run git lfs pull");
  refuse_text("a.dae", pointer, "a.dae: is not the mesh but a pointer of Git LFS to it: run git lfs pull");
  refuse_text("a.obj", "v 0 0 inf\n", "a.obj:1: 'inf' is not a finite decimal number");
  refuse_text("a.obj", "v 0 0 1e999\n", "a.obj:1: '1e999' is not a finite decimal number");
  refuse_text("a.obj", "v 0 0 0x10\n", "a.obj:1: '0x10' is not a finite decimal number");
  refuse_text("a.obj", "v 0 0 1,5\n", "a.obj:1: '1,5' is not a finite decimal number");
  refuse_text("a.obj", "v 0 0 1.5.5\n", "a.obj:1: '1.5.5' is not a finite decimal number");
  refuse_text("a.obj", "\n\nv 0 \\\n0 \\\nx\n", "a.obj:5: 'x' is not a finite decimal number");
  refuse_text("a.obj", "v 0 0\n", "a.obj:1: a vertex has 3, 4, 6 or 7 numbers, not 2");
  refuse_text("a.obj", "v 1 2 3 4 5 6 7 8\n", "a.obj:1: a vertex has more than 7 numbers");
  refuse_text("a.obj", TETRAHEDRON "f 1 2\n", "a.obj:5: a face has 3 or more corners, not 2");
  refuse_text("a.obj", TETRAHEDRON "f 1 2 1.5\n", "a.obj:5: '1.5' is not a corner (v, v/vt, v//vn or v/vt/vn)");
  refuse_text("a.obj", TETRAHEDRON "f 1 2 3/\n", "a.obj:5: '3/' is not a corner (v, v/vt, v//vn or v/vt/vn)");
  refuse_text("a.obj", TETRAHEDRON "f 1 2 3/1/1/1\n", "a.obj:5: '3/1/1/1' is not a corner (v, v/vt, v//vn or v/vt/vn)");
  refuse_text("a.obj", TETRAHEDRON FACES "f 1 2 5\nf 0 1 2\nf 1 -5 2\n",
              "a.obj:9: 3 vertex indices out of range (first: 5, the file has 4 vertices)");
  refuse_text("a.obj", TETRAHEDRON "f 1 2 99999999999999999999\n",
              "a.obj:5: 1 vertex index out of range (first: 999999999, the file has 4 vertices)");
  refuse_text("a.obj", TETRAHEDRON "F 1 2 3\n", "a.obj:5: unknown OBJ statement 'F'");
  refuse_text("a.obj", "curv \x1b[31m\n", "a.obj:1: unknown OBJ statement 'curv'");
  refuse_text(
      "picture.png", "\x89PNG\r\n",
      "picture.png:1: unknown OBJ statement '?PNG' (a file with this ending is read as OBJ; another program can save "
      "it as .stl or .obj)");
  expect_refusal("a.obj", "v 0 0 0\0 1\n", 12, "a.obj:1: '0?' is not a finite decimal number");
  refuse_text("a.obj", "abcdefghijklmnopqrstuvwxyzabcdefghijkl 1\n",
              "a.obj:1: unknown OBJ statement 'abcdefghijklmnopqrstuvwxyzab...'");
}

static void test_obj_limits(void)
{
  // A polygon of too many corners is refused before memory for it is taken.
  enum { CORNERS = DC_MESH_TRIANGLES_MAX + 3 };
  char *text = malloc(2 * CORNERS + 100);
  int length = sprintf(text, TETRAHEDRON "f");
  for (int i = 0; i < CORNERS; i++, length += 2)
    memcpy(text + length, " 1", 2);
  struct dc_mesh mesh;
  struct dc_error error = {0};
  CHECK(parse("a.obj", text, (size_t)length, &mesh, &error) == DC_BAD_INPUT, "limit");
  CHECK(strcmp(error.text, "a.obj: must have at most 4000000 vertices and triangles (has 4 and 4000001)") == 0, "%s",
        error.text);
  free(text);
}

static const float stl_corners[4][9] = {
    {0, 0, 0, 0, 1, 0, 1, 0, 0}, {0, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1, 0, 1, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

enum { STL_SIZE = 84 + 50 * 4 };

// A binary STL of the tetrahedron with one -0, little-endian on any machine.
static void make_binary(unsigned char bytes[STL_SIZE], const char *header)
{
  memset(bytes, 0, STL_SIZE);
  memcpy(bytes, header, strlen(header));
  bytes[80] = 4;
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 9; k++) {
      float value = t == 2 && k == 1 ? -0.0f : stl_corners[t][k];
      uint32_t bits;
      memcpy(&bits, &value, 4);
      for (int b = 0; b < 4; b++)
        bytes[84 + 50 * t + 12 + 4 * k + b] = (unsigned char)(bits >> 8 * b);
    }
}

static void test_binary_stl(void)
{
  unsigned char bytes[STL_SIZE + 1];
  static const char *const headers[] = {"exported by something", "solid but binary", ""};
  for (int i = 0; i < 3; i++) {
    struct dc_mesh mesh;
    struct dc_error error = {0};
    make_binary(bytes, headers[i]);
    CHECK(parse("a.whatever", bytes, STL_SIZE, &mesh, &error) == DC_OK, "%s", error.text);
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4, "%d vertices", mesh.vertex_count);
    CHECK(!error.status && dc_mesh_validate(&mesh, &error) == DC_OK, "%s", error.text);
    for (int k = 0; k < 3; k++)
      CHECK(!signbit(mesh.vertices[0][k]), "-0 is written as 0");
  }
  make_binary(bytes, "solid");
  expect_refusal("a.stl", bytes, STL_SIZE - 1, "a.stl: binary STL of 4 triangles must have 284 bytes (has 283)");
  bytes[STL_SIZE] = 0;
  expect_refusal("a.STL", bytes, STL_SIZE + 1, "a.STL: binary STL of 4 triangles must have 284 bytes (has 285)");
  memset(bytes + 80, 255, 4);
  expect_refusal("a.stl", bytes, STL_SIZE,
                 "a.stl: binary STL of 4294967295 triangles must have 214748364834 bytes (has 284)");
  expect_refusal("a.stl", bytes, 79, "a.stl: neither text STL (no \"solid\") nor binary STL (79 bytes, at least 84)");
  expect_refusal(
      "a.stl", bytes, 80,
      "a.stl: neither text STL (no \"solid\") nor binary STL (80 bytes, at least 84): it ends after the header, "
      "without triangles");
  memset(bytes + 80, 0, 4);
  expect_refusal("a.stl", bytes, 84, "a.stl: no triangles");
  make_binary(bytes, "");
  memset(bytes + 84 + 50 + 12, 255, 4);
  memset(bytes + 84 + 150 + 12, 255, 8);
  expect_refusal("a.stl", bytes, STL_SIZE, "a.stl: 2 triangles with coordinates that are not finite (first: 1)");
}

static void make_text(char *text, const char *newline)
{
  text += sprintf(text, "solid a name of facets%s", newline);
  for (int t = 0; t < 4; t++) {
    text += sprintf(text, " facet normal nan 0 0%s  outer loop%s", newline, newline);
    for (int k = 0; k < 3; k++)
      text += sprintf(text, "   vertex %g %e %g%s", (double)stl_corners[t][3 * k], (double)stl_corners[t][3 * k + 1],
                      (double)stl_corners[t][3 * k + 2], newline);
    text += sprintf(text, "  endloop%s endfacet%s", newline, newline);
  }
  sprintf(text, "endsolid a name");
}

static void test_text_stl(void)
{
  char text[2000], copy[2000];
  make_text(text, "\n");
  expect_mesh("a.stl", text, 4, 4);
  expect_mesh("a.txt", text, 4, 4);
  make_text(copy, "\r\n");
  expect_mesh("a.stl", copy, 4, 4);
  snprintf(copy, sizeof copy, "\n SOLID\n%s", strchr(text, '\n'));  // without a name, words in capitals
  for (char *word = copy; (word = strstr(word, "facet"));)
    memcpy(word, "FACET", 5);
  expect_mesh("a.stl", copy, 4, 4);
  // Cut anywhere before the last word it is refused, never read as a smaller mesh.
  size_t last = (size_t)(strstr(text, "endsolid") - text) + 8;
  for (size_t size = 5; size < last; size++) {
    struct dc_mesh mesh;
    struct dc_error error = {0};
    CHECK(parse("a.stl", text, size, &mesh, &error) == DC_BAD_INPUT, "cut after %zu bytes", size);
  }
  refuse_text("a.stl", "solid\nendsolid\n", "a.stl: no triangles");
  refuse_text("a.stl", "solid\nendsolid\nv 0", "a.stl:3: 'v' stands where solid should");
  refuse_text("a.stl", "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 nan\n",
              "a.stl:4: 'nan' stands where a finite decimal number should");
  refuse_text("a.stl", "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 1e999\n",
              "a.stl:4: '1e999' stands where a finite decimal number should");
  refuse_text("a.stl", "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop",
              "a.stl:6: 'endloop' stands where vertex should");
  refuse_text("a.stl", "solid x\nfacet normal 0 0", "a.stl:2: the file ends where a number should stand");
  refuse_text("a.stl", "solid x\n\n", "a.stl:3: the file ends where facet or endsolid should stand");
}

// What a shape gives comes back from each format: the same triangles up to the numbering of vertices.
static void test_round_trip(void)
{
  const struct dc_shape_type *type = dc_shape_type_find("cylinder");
  char *options = dc_arena_alloc(arena, 1, type->options_size);
  struct dc_error error = {0};
  dc_options_set_defaults(type->options, options, arena, &error);
  *(double *)(options + type->options[dc_option_find(type->options, "radius")].offset) = 0.3;
  *(double *)(options + type->options[dc_option_find(type->options, "height")].offset) = 1.1;
  struct dc_shape shape = {.name = "rod", .type = type, .options = options};
  CHECK(dc_shape_build(&shape, arena, &error) == DC_OK, "%s", error.text);
  const struct dc_mesh *mesh = &shape.mesh;
  for (int format = 0; format < 3; format++) {
    const char *path = in_folder(format == 0 ? "rod.obj" : "rod.stl");
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL, "%s", path);
    if (!file)
      return;
    uint32_t count = (uint32_t)mesh->triangle_count;
    if (format == 0)
      for (int v = 0; v < mesh->vertex_count; v++)
        fprintf(file, "v %.17g %.17g %.17g\n", mesh->vertices[v][0], mesh->vertices[v][1], mesh->vertices[v][2]);
    else if (format == 1)
      fprintf(file, "solid rod\n");
    else
      fprintf(file, "%-80s%c%c%c%c", "solid rod", (int)(count & 255), (int)(count >> 8 & 255), 0, 0);
    for (int t = 0; t < mesh->triangle_count; t++) {
      const int *corner = mesh->triangles[t];
      if (format == 0)
        fprintf(file, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
      if (format == 1)
        fprintf(file, "facet normal 0 0 0\nouter loop\n");
      if (format == 2)
        fwrite("............", 1, 12, file);
      for (int k = 0; k < 3; k++) {
        const double *x = mesh->vertices[corner[k]];
        float single[3] = {(float)x[0], (float)x[1], (float)x[2]};
        if (format == 1)
          fprintf(file, "vertex %.17g %.17g %.17g\n", x[0], x[1], x[2]);
        if (format == 2)
          fwrite(single, 4, 3, file);  // this test runs on little-endian machines
      }
      fputs(format == 1 ? "endloop\nendfacet\n" : format == 2 ? ".." : "", file);
    }
    fputs(format == 1 ? "endsolid rod" : "", file);
    CHECK(fclose(file) == 0, "%s", path);
    struct dc_mesh read;
    CHECK(dc_mesh_read(path, arena, &read, &error) == DC_OK && dc_mesh_validate(&read, &error) == DC_OK, "%s",
          error.text);
    CHECK(read.vertex_count == mesh->vertex_count && read.triangle_count == mesh->triangle_count, "%d, %d",
          read.vertex_count, read.triangle_count);
    double tolerance = format == 2 ? 3e-8 : 0;  // half a unit of the last place of a float below 0.55
    for (int t = 0; t < read.triangle_count && read.triangle_count == mesh->triangle_count; t++)
      for (int k = 0; k < 9; k++)
        CHECK_NEAR(read.vertices[read.triangles[t][k / 3]][k % 3], mesh->vertices[mesh->triangles[t][k / 3]][k % 3],
                   tolerance);
    remove(path);
  }
}

static void expect_unreadable(const char *path, const char *reason)
{
  struct dc_mesh mesh;
  struct dc_error error = {0};
  char expected[1024];
  snprintf(expected, sizeof expected, "%s: %s", path, reason);
  alarm(5);  // opening must not wait
  CHECK(dc_mesh_read(path, arena, &mesh, &error) == DC_BAD_INPUT, "%s", error.text);
  alarm(0);
  CHECK(strcmp(error.text, expected) == 0, "'%s', expected '%s'", error.text, expected);
  CHECK(mesh.triangle_count == 0 && !mesh.vertices, "%s", path);
}

static void test_not_files(void)
{
  expect_unreadable(in_folder("missing.obj"), "cannot be opened: No such file or directory");
  expect_unreadable(folder, "is a directory, not a mesh file");
  expect_unreadable("/dev/zero", "is a device, not a mesh file");
  const char *path = in_folder("pipe.obj");
  CHECK(mkfifo(path, 0600) == 0, "%s", path);
  expect_unreadable(path, "is a named pipe, not a mesh file");
  remove(path);
  path = write_file("empty.obj", "", 0);
  expect_unreadable(path, "the file is empty");
  remove(path);
  path = write_file("large.obj", TETRAHEDRON, sizeof TETRAHEDRON - 1);
  CHECK(truncate(path, (64 << 20) + 1) == 0, "%s", path);
  expect_unreadable(path, "must be at most 67108864 bytes (is 67108865)");
  remove(path);
  path = in_folder("socket.obj");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (server >= 0 && bind(server, (struct sockaddr *)&address, sizeof address) == 0)
    expect_unreadable(path, "cannot be opened: No such device or address");
  close(server);
  remove(path);
  if (geteuid() != 0) {  // root may read everything
    path = write_file("secret.obj", TETRAHEDRON, sizeof TETRAHEDRON - 1);
    chmod(path, 0);
    expect_unreadable(path, "cannot be opened: Permission denied");
    remove(path);
  }
}

// Changes, cuts or repeats random bytes of a good file; whatever comes out is read or refused with a message.
// Hulls of whatever could be read are bodies, or refused; groups cover all triangles.
static void check_hulls(const struct dc_mesh *mesh, int round)
{
  struct dc_mesh hulls;
  struct dc_error error = {0};
  for (int g = 0; g < mesh->group_count; g++)
    CHECK(mesh->group_start[g] < mesh->group_start[g + 1], "round %d: group %d is empty", round, g);
  if (mesh->group_count)
    CHECK(mesh->group_start[0] == 0 && mesh->group_start[mesh->group_count] == mesh->triangle_count, "round %d", round);
  enum dc_status status = dc_mesh_hulls(mesh, 0, arena, &hulls, &error);
  if (status) {
    CHECK(status == DC_BAD_INPUT && error.text[0], "round %d: status %d '%s'", round, status, error.text);
    return;
  }
  CHECK(dc_mesh_validate(&hulls, &error) == DC_OK, "round %d: %s", round, error.text);
  int count;
  const struct dc_mesh *parts;
  CHECK(dc_mesh_convex_parts(&hulls, arena, &count, &parts, &error) == DC_OK, "round %d: %s", round, error.text);
  CHECK(count == hulls.group_count, "round %d: %d parts of %d hulls", round, count, hulls.group_count);
}

static void fuzz(const char *name, const char *bytes, size_t size, int rounds)
{
  static const char spice[] = "0123456789-+.eE/ \n\r\t\\#vfnan\0\xff";
  struct dc_random random;
  dc_random_seed(&random, 20240229);
  char *mutant = malloc(2 * size);
  int good = 0, refused = 0, valid = 0;
  for (int round = 0; round < rounds; round++) {
    struct dc_arena *outer = arena;
    arena = dc_arena_create();
    size_t length = size;
    memcpy(mutant, bytes, size);
    for (uint64_t changes = 1 + dc_random_bits(&random) % 8; changes > 0; changes--) {
      size_t place = (size_t)dc_random_bits(&random) % length, count = (size_t)dc_random_bits(&random) % 40;
      uint64_t kind = dc_random_bits(&random) % 8;
      if (kind < 3)
        mutant[place] = spice[dc_random_bits(&random) % (sizeof spice - 1)];
      else if (kind < 5)
        mutant[place] = (char)(mutant[place] ^ 1 << dc_random_bits(&random) % 8);
      else if (kind == 5 && length > place + count + 1)
        memmove(mutant + place, mutant + place + count, (length -= count) - place);
      else if (kind == 6 && length + count <= 2 * size)
        memmove(mutant + place + count, mutant + place, (length += count) - place - count);
      else if (kind == 7 && place > 0 && changes == 1)
        length = place;
    }
    struct dc_mesh mesh;
    struct dc_error error = {0};
    enum dc_status status = parse(name, mutant, length, &mesh, &error);
    if (status) {
      refused++;
      CHECK(status == DC_BAD_INPUT && error.text[0], "round %d: status %d '%s'", round, status, error.text);
    } else {
      good++;
      struct dc_error broken = {0};
      enum dc_status verdict = dc_mesh_validate(&mesh, &broken);
      valid += verdict == DC_OK;
      CHECK(verdict == DC_OK || (verdict == DC_BAD_INPUT && broken.text[0]), "round %d: %d", round, verdict);
      check_hulls(&mesh, round);
    }
    dc_arena_destroy(arena);
    arena = outer;
  }
  free(mutant);
  // All three outcomes must occur, or the mutations are too tame or too wild to try anything.
  CHECK(good > rounds / 50 && refused > rounds / 50 && valid > 0 && valid < good, "%s: %d read, %d refused, %d valid",
        name, good, refused, valid);
}

static void test_fuzz(void)
{
  char text[2000];
  unsigned char bytes[STL_SIZE];
  const char *obj = TETRAHEDRON "vn 0 0 1\nvt 0 0 # comment\nf 1/1/1 3/1/1 2/1/1\nf 1//1 2//1 4//1\n"
                                "f -4 -1 \\\n -2\nf 2 3 4\n";
  fuzz("a.obj", obj, strlen(obj), 6000);
  const char *groups =
      "o a\n" TETRAHEDRON FACES "g b\nv 2 0 0\nv 3 0 0\nv 2 1 0\nv 2 0 1\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n";
  fuzz("a.obj", groups, strlen(groups), 6000);
  make_text(text, "\n");
  fuzz("a.stl", text, strlen(text), 6000);
  make_binary(bytes, "binary");
  fuzz("a.stl", (const char *)bytes, STL_SIZE, 6000);
}

static void test_set_up(void)
{
  arena = dc_arena_create();
  CHECK(arena && mkdtemp(folder), "%s", folder);
}

static void test_clean_up(void)
{
  dc_arena_destroy(arena);
  CHECK(rmdir(folder) == 0, "%s is not empty", folder);
}

RUN_TESTS({"set-up", test_set_up}, {"OBJ: forms of statements", test_obj}, {"OBJ: groups", test_obj_groups},
          {"OBJ: vertices that are not shared", test_obj_unshared}, {"OBJ: values", test_obj_values},
          {"numbers against strtod", test_numbers}, {"OBJ: refusals", test_obj_refusals},
          {"OBJ: limits", test_obj_limits}, {"STL: binary", test_binary_stl}, {"STL: text", test_text_stl},
          {"round trips", test_round_trip}, {"directories, pipes, devices, large and missing files", test_not_files},
          {"random damage", test_fuzz}, {"clean-up", test_clean_up})
