// SPDX-License-Identifier: Apache-2.0
// Closest points of a point and a triangle and of two edges, with the derivatives of their squared distance
// (docs/theory.md, "IPC").
//
// Four vertices x_v, r = sum_v weight_v x_v is the vector between the closest points.  Where these are inside of a
// face, of two edges or of one, r is least over 2 or 1 parameters, in which weights are linear: t_k = sum_v slope_kv
// x_v is the derivative of r, and t_k.r = 0.
#ifndef DC_GEOMETRY_DISTANCE_H
#define DC_GEOMETRY_DISTANCE_H

// Which part of the triangle is closest: vertices 0, 1, 2, edges 01, 12, 20, the inside.
enum dc_triangle_region { DC_NEAR_0, DC_NEAR_1, DC_NEAR_2, DC_NEAR_01, DC_NEAR_12, DC_NEAR_20, DC_NEAR_FACE };
// Which part of an edge; of two edges the region is 3 * that of the first + that of the second.
enum dc_edge_region { DC_NEAR_START, DC_NEAR_END, DC_NEAR_INSIDE };

struct dc_closest {
  int region;
  int parameters;  // 0, 1 or 2
  double weight[4], slope[2][4];
  double r[3], square;  // m; |r|^2
};

// Point x_0 and triangle x_1 x_2 x_3 (not degenerate); r from the triangle to the point.
void dc_closest_point_triangle(const double (*x)[3], struct dc_closest *closest);

// Edges x_0 x_1 and x_2 x_3 (not degenerate); r from the second to the first.  Parallel edges have several closest
// points: one of them.
void dc_closest_edges(const double (*x)[3], struct dc_closest *closest);

// Exchanges the roles of the two sides: r points the other way.
void dc_closest_flip(struct dc_closest *closest);

// Gradient [6] (order 1) and Hessian [21] (order 2; lower triangle, row by row) of |r|^2 for a twist (w, t) of the
// vertices in `moving` (bit v: vertex v), x -> exp([w]x) x + t; their weights must sum to 1.  Exact inside of a region.
void dc_closest_twist(const struct dc_closest *closest, const double (*x)[3], unsigned moving, int order,
                      double gradient[6], double hessian[21]);

// For cotangents of r and of the weights: adds those of the vertices x [4][3] that determine both to out.
void dc_closest_pull_back(const struct dc_closest *closest, const double (*x)[3], const double by_r[3],
                          const double by_weight[4], double (*out)[3]);

#endif
