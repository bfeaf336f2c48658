// SPDX-License-Identifier: Apache-2.0
// Geometry of an MJCF model as shapes.
//
// MuJoCo touches convex hulls.  A body of spheres, capsules, cylinders and boxes only is one of them or a compound of
// them; as soon as there is a mesh or an ellipsoid, it is the union of hulls of points.
//
// A side is all geometry of a body that touches the same others, by the filters of the file.  The first side of a
// body is its own shape; every further one, and every plane or height field, becomes a body of its own that is fixed
// to it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/convex/hull.h"
#include "geometry/mesh/mesh_simplify.h"
#include "io/robot/mjcf_build.h"
#include "io/scene/scene_format.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { ROUND_POINTS = 128, LAST_VISIBLE_GROUP = 2 };

static const struct dc_mjcf_geom *geom_at(const struct dc_mjcf_builder *builder, int geom)
{
  return &builder->mjcf->geoms[geom];
}

// MuJoCo's viewer does the same: groups 3 and above, mostly doubles for contact, are off at its start.
static bool is_shown(const struct dc_mjcf_builder *builder, int geom)
{
  return geom_at(builder, geom)->group <= LAST_VISIBLE_GROUP && geom_at(builder, geom)->rgba[3] > 0;
}

// In the frame of its carrier.
static struct dc_urdf_pose geom_pose(const struct dc_mjcf_builder *builder, int geom)
{
  struct dc_urdf_pose pose = geom_at(builder, geom)->pose;
  int body = geom_at(builder, geom)->body;
  if (builder->links[body].body < 0 || body == 0)
    dc_urdf_pose_compose(&pose, &builder->links[body].pose, &pose);
  return pose;
}

// The scene's word for a primitive; NULL for what becomes hulls or something else.
static const char *primitive_of(const struct dc_mjcf_geom *geom)
{
  switch (geom->type) {
  case DC_MJCF_SPHERE: return "sphere";
  case DC_MJCF_CAPSULE: return "capsule";
  case DC_MJCF_CYLINDER: return "cylinder";
  case DC_MJCF_BOX: return "box";
  default: return NULL;
  }
}

// An empty entry in "shapes", refused where the scene has the name already or too many shapes.
static enum dc_status add_shape(struct dc_mjcf_builder *builder, const char *name, int place, cJSON **shape)
{
  char quoted[DC_JSON_QUOTED];
  if (++builder->base.shape_count > DC_SCENE_MOST_SHAPES)
    return dc_fail(builder->base.error, DC_BAD_INPUT, "%.300s: the scene has more than %d shapes", builder->mjcf->name,
                   DC_SCENE_MOST_SHAPES);
  if (cJSON_GetObjectItemCaseSensitive(builder->base.shapes, name))
    return dc_fail(builder->base.error, DC_BAD_INPUT,
                   "%.300s: the scene has a shape %s already (\"prefix\" of \"include\" changes names)",
                   builder->mjcf->name, dc_json_quote(quoted, name));
  *shape = dc_urdf_put(&builder->base, builder->base.shapes, name, cJSON_CreateObject(), place);
  return DC_OK;
}

// A primitive in its own frame.  MJCF has half sizes and half lengths, scenes have whole ones; the length of a
// capsule is that of its cylinder in both.
static enum dc_status add_primitive(struct dc_mjcf_builder *builder, const char *name, int geom, int place)
{
  const double *size = geom_at(builder, geom)->size;
  const char *type = primitive_of(geom_at(builder, geom));
  cJSON *shape = NULL;
  enum dc_status status = add_shape(builder, name, place, &shape);
  if (status)
    return status;
  dc_urdf_put_string(&builder->base, shape, "type", type, place);
  if (builder->use->common.surface)
    dc_urdf_put_string(&builder->base, shape, "surface", builder->use->common.surface, place);
  if (strcmp(type, "box") == 0) {
    dc_urdf_put_numbers(&builder->base, shape, "size", (double[3]){2 * size[0], 2 * size[1], 2 * size[2]}, 3, place);
    return DC_OK;
  }
  dc_urdf_put_number(&builder->base, shape, "radius", size[0], place);
  if (strcmp(type, "sphere") != 0)
    dc_urdf_put_number(&builder->base, shape, "height", 2 * size[1], place);
  return DC_OK;
}

// Evenly spread directions, the same each time: a spiral by the golden angle.
static void direction(int i, double d[3])
{
  double z = 1 - (2 * i + 1.0) / ROUND_POINTS, r = sqrt(1 - z * z), angle = i * M_PI * (3 - sqrt(5));
  d[0] = r * cos(angle);
  d[1] = r * sin(angle);
  d[2] = z;
}

// Points of a round geometry, or the corners of a box, in its own frame.  A point of the hull of n directions on a unit
// sphere is about 2 pi / (sqrt(3) n) below it (triangles of n equal cells).
static int round_points(struct dc_mjcf_builder *builder, int geom, double (*points)[3])
{
  const double *size = geom_at(builder, geom)->size;
  int type = geom_at(builder, geom)->type, count = 0;
  if (type == DC_MJCF_BOX) {
    for (; count < 8; count++)
      for (int k = 0; k < 3; k++)
        points[count][k] = count >> k & 1 ? size[k] : -size[k];
    return count;
  }
  double largest = type == DC_MJCF_ELLIPSOID ? fmax(size[0], fmax(size[1], size[2])) : size[0];
  for (; count < ROUND_POINTS; count++) {
    double *p = points[count], angle = 4 * M_PI * count / ROUND_POINTS;
    direction(count, p);
    if (type == DC_MJCF_CYLINDER) {
      dc_vec_copy(
          p, (double[3]){size[0] * cos(angle), size[0] * sin(angle), 2 * count < ROUND_POINTS ? size[1] : -size[1]});
      continue;
    }
    for (int k = 0; k < 3; k++)
      p[k] *= type == DC_MJCF_ELLIPSOID ? size[k] : size[0];
    if (type == DC_MJCF_CAPSULE)
      p[2] += p[2] >= 0 ? size[1] : -size[1];
  }
  double below = type == DC_MJCF_CYLINDER ? 1 - cos(2 * M_PI / ROUND_POINTS) : 2 * M_PI / (sqrt(3) * ROUND_POINTS);
  builder->roundness = fmax(builder->roundness, below * largest);
  dc_mjcf_remember(builder, &builder->round, "",
                   dc_mjcf_called(builder, geom_at(builder, geom)->name, geom_at(builder, geom)->node),
                   geom_at(builder, geom)->node);
  return count;
}

// Corners of the hull of a mesh, at most hull_points of them.
static enum dc_status mesh_hull(struct dc_mjcf_builder *builder, int geom, struct dc_mesh *hull)
{
  struct dc_mjcf_mesh *mesh = &builder->mjcf->assets.meshes[geom_at(builder, geom)->mesh];
  struct dc_arena *arena = builder->urdf.arena;
  struct dc_error local = {0};
  long most = builder->use->common.hull_points;
  double deviation = 0;
  enum dc_status status = dc_mjcf_need_mesh(builder->mjcf, mesh);
  if (status)
    return dc_mjcf_fail(mesh->node, builder->base.error, status, "%.500s", mesh->message ? mesh->message : "");
  status = dc_hull((const double(*)[3])mesh->vertices, mesh->vertex_count, arena, hull, &local);
  if (!status && most > 0)
    status = dc_hull_simplify(hull, (int)fmax(8, (double)most), arena, &deviation, &local);
  builder->deviation = fmax(builder->deviation, deviation);
  return status ? dc_mjcf_fail(mesh->node, builder->base.error, status, "%.500s", local.text) : DC_OK;
}

// One hull of "parts": its corners as one flat list in the frame of the carrier.
static enum dc_status put_hull(struct dc_mjcf_builder *builder, cJSON *parts, int geom, int place)
{
  double round[ROUND_POINTS][3], (*points)[3] = round, rotation[9];
  struct dc_mesh hull = {0};
  struct dc_urdf_pose pose = geom_pose(builder, geom);
  int count;
  if (geom_at(builder, geom)->type == DC_MJCF_MESH) {
    enum dc_status status = mesh_hull(builder, geom, &hull);
    if (status)
      return status;
    points = hull.vertices;
    count = hull.vertex_count;
  } else {
    count = round_points(builder, geom, round);
  }
  cJSON *part = dc_urdf_put(&builder->base, parts, NULL, cJSON_CreateObject(), place);
  cJSON *list = dc_urdf_put(&builder->base, part, "vertices", cJSON_CreateArray(), place);
  dc_rotation_matrix(rotation, pose.rotation);
  for (int i = 0; i < count; i++) {
    double placed[3];
    dc_mat_apply(placed, rotation, points[i]);
    dc_vec_add(placed, placed, pose.position);
    for (int k = 0; k < 3; k++)
      dc_urdf_put_number(&builder->base, list, NULL, placed[k], place);
  }
  return DC_OK;
}

// One hull for each geometry, not one for all: the body need not be convex.
static enum dc_status add_hulls(struct dc_mjcf_builder *builder, const char *name, const int *geoms, int count,
                                int place)
{
  cJSON *shape = NULL;
  enum dc_status status = add_shape(builder, name, place, &shape);
  if (status)
    return status;
  dc_urdf_put_string(&builder->base, shape, "type", "hulls", place);
  if (builder->use->common.surface)
    dc_urdf_put_string(&builder->base, shape, "surface", builder->use->common.surface, place);
  cJSON *parts = dc_urdf_put(&builder->base, shape, "parts", cJSON_CreateArray(), place);
  for (int k = 0; k < count && !status; k++)
    status = put_hull(builder, parts, geoms[k], dc_mjcf_place(builder, geom_at(builder, geoms[k])->node));
  return status;
}

// Chooses the shape: hulls of points as soon as one geometry is no primitive; the primitive itself where it is
// alone and unmoved; else a compound of primitives, each an entry of its own called "name:k".
static enum dc_status add_geometries(struct dc_mjcf_builder *builder, const char *name, const int *geoms, int count,
                                     int place)
{
  struct dc_urdf_pose pose = geom_pose(builder, geoms[0]);
  cJSON *shape = NULL, *parts;
  enum dc_status status = DC_OK;
  for (int k = 0; k < count; k++)
    if (!primitive_of(geom_at(builder, geoms[k])))
      return add_hulls(builder, name, geoms, count, place);
  if (count == 1 && dc_urdf_is_still(&pose))
    return add_primitive(builder, name, geoms[0], place);
  const char **names = dc_arena_alloc(builder->urdf.arena, (size_t)count, sizeof *names);
  for (int k = 0; k < count && !status; k++) {
    if (!names || !(names[k] = dc_arena_printf(builder->urdf.arena, "%s:%d", name, k + 1)))
      return dc_out_of_memory(builder->base.error);
    status = add_primitive(builder, names[k], geoms[k], dc_mjcf_place(builder, geom_at(builder, geoms[k])->node));
  }
  if (status || (status = add_shape(builder, name, place, &shape)))
    return status;
  dc_urdf_put_string(&builder->base, shape, "type", "compound", place);
  parts = dc_urdf_put(&builder->base, shape, "parts", cJSON_CreateArray(), place);
  for (int k = 0; k < count; k++) {
    int at = dc_mjcf_place(builder, geom_at(builder, geoms[k])->node);
    cJSON *part = dc_urdf_put(&builder->base, parts, NULL, cJSON_CreateObject(), at);
    pose = geom_pose(builder, geoms[k]);
    dc_urdf_put_string(&builder->base, part, "shape", names[k], at);
    dc_urdf_put_pose(&builder->base, part, &pose, at);
  }
  return DC_OK;
}

// Geometry of a side.
static int gather_side(const struct dc_mjcf_builder *builder, int side, int *geoms)
{
  int count = 0;
  for (int g = 0; g < (int)builder->mjcf->geom_count; g++)
    if (builder->side_of[g] == side)
      geoms[count++] = g;
  return count;
}

// A mesh that cannot be shown is left out of the picture, with a note.
static bool can_be_shown(struct dc_mjcf_builder *builder, int geom)
{
  const struct dc_mjcf_geom *own = geom_at(builder, geom);
  if (own->type != DC_MJCF_MESH || builder->side_of[geom] >= 0)
    return true;
  struct dc_mjcf_mesh *mesh = &builder->mjcf->assets.meshes[own->mesh];
  struct dc_mesh hull;
  struct dc_error error = {0};
  if (!dc_mjcf_need_mesh(builder->mjcf, mesh) &&
      !dc_hull((const double(*)[3])mesh->vertices, mesh->vertex_count, builder->urdf.arena, &hull, &error))
    return true;
  dc_mjcf_remember(builder, &builder->unseen, "mesh", mesh->name ? mesh->name : "", mesh->node);
  return false;
}

// Geometry that a body carries and that is shown.  Planes are bodies of their own, height fields nothing.
static int gather_shown(struct dc_mjcf_builder *builder, int carrier, int *geoms)
{
  int count = 0;
  for (int g = 0; g < (int)builder->mjcf->geom_count; g++) {
    const struct dc_mjcf_geom *geom = geom_at(builder, g);
    if (builder->links[geom->body].carrier == carrier && geom->type != DC_MJCF_PLANE && geom->type != DC_MJCF_HFIELD &&
        geom->type != DC_MJCF_SDF && is_shown(builder, g) && can_be_shown(builder, g))
      geoms[count++] = g;
  }
  return count;
}

// The include's colour, else that of the first geometry; opacity has no counterpart.
static void put_look(struct dc_mjcf_builder *builder, cJSON *body, int geom, int place)
{
  const double *given = builder->use->common.color, *rgba = geom_at(builder, geom)->rgba;
  double color[3];
  for (int k = 0; k < 3; k++)
    color[k] = !isnan(given[0]) ? given[k] : fmin(fmax(rgba[k], 0), 1);
  dc_urdf_put_numbers(&builder->base, body, "color", color, 3, place);
}

// "shape", and "collide" where nothing of the model touches.
static enum dc_status put_side_shape(struct dc_mjcf_builder *builder, cJSON *body, const char *name, const int *geoms,
                                     int count, int place)
{
  enum dc_status status = add_geometries(builder, name, geoms, count, place);
  dc_urdf_put_string(&builder->base, body, "shape", name, place);
  if (!builder->use->common.collide || builder->mjcf->option.no_contact)
    dc_urdf_put(&builder->base, body, "collide", cJSON_CreateFalse(), place);
  return status;
}

// Shape and picture of a carrier.  The picture is written only where the geometries that are shown are others
// than those that touch.  One allocation holds both lists of indices.
enum dc_status dc_mjcf_put_shapes(struct dc_mjcf_builder *builder, cJSON *body, int carrier, const char *name,
                                  int place)
{
  size_t room = builder->mjcf->geom_count;
  int *touching = dc_alloc(2 * room + 1, sizeof *touching);
  if (!touching)
    return dc_out_of_memory(builder->base.error);
  int *shown = touching + room, touching_count = 0, shown_count = gather_shown(builder, carrier, shown);
  enum dc_status status = DC_OK;
  for (int s = 0; s < builder->side_count; s++)
    if (builder->sides[s].first && builder->sides[s].carrier == carrier)
      touching_count = gather_side(builder, s, touching);
  if (touching_count)
    status = put_side_shape(builder, body, name, touching, touching_count, place);
  if (!status && shown_count &&
      (shown_count != touching_count || memcmp(shown, touching, (size_t)shown_count * sizeof *shown) != 0)) {
    const char *look = dc_arena_printf(builder->urdf.arena, "%s:visual", name);
    status = look ? add_geometries(builder, look, shown, shown_count, place) : DC_MEMORY;
    dc_urdf_put_string(&builder->base, body, "visual", look, place);
  }
  if (!status && shown_count)
    put_look(builder, body, shown[0], place);
  free(touching);
  return status;
}

// Heights are written in metres, relative to the field's own origin, row by row from the least y.
static void put_ground(struct dc_mjcf_builder *builder, cJSON *shape, const struct dc_mjcf_geom *geom, int place)
{
  struct dc_urdf_builder *base = &builder->base;
  if (geom->type == DC_MJCF_PLANE) {
    dc_urdf_put_string(base, shape, "type", "plane", place);
    return;
  }
  const struct dc_mjcf_field *field = &builder->mjcf->assets.fields[geom->field];
  dc_urdf_put_string(base, shape, "type", "heights", place);
  if (builder->use->common.surface)
    dc_urdf_put_string(base, shape, "surface", builder->use->common.surface, place);
  dc_urdf_put_numbers(base, shape, "extent", (double[2]){2 * field->size[0], 2 * field->size[1]}, 2, place);
  dc_urdf_put_number(base, shape, "rows", field->rows, place);
  dc_urdf_put_number(base, shape, "base", field->size[3], place);
  cJSON *heights = dc_urdf_put(base, shape, "heights", cJSON_CreateArray(), place);
  for (int i = 0; heights && i < field->rows * field->columns && !base->failed; i++)
    dc_urdf_put_number(base, heights, NULL, field->size[2] * field->values[i], place);
}

// The body of a side beside the first, fixed to the body that carries it; it has no mass of its own.
static enum dc_status put_side(struct dc_mjcf_builder *builder, int s, int *geoms)
{
  const struct dc_mjcf_side *side = &builder->sides[s];
  const struct dc_mjcf_geom *geom = geom_at(builder, side->geom);
  int place = dc_mjcf_place(builder, geom->node), carrier = side->carrier;
  struct dc_urdf_pose pose = side->plane ? geom_pose(builder, side->geom) : dc_urdf_identity;
  enum dc_status status = DC_OK;
  cJSON *shape = NULL, *body;
  if (side->plane) {
    if ((status = add_shape(builder, side->name, place, &shape)))
      return status;
    put_ground(builder, shape, geom, place);
  }
  body = dc_urdf_put(&builder->base, builder->base.bodies, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_string(&builder->base, body, "name", side->name, place);
  dc_urdf_put_string(&builder->base, body, "joint", "fixed", place);
  if (carrier > 0) {
    dc_urdf_put_string(&builder->base, body, "parent", builder->links[carrier].name, place);
    dc_urdf_put_string(&builder->base, body, "frame", "parent", place);
  }
  if (!side->plane && builder->mjcf->bodies[carrier].weld != 0)
    dc_urdf_put_number(&builder->base, body, "mass", 0, place);
  dc_urdf_put_pose(&builder->base, body, &pose, place);
  if (side->plane) {
    dc_urdf_put_string(&builder->base, body, "shape", side->name, place);
    if (!builder->use->common.collide || builder->mjcf->option.no_contact)
      dc_urdf_put(&builder->base, body, "collide", cJSON_CreateFalse(), place);
  } else {
    status = put_side_shape(builder, body, side->name, geoms, gather_side(builder, s, geoms), place);
  }
  put_look(builder, body, side->geom, place);
  return status;
}

// Must run after the carriers have been written, since sides name them as parents.
enum dc_status dc_mjcf_put_sides(struct dc_mjcf_builder *builder)
{
  int *geoms = dc_alloc(builder->mjcf->geom_count + 1, sizeof *geoms);
  enum dc_status status = geoms ? DC_OK : dc_out_of_memory(builder->base.error);
  for (int s = 0; s < builder->side_count && !status; s++)
    if (!builder->sides[s].first)
      status = put_side(builder, s, geoms);
  free(geoms);
  return status;
}
