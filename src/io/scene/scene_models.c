// SPDX-License-Identifier: Apache-2.0
// The "models" section of design/scene.json, the scene with its design built in.
//
// This scene is written as it was resolved for the chosen contact model: the model's overlay lies over what the scene
// itself says, and options that only other models have are gone.  Another model must not inherit this.  So an overlay
// is written for each other model: first members that lead back to the scene's own settings, and over them what the
// scene says for that model.
#include <string.h>

#include "io/json/json_print.h"
#include "io/scene/scene_build.h"

static const char *const worlds[] = {"time", "contact", "solver", "mujoco", "gradient", "optimizer", NULL};

static bool is_among(const char *name, const char *const *names)
{
  for (int i = 0; names[i]; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// Removes from a tree every section that may not lie over a scene with other bodies: the design has changed
// shapes and numbers, so that only settings of the world carry over.
static void keep_world(cJSON *tree)
{
  for (cJSON *section = tree->child, *next; section; section = next) {
    next = section->next;
    if (!is_among(section->string, worlds))
      cJSON_Delete(cJSON_DetachItemViaPointer(tree, section));
  }
}

// Keeps a copy of the scene's own settings, before any overlay is merged into the tree.  They are needed for
// scenes with a design only.
enum dc_status dc_scene_keep_own(struct dc_scene_build *build, const cJSON *tree)
{
  if (!cJSON_GetObjectItemCaseSensitive(tree, "design"))
    return DC_OK;
  build->own = cJSON_CreateObject();
  bool failed = !build->own;
  for (int i = 0; worlds[i] && !failed; i++) {
    const cJSON *section = cJSON_GetObjectItemCaseSensitive(tree, worlds[i]);
    cJSON *copy = section ? cJSON_Duplicate(section, true) : NULL;
    failed = section && !(copy && cJSON_AddItemToObject(build->own, worlds[i], copy));
  }
  return failed ? dc_out_of_memory(build->error) : DC_OK;
}

// All below: false when memory is out.

// Puts a copy of value into object under key; value NULL puts null, which takes away the member that it lies
// over (RFC 7396).  False when memory is out, as for all functions below.
static bool put_copy(cJSON *object, const char *key, const cJSON *value)
{
  cJSON *copy = value ? cJSON_Duplicate(value, true) : cJSON_CreateNull();
  if (copy && dc_json_put(object, key, copy))
    return true;
  cJSON_Delete(copy);
  return false;
}

// Adds to back the members that turn `laid` into `own` again when back is laid over it: members that differ, and null
// for those that own does not have.
static bool lead_back(const cJSON *own, const cJSON *laid, cJSON *back)
{
  const cJSON *member;
  cJSON_ArrayForEach (member, own)
    if (!cJSON_Compare(member, cJSON_GetObjectItemCaseSensitive(laid, member->string), true) &&
        !put_copy(back, member->string, member))
      return false;
  cJSON_ArrayForEach (member, laid)
    if (!cJSON_GetObjectItemCaseSensitive(own, member->string) && !put_copy(back, member->string, NULL))
      return false;
  return true;
}

// Fits the way back in a "contact" section to `model` (NULL: it is not in this build, and nothing is known of
// its options).  Options that it does not have are removed from the way back.  Options that it has and the
// chosen model has not were dropped from the resolved scene, and are added from the scene's own text.
static bool fit_contact(const cJSON *own, const struct dc_contact_model *chosen, const struct dc_contact_model *model,
                        cJSON *back)
{
  const cJSON *member;
  for (cJSON *option = back->child, *next; option; option = next) {
    next = option->next;
    if (!model || dc_option_find(model->options, option->string) < 0)
      cJSON_Delete(cJSON_DetachItemViaPointer(back, option));
  }
  cJSON_ArrayForEach (member, own)
    if (model && dc_option_find(model->options, member->string) >= 0 &&
        dc_option_find(chosen->options, member->string) < 0 && !put_copy(back, member->string, member))
      return false;
  return true;
}

// Writes one section of the overlay with which `model` (NULL: not in this build) finds the scene's own
// settings.  Three sections need more than the difference of two trees:
// * "mujoco" is not among the resolved settings of a model of our own, and means something only to those it can
//   follow;
// * "gradient": a type that the command line chose stays chosen, for all models;
// * "optimizer": removing "type" would leave the section without any, so that the default is written out
//   instead.
static bool lead_section_back(const struct dc_scene_build *build, const char *name,
                              const struct dc_contact_model *model, cJSON *back)
{
  const struct dc_contact_model *chosen = build->scene->definition.contact_model;
  const cJSON *own = cJSON_GetObjectItemCaseSensitive(build->own, name);
  const cJSON *laid = cJSON_GetObjectItemCaseSensitive(build->root.node, name);
  if (strcmp(name, "mujoco") == 0 && !(chosen->flags & DC_CONTACT_FOREIGN)) {  // it is not among the settings then
    laid = NULL;
    own = !model || model->flags & DC_CONTACT_FOREIGN ? own : NULL;
  }
  if (!lead_back(own, laid, back))
    return false;
  if (strcmp(name, "contact") == 0)
    return fit_contact(own, chosen, model, back);
  if (strcmp(name, "gradient") == 0 && build->settings->gradient)
    cJSON_DeleteItemFromObjectCaseSensitive(back, "type");
  if (strcmp(name, "optimizer") != 0 || !cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(back, "type")))
    return true;
  cJSON *type = cJSON_CreateString(DC_DEFAULT_OPTIMIZER);
  if (type && dc_json_put(back, "type", type))
    return true;
  cJSON_Delete(type);
  return false;
}

// Lays one overlay over another.  Unlike a merge by RFC 7396 it keeps the nulls of the upper one, as they still
// have to take members away from the scene below.
static bool lay_over(cJSON *under, const cJSON *overlay)
{
  const cJSON *member;
  cJSON_ArrayForEach (member, overlay) {
    cJSON *below = cJSON_GetObjectItemCaseSensitive(under, member->string);
    bool objects = cJSON_IsObject(below) && cJSON_IsObject(member);
    if (objects ? !lay_over(below, member) : !put_copy(under, member->string, member))
      return false;
  }
  return true;
}

// An overlay that chooses another optimizer takes away the options that this one does not have: the resolved
// scene below spells out every option of its own optimizer, and an unknown option is an error.
static bool take_away_options(const struct dc_scene *scene, cJSON *optimizer)
{
  const cJSON *type = cJSON_GetObjectItemCaseSensitive(optimizer, "type");
  const char *names[DC_FAMILY_MOST + 1];
  int other = 0;
  if (!cJSON_IsString(type))
    return true;
  dc_family_names(DC_OPTIMIZER_TYPES, names);
  while (names[other] && strcmp(names[other], type->valuestring) != 0)
    other++;
  if (!names[other])
    return true;
  const struct dc_option *options = dc_family_optimizer(DC_OPTIMIZER_TYPES, other)->options;
  for (const struct dc_option *option = scene->optimizer->options; option->name; option++)
    if (dc_option_find(options, option->name) < 0 && !cJSON_GetObjectItemCaseSensitive(optimizer, option->name) &&
        !put_copy(optimizer, option->name, NULL))
      return false;
  return true;
}

// Adds the overlay of one contact model to `models`; given: the overlay that the scene has for this model, or
// NULL.  First come the members that lead back to the scene's own settings, section by section, then what the
// scene says for the model.  Sections and overlays that end up empty are removed.
static bool add_overlay(const struct dc_scene_build *build, const char *name, const cJSON *given, cJSON *models)
{
  cJSON *overlay = cJSON_AddObjectToObject(models, name), *own = given ? cJSON_Duplicate(given, true) : NULL;
  bool done = overlay && !(given && !own);
  for (int i = 0; worlds[i] && done; i++) {
    cJSON *section = cJSON_AddObjectToObject(overlay, worlds[i]);
    done = section && lead_section_back(build, worlds[i], dc_contact_model_find(name), section);
  }
  if (own)
    keep_world(own);
  done = done && lay_over(overlay, own) &&
         take_away_options(build->scene, cJSON_GetObjectItemCaseSensitive(overlay, "optimizer"));
  for (cJSON *section = overlay ? overlay->child : NULL, *next; section; section = next) {
    next = section->next;
    if (cJSON_IsObject(section) && !section->child)
      cJSON_Delete(cJSON_DetachItemViaPointer(overlay, section));
  }
  if (overlay && !overlay->child)
    cJSON_Delete(cJSON_DetachItemViaPointer(models, overlay));
  cJSON_Delete(own);
  return done;
}

// Makes one overlay for each model but the chosen one, as JSON text in scene->other_models.  Models that are
// not in this build are kept too: a run may be read by another build.
enum dc_status dc_scene_keep_models(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  const char *names[DC_FAMILY_MOST + 1], *chosen = scene->definition.contact_model->name;
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(build->root.node, "models"), *overlay;
  cJSON *models = cJSON_CreateObject();
  struct dc_text text = {.failed = !models};
  dc_family_names(DC_CONTACT_MODELS, names);
  for (int i = 0; names[i] && !text.failed; i++)
    if (strcmp(names[i], chosen) != 0)
      text.failed = !add_overlay(build, names[i], cJSON_GetObjectItemCaseSensitive(given, names[i]), models);
  cJSON_ArrayForEach (overlay, given)  // of models that are not in this build
    if (!text.failed && !is_among(overlay->string, names))
      text.failed = !add_overlay(build, overlay->string, overlay, models);
  if (!text.failed && models->child) {
    dc_json_print(models, &text);
    scene->other_models = text.failed ? NULL : dc_arena_strdup(scene->arena, text.bytes);
    text.failed |= !scene->other_models;
  }
  bool failed = text.failed;
  dc_text_free(&text);
  cJSON_Delete(models);
  return failed ? dc_out_of_memory_for(build->error, "the overlays of models") : DC_OK;
}
