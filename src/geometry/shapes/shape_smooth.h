// SPDX-License-Identifier: Apache-2.0
// How balls and capsules look: rounder than the meshes that collide.
#ifndef DC_GEOMETRY_SHAPES_SHAPE_SMOOTH_H
#define DC_GEOMETRY_SHAPES_SHAPE_SMOOTH_H

#include "geometry/shapes/shape.h"

// The mesh for pictures of a shape: of a sphere or capsule whose mesh is what its options say (a design may have
// changed it) a finer one, of the true surface, in memory of arena; of all others the mesh itself.  DC_MEMORY.
enum dc_status dc_shape_smooth_mesh(const struct dc_shape *shape, struct dc_arena *arena, struct dc_mesh *mesh,
                                    struct dc_error *error);

#endif
