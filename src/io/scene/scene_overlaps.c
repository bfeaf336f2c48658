// SPDX-License-Identifier: Apache-2.0
// Links of included robots that overlap at the start: collision geometry is often made a little too large where links
// meet, so that neighbours of neighbours run into each other.  Such pairs are left out of contact.
#include <stdlib.h>
#include <string.h>

#include "contact/contact.h"
#include "io/scene/scene_build.h"

// robot_of [body_count]: the number of the robot that a body belongs to, from 1; 0: none.
static void find_robots(const struct dc_scene_build *build, int *robot_of)
{
  int number = 0;
  for (const struct dc_scene_robot *robot = build->robots; robot; robot = robot->next) {
    number++;
    for (int i = 0; i < robot->count; i++) {
      int body = dc_name_list_find(&build->reader.bodies, robot->bodies[i]);
      if (body >= 0)
        robot_of[body] = number;
    }
  }
}

// Appends other to the bodies that body does not touch.
static enum dc_status exclude(struct dc_scene_build *build, int body, int other)
{
  struct dc_index_list *list = &build->scene->bodies[body].collide_except;
  int *indices = dc_arena_alloc(build->scene->arena, (size_t)list->count + 1, sizeof *indices);
  if (!indices)
    return DC_MEMORY;
  if (list->count)
    memcpy(indices, list->indices, (size_t)list->count * sizeof *indices);
  indices[list->count] = other;
  *list = (struct dc_index_list){list->count + 1, indices};
  return DC_OK;
}

// Excludes the pairs of one robot among those that overlap; names [count] of what was excluded.
static enum dc_status exclude_pairs(struct dc_scene_build *build, const struct dc_contact *contact,
                                    const bool *overlaps, const int *robot_of, const char **names, int *count)
{
  const struct dc_body_definition *bodies = build->scene->bodies;
  const int(*pairs)[2] = dc_contact_pairs(contact);
  for (int p = 0; p < dc_contact_pair_count(contact); p++) {
    int a = pairs[p][0], b = pairs[p][1];
    if (!overlaps[p] || !robot_of[a] || robot_of[a] != robot_of[b])
      continue;
    if (exclude(build, a, b) ||
        !(names[(*count)++] = dc_arena_printf(build->scene->arena, "%s with %s", bodies[a].name, bodies[b].name)))
      return DC_MEMORY;
  }
  return DC_OK;
}

static enum dc_status find_and_exclude(struct dc_scene_build *build, struct dc_contact *contact, int *excluded)
{
  const struct dc_bodies *bodies = &build->scene->model.bodies;
  size_t pairs = (size_t)dc_contact_pair_count(contact) + 1;
  int *robot_of = dc_alloc((size_t)bodies->count, sizeof *robot_of);
  bool *overlaps = dc_alloc(pairs, sizeof *overlaps);
  struct dc_pose *poses = dc_alloc((size_t)bodies->count, sizeof *poses);
  const char **names = dc_alloc(pairs, sizeof *names), *list;
  enum dc_status status = robot_of && overlaps && poses && names ? DC_OK : DC_MEMORY;
  if (!status) {
    find_robots(build, robot_of);
    dc_poses(bodies, bodies->initial_q, poses);
    dc_contact_overlaps(contact, poses, overlaps);
    status = exclude_pairs(build, contact, overlaps, robot_of, names, excluded);
  }
  if (!status && *excluded) {
    list = dc_notes_list(&build->scene->notes, names, *excluded);
    status = list ? dc_notes_add(&build->scene->notes, "links that overlap at the start and do not touch: %s", list)
                  : DC_MEMORY;
  }
  free(robot_of);
  free(overlaps);
  free(poses);
  free(names);
  return status ? dc_fail(build->error, status, "%s: out of memory", build->scene->path) : DC_OK;
}

enum dc_status dc_scene_exclude_overlaps(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  const struct dc_model_definition *definition = &scene->definition;
  int excluded = 0;
  if (!build->robots)
    return DC_OK;
  struct dc_contact *contact =
      dc_contact_create(definition->contact_model, &definition->contact, &scene->model.bodies, build->error);
  if (!contact)
    return build->error->status;
  enum dc_status status = find_and_exclude(build, contact, &excluded);
  dc_contact_destroy(contact);
  if (!status && excluded && dc_model_create(&scene->model, definition, scene->arena, build->error))
    status = dc_json_wrap(&build->root, build->error);
  return status;
}
