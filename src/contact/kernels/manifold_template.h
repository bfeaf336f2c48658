// SPDX-License-Identifier: Apache-2.0
// Kernels of contact manifolds: nearest points of edges and what their activities are made of, in lanes.
//
// Nearest points (paper 001, IV.D.2).  Edges v_b + t_b alpha_b, alpha in [0, 1], r = v_1 - v_2, s = (|t_1|^2 +
// |t_2|^2)/2:
//     Q = A^T A/s + lambda I,   c = A^T r/s - lambda/2,   A = [t_1, -t_2],   f(a) = a.Q a/2 + c.a.
// The minimum without bounds is a_u = -Q^-1 c.  The minima on the sides of the box, with the free coordinate clipped,
// are weighted by softmax(-f/tau) and give a_c.  With gamma = prod sigma(a_u/tau) sigma((1 - a_u)/tau) the result is
//     a = gamma a_u + (1 - gamma) a_c.
//
// One exponential is taken for every z, clipped or in gamma: p = exp(-t) with t the distance of z/tau from the nearer
// end of [0, 1/tau]; d = (1 + p)(p + E) inside, (1 + p)(1 + p E) outside, E = exp(-1/tau).  Products, differences and
// the clipping follow by division (docs/theory.md, "Contact manifolds", "One exponential for both ends").
#include "contact/kernels/lane_math.h"
#include "contact/kernels/manifold_kernels.h"

struct edge_end {
  lanes p, d;
  lane_mask inside, first;  // z within [0, 1]; nearer to 0 than to 1
};

// Numbers that do not depend on the pair.
struct edge_scale {
  double softness, sharp, far;  // tau, 1/tau, E
};

struct edge_pair {
  lanes t1[3], t2[3], r[3];
  lanes raw[5], inverse_size;  // q11, q12, q22, k1, k2 before they are divided by s; 1/s
  lanes q11, q12, q22, c1, c2;
  lanes inverse, inverse11, inverse22;  // of the determinant, Q11, Q22
  lanes raw_sides[4], free[2];          // of the four sides alpha1 = 1, 0, alpha2 = 1, 0: z before clipping; a_u
  struct edge_end ends[6];              // of both
  lanes sides[4][2], weight[4], clipped[2], gamma;  // clipped: a_c
};

// p, d and the side that z lies on, for `count` coordinates at once, so that their exponentials overlap.
static inline void edge_ends(int count, const lanes *z, const struct edge_scale *scale, struct edge_end *ends)
{
  lanes nearest[6], p[6];
#pragma GCC unroll 8
  for (int i = 0; i < count; i++) {
    lanes low = z[i] * scale->sharp, high = low - scale->sharp, before = absolute(low), behind = absolute(high);
    ends[i].inside = greater(low, splat(0)) & greater(splat(0), high);
    ends[i].first = at_most(before, behind);
    nearest[i] = -smaller(before, behind);
  }
  lane_exp_many(count, nearest, p);
#pragma GCC unroll 8
  for (int i = 0; i < count; i++) {
    ends[i].p = p[i];
    ends[i].d = (1 + p[i]) * choose(ends[i].inside, p[i] + scale->far, 1 + p[i] * scale->far);
  }
}

// tau (log(1 + exp(z/tau)) - log(1 + exp((z - 1)/tau))) of the four sides
static inline void edge_clip(const lanes z[4], const struct edge_scale *scale, const struct edge_end ends[4],
                             lanes clipped[4])
{
  lanes quotient[4], bend[4];
#pragma GCC unroll 4
  for (int m = 0; m < 4; m++) {
    lanes p = ends[m].p, square = p * p;
    quotient[m] = choose(ends[m].inside, square - scale->far, p * (1 - scale->far)) /
                  choose(ends[m].inside, square + (2 * p + scale->far), 2 + p * (1 + scale->far));
  }
  lane_log_quotients(4, quotient, bend);
#pragma GCC unroll 4
  for (int m = 0; m < 4; m++)
    clipped[m] = smaller(larger(z[m], splat(0)), splat(1)) + scale->softness * choose(ends[m].first, bend[m], -bend[m]);
}

static inline lanes edge_cost(const struct edge_pair *e, const lanes a[2])
{
  return a[0] * (0.5 * (e->q11 * a[0]) + e->q12 * a[1] + e->c1) + a[1] * (0.5 * (e->q22 * a[1]) + e->c2);
}

// Edge vectors and products of one group of pairs, scaled by s, so that lambda has no unit.
static inline void edge_load(const double *const ends[DC_EDGE_ENDS], int i, const struct dc_edge_smoothing *smoothing,
                             struct edge_pair *e)
{
  for (int k = 0; k < 3; k++) {
    lanes start1 = load(&ends[k][i]), start2 = load(&ends[6 + k][i]);
    e->t1[k] = load(&ends[3 + k][i]) - start1;
    e->t2[k] = load(&ends[9 + k][i]) - start2;
    e->r[k] = start1 - start2;
  }
  e->raw[0] = lane_dot(e->t1, e->t1);
  e->raw[1] = -lane_dot(e->t1, e->t2);
  e->raw[2] = lane_dot(e->t2, e->t2);
  e->raw[3] = lane_dot(e->t1, e->r);
  e->raw[4] = -lane_dot(e->t2, e->r);
  e->inverse_size = 2 / larger(e->raw[0] + e->raw[2], splat(1e-300));
  e->q11 = e->raw[0] * e->inverse_size + smoothing->regularization;
  e->q12 = e->raw[1] * e->inverse_size;
  e->q22 = e->raw[2] * e->inverse_size + smoothing->regularization;
  e->c1 = e->raw[3] * e->inverse_size - 0.5 * smoothing->regularization;
  e->c2 = e->raw[4] * e->inverse_size - 0.5 * smoothing->regularization;
}

// The steps of the head: minima on the four sides and the free one from six coordinates z, gamma, clipped coordinates,
// and the softmax over the sides.
static inline __attribute__((always_inline)) void edge_solve(const struct edge_scale *scale, struct edge_pair *e)
{
  lanes diagonal = e->q11 * e->q22, determinant = larger(diagonal - e->q12 * e->q12, splat(1e-300));
  lanes all = 1 / (diagonal * determinant);
  e->inverse = all * diagonal;
  e->inverse11 = all * determinant * e->q22;
  e->inverse22 = all * determinant * e->q11;
  lanes z[6] = {-(e->q12 + e->c2) * e->inverse22,
                -e->c2 * e->inverse22,
                -(e->q12 + e->c1) * e->inverse11,
                -e->c1 * e->inverse11,
                e->inverse * (e->q12 * e->c2 - e->q22 * e->c1),
                e->inverse * (e->q12 * e->c1 - e->q11 * e->c2)},
        clipped[4], cost[4], fall[4], least, sum = splat(0);
  edge_ends(6, z, scale, e->ends);
  e->gamma = e->ends[4].p / e->ends[4].d * (e->ends[5].p / e->ends[5].d);
  edge_clip(z, scale, e->ends, clipped);
  for (int j = 0; j < 2; j++)
    e->free[j] = z[4 + j];
#pragma GCC unroll 4
  for (int m = 0; m < 4; m++) {
    e->raw_sides[m] = z[m];
    e->sides[m][m / 2] = splat(m % 2 ? 0 : 1);
    e->sides[m][1 - m / 2] = clipped[m];
    cost[m] = edge_cost(e, e->sides[m]);
  }
  least = smaller(smaller(cost[0], cost[1]), smaller(cost[2], cost[3]));
  for (int m = 0; m < 4; m++)
    fall[m] = (least - cost[m]) * scale->sharp;
  lane_exp_many(4, fall, e->weight);
  for (int m = 0; m < 4; m++)
    sum += e->weight[m];
  lanes share = 1 / sum;
  e->clipped[0] = e->clipped[1] = splat(0);
  for (int m = 0; m < 4; m++) {
    e->weight[m] *= share;
    for (int j = 0; j < 2; j++)
      e->clipped[j] += e->weight[m] * e->sides[m][j];
  }
}

static inline struct edge_scale edge_scale_of(const struct dc_edge_smoothing *smoothing)
{
  return (struct edge_scale){smoothing->softness, 1 / smoothing->softness, exp(-1 / smoothing->softness)};
}

static void edge_witness(const struct dc_edge_smoothing *smoothing, int count, const double *const ends[DC_EDGE_ENDS],
                         double *const results[DC_EDGE_RESULTS])
{
  struct edge_scale scale = edge_scale_of(smoothing);
  for (int i = 0; i < count; i += DC_LANE_WIDTH) {
    struct edge_pair e;
    edge_load(ends, i, smoothing, &e);
    edge_solve(&scale, &e);
    for (int j = 0; j < 2; j++)
      store(&results[j][i], e.gamma * e.free[j] + (1 - e.gamma) * e.clipped[j]);
    store(&results[2][i], e.gamma);
  }
}

// Cotangents by alpha1, alpha2, gamma to those by Q11, Q12, Q22, c1, c2.
static inline void edge_back_solve(const struct edge_scale *scale, const struct edge_pair *e, const lanes by[3],
                                   lanes q[5])
{
  double sharp = scale->sharp;
  lanes by_free[2], by_clipped[2], by_gamma = by[2], by_weight[4], mean = splat(0);
  for (int j = 0; j < 2; j++)
    by_gamma += by[j] * (e->free[j] - e->clipped[j]);
  for (int j = 0; j < 2; j++) {
    const struct edge_end *end = &e->ends[4 + j];
    lanes square = end->p * end->p, change = choose(end->inside, square - scale->far, 1 - square * scale->far) / end->d;
    by_free[j] = e->gamma * (by[j] + by_gamma * sharp * choose(end->first, change, -change));
    by_clipped[j] = (1 - e->gamma) * by[j];
  }
  lanes y1 = e->inverse * (e->q22 * by_free[0] - e->q12 * by_free[1]),
        y2 = e->inverse * (e->q11 * by_free[1] - e->q12 * by_free[0]);
  q[0] = -y1 * e->free[0];
  q[1] = -(y1 * e->free[1] + y2 * e->free[0]);
  q[2] = -y2 * e->free[1];
  q[3] = -y1;
  q[4] = -y2;
  for (int m = 0; m < 4; m++) {
    by_weight[m] = by_clipped[0] * e->sides[m][0] + by_clipped[1] * e->sides[m][1];
    mean += e->weight[m] * by_weight[m];
  }
  for (int m = 0; m < 4; m++) {
    const lanes *a = e->sides[m];
    int j = 1 - m / 2;  // the coordinate that is free on this side
    lanes by_cost = e->weight[m] * (mean - by_weight[m]) * sharp, inverse = j ? e->inverse22 : e->inverse11;
    lanes slope = j ? e->q12 * a[0] + e->q22 * a[1] + e->c2 : e->q11 * a[0] + e->q12 * a[1] + e->c1;
    const struct edge_end *end = &e->ends[m];
    lanes by_raw = (e->weight[m] * by_clipped[j] + by_cost * slope) * inverse * (end->p * (1 - scale->far) / end->d);
    q[0] += 0.5 * (by_cost * a[0] * a[0]);
    q[1] += by_cost * a[0] * a[1];
    q[2] += 0.5 * (by_cost * a[1] * a[1]);
    q[3] += by_cost * a[0];
    q[4] += by_cost * a[1];
    if (m % 2 == 0)
      q[1] -= by_raw;
    q[j ? 2 : 0] -= by_raw * e->raw_sides[m];
    q[3 + j] -= by_raw;
  }
}

// Adds to by_ends.
static void edge_witness_back(const struct dc_edge_smoothing *smoothing, int count,
                              const double *const ends[DC_EDGE_ENDS], const double *const by_results[DC_EDGE_RESULTS],
                              double *const by_ends[DC_EDGE_ENDS])
{
  struct edge_scale scale = edge_scale_of(smoothing);
  for (int i = 0; i < count; i += DC_LANE_WIDTH) {
    struct edge_pair e;
    lanes by[3] = {load(&by_results[0][i]), load(&by_results[1][i]), load(&by_results[2][i])}, q[5], by_size = splat(0);
    edge_load(ends, i, smoothing, &e);
    edge_solve(&scale, &e);
    edge_back_solve(&scale, &e, by, q);
    for (int m = 0; m < 5; m++) {
      by_size -= q[m] * e.raw[m];
      q[m] *= e.inverse_size;
    }
    by_size *= 0.5 * (e.inverse_size * e.inverse_size);
    q[0] += by_size;
    q[2] += by_size;
    for (int k = 0; k < 3; k++) {
      lanes by_t1 = 2 * q[0] * e.t1[k] - q[1] * e.t2[k] + q[3] * e.r[k];
      lanes by_t2 = 2 * q[2] * e.t2[k] - q[1] * e.t1[k] - q[4] * e.r[k];
      lanes by_r = q[3] * e.t1[k] - q[4] * e.t2[k];
      store(&by_ends[k][i], load(&by_ends[k][i]) + (by_r - by_t1));
      store(&by_ends[3 + k][i], load(&by_ends[3 + k][i]) + by_t1);
      store(&by_ends[6 + k][i], load(&by_ends[6 + k][i]) - (by_r + by_t2));
      store(&by_ends[9 + k][i], load(&by_ends[9 + k][i]) + by_t2);
    }
  }
}

static void exponentials(int count, double *a)
{
  for (int i = 0; i < count; i += DC_BATCH) {
    enum { ABREAST = DC_BATCH / DC_LANE_WIDTH };
    lanes power[ABREAST];
    for (int n = 0; n < ABREAST; n++)
      power[n] = load(&a[i + n * DC_LANE_WIDTH]);
    lane_exp_many(ABREAST, power, power);
    for (int n = 0; n < ABREAST; n++)
      store(&a[i + n * DC_LANE_WIDTH], power[n]);
  }
}

static void sigmoids(int count, double *a)
{
  for (int i = 0; i < count; i++)
    a[i] = -a[i];
  exponentials(count, a);
  for (int i = 0; i < count; i++)
    a[i] = 1 / (1 + a[i]);
}
