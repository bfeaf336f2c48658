// SPDX-License-Identifier: Apache-2.0
// How the body of a link of a robot moves: its joint or joints, where their coordinates start, their passive
// properties, actuators and limits, and its place at rest.
//
// A body has the joint of its link's head, or a chain of joints: those of frames without mass above it and its own, the
// outermost first.  Axes and anchors are written in the frame of the body that carries it.  The actuator of a chain has
// one list of gains if those of its joints differ, and one limit of force and of speed: the least of its joints'.
#include <math.h>
#include <string.h>

#include "io/robot/urdf_build.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_CHAIN = 6 };  // joints of a body

// The include's start, else the file's, else 0, moved into the range where it is outside, with a note.
static double start_of(struct dc_urdf_builder *builder, int index)
{
  const struct dc_urdf_joint *joint = &builder->urdf->joints[index];
  double given = builder->use->start[index], start = joint->initial;
  if (!isnan(given))
    return given;
  double inside = joint->limited ? fmin(fmax(start, joint->lower), joint->upper) : start;
  if (inside != start)
    dc_urdf_remember_numbers(builder, &builder->remarks.started, "%s from %.6g to %.6g", joint->name, start, inside);
  return inside;
}

static cJSON *put_copy(struct dc_urdf_builder *builder, cJSON *object, const char *key, const cJSON *value)
{
  cJSON *copied = cJSON_Duplicate(value, true);
  return dc_urdf_put(builder, object, key, copied, value->valueint);
}

// The scene's words, by enum dc_urdf_joint_type.
static const char *const joint_types[] = {"hinge", "hinge", "slide", "fixed", "free", "planar", "ball"};

// For joints in chains, where those without coordinates do not occur.
static int coordinates_of(const struct dc_urdf_joint *joint)
{
  return joint->type == DC_URDF_PLANAR || joint->type == DC_URDF_BALL ? 3 : 1;
}

// The gains of a joint, NULL: it is passive.
static const cJSON *gains_of(struct dc_urdf_builder *builder, int index)
{
  const struct dc_urdf_joint *joint = &builder->urdf->joints[index];
  const cJSON *own = builder->use->pd_of ? builder->use->pd_of[index] : NULL;
  if (own)
    return cJSON_IsNull(own) ? NULL : own;
  if (!builder->urdf->actuators || joint->actuated)
    return builder->use->pd;
  if (builder->use->pd)
    dc_urdf_remember(builder, &builder->remarks.passive, joint->name);
  return NULL;
}

static double number_of(const cJSON *object, const char *key)
{
  const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

// Gains of several coordinates that differ.
static void put_each(struct dc_urdf_builder *builder, cJSON *pd, const char *list, const char *key, const cJSON **gains,
                     const int *joints, int count)
{
  double numbers[3 * MOST_CHAIN];
  int n = 0;
  for (int k = 0; k < count; k++) {
    const struct dc_urdf_joint *joint = &builder->urdf->joints[joints[k]];
    bool turns = joint->type == DC_URDF_REVOLUTE || joint->type == DC_URDF_CONTINUOUS;
    const char *other = strcmp(key, "kp") == 0 ? "kp_rotation" : "kd_rotation";
    bool apart = gains[k] && turns && cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(gains[k], other));
    for (int c = 0; c < coordinates_of(joint); c++)
      numbers[n++] = gains[k] ? number_of(gains[k], apart ? other : key) : 0;
  }
  dc_urdf_put_numbers(builder, pd, list, numbers, n, pd ? pd->valueint : 0);
}

// The actuator of a body that these joints move.  It has one limit: the least of theirs; 0 in a file is none.
static void put_pd(struct dc_urdf_builder *builder, cJSON *body, const int *joints, int count)
{
  double effort = INFINITY;
  const cJSON *gains[MOST_CHAIN], *first = NULL;
  bool differ = false;
  for (int k = 0; k < count; k++) {
    gains[k] = gains_of(builder, joints[k]);
    first = first ? first : gains[k];
  }
  if (!first)
    return;
  cJSON *pd = put_copy(builder, body, "pd", first);
  for (int k = 0; k < count; k++)
    differ |= gains[k] != first;
  if (differ) {
    put_each(builder, pd, "kp_each", "kp", gains, joints, count);
    put_each(builder, pd, "kd_each", "kd", gains, joints, count);
  }
  for (int k = 0; k < count; k++)
    if (gains[k] && builder->urdf->joints[joints[k]].effort > 0)
      effort = fmin(effort, builder->urdf->joints[joints[k]].effort);
  if (builder->use->effort && isfinite(effort) && cJSON_IsObject(pd) && !cJSON_HasObjectItem(pd, "effort"))
    dc_urdf_put_number(builder, pd, "effort", effort, pd->valueint);
}

// The limits of speed and force of the joints that move a body: the least of theirs; 0 in a file is none.
static void put_limits(struct dc_urdf_builder *builder, cJSON *body, const int *joints, int count)
{
  double speed = INFINITY, effort = INFINITY;
  for (int k = 0; k < count; k++) {
    const struct dc_urdf_joint *joint = &builder->urdf->joints[joints[k]];
    bool moves = joint->type != DC_URDF_FLOATING && joint->type != DC_URDF_FIXED;
    if (joint->velocity > 0 && moves)
      speed = fmin(speed, joint->velocity);
    if (joint->effort > 0 && moves && builder->use->effort)
      effort = fmin(effort, joint->effort);
  }
  if (isfinite(speed))
    dc_urdf_put_number(builder, body, "velocity_limit", speed, builder->at->valueint);
  if (isfinite(effort))
    dc_urdf_put_number(builder, body, "effort_limit", effort, builder->at->valueint);
}

// Axis, anchor and range of a joint of the robot; frame is its own frame seen from where axes and anchors are given.
static void put_axis(struct dc_urdf_builder *builder, cJSON *object, int index, const struct dc_urdf_pose *frame,
                     bool moved, int place)
{
  const struct dc_urdf_joint *joint = &builder->urdf->joints[index];
  double rotation[9], axis[3];
  dc_rotation_matrix(rotation, frame->rotation);
  dc_mat_apply(axis, rotation, joint->axis);
  dc_urdf_put_direction(builder, object, "axis", axis, 3, place);
  if (moved)
    dc_urdf_put_numbers(builder, object, "anchor", frame->position, 3, place);
  if (joint->limited)
    dc_urdf_put_numbers(builder, object, "range", (double[2]){joint->lower, joint->upper}, 2, place);
}

// The joints that move the body of head, those of frames above it first: their number, MOST_CHAIN + 1 for more.
static int list_chain(const struct dc_urdf_builder *builder, int head, int chain[MOST_CHAIN])
{
  int count = 0, link = head;
  for (; link >= 0 && count < MOST_CHAIN; count++) {
    chain[count] = builder->urdf->links[link].joint;
    link = builder->links[builder->urdf->joints[chain[count]].parent].pending;
  }
  for (int i = 0; i < count / 2; i++) {
    int other = chain[count - 1 - i];
    chain[count - 1 - i] = chain[i];
    chain[i] = other;
  }
  return link >= 0 ? MOST_CHAIN + 1 : count;
}

// The passive properties of a joint, in an object of its own.
static void put_passive(struct dc_urdf_builder *builder, cJSON *object, const struct dc_urdf_joint *joint, int place)
{
  const struct {
    const char *key;
    double number;
  } numbers[] = {{"damping", joint->damping},
                 {"armature", joint->armature},
                 {"dry_friction", joint->friction},
                 {"stiffness", joint->stiffness},
                 {"rest", joint->stiffness > 0 ? joint->rest : 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (numbers[i].number != 0)
      dc_urdf_put_number(builder, object, numbers[i].key, numbers[i].number, place);
}

// Whether a joint has passive properties that act; those that the include turns off are told.
static bool is_passive(struct dc_urdf_builder *builder, const struct dc_urdf_joint *joint)
{
  bool given = joint->damping > 0 || joint->armature > 0 || joint->friction > 0 || joint->stiffness > 0;
  if (given && !builder->use->dynamics)
    dc_urdf_remember(builder, &builder->remarks.damped, joint->name);
  return given && builder->use->dynamics;
}

// Where the coordinates of a joint start: their number.
static int starts_of(struct dc_urdf_builder *builder, int index, double *start)
{
  start[0] = start[1] = start[2] = 0;
  if (coordinates_of(&builder->urdf->joints[index]) == 3)
    return 3;
  start[0] = start_of(builder, index);
  return 1;
}

// Several joints: those of frames without mass and that of head, outermost first.
static enum dc_status put_chain(struct dc_urdf_builder *builder, cJSON *body, int head, const int *chain, int count)
{
  const struct dc_urdf *urdf = builder->urdf;
  cJSON *list = dc_urdf_put(builder, body, "joint", cJSON_CreateArray(), builder->at->valueint);
  double starts[3 * MOST_CHAIN];
  int coordinates = 0;
  bool started = false;
  if (count > MOST_CHAIN)
    return dc_urdf_fail_link(builder, head, "more than 6 joints lead to it over links without mass");
  for (int k = 0; k < count; k++) {
    const struct dc_urdf_joint *joint = &urdf->joints[chain[k]];
    int place = dc_urdf_add_place(builder, joint->offset);
    if (dc_urdf_is_led(urdf, chain[k]))
      return dc_urdf_fail_link(
          builder, head,
          "hangs on links without mass, so that its joint and theirs can neither follow nor be followed");
    struct dc_urdf_pose frame = dc_urdf_joint_pose(joint);
    dc_urdf_pose_compose(&frame, &builder->links[joint->parent].pose, &frame);
    cJSON *object = dc_urdf_put(builder, list, NULL, cJSON_CreateObject(), place);
    dc_urdf_put_string(builder, object, "type", joint_types[joint->type], place);
    if (joint->type != DC_URDF_BALL)
      put_axis(builder, object, chain[k], &frame, true, place);
    else
      dc_urdf_put_numbers(builder, object, "anchor", frame.position, 3, place);
    if (is_passive(builder, joint))
      put_passive(builder, object, joint, place);
    if (dc_urdf_joint_is_scalar(joint))
      dc_urdf_note_start(builder, body, coordinates, joint->name);
    coordinates += starts_of(builder, chain[k], starts + coordinates);
  }
  for (int c = 0; c < coordinates; c++)
    started |= starts[c] != 0;
  if (started)
    dc_urdf_put_numbers(builder, body, "joint_position", starts, coordinates, builder->at->valueint);
  put_pd(builder, body, chain, count);
  put_limits(builder, body, chain, count);
  return DC_OK;
}

// The single joint of a body.  Its properties stand in an object where there are any, else its type is a word.
// Followers have neither start nor actuator, since the coupling leads them.
static void put_joint(struct dc_urdf_builder *builder, cJSON *body, int index, const struct dc_urdf_pose *frame,
                      bool moved, int place)
{
  const struct dc_urdf_joint *joint = &builder->urdf->joints[index];
  bool fixed = dc_urdf_joint_is_fixed(joint), scalar = dc_urdf_joint_is_scalar(joint);
  if (!fixed && joint->type != DC_URDF_FLOATING && is_passive(builder, joint)) {
    cJSON *object = dc_urdf_put(builder, body, "joint", cJSON_CreateObject(), place);
    dc_urdf_put_string(builder, object, "type", joint_types[joint->type], place);
    put_passive(builder, object, joint, place);
  } else {
    dc_urdf_put_string(builder, body, "joint", fixed ? "fixed" : joint_types[joint->type], place);
  }
  if (fixed || joint->type == DC_URDF_FLOATING)
    return;
  if (joint->type != DC_URDF_BALL)
    put_axis(builder, body, index, frame, moved, place);
  else if (moved)
    dc_urdf_put_numbers(builder, body, "anchor", frame->position, 3, place);
  if (!scalar || joint->mimic >= 0)  // followers start where their coupling says
    return;
  double start = start_of(builder, index);
  dc_urdf_note_start(builder, body, 0, joint->name);
  if (start != 0)
    dc_urdf_put_numbers(builder, body, "joint_position", &start, 1, place);
  put_pd(builder, body, &index, 1);
  put_limits(builder, body, &index, 1);
}

// Joint and pose of the body of link, whose motion is that of the joint of head (the same link, or a frame
// above that moves with it).  A root without joint has the base that the include gives, or is fixed.  The pose
// is relative to the body that carries the joint, and to the world where there is none.
enum dc_status dc_urdf_put_motion(struct dc_urdf_builder *builder, cJSON *body, int link, int head, int place)
{
  const struct dc_urdf *urdf = builder->urdf;
  const struct dc_urdf_use *use = builder->use;
  const struct dc_urdf_joint *joint = dc_urdf_joint_to(urdf, head);
  const struct dc_urdf_placement *above = joint ? &builder->links[joint->parent] : NULL;
  struct dc_urdf_pose pose = use->pose;
  char quoted[DC_JSON_QUOTED];
  if (joint) {
    struct dc_urdf_pose step = dc_urdf_joint_pose(joint);
    dc_urdf_pose_compose(&pose, &above->pose, &step);
    place = dc_urdf_add_place(builder, joint->offset);
    if (joint->type == DC_URDF_FLOATING && above->carrier >= 0)
      return dc_urdf_fail(urdf, joint->offset, builder->error, DC_BAD_INPUT,
                          "joint %s: a floating joint must hang on a root that is fixed and a frame only",
                          dc_json_quote(quoted, joint->name));
    if (above->carrier >= 0) {
      dc_urdf_put_string(builder, body, "parent", dc_urdf_named(builder, urdf->links[above->carrier].name, ""), place);
      dc_urdf_put_string(builder, body, "frame", "parent", place);
    }
    int chain[MOST_CHAIN], count = list_chain(builder, head, chain);
    enum dc_status status = count > 1 ? put_chain(builder, body, head, chain, count) : DC_OK;
    if (status)
      return status;
    if (count == 1)
      put_joint(builder, body, urdf->links[head].joint, &pose, link != head, place);
  } else if (use->base) {
    put_copy(builder, body, "joint", use->base);
    if (use->base_anchored && link != head)
      dc_urdf_put_numbers(builder, body, "anchor", use->pose.position, 3, use->base->valueint);
  } else {
    dc_urdf_put_string(builder, body, "joint", "fixed", place);
  }
  if (link != head)
    dc_urdf_pose_compose(&pose, &pose, &builder->links[head].first_pose);
  dc_urdf_put_pose(builder, body, &pose, place);
  return DC_OK;
}
