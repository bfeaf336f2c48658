// SPDX-License-Identifier: Apache-2.0
// Bodies that an MJCF file holds to others by <weld> and <connect>.  One of the two bodies may hang on nothing else,
// and is then hung where it is held:
//   1. <weld> of a body to what its joint hangs it on (the world, a mocap body) leaves the joint no motion: it is
//      fixed.
//   2. <weld> of a free body to any other that does not hang on it hangs it there, fixed.
//   3. <connect> of a free body turns its joint into a ball joint about the anchor, on the other body.
// A body that is fixed to another stands for it.  The relative pose is that of relpose, or that of the description.
// Otherwise the equality closes a loop, and ties hold points of the two bodies together.  A <connect> ties its anchor.
// A <weld> ties three points of body2, its origin and those "torquescale" away along two of its axes, so that errors of
// angles count like those of places at that distance; one whose "torquescale" is 0 is a <connect> at its anchor. An
// equality of a single joint locks it: it goes, and its body stands where the equality has it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/mjcf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { WELD_POINTS = 3, MOST_TIES = 1000, MOST_LOOKS = 20000000 };  // looks at bodies, of all equalities: a second

// One equality while it is read.  A relative position of NAN stands for the pose of the description.
struct hold {
  const struct dc_mjcf_node *node;
  bool weld, apart;              // apart: points[1] is not where the anchor is
  int bodies[2];                 // body1, body2
  struct dc_urdf_pose relative;  // of body2 in body1
  double anchor[3];              // in body1
  double other[3];               // the point of body2 that is to be there, where apart
  double lever;                  // m
};

// The inverse pose: x = R^T (y - p).
static void invert(struct dc_urdf_pose *out, const struct dc_urdf_pose *pose)
{
  double matrix[9], moved[3];
  struct dc_urdf_pose result;
  dc_rotation_conjugate(result.rotation, pose->rotation);
  dc_rotation_matrix(matrix, pose->rotation);
  dc_mat_apply_transposed(moved, matrix, pose->position);
  dc_vec_scale(result.position, moved, -1);
  *out = result;
}

// The pose of a in the frame of b, of poses in the world.
static void seen_from(struct dc_urdf_pose *out, const struct dc_urdf_pose *b, const struct dc_urdf_pose *a)
{
  struct dc_urdf_pose back;
  invert(&back, b);
  dc_urdf_pose_compose(out, &back, a);
}

// Whether body hangs on top, directly or not, or is top itself.  Parents have lower numbers than what hangs on
// them, so the walk upwards can stop as soon as it is past top.
static bool is_below(const struct dc_mjcf *model, int body, int top)
{
  while (body > top)
    body = model->bodies[body].parent;
  return body == top;
}

// Whether a free joint is all that moves the body.
static bool is_free(const struct dc_mjcf *model, int body)
{
  const struct dc_mjcf_body *own = &model->bodies[body];
  return own->joints == 1 && model->joints[own->first_joint].type == DC_MJCF_FREE;
}

// Behind the last body that hangs on body.
static int end_of(const struct dc_mjcf *model, int body)
{
  int end = body + 1;
  while (end < (int)model->body_count && is_below(model, end, body))
    end++;
  return end;
}

// Moves body `top` and what hangs on it behind all that hangs on `on`, on which it is to hang; its new number.
// Bodies are numbered with parents before children, and what hangs on a body follows it without a gap.  All lists
// that hold numbers of bodies are renumbered: geometries, joints, exclusions, sites and ties.
static int move_behind(struct dc_mjcf_reader *reader, int top, int on)
{
  struct dc_mjcf *model = reader->model;
  int count = (int)model->body_count, end = end_of(model, top), place = end_of(model, on), next = 0;
  struct dc_mjcf_body *old = dc_alloc((size_t)count, sizeof *old);
  int *number = dc_alloc((size_t)count, sizeof *number);
  if (!old || !number) {
    dc_mjcf_refuse(reader, model->root, DC_MEMORY, "out of memory");
    free(old);
    free(number);
    return top;
  }
  memcpy(old, model->bodies, (size_t)count * sizeof *old);
  for (int b = 0; b <= count; b++) {
    for (int k = top; b == place && k < end; k++)
      number[k] = next++;
    if (b < count && (b < top || b >= end))
      number[b] = next++;
  }
  for (int b = 0; b < count; b++) {
    struct dc_mjcf_body *body = &model->bodies[number[b]];
    *body = old[b];
    body->group = number[old[b].group];
    body->above = number[old[b].above];
    if (b > 0)
      body->parent = number[old[b].parent];
  }
  for (size_t g = 0; g < model->geom_count; g++)
    model->geoms[g].body = number[model->geoms[g].body];
  for (size_t j = 0; j < model->joint_count; j++)
    model->joints[j].body = number[model->joints[j].body];
  for (size_t e = 0; e < model->excluded_count; e++)
    for (int k = 0; k < 2; k++)
      model->excluded[e][k] = number[model->excluded[e][k]];
  for (size_t s = 0; s < model->ties.site_count; s++)
    model->ties.sites[s].body = number[model->ties.sites[s].body];
  for (size_t t = 0; t < model->ties.count; t++)
    for (int k = 0; k < 2; k++)
      model->ties.list[t].bodies[k] = number[model->ties.list[t].bodies[k]];
  model->bodies[number[top]].parent = number[on];
  int moved = number[top];
  free(old);
  free(number);
  return moved;
}

// Finds again which bodies are fixed to the world and to what.
static void find_fixed(struct dc_mjcf *model)
{
  for (size_t b = 1; b < model->body_count; b++) {
    struct dc_mjcf_body *body = &model->bodies[b];
    const struct dc_mjcf_body *above = &model->bodies[body->parent];
    body->still = body->joints == 0 && above->still;
    body->weld = body->joints ? (int)b : above->weld;
  }
}

// The joint of a body on the world becomes a ball about a point of the body.
static void make_ball(struct dc_mjcf *model, int body, const double anchor[3])
{
  struct dc_mjcf_joint *joint = &model->joints[model->bodies[body].first_joint];
  joint->type = DC_MJCF_BALL;
  joint->held = true;
  joint->dof += 3;
  dc_vec_copy(joint->pos, anchor);
}

// The body becomes fixed to its parent.  Its joints stay in the model's list, marked, since keyframes count
// them.
static void drop_joints(struct dc_mjcf *model, int body)
{
  struct dc_mjcf_body *own = &model->bodies[body];
  for (int k = 0; k < own->joints; k++)
    model->joints[own->first_joint + k].held = true;
  own->joints = 0;
}

// The move of a body by its joint, from where the description has it.
static void move_along(const struct dc_mjcf_joint *joint, double place, struct dc_urdf_pose *pose)
{
  struct dc_urdf_pose moved = dc_urdf_identity;
  double matrix[9], turned[3];
  if (joint->type == DC_MJCF_SLIDE) {
    dc_vec_scale(moved.position, joint->axis, place);
  } else {
    moved.rotation[0] = cos(0.5 * place);
    dc_vec_scale(moved.rotation + 1, joint->axis, sin(0.5 * place));
    dc_rotation_matrix(matrix, moved.rotation);
    dc_mat_apply(turned, matrix, joint->pos);
    dc_vec_sub(moved.position, joint->pos, turned);
  }
  dc_urdf_pose_compose(pose, pose, &moved);
}

// Holds a coordinate where an equality of the file does. A body whose last joint is locked becomes a part of its
// parent, displaced by the place. One of several may only be locked at 0, since the frames of those behind it would
// have to move. false: it is not held here, and a coupling or a note is the caller's answer.
bool dc_mjcf_lock(struct dc_mjcf *model, int index, double place)
{
  struct dc_mjcf_joint *joint = &model->joints[index];
  struct dc_mjcf_body *body = &model->bodies[joint->body];
  int left = 0;
  for (int k = 0; k < body->joints; k++)
    left += !model->joints[body->first_joint + k].gone;
  if (joint->held || joint->type < DC_MJCF_SLIDE || (left > 1 && place != 0))
    return false;
  joint->locked = joint->held = true;
  joint->locked_at = place;
  if (left > 1) {
    joint->gone = true;
    return true;
  }
  drop_joints(model, joint->body);
  find_fixed(model);
  return true;
}

// Poses are moved last, because equalities that are read after a lock mean those of the description.
void dc_mjcf_place_locked(struct dc_mjcf *model)
{
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].locked && model->joints[j].locked_at != 0)
      move_along(&model->joints[j], model->joints[j].locked_at, &model->bodies[model->joints[j].body].pose);
}

// Holds the top of body side `own` to the other body; false: neither rule fits it.
// True means that the equality is dealt with, be it by a refusal.
static bool hold_side(struct dc_mjcf_reader *reader, const struct hold *hold, int own)
{
  struct dc_mjcf *model = reader->model;
  int body = hold->bodies[own], other = hold->bodies[1 - own], top = model->bodies[body].weld;
  if (top == 0 || is_below(model, other, top))
    return false;
  bool beside = model->bodies[model->bodies[top].parent].weld == model->bodies[other].weld;
  if (!(hold->weld && beside) && !is_free(model, top))
    return false;
  struct dc_urdf_pose *poses = dc_mjcf_find_poses(reader), place, inner, relative = hold->relative;
  double matrix[9], anchor[3], point[3];
  if (!poses)
    return true;
  // where the top is in the other body
  seen_from(&inner, &poses[body], &poses[top]);
  if (own == 0)
    invert(&relative, &relative);
  if (!hold->weld || isnan(hold->relative.position[0]))
    seen_from(&place, &poses[other], &poses[top]);
  else
    dc_urdf_pose_compose(&place, &relative, &inner);
  // the anchor in the top, by the world
  dc_rotation_matrix(matrix, poses[hold->bodies[0]].rotation);
  dc_mat_apply(point, matrix, hold->anchor);
  dc_vec_add(point, point, poses[hold->bodies[0]].position);
  dc_vec_sub(point, point, poses[top].position);
  dc_rotation_matrix(matrix, poses[top].rotation);
  dc_mat_apply_transposed(anchor, matrix, point);
  if (!is_free(model, top)) {  // it keeps what it hangs on, to which the other body is fixed
    struct dc_urdf_pose there;
    dc_urdf_pose_compose(&there, &poses[other], &place);
    seen_from(&place, &poses[model->bodies[top].parent], &there);
  } else {
    top = move_behind(reader, top, other);
  }
  if (reader->status)
    return true;
  model->bodies[top].pose = place;
  if (hold->weld)
    drop_joints(model, top);
  else
    make_ball(model, top, anchor);
  find_fixed(model);
  return true;
}

// The index of a body that an attribute names; 0 for the world, and for an attribute that is not given.
static int body_of(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node, const char *attribute)
{
  const struct dc_mjcf *model = reader->model;
  const char *name = dc_mjcf_text(reader, node, attribute);
  if (!name || strcmp(name, "world") == 0)
    return 0;
  int body = dc_mjcf_find_named(model->bodies, model->body_count, sizeof *model->bodies, name);
  if (body < 0)
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "%s: there is no body \"%.200s\"", attribute, name);
  return body;
}

// Lists a tie; move_behind renumbers those that are listed.
static void tie(struct dc_mjcf_reader *reader, const struct hold *hold, const double point[2][3])
{
  struct dc_mjcf *model = reader->model;
  if (reader->status)
    return;
  if (model->ties.count == MOST_TIES) {
    dc_mjcf_refuse(reader, hold->node, DC_BAD_INPUT, "more than %d ties of loops", MOST_TIES);
    return;
  }
  if (dc_grow(&model->ties.list, &model->room.ties, model->ties.count + 1, sizeof *model->ties.list)) {
    dc_mjcf_refuse(reader, hold->node, DC_MEMORY, "out of memory");
    return;
  }
  struct dc_mjcf_tie *made = &model->ties.list[model->ties.count++];
  *made = (struct dc_mjcf_tie){.node = hold->node, .bodies = {hold->bodies[0], hold->bodies[1]}};
  memcpy(made->points, point, sizeof made->points);
}

// A point of one frame, seen from the pose of another in it: x' = R^T (x - p).
static void point_in(double out[3], const struct dc_urdf_pose *pose, const double point[3])
{
  double matrix[9], offset[3];
  dc_rotation_matrix(matrix, pose->rotation);
  dc_vec_sub(offset, point, pose->position);
  dc_mat_apply_transposed(out, matrix, offset);
}

// A point of a pose's own frame, seen from outside: x' = R x + p.
static void point_of(double out[3], const struct dc_urdf_pose *pose, const double point[3])
{
  double matrix[9], turned[3];
  dc_rotation_matrix(matrix, pose->rotation);
  dc_mat_apply(turned, matrix, point);
  dc_vec_add(out, turned, pose->position);
}

// Ties of a loop: points as the description or relpose has them.
// Three points that are not on a line fix the relative pose; redundant ones would make the constraint singular.
static void close_loop(struct dc_mjcf_reader *reader, const struct hold *hold)
{
  struct dc_urdf_pose *poses = dc_mjcf_find_poses(reader), relative = hold->relative;
  double points[2][3];
  if (!poses)
    return;
  if (!hold->weld || isnan(relative.position[0]))
    seen_from(&relative, &poses[hold->bodies[0]], &poses[hold->bodies[1]]);
  for (int k = 0; k < (hold->weld ? WELD_POINTS : 1); k++) {
    if (hold->weld) {
      for (int i = 0; i < 3; i++)
        points[1][i] = i + 1 == k ? hold->lever : 0;
      point_of(points[0], &relative, points[1]);
    } else {
      dc_vec_copy(points[0], hold->anchor);
      point_in(points[1], &relative, points[0]);
      if (hold->apart)
        dc_vec_copy(points[1], hold->other);
    }
    tie(reader, hold, (const double(*)[3])points);
  }
}

// Two sites are held together: welded frames say the relative pose, connected centres may stand apart in the
// description.  false: refused.
static bool find_sites(struct dc_mjcf_reader *reader, struct hold *hold)
{
  const struct dc_mjcf_ties *ties = &reader->model->ties;
  const struct dc_mjcf_site *found[2];
  for (int k = 0; k < 2; k++) {
    const char *attribute = k ? "site2" : "site1", *name = dc_mjcf_text(reader, hold->node, attribute);
    int index = name ? dc_mjcf_find_named(ties->sites, ties->site_count, sizeof *ties->sites, name) : -1;
    if (index < 0) {
      dc_mjcf_refuse(reader, hold->node, DC_BAD_INPUT, "%s: there is no site \"%.200s\"", attribute, name ? name : "");
      return false;
    }
    found[k] = &ties->sites[index];
    hold->bodies[k] = found[k]->body;
  }
  if (hold->weld) {
    struct dc_urdf_pose back;
    invert(&back, &found[1]->pose);
    dc_urdf_pose_compose(&hold->relative, &found[0]->pose, &back);
    return true;
  }
  struct dc_urdf_pose *poses = dc_mjcf_find_poses(reader), relative;
  double point[3];
  if (!poses)
    return false;
  dc_vec_copy(hold->anchor, found[0]->pose.position);
  dc_vec_copy(hold->other, found[1]->pose.position);
  seen_from(&relative, &poses[hold->bodies[0]], &poses[hold->bodies[1]]);
  point_of(point, &relative, hold->other);
  hold->apart = dc_vec_distance(point, hold->anchor) > 1e-9;
  return true;
}

// A weld without torque holds its anchor, which is a point of body2, as a connection does.
static void hold_point(struct dc_mjcf_reader *reader, struct hold *hold)
{
  struct dc_urdf_pose *poses = dc_mjcf_find_poses(reader);
  if (!poses)
    return;
  hold->weld = false;
  hold->apart = !isnan(hold->relative.position[0]);
  if (!hold->apart)
    seen_from(&hold->relative, &poses[hold->bodies[0]], &poses[hold->bodies[1]]);
  dc_vec_copy(hold->other, hold->anchor);
  point_of(hold->anchor, &hold->relative, hold->other);
}

// Reads a <weld> or <connect> and holds a body by it if it can.  A relpose of which the last four numbers are
// zero means the relative pose of the description, as in MuJoCo; NAN stands for it.  Equalities between sites
// hold their frames, or centres, together.  body2 is tried first, then body1.  Returns true if nothing
// more is to be done, which includes a refusal.
bool dc_mjcf_hold(struct dc_mjcf_reader *reader, const struct dc_mjcf_node *node)
{
  struct hold hold = {.node = node, .weld = strcmp(node->name, "weld") == 0, .relative = dc_urdf_identity, .lever = 1};
  double given[7] = {0};
  dc_mjcf_text(reader, node, "name");
  bool sites = dc_mjcf_text(reader, node, "site1") || dc_mjcf_text(reader, node, "site2");
  dc_mjcf_numbers(reader, node, "anchor", 3, 3, hold.anchor);
  if (hold.weld)
    dc_mjcf_number(reader, node, "torquescale", &hold.lever);
  if (!(hold.lever >= 0))
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "torquescale must not be negative");
  bool point = hold.weld && hold.lever == 0;
  hold.weld &= !(point && sites);
  hold.relative.position[0] = NAN;
  bool weld = strcmp(node->name, "weld") == 0;
  if (weld && dc_mjcf_numbers(reader, node, "relpose", 7, 7, given) &&
      (given[3] != 0 || given[4] != 0 || given[5] != 0 || given[6] != 0)) {
    memcpy(hold.relative.position, given, sizeof hold.relative.position);
    memcpy(hold.relative.rotation, given + 3, sizeof hold.relative.rotation);
    dc_rotation_normalize(hold.relative.rotation);
  }
  for (int k = 0; k < 2 && !sites; k++)
    hold.bodies[k] = body_of(reader, node, k ? "body2" : "body1");
  if ((reader->held += reader->model->body_count + (sites ? reader->model->ties.site_count : 0)) > MOST_LOOKS) {
    dc_mjcf_refuse(reader, node, DC_BAD_INPUT, "too many bodies are held by too many equalities (%d bodies)",
                   (int)reader->model->body_count);
    return true;
  }
  if (sites && !find_sites(reader, &hold))
    return reader->status != DC_OK;
  if (point && !sites && !reader->status)
    hold_point(reader, &hold);
  if (reader->status)
    return true;
  const struct dc_mjcf_body *bodies = reader->model->bodies;
  if (bodies[hold.bodies[0]].weld == bodies[hold.bodies[1]].weld)
    return true;  // they are fixed to each other already
  if (hold.apart || (!hold_side(reader, &hold, 1) && !hold_side(reader, &hold, 0)))
    close_loop(reader, &hold);
  return true;
}
