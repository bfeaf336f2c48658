// SPDX-License-Identifier: Apache-2.0
// "plant": the world that a plan is executed in, as an overlay of the scene's own (docs/theory.md, "The plant").
//
// The plant's sections are the scene's, over which its contact model's overlay in "models" is laid, if it names another
// model than the scene's, and then what "plant" says.  Options that only the scene's own contact model has are left out
// then.  Read like sections of a scene, they give a model of the same bodies.
#include <math.h>
#include <string.h>

#include "io/scene/constants.h"
#include "io/scene/overrides.h"
#include "io/scene/scene_build.h"

static const char *const sections[] = {"time", "contact", "solver", "mujoco", NULL};

static enum dc_status out_of_memory(const struct dc_scene_build *build)
{
  return dc_out_of_memory_in(build->error, build->scene->path);
}

// Refuses keys that a plant does not have: of "time" only "step" may differ, as the number of steps follows
// from the scene's duration.  A plan can only be made in a model of our own, so that a foreign stepper may be
// the plant and not the scene.
static enum dc_status check_keys(struct dc_scene_build *build, const struct dc_json *plant)
{
  static const char *const of_time[] = {"step", NULL};
  if (!cJSON_IsObject(plant->node))
    return dc_refuse_type(&build->reader, plant, "an object");
  cJSON *node, *inner;
  cJSON_ArrayForEach (node, plant->node) {
    struct dc_json section = dc_json_element(plant, node, 0);
    bool known = false;
    for (int i = 0; sections[i] && !known; i++)
      known = strcmp(sections[i], node->string) == 0;
    if (!known)
      return dc_refuse_key(&build->reader, &section, sections);
    if (!cJSON_IsObject(node))
      return dc_refuse_type(&build->reader, &section, "an object");
    if (strcmp(node->string, "time") != 0)
      continue;
    cJSON_ArrayForEach (inner, node) {
      struct dc_json member = dc_json_element(&section, inner, 0);
      if (strcmp(inner->string, "step") != 0)
        return strcmp(inner->string, "steps") == 0
                   ? dc_json_fail_key(&member, build->error, DC_BAD_INPUT, "belongs to the scene: a plant has its time")
                   : dc_refuse_key(&build->reader, &member, of_time);
    }
  }
  if (build->scene->definition.contact_model->flags & DC_CONTACT_FOREIGN)
    return dc_json_fail(plant, build->error, DC_BAD_INPUT,
                        "the scene itself must be planned in a contact model of dcsim's own, not in \"%s\"",
                        build->scene->definition.contact_model->name);
  return DC_OK;
}

// Lays one object's sections over those of the tree: objects are merged (RFC 7396), all else is replaced.
// Members beside the sections of a plant are left out.
static enum dc_status lay_over(struct dc_scene_build *build, cJSON *tree, const cJSON *overlay)
{
  for (int i = 0; sections[i]; i++) {
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(overlay, sections[i]);
    cJSON *to = cJSON_GetObjectItemCaseSensitive(tree, sections[i]);
    if (!from)
      continue;
    if (to && cJSON_IsObject(to) && cJSON_IsObject(from)) {
      if (strcmp(sections[i], "contact") == 0)
        dc_scene_forget_chosen(to, from);
      if (dc_json_merge(to, from))
        return out_of_memory(build);
      continue;
    }
    cJSON *copy = cJSON_Duplicate(from, true);
    if (!copy || !dc_json_put(tree, sections[i], copy)) {
      cJSON_Delete(copy);
      return out_of_memory(build);
    }
  }
  return DC_OK;
}

// The contact model that the plant names, if it is another one than the scene's; NULL: it is the same or none at all,
// which is found when it is read.
static const struct dc_contact_model *other_model(const struct dc_scene_build *build, const struct dc_json *plant)
{
  const cJSON *contact = cJSON_GetObjectItemCaseSensitive(plant->node, "contact");
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(contact, "model");
  const struct dc_contact_model *model = cJSON_IsString(name) ? dc_contact_model_find(name->valuestring) : NULL;
  return model == build->scene->definition.contact_model ? NULL : model;
}

// Removes from "contact" the options that `model` does not have; the tag "model" stays and is overwritten by
// the plant's own.
static void leave_out_others(cJSON *contact, const struct dc_contact_model *model)
{
  for (cJSON *option = contact ? contact->child : NULL, *next; option; option = next) {
    next = option->next;
    if (strcmp(option->string, "model") != 0 && dc_option_find(model->options, option->string) < 0)
      cJSON_Delete(cJSON_DetachItemViaPointer(contact, option));
  }
}

// Builds the tree of the plant from three layers: the scene's sections, the scene's overlay for the plant's
// contact model, and "plant" itself.
static enum dc_status fill_tree(struct dc_scene_build *build, const struct dc_json *plant, cJSON *tree)
{
  const struct dc_contact_model *model = other_model(build, plant);
  enum dc_status status = lay_over(build, tree, build->root.node);
  if (!status && model) {
    const cJSON *models = cJSON_GetObjectItemCaseSensitive(build->root.node, "models");
    leave_out_others(cJSON_GetObjectItemCaseSensitive(tree, "contact"), model);
    status = lay_over(build, tree, cJSON_GetObjectItemCaseSensitive(models, model->name));
  }
  return status ? status : lay_over(build, tree, plant->node);
}

// Finds how many steps of the plant make one of the scene's; the quotient must be whole within rounding, so
// that both meet at the ends of the plan's steps.  The plant's step is set to the scene's step divided by that
// number, exactly.
static enum dc_status divide_step(struct dc_scene_build *build, const struct dc_json *plant,
                                  struct dc_model_definition *definition)
{
  double step = build->scene->definition.time.step, own = definition->time.step, count = nearbyint(step / own);
  struct dc_json time = dc_json_member(plant, "time");
  struct dc_json value = time.node ? dc_json_member(&time, "step") : time;
  if (!(count >= 1 && fabs(step / own - count) <= DC_PLANT_ROUNDING * count))
    return dc_json_fail(value.node ? &value : plant, build->error, DC_BAD_INPUT,
                        "must divide the scene's time step, %.17g s, into a whole number of steps (is %.17g)", step,
                        own);
  // MuJoCo's steps become the plant's, so that targets are interpolated over them, too.
  bool foreign = definition->contact_model->flags & DC_CONTACT_FOREIGN;
  if (foreign) {
    count *= (double)definition->mujoco.substeps;
    definition->mujoco.substeps = 1;
  }
  if (count * (double)build->scene->definition.time.steps > DC_SCENE_MOST_PLANT_STEPS)
    return dc_json_fail(value.node ? &value : plant, build->error, DC_BAD_INPUT,
                        "%.0f steps of the plant in a step of the scene are too many (at most %d in %ld steps)", count,
                        DC_SCENE_MOST_PLANT_STEPS, build->scene->definition.time.steps);
  definition->time.step = step / count;
  build->scene->plant.substeps = (int)count;
  return DC_OK;
}

// Reads the tree as the sections of a scene of its own, into a copy of the scene, and makes a second model of
// the same bodies from it.  Lengths and stiffness of contact that are left open are chosen for the plant anew,
// as its contact model and step may differ.
static enum dc_status read_tree(struct dc_scene_build *build, const struct dc_json *plant, cJSON *tree)
{
  struct dc_scene *scene = build->scene, own = *scene;
  struct dc_scene_build inner = *build;
  inner.scene = &own;
  inner.root = *plant;
  inner.root.node = tree;
  enum dc_status status = dc_scene_read_world(&inner);
  if (!status)
    status = dc_scene_read_section(&inner, "time", dc_time_options, NULL, &own.definition.time);
  if (!status)
    status = divide_step(build, plant, &own.definition);
  if (status)
    return status;
  // The scene's integrator is no setting of a foreign stepper, which a plant may be all the same.
  if (own.definition.contact_model->flags & DC_CONTACT_FOREIGN)
    own.definition.time.integrator = DC_EULER;
  if (dc_model_create(&scene->plant.model, &own.definition, scene->arena, build->error))
    return dc_json_wrap(plant, build->error);
  struct dc_contact_choice choice;
  if ((status = dc_scene_choose_lengths(build, &scene->plant.model, &own.definition, &choice)) ||
      (status = dc_scene_choose_stiffness(&scene->plant.model, &own.definition, &choice, build->error)))
    return status;
  scene->plant_given = true;
  scene->horizon.plant = &scene->plant;
  return DC_OK;
}

// Reads the world in which plans are executed: the scene's tree, over it the overlay of another contact model, over
// both the members of "plant"; the result is read as a second model.
enum dc_status dc_scene_read_plant(struct dc_scene_build *build)
{
  struct dc_json plant = dc_json_member(&build->root, "plant");
  if (!plant.node)
    return DC_OK;
  enum dc_status status = check_keys(build, &plant);
  if (status)
    return status;
  cJSON *tree = cJSON_CreateObject();
  if (!tree)
    return out_of_memory(build);
  tree->valueint = plant.node->valueint;
  status = fill_tree(build, &plant, tree);
  if (!status)
    status = read_tree(build, &plant, tree);
  cJSON_Delete(tree);
  return status;
}
