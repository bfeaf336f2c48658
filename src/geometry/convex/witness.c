// SPDX-License-Identifier: Apache-2.0
// Queries of witness points: which pairs of parts are looked at, from where, and what becomes of their answers.
//
// Distances of pairs of convex parts come from GJK (witness_gjk.c), depths of those that meet from EPA
// (witness_epa.c); both begin at the answer of the query before.  All is in the frame of the first solid, with points
// from the centre of the first part, so that rounding follows the sizes of parts and not their places.  Spheres
// around the parts, and how far all has moved since a pair was last looked at, rule out most pairs.
#include "geometry/convex/witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/convex/constants.h"
#include "geometry/convex/witness_epa.h"
#include "math/vector.h"

// Result of the last query of a pair of parts, for a warm start.
struct memory {
  int simplex_count, face_count;  // 0: nothing; face_count is 0 or 3
  int simplex[4][2], face[3][2];
};

struct candidate {
  int pair;         // first part * parts of the second + second part
  double bound;     // below the distance, m
  double distance;  // INFINITY: larger than that of another pair
};

// The second solid in the frame of the first.
struct relative {
  double rotation[9], shift[3];
};

struct dc_witness_search {
  const struct dc_solid *solids[2];
  int pair_count, last_pair;  // last_pair: the answer of the last query, -1: none
  struct memory *memories;    // [pair_count]
  // How far the second solid's points have moved at most in the first's frame, m, summed over queries.  The distance
  // of a pair of parts is at least reaches[pair] - moved.
  double moved, *reaches;
  struct relative last;
  struct candidate *candidates;
  double (*centers)[3];  // of the second solid's parts in the first's frame
  struct dc_epa *epa;    // room that no query leaves anything in; of another search when borrowed
  bool borrowed;
  long supports;
};

struct answer {
  double normal[3], distance, point[2][3];  // in the first solid's frame
};

// Nothing is known of any pair: all are looked at again.
static void forget_reaches(struct dc_witness_search *search)
{
  search->moved = 0;
  for (int pair = 0; pair < search->pair_count; pair++)
    search->reaches[pair] = -INFINITY;
}

struct dc_witness_search *dc_witness_search_create(const struct dc_solid *first, const struct dc_solid *second)
{
  return dc_witness_search_create_beside(first, second, NULL);
}

// Creates the search of two solids, with memory for every pair of parts; the workspace of another search may be shared.
struct dc_witness_search *dc_witness_search_create_beside(const struct dc_solid *first, const struct dc_solid *second,
                                                          struct dc_witness_search *other)
{
  struct dc_witness_search *search = dc_alloc(1, sizeof *search);
  if (!search)
    return NULL;
  search->borrowed = other != NULL;
  search->epa = other ? other->epa : dc_alloc(1, sizeof *search->epa);
  search->solids[0] = first;
  search->solids[1] = second;
  search->pair_count = first->part_count * second->part_count;
  search->memories = dc_alloc((size_t)search->pair_count, sizeof *search->memories);
  search->reaches = dc_alloc((size_t)search->pair_count, sizeof *search->reaches);
  search->candidates = dc_alloc((size_t)search->pair_count, sizeof *search->candidates);
  search->centers = dc_alloc((size_t)second->part_count, sizeof *search->centers);
  if (!search->epa || !search->memories || !search->reaches || !search->candidates || !search->centers) {
    dc_witness_search_destroy(search);
    return NULL;
  }
  dc_witness_search_reset(search);
  return search;
}

void dc_witness_search_destroy(struct dc_witness_search *search)
{
  if (!search)
    return;
  free(search->memories);
  free(search->reaches);
  free(search->candidates);
  free(search->centers);
  if (!search->borrowed)
    free(search->epa);
  free(search);
}

void dc_witness_search_reset(struct dc_witness_search *search)
{
  memset(search->memories, 0, (size_t)search->pair_count * sizeof *search->memories);
  search->last_pair = -1;
  forget_reaches(search);
}

long dc_witness_search_supports(const struct dc_witness_search *search)
{
  return search->supports;
}

// R = A^T B and A^T (b - a) of the placements (A, a) and (B, b): the second in the frame of the first.
static void set_relative(const struct dc_placement *first, const struct dc_placement *second, struct relative *relative)
{
  double between[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      relative->rotation[3 * i + j] = first->rotation[i] * second->rotation[j] +
                                      first->rotation[3 + i] * second->rotation[3 + j] +
                                      first->rotation[6 + i] * second->rotation[6 + j];
  dc_vec_sub(between, second->position, first->position);
  dc_mat_apply_transposed(relative->shift, first->rotation, between);
}

// Vertices are taken relative to the part's centre, so that GJK works with coordinates of the part's size.  The graph
// of edges is passed on only where hill climbing is known to end at the highest vertex.
static struct dc_corners corners_of(const struct dc_convex *part)
{
  return (struct dc_corners){.count = part->vertex_count,
                             .vertices = part->offsets,
                             .neighbor_start = part->neighbor_start,
                             .neighbors = part->climbs ? part->neighbors : NULL};
}

// From the first part's centre.
static void set_difference(const struct dc_witness_search *search, const struct relative *relative, int i, int j,
                           struct dc_difference *difference)
{
  const struct dc_convex *a = &search->solids[0]->parts[i], *b = &search->solids[1]->parts[j];
  difference->corners[0] = corners_of(a);
  difference->corners[1] = corners_of(b);
  difference->rotation = relative->rotation;
  dc_vec_sub(difference->shift, search->centers[j], a->center);
  difference->scale = a->radius + b->radius + dc_vec_norm(difference->shift);
  difference->touching = DC_WITNESS_TOUCHING * difference->scale;
}

// Begins where the last query ended: the same corners, moved to where they are now; the first corners without memory.
static void recall(const struct memory *memory, struct dc_difference *difference, struct dc_simplex *simplex)
{
  simplex->count = memory->simplex_count > 0 ? memory->simplex_count : 1;
  for (int k = 0; k < simplex->count; k++) {
    memcpy(simplex->points[k].index, memory->simplex[k], sizeof simplex->points[k].index);
    dc_difference_at(difference, &simplex->points[k]);
  }
  memcpy(difference->start, memory->simplex[simplex->count - 1], sizeof difference->start);
}

// Keeps indices only: the next query makes the points anew from its placement, so that no rounding accumulates.
static void remember(struct memory *memory, const struct dc_simplex *simplex)
{
  memory->simplex_count = simplex->count;
  for (int k = 0; k < simplex->count; k++)
    memcpy(memory->simplex[k], simplex->points[k].index, sizeof memory->simplex[k]);
}

// The points of both parts whose difference the simplex is, from the first part's centre.
static void find_points(const struct dc_difference *difference, const struct dc_simplex *simplex, double point[2][3])
{
  double turned[3] = {0, 0, 0};
  memset(point, 0, 2 * sizeof *point);
  for (int k = 0; k < simplex->count; k++) {
    const int *index = simplex->points[k].index;
    dc_vec_add_scaled(point[0], point[0], simplex->weight[k], difference->corners[0].vertices[index[0]]);
    dc_vec_add_scaled(turned, turned, simplex->weight[k], difference->corners[1].vertices[index[1]]);
  }
  dc_mat_apply(point[1], difference->rotation, turned);
  dc_vec_add(point[1], point[1], difference->shift);
}

// The answer of a pair of parts, or distance INFINITY when that is above limit.
// 1. GJK begins at the last simplex and ends with a distance, a bound beyond the limit, or the finding that both meet.
// 2. Where they meet, EPA begins at the last face, if there is one, and gives depth and normal.
// 3. A bound below the distance is kept as the pair's reach, from which later motion is taken off.
static void query_pair(struct dc_witness_search *search, const struct relative *relative, int pair, double limit,
                       struct answer *answer)
{
  int i = pair / search->solids[1]->part_count, j = pair % search->solids[1]->part_count;
  struct memory *memory = &search->memories[pair];
  struct dc_difference difference;
  struct dc_simplex simplex;
  set_difference(search, relative, i, j, &difference);
  recall(memory, &difference, &simplex);
  enum dc_gjk_outcome outcome = dc_gjk(&difference, limit, &simplex, &search->supports);
  answer->distance = INFINITY;
  if (simplex.count > 0)
    remember(memory, &simplex);
  if (outcome != DC_GJK_MEET)
    search->reaches[pair] = simplex.bound + search->moved;
  if (outcome == DC_GJK_BEYOND)
    return;
  if (outcome == DC_GJK_APART) {
    answer->distance = dc_vec_norm(simplex.nearest);
    dc_vec_scale(answer->normal, simplex.nearest, -1 / answer->distance);
    find_points(&difference, &simplex, answer->point);
  } else {
    struct dc_difference_point guess[3];
    struct dc_penetration penetration;
    for (int k = 0; k < memory->face_count; k++) {
      memcpy(guess[k].index, memory->face[k], sizeof guess[k].index);
      dc_difference_at(&difference, &guess[k]);
    }
    dc_epa(search->epa, &difference, &simplex, memory->face_count > 0 ? guess : NULL, &penetration, &search->supports);
    memory->face_count = penetration.face_count;
    memcpy(memory->face, penetration.face, sizeof memory->face);
    answer->distance = -penetration.depth;
    search->reaches[pair] = answer->distance + search->moved;
    dc_vec_copy(answer->normal, penetration.normal);
    find_points(&difference, &penetration.simplex, answer->point);
  }
  // Both points take half of what rounding leaves between them and the distance.
  double rest[3];
  dc_vec_sub(rest, answer->point[1], answer->point[0]);
  dc_vec_add_scaled(rest, rest, -answer->distance, answer->normal);
  for (int side = 0; side < 2; side++) {
    dc_vec_add(answer->point[side], answer->point[side], search->solids[0]->parts[i].center);
    dc_vec_add_scaled(answer->point[side], answer->point[side], side ? -0.5 : 0.5, rest);
  }
}

// Sphere centres of the second solid's parts in the first's frame, x = R c + t; once per query, for all pairs of parts.
static void set_centers(struct dc_witness_search *search, const struct relative *relative)
{
  for (int j = 0; j < search->solids[1]->part_count; j++) {
    dc_mat_apply(search->centers[j], relative->rotation, search->solids[1]->parts[j].center);
    dc_vec_add(search->centers[j], search->centers[j], relative->shift);
  }
}

// Adds to moved what the second solid's points have moved since the last query: at most as much as their centre and, by
// a turn of angle a, 2 sin(a/2) times their distance from it; |R' - R| (Frobenius) is sqrt(2) 2 sin(a/2).
static void add_motion(struct dc_witness_search *search, const struct relative *relative, double scale)
{
  double turn = 0, from[3], to[3];
  for (int k = 0; k < 9; k++) {
    double change = relative->rotation[k] - search->last.rotation[k];
    turn += change * change;
  }
  dc_mat_apply(from, search->last.rotation, search->solids[1]->center);
  dc_vec_add(from, from, search->last.shift);
  dc_mat_apply(to, relative->rotation, search->solids[1]->center);
  dc_vec_add(to, to, relative->shift);
  search->moved += dc_vec_distance(from, to) + sqrt(0.5 * turn) * search->solids[1]->radius + DC_POSE_ROUNDING * scale;
  search->last = *relative;
  if (!(search->moved < DC_LONGEST_WAY * scale))
    forget_reaches(search);
}

// Below the distance of a pair of parts: by their spheres.
static double sphere_bound(const struct dc_witness_search *search, int i, int j)
{
  const struct dc_convex *a = &search->solids[0]->parts[i], *b = &search->solids[1]->parts[j];
  return dc_vec_distance(a->center, search->centers[j]) - a->radius - b->radius;
}

// Moves the candidate of the nearest spheres, the earliest of equals, among those from start on to start.
static const struct candidate *next_candidate(struct candidate *candidates, int start, int count)
{
  int best = start;
  for (int c = start + 1; c < count; c++)
    if (candidates[c].bound < candidates[best].bound ||
        (candidates[c].bound == candidates[best].bound && candidates[c].pair < candidates[best].pair))
      best = c;
  struct candidate swap = candidates[start];
  candidates[start] = candidates[best];
  candidates[best] = swap;
  return &candidates[start];
}

// The pair to begin with: the last answer, or the one with the nearest spheres.
static int first_pair(const struct dc_witness_search *search)
{
  int best = 0, pair = 0;
  if (search->last_pair >= 0)
    return search->last_pair;
  double least = INFINITY;
  for (int i = 0; i < search->solids[0]->part_count; i++)
    for (int j = 0; j < search->solids[1]->part_count; j++, pair++) {
      double bound = sphere_bound(search, i, j);
      if (bound < least) {
        least = bound;
        best = pair;
      }
    }
  return best;
}

// Lists the pairs whose distance may be up to limit behind the one there; returns how many there are then.
static int list_candidates(struct dc_witness_search *search, double limit)
{
  int count = 1, pair = 0;
  for (int i = 0; i < search->solids[0]->part_count; i++)
    for (int j = 0; j < search->solids[1]->part_count; j++, pair++) {
      double reach = search->reaches[pair] - search->moved;
      if (reach > limit || pair == search->candidates[0].pair)
        continue;
      double sphere = sphere_bound(search, i, j), bound = reach > sphere ? reach : sphere;
      if (bound <= limit)
        search->candidates[count++] = (struct candidate){pair, bound, INFINITY};
    }
  return count;
}

// Asks the pairs that can be nearer than the best one so far, in the order of their spheres' distances.  Which pair
// begins decides about the work only: of distances equal to rounding the earliest pair's counts.
// 1. The pair that answered last is asked first, without a limit: mostly it answers again.
// 2. Pairs whose spheres, or last known distances less the motion since, are farther than its distance are ruled out.
// 3. The others follow by their bounds until one exceeds the least distance; each may stop as soon as it is beyond.
// 4. Among equals to rounding the earliest pair is asked once more without a limit, unless it is the best one.
static int query_parts(struct dc_witness_search *search, const struct relative *relative, double scale,
                       struct answer *best)
{
  double slack = DC_WITNESS_EQUAL * scale;
  add_motion(search, relative, scale);
  int best_pair = first_pair(search);
  query_pair(search, relative, best_pair, INFINITY, best);
  double least = best->distance;
  search->candidates[0] = (struct candidate){best_pair, -INFINITY, least};
  int count = list_candidates(search, least + slack);
  for (int c = 1; c < count && next_candidate(search->candidates, c, count)->bound <= least + slack; c++) {
    struct answer answer;
    query_pair(search, relative, search->candidates[c].pair, least + slack, &answer);
    search->candidates[c].distance = answer.distance;
    if (answer.distance < least) {
      least = answer.distance;
      *best = answer;
      best_pair = search->candidates[c].pair;
    }
  }
  int earliest = best_pair;
  for (int c = 0; c < count; c++)
    if (search->candidates[c].distance <= least + slack && search->candidates[c].pair < earliest)
      earliest = search->candidates[c].pair;
  if (earliest != best_pair)
    query_pair(search, relative, earliest, INFINITY, best);
  return earliest;
}

// The relative place of both solids, then the nearest, or deepest, of all pairs of convex parts.
void dc_witness_query(struct dc_witness_search *search, const struct dc_placement *first,
                      const struct dc_placement *second, struct dc_witness *witness)
{
  struct relative relative;
  struct answer answer;
  int pair = 0;
  set_relative(first, second, &relative);
  set_centers(search, &relative);
  if (search->pair_count == 1)
    query_pair(search, &relative, pair, INFINITY, &answer);
  else
    pair = query_parts(search, &relative,
                       search->solids[0]->radius + search->solids[1]->radius + dc_vec_norm(relative.shift), &answer);
  search->last_pair = pair;
  witness->distance = answer.distance;
  dc_mat_apply(witness->normal, first->rotation, answer.normal);
  for (int side = 0; side < 2; side++) {
    dc_mat_apply(witness->point[side], first->rotation, answer.point[side]);
    dc_vec_add(witness->point[side], witness->point[side], first->position);
  }
  witness->part[0] = pair / search->solids[1]->part_count;
  witness->part[1] = pair % search->solids[1]->part_count;
}
