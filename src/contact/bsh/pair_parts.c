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

#include "contact/bsh/bsh_pair.h"

enum { BATCHES = 32 };  // of blends in a pass

// The large pairs of one evaluation, as passes over them see them.
struct large {
  struct dc_contact *contact;
  struct bsh *bsh;
  int begin, end;  // of the pairs
  const struct dc_pose *poses;
  int order, most_threads;
  struct dc_pair_derivatives *results;
};

// Numbers of passes by kind; a pair that is not parted, or not large, has none.
static int part_count(const struct bsh_pair *pair)
{
  return pair->parted ? DC_PARTS : 0;
}

static int blend_pass_count(const struct bsh_pair *pair)
{
  return pair->parted ? (dc_bsh_blend_batches(pair) + BATCHES - 1) / BATCHES : 0;
}

static int unit_count(const struct bsh_pair *pair)
{
  return pair->large ? dc_bsh_unit_count(pair) : 0;
}

static int sum_count(const struct bsh_pair *pair)
{
  return pair->parted ? 1 + DC_PARTS : 0;
}

// Lists the passes of all pairs in order; -1 when out of memory.
static int list_passes(const struct large *large, int (*count_of)(const struct bsh_pair *))
{
  struct bsh *bsh = large->bsh;
  size_t count = 0;
  for (int p = large->begin; p < large->end; p++) {
    size_t passes = (size_t)count_of(&bsh->pairs[p]);
    if (dc_grow(&bsh->units, &bsh->unit_capacity, count + passes, sizeof *bsh->units))
      return -1;
    for (size_t k = 0; k < passes; k++)
      bsh->units[count++] = (struct dc_unit){p, (int)k};
  }
  return (int)count;
}

// Runs the passes of all pairs; false when out of memory.
static bool run(struct large *large, int (*count_of)(const struct bsh_pair *), dc_loop_pass *pass,
                struct dc_loop_history *history)
{
  int count = list_passes(large, count_of);
  if (count > 0)
    dc_loop_run(pass, large, count, large->most_threads, history);
  return count >= 0;
}

// Cuts the level where parts of the last walk would have had equal work; places are the same in all walks.
static void cut(struct bsh_pair *pair)
{
  const struct dc_term *level = pair->level[pair->cut.index];
  struct dc_walk_part *parts = pair->parts;
  double scale = exp2(-floor(log2((double)level[0].code)));
  size_t k = 0;
  for (int part = 0; part < DC_PARTS; part++) {
    parts[part].begin = k;
    parts[part].place = k < pair->cut.count ? (double)level[k].code * scale - 1 : 1;
    double end = pair->cut.ends[part];
    while (k < pair->cut.count && (part == DC_PARTS - 1 || (double)level[k].code * scale - 1 < end))
      k++;
    parts[part].end = k;
  }
}

// Where the next walk is cut: at equal shares of the node pairs visited below, as if those of a part were evenly
// spread.
static void move_cuts(struct bsh_pair *pair)
{
  const struct dc_walk_part *parts = pair->parts;
  double all = 0, before = 0;
  for (int k = 0; k < DC_PARTS; k++)
    all += (double)parts[k].walk.visited;
  int next = 0;
  for (int k = 0; k < DC_PARTS; k++) {
    double work = (double)parts[k].walk.visited, end = k < DC_PARTS - 1 ? parts[k + 1].place : 1;
    for (; next < DC_PARTS - 1 && before + work >= all * (next + 1) / DC_PARTS && work > 0; next++)
      pair->cut.ends[next] = parts[k].place + (end - parts[k].place) * (all * (next + 1) / DC_PARTS - before) / work;
    before += work;
  }
}

// Passes of the parts, blends, units and sums of all pairs follow: each writes to its own pair and index only.
static void walk_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->bsh->units[k];
  struct bsh_pair *pair = &large->bsh->pairs[unit->pair];
  pair->parts[unit->index].failed =
      dc_bsh_walk_part(large->contact, pair, unit->index, large->results[unit->pair].arm) != 0;
}

static struct dc_walk_ends begin_of(const struct dc_walk_part *part, int level)
{
  return level ? part->ends[level - 1] : (struct dc_walk_ends){0};
}

// Where the lists of a level of a part go, behind what the pair has; its far node pairs are compared in the order of
// the walk in one piece.
static void place_level(struct bsh_pair *pair, struct dc_walk_part *part, int level)
{
  struct dc_walk_ends begin = begin_of(part, level), end = part->ends[level];
  part->places[level] = (struct dc_walk_ends){pair->now.count, pair->centred_count, pair->blend_count, 0};
  pair->now.count += end.exact - begin.exact;
  pair->centred_count += end.centred - begin.centred;
  pair->blend_count += end.blend - begin.blend;
  for (size_t k = begin.close; k < end.close; k++)
    pair->face->gap = dc_closer(pair->face->gap, part->walk.close[k].square, part->walk.close[k].inner);
}

// Places the lists of all parts in those of the pair; -1 when out of memory.
static int place_parts(struct bsh_pair *pair)
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
  pair->far_gap = pair->face->gap;
  return dc_grow(&pair->now.terms, &pair->now.term_capacity, pair->now.count, sizeof *pair->now.terms) ||
                 dc_grow(&pair->centred, &pair->capacity.centred, pair->centred_count, sizeof *pair->centred) ||
                 dc_grow(&pair->blends, &pair->capacity.blends, pair->blend_count, sizeof *pair->blends) ||
                 dc_bsh_reserve(pair)
             ? -1
             : 0;
}

// Index of a blend in the list of the pair.
static int global_blend(const struct dc_walk_part *part, int blend)
{
  return blend < part->walk.first_blend ? blend : part->global[blend - part->walk.first_blend];
}

// Copies what one part added at a level to its place in the lists of the pair, with the pair's own numbers of blends.
static void join_level(struct bsh_pair *pair, struct dc_walk_part *part, int level)
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
    pair->now.terms[place.exact++] = (struct dc_term){term->code, term->i, term->j, global_blend(part, term->blend)};
  }
  dc_bsh_hand_on_planes(pair, part->places[level].exact, place.exact);
}

static void join_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->bsh->units[k];
  struct bsh_pair *pair = &large->bsh->pairs[unit->pair];
  struct dc_walk_part *part = &pair->parts[unit->index];
  if (unit->index == 0)
    dc_bsh_hand_on_planes(pair, 0, pair->cut.exact);
  for (int level = 0; level < part->levels; level++)
    join_level(pair, part, level);
}

static void blend_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->bsh->units[k];
  struct bsh_pair *pair = &large->bsh->pairs[unit->pair];
  int begin = unit->index * BATCHES, rest = dc_bsh_blend_batches(pair) - begin;
  dc_bsh_set_blends(large->contact, pair, large->results[unit->pair].arm, begin,
                    begin + (rest < BATCHES ? rest : BATCHES));
}

static void unit_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->bsh->units[k];
  dc_bsh_run_unit(large->contact, &large->bsh->pairs[unit->pair], unit->index, large->poses,
                  large->results[unit->pair].arm, large->order);
}

// The sums of the blends above the parts, or those of a part.
static void sum_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  const struct dc_unit *unit = &large->bsh->units[k];
  struct bsh_pair *pair = &large->bsh->pairs[unit->pair];
  if (unit->index == 0)
    dc_bsh_sum_top(pair);
  else
    dc_bsh_sum_part(pair, &pair->parts[unit->index - 1], large->order);
}

static void gather_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct large *large = context;
  bool all = large->end - large->begin == large->contact->pair_count;
  int p = all ? large->contact->order[k] : large->begin + k;
  if (large->bsh->pairs[p].large)
    dc_bsh_gather(large->contact, &large->bsh->pairs[p], large->order, &large->results[p]);
}

// Equal cuts by places at first; move_cuts then follows the work.
static struct dc_walk_part *first_parts(struct bsh_pair *pair)
{
  for (int k = 0; k < DC_PARTS; k++)
    pair->cut.ends[k] = (k + 1.0) / DC_PARTS;
  return dc_alloc(DC_PARTS, sizeof *pair->parts);
}

// Parts of all parted pairs; those that have no room for them fail.
static void cut_pairs(const struct large *large)
{
  for (int p = large->begin; p < large->end; p++) {
    struct bsh_pair *pair = &large->bsh->pairs[p];
    if (!pair->parted)
      continue;
    if (!pair->parts && !(pair->parts = first_parts(pair))) {
      dc_bsh_fail(pair);
      continue;
    }
    cut(pair);
  }
}

// All lists of all large pairs: walks of the parts, their places in the lists, copies, then planes and blends.
static bool finish_lists(struct large *large)
{
  struct bsh *bsh = large->bsh;
  cut_pairs(large);
  if (!run(large, part_count, walk_pass, &bsh->loops.walks))
    return false;
  for (int p = large->begin; p < large->end; p++)
    if (bsh->pairs[p].parted && place_parts(&bsh->pairs[p]))
      dc_bsh_fail(&bsh->pairs[p]);
  if (!run(large, part_count, join_pass, &bsh->loops.joins) ||
      !run(large, blend_pass_count, blend_pass, &bsh->loops.blends))
    return false;
  for (int p = large->begin; p < large->end; p++)
    if (bsh->pairs[p].parted) {
      dc_bsh_set_weights(&bsh->pairs[p]);
      bsh->pairs[p].listed = true;
    }
  return true;
}

// Evaluates the large pairs by all threads, one pass after another: lists, units, sums, gathering.
void dc_bsh_evaluate_large(struct dc_contact *contact, int begin, int end, int most_threads,
                           const struct dc_pose *poses, int order, struct dc_pair_derivatives *results)
{
  struct bsh *bsh = dc_bsh_of(contact);
  struct large large = {.contact = contact,
                        .bsh = bsh,
                        .begin = begin,
                        .end = end,
                        .poses = poses,
                        .order = order,
                        .most_threads = most_threads,
                        .results = results};
  bool any = false;
  for (int p = begin; p < end; p++)
    any |= bsh->pairs[p].large || bsh->pairs[p].parted;
  if (!any)
    return;
  if (finish_lists(&large) && run(&large, unit_count, unit_pass, &bsh->loops.units) &&
      run(&large, sum_count, sum_pass, &bsh->loops.sums)) {
    dc_loop_run(gather_pass, &large, end - begin, most_threads, &bsh->loops.gathers);
    return;
  }
  for (int p = begin; p < end; p++)
    if (bsh->pairs[p].large || bsh->pairs[p].parted)
      dc_bsh_fail(&bsh->pairs[p]);
}
