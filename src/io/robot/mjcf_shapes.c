// SPDX-License-Identifier: Apache-2.0
// Geometry of MuJoCo as shapes, and who touches whom.
//
// MuJoCo touches convex hulls.  A body of spheres, capsules, cylinders and boxes only is one of them or a compound of
// them; as soon as there is a mesh or an ellipsoid, it is the union of hulls of points.
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

// Whether a geometry touches anything.
static bool collides(const struct dc_mjcf_builder *builder, int geom)
{
  return builder->in_pairs[geom] || builder->model->geom_contype[geom] || builder->model->geom_conaffinity[geom];
}

static bool is_shown(const struct dc_mjcf_builder *builder, int geom)
{
  const mjModel *model = builder->model;
  const float *rgba =
      model->geom_matid[geom] >= 0 ? model->mat_rgba + 4 * model->geom_matid[geom] : model->geom_rgba + 4 * geom;
  return model->geom_group[geom] <= LAST_VISIBLE_GROUP && rgba[3] > 0;
}

// In the frame of its carrier.
static struct dc_urdf_pose geom_pose(const struct dc_mjcf_builder *builder, int geom)
{
  const mjModel *model = builder->model;
  struct dc_urdf_pose pose;
  int body = model->geom_bodyid[geom];
  memcpy(pose.position, model->geom_pos + 3 * geom, sizeof pose.position);
  memcpy(pose.rotation, model->geom_quat + 4 * geom, sizeof pose.rotation);
  if (builder->links[body].body < 0 || body == 0)
    dc_urdf_pose_compose(&pose, &builder->links[body].pose, &pose);
  return pose;
}

static const char *primitive_of(const mjModel *model, int geom)
{
  switch (model->geom_type[geom]) {
  case mjGEOM_SPHERE: return "sphere";
  case mjGEOM_CAPSULE: return "capsule";
  case mjGEOM_CYLINDER: return "cylinder";
  case mjGEOM_BOX: return "box";
  default: return NULL;
  }
}

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

static enum dc_status add_primitive(struct dc_mjcf_builder *builder, const char *name, int geom, int place)
{
  const double *size = builder->model->geom_size + 3 * geom;
  const char *type = primitive_of(builder->model, geom);
  cJSON *shape = NULL;
  enum dc_status status = add_shape(builder, name, place, &shape);
  if (status)
    return status;
  dc_urdf_put_string(&builder->base, shape, "type", type, place);
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
  const mjModel *model = builder->model;
  const double *size = model->geom_size + 3 * geom;
  int type = model->geom_type[geom], count = 0;
  if (type == mjGEOM_BOX) {
    for (; count < 8; count++)
      for (int k = 0; k < 3; k++)
        points[count][k] = count >> k & 1 ? size[k] : -size[k];
    return count;
  }
  double largest = type == mjGEOM_ELLIPSOID ? fmax(size[0], fmax(size[1], size[2])) : size[0];
  for (; count < ROUND_POINTS; count++) {
    double *p = points[count], angle = 4 * M_PI * count / ROUND_POINTS;
    direction(count, p);
    if (type == mjGEOM_CYLINDER) {
      dc_vec_copy(
          p, (double[3]){size[0] * cos(angle), size[0] * sin(angle), 2 * count < ROUND_POINTS ? size[1] : -size[1]});
      continue;
    }
    for (int k = 0; k < 3; k++)
      p[k] *= type == mjGEOM_ELLIPSOID ? size[k] : size[0];
    if (type == mjGEOM_CAPSULE)
      p[2] += p[2] >= 0 ? size[1] : -size[1];
  }
  double below = type == mjGEOM_CYLINDER ? 1 - cos(2 * M_PI / ROUND_POINTS) : 2 * M_PI / (sqrt(3) * ROUND_POINTS);
  builder->roundness = fmax(builder->roundness, below * largest);
  dc_mjcf_remember(builder, &builder->round, "", dc_mjcf_name(builder, mjOBJ_GEOM, geom));
  return count;
}

// Corners of the hull of a mesh, at most hull_points of them.
static enum dc_status mesh_hull(struct dc_mjcf_builder *builder, int geom, struct dc_mesh *hull)
{
  const mjModel *model = builder->model;
  struct dc_arena *arena = builder->urdf.arena;
  int mesh = model->geom_dataid[geom], count = model->mesh_vertnum[mesh];
  const float *vertices = model->mesh_vert + 3 * model->mesh_vertadr[mesh];
  long most = builder->use->common.hull_points;
  double deviation = 0, (*points)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *points);
  if (!points)
    return dc_fail(builder->base.error, DC_MEMORY, "out of memory");
  for (int i = 0; i < 3 * count; i++)
    points[i / 3][i % 3] = vertices[i];
  enum dc_status status = dc_hull((const double(*)[3])points, count, arena, hull, builder->base.error);
  if (!status && most > 0)
    status = dc_hull_simplify(hull, (int)fmax(8, (double)most), arena, &deviation, builder->base.error);
  builder->deviation = fmax(builder->deviation, deviation);
  if (status)
    dc_error_prefix(builder->base.error, "%.300s: geom \"%.100s\"", builder->mjcf->name,
                    dc_mjcf_name(builder, mjOBJ_GEOM, geom));
  return status;
}

static enum dc_status put_hull(struct dc_mjcf_builder *builder, cJSON *parts, int geom, int place)
{
  double round[ROUND_POINTS][3], (*points)[3] = round, rotation[9];
  struct dc_mesh hull = {0};
  struct dc_urdf_pose pose = geom_pose(builder, geom);
  int count;
  if (builder->model->geom_type[geom] == mjGEOM_MESH) {
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

static enum dc_status add_hulls(struct dc_mjcf_builder *builder, const char *name, const int *geoms, int count,
                                int place)
{
  cJSON *shape = NULL;
  enum dc_status status = add_shape(builder, name, place, &shape);
  if (status)
    return status;
  dc_urdf_put_string(&builder->base, shape, "type", "hulls", place);
  cJSON *parts = dc_urdf_put(&builder->base, shape, "parts", cJSON_CreateArray(), place);
  for (int k = 0; k < count && !status; k++)
    status = put_hull(builder, parts, geoms[k], dc_mjcf_place(builder, mjOBJ_GEOM, geoms[k]));
  return status;
}

// The shape called name of count geometries in the frame of their carrier.
static enum dc_status add_geometries(struct dc_mjcf_builder *builder, const char *name, const int *geoms, int count,
                                     int place)
{
  struct dc_urdf_pose pose = geom_pose(builder, geoms[0]);
  cJSON *shape = NULL, *parts;
  enum dc_status status = DC_OK;
  for (int k = 0; k < count; k++)
    if (!primitive_of(builder->model, geoms[k]))
      return add_hulls(builder, name, geoms, count, place);
  if (count == 1 && dc_urdf_is_still(&pose))
    return add_primitive(builder, name, geoms[0], place);
  const char **names = dc_arena_alloc(builder->urdf.arena, (size_t)count, sizeof *names);
  for (int k = 0; k < count && !status; k++) {
    if (!names || !(names[k] = dc_arena_printf(builder->urdf.arena, "%s:%d", name, k + 1)))
      return dc_fail(builder->base.error, DC_MEMORY, "out of memory");
    status = add_primitive(builder, names[k], geoms[k], dc_mjcf_place(builder, mjOBJ_GEOM, geoms[k]));
  }
  if (status || (status = add_shape(builder, name, place, &shape)))
    return status;
  dc_urdf_put_string(&builder->base, shape, "type", "compound", place);
  parts = dc_urdf_put(&builder->base, shape, "parts", cJSON_CreateArray(), place);
  for (int k = 0; k < count; k++) {
    int at = dc_mjcf_place(builder, mjOBJ_GEOM, geoms[k]);
    cJSON *part = dc_urdf_put(&builder->base, parts, NULL, cJSON_CreateObject(), at);
    pose = geom_pose(builder, geoms[k]);
    dc_urdf_put_string(&builder->base, part, "shape", names[k], at);
    dc_urdf_put_pose(&builder->base, part, &pose, at);
  }
  return DC_OK;
}

// Geometry that a body carries: what touches, or what is shown.  Planes are bodies of their own, height fields nothing.
static int gather(const struct dc_mjcf_builder *builder, int carrier, bool shown, int *geoms)
{
  const mjModel *model = builder->model;
  int count = 0;
  for (int g = 0; g < model->ngeom; g++)
    if (builder->links[model->geom_bodyid[g]].carrier == carrier && model->geom_type[g] != mjGEOM_PLANE &&
        model->geom_type[g] != mjGEOM_HFIELD && (shown ? is_shown(builder, g) : collides(builder, g)))
      geoms[count++] = g;
  return count;
}

static void put_look(struct dc_mjcf_builder *builder, cJSON *body, int geom, int place)
{
  const mjModel *model = builder->model;
  const double *given = builder->use->common.color;
  const float *rgba =
      model->geom_matid[geom] >= 0 ? model->mat_rgba + 4 * model->geom_matid[geom] : model->geom_rgba + 4 * geom;
  double color[3];
  for (int k = 0; k < 3; k++)
    color[k] = !isnan(given[0]) ? given[k] : fmin(fmax((double)rgba[k], 0), 1);
  dc_urdf_put_numbers(&builder->base, body, "color", color, 3, place);
}

enum dc_status dc_mjcf_put_shapes(struct dc_mjcf_builder *builder, cJSON *body, int carrier, const char *name,
                                  int place)
{
  const mjModel *model = builder->model;
  int *touching = dc_arena_alloc(builder->urdf.arena, 2 * (size_t)model->ngeom + 1, sizeof *touching);
  if (!touching)
    return dc_fail(builder->base.error, DC_MEMORY, "out of memory");
  int *shown = touching + model->ngeom, touching_count = gather(builder, carrier, false, touching),
      shown_count = gather(builder, carrier, true, shown);
  double friction = 0;
  enum dc_status status = DC_OK;
  if (touching_count) {
    status = add_geometries(builder, name, touching, touching_count, place);
    dc_urdf_put_string(&builder->base, body, "shape", name, place);
    for (int k = 0; k < touching_count; k++)
      friction = fmax(friction, model->geom_friction[3 * touching[k]]);
    dc_urdf_put_number(&builder->base, body, "friction", fmin(friction, 100), place);
    if (!builder->use->common.collide)
      dc_urdf_put(&builder->base, body, "collide", cJSON_CreateFalse(), place);
  }
  if (!status && shown_count &&
      (shown_count != touching_count || memcmp(shown, touching, (size_t)shown_count * sizeof *shown) != 0)) {
    const char *look = dc_arena_printf(builder->urdf.arena, "%s:visual", name);
    status = look ? add_geometries(builder, look, shown, shown_count, place) : DC_MEMORY;
    dc_urdf_put_string(&builder->base, body, "visual", look, place);
  }
  if (!status && shown_count)
    put_look(builder, body, shown[0], place);
  return status;
}

const char *dc_mjcf_plane_name(struct dc_mjcf_builder *builder, int geom)
{
  const mjModel *model = builder->model;
  const char *given = mj_id2name(model, mjOBJ_GEOM, geom);
  int body = model->geom_bodyid[geom];
  bool only = (!given || !given[0]) && body > 0 && model->body_geomnum[body] == 1;
  return only ? dc_mjcf_name(builder, mjOBJ_BODY, body) : dc_mjcf_name(builder, mjOBJ_GEOM, geom);
}

enum dc_status dc_mjcf_put_planes(struct dc_mjcf_builder *builder)
{
  const mjModel *model = builder->model;
  for (int g = 0; g < model->ngeom; g++) {
    int carrier = builder->links[model->geom_bodyid[g]].carrier, place = dc_mjcf_place(builder, mjOBJ_GEOM, g);
    if (model->geom_type[g] != mjGEOM_PLANE || !collides(builder, g))
      continue;
    const char *given = dc_mjcf_plane_name(builder, g);
    if (model->body_weldid[model->geom_bodyid[g]] != 0) {
      dc_mjcf_remember(builder, &builder->refused, "plane that moves", given);
      continue;
    }
    const char *name = dc_urdf_named(&builder->base, given, "");
    cJSON *shape = NULL, *body;
    struct dc_urdf_pose pose = geom_pose(builder, g);
    enum dc_status status = add_shape(builder, name, place, &shape);
    if (status)
      return status;
    dc_urdf_put_string(&builder->base, shape, "type", "plane", place);
    body = dc_urdf_put(&builder->base, builder->base.bodies, NULL, cJSON_CreateObject(), place);
    dc_urdf_put_string(&builder->base, body, "name", name, place);
    dc_urdf_put_string(&builder->base, body, "joint", "fixed", place);
    if (carrier > 0) {
      dc_urdf_put_string(&builder->base, body, "parent",
                         dc_urdf_named(&builder->base, dc_mjcf_name(builder, mjOBJ_BODY, carrier), ""), place);
      dc_urdf_put_string(&builder->base, body, "frame", "parent", place);
    }
    dc_urdf_put_pose(&builder->base, body, &pose, place);
    dc_urdf_put_string(&builder->base, body, "shape", name, place);
    dc_urdf_put_number(&builder->base, body, "friction", fmin(model->geom_friction[3 * g], 100), place);
    put_look(builder, body, g, place);
  }
  return DC_OK;
}
