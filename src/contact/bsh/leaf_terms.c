// SPDX-License-Identifier: Apache-2.0
// Exact terms of convex leaves, those of all small pairs of bodies together.
//
// Two convex bodies have one or two such terms, which leave most of eight lanes empty.  So they wait until all pairs
// are listed:
// 1. Terms are listed pair by pair and put in the order of the numbers of their vertices, as a batch costs what its
//    largest leaves do.
// 2. Eight at a time they are solved; each leaves its value and Hessian.  Batches depend on the list alone, so that no
//    bit depends on threads.
// 3. Each pair sums its own in the order of its list, and goes on as other pairs do: centred terms, blends.
#include <math.h>
#include <string.h>

#include "contact/bsh/bsh_pair.h"

enum { CLASSES = 7 };  // of leaves with up to 1, 2, 4, ..., 64 vertices

// The pairs begin ... end - 1 of one evaluation, as the passes below see them.
struct leaf_loop {
  struct dc_contact *contact;
  struct bsh *bsh;
  int begin, end, count;  // of pairs; terms
  const struct dc_pose *poses;
  int order;
  struct dc_pair_derivatives *results;
};

// Batches run over as many vertices as their largest leaf has.  Classes by powers of two keep batches uniform without
// sorting by the exact number.
static int class_of(const struct dc_collider *collider, int leaf)
{
  int count = dc_leaf_of(collider, leaf).count, class = 0;
  while (1 << class < count && class < CLASSES - 1)
    class ++;
  return class;
}

// The sort key of a term: classes of both leaves, those of a first.
static int key_of(const struct leaf_loop *loop, const struct bsh_leaf *leaf)
{
  const struct bsh_pair *pair = &loop->bsh->pairs[leaf->pair];
  const struct dc_term *term = &pair->now.terms[leaf->term];
  return CLASSES * class_of(&loop->contact->colliders[pair->face->a], term->i) +
         class_of(&loop->contact->colliders[pair->face->b], term->j);
}

// Lists the terms and their order, which keeps that of the list among equals; -1 when out of memory.
static int list_leaves(struct leaf_loop *loop)
{
  struct bsh *bsh = loop->bsh;
  size_t count = 0;
  int places[CLASSES * CLASSES + 1] = {0};
  for (int p = loop->begin; p < loop->end; p++)
    count += bsh->pairs[p].waits ? bsh->pairs[p].now.count : 0;
  if (dc_grow(&bsh->leaves, &bsh->leaf_capacity, count, sizeof *bsh->leaves) ||
      dc_grow(&bsh->leaf_order, &bsh->leaf_order_capacity, count, sizeof *bsh->leaf_order))
    return -1;
  for (int p = loop->begin; p < loop->end; p++)
    for (size_t t = 0; bsh->pairs[p].waits && t < bsh->pairs[p].now.count; t++) {
      struct bsh_leaf *leaf = &bsh->leaves[loop->count++];
      leaf->pair = p;
      leaf->term = (int)t;
      places[key_of(loop, leaf) + 1]++;
    }
  for (int key = 1; key < CLASSES * CLASSES; key++)
    places[key] += places[key - 1];
  for (int k = 0; k < loop->count; k++)
    bsh->leaf_order[places[key_of(loop, &bsh->leaves[k])]++] = k;
  return 0;
}

// Results of lane l for its term.  The Hessian has its weights already, energy and gradient get the leaf's here.
static void put_leaf(const struct leaf_loop *loop, const struct dc_leaf_batch *batch, int l,
                     const double (*hessian)[DC_BATCH], struct bsh_leaf *leaf)
{
  struct bsh_pair *pair = &loop->bsh->pairs[leaf->pair];
  double energy = batch->energy[l] + (loop->contact->settings.offset ? DC_BSH_OFFSET : 0);
  pair->energies[leaf->term] = energy;
  pair->gaps[leaf->term] = batch->gap[l];
  leaf->unsolved = batch->failed[l];
  leaf->value.energy = leaf->weight * energy;
  leaf->value.blend = pair->now.terms[leaf->term].blend;
  for (int k = 0; k < 6 && loop->order > 0; k++)
    leaf->value.gradient[k] = leaf->weight * batch->gradient[k][l];
  for (int e = 0; e < DC_HESSIAN && loop->order > 1; e++)
    leaf->hessian[e] = hessian[e][l];
}

// Solves the terms k DC_BATCH ... in the order of list_leaves.
static void batch_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct leaf_loop *loop = context;
  const int *chosen = loop->bsh->leaf_order + k * DC_BATCH;
  int rest = loop->count - k * DC_BATCH, count = rest < DC_BATCH ? rest : DC_BATCH;
  struct dc_leaf_lane lanes[DC_BATCH] = {{0}};
  struct dc_leaf_batch batch;
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  memset(hessian, 0, sizeof hessian);
  for (int l = 0; l < count; l++) {
    struct bsh_leaf *leaf = &loop->bsh->leaves[chosen[l]];
    const struct bsh_pair *pair = &loop->bsh->pairs[leaf->pair];
    lanes[l] = dc_bsh_leaf_lane(loop->contact, pair, (size_t)leaf->term, loop->poses[pair->face->b].rotation,
                                loop->results[leaf->pair].arm);
    leaf->weight = loop->contact->colliders[pair->face->a].leaf_weight[lanes[l].term->i] *
                   loop->contact->colliders[pair->face->b].leaf_weight[lanes[l].term->j];
  }
  dc_leaves_solve(loop->contact, lanes, count, loop->order, &batch, hessian);
  for (int l = 0; l < count; l++)
    put_leaf(loop, &batch, l, (const double(*)[DC_BATCH])hessian, &loop->bsh->leaves[chosen[l]]);
}

// The sums of a pair, its terms from `leaf` on.
static void sum_leaves(const struct leaf_loop *loop, struct bsh_pair *pair, const struct bsh_leaf *leaf)
{
  struct dc_unit_sum *unit = &pair->units[0];
  *unit = (struct dc_unit_sum){.gap = INFINITY};
  for (size_t t = 0; t < pair->now.count; t++, leaf++) {
    dc_bsh_add_value(&pair->sums[leaf->value.blend], &leaf->value);
    unit->gap = pair->gaps[t] < unit->gap ? pair->gaps[t] : unit->gap;
    unit->crossing |= isinf(pair->energies[t]);
    unit->unsolved |= leaf->unsolved;
    for (int e = 0; e < DC_HESSIAN && loop->order > 1; e++)
      unit->hessian[e] += leaf->hessian[e];
  }
}

// k: among the terms; the first of a pair does it.
static void pair_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct leaf_loop *loop = context;
  const struct bsh_leaf *leaf = &loop->bsh->leaves[k];
  struct bsh_pair *pair = &loop->bsh->pairs[leaf->pair];
  struct dc_pair_derivatives *result = &loop->results[leaf->pair];
  if (leaf->term > 0)
    return;
  sum_leaves(loop, pair, leaf);
  for (int unit = 1; unit < dc_bsh_unit_count(pair); unit++)
    dc_bsh_run_unit(loop->contact, pair, unit, loop->poses, result->arm, loop->order);
  dc_bsh_gather(loop->contact, pair, loop->order, result);
}

// Steps 1 to 3 of the head.  Without memory for the lists the pairs that wait for them fail.
void dc_bsh_evaluate_leaves(struct dc_contact *contact, int begin, int end, int most_threads,
                            const struct dc_pose *poses, int order, struct dc_pair_derivatives *results)
{
  struct leaf_loop loop = {.contact = contact,
                           .bsh = dc_bsh_of(contact),
                           .begin = begin,
                           .end = end,
                           .poses = poses,
                           .order = order,
                           .results = results};
  if (list_leaves(&loop)) {
    for (int p = begin; p < end; p++)
      if (loop.bsh->pairs[p].waits)
        dc_bsh_fail(&loop.bsh->pairs[p]);
    return;
  }
  dc_loop_run(batch_pass, &loop, (loop.count + DC_BATCH - 1) / DC_BATCH, most_threads, &loop.bsh->loops.leaves);
  dc_loop_run(pair_pass, &loop, loop.count, most_threads, &loop.bsh->loops.leaf_pairs);
}
