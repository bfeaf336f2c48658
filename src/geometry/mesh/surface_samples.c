// SPDX-License-Identifier: Apache-2.0
// Random points on the surface of a union of convex parts, with normals, ordered in blocks of neighbours.
//
// 1. Planes, areas and vertex normals of all parts.
// 2. Vertices in random order, then points uniform by area; each is kept if it lies on the surface of the union.
// 3. Recursive halving along the longest side puts neighbours together; a sphere encloses each block.
#include "geometry/mesh/surface_samples.h"

#include <stdlib.h>

#include "base/random.h"
#include "geometry/mesh/constants.h"
#include "math/vector.h"

// Random points tried for each one wanted, before fewer are accepted.
enum { TRIES = 64 };

struct plane {
  double normal[3], offset;  // height of p: normal.p - offset
};

struct sample {
  double point[3], normal[3];
  int part, vertex;  // the part it is on; the vertex of that, -1: on a triangle
  int number;        // in the order of drawing
};

// Temporary data while samples are made.
struct maker {
  const struct dc_solid *solid;
  int triangle_count, vertex_count;  // of all parts
  int *first_triangle;               // [part_count + 1]
  struct plane *planes;              // [triangle_count]
  double *area;                      // [triangle_count] running sum of areas, m^2
  int *vertex_part, *vertex_index;   // [vertex_count] all vertices
  double (*vertex_normal)[3];        // [vertex_count]
  struct dc_random random;
  int count;  // of samples
  struct sample *samples;
};

static void release(struct maker *maker)
{
  free(maker->first_triangle);
  free(maker->planes);
  free(maker->area);
  free(maker->vertex_part);
  free(maker->vertex_index);
  free(maker->vertex_normal);
  free(maker->samples);
}

// Computes planes and areas of the triangles, and normals of the vertices, of one part.
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

// Planes and areas of all triangles, counts, and the random numbers.
static enum dc_status prepare(struct maker *maker, const struct dc_solid *solid, int count, uint64_t seed,
                              struct dc_error *error)
{
  *maker = (struct maker){.solid = solid};
  dc_random_seed(&maker->random, seed);
  maker->first_triangle = dc_alloc((size_t)solid->part_count + 1, sizeof *maker->first_triangle);
  if (!maker->first_triangle)
    return dc_out_of_memory_for(error, "surface samples");
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
  maker->samples = dc_alloc((size_t)count, sizeof *maker->samples);
  if (!maker->samples || !maker->planes || !maker->area || !maker->vertex_part || !maker->vertex_index ||
      !maker->vertex_normal)
    return dc_out_of_memory_for(error, "surface samples");
  double total = 0;
  int first_vertex = 0;
  for (int i = 0; i < solid->part_count; i++) {
    measure_part(maker, i, first_vertex, &total);
    first_vertex += solid->parts[i].vertex_count;
  }
  return DC_OK;
}

// Largest height of point above the planes of a part; *top: that plane.
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

// Whether a part has a vertex at a point, within tolerance, m: of vertices at one place only the first part's counts.
static bool has_vertex_at(const struct dc_convex *part, const double point[3], double tolerance)
{
  for (int v = 0; v < part->vertex_count; v++)
    if (dc_vec_distance(part->vertices[v], point) <= tolerance)
      return true;
  return false;
}

// Whether a surface point of a part, with its normal, is on the surface of the union and no copy of a point of an
// earlier part.
static bool is_on_union(const struct maker *maker, int part, bool vertex, const double point[3], const double normal[3])
{
  const struct dc_solid *solid = maker->solid;
  double tolerance = DC_SAMPLE_TOLERANCE * solid->size, step = DC_SAMPLE_STEP * solid->size, moved[3];
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

// vertex -1: the point is on a triangle.  Normals are unit vectors outwards.
static void add_sample(struct maker *maker, int part, int vertex, const double point[3], const double normal[3])
{
  struct sample *sample = &maker->samples[maker->count];
  *sample = (struct sample){.part = part, .vertex = vertex, .number = maker->count++};
  dc_vec_copy(sample->point, point);
  dc_vec_copy(sample->normal, normal);
}

// Adds vertices in random order, up to `most`.
// The shuffle is that of Fisher and Yates: each vertex is drawn from those that are left.
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
    if (is_on_union(maker, part, true, point, normal))
      add_sample(maker, part, vertex, point, normal);
  }
}

// Adds points uniform by area: a triangle by bisection of the running sums, then a point in it (Osada et al. 2002,
// section 3.1).
// Two uniform numbers u and v make weights 1 - sqrt u, sqrt u (1 - v) and sqrt u v of the corners: the root makes up
// for the lines parallel to a side, which grow longer away from the first corner.  Points within other parts are drawn
// again, which keeps the density uniform on the surface of the union, up to TRIES draws a point.
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
      add_sample(maker, part, -1, point, normal);
  }
}

// The order of drawing breaks ties, so that the result does not depend on qsort.
static int compare_along(const struct sample *a, const struct sample *b, int axis)
{
  if (a->point[axis] != b->point[axis])
    return a->point[axis] < b->point[axis] ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static int compare_x(const void *a, const void *b)
{
  return compare_along(a, b, 0);
}

static int compare_y(const void *a, const void *b)
{
  return compare_along(a, b, 1);
}

static int compare_z(const void *a, const void *b)
{
  return compare_along(a, b, 2);
}

// Orders neighbours together: halves by the longest side of the bounding box until a block is left.
// The first half is a whole number of blocks, so that no block lies in two halves.  It recurses into the first half and
// loops over the second, and the depth is the logarithm of the number of blocks.
static void order(struct sample *samples, int count)
{
  while (count > DC_SURFACE_BLOCK) {
    double lower[3], upper[3];
    dc_vec_copy(lower, samples[0].point);
    dc_vec_copy(upper, samples[0].point);
    for (int i = 1; i < count; i++)
      for (int k = 0; k < 3; k++) {
        lower[k] = fmin(lower[k], samples[i].point[k]);
        upper[k] = fmax(upper[k], samples[i].point[k]);
      }
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    int axis = 0;
    for (int k = 1; k < 3; k++)
      if (upper[k] - lower[k] > upper[axis] - lower[axis])
        axis = k;
    qsort(samples, (size_t)count, sizeof *samples, compare[axis]);
    int half = (count / 2 + DC_SURFACE_BLOCK - 1) / DC_SURFACE_BLOCK * DC_SURFACE_BLOCK;
    order(samples, half);
    samples += half;
    count -= half;
  }
}

// Writes the arrays; a sphere around the middle of its bounding box encloses each block.
// The last block is filled by copies of the last sample, which change neither spheres nor the least of distances.
// Radii are raised by 1e-14 of themselves, which covers the rounding of the root and of differences.
static enum dc_status arrange(const struct maker *maker, int vertices, struct dc_arena *arena,
                              struct dc_surface_samples *samples, struct dc_error *error)
{
  int count = maker->count, blocks = (count + DC_SURFACE_BLOCK - 1) / DC_SURFACE_BLOCK,
      padded = blocks * DC_SURFACE_BLOCK;
  double *arrays[6], *spheres[4];
  int *vertex_part = dc_arena_alloc(arena, (size_t)vertices, sizeof *vertex_part);
  int *vertex_index = dc_arena_alloc(arena, (size_t)vertices, sizeof *vertex_index);
  bool good = vertex_part && vertex_index;
  for (int k = 0; k < 6; k++)
    good = (arrays[k] = dc_arena_alloc(arena, (size_t)padded, sizeof(double))) && good;
  for (int k = 0; k < 4; k++)
    good = (spheres[k] = dc_arena_alloc(arena, (size_t)blocks, sizeof(double))) && good;
  if (!good)
    return dc_out_of_memory_for(error, "surface samples");
  for (int i = 0; i < padded; i++) {
    const struct sample *sample = &maker->samples[i < count ? i : count - 1];
    for (int k = 0; k < 3; k++) {
      arrays[k][i] = sample->point[k];
      arrays[3 + k][i] = sample->normal[k];
    }
    if (i < vertices) {
      vertex_part[i] = sample->part;
      vertex_index[i] = sample->vertex;
    }
  }
  for (int b = 0; b < blocks; b++) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
      const double *values = arrays[k] + b * DC_SURFACE_BLOCK;
      double lower = values[0], upper = values[0];
      for (int i = 1; i < DC_SURFACE_BLOCK; i++) {
        lower = fmin(lower, values[i]);
        upper = fmax(upper, values[i]);
      }
      spheres[k][b] = (lower + upper) / 2;
    }
    for (int i = b * DC_SURFACE_BLOCK; i < (b + 1) * DC_SURFACE_BLOCK; i++) {
      double r[3] = {arrays[0][i] - spheres[0][b], arrays[1][i] - spheres[1][b], arrays[2][i] - spheres[2][b]};
      square = fmax(square, dc_vec_dot(r, r));
    }
    spheres[3][b] = sqrt(square) * (1 + 1e-14);
  }
  *samples = (struct dc_surface_samples){
      .count = count,
      .x = arrays[0],
      .y = arrays[1],
      .z = arrays[2],
      .normal_x = arrays[3],
      .normal_y = arrays[4],
      .normal_z = arrays[5],
      .block_count = blocks,
      .block_x = spheres[0],
      .block_y = spheres[1],
      .block_z = spheres[2],
      .block_radius = spheres[3],
      .vertex_count = vertices,
      .vertex_part = vertex_part,
      .vertex_index = vertex_index,
  };
  return DC_OK;
}

// At most half of the samples are vertices, the rest points on triangles; each kind is put in blocks of neighbours.
enum dc_status dc_surface_samples_create(const struct dc_solid *solid, int count, uint64_t seed, struct dc_arena *arena,
                                         struct dc_surface_samples *samples, struct dc_error *error)
{
  *samples = (struct dc_surface_samples){0};
  if (count < 1 || count > DC_SURFACE_SAMPLES_MOST)
    return dc_fail(error, DC_USAGE, "surface samples: count must be in [1, %d] (is %d)", DC_SURFACE_SAMPLES_MOST,
                   count);
  struct maker maker;
  enum dc_status status = prepare(&maker, solid, count, seed, error);
  if (!status) {
    add_vertices(&maker, count / 2);
    int vertices = maker.count;
    add_points(&maker, count);
    order(maker.samples, vertices);
    order(maker.samples + vertices, maker.count - vertices);
    status = arrange(&maker, vertices, arena, samples, error);
  }
  release(&maker);
  return status;
}
