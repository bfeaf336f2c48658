// SPDX-License-Identifier: Apache-2.0
// Control "spline": target displacements of the actuator of one body are a uniform cubic B-spline over the whole run.
// With K control points P_0 ... P_{K-1} per coordinate, and three before them that are zero, the run of length T has K
// segments.  In segment j, at the fraction x in [0, 1),
//
//     y = sum_i b_i(x) P_{j-3+i},   y' = K / T sum_i b_i'(x) P_{j-3+i},
//     b = ((1-x)^3, 3x^3 - 6x^2 + 4, -3x^3 + 3x^2 + 3x + 1, x^3) / 6           (de Boor 2001, chapter IX)
//
// so that displacement, velocity and acceleration start at zero.  The targets of a step are c(y) and c'(y) y' at its
// time (dc_actuator_target_steps), with c the bounds (task/clamp.h).  Control points span the whole run, so that there
// is no receding horizon.
#include <math.h>
#include <stdio.h>

#include "task/actuator_coordinates.h"

enum { ORDER = 4 };

static const struct dc_option options_table[] = {
    DC_ACTUATOR_OPTIONS(struct dc_spline_options, actuator, "m, rad, Pa or 1", DC_INITIAL_HELP("the control points")),
    DC_INTEGER_OPTION(struct dc_spline_options, knots, "8", 1, 1e5, "number of control points of every coordinate"),
    DC_OPTIONS_END,
};

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_spline_options *spline = options;
  struct dc_actuator_coordinates coordinates;
  return dc_actuator_coordinates_parse(&coordinates, &spline->actuator, model, error);
}

static int parameter_count(const void *options, const struct dc_model *model, int steps)
{
  (void)steps;
  const struct dc_spline_options *spline = options;
  return dc_actuator_coordinates(&spline->actuator, model).count * (int)spline->knots;
}

// BODY.knotK.COORDINATE.
static void parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text, size_t size)
{
  (void)steps;
  const struct dc_spline_options *spline = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&spline->actuator, model);
  const struct dc_actuator_coordinate *coordinate = &coordinates.items[i % coordinates.count];
  char number[16];
  snprintf(text, size, "%s.knot%d.%s", model->bodies.bodies[coordinate->body].name, i / coordinates.count,
           dc_actuator_coordinate_name(coordinate, model, number));
}

static void initial(const void *options, const struct dc_model *model, int steps, double *parameters)
{
  const struct dc_spline_options *spline = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&spline->actuator, model);
  for (int i = 0; i < parameter_count(options, model, steps); i++)
    parameters[i] = dc_actuator_initial(&spline->actuator, &coordinates, i);
}

// The coordinates of one control point are a group.
static int groups(const void *options, const struct dc_model *model, int steps, int *group)
{
  const struct dc_spline_options *spline = options;
  int count = parameter_count(options, model, steps), coordinates = count / (int)spline->knots;
  for (int i = 0; i < count; i++)
    group[i] = i / coordinates;
  return (int)spline->knots;
}

// Weights of the control points first ... first + 3 in y and y'.
struct basis {
  long first;  // negative: some of the points are the leading zeros
  double weights[ORDER], rates[ORDER];
};

// The basis at the time of a step's target.  At the end of the run x is 1 in the last segment, so that no
// segment is opened beyond it.
static struct basis basis_at(const struct dc_spline_options *spline, const struct dc_model *model,
                             const struct dc_window *window, int step)
{
  const struct dc_time_settings *time = &model->definition.time;
  double place = dc_actuator_target_steps(model, window, step) / (double)time->steps * (double)spline->knots;
  double segment = fmin(floor(place), (double)spline->knots - 1), x = place - segment, y = 1 - x;
  double per_second = (double)spline->knots / ((double)time->steps * window->time_step);
  return (struct basis){(long)segment - (ORDER - 1),
                        {y * y * y / 6, (4 + x * x * (3 * x - 6)) / 6, (4 + y * y * (3 * y - 6)) / 6, x * x * x / 6},
                        {-y * y / 2 * per_second, (1.5 * x - 2) * x * per_second, (2 - 1.5 * y) * y * per_second,
                         x * x / 2 * per_second}};
}

// y and y' of coordinate c: sums over at most four control points.
static void motion(const struct basis *basis, const double *parameters, int coordinates, int c, double *y, double *rate)
{
  *y = *rate = 0;
  for (int i = 0; i < ORDER; i++)
    if (basis->first + i >= 0) {
      double point = parameters[(basis->first + i) * coordinates + c];
      *y += basis->weights[i] * point;
      *rate += basis->rates[i] * point;
    }
}

// Targets are B-splines: at every step only ORDER knots act, by weights that do not depend on the parameters. basis_at
// finds them.
static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  (void)state;
  const struct dc_spline_options *spline = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&spline->actuator, model);
  double lead = dc_actuator_lead(model);
  for (int step = 0; step < window->steps; step++) {
    struct basis basis = basis_at(spline, model, window, step);
    for (int c = 0; c < coordinates.count; c++) {
      double y, rate;
      motion(&basis, parameters, coordinates.count, c, &y, &rate);
      dc_actuator_add_target(&coordinates.items[c], model, step, lead, y, rate, input);
    }
  }
}

// The transposed of apply: every knot collects the cotangents of target and rate, by the same weights.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  (void)state;
  const struct dc_spline_options *spline = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&spline->actuator, model);
  double lead = dc_actuator_lead(model);
  for (int i = 0; i < coordinates.count * spline->knots; i++)
    gradient[i] = 0;
  for (int step = 0; step < window->steps; step++) {
    struct basis basis = basis_at(spline, model, window, step);
    for (int c = 0; c < coordinates.count; c++) {
      double y, rate, by_y, by_rate;
      motion(&basis, parameters, coordinates.count, c, &y, &rate);
      dc_actuator_pull_back(&coordinates.items[c], model, step, lead, y, rate, cotangent, &by_y, &by_rate);
      for (int i = 0; i < ORDER; i++)
        if (basis.first + i >= 0)
          gradient[(basis.first + i) * coordinates.count + c] += basis.weights[i] * by_y + basis.rates[i] * by_rate;
    }
  }
}

// A spline is linear in its knots, so that a direction moves targets by the spline of the direction.
static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  (void)state;
  const struct dc_spline_options *spline = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&spline->actuator, model);
  double lead = dc_actuator_lead(model);
  for (int step = 0; step < window->steps; step++) {
    struct basis basis = basis_at(spline, model, window, step);
    for (int c = 0; c < coordinates.count; c++) {
      double y, rate, along_y, along_rate;
      motion(&basis, parameters, coordinates.count, c, &y, &rate);
      motion(&basis, direction, coordinates.count, c, &along_y, &along_rate);
      dc_actuator_push_forward(&coordinates.items[c], model, step, lead, y, rate, along_y, along_rate, moved);
    }
  }
}

const struct dc_control_type dc_control_spline = {
    .name = "spline",
    .summary = "a cubic B-spline as target displacements of the actuator of one body",
    .reference = "de Boor 2001, A Practical Guide to Splines, chapter IX",
    .options = options_table,
    .options_size = sizeof(struct dc_spline_options),
    .check = check,
    .parameter_count = parameter_count,
    .parameter_name = parameter_name,
    .parameter_unit = dc_actuator_parameter_unit,
    .initial = initial,
    .groups = groups,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
};
