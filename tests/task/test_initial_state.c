// SPDX-License-Identifier: Apache-2.0
// The control "initial_state": offsets of the start and its pull-back against differences.
#include "harness.h"

#include "hand_model.h"
#include "math/rotation.h"
#include "math/vector.h"

// Two controls act on the box, one on the rod.
static struct dc_initial_state_options start_options[3];
static struct dc_control controls[3];
static const struct dc_task start_task = {.control_count = 3, .controls = controls};
static const struct dc_window window = {0, 0, TIME_STEP};
enum { PARAMETERS = 12 + 4 + 2 };

static void set_controls(void)
{
  static double numbers[12];
  for (int i = 0; i < 12; i++)
    numbers[i] = 0.1 * (i + 1);
  start_options[0] = (struct dc_initial_state_options){BOX, "xyz", "xyz", "xyz", "xyz", {12, numbers}};
  start_options[1] = (struct dc_initial_state_options){ROD, "xz", "", "y", "x", {0, NULL}};
  start_options[2] = (struct dc_initial_state_options){BOX, "", "xz", "", "", {0, NULL}};
  for (int i = 0; i < 3; i++)
    controls[i] = (struct dc_control){&dc_control_initial_state, &start_options[i]};
}

static void start_input(const struct dc_model *model, struct dc_rollout_input *input, double *q, double *velocity)
{
  *input = (struct dc_rollout_input){.q = q, .velocity = velocity};
  memcpy(q, model->bodies.initial_q, NQ * sizeof *q);
  for (int i = 0; i < NV; i++)
    velocity[i] = 0.1 * i;
}

// The coordinates of the free bodies at q, seen from q_0, as tangent vectors; those of the others are left alone.
static void difference_of(const struct dc_model *model, const double *q_0, const double *q, double *tangent)
{
  for (int i = ROD; i <= BOX; i += BOX - ROD) {
    const struct dc_body *body = &model->bodies.bodies[i];
    const double *a = q_0 + body->q_offset, *b = q + body->q_offset;
    double back[4], turn[4];
    dc_rotation_conjugate(back, a + 3);
    dc_rotation_multiply(turn, b + 3, back);
    dc_rotation_log(tangent + body->v_offset, turn);
    dc_vec_sub(tangent + body->v_offset + 3, b, a);
  }
}

static void move(const struct dc_model *model, const double *tangent, double scale, double *q)
{
  for (int i = ROD; i <= BOX; i += BOX - ROD) {
    const struct dc_body *body = &model->bodies.bodies[i];
    double *own = q + body->q_offset, w[3], turn[4];
    dc_vec_scale(w, tangent + body->v_offset, scale);
    dc_rotation_exp(turn, w);
    dc_rotation_multiply(own + 3, turn, own + 3);
    dc_vec_add_scaled(own, own, scale, tangent + body->v_offset + 3);
  }
}

static void test_checks(void)
{
  struct dc_model model = hand_model();
  struct dc_error error = {0};
  double numbers[3] = {1, 2, 3};
  const struct dc_initial_state_options good = {BOX, "xy", "", "", "z", {3, numbers}};
  struct dc_initial_state_options bad = good;
  const struct dc_control_type *type = &dc_control_initial_state;
  CHECK(type->check(&good, &model, &error) == DC_OK, "%s", error.text);
  bad.body = WALL;
  expect_refusal(type->check(&bad, &model, &error), &error, "body: must be a free or soft body (\"wall\" is fixed)");
  bad.body = HIP;
  expect_refusal(type->check(&bad, &model, &error), &error, "body: must be a free or soft body (\"hip\" is ball)");
  bad = good, bad.position = "yx";
  expect_refusal(type->check(&bad, &model, &error), &error, "position: must be a subset");
  bad = good, bad.rotation = "xx";
  expect_refusal(type->check(&bad, &model, &error), &error, "rotation: must be a subset");
  bad = good, bad.velocity = "w";
  expect_refusal(type->check(&bad, &model, &error), &error, "velocity: must be a subset");
  bad = good, bad.angular_velocity = "xyzz";
  expect_refusal(type->check(&bad, &model, &error), &error, "angular_velocity: must be a subset");
  bad = good, bad.initial.count = 2;
  expect_refusal(type->check(&bad, &model, &error), &error, "initial: must hold 3 numbers");
}

static void test_apply(void)
{
  struct dc_model model = hand_model();
  set_controls();
  double p[PARAMETERS], q[NQ], start[NQ], velocity[NV], start_velocity[NV], difference[NV];
  struct dc_rollout_input input, untouched;
  start_input(&model, &untouched, start, start_velocity);
  CHECK(dc_task_parameter_count(&start_task, &model, 9) == PARAMETERS, "count");
  const char *const names[PARAMETERS] = {
      "box.position.x",         "box.position.y",         "box.position.z", "box.rotation.x", "box.rotation.y",
      "box.rotation.z",         "box.velocity.x",         "box.velocity.y", "box.velocity.z", "box.angular_velocity.x",
      "box.angular_velocity.y", "box.angular_velocity.z", "rod.position.x", "rod.position.z", "rod.velocity.y",
      "rod.angular_velocity.x", "box.rotation.x",         "box.rotation.z"};
  for (int i = 0; i < PARAMETERS; i++) {
    char text[64];
    dc_task_parameter_name(&start_task, &model, 9, i, text, sizeof text);
    CHECK(strcmp(text, names[i]) == 0, "%s instead of %s", text, names[i]);
  }
  const int expected[PARAMETERS] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 7, 7};
  int group[PARAMETERS];
  CHECK(dc_task_groups(&start_task, &model, 9, group) == 8 && memcmp(group, expected, sizeof group) == 0, "groups");
  CHECK(dc_task_start_control(&start_task) == 0 && dc_task_state_size(&start_task, &model) == 0, "start only");

  dc_task_initial(&start_task, &model, 9, p);
  CHECK(p[4] == 0.1 * 5 && p[12] == 0 && p[17] == 0, "initial");
  start_input(&model, &input, q, velocity);
  dc_task_apply(&start_task, &model, &window, NULL, p, &input);
  difference_of(&model, start, q, difference);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(difference[13 + i], p[3 + i], 1e-14);  // 2e-16 observed
    CHECK_NEAR(difference[16 + i], p[i], 1e-14);
    CHECK_NEAR(velocity[13 + i] - start_velocity[13 + i], p[9 + i], 1e-14);
    CHECK_NEAR(velocity[16 + i] - start_velocity[16 + i], p[6 + i], 1e-14);
  }
  CHECK(memcmp(q, start, 15 * sizeof *q) == 0, "zero offsets leave every bit");
}

// A smooth function of the start, relative to a nearby state.
static double start_function(const struct dc_model *model, const struct dc_rollout_input *input, const double *state,
                             const double *weights)
{
  double value = 0, offset[NV] = {0};
  difference_of(model, state, input->q, offset);
  for (int i = 0; i < NV; i++)
    value += weights[i] * sin(offset[i]) + weights[NV + i] * sin(input->velocity[i]);
  return value;
}

// The cotangent of the actual start by central differences in its tangent space, pulled back, against differences
// over the parameters.
static void test_pull_back(void)
{
  struct dc_model model = hand_model();
  set_controls();
  struct dc_random random;
  dc_random_seed(&random, 11);
  double p[PARAMETERS], weights[2 * NV], state[NQ], q[NQ], velocity[NV], offset[NV], gradient[PARAMETERS], worst = 0;
  struct dc_rollout_input input;
  random_vector(&random, 2 * NV, 1, weights);
  random_vector(&random, PARAMETERS, 0.8, p);
  random_vector(&random, NV, 0.5, offset);
  start_input(&model, &input, q, velocity);
  memcpy(state, q, sizeof state);
  move(&model, offset, 1, state);
  dc_task_apply(&start_task, &model, &window, NULL, p, &input);

  double cotangent_q[NV], cotangent_velocity[NV], actual[NQ];
  memcpy(actual, q, sizeof actual);
  for (int i = 0; i < NV; i++) {
    double tangent[NV] = {0}, values[2];
    tangent[i] = 1;
    for (int side = 0; side < 2; side++) {
      memcpy(q, actual, sizeof actual);
      move(&model, tangent, side ? -1e-5 : 1e-5, q);
      values[side] = start_function(&model, &input, state, weights);
    }
    memcpy(q, actual, sizeof actual);
    cotangent_q[i] = (values[0] - values[1]) / 2e-5;
    cotangent_velocity[i] = weights[NV + i] * cos(velocity[i]);
  }
  struct dc_rollout_cotangent cotangent = {.q = cotangent_q, .velocity = cotangent_velocity};
  // The transposed product: of a direction of the parameters and of the start before the control.
  double along_q[NV], along_velocity[NV], before_q[NV], before_velocity[NV], direction[PARAMETERS], products[2] = {0};
  random_vector(&random, NV, 1, along_q);
  random_vector(&random, NV, 1, along_velocity);
  random_vector(&random, PARAMETERS, 1, direction);
  memcpy(before_q, along_q, sizeof before_q);
  memcpy(before_velocity, along_velocity, sizeof before_velocity);
  struct dc_rollout_cotangent moved = {.q = along_q, .velocity = along_velocity};
  dc_task_push_forward(&start_task, &model, &window, NULL, p, direction, &moved);
  for (int i = 0; i < NV; i++)
    products[0] += cotangent_q[i] * along_q[i] + cotangent_velocity[i] * along_velocity[i];
  dc_task_pull_back(&start_task, &model, &window, NULL, p, &cotangent, gradient);
  for (int i = 0; i < NV; i++)
    products[1] += cotangent_q[i] * before_q[i] + cotangent_velocity[i] * before_velocity[i];
  for (int i = 0; i < PARAMETERS; i++)
    products[1] += gradient[i] * direction[i];
  CHECK_NEAR(products[0], products[1], 1e-13);  // 2e-15 observed

  for (int i = 0; i < PARAMETERS; i++) {
    double kept = p[i], values[2];
    for (int side = 0; side < 2; side++) {
      p[i] = kept + (side ? -1e-5 : 1e-5);
      start_input(&model, &input, q, velocity);
      dc_task_apply(&start_task, &model, &window, NULL, p, &input);
      values[side] = start_function(&model, &input, state, weights);
    }
    p[i] = kept;
    worst = larger(worst, fabs(gradient[i] - (values[0] - values[1]) / 2e-5));
  }
  CHECK_NEAR(worst, 0, 5e-10);  // 2.8e-11 observed
}

RUN_TESTS({"checks of options", test_checks}, {"offsets of the initial state", test_apply},
          {"pull-back of the initial state", test_pull_back})
