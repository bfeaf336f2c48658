// SPDX-License-Identifier: Apache-2.0
// Inside the hulls: how high vertices are above the triangles of a surface.
#ifndef DC_GEOMETRY_HULL_EXCESS_H
#define DC_GEOMETRY_HULL_EXCESS_H

#include "geometry/mesh/mesh.h"

// The neighbours of vertex v are next[start[v]] to next[start[v + 1] - 1]: of a closed surface every edge runs out of
// each of its ends once.
struct dc_neighbors {
  int *start, *next;  // [vertex_count + 2], [3 * triangle_count]
};

// Released by dc_neighbors_free, also after a failure.  DC_MEMORY.
enum dc_status dc_neighbors_find(const struct dc_mesh *mesh, struct dc_neighbors *neighbors, struct dc_error *error);
void dc_neighbors_free(struct dc_neighbors *neighbors);

void dc_unit_normal(const struct dc_mesh *mesh, int triangle, double normal[3]);
// Height of point above the plane of a triangle with that normal, m.
double dc_height_above(const struct dc_mesh *mesh, int triangle, const double normal[3], const double point[3]);

#endif
