// SPDX-License-Identifier: Apache-2.0
// Shapes as files for other programs.
#ifndef DC_IO_MESH_WRITE_H
#define DC_IO_MESH_WRITE_H

#include "geometry/shapes/shape.h"
#include "io/json/json_text.h"

// The convex parts of a shape as Wavefront OBJ, m: a group each, with all its vertices in their order, the triangles of
// its hull, and those vertices that no triangle has as points ("p").  Numbers read back bit for bit.
void dc_shape_write_obj(const struct dc_shape *shape, struct dc_text *text);
// The surface of a shape as binary STL, mm in single precision.
void dc_shape_write_stl(const struct dc_shape *shape, struct dc_text *bytes);

#endif
