// SPDX-License-Identifier: Apache-2.0
// Collision geometry and visuals of links as shapes of a scene's tree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/shapes/shape_options.h"
#include "io/robot/urdf_build.h"
#include "io/scene/scene_format.h"

// A new entry of "shapes".
static enum dc_status add_shape(struct dc_urdf_builder *builder, const char *name, size_t offset, cJSON **shape,
                                int *place)
{
  const struct dc_urdf *urdf = builder->urdf;
  char quoted[DC_JSON_QUOTED];
  if (++builder->shape_count > DC_SCENE_MOST_SHAPES)
    return dc_urdf_fail(urdf, offset, builder->error, DC_BAD_INPUT, "the scene has more than %d shapes",
                        DC_SCENE_MOST_SHAPES);
  if (cJSON_GetObjectItemCaseSensitive(builder->shapes, name))
    return dc_urdf_fail(urdf, offset, builder->error, DC_BAD_INPUT,
                        "the scene has a shape %s already (\"prefix\" of \"include\" changes names)",
                        dc_json_quote(quoted, name));
  *place = dc_urdf_add_place(builder, offset);
  *shape = dc_urdf_put(builder, builder->shapes, name, cJSON_CreateObject(), *place);
  return DC_OK;
}

// One factor where all are the same and positive, three otherwise; negative ones mirror.
static void put_scale(struct dc_urdf_builder *builder, cJSON *shape, const double *scale, int place)
{
  if (scale[0] != scale[1] || scale[1] != scale[2] || scale[0] < 0)
    dc_urdf_put_numbers(builder, shape, "scales", scale, 3, place);
  else if (scale[0] != 1)
    dc_urdf_put_number(builder, shape, "scale", scale[0], place);
}

// The hull of a collision mesh, with the include's limits of points and lengths of edges.
static void put_hull(struct dc_urdf_builder *builder, cJSON *shape, bool scenery, int place)
{
  dc_urdf_put(builder, shape, "convex", cJSON_CreateTrue(), place);
  if (builder->use->hull_points)
    dc_urdf_put_number(builder, shape, "hull_points", (double)builder->use->hull_points, place);
  if (builder->use->longest_edge > 0 && !(scenery && builder->use->usual_edge))
    dc_urdf_put_number(builder, shape, "longest_edge", builder->use->longest_edge, place);
}

// The sides of a long cylinder are long triangles, whose bounding spheres say as little about distances as those of a
// hull's long triangles.
static void put_rings(struct dc_urdf_builder *builder, cJSON *shape, double length, int place)
{
  double edge = builder->use->longest_edge;
  if (edge > 0 && length > edge)
    dc_urdf_put_number(builder, shape, "rings", fmin(ceil(length / edge), DC_STEPS_MOST), place);
}

// The hull of points of a spiral by the golden angle, which is the same each time.
static void put_ellipsoid(struct dc_urdf_builder *builder, cJSON *shape, const double *half, int place)
{
  enum { POINTS = 128 };
  double list[3 * POINTS];
  for (int i = 0; i < POINTS; i++) {
    double z = 1 - (2 * i + 1.0) / POINTS, r = sqrt(1 - z * z), angle = i * M_PI * (3 - sqrt(5));
    list[3 * i] = half[0] * r * cos(angle);
    list[3 * i + 1] = half[1] * r * sin(angle);
    list[3 * i + 2] = half[2] * z;
  }
  cJSON *parts = dc_urdf_put(builder, shape, "parts", cJSON_CreateArray(), place);
  cJSON *part = dc_urdf_put(builder, parts, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_numbers(builder, part, "vertices", list, 3 * POINTS, place);
}

// One geometry as a shape.  The types' names are in the order of their enum; an ellipsoid is a hull.
static enum dc_status add_geometry(struct dc_urdf_builder *builder, const char *name, int index)
{
  static const char *const types[] = {"box", "cylinder", "capsule", "sphere", "mesh", "hulls", "plane"};
  const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[index];
  cJSON *shape = NULL;
  int place = 0;
  enum dc_status status = add_shape(builder, name, geometry->offset, &shape, &place);
  if (status)
    return status;
  dc_urdf_put_string(builder, shape, "type", types[geometry->type], place);
  switch (geometry->type) {
  case DC_URDF_BOX: dc_urdf_put_numbers(builder, shape, "size", geometry->size, 3, place); break;
  case DC_URDF_CYLINDER:
  case DC_URDF_CAPSULE:
    dc_urdf_put_number(builder, shape, "radius", geometry->radius, place);
    dc_urdf_put_number(builder, shape, "height", geometry->length, place);
    if (geometry->type == DC_URDF_CYLINDER && !geometry->visual)
      put_rings(builder, shape, geometry->length, place);
    break;
  case DC_URDF_SPHERE: dc_urdf_put_number(builder, shape, "radius", geometry->radius, place); break;
  case DC_URDF_ELLIPSOID: put_ellipsoid(builder, shape, geometry->size, place); break;
  case DC_URDF_PLANE: break;
  case DC_URDF_MESH:
    dc_urdf_put_string(builder, shape, "file", builder->use->files[index], place);
    put_scale(builder, shape, geometry->scale, place);
    if (builder->use->convex && !geometry->visual)
      put_hull(builder, shape, geometry->scenery, place);
    break;
  }
  if (builder->use->surface && geometry->type != DC_URDF_PLANE)
    dc_urdf_put_string(builder, shape, "surface", builder->use->surface, place);
  return DC_OK;
}

// The shape called name of count geometries in the frame of their link: the only one if it stands in that frame, else
// a compound of shapes with numbered names.
static enum dc_status add_geometries(struct dc_urdf_builder *builder, const char *name, const int *indices, int count)
{
  const struct dc_urdf_geometry *first = &builder->urdf->geometries[indices[0]];
  if (count == 1 && dc_urdf_is_still(&first->origin))
    return add_geometry(builder, name, indices[0]);
  cJSON *shape = NULL, *parts;
  int place = 0;
  enum dc_status status = DC_OK;
  const char **names = dc_arena_alloc(builder->urdf->arena, (size_t)count, sizeof *names);
  if (!names)
    return dc_out_of_memory_in(builder->error, builder->urdf->name);
  for (int i = 0; i < count && !status; i++) {
    names[i] = dc_arena_printf(builder->urdf->arena, "%s:%d", name, i + 1);
    status = names[i] ? add_geometry(builder, names[i], indices[i])
                      : dc_out_of_memory_in(builder->error, builder->urdf->name);
  }
  if (status || (status = add_shape(builder, name, first->offset, &shape, &place)))
    return status;
  dc_urdf_put_string(builder, shape, "type", "compound", place);
  parts = dc_urdf_put(builder, shape, "parts", cJSON_CreateArray(), place);
  for (int i = 0; i < count; i++) {
    const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[indices[i]];
    place = dc_urdf_add_place(builder, geometry->offset);
    cJSON *part = dc_urdf_put(builder, parts, NULL, cJSON_CreateObject(), place);
    dc_urdf_put_string(builder, part, "shape", names[i], place);
    dc_urdf_put_pose(builder, part, &geometry->origin, place);
  }
  return DC_OK;
}

// Collisions or visuals of a link; their number.
static int gather(const struct dc_urdf_builder *builder, const struct dc_urdf_link *link, bool visual, int *indices)
{
  int count = 0;
  for (int i = link->first_geometry; i < link->first_geometry + link->geometries; i++)
    if (builder->urdf->geometries[i].visual == visual)
      indices[count++] = i;
  return count;
}

// Whether a visual shows just what a collision is.  A mesh that collides as its hull looks different from the
// mesh itself.
static bool looks_same(const struct dc_urdf_builder *builder, int a, int b)
{
  const struct dc_urdf_geometry *first = &builder->urdf->geometries[a], *second = &builder->urdf->geometries[b];
  const char *file = builder->use->files[a], *other = builder->use->files[b];
  if (first->type != second->type || memcmp(&first->origin, &second->origin, sizeof first->origin) != 0)
    return false;
  if (first->type == DC_URDF_MESH)
    return !builder->use->convex && file && other && strcmp(file, other) == 0 &&
           memcmp(first->scale, second->scale, sizeof first->scale) == 0;
  return memcmp(first->size, second->size, sizeof first->size) == 0 && first->radius == second->radius &&
         first->length == second->length;
}

// Visuals are shapes of their own when all can be read and they are not what the body is made of anyway.
static bool are_shown(struct dc_urdf_builder *builder, const int *visuals, int visual_count, const int *collisions,
                      int collision_count)
{
  bool same = visual_count == collision_count;
  for (int i = 0; i < visual_count; i++) {
    const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[visuals[i]];
    if (geometry->type == DC_URDF_MESH && !builder->use->files[visuals[i]]) {
      builder->skipped += visual_count;
      return false;
    }
  }
  for (int i = 0; i < visual_count && same; i++)
    same = looks_same(builder, visuals[i], collisions[i]);
  return visual_count > 0 && !same;
}

// "shape" of the collisions and "visual" of the visuals of a link, as far as there are any.
enum dc_status dc_urdf_put_shapes(struct dc_urdf_builder *builder, cJSON *body, const struct dc_urdf_link *link,
                                  int place)
{
  int *collisions = dc_alloc(2 * (size_t)link->geometries + 1, sizeof *collisions);
  if (!collisions)
    return dc_out_of_memory_in(builder->error, builder->urdf->name);
  int *visuals = collisions + link->geometries;
  int collision_count = gather(builder, link, false, collisions), visual_count = gather(builder, link, true, visuals);
  enum dc_status status = DC_OK;
  if (collision_count) {
    const char *name = dc_urdf_named(builder, link->name, "");
    status = add_geometries(builder, name, collisions, collision_count);
    dc_urdf_put_string(builder, body, "shape", name, place);
  }
  if (!status && are_shown(builder, visuals, visual_count, collisions, collision_count)) {
    const char *name = dc_urdf_named(builder, link->name, ":visual");
    status = add_geometries(builder, name, visuals, visual_count);
    dc_urdf_put_string(builder, body, "visual", name, place);
  }
  free(collisions);
  return status;
}
