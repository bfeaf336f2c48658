// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that may touch.  Bodies fixed to each other are one rigid group.  A group does not touch itself, nor
// the group to which a joint connects it, nor bodies that a filter names.
#include <string.h>

#include "body/body_build.h"

static bool copy_list(struct dc_index_list *list, const struct dc_index_list *given, struct dc_arena *arena)
{
  *list = (struct dc_index_list){given->count, dc_arena_alloc(arena, (size_t)given->count, sizeof(int))};
  if (list->indices && given->count)
    memcpy(list->indices, given->indices, (size_t)given->count * sizeof(int));
  return list->indices != NULL;
}

enum dc_status dc_body_filter(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                              struct dc_arena *arena, struct dc_error *error)
{
  size_t count = (size_t)bodies->count;
  int *group = dc_arena_alloc(arena, count, sizeof *group), *above = dc_arena_alloc(arena, count, sizeof *above);
  bool *collide = dc_arena_alloc(arena, count, sizeof *collide);
  struct dc_index_list *except = dc_arena_alloc(arena, count, sizeof *except);
  struct dc_index_list *near_only = dc_arena_alloc(arena, count, sizeof *near_only);
  if (!group || !above || !collide || !except || !near_only)
    return dc_fail(error, DC_MEMORY, "out of memory for the filters of %d bodies", bodies->count);
  for (int k = 0; k < bodies->count; k++) {
    int i = bodies->order[k], parent = bodies->bodies[i].parent;
    bool joined = parent >= 0 && bodies->bodies[i].nv == 0;
    group[i] = joined ? group[parent] : i;
    above[group[i]] = joined ? above[group[i]] : parent >= 0 ? group[parent] : -1;
  }
  for (int i = 0; i < bodies->count; i++) {
    collide[i] = definitions[i].collide && definitions[i].shape >= 0;
    if (!copy_list(&except[i], &definitions[i].collide_except, arena) ||
        !copy_list(&near_only[i], &definitions[i].near_only, arena))
      return dc_fail(error, DC_MEMORY, "out of memory for the filters of %d bodies", bodies->count);
  }
  bodies->group = group;
  bodies->above = above;
  bodies->collide = collide;
  bodies->except = except;
  bodies->near_only = near_only;
  return DC_OK;
}

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
