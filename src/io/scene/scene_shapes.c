// SPDX-License-Identifier: Apache-2.0
// Shapes of files, each built once.  Robots name the same mesh for every finger and every wheel, and a visual is built
// once to find out whether it can be, and again as a shape.  Shapes with the same options share their arrays, which
// nothing writes to.
#include <math.h>
#include <string.h>

#include "io/scene/scene_build.h"

struct dc_scene_made_shape {
  const struct dc_scene_made_shape *next;
  struct dc_shape shape;
};

// Whether two rows of numbers are the same; NAN, which means absent, equals itself.
static bool same_reals(const double *a, const double *b, int count)
{
  for (int i = 0; i < count; i++)
    if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))))
      return false;
  return true;
}

// Whether values of an option are the same; those of types that shapes of files do not have count as different.
static bool same_value(const struct dc_option *option, const void *a, const void *b)
{
  switch (option->type) {
  case DC_BOOLEAN: return *(const bool *)a == *(const bool *)b;
  case DC_INTEGER: return *(const long *)a == *(const long *)b;
  case DC_CHOICE: return *(const int *)a == *(const int *)b;
  case DC_REAL: return same_reals(a, b, 1);
  case DC_REALS: return same_reals(a, b, option->count);
  case DC_STRING: return strcmp(*(const char *const *)a, *(const char *const *)b) == 0;
  default: return false;
  }
}

static bool is_same(const struct dc_shape *a, const struct dc_shape *b)
{
  bool same = a->type == b->type;
  for (const struct dc_option *option = a->type->options; same && option->name; option++)
    same = same_value(option, (const char *)a->options + option->offset, (const char *)b->options + option->offset);
  return same;
}

// Whether a shape is made of a file alone.  Compounds are united from other shapes and are never shared.
static bool is_of_file(const struct dc_shape *shape)
{
  for (const struct dc_option *option = shape->type->options; option->name; option++)
    if (dc_is_file_option(option))
      return !shape->type->unite;
  return false;
}

// Builds a shape in memory of its own, which goes to the scene unless it cannot be built.
static enum dc_status build_apart(struct dc_scene_build *build, struct dc_shape *shape, struct dc_error *error)
{
  struct dc_arena *arena = dc_arena_create();
  if (!arena)
    return dc_out_of_memory(error);
  enum dc_status status = dc_shape_build(shape, arena, error);
  if (status)
    dc_arena_destroy(arena);
  else
    dc_arena_adopt(build->scene->arena, arena);
  return status;
}

// Builds the mesh of a shape.  Shapes of files with the same type and options share what was made first, so
// that equal links of robots do not read and cut the same file again; each keeps its own name and its own
// options.  Failures are not remembered.
enum dc_status dc_scene_build_shape(struct dc_scene_build *build, struct dc_shape *shape, struct dc_error *error)
{
  struct dc_scene *scene = build->scene;
  if (!is_of_file(shape))
    return dc_shape_unite(shape, build->reader.shapes.count, scene->shapes, scene->arena, error);
  for (const struct dc_scene_made_shape *made = build->made_shapes; made; made = made->next)
    if (is_same(&made->shape, shape)) {
      struct dc_shape own = *shape;
      *shape = made->shape;
      shape->name = own.name;
      shape->options = own.options;
      return DC_OK;
    }
  struct dc_scene_made_shape *made = dc_arena_alloc(scene->arena, 1, sizeof *made);
  if (!made)
    return dc_out_of_memory(error);
  enum dc_status status = build_apart(build, shape, error);
  if (status)
    return status;
  *made = (struct dc_scene_made_shape){build->made_shapes, *shape};
  build->made_shapes = made;
  return DC_OK;
}
