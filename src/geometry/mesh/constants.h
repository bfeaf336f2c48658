// SPDX-License-Identifier: Apache-2.0
// Limits and tolerances of meshes.  Coordinates of files are single precision or six to nine decimal digits, so
// that nothing below 1e-7 of the size is geometry; sums over triangles round to about 1e-14.
#ifndef DC_GEOMETRY_MESH_CONSTANTS_H
#define DC_GEOMETRY_MESH_CONSTANTS_H

// Checks of surfaces (mesh_check.c, simplices_cursor.c) and of elements.
// m; squares and cubes of it must stay finite and leave digits to the size
static const double DC_MESH_LARGEST_COORDINATE = 1e9;
static const double DC_MESH_SMALLEST_SIZE = 1e-9;  // m; a smaller mesh is a mistake of units
// of the squared size an area, of the cubed size a volume, that rounding leaves
static const double DC_MESH_ROUNDING = 1e-14;
// of the cube of the longest edge: flatter elements are refused, as elastic energies need the inverse of the
// rest shape
static const double DC_LEAST_ELEMENT_VOLUME = 1e-9;
static const double DC_LEAST_ELEMENT_AREA = 1e-9;  // of the square of the longest edge, likewise
// of the size: a group with a vertex higher above a triangle is not convex
static const double DC_GROUP_CONVEX = 1e-6;
// of the squared size: smaller cross products are zero, of corners on a straight edge
static const double DC_POLYGON_STRAIGHT = 1e-13;

// Work that a file may cost: some seconds each.  Larger files are refused.
static const long DC_POLYGON_MOST_WORK = 400000000;  // tests of a corner against a triangle for one polygon
static const long DC_APART_MOST_PAIRS = 10000000;    // pairs of nodes that are looked at for overlaps of parts

// Edge collapse (mesh_decimate.c).
// s of its head: larger ones keep points of flat surfaces apart, at the cost of the shape
static const double DC_POINT_SHARE = 1e-7;
// between the normals of a triangle before and after a collapse; below 0 triangles fold over
static const double DC_COLLAPSE_LEAST_COSINE = 0.2;
// of a new triangle, unless the old one was worse: see quality()
static const double DC_COLLAPSE_LEAST_QUALITY = 0.1;
static const double DC_COLLAPSE_FARTHEST = 2;  // from the middle of the edge to x, in lengths of the edge

// Samples of surfaces of unions (surface_samples.c), relative to the solid's size.  Parts are convex to 1e-6 of
// their size: the step must be larger, and the tolerance between both.
// a point is moved outwards by this before it is tested against other parts, so that coincident faces of parts
// count as inside
static const double DC_SAMPLE_STEP = 1e-5;
static const double DC_SAMPLE_TOLERANCE = 2e-6;  // height above a face at which a point still counts as inside

#endif
