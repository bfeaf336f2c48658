// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection: how far a step may go before two surfaces could meet (docs/theory.md, "No
// tunnelling").
//
// Whether node spheres stay apart is told in node_path.c, how far two triangles may go in triangle_path.c.
#include <math.h>
#include <string.h>

#include "contact/near/node_path.h"
#include "contact/near/constants.h"
#include "contact/near/triangle_path.h"
#include "math/vector.h"

enum { STACK = 256 };

// How far a body may go above a primitive.  Starts anew from where the first stretch ends: bounds of bends that add up
// over the parts of a chain are far from what they bound, and a turn bends most ways along the surface or away from it.
static double primitive_fraction(const struct dc_collider *a, const struct dc_primitive *b, struct dc_motion *motion,
                                 double keep)
{
  double s = b->type->stretch(b, a, motion, keep, 0);
  for (int advance = 1; advance < dc_most_advances(keep) && s < 1; advance++) {
    double stretch = b->type->stretch(b, a, motion, keep, s);
    s += stretch;
    if (stretch <= DC_NEAR_PROGRESS * s)
      break;
  }
  return fmin(s, 1);
}

// With a motion that brings no triangles together but those of the near list: only they, by their gaps.
static double listed_fraction(const struct dc_pair *pair, double reach, const struct dc_collider *a,
                              struct dc_motion *motion_a, const struct dc_collider *b, struct dc_motion *motion_b,
                              double keep, size_t begin, size_t end, double safe)
{
  const struct dc_near_list *near = &pair->near;
  double enough = reach + keep * pair->gap;
  bool whole = dc_whole_path(keep);
  double asked = safe;
  for (size_t t = begin; t < end && !(whole && safe < asked); t++)
    if (!(near->gaps[t] > enough))
      safe = dc_triangles_fraction(dc_near_plane_of(near, t), a, near->terms[t].i, motion_a, b, near->terms[t].j,
                                   motion_b, keep, pair->gap, safe);
  return safe;
}

// The fraction that the near triangles allow that are nearly as close as the closest: what most likely bounds the pair.
static double nearest_fraction(const struct dc_pair *pair, const struct dc_collider *a, struct dc_motion *motion_a,
                               const struct dc_collider *b, struct dc_motion *motion_b)
{
  const struct dc_near_list *near = &pair->near;
  double safe = 1;
  for (size_t t = 0; t < near->count; t++)
    if (near->gaps[t] <= DC_NEAR_FIRST_LOOK * pair->gap)
      safe = dc_triangles_fraction(dc_near_plane_of(near, t), a, near->terms[t].i, motion_a, b, near->terms[t].j,
                                   motion_b, DC_KEPT_GAP, pair->gap, safe);
  return safe;
}

// Two nodes, and their code as in struct dc_term.
struct node_pair {
  int i, j;
  uint64_t code;
};

static const struct node_pair roots = {0, 0, 1};

// No node pair lies below: two triangles.
static bool both_leaves(const struct dc_collider *a, const struct dc_collider *b, const struct node_pair *nodes)
{
  return a->tree.right[nodes->i] < 0 && b->tree.right[nodes->j] < 0;
}

// The two below, the one that is followed first behind the other.
static void descend(const struct dc_collider *a, const struct dc_collider *b, struct node_pair from,
                    struct node_pair below[2])
{
  int nodes[2][2];
  dc_push_children(&a->tree, from.i, &b->tree, from.j, nodes, 0);
  for (int k = 0; k < 2; k++)
    below[k] = (struct node_pair){nodes[k][0], nodes[k][1], 2 * from.code + (k == 0)};
}

// All triangles below two nodes.
static double mesh_fraction(const struct dc_pair *pair, const struct dc_collider *a, struct dc_motion *motion_a,
                            const struct dc_collider *b, struct dc_motion *motion_b, double keep,
                            const struct node_pair *from, double safe)
{
  struct node_pair stack[STACK] = {*from};
  struct dc_node_path path;
  int top = 1;
  bool whole = dc_whole_path(keep);
  double asked = safe;
  dc_node_path_begin(&path, a, motion_a, b, motion_b, DC_NEAR_NODES_KEPT * keep * pair->gap);
  while (top > 0 && !(whole && safe < asked)) {
    struct node_pair nodes = stack[--top];
    if (dc_nodes_apart(&path, nodes.i, nodes.j, safe))
      continue;
    if (both_leaves(a, b, &nodes)) {
      int i = a->tree.triangle[nodes.i], j = b->tree.triangle[nodes.j];
      safe = dc_triangles_fraction(dc_near_plane(&pair->near, i, j, nodes.code), a, i, motion_a, b, j, motion_b, keep,
                                   pair->gap, safe);
      continue;
    }
    descend(a, b, nodes, stack + top);
    top += 2;
  }
  return safe;
}

// The centres part by no more than the sum of their ways, nor than their relative velocity at the start and what the
// bends add.
double dc_pair_reach(const struct dc_contact *contact, const struct dc_pair *pair, const struct dc_path *path)
{
  const struct dc_frame_path *path_a = &path->frames[pair->a], *path_b = &path->frames[pair->b];
  double d[3];
  dc_vec_sub(d, path_a->twist + 3, path_b->twist + 3);
  double centers = fmin(dc_vec_norm(d) + 0.5 * (path_a->bend + path_b->bend), path_a->shift + path_b->shift);
  return centers + path_a->turn * contact->colliders[pair->a].radius +
         path_b->turn * contact->colliders[pair->b].radius;
}

// A question about a path: how much of the gaps at its beginning must be left; nearest: of the triangles that are
// closest only, and of primitives; rest: of all but primitives, which those were asked for before.
struct query {
  const struct dc_path *path;
  double keep;
  bool nearest, rest;
};

// Whether only listed triangles can come near each other; reach: dc_pair_reach.
static bool by_list(const struct dc_pair *pair, const struct query *query, double reach)
{
  return reach + query->keep * pair->gap < pair->near.beyond;
}

// How far one pair may go, nothing beyond `safe` asked for.
static double pair_fraction(const struct dc_contact *contact, const struct dc_pair *pair, const struct query *query,
                            double safe)
{
  const struct dc_collider *a = &contact->colliders[pair->a], *b = &contact->colliders[pair->b];
  if (query->rest && b->primitive.type)
    return safe;
  // The gap of the last evaluation is a lower bound of the distance.
  double reach = dc_pair_reach(contact, pair, query->path), keep = query->keep;
  if (reach < (1 - keep) * pair->gap)
    return safe;
  struct dc_motion motion_a = dc_motion_of(query->path, pair->a), motion_b = dc_motion_of(query->path, pair->b);
  if (b->primitive.type)
    return fmin(safe, primitive_fraction(a, &b->primitive, &motion_a, keep));
  if (query->nearest)
    return nearest_fraction(pair, a, &motion_a, b, &motion_b);
  if (by_list(pair, query, reach))
    return listed_fraction(pair, reach, a, &motion_a, b, &motion_b, keep, 0, pair->near.count, safe);
  return mesh_fraction(pair, a, &motion_a, b, &motion_b, keep, &roots, safe);
}

// One large pair, cut into chunks of its list or of its walk, in their order.
struct chunks {
  const struct dc_contact *contact;
  const struct dc_pair *pair;
  const struct query *query;
  double reach, safe, results[DC_NEAR_MOST_CHUNKS];
  bool listed;
  int count;
  struct node_pair nodes[DC_NEAR_MOST_CHUNKS];
};

// One chunk of the list, or all that lies below one node pair of the cut walk.
static void chunk_pass(void *context, int k, int thread)
{
  (void)thread;
  struct chunks *c = context;
  const struct dc_pair *pair = c->pair;
  const struct dc_collider *a = &c->contact->colliders[pair->a], *b = &c->contact->colliders[pair->b];
  struct dc_motion motion_a = dc_motion_of(c->query->path, pair->a), motion_b = dc_motion_of(c->query->path, pair->b);
  size_t begin = pair->near.count * (size_t)k / DC_NEAR_MOST_CHUNKS,
         end = pair->near.count * (size_t)(k + 1) / DC_NEAR_MOST_CHUNKS;
  c->results[k] = c->listed
                      ? listed_fraction(pair, c->reach, a, &motion_a, b, &motion_b, c->query->keep, begin, end, c->safe)
                      : mesh_fraction(pair, a, &motion_a, b, &motion_b, c->query->keep, &c->nodes[k], c->safe);
}

// Node pairs that may meet, in the order of the walk: as many as there is room for.
static void cut_walk(struct chunks *c)
{
  const struct dc_collider *a = &c->contact->colliders[c->pair->a], *b = &c->contact->colliders[c->pair->b];
  struct dc_motion motion_a = dc_motion_of(c->query->path, c->pair->a),
                   motion_b = dc_motion_of(c->query->path, c->pair->b);
  struct node_pair from[DC_NEAR_MOST_CHUNKS];
  struct dc_node_path path;
  dc_node_path_begin(&path, a, &motion_a, b, &motion_b, DC_NEAR_NODES_KEPT * c->query->keep * c->pair->gap);
  c->nodes[0] = roots;
  c->count = 1;
  for (bool deeper = true; deeper && c->count <= DC_NEAR_MOST_CHUNKS / 2;) {
    int count = c->count;
    memcpy(from, c->nodes, (size_t)count * sizeof *from);
    deeper = false;
    c->count = 0;
    for (int k = 0; k < count; k++) {
      struct node_pair below[2];
      if (dc_nodes_apart(&path, from[k].i, from[k].j, c->safe))
        continue;
      if (both_leaves(a, b, &from[k])) {
        c->nodes[c->count++] = from[k];
        continue;
      }
      descend(a, b, from[k], below);
      c->nodes[c->count++] = below[1];
      c->nodes[c->count++] = below[0];
      deeper = true;
    }
  }
}

// The same as pair_fraction.  In turn each triangle is asked for no more than those before allow, which threads do not
// know: all are asked for `safe`.  As long as it is allowed that is the same; from where it is not the pair is followed
// in turn.
static double large_fraction(struct dc_contact *contact, const struct dc_pair *pair, const struct query *query,
                             double safe)
{
  struct chunks c = {.contact = contact,
                     .pair = pair,
                     .query = query,
                     .safe = safe,
                     .reach = dc_pair_reach(contact, pair, query->path)};
  if (c.reach < (1 - query->keep) * pair->gap)
    return safe;
  c.listed = by_list(pair, query, c.reach);
  c.count = DC_NEAR_MOST_CHUNKS;
  if (!c.listed)
    cut_walk(&c);
  dc_loop_run(chunk_pass, &c, c.count, dc_contact_most_threads(contact), &contact->loops.chunks);
  for (int k = 0; k < c.count; k++)
    if (c.results[k] < safe)
      return pair_fraction(contact, pair, query, safe);
  return safe;
}

// Threads share a pair that its model found large, except where only its nearest triangles are asked for.
static bool is_large(const struct dc_contact *contact, const struct dc_pair *pair, const struct query *query)
{
  return pair->large && contact->shared && !query->nearest;
}

// The least of all pairs, as passes leave it one by one.
struct least {
  struct dc_contact *contact;
  const struct query *query;
  double safe;
};

static void fraction_pass(void *context, int k, int thread)
{
  (void)thread;
  const struct least *least = context;
  struct dc_contact *contact = least->contact;
  const struct dc_pair *pair = &contact->pairs[contact->order[k]];
  contact->fractions[k] =
      is_large(contact, pair, least->query) ? least->safe : pair_fraction(contact, pair, least->query, least->safe);
}

// Whether all bodies move by less than pairs have room for: most steps of Newton's method near a solution.
static bool all_have_room(const struct dc_contact *contact, const struct query *query)
{
  double farthest = 0, gap = INFINITY;
  for (int i = 0; i < contact->bodies->count; i++) {
    const struct dc_frame_path *frame = &query->path->frames[i];
    double way = frame->shift + frame->turn * contact->colliders[i].radius;
    farthest = way > farthest ? way : farthest;
  }
  for (int p = 0; p < contact->pair_count; p++)
    gap = contact->pairs[p].gap < gap ? contact->pairs[p].gap : gap;
  return 2 * farthest < (1 - query->keep) * gap;
}

// Nothing beyond `safe` is asked for.
static double least_fraction(struct dc_contact *contact, const struct query *query, double safe)
{
  if (all_have_room(contact, query))
    return safe;
  struct least least = {.contact = contact, .query = query, .safe = safe};
  double asked = safe;
  dc_loop_run(fraction_pass, &least, contact->pair_count, dc_contact_most_threads(contact),
              &contact->loops.fractions[query->nearest]);
  for (int p = 0; p < contact->pair_count; p++) {
    safe = fmin(safe, contact->fractions[p]);
    if (is_large(contact, &contact->pairs[p], query))
      safe = fmin(safe, large_fraction(contact, &contact->pairs[p], query, asked));
  }
  return safe;
}

static bool is_finite(const struct dc_contact *contact, const struct dc_path *path)
{
  for (int i = 0; i < contact->bodies->count; i++)
    if (!isfinite(path->frames[i].turn + path->frames[i].shift + path->frames[i].bend))
      return false;
  return true;
}

double dc_contact_nearest_fraction(struct dc_contact *contact, const struct dc_path *path)
{
  const struct query query = {.path = path, .keep = DC_KEPT_GAP, .nearest = true};
  return is_finite(contact, path) ? least_fraction(contact, &query, 1) : 0;
}

// The fraction that the closest triangles allow bounds how far all the others have to be followed.
double dc_contact_safe_fraction_within(struct dc_contact *contact, const struct dc_path *path, double nearest)
{
  const struct query query = {.path = path, .keep = DC_KEPT_GAP, .rest = true};
  return nearest > 0 ? least_fraction(contact, &query, nearest) : 0;
}

// A body that tips over an edge goes along an arc, whose chord goes through what it stands on: free bodies of a pair
// that is not clear are wound, each once, where the axis is not outside of them.  (Balls that hit each other would go
// around.)
bool dc_contact_motion_clear(struct dc_contact *contact, struct dc_path *path, int *pair)
{
  const struct query query = {.path = path, .keep = DC_NEAR_CLEAR_GAP};
  while (!dc_contact_path_clear(contact, path, pair)) {
    if (*pair < 0)
      return false;
    const struct dc_pair *crossing = &contact->pairs[*pair];
    bool wound_a = dc_path_wind(path, crossing->a, contact->colliders[crossing->a].radius),
         wound_b = dc_path_wind(path, crossing->b, contact->colliders[crossing->b].radius);
    if ((!wound_a && !wound_b) || pair_fraction(contact, crossing, &query, 1) < 1)
      return false;
  }
  return true;
}

// The quick question is asked of all pairs together; only where it fails the first guilty pair is looked for.
bool dc_contact_path_clear(struct dc_contact *contact, const struct dc_path *path, int *pair)
{
  const struct query query = {.path = path, .keep = DC_NEAR_CLEAR_GAP};
  bool finite = is_finite(contact, path);
  *pair = -1;
  if (finite && !(least_fraction(contact, &query, 1) < 1))
    return true;
  for (int p = 0; p < contact->pair_count && finite && *pair < 0; p++)
    if (pair_fraction(contact, &contact->pairs[p], &query, 1) < 1)
      *pair = p;
  return false;
}
