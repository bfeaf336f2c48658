// SPDX-License-Identifier: Apache-2.0
// The distance of two convex hulls, given by their vertices.
#ifndef DC_GEOMETRY_HULL_DISTANCE_H
#define DC_GEOMETRY_HULL_DISTANCE_H

// The gap between the hulls of a [a_count][3] and b [b_count][3], m, along the unit axis normal [3] from b to a given
// by the nearest points (Gilbert, Johnson, Keerthi 1988).  It is a lower bound of the distance, smaller by rounding of
// the coordinates only; for thin faces at gaps below 1e-8 of the size, by a fraction of it.  Returns 0 when the hulls
// touch or overlap, up to that rounding; normal is then meaningless.  Only the vertices count; they may coincide, or
// lie on a line or in a plane.  a_count, b_count >= 1.
double dc_hull_distance(const double (*a)[3], int a_count, const double (*b)[3], int b_count, double normal[3]);

#endif
