// SPDX-License-Identifier: Apache-2.0
// MuJoCo as a stepper: states, joints, actuators and design reach it as they are meant, where physics has one answer.
#include "mujoco_scenes.h"

static const double *state_of(const struct experiment *experiment, int frame)
{
  return experiment->trajectory->q + (size_t)frame * (size_t)experiment->trajectory->nq;
}

// Semi-implicit Euler with steps d falls g T^2/2 + g T d/2.
static void test_free_fall(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment, "{'time': {'step': 0.02, 'steps': 50}, 'contact': {'model': 'mujoco'},"
                           "'shapes': {'box': {'type': 'box', 'size': [0.1, 0.2, 0.3]}},"
                           "'bodies': [{'name': 'box', 'shape': 'box', 'mass': 2, 'position': [1, 2, 30],"
                           "'rotation': [0.6, 0, 0.8, 0], 'velocity': [3, -1, 4]}]}"))
    return;
  roll(&experiment);
  const double *x = last_pose(&experiment, 0)->position, time = 1, substep = 0.0025;
  CHECK_NEAR(x[0], 1 + 3 * time, 1e-12);  // 3e-14 observed
  CHECK_NEAR(x[1], 2 - 1 * time, 1e-12);
  CHECK_NEAR(x[2], 30 + 4 * time - 0.5 * GRAVITY * time * (time + substep), 1e-11);  // 1e-14 observed
  CHECK_NEAR(last_pose(&experiment, 0)->quaternion[2], 0.8, 1e-12);
  tear_down(&experiment);
}

// About a principal axis: R = exp(T [w]x) R_0, w in the world's axes.
static void test_spin(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment, "{'time': {'step': 0.02, 'steps': 50}, 'gravity': [0, 0, 0], 'contact': {'model': 'mujoco'},"
                           "'shapes': {'box': {'type': 'box', 'size': [0.1, 0.2, 0.3]}},"
                           "'bodies': [{'name': 'box', 'shape': 'box', 'mass': 2, 'rotation': [0.8, 0.6, 0, 0],"
                           "'angular_velocity': [0, -2.88, 0.84]}]}"))  // 3 rad/s about the body's z
    return;
  roll(&experiment);
  static const double turn[3] = {0, -2.88, 0.84}, start[4] = {0.8, 0.6, 0, 0};
  double expected[4];
  dc_rotation_exp(expected, turn);
  dc_rotation_multiply(expected, expected, start);
  const double *q = last_pose(&experiment, 0)->quaternion;
  double cosine = fabs(q[0] * expected[0] + q[1] * expected[1] + q[2] * expected[2] + q[3] * expected[3]);
  CHECK_NEAR(cosine, 1, 1e-12);  // 2e-16 observed
  tear_down(&experiment);
}

// Angular momentum of a tumbling box about its centre of mass, from the change of its rotation in the step that ends at
// frame.
static void angular_momentum(const struct experiment *experiment, int frame, double momentum[3])
{
  const struct dc_body *body = &experiment->scene->model.bodies.bodies[0];
  const struct dc_pose *to = poses_at(experiment, frame), *from = poses_at(experiment, frame - 1);
  double inverse[4], turn[3], middle[4], matrix[9], own[3], of_body[3], s = 0;
  dc_rotation_conjugate(inverse, from->quaternion);
  dc_rotation_multiply(inverse, to->quaternion, inverse);
  dc_rotation_log(turn, inverse);
  dc_vec_scale(own, turn, 0.5);
  dc_rotation_exp(middle, own);
  dc_rotation_multiply(middle, middle, from->quaternion);
  dc_rotation_matrix(matrix, middle);
  dc_mat_apply_transposed(own, matrix, turn);
  dc_mat_apply(of_body, body->second_moment, own);
  for (int k = 0; k < 3; k++)
    s += body->second_moment[4 * k];
  for (int k = 0; k < 3; k++)
    of_body[k] = (s * own[k] - of_body[k]) / experiment->trajectory->time_step;
  dc_mat_apply(momentum, matrix, of_body);
}

static void test_tumbling(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment,
              "{'time': {'step': 0.01, 'steps': 300}, 'gravity': [0, 0, 0], 'contact': {'model': 'mujoco'},"
              "'mujoco': {'integrator': 'RK4', 'substeps': 4},"
              "'shapes': {'box': {'type': 'box', 'size': [0.1, 0.2, 0.3]}},"
              "'bodies': [{'name': 'box', 'shape': 'box', 'mass': 2, 'rotation': [0.8, 0.6, 0, 0],"
              "'angular_velocity': [0.3, 2.5, 0.4]}]}"))
    return;
  roll(&experiment);
  double first[3], later[3], largest = 0, turned = 0;
  angular_momentum(&experiment, 1, first);
  for (int frame = 2; frame <= experiment.trajectory->steps; frame++) {
    angular_momentum(&experiment, frame, later);
    largest = larger(largest, dc_vec_distance(first, later));
    turned = larger(turned, 1 - fabs(poses_at(&experiment, frame)->rotation[0]));
  }
  CHECK(turned > 0.5, "it tumbles: %g", turned);
  CHECK_NEAR(largest / dc_vec_norm(first), 0, 1e-4);  // 1.1e-5 observed, of the differences
  tear_down(&experiment);
}

// Gravity turned by the slope's angle: below the limit a block creeps, above it gains g (sin a - mu cos a).  What
// slides on MuJoCo's contacts chatters: the gain of a second is off by a few per cent in a plain model of MuJoCo, too.
static double slide(double slope, const char *settings)
{
  struct experiment experiment;
  double angle = atan(slope), v[2][3] = {{0}};
  if (!set_up(&experiment,
              "{'time': {'step': 0.01, 'steps': 200}, 'gravity': [%.17g, 0, %.17g],"
              "'contact': {'model': 'mujoco', 'friction': 0.5}, 'mujoco': {%s},"
              "'shapes': {'block': {'type': 'box', 'size': [0.4, 0.4, 0.1]}, 'ground': {'type': 'plane'}},"
              "'bodies': [{'name': 'block', 'shape': 'block', 'mass': 1, 'position': [0, 0, 0.0501]},"
              "{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}",
              GRAVITY * sin(angle), -GRAVITY * cos(angle), settings))
    return NAN;
  if (roll(&experiment)) {
    velocity_at(&experiment, 100, 0, v[0]);
    velocity_at(&experiment, 200, 0, v[1]);
  }
  tear_down(&experiment);
  return v[1][0] - v[0][0];  // m/s in one second
}

static void test_slope(void)
{
  NEEDS_MUJOCO();
  static const char *const settings[] = {"", "'cone': 'elliptic', 'impratio': 10", "'integrator': 'implicit'"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    double barely = GRAVITY / sqrt(1 + 0.51 * 0.51) * 0.01, clearly = GRAVITY / sqrt(1.49) * 0.2;
    CHECK_NEAR(slide(0.49, settings[i]), 0, 2e-3);                 // -5e-4 observed
    CHECK_NEAR(slide(0.51, settings[i]), barely, 0.1 * barely);    // 5 % observed
    CHECK_NEAR(slide(0.7, settings[i]), clearly, 0.06 * clearly);  // 3.6 % observed
  }
}

// Own coefficients 0.4 and 0.9: a pair has the geometric mean, 0.6, where MuJoCo's own rule would take 0.9; and the
// design's scales act on it.
static void test_friction_of_pairs(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment,
              "{'time': {'step': 0.01, 'steps': 40}, 'contact': {'model': 'mujoco'},"
              "'shapes': {'block': {'type': 'box', 'size': [0.4, 0.4, 0.1]}, 'ground': {'type': 'plane'}},"
              "'bodies': [{'name': 'block', 'shape': 'block', 'mass': 1, 'friction': 0.4, 'position': [0, 0, 0.0501],"
              "'velocity': [2.5, 0, 0]}, {'name': 'ground', 'joint': 'fixed', 'shape': 'ground', 'friction': 0.9}]}"))
    return;
  for (int scaled = 0; scaled < 2; scaled++) {
    double v[2][3], mu = scaled ? 0.3 : 0.6;
    experiment.input->design.friction_scale[0] = scaled ? 0.25 : 1;
    roll(&experiment);
    velocity_at(&experiment, 10, 0, v[0]);
    velocity_at(&experiment, 40, 0, v[1]);
    CHECK_NEAR((v[0][0] - v[1][0]) / (0.3 * GRAVITY), mu, 0.05 * mu);  // 2.2 % observed
  }
  tear_down(&experiment);
}

// A ball that spins on a patch of radius r loses 2/3 mu m g r of its angular momentum in a second.
static void test_patch(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment,
              "{'time': {'step': 0.01, 'steps': 40}, 'contact': {'model': 'mujoco', 'friction': 0.4},"
              "'mujoco': {'patch': 0.03, 'cone': 'elliptic', 'impratio': 10},"
              "'shapes': {'ball': {'type': 'sphere', 'radius': 0.1}, 'ground': {'type': 'plane'}},"
              "'bodies': [{'name': 'ball', 'shape': 'ball', 'mass': 2, 'position': [0, 0, 0.1002],"
              "'angular_velocity': [0, 0, 20]}, {'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}"))
    return;
  double momentum[2][3], expected = 2.0 / 3 * 0.4 * 2 * GRAVITY * 0.03;
  roll(&experiment);
  angular_momentum(&experiment, 20, momentum[0]);
  angular_momentum(&experiment, 40, momentum[1]);
  CHECK_NEAR((momentum[0][2] - momentum[1][2]) / 0.2, expected, 0.02 * expected);
  tear_down(&experiment);
}

static void test_stack(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment, "{'time': {'step': 0.01, 'steps': 300}, 'contact': {'model': 'mujoco', 'friction': 0.5},"
                           "'shapes': {'box': {'type': 'box', 'size': [0.2, 0.2, 0.2]}, 'ground': {'type': 'plane'}},"
                           "'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},"
                           "{'name': 'low', 'shape': 'box', 'position': [0, 0, 0.101]},"
                           "{'name': 'middle', 'shape': 'box', 'position': [0.02, 0, 0.302]},"
                           "{'name': 'high', 'shape': 'box', 'position': [0, 0.02, 0.503]}]}"))
    return;
  roll(&experiment);
  static const double places[4][2] = {{0, 0}, {0, 0}, {0.02, 0}, {0, 0.02}};
  for (int i = 1; i < 4; i++) {
    const struct dc_pose *pose = last_pose(&experiment, i);
    CHECK_NEAR(pose->position[0], places[i][0], 5e-4);   // 1.1e-5 observed
    CHECK_NEAR(pose->position[1], places[i][1], 5e-4);   // 5.4e-5 observed
    CHECK_NEAR(pose->position[2], 0.2 * i - 0.1, 1e-3);  // it sinks in by 1.9e-4 m
    CHECK_NEAR(pose->rotation[8], 1, 1e-6);              // 2e-8 observed
  }
  double sunk = experiment.trajectory->min_gap[300];
  CHECK(sunk == 0, "surfaces that overlap have no gap: %g", sunk);
  double gap = experiment.trajectory->min_gap[0];
  CHECK(gap > 5e-4 && gap <= 1e-3, "a lower bound of 1 mm: %g", gap);  // 7.9e-4 observed
  tear_down(&experiment);
}

// A cube of 0.2 m somewhere in the frame of its mesh rests on another mesh, a fixed slab; filtered, it falls through.
static void test_meshes(void)
{
  NEEDS_MUJOCO();
  FILE *file = fopen("cube_away.obj", "w");
  CHECK(file, "cube_away.obj");
  if (!file)
    return;
  for (int i = 0; i < 8; i++)
    fprintf(file, "v %g %g %g\n", 1 + 0.2 * (i & 1), 2 + 0.1 * (i & 2), 3 + 0.05 * (i & 4));
  fprintf(file, "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
  fclose(file);
  for (int filtered = 0; filtered < 2; filtered++) {
    struct experiment experiment;
    if (!set_up(&experiment,
                "{'time': {'step': 0.01, 'steps': 100}, 'contact': {'model': 'mujoco', 'friction': 0.5},"
                "'mujoco': {'multiccd': true}, 'shapes': {'cube': {'type': 'mesh', 'file': 'cube_away.obj'}},"
                "'bodies': [{'name': 'cube', 'shape': 'cube', 'mass': 1, 'position': [-1.05, -2, -2.797]%s},"
                "{'name': 'slab', 'joint': 'fixed', 'shape': 'cube', 'position': [-1, -2, -3]}]}",
                filtered ? ", 'collide_except': ['slab']" : ""))
      return;
    roll(&experiment);
    const struct dc_pose *pose = last_pose(&experiment, 0);
    if (filtered) {
      CHECK(pose->position[2] < -4, "%g", pose->position[2]);
    } else {
      CHECK_NEAR(pose->position[0], 0.05, 1e-4);  // 3.1e-6 observed
      CHECK_NEAR(pose->position[2], 0.3, 5e-4);   // it sinks in by 1.6e-5 m
      CHECK_NEAR(pose->rotation[8], 1, 1e-6);     // 6e-11 observed
    }
    tear_down(&experiment);
  }
}

// An L in the plane of x and z, 0.2 m thick, 1 m long either way and wide.
static bool write_corner(void)
{
  static const double rim[6][2] = {{0.2, 0.2}, {0.2, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 0.2}};
  FILE *file = fopen("corner.obj", "w");
  CHECK(file, "corner.obj");
  if (!file)
    return false;
  for (int i = 0; i < 12; i++)
    fprintf(file, "v %g %g %g\n", rim[i % 6][0], i < 6 ? -0.5 : 0.5, rim[i % 6][1]);
  fprintf(file, "f 1 2 3 4 5 6\nf 7 12 11 10 9 8\n");
  for (int i = 0; i < 6; i++)
    fprintf(file, "f %d %d %d %d\n", i + 1, i + 7, (i + 1) % 6 + 7, (i + 1) % 6 + 1);
  fclose(file);
  return true;
}

// A ball falls into the hollow of the L: with the convex parts of the shape it rests there, on their hull it rolls off.
static void test_convex_parts(void)
{
  NEEDS_MUJOCO();
  static double boxes[2][8][3];
  for (int i = 0; i < 8; i++) {
    dc_vec_copy(boxes[0][i], ((double[3]){i & 1 ? 1 : 0, i & 2 ? 0.5 : -0.5, i & 4 ? 0.2 : 0}));
    dc_vec_copy(boxes[1][i], ((double[3]){i & 1 ? 0.2 : 0, i & 2 ? 0.5 : -0.5, i & 4 ? 1 : 0}));
  }
  const struct dc_mesh parts[2] = {{.vertex_count = 8, .vertices = boxes[0]},
                                   {.vertex_count = 8, .vertices = boxes[1]}};
  if (!write_corner())
    return;
  for (int count = 0; count <= 2; count += 2) {
    struct experiment experiment;
    struct dc_error error = {0};
    if (!set_up(&experiment, "{'time': {'step': 0.01, 'steps': 100}, 'contact': {'model': 'mujoco', 'friction': 0.5},"
                             "'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 2},"
                             "'corner': {'type': 'mesh', 'file': 'corner.obj'}},"
                             "'bodies': [{'name': 'ball', 'shape': 'ball', 'mass': 1, 'position': [2.4, 0, -0.04]},"
                             "{'name': 'corner', 'joint': 'fixed', 'shape': 'corner', 'position': [2, 0, -1]}]}"))
      return;
    experiment.scene->shapes[1].part_count = count;
    experiment.scene->shapes[1].parts = parts;
    dc_rollout_destroy(experiment.rollout);
    experiment.rollout = dc_rollout_create(&experiment.scene->model, &error);
    CHECK(experiment.rollout, "%s", error.text);
    if (experiment.rollout && roll(&experiment)) {
      const double *x = last_pose(&experiment, 0)->position;
      if (count)
        CHECK_NEAR(x[2], -0.7, 1e-3);  // 6.8e-5 observed
      else
        CHECK(x[0] > 2.6, "out at %g, %g", x[0], x[2]);
    }
    tear_down(&experiment);
  }
}

// A rod of 1 m hung up at its end: period 2 pi sqrt(2 l/(3 g)) with the first terms of the amplitude.
static void test_pendulum(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  double amplitude = 0.2;
  if (!set_up(&experiment,
              "{'time': {'step': 0.005, 'steps': 1000}, 'contact': {'model': 'mujoco'},"
              "'shapes': {'rod': {'type': 'box', 'size': [0.001, 0.001, 1]}},"
              "'bodies': [{'name': 'rod', 'shape': 'rod', 'mass': 1, 'joint': 'hinge', 'axis': [0, 1, 0],"
              "'anchor': [0, 0, 0.5], 'joint_position': [%g]}]}",
              amplitude))
    return;
  roll(&experiment);
  double first = 0, last = 0;
  int crossings = 0;
  for (int frame = 1; frame <= 1000; frame++) {
    double before = *state_of(&experiment, frame - 1), after = *state_of(&experiment, frame);
    if ((before > 0) == (after > 0))
      continue;
    last = 0.005 * (frame - 1 + before / (before - after));
    first = crossings++ ? first : last;
  }
  double period = 2 * M_PI * sqrt(2 / (3 * GRAVITY)) * (1 + amplitude * amplitude / 16);
  CHECK(crossings == 6, "%d", crossings);
  CHECK_NEAR(2 * (last - first) / (crossings - 1), period, 1e-4 * period);  // 5.6e-6 observed
  tear_down(&experiment);
}

// With one step of MuJoCo per step its Euler rule is our implicit step:
// (m + h kd + h^2 kp) v+ = m v + h (kp (y - q) + kd w).
static const char *const driven =
    "{'time': {'step': 0.02, 'steps': 60}, 'gravity': [0, 0, -9.81], 'contact': {'model': '%s'}, 'mujoco': "
    "{'substeps': %d},"
    "'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.1]}}, 'solver': {'tolerance': 1e-9},"
    "'bodies': [{'name': 'slide', 'shape': 'box', 'mass': %g, 'joint': 'slide', 'axis': [1, 0, 1],"
    "'joint_position': [0.1], 'joint_velocity': [-0.5], 'pd': {'kp': 1000, 'kd': 10}},"
    "{'name': 'free', 'shape': 'box', 'mass': %g, 'position': [5, 0, 0], 'velocity': [0, 1, 0], 'collide': false,"
    "'pd': {'kp': 1000, 'kd': 10, 'kp_rotation': 20, 'kd_rotation': 0.5}}]}";

static void drive(struct dc_rollout_input *input)
{
  for (int t = 0; t < input->steps; t++) {
    double *position = input->target_position + 7 * (size_t)t, *velocity = input->target_velocity + 7 * (size_t)t;
    position[0] = 0.3 * sin(0.2 * t);
    velocity[0] = 0.4;
    position[4] = 0.01 * t;
    velocity[5] = -0.2;
  }
}

static void test_driven_slide(void)
{
  NEEDS_MUJOCO();
  struct experiment ours, theirs, scaled;
  if (!set_up(&ours, driven, "bsh", 1, 0.2, 0.2) || !set_up(&theirs, driven, "mujoco", 1, 0.2, 0.2) ||
      !set_up(&scaled, driven, "mujoco", 1, 0.4, 0.1))
    return;
  drive(ours.input);
  drive(theirs.input);
  drive(scaled.input);
  scaled.input->design.body_mass_scale[0] = 0.5;
  scaled.input->design.body_mass_scale[1] = 2;
  dc_rollout_set_tight(ours.rollout, true);
  roll(&ours);
  roll(&theirs);
  roll(&scaled);
  double off = 0, off_scaled = 0, moved = 0;
  for (int frame = 0; frame <= 60; frame++)
    for (int k = 0; k < ours.trajectory->nq; k++) {
      double expected = state_of(&ours, frame)[k];
      off = larger(off, fabs(state_of(&theirs, frame)[k] - expected));
      off_scaled = larger(off_scaled, fabs(state_of(&scaled, frame)[k] - state_of(&theirs, frame)[k]));
      moved = larger(moved, fabs(expected - state_of(&ours, 0)[k]));
    }
  CHECK(moved > 0.3, "it moves: %g", moved);
  CHECK_NEAR(off, 0, 1e-12);         // 9e-16 observed
  CHECK_NEAR(off_scaled, 0, 1e-12);  // 0 observed
  tear_down(&ours);
  tear_down(&theirs);
  tear_down(&scaled);
}

// Every kind of joint, driven and not, in one tree, with velocities and targets.
static bool set_up_arm(struct experiment *experiment, const char *model, double step, int steps)
{
  bool made = set_up(
      experiment,
      "{'time': {'step': %g, 'steps': %d}, 'gravity': [0.3, -0.2, -9.8],"
      "'contact': {'model': '%s'}, 'mujoco': {'substeps': 1}, 'solver': {'tolerance': 1e-6},"
      "'shapes': {'limb': {'type': 'box', 'size': [0.05, 0.06, 0.16]}, 'block': {'type': 'box', 'size': [0.3, 0.2, "
      "0.1]}},"
      "'bodies': [{'name': 'cart', 'shape': 'block', 'mass': 1.5, 'joint': 'slide', 'axis': [1, 0, 0.1],"
      "'joint_velocity': [0.3], 'pd': {'kp': 60, 'kd': 4}, 'collide': false},"
      "{'name': 'upper', 'shape': 'limb', 'mass': 0.4, 'parent': 'cart', 'joint': 'universal', 'position': [0, 0, "
      "-0.16],"
      "'anchor': [0, 0, -0.06], 'axis': [0, 1, 0], 'joint_position': [0.3, -0.2], 'joint_velocity': [0.5, 1],"
      "'pd': {'kp': 7, 'kd': 0.5}, 'collide': false},"
      "{'name': 'lower', 'shape': 'limb', 'mass': 0.3, 'parent': 'upper', 'joint': 'ball', 'position': [0, 0, -0.36],"
      "'anchor': [0, 0, -0.26], 'pd': {'kp': 0.4, 'kd': 0.05}, 'collide': false},"
      "{'name': 'plate', 'shape': 'limb', 'mass': 0.2, 'parent': 'lower', 'joint': 'planar', 'axis': [1, 1, 0],"
      "'position': [0.1, 0, -0.5], 'joint_velocity': [0.1, 0.2, 1], 'pd': {'kp': 9, 'kd': 0.3, 'kp_rotation': 0.1,"
      "'kd_rotation': 0.01}, 'collide': false},"
      "{'name': 'tool', 'shape': 'limb', 'mass': 0.1, 'parent': 'plate', 'joint': 'fixed', 'position': [0.2, 0, -0.5],"
      "'rotation': [0.8, 0, 0.6, 0], 'collide': false},"
      "{'name': 'loose', 'shape': 'limb', 'mass': 0.25, 'parent': 'cart', 'joint': [{'type': 'hinge', 'anchor':"
      "[0.12, 0, -0.04]}, {'type': 'ball', 'anchor': [0.2, 0, -0.04]}], 'position': [0.25, 0, -0.15], 'collide': "
      "false},"
      "{'name': 'second', 'shape': 'limb', 'mass': 0.25, 'parent': 'cart', 'joint': [{'type': 'ball', 'anchor':"
      "[-0.1, 0, 0.1]}, {'type': 'hinge', 'axis': [1, 0, 0.3], 'anchor': [-0.2, 0, 0.2]}], 'position': [-0.25, 0, "
      "0.25],"
      "'collide': false},"
      "{'name': 'flyer', 'shape': 'limb', 'mass': 0.3, 'position': [3, 0, 0], 'rotation': [0.6, 0, 0, 0.8],"
      "'angular_velocity': [1, 2, -3], 'velocity': [0, 1, 0], 'collide': false, 'pd': {'kp': 0.5, 'kd': 0.2,"
      "'kp_rotation': 0.02, 'kd_rotation': 0.001}}]}",
      step, steps, model);
  for (int t = 0; made && t < steps; t++) {
    int actuators = experiment->scene->model.bodies.actuator_count;
    for (int k = 0; k < actuators; k++) {
      experiment->input->target_position[t * actuators + k] = 0.3 * sin(1.3 * k + 2 * step * t);
      experiment->input->target_velocity[t * actuators + k] = 0.2 * cos(0.7 * k);
    }
  }
  return made;
}

// Largest distance of states after 0.2 s, and of the frames of all bodies.
static double arm_difference(double step)
{
  struct experiment ours, theirs;
  int steps = (int)lround(0.2 / step);
  double worst = 0;
  if (!set_up_arm(&ours, "bsh", step, steps) || !set_up_arm(&theirs, "mujoco", step, steps))
    return NAN;
  if (roll(&ours) && roll(&theirs))
    for (int i = 0; i < ours.trajectory->bodies; i++) {
      const struct dc_pose *a = last_pose(&ours, i), *b = last_pose(&theirs, i), *start = poses_at(&ours, 0) + i;
      CHECK(dc_vec_distance(a->position, start->position) > 0.01, "%s moves", ours.scene->model.bodies.bodies[i].name);
      worst = larger(worst, dc_vec_distance(a->position, b->position));
      for (int k = 0; k < 9; k++)
        worst = larger(worst, 0.1 * fabs(a->rotation[k] - b->rotation[k]));
    }
  tear_down(&ours);
  tear_down(&theirs);
  return worst;
}

// Two rules of first order for the same equations: they meet as the steps get shorter.
static void test_joints(void)
{
  NEEDS_MUJOCO();
  double coarse = arm_difference(2e-3), fine = arm_difference(5e-4);
  CHECK_NEAR(fine, 0, 5e-4);          // 1.3e-4 observed
  CHECK_NEAR(coarse / fine, 4, 0.4);  // 3.92 observed
}

static void test_limits(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment, "{'time': {'step': 0.01, 'steps': 300}, 'contact': {'model': 'mujoco'},"
                           "'shapes': {'rod': {'type': 'box', 'size': [0.02, 0.02, 0.4]}},"
                           "'bodies': [{'name': 'rod', 'shape': 'rod', 'mass': 1, 'joint': 'hinge', 'axis': [0, 1, 0],"
                           "'anchor': [0, 0, -0.2], 'range': [-0.6, 0.4], 'joint_position': [0.01]}]}"))
    return;
  roll(&experiment);
  CHECK_NEAR(*state_of(&experiment, 300), 0.4, 2e-3);  // 4.7e-4 observed
  tear_down(&experiment);
}

// Same bits: again, in another workspace, and of several workspaces at once, as finite differences use them.
static void test_determinism(void)
{
  NEEDS_MUJOCO();
  enum { COPIES = 4 };
  struct experiment experiments[COPIES];
  enum dc_status status[COPIES];
  for (int i = 0; i < COPIES; i++)
    if (!set_up(&experiments[i], HEAP, 1.0, ""))
      return;
  roll(&experiments[0]);
  struct dc_trajectory *first = dc_trajectory_create(&experiments[0].scene->model, 40);
  dc_trajectory_copy(first, experiments[0].trajectory);
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int i = 0; i < COPIES; i++) {
    struct experiment *e = &experiments[i];
    status[i] = dc_rollout_forward(e->rollout, e->input, e->trajectory, NULL);
  }
  for (int i = 0; i < COPIES; i++) {
    CHECK(status[i] == DC_OK, "%d", status[i]);
    CHECK(same_bits(first, experiments[i].trajectory), "rollout %d", i);
    tear_down(&experiments[i]);
  }
  CHECK(first->newton_iterations[20] > 0, "contacts were solved");
  dc_trajectory_destroy(first);
}

// Half the way, then on from that frame, as windows of a receding horizon do.
static void test_going_on(void)
{
  NEEDS_MUJOCO();
  struct experiment whole, rest;
  if (!set_up(&whole, HEAP, 1.0, "") || !set_up(&rest, HEAP, 1.0, ""))
    return;
  size_t nq = (size_t)whole.scene->model.bodies.nq, nv = (size_t)whole.scene->model.bodies.nv;
  roll(&whole);
  memcpy(rest.input->q, state_of(&whole, 20), nq * sizeof(double));
  memcpy(rest.input->velocity, whole.trajectory->velocity + 20 * nv, nv * sizeof(double));
  rest.input->q_before = state_of(&whole, 19);  // boxes lie in the ground by now, which no start may
  rest.trajectory->steps = 20;
  roll(&rest);
  CHECK(memcmp(rest.trajectory->q, state_of(&whole, 20), 21 * nq * sizeof(double)) == 0, "same bits");
  CHECK(state_of(&rest, 20)[0] != state_of(&rest, 0)[0], "it still moves");
  tear_down(&whole);
  tear_down(&rest);
}

// Two weights over a pulley, the lighter one nothing but numbers: both accelerate by (m_b - m_a) g/(m_a + m_b).
static void test_coupling(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  if (!set_up(&experiment,
              "{'time': {'step': 0.02, 'steps': 25}, 'contact': {'model': 'mujoco'},"
              "'shapes': {'half': {'type': 'box', 'size': [0.1, 0.1, 0.1]}, 'block': {'type': 'compound', 'parts':"
              "[{'shape': 'half'}, {'shape': 'half', 'position': [0.1, 0, 0]}]}},"
              "'bodies': [{'name': 'a', 'joint': 'slide', 'shape': 'block', 'mass': 0.6},"
              "{'name': 'b', 'joint': 'slide', 'mass': 0.4, 'inertia': [0.01, 0.01, 0.01, 0, 0, 0], 'visual': 'block'},"
              "{'name': 'mark', 'joint': 'fixed'}],"
              "'couplings': [{'body': 'b', 'to': 'a', 'multiplier': -1, 'offset': 0.5}]}"))
    return;
  roll(&experiment);
  CHECK_NEAR(state_of(&experiment, 0)[1], 0.5, 1e-15);  // exact
  const double *end = state_of(&experiment, 25);
  CHECK_NEAR(end[0], -0.5 * 0.2 * GRAVITY * 0.25, 5e-3);  // 1.5e-3 observed: MuJoCo's constraint is soft
  CHECK_NEAR(end[0] + end[1], 0.5, 2e-3);                 // 5.6e-4 observed
  tear_down(&experiment);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"free fall", test_free_fall}, {"spin about a principal axis", test_spin},
                              {"a tumbling body keeps its angular momentum", test_tumbling}, {"slope", test_slope},
                              {"friction of pairs", test_friction_of_pairs}, {"a patch resists spins", test_patch},
                              {"a stack stands", test_stack}, {"meshes and filters", test_meshes},
                              {"convex parts", test_convex_parts}, {"pendulum", test_pendulum},
                              {"driven slide", test_driven_slide}, {"coupling", test_coupling},
                              {"every joint", test_joints}, {"limits", test_limits}, {"same bits", test_determinism},
                              {"going on from a frame", test_going_on})
