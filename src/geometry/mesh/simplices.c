// SPDX-License-Identifier: Apache-2.0
// Meshes of simplices for soft bodies: checks of elements and edges, barycentric coordinates, and grids of sheets and
// rods.
#include "geometry/mesh/simplices.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/constants.h"
#include "geometry/mesh/half_edge.h"
#include "math/vector.h"

// A node without an element would have no mass and no force: it is refused.
static enum dc_status check_nodes(const struct dc_simplices *mesh, struct dc_error *error)
{
  bool *used = dc_alloc((size_t)mesh->node_count, sizeof *used);
  enum dc_status status = used ? DC_OK : dc_out_of_memory_for(error, "%d nodes", mesh->node_count);
  for (int e = 0; e < mesh->element_count && !status; e++)
    for (int k = 0; k < mesh->corners; k++)
      used[mesh->elements[e][k]] = true;
  for (int i = 0; i < mesh->node_count && !status; i++)
    if (!used[i])
      status = dc_fail(error, DC_BAD_INPUT, "node %d belongs to no element", i);
  free(used);
  return status;
}

// The point a + s (b - a) + t (c - a) + ... nearest to x solves A^T A y = A^T (x - a), with the edges from a for A.
double dc_simplices_coordinates(const struct dc_simplices *mesh, int element, const double x[3], double weights[4])
{
  const int *v = mesh->elements[element];
  int count = mesh->corners - 1;
  double edges[3][3], offset[3], m[3][4], left[3];
  dc_vec_sub(offset, x, mesh->nodes[v[0]]);
  for (int k = 0; k < count; k++)
    dc_vec_sub(edges[k], mesh->nodes[v[k + 1]], mesh->nodes[v[0]]);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++)
      m[i][j] = dc_vec_dot(edges[i], edges[j]);
    m[i][count] = dc_vec_dot(edges[i], offset);
  }
  for (int i = 0; i < count; i++)  // positive definite: elimination without pivots
    for (int j = i + 1; j < count; j++)
      for (int k = count; k >= i; k--)
        m[j][k] -= m[j][i] / m[i][i] * m[i][k];
  weights[0] = 1;
  dc_vec_copy(left, offset);
  for (int i = count - 1; i >= 0; i--) {
    double sum = m[i][count];
    for (int j = i + 1; j < count; j++)
      sum -= m[i][j] * weights[j + 1];
    weights[i + 1] = sum / m[i][i];
    weights[0] -= weights[i + 1];
    dc_vec_add_scaled(left, left, -weights[i + 1], edges[i]);
  }
  return dc_vec_norm(left);
}

// Edges of sheets.

// The edge of a triangle opposite to its corner k has the index 3 t + k.  Returns whether the triangle runs from low to
// high there.
static bool rises(const struct dc_simplices *mesh, const struct dc_half_edge *edge)
{
  return mesh->elements[edge->index / 3][(edge->index + 1) % 3] == edge->low;
}

// All edges of all triangles, sorted so that those with the same nodes follow each other; NULL: out of memory.
static struct dc_half_edge *sort_half_edges(const struct dc_simplices *mesh)
{
  size_t count = 3 * (size_t)mesh->element_count;
  struct dc_half_edge *all = dc_alloc(count, sizeof *all);
  for (size_t i = 0; i < count && all; i++) {
    const int *v = mesh->elements[i / 3];
    all[i] = dc_half_edge_of(v[(i + 1) % 3], v[(i + 2) % 3], (int)i);
  }
  if (all)
    dc_half_edges_sort(all, count);
  return all;
}

// The inner edges of a sheet: two half-edges with the same nodes, side by side when sorted.
int dc_sheet_edges(const struct dc_simplices *mesh, struct dc_sheet_edge *edges)
{
  struct dc_half_edge *all = sort_half_edges(mesh);
  int count = 0, total = 3 * mesh->element_count;
  if (!all)
    return -1;
  for (int i = 0; i + 1 < total; i++)
    if (dc_half_edges_meet(&all[i], &all[i + 1])) {
      if (edges)
        edges[count] =
            (struct dc_sheet_edge){{all[i].index / 3, all[i + 1].index / 3}, {all[i].index % 3, all[i + 1].index % 3}};
      count++;
    }
  free(all);
  return count;
}

// Refuses edges of more than two triangles and neighbours that look to different sides.
static enum dc_status check_edges(const struct dc_simplices *mesh, struct dc_error *error)
{
  struct dc_half_edge *all = sort_half_edges(mesh);
  enum dc_status status = all ? DC_OK : dc_out_of_memory_for(error, "%d triangles", mesh->element_count);
  for (int i = 0; i + 1 < 3 * mesh->element_count && !status; i++) {
    const struct dc_half_edge *a = &all[i], *b = &all[i + 1];
    if (!dc_half_edges_meet(a, b))
      continue;
    if (i + 2 < 3 * mesh->element_count && dc_half_edges_meet(a, &all[i + 2]))
      status = dc_fail(error, DC_BAD_INPUT, "nodes %d and %d are an edge of more than two triangles", a->low, a->high);
    else if (rises(mesh, a) == rises(mesh, b))
      status = dc_fail(error, DC_BAD_INPUT, "triangles %d and %d turn against each other along nodes %d and %d",
                       a->index / 3, b->index / 3, a->low, a->high);
  }
  free(all);
  return status;
}

// Refuses triangles with nodes that do not exist, or without area.
static enum dc_status check_triangle(const struct dc_simplices *mesh, int t, struct dc_error *error)
{
  const int *v = mesh->elements[t];
  double edges[3][3], normal[3], longest = 0;
  for (int k = 0; k < 3; k++)
    if (v[k] < 0 || v[k] >= mesh->node_count)
      return dc_fail(error, DC_BAD_INPUT, "triangle %d: node %d is not in 0 .. %d", t, v[k], mesh->node_count - 1);
  for (int k = 0; k < 3; k++) {
    dc_vec_sub(edges[k], mesh->nodes[v[(k + 1) % 3]], mesh->nodes[v[k]]);
    longest = fmax(longest, dc_vec_dot(edges[k], edges[k]));
  }
  dc_vec_cross(normal, edges[0], edges[1]);
  if (!(0.5 * dc_vec_norm(normal) > DC_LEAST_ELEMENT_AREA * longest))
    return dc_fail(error, DC_BAD_INPUT, "triangle %d is degenerate: it has no area (nodes %d, %d, %d)", t, v[0], v[1],
                   v[2]);
  return DC_OK;
}

// Sets the surface that is drawn and touched: the elements themselves.
static enum dc_status show_elements(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error)
{
  mesh->triangle_count = mesh->element_count;
  mesh->triangles = dc_arena_alloc(arena, (size_t)mesh->element_count, sizeof *mesh->triangles);
  for (int e = 0; e < mesh->element_count && mesh->triangles; e++) {
    memcpy(mesh->triangles[e], mesh->elements[e], sizeof mesh->triangles[e]);
    mesh->elements[e][3] = -1;
  }
  return mesh->triangles ? DC_OK : dc_out_of_memory_for(error, "a surface");
}

// Checks that all kinds of meshes share: elements by their own rule, then nodes.
enum dc_status dc_simplices_check(struct dc_simplices *mesh, int corners, const char *name,
                                  dc_simplices_check_function *check, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  mesh->corners = corners;
  if (mesh->element_count < 1)
    return dc_fail(error, DC_BAD_INPUT, "there are no %s", name);
  for (int e = 0; e < mesh->element_count && !status; e++)
    status = check(mesh, e, error);
  return status ? status : check_nodes(mesh, error);
}

// Last step of every mesh of triangles, read or made.
enum dc_status dc_sheet_finish(struct dc_simplices *mesh, struct dc_arena *arena, struct dc_error *error)
{
  enum dc_status status = dc_simplices_check(mesh, 3, "triangles", check_triangle, error);
  if (!status)
    status = check_edges(mesh, error);
  return status ? status : show_elements(mesh, arena, error);
}

// Grids.

// Memory of a grid.  Counts come as double, since products of options may not fit an int.
enum dc_status dc_simplices_start(struct dc_simplices *mesh, double nodes, double elements, struct dc_arena *arena,
                                  struct dc_error *error)
{
  if (elements > INT_MAX / 16)
    return dc_fail(error, DC_BAD_INPUT, "cells: too many (%.0f elements)", elements);
  mesh->node_count = (int)nodes;
  mesh->element_count = (int)elements;
  mesh->nodes = dc_arena_alloc(arena, (size_t)mesh->node_count, sizeof *mesh->nodes);
  mesh->elements = dc_arena_alloc(arena, (size_t)mesh->element_count, sizeof *mesh->elements);
  return mesh->nodes && mesh->elements ? DC_OK : dc_out_of_memory_for(error, "%.0f elements", elements);
}

// Diagonals alternate, so that the sheet has no preferred direction.
enum dc_status dc_sheet_grid(struct dc_simplices *mesh, const double size[2], const long cells[2],
                             struct dc_arena *arena, struct dc_error *error)
{
  int width = (int)cells[0] + 1;
  enum dc_status status = dc_simplices_start(mesh, ((double)cells[0] + 1) * ((double)cells[1] + 1),
                                             2 * (double)cells[0] * (double)cells[1], arena, error);
  if (status)
    return status;
  for (int i = 0; i < mesh->node_count; i++) {
    int column = i % width, row = i / width;
    mesh->nodes[i][0] = size[0] * (column / (double)cells[0] - 0.5);
    mesh->nodes[i][1] = size[1] * (row / (double)cells[1] - 0.5);
    mesh->nodes[i][2] = 0;
  }
  for (int y = 0, e = 0; y < cells[1]; y++)
    for (int x = 0; x < cells[0]; x++, e += 2) {
      int low = x + y * width, high = low + width;
      bool turned = (x + y) % 2 != 0;
      const int halves[2][3] = {{low, low + 1, turned ? high : high + 1}, {turned ? low + 1 : low, high + 1, high}};
      for (int h = 0; h < 2; h++)
        memcpy(mesh->elements[e + h], halves[h], sizeof halves[h]);
    }
  return dc_sheet_finish(mesh, arena, error);
}

// A row of segments along x, centred on the origin.
enum dc_status dc_rod_grid(struct dc_simplices *mesh, double size, long cells, struct dc_arena *arena,
                           struct dc_error *error)
{
  enum dc_status status = dc_simplices_start(mesh, (double)cells + 1, (double)cells, arena, error);
  if (status)
    return status;
  mesh->corners = 2;
  for (int i = 0; i < mesh->node_count; i++) {
    memset(mesh->nodes[i], 0, sizeof mesh->nodes[i]);
    mesh->nodes[i][0] = size * ((double)i / (double)cells - 0.5);
  }
  for (int e = 0; e < mesh->element_count; e++)
    memcpy(mesh->elements[e], (int[4]){e, e + 1, -1, -1}, sizeof mesh->elements[e]);
  return show_elements(mesh, arena, error);
}

// Three times the volume is the largest area times the least height; both are counted twice here.
static double flatness(const struct dc_simplices *mesh, const int corners[4])
{
  double edges[3][3], normal[3], longest = 0, largest = 0, volume = 0;
  for (int a = 0; a < 4; a++) {
    for (int k = 0; k < 3; k++) {
      dc_vec_sub(edges[k], mesh->nodes[corners[(a + k + 1) % 4]], mesh->nodes[corners[a]]);
      longest = fmax(longest, dc_vec_norm(edges[k]));
    }
    dc_vec_cross(normal, edges[0], edges[1]);
    largest = fmax(largest, dc_vec_norm(normal));
    volume = fabs(dc_vec_dot(normal, edges[2]));
  }
  return volume / (largest * longest);
}

// By heights over longest edges; of sheets and rods there is none.
double dc_simplices_flattest(const struct dc_simplices *mesh, int *element)
{
  double least = INFINITY;
  *element = -1;
  for (int e = 0; mesh->corners == 4 && e < mesh->element_count; e++) {
    double flat = flatness(mesh, mesh->elements[e]);
    if (flat < least) {
      least = flat;
      *element = e;
    }
  }
  return least;
}
