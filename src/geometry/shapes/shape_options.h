// SPDX-License-Identifier: Apache-2.0
// Options that several types of shapes have, and what tables cannot say of them.
#ifndef DC_GEOMETRY_SHAPE_OPTIONS_H
#define DC_GEOMETRY_SHAPE_OPTIONS_H

#include <stddef.h>

#include "geometry/shapes/shape_types.h"

enum { DC_DIVISIONS_MOST = 1000, DC_STEPS_MOST = 1000 };

#define DC_LENGTH_OPTION(structure, member, meaning)                                                                   \
  DC_POSITIVE_OPTION(structure, member, "m", NULL, DC_SHAPE_LENGTH_MAX, meaning)

// double [3].
#define DC_SIZE_OPTION(structure, size_help)                                                                           \
  {                                                                                                                    \
    .name = "size", .type = DC_REALS, .unit = "m", .maximum = DC_SHAPE_LENGTH_MAX, .minimum_excluded = true,           \
    .count = 3, .help = (size_help), .offset = offsetof(structure, size)                                               \
  }

// double [3], for dc_shape_read_divisions.
#define DC_DIVISIONS_OPTION(structure, meaning)                                                                        \
  DC_REALS_OPTION(structure, divisions, "", "[1, 1, 1]", 3, 1, DC_DIVISIONS_MOST, meaning)

// long: corners of circles, or bands from one to the next.
#define DC_STEPS_OPTION(structure, member, default_text, least, meaning)                                               \
  DC_INTEGER_OPTION(structure, member, default_text, least, DC_STEPS_MOST, meaning)

// int: what contact takes a shape's surface for.
enum dc_surface { DC_SURFACE_MESH, DC_SURFACE_LEAVES, DC_SURFACE_AUTO };
#define DC_SURFACE_OPTION(structure)                                                                                   \
  DC_CHOICE_OPTION(structure, surface, "\"auto\"", DC_CHOICES("mesh", "leaves", "auto"),                               \
                   "what contact sees: the triangles of the mesh, or convex leaves (a ball, a capsule, convex hulls) " \
                   "of models bsh and exact; auto: leaves where the model sees them and the shape has them, unless "   \
                   "the scene designs shapes")

// double [3] and [4]: where a part of a shape stands.
#define DC_PLACE_OPTIONS(structure, position_help, rotation_help)                                                      \
  DC_VECTOR_OPTION(structure, position, "m", "[0, 0, 0]", DC_SHAPE_LENGTH_MAX, position_help),                         \
      DC_REALS_OPTION(structure, rotation, "", "[1, 0, 0, 0]", 4, -2, 2, rotation_help)

// double inset, long triangles and cells: what dc_shape_mesh_sdf is asked for.
#define DC_LATTICE_OPTIONS(structure, default_cells)                                                                   \
  DC_REAL_OPTION(structure, inset, "m", "0", 0, DC_SHAPE_LENGTH_MAX,                                                   \
                 "depth of the mesh's vertices inside the surface"),                                                   \
      DC_INTEGER_OPTION(structure, triangles, "300", 0, 100000,                                                        \
                        "at most so many triangles of its mesh; 0: as many as the lattice gives"),                     \
      DC_INTEGER_OPTION(structure, cells, default_cells, 8, 200,                                                       \
                        "cells of the lattice that the mesh is made on, along each axis")

// Divisions as whole numbers; DC_BAD_INPUT when they are none.
enum dc_status dc_shape_read_divisions(const double divisions[3], int n[3], struct dc_error *error);
// Whether the quaternion of part `index` is of unit length, nearly; its length.  DC_BAD_INPUT.
enum dc_status dc_shape_check_rotation(const double rotation[4], int index, double *length, struct dc_error *error);

#endif
