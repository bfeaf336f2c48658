// SPDX-License-Identifier: Apache-2.0
// Ties: forces and motions with known answers, and what is refused.
#include "harness.h"

#include "mechanisms.h"

static struct dc_tie ties[2];

static struct dc_tie tie_of(int body, int to, double stiffness)
{
  struct dc_tie tie = {0};
  CHECK(dc_options_set_defaults(dc_tie_options, &tie, NULL, NULL) == DC_OK, "defaults");
  CHECK(isnan(tie.stiffness), "defaults");
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

// What a tie is as stiff as: 1e4 of the root of the least mass that it parts and all that hangs there, by the square of
// the step.
static void test_stiffness(void)
{
  struct scene scene;
  rails(&scene, 2);
  ties[0] = tie_of(0, 1, NAN), ties[1] = tie_of(1, 2, NAN);
  scene_create(&scene);
  const struct dc_tie *made = scene.model.definition.ties;
  CHECK_NEAR(made[0].mass, 0.6 * 0.4 / (0.6 + 0.4), 1e-12);
  CHECK_NEAR(made[0].stiffness, 1e8 * sqrt(0.24 * 1.0), 1e-4);
  CHECK_NEAR(made[1].mass, 0.4, 1e-12);
  CHECK_NEAR(made[1].stiffness, 1e8 * 0.4, 1e-4);
  scene_end(&scene);
}

// Two arms on hinges whose ends are tied: with "second_order" errors fall fourfold with half a step, and grams or tons
// move alike.
// (angles of the first two links at the end, and how far the loop is open)
static void end_of_loop(double step, double mass, double end[2], double *gap)
{
  struct scene scene;
  scene_begin(&scene);
  mechanism_vector(scene.definition.gravity, 0, 0, -9.8);
  scene.definition.time.step = step;
  scene.definition.time.integrator = DC_SECOND_ORDER;
  int bar = scene_box(&scene, 0.3, 0.03, 0.03, 1, 1, 1);
  static const struct {
    const char *name, *joint;
    int parent;
    double mass, x, z, hinge[2];
  } links[] = {{"a", "hinge", -1, 0.4, 0.15, 1, {0, 1}},
               {"b", "hinge", 0, 0.3, 0.45, 1, {0.3, 1}},
               {"c", "hinge", -1, 0.5, 0.6, 1.15, {0.6, 1.3}},
               {"end", "fixed", 1, 0.01, 0.6, 1, {0, 0}},
               {"tip", "fixed", 2, 0.01, 0.6, 1, {0, 0}}};
  for (int i = 0; i < 5; i++) {
    struct dc_body_definition *body =
        mechanism_link(&scene, links[i].name, links[i].joint, links[i].parent, bar, mass * links[i].mass);
    mechanism_vector(body->position, links[i].x, 0, links[i].z);
    if (i < 3) {
      mechanism_vector(body->anchor, links[i].hinge[0], 0, links[i].hinge[1]);
      mechanism_vector(body->axis, 0, 1, 0);
    }
    body->filter.collide = false;
  }
  ties[0] = tie_of(3, 4, NAN);
  scene.definition.ties = ties;
  scene.definition.tie_count = 1;
  scene_create(&scene);
  const int steps = (int)lrint(0.4 / step);
  struct dc_trajectory *trajectory = scene_roll(&scene, steps);
  end[0] = frame_of(trajectory, steps)[0], end[1] = frame_of(trajectory, steps)[1];
  struct dc_kinematics kinematics;
  CHECK(dc_kinematics_create(&scene.model.bodies, scene.arena, &kinematics, NULL) == DC_OK, "memory");
  dc_kinematics_update(&scene.model.bodies, frame_of(trajectory, steps), &kinematics);
  *gap = dc_vec_distance(kinematics.poses[3].position, kinematics.poses[4].position);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

static void test_second_order(void)
{
  double fine[2], middle[2], coarse[2], light[2], heavy[2], gap;
  end_of_loop(0.0025, 1, fine, &gap);
  end_of_loop(0.005, 1, middle, &gap);
  end_of_loop(0.01, 1e-3, light, &gap);
  end_of_loop(0.01, 1e3, heavy, &gap);
  end_of_loop(0.01, 1, coarse, &gap);
  CHECK(gap < 2e-6, "the loop is open by %g", gap);
  for (int k = 0; k < 2; k++) {
    double ratio = (coarse[k] - middle[k]) / (middle[k] - fine[k]);
    CHECK(ratio > 3.6 && ratio < 4.4, "errors fall by %g with half a step", ratio);
    CHECK_NEAR(light[k], coarse[k], 1e-8);
    CHECK_NEAR(heavy[k], coarse[k], 1e-8);
  }
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

RUN_TESTS({"weights on springs", test_weights}, {"a fall together", test_fall}, {"refusals", test_refusals},
          {"stiffness by masses and the step", test_stiffness}, {"a loop of second order", test_second_order})
