// SPDX-License-Identifier: Apache-2.0
// The parts of writing a model that MJCF and URDF have in common: the pieces of shapes, places at rest, inertias,
// numbers and names as XML attributes, the order of bodies, and pairs that do not touch.
#include "io/robot/model_export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/shapes/shape_types.h"

// Pieces of a shape that is no compound, at a place; their number.  pieces NULL: only counts.
static int add_pieces(const struct dc_shape *shape, const double *position, const double *rotation,
                      struct dc_export_piece *pieces)
{
  double size[3];
  const char *primitive = dc_shape_primitive(shape, size);
  int count = primitive || shape->part_count == 0 ? primitive || dc_shape_has_surface(shape) : shape->part_count;
  for (int k = 0; k < count && pieces; k++) {
    struct dc_export_piece *piece = &pieces[k];
    *piece = (struct dc_export_piece){.primitive = primitive};
    memcpy(piece->position, position, sizeof piece->position);
    memcpy(piece->rotation, rotation, sizeof piece->rotation);
    piece->convex = shape->part_count > 0;
    if (!primitive)
      piece->mesh = shape->part_count ? &shape->parts[k] : &shape->mesh;
    else
      memcpy(piece->size, size, sizeof piece->size);
  }
  return count;
}

// The pieces of a shape in the body's frame: those of each part of a compound, else the shape's own.  Counted
// first, then filled in, so that one allocation holds them; the caller frees it.  Returns their number, -1: out
// of memory.
int dc_export_pieces(const struct dc_model *model, const struct dc_shape *shape, struct dc_export_piece **pieces)
{
  static const double zero[3] = {0, 0, 0}, still[4] = {1, 0, 0, 0};
  const struct dc_compound_options *options = shape && shape->type == &dc_shape_compound ? shape->options : NULL;
  const struct dc_compound_part *parts = options ? options->parts.objects : NULL;
  const struct dc_shape *shapes = model->definition.shapes;
  int count = 0, part_count = options ? options->parts.count : 0;
  *pieces = NULL;
  if (!shape || !shape->type)
    return 0;
  if (!options)
    count = add_pieces(shape, zero, still, NULL);
  for (int i = 0; i < part_count; i++)
    count += add_pieces(&shapes[parts[i].shape], zero, still, NULL);
  *pieces = dc_alloc((size_t)count + 1, sizeof **pieces);
  if (!*pieces)
    return -1;
  if (!options)
    add_pieces(shape, zero, still, *pieces);
  struct dc_export_piece *next = *pieces;
  for (int i = 0; i < part_count; i++)
    next += add_pieces(&shapes[parts[i].shape], parts[i].position, parts[i].rotation, next);
  return count;
}

enum dc_status dc_export_note_concave(int count, struct dc_notes *notes)
{
  return count ? dc_notes_add(notes,
                              "%d surfaces are not convex: included again they are their convex hulls, unless the "
                              "include of a URDF file has \"convex\": false",
                              count)
               : DC_OK;
}

void dc_export_rest(const struct dc_body *body, const double **position, const double **rotation)
{
  *position = body->free ? body->start.position : body->rest_position;
  *rotation = body->free ? body->start.quaternion : body->rest_quaternion;
}

// The model has second moments S; files want tr(S) 1 - S, as xx, yy, zz, xy, xz, yz.
void dc_export_inertia(const struct dc_body *body, double inertia[6])
{
  const double *s = body->second_moment, trace = s[0] + s[4] + s[8];
  const double all[6] = {trace - s[0], trace - s[4], trace - s[8], -s[1], -s[2], -s[5]};
  memcpy(inertia, all, sizeof all);
}

// Numbers as an attribute, as short as they can be read back exactly; adding 0 makes -0 a plain 0.
void dc_export_numbers(struct dc_text *text, const char *name, int count, const double *numbers)
{
  dc_text_add(text, " %s=\"", name);
  for (int i = 0; i < count; i++) {
    if (i)
      dc_text_append(text, " ", 1);
    dc_text_short_real(text, numbers[i] + 0.0, "0");
  }
  dc_text_append(text, "\"", 1);
}

// A name as an attribute, with the characters of XML escaped.
void dc_export_name(struct dc_text *text, const char *name, const char *value, const char *ending)
{
  dc_text_add(text, " %s=\"", name);
  for (const char *c = value; *c; c++)
    switch (*c) {
    case '&': dc_text_add(text, "&amp;"); break;
    case '<': dc_text_add(text, "&lt;"); break;
    case '>': dc_text_add(text, "&gt;"); break;
    case '"': dc_text_add(text, "&quot;"); break;
    default: dc_text_append(text, c, 1);
    }
  dc_text_add(text, "%s\"", ending);
}

// Depth first, in the order of the bodies' indices among children.  after[k] is how many elements close behind
// the k-th one, which lets writers of nested formats do without recursion.  Lists of children are linked
// through two arrays.
enum dc_status dc_export_order(const struct dc_bodies *bodies, int *order, int *after)
{
  int *next = dc_alloc(2 * (size_t)bodies->count + 1, sizeof *next), *child = next + bodies->count, first = -1,
      count = 0;
  if (!next)
    return DC_MEMORY;
  for (int i = 0; i < bodies->count; i++)
    child[i] = -1;
  for (int i = bodies->count - 1; i >= 0; i--) {
    int *head = bodies->bodies[i].parent < 0 ? &first : &child[bodies->bodies[i].parent];
    next[i] = *head;
    *head = i;
  }
  for (int i = first; i >= 0;) {
    order[count] = i;
    after[count] = 0;
    if (child[i] >= 0) {
      i = child[i];
      count++;
      continue;
    }
    for (after[count]++; i >= 0 && next[i] < 0; after[count] += i >= 0)
      i = bodies->bodies[i].parent;
    i = i < 0 ? -1 : next[i];
    count++;
  }
  free(next);
  return DC_OK;
}

// Pairs that both could touch and do not: only these need a word in the file.
bool dc_export_is_excluded(const struct dc_bodies *bodies, int a, int b)
{
  const struct dc_body *first = &bodies->bodies[a], *second = &bodies->bodies[b];
  return (dc_body_moves(first) || dc_body_moves(second)) && bodies->collide[a] && bodies->collide[b] &&
         (first->shape->type && second->shape->type) && !dc_bodies_touch(bodies, a, b);
}
