// SPDX-License-Identifier: Apache-2.0
// Mesh: a closed triangle surface from a file.
#include <math.h>
#include <stddef.h>

#include "geometry/mesh/mesh_decimate.h"
#include "geometry/mesh/mesh_groups.h"
#include "geometry/mesh/mesh_simplify.h"
#include "geometry/shapes/shape_types.h"

static const long fewest_triangles = 4;  // of a closed surface

static const struct dc_option mesh_option_table[] = {
    {.name = "file",
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
    DC_VECTOR_OPTION(struct dc_mesh_shape_options, scales, "", "null", 1e9,
                     "further factors along x, y and z; negative ones mirror"),
    {.name = "triangles",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "0",
     .maximum = DC_MESH_TRIANGLES_MAX,
     .help = "simplify to at most so many, 4 at least; 0: keep all",
     .offset = offsetof(struct dc_mesh_shape_options, triangles)},
    {.name = "convex",
     .type = DC_BOOLEAN,
     .unit = "",
     .fallback = "false",
     .help = "convex hulls: of each of the file's groups, or of all",
     .offset = offsetof(struct dc_mesh_shape_options, convex)},
    {.name = "hull_points",
     .type = DC_INTEGER,
     .unit = "",
     .fallback = "0",
     .maximum = 100000,
     .help = "at most so many corners of each convex hull, 8 at least; 0: all",
     .offset = offsetof(struct dc_mesh_shape_options, hull_points)},
    {.name = "longest_edge",
     .type = DC_REAL,
     .unit = "m",
     .fallback = "0",
     .maximum = 1e9,
     .help = "triangles with longer edges are split; 0: none",
     .offset = offsetof(struct dc_mesh_shape_options, longest_edge)},
    DC_OPTIONS_END};

// A mirror image is turned inside out: its triangles go round the other way.
static enum dc_status scale_mesh(const struct dc_mesh_shape_options *file, struct dc_mesh *mesh, struct dc_error *error)
{
  double scales[3] = {file->scale, file->scale, file->scale};
  bool mirrored = false;
  for (int axis = 0; axis < 3 && !isnan(file->scales[0]); axis++) {
    if (file->scales[axis] == 0)
      return dc_fail(error, DC_BAD_INPUT, "scales[%d]: must not be 0", axis);
    scales[axis] *= file->scales[axis];
    mirrored ^= scales[axis] < 0;
  }
  for (int v = 0; v < mesh->vertex_count; v++)
    for (int axis = 0; axis < 3; axis++)
      mesh->vertices[v][axis] *= scales[axis];
  for (int t = 0; mirrored && t < mesh->triangle_count; t++) {
    int second = mesh->triangles[t][1];
    mesh->triangles[t][1] = mesh->triangles[t][2];
    mesh->triangles[t][2] = second;
  }
  return DC_OK;
}

static enum dc_status build_mesh(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  const struct dc_mesh_shape_options *file = options;
  if (file->triangles > 0 && file->triangles < fewest_triangles)
    return dc_fail(error, DC_BAD_INPUT, "triangles: must be 0 (all) or at least %ld (is %ld)", fewest_triangles,
                   file->triangles);
  if (file->triangles > 0 && file->convex)
    return dc_fail(error, DC_BAD_INPUT, "triangles: convex hulls cannot be simplified (remove it or \"convex\")");
  if (file->hull_points > 0 && (file->hull_points < 8 || !file->convex))
    return dc_fail(error, DC_BAD_INPUT, "hull_points: must be 0 (all) or at least 8, with \"convex\" (is %ld)",
                   file->hull_points);
  enum dc_status status = dc_mesh_read(file->file, arena, mesh, error);
  if (!status)
    status = scale_mesh(file, mesh, error);
  if (!status && file->convex && (status = dc_mesh_hulls(mesh, (int)file->hull_points, arena, mesh, error)))
    dc_error_prefix(error, "%.700s", file->file);
  if (!status && file->triangles > 0 && mesh->triangle_count > file->triangles &&
      !(status = dc_mesh_validate(mesh, error)))
    status = dc_mesh_decimate(mesh, (int)file->triangles, arena, mesh, error);
  if (status || !(file->longest_edge > 0))
    return status;
  // what is no surface is told as it stands
  return dc_mesh_validate(mesh, error) ? error->status : dc_mesh_split_edges(mesh, file->longest_edge, arena, error);
}

const struct dc_shape_type dc_shape_mesh = {
    .name = "mesh",
    .summary = "closed triangle surface from an OBJ or STL file",
    .options = mesh_option_table,
    .options_size = sizeof(struct dc_mesh_shape_options),
    .build = build_mesh,
};
