// SPDX-License-Identifier: Apache-2.0
// Design parameter "number": numbers of bodies, of contact and of gravity, each with a parameter p of its own (or one
// for several bodies), 0 at the scene's value v.
//     Mass, friction, gains and stiffness are positive and matter by their ratios:
//         value = v exp(scale p),      d value / dp = scale value,
//     so that no step makes them negative and twice as much is as far away as half.
//     Gravity, restitution, the start and the ends of the ranges of joints are shifted:  value = v + scale p.
// The input of a rollout holds factors f of the former, 1 in the scene: f = exp(scale p), df/dp = scale f.
#include "design/design.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "design/number_kinds.h"

static const struct dc_option options_table[] = {
    DC_CHOICE_OPTION(
        struct dc_number_options, of, NULL, dc_number_names,
        "which number: mass (inertia in proportion), friction, restitution, kp, kd (gains) of bodies; "
        "lower_limit, upper_limit (ends of the range) and limit_stiffness of joints; stiffness of contact; "
        "gravity, wind; young, poisson, bending, pressure of soft bodies, young_element of each of their elements; "
        "position, velocity at the start of slides and hinges (free bodies: control initial_state)"),
    DC_BODY_LIST_OPTION(struct dc_number_options, bodies, "null", 100000,
                        "names of the bodies whose number it is; all that have one when absent"),
    DC_STRING_OPTION(struct dc_number_options, axes, "null",
                     "axes of gravity or wind, a subset of \"xyz\" such as \"z\"; all when absent"),
    DC_REALS_OPTION(
        struct dc_number_options, range, "", "null", 2, -1e12, 1e12,
        "bounds: of mass, friction, gains and stiffness the least and largest factor on the scene's value, such as "
        "[0.5, 2], of the others the least and largest value; the scene's value must lie between; none when absent"),
    DC_POSITIVE_OPTION(
        struct dc_number_options, scale, "", "1", 1e6,
        "what a parameter of 1 means, for optimizers with one step size for all: of mass, friction, gains and "
        "stiffness the natural logarithm of the factor, of the others the change of the value"),
    DC_BOOLEAN_OPTION(struct dc_number_options, together, "false",
                      "one factor (of restitution and poisson one shift) for all bodies instead of one for each"),
    DC_OPTIONS_END,
};

// The option "of" is an index into the list of kinds.
static const struct dc_number_kind *kind_of(const struct dc_number_options *options)
{
  return dc_number_kinds[options->of];
}

// Whether the number `index` of the kind belongs to the entry: its axis and body are named, or none is, and the
// model has such a number.
static bool is_chosen(const struct dc_number_options *options, const struct dc_model *model, int index)
{
  const struct dc_number_kind *kind = kind_of(options);
  if (kind->index == DC_NUMBER_OF_AXIS && options->axes && !strchr(options->axes, "xyz"[index]))
    return false;
  if (!dc_number_is_present(kind, model, index))
    return false;
  int body = dc_number_body(kind, model, index);
  return body < 0 || options->bodies.count == 0 || dc_index_list_holds(&options->bodies, body);
}

// Returns the next chosen index after `index`, or -1; iteration starts with -1.
static int next_index(const struct dc_number_options *options, const struct dc_model *model, int index)
{
  // Candidates are asked one by one instead of being listed: entries are read-only and hold no memory of their own.
  int count = dc_number_count(kind_of(options), model);
  for (index++; index < count; index++)
    if (is_chosen(options, model, index))
      return index;
  return -1;
}

#define FOR_EACH_NUMBER(index, options, model)                                                                         \
  for (int index = next_index(options, model, -1); index >= 0; index = next_index(options, model, index))

// Checks.

// Checks that every body named has a number of this kind, and that there is one at all.
static enum dc_status check_bodies(const struct dc_number_options *options, const struct dc_model *model,
                                   struct dc_error *error)
{
  const struct dc_number_kind *kind = kind_of(options);
  bool of_bodies = kind->index != DC_NUMBER_OF_AXIS && kind->index != DC_NUMBER_OF_MODEL;
  if (!of_bodies && options->bodies.count)
    return dc_fail(error, DC_BAD_INPUT, "bodies: must be absent (%s is no body's)", kind->name);
  if (options->together && kind->index != DC_NUMBER_OF_BODY)
    return dc_fail(error, DC_BAD_INPUT, "together: must be false for %s", kind->name);
  for (int i = 0; i < options->bodies.count; i++) {
    int body = options->bodies.indices[i];
    if (body < 0 || body >= model->bodies.count)
      return dc_fail(error, DC_BAD_INPUT, "bodies: must name bodies");
    bool found = false;
    FOR_EACH_NUMBER(index, options, model)
    found |= dc_number_body(kind, model, index) == body;
    if (!found)
      return dc_fail(error, DC_BAD_INPUT, "bodies: \"%.255s\" has no %s that can be changed",
                     model->bodies.bodies[body].name, kind->name);
  }
  if (next_index(options, model, -1) < 0)
    return dc_fail(error, DC_BAD_INPUT, "of: nothing in the scene has a %s that can be changed", kind->name);
  return DC_OK;
}

// Only gravity and wind have axes; the letters are a subset of xyz.
static enum dc_status check_axes(const struct dc_number_options *options, struct dc_error *error)
{
  const char *axes = options->axes;
  if (!axes)
    return DC_OK;
  if (kind_of(options)->index != DC_NUMBER_OF_AXIS)
    return dc_fail(error, DC_BAD_INPUT, "axes: must be absent (only gravity and wind have axes)");
  // Each letter is one of x, y and z and does not stand again behind itself.
  bool valid = axes[0] != '\0';
  for (int i = 0; axes[i] && valid; i++)
    valid = strchr("xyz", axes[i]) && !strchr(axes + i + 1, axes[i]);
  return valid ? DC_OK
               : dc_fail(error, DC_BAD_INPUT, "axes: must be a non-empty subset of \"xyz\" (is \"%.40s\")", axes);
}

// Checks the range: of factors, positive and around 1; of values, around the scene's value and within the limits of the
// kind.
static enum dc_status check_range(const struct dc_number_options *options, const struct dc_model *model,
                                  struct dc_error *error)
{
  const struct dc_number_kind *kind = kind_of(options);
  const double *range = options->range;
  if (isnan(range[0]))
    return DC_OK;
  if (!(range[0] < range[1]))
    return dc_fail(error, DC_BAD_INPUT, "range: must be [low, high] with low < high (is [%g, %g])", range[0], range[1]);
  if (kind->factor && !(range[0] > 0))
    return dc_fail(error, DC_BAD_INPUT, "range: must hold factors > 0 (is [%g, %g])", range[0], range[1]);
  if (kind->factor && !(range[0] <= 1 && range[1] >= 1))
    return dc_fail(error, DC_BAD_INPUT, "range: must contain 1, the factor of the scene's value (is [%g, %g])",
                   range[0], range[1]);
  if (!kind->factor)
    FOR_EACH_NUMBER(index, options, model)
    {
      double value = kind->value(model, index), limits[2] = {-INFINITY, INFINITY};
      char name[320];
      dc_number_name(kind, model, index, name, sizeof name);
      if (kind->limits)
        kind->limits(model, index, limits);
      if (!(range[0] >= limits[0] && range[1] <= limits[1]))
        return dc_fail(error, DC_BAD_INPUT, "range: must be within [%g, %g] for %s (is [%g, %g])", limits[0], limits[1],
                       name, range[0], range[1]);
      if (!(range[0] <= value && value <= range[1]))
        return dc_fail(error, DC_BAD_INPUT, "range: must contain the scene's value of %s, %g %s (is [%g, %g])", name,
                       value, dc_number_unit(kind, model, index), range[0], range[1]);
    }
  return DC_OK;
}

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  enum dc_status status = check_axes(options, error);
  if (!status)
    status = check_bodies(options, model, error);
  return status ? status : check_range(options, model, error);
}

// Parameters.

// One for each number chosen, or one for all of them.
static int parameter_count(const void *options, const struct dc_model *model)
{
  const struct dc_number_options *number = options;
  int count = 0;
  FOR_EACH_NUMBER(index, number, model)
  count++;
  return number->together && count ? 1 : count;
}

// Joins the names of the bodies of a common parameter by "+".
static void common_name(const struct dc_number_options *options, const struct dc_model *model, char *text, size_t size)
{
  const struct dc_number_kind *kind = kind_of(options);
  size_t length = 0;
  FOR_EACH_NUMBER(index, options, model)
  if (length < size)
    length += (size_t)snprintf(text + length, size - length, "%s%s", length ? "+" : "",
                               model->bodies.bodies[dc_number_body(kind, model, index)].name);
  if (length < size)
    snprintf(text + length, size - length, ".%s", kind->name);
}

static void parameter_name(const void *options, const struct dc_model *model, int i, char *text, size_t size)
{
  const struct dc_number_options *number = options;
  if (number->together) {
    common_name(number, model, text, size);
    return;
  }
  FOR_EACH_NUMBER(index, number, model)
  if (i-- == 0)
    dc_number_name(kind_of(number), model, index, text, size);
}

static const char *parameter_unit(const void *options, const struct dc_model *model, int i, double *scale)
{
  const struct dc_number_options *number = options;
  *scale = number->scale;
  FOR_EACH_NUMBER(index, number, model)
  if (i-- == 0)
    return kind_of(number)->factor ? "1" : dc_number_unit(kind_of(number), model, index);
  return "1";
}

// Bounds of the parameters: a factor is exp(scale p), any other number value + scale p.  A common parameter of several
// numbers has the intersection of their bounds.
static void bounds(const void *options, const struct dc_model *model, double *low, double *high)
{
  const struct dc_number_options *number = options;
  const struct dc_number_kind *kind = kind_of(number);
  const double *range = number->range;
  int i = 0;
  for (int k = 0; k < parameter_count(options, model); k++)
    low[k] = -INFINITY, high[k] = INFINITY;
  FOR_EACH_NUMBER(index, number, model)
  {
    // Values: (limit - v) / scale, by the entry's range or, without one, by what the kind allows at all.  A common
    // parameter gets the largest lower and the smallest upper bound of its numbers.
    double limits[2] = {range[0], range[1]}, value = kind->value(model, index);
    if (!isnan(range[0]) && kind->factor) {
      low[i] = log(range[0]) / number->scale, high[i] = log(range[1]) / number->scale;
    } else if (!isnan(range[0]) || kind->limits) {
      if (isnan(range[0]))
        kind->limits(model, index, limits);
      low[i] = fmax(low[i], (limits[0] - value) / number->scale);
      high[i] = fmin(high[i], (limits[1] - value) / number->scale);
    }
    i += !number->together;
  }
}

// The components of gravity are one group; so are the coordinates of one body's joint.
static int groups(const void *options, const struct dc_model *model, int *group)
{
  const struct dc_number_options *number = options;
  const struct dc_number_kind *kind = kind_of(number);
  int count = 0, last = -1;
  if (number->together) {
    *group = 0;
    return 1;
  }
  // Numbers come body by body, so that a new group begins wherever the body changes.
  FOR_EACH_NUMBER(index, number, model)
  {
    int body = dc_number_body(kind, model, index);
    if (count == 0 || body != last)
      count++;
    last = body;
    *group++ = count - 1;
  }
  return count;
}

// Writes the numbers into the input of the rollout, by the formulas of bounds.
static void apply(const void *options, const struct dc_model *model, const double *parameters,
                  struct dc_rollout_input *input)
{
  const struct dc_number_options *number = options;
  const struct dc_number_kind *kind = kind_of(number);
  FOR_EACH_NUMBER(index, number, model)
  {
    // Multiplied and added instead of set: a control may have moved the start before, and a plant has numbers of its
    // own that the design changes relative to them.
    double *at = dc_number_in_input(kind, model, input, index);
    if (kind->factor)
      *at *= exp(number->scale * *parameters);
    else
      *at += number->scale * *parameters;
    parameters += !number->together;
  }
}

// Adjoint of apply: for a factor f = exp(scale p), dL/dp = scale f dL/df, for any other number scale dL/dx.  A common
// parameter has the sum.  The cotangent of a factor becomes f dL/df, the one of the factor 1 before apply.
static void pull_back(const void *options, const struct dc_model *model, const double *parameters,
                      struct dc_rollout_cotangent *cotangent, double *gradient)
{
  const struct dc_number_options *number = options;
  const struct dc_number_kind *kind = kind_of(number);
  if (number->together)
    *gradient = 0;
  FOR_EACH_NUMBER(index, number, model)
  {
    double *at = dc_number_in_cotangent(kind, model, cotangent, index);
    if (kind->factor)
      *at *= exp(number->scale * *parameters);
    *gradient = (number->together ? *gradient : 0) + number->scale * *at;
    parameters += !number->together;
    gradient += !number->together;
  }
}

// The input before apply holds the scene's factors, which are 1: d(f) = exp(scale p) (d(1) + scale dp).
static void push_forward(const void *options, const struct dc_model *model, const double *parameters,
                         const double *direction, struct dc_rollout_cotangent *moved)
{
  const struct dc_number_options *number = options;
  const struct dc_number_kind *kind = kind_of(number);
  FOR_EACH_NUMBER(index, number, model)
  {
    double *at = dc_number_in_cotangent(kind, model, moved, index);
    *at += number->scale * *direction;
    if (kind->factor)
      *at *= exp(number->scale * *parameters);
    parameters += !number->together;
    direction += !number->together;
  }
}

// Number i of the design with the scene's value and the present one.
static bool value(const void *options, const struct dc_model *model, const double *parameters, int i,
                  struct dc_design_value *value)
{
  const struct dc_number_options *number = options;
  const struct dc_number_kind *kind = kind_of(number);
  int k = 0;
  FOR_EACH_NUMBER(index, number, model)
  {
    if (k == i) {
      double parameter = parameters[number->together ? 0 : k];
      dc_number_name(kind, model, index, value->name, sizeof value->name);
      value->unit = dc_number_unit(kind, model, index);
      value->initial = kind->value(model, index);
      value->value =
          kind->factor ? value->initial * exp(number->scale * parameter) : value->initial + number->scale * parameter;
      return true;
    }
    k++;
  }
  return false;
}

const struct dc_design_type dc_design_number = {
    .name = "number",
    .summary = "masses, friction, gains, stiffness, gravity, limits and start of joints",
    .reference = "system identification by the adjoint of paper 000, section 3.2",
    .options = options_table,
    .options_size = sizeof(struct dc_number_options),
    .check = check,
    .parameter_count = parameter_count,
    .parameter_name = parameter_name,
    .parameter_unit = parameter_unit,
    .bounds = bounds,
    .groups = groups,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
    .value = value,
};
