// SPDX-License-Identifier: Apache-2.0
// Contact settings that are chosen: by similarity, by formulas of half-spaces, by the far field, and what is given
// stays.
#include "harness.h"

#include "dynamics/approach.h"
#include "dynamics/contact_scale.h"
#include "dynamics/link_scale.h"
#include "mechanisms.h"

static const char *const models[] = {"bsh", "exact", "ipc", "ipc-global", "sdrs", "manifold"};
enum { MODELS = 6 };

static void leave_open(struct scene *scene)
{
  struct dc_contact_settings *contact = &scene->definition.contact;
  contact->stiffness = contact->friction_smoothing = contact->near_range = contact->length = contact->dhat = NAN;
  contact->weights = DC_WEIGHTS_AUTOMATIC;
  scene->definition.time.steps = 100;
}

static struct dc_contact_choice choose(struct scene *scene)
{
  struct dc_contact_choice choice;
  scene_create(scene);
  enum dc_status status = dc_contact_choose_lengths(&scene->model, &choice, &scene->error);
  if (!status)
    status = dc_contact_choose_stiffness(&scene->model, &choice, &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  return choice;
}

// A cube of an edge `size` whose lower face is at a height above a half-space.
static void begin_cube(struct scene *scene, const char *model, double size, double mass, double height)
{
  scene_begin(scene);
  scene->definition.contact_model = dc_contact_model_find(model);
  scene->definition.gravity[2] = -9.81;
  leave_open(scene);
  scene_body(scene, "floor", scene_plane(scene), 0, 0, 0, 0);
  scene_body(scene, "cube", scene_box(scene, size, size, size, 1, 1, 1), mass, 0, 0, size / 2 + height);
}

// The force of a half-space is 12 mu l W / g^2, W = 1/2 the weight of the lower vertices, and that of the upper ones.
static void test_half_space(void)
{
  struct scene scene;
  begin_cube(&scene, "bsh", 0.1, 0.4, 0.05);
  struct dc_contact_choice choice = choose(&scene);
  double gap = 1e-4, slope = 12 * 0.5 * (1 / (gap * gap) + 1 / ((0.1 + gap) * (0.1 + gap)));
  CHECK(choice.automatic && choice.bound == DC_BOUND_REST && choice.body == 1 && choice.other == 0, "%d", choice.bound);
  CHECK_NEAR(choice.gap, gap, 1e-15);
  CHECK_NEAR(scene.model.definition.contact.stiffness / (0.4 * 9.81 / slope), 1, 5e-3);  // three digits
  scene_end(&scene);
}

// Lengths times k, masses times k^3, steps times sqrt(k): forces grow as k^3, energies as k^4 for a length unit that is
// fixed, and every gap is the same part of the size.
static void test_similarity(void)
{
  for (int m = 0; m < MODELS; m++) {
    double gaps[2];
    for (int large = 0; large < 2; large++) {
      struct scene scene;
      double k = large ? 1000 : 1;
      begin_cube(&scene, models[m], 1e-3 * k, 1e-6 * k * k * k, 5e-4 * k);
      scene.definition.time.step = 1e-3 * sqrt(k);
      struct dc_contact_choice choice = choose(&scene);
      gaps[large] = choice.gap / choice.size;
      CHECK(choice.bound == DC_BOUND_REST && scene.model.definition.contact.stiffness > 0, "%s", models[m]);
      CHECK(2 * scene.model.definition.contact.friction_smoothing <= 0.01005 * choice.size, "%s creeps", models[m]);
      scene_end(&scene);
    }
    CHECK_NEAR(gaps[0], 1e-3, 1e-12);
    CHECK_NEAR(gaps[1], gaps[0], 1e-12);
  }
}

// A start within a thousandth of the size is taken for rest, down to a tenth of it.
static void test_start(void)
{
  const double starts[3] = {4e-5, 1e-5, 1e-9}, expected[3] = {4e-5, 1e-5, 1e-5};
  for (int i = 0; i < 3; i++) {
    struct scene scene;
    begin_cube(&scene, "bsh", 0.1, 0.4, starts[i]);
    CHECK_NEAR(choose(&scene).gap / expected[i], 1, 2e-3);  // 1e-3 of the least gap is how exactly it is found
    scene_end(&scene);
  }
}

static void test_given(void)
{
  struct scene scene;
  begin_cube(&scene, "bsh", 0.1, 0.4, 0.01);
  scene.definition.contact.stiffness = 3e-7;
  struct dc_contact_choice choice = choose(&scene);
  const struct dc_contact_settings *settings = &scene.model.definition.contact;
  CHECK(!choice.automatic && settings->stiffness == 3e-7, "%g", settings->stiffness);
  CHECK(settings->friction_smoothing == 1e-3 && settings->length == 1 && settings->near_range == 5e-3 &&
            settings->weights == DC_WEIGHTS_CONSISTENT,
        "fixed defaults");
  scene_end(&scene);
  // The reach of friction is above any gap at rest, the barrier of ipc begins where it always did.
  for (int global = 0; global < 2; global++) {
    begin_cube(&scene, global ? "ipc-global" : "ipc", 0.1, 0.4, 0.01);
    scene.definition.contact.stiffness = 1e-6;
    choose(&scene);
    CHECK_NEAR(scene.model.definition.contact.dhat, global ? 5e-3 : 1e-3, 1e-15);
    scene_end(&scene);
  }
  begin_cube(&scene, "sdrs", 0.1, 0.4, 0.01);
  scene.definition.contact.length = 0.3;
  scene.definition.contact.friction_smoothing = 0.02;
  choice = choose(&scene);
  settings = &scene.model.definition.contact;
  CHECK(choice.automatic && settings->length == 0.3 && settings->friction_smoothing == 0.02, "%g", settings->length);
  scene_end(&scene);
}

// A cube with a wall beside it and nothing below: it leans on the wall with its weight at a thousandth of its
// size.  The far field alone would let it come no nearer than a quarter of it.
static void test_wall(void)
{
  for (int m = 0; m < MODELS; m++)
    for (int side = -1; side <= 1; side += 2) {
      struct scene scene;
      scene_begin(&scene);
      scene.definition.contact_model = dc_contact_model_find(models[m]);
      scene.definition.gravity[2] = -9.81;
      leave_open(&scene);
      scene_body(&scene, "wall", scene_box(&scene, 0.2, 0.3, 0.3, 1, 1, 1), 0, 0.4 * side, 0, 0);
      scene_body(&scene, "cube", scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1), 0.4, 0, 0, 0);
      struct dc_contact_choice choice = choose(&scene);
      CHECK(choice.bound == DC_BOUND_REST && choice.body == 1 && choice.other == 0, "%s: bound %d", models[m],
            choice.bound);
      CHECK_NEAR(choice.gap, 1e-4, 1e-15);
      scene_end(&scene);
    }
}

// Two balls without gravity: their distance is far, so that nothing but the far field or their meeting bounds it.
static void test_far_field(void)
{
  struct scene scene;
  scene_begin(&scene);
  leave_open(&scene);
  int ball = scene_sphere(&scene, 0.05, 1, "icosahedron");
  for (int i = 0; i < 2; i++)
    scene_body(&scene, i ? "b" : "a", ball, 0.1, 0.3 * i, 0, 0);
  struct dc_contact_choice choice = choose(&scene);
  CHECK(choice.automatic && choice.bound != DC_BOUND_NONE, "%d", choice.bound);
  CHECK(choice.far_acceleration > 0 && choice.far_acceleration <= 1.001e-2 * choice.acceleration, "%g of %g",
        choice.far_acceleration, choice.acceleration);
  scene_end(&scene);
  scene_begin(&scene);  // alone: nothing tells
  leave_open(&scene);
  scene_body(&scene, "a", scene_sphere(&scene, 0.05, 1, "icosahedron"), 0.1, 0, 0, 0);
  choice = choose(&scene);
  CHECK(choice.bound == DC_BOUND_NONE && scene.model.definition.contact.stiffness == 1e-6, "%d", choice.bound);
  scene_end(&scene);
}

// With weights by contact the slope of a face hardly depends on its triangles, and is that of a half-space.
static void test_large_faces(void)
{
  const double cells[4] = {0, 1, 7, 40};
  double slopes[4], least = INFINITY, most = 0;
  for (int i = 0; i < 4; i++) {
    struct scene scene;
    scene_begin(&scene);
    scene.definition.gravity[2] = -9.81;
    leave_open(&scene);
    int floor = i ? scene_box(&scene, 2, 2, 0.2, cells[i], cells[i], 1) : scene_plane(&scene);
    scene_body(&scene, "floor", floor, 0, 0.37, 0.11, i ? -0.1 : 0);
    scene_body(&scene, "cube", scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1), 0.4, 0, 0, 0.06);
    choose(&scene);
    slopes[i] = 1 / scene.model.definition.contact.stiffness;  // at the same load and gap
    least = fmin(least, slopes[i]);
    most = fmax(most, slopes[i]);
    printf("# %g cells: slope %.4g\n", cells[i], slopes[i]);
    scene_end(&scene);
  }
  CHECK(sqrt(most / least) < 1.35,  // 1.32 observed
        "gaps differ by %g", sqrt(most / least));
}

// A free box with a light one fixed to it at a distance d: at the light one's centre 1/M + d^2/I moves the most, I the
// least moment across d of both together.  A slide with a rotor: forces move the mass and the rotor.
static void test_link_masses(void)
{
  const double heavy = 2, light = 1e-4, far = 0.3, edge = 0.2, small = 0.02;
  struct scene scene;
  scene_begin(&scene);
  int box = scene_box(&scene, edge, edge, edge, 1, 1, 1), grain = scene_box(&scene, small, small, small, 1, 1, 1);
  scene_body(&scene, "heavy", box, heavy, 0, 0, 0);
  struct dc_body_definition *body = mechanism_link(&scene, "light", "fixed", 0, grain, light);
  mechanism_vector(body->position, far, 0, 0);
  body = mechanism_link(&scene, "cart", "slide", -1, box, heavy);
  mechanism_vector(body->position, 3, 0, 0);
  mechanism_vector(body->axis, 0, 0, 1);
  ((struct dc_joint_definition *)body->joint.objects)[0].armature = 0.5;
  body = mechanism_link(&scene, "rider", "fixed", 2, grain, light);
  mechanism_vector(body->position, 3, 0, 1);
  scene_body(&scene, "alone", box, 0.3, 9, 0, 0);
  scene_create(&scene);
  double masses[5], accelerations[5], sizes[5];
  const double forces[5][3] = {{0}, {0}, {0, 0, 3}, {1, 1, 1}, {0, 0.6, 0}};
  const struct dc_bodies *bodies = &scene.model.bodies;
  CHECK(dc_link_masses(bodies, scene.arena, forces, masses, accelerations, &scene.error) == DC_OK, "%s",
        scene.error.text);
  double whole = heavy + light, arm = far * heavy / whole;
  double moment = heavy * edge * edge / 6 + light * small * small / 6 + heavy * light / whole * far * far;
  CHECK_NEAR(masses[1], 1 / (1 / whole + arm * arm / moment), 1e-12);
  CHECK_NEAR(masses[0], whole, 1e-3 * whole);
  CHECK_NEAR(masses[2], whole, 1e-12);  // not the rotor's: at most what the mechanism weighs
  CHECK_NEAR(masses[3], whole, 1e-12);
  CHECK_NEAR(accelerations[3], 4 / (whole + 0.5), 1e-12);
  CHECK(masses[4] == 0.3 && accelerations[4] == 0.6 / 0.3, "%g, %g", masses[4], accelerations[4]);
  CHECK(dc_link_sizes(bodies, sizes, &scene.error) == DC_OK, "%s", scene.error.text);
  CHECK_NEAR(sizes[1], cbrt(edge * edge * edge + small * small * small), 1e-12);
  CHECK_NEAR(sizes[4], edge, 1e-12);
  scene_end(&scene);
}

// A passive arm above a floor with a grain at its end, of a milligram and of a tenth of a kilogram: fixed there, or
// turning with a rotor, its mass hardly matters to the stiffness; free beside it, it decides.
static void test_grains(void)
{
  static const char *const joints[3] = {"fixed", "hinge", "free"};
  double ratios[3];
  for (int kind = 0; kind < 3; kind++) {
    double stiffness[2];
    for (int heavy = 0; heavy < 2; heavy++) {
      struct scene scene;
      const double angles[2] = {1.2, 0.2};
      pendulum(&scene, 2, 1, angles);
      leave_open(&scene);
      int shape = scene_box(&scene, 0.06, 0.05, 0.03, 1, 1, 1);
      struct dc_body_definition *body =
          mechanism_link(&scene, "grain", joints[kind], kind < 2 ? 1 : -1, shape, heavy ? 0.1 : 1e-6);
      mechanism_vector(body->position, kind < 2 ? 0 : 2, 0, 0.19);
      if (kind == 1) {
        mechanism_vector(body->axis, 0, 1, 0);
        mechanism_vector(body->anchor, 0, 0, 0.21);
        ((struct dc_joint_definition *)body->joint.objects)[0].armature = 0.01;
      }
      scene_body(&scene, "floor", scene_plane(&scene), 0, 0, 0, -1);
      choose(&scene);
      stiffness[heavy] = scene.model.definition.contact.stiffness;
      scene_end(&scene);
    }
    ratios[kind] = stiffness[0] / stiffness[1];
    printf("# %s: %g, %g J\n", joints[kind], stiffness[0], stiffness[1]);
  }
  CHECK(ratios[0] > 0.5 && ratios[0] < 1.25, "fixed: %g", ratios[0]);
  CHECK(ratios[1] > 0.5 && ratios[1] < 1.25, "turning: %g", ratios[1]);
  CHECK_NEAR(ratios[2], 1e-5, 1e-7);
}

// Where a body touches another one on its way down: by few evaluations as by bisection.
static void test_approach(void)
{
  static const struct {
    const char *name, *floor;
    double x, angle, touch;  // m, rad about (1, 1, 0)/sqrt(2); where it touches by a closed form, or INFINITY
  } cases[] = {{"a face on a half-space", "plane", 0, 0, -0.3},
               {"a face on a face", "box", 0.02, 0, -0.3},
               {"a corner on a face", "box", 0.02, 0.6, INFINITY},
               {"a corner on an edge", "box", 0.53, 0.6, INFINITY},
               {"an edge beside a face", "box", 0.5499, 0, -0.3},
               {"past", "box", 0.56, 0, NAN}};
  for (int m = 0; m < MODELS; m++)
    for (int i = 0; i < 6; i++) {
      struct scene scene;
      struct dc_pose poses[2];
      struct dc_pair_derivatives pairs[1];
      bool plane = strcmp(cases[i].floor, "plane") == 0;
      scene_begin(&scene);
      scene.definition.contact_model = dc_contact_model_find(models[m]);
      leave_open(&scene);
      scene_body(&scene, "floor", plane ? scene_plane(&scene) : scene_box(&scene, 1, 1, 0.2, 9, 9, 1), 0, 0, 0,
                 plane ? 0 : -0.1);
      struct dc_body_definition *cube = scene_body(&scene, "cube", scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1), 0.4,
                                                   cases[i].x, 0, 0.35);
      cube->rotation[0] = cos(0.5 * cases[i].angle);
      cube->rotation[1] = cube->rotation[2] = sin(0.5 * cases[i].angle) * sqrt(0.5);
      choose(&scene);
      const struct dc_bodies *bodies = &scene.model.bodies;
      struct dc_approach approach = {.poses = poses, .pairs = pairs, .body = 1, .direction = {0, 0, 1}};
      approach.contact = dc_contact_create(scene.definition.contact_model, &scene.model.definition.contact, bodies,
                                           &scene.error);
      CHECK(approach.contact != NULL, "%s", scene.error.text);
      dc_poses(bodies, bodies->initial_q, poses);
      memcpy(approach.start, poses[1].position, sizeof approach.start);
      CHECK(!dc_approach_meets(&approach, 0), "%s", cases[i].name);
      double estimate = dc_approach_estimate(&approach, 0.1, 1e-4);
      dc_approach_meets(&approach, 0);
      double touch = dc_approach_touching(&approach, 0.1, 1e-9);
      CHECK(isnan(touch) == isnan(cases[i].touch) && isnan(estimate) == isnan(touch), "%s, %s: %g, %g", models[m],
            cases[i].name, estimate, touch);
      bool levels = scene.definition.contact_model->flags & DC_CONTACT_LEVELS;
      CHECK(isnan(touch) || fabs(estimate - touch) < 2e-6, "%s, %s: %.9g for %.9g", models[m], cases[i].name, estimate,
            touch);
      if (isfinite(cases[i].touch) && !levels)
        CHECK_NEAR(touch, cases[i].touch, 2e-9);
      dc_contact_destroy(approach.contact);
      scene_end(&scene);
    }
}

RUN_TESTS({"the formula of half-spaces", test_half_space}, {"similar scenes", test_similarity},
          {"starts near the floor", test_start}, {"what is given", test_given}, {"the far field", test_far_field},
          {"a wall beside a body", test_wall},
          {"the mass of links", test_link_masses}, {"grains on links", test_grains},
          {"large faces", test_large_faces}, {"the first touch", test_approach})
