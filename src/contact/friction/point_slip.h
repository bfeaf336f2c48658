// SPDX-License-Identifier: Apache-2.0
// Private to src/contact: friction of points on a normal that stays as it was at time t (ipc, manifold).
//
//     D = sum_k F_k f0(|u_k|),   F = lambda f,   u = (I - n n^T) (x_a+ - x_a - x_b+ + x_b).
// With g = F f0'/y u, the force, and K = F (f0'/y (I - n n^T) + (f0'' - f0'/y) u u^T/y^2), arms r+ at t+1, J = [-[r+]x,
// I], side s = 1 for a and -1 for b:
//     gradient s J^T g,   h_XY = s_X s_Y J_X^T K J_Y,   turn s ((g r+^T + r+ g^T)/2 - (g.r+) I).
// K is positive semidefinite, so is the whole without turn.
//
// The derivative of D along motions at t+1, delta those of x_a+ - x_b+, is with Delta = x_a+ - x_a - x_b+ + x_b
//     G = F phi(|u|) u.delta,   phi = f0'/y,   gamma = phi'/y,
//     by Delta    F (phi (I - n n^T) delta + gamma (u.delta) u),        by delta    F phi u,
//     by n        -F (phi ((n.delta) Delta + (n.Delta) delta) + gamma (u.delta) (n.Delta) Delta).
// Of restitution G = c F rho'(n.Delta) n.delta.
#ifndef DC_CONTACT_POINT_SLIP_H
#define DC_CONTACT_POINT_SLIP_H

#include "contact/friction/friction_internal.h"
#include "geometry/convex/distance.h"

// Two points of the bodies that slide on each other from t to t+1.
struct dc_sliding_point {
  double normal[3];  // from b to a
  double arm[2][3];  // of the points about c_a and c_b at t, world axes, m
  double strength;   // lambda f, N
};

// f0, f0'/y and, times y^2, the derivative of that by y over y, at slip y (m) with the smoothing w (m).
typedef void dc_slip_law(double y, double width, double f[3]);
dc_slip_law dc_slip_ipc;   // Li et al. 2020, Eq. 14: y^2/w - y^3/(3 w^2) below w, y - w/3 above
dc_slip_law dc_slip_root;  // sqrt(y^2 + w^2) - w, as on planes

// A motion by displacements instead of velocities.
struct dc_friction_motion dc_point_displacements(const struct dc_friction_motion *motion);

// The sums of a unit, whose points are sliding_points[unit->first] and on; the motion is one of displacements.  What
// the curvature of rotations adds is left in turn.  HELD is CONVEX: points keep no iterate.
void dc_sliding_points_run(const struct dc_sliding_point *sliding_points, dc_slip_law *law,
                           const struct dc_friction_motion *motion, struct dc_friction_unit *unit);

// G and its cotangents.
struct dc_point_cotangents {
  double total, by_moved[3], by_varied[3], by_normal[3];
};

// moved, varied: Delta and delta.
void dc_point_slip_cotangents(const struct dc_sliding_point *sliding, dc_slip_law *law, double width,
                              const double moved[3], const double varied[3], struct dc_point_cotangents *c);

// Two closest points at t, of four vertices x_v as in geometry/convex/distance.h, whose friction follows the distance d
// of the two and, for edges, c = |e x f|^2.  With Delta = sum_v w_v moved_v, delta = sum_v w_v varied_v the cotangents
// go on
//     by r     (I - n n^T) (by n)/d + G (ln F)_d n,    by c    G (ln F)_c,
//     by w_v   (by Delta).moved_v + (by delta).varied_v,    by x_v    -w_v by Delta besides.
struct dc_point_origin {
  const struct dc_closest *closest;
  double by_distance, by_parallel;                  // (ln F)_d, 1/m; (ln F)_c, 1/m^4
  const double (*x)[3], (*moved)[3], (*varied)[3];  // [4] at t; from t to t+1; along the twists
};
// Adds what belongs to the vertices to out [4][3].
void dc_point_pull_back(const struct dc_point_origin *origin, const double normal[3],
                        const struct dc_point_cotangents *c, double (*out)[3]);

#endif
