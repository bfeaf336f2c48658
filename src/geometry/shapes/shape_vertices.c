// SPDX-License-Identifier: Apache-2.0
// Shapes whose vertices move: mass and surface are those that contact sees, the hulls of the parts, made anew, or the
// same triangles with their corners elsewhere (docs/theory.md, "Shapes as parameters").
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/shapes/constants.h"
#include "geometry/shapes/shape_types.h"

// Vertices are counted part by part: those that two parts have in one place count twice.
int dc_shape_vertex_count(const struct dc_shape *shape)
{
  int count = 0;
  for (int i = 0; i < shape->part_count; i++)
    count += shape->parts[i].vertex_count;
  return count;
}

// In the order of dc_shape_vertex_count, by which designs and followers number vertices.
void dc_shape_vertices(const struct dc_shape *shape, double (*vertices)[3])
{
  for (int i = 0; i < shape->part_count; i++) {
    size_t count = (size_t)shape->parts[i].vertex_count;
    memcpy(vertices, shape->parts[i].vertices, count * sizeof *vertices);
    vertices += count;
  }
}

// Signed volume of a part, m^3.
static double volume_of(const struct dc_mesh *mesh)
{
  struct dc_mass_properties properties;
  dc_mesh_mass_properties(mesh, &properties);
  return properties.volume;
}

// A design that flattens a part would make a body without inertia or a hull that cannot be made.
static enum dc_status check_volumes(const struct dc_shape *shape, const struct dc_shape *moved, struct dc_error *error)
{
  for (int i = 0; i < shape->part_count; i++)
    if (!(volume_of(&moved->parts[i]) >= DC_PART_LEAST_VOLUME * volume_of(&shape->parts[i])))
      return dc_fail(error, DC_INFEASIBLE, "shape \"%s\": part %d has less than %g of its volume at the start",
                     shape->name, i + 1, DC_PART_LEAST_VOLUME);
  return DC_OK;
}

// Whatever the shape was, its vertices are all that describes what it has become.
static enum dc_status become_hulls(struct dc_shape *shape, struct dc_arena *arena, struct dc_error *error)
{
  struct dc_hulls_options *options = dc_arena_alloc(arena, 1, sizeof *options);
  struct dc_hulls_part *parts = dc_arena_alloc(arena, (size_t)shape->part_count, sizeof *parts);
  if (!options || !parts)
    return dc_out_of_memory_for(error, "shape \"%s\"", shape->name);
  for (int i = 0; i < shape->part_count; i++)
    parts[i].vertices = (struct dc_real_list){3 * shape->parts[i].vertex_count, shape->parts[i].vertices[0]};
  options->parts = (struct dc_object_list){.count = shape->part_count, .objects = parts};
  shape->type = &dc_shape_hulls;
  shape->options = options;
  shape->sdf = NULL;
  return DC_OK;
}

// The shape whose convex parts are the hulls of the vertices given; DC_INFEASIBLE when a part has no hull or too little
// volume.
enum dc_status dc_shape_with_vertices(const struct dc_shape *shape, const double (*vertices)[3], struct dc_arena *arena,
                                      struct dc_shape *result, struct dc_error *error)
{
  int count = shape->part_count;
  struct dc_error why = {0};
  struct dc_mesh *given = dc_arena_alloc(arena, (size_t)count, sizeof *given);
  *result = *shape;
  if (!given)
    return dc_out_of_memory_for(error, "shape \"%s\"", shape->name);
  for (int i = 0; i < count; vertices += shape->parts[i++].vertex_count)
    given[i] = (struct dc_mesh){.vertex_count = shape->parts[i].vertex_count, .vertices = (double(*)[3])vertices};
  enum dc_status status = dc_shape_set_hulls(result, count, given, arena, &why);
  if (status)
    return dc_fail(error, status == DC_MEMORY ? DC_MEMORY : DC_INFEASIBLE, "shape \"%s\", %s", shape->name, why.text);
  status = become_hulls(result, arena, error);
  return status ? status : check_volumes(shape, result, error);
}

// indices [vertex_count of the mesh]: the mesh's vertices among those of the parts, part by part.  A hull keeps bits
// and order of the vertices it takes, so that one pass finds them.  False: the surface is not that of the parts.
bool dc_shape_mesh_vertices(const struct dc_shape *shape, int *indices)
{
  const struct dc_mesh *mesh = &shape->mesh;
  int v = 0, vertex = 0;
  for (int p = 0; p < shape->part_count; p++)
    for (int i = 0; i < shape->parts[p].vertex_count; i++, vertex++)
      if (v < mesh->vertex_count &&
          memcmp(mesh->vertices[v], shape->parts[p].vertices[i], sizeof mesh->vertices[v]) == 0)
        indices[v++] = vertex;
  return v == mesh->vertex_count;
}

// The surface with its vertices where those of the parts are now; mass and inertia follow.
static enum dc_status move_mesh(const struct dc_shape *shape, const double (*vertices)[3], struct dc_arena *arena,
                                struct dc_shape *result, struct dc_error *error)
{
  size_t count = (size_t)shape->mesh.vertex_count;
  int *indices = dc_arena_alloc(arena, count, sizeof *indices);
  double(*moved)[3] = dc_arena_alloc(arena, count, sizeof *moved);
  if (!indices || !moved)
    return dc_out_of_memory_for(error, "shape \"%s\"", shape->name);
  if (!dc_shape_mesh_vertices(shape, indices))
    return dc_fail(error, DC_BAD_INPUT, "shape \"%s\" has a surface that is not that of its parts", shape->name);
  for (size_t v = 0; v < count; v++)
    memcpy(moved[v], vertices[indices[v]], sizeof *moved);
  result->mesh.vertices = moved;
  dc_mesh_mass_properties(&result->mesh, &result->properties);
  return DC_OK;
}

// The shape with its vertices moved and its triangles kept.
enum dc_status dc_shape_move_surface(const struct dc_shape *shape, const double (*vertices)[3], struct dc_arena *arena,
                                     struct dc_shape *result, struct dc_error *error)
{
  size_t all = (size_t)dc_shape_vertex_count(shape);
  struct dc_mesh *parts = dc_arena_alloc(arena, (size_t)shape->part_count, sizeof *parts);
  double(*moved)[3] = dc_arena_alloc(arena, all, sizeof *moved);
  *result = *shape;
  if (!parts || !moved)
    return dc_out_of_memory_for(error, "shape \"%s\"", shape->name);
  memcpy(moved, vertices, all * sizeof *moved);
  for (int i = 0; i < shape->part_count; i++) {
    parts[i] = shape->parts[i];
    parts[i].vertices = moved;
    moved += parts[i].vertex_count;
  }
  result->parts = parts;
  enum dc_status status = become_hulls(result, arena, error);
  if (!status)
    status = check_volumes(shape, result, error);
  return status ? status : move_mesh(shape, vertices, arena, result, error);
}
