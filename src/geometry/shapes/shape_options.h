// SPDX-License-Identifier: Apache-2.0
// Options that several types of shapes have, and what tables cannot say of them.
#ifndef DC_GEOMETRY_SHAPE_OPTIONS_H
#define DC_GEOMETRY_SHAPE_OPTIONS_H

#include <stddef.h>

#include "geometry/shapes/shape_types.h"

enum { DC_DIVISIONS_MOST = 1000 };

#define DC_LENGTH_OPTION(structure, member, length_help)                                                               \
  {                                                                                                                    \
    .name = #member, .type = DC_REAL, .unit = "m", .maximum = DC_SHAPE_LENGTH_MAX, .minimum_excluded = true,           \
    .help = (length_help), .offset = offsetof(structure, member)                                                       \
  }

// double [3].
#define DC_SIZE_OPTION(structure, size_help)                                                                           \
  {                                                                                                                    \
    .name = "size", .type = DC_REALS, .unit = "m", .maximum = DC_SHAPE_LENGTH_MAX, .minimum_excluded = true,           \
    .count = 3, .help = (size_help), .offset = offsetof(structure, size)                                               \
  }

// double [3], for dc_shape_read_divisions.
#define DC_DIVISIONS_OPTION(structure, divisions_help)                                                                 \
  {                                                                                                                    \
    .name = "divisions", .type = DC_REALS, .unit = "", .fallback = "[1, 1, 1]", .minimum = 1,                          \
    .maximum = DC_DIVISIONS_MOST, .count = 3, .help = (divisions_help), .offset = offsetof(structure, divisions)       \
  }

// long: corners of circles, or bands from one to the next.
#define DC_STEPS_OPTION(structure, member, steps_fallback, least, steps_help)                                          \
  {                                                                                                                    \
    .name = #member, .type = DC_INTEGER, .unit = "", .fallback = (steps_fallback), .minimum = (least),                 \
    .maximum = 1000, .help = (steps_help), .offset = offsetof(structure, member)                                       \
  }

// double [3] and [4]: where a part of a shape stands.
#define DC_PLACE_OPTIONS(structure, position_help, rotation_help)                                                      \
  DC_VECTOR_OPTION(structure, position, "m", "[0, 0, 0]", DC_SHAPE_LENGTH_MAX, position_help),                         \
  {                                                                                                                    \
    .name = "rotation", .type = DC_REALS, .unit = "", .fallback = "[1, 0, 0, 0]", .minimum = -2, .maximum = 2,         \
    .count = 4, .help = (rotation_help), .offset = offsetof(structure, rotation)                                       \
  }

// double inset, long triangles and cells: what dc_shape_mesh_sdf is asked for.
#define DC_LATTICE_OPTIONS(structure, cells_fallback)                                                                  \
  {.name = "inset",                                                                                                    \
   .type = DC_REAL,                                                                                                    \
   .unit = "m",                                                                                                        \
   .fallback = "0",                                                                                                    \
   .maximum = DC_SHAPE_LENGTH_MAX,                                                                                     \
   .help = "depth of the mesh's vertices inside the surface",                                                          \
   .offset = offsetof(structure, inset)},                                                                              \
      {.name = "triangles",                                                                                            \
       .type = DC_INTEGER,                                                                                             \
       .unit = "",                                                                                                     \
       .fallback = "300",                                                                                              \
       .maximum = 100000,                                                                                              \
       .help = "at most so many triangles of its mesh; 0: as many as the lattice gives",                               \
       .offset = offsetof(structure, triangles)},                                                                      \
  {                                                                                                                    \
    .name = "cells", .type = DC_INTEGER, .unit = "", .fallback = (cells_fallback), .minimum = 8, .maximum = 200,       \
    .help = "of the lattice that the mesh is made on, along each axis", .offset = offsetof(structure, cells)           \
  }

// Divisions as whole numbers; DC_BAD_INPUT when they are none.
enum dc_status dc_shape_read_divisions(const double divisions[3], int n[3], struct dc_error *error);
// Whether the quaternion of part `index` is of unit length, nearly; its length.  DC_BAD_INPUT.
enum dc_status dc_shape_check_rotation(const double rotation[4], int index, double *length, struct dc_error *error);

#endif
