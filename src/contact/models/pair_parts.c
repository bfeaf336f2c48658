// SPDX-License-Identifier: Apache-2.0
// Large pairs of bodies, whose loops threads share.
//
// One pair in deep contact may cost as much as all the others.  Its walk goes from the roots to a level of a few
// hundred node pairs; what lies below is walked in parts, each into lists of its own, level by level.  Put together,
// level after level and in each the parts in their order, these are the lists of the walk in one piece: terms of a
// level have rising codes, and a part has all that lies below its node pairs.  So sums have the same bits.
//
// The sums of the terms go by the same parts: what belongs to blends of a part is added there, what belongs to the
// blends above all parts in a pass of its own.  Each sum has its terms in the order of the lists.
#include <math.h>
#include <string.h>

#include "contact/contact_internal.h"

enum { BATCHES = 32 };  // of blends in a pass

struct large {
  struct dc_contact *contact;
  const struct dc_pose *poses;
  int order, most_threads;
  struct dc_pair_derivatives *results;
};

static int part_count(const struct dc_pair *pair)
{
  return pair->parted ? DC_PARTS : 0;
}

static int blend_pass_count(const struct dc_pair *pair)
{
  return pair->parted ? (dc_pair_blend_batches(pair) + BATCHES - 1) / BATCHES : 0;
}

static int unit_count(const struct dc_pair *pair)
{
  return pair->large ? dc_pair_unit_count(pair) : 0;
}

static int sum_count(const struct dc_pair *pair)
{
  return pair->parted ? 1 + DC_PARTS : 0;
}

// Lists the passes of all pairs in order; -1 when out of memory.
static int list_passes(struct dc_contact *contact, int (*count_of)(const struct dc_pair *))
{
  size_t count = 0;
  for (int p = 0; p < contact->pair_count; p++) {
    size_t passes = (size_t)count_of(&contact->pairs[p]);
    if (dc_grow(&contact->units, &contact->unit_capacity, count + passes, sizeof *contact->units))
      return -1;
    for (size_t k = 0; k < passes; k++)
      contact->units[count++] = (struct dc_unit){p, (int)k};
  }
  return (int)count;
}

// Runs the passes of all pairs; false when out of memory.
static bool run(struct large *large, int (*count_of)(const struct dc_pair *), dc_loop_pass *pass,
                struct dc_loop_history *history)
{
  int count = list_passes(large->contact, count_of);
  if (count > 0)
    dc_loop_run(pass, large, count, large->most_threads, history);
  return count >= 0;
}

// Cuts the level where parts of the last walk would have had equal work; places are the same in all walks.
static void cut(struct dc_pair *pair)
{
  const struct dc_term *level = pair->level[pair->cut];
  struct dc_walk_part *parts = pair->parts;
  double scale = exp2(-floor(log2((double)level[0].code)));
  size_t k = 0;
  for (int part = 0; part < DC_PARTS; part++) {
    parts[part].begin = k;
    parts[part].place = k < pair->cut_count ? (double)level[k].code * scale - 1 : 1;
    double end = pair->cuts[part];
    while (k < pair->cut_count && (part == DC_PARTS - 1 || (double)level[k].code * scale - 1 < end))
      k++;
    parts[part].end = k;
  }
}

// Where the next walk is cut: at equal shares of the node pairs visited below, as if those of a part were evenly
// spread.
static void move_cuts(struct dc_pair *pair)
{
  const struct dc_walk_part *parts = pair->parts;
  double all = 0, before = 0;
  for (int k = 0; k < DC_PARTS; k++)
    all += (double)parts[k].walk.visited;
  int next = 0;
  for (int k = 0; k < DC_PARTS; k++) {
    double work = (double)parts[k].walk.visited, end = k < DC_PARTS - 1 ? parts[k + 1].place : 1;
    for (; next < DC_PARTS - 1 && before + work >= all * (next + 1) / DC_PARTS && work > 0; next++)
      pair->cuts[next] = parts[k].place + (end - parts[k].place) * (all * (next + 1) / DC_PARTS - before) / work;
    before += work;
  }
}

static void walk_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->contact->units[k];
  struct dc_pair *pair = &large->contact->pairs[unit->pair];
  pair->parts[unit->index].failed =
      dc_walk_part(large->contact, pair, unit->index, large->results[unit->pair].arm) != 0;
}

static struct dc_walk_ends begin_of(const struct dc_walk_part *part, int level)
{
  return level ? part->ends[level - 1] : (struct dc_walk_ends){0};
}

// Where the lists of a level of a part go, behind what the pair has; its far node pairs are compared in the order of
// the walk in one piece.
static void place_level(struct dc_pair *pair, struct dc_walk_part *part, int level)
{
  struct dc_walk_ends begin = begin_of(part, level), end = part->ends[level];
  part->places[level] = (struct dc_walk_ends){pair->exact_count, pair->centred_count, pair->blend_count, 0};
  pair->exact_count += end.exact - begin.exact;
  pair->centred_count += end.centred - begin.centred;
  pair->blend_count += end.blend - begin.blend;
  for (size_t k = begin.close; k < end.close; k++)
    pair->gap = dc_closer(pair->gap, part->walk.close[k].square, part->walk.close[k].inner);
}

// Places the lists of all parts in those of the pair; -1 when out of memory.
static int place_parts(struct dc_pair *pair)
{
  int levels = 0;
  for (int k = 0; k < DC_PARTS; k++) {
    if (pair->parts[k].failed)
      return -1;
    pair->visited += pair->parts[k].walk.visited;
    levels = pair->parts[k].levels > levels ? pair->parts[k].levels : levels;
  }
  for (int level = 0; level < levels; level++)
    for (int k = 0; k < DC_PARTS; k++)
      if (level < pair->parts[k].levels)
        place_level(pair, &pair->parts[k], level);
  move_cuts(pair);
  pair->far_gap = pair->gap;
  return dc_grow(&pair->exact, &pair->exact_capacity, pair->exact_count, sizeof *pair->exact) ||
                 dc_grow(&pair->centred, &pair->centred_capacity, pair->centred_count, sizeof *pair->centred) ||
                 dc_grow(&pair->blends, &pair->blend_capacity, pair->blend_count, sizeof *pair->blends) ||
                 dc_pair_reserve(pair)
             ? -1
             : 0;
}

// Index of a blend in the list of the pair.
static int global_blend(const struct dc_walk_part *part, int blend)
{
  return blend < part->walk.first_blend ? blend : part->global[blend - part->walk.first_blend];
}

static void join_level(struct dc_pair *pair, struct dc_walk_part *part, int level)
{
  const struct dc_walk *walk = &part->walk;
  struct dc_walk_ends begin = begin_of(part, level), end = part->ends[level], place = part->places[level];
  for (size_t k = begin.blend; k < end.blend; k++) {
    const struct dc_node_term *blend = &walk->blends[k];
    part->global[k] = (int)place.blend;
    pair->blends[place.blend++] = (struct dc_node_term){blend->i, blend->j, global_blend(part, blend->blend)};
  }
  for (size_t k = begin.centred; k < end.centred; k++) {
    const struct dc_node_term *term = &walk->centred[k];
    pair->centred[place.centred++] = (struct dc_node_term){term->i, term->j, global_blend(part, term->blend)};
  }
  for (size_t k = begin.exact; k < end.exact; k++) {
    const struct dc_term *term = &walk->exact[k];
    pair->exact[place.exact++] = (struct dc_term){term->code, term->i, term->j, global_blend(part, term->blend)};
  }
  dc_pair_hand_on_planes(pair, part->places[level].exact, place.exact);
}

static void join_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->contact->units[k];
  struct dc_pair *pair = &large->contact->pairs[unit->pair];
  struct dc_walk_part *part = &pair->parts[unit->index];
  if (unit->index == 0)
    dc_pair_hand_on_planes(pair, 0, pair->top_exact);
  for (int level = 0; level < part->levels; level++)
    join_level(pair, part, level);
}

static void blend_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->contact->units[k];
  struct dc_pair *pair = &large->contact->pairs[unit->pair];
  int begin = unit->index * BATCHES, rest = dc_pair_blend_batches(pair) - begin;
  dc_pair_set_blends(large->contact, pair, large->results[unit->pair].arm, begin,
                     begin + (rest < BATCHES ? rest : BATCHES));
}

static void unit_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->contact->units[k];
  dc_pair_run_unit(large->contact, &large->contact->pairs[unit->pair], unit->index, large->poses,
                   large->results[unit->pair].arm, large->order);
}

// The sums of the blends above the parts, or those of a part.
static void sum_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->contact->units[k];
  struct dc_pair *pair = &large->contact->pairs[unit->pair];
  if (unit->index == 0)
    dc_pair_sum_top(pair);
  else
    dc_pair_sum_part(pair, &pair->parts[unit->index - 1], large->order);
}

static void gather_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  int p = large->contact->order[k];
  if (large->contact->pairs[p].large)
    dc_pair_gather(large->contact, &large->contact->pairs[p], large->order, &large->results[p]);
}

static void fail(struct dc_pair *pair)
{
  pair->failed = true;
  dc_pair_drop_lists(pair);
}

static struct dc_walk_part *first_parts(struct dc_pair *pair)
{
  for (int k = 0; k < DC_PARTS; k++)
    pair->cuts[k] = (k + 1.0) / DC_PARTS;
  return dc_alloc(DC_PARTS, sizeof *pair->parts);
}

// Parts of all parted pairs; those that have no room for them fail.
static void cut_pairs(struct dc_contact *contact)
{
  for (int p = 0; p < contact->pair_count; p++) {
    struct dc_pair *pair = &contact->pairs[p];
    if (!pair->parted)
      continue;
    if (!pair->parts && !(pair->parts = first_parts(pair))) {
      fail(pair);
      continue;
    }
    cut(pair);
  }
}

static bool finish_lists(struct large *large)
{
  struct dc_contact *contact = large->contact;
  cut_pairs(contact);
  if (!run(large, part_count, walk_pass, &contact->loops.walks))
    return false;
  for (int p = 0; p < contact->pair_count; p++)
    if (contact->pairs[p].parted && place_parts(&contact->pairs[p]))
      fail(&contact->pairs[p]);
  if (!run(large, part_count, join_pass, &contact->loops.joins) ||
      !run(large, blend_pass_count, blend_pass, &contact->loops.blends))
    return false;
  for (int p = 0; p < contact->pair_count; p++)
    if (contact->pairs[p].parted) {
      dc_pair_set_weights(&contact->pairs[p]);
      contact->pairs[p].listed = true;
    }
  return true;
}

void dc_large_pairs_evaluate(struct dc_contact *contact, int most_threads, const struct dc_pose *poses, int order,
                             struct dc_pair_derivatives *results)
{
  struct large large = {
      .contact = contact, .poses = poses, .order = order, .most_threads = most_threads, .results = results};
  bool any = false;
  for (int p = 0; p < contact->pair_count; p++)
    any |= contact->pairs[p].large || contact->pairs[p].parted;
  if (!any)
    return;
  if (finish_lists(&large) && run(&large, unit_count, unit_pass, &contact->loops.units) &&
      run(&large, sum_count, sum_pass, &contact->loops.sums)) {
    dc_loop_run(gather_pass, &large, contact->pair_count, most_threads, &contact->loops.gathers);
    return;
  }
  for (int p = 0; p < contact->pair_count; p++)
    if (contact->pairs[p].large || contact->pairs[p].parted)
      fail(&contact->pairs[p]);
}
