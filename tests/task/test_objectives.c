// SPDX-License-Identifier: Apache-2.0
// Objectives: values, derivatives against differences, reports and marks.
#include "objective_fixture.h"
#include "task/pose.h"

static int several[3] = {KNEE, WALL, BOX};

static void test_gradients(void)
{
  struct fixture *fixture = create(3);
  struct dc_reach_options end = reach_options(), every = end;
  every.when = DC_WHEN_EVERY, every.axes = "xy", every.body = -1, every.bodies = (struct dc_index_list){3, several};
  struct dc_region_options box = {.bodies = {3, several},
                                  .center = {0.1, 0, -0.2},
                                  .size = {0.3, 0.8, 0.2},
                                  .radius = NAN,
                                  .weight = 3,
                                  .when = DC_WHEN_EVERY,
                                  .axes = "xyz"};
  struct dc_region_options disc = box;
  box.rest.inside = 0.7, disc.rest.inside = 0.6;
  disc.size[0] = disc.size[1] = disc.size[2] = NAN, disc.radius = 0.1, disc.axes = "xy", disc.when = DC_WHEN_END;
  struct dc_velocity_options slow = {
      .body = -1, .bodies = {3, several}, .angular = {NAN}, .weight = 0.1, .when = DC_WHEN_EVERY, .axes = "xz"};
  struct dc_velocity_options last = {
      .body = -1, .bodies = {1, several}, .angular = {NAN}, .weight = 0.1, .when = DC_WHEN_END, .axes = "xyz"};
  struct dc_com_options com = {
      .target = {0.1, -0.3, 2}, .tolerance = 0.1, .inside = 0.6, .weight = 2, .when = DC_WHEN_EVERY, .axes = "xz"};
  struct dc_objective objectives[] = {{&dc_objective_reach, &end},     {&dc_objective_reach, &every},
                                      {&dc_objective_region, &box},    {&dc_objective_region, &disc},
                                      {&dc_objective_velocity, &slow}, {&dc_objective_velocity, &last},
                                      {&dc_objective_com, &com}};
  static const int count = sizeof objectives / sizeof *objectives;
  for (int i = 0; i < count; i++) {
    struct dc_error error = {0};
    struct dc_task one = {.objective_count = 1, .objectives = &objectives[i]};
    CHECK(objectives[i].type->check(objectives[i].options, &fixture->model, &error) == DC_OK, "%s", error.text);
    CHECK(loss(fixture, &one) > 0, "objective %d", i);
    // Rounding of the differences: 2.7e-9 of the first four observed, 3.2e-8 of velocities.
    CHECK_NEAR(place_error(fixture, &one), 0, i < 4 ? 2e-8 : 3e-7);  // of the centre of mass 2e-9
    check_rows(fixture, &one);
  }
  struct dc_task all = {.objective_count = count, .objectives = objectives};
  CHECK_NEAR(place_error(fixture, &all), 0, 3e-7);  // 4.7e-8 observed
  check_rows(fixture, &all);
}

// Rest inside, at the rim, where its weight changes, and outside, where it has none; so many steps settle.
static void check_rest_gradients(int when, double settle)
{
  struct fixture *fixture = create(8);
  struct dc_reach_options reach = reach_options();
  reach.rest = (struct dc_rest_options){.speed = 0.3, .settle = settle, .inside = 0.7};
  reach.body = -1, reach.bodies = (struct dc_index_list){3, several}, reach.when = when;
  struct dc_region_options region = {.bodies = {3, several},
                                     .center = {0.1, 0, -0.2},
                                     .radius = 0.8,
                                     .size = {NAN, NAN, NAN},
                                     .weight = 3,
                                     .when = when,
                                     .axes = "xyz",
                                     .rest = reach.rest};
  struct dc_objective objectives[] = {{&dc_objective_reach, &reach}, {&dc_objective_region, &region}};
  struct dc_task all = {.objective_count = 2, .objectives = objectives};
  int gated = 0;
  for (double size = 0.5; size < 5; size *= 1.3) {
    reach.tolerance = region.radius = size;
    double rest = loss(fixture, &all);
    CHECK_NEAR(place_error(fixture, &all), 0, 1e-6);  // 1.1e-7 observed, rounding of losses of 10
    check_rows(fixture, &all);
    reach.rest.speed = region.rest.speed = NAN;
    gated += rest > loss(fixture, &all);
    reach.rest.speed = region.rest.speed = 0.3;
  }
  CHECK(gated > 3, "%d sizes at which motion counts", gated);
}

static void test_rest_gradients(void)
{
  check_rest_gradients(DC_WHEN_EVERY, 0.2);
  check_rest_gradients(DC_WHEN_END, TIME_STEP);
  check_rest_gradients(DC_WHEN_END, 2 * TIME_STEP);
  check_rest_gradients(DC_WHEN_END, 4 * TIME_STEP);  // longer than the run
}

// What moved at any time of the settling time has neither reached its target nor a loss of zero.
static void test_settling(void)
{
  struct fixture *fixture = create(9);
  struct dc_reach_options reach = reach_options();
  struct dc_objective objective = {&dc_objective_reach, &reach};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  struct dc_trajectory *trajectory = &fixture->trajectory;
  double h = trajectory->time_step;
  for (int settle = 1; settle <= STEPS; settle++)
    for (int moving = 0; moving < STEPS; moving++) {
      reach.rest = (struct dc_rest_options){.speed = 0.5, .settle = settle * h, .inside = 1};
      for (int frame = 0; frame <= STEPS; frame++) {
        dc_vec_copy(fixture->poses[frame][BOX].position, reach.target);
        fixture->poses[frame][BOX].position[0] -= frame <= moving ? 0.6 * h : 0;
      }
      bool rests = moving < STEPS - settle;
      double z = 0.36 / 0.25 - 1, one = 2 * settle * settle * h * h * 0.25 * z * z * z / pow(1 + z, 2);
      CHECK(dc_task_success(&task, &fixture->model, NULL, trajectory, STEPS) == rests, "%d steps", settle);
      CHECK_NEAR(loss(fixture, &task), rests ? 0 : one / settle, 1e-14);  // rounding of 1e-2
    }
}

// A body that passes has not reached its target; a frame alone knows of those that stand before it.
static void test_rest(void)
{
  struct fixture *fixture = create(9);
  struct dc_reach_options reach = reach_options();
  struct dc_objective objective = {&dc_objective_reach, &reach};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  const struct dc_model *model = &fixture->model;
  struct dc_trajectory *trajectory = &fixture->trajectory, single;
  double h = trajectory->time_step, way = 0.4 * h;
  reach.rest = (struct dc_rest_options){.speed = 0.5, .settle = h, .inside = 1};
  for (int k = 0; k < 2; k++, way = 0.6 * h) {
    dc_vec_copy(fixture->poses[STEPS][BOX].position, reach.target);
    dc_vec_copy(fixture->poses[STEPS - 1][BOX].position, reach.target);
    fixture->poses[STEPS - 1][BOX].position[0] -= way;
    bool rests = k == 0;
    double z = 0.36 / 0.25 - 1, expected = 2 * h * h * 0.25 * z * z * z / pow(1 + z, 2);
    CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS) == rests, "at %g m/s", way / h);
    CHECK_NEAR(loss(fixture, &task), rests ? 0 : expected, 1e-14);  // rounding of 1e-2
    reach.rest.settle = 2 * h;                                      // faster one frame before
    dc_vec_copy(fixture->poses[STEPS - 2][BOX].position, fixture->poses[STEPS - 1][BOX].position);
    fixture->poses[STEPS - 2][BOX].position[1] -= rests ? 0.6 * h : 0;
    CHECK(!dc_task_success(&task, model, NULL, trajectory, STEPS), "not for long enough");
    CHECK(loss(fixture, &task) > 0, "what has not reached has a loss");
    fixture->poses[STEPS - 2][BOX].position[1] += rests ? 0.2 * h : 0;
    CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS) == rests, "for two steps");
    reach.rest.settle = h;
    single = *trajectory;
    single.steps = 0, single.earlier = STEPS, single.poses += (size_t)STEPS * BODIES;
    CHECK(dc_task_success(&task, model, NULL, &single, 0) == rests, "of one frame");
    CHECK_NEAR(dc_task_loss(&task, model, &fixture->input, &single, NULL), rests ? 0 : expected, 1e-14);
    single.earlier = 0;
    CHECK(dc_task_success(&task, model, NULL, &single, 0), "nothing is known to move");
  }
  struct dc_error error = {0};
  reach.tolerance = 0;
  CHECK(dc_objective_reach.check(&reach, model, &error) == DC_BAD_INPUT && strstr(error.text, "rest:"), "%s",
        error.text);
}

// Derivatives by masses, of all bodies and of two.
static void test_com_masses(void)
{
  struct fixture *fixture = create(5);
  struct dc_com_options com = {.target = {1, 2, 3}, .inside = 1, .weight = 0.7, .when = DC_WHEN_EVERY, .axes = "xyz"};
  struct dc_objective objective = {&dc_objective_com, &com};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  static int two[2] = {KNEE, BOX};
  for (int all = 0; all < 2; all++) {
    com.bodies = all ? (struct dc_index_list){0, NULL} : (struct dc_index_list){2, two};
    clear(fixture);
    memset(fixture->scales, 0, sizeof fixture->scales);
    dc_task_loss(&task, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
    double largest = 0;
    for (int i = 0; i < BODIES; i++) {
      double by_mass = fixture->scales[0][i];
      CHECK_NEAR(error_of(fixture, &task, &fixture->ones[0][i], by_mass), 0, 1e-8);  // 1e-9 observed
      largest = larger(largest, fabs(by_mass));
    }
    CHECK(largest > 0.1, "%g", largest);
  }
  int wall = WALL;
  struct dc_error error = {0};
  com.bodies = (struct dc_index_list){1, &wall};
  CHECK(dc_objective_com.check(&com, &fixture->model, &error) == DC_BAD_INPUT && strstr(error.text, "bodies:"), "%s",
        error.text);
}

static void test_reach(void)
{
  struct fixture *fixture = create(4);
  struct dc_reach_options reach = reach_options();
  struct dc_objective objective = {&dc_objective_reach, &reach};
  struct dc_task task = {.objective_count = 1, .objectives = &objective}, none = {0};
  const struct dc_model *model = &fixture->model;
  struct dc_trajectory *trajectory = &fixture->trajectory;
  double *last = fixture->poses[STEPS][BOX].position, sum = 0;
  for (int i = 0; i < 3; i++)
    last[i] = reach.target[i] + (i == 1);
  CHECK_NEAR(dc_task_loss(&task, model, &fixture->input, trajectory, &fixture->cotangent), 2 * (1 - 0.25), 0);
  CHECK(!dc_task_success(&task, model, NULL, trajectory, STEPS), "not reached at distance 1");
  CHECK_NEAR(fixture->wrenches[STEPS][BOX][4], 4, 0);

  last[1] = reach.target[1] + 0.5;  // exactly at the tolerance
  clear(fixture);
  CHECK_NEAR(dc_task_loss(&task, model, &fixture->input, trajectory, &fixture->cotangent), 0, 0);
  CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS), "reached at the tolerance");
  CHECK(!dc_task_success(&task, model, NULL, trajectory, STEPS - 1), "not one frame before");
  for (int frame = 0; frame < FRAMES; frame++)
    for (int i = 0; i < BODIES; i++)
      CHECK(dc_vec_norm(fixture->wrenches[frame][i] + 3) == 0, "no derivative at frame %d", frame);

  last[2] = 100;  // does not count in the plane
  reach.axes = "xy";
  CHECK(dc_task_success(&task, model, NULL, trajectory, STEPS), "reached in the plane");
  int body, marked;
  double distance, target[3], radius;
  bool reached;
  dc_objective_reach.report(&reach, model, NULL, trajectory, STEPS, &body, &distance, &reached);
  CHECK(body == BOX && distance == 0.5 && reached, "distance %g", distance);
  CHECK(dc_objective_reach.mark(&reach, 0, &marked, target, &radius) && marked == BOX && target[2] == 3 &&
            radius == 0.5 && !dc_objective_reach.mark(&reach, 1, &marked, target, &radius),
        "mark");

  // "every" is the mean of "end" over shorter trajectories
  reach = reach_options();
  for (int frame = 1; frame <= STEPS; frame++) {
    trajectory->steps = frame;
    sum += loss(fixture, &task) / STEPS;
  }
  reach.when = DC_WHEN_EVERY;
  CHECK_NEAR(loss(fixture, &task), sum, 1e-14 * sum);
  trajectory->steps = 0;
  double every = loss(fixture, &task);
  reach.when = DC_WHEN_END;
  CHECK_NEAR(every, loss(fixture, &task), 0);
  CHECK(!dc_task_success(&none, model, NULL, trajectory, 0) && loss(fixture, &none) == 0, "empty");
  reach.body = WALL;  // never moves: a constant
  clear(fixture);
  CHECK(dc_task_loss(&task, model, &fixture->input, trajectory, &fixture->cotangent) > 0, "fixed body");
  CHECK(fixture->wrenches[0][WALL][3] == 0, "no derivative");
  fixture->poses[0][BOX].position[0] = NAN, reach.body = BOX;
  CHECK(isnan(loss(fixture, &task)), "a NaN is not swallowed");
  CHECK(!dc_task_success(&task, model, NULL, trajectory, 0), "nor a success");
}

// Several bodies are the sum of one each; the report is about the farthest.
static void test_several(void)
{
  struct fixture *fixture = create(5);
  struct dc_reach_options reach = reach_options();
  struct dc_objective objective = {&dc_objective_reach, &reach};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  double sum = 0, farthest = 0, distance, target[3], radius;
  int worst = -1, body;
  bool reached;
  for (int i = 0; i < 3; i++) {
    reach.body = several[i];
    sum += loss(fixture, &task);
    double away = dc_vec_distance(fixture->poses[2][several[i]].position, reach.target);
    if (away > farthest)
      farthest = away, worst = several[i];
    dc_vec_add_scaled(fixture->poses[STEPS][several[i]].position, reach.target, i ? 0 : 0.1, reach.target);
  }
  reach.body = -1, reach.bodies = (struct dc_index_list){3, several};
  dc_objective_reach.report(&reach, &fixture->model, NULL, &fixture->trajectory, 2, &body, &distance, &reached);
  CHECK(body == worst && !reached, "body %d instead of %d", body, worst);
  CHECK_NEAR(distance, farthest, 1e-15);
  dc_objective_reach.report(&reach, &fixture->model, NULL, &fixture->trajectory, STEPS, &body, &distance, &reached);
  CHECK(body == KNEE && reached, "all within the tolerance");
  for (int i = 0; i < 3; i++)
    CHECK(dc_objective_reach.mark(&reach, i, &body, target, &radius) && body == several[i], "mark %d", i);
  CHECK(!dc_objective_reach.mark(&reach, 3, &body, target, &radius), "three marks");
  fixture = create(5);
  CHECK_NEAR(loss(fixture, &task), sum, 1e-13);
}

static void test_region(void)
{
  struct fixture *fixture = create(6);
  int one[1] = {BOX}, body;
  struct dc_region_options region = {
      .bodies = {1, one}, .center = {1, 1, 0}, .size = {2, 1, 5}, .radius = NAN,
      .weight = 3,        .axes = "xy",        .rest = {.inside = 1}};
  struct dc_objective objective = {&dc_objective_region, &region};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  double *place = fixture->poses[STEPS][BOX].position, distance, target[3], radius;
  bool reached;
  place[0] = 2, place[1] = 0.6, place[2] = 100;
  CHECK_NEAR(loss(fixture, &task), 0, 0);
  CHECK(dc_task_success(&task, &fixture->model, NULL, &fixture->trajectory, STEPS), "on the edge is inside");
  place[0] = 2.3, place[1] = 0.1;  // (0.3, -0.4) outside
  CHECK_NEAR(loss(fixture, &task), 3 * 0.25, 1e-15);
  dc_objective_region.report(&region, &fixture->model, NULL, &fixture->trajectory, STEPS, &body, &distance, &reached);
  CHECK(body == BOX && !reached, "outside");
  CHECK_NEAR(distance, 0.5, 1e-15);
  region.tolerance = 0.51;
  CHECK(dc_task_success(&task, &fixture->model, NULL, &fixture->trajectory, STEPS), "within the tolerance");
  CHECK(dc_objective_region.mark(&region, 0, &body, target, &radius) && body == -1 && radius == 0.5, "mark");
  CHECK(!dc_objective_region.mark(&region, 1, &body, target, &radius), "one mark");

  region.size[0] = region.size[1] = region.size[2] = NAN, region.radius = 0.5;
  place[0] = 1 + 0.6, place[1] = 1 + 0.8;
  CHECK_NEAR(loss(fixture, &task), 3 * 0.25, 1e-15);
  CHECK(dc_objective_region.mark(&region, 0, &body, target, &radius) && radius == 0.5, "mark of a disc");
  region.radius = 0, place[0] = place[1] = 1;
  CHECK(loss(fixture, &task) == 0 && place_error(fixture, &task) < 1e-5, "a point");
  place[0] = NAN;
  CHECK(isnan(loss(fixture, &task)), "a NaN is not swallowed");
}

static void test_velocity(void)
{
  struct fixture *fixture = create(7);
  int one[1] = {BOX};
  struct dc_velocity_options slow = {
      .body = -1, .bodies = {1, one}, .angular = {NAN}, .weight = 2, .when = DC_WHEN_END, .axes = "xz"};
  struct dc_objective objective = {&dc_objective_velocity, &slow};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  for (int frame = 0; frame < FRAMES; frame++)
    for (int i = 0; i < 3; i++)
      fixture->poses[frame][BOX].position[i] = TIME_STEP * (i + 1) * frame * frame;  // last velocity: 5 (1, 2, 3) m/s
  CHECK_NEAR(loss(fixture, &task), 2 * 25 * 10, 1e-11);
  slow.when = DC_WHEN_EVERY;
  CHECK_NEAR(loss(fixture, &task), 2 * (1 + 9 + 25) * 10 / 3.0, 1e-11);
  fixture->trajectory.steps = 0;
  CHECK_NEAR(loss(fixture, &task), 0, 0);
  CHECK(!dc_task_success(&task, &fixture->model, NULL, &fixture->trajectory, 0), "nothing to reach");
  // An objective without something to reach does not keep another from being reached.
  struct dc_reach_options reach = {.body = BOX, .tolerance = 1, .weight = 1, .axes = "xyz"};
  struct dc_objective both[2] = {objective, {&dc_objective_reach, &reach}};
  struct dc_task two = {.objective_count = 2, .objectives = both};
  CHECK(dc_task_success(&two, &fixture->model, NULL, &fixture->trajectory, 0), "the other is reached");
}

// Value by hand, derivatives against differences, report.
static void test_relative(void)
{
  struct fixture *fixture = create(9);
  struct dc_error error = {0};
  struct dc_relative_options held = {.body = BOX,
                                     .to = KNEE,
                                     .from = 1,
                                     .until = -1,
                                     .tolerance = 0.1,
                                     .weight = 2,
                                     .when = DC_WHEN_EVERY,
                                     .axes = "xz"};
  struct dc_relative_options stays = {
      .body = BOX, .to = -1, .until = 2, .tolerance = 0.1, .weight = 3, .when = DC_WHEN_END, .axes = "xyz"};
  struct dc_objective objectives[2] = {{&dc_objective_relative, &held}, {&dc_objective_relative, &stays}};
  fixture->model.definition.time.steps = STEPS;
  double sum = 0;
  for (int frame = 2; frame < FRAMES; frame++)
    for (int k = 0; k < 3; k += 2) {
      double d = fixture->poses[frame][BOX].position[k] - fixture->poses[frame][KNEE].position[k] -
                 fixture->poses[1][BOX].position[k] + fixture->poses[1][KNEE].position[k];
      sum += d * d;
    }
  for (int i = 0; i < 2; i++) {
    struct dc_task one = {.objective_count = 1, .objectives = &objectives[i]};
    CHECK(dc_objective_relative.check(objectives[i].options, &fixture->model, &error) == DC_OK, "%s", error.text);
    CHECK_NEAR(place_error(fixture, &one), 0, 2e-8);  // rounding of the differences, 2.0e-9 observed
    check_rows(fixture, &one);
    CHECK_NEAR(loss(fixture, &one),
               i ? 3 * pow(dc_vec_distance(fixture->poses[2][BOX].position, fixture->poses[0][BOX].position), 2) : sum,
               1e-12);
    CHECK(!dc_task_success(&one, &fixture->model, NULL, &fixture->trajectory, STEPS), "not kept");
    CHECK(!dc_task_success(&one, &fixture->model, NULL, &fixture->trajectory, (int)(i ? 0 : 1)),
          "nothing to judge yet");
  }
  memcpy(fixture->poses[2], fixture->poses[0], sizeof fixture->poses[2]);
  struct dc_task second = {.objective_count = 1, .objectives = &objectives[1]};
  CHECK(dc_task_success(&second, &fixture->model, NULL, &fixture->trajectory, STEPS), "kept until frame 2");
  stays.until = STEPS + 1;
  expect_refusal(dc_objective_relative.check(&stays, &fixture->model, &error), &error, "until: must be <= 3");
  stays.until = 2, stays.from = 3;
  expect_refusal(dc_objective_relative.check(&stays, &fixture->model, &error), &error, "from: must be <= 2");
  stays.from = 0, stays.to = BOX;
  expect_refusal(dc_objective_relative.check(&stays, &fixture->model, &error), &error, "to: must name another");
  stays.body = WALL;
  expect_refusal(dc_objective_relative.check(&stays, &fixture->model, &error), &error, "body: must move");
}

static void test_effort(void)
{
  struct fixture *fixture = create(8);
  int some[2] = {KNEE, SLEDGE};
  struct dc_effort_options effort = {.bodies = {2, some}, .weight = 0.01};
  struct dc_objective objective = {&dc_objective_effort, &effort};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  CHECK(dc_objective_effort.check(&effort, &fixture->model, NULL) == DC_OK, "check");
  check_rows(fixture, &task);
  clear(fixture);
  memset(fixture->scales, 0, sizeof fixture->scales);
  double expected = 0, worst = 0, forces[ACTUATORS];
  for (int step = 0; step < STEPS; step++) {
    dc_rollout_actuator_forces(&fixture->model, &fixture->input, &fixture->trajectory, step, forces);
    expected += 0.01 / STEPS * forces[6] * forces[6];
    for (int a = 10; a < 13; a++)
      expected += 0.01 / STEPS * forces[a] * forces[a];
  }
  CHECK(expected > 1, "forces act: %g", expected);
  CHECK_NEAR(loss(fixture, &task), expected, 1e-13 * expected);
  clear(fixture);
  dc_task_loss(&task, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
  const int coordinates[4][2] = {{6, 7}, {10, 12}, {11, 13}, {12, 14}};  // of tangent and state
  for (int frame = 0; frame < FRAMES; frame++)
    for (int i = 0; i < 4; i++)
      worst = larger(worst, error_of(fixture, &task, &fixture->q[frame][coordinates[i][1]],
                                     fixture->forces[frame][coordinates[i][0]]));
  for (int step = 0; step < STEPS; step++)
    for (int a = 0; a < ACTUATORS; a++) {
      worst = larger(worst, error_of(fixture, &task, &fixture->position[step][a], fixture->by_position[step][a]));
      worst = larger(worst, error_of(fixture, &task, &fixture->velocity[step][a], fixture->by_velocity[step][a]));
    }
  CHECK_NEAR(worst, 0, 1e-6);  // rounding of the differences, 6.7e-9 observed
  effort.bodies.count = 0;
  CHECK(loss(fixture, &task) > expected, "all actuators");
  fixture->trajectory.steps = 0;
  CHECK_NEAR(loss(fixture, &task), 0, 0);
}

static void test_speed(void)
{
  struct fixture *fixture = create(8);
  int some[2] = {KNEE, SLEDGE};
  struct dc_body *bodies = (struct dc_body *)fixture->model.bodies.bodies, *knee = &bodies[KNEE],
                 *sledge = &bodies[SLEDGE];
  double before[2] = {knee->limits.velocity, sledge->limits.velocity}, h = fixture->trajectory.time_step;
  knee->limits.velocity = 0.5;
  sledge->limits.velocity = 2;
  struct dc_speed_options speed = {.bodies = {2, some}, .weight = 0.3, .part = 0.8};
  struct dc_objective objective = {&dc_objective_speed, &speed};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  CHECK(dc_objective_speed.check(&speed, &fixture->model, NULL) == DC_OK, "check");
  check_rows(fixture, &task);
  clear(fixture);
  const int coordinates[4][2] = {{6, 7}, {10, 12}, {11, 13}, {12, 14}};  // of tangent and state
  double expected = 0, worst = 0;
  for (int step = 0; step < STEPS; step++)
    for (int i = 0; i < 4; i++) {
      double v = (fixture->q[step + 1][coordinates[i][1]] - fixture->q[step][coordinates[i][1]]) / h;
      double e = fmax(fabs(v) / (i ? 2 : 0.5) - 0.8, 0);
      expected += 0.3 / STEPS * e * e;
    }
  CHECK(expected > 1e-3, "some are faster: %g", expected);
  CHECK_NEAR(loss(fixture, &task), expected, 1e-13 * expected);
  clear(fixture);
  dc_task_loss(&task, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
  for (int frame = 0; frame < FRAMES; frame++)
    for (int i = 0; i < 4; i++)
      worst = larger(worst, error_of(fixture, &task, &fixture->q[frame][coordinates[i][1]],
                                     fixture->forces[frame][coordinates[i][0]]));
  CHECK_NEAR(worst, 0, 1e-6);  // rounding of the differences
  fixture->trajectory.steps = 0;
  CHECK_NEAR(loss(fixture, &task), 0, 0);
  fixture->trajectory.steps = STEPS;
  struct dc_error error = {0};
  sledge->limits.velocity = NAN;
  expect_refusal(dc_objective_speed.check(&speed, &fixture->model, &error), &error, "bodies[1]");
  knee->limits.velocity = before[0];
  sledge->limits.velocity = before[1];
}

// A pose is reach and orientation together: value, derivatives and rows are theirs, reached is both.
static void test_pose(void)
{
  struct fixture *fixture = create(9);
  struct dc_pose_options pose = {.body = 0,
                                 .target = {0.3, -0.2, 0.5},
                                 .rotation = {0.9, 0.3, 0.3, 0.1},
                                 .tolerance = 0.05,
                                 .rotation_tolerance = 0.1,
                                 .inside = 0.5,
                                 .weight = 0.7,
                                 .rotation_weight = 0.4,
                                 .when = DC_WHEN_EVERY,
                                 .axes = "xz"};
  struct dc_reach_options reach = {.target = {0.3, -0.2, 0.5}, .tolerance = 0.05, .weight = 0.7,
                                   .when = DC_WHEN_EVERY, .axes = "xz", .rest = {.speed = NAN, .inside = 0.5}};
  struct dc_orientation_options turn = {
      .goal = {.tolerance = 0.1, .inside = 0.5, .weight = 0.4, .when = DC_WHEN_EVERY}, .target = {0.9, 0.3, 0.3, 0.1}};
  struct dc_objective one = {&dc_objective_pose, &pose},
                      both[2] = {{&dc_objective_reach, &reach}, {&dc_objective_orientation, &turn}};
  struct dc_task task = {.objective_count = 1, .objectives = &one}, parts = {.objective_count = 2, .objectives = both};
  CHECK(dc_objective_pose.check(&pose, &fixture->model, NULL) == DC_OK, "check");
  check_rows(fixture, &task);
  clear(fixture);
  double value = dc_task_loss(&task, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
  double wrenches[FRAMES][BODIES][6], difference = 0;
  memcpy(wrenches, fixture->wrenches, sizeof wrenches);
  clear(fixture);
  CHECK_NEAR(dc_task_loss(&parts, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent), value,
             1e-15);
  for (int i = 0; i < FRAMES * BODIES * 6; i++)
    difference = fmax(difference, fabs((&wrenches[0][0][0])[i] - (&fixture->wrenches[0][0][0])[i]));
  CHECK(value > 0.1 && difference == 0, "value %g, difference %g", value, difference);
  struct dc_condition conditions[DC_CONDITIONS_MOST];
  pose.tolerance = 100;
  int count = dc_task_conditions(&one, &fixture->model, &fixture->input, &fixture->trajectory, STEPS, conditions);
  CHECK(count == 2 && conditions[0].holds && !conditions[1].holds, "the place only");
  CHECK(!dc_task_success(&task, &fixture->model, &fixture->input, &fixture->trajectory, STEPS), "not reached");
  pose.rotation_tolerance = 4;
  CHECK(dc_task_success(&task, &fixture->model, &fixture->input, &fixture->trajectory, STEPS), "both");
  struct dc_error error = {0};
  pose.rotation[0] = 2;
  expect_refusal(dc_objective_pose.check(&pose, &fixture->model, &error), &error, "rotation: must be of unit length");
}

static void test_checks(void)
{
  struct dc_model model = hand_model();
  struct dc_error error = {0};
  const char *const wrong_axes[] = {"", "xx", "w", "xyzx", "X"};
  for (int i = 0; i < 5; i++) {
    struct dc_reach_options reach = reach_options();
    reach.axes = wrong_axes[i];
    expect_refusal(dc_objective_reach.check(&reach, &model, &error), &error, "axes: must be");
  }
  struct dc_reach_options reach = reach_options();
  reach.bodies = (struct dc_index_list){3, several};
  expect_refusal(dc_objective_reach.check(&reach, &model, &error), &error, "body: must be given, or bodies");
  reach.body = -1, reach.bodies.count = 0;
  expect_refusal(dc_objective_reach.check(&reach, &model, &error), &error, "body: must be given, or bodies");
  int twice[2] = {BOX, BOX}, without[1] = {BOX};
  reach.bodies = (struct dc_index_list){2, twice};
  expect_refusal(dc_objective_reach.check(&reach, &model, &error), &error, "bodies: must name each body once (\"box\"");
  struct dc_region_options region = {.bodies = {3, several}, .size = {1, 1, 1}, .radius = 1, .axes = "xy"};
  expect_refusal(dc_objective_region.check(&region, &model, &error), &error, "size: must be given, or radius");
  region.radius = NAN, region.size[0] = NAN;
  expect_refusal(dc_objective_region.check(&region, &model, &error), &error, "size: must be given, or radius");
  region.size[0] = 1, region.bodies.count = 0;
  expect_refusal(dc_objective_region.check(&region, &model, &error), &error, "bodies: must name a body");
  struct dc_effort_options effort = {.bodies = {1, without}, .weight = 1};
  expect_refusal(dc_objective_effort.check(&effort, &model, &error), &error,
                 "bodies: must have an actuator (\"box\" has no pd");
  struct dc_velocity_options slow = {.body = -1, .bodies = {1, without}, .angular = {NAN}, .weight = 1, .axes = "xq"};
  expect_refusal(dc_objective_velocity.check(&slow, &model, &error), &error, "axes: must be");
}

enum { ROWS = 5 };
static void test_registry(void)
{
  struct dc_arena *arena = dc_arena_create();
  for (int i = 0; dc_objective_types[i]; i++) {
    const struct dc_objective_type *type = dc_objective_types[i];
    void *options = dc_arena_alloc(arena, 1, type->options_size);
    CHECK(dc_options_set_defaults(type->options, options, arena, NULL) == DC_OK, "%s", type->name);
    CHECK(type->summary && type->reference && type->check && type->evaluate, "%s", type->name);
    CHECK(type->report || !type->mark, "%s", type->name);
    CHECK(!type->recorded == !type->take_recording && !type->recorded == (dc_option_find(type->options, "file") < 0),
          "%s", type->name);
  }
  dc_arena_destroy(arena);
}

RUN_TESTS({"derivatives by places", test_gradients}, {"values of reach", test_reach},
          {"derivatives by masses", test_com_masses}, {"derivatives of rest", test_rest_gradients}, {"rest", test_rest},
          {"settling", test_settling}, {"reach of several bodies", test_several}, {"region", test_region},
          {"velocity", test_velocity}, {"relative", test_relative}, {"effort", test_effort}, {"speed", test_speed}, {"pose", test_pose},
          {"checks of options", test_checks}, {"registry of objectives", test_registry})
