// SPDX-License-Identifier: Apache-2.0
// The numbers of a model that the input of a rollout holds beside controls, in one list for the design parameter
// "number" and for the check of gradients.
#ifndef DC_DESIGN_NUMBER_KINDS_H
#define DC_DESIGN_NUMBER_KINDS_H

#include <stddef.h>

#include "dynamics/rollout.h"

enum dc_number_index {
  DC_NUMBER_OF_BODY,        // index: of a body
  DC_NUMBER_OF_AXIS,        // 0, 1, 2
  DC_NUMBER_OF_MODEL,       // 0
  DC_NUMBER_OF_ELEMENT,     // of an element of all soft bodies
  DC_NUMBER_OF_COORDINATE,  // a degree of freedom: entry of a tangent vector, of a joint or of a node
};

struct dc_number_kind {
  const char *name;     // as the option "of" names it
  const char *summary;  // one line
  enum dc_number_index index;
  // Whether the input holds a factor on the scene's value; otherwise it holds the value itself, or a shift of the
  // scene's.
  bool factor;
  // Bounds of the value; NULL: none.
  void (*limits)(const struct dc_model *model, int index, double limits[2]);
  // Whether the model has that number and a loss can depend on it; NULL: yes.
  bool (*present)(const struct dc_model *model, int index);
  // Whether it is checked by differences where it is no parameter (a loss must be smooth in it alone); NULL: yes.
  bool (*checked)(const struct dc_model *model, int index);
  // Value in the scene, and its unit; unit_of where the unit depends on the index.
  double (*value)(const struct dc_model *model, int index);
  const char *unit;
  const char *(*unit_of)(const struct dc_model *model, int index);
  // Offset of the number in struct dc_design; array: the member points to an array of them.
  size_t offset;
  bool array;
  // Access for numbers that are no member of struct dc_design; else NULL.
  double *(*input)(const struct dc_model *model, struct dc_rollout_input *input, int index);
  double *(*cotangent)(const struct dc_model *model, struct dc_rollout_cotangent *cotangent, int index);
};
extern const struct dc_number_kind dc_number_position, dc_number_velocity, dc_number_limit_stiffness,
    dc_number_lower_limit, dc_number_upper_limit, dc_number_young, dc_number_poisson, dc_number_bending,
    dc_number_pressure, dc_number_wind, dc_number_young_element;
extern const struct dc_number_kind *const dc_number_kinds[];  // NULL-terminated
extern const char *const dc_number_names[];                   // theirs, NULL-terminated

bool dc_number_is_present(const struct dc_number_kind *kind, const struct dc_model *model, int index);
// Number of indices that a kind has in a model.
int dc_number_count(const struct dc_number_kind *kind, const struct dc_model *model);
// Unit of the value, and its place in input and cotangent.
const char *dc_number_unit(const struct dc_number_kind *kind, const struct dc_model *model, int index);
double *dc_number_in_input(const struct dc_number_kind *kind, const struct dc_model *model,
                           struct dc_rollout_input *input, int index);
double *dc_number_in_cotangent(const struct dc_number_kind *kind, const struct dc_model *model,
                               struct dc_rollout_cotangent *cotangent, int index);
// The body that a number belongs to, or -1.
int dc_number_body(const struct dc_number_kind *kind, const struct dc_model *model, int index);
// Writes the number's name: "box.mass", "arm.position.0" (index of the coordinate in the joint), "gravity.z",
// "contact.stiffness".
void dc_number_name(const struct dc_number_kind *kind, const struct dc_model *model, int index, char *text,
                    size_t size);

// The joint part that a degree of freedom belongs to, and its body; NULL for a node.
const struct dc_joint_part *dc_number_part(const struct dc_model *model, int freedom, int *body);
// The body that moves with a degree of freedom; may be soft.
int dc_number_coordinate_body(const struct dc_model *model, int freedom);
// "m" or "rad", by the kind of motion of a degree of freedom.
const char *dc_number_length_unit(const struct dc_model *model, int freedom);

#endif
