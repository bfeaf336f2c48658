// SPDX-License-Identifier: Apache-2.0
// Finer meshes for pictures, of shapes whose mesh is an approximation of a sphere or capsule.
#include "geometry/shapes/shape_smooth.h"

#include <string.h>

#include "geometry/shapes/shape_types.h"

// Whether the mesh is, bit for bit, the one that its type makes from its options.
static enum dc_status is_as_made(const struct dc_shape *shape, struct dc_arena *arena, bool *same,
                                 struct dc_error *error)
{
  struct dc_mesh made;
  enum dc_status status = shape->type->build(shape->options, arena, &made, error);
  *same = !status && made.vertex_count == shape->mesh.vertex_count &&
          memcmp(made.vertices, shape->mesh.vertices, (size_t)made.vertex_count * sizeof *made.vertices) == 0;
  return status;
}

// The mesh for pictures: spheres and capsules are made with more triangles, unless their mesh was changed.
enum dc_status dc_shape_smooth_mesh(const struct dc_shape *shape, struct dc_arena *arena, struct dc_mesh *mesh,
                                    struct dc_error *error)
{
  bool sphere = shape->type == &dc_shape_sphere, capsule = shape->type == &dc_shape_capsule, same = false;
  *mesh = shape->mesh;
  if (!sphere && !capsule)
    return DC_OK;
  void *finer = dc_arena_alloc(arena, 1, shape->type->options_size);
  if (!finer)
    return dc_out_of_memory_for(error, "the look of %s", shape->name);
  enum dc_status status = is_as_made(shape, arena, &same, error);
  if (status || !same)
    return status;
  memcpy(finer, shape->options, shape->type->options_size);
  if (sphere)
    dc_sphere_refine(finer);
  else
    dc_capsule_refine(finer);
  return shape->type->build(finer, arena, mesh, error);
}
