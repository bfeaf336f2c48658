// SPDX-License-Identifier: Apache-2.0
// Meshes in groups: their hulls, and which are unions of convex parts.
#ifndef DC_GEOMETRY_MESH_GROUPS_H
#define DC_GEOMETRY_MESH_GROUPS_H

#include "geometry/mesh/mesh.h"

enum { DC_MESH_GROUPS_MAX = 4096 };  // most groups of a mesh that are looked at

// Makes the convex hull of every group of mesh (of all of it when it has no groups) by dc_hull, simplified to at most
// `points` corners each (dc_hull_simplify; 0: all).  *hulls is all of them
// together, a group each, and may share nothing with mesh: the hulls may overlap.  Indices of mesh are valid; it need
// not be closed.  Groups that are flat, as sheets for pictures are, have no hull and are left out where others have
// one: flat_groups says how many.  Arrays are owned by arena.  DC_BAD_INPUT names the group when there are several
// (from 1), and also when there are too many groups or triangles; DC_MEMORY.
enum dc_status dc_mesh_hulls(const struct dc_mesh *mesh, int points, struct dc_arena *arena, struct dc_mesh *hulls,
                             struct dc_error *error);

// The convex meshes whose union is the solid inside mesh, which dc_mesh_validate accepts: mesh itself when it is
// convex, else its groups when each is a closed convex surface; none when neither holds.  Convex is what
// dc_mesh_is_convex takes for it at 1e-6, the rounding of files with six digits.  *parts [*count] are owned by arena
// and may share the arrays of mesh.  DC_MEMORY.
enum dc_status dc_mesh_convex_parts(const struct dc_mesh *mesh, struct dc_arena *arena, int *count,
                                    const struct dc_mesh **parts, struct dc_error *error);

#endif
