// SPDX-License-Identifier: Apache-2.0
// Mesh: a closed triangle surface from a file.
#include <math.h>
#include <stddef.h>

#include "geometry/mesh/mesh_decimate.h"
#include "geometry/mesh/mesh_grid.h"
#include "geometry/mesh/mesh_groups.h"
#include "geometry/mesh/mesh_simplify.h"
#include "geometry/shapes/constants.h"
#include "geometry/shapes/shape_options.h"

static const struct dc_option mesh_option_table[] = {
    DC_STRING_OPTION(struct dc_mesh_shape_options, file, NULL, "OBJ, STL or VTK file, relative to the scene file"),
    DC_POSITIVE_OPTION(struct dc_mesh_shape_options, scale, "", "1", 1e9, "factor from the file's unit to metres"),
    DC_VECTOR_OPTION(struct dc_mesh_shape_options, scales, "", "null", 1e9,
                     "further factors along x, y and z; negative ones mirror"),
    DC_INTEGER_OPTION(struct dc_mesh_shape_options, triangles, "0", 0, DC_MESH_TRIANGLES_MAX,
                      "simplify to at most so many, 4 at least; 0: keep all"),
    DC_BOOLEAN_OPTION(struct dc_mesh_shape_options, convex, "false",
                      "convex hulls: of each of the file's groups, or of all"),
    DC_INTEGER_OPTION(struct dc_mesh_shape_options, hull_points, "0", 0, 100000,
                      "at most so many corners of each convex hull, 8 at least; 0: all"),
    DC_REAL_OPTION(struct dc_mesh_shape_options, longest_edge, "m", "0", 0, 1e9,
                   "triangles with longer edges are split; 0: none"),
    DC_SURFACE_OPTION(struct dc_mesh_shape_options),
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

// Splitting to edges that are far shorter than the mesh takes minutes and gigabytes; mostly its unit is another one.
static enum dc_status check_edges(const struct dc_mesh_shape_options *file, const struct dc_mesh *mesh,
                                  struct dc_error *error)
{
  const double most = 500000;
  double area = 0, normal[3];
  for (int t = 0; t < mesh->triangle_count; t++) {
    dc_mesh_normal(mesh, t, normal);
    area += 0.5 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  }
  double count = area / (sqrt(3) / 4 * file->longest_edge * file->longest_edge);
  if (!(count > most))
    return DC_OK;
  return dc_fail(
      error, DC_BAD_INPUT,
      "%.700s: is %.3g m in size, and with a longest_edge of %g m it would have %.2g triangles: if its unit is "
      "the millimetre, \"scale\": 0.001 (in a robot's file scale=\"0.001 0.001 0.001\"); else give another "
      "\"longest_edge\", 0 for none",
      file->file, dc_mesh_size(mesh), file->longest_edge, count);
}

// Reads a mesh file: scale, then hulls or simplification if asked for, then splitting of long edges.
static enum dc_status build_mesh(const void *options, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  const struct dc_mesh_shape_options *file = options;
  if (file->triangles > 0 && file->triangles < DC_FEWEST_TRIANGLES)
    return dc_fail(error, DC_BAD_INPUT, "triangles: must be 0 (all) or at least %ld (is %ld)", DC_FEWEST_TRIANGLES,
                   file->triangles);
  if (file->triangles > 0 && file->convex)
    return dc_fail(error, DC_BAD_INPUT, "triangles: convex hulls cannot be simplified (remove it or \"convex\")");
  if (file->hull_points > 0 && (file->hull_points < 8 || !file->convex))
    return dc_fail(error, DC_BAD_INPUT, "hull_points: must be 0 (all) or at least 8, with \"convex\" (is %ld)",
                   file->hull_points);
  enum dc_status status = dc_mesh_is_grid(file->file) ? dc_mesh_read_grid(file->file, arena, mesh, error)
                                                      : dc_mesh_read(file->file, arena, mesh, error);
  if (!status && mesh->fault && !file->convex)
    status =
        dc_fail(error, DC_BAD_INPUT, "%.700s%s: cut it into triangles, or use \"convex\"", file->file, mesh->fault);
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
  if ((status = dc_mesh_validate(mesh, error)) || (status = check_edges(file, mesh, error)))
    return status;
  return dc_mesh_split_edges(mesh, file->longest_edge, arena, error);
}

const struct dc_shape_type dc_shape_mesh = {
    .name = "mesh",
    .summary = "closed triangle surface from an OBJ, STL or VTK file",
    .options = mesh_option_table,
    .options_size = sizeof(struct dc_mesh_shape_options),
    .build = build_mesh,
};
