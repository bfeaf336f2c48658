// SPDX-License-Identifier: Apache-2.0
// Design parameters of shapes and places: every parameter moves vertices of bodies, and the places where bodies are
// attached, along a fixed direction.  Displacements of one vertex by several entries add up, in any order.
//
// With p a parameter and d its direction, numbers move by a(p) d:
//     factors    a = exp(scale p) - 1,   d = the position in the scene's shape, which grows by exp(scale p);
//     shifts     a = scale p,            d of length 1.
// A type consists of a struct dc_displacement and a descriptor made of it by DC_DISPLACEMENT_TYPE.
#ifndef DC_DESIGN_DISPLACEMENT_H
#define DC_DESIGN_DISPLACEMENT_H

#include "design/design.h"

// Called for a number that a parameter moves by `weight` times a: a coordinate of a vertex of a body, or, for vertex
// -1, of the body's offset.
typedef void dc_displacement_visit(void *context, int body, int vertex, int axis, double weight);

struct dc_displacement {
  bool factor;
  bool by_points;  // three consecutive coordinates belong to a point and form a group
  int (*count)(const void *options, const struct dc_model *model);
  void (*name)(const void *options, const struct dc_model *model, int i, char *text, size_t size);
  // Value of the number at p = 0: a coordinate, m.  NULL: 1 for factors, 0 for shifts.
  double (*start)(const void *options, const struct dc_model *model, int i);
  // The scale of p, and the bounds of factor or shift.
  void (*limits)(const void *options, const struct dc_model *model, int i, double *scale, double range[2]);
  void (*visit)(const void *options, const struct dc_model *model, int i, dc_displacement_visit *visit, void *context);
};

const char *dc_displacement_unit(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                                 int i, double *scale);
void dc_displacement_bounds(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                            double *low, double *high);
void dc_displacement_apply(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           const double *parameters, struct dc_rollout_input *input);
void dc_displacement_pull_back(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                               const double *parameters, struct dc_rollout_cotangent *cotangent, double *gradient);
void dc_displacement_push_forward(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                                  const double *parameters, const double *direction,
                                  struct dc_rollout_cotangent *moved);
int dc_displacement_groups(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           int *group);
void dc_displacement_moves(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           bool *moves);
bool dc_displacement_value(const struct dc_displacement *d, const void *options, const struct dc_model *model,
                           const double *parameters, int i, struct dc_design_value *value);

// Defines the functions of a descriptor for the displacement d, at file scope; count and name are functions of these
// names.
#define DC_DISPLACEMENT_FUNCTIONS(d)                                                                                   \
  static const char *parameter_unit(const void *options, const struct dc_model *model, int i, double *scale)           \
  {                                                                                                                    \
    return dc_displacement_unit(&(d), options, model, i, scale);                                                       \
  }                                                                                                                    \
  static void bounds(const void *options, const struct dc_model *model, double *low, double *high)                     \
  {                                                                                                                    \
    dc_displacement_bounds(&(d), options, model, low, high);                                                           \
  }                                                                                                                    \
  static int groups(const void *options, const struct dc_model *model, int *group)                                     \
  {                                                                                                                    \
    return dc_displacement_groups(&(d), options, model, group);                                                        \
  }                                                                                                                    \
  static void moves(const void *options, const struct dc_model *model, bool *bodies)                                   \
  {                                                                                                                    \
    dc_displacement_moves(&(d), options, model, bodies);                                                               \
  }                                                                                                                    \
  static void apply(const void *options, const struct dc_model *model, const double *parameters,                       \
                    struct dc_rollout_input *input)                                                                    \
  {                                                                                                                    \
    dc_displacement_apply(&(d), options, model, parameters, input);                                                    \
  }                                                                                                                    \
  static void pull_back(const void *options, const struct dc_model *model, const double *parameters,                   \
                        struct dc_rollout_cotangent *cotangent, double *gradient)                                      \
  {                                                                                                                    \
    dc_displacement_pull_back(&(d), options, model, parameters, cotangent, gradient);                                  \
  }                                                                                                                    \
  static void push_forward(const void *options, const struct dc_model *model, const double *parameters,                \
                           const double *direction, struct dc_rollout_cotangent *moved)                                \
  {                                                                                                                    \
    dc_displacement_push_forward(&(d), options, model, parameters, direction, moved);                                  \
  }                                                                                                                    \
  static bool value(const void *options, const struct dc_model *model, const double *parameters, int i,                \
                    struct dc_design_value *value)                                                                     \
  {                                                                                                                    \
    return dc_displacement_value(&(d), options, model, parameters, i, value);                                          \
  }

// The members of a descriptor that these functions fill.
#define DC_DISPLACEMENT_MEMBERS                                                                                        \
  .shapes = true, .parameter_count = count, .parameter_name = name, .parameter_unit = parameter_unit,                  \
  .bounds = bounds, .groups = groups, .moves = moves, .apply = apply, .pull_back = pull_back,                          \
  .push_forward = push_forward, .value = value

// Lists the axes that a string names, all when it is NULL; returns their number.
int dc_design_axes(const char *axes, int list[3]);
enum dc_status dc_design_check_axes(const char *axes, struct dc_error *error);
// Checks the bounds of a factor: low < high, positive, 1 between; NAN: none.
enum dc_status dc_design_check_factors(const double range[2], struct dc_error *error);
// Checks that a shape is made of convex parts and belongs to a body that moves or is touched.
enum dc_status dc_design_check_shape(int shape, const struct dc_model *model, struct dc_error *error);
// Whether a body has the shape.
bool dc_design_has_shape(const struct dc_model *model, int body, int shape);

#endif
