// SPDX-License-Identifier: Apache-2.0
// The file system that the library Assimp sees: one mesh file in memory, and the files beside it.
#ifndef DC_GEOMETRY_ASSIMP_FILES_H
#define DC_GEOMETRY_ASSIMP_FILES_H

#include <assimp/cfileio.h>

#include "geometry/mesh/mesh_read.h"

enum { DC_ASSIMP_FILES_MOST = 256 };

struct dc_assimp_files {
  struct aiFileIO io;
  const struct dc_mesh_file *mesh;
  const char *name;  // that Assimp asks for the mesh by
  size_t left;       // bytes of other files that may still be read
  int count;         // of other files read
  struct dc_error refused;  // the first file that was refused; status DC_OK: none
};

// Fills files, which must outlive the import; bytes of the mesh are used, not copied.
void dc_assimp_files_init(struct dc_assimp_files *files, const struct dc_mesh_file *mesh, const char *name);

#endif
