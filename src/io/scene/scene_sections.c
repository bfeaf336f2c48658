// SPDX-License-Identifier: Apache-2.0
// Sections of a scene, and those that a plant has too: what acts between bodies.
#include <string.h>

#include "io/scene/scene_build.h"

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

// Chooses the contact model and reads its options.  Options of other models are refused by name, but allowed where an
// argument may yet choose another model, and in resolved scenes.
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
  return dc_read_options(&build->reader, &contact, members[index].options, &allowed, &definition->contact);
}

enum dc_status dc_scene_read_world(struct dc_scene_build *build)
{
  struct dc_model_definition *definition = &build->scene->definition;
  enum dc_status status = read_contact(build);
  if (!status)
    status = dc_scene_read_section(build, "solver", dc_step_options, NULL, &definition->solver);
  return status ? status : dc_scene_read_section(build, "mujoco", dc_mujoco_options, NULL, &definition->mujoco);
}
