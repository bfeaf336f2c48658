// SPDX-License-Identifier: Apache-2.0
// Design parameter "cage": a lattice of control points around a shape, whose vertices follow by trilinear weights.
// With b the box around the shape, cut into (n_x - 1)(n_y - 1)(n_z - 1) cells, control point c moves vertices by
//     x -> x + sum_c w_c(x) scale p_c,   w_c = product over k of max(0, 1 - |(x_k - c_k) (n_k - 1) / b_k|).
#include <math.h>
#include <stdio.h>

#include "design/displacement.h"

enum { MOST_POINTS = 64 };  // along an axis

static const struct dc_option options_table[] = {
    DC_SHAPE_OPTION(struct dc_cage_options, shape, NULL, "name of the shape, which is made of convex parts"),
    DC_REALS_OPTION(struct dc_cage_options, points, "", NULL, 3, 2, MOST_POINTS,
                    "whole numbers of control points along x, y and z of its frame"),
    DC_SHIFT_OPTIONS(struct dc_cage_options),
    DC_OPTIONS_END,
};

// Numbers of points are read as reals, three in a row, and must be whole.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_cage_options *cage = options;
  enum dc_status status = dc_design_check_shape(cage->shape, model, error);
  for (int k = 0; k < 3 && !status; k++)
    if (cage->points[k] != floor(cage->points[k]))
      status = dc_fail(error, DC_BAD_INPUT, "points: must be whole numbers (one is %g)", cage->points[k]);
  return status;
}

// Finds the box around the shape, in the shape's frame.
static enum dc_status prepare(void *options, const struct dc_model *model, struct dc_arena *arena,
                              struct dc_error *error)
{
  (void)arena, (void)error;
  struct dc_cage_options *cage = options;
  const struct dc_mesh *mesh = &model->definition.shapes[cage->shape].mesh;
  for (int k = 0; k < 3; k++) {
    cage->low[k] = INFINITY, cage->high[k] = -INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
      cage->low[k] = fmin(cage->low[k], mesh->vertices[v][k]);
      cage->high[k] = fmax(cage->high[k], mesh->vertices[v][k]);
    }
  }
  return DC_OK;
}

// Counts are read with other real numbers and have been checked to be whole.
static int points_along(const struct dc_cage_options *cage, int k)
{
  return (int)cage->points[k];
}

// Three coordinates for each control point, x fastest.
static int count(const void *options, const struct dc_model *model)
{
  (void)model;
  const struct dc_cage_options *cage = options;
  return 3 * points_along(cage, 0) * points_along(cage, 1) * points_along(cage, 2);
}

// Splits the number of a control point into its numbers along the axes.
static void place_of(const struct dc_cage_options *cage, int i, int at[3])
{
  i /= 3;
  for (int k = 0; k < 3; k++) {
    at[k] = i % points_along(cage, k);
    i /= points_along(cage, k);
  }
}

// SHAPE.cage.I.J.K.AXIS, with the point's numbers along x, y and z.
static void name(const void *options, const struct dc_model *model, int i, char *text, size_t length)
{
  const struct dc_cage_options *cage = options;
  int at[3];
  place_of(cage, i, at);
  snprintf(text, length, "%s.cage.%d.%d.%d.%c", model->definition.shapes[cage->shape].name, at[0], at[1], at[2],
           "xyz"[i % 3]);
}

// Control points begin at equal distances from one face of the box to the other.
static double start(const void *options, const struct dc_model *model, int i)
{
  (void)model;
  const struct dc_cage_options *cage = options;
  int at[3], k = i % 3;
  place_of(cage, i, at);
  return cage->low[k] + (cage->high[k] - cage->low[k]) * at[k] / (points_along(cage, k) - 1);
}

// The entry's box bounds how far a control point moves along each axis; without a scale a parameter of 1 is all of it.
static void limits(const void *options, const struct dc_model *model, int i, double *scale, double range[2])
{
  (void)model, (void)i;
  const struct dc_cage_options *cage = options;
  *scale = isnan(cage->scale) ? cage->box : cage->scale;
  range[0] = -cage->box, range[1] = cage->box;
}

// w_c(x) of the head for the control point `at`.
static double weight_of(const struct dc_cage_options *cage, const int at[3], const double x[3])
{
  double weight = 1;
  for (int k = 0; k < 3; k++) {
    double cells = points_along(cage, k) - 1, place = (x[k] - cage->low[k]) / (cage->high[k] - cage->low[k]) * cells;
    weight *= fmax(0, 1 - fabs(place - at[k]));
  }
  return weight;
}

// Visits all vertices with a weight, on every body that has the shape.
static void visit(const void *options, const struct dc_model *model, int i, dc_displacement_visit *take, void *context)
{
  const struct dc_cage_options *cage = options;
  const struct dc_shape *shape = &model->definition.shapes[cage->shape];
  int at[3];
  place_of(cage, i, at);
  // Vertices are numbered through all convex parts, in the order in which struct dc_shape_design holds them.
  for (int p = 0, vertex = 0; p < shape->part_count; p++)
    for (int v = 0; v < shape->parts[p].vertex_count; v++, vertex++) {
      double weight = weight_of(cage, at, shape->parts[p].vertices[v]);
      for (int body = 0; body < model->bodies.count && weight > 0; body++)
        if (dc_design_has_shape(model, body, cage->shape))
          take(context, body, vertex, i % 3, weight);
    }
}

static const struct dc_displacement displacement = {
    .count = count, .name = name, .by_points = true, .start = start, .limits = limits, .visit = visit};

DC_DISPLACEMENT_FUNCTIONS(displacement)

const struct dc_design_type dc_design_cage = {.name = "cage",
                                              .summary = "control points of a lattice about a shape",
                                              .reference = "Sederberg and Parry 1986, with trilinear weights",
                                              .options = options_table,
                                              .options_size = sizeof(struct dc_cage_options),
                                              .check = check,
                                              .prepare = prepare,
                                              DC_DISPLACEMENT_MEMBERS};
