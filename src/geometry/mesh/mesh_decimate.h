// SPDX-License-Identifier: Apache-2.0
// Fewer triangles for a closed surface, by collapsing edges where it costs least (Garland and Heckbert 1997).
#ifndef DC_GEOMETRY_MESH_DECIMATE_H
#define DC_GEOMETRY_MESH_DECIMATE_H

#include "geometry/mesh/mesh.h"

// Simplifies a mesh that dc_mesh_validate accepts to at most triangle_count (>= 4) triangles; *simplified shares the
// arrays of a mesh that has no more than these already, else its arrays are owned by arena.  The surface stays closed
// and keeps its parts, handles and orientation; no triangle is turned over by a collapse or becomes a sliver.  Parts of
// the surface may come to intersect each other where it is thin.  Groups are lost.  The same mesh gives the same bits.
// DC_BAD_INPUT when the count cannot be reached under these rules, with the count that can; DC_MEMORY.
enum dc_status dc_mesh_decimate(const struct dc_mesh *mesh, int triangle_count, struct dc_arena *arena,
                                struct dc_mesh *simplified, struct dc_error *error);

#endif
