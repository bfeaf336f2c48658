// SPDX-License-Identifier: Apache-2.0
// Sections of a scene, and those that a plant has too: what acts between bodies (contact, solver, settings of
// the other stepper).
//
// Contact has a difficulty of its own.  Lengths and stiffness that a scene leaves open are chosen from the
// model's sizes and masses, and the resolved scene writes the chosen numbers out.  It also lists them
// ("automatic": ["bsh.stiffness", ...]), so that reading it with another contact model chooses anew instead of
// taking over numbers that were made for another one.
#include <math.h>
#include <string.h>

#include "io/scene/scene_build.h"

// Reads a section of options at the top level.  A missing section is read as an empty object, so that every
// default has one source, the option table.
enum dc_status dc_scene_read_section(struct dc_scene_build *build, const char *key, const struct dc_option *table,
                                     const struct dc_allowed_keys *allowed, void *target)
{
  cJSON empty = {.type = cJSON_Object, .valueint = build->root.node->valueint};
  struct dc_json section = dc_json_member(&build->root, key);
  if (!section.node)
    section.node = &empty;
  return dc_read_options(&build->reader, &section, table, allowed, target);
}

// Runs of earlier versions have the options of all contact models in the file of this name.
static bool is_resolved(const char *path)
{
  const char *slash = strrchr(path, '/');
  return strcmp(slash ? slash + 1 : path, "resolved.json") == 0;
}

// Adds "model.setting" to the list of settings that were chosen and not given.
static enum dc_status note_chosen(struct dc_scene_build *build, struct dc_contact_settings *settings,
                                  const struct dc_contact_model *model, const char *setting)
{
  struct dc_string_list *list = &settings->automatic;
  const char **strings = dc_arena_alloc(build->scene->arena, (size_t)list->count + 1, sizeof *strings);
  if (!strings || !(strings[list->count] = dc_arena_printf(build->scene->arena, "%s.%s", model->name, setting)))
    return dc_out_of_memory_in(build->error, build->scene->path);
  if (list->count)
    memcpy(strings, list->strings, (size_t)list->count * sizeof *strings);
  *list = (struct dc_string_list){list->count + 1, strings};
  return DC_OK;
}

// An overlay gives the settings that it names, whatever the scene below it has chosen.
void dc_scene_forget_chosen(cJSON *contact, const cJSON *overlay)
{
  cJSON *chosen = cJSON_GetObjectItemCaseSensitive(contact, "automatic"), *name = chosen ? chosen->child : NULL;
  while (name) {
    cJSON *next = name->next;
    const char *point = cJSON_IsString(name) ? strrchr(name->valuestring, '.') : NULL;
    if (point && cJSON_GetObjectItemCaseSensitive(overlay, point + 1))
      cJSON_Delete(cJSON_DetachItemViaPointer(chosen, name));
    name = next;
  }
}

// Goes through the settings that a resolved scene lists as chosen.  For the model and the world that they were
// chosen for, the numbers stand and stay listed.  For another one, and for a case, whose masses or gravity may
// differ, they are open again (NAN), except for those that the command line gives.
static enum dc_status reopen_chosen(struct dc_scene_build *build, const struct dc_json *contact)
{
  const struct dc_contact_model *model = build->scene->definition.contact_model;
  struct dc_contact_settings *settings = &build->scene->definition.contact;
  const struct dc_string_list noted = settings->automatic;
  enum dc_status status = DC_OK;
  settings->automatic = (struct dc_string_list){0};
  for (int i = 0; i < noted.count && !status; i++) {
    const char *point = strrchr(noted.strings[i], '.'), *setting = point ? point + 1 : noted.strings[i];
    size_t length = (size_t)(setting - noted.strings[i]);
    bool same = length == strlen(model->name) + 1 && strncmp(noted.strings[i], model->name, length - 1) == 0 &&
                build->settings->only_case <= 0;
    struct dc_json given = dc_json_member(contact, setting);
    int row = dc_option_find(model->options, setting);
    if (row < 0 || !model->options[row].absent || (given.node && dc_json_is_argument(&given)))
      continue;
    if (same)
      status = note_chosen(build, settings, model, setting);
    else
      *(double *)((char *)settings + model->options[row].offset) = NAN;
  }
  return status;
}

// Chooses the contact model and reads its options.  A model that this build lacks is told apart from a name
// that does not exist.  Options of other models are refused by name, but allowed where an argument may yet
// choose another model, and in resolved scenes.
static enum dc_status read_contact(struct dc_scene_build *build)
{
  struct dc_model_definition *definition = &build->scene->definition;
  struct dc_family_member members[DC_FAMILY_MOST];
  const struct dc_option *others[DC_FAMILY_MOST + 1];
  struct dc_json contact = dc_json_member(&build->root, "contact");
  int count = dc_family_members(DC_CONTACT_MODELS, members), index = 0, other_count = 0;
  cJSON empty = {.type = cJSON_Object, .valueint = build->root.node->valueint};
  if (!contact.node)
    contact.node = &empty;
  struct dc_json model = contact;
  if (cJSON_IsObject(contact.node) && (model = dc_json_member(&contact, "model")).node && cJSON_IsString(model.node) &&
      dc_contact_model_not_built(model.node->valuestring))
    return dc_json_fail(&model, build->error, DC_BAD_INPUT,
                        "the contact model \"%s\" is not in this build of dcsim (configure --with-%s)",
                        model.node->valuestring, model.node->valuestring);
  enum dc_status status =
      dc_scene_read_tag(build, &contact, "model", DC_CONTACT_MODELS, DC_DEFAULT_CONTACT_MODEL, &index);
  if (status)
    return status;
  for (int i = 0; i < count; i++)
    if (i != index)
      others[other_count++] = members[i].options;
  others[other_count] = NULL;
  definition->contact_model = dc_contact_models[index];
  if ((status = dc_options_set_defaults(dc_contact_options, &definition->contact, build->scene->arena, build->error)))
    return status;
  struct dc_allowed_keys allowed = {.tag = "model", .others = others};
  allowed.chosen_later = (model.node && dc_json_is_argument(&model)) || is_resolved(build->scene->path);
  status = dc_read_options(&build->reader, &contact, members[index].options, &allowed, &definition->contact);
  return status ? status : reopen_chosen(build, &contact);
}

enum dc_status dc_scene_read_world(struct dc_scene_build *build)
{
  struct dc_model_definition *definition = &build->scene->definition;
  enum dc_status status = read_contact(build);
  if (!status)
    status = dc_scene_read_section(build, "solver", dc_step_options, NULL, &definition->solver);
  return status ? status : dc_scene_read_section(build, "mujoco", dc_mujoco_options, NULL, &definition->mujoco);
}

// Chooses the lengths of contact that are left open (NAN) from the model.  Before, it lists every open setting
// as chosen, but only where the stiffness is open as well: whoever gives a stiffness gives a scale to the rest.
enum dc_status dc_scene_choose_lengths(struct dc_scene_build *build, struct dc_model *model,
                                       struct dc_model_definition *definition, struct dc_contact_choice *choice)
{
  struct dc_contact_settings *settings = &model->definition.contact;
  const struct dc_option *options = definition->contact_model->options;
  enum dc_status status = DC_OK;
  for (int i = 0; options[i].name && isnan(settings->stiffness) && !status; i++)
    if (options[i].absent && isnan(*(const double *)((const char *)settings + options[i].offset)))
      status = note_chosen(build, settings, definition->contact_model, options[i].name);
  if (!status)
    status = dc_contact_choose_lengths(model, choice, build->error);
  definition->contact = *settings;
  return status;
}

// Chooses the stiffness that is left open; it needs masses, drives and the lengths chosen before.
enum dc_status dc_scene_choose_stiffness(struct dc_model *model, struct dc_model_definition *definition,
                                         struct dc_contact_choice *choice, struct dc_error *error)
{
  enum dc_status status = dc_contact_choose_stiffness(model, choice, error);
  definition->contact = model->definition.contact;
  return status;
}
