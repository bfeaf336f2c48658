// SPDX-License-Identifier: Apache-2.0
// Known answers of impacts: what is left of a speed at each restitution, with friction, and that what rests is left
// alone.
#include "physics.h"

struct impact {
  const char *model, *settings, *a, *b;  // settings of contact and of either body
  double step, speed, gap;
};

// Two cubes of 0.5 m and 1 kg, the first moves at the second.
static bool set_up_impact(struct experiment *experiment, const struct impact *impact)
{
  return set_up(
      experiment,
      "{'time': {'step': %g, 'steps': %d}, 'gravity': [0, 0, 0], 'contact': {'model': '%s', %s},"
      "'shapes': {'box': {'type': 'box', 'size': [0.5, 0.5, 0.5]}},"
      "'bodies': [{'name': 'a', 'shape': 'box', 'mass': 1, 'position': [%.17g, 0, 0], 'velocity': [%g, 0, 0]%s},"
      "{'name': 'b', 'shape': 'box', 'mass': 1%s}]}",
      impact->step, (int)ceil(2.5 * impact->gap / (impact->speed * impact->step)) + 10, impact->model, impact->settings,
      -0.5 - impact->gap, impact->speed, impact->a, impact->b);
}

// Speed of parting over that of meeting: where the gap is that of the start again, or at the end; NAN on failure.
static double rebound_of(const struct impact *impact)
{
  struct experiment experiment;
  double rebound = NAN;
  if (set_up_impact(&experiment, impact) && roll(&experiment)) {
    int last = experiment.trajectory->steps, frame = 1;
    for (bool came = false; frame < last; frame++) {
      const struct dc_pose *poses = poses_at(&experiment, frame);
      double distance = poses[1].position[0] - poses[0].position[0];
      came |= distance < 0.5 + 0.5 * impact->gap;
      if (came && distance >= 0.5 + impact->gap)
        break;
    }
    double a[3], b[3];
    velocity_at(&experiment, frame, 0, a);
    velocity_at(&experiment, frame, 1, b);
    rebound = (b[0] - a[0]) / impact->speed;
  }
  tear_down(&experiment);
  return rebound;
}

// Whatever the step, the stiffness, the speed and the model.
static void test_rebounds(void)
{
  static const double parts[] = {0, 0.3, 0.5, 0.9, 1};
  static const struct impact cases[] = {
      {"bsh", "'stiffness': 2e-5", "", "", 0.04, 3, 0.2},
      {"bsh", "'stiffness': 2e-6", "", "", 0.0025, 1, 0.1},
      {"bsh", "'stiffness': 2e-8", "", "", 0.01, 10, 0.2},
      {"bsh", "'stiffness': 2e-7", "", "", 0.02, 0.3, 0.12},
      {"exact", "'stiffness': 2e-6", "", "", 0.01, 1, 0.1},
      {"sdrs", "'stiffness': 2e-6", "", "", 0.0025, 3, 0.2},
      {"manifold", "'stiffness': 2e-6", "", "", 0.01, 3, 0.2},
      {"ipc", "'stiffness': 0.02, 'dhat': 0.02", "", "", 0.0025, 1, 0.1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      struct impact impact = cases[i];
      char settings[80];
      snprintf(settings, sizeof settings, "%s, 'restitution': %g", impact.settings, parts[k]);
      impact.settings = settings;
      double rebound = rebound_of(&impact);
      printf("# %s, %s, step %g, %g m/s: %.3f\n", impact.model, settings, impact.step, impact.speed, rebound);
      CHECK(fabs(rebound - parts[k]) < 0.05, "%s, %s: %g", impact.model, settings, rebound);
    }
}

// The smaller restitution of two bodies counts, a body's own before that of contact.
static void test_which_counts(void)
{
  const struct impact none = {"bsh", "'stiffness': 2e-6", "", "", 0.01, 0.3, 0.1};
  struct impact same[] = {none, none, none, none, none};
  same[0].settings = "'stiffness': 2e-6, 'restitution': 0.5";
  same[1].a = ", 'restitution': 0.5";
  same[2].b = ", 'restitution': 0.5";
  same[3].a = ", 'restitution': 0.9", same[3].b = ", 'restitution': 0.5";
  same[4].settings = "'stiffness': 2e-6, 'restitution': 0", same[4].a = ", 'restitution': 0.5";
  same[4].b = ", 'restitution': 0.7";
  double half = rebound_of(&same[0]);
  for (int i = 1; i < 5; i++)
    CHECK(rebound_of(&same[i]) == half, "%d: %g, %g", i, rebound_of(&same[i]), half);
}

// A box that slides over a half-space and hits it: all of its friction is Coulomb's, of the net normal impulse.
static void test_oblique(void)
{
  static const double parts[] = {0, 0.5};
  for (int k = 0; k < 2; k++) {
    struct experiment experiment;
    if (set_up(
            &experiment,
            "{'time': {'step': 0.002, 'steps': 150}, 'gravity': [0, 0, 0],"
            "'contact': {'friction': 0.3, 'restitution': %g},"
            "'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.1]}, 'ground': {'type': 'plane'}},"
            "'bodies': [{'name': 'a', 'shape': 'box', 'mass': 1, 'position': [0, 0, 0.15], 'joint_velocity': [10, -1],"
            "'joint': [{'type': 'slide', 'axis': [1, 0, 0]}, {'type': 'slide', 'axis': [0, 0, 1]}]},"
            "{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}",
            parts[k]) &&
        roll(&experiment)) {
      double v[3];
      velocity_at(&experiment, 150, 0, v);
      printf("# e = %g: %.4f along, %.4f away\n", parts[k], v[0], v[2]);
      CHECK(fabs(v[2] - parts[k]) < 0.03, "%g", v[2]);
      CHECK(fabs((10 - v[0]) / (1 + v[2]) - 0.3) < 0.01, "%g", (10 - v[0]) / (1 + v[2]));  // 0.002 observed
    }
    tear_down(&experiment);
  }
}

// A block laid down on a half-space comes to rest at the same gap.
static void test_rest(void)
{
  double heights[2], moved[2] = {NAN, NAN};
  for (int dead = 0; dead < 2; dead++) {
    struct experiment experiment;
    heights[dead] = NAN;
    if (set_up(&experiment,
               "{'time': {'step': 0.01, 'steps': 900}, 'contact': {'stiffness': 2e-5%s},"
               "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.3, 0.3]}, 'ground': {'type': 'plane'}},"
               "'bodies': [{'name': 'a', 'shape': 'box', 'mass': 1, 'position': [0, 0, 0.16]},"
               "{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}",
               dead ? ", 'restitution': 0.9" : "") &&
        roll(&experiment)) {
      heights[dead] = poses_at(&experiment, 900)->position[2];
      moved[dead] = heights[dead] - poses_at(&experiment, 899)->position[2];
    }
    tear_down(&experiment);
  }
  printf("# rests at %.9g and, with restitution, %.9g m\n", heights[0], heights[1]);
  CHECK(fabs(moved[0]) < 1e-9 && fabs(moved[1]) < 1e-9, "%g, %g", moved[0], moved[1]);
  CHECK(fabs(heights[0] - heights[1]) < 1e-8, "%g, %g", heights[0], heights[1]);
}

// A cube that meets rough ground with a corner, ahead of its middle: friction turns the corner against the way that it
// opens, and a kick that knows the speed of opening alone gives energy, as Newton's law of restitution does.
static void test_corner(void)
{
  static const struct {
    const char *model, *integrator;
    double e;
  } cases[] = {{"manifold", "euler", 1},     {"manifold", "second_order", 1}, {"sdrs", "second_order", 1},
               {"bsh", "second_order", 1},   {"exact", "second_order", 1},    {"manifold", "second_order", 0.9},
               {"bsh", "second_order", 0.9}, {"manifold", "euler", 0.6},      {"bsh", "second_order", 0.6}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (double step = 0.0056; step > 0.001; step /= 2) {
      struct experiment experiment;
      double most = 0, first = NAN;
      bool good = set_up(&experiment,
                         "{'time': {'step': %g, 'steps': %d, 'integrator': '%s'}, 'gravity': [0, 0, 0],"
                         "'contact': {'model': '%s', 'stiffness': 1e-6, 'friction': 0.8, 'restitution': %g},"
                         "'shapes': {'ground': {'type': 'plane'},"
                         "'cube': {'type': 'box', 'size': [0.1, 0.1, 0.1], 'surface': 'mesh'}},"
                         "'bodies': [{'name': 'cube', 'shape': 'cube', 'mass': 0.586, 'position': [0, 0, 0.2465],"
                         "'rotation': [0.50226, 0.08629, 0.56201, -0.65149], 'velocity': [1.005, -2.73, -2.694]},"
                         "{'name': 'ground', 'shape': 'ground', 'joint': 'fixed'}]}",
                         step, (int)ceil(0.14 / step), cases[i].integrator, cases[i].model, cases[i].e) &&
                  roll(&experiment);
      CHECK(good, "%s, step %g: solved", cases[i].model, step);
      for (int frame = 1; good && frame <= experiment.trajectory->steps; frame++) {
        double energy = kinetic_energy(&experiment, frame);
        first = frame == 1 ? energy : first;
        most = fmax(most, energy);
      }
      // observed: 1.07 to 1.09 with e = 1, 1.002 to 1.008 with 0.9 (docs/limits.md)
      double bound = cases[i].e == 1 ? 1.1 : cases[i].e > 0.6 ? 1.01 : 1;
      CHECK(most <= bound * first, "%s, %s, e %g, step %g: energy %.3f of it", cases[i].model, cases[i].integrator,
            cases[i].e, step, most / first);
      tear_down(&experiment);
    }
}

struct row {
  const char *model, *integrator;
  double step, speed, restitution;
};

// The speed of the last of four cubes on a rail after the first has been thrown at them; NAN on failure.
static double last_of_row(const struct row *row, double friction)
{
  struct experiment experiment;
  double gap = fmax(0.02, 2.5 * row->speed * row->step), part = 0.5 * (1 + row->restitution), speed[3] = {NAN};
  double time = gap / row->speed * (1 + 1 / part + 1 / (part * part));
  if (set_up(&experiment,
             "{'time': {'step': %.17g, 'steps': %d, 'integrator': '%s'}, 'gravity': [0, 0, 0],"
             "'contact': {'model': '%s', 'stiffness': 1e-6, 'friction': %g, 'restitution': %g},"
             "'shapes': {'cube': {'type': 'box', 'size': [0.1, 0.1, 0.1], 'surface': 'mesh'}}, 'bodies': ["
             "{'name': 'a', 'shape': 'cube', 'mass': 0.6, 'joint': {'type': 'slide', 'axis': [1, 0, 0]},"
             "'joint_velocity': [%g]},"
             "{'name': 'b', 'shape': 'cube', 'mass': 0.6, 'position': [%g, 0, 0],"
             "'joint': {'type': 'slide', 'axis': [1, 0, 0]}},"
             "{'name': 'c', 'shape': 'cube', 'mass': 0.6, 'position': [%g, 0, 0],"
             "'joint': {'type': 'slide', 'axis': [1, 0, 0]}},"
             "{'name': 'd', 'shape': 'cube', 'mass': 0.6, 'position': [%g, 0, 0],"
             "'joint': {'type': 'slide', 'axis': [1, 0, 0]}}]}",
             row->step, (int)ceil(1.1 * time / row->step) + 12, row->integrator, row->model, friction,
             row->restitution, row->speed, 0.1 + gap, 2 * (0.1 + gap), 3 * (0.1 + gap)) &&
      roll(&experiment))
    velocity_at(&experiment, experiment.trajectory->steps, 3, speed);
  tear_down(&experiment);
  return speed[0];
}

// Nothing slides where faces meet straight, so that friction takes nothing from a restitution: cubes on a rail need the
// kick of their masses, whatever the barrier has braked before.
static void test_row(void)
{
  static const struct row rows[] = {{"exact", "second_order", 0.0070027, 4.352, 0.608},
                                    {"bsh", "second_order", 0.0070027, 4.352, 0.608},
                                    {"bsh", "euler", 0.0023, 2.82, 0.9},
                                    {"exact", "euler", 0.005, 2.16, 0.92},
                                    {"exact", "second_order", 0.0169, 1.38, 0.5}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double rough = last_of_row(&rows[i], 0.37), smooth = last_of_row(&rows[i], 0);
    printf("# %s, %s, e %g, step %g: %.4f of the speed without friction\n", rows[i].model, rows[i].integrator,
           rows[i].restitution, rows[i].step, rough / smooth);
    CHECK(fabs(rough / smooth - 1) < 0.03, "%s, %s, step %g: %g", rows[i].model, rows[i].integrator, rows[i].step,
          rough / smooth);
  }
}

// A finger on a driven hinge of a carriage of 14 times its mass lands and slides along the floor: what brakes both is
// an impact, though the finger alone moves little, and its friction is not left behind by a divided step.
static void test_finger(void)
{
  static const char *const models[] = {"manifold", "bsh", "exact", "sdrs"};
  static const double friction = 0.44988, carried = 1.73025, own = 0.126524, forward = 18.47946, down = 1.13372;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    struct experiment experiment;
    const int steps = 16;
    const double step = 0.011507373194967476;
    if (set_up(&experiment,
               "{'time': {'step': %.17g, 'steps': %d, 'integrator': 'second_order'},"
               "'contact': {'model': '%s', 'stiffness': 1e-6, 'friction': %g}, 'shapes': {'floor': {'type': 'plane'},"
               "'finger': {'type': 'capsule', 'radius': 0.02, 'height': 0.12, 'surface': 'mesh'}},"
               "'bodies': [{'name': 'floor', 'shape': 'floor', 'joint': 'fixed'},"
               "{'name': 'carriage', 'mass': %g, 'inertia': [0.01, 0.01, 0.01, 0, 0, 0], 'position': [0, 0, 0.248707717],"
               "'joint': [{'type': 'slide', 'axis': [1, 0, 0]}, {'type': 'slide', 'axis': [0, 0, 1]}],"
               "'joint_velocity': [%g, %g]},"
               "{'name': 'finger', 'shape': 'finger', 'mass': %g, 'parent': 'carriage', 'position': [0, 0, 0.158707717],"
               "'joint': {'type': 'hinge', 'axis': [0, 1, 0], 'anchor': [0, 0, 0.248707717]},"
               "'joint_position': [0.31369507], 'pd': {'kp': 29.11048206, 'kd': 0.47671062647}}]}",
               step, steps, models[i], friction, carried, forward, -down, own) &&
        roll(&experiment)) {
      double carriage[3], finger[3];
      velocity_at(&experiment, steps, 1, carriage);
      velocity_at(&experiment, steps, 2, finger);
      // Speeds are those of the middle of the last interval.
      double normal = carried * (carriage[2] + down) + own * (finger[2] + down) +
                      (carried + own) * GRAVITY * step * (steps - 0.5);
      double lost = carried * (forward - carriage[0]) + own * (forward - finger[0]);
      printf("# %s: %.4f of the coefficient\n", models[i], lost / normal / friction);
      CHECK(fabs(lost / normal / friction - 1) < 0.02, "%s: %g", models[i], lost / normal / friction);
    }
    tear_down(&experiment);
  }
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"rebounds", test_rebounds}, {"which restitution counts", test_which_counts},
                              {"oblique", test_oblique}, {"rest", test_rest}, {"corner", test_corner}, {"row", test_row},
                              {"finger", test_finger})
