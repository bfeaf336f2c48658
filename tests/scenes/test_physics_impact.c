// SPDX-License-Identifier: Apache-2.0
// Known answers of impacts: what is left of a speed at each restitution, and that what rests is left alone.
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

// Whatever the step, the stiffness and the speed: nothing but the creep of 1 mm/s.
static void test_dead(void)
{
  static const struct impact cases[] = {
      {"bsh", "'stiffness': 2e-4, 'restitution': 0", "", "", 0.04, 1, 0.2},
      {"bsh", "'stiffness': 2e-6, 'restitution': 0", "", "", 0.04, 0.1, 0.1},
      {"bsh", "'stiffness': 2e-6, 'restitution': 0", "", "", 0.0025, 1, 0.1},
      {"bsh", "'stiffness': 2e-8, 'restitution': 0", "", "", 0.01, 10, 0.2},
      {"exact", "'stiffness': 2e-6, 'restitution': 0", "", "", 0.01, 1, 0.1},
      {"sdrs", "'stiffness': 2e-4, 'restitution': 0", "", "", 0.0025, 1, 0.2},
      {"ipc", "'stiffness': 0.02, 'dhat': 0.02, 'restitution': 0", "", "", 0.0025, 1, 0.1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct impact alive = cases[i];
    char settings[80];
    snprintf(settings, sizeof settings, "%.*s", (int)(strstr(alive.settings, ", 'restitution") - alive.settings),
             alive.settings);
    alive.settings = settings;
    double rebound = rebound_of(&cases[i]), without = rebound_of(&alive);
    printf("# %s, %s, step %g, %g m/s: %.4f, without %.3f\n", cases[i].model, cases[i].settings, cases[i].step,
           cases[i].speed, rebound, without);
    CHECK(fabs(rebound) < 0.02, "%g", rebound);  // 0.0095 observed, at 0.1 m/s
    CHECK(without > 1.5 * rebound, "%g", without);
  }
}

// Where steps resolve the impact, so that without restitution nearly all of the speed comes back.
static void test_parts(void)
{
  static const double parts[] = {1, 0.8, 0.5, 0.2};
  static const char *const models[] = {"bsh", "sdrs"};
  for (int m = 0; m < 2; m++)
    for (int i = 0; i < 4; i++) {
      char settings[80];
      snprintf(settings, sizeof settings, "'stiffness': 2e-6, 'restitution': %g", parts[i]);
      double rebound = rebound_of(&(struct impact){models[m], settings, "", "", 0.0025, 0.1, m ? 0.25 : 0.05});
      printf("# %s, e = %g: %.3f\n", models[m], parts[i], rebound);
      CHECK(fabs(rebound - parts[i]) < 0.1, "%s, %g: %g", models[m], parts[i], rebound);  // 0.06 observed
    }
}

// Of two bodies the smaller counts, a body's own before that of contact, and 1 is what is not set, to the bit.
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
  double half = rebound_of(&same[0]), whole = rebound_of(&none);
  for (int i = 1; i < 5; i++)
    CHECK(rebound_of(&same[i]) == half, "%d: %g, %g", i, rebound_of(&same[i]), half);
  struct impact one = none;
  one.settings = "'stiffness': 2e-6, 'restitution': 1";
  CHECK(rebound_of(&one) == whole, "%g, %g", rebound_of(&one), whole);
  CHECK(half < 0.8 * whole, "%g, %g", half, whole);
}

// A block laid down on a half-space comes to rest at the same gap.
static void test_rest(void)
{
  double heights[2], moved[2] = {NAN, NAN};
  for (int dead = 0; dead < 2; dead++) {
    struct experiment experiment;
    heights[dead] = NAN;
    if (set_up(&experiment,
               "{'time': {'step': 0.01, 'steps': 900}, 'contact': {'stiffness': 2e-5, 'restitution': %d},"
               "'shapes': {'box': {'type': 'box', 'size': [0.3, 0.3, 0.3]}, 'ground': {'type': 'plane'}},"
               "'bodies': [{'name': 'a', 'shape': 'box', 'mass': 1, 'position': [0, 0, 0.16]},"
               "{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}]}",
               1 - dead) &&
        roll(&experiment)) {
      heights[dead] = poses_at(&experiment, 900)->position[2];
      moved[dead] = heights[dead] - poses_at(&experiment, 899)->position[2];
    }
    tear_down(&experiment);
  }
  printf("# rests at %.9g and, with restitution 0, %.9g m\n", heights[0], heights[1]);
  CHECK(fabs(moved[0]) < 1e-9 && fabs(moved[1]) < 1e-9, "%g, %g", moved[0], moved[1]);
  CHECK(fabs(heights[0] - heights[1]) < 1e-8, "%g, %g", heights[0], heights[1]);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"dead impacts", test_dead}, {"part of the speed", test_parts},
                              {"which restitution counts", test_which_counts}, {"rest", test_rest})
