// SPDX-License-Identifier: Apache-2.0
// Couplings: where followers start, what is refused, and motion with a known answer.
#include "harness.h"

#include "mechanisms.h"

enum { MOST_COUPLINGS = 4, SLIDES = 4 };
static struct dc_coupling couplings[MOST_COUPLINGS];

static struct dc_coupling coupling_of(int body, int to, double multiplier, double offset)
{
  struct dc_coupling coupling = {0};
  CHECK(dc_options_set_defaults(dc_coupling_options, &coupling, NULL, NULL) == DC_OK, "defaults");
  CHECK(coupling.multiplier == 1 && coupling.offset == 0 && isnan(coupling.stiffness), "defaults");
  coupling.body = body;
  coupling.to = to;
  coupling.multiplier = multiplier;
  coupling.offset = offset;
  return coupling;
}

// Four blocks on rails upwards, each a mechanism of its own, and the first of the couplings.
static void slides(struct scene *scene, int count)
{
  static const char *const names[SLIDES] = {"a", "b", "c", "d"};
  scene_begin(scene);
  int shape = scene_box(scene, 0.1, 0.1, 0.1, 1, 1, 1);
  for (int i = 0; i < SLIDES; i++) {
    struct dc_body_definition *body = mechanism_link(scene, names[i], "slide", -1, shape, 0.6 - 0.2 * (i == 1));
    mechanism_vector(body->position, i, 0, 0);
    body->filter.collide = false;
  }
  scene->definition.couplings = couplings;
  scene->definition.coupling_count = count;
}

static void set_number(struct scene *scene, struct dc_real_list *list, double value)
{
  mechanism_numbers(scene, list, 1, &value);
}

static void set_range(struct scene *scene, int body, double low, double high)
{
  scene->bodies[body].range[0] = low, scene->bodies[body].range[1] = high;
}

// Down a chain of followers, given in any order.
static void test_starts(void)
{
  struct scene scene;
  double q[SLIDES], velocity[SLIDES];
  slides(&scene, 3);
  couplings[0] = coupling_of(3, 2, 2, 1);
  couplings[1] = coupling_of(2, 0, -0.5, 0.1);
  couplings[2] = coupling_of(1, 0, 1, 0);
  set_number(&scene, &scene.bodies[0].joint_position, 0.4);
  set_number(&scene, &scene.bodies[0].joint_velocity, 3);
  set_number(&scene, &scene.bodies[3].joint_position, 0.8);   // agrees
  set_number(&scene, &scene.bodies[2].joint_velocity, -1.5);  // agrees
  scene_create(&scene);
  dc_initial_state(&scene.model.bodies, q);
  dc_initial_velocity(&scene.model.bodies, velocity);
  static const double expected_q[SLIDES] = {0.4, 0.4, -0.1, 0.8}, expected_velocity[SLIDES] = {3, 3, -1.5, -3};
  for (int i = 0; i < SLIDES; i++) {  // 1.1e-16 observed
    CHECK_NEAR(q[i], expected_q[i], 1e-15);
    CHECK_NEAR(velocity[i], expected_velocity[i], 1e-15);
    CHECK_NEAR(scene.model.bodies.bodies[i].start.position[2], expected_q[i], 1e-15);
  }
  scene_end(&scene);
}

// A finger that opens as the other does starts closed: both a little way in, and together.
static void test_starts_at_ends(void)
{
  struct scene scene;
  double q[SLIDES];
  slides(&scene, 2);
  couplings[0] = coupling_of(1, 0, 1, 0);
  couplings[1] = coupling_of(2, 1, -2, 0);
  set_range(&scene, 0, 0, 0.04);
  set_range(&scene, 1, 0, 0.05);
  set_range(&scene, 2, -0.2, 0);
  scene_create(&scene);
  dc_initial_state(&scene.model.bodies, q);
  CHECK_NEAR(q[0], 0.001, 1e-17);  // the hundredth of 0.2 over 2
  CHECK_NEAR(q[1], 0.001, 1e-17);
  CHECK_NEAR(q[2], -0.002, 1e-17);
  scene_end(&scene);
  // zero is no start for it, but where it follows to is
  slides(&scene, 1);
  couplings[0] = coupling_of(1, 0, 1, 0.5);
  set_range(&scene, 1, 0.2, 0.8);
  scene_create(&scene);
  dc_initial_state(&scene.model.bodies, q);
  CHECK_NEAR(q[1], 0.5, 1e-15);
  scene_end(&scene);
}

static void test_refusals(void)
{
  struct scene scene;
  slides(&scene, 1);
  couplings[0] = coupling_of(1, 1, 1, 0);
  scene_refuse(&scene, "couplings[0].to: must not lead back to \"b\"");
  slides(&scene, 3);
  couplings[0] = coupling_of(0, 2, 1, 0), couplings[1] = coupling_of(1, 0, 1, 0),
  couplings[2] = coupling_of(2, 1, 1, 0);
  scene_refuse(&scene, "couplings[0].to: must not lead back to \"a\"");
  slides(&scene, 3);  // a way that ends in a loop
  couplings[0] = coupling_of(0, 1, 1, 0), couplings[1] = coupling_of(1, 2, 1, 0),
  couplings[2] = coupling_of(2, 1, 1, 0);
  scene_refuse(&scene, "couplings[1].to: must not lead back to \"b\"");
  slides(&scene, 2);
  couplings[0] = coupling_of(1, 0, 1, 0), couplings[1] = coupling_of(1, 2, 1, 0);
  scene_refuse(&scene, "couplings[1].body: \"b\" follows by couplings[0] already");
  slides(&scene, 1);
  couplings[0] = coupling_of(SLIDES, 0, 1, 0);
  scene_refuse(&scene, "couplings[0].body: must name a body");
  slides(&scene, 1);
  couplings[0] = coupling_of(0, -1, 1, 0);
  scene_refuse(&scene, "couplings[0].to: must name a body");
  slides(&scene, 1);
  couplings[0] = coupling_of(0, 1, NAN, 0);
  scene_refuse(&scene, "couplings[0].multiplier: must be finite");
  slides(&scene, 1);
  couplings[0] = coupling_of(0, 1, 1, 0), couplings[0].stiffness = 0;
  scene_refuse(&scene, "couplings[0].stiffness: must be > 0 J/m^2 or J/rad^2 (is 0)");
  static const char *const joints[] = {"free", "fixed", "ball", "universal", "planar", "slide hinge"};
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    slides(&scene, 1);
    couplings[0] = coupling_of(1, 0, 1, 0);
    definition_joints(scene.arena, &scene.bodies[0], joints[i]);
    scene_refuse(&scene, "couplings[0].to: must be on one slide or hinge (\"a\" is ");
  }
  slides(&scene, 1);
  couplings[0] = coupling_of(1, 0, 2, 0.1);
  set_number(&scene, &scene.bodies[1].joint_position, 0.11);
  scene_refuse(&scene, "bodies[1].joint_position: must be 0.1, as couplings[0] says, or not be given (is 0.11)");
  slides(&scene, 1);
  set_number(&scene, &scene.bodies[1].joint_velocity, 1);
  scene_refuse(&scene, "bodies[1].joint_velocity: must be 0, as couplings[0] says, or not be given (is 1)");
  slides(&scene, 1);
  set_range(&scene, 1, 0.2, 1);
  scene_refuse(&scene, "couplings[0]: \"b\" would start at 0.1, not inside of its range [0.2, 1]");
  slides(&scene, 2);  // only the ends of their ranges fit
  couplings[0] = coupling_of(1, 0, 1, 0), couplings[1] = coupling_of(2, 0, 1, 0);
  set_range(&scene, 1, 0, 1), set_range(&scene, 2, -1, 0);
  scene_refuse(&scene, "couplings[0]: the ranges of \"a\" and of its followers have no start in common");
  slides(&scene, 1);  // held at the end of its range
  couplings[0] = coupling_of(1, 0, 0, 1), set_range(&scene, 1, 0, 1);
  scene_refuse(&scene, "couplings[0]: \"b\" would start at 1, not inside of its range [0, 1]");
  slides(&scene, 3);
  for (int i = 0; i < 3; i++)
    couplings[i] = coupling_of(i + 1, i, 1e6, 1);
  scene_refuse(&scene, "couplings[1]: \"c\" would start at 1000001");
}

// Two weights over a pulley, q_b = -q_a: m_a q_a'' = -m_a g - f and m_b q_b'' = -m_b g - f with the force f = S e of
// the spring.  m_a q_a - m_b q_b falls freely in every step; when the spring has come to rest, both accelerate by
// (m_b - m_a) g/(m_a + m_b) and e = -2 m_a m_b g/((m_a + m_b) S).  Without coupling the block c falls.
static void test_pulley(void)
{
  const double g = 9.8, h = 0.01, a = 0.6, b = 0.4, stiffness = 1e5;
  struct scene scene;
  slides(&scene, 1);
  couplings[0] = coupling_of(1, 0, -1, 0), couplings[0].stiffness = stiffness;
  mechanism_vector(scene.definition.gravity, 0, 0, -g);
  scene.definition.time.step = h;
  scene_create(&scene);
  dc_rollout_set_tight(scene.rollout, true);
  const int steps = 60;
  struct dc_trajectory *trajectory = scene_roll(&scene, steps);
  double free_fall = 0, fall = 0;
  for (int n = 0; n <= steps; n++) {
    const double *q = frame_of(trajectory, n);
    double way = 0.5 * g * h * h * n * (n + 1);
    free_fall = larger(free_fall, fabs(a * q[0] - b * q[1] + (a - b) * way));
    fall = larger(fall, fabs(q[2] + way));
  }
  const double *end = frame_of(trajectory, steps), *before = frame_of(trajectory, steps - 1),
               *earlier = frame_of(trajectory, steps - 2);
  CHECK_NEAR(free_fall, 0, 1e-13);  // 6.1e-16 observed
  CHECK_NEAR(fall, 0, 1e-12);       // 9.8e-15 observed
  // 3.8e-14 and 2.6e-13 observed
  CHECK_NEAR((end[0] + end[1]) / (-2 * a * b * g / ((a + b) * stiffness)), 1, 1e-11);
  CHECK_NEAR((end[0] - 2 * before[0] + earlier[0]) / (h * h), (b - a) * g / (a + b), 1e-10);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// A force on a follower is felt by what it follows: a stiffer spring leaves less of an error, in one mechanism.
static void test_stiffness(void)
{
  double errors[2];
  for (int k = 0; k < 2; k++) {
    const double start[2] = {0.4, 0.2};
    struct scene scene;
    pendulum(&scene, 2, 2, start);
    scene.bodies[1].joint_position.count = 0;
    couplings[0] = coupling_of(1, 0, 0.5, 0);
    couplings[0].stiffness = k ? 1e4 : 1e2;
    scene.definition.couplings = couplings;
    scene.definition.coupling_count = 1;
    scene.definition.time.step = 0.01;
    scene_create(&scene);
    CHECK_NEAR(scene.model.bodies.initial_q[1], 0.2, 1e-15);
    struct dc_trajectory *trajectory = scene_roll(&scene, 100);
    double least = INFINITY;
    errors[k] = 0;
    for (int n = 0; n <= 100; n++) {
      const double *q = frame_of(trajectory, n);
      errors[k] = larger(errors[k], fabs(q[1] - 0.5 * q[0]));
      least = fmin(least, q[0]);
    }
    CHECK(least < -0.2, "it swings: %g", least);
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
  CHECK(errors[0] > 1e-4 && errors[0] < 1e-3, "soft: %g", errors[0]);             // 4.0e-4 observed
  CHECK(errors[1] < 0.015 * errors[0], "stiff: %g of %g", errors[1], errors[0]);  // the hundredth of it
}

// Two hinged bars, apart or one on the other, of which the second follows: angles at the end, and how far they are from
// what the coupling says at most.
static void end_of_pair(double step, double mass, bool apart, double power, double end[2], double *error)
{
  static const double start = 0.7;
  struct scene scene;
  scene_begin(&scene);
  mechanism_vector(scene.definition.gravity, 0, 0, -9.8);
  scene.definition.time.step = step;
  scene.definition.time.integrator = DC_SECOND_ORDER;
  int bar = scene_box(&scene, 0.1, 0.1, 0.4, 1, 1, 1);
  for (int i = 0; i < 2; i++) {
    bool hangs = i && !apart;
    struct dc_body_definition *body =
        mechanism_link(&scene, i ? "b" : "a", "hinge", hangs ? 0 : -1, bar, mass * (1 - 0.5 * i));
    double x = i && apart ? 1 : 0, z = hangs ? -0.4 : 0;
    mechanism_vector(body->position, x, 0, z);
    mechanism_vector(body->anchor, x, 0, z + 0.2);
    mechanism_vector(body->axis, 0, 1, 0);
    body->filter.collide = false;
  }
  set_number(&scene, &scene.bodies[0].joint_position, start);
  couplings[0] = coupling_of(1, 0, 0.6, 0.1);
  couplings[0].powers[0] = power, couplings[0].powers[1] = -power, couplings[0].powers[2] = 0.5 * power;
  scene.definition.couplings = couplings;
  scene.definition.coupling_count = 1;
  scene_create(&scene);
  const int steps = (int)lrint(0.4 / step);
  struct dc_trajectory *trajectory = scene_roll(&scene, steps);
  *error = 0;
  for (int n = 0; n <= steps; n++) {
    const double *q = frame_of(trajectory, n);
    double x = q[0], led = 0.1 + 0.6 * x + power * (x * x - x * x * x + 0.5 * x * x * x * x);
    *error = larger(*error, fabs(q[1] - led));
  }
  end[0] = frame_of(trajectory, steps)[0], end[1] = frame_of(trajectory, steps)[1];
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// With "second_order" errors fall fourfold with half a step, lines or not, and grams or tons move alike.
static void test_second_order(void)
{
  for (int kind = 0; kind < 4; kind++) {
    bool apart = kind % 2;
    double fine[2], middle[2], coarse[2], light[2], heavy[2], error, power = kind / 2 ? 0.3 : 0;
    end_of_pair(0.0025, 1, apart, power, fine, &error);
    end_of_pair(0.005, 1, apart, power, middle, &error);
    end_of_pair(0.01, 1e-3, apart, power, light, &error);
    end_of_pair(0.01, 1e3, apart, power, heavy, &error);
    end_of_pair(0.01, 1, apart, power, coarse, &error);
    CHECK(error < 2e-6, "kind %d: off by %g", kind, error);
    for (int k = 0; k < 2; k++) {
      double ratio = (coarse[k] - middle[k]) / (middle[k] - fine[k]);
      CHECK(ratio > 3.6 && ratio < 4.4, "kind %d: errors fall by %g with half a step", kind, ratio);
      CHECK_NEAR(light[k], coarse[k], 1e-8);
      CHECK_NEAR(heavy[k], coarse[k], 1e-8);
    }
  }
}

// Followers of followers by powers: place and speed through all of them.
static void test_powers(void)
{
  struct scene scene;
  double q[SLIDES], velocity[SLIDES];
  slides(&scene, 2);
  couplings[0] = coupling_of(2, 1, 2, 0), couplings[0].powers[1] = 3;
  couplings[1] = coupling_of(1, 0, 0, 0.1), couplings[1].powers[0] = 0.5;
  set_number(&scene, &scene.bodies[0].joint_position, 0.4);
  set_number(&scene, &scene.bodies[0].joint_velocity, 2);
  scene_create(&scene);
  dc_initial_state(&scene.model.bodies, q);
  dc_initial_velocity(&scene.model.bodies, velocity);
  CHECK_NEAR(q[1], 0.18, 1e-15);  // 0.1 + 0.4^2/2
  CHECK_NEAR(q[2], 2 * 0.18 + 3 * 0.18 * 0.18 * 0.18, 1e-15);
  CHECK_NEAR(velocity[1], 0.4 * 2, 1e-15);
  CHECK_NEAR(velocity[2], (2 + 9 * 0.18 * 0.18) * 0.8, 1e-14);
  scene_end(&scene);
  slides(&scene, 1);
  couplings[0] = coupling_of(1, 0, 1, 0), couplings[0].powers[0] = 1;
  set_range(&scene, 1, 0, 1);
  scene_refuse(&scene, "couplings[0]: \"b\" would start at 0, not inside of its range [0, 1]");
  slides(&scene, 1);
  couplings[0] = coupling_of(1, 0, 1, 0), couplings[0].powers[2] = NAN;
  scene_refuse(&scene, "couplings[0].powers: must be finite");
}

RUN_TESTS({"where followers start", test_starts}, {"powers", test_powers}, {"of second order", test_second_order},
          {"starts at ends of ranges", test_starts_at_ends}, {"refusals", test_refusals}, {"a pulley", test_pulley},
          {"stiffness", test_stiffness})
