// SPDX-License-Identifier: Apache-2.0
// Which triangle pairs and node pairs of two bodies count (paper 000, Algorithm 1).
//
// The tree of node pairs is walked level by level: the node pairs of a level do not depend on each other, so that the
// processor overlaps them, and what they become is written without branches.  Terms come in the order of their codes,
// which is the same in every evaluation: planes are handed on by merging two lists.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/contact_internal.h"

static const double OFFSET = 12;  // paper 000, Eq. 7: the potential of a pair at infinity

// What the walk needs of one body: index of the right child, triangle of a leaf, sphere.
struct walked {
  const int *right, *triangle;
  const double (*spheres)[4];
  const double *size;  // NULL: that of the sphere
};

static struct walked walked_of(const struct dc_collider *collider)
{
  return (struct walked){.right = collider->tree.right,
                         .triangle = collider->tree.triangle,
                         .spheres = (const double(*)[4])collider->spheres,
                         .size = collider->tree.size};
}

// Room for what the node pairs of a level can add, and for one entry more: entries are written before it is known
// whether they count.
static int reserve_level(struct dc_pair *pair, int next, size_t count)
{
  return dc_grow(&pair->exact, &pair->exact_capacity, pair->exact_count + count + 1, sizeof *pair->exact) ||
                 dc_grow(&pair->centred, &pair->centred_capacity, pair->centred_count + count + 1,
                         sizeof *pair->centred) ||
                 dc_grow(&pair->blends, &pair->blend_capacity, pair->blend_count + count + 1, sizeof *pair->blends) ||
                 dc_grow(&pair->level[next], &pair->level_capacity[next], 2 * count + 2, sizeof *pair->level[next])
             ? -1
             : 0;
}

// Descends the larger of two nodes: beyond (1 + epsilon) (R_I + R_J) a node pair counts as one centred term, within
// it as the sum over the children, blended in between; leaf pairs count exactly.  The node pairs of the next level go
// to `to`; returns their number.  sized: the trees have sizes; outer: (1 + epsilon)^2, of a pair with near_only its range,
// in place of epsilon (R_I + R_J).
static inline __attribute__((always_inline)) size_t
walk_level(struct dc_pair *pair, const struct walked *a, const struct walked *b, const double arm[3], double outer,
           bool local, bool sized, bool near, const struct dc_term *from, size_t count, struct dc_term *to)
{
  struct dc_term *exact = pair->exact + pair->exact_count;
  struct dc_node_term *centred = pair->centred + pair->centred_count, *blends = pair->blends;
  size_t blend_count = pair->blend_count, to_count = 0;
  int keeps_centred = !local;
  double gap = pair->gap;
  for (size_t k = 0; k < count; k++) {
    int i = from[k].i, j = from[k].j;
    uint64_t code = 2 * from[k].code;
    const double *c = a->spheres[i], *d = b->spheres[j];
    double x = c[0] - d[0] + arm[0], y = c[1] - d[1] + arm[1], z = c[2] - d[2] + arm[2];
    double square = x * x + y * y + z * z, inner = c[3] + d[3], inner_square = inner * inner;
    int right_a = a->right[i], right_b = b->right[j];
    bool far = near ? square >= (inner + outer) * (inner + outer) : square >= outer * inner_square;
    bool blended = !far & (square > inner_square);
    double size_a = sized ? a->size[i] : c[3], size_b = sized ? b->size[j] : d[3];
    bool leaves = (right_a & right_b) < 0, first = (right_b < 0) | ((right_a >= 0) & (size_a >= size_b));
    if (far & (square < (gap + inner) * (gap + inner)))
      gap = sqrt(square) - inner;
    blends[blend_count] = (struct dc_node_term){i, j, from[k].blend};
    int blend = blended ? (int)blend_count : from[k].blend;
    blend_count += blended;
    *centred = (struct dc_node_term){i, j, blend};
    centred += far & keeps_centred;
    *exact = (struct dc_term){from[k].code, a->triangle[i], b->triangle[j], blend};
    exact += leaves & !far;
    to[to_count] = (struct dc_term){code, first ? i + 1 : i, first ? j : j + 1, blend};
    to[to_count + 1] = (struct dc_term){code + 1, first ? right_a : i, first ? j : right_b, blend};
    to_count += (leaves | far) ? 0 : 2;
  }
  pair->exact_count = (size_t)(exact - pair->exact);
  pair->centred_count = (size_t)(centred - pair->centred);
  pair->blend_count = blend_count;
  pair->gap = gap;
  return to_count;
}

static int collect_hierarchy(struct dc_pair *pair, const struct dc_collider *a, const struct dc_collider *b,
                             const double arm[3], double outer, bool local)
{
  struct walked walked_a = walked_of(a), walked_b = walked_of(b);
  bool sized = walked_a.size != NULL;  // of all bodies or of none
  size_t count = 1;
  if (dc_grow(&pair->level[0], &pair->level_capacity[0], 1, sizeof *pair->level[0]))
    return -1;
  pair->level[0][0] = (struct dc_term){.code = 1};
  pair->blend_count = 1;
  for (int depth = 0; count > 0; depth = 1 - depth) {
    if (reserve_level(pair, 1 - depth, count))
      return -1;
    pair->visited += (long)count;
    const struct dc_term *from = pair->level[depth];
    struct dc_term *to = pair->level[1 - depth];
    count = pair->near_only ? walk_level(pair, &walked_a, &walked_b, arm, outer, local, sized, true, from, count, to)
            : sized         ? walk_level(pair, &walked_a, &walked_b, arm, outer, local, true, false, from, count, to)
                            : walk_level(pair, &walked_a, &walked_b, arm, outer, local, false, false, from, count, to);
  }
  return 0;
}

static int collect_all(struct dc_pair *pair, const struct dc_collider *a, const struct dc_collider *b)
{
  size_t count = (size_t)a->triangle_count * (size_t)b->triangle_count, t = 0;
  if (dc_grow(&pair->exact, &pair->exact_capacity, count, sizeof *pair->exact) ||
      dc_grow(&pair->blends, &pair->blend_capacity, 1, sizeof *pair->blends))
    return -1;
  for (int i = 0; i < a->triangle_count; i++)
    for (int j = 0; j < b->triangle_count; j++, t++)
      pair->exact[t] = (struct dc_term){.code = t + 1, .i = i, .j = j};
  pair->exact_count = count;
  pair->blend_count = 1;
  pair->visited = (long)count;
  pair->all = true;
  return 0;
}

static void keep_last(struct dc_pair *pair)
{
  struct dc_term *terms = pair->exact;
  double(*planes)[4] = pair->planes;
  size_t term_capacity = pair->exact_capacity, plane_capacity = pair->plane_capacity;
  pair->exact = pair->last_exact;
  pair->planes = pair->last_planes;
  pair->exact_capacity = pair->last_exact_capacity;
  pair->plane_capacity = pair->last_plane_capacity;
  pair->last_exact = terms;
  pair->last_planes = planes;
  pair->last_exact_capacity = term_capacity;
  pair->last_plane_capacity = plane_capacity;
  pair->last_count = pair->exact_count;
}

// Planes of the last evaluation for the terms that stayed.
static int hand_on_planes(struct dc_pair *pair)
{
  if (dc_grow(&pair->planes, &pair->plane_capacity, pair->exact_count, sizeof *pair->planes))
    return -1;
  for (size_t t = 0, k = 0; t < pair->exact_count; t++) {
    uint64_t code = pair->exact[t].code;
    while (k < pair->last_count && pair->last_exact[k].code < code)
      k++;
    if (k < pair->last_count && pair->last_exact[k].code == code)
      memcpy(pair->planes[t], pair->last_planes[k], sizeof *pair->planes);
    else
      memset(pair->planes[t], 0, sizeof *pair->planes);
  }
  return 0;
}

const double *dc_pair_plane(const struct dc_pair *pair, uint64_t code)
{
  size_t low = 0, high = pair->exact_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (pair->exact[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low < pair->exact_count && pair->exact[low].code == code ? pair->planes[low] : NULL;
}

// Geometry, factors and weights of the blends; a blend comes after the one that it belongs to.
static int set_blends(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  size_t count = pair->blend_count - 1;
  if (dc_grow(&pair->sums, &pair->sum_capacity, pair->blend_count, sizeof *pair->sums) ||
      dc_grow(&pair->blend_batches, &pair->batch_capacity, (count + DC_BATCH - 1) / DC_BATCH,
              sizeof *pair->blend_batches))
    return -1;
  memset(pair->sums, 0, pair->blend_count * sizeof *pair->sums);
  pair->sums[0].weight = 1;
  bool local = contact->model->local || pair->near_only;
  struct dc_node_batch nodes = {.length = contact->settings.length};
  double offset = contact->settings.offset ? OFFSET : 0;
  for (size_t first = 0; first < count; first += DC_BATCH) {
    struct dc_blend_batch *batch = &pair->blend_batches[first / DC_BATCH];
    const struct dc_node_term *blends = pair->blends + 1 + first;
    int used = (int)(count - first < DC_BATCH ? count - first : DC_BATCH);
    for (int l = 0; l < DC_BATCH; l++) {
      const struct dc_node_term *blend = &blends[l < used ? l : used - 1];
      const double *c = a->spheres[blend->i], *d = b->spheres[blend->j];
      for (int k = 0; k < 3; k++) {
        nodes.center_a[k][l] = c[k];
        nodes.center_b[k][l] = d[k] - arm[k];
      }
      nodes.inner[l] = c[3] + d[3];
      nodes.zone[l] = dc_pair_zone(&contact->settings, pair, nodes.inner[l]);
      nodes.spread[l] = a->tree.spread[blend->i] + b->tree.spread[blend->j];
      nodes.scale[l] = local ? 0 : a->tree.weight[blend->i] * b->tree.weight[blend->j];
      nodes.constant[l] = offset * nodes.scale[l];
    }
    contact->kernels->blend_setup(&nodes, batch);
    for (int l = 0; l < used; l++)
      pair->sums[1 + first + (size_t)l].weight = pair->sums[blends[l].blend].weight * (1 - batch->phi[0][l]);
  }
  return 0;
}

// Room for what is found out about the terms.
static int reserve_results(struct dc_pair *pair)
{
  size_t terms = pair->exact_count + pair->centred_count;
  return dc_grow(&pair->gaps, &pair->gap_capacity, pair->exact_count, sizeof *pair->gaps) ||
                 dc_grow(&pair->energies, &pair->energy_capacity, pair->exact_count, sizeof *pair->energies) ||
                 (pair->large && dc_grow(&pair->values, &pair->value_capacity, terms, sizeof *pair->values)) ||
                 dc_grow(&pair->units, &pair->unit_capacity, (size_t)dc_pair_unit_count(pair), sizeof *pair->units)
             ? -1
             : 0;
}

static int list_terms(struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  const struct dc_contact_settings *settings = &contact->settings;
  double outer = pair->near_only ? settings->near_range : (1 + settings->blend) * (1 + settings->blend);
  int status = contact->model->hierarchical
                   ? collect_hierarchy(pair, a, b, arm, outer, contact->model->local || pair->near_only)
                   : collect_all(pair, a, b);
  if (status || hand_on_planes(pair) || set_blends(contact, pair, arm))
    return -1;
  pair->large = pair->exact_count > DC_EXACT_UNIT || pair->centred_count > DC_CENTRED_UNIT;
  return reserve_results(pair);
}

int dc_pair_collect(struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  keep_last(pair);
  pair->exact_count = pair->centred_count = pair->blend_count = 0;
  pair->visited = 0;
  pair->gap = INFINITY;
  pair->crossing = false;
  if (list_terms(contact, pair, arm)) {  // half a list has no planes, values or weights
    pair->exact_count = pair->centred_count = pair->blend_count = 0;
    pair->large = false;
    return -1;
  }
  pair->far_gap = pair->gap;
  pair->listed = true;
  return 0;
}

void dc_pair_release(struct dc_pair *pair)
{
  void *arrays[] = {pair->exact,    pair->planes,   pair->centred,       pair->blends,     pair->gaps,
                    pair->energies, pair->sums,     pair->blend_batches, pair->values,     pair->units,
                    pair->level[0], pair->level[1], pair->last_exact,    pair->last_planes};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
}
