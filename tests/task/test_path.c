// SPDX-License-Identifier: Apache-2.0
// The control path: prescribed targets without parameters.
#include "harness.h"

#include "hand_model.h"

// Rests at every given time, moves monotonously between them, has no parameters.
static void test_path(void)
{
  struct dc_model model = hand_model();
  struct dc_error error = {0};
  double times[3] = {0.08, 0.24, 0.4}, positions[6] = {0.1, 0, 0.5, -0.2, 0.5, 0.3};
  struct dc_path_options path = {
      .actuator = {.body = ROD, .coordinates = "x z"}, .times = {3, times}, .positions = {6, positions}};
  struct dc_control control = {&dc_control_path, &path};
  struct dc_task one = {.control_count = 1, .controls = &control};
  struct dc_window window = {.first = 2, .steps = 10, .time_step = TIME_STEP};
  static double position[10 * ACTUATORS], velocity[10 * ACTUATORS];
  struct dc_rollout_input input = {.steps = 10, .target_position = position, .target_velocity = velocity};
  CHECK(dc_control_path.check(&path, &model, &error) == DC_OK, "%s", error.text);
  CHECK(dc_task_parameter_count(&one, &model, 10) == 0, "no parameters");
  dc_task_apply(&one, &model, &window, NULL, NULL, &input);
  for (int step = 0; step < 10; step++) {
    double t = (step + 3) * TIME_STEP, s = fmin(fmax((t - 0.08) / 0.16, 0), 1), *at = position + step * ACTUATORS;
    CHECK_NEAR(at[3], 0.1 + 0.4 * s * s * (3 - 2 * s), 1e-15);
    CHECK_NEAR(velocity[step * ACTUATORS + 3], s < 1 - 1e-9 ? 0.4 * 6 * s * (1 - s) / 0.16 : 0, 1e-13);
    CHECK(at[4] == 0, "y does not move");
  }
  CHECK_NEAR(position[5 * ACTUATORS + 5], 0.05, 1e-15);  // half way of z at 0.32 s
  CHECK_NEAR(position[9 * ACTUATORS + 5], 0.3, 0);
  path.positions.count = 5;
  expect_refusal(dc_control_path.check(&path, &model, &error), &error, "positions: must hold 6 numbers");
  path.positions.count = 6, times[1] = 0.08;
  expect_refusal(dc_control_path.check(&path, &model, &error), &error, "times[1]: must be >= 0 and later than");
  path.times.count = 0;
  expect_refusal(dc_control_path.check(&path, &model, &error), &error, "times: must hold at least one");
}

RUN_TESTS({"path", test_path})
