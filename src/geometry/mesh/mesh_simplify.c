// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/mesh_simplify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/convex/distance.h"
#include "geometry/convex/hull.h"
#include "math/vector.h"

static enum dc_status no_memory(struct dc_error *error)
{
  return dc_fail(error, DC_MEMORY, "out of memory for a simpler mesh");
}

static void normal_of(const struct dc_mesh *mesh, int triangle, double normal[3])
{
  const int *corner = mesh->triangles[triangle];
  double u[3], v[3];
  dc_vec_sub(u, mesh->vertices[corner[1]], mesh->vertices[corner[0]]);
  dc_vec_sub(v, mesh->vertices[corner[2]], mesh->vertices[corner[0]]);
  dc_vec_cross(normal, u, v);
  dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
}

// The vertex of hull that is highest above the planes of inner, and its height; 0 when none is above any.
static double find_highest(const struct dc_mesh *hull, const struct dc_mesh *inner, int *highest)
{
  double most = 0, (*normals)[3] = dc_alloc((size_t)inner->triangle_count, sizeof *normals);
  for (int t = 0; t < inner->triangle_count && normals; t++)
    normal_of(inner, t, normals[t]);
  for (int v = 0; v < hull->vertex_count && normals; v++)
    for (int t = 0; t < inner->triangle_count; t++) {
      double d[3];
      dc_vec_sub(d, hull->vertices[v], inner->vertices[inner->triangles[t][0]]);
      double height = dc_vec_dot(d, normals[t]);
      if (height > most) {
        most = height;
        *highest = v;
      }
    }
  free(normals);
  return normals ? most : -1;
}

// How far the vertices of hull are from inner at most.
static double find_deviation(const struct dc_mesh *hull, const struct dc_mesh *inner)
{
  double most = 0;
  for (int v = 0; v < hull->vertex_count; v++) {
    double least = INFINITY, x[4][3];
    bool outside = false;
    dc_vec_copy(x[0], hull->vertices[v]);
    for (int t = 0; t < inner->triangle_count; t++) {
      struct dc_closest closest;
      double normal[3], d[3];
      for (int k = 0; k < 3; k++)
        dc_vec_copy(x[1 + k], inner->vertices[inner->triangles[t][k]]);
      normal_of(inner, t, normal);
      dc_vec_sub(d, x[0], x[1]);
      outside |= dc_vec_dot(d, normal) > 0;
      dc_closest_point_triangle((const double(*)[3])x, &closest);
      least = fmin(least, closest.square);
    }
    if (outside)
      most = fmax(most, sqrt(least));
  }
  return most;
}

// Corners of hull that are farthest along the axes.
static void choose_first(const struct dc_mesh *hull, bool *chosen)
{
  for (int side = 0; side < 6; side++) {
    double sign = side < 3 ? 1 : -1, most = -INFINITY;
    int best = 0;
    for (int v = 0; v < hull->vertex_count; v++)
      if (sign * hull->vertices[v][side % 3] > most) {
        most = sign * hull->vertices[v][side % 3];
        best = v;
      }
    chosen[best] = true;
  }
}

static int collect(const struct dc_mesh *hull, const bool *chosen, double (*points)[3])
{
  int count = 0;
  for (int v = 0; v < hull->vertex_count; v++)
    if (chosen[v])
      dc_vec_copy(points[count++], hull->vertices[v]);
  return count;
}

// The greedy way: the hull of few corners, and to it, one after the other, the corner that stands out most.
enum dc_status dc_hull_simplify(struct dc_mesh *hull, int points, struct dc_arena *arena, double *deviation,
                                struct dc_error *error)
{
  *deviation = 0;
  if (hull->vertex_count <= points)
    return DC_OK;
  bool *chosen = dc_alloc((size_t)hull->vertex_count, sizeof *chosen);
  double(*corners)[3] = dc_alloc((size_t)hull->vertex_count, sizeof *corners);
  struct dc_mesh inner = {0};
  enum dc_status status = chosen && corners ? DC_OK : no_memory(error);
  if (!status)
    choose_first(hull, chosen);
  while (!status) {
    int count = collect(hull, chosen, corners), highest = -1;
    struct dc_arena *scratch = dc_arena_create();
    struct dc_error flat = {0};
    status = scratch ? dc_hull((const double(*)[3])corners, count, scratch, &inner, &flat) : DC_MEMORY;
    bool planar = status == DC_BAD_INPUT && count < points;  // the first corners may lie in a plane: take one more
    double height = status ? 0 : find_highest(hull, &inner, &highest);
    dc_arena_destroy(scratch);
    if (planar) {
      status = DC_OK;
      for (highest = 0; chosen[highest]; highest++)
        ;
    } else if (status || height < 0) {
      status = no_memory(error);
    }
    if (status || highest < 0 || count == points)
      break;
    if (chosen[highest])  // above a plane by rounding
      break;
    chosen[highest] = true;
  }
  if (!status)
    status = dc_hull((const double(*)[3])corners, collect(hull, chosen, corners), arena, &inner, error);
  if (!status) {
    *deviation = find_deviation(hull, &inner);
    *hull = inner;
  }
  free(chosen);
  free(corners);
  return status;
}

// The middle of a long edge, by its ends low < high; -1: not yet made.
struct middle {
  int low, high, vertex;
};

static int compare_middles(const void *a, const void *b)
{
  const struct middle *first = a, *second = b;
  if (first->low != second->low)
    return first->low < second->low ? -1 : 1;
  return (first->high > second->high) - (first->high < second->high);
}

static bool is_long(const struct dc_mesh *mesh, int a, int b, double longest)
{
  double d[3];
  dc_vec_sub(d, mesh->vertices[b], mesh->vertices[a]);
  return dc_vec_norm(d) > longest;
}

// The long edges in order, once each; *count.  NULL: out of memory.
static struct middle *find_long(const struct dc_mesh *mesh, double longest, int *count)
{
  struct middle *middles = dc_alloc(3 * (size_t)mesh->triangle_count + 1, sizeof *middles);
  size_t found = 0;
  *count = 0;
  for (int t = 0; t < mesh->triangle_count && middles; t++)
    for (int k = 0; k < 3; k++) {
      int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3];
      if (is_long(mesh, a, b, longest))
        middles[found++] = (struct middle){a < b ? a : b, a < b ? b : a, -1};
    }
  if (middles)
    qsort(middles, found, sizeof *middles, compare_middles);
  for (size_t i = 0; i < found; i++)
    if (!*count || compare_middles(&middles[*count - 1], &middles[i]) != 0)
      middles[(*count)++] = middles[i];
  return middles;
}

static int middle_of(const struct middle *middles, int count, int a, int b)
{
  const struct middle wanted = {a < b ? a : b, a < b ? b : a, -1};
  const struct middle *found = bsearch(&wanted, middles, (size_t)count, sizeof *middles, compare_middles);
  return found ? found->vertex : -1;
}

static double square(const struct dc_mesh *mesh, int a, int b)
{
  double d[3];
  dc_vec_sub(d, mesh->vertices[b], mesh->vertices[a]);
  return dc_vec_dot(d, d);
}

static void add(int (*triangles)[3], int *count, int a, int b, int c)
{
  const int corners[3] = {a, b, c};
  memcpy(triangles[(*count)++], corners, sizeof corners);
}

// Triangle t by the middles m of its edges (m[k] of the one from corner k), into 1 to 4.
static void split(const struct dc_mesh *mesh, const int *corner, const int m[3], int (*triangles)[3], int *count)
{
  int long_edges = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0), k = 0;
  if (long_edges == 0) {
    add(triangles, count, corner[0], corner[1], corner[2]);
  } else if (long_edges == 3) {
    for (int i = 0; i < 3; i++)
      add(triangles, count, corner[i], m[i], m[(i + 2) % 3]);
    add(triangles, count, m[0], m[1], m[2]);
  } else if (long_edges == 1) {
    while (m[k] < 0)
      k++;
    int a = corner[k], b = corner[(k + 1) % 3], c = corner[(k + 2) % 3];
    add(triangles, count, a, m[k], c);
    add(triangles, count, m[k], b, c);
  } else {
    while (m[k] >= 0)
      k++;  // the short edge is a b; c lies between the middles
    int a = corner[k], b = corner[(k + 1) % 3], c = corner[(k + 2) % 3], p = m[(k + 1) % 3], q = m[(k + 2) % 3];
    add(triangles, count, p, c, q);
    if (square(mesh, a, p) <= square(mesh, b, q)) {
      add(triangles, count, a, b, p);
      add(triangles, count, a, p, q);
    } else {
      add(triangles, count, a, b, q);
      add(triangles, count, b, p, q);
    }
  }
}

// One pass over all triangles, into *next, whose arrays are owned by arena.
static enum dc_status split_once(const struct dc_mesh *mesh, struct middle *middles, int count, struct dc_arena *arena,
                                 struct dc_mesh *next, struct dc_error *error)
{
  size_t vertices = (size_t)mesh->vertex_count + (size_t)count, triangles = 4 * (size_t)mesh->triangle_count;
  int *start = dc_arena_alloc(arena, (size_t)mesh->group_count + 1, sizeof *start), group = 0;
  *next = (struct dc_mesh){
      .vertex_count = mesh->vertex_count, .group_count = mesh->group_count, .deviation = mesh->deviation};
  next->vertices = dc_arena_alloc(arena, vertices, sizeof *next->vertices);
  next->triangles = dc_arena_alloc(arena, triangles, sizeof *next->triangles);
  if (!start || !next->vertices || !next->triangles)
    return no_memory(error);
  memcpy(next->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
  for (int i = 0; i < count; i++) {
    const double *a = mesh->vertices[middles[i].low], *b = mesh->vertices[middles[i].high];
    middles[i].vertex = next->vertex_count;
    for (int k = 0; k < 3; k++)
      next->vertices[next->vertex_count][k] = 0.5 * (a[k] + b[k]);
    next->vertex_count++;
  }
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *corner = mesh->triangles[t];
    int m[3];
    while (group < mesh->group_count && mesh->group_start[group] == t)
      start[group++] = next->triangle_count;
    for (int k = 0; k < 3; k++)
      m[k] = middle_of(middles, count, corner[k], corner[(k + 1) % 3]);
    split(next, corner, m, next->triangles, &next->triangle_count);
  }
  start[mesh->group_count] = next->triangle_count;
  next->group_start = mesh->group_start ? start : NULL;
  return DC_OK;
}

enum dc_status dc_mesh_split_edges(struct dc_mesh *mesh, double longest, struct dc_arena *arena, struct dc_error *error)
{
  for (;;) {
    int count;
    struct dc_mesh next;
    struct middle *middles = find_long(mesh, longest, &count);
    if (!middles || !count) {
      free(middles);
      return middles ? DC_OK : no_memory(error);
    }
    enum dc_status status =
        mesh->triangle_count > DC_MESH_TRIANGLES_MAX / 4
            ? dc_fail(error, DC_BAD_INPUT, "edges of at most %g m would make more than %d triangles", longest,
                      DC_MESH_TRIANGLES_MAX)
            : split_once(mesh, middles, count, arena, &next, error);
    free(middles);
    if (status)
      return status;
    *mesh = next;
  }
}
