// SPDX-License-Identifier: Apache-2.0
// Where parts of a scene stand in the files they were read from: kept when the tree is gone, for mistakes that show
// only when the scene is put together.
#include <string.h>

#include "io/scene/scene_build.h"

// Places by element of "bodies" [body_count], "control" [control_count] and "design" [design_count], and those
// of the shot (with its index in "objective") and of "time".  All are owned by the scene's arena, as is the
// text of the document that the offsets point into.
struct dc_scene_places {
  struct dc_json_document document;  // name and texts only
  int body_count, control_count, design_count, shot_index;
  struct dc_json_place *bodies, *controls, *design, shot, time;
};

static struct dc_json_place place_of(const struct dc_json *value)
{
  return value->document->places.places[value->node->valueint];
}

// Keeps the places of the elements of the array at `key`; none when the scene does not have it.
static enum dc_status keep_elements(struct dc_scene_build *build, const char *key, int *count,
                                    struct dc_json_place **places)
{
  struct dc_json array = dc_json_member(&build->root, key);
  int i = 0;
  cJSON *node;
  *count = array.node ? cJSON_GetArraySize(array.node) : 0;
  *places = dc_arena_alloc(build->scene->arena, (size_t)*count, sizeof **places);
  if (!*places)
    return dc_out_of_memory_in(build->error, build->scene->path);
  if (array.node)
    cJSON_ArrayForEach (node, array.node) {
      struct dc_json element = dc_json_element(&array, node, i);
      (*places)[i++] = place_of(&element);
    }
  return DC_OK;
}

// Keeps where parts of the scene stand in the file, so that errors found after reading, while starts are
// checked or targets drawn, still name line and path.  The tree itself is released after reading.
enum dc_status dc_scene_keep_places(struct dc_scene_build *build)
{
  struct dc_scene_places *places = dc_arena_alloc(build->scene->arena, 1, sizeof *places);
  if (!places)
    return dc_out_of_memory_in(build->error, build->scene->path);
  enum dc_status status = keep_elements(build, "bodies", &places->body_count, &places->bodies);
  if (!status)
    status = keep_elements(build, "control", &places->control_count, &places->controls);
  if (!status)
    status = keep_elements(build, "design", &places->design_count, &places->design);
  if (status)
    return status;
  struct dc_json time = dc_json_member(&build->root, "time");
  places->time = place_of(time.node ? &time : &build->root);
  struct dc_json objectives = dc_json_member(&build->root, "objective");
  int i = 0;
  cJSON *node;
  if (objectives.node)
    cJSON_ArrayForEach (node, objectives.node) {
      struct dc_json element = dc_json_element(&objectives, node, i++), shot = dc_json_member(&element, "shot");
      if (!shot.node)
        continue;
      places->shot = place_of(&shot);
      places->shot_index = i - 1;
    }
  places->document = build->document;
  places->document.root = NULL;
  memset(&places->document.places, 0, sizeof places->document.places);
  build->scene->source.places = places;
  return DC_OK;
}

// Puts path and line of a part of the scene before a message.
enum dc_status dc_scene_wrap(const struct dc_scene *scene, enum dc_scene_part part, int index, struct dc_error *error)
{
  const struct dc_scene_places *places = scene->source.places;
  const struct dc_json_place *place = NULL;
  switch (part) {
  case DC_PART_BODY:
    if (index < places->body_count)
      place = &places->bodies[index];
    dc_error_prefix(error, "bodies[%d]", index);
    break;
  case DC_PART_CONTROL:
    if (index < places->control_count)
      place = &places->controls[index];
    dc_error_prefix(error, "control[%d]", index);
    break;
  case DC_PART_DESIGN:
    if (index < places->design_count)
      place = &places->design[index];
    dc_error_prefix(error, "design[%d]", index);
    break;
  case DC_PART_SHOT:
    place = &places->shot;
    dc_error_prefix(error, "objective[%d].shot", places->shot_index);
    break;
  case DC_PART_TIME:
    place = &places->time;
    dc_error_prefix(error, "time");
    break;
  }
  if (place)
    return dc_json_fail_at(&places->document, places->document.text, place->value, place->source, error);
  dc_error_prefix(error, "%.300s", scene->path);
  return error->status;
}
