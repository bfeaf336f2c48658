// SPDX-License-Identifier: Apache-2.0
// Numbers of the limits of joints: the ends of the ranges of slides and hinges and the stiffness of the barriers there.
#include <math.h>

#include "design/number_kinds.h"

// Stiffness of the barriers at the ends of joints' ranges.

// Whether a joint of the body has ends at all, and barriers there.
static bool limit_present(const struct dc_model *model, int index)
{
  const struct dc_body *body = &model->bodies.bodies[index];
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if ((part->kind == DC_PART_SLIDE || part->kind == DC_PART_HINGE) && !isinf(part->range[0]))
      return body->limit_stiffness > 0;
  }
  return false;
}

static double limit_value(const struct dc_model *model, int index)
{
  return model->bodies.bodies[index].limit_stiffness;
}

const struct dc_number_kind dc_number_limit_stiffness = {.name = "limit_stiffness",
                                                         .summary = "stiffness of the limits of a joint",
                                                         .index = DC_NUMBER_OF_BODY,
                                                         .factor = true,
                                                         .present = limit_present,
                                                         .value = limit_value,
                                                         .unit = "J",
                                                         .offset = offsetof(struct dc_design, limit_scale),
                                                         .array = true};

// Ends of ranges.  The start of a joint does not move with them, so that an end must keep the distance from it that
// starts keep from ends (DC_START_MARGIN), or that of the scene where it is less.  A coordinate whose start is changed
// as well may get beyond an end: such a rollout is refused.

static bool end_present(const struct dc_model *model, int index)
{
  int body;
  const struct dc_joint_part *part = dc_number_part(model, index, &body);
  return part && !isinf(part->range[0]);
}

// The range of the slide or hinge that has this degree of freedom, as the scene gives it.
static const double *range_of(const struct dc_model *model, int index)
{
  int body;
  return dc_number_part(model, index, &body)->range;
}

static double lower_value(const struct dc_model *model, int index)
{
  return range_of(model, index)[0];
}

static double upper_value(const struct dc_model *model, int index)
{
  return range_of(model, index)[1];
}

static double start_of(const struct dc_model *model, int index)
{
  int body;
  return model->bodies.initial_q[dc_number_part(model, index, &body)->q];
}

// The least distance of a start from an end of its range, as a part of that.
static double start_margin(const struct dc_model *model, int index)
{
  const double *range = range_of(model, index);
  return DC_START_MARGIN * (range[1] - range[0]);
}

// A lower end may go down without bounds, and up to the start less its margin.
static void lower_limits(const struct dc_model *model, int index, double limits[2])
{
  limits[0] = -INFINITY;
  limits[1] = fmax(lower_value(model, index), start_of(model, index) - start_margin(model, index));
}

// An upper end may go up without bounds, and down to the start and its margin.
static void upper_limits(const struct dc_model *model, int index, double limits[2])
{
  limits[0] = fmin(upper_value(model, index), start_of(model, index) + start_margin(model, index));
  limits[1] = INFINITY;
}

const struct dc_number_kind dc_number_lower_limit = {.name = "lower_limit",
                                                     .summary = "lower end of the range of a slide or hinge",
                                                     .index = DC_NUMBER_OF_COORDINATE,
                                                     .present = end_present,
                                                     .limits = lower_limits,
                                                     .value = lower_value,
                                                     .unit_of = dc_number_length_unit,
                                                     .offset = offsetof(struct dc_design, lower_shift),
                                                     .array = true};

const struct dc_number_kind dc_number_upper_limit = {.name = "upper_limit",
                                                     .summary = "upper end of it",
                                                     .index = DC_NUMBER_OF_COORDINATE,
                                                     .present = end_present,
                                                     .limits = upper_limits,
                                                     .value = upper_value,
                                                     .unit_of = dc_number_length_unit,
                                                     .offset = offsetof(struct dc_design, upper_shift),
                                                     .array = true};
