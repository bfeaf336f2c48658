// SPDX-License-Identifier: Apache-2.0
// Which triangle pairs and node pairs of two bodies count (paper 000, Algorithm 1).
//
// The tree of node pairs is walked level by level: the node pairs of a level do not depend on each other, so that the
// processor overlaps them, and what they become is written without branches.  Terms come in the order of their codes,
// which is the same in every evaluation: planes are handed on by merging two lists.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/bsh/bsh_pair.h"

static const long LEAST_PARTED = 4000;  // node pairs visited, 250 a part: shorter walks are not worth cutting
static const double CLOSE = 1 + 1e-9;   // of a squared distance, far above what rounding does to the gap of a walk
enum { PARTED = 256 };                  // node pairs of the level that is cut: 16 a part, to share the work evenly

// One body as the walk sees it: index of the right child, triangle of a leaf, sphere.
struct walked {
  const int *right, *triangle;  // [nodes]; right -1: a leaf
  const double (*spheres)[4];   // [nodes] centre in world axes, radius
  const double *size;           // NULL: that of the sphere
};

// The bodies, and by what rule their node pairs are told apart.  outer: (1 + epsilon)^2, of a pair with near_only its
// range, in place of epsilon (R_I + R_J).
struct rule {
  struct walked a, b;
  const double *arm;  // c_a - c_b, m
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

// Bodies under near_only are blended over a range in metres beyond their spheres, all others over a part epsilon of
// the sum of radii (paper 000, section 5).
static struct rule rule_of(const struct dc_contact *contact, const struct bsh_pair *pair, const double arm[3])
{
  const struct dc_contact_settings *settings = &contact->settings;
  return (struct rule){.a = walked_of(&contact->colliders[pair->face->a]),
                       .b = walked_of(&contact->colliders[pair->face->b]),
                       .arm = arm,
                       .outer =
                           pair->face->near_only ? settings->near_range : (1 + settings->blend) * (1 + settings->blend),
                       .local = contact->model->local || pair->face->near_only,
                       .near = pair->face->near_only};
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
static struct dc_walk lend(const struct bsh_pair *pair)
{
  return (struct dc_walk){.exact = pair->now.terms,
                          .centred = pair->centred,
                          .blends = pair->blends,
                          .level = {pair->level[0], pair->level[1]},
                          .exact_capacity = pair->now.term_capacity,
                          .centred_capacity = pair->capacity.centred,
                          .blend_capacity = pair->capacity.blends,
                          .level_capacity = {pair->capacity.level[0], pair->capacity.level[1]},
                          .gap = INFINITY};
}

// Gives the lists of a walk back to the pair, whose memory they were.
static void take_back(struct bsh_pair *pair, const struct dc_walk *walk)
{
  pair->now.terms = walk->exact;
  pair->centred = walk->centred;
  pair->blends = walk->blends;
  pair->now.term_capacity = walk->exact_capacity;
  pair->capacity.centred = walk->centred_capacity;
  pair->capacity.blends = walk->blend_capacity;
  memcpy(pair->level, walk->level, sizeof pair->level);
  memcpy(pair->capacity.level, walk->level_capacity, sizeof pair->capacity.level);
  pair->now.count = pair->cut.exact = walk->exact_count;
  pair->centred_count = pair->cut.centred = walk->centred_count;
  pair->blend_count = pair->cut.blends = walk->blend_count;
  pair->face->gap = walk->gap;
  pair->visited = walk->visited;
  pair->cut.index = walk->last;
  pair->cut.count = walk->count;
}

// A long walk is cut at a level with enough node pairs for all threads, if the last one was long too and threads pay.
static int collect_hierarchy(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3])
{
  const struct rule rule = rule_of(contact, pair, arm);
  struct dc_walk walk = lend(pair);
  bool parted = contact->shared && pair->last_visited > LEAST_PARTED;
  int status = walk_from_roots(&walk, &rule, parted ? PARTED : SIZE_MAX);
  take_back(pair, &walk);
  pair->parted = !status && walk.count > 0;
  return status;
}

// Where the lists of a part end after one more level.
static void mark_ends(struct dc_walk_part *part)
{
  const struct dc_walk *walk = &part->walk;
  part->ends[part->levels++] =
      (struct dc_walk_ends){walk->exact_count, walk->centred_count, walk->blend_count, walk->close_count};
}

// Walks one part of a pair's tree to its end, level by level; ends[level] marks what each level added, so that the
// parts can be joined in the order of one walk.
int dc_bsh_walk_part(const struct dc_contact *contact, const struct bsh_pair *pair, int index, const double arm[3])
{
  const struct rule rule = rule_of(contact, pair, arm);
  struct dc_walk_part *part = &pair->parts[index];
  struct dc_walk *walk = &part->walk;
  walk->part = true;
  walk->exact_count = walk->centred_count = walk->blend_count = walk->close_count = 0;
  walk->visited = part->levels = 0;
  walk->gap = pair->face->gap;
  walk->first_blend = (int)pair->cut.blends;
  walk->count = part->end - part->begin;
  const struct dc_term *from = pair->level[pair->cut.index] + part->begin;
  for (int next = 0; walk->count > 0; next = 1 - next) {
    if (part->levels == DC_LEVELS || walk_on(walk, &rule, from, next))
      return -1;
    mark_ends(part);
    from = walk->level[next];
  }
  return dc_grow(&part->global, &part->global_capacity, walk->blend_count, sizeof *part->global);
}

// The list of model exact: every two triangles, with codes in their order and a single blend, of weight 1.
static int collect_all(struct bsh_pair *pair, const struct dc_collider *a, const struct dc_collider *b)
{
  size_t count = (size_t)a->triangle_count * (size_t)b->triangle_count, t = 0;
  if (dc_grow(&pair->now.terms, &pair->now.term_capacity, count, sizeof *pair->now.terms) ||
      dc_grow(&pair->blends, &pair->capacity.blends, 1, sizeof *pair->blends))
    return -1;
  for (int i = 0; i < a->triangle_count; i++)
    for (int j = 0; j < b->triangle_count; j++, t++)
      pair->now.terms[t] = (struct dc_term){.code = t + 1, .i = i, .j = j};
  pair->now.count = count;
  pair->blend_count = 1;
  pair->visited = (long)count;
  pair->all = true;
  return 0;
}

// The lists of this evaluation become those that the next one takes planes from; memory is swapped, not copied.
static void keep_last(struct bsh_pair *pair)
{
  struct bsh_terms terms = pair->now;
  pair->now = pair->last;
  pair->last = terms;
  pair->last_visited = pair->visited;
}

// Planes of the terms begin ... end - 1 from the evaluation before. Both lists are sorted by code, so that one walk
// finds what was there; zeros mark a cold start. By ranges, because threads share it.
void dc_bsh_hand_on_planes(struct bsh_pair *pair, size_t begin, size_t end)
{
  size_t k = begin < end ? dc_first_term(pair->last.terms, pair->last.count, pair->now.terms[begin].code) : 0;
  for (size_t t = begin; t < end; t++) {
    uint64_t code = pair->now.terms[t].code;
    while (k < pair->last.count && pair->last.terms[k].code < code)
      k++;
    if (k < pair->last.count && pair->last.terms[k].code == code)
      memcpy(pair->now.planes[t], pair->last.planes[k], sizeof *pair->now.planes);
    else
      memset(pair->now.planes[t], 0, sizeof *pair->now.planes);
  }
}

// Sets up blends begin .. end - 1, batch by batch, from the spheres of their two nodes; the last batch repeats its last
// blend.
void dc_bsh_set_blends(const struct dc_contact *contact, struct bsh_pair *pair, const double arm[3], int begin, int end)
{
  const struct dc_collider *a = &contact->colliders[pair->face->a], *b = &contact->colliders[pair->face->b];
  size_t count = pair->blend_count - 1;
  bool local = contact->model->local || pair->face->near_only;
  struct dc_node_batch nodes = {.length = contact->settings.length};
  double offset = contact->settings.offset ? DC_BSH_OFFSET : 0;
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
      nodes.zone[l] = dc_pair_zone(&contact->settings, pair->face, nodes.inner[l]);
      nodes.spread[l] = a->tree.spread[blend->i] + b->tree.spread[blend->j];
      nodes.scale[l] = local ? 0 : a->tree.weight[blend->i] * b->tree.weight[blend->j];
      nodes.constant[l] = offset * nodes.scale[l];
    }
    contact->kernels->blend_setup(&nodes, &pair->blend_batches[n]);
    memset(pair->sums + 1 + first, 0, (size_t)used * sizeof *pair->sums);
  }
}

void dc_bsh_set_weights(struct bsh_pair *pair)
{
  pair->sums[0] = (struct dc_blend_sum){0};
  pair->weights[0] = 1;
  for (size_t k = 1; k < pair->blend_count; k++) {
    const struct dc_blend_batch *batch = &pair->blend_batches[(k - 1) / DC_BATCH];
    pair->weights[k] = pair->weights[pair->blends[k].blend] * (1 - batch->phi[0][(k - 1) % DC_BATCH]);
  }
}

// Room for the terms, blends and units of a pair.
int dc_bsh_reserve(struct bsh_pair *pair)
{
  pair->large = pair->parted || pair->now.count > DC_EXACT_UNIT || pair->centred_count > DC_CENTRED_UNIT;
  size_t terms = pair->now.count + pair->centred_count;
  return dc_grow(&pair->now.planes, &pair->now.plane_capacity, pair->now.count, sizeof *pair->now.planes) ||
                 dc_grow(&pair->sums, &pair->capacity.sums, pair->blend_count, sizeof *pair->sums) ||
                 dc_grow(&pair->weights, &pair->capacity.weights, pair->blend_count, sizeof *pair->weights) ||
                 dc_grow(&pair->blend_batches, &pair->capacity.batches, (size_t)dc_bsh_blend_batches(pair),
                         sizeof *pair->blend_batches) ||
                 dc_grow(&pair->gaps, &pair->capacity.gaps, pair->now.count, sizeof *pair->gaps) ||
                 dc_grow(&pair->energies, &pair->capacity.energies, pair->now.count, sizeof *pair->energies) ||
                 (pair->large && dc_grow(&pair->values, &pair->capacity.values, terms, sizeof *pair->values)) ||
                 dc_grow(&pair->units, &pair->capacity.units, (size_t)dc_bsh_unit_count(pair), sizeof *pair->units)
             ? -1
             : 0;
}

// Lists the terms, hands planes on from the last evaluation, and sets geometry and weights of the blends.
static int list_terms(struct dc_contact *contact, struct bsh_pair *pair, const double arm[3])
{
  if (contact->model->hierarchical
          ? collect_hierarchy(contact, pair, arm)
          : collect_all(pair, &contact->colliders[pair->face->a], &contact->colliders[pair->face->b]))
    return -1;
  if (pair->parted)
    return 0;
  if (dc_bsh_reserve(pair))
    return -1;
  dc_bsh_hand_on_planes(pair, 0, pair->now.count);
  dc_bsh_set_blends(contact, pair, arm, 0, dc_bsh_blend_batches(pair));
  dc_bsh_set_weights(pair);
  pair->far_gap = pair->face->gap;
  pair->listed = true;
  return 0;
}

static void drop_lists(struct bsh_pair *pair)
{
  pair->now.count = pair->centred_count = pair->blend_count = 0;
  pair->large = pair->parted = false;
}

void dc_bsh_fail(struct bsh_pair *pair)
{
  pair->face->failed = true;
  pair->listed = false;
  drop_lists(pair);
}

int dc_bsh_collect(struct dc_contact *contact, struct bsh_pair *pair, const double arm[3])
{
  keep_last(pair);
  drop_lists(pair);
  pair->visited = 0;
  pair->face->gap = INFINITY;
  pair->face->crossing = false;
  if (!list_terms(contact, pair, arm))
    return 0;
  drop_lists(pair);  // half a list has no planes, values or weights
  return -1;
}

static void release_part(struct dc_walk_part *part)
{
  void *arrays[] = {part->walk.exact,    part->walk.centred,  part->walk.blends, part->walk.close,
                    part->walk.level[0], part->walk.level[1], part->global};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
}

void dc_bsh_release(struct bsh_pair *pair)
{
  void *arrays[] = {pair->now.terms, pair->now.planes, pair->last.terms, pair->last.planes,   pair->centred,
                    pair->blends,    pair->gaps,       pair->energies,   pair->sums,          pair->weights,
                    pair->values,    pair->units,      pair->level[0],   pair->blend_batches, pair->level[1]};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    free(arrays[i]);
  for (int part = 0; part < DC_PARTS && pair->parts; part++)
    release_part(&pair->parts[part]);
  free(pair->parts);
}
