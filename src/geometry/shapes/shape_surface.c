// SPDX-License-Identifier: Apache-2.0
// Construction of meshes from vertices, triangles, quads, bands and circles, for shapes of revolution.
#include "geometry/shapes/shape_surface.h"

#include <math.h>

// Memory for exactly so many vertices and triangles; those that add them check nothing.
enum dc_status dc_surface_create(struct dc_mesh *mesh, struct dc_arena *arena, size_t vertex_count,
                                 size_t triangle_count, struct dc_error *error)
{
  *mesh = (struct dc_mesh){0};
  if (triangle_count > DC_MESH_TRIANGLES_MAX)
    return dc_fail(error, DC_BAD_INPUT, "must have at most %d triangles (has %zu)", DC_MESH_TRIANGLES_MAX,
                   triangle_count);
  mesh->vertices = dc_arena_alloc(arena, vertex_count, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, triangle_count, sizeof *mesh->triangles);
  if (!mesh->vertices || !mesh->triangles)
    return dc_out_of_memory_for(error, "a mesh of %zu triangles", triangle_count);
  return DC_OK;
}

int dc_surface_add_vertex(struct dc_mesh *mesh, double x, double y, double z)
{
  double *vertex = mesh->vertices[mesh->vertex_count];
  vertex[0] = x, vertex[1] = y, vertex[2] = z;
  return mesh->vertex_count++;
}

void dc_surface_add_triangle(struct dc_mesh *mesh, int a, int b, int c)
{
  int *triangle = mesh->triangles[mesh->triangle_count++];
  triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

// Corners counter-clockwise seen from outside, cut along one of both diagonals.
void dc_surface_add_quad(struct dc_mesh *mesh, int a, int b, int c, int d, bool other_diagonal)
{
  if (other_diagonal) {
    dc_surface_add_triangle(mesh, a, b, d);
    dc_surface_add_triangle(mesh, b, c, d);
  } else {
    dc_surface_add_triangle(mesh, a, b, c);
    dc_surface_add_triangle(mesh, a, c, d);
  }
}

// The band between two circles of vertices; diagonals alternate along it and from row to row.
void dc_surface_add_band(struct dc_mesh *mesh, int lower, int upper, int sides, int row)
{
  for (int i = 0; i < sides; i++) {
    int next = (i + 1) % sides;
    dc_surface_add_quad(mesh, lower + i, lower + next, upper + next, upper + i, (i + row) & 1);
  }
}

// Only angles up to 45 degrees are computed; all others follow by mirroring and quarter turns, so that circles are
// exactly symmetric.
void dc_surface_circle(double point[2], int i, int n)
{
  int quarter = (int)(4 * (long)i / n);
  long rest = 4 * (long)i - (long)quarter * n;  // the angle beyond the quarter turns is (pi / 2) rest / n
  double c, s;
  if (2 * rest == n) {
    c = s = M_SQRT1_2;
  } else if (2 * rest < n) {
    double angle = M_PI_2 * (double)rest / n;
    c = cos(angle), s = sin(angle);
  } else {
    double angle = M_PI_2 * (double)(n - rest) / n;
    c = sin(angle), s = cos(angle);
  }
  double turned[4][2] = {{c, s}, {0 - s, c}, {0 - c, 0 - s}, {s, 0 - c}};
  point[0] = turned[quarter][0];
  point[1] = turned[quarter][1];
}

// Circles of equal n have vertices at equal angles, so that bands between them have no twist.
int dc_surface_add_circle(struct dc_mesh *mesh, double radius, double z, int n)
{
  int first = mesh->vertex_count;
  for (int i = 0; i < n; i++) {
    double point[2];
    dc_surface_circle(point, i, n);
    dc_surface_add_vertex(mesh, radius * point[0], radius * point[1], z);
  }
  return first;
}
