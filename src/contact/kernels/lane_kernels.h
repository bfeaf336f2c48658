// SPDX-License-Identifier: Apache-2.0
// The vector kernels of the contact potential: eight terms at a time, one compiled copy per instruction set, chosen
// at run time.
//
// All coordinates are relative to the frame origin c_a of body a, in world axes, so that the distance from the
// world's origin costs no digits.  Derivatives are those for a twist (w, t) of body a about c_a: gradient [6],
// Hessian [21] (lower triangle, row by row).
#ifndef DC_CONTACT_LANE_KERNELS_H
#define DC_CONTACT_LANE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "contact/kernels/manifold_kernels.h"

enum { DC_BATCH = 8, DC_HESSIAN = 21 };
// sqrt(12), of P(S) = l S + 2 sqrt(12 l S) + 12 (docs/theory.md, "Triangle pairs").
static const double DC_SQRT12 = 3.4641016151377545871;
#define DC_LINE __attribute__((aligned(64)))  // a cache line, and the widest vector

// Batches are read and written in whole vectors: lane arrays come first and the structures are aligned to a cache
// line, so allocate them with dc_alloc, dc_grow or an arena.

// The least multiple of DC_BATCH that holds so many.
static inline int dc_whole_batches(int count)
{
  return (count + DC_BATCH - 1) / DC_BATCH * DC_BATCH;
}

// Eight triangle pairs.  Unused lanes repeat a used one with weight 0.
struct dc_triangle_batch {
  double vertices[18][DC_BATCH] DC_LINE;  // triangle of a (3 vertices x 3 coordinates), triangle of b
  // Start plane in, optimal plane out: unit normal (from b to a) and offset in the coordinates of body b's frame; a
  // zero normal: no start.
  double plane[4][DC_BATCH];
  double weight[DC_BATCH];  // of each lane in the sum of Hessians
  // Out.
  double energy[DC_BATCH];  // P - 12; INFINITY where the triangles touch or cross
  double gap[DC_BATCH];     // sum of the smallest distances of either triangle to the plane, 0 where they cross
  double gradient[6][DC_BATCH];
  int64_t unconverged;  // lanes whose plane did not reach the tolerance; their Hessians are left out
  int64_t iterations;   // Newton iterations, summed over the batch's groups of width lanes
  // In, common to all lanes.
  double rotation_b[9];  // frame b -> world
  double arm[3];         // c_a - c_b
  double length;         // l of the potential
};

enum { DC_LEAF_CORNERS = 64 };  // most vertices of a convex leaf

// Eight pairs of convex leaves.  Unused lanes repeat a used one with weight 0; leaves of a lane with fewer vertices
// than others of its side repeat one with share 0.
struct dc_leaf_batch {
  double vertices[2][DC_LEAF_CORNERS][3][DC_BATCH] DC_LINE;  // of the leaf of a, of that of b
  double share[2][DC_LEAF_CORNERS][DC_BATCH];                // 3 / number of the leaf's vertices
  double radius[2][DC_BATCH];
  // Start plane in, which must lie between the leaves, or normal 0; optimal plane out, in world axes about c_a.
  double plane[4][DC_BATCH];
  double weight[DC_BATCH];  // of each lane in the sum of Hessians
  // Out, as in struct dc_triangle_batch.
  double energy[DC_BATCH], gap[DC_BATCH], gradient[6][DC_BATCH];
  int64_t iterations;
  // In, common to all lanes.
  int count[2];  // most vertices of a leaf of a, of b
  int used;      // pairs; what lanes behind them give is no number of any pair
  double length;
  bool failed[DC_BATCH];  // out: the start was none, or the plane did not reach the tolerance; its Hessian is left out
};

// Eight centred terms scale * (P_c(sqrt(r^2 + spread)) - 12) (docs/theory.md, "Centred terms").
struct dc_centred_batch {
  double center_a[3][DC_BATCH] DC_LINE, center_b[3][DC_BATCH];  // relative to c_a
  double spread[DC_BATCH];                                      // sigma_I^2 + sigma_J^2
  double scale[DC_BATCH];                                       // W_I W_J
  double weight[DC_BATCH];                                      // in the sum of Hessians
  // Out.
  double energy[DC_BATCH];
  double gradient[6][DC_BATCH];
  // In, common to all lanes.
  double length;
};

// Node pairs of eight blends (1 - phi) A + phi C.
struct dc_node_batch {
  double center_a[3][DC_BATCH] DC_LINE, center_b[3][DC_BATCH];
  double spread[DC_BATCH], scale[DC_BATCH];  // of C, as in dc_centred_batch
  double constant[DC_BATCH];                 // added to C (the paper's offset, 0 otherwise)
  double inner[DC_BATCH], zone[DC_BATCH];    // d1 = R_I + R_J, d2 - d1
  double length;
};

// Eight blends.
struct dc_blend_batch {
  // Written by blend_setup.
  double center_a[3][DC_BATCH] DC_LINE;
  double direction[6][DC_BATCH];  // z = (x x e; e)
  double inverse[DC_BATCH];       // 1 / r
  double phi[3][DC_BATCH];        // phi, phi', phi''
  double centred[3][DC_BATCH];    // C, C', C''
  // In, for their own part of the Hessian.
  double weight[DC_BATCH], energy[DC_BATCH], gradient[6][DC_BATCH];  // energy and gradient of A
};

// Eight triangle pairs that slide on their planes of time t (docs/theory.md, "Friction").  Unused lanes repeat a used
// one with strength 0.
struct dc_friction_batch {
  double arms[18][DC_BATCH] DC_LINE;  // x_v - c_X of the vertices of a's and of b's triangle, world axes
  double plane[4][DC_BATCH];          // as in dc_triangle_batch
  double strength[DC_BATCH];  // lambda h mu w_i w_j (1 - phi) before friction_setup, then sum_v W_v, W_v = lambda h f_v
  // Written by friction_setup.
  double axes[9][DC_BATCH];       // b_1, b_2 in the plane, principal axes of the weighted vertices; normal n
  double levers[12][DC_BATCH];    // (b_1, b_2).(x_v - o), o the weighted mean of the vertices
  double distances[6][DC_BATCH];  // h_v
  double weights[6][DC_BATCH];    // W_v / strength
  // The solution of the last friction_terms, where the next one starts.
  double motion[3][DC_BATCH];  // of the plane: u, omega
  double pulls[12][DC_BATCH];  // y_v = r_v / s_v
  // Slips r_v of two iterates of the step, and the y_v that their Hessians were made with.
  double slips[2][12][DC_BATCH], held[2][12][DC_BATCH];
  bool warm;  // motion and pulls hold a start
};

// Eight vertices above a half space.  Unused lanes repeat a used one with weight 0.
struct dc_floor_batch {
  double arm[3][DC_BATCH] DC_LINE;                     // x_v - c_a at time t, world axes
  double height[DC_BATCH];                             // h_v
  double weight[DC_BATCH];                             // W_v = lambda h f_v
  double slips[2][2][DC_BATCH], held[2][2][DC_BATCH];  // as in dc_friction_batch
};

// Vertices of one of two hulls that slide on the plane between them, eight side by side.  Unused lanes repeat a used
// one with weight 0.
struct dc_slip_batch {
  double arm[3][DC_BATCH] DC_LINE;                     // x_v - c_X of time t, world axes
  double lever[2][DC_BATCH];                           // (b_1, b_2).(x_v - o)
  double weight[DC_BATCH];                             // W_v / strength
  double pull[2][DC_BATCH];                            // y_v, kept from one evaluation to the next
  double slips[2][2][DC_BATCH], held[2][2][DC_BATCH];  // as in dc_friction_batch
  // The evaluation writes B^T (x+ - x)/h, r_v, s_v and 1/s_v, and r_v and s_v of a trial.
  double velocity[2][DC_BATCH], slip[2][DC_BATCH], size[DC_BATCH], inverse[DC_BATCH];
  double trial_slip[2][DC_BATCH], trial_size[DC_BATCH];
  int used;  // lanes
};

// Two hulls of any number of vertices and the plane on which they slide, or vertices above a primitive.
struct dc_slip_hulls {
  struct dc_slip_batch *batches;
  int count_a, count;  // batches, those of a first
  const double *axes;  // b_1, b_2
  double strength;     // sum of W_v
  double drag;         // rho^2/e, m s: on the plane's spin
  bool primitive;      // the plane stands still
  double *motion;      // u, omega: where the solution starts, and the solution
  bool warm;           // motion and pulls hold a start
};

// Arguments of friction_setup that the triangle pairs of one body pair share, at time t.
struct dc_friction_place {
  double rotation_b[9];  // frame b -> world
  double arm[3];         // c_a - c_b
  double length;         // l of the potential
};

// How the frames of bodies a and b have moved from t to t+1, for friction_terms and friction_floor.
struct dc_friction_motion {
  double turn[2][9];      // D = R+ R^T
  double drift[2][9];     // (D - I) / h
  double velocity[2][3];  // (c+ - c) / h
  double time_step;       // h
  double smoothing;       // e
  int order;              // 0: energy, 1: and gradient, 2: and Hessian
  bool both;              // b moves too
  bool solved;            // the last evaluation was at the same motion: planes and slips are those that it has found
  // Hessians with y_v of their own, not r_v / s_v: into slot `to` of slips and held, from the other one unless fresh.
  bool hold, fresh;
  double start;  // fresh ones are start r_v / s_v: 1 makes the Hessian, 0 the majorant W/s I
  int to;
};

// Sums over the pairs, lane by lane, for twists of either frame at t+1 about its origin.
struct dc_friction_sums {
  double energy[DC_BATCH] DC_LINE;
  double gradient[12][DC_BATCH], h_aa[DC_HESSIAN][DC_BATCH];
  double turn[12][DC_BATCH];  // curvature of the rotations of a and of b, lower triangles: not in h_aa and h_bb
  int64_t unconverged;        // lanes whose plane's motion did not reach the tolerance
  int64_t iterations;         // summed over groups of width lanes
  // Only touched where b moves too.
  double h_ab[36][DC_BATCH], h_bb[DC_HESSIAN][DC_BATCH];
};

// The derivative of a friction batch by the poses at time t.
struct dc_friction_back {
  double wrench[12][DC_BATCH] DC_LINE;  // added to: on the frames at t of a and b
  double range_rate[DC_BATCH];          // in: what the end of friction's range adds to the derivative of log f_v by S
  double share[DC_BATCH];               // of a pair in the derivative of the energy along the twists
  // On each vertex, world axes; by its slip and by the variation of that, along b_1 and b_2.
  double force[18][DC_BATCH], a[12][DC_BATCH], b[12][DC_BATCH];
};

struct dc_lane_kernels {
  const char *name;  // "avx512", "avx2", "baseline"
  int width;         // doubles per vector
  // order 0: energies, 1: and gradients, 2: and adds weight * Hessian of every lane to hessian [21][8].
  void (*triangle_pairs)(struct dc_triangle_batch *batch, int order, double (*hessian)[DC_BATCH]);
  // The same for convex leaves.
  void (*leaf_pairs)(struct dc_leaf_batch *batch, int order, double (*hessian)[DC_BATCH]);
  void (*centred_terms)(struct dc_centred_batch *batch, int order, double (*hessian)[DC_BATCH]);
  void (*blend_setup)(const struct dc_node_batch *nodes, struct dc_blend_batch *batch);
  void (*blend_hessians)(const struct dc_blend_batch *batch, double (*hessian)[DC_BATCH]);
  // Bases, levers, distances and weights of sliding pairs.
  void (*friction_setup)(struct dc_friction_batch *batch, const struct dc_friction_place *place);
  // Solves for the motion of the planes and adds to sums.
  void (*friction_terms)(struct dc_friction_batch *batch, const struct dc_friction_motion *motion,
                         struct dc_friction_sums *sums);
  // twist: of the frames of a and b at t+1; length: l of the potential.
  void (*friction_back)(const struct dc_friction_batch *batch, const struct dc_friction_motion *motion,
                        const double *const twist[2], double length, struct dc_friction_back *back);
  // The terms of two hulls: the vertices are side by side, and each used lane of sums has the whole sum added.
  void (*hull_slips)(const struct dc_slip_hulls *hulls, const struct dc_friction_motion *motion,
                     struct dc_friction_sums *sums);
  // axes: b_1, b_2 of the half-space.
  void (*friction_floor)(struct dc_floor_batch *batches, int count, const double axes[6],
                         const struct dc_friction_motion *motion, struct dc_friction_sums *sums);
  // Nearest points of pairs of edges: results are alpha1, alpha2 and gamma, which is near 1 where both lie inside their
  // edges.
  void (*edge_witness)(const struct dc_edge_smoothing *smoothing, int count, const double *const ends[DC_EDGE_ENDS],
                       double *const results[DC_EDGE_RESULTS]);
  // Adds to by_ends what cotangents of the results come to.
  void (*edge_witness_back)(const struct dc_edge_smoothing *smoothing, int count,
                            const double *const ends[DC_EDGE_ENDS], const double *const by_results[DC_EDGE_RESULTS],
                            double *const by_ends[DC_EDGE_ENDS]);
  // a [count] becomes exp(a), 1/(1 + exp(-a)); beyond 700 it is cut.
  void (*exponentials)(int count, double *a);
  void (*sigmoids)(int count, double *a);
  // Signed distances of a union of superquadrics and their gradients, at points in the axes it is given in.
  void (*quadric_values)(const struct dc_quadrics *quadrics, int count, const double *const x[3], double *values,
                         double *const gradients[3]);
  // by_x: the derivative of v phi + u.grad phi.
  void (*quadric_values_back)(const struct dc_quadrics *quadrics, int count, const double *const x[3], const double *v,
                              const double *const u[3], double *const by_x[3]);
};

// The widest kernels this processor runs.  DCSIM_VECTOR=avx512|avx2|baseline in the environment asks for narrower
// ones.
const struct dc_lane_kernels *dc_lane_kernels(void);
// All copies this processor runs, NULL-terminated, widest first.
const struct dc_lane_kernels *const *dc_lane_kernels_all(void);

#endif
