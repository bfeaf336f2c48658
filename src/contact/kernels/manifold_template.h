// SPDX-License-Identifier: Apache-2.0
// Kernels of contact manifolds: nearest points of edges and unions of superquadrics, in lanes.
//
// Nearest points (paper 001, IV.D.2).  Edges v_b + t_b alpha_b, alpha in [0, 1], r = v_1 - v_2, s = (|t_1|^2 + |t_2|^2)/2:
//     Q = A^T A/s + lambda I,   c = A^T r/s - lambda/2,   A = [t_1, -t_2],   f(a) = a.Q a/2 + c.a.
// The minimum without bounds a_u = -Q^-1 c, that of each side of the box (its free coordinate clipped), these weighted by
// softmax(-f/tau) to a_c, and gamma = prod sigma(a_u/tau) sigma((1 - a_u)/tau) give a = gamma a_u + (1 - gamma) a_c.
//
// Of every z, clipped or in gamma, one exponential is taken, p = exp(-t) with t the distance of z/tau from the nearer end of
// [0, 1/tau]; d = (1 + p)(p + E) inside, (1 + p)(1 + p E) outside, E = exp(-1/tau).  Products, differences and the clipping
// follow by division (docs/theory.md, "Contact manifolds", "One exponential for both ends").
#include "contact/kernels/lane_math.h"
#include "contact/kernels/manifold_kernels.h"

struct edge_end {
  lanes p, d;
  lane_mask inside, first;  // z within [0, 1]; nearer to 0 than to 1
};

// What does not depend on the pair.
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

// Superquadrics: formulas in src/geometry/implicit/sdf_superquadric.c, of which these are the lanes.
struct quadric_terms {
  lanes x[3], s[3], inverse_s[3], by_l1, by_h, radius, fall;
};

// How many quadrics are computed side by side: one waits for itself, exponentials for logarithms.
enum { QUADRICS_ABREAST = 2 };

struct quadric_blend {
  lanes a, b;
  double e, inverse_e;
};

// max(a, b) + e log(1 + exp(-|a - b|/e)) and its derivative by a
static inline __attribute__((always_inline)) void quadric_larger(int count, const struct quadric_blend *blends,
                                                                 lanes *values, lanes *weights)
{
  lanes difference[QUADRICS_ABREAST], fall[QUADRICS_ABREAST], power[QUADRICS_ABREAST], k[QUADRICS_ABREAST],
      quotient[QUADRICS_ABREAST], logarithm[QUADRICS_ABREAST];
#pragma GCC unroll 2
  for (int n = 0; n < count; n++) {
    difference[n] = (blends[n].a - blends[n].b) * blends[n].inverse_e;
    fall[n] = -absolute(difference[n]);
  }
  lane_exp_many(count, fall, power);
#pragma GCC unroll 2
  for (int n = 0; n < count; n++) {
    lanes sum = 1 + power[n], f;
    lane_log_split(sum, &k[n], &f);
    lanes divisor = 2 + f, inverse = 1 / (divisor * sum), share = divisor * inverse;
    weights[n] = choose(greater(difference[n], splat(0)), share, power[n] * share);
    quotient[n] = f * (sum * inverse);
  }
  lane_log_join_many(count, k, quotient, logarithm);
#pragma GCC unroll 2
  for (int n = 0; n < count; n++)
    values[n] = larger(blends[n].a, blends[n].b) + blends[n].e * logarithm[n];
}

static inline __attribute__((always_inline)) void quadric_place(const struct dc_quadric *quadric, const lanes x[3],
                                                                struct quadric_terms *t)
{
  const double *r = quadric->rotation;
  lanes arm[3] = {x[0] - quadric->position[0], x[1] - quadric->position[1], x[2] - quadric->position[2]};
  for (int k = 0; k < 3; k++) {
    t->x[k] = r[k] * arm[0] + r[3 + k] * arm[1] + r[6 + k] * arm[2];
    t->s[k] = t->x[k] * t->x[k] * quadric->inverse_square[k] + 1e-12;
  }
  lanes first = t->s[0] * t->s[1], inverse = 1 / (first * t->s[2]), rest = inverse * t->s[2];
  t->inverse_s[0] = rest * t->s[1];
  t->inverse_s[1] = rest * t->s[0];
  t->inverse_s[2] = inverse * first;
  t->radius = square_root(lane_dot(t->x, t->x) + quadric->least);
}

static inline __attribute__((always_inline)) void quadric_compute(int count, const struct dc_quadric *const *quadrics,
                                                                  const lanes x[3], struct quadric_terms *t)
{
  lanes s[QUADRICS_ABREAST][3], l[QUADRICS_ABREAST][3], values[QUADRICS_ABREAST], weights[QUADRICS_ABREAST];
  struct quadric_blend blends[QUADRICS_ABREAST];
#pragma GCC unroll 2
  for (int n = 0; n < count; n++) {
    quadric_place(quadrics[n], x, &t[n]);
    for (int k = 0; k < 3; k++)
      s[n][k] = t[n].s[k];
  }
  lane_log3_many(count, (const lanes(*)[3])s, l);
#pragma GCC unroll 2
  for (int n = 0; n < count; n++)
    blends[n] = (struct quadric_blend){l[n][0], l[n][1], quadrics[n]->e2, quadrics[n]->inverse_e2};
  quadric_larger(count, blends, values, weights);
#pragma GCC unroll 2
  for (int n = 0; n < count; n++) {
    t[n].by_l1 = weights[n];
    blends[n] = (struct quadric_blend){values[n], l[n][2], quadrics[n]->e1, quadrics[n]->inverse_e1};
  }
  quadric_larger(count, blends, values, weights);
#pragma GCC unroll 2
  for (int n = 0; n < count; n++) {
    t[n].by_h = weights[n];
    values[n] = -0.5 * values[n];
  }
  lane_exp_many(count, values, weights);
#pragma GCC unroll 2
  for (int n = 0; n < count; n++)
    t[n].fall = weights[n];
}

static inline void quadric_turn(const struct dc_quadric *quadric, const lanes local[3], lanes out[3])
{
  const double *r = quadric->rotation;
  for (int k = 0; k < 3; k++)
    out[k] = r[3 * k] * local[0] + r[3 * k + 1] * local[1] + r[3 * k + 2] * local[2];
}

static inline lanes quadric_value(const struct dc_quadric *quadric, const struct quadric_terms *t, lanes gradient[3])
{
  lanes weights[3] = {t->by_h * t->by_l1, t->by_h * (1 - t->by_l1), 1 - t->by_h}, local[3];
  lanes outer = (1 - t->fall) / t->radius, inner = t->radius * t->fall;
  for (int k = 0; k < 3; k++)
    local[k] = t->x[k] * (outer + inner * weights[k] * (quadric->inverse_square[k] * t->inverse_s[k]));
  quadric_turn(quadric, local, gradient);
  return t->radius * (1 - t->fall);
}

static inline void quadric_blend_back(lanes a_rate, lanes b_rate, double inverse_e, lanes weight, lanes by_value,
                                      lanes by_rate, lanes by[2], lanes by_rates[2])
{
  lanes curvature = by_rate * (a_rate - b_rate) * (weight * (1 - weight)) * inverse_e;
  by[0] = by_value * weight + curvature;
  by[1] = by_value * (1 - weight) - curvature;
  by_rates[0] = by_rate * weight;
  by_rates[1] = by_rate * (1 - weight);
}

// Adds d(v phi + u.grad phi)/dx.
static inline void quadric_back(const struct dc_quadric *quadric, const lanes x[3], lanes v, const lanes u[3],
                                lanes by_x[3])
{
  struct quadric_terms t;
  const double *r = quadric->rotation;
  lanes local[3], s_rate, l_rate[3], by_l[3], by_l_rate[3], outer[2], outer_rates[2], inner[2], inner_rates[2], out[3];
  quadric_compute(1, &quadric, x, &t);
  for (int k = 0; k < 3; k++) {
    local[k] = r[k] * u[0] + r[3 + k] * u[1] + r[6 + k] * u[2];
    s_rate = 2 * t.x[k] * local[k] * quadric->inverse_square[k];
    l_rate[k] = s_rate * t.inverse_s[k];
  }
  lanes h_rate = t.by_l1 * l_rate[0] + (1 - t.by_l1) * l_rate[1];
  lanes g_rate = t.by_h * h_rate + (1 - t.by_h) * l_rate[2];
  lanes inverse_radius = 1 / t.radius, radius_rate = lane_dot(t.x, local) * inverse_radius, rise = 1 - t.fall;
  lanes by_g = 0.5 * t.fall * (v * t.radius + radius_rate - 0.5 * (t.radius * g_rate));
  lanes by_radius = v * rise + 0.5 * (t.fall * g_rate) - rise * radius_rate * inverse_radius;
  quadric_blend_back(h_rate, l_rate[2], quadric->inverse_e1, t.by_h, by_g, 0.5 * (t.radius * t.fall), outer,
                     outer_rates);
  quadric_blend_back(l_rate[0], l_rate[1], quadric->inverse_e2, t.by_l1, outer[0], outer_rates[0], inner, inner_rates);
  by_l[0] = inner[0], by_l[1] = inner[1], by_l[2] = outer[1];
  by_l_rate[0] = inner_rates[0], by_l_rate[1] = inner_rates[1], by_l_rate[2] = outer_rates[1];
  for (int k = 0; k < 3; k++) {
    lanes by_s_rate = by_l_rate[k] * t.inverse_s[k], by_s = (by_l[k] - by_l_rate[k] * l_rate[k]) * t.inverse_s[k];
    local[k] = (by_radius * t.x[k] + rise * local[k]) * inverse_radius +
               2 * quadric->inverse_square[k] * (by_s * t.x[k] + by_s_rate * local[k]);
  }
  quadric_turn(quadric, local, out);
  for (int k = 0; k < 3; k++)
    by_x[k] += out[k];
}

// What weighs less than 1e-14 of the union's nearest part is left out, as in selections: -log of that, in units of the
// softness.
static const double QUADRICS_FAR = 32.24;

// The quadrics that matter at some lanes, in pairs: the last one may stand there twice, with weight 0.
struct quadrics_near {
  int count, index[DC_QUADRICS_MOST + QUADRICS_ABREAST];
  lanes weight[DC_QUADRICS_MOST + QUADRICS_ABREAST], gradient[DC_QUADRICS_MOST + QUADRICS_ABREAST][3];
};

// Of all the two that seem nearest to the first and the last lane, by |x - c|^2 - radius^2; square [count]: |x - c|^2.
static inline void quadrics_first(const struct dc_quadrics *all, const lanes x[3], lanes *square, int first[2])
{
  double least[2] = {INFINITY, INFINITY};
  first[0] = first[1] = 0;
  for (int i = 0; i < all->count; i++) {
    const struct dc_quadric *quadric = &all->quadrics[i];
    lanes arm[3] = {x[0] - quadric->position[0], x[1] - quadric->position[1], x[2] - quadric->position[2]};
    square[i] = lane_dot(arm, arm);
    double power = square[i][0] + square[i][DC_LANE_WIDTH - 1] - 2 * quadric->radius * quadric->radius;
    int place = power < least[0] ? 0 : power < least[1] ? 1 : 2;
    if (place == 0) {
      least[1] = least[0];
      first[1] = first[0];
    }
    if (place < 2) {
      least[place] = power;
      first[place] = i;
    }
  }
}

// Values (in weight) and gradients of two more of the list.
static inline __attribute__((always_inline)) void quadrics_take(const struct dc_quadrics *all, const lanes x[3], int at,
                                                                struct quadrics_near *near, lanes *least)
{
  struct quadric_terms t[QUADRICS_ABREAST];
  const struct dc_quadric *row[QUADRICS_ABREAST] = {&all->quadrics[near->index[at]],
                                                    &all->quadrics[near->index[at + 1]]};
  quadric_compute(QUADRICS_ABREAST, row, x, t);
  for (int n = 0; n < QUADRICS_ABREAST; n++) {
    near->weight[at + n] = quadric_value(row[n], &t[n], near->gradient[at + n]);
    *least = smaller(*least, near->weight[at + n]);
  }
}

// Lists the quadrics near x, with their values in weight; the least value.  A value is at least |x - c| - radius.
static inline lanes quadrics_list(const struct dc_quadrics *all, const lanes x[3], struct quadrics_near *near)
{
  lanes square[DC_QUADRICS_MOST], least = splat(INFINITY), limit;
  int count = all->count < 2 ? 1 : 2;
  quadrics_first(all, x, square, near->index);
  quadrics_take(all, x, 0, near, &least);
  limit = least + QUADRICS_FAR * all->softness;
  for (int i = 0; i < all->count; i++) {
    lanes reach = larger(limit + all->quadrics[i].radius, splat(0));
    if (i != near->index[0] && i != near->index[1] && any(at_most(square[i], reach * reach)))
      near->index[count++] = i;
  }
  near->index[count] = near->index[count - 1];
  for (int i = 2; i < count; i += QUADRICS_ABREAST)
    quadrics_take(all, x, i, near, &least);
  if (count % QUADRICS_ABREAST)
    near->weight[count] = splat(INFINITY);
  near->count = (count + 1) / QUADRICS_ABREAST * QUADRICS_ABREAST;
  return least;
}

// Weights of the union and gradients of its parts near x; its value and gradient.
static inline lanes quadrics_weigh(const struct dc_quadrics *all, const lanes x[3], struct quadrics_near *near,
                                   lanes gradient[3])
{
  double sharp = 1 / all->softness;
  lanes least = quadrics_list(all, x, near), sum = splat(0);
  for (int i = 0; i < near->count; i += QUADRICS_ABREAST) {
    lanes fall[QUADRICS_ABREAST];
    for (int n = 0; n < QUADRICS_ABREAST; n++)
      fall[n] = (least - near->weight[i + n]) * sharp;
    lane_exp_many(QUADRICS_ABREAST, fall, &near->weight[i]);
    for (int n = 0; n < QUADRICS_ABREAST; n++)
      sum += near->weight[i + n];
  }
  lanes inverse = 1 / sum;
  gradient[0] = gradient[1] = gradient[2] = splat(0);
  for (int i = 0; i < near->count; i++) {
    near->weight[i] *= inverse;
    for (int k = 0; k < 3; k++)
      gradient[k] += near->weight[i] * near->gradient[i][k];
  }
  return least - all->softness * lane_log(sum);
}

static void quadric_values(const struct dc_quadrics *all, int count, const double *const x[3], double *values,
                           double *const gradients[3])
{
  for (int i = 0; i < count; i += DC_LANE_WIDTH) {
    lanes at[3] = {load(&x[0][i]), load(&x[1][i]), load(&x[2][i])}, gradient[3];
    struct quadrics_near near;
    store(&values[i], quadrics_weigh(all, at, &near, gradient));
    for (int k = 0; k < 3; k++)
      store(&gradients[k][i], gradient[k]);
  }
}

// by_x: d(v phi + u.grad phi)/dx.  Quadrics that weigh less than rounding at all points are left out.
static void quadric_values_back(const struct dc_quadrics *all, int count, const double *const x[3], const double *v,
                                const double *const u[3], double *const by_x[3])
{
  double sharp = 1 / all->softness;
  for (int i = 0; i < count; i += DC_LANE_WIDTH) {
    lanes at[3] = {load(&x[0][i]), load(&x[1][i]), load(&x[2][i])}, gradient[3];
    struct quadrics_near near;
    lanes direction[3] = {load(&u[0][i]), load(&u[1][i]), load(&u[2][i])}, by_value = load(&v[i]), out[3];
    out[0] = out[1] = out[2] = splat(0);
    quadrics_weigh(all, at, &near, gradient);
    lanes along = lane_dot(direction, gradient);
    for (int m = 0; m < near.count; m++) {
      if (!any(greater(near.weight[m], splat(1e-17))))
        continue;
      lanes above = lane_dot(direction, near.gradient[m]) - along, turned[3];
      for (int k = 0; k < 3; k++)
        turned[k] = near.weight[m] * direction[k];
      quadric_back(&all->quadrics[near.index[m]], at, near.weight[m] * (by_value - above * sharp), turned, out);
    }
    for (int k = 0; k < 3; k++)
      store(&by_x[k][i], out[k]);
  }
}
