// SPDX-License-Identifier: Apache-2.0
// The resolved text of a scene: every default filled in, overrides and overlays applied.  Reading it gives the
// same scene.  Files are named without their folders, so that the text, and its hash, does not depend on where
// the scene lies.
//
// Everything is written from the structures that were read, by the same option tables: a table row is read,
// checked, written and documented in one place.  Sections are in the order of the manual; those that the scene
// does not have and that change nothing by their defaults are left out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene/scene_format.h"

struct resolver {
  struct dc_json_writer writer;
  const struct dc_scene *scene;
};

// Whether a list is left out: an empty one whose default is "null".  Others are written as [], as an empty list
// may mean something else than the default.
static bool is_left_out(const struct dc_option *option, int count)
{
  return count == 0 && option->fallback && strcmp(option->fallback, "null") == 0;
}

// Writes a list of strings, or of bodies by their names; in the structure bodies are indices.
static void put_names(struct dc_json_writer *writer, const struct dc_scene *scene, const struct dc_option *option,
                      const void *value)
{
  bool bodies = option->type == DC_BODY_LIST;
  const struct dc_index_list *indices = value;
  const struct dc_string_list *strings = value;
  int count = bodies ? indices->count : strings->count;
  if (is_left_out(option, count))
    return;
  dc_json_begin(writer, option->name, '[');
  for (int i = 0; i < count; i++)
    dc_json_put_string(writer, NULL, bodies ? scene->bodies[indices->indices[i]].name : strings->strings[i]);
  dc_json_end(writer, "]");
}

// Writes a nested object or a list of objects; those without content are left out.
static void put_nested(struct dc_json_writer *writer, const struct dc_scene *scene, const struct dc_option *option,
                       const void *value)
{
  if (option->type == DC_OBJECT) {
    const void *object;
    memcpy(&object, value, sizeof object);
    if (!object)
      return;
    dc_json_begin(writer, option->name, '{');
    dc_put_options(writer, scene, option->table, object);
    dc_json_end(writer, "}");
    return;
  }
  const struct dc_object_list *list = value;
  if (is_left_out(option, list->count))
    return;
  dc_json_begin(writer, option->name, '[');
  for (int i = 0; i < list->count; i++) {
    dc_json_begin(writer, NULL, '{');
    dc_put_options(writer, scene, option->table, (const char *)list->objects + (size_t)i * option->object_size);
    dc_json_end(writer, "}");
  }
  dc_json_end(writer, "]");
}

// Writes one option by its type, the inverse of dc_read_option.  Absent values are left out: NAN for numbers,
// NULL for strings, -1 for a body or shape.  Paths of files are cut to their last part.
static void put_option(struct dc_json_writer *writer, const struct dc_scene *scene, const struct dc_option *option,
                       const void *value)
{
  switch (option->type) {
  case DC_BOOLEAN: dc_json_put_boolean(writer, option->name, *(const bool *)value); break;
  case DC_INTEGER: dc_json_put_integer(writer, option->name, *(const long *)value); break;
  case DC_REAL:
    if (!isnan(*(const double *)value))
      dc_json_put_number(writer, option->name, *(const double *)value);
    break;
  case DC_REALS:
    if (!isnan(*(const double *)value))
      dc_json_put_numbers(writer, option->name, value, option->count);
    break;
  case DC_REAL_LIST: {
    const struct dc_real_list *list = value;
    dc_json_put_numbers(writer, option->name, list->values, list->count);
    break;
  }
  case DC_STRING: {
    const char *string = *(const char *const *)value;
    const char *slash = string && dc_is_file_option(option) ? strrchr(string, '/') : NULL;
    if (string)
      dc_json_put_string(writer, option->name, slash ? slash + 1 : string);
    break;
  }
  case DC_CHOICE: dc_json_put_string(writer, option->name, option->choices[*(const int *)value]); break;
  case DC_BODY:
    if (*(const int *)value >= 0)
      dc_json_put_string(writer, option->name, scene->bodies[*(const int *)value].name);
    break;
  case DC_SHAPE:
    if (*(const int *)value >= 0)
      dc_json_put_string(writer, option->name, scene->shapes[*(const int *)value].name);
    break;
  case DC_BODY_LIST:
  case DC_STRING_LIST: put_names(writer, scene, option, value); break;
  case DC_OBJECT:
  case DC_OBJECT_LIST: put_nested(writer, scene, option, value); break;
  }
}

void dc_put_options(struct dc_json_writer *writer, const struct dc_scene *scene, const struct dc_option *table,
                    const void *options)
{
  for (int i = 0; table[i].name; i++)
    put_option(writer, scene, &table[i], (const char *)options + table[i].offset);
}

// An object of options; tag is the key that names its kind, or NULL.
static void put_object(struct resolver *resolver, const char *key, const char *tag, const char *kind,
                       const struct dc_option *table, const void *options)
{
  dc_json_begin(&resolver->writer, key, '{');
  if (tag)
    dc_json_put_string(&resolver->writer, tag, kind);
  dc_put_options(&resolver->writer, resolver->scene, table, options);
  dc_json_end(&resolver->writer, "}");
}

// The sections of a world, the scene's own or a plant's, complete with defaults.
static void put_world(struct resolver *resolver, const struct dc_model_definition *definition)
{
  put_object(resolver, "contact", "model", definition->contact_model->name, definition->contact_model->options,
             &definition->contact);
  put_object(resolver, "solver", NULL, NULL, dc_step_options, &definition->solver);
  if (definition->contact_model->flags & DC_CONTACT_FOREIGN)
    put_object(resolver, "mujoco", NULL, NULL, dc_mujoco_options, &definition->mujoco);
}

// Writes the sections that a trajectory problem has and a refinement has not: time, gravity and the world
// (contact, solver, the other stepper), and the same of a plant whose model differs from the planner's.
static void put_settings(struct resolver *resolver)
{
  const struct dc_scene *scene = resolver->scene;
  const struct dc_model_definition *definition = &scene->definition;
  put_object(resolver, "time", NULL, NULL, dc_time_options, &definition->time);
  dc_put_options(&resolver->writer, scene, dc_gravity_options, definition);
  put_world(resolver, definition);
  if (!scene->plant_given)
    return;
  dc_json_begin(&resolver->writer, "plant", '{');
  dc_json_begin(&resolver->writer, "time", '{');
  dc_json_put_number(&resolver->writer, "step", scene->plant.model.definition.time.step);
  dc_json_end(&resolver->writer, "}");
  put_world(resolver, &scene->plant.model.definition);
  dc_json_end(&resolver->writer, "}");
}

// A member of `count` objects with all their options, `size` bytes each; none where there are none.
static void put_list(struct resolver *resolver, const char *key, const struct dc_option *options, int count,
                     const void *first, size_t size)
{
  if (!count)
    return;
  dc_json_begin(&resolver->writer, key, '[');
  for (int i = 0; i < count; i++)
    put_object(resolver, NULL, NULL, NULL, options, (const char *)first + (size_t)i * size);
  dc_json_end(&resolver->writer, "]");
}

// Shapes, bodies, couplings, ties and tendons with all their options.
static void put_model(struct resolver *resolver)
{
  const struct dc_scene *scene = resolver->scene;
  const struct dc_model_definition *definition = &scene->definition;
  dc_json_begin(&resolver->writer, "shapes", '{');
  for (int i = 0; i < definition->shape_count; i++) {
    const struct dc_shape *shape = &scene->shapes[i];
    put_object(resolver, shape->name, "type", shape->type->name, shape->type->options, shape->options);
  }
  dc_json_end(&resolver->writer, "}");
  dc_json_begin(&resolver->writer, "bodies", '[');
  for (int i = 0; i < definition->body_count; i++)
    put_object(resolver, NULL, NULL, NULL, dc_body_options, &scene->bodies[i]);
  dc_json_end(&resolver->writer, "]");
  put_list(resolver, "couplings", dc_coupling_options, definition->coupling_count, scene->couplings,
           sizeof *scene->couplings);
  put_list(resolver, "ties", dc_tie_options, definition->tie_count, definition->ties, sizeof *definition->ties);
  put_list(resolver, "tendons", dc_tendon_options, definition->tendon_count, definition->tendons,
           sizeof *definition->tendons);
}

static void put_refinement(struct resolver *resolver)
{
  const struct dc_refinement *refinement = &resolver->scene->refinement;
  put_object(resolver, "refine", NULL, NULL, dc_refine_options, &refinement->settings);
  dc_put_options(&resolver->writer, resolver->scene, dc_pairs_options, refinement);
  put_object(resolver, "optimizer", "type", refinement->method->name, refinement->method->options,
             refinement->method_options);
}

// The options that the type of the first guess reads, which a scene may have.
static void put_first_guess(struct resolver *resolver)
{
  const struct dc_first_guess_settings *settings = &resolver->scene->first_guess;
  dc_json_begin(&resolver->writer, "init", '{');
  for (const struct dc_option *option = dc_first_guess_options; option->name; option++)
    if (dc_first_guess_reads(settings->type, option->name))
      put_option(&resolver->writer, resolver->scene, option, (const char *)settings + option->offset);
  dc_json_end(&resolver->writer, "}");
}

// Controls, objectives and design.
static void put_task(struct resolver *resolver)
{
  const struct dc_scene *scene = resolver->scene;
  const struct dc_task *task = &scene->task;
  dc_json_begin(&resolver->writer, "control", '[');
  for (int i = 0; i < task->control_count; i++)
    put_object(resolver, NULL, "type", task->controls[i].type->name, task->controls[i].type->options,
               task->controls[i].options);
  dc_json_end(&resolver->writer, "]");
  dc_json_begin(&resolver->writer, "objective", '[');
  for (int i = 0; i < task->objective_count; i++)
    put_object(resolver, NULL, "type", task->objectives[i].type->name, task->objectives[i].type->options,
               task->objectives[i].options);
  if (scene->shot.given) {
    dc_json_begin(&resolver->writer, NULL, '{');
    put_object(resolver, "shot", NULL, NULL, dc_shot_options, &scene->shot);
    dc_json_end(&resolver->writer, "}");
  }
  dc_json_end(&resolver->writer, "]");
  if (task->design_count) {
    dc_json_begin(&resolver->writer, "design", '[');
    for (int i = 0; i < task->design_count; i++)
      put_object(resolver, NULL, "type", task->design[i].type->name, task->design[i].type->options,
                 task->design[i].options);
    dc_json_end(&resolver->writer, "]");
  }
  if (scene->search.automatic)
    put_object(resolver, "automatic", NULL, NULL, dc_automatic_options, &scene->search.portfolio);
  else
    put_object(resolver, "optimizer", "type", scene->optimizer->name, scene->optimizer->options,
               scene->optimizer_options);
  put_object(resolver, "gradient", NULL, NULL, dc_gradient_options, &scene->gradient);
  if (scene->first_guess_given)
    put_first_guess(resolver);
  if (scene->search.continuation.iterations > 0)
    put_object(resolver, "continuation", NULL, NULL, dc_continuation_options, &scene->search.continuation);
  if (scene->search.portfolio.rollouts > 0 && !scene->search.automatic)
    put_object(resolver, "portfolio", NULL, NULL, dc_portfolio_options, &scene->search.portfolio);
  if (scene->horizon_given)
    put_object(resolver, "horizon", NULL, NULL, dc_horizon_options, &scene->horizon);
  if (scene->certify_given)
    put_object(resolver, "certify", NULL, NULL, dc_certify_options, &scene->certify);
}

// The whole scene in the order of the manual.
char *dc_scene_resolve(const struct dc_scene *scene, const char *models)
{
  struct resolver resolver = {.scene = scene};
  dc_json_begin(&resolver.writer, NULL, '{');
  dc_json_put_string(&resolver.writer, "name", scene->name);
  if (scene->refinement.given)
    dc_json_put_string(&resolver.writer, "problem", "refine");
  else
    put_settings(&resolver);
  put_model(&resolver);
  if (scene->refinement.given)
    put_refinement(&resolver);
  else
    put_task(&resolver);
  if (models)
    dc_json_put_raw(&resolver.writer, "models", models);
  if (scene->cases.text)
    dc_json_put_raw(&resolver.writer, "cases", scene->cases.text);
  if (scene->camera.given)
    put_object(&resolver, "camera", NULL, NULL, dc_camera_options, &scene->camera);
  dc_json_end(&resolver.writer, "}");
  return dc_json_finish(&resolver.writer);
}
