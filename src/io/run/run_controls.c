// SPDX-License-Identifier: Apache-2.0
// Whether the parameters of an earlier run mean the same in a scene: its controls, as the resolved texts spell
// them out with all defaults, must be equal, and for some purposes also time step and number of steps.
#include <stdlib.h>
#include <string.h>

#include "io/json/json_value.h"
#include "io/run/run.h"
#include "io/run/run_files.h"

static bool has_number(const struct dc_json *object, const char *key, double number)
{
  struct dc_json member = dc_json_member(object, key);
  return member.node && cJSON_IsNumber(member.node) && member.node->valuedouble == number;
}

// Compares "control" of a run's resolved text with the scene's, as trees: order of keys does not count, every
// value does.
static bool same_controls(const struct dc_json *theirs, const struct dc_scene *scene)
{
  struct dc_json_document document = {.name = scene->name, .text = scene->resolved, .length = strlen(scene->resolved)};
  struct dc_error error = {0};
  bool scanned, same = false;
  document.root = dc_json_parse(&document, document.text, document.length, 0, &scanned, &error);
  if (document.root) {
    struct dc_json root = dc_json_root(&document);
    same = cJSON_Compare(dc_json_member(theirs, "control").node, dc_json_member(&root, "control").node, true) != 0;
  }
  dc_json_release(&document);
  return same;
}

// False also when the run's resolved.json cannot be read: its parameters are then not used.
bool dc_run_has_controls_of(const char *directory, const struct dc_scene *scene, bool at_its_times)
{
  struct dc_json_document document = {0};
  struct dc_error error = {0};
  struct dc_arena *arena = dc_arena_create();
  char *path = dc_path_join(directory, "resolved.json");
  bool same = false;
  if (arena && path && !dc_json_load(&document, path, arena, &error)) {
    struct dc_json root = dc_json_root(&document), time = dc_json_member(&root, "time");
    bool times = time.node && has_number(&time, "step", scene->definition.time.step) &&
                 has_number(&time, "steps", (double)scene->definition.time.steps);
    same = (times || !at_its_times) && same_controls(&root, scene);
  }
  dc_json_release(&document);
  dc_arena_destroy(arena);
  free(path);
  return same;
}
