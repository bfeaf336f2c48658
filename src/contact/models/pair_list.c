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

static const double OFFSET = 12;        // paper 000, Eq. 7: the potential of a pair at infinity
static const long LEAST_PARTED = 4000;  // node pairs visited, 250 a part: shorter walks are not worth cutting
static const double CLOSE = 1 + 1e-9;   // of a squared distance, far above what rounding does to the gap of a walk
enum { PARTED = 256 };                  // node pairs of the level that is cut: 16 a part, to share the work evenly

// What the walk needs of one body: index of the right child, triangle of a leaf, sphere.
struct walked {
  const int *right, *triangle;
  const double (*spheres)[4];
  const double *size;  // NULL: that of the sphere
};

// The bodies, and by what rule their node pairs are told apart.  outer: (1 + epsilon)^2, of a pair with near_only its
// range, in place of epsilon (R_I + R_J).
struct rule {
  struct walked a, b;
  const double *arm;
  double outer;
  bool local, near;
};

static struct walked walked_of(const struct dc_collider *collider)
{
  return (struct walked){.right = collider->tree.right,
                         .triangle = collider->tree.triangle,
                         .spheres = (const double(*)[4])collider->spheres,
                         .size = collider->tree.size};
}

static struct rule rule_of(const struct dc_contact *contact, const struct dc_pair *pair, const double arm[3])
{
  const struct dc_contact_settings *settings = &contact->settings;
  return (struct rule){.a = walked_of(&contact->colliders[pair->a]),
                       .b = walked_of(&contact->colliders[pair->b]),
                       .arm = arm,
                       .outer = pair->near_only ? settings->near_range : (1 + settings->blend) * (1 + settings->blend),
                       .local = contact->model->local || pair->near_only,
                       .near = pair->near_only};
}

// Room for what the node pairs of a level can add, and for one entry more: entries are written before it is known
// whether they count.
static int reserve_level(struct dc_walk *walk, int next, size_t count)
{
  return dc_grow(&walk->exact, &walk->exact_capacity, walk->exact_count + count + 1, sizeof *walk->exact) ||
                 dc_grow(&walk->centred, &walk->centred_capacity, walk->centred_count + count + 1,
                         sizeof *walk->centred) ||
                 dc_grow(&walk->blends, &walk->blend_capacity, walk->blend_count + count + 1, sizeof *walk->blends) ||
                 dc_grow(&walk->level[next], &walk->level_capacity[next], 2 * count + 2, sizeof *walk->level[next]) ||
                 (walk->part &&
                  dc_grow(&walk->close, &walk->close_capacity, walk->close_count + count + 1, sizeof *walk->close))
             ? -1
             : 0;
}

// Descends the larger of two nodes: beyond (1 + epsilon) (R_I + R_J) a node pair counts as one centred term, within
// it as the sum over the children, blended in between; leaf pairs count exactly.  The node pairs of the next level go
// to `to`; returns their number.  sized: the trees have sizes.
static inline __attribute__((always_inline)) size_t walk_level(struct dc_walk *walk, const struct rule *rule,
                                                               bool sized, bool near, const struct dc_term *from,
                                                               size_t count, struct dc_term *to)
{
  const struct walked a = rule->a, b = rule->b;
  const double arm[3] = {rule->arm[0], rule->arm[1], rule->arm[2]}, outer = rule->outer;
  const double close = walk->part ? CLOSE : 1;
  struct dc_term *exact = walk->exact + walk->exact_count;
  struct dc_node_term *centred = walk->centred + walk->centred_count, *blends = walk->blends + walk->blend_count;
  int blend_count = walk->first_blend + (int)walk->blend_count, keeps_centred = !rule->local;
  size_t to_count = 0;
  double gap = walk->gap;
  for (size_t k = 0; k < count; k++) {
    int i = from[k].i, j = from[k].j;
    uint64_t code = 2 * from[k].code;
    const double *c = a.spheres[i], *d = b.spheres[j];
    double x = c[0] - d[0] + arm[0], y = c[1] - d[1] + arm[1], z = c[2] - d[2] + arm[2];
    double square = x * x + y * y + z * z, inner = c[3] + d[3], inner_square = inner * inner;
    int right_a = a.right[i], right_b = b.right[j];
    bool far = near ? square >= (inner + outer) * (inner + outer) : square >= outer * inner_square;
    bool blended = !far & (square > inner_square);
    double size_a = sized ? a.size[i] : c[3], size_b = sized ? b.size[j] : d[3];
    bool leaves = (right_a & right_b) < 0, first = (right_b < 0) | ((right_a >= 0) & (size_a >= size_b));
    if (far & (square < (gap + inner) * (gap + inner) * close)) {
      if (walk->part)
        walk->close[walk->close_count++] = (struct dc_close){square, inner};
      gap = dc_closer(gap, square, inner);
    }
    *blends = (struct dc_node_term){i, j, from[k].blend};
    int blend = blended ? blend_count : from[k].blend;
    blends += blended;
    blend_count += blended;
    *centred = (struct dc_node_term){i, j, blend};
    centred += far & keeps_centred;
    *exact = (struct dc_term){from[k].code, a.triangle[i], b.triangle[j], blend};
    exact += leaves & !far;
    to[to_count] = (struct dc_term){code, first ? i + 1 : i, first ? j : j + 1, blend};
    to[to_count + 1] = (struct dc_term){code + 1, first ? right_a : i, first ? j : right_b, blend};
    to_count += (leaves | far) ? 0 : 2;
  }
  walk->exact_count = (size_t)(exact - walk->exact);
  walk->centred_count = (size_t)(centred - walk->centred);
  walk->blend_count = (size_t)(blends - walk->blends);
  walk->gap = gap;
  return to_count;
}

// One level further, from `from` to walk->level[next]; -1 when out of memory.
static int walk_on(struct dc_walk *walk, const struct rule *rule, const struct dc_term *from, int next)
{
  bool sized = rule->a.size != NULL;  // of all bodies or of none
  size_t count = walk->count;
  if (reserve_level(walk, next, count))
    return -1;
  struct dc_term *to = walk->level[next];
  walk->visited += (long)count;
  walk->count = rule->near ? walk_level(walk, rule, sized, true, from, count, to)
                : sized    ? walk_level(walk, rule, true, false, from, count, to)
                           : walk_level(walk, rule, false, false, from, count, to);
  return 0;
}

// From the roots, until there are no node pairs left or a level, walk->level[walk->last], has `enough`.
static int walk_from_roots(struct dc_walk *walk, const struct rule *rule, size_t enough)
{
  if (dc_grow(&walk->level[0], &walk->level_capacity[0], 1, sizeof *walk->level[0]) ||
      dc_grow(&walk->blends, &walk->blend_capacity, 1, sizeof *walk->blends))
    return -1;
  walk->level[0][0] = (struct dc_term){.code = 1};
  walk->blends[0] = (struct dc_node_term){0};  // the root sum
  walk->blend_count = walk->count = 1;
  for (walk->last = 0; walk->count > 0 && walk->count < enough; walk->last = 1 - walk->last)
    if (walk_on(walk, rule, walk->level[walk->last], 1 - walk->last))
      return -1;
  return 0;
}

// The lists of a pair are lent to its walk.
static struct dc_walk lend(const struct dc_pair *pair)
{
  return (struct dc_walk){.exact = pair->exact,
                          .centred = pair->centred,
                          .blends = pair->blends,
                          .level = {pair->level[0], pair->level[1]},
                          .exact_capacity = pair->exact_capacity,
                          .centred_capacity = pair->centred_capacity,
                          .blend_capacity = pair->blend_capacity,
                          .level_capacity = {pair->level_capacity[0], pair->level_capacity[1]},
                          .gap = INFINITY};
}

static void take_back(struct dc_pair *pair, const struct dc_walk *walk)
{
  pair->exact = walk->exact;
  pair->centred = walk->centred;
  pair->blends = walk->blends;
  pair->exact_capacity = walk->exact_capacity;
  pair->centred_capacity = walk->centred_capacity;
  pair->blend_capacity = walk->blend_capacity;
  memcpy(pair->level, walk->level, sizeof pair->level);
  memcpy(pair->level_capacity, walk->level_capacity, sizeof pair->level_capacity);
  pair->exact_count = pair->top_exact = walk->exact_count;
  pair->centred_count = pair->top_centred = walk->centred_count;
  pair->blend_count = pair->top_blends = walk->blend_count;
  pair->gap = walk->gap;
  pair->visited = walk->visited;
  pair->cut = walk->last;
  pair->cut_count = walk->count;
}

static int collect_hierarchy(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  const struct rule rule = rule_of(contact, pair, arm);
  struct dc_walk walk = lend(pair);
  bool parted = contact->shared && pair->last_visited > LEAST_PARTED;
  int status = walk_from_roots(&walk, &rule, parted ? PARTED : SIZE_MAX);
  take_back(pair, &walk);
  pair->parted = !status && walk.count > 0;
  return status;
}

static void mark_ends(struct dc_walk_part *part)
{
  const struct dc_walk *walk = &part->walk;
  part->ends[part->levels++] =
      (struct dc_walk_ends){walk->exact_count, walk->centred_count, walk->blend_count, walk->close_count};
}

int dc_walk_part(const struct dc_contact *contact, const struct dc_pair *pair, int index, const double arm[3])
{
  const struct rule rule = rule_of(contact, pair, arm);
  struct dc_walk_part *part = &pair->parts[index];
  struct dc_walk *walk = &part->walk;
  walk->part = true;
  walk->exact_count = walk->centred_count = walk->blend_count = walk->close_count = 0;
  walk->visited = part->levels = 0;
  walk->gap = pair->gap;
  walk->first_blend = (int)pair->top_blends;
  walk->count = part->end - part->begin;
  const struct dc_term *from = pair->level[pair->cut] + part->begin;
  for (int next = 0; walk->count > 0; next = 1 - next) {
    if (part->levels == DC_LEVELS || walk_on(walk, &rule, from, next))
      return -1;
    mark_ends(part);
    from = walk->level[next];
  }
  return dc_grow(&part->global, &part->global_capacity, walk->blend_count, sizeof *part->global);
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

// Index of the first of `count` terms whose code is not below a given one.
static size_t first_not_below(const struct dc_term *terms, size_t count, uint64_t code)
{
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (terms[middle].code < code)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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
  pair->last_visited = pair->visited;
}

void dc_pair_hand_on_planes(struct dc_pair *pair, size_t begin, size_t end)
{
  size_t k = begin < end ? first_not_below(pair->last_exact, pair->last_count, pair->exact[begin].code) : 0;
  for (size_t t = begin; t < end; t++) {
    uint64_t code = pair->exact[t].code;
    while (k < pair->last_count && pair->last_exact[k].code < code)
      k++;
    if (k < pair->last_count && pair->last_exact[k].code == code)
      memcpy(pair->planes[t], pair->last_planes[k], sizeof *pair->planes);
    else
      memset(pair->planes[t], 0, sizeof *pair->planes);
  }
}

const double *dc_pair_plane(const struct dc_pair *pair, uint64_t code)
{
  size_t t = first_not_below(pair->exact, pair->exact_count, code);
  return t < pair->exact_count && pair->exact[t].code == code ? pair->planes[t] : NULL;
}

void dc_pair_set_blends(const struct dc_contact *contact, struct dc_pair *pair, const double arm[3], int begin, int end)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  size_t count = pair->blend_count - 1;
  bool local = contact->model->local || pair->near_only;
  struct dc_node_batch nodes = {.length = contact->settings.length};
  double offset = contact->settings.offset ? OFFSET : 0;
  for (int n = begin; n < end; n++) {
    size_t first = (size_t)n * DC_BATCH;
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
    contact->kernels->blend_setup(&nodes, &pair->blend_batches[n]);
    memset(pair->sums + 1 + first, 0, (size_t)used * sizeof *pair->sums);
  }
}

void dc_pair_set_weights(struct dc_pair *pair)
{
  pair->sums[0] = (struct dc_blend_sum){.weight = 1};
  for (size_t k = 1; k < pair->blend_count; k++) {
    const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
    pair->sums[k].weight = pair->sums[pair->blends[k].blend].weight * (1 - batch->phi[0][(k - 1) % DC_BATCH]);
  }
}

int dc_pair_reserve(struct dc_pair *pair)
{
  pair->large = pair->parted || pair->exact_count > DC_EXACT_UNIT || pair->centred_count > DC_CENTRED_UNIT;
  size_t terms = pair->exact_count + pair->centred_count;
  return dc_grow(&pair->planes, &pair->plane_capacity, pair->exact_count, sizeof *pair->planes) ||
                 dc_grow(&pair->sums, &pair->sum_capacity, pair->blend_count, sizeof *pair->sums) ||
                 dc_grow(&pair->blend_batches, &pair->batch_capacity, (size_t)dc_pair_blend_batches(pair),
                         sizeof *pair->blend_batches) ||
                 dc_grow(&pair->gaps, &pair->gap_capacity, pair->exact_count, sizeof *pair->gaps) ||
                 dc_grow(&pair->energies, &pair->energy_capacity, pair->exact_count, sizeof *pair->energies) ||
                 (pair->large && dc_grow(&pair->values, &pair->value_capacity, terms, sizeof *pair->values)) ||
                 dc_grow(&pair->units, &pair->unit_capacity, (size_t)dc_pair_unit_count(pair), sizeof *pair->units)
             ? -1
             : 0;
}

static int list_terms(struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  if (contact->model->hierarchical ? collect_hierarchy(contact, pair, arm)
                                   : collect_all(pair, &contact->colliders[pair->a], &contact->colliders[pair->b]))
    return -1;
  if (pair->parted)
    return 0;
  if (dc_pair_reserve(pair))
    return -1;
  dc_pair_hand_on_planes(pair, 0, pair->exact_count);
  dc_pair_set_blends(contact, pair, arm, 0, dc_pair_blend_batches(pair));
  dc_pair_set_weights(pair);
  pair->far_gap = pair->gap;
  pair->listed = true;
  return 0;
}

void dc_pair_drop_lists(struct dc_pair *pair)
{
  pair->exact_count = pair->centred_count = pair->blend_count = 0;
  pair->large = pair->parted = false;
}

int dc_pair_collect(struct dc_contact *contact, struct dc_pair *pair, const double arm[3])
{
  keep_last(pair);
  dc_pair_drop_lists(pair);
  pair->visited = 0;
  pair->gap = INFINITY;
  pair->crossing = false;
  if (!list_terms(contact, pair, arm))
    return 0;
  dc_pair_drop_lists(pair);  // half a list has no planes, values or weights
  return -1;
}

static void release_part(struct dc_walk_part *part)
{
  void *arrays[] = {part->walk.exact,    part->walk.centred,  part->walk.blends, part->walk.close,
                    part->walk.level[0], part->walk.level[1], part->global};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
}

void dc_pair_release(struct dc_pair *pair)
{
  void *arrays[] = {pair->exact,    pair->planes,   pair->centred,       pair->blends,     pair->gaps,
                    pair->energies, pair->sums,     pair->blend_batches, pair->values,     pair->units,
                    pair->level[0], pair->level[1], pair->last_exact,    pair->last_planes};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  for (int part = 0; part < DC_PARTS && pair->parts; part++)
    release_part(&pair->parts[part]);
  free(pair->parts);
}
