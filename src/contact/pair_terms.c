// SPDX-License-Identifier: Apache-2.0
// The potential of one pair of bodies: which triangle pairs and node pairs count (paper 000, Algorithm 1), their
// values, and their sum.
#include <math.h>
#include <string.h>

#include "contact/contact_internal.h"
#include "math/vector.h"

enum { STACK = 256 };  // median splits: the depth of a tree is the logarithm of its size

static const double OFFSET = 12;  // paper 000, Eq. 7: the potential of a pair at infinity

struct node_pair {
  int i, j, blend;
  double weight;
};

static int add_exact(struct dc_pair *pair, int i, int j, int blend, double weight)
{
  if (dc_grow(&pair->exact, &pair->exact_capacity, pair->exact_count + 1, sizeof *pair->exact))
    return -1;
  pair->exact[pair->exact_count++] = (struct dc_term){.i = i, .j = j, .blend = blend, .weight = weight};
  return 0;
}

static int add_centred(struct dc_pair *pair, const struct node_pair *at)
{
  if (dc_grow(&pair->centred, &pair->centred_capacity, pair->centred_count + 1, sizeof *pair->centred))
    return -1;
  pair->centred[pair->centred_count++] =
      (struct dc_term){.i = at->i, .j = at->j, .blend = at->blend, .weight = at->weight};
  return 0;
}

static int add_blend(struct dc_pair *pair, int i, int j, int parent, double weight)
{
  if (dc_grow(&pair->blends, &pair->blend_capacity, pair->blend_count + 1, sizeof *pair->blends))
    return -1;
  pair->blends[pair->blend_count++] = (struct dc_blend){.i = i, .j = j, .parent = parent, .weight = weight};
  return 0;
}

// x_I - x_J of two nodes
static void center_difference(const struct dc_collider *a, const struct dc_collider *b, int i, int j,
                              const double arm[3], double d[3])
{
  for (int k = 0; k < 3; k++)
    d[k] = a->turned_center[i][k] - b->turned_center[j][k] + arm[k];
}

// phi and phi' at distance r (paper 000, Eq. 4).
static double blend_factor(double r, double inner, double epsilon, double *slope)
{
  double rate = 1 / (epsilon * inner), t = (r - inner) * rate;
  *slope = 30 * t * t * (1 + t * (t - 2)) * rate;
  return t * t * t * (10 + t * (6 * t - 15));
}

// Descends the larger of two nodes: beyond (1 + epsilon) (R_I + R_J) a node pair counts as one centred term, within
// it as the sum over the children, blended in between; leaf pairs count exactly.
static int collect_hierarchy(struct dc_pair *pair, const struct dc_collider *a, const struct dc_collider *b,
                             const double arm[3], double epsilon, bool local)
{
  struct node_pair stack[STACK];
  int top = 0;
  double outer = (1 + epsilon) * (1 + epsilon), gap = INFINITY;
  stack[top++] = (struct node_pair){.weight = 1};
  while (top) {
    struct node_pair at = stack[--top];
    double d[3], inner = a->tree.radius[at.i] + b->tree.radius[at.j];
    center_difference(a, b, at.i, at.j, arm, d);
    double square = dc_vec_dot(d, d);
    pair->visited++;
    if (square >= outer * inner * inner) {
      if (square < (gap + inner) * (gap + inner))
        gap = sqrt(square) - inner;
      if (!local && add_centred(pair, &at))
        return -1;
      continue;
    }
    if (square > inner * inner) {
      double slope, phi = blend_factor(sqrt(square), inner, epsilon, &slope);
      if (add_blend(pair, at.i, at.j, at.blend, at.weight))
        return -1;
      at.blend = (int)pair->blend_count - 1;
      at.weight *= 1 - phi;
    }
    int right_a = a->tree.right[at.i], right_b = b->tree.right[at.j];
    if (right_a < 0 && right_b < 0) {
      if (add_exact(pair, a->tree.triangle[at.i], b->tree.triangle[at.j], at.blend, at.weight))
        return -1;
    } else if (dc_descends_first(&a->tree, at.i, &b->tree, at.j)) {
      stack[top++] = (struct node_pair){right_a, at.j, at.blend, at.weight};
      stack[top++] = (struct node_pair){at.i + 1, at.j, at.blend, at.weight};
    } else {
      stack[top++] = (struct node_pair){at.i, right_b, at.blend, at.weight};
      stack[top++] = (struct node_pair){at.i, at.j + 1, at.blend, at.weight};
    }
  }
  pair->gap = gap;
  return 0;
}

static int collect_all(struct dc_pair *pair, const struct dc_collider *a, const struct dc_collider *b)
{
  for (int i = 0; i < a->triangle_count; i++)
    for (int j = 0; j < b->triangle_count; j++)
      if (add_exact(pair, i, j, 0, 1))
        return -1;
  pair->visited = (long)pair->exact_count;
  return 0;
}

int dc_pair_collect(struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  pair->exact_count = pair->centred_count = pair->blend_count = 0;
  pair->visited = 0;
  pair->gap = INFINITY;
  pair->crossing = false;
  if (add_blend(pair, 0, 0, -1, 1))
    return -1;
  int status = contact->model->hierarchical
                   ? collect_hierarchy(pair, a, b, arm, contact->settings.blend, contact->model->local)
                   : collect_all(pair, a, b);
  if (status)
    return -1;
  // Planes of pairs that have drifted apart are forgotten once they outnumber the living ones.
  if (pair->planes.count > 8 * pair->exact_count + 4096)
    dc_plane_cache_clear(&pair->planes);
  if (dc_plane_cache_reserve(&pair->planes, pair->exact_count))
    return -1;
  for (size_t t = 0; t < pair->exact_count; t++)
    pair->exact[t].cache = dc_plane_cache_index(&pair->planes, pair->exact[t].i, pair->exact[t].j);
  pair->large = pair->exact_count > DC_EXACT_UNIT || pair->centred_count > DC_CENTRED_UNIT;
  if (dc_grow(&pair->values, &pair->value_capacity, pair->exact_count + pair->centred_count, sizeof *pair->values) ||
      dc_grow(&pair->gaps, &pair->gap_capacity, pair->exact_count, sizeof *pair->gaps))
    return -1;
  pair->far_gap = pair->gap;
  pair->listed = true;
  return dc_grow(&pair->unit_hessians, &pair->unit_capacity, (size_t)dc_pair_unit_count(pair),
                 sizeof *pair->unit_hessians);
}

static size_t units_of(size_t count, size_t size)
{
  return (count + size - 1) / size;
}

int dc_pair_unit_count(const struct dc_pair *pair)
{
  return (int)(units_of(pair->exact_count, DC_EXACT_UNIT) + units_of(pair->centred_count, DC_CENTRED_UNIT));
}

static size_t smaller_size(size_t a, size_t b)
{
  return a < b ? a : b;
}

// Scales lane results into the values of terms [count].
static void store_values(struct dc_term_value *values, int count, const double *scale, double constant,
                         const double *energy, const double (*gradient)[DC_BATCH], int order)
{
  for (int l = 0; l < count; l++) {
    values[l].energy = scale[l] * (energy[l] + constant);
    for (int k = 0; k < 6 && order > 0; k++)
      values[l].gradient[k] = scale[l] * gradient[k][l];
  }
}

struct unit_context {
  const struct dc_contact *contact;
  struct dc_pair *pair;
  const struct dc_collider *a, *b;
  const double *arm, *rotation_b;
  int order;
  double gap;
  bool crossing, unsolved;
};

static void run_exact(struct unit_context *u, size_t begin, size_t end, double (*hessian)[DC_BATCH])
{
  struct dc_triangle_batch batch;
  double scale[DC_BATCH], constant = u->contact->settings.offset ? OFFSET : 0;
  struct dc_pair *pair = u->pair;
  batch.length = u->contact->settings.length;
  dc_vec_copy(batch.arm, u->arm);
  memcpy(batch.rotation_b, u->rotation_b, sizeof batch.rotation_b);
  for (size_t first = begin; first < end; first += DC_BATCH) {
    int count = (int)smaller_size(DC_BATCH, end - first);
    for (int l = 0; l < DC_BATCH; l++) {
      const struct dc_term *term = &pair->exact[first + (size_t)(l < count ? l : count - 1)];
      const int *s = u->a->triangles[term->i], *t = u->b->triangles[term->j];
      for (int v = 0; v < 3; v++)
        for (int k = 0; k < 3; k++) {
          batch.vertices[3 * v + k][l] = u->a->turned[s[v]][k];
          batch.vertices[9 + 3 * v + k][l] = u->b->turned[t[v]][k] - u->arm[k];
        }
      const double *plane = pair->planes.entries[term->cache].plane;
      for (int k = 0; k < 4; k++)
        batch.plane[k][l] = plane[k];
      scale[l] = u->a->leaf_weight[term->i] * u->b->leaf_weight[term->j];
      batch.weight[l] = l < count ? term->weight * scale[l] : 0;
    }
    u->contact->kernels->triangle_pairs(&batch, u->order, hessian);
    u->unsolved |= batch.unconverged > 0;
    for (int l = 0; l < count; l++) {
      struct dc_plane_entry *entry = &pair->planes.entries[pair->exact[first + (size_t)l].cache];
      for (int k = 0; k < 4; k++)
        entry->plane[k] = batch.plane[k][l];
      pair->gaps[first + (size_t)l] = batch.gap[l];
      u->gap = fmin(u->gap, batch.gap[l]);
      u->crossing |= isinf(batch.energy[l]);
    }
    store_values(pair->values + first, count, scale, constant, batch.energy, (const double(*)[DC_BATCH])batch.gradient,
                 u->order);
  }
}

// Node pairs of terms or blends in the layout of the kernels.
static void load_nodes(const struct unit_context *u, int lane, int i, int j, double (*center_a)[DC_BATCH],
                       double (*center_b)[DC_BATCH], double *spread, double *scale)
{
  for (int k = 0; k < 3; k++) {
    center_a[k][lane] = u->a->turned_center[i][k];
    center_b[k][lane] = u->b->turned_center[j][k] - u->arm[k];
  }
  spread[lane] = u->a->tree.spread[i] + u->b->tree.spread[j];
  scale[lane] = u->a->tree.weight[i] * u->b->tree.weight[j];
}

static void run_centred(const struct unit_context *u, size_t begin, size_t end, double (*hessian)[DC_BATCH])
{
  static const double one[DC_BATCH] = {1, 1, 1, 1, 1, 1, 1, 1};  // the kernel has scaled already
  struct dc_centred_batch batch;
  struct dc_pair *pair = u->pair;
  batch.length = u->contact->settings.length;
  for (size_t first = begin; first < end; first += DC_BATCH) {
    int count = (int)smaller_size(DC_BATCH, end - first);
    for (int l = 0; l < DC_BATCH; l++) {
      const struct dc_term *term = &pair->centred[first + (size_t)(l < count ? l : count - 1)];
      load_nodes(u, l, term->i, term->j, batch.center_a, batch.center_b, batch.spread, batch.scale);
      batch.weight[l] = l < count ? term->weight : 0;
    }
    u->contact->kernels->centred_terms(&batch, u->order, hessian);
    struct dc_term_value *values = pair->values + pair->exact_count + first;
    store_values(values, count, one, 0, batch.energy, (const double(*)[DC_BATCH])batch.gradient, u->order);
    for (int l = 0; l < count && u->contact->settings.offset; l++)
      values[l].energy += OFFSET * batch.scale[l];
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

void dc_pair_run_unit(const struct dc_contact *contact, struct dc_pair *pair, int unit, const struct dc_pose *poses,
                      const double arm[3], int order)
{
  struct unit_context u = {.contact = contact,
                           .pair = pair,
                           .order = order,
                           .arm = arm,
                           .gap = INFINITY,
                           .a = &contact->colliders[pair->a],
                           .b = &contact->colliders[pair->b],
                           .rotation_b = poses[pair->b].rotation};
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  memset(hessian, 0, sizeof hessian);
  size_t index = (size_t)unit, exact_units = units_of(pair->exact_count, DC_EXACT_UNIT), begin, end;
  if (index < exact_units) {
    begin = index * DC_EXACT_UNIT;
    end = smaller_size(pair->exact_count, begin + DC_EXACT_UNIT);
    run_exact(&u, begin, end, hessian);
  } else {
    begin = (index - exact_units) * DC_CENTRED_UNIT;
    end = smaller_size(pair->centred_count, begin + DC_CENTRED_UNIT);
    run_centred(&u, begin, end, hessian);
  }
  double *sum = pair->unit_hessians[unit];
  memset(sum, 0, sizeof *pair->unit_hessians);
  if (order > 1)
    sum_lanes(hessian, end - begin, sum);
  if (u.gap < INFINITY || u.crossing || u.unsolved) {  // minimum and "or" do not depend on the order
#pragma omp critical(dc_pair_gap)
    {
      pair->gap = fmin(pair->gap, u.gap);
      pair->crossing |= u.crossing;
      pair->unsolved |= u.unsolved;
    }
  }
}

// Blends children's sums into their parents, innermost first: (1 - phi) A + phi C (paper 000, Eq. 8); gradient (1 -
// phi) g_A + (phi' (C - A) + phi C') z.
static void gather_blends(const struct unit_context *u)
{
  struct dc_pair *pair = u->pair;
  const struct dc_contact *contact = u->contact;
  double length = contact->settings.length, offset = contact->settings.offset ? OFFSET : 0;
  for (size_t k = pair->blend_count - 1; k > 0; k--) {
    const struct dc_blend *blend = &pair->blends[k];
    struct dc_blend *parent = &pair->blends[blend->parent];
    double d[3], z[6], slope, inner = u->a->tree.radius[blend->i] + u->b->tree.radius[blend->j];
    center_difference(u->a, u->b, blend->i, blend->j, u->arm, d);
    double r = dc_vec_norm(d), phi = blend_factor(r, inner, contact->settings.blend, &slope);
    double scale = contact->model->local ? 0 : u->a->tree.weight[blend->i] * u->b->tree.weight[blend->j];
    double rho = sqrt(r * r + u->a->tree.spread[blend->i] + u->b->tree.spread[blend->j]);
    double root = sqrt(length / rho), value = scale * (24 * root + 12 * length / rho + offset);
    double value_slope = -12 * scale * (root + length / rho) / rho * (r / rho);
    double excess = value - blend->energy, radial = slope * excess + phi * value_slope;
    parent->energy += blend->energy + phi * excess;
    if (u->order < 1)
      continue;
    dc_vec_scale(z + 3, d, 1 / r);
    dc_vec_cross(z, u->a->turned_center[blend->i], z + 3);
    for (int i = 0; i < 6; i++)
      parent->gradient[i] += (1 - phi) * blend->gradient[i] + radial * z[i];
  }
}

static void blend_hessians(const struct unit_context *u, double (*hessian)[DC_BATCH])
{
  const struct dc_pair *pair = u->pair;
  struct dc_blend_batch batch = {.blend = u->contact->settings.blend, .length = u->contact->settings.length};
  double offset = u->contact->settings.offset ? OFFSET : 0;
  for (size_t first = 1; first < pair->blend_count; first += DC_BATCH) {
    int count = (int)smaller_size(DC_BATCH, pair->blend_count - first);
    for (int l = 0; l < DC_BATCH; l++) {
      const struct dc_blend *blend = &pair->blends[first + (size_t)(l < count ? l : count - 1)];
      load_nodes(u, l, blend->i, blend->j, batch.center_a, batch.center_b, batch.spread, batch.scale);
      if (u->contact->model->local)
        batch.scale[l] = 0;
      batch.inner[l] = u->a->tree.radius[blend->i] + u->b->tree.radius[blend->j];
      batch.constant[l] = offset * batch.scale[l];
      batch.energy[l] = blend->energy;
      for (int k = 0; k < 6; k++)
        batch.gradient[k][l] = blend->gradient[k];
      batch.weight[l] = l < count ? blend->weight : 0;
    }
    u->contact->kernels->blend_hessians(&batch, hessian);
  }
}

void dc_pair_gather(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3], int order,
                    struct dc_pair_derivatives *result)
{
  struct unit_context u = {.contact = contact,
                           .pair = pair,
                           .order = order,
                           .arm = arm,
                           .a = &contact->colliders[pair->a],
                           .b = &contact->colliders[pair->b]};
  if (pair->crossing) {
    result->energy = INFINITY;
    return;
  }
  for (size_t t = 0; t < pair->exact_count + pair->centred_count; t++) {
    const struct dc_term *term = t < pair->exact_count ? &pair->exact[t] : &pair->centred[t - pair->exact_count];
    struct dc_blend *sum = &pair->blends[term->blend];
    sum->energy += pair->values[t].energy;
    for (int k = 0; k < 6 && order > 0; k++)
      sum->gradient[k] += pair->values[t].gradient[k];
  }
  gather_blends(&u);
  result->energy = pair->blends[0].energy;
  result->radial = pair->exact_count == 0 && pair->centred_count == 1 && pair->blend_count == 1;
  if (order > 0)
    memcpy(result->gradient, pair->blends[0].gradient, sizeof result->gradient);
  if (order < 2)
    return;
  for (int unit = 0; unit < dc_pair_unit_count(pair); unit++)
    for (int e = 0; e < DC_HESSIAN; e++)
      result->hessian[e] += pair->unit_hessians[unit][e];
  if (pair->blend_count == 1)
    return;
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  memset(hessian, 0, sizeof hessian);
  blend_hessians(&u, hessian);
  sum_lanes(hessian, pair->blend_count - 1, result->hessian);
}
