// SPDX-License-Identifier: Apache-2.0
// Friction where the intervals of time change their lengths: impulses of impacts are passed on in the sum, forces that
// last are passed on as forces, and a body far away that divides the step changes neither.
#include "harness.h"

#include "gradients.h"
#include "scenes.h"

static const double COULOMB = 0.3, PULL = 9.81;

static void set_model(struct scene *scene, const struct dc_contact_model *model)
{
  scene->definition.contact_model = model;
  scene->definition.contact.friction = COULOMB;
  if (strcmp(model->name, "ipc") == 0)
    scene->definition.contact.stiffness = 1e-3;
  if (strcmp(model->name, "sdrs") == 0)
    scene->definition.contact.length = 0.02;
}

// A ball of few triangles that skids off a plane on its corners at 30 m/s, in steps that have to be divided.
static struct dc_body_definition *skid(struct scene *scene, const struct dc_contact_model *model, double h)
{
  scene_begin(scene);
  set_model(scene, model);
  scene->definition.time.step = h;
  scene_body(scene, "plane", scene_plane(scene), 0, 0, 0, 0);
  struct dc_body_definition *ball =
      scene_body(scene, "ball", scene_sphere(scene, 0.05, 1, "icosahedron"), 1, 0, 0, 0.0866 + 4.5 * h);
  const double rotation[4] = {0.92338, 0.30779, 0.20520, 0.10260};
  memcpy(ball->rotation, rotation, sizeof rotation);
  ball->velocity[0] = 30;
  ball->velocity[2] = -3;
  return ball;
}

// The change of momentum of a body up to the last frame, kg m/s, and in how many parts the most divided step was
// solved.
static int impulse(const struct scene *scene, const struct dc_trajectory *trajectory, int body, const double start[3],
                   double change[3])
{
  double at;
  int last = trajectory->steps - 1, parts = 0, q = scene->model.bodies.bodies[body].q_offset;
  const double *before = dc_trajectory_state(trajectory, last, dc_trajectory_substeps(trajectory, last) - 1, &at);
  for (int k = 0; k < 3; k++)
    change[k] = scene->model.bodies.bodies[body].mass *
                ((frame_of(trajectory, trajectory->steps)[q + k] - before[q + k]) / (trajectory->time_step * (1 - at)) -
                 start[k]);
  for (int t = 0; t < trajectory->steps; t++)
    parts = dc_trajectory_substeps(trajectory, t) > parts ? dc_trajectory_substeps(trajectory, t) : parts;
  return parts;
}

// Sliding all the time it loses its coefficient times what the plane has pushed.
static void test_skid(void)
{
  int divided = 0;
  for (int m = 0; dc_contact_models[m]; m++)
    for (int k = 0; k < 3; k++) {
      const struct dc_contact_model *model = dc_contact_models[m];
      const double steps[] = {0.04, 0.02, 0.01};
      struct scene scene;
      double change[3];
      if (model->flags & DC_CONTACT_FOREIGN)
        continue;
      struct dc_body_definition *ball = skid(&scene, model, steps[k]);
      scene_create(&scene);
      struct dc_trajectory *trajectory = scene_roll(&scene, 8);
      int parts = impulse(&scene, trajectory, 1, ball->velocity, change);
      divided += parts > 1;
      double ratio = hypot(change[0], change[1]) / change[2];
      CHECK(change[2] > 0.1, "%s, step %g: nothing happened", model->name, steps[k]);
      // 1e-3 observed: smoothing of the slip; 0.12 ... 0.344 where forces are passed on as such
      CHECK(fabs(ratio / COULOMB - 1) < 0.005, "%s, step %g in %d parts: ratio %g", model->name, steps[k], parts,
            ratio);
      dc_trajectory_destroy(trajectory);
      scene_end(&scene);
    }
  CHECK(divided > 10, "steps are divided: %d", divided);
}

// A cube on a plane that is tilted by gravity, and two balls far away that meet at a speed (0: there are none).
static void cube_and_balls(struct scene *scene, double z, double slope, const double velocity[3], double speed,
                           enum dc_integrator integrator)
{
  scene_begin(scene);
  set_model(scene, dc_contact_model_find("bsh"));
  scene->definition.time.step = 0.01;
  scene->definition.time.integrator = integrator;
  scene->definition.gravity[0] = PULL * sin(slope);
  scene->definition.gravity[2] = -PULL * cos(slope);
  scene_body(scene, "plane", scene_plane(scene), 0, 0, 0, 0);
  struct dc_body_definition *cube = scene_body(scene, "cube", scene_box(scene, 0.1, 0.1, 0.1, 1, 1, 1), 1, 0, 0, z);
  memcpy(cube->velocity, velocity, sizeof cube->velocity);
  int ball = speed > 0 ? scene_sphere(scene, 0.1, 0, "icosahedron") : 0;
  for (int side = 0; side < 2 && speed > 0; side++) {
    double sign = side ? 1 : -1;
    scene_body(scene, side ? "b" : "a", ball, 1, sign * (0.12 + 0.055 * speed), side * 0.03, 100)->velocity[0] =
        -sign * speed;
  }
  scene_create(scene);
}

// How far the cube is after some steps; most parts of a step.
static double slid(double z, double slope, const double velocity[3], double speed, enum dc_integrator integrator,
                   int *parts)
{
  struct scene scene;
  double change[3];
  cube_and_balls(&scene, z, slope, velocity, speed, integrator);
  struct dc_trajectory *trajectory = scene_roll(&scene, 24);
  *parts = impulse(&scene, trajectory, 1, velocity, change);
  double x = frame_of(trajectory, 24)[scene.model.bodies.bodies[1].q_offset];
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
  return x;
}

// A body that lies, slides or lands is not moved by a collision 100 m above that divides a step.
static void test_far_away(void)
{
  static const struct {
    const char *name;
    double slope, height, velocity[3], most[2];  // most: m, that the far balls may change, by integrator
  } cases[] = {
      {"held on a slope", 0.25, 0, {0, 0, 0}, {2e-5, 2e-5}},  // 0.26 of 0.3
      // The way is 0.07; second order was off by 4.6e-3 where contact pushed for the interval alone.
      {"slides down a slope", 0.5, 0, {0, 0, 0}, {2e-4, 2e-4}},
      // 2.6e-4 of 0.04 where what rose slowly passed for an impact; 4.7e-3 in second order likewise.
      {"rises and slides down a slope", 0.42, -0.0005, {0, 0, 0}, {1e-4, 6e-4}},
      {"slides on", 0, 0, {1, 0, 0}, {3e-4, 3e-4}},             // of 0.16
      {"lands and slides", 0, 0.04, {2, 0, -1}, {4e-3, 7e-3}},  // of 0.4
  };
  static const double none[3];
  struct scene scene;
  int parts;
  cube_and_balls(&scene, 0.0535, 0, none, 0, DC_EULER);
  struct dc_trajectory *rest = scene_roll(&scene, 150);
  double z = frame_of(rest, 150)[scene.model.bodies.bodies[1].q_offset + 2];
  dc_trajectory_destroy(rest);
  scene_end(&scene);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    for (enum dc_integrator order = DC_EULER; order <= DC_SECOND_ORDER; order++) {
      double alone = slid(z + cases[k].height, cases[k].slope, cases[k].velocity, 0, order, &parts);
      CHECK(parts == 1, "%s: undivided", cases[k].name);
      for (double speed = 25; speed < 500; speed *= 4) {
        double beside = slid(z + cases[k].height, cases[k].slope, cases[k].velocity, speed, order, &parts);
        CHECK(parts > 2, "%s: divided", cases[k].name);
        CHECK(fabs(beside - alone) <= cases[k].most[order], "%s, order %d: %g m, %g m beside balls at %g m/s in %d parts",
              cases[k].name, 1 + (int)order, alone, beside, speed, parts);
      }
    }
  }
}

// A cube flies on as it was thrown while two balls far away meet and divide the step down to 1e-8 of it.
static void test_flight(void)
{
  int parts = 0;
  for (int m = 0; dc_contact_models[m]; m++)
    for (int second = 0; second < 2; second++) {
      const struct dc_contact_model *model = dc_contact_models[m];
      static const double velocity[3] = {1, 0.5, -2};
      struct scene scene;
      double change[3];
      if (model->flags & DC_CONTACT_FOREIGN)
        continue;
      scene_begin(&scene);
      set_model(&scene, model);
      scene.definition.time.step = 0.005;
      scene.definition.time.integrator = second ? DC_SECOND_ORDER : DC_EULER;
      memcpy(scene_body(&scene, "cube", scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1), 1, 0, 0, 0)->velocity, velocity,
             sizeof velocity);
      int ball = scene_sphere(&scene, 0.1, 0, "icosahedron");
      for (int side = 0; side < 2; side++)
        scene_body(&scene, side ? "b" : "a", ball, 1, side ? 5 : -5, side * 0.03, 1000)->velocity[0] =
            side ? -341 : 341;
      scene_create(&scene);
      struct dc_trajectory *trajectory = scene_roll(&scene, 5);
      int most = impulse(&scene, trajectory, 0, velocity, change);
      parts = most > parts ? most : parts;
      // 1e-6: far fields; all of it was lost where a part of a step was held to the lengths of a whole one
      CHECK(dc_vec_norm(change) <= 1e-5, "%s, order %d, in %d parts: %g kg m/s", model->name, 1 + second, most,
            dc_vec_norm(change));
      dc_trajectory_destroy(trajectory);
      scene_end(&scene);
    }
  CHECK(parts > 8, "divided: %d", parts);
}

// A block of nodes that skids off the plane, or off a bench with triangles, undivided and divided by the balls: the
// momentum it loses.
static void soft_skid(struct scene *scene, bool bench, double speed, enum dc_integrator integrator)
{
  static const double velocity[3] = {4, 0, -1};
  static double size[] = {0.2, 0.2, 0.2}, cells[] = {1, 1, 1};
  struct dc_soft_definition *soft;
  scene_begin(scene);
  set_model(scene, dc_contact_model_find("bsh"));
  scene->definition.time.step = 0.01;
  scene->definition.time.integrator = integrator;
  if (bench)
    scene_body(scene, "bench", scene_box(scene, 4, 1, 0.1, 2, 1, 1), 0, 0, 0, -0.05);
  else
    scene_body(scene, "plane", scene_plane(scene), 0, 0, 0, 0);
  struct dc_body_definition *block = scene_body(scene, "block", -1, 1, 0, 0, 0.15);
  block->soft = soft = dc_arena_alloc(scene->arena, 1, sizeof *soft);
  CHECK(!dc_options_set_defaults(dc_soft_options, soft, scene->arena, NULL), "soft");
  soft->size = (struct dc_real_list){3, size};
  soft->cells = (struct dc_real_list){3, cells};
  soft->young = 1e4;
  block->mass = NAN;
  memcpy(block->velocity, velocity, sizeof velocity);
  int ball = scene_sphere(scene, 0.1, 0, "icosahedron");
  for (int side = 0; side < 2; side++) {
    double sign = side ? 1 : -1;
    scene_body(scene, side ? "b" : "a", ball, 1, sign * (0.12 + 0.055 * speed), side * 0.03, 100)->velocity[0] =
        -sign * speed;
  }
  scene_create(scene);
}

enum { SKID = 30 };  // steps, at whose end it is off

// A block that has skidded off: its loss along its way over its gain across it; parts: of its most divided
// step.
static double soft_ratio(bool bench, double speed, enum dc_integrator integrator, int *parts)
{
  struct scene scene;
  double sum[2] = {0, 0};
  soft_skid(&scene, bench, speed, integrator);
  struct dc_trajectory *trajectory = scene_roll(&scene, SKID);
  const struct dc_soft *soft = &scene.model.bodies.soft[0];
  const double *end = frame_of(trajectory, SKID) + soft->q_offset,
               *before = frame_of(trajectory, SKID - 1) + soft->q_offset;
  for (int i = 0; i < soft->node_count; i++)
    for (int k = 0; k < 2; k++)
      sum[k] += dc_soft_node_mass(soft, i) *
                ((end[3 * i + 2 * k] - before[3 * i + 2 * k]) / trajectory->time_step - (k ? -1 : 4));
  for (int t = 0; t < SKID; t++)
    *parts = dc_trajectory_substeps(trajectory, t) > *parts ? dc_trajectory_substeps(trajectory, t) : *parts;
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
  return -sum[0] / sum[1];
}

static void test_soft_skids(void)
{
  for (int bench = 0; bench < 2; bench++) {
    int parts = 0;
    double alone = 0;
    for (double speed = 1e-3; speed < 500; speed = speed < 1 ? 20 : 1.5 * speed) {
      double ratio = soft_ratio(bench, speed, DC_EULER, &parts);
      alone = speed < 1 ? ratio : alone;
      // The law of nodes comes near its limit slowly: 0.2765 observed, 0.2814 on the bench.
      CHECK(ratio > 0.9 * COULOMB && ratio < 1.001 * COULOMB, "balls at %g m/s: ratio %g", speed, ratio);
      CHECK(fabs(ratio / alone - 1) < 0.005, "balls at %g m/s: ratio %g, alone %g", speed, ratio, alone);
    }
    CHECK(parts > 2, "divided");
  }
}

// Impacts of surfaces divide steps of second order; what the parts share is neither lost nor doubled.
static void test_surfaces(void)
{
  int parts = 0;
  double ratio = soft_ratio(true, 1e-3, DC_SECOND_ORDER, &parts);
  // 1.01 observed.
  CHECK(ratio > 0.98 * COULOMB && ratio < 1.02 * COULOMB && parts > 1, "in %d parts: ratio %g", parts, ratio);
}

// Adjoint, tangent and differences agree through so many steps, some of which are divided; returns how many intervals
// leave friction something.
static long check_derivatives(struct scene *scene, const char *name, int steps)
{
  struct gradient_problem problem;
  start_gradient(&problem, scene, steps, NULL);
  CHECK(dc_trajectory_divided_steps(problem.trajectory) > 0, "%s: divided", name);
  long kept = (long)problem.trajectory->memories.count;
  double apart = products_apart(&problem, problem.trajectory);
  CHECK(apart <= 1e-8, "%s: products apart by %g", name, apart);
  check_recomputed(&problem, name, 1e-8);
  check_directions(&problem, name, 1e-7, 1e-5, 1e-5);
  end_gradient(&problem);
  return kept;
}

// Derivatives through an impact whose friction comes in an interval of another length.
static void test_adjoint(void)
{
  for (int m = 0; dc_contact_models[m]; m++) {
    const struct dc_contact_model *model = dc_contact_models[m];
    struct scene scene;
    if (model->flags & DC_CONTACT_FOREIGN)
      continue;
    skid(&scene, model, 0.02);
    scene_create(&scene);
    check_derivatives(&scene, model->name, 7);
    scene_end(&scene);
  }
}

// Derivatives through steps that a ball far away divides as it hits the plane, while a cube slides and what friction
// keeps is passed on.
static void fall_beside(struct scene *scene, const struct dc_contact_model *model, double z, double speed,
                        enum dc_integrator integrator)
{
  static const double rotation[4] = {0.92338, 0.30779, 0.20520, 0.10260};
  scene_begin(scene);
  set_model(scene, model);
  scene->definition.time.step = 0.01;
  scene->definition.time.integrator = integrator;
  scene->definition.gravity[2] = -PULL;
  scene_body(scene, "plane", scene_plane(scene), 0, 0, 0, 0);
  scene_body(scene, "cube", scene_box(scene, 0.1, 0.1, 0.1, 1, 1, 1), 1, 0, 0, z)->velocity[0] = speed;
  struct dc_body_definition *ball =
      scene_body(scene, "ball", scene_sphere(scene, 0.05, 1, "icosahedron"), 1, 100, 0, 0.0866 + 0.045);
  memcpy(ball->rotation, rotation, sizeof rotation);
  ball->velocity[0] = 15 * speed;
  ball->velocity[2] = -3;
  scene_create(scene);
}

static void test_kept(void)
{
  long kept = 0;
  for (int m = 0; dc_contact_models[m]; m++) {
    const struct dc_contact_model *model = dc_contact_models[m];
    struct scene scene;
    if (model->flags & DC_CONTACT_FOREIGN)
      continue;
    fall_beside(&scene, model, 0.0535, 0, DC_EULER);
    struct dc_trajectory *rest = scene_roll(&scene, 200);
    double z = frame_of(rest, 200)[scene.model.bodies.bodies[1].q_offset + 2];
    dc_trajectory_destroy(rest);
    scene_end(&scene);
    for (enum dc_integrator order = DC_EULER; order <= DC_SECOND_ORDER; order++) {
      fall_beside(&scene, model, z, 2, order);
      kept += check_derivatives(&scene, model->name, 7);
      scene_end(&scene);
    }
  }
  CHECK(kept > 20, "%ld memories", kept);
}

// The same of what surfaces keep of an impact that divides steps.
static void test_kept_by_surfaces(void)
{
  struct scene scene;
  soft_skid(&scene, true, 1e-3, DC_SECOND_ORDER);
  long kept = check_derivatives(&scene, "surfaces", 9);
  CHECK(kept > 0, "%ld memories", kept);
  scene_end(&scene);
}

RUN_TESTS({"a skid on corners", test_skid}, {"a collision far away", test_far_away}, {"a flight", test_flight},
          {"soft skids", test_soft_skids}, {"surfaces", test_surfaces}, {"adjoint", test_adjoint},
          {"what is kept", test_kept}, {"what surfaces keep", test_kept_by_surfaces})
