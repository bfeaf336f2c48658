// SPDX-License-Identifier: Apache-2.0
// COLLADA files as Assimp understands them.  Private to src/geometry/mesh.
#ifndef DC_MESH_COLLADA_TEXT_H
#define DC_MESH_COLLADA_TEXT_H

#include "geometry/mesh/mesh_read.h"

// *bytes [*size]: the text of a file with axes of unit length in its <rotate> elements; the file's own, or new memory,
// which the caller releases where it is not.  DC_BAD_INPUT for elements that Assimp passes over and that move vertices.
enum dc_status dc_collada_prepare(const struct dc_mesh_file *file, char **bytes, size_t *size, struct dc_error *error);

#endif
