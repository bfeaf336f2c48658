// SPDX-License-Identifier: Apache-2.0
// Design parameter "size": factors of a shape along the axes of its frame, about its origin, for all bodies that have
// it.
//     x_k -> exp(scale p) x_k
#include <math.h>
#include <stdio.h>

#include "design/displacement.h"

static const struct dc_option options_table[] = {
    DC_SHAPE_OPTION(struct dc_size_options, shape, NULL, "name of the shape, which is made of convex parts"),
    DC_STRING_OPTION(struct dc_size_options, axes, "null", "axes of its frame, a subset of \"xyz\"; all when absent"),
    DC_BOOLEAN_OPTION(struct dc_size_options, together, "false",
                      "one factor for all of these axes instead of one for each"),
    DC_FACTOR_OPTIONS(struct dc_size_options),
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_size_options *size = options;
  enum dc_status status = dc_design_check_shape(size->shape, model, error);
  if (!status)
    status = dc_design_check_axes(size->axes, error);
  return status ? status : dc_design_check_factors(size->range, error);
}

// One parameter for each axis, or one for all of them together.
static int count(const void *options, const struct dc_model *model)
{
  (void)model;
  const struct dc_size_options *size = options;
  int axes[3];
  return size->together ? 1 : dc_design_axes(size->axes, axes);
}

// SHAPE.size.AXIS, or SHAPE.size for a common factor.
static void name(const void *options, const struct dc_model *model, int i, char *text, size_t length)
{
  const struct dc_size_options *size = options;
  int axes[3];
  dc_design_axes(size->axes, axes);
  if (size->together)
    snprintf(text, length, "%s.size", model->definition.shapes[size->shape].name);
  else
    snprintf(text, length, "%s.size.%c", model->definition.shapes[size->shape].name, "xyz"[axes[i]]);
}

// The range is one of factors; displacement.c turns it into bounds of p by its logarithm.
static void limits(const void *options, const struct dc_model *model, int i, double *scale, double range[2])
{
  (void)model, (void)i;
  const struct dc_size_options *size = options;
  *scale = size->scale;
  range[0] = size->range[0], range[1] = size->range[1];
}

// A factor f moves a coordinate x to f x, so that the direction in which it moves is x itself: bodies that have the
// shape share the parameter, and each of their vertices is visited once for every axis that it scales.
static void visit(const void *options, const struct dc_model *model, int i, dc_displacement_visit *take, void *context)
{
  const struct dc_size_options *size = options;
  const struct dc_shape *shape = &model->definition.shapes[size->shape];
  int axes[3], all = dc_design_axes(size->axes, axes);
  int first = size->together ? 0 : i, last = size->together ? all - 1 : i;
  for (int body = 0; body < model->bodies.count; body++) {
    if (!dc_design_has_shape(model, body, size->shape))
      continue;
    for (int p = 0, vertex = 0; p < shape->part_count; p++)
      for (int v = 0; v < shape->parts[p].vertex_count; v++, vertex++)
        for (int k = first; k <= last; k++)
          take(context, body, vertex, axes[k], shape->parts[p].vertices[v][axes[k]]);
  }
}

static const struct dc_displacement displacement = {
    .factor = true, .count = count, .name = name, .limits = limits, .visit = visit};

DC_DISPLACEMENT_FUNCTIONS(displacement)

const struct dc_design_type dc_design_size = {.name = "size",
                                              .summary = "factors of a shape along its axes",
                                              .reference = "paper 003, VI; docs/theory.md, \"Shapes as parameters\"",
                                              .options = options_table,
                                              .options_size = sizeof(struct dc_size_options),
                                              .check = check,
                                              DC_DISPLACEMENT_MEMBERS};
