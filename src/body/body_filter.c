// SPDX-License-Identifier: Apache-2.0
// Which bodies touch.  Bodies fixed to each other are one rigid group; a group does not touch itself, nor the group that
// a joint hangs it on, nor what a filter names.
#include <stdlib.h>

#include "body/body_build.h"

static bool needs_filter(const struct dc_bodies *bodies, const struct dc_body_definition *definitions)
{
  for (int i = 0; i < bodies->count; i++)
    if (definitions[i].parent >= 0 || !definitions[i].collide || definitions[i].collide_except.count)
      return true;
  return false;
}

static void exclude(bool *excluded, int count, int a, int b)
{
  excluded[(size_t)a * (size_t)count + (size_t)b] = excluded[(size_t)b * (size_t)count + (size_t)a] = true;
}

enum dc_status dc_body_filter(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                              struct dc_arena *arena, struct dc_error *error)
{
  if (!needs_filter(bodies, definitions))
    return DC_OK;
  int count = bodies->count;
  bool *excluded = dc_arena_alloc(arena, (size_t)count * (size_t)count, sizeof *excluded);
  int *group = dc_alloc((size_t)count, sizeof *group), *above = dc_alloc((size_t)count, sizeof *above);
  if (!excluded || !group || !above) {
    free(group);
    free(above);
    return dc_fail(error, DC_MEMORY, "out of memory for the filters of %d bodies", count);
  }
  for (int k = 0; k < count; k++) {
    int i = bodies->order[k], parent = bodies->bodies[i].parent;
    bool joined = parent >= 0 && bodies->bodies[i].nv == 0;
    group[i] = joined ? group[parent] : i;
    above[group[i]] = joined ? above[group[i]] : parent >= 0 ? group[parent] : -1;
  }
  for (int a = 0; a < count; a++) {
    for (int b = 0; b < a; b++)
      if (group[a] == group[b] || above[group[a]] == group[b] || above[group[b]] == group[a] ||
          !definitions[a].collide || !definitions[b].collide)
        exclude(excluded, count, a, b);
    for (int k = 0; k < definitions[a].collide_except.count; k++)
      exclude(excluded, count, a, definitions[a].collide_except.indices[k]);
  }
  free(group);
  free(above);
  bodies->excluded = excluded;
  return DC_OK;
}

bool dc_bodies_touch(const struct dc_bodies *bodies, int a, int b)
{
  if (a == b || (!dc_body_moves(&bodies->bodies[a]) && !dc_body_moves(&bodies->bodies[b])))
    return false;
  return !bodies->excluded || !bodies->excluded[(size_t)a * (size_t)bodies->count + (size_t)b];
}
