// SPDX-License-Identifier: Apache-2.0
#include "design/connect.h"

#include "math/vector.h"

// Part and whether it is a corner of it, of every vertex.
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

// The least vertex that every vertex is one with; returns how many are not alone.
// twins: as of struct dc_shape, which are one whatever connect says.
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
    return dc_fail(error, DC_MEMORY, "out of memory for design parameters");
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
