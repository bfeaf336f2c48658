// SPDX-License-Identifier: Apache-2.0
// Control "sines": every actuator coordinate of some bodies follows a sum of sine waves that fades in,
//
//     y(t) = r(t) S(t),   S = sum_i A_i sin(theta_i),   theta_i = 2 pi f_i t + phi_i,   r(t) = 10 x^3 - 15 x^4 + 6 x^5
//
// with x = t / ramp up to 1, so that displacement, velocity and acceleration start at zero.  The targets of step k are
// c(y) and c'(y) y' at their time since the start of the run (dc_actuator_target_steps), with c the bounds
// (task/clamp.h).  With derivatives dy, dy' of the loss by y and y', s = r dy + r' dy', u = r dy', and w = 2 pi f,
//
//     dA = s sin + u w cos,   df = 2 pi A (s t cos + u (cos - w t sin)),   dphi = A (s cos - u w sin).
//
// Parameters of each coordinate: amplitudes, frequencies, phases, each in units of its "scale".
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "task/actuator_coordinates.h"

enum kind { AMPLITUDE, FREQUENCY, PHASE, KINDS };

static const char *const kind_names[KINDS] = {"amplitude", "frequency", "phase"};

static const struct dc_option options_table[] = {
    DC_BODY_LIST_OPTION(struct dc_sines_options, bodies, NULL, DC_ACTUATOR_COORDINATES_MOST,
                        "names of the bodies with pd whose joints are driven"),
    DC_INTEGER_OPTION(struct dc_sines_options, waves, "4", 1, 100, "number of waves of every coordinate"),
    DC_REAL_OPTION(struct dc_sines_options, amplitude, "m or rad", "0.05", 0, 1e6,
                   "bound of the amplitudes of the first guess, which are random"),
    DC_REAL_OPTION(struct dc_sines_options, frequency, "Hz", "1", 0, 1e6,
                   "frequency of all waves of the first guess; their phases are spread evenly"),
    DC_INTEGER_OPTION(struct dc_sines_options, seed, "0", 0, 9e15, "seed of the amplitudes of the first guess"),
    DC_REAL_OPTION(struct dc_sines_options, ramp, "s", "0.5", 0, 1e6,
                   "time in which the motion fades in; 0: it begins with a jump"),
    {.name = "scale",
     .type = DC_REALS,
     .unit = "",
     .fallback = "[1, 0.1, 1]",
     .minimum = 0,
     .minimum_excluded = true,
     .maximum = 1e6,
     .count = 3,
     .help = "amplitude (m or rad; of pressures parts of Young's modulus), frequency (Hz) and phase (rad) for which "
             "the parameter is 1",
     .offset = offsetof(struct dc_sines_options, scale)},
    DC_BOUND_OPTION("low", "lower", struct dc_sines_options, low),
    DC_BOUND_OPTION("high", "upper", struct dc_sines_options, high),
    DC_OPTIONS_END,
};

static enum dc_status parse(struct dc_actuator_coordinates *coordinates, const struct dc_sines_options *options,
                            const struct dc_model *model, struct dc_error *error)
{
  return dc_actuator_coordinates_all(coordinates, &options->bodies, &options->low, &options->high, model, error);
}

static enum dc_status check(const void *options, const struct dc_model *model, struct dc_error *error)
{
  const struct dc_sines_options *sines = options;
  struct dc_actuator_coordinates coordinates;
  if (sines->bodies.count == 0)
    return dc_fail(error, DC_BAD_INPUT, "bodies: must name a body");
  return parse(&coordinates, sines, model, error);
}

static int parameter_count(const void *options, const struct dc_model *model, int steps)
{
  (void)steps;
  const struct dc_sines_options *sines = options;
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, sines, model, NULL);
  return coordinates.count * KINDS * (int)sines->waves;
}

// Parameters go coordinate by coordinate, within each by kind (amplitude, frequency, phase), within each wave by wave.
static void parameter_name(const void *options, const struct dc_model *model, int steps, int i, char *text, size_t size)
{
  (void)steps;
  const struct dc_sines_options *sines = options;
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, sines, model, NULL);
  int waves = (int)sines->waves;
  const struct dc_actuator_coordinate *coordinate = &coordinates.items[i / waves / KINDS];
  char number[16];
  snprintf(text, size, "%s.%s.%s.%d", model->bodies.bodies[coordinate->body].name,
           dc_actuator_coordinate_name(coordinate, model, number), kind_names[i / waves % KINDS], i % waves);
}

// An amplitude has the unit of its coordinate, and the scale of that on top of the entry's.
static const char *parameter_unit(const void *options, const struct dc_model *model, int steps, int i, double *scale)
{
  (void)steps;
  const struct dc_sines_options *sines = options;
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, sines, model, NULL);
  int waves = (int)sines->waves, kind = i / waves % KINDS;
  *scale = sines->scale[kind] * (kind == AMPLITUDE ? coordinates.items[i / waves / KINDS].scale : 1);
  if (kind == FREQUENCY)
    return "Hz";
  return kind == PHASE ? "rad" : coordinates.items[i / waves / KINDS].unit;
}

// First guess: waves of one frequency with evenly spread phases, as in Hu et al. 2019, can add up to any phase; small
// random amplitudes break the symmetry of symmetric bodies.
static void initial(const void *options, const struct dc_model *model, int steps, double *parameters)
{
  const struct dc_sines_options *sines = options;
  int waves = (int)sines->waves, count = parameter_count(options, model, steps);
  struct dc_random random;
  dc_random_seed(&random, (uint64_t)sines->seed);
  for (int i = 0; i < count; i++) {
    enum kind kind = (enum kind)(i / waves % KINDS);
    double value = kind == AMPLITUDE   ? sines->amplitude * (2 * dc_random_uniform(&random) - 1)
                   : kind == FREQUENCY ? sines->frequency
                                       : 2 * M_PI * (i % waves) / waves;
    parameters[i] = value / sines->scale[kind];
  }
}

// Draws another first guess: new random amplitudes.  Without amplitudes in the options, all parameters are drawn around
// guess.
static void draw(const void *options, const struct dc_model *model, const struct dc_window *window, const double *guess,
                 const struct dc_spread *spread, struct dc_random *random, double *parameters)
{
  const struct dc_sines_options *sines = options;
  int waves = (int)sines->waves, count = parameter_count(options, model, window->steps);
  if (sines->amplitude > 0)
    initial(options, model, window->steps, parameters);
  for (int i = 0; i < count; i++)
    if (!(sines->amplitude > 0))
      parameters[i] = guess[i] + spread->deviation * dc_random_normal(random);
    else if (i / waves % KINDS == AMPLITUDE)
      parameters[i] = sines->amplitude * (2 * dc_random_uniform(random) - 1) / sines->scale[AMPLITUDE];
}

// Groups: the amplitudes of one coordinate, its frequencies, its phases.
static int groups(const void *options, const struct dc_model *model, int steps, int *group)
{
  const struct dc_sines_options *sines = options;
  int waves = (int)sines->waves, count = parameter_count(options, model, steps);
  for (int i = 0; i < count; i++)
    group[i] = i / waves;
  return count / waves;
}

// r and dr/dt.
static void fade(double t, double ramp, double *r, double *rate)
{
  *r = 1, *rate = 0;
  if (t < ramp) {
    double x = t / ramp;
    *r = x * x * x * (10 + x * (-15 + 6 * x));
    *rate = 30 * x * x * (1 - x) * (1 - x) / ramp;
  }
}

// A wave at a moment: its amplitude in units of the coordinate, 2 pi f in rad/s, sine and cosine of theta.
struct wave {
  double amplitude, omega, sine, cosine;
};

static struct wave wave_at(const struct dc_sines_options *sines, const double *own, int i, double t)
{
  const double *scale = sines->scale;
  double omega = 2 * M_PI * scale[FREQUENCY] * own[FREQUENCY * sines->waves + i];
  double theta = omega * t + scale[PHASE] * own[PHASE * sines->waves + i];
  return (struct wave){scale[AMPLITUDE] * own[i], omega, sin(theta), cos(theta)};
}

// y and y' of one coordinate at time t, with the parameters `own` [KINDS][waves].
static void motion(const struct dc_sines_options *sines, const double *own, double t, double *y, double *y_rate)
{
  double sum = 0, sum_rate = 0, r, rate;
  for (int i = 0; i < sines->waves; i++) {
    struct wave wave = wave_at(sines, own, i, t);
    sum += wave.amplitude * wave.sine;
    sum_rate += wave.amplitude * wave.omega * wave.cosine;
  }
  fade(t, sines->ramp, &r, &rate);
  *y = r * sum;
  *y_rate = rate * sum + r * sum_rate;
}

static void apply(const void *options, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct dc_rollout_input *input)
{
  (void)state;
  const struct dc_sines_options *sines = options;
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, sines, model, NULL);
  double lead = dc_actuator_lead(model);
  for (int c = 0; c < coordinates.count; c++)
    for (int step = 0; step < window->steps; step++) {
      double y, rate;
      motion(sines, parameters + c * KINDS * sines->waves,
             dc_actuator_target_steps(model, window, step) * window->time_step, &y, &rate);
      dc_actuator_add_target(&coordinates.items[c], model, step, lead, y, rate, input);
    }
}

// The target of a coordinate is r(t) y(t), y = sum a sin(w t + p), and its rate r' y + r y'. With cotangents by_y and
// by_rate of both,
//    s = r by_y + r' by_rate  belongs to y,   u = r by_rate  to y' = sum a w cos(w t + p),
// from which the derivatives by a, w = 2 pi f and p follow wave by wave.
static void pull_back(const void *options, const struct dc_model *model, const struct dc_window *window,
                      const double *state, const double *parameters, struct dc_rollout_cotangent *cotangent,
                      double *gradient)
{
  (void)state;
  const struct dc_sines_options *sines = options;
  const double *scale = sines->scale;
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, sines, model, NULL);
  double lead = dc_actuator_lead(model);
  long waves = sines->waves;
  for (int i = 0; i < coordinates.count * KINDS * waves; i++)
    gradient[i] = 0;
  for (int c = 0; c < coordinates.count; c++) {
    const double *own = parameters + c * KINDS * waves;
    double *derivative = gradient + c * KINDS * waves;
    for (int step = 0; step < window->steps; step++) {
      double t = dc_actuator_target_steps(model, window, step) * window->time_step;
      double y, y_rate, by_y, by_rate, r, rate;
      motion(sines, own, t, &y, &y_rate);
      dc_actuator_pull_back(&coordinates.items[c], model, step, lead, y, y_rate, cotangent, &by_y, &by_rate);
      fade(t, sines->ramp, &r, &rate);
      double s = r * by_y + rate * by_rate, u = r * by_rate;
      for (int i = 0; i < waves; i++) {
        struct wave wave = wave_at(sines, own, i, t);
        double a = wave.amplitude, w = wave.omega;
        derivative[AMPLITUDE * waves + i] += scale[AMPLITUDE] * (s * wave.sine + u * w * wave.cosine);
        derivative[FREQUENCY * waves + i] +=
            scale[FREQUENCY] * 2 * M_PI * a * (s * t * wave.cosine + u * (wave.cosine - w * t * wave.sine));
        derivative[PHASE * waves + i] += scale[PHASE] * a * (s * wave.cosine - u * w * wave.sine);
      }
    }
  }
}

// The change of y and y' along a direction: d of A, f and phi by the product rule, wave by wave.
static void push_forward(const void *options, const struct dc_model *model, const struct dc_window *window,
                         const double *state, const double *parameters, const double *direction,
                         struct dc_rollout_cotangent *moved)
{
  (void)state;
  const struct dc_sines_options *sines = options;
  const double *scale = sines->scale;
  struct dc_actuator_coordinates coordinates;
  parse(&coordinates, sines, model, NULL);
  double lead = dc_actuator_lead(model);
  long waves = sines->waves;
  for (int c = 0; c < coordinates.count; c++) {
    const double *own = parameters + c * KINDS * waves, *along = direction + c * KINDS * waves;
    for (int step = 0; step < window->steps; step++) {
      double t = dc_actuator_target_steps(model, window, step) * window->time_step;
      double y, y_rate, sum = 0, sum_rate = 0, r, rate;
      motion(sines, own, t, &y, &y_rate);
      fade(t, sines->ramp, &r, &rate);
      for (int i = 0; i < waves; i++) {
        struct wave wave = wave_at(sines, own, i, t);
        double w = wave.omega, a = scale[AMPLITUDE] * along[AMPLITUDE * waves + i];
        double f = wave.amplitude * scale[FREQUENCY] * 2 * M_PI * along[FREQUENCY * waves + i];
        double phi = wave.amplitude * scale[PHASE] * along[PHASE * waves + i];
        sum += a * wave.sine + (f * t + phi) * wave.cosine;
        sum_rate += a * w * wave.cosine + f * (wave.cosine - w * t * wave.sine) - phi * w * wave.sine;
      }
      dc_actuator_push_forward(&coordinates.items[c], model, step, lead, y, y_rate, r * sum, rate * sum + r * sum_rate,
                               moved);
    }
  }
}

// The displacement depends on time only, so that there is no state.
static void advance(const void *options, const struct dc_model *model, const struct dc_window *window, int applied,
                    double *state, double *parameters)
{
  (void)options, (void)model, (void)window, (void)applied, (void)state, (void)parameters;
}

const struct dc_control_type dc_control_sines = {
    .name = "sines",
    .summary = "sums of sine waves as target displacements of actuators",
    .reference = "the control of the Ant-Push experiment of paper 000, A.6.2; Hu et al. 2019",
    .options = options_table,
    .options_size = sizeof(struct dc_sines_options),
    .check = check,
    .parameter_count = parameter_count,
    .parameter_name = parameter_name,
    .parameter_unit = parameter_unit,
    .initial = initial,
    .draw = draw,
    .groups = groups,
    .apply = apply,
    .pull_back = pull_back,
    .push_forward = push_forward,
    .advance = advance,
};
