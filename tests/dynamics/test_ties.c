// SPDX-License-Identifier: Apache-2.0
// Ties: forces and motions with known answers, and what is refused.
#include "harness.h"

#include "mechanisms.h"

static struct dc_tie ties[2];

static struct dc_tie tie_of(int body, int to, double stiffness)
{
  struct dc_tie tie = {0};
  CHECK(dc_options_set_defaults(dc_tie_options, &tie, NULL, NULL) == DC_OK, "defaults");
  CHECK(tie.stiffness == 1e6, "defaults");
  tie.body = body, tie.to = to;
  tie.stiffness = stiffness;
  return tie;
}

// Two blocks on rails upwards at one place, both with a weight, and a fixed one.
static void rails(struct scene *scene, int count)
{
  scene_begin(scene);
  mechanism_vector(scene->definition.gravity, 0, 0, -9.8);
  scene->definition.time.step = 0.01;
  int shape = scene_box(scene, 0.1, 0.1, 0.1, 1, 1, 1);
  static const char *const names[] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    struct dc_body_definition *body =
        mechanism_link(scene, names[i], i < 2 ? "slide" : "fixed", -1, shape, 0.6 - 0.2 * i);
    body->filter.collide = false;
  }
  scene->definition.ties = ties;
  scene->definition.tie_count = count;
}

// A chain of two springs: the upper one holds both weights, the lower one its own.
static void test_weights(void)
{
  struct scene scene;
  rails(&scene, 2);
  ties[0] = tie_of(0, 2, 1e4), ties[1] = tie_of(1, 0, 5e3);
  scene_create(&scene);
  dc_rollout_set_tight(scene.rollout, true);
  const int steps = 400;
  struct dc_trajectory *trajectory = scene_roll(&scene, steps);
  const double *end = frame_of(trajectory, steps);
  CHECK_NEAR(end[0], -(0.6 + 0.4) * 9.8 / 1e4, 1e-10);
  CHECK_NEAR(end[1] - end[0], -0.4 * 9.8 / 5e3, 1e-10);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// Both fall alike when they hold each other only, and what draws them together is within: h^2 g n (n + 1)/2.
static void test_fall(void)
{
  struct scene scene;
  rails(&scene, 1);
  ties[0] = tie_of(0, 1, 1e6);
  mechanism_numbers(&scene, &scene.bodies[0].joint_velocity, 1, (const double[]){1});
  scene_create(&scene);
  dc_rollout_set_tight(scene.rollout, true);
  const int steps = 50;
  struct dc_trajectory *trajectory = scene_roll(&scene, steps);
  const double *end = frame_of(trajectory, steps);
  // momentum: 0.6 of 1 kg m/s
  double way = 0.6 * steps * 0.01 - 0.5 * 9.8 * 1e-4 * steps * (steps + 1);
  CHECK_NEAR(0.6 * end[0] + 0.4 * end[1], way, 1e-10);
  CHECK_NEAR(end[0] - end[1], 0, 1e-9);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

static void test_refusals(void)
{
  struct scene scene;
  rails(&scene, 1);
  ties[0] = tie_of(0, 0, 1);
  scene_refuse(&scene, "ties[0].to: must be another body than \"a\", and one of them must move");
  rails(&scene, 1);
  ties[0] = tie_of(0, 3, 1);
  scene_refuse(&scene, "ties[0].to: must name a body");
  rails(&scene, 1);
  ties[0] = tie_of(-1, 1, 1);
  scene_refuse(&scene, "ties[0].body: must name a body");
  rails(&scene, 2);
  ties[0] = tie_of(0, 2, 1), ties[1] = tie_of(2, 2, 1);
  scene_refuse(&scene, "ties[1].to: must be another body");
}

RUN_TESTS({"weights on springs", test_weights}, {"a fall together", test_fall}, {"refusals", test_refusals})
