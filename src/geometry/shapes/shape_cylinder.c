// SPDX-License-Identifier: Apache-2.0
// Cylinder about the z axis: a prism over a regular polygon, caps as fans about their centres.

#include "geometry/shapes/shape_options.h"
#include "geometry/shapes/shape_surface.h"

struct cylinder_options {
  double radius, height;
  long sides, rings;
  int surface;
};

static const struct dc_option cylinder_option_table[] = {
    DC_LENGTH_OPTION(struct cylinder_options, radius, "distance of the vertices from the axis"),
    DC_LENGTH_OPTION(struct cylinder_options, height, "length along z, centred on the origin"),
    DC_STEPS_OPTION(struct cylinder_options, sides, "24", 3, "sides of the polygon"),
    DC_STEPS_OPTION(struct cylinder_options, rings, "1", 1, "divisions along the height"),
    DC_SURFACE_OPTION(struct cylinder_options),
    DC_OPTIONS_END};

// Circles of vertices from bottom to top, with bands between them and a fan on each end.
static enum dc_status build_cylinder(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                     struct dc_error *error)
{
  const struct cylinder_options *cylinder = options;
  int sides = (int)cylinder->sides, rings = (int)cylinder->rings;
  enum dc_status status = dc_surface_create(mesh, arena, (size_t)sides * ((size_t)rings + 1) + 2,
                                            2 * (size_t)sides * ((size_t)rings + 1), error);
  if (status)
    return status;
  int bottom = dc_surface_add_vertex(mesh, 0, 0, -0.5 * cylinder->height), circle = 0;
  for (int k = 0; k <= rings; k++) {
    double z = cylinder->height * ((2 * k - rings) / (2.0 * rings));
    circle = dc_surface_add_circle(mesh, cylinder->radius, z, sides);
    if (k > 0)
      dc_surface_add_band(mesh, circle - sides, circle, sides, k);
  }
  int top = dc_surface_add_vertex(mesh, 0, 0, 0.5 * cylinder->height);
  for (int i = 0; i < sides; i++) {
    int next = (i + 1) % sides;
    dc_surface_add_triangle(mesh, bottom, bottom + 1 + next, bottom + 1 + i);
    dc_surface_add_triangle(mesh, top, circle + i, circle + next);
  }
  return DC_OK;
}

const struct dc_shape_type dc_shape_cylinder = {
    .name = "cylinder",
    .summary = "cylinder about the z axis, centred on the origin",
    .options = cylinder_option_table,
    .options_size = sizeof(struct cylinder_options),
    .build = build_cylinder,
};
