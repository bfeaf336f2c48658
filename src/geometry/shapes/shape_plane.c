// SPDX-License-Identifier: Apache-2.0
// Plane: the half-space z <= 0.
#include "geometry/shapes/shape_types.h"

static const struct dc_option plane_option_table[] = {DC_OPTIONS_END};

static enum dc_status build_plane(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                  struct dc_error *error)
{
  (void)options, (void)arena, (void)error;
  *mesh = (struct dc_mesh){0};
  return DC_OK;
}

const struct dc_shape_type dc_shape_plane = {
    .name = "plane",
    .summary = "half-space z <= 0, for fixed bodies",
    .options = plane_option_table,
    .options_size = 0,
    .half_space = true,
    .build = build_plane,
};
