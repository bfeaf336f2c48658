// SPDX-License-Identifier: Apache-2.0
// The overlay that the scene of a run has for a contact model, as arguments PATH=VALUE.  A run that goes on
// with another model gets its overlay through the same door as --set arguments, on top of the resolved scene.
#include <stdlib.h>

#include "io/json/json_value.h"
#include "io/run/run.h"

struct overlay {
  struct dc_arena *arena;
  const char **overrides;
  int count, capacity;  // capacity 0: only count
  bool failed;
};

// Adds one argument; with capacity 0 it only counts, so that the list can be made at its full length before it
// is filled.
static void add(struct overlay *overlay, const char *path, const cJSON *node)
{
  if (overlay->count++ >= overlay->capacity)
    return;
  char *value = cJSON_PrintUnformatted(node);
  const char *text = value ? dc_arena_printf(overlay->arena, "%s=%s", path, value) : NULL;
  overlay->overrides[overlay->count - 1] = text;
  overlay->failed |= text == NULL;
  cJSON_free(value);
}

// Goes down objects member by member and adds everything else, numbers, strings and arrays, as it is.
static void walk(struct overlay *overlay, const char *path, const cJSON *node)
{
  const cJSON *member;
  if (!cJSON_IsObject(node)) {
    add(overlay, path, node);
    return;
  }
  cJSON_ArrayForEach (member, node) {
    const char *below = dc_arena_printf(overlay->arena, "%s%s%s", path, path[0] ? "." : "", member->string);
    if (below)
      walk(overlay, below, member);
    else
      overlay->failed = true;
  }
}

// Reads an overlay of "models" in a run's scene.json as arguments PATH=VALUE; walks it twice, to count and to write.
enum dc_status dc_run_read_overlay(const char *directory, const char *model, struct dc_arena *arena, int *count,
                                   const char ***overrides, struct dc_error *error)
{
  struct dc_json_document document = {0};
  struct overlay overlay = {.arena = arena};
  char *path = dc_path_join(directory, "scene.json");
  *count = 0;
  *overrides = NULL;
  enum dc_status status = path ? dc_json_load(&document, path, arena, error) : dc_out_of_memory(error);
  free(path);
  if (status)
    return status;
  const cJSON *models = cJSON_GetObjectItemCaseSensitive(document.root, "models");
  const cJSON *node = cJSON_GetObjectItemCaseSensitive(models, model);
  if (node) {
    walk(&overlay, "", node);
    overlay.overrides = dc_arena_alloc(arena, (size_t)overlay.count, sizeof *overlay.overrides);
    overlay.capacity = overlay.overrides ? overlay.count : 0;
    overlay.failed |= !overlay.overrides;
    overlay.count = 0;
    walk(&overlay, "", node);
  }
  dc_json_release(&document);
  if (overlay.failed)
    return dc_out_of_memory_for(error, "an overlay");
  *count = overlay.count;
  *overrides = overlay.overrides;
  return DC_OK;
}
