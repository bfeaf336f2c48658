// SPDX-License-Identifier: Apache-2.0
// Names of what MJCF models hold, their places in the file, and lists of names for notes.  MJCF keeps names of bodies
// and geometries apart, and bodies need none; in a scene every body and every shape has a name of its own.
#include <stdio.h>
#include <string.h>

#include "io/robot/mjcf_build.h"

static bool is_taken(const struct dc_mjcf_builder *builder, const char *name)
{
  for (size_t i = 0; i < builder->taken_count; i++)
    if (strcmp(builder->taken[i], name) == 0)
      return true;
  return false;
}

// Characters that a name in a scene may not have become underscores.  Numbers behind a name begin with 2, and
// the loop ends since taken names are finite.  The name is reserved for the rest of the include.
const char *dc_mjcf_take_name(struct dc_mjcf_builder *builder, const char *wanted)
{
  const char *name = dc_urdf_named(&builder->base, wanted, "");
  char *plain = dc_arena_strdup(builder->urdf.arena, name);
  for (char *c = plain; c && *c; c++)
    if ((unsigned char)*c < 32 || *c == 127)
      *c = '_';
  name = plain;
  for (int k = 2; name && is_taken(builder, name); k++)
    name = dc_arena_printf(builder->urdf.arena, "%.230s_%d", plain, k);
  if (!name || dc_grow(&builder->taken, &builder->taken_room, builder->taken_count + 1, sizeof *builder->taken)) {
    builder->base.failed = true;
    return "";
  }
  builder->taken[builder->taken_count++] = name;
  return name;
}

const char *dc_mjcf_called(struct dc_mjcf_builder *builder, const char *name, const struct dc_mjcf_node *node)
{
  const char *text = name ? name : dc_arena_printf(builder->urdf.arena, "without name");
  (void)node;
  builder->base.failed |= !text;
  return text ? text : "";
}

int dc_mjcf_place(struct dc_mjcf_builder *builder, const struct dc_mjcf_node *node)
{
  builder->base.source = node->file->source;
  return dc_urdf_add_place(&builder->base, node->offset);
}

// Appends one line to a list of names.  The list grows in the arena by doubling, so its old copies stay until
// the arena is freed.  The file is named only when it is another than the model's.
void dc_mjcf_remember(struct dc_mjcf_builder *builder, struct dc_urdf_names *list, const char *what, const char *name,
                      const struct dc_mjcf_node *node)
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
  bool other = node && strcmp(node->file->name, builder->mjcf->name) != 0;
  const char *text = node ? dc_arena_printf(arena, "%s%s%s (%s%sline %ld)", what, *what && *name ? " " : "", name,
                                            other ? node->file->name : "", other ? ", " : "", dc_mjcf_line(node))
                          : dc_arena_printf(arena, "%s%s%s", what, *what && *name ? " " : "", name);
  if (list->names && text)
    list->names[list->count++] = text;
  else
    builder->base.failed = true;
}
