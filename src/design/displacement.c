// SPDX-License-Identifier: Apache-2.0
// Common functions of design parameters that displace vertices and anchors: apply, pull back, push forward, bounds,
// values.
//
// A type visits the numbers that parameter i moves, with weights w_in (member `visit`):
//     x_n(p) = x_n(0) + sum over i of w_in a(p_i),
// where x_n is a coordinate of a vertex or of a joint's anchor in the frame of its body, and
//     a(p) = scale p            of shifts, m
//     a(p) = exp(scale p) - 1   of factors, so that p = 0 leaves the shape as it is and factors stay positive.
// Apply and push forward add along a visit, the pull back sums along it:
//     dL/dp_i = a'(p_i) sum over n of w_in dL/dx_n,   a' = scale, or scale exp(scale p).
// All are linear in the amounts, so that parameters of several entries may move the same vertex.
#include "design/displacement.h"

#include <math.h>
#include <string.h>

// The factor from parameter to amount, which every type keeps among its limits.
static double scale_of(const struct dc_displacement *d, const void *options, const struct dc_model *model, int i)
{
  double scale, range[2];
  d->limits(options, model, i, &scale, range);
  return scale;
}

// a(p), by expm1 exactly 0 at p = 0.
static double amount(const struct dc_displacement *d, double scale, double p)
{
  return d->factor ? expm1(scale * p) : scale * p;
}

// da/dp
static double slope(const struct dc_displacement *d, double scale, double p)
{
  return d->factor ? scale * exp(scale * p) : scale;
}

// Factors have no unit; shifts are in metres.
const char *dc_displacement_unit(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                                 int i, double *scale)
{
  double range[2];
  d->limits(options, model, i, scale, range);
  return d->factor ? "1" : "m";
}

// Bounds of the parameters, from ranges of amounts: range / scale of shifts, log(range) / scale of factors.
void dc_displacement_bounds(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                            double *low, double *high)
{
  int count = d->count(options, model);
  for (int i = 0; i < count; i++) {
    double scale, range[2];
    d->limits(options, model, i, &scale, range);
    low[i] = -INFINITY, high[i] = INFINITY;
    if (isnan(range[0]))
      continue;
    low[i] = (d->factor ? log(range[0]) : range[0]) / scale;
    high[i] = (d->factor ? log(range[1]) : range[1]) / scale;
  }
}

// The argument of a visit: where it adds or gathers.
struct visit {
  struct dc_shape_design *shape;  // numbers that are moved, or whose derivatives are gathered
  double amount;                  // a(p_i), or a'(p_i) times a direction: what `add` distributes
  double sum;                     // what `gather` collects
};

// A coordinate of a vertex in the frame of its body or, where vertex < 0, of the body's anchor.
static double *number_at(const struct dc_shape_design *shape, int body, int vertex, int axis)
{
  return vertex < 0 ? &shape->offsets[body][axis] : &shape->vertices[shape->first[body] + vertex][axis];
}

// Visit of apply and push forward: number += weight times amount.
static void add(void *context, int body, int vertex, int axis, double weight)
{
  const struct visit *visit = context;
  *number_at(visit->shape, body, vertex, axis) += visit->amount * weight;
}

// Visit of the pull back: sum += weight times the derivative by the number.
static void gather(void *context, int body, int vertex, int axis, double weight)
{
  struct visit *visit = context;
  visit->sum += *number_at(visit->shape, body, vertex, axis) * weight;
}

// Amounts of 0 are not visited, which keeps the bits of a shape that is not changed.
void dc_displacement_apply(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           const double *parameters, struct dc_rollout_input *input)
{
  int count = d->count(options, model);
  for (int i = 0; i < count; i++) {
    struct visit visit = {input->shape, amount(d, scale_of(d, options, model, i), parameters[i]), 0};
    if (visit.amount != 0)
      d->visit(options, model, i, add, &visit);
  }
}

// The input before apply has fixed shapes, so that the cotangent by it stays as it is.
void dc_displacement_pull_back(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                               const double *parameters, struct dc_rollout_cotangent *cotangent, double *gradient)
{
  int count = d->count(options, model);
  for (int i = 0; i < count; i++) {
    struct visit visit = {.shape = cotangent->shape};
    d->visit(options, model, i, gather, &visit);
    gradient[i] = slope(d, scale_of(d, options, model, i), parameters[i]) * visit.sum;
  }
}

// The tangent of apply along a direction of the parameters: numbers move at the rate a'(p) times it.
void dc_displacement_push_forward(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                                  const double *parameters, const double *direction, struct dc_rollout_cotangent *moved)
{
  int count = d->count(options, model);
  for (int i = 0; i < count; i++) {
    struct visit visit = {moved->shape, slope(d, scale_of(d, options, model, i), parameters[i]) * direction[i], 0};
    if (visit.amount != 0)
      d->visit(options, model, i, add, &visit);
  }
}

// Marks bodies whose surface moves; an anchor alone changes no shape.
static void note(void *context, int body, int vertex, int axis, double weight)
{
  bool *moves = context;
  (void)axis, (void)weight;
  if (vertex >= 0)
    moves[body] = true;
}

// One group for each control point or vertex where parameters are coordinates of points, else one for each
// parameter.
int dc_displacement_groups(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           int *group)
{
  int count = d->count(options, model), size = d->by_points ? 3 : 1;
  for (int i = 0; i < count; i++)
    group[i] = i / size;
  return count / size;
}

// A visit of every parameter marks the bodies; flags that are set already stay.
void dc_displacement_moves(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           bool *moves)
{
  int count = d->count(options, model);
  for (int i = 0; i < count; i++)
    d->visit(options, model, i, note, moves);
}

// The number as people read it: where it starts plus the amount; false beyond the last parameter.
bool dc_displacement_value(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           const double *parameters, int i, struct dc_design_value *value)
{
  if (i < 0 || i >= d->count(options, model))
    return false;
  double moved = amount(d, scale_of(d, options, model, i), parameters[i]);
  d->name(options, model, i, value->name, sizeof value->name);
  value->unit = d->factor ? "1" : "m";
  value->initial = d->start ? d->start(options, model, i) : d->factor;
  value->value = value->initial + moved;
  return true;
}

// Axes come in the order x, y, z, whatever their order in the text.
int dc_design_axes(const char *axes, int list[3])
{
  int count = 0;
  for (int k = 0; k < 3; k++)
    if (!axes || strchr(axes, "xyz"[k]))
      list[count++] = k;
  return count;
}

// Each letter is an axis and none stands twice.
enum dc_status dc_design_check_axes(const char *axes, struct dc_error *error)
{
  bool valid = !axes || axes[0] != '\0';
  for (int i = 0; axes && axes[i] && valid; i++)
    valid = strchr("xyz", axes[i]) && !strchr(axes + i + 1, axes[i]);
  return valid ? DC_OK
               : dc_fail(error, DC_BAD_INPUT, "axes: must be a non-empty subset of \"xyz\" (is \"%.40s\")", axes);
}

// A range must hold 1, the factor of the scene, so that the start is a point within the bounds.
enum dc_status dc_design_check_factors(const double range[2], struct dc_error *error)
{
  if (isnan(range[0]) || (range[0] > 0 && range[0] < range[1] && range[0] <= 1 && range[1] >= 1))
    return DC_OK;
  return dc_fail(error, DC_BAD_INPUT, "range: must be [low, high] with 0 < low < high and 1 between (is [%g, %g])",
                 range[0], range[1]);
}

bool dc_design_has_shape(const struct dc_model *model, int body, int shape)
{
  return model->definition.bodies[body].shape == shape;
}

// A design moves vertices of convex parts: a shape without them, or without a body, has nothing to move.
enum dc_status dc_design_check_shape(int shape, const struct dc_model *model, struct dc_error *error)
{
  if (shape < 0 || shape >= model->definition.shape_count)
    return dc_fail(error, DC_BAD_INPUT, "shape: must name a shape");
  const struct dc_shape *of = &model->definition.shapes[shape];
  if (of->type->half_space)
    return dc_fail(error, DC_BAD_INPUT, "shape: must not be the half-space \"%.255s\"", of->name);
  if (of->part_count == 0)
    return dc_fail(error, DC_BAD_INPUT, "shape: design needs convex parts, \"%.255s\" has none (\"convex\": true)",
                   of->name);
  for (int i = 0; i < model->bodies.count; i++)
    if (dc_design_has_shape(model, i, shape))
      return DC_OK;
  return dc_fail(error, DC_BAD_INPUT, "shape: no body has \"%.255s\"", of->name);
}
