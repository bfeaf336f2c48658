// SPDX-License-Identifier: Apache-2.0
// Tolerances of convex geometry.  Witness points are accurate to about 1e-12 of the size of their bodies.  The
// tolerances stand in an order that this needs:
//     rounding (1e-16 to 1e-15) < ends of iterations (1e-14 to 1e-13) < what touches (1e-12 to 1e-9)
//         < what files give to nine digits (1e-8) < geometry that is meant (1e-7 and more).
// A value that leaves its place in this order makes iterations stall or takes sides of one body for two.  "Of the
// coordinates" means relative to the largest coordinate that takes part.
#ifndef DC_GEOMETRY_CONVEX_CONSTANTS_H
#define DC_GEOMETRY_CONVEX_CONSTANTS_H

#include <float.h>

// Convex hulls by Qhull, relative to the size of the set of points.  Sizes that Qhull's own rounding leaves must
// count as flat, or it fails on them.
static const double DC_HULL_LEAST_THICKNESS = 1e-10;  // a thinner set of points is flat and has no hull
// a lower triangle is a sliver: rounding may tilt its plane by 1e-8
static const double DC_HULL_SLIVER_HEIGHT = 5e-8;
// a smaller triangle is a sliver; twice what dc_mesh_validate calls degenerate
static const double DC_HULL_SLIVER_AREA = 2e-14;
static const double DC_HULL_LARGEST_EXCESS = 1e-8;     // a corner higher above a side is not due to rounding
static const double DC_HULL_LARGEST_COORDINATE = 1e9;  // m; the limit that meshes have, too

// Distances by GJK (witness_gjk.c) and of hulls (hull_distance.c).
static const double DC_COORDINATE_ROUNDING = 4e-16;  // of the coordinates: rounding of a difference
static const double DC_GJK_PRECISION = 1e-14;        // of the distance: nothing nearer is looked for
// of barycentric coordinates of a face: points on an edge belong to both faces
static const double DC_GJK_OUTSIDE = 1e-12;
static const double DC_GJK_TIE = 1e-12;   // of squared distances: nearer ones are equal
static const double DC_GJK_FLAT = 1e-15;  // of the volume and area that edges of these lengths can have

// Depths by EPA (witness_epa.c).
// of the coordinates: growth of the polytope that counts as none; smaller ones never end
static const double DC_EPA_GAIN = 1e-13;
static const double DC_EPA_RELATIVE_GAIN = 1e-13;  // of the depth: the same
static const double DC_EPA_COPLANAR = 4e-15;       // of the coordinates: a point that high above a face is in its plane
static const double DC_EPA_FLAT = 1e-14;           // sine of the angle between the edges of a face that has no area
static const double DC_EPA_DEGENERATE = 1e-12;     // of the coordinates: the least size of the first tetrahedron

// Closest edges (distance.c) and solids (solid.c), the latter relative to the size of a part.
// squared sine: the closest points inside of flatter edges are no longer defined
static const double DC_EDGES_PARALLEL = 1e-20;
// with a vertex higher above a triangle, the part's hull replaces its mesh
static const double DC_SOLID_CONVEX = 1e-12;
// with a higher one, support points are found by testing every vertex instead of climbing, which could stop
// short
static const double DC_SOLID_CLIMB = 1e-13;
static const double DC_SOLID_BESIDE = 1e-7;  // triangles that are so much farther than the nearest one count as near
// squared distance of equal unit normals, 3e-5: triangles of one side differ by up to 2e-8 in files with nine
// digits, sides of shipped objects by more than 1e-2
static const double DC_SOLID_SAME_NORMAL = 1e-9;

// Witness points of unions (witness.c), their analytical normals and their derivatives.
static const double DC_WITNESS_EQUAL = 1e-13;     // of the coordinates: nearer distances are equal
static const double DC_WITNESS_TOUCHING = 1e-12;  // of the coordinates: below it rounding would determine a direction
// of the coordinates: rounding of poses; bounds on distances are widened by it
static const double DC_POSE_ROUNDING = 4e-15;
// of the coordinates: a longer sum of motions is begun anew, before it loses digits
static const double DC_LONGEST_WAY = 100;
// of the solid's size: a point this far below a face touches it, as witness points are accurate to about 1e-12
static const double DC_FACE_TOUCHING = 1e-9;
// sine of the angle of equal normals: between the angle of triangles of one side (up to 2e-8 in files with nine
// digits) and of sides of shipped objects (more than 1e-2)
static const double DC_FACES_COPLANAR = 1e-6;
// factor on A B in the coupled equations where their determinant is below the next value
static const double DC_WITNESS_COUPLING = 0.9999;
static const double DC_WITNESS_SINGULAR = 1e-3;  // the determinant below which they are taken as singular

// Witness points that are sampled and smoothed over their neighbourhood (witness_sampling.c,
// witness_smoothing.c).
// cos 120 degrees: samples that face away from the contact, such as the other side of a thin plate, are
// excluded
static const double DC_SAMPLE_NORMAL_LEAST = -0.5;
// scores that differ by less than this part of what they were computed from are equal
static const double DC_SCORES_EQUAL = 64 * DBL_EPSILON;
// m^2, of the direction's score: larger ones are smoother and less exact
static const double DC_DIRECTION_TEMPERATURE = 1e-3;
static const double DC_DIRECTION_DAMPING = 1e-6;  // regularization of the direction's equation
static const double DC_DIRECTION_GAIN = 1e3;      // the gain above which the regularization is used

#endif
