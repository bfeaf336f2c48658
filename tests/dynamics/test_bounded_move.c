// SPDX-License-Identifier: Apache-2.0
// Moves changed so that they keep their distance: closed forms, and what steps gain by it.
#include "harness.h"

#include "dynamics/mechanisms.h"
#include "dynamics/step.h"

static const double KEEP = 0.3;  // as in bounded_move.c

// Contact at the state of the model's start, a metric with masses [mechanisms] for every coordinate, bounded move.
static double bound(struct scene *scene, const double *masses, double *move)
{
  struct dc_rollout *rollout = scene->rollout;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double q[7 * SCENE_BODIES], block[36];
  dc_initial_state(bodies, q);
  dc_kinematics_update(bodies, q, &rollout->now);
  CHECK(isfinite(dc_contact_evaluate(rollout->rigid.contact, rollout->now.poses, 0, rollout->rigid.pairs)),
        "evaluated");
  dc_symmetric_clear(rollout->matrix);
  for (int m = 0; m < bodies->mechanism_count; m++) {
    int nv = bodies->mechanisms[m].nv;
    memset(block, 0, sizeof block);
    for (int k = 0; k < nv; k++)
      block[(nv + 1) * k] = masses[m];
    dc_symmetric_add_block(rollout->matrix, m, m, 1, block, nv);
  }
  CHECK(dc_symmetric_factor_positive(rollout->matrix) == DC_OK, "positive");
  const struct dc_move_start start = {
      .contact = rollout->rigid.contact, .q = q, .kinematics = &rollout->now, .metric = rollout->matrix};
  double change = dc_bound_move(rollout->bounded, &start, &rollout->path, move);
  // What is left of the bounds.
  struct dc_gap_bound bounds[8];
  dc_path_begin(&rollout->path, q, move, &rollout->now);
  CHECK(dc_contact_gap_bounds(rollout->rigid.contact, &rollout->path, KEEP - 0.01, bounds, 8) == 0,
        "all bounds are kept");
  return change;
}

// An octahedron stands 1 mm above a plane on its vertex and falls: seven tenths of that are left to it, exactly; the
// other coordinates stay.  So do moves that come to nothing.
static void test_above_a_plane(void)
{
  struct scene scene;
  scene_begin(&scene);
  scene_body(&scene, "ball", scene_sphere(&scene, 0.1, 0, "octahedron"), 1, 0, 0, 0.101);
  scene_body(&scene, "ground", scene_plane(&scene), 0, 0, 0, 0);
  scene_create(&scene);
  double fall[6] = {0, 0, 0.01, 0.05, 0.02, -0.03}, rise[6] = {0.1, 0, 0, 0, 0, 0.01}, before[6];
  memcpy(before, rise, sizeof rise);
  CHECK(bound(&scene, (const double[]){2}, rise) == 0 && memcmp(before, rise, sizeof rise) == 0, "nothing in the way");
  memcpy(before, fall, sizeof fall);
  double change = bound(&scene, (const double[]){2}, fall);
  CHECK_NEAR(change, 2 * (fall[5] + 0.03) * (fall[5] + 0.03), 1e-15);
  CHECK_NEAR(fall[5], -(1 - KEEP) * 0.001, 1e-6 * 0.001 + 1e-3 * 0.0007);  // 1e-3 of the room is the tolerance
  for (int k = 0; k < 5; k++)
    CHECK_NEAR(fall[k], before[k], 1e-15);
  scene_end(&scene);
}

// Two boxes that move towards each other share the correction by the metric: what one loses times its mass the other
// one gets.
static void test_sharing(void)
{
  struct scene scene;
  scene_begin(&scene);
  int box = scene_box(&scene, 0.2, 0.2, 0.2, 1, 1, 1);
  scene_body(&scene, "a", box, 1, 0.202, 0, 0);
  scene_body(&scene, "b", box, 1, 0, 0, 0);
  scene_create(&scene);
  double move[12] = {0}, masses[2] = {1, 3};
  move[3] = -0.02, move[9] = 0.01;
  CHECK(bound(&scene, masses, move) > 0, "in the way");
  CHECK_NEAR(masses[0] * (move[3] + 0.02) + masses[1] * (move[9] - 0.01), 0, 1e-12);
  double left = 0.002 + move[3] - move[9];
  CHECK(left > 0.9 * KEEP * 0.002 && left < 0.5 * 0.002, "%g of 0.002 m are left at the centres", left);
  scene_end(&scene);
}

// The link of a pendulum, 0.06 m wide and ending 0.38 m below its hinge, swings down to a plane: at the end of its move
// three tenths of h = 0.36 - 0.38 cos a - 0.03 sin a are left, though the height changes by far more than its slope
// says.
static void test_hinge(void)
{
  struct scene scene;
  const double angle = 0.5;
  double move[1] = {-0.5}, height = 0.36 - 0.38 * cos(angle) - 0.03 * sin(angle);
  pendulum(&scene, 1, 0.36, &angle);
  scene_body(&scene, "ground", scene_plane(&scene), 0, 0, 0, 0);
  scene_create(&scene);
  CHECK(bound(&scene, (const double[]){1}, move) > 0, "in the way");
  double after = angle + move[0];
  CHECK_NEAR(0.36 - 0.38 * cos(after) - 0.03 * sin(after), KEEP * height, 0.02 * height);
  scene_end(&scene);
}

// A heavy bar ploughs through nine balls that nearly touch, 4 cm in a step; what they do is roll off each other over
// tiny gaps.  681 iterations observed in all parts of divided steps, 1477 with bounds along axes that stand still.
static void test_heap(void)
{
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  struct scene scene;
  scene_begin(&scene);
  int ball = scene_sphere(&scene, 0.05, 1, "icosahedron"), iterations = 0;
  struct dc_body_definition *bar =
      scene_body(&scene, "bar", scene_box(&scene, 0.05, 0.4, 0.05, 1, 3, 1), 20, -0.08, 0.01, 0);
  bar->velocity[0] = 1;
  for (int i = 0; i < 9; i++)
    scene_body(&scene, names[i], ball, 0.1, 0.101 * (i / 3), 0.102 * (i % 3 - 1) + 0.03 * (i / 3), 0);
  scene.definition.contact.stiffness = 1e-8;
  scene_create(&scene);
  struct dc_trajectory *trajectory = scene_roll(&scene, 12);
  for (int n = 0; n < 12; n++)
    iterations += trajectory->newton_iterations[n];
  printf("# %d iterations\n", iterations);
  CHECK(trajectory->unconverged_steps == 0, "converged");
  CHECK(iterations < 900, "%d iterations", iterations);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

RUN_TESTS({"above a plane", test_above_a_plane}, {"sharing", test_sharing}, {"hinge", test_hinge}, {"heap", test_heap})
