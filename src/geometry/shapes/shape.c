// SPDX-License-Identifier: Apache-2.0
// The registry of shapes, and building of one: check options, make the mesh, validate it, find convex parts, compute
// mass properties.
#include "geometry/shapes/shape.h"

#include <math.h>
#include <string.h>

#include "geometry/mesh/mesh_groups.h"
#include "geometry/shapes/shape_types.h"

const struct dc_shape_type *const dc_shape_types[] = {
    &dc_shape_sphere,
    &dc_shape_box,
    &dc_shape_cylinder,
    &dc_shape_capsule,
    &dc_shape_mesh,
    &dc_shape_plane,
    &dc_shape_compound,
    &dc_shape_hulls,
    &dc_shape_blocks,
    &dc_shape_superquadrics,
    &dc_shape_points,
    &dc_shape_heights,
    NULL,
};

static const struct dc_shape_type nothing_type = {.name = "nothing", .summary = "touches nothing, is not drawn"};
const struct dc_shape dc_shape_nothing = {.name = "(none)", .type = &nothing_type};

const struct dc_shape_type *dc_shape_type_find(const char *name)
{
  for (int i = 0; dc_shape_types[i]; i++)
    if (strcmp(dc_shape_types[i]->name, name) == 0)
      return dc_shape_types[i];
  return NULL;
}

// Whether a number was left out that may be: its option is null by default.
static bool is_absent(const struct dc_option *option, const void *value)
{
  return option->fallback && strcmp(option->fallback, "null") == 0 && isnan(dc_shape_option_number(option, value, 0));
}

// Checks numbers of options.  The scene reader has checked those from a file; a program may have set others or left
// some out.
static enum dc_status check_options(const struct dc_shape_type *type, const void *options, struct dc_error *error)
{
  for (const struct dc_option *option = type->options; option->name; option++) {
    const void *value = (const char *)options + option->offset;
    if (option->type == DC_STRING && !*(const char *const *)value)
      return dc_fail(error, DC_BAD_INPUT, "%s: must be given", option->name);
    if ((option->type != DC_INTEGER && option->type != DC_REAL && option->type != DC_REALS) || is_absent(option, value))
      continue;
    for (int i = 0; i < (option->type == DC_REALS ? option->count : 1); i++) {
      char text[128];
      const char *rule = dc_option_check(option, dc_shape_option_number(option, value, i), text, sizeof text);
      if (rule)
        return dc_fail(error, DC_BAD_INPUT, "%s: %s", option->name, rule);
    }
  }
  return DC_OK;
}

// Builds mesh and convex parts of a shape that is no union.
static enum dc_status build_alone(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error)
{
  enum dc_status status = shape->type->build(shape->options, arena, &shape->mesh, error);
  if (status || shape->type->half_space || (status = dc_mesh_validate(&shape->mesh, error)))
    return status;
  status = dc_mesh_convex_parts(&shape->mesh, arena, &shape->part_count, &shape->parts, error);
  return status || shape->part_count > 0 ? status : dc_mesh_check_apart(&shape->mesh, error);
}

// Builds a shape: alone, or from other shapes that are built already; then its mass properties.
enum dc_status dc_shape_unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                              struct dc_error *error)
{
  shape->mesh = (struct dc_mesh){0};
  shape->properties = (struct dc_mass_properties){0};
  shape->part_count = 0;
  shape->parts = NULL;
  shape->twins = NULL;
  shape->sdf = NULL;
  enum dc_status status = check_options(shape->type, shape->options, error);
  if (!status && shape->type->unite) {
    status = shape->type->unite(shape, count, shapes, arena, error);
    if (!status)
      status = dc_mesh_validate(&shape->mesh, error);
  } else if (!status) {
    status = build_alone(shape, arena, error);
  }
  if (!status && dc_shape_has_surface(shape))
    dc_mesh_mass_properties(&shape->mesh, &shape->properties);
  if (!status)
    status = dc_shape_make_leaves(shape, shapes, arena, error);
  if (status)
    dc_error_prefix(error, "shape \"%s\"", shape->name);
  return status;
}

// A shape that needs no others.
enum dc_status dc_shape_build(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error)
{
  return dc_shape_unite(shape, 0, NULL, arena, error);
}
