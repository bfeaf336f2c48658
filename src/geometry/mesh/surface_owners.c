// SPDX-License-Identifier: Apache-2.0
// Finds the owners of vertices and edges: the first element in order, for edges after sorting half-edges.
#include "geometry/mesh/surface_owners.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh/half_edge.h"

// Gives every vertex and every edge one owner among the triangles and segments that share it, so that a sum over
// elements counts it once.  Owners are numbered 3 triangle + corner; an edge begins at its corner.
enum dc_status dc_surface_owners(int count, const int (*elements)[3], int vertex_count, int *vertex_owner,
                                 int *edge_owner)
{
  size_t used = 0;
  struct dc_half_edge *edges = dc_alloc(3 * (size_t)count, sizeof *edges);
  if (!edges)
    return DC_MEMORY;
  for (int v = 0; v < vertex_count; v++)
    vertex_owner[v] = -1;
  for (int t = 0; t < count; t++)
    for (int k = 0, corners = elements[t][2] < 0 ? 2 : 3; k < 3; k++) {
      edge_owner[3 * t + k] = -1;
      if (k < corners && vertex_owner[elements[t][k]] < 0)
        vertex_owner[elements[t][k]] = 3 * t + k;
      if (k >= 2 * corners - 3)  // two corners have one edge, three corners three
        continue;
      edges[used++] = dc_half_edge_of(elements[t][k], elements[t][(k + 1) % corners], 3 * t + k);
    }
  dc_half_edges_sort(edges, used);
  for (size_t e = 0, owner = 0; e < used; e++) {
    if (!dc_half_edges_meet(&edges[e], &edges[owner]))
      owner = e;
    edge_owner[edges[e].index] = edges[owner].index;
  }
  free(edges);
  return DC_OK;
}
