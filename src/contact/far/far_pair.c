// SPDX-License-Identifier: Apache-2.0
// The terms of two trees, their energy, its derivatives by the numbers of nodes (centres, spreads, radii) and the rates
// of these (docs/theory.md, "The far field of soft bodies").
//
// With d = x_I - x_J, r = |d|, q = r^2 + sigma_I^2 + sigma_J^2 + delta^2, R = R_I + R_J, t = (r/R - 1)/eps:
//     C = W_I W_J f(q),   f = 24 sqrt(l) q^(-1/4) + 12 l q^(-1/2),   phi = Phi(t),   B = (1 - phi) A + phi C.
// A term counts with the product w of the 1 - phi above it:
//     dC = w C_q (2 d.dd + dsigma^2),   dB = w phi dC + w phi' (C - A) dt + ...,   dt = (dr/R - r dR/R^2)/eps.
// Sums go from the innermost blend outwards, weights from the outermost one inwards; rates are those of each line.
#include "contact/far/far_internal.h"
#include "math/vector.h"

// Lists.

static int add_term(struct dc_far_pair *pair, int i, int j, int blend)
{
  if (dc_grow(&pair->terms, &pair->term_capacity, pair->term_count + 1, sizeof *pair->terms))
    return -1;
  pair->terms[pair->term_count++] = (struct dc_far_term){i, j, blend};
  return 0;
}

static int add_blend(struct dc_far_pair *pair, int i, int j, int blend)
{
  if (dc_grow(&pair->blends, &pair->blend_capacity, pair->blend_count + 1, sizeof *pair->blends))
    return -1;
  pair->blends[pair->blend_count++] = (struct dc_far_term){i, j, blend};
  return 0;
}

// The node that was the larger one at rest is descended: another choice would change the sum at once.
static int list_nodes(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                      const struct dc_far_rule *rule, int i, int j, int blend)
{
  bool leaf_i = a->tree.right[i] < 0, leaf_j = b->tree.right[j] < 0;
  double r = dc_vec_distance(a->center[i], b->center[j]), inner = a->tree.radius[i] + b->tree.radius[j];
  if ((leaf_i && leaf_j) || (rule->hierarchical && r >= (1 + rule->blend) * inner))
    return add_term(pair, i, j, blend);
  if (rule->hierarchical && r > inner) {
    int outer = blend;
    blend = (int)pair->blend_count;
    if (add_blend(pair, i, j, outer))
      return -1;
  }
  bool first = leaf_j || (!leaf_i && a->tree.size[i] >= b->tree.size[j]);
  const int left[2] = {first ? i + 1 : i, first ? j : j + 1};
  const int right[2] = {first ? a->tree.right[i] : i, first ? j : b->tree.right[j]};
  if (list_nodes(pair, a, b, rule, left[0], left[1], blend))
    return -1;
  return list_nodes(pair, a, b, rule, right[0], right[1], blend);
}

// Blend 0 is the root sum, which is not blended; all other sums have their place behind it.
int dc_far_pair_list(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                     const struct dc_far_rule *rule)
{
  pair->term_count = pair->blend_count = 0;
  if (add_blend(pair, 0, 0, 0) || list_nodes(pair, a, b, rule, 0, 0, 0))
    return -1;
  return dc_grow(&pair->sums, &pair->sum_capacity, pair->blend_count, sizeof *pair->sums);
}

// Values.

// A pair of nodes: C and its derivatives by q, and their rates.
struct node_pair {
  double d[3], r, energy, by_square, d_rate[3], along, energy_rate, by_square_rate;
};

// Value and slopes of the centred potential of two nodes, and, with rates, its rate along the rates of the nodes.
static inline struct node_pair node_pair_of(const struct dc_far_pair *pair, const struct dc_far_surface *a,
                                            const struct dc_far_surface *b, const struct dc_far_rule *rule,
                                            const struct dc_far_term *term, bool rates)
{
  struct node_pair n = {.energy = 0};
  int i = term->i, j = term->j;
  dc_vec_sub(n.d, a->center[i], b->center[j]);
  double square = dc_vec_dot(n.d, n.d), scale = pair->stiffness * a->tree.weight[i] * b->tree.weight[j];
  double inverse = 1 / sqrt(square + a->tree.spread[i] + b->tree.spread[j] + pair->softening);
  double far = scale * sqrt(rule->length * inverse), near = scale * rule->length * inverse;
  n.r = sqrt(square);
  n.energy = 24 * far + 12 * near;
  n.by_square = -6 * (far + near) * inverse * inverse;
  if (!rates)
    return n;
  const struct dc_node_cotangent *of_a = &a->rates[i], *of_b = &b->rates[j];
  dc_vec_sub(n.d_rate, of_a->center, of_b->center);
  n.along = dc_vec_dot(n.d, n.d_rate);
  double square_rate = 2 * n.along + of_a->spread + of_b->spread, fourth = inverse * inverse * inverse * inverse;
  n.energy_rate = n.by_square * square_rate;
  n.by_square_rate = (7.5 * far + 9 * near) * fourth * square_rate;
  return n;
}

// A blend's t, Phi and two derivatives by t, and their rates.
struct blend {
  double inner, ratio, phi, slope, inner_rate, r_rate, phi_rate, slope_rate;  // ratio: r/R
};

// phi of a blend, a polynomial of degree five from 0 at inner to 1 at (1 + epsilon) inner, its slope, and their rates.
static inline struct blend blend_of(const struct node_pair *n, const struct dc_far_surface *a,
                                    const struct dc_far_surface *b, const struct dc_far_rule *rule,
                                    const struct dc_far_term *term, bool rates)
{
  struct blend blend;
  blend.inner = a->tree.radius[term->i] + b->tree.radius[term->j];
  blend.ratio = n->r / blend.inner;
  double t = (blend.ratio - 1) / rule->blend, rest = 1 - t;
  blend.phi = t * t * t * (10 + t * (6 * t - 15));
  blend.slope = 30 * t * t * rest * rest;
  if (!rates)
    return blend;
  blend.inner_rate = a->rates[term->i].radius + b->rates[term->j].radius;
  blend.r_rate = n->along / n->r;
  double t_rate = (blend.r_rate - blend.ratio * blend.inner_rate) / (blend.inner * rule->blend);
  blend.phi_rate = blend.slope * t_rate;
  blend.slope_rate = 60 * t * rest * (1 - 2 * t) * t_rate;
  return blend;
}

// The sums below all blends, and the rates of these.
static void sum_up(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                   const struct dc_far_rule *rule, bool rates)
{
  for (size_t k = 0; k < pair->blend_count; k++)
    pair->sums[k] = (struct dc_far_sum){.weight = 1};
  for (size_t k = 0; k < pair->term_count; k++) {
    struct node_pair n = node_pair_of(pair, a, b, rule, &pair->terms[k], rates);
    struct dc_far_sum *sum = &pair->sums[pair->terms[k].blend];
    sum->energy += n.energy;
    if (rates)
      sum->energy_rate += n.energy_rate;
  }
  for (size_t k = pair->blend_count - 1; k > 0; k--) {
    struct node_pair n = node_pair_of(pair, a, b, rule, &pair->blends[k], rates);
    struct blend blend = blend_of(&n, a, b, rule, &pair->blends[k], rates);
    struct dc_far_sum *sum = &pair->sums[k], *above = &pair->sums[pair->blends[k].blend];
    double excess = n.energy - sum->energy;
    above->energy += sum->energy + blend.phi * excess;
    if (rates)
      above->energy_rate += (1 - blend.phi) * sum->energy_rate + blend.phi * n.energy_rate + blend.phi_rate * excess;
  }
}

// Adds the derivatives of a term by its nodes: by_square by q, and `size` times d by the difference of centres.
static inline void add_nodes(const struct dc_far_surface *a, const struct dc_far_surface *b,
                             const struct dc_far_term *term, const struct node_pair *n, double by_square, double size)
{
  struct dc_node_cotangent *of_a = &a->by[term->i], *of_b = &b->by[term->j];
  double by_d = 2 * by_square + size;
  dc_vec_add_scaled(of_a->center, of_a->center, by_d, n->d);
  dc_vec_add_scaled(of_b->center, of_b->center, -by_d, n->d);
  of_a->spread += by_square;
  of_b->spread += by_square;
}

// Product rule: the cotangent of a centred term's distance vector is by_d d, its rate by_d' d + by_d d'. The term sees
// the sum of both nodes' spreads, so that each gets the same.
static inline void add_node_rates(const struct dc_far_surface *a, const struct dc_far_surface *b,
                                  const struct dc_far_term *term, const struct node_pair *n, double by_d,
                                  double by_d_rate, double by_square_rate)
{
  struct dc_node_cotangent *of_a = &a->by_rates[term->i], *of_b = &b->by_rates[term->j];
  double sum[3];
  dc_vec_scale(sum, n->d, by_d_rate);
  dc_vec_add_scaled(sum, sum, by_d, n->d_rate);
  dc_vec_add(of_a->center, of_a->center, sum);
  dc_vec_sub(of_b->center, of_b->center, sum);
  of_a->spread += by_square_rate;
  of_b->spread += by_square_rate;
}

// Derivatives of all centred terms by the numbers of their nodes, weighted by the blends above them; with rates their
// change along the velocities of the nodes, too.
static void add_terms(const struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                      const struct dc_far_rule *rule, bool rates)
{
  for (size_t k = 0; k < pair->term_count; k++) {
    const struct dc_far_term *term = &pair->terms[k];
    const struct dc_far_sum *sum = &pair->sums[term->blend];
    struct node_pair n = node_pair_of(pair, a, b, rule, term, rates);
    double by_square = sum->weight * n.by_square;
    add_nodes(a, b, term, &n, by_square, 0);
    if (!rates)
      continue;
    double rate = sum->weight_rate * n.by_square + sum->weight * n.by_square_rate;
    add_node_rates(a, b, term, &n, 2 * by_square, 2 * rate, rate);
  }
}

// A blend with the weight w above it: w phi C_q as of a term; s = w phi' (C - A)/eps by r/R gives s/(r R) times d and,
// by R, -s r/R^2.
static void add_blend_derivatives(const struct dc_far_pair *pair, size_t k, const struct dc_far_surface *a,
                                  const struct dc_far_surface *b, const struct dc_far_rule *rule, bool rates)
{
  const struct dc_far_term *term = &pair->blends[k];
  const struct dc_far_sum *above = &pair->sums[term->blend];
  struct dc_far_sum *sum = &pair->sums[k];
  struct node_pair n = node_pair_of(pair, a, b, rule, term, rates);
  struct blend blend = blend_of(&n, a, b, rule, term, rates);
  double w = above->weight, excess = n.energy - sum->energy, by_square = w * blend.phi * n.by_square;
  double s = w * blend.slope * excess / rule->blend, size = s / (blend.inner * n.r);
  double by_radius = -s * blend.ratio / blend.inner;
  sum->weight = w * (1 - blend.phi);
  add_nodes(a, b, term, &n, by_square, size);
  a->by[term->i].radius += by_radius;
  b->by[term->j].radius += by_radius;
  if (!rates)
    return;
  double w_rate = above->weight_rate, excess_rate = n.energy_rate - sum->energy_rate;
  sum->weight_rate = w_rate * (1 - blend.phi) - w * blend.phi_rate;
  double by_square_rate = (w_rate * blend.phi + w * blend.phi_rate) * n.by_square + w * blend.phi * n.by_square_rate;
  double s_rate =
      ((w_rate * blend.slope + w * blend.slope_rate) * excess + w * blend.slope * excess_rate) / rule->blend;
  double size_rate = s_rate / (blend.inner * n.r) - size * (blend.inner_rate / blend.inner + blend.r_rate / n.r);
  double radius_rate =
      (-s_rate * n.r - s * blend.r_rate) / (blend.inner * blend.inner) - 2 * by_radius * blend.inner_rate / blend.inner;
  add_node_rates(a, b, term, &n, 2 * by_square + size, 2 * by_square_rate + size_rate, by_square_rate);
  a->by_rates[term->i].radius += radius_rate;
  b->by_rates[term->j].radius += radius_rate;
}

// Energies from the innermost blend outwards, then weights inwards, then terms; returns the energy of the root sum.
static double derive(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                     const struct dc_far_rule *rule, bool rates)
{
  sum_up(pair, a, b, rule, rates);
  for (size_t k = 1; k < pair->blend_count; k++)
    add_blend_derivatives(pair, k, a, b, rule, rates);
  add_terms(pair, a, b, rule, rates);
  return pair->sums[0].energy;
}

double dc_far_pair_gradient(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                            const struct dc_far_rule *rule)
{
  return derive(pair, a, b, rule, false);
}

void dc_far_pair_multiply(struct dc_far_pair *pair, const struct dc_far_surface *a, const struct dc_far_surface *b,
                          const struct dc_far_rule *rule)
{
  derive(pair, a, b, rule, true);
}
