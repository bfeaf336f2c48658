// SPDX-License-Identifier: Apache-2.0
// A model of MuJoCo as shapes, bodies and couplings of a scene's tree.
//
// A body of MuJoCo becomes a body whose shape's frame is the body's frame.  One without mass, geometry and joints is a
// frame only, carried by the body above; one without mass that has joints hands them down to the only body below, which
// then has several, outermost first.  Coordinates are MuJoCo's less those of the description (its "ref").
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"
#include "io/scene/scene_format.h"
#include "math/rotation.h"
#include "math/vector.h"

static struct dc_urdf_pose body_pose(const mjModel *model, int i)
{
  struct dc_urdf_pose pose;
  memcpy(pose.position, model->body_pos + 3 * i, sizeof pose.position);
  memcpy(pose.rotation, model->body_quat + 4 * i, sizeof pose.rotation);
  return pose;
}

static enum dc_status fail_body(struct dc_mjcf_builder *builder, int i, const char *rule)
{
  char quoted[DC_JSON_QUOTED];
  dc_json_quote(quoted, dc_mjcf_name(builder, mjOBJ_BODY, i));
  return dc_fail(builder->base.error, DC_BAD_INPUT, "%.300s: body %s: %s", builder->mjcf->name, quoted, rule);
}

static int count_children(const mjModel *model, int i)
{
  int count = 0;
  for (int k = i + 1; k < model->nbody; k++)
    count += model->body_parentid[k] == i;
  return count;
}

// Whether a body has geometry beside planes, which become bodies of their own.
static bool has_solid(const mjModel *model, int i)
{
  for (int k = 0; k < model->body_geomnum[i]; k++)
    if (model->geom_type[model->body_geomadr[i] + k] != mjGEOM_PLANE)
      return true;
  return false;
}

// From the root down, as MuJoCo numbers bodies: who carries each.
static enum dc_status place_bodies(struct dc_mjcf_builder *builder)
{
  const mjModel *model = builder->model;
  builder->links[0] = (struct dc_mjcf_link){.pose = builder->use->common.pose, .body = -1};
  for (int i = 1; i < model->nbody; i++) {
    struct dc_mjcf_link *link = &builder->links[i];
    int parent = model->body_parentid[i];
    const struct dc_mjcf_link *above = &builder->links[parent];
    bool jointed = model->body_jntnum[i] > 0, heavy = model->body_mass[i] > mjMINVAL,
         still = model->body_weldid[i] == 0;
    struct dc_urdf_pose pose = body_pose(model, i);
    *link = (struct dc_mjcf_link){
        .parent = above->carrier, .carrier = above->carrier, .body = -1, .above = above->pending ? parent : 0};
    if (above->body >= 0)
      link->pose = pose;
    else
      dc_urdf_pose_compose(&link->pose, &above->pose, &pose);
    if (!heavy && (jointed || above->pending)) {
      if (model->body_geomnum[i] > 0 || count_children(model, i) != 1)
        return fail_body(builder, i,
                         "moves without a mass, which only a body without geometry above a single other may");
      link->pending = true;
    } else if ((heavy && !still) || (still && has_solid(model, i))) {
      link->carrier = i;
      link->body = builder->next_body++;
    }
  }
  return DC_OK;
}

// R diag(inertia) R^T.
static void put_inertia(struct dc_mjcf_builder *builder, cJSON *body, int i, int place)
{
  const mjModel *model = builder->model;
  const double *moments = model->body_inertia + 3 * i;
  double rotation[9], scaled[9], full[9];
  dc_rotation_matrix(rotation, model->body_iquat + 4 * i);
  for (int k = 0; k < 9; k++)
    scaled[k] = rotation[k] * moments[k % 3];
  dc_mat_multiply_transposed(full, scaled, rotation);
  dc_urdf_put_number(&builder->base, body, "mass", model->body_mass[i], place);
  dc_urdf_put_numbers(&builder->base, body, "center_of_mass", model->body_ipos + 3 * i, 3, place);
  dc_urdf_put_numbers(&builder->base, body, "inertia",
                      (double[6]){full[0], full[4], full[8], full[1], full[2], full[5]}, 6, place);
}

// Where a free body starts, in the world: MuJoCo's velocity is that of the frame's origin, turning in the body's axes.
static void put_free_start(struct dc_mjcf_builder *builder, cJSON *body, int i, int place)
{
  const mjModel *model = builder->model;
  int joint = model->body_jntadr[i];
  const double *q = builder->qpos + model->jnt_qposadr[joint];
  struct dc_urdf_pose pose;
  memcpy(pose.position, q, sizeof pose.position);
  memcpy(pose.rotation, q + 3, sizeof pose.rotation);
  dc_urdf_pose_compose(&pose, &builder->use->common.pose, &pose);
  dc_urdf_put_pose(&builder->base, body, &pose, place);
  if (!builder->qvel)
    return;
  const double *v = builder->qvel + model->jnt_dofadr[joint];
  double rotation[9], world[9], turning[3], arm[3], moving[3], more[3];
  dc_rotation_matrix(world, builder->use->common.pose.rotation);
  dc_rotation_matrix(rotation, pose.rotation);
  dc_mat_apply(turning, rotation, v + 3);
  dc_mat_apply(arm, rotation, model->body_ipos + 3 * i);
  dc_mat_apply(moving, world, v);
  dc_vec_cross(more, turning, arm);
  dc_vec_add(moving, moving, more);
  dc_urdf_put_numbers(&builder->base, body, "velocity", moving, 3, place);
  dc_urdf_put_numbers(&builder->base, body, "angular_velocity", turning, 3, place);
}

static enum dc_status add_body(struct dc_mjcf_builder *builder, int i)
{
  const mjModel *model = builder->model;
  int place = dc_mjcf_place(builder, mjOBJ_BODY, i), parent = builder->links[i].parent;
  const char *name = dc_urdf_named(&builder->base, dc_mjcf_name(builder, mjOBJ_BODY, i), "");
  cJSON *body = dc_urdf_put(&builder->base, builder->base.bodies, NULL, cJSON_CreateObject(), place);
  bool free_joint = model->body_jntnum[i] > 0 && model->jnt_type[model->body_jntadr[i]] == mjJNT_FREE;
  dc_urdf_put_string(&builder->base, body, "name", name, place);
  if (parent > 0) {
    dc_urdf_put_string(&builder->base, body, "parent",
                       dc_urdf_named(&builder->base, dc_mjcf_name(builder, mjOBJ_BODY, parent), ""), place);
    dc_urdf_put_string(&builder->base, body, "frame", "parent", place);
  }
  enum dc_status status = dc_mjcf_put_joints(builder, body, i, place);
  if (status)
    return status;
  if (free_joint)
    put_free_start(builder, body, i, place);
  else
    dc_urdf_put_pose(&builder->base, body, &builder->links[i].pose, place);
  if (model->body_mass[i] > mjMINVAL)
    put_inertia(builder, body, i, place);
  return dc_mjcf_put_shapes(builder, body, i, name, place);
}

// Geometry of the world itself and of frames on it.
static enum dc_status add_world(struct dc_mjcf_builder *builder)
{
  cJSON *body = cJSON_CreateObject();
  int place = builder->base.at->valueint;
  const char *name = dc_urdf_named(&builder->base, "world", "");
  if (!body)
    return dc_fail(builder->base.error, DC_MEMORY, "out of memory");
  enum dc_status status = dc_mjcf_put_shapes(builder, body, 0, name, place);
  if (status || !body->child) {
    cJSON_Delete(body);
    return status;
  }
  builder->links[0].body = cJSON_GetArraySize(builder->base.bodies);
  body = dc_urdf_put(&builder->base, builder->base.bodies, NULL, body, place);
  dc_urdf_put_string(&builder->base, body, "name", name, place);
  dc_urdf_put_string(&builder->base, body, "joint", "fixed", place);
  return DC_OK;
}

static enum dc_status find_start(struct dc_mjcf_builder *builder)
{
  const mjModel *model = builder->model;
  const char *wanted = builder->use->keyframe;
  char quoted[DC_JSON_QUOTED];
  size_t size = (size_t)model->nq * sizeof *builder->qpos;
  builder->qpos = dc_arena_alloc(builder->urdf.arena, (size_t)model->nq, sizeof *builder->qpos);
  if (!builder->qpos)
    return dc_fail(builder->base.error, DC_MEMORY, "out of memory");
  int key = wanted ? mj_name2id(model, mjOBJ_KEY, wanted) : -1;
  if (wanted && key < 0)
    return dc_fail(builder->base.error, DC_BAD_INPUT, "%.300s: has no keyframe %s", builder->mjcf->name,
                   dc_json_quote(quoted, wanted));
  if (size)
    memcpy(builder->qpos, key < 0 ? model->qpos0 : model->key_qpos + key * model->nq, size);
  builder->qvel = key < 0 ? NULL : model->key_qvel + key * model->nv;
  return DC_OK;
}

static enum dc_status add_note(struct dc_mjcf_builder *builder, const struct dc_urdf_names *list, const char *what)
{
  struct dc_notes *notes = builder->use->common.notes;
  if (!list->count)
    return DC_OK;
  const char *names = dc_notes_list(notes, list->names, list->count);
  return names ? dc_notes_add(notes, "%s: %s: %s", builder->mjcf->name, what, names) : DC_MEMORY;
}

static enum dc_status add_notes(struct dc_mjcf_builder *builder)
{
  char text[160];
  enum dc_status status = add_note(builder, &builder->refused, "left out, as nothing here corresponds to it");
  if (!status)
    status = add_note(builder, &builder->dropped, "not applied");
  if (!status)
    status = add_note(builder, &builder->clamped, "starts moved into the ranges of joints");
  snprintf(text, sizeof text, "round geometry by hulls of points, at most %.3g m inside", builder->roundness);
  if (!status)
    status = add_note(builder, &builder->round, text);
  if (!status && builder->deviation > 0)
    status = dc_notes_add(builder->use->common.notes,
                          "%s: hulls of meshes have at most %ld corners: those of the file stand out by %.3g m at most",
                          builder->mjcf->name, builder->use->common.hull_points, builder->deviation);
  return status;
}

static enum dc_status refuse(struct dc_mjcf_builder *builder)
{
  const struct dc_urdf_names *refused = &builder->refused;
  if (!refused->count || builder->use->skip)
    return DC_OK;
  const char *names = dc_notes_list(builder->use->common.notes, refused->names, refused->count);
  return names ? dc_fail(builder->base.error, DC_BAD_INPUT,
                         "%.300s: nothing here corresponds to %.500s (\"unsupported\": \"skip\" leaves them out)",
                         builder->mjcf->name, names)
               : dc_fail(builder->base.error, DC_MEMORY, "out of memory");
}

static enum dc_status add_all(struct dc_mjcf_builder *builder)
{
  enum dc_status status = find_start(builder);
  if (!status)
    status = place_bodies(builder);
  if (status)
    return status;
  dc_mjcf_find_refused(builder);
  for (int i = 1; i < builder->model->nbody && !status; i++)
    if (builder->links[i].body >= 0)
      status = add_body(builder, i);
  if (status || (status = add_world(builder)) || (status = dc_mjcf_put_planes(builder)) ||
      (status = dc_mjcf_put_filters(builder)) || (status = dc_mjcf_put_couplings(builder)) ||
      (status = refuse(builder)))
    return status;
  return builder->base.failed ? DC_OK : add_notes(builder);
}

static cJSON *collection(struct dc_urdf_builder *base, const char *key, bool object)
{
  cJSON *root = base->document->root, *found = cJSON_GetObjectItemCaseSensitive(root, key);
  if (found)
    return found;
  return dc_urdf_put(base, root, key, object ? cJSON_CreateObject() : cJSON_CreateArray(), base->at->valueint);
}

enum dc_status dc_mjcf_add(const struct dc_mjcf *mjcf, const struct dc_mjcf_use *use, struct dc_arena *arena,
                           struct dc_json_document *document, uint32_t source, const cJSON *at, struct dc_error *error)
{
  struct dc_mjcf_builder builder = {.mjcf = mjcf, .model = mjcf->model, .use = use};
  builder.urdf = (struct dc_urdf){.name = mjcf->name, .arena = arena};
  builder.base = (struct dc_urdf_builder){
      .urdf = &builder.urdf, .use = &use->common, .document = document, .source = source, .error = error, .at = at};
  builder.links = dc_arena_alloc(arena, (size_t)mjcf->model->nbody, sizeof *builder.links);
  builder.in_pairs = dc_arena_alloc(arena, (size_t)mjcf->model->ngeom + 1, sizeof *builder.in_pairs);
  builder.base.shapes = collection(&builder.base, "shapes", true);
  builder.base.bodies = collection(&builder.base, "bodies", false);
  if (!builder.links || !builder.in_pairs || builder.base.failed)
    return dc_fail(error, DC_MEMORY, "%.300s: out of memory", mjcf->name);
  builder.base.shape_count = cJSON_GetArraySize(builder.base.shapes);
  builder.next_body = cJSON_GetArraySize(builder.base.bodies);
  for (int p = 0; p < mjcf->model->npair; p++)
    builder.in_pairs[mjcf->model->pair_geom1[p]] = builder.in_pairs[mjcf->model->pair_geom2[p]] = true;
  enum dc_status status = add_all(&builder);
  if (!status && builder.base.failed)
    status = dc_fail(error, DC_MEMORY, "%.300s: out of memory", mjcf->name);
  return status;
}
