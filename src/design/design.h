// SPDX-License-Identifier: Apache-2.0
// Design parameters: numbers of the model that an optimizer may change.  They follow the controls' in the parameter
// vector.
#ifndef DC_DESIGN_DESIGN_H
#define DC_DESIGN_DESIGN_H

#include "dynamics/rollout.h"

// A number as a reader sees it: physical, whatever the parameter behind it is.
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
  // Checks options against the model; the message names the option.
  enum dc_status (*check)(const void *options, const struct dc_model *model, struct dc_error *error);
  int (*parameter_count)(const void *options, const struct dc_model *model);
  void (*parameter_name)(const void *options, const struct dc_model *model, int i, char *text, size_t size);
  void (*initial)(const void *options, const struct dc_model *model, double *parameters);
  // Bounds of the parameters [parameter_count], -INFINITY and INFINITY where there are none.
  void (*bounds)(const void *options, const struct dc_model *model, double *low, double *high);
  // As of controls (task/task.h); NULL: every parameter for itself.
  int (*groups)(const void *options, const struct dc_model *model, int *group);
  // Changes input, which holds the scene's numbers and what the controls made of the start.
  void (*apply)(const void *options, const struct dc_model *model, const double *parameters,
                struct dc_rollout_input *input);
  // gradient [parameter_count]: derivative of the loss by the parameters.  cotangent is that by the input after apply
  // and becomes that by the input before it.
  void (*pull_back)(const void *options, const struct dc_model *model, const double *parameters,
                    struct dc_rollout_cotangent *cotangent, double *gradient);
  // The transposed product: moved is a direction of the input before apply and becomes that of the input after it when the
  // parameters move along direction [parameter_count] too.
  void (*push_forward)(const void *options, const struct dc_model *model, const double *parameters,
                       const double *direction, struct dc_rollout_cotangent *moved);
  // Number i = 0, 1, ... of those that the parameters change; false when there is no such number.
  bool (*value)(const void *options, const struct dc_model *model, const double *parameters, int i,
                struct dc_design_value *value);
};
extern const struct dc_design_type dc_design_number;
extern const struct dc_design_type *const dc_design_types[];  // NULL-terminated

// An entry of a scene's "design".
struct dc_design_entry {
  const struct dc_design_type *type;
  void *options;
};

// DC_BAD_INPUT when the last of the entries changes a number that one before it changes, or one twice; each alone has
// passed its check.  DC_MEMORY.
enum dc_status dc_design_check_last(int count, const struct dc_design_entry *entries, const struct dc_model *model,
                                    struct dc_error *error);

// Options of the design parameter "number".
struct dc_number_options {
  int of;                       // index into dc_number_kinds
  struct dc_index_list bodies;  // empty: all that have such a number
  const char *axes;             // of gravity; NULL: all
  double range[2];              // bounds of the factor on the scene's value, or of the value; NAN: none
  double scale;                 // what a parameter of 1 means
  bool together;                // one factor for all
};

#endif
