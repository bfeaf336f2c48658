// SPDX-License-Identifier: Apache-2.0
// Sides of the edges of a mesh, sorted so that those of one edge stand together.
#ifndef DC_GEOMETRY_MESH_HALF_EDGE_H
#define DC_GEOMETRY_MESH_HALF_EDGE_H

#include <stdbool.h>
#include <stddef.h>

// One element's side of an edge between the vertices low < high; index says whose and which, as its maker numbers them.
struct dc_half_edge {
  int low, high, index;
};

static inline struct dc_half_edge dc_half_edge_of(int from, int to, int index)
{
  return (struct dc_half_edge){from < to ? from : to, from < to ? to : from, index};
}

static inline bool dc_half_edges_meet(const struct dc_half_edge *a, const struct dc_half_edge *b)
{
  return a->low == b->low && a->high == b->high;
}

// By low, high, index.
void dc_half_edges_sort(struct dc_half_edge *edges, size_t count);

#endif
