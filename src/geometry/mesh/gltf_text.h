// SPDX-License-Identifier: Apache-2.0
// Parts of glTF files that Assimp passes over and that change the geometry.
#ifndef DC_GEOMETRY_GLTF_TEXT_H
#define DC_GEOMETRY_GLTF_TEXT_H

#include "base/status.h"
#include "geometry/mesh/mesh_read.h"

// DC_BAD_INPUT: the file has one of them.
enum dc_status dc_gltf_check(const struct dc_mesh_file *file, struct dc_error *error);

#endif
