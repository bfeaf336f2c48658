// SPDX-License-Identifier: Apache-2.0
// The potential of a pair of convex leaves, DC_LANE_WIDTH pairs side by side (docs/theory/contact.md, "Convex leaves").
//
// A leaf is all within a radius of the hull of its vertices.  Vertices x_v with the factor w_v = 3 / (number of its
// leaf's vertices), radius p_v of the leaf, sign s_v = +1 on the leaf of a, -1 on that of b, plane (n, d),
//     u_v = s_v (n.x_v + d) - p_v |n|,   r_v = 1 / u_v,   S = min over |m| = 1 and c of sum_v w_v / u_v(m, c),
// and P(S) as for triangles, whose S this is where both leaves have three vertices and no radius.  u_v is concave and
// of degree 1 in (n, d), so that the Newton method of triangle_pair_template.h holds:
//     F(n, d) = k/2 |n|^2 + sum_v w_v r_v,  k = S / |n|^2,
//     gradient (k n, 0) - sum_v w_v r_v^2 y_v,   y_v = du_v/d(n, d) = (s_v x_v - p_v m, s_v),  m = n / |n|,
//     Hessian  k I_n + sum_v 2 w_v r_v^3 y_v y_v^T + (sum_v w_v r_v^2 p_v / |n|) (I_n - m m^T).
// s_v y_v is the point of the leaf's surface that is nearest to the plane beside x_v.  In the frame of a plane with
// normal e_3 the coordinates are those of x'_v = x_v - s_v p_v e_3, without the radius:
//     u_v = s_v (n.x'_v + d) - p_v t,   t = |n| - n_3 = (n_1^2 + n_2^2) / (|n| + n_3).
enum { MOST_VERTICES = 2 * DC_LEAF_CORNERS };

// The vertices of a group of lanes, those of a first.
struct leaf_group {
  int count_a, count;
  lanes world[MOST_VERTICES][3], local[MOST_VERTICES][3];  // about c_a in world axes; x' in the frame
  lanes share[MOST_VERTICES], radius[2];
  lanes u[MOST_VERTICES], r[MOST_VERTICES];
};

// s_v of the head.
static inline double leaf_sign(const struct leaf_group *p, int v)
{
  return v < p->count_a ? 1.0 : -1.0;
}

// p_v of the head, m.
static inline lanes leaf_radius(const struct leaf_group *p, int v)
{
  return p->radius[v >= p->count_a];
}

// Distances at a plane of the frame; sum of w_v / u_v.  *positive: the lanes where all are.
static inline lanes leaf_distances(const struct leaf_group *p, const lanes plane[4], lanes *u, lanes *r,
                                   lane_mask *positive)
{
  lanes across = plane[0] * plane[0] + plane[1] * plane[1], length = square_root(across + plane[2] * plane[2]);
  lanes tilt = across / (length + plane[2]), sum = splat(0), least = splat(INFINITY);
  for (int v = 0; v < p->count; v++) {
    const lanes *x = p->local[v];
    lanes h = x[0] * plane[0] + (x[1] * plane[1] + (x[2] * plane[2] + plane[3]));
    u[v] = leaf_sign(p, v) * h - leaf_radius(p, v) * tilt;
    least = smaller(least, u[v]);
    r[v] = 1.0 / u[v];
    sum += p->share[v] * r[v];
  }
  *positive = greater(least, splat(0));
  return sum;
}

// The plane's principal axes: half the angle of the 2x2 moment of the weighted vertices.
static inline void leaf_principal_axes(struct leaf_group *p, struct local_frame *frame)
{
  lanes a11 = splat(0), a12 = splat(0), a22 = splat(0);
  for (int v = 0; v < p->count; v++) {
    const lanes *x = p->local[v];
    lanes w0 = p->r[v] * x[0], w1 = p->r[v] * x[1];
    a11 += w0 * x[0];
    a12 += w0 * x[1];
    a22 += w1 * x[1];
  }
  lanes difference = a11 - a22, twice = 2.0 * a12;
  lanes length = square_root(difference * difference + twice * twice);
  lanes sum = length + absolute(difference), square = 2.0 * length * sum;
  lane_mask isotropic = at_most(square, splat(1e-300));
  lanes scale = 1.0 / square_root(choose(isotropic, splat(1), square));
  lanes large = choose(isotropic, splat(1), sum * scale), small = only(~isotropic, absolute(twice) * scale);
  lane_mask near_first = at_most(splat(0), difference);
  lanes c = choose(near_first, large, small), s = with_sign_of(twice, choose(near_first, small, large));
  for (int k = 0; k < 3; k++) {
    lanes first = frame->axes[0][k], second = frame->axes[1][k];
    frame->axes[0][k] = c * first + s * second;
    frame->axes[1][k] = c * second - s * first;
  }
  for (int v = 0; v < p->count; v++) {
    lanes first = p->local[v][0], second = p->local[v][1];
    p->local[v][0] = c * first + s * second;
    p->local[v][1] = c * second - s * first;
  }
}

// Frame of a plane that is given in world axes: its origin on the plane at the mean of the vertices weighted by
// w/u^2.  Lanes that are not feasible get any frame.  Returns those that really are apart along the normal.
static inline lane_mask leaf_frame(struct leaf_group *p, const lanes plane[4], lane_mask feasible,
                                   struct local_frame *frame)
{
  lanes total = splat(0), origin[3] = {splat(0), splat(0), splat(0)}, least = splat(INFINITY);
  for (int v = 0; v < p->count; v++) {
    lanes u = leaf_sign(p, v) * (lane_dot(plane, p->world[v]) + plane[3]) - leaf_radius(p, v);
    p->u[v] = choose(feasible & greater(u, splat(0)), u, splat(1));
    least = smaller(least, p->u[v]);
  }
  for (int v = 0; v < p->count; v++) {
    lanes ratio = least / p->u[v];
    p->r[v] = p->share[v] * ratio * ratio;  // the weights
    total += p->r[v];
    for (int k = 0; k < 3; k++)
      origin[k] += p->r[v] * p->world[v][k];
  }
  lanes scale = 1.0 / total;
  for (int k = 0; k < 3; k++)
    origin[k] *= scale;
  lanes height = lane_dot(plane, origin) + plane[3];
  for (int k = 0; k < 3; k++)
    frame->origin[k] = origin[k] - height * plane[k];
  // Any two axes orthogonal to the normal, without a branch.
  lanes sign = with_sign_of(plane[2], splat(1)), a = -1.0 / (sign + plane[2]), b = plane[0] * plane[1] * a;
  frame->axes[0][0] = 1.0 + sign * plane[0] * plane[0] * a;
  frame->axes[0][1] = sign * b;
  frame->axes[0][2] = -sign * plane[0];
  frame->axes[1][0] = b;
  frame->axes[1][1] = sign + plane[1] * plane[1] * a;
  frame->axes[1][2] = -plane[1];
  lanes low = splat(INFINITY), high = splat(-INFINITY);
  for (int k = 0; k < 3; k++)
    frame->axes[2][k] = plane[k];
  for (int v = 0; v < p->count; v++) {
    lanes d[3];
    for (int k = 0; k < 3; k++)
      d[k] = p->world[v][k] - frame->origin[k];
    for (int k = 0; k < 3; k++)
      p->local[v][k] = lane_dot(frame->axes[k], d);
    p->local[v][2] -= leaf_sign(p, v) * leaf_radius(p, v);
    if (v < p->count_a)
      low = smaller(low, p->local[v][2]);
    else
      high = larger(high, p->local[v][2]);
  }
  leaf_principal_axes(p, frame);
  // Rounding of the offset, far from c_a, may have left a vertex on the wrong side: half-way between the leaves.
  lanes shift = choose(greater(low, splat(0)) & greater(splat(0), high), splat(0), 0.5 * (low + high));
  for (int k = 0; k < 3; k++)
    frame->origin[k] += shift * frame->axes[2][k];
  for (int v = 0; v < p->count; v++)
    p->local[v][2] -= shift;
  return feasible & greater(low - shift, splat(0)) & greater(splat(0), high - shift);
}

// The surface point beside vertex v for a plane with unit normal m of the frame: x' + s p (e_3 - m).
static inline void leaf_surface_point(const struct leaf_group *p, int v, const lanes away[3], lanes x[3])
{
  lanes size = leaf_sign(p, v) * leaf_radius(p, v);
  for (int k = 0; k < 3; k++)
    x[k] = p->local[v][k] + size * away[k];
}

// Unit normal of a plane, and e_3 - m without cancellation; returns |n|.
static inline lanes leaf_normal(const lanes plane[4], lanes m[3], lanes away[3])
{
  lanes across = plane[0] * plane[0] + plane[1] * plane[1], length = square_root(across + plane[2] * plane[2]);
  lanes inverse = 1.0 / length;
  for (int k = 0; k < 3; k++)
    m[k] = plane[k] * inverse;
  away[0] = -m[0];
  away[1] = -m[1];
  away[2] = across * inverse / (length + plane[2]);
  return length;
}

// Gradient and Hessian (lower triangle) of F.
static inline void leaf_assemble(const struct leaf_group *p, const lanes plane[4], lanes k, lanes g[4], lanes h[10])
{
  lanes m[3], away[3], length = leaf_normal(plane, m, away), round = splat(0);
  for (int i = 0; i < 10; i++)
    h[i] = splat(0);
  for (int i = 0; i < 4; i++)
    g[i] = splat(0);
  for (int v = 0; v < p->count; v++) {
    lanes x[3], q = p->share[v] * p->r[v] * p->r[v], w = 2.0 * q * p->r[v], signed_q = leaf_sign(p, v) * q;
    leaf_surface_point(p, v, away, x);
    round += q * leaf_radius(p, v);
    lanes w0 = w * x[0], w1 = w * x[1], w2 = w * x[2];
    for (int i = 0; i < 3; i++)
      g[i] -= signed_q * x[i];
    g[3] -= signed_q;
    h[0] += w0 * x[0];
    h[1] += w1 * x[0];
    h[2] += w1 * x[1];
    h[3] += w2 * x[0];
    h[4] += w2 * x[1];
    h[5] += w2 * x[2];
    h[6] += w0;
    h[7] += w1;
    h[8] += w2;
    h[9] += w;
  }
  round /= length;
  for (int i = 0, e = 0; i < 3; i++) {
    g[i] += k * plane[i];
    for (int j = 0; j <= i; j++, e++)
      h[e] += (i == j ? k + round : splat(0)) - round * m[i] * m[j];
  }
}

// Newton's method from the plane (0, 0, 1, 0) of the frame on the live lanes, as newton_plane.  Leaves the unit plane,
// u and r; returns the lanes that did not converge.
static inline lane_mask leaf_newton(struct leaf_group *p, lane_mask live, double largest_loss, lanes plane[4],
                                    lanes *sum, int64_t *iterations)
{
  lanes trial_u[MOST_VERTICES], trial_r[MOST_VERTICES], one = splat(1);
  lane_mask positive;
  plane[0] = plane[1] = plane[3] = splat(0);
  plane[2] = one;
  lanes s = leaf_distances(p, plane, p->u, p->r, &positive);
  live &= positive;
  lane_mask lost = ~positive;
  for (int iteration = 0; iteration < NEWTON_LIMIT && any(live); iteration++) {
    lanes square = lane_dot(plane, plane), k = s / square, g[4], h[10], step[4];
    struct plane_factor factor;
    leaf_assemble(p, plane, k, g, h);
    factor_plane(h, &factor);
    if (any(live & ~at_most(elimination_loss(h, &factor), splat(largest_loss))))
      break;
    lanes decrement = solve_plane(&factor, g, step), steepest = splat(0);
    lane_mask last = at_most(absolute(decrement), (1.5 * DECREMENT_TOLERANCE) * s);
    lanes m[3], away[3];
    leaf_normal(plane, m, away);
    for (int v = 0; v < p->count; v++) {
      lanes x[3];
      leaf_surface_point(p, v, away, x);
      lanes du = leaf_sign(p, v) * (lane_dot(x, step) + step[3]);  // what u loses, to first order
      steepest = larger(steepest, du * p->r[v]);
    }
    lane_mask long_step = live & greater(steepest, splat(LARGEST_STEP));
    lanes alpha = only(live, choose(long_step, LARGEST_STEP / choose(long_step, steepest, one), one));
    lanes merit = s * s * square * (1.0 + 1e-14), slope = 1e-4 * s * square * decrement, trial[4], trial_s;
    for (int halving = 0;; halving++) {
      for (int i = 0; i < 4; i++)
        trial[i] = plane[i] - alpha * step[i];
      trial_s = leaf_distances(p, trial, trial_u, trial_r, &positive);
      lane_mask good = positive & (last | at_most(trial_s * trial_s * lane_dot(trial, trial), merit - alpha * slope));
      lane_mask bad = live & ~good;
      if (!any(bad))
        break;
      if (halving == HALVINGS_LIMIT) {  // they stay where they are
        lost |= bad;
        live &= ~bad;
        alpha = only(~bad, alpha);
      } else {
        alpha = choose(bad, 0.5 * alpha, alpha);
      }
    }
    for (int i = 0; i < 4; i++)
      plane[i] = trial[i];
    memcpy(p->u, trial_u, (size_t)p->count * sizeof *trial_u);
    memcpy(p->r, trial_r, (size_t)p->count * sizeof *trial_r);
    s = trial_s;
    live &= ~last;
    ++*iterations;
  }
  lanes square = lane_dot(plane, plane), scale = 1.0 / square_root(square), length = square * scale;
  for (int i = 0; i < 4; i++)
    plane[i] *= scale;
  for (int v = 0; v < p->count; v++) {
    p->u[v] *= scale;
    p->r[v] *= length;
  }
  *sum = s * length;
  return live | lost;
}

// F_xi for a twist of leaf a about the origin of the world coordinates; *total = Q, a = sum_A w q x.
static inline void leaf_gradient(const struct leaf_group *p, const lanes normal[3], lanes *total, lanes a[3],
                                 lanes f[6])
{
  *total = splat(0);
  a[0] = a[1] = a[2] = splat(0);
  for (int v = 0; v < p->count_a; v++) {
    lanes q = p->share[v] * p->r[v] * p->r[v];
    *total += q;
    for (int k = 0; k < 3; k++)
      a[k] += q * p->world[v][k];
  }
  lane_cross(f, normal, a);
  for (int k = 0; k < 3; k++)
    f[3 + k] = -*total * normal[k];
}

// The Hessian of P (triangle_pair_template.h, pair_hessian) with y at the surface points and H of leaf_assemble.
static inline void leaf_hessian(const struct leaf_group *p, const struct local_frame *frame, const lanes plane[4],
                                const lanes n[3], lanes s, lanes total, const lanes a[3], const lanes f[6], lanes p1,
                                lanes p2, lanes weight, lane_mask valid, double (*sum)[DC_BATCH], int lane)
{
  lanes g[4], h[10], mixed[6][4], z[DC_HESSIAN], m[3], away[3], y[6][4], scaled_y[6][4];
  struct plane_factor factor;
  leaf_assemble(p, plane, s, g, h);
  factor_plane(h, &factor);
  leaf_normal(plane, m, away);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 4; k++)
      mixed[i][k] = splat(0);
  for (int i = 0; i < DC_HESSIAN; i++)
    z[i] = splat(0);
  for (int v = 0; v < p->count_a; v++) {
    lanes w[6], x[3], cube = 2.0 * p->share[v] * p->r[v] * p->r[v] * p->r[v];
    lane_cross(w, p->world[v], n);
    for (int k = 0; k < 3; k++)
      w[3 + k] = n[k];
    leaf_surface_point(p, v, away, x);
    for (int i = 0, e = 0; i < 6; i++) {
      lanes scaled = cube * w[i];
      for (int k = 0; k < 3; k++)
        mixed[i][k] += scaled * x[k];
      mixed[i][3] += scaled;
      for (int j = 0; j <= i; j++, e++)
        z[e] += scaled * w[j];
    }
  }
  for (int k = 0; k < 3; k++) {
    lanes cross[3];
    lane_cross(cross, a, frame->axes[k]);
    for (int i = 0; i < 3; i++) {
      mixed[i][k] -= cross[i];
      mixed[3 + i][k] -= total * frame->axes[k][i];
    }
  }
  lanes along = lane_dot(n, a);
  for (int i = 0, e = 0; i < 3; i++)
    for (int j = 0; j <= i; j++, e++)
      z[e] -= 0.5 * (n[i] * a[j] + n[j] * a[i]) - (i == j ? along : splat(0));
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

// Lanes of a batch as a group; vertices of a come first.
static inline void load_leaves(const struct dc_leaf_batch *batch, int lane, struct leaf_group *p)
{
  p->count_a = batch->count[0];
  p->count = p->count_a + batch->count[1];
  for (int v = 0; v < p->count; v++) {
    int side = v >= p->count_a, own = v - (side ? p->count_a : 0);
    for (int k = 0; k < 3; k++)
      p->world[v][k] = load(&batch->vertices[side][own][k][lane]);
    p->share[v] = load(&batch->share[side][own][lane]);
  }
  for (int side = 0; side < 2; side++)
    p->radius[side] = load(&batch->radius[side][lane]);
}

// One group of pairs of leaves: Newton's method in the frame of the start plane.  A lane that loses digits there gets
// a new frame at the plane it has come to, up to FRAMES_LIMIT times; then value, gap, plane and derivatives are
// stored.
static void leaf_group(struct dc_leaf_batch *batch, int lane, int order, double (*hessian)[DC_BATCH])
{
  struct leaf_group p;
  struct local_frame frame;
  lanes plane[4], local_plane[4], s = splat(1), normal[3];
  lane_mask apart, failed;
  load_leaves(batch, lane, &p);
  for (int k = 0; k < 4; k++)
    plane[k] = load(&batch->plane[k][lane]);
  apart = greater(lane_dot(plane, plane), splat(0.5));
  for (int frames = 1;; frames++) {
    apart = leaf_frame(&p, plane, apart, &frame);
    failed = apart & leaf_newton(&p, apart, frames < FRAMES_LIMIT ? LARGEST_LOSS : INFINITY, local_plane, &s,
                                 &batch->iterations);
    for (int k = 0; k < 3; k++)
      plane[k] = normal[k] =
          frame.axes[0][k] * local_plane[0] + (frame.axes[1][k] * local_plane[1] + frame.axes[2][k] * local_plane[2]);
    plane[3] = local_plane[3] - lane_dot(plane, frame.origin);
    if (!any(failed) || frames == FRAMES_LIMIT)
      break;
  }
  lanes root = square_root(batch->length * s), least[2] = {splat(INFINITY), splat(INFINITY)};
  for (int v = 0; v < p.count; v++)
    least[v >= p.count_a] = smaller(least[v >= p.count_a], p.u[v]);
  store(&batch->energy[lane], choose(apart, root * (root + 2 * DC_SQRT12), splat(INFINITY)));
  store(&batch->gap[lane], only(apart, least[0] + least[1]));
  for (int k = 0; k < 4; k++)
    store(&batch->plane[k][lane], only(apart, plane[k]));
  for (int l = 0; l < DC_LANE_WIDTH; l++)
    batch->failed[lane + l] = failed[l] != 0 || apart[l] == 0;
  if (order < 1)
    return;
  lanes f[6], total, a[3], p1 = batch->length * (1.0 + DC_SQRT12 / root), p2 = (-0.5 * DC_SQRT12) * root / (s * s);
  leaf_gradient(&p, normal, &total, a, f);
  for (int k = 0; k < 6; k++)
    store(&batch->gradient[k][lane], only(apart, p1 * f[k]));
  if (order > 1)
    leaf_hessian(&p, &frame, local_plane, normal, s, total, a, f, p1, p2, load(&batch->weight[lane]), apart & ~failed,
                 hessian, lane);
}

static void leaf_pairs(struct dc_leaf_batch *batch, int order, double (*hessian)[DC_BATCH])
{
  batch->iterations = 0;
  for (int lane = 0; lane < batch->used; lane += DC_LANE_WIDTH)
    leaf_group(batch, lane, order, hessian);
}
