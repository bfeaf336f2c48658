// SPDX-License-Identifier: Apache-2.0
// Known answers of the integrator "second_order": what is exact, what is kept, and the order of the rest.
#include "physics.h"

#define SECOND "'integrator': 'second_order'"
#define TIGHT "'solver': {'tolerance': 1e-9}"

// Free flight is a parabola to rounding at any step, and divided steps are on it, too.
static void test_free_fall(void)
{
  struct experiment experiment;
  if (set_up(
          &experiment,
          "{'time': {'step': 0.04, 'steps': 25, " SECOND "}, 'gravity': [0, 0, -9.81], " TIGHT ","
          "'shapes': {'ball': {'type': 'sphere', 'radius': 0.1}},"
          "'bodies': [{'name': 'ball', 'shape': 'ball', 'mass': 2, 'position': [0, 0, 2], 'velocity': [1, 0, 3]}]}") &&
      roll(&experiment)) {
    double worst = 0;
    for (int n = 0; n <= 25; n++) {
      const double *x = poses_at(&experiment, n)[0].position, t = 0.04 * n;
      worst = larger(worst, hypot(x[0] - t, x[2] - (2 + 3 * t - GRAVITY * t * t / 2)));
    }
    CHECK_NEAR(worst, 0, 1e-13);
  }
  tear_down(&experiment);
}

// About a principal axis 0.4 rad a step are kept; implicit Euler keeps a third of it after these 25 steps.
static void test_spin(void)
{
  struct experiment experiment;
  if (set_up(&experiment, "{'time': {'step': 0.04, 'steps': 25, " SECOND "}, 'gravity': [0, 0, 0], " TIGHT ","
                          "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.2, 0.1]}},"
                          "'bodies': [{'name': 'box', 'shape': 'box', 'mass': 2, 'angular_velocity': [0, 0, 10]}]}") &&
      roll(&experiment)) {
    double turn[9];
    dc_mat_multiply_transposed(turn, poses_at(&experiment, 25)[0].rotation, poses_at(&experiment, 24)[0].rotation);
    CHECK_NEAR(atan2(turn[3], turn[0]), 0.4, 1e-9);
  }
  tear_down(&experiment);
}

// A free body that tumbles about all three axes keeps the energy of its motion over the steps to rounding, and its
// angular momentum too; the attitude is of second order.
static void tumble(double step, double *stray, double attitude[9])
{
  struct experiment experiment;
  double least = INFINITY, most = 0;
  if (set_up(&experiment,
             "{'time': {'step': %g, 'steps': %d, " SECOND "}, 'gravity': [0, 0, 0], " TIGHT ","
             "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.2, 0.1]}},"
             "'bodies': [{'name': 'box', 'shape': 'box', 'mass': 2, 'angular_velocity': [2, 5, 8]}]}",
             step, (int)lround(1 / step)) &&
      roll(&experiment)) {
    for (int n = 1; n <= experiment.trajectory->steps; n++) {
      double energy = kinetic_energy(&experiment, n);
      least = fmin(least, energy);
      most = fmax(most, energy);
    }
    memcpy(attitude, poses_at(&experiment, experiment.trajectory->steps)[0].rotation, 9 * sizeof *attitude);
  }
  *stray = most / least - 1;
  tear_down(&experiment);
}

static double apart(const double a[9], const double b[9])
{
  double sum = 0;
  for (int k = 0; k < 9; k++)
    sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

static void test_tumbling(void)
{
  double attitudes[3][9] = {{0}}, stray;
  for (int k = 0; k < 3; k++) {
    tumble(0.01 / (1 << k), &stray, attitudes[k]);
    CHECK_NEAR(stray, 0, 1e-11);
  }
  CHECK_NEAR(log2(apart(attitudes[0], attitudes[1]) / apart(attitudes[1], attitudes[2])), 2, 0.1);
}

// A fast top in gimbals, its axis level: a disc of radius 0.1 m, 0.02 m from the pivot, turns about the vertical
// by m g l t/(I w) = 0.196 rad in 1 s.
static double precession(const char *integrator)
{
  struct experiment experiment;
  double angle = NAN;
  if (set_up(&experiment,
             "{'time': {'step': 0.001, 'steps': 1000, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " TIGHT ","
             "'bodies': [{'name': 'disc', 'mass': 1, 'inertia': [0.005, 0.0025, 0.0025, 0, 0, 0],"
             "'center_of_mass': [0, 0, 0], 'position': [0.02, 0, 0], 'anchor': [0, 0, 0],"
             "'joint': [{'type': 'hinge', 'axis': [0, 0, 1]}, {'type': 'hinge', 'axis': [0, 1, 0]},"
             "{'type': 'hinge', 'axis': [1, 0, 0]}], 'joint_velocity': [0, 0, 200]}]}",
             integrator) &&
      roll(&experiment)) {
    const double *x = poses_at(&experiment, 1000)[0].position;
    angle = atan2(x[1], x[0]);
  }
  tear_down(&experiment);
  return angle;
}

static void test_gyroscope(void)
{
  double right = GRAVITY * 0.02 / (0.005 * 200), second = precession("second_order");
  CHECK_NEAR(right, 0.1962, 1e-9);
  CHECK_NEAR(second / right, 1, 0.02);
}

// Two rods on hinges that are not parallel, the second one turning fast: the place of its end after 0.8 s.
static void swing(double step, const char *integrator, double end[3])
{
  struct experiment experiment;
  if (set_up(
          &experiment,
          "{'time': {'step': %g, 'steps': %d, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " TIGHT ","
          "'shapes': {'rod': {'type': 'box', 'size': [0.05, 0.05, 0.5]}},"
          "'bodies': [{'name': 'a', 'shape': 'rod', 'mass': 1, 'position': [0, 0, -0.25], 'anchor': [0, 0, 0],"
          "'joint': {'type': 'hinge', 'axis': [0, 1, 0]}, 'joint_position': [1.5]},"
          "{'name': 'b', 'parent': 'a', 'shape': 'rod', 'mass': 1, 'position': [0, 0, -0.75], 'anchor': [0, 0, -0.5],"
          "'joint': {'type': 'hinge', 'axis': [1, 0.3, 0]}, 'joint_position': [1], 'joint_velocity': [5]}]}",
          step, (int)lround(0.8 / step), integrator) &&
      roll(&experiment))
    dc_vec_copy(end, poses_at(&experiment, experiment.trajectory->steps)[1].position);
  tear_down(&experiment);
}

static double order_of_swing(const char *integrator)
{
  double ends[3][3] = {{0}};
  for (int k = 0; k < 3; k++)
    swing(0.01 / (1 << k), integrator, ends[k]);
  return log2(dc_vec_distance(ends[0], ends[1]) / dc_vec_distance(ends[1], ends[2]));
}

static void test_double_pendulum(void)
{
  CHECK_NEAR(order_of_swing("second_order"), 2, 0.15);
  CHECK(order_of_swing("euler") < 1.3, "euler: %g", order_of_swing("euler"));
}

// A driven arm of two links, one with a limited force that holds its weight: the place of its hand after 0.8 s.
static void drive(double step, double end[3])
{
  struct experiment experiment;
  if (set_up(
          &experiment,
          "{'time': {'step': %g, 'steps': %d, " SECOND "}, 'gravity': [0, 0, -9.81], " TIGHT ","
          "'shapes': {'rod': {'type': 'box', 'size': [0.05, 0.05, 0.5]}},"
          "'bodies': [{'name': 'a', 'shape': 'rod', 'mass': 1, 'position': [0, 0, -0.25], 'anchor': [0, 0, 0],"
          "'joint': {'type': 'hinge', 'axis': [0, 1, 0]}, 'joint_position': [1.5], 'pd': {'kp': 20, 'kd': 1}},"
          "{'name': 'b', 'parent': 'a', 'shape': 'rod', 'mass': 1, 'position': [0, 0, -0.75], 'anchor': [0, 0, -0.5],"
          "'joint': {'type': 'hinge', 'axis': [1, 0.3, 0], 'stiffness': 3, 'damping': 0.1, 'armature': 0.05}, "
          "'joint_position': [1], 'joint_velocity': [5],"
          "'pd': {'kp': 8, 'kd': 0.2, 'effort': 2, 'gravity_compensation': true}}]}",
          step, (int)lround(0.8 / step))) {
    for (int t = 0; t < experiment.input->steps; t++)
      experiment.input->target_position[2 * t] = -0.7;
    if (roll(&experiment))
      dc_vec_copy(end, poses_at(&experiment, experiment.trajectory->steps)[1].position);
  }
  tear_down(&experiment);
}

static void test_driven(void)
{
  double ends[3][3] = {{0}};
  for (int k = 0; k < 3; k++)
    drive(0.01 / (1 << k), ends[k]);
  CHECK_NEAR(log2(dc_vec_distance(ends[0], ends[1]) / dc_vec_distance(ends[1], ends[2])), 2, 0.15);
}

// Energy of motion and weight in the middles of steps: what a free flight keeps to rounding.  The start is the first
// step, and contact stores energy, which only lowers this.
static double largest_gain(struct experiment *experiment)
{
  const struct dc_bodies *bodies = &experiment->scene->model.bodies;
  double start = 0, most = 0;
  for (int n = 1; n <= experiment->trajectory->steps; n++) {
    double energy = kinetic_energy(experiment, n);
    for (int i = 0; i < bodies->count; i++)
      energy -= 0.5 * bodies->bodies[i].mass * experiment->scene->model.definition.gravity[2] *
                (poses_at(experiment, n)[i].position[2] + poses_at(experiment, n - 1)[i].position[2]);
    if (n == 1)
      start = energy;
    most = fmax(most, energy - start);
  }
  return most / start;
}

// Tumbling boxes that fall and slide, and that meet in the air.
static void test_contact(void)
{
  const double steps[3] = {0.02, 0.01, 0.0025}, frictions[2] = {0, 0.4};
  for (int k = 0; k < 6; k++) {
    struct experiment experiment;
    double h = steps[k / 2];
    if (set_up(&experiment,
               "{'time': {'step': %g, 'steps': %d, " SECOND "}, 'gravity': [0, 0, -9.81],"
               "'contact': {'stiffness': 1e-6, 'friction': %g},"
               "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.2, 0.1]}, 'ground': {'type': 'plane'}},"
               "'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},"
               "{'name': 'a', 'shape': 'box', 'mass': 1, 'position': [0, 0, 0.4], 'rotation': [0.8, 0.36, -0.48, 0],"
               "'velocity': [2, 0, 0], 'angular_velocity': [3, 8, -2]},"
               "{'name': 'b', 'shape': 'box', 'mass': 0.5, 'position': [0.8, 0.05, 0.6], 'velocity': [-1, 0, 0]}]}",
               h, (int)lround(1 / h), frictions[k % 2]) &&
        roll(&experiment)) {
      double gain = largest_gain(&experiment);
      CHECK(gain <= 1e-3, "step %g, friction %g: %g of the energy", h, frictions[k % 2], gain);
    }
    tear_down(&experiment);
  }
}

#define SOFT "'type': 'solid', 'self_contact': false, 'young': %g"

// Energy of motion of the nodes of the only soft body in the step that ends at a frame, and of weight in its middle.
static double energy_of_nodes(const struct experiment *experiment, int frame)
{
  const struct dc_soft *soft = experiment->scene->model.bodies.soft;
  const double *to = experiment->trajectory->q + (size_t)frame * (size_t)experiment->trajectory->nq + soft->q_offset,
               *from = to - experiment->trajectory->nq;
  double sum = 0, h = experiment->trajectory->time_step;
  for (int i = 0; i < soft->node_count; i++) {
    double speed = dc_vec_distance(to + 3 * (size_t)i, from + 3 * (size_t)i) / h;
    sum += dc_soft_node_mass(soft, i) * (0.5 * speed * speed + 0.5 * GRAVITY * (to[3 * i + 2] + from[3 * i + 2]));
  }
  return sum;
}

// The middle of a soft body in free flight is on a parabola, whatever it does about it.
static void test_soft_flight(void)
{
  struct experiment experiment;
  if (set_up(&experiment,
             "{'time': {'step': 0.01, 'steps': 50, " SECOND "}, 'gravity': [0, 0, -9.81], " TIGHT ","
             "'bodies': [{'name': 'block', 'soft': {" SOFT ", 'size': [0.1, 0.1, 0.1], 'cells': [2, 2, 2]},"
             "'density': 1000, 'position': [0, 0, 2], 'velocity': [1, 0, 3], 'angular_velocity': [0, 9, 2]}]}",
             1e4) &&
      roll(&experiment)) {
    double worst = 0;
    for (int n = 0; n <= 50; n++) {
      const double *x = poses_at(&experiment, n)[0].position, t = 0.01 * n;
      worst = larger(worst, hypot(x[0] - t, x[2] - (2 + 3 * t - GRAVITY * t * t / 2)));
    }
    CHECK_NEAR(worst, 0, 1e-9);  // the tolerance of the steps
  }
  tear_down(&experiment);
}

// How low the middle of a beam that is held at one end hangs after 0.2 s.
static double hang(double step, const char *integrator)
{
  struct experiment experiment;
  double low = NAN;
  if (set_up(&experiment,
             "{'time': {'step': %g, 'steps': %d, 'integrator': '%s'}, 'gravity': [0, 0, -9.81], " TIGHT ","
             "'bodies': [{'name': 'beam', 'soft': {" SOFT ", 'size': [0.2, 0.04, 0.04], 'cells': [5, 1, 1],"
             "'pins': [{'low': [-1, -1, -1], 'high': [-0.099, 1, 1]}]}, 'density': 1000}]}",
             step, (int)lround(0.2 / step), integrator, 2e5) &&
      roll(&experiment))
    low = poses_at(&experiment, experiment.trajectory->steps)[0].position[2];
  tear_down(&experiment);
  return low;
}

// Half a step brings the beam nearer to the truth four times, and much nearer than implicit Euler's does.
static void test_soft_beam(void)
{
  double truth = hang(2.5e-4, "second_order"), wide = fabs(hang(5e-3, "second_order") - truth),
         half = fabs(hang(2.5e-3, "second_order") - truth), euler = fabs(hang(2.5e-3, "euler") - truth);
  CHECK(half < 0.3 * wide, "off by %g and %g", wide, half);
  CHECK(half < 0.15 * euler, "off by %g, euler by %g", half, euler);
}

// The speed at which a ball of jelly leaves the floor, over that at which it arrives.
static double bounce(double step, const char *integrator)
{
  struct experiment experiment;
  double down = 0, up = 0, v[3];
  if (set_up(&experiment,
             "{'time': {'step': %g, 'steps': %d, 'integrator': '%s'}, 'gravity': [0, 0, -9.81],"
             "'shapes': {'ground': {'type': 'plane'}},"
             "'bodies': [{'name': 'ball', 'soft': {" SOFT
             ", 'form': 'sphere', 'size': [0.1, 0.1, 0.1], 'cells': [3, 3, 3]},"
             "'density': 1000, 'position': [0, 0, 0.15]}, {'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}",
             step, (int)lround(0.4 / step), integrator, 2e4) &&
      roll(&experiment))
    for (int n = 1; n <= experiment.trajectory->steps; n++) {
      velocity_at(&experiment, n, 0, v);
      down = fmin(down, v[2]);
      up = fmax(up, v[2]);
    }
  tear_down(&experiment);
  return -up / down;
}

static void test_bounce(void)
{
  double fine = bounce(1e-3, "second_order"), second = bounce(5e-3, "second_order"), euler = bounce(5e-3, "euler");
  CHECK(fabs(second / fine - 1) < 0.05, "%g at a step of 5 ms, %g at 1 ms", second, fine);
  CHECK(euler < 0.75 * fine, "euler: %g", euler);
}

// Drawn blocks that spin and hit the ground, soft and far too stiff for their steps: they never move with more energy
// than they came with.
static void test_soft_energy(void)
{
  struct dc_random random;
  dc_random_seed(&random, 45);
  for (int k = 0; k < 16; k++) {
    struct experiment experiment;
    double h = k % 2 ? 0.01 : 0.005, young = pow(10, 4 + 2 * dc_random_uniform(&random)), most = 0, start = 0, w[3],
           turn = dc_random_uniform(&random);
    for (int i = 0; i < 3; i++)
      w[i] = 20 * dc_random_uniform(&random) - 10;
    if (set_up(&experiment,
               "{'time': {'step': %g, 'steps': %d, " SECOND "}, 'gravity': [0, 0, -9.81], 'contact': {'friction': %g},"
               "'shapes': {'ground': {'type': 'plane'}},"
               "'bodies': [{'name': 'block', 'soft': {" SOFT
               ", 'size': [0.1, 0.08, 0.06], 'cells': [3, 2, 2]}, 'density': 1000,"
               "'position': [0, 0, 0.3], 'velocity': [1, 0, -1], 'rotation': [%.17g, %.17g, 0, 0], 'angular_velocity': "
               "[%g, %g, %g]},"
               "{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}",
               h, (int)lround(1 / h), 0.3 * (k % 3), young, cos(turn), sin(turn), w[0], w[1], w[2]) &&
        roll(&experiment)) {
      for (int n = 1; n <= experiment.trajectory->steps; n++) {
        double energy = energy_of_nodes(&experiment, n);
        start = n == 1 ? energy : start;
        most = fmax(most, energy);
      }
      CHECK(most <= 1.001 * start, "draw %d: %g times the energy", k, most / start);
    }
    tear_down(&experiment);
  }
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"free flight is a parabola at any step", test_free_fall},
                              {"spin about a principal axis is kept", test_spin},
                              {"a tumbling body keeps its energy and is of second order", test_tumbling},
                              {"a fast top turns about the vertical as it should", test_gyroscope},
                              {"a double pendulum is of second order", test_double_pendulum},
                              {"so is a driven arm", test_driven}, {"contact gives no energy", test_contact},
                              {"soft bodies fly along parabolas", test_soft_flight},
                              {"a soft beam is nearer to the truth than by implicit Euler", test_soft_beam},
                              {"a ball of jelly bounces alike at 5 and 1 ms", test_bounce},
                              {"contact gives soft bodies no energy", test_soft_energy})
