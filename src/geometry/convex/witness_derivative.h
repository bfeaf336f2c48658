// SPDX-License-Identifier: Apache-2.0
// Derivatives of witness points by the poses of their solids (paper 002; docs/theory.md, "Derivatives of witness
// points").
//
// The whole derivative of a query are two 3x3 matrices and two points.  With V_i(p) = w_i x (p - c_i) + t_i the
// velocity field of solid i's twist (w, t) about its reference point c_i, world axes,
//     dx_1 = V_1(x_1*) + A (dx_2 - V_1(x_2)),   dx_2 = V_2(x_2*) + B (dx_1 - V_2(x_1)):
// A says how the point of solid 1 follows a point that moves relative to solid 1, x* is where that point is taken to
// be.
#ifndef DC_GEOMETRY_WITNESS_DERIVATIVE_H
#define DC_GEOMETRY_WITNESS_DERIVATIVE_H

#include "geometry/mesh/surface_samples.h"
#include "geometry/convex/witness.h"

enum { DC_WITNESS_SAMPLES_MOST = 256 };

enum dc_witness_method {
  DC_WITNESS_SMOOTHED,  // distance-based smoothing: paper 002, section IV
  DC_WITNESS_DIRECTION,  // "rs1-direction": score <v, sign(d) (x_1 - x_2)> / 1e-3 (Montaut et al. 2022; paper 002, Eq. 22)
  DC_WITNESS_ANALYTICAL,         // no smoothing: the closest point of the face, edge or vertex that the witness is on
  DC_WITNESS_FINITE_DIFFERENCE,  // central differences of queries: made by the caller, not here
  DC_WITNESS_RS0                 // Gaussian differences of queries (Montaut et al. 2022): made by the caller, not here
};

enum dc_witness_score {
  DC_SCORE_SQUARED,  // -|v - y|^2, tau = std(u): paper 002, section IV-B
  DC_SCORE_DISTANCE  // -|v - y|, tau = sqrt(std(u)): the authors' later form
};

enum dc_witness_sampling {
  DC_SAMPLE_ADAPTIVE,  // within radius_scale |t - x| of the witness point, at least radius
  DC_SAMPLE_FIXED,     // within fixed_radius times the solid's size
  DC_SAMPLE_NEIGHBOR   // vertices up to 5 edges away
};

struct dc_witness_settings {
  int method;           // enum dc_witness_method
  int score, sampling;  // enum dc_witness_score, dc_witness_sampling
  long samples;         // drawn per solid and query (N), in [2, DC_WITNESS_SAMPLES_MOST]
  double radius;        // least radius of adaptive sampling, m (epsilon)
  double radius_scale;  // s
  double fixed_radius;  // of the solid's size
  bool coupled;         // solve both equations together instead of passing each once through the other
  bool smoothed_point;  // velocities at x* (true) or at the witness point
  bool temperature;     // differentiate through tau as well
};
extern const struct dc_option dc_witness_options[];  // into struct dc_witness_settings; the defaults are the best known

// One side of a derivative: matrix A or B (world axes) and the smoothed point.
struct dc_witness_side {
  double follow[9];  // how the point follows the other one
  double point[3];   // x*, world, m
};

// Names a draw of samples: the same key gives the same samples.
struct dc_witness_draw {
  uint64_t key;         // of the run, the pair of points and the iteration
  double radius_scale;  // factor on the radius of adaptive sampling, the least one included, in (0, 1]
};

// The data of a solid that derivatives need.
struct dc_witness_solid {
  const struct dc_solid *solid;
  const struct dc_surface_samples *samples;
};

// Both sides at witness by one of the first three methods; target [2][3]: where the points should be, world, m (for
// adaptive sampling).  Of the analytical method x* is the witness point.  No allocation.
void dc_witness_derivative(const struct dc_witness_settings *settings, const struct dc_witness_solid solids[2],
                           const struct dc_placement placements[2], const struct dc_witness *witness,
                           const double target[2][3], const struct dc_witness_draw *draw,
                           struct dc_witness_side sides[2]);

// jacobian [i][k][3][6] = d x_i / d twist_k, twists (w, t) about center[k] (world, m), by the two equations above: each
// passed once through the other ("paper" mode) or coupled, then with 0.9999 A B for A B where 1 - A B is nearly
// singular.
void dc_witness_jacobian(const struct dc_witness_settings *settings, const struct dc_witness *witness,
                         const struct dc_witness_side sides[2], const double center[2][3], double jacobian[2][2][18]);

#endif
