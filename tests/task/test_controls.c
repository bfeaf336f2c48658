// SPDX-License-Identifier: Apache-2.0
// Controls of actuators: what targets they give, their derivatives against differences, windows against one long run.
#include "harness.h"

#include "hand_model.h"
#include "task/actuator_coordinates.h"

enum { MOST_PARAMETERS = 1000, TARGETS = RUN_STEPS * ACTUATORS };

// Five controls of four bodies; the sledge has two, and bounds that some targets run into.
static double low_numbers[6] = {-0.3, -0.3, -0.2, -0.1, -0.3, -0.5}, high_numbers[6] = {0.3, 0.4, 0.2, 0.2, 0.3, 0.5};
static double initial_numbers[2] = {0.25, -0.5};
static int sines_bodies[2] = {KNEE, HIP};
static struct dc_held_options targets_options;
static struct dc_pd_velocity_options velocity_options;
static struct dc_sines_options sines_options;
static struct dc_spline_options spline_options;
static struct dc_pd_velocity_options second_options;
static struct dc_control controls[5];
static struct dc_task task = {.controls = controls};

enum { PD_TARGETS, PD_VELOCITY, SINES, SECOND, SPLINE };  // the last one refuses windows

static void set_controls(int count, long hold)
{
  targets_options = (struct dc_held_options){.actuator = {.body = SLEDGE,
                                                          .coordinates = "2 0",
                                                          .low = {1, low_numbers},
                                                          .high = {1, high_numbers},
                                                          .initial = {2, initial_numbers}},
                                             .hold = hold};
  velocity_options = (struct dc_pd_velocity_options){
      .held = {{.body = ROD, .coordinates = "all", .low = {6, low_numbers}, .high = {6, high_numbers}}, hold},
      .speed = 2,
      .speed_rotation = 3,
      .gain = 40,
      .limit = NAN};
  sines_options = (struct dc_sines_options){.bodies = {2, sines_bodies},
                                            .waves = 3,
                                            .amplitude = 0.2,
                                            .frequency = 0.7,
                                            .seed = 5,
                                            .ramp = 0.7,
                                            .scale = {0.5, 0.1, 2},
                                            .low = {1, low_numbers},
                                            .high = {1, high_numbers}};
  second_options = (struct dc_pd_velocity_options){
      .held = {{.body = SLEDGE, .coordinates = "1 2"}, 2}, .speed = 1, .speed_rotation = 0.5, .gain = 10, .limit = NAN};
  spline_options = (struct dc_spline_options){
      {.body = ROD, .coordinates = "y rz", .low = {2, low_numbers}, .high = {2, high_numbers}}, .knots = 6};
  controls[PD_TARGETS] = (struct dc_control){&dc_control_pd_targets, &targets_options};
  controls[PD_VELOCITY] = (struct dc_control){&dc_control_pd_velocity, &velocity_options};
  controls[SINES] = (struct dc_control){&dc_control_sines, &sines_options};
  controls[SECOND] = (struct dc_control){&dc_control_pd_velocity, &second_options};
  controls[SPLINE] = (struct dc_control){&dc_control_spline, &spline_options};
  task.control_count = count;
}

struct targets {
  struct dc_rollout_input input;
  double position[TARGETS], velocity[TARGETS];
};

// What the task makes of targets that are zero.
static void apply(const struct dc_task *of, const struct dc_model *model, const struct dc_window *window,
                  const double *state, const double *parameters, struct targets *targets)
{
  memset(targets, 0, sizeof *targets);
  targets->input = (struct dc_rollout_input){
      .steps = window->steps, .target_position = targets->position, .target_velocity = targets->velocity};
  dc_task_apply(of, model, window, state, parameters, &targets->input);
}

static void test_clamp(void)
{
  struct dc_clamp none = {-INFINITY, INFINITY}, bounds = {-1, 3};
  struct dc_clamped at = dc_clamp(&none, 1e300);
  CHECK(at.value == 1e300 && at.slope == 1 && at.curvature == 0, "no bounds");
  for (double y = -0.8; y <= 2.8; y += 0.1) {
    at = dc_clamp(&bounds, y);
    CHECK(at.value == y && at.slope == 1 && at.curvature == 0, "the identity at %g", y);
  }
  double last = -1;
  for (double y = -60; y <= 60; y += 0.01) {
    struct dc_clamped before = dc_clamp(&bounds, y - 1e-6), after = dc_clamp(&bounds, y + 1e-6);
    at = dc_clamp(&bounds, y);
    CHECK(at.value > last && at.value < 3 && at.slope > 0, "increasing and inside at %g: %.17g", y, at.value);
    CHECK_NEAR((after.value - before.value) / 2e-6, at.slope, 2e-9);  // rounding, 4.5e-10 observed
    CHECK_NEAR((after.slope - before.slope) / 2e-6, at.curvature,
               3e-5);  // 7.3e-6 observed at the edges, where it bends
    last = at.value;
  }
  at = dc_clamp(&bounds, 1e9);
  CHECK(at.slope > 1e-35, "a slope of %g far outside", at.slope);
  CHECK_NEAR(dc_clamp(&bounds, -1e9).value, -1, 1e-12);
}

static void test_coordinates(void)
{
  struct dc_model model = hand_model();
  struct dc_error error = {0};
  struct dc_actuator_coordinates parsed;
  struct dc_actuator_options options = {.body = ROD, .coordinates = " x  rz 1 z"};
  CHECK(dc_actuator_coordinates_parse(&parsed, &options, &model, &error) == DC_OK, "%s", error.text);
  const int entries[4] = {3, 2, 1, 5};
  const char *const names[4] = {"x", "rz", "ry", "z"};
  CHECK(parsed.count == 4, "%d", parsed.count);
  for (int i = 0; i < 4; i++) {
    char text[16];
    CHECK(parsed.items[i].entry == entries[i] && parsed.items[i].angle == (entries[i] < 3), "entry %d", i);
    CHECK(strcmp(dc_actuator_coordinate_name(&parsed.items[i], &model, text), names[i]) == 0, "%s", names[i]);
  }
  options = (struct dc_actuator_options){.body = SLEDGE, .coordinates = "all"};
  CHECK(dc_actuator_coordinates_parse(&parsed, &options, &model, &error) == DC_OK && parsed.count == 3, "sledge");
  CHECK(parsed.items[0].entry == 10 && !parsed.items[1].angle && parsed.items[2].angle, "two lengths and an angle");
  options = (struct dc_actuator_options){.body = HIP, .coordinates = "rz rx"};
  CHECK(dc_actuator_coordinates_parse(&parsed, &options, &model, &error) == DC_OK && parsed.count == 2, "hip");
  CHECK(parsed.items[0].entry == 9 && parsed.items[1].entry == 7 && parsed.items[0].angle, "a ball");

  const struct {
    int body;
    const char *coordinates, *message;
  } wrong[] = {{-1, "all", "body: must name a body"},
               {WALL, "all", "body: must have an actuator (\"wall\" has no pd"},
               {BOX, "all", "body: must have an actuator (\"box\" has no pd"},
               {ROD, "xy", "coordinates: must be \"all\" or some of rx ry rz x y z, separated by spaces, for \"rod\""},
               {ROD, "x 6", "coordinates: must be"},
               {ROD, "", "coordinates: must name a coordinate"},
               {ROD, "x 3", "coordinates: must name each coordinate once"},
               {HIP, "x", "coordinates: must be \"all\" or some of rx ry rz, separated"},
               {KNEE, "rx", "coordinates: must be \"all\" or some of 0, separated"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    options = (struct dc_actuator_options){.body = wrong[i].body, .coordinates = wrong[i].coordinates};
    expect_refusal(dc_actuator_coordinates_parse(&parsed, &options, &model, &error), &error, wrong[i].message);
  }
  const struct dc_actuator_options good = {.body = ROD, .coordinates = "x y"};
  options = good, options.low = (struct dc_real_list){6, low_numbers}, options.high = options.low;
  expect_refusal(dc_actuator_coordinates_parse(&parsed, &options, &model, &error), &error,
                 "low: must hold one number for all or 2");
  options.low.count = 0, options.high.count = 2;
  expect_refusal(dc_actuator_coordinates_parse(&parsed, &options, &model, &error), &error, "low: must be given when");
  options.low.count = 2, options.high.count = 0;
  expect_refusal(dc_actuator_coordinates_parse(&parsed, &options, &model, &error), &error, "high: must be given when");
  options.high.count = 1;
  expect_refusal(dc_actuator_coordinates_parse(&parsed, &options, &model, &error), &error, "low: must be below high");
  options = good, options.initial = (struct dc_real_list){3, low_numbers};
  expect_refusal(dc_actuator_coordinates_parse(&parsed, &options, &model, &error), &error,
                 "initial: must hold 2 numbers");
  double rows[4] = {1, 2, 3, 4};
  options.initial = (struct dc_real_list){4, rows};
  CHECK(dc_actuator_coordinates_parse(&parsed, &options, &model, &error) == DC_OK, "%s", error.text);
  const double first[8] = {1, 2, 3, 4, 3, 4, 3, 4};  // the last of the times given stays
  for (int i = 0; i < 8; i++)
    CHECK(dc_actuator_initial(&options, &parsed, i) == first[i], "%d: %g", i,
          dc_actuator_initial(&options, &parsed, i));
}

static void test_checks(void)
{
  struct dc_model model = hand_model();
  struct dc_error error = {0};
  set_controls(5, 1);
  for (int i = 0; i < 5; i++)
    CHECK(controls[i].type->check(controls[i].options, &model, &error) == DC_OK, "%d: %s", i, error.text);
  double above[1] = {0.1}, below[1] = {-0.1};
  velocity_options.held.actuator.low = (struct dc_real_list){1, above};
  expect_refusal(dc_control_pd_velocity.check(&velocity_options, &model, &error), &error, "low: must be <= 0");
  velocity_options.held.actuator.low = (struct dc_real_list){6, low_numbers};
  velocity_options.held.actuator.high = (struct dc_real_list){1, below};
  low_numbers[3] = -0.2;
  expect_refusal(dc_control_pd_velocity.check(&velocity_options, &model, &error), &error, "high: must be >= 0");
  low_numbers[3] = -0.1;
  sines_options.bodies.count = 0;
  expect_refusal(dc_control_sines.check(&sines_options, &model, &error), &error, "bodies: must name a body");
  int twice[2] = {HIP, HIP}, without[1] = {BOX};
  sines_options.bodies = (struct dc_index_list){2, twice};
  expect_refusal(dc_control_sines.check(&sines_options, &model, &error), &error, "bodies: must name each body once");
  sines_options.bodies = (struct dc_index_list){1, without};
  expect_refusal(dc_control_sines.check(&sines_options, &model, &error), &error, "bodies: must have an actuator");
}

// Numbers, names, first guess and groups of all controls together.
static void test_parameters(void)
{
  struct dc_model model = hand_model();
  enum { STEPS = 7, HELD = 3 };  // blocks of 3, 3 and 1 steps; of 2 for the second control of the sledge
  set_controls(5, HELD);
  double p[MOST_PARAMETERS];
  int group[MOST_PARAMETERS], count = dc_task_parameter_count(&task, &model, STEPS);
  CHECK(count == 3 * 2 + 3 * 6 + 4 * 9 + 4 * 2 + 6 * 2, "%d parameters", count);
  const struct {
    int parameter;
    const char *name;
  } names[] = {{0, "sledge.0.2"},
               {3, "sledge.3.0"},
               {6, "rod.0.rx"},
               {23, "rod.6.z"},
               {24, "knee.0.amplitude.0"},
               {26, "knee.0.amplitude.2"},
               {27, "knee.0.frequency.0"},
               {41, "hip.rx.phase.2"},
               {60, "sledge.0.1"},
               {63, "sledge.2.2"},
               {68, "rod.knot0.y"},
               {79, "rod.knot5.rz"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[64];
    dc_task_parameter_name(&task, &model, STEPS, names[i].parameter, text, sizeof text);
    CHECK(strcmp(text, names[i].name) == 0, "%d: %s instead of %s", names[i].parameter, text, names[i].name);
  }
  dc_task_initial(&task, &model, STEPS, p);
  CHECK(p[0] == 0.25 && p[3] == -0.5 && p[4] == 0.25 && p[6] == 0, "constant over the steps");
  CHECK_NEAR(p[27], 7, 1e-15);                     // 0.7 Hz in units of 0.1 Hz
  CHECK_NEAR(p[41], 2 * M_PI * 2 / 3 / 2, 1e-15);  // phases spread evenly, in units of 2 rad
  CHECK(fabs(p[24]) <= 0.4 && p[24] != p[25], "amplitudes up to 0.2 in units of 0.5, not alike");
  double other[MOST_PARAMETERS];
  sines_options.seed = 6;
  dc_task_initial(&task, &model, STEPS, other);
  CHECK(p[24] != other[24] && p[27] == other[27], "another seed");

  int groups = dc_task_groups(&task, &model, STEPS, group);
  CHECK(groups == 3 + 3 + 12 + 4 + 6, "%d groups", groups);
  CHECK(group[0] == 0 && group[1] == 0 && group[2] == 1 && group[6] == 3 && group[23] == 5, "blocks");
  CHECK(group[24] == 6 && group[26] == 6 && group[27] == 7 && group[59] == 17 && group[60] == 18 && group[79] == 27,
        "waves and knots");
  CHECK(dc_task_state_size(&task, &model) == 12 + 4, "p and v of eight coordinates");
  CHECK(dc_task_start_control(&task) == SPLINE, "the spline acts on the whole run");
  task.control_count = 4;
  CHECK(dc_task_start_control(&task) == -1, "no other does");
}

// A smooth function of the targets.
static double function_of(const struct targets *targets, int count, const double *weights)
{
  double value = 0;
  for (int i = 0; i < count; i++)
    value += weights[i] * sin(3 * targets->position[i]) + weights[TARGETS + i] * sin(2 * targets->velocity[i]);
  return value;
}

// Largest error of the derivatives of a random function of the targets, and the largest derivative.
static double gradient_error(const struct dc_model *model, const struct dc_window *window, double size, double *largest)
{
  static double weights[2 * TARGETS], by_position[TARGETS], by_velocity[TARGETS], kept[TARGETS];
  static struct targets targets;
  double p[MOST_PARAMETERS], gradient[MOST_PARAMETERS], state[16], worst = 0;
  int count = window->steps * ACTUATORS, parameters = dc_task_parameter_count(&task, model, window->steps);
  struct dc_random random;
  dc_random_seed(&random, 3);
  random_vector(&random, 2 * TARGETS, 1, weights);
  dc_task_initial(&task, model, window->steps, p);
  dc_task_start(&task, model, state);
  for (int i = 0; i < parameters; i++)
    p[i] += size * (2 * dc_random_uniform(&random) - 1);
  if (window->first > 0)
    random_vector(&random, dc_task_state_size(&task, model), 0.3, state);
  apply(&task, model, window, state, p, &targets);
  for (int i = 0; i < count; i++) {
    by_position[i] = kept[i] = 3 * weights[i] * cos(3 * targets.position[i]);
    by_velocity[i] = 2 * weights[TARGETS + i] * cos(2 * targets.velocity[i]);
  }
  struct dc_rollout_cotangent cotangent = {
      .steps = window->steps, .target_position = by_position, .target_velocity = by_velocity};
  for (int i = 0; i < parameters; i++)
    gradient[i] = NAN;
  dc_task_pull_back(&task, model, window, state, p, &cotangent, gradient);
  CHECK(memcmp(kept, by_position, (size_t)count * sizeof *kept) == 0,
        "controls add: what was before has its derivative");
  double along_position[TARGETS], along_velocity[TARGETS], direction[MOST_PARAMETERS], sum = 0, product = 0,
                                                                                       magnitude = 0;
  memset(along_position, 0, sizeof along_position);
  memset(along_velocity, 0, sizeof along_velocity);
  struct dc_rollout_cotangent moved = {
      .steps = window->steps, .target_position = along_position, .target_velocity = along_velocity};
  for (int i = 0; i < parameters; i++)
    direction[i] = sin(1 + 3.7 * i);
  dc_task_push_forward(&task, model, window, state, p, direction, &moved);
  for (int i = 0; i < count; i++)
    product += by_position[i] * along_position[i] + by_velocity[i] * along_velocity[i];
  for (int i = 0; i < parameters; i++) {
    sum += gradient[i] * direction[i];
    magnitude += fabs(gradient[i] * direction[i]);
  }
  CHECK(fabs(product - sum) <= 1e-13 * magnitude, "forward %g, back %g", product, sum);  // 1e-15 observed
  *largest = 0;
  for (int i = 0; i < parameters; i++) {
    double own = p[i], values[4];
    for (int k = 0; k < 4; k++) {
      p[i] = own + 1e-5 * (k < 2 ? k - 2 : k - 1);
      apply(&task, model, window, state, p, &targets);
      values[k] = function_of(&targets, count, weights);
    }
    p[i] = own;
    double difference = (values[0] - values[3] + 8 * (values[2] - values[1])) / (12 * 1e-5);
    worst = larger(worst, fabs(gradient[i] - difference));
    *largest = larger(*largest, fabs(gradient[i]));
    CHECK(isfinite(gradient[i]), "parameter %d", i);
  }
  return worst;
}

static void test_gradients(void)
{
  struct dc_model model = hand_model();
  const struct {
    long first, hold;
    int steps;
    double size;
  } cases[] = {{0, 1, 12, 0.5}, {0, 3, 13, 0.5}, {4, 3, 13, 0.3}, {5, 3, 12, 1.5}, {2, 100, 20, 0.1}, {0, 1, 0, 0.1}};
  for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
    set_controls(5, cases[i / 2].hold);
    model.definition.time.integrator = i % 2 ? DC_SECOND_ORDER : DC_EULER;
    struct dc_window window = {cases[i / 2].first, cases[i / 2].steps, TIME_STEP};
    double largest, error = gradient_error(&model, &window, cases[i / 2].size, &largest);
    CHECK_NEAR(error, 0, 2e-8);  // rounding of the differences, 1.2e-9 observed
    CHECK(largest > 1 || window.steps == 0, "case %zu: derivatives up to %g", i, largest);
  }
}

// Four controls in windows: what a window asks for and what the next one, moved by a few steps, asks for is the same
// where both look.
static void test_windows(void)
{
  struct dc_model model = hand_model();
  enum { STEPS = 11 };
  for (long hold = 1; hold <= 4; hold++)
    for (int applied = 1; applied <= 5; applied++) {
      set_controls(4, hold);
      targets_options.actuator.low.count = targets_options.actuator.high.count = 0;
      velocity_options.held.actuator.low.count = velocity_options.held.actuator.high.count = 0;
      static struct targets before, after;
      double p[MOST_PARAMETERS], state[16];
      struct dc_random random;
      dc_random_seed(&random, 100);
      struct dc_window window = {0, STEPS, TIME_STEP};
      dc_task_start(&task, &model, state);
      random_vector(&random, dc_task_parameter_count(&task, &model, STEPS), 1, p);
      for (int move = 0; move < 4; move++) {
        apply(&task, &model, &window, state, p, &before);
        dc_task_advance(&task, &model, &window, applied, state, p);
        window.first += applied;
        apply(&task, &model, &window, state, p, &after);
        double worst = 0;
        for (int i = 0; i < (STEPS - applied) * ACTUATORS; i++) {
          worst = larger(worst, fabs(after.position[i] - before.position[i + applied * ACTUATORS]));
          worst = larger(worst, fabs(after.velocity[i] - before.velocity[i + applied * ACTUATORS]));
        }
        CHECK_NEAR(worst, 0, 1e-13);  // 2e-16 observed
      }
    }
}

// One window over the whole run asks for the same as windows of which every step is applied.
static void test_long_run(void)
{
  struct dc_model model = hand_model();
  enum { LONG = 24, SHORT = 8 };
  set_controls(4, 4);
  static struct targets whole, piece;
  double p[MOST_PARAMETERS], part[MOST_PARAMETERS], state[16];
  struct dc_random random;
  dc_random_seed(&random, 8);
  velocity_options.held.actuator.low.count = velocity_options.held.actuator.high.count = 0;
  struct dc_window window = {0, LONG, TIME_STEP};
  random_vector(&random, dc_task_parameter_count(&task, &model, LONG), 1, p);
  dc_task_start(&task, &model, state);
  apply(&task, &model, &window, state, p, &whole);
  window.steps = SHORT;
  const int per_block[4] = {2, 6, 0, 2}, blocks[4] = {2, 2, 0, 4}, sizes[4] = {12, 36, 36, 24};
  for (; window.first < LONG; window.first += SHORT) {
    int from = 0, to = 0;
    for (int c = 0; c < 4; from += sizes[c], c++) {
      int own = c == SINES ? sizes[c] : per_block[c] * blocks[c];
      int skip = c == SINES ? 0 : (int)(window.first / SHORT) * own;
      for (int i = 0; i < own; i++)
        part[to++] = p[from + skip + i];
    }
    apply(&task, &model, &window, state, part, &piece);
    for (int i = 0; i < SHORT * ACTUATORS; i++) {
      CHECK_NEAR(piece.position[i], whole.position[window.first * ACTUATORS + i], 1e-14);  // 2e-16 observed
      CHECK_NEAR(piece.velocity[i], whole.velocity[window.first * ACTUATORS + i], 1e-14);
    }
    dc_task_advance(&task, &model, &window, SHORT, state, part);
  }
}

// What comes in at the end: targets stay, pushes end.
static void test_nothing_new(void)
{
  struct dc_model model = hand_model();
  set_controls(2, 1);
  double p[5 * 8], state[12];
  for (int i = 0; i < 40; i++)
    p[i] = i + 1;
  struct dc_window window = {0, 5, TIME_STEP};
  dc_task_start(&task, &model, state);
  dc_task_advance(&task, &model, &window, 2, state, p);
  const double kept[10] = {5, 6, 7, 8, 9, 10, 9, 10, 9, 10};
  for (int i = 0; i < 10; i++)
    CHECK(p[i] == kept[i], "target %d: %g", i, p[i]);
  CHECK(p[10] == 11 + 12 && p[27] == 40 && p[28] == 0 && p[39] == 0, "pushes %g %g %g", p[10], p[27], p[28]);
  const double highest[6] = {0.3, 0.4, 0.2, 0.2, 0.3, 0.5};
  for (int i = 0; i < 6; i++) {
    CHECK(state[2 * i] <= highest[i], "place %d: %g", i, state[2 * i]);
    CHECK(state[2 * i + 1] > 0, "still moving");
  }
  for (int i = 0; i < 40; i++)
    p[i] = 100;
  for (int k = 0; k < 3; k++)
    dc_task_advance(&task, &model, &window, 5, state, p);
  for (int i = 0; i < 6; i++)
    CHECK(state[2 * i] == highest[i], "place %d is cut at the bound: %g", i, state[2 * i]);
}

// A limit holds between windows: the steps that were applied had the parameters as they were.
static void test_limit(void)
{
  struct dc_model model = hand_model();
  struct dc_task only = {.control_count = 1, .controls = &controls[PD_VELOCITY]};
  double p[2][6 * 5], state[2][12];
  struct dc_window window = {0, 5, TIME_STEP};
  for (int limited = 0; limited < 2; limited++) {
    set_controls(2, 1);
    velocity_options.limit = limited ? 1.5 : NAN;
    for (int i = 0; i < 30; i++)
      p[limited][i] = i % 2 ? 0.25 * i : -0.25 * i;
    dc_task_start(&only, &model, state[limited]);
    dc_task_advance(&only, &model, &window, 2, state[limited], p[limited]);
  }
  for (int i = 0; i < 12; i++)
    CHECK(state[0][i] == state[1][i], "state %d: %g, %g", i, state[0][i], state[1][i]);
  for (int i = 0; i < 30; i++) {
    double free = p[0][i], cut = free > 1.5 ? 1.5 : free < -1.5 ? -1.5 : free;
    CHECK(p[1][i] == cut, "parameter %d: %g of %g", i, p[1][i], free);
  }
  CHECK(p[0][0] == -3 && p[1][0] == -1.5, "the first is cut: %g %g", p[0][0], p[1][0]);
}

// The recursion of the authors of paper 000, written out.
static void test_velocity_recursion(void)
{
  struct dc_model model = hand_model();
  set_controls(2, 1);
  velocity_options.held.actuator.low.count = velocity_options.held.actuator.high.count = 0;
  struct dc_task only = {.control_count = 1, .controls = &controls[PD_VELOCITY]};
  static struct targets targets;
  double p[60], state[12];
  struct dc_random random;
  dc_random_seed(&random, 12);
  random_vector(&random, 60, 2, p);
  struct dc_window window = {0, 10, TIME_STEP};
  dc_task_start(&only, &model, state);
  apply(&only, &model, &window, state, p, &targets);
  for (int c = 0; c < 6; c++) {
    double speed = c < 3 ? 3 : 2, v = 0, y = 0;
    for (int k = 0; k < 10; k++) {
      v = speed * tanh(v / speed + 40 * tanh(p[6 * k + c]) * TIME_STEP);
      y += TIME_STEP * v;
      CHECK_NEAR(targets.velocity[ACTUATORS * k + c], v, 1e-14);  // 0 observed
      CHECK_NEAR(targets.position[ACTUATORS * k + c], y, 1e-14);
    }
  }
  double far[60], gradient[60], by_position[TARGETS], by_velocity[TARGETS] = {0};
  for (int i = 0; i < TARGETS; i++)
    by_position[i] = 1;
  struct dc_rollout_cotangent cotangent = {.steps = 10, .target_position = by_position, .target_velocity = by_velocity};
  for (int i = 0; i < 60; i++)
    far[i] = 30;
  velocity_options.gain = 1000;
  dc_task_pull_back(&only, &model, &window, state, far, &cotangent, gradient);
  for (int i = 0; i < 60; i++)
    CHECK(gradient[i] > 0, "a saturated push still has a derivative: %g", gradient[i]);
}

// Targets at step k with time steps of h; the parameters' units do not matter here.
static void sample(struct dc_control *control, const struct dc_model *model, double h, long k, const double *p,
                   double *position, double *velocity)
{
  static struct targets targets;
  struct dc_task only = {.control_count = 1, .controls = control};
  struct dc_window window = {k, 1, h};
  apply(&only, model, &window, NULL, p, &targets);
  memcpy(position, targets.position, ACTUATORS * sizeof *position);
  memcpy(velocity, targets.velocity, ACTUATORS * sizeof *velocity);
}

// Sines and splines begin at rest, and their target velocities are the derivatives of their target positions.
static void test_velocities_in_time(void)
{
  struct dc_model model = hand_model();
  enum { FINE = 20000 };
  double h = 1.6 / FINE;
  set_controls(5, 1);
  model.definition.time = (struct dc_time_settings){.step = h, .steps = FINE};
  for (int c = SINES; c <= SPLINE; c += SPLINE - SINES) {
    double p[MOST_PARAMETERS], position[3][ACTUATORS], velocity[3][ACTUATORS];
    struct dc_random random;
    dc_random_seed(&random, 20);
    random_vector(&random, MOST_PARAMETERS, 0.6, p);
    for (long k = 0; k < FINE - 3; k += 613) {
      for (int i = 0; i < 3; i++)
        sample(&controls[c], &model, h, k + i, p, position[i], velocity[i]);
      for (int a = 0; a < ACTUATORS; a++) {
        CHECK_NEAR((position[2][a] - position[0][a]) / (2 * h), velocity[1][a], 1e-6);  // 1.4e-7 observed
        if (k == 0)
          CHECK(fabs(position[0][a]) < 1e-8 && fabs(velocity[0][a]) < 1e-5, "control %d begins at rest", c);
      }
    }
    double moved = 0;
    sample(&controls[c], &model, h, FINE / 2, p, position[0], velocity[0]);
    for (int a = 0; a < ACTUATORS; a++)
      moved = larger(moved, fabs(position[0][a]));
    CHECK(moved > 0.05, "and moves, by %g", moved);
  }
}

// With second_order targets are on the tangent at the beginning of a step, where those of the step before end by euler,
// or on the line from there to a bound that the tangent leaves.
static void test_tangents(void)
{
  struct dc_model model = hand_model(), second = model;
  set_controls(5, 1);
  second.definition.time.integrator = DC_SECOND_ORDER;
  int on_tangent = 0, at_bound = 0;
  for (int c = SINES; c <= SPLINE; c += SPLINE - SINES) {
    double p[MOST_PARAMETERS], position[2][ACTUATORS], velocity[2][ACTUATORS];
    struct dc_random random;
    dc_random_seed(&random, 21);
    random_vector(&random, MOST_PARAMETERS, 0.6, p);
    for (long k = 1; k < RUN_STEPS; k += 3) {
      sample(&controls[c], &model, TIME_STEP, k - 1, p, position[0], velocity[0]);
      sample(&controls[c], &second, TIME_STEP, k, p, position[1], velocity[1]);
      for (int a = 0; a < ACTUATORS; a++) {
        bool same = fabs(velocity[1][a] - velocity[0][a]) <= 1e-14;
        on_tangent += same && velocity[0][a] != 0, at_bound += !same;
        CHECK_NEAR(position[1][a] - TIME_STEP * velocity[1][a], position[0][a], 1e-14);
        CHECK(same || fabs(velocity[1][a]) < fabs(velocity[0][a]), "%g from %g", velocity[1][a], velocity[0][a]);
        CHECK(same || fabs(position[1][a]) == 0.3 || fabs(position[1][a]) == 0.2, "%.17g is a bound", position[1][a]);
      }
    }
  }
  CHECK(on_tangent > 20 && at_bound > 0, "%d on tangents, %d at bounds", on_tangent, at_bound);
}

// A spline through equal control points is constant once the zeros before them are passed.
static void test_spline(void)
{
  struct dc_model model = hand_model();
  set_controls(5, 1);
  struct dc_task only = {.control_count = 1, .controls = &controls[SPLINE]};
  static struct targets targets;
  double p[12];
  for (int i = 0; i < 12; i++)
    p[i] = i % 2 ? -0.1 : 0.2;
  struct dc_window window = {0, RUN_STEPS, TIME_STEP};
  apply(&only, &model, &window, NULL, p, &targets);
  for (int k = RUN_STEPS / 2; k < RUN_STEPS; k++) {
    CHECK_NEAR(targets.position[ACTUATORS * k + 4], 0.2, 1e-15);  // 6e-17 observed
    CHECK_NEAR(targets.position[ACTUATORS * k + 2], -0.1, 1e-15);
    CHECK_NEAR(targets.velocity[ACTUATORS * k + 4], 0, 1e-14);
  }
  for (int i = 0; i < 10; i++)
    p[i] = 0;
  apply(&only, &model, &window, NULL, p, &targets);
  CHECK(targets.position[ACTUATORS * (RUN_STEPS * 5 / 6 - 1) + 4] == 0, "the last point counts at the end only");
  CHECK_NEAR(targets.position[ACTUATORS * (RUN_STEPS - 1) + 4], 0.2 / 6, 1e-15);
}

RUN_TESTS({"bounds that keep the gradient", test_clamp}, {"names of coordinates", test_coordinates},
          {"checks of options", test_checks}, {"parameters and groups", test_parameters},
          {"pull-backs against differences", test_gradients}, {"windows that move on", test_windows},
          {"windows end to end", test_long_run}, {"what comes in at the end", test_nothing_new},
          {"limit between windows", test_limit}, {"recursion of the target velocity", test_velocity_recursion},
          {"target velocities in time", test_velocities_in_time},
          {"targets of second order go along tangents", test_tangents},
          {"spline", test_spline})
