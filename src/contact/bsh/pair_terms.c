// SPDX-License-Identifier: Apache-2.0
// The potential of one pair of bodies: the values of its terms and their sum.
//
// The list of a pair (pair_list.c) has exact terms, whose triangles or leaves have a plane of their own, and centred
// ones, which see two nodes as points.  They are cut into units; a large pair's units run side by side.
// 1. A unit loads eight terms into lanes, and a kernel of the processor's vector width finds planes, energies and
//    derivatives.  Planes are kept: they are the first guess of the next evaluation.
// 2. The results of a term, times its weights, go into the sum of the blend that it lies under; where units run side by
//    side they are stored first and summed in the order of the list, so that sums have the same bits.
// 3. From the innermost blend outwards, phi mixes the sum below it with the pair of nodes as one centred term
//    (paper 000, Eq. 8).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "contact/bsh/bsh_pair.h"
#include "contact/common/leaf_pair.h"
#include "math/vector.h"

static size_t units_of(size_t count, size_t size)
{
  return (count + size - 1) / size;
}

// Units of exact terms come first, those of centred ones behind them.
int dc_bsh_unit_count(const struct bsh_pair *pair)
{
  return (int)(units_of(pair->now.count, DC_EXACT_UNIT) + units_of(pair->centred_count, DC_CENTRED_UNIT));
}

static size_t smaller_size(size_t a, size_t b)
{
  return a < b ? a : b;
}

// Shared by the terms of a unit: both colliders, b's place and axes in those of a, and what the unit finds: the
// smallest gap, m, a pair of terms that cross, a plane that was not solved.
struct unit_context {
  const struct dc_contact *contact;
  struct bsh_pair *pair;
  const struct dc_collider *a, *b;
  const double *arm, *rotation_b;
  int order;
  double gap;
  bool crossing, unsolved;
};

// Lane results of `count` terms, times scale, into the sums of their blends; those of a large pair, whose units run
// side by side, are stored from the term `first` on.
static void put_values(struct unit_context *u, size_t first, int count, const int *blend, const double *scale,
                       const double *energy, const double (*gradient)[DC_BATCH])
{
  struct bsh_pair *pair = u->pair;
  struct dc_term_value value = {0};
  for (int l = 0; l < count; l++) {
    value.energy = scale[l] * energy[l];
    for (int k = 0; k < 6 && u->order > 0; k++)
      value.gradient[k] = scale[l] * gradient[k][l];
    value.blend = blend[l];
    if (pair->large)
      pair->values[first + (size_t)l] = value;
    else
      dc_bsh_add_value(&pair->sums[value.blend], &value);
  }
}

struct dc_leaf_lane dc_bsh_leaf_lane(const struct dc_contact *contact, const struct bsh_pair *pair, size_t term,
                                     const double *rotation_b, const double *arm)
{
  const struct dc_term *t = &pair->now.terms[term];
  double scale =
      contact->colliders[pair->face->a].leaf_weight[t->i] * contact->colliders[pair->face->b].leaf_weight[t->j];
  return (struct dc_leaf_lane){.pair = pair->face,
                               .term = t,
                               .rotation_b = rotation_b,
                               .arm = arm,
                               .plane = pair->now.planes[term],
                               .weight = pair->weights[t->blend] * scale};
}

// Vertices of both triangles in one lane, about the origin of a, in world axes.
static void load_triangles(const struct unit_context *u, int lane, const struct dc_term *term,
                           struct dc_triangle_batch *batch)
{
  const int *s = u->a->triangles[term->i], *t = u->b->triangles[term->j];
  for (int v = 0; v < 3; v++)
    for (int k = 0; k < 3; k++) {
      batch->vertices[3 * v + k][lane] = u->a->turned[s[v]][k];
      batch->vertices[9 + 3 * v + k][lane] = u->b->turned[t[v]][k] - u->arm[k];
    }
}

// Triangle pairs from begin to end, in batches of eight: the kernel finds their planes, energies and derivatives.
static void run_exact(struct unit_context *u, size_t begin, size_t end, double (*hessian)[DC_BATCH])
{
  struct dc_triangle_batch batch;
  double scale[DC_BATCH], constant = u->contact->settings.offset ? DC_BSH_OFFSET : 0;
  int blend[DC_BATCH];
  struct bsh_pair *pair = u->pair;
  batch.length = u->contact->settings.length;
  dc_vec_copy(batch.arm, u->arm);
  memcpy(batch.rotation_b, u->rotation_b, sizeof batch.rotation_b);
  for (size_t first = begin; first < end; first += DC_BATCH) {
    int count = (int)smaller_size(DC_BATCH, end - first);
    const struct dc_term *terms = pair->now.terms + first;
    double(*planes)[4] = pair->now.planes + first;
    for (int l = 0; l < DC_BATCH; l++) {
      int t = l < count ? l : count - 1;
      load_triangles(u, l, &terms[t], &batch);
      for (int k = 0; k < 4; k++)
        batch.plane[k][l] = planes[t][k];
      blend[l] = terms[t].blend;
      scale[l] = u->a->leaf_weight[terms[t].i] * u->b->leaf_weight[terms[t].j];
      batch.weight[l] = l < count ? pair->weights[blend[l]] * scale[l] : 0;
    }
    u->contact->kernels->triangle_pairs(&batch, u->order, hessian);
    u->unsolved |= batch.unconverged > 0;
    for (int l = 0; l < count; l++) {
      for (int k = 0; k < 4; k++)
        planes[l][k] = batch.plane[k][l];
      batch.energy[l] += constant;
      pair->energies[first + (size_t)l] = batch.energy[l];
      pair->gaps[first + (size_t)l] = batch.gap[l];
      u->gap = batch.gap[l] < u->gap ? batch.gap[l] : u->gap;
      u->crossing |= isinf(batch.energy[l]);
    }
    put_values(u, first, count, blend, scale, batch.energy, (const double(*)[DC_BATCH])batch.gradient);
  }
}

// Pairs of which one is a convex leaf from begin to end, likewise; of small pairs they are evaluated in leaf_terms.c.
static void run_leaves(struct unit_context *u, size_t begin, size_t end, double (*hessian)[DC_BATCH])
{
  struct dc_leaf_batch batch;
  struct dc_leaf_lane lanes[DC_BATCH];
  struct bsh_pair *pair = u->pair;
  double scale[DC_BATCH], constant = u->contact->settings.offset ? DC_BSH_OFFSET : 0;
  int blend[DC_BATCH];
  for (size_t first = begin; first < end; first += DC_BATCH) {
    int count = (int)smaller_size(DC_BATCH, end - first);
    for (int l = 0; l < count; l++) {
      lanes[l] = dc_bsh_leaf_lane(u->contact, pair, first + (size_t)l, u->rotation_b, u->arm);
      blend[l] = lanes[l].term->blend;
      scale[l] = u->a->leaf_weight[lanes[l].term->i] * u->b->leaf_weight[lanes[l].term->j];
    }
    dc_leaves_solve(u->contact, lanes, count, u->order, &batch, hessian);
    for (int l = 0; l < count; l++) {
      batch.energy[l] += constant;
      pair->energies[first + (size_t)l] = batch.energy[l];
      pair->gaps[first + (size_t)l] = batch.gap[l];
      u->gap = batch.gap[l] < u->gap ? batch.gap[l] : u->gap;
      u->crossing |= isinf(batch.energy[l]);
      u->unsolved |= batch.failed[l];
    }
    put_values(u, first, count, blend, scale, batch.energy, (const double(*)[DC_BATCH])batch.gradient);
  }
}

// Centred terms from begin to end, in batches of eight.
static void run_centred(struct unit_context *u, size_t begin, size_t end, double (*hessian)[DC_BATCH])
{
  static const double one[DC_BATCH] = {1, 1, 1, 1, 1, 1, 1, 1};  // the kernel has scaled already
  struct dc_centred_batch batch;
  struct bsh_pair *pair = u->pair;
  int blend[DC_BATCH];
  double offset = u->contact->settings.offset ? DC_BSH_OFFSET : 0;
  batch.length = u->contact->settings.length;
  for (size_t first = begin; first < end; first += DC_BATCH) {
    int count = (int)smaller_size(DC_BATCH, end - first);
    for (int l = 0; l < DC_BATCH; l++) {
      const struct dc_node_term *term = &pair->centred[first + (size_t)(l < count ? l : count - 1)];
      const double *c = u->a->spheres[term->i], *d = u->b->spheres[term->j];
      for (int k = 0; k < 3; k++) {
        batch.center_a[k][l] = c[k];
        batch.center_b[k][l] = d[k] - u->arm[k];
      }
      batch.spread[l] = u->a->tree.spread[term->i] + u->b->tree.spread[term->j];
      batch.scale[l] = u->a->tree.weight[term->i] * u->b->tree.weight[term->j];
      blend[l] = term->blend;
      batch.weight[l] = l < count ? pair->weights[blend[l]] : 0;
    }
    u->contact->kernels->centred_terms(&batch, u->order, hessian);
    for (int l = 0; l < count; l++)
      batch.energy[l] += offset * batch.scale[l];
    put_values(u, pair->now.count + first, count, blend, one, batch.energy, (const double(*)[DC_BATCH])batch.gradient);
  }
}

// Lanes from count on hold zeros.
static void sum_lanes(double (*lanes)[DC_BATCH], size_t count, double *sum)
{
  int used = (int)smaller_size(count, DC_BATCH);
  for (int e = 0; e < DC_HESSIAN; e++)
    for (int l = 0; l < used; l++)
      sum[e] += lanes[e][l];
}

// Evaluates one unit of a large pair, a block of exact or centred terms, into sums of its own.
void dc_bsh_run_unit(const struct dc_contact *contact, struct bsh_pair *pair, int unit, const struct dc_pose *poses,
                     const double arm[3], int order)
{
  struct unit_context u = {.contact = contact,
                           .pair = pair,
                           .order = order,
                           .arm = arm,
                           .gap = INFINITY,
                           .a = &contact->colliders[pair->face->a],
                           .b = &contact->colliders[pair->face->b],
                           .rotation_b = poses[pair->face->b].rotation};
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  memset(hessian, 0, sizeof hessian);
  size_t index = (size_t)unit, exact_units = units_of(pair->now.count, DC_EXACT_UNIT), begin, end;
  if (index < exact_units) {
    begin = index * DC_EXACT_UNIT;
    end = smaller_size(pair->now.count, begin + DC_EXACT_UNIT);
    (dc_has_leaves(u.a, u.b) ? run_leaves : run_exact)(&u, begin, end, hessian);
  } else {
    begin = (index - exact_units) * DC_CENTRED_UNIT;
    end = smaller_size(pair->centred_count, begin + DC_CENTRED_UNIT);
    run_centred(&u, begin, end, hessian);
  }
  struct dc_unit_sum *sum = &pair->units[unit];
  *sum = (struct dc_unit_sum){.gap = u.gap, .crossing = u.crossing, .unsolved = u.unsolved};
  if (order > 1)
    sum_lanes(hessian, end - begin, sum->hessian);
}

// Blends a sum into the one above: (1 - phi) A + phi C (paper 000, Eq. 8); gradient (1 - phi) g_A + (phi' (C - A) + phi
// C') z.
static inline void gather_blend(struct bsh_pair *pair, size_t k, int order)
{
  const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
  size_t l = (k - 1) % DC_BATCH;
  const struct dc_blend_sum *sum = &pair->sums[k];
  struct dc_blend_sum *above = &pair->sums[pair->blends[k].blend];
  double phi = batch->phi[0][l], excess = batch->centred[0][l] - sum->energy;
  above->energy += sum->energy + phi * excess;
  if (order < 1)
    return;
  double radial = batch->phi[1][l] * excess + phi * batch->centred[1][l];
  for (int i = 0; i < 6; i++)
    above->gradient[i] += (1 - phi) * sum->gradient[i] + radial * batch->direction[i][l];
}

// Takes from the finished sum of a blend all that its Hessian needs; lane: its own place or, without weight, one behind
// all blends.
static inline void prepare_blend(struct bsh_pair *pair, size_t k, size_t lane)
{
  struct dc_blend_batch *batch = &pair->blend_batches[lane / DC_BATCH];
  const struct dc_blend_sum *sum = &pair->sums[k];
  size_t l = lane % DC_BATCH;
  batch->energy[l] = sum->energy;
  for (int i = 0; i < 6; i++)
    batch->gradient[i][l] = sum->gradient[i];
  batch->weight[l] = lane == k - 1 ? pair->weights[pair->blends[k].blend] : 0;
}

// Terms whose blend lies above the cut, in the order of the list.
void dc_bsh_sum_top(struct bsh_pair *pair)
{
  int top = (int)pair->cut.blends;
  for (size_t t = 0; t < pair->now.count; t++)
    if (pair->now.terms[t].blend < top)
      dc_bsh_add_value(&pair->sums[pair->now.terms[t].blend], &pair->values[t]);
  for (size_t t = 0; t < pair->centred_count; t++)
    if (pair->centred[t].blend < top)
      dc_bsh_add_value(&pair->sums[pair->centred[t].blend], &pair->values[pair->now.count + t]);
}

// Adds the values of some terms to the sums of those blends that are below the top.
static void add_below_top(struct bsh_pair *pair, size_t first, size_t count)
{
  for (size_t t = first; t < first + count; t++)
    if (pair->values[t].blend >= (int)pair->cut.blends)
      dc_bsh_add_value(&pair->sums[pair->values[t].blend], &pair->values[t]);
}

// Adds up the terms of one part into its blends, from the deepest blend to the top.
void dc_bsh_sum_part(struct bsh_pair *pair, const struct dc_walk_part *part, int order)
{
  struct dc_walk_ends begin = {0};
  for (int level = 0; level < part->levels; begin = part->ends[level++])
    add_below_top(pair, part->places[level].exact, part->ends[level].exact - begin.exact);
  begin = (struct dc_walk_ends){0};
  for (int level = 0; level < part->levels; begin = part->ends[level++])
    add_below_top(pair, pair->now.count + part->places[level].centred, part->ends[level].centred - begin.centred);
  for (size_t n = part->walk.blend_count; n-- > 0;) {
    size_t k = (size_t)part->global[n];
    if (pair->blends[k].blend >= (int)pair->cut.blends)
      gather_blend(pair, k, order);
    if (order > 1)
      prepare_blend(pair, k, k - 1);
  }
}

// Sums of a large pair in one piece, and blends, innermost first; of a parted pair only blends into those above the
// parts are left.
static void gather_sums(struct bsh_pair *pair, int order)
{
  for (size_t t = 0; t < pair->now.count + pair->centred_count && pair->large && !pair->parted; t++)
    dc_bsh_add_value(&pair->sums[pair->values[t].blend], &pair->values[t]);
  int top = pair->parted ? (int)pair->cut.blends : INT_MAX;
  for (size_t k = pair->blend_count - 1; k > 0; k--)
    if (pair->blends[k].blend < top)
      gather_blend(pair, k, order);
}

// Hessians through the blends: each adds phi' and phi'' parts, which need the finished sum of what lies below it
// (paper 000, Eq. 8).
static void blend_hessians(const struct dc_contact *contact, struct bsh_pair *pair, double (*hessian)[DC_BATCH])
{
  for (size_t k = 1; k < (pair->parted ? pair->cut.blends : pair->blend_count); k++)
    prepare_blend(pair, k, k - 1);
  for (size_t lane = pair->blend_count - 1; lane % DC_BATCH; lane++)  // the last batch is filled up with its last blend
    prepare_blend(pair, pair->blend_count - 1, lane);
  for (int n = 0; n < dc_bsh_blend_batches(pair); n++)
    contact->kernels->blend_hessians(&pair->blend_batches[n], hessian);
}

// Adds up a pair: gaps and failures of its units, then energies and gradients through the blends, then Hessians of
// units and blends.
void dc_bsh_gather(const struct dc_contact *contact, struct bsh_pair *pair, int order,
                   struct dc_pair_derivatives *result)
{
  int units = dc_bsh_unit_count(pair);
  for (int unit = 0; unit < units; unit++) {
    pair->face->gap = fmin(pair->face->gap, pair->units[unit].gap);
    pair->face->crossing |= pair->units[unit].crossing;
    pair->face->unsolved |= pair->units[unit].unsolved;
  }
  if (pair->face->crossing) {
    result->energy = INFINITY;
    return;
  }
  gather_sums(pair, order);
  result->energy = pair->sums[0].energy;
  result->radial = pair->now.count == 0 && pair->centred_count == 1 && pair->blend_count == 1;
  if (order > 0)
    memcpy(result->gradient, pair->sums[0].gradient, sizeof result->gradient);
  if (order < 2)
    return;
  for (int unit = 0; unit < units; unit++)
    for (int e = 0; e < DC_HESSIAN; e++)
      result->hessian[e] += pair->units[unit].hessian[e];
  if (pair->blend_count == 1)
    return;
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  memset(hessian, 0, sizeof hessian);
  blend_hessians(contact, pair, hessian);
  sum_lanes(hessian, pair->blend_count - 1, result->hessian);
}
