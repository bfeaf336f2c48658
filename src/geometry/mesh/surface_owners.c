// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/surface_owners.h"

#include <stdlib.h>

#include "base/memory.h"

// One side of an edge.
struct half_edge {
  int low, high, index;
};

static int compare_half_edges(const void *p, const void *q)
{
  const struct half_edge *a = p, *b = q;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

enum dc_status dc_surface_owners(int count, const int (*elements)[3], int vertex_count, int *vertex_owner,
                                 int *edge_owner)
{
  size_t used = 0;
  struct half_edge *edges = dc_alloc(3 * (size_t)count, sizeof *edges);
  if (!edges)
    return DC_MEMORY;
  for (int v = 0; v < vertex_count; v++)
    vertex_owner[v] = -1;
  for (int t = 0; t < count; t++)
    for (int k = 0, corners = elements[t][2] < 0 ? 2 : 3; k < 3; k++) {
      edge_owner[3 * t + k] = -1;
      if (k < corners && vertex_owner[elements[t][k]] < 0)
        vertex_owner[elements[t][k]] = 3 * t + k;
      if (k >= 2 * corners - 3)  // one edge of two corners, three of three
        continue;
      int i = elements[t][k], j = elements[t][(k + 1) % corners];
      edges[used++] = (struct half_edge){i < j ? i : j, i < j ? j : i, 3 * t + k};
    }
  qsort(edges, used, sizeof *edges, compare_half_edges);
  for (size_t e = 0, owner = 0; e < used; e++) {
    if (edges[e].low != edges[owner].low || edges[e].high != edges[owner].high)
      owner = e;
    edge_owner[edges[e].index] = edges[owner].index;
  }
  free(edges);
  return DC_OK;
}
