// SPDX-License-Identifier: Apache-2.0
// Pairs of convex hulls that slide on the planes between them, whatever their number of vertices: what sdrs and the
// convex leaves of bsh share (docs/theory.md, "Friction").
#ifndef DC_CONTACT_HULL_SLIP_H
#define DC_CONTACT_HULL_SLIP_H

#include "contact/friction/friction_internal.h"

// A vertex that slides on a plane: its arm at time t from its body's centre in world axes and its place in the plane's
// frame, m; the distance u_v in units of length (of sdrs; of convex leaves m); its part W_v of the plane's weight.  Its
// slips are those of its lane of a batch (struct dc_slip_batch).
struct dc_sliding_vertex {
  double arm[3], local[3], distance, weight;
  int index;  // of the body's points
};

// A sliding pair of hulls, or a body on a half-space.
struct dc_sliding_hulls {
  int count_a, count;
  size_t first;  // of its vertices, those of a first
  size_t first_batch;
  int batches_a, batches;  // those of a first
  bool warm;
  double axes[9];    // b_1, b_2 and the plane's unit normal
  double slack;      // 1 - |n|, of sdrs
  double strength;   // sum of W_v
  double motion[3];  // u, omega
};

// One unit for each, a group of its own.
struct dc_hull_slips {
  double drag;  // rho^2/e, m s: on the planes' spins
  struct dc_sliding_hulls *sliding_pairs;
  struct dc_sliding_vertex *vertices;
  struct dc_slip_batch *batches;
  size_t sliding_count, sliding_capacity, vertex_count, vertex_capacity, batch_count, batch_capacity;
};

// L D L^T of a symmetric 3x3 matrix (lower triangle), in place; pivots are kept positive.
static inline void dc_hull_factor_motion(double z[3][3])
{
  const double least_pivot = 1e-15, least_diagonal = 1e-290;  // the first relative to the diagonal
  double d1 = z[1][1], d2 = z[2][2];
  z[0][0] = fmax(z[0][0], least_diagonal);
  double l10 = z[1][0] / z[0][0], l20 = z[2][0] / z[0][0];
  z[1][1] = fmax(d1 - z[1][0] * l10, fmax(least_pivot * d1, least_diagonal));
  double b = z[2][1] - z[2][0] * l10, l21 = b / z[1][1];
  z[2][2] = fmax(d2 - z[2][0] * l20 - b * l21, fmax(least_pivot * d2, least_diagonal));
  z[1][0] = l10;
  z[2][0] = l20;
  z[2][1] = l21;
}

// x = Z^-1 g; returns g^T Z^-1 g.
static inline double dc_hull_solve_motion(const double z[3][3], const double g[3], double x[3])
{
  double y1 = g[1] - z[1][0] * g[0], y2 = g[2] - z[2][0] * g[0] - z[2][1] * y1, g0 = g[0];
  double z0 = g0 / z[0][0], z1 = y1 / z[1][1], z2 = y2 / z[2][2];
  x[2] = z2;
  x[1] = z1 - z[2][1] * z2;
  x[0] = z0 - z[1][0] * x[1] - z[2][0] * z2;
  return g0 * z0 + (y1 * z1 + y2 * z2);
}

// One more pair, of no vertices yet; NULL when out of memory.
struct dc_sliding_hulls *dc_hull_slips_add(struct dc_hull_slips *slips);
// Room for so many more vertices; -1 when out of memory.
int dc_hull_slips_reserve(struct dc_hull_slips *slips, size_t count);
// Adds a vertex to the last pair; there is room for it.
void dc_hull_slips_add_vertex(struct dc_hull_slips *slips, struct dc_sliding_hulls *sliding, int index,
                              const double arm[3], const double local[3], double distance, double weight);
// Empties the lists.
void dc_hull_slips_clear(struct dc_hull_slips *slips);
// The last pair becomes a unit like the one given, unless nothing slides after all; -1 when out of memory.
int dc_hull_slips_finish(struct dc_hull_slips *slips, struct dc_friction *friction,
                         const struct dc_friction_unit *like);
// Evaluates a unit, as struct dc_friction_methods says of `run`.
void dc_hull_slips_run(struct dc_hull_slips *slips, const struct dc_lane_kernels *kernels,
                       struct dc_friction_unit *unit, const struct dc_friction_motion *motion);
void dc_hull_slips_release(struct dc_hull_slips *slips);

#endif
