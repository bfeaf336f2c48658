// SPDX-License-Identifier: Apache-2.0
// Design parameter "link": the length of a body between its joint and those of its children.  With the axis k of its
// shape's frame and the anchor P of its joint, vertices x and the anchors A of its children become
//
//     x_k -> P_k + f (x_k - P_k),   A_k -> P_k + f (A_k - P_k),   f = exp(scale p).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/displacement.h"
#include "math/rotation.h"
#include "math/vector.h"

static const struct dc_option options_table[] = {
    DC_BODY_OPTION(struct dc_link_options, body, NULL, "name of the body, which has a joint and convex parts"),
    DC_STRING_OPTION(struct dc_link_options, axis, "\"z\"",
                     "axis of its shape's frame along which it grows: \"x\", \"y\" or \"z\""),
    DC_FACTOR_OPTIONS(struct dc_link_options),
    DC_OPTIONS_END,
};

// Refuses bodies without a joint, as there is no point to grow from, and shapes without convex parts.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_link_options *link = options;
  if (link->body < 0 || link->body >= model->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "body: must name a body");
  const struct dc_body *body = &model->bodies.bodies[link->body];
  if (!dc_body_moves(body) || body->free)
    return dc_fail(error, DC_BAD_INPUT, "body: must hang on a joint that is not free (\"%.255s\" does not)",
                   body->name);
  if (body->shape->part_count == 0)
    return dc_fail(error, DC_BAD_INPUT,
                   "body: design needs convex parts, the shape of \"%.255s\" has none "
                   "(\"convex\": true)",
                   body->name);
  if (!link->axis || strlen(link->axis) != 1 || !strchr("xyz", link->axis[0]))
    return dc_fail(error, DC_BAD_INPUT, "axis: must be \"x\", \"y\" or \"z\" (is \"%.40s\")",
                   link->axis ? link->axis : "");
  return dc_design_check_factors(link->range, error);
}

// The factor f alone.
static int count(const void *options, const struct dc_model *model)
{
  (void)options, (void)model;
  return 1;
}

static void name(const void *options, const struct dc_model *model, int i, char *text, size_t length)
{
  (void)i;
  snprintf(text, length, "%s.length", model->bodies.bodies[((const struct dc_link_options *)options)->body].name);
}

static void limits(const void *options, const struct dc_model *model, int i, double *scale, double range[2])
{
  (void)model, (void)i;
  const struct dc_link_options *link = options;
  *scale = link->scale;
  range[0] = link->range[0], range[1] = link->range[1];
}

// The anchor of the innermost joint part that has one, relative to the body's frame; else the origin of the shape's
// frame.
static void anchor_of(const struct dc_body *body, double anchor[3])
{
  dc_vec_scale(anchor, body->center, -1);
  for (int p = 0; p < body->part_count; p++)
    if (body->parts[p].kind == DC_PART_HINGE || body->parts[p].kind == DC_PART_BALL)
      dc_vec_copy(anchor, body->parts[p].anchor);
}

// Position of a child's anchor in its parent's frame at rest.
static void place_of(const struct dc_body *child, double place[3])
{
  double anchor[3], rotation[9];
  anchor_of(child, anchor);
  dc_rotation_matrix(rotation, child->rest_quaternion);
  dc_mat_apply(place, rotation, anchor);
  dc_vec_add(place, place, child->rest_position);
}

// Visits all that the length moves, with its displacement per unit of the factor: the vertices along the axis by their
// distance from the body's own anchor, the children (vertex -1) by the distance of their anchors from it.
static void visit(const void *options, const struct dc_model *model, int i, dc_displacement_visit *take, void *context)
{
  (void)i;
  const struct dc_link_options *link = options;
  const struct dc_body *body = &model->bodies.bodies[link->body];
  int axis = link->axis[0] - 'x';
  double anchor[3];
  anchor_of(body, anchor);
  double from = anchor[axis] + body->center[axis];
  for (int p = 0, vertex = 0; p < body->shape->part_count; p++)
    for (int v = 0; v < body->shape->parts[p].vertex_count; v++, vertex++)
      take(context, link->body, vertex, axis, body->shape->parts[p].vertices[v][axis] - from);
  for (int child = 0; child < model->bodies.count; child++) {
    double place[3];
    if (model->bodies.bodies[child].parent != link->body)
      continue;
    place_of(&model->bodies.bodies[child], place);
    take(context, child, -1, axis, place[axis] - anchor[axis]);
  }
}

static const struct dc_displacement displacement = {
    .factor = true, .count = count, .name = name, .limits = limits, .visit = visit};

DC_DISPLACEMENT_FUNCTIONS(displacement)

const struct dc_design_type dc_design_link = {.name = "link",
                                              .summary = "length of a body from its joint to those of its children",
                                              .reference = "paper 003, VI; docs/theory.md, \"Shapes as parameters\"",
                                              .options = options_table,
                                              .options_size = sizeof(struct dc_link_options),
                                              .check = check,
                                              DC_DISPLACEMENT_MEMBERS};
