// SPDX-License-Identifier: Apache-2.0
// Tasks: objectives against differences in the tangent space, pull-backs of controls against differences.
#include "harness.h"

#include "fixture.h"
#include "math/vector.h"
#include "task/task.h"

enum { FREE, FIXED };
enum { PUSHER, WALL, BALL, BODIES };  // nq = 14, nv = 12
enum { NQ = 14, NV = 12, STEPS = 3 };

static struct dc_model create_model(struct dc_arena *arena)
{
  struct dc_random random;
  dc_random_seed(&random, 7);
  struct dc_body_definition definitions[BODIES] = {fixture_body("pusher", FREE, TETRAHEDRON),
                                                   fixture_body("wall", FIXED, TETRAHEDRON),
                                                   fixture_body("ball", FREE, TETRAHEDRON)};
  for (int i = 0; i < BODIES; i++) {
    fixture_random_vector(&random, 3, 1, definitions[i].position);
    fixture_random_rotation(&random, definitions[i].rotation);
  }
  fixture_random_vector(&random, 3, 1, definitions[BALL].velocity);
  struct dc_model model = {0};
  CHECK(dc_bodies_create(&model.bodies, BODIES, definitions, fixture_shapes, arena, NULL) == DC_OK, "bodies");
  return model;
}

static void fill_trajectory(struct dc_trajectory *trajectory, double *q, const struct dc_model *model, unsigned seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  *trajectory = (struct dc_trajectory){.steps = STEPS, .nq = NQ, .nv = NV, .time_step = 0.04, .q = q};
  for (int frame = 0; frame <= STEPS; frame++) {
    double tangent[NV];
    fixture_random_vector(&random, NV, 0.5, tangent);
    dc_initial_state(&model->bodies, q + NQ * frame);
    dc_state_move(&model->bodies, q + NQ * frame, 1, tangent, q + NQ * frame);
  }
}

// Largest difference between the derivative of the task's loss and central differences, in the tangent space of every
// frame.
static double loss_error(const struct dc_task *task, const struct dc_model *model)
{
  double q[NQ * (STEPS + 1)], frames[NV * (STEPS + 1)], worst = 0;
  struct dc_trajectory trajectory;
  fill_trajectory(&trajectory, q, model, 3);
  dc_task_loss(task, model, &trajectory, frames);
  for (int frame = 0; frame <= STEPS; frame++)
    for (int i = 0; i < NV; i++) {
      double kept[NQ], tangent[NV] = {0}, values[2];
      tangent[i] = 1;
      memcpy(kept, q + NQ * frame, sizeof kept);
      for (int side = 0; side < 2; side++) {
        dc_state_move(&model->bodies, kept, side ? -1e-6 : 1e-6, tangent, q + NQ * frame);
        values[side] = dc_task_loss(task, model, &trajectory, NULL);
      }
      memcpy(q + NQ * frame, kept, sizeof kept);
      worst = fmax(worst, fabs(frames[NV * frame + i] - (values[0] - values[1]) / 2e-6));
    }
  return worst;
}

static struct dc_reach_options reach_options(void)
{
  return (struct dc_reach_options){.body = BALL, .target = {1, 2, 3}, .tolerance = 0.5, .weight = 2, .axes = "xyz"};
}

static void test_reach_gradient(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_model model = create_model(arena);
  struct dc_reach_options end = reach_options(), every = end;
  every.when = DC_WHEN_EVERY, every.axes = "xy", every.body = PUSHER;
  struct dc_objective objectives[2] = {{&dc_objective_reach, &end}, {&dc_objective_reach, &every}};
  struct dc_task task = {.objective_count = 2, .objectives = objectives};
  CHECK(dc_objective_reach.check(&end, &model, NULL) == DC_OK, "end");
  CHECK(dc_objective_reach.check(&every, &model, NULL) == DC_OK, "every");
  CHECK_NEAR(loss_error(&task, &model), 0, 5e-8);  // rounding of the differences: 4.5e-9 observed
  dc_arena_destroy(arena);
}

static void test_reach_values(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_model model = create_model(arena);
  struct dc_reach_options reach = reach_options();
  struct dc_objective objective = {&dc_objective_reach, &reach};
  struct dc_task task = {.objective_count = 1, .objectives = &objective}, none = {0};
  double q[NQ * (STEPS + 1)], frames[NV * (STEPS + 1)], sum = 0;
  struct dc_trajectory trajectory;
  fill_trajectory(&trajectory, q, &model, 4);
  double *last = q + NQ * STEPS + 7;
  for (int i = 0; i < 3; i++)
    last[i] = reach.target[i] + (i == 1);
  CHECK_NEAR(dc_task_loss(&task, &model, &trajectory, frames), 2 * (1 - 0.25), 0);
  CHECK(!dc_task_success(&task, &model, &trajectory), "not reached at distance 1");
  CHECK_NEAR(frames[NV * STEPS + 10], 4, 0);

  last[1] = reach.target[1] + 0.5;  // exactly at the tolerance
  CHECK_NEAR(dc_task_loss(&task, &model, &trajectory, frames), 0, 0);
  CHECK(dc_task_success(&task, &model, &trajectory), "reached at the tolerance");
  for (int i = 0; i < NV * (STEPS + 1); i++)
    CHECK_NEAR(frames[i], 0, 0);

  last[2] = 100;  // does not count in the plane
  reach.axes = "xy";
  CHECK(dc_task_success(&task, &model, &trajectory), "reached in the plane");
  int body, marked;
  double distance, target[3], radius;
  bool reached;
  dc_objective_reach.report(&reach, &model, &trajectory, &body, &distance, &reached);
  CHECK(body == BALL && distance == 0.5 && reached, "distance %g", distance);
  CHECK(dc_objective_reach.mark(&reach, &marked, target, &radius) && marked == reach.body && target[2] == 3 &&
            radius == 0.5,
        "mark");

  // "every" is the mean of "end" over shorter trajectories
  reach = reach_options();
  for (int frame = 1; frame <= STEPS; frame++) {
    trajectory.steps = frame;
    sum += dc_task_loss(&task, &model, &trajectory, NULL) / STEPS;
  }
  reach.when = DC_WHEN_EVERY;
  CHECK_NEAR(dc_task_loss(&task, &model, &trajectory, NULL), sum, 1e-14 * sum);
  trajectory.steps = 0;
  double every = dc_task_loss(&task, &model, &trajectory, frames);
  reach.when = DC_WHEN_END;
  CHECK_NEAR(every, dc_task_loss(&task, &model, &trajectory, NULL), 0);

  CHECK(!dc_task_success(&none, &model, &trajectory) && dc_task_loss(&none, &model, &trajectory, frames) == 0, "empty");
  reach.body = WALL;  // never moves: a constant
  CHECK(dc_task_loss(&task, &model, &trajectory, frames) > 0 && frames[0] == 0, "fixed body");
  q[7] = NAN, reach.body = BALL;
  CHECK(isnan(dc_task_loss(&task, &model, &trajectory, frames)), "a NaN is not swallowed");
  CHECK(!dc_task_success(&task, &model, &trajectory), "nor a success");
  dc_arena_destroy(arena);
}

static void expect_refusal(enum dc_status status, const struct dc_error *error, const char *start)
{
  CHECK(status == DC_BAD_INPUT && strncmp(error->text, start, strlen(start)) == 0, "%d \"%s\" instead of \"%s\"",
        (int)status, error->text, start);
}

static void test_checks(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_model model = create_model(arena);
  struct dc_error error = {0};
  const char *const wrong_axes[] = {"", "xx", "w", "xyzx", "X"};
  for (int i = 0; i < 5; i++) {
    struct dc_reach_options reach = reach_options();
    reach.axes = wrong_axes[i];
    expect_refusal(dc_objective_reach.check(&reach, &model, &error), &error, "axes: must be");
  }
  double numbers[3] = {1, 2, 3};
  const struct dc_initial_state_options good = {BALL, "xy", "", "", "z", {3, numbers}};
  struct dc_initial_state_options bad = good;
  const struct dc_control_type *type = &dc_control_initial_state;
  CHECK(type->check(&good, &model, &error) == DC_OK, "%s", error.text);
  bad.body = WALL;
  expect_refusal(type->check(&bad, &model, &error), &error, "body: must be a free body (\"wall\" is fixed)");
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
  dc_arena_destroy(arena);
}

// Two controls act on the ball, one on the pusher.
static struct dc_initial_state_options start_options[3];
static struct dc_control controls[3];
static const struct dc_task start_task = {.control_count = 3, .controls = controls};
enum { PARAMETERS = 12 + 4 + 2 };

static void set_controls(void)
{
  static double numbers[12];
  for (int i = 0; i < 12; i++)
    numbers[i] = 0.1 * (i + 1);
  start_options[0] = (struct dc_initial_state_options){BALL, "xyz", "xyz", "xyz", "xyz", {12, numbers}};
  start_options[1] = (struct dc_initial_state_options){PUSHER, "xz", "", "y", "x", {0, NULL}};
  start_options[2] = (struct dc_initial_state_options){BALL, "", "xz", "", "", {0, NULL}};
  for (int i = 0; i < 3; i++)
    controls[i] = (struct dc_control){&dc_control_initial_state, &start_options[i]};
}

static void start_input(const struct dc_model *model, struct dc_rollout_input *input, double *q, double *velocity)
{
  *input = (struct dc_rollout_input){.q = q, .velocity = velocity};
  dc_initial_state(&model->bodies, q);
  for (int i = 0; i < BODIES; i++)
    if (i != WALL) {
      const struct dc_body *body = &model->bodies.bodies[i];
      dc_vec_copy(velocity + body->v_offset, body->angular_velocity);
      dc_vec_copy(velocity + body->v_offset + 3, body->velocity);
    }
}

static void test_apply(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_model model = create_model(arena);
  set_controls();
  double p[PARAMETERS], q[NQ], start[NQ], velocity[NV], start_velocity[NV], difference[NV];
  struct dc_rollout_input input, untouched;
  start_input(&model, &untouched, start, start_velocity);
  CHECK(dc_task_parameter_count(&start_task, &model) == PARAMETERS, "count");
  const char *const names[] = {"ball.position.x",         "ball.rotation.y",   "ball.velocity.z",
                               "ball.angular_velocity.z", "pusher.position.z", "pusher.angular_velocity.x",
                               "ball.rotation.z"};
  const int numbers[] = {0, 4, 8, 11, 13, 15, 17};
  for (int i = 0; i < 7; i++) {
    char text[64];
    dc_task_parameter_name(&start_task, &model, numbers[i], text, sizeof text);
    CHECK(strcmp(text, names[i]) == 0, "%s instead of %s", text, names[i]);
  }
  dc_task_initial(&start_task, &model, p);
  CHECK(p[4] == 0.1 * 5 && p[12] == 0 && p[17] == 0, "initial");
  start_input(&model, &input, q, velocity);
  dc_task_apply(&start_task, &model, p, &input);
  dc_state_difference(&model.bodies, start, q, difference);
  for (int i = 0; i < 3; i++) {
    CHECK_NEAR(difference[6 + i], p[3 + i], 1e-14);  // 2e-16 observed
    CHECK_NEAR(difference[9 + i], p[i], 1e-14);
    CHECK_NEAR(velocity[6 + i] - start_velocity[6 + i], p[9 + i], 1e-14);
    CHECK_NEAR(velocity[9 + i] - start_velocity[9 + i], p[6 + i], 1e-14);
  }
  CHECK(memcmp(q, start, 7 * sizeof *q) == 0, "zero offsets leave every bit");
  dc_arena_destroy(arena);
}

// A smooth function of the start: f = u . log(R' R~^T) and so on for a nearby reference state, plus a quadratic of
// everything.
static double start_function(const struct dc_model *model, const struct dc_rollout_input *input, const double *state,
                             const double *weights, double *offset)
{
  double value = 0;
  dc_state_difference(&model->bodies, state, input->q, offset);
  for (int i = 0; i < NV; i++)
    value += weights[i] * sin(offset[i]) + weights[NV + i] * sin(input->velocity[i]);
  return value;
}

// The cotangent of the actual start by central differences in its tangent space, pulled back, against differences
// over the parameters.
static void test_pull_back(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_model model = create_model(arena);
  set_controls();
  struct dc_random random;
  dc_random_seed(&random, 11);
  double p[PARAMETERS], weights[2 * NV], state[NQ], q[NQ], velocity[NV], offset[NV], gradient[PARAMETERS], worst = 0;
  struct dc_rollout_input input;
  fixture_random_vector(&random, 2 * NV, 1, weights);
  fixture_random_vector(&random, PARAMETERS, 0.8, p);
  fixture_random_vector(&random, NV, 0.5, offset);
  start_input(&model, &input, q, velocity);
  dc_state_move(&model.bodies, q, 1, offset, state);
  dc_task_apply(&start_task, &model, p, &input);

  double cotangent_q[NV], cotangent_velocity[NV], actual[NQ];
  memcpy(actual, q, sizeof actual);
  for (int i = 0; i < NV; i++) {
    double tangent[NV] = {0}, values[2];
    tangent[i] = 1;
    for (int side = 0; side < 2; side++) {
      dc_state_move(&model.bodies, actual, side ? -1e-5 : 1e-5, tangent, q);
      values[side] = start_function(&model, &input, state, weights, offset);
    }
    memcpy(q, actual, sizeof actual);
    cotangent_q[i] = (values[0] - values[1]) / 2e-5;
    cotangent_velocity[i] = weights[NV + i] * cos(velocity[i]);
  }
  struct dc_rollout_cotangent cotangent = {.q = cotangent_q, .velocity = cotangent_velocity};
  dc_task_pull_back(&start_task, &model, p, &cotangent, gradient);

  for (int i = 0; i < PARAMETERS; i++) {
    double kept = p[i], values[2];
    for (int side = 0; side < 2; side++) {
      p[i] = kept + (side ? -1e-5 : 1e-5);
      start_input(&model, &input, q, velocity);
      dc_task_apply(&start_task, &model, p, &input);
      values[side] = start_function(&model, &input, state, weights, offset);
    }
    p[i] = kept;
    worst = fmax(worst, fabs(gradient[i] - (values[0] - values[1]) / 2e-5));
  }
  CHECK_NEAR(worst, 0, 5e-10);  // 3.8e-11 observed
  dc_arena_destroy(arena);
}

// Every entry of the registries is complete and its option table fills its structure.
static void test_registries(void)
{
  struct dc_arena *arena = dc_arena_create();
  for (int i = 0; dc_control_types[i]; i++) {
    const struct dc_control_type *type = dc_control_types[i];
    void *options = dc_arena_alloc(arena, 1, type->options_size);
    CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
    CHECK(type->summary && type->reference && type->check && type->parameter_count && type->parameter_name &&
              type->initial && type->apply && type->pull_back,
          "%s", type->name);
    CHECK(type->parameter_count(options, NULL) == 0, "%s by default", type->name);
  }
  for (int i = 0; dc_objective_types[i]; i++) {
    const struct dc_objective_type *type = dc_objective_types[i];
    void *options = dc_arena_alloc(arena, 1, type->options_size);
    CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
    CHECK(type->summary && type->reference && type->check && type->evaluate && type->report && type->mark, "%s",
          type->name);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"gradient of reach", test_reach_gradient}, {"values of reach", test_reach_values},
          {"checks of options", test_checks}, {"offsets of the initial state", test_apply},
          {"pull-back of the initial state", test_pull_back}, {"registries", test_registries})
