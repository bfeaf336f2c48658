// SPDX-License-Identifier: Apache-2.0
// The adjoint against differences in every slice of its input, equal bits for any number of
// threads, workspace reuse.
#include "harness.h"

#include "gradients.h"

static void two_balls(struct scene *scene)
{
  struct dc_random random;
  dc_random_seed(&random, 41);
  scene_begin(scene);
  scene->definition.contact.stiffness = 1e-4;
  struct dc_body_definition *a = scene_body(scene, "a", scene_sphere(scene, 0.1, 1, "icosahedron"), 0.2, 0, 0, 0);
  struct dc_body_definition *b =
      scene_body(scene, "b", scene_sphere(scene, 0.15, 1, "octahedron"), 0.6, 0.4, 0.08, 0.02);
  a->velocity[0] = 2, b->velocity[0] = -0.5;
  random_rotation(&random, a->rotation);
  random_rotation(&random, b->rotation);
  random_vector(&random, 3, 3, a->angular_velocity);
}

static void boxes_on_plane(struct scene *scene)
{
  struct dc_random random;
  dc_random_seed(&random, 42);
  scene_begin(scene);
  scene->definition.gravity[2] = -9.8;
  scene->definition.contact.stiffness = 1e-3;
  int shape = scene_box(scene, 0.2, 0.15, 0.1, 1, 1, 1);
  const char *const names[3] = {"a", "b", "c"};
  for (int i = 0; i < 3; i++) {
    struct dc_body_definition *body =
        scene_body(scene, names[i], shape, 0.2 + 0.1 * i, 0.3 * i, 0.03 * i, 0.25 + 0.05 * i);
    random_rotation(&random, body->rotation);
    random_vector(&random, 3, 3, body->angular_velocity);
    body->velocity[0] = 0.5 - 0.5 * i;
  }
  scene_body(scene, "floor", scene_plane(scene), 0, 0, 0, 0);
}

static void ball_on_triangles(struct scene *scene)
{
  scene_begin(scene);
  scene->definition.gravity[2] = -9.8;
  scene->definition.contact.stiffness = 1e-4;
  struct dc_body_definition *body =
      scene_body(scene, "a", scene_sphere(scene, 0.1, 1, "icosahedron"), 0.1, 0.03, 0.02, 0.13);
  body->velocity[0] = 0.6, body->angular_velocity[1] = 3;
  scene_body(scene, "floor", scene_box(scene, 0.6, 0.6, 0.1, 3, 3, 1), 0, 0, 0, -0.05);
}

// Two balls five sizes apart: only the far field connects them.
static void far_balls(struct scene *scene)
{
  struct dc_random random;
  dc_random_seed(&random, 43);
  scene_begin(scene);
  scene->definition.contact.stiffness = 1e-5;
  int shape = scene_sphere(scene, 0.1, 1, "octahedron");
  struct dc_body_definition *a = scene_body(scene, "a", shape, 0.05, 0, 0, 0);
  scene_body(scene, "b", shape, 0.05, 1.2, 0.1, -0.05);
  a->velocity[0] = 0.3;
  random_vector(&random, 3, 3, a->angular_velocity);
}

static const struct {
  const char *name;
  void (*add)(struct scene *scene);
  int steps;
  double step, tolerance, taylor;
} scenes[] = {{"two balls", two_balls, 12, 5e-7, 1e-6, 1e-6},
              {"boxes on a plane", boxes_on_plane, 12, 5e-7, 1e-6, 1e-6},
              {"ball on triangles", ball_on_triangles, 15, 5e-7, 1e-6, 1e-6},
              {"far balls", far_balls, 20, 1e-4, 1e-6, 1e-3}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void test_components(void)
{
  for (int k = 0; k < SCENES; k++) {
    struct scene scene;
    struct gradient_problem problem;
    scenes[k].add(&scene);
    scene_create(&scene);
    start_gradient(&problem, &scene, scenes[k].steps, NULL);
    check_components(&problem, scenes[k].name, scenes[k].step, scenes[k].tolerance);
    end_gradient(&problem);
    scene_end(&scene);
  }
}

// Both weightings, with and without the hierarchy.
static void test_directions(void)
{
  for (int k = 0; k < SCENES; k++)
    for (int variant = 0; variant < 4; variant++) {
      struct scene scene;
      struct gradient_problem problem;
      char name[64];
      scenes[k].add(&scene);
      bool paper = variant & 1, exact = variant & 2;
      scene.definition.contact.weights = paper ? DC_WEIGHTS_PAPER : DC_WEIGHTS_CONSISTENT;
      scene.definition.contact_model = dc_contact_model_find(exact ? "exact" : "bsh");
      if (paper)
        scene.definition.contact.stiffness *= 1e-2;
      snprintf(name, sizeof name, "%s, %s, %s", scenes[k].name, exact ? "exact" : "bsh",
               paper ? "paper" : "consistent");
      scene_create(&scene);
      start_gradient(&problem, &scene, scenes[k].steps, NULL);
      check_directions(&problem, name, scenes[k].step, scenes[k].tolerance, scenes[k].taylor);
      end_gradient(&problem);
      scene_end(&scene);
    }
}

// Contact evaluated again by the adjoint: the same derivatives but for rounding, with friction too.
static void test_recomputed(void)
{
  for (int k = 0; k < SCENES; k++)
    for (int m = 0; dc_contact_models[m]; m++) {
      struct scene scene;
      struct gradient_problem problem;
      char name[64];
      if (dc_contact_models[m]->flags & DC_CONTACT_FOREIGN || dc_contact_models[m]->local)
        continue;
      scenes[k].add(&scene);
      scene.definition.contact_model = dc_contact_models[m];
      for (int friction = 0; friction < 2; friction++) {
        scene.definition.contact.friction = 0.3 * friction;
        snprintf(name, sizeof name, "%s, %s%s", scenes[k].name, dc_contact_models[m]->name,
                 friction ? ", friction" : "");
        scene_create(&scene);
        start_gradient(&problem, &scene, scenes[k].steps, NULL);
        double apart = products_apart(&problem, problem.trajectory);
        // 6e-14 observed; 1.6e-12 with the friction of an impact in intervals of other lengths, whose Hessian is large;
        // sdrs with friction 4e-11: the planes it acts on come out of a tolerance.
        bool planes = friction && strcmp(dc_contact_models[m]->name, "sdrs") == 0;
        double tolerance = planes ? 1e-10 : friction ? 1e-11 : 1e-12;
        CHECK(apart <= tolerance, "%s: products apart by %g", name, apart);
        check_block(&problem, name, tolerance);
        check_recomputed(&problem, name, 1e-10);
        end_gradient(&problem);
        dc_rollout_destroy(scene.rollout);
        scene.rollout = NULL;
      }
      scene_end(&scene);
    }
}

// A cotangent that is not finite is refused, whatever else is zero.
static void test_not_finite(void)
{
  struct scene scene;
  struct gradient_problem problem;
  far_balls(&scene);
  scene_create(&scene);
  start_gradient(&problem, &scene, 3, NULL);
  scene_clear_frames(&scene.model, 3, &problem.frames);
  problem.frames.wrenches[3 * 2][4] = NAN;
  enum dc_status status = dc_rollout_adjoint(scene.rollout, problem.input, problem.trajectory, &problem.frames,
                                             problem.cotangent, &scene.error);
  CHECK(status == DC_NUMERICAL, "%d", (int)status);
  end_gradient(&problem);
  scene_end(&scene);
}

// Derivative of the target's final x by the cue's velocity, the two never touching.
static void far_derivative(const struct dc_contact_model *contact_model, double derivative[6])
{
  struct scene scene;
  struct gradient_problem problem;
  far_balls(&scene);
  scene.definition.contact_model = contact_model;
  scene_create(&scene);
  start_gradient(&problem, &scene, 10, NULL);
  scene_clear_frames(&scene.model, 10, &problem.frames);
  problem.frames.wrenches[10 * 2 + 1][3] = 1;
  dc_rollout_cotangent_clear(&scene.model, problem.cotangent);
  CHECK(dc_rollout_adjoint(scene.rollout, problem.input, problem.trajectory, &problem.frames, problem.cotangent,
                           &scene.error) == DC_OK,
        "%s", scene.error.text);
  CHECK(problem.cotangent->velocity[9] > 0.39, "the target moves with its own velocity: %g",
        problem.cotangent->velocity[9]);
  memcpy(derivative, problem.cotangent->velocity, 6 * sizeof *derivative);
  end_gradient(&problem);
  scene_end(&scene);
}

static void test_local_support(void)
{
  struct dc_contact_model local = *dc_contact_model_find("bsh");
  double derivative[6];
  far_derivative(&local, derivative);
  CHECK(derivative[3] > 1e-6, "%g", derivative[3]);  // 7.9e-5 observed
  local.local = true;
  far_derivative(&local, derivative);
  for (int i = 0; i < 6; i++)
    CHECK_NEAR(derivative[i], 0, 0);
}

// Eight balls of many triangles that meet above a plane.
static void eight_balls(struct scene *scene)
{
  static const char *const names[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  struct dc_random random;
  dc_random_seed(&random, 44);
  scene_begin(scene);
  scene->definition.gravity[2] = -9.8;
  scene->definition.contact.stiffness = 1e-4;
  int shape = scene_sphere(scene, 0.1, 2, "icosahedron");
  for (int i = 0; i < 8; i++) {
    struct dc_body_definition *body =
        scene_body(scene, names[i], shape, 0.2, 0.25 * (i & 1), 0.25 * (i >> 1 & 1), 0.2 + 0.25 * (i >> 2));
    random_vector(&random, 3, 1, body->velocity);
    random_rotation(&random, body->rotation);
  }
  scene_body(scene, "floor", scene_plane(scene), 0, 0, 0, 0);
}

struct bits {
  double q[6 * 56], gradient[2 * 48 + 4 * 9 + 4];
};

static void run_for_bits(struct gradient_problem *problem, struct bits *bits)
{
  struct scene *scene = problem->scene;
  struct dc_trajectory *trajectory = problem->trajectory;
  CHECK(dc_rollout_forward(scene->rollout, problem->input, trajectory, &scene->error) == DC_OK, "%s",
        scene->error.text);
  smooth_loss(&scene->model, trajectory, &problem->frames);
  dc_rollout_cotangent_clear(&scene->model, problem->cotangent);
  CHECK(dc_rollout_adjoint(scene->rollout, problem->input, trajectory, &problem->frames, problem->cotangent,
                           &scene->error) == DC_OK,
        "%s", scene->error.text);
  memcpy(bits->q, trajectory->q, sizeof bits->q);
  flatten(&scene->model, problem->cotangent, bits->gradient);
}

// The same bits for any number of threads, a second time, after another input, and in a fresh workspace.
static void test_equal_bits(void)
{
  struct scene scene;
  struct gradient_problem problem;
  static struct bits first, again;
  eight_balls(&scene);
  scene_create(&scene);
  start_gradient(&problem, &scene, 5, NULL);
  dc_rollout_set_tight(scene.rollout, false);
  CHECK(input_size(&scene.model, 5) == (int)(sizeof first.gradient / sizeof(double)), "size");
  run_for_bits(&problem, &first);
  CHECK(problem.trajectory->min_gap[5] < 0.02, "they have met");
  run_for_bits(&problem, &again);
  CHECK(memcmp(&first, &again, sizeof first) == 0, "a second time");
  for (int count = 2; count <= 3; count++) {
    omp_set_num_threads(count);
    run_for_bits(&problem, &again);
    CHECK(memcmp(&first, &again, sizeof first) == 0, "%d threads", count);
  }
  for (int i = 0; i < 48; i++)
    problem.input->velocity[i] *= -0.7;
  run_for_bits(&problem, &again);
  CHECK(memcmp(&first, &again, sizeof first) != 0, "another input");
  dc_rollout_input_reset(&scene.model, problem.input);
  run_for_bits(&problem, &again);
  CHECK(memcmp(&first, &again, sizeof first) == 0, "after another input");
  dc_rollout_destroy(scene.rollout);
  scene.rollout = dc_rollout_create(&scene.model, &scene.error);
  run_for_bits(&problem, &again);
  CHECK(memcmp(&first, &again, sizeof first) == 0, "a fresh workspace");
  end_gradient(&problem);
  scene_end(&scene);
}

// A copy owns its arrays: it gives the same gradient after the original has been overwritten and destroyed.
static void test_copy(void)
{
  struct scene scene;
  struct gradient_problem problem;
  two_balls(&scene);
  scene_create(&scene);
  start_gradient(&problem, &scene, 12, NULL);
  struct dc_trajectory *copy = dc_trajectory_create(&scene.model, 12);
  dc_trajectory_copy(copy, problem.trajectory);
  CHECK(copy->q != problem.trajectory->q && copy->pairs != problem.trajectory->pairs && copy->steps == 12,
        "own arrays");
  problem.input->velocity[3] = -1;
  CHECK(dc_rollout_forward(scene.rollout, problem.input, problem.trajectory, &scene.error) == DC_OK, "%s",
        scene.error.text);
  dc_trajectory_destroy(problem.trajectory);
  problem.trajectory = copy;
  dc_rollout_input_reset(&scene.model, problem.input);
  dc_rollout_cotangent_clear(&scene.model, problem.cotangent);
  CHECK(dc_rollout_adjoint(scene.rollout, problem.input, copy, &problem.frames, problem.cotangent, &scene.error) ==
            DC_OK,
        "%s", scene.error.text);
  flatten(&scene.model, problem.cotangent, problem.direction);
  CHECK(memcmp(problem.direction, problem.gradient, (size_t)input_size(&scene.model, 12) * sizeof(double)) == 0,
        "same gradient");
  end_gradient(&problem);
  scene_end(&scene);
}

RUN_TESTS({"adjoint against differences", test_components},
          {"adjoint along directions, Taylor remainder", test_directions}, {"without a tape", test_recomputed},
          {"not finite", test_not_finite}, {"local support", test_local_support}, {"equal bits", test_equal_bits},
          {"copy of a trajectory", test_copy})
