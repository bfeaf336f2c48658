// SPDX-License-Identifier: Apache-2.0
// Hulls: the union of convex hulls of given vertices.  All vertices stay, those inside a hull too: where shapes are
// parameters, contact sees them when they come out.
#include <math.h>
#include <stddef.h>

#include "geometry/shapes/shape_options.h"

enum { MOST_PARTS = 1000, MOST_VERTICES = 100000, LEAST_VERTICES = 4 };

static const struct dc_option part_option_table[] = {
    DC_REAL_LIST_OPTION(struct dc_hulls_part, vertices, "m", NULL, 3 * MOST_VERTICES, -DC_SHAPE_LENGTH_MAX,
                        DC_SHAPE_LENGTH_MAX,
                        "x, y, z of a vertex, of the next one, ...: four at least, not in one plane"),
    DC_OPTIONS_END,
};

static const struct dc_option hulls_option_table[] = {
    DC_OBJECT_LIST_OPTION(struct dc_hulls_options, parts, NULL, MOST_PARTS, part_option_table, struct dc_hulls_part,
                          "the vertices of every hull"),
    DC_BOOLEAN_OPTION(struct dc_hulls_options, link, "false",
                      "every two parts that overlap get a common vertex in the middle of their overlap"),
    DC_SURFACE_OPTION(struct dc_hulls_options),
    DC_OPTIONS_END,
};

// Three numbers a vertex, and enough of them; whether they span a volume is seen when the hull is made.
static enum dc_status check_part(const struct dc_real_list *vertices, int index, struct dc_error *error)
{
  if (vertices->count % 3 != 0 || vertices->count < 3 * LEAST_VERTICES)
    return dc_fail(error, DC_BAD_INPUT,
                   "parts[%d].vertices: must hold three numbers for each of at least %d (holds %d)", index,
                   LEAST_VERTICES, vertices->count);
  for (int k = 0; k < vertices->count; k++)
    if (!(fabs(vertices->values[k]) <= DC_SHAPE_LENGTH_MAX))
      return dc_fail(error, DC_BAD_INPUT, "parts[%d].vertices[%d]: must be at most %g m", index, k,
                     DC_SHAPE_LENGTH_MAX);
  return DC_OK;
}

// The convex hull of each list of vertices, joined to a shape.
static enum dc_status unite(struct dc_shape *shape, int count, const struct dc_shape *shapes, struct dc_arena *arena,
                            struct dc_error *error)
{
  (void)count, (void)shapes;
  const struct dc_hulls_options *options = shape->options;
  const struct dc_hulls_part *given = options->parts.objects;
  int part_count = options->parts.count;
  if (part_count < 1)
    return dc_fail(error, DC_BAD_INPUT, "parts: must hold at least one part");
  struct dc_mesh *parts = dc_arena_alloc(arena, (size_t)part_count, sizeof *parts);
  if (!parts)
    return dc_out_of_memory_for(error, "%d hulls", part_count);
  for (int i = 0; i < part_count; i++) {
    enum dc_status status = check_part(&given[i].vertices, i, error);
    if (status)
      return status;
    parts[i] = (struct dc_mesh){.vertex_count = given[i].vertices.count / 3,
                                .vertices = (double(*)[3])given[i].vertices.values};
  }
  enum dc_status status = options->link ? dc_shape_add_common_vertices(part_count, parts, arena, error) : DC_OK;
  return status ? status : dc_shape_set_hulls(shape, part_count, parts, arena, error);
}

const struct dc_shape_type dc_shape_hulls = {
    .name = "hulls",
    .summary = "union of the convex hulls of given vertices",
    .options = hulls_option_table,
    .options_size = sizeof(struct dc_hulls_options),
    .unite = unite,
};
