// SPDX-License-Identifier: Apache-2.0
// Mesh: a closed triangle surface from a file.
#include <stddef.h>

#include "geometry/shape_types.h"
#include "math/vector.h"

static const struct dc_option mesh_option_table[] = {{.name = "file",
                                                      .type = DC_STRING,
                                                      .unit = "",
                                                      .help = "OBJ or STL file, relative to the scene file",
                                                      .offset = offsetof(struct dc_mesh_shape_options, file)},
                                                     {.name = "scale",
                                                      .type = DC_REAL,
                                                      .unit = "",
                                                      .fallback = "1",
                                                      .maximum = 1e9,
                                                      .minimum_excluded = true,
                                                      .help = "factor from the file's unit to metres",
                                                      .offset = offsetof(struct dc_mesh_shape_options, scale)},
                                                     DC_OPTIONS_END};

static enum dc_status build_mesh(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  const struct dc_mesh_shape_options *file = options;
  enum dc_status status = dc_mesh_read(file->file, arena, mesh, error);
  for (int v = 0; !status && v < mesh->vertex_count; v++)
    dc_vec_scale(mesh->vertices[v], mesh->vertices[v], file->scale);
  return status;
}

const struct dc_shape_type dc_shape_mesh = {
    .name = "mesh",
    .summary = "closed triangle surface from an OBJ or STL file",
    .options = mesh_option_table,
    .options_size = sizeof(struct dc_mesh_shape_options),
    .build = build_mesh,
};
