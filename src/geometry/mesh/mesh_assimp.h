// SPDX-License-Identifier: Apache-2.0
// Formats of meshes beside OBJ and STL, read by the library Assimp where the build has it.
#ifndef DC_GEOMETRY_MESH_ASSIMP_H
#define DC_GEOMETRY_MESH_ASSIMP_H

#include <stdbool.h>

#include "geometry/mesh/mesh.h"

struct dc_mesh_file;

// Whether the name ends like a format that is left to Assimp: COLLADA, PLY, glTF, OFF.
bool dc_mesh_is_foreign(const char *name);

// Triangles of all meshes of the file in its frame, units applied.  Arrays are owned by arena.  DC_BAD_INPUT, also when
// the build has no Assimp; DC_MEMORY.
enum dc_status dc_mesh_parse_foreign(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                     struct dc_error *error);

// "major.minor.patch", or NULL: the build has none.
const char *dc_assimp_version(void);

#endif
