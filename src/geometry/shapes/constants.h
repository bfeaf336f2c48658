// SPDX-License-Identifier: Apache-2.0
// Limits and tolerances of shapes, most of them relative to the size of a shape or part.
#ifndef DC_GEOMETRY_SHAPES_CONSTANTS_H
#define DC_GEOMETRY_SHAPES_CONSTANTS_H

// Limits of what scenes may give.
static const double DC_QUATERNION_TOLERANCE = 1e-3;    // relative error of a quaternion's length: three digits suffice
static const long DC_FEWEST_TRIANGLES = 4;             // of a closed surface
static const double DC_SPOKE_WIDEST = 0.8;             // of the shortest edge of a block: a spoke fits into all faces
static const double DC_SUPERQUADRIC_SMOOTHING = 0.01;  // of the size: default smoothing of unions
// of the smaller part's size; parts that overlap by less have no common vertex
static const double DC_LINK_LEAST_DEPTH = 1e-3;
// of a part, relative to its start: a design that makes it smaller is refused
static const double DC_PART_LEAST_VOLUME = 1e-3;

// Level sets that follow vertices (shape_follow.c).  Designs of tests/design/test_shapes deviate from the level
// set by up to 8e-3; vertices that move by factors are off by 3e-16, others by 1e-3 and more
// (tests/geometry/test_shape_follow).
static const double DC_FOLLOW_MOST_STANDING = 3e-2;  // how far a vertex may stand out of a side of its part
// how far vertices may be off a motion by factors that is followed exactly
static const double DC_FOLLOW_MOST_OFF = 1e-9;
// an axis lies along one of the shape where 1 - cosine is less: to rounding
static const double DC_FOLLOW_ALIGNED = 1e-12;

// Overhangs in print (shape_overhang.c).
static const double DC_BED_NEAR = 1e-6;  // of the size: tolerance of lying on the bed, and step outwards
// of the surface: by which another direction must be better, so that rounding decides nothing
static const double DC_BED_BETTER = 1e-9;
static const double DC_BED_FLATTEST = 1e-9;  // beyond sin(45 degrees), so that facets at 45 degrees count as standing

#endif
