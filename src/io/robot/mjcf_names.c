// SPDX-License-Identifier: Apache-2.0
// What MuJoCo's models are read with: names of their objects, where these stand in the file, and lists of names for
// notes.
#include <stdio.h>
#include <string.h>

#include "io/robot/mjcf_build.h"

const char *dc_mjcf_name(struct dc_mjcf_builder *builder, int kind, int i)
{
  static const struct {
    int kind;
    const char *word;
  } words[] = {{mjOBJ_BODY, "body"},     {mjOBJ_JOINT, "joint"},       {mjOBJ_GEOM, "geom"},
               {mjOBJ_TENDON, "tendon"}, {mjOBJ_ACTUATOR, "actuator"}, {mjOBJ_EQUALITY, "equality"}};
  const char *given = mj_id2name(builder->model, kind, i), *word = "object";
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (words[k].kind == kind)
      word = words[k].word;
  char *name = given && given[0] ? dc_arena_strdup(builder->urdf.arena, given)
                                 : dc_arena_printf(builder->urdf.arena, "%s%d", word, i);
  builder->base.failed |= !name;
  return name ? name : "";
}

int dc_mjcf_place(struct dc_mjcf_builder *builder, int kind, int i)
{
  const char *text = builder->mjcf->text, *given = mj_id2name(builder->model, kind, i), *found = text;
  char wanted[300];
  if (given && given[0] && strlen(given) < 200) {
    snprintf(wanted, sizeof wanted, "name=\"%s\"", given);
    if ((found = strstr(text, wanted)))
      while (found > text && *found != '<')
        found--;
  }
  return dc_urdf_add_place(&builder->base, found ? (size_t)(found - text) : 0);
}

void dc_mjcf_remember(struct dc_mjcf_builder *builder, struct dc_urdf_names *list, const char *what, const char *name)
{
  enum { FIRST = 16 };
  struct dc_arena *arena = builder->urdf.arena;
  if (list->count == 0 || (list->count >= FIRST && (list->count & (list->count - 1)) == 0)) {  // doubled when full
    size_t room = list->count ? 2 * (size_t)list->count : FIRST;
    const char **names = dc_arena_alloc(arena, room, sizeof *names);
    if (names && list->count)
      memcpy(names, list->names, (size_t)list->count * sizeof *names);
    list->names = names;
  }
  const char *text = dc_arena_printf(arena, "%s%s%s", what, *what ? " " : "", name);
  if (list->names && text)
    list->names[list->count++] = text;
  else
    builder->base.failed = true;
}
