// SPDX-License-Identifier: Apache-2.0
// An MJCF model as shapes, bodies, couplings and ties of a scene's tree.
//
// A body of the file becomes a body whose shape's frame is the body's frame.  One without mass, geometry and joints is
// a frame only, carried by the body above; one without mass that has joints hands them down to the only body below,
// which then has several, outermost first.  Coordinates are the file's less those of the description (its "ref").
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_build.h"
#include "io/scene/scene_format.h"
#include "math/rotation.h"
#include "math/vector.h"

// The least mass that counts, kg.
static const double LIGHTEST = 1e-15;

// Parents stand before their children.
static int count_children(const struct dc_mjcf *mjcf, int i)
{
  int count = 0;
  for (size_t k = (size_t)i + 1; k < mjcf->body_count; k++)
    count += mjcf->bodies[k].parent == i;
  return count;
}

// Whether a body has geometry beside the ground, which becomes bodies of its own.
static bool has_solid(const struct dc_mjcf *mjcf, int i)
{
  const struct dc_mjcf_body *body = &mjcf->bodies[i];
  for (int k = 0; k < body->geoms; k++)
    if (!dc_mjcf_is_ground(&mjcf->geoms[body->first_geom + k]))
      return true;
  return false;
}

// The cases, in the order of the tests:
// 1. A light body with joints, or below such a one, hands its joints down (pending).
// 2. A body with mass that can move, and a fixed one with geometry, becomes a body of the scene.
// 3. Everything else is a frame, whose pose is composed with that of the bodies below.
static enum dc_status place_bodies(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  builder->links[0] = (struct dc_mjcf_link){.pose = builder->use->common.pose, .body = -1};
  for (int i = 1; i < (int)mjcf->body_count; i++) {
    const struct dc_mjcf_body *body = &mjcf->bodies[i];
    struct dc_mjcf_link *link = &builder->links[i];
    const struct dc_mjcf_link *above = &builder->links[body->parent];
    bool heavy = body->mass > LIGHTEST;
    *link = (struct dc_mjcf_link){
        .parent = above->carrier, .carrier = above->carrier, .body = -1, .above = above->pending ? body->parent : 0};
    if (above->body >= 0)
      link->pose = body->pose;
    else
      dc_urdf_pose_compose(&link->pose, &above->pose, &body->pose);
    if (!heavy && (body->joints > 0 || above->pending)) {
      if (body->geoms > 0 || count_children(mjcf, i) != 1)
        return dc_mjcf_fail(body->node, builder->base.error, DC_BAD_INPUT,
                            "moves without a mass, which only a body without geometry above a single other may");
      link->pending = true;
    } else if ((heavy && !body->still) || (body->still && has_solid(mjcf, i))) {
      link->carrier = i;
      link->body = builder->next_body++;
    }
  }
  return DC_OK;
}

// Names first for bodies that have one, so that the file's names stay.
static void name_bodies(struct dc_mjcf_builder *builder)
{
  char invented[32];
  for (int unnamed = 0; unnamed < 2; unnamed++)
    for (int i = 1; i < (int)builder->mjcf->body_count; i++) {
      const char *name = builder->mjcf->bodies[i].name;
      if (builder->links[i].body < 0 || !name != (bool)unnamed)
        continue;
      snprintf(invented, sizeof invented, "body%d", builder->mjcf->bodies[i].number);
      builder->links[i].name = dc_mjcf_take_name(builder, name ? name : invented);
    }
}

static void put_inertia(struct dc_mjcf_builder *builder, cJSON *object, int i, int place)
{
  const struct dc_mjcf_body *body = &builder->mjcf->bodies[i];
  dc_urdf_put_number(&builder->base, object, "mass", body->mass, place);
  dc_urdf_put_numbers(&builder->base, object, "center_of_mass", body->center, 3, place);
  double inertia[6], rotor = dc_mjcf_rotor_of_ball(builder, i);
  for (int k = 0; k < 6; k++)
    inertia[k] = body->inertia[k] + (k < 3 ? rotor : 0);
  dc_urdf_put_numbers(&builder->base, object, "inertia", inertia, 6, place);
}

// The start of a free body i, in the world: the file's velocity is that of the frame's origin, turning in the frame's
// axes.  owner: the body whose frame and joint that is, i or one without mass above it.
static void put_free_start(struct dc_mjcf_builder *builder, cJSON *object, int i, int owner, int place)
{
  const struct dc_mjcf_body *body = &builder->mjcf->bodies[i];
  const struct dc_mjcf_joint *joint = &builder->mjcf->joints[builder->mjcf->bodies[owner].first_joint];
  struct dc_urdf_pose frame = builder->links[owner].pose, inside = dc_urdf_identity, pose;
  if (owner != i) {
    dc_urdf_pose_invert(&inside, &frame);
    dc_urdf_pose_compose(&inside, &inside, &builder->links[i].pose);
  }
  if (builder->key && builder->key->qpos) {
    const double *q = builder->key->qpos + joint->qpos;
    memcpy(frame.position, q, sizeof frame.position);
    memcpy(frame.rotation, q + 3, sizeof frame.rotation);
    dc_rotation_normalize(frame.rotation);
    dc_urdf_pose_compose(&frame, &builder->use->common.pose, &frame);
  }
  pose = frame;
  if (owner != i)
    dc_urdf_pose_compose(&pose, &frame, &inside);
  dc_urdf_put_pose(&builder->base, object, &pose, place);
  if (!builder->key || !builder->key->qvel)
    return;
  const double *v = builder->key->qvel + joint->dof;
  double rotation[9], world[9], turning[3], arm[3], moving[3], more[3];
  dc_rotation_matrix(world, builder->use->common.pose.rotation);
  dc_rotation_matrix(rotation, frame.rotation);
  dc_mat_apply(turning, rotation, v + 3);
  dc_rotation_matrix(rotation, pose.rotation);
  dc_mat_apply(arm, rotation, body->center);
  dc_vec_sub(more, pose.position, frame.position);
  dc_vec_add(arm, arm, more);
  dc_mat_apply(moving, world, v);
  dc_vec_cross(more, turning, arm);
  dc_vec_add(moving, moving, more);
  dc_urdf_put_numbers(&builder->base, object, "velocity", moving, 3, place);
  dc_urdf_put_numbers(&builder->base, object, "angular_velocity", turning, 3, place);
}

// Writes body i: name, parent, joints, pose or start, inertia and shapes.  Poses are relative to the parent
// ("frame": "parent"), except those of free bodies, which the file gives in the world.
static enum dc_status add_body(struct dc_mjcf_builder *builder, int i)
{
  const struct dc_mjcf_body *body = &builder->mjcf->bodies[i];
  const struct dc_mjcf_link *link = &builder->links[i];
  int place = dc_mjcf_place(builder, body->node);
  cJSON *object = dc_urdf_put(&builder->base, builder->base.bodies, NULL, cJSON_CreateObject(), place);
  int owner = i;
  while (builder->mjcf->bodies[owner].joints == 0 && builder->links[owner].above > 0)
    owner = builder->links[owner].above;
  const struct dc_mjcf_body *top = &builder->mjcf->bodies[owner];
  bool free_joint = top->joints > 0 && builder->mjcf->joints[top->first_joint].type == DC_MJCF_FREE;
  dc_urdf_put_string(&builder->base, object, "name", link->name, place);
  if (link->parent > 0) {
    dc_urdf_put_string(&builder->base, object, "parent", builder->links[link->parent].name, place);
    dc_urdf_put_string(&builder->base, object, "frame", "parent", place);
  }
  enum dc_status status = dc_mjcf_put_joints(builder, object, i, place);
  if (status)
    return status;
  struct dc_urdf_pose pose = link->pose;
  dc_mjcf_turns_at_start(builder, i, &pose);
  if (free_joint)
    put_free_start(builder, object, i, owner, place);
  else
    dc_urdf_put_pose(&builder->base, object, &pose, place);
  if (link->collide_parent)
    dc_urdf_put(&builder->base, object, "collide_parent", cJSON_CreateTrue(), place);
  if (body->mass > LIGHTEST)
    put_inertia(builder, object, i, place);
  if (body->buoyancy != 0)
    dc_urdf_put_number(&builder->base, object, "buoyancy", body->buoyancy, place);
  return dc_mjcf_put_shapes(builder, object, i, link->name, place);
}

// Geometry of the world itself and of frames on it.
static enum dc_status add_world(struct dc_mjcf_builder *builder)
{
  cJSON *body = cJSON_CreateObject();
  int place = builder->base.at->valueint;
  if (!body)
    return dc_out_of_memory(builder->base.error);
  const char *name = builder->links[0].name;
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

// The keyframe that the include names.  Lists of a wrong length are refused here, as only now they matter.
static enum dc_status find_start(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf *mjcf = builder->mjcf;
  const char *wanted = builder->use->keyframe;
  char quoted[DC_JSON_QUOTED];
  if (!wanted)
    return DC_OK;
  int key = dc_mjcf_find_named(mjcf->keys, mjcf->key_count, sizeof *mjcf->keys, wanted);
  if (key < 0)
    return dc_fail(builder->base.error, DC_BAD_INPUT, "%.300s: has no keyframe %s", mjcf->name,
                   dc_json_quote(quoted, wanted));
  builder->key = &mjcf->keys[key];
  if (builder->key->wrong)
    return dc_mjcf_fail(builder->key->node, builder->base.error, DC_BAD_INPUT, "%s must hold %d numbers for this model",
                        builder->key->wrong,
                        strcmp(builder->key->wrong, "qpos") == 0   ? mjcf->nq
                        : strcmp(builder->key->wrong, "qvel") == 0 ? mjcf->nv
                                                                   : (int)mjcf->actuator_count);
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

// Tells everything that was left out, not applied or approximated, one note for each kind, then attributes
// without effect.
static enum dc_status add_notes(struct dc_mjcf_builder *builder)
{
  char text[160];
  enum dc_status status = add_note(builder, &builder->refused, "left out, as nothing here corresponds to it");
  if (!status)
    status = add_note(builder, &builder->forces, "moves without forces that nothing here corresponds to");
  if (!status)
    status = add_note(builder, &builder->dropped, "not applied");
  if (!status)
    status = add_note(builder, &builder->unseen, "pictures are without");
  if (!status)
    status = add_note(builder, &builder->clamped, "starts moved into the ranges of joints");
  snprintf(text, sizeof text, "round geometry by hulls of points, at most %.3g m inside", builder->roundness);
  if (!status)
    status = add_note(builder, &builder->round, text);
  if (!status && builder->deviation > 0)
    status = dc_notes_add(builder->use->common.notes,
                          "%s: hulls of meshes have at most %ld corners: those of the file stand out by %.3g m at most",
                          builder->mjcf->name, builder->use->common.hull_points, builder->deviation);
  return status ? status : dc_mjcf_note_attributes(builder->mjcf->root, builder->use->common.notes);
}

// Things without counterpart are an error unless the include says to skip them; the message lists them.
static enum dc_status refuse(struct dc_mjcf_builder *builder, bool forbidden, const struct dc_urdf_names *refused)
{
  if (!refused->count || !forbidden)
    return DC_OK;
  const char *names = dc_notes_list(builder->use->common.notes, refused->names, refused->count);
  return names ? dc_fail(builder->base.error, DC_BAD_INPUT,
                         "%.300s: nothing here corresponds to %.500s (\"unsupported\": \"skip\" leaves them out)",
                         builder->mjcf->name, names)
               : dc_out_of_memory(builder->base.error);
}

// The file's gravity is the scene's, unless that says one.
static enum dc_status put_gravity(struct dc_mjcf_builder *builder)
{
  const struct dc_mjcf_option *option = &builder->mjcf->option;
  cJSON *root = builder->base.document->root, *given = cJSON_GetObjectItemCaseSensitive(root, "gravity");
  if (!option->gravity_node)
    return DC_OK;
  if (!given) {
    dc_urdf_put_numbers(&builder->base, root, "gravity", option->gravity, 3,
                        dc_mjcf_place(builder, option->gravity_node));
    return DC_OK;
  }
  bool same = cJSON_IsArray(given) && cJSON_GetArraySize(given) == 3;
  for (int k = 0; k < 3 && same; k++)
    same = cJSON_GetArrayItem(given, k)->valuedouble == option->gravity[k];
  if (same)
    return DC_OK;
  return dc_notes_add(builder->use->common.notes,
                      "%s:%ld: gravity (%.6g, %.6g, %.6g) is not applied: the scene's own is",
                      option->gravity_node->file->name, dc_mjcf_line(option->gravity_node), option->gravity[0],
                      option->gravity[1], option->gravity[2]);
}

// Builds the entries in the order in which they need each other: start, bodies' places, names, sides, what is
// refused, the bodies, the world's own geometry, the other sides, filters between all of them, couplings and
// gravity.  Refusals come at the end, so that one message can list all of them.
static enum dc_status add_all(struct dc_mjcf_builder *builder)
{
  enum dc_status status = find_start(builder);
  if (!status)
    status = place_bodies(builder);
  if (status)
    return status;
  name_bodies(builder);
  if ((status = dc_mjcf_find_sides(builder)))
    return status;
  dc_mjcf_find_refused(builder);
  for (int i = 1; i < (int)builder->mjcf->body_count && !status; i++)
    if (builder->links[i].body >= 0)
      status = add_body(builder, i);
  if (!status)
    dc_mjcf_put_rotors(builder);
  if (status || (status = add_world(builder)) || (status = dc_mjcf_put_sides(builder)) ||
      (status = dc_mjcf_put_filters(builder)) || (status = dc_mjcf_put_couplings(builder)))
    return status;
  dc_mjcf_put_tendons(builder);
  if ((status = dc_mjcf_put_ties(builder)) || (status = put_gravity(builder)) ||
      (status = refuse(builder, builder->use->refuse_structure, &builder->refused)) ||
      (status = refuse(builder, builder->use->refuse_forces, &builder->forces)))
    return status;
  return builder->base.failed ? DC_OK : add_notes(builder);
}

// "shapes" or "bodies" of the scene, made where the scene has none.
static cJSON *collection(struct dc_urdf_builder *base, const char *key, bool object)
{
  cJSON *root = base->document->root, *found = cJSON_GetObjectItemCaseSensitive(root, key);
  if (found)
    return found;
  return dc_urdf_put(base, root, key, object ? cJSON_CreateObject() : cJSON_CreateArray(), base->at->valueint);
}

// Adds a model to the tree of a scene, whose reader then treats the entries like written ones.  Everything that
// the entries point to lies in the arena or belongs to cJSON; only the list of taken names is freed here.
enum dc_status dc_mjcf_add(struct dc_mjcf *mjcf, const struct dc_mjcf_use *use, struct dc_arena *arena,
                           struct dc_json_document *document, const cJSON *at, struct dc_error *error)
{
  struct dc_mjcf_builder builder = {.mjcf = mjcf, .use = use};
  builder.urdf = (struct dc_urdf){.name = mjcf->name, .arena = arena};
  builder.base = (struct dc_urdf_builder){
      .urdf = &builder.urdf, .use = &use->common, .document = document, .error = error, .at = at};
  builder.links = dc_arena_alloc(arena, mjcf->body_count, sizeof *builder.links);
  builder.in_pairs = dc_arena_alloc(arena, mjcf->geom_count + 1, sizeof *builder.in_pairs);
  builder.in_exclusions = dc_arena_alloc(arena, mjcf->body_count, sizeof *builder.in_exclusions);
  builder.side_of = dc_arena_alloc(arena, mjcf->geom_count + 1, sizeof *builder.side_of);
  builder.sides = dc_arena_alloc(arena, mjcf->geom_count + 1, sizeof *builder.sides);
  builder.base.shapes = collection(&builder.base, "shapes", true);
  builder.base.bodies = collection(&builder.base, "bodies", false);
  if (!builder.links || !builder.in_pairs || !builder.in_exclusions || !builder.side_of || !builder.sides ||
      builder.base.failed)
    return dc_out_of_memory_in(error, mjcf->name);
  builder.base.shape_count = cJSON_GetArraySize(builder.base.shapes);
  builder.next_body = cJSON_GetArraySize(builder.base.bodies);
  for (size_t p = 0; p < mjcf->pair_count; p++)
    builder.in_pairs[mjcf->pairs[p].geoms[0]] = builder.in_pairs[mjcf->pairs[p].geoms[1]] = true;
  for (size_t e = 0; e < mjcf->excluded_count; e++)
    builder.in_exclusions[mjcf->excluded[e][0]] = builder.in_exclusions[mjcf->excluded[e][1]] = true;
  enum dc_status status = add_all(&builder);
  free(builder.taken);
  if (!status && builder.base.failed)
    status = dc_out_of_memory_in(error, mjcf->name);
  return status;
}
