// SPDX-License-Identifier: Apache-2.0
// The objective follow: a recording of box and knee at rows of their own times.
#include "objective_fixture.h"

enum { ROWS = 5 };

static const int seen_bodies[2] = {BOX, KNEE};

static const struct dc_recording *recording(unsigned seed)
{
  // frames are at 0, 0.04, 0.08 and 0.12 s: the first two have rows, the third is between rows, the last behind the end
  static const double time[ROWS] = {-0.01, 0, 0.04, 0.07, 0.1};
  static double position[ROWS][2][3], quaternion[ROWS][2][4];
  static const struct dc_recording made = {ROWS, 2, time, seen_bodies, position[0][0], quaternion[0][0]};
  struct dc_random random;
  dc_random_seed(&random, seed);
  for (int row = 0; row < ROWS; row++)
    for (int b = 0; b < 2; b++) {
      double turn[3];
      random_vector(&random, 3, 1, position[row][b]);
      random_vector(&random, 3, 1, turn);
      dc_rotation_exp(quaternion[row][b], turn);
    }
  quaternion[1][0][0] = position[1][1][2] = NAN;  // not seen
  return &made;
}

static struct dc_follow_options follow_options(const struct dc_model *model, struct dc_arena *arena)
{
  struct dc_follow_options follow = {.until = -1, .every = 1, .axes = "xyz", .weight = 3, .rotation = 2};
  struct dc_error error = {0};
  CHECK(dc_objective_follow.take_recording(&follow, recording(4), model, arena, &error) == DC_OK, "%s", error.text);
  return follow;
}

// Every row of a rotation against differences of its number.
static void check_turned_rows(struct fixture *fixture, const struct dc_task *task)
{
  const struct dc_model *model = &fixture->model;
  int turned = 0;
  for (int g = 0; g < dc_task_group_count(task, model, &fixture->trajectory); g++)
    for (int row = 0; row < 3; row++) {
      struct dc_residual_group group[2];
      int frame, body = -1;
      double weights[3] = {0};
      weights[row] = 1;
      dc_task_group(task, model, &fixture->input, &fixture->trajectory, g, group, &frame, &frame);
      if (row >= group->axes)
        continue;
      clear(fixture);
      dc_task_group_pull_back(task, model, &fixture->input, &fixture->trajectory, g, weights, &fixture->cotangent);
      for (int i = 0; i < BODIES; i++)
        if (dc_vec_norm(fixture->wrenches[frame][i]) > 0)
          body = i;
      for (int axis = 0; axis < 3 && body >= 0; axis++, turned++) {
        double *quaternion = fixture->poses[frame][body].quaternion, kept[4];
        memcpy(kept, quaternion, sizeof kept);
        for (int side = 0; side < 2; side++) {
          double turn[3] = {0}, little[4];
          turn[axis] = side ? -1e-6 : 1e-6;
          dc_rotation_exp(little, turn);
          dc_rotation_multiply(quaternion, little, kept);
          dc_task_group(task, model, &fixture->input, &fixture->trajectory, g, &group[side], &frame, &frame);
        }
        memcpy(quaternion, kept, sizeof kept);
        // 2e-10 observed
        CHECK_NEAR(fixture->wrenches[frame][body][axis], (group[0].d[row] - group[1].d[row]) / 2e-6, 3e-9);
      }
    }
  CHECK(turned == 9 * 5, "%d entries", turned);
}

static void test_follow(void)
{
  struct fixture *fixture = create(8);
  struct dc_arena *arena = dc_arena_create();
  struct dc_follow_options follow = follow_options(&fixture->model, arena), straight = follow;
  CHECK(follow.sample_count == 6 && follow.frame_count == 3, "%d samples of %d frames", follow.sample_count,
        follow.frame_count);
  struct dc_objective objective = {&dc_objective_follow, &straight};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  straight.rotation = 0;
  // the largest error was 5e-10
  CHECK(place_error(fixture, &task) <= 2e-9, "%g", place_error(fixture, &task));

  // rotations: bodies are turned and turned a little more
  objective.options = &follow;
  check_rows(fixture, &task);
  struct dc_random random;
  dc_random_seed(&random, 2);
  for (int frame = 0; frame < FRAMES; frame++)
    for (int body = 0; body < BODIES; body++) {
      double turn[3];
      random_vector(&random, 3, 1.5, turn);
      dc_rotation_exp(fixture->poses[frame][body].quaternion, turn);
    }
  clear(fixture);
  dc_task_loss(&task, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
  for (int frame = 0; frame < FRAMES; frame++)
    for (int body = 0; body < BODIES; body++)
      for (int axis = 0; axis < 3; axis++) {
        double *quaternion = fixture->poses[frame][body].quaternion, kept[4], values[2];
        memcpy(kept, quaternion, sizeof kept);
        for (int side = 0; side < 2; side++) {
          double turn[3] = {0}, little[4];
          turn[axis] = side ? -1e-6 : 1e-6;
          dc_rotation_exp(little, turn);
          dc_rotation_multiply(quaternion, little, kept);
          values[side] = loss(fixture, &task);
        }
        memcpy(quaternion, kept, sizeof kept);
        // 3e-9 observed
        CHECK_NEAR(fixture->wrenches[frame][body][axis], (values[0] - values[1]) / 2e-6, 1e-8);
      }
  CHECK(fixture->wrenches[0][BOX][0] == 0 && fixture->wrenches[0][KNEE][0] != 0, "what was not seen does not turn");
  CHECK(fixture->wrenches[0][KNEE][5] == 0 && fixture->wrenches[0][KNEE][4] != 0, "nor pull");
  CHECK(fixture->wrenches[3][BOX][3] == 0, "behind the recording nothing counts");
  check_rows(fixture, &task);
  check_turned_rows(fixture, &task);
  fixture->trajectory.steps = 1;
  check_rows(fixture, &task);
  CHECK(dc_task_group_count(&task, &fixture->model, &fixture->trajectory) == 7, "rows of two frames");
  dc_arena_destroy(arena);
}

// What is near is reached, once the recording is over.
static void test_follow_report(void)
{
  struct fixture *fixture = create(8);
  struct dc_arena *arena = dc_arena_create();
  struct dc_follow_options follow = follow_options(&fixture->model, arena);
  struct dc_objective objective = {&dc_objective_follow, &follow};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  const struct dc_model *model = &fixture->model;
  struct dc_trajectory *trajectory = &fixture->trajectory;
  int body;
  double distance;
  bool reached;
  for (int i = 0; i < follow.sample_count; i++) {
    const struct dc_follow_sample *sample = &follow.samples[i];
    struct dc_pose *pose = &fixture->poses[sample->frame][sample->body];
    for (int k = 0; k < 3; k++)
      if (!isnan(sample->position[k]))
        pose->position[k] = sample->position[k];
    if (!isnan(sample->quaternion[0]))
      memcpy(pose->quaternion, sample->quaternion, sizeof pose->quaternion);
  }
  follow.tolerance = 0.01, follow.rotation_tolerance = 0.02;
  CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS), "the recording itself");
  CHECK(dc_task_success(&task, model, NULL, trajectory, 2), "its last frame");
  CHECK(!dc_task_success(&task, model, NULL, trajectory, 1), "not yet");
  fixture->poses[1][KNEE].position[0] += 0.02;
  dc_objective_follow.report(&follow, model, NULL, trajectory, STEPS, &body, &distance, &reached);
  CHECK(body == KNEE && !reached, "the farthest");
  CHECK_NEAR(distance, 0.02, 1e-15);
  follow.tolerance = 0.021;
  CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS), "within the tolerance");
  double *quaternion = fixture->poses[1][KNEE].quaternion, turn[3] = {0, 0.03, 0}, little[4];
  dc_rotation_exp(little, turn);
  dc_rotation_multiply(quaternion, little, quaternion);
  CHECK(!dc_task_success(&task, model, NULL, trajectory, STEPS), "turned too far");
  follow.rotation = 0;
  CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS), "rotations do not count");
  fixture->poses[0][BOX].position[1] = NAN;
  CHECK(!dc_task_success(&task, model, NULL, trajectory, STEPS), "a NaN is no success");
  dc_arena_destroy(arena);
}

// Between rows: a third of the way from 0.07 s to 0.1 s.
static void test_follow_between(void)
{
  struct dc_model model = hand_model();
  struct dc_arena *arena = dc_arena_create();
  const struct dc_recording *rows = recording(4);
  struct dc_follow_options follow = follow_options(&model, arena);
  const struct dc_follow_sample *sample = &follow.samples[4];
  const double *a = rows->position + 18, *b = rows->position + 24, *from = rows->quaternion + 24,
               *to = rows->quaternion + 32;
  CHECK(sample->frame == 2 && sample->body == BOX, "frame %d, body %d", sample->frame, sample->body);
  double turn[3], rest[3], inverse[4], between[4];
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(sample->position[k], a[k] + (b[k] - a[k]) / 3, 1e-15);
  dc_rotation_conjugate(inverse, from);
  dc_rotation_multiply(between, sample->quaternion, inverse);
  dc_rotation_log(turn, between);
  dc_rotation_conjugate(inverse, sample->quaternion);
  dc_rotation_multiply(between, to, inverse);
  dc_rotation_log(rest, between);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(2 * turn[k], rest[k], 1e-14);
  // frames that count
  follow.from = 2, follow.until = 2;
  struct dc_error error = {0};
  CHECK(dc_objective_follow.take_recording(&follow, rows, &model, arena, &error) == DC_OK && follow.sample_count == 2,
        "%d", follow.sample_count);
  follow.from = 1, follow.until = -1, follow.every = 2;
  CHECK(dc_objective_follow.take_recording(&follow, rows, &model, arena, &error) == DC_OK && follow.frame_count == 1,
        "%d", follow.frame_count);
  follow.from = 3;
  expect_refusal(dc_objective_follow.take_recording(&follow, rows, &model, arena, &error), &error, "file: must tell");
  dc_arena_destroy(arena);
}

// Every entry of the registry is complete and its option table fills its structure.

RUN_TESTS({"following a recording", test_follow}, {"near a recording", test_follow_report},
          {"a recording between its rows", test_follow_between})
