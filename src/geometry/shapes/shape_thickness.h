// SPDX-License-Identifier: Apache-2.0
// How thin a shape is, for those who print it.
#ifndef DC_GEOMETRY_SHAPE_THICKNESS_H
#define DC_GEOMETRY_SHAPE_THICKNESS_H

#include "geometry/shapes/shape.h"

// The least extent of a convex part along the normal of one of its faces, m, of all parts of a shape; INFINITY without
// parts.  The width of a convex body, the least distance of two parallel planes that hold it, is at most that, and less
// only where two edges face each other.
double dc_shape_thinnest(const struct dc_shape *shape);

#endif
