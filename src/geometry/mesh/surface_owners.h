// SPDX-License-Identifier: Apache-2.0
// Owners of vertices and edges of a surface, so that each counts once: it belongs to the first element that contains
// it.
#ifndef DC_GEOMETRY_SURFACE_OWNERS_H
#define DC_GEOMETRY_SURFACE_OWNERS_H

#include "base/status.h"

// Elements [count] are triangles, or segments whose third vertex is -1.  Edge k of an element leads from its vertex k
// to the next; a segment has edge 0 alone.  vertex_owner [vertex_count]: 3 t + k, vertex k of element t, -1 where no
// element has it.  edge_owner [3 count]: of every edge 3 t + k the owner among those between the same vertices, -1
// where there is none.  DC_MEMORY.
enum dc_status dc_surface_owners(int count, const int (*elements)[3], int vertex_count, int *vertex_owner,
                                 int *edge_owner);

#endif
