// SPDX-License-Identifier: Apache-2.0
// Laws of friction of a node that slides along a half-space (docs/theory.md, "Soft bodies").  Private to src/dynamics.
#ifndef DC_DYNAMICS_SLIP_H
#define DC_DYNAMICS_SLIP_H

#include "body/soft.h"

// The force against a way t in a step is -k(|t|^2) t, |k t| < c.
struct dc_slip_law {
  enum dc_node_friction friction;
  double e, c;  // J; greatest friction, N, 0: none
};

// k, N/m; its derivatives by the square of the way, N/m^3, and by c, 1/m.
struct dc_slip_stiffness {
  double k, by_square, by_c;
};

// At the square of a way, m^2; c > 0.
struct dc_slip_stiffness dc_slip_stiffness(const struct dc_slip_law *law, double square);
// The energy at way `to` less that at way `from`, J, without large numbers that cancel; c > 0.
double dc_slip_energy_change(const struct dc_slip_law *law, const double from[3], const double to[3]);
// The k at the minimum of w.B w/2 + f.w + D(|w|), D the law's energy, B diagonal and positive: w_i = -f_i/(b_i + k).
double dc_slip_response(const struct dc_slip_law *law, const double f[2], const double b[2]);

#endif
