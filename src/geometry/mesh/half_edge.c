// SPDX-License-Identifier: Apache-2.0
// Sorts half-edges by their vertices, so that both halves of an edge become neighbours.
#include "geometry/mesh/half_edge.h"

#include <stdlib.h>

static int compare(const void *p, const void *q)
{
  const struct dc_half_edge *a = p, *b = q;
  if (a->low != b->low)
    return a->low < b->low ? -1 : 1;
  if (a->high != b->high)
    return a->high < b->high ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

void dc_half_edges_sort(struct dc_half_edge *edges, size_t count)
{
  qsort(edges, count, sizeof *edges, compare);
}
