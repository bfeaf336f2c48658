// SPDX-License-Identifier: Apache-2.0
// The kernels of one instruction set: included by lane_kernels_*.c, which is compiled with the matching flags.
// The loops over vertices and axes must vanish, which GCC does at -O3 only: CFLAGS, usually -O2, come last on the
// command line, so it is asked for here.  At -O2 the kernels run at 0.6 of the speed.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

#include <stddef.h>
#include <string.h>

#include "contact/kernels/triangle_pair_template.h"
#include "contact/kernels/leaf_pair_template.h"
#include "contact/kernels/friction_template.h"
#include "contact/kernels/friction_back_template.h"
#include "contact/kernels/hull_slip_template.h"
#include "contact/kernels/manifold_template.h"
#include "contact/kernels/quadric_template.h"

// A radial term psi(r), e = (x_I - x_J) / r, F = psi' e, K = psi'/r (I - e e^T) + psi'' e e^T, x = x_I - c_a, z = (x
// x e; e):
//     gradient psi' z;  H_tt = K, H_wt = [x]x K, H_ww = [x]x K [x]x^T + (F x^T + x F^T)/2 - (F.x) I.
// Adds weight * Hessian + (u z^T + z u^T) to sum.  With k1 = psi'/r and k2 = psi'' - k1, K = k1 I + k2 e e^T and
// [x]x e = z_w.
static inline void add_radial_hessian(const lanes x[3], const lanes z[6], lanes slope, lanes k1, lanes k2,
                                      const lanes *mixed, double (*sum)[DC_BATCH], int lane)
{
  lanes h[DC_HESSIAN];
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++) {
      h[e] = k2 * z[i] * z[j];
      if (mixed)
        h[e] -= mixed[i] * z[j] + z[i] * mixed[j];
    }
  lanes force[3] = {slope * z[3], slope * z[4], slope * z[5]};
  lanes spread = k1 * lane_dot(x, x) - lane_dot(force, x);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++) {
      h[e] += 0.5 * (force[i] * x[j] + force[j] * x[i]) - k1 * x[i] * x[j];
      if (i == j)
        h[e] += spread;
    }
  lanes k1x[3] = {k1 * x[0], k1 * x[1], k1 * x[2]};  // rows t, columns w: -k1 [x]x
  h[7] += k1x[2];
  h[8] -= k1x[1];
  h[10] -= k1x[2];
  h[12] += k1x[0];
  h[15] += k1x[1];
  h[16] -= k1x[0];
  h[9] += k1;
  h[14] += k1;
  h[20] += k1;
  for (int e = 0; e < DC_HESSIAN; e++)
    store(&sum[e][lane], load(&sum[e][lane]) + h[e]);
}

// Geometry of a node pair: x = x_I - c_a, direction e in z, distance r and its inverse.
static inline lanes radial_geometry(const double (*center_a)[DC_BATCH], const double (*center_b)[DC_BATCH], int lane,
                                    lanes x[3], lanes z[6], lanes *inverse)
{
  lanes d[3];
  for (int k = 0; k < 3; k++) {
    x[k] = load(&center_a[k][lane]);
    d[k] = x[k] - load(&center_b[k][lane]);
  }
  lanes r = square_root(lane_dot(d, d));
  *inverse = 1.0 / r;
  for (int k = 0; k < 3; k++)
    z[3 + k] = d[k] * *inverse;
  lane_cross(z, x, z + 3);
  return r;
}

// psi(r) = scale (P_c(rho) - 12), rho^2 = r^2 + spread, P_c - 12 = 24 sqrt(l / rho) + 12 l / rho:
//     C' = -12 sqrt(l) rho^(-3/2) - 12 l rho^-2,  C'' = 18 sqrt(l) rho^(-5/2) + 24 l rho^-3
//     psi' = C' r / rho,   psi'' = C'' r^2 / rho^2 + C' spread / rho^3
struct centred {
  lanes value, first, second;
};

// C = W_I W_J (24 sqrt(l/rho) + 12 l/rho) with rho = sqrt(r^2 + sigma^2), that is P - 12 of two points, and its first
// two derivatives by r: C'(rho) r/rho and C''(rho) (r/rho)^2 + C'(rho) sigma^2/rho^3 (docs/theory.md, "Centred
// terms").
static inline struct centred centred_potential(lanes r, lanes spread, lanes scale, double length)
{
  lanes rho = square_root(r * r + spread), inverse = 1.0 / rho;
  lanes root = square_root(length * inverse), square = inverse * inverse;
  lanes slope = -12.0 * (root + length * inverse) * inverse;
  lanes curvature = (18.0 * root + 24.0 * length * inverse) * square;
  lanes ratio = r * inverse;
  return (struct centred){.value = scale * (24.0 * root + 12.0 * length * inverse),
                          .first = scale * slope * ratio,
                          .second = scale * (curvature * ratio * ratio + slope * spread * square * inverse)};
}

// Energies, gradients and, added up lane by lane, Hessians of eight node pairs as points with a spread.
static void centred_terms(struct dc_centred_batch *batch, int order, double (*hessian)[DC_BATCH])
{
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    lanes x[3], z[6], inverse;
    lanes r = radial_geometry(batch->center_a, batch->center_b, lane, x, z, &inverse);
    struct centred c = centred_potential(r, load(&batch->spread[lane]), load(&batch->scale[lane]), batch->length);
    store(&batch->energy[lane], c.value);
    if (order < 1)
      continue;
    for (int k = 0; k < 6; k++)
      store(&batch->gradient[k][lane], c.first * z[k]);
    if (order < 2)
      continue;
    lanes weight = load(&batch->weight[lane]), slope = weight * c.first, k1 = slope * inverse;
    add_radial_hessian(x, z, slope, k1, weight * c.second - k1, NULL, hessian, lane);
  }
}

// All that a blend needs before its sum A is known: the direction of its radial term, phi = t^3 (10 - 15 t + 6 t^2)
// with two derivatives by r, and its centred term likewise.
static void blend_setup(const struct dc_node_batch *nodes, struct dc_blend_batch *batch)
{
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    lanes x[3], z[6], inverse;
    lanes r = radial_geometry(nodes->center_a, nodes->center_b, lane, x, z, &inverse);
    struct centred c = centred_potential(r, load(&nodes->spread[lane]), load(&nodes->scale[lane]), nodes->length);
    lanes inner = load(&nodes->inner[lane]), rate = 1.0 / load(&nodes->zone[lane]), t = (r - inner) * rate;
    for (int k = 0; k < 3; k++)
      store(&batch->center_a[k][lane], x[k]);
    for (int k = 0; k < 6; k++)
      store(&batch->direction[k][lane], z[k]);
    store(&batch->inverse[lane], inverse);
    store(&batch->phi[0][lane], t * t * t * (10.0 + t * (6.0 * t - 15.0)));
    store(&batch->phi[1][lane], 30.0 * t * t * (1.0 + t * (t - 2.0)) * rate);
    store(&batch->phi[2][lane], 60.0 * t * (1.0 + t * (2.0 * t - 3.0)) * rate * rate);
    store(&batch->centred[0][lane], c.value + load(&nodes->constant[lane]));
    store(&batch->centred[1][lane], c.first);
    store(&batch->centred[2][lane], c.second);
  }
}

// (1 - phi) A + phi C with A held constant is one radial term psi = phi (C - A):
//     psi' = phi' (C - A) + phi C',   psi'' = phi'' (C - A) + 2 phi' C' + phi C'';
// the rest of the blend's Hessian is (1 - phi) H_A, summed elsewhere, and -phi' (z g_A^T + g_A z^T).
static void blend_hessians(const struct dc_blend_batch *batch, double (*hessian)[DC_BATCH])
{
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    lanes x[3], z[6], mixed[6], phi[3], c[3];
    for (int k = 0; k < 3; k++) {
      x[k] = load(&batch->center_a[k][lane]);
      phi[k] = load(&batch->phi[k][lane]);
      c[k] = load(&batch->centred[k][lane]);
    }
    lanes weight = load(&batch->weight[lane]), excess = c[0] - load(&batch->energy[lane]);
    lanes slope = weight * (phi[1] * excess + phi[0] * c[1]), k1 = slope * load(&batch->inverse[lane]);
    lanes curvature = weight * (phi[2] * excess + 2.0 * phi[1] * c[1] + phi[0] * c[2]);
    lanes coupling = weight * phi[1];
    for (int k = 0; k < 6; k++) {
      z[k] = load(&batch->direction[k][lane]);
      mixed[k] = coupling * load(&batch->gradient[k][lane]);
    }
    add_radial_hessian(x, z, slope, k1, curvature - k1, mixed, hessian, lane);
  }
}

extern const struct dc_lane_kernels DC_KERNELS;
const struct dc_lane_kernels DC_KERNELS = {
    .name = DC_KERNELS_NAME,
    .width = DC_LANE_WIDTH,
    .triangle_pairs = triangle_pairs,
    .leaf_pairs = leaf_pairs,
    .centred_terms = centred_terms,
    .blend_setup = blend_setup,
    .blend_hessians = blend_hessians,
    .friction_setup = friction_setup,
    .friction_terms = friction_terms,
    .friction_back = friction_back,
    .hull_slips = hull_slips,
    .friction_floor = friction_floor,
    .edge_witness = edge_witness,
    .edge_witness_back = edge_witness_back,
    .exponentials = exponentials,
    .sigmoids = sigmoids,
    .quadric_values = quadric_values,
    .quadric_values_back = quadric_values_back,
};
