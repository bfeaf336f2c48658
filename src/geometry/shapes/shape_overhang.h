// SPDX-License-Identifier: Apache-2.0
// Overhangs of a shape when it is printed layer by layer.
#ifndef DC_GEOMETRY_SHAPE_OVERHANG_H
#define DC_GEOMETRY_SHAPE_OVERHANG_H

#include "geometry/shapes/shape.h"

// The part of the surface that looks down more steeply than 45 degrees and does not lie on the bed, with that axis of
// the shape's frame up, "+z" or "-x", for which it is least: +z unless another one is better.  The surface is that of
// the convex parts together: a triangle does not count when the point just outside of its middle is in another part.
// share is NAN and up empty without parts.
struct dc_overhang {
  double share;
  const char *up;
};
struct dc_overhang dc_shape_overhang(const struct dc_shape *shape);

#endif
