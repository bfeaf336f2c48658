// SPDX-License-Identifier: Apache-2.0
// Convex hulls of points, and whether a surface is convex.
#ifndef DC_GEOMETRY_HULL_H
#define DC_GEOMETRY_HULL_H

#include <stdbool.h>

#include "geometry/mesh/mesh.h"

enum { DC_HULL_VERTICES_MAX = 200000 };  // most corners of a hull

// Makes the convex hull of points [point_count][3], m, as a mesh that dc_mesh_validate accepts.  Its vertices are
// points (the same bits, in the same order); its arrays are owned by arena.  Points may repeat.  Points within 5e-7 of
// the size (the diagonal of the bounding box) of the hull of the others may be left out, as are those on sides and
// edges to rounding and those in clusters too small for a triangle.  The same points give the same bits.
// DC_BAD_INPUT: fewer than 4 points; coordinates not finite or beyond 1e9 m; points on one line or in one plane within
// 1e-10 of the size; more than DC_HULL_VERTICES_MAX corners; points too close together for the hull's orientation to
// be decided.  DC_MEMORY.  mesh is then empty.
enum dc_status dc_hull(const double (*points)[3], int point_count, struct dc_arena *arena, struct dc_mesh *mesh,
                       struct dc_error *error);

// Sets *convex: the mesh, which dc_mesh_validate accepts and whose vertices are all used, is one connected surface, and
// every vertex lies on or below the plane of every triangle by tolerance times the mesh's size.  False, too, when its
// hull has more than DC_HULL_VERTICES_MAX corners.  DC_MEMORY.
enum dc_status dc_mesh_is_convex(const struct dc_mesh *mesh, double tolerance, bool *convex, struct dc_error *error);

// Sets *excess to the greatest height, m, of a vertex of hull above the plane of a triangle of mesh (at least 0); hull
// is that of the mesh's vertices by dc_hull, or the mesh itself when that is convex.
// DC_MEMORY.
enum dc_status dc_hull_excess(const struct dc_mesh *hull, const struct dc_mesh *mesh, double *excess,
                              struct dc_error *error);

const char *dc_qhull_version(void);

#endif
