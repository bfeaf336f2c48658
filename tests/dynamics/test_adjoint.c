// SPDX-License-Identifier: Apache-2.0
// The adjoint against differences in every slice of its input, equal bits for any number of
// threads, workspace reuse.
#include "harness.h"

#include "scenes.h"

// ---- Rollouts

static double coordinate_loss(const struct dc_body *body, const double *q, double factor, double *forces)
{
  double loss = 0;
  for (int p = 0; p < body->part_count; p++) {
    const struct dc_joint_part *part = &body->parts[p];
    if (part->kind != DC_PART_SLIDE && part->kind != DC_PART_HINGE)
      continue;
    loss += sin(factor * q[part->q]);
    if (forces)
      forces[part->v] += factor * cos(factor * q[part->q]);
  }
  return loss;
}

// A smooth loss of several frames: over movable bodies sin(c.x + phase) + <C, R>, over coordinates of slides and hinges
// sin(c q), other coefficients for each frame, body and coordinate.  Derivative into frames (may be NULL).
static double smooth_loss(const struct dc_model *model, const struct dc_trajectory *trajectory,
                          struct dc_trajectory_cotangent *frames)
{
  struct dc_random random;
  struct dc_pose poses[SCENE_BODIES];
  int nv = model->bodies.nv, stride = trajectory->steps < 3 ? 1 : trajectory->steps / 3;
  double loss = 0;
  dc_random_seed(&random, 21);
  if (frames)
    scene_clear_frames(model, trajectory->steps, frames);
  for (int frame = trajectory->steps; frame >= 0; frame -= stride) {
    dc_poses(&model->bodies, frame_of(trajectory, frame), poses);
    for (int i = 0; i < model->bodies.count; i++) {
      const struct dc_body *body = &model->bodies.bodies[i];
      double c[3], phase, turn[9];
      random_vector(&random, 3, 2, c);
      random_vector(&random, 1, 3, &phase);
      random_vector(&random, 9, 0.5, turn);
      if (!dc_body_moves(body))
        continue;
      double angle = dc_vec_dot(c, poses[i].position) + phase, product[9];
      loss += sin(angle);
      for (int k = 0; k < 9; k++)
        loss += turn[k] * poses[i].rotation[k];
      loss += coordinate_loss(body, frame_of(trajectory, frame), c[0], frames ? frames->forces + frame * nv : NULL);
      if (!frames)
        continue;
      double *at = frames->wrenches[frame * model->bodies.count + i];
      dc_vec_add_scaled(at + 3, at + 3, cos(angle), c);
      dc_mat_multiply_transposed(product, turn, poses[i].rotation);  // w . sum_j R_j x C_j
      at[0] += product[7] - product[5];
      at[1] += product[2] - product[6];
      at[2] += product[3] - product[1];
    }
  }
  return loss;
}

// All numbers an input has, as one vector of tangents: the start, factors of the design, gravity, targets.
enum slice {
  STATE_ROTATION,
  STATE_POSITION,
  VELOCITY_ROTATION,
  VELOCITY_POSITION,
  MASS,
  FRICTION,
  KP,
  KD,
  STIFFNESS,
  GRAVITY,
  TARGET_POSITION,
  TARGET_VELOCITY,
  SLICES
};
static const char *const slice_names[SLICES] = {"rotation", "position",  "angular velocity", "velocity",
                                                "mass",     "friction",  "kp",               "kd",
                                                "stiffness", "gravity", "target position",  "target velocity"};

static int input_size(const struct dc_model *model, int steps)
{
  return 2 * model->bodies.nv + 4 * model->bodies.count + 4 + 2 * steps * model->bodies.actuator_count;
}

static bool turns(const struct dc_model *model, int v)
{
  for (int i = 0; i < model->bodies.count; i++)
    for (int p = 0; p < model->bodies.bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &model->bodies.bodies[i].parts[p];
      if (v >= part->v && v < part->v + dc_part_nv(part))
        return part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
    }
  return false;
}

static enum slice slice_of(const struct dc_model *model, int steps, int i)
{
  int nv = model->bodies.nv, count = model->bodies.count;
  if (i < 2 * nv)
    return (enum slice)(2 * (i >= nv) + !turns(model, i % nv));
  i -= 2 * nv;
  if (i < 4 * count)
    return (enum slice)(MASS + i / count);
  i -= 4 * count;
  if (i < 4)
    return i == 0 ? STIFFNESS : GRAVITY;
  return i - 4 < steps * model->bodies.actuator_count ? TARGET_POSITION : TARGET_VELOCITY;
}

// Numbers with an array of their own: of the design of a body, then targets.
struct array {
  double *numbers;
  int count;
};

static void arrays_of(const struct dc_model *model, int steps, const struct dc_design *design, double *position,
                      double *velocity, struct array arrays[6])
{
  int count = model->bodies.count, targets = steps * model->bodies.actuator_count;
  const struct array all[6] = {{design->body_mass_scale, count}, {design->friction_scale, count},
                               {design->kp_scale, count},        {design->kd_scale, count},
                               {position, targets},              {velocity, targets}};
  memcpy(arrays, all, sizeof all);
}

static void move_input(const struct dc_model *model, const struct dc_rollout_input *from, double step,
                       const double *direction, struct dc_rollout_input *to)
{
  struct array sources[6], targets[6];
  arrays_of(model, from->steps, &from->design, from->target_position, from->target_velocity, sources);
  arrays_of(model, from->steps, &to->design, to->target_position, to->target_velocity, targets);
  dc_state_move(&model->bodies, from->q, step, direction, to->q);
  direction += model->bodies.nv;
  for (int i = 0; i < model->bodies.nv; i++)
    to->velocity[i] = from->velocity[i] + step * *direction++;
  for (int k = 0; k < 6; k++) {
    if (k == 4) {
      to->design.stiffness_scale = from->design.stiffness_scale + step * *direction++;
      for (int i = 0; i < 3; i++)
        to->design.gravity[i] = from->design.gravity[i] + step * *direction++;
    }
    for (int i = 0; i < sources[k].count; i++)
      targets[k].numbers[i] = sources[k].numbers[i] + step * *direction++;
  }
}

static void flatten(const struct dc_model *model, const struct dc_rollout_cotangent *cotangent, double *gradient)
{
  struct array arrays[6];
  arrays_of(model, cotangent->steps, &cotangent->design, cotangent->target_position, cotangent->target_velocity,
            arrays);
  memcpy(gradient, cotangent->q, (size_t)model->bodies.nv * sizeof *gradient);
  gradient += model->bodies.nv;
  memcpy(gradient, cotangent->velocity, (size_t)model->bodies.nv * sizeof *gradient);
  gradient += model->bodies.nv;
  for (int k = 0; k < 6; k++) {
    if (k == 4) {
      *gradient++ = cotangent->design.stiffness_scale;
      for (int i = 0; i < 3; i++)
        *gradient++ = cotangent->design.gravity[i];
    }
    for (int i = 0; i < arrays[k].count; i++)
      *gradient++ = arrays[k].numbers[i];
  }
}

struct gradient_problem {
  struct scene *scene;
  struct dc_trajectory *trajectory;
  struct dc_rollout_input *input, *moved;
  struct dc_rollout_cotangent *cotangent;
  double *frames, *gradient, *direction;
  double loss;
};

// Loss and gradient at the model's own start, every step converged to rounding.
static void start_gradient(struct gradient_problem *problem, struct scene *scene, int steps)
{
  const struct dc_model *model = &scene->model;
  size_t size = (size_t)input_size(model);
  *problem =
      (struct gradient_problem){.scene = scene,
                                .trajectory = dc_trajectory_create(model, steps),
                                .input = dc_rollout_input_create(model),
                                .moved = dc_rollout_input_create(model),
                                .cotangent = dc_rollout_cotangent_create(model),
                                .frames = dc_alloc((size_t)(steps + 1) * (size_t)model->bodies.nv, sizeof(double)),
                                .gradient = dc_alloc(size, sizeof(double)),
                                .direction = dc_alloc(size, sizeof(double))};
  dc_rollout_set_tight(scene->rollout, true);
  enum dc_status status = dc_rollout_forward(scene->rollout, problem->input, problem->trajectory, &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  problem->loss = smooth_loss(model, problem->trajectory, problem->frames);
  dc_rollout_cotangent_clear(model, problem->cotangent);
  status = dc_rollout_adjoint(scene->rollout, problem->input, problem->trajectory, problem->frames, problem->cotangent,
                              &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  flatten(model, problem->cotangent, problem->gradient);
}

static void end_gradient(struct gradient_problem *problem)
{
  dc_trajectory_destroy(problem->trajectory);
  dc_rollout_input_destroy(problem->input);
  dc_rollout_input_destroy(problem->moved);
  dc_rollout_cotangent_destroy(problem->cotangent);
  free(problem->frames);
  free(problem->gradient);
  free(problem->direction);
}

static double loss_at(struct gradient_problem *problem, double step)
{
  struct scene *scene = problem->scene;
  move_input(&scene->model, problem->input, step, problem->direction, problem->moved);
  enum dc_status status = dc_rollout_forward(scene->rollout, problem->moved, problem->trajectory, &scene->error);
  CHECK(status == DC_OK && problem->trajectory->unconverged_steps == 0, "%s", scene->error.text);
  return smooth_loss(&scene->model, problem->trajectory, NULL);
}

static double central(struct gradient_problem *problem, double step)
{
  return (loss_at(problem, step) - loss_at(problem, -step)) / (2 * step);
}

// Fourth-order differences along the direction.
static double difference(struct gradient_problem *problem, double step)
{
  return (4 * central(problem, step) - central(problem, 2 * step)) / 3;
}

// Every component against differences, each slice relative to its own largest derivative: 6e-8 observed (stiffness),
// else below 4e-8.
static void check_components(struct gradient_problem *problem, const char *name, double step, double tolerance)
{
  const struct dc_model *model = &problem->scene->model;
  int size = input_size(model);
  double off[SLICES] = {0}, largest[SLICES] = {0};
  for (int i = 0; i < size; i++) {
    int slice = slice_of(model, i);
    bool fixed = slice == 4 && model->bodies.bodies[i - 2 * model->bodies.nv].joint->nv == 0;
    if (fixed) {
      CHECK_NEAR(problem->gradient[i], 0, 0);
      continue;
    }
    memset(problem->direction, 0, (size_t)size * sizeof(double));
    problem->direction[i] = 1;
    off[slice] = fmax(off[slice], fabs(difference(problem, step) - problem->gradient[i]));
    largest[slice] = fmax(largest[slice], fabs(problem->gradient[i]));
  }
  for (int slice = 0; slice < SLICES; slice++) {
    CHECK(off[slice] <= tolerance * largest[slice], "%s, %s: off by %g of %g", name, slice_names[slice], off[slice],
          largest[slice]);
  }
}

// Random directions through all slices; then the remainder of the first-order expansion over a decade of steps, which
// falls with the square.
static void check_directions(struct gradient_problem *problem, const char *name, double step, double tolerance,
                             double taylor)
{
  struct dc_random random;
  int size = input_size(&problem->scene->model);
  double norm = 0, slope = 0;
  dc_random_seed(&random, 31);
  for (int i = 0; i < size; i++)
    norm += problem->gradient[i] * problem->gradient[i];
  for (int trial = 0; trial < 2; trial++) {
    slope = 0;
    for (int i = 0; i < size; i++) {
      problem->direction[i] = dc_random_normal(&random);
      slope += problem->direction[i] * problem->gradient[i];
    }
    double off = fabs(difference(problem, step) - slope) / sqrt(norm);
    CHECK(off <= tolerance, "%s: off by %g of the gradient", name, off);
  }
  double large = fabs(loss_at(problem, taylor) - problem->loss - taylor * slope);
  double small = fabs(loss_at(problem, 0.1 * taylor) - problem->loss - 0.1 * taylor * slope);
  CHECK_NEAR(log10(large / small), 2, 0.1);  // 1.99 ... 2.001 observed
}

// ---- Scenes

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
} scenes[] = {{"two balls", two_balls, 12, 2e-6, 1e-6, 1e-6},
              {"boxes on a plane", boxes_on_plane, 12, 2e-6, 1e-6, 1e-6},
              {"ball on triangles", ball_on_triangles, 15, 2e-6, 1e-6, 1e-6},
              {"far balls", far_balls, 20, 1e-4, 1e-6, 1e-3}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void test_components(void)
{
  for (int k = 0; k < SCENES; k++) {
    struct scene scene;
    struct gradient_problem problem;
    scenes[k].add(&scene);
    scene_create(&scene);
    start_gradient(&problem, &scene, scenes[k].steps);
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
      start_gradient(&problem, &scene, scenes[k].steps);
      check_directions(&problem, name, scenes[k].step, scenes[k].tolerance, scenes[k].taylor);
      end_gradient(&problem);
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
  start_gradient(&problem, &scene, 3);
  memset(problem.frames, 0, 4 * 12 * sizeof *problem.frames);
  problem.frames[3 * 12 + 4] = NAN;
  enum dc_status status = dc_rollout_adjoint(scene.rollout, problem.input, problem.trajectory, problem.frames,
                                             problem.cotangent, &scene.error);
  CHECK(status == DC_NUMERICAL, "%d", (int)status);
  end_gradient(&problem);
  scene_end(&scene);
}

// ---- Local support

// Derivative of the target's final x by the cue's velocity, the two never touching.
static void far_derivative(const struct dc_contact_model *contact_model, double derivative[6])
{
  struct scene scene;
  struct gradient_problem problem;
  far_balls(&scene);
  scene.definition.contact_model = contact_model;
  scene_create(&scene);
  start_gradient(&problem, &scene, 10);
  memset(problem.frames, 0, 11 * 12 * sizeof *problem.frames);
  problem.frames[10 * 12 + 9] = 1;
  dc_rollout_cotangent_clear(&scene.model, problem.cotangent);
  CHECK(dc_rollout_adjoint(scene.rollout, problem.input, problem.trajectory, problem.frames, problem.cotangent,
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

// ---- Equal bits

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
  double q[6 * 56], gradient[2 * 48 + 9 + 4];
};

static void run_for_bits(struct gradient_problem *problem, struct bits *bits)
{
  struct scene *scene = problem->scene;
  struct dc_trajectory *trajectory = problem->trajectory;
  CHECK(dc_rollout_forward(scene->rollout, problem->input, trajectory, &scene->error) == DC_OK, "%s",
        scene->error.text);
  smooth_loss(&scene->model, trajectory, problem->frames);
  dc_rollout_cotangent_clear(&scene->model, problem->cotangent);
  CHECK(dc_rollout_adjoint(scene->rollout, problem->input, trajectory, problem->frames, problem->cotangent,
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
  start_gradient(&problem, &scene, 5);
  dc_rollout_set_tight(scene.rollout, false);
  CHECK(input_size(&scene.model) == (int)(sizeof first.gradient / sizeof(double)), "size");
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
  start_gradient(&problem, &scene, 12);
  struct dc_trajectory *copy = dc_trajectory_create(&scene.model, 12);
  dc_trajectory_copy(copy, problem.trajectory, dc_model_pair_count(&scene.model));
  CHECK(copy->q != problem.trajectory->q && copy->pairs != problem.trajectory->pairs && copy->steps == 12,
        "own arrays");
  problem.input->velocity[3] = -1;
  CHECK(dc_rollout_forward(scene.rollout, problem.input, problem.trajectory, &scene.error) == DC_OK, "%s",
        scene.error.text);
  dc_trajectory_destroy(problem.trajectory);
  problem.trajectory = copy;
  dc_rollout_input_reset(&scene.model, problem.input);
  dc_rollout_cotangent_clear(&scene.model, problem.cotangent);
  CHECK(dc_rollout_adjoint(scene.rollout, problem.input, copy, problem.frames, problem.cotangent, &scene.error) ==
            DC_OK,
        "%s", scene.error.text);
  flatten(&scene.model, problem.cotangent, problem.direction);
  CHECK(memcmp(problem.direction, problem.gradient, (size_t)input_size(&scene.model) * sizeof(double)) == 0,
        "same gradient");
  end_gradient(&problem);
  scene_end(&scene);
}

RUN_TESTS({"adjoint against differences", test_components},
          {"adjoint along directions, Taylor remainder", test_directions}, {"not finite", test_not_finite},
          {"local support", test_local_support}, {"equal bits", test_equal_bits}, {"copy of a trajectory", test_copy})
