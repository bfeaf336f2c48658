// SPDX-License-Identifier: Apache-2.0
// How friction of triangle pairs depends on the poses at time t, DC_LANE_WIDTH pairs side by side: the formulas of
// contact/friction/plane_slip.h.
//
// With the twists of both frames at t+1 given, G = D_x x' + D_z zeta is the derivative of the energy along them.  Its
// cotangents are those of the vertices' places x, of the plane's normal n and offset d, in the frame of the plane:
// 1. the answer zeta of the plane's motion, and what acts through the slips r and their variations r' (back_slips);
// 2. through the normal forces f_v = mu w_i w_j (1 - phi) c(S) P'(S) / h_v^2, S = sum 1/h_v, h_v = s_v (n.x_v + d)
//    (back_forces);
// 3. n and d follow the vertices, M eta = (d, n), M the plane's Hessian (back_plane).
#include "contact/kernels/lane_kernels.h"
#include "contact/kernels/lanes.h"

// A group of pairs that is pulled back, and its cotangents.
struct back_group {
  lanes axes[3][3], arm[6][3], lever[6][2], height[6], weight[6];  // height: h_v; weight: W_v
  lanes velocity[6][3], variation[6][3];                           // (x+ - x)/h, x'/h in the plane's frame
  lanes share[6], a[6][2], b[6][2];                                // parts of G, dG/dr, dG/dr'
  lanes x[6][3], n[2], d;
};

// The sign s_v of a vertex: +1 on the triangle of a, -1 on that of b.
static inline lanes back_side(int v)
{
  return splat(v < 3 ? 1 : -1);
}

// Loads a group: places, heights and weights at t as the setup left them, velocities over the interval from the motion
// of the frames, and variations x' of the vertices by the twists at t+1, both in the plane's axes.
static inline void back_load(const struct dc_friction_batch *batch, const struct dc_friction_motion *motion,
                             const double *const twist[2], int lane, struct back_group *p)
{
  lanes strength = load(&batch->strength[lane]);
  for (int i = 0; i < 9; i++)
    p->axes[i / 3][i % 3] = load(&batch->axes[i][lane]);
  for (int v = 0; v < 6; v++) {
    int side = v / 3;
    lanes moved[3], rho[3], turned[3], turn[3];
    for (int k = 0; k < 3; k++) {
      p->arm[v][k] = load(&batch->arms[3 * v + k][lane]);
      turn[k] = splat(twist[side][k]);
    }
    for (int k = 0; k < 2; k++)
      p->lever[v][k] = load(&batch->levers[2 * v + k][lane]);
    p->height[v] = load(&batch->distances[v][lane]);
    p->weight[v] = strength * load(&batch->weights[v][lane]);
    turn_lanes(motion->drift[side], p->arm[v], moved);
    turn_lanes(motion->turn[side], p->arm[v], rho);
    lane_cross(turned, turn, rho);
    for (int k = 0; k < 3; k++) {
      moved[k] += motion->velocity[side][k];
      turned[k] = (turned[k] + twist[side][3 + k]) * (1 / motion->time_step);
    }
    for (int k = 0; k < 3; k++) {
      p->velocity[v][k] = lane_dot(p->axes[k], moved);
      p->variation[v][k] = lane_dot(p->axes[k], turned);
    }
  }
}

// zeta, from slips r and 1/s at the motion z of the plane.
static inline void back_answer(const struct back_group *p, double e2, const lanes r[6][2], const lanes inverse[6],
                               lanes zeta[3])
{
  struct motion_factor factor;
  lanes matrix[6], g[3] = {splat(0), splat(0), splat(0)};
  for (int i = 0; i < 6; i++)
    matrix[i] = splat(0);
  for (int v = 0; v < 6; v++) {
    const lanes *x = p->variation[v], *lever = p->lever[v];
    lanes k[3];
    curvature_of(p->weight[v], inverse[v], e2, r[v], k);
    add_motion_matrix(k, lever, matrix);
    lanes first = k[0] * x[0] + k[1] * x[1], second = k[1] * x[0] + k[2] * x[1];
    g[0] += first;
    g[1] += second;
    g[2] += second * lever[0] - first * lever[1];
  }
  factor_motion(matrix, &factor);
  solve_motion(&factor, g, zeta);
}

// Slips r and their variations r' at the plane's motion z and its answer zeta, and their parts in the cotangents:
// in-plane places, tilts n of the plane, and each vertex's share of G.
static inline void back_slips(struct back_group *p, const struct dc_friction_motion *motion, const lanes z[3])
{
  lanes r[6][2], s[6], inverse[6], zeta[3];
  double e2 = motion->smoothing * motion->smoothing, rate = 1 / motion->time_step;
  for (int v = 0; v < 6; v++) {
    r[v][0] = p->velocity[v][0] - z[0] + z[2] * p->lever[v][1];
    r[v][1] = p->velocity[v][1] - z[1] - z[2] * p->lever[v][0];
    s[v] = square_root(r[v][0] * r[v][0] + (r[v][1] * r[v][1] + e2));
  }
  reciprocals(s, inverse);
  back_answer(p, e2, (const lanes(*)[2])r, inverse, zeta);
  p->n[0] = p->n[1] = splat(0);
  for (int v = 0; v < 6; v++) {
    const lanes *velocity = p->velocity[v], *variation = p->variation[v];
    lanes *a = p->a[v], *b = p->b[v], height = back_side(v) * p->height[v];
    lanes dr[2] = {variation[0] - zeta[0] + zeta[2] * p->lever[v][1],
                   variation[1] - zeta[1] - zeta[2] * p->lever[v][0]};
    // r'/s - r (r.r')/s^3 = (e^2 r' + (r x r') r turned)/s^3
    lanes square = inverse[v] * inverse[v], turned = (r[v][0] * dr[1] - r[v][1] * dr[0]) * square;
    lanes pull = p->weight[v] * inverse[v], still = e2 * square;
    a[0] = pull * (still * dr[0] - turned * r[v][1]);
    a[1] = pull * (still * dr[1] + turned * r[v][0]);
    b[0] = pull * r[v][0];
    b[1] = pull * r[v][1];
    lanes across[2] = {z[2] * a[0] + zeta[2] * b[0], z[2] * a[1] + zeta[2] * b[1]};
    p->x[v][0] = -a[0] * rate - across[1];
    p->x[v][1] = -a[1] * rate + across[0];
    p->n[0] += height * across[1] - velocity[2] * a[0] - variation[2] * b[0];
    p->n[1] -= height * across[0] + velocity[2] * a[1] + variation[2] * b[1];
    p->share[v] = b[0] * dr[0] + b[1] * dr[1];
  }
}

// range_rate: the derivative of log c(S) by S.
static inline void back_forces(struct back_group *p, const lanes inverse[6], double length, lanes range_rate)
{
  lanes sum = sum_of_six(inverse), total = sum_of_six(p->share);
  // P''/P' with P' = l (1 + sqrt(12/(l S))), P'' = -sqrt(12 l)/2 S^(-3/2)
  lanes root = DC_SQRT12 / square_root(length * sum);
  lanes by_sum = (range_rate - 0.5 * root / (sum * (1.0 + root))) * total;
  p->d = splat(0);
  for (int v = 0; v < 6; v++) {
    lanes by_distance = -back_side(v) * inverse[v] * (2.0 * p->share[v] + by_sum * inverse[v]);
    p->x[v][2] = by_distance;
    p->n[0] += by_distance * p->lever[v][0];
    p->n[1] += by_distance * p->lever[v][1];
    p->d += by_distance;
  }
}

// eta = M^-1 (d, n), then what every vertex passes on through 1/h_v^2: along the normal and, by the tilt, in the
// plane. Heights are scaled by the least one, so that no power overflows.
static inline void back_plane(struct back_group *p, const lanes inverse[6])
{
  struct motion_factor factor;
  lanes matrix[6], eta[3], ratio[6], least = p->height[0], g[3] = {p->d, p->n[0], p->n[1]};
  for (int v = 1; v < 6; v++)
    least = smaller(least, p->height[v]);
  for (int i = 0; i < 6; i++)
    matrix[i] = splat(0);
  for (int v = 0; v < 6; v++) {
    ratio[v] = least * inverse[v];
    lanes cube = 2.0 * ratio[v] * ratio[v] * ratio[v], round = ratio[v] * least * least;
    lanes first = cube * p->lever[v][0], second = cube * p->lever[v][1];
    matrix[0] += cube;
    matrix[1] += first;
    matrix[2] += first * p->lever[v][0] + round;
    matrix[3] += second;
    matrix[4] += second * p->lever[v][0];
    matrix[5] += second * p->lever[v][1] + round;
  }
  factor_three(matrix, 0, &factor);
  solve_motion(&factor, g, eta);
  for (int v = 0; v < 6; v++) {
    lanes square = ratio[v] * ratio[v], first = back_side(v) * square * least;
    p->x[v][0] += first * eta[1];
    p->x[v][1] += first * eta[2];
    p->x[v][2] -= 2.0 * square * ratio[v] * (eta[0] + p->lever[v][0] * eta[1] + p->lever[v][1] * eta[2]);
  }
}

// All groups of a batch: the three steps of the head, then forces in world axes and wrenches about the frames at t.
static void friction_back(const struct dc_friction_batch *batch, const struct dc_friction_motion *motion,
                          const double *const twist[2], double length, struct dc_friction_back *back)
{
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH) {
    struct back_group p;
    lanes z[3], inverse[6], wrench[2][6];
    for (int k = 0; k < 3; k++)
      z[k] = load(&batch->motion[k][lane]);
    back_load(batch, motion, twist, lane, &p);
    reciprocals(p.height, inverse);
    back_slips(&p, motion, z);
    back_forces(&p, inverse, length, load(&back->range_rate[lane]));
    back_plane(&p, inverse);
    for (int i = 0; i < 12; i++)
      wrench[i / 6][i % 6] = splat(0);
    for (int v = 0; v < 6; v++) {
      lanes force[3], torque[3];
      for (int k = 0; k < 3; k++)
        force[k] = p.axes[0][k] * p.x[v][0] + (p.axes[1][k] * p.x[v][1] + p.axes[2][k] * p.x[v][2]);
      lane_cross(torque, p.arm[v], force);
      for (int k = 0; k < 3; k++) {
        wrench[v / 3][k] += torque[k];
        wrench[v / 3][3 + k] += force[k];
        store(&back->force[3 * v + k][lane], force[k]);
      }
      for (int k = 0; k < 2; k++) {
        store(&back->a[2 * v + k][lane], p.a[v][k]);
        store(&back->b[2 * v + k][lane], p.b[v][k]);
      }
    }
    for (int i = 0; i < 12; i++)
      accumulate(&back->wrench[i][lane], wrench[i / 6][i % 6]);
    store(&back->share[lane], sum_of_six(p.share));
  }
}
