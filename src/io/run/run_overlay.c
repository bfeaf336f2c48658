// SPDX-License-Identifier: Apache-2.0
// Overlays of the scene that a run was made of.
#include <stdlib.h>
#include <string.h>

#include "io/json/json_print.h"
#include "io/json/json_value.h"
#include "io/run/run.h"

struct overlay {
  struct dc_arena *arena;
  const char **overrides;
  int count, capacity;  // capacity 0: only count
  bool failed;
};

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

// Objects member by member, all else as it is.
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

// The scene as it was read.
static enum dc_status load(const char *directory, struct dc_json_document *document, struct dc_arena *arena,
                           struct dc_error *error)
{
  char *path = dc_path_join(directory, "scene.json");
  enum dc_status status =
      path ? dc_json_load(document, path, arena, error) : dc_fail(error, DC_MEMORY, "out of memory");
  free(path);
  return status;
}

enum dc_status dc_run_read_overlay(const char *directory, const char *model, struct dc_arena *arena, int *count,
                                   const char ***overrides, struct dc_error *error)
{
  struct dc_json_document document = {0};
  struct overlay overlay = {.arena = arena};
  *count = 0;
  *overrides = NULL;
  enum dc_status status = load(directory, &document, arena, error);
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
    return dc_fail(error, DC_MEMORY, "out of memory for an overlay");
  *count = overlay.count;
  *overrides = overlay.overrides;
  return DC_OK;
}

// Leaves of the overlays what may lie over a scene with other bodies; false when nothing is left.
static bool keep_worlds(cJSON *models, const char *model)
{
  static const char *const kept[] = {"time", "contact", "solver", "mujoco", "gradient", "optimizer", NULL};
  for (cJSON *overlay = models ? models->child : NULL, *next; overlay; overlay = next) {
    next = overlay->next;
    for (cJSON *section = overlay->child, *after; section; section = after) {
      bool known = false;
      after = section->next;
      for (int i = 0; kept[i] && !known; i++)
        known = strcmp(kept[i], section->string) == 0;
      if (!known)
        cJSON_Delete(cJSON_DetachItemViaPointer(overlay, section));
    }
    if (!overlay->child || strcmp(overlay->string, model) == 0)
      cJSON_Delete(cJSON_DetachItemViaPointer(models, overlay));
  }
  return models && models->child;
}

enum dc_status dc_run_read_other_models(const char *directory, const char *model, struct dc_arena *arena,
                                        const char **models, struct dc_error *error)
{
  struct dc_json_document document = {0};
  struct dc_text text = {0};
  *models = NULL;
  enum dc_status status = load(directory, &document, arena, error);
  if (status)
    return status;
  cJSON *node = cJSON_GetObjectItemCaseSensitive(document.root, "models");
  if (keep_worlds(node, model)) {
    dc_json_print(node, &text);
    *models = text.failed ? NULL : dc_arena_strdup(arena, text.bytes);
    if (!*models)
      status = dc_fail(error, DC_MEMORY, "out of memory for the overlays of models");
    dc_text_free(&text);
  }
  dc_json_release(&document);
  return status;
}
