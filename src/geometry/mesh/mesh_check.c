// SPDX-License-Identifier: Apache-2.0
// Checks of a closed surface in the order of mesh.h, the most fundamental first: indices, coordinates and size, areas,
// edges, volume, parts.  Uses of edges are sorted by their lower and then their higher vertex, so that all uses of one
// edge stand together; each rule that is broken is counted and its first place kept for the message.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/constants.h"
#include "geometry/mesh/mesh.h"
#include "math/vector.h"

// How often a rule is broken, and where first.
struct defect {
  long count;
  long first[2];
};

static void note(struct defect *defect, long a, long b)
{
  if (defect->count++ == 0) {
    defect->first[0] = a;
    defect->first[1] = b;
  }
}

// Comes first: all other checks use the indices.
static enum dc_status check_indices(const struct dc_mesh *mesh, struct dc_error *error)
{
  struct defect bad = {0};
  if (mesh->vertex_count <= 0 || mesh->triangle_count <= 0)
    return dc_fail(error, DC_BAD_INPUT, "empty mesh: %d vertices, %d triangles", mesh->vertex_count,
                   mesh->triangle_count);
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (mesh->triangles[t][k] < 0 || mesh->triangles[t][k] >= mesh->vertex_count)
        note(&bad, t, mesh->triangles[t][k]);
  if (bad.count)
    return dc_fail(error, DC_BAD_INPUT, "%ld vertex %s out of range (first: %ld in triangle %ld, with %d vertices)",
                   bad.count, bad.count == 1 ? "index" : "indices", bad.first[1], bad.first[0], mesh->vertex_count);
  return DC_OK;
}

// Also gives the diagonal of the bounding box.
static enum dc_status check_coordinates(const struct dc_mesh *mesh, double *size, struct dc_error *error)
{
  struct defect bad = {0};
  double lower[3], upper[3];
  dc_vec_copy(lower, mesh->vertices[0]);
  dc_vec_copy(upper, mesh->vertices[0]);
  for (int v = 0; v < mesh->vertex_count; v++) {
    bool good = true;
    for (int k = 0; k < 3; k++) {
      double coordinate = mesh->vertices[v][k];
      good = good && fabs(coordinate) <= DC_MESH_LARGEST_COORDINATE;  // false for NAN
      lower[k] = fmin(lower[k], coordinate);
      upper[k] = fmax(upper[k], coordinate);
    }
    if (!good)
      note(&bad, v, 0);
  }
  if (bad.count)
    return dc_fail(error, DC_BAD_INPUT, "%ld %s not finite or beyond %g m (first: %ld)", bad.count,
                   bad.count == 1 ? "vertex is" : "vertices are", DC_MESH_LARGEST_COORDINATE, bad.first[0]);
  *size = dc_vec_distance(upper, lower);
  if (*size < DC_MESH_SMALLEST_SIZE)
    return dc_fail(error, DC_BAD_INPUT, "the mesh must be at least %g m in size (is %g)", DC_MESH_SMALLEST_SIZE, *size);
  return DC_OK;
}

// Refuses triangles without area, up to rounding relative to the size of the mesh.
static enum dc_status check_areas(const struct dc_mesh *mesh, double size, struct dc_error *error)
{
  struct defect degenerate = {0};
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *triangle = mesh->triangles[t];
    double u[3], v[3], normal[3];
    dc_vec_sub(u, mesh->vertices[triangle[1]], mesh->vertices[triangle[0]]);
    dc_vec_sub(v, mesh->vertices[triangle[2]], mesh->vertices[triangle[0]]);
    dc_vec_cross(normal, u, v);
    if (0.5 * dc_vec_norm(normal) <= DC_MESH_ROUNDING * size * size)
      note(&degenerate, t, 0);
  }
  if (degenerate.count)
    return dc_fail(error, DC_BAD_INPUT, "%ld degenerate triangle%s (first: %ld)", degenerate.count,
                   dc_plural(degenerate.count), degenerate.first[0]);
  return DC_OK;
}

// One triangle's use of the edge from vertex low to vertex high; low is known from where it is stored.
struct edge_use {
  int high, opposite;
  unsigned triangle_and_direction;  // 2 triangle + 1 when the triangle runs from high to low
};

// By the other end of the edge, then by the triangle's third corner, so that twins stand side by side.
static int compare_uses(const void *left, const void *right)
{
  const struct edge_use *a = left, *b = right;
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  if (a->opposite != b->opposite)
    return a->opposite < b->opposite ? -1 : 1;
  return a->triangle_and_direction < b->triangle_and_direction ? -1 : 1;
}

// Most vertices are the lower end of a few edges: these are sorted by insertion.
static void sort_uses(struct edge_use *uses, size_t count)
{
  enum { FEW = 16 };
  if (count > FEW) {
    qsort(uses, count, sizeof *uses, compare_uses);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    struct edge_use use = uses[i];
    size_t place = i;
    for (; place > 0 && compare_uses(&use, &uses[place - 1]) < 0; place--)
      uses[place] = uses[place - 1];
    uses[place] = use;
  }
}

// The lower vertex of edge k of a triangle: edges are stored with it.
static int lower_end(const int *triangle, int k)
{
  int a = triangle[k], b = triangle[(k + 1) % 3];
  return a < b ? a : b;
}

// All edge uses, those of each lower vertex v sorted at uses[start[v]] to uses[start[v + 1] - 1].
// uses [3 * triangle_count], start [vertex_count + 2], zeroed.
static void sort_edges(const struct dc_mesh *mesh, struct edge_use *uses, size_t *start)
{
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      start[lower_end(mesh->triangles[t], k) + 2]++;
  for (int v = 0; v < mesh->vertex_count; v++)
    start[v + 2] += start[v + 1];
  // start[v + 1] is where the next use of v goes; in the end it is where those of v + 1 begin.
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int from = mesh->triangles[t][k], to = mesh->triangles[t][(k + 1) % 3], low = from < to ? from : to;
      uses[start[low + 1]++] = (struct edge_use){.high = from < to ? to : from,
                                                 .opposite = mesh->triangles[t][(k + 2) % 3],
                                                 .triangle_and_direction = 2 * (unsigned)t + (from > to)};
    }
  for (int v = 0; v < mesh->vertex_count; v++)
    sort_uses(uses + start[v], start[v + 1] - start[v]);
}

struct edge_defects {
  struct defect duplicate, open, crowded, inverted;
};

// Vertices [count] in the order of their first coordinates.
static int compare_first(const void *left, const void *right)
{
  const double *a = left, *b = right;
  return (a[0] > b[0]) - (a[0] < b[0]);
}

// Vertices that are nearly at the place of another one: a file that gives every triangle vertices of its own, rounded
// differently.  0 also when out of memory.
static long count_near_vertices(const struct dc_mesh *mesh, double distance)
{
  enum { MOST_NEIGHBOURS = 64 };
  double(*sorted)[3] = dc_alloc((size_t)mesh->vertex_count, sizeof *sorted);
  long count = 0;
  if (!sorted)
    return 0;
  memcpy(sorted, mesh->vertices, (size_t)mesh->vertex_count * sizeof *sorted);
  qsort(sorted, (size_t)mesh->vertex_count, sizeof *sorted, compare_first);
  for (int v = 0; v < mesh->vertex_count; v++) {
    bool near = false;
    for (int w = v + 1; w < mesh->vertex_count && w <= v + MOST_NEIGHBOURS && !near; w++) {
      if (sorted[w][0] - sorted[v][0] > distance)
        break;
      near = dc_vec_distance(sorted[v], sorted[w]) <= distance;
    }
    count += near;
  }
  free(sorted);
  return count;
}

// The uses [count] of one edge from low to high.
static void examine_edge(int low, const struct edge_use *uses, size_t count, struct edge_defects *defects)
{
  size_t backward = 0;
  for (size_t i = 0; i < count; i++) {
    backward += uses[i].triangle_and_direction & 1;
    // Each triangle is looked at once: at the edge of its two lower vertices.
    if (i > 0 && uses[i].opposite == uses[i - 1].opposite && uses[i].opposite > uses[i].high)
      note(&defects->duplicate, uses[i].triangle_and_direction / 2, uses[i - 1].triangle_and_direction / 2);
  }
  if (count == 1)
    note(&defects->open, low, uses->high);
  else if (count > 2)
    note(&defects->crowded, low, uses->high);
  else if (backward != 1)
    note(&defects->inverted, low, uses->high);
}

// Names the first open edge, and the likeliest cause: vertices that differ in their last digits and were therefore not
// merged.
static enum dc_status report_open(const struct dc_mesh *mesh, const struct defect *open, struct dc_error *error)
{
  const double near = 1e-5;  // of the size: the digits of a file
  long shared = count_near_vertices(mesh, near * dc_mesh_size(mesh));
  char told[160] = "";
  if (shared)
    snprintf(told, sizeof told,
             "; %ld vert%s nearly at the place of another: triangles do not share vertices, which must have the same "
             "coordinates to be merged",
             shared, shared == 1 ? "ex is" : "ices are");
  return dc_fail(error, DC_BAD_INPUT, "open mesh: %ld edge%s with one triangle only (first: %ld-%ld)%s; close it, or take its hull by \"convex\": true", open->count,
                 dc_plural(open->count), open->first[0], open->first[1], told);
}

// Reports the first kind of wrong edges that occurs, in this order: duplicate triangles, open, crowded, inverted.
static enum dc_status report_edges(const struct dc_mesh *mesh, const struct edge_defects *defects,
                                   struct dc_error *error)
{
  const struct defect *defect = &defects->duplicate;
  if (defect->count)
    return dc_fail(error, DC_BAD_INPUT, "%ld duplicate triangle%s (first: %ld has the vertices of %ld)", defect->count,
                   dc_plural(defect->count), defect->first[0], defect->first[1]);
  defect = &defects->open;
  if (defect->count)
    return report_open(mesh, defect, error);
  defect = &defects->crowded;
  if (defect->count)
    return dc_fail(error, DC_BAD_INPUT, "%ld edge%s with more than two triangles (first: %ld-%ld)", defect->count,
                   dc_plural(defect->count), defect->first[0], defect->first[1]);
  defect = &defects->inverted;
  if (defect->count)
    return dc_fail(error, DC_BAD_INPUT,
                   "inverted triangles: %ld edge%s run through in the same direction twice (first: %ld-%ld)",
                   defect->count, dc_plural(defect->count), defect->first[0], defect->first[1]);
  return DC_OK;
}

// How the edges of a mesh break the rules; false: out of memory.
static bool find_edge_defects(const struct dc_mesh *mesh, struct edge_defects *defects)
{
  struct edge_use *uses = dc_alloc(3 * (size_t)mesh->triangle_count, sizeof *uses);
  size_t *start = dc_alloc((size_t)mesh->vertex_count + 2, sizeof *start);
  bool complete = uses && start;
  *defects = (struct edge_defects){0};
  if (complete)
    sort_edges(mesh, uses, start);
  for (int v = 0; v < mesh->vertex_count && complete; v++)
    for (size_t i = start[v], next; i < start[v + 1]; i = next) {
      for (next = i + 1; next < start[v + 1] && uses[next].high == uses[i].high;)
        next++;
      examine_edge(v, uses + i, next - i, defects);
    }
  free(uses);
  free(start);
  return complete;
}

// A surface is closed if each edge has two triangles that run through it in opposite directions.
static enum dc_status check_edges(const struct dc_mesh *mesh, struct dc_error *error)
{
  struct edge_defects defects;
  if (!find_edge_defects(mesh, &defects))
    return dc_out_of_memory_for(error, "checking a mesh of %d triangles", mesh->triangle_count);
  return report_edges(mesh, &defects, error);
}

// The number of edges with one triangle only; -1: out of memory.
long dc_mesh_open_edges(const struct dc_mesh *mesh)
{
  struct edge_defects defects;
  return find_edge_defects(mesh, &defects) ? defects.open.count : -1;
}

// Positive where triangles face outwards.  Rounding of the sum is relative to the size, so less than that is
// none.
static enum dc_status check_volume(const struct dc_mesh *mesh, double size, struct dc_error *error)
{
  struct dc_mass_properties properties;
  dc_mesh_mass_properties(mesh, &properties);
  double least = DC_MESH_ROUNDING * size * size * size;
  if (properties.volume < -least)
    return dc_fail(error, DC_BAD_INPUT, "negative volume (%.6g m^3): the triangles face inwards; exchange two corners of each, or take its hull by \"convex\": true", properties.volume);
  if (properties.volume <= least)
    return dc_fail(error, DC_BAD_INPUT, "zero volume (%.6g m^3 in a mesh %.6g m in size)", properties.volume, size);
  return DC_OK;
}

// The least vertex of a part, with paths halved on the way (union-find).
static int find_root(int *parent, int vertex)
{
  while (parent[vertex] != vertex)
    vertex = parent[vertex] = parent[parent[vertex]];
  return vertex;
}

// Parts are called by their least vertex, because of two roots the lower one stays.
void dc_mesh_parts(const struct dc_mesh *mesh, int *parts)
{
  for (int v = 0; v < mesh->vertex_count; v++)
    parts[v] = v;
  for (int t = 0; t < mesh->triangle_count; t++)
    for (int k = 1; k < 3; k++) {
      int a = find_root(parts, mesh->triangles[t][0]), b = find_root(parts, mesh->triangles[t][k]);
      parts[a < b ? b : a] = a < b ? a : b;
    }
  for (int v = 0; v < mesh->vertex_count; v++)  // what a vertex points to is less, and done
    parts[v] = parts[parts[v]];
}

// six_volumes [part] is 6 times the part's signed volume.
static void measure_parts(const struct dc_mesh *mesh, const int *parts, double *six_volumes)
{
  for (int t = 0; t < mesh->triangle_count; t++) {
    const int *triangle = mesh->triangles[t];
    int part = parts[triangle[0]];
    double corner[3][3], normal[3];
    for (int k = 0; k < 3; k++)
      dc_vec_sub(corner[k], mesh->vertices[triangle[k]], mesh->vertices[part]);
    dc_vec_cross(normal, corner[1], corner[2]);
    six_volumes[part] += dc_vec_dot(corner[0], normal);
  }
}

// Parts that face inwards must lie inside outward-facing ones.  outward holds the triangles of the latter.
static enum dc_status check_cavities(const struct dc_mesh *mesh, const int *parts, const double *six_volumes,
                                     const struct dc_mesh *outward, struct dc_error *error)
{
  const double most_work = 3e7;  // a few seconds
  struct defect cavity = {0}, inverted = {0};
  for (int v = 0; v < mesh->vertex_count; v++)
    if (parts[v] == v && six_volumes[v] < 0)
      note(&cavity, v, 0);
  if ((double)cavity.count * outward->triangle_count > most_work)
    return dc_fail(error, DC_BAD_INPUT, "%ld parts face inwards (first: at vertex %ld), too many to be cavities",
                   cavity.count, cavity.first[0]);
  for (int v = 0; v < mesh->vertex_count; v++)
    if (parts[v] == v && six_volumes[v] < 0 && !dc_mesh_contains(outward, mesh->vertices[v]))
      note(&inverted, v, 0);
  if (inverted.count)
    return dc_fail(error, DC_BAD_INPUT,
                   "inverted triangles: %ld part%s inwards outside all others (first: at vertex %ld)", inverted.count,
                   inverted.count == 1 ? " faces" : "s face", inverted.first[0]);
  return DC_OK;
}

// Checks the connected parts of a surface: parts with a negative volume are cavities and must lie within others.
static enum dc_status check_parts(const struct dc_mesh *mesh, struct dc_error *error)
{
  enum dc_status status = DC_MEMORY;
  int *parts = dc_alloc((size_t)mesh->vertex_count, sizeof *parts);
  double *six_volumes = dc_alloc((size_t)mesh->vertex_count, sizeof *six_volumes);
  struct dc_mesh outward = {.vertex_count = mesh->vertex_count, .vertices = mesh->vertices};
  outward.triangles = dc_alloc((size_t)mesh->triangle_count, sizeof *outward.triangles);
  if (parts && six_volumes && outward.triangles) {
    dc_mesh_parts(mesh, parts);
    measure_parts(mesh, parts, six_volumes);
    for (int t = 0; t < mesh->triangle_count; t++)
      if (six_volumes[parts[mesh->triangles[t][0]]] > 0)
        memcpy(outward.triangles[outward.triangle_count++], mesh->triangles[t], sizeof *outward.triangles);
    status = check_cavities(mesh, parts, six_volumes, &outward, error);
  } else {
    dc_out_of_memory_for(error, "checking a mesh of %d triangles", mesh->triangle_count);
  }
  free(parts);
  free(six_volumes);
  free(outward.triangles);
  return status;
}

// Every check relies on those before it: only good indices let vertices be read, only a closed surface has a volume.
enum dc_status dc_mesh_validate(const struct dc_mesh *mesh, struct dc_error *error)
{
  double size = 0;
  enum dc_status status = check_indices(mesh, error);
  if (!status)
    status = check_coordinates(mesh, &size, error);
  if (!status)
    status = check_areas(mesh, size, error);
  if (!status)
    status = check_edges(mesh, error);
  if (!status)
    status = check_volume(mesh, size, error);
  return status ? status : check_parts(mesh, error);
}
