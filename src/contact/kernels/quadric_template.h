// SPDX-License-Identifier: Apache-2.0
// Kernels of contact manifolds: smooth unions of superquadrics, in lanes; formulas in
// src/geometry/implicit/sdf_superquadric.c, of which these are the lanes.
//
// A superquadric is a chain of logarithms and exponentials that wait for each other.  So four are computed side by
// side, all in powers of two, where logarithms and exponentials need no constant (the blends h and g are the same in
// any base).  Seven quotients of a point share one division.
#include "contact/kernels/lane_math.h"
#include "contact/kernels/manifold_kernels.h"

enum { QUADRICS_ABREAST = 4 };
static const double QUADRICS_LEAST_POWER = -1000;  // 2 to it is 0 beside 1, and a normal number
static const double QUADRICS_LN2 = 0.69314718055994530942;

// All that value, gradient and way back need of one superquadric at the points of the lanes: place in its axes, 1/s_k,
// the derivatives of h by L_1 and of g by h, |x| with its inverse, and exp(-g/2).
struct quadric_terms {
  lanes x[3], inverse_s[3], by_l1, by_h, radius, inverse_radius, fall;
};

// max(a, b) + e log2(1 + 2^-(|a - b|/e)), over values, and its derivative by a
static inline __attribute__((always_inline)) void quadric_larger(int count, const lanes *a, const lanes *b,
                                                                 const double *e, const double *inverse_e,
                                                                 lanes *values, lanes *weights)
{
  lanes difference[QUADRICS_ABREAST], fall[QUADRICS_ABREAST], power[QUADRICS_ABREAST], k[QUADRICS_ABREAST],
      quotient[QUADRICS_ABREAST], logarithm[QUADRICS_ABREAST];
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    difference[n] = (a[n] - b[n]) * inverse_e[n];
    fall[n] = larger(-absolute(difference[n]), splat(QUADRICS_LEAST_POWER));
  }
  lane_exp2_many(count, fall, power);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    lanes sum = 1 + power[n], f;
    lane_log_split(sum, &k[n], &f);
    lanes divisor = 2 + f, inverse = 1 / (divisor * sum), share = divisor * inverse;
    weights[n] = choose(greater(difference[n], splat(0)), share, power[n] * share);
    quotient[n] = f * (sum * inverse);
  }
  lane_log2_join_many(count, k, quotient, logarithm);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++)
    values[n] = larger(a[n], b[n]) + e[n] * logarithm[n];
}

// The point in the axes of the quadric; s_k = 2^k (1 + f) with quotients f/(2 + f), 1/s_k, |x| and its inverse.
static inline __attribute__((always_inline)) void quadric_place(const struct dc_quadric *quadric, const lanes x[3],
                                                                struct quadric_terms *t, lanes k[3], lanes quotient[3])
{
  const double *r = quadric->rotation;
  lanes arm[3] = {x[0] - quadric->position[0], x[1] - quadric->position[1], x[2] - quadric->position[2]}, s[3], f[3],
        d[3];
  for (int i = 0; i < 3; i++) {
    t->x[i] = r[i] * arm[0] + r[3 + i] * arm[1] + r[6 + i] * arm[2];
    s[i] = t->x[i] * t->x[i] * quadric->inverse_square[i] + 1e-12;
    lane_log_split(s[i], &k[i], &f[i]);
    d[i] = 2 + f[i];
  }
  lanes square = lane_dot(t->x, t->x) + quadric->least, s01 = s[0] * s[1], d01 = d[0] * d[1];
  lanes of_s = s01 * s[2], of_d = d01 * d[2];
  lanes inverse = 1 / (of_s * (of_d * square)), inverse_s = inverse * (of_d * square),
        inverse_d = inverse * (of_s * square);
  t->inverse_s[0] = inverse_s * (s[1] * s[2]);
  t->inverse_s[1] = inverse_s * (s[0] * s[2]);
  t->inverse_s[2] = inverse_s * s01;
  quotient[0] = f[0] * (inverse_d * (d[1] * d[2]));
  quotient[1] = f[1] * (inverse_d * (d[0] * d[2]));
  quotient[2] = f[2] * (inverse_d * d01);
  t->radius = square_root(square);
  t->inverse_radius = t->radius * (inverse * (of_s * of_d));
}

// Steps for all quadrics abreast: places and logarithms L, then h from L_1 and L_2, then g from h and L_3, then the
// fall exp(-g/2), all in powers of two.
static inline __attribute__((always_inline)) void quadric_compute(int count, const struct dc_quadric *const *quadrics,
                                                                  const lanes x[3], struct quadric_terms *const *t)
{
  lanes k[3 * QUADRICS_ABREAST], quotient[3 * QUADRICS_ABREAST], l[3 * QUADRICS_ABREAST], a[QUADRICS_ABREAST],
      b[QUADRICS_ABREAST], values[QUADRICS_ABREAST], weights[QUADRICS_ABREAST];
  double e[QUADRICS_ABREAST], inverse_e[QUADRICS_ABREAST];
#pragma GCC unroll 4
  for (int n = 0; n < count; n++)
    quadric_place(quadrics[n], x, t[n], &k[3 * n], &quotient[3 * n]);
  lane_log2_join_many(3 * count, k, quotient, l);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    a[n] = l[3 * n];
    b[n] = l[3 * n + 1];
    e[n] = quadrics[n]->e2;
    inverse_e[n] = quadrics[n]->inverse_e2;
  }
  quadric_larger(count, a, b, e, inverse_e, values, weights);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    t[n]->by_l1 = weights[n];
    b[n] = l[3 * n + 2];
    e[n] = quadrics[n]->e1;
    inverse_e[n] = quadrics[n]->inverse_e1;
  }
  quadric_larger(count, values, b, e, inverse_e, a, weights);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    t[n]->by_h = weights[n];
    values[n] = -0.5 * a[n];
  }
  lane_exp2_many(count, values, weights);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++)
    t[n]->fall = weights[n];
}

// From the axes of the quadric to those of the world.
static inline void quadric_turn(const struct dc_quadric *quadric, const lanes local[3], lanes out[3])
{
  const double *r = quadric->rotation;
  for (int k = 0; k < 3; k++)
    out[k] = r[3 * k] * local[0] + r[3 * k + 1] * local[1] + r[3 * k + 2] * local[2];
}

// phi = |x| (1 - exp(-g/2)) and its gradient, with dL_k/dx_k = 2 x_k/(a_k^2 s_k) and the weights dg/dL_k.
static inline lanes quadric_value(const struct dc_quadric *quadric, const struct quadric_terms *t, lanes gradient[3])
{
  lanes weights[3] = {t->by_h * t->by_l1, t->by_h * (1 - t->by_l1), 1 - t->by_h}, local[3];
  lanes outer = (1 - t->fall) * t->inverse_radius, inner = t->radius * t->fall;
  for (int k = 0; k < 3; k++)
    local[k] = t->x[k] * (outer + inner * weights[k] * (quadric->inverse_square[k] * t->inverse_s[k]));
  quadric_turn(quadric, local, gradient);
  return t->radius * (1 - t->fall);
}

// The way back through one soft maximum: by its value and by its rate along u.  The second derivative of e
// log(exp(a/e) + exp(b/e)) by a is w (1 - w)/e, and so is minus the mixed one.
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
static inline void quadric_back(const struct dc_quadric *quadric, const struct quadric_terms *t, lanes v,
                                const lanes u[3], lanes by_x[3])
{
  const double *r = quadric->rotation;
  lanes local[3], s_rate, l_rate[3], by_l[3], by_l_rate[3], outer[2], outer_rates[2], inner[2], inner_rates[2], out[3];
  for (int k = 0; k < 3; k++) {
    local[k] = r[k] * u[0] + r[3 + k] * u[1] + r[6 + k] * u[2];
    s_rate = 2 * t->x[k] * local[k] * quadric->inverse_square[k];
    l_rate[k] = s_rate * t->inverse_s[k];
  }
  lanes h_rate = t->by_l1 * l_rate[0] + (1 - t->by_l1) * l_rate[1];
  lanes g_rate = t->by_h * h_rate + (1 - t->by_h) * l_rate[2];
  lanes radius_rate = lane_dot(t->x, local) * t->inverse_radius, rise = 1 - t->fall;
  lanes by_g = 0.5 * t->fall * (v * t->radius + radius_rate - 0.5 * (t->radius * g_rate));
  lanes by_radius = v * rise + 0.5 * (t->fall * g_rate) - rise * radius_rate * t->inverse_radius;
  quadric_blend_back(h_rate, l_rate[2], quadric->inverse_e1, t->by_h, by_g, 0.5 * (t->radius * t->fall), outer,
                     outer_rates);
  quadric_blend_back(l_rate[0], l_rate[1], quadric->inverse_e2, t->by_l1, outer[0], outer_rates[0], inner, inner_rates);
  by_l[0] = inner[0], by_l[1] = inner[1], by_l[2] = outer[1];
  by_l_rate[0] = inner_rates[0], by_l_rate[1] = inner_rates[1], by_l_rate[2] = outer_rates[1];
  for (int k = 0; k < 3; k++) {
    lanes by_s_rate = by_l_rate[k] * t->inverse_s[k], by_s = (by_l[k] - by_l_rate[k] * l_rate[k]) * t->inverse_s[k];
    local[k] = (by_radius * t->x[k] + rise * local[k]) * t->inverse_radius +
               2 * quadric->inverse_square[k] * (by_s * t->x[k] + by_s_rate * local[k]);
  }
  quadric_turn(quadric, local, out);
  for (int k = 0; k < 3; k++)
    by_x[k] += out[k];
}

// Quadrics that weigh less than 1e-14 of the union's nearest part are left out, as in selections: -log of that, in
// units of the softness.
static const double QUADRICS_FAR = 32.24;

// The quadrics that matter at some lanes; the last one may stand there more than once, with weight 0.
struct quadrics_near {
  int count, index[DC_QUADRICS_MOST + QUADRICS_ABREAST];
  lanes weight[DC_QUADRICS_MOST + QUADRICS_ABREAST], gradient[DC_QUADRICS_MOST + QUADRICS_ABREAST][3];
  struct quadric_terms terms[DC_QUADRICS_MOST + QUADRICS_ABREAST];
};

// The quadrics that seem nearest to the first and to the last lane, by |x - c|^2 - radius^2, among all; square [count]:
// |x - c|^2.
static inline void quadrics_first(const struct dc_quadrics *all, const lanes x[3], lanes *square, int first[2])
{
  lanes least = splat(INFINITY), nearest = splat(0);
  for (int i = 0; i < all->count; i++) {
    const struct dc_quadric *quadric = &all->quadrics[i];
    lanes arm[3] = {x[0] - quadric->position[0], x[1] - quadric->position[1], x[2] - quadric->position[2]};
    square[i] = lane_dot(arm, arm);
    lanes power = square[i] - quadric->radius * quadric->radius;
    nearest = choose(greater(least, power), splat(i), nearest);
    least = smaller(least, power);
  }
  first[0] = (int)nearest[0];
  first[1] = (int)nearest[DC_LANE_WIDTH - 1];
  if (first[1] == first[0])
    first[1] = first[0] + 1 < all->count ? first[0] + 1 : 0;
}

// Values (in weight) and gradients of `count` more of the list.
static inline __attribute__((always_inline)) void quadrics_take(const struct dc_quadrics *all, const lanes x[3], int at,
                                                                int count, struct quadrics_near *near, lanes *least)
{
  struct quadric_terms *t[QUADRICS_ABREAST];
  const struct dc_quadric *row[QUADRICS_ABREAST];
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    t[n] = &near->terms[at + n];
    row[n] = &all->quadrics[near->index[at + n]];
  }
  quadric_compute(count, row, x, t);
#pragma GCC unroll 4
  for (int n = 0; n < count; n++) {
    near->weight[at + n] = quadric_value(row[n], t[n], near->gradient[at + n]);
    *least = smaller(*least, near->weight[at + n]);
  }
}

// Lists the quadrics near x, with their values in weight; the least value.  A value is at least |x - c| - radius.
static inline lanes quadrics_list(const struct dc_quadrics *all, const lanes x[3], struct quadrics_near *near)
{
  lanes square[DC_QUADRICS_MOST], least = splat(INFINITY), limit;
  int count = all->count < 2 ? 1 : 2, at = 2;
  quadrics_first(all, x, square, near->index);
  quadrics_take(all, x, 0, 2, near, &least);
  limit = least + QUADRICS_FAR * all->softness;
  for (int i = 0; i < all->count; i++) {
    lanes reach = larger(limit + all->quadrics[i].radius, splat(0));
    near->index[count] = i;
    count += i != near->index[0] && i != near->index[1] && any(at_most(square[i], reach * reach));
  }
  for (int i = count; i < count + QUADRICS_ABREAST; i++)
    near->index[i] = near->index[count - 1];
  for (; at + 2 < count; at += 4)
    quadrics_take(all, x, at, 4, near, &least);
  for (; at < count; at += 2)
    quadrics_take(all, x, at, 2, near, &least);
  for (int i = count; i < count + QUADRICS_ABREAST; i++)
    near->weight[i] = splat(INFINITY);
  near->count = count;
  return least;
}

// Weights of the union and gradients of its parts near x; its value and gradient.
static inline lanes quadrics_weigh(const struct dc_quadrics *all, const lanes x[3], struct quadrics_near *near,
                                   lanes gradient[3])
{
  double sharp = 1 / (QUADRICS_LN2 * all->softness);
  lanes least = quadrics_list(all, x, near), sum = splat(0), power, f, quotient, logarithm;
  for (int i = 0; i < near->count; i += QUADRICS_ABREAST) {
    lanes fall[QUADRICS_ABREAST];
#pragma GCC unroll 4
    for (int n = 0; n < QUADRICS_ABREAST; n++)
      fall[n] = larger((least - near->weight[i + n]) * sharp, splat(QUADRICS_LEAST_POWER));
    lane_exp2_many(QUADRICS_ABREAST, fall, &near->weight[i]);
  }
  gradient[0] = gradient[1] = gradient[2] = splat(0);
  for (int i = 0; i < near->count; i++) {
    sum += near->weight[i];
    for (int k = 0; k < 3; k++)
      gradient[k] += near->weight[i] * near->gradient[i][k];
  }
  lane_log_split(sum, &power, &f);
  lanes divisor = 2 + f, both = 1 / (divisor * sum), inverse = divisor * both;
  quotient = f * (sum * both);
  lane_log2_join_many(1, &power, &quotient, &logarithm);
  for (int k = 0; k < 3; k++)
    gradient[k] *= inverse;
  for (int i = 0; i < near->count; i++)
    near->weight[i] *= inverse;
  return least - all->softness * QUADRICS_LN2 * logarithm;
}

// Values [count] and gradients of a union, minus softness times the logarithm of sum exp(-phi_i/softness).  count is a
// multiple of the width of the lanes.
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
      quadric_back(&all->quadrics[near.index[m]], &near.terms[m], near.weight[m] * (by_value - above * sharp), turned,
                   out);
    }
    for (int k = 0; k < 3; k++)
      store(&by_x[k][i], out[k]);
  }
}
