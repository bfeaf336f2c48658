// SPDX-License-Identifier: Apache-2.0
// Design parameters: numbers of the model that an optimizer may change.  In the parameter vector they follow the
// controls'.
#ifndef DC_DESIGN_DESIGN_H
#define DC_DESIGN_DESIGN_H

#include <stddef.h>

#include "dynamics/rollout.h"

// A number as shown to the user: the physical value, whatever parameter is behind it.
struct dc_design_value {
  char name[320];  // such as "box.mass"
  const char *unit;
  double initial;  // the scene's
  double value;
};

struct dc_design_type {
  const char *name, *summary, *reference;
  const struct dc_option *options;
  size_t options_size;
  bool shapes;  // changes the shape design of the input (dynamics/shape_design.h): the model must be told
  // Checks options against the model; the message names the option.
  enum dc_status (*check)(const void *options, const struct dc_model *model, struct dc_error *error);
  // Prepares what the other functions need, after the check, in memory of arena: DC_OK, DC_BAD_INPUT, DC_MEMORY.  NULL:
  // nothing to prepare.
  enum dc_status (*prepare)(void *options, const struct dc_model *model, struct dc_arena *arena,
                            struct dc_error *error);
  int (*parameter_count)(const void *options, const struct dc_model *model);
  void (*parameter_name)(const void *options, const struct dc_model *model, int i, char *text, size_t size);
  // Unit and scale as for controls (task/task.h); "1" for the logarithm of a factor.  Zero parameters are the scene.
  const char *(*parameter_unit)(const void *options, const struct dc_model *model, int i, double *scale);
  // Bounds of the parameters [parameter_count], -INFINITY and INFINITY where there are none.
  void (*bounds)(const void *options, const struct dc_model *model, double *low, double *high);
  // Groups of parameters, as for controls (task/task.h); NULL: every parameter by itself.
  int (*groups)(const void *options, const struct dc_model *model, int *group);
  // Sets moves [bodies] for bodies whose vertices it changes; NULL: it changes none.
  void (*moves)(const void *options, const struct dc_model *model, bool *moves);
  // Shapes whose vertices it moves: one, and its mirror image or -1, as indices; NULL: not about one shape.
  void (*shapes_moved)(const void *options, int shapes[2]);
  // For types that can separate the parts of a shape: the number of pieces if only parts with `least` vertices in
  // common hold together; -1: out of memory.  NULL: it cannot.
  int (*pieces)(const void *options, const struct dc_model *model, int least);
  // Changes input, which holds the scene's numbers and the start set by the controls.
  void (*apply)(const void *options, const struct dc_model *model, const double *parameters,
                struct dc_rollout_input *input);
  // gradient [parameter_count]: derivative of the loss by the parameters.  cotangent is the derivative by the input
  // after apply, and becomes that by the input before it.
  void (*pull_back)(const void *options, const struct dc_model *model, const double *parameters,
                    struct dc_rollout_cotangent *cotangent, double *gradient);
  // The transposed product.  moved is a direction of the input before apply; it becomes that after apply, when the
  // parameters move along direction [parameter_count], too.
  void (*push_forward)(const void *options, const struct dc_model *model, const double *parameters,
                       const double *direction, struct dc_rollout_cotangent *moved);
  // Number i = 0, 1, ... of those that the parameters change; false behind the last one.
  bool (*value)(const void *options, const struct dc_model *model, const double *parameters, int i,
                struct dc_design_value *value);
};
extern const struct dc_design_type dc_design_number, dc_design_size, dc_design_link, dc_design_anchor,
    dc_design_vertices, dc_design_cage;
extern const struct dc_design_type *const dc_design_types[];  // NULL-terminated

// An entry of a scene's "design".
struct dc_design_entry {
  const struct dc_design_type *type;
  void *options;
};

// DC_BAD_INPUT when the last entry changes a number that an earlier one changes, or one number twice; each entry alone
// has passed its check.  DC_MEMORY.
enum dc_status dc_design_check_last(int count, const struct dc_design_entry *entries, const struct dc_model *model,
                                    struct dc_error *error);

// DC_BAD_INPUT when the contact model has level sets (DC_CONTACT_LEVELS) and those of shapes that are made from a
// signed distance cannot follow what the entry does to their vertices.  DC_MEMORY.
enum dc_status dc_design_check_levels(const struct dc_design_entry *entry, const struct dc_model *model,
                                      struct dc_error *error);

// Replaces numbers of definition by those of input, an input of model with its design applied.  These are masses,
// friction, restitution, gains, stiffnesses, gravity, wind, moduli and pressures of soft bodies, starts and ranges of
// slides and hinges.  A scene has no factors of elements and no starts of nodes.  definition is the
// model's, or that of dc_model_redesign; new data is owned by arena.  Displacements of actuator targets then count from
// the new start.  DC_MEMORY.
enum dc_status dc_design_build_in(const struct dc_model *model, const struct dc_rollout_input *input,
                                  struct dc_arena *arena, struct dc_model_definition *definition,
                                  struct dc_error *error);

// Whether it holds all of them.
bool dc_design_fits_scene(const struct dc_model *model, const struct dc_rollout_input *input);

// Options of the design parameter "number".
struct dc_number_options {
  int of;                       // index into dc_number_kinds
  struct dc_index_list bodies;  // empty: all bodies that have such a number
  const char *axes;             // of gravity; NULL: all
  double range[2];              // bounds of the factor on the scene's value, or of the value; NAN: none
  double scale;                 // change of the value, or logarithm of the factor, for a parameter of 1
  bool together;                // one factor for all bodies
};

// Rows of option tables: range and scale for factors on a size; box and scale for shifts of a position.
#define DC_FACTOR_OPTIONS(structure)                                                                                   \
  {.name = "range",                                                                                                    \
   .type = DC_REALS,                                                                                                   \
   .unit = "",                                                                                                         \
   .fallback = "[0.5, 2]",                                                                                             \
   .minimum = 0,                                                                                                       \
   .minimum_excluded = true,                                                                                           \
   .maximum = 1e3,                                                                                                     \
   .count = 2,                                                                                                         \
   .help = "least and largest factor; 1, the scene's shape, must lie between",                                         \
   .offset = offsetof(structure, range)},                                                                              \
  {                                                                                                                    \
    .name = "scale", .type = DC_REAL, .unit = "", .fallback = "1", .minimum = 0, .minimum_excluded = true,             \
    .maximum = 1e6, .help = "natural logarithm of the factor that a parameter of 1 means",                             \
    .offset = offsetof(structure, scale)                                                                               \
  }
#define DC_SHIFT_SCALE_OPTION(structure)                                                                               \
  {                                                                                                                    \
    .name = "scale", .type = DC_REAL, .unit = "m", .fallback = "null", .minimum = 0, .minimum_excluded = true,         \
    .maximum = 1e6,                                                                                                    \
    .help = "shift that a parameter of 1 means, for optimizers with one step size for all; box when absent",           \
    .offset = offsetof(structure, scale)                                                                               \
  }
#define DC_SHIFT_OPTIONS(structure)                                                                                    \
  {.name = "box",                                                                                                      \
   .type = DC_REAL,                                                                                                    \
   .unit = "m",                                                                                                        \
   .minimum = 0,                                                                                                       \
   .minimum_excluded = true,                                                                                           \
   .maximum = 1e6,                                                                                                     \
   .help = "largest shift along each axis, either way",                                                                \
   .offset = offsetof(structure, box)},                                                                                \
      DC_SHIFT_SCALE_OPTION(structure)

// Options of "size", "link" and "anchor".
struct dc_size_options {
  int shape;
  const char *axes;  // NULL: all
  bool together;
  double range[2], scale;
};
struct dc_link_options {
  int body;
  const char *axis;
  double range[2], scale;
};
struct dc_anchor_options {
  int body;
  const char *axes;  // NULL: all
  double box, scale;
};

// Options of "vertices"; the members after `scale` are set by prepare.
struct dc_vertices_options {
  int shape;
  double box[3], hold[6];  // NAN: none
  int connect, mirror, mirror_axis;
  double scale;
  int group_count;             // number of groups of vertices that move as one
  const int *first, *members;  // [group_count + 1], and the vertices of all groups
  const int *images;           // [vertices] of the mirror image; NULL without
  const double (*vertices)[3];
  double size;  // size of the shape, m
};

// Options of "cage"; low and high, the box around the shape, are set by prepare.
struct dc_cage_options {
  int shape;
  double points[3], box, scale, low[3], high[3];
};

#endif
