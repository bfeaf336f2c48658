// SPDX-License-Identifier: Apache-2.0
// Known answers of free and jointed motion: the pendulum, momentum in collisions, energy of passive systems.  Free spin
// and free fall are in tests/dynamics/test_step.c.
#include "physics.h"

// A rod on a hinge, 0.5 m long.  With w^2 = m g (L/2) / I implicit Euler takes the angle x through
//     2 sin(x+ - x) - sin(x+ - x-) + h^2 w^2 sin(x+) = 0,
// for small angles x+ - 2x + x- + h^2 w^2 x+ = 0: a swing of period 2 pi h / atan(h w) that shrinks by
// (1 + h^2 w^2)^(-1/2) a step.

static const double LENGTH = 0.5, WIDTH = 0.05, STEP = 0.01;

static double squared_frequency(void)
{
  double inertia = (LENGTH * LENGTH + WIDTH * WIDTH) / 12 + LENGTH * LENGTH / 4;
  return GRAVITY * LENGTH / 2 / inertia;
}

static double next_angle(double before, double now)
{
  double stiffness = STEP * STEP * squared_frequency(), next = 2 * now - before;
  for (int k = 0; k < 20; k++)
    next -= (2 * sin(next - now) - sin(next - before) + stiffness * sin(next)) /
            (2 * cos(next - now) - cos(next - before) + stiffness * cos(next));
  return next;
}

static bool set_up_pendulum(struct experiment *experiment, double angle)
{
  return set_up(experiment,
                "{'time': {'step': %g, 'steps': 1000}, 'gravity': [0, 0, %g], 'solver': {'tolerance': 1e-9},"
                "'shapes': {'rod': {'type': 'box', 'size': [%g, %g, %g]}},"
                "'bodies': [{'name': 'rod', 'shape': 'rod', 'mass': 1, 'position': [0, 0, %g], 'anchor': [0, 0, 0],"
                "'joint': {'type': 'hinge', 'axis': [0, 1, 0]}, 'joint_position': [%g]}]}",
                STEP, -GRAVITY, WIDTH, WIDTH, LENGTH, -LENGTH / 2, angle);
}

static void test_pendulum_recursion(void)
{
  // The smallest: changes of the potential are below the rounding of gravity's, and every step must converge still.
  const double angles[4] = {1e-5, 1e-3, 1, 3};
  for (int k = 0; k < 4; k++) {
    struct experiment experiment;
    if (set_up_pendulum(&experiment, angles[k]) && roll(&experiment)) {
      double before = angles[k], now = angles[k], worst = 0;
      for (int n = 1; n <= experiment.trajectory->steps; n++) {
        double next = next_angle(before, now);
        before = now;
        now = next;
        worst = larger(worst, fabs(experiment.trajectory->q[n] - now) / angles[k]);
      }
      CHECK_NEAR(worst, 0, 1e-9);  // 7.7e-12 observed
    }
    tear_down(&experiment);
  }
}

// Time of the n-th passage through zero, between frames by the line through both.
static double zero_passage(const struct dc_trajectory *trajectory, int count)
{
  for (int n = 1; n <= trajectory->steps; n++) {
    double from = trajectory->q[n - 1], to = trajectory->q[n];
    if ((from < 0) != (to < 0) && --count == 0)
      return (n - 1 + from / (from - to)) * trajectory->time_step;
  }
  return NAN;
}

static void test_pendulum_period(void)
{
  struct experiment experiment;
  if (set_up_pendulum(&experiment, 1e-3) && roll(&experiment)) {
    double hw = STEP * sqrt(squared_frequency()), period = 2 * M_PI * STEP / atan(hw), largest[2] = {0, 0};
    double measured = (zero_passage(experiment.trajectory, 11) - zero_passage(experiment.trajectory, 1)) / 5;
    CHECK_NEAR(measured / period, 1, 1e-5);  // 6.1e-7 observed
    // The continuous pendulum's is shorter by (h w)^2/3 = 9.8e-4.
    CHECK_NEAR(measured * sqrt(squared_frequency()) / (2 * M_PI), 1, 1.1e-3);
    int turn = (int)lround(period / STEP);
    for (int n = 0; n < turn; n++) {
      largest[0] = larger(largest[0], fabs(experiment.trajectory->q[n + 1]));
      largest[1] = larger(largest[1], fabs(experiment.trajectory->q[n + 1 + 4 * turn]));
    }
    CHECK_NEAR(log(largest[1] / largest[0]) / (-2 * turn * log1p(hw * hw)), 1, 5e-3);  // 1.1e-3 observed
  }
  tear_down(&experiment);
}

// Six bodies of three shapes that fly at each other from all sides.
#define CLOUD                                                                                                          \
  "'shapes': {'box': {'type': 'box', 'size': [0.2, 0.15, 0.1]}, 'ball': {'type': 'sphere', 'radius': 0.08},"           \
  "'rod': {'type': 'cylinder', 'radius': 0.03, 'height': 0.3, 'sides': 8}},"                                           \
  "'bodies': ["                                                                                                        \
  "{'name': 'a', 'shape': 'box', 'mass': 1, 'position': [0.35, 0.02, 0], 'velocity': [-1.5, 0, 0.1],"                  \
  "'angular_velocity': [1, 4, -2]},"                                                                                   \
  "{'name': 'b', 'shape': 'box', 'mass': 2, 'position': [-0.36, 0, 0.03], 'velocity': [1.2, 0.1, 0]},"                 \
  "{'name': 'c', 'shape': 'ball', 'mass': 0.5, 'position': [0, 0.5, 0.02], 'velocity': [0, -2, 0],"                    \
  "'angular_velocity': [0, 0, 9]},"                                                                                    \
  "{'name': 'd', 'shape': 'ball', 'mass': 0.7, 'position': [0.03, -0.5, 0], 'velocity': [0, 1.7, 0.2]},"               \
  "{'name': 'e', 'shape': 'rod', 'mass': 0.2, 'position': [0, 0, 0.55], 'velocity': [0.1, 0, -2],"                     \
  "'rotation': [0.8, 0.6, 0, 0], 'angular_velocity': [3, 0, 3]},"                                                      \
  "{'name': 'f', 'shape': 'rod', 'mass': 0.3, 'position': [0.02, 0.03, -0.55], 'velocity': [0, 0, 1.5],"               \
  "'rotation': [0.6, 0, 0.8, 0]}]"

static void momentum(const struct experiment *experiment, int frame, double total[3], double *size)
{
  const struct dc_bodies *bodies = &experiment->scene->model.bodies;
  memset(total, 0, 3 * sizeof *total);
  *size = 0;
  for (int i = 0; i < bodies->count; i++) {
    double velocity[3];
    velocity_at(experiment, frame, i, velocity);
    dc_vec_add_scaled(total, total, bodies->bodies[i].mass, velocity);
    *size += bodies->bodies[i].mass * dc_vec_norm(velocity);
  }
}

// Forces between bodies are opposite, of contact by construction, of friction because the plane between two triangles
// balances them; every Newton step keeps the sum, so that the tolerance of a step does not matter.
static void test_momentum(void)
{
  const char *const models[2] = {"bsh", "exact"};
  for (int k = 0; k < 4; k++) {
    struct experiment experiment;
    if (set_up(&experiment,
               "{'time': {'step': 0.01, 'steps': 40}, 'gravity': [0, 0, 0],"
               "'contact': {'model': '%s', 'stiffness': 1e-6, 'friction': %g}," CLOUD "}",
               models[k & 1], k < 2 ? 0 : 0.5) &&
        roll(&experiment)) {
      double start[3], now[3], size, first_size, worst = 0, impact = 0;
      momentum(&experiment, 1, start, &first_size);
      for (int frame = 2; frame <= 40; frame++) {
        double before[3], after[3];
        momentum(&experiment, frame, now, &size);
        worst = larger(worst, dc_vec_distance(now, start) / first_size);
        velocity_at(&experiment, frame - 1, 0, before);
        velocity_at(&experiment, frame, 0, after);
        impact = larger(impact, dc_vec_distance(before, after));
      }
      CHECK(impact > 0.1, "they have met: %g m/s", impact);
      CHECK_NEAR(worst, 0, 1e-12);  // 3.8e-15 observed
    }
    tear_down(&experiment);
  }
}

// Energy never rises by more than the curvature of gravity and contact along the step allows.

static void check_energy(struct experiment *experiment, double largest_rise)
{
  if (roll(experiment)) {
    struct ledger ledger = keep_ledger(experiment);
    CHECK(ledger.excess <= 1e-12 * fabs(ledger.start), "inertia adds %g J", ledger.excess);
    CHECK(ledger.worked >= 0, "friction adds %g J", -ledger.worked);
    CHECK(ledger.rise <= fmax(ledger.curvature, 0) + 1e-12 * fabs(ledger.start), "%g J", ledger.rise);
    CHECK(ledger.rise <= largest_rise, "%g J", ledger.rise);
    CHECK(ledger.end < ledger.start, "%g J of %g J are left", ledger.end, ledger.start);
  }
  tear_down(experiment);
}

#define SLIDING                                                                                                        \
  "'gravity': [0, 0, -9.81], 'contact': {'stiffness': 1e-6, 'friction': 0.4}, 'solver': {'tolerance': 1e-6},"          \
  "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.2, 0.1]}, 'ground': {'type': 'plane'}},"                          \
  "'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},"                                                \
  "{'name': 'box', 'shape': 'box', 'mass': 1, 'position': [0, 0, 0.4], 'rotation': [0.8, 0.36, -0.48, 0],"             \
  "'velocity': [2, 0, 0], 'angular_velocity': [3, 8, -2]}]"
#define COLLIDING                                                                                                      \
  "'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-6, 'friction': 0.4}, 'solver': {'tolerance': 1e-6},"              \
  "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.2, 0.1]}},"                                                       \
  "'bodies': [{'name': 'a', 'shape': 'box', 'mass': 2, 'position': [0.4, 0.05, 0.02],"                                 \
  "'rotation': [0.8, 0.36, -0.48, 0], 'velocity': [-2, 0, 0], 'angular_velocity': [1, 2, -2]},"                        \
  "{'name': 'b', 'shape': 'box', 'mass': 1, 'velocity': [1, 0, 0]}]"
// Two rods, the lower one's hinge across the upper one's and at first turning fast.
#define SWINGING                                                                                                       \
  "'gravity': [0, 0, -9.81], 'solver': {'tolerance': 1e-6},"                                                           \
  "'shapes': {'rod': {'type': 'box', 'size': [0.05, 0.05, 0.5]}},"                                                     \
  "'bodies': [{'name': 'a', 'shape': 'rod', 'mass': 1, 'position': [0, 0, -0.25], 'anchor': [0, 0, 0],"                \
  "'joint': {'type': 'hinge', 'axis': [0, 1, 0]}, 'joint_position': [1.5]},"                                           \
  "{'name': 'b', 'parent': 'a', 'shape': 'rod', 'mass': 1, 'position': [0, 0, -0.75], 'anchor': [0, 0, -0.5],"         \
  "'joint': {'type': 'hinge', 'axis': [1, 0, 0]}, 'joint_position': [1], 'joint_velocity': [20]}]"

static void test_energy(void)
{
  const double steps[2] = {0.01, 0.0025};
  for (int k = 0; k < 2; k++) {
    struct experiment experiment;
    double h = steps[k];
    if (set_up(&experiment, "{'time': {'step': %g, 'steps': %d}," SLIDING "}", h, (int)lround(1.5 / h)))
      check_energy(&experiment, 1e-13);  // 3.3e-16 J of 6.3 J observed, at rest
    if (set_up(&experiment, "{'time': {'step': %g, 'steps': %d}," COLLIDING "}", h, (int)lround(0.5 / h)))
      check_energy(&experiment, 0);  // every step loses
    if (set_up(&experiment, "{'time': {'step': %g, 'steps': %d}," SWINGING "}", h, (int)lround(3 / h)))
      check_energy(&experiment, k ? 1e-4 : 0);  // 4.4e-5 J of 16 J observed with the short step
  }
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"a pendulum follows the recursion of implicit Euler", test_pendulum_recursion},
                              {"period and decay of small swings", test_pendulum_period},
                              {"collisions keep linear momentum, with friction and without", test_momentum},
                              {"passive systems gain no more energy than curvature allows", test_energy})
