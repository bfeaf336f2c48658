// SPDX-License-Identifier: Apache-2.0
// Entries of a scene's tree for a robot: numbers, strings, directions and poses with the places in the file that they
// come from, so that errors in the scene name the line of the robot's file.  Running out of memory is remembered.
// Then questions about links and joints that the files of this folder share.
#include "io/robot/urdf_build.h"

#include <math.h>
#include <string.h>

#include "math/rotation.h"
#include "math/vector.h"

// Every node of a scene's tree has a place of which valueint is the index; here it points into the robot's
// file.
int dc_urdf_add_place(struct dc_urdf_builder *builder, size_t offset)
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

// Adds a node to an object or, key NULL, to an array, and gives it its place.  It owns node from the call on,
// and a node that could not be made (NULL) marks the builder as failed, so that callers need not check each
// one.
cJSON *dc_urdf_put(struct dc_urdf_builder *builder, cJSON *container, const char *key, cJSON *node, int place)
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

// string NULL means that memory was out where it was made.
void dc_urdf_put_string(struct dc_urdf_builder *builder, cJSON *object, const char *key, const char *string, int place)
{
  dc_urdf_put(builder, object, key, string ? cJSON_CreateString(string) : NULL, place);
}

void dc_urdf_put_number(struct dc_urdf_builder *builder, cJSON *object, const char *key, double number, int place)
{
  dc_urdf_put(builder, object, key, cJSON_CreateNumber(number + 0.0), place);  // no negative zeros
}

// All numbers get the place of the array, which is where the file has them.
void dc_urdf_put_numbers(struct dc_urdf_builder *builder, cJSON *object, const char *key, const double *numbers,
                         int count, int place)
{
  cJSON *array = dc_urdf_put(builder, object, key, cJSON_CreateArray(), place);
  for (int i = 0; i < count && array; i++)
    dc_urdf_put_number(builder, array, NULL, numbers[i], place);
}

// Components that are rounding errors become 0, which keeps files readable and symmetric scenes symmetric.
void dc_urdf_put_direction(struct dc_urdf_builder *builder, cJSON *object, const char *key, const double *direction,
                           int count, int place)
{
  double clean[4];
  for (int i = 0; i < count; i++)
    clean[i] = fabs(direction[i]) < 1e-15 ? 0 : direction[i];
  dc_urdf_put_numbers(builder, object, key, clean, count, place);
}

// Whether a pose is exactly the identity; -1 is the same rotation as 1.
bool dc_urdf_is_still(const struct dc_urdf_pose *pose)
{
  const double *p = pose->position, *q = pose->rotation;
  return p[0] == 0 && p[1] == 0 && p[2] == 0 && fabs(q[0]) == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

// Position and rotation, each left out where it says nothing.
void dc_urdf_put_pose(struct dc_urdf_builder *builder, cJSON *object, const struct dc_urdf_pose *pose, int place)
{
  const double *p = pose->position;
  struct dc_urdf_pose turn = {{0, 0, 0}, {pose->rotation[0], pose->rotation[1], pose->rotation[2], pose->rotation[3]}};
  if (p[0] != 0 || p[1] != 0 || p[2] != 0)
    dc_urdf_put_numbers(builder, object, "position", p, 3, place);
  if (!dc_urdf_is_still(&turn))
    dc_urdf_put_direction(builder, object, "rotation", pose->rotation, 4, place);
}

// The name in the scene: the include's prefix, the file's name, an ending.  It lives in the arena; "" when memory is
// out.
const char *dc_urdf_named(struct dc_urdf_builder *builder, const char *name, const char *ending)
{
  char *text = dc_arena_printf(builder->urdf->arena, "%s%s%s", builder->use->prefix, name, ending);
  if (!text)
    builder->failed = true;
  for (char *slash = text; slash && (slash = strchr(slash, '/'));)
    *slash = '_';  // which names in scenes cannot have
  return text ? text : "";
}

// The joint that leads to a link; NULL for the root.
const struct dc_urdf_joint *dc_urdf_joint_to(const struct dc_urdf *urdf, int link)
{
  return urdf->links[link].joint < 0 ? NULL : &urdf->joints[urdf->links[link].joint];
}

// The pose of a joint's frame in its parent.  A joint whose range is a single value is fixed there, so that
// value is part of the pose.
struct dc_urdf_pose dc_urdf_joint_pose(const struct dc_urdf_joint *joint)
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

// Whether a joint follows another or is followed: its coordinate is then part of a coupling.
bool dc_urdf_is_led(const struct dc_urdf *urdf, int joint)
{
  bool led = urdf->joints[joint].mimic >= 0;
  for (size_t j = 0; j < urdf->joint_count; j++)
    led |= urdf->joints[j].mimic == joint;
  return led;
}

// Links of one model touch only if one of them asks for it ("self_collide" of SDF).  Bits of the filters are those of
// SDF's collide_bitmask, or category and mask; one direction is enough.
bool dc_urdf_touch_by_file(const struct dc_urdf_link *a, const struct dc_urdf_link *b)
{
  bool apart = a->model != b->model || a->self_collide || b->self_collide;
  return apart && ((a->category & b->mask) | (b->category & a->mask)) != 0;
}

// DC_BAD_INPUT with the link's place and name.
enum dc_status dc_urdf_fail_link(const struct dc_urdf_builder *builder, int link, const char *rule)
{
  const struct dc_urdf *urdf = builder->urdf;
  char quoted[DC_JSON_QUOTED];
  return dc_urdf_fail(urdf, urdf->links[link].offset, builder->error, DC_BAD_INPUT, "link %s: %s",
                      dc_json_quote(quoted, urdf->links[link].name), rule);
}

// Remembers which coordinate of which body a named joint is, for starts that are given by names of joints.
void dc_urdf_note_start(struct dc_urdf_builder *builder, const cJSON *body, int coordinate, const char *joint)
{
  const struct dc_urdf_use *use = builder->use;
  if (!use->starts || !joint || !joint[0])
    return;
  struct dc_robot_start *start = dc_arena_alloc(use->arena, 1, sizeof *start);
  const char *name = dc_arena_strdup(use->arena, cJSON_GetStringValue(cJSON_GetObjectItem(body, "name")));
  joint = dc_arena_strdup(use->arena, joint);
  if (start && name && joint) {
    *start = (struct dc_robot_start){name, joint, coordinate, use->include, *use->starts};
    *use->starts = start;
  } else {
    builder->failed = true;
  }
}

// Appends a name to a list that has room for all links and joints, which is why each may be remembered once
// only.
void dc_urdf_remember(struct dc_urdf_builder *builder, struct dc_urdf_names *links, const char *name)
{
  if (!links->names)
    links->names = dc_arena_alloc(builder->urdf->arena, builder->urdf->link_count + builder->urdf->joint_count,
                                  sizeof *links->names);
  if (links->names)
    links->names[links->count++] = name;
  else
    builder->failed = true;
}

// A line of a note with a name and two numbers, printed by the format.
void dc_urdf_remember_numbers(struct dc_urdf_builder *builder, struct dc_urdf_names *links, const char *format,
                              const char *name, double first, double second)
{
  const char *text = dc_arena_printf(builder->urdf->arena, format, name, first, second);
  if (text)
    dc_urdf_remember(builder, links, text);
  else
    builder->failed = true;
}
