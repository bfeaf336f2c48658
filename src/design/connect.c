// SPDX-License-Identifier: Apache-2.0
// Groups vertices of different parts that stand in one place, so that a design moves them as one, and counts the pieces
// that such connections hold together.
//
// Every vertex is owned by the first vertex within the tolerance with which it may be connected; groups are the
// vertices of one owner.  Pieces are found by union of parts that share enough vertices.
#include "design/connect.h"

#include <stdlib.h>

#include "math/vector.h"

// Finds, for every vertex, its part and whether it is a corner of that part.
static void describe(const struct dc_shape *shape, int *part, bool *corner)
{
  for (int p = 0, vertex = 0; p < shape->part_count; vertex += shape->parts[p++].vertex_count) {
    const struct dc_mesh *mesh = &shape->parts[p];
    for (int v = 0; v < mesh->vertex_count; v++)
      part[vertex + v] = p;
    for (int t = 0; t < mesh->triangle_count; t++)
      for (int k = 0; k < 3; k++)
        corner[vertex + mesh->triangles[t][k]] = true;
  }
}

// Finds for every vertex the lowest one that it is connected with; returns the number of vertices that are not alone.
// twins: as in struct dc_shape, always connected.
static int find_owners(const double (*vertices)[3], const int *twins, int count, enum dc_connect connect,
                       double tolerance, const int *part, const bool *corner, int *owner)
{
  int tied = 0;
  for (int v = 0; v < count; v++) {
    owner[v] = twins ? twins[v] : v;
    bool open = connect == DC_CONNECT_WELD || (connect == DC_CONNECT_LINK && !corner[v]);
    for (int u = 0; u < v && open && owner[v] == v; u++) {
      bool other = connect == DC_CONNECT_WELD || (part[u] != part[v] && !corner[u]);
      if (owner[u] == u && other && dc_vec_distance(vertices[u], vertices[v]) <= tolerance)
        owner[v] = u;
    }
    tied += owner[v] != v;
  }
  return tied;
}

// Groups the vertices that are not held: vertices of group g are members[first[g]] .. members[first[g + 1] - 1], the
// lowest one first.  Takes time quadratic in the number of vertices.
enum dc_status dc_connect_vertices(const struct dc_shape *shape, const double (*vertices)[3], enum dc_connect connect,
                                   double tolerance, const bool *held, struct dc_arena *arena, int *group_count,
                                   const int **first, const int **members, struct dc_error *error)
{
  int count = dc_shape_vertex_count(shape), listed = 0;
  size_t size = (size_t)count;
  int *part = dc_arena_alloc(arena, size, sizeof *part), *owner = dc_arena_alloc(arena, size, sizeof *owner),
      *starts = dc_arena_alloc(arena, size + 1, sizeof *starts), *list = dc_arena_alloc(arena, size, sizeof *list);
  bool *corner = dc_arena_alloc(arena, size, sizeof *corner);
  if (!part || !owner || !starts || !list || !corner)
    return dc_out_of_memory_for(error, "design parameters");
  describe(shape, part, corner);
  int tied = find_owners(vertices, shape->twins, count, connect, tolerance, part, corner, owner);
  if (connect == DC_CONNECT_LINK && tied == 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "connect: \"%.255s\" has no common vertices (\"link\": true of hulls that overlap)", shape->name);
  *group_count = 0;
  for (int v = 0; v < count; v++) {
    if (owner[v] != v || held[v])
      continue;
    for (int u = v; u < count; u++)
      if (owner[u] == v)
        list[listed++] = u;
    starts[++*group_count] = listed;
  }
  *first = starts;
  *members = list;
  return DC_OK;
}

// Finds the root of a piece: parts point to another part of theirs, the root to itself.
static int piece_of(const int *pieces, int part)
{
  while (pieces[part] != part)
    part = pieces[part];
  return part;
}

// Counts, for every part, its vertices that move with a vertex of part `own`, into shared [parts].
static void count_shared(const struct dc_shape *shape, int own, const int *part, const int *group, const int *first,
                         const int *members, int *shared)
{
  for (int p = 0; p < shape->part_count; p++)
    shared[p] = 0;
  for (int v = 0; v < dc_shape_vertex_count(shape); v++)
    for (int m = first[group[v]]; part[v] == own && m < first[group[v] + 1]; m++)
      shared[part[members[m]]]++;
}

// Counts the pieces of a shape: two parts belong to one piece when at least `least` vertices of theirs move together.
// One block of memory holds piece and shared count [parts], part and group [vertices].
int dc_connect_pieces(const struct dc_shape *shape, int group_count, const int *first, const int *members, int least)
{
  size_t parts = (size_t)shape->part_count, vertices = (size_t)dc_shape_vertex_count(shape);
  int *memory = dc_alloc(2 * parts + 2 * vertices, sizeof *memory), count = 0;
  if (!memory)
    return -1;
  int *pieces = memory, *shared = pieces + parts, *part = shared + parts, *group = part + vertices;
  for (int p = 0, v = 0; p < shape->part_count; p++) {
    pieces[p] = p;
    for (int k = 0; k < shape->parts[p].vertex_count; k++)
      part[v++] = p;
  }
  for (int g = 0; g < group_count; g++)
    for (int m = first[g]; m < first[g + 1]; m++)
      group[members[m]] = g;
  for (int p = 0; p < shape->part_count; p++) {
    count_shared(shape, p, part, group, first, members, shared);
    for (int q = 0; q < p; q++)
      if (shared[q] >= least)
        pieces[piece_of(pieces, p)] = piece_of(pieces, q);
  }
  for (int p = 0; p < shape->part_count; p++)
    count += pieces[p] == p;
  free(memory);
  return count;
}
