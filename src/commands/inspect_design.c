// SPDX-License-Identifier: Apache-2.0
// The part of `dcsim check` about parameters and design: names, units and bounds, designed bodies (mass, thickness,
// overhangs), and shapes whose parts do not hold together.
#include "commands/inspect_design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/shapes/shape_overhang.h"
#include "geometry/shapes/shape_thickness.h"
#include "geometry/shapes/shape_types.h"
#include "task/actuator_coordinates.h"

enum { MOST_LINES = 40 };  // of numbers in the text; the JSON has all of them

// The model whose design is described and where to; `lines` counts the numbers told in the text so far.
struct design_view {
  const struct dc_model *model;
  struct dc_text *text;
  struct dc_json_writer *json;
  int lines;
};

// The value of a number of the design at these parameters, in its own unit.
static double value_at(const struct dc_design_entry *entry, const struct dc_model *model, const double *parameters,
                       int i)
{
  struct dc_design_value value = {.value = NAN};
  entry->type->value(entry->options, model, parameters, i, &value);
  return value.value;
}

// One number of the design: its value now and those at the bounds of the parameters.
static void describe_number(struct design_view *view, const struct dc_design_value *value, double low, double high)
{
  const char *unit = strcmp(value->unit, "1") == 0 ? "" : value->unit;
  dc_json_begin(view->json, NULL, '{');
  dc_json_put_string(view->json, "name", value->name);
  dc_json_put_string(view->json, "unit", value->unit);
  DC_JSON_NUMBERS(view->json, {"initial", value->initial}, {"low", low}, {"high", high});
  dc_json_end(view->json, "}");
  if (view->lines++ < MOST_LINES)
    dc_text_add(view->text, "  design %-24s %.6g%s%s, from %.6g to %.6g\n", value->name, value->initial,
                unit[0] ? " " : "", unit, low, high);
  else if (view->lines == MOST_LINES + 1)
    dc_text_add(view->text, "  and further numbers of the design\n");
}

// Describes the numbers of a design entry: their values where parameters are zero, which is the scene's own design,
// and at the parameters' bounds.  A number may fall where its parameter rises: the smaller value is called low.
static enum dc_status describe_entry(struct design_view *view, const struct dc_design_entry *entry)
{
  const struct dc_model *model = view->model;
  size_t count = (size_t)entry->type->parameter_count(entry->options, model);
  double *start = dc_alloc(3 * count, sizeof *start), *low = start + count, *high = low + count;
  struct dc_design_value value;
  if (!start)
    return DC_MEMORY;
  entry->type->bounds(entry->options, model, low, high);
  for (int i = 0; entry->type->value(entry->options, model, start, i, &value); i++) {
    double one = value_at(entry, model, low, i), other = value_at(entry, model, high, i);
    describe_number(view, &value, fmin(one, other), fmax(one, other));
  }
  free(start);
  return DC_OK;
}

// A body whose shape or mass is designed: mass, kg, volume, m^3, and what matters for printing it: its thinnest part
// and least extent, m, and the share of its surface that hangs over, for the best side up.
static void describe_body(const struct dc_body *body, double mass, struct dc_text *text, struct dc_json_writer *json)
{
  const struct dc_shape *shape = body->shape;
  int vertices = dc_shape_vertex_count(shape);
  double volume = shape->properties.volume, thinnest = dc_shape_thinnest(shape), extent = dc_shape_least_extent(shape);
  struct dc_overhang overhang = dc_shape_overhang(shape);
  dc_json_begin(json, body->name, '{');
  DC_JSON_NUMBERS(json, {"mass", mass}, {"volume", volume}, {"vertices", vertices}, {"thinnest", thinnest},
                  {"least_extent", extent}, {"overhang", overhang.share});
  dc_json_put_string(json, "up", overhang.up);
  dc_json_end(json, "}");
  dc_text_add(text,
              "  designed %-22s mass %.4g kg, volume %.4g m^3, %d vertices, thinnest part %.3g m, least extent %.3g m, "
              "overhang %.3g %% with %s up\n",
              body->name, mass, volume, vertices, thinnest, extent, 100 * overhang.share, overhang.up);
}

// input NULL: masses as they are built. designed NULL: none.
void dc_api_describe_designed(const struct dc_model *model, const struct dc_rollout_input *input, const bool *designed,
                              struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "designed", '{');
  for (int i = 0; i < model->bodies.count && designed; i++)
    if (designed[i])
      describe_body(&model->bodies.bodies[i],
                    model->bodies.bodies[i].mass * (input ? input->design.body_mass_scale[i] : 1), text, json);
  dc_json_end(json, "}");
}

// Lists the units of the parameters first ... last, each once and at most eight, in text and as an array.
static void list_units(const struct dc_scene *scene, int steps, int first, int last, char *list, size_t size,
                       struct dc_json_writer *json)
{
  enum { MOST = 8, LONGEST = 32 };
  char units[MOST][LONGEST];
  int count = 0;
  size_t length = 0;
  list[0] = '\0';
  for (int i = first; i <= last && count < MOST; i++) {
    double scale;
    const char *unit = dc_task_parameter_unit(&scene->task, &scene->model, steps, i, &scale);
    bool known = false;
    dc_unit_text(unit, scale, units[count], LONGEST);
    for (int k = 0; k < count; k++)
      known |= strcmp(units[k], units[count]) == 0;
    if (known)
      continue;
    dc_json_put_string(json, NULL, units[count]);
    if (length < size)
      length += (size_t)snprintf(list + length, size - length, "%s%s", count ? ", " : "", units[count]);
    count++;
  }
}

// Describes the parameters of one control or design entry; text NULL: in the JSON only.
static void describe_part(const struct dc_scene *scene, int steps, const char *type, int first, int count,
                          struct dc_text *text, struct dc_json_writer *json)
{
  char from[320], to[320], units[320];
  dc_task_parameter_name(&scene->task, &scene->model, steps, first, from, sizeof from);
  dc_task_parameter_name(&scene->task, &scene->model, steps, first + count - 1, to, sizeof to);
  dc_json_begin(json, NULL, '{');
  dc_json_put_string(json, "type", type);
  dc_json_put_integer(json, "parameters", count);
  dc_json_put_string(json, "first", from);
  dc_json_put_string(json, "last", to);
  dc_json_begin(json, "units", '[');
  list_units(scene, steps, first, first + count - 1, units, sizeof units, json);
  dc_json_end(json, "]}");
  if (text)
    dc_text_add(text, "  control %-13s %d parameter%s, %s%s%s%s%s%s\n", type, count, dc_plural(count), from,
                count == 1 ? "" : " to ", count == 1 ? "" : to, units[0] ? " [" : "", units, units[0] ? "]" : "");
}

// Writes the bounds of targets that were chosen because the scene gives none.
static void describe_bounds(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json)
{
  dc_json_begin(json, "chosen_bounds", '[');
  for (int k = 0; k < scene->task.control_count; k++) {
    const struct dc_actuator_options *options = scene->task.controls[k].options;
    if (scene->task.controls[k].type != &dc_control_pd_targets || !options->chosen)
      continue;
    struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(options, &scene->model);
    for (int c = 0; c < coordinates.count; c++) {
      const struct dc_actuator_coordinate *item = &coordinates.items[c];
      char number[16];
      const char *body = scene->model.bodies.bodies[item->body].name;
      const char *coordinate = dc_actuator_coordinate_name(item, &scene->model, number);
      dc_json_begin(json, NULL, '{');
      DC_JSON_NUMBERS(json, {"control", k}, {"low", item->bounds.low}, {"high", item->bounds.high});
      dc_json_put_string(json, "body", body);
      dc_json_put_string(json, "coordinate", coordinate);
      dc_json_end(json, "}");
      dc_text_add(text, "  targets of \"%s\", coordinate %s: chosen between %.3g and %.3g %s from the start (\"low\", \"high\")\n",
                  body, coordinate, item->bounds.low, item->bounds.high, item->unit);
    }
  }
  dc_json_end(json, "]");
}

// Lists the vector of parameters: which entries belong to which control or design entry, in the order of the vector.
// Design entries stand behind the controls and are told in the JSON alone, as their numbers have lines of their own.
void dc_api_describe_parameters(const struct dc_scene *scene, int steps, struct dc_text *text,
                                struct dc_json_writer *json)
{
  const struct dc_task *task = &scene->task;
  int first = 0, count;
  dc_json_begin(json, "vector", '[');
  for (int k = 0; k < task->control_count + task->design_count; k++, first += count) {
    const struct dc_control *control = &task->controls[k];
    const struct dc_design_entry *entry = &task->design[k - task->control_count];
    bool is_control = k < task->control_count;
    count = is_control ? control->type->parameter_count(control->options, &scene->model, steps)
                       : entry->type->parameter_count(entry->options, &scene->model);
    if (count)
      describe_part(scene, steps, is_control ? control->type->name : entry->type->name, first, count,
                    is_control ? text : NULL, json);
  }
  dc_json_end(json, "]");
  describe_bounds(scene, text, json);
}

// Notes parts that share only one vertex, or two (a hinge), without overlap: they do not hold together in print.
// Two vertices in common leave a hinge, three a face: the number of pieces is therefore counted by links of at least
// one and of at least three vertices, and told where the counts differ.  A negative count means that memory is out.
static enum dc_status note_pieces(struct design_view *view, const struct dc_design_entry *entry)
{
  int shapes[2];
  if (!entry->type->pieces)
    return DC_OK;
  entry->type->shapes_moved(entry->options, shapes);
  const struct dc_shape *shape = &view->model->definition.shapes[shapes[0]];
  int together = entry->type->pieces(entry->options, view->model, 1),
      firmly = entry->type->pieces(entry->options, view->model, 3);
  if (together < 0 || firmly < 0)
    return DC_MEMORY;
  if (firmly == together)
    return DC_OK;
  dc_json_begin(view->json, NULL, '{');
  dc_json_put_string(view->json, "shape", shape->name);
  DC_JSON_NUMBERS(view->json, {"parts", shape->part_count}, {"pieces", firmly});
  dc_json_end(view->json, "}");
  dc_text_add(
      view->text,
      "  note: \"%s\" prints in %d pieces where its parts no longer overlap: they share fewer than three vertices%s\n",
      shape->name, firmly, shape->type == &dc_shape_blocks ? " (blocks can have a \"spoke\")" : "");
  return DC_OK;
}

// The scene's own design, which is where its parameters are zero; a run describes the one that it found.
enum dc_status dc_api_describe_design(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json,
                                      struct dc_error *error)
{
  struct design_view view = {.model = &scene->model, .text = text, .json = json};
  enum dc_status status = DC_OK;
  dc_json_begin(json, "design", '[');
  for (int k = 0; k < scene->task.design_count && !status; k++)
    status = describe_entry(&view, &scene->task.design[k]);
  dc_json_end(json, "]");
  dc_json_begin(json, "single_vertices", '[');
  for (int k = 0; k < scene->task.design_count && !status; k++)
    status = note_pieces(&view, &scene->task.design[k]);
  dc_json_end(json, "]");
  bool *designed = dc_alloc((size_t)scene->model.bodies.count, sizeof *designed);
  if (!status && designed && scene->model.shapes_change)
    status = dc_task_find_designed(&scene->task, &scene->model, designed);
  if (!status && designed)
    dc_api_describe_designed(&scene->model, NULL, designed, text, json);
  if (status || !designed)
    status = dc_out_of_memory_for(error, "the design");
  free(designed);
  return status;
}
