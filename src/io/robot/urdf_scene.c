// SPDX-License-Identifier: Apache-2.0
// A robot as shapes, bodies and couplings of a scene's tree.
//
// A link with mass or collision geometry becomes a body whose shape's frame is the frame of the link.  Other links are
// frames only: each is carried by the body that it is fixed to, its parent's or, where it moves itself, the first below
// that is fixed to it; joints that hang on it hang on that body.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/scene_format.h"
#include "io/robot/urdf.h"
#include "math/rotation.h"
#include "math/vector.h"

// Where a link is.
struct placement {
  int carrier;                     // link whose body it is or hangs on; -1: the world
  struct dc_urdf_pose pose;        // in the carrier's frame
  int first;                       // first link with substance that is or is fixed to it, -1 without
  struct dc_urdf_pose first_pose;  // of that in the link's frame
};

struct builder {
  const struct dc_urdf *urdf;
  const struct dc_urdf_use *use;
  struct dc_json_document *document;
  uint32_t source;
  struct dc_error *error;
  cJSON *shapes, *bodies, *couplings;  // couplings: NULL until there is one
  const cJSON *at;
  int shape_count;
  struct placement *links;
  int *skipped;
  bool failed;  // out of memory
};

static bool has_substance(const struct dc_urdf *urdf, int index)
{
  const struct dc_urdf_link *link = &urdf->links[index];
  bool substance = link->mass > 0;
  for (int i = 0; i < link->geometries && !substance; i++)
    substance = !urdf->geometries[link->first_geometry + i].visual;
  return substance;
}

// Of the child's frame in the parent's where the coordinate is zero; of a joint with equal limits, where it stays.
static struct dc_urdf_pose joint_pose(const struct dc_urdf_joint *joint)
{
  struct dc_urdf_pose pose = joint->origin, move = dc_urdf_identity;
  if (joint->type == DC_URDF_FIXED || !dc_urdf_joint_is_fixed(joint) || joint->lower == 0)
    return pose;
  double vector[3];
  dc_vec_scale(vector, joint->axis, joint->lower);
  if (joint->type == DC_URDF_PRISMATIC)
    dc_vec_copy(move.position, vector);
  else
    dc_rotation_exp(move.rotation, vector);
  dc_urdf_pose_compose(&pose, &pose, &move);
  return pose;
}

static const struct dc_urdf_joint *joint_to(const struct dc_urdf *urdf, int link)
{
  return urdf->links[link].joint < 0 ? NULL : &urdf->joints[urdf->links[link].joint];
}

// Whether a link moves relative to its parent (the root: to the world).
static bool is_head(const struct builder *builder, int link)
{
  const struct dc_urdf_joint *joint = joint_to(builder->urdf, link);
  return joint ? !dc_urdf_joint_is_fixed(joint) : builder->use->base != NULL;
}

static enum dc_status fail_link(const struct builder *builder, int link, const char *rule)
{
  const struct dc_urdf *urdf = builder->urdf;
  char quoted[DC_JSON_QUOTED];
  return dc_urdf_fail(urdf, urdf->links[link].offset, builder->error, DC_BAD_INPUT, "link %s: %s",
                      dc_json_quote(quoted, urdf->links[link].name), rule);
}

// From the leaves up: what is fixed to each link.
static void find_first(struct builder *builder)
{
  const struct dc_urdf *urdf = builder->urdf;
  for (size_t i = 0; i < urdf->link_count; i++)
    builder->links[i] = (struct placement){.carrier = -1, .pose = dc_urdf_identity, .first = -1};
  for (size_t k = urdf->link_count; k-- > 0;) {
    int link = urdf->order[k];
    struct placement *place = &builder->links[link];
    const struct dc_urdf_joint *joint = joint_to(urdf, link);
    if (has_substance(urdf, link)) {
      place->first = link;
      place->first_pose = dc_urdf_identity;
    }
    if (!joint || place->first < 0 || !dc_urdf_joint_is_fixed(joint))
      continue;
    struct placement *parent = &builder->links[joint->parent];
    struct dc_urdf_pose pose = joint_pose(joint);
    parent->first = place->first;  // of several the first in order, which comes last here
    dc_urdf_pose_compose(&parent->first_pose, &pose, &place->first_pose);
  }
}

// From the root down: who carries each link.
static enum dc_status place_links(struct builder *builder)
{
  const struct dc_urdf *urdf = builder->urdf;
  find_first(builder);
  for (size_t k = 0; k < urdf->link_count; k++) {
    int link = urdf->order[k];
    struct placement *place = &builder->links[link];
    const struct dc_urdf_joint *joint = joint_to(urdf, link);
    const struct placement *parent = joint ? &builder->links[joint->parent] : NULL;
    if (is_head(builder, link)) {
      if (place->first < 0)
        return fail_link(builder, link, "moves, so that it or a link fixed to it needs a mass or collision geometry");
      place->carrier = place->first;
      if (place->first != link)
        dc_urdf_pose_invert(&place->pose, &place->first_pose);
    } else if (has_substance(urdf, link)) {
      place->carrier = link;  // its pose is the identity
    } else if (parent) {
      struct dc_urdf_pose pose = joint_pose(joint);
      place->carrier = parent->carrier;
      dc_urdf_pose_compose(&place->pose, &parent->pose, &pose);
    } else {
      place->pose = builder->use->pose;
    }
  }
  return DC_OK;
}

// The place of what an element of the file says; -1 when out of memory.
static int add_place(struct builder *builder, size_t offset)
{
  int place = dc_json_add_place(builder->document, builder->source);
  if (place < 0) {
    builder->failed = true;
    return 0;
  }
  struct dc_json_place *added = &builder->document->places.places[place];
  added->value = added->key = (uint32_t)offset;
  return place;
}

// Takes node over into object, or into an array when key is NULL.  Returns node, NULL when out of memory.
static cJSON *put(struct builder *builder, cJSON *container, const char *key, cJSON *node, int place)
{
  bool done =
      container && node && (key ? cJSON_AddItemToObject(container, key, node) : cJSON_AddItemToArray(container, node));
  if (!done) {
    cJSON_Delete(node);
    builder->failed = true;
    return NULL;
  }
  node->valueint = place;
  return node;
}

static void put_string(struct builder *builder, cJSON *object, const char *key, const char *string, int place)
{
  put(builder, object, key, string ? cJSON_CreateString(string) : NULL, place);
}

static void put_number(struct builder *builder, cJSON *object, const char *key, double number, int place)
{
  put(builder, object, key, cJSON_CreateNumber(number + 0.0), place);  // no negative zeros
}

static void put_numbers(struct builder *builder, cJSON *object, const char *key, const double *numbers, int count,
                        int place)
{
  cJSON *array = put(builder, object, key, cJSON_CreateArray(), place);
  for (int i = 0; i < count && array; i++)
    put_number(builder, array, NULL, numbers[i], place);
}

// Components of a unit vector or quaternion, without what rounding leaves of zeros.
static void put_direction(struct builder *builder, cJSON *object, const char *key, const double *direction, int count,
                          int place)
{
  double clean[4];
  for (int i = 0; i < count; i++)
    clean[i] = fabs(direction[i]) < 1e-15 ? 0 : direction[i];
  put_numbers(builder, object, key, clean, count, place);
}

static bool is_still(const struct dc_urdf_pose *pose)
{
  const double *p = pose->position, *q = pose->rotation;
  return p[0] == 0 && p[1] == 0 && p[2] == 0 && fabs(q[0]) == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

// Leaves out what is the default.
static void put_pose(struct builder *builder, cJSON *object, const struct dc_urdf_pose *pose, int place)
{
  const double *p = pose->position;
  struct dc_urdf_pose turn = {{0, 0, 0}, {pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]}};
  if (p[0] != 0 || p[1] != 0 || p[2] != 0)
    put_numbers(builder, object, "position", p, 3, place);
  if (!is_still(&turn))
    put_direction(builder, object, "rotation", pose->rotation, 4, place);
}

static const char *named(struct builder *builder, const char *name, const char *ending)
{
  const char *text = dc_arena_printf(builder->urdf->arena, "%s%s%s", builder->use->prefix, name, ending);
  if (!text)
    builder->failed = true;
  return text ? text : "";
}

// A new entry of "shapes".
static enum dc_status add_shape(struct builder *builder, const char *name, size_t offset, cJSON **shape, int *place)
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
  *place = add_place(builder, offset);
  *shape = put(builder, builder->shapes, name, cJSON_CreateObject(), *place);
  return DC_OK;
}

static void put_scale(struct builder *builder, cJSON *shape, const double *scale, int place)
{
  if (scale[0] != scale[1] || scale[1] != scale[2] || scale[0] < 0)
    put_numbers(builder, shape, "scales", scale, 3, place);
  else if (scale[0] != 1)
    put_number(builder, shape, "scale", scale[0], place);
}

static enum dc_status add_geometry(struct builder *builder, const char *name, int index)
{
  static const char *const types[] = {"box", "cylinder", "capsule", "sphere", "mesh"};
  const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[index];
  cJSON *shape = NULL;
  int place = 0;
  enum dc_status status = add_shape(builder, name, geometry->offset, &shape, &place);
  if (status)
    return status;
  put_string(builder, shape, "type", types[geometry->type], place);
  switch (geometry->type) {
  case DC_URDF_BOX: put_numbers(builder, shape, "size", geometry->size, 3, place); break;
  case DC_URDF_CYLINDER:
  case DC_URDF_CAPSULE:
    put_number(builder, shape, "radius", geometry->radius, place);
    put_number(builder, shape, "height", geometry->length, place);
    break;
  case DC_URDF_SPHERE: put_number(builder, shape, "radius", geometry->radius, place); break;
  case DC_URDF_MESH:
    put_string(builder, shape, "file", builder->use->files[index], place);
    put_scale(builder, shape, geometry->scale, place);
    if (builder->use->convex && !geometry->visual)
      put(builder, shape, "convex", cJSON_CreateTrue(), place);
    break;
  }
  return DC_OK;
}

// The shape called name of count geometries in the frame of their link: the only one if it stands in that frame, else
// a compound of shapes with numbered names.
static enum dc_status add_geometries(struct builder *builder, const char *name, const int *indices, int count)
{
  const struct dc_urdf_geometry *first = &builder->urdf->geometries[indices[0]];
  if (count == 1 && is_still(&first->origin))
    return add_geometry(builder, name, indices[0]);
  cJSON *shape = NULL, *parts;
  int place = 0;
  enum dc_status status = DC_OK;
  const char **names = dc_arena_alloc(builder->urdf->arena, (size_t)count, sizeof *names);
  if (!names)
    return dc_fail(builder->error, DC_MEMORY, "%.300s: out of memory", builder->urdf->name);
  for (int i = 0; i < count && !status; i++) {
    names[i] = dc_arena_printf(builder->urdf->arena, "%s:%d", name, i + 1);
    status = names[i] ? add_geometry(builder, names[i], indices[i])
                      : dc_fail(builder->error, DC_MEMORY, "%.300s: out of memory", builder->urdf->name);
  }
  if (status || (status = add_shape(builder, name, first->offset, &shape, &place)))
    return status;
  put_string(builder, shape, "type", "compound", place);
  parts = put(builder, shape, "parts", cJSON_CreateArray(), place);
  for (int i = 0; i < count; i++) {
    const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[indices[i]];
    place = add_place(builder, geometry->offset);
    cJSON *part = put(builder, parts, NULL, cJSON_CreateObject(), place);
    put_string(builder, part, "shape", names[i], place);
    put_pose(builder, part, &geometry->origin, place);
  }
  return DC_OK;
}

// Collisions or visuals of a link; their number.
static int gather(const struct builder *builder, const struct dc_urdf_link *link, bool visual, int *indices)
{
  int count = 0;
  for (int i = link->first_geometry; i < link->first_geometry + link->geometries; i++)
    if (builder->urdf->geometries[i].visual == visual)
      indices[count++] = i;
  return count;
}

static bool looks_same(const struct builder *builder, int a, int b)
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
static bool are_shown(struct builder *builder, const int *visuals, int visual_count, const int *collisions,
                      int collision_count)
{
  bool same = visual_count == collision_count;
  for (int i = 0; i < visual_count; i++) {
    const struct dc_urdf_geometry *geometry = &builder->urdf->geometries[visuals[i]];
    if (geometry->type == DC_URDF_MESH && !builder->use->files[visuals[i]]) {
      *builder->skipped += visual_count;
      return false;
    }
  }
  for (int i = 0; i < visual_count && same; i++)
    same = looks_same(builder, visuals[i], collisions[i]);
  return visual_count > 0 && !same;
}

// "shape" and "visual" of a link's body.
static enum dc_status put_shapes(struct builder *builder, cJSON *body, const struct dc_urdf_link *link, int place)
{
  int *collisions = dc_alloc(2 * (size_t)link->geometries + 1, sizeof *collisions);
  if (!collisions)
    return dc_fail(builder->error, DC_MEMORY, "%.300s: out of memory", builder->urdf->name);
  int *visuals = collisions + link->geometries;
  int collision_count = gather(builder, link, false, collisions), visual_count = gather(builder, link, true, visuals);
  enum dc_status status = DC_OK;
  if (collision_count) {
    const char *name = named(builder, link->name, "");
    status = add_geometries(builder, name, collisions, collision_count);
    put_string(builder, body, "shape", name, place);
  }
  if (!status && are_shown(builder, visuals, visual_count, collisions, collision_count)) {
    const char *name = named(builder, link->name, ":visual");
    status = add_geometries(builder, name, visuals, visual_count);
    put_string(builder, body, "visual", name, place);
  }
  free(collisions);
  return status;
}

// I in the link's axes: R I R^T, with R the rotation of the frame that it is given in.
static void put_inertia(struct builder *builder, cJSON *body, const struct dc_urdf_link *link, int place)
{
  const double *given = link->inertia;
  const double tensor[9] = {given[0], given[3], given[4], given[3], given[1], given[5], given[4], given[5], given[2]};
  double rotation[9], half[9], turned[9];
  dc_rotation_matrix(rotation, link->inertial.rotation);
  dc_mat_multiply(half, rotation, tensor);
  dc_mat_multiply_transposed(turned, half, rotation);
  put_number(builder, body, "mass", link->mass, place);
  put_numbers(builder, body, "center_of_mass", link->inertial.position, 3, place);
  put_numbers(builder, body, "inertia", (double[6]){turned[0], turned[4], turned[8], turned[1], turned[2], turned[5]},
              6, place);
}

static double start_of(const struct builder *builder, int index)
{
  const struct dc_urdf_joint *joint = &builder->urdf->joints[index];
  double given = builder->use->start[index];
  if (!isnan(given))
    return given;
  return joint->limited ? fmin(fmax(0, joint->lower), joint->upper) : 0;
}

static void put_copy(struct builder *builder, cJSON *object, const char *key, const cJSON *value)
{
  cJSON *copied = cJSON_Duplicate(value, true);
  put(builder, object, key, copied, value->valueint);
}

// A joint of the robot; frame is its own frame seen from where axes and anchors are given.
static void put_joint(struct builder *builder, cJSON *body, int index, const struct dc_urdf_pose *frame, bool moved,
                      int place)
{
  static const char *const types[] = {"hinge", "hinge", "slide", "fixed", "free", "planar"};
  const struct dc_urdf_joint *joint = &builder->urdf->joints[index];
  bool fixed = dc_urdf_joint_is_fixed(joint), scalar = dc_urdf_joint_is_scalar(joint);
  put_string(builder, body, "joint", fixed ? "fixed" : types[joint->type], place);
  if (fixed || joint->type == DC_URDF_FLOATING)
    return;
  double rotation[9], axis[3];
  dc_rotation_matrix(rotation, frame->rotation);
  dc_mat_apply(axis, rotation, joint->axis);
  put_direction(builder, body, "axis", axis, 3, place);
  if (moved)
    put_numbers(builder, body, "anchor", frame->position, 3, place);
  if (joint->limited)
    put_numbers(builder, body, "range", (double[2]){joint->lower, joint->upper}, 2, place);
  if (!scalar || joint->mimic >= 0)  // followers start where their coupling says
    return;
  double start = start_of(builder, index);
  if (start != 0)
    put_numbers(builder, body, "joint_position", &start, 1, place);
  if (builder->use->pd)
    put_copy(builder, body, "pd", builder->use->pd);
}

// Joint and place of the body of link, which the joint of head (link itself or a frame above) moves.
static enum dc_status put_motion(struct builder *builder, cJSON *body, int link, int head, int place)
{
  const struct dc_urdf *urdf = builder->urdf;
  const struct dc_urdf_use *use = builder->use;
  const struct dc_urdf_joint *joint = joint_to(urdf, head);
  const struct placement *above = joint ? &builder->links[joint->parent] : NULL;
  struct dc_urdf_pose pose = use->pose;
  char quoted[DC_JSON_QUOTED];
  if (joint) {
    struct dc_urdf_pose step = joint_pose(joint);
    dc_urdf_pose_compose(&pose, &above->pose, &step);
    place = add_place(builder, joint->offset);
    if (joint->type == DC_URDF_FLOATING && above->carrier >= 0)
      return dc_urdf_fail(urdf, joint->offset, builder->error, DC_BAD_INPUT,
                          "joint %s: a floating joint must hang on a root that is fixed and a frame only",
                          dc_json_quote(quoted, joint->name));
    if (above->carrier >= 0) {
      put_string(builder, body, "parent", named(builder, urdf->links[above->carrier].name, ""), place);
      put_string(builder, body, "frame", "parent", place);
    }
    put_joint(builder, body, urdf->links[head].joint, &pose, link != head, place);
  } else if (use->base) {
    put_copy(builder, body, "joint", use->base);
    if (use->base_anchored && link != head)
      put_numbers(builder, body, "anchor", use->pose.position, 3, use->base->valueint);
  } else {
    put_string(builder, body, "joint", "fixed", place);
  }
  if (link != head)
    dc_urdf_pose_compose(&pose, &pose, &builder->links[head].first_pose);
  put_pose(builder, body, &pose, place);
  return DC_OK;
}

static void put_look(struct builder *builder, cJSON *body, const struct dc_urdf_link *link, int place)
{
  const double *color = isnan(builder->use->color[0]) ? NULL : builder->use->color;
  for (int i = link->first_geometry; i < link->first_geometry + link->geometries && !color; i++)
    if (builder->urdf->geometries[i].colored)
      color = builder->urdf->geometries[i].rgb;
  if (color)
    put_numbers(builder, body, "color", color, 3, place);
}

static void put_coupling(struct builder *builder, int link, const struct dc_urdf_joint *joint, const int *carried)
{
  const struct dc_urdf *urdf = builder->urdf;
  int place = add_place(builder, joint->offset), leader = carried[urdf->joints[joint->mimic].child];
  if (!builder->couplings) {
    builder->couplings = cJSON_GetObjectItemCaseSensitive(builder->document->root, "couplings");
    if (!builder->couplings)
      builder->couplings =
          put(builder, builder->document->root, "couplings", cJSON_CreateArray(), builder->at->valueint);
  }
  cJSON *coupling = put(builder, builder->couplings, NULL, cJSON_CreateObject(), place);
  put_string(builder, coupling, "body", named(builder, urdf->links[link].name, ""), place);
  put_string(builder, coupling, "to", named(builder, urdf->links[leader].name, ""), place);
  put_number(builder, coupling, "multiplier", joint->multiplier, place);
  put_number(builder, coupling, "offset", joint->shift, place);
}

// head: the link whose joint moves the body of link.
static enum dc_status add_body(struct builder *builder, int link, int head)
{
  const struct dc_urdf_link *given = &builder->urdf->links[link];
  int place = add_place(builder, given->offset);
  cJSON *body = put(builder, builder->bodies, NULL, cJSON_CreateObject(), place);
  put_string(builder, body, "name", named(builder, given->name, ""), place);
  enum dc_status status = put_motion(builder, body, link, head, place);
  if (status || (status = put_shapes(builder, body, given, place)))
    return status;
  if (given->mass > 0)
    put_inertia(builder, body, given, place);
  else if (!isnan(builder->use->density))
    put_number(builder, body, "density", builder->use->density, place);
  if (!builder->use->collide)
    put(builder, body, "collide", cJSON_CreateFalse(), place);
  put_look(builder, body, given, place);
  return DC_OK;
}

// heads [link_count]: of a link with a body the link whose joint moves that; carried: the inverse.
static enum dc_status add_bodies(struct builder *builder, int *heads, int *carried)
{
  const struct dc_urdf *urdf = builder->urdf;
  for (size_t i = 0; i < urdf->link_count; i++) {
    heads[i] = builder->links[i].carrier == (int)i ? (int)i : -1;
    carried[i] = (int)i;
  }
  for (size_t i = 0; i < urdf->link_count; i++)
    if (is_head(builder, (int)i)) {
      heads[builder->links[i].carrier] = (int)i;
      carried[i] = builder->links[i].carrier;
    }
  for (size_t k = 0; k < urdf->link_count; k++) {
    int link = urdf->order[k];
    if (heads[link] < 0) {  // a frame, whose visuals have nothing to be shown on
      *builder->skipped += urdf->links[link].geometries;
      continue;
    }
    enum dc_status status = add_body(builder, link, heads[link]);
    if (status)
      return status;
  }
  for (size_t k = 0; k < urdf->link_count; k++) {
    int link = urdf->order[k];
    const struct dc_urdf_joint *joint = heads[link] < 0 ? NULL : joint_to(urdf, heads[link]);
    if (joint && joint->mimic >= 0)
      put_coupling(builder, link, joint, carried);
  }
  return DC_OK;
}

static cJSON *collection(struct builder *builder, const char *key, bool object)
{
  cJSON *root = builder->document->root, *found = cJSON_GetObjectItemCaseSensitive(root, key);
  if (found)
    return found;
  return put(builder, root, key, object ? cJSON_CreateObject() : cJSON_CreateArray(), builder->at->valueint);
}

enum dc_status dc_urdf_add(const struct dc_urdf *urdf, const struct dc_urdf_use *use, struct dc_json_document *document,
                           uint32_t source, const cJSON *at, int *skipped, struct dc_error *error)
{
  struct builder builder = {
      .urdf = urdf, .use = use, .document = document, .source = source, .at = at, .skipped = skipped, .error = error};
  builder.links = dc_alloc(urdf->link_count, sizeof *builder.links);
  int *heads = dc_alloc(2 * urdf->link_count, sizeof *heads);
  builder.shapes = collection(&builder, "shapes", true);
  builder.bodies = collection(&builder, "bodies", false);
  enum dc_status status = DC_OK;
  if (!builder.links || !heads || builder.failed) {
    builder.failed = true;
  } else {
    builder.shape_count = cJSON_GetArraySize(builder.shapes);
    status = place_links(&builder);
    if (!status)
      status = add_bodies(&builder, heads, heads + urdf->link_count);
  }
  free(builder.links);
  free(heads);
  if (!status && builder.failed)
    status = dc_fail(error, DC_MEMORY, "%.300s: out of memory", urdf->name);
  return status;
}
