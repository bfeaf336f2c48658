// SPDX-License-Identifier: Apache-2.0
// Heights: ground over a rectangle, by its height at the points of a grid.  The top is two triangles a cell, whose
// diagonals alternate; sides go down to a flat bottom, a fan about its middle, so that the surface is closed.
#include <math.h>
#include <stddef.h>

#include "geometry/shapes/shape_options.h"
#include "geometry/shapes/shape_surface.h"

enum { MOST_HEIGHTS = 1000000 };

struct heights_options {
  double extent[2], base;
  long rows;
  struct dc_real_list heights;
  int surface;
};

static const struct dc_option heights_option_table[] = {
    {.name = "extent",
     .type = DC_REALS,
     .unit = "m",
     .maximum = DC_SHAPE_LENGTH_MAX,
     .minimum_excluded = true,
     .count = 2,
     .help = "lengths of the rectangle along x and y, centred on the origin",
     .offset = offsetof(struct heights_options, extent)},
    DC_INTEGER_OPTION(struct heights_options, rows, NULL, 2, MOST_HEIGHTS, "rows of points along y"),
    DC_REAL_LIST_OPTION(struct heights_options, heights, "m", NULL, MOST_HEIGHTS, -DC_SHAPE_LENGTH_MAX,
                        DC_SHAPE_LENGTH_MAX,
                        "z of all points: those of the row of the least y first, each row from the least x on"),
    DC_POSITIVE_OPTION(struct heights_options, base, "m", "0.1", DC_SHAPE_LENGTH_MAX,
                       "how far the bottom is below z = 0; heights must be above it"),
    DC_SURFACE_OPTION(struct heights_options),
    DC_OPTIONS_END};

struct grid {
  int columns, rows;
};

// Point k of the border, counter-clockwise seen from above, as a point of the grid.
static int border_point(const struct grid *grid, int k)
{
  int c = grid->columns - 1, r = grid->rows - 1;
  if (k < c)
    return k;
  if ((k -= c) < r)
    return k * grid->columns + c;
  if ((k -= r) < c)
    return r * grid->columns + c - k;
  return (r - (k - c)) * grid->columns;
}

// The number of columns is what the rows leave; all points must be above the bottom, or the solid would turn
// inside out.
static enum dc_status check(const struct heights_options *options, struct grid *grid, struct dc_error *error)
{
  grid->rows = (int)options->rows;
  grid->columns = options->heights.count / grid->rows;
  if (options->heights.count % grid->rows != 0 || grid->columns < 2)
    return dc_fail(error, DC_BAD_INPUT, "heights: must hold two numbers at least, the same count, for each of %d rows",
                   grid->rows);
  for (int i = 0; i < options->heights.count; i++)
    if (!(options->heights.values[i] > -options->base))
      return dc_fail(error, DC_BAD_INPUT, "heights[%d]: must be above the bottom at %.10g m (is %.10g)", i,
                     -options->base, options->heights.values[i]);
  return DC_OK;
}

// Vertices: the grid, a copy of its border at the bottom, and the middle of the bottom.  Triangles: the top,
// then for each edge of the border a side and a triangle of the fan.
static enum dc_status build(const void *given, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error)
{
  const struct heights_options *options = given;
  struct grid grid;
  enum dc_status status = check(options, &grid, error);
  if (status)
    return status;
  int points = grid.rows * grid.columns, border = 2 * (grid.rows + grid.columns - 2);
  size_t cells = (size_t)(grid.rows - 1) * (size_t)(grid.columns - 1);
  if ((status =
           dc_surface_create(mesh, arena, (size_t)points + (size_t)border + 1, 2 * cells + 3 * (size_t)border, error)))
    return status;
  for (int j = 0; j < grid.rows; j++)
    for (int i = 0; i < grid.columns; i++)
      dc_surface_add_vertex(mesh, options->extent[0] * ((2 * i - grid.columns + 1) / (2.0 * (grid.columns - 1))),
                            options->extent[1] * ((2 * j - grid.rows + 1) / (2.0 * (grid.rows - 1))),
                            options->heights.values[j * grid.columns + i]);
  for (int k = 0; k < border; k++) {
    const double *above = mesh->vertices[border_point(&grid, k)];
    dc_surface_add_vertex(mesh, above[0], above[1], -options->base);
  }
  int middle = dc_surface_add_vertex(mesh, 0, 0, -options->base);
  for (int j = 0; j + 1 < grid.rows; j++)
    for (int i = 0; i + 1 < grid.columns; i++) {
      int a = j * grid.columns + i, b = a + grid.columns;
      dc_surface_add_quad(mesh, a, a + 1, b + 1, b, (i + j) & 1);
    }
  for (int k = 0; k < border; k++) {
    int next = (k + 1) % border;
    dc_surface_add_quad(mesh, points + k, points + next, border_point(&grid, next), border_point(&grid, k), k & 1);
    dc_surface_add_triangle(mesh, points + next, points + k, middle);
  }
  return DC_OK;
}

const struct dc_shape_type dc_shape_heights = {
    .name = "heights",
    .summary = "ground over a rectangle, by its heights at the points of a grid",
    .options = heights_option_table,
    .options_size = sizeof(struct heights_options),
    .build = build,
};
