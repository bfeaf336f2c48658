// SPDX-License-Identifier: Apache-2.0
// From shapes to signed distances, and from a signed distance to the mesh of a shape.
#include "geometry/mesh/mesh_groups.h"
#include "geometry/shapes/shape_types.h"

// The signed distance of a shape: its own, a half-space, or the smooth union of its convex parts.
enum dc_status dc_shape_sdf(const struct dc_shape *shape, double smoothing, struct dc_arena *arena,
                            const struct dc_sdf **sdf, struct dc_error *error)
{
  struct dc_sdf *made = NULL;
  if ((*sdf = shape->sdf))
    return DC_OK;
  if (shape->type->half_space) {
    *sdf = dc_sdf_make_half_space(arena);
    return *sdf ? DC_OK : dc_out_of_memory_for(error, "a half-space");
  }
  if (shape->part_count < 1)
    return dc_fail(error, DC_BAD_INPUT,
                   "shape \"%s\" has no signed distance: it is not known to be a union of convex parts (give it as "
                   "\"superquadrics\", \"points\", \"hulls\", or a mesh with \"convex\")",
                   shape->name);
  if (shape->part_count > DC_SDF_CHILDREN_MOST)
    return dc_fail(error, DC_BAD_INPUT, "shape \"%s\" has %d convex parts, a signed distance is made of at most %d",
                   shape->name, shape->part_count, DC_SDF_CHILDREN_MOST);
  if (shape->part_count > 1 && !(made = dc_sdf_make(&dc_sdf_union, 1, shape->part_count, arena)))
    return dc_out_of_memory_for(error, "a union");
  if (made)
    made->numbers[0] = smoothing;
  for (int i = 0; i < shape->part_count; i++) {
    struct dc_sdf *part;
    enum dc_status status = dc_sdf_from_mesh(&shape->parts[i], smoothing, arena, &part, error);
    if (status) {
      dc_error_prefix(error, "shape \"%s\"", shape->name);
      return status;
    }
    if (!made)
      *sdf = part;
    else
      made->children[i] = *part;
  }
  if (made)
    *sdf = made;
  return DC_OK;
}

enum dc_status dc_shape_mesh_sdf(struct dc_shape *shape, long cells, long triangles, double inset,
                                 struct dc_arena *arena, struct dc_error *error)
{
  enum dc_status status = dc_sdf_mesh(shape->sdf, (int)cells, (int)triangles, inset, arena, &shape->mesh, error);
  if (!status)
    status = dc_mesh_validate(&shape->mesh, error);
  return status ? status : dc_mesh_convex_parts(&shape->mesh, arena, &shape->part_count, &shape->parts, error);
}
