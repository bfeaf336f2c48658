// SPDX-License-Identifier: Apache-2.0
// Objectives: values, derivatives against differences, reports and marks.
#include "harness.h"

#include "hand_model.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { STEPS = 3, FRAMES = STEPS + 1 };

struct fixture {
  struct dc_model model;
  struct dc_trajectory trajectory;
  struct dc_rollout_input input;
  struct dc_rollout_cotangent by_input;
  struct dc_loss_cotangent cotangent;
  double q[FRAMES][NQ], position[STEPS][ACTUATORS], velocity[STEPS][ACTUATORS];
  struct dc_pose poses[FRAMES][BODIES];
  double wrenches[FRAMES][BODIES][6], forces[FRAMES][NV];
  double by_position[STEPS][ACTUATORS], by_velocity[STEPS][ACTUATORS];
  double ones[4][BODIES], scales[4][BODIES];
};

static void clear(struct fixture *fixture)
{
  memset(fixture->wrenches, 0, sizeof fixture->wrenches);
  memset(fixture->forces, 0, sizeof fixture->forces);
  memset(fixture->by_position, 0, sizeof fixture->by_position);
  memset(fixture->by_velocity, 0, sizeof fixture->by_velocity);
}

// Random places of everything but the balls, random targets.
static struct fixture *create(unsigned seed)
{
  static struct fixture fixture;
  struct dc_random random;
  dc_random_seed(&random, seed);
  memset(&fixture, 0, sizeof fixture);
  fixture.model = hand_model();
  for (int frame = 0; frame < FRAMES; frame++) {
    memcpy(fixture.q[frame], fixture.model.bodies.initial_q, sizeof fixture.q[frame]);
    random_vector(&random, 1, 1, &fixture.q[frame][7]);
    random_vector(&random, 3, 1, &fixture.q[frame][12]);
    for (int i = 0; i < BODIES; i++) {
      struct dc_pose *pose = &fixture.poses[frame][i];
      random_vector(&random, 3, 1, pose->position);
      pose->quaternion[0] = 1;
      pose->rotation[0] = pose->rotation[4] = pose->rotation[8] = 1;
    }
  }
  random_vector(&random, STEPS * ACTUATORS, 1, fixture.position[0]);
  random_vector(&random, STEPS * ACTUATORS, 1, fixture.velocity[0]);
  for (int kind = 0; kind < 4; kind++)
    for (int i = 0; i < BODIES; i++)
      fixture.ones[kind][i] = 1;
  fixture.trajectory = (struct dc_trajectory){.steps = STEPS,
                                              .nq = NQ,
                                              .nv = NV,
                                              .time_step = TIME_STEP,
                                              .bodies = BODIES,
                                              .q = fixture.q[0],
                                              .poses = fixture.poses[0]};
  fixture.input =
      (struct dc_rollout_input){.q = fixture.q[0],
                                .velocity = fixture.forces[0],
                                .steps = STEPS,
                                .target_position = fixture.position[0],
                                .target_velocity = fixture.velocity[0],
                                .design = {1, {0}, fixture.ones[0], fixture.ones[1], fixture.ones[2], fixture.ones[3]}};
  fixture.by_input = (struct dc_rollout_cotangent){
      .steps = STEPS,
      .target_position = fixture.by_position[0],
      .target_velocity = fixture.by_velocity[0],
      .design = {0, {0}, fixture.scales[0], fixture.scales[1], fixture.scales[2], fixture.scales[3]}};
  fixture.cotangent = (struct dc_loss_cotangent){
      .frames = {.wrenches = fixture.wrenches[0], .forces = fixture.forces[0]}, .input = &fixture.by_input};
  return &fixture;
}

static double loss(const struct fixture *fixture, const struct dc_task *task)
{
  return dc_task_loss(task, &fixture->model, &fixture->input, &fixture->trajectory, NULL);
}

// Error of derivative against a central difference of the loss over *number.
static double error_of(const struct fixture *fixture, const struct dc_task *task, double *number, double derivative)
{
  double kept = *number, values[2];
  for (int side = 0; side < 2; side++) {
    *number = kept + (side ? -1e-6 : 1e-6);
    values[side] = loss(fixture, task);
  }
  *number = kept;
  return fabs(derivative - (values[0] - values[1]) / 2e-6);
}

// The groups' values make up the loss, their rows its derivative: 2 sum w e times that of d.
static void check_rows(struct fixture *fixture, const struct dc_task *task)
{
  static double wrenches[FRAMES][BODIES][6], forces[FRAMES][NV], targets[2][STEPS][ACTUATORS];
  const struct dc_model *model = &fixture->model;
  double sum = 0, scales[2][BODIES];
  clear(fixture);
  memset(fixture->scales, 0, sizeof fixture->scales);
  double value = dc_task_loss(task, model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
  memcpy(wrenches, fixture->wrenches, sizeof wrenches);
  memcpy(forces, fixture->forces, sizeof forces);
  memcpy(targets[0], fixture->by_position, sizeof targets[0]);
  memcpy(targets[1], fixture->by_velocity, sizeof targets[1]);
  memcpy(scales, fixture->scales[2], sizeof scales);
  clear(fixture);
  memset(fixture->scales, 0, sizeof fixture->scales);
  CHECK(dc_task_rowless_objective(task) == -1, "rows");
  int groups = dc_task_group_count(task, model, &fixture->trajectory);
  for (int g = 0; g < groups; g++) {
    struct dc_residual_group group;
    struct dc_loss_cotangent part = fixture->cotangent;
    double weights[DC_RESIDUAL_AXES];
    int last;
    dc_task_group(task, model, &fixture->input, &fixture->trajectory, g, &group, &part.first, &last);
    CHECK(part.first >= 0 && part.first <= last && last < FRAMES, "frames %d ... %d", part.first, last);
    CHECK(group.axes > 0 && group.axes <= DC_RESIDUAL_AXES, "%d axes", group.axes);
    part.frames.wrenches += part.first * BODIES;
    part.frames.forces += part.first * NV;
    sum += group.value;
    for (int k = 0; k < group.axes; k++)
      weights[k] = 2 * group.weight * group.e[k];
    dc_task_group_pull_back(task, model, &fixture->input, &fixture->trajectory, g, weights, &part);
  }
  CHECK_NEAR(sum, value, 1e-13 * value);  // 3e-16 observed
  for (int i = 0; i < FRAMES * BODIES * 6; i++)
    CHECK_NEAR((&fixture->wrenches[0][0][0])[i], (&wrenches[0][0][0])[i], 1e-13);
  for (int i = 0; i < FRAMES * NV; i++)
    CHECK_NEAR((&fixture->forces[0][0])[i], (&forces[0][0])[i], 1e-12);
  for (int i = 0; i < STEPS * ACTUATORS; i++) {
    CHECK_NEAR((&fixture->by_position[0][0])[i], (&targets[0][0][0])[i], 1e-12);
    CHECK_NEAR((&fixture->by_velocity[0][0])[i], (&targets[1][0][0])[i], 1e-12);
  }
  for (int i = 0; i < 2 * BODIES; i++)
    CHECK_NEAR((&fixture->scales[2][0])[i], (&scales[0][0])[i], 1e-12);
}

// Largest error over all places of bodies that move.
static double place_error(struct fixture *fixture, const struct dc_task *task)
{
  double worst = 0;
  clear(fixture);
  dc_task_loss(task, &fixture->model, &fixture->input, &fixture->trajectory, &fixture->cotangent);
  for (int frame = 0; frame < FRAMES; frame++)
    for (int body = 0; body < BODIES; body++)
      for (int i = 0; i < 3; i++) {
        double *wrench = fixture->wrenches[frame][body];
        CHECK(wrench[i] == 0, "torque %g", wrench[i]);
        if (body == WALL)
          CHECK(wrench[3 + i] == 0, "the wall does not move");
        else
          worst = fmax(worst, error_of(fixture, task, &fixture->poses[frame][body].position[i], wrench[3 + i]));
      }
  return worst;
}

static struct dc_reach_options reach_options(void)
{
  return (struct dc_reach_options){.body = BOX, .target = {1, 2, 3}, .tolerance = 0.5, .weight = 2, .axes = "xyz"};
}

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
  disc.size[0] = disc.size[1] = disc.size[2] = NAN, disc.radius = 0.1, disc.axes = "xy", disc.when = DC_WHEN_END;
  struct dc_velocity_options slow = {.bodies = {3, several}, .weight = 0.1, .when = DC_WHEN_EVERY, .axes = "xz"};
  struct dc_velocity_options last = {.bodies = {1, several}, .weight = 0.1, .when = DC_WHEN_END, .axes = "xyz"};
  struct dc_objective objectives[] = {{&dc_objective_reach, &end},     {&dc_objective_reach, &every},
                                      {&dc_objective_region, &box},    {&dc_objective_region, &disc},
                                      {&dc_objective_velocity, &slow}, {&dc_objective_velocity, &last}};
  for (int i = 0; i < 6; i++) {
    struct dc_error error = {0};
    struct dc_task one = {.objective_count = 1, .objectives = &objectives[i]};
    CHECK(objectives[i].type->check(objectives[i].options, &fixture->model, &error) == DC_OK, "%s", error.text);
    CHECK(loss(fixture, &one) > 0, "objective %d", i);
    // Rounding of the differences: 2.7e-9 of the first four observed, 3.2e-8 of velocities.
    CHECK_NEAR(place_error(fixture, &one), 0, i < 4 ? 2e-8 : 3e-7);
    check_rows(fixture, &one);
  }
  struct dc_task all = {.objective_count = 6, .objectives = objectives};
  CHECK_NEAR(place_error(fixture, &all), 0, 3e-7);  // 4.7e-8 observed
  check_rows(fixture, &all);
}

// Rest inside, at the rim, where its weight changes, and outside, where it has none.
static void test_rest_gradients(void)
{
  struct fixture *fixture = create(8);
  struct dc_reach_options reach = reach_options();
  reach.rest = (struct dc_rest_options){.speed = 0.3, .settle = 0.2};
  reach.body = -1, reach.bodies = (struct dc_index_list){3, several}, reach.when = DC_WHEN_EVERY;
  struct dc_region_options region = {.bodies = {3, several},
                                     .center = {0.1, 0, -0.2},
                                     .radius = 0.8,
                                     .size = {NAN, NAN, NAN},
                                     .weight = 3,
                                     .when = DC_WHEN_EVERY,
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
  reach.rest = (struct dc_rest_options){.speed = 0.5, .settle = h};
  for (int k = 0; k < 2; k++, way = 0.6 * h) {
    dc_vec_copy(fixture->poses[STEPS][BOX].position, reach.target);
    dc_vec_copy(fixture->poses[STEPS - 1][BOX].position, reach.target);
    fixture->poses[STEPS - 1][BOX].position[0] -= way;
    bool rests = k == 0;
    double z = 0.36 / 0.25 - 1, expected = 2 * h * h * 0.25 * z * z * z / pow(1 + z, 2);
    CHECK(dc_task_success(&task, model, trajectory, STEPS) == rests, "at %g m/s", way / h);
    CHECK_NEAR(loss(fixture, &task), rests ? 0 : expected, 1e-14);  // rounding of 1e-2
    reach.rest.settle = 2 * h;                                      // faster one frame before
    dc_vec_copy(fixture->poses[STEPS - 2][BOX].position, fixture->poses[STEPS - 1][BOX].position);
    fixture->poses[STEPS - 2][BOX].position[1] -= rests ? 0.6 * h : 0;
    CHECK(!dc_task_success(&task, model, trajectory, STEPS), "not for long enough");
    fixture->poses[STEPS - 2][BOX].position[1] += rests ? 0.2 * h : 0;
    CHECK(dc_task_success(&task, model, trajectory, STEPS) == rests, "for two steps");
    reach.rest.settle = h;
    single = *trajectory;
    single.steps = 0, single.earlier = STEPS, single.poses += (size_t)STEPS * BODIES;
    CHECK(dc_task_success(&task, model, &single, 0) == rests, "of one frame");
    CHECK_NEAR(dc_task_loss(&task, model, &fixture->input, &single, NULL), rests ? 0 : expected, 1e-14);
    single.earlier = 0;
    CHECK(dc_task_success(&task, model, &single, 0), "nothing is known to move");
  }
  struct dc_error error = {0};
  reach.tolerance = 0;
  CHECK(dc_objective_reach.check(&reach, model, &error) == DC_BAD_INPUT && strstr(error.text, "rest:"), "%s",
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
  CHECK(!dc_task_success(&task, model, trajectory, STEPS), "not reached at distance 1");
  CHECK_NEAR(fixture->wrenches[STEPS][BOX][4], 4, 0);

  last[1] = reach.target[1] + 0.5;  // exactly at the tolerance
  clear(fixture);
  CHECK_NEAR(dc_task_loss(&task, model, &fixture->input, trajectory, &fixture->cotangent), 0, 0);
  CHECK(dc_task_success(&task, model, trajectory, STEPS), "reached at the tolerance");
  CHECK(!dc_task_success(&task, model, trajectory, STEPS - 1), "not one frame before");
  for (int frame = 0; frame < FRAMES; frame++)
    for (int i = 0; i < BODIES; i++)
      CHECK(dc_vec_norm(fixture->wrenches[frame][i] + 3) == 0, "no derivative at frame %d", frame);

  last[2] = 100;  // does not count in the plane
  reach.axes = "xy";
  CHECK(dc_task_success(&task, model, trajectory, STEPS), "reached in the plane");
  int body, marked;
  double distance, target[3], radius;
  bool reached;
  dc_objective_reach.report(&reach, model, trajectory, STEPS, &body, &distance, &reached);
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
  CHECK(!dc_task_success(&none, model, trajectory, 0) && loss(fixture, &none) == 0, "empty");
  reach.body = WALL;  // never moves: a constant
  clear(fixture);
  CHECK(dc_task_loss(&task, model, &fixture->input, trajectory, &fixture->cotangent) > 0, "fixed body");
  CHECK(fixture->wrenches[0][WALL][3] == 0, "no derivative");
  fixture->poses[0][BOX].position[0] = NAN, reach.body = BOX;
  CHECK(isnan(loss(fixture, &task)), "a NaN is not swallowed");
  CHECK(!dc_task_success(&task, model, trajectory, 0), "nor a success");
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
  dc_objective_reach.report(&reach, &fixture->model, &fixture->trajectory, 2, &body, &distance, &reached);
  CHECK(body == worst && !reached, "body %d instead of %d", body, worst);
  CHECK_NEAR(distance, farthest, 1e-15);
  dc_objective_reach.report(&reach, &fixture->model, &fixture->trajectory, STEPS, &body, &distance, &reached);
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
      .bodies = {1, one}, .center = {1, 1, 0}, .size = {2, 1, 5}, .radius = NAN, .weight = 3, .axes = "xy"};
  struct dc_objective objective = {&dc_objective_region, &region};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  double *place = fixture->poses[STEPS][BOX].position, distance, target[3], radius;
  bool reached;
  place[0] = 2, place[1] = 0.6, place[2] = 100;
  CHECK_NEAR(loss(fixture, &task), 0, 0);
  CHECK(dc_task_success(&task, &fixture->model, &fixture->trajectory, STEPS), "on the edge is inside");
  place[0] = 2.3, place[1] = 0.1;  // (0.3, -0.4) outside
  CHECK_NEAR(loss(fixture, &task), 3 * 0.25, 1e-15);
  dc_objective_region.report(&region, &fixture->model, &fixture->trajectory, STEPS, &body, &distance, &reached);
  CHECK(body == BOX && !reached, "outside");
  CHECK_NEAR(distance, 0.5, 1e-15);
  region.tolerance = 0.51;
  CHECK(dc_task_success(&task, &fixture->model, &fixture->trajectory, STEPS), "within the tolerance");
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
  struct dc_velocity_options slow = {.bodies = {1, one}, .weight = 2, .when = DC_WHEN_END, .axes = "xz"};
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
  CHECK(!dc_task_success(&task, &fixture->model, &fixture->trajectory, 0), "nothing to reach");
  // An objective without something to reach does not keep another from being reached.
  struct dc_reach_options reach = {.body = BOX, .tolerance = 1, .weight = 1, .axes = "xyz"};
  struct dc_objective both[2] = {objective, {&dc_objective_reach, &reach}};
  struct dc_task two = {.objective_count = 2, .objectives = both};
  CHECK(dc_task_success(&two, &fixture->model, &fixture->trajectory, 0), "the other is reached");
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
    CHECK(!dc_task_success(&one, &fixture->model, &fixture->trajectory, STEPS), "not kept");
    CHECK(!dc_task_success(&one, &fixture->model, &fixture->trajectory, (int)(i ? 0 : 1)), "nothing to judge yet");
  }
  memcpy(fixture->poses[2], fixture->poses[0], sizeof fixture->poses[2]);
  struct dc_task second = {.objective_count = 1, .objectives = &objectives[1]};
  CHECK(dc_task_success(&second, &fixture->model, &fixture->trajectory, STEPS), "kept until frame 2");
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
      worst = fmax(worst, error_of(fixture, &task, &fixture->q[frame][coordinates[i][1]],
                                   fixture->forces[frame][coordinates[i][0]]));
  for (int step = 0; step < STEPS; step++)
    for (int a = 0; a < ACTUATORS; a++) {
      worst = fmax(worst, error_of(fixture, &task, &fixture->position[step][a], fixture->by_position[step][a]));
      worst = fmax(worst, error_of(fixture, &task, &fixture->velocity[step][a], fixture->by_velocity[step][a]));
    }
  CHECK_NEAR(worst, 0, 1e-6);  // rounding of the differences, 6.7e-9 observed
  effort.bodies.count = 0;
  CHECK(loss(fixture, &task) > expected, "all actuators");
  fixture->trajectory.steps = 0;
  CHECK_NEAR(loss(fixture, &task), 0, 0);
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
                 "bodies: must have an actuator (\"box\" has no pd)");
  struct dc_velocity_options slow = {.bodies = {1, without}, .weight = 1, .axes = "xq"};
  expect_refusal(dc_objective_velocity.check(&slow, &model, &error), &error, "axes: must be");
}

// ---- follow: a recording of box and knee at rows of their own times

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
  CHECK(dc_task_success(&task, model, trajectory, STEPS), "the recording itself");
  CHECK(dc_task_success(&task, model, trajectory, 2), "its last frame");
  CHECK(!dc_task_success(&task, model, trajectory, 1), "not yet");
  fixture->poses[1][KNEE].position[0] += 0.02;
  dc_objective_follow.report(&follow, model, trajectory, STEPS, &body, &distance, &reached);
  CHECK(body == KNEE && !reached, "the farthest");
  CHECK_NEAR(distance, 0.02, 1e-15);
  follow.tolerance = 0.021;
  CHECK(dc_task_success(&task, model, trajectory, STEPS), "within the tolerance");
  double *quaternion = fixture->poses[1][KNEE].quaternion, turn[3] = {0, 0.03, 0}, little[4];
  dc_rotation_exp(little, turn);
  dc_rotation_multiply(quaternion, little, quaternion);
  CHECK(!dc_task_success(&task, model, trajectory, STEPS), "turned too far");
  follow.rotation = 0;
  CHECK(dc_task_success(&task, model, trajectory, STEPS), "rotations do not count");
  fixture->poses[0][BOX].position[1] = NAN;
  CHECK(!dc_task_success(&task, model, trajectory, STEPS), "a NaN is no success");
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
          {"derivatives of rest", test_rest_gradients}, {"rest", test_rest}, {"reach of several bodies", test_several},
          {"region", test_region}, {"velocity", test_velocity}, {"relative", test_relative}, {"effort", test_effort},
          {"following a recording", test_follow}, {"near a recording", test_follow_report},
          {"a recording between its rows", test_follow_between}, {"checks of options", test_checks},
          {"registry of objectives", test_registry})
