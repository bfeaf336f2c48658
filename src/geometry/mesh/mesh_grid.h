// SPDX-License-Identifier: Apache-2.0
// Surfaces of meshes of tetrahedra, from VTK's files of unstructured grids.
#ifndef DC_GEOMETRY_MESH_MESH_GRID_H
#define DC_GEOMETRY_MESH_MESH_GRID_H

#include <stdbool.h>

#include "geometry/mesh/mesh.h"

// Whether the name ends like a file of VTK.
bool dc_mesh_is_grid(const char *name);

// The surface of the tetrahedra of a file, or, where it holds none, its triangles.  Nodes inside are dropped.  Arrays
// are owned by arena.  DC_BAD_INPUT with "path: rule" or "path:line: rule", DC_IO, DC_MEMORY; *mesh is then empty.
enum dc_status dc_mesh_read_grid(const char *path, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error);

#endif
