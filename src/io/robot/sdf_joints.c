// SPDX-License-Identifier: Apache-2.0
// Joints of SDF.  The frame of a joint may be anywhere on its child, whose own frame then hangs on it: a link without
// mass stands between.  A universal joint is two hinges with such a link between.
//
// The struct that is filled knows trees only.  A second joint to one link therefore becomes ties between points
// (close_loop), and links that no joint leads to get one to the world at the end (dc_sdf_hold_roots).
#include <math.h>
#include <string.h>

#include "io/robot/sdf_reader.h"
#include "math/rotation.h"
#include "math/vector.h"

// A link without mass or geometry of its own, for frames between joints.
// name: kept by reference, so it has to live as long as the arena. offset: the place in the file, for messages.
static enum dc_status add_link(struct dc_sdf_reader *reader, const char *name, size_t offset)
{
  struct dc_urdf *urdf = reader->urdf;
  if (urdf->link_count == DC_URDF_MOST_LINKS)
    return dc_fail(reader->error, DC_BAD_INPUT, "%.300s: more than %d links", urdf->name, DC_URDF_MOST_LINKS);
  if (dc_grow(&urdf->links, &urdf->link_capacity, urdf->link_count + 1, sizeof *urdf->links))
    return dc_sdf_no_memory(reader);
  struct dc_urdf_link link = dc_urdf_new_link(name, offset);
  link.first_geometry = (int)urdf->geometry_count;
  urdf->links[urdf->link_count++] = link;
  return DC_OK;
}

// Appends a copy. A file cannot have more joints than links are allowed, which also bounds what links in between add.
static enum dc_status add_joint(struct dc_sdf_reader *reader, const struct dc_urdf_joint *joint)
{
  struct dc_urdf *urdf = reader->urdf;
  if (urdf->joint_count == DC_URDF_MOST_LINKS)
    return dc_fail(reader->error, DC_BAD_INPUT, "%.300s: more than %d joints", urdf->name, DC_URDF_MOST_LINKS);
  if (dc_grow(&urdf->joints, &urdf->joint_capacity, urdf->joint_count + 1, sizeof *urdf->joints))
    return dc_sdf_no_memory(reader);
  urdf->joints[urdf->joint_count++] = *joint;
  return DC_OK;
}

// <limit>, <dynamics> and <mimic> of an axis.
// SI units: m or rad, N or N m, and per second. By the specification a negative effort or velocity is no limit,
// stored as NAN; here a velocity of 0 is none either. Negative damping, friction or stiffness is clamped to 0 and
// remembered in `negative`, for a warning. The leader's name gets the prefix of its model, and ":2" where the second
// axis of a universal joint leads (connect_two).
static enum dc_status read_limits(struct dc_sdf_reader *reader, struct dc_xml_element *axis,
                                  const struct dc_sdf_scope *scope, struct dc_urdf_joint *joint)
{
  struct dc_xml_element *limit = dc_xml_child(axis, "limit"), *dynamics = dc_xml_child(axis, "dynamics"),
                        *mimic = dc_xml_child(axis, "mimic");
  double lower = -INFINITY, upper = INFINITY, effort = -1, velocity = -1, reference = 0;
  enum dc_status status = dc_sdf_child_numbers(reader, axis, "initial_position", 1, &joint->initial);
  bool ends = joint->type != DC_URDF_CONTINUOUS;
  if (!status && limit && ends && !(status = dc_sdf_child_numbers(reader, limit, "lower", 1, &lower)))
    status = dc_sdf_child_numbers(reader, limit, "upper", 1, &upper);
  if (!status && limit && !(status = dc_sdf_child_numbers(reader, limit, "effort", 1, &effort)))
    status = dc_sdf_child_numbers(reader, limit, "velocity", 1, &velocity);
  if (!status && dynamics && !(status = dc_sdf_child_numbers(reader, dynamics, "damping", 1, &joint->damping)))
    status = dc_sdf_child_numbers(reader, dynamics, "friction", 1, &joint->friction);
  if (!status && dynamics &&
      !(status = dc_sdf_child_numbers(reader, dynamics, "spring_stiffness", 1, &joint->stiffness)))
    status = dc_sdf_child_numbers(reader, dynamics, "spring_reference", 1, &joint->rest);
  if (!status && mimic) {
    const char *leader = dc_xml_attribute(mimic, "joint"), *of = dc_xml_attribute(mimic, "axis");
    bool second = of && strcmp(of, "axis2") == 0;
    joint->mimic_name =
        leader ? dc_arena_printf(reader->arena, "%s%s%s", scope->prefix, leader, second ? ":2" : "") : NULL;
    if (!leader)
      return dc_xml_fail(mimic, reader->error, DC_BAD_INPUT, "missing attribute \"joint\"");
    if (!dc_xml_child(mimic, "multiplier"))
      return dc_xml_fail(mimic, reader->error, DC_BAD_INPUT, "missing <multiplier>");
    if (!joint->mimic_name)
      return dc_sdf_no_memory(reader);
    if (!(status = dc_sdf_child_numbers(reader, mimic, "multiplier", 1, &joint->multiplier)) &&
        !(status = dc_sdf_child_numbers(reader, mimic, "offset", 1, &joint->shift)))
      status = dc_sdf_child_numbers(reader, mimic, "reference", 1, &reference);
    joint->shift -= joint->multiplier * reference;  // q = multiplier (leader - reference) + offset
  }
  if (status)
    return status;
  joint->effort = effort >= 0 && isfinite(effort) ? effort : NAN;
  joint->velocity = velocity > 0 && isfinite(velocity) ? velocity : NAN;
  if (!(fabs(joint->initial) <= 1e6))
    return dc_xml_fail(axis, reader->error, DC_BAD_INPUT, "initial_position must be finite, of at most 1e6");
  if (!(isfinite(joint->damping) && isfinite(joint->friction) && isfinite(joint->stiffness) && isfinite(joint->rest)))
    return dc_xml_fail(dynamics, reader->error, DC_BAD_INPUT, "must hold finite numbers");
  joint->negative = joint->damping < 0 || joint->friction < 0 || joint->stiffness < 0;
  joint->damping = fmax(joint->damping, 0);
  joint->friction = fmax(joint->friction, 0);
  joint->stiffness = fmax(joint->stiffness, 0);
  if (joint->type == DC_URDF_REVOLUTE || joint->type == DC_URDF_PRISMATIC)
    dc_urdf_set_range(joint, lower, upper);
  return DC_OK;
}

// A ball joint has no axis, but the damping of one acts.
static enum dc_status read_ball(struct dc_sdf_reader *reader, struct dc_xml_element *axis, struct dc_urdf_joint *joint)
{
  struct dc_xml_element *dynamics = dc_xml_child(axis, "dynamics");
  dc_xml_child(axis, "xyz");
  enum dc_status status = dynamics ? dc_sdf_child_numbers(reader, dynamics, "damping", 1, &joint->damping) : DC_OK;
  if (!status && !isfinite(joint->damping))
    return dc_xml_fail(dynamics, reader->error, DC_BAD_INPUT, "must hold finite numbers");
  joint->negative = joint->damping < 0;
  joint->damping = fmax(joint->damping, 0);
  return status;
}

// The axis is given in the joint's frame, or in the frame that "expressed_in" names; before version 1.7 also in
// that of the model, before 1.5 always.  Only directions are turned, so positions of the frames do not matter.
// which: "axis" or "axis2". Without <xyz> the axis is z. R of the named frame, seen from the joint's, turns it into
// the joint's frame.
static enum dc_status read_axis(struct dc_sdf_reader *reader, int index, const char *which, struct dc_urdf_joint *joint)
{
  const struct dc_sdf_frame frame = reader->frames[index];
  struct dc_xml_element *axis = dc_xml_child(frame.element, which), *xyz = dc_xml_child(axis, "xyz");
  struct dc_urdf_pose own, other;
  double n[3] = {0, 0, 1}, matrix[9];
  char quoted[DC_JSON_QUOTED];
  enum dc_status status = xyz ? dc_sdf_numbers(reader, xyz, 3, n) : DC_OK;
  const char *base = xyz ? dc_xml_attribute(xyz, "expressed_in") : NULL;
  bool flag = frame.scope->axes != DC_SDF_AXES_OF_JOINT &&
              dc_sdf_is_true(axis ? dc_sdf_text(axis, "use_parent_model_frame") : NULL);
  if (!base && axis && (flag || frame.scope->axes == DC_SDF_AXES_OF_MODEL))
    base = "__model__";
  if (!status && base && *base) {
    int expressed = dc_sdf_find_frame(reader, frame.scope, base);
    if (expressed < 0)
      return dc_xml_fail(xyz ? xyz : axis, reader->error, DC_BAD_INPUT, "there is no frame %s in its model",
                         dc_json_quote(quoted, base));
    if ((status = dc_sdf_world_pose(reader, index, &own)) || (status = dc_sdf_world_pose(reader, expressed, &other)))
      return status;
    dc_urdf_pose_invert(&own, &own);
    dc_urdf_pose_compose(&other, &own, &other);
    dc_rotation_matrix(matrix, other.rotation);
    dc_mat_apply(n, matrix, (const double[3]){n[0], n[1], n[2]});
  }
  double norm = dc_vec_norm(n);
  if (status)
    return status;
  if (!(norm > 0 && isfinite(norm)))
    return dc_xml_fail(xyz ? xyz : frame.element, reader->error, DC_BAD_INPUT, "the axis must not be zero");
  dc_vec_scale(joint->axis, n, 1 / norm);
  return axis ? read_limits(reader, axis, frame.scope, joint) : DC_OK;
}

// The link of <parent> or <child>, -1 for the world.
static enum dc_status read_end(struct dc_sdf_reader *reader, int index, const char *which, int *link)
{
  const struct dc_sdf_frame frame = reader->frames[index];
  char quoted[DC_JSON_QUOTED];
  struct dc_xml_element *end = dc_xml_child(frame.element, which);
  const char *name = end ? end->text : NULL;
  if (!name || !*name)
    return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT, "missing <%s>", which);
  int found = dc_sdf_find_frame(reader, frame.scope, name);
  if (found < 0)
    return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT, "<%s>: there is no link or frame %s in its model",
                       which, dc_json_quote(quoted, name));
  return dc_sdf_link_of(reader, found, link);
}

// Types that can be read, and how many axes each has.  A universal joint and the old "revolute2" are two
// hinges.
static const struct {
  const char *name;
  enum dc_urdf_joint_type type;
  int axes;
} types[] = {{"revolute", DC_URDF_REVOLUTE, 1},   {"continuous", DC_URDF_CONTINUOUS, 1},
             {"prismatic", DC_URDF_PRISMATIC, 1}, {"fixed", DC_URDF_FIXED, 0},
             {"ball", DC_URDF_BALL, 0},           {"universal", DC_URDF_REVOLUTE, 2},
             {"revolute2", DC_URDF_REVOLUTE, 2},  {NULL, DC_URDF_FIXED, 0}};

// type: index into types.
static enum dc_status read_type(struct dc_sdf_reader *reader, struct dc_xml_element *element, int *type)
{
  char quoted[DC_JSON_QUOTED];
  const char *given = dc_xml_attribute(element, "type");
  *type = 0;
  while (given && types[*type].name && strcmp(types[*type].name, given) != 0)
    ++*type;
  if (!given || !types[*type].name)
    return dc_xml_fail(element, reader->error, DC_BAD_INPUT,
                       "type must be revolute, continuous, prismatic, fixed, ball, universal or revolute2 (is %s): "
                       "screws and gearboxes are no joints here",
                       given ? dc_json_quote(quoted, given) : "missing");
  return DC_OK;
}

// Adds the joint between names of links, by a link without mass where the child's frame is not that of the joint.
// The joint's origin, axis and parent are set, its child is set here. child_pose: the child's frame in that of the
// joint. Child and joint are often at one place, and then no link in between is needed. A quaternion with |w| = 1
// turns nothing.
static enum dc_status connect(struct dc_sdf_reader *reader, struct dc_urdf_joint *joint, const char *child,
                              const struct dc_urdf_pose *child_pose)
{
  const double *p = child_pose->position;
  bool same = dc_vec_norm(p) < 1e-12 && fabs(fabs(child_pose->rotation[0]) - 1) < 1e-15;
  joint->child_name = child;
  if (same)
    return add_joint(reader, joint);
  struct dc_urdf_joint fixed =
      dc_urdf_new_joint(dc_arena_printf(reader->arena, "%s:child", joint->name), joint->offset);
  const char *between = dc_arena_printf(reader->arena, "%s:frame", joint->name);
  if (!fixed.name || !between)
    return dc_sdf_no_memory(reader);
  fixed.type = DC_URDF_FIXED;
  fixed.origin = *child_pose;
  fixed.parent_name = joint->child_name = between;
  fixed.child_name = child;
  enum dc_status status = add_link(reader, between, joint->offset);
  if (!status)
    status = add_joint(reader, joint);
  return status ? status : add_joint(reader, &fixed);
}

// Two joints of one name: the first leads to a link without mass, on which the second hangs.
// Both axes go through one point, so that the second joint has the identity for its origin. It carries ":2" behind
// the name and the limits of <axis2>.
static enum dc_status connect_two(struct dc_sdf_reader *reader, int index, struct dc_urdf_joint *joint,
                                  const char *child, const struct dc_urdf_pose *child_pose)
{
  struct dc_urdf_joint second = dc_urdf_new_joint(dc_arena_printf(reader->arena, "%s:2", joint->name), joint->offset);
  const char *between = dc_arena_printf(reader->arena, "%s:between", joint->name);
  if (!second.name || !between)
    return dc_sdf_no_memory(reader);
  second.type = joint->type;
  second.parent_name = joint->child_name = between;
  enum dc_status status = read_axis(reader, index, "axis2", &second);
  if (!status)
    status = add_link(reader, between, joint->offset);
  if (!status)
    status = add_joint(reader, joint);
  return status ? status : connect(reader, &second, child, child_pose);
}

// Whether a joint leads to the link.
static bool is_child(const struct dc_urdf *urdf, const char *link)
{
  for (size_t j = 0; j < urdf->joint_count; j++)
    if (strcmp(urdf->joints[j].child_name, link) == 0)
      return true;
  return false;
}

// How many points a joint of that type holds together: of a ball its centre, of a hinge one more on its axis, of a
// fixed one three; 0: points alone cannot do what it does.
static int points_of(enum dc_urdf_joint_type type)
{
  switch (type) {
  case DC_URDF_BALL: return 1;
  case DC_URDF_REVOLUTE:
  case DC_URDF_CONTINUOUS: return 2;
  case DC_URDF_FIXED: return 3;
  default: return 0;
  }
}

// Whether a link hangs on another one, by the joints that lead to links.
// At most as many steps are taken as there are links, since leads may still form a ring while they are chosen.
static bool hangs_on(const struct dc_sdf_reader *reader, int link, int above)
{
  for (size_t k = 0; k <= reader->urdf->link_count && link >= 0; k++, link = reader->leads[link].parent)
    if (link == above)
      return true;
  return false;
}

// The first of several joints to one link leads to it and the others close loops, by points that they hold together.
// One for which points do not do, such as a prismatic one, leads in place of the first, unless its parent hangs on the
// link.
// The first pass gives each link the first joint of the file, the second lets joints that points cannot replace take
// over. Frame 0 is the world. Joints of static models lead nowhere.
enum dc_status dc_sdf_choose_joints(struct dc_sdf_reader *reader)
{
  size_t count = reader->urdf->link_count;
  reader->leads = dc_arena_alloc(reader->arena, count + 1, sizeof *reader->leads);
  if (!reader->leads)
    return dc_sdf_no_memory(reader);
  for (size_t k = 0; k < count; k++)
    reader->leads[k] = (struct dc_sdf_lead){.joint = -1, .parent = -1};
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 1; i < reader->frame_count; i++) {
      struct dc_sdf_lead own = {.joint = (int)i};
      enum dc_status status;
      int type, child;
      if (reader->frames[i].kind != DC_SDF_JOINT || reader->frames[i].scope->is_static)
        continue;
      if ((status = read_type(reader, reader->frames[i].element, &type)) ||
          (status = read_end(reader, own.joint, "parent", &own.parent)) ||
          (status = read_end(reader, own.joint, "child", &child)))
        return status;
      own.firm = types[type].axes == 2 || !points_of(types[type].type);
      if (child >= 0 && (pass ? own.firm && !reader->leads[child].firm && !hangs_on(reader, own.parent, child)
                              : reader->leads[child].joint < 0))
        reader->leads[child] = own;
    }
  return DC_OK;
}

// Another joint to one link closes a loop: ties hold its points together, LEVER apart.  child: the pose of the child in
// the frame of the joint.  The joint's range, damping and friction are not there.
// Points of a hinge lie on its axis; those of a fixed joint at the corner and on two sides of a right angle. With the
// child's pose (R, p) an offset o in the joint's frame is R^T (o - p) in the child's.
static enum dc_status close_loop(struct dc_sdf_reader *reader, const struct dc_urdf_joint *joint,
                                 const char *child_name, const struct dc_urdf_pose *child)
{
  static const double LEVER = 0.1;  // m
  struct dc_urdf_ties *ties = &reader->urdf->ties;
  double at[2][9];
  dc_rotation_matrix(at[0], joint->origin.rotation);
  dc_rotation_matrix(at[1], child->rotation);
  for (int k = 0; k < points_of(joint->type); k++) {
    double offset[3] = {k == 1 ? LEVER : 0, k == 2 ? LEVER : 0, 0}, turned[3], from[3];
    if (dc_grow(&ties->list, &ties->capacity, ties->count + 1, sizeof *ties->list))
      return dc_sdf_no_memory(reader);
    struct dc_urdf_tie *tie = &ties->list[ties->count++];
    *tie = (struct dc_urdf_tie){
        .joint = joint->name,
        .links = {strcmp(joint->parent_name, "world") == 0 ? NULL : joint->parent_name, child_name},
        .offset = joint->offset};
    if (joint->type != DC_URDF_FIXED)
      dc_vec_scale(offset, joint->axis, k * LEVER);
    dc_mat_apply(turned, at[0], offset);
    dc_vec_add(tie->points[0], turned, joint->origin.position);
    dc_vec_sub(from, offset, child->position);
    dc_mat_apply_transposed(tie->points[1], at[1], from);
  }
  return DC_OK;
}

// Reads a joint between two links.  Its origin is its own pose seen from the parent link, by the world's poses
// of both.  The parent may be the world, the child may not.  Joints of static models are left out, since all
// their links are fixed.
enum dc_status dc_sdf_read_joint(struct dc_sdf_reader *reader, int index)
{
  const struct dc_sdf_frame frame = reader->frames[index];
  struct dc_urdf_joint joint = dc_urdf_new_joint(frame.name, dc_sdf_offset(frame.scope, frame.element));
  struct dc_urdf_pose parent_pose = dc_urdf_identity, child_pose, own;
  int type, parent, child;
  enum dc_status status = read_type(reader, frame.element, &type);
  if (status || frame.scope->is_static)
    return status;  // links of a static model are fixed
  if ((status = read_end(reader, index, "parent", &parent)) || (status = read_end(reader, index, "child", &child)))
    return status;
  if (child < 0 || child == parent)
    return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT, "<child>: must be a link other than the parent");
  if (reader->urdf->links[child].still && types[type].type != DC_URDF_FIXED)
    return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT,
                       "<child>: is a link of a static model, which no joint can move");
  joint.type = types[type].type;
  if (types[type].axes)
    status = read_axis(reader, index, "axis", &joint);
  else if (joint.type == DC_URDF_BALL)
    status = read_ball(reader, dc_xml_child(frame.element, "axis"), &joint);
  for (size_t i = 1; i < reader->frame_count && !status; i++) {
    if (reader->frames[i].kind == DC_SDF_LINK && reader->frames[i].link == parent)
      status = dc_sdf_world_pose(reader, (int)i, &parent_pose);
    else if (reader->frames[i].kind == DC_SDF_LINK && reader->frames[i].link == child)
      status = dc_sdf_world_pose(reader, (int)i, &child_pose);
  }
  if (!status)
    status = dc_sdf_world_pose(reader, index, &own);
  if (status)
    return status;
  dc_urdf_pose_invert(&parent_pose, &parent_pose);
  dc_urdf_pose_compose(&joint.origin, &parent_pose, &own);
  dc_urdf_pose_invert(&own, &own);
  dc_urdf_pose_compose(&child_pose, &own, &child_pose);
  joint.parent_name = parent < 0 ? "world" : reader->urdf->links[parent].name;
  const char *child_name = reader->urdf->links[child].name;
  if (reader->leads[child].joint != index) {
    if (types[type].axes == 2 || !points_of(joint.type))
      return dc_xml_fail(frame.element, reader->error, DC_BAD_INPUT,
                         "closes a loop, which ball, revolute and fixed joints do: let one of these close it");
    return close_loop(reader, &joint, child_name, &child_pose);
  }
  return types[type].axes == 2 ? connect_two(reader, index, &joint, child_name, &child_pose)
                               : connect(reader, &joint, child_name, &child_pose);
}

// Gives every link that no joint leads to a joint to the world: floating, or fixed in static models.  A single
// root without any joint to the world is left alone if the include says how the root moves.  The link "world"
// comes last, as numbers of the others are in use.
enum dc_status dc_sdf_hold_roots(struct dc_sdf_reader *reader)
{
  struct dc_urdf *urdf = reader->urdf;
  bool world = false;
  int roots = 0;
  enum dc_status status = DC_OK;
  for (size_t j = 0; j < urdf->joint_count; j++)
    world |= strcmp(urdf->joints[j].parent_name, "world") == 0;
  for (size_t i = 1; i < reader->frame_count; i++)
    if (reader->frames[i].kind == DC_SDF_LINK)
      roots += !is_child(urdf, urdf->links[reader->frames[i].link].name);
  if (roots == 1 && !world && reader->options->based)
    return DC_OK;
  for (size_t i = 1; i < reader->frame_count && !status; i++) {
    const struct dc_sdf_frame frame = reader->frames[i];
    if (frame.kind != DC_SDF_LINK || is_child(urdf, urdf->links[frame.link].name))
      continue;
    const struct dc_urdf_link *link = &urdf->links[frame.link];
    struct dc_urdf_joint joint = dc_urdf_new_joint(dc_arena_printf(reader->arena, "%s:base", link->name), link->offset);
    if (!joint.name)
      return dc_sdf_no_memory(reader);
    joint.type = frame.scope->is_static ? DC_URDF_FIXED : DC_URDF_FLOATING;
    joint.parent_name = "world";
    joint.child_name = link->name;
    status = dc_sdf_world_pose(reader, (int)i, &joint.origin);
    if (!status)
      status = add_joint(reader, &joint);
    world = true;
  }
  return status || !world ? status : add_link(reader, "world", 0);
}
