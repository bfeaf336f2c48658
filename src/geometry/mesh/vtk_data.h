// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in XML files of VTK.  Inside the mesh readers.
#ifndef DC_GEOMETRY_MESH_VTK_DATA_H
#define DC_GEOMETRY_MESH_VTK_DATA_H

#include "geometry/mesh/simplices_read.h"

// How the bytes of an array are written: as a header of sizes and the numbers, base64 or as they are.  With zlib the
// header is the number of blocks, the size of a block, that of the last one (0: as the others) and the packed size of
// each block; without it the number of bytes.
struct dc_vtk_encoding {
  int header_bytes;  // of a number in headers, 4 or 8
  bool base64, packed;
  bool swapped;  // bytes are in the other order than here
};

// The bytes of the array that begins at text and ends somewhere before end: *bytes, released with free(), also after a
// failure; *size of them.  Messages are those of the cursor, which is where the array is named: DC_BAD_INPUT,
// DC_MEMORY.
enum dc_status dc_vtk_decode(struct dc_mesh_cursor *cursor, const struct dc_vtk_encoding *encoding, const char *text,
                             const char *end, char **bytes, size_t *size);

#endif
