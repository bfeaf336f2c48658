// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection of bodies on joints: nothing meets up to the fraction allowed, and what slides along
// at a small distance moves.
#include "contact/contact_scene.h"

// A link: a box along x with its centre at x, on a joint anchored half its length before it.
static struct dc_joint_definition *add_link(struct scene *scene, int parent, const char *joint, const char *shape,
                                            double x, double half_length)
{
  int i = scene_body(scene, false, shape);
  struct dc_joint_definition *definition = scene_joint(scene, i, joint);
  scene->definitions[i].parent = parent;
  scene->definitions[i].position[0] = x;
  dc_vec_copy(definition->anchor, (const double[3]){x - half_length, 0, 0});
  if (dc_joint_types[definition->type]->axis)
    dc_vec_copy(definition->axis, (const double[3]){0, 0, 1});
  return definition;
}

// Places everything at the scene's state and evaluates contact; false when something overlaps.
static bool place(struct dc_contact *contact, struct scene *scene)
{
  struct dc_pair_derivatives pairs[SCENE_BODIES * SCENE_BODIES];
  int pair;
  double depth;
  dc_kinematics_update(&scene->bodies, scene->q, &scene->kinematics);
  return !dc_contact_overlap(contact, scene->kinematics.poses, &pair, &depth) &&
         isfinite(dc_contact_evaluate(contact, scene->kinematics.poses, 0, pairs));
}

static double safe_fraction(struct dc_contact *contact, struct scene *scene, const double *tangent)
{
  CHECK(place(contact, scene), "start");
  dc_path_begin(&scene->path, scene->q, tangent, &scene->kinematics);
  return safe_fraction_of(contact, &scene->path);
}

// The first of that many fractions up to most at which bodies overlap, INFINITY when none.
static double first_overlap(struct dc_contact *contact, struct scene *scene, const double *tangent, double most,
                            int samples)
{
  for (int i = 1; i <= samples; i++) {
    struct dc_pose moved[SCENE_BODIES];
    double q[7 * SCENE_BODIES], depth, s = most * i / samples;
    int pair;
    dc_state_move(&scene->bodies, scene->q, s, tangent, q);
    dc_poses(&scene->bodies, q, moved);
    if (dc_contact_overlap(contact, moved, &pair, &depth))
      return s;
  }
  return INFINITY;
}

enum { SAMPLES = 1000, FEW = 100 };

static void check_safe(struct dc_contact *contact, struct scene *scene, const double *tangent, double fraction)
{
  double first = first_overlap(contact, scene, tangent, fraction, fraction < 1 ? SAMPLES : FEW);
  CHECK(isinf(first), "overlap at %g of a step said to be safe to %g", first, fraction);
}

// An arm of two links, hinged or on a ball joint, and a plate 1 mm thick at random, over a ground: swings by radians.
static void test_swinging(void)
{
  static const char *const joints[] = {"hinge", "ball", "universal"};
  struct dc_random random;
  dc_random_seed(&random, 4);
  int shortened = 0, timid = 0, steps = 0, clear = 0, uncertain = 0;
  for (int kind = 0; kind < 3; kind++) {
    struct scene scene;
    scene_start(&scene);
    add_link(&scene, -1, "hinge", "box size=0.5,0.04,0.04 divisions=8,1,1", 0.3, 0.3);
    add_link(&scene, 0, joints[kind], "box size=0.5,0.03,0.03 divisions=8,1,1", 0.86, 0.28);
    scene_body(&scene, true, "box size=0.6,0.001,0.6 divisions=8,1,8");
    dc_vec_copy(scene.definitions[2].position, (const double[3]){0.75, 0.12, 0});
    scene_body(&scene, true, "plane");
    scene.definitions[3].position[2] = -0.1;
    scene_finish(&scene);
    struct dc_contact *contact = scene_contact(&scene, "bsh", "");
    for (int i = 0; i < 16; i++) {
      double tangent[6] = {0}, size = exp(between(&random, log(0.3), log(3)));
      dc_initial_state(&scene.bodies, scene.q);
      for (int k = 0; k < scene.bodies.nv; k++)
        tangent[k] = between(&random, -0.6, 0.6);
      dc_state_move(&scene.bodies, scene.q, 1, tangent, scene.q);
      if (!place(contact, &scene))
        continue;
      steps++;
      for (int k = 0; k < scene.bodies.nv; k++)
        tangent[k] = between(&random, -size, size);
      double fraction = safe_fraction(contact, &scene, tangent);
      CHECK(fraction > 0 && fraction <= 1, "%g", fraction);
      check_safe(contact, &scene, tangent, fraction);
      int pair;
      bool certified = dc_contact_path_clear(contact, &scene.path, &pair);
      double first = first_overlap(contact, &scene, tangent, 1, SAMPLES);
      CHECK(!certified || isinf(first), "overlap at %g of a motion said to be clear", first);
      clear += certified;
      uncertain += !certified && isinf(first);
      if (fraction == 1)
        continue;
      shortened++;
      timid += isinf(first_overlap(contact, &scene, tangent, fmin(1, 2 * fraction + 0.05), FEW));
    }
    scene_end(&scene);
  }
  printf("# %d of %d steps shortened, %d of them to less than half of what was possible\n", shortened, steps, timid);
  printf("# %d motions are clear, %d others have no sample that overlaps\n", clear, uncertain);
  CHECK(clear > 10, "%d of %d", clear, steps);
  CHECK(uncertain <= 2, "%d of %d", uncertain, steps);
  CHECK(shortened > 10, "%d of %d", shortened, steps);
  CHECK(timid < shortened / 5, "%d of %d", timid, shortened);
}

// Steps that end clear on the other side: the second link swings right through the plate.
static void test_tunnelling(void)
{
  struct scene scene;
  scene_start(&scene);
  add_link(&scene, -1, "hinge", "box size=0.5,0.04,0.04 divisions=8,1,1", 0.3, 0.3);
  add_link(&scene, 0, "hinge", "box size=0.5,0.03,0.03 divisions=8,1,1", 0.86, 0.28);
  scene_body(&scene, true, "box size=0.2,0.001,0.2 divisions=4,1,4");
  dc_vec_copy(scene.definitions[2].position, (const double[3]){0.9, 0.1, 0});
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  for (int i = 0; i <= 12; i++) {
    double turn = -0.8 + 0.2 * i, tangent[2] = {turn, 2 - turn};
    dc_initial_state(&scene.bodies, scene.q);
    double fraction = safe_fraction(contact, &scene, tangent);
    double met = first_overlap(contact, &scene, tangent, 1, FEW);
    check_safe(contact, &scene, tangent, fraction);
    // It closes all but a tenth of the gap to the first contact, or passes.  Observed 0.84 .. 0.93 of the way.
    if (isinf(met))
      CHECK(fraction > 0.3, "%g: %g of a free way", turn, fraction);
    else
      CHECK(fraction < met && fraction > 0.75 * met, "%g: %g, met at %g", turn, fraction, met);
  }
  scene_end(&scene);
}

// Three hinges whose rates cancel carry the last link along a wall or the ground, 1 mm away.
static void test_sliding(void)
{
  static const char *const walls[] = {"box size=3,0.1,0.5 divisions=6,1,1", "plane"};
  for (int wall = 0; wall < 2; wall++) {
    struct scene scene;
    scene_start(&scene);
    add_link(&scene, -1, "hinge", "box size=0.4,0.04,0.04", 0.25, 0.25);
    add_link(&scene, 0, "hinge", "box size=0.4,0.04,0.04 divisions=6,1,1", 0.75, 0.25);
    add_link(&scene, 1, "hinge", "box size=0.2,0.1,0.1 divisions=4,2,2", 1.0, 0);
    scene_body(&scene, true, walls[wall]);
    struct dc_body_definition *last = &scene.definitions[3];
    // Bent at a right angle: the second link's end is at (0.5, 0.5), 0.5 above the wall's surface but for the gap.
    dc_vec_copy(last->position, (const double[3]){0.5, 0.5 + 0.051 + (wall ? 0 : 0.05), 0});
    if (wall)
      memcpy(last->rotation, (const double[4]){M_SQRT1_2, M_SQRT1_2, 0, 0}, sizeof last->rotation);  // z to -y
    scene_finish(&scene);
    struct dc_contact *contact = scene_contact(&scene, "bsh", "");
    dc_initial_state(&scene.bodies, scene.q);
    scene.q[1] = 0.5 * M_PI, scene.q[2] = -0.5 * M_PI;
    for (int i = 0; i < 2; i++) {
      // Along the wall, 0.03 m: by the second hinge alone, which lifts the link off or lets it come nearer by 0.9 mm.
      double tangent[3] = {0, i ? -0.06 : 0.06, i ? 0.06 : -0.06};
      double fraction = safe_fraction(contact, &scene, tangent);
      check_safe(contact, &scene, tangent, fraction);
      CHECK(fraction == 1, "%g", fraction);
    }
    // By the first hinge too, towards the wall: 0.9 mm of room over 15 mm.
    double towards[3] = {0.03, 0.06, -0.09}, fraction = safe_fraction(contact, &scene, towards);
    check_safe(contact, &scene, towards, fraction);
    CHECK(fraction > 0.058 && fraction < 0.063, "%g", fraction);  // observed 0.0615 and 0.0605
    scene_end(&scene);
  }
}

// A hand that turns, with two fingers 0.2 mm apart; closing them.
static void test_hand(void)
{
  struct scene scene;
  scene_start(&scene);
  add_link(&scene, -1, "hinge", "box size=0.1,0.3,0.1", 0.5, 0.5);
  for (int side = -1; side <= 1; side += 2) {
    struct dc_joint_definition *finger = add_link(&scene, 0, "slide", "box size=0.2,0.02,0.05", 0.7, 0.1);
    scene.definitions[scene.count - 1].position[1] = 0.05 * side;
    dc_vec_copy(finger->axis, (const double[3]){0, -side, 0});
  }
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  dc_initial_state(&scene.bodies, scene.q);
  scene.q[1] = scene.q[2] = 0.0399;
  double tangent[3] = {0.3, 0, 0}, fraction = safe_fraction(contact, &scene, tangent);
  check_safe(contact, &scene, tangent, fraction);
  CHECK(fraction > 0.13, "%g", fraction);  // observed 0.146, where the advances are used up
  tangent[0] = 0;
  CHECK(safe_fraction(contact, &scene, tangent) == 1, "at rest");
  tangent[1] = 1e-3;  // 1 mm: 0.2 mm but for a tenth of the pair's gap, which is a lower bound
  fraction = safe_fraction(contact, &scene, tangent);
  CHECK(fraction > 0.18 - 1e-9 && fraction < 0.19, "%g", fraction);  // observed 0.183
  tangent[2] = -1e-3;                                                // the other finger gives way
  CHECK(safe_fraction(contact, &scene, tangent) == 1, "together");
  // Numbers beyond all bounds: no step
  tangent[0] = 1e200;
  CHECK(safe_fraction(contact, &scene, tangent) == 0, "overflow");
  tangent[0] = NAN;
  CHECK(safe_fraction(contact, &scene, tangent) == 0, "no number");
  scene_end(&scene);
}

RUN_TESTS({"a swinging arm", test_swinging}, {"through a thin plate", test_tunnelling}, {"sliding", test_sliding},
          {"a hand", test_hand})
