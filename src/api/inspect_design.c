// SPDX-License-Identifier: Apache-2.0
#include "api/inspect_design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/shapes/shape_thickness.h"

enum { MOST_LINES = 40 };  // of numbers

struct design_view {
  const struct dc_model *model;
  struct dc_text *text;
  struct dc_json_writer *json;
  int lines;
};

// A bound of a number: its value where all parameters are at theirs.
static double value_at(const struct dc_design_entry *entry, const struct dc_model *model, const double *parameters,
                       int i)
{
  struct dc_design_value value = {.value = NAN};
  entry->type->value(entry->options, model, parameters, i, &value);
  return value.value;
}

static void describe_number(struct design_view *view, const struct dc_design_value *value, double low, double high)
{
  const char *unit = strcmp(value->unit, "1") == 0 ? "" : value->unit;
  dc_json_begin(view->json, NULL, '{');
  dc_json_put_string(view->json, "name", value->name);
  dc_json_put_string(view->json, "unit", value->unit);
  dc_json_put_number(view->json, "initial", value->initial);
  dc_json_put_number(view->json, "low", low);
  dc_json_put_number(view->json, "high", high);
  dc_json_end(view->json, '}');
  if (view->lines++ < MOST_LINES)
    dc_text_add(view->text, "  design %-24s %.6g%s%s, from %.6g to %.6g\n", value->name, value->initial,
                unit[0] ? " " : "", unit, low, high);
  else if (view->lines == MOST_LINES + 1)
    dc_text_add(view->text, "  and further numbers of the design\n");
}

static enum dc_status describe_entry(struct design_view *view, const struct dc_design_entry *entry)
{
  const struct dc_model *model = view->model;
  size_t count = (size_t)entry->type->parameter_count(entry->options, model);
  double *start = dc_alloc(3 * count, sizeof *start), *low = start + count, *high = low + count;
  struct dc_design_value value;
  if (!start)
    return DC_MEMORY;
  entry->type->initial(entry->options, model, start);
  entry->type->bounds(entry->options, model, low, high);
  for (int i = 0; entry->type->value(entry->options, model, start, i, &value); i++) {
    double one = value_at(entry, model, low, i), other = value_at(entry, model, high, i);
    describe_number(view, &value, fmin(one, other), fmax(one, other));
  }
  free(start);
  return DC_OK;
}

static void describe_bodies(struct design_view *view, const bool *designed)
{
  dc_json_begin(view->json, "designed", '{');
  for (int i = 0; i < view->model->bodies.count; i++) {
    const struct dc_body *body = &view->model->bodies.bodies[i];
    if (!designed[i])
      continue;
    dc_json_begin(view->json, body->name, '{');
    dc_json_put_number(view->json, "mass", body->mass);
    dc_json_put_number(view->json, "volume", body->shape->properties.volume);
    dc_json_put_integer(view->json, "vertices", dc_shape_vertex_count(body->shape));
    dc_json_put_number(view->json, "thinnest", dc_shape_thinnest(body->shape));
    dc_json_end(view->json, '}');
    dc_text_add(view->text, "  designed %-22s mass %.4g kg, volume %.4g m^3, %d vertices, thinnest part %.3g m\n",
                body->name, body->mass, body->shape->properties.volume, dc_shape_vertex_count(body->shape),
                dc_shape_thinnest(body->shape));
  }
  dc_json_end(view->json, '}');
}

enum dc_status dc_api_describe_design(const struct dc_scene *scene, struct dc_text *text, struct dc_json_writer *json,
                                      struct dc_error *error)
{
  struct design_view view = {.model = &scene->model, .text = text, .json = json};
  enum dc_status status = DC_OK;
  dc_json_begin(json, "design", '[');
  for (int k = 0; k < scene->task.design_count && !status; k++)
    status = describe_entry(&view, &scene->task.design[k]);
  dc_json_end(json, ']');
  bool *designed = dc_alloc((size_t)scene->model.bodies.count, sizeof *designed);
  if (!status && designed && scene->model.shapes_change)
    status = dc_task_find_designed(&scene->task, &scene->model, designed);
  if (!status && designed)
    describe_bodies(&view, designed);
  if (status || !designed)
    status = dc_fail(error, DC_MEMORY, "out of memory for the design");
  free(designed);
  return status;
}
