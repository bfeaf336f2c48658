// SPDX-License-Identifier: Apache-2.0
// A robot as shapes, bodies and couplings of a scene's tree.
//
// dc_urdf_add() places the links (place_links), writes bodies and then couplings, which name bodies (add_bodies), then
// ties with their frames, then pairs that do not touch, and at last the notes on all that was changed or left out.
//
// A link with mass or collision geometry becomes a body whose shape's frame is the frame of the link.  Other links are
// frames only: each is carried by the body that it is fixed to, its parent's or, where it moves itself, the first below
// that is fixed to it; joints that hang on it hang on that body.  A frame that moves and has nothing fixed to it hands
// its joint down to the only body below, which then has several, outermost first; with nothing below it is of no
// effect.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/robot/urdf_build.h"
#include "io/scene/scene_format.h"
#include "math/vector.h"

// Whether a link becomes a body.  Visuals alone do not make one, as nothing could touch or carry it.
static bool has_substance(const struct dc_urdf *urdf, int index)
{
  const struct dc_urdf_link *link = &urdf->links[index];
  bool substance = link->mass > 0;
  for (int i = 0; i < link->geometries && !substance; i++)
    substance = !urdf->geometries[link->first_geometry + i].visual;
  return substance;
}

// Whether a link moves relative to its parent (the root: to the world).
static bool is_head(const struct dc_urdf_builder *builder, int link)
{
  const struct dc_urdf_joint *joint = dc_urdf_joint_to(builder->urdf, link);
  return joint ? !dc_urdf_joint_is_fixed(joint) : builder->use->base != NULL;
}

// Goes from the leaves up.  First is the first link with substance that is the link itself or is fixed to it, and
// first_pose is where that lies in the link's frame.  Branches are the bodies that would hang on the link as long as
// it is a frame only.
static void find_first(struct dc_urdf_builder *builder)
{
  const struct dc_urdf *urdf = builder->urdf;
  for (size_t i = 0; i < urdf->link_count; i++)
    builder->links[i] = (struct dc_urdf_placement){.carrier = -1, .pose = dc_urdf_identity, .first = -1, .pending = -1};
  for (size_t k = urdf->link_count; k-- > 0;) {
    int link = urdf->order[k];
    struct dc_urdf_placement *place = &builder->links[link];
    const struct dc_urdf_joint *joint = dc_urdf_joint_to(urdf, link);
    if (has_substance(urdf, link)) {
      place->first = link;
      place->first_pose = dc_urdf_identity;
    }
    if (!joint)
      continue;
    struct dc_urdf_placement *parent = &builder->links[joint->parent];
    if (!dc_urdf_joint_is_fixed(joint) || has_substance(urdf, link))
      parent->branches += place->first >= 0 || place->branches > 0;
    else
      parent->branches += place->branches;
    if (place->first < 0 || !dc_urdf_joint_is_fixed(joint))
      continue;
    struct dc_urdf_pose pose = dc_urdf_joint_pose(joint);
    parent->first = place->first;  // of several the first in order, which comes last here
    dc_urdf_pose_compose(&parent->first_pose, &pose, &place->first_pose);
  }
}

// From the root down: who carries each link.
static enum dc_status place_links(struct dc_urdf_builder *builder)
{
  const struct dc_urdf *urdf = builder->urdf;
  find_first(builder);
  for (size_t k = 0; k < urdf->link_count; k++) {
    int link = urdf->order[k];
    struct dc_urdf_placement *place = &builder->links[link];
    const struct dc_urdf_joint *joint = dc_urdf_joint_to(urdf, link);
    const struct dc_urdf_placement *parent = joint ? &builder->links[joint->parent] : NULL;
    place->pending = parent ? parent->pending : -1;
    if (is_head(builder, link) && place->first >= 0) {
      place->carrier = place->first;
      place->pending = -1;
      if (place->first != link)
        dc_urdf_pose_invert(&place->pose, &place->first_pose);
    } else if (is_head(builder, link)) {
      bool led = joint && dc_urdf_is_led(urdf, urdf->links[link].joint);
      if (!joint || led || place->branches > 1 || (place->branches == 1 && joint->type == DC_URDF_FLOATING))
        return dc_urdf_fail_link(
            builder, link,
            "moves, so that it or a link fixed to it needs a mass or collision geometry, unless one body "
            "at most hangs on it and its joint neither follows nor is followed");
      struct dc_urdf_pose pose = dc_urdf_joint_pose(joint);
      place->carrier = parent->carrier;
      dc_urdf_pose_compose(&place->pose, &parent->pose, &pose);
      place->pending = link;
      if (!place->branches)
        dc_urdf_remember(builder, &builder->remarks.idle, joint->name);
    } else if (has_substance(urdf, link)) {
      place->carrier = link;  // its pose is the identity
    } else if (parent) {
      struct dc_urdf_pose pose = dc_urdf_joint_pose(joint);
      place->carrier = parent->carrier;
      dc_urdf_pose_compose(&place->pose, &parent->pose, &pose);
    } else {
      place->pose = builder->use->pose;
    }
  }
  return DC_OK;
}

// The include's colour, else the first one that the link's geometry has.
static void put_look(struct dc_urdf_builder *builder, cJSON *body, const struct dc_urdf_link *link, int place)
{
  const double *color = isnan(builder->use->color[0]) ? NULL : builder->use->color;
  for (int i = link->first_geometry; i < link->first_geometry + link->geometries && !color; i++)
    if (builder->urdf->geometries[i].colored)
      color = builder->urdf->geometries[i].rgb;
  if (color)
    dc_urdf_put_numbers(builder, body, "color", color, 3, place);
}

// A follower as an entry of "couplings".  carried leads from the leader's link to the body that its joint
// moves.
static void put_coupling(struct dc_urdf_builder *builder, int link, const struct dc_urdf_joint *joint,
                         const int *carried)
{
  const struct dc_urdf *urdf = builder->urdf;
  int place = dc_urdf_add_place(builder, joint->offset), leader = carried[urdf->joints[joint->mimic].child];
  if (!builder->couplings) {
    builder->couplings = cJSON_GetObjectItemCaseSensitive(builder->document->root, "couplings");
    if (!builder->couplings)
      builder->couplings =
          dc_urdf_put(builder, builder->document->root, "couplings", cJSON_CreateArray(), builder->at->valueint);
  }
  cJSON *coupling = dc_urdf_put(builder, builder->couplings, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_string(builder, coupling, "body", dc_urdf_named(builder, urdf->links[link].name, ""), place);
  dc_urdf_put_string(builder, coupling, "to", dc_urdf_named(builder, urdf->links[leader].name, ""), place);
  dc_urdf_put_number(builder, coupling, "multiplier", joint->multiplier, place);
  dc_urdf_put_number(builder, coupling, "offset", joint->shift, place);
}

// Whether a link has collision geometry.
static bool touches(const struct dc_urdf_builder *builder, const struct dc_urdf_link *link)
{
  bool found = false;
  for (int i = 0; i < link->geometries; i++)
    found |= !builder->urdf->geometries[link->first_geometry + i].visual;
  return found && builder->use->collide;
}

// Body of a link: motion, shapes, then mass or density, friction, and remarks.  Friction above 100 stands for
// "sticks".
static enum dc_status add_body(struct dc_urdf_builder *builder, int link, int head)
{
  const struct dc_urdf_link *given = &builder->urdf->links[link];
  int place = dc_urdf_add_place(builder, given->offset);
  cJSON *body = dc_urdf_put(builder, builder->bodies, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_string(builder, body, "name", dc_urdf_named(builder, given->name, ""), place);
  enum dc_status status = dc_urdf_put_motion(builder, body, link, head, place);
  if (status || (status = dc_urdf_put_shapes(builder, body, given, place)) ||
      (status = dc_urdf_put_mass(builder, body, link, place)))
    return status;
  if (!isnan(given->friction))
    dc_urdf_put_number(builder, body, "friction", fmin(given->friction, 100), place);
  if (given->frictions)
    dc_urdf_remember(builder, &builder->remarks.frictions, given->name);
  if (given->masks && builder->use->by_file)
    dc_urdf_remember(builder, &builder->remarks.masks, given->name);
  if (given->model && isnan(given->friction) && given->mask && touches(builder, given))
    dc_urdf_remember(builder, &builder->remarks.frictionless, given->name);
  if (given->supposed && is_head(builder, head))
    dc_urdf_remember(builder, &builder->remarks.supposed, given->name);
  if (!builder->use->collide || (builder->use->by_file && given->mask == 0))
    dc_urdf_put(builder, body, "collide", cJSON_CreateFalse(), place);
  put_look(builder, body, given, place);
  return DC_OK;
}

// heads [link_count]: of a link with a body the link whose joint moves that; carried: the inverse.
static enum dc_status add_bodies(struct dc_urdf_builder *builder, int *heads, int *carried)
{
  const struct dc_urdf *urdf = builder->urdf;
  for (size_t i = 0; i < urdf->link_count; i++) {
    heads[i] = builder->links[i].carrier == (int)i ? (int)i : -1;
    carried[i] = (int)i;
  }
  for (size_t i = 0; i < urdf->link_count; i++)
    if (is_head(builder, (int)i) && builder->links[i].first >= 0) {
      heads[builder->links[i].carrier] = (int)i;
      carried[i] = builder->links[i].carrier;
    }
  for (size_t k = 0; k < urdf->link_count; k++) {
    int link = urdf->order[k];
    if (heads[link] < 0) {  // a frame, whose visuals have nothing to be shown on
      builder->skipped += urdf->links[link].geometries;
      continue;
    }
    enum dc_status status = add_body(builder, link, heads[link]);
    if (status)
      return status;
  }
  for (size_t k = 0; k < urdf->link_count; k++) {
    int link = urdf->order[k];
    const struct dc_urdf_joint *joint = heads[link] < 0 ? NULL : dc_urdf_joint_to(urdf, heads[link]);
    if (joint && joint->mimic >= 0)
      put_coupling(builder, link, joint, carried);
  }
  return DC_OK;
}

// The scene's array or object of this name, which is added where it has none; NULL when out of memory.
static cJSON *collection(struct dc_urdf_builder *builder, const char *key, bool object)
{
  cJSON *root = builder->document->root, *found = cJSON_GetObjectItemCaseSensitive(root, key);
  if (found)
    return found;
  return dc_urdf_put(builder, root, key, object ? cJSON_CreateObject() : cJSON_CreateArray(), builder->at->valueint);
}

// A frame at a point of a link for a tie, as a body of the scene; link NULL: of the world.
static enum dc_status add_frame(struct dc_urdf_builder *builder, const struct dc_urdf_tie *tie, int side,
                                const char *name, int place)
{
  int link = tie->links[side] ? dc_urdf_find_link(builder->urdf, tie->links[side]) : -1;
  struct dc_urdf_pose pose = dc_urdf_identity, of_link = link < 0 ? builder->use->pose : builder->links[link].pose;
  int carrier = link < 0 ? -1 : builder->links[link].carrier;
  if (link >= 0 && builder->links[link].pending >= 0)
    return dc_urdf_fail_link(builder, link, "is held by a joint that closes a loop, and moves without a mass");
  dc_vec_copy(pose.position, tie->points[side]);
  if (carrier != link || link < 0)
    dc_urdf_pose_compose(&pose, &of_link, &pose);
  cJSON *frame = dc_urdf_put(builder, builder->bodies, NULL, cJSON_CreateObject(), place);
  dc_urdf_put_string(builder, frame, "name", name, place);
  dc_urdf_put_string(builder, frame, "joint", "fixed", place);
  if (carrier >= 0) {
    dc_urdf_put_string(builder, frame, "parent", dc_urdf_named(builder, builder->urdf->links[carrier].name, ""), place);
    dc_urdf_put_string(builder, frame, "frame", "parent", place);
  }
  dc_urdf_put_pose(builder, frame, &pose, place);
  return DC_OK;
}

// Every tie holds two frames together, which are called by its joint.
static enum dc_status add_ties(struct dc_urdf_builder *builder)
{
  static const char *const sides[] = {"parent", "child"};
  const struct dc_urdf_ties *ties = &builder->urdf->ties;
  cJSON *list = ties->count ? collection(builder, "ties", false) : NULL;
  enum dc_status status = DC_OK;
  for (size_t t = 0; t < ties->count && !status; t++) {
    const struct dc_urdf_tie *tie = &ties->list[t];
    int place = dc_urdf_add_place(builder, tie->offset);
    cJSON *entry = dc_urdf_put(builder, list, NULL, cJSON_CreateObject(), place);
    for (int side = 0; side < 2 && !status; side++) {
      char ending[40];
      snprintf(ending, sizeof ending, ":%s%zu", sides[side], t);
      const char *name = dc_urdf_named(builder, tie->joint, ending);
      dc_urdf_put_string(builder, entry, side ? "to" : "body", name, place);
      status = name ? add_frame(builder, tie, side, name, place) : DC_MEMORY;
    }
    if (t == 0 || strcmp(tie->joint, ties->list[t - 1].joint) != 0)
      dc_urdf_remember(builder, &builder->remarks.tied, tie->joint);
  }
  return status;
}

// Adds a link to the list of bodies that a body does not touch.
static void append_exception(struct dc_urdf_builder *builder, cJSON *body, int link)
{
  const char *name = dc_urdf_named(builder, builder->urdf->links[link].name, "");
  cJSON *list = cJSON_GetObjectItem(body, "collide_except");
  if (!list)
    list = dc_urdf_put(builder, body, "collide_except", cJSON_CreateArray(), body ? body->valueint : 0);
  if (list && name)
    dc_urdf_put_string(builder, list, NULL, name, body->valueint);
}

// The same, unless it is there.
static void add_exception(struct dc_urdf_builder *builder, int body, int link)
{
  const char *name = dc_urdf_named(builder, builder->urdf->links[link].name, "");
  cJSON *node = cJSON_GetArrayItem(builder->bodies, body), *other;
  cJSON_ArrayForEach (other, cJSON_GetObjectItem(node, "collide_except"))
    if (name && strcmp(other->valuestring, name) == 0)
      return;
  append_exception(builder, node, link);
}

// Whether a joint leads from the body of one link to that of the other.
static bool are_joined(const struct dc_urdf_builder *builder, int a, int b)
{
  const struct dc_urdf_joint *to_a = dc_urdf_joint_to(builder->urdf, a), *to_b = dc_urdf_joint_to(builder->urdf, b);
  return (to_a && builder->links[to_a->parent].carrier == b) || (to_b && builder->links[to_b->parent].carrier == a);
}

// Pairs of links that do not touch by what SDF says of models and collisions, and the ends of joints that close loops.
// Each stands with one of the two, so that no list has more than half of the links.
static void add_separate(struct dc_urdf_builder *builder, const int *body_of)
{
  const struct dc_urdf *urdf = builder->urdf;
  const char *told = NULL;
  cJSON *body, **nodes = dc_arena_alloc(urdf->arena, (size_t)cJSON_GetArraySize(builder->bodies) + 1, sizeof *nodes);
  builder->failed |= !nodes;
  if (nodes) {
    int count = 0;
    cJSON_ArrayForEach (body, builder->bodies)
      nodes[count++] = body;
  }
  for (size_t a = 0; a < urdf->link_count && !builder->failed; a++)
    for (size_t b = 0; b < a && body_of[a] >= 0 && urdf->links[a].model; b++) {
      const struct dc_urdf_link *one = &urdf->links[a], *other = &urdf->links[b];
      bool parts = body_of[b] >= 0 && other->model && one->mask && other->mask && !(one->still && other->still);
      if (!parts || dc_urdf_touch_by_file(one, other) || are_joined(builder, (int)a, (int)b))
        continue;
      size_t holder = (a + b) % 2 ? a : b;
      append_exception(builder, nodes[body_of[holder]], (int)(a + b - holder));
      if (one->model == other->model && one->model != told)
        dc_urdf_remember(builder, &builder->remarks.models, told = one->model);
    }
  for (size_t t = 0; t < urdf->ties.count && !builder->failed; t++) {
    const char *const *links = urdf->ties.list[t].links;
    int a = links[0] ? dc_urdf_find_link(urdf, links[0]) : -1, b = dc_urdf_find_link(urdf, links[1]);
    if (a >= 0 && b >= 0 && body_of[a] >= 0 && body_of[b] >= 0 && !are_joined(builder, a, b))
      add_exception(builder, body_of[b], a);
  }
}

// Pairs of links that do not touch, as pairs of their bodies.  body_of [link_count]: index among the bodies, -1
// without.
static enum dc_status add_exceptions(struct dc_urdf_builder *builder, const int *body_of)
{
  const struct dc_urdf *urdf = builder->urdf;
  const struct dc_srdf *disabled = &builder->use->disabled;
  const char *unknown = NULL;
  if (builder->use->by_file)
    add_separate(builder, body_of);
  for (int i = 0; i < disabled->count; i++) {
    int carriers[2];
    for (int side = 0; side < 2; side++) {
      int link = dc_urdf_find_link(urdf, disabled->pairs[i].links[side]);
      carriers[side] = link < 0 ? -1 : builder->links[link].carrier;
      if (link < 0)
        unknown = disabled->pairs[i].links[side];
    }
    int a = carriers[0], b = carriers[1];
    if (a >= 0 && b >= 0 && a != b && body_of[a] >= 0 && body_of[b] >= 0)
      add_exception(builder, body_of[a], b);
  }
  return unknown ? dc_notes_add(builder->use->notes,
                                "%s: \"srdf\" names links that the robot does not have, such as \"%s\"", urdf->name,
                                unknown)
                 : DC_OK;
}

// One line of notes for a list of names, none for an empty one.
static enum dc_status note(struct dc_urdf_builder *builder, const struct dc_urdf_names *links, const char *what)
{
  struct dc_notes *notes = builder->use->notes;
  if (!links->count)
    return DC_OK;
  const char *names = dc_notes_list(notes, links->names, links->count);
  return names ? dc_notes_add(notes, "%s: %s: %s", builder->urdf->name, what, names) : DC_MEMORY;
}

// Elements that were skipped and would act.
static enum dc_status note_unread(const struct dc_urdf_builder *builder)
{
  const struct dc_urdf *urdf = builder->urdf;
  enum dc_status status = DC_OK;
  for (size_t i = 0; i < urdf->unread_count && !status; i++) {
    const struct dc_urdf_unread *kind = &urdf->unread[i];
    char more[40] = "";
    long line, column;
    dc_json_find_line(urdf->text, kind->offset < urdf->length ? kind->offset : urdf->length, &line, &column);
    if (kind->count > 1)
      snprintf(more, sizeof more, " and %d more", kind->count - 1);
    const char *effect = kind->effect ? kind->effect : "is not known and left out";
    status = kind->name[0] == '@' ? dc_notes_add(builder->use->notes, "%s:%ld: \"%.60s\" of <%.60s>%s: %s", urdf->name,
                                                 line, kind->name + 1, kind->parent, more, effect)
                                  : dc_notes_add(builder->use->notes, "%s:%ld: <%.60s> in <%.60s>%s: %s", urdf->name,
                                                 line, kind->name, kind->parent, more, effect);
  }
  return status;
}

// Notes joints without bounds and floating joints for the remarks.
static void gather_joints(struct dc_urdf_builder *builder)
{
  struct dc_urdf_remarks *remarks = &builder->remarks;
  for (size_t j = 0; j < builder->urdf->joint_count && !builder->failed; j++) {
    const struct dc_urdf_joint *joint = &builder->urdf->joints[j];
    bool turns = joint->type == DC_URDF_REVOLUTE;
    if (joint->type != DC_URDF_FIXED && dc_urdf_joint_is_fixed(joint) && joint->mimic < 0 && joint->lower != 0)
      dc_urdf_remember_numbers(builder, &remarks->started, "%s from %.6g to %.6g", joint->name, 0, joint->lower);
    if (joint->negative)
      dc_urdf_remember(builder, &remarks->negative, joint->name);
    if (joint->unbounded && dc_urdf_joint_is_fixed(joint))
      dc_urdf_remember(builder, &remarks->stuck, joint->name);
    else if (joint->unbounded)
      dc_urdf_remember(builder, turns ? &remarks->turning : &remarks->sliding, joint->name);
    if (builder->use->effort && (joint->effort <= 0 || joint->velocity <= 0) && !dc_urdf_joint_is_fixed(joint))
      dc_urdf_remember(builder, &remarks->unbounded, joint->name);
    if (joint->type == DC_URDF_FLOATING && !joint->invented)
      dc_urdf_remember(builder, &remarks->floating, joint->name);
    bool many = joint->type == DC_URDF_FLOATING || joint->type == DC_URDF_PLANAR;
    bool damped = joint->type == DC_URDF_FLOATING && (joint->damping > 0 || joint->friction > 0);
    if (damped || (many && joint->lower < joint->upper))
      dc_urdf_remember(builder, &remarks->unheeded, joint->name);
  }
}

// Tells what is not as the file says.
static enum dc_status add_notes(struct dc_urdf_builder *builder)
{
  const struct dc_urdf *urdf = builder->urdf;
  struct dc_urdf_remarks *remarks = &builder->remarks;
  struct dc_notes *notes = builder->use->notes;
  enum dc_status status = DC_OK;
  char repaired[128];
  for (size_t j = 0; j < urdf->joint_count && !builder->failed; j++)
    if (!builder->use->effort && isfinite(urdf->joints[j].effort))
      dc_urdf_remember(builder, &remarks->limited, urdf->joints[j].name);
  for (size_t j = 0; j < urdf->joint_count && !builder->failed; j++)
    if (urdf->joints[j].invented)
      dc_urdf_remember(builder, &remarks->unheld, urdf->joints[j].child_name);
  for (size_t j = 0; j < urdf->joint_count && !builder->failed; j++)
    if (urdf->joints[j].freed)
      dc_urdf_remember(builder, &remarks->freed, urdf->joints[j].name);
  for (size_t i = 0; i < urdf->link_count && !builder->failed; i++)
    if (urdf->links[i].emptied)
      dc_urdf_remember(builder, &remarks->emptied, urdf->links[i].name);
  gather_joints(builder);
  const struct {
    const struct dc_urdf_names *names;
    const char *what;
  } told[] = {
      {&remarks->turning, "revolute joints without a range turn freely, as continuous ones do"},
      {&remarks->started, "starts moved into the ranges of joints"},
      {&remarks->models,
       "links of a model touch each other only with <self_collide>, by the specification (\"self_contact\": \"all\" "
       "lets all touch); they do not in"},
      {&remarks->masks, "collisions of a link with several bit masks: those of the first hold"},
      {&remarks->densities, "collisions of a link with several densities, meshes among them: that of the first holds"},
      {&remarks->negative, "damping, friction or springs of joints below 0 are none"},
      {&remarks->rubbing, "friction of two links is the geometric mean of their coefficients, where Gazebo takes the "
                          "smaller: too many pairs differ, of"},
      {&remarks->frictionless, "links without <friction> have that of \"contact\"; by the specification it would be 1"},
      {&remarks->unheld, "links that no joint leads to float freely, beside <link name=\"world\">"},
      {&remarks->sliding, "prismatic joints without a <limit> slide without end"},
      {&remarks->stuck,
       "prismatic joints whose <limit> has no range are fixed, as lower and upper are 0 by the letter; "
       "give them lower and upper to let them slide"},
      {&remarks->unbounded, "limits of effort or velocity of 0 or less are none"},
      {&remarks->tied, "joints that close loops are ties, without their ranges, damping and friction"},
      {&remarks->passive, "joints that no transmission of the file moves have no actuator (\"pd\" by joint gives one)"},
      {&remarks->damped, "damping, friction and springs of joints do not act, as \"dynamics\" says"},
      {&remarks->supposed, "links without <mass> have 1 kg and, without <inertia>, 1 kg m^2, by the specification"},
      {&remarks->frictions, "collisions of a link with several coefficients of friction: that of the first holds"},
      {&remarks->unheeded, "ranges of floating and planar joints, damping and friction of floating ones do not act"},
      {&remarks->floating, "floating joints: what hangs on them moves freely"}};
  for (size_t i = 0; i < sizeof told / sizeof told[0] && !status; i++)
    status = note(builder, told[i].names, told[i].what);
  if (!status)
    status = note_unread(builder);
  if (!status && builder->skipped)
    status = dc_notes_add(notes, "%s: %d <visual> left out (no closed OBJ or STL surface, or on no body)", urdf->name,
                          builder->skipped);
  snprintf(repaired, sizeof repaired,
           "inertias that no body has, repaired (second moments changed by at most %.2g of their size)",
           remarks->most_change);
  if (!status)
    status = note(builder, &remarks->emptied, "geometry with a length of zero, left out");
  if (!status)
    status = note(builder, &remarks->repaired, repaired);
  if (!status)
    status = note(builder, &remarks->solid, "inertias of zero, replaced by those of the collision geometry");
  if (!status)
    status = note(builder, &remarks->tiny,
                  "inertias of zero on links without collision geometry, replaced by balls of 1 cm");
  if (!status)
    status = note(builder, &remarks->idle, "joints that move nothing with a mass or collision geometry, left out");
  if (!status)
    status = note(builder, &remarks->freed,
                  "ranges left out of joints that follow others whose ranges never lead them into theirs");
  if (!status)
    status = note(builder, &remarks->limited, "limits of effort are not applied");
  return status;
}

// Adds the robot to the scene's tree.  Three arrays share one allocation: heads, their inverse, and the index
// of each link's body in the scene.  Bodies must all be there before exceptions name them.
enum dc_status dc_urdf_add(const struct dc_urdf *urdf, const struct dc_urdf_use *use, struct dc_json_document *document,
                           uint32_t source, const cJSON *at, struct dc_error *error)
{
  struct dc_urdf_builder builder = {
      .urdf = urdf, .use = use, .document = document, .source = source, .at = at, .error = error};
  builder.links = dc_alloc(urdf->link_count, sizeof *builder.links);
  int *heads = dc_alloc(3 * urdf->link_count, sizeof *heads), *body_of = heads + 2 * urdf->link_count;
  builder.shapes = collection(&builder, "shapes", true);
  builder.bodies = collection(&builder, "bodies", false);
  enum dc_status status = DC_OK;
  if (!builder.links || !heads || builder.failed) {
    builder.failed = true;
  } else {
    builder.shape_count = cJSON_GetArraySize(builder.shapes);
    int next = cJSON_GetArraySize(builder.bodies);
    status = place_links(&builder);
    if (!status)
      status = add_bodies(&builder, heads, heads + urdf->link_count);
    if (!status)
      status = add_ties(&builder);
    for (size_t k = 0; k < urdf->link_count && !status; k++)
      body_of[urdf->order[k]] = heads[urdf->order[k]] < 0 ? -1 : next++;
    if (!status && !builder.failed)
      dc_urdf_put_frictions(&builder, body_of);
    if (!status && !builder.failed && (status = add_exceptions(&builder, body_of)) == DC_OK)
      status = add_notes(&builder);
  }
  free(builder.links);
  free(heads);
  if (!status && builder.failed)
    status = dc_out_of_memory_in(error, urdf->name);
  return status;
}
