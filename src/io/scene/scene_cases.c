// SPDX-License-Identifier: Apache-2.0
// "cases": further worlds that the same parameters drive.  The scene as it stands is the first; every element is
// another one, given by what is different in it: parts of bodies by their names, other gravity, control or objective.
// A case is read as a scene of its own, from the same file with these changes.
#include <stdlib.h>
#include <string.h>

#include "io/json/json_print.h"
#include "io/scene/overrides.h"
#include "io/scene/scene_build.h"

static enum dc_status out_of_memory(const struct dc_scene_build *build)
{
  return dc_out_of_memory_in(build->error, build->scene->path);
}

static cJSON *find_body(const struct dc_scene_build *build, const char *name)
{
  cJSON *body, *bodies = cJSON_GetObjectItemCaseSensitive(build->root.node, "bodies");
  cJSON_ArrayForEach (body, bodies) {
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(body, "name");
    if (cJSON_IsString(own) && strcmp(own->valuestring, name) == 0)
      return body;
  }
  return NULL;
}

// Applies "bodies" of a case: an object whose keys are names of bodies and whose values are merged into the
// body (RFC 7396).  A body that the scene does not have is refused, as a case may change bodies but not add
// any: parameters have to be the same in all worlds.
static enum dc_status change_bodies(struct dc_scene_build *build, const struct dc_json *bodies)
{
  if (!cJSON_IsObject(bodies->node))
    return dc_refuse_type(&build->reader, bodies, "an object of changes by the names of bodies");
  cJSON *node;
  cJSON_ArrayForEach (node, bodies->node) {
    struct dc_json change = dc_json_element(bodies, node, 0);
    cJSON *body = find_body(build, node->string);
    if (!body)
      return dc_json_fail_key(&change, build->error, DC_BAD_INPUT, "the scene has no such body");
    if (!cJSON_IsObject(node))
      return dc_refuse_type(&build->reader, &change, "an object");
    if (dc_json_merge(body, node))
      return out_of_memory(build);
  }
  return DC_OK;
}

// A case overrides a few keys of the scene, those that leave its parameters as they are; others are refused with the
// list.
static enum dc_status check_case(struct dc_scene_build *build, const struct dc_json *element)
{
  if (!cJSON_IsObject(element->node))
    return dc_refuse_type(&build->reader, element, "an object");
  cJSON *node;
  cJSON_ArrayForEach (node, element->node) {
    struct dc_json member = dc_json_element(element, node, 0);
    bool known = false;
    for (int i = 0; dc_scene_case_keys[i] && !known; i++)
      known = strcmp(dc_scene_case_keys[i], node->string) == 0;
    if (!known)
      return dc_refuse_key(&build->reader, &member, dc_scene_case_keys);
  }
  return DC_OK;
}

// Applies a case to the tree.  Gravity, control and objective take the place of the scene's as a whole; bodies
// are merged, one by one.
static enum dc_status change_scene(struct dc_scene_build *build, const struct dc_json *element)
{
  cJSON *node;
  cJSON_ArrayForEach (node, element->node) {
    struct dc_json member = dc_json_element(element, node, 0);
    enum dc_status status = DC_OK;
    if (strcmp(node->string, "bodies") == 0)
      status = change_bodies(build, &member);
    else {
      cJSON *copy = cJSON_Duplicate(node, true);
      if (!copy || !dc_json_put(build->root.node, node->string, copy)) {
        cJSON_Delete(copy);
        status = out_of_memory(build);
      }
    }
    if (status)
      return status;
  }
  return DC_OK;
}

// Names a case that has no name by its number, the scene's own world being 1: case2, case3, ...
static enum dc_status name_case(struct dc_scene_build *build, const struct dc_json *element, int number)
{
  if (cJSON_GetObjectItemCaseSensitive(element->node, "name"))
    return DC_OK;
  const char *text = dc_arena_printf(build->scene->arena, "case%d", number + 1);
  cJSON *name = text ? cJSON_CreateString(text) : NULL;
  if (name)
    name->valueint = element->node->valueint;
  if (name && dc_json_put(build->root.node, "name", name))
    return DC_OK;
  cJSON_Delete(name);
  return out_of_memory(build);
}

// Case k, and the list that it is called after in messages.
static struct dc_json element_of(const struct dc_scene_build *build, int k, struct dc_json *cases)
{
  *cases = dc_json_member(&build->root, "cases");
  return dc_json_element(cases, cJSON_GetArrayItem(cases->node, k), k);
}

// Where a case is wanted (settings->only_case, from 1), turns the tree of the scene into that of the case and
// removes "cases", so that everything after reads it as a scene like any other.
enum dc_status dc_scene_choose_case(struct dc_scene_build *build)
{
  int wanted = build->settings->only_case;
  if (wanted <= 0)
    return DC_OK;
  struct dc_json cases, element = element_of(build, wanted - 1, &cases);
  enum dc_status status = check_case(build, &element);
  if (!status)
    status = change_scene(build, &element);
  if (!status)
    status = name_case(build, &element, wanted);
  if (!status)
    cJSON_DeleteItemFromObjectCaseSensitive(build->root.node, "cases");
  return status;
}

// Refuses a case whose parameters are not those of the scene: one vector drives all worlds, and the gradient is
// a sum over them entry by entry.  Count and names must agree, in this order.
static enum dc_status compare_parameters(struct dc_scene_build *build, const struct dc_json *element,
                                         const struct dc_scene *other)
{
  const struct dc_scene *scene = build->scene;
  int steps = (int)scene->definition.time.steps, count = dc_task_parameter_count(&scene->task, &scene->model, steps);
  int others = dc_task_parameter_count(&other->task, &other->model, steps);
  if (others != count)
    return dc_json_fail(element, build->error, DC_BAD_INPUT, "must have as many parameters as the scene, %d (has %d)",
                        count, others);
  for (int i = 0; i < count; i++) {
    char name[2][320];
    dc_task_parameter_name(&scene->task, &scene->model, steps, i, name[0], sizeof name[0]);
    dc_task_parameter_name(&other->task, &other->model, steps, i, name[1], sizeof name[1]);
    if (strcmp(name[0], name[1]) != 0)
      return dc_json_fail(element, build->error, DC_BAD_INPUT,
                          "must have the scene's parameters: number %d is \"%s\", not \"%s\"", i + 1, name[1], name[0]);
  }
  return DC_OK;
}

// Checks the keys of case k in the scene's own tree, where messages find their place.
enum dc_status dc_scene_check_case(struct dc_scene_build *build, int k)
{
  struct dc_json cases, element = element_of(build, k, &cases);
  return check_case(build, &element);
}

// Takes over a case that was read.  Its name must be unique among scene and cases, because rows, files and
// messages tell worlds apart by it.
enum dc_status dc_scene_add_case(struct dc_scene_build *build, int k, struct dc_scene *made)
{
  struct dc_scene *scene = build->scene;
  struct dc_json cases, element = element_of(build, k, &cases);
  scene->cases.scenes[scene->cases.count++] = made;
  bool again = strcmp(made->name, scene->name) == 0;
  for (int i = 0; i < k && !again; i++)
    again = strcmp(made->name, scene->cases.scenes[i]->name) == 0;
  if (again)
    return dc_json_fail(&element, build->error, DC_BAD_INPUT,
                        "name: must be another one than those of the scene and the other cases (is \"%.255s\")",
                        made->name);
  return compare_parameters(build, &element, made);
}

// Refuses the sections that have no meaning for a sum over several worlds.
static enum dc_status check_alone(struct dc_scene_build *build, const struct dc_json *cases)
{
  static const char *const others[] = {"horizon", "plant", "continuation", "portfolio", "refine", NULL};
  for (int i = 0; others[i]; i++)
    if (dc_json_member(&build->root, others[i]).node)
      return dc_json_fail(cases, build->error, DC_BAD_INPUT, "cannot be combined with \"%s\"", others[i]);
  if (build->scene->shot.given)
    return dc_json_fail(cases, build->error, DC_BAD_INPUT, "cannot be combined with a \"shot\"");
  return DC_OK;
}

// The text of "cases" goes into the resolved scene as it is: a case's defaults are those of the scene that it
// changes.
static enum dc_status keep_text(struct dc_scene_build *build, const cJSON *cases)
{
  struct dc_text text = {0};
  dc_json_print(cases, &text);
  build->scene->cases.text = text.failed ? NULL : dc_arena_strdup(build->scene->arena, text.bytes);
  dc_text_free(&text);
  return build->scene->cases.text ? DC_OK : out_of_memory(build);
}

// Counts the cases, checks that the scene allows them, and keeps their text; each is read as a scene of its own after.
enum dc_status dc_scene_begin_cases(struct dc_scene_build *build, int *count)
{
  struct dc_scene *scene = build->scene;
  struct dc_json cases = dc_json_member(&build->root, "cases");
  *count = cases.node ? cJSON_GetArraySize(cases.node) : 0;
  if (cases.node && !cJSON_IsArray(cases.node))
    return dc_refuse_type(&build->reader, &cases, "an array");
  if (*count == 0)
    return DC_OK;
  if (*count > DC_SCENE_MOST_CASES)
    return dc_json_fail(&cases, build->error, DC_BAD_INPUT, "must hold at most %d cases (holds %d)",
                        DC_SCENE_MOST_CASES, *count);
  enum dc_status status = check_alone(build, &cases);
  if (status || (status = keep_text(build, cases.node)))
    return status;
  scene->cases.scenes = dc_arena_alloc(scene->arena, (size_t)*count, sizeof(struct dc_scene *));
  return scene->cases.scenes ? DC_OK : out_of_memory(build);
}

// Hands the worlds to the task, which lists them for objectives and for the names of parameters.
enum dc_status dc_scene_end_cases(struct dc_scene_build *build)
{
  struct dc_scene *scene = build->scene;
  struct dc_task_world *worlds = dc_arena_alloc(scene->arena, (size_t)scene->cases.count, sizeof *worlds);
  if (!worlds)
    return out_of_memory(build);
  for (int k = 0; k < scene->cases.count; k++)
    worlds[k] = (struct dc_task_world){scene->cases.scenes[k]->name, &scene->cases.scenes[k]->model,
                                       &scene->cases.scenes[k]->task};
  scene->task.cases = worlds;
  scene->task.case_count = scene->cases.count;
  return DC_OK;
}
