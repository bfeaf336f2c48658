// SPDX-License-Identifier: Apache-2.0
// Sphere: a regular polyhedron whose triangles are cut into four, level times, with all vertices on the sphere.
#include <stddef.h>
#include <stdlib.h>

#include "geometry/mesh/mesh_read.h"
#include "geometry/shapes/shape_options.h"
#include "math/vector.h"

struct sphere_options {
  double radius;
  long level;
  int base;
  int surface;
};

enum { ICOSAHEDRON, OCTAHEDRON };
enum { MOST_LEVELS = 6, SMOOTH_LEVEL = 3 };

static const char *const bases[] = {"icosahedron", "octahedron", NULL};

static const struct dc_option sphere_option_table[] = {
    DC_LENGTH_OPTION(struct sphere_options, radius, "distance of every vertex from the origin"),
    DC_INTEGER_OPTION(struct sphere_options, level, "1", 0, MOST_LEVELS, "how often each triangle is cut into four"),
    DC_CHOICE_OPTION(struct sphere_options, base, "\"icosahedron\"", bases,
                     "polyhedron to start from: 20 * 4^level or 8 * 4^level triangles"),
    DC_SURFACE_OPTION(struct sphere_options), DC_OPTIONS_END};

static void normalize(double *vector)
{
  dc_vec_scale(vector, vector, 1 / dc_vec_norm(vector));
}

// Unit vertices of the polyhedron; their number.
static int base_vertices(int base, double (*vertices)[3])
{
  int count = 0;
  for (int axis = 0; axis < 3; axis++)
    for (int signs = 0; signs < 4; signs++) {
      double long_edge = signs & 1 ? -1 : 1, short_edge = signs & 2 ? -1 : 1;
      if (base == OCTAHEDRON && signs > 1)
        break;
      double *vertex = vertices[count++];
      vertex[axis] = long_edge;
      vertex[(axis + 1) % 3] = base == OCTAHEDRON ? 0 : short_edge * 2 / (1 + sqrt(5));  // three golden rectangles
      vertex[(axis + 2) % 3] = 0;
      normalize(vertex);
    }
  return count;
}

// The middle of an edge, on the sphere.  Triangles on both sides must agree on it to the last bit: the sum does not
// depend on the order of the ends, and a function that is never inlined is always compiled to the same operations.
__attribute__((noinline)) static void midpoint(double *middle, const double *a, const double *b)
{
  dc_vec_add(middle, a, b);
  normalize(middle);
}

// Writes the 4^level triangles that one is cut into.
static void subdivide(const double *a, const double *b, const double *c, long level, double (**corners)[3])
{
  if (level == 0) {
    const double *corner[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
      dc_vec_copy(*(*corners)++, corner[k]);
    return;
  }
  double ab[3], bc[3], ca[3];
  midpoint(ab, a, b);
  midpoint(bc, b, c);
  midpoint(ca, c, a);
  subdivide(a, ab, ca, level - 1, corners);
  subdivide(ab, b, bc, level - 1, corners);
  subdivide(ca, bc, c, level - 1, corners);
  subdivide(ab, bc, ca, level - 1, corners);
}

// Faces of both polyhedra are the triples of vertices that are neighbours of each other.
static void add_faces(int base, long level, double (**corners)[3])
{
  double vertices[12][3];
  int count = base_vertices(base, vertices);
  double neighbour = base == OCTAHEDRON ? -0.5 : 0.25;  // below the cosine to a neighbour: 0, or 0.447
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++)
      for (int k = j + 1; k < count; k++) {
        const double *a = vertices[i], *b = vertices[j], *c = vertices[k];
        if (dc_vec_dot(a, b) < neighbour || dc_vec_dot(b, c) < neighbour || dc_vec_dot(c, a) < neighbour)
          continue;
        double normal[3];
        dc_vec_cross(normal, b, c);
        if (dc_vec_dot(a, normal) > 0)
          subdivide(a, b, c, level, corners);
        else
          subdivide(a, c, b, level, corners);
      }
}

// Triangles with corners of their own are written first; midpoints that agree bit for bit are then welded.
static enum dc_status build_sphere(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                   struct dc_error *error)
{
  const struct sphere_options *sphere = options;
  int triangle_count = (sphere->base == OCTAHEDRON ? 8 : 20) << (2 * sphere->level);
  double(*corners)[3] = dc_alloc(3 * (size_t)triangle_count, sizeof *corners), (*end)[3] = corners;
  if (!corners)
    return dc_out_of_memory_for(error, "a mesh of %d triangles", triangle_count);
  add_faces(sphere->base, sphere->level, &end);
  enum dc_status status = dc_mesh_weld(corners, triangle_count, arena, mesh, error);
  free(corners);
  for (int v = 0; !status && v < mesh->vertex_count; v++)
    dc_vec_scale(mesh->vertices[v], mesh->vertices[v], sphere->radius);
  return status;
}

// For pictures: at least the icosahedron cut three times, 1280 triangles.
void dc_sphere_refine(void *options)
{
  struct sphere_options *sphere = options;
  if (sphere->level < SMOOTH_LEVEL || (sphere->base == OCTAHEDRON && sphere->level == SMOOTH_LEVEL)) {
    sphere->level = SMOOTH_LEVEL;
    sphere->base = ICOSAHEDRON;
  }
}

const struct dc_shape_type dc_shape_sphere = {
    .name = "sphere",
    .summary = "sphere about the origin, a subdivided icosahedron or octahedron inscribed in it",
    .options = sphere_option_table,
    .options_size = sizeof(struct sphere_options),
    .build = build_sphere,
};
