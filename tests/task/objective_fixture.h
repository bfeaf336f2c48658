// SPDX-License-Identifier: Apache-2.0
// A short trajectory of the hand model with random places, and its loss by differences.
#ifndef DC_TESTS_TASK_OBJECTIVE_FIXTURE_H
#define DC_TESTS_TASK_OBJECTIVE_FIXTURE_H

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

static inline void clear(struct fixture *fixture)
{
  memset(fixture->wrenches, 0, sizeof fixture->wrenches);
  memset(fixture->forces, 0, sizeof fixture->forces);
  memset(fixture->by_position, 0, sizeof fixture->by_position);
  memset(fixture->by_velocity, 0, sizeof fixture->by_velocity);
}

// Random places of everything but the balls, random targets.
static inline struct fixture *create(unsigned seed)
{
  static struct fixture fixture;
  struct dc_random random;
  dc_random_seed(&random, seed);
  memset(&fixture, 0, sizeof fixture);
  fixture.model = hand_model();
  for (int i = 0; i < BODIES; i++)
    fixture.model.bodies.bodies[i].mass = 1 + 0.3 * i;
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
  fixture.input = (struct dc_rollout_input){.q = fixture.q[0],
                                            .velocity = fixture.forces[0],
                                            .steps = STEPS,
                                            .target_position = fixture.position[0],
                                            .target_velocity = fixture.velocity[0],
                                            .design = {.stiffness_scale = 1,
                                                       .body_mass_scale = fixture.ones[0],
                                                       .friction_scale = fixture.ones[1],
                                                       .kp_scale = fixture.ones[2],
                                                       .kd_scale = fixture.ones[3]}};
  fixture.by_input = (struct dc_rollout_cotangent){.steps = STEPS,
                                                   .target_position = fixture.by_position[0],
                                                   .target_velocity = fixture.by_velocity[0],
                                                   .design = {.stiffness_scale = 0,
                                                              .body_mass_scale = fixture.scales[0],
                                                              .friction_scale = fixture.scales[1],
                                                              .kp_scale = fixture.scales[2],
                                                              .kd_scale = fixture.scales[3]}};
  fixture.cotangent = (struct dc_loss_cotangent){
      .frames = {.wrenches = fixture.wrenches[0], .forces = fixture.forces[0]}, .input = &fixture.by_input};
  return &fixture;
}

static inline double loss(const struct fixture *fixture, const struct dc_task *task)
{
  return dc_task_loss(task, &fixture->model, &fixture->input, &fixture->trajectory, NULL);
}

// Error of derivative against a central difference of the loss over *number.
static inline double error_of(const struct fixture *fixture, const struct dc_task *task, double *number,
                              double derivative)
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
static inline void check_rows(struct fixture *fixture, const struct dc_task *task)
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
static inline double place_error(struct fixture *fixture, const struct dc_task *task)
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
          worst = larger(worst, error_of(fixture, task, &fixture->poses[frame][body].position[i], wrench[3 + i]));
      }
  return worst;
}

static inline struct dc_reach_options reach_options(void)
{
  return (struct dc_reach_options){
      .body = BOX, .target = {1, 2, 3}, .tolerance = 0.5, .weight = 2, .axes = "xyz", .rest = {.inside = 1}};
}

#endif
