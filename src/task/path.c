// SPDX-License-Identifier: Apache-2.0
// Control "path": prescribed target displacements of the actuator of one body, without parameters.  Between two of its
// times, t_i <= t < t_{i+1} with s = (t - t_i)/(t_{i+1} - t_i), the displacement is
//
//     y = y_i + (y_{i+1} - y_i) (3 s^2 - 2 s^3),   y' = (y_{i+1} - y_i) 6 s (1 - s)/(t_{i+1} - t_i),
//
// so that it rests at every given time; before the first and after the last time it is constant.  The targets of step k
// are those at t = (k + 1) h.
#include <math.h>

#include "task/actuator_coordinates.h"

enum { MOST_TIMES = 10000 };
static const double LATEST = 1e9;  // s

static const struct dc_option options_table[] = {
    DC_COORDINATE_OPTIONS(struct dc_path_options, actuator),
    DC_REAL_LIST_OPTION(struct dc_path_options, times, "s", NULL, MOST_TIMES, 0, 1e9,
                        "times, rising, at which displacements are given"),
    DC_REAL_LIST_OPTION(struct dc_path_options, positions, "m, rad, Pa or 1", NULL,
                        (MOST_TIMES * DC_ACTUATOR_COORDINATES_MOST), -1e9, 1e9,
                        "target displacements: those of all coordinates at the first time, at the next one, ..."),
    DC_OPTIONS_END,
};

// Times have to rise, and positions are a table of [times][coordinates]: both are given as flat lists, so that lengths
// are checked here.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_path_options *path = options;
  const struct dc_real_list *times = &path->times;
  struct dc_actuator_coordinates coordinates;
  enum dc_status status = dc_actuator_coordinates_parse(&coordinates, &path->actuator, model, error);
  if (status)
    return status;
  if (times->count < 1)
    return dc_fail(error, DC_BAD_INPUT, "times: must hold at least one time");
  for (int i = 0; i < times->count; i++)
    if (!(times->values[i] >= 0 && times->values[i] <= LATEST) || (i && !(times->values[i] > times->values[i - 1])))
      return dc_fail(error, DC_BAD_INPUT, "times[%d]: must be >= 0 and later than the one before it (is %.10g)", i,
                     times->values[i]);
  if (path->positions.count != times->count * coordinates.count)
    return dc_fail(error, DC_BAD_INPUT,
                   "positions: must hold %d numbers, one for each of %d coordinates at each of %d times (holds %d)",
                   times->count * coordinates.count, coordinates.count, times->count, path->positions.count);
  return DC_OK;
}

static int parameter_count(const void *options, const struct dc_model *model, int steps)
{
  (void)options, (void)model, (void)steps;
  return 0;
}

static void parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text, size_t size)
{
  (void)options, (void)model, (void)steps, (void)i;
  if (size)
    *text = '\0';
}

static void initial(const void *options, const struct dc_model *model, int steps, double *parameters)
{
  (void)options, (void)model, (void)steps, (void)parameters;
}

// Position and rate of coordinate c at a time: cubic between two given times, at rest at both; constant
// outside.
static void motion(const struct dc_path_options *path, int count, int c, double time, double *y, double *rate)
{
  const double *times = path->times.values, *positions = path->positions.values;
  int next = 0;
  while (next < path->times.count && times[next] <= time)
    next++;
  *rate = 0;
  if (next == 0 || next == path->times.count) {
    *y = positions[(next ? next - 1 : 0) * count + c];
    return;
  }
  double length = times[next] - times[next - 1], s = (time - times[next - 1]) / length;
  double from = positions[(next - 1) * count + c], way = positions[next * count + c] - from;
  *y = from + way * s * s * (3 - 2 * s);
  *rate = way * 6 * s * (1 - s) / length;
}

static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  (void)state, (void)parameters;
  const struct dc_path_options *path = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&path->actuator, model);
  double lead = dc_actuator_lead(model);
  for (int step = 0; step < window->steps; step++)
    for (int c = 0; c < coordinates.count; c++) {
      double y, rate;
      motion(path, coordinates.count, c, dc_actuator_target_steps(model, window, step) * window->time_step, &y, &rate);
      double scale = coordinates.items[c].scale;  // positions are targets themselves
      dc_actuator_add_target(&coordinates.items[c], model, step, lead, y / scale, rate / scale, input);
    }
}

// There are no parameters: neither gradient nor direction changes.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  (void)options, (void)model, (void)window, (void)state, (void)parameters, (void)cotangent, (void)gradient;
}

static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  (void)options, (void)model, (void)window, (void)state, (void)parameters, (void)direction, (void)moved;
}

// The displacement depends on time only, so that there is no state.
static void advance(const void *options, const struct dc_model *model, const struct dc_window *window, int applied,
                    double *state, double *parameters)
{
  (void)options, (void)model, (void)window, (void)applied, (void)state, (void)parameters;
}

const struct dc_control_type dc_control_path = {
    .name = "path",
    .summary = "prescribed target displacements of the actuator of one body, without parameters",
    .reference = "paper 003, Fig. 16 and 19: grippers whose motion is given",
    .options = options_table,
    .options_size = sizeof(struct dc_path_options),
    .check = check,
    .parameter_count = parameter_count,
    .parameter_name = parameter_name,
    .parameter_unit = dc_pure_unit,
    .initial = initial,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
    .advance = advance,
};
