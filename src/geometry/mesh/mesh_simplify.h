// SPDX-License-Identifier: Apache-2.0
// Meshes made fit for contact: convex hulls of fewer corners, triangles without long edges.
#ifndef DC_GEOMETRY_MESH_SIMPLIFY_H
#define DC_GEOMETRY_MESH_SIMPLIFY_H

#include "geometry/mesh/mesh.h"

// Replaces a hull made by dc_hull by that of at most `points` (>= 8) of its corners, those that stand out most of the
// hull of the ones before.  The result lies inside of the hull; *deviation is how far that stands out at most, m; 0
// when it has no more corners than that.  Arrays are owned by arena.  DC_MEMORY; statuses of dc_hull.
enum dc_status dc_hull_simplify(struct dc_mesh *hull, int points, struct dc_arena *arena, double *deviation,
                                struct dc_error *error);

// Splits triangles until no edge is longer than `longest` (> 0, m), each edge in its middle and alike on both sides, so
// that a closed surface stays closed and its place is the same but for rounding.  Groups are kept.  Arrays are owned by
// arena.  DC_BAD_INPUT when that makes more than DC_MESH_TRIANGLES_MAX triangles; DC_MEMORY.
enum dc_status dc_mesh_split_edges(struct dc_mesh *mesh, double longest, struct dc_arena *arena,
                                   struct dc_error *error);

#endif
