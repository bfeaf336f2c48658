// SPDX-License-Identifier: Apache-2.0
// The smoothed nearest point of a triangle to a vertex (paper 001, V-F), and what it is measured against.  Contact
// manifolds have none: a vertex meets the other body's signed distance.
#ifndef BENCH_FACE_POINT_H
#define BENCH_FACE_POINT_H

// in [12]: the vertex, then the three corners (x, y, z each), which must not lie on a line.  softness: of comparing,
// clipping and choosing, without unit, of a triangle scaled to edges of mean square 1.
void dc_face_point(double softness, const double in[12], double point[3]);
// Stores the derivatives of by.point by the 12 numbers.
void dc_face_point_back(double softness, const double in[12], const double by[3], double by_in[12]);

// The same point as a quadratic program in two barycentric coordinates, with a logarithmic barrier (its coefficient, of
// the triangle scaled as above): primal-dual interior point method, Newton on the KKT conditions, to residuals of
// 1e-10.  Returns the number of iterations, -1 when it did not converge.
int dc_face_interior_point(const double in[12], double barrier, double point[3]);

#endif
