// SPDX-License-Identifier: Apache-2.0
// Simpler hulls and finer surfaces.
//
// dc_hull_simplify: a greedy hull of few corners.  It starts from corners that are extreme along the axes and adds, one
// by one, the corner that is highest above the hull so far; all corners are the hull's own, so that the result lies
// inside of it.
//
// dc_mesh_split_edges: passes that split long creases, flip diagonals within flat faces to shorter ones, and split the
// longest edges within flat faces, until no edge is longer than asked.
#include "geometry/mesh/mesh_simplify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/convex/hull_excess.h"
#include "geometry/convex/distance.h"
#include "geometry/convex/hull.h"
#include "math/vector.h"

static enum dc_status no_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "a simpler mesh");
}

// Finds the vertex of hull that is highest above the planes of inner, and its height; 0 when none is above any.
// The height above a convex hull is the largest of those above its planes: cheap, and enough to choose by.  It is no
// distance, since beside an edge the nearest point is not on that plane; find_deviation measures that in the end.
static double find_highest(const struct dc_mesh *hull, const struct dc_mesh *inner, int *highest)
{
  double most = 0, (*normals)[3] = dc_alloc((size_t)inner->triangle_count, sizeof *normals);
  for (int t = 0; t < inner->triangle_count && normals; t++)
    dc_unit_normal(inner, t, normals[t]);
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

// Largest distance of a vertex of hull from inner.
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
      dc_unit_normal(inner, t, normal);
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

// Chooses the corners of hull that are extreme along the axes.
// Up to six corners, fewer where one of them is extreme in several directions.
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

// The corner farthest from the plane of those chosen, or from their line.
static int farthest_from_plane(const struct dc_mesh *hull, const bool *chosen)
{
  double axes[2][3] = {{0}}, most = -1;
  const double *origin = NULL;
  int farthest = 0;
  // Each pass finds the corner that is farthest from the span of those before, the last one among all corners.
  for (int pass = 0; pass < 3; pass++, most = -1) {
    for (int v = 0; v < hull->vertex_count; v++) {
      double arm[3];
      if (pass < 2 && !chosen[v])
        continue;
      origin = origin ? origin : hull->vertices[v];
      dc_vec_sub(arm, hull->vertices[v], origin);
      for (int k = 0; k < pass; k++)
        dc_vec_add_scaled(arm, arm, -dc_vec_dot(arm, axes[k]), axes[k]);
      if (dc_vec_norm(arm) > most) {
        most = dc_vec_norm(arm);
        farthest = v;
        if (pass < 2)
          dc_vec_scale(axes[pass], arm, most > 0 ? 1 / most : 0);
      }
    }
  }
  return farthest;
}

static int collect(const struct dc_mesh *hull, const bool *chosen, double (*points)[3])
{
  int count = 0;
  for (int v = 0; v < hull->vertex_count; v++)
    if (chosen[v])
      dc_vec_copy(points[count++], hull->vertices[v]);
  return count;
}

// Adds corners to the hull one after the other, always the one that is highest above it.
// 1. The corners that are extreme along the axes begin.
// 2. Their hull is made anew in a scratch arena; the highest corner of the whole hull joins them.
// 3. It ends at the wanted number, or when no corner is left above the planes.
// 4. The hull of the chosen corners, in the caller's arena, replaces the old one, whose memory stays in its arena.
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
    bool planar = status == DC_BAD_INPUT && count < points;  // the first corners may lie in a plane
    double height = status ? 0 : find_highest(hull, &inner, &highest);
    dc_arena_destroy(scratch);
    if (planar) {
      status = DC_OK;
      highest = farthest_from_plane(hull, chosen);
    } else if (status == DC_MEMORY || height < 0) {
      status = no_memory(error);
    } else if (status) {
      dc_fail(error, status, "%s", flat.text);
    }
    if (status || highest < 0 || count == points)
      break;
    if (chosen[highest])  // above a plane by rounding only
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

// A surface whose triangles are being split.
struct splitting {
  double (*vertices)[3];         // [vertex_count], m
  int (*triangles)[3], *groups;  // [triangle_count] triangles, and the group of each
  size_t vertex_count, triangle_count, vertex_capacity, triangle_capacity, group_capacity;
};

// An edge of a triangle, by its ends low < high.
struct edge {
  int low, high, triangle, corner;  // corner: where it begins in the triangle
  double square;
};

static int compare_edges(const void *a, const void *b)
{
  const struct edge *first = a, *second = b;
  if (first->low != second->low)
    return first->low < second->low ? -1 : 1;
  if (first->high != second->high)
    return first->high < second->high ? -1 : 1;
  return (first->triangle > second->triangle) - (first->triangle < second->triangle);
}

// The edge that begins at corner k of a triangle, with its ends in rising order and its squared length, m^2.
static struct edge edge_of(const struct splitting *s, int triangle, int k)
{
  int a = s->triangles[triangle][k], b = s->triangles[triangle][(k + 1) % 3];
  struct edge edge = {a < b ? a : b, a < b ? b : a, triangle, k, 0};
  double d[3];
  dc_vec_sub(d, s->vertices[edge.high], s->vertices[edge.low]);
  edge.square = dc_vec_dot(d, d);
  return edge;
}

// Lists all edges longer than longest, each with both of its triangles as neighbouring entries; *count: number of
// entries.
static void find_edges(const struct splitting *s, double longest, struct edge *edges, size_t *count)
{
  *count = 0;
  for (size_t t = 0; t < s->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      edges[*count] = edge_of(s, (int)t, k);
      *count += edges[*count].square > longest * longest;
    }
  qsort(edges, *count, sizeof *edges, compare_edges);
}

// Normal of corners a, b, c, with the length of twice the area.
static void area_normal(const struct splitting *s, int a, int b, int c, double normal[3])
{
  double u[3], v[3];
  dc_vec_sub(u, s->vertices[b], s->vertices[a]);
  dc_vec_sub(v, s->vertices[c], s->vertices[a]);
  dc_vec_cross(normal, u, v);
}

// The corner of an edge's triangle that is not on the edge.
static int opposite(const struct splitting *s, const struct edge *edge)
{
  return s->triangles[edge->triangle][(edge->corner + 2) % 3];
}

// Whether the triangles on both sides of an edge are coplanar, up to rounding of corners in single precision, 6e-8.
static bool is_flat(const struct splitting *s, const struct edge *one, const struct edge *two)
{
  double n[3], m[3], across[3];
  const int *a = s->triangles[one->triangle], *b = s->triangles[two->triangle];
  area_normal(s, a[0], a[1], a[2], n);
  area_normal(s, b[0], b[1], b[2], m);
  dc_vec_cross(across, n, m);
  return dc_vec_dot(n, m) > 0 && dc_vec_norm(across) < 1e-7 * dc_vec_norm(n) * dc_vec_norm(m);
}

// Halves a triangle at the middle of the edge that begins at its corner k.
static void halve(struct splitting *s, int triangle, int k, int middle)
{
  int *corner = s->triangles[triangle], *added = s->triangles[s->triangle_count];
  added[0] = middle;
  added[1] = corner[(k + 1) % 3];
  added[2] = corner[(k + 2) % 3];
  corner[(k + 1) % 3] = middle;
  s->groups[s->triangle_count++] = s->groups[triangle];
}

// Room for `more` new vertices, each of which halves two triangles; false when out of memory.
static bool make_room(struct splitting *s, size_t more)
{
  return !dc_grow(&s->vertices, &s->vertex_capacity, s->vertex_count + more, sizeof *s->vertices) &&
         !dc_grow(&s->triangles, &s->triangle_capacity, s->triangle_count + 2 * more, sizeof *s->triangles) &&
         !dc_grow(&s->groups, &s->group_capacity, s->triangle_count + 2 * more, sizeof *s->groups);
}

// Splits edges in order, at most one per triangle: creases, or, when no crease is long, the longest edges within flat
// faces.  Slivers of a flat face are split along its border only and then rejoined (flip_edges); otherwise every
// halving of a sliver would make three of it.
static size_t split_edges(struct splitting *s, bool creases, const struct edge *edges, size_t count, bool *touched)
{
  size_t done = 0;
  for (size_t i = 0; i + 1 < count; i += 2) {
    const struct edge *one = &edges[i], *two = &edges[i + 1];
    if (touched[one->triangle] || touched[two->triangle] || is_flat(s, one, two) == creases)
      continue;
    const double *a = s->vertices[one->low], *b = s->vertices[one->high];
    for (int k = 0; k < 3; k++)
      s->vertices[s->vertex_count][k] = 0.5 * (a[k] + b[k]);
    touched[one->triangle] = touched[two->triangle] = true;
    halve(s, one->triangle, one->corner, (int)s->vertex_count);
    halve(s, two->triangle, two->corner, (int)s->vertex_count);
    s->vertex_count++;
    done++;
  }
  return done;
}

// Rejoins two triangles of a flat face by the other diagonal where that is shorter and inside; each triangle at most
// once.
// A new diagonal must be shorter by 1 % at least, or rounding could flip two diagonals of equal length for ever.  Both
// new triangles must keep the normal and a millionth of the area, which tells that the quadrangle is convex.
static size_t flip_edges(struct splitting *s, const struct edge *edges, size_t count, bool *touched)
{
  size_t done = 0;
  for (size_t i = 0; i + 1 < count; i += 2) {
    const struct edge *one = &edges[i], *two = &edges[i + 1];
    if (touched[one->triangle] || touched[two->triangle] || !is_flat(s, one, two))
      continue;
    int a = s->triangles[one->triangle][one->corner], b = s->triangles[one->triangle][(one->corner + 1) % 3];
    int c = opposite(s, one), d = opposite(s, two);
    double diagonal[3], n[3], first[3], second[3];
    dc_vec_sub(diagonal, s->vertices[d], s->vertices[c]);
    area_normal(s, a, b, c, n);
    area_normal(s, a, d, c, first);
    area_normal(s, d, b, c, second);
    double least = 1e-6 * dc_vec_dot(n, n);
    if (dc_vec_dot(diagonal, diagonal) > 0.98 * one->square || dc_vec_dot(n, first) < least ||
        dc_vec_dot(n, second) < least)
      continue;
    const int left[3] = {a, d, c}, right[3] = {d, b, c};
    memcpy(s->triangles[one->triangle], left, sizeof left);
    memcpy(s->triangles[two->triangle], right, sizeof right);
    touched[one->triangle] = touched[two->triangle] = true;
    done++;
  }
  return done;
}

// Sorts edges by length, the longest first; ties by their ends.
static int compare_pairs(const void *a, const void *b)
{
  const struct edge *first = a, *second = b;
  if (first->square != second->square)
    return first->square > second->square ? -1 : 1;
  return compare_edges(a, b);
}

// One pass of splitting or flipping; *done: number of edges changed.
enum pass { CREASES, FLIPS, FLATS };
// One pass over all edges: splits long ones on creases (CREASES) or in flat places (FLATS), or flips edges between them
// (FLIPS).
static enum dc_status pass_over(struct splitting *s, enum pass pass, double longest, size_t *done,
                                struct dc_error *error)
{
  size_t count = 0, room = 3 * s->triangle_count + 1;
  struct edge *edges = dc_alloc(room, sizeof *edges);
  bool *touched = dc_alloc(room, sizeof *touched);
  enum dc_status status = edges && touched && make_room(s, room) ? DC_OK : no_memory(error);
  if (!status && s->triangle_count > DC_MESH_TRIANGLES_MAX / 4)
    status = dc_fail(error, DC_BAD_INPUT, "edges of at most %g m would make more than %d triangles", longest,
                     DC_MESH_TRIANGLES_MAX / 4);
  if (!status) {
    find_edges(s, longest, edges, &count);
    qsort(edges, count / 2, 2 * sizeof *edges, compare_pairs);
    *done =
        pass == FLIPS ? flip_edges(s, edges, count, touched) : split_edges(s, pass == CREASES, edges, count, touched);
  }
  free(edges);
  free(touched);
  return status;
}

// Copies the mesh into the arrays that grow.
static bool begin(struct splitting *s, const struct dc_mesh *mesh)
{
  int group = 0;
  if (!make_room(s, (size_t)mesh->triangle_count + (size_t)mesh->vertex_count))
    return false;
  memcpy(s->vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *s->vertices);
  memcpy(s->triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *s->triangles);
  for (int t = 0; t < mesh->triangle_count; t++) {
    while (group + 1 < mesh->group_count && mesh->group_start[group + 1] <= t)
      group++;
    s->groups[t] = group;
  }
  s->vertex_count = (size_t)mesh->vertex_count;
  s->triangle_count = (size_t)mesh->triangle_count;
  return true;
}

// Writes the resulting mesh, group after group.
static enum dc_status finish(const struct splitting *s, struct dc_arena *arena, struct dc_mesh *mesh,
                             struct dc_error *error)
{
  int groups = mesh->group_count ? mesh->group_count : 1,
      *start = dc_arena_alloc(arena, (size_t)groups + 2, sizeof *start);
  mesh->vertices = dc_arena_alloc(arena, s->vertex_count, sizeof *mesh->vertices);
  mesh->triangles = dc_arena_alloc(arena, s->triangle_count, sizeof *mesh->triangles);
  if (!start || !mesh->vertices || !mesh->triangles)
    return no_memory(error);
  memcpy(mesh->vertices, s->vertices, s->vertex_count * sizeof *s->vertices);
  for (size_t t = 0; t < s->triangle_count; t++)
    start[s->groups[t] + 2]++;
  for (int g = 0; g < groups; g++)
    start[g + 2] += start[g + 1];
  for (size_t t = 0; t < s->triangle_count; t++)
    memcpy(mesh->triangles[start[s->groups[t] + 1]++], s->triangles[t], sizeof *s->triangles);
  mesh->vertex_count = (int)s->vertex_count;
  mesh->triangle_count = (int)s->triangle_count;
  mesh->group_start = mesh->group_count ? start : NULL;
  return DC_OK;
}

// Repeats passes: creases until none is too long, then flips, then flat places, after which creases come again; ends
// when flat places have nothing left.
enum dc_status dc_mesh_split_edges(struct dc_mesh *mesh, double longest, struct dc_arena *arena, struct dc_error *error)
{
  struct splitting s = {0};
  enum pass pass = CREASES;
  enum dc_status status = begin(&s, mesh) ? DC_OK : no_memory(error);
  for (;;) {
    size_t done = 0;
    status = status ? status : pass_over(&s, pass, longest, &done, error);
    if (status || (!done && pass == FLATS))
      break;
    if (!done)
      pass++;
    else if (pass == FLATS)
      pass = CREASES;
  }
  if (!status && s.triangle_count > (size_t)mesh->triangle_count)
    status = finish(&s, arena, mesh, error);
  free(s.vertices);
  free(s.triangles);
  free(s.groups);
  return status;
}
