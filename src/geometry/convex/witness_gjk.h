// SPDX-License-Identifier: Apache-2.0
// Inside the queries of witness points: the set of differences of two convex polyhedra, its supports, and its point
// nearest to the origin.
#ifndef DC_GEOMETRY_WITNESS_GJK_H
#define DC_GEOMETRY_WITNESS_GJK_H

#include <stdbool.h>

// Vertices of which the hull counts.
struct dc_corners {
  int count;
  const double (*vertices)[3];            // [count], m, in the frame of their body
  const int *neighbor_start, *neighbors;  // as in struct dc_convex; NULL: every vertex is looked at
};

// The set A - B = {a - (rotation b + shift)}, in the frame of A.
struct dc_difference {
  struct dc_corners corners[2];  // of A and of B
  const double *rotation;        // [9]; NULL: none
  double shift[3];
  double scale;     // m: no coordinate of A, of B or between them is larger
  double touching;  // m: distances up to it count as 0
  int start[2];     // where walks to the farthest vertex begin
};

struct dc_difference_point {
  double w[3];   // a - b
  int index[2];  // of a and b
};

// A point of the hull of up to four points: sum weight w.
struct dc_simplex {
  int count;
  struct dc_difference_point points[4];
  double weight[4];
  double nearest[3];  // that point
  double bound;       // after dc_gjk: the least height of A - B along it, m; the distance is not less
};

enum dc_gjk_outcome {
  DC_GJK_APART,  // simplex->nearest is the point of A - B nearest to the origin
  DC_GJK_MEET,   // they touch or overlap; a simplex of four points holds the origin, to rounding
  DC_GJK_BEYOND  // the distance is larger than what was asked for
};

// Sets w of the difference of two vertices.
void dc_difference_at(const struct dc_difference *difference, struct dc_difference_point *point);

// The point of A - B farthest along direction (any length).
void dc_difference_support(struct dc_difference *difference, const double direction[3],
                           struct dc_difference_point *point);

// Sets nearest and weights and leaves only the points that have one; true when four points hold the origin.
bool dc_simplex_reduce(struct dc_simplex *simplex);

// Gilbert, Johnson, Keerthi 1988, from the points [count >= 1] in simplex on.  limit: a distance beyond which nothing
// more is asked for, m.  Adds the supports that it took to *supports.
enum dc_gjk_outcome dc_gjk(struct dc_difference *difference, double limit, struct dc_simplex *simplex, long *supports);

#endif
