// SPDX-License-Identifier: Apache-2.0
// How thin a shape is, for those who print it.
#ifndef DC_GEOMETRY_SHAPE_THICKNESS_H
#define DC_GEOMETRY_SHAPE_THICKNESS_H

#include "geometry/shapes/shape.h"

// The least extent of a convex part along the normal of one of its faces, m, of all parts of a shape; INFINITY without
// parts.  The width of a convex body, the least distance of two parallel planes that hold it, is at most that, and less
// only where two edges face each other.
double dc_shape_thinnest(const struct dc_shape *shape);

// Principal extents of a solid: with its covariance C = integral of r r^T dV / V about the centre, sqrt(12) times the
// standard deviations along the axes of C; of a box its edges.  No width of a convex body is less than the least one
// (docs/theory.md, "Manufacture").
struct dc_extents {
  double lengths[3];  // m, in no order
  double axes[9];     // columns, orthonormal
  double covariance[9], volume, center[3];
};
void dc_part_extents(const struct dc_mesh *part, struct dc_extents *extents);
// Adds to gradient [vertex_count] the derivative by the vertices of a function with that derivative by the covariance,
// which is symmetric.
void dc_part_extents_pull_back(const struct dc_mesh *part, const struct dc_extents *extents,
                               const double by_covariance[9], double (*gradient)[3]);
// The least one of all parts of a shape, m; INFINITY without parts.
double dc_shape_least_extent(const struct dc_shape *shape);

#endif
