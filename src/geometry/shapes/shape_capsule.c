// SPDX-License-Identifier: Apache-2.0
// Capsule about the z axis: a cylinder between two half spheres of circles of latitude.

#include "geometry/shapes/shape_options.h"
#include "geometry/shapes/shape_surface.h"

struct capsule_options {
  double radius, height;
  long sides, rings;
  int surface;
};

static const struct dc_option capsule_option_table[] = {
    DC_LENGTH_OPTION(struct capsule_options, radius, "radius of the cylinder and of the half spheres"),
    DC_LENGTH_OPTION(struct capsule_options, height, "length of the cylindrical part along z, centred on the origin"),
    DC_STEPS_OPTION(struct capsule_options, sides, "24", 3, "vertices of each circle of latitude"),
    DC_STEPS_OPTION(struct capsule_options, rings, "6", 1, "bands of latitude of each half sphere"),
    DC_SURFACE_OPTION(struct capsule_options),
    DC_OPTIONS_END};

// Circles of vertices from pole to pole, with bands of triangles between them and a fan at each pole.
static enum dc_status build_capsule(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                    struct dc_error *error)
{
  const struct capsule_options *capsule = options;
  int sides = (int)capsule->sides, rings = (int)capsule->rings;
  double radius = capsule->radius, half = 0.5 * capsule->height;
  enum dc_status status =
      dc_surface_create(mesh, arena, 2 * (size_t)sides * (size_t)rings + 2, 4 * (size_t)sides * (size_t)rings, error);
  if (status)
    return status;
  int bottom = dc_surface_add_vertex(mesh, 0, 0, -half - radius), circle = 0;
  for (int k = 1; k <= 2 * rings; k++) {
    // From the south pole to one equator, from the other to the north pole.
    int from_pole = k <= rings ? k : 2 * rings + 1 - k;
    double latitude[2], sign = k <= rings ? -1 : 1;
    dc_surface_circle(latitude, from_pole, 4 * rings);
    circle = dc_surface_add_circle(mesh, radius * latitude[1], sign * (half + radius * latitude[0]), sides);
    if (k > 1)
      dc_surface_add_band(mesh, circle - sides, circle, sides, k);
  }
  int top = dc_surface_add_vertex(mesh, 0, 0, half + radius);
  for (int i = 0; i < sides; i++) {
    int next = (i + 1) % sides;
    dc_surface_add_triangle(mesh, bottom, bottom + 1 + next, bottom + 1 + i);
    dc_surface_add_triangle(mesh, top, circle + i, circle + next);
  }
  return DC_OK;
}

// More vertices, for pictures.
void dc_capsule_refine(void *options)
{
  enum { SIDES = 48, RINGS = 12 };
  struct capsule_options *capsule = options;
  capsule->sides = capsule->sides < SIDES ? SIDES : capsule->sides;
  capsule->rings = capsule->rings < RINGS ? RINGS : capsule->rings;
}

const struct dc_shape_type dc_shape_capsule = {
    .name = "capsule",
    .summary = "capsule about the z axis, centred on the origin: a cylinder with half spheres at its ends",
    .options = capsule_option_table,
    .options_size = sizeof(struct capsule_options),
    .build = build_capsule,
};
