// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that may touch, and their coefficients of friction.  Bodies fixed to each other are one rigid group.
// A group does not touch itself, nor the group to which a joint connects it (unless collide_parent says so), nor bodies
// that a filter names.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/body_build.h"

// A copy in the arena, so that filters do not point into the definitions of bodies.
static bool copy_list(struct dc_index_list *list, const struct dc_index_list *given, struct dc_arena *arena)
{
  *list = (struct dc_index_list){given->count, dc_arena_alloc(arena, (size_t)given->count, sizeof(int))};
  if (list->indices && given->count)
    memcpy(list->indices, given->indices, (size_t)given->count * sizeof(int));
  return list->indices != NULL;
}

// Sets which bodies may touch.  Parents come first in the order, so that their group is known.  A body without
// freedoms of its own joins the group of its parent, any other body is the first of a new one.  The group above is
// the group that a group hangs on and does not touch; members that join later leave it as the first one set it.
enum dc_status dc_body_filter(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                              struct dc_arena *arena, struct dc_error *error)
{
  size_t count = (size_t)bodies->count;
  int *group = dc_arena_alloc(arena, count, sizeof *group), *above = dc_arena_alloc(arena, count, sizeof *above);
  bool *collide = dc_arena_alloc(arena, count, sizeof *collide);
  struct dc_index_list *except = dc_arena_alloc(arena, count, sizeof *except);
  struct dc_index_list *near_only = dc_arena_alloc(arena, count, sizeof *near_only);
  if (!group || !above || !collide || !except || !near_only)
    return dc_out_of_memory_for(error, "the filters of %d bodies", bodies->count);
  for (int k = 0; k < bodies->count; k++) {
    int i = bodies->order[k], parent = bodies->bodies[i].parent;
    bool joined = parent >= 0 && bodies->bodies[i].nv == 0;
    group[i] = joined ? group[parent] : i;
    bool hangs = parent >= 0 && !definitions[i].filter.parent;
    above[group[i]] = joined ? above[group[i]] : hangs ? group[parent] : -1;
  }
  for (int i = 0; i < bodies->count; i++) {
    collide[i] = definitions[i].filter.collide && definitions[i].shape >= 0;
    if (!copy_list(&except[i], &definitions[i].filter.except, arena) ||
        !copy_list(&near_only[i], &definitions[i].filter.near_only, arena))
      return dc_out_of_memory_for(error, "the filters of %d bodies", bodies->count);
  }
  bodies->group = group;
  bodies->above = above;
  bodies->collide = collide;
  bodies->except = except;
  bodies->near_only = near_only;
  return DC_OK;
}

// By the smaller index, then the larger: the order of qsort and bsearch over friction pairs.
static int compare_pairs(const void *first, const void *second)
{
  const struct dc_friction_between *a = first, *b = second;
  return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

// A pair's coefficient acts as a factor on the geometric mean of both bodies' coefficients.  A mean of zero leaves
// nothing to multiply, and nodes of soft bodies take the mean only.
static enum dc_status check_pair(const struct dc_body_definition *definitions, int i, int other, struct dc_error *error)
{
  if (other == i)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].friction_with: must not name the body itself", i);
  if (definitions[i].soft || definitions[other].soft)
    return dc_fail(error, DC_BAD_INPUT, "bodies[%d].friction_with: must not be about soft bodies", i);
  return DC_OK;
}

// Sorts the coefficients that are given for pairs of bodies by (smaller index, larger index), for a binary search.  A
// pair may be named by either body, but not by both.
enum dc_status dc_body_pair_friction(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                                     struct dc_arena *arena, struct dc_error *error)
{
  int count = 0;
  for (int i = 0; i < bodies->count; i++)
    count += definitions[i].surface.friction_with.count;
  struct dc_friction_between *pairs = dc_arena_alloc(arena, (size_t)count, sizeof *pairs);
  if (!pairs)
    return dc_out_of_memory_for(error, "the friction of %d pairs", count);
  count = 0;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_pair_friction *given = definitions[i].surface.friction_with.objects;
    for (int k = 0; k < definitions[i].surface.friction_with.count; k++) {
      int other = given[k].body;
      enum dc_status status = check_pair(definitions, i, other, error);
      if (status)
        return status;
      pairs[count++] = (struct dc_friction_between){i < other ? i : other, i < other ? other : i, given[k].friction};
    }
  }
  qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
  for (int p = 1; p < count; p++)
    if (compare_pairs(&pairs[p - 1], &pairs[p]) == 0)
      return dc_fail(error, DC_BAD_INPUT, "bodies[%d].friction_with: \"%s\" has a coefficient with it already",
                     pairs[p].a, definitions[pairs[p].b].name);
  bodies->friction_pairs = pairs;
  bodies->friction_pair_count = count;
  return DC_OK;
}

// Bisection over the sorted pairs; most scenes have none, which is asked first.
double dc_bodies_friction_between(const struct dc_bodies *bodies, int a, int b)
{
  const struct dc_friction_between wanted = {a < b ? a : b, a < b ? b : a, 0};
  const struct dc_friction_between *found =
      bodies->friction_pair_count
          ? bsearch(&wanted, bodies->friction_pairs, (size_t)bodies->friction_pair_count, sizeof wanted, compare_pairs)
          : NULL;
  return found ? found->friction : NAN;
}

// mu = sqrt(mu_a mu_b); a coefficient of the pair's own takes its place and keeps the factors of a design.
double dc_bodies_pair_friction(const struct dc_bodies *bodies, int a, int b, const double of[2], const double *scale)
{
  double own = bodies->friction_pair_count ? dc_bodies_friction_between(bodies, a, b) : NAN;
  if (isnan(own))
    return sqrt(of[0]) * sqrt(of[1]);
  return scale ? own * sqrt(scale[0]) * sqrt(scale[1]) : own;
}

// Two bodies of which neither moves are never tested: their contact cannot change.
bool dc_bodies_touch(const struct dc_bodies *bodies, int a, int b)
{
  if (a == b || (!dc_body_moves(&bodies->bodies[a]) && !dc_body_moves(&bodies->bodies[b])))
    return false;
  if (!bodies->group)  // built without filters, as tests do
    return true;
  int first = bodies->group[a], second = bodies->group[b];
  return first != second && bodies->above[first] != second && bodies->above[second] != first && bodies->collide[a] &&
         bodies->collide[b] && !dc_index_list_holds(&bodies->except[a], b) &&
         !dc_index_list_holds(&bodies->except[b], a);
}

bool dc_bodies_near_only(const struct dc_bodies *bodies, int a, int b)
{
  return bodies->near_only &&
         (dc_index_list_holds(&bodies->near_only[a], b) || dc_index_list_holds(&bodies->near_only[b], a));
}
