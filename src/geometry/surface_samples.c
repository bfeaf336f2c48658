// SPDX-License-Identifier: Apache-2.0
#include "geometry/surface_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/vector.h"

// A point is moved outwards by this part of the solid's size before it is looked for in other parts: faces of parts
// that lie on each other are inside then.  Parts are convex to 1e-6 of their size.
static const double STEP = 1e-5;
static const double TOLERANCE = 2e-6;

// Random points tried for each one wanted, before fewer are accepted.
enum { TRIES = 64 };

struct plane {
  double normal[3], offset;  // height of p: normal.p - offset
};

// What is needed while samples are made.
struct maker {
  const struct dc_solid *solid;
  int triangle_count, vertex_count;  // of all parts
  int *first_triangle;               // [part_count + 1]
  struct plane *planes;              // [triangle_count]
  double *area;                      // [triangle_count] of it and all before it, m^2
  int *vertex_part, *vertex_index;   // [vertex_count] all vertices
  double (*vertex_normal)[3];        // [vertex_count]
  struct dc_random random;
  // what is filled, with room for count
  int count;
  double *x, *y, *z, *normal_x, *normal_y, *normal_z;
};

static void release(struct maker *maker)
{
  free(maker->first_triangle);
  free(maker->planes);
  free(maker->area);
  free(maker->vertex_part);
  free(maker->vertex_index);
  free(maker->vertex_normal);
}

// Planes and areas of the triangles, normals of the vertices of part `part`.
static void measure_part(struct maker *maker, int part, int first_vertex, double *total)
{
  const struct dc_convex *convex = &maker->solid->parts[part];
  for (int t = 0; t < convex->triangle_count; t++) {
    const int *corner = convex->triangles[t];
    double ab[3], ac[3], n[3];
    dc_vec_sub(ab, convex->vertices[corner[1]], convex->vertices[corner[0]]);
    dc_vec_sub(ac, convex->vertices[corner[2]], convex->vertices[corner[0]]);
    dc_vec_cross(n, ab, ac);
    for (int k = 0; k < 3; k++)
      dc_vec_add(maker->vertex_normal[first_vertex + corner[k]], maker->vertex_normal[first_vertex + corner[k]], n);
    double length = dc_vec_norm(n);
    struct plane *plane = &maker->planes[maker->first_triangle[part] + t];
    dc_vec_scale(plane->normal, n, length > 0 ? 1 / length : 0);
    plane->offset = dc_vec_dot(plane->normal, convex->vertices[corner[0]]);
    *total += length / 2;
    maker->area[maker->first_triangle[part] + t] = *total;
  }
  for (int v = 0; v < convex->vertex_count; v++) {
    double *n = maker->vertex_normal[first_vertex + v], length = dc_vec_norm(n);
    dc_vec_scale(n, n, length > 0 ? 1 / length : 0);
    maker->vertex_part[first_vertex + v] = part;
    maker->vertex_index[first_vertex + v] = v;
  }
}

static enum dc_status prepare(struct maker *maker, const struct dc_solid *solid, uint64_t seed, struct dc_error *error)
{
  *maker = (struct maker){.solid = solid};
  dc_random_seed(&maker->random, seed);
  maker->first_triangle = dc_alloc((size_t)solid->part_count + 1, sizeof *maker->first_triangle);
  if (!maker->first_triangle)
    return dc_fail(error, DC_MEMORY, "out of memory for surface samples");
  for (int i = 0; i < solid->part_count; i++) {
    maker->vertex_count += solid->parts[i].vertex_count;
    maker->first_triangle[i + 1] = maker->triangle_count += solid->parts[i].triangle_count;
  }
  size_t triangles = (size_t)maker->triangle_count, vertices = (size_t)maker->vertex_count;
  maker->planes = dc_alloc(triangles, sizeof *maker->planes);
  maker->area = dc_alloc(triangles, sizeof *maker->area);
  maker->vertex_part = dc_alloc(vertices, sizeof *maker->vertex_part);
  maker->vertex_index = dc_alloc(vertices, sizeof *maker->vertex_index);
  maker->vertex_normal = dc_alloc(vertices, sizeof *maker->vertex_normal);
  if (!maker->planes || !maker->area || !maker->vertex_part || !maker->vertex_index || !maker->vertex_normal)
    return dc_fail(error, DC_MEMORY, "out of memory for surface samples");
  double total = 0;
  int first_vertex = 0;
  for (int i = 0; i < solid->part_count; i++) {
    measure_part(maker, i, first_vertex, &total);
    first_vertex += solid->parts[i].vertex_count;
  }
  return DC_OK;
}

// Greatest height of point above the planes of a part; *top is the plane.
static double height(const struct maker *maker, int part, const double point[3], const struct plane **top)
{
  double best = -INFINITY;
  for (int t = maker->first_triangle[part]; t < maker->first_triangle[part + 1]; t++) {
    double h = dc_vec_dot(maker->planes[t].normal, point) - maker->planes[t].offset;
    if (h > best)
      best = h, *top = &maker->planes[t];
  }
  return best;
}

static bool has_vertex_at(const struct dc_convex *part, const double point[3], double tolerance)
{
  for (int v = 0; v < part->vertex_count; v++)
    if (dc_vec_distance(part->vertices[v], point) <= tolerance)
      return true;
  return false;
}

// True when a point of the surface of a part, with its normal, is on the surface of the union and is no second copy of
// a point of an earlier part.
static bool is_on_union(const struct maker *maker, int part, bool vertex, const double point[3], const double normal[3])
{
  const struct dc_solid *solid = maker->solid;
  double tolerance = TOLERANCE * solid->size, step = STEP * solid->size, moved[3];
  dc_vec_add_scaled(moved, point, step, normal);
  for (int i = 0; i < solid->part_count; i++) {
    const struct dc_convex *other = &solid->parts[i];
    if (i == part || dc_vec_distance(point, other->center) > other->radius + 2 * step)
      continue;
    const struct plane *top = NULL;
    if (height(maker, i, moved, &top) < -tolerance)
      return false;
    if (i > part || fabs(height(maker, i, point, &top)) > tolerance)
      continue;
    if (vertex ? has_vertex_at(other, point, tolerance) : dc_vec_dot(top->normal, normal) > 1 - 1e-6)
      return false;
  }
  return true;
}

static void add_sample(struct maker *maker, const double point[3], const double normal[3])
{
  int i = maker->count++;
  maker->x[i] = point[0], maker->y[i] = point[1], maker->z[i] = point[2];
  maker->normal_x[i] = normal[0], maker->normal_y[i] = normal[1], maker->normal_z[i] = normal[2];
}

// Takes vertices in random order until there are `most`; the lists vertex_part and vertex_index begin with the taken
// ones afterwards.
static void add_vertices(struct maker *maker, int most)
{
  for (int i = 0; i < maker->vertex_count && maker->count < most; i++) {
    int rest = maker->vertex_count - i, j = i + (int)(dc_random_uniform(&maker->random) * rest);
    int part = maker->vertex_part[j], vertex = maker->vertex_index[j];
    double normal[3];
    dc_vec_copy(normal, maker->vertex_normal[j]);
    maker->vertex_part[j] = maker->vertex_part[i];
    maker->vertex_index[j] = maker->vertex_index[i];
    dc_vec_copy(maker->vertex_normal[j], maker->vertex_normal[i]);
    const double *point = maker->solid->parts[part].vertices[vertex];
    if (!is_on_union(maker, part, true, point, normal))
      continue;
    maker->vertex_part[maker->count] = part;
    maker->vertex_index[maker->count] = vertex;
    add_sample(maker, point, normal);
  }
}

// Uniform by area: a triangle by bisection of the running sums, then a point of it (Osada et al. 2002, section 3.1).
static void add_points(struct maker *maker, int count)
{
  double total = maker->triangle_count ? maker->area[maker->triangle_count - 1] : 0;
  long tries = (long)TRIES * (count - maker->count);
  for (; total > 0 && maker->count < count && tries > 0; tries--) {
    double at = dc_random_uniform(&maker->random) * total;
    int low = 0, high = maker->triangle_count - 1;
    while (low < high) {
      int middle = (low + high) / 2;
      if (maker->area[middle] > at)
        high = middle;
      else
        low = middle + 1;
    }
    int part = 0;
    while (maker->first_triangle[part + 1] <= low)
      part++;
    const struct dc_convex *convex = &maker->solid->parts[part];
    const int *corner = convex->triangles[low - maker->first_triangle[part]];
    double root = sqrt(dc_random_uniform(&maker->random)), second = dc_random_uniform(&maker->random);
    double weight[3] = {1 - root, root * (1 - second), root * second}, point[3] = {0};
    for (int k = 0; k < 3; k++)
      dc_vec_add_scaled(point, point, weight[k], convex->vertices[corner[k]]);
    const double *normal = maker->planes[low].normal;
    if (is_on_union(maker, part, false, point, normal))
      add_sample(maker, point, normal);
  }
}

static enum dc_status fill(struct maker *maker, int count, struct dc_arena *arena, struct dc_surface_samples *samples,
                           struct dc_error *error)
{
  int padded = (count + 7) / 8 * 8;
  double **arrays[6] = {&maker->x, &maker->y, &maker->z, &maker->normal_x, &maker->normal_y, &maker->normal_z};
  for (int k = 0; k < 6; k++)
    if (!(*arrays[k] = dc_arena_alloc(arena, (size_t)padded, sizeof(double))))
      return dc_fail(error, DC_MEMORY, "out of memory for surface samples");
  add_vertices(maker, count / 2);
  int vertices = maker->count;
  int *vertex_part = dc_arena_alloc(arena, (size_t)vertices + 1, sizeof *vertex_part);
  int *vertex_index = dc_arena_alloc(arena, (size_t)vertices + 1, sizeof *vertex_index);
  if (!vertex_part || !vertex_index)
    return dc_fail(error, DC_MEMORY, "out of memory for surface samples");
  memcpy(vertex_part, maker->vertex_part, (size_t)vertices * sizeof *vertex_part);
  memcpy(vertex_index, maker->vertex_index, (size_t)vertices * sizeof *vertex_index);
  add_points(maker, count);
  for (int i = maker->count; i < padded && maker->count; i++)
    for (int k = 0; k < 6; k++)
      (*arrays[k])[i] = (*arrays[k])[maker->count - 1];
  *samples = (struct dc_surface_samples){
      .count = maker->count,
      .x = maker->x,
      .y = maker->y,
      .z = maker->z,
      .normal_x = maker->normal_x,
      .normal_y = maker->normal_y,
      .normal_z = maker->normal_z,
      .vertex_count = vertices,
      .vertex_part = vertex_part,
      .vertex_index = vertex_index,
  };
  return DC_OK;
}

enum dc_status dc_surface_samples_create(const struct dc_solid *solid, int count, uint64_t seed, struct dc_arena *arena,
                                         struct dc_surface_samples *samples, struct dc_error *error)
{
  *samples = (struct dc_surface_samples){0};
  if (count < 1 || count > DC_SURFACE_SAMPLES_MOST)
    return dc_fail(error, DC_USAGE, "surface samples: count must be in [1, %d] (is %d)", DC_SURFACE_SAMPLES_MOST,
                   count);
  struct maker maker;
  enum dc_status status = prepare(&maker, solid, seed, error);
  if (!status)
    status = fill(&maker, count, arena, samples, error);
  release(&maker);
  return status;
}
