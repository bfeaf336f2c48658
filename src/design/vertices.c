// SPDX-License-Identifier: Apache-2.0
// Design parameter "vertices": the vertices of the convex parts of a shape, for all bodies that have it; vertices in
// one place may be one, another shape may be the mirror image.
//     x_k -> x_k + scale p
// One parameter moves one coordinate of a group: the vertices that `connect` makes one (connect.h), on all bodies with
// the shape.  With a mirror the image of a group moves along, its coordinate along mirror_axis the other way.  Vertices
// in the box `hold` have no parameters, so that what is mounted there stays where it is.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/connect.h"
#include "design/displacement.h"
#include "math/vector.h"

static const double SAME =
    1e-6;  // of the shape's size: distance of vertices in one place, whose coordinates files give to six digits

static const char *const connect_choices[] = {"none", "weld", "link", NULL};
static const char *const axis_choices[] = {"x", "y", "z", NULL};

static const struct dc_option options_table[] = {
    DC_SHAPE_OPTION(struct dc_vertices_options, shape, NULL, "name of the shape, which is made of convex parts"),
    {.name = "box",
     .type = DC_REALS,
     .unit = "m",
     .fallback = "null",
     .minimum = 0,
     .minimum_excluded = true,
     .maximum = 1e6,
     .count = 3,
     .help = "largest shift of a vertex along each axis, either way; a tenth of the shape's diagonal when absent",
     .offset = offsetof(struct dc_vertices_options, box)},
    DC_REALS_OPTION(struct dc_vertices_options, hold, "m", "null", 6, -1e6, 1e6,
                    "lower and upper corner of a box in the shape's frame: vertices in it do not move"),
    DC_CHOICE_OPTION(
        struct dc_vertices_options, connect, "\"none\"", connect_choices,
        "weld: vertices of different parts in one place (1e-6 of the size) move together; link: of these only the "
        "common vertices of linked parts, which are no corners"),
    DC_SHAPE_OPTION(struct dc_vertices_options, mirror, "null",
                    "name of another shape that is the mirror image of this one and stays it"),
    DC_CHOICE_OPTION(struct dc_vertices_options, mirror_axis, "\"y\"", axis_choices,
                     "axis of the frame that the mirror image has the other way round"),
    DC_SHIFT_SCALE_OPTION(struct dc_vertices_options),
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_vertices_options *o = options;
  enum dc_status status = dc_design_check_shape(o->shape, model, error);
  if (status)
    return status;
  for (int k = 0; k < 3 && !isnan(o->hold[0]); k++)
    if (!(o->hold[k] <= o->hold[3 + k]))
      return dc_fail(error, DC_BAD_INPUT, "hold: must be [x, y, z, X, Y, Z] with x <= X, y <= Y, z <= Z");
  if (o->mirror < 0)
    return DC_OK;
  if (o->mirror == o->shape)
    return dc_fail(error, DC_BAD_INPUT, "mirror: must be another shape");
  // The check speaks of "shape"; its message is told as one about "mirror".
  struct dc_error why = {0};
  if (dc_design_check_shape(o->mirror, model, &why))
    return dc_fail(error, DC_BAD_INPUT, "mirror: %s", strncmp(why.text, "shape: ", 7) ? why.text : why.text + 7);
  if (dc_shape_vertex_count(&model->definition.shapes[o->shape]) !=
      dc_shape_vertex_count(&model->definition.shapes[o->mirror]))
    return dc_fail(error, DC_BAD_INPUT, "mirror: must have as many vertices as the shape");
  return DC_OK;
}

// Whether a vertex lies in the box `hold`, whose absence is NAN.
static bool is_held(const struct dc_vertices_options *o, const double *x)
{
  bool inside = !isnan(o->hold[0]);
  for (int k = 0; k < 3 && inside; k++)
    inside = x[k] >= o->hold[k] && x[k] <= o->hold[3 + k];
  return inside;
}

// Finds for every vertex its mirror image among the vertices of the other shape: the first free one within the
// tolerance.
static enum dc_status find_images(struct dc_vertices_options *o, const struct dc_model *model,
                                  const double (*vertices)[3], int count, double tolerance, struct dc_arena *arena,
                                  struct dc_error *error)
{
  const struct dc_shape *mirror = &model->definition.shapes[o->mirror];
  double(*others)[3] = dc_arena_alloc(arena, (size_t)count, sizeof *others);
  int *images = dc_arena_alloc(arena, (size_t)count, sizeof *images);
  bool *taken = dc_arena_alloc(arena, (size_t)count, sizeof *taken);
  if (!others || !images || !taken)
    return dc_out_of_memory_for(error, "design parameters");
  dc_shape_vertices(mirror, others);
  for (int v = 0; v < count; v++) {
    double image[3];
    dc_vec_copy(image, vertices[v]);
    image[o->mirror_axis] *= -1;
    images[v] = -1;
    // A vertex is the image of one only: several in one place are taken one after the other.
    for (int u = 0; u < count && images[v] < 0; u++)
      if (!taken[u] && dc_vec_distance(others[u], image) <= tolerance)
        images[v] = u;
    if (images[v] < 0)
      return dc_fail(error, DC_BAD_INPUT, "mirror: \"%.255s\" has no vertex at [%g, %g, %g]", mirror->name, image[0],
                     image[1], image[2]);
    taken[images[v]] = true;
  }
  o->images = images;
  return DC_OK;
}

// Groups the vertices outside the box `hold` and, with a mirror, finds their images.
static enum dc_status prepare(void *options, const struct dc_model *model, struct dc_arena *arena,
                              struct dc_error *error)
{
  struct dc_vertices_options *o = options;
  const struct dc_shape *shape = &model->definition.shapes[o->shape];
  size_t count = (size_t)dc_shape_vertex_count(shape);
  double size = dc_mesh_size(&shape->mesh), (*vertices)[3] = dc_arena_alloc(arena, count, sizeof *vertices);
  bool *held = dc_arena_alloc(arena, count, sizeof *held);
  if (!vertices || !held)
    return dc_out_of_memory_for(error, "design parameters");
  dc_shape_vertices(shape, vertices);
  for (size_t v = 0; v < count; v++)
    held[v] = is_held(o, vertices[v]);
  enum dc_status status = dc_connect_vertices(shape, (const double(*)[3])vertices, (enum dc_connect)o->connect,
                                              SAME * size, held, arena, &o->group_count, &o->first, &o->members, error);
  if (status)
    return status;
  o->vertices = (const double(*)[3])vertices;
  o->size = size;
  if (o->group_count == 0)
    return dc_fail(error, DC_BAD_INPUT, "hold: must leave a vertex of \"%.255s\" that moves", shape->name);
  return o->mirror < 0 ? DC_OK
                       : find_images(o, model, (const double(*)[3])vertices, (int)count, SAME * size, arena, error);
}

// Three coordinates of every group of vertices that move as one.
static int count(const void *options, const struct dc_model *model)
{
  (void)model;
  return 3 * ((const struct dc_vertices_options *)options)->group_count;
}

// The vertex that gives a group its name and its place.
static int first_member(const struct dc_vertices_options *o, int i)
{
  return o->members[o->first[i / 3]];
}

// SHAPE.vertex.N.AXIS by the lowest vertex of the group.
static void name(const void *options, const struct dc_model *model, int i, char *text, size_t length)
{
  const struct dc_vertices_options *o = options;
  snprintf(text, length, "%s.vertex.%d.%c", model->definition.shapes[o->shape].name, first_member(o, i), "xyz"[i % 3]);
}

// The coordinate itself, so that reports tell places instead of shifts (by_points).
static double start(const void *options, const struct dc_model *model, int i)
{
  (void)model;
  const struct dc_vertices_options *o = options;
  return o->vertices[first_member(o, i)][i % 3];
}

static void limits(const void *options, const struct dc_model *model, int i, double *scale, double range[2])
{
  (void)model;
  const struct dc_vertices_options *o = options;
  // Without a scale a parameter of 1 is the whole way to a bound.
  double most = isnan(o->box[0]) ? 0.1 * o->size : o->box[i % 3];
  *scale = isnan(o->scale) ? most : o->scale;
  range[0] = -most, range[1] = most;
}

// Visits the vertices of a group on all bodies that have the shape, and their images on those with the mirror
// image; the coordinate along the mirror's axis moves the other way.
static void visit(const void *options, const struct dc_model *model, int i, dc_displacement_visit *take, void *context)
{
  const struct dc_vertices_options *o = options;
  for (int body = 0; body < model->bodies.count; body++) {
    bool own = dc_design_has_shape(model, body, o->shape),
         image = o->images && dc_design_has_shape(model, body, o->mirror);
    for (int m = o->first[i / 3]; m < o->first[i / 3 + 1]; m++) {
      if (own)
        take(context, body, o->members[m], i % 3, 1);
      if (image)
        take(context, body, o->images[o->members[m]], i % 3, i % 3 == o->mirror_axis ? -1 : 1);
    }
  }
}

// Counts the pieces in which the shape would be printed, with all vertices, also those that are held.  -1: out
// of memory.
static int pieces(const void *options, const struct dc_model *model, int least)
{
  const struct dc_vertices_options *o = options;
  const struct dc_shape *shape = &model->definition.shapes[o->shape];
  struct dc_arena *arena = dc_arena_create();
  const int *first, *members;
  int group_count, count = -1;
  bool *held = arena ? dc_arena_alloc(arena, (size_t)dc_shape_vertex_count(shape), sizeof *held) : NULL;
  if (held && !dc_connect_vertices(shape, o->vertices, (enum dc_connect)o->connect, SAME * o->size, held, arena,
                                   &group_count, &first, &members, NULL))
    count = dc_connect_pieces(shape, group_count, first, members, least);
  dc_arena_destroy(arena);
  return count;
}

// The shape and its mirror image, -1 without one: no other entry may move the vertices of the latter.
static void shapes_moved(const void *options, int shapes[2])
{
  const struct dc_vertices_options *o = options;
  shapes[0] = o->shape;
  shapes[1] = o->mirror;
}

static const struct dc_displacement displacement = {
    .count = count, .name = name, .by_points = true, .start = start, .limits = limits, .visit = visit};

DC_DISPLACEMENT_FUNCTIONS(displacement)

const struct dc_design_type dc_design_vertices = {.name = "vertices",
                                                  .summary = "vertices of the convex parts of a shape",
                                                  .reference =
                                                      "paper 003, VI; docs/theory.md, \"Shapes as parameters\"",
                                                  .options = options_table,
                                                  .options_size = sizeof(struct dc_vertices_options),
                                                  .check = check,
                                                  .prepare = prepare,
                                                  .shapes_moved = shapes_moved,
                                                  .pieces = pieces,
                                                  DC_DISPLACEMENT_MEMBERS};
