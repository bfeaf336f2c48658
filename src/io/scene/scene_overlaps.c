// SPDX-License-Identifier: Apache-2.0
// Links of included robots that do not touch each other, or only where they are near.  Collision geometry is
// often made a little too large where links meet, so that neighbours of neighbours overlap at the start; and
// most pairs of links can never meet.
//
// Three rules take pairs out of contact, in this order, each with a note: pairs that overlap at the start
// ("overlaps"), pairs that never came near each other in a sample of joint positions ("self_contact": "auto"),
// and all others with "self_contact": "none".  The far field of what is left is cut with "self_field": "near".
// Contact without these rules is found by building it once; when anything was excluded the model is made anew.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/meeting.h"
#include "contact/contact.h"
#include "io/scene/constants.h"
#include "io/scene/scene_build.h"
#include "math/rotation.h"
#include "math/vector.h"

// How many positions are tried.
enum { SAMPLES = 2000 };

// robot_of [body_count]: the robot that a body belongs to, or NULL.
static void find_robots(const struct dc_scene_build *build, const struct dc_scene_robot **robot_of)
{
  for (const struct dc_scene_robot *robot = build->robots; robot; robot = robot->next)
    for (int i = 0; i < robot->count; i++) {
      int body = dc_name_list_find(&build->reader.bodies, robot->bodies[i]);
      if (body >= 0)
        robot_of[body] = robot;
    }
}

// Appends a body to a list.  The list is copied into the arena each time: it has a few entries, and lists of
// definitions that were read before are never changed in place.
static enum dc_status append(struct dc_arena *arena, struct dc_index_list *list, int other)
{
  int *indices = dc_arena_alloc(arena, (size_t)list->count + 1, sizeof *indices);
  if (!indices)
    return DC_MEMORY;
  if (list->count)
    memcpy(indices, list->indices, (size_t)list->count * sizeof *indices);
  indices[list->count] = other;
  *list = (struct dc_index_list){list->count + 1, indices};
  return DC_OK;
}

// Findings about each pair of links of one robot.
struct pairs {
  struct dc_contact *contact;
  const struct dc_scene_robot **robot_of;  // [bodies]
  bool *overlaps, *meet;                   // [pairs]
  const char **names;                      // room for [pairs]
  struct dc_pose *poses;                   // [bodies]
};

// Whether `link` hangs on the world beside the fixed body `still`: the joint of the link, or of the body that
// it is fixed to, is no free one, and above it are the world or a body that stands still.
static bool hangs_beside(const struct dc_bodies *bodies, int still, int link)
{
  const struct dc_body *body = &bodies->bodies[link];
  if (dc_body_moves(&bodies->bodies[still]) || !dc_body_moves(body) || body->free)
    return false;
  while (body->nv == 0)
    body = &bodies->bodies[body->parent];
  return !body->free && (body->parent < 0 || !dc_body_moves(&bodies->bodies[body->parent]));
}

// Whether "separate" moves a link that slides on the world away from a half-space: it does unless all slides
// with which the joint of its root begins run along the plane, within 0.1 of the cosine to its normal.
static bool is_separated(const struct dc_bodies *bodies, const struct dc_scene_robot *robot, int still, int link)
{
  const struct dc_body *root = &bodies->bodies[dc_body_root(bodies->bodies, link)], *plane = &bodies->bodies[still];
  double rotation[9], axis[3], normal[3];
  bool along = true;
  if (robot->overlaps != DC_OVERLAPS_SEPARATE || !plane->shape->type->half_space)
    return false;
  dc_rotation_matrix(rotation, plane->start.quaternion);
  dc_mat_apply(normal, rotation, (double[3]){0, 0, 1});
  dc_rotation_matrix(rotation, root->rest_quaternion);
  for (int p = 0; p < root->part_count && root->parts[p].kind == DC_PART_SLIDE; p++) {
    dc_mat_apply(axis, rotation, root->parts[p].axis);
    along &= fabs(dc_vec_dot(axis, normal)) < 0.1;
  }
  return !along;
}

// The robot of a pair of its links; NULL: they are none.  A file may hold the world and things beside a robot,
// whose contact with it is no accident: links of one robot hang on each other, that is, they have the same
// root.  A part of the world on which a link hangs counts where they overlap.
static const struct dc_scene_robot *robot_of_pair(const struct pairs *pairs, const struct dc_bodies *bodies, int p)
{
  int a = dc_contact_pairs(pairs->contact)[p][0], b = dc_contact_pairs(pairs->contact)[p][1];
  const struct dc_scene_robot *robot = pairs->robot_of[a];
  if (!robot || robot != pairs->robot_of[b])
    return NULL;
  bool linked = dc_body_root(bodies->bodies, a) == dc_body_root(bodies->bodies, b);
  bool beside = pairs->overlaps[p] && ((hangs_beside(bodies, a, b) && !is_separated(bodies, robot, a, b)) ||
                                       (hangs_beside(bodies, b, a) && !is_separated(bodies, robot, b, a)));
  return linked || beside ? robot : NULL;
}

// Excludes the pairs of one robot for which `wanted` holds, with a note; *excluded counts them.
typedef bool wanted(const struct pairs *pairs, int pair, const struct dc_scene_robot *robot);

// First rule: the links overlap at the start, and the include does not ask for a refusal.
static bool overlaps(const struct pairs *pairs, int pair, const struct dc_scene_robot *robot)
{
  return robot->overlaps != DC_OVERLAPS_REFUSE && pairs->overlaps[pair];
}

// Second rule: no sampled position brought the links near each other.
static bool never_meets(const struct pairs *pairs, int pair, const struct dc_scene_robot *robot)
{
  return !overlaps(pairs, pair, robot) && robot->self_contact == DC_SELF_CONTACT_AUTO && !pairs->meet[pair] &&
         !pairs->overlaps[pair];
}

// Third rule: the include wants no contact among the robot's links.
static bool is_left_out(const struct pairs *pairs, int pair, const struct dc_scene_robot *robot)
{
  return !overlaps(pairs, pair, robot) && robot->self_contact == DC_SELF_CONTACT_NONE;
}

// Excludes the pairs of links that is_wanted accepts from contact, and notes their names.
static enum dc_status exclude_pairs(struct dc_scene_build *build, const struct pairs *pairs, wanted *is_wanted,
                                    const char *what, int *excluded)
{
  const struct dc_body_definition *bodies = build->scene->bodies;
  const int(*all)[2] = dc_contact_pairs(pairs->contact);
  int count = 0;
  for (int p = 0; p < dc_contact_pair_count(pairs->contact); p++) {
    int a = all[p][0], b = all[p][1];
    const struct dc_scene_robot *robot = robot_of_pair(pairs, &build->scene->model.bodies, p);
    if (!robot || !is_wanted(pairs, p, robot))
      continue;
    if (append(build->scene->arena, &build->scene->bodies[a].filter.except, b) ||
        !(pairs->names[count++] = dc_arena_printf(build->scene->arena, "%s with %s", bodies[a].name, bodies[b].name)))
      return DC_MEMORY;
  }
  *excluded += count;
  const char *list = dc_notes_list(&build->scene->notes, pairs->names, count);
  return !list ? DC_MEMORY : count ? dc_notes_add(&build->scene->notes, "%s: %s", what, list) : DC_OK;
}

// Whether a pair of one robot loses its far field: two of its links, or a link and what stands still in the
// file's world, on which the robot hangs.  Half-spaces have no tree of nodes, so that there is nothing to leave
// out.
static bool has_no_far_field(const struct pairs *pairs, const struct dc_bodies *bodies, int a, int b)
{
  const struct dc_scene_robot *robot = pairs->robot_of[a];
  if (!robot || robot != pairs->robot_of[b] || robot->self_field != DC_SELF_FIELD_NEAR)
    return false;
  if (bodies->bodies[a].shape->type->half_space || bodies->bodies[b].shape->type->half_space)
    return false;
  return dc_body_root(bodies->bodies, a) == dc_body_root(bodies->bodies, b) || hangs_beside(bodies, a, b) ||
         hangs_beside(bodies, b, a);
}

// Marks pairs of robots with self_field "near" that still touch: they act on each other only where they are
// near.  *found counts them.  The note is written where the contact model has a far field at all.
static enum dc_status cut_far_fields(struct dc_scene_build *build, const struct pairs *pairs, int *found)
{
  struct dc_scene *scene = build->scene;
  const int(*all)[2] = dc_contact_pairs(pairs->contact);
  int count = 0;
  for (int p = 0; p < dc_contact_pair_count(pairs->contact); p++) {
    struct dc_body_definition *first = &scene->bodies[all[p][0]];
    if (!has_no_far_field(pairs, &scene->model.bodies, all[p][0], all[p][1]) ||
        dc_index_list_holds(&first->filter.except, all[p][1]))
      continue;
    if (append(scene->arena, &first->filter.near_only, all[p][1]))
      return DC_MEMORY;
    count++;
  }
  *found += count;
  if (count == 0 || !scene->definition.contact_model->hierarchical)
    return DC_OK;
  return dc_notes_add(&scene->notes,
                      "%d pair%s of links of robots act%s on each other only where they are near; \"self_field\": "
                      "\"full\" of their include gives them a far field",
                      count, count > 1 ? "s" : "", count > 1 ? "" : "s");
}

// Finds the pairs of one robot that overlap at the start, and, where a robot asks for it, samples which links
// can meet at all.  The sample has a fixed seed: the same scene always excludes the same pairs.
static enum dc_status find_pairs(struct dc_scene_build *build, struct pairs *pairs, struct dc_error *error)
{
  const struct dc_scene *scene = build->scene;
  const struct dc_bodies *bodies = &scene->model.bodies;
  const struct dc_meeting_sample sample = {.coupling_count = scene->definition.coupling_count,
                                           .couplings = scene->couplings,
                                           .samples = SAMPLES,
                                           .margin = DC_MEETING_MARGIN,
                                           .seed = 1};
  bool sampled = false;
  find_robots(build, pairs->robot_of);
  dc_poses(bodies, bodies->initial_q, pairs->poses);
  dc_contact_overlaps(pairs->contact, pairs->poses, pairs->overlaps);
  for (const struct dc_scene_robot *robot = build->robots; robot; robot = robot->next)
    sampled |= robot->self_contact == DC_SELF_CONTACT_AUTO;
  if (!sampled)
    return DC_OK;
  return dc_bodies_sample_meetings(bodies, &sample, dc_contact_pair_count(pairs->contact),
                                   dc_contact_pairs(pairs->contact), pairs->meet, error);
}

// Excludes, in this order, pairs of links that overlap at the start, that never met in a sample of positions,
// and that self_contact leaves out; then cuts far fields.  *changed counts what differs from the model that was
// built.
static enum dc_status find_and_exclude(struct dc_scene_build *build, struct dc_contact *contact, int *changed)
{
  size_t bodies = (size_t)build->scene->model.bodies.count, count = (size_t)dc_contact_pair_count(contact) + 1;
  struct pairs pairs = {.contact = contact,
                        .robot_of = dc_alloc(bodies, sizeof *pairs.robot_of),
                        .overlaps = dc_alloc(count, sizeof *pairs.overlaps),
                        .meet = dc_alloc(count, sizeof *pairs.meet),
                        .names = dc_alloc(count, sizeof *pairs.names),
                        .poses = dc_alloc(bodies, sizeof *pairs.poses)};
  bool complete = pairs.robot_of && pairs.overlaps && pairs.meet && pairs.names && pairs.poses;
  enum dc_status status = complete ? find_pairs(build, &pairs, build->error) : DC_MEMORY;
  if (!status)
    status = exclude_pairs(build, &pairs, overlaps, "links that overlap at the start and do not touch", changed);
  if (!status)
    status = exclude_pairs(build, &pairs, never_meets,
                           "links that never came near each other in a sample of positions and do not touch", changed);
  if (!status)
    status = exclude_pairs(build, &pairs, is_left_out, "links that do not touch, as self_contact says", changed);
  if (!status)
    status = cut_far_fields(build, &pairs, changed);
  free(pairs.robot_of);
  free(pairs.overlaps);
  free(pairs.meet);
  free(pairs.names);
  free(pairs.poses);
  return status ? dc_fail(build->error, status, "%s: out of memory", build->scene->path) : DC_OK;
}

// Excludes pairs of links of robots; the model is made anew when this changes it.
enum dc_status dc_scene_exclude_pairs(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  const struct dc_model_definition *definition = &scene->definition;
  int changed = 0;
  if (!build->robots)
    return DC_OK;
  struct dc_contact *contact =
      dc_contact_create(definition->contact_model, &definition->contact, &scene->model.bodies, build->error);
  if (!contact)
    return build->error->status;
  enum dc_status status = find_and_exclude(build, contact, &changed);
  dc_contact_destroy(contact);
  if (!status && changed && dc_model_create(&scene->model, definition, scene->arena, build->error))
    status = dc_json_wrap(&build->root, build->error);
  return status;
}
