// SPDX-License-Identifier: Apache-2.0
// From a file to the tree that is read.  In this order, later ones winning over earlier ones:
// 1. the document's own text;
// 2.  "include": robots' files become shapes and bodies of the tree;
// 3. --plant replaces the scene's "plant";
// 4. the overlay in "models" for the chosen contact model;
// 5. --set arguments, then --model and --gradient;
// 6. for one of several cases, the changes of this case.
//
// Every value keeps the number of its source, so that a message names the file and line or the argument it came
// from.
#include <string.h>

#include "io/scene/overrides.h"
#include "io/scene/scene_build.h"

// Names of the command-line arguments for messages: --set in order, then --model, then --gradient, then --plant.
// Numbers of sources begin with 1; included files get those behind.
static enum dc_status name_sources(struct dc_scene_build *build)
{
  const struct dc_scene_settings *settings = build->settings;
  struct dc_arena *arena = build->scene->arena;
  int count = settings->override_count + 3;
  const char **sources = dc_arena_alloc(arena, (size_t)count, sizeof *sources);
  bool enough = sources != NULL;
  for (int i = 0; enough && i < settings->override_count; i++)
    enough = (sources[i] = dc_arena_printf(arena, "--set %.160s", settings->overrides[i])) != NULL;
  const char *model = settings->model ? settings->model : "", *gradient = settings->gradient ? settings->gradient : "";
  const char *plant = settings->plant ? settings->plant : "";
  if (enough)
    enough = (sources[count - 3] = dc_arena_printf(arena, "--model %.80s", model)) != NULL &&
             (sources[count - 2] = dc_arena_printf(arena, "--gradient %.80s", gradient)) != NULL &&
             (sources[count - 1] = dc_arena_printf(arena, "--plant %.160s", plant)) != NULL;
  if (!enough)
    return dc_out_of_memory(build->error);
  build->document.sources = sources;
  build->document.source_count = count;
  return DC_OK;
}

// Applies the --set arguments in order.  With `probing`, on the copy from which the model is found, errors are
// passed over, because a path may lead to a member that only the overlay brings.  The same argument is applied
// to the tree afterwards, where an error counts.
static enum dc_status apply_overrides(struct dc_scene_build *build, cJSON *root, bool probing)
{
  for (int i = 0; i < build->settings->override_count; i++) {
    struct dc_error error = {0};
    enum dc_status status =
        dc_override(&build->document, root, build->settings->overrides[i], (uint32_t)i + 1, dc_scene_sections, &error);
    // a path may lead to what only the overlay brings
    if (status && (!probing || status == DC_MEMORY))
      return dc_fail(build->error, status, "%s", error.text);
  }
  return DC_OK;
}

// The contact model by --model, else by the tree after --set, else the default.
static const char *chosen_model(const struct dc_scene_build *build, const cJSON *root)
{
  if (build->settings->model)
    return build->settings->model;
  const cJSON *contact = cJSON_GetObjectItemCaseSensitive(root, "contact");
  const cJSON *model = cJSON_GetObjectItemCaseSensitive(contact, "model");
  return cJSON_IsString(model) ? model->valuestring : DC_DEFAULT_CONTACT_MODEL;
}

// Puts the name that a command-line argument gives under `key` of a section into the tree, so that it is read,
// checked and refused like one that the scene gives; source: its number among the document's sources, from 1.
// A section that is no object is left as it is and refused when it is read.
static enum dc_status set_name(struct dc_scene_build *build, const char *section_key, const char *key, const char *name,
                               int source)
{
  struct dc_json section = dc_json_member(&build->root, section_key);
  int place = dc_json_add_place(&build->document, (uint32_t)source);
  cJSON *value = place < 0 ? NULL : cJSON_CreateString(name);
  if (value && !section.node) {
    section.node = cJSON_AddObjectToObject(build->root.node, section_key);
    if (section.node)
      section.node->valueint = place;
  }
  bool done = false;
  if (value && section.node) {
    value->valueint = place;
    if (!cJSON_IsObject(section.node))
      done = true;  // refused when it is read
    else
      done = dc_json_put(section.node, key, value);
    if (done && cJSON_IsObject(section.node))
      return DC_OK;
  }
  cJSON_Delete(value);
  return done ? DC_OK : dc_out_of_memory(build->error);
}

// Checks an overlay of "models": it has sections of a scene.  It must not include robots, hold overlays itself,
// or name another model than the one it is for, as the choice of the overlay would then depend on the overlay.
static enum dc_status check_overlay(struct dc_scene_build *build, const struct dc_json *overlay)
{
  if (!cJSON_IsObject(overlay->node))
    return dc_refuse_type(&build->reader, overlay, "an object");
  cJSON *node;
  cJSON_ArrayForEach (node, overlay->node) {
    struct dc_json member = dc_json_element(overlay, node, 0);
    bool known = false;
    if (strcmp(node->string, "include") == 0)
      return dc_json_fail_key(&member, build->error, DC_BAD_INPUT, "must stand in the scene itself");
    for (int i = 0; dc_scene_keys[i] && !known; i++)
      known = strcmp(dc_scene_keys[i], node->string) == 0 && strcmp(node->string, "models") != 0;
    if (!known)
      return dc_refuse_key(&build->reader, &member, dc_scene_keys);
  }
  struct dc_json contact = dc_json_member(overlay, "contact");
  struct dc_json model = contact.node ? dc_json_member(&contact, "model") : contact;
  if (model.node && (!cJSON_IsString(model.node) || strcmp(model.node->valuestring, overlay->key) != 0))
    return dc_json_fail(&model, build->error, DC_BAD_INPUT, "must be \"%s\", the model of the overlay", overlay->key);
  return DC_OK;
}

// All overlays of the tree at root.
static enum dc_status check_overlays(struct dc_scene_build *build, cJSON *root)
{
  const char *names[DC_FAMILY_MOST + 1];
  dc_family_names(DC_CONTACT_MODELS, names);
  struct dc_json top = {.document = &build->document, .node = root};
  struct dc_json models = dc_json_member(&top, "models");
  if (!models.node)
    return DC_OK;
  if (!cJSON_IsObject(models.node))
    return dc_refuse_type(&build->reader, &models, "an object");
  cJSON *node;
  cJSON_ArrayForEach (node, models.node) {
    struct dc_json overlay = dc_json_element(&models, node, 0);
    bool known = false;
    for (int i = 0; names[i] && !known; i++)
      known = strcmp(names[i], node->string) == 0;
    if (!known && !dc_contact_model_not_built(node->string))
      return dc_refuse_key(&build->reader, &overlay, names);
    enum dc_status status = check_overlay(build, &overlay);
    if (status)
      return status;
  }
  return DC_OK;
}

// Refuses a contact model that an option names and that does not exist; one that this build lacks is told
// apart.
static enum dc_status check_model_argument(struct dc_scene_build *build, const char *option, const char *model)
{
  const char *names[DC_FAMILY_MOST + 1];
  if (!model || dc_contact_model_find(model))
    return DC_OK;
  if (dc_contact_model_not_built(model))
    return dc_fail(build->error, DC_BAD_INPUT,
                   "%s: the contact model \"%s\" is not in this build of dcsim (configure --with-%s)", option, model,
                   model);
  char quoted[DC_JSON_QUOTED], again[DC_JSON_QUOTED];
  dc_family_names(DC_CONTACT_MODELS, names);
  const char *near = dc_suggest(model, names);
  dc_json_quote(quoted, model);
  if (near)
    return dc_fail(build->error, DC_USAGE, "%s: no contact model is called %s (did you mean %s?)", option, quoted,
                   dc_json_quote(again, near));
  int count = 0;
  char list[DC_JSON_LISTED];
  while (names[count])
    count++;
  return dc_fail(build->error, DC_USAGE, "%s: no contact model is called %s (there are %s)", option, quoted,
                 dc_json_list_names(list, names, count));
}

// Puts the plant of --plant into the tree instead of the scene's: "none" removes it, a JSON object is parsed,
// and any other text is the name of a contact model.
// DC_USAGE: no contact model has this name; DC_BAD_INPUT: the JSON is wrong, or this build lacks the model.
static enum dc_status set_plant(struct dc_scene_build *build)
{
  const char *text = build->settings->plant;
  uint32_t source = (uint32_t)build->settings->override_count + 3;
  bool scanned;
  if (!text)
    return DC_OK;
  cJSON_DeleteItemFromObjectCaseSensitive(build->root.node, "plant");
  if (strcmp(text, "none") == 0)
    return DC_OK;
  char *made = NULL;
  if (text[0] != '{') {
    enum dc_status status = check_model_argument(build, "--plant", text);
    if (status)
      return status;
    text = made = dc_arena_printf(build->scene->arena, "{\"contact\": {\"model\": \"%s\"}}", text);
    if (!made)
      return dc_out_of_memory(build->error);
  }
  cJSON *plant = dc_json_parse(&build->document, text, strlen(text), source, &scanned, build->error);
  if (!plant)
    return build->error->status;
  if (dc_json_put(build->root.node, "plant", plant))
    return DC_OK;
  cJSON_Delete(plant);
  return dc_out_of_memory(build->error);
}

// Overrides may choose the model and change its overlay, yet must win over it: they are applied to a copy first,
// which gives the model and the overlay, and to the tree after the overlay.
static enum dc_status apply_overlay(struct dc_scene_build *build)
{
  bool copied = build->settings->override_count > 0;
  cJSON *probe = copied ? cJSON_Duplicate(build->root.node, true) : build->root.node;
  if (!probe)
    return dc_out_of_memory(build->error);
  enum dc_status status = copied ? apply_overrides(build, probe, true) : DC_OK;
  if (!status)
    status = check_overlays(build, probe);
  if (!status) {
    const cJSON *models = cJSON_GetObjectItemCaseSensitive(probe, "models");
    const cJSON *overlay = cJSON_GetObjectItemCaseSensitive(models, chosen_model(build, probe));
    status = dc_scene_keep_own(build, probe);
    dc_scene_forget_chosen(cJSON_GetObjectItemCaseSensitive(build->root.node, "contact"),
                           cJSON_GetObjectItemCaseSensitive(overlay, "contact"));
    if (!status && overlay && dc_json_merge(build->root.node, overlay))
      status = dc_out_of_memory(build->error);
  }
  if (copied)
    cJSON_Delete(probe);
  return status;
}

// Reads the scene's text, from memory or from its file, and finds the folder that relative names of files start
// from.
static enum dc_status load_document(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  const struct dc_scene_settings *settings = build->settings;
  enum dc_status status =
      settings->text ? dc_json_load_text(&build->document, scene->path, settings->text, scene->arena, build->error)
                     : dc_json_load(&build->document, scene->path, scene->arena, build->error);
  if (status)
    return status;
  if (!settings->text)
    return dc_scene_folder_of(scene->path, scene->arena, &scene->source.folder, build->error);
  return dc_scene_folder(settings->folder ? settings->folder : ".", scene->arena, &scene->source.folder, build->error);
}

// The tree as it is read: document, includes, the model's overlay, then --set arguments.
// Errors of every step have the place of the value at fault; the tree is released by dc_json_release in any case.
enum dc_status dc_scene_load_tree(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  enum dc_status status = load_document(build);
  if (status)
    return status;
  scene->source.text = build->document.text;
  build->root = dc_json_root(&build->document);
  if (!cJSON_IsObject(build->root.node))
    return dc_refuse_type(&build->reader, &build->root, "an object");
  if ((status = name_sources(build)) || (status = dc_scene_include(build)) ||
      (status = check_model_argument(build, "--model", build->settings->model)) || (status = set_plant(build)) ||
      (status = apply_overlay(build)) || (status = apply_overrides(build, build->root.node, false)))
    return status;
  int count = build->settings->override_count;
  const char *model = build->settings->model, *gradient = build->settings->gradient;
  if (model && (status = set_name(build, "contact", "model", model, count + 1)))
    return status;
  if (gradient && (status = set_name(build, "gradient", "type", gradient, count + 2)))
    return status;
  return dc_scene_choose_case(build);
}
