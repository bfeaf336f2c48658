// SPDX-License-Identifier: Apache-2.0
// Solids for witness points: unions of convex parts, each with the neighbours of its vertices and a bounding sphere.  A
// part that is not convex to rounding is replaced by its hull.  Normals around surface points are area-weighted means
// over the nearest triangles.
#include "geometry/convex/solid.h"

#include <math.h>
#include <stdlib.h>

#include "geometry/convex/constants.h"
#include "geometry/convex/distance.h"
#include "geometry/convex/hull.h"
#include "math/vector.h"

// Steps towards the smallest sphere: after n steps the radius is too large by a fraction of about 1/sqrt(n) at most.
enum { SHRINKS = 200 };

static enum dc_status fail_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "a solid");
}

// Largest distance of a vertex from center; the vertex in point.
static double farthest(const struct dc_convex *parts, int count, const double center[3], double point[3])
{
  double most = -1;
  for (int i = 0; i < count; i++)
    for (int v = 0; v < parts[i].vertex_count; v++) {
      double offset[3];
      dc_vec_sub(offset, parts[i].vertices[v], center);
      double square = dc_vec_dot(offset, offset);
      if (square > most) {
        most = square;
        dc_vec_copy(point, parts[i].vertices[v]);
      }
    }
  return sqrt(most);
}

// A sphere around the parts, close to the smallest: starting at the centre of the bounding box, the centre moves
// towards the farthest vertex by decreasing fractions (Badoiu and Clarkson 2003).  Returns the diagonal of the box.
static double enclose(const struct dc_convex *parts, int count, double center[3], double *radius)
{
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
  double at[3], point[3] = {0};
  for (int i = 0; i < count; i++)
    for (int v = 0; v < parts[i].vertex_count; v++)
      for (int k = 0; k < 3; k++) {
        lower[k] = fmin(lower[k], parts[i].vertices[v][k]);
        upper[k] = fmax(upper[k], parts[i].vertices[v][k]);
      }
  dc_vec_add(at, lower, upper);
  dc_vec_scale(at, at, 0.5);
  dc_vec_copy(center, at);
  *radius = INFINITY;
  for (int i = 0; i < SHRINKS; i++) {
    double reach = farthest(parts, count, at, point), step[3];
    if (reach < *radius) {
      *radius = reach;
      dc_vec_copy(center, at);
    }
    dc_vec_sub(step, point, at);
    dc_vec_add_scaled(at, at, 1.0 / (i + 2), step);
  }
  return dc_vec_distance(lower, upper);
}

static double triangle_area(const struct dc_convex *part, int triangle)
{
  const int *corner = part->triangles[triangle];
  return dc_triangle_area(part->vertices[corner[0]], part->vertices[corner[1]], part->vertices[corner[2]]);
}

static int compare_ints(const void *left, const void *right)
{
  int a = *(const int *)left, b = *(const int *)right;
  return (a > b) - (a < b);
}

// Lists the neighbours of vertices.  In a closed surface every edge is in two triangles, in opposite directions, so
// that the next corners of all triangles around a vertex are its neighbours, once each.
static enum dc_status connect(struct dc_convex *part, struct dc_arena *arena)
{
  int *start = dc_arena_alloc(arena, (size_t)part->vertex_count + 1, sizeof *start);
  int *neighbors = dc_arena_alloc(arena, 3 * (size_t)part->triangle_count, sizeof *neighbors);
  double(*offsets)[3] = dc_arena_alloc(arena, (size_t)part->vertex_count, sizeof *offsets);
  int *filled = dc_alloc((size_t)part->vertex_count, sizeof *filled);
  if (!start || !neighbors || !offsets || !filled) {
    free(filled);
    return DC_MEMORY;
  }
  for (int t = 0; t < part->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      start[part->triangles[t][k] + 1]++;
  for (int v = 0; v < part->vertex_count; v++)
    start[v + 1] += start[v];
  for (int t = 0; t < part->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int v = part->triangles[t][k];
      neighbors[start[v] + filled[v]++] = part->triangles[t][(k + 1) % 3];
    }
  for (int v = 0; v < part->vertex_count; v++) {
    qsort(neighbors + start[v], (size_t)(start[v + 1] - start[v]), sizeof *neighbors, compare_ints);
    dc_vec_sub(offsets[v], part->vertices[v], part->center);
  }
  free(filled);
  part->neighbor_start = start;
  part->neighbors = neighbors;
  part->offsets = (const double(*)[3])offsets;
  return DC_OK;
}

// Adds a part and its surface area; *extent: diagonal of its bounding box.
static enum dc_status add_part(struct dc_solid *solid, const struct dc_mesh *mesh, struct dc_arena *arena,
                               struct dc_convex *part, double *extent, struct dc_error *error)
{
  struct dc_mesh used = *mesh, hull;
  double excess, size = dc_mesh_size(mesh);
  enum dc_status status = dc_hull_excess(mesh, mesh, &excess, error);
  if (!status && excess > DC_SOLID_CONVEX * size) {
    status = dc_hull((const double(*)[3])mesh->vertices, mesh->vertex_count, arena, &hull, error);
    if (!status) {
      used = hull;
      status = dc_hull_excess(&used, &used, &excess, error);
    } else if (status == DC_BAD_INPUT) {  // such as flat to rounding: the mesh is used
      status = DC_OK;
    }
  }
  if (status)
    return status;
  *part = (struct dc_convex){.vertex_count = used.vertex_count,
                             .triangle_count = used.triangle_count,
                             .vertices = (const double(*)[3])used.vertices,
                             .triangles = (const int(*)[3])used.triangles,
                             .climbs = excess <= DC_SOLID_CLIMB * size};
  *extent = enclose(part, 1, part->center, &part->radius);
  for (int t = 0; t < part->triangle_count; t++)
    solid->surface_area += triangle_area(part, t);
  solid->part_count++;
  return connect(part, arena) ? fail_memory(error) : DC_OK;
}

// Creates the convex parts of a shape for queries.
enum dc_status dc_solid_create(const struct dc_shape *shape, struct dc_arena *arena, struct dc_solid *solid,
                               struct dc_error *error)
{
  *solid = (struct dc_solid){0};
  if (shape->part_count == 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "shape \"%s\" is not known to be a union of convex parts (a mesh may ask for \"convex\")",
                   shape->name);
  struct dc_convex *parts = dc_arena_alloc(arena, (size_t)shape->part_count, sizeof *parts);
  enum dc_status status = parts ? DC_OK : fail_memory(error);
  solid->parts = parts;
  for (int i = 0; i < shape->part_count && !status; i++) {
    status = add_part(solid, &shape->parts[i], arena, &parts[i], &solid->size, error);
    if (status)
      dc_error_prefix(error, "shape \"%s\"", shape->name);
  }
  if (!status && solid->part_count == 1) {
    dc_vec_copy(solid->center, parts[0].center);
    solid->radius = parts[0].radius;
  } else if (!status) {
    solid->size = enclose(parts, solid->part_count, solid->center, &solid->radius);
  }
  return status;
}

// Distance of a point from a triangle of a part, m.
static double distance_to(const struct dc_convex *part, int t, const double point[3])
{
  struct dc_closest closest;
  double x[4][3];
  dc_vec_copy(x[0], point);
  for (int k = 0; k < 3; k++)
    dc_vec_copy(x[1 + k], part->vertices[part->triangles[t][k]]);
  dc_closest_point_triangle((const double(*)[3])x, &closest);
  return sqrt(closest.square);
}

// Distance of a point from the surfaces of all parts, m.
static double nearest_triangle(const struct dc_solid *solid, const double point[3])
{
  double nearest = INFINITY;
  for (int i = 0; i < solid->part_count; i++)
    for (int t = 0; t < solid->parts[i].triangle_count; t++)
      nearest = fmin(nearest, distance_to(&solid->parts[i], t, point));
  return nearest;
}

// Normal of a triangle with the length of twice its area.
static void area_of(const struct dc_convex *part, int t, double area[3])
{
  const int *corners = part->triangles[t];
  double first[3], second[3];
  dc_vec_sub(first, part->vertices[corners[1]], part->vertices[corners[0]]);
  dc_vec_sub(second, part->vertices[corners[2]], part->vertices[corners[0]]);
  dc_vec_cross(area, first, second);
}

// Triangles that are about as near as the nearest one count as around the point.  Where opposite sides cancel,
// as in a sheet without thickness, the normal is z.
double dc_solid_normal(const struct dc_solid *solid, const double point[3], double normal[3])
{
  double reach = nearest_triangle(solid, point) + DC_SOLID_BESIDE * solid->size, areas = 0;
  normal[0] = normal[1] = normal[2] = 0;
  for (int i = 0; i < solid->part_count; i++)
    for (int t = 0; t < solid->parts[i].triangle_count; t++) {
      double area[3];
      if (distance_to(&solid->parts[i], t, point) > reach)
        continue;
      area_of(&solid->parts[i], t, area);
      dc_vec_add(normal, normal, area);
      areas += dc_vec_norm(area);
    }
  double length = dc_vec_norm(normal);
  if (length > 0)
    dc_vec_scale(normal, normal, 1 / length);
  else
    normal[2] = 1;  // opposite sides cancel
  double cosine = areas > 0 ? fmin(length / areas, 1) : 1;
  return sqrt(1 - cosine * cosine);
}

// Triangles without area have no normal, and normals that differ by rounding count once.
int dc_solid_normals(const struct dc_solid *solid, const double point[3], double beside, int most, double (*normals)[3])
{
  double reach = nearest_triangle(solid, point) + fmax(beside, DC_SOLID_BESIDE * solid->size);
  int count = 0;
  for (int i = 0; i < solid->part_count; i++)
    for (int t = 0; t < solid->parts[i].triangle_count && count < most; t++) {
      if (distance_to(&solid->parts[i], t, point) > reach)
        continue;
      double area[3], apart[3], length;
      area_of(&solid->parts[i], t, area);
      length = dc_vec_norm(area);
      bool known = !(length > 0);
      dc_vec_scale(area, area, known ? 0 : 1 / length);
      for (int k = 0; k < count && !known; k++) {
        dc_vec_sub(apart, area, normals[k]);
        known = dc_vec_dot(apart, apart) < DC_SOLID_SAME_NORMAL;
      }
      if (!known)
        dc_vec_copy(normals[count++], area);
    }
  return count;
}
