// SPDX-License-Identifier: Apache-2.0
// The potential of a triangle pair (paper 000, Eq. 2 of section 4) in scale-free form, DC_LANE_WIDTH pairs side by
// side.
//
// Vertices x_v, sign s_v = +1 on triangle i (body a), -1 on triangle j (body b), plane (n, d), u_v = s_v (n.x_v + d),
// r_v = 1 / u_v.
//     S   = min over |m| = 1 and c of  sum_v 1 / h_v,   h_v = s_v (m.x_v + c)
//     P   = (sqrt(12) + sqrt(l S))^2,   P - 12 = s (s + 2 sqrt(12)) with s = sqrt(l S)
//     P'  = l (1 + sqrt(12) / s),       P'' = -sqrt(12) s / (2 S^2)
// S is found by Newton on F(n, d) = k/2 |n|^2 + sum_v r_v with k = S / |n|^2 refreshed in every iteration, whose
// Hessian k I_n + sum_v 2 r_v^3 y_v y_v^T, y_v = s_v (x_v, 1), is positive definite (docs/theory.md, "Triangle
// pairs").
#include "contact/kernels/lane_kernels.h"
#include "contact/kernels/lanes.h"

static const double DECREMENT_TOLERANCE = 1e-11;  // on g H^-1 g relative to 1.5 S
static const double LARGEST_STEP = 0.95;          // fraction of the way to the nearest vertex
static const double LARGEST_LOSS = 1e3;           // of a diagonal entry in the elimination; below 2 in a fresh frame
enum { NEWTON_LIMIT = 40, HALVINGS_LIMIT = 30, FRAMES_LIMIT = 6 };

// A local frame: origin on the start plane at the mean of the vertices weighted by 1/u^2, axes[2] the start normal,
// axes[0] the principal axis of the weighted vertices in the plane.  Without that axis the Hessian of nearly touching
// parallel edges loses all digits; with an origin far from the contact that of nearly touching vertices does, so a
// plane that moves far from its start gets a new frame.
struct local_frame {
  lanes axes[3][3], origin[3];
};

// u [6] of all vertices; positive on the right side of the plane.
static inline void plane_distances(const lanes x[6][3], const lanes plane[4], lanes u[6])
{
  for (int v = 0; v < 6; v++) {
    lanes h = x[v][0] * plane[0] + (x[v][1] * plane[1] + (x[v][2] * plane[2] + plane[3]));
    u[v] = v < 3 ? h : -h;
  }
}

// r = 1 / u by two divisions instead of six: the divider is the bottleneck.  The products stay in range for distances
// between 1e-100 and 1e100.
static inline void reciprocals(const lanes u[6], lanes r[6])
{
  lanes u01 = u[0] * u[1], u12 = u[1] * u[2], u02 = u[0] * u[2];
  lanes u34 = u[3] * u[4], u45 = u[4] * u[5], u35 = u[3] * u[5];
  lanes b = 1.0 / (u01 * u[2]), a = 1.0 / (u34 * u[5]);
  r[0] = u12 * b;
  r[1] = u02 * b;
  r[2] = u01 * b;
  r[3] = u45 * a;
  r[4] = u35 * a;
  r[5] = u34 * a;
}

static inline lanes sum_of_six(const lanes r[6])
{
  return ((r[0] + r[1]) + (r[2] + r[3])) + (r[4] + r[5]);
}

// Best separating axis seen so far: gap and axis not normalized, compared as gap^2 / length^2.
struct best_axis {
  lanes gap, square, normal[3], offset;
};

// Compares the gap along one more axis, of any length, in both directions.  Squares are compared, so that no axis has
// to be normalized but the best in the end.
static inline void try_axis(struct best_axis *best, const lanes x[6][3], const lanes axis[3])
{
  lanes h[6];
  for (int v = 0; v < 6; v++)
    h[v] = lane_dot(x[v], axis);
  lanes low_a = smaller(h[0], smaller(h[1], h[2])), high_a = larger(h[0], larger(h[1], h[2]));
  lanes low_b = smaller(h[3], smaller(h[4], h[5])), high_b = larger(h[3], larger(h[4], h[5]));
  lanes above = low_a - high_b, below = low_b - high_a, gap = larger(above, below);
  lanes square = lane_dot(axis, axis);
  lane_mask better = greater(gap, splat(0)) &
                     (at_most(best->gap, splat(0)) | greater(gap * gap * best->square, best->gap * best->gap * square));
  if (!any(better))
    return;
  lane_mask a_above = greater(above, below);
  lanes sign = choose(a_above, splat(1), splat(-1));
  lanes middle = 0.5 * choose(a_above, low_a + high_b, low_b + high_a);
  best->gap = choose(better, gap, best->gap);
  best->square = choose(better, square, best->square);
  for (int k = 0; k < 3; k++)
    best->normal[k] = choose(better, sign * axis[k], best->normal[k]);
  best->offset = choose(better, -sign * middle, best->offset);
}

// The separating-axis test: centroids, 2 normals, 9 edge crosses, 6 in-plane edge normals.  Returns the gap along the
// best axis (<= 0: the triangles touch or cross) and the middle plane of that axis, normal from b to a.
static lanes separating_axes(const lanes world[6][3], lanes plane[4])
{
  lanes x[6][3], edges[6][3], normals[2][3], axis[3];
  for (int v = 0; v < 6; v++)
    for (int k = 0; k < 3; k++)
      x[v][k] = world[v][k] - world[0][k];
  for (int v = 0; v < 6; v++)
    for (int k = 0; k < 3; k++)
      edges[v][k] = x[v / 3 * 3 + (v + 1) % 3][k] - x[v][k];
  struct best_axis best = {.gap = splat(-1), .square = splat(1), .normal = {splat(0), splat(0), splat(1)}};
  for (int k = 0; k < 3; k++)
    axis[k] = (x[0][k] + x[1][k] + x[2][k]) - (x[3][k] + x[4][k] + x[5][k]);
  try_axis(&best, x, axis);
  for (int t = 0; t < 2; t++) {
    lane_cross(normals[t], edges[3 * t], edges[3 * t + 1]);
    try_axis(&best, x, normals[t]);
  }
#pragma GCC unroll 1
  for (int i = 0; i < 3; i++)
#pragma GCC unroll 1
    for (int j = 3; j < 6; j++) {
      lane_cross(axis, edges[i], edges[j]);
      try_axis(&best, x, axis);
    }
#pragma GCC unroll 1
  for (int i = 0; i < 6; i++) {
    lane_cross(axis, normals[i / 3], edges[i]);
    try_axis(&best, x, axis);
  }
  lanes scale = 1.0 / square_root(best.square);
  for (int k = 0; k < 3; k++)
    plane[k] = best.normal[k] * scale;
  plane[3] = best.offset * scale - lane_dot(plane, world[0]);
  return best.gap * scale;
}

// Turns two orthonormal in-plane axes into the principal ones of the weighted vertices: half the angle of the 2x2
// moment.
static inline void principal_axes(struct local_frame *frame, lanes x[6][3], const lanes weights[6])
{
  lanes a11 = splat(0), a12 = splat(0), a22 = splat(0);
  for (int v = 0; v < 6; v++) {
    lanes w0 = weights[v] * x[v][0], w1 = weights[v] * x[v][1];
    a11 += w0 * x[v][0];
    a12 += w0 * x[v][1];
    a22 += w1 * x[v][1];
  }
  // (cos, sin) of half the angle of (a11 - a22, 2 a12), along (length + |a11 - a22|, |2 a12|) or mirrored.
  lanes difference = a11 - a22, twice = 2.0 * a12;
  lanes length = square_root(difference * difference + twice * twice);
  lanes sum = length + absolute(difference), square = 2.0 * length * sum;
  lane_mask isotropic = at_most(square, splat(0));
  lanes scale = 1.0 / square_root(choose(isotropic, splat(1), square));
  lanes large = choose(isotropic, splat(1), sum * scale), small = absolute(twice) * scale;
  lane_mask near_first = at_most(splat(0), difference);
  lanes c = choose(near_first, large, small), s = with_sign_of(twice, choose(near_first, small, large));
  for (int k = 0; k < 3; k++) {
    lanes first = frame->axes[0][k], second = frame->axes[1][k];
    frame->axes[0][k] = c * first + s * second;
    frame->axes[1][k] = c * second - s * first;
  }
  for (int v = 0; v < 6; v++) {
    lanes first = x[v][0], second = x[v][1];
    x[v][0] = c * first + s * second;
    x[v][1] = c * second - s * first;
  }
}

// Moves the origin along the normal to half-way between the triangles in lanes where rounding of the offset, far from
// c_a, left a vertex on the wrong side. Returns the lanes where the triangles are apart along the normal.
static inline lane_mask balance_origin(struct local_frame *frame, lanes x[6][3], lane_mask feasible)
{
  lanes low = smaller(x[0][2], smaller(x[1][2], x[2][2])), high = larger(x[3][2], larger(x[4][2], x[5][2]));
  lane_mask astray = feasible & ~(greater(low, splat(0)) & greater(splat(0), high));
  if (!any(astray))
    return feasible;
  lanes shift = choose(astray, 0.5 * (low + high), splat(0));
  for (int k = 0; k < 3; k++)
    frame->origin[k] += shift * frame->axes[2][k];
  for (int v = 0; v < 6; v++)
    x[v][2] -= shift;
  return feasible & greater(low - shift, splat(0)) & greater(splat(0), high - shift);
}

// Local frame of a feasible plane (lanes where it is not feasible get any frame) and the vertices in it.  Returns the
// feasible lanes that really are: all but those whose gap is within rounding.
static inline lane_mask make_frame(const lanes world[6][3], const lanes plane[4], lane_mask feasible,
                                   struct local_frame *frame, lanes local[6][3])
{
  lanes u[6], inverse[6], weights[6], total = splat(0), origin[3] = {splat(0), splat(0), splat(0)};
  plane_distances(world, plane, u);
  lanes least = u[0];
  for (int v = 1; v < 6; v++)
    least = smaller(least, u[v]);
  for (int v = 0; v < 6; v++)
    u[v] = choose(feasible, u[v], splat(1));
  reciprocals(u, inverse);
  for (int v = 0; v < 6; v++) {
    lanes ratio = least * inverse[v];
    weights[v] = ratio * ratio;
    total += weights[v];
    for (int k = 0; k < 3; k++)
      origin[k] += weights[v] * world[v][k];
  }
  lanes scale = 1.0 / total;
  for (int k = 0; k < 3; k++)
    origin[k] *= scale;
  lanes height = lane_dot(plane, origin) + plane[3];
  for (int k = 0; k < 3; k++)
    frame->origin[k] = choose(feasible, origin[k] - height * plane[k], world[0][k]);
  // Any two axes orthogonal to the normal, without a branch.
  lanes sign = with_sign_of(plane[2], splat(1)), a = -1.0 / (sign + plane[2]), b = plane[0] * plane[1] * a;
  frame->axes[0][0] = 1.0 + sign * plane[0] * plane[0] * a;
  frame->axes[0][1] = sign * b;
  frame->axes[0][2] = -sign * plane[0];
  frame->axes[1][0] = b;
  frame->axes[1][1] = sign + plane[1] * plane[1] * a;
  frame->axes[1][2] = -plane[1];
  for (int k = 0; k < 3; k++)
    frame->axes[2][k] = plane[k];
  for (int v = 0; v < 6; v++) {
    lanes d[3];
    for (int k = 0; k < 3; k++)
      d[k] = world[v][k] - frame->origin[k];
    for (int k = 0; k < 3; k++)
      local[v][k] = lane_dot(frame->axes[k], d);
  }
  principal_axes(frame, local, weights);
  return balance_origin(frame, local, feasible);
}

// Gradient (k n, 0) - sum q y and Hessian k I_n + sum 2 r^3 y y^T (lower triangle) of F at (n, d).
static inline void assemble_plane(const lanes x[6][3], const lanes plane[4], const lanes r[6], lanes k, lanes g[4],
                                  lanes h[10])
{
  for (int i = 0; i < 10; i++)
    h[i] = splat(0);
  for (int i = 0; i < 4; i++)
    g[i] = splat(0);
  for (int v = 0; v < 6; v++) {
    lanes q = r[v] * r[v], w = 2.0 * q * r[v], signed_q = v < 3 ? q : -q;
    lanes w0 = w * x[v][0], w1 = w * x[v][1], w2 = w * x[v][2];
    for (int i = 0; i < 3; i++)
      g[i] -= signed_q * x[v][i];
    g[3] -= signed_q;
    h[0] += w0 * x[v][0];
    h[1] += w1 * x[v][0];
    h[2] += w1 * x[v][1];
    h[3] += w2 * x[v][0];
    h[4] += w2 * x[v][1];
    h[5] += w2 * x[v][2];
    h[6] += w0;
    h[7] += w1;
    h[8] += w2;
    h[9] += w;
  }
  for (int i = 0; i < 3; i++)
    g[i] += k * plane[i];
  h[0] += k;
  h[2] += k;
  h[5] += k;
}

// L D L^T of the 4x4 matrix, the offset d eliminated first: it is the best conditioned pivot.
struct plane_factor {
  lanes inverse3, l30, l31, l32, inverse0, l10, l20, inverse1, l21, inverse2;
};

// Lower triangle h [10] by rows, entry 9 being that of d.
static inline void factor_plane(const lanes h[10], struct plane_factor *f)
{
  f->inverse3 = 1.0 / h[9];
  f->l30 = h[6] * f->inverse3;
  f->l31 = h[7] * f->inverse3;
  f->l32 = h[8] * f->inverse3;
  lanes a00 = h[0] - h[6] * f->l30, a10 = h[1] - h[7] * f->l30, a11 = h[2] - h[7] * f->l31;
  lanes a20 = h[3] - h[8] * f->l30, a21 = h[4] - h[8] * f->l31, a22 = h[5] - h[8] * f->l32;
  // The other pivots are a00, b11 / a00, c / (a00 b11): two divisions that do not wait for each other instead of
  // three that do.
  lanes b11 = a00 * a11 - a10 * a10, b21 = a00 * a21 - a20 * a10, b22 = a00 * a22 - a20 * a20;
  lanes product = a00 * b11, inverse = 1.0 / product, c = b11 * b22 - b21 * b21;
  lanes inverse_b = a00 * inverse;
  f->inverse0 = b11 * inverse;
  f->l10 = a10 * f->inverse0;
  f->l20 = a20 * f->inverse0;
  f->inverse1 = a00 * inverse_b;
  f->l21 = b21 * inverse_b;
  f->inverse2 = product / c;
}

// y = L^-1 g in the order of elimination, z = D^-1 y; the caller gets g^T H^-1 g = sum y z.
static inline void forward_plane(const struct plane_factor *f, const lanes g[4], lanes y[4], lanes z[4])
{
  y[3] = g[3];
  y[0] = g[0] - f->l30 * y[3];
  y[1] = g[1] - f->l31 * y[3] - f->l10 * y[0];
  y[2] = g[2] - f->l32 * y[3] - f->l20 * y[0] - f->l21 * y[1];
  z[3] = y[3] * f->inverse3;
  z[0] = y[0] * f->inverse0;
  z[1] = y[1] * f->inverse1;
  z[2] = y[2] * f->inverse2;
}

static inline lanes solve_plane(const struct plane_factor *f, const lanes g[4], lanes x[4])
{
  lanes y[4], z[4];
  forward_plane(f, g, y, z);
  x[2] = z[2];
  x[1] = z[1] - f->l21 * x[2];
  x[0] = z[0] - f->l10 * x[1] - f->l20 * x[2];
  x[3] = z[3] - f->l30 * x[0] - f->l31 * x[1] - f->l32 * x[2];
  return y[0] * z[0] + y[1] * z[1] + y[2] * z[2] + y[3] * z[3];
}

// The largest factor by which a diagonal entry shrank in the elimination: rounding errors of what remains grow by it.
static inline lanes elimination_loss(const lanes h[10], const struct plane_factor *f)
{
  return larger(absolute(h[0] * f->inverse0), larger(absolute(h[2] * f->inverse1), absolute(h[5] * f->inverse2)));
}

// Newton from the plane (0, 0, 1, 0) of the local frame on the live lanes.  Leaves the unit plane; returns the lanes
// that did not converge, be it that the frame no longer suits one of them (loss above largest_loss).
static inline lane_mask newton_plane(const lanes x[6][3], lane_mask live, double largest_loss, lanes plane[4],
                                     lanes u[6], lanes r[6], int64_t *iterations)
{
  lanes s, one = splat(1);
  plane[0] = plane[1] = plane[3] = splat(0);
  plane[2] = one;
  plane_distances(x, plane, u);
  for (int v = 0; v < 6; v++)
    u[v] = choose(live, u[v], one);
  reciprocals(u, r);
  s = sum_of_six(r);
  for (int iteration = 0; iteration < NEWTON_LIMIT && any(live); iteration++) {
    lanes square = lane_dot(plane, plane), k = s / square, g[4], h[10], step[4];
    struct plane_factor factor;
    assemble_plane(x, plane, r, k, g, h);
    factor_plane(h, &factor);
    if (any(live & ~at_most(elimination_loss(h, &factor), splat(largest_loss))))
      break;
    lanes decrement = solve_plane(&factor, g, step);
    lane_mask last = at_most(absolute(decrement), (1.5 * DECREMENT_TOLERANCE) * s);
    lanes du[6], steepest = splat(0), negative[4] = {-step[0], -step[1], -step[2], -step[3]};
    plane_distances(x, negative, du);
    for (int v = 0; v < 6; v++)
      steepest = larger(steepest, -du[v] * r[v]);
    lane_mask long_step = live & greater(steepest, splat(LARGEST_STEP));
    lanes alpha = choose(live, one, splat(0));  // lanes that are done stand still
    if (any(long_step))
      alpha = choose(long_step, LARGEST_STEP / choose(long_step, steepest, one), alpha);
    lanes merit = s * s * square * (1.0 + 1e-14), slope = 1e-4 * s * square * decrement;
    lanes trial[4], trial_u[6], trial_r[6], trial_s;
    for (int halving = 0;; halving++) {
      for (int v = 0; v < 6; v++)
        trial_u[v] = u[v] + alpha * du[v];
      reciprocals(trial_u, trial_r);
      trial_s = sum_of_six(trial_r);
      for (int i = 0; i < 4; i++)
        trial[i] = plane[i] - alpha * step[i];
      lane_mask good = last | at_most(trial_s * trial_s * lane_dot(trial, trial), merit - alpha * slope);
      lane_mask bad = live & ~good;
      if (!any(bad) || halving == HALVINGS_LIMIT)
        break;
      alpha = choose(bad, 0.5 * alpha, alpha);
    }
    for (int i = 0; i < 4; i++)
      plane[i] = trial[i];
    for (int v = 0; v < 6; v++) {
      u[v] = trial_u[v];
      r[v] = trial_r[v];
    }
    s = trial_s;
    live &= ~last;
    ++*iterations;
  }
  lanes square = lane_dot(plane, plane), scale = 1.0 / square_root(square), length = square * scale;
  for (int i = 0; i < 4; i++)
    plane[i] *= scale;
  for (int v = 0; v < 6; v++) {
    u[v] *= scale;
    r[v] *= length;
  }
  return live;
}

// F_xi and, for order 2, the Hessian of P for a twist of triangle i about the origin of the world coordinates, at the
// optimal unit plane, |n| = 1 and k = S:
//     F_xi    = -(a x m; Q m),  Q = sum_A q, a = sum_A q x
//     G       = sum_A 2 r^3 w y^T - [rotation rows a x T_k; translation rows Q T_k],  w = (x x m; m), y = (local x,
// 1)
//     F_xixi  = sum_A 2 r^3 w w^T - [rotation block (m a^T + a m^T)/2 - (m.a) I] - G H^-1 G^T
//     P_xi    = P' F_xi,   P_xixi = P' (F_xixi + F_xi F_xi^T / (3 S)) + P'' F_xi F_xi^T
struct pair_terms {
  lanes q[3], cube[3];  // r^2, 2 r^3 of the vertices of i
  lanes total, a[3];    // Q, a
  lanes normal[3];      // m in world axes
};

// F_xi for a twist of triangle a about c_a: (n x a, -Q n) with a = sum_A x/h^2 and Q = sum_A 1/h^2.  Only the vertices
// of a appear, since P depends on the relative pose alone.
static inline void pair_gradient(const lanes world[6][3], const struct local_frame *frame, const lanes plane[4],
                                 const lanes r[6], struct pair_terms *t, lanes f[6])
{
  for (int k = 0; k < 3; k++) {
    t->normal[k] = frame->axes[0][k] * plane[0] + (frame->axes[1][k] * plane[1] + frame->axes[2][k] * plane[2]);
    t->a[k] = splat(0);
  }
  t->total = splat(0);
  for (int v = 0; v < 3; v++) {
    t->q[v] = r[v] * r[v];
    t->cube[v] = 2.0 * t->q[v] * r[v];
    t->total += t->q[v];
    for (int k = 0; k < 3; k++)
      t->a[k] += t->q[v] * world[v][k];
  }
  lane_cross(f, t->normal, t->a);
  for (int k = 0; k < 3; k++)
    f[3 + k] = -t->total * t->normal[k];
}

// The Schur complement of the plane in the Hessian of F by twist and plane:
//     F_xixi = Z - G H^-1 G^T,   P_xixi = P' (F_xixi + F_xi F_xi^T/(3 S)) + P'' F_xi F_xi^T,
// Z and G summed over the vertices of a.  Half a solve, L^-1 G^T, is enough for the products.
static inline void pair_hessian(const lanes world[6][3], const struct local_frame *frame, const lanes local[6][3],
                                const lanes plane[4], const lanes r[6], lanes s, const struct pair_terms *t,
                                const lanes f[6], lanes p1, lanes p2, lanes weight, lane_mask valid,
                                double (*sum)[DC_BATCH], int lane)
{
  const lanes *m = t->normal;
  lanes g[4], h[10], mixed[6][4], z[DC_HESSIAN], y_sum[4];
  struct plane_factor factor;
  assemble_plane(local, plane, r, s, g, h);
  factor_plane(h, &factor);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 4; k++)
      mixed[i][k] = splat(0);
  for (int i = 0; i < DC_HESSIAN; i++)
    z[i] = splat(0);
  for (int k = 0; k < 4; k++)
    y_sum[k] = splat(0);
  for (int v = 0; v < 3; v++) {
    lanes w[3], scaled[3];
    lane_cross(w, world[v], m);
    for (int i = 0; i < 3; i++)
      scaled[i] = t->cube[v] * w[i];
    for (int k = 0; k < 3; k++)
      y_sum[k] += t->cube[v] * local[v][k];
    y_sum[3] += t->cube[v];
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++)
        mixed[i][k] += scaled[i] * local[v][k];
      mixed[i][3] += scaled[i];
    }
    for (int i = 0, e = 0; i < 3; i++)
      for (int j = 0; j <= i; j++, e++)
        z[e] += scaled[i] * w[j];
  }
  for (int i = 0; i < 3; i++) {  // translation rows: w = m for every vertex
    for (int k = 0; k < 4; k++)
      mixed[3 + i][k] = m[i] * y_sum[k];
    lanes *row = z + (3 + i) * (4 + i) / 2;
    for (int j = 0; j < 3; j++)
      row[j] = m[i] * mixed[j][3];
    for (int j = 0; j <= i; j++)
      row[3 + j] = y_sum[3] * m[i] * m[j];
  }
  for (int k = 0; k < 3; k++) {
    lanes cross[3];
    lane_cross(cross, t->a, frame->axes[k]);
    for (int i = 0; i < 3; i++) {
      mixed[i][k] -= cross[i];
      mixed[3 + i][k] -= t->total * frame->axes[k][i];
    }
  }
  lanes m_dot_a = lane_dot(m, t->a);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      z[e] -= 0.5 * (m[i] * t->a[j] + m[j] * t->a[i]) - (i == j ? m_dot_a : splat(0));
  lanes y[6][4], scaled_y[6][4];
  for (int i = 0; i < 6; i++)
    forward_plane(&factor, mixed[i], y[i], scaled_y[i]);
  lanes outer = weight * (p1 / (3.0 * s) + p2), scale = weight * p1;
  for (int i = 0, e = 0; i < 6; i++)
    for (int j = 0; j <= i; j++, e++) {
      lanes schur = z[e] - y[i][0] * scaled_y[j][0] - y[i][1] * scaled_y[j][1] - y[i][2] * scaled_y[j][2] -
                    y[i][3] * scaled_y[j][3];
      store(&sum[e][lane], load(&sum[e][lane]) + only(valid, scale * schur + outer * f[i] * f[j]));
    }
}

// The start planes of a group of lanes: the remembered ones where they are feasible and balanced, separating axes
// elsewhere.
static inline lane_mask start_planes(const lanes x[6][3], lane_mask remembered, lanes plane[4])
{
  lanes u[6];
  plane_distances(x, plane, u);
  lanes least_a = smaller(u[0], smaller(u[1], u[2])), least_b = smaller(u[3], smaller(u[4], u[5]));
  // At the optimum the ratio lies in [1/sqrt(3), sqrt(3)]: a plane far from balance is a bad start.
  lane_mask warm = remembered & greater(smaller(least_a, least_b), splat(0)) & at_most(least_a, 100.0 * least_b) &
                   at_most(least_b, 100.0 * least_a);
  lane_mask cold = ~warm;
  if (!any(cold))
    return warm;
  lanes fresh[4], gap = separating_axes(x, fresh);
  for (int k = 0; k < 4; k++)
    plane[k] = choose(warm, plane[k], fresh[k]);
  return warm | greater(gap, splat(0));
}

// Optimal planes of a group of lanes, in the world and in the frame they were found in, which suits them.  Returns
// the lanes where the triangles are apart; *failed: those that did not converge.
static inline lane_mask optimal_planes(const lanes x[6][3], lane_mask remembered, lanes plane[4],
                                       struct local_frame *frame, lanes local[6][3], lanes local_plane[4], lanes u[6],
                                       lanes r[6], lane_mask *failed, int64_t *iterations)
{
  for (int attempt = 0;; attempt++) {
    lane_mask separated = start_planes(x, remembered, plane);
    for (int frames = 1;; frames++) {
      separated = make_frame(x, plane, separated, frame, local);
      *failed = newton_plane(local, separated, frames < FRAMES_LIMIT ? LARGEST_LOSS : INFINITY, local_plane, u, r,
                             iterations);
      for (int k = 0; k < 3; k++)
        plane[k] = frame->axes[0][k] * local_plane[0] +
                   (frame->axes[1][k] * local_plane[1] + frame->axes[2][k] * local_plane[2]);
      plane[3] = local_plane[3] - lane_dot(plane, frame->origin);
      if (!any(*failed) || frames == FRAMES_LIMIT)
        break;
    }
    lane_mask again = *failed & remembered;
    if (attempt > 0 || !any(again))
      return separated;
    remembered = ~again;  // those lanes start cold; the others from the plane just found
  }
}

// One group of pairs: the remembered plane in world axes about c_a, the optimal plane from it, and what the caller
// wants. The plane is stored in the axes of b, since it then follows b to the next evaluation.
static inline void solve_group(struct dc_triangle_batch *batch, int lane, int order, double (*hessian)[DC_BATCH])
{
  lanes x[6][3], plane[4], stored[4], local_plane[4], local[6][3], u[6], r[6];
  struct local_frame frame;
  for (int i = 0; i < 18; i++)
    x[i / 3][i % 3] = load(&batch->vertices[i][lane]);
  for (int k = 0; k < 4; k++)
    stored[k] = load(&batch->plane[k][lane]);
  const double *b = batch->rotation_b;
  for (int k = 0; k < 3; k++)
    plane[k] = b[3 * k] * stored[0] + (b[3 * k + 1] * stored[1] + b[3 * k + 2] * stored[2]);
  plane[3] = stored[3] + (plane[0] * batch->arm[0] + plane[1] * batch->arm[1] + plane[2] * batch->arm[2]);
  lane_mask remembered = greater(lane_dot(stored, stored), splat(0.5)), failed;
  lane_mask separated =
      optimal_planes(x, remembered, plane, &frame, local, local_plane, u, r, &failed, &batch->iterations);
  lanes s = sum_of_six(r);
  lanes root = square_root(batch->length * s);
  store(&batch->energy[lane], choose(separated, root * (root + 2 * DC_SQRT12), splat(INFINITY)));
  lanes gap = smaller(u[0], smaller(u[1], u[2])) + smaller(u[3], smaller(u[4], u[5]));
  store(&batch->gap[lane], choose(separated, gap, splat(0)));
  for (int k = 0; k < 3; k++)
    stored[k] = b[k] * plane[0] + (b[3 + k] * plane[1] + b[6 + k] * plane[2]);
  stored[3] = plane[3] - (plane[0] * batch->arm[0] + plane[1] * batch->arm[1] + plane[2] * batch->arm[2]);
  for (int k = 0; k < 4; k++)
    store(&batch->plane[k][lane], choose(separated, stored[k], splat(0)));
  for (int l = 0; l < DC_LANE_WIDTH && any(failed); l++)
    batch->unconverged += failed[l] != 0;
  if (order < 1)
    return;
  struct pair_terms terms;
  lanes f[6], p1 = batch->length * (1.0 + DC_SQRT12 / root), p2 = (-0.5 * DC_SQRT12) * root / (s * s);
  pair_gradient(x, &frame, local_plane, r, &terms, f);
  for (int k = 0; k < 6; k++)
    store(&batch->gradient[k][lane], choose(separated, p1 * f[k], splat(0)));
  if (order < 2)
    return;
  pair_hessian(x, &frame, local, local_plane, r, s, &terms, f, p1, p2, load(&batch->weight[lane]), separated & ~failed,
               hessian, lane);
}

static void triangle_pairs(struct dc_triangle_batch *batch, int order, double (*hessian)[DC_BATCH])
{
  batch->unconverged = batch->iterations = 0;
  for (int lane = 0; lane < DC_BATCH; lane += DC_LANE_WIDTH)
    solve_group(batch, lane, order, hessian);
}
