// SPDX-License-Identifier: Apache-2.0
// Divided steps: fast collisions neither pass through nor gain energy, under every model of our own; adjoints through
// them; going on from them; what happens where dividing is not allowed.
#include "harness.h"

#include "conservation.h"
#include "gradients.h"
#include "scenes.h"

static const double RADIUS = 0.1;

// Settings with which each model acts at a few millimetres and bodies of 1 kg stand apart.
static void set_model(struct scene *scene, const struct dc_contact_model *model)
{
  struct dc_contact_settings *contact = &scene->definition.contact;
  scene->definition.contact_model = model;
  contact->stiffness = 1e-6;
  if (strcmp(model->name, "ipc") == 0)
    contact->dhat = 0.0044, contact->stiffness = 6e-4;
  if (strcmp(model->name, "sdrs") == 0)
    contact->support = 0.0044, contact->stiffness = 8e-8;
}

// Two balls, 2 m apart, that fly towards each other at `speed` each, the second aside by `offset`, in steps of h.
static void collision(struct scene *scene, const struct dc_contact_model *model, double speed, double offset, double h)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  scene_begin(scene);
  set_model(scene, model);
  scene->definition.time.step = h;
  int ball = scene_sphere(scene, RADIUS, 0, "icosahedron");
  for (int side = 0; side < 2; side++) {
    double sign = side ? 1 : -1;
    struct dc_body_definition *body = scene_body(scene, side ? "b" : "a", ball, 1, sign, side * offset, 0);
    body->velocity[0] = -sign * speed;
    random_rotation(&random, body->rotation);
  }
  scene_create(scene);
}

static double sum_of_speeds(const struct scene *scene, const struct dc_trajectory *trajectory, double momentum[3])
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  int last = trajectory->steps - 1;
  double at, energy = 0;
  const double *before = dc_trajectory_state(trajectory, last, dc_trajectory_substeps(trajectory, last) - 1, &at);
  const double *end = frame_of(trajectory, trajectory->steps);
  memset(momentum, 0, 3 * sizeof *momentum);
  for (int i = 0; i < bodies->count; i++)
    for (int k = 0; k < 3; k++) {
      int q = bodies->bodies[i].q_offset + k;
      double velocity = (end[q] - before[q]) / (trajectory->time_step * (1 - at));
      momentum[k] += bodies->bodies[i].mass * velocity;
      energy += 0.5 * bodies->bodies[i].mass * velocity * velocity;
    }
  return energy;
}

// Collisions that pass through when steps are accepted as they come: 1.5 diameters a step and much more.
static void test_collisions(void)
{
  static const struct {
    double speed, offset, h;
  } cases[] = {{20, 0, 0.04}, {100, 0, 0.01}, {100, 0.04, 0.01}, {1000, 0, 0.002}, {300, 0.1, 0.04}, {6, 0.02, 0.04}};
  for (int m = 0; dc_contact_models[m]; m++)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      const struct dc_contact_model *model = dc_contact_models[m];
      struct scene scene;
      double momentum[3], speed = cases[k].speed;
      // A logarithmic barrier of this stiffness would have to act at gaps below rounding.
      bool too_fast = strcmp(model->name, "ipc") == 0 && speed >= 300;
      if (model->flags & DC_CONTACT_FOREIGN || model->local || too_fast)
        continue;
      collision(&scene, model, speed, cases[k].offset, cases[k].h);
      struct dc_trajectory *trajectory = scene_roll(&scene, (int)fmax(3, 2 / (speed * cases[k].h)));
      const double *end = frame_of(trajectory, trajectory->steps);
      double energy = sum_of_speeds(&scene, trajectory, momentum);
      CHECK(energy <= speed * speed * (1 + 1e-6), "%s at %g m/s: energy %g", model->name, speed,
            energy / (speed * speed));
      CHECK(energy < 0.99 * speed * speed || cases[k].offset > 0, "%s at %g m/s: nothing happened", model->name, speed);
      CHECK(dc_vec_norm(momentum) <= 1e-10 * speed, "%s at %g m/s: momentum %g", model->name, speed,
            dc_vec_norm(momentum) / speed);
      // Whoever passed the other one has gone around it.
      double aside = hypot(end[1] - end[8], end[2] - end[9]);
      CHECK(end[0] < end[7] || aside > 2 * RADIUS * 0.8 || speed * cases[k].h > 1, "%s at %g m/s, %g s: swapped",
            model->name, speed, cases[k].h);
      dc_trajectory_destroy(trajectory);
      scene_end(&scene);
    }
}

// The certified motion, sampled: no place of it lets surfaces meet.
static void test_motion_between(void)
{
  struct scene scene;
  collision(&scene, dc_contact_model_find("bsh"), 20, 0.03, 0.04);
  struct dc_trajectory *trajectory = scene_roll(&scene, 4);
  const struct dc_bodies *bodies = &scene.model.bodies;
  struct dc_contact *contact = dc_rollout_contact(scene.rollout);
  struct dc_pair_derivatives pairs[1];
  struct dc_kinematics kinematics;
  struct dc_path path;
  double tangent[12], at = 0;
  int parts = 0, wound = 0;
  CHECK(!dc_kinematics_create(bodies, scene.arena, &kinematics, NULL) && !dc_path_create(bodies, scene.arena, &path, NULL),
        "memory");
  for (int t = 0; t < trajectory->steps; t++)
    for (int k = 0; k < dc_trajectory_substeps(trajectory, t); k++, parts++) {
      double end;
      const double *from = dc_trajectory_state(trajectory, t, k, &at),
                   *to = dc_trajectory_state(trajectory, t, k + 1, &end);
      CHECK(end > at, "%g after %g", end, at);
      int pair;
      dc_kinematics_update(bodies, to, &kinematics);
      CHECK(isfinite(dc_contact_evaluate(contact, kinematics.poses, 0, pairs)), "apart");
      dc_state_difference(bodies, to, from, tangent);
      dc_path_begin(&path, to, tangent, &kinematics);
      CHECK(dc_contact_motion_clear(contact, &path, &pair), "step %d, part %d", t, k);
      wound += path.frames[0].helix;
      for (int s = 0; s <= 20; s++) {
        struct dc_pose poses[2];
        double twist[6];
        for (int i = 0; i < 2; i++)
          dc_path_at(&path, i, s / 20.0, &poses[i], twist);
        CHECK(isfinite(dc_contact_evaluate(contact, poses, 0, pairs)), "step %d, part %d meets at %g", t, k, s / 20.0);
      }
    }
  printf("# %d parts, in %d of which the balls roll on each other\n", parts, wound);
  CHECK(parts > trajectory->steps, "divided: %d parts", parts);
  CHECK(dc_trajectory_divided_steps(trajectory) > 0, "divided");
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// A cube tips over an edge, at a gap at rest of less than 1e-5 m: along the arc its motion is clear, while its chord
// goes through the floor and would ask for a division in five steps.
static void test_tipping(void)
{
  for (int plane = 0; plane < 2; plane++) {
    struct scene scene;
    const double size = 0.065, tilt = 0.72;
    scene_begin(&scene);
    scene.definition.time.step = 0.02;
    scene.definition.gravity[2] = -9.81;
    scene.definition.contact.stiffness = 1e-10;
    scene.definition.contact.friction = 0.8;
    int ground = plane ? scene_plane(&scene) : scene_box(&scene, 1, 1, 0.1, 1, 1, 1),
        cube = scene_box(&scene, size, size, size, 1, 1, 1);
    scene_body(&scene, "ground", ground, 0, 0, 0, plane ? 0 : -0.05);
    struct dc_body_definition *body = scene_body(&scene, "cube", cube, 0.1, 0, 0, 0.5 * size * (cos(tilt) + sin(tilt)) + 2e-4);
    body->rotation[0] = cos(0.5 * tilt), body->rotation[2] = sin(0.5 * tilt);
    body->angular_velocity[1] = 0.5;
    scene_create(&scene);
    struct dc_trajectory *trajectory = scene_roll(&scene, 50);
    long iterations = 0;
    for (int t = 0; t < trajectory->steps; t++)
      iterations += trajectory->newton_iterations[t];
    int divided = dc_trajectory_divided_steps(trajectory);
    printf("# a cube that tips: %d divided steps, %ld iterations\n", divided, iterations);
    CHECK(divided == 0, "%d steps are divided", divided);
    CHECK(iterations <= 140, "%ld iterations", iterations);  // 102 and 118 observed; 133 and 221 along chords
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
}

// Derivatives of a trajectory whose steps are divided, while differences divide them alike.
static void test_adjoint(void)
{
  struct scene scene;
  struct gradient_problem problem;
  collision(&scene, dc_contact_model_find("bsh"), 20, 0.05, 0.04);
  start_gradient(&problem, &scene, 3, NULL);
  CHECK(dc_trajectory_divided_steps(problem.trajectory) > 0, "divided");
  double apart = products_apart(&problem, problem.trajectory);
  CHECK(apart <= 1e-10, "products apart by %g", apart);  // 8.4e-12 observed: Hessians of hard collisions
  check_block(&problem, "collision", 1e-10);
  check_recomputed(&problem, "collision", 1e-10);
  check_directions(&problem, "collision", 1e-6, 1e-6, 3e-5);
  end_gradient(&problem);
  scene_end(&scene);
}

// A rollout that goes on from a frame with the state before it is the one that did not stop, to rounding.
static void test_going_on(void)
{
  struct scene scene;
  collision(&scene, dc_contact_model_find("bsh"), 20, 0.05, 0.04);
  struct dc_trajectory *whole = scene_roll(&scene, 4), *rest = dc_trajectory_create(&scene.model, 2);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 2);
  int last = dc_trajectory_substeps(whole, 1) - 1;
  double at, off = 0;
  CHECK(last > 0, "the step before is divided");
  input->q_before = dc_trajectory_state(whole, 1, last, &at);
  input->before_length = whole->time_step * (1 - at);
  memcpy(input->q, frame_of(whole, 2), (size_t)whole->nq * sizeof *input->q);
  CHECK(dc_rollout_forward(scene.rollout, input, rest, &scene.error) == DC_OK, "%s", scene.error.text);
  for (int i = 0; i < whole->nq; i++)
    off = larger(off, fabs(frame_of(rest, 2)[i] - frame_of(whole, 4)[i]));
  CHECK_NEAR(off, 0, 1e-12);  // 0 observed; windows begin without warm starts, which may change roundings
  struct dc_trajectory *copy = dc_record_create(&scene.model, 4);
  CHECK(dc_trajectory_copy(copy, whole) == DC_OK && dc_trajectory_divided_alike(copy, whole), "copy");
  CHECK(copy->between.count == whole->between.count &&
            memcmp(copy->between.q, whole->between.q, (size_t)(copy->between.count * copy->nq) * sizeof(double)) == 0,
        "states between frames");
  input->q_before = NULL;
  dc_trajectory_destroy(copy);
  dc_rollout_input_destroy(input);
  dc_trajectory_destroy(rest);
  dc_trajectory_destroy(whole);
  scene_end(&scene);
}

// Where steps may not be divided the run ends, with the names of the bodies.
static void test_limit(void)
{
  struct scene scene;
  collision(&scene, dc_contact_model_find("bsh"), 100, 0, 0.01);
  scene.model.definition.solver.divisions = 0;
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene.model, 3);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 3);
  CHECK(dc_rollout_forward(scene.rollout, input, trajectory, &scene.error) == DC_NUMERICAL, "fails");
  CHECK(strstr(scene.error.text, "step 2: bodies a and b would pass"), "%s", scene.error.text);
  dc_rollout_input_destroy(input);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// No Newton iteration at all is not enough for a collision, however short: an error, unless the scene accepts that.
static void test_unconverged(void)
{
  struct scene scene;
  collision(&scene, dc_contact_model_find("bsh"), 20, 0.05, 0.04);
  scene.model.definition.solver.max_iterations = 0;
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene.model, 3);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 3);
  CHECK(dc_rollout_forward(scene.rollout, input, trajectory, &scene.error) == DC_NUMERICAL, "fails");
  CHECK(strstr(scene.error.text, "no convergence"), "%s", scene.error.text);
  scene.model.definition.solver.accept_unconverged = true;
  CHECK(dc_rollout_forward(scene.rollout, input, trajectory, &scene.error) == DC_OK, "%s", scene.error.text);
  CHECK(trajectory->unconverged_steps > 0, "counted");
  dc_rollout_input_destroy(input);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// A step that is tried for may be told to take no more than so many iterations, all its parts together, and so may all
// steps of a rollout.
static void test_most_iterations(void)
{
  struct scene scene;
  collision(&scene, dc_contact_model_find("bsh"), 20, 0.05, 0.04);
  struct dc_trajectory *trajectory = scene_roll(&scene, 3), *bounded = dc_trajectory_create(&scene.model, 3);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 3);
  long most = 0, all = 0;
  for (int t = 0; t < trajectory->steps; t++) {
    all += trajectory->newton_iterations[t];
    most = trajectory->newton_iterations[t] > most ? trajectory->newton_iterations[t] : most;
  }
  dc_rollout_set_most_iterations(scene.rollout, most);
  CHECK(dc_rollout_forward(scene.rollout, input, bounded, &scene.error) == DC_OK, "%s", scene.error.text);
  size_t size = (size_t)(trajectory->steps + 1) * (size_t)trajectory->nq * sizeof(double);
  CHECK(memcmp(bounded->q, trajectory->q, size) == 0, "enough: the same");
  dc_rollout_set_most_iterations(scene.rollout, most - 1);
  CHECK(dc_rollout_forward(scene.rollout, input, bounded, &scene.error) == DC_NUMERICAL, "one fewer: fails");
  CHECK(strstr(scene.error.text, "Newton iterations"), "%s", scene.error.text);
  dc_rollout_set_most_iterations(scene.rollout, 0);
  for (int missing = 0; missing < 2; missing++) {
    dc_rollout_set_most_in_all(scene.rollout, all - missing);
    for (int again = 0; again < 2; again++)  // what an earlier rollout has spent does not count
      CHECK(dc_rollout_forward(scene.rollout, input, bounded, &scene.error) == (missing ? DC_NUMERICAL : DC_OK), "%s",
            scene.error.text);
  }
  CHECK(strstr(scene.error.text, "beside the best rollout"), "%s", scene.error.text);
  dc_rollout_input_destroy(input);
  dc_trajectory_destroy(bounded);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

RUN_TESTS({"fast collisions under all models", test_collisions},
          {"the motion between frames meets nothing", test_motion_between},
          {"tipping over an edge", test_tipping}, {"adjoint", test_adjoint},
          {"going on and copying", test_going_on}, {"limit of divisions", test_limit},
          {"steps that do not converge", test_unconverged}, {"limit of iterations", test_most_iterations})
