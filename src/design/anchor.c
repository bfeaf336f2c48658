// SPDX-License-Identifier: Apache-2.0
// Design parameter "anchor": the place where a body is attached to its parent (or stands in the world), with all bodies
// that it carries.
//     offset_k -> offset_k + scale p,  in the axes of the parent's frame
#include <math.h>
#include <stdio.h>

#include "design/displacement.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_anchor_options, body, NULL, "name of the body, which moves"),
    DC_STRING_OPTION(struct dc_anchor_options, axes, "null",
                     "axes of the frame of its parent or of the world, a subset of \"xyz\"; all when absent"),
    DC_SHIFT_OPTIONS(struct dc_anchor_options),
    DC_OPTIONS_END,
};

// Refuses bodies that never move: their place is no coordinate of the motion.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_anchor_options *anchor = options;
  if (anchor->body < 0 || anchor->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  if (!dc_body_moves(&model->bodies.bodies[anchor->body]))
    return dc_fail(error, DC_BAD_INPUT, "body: must be one that moves (\"%.255s\" never does)",
                   model->bodies.bodies[anchor->body].name);
  return dc_design_check_axes(anchor->axes, error);
}

// One parameter for each axis that is named.
static int count(const void *options, const struct dc_model *model)
{
  (void)model;
  int axes[3];
  return dc_design_axes(((const struct dc_anchor_options *)options)->axes, axes);
}

// The axis, 0 to 2, that parameter i shifts along.
static int axis_of(const struct dc_anchor_options *anchor, int i)
{
  int axes[3];
  dc_design_axes(anchor->axes, axes);
  return axes[i];
}

static void name(const void *options, const struct dc_model *model, int i, char *text, size_t length)
{
  const struct dc_anchor_options *anchor = options;
  snprintf(text, length, "%s.anchor.%c", model->bodies.bodies[anchor->body].name, "xyz"[axis_of(anchor, i)]);
}

// The box bounds the shift, m, either way; without a scale a parameter of 1 is all of it.
static void limits(const void *options, const struct dc_model *model, int i, double *scale, double range[2])
{
  (void)model, (void)i;
  const struct dc_anchor_options *anchor = options;
  *scale = isnan(anchor->scale) ? anchor->box : anchor->scale;
  range[0] = -anchor->box, range[1] = anchor->box;
}

// The one number that a parameter moves: the body's offset along an axis.
static void visit(const void *options, const struct dc_model *model, int i, dc_displacement_visit *take, void *context)
{
  (void)model;
  const struct dc_anchor_options *anchor = options;
  take(context, anchor->body, -1, axis_of(anchor, i), 1);
}

static const struct dc_displacement displacement = {.count = count, .name = name, .limits = limits, .visit = visit};

DC_DISPLACEMENT_FUNCTIONS(displacement)

const struct dc_design_type dc_design_anchor = {.name = "anchor",
                                                .summary = "where a body is attached",
                                                .reference = "paper 003, VI; docs/theory.md, \"Shapes as parameters\"",
                                                .options = options_table,
                                                .options_size = sizeof(struct dc_anchor_options),
                                                .check = check,
                                                DC_DISPLACEMENT_MEMBERS};
