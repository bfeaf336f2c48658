// SPDX-License-Identifier: Apache-2.0
// Control "pd_velocity": parameters a accelerate a target of bounded speed s, whose position is the integral of its
// velocity,
//
//     v_{k+1} = s tanh(v_k / s + gain h tanh(a_k)),   p_{k+1} = p_k + h v_{k+1},
//
// per coordinate.  The targets of step k are c(p_{k+1}) and c'(p_{k+1}) v_{k+1}, with c the bounds (task/clamp.h).  The
// state between windows is p and v.  With the derivatives P_k and V_k of the loss by p_{k+1} and v_{k+1} in the targets
// of step k, the gradient is computed backwards from the last step,
//
//     p' += P_k,   v' += V_k + h p',   e' = v' s sech^2(e_k),   a_k' += e' gain h sech^2(a_k),   v' = e' / s,
//
// where e_k is the argument of the outer tanh.
#include <math.h>

#include "task/held_parameters.h"

static const struct dc_option options_table[] = {
    DC_ACTUATOR_OPTIONS(struct dc_pd_velocity_options, held.actuator, "", DC_INITIAL_HELP("the parameters")),
    DC_HOLD_OPTION(struct dc_pd_velocity_options, held.hold),
    DC_POSITIVE_OPTION(struct dc_pd_velocity_options, speed, "m/s", "2", 1e6, "largest target velocity of lengths"),
    DC_POSITIVE_OPTION(struct dc_pd_velocity_options, speed_rotation, "rad/s", "2", 1e6,
                       "largest target velocity of angles"),
    DC_POSITIVE_OPTION(struct dc_pd_velocity_options, gain, "1/s", "40", 1e6,
                       "largest rate at which the target velocity changes, in units of the speed"),
    DC_POSITIVE_OPTION(
        struct dc_pd_velocity_options, limit, "", "null", 1e6,
        "in a receding horizon: parameters beyond [-limit, limit] are cut between windows; default: no limit"),
    DC_OPTIONS_END,
};

// Refuses pressures, whose targets have no speed limit in m/s, and bounds that leave out zero, where the
// integral begins.
static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_pd_velocity_options *drive = options;
  struct dc_actuator_coordinates coordinates;
  enum dc_status status = dc_actuator_coordinates_parse(&coordinates, &drive->held.actuator, model, error);
  for (int c = 0; c < coordinates.count && !status; c++) {
    const struct dc_clamp *bounds = &coordinates.items[c].bounds;
    if (coordinates.items[c].scale != 1)
      status = dc_fail(error, DC_BAD_INPUT,
                       "coordinates: must not be pressures: speeds are of lengths (pd_targets and spline drive these)");
    else if (bounds->low > 0)
      status = dc_fail(error, DC_BAD_INPUT, "low: must be <= 0, where the target begins (is %.10g)", bounds->low);
    else if (bounds->high < 0)
      status = dc_fail(error, DC_BAD_INPUT, "high: must be >= 0, where the target begins (is %.10g)", bounds->high);
  }
  return status;
}

static double sech_squared(double x)
{
  double e = exp(-2 * fabs(x));
  return 4 * e / ((1 + e) * (1 + e));
}

// Constants of one coordinate: s in m/s or rad/s, and gain h, the largest change of v / s in a step.
struct drive {
  double speed, boost;
};

static struct drive drive_of(const struct dc_pd_velocity_options *options,
                             const struct dc_actuator_coordinate *coordinate, double h)
{
  return (struct drive){coordinate->angle ? options->speed_rotation : options->speed, options->gain * h};
}

// The argument e of the outer tanh.
static double argument(const struct drive *drive, double velocity, double a)
{
  return velocity / drive->speed + drive->boost * tanh(a);
}

static double next_velocity(const struct drive *drive, double velocity, double a)
{
  return drive->speed * tanh(argument(drive, velocity, a));
}

// Walks the recursion forward over the window's steps from the state (p, v) of its beginning, and adds the
// targets of each step.
static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  const struct dc_pd_velocity_options *push = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&push->held.actuator, model);
  for (int c = 0; c < coordinates.count; c++) {
    struct drive drive = drive_of(push, &coordinates.items[c], window->time_step);
    double position = state[2 * c], velocity = state[2 * c + 1];
    for (int step = 0; step < window->steps; step++) {
      double a = parameters[dc_held_block(&push->held, window, step) * coordinates.count + c];
      velocity = next_velocity(&drive, velocity, a);
      position += window->time_step * velocity;
      dc_actuator_add_target(&coordinates.items[c], model, step, 0, position, velocity, input);
    }
  }
}

// Pulls back one coordinate by the backward recursion of the head.  It needs the velocities: those at the start
// of each block are stored in the gradient at the block's own place, which is written later; those inside a
// block are recomputed from there, so that no memory is needed.
static void pull_back_coordinate(const struct dc_pd_velocity_options *push, const struct dc_model *model,
                                 const struct dc_window *window, const struct dc_actuator_coordinates *coordinates,
                                 int c, const double *state, const double *parameters,
                                 const struct dc_rollout_cotangent *cotangent, double *gradient)
{
  const struct drive drive = drive_of(push, &coordinates->items[c], window->time_step);
  double position = state[2 * c], velocity = state[2 * c + 1], h = window->time_step;
  for (int step = 0, block = -1; step < window->steps; step++) {
    int own = dc_held_block(&push->held, window, step) * coordinates->count + c;
    if (own != block)
      gradient[own] = velocity;
    block = own;
    velocity = next_velocity(&drive, velocity, parameters[own]);
    position += h * velocity;
  }
  double by_position = 0, by_velocity = 0;
  for (int last = window->steps - 1; last >= 0;) {
    int own = dc_held_block(&push->held, window, last) * coordinates->count + c, first = last;
    while (first > 0 && dc_held_block(&push->held, window, first - 1) * coordinates->count + c == own)
      first--;
    double start = gradient[own], a = parameters[own], by_a = 0;
    for (int step = last; step >= first; step--) {
      double before = start, from_position, from_rate;
      for (int k = first; k < step; k++)
        before = next_velocity(&drive, before, a);
      velocity = next_velocity(&drive, before, a);
      dc_actuator_pull_back(&coordinates->items[c], model, step, 0, position, velocity, cotangent, &from_position,
                            &from_rate);
      by_position += from_position;
      by_velocity += from_rate + h * by_position;
      double by_argument = by_velocity * drive.speed * sech_squared(argument(&drive, before, a));
      by_a += by_argument * drive.boost;
      by_velocity = by_argument / drive.speed;
      position -= h * velocity;
    }
    gradient[own] = by_a * sech_squared(a);
    last = first - 1;
  }
}

static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  const struct dc_pd_velocity_options *push = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&push->held.actuator, model);
  for (int c = 0; c < coordinates.count; c++)
    pull_back_coordinate(push, model, window, &coordinates, c, state, parameters, cotangent, gradient);
}

// Directions of position and velocity follow the recursion, differentiated, side by side with it.
static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  const struct dc_pd_velocity_options *push = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&push->held.actuator, model);
  for (int c = 0; c < coordinates.count; c++) {
    struct drive drive = drive_of(push, &coordinates.items[c], window->time_step);
    double position = state[2 * c], velocity = state[2 * c + 1], along_position = 0, along_velocity = 0;
    for (int step = 0; step < window->steps; step++) {
      int own = dc_held_block(&push->held, window, step) * coordinates.count + c;
      double a = parameters[own], along = along_velocity / drive.speed;
      if (direction[own] != 0)
        along += drive.boost * sech_squared(a) * direction[own];
      along_velocity = along != 0 ? drive.speed * sech_squared(argument(&drive, velocity, a)) * along : 0;
      velocity = next_velocity(&drive, velocity, a);
      position += window->time_step * velocity;
      along_position += window->time_step * along_velocity;
      dc_actuator_push_forward(&coordinates.items[c], model, step, 0, position, velocity, along_position,
                               along_velocity, moved);
    }
  }
}

static int state_size(const void *options, const struct dc_model *model)
{
  const struct dc_pd_velocity_options *push = options;
  return 2 * dc_actuator_coordinates(&push->held.actuator, model).count;
}

static void start(const void *options, const struct dc_model *model, double *state)
{
  for (int i = 0; i < state_size(options, model); i++)
    state[i] = 0;
}

// Limits parameters between windows: where tanh is flat, a larger one only takes more windows to return.
static void cut_parameters(const struct dc_pd_velocity_options *push, int count, double *parameters)
{
  if (isnan(push->limit))
    return;
  for (int i = 0; i < count; i++)
    parameters[i] = fmin(fmax(parameters[i], -push->limit), push->limit);
}

// Moves the state by the steps that were applied.  The position is limited to the bounds; otherwise a target
// beyond a bound would first have to come back before anything moves.  Parameters move on by blocks, new ones
// are zero.
static void advance(const void *options, const struct dc_model *model, const struct dc_window *window, int applied,
                    double *state, double *parameters)
{
  const struct dc_pd_velocity_options *push = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&push->held.actuator, model);
  for (int c = 0; c < coordinates.count; c++) {
    struct drive drive = drive_of(push, &coordinates.items[c], window->time_step);
    double *position = &state[2 * c], *velocity = &state[2 * c + 1];
    for (int step = 0; step < applied; step++) {
      double a = parameters[dc_held_block(&push->held, window, step) * coordinates.count + c];
      *velocity = next_velocity(&drive, *velocity, a);
      *position += window->time_step * *velocity;
    }
    *position = fmin(fmax(*position, coordinates.items[c].bounds.low), coordinates.items[c].bounds.high);
  }
  dc_held_advance(&push->held, coordinates.count, window, applied, false, parameters);
  cut_parameters(push, dc_held_parameter_count(push, model, window->steps), parameters);
}

// The parameter that, held for so many steps, brings the target closest to `place`.  It inverts one step at the
// constant rate that is needed, v = s tanh(e); rates are kept below 0.99 s and parameters below the limit or 2,
// where tanh is nearly flat.
static double aimed(const struct dc_pd_velocity_options *push, const struct drive *drive, double h, double position,
                    double velocity, double place, int held)
{
  double most = isnan(push->limit) ? 2 : fmin(push->limit, 2), rate = (place - position) / (h * held) / drive->speed;
  rate = fmin(fmax(rate, -0.99), 0.99);
  double part = (atanh(rate) - velocity / drive->speed) / drive->boost, top = tanh(most);
  return atanh(fmin(fmax(part, -top), top));
}

// Chooses the parameter of each block so that the target moves at the rate that leads to the wanted place at
// the end of the block, from where the blocks before have brought it.
static void aim(const void *options, const struct dc_model *model, const struct dc_window *window, const double *state,
                const double *targets, double *parameters)
{
  const struct dc_pd_velocity_options *push = options;
  struct dc_actuator_coordinates coordinates = dc_actuator_coordinates(&push->held.actuator, model);
  size_t actuators = (size_t)model->bodies.actuator_count;
  for (int c = 0; c < coordinates.count; c++) {
    const struct dc_actuator_coordinate *coordinate = &coordinates.items[c];
    struct drive drive = drive_of(push, coordinate, window->time_step);
    double position = state[2 * c], velocity = state[2 * c + 1], a = 0;
    for (int step = 0, block = -1; step < window->steps; step++) {
      int own = dc_held_block(&push->held, window, step), last = step;
      while (last + 1 < window->steps && dc_held_block(&push->held, window, last + 1) == own)
        last++;
      if (own != block) {
        double place =
            dc_clamp_inverse(&coordinate->bounds, targets[(size_t)last * actuators + (size_t)coordinate->entry]);
        a = aimed(push, &drive, window->time_step, position, velocity, place, last - step + 1);
        parameters[own * coordinates.count + c] = a;
      }
      block = own;
      velocity = next_velocity(&drive, velocity, a);
      position += window->time_step * velocity;
    }
  }
}

static double speed(const void *options)
{
  const struct dc_pd_velocity_options *push = options;
  return push->speed;
}

const struct dc_control_type dc_control_pd_velocity = {
    .name = "pd_velocity",
    .summary = "accelerations of the target of the actuator of one body, for every step",
    .reference = "the control of the Push experiment of paper 000, as its authors published it",
    .options = options_table,
    .options_size = sizeof(struct dc_pd_velocity_options),
    .check = check,
    .parameter_count = dc_held_parameter_count,
    .parameter_name = dc_held_parameter_name,
    .parameter_unit = dc_pure_unit,  // an acceleration as a part of the largest one
    .initial = dc_held_initial,
    .groups = dc_held_groups,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
    .state_size = state_size,
    .start = start,
    .advance = advance,
    .aim = aim,
    .speed = speed,
};
