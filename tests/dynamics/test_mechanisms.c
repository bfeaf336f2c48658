// SPDX-License-Identifier: Apache-2.0
// Mechanisms: the sum of all terms of a step, the adjoint through joints, actuators and limits, forces of actuators,
// and physics that is known: pendulums, momentum, energy, ends of ranges.
#include "harness.h"

#include "conservation.h"
#include "step_state.h"
#include "gradients.h"
#include "mechanisms.h"

enum { MOST_Q = 64, MOST_V = 48 };
static const double STANDARD_GRAVITY = 9.8;

struct step_problem {
  struct scene scene;
  struct dc_rollout_input *input;
  double q[3][MOST_Q];  // t-1, t, t+1
  double gradient[MOST_V];
};

static struct dc_step_state evaluate(struct step_problem *problem, double *value)
{
  struct dc_rollout *rollout = problem->scene.rollout;
  const struct dc_bodies *bodies = &problem->scene.model.bodies;
  struct dc_step_state state = step_state_at(&problem->scene, problem->input, whole_step(&problem->scene, 0),
                                             problem->q[0], problem->q[1], problem->q[2]);
  evaluate_state(&problem->scene, &state);
  struct dc_step_forces forces = {.wrenches = rollout->frames.wrenches, .joints = problem->gradient};
  memset(rollout->frames.wrenches, 0, (size_t)bodies->count * sizeof *rollout->frames.wrenches);
  memset(problem->gradient, 0, sizeof problem->gradient);
  *value = 0;
  for (int i = 0; dc_step_terms[i]; i++) {
    *value += dc_step_terms[i]->value(&state);
    dc_step_terms[i]->add_gradient(&state, &forces);
  }
  dc_pull_back(bodies, &rollout->next, (const double(*)[6])rollout->frames.wrenches, problem->gradient);
  return state;
}

static void start_step(struct step_problem *problem, uint64_t seed)
{
  struct dc_random random;
  dc_random_seed(&random, seed);
  memset(problem, 0, sizeof *problem);
  arm(&problem->scene);
  problem->scene.definition.contact.friction = 0.5;
  problem->scene.definition.contact.friction_smoothing = 0.3;
  scene_create(&problem->scene);
  const struct dc_model *model = &problem->scene.model;
  problem->input = dc_rollout_input_create(model, 1);
  arm_targets(model, problem->input);
  CHECK(model->bodies.nq <= MOST_Q && model->bodies.nv <= MOST_V, "%d", model->bodies.nv);
  for (int k = 0; k < 3; k++) {
    double tangent[MOST_V];
    random_vector(&random, model->bodies.nv, 0.015, tangent);
    dc_state_move(&model->bodies, problem->input->q, 1, tangent, problem->q[k]);
  }
}

static void end_step(struct step_problem *problem)
{
  dc_rollout_input_destroy(problem->input);
  scene_end(&problem->scene);
}

// Fourth-order difference of the value (returned) and of the gradient for a move of q+ along coordinate i.
static double step_difference(struct step_problem *problem, int i, double *gradient)
{
  const double step = 1e-5, weights[4] = {8, -8, -1, 1}, moves[4] = {1, -1, 2, -2};
  const struct dc_bodies *bodies = &problem->scene.model.bodies;
  double kept[MOST_Q], tangent[MOST_V] = {0}, sum = 0;
  memcpy(kept, problem->q[2], sizeof kept);
  memset(gradient, 0, MOST_V * sizeof *gradient);
  tangent[i] = 1;
  for (int end = 0; end < 4; end++) {
    double value;
    dc_state_move(bodies, kept, step * moves[end], tangent, problem->q[2]);
    evaluate(problem, &value);
    sum += weights[end] * value;
    for (int j = 0; j < bodies->nv; j++)
      gradient[j] += weights[end] * problem->gradient[j] / (12 * step);
  }
  memcpy(problem->q[2], kept, sizeof kept);
  return sum / (12 * step);
}

static void test_step_potential(void)
{
  static double rows[MOST_V][MOST_V], differences[MOST_V][MOST_V];
  for (uint64_t seed = 0; seed < 3; seed++) {
    struct step_problem problem;
    start_step(&problem, seed);
    int nv = problem.scene.model.bodies.nv;
    struct dc_rollout *rollout = problem.scene.rollout;
    double value, gradient[MOST_V], worst = 0, off = 0, largest = 0, most = 0;
    struct dc_step_state state = evaluate(&problem, &value);
    struct dc_step_hessian hessian = {rollout->frames.blocks, rollout->assembler, &rollout->next, rollout->matrix,
                                      NULL};
    memcpy(gradient, problem.gradient, sizeof gradient);
    dc_step_assemble(&state, true, (const double(*)[6])rollout->frames.wrenches, &hessian);
    for (int i = 0; i < nv; i++) {
      double unit[MOST_V] = {0};
      unit[i] = 1;
      dc_symmetric_multiply(rollout->matrix, unit, rows[i]);
    }
    dc_step_assemble(&state, false, NULL, &hessian);
    CHECK(dc_symmetric_factor_positive(rollout->matrix) == DC_OK, "the projected Hessian is positive");
    for (int i = 0; i < nv; i++) {
      off = larger(off, fabs(step_difference(&problem, i, differences[i]) - gradient[i]));
      most = larger(most, fabs(gradient[i]));
    }
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < nv; j++) {
        worst = larger(worst, fabs(rows[i][j] - 0.5 * (differences[i][j] + differences[j][i])));
        largest = larger(largest, fabs(rows[i][j]));
      }
    CHECK_NEAR(off / most, 0, 1e-10);       // 2.2e-12 observed
    CHECK_NEAR(worst / largest, 0, 1e-10);  // 1.0e-12 observed
    end_step(&problem);
  }
}

// Targets, the lower link's two radians away, and velocities of the balls.
static void prepare_arm(const struct dc_model *model, struct dc_rollout_input *input)
{
  struct dc_random random;
  dc_random_seed(&random, 73);
  arm_targets(model, input);
  for (int i = 0; i < model->bodies.nv; i++)
    input->velocity[i] += 0.6 * (dc_random_uniform(&random) - 0.5);
}

static void swinging(struct scene *scene)
{
  pendulum(scene, 2, 1, (const double[]){1.1, -0.7});
  scene->bodies[0].range[0] = -1.5, scene->bodies[0].range[1] = 1.2;
  mechanism_numbers(scene, &scene->bodies[1].joint_velocity, 1, (const double[]){2});
}

// The lower link of a pendulum swings over the ground and meets a ball.
static void striking(struct scene *scene)
{
  pendulum(scene, 2, 0.84, (const double[]){0.5, 0.2});
  scene->definition.contact.stiffness = 1e-5;
  scene_body(scene, "ground", scene_plane(scene), 0, 0, 0, 0);
  scene_body(scene, "ball", scene_sphere(scene, 0.08, 1, "octahedron"), 0.1, -0.35, 0.05, 0.13);
}

static void sliding_arm(struct scene *scene)
{
  arm(scene);
  scene->definition.contact.friction = 0.5;
  scene->definition.contact.friction_smoothing = 0.1;
}

static void check_every_slice(const struct gradient_problem *problem)
{
  const struct dc_model *model = &problem->scene->model;
  int steps = problem->input->steps;
  bool acts[SLICES] = {false};
  for (int i = 0; i < input_size(model, steps); i++)
    acts[slice_of(model, steps, i)] |= problem->gradient[i] != 0;
  for (int slice = 0; slice < SLICES; slice++)
    CHECK(acts[slice], "nothing depends on %s", slice_names[slice]);
}

static void test_adjoint(void)
{
  static const struct {
    const char *name;
    void (*add)(struct scene *scene);
    void (*prepare)(const struct dc_model *model, struct dc_rollout_input *input);
    int steps;
    double step, taylor;
  } cases[] = {{"swinging", swinging, NULL, 12, 1e-5, 1e-4},
               {"striking", striking, NULL, 12, 3e-6, 3e-6},
               {"arm", arm, prepare_arm, 6, 2e-6, 1e-5},
               {"sliding arm", sliding_arm, prepare_arm, 5, 2e-6, 1e-5},
               {"coupled arm", coupled_arm, prepare_arm, 6, 2e-6, 1e-5}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct scene scene;
    struct gradient_problem problem;
    cases[k].add(&scene);
    scene_create(&scene);
    start_gradient(&problem, &scene, cases[k].steps, cases[k].prepare);
    if (cases[k].add == sliding_arm) {
      check_every_slice(&problem);
      CHECK_NEAR(direct_products_apart(&problem, problem.trajectory), 0, 1e-14);  // 1e-16 observed
    }
    double apart = products_apart(&problem, problem.trajectory);
    CHECK(apart <= 1e-12, "%s: products apart by %g", cases[k].name, apart);  // 1.7e-14 observed
    check_block(&problem, cases[k].name, 1e-12);
    check_components(&problem, cases[k].name, cases[k].step, 1e-6);  // 1.4e-7 observed (friction), else 1.1e-7
    check_directions(&problem, cases[k].name, cases[k].step, 1e-6, cases[k].taylor);
    end_gradient(&problem);
    scene_end(&scene);
  }
}

struct force_problem {
  struct step_problem step;
  struct dc_trajectory *trajectory;
  double weights[MOST_V];
};

static double weighted_force(struct force_problem *problem)
{
  const struct dc_model *model = &problem->step.scene.model;
  double forces[MOST_V], sum = 0;
  dc_rollout_actuator_forces(model, problem->step.input, problem->trajectory, 0, forces);
  for (int i = 0; i < model->bodies.actuator_count; i++)
    sum += problem->weights[i] * forces[i];
  return sum;
}

// Along a move of frame k, or of *number.
static double force_difference(struct force_problem *problem, int frame, int i, double *number)
{
  const double step = 1e-4, weights[4] = {8, -8, -1, 1}, moves[4] = {1, -1, 2, -2};
  const struct dc_bodies *bodies = &problem->step.scene.model.bodies;
  double *q = problem->trajectory->q + frame * bodies->nq, kept[MOST_Q], tangent[MOST_V] = {0}, sum = 0;
  double start = number ? *number : 0;
  memcpy(kept, q, (size_t)bodies->nq * sizeof *q);
  for (int end = 0; end < 4; end++) {
    if (number) {
      *number = start + step * moves[end];
    } else {
      tangent[i] = 1;
      dc_state_move(bodies, kept, step * moves[end], tangent, q);
    }
    sum += weights[end] * weighted_force(problem);
  }
  if (number)
    *number = start;
  memcpy(q, kept, (size_t)bodies->nq * sizeof *q);
  return sum / (12 * step);
}

// Minus the derivative of the actuators' energy, entry by entry.
static void check_forces(struct force_problem *problem)
{
  const double step = 1e-5;
  const struct dc_bodies *bodies = &problem->step.scene.model.bodies;
  double forces[MOST_V], worst = 0;
  dc_rollout_actuator_forces(&problem->step.scene.model, problem->step.input, problem->trajectory, 0, forces);
  for (int i = 0; i < bodies->count; i++)
    for (int k = 0; k < bodies->bodies[i].nv && bodies->bodies[i].pd; k++) {
      double kept[MOST_Q], tangent[MOST_V] = {0}, ends[2], unused;
      memcpy(kept, problem->step.q[2], sizeof kept);
      tangent[bodies->bodies[i].v_offset + k] = 1;
      for (int side = 0; side < 2; side++) {
        dc_state_move(bodies, kept, side ? -step : step, tangent, problem->step.q[2]);
        struct dc_step_state state = evaluate(&problem->step, &unused);
        ends[side] = dc_actuator_term.value(&state);
      }
      memcpy(problem->step.q[2], kept, sizeof kept);
      worst = larger(worst, fabs((ends[0] - ends[1]) / (2 * step) + forces[bodies->bodies[i].actuator + k]));
    }
  CHECK_NEAR(worst, 0, 1e-9);  // 9.6e-12 observed
}

static void test_actuator_forces(void)
{
  struct force_problem problem;
  struct dc_random random;
  dc_random_seed(&random, 81);
  start_step(&problem.step, 5);
  const struct dc_model *model = &problem.step.scene.model;
  struct dc_rollout_input *input = problem.step.input;
  int nv = model->bodies.nv, actuators = model->bodies.actuator_count, count = model->bodies.count;
  problem.trajectory = dc_trajectory_create(model, 1);
  memcpy(problem.trajectory->q, problem.step.q[1], (size_t)model->bodies.nq * sizeof(double));
  memcpy(problem.trajectory->q + model->bodies.nq, problem.step.q[2], (size_t)model->bodies.nq * sizeof(double));
  for (int i = 0; i < count; i++) {
    input->design.kp_scale[i] = 0.5 + dc_random_uniform(&random);
    input->design.kd_scale[i] = 0.5 + dc_random_uniform(&random);
  }
  random_vector(&random, actuators, 1, problem.weights);
  check_forces(&problem);
  double now[MOST_V] = {0}, next[MOST_V] = {0}, worst = 0;
  struct dc_rollout_cotangent *cotangent = dc_rollout_cotangent_create(model, 1);
  dc_rollout_actuator_pull_back(model, input, problem.trajectory, 0, problem.weights, now, next, cotangent);
  for (int i = 0; i < nv; i++) {
    worst = larger(worst, fabs(force_difference(&problem, 0, i, NULL) - now[i]));
    worst = larger(worst, fabs(force_difference(&problem, 1, i, NULL) - next[i]));
  }
  for (int i = 0; i < actuators; i++) {
    worst = larger(worst,
                   fabs(force_difference(&problem, 0, 0, input->target_position + i) - cotangent->target_position[i]));
    worst = larger(worst,
                   fabs(force_difference(&problem, 0, 0, input->target_velocity + i) - cotangent->target_velocity[i]));
  }
  for (int i = 0; i < count; i++) {
    worst = larger(worst,
                   fabs(force_difference(&problem, 0, 0, input->design.kp_scale + i) - cotangent->design.kp_scale[i]));
    worst = larger(worst,
                   fabs(force_difference(&problem, 0, 0, input->design.kd_scale + i) - cotangent->design.kd_scale[i]));
  }
  CHECK_NEAR(worst, 0, 1e-9);  // 1.5e-11 observed
  dc_rollout_cotangent_destroy(cotangent);
  dc_trajectory_destroy(problem.trajectory);
  end_step(&problem.step);
}

// I (a+ - 2a + a-)/h^2 + m g l a+ = 0 for small angles, whose roots are z = exp(+-i phi)/sqrt(1 + h^2 w^2),
// tan phi = h w, w^2 = m g l/I.
static void test_small_swings(void)
{
  const double angle = 1e-5, h = 0.01, mass = 0.5, length = 0.2;
  struct scene scene;
  pendulum(&scene, 1, 1, &angle);
  scene.definition.time.step = h;
  scene_create(&scene);
  dc_rollout_set_tight(scene.rollout, true);
  struct dc_trajectory *trajectory = scene_roll(&scene, 400);
  double inertia = mass * (length * length + (0.06 * 0.06 + 0.36 * 0.36) / 12);
  double w = sqrt(mass * STANDARD_GRAVITY * length / inertia), phi = atan(h * w), decay = 1 / sqrt(1 + h * h * w * w),
         worst = 0;
  // a_0 = a_-1 = angle: a_n = decay^n (angle cos(n phi) + c sin(n phi))
  double c = angle * (cos(phi) - decay) / sin(phi);
  for (int n = 0; n <= 400; n++) {
    double expected = pow(decay, n) * (angle * cos(n * phi) + c * sin(n * phi));
    worst = larger(worst, fabs(frame_of(trajectory, n)[0] - expected));
  }
  CHECK_NEAR(worst / angle, 0, 1e-9);  // 4.1e-11 observed: angle^2 and rounding
  double first = NAN, last = NAN;
  int crossings = 0;
  for (int n = 1; n <= 400; n++) {
    double before = frame_of(trajectory, n - 1)[0], after = frame_of(trajectory, n)[0];
    if (before * after > 0)
      continue;
    last = h * (n - 1 + before / (before - after));
    first = crossings++ ? first : last;
  }
  double period = 2 * (last - first) / (crossings - 1);
  CHECK_NEAR(period * w / (2 * M_PI), 1, 2e-3);  // 1.28e-3 observed: h w / atan(h w) - 1
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

static double height_energy(const struct scene *scene, const struct dc_trajectory *trajectory, int frame)
{
  const struct dc_bodies *bodies = &scene->model.bodies;
  struct dc_pose poses[SCENE_BODIES];
  double sum = 0;
  dc_poses(bodies, frame_of(trajectory, frame), poses);
  for (int i = 0; i < bodies->count; i++)
    sum += bodies->bodies[i].mass * STANDARD_GRAVITY * poses[i].position[2];
  return sum;
}

// Energy of a passive chain never rises, from several starts.
static void test_passive_energy(void)
{
  const double starts[4][3] = {{1.5, 0.3, -0.2}, {3, 0.1, 0}, {-2, 2.5, 1}, {1.2, -0.9, 2}};
  for (int k = 0; k < 4; k++)
    for (int links = 2; links <= 3; links++) {
      struct scene scene;
      pendulum(&scene, links, 2, starts[k]);
      for (int i = 0; i < links; i++)
        scene.bodies[i].filter.collide = false;
      scene.definition.time.step = 0.01;
      scene_create(&scene);
      dc_rollout_set_tight(scene.rollout, true);
      struct dc_trajectory *trajectory = scene_roll(&scene, 200);
      double before = INFINITY, rise = 0, lowest = INFINITY;
      for (int n = 0; n < 200; n++) {
        double energy = kinetic_energy(&scene, trajectory, n) + height_energy(&scene, trajectory, n + 1);
        rise = larger(rise, energy - before);
        before = energy;
        lowest = fmin(lowest, height_energy(&scene, trajectory, n + 1));
      }
      CHECK_NEAR(rise, 0, 1e-12);  // 0 observed: falls in every step
      CHECK(lowest < height_energy(&scene, trajectory, 0) - 0.5, "start %d swings", k);
      dc_trajectory_destroy(trajectory);
      scene_end(&scene);
    }
}

// Nothing outside acts on three bodies, two of them on a hinge of a floating pair that a ball hits.
static void test_momentum(void)
{
  for (int hinged = 0; hinged < 2; hinged++) {
    struct scene scene;
    scene_begin(&scene);
    int rod = scene_box(&scene, 0.3, 0.08, 0.06, 2, 1, 1), ball = scene_sphere(&scene, 0.1, 1, "icosahedron");
    struct dc_body_definition *a = scene_body(&scene, "a", rod, 0.4, 0, 0, 0);
    struct dc_body_definition *b = scene_body(&scene, "b", rod, 0.3, 0.34, 0, 0.01);
    struct dc_body_definition *c = scene_body(&scene, "c", ball, 0.5, 0.36, -0.5, 0.03);
    if (hinged) {
      definition_joints(scene.arena, b, "universal");
      b->parent = 0;
      mechanism_vector(b->anchor, 0.17, 0, 0);
      mechanism_vector(b->axis, 0, 0, 1);
    }
    c->velocity[1] = 3;
    a->angular_velocity[0] = 2;
    scene_create(&scene);
    dc_rollout_set_tight(scene.rollout, true);
    struct dc_trajectory *trajectory = scene_roll(&scene, 30);
    double largest = 0, worst = 0;
    for (int n = 1; n < 30; n++) {
      double rate[6], size;
      momentum_rates(&scene, trajectory, n, rate, &size);
      largest = larger(largest, size);
      worst = larger(worst, larger(dc_vec_norm(rate), dc_vec_norm(rate + 3)));
    }
    CHECK(largest > 3, "they have met: %g N", largest);
    CHECK_NEAR(worst / largest, 0, 1e-12);  // 2.5e-14 observed
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
}

// A pendulum that falls against the end of its range and a block that slides against one.
static void test_ends_of_ranges(void)
{
  struct scene scene;
  pendulum(&scene, 1, 1, (const double[]){1.4});
  scene.bodies[0].range[0] = -0.2, scene.bodies[0].range[1] = 1.5;
  struct dc_body_definition *block =
      mechanism_link(&scene, "block", "slide", -1, scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1), 2);
  mechanism_vector(block->position, 3, 0, 0);
  mechanism_vector(block->axis, 1, 0, 0);
  block->range[0] = -1, block->range[1] = 1;
  mechanism_numbers(&scene, &block->joint_velocity, 1, (const double[]){60});
  scene_create(&scene);
  struct dc_trajectory *trajectory = scene_roll(&scene, 100);
  double low = INFINITY, high = -INFINITY;
  for (int n = 0; n <= 100; n++) {
    const double *q = frame_of(trajectory, n);
    CHECK(q[0] > -0.2 && q[0] < 1.5 && q[1] > -1 && q[1] < 1, "frame %d: %g, %g", n, q[0], q[1]);
    low = fmin(low, q[0]), high = larger(high, q[1]);
  }
  CHECK(low < -0.2 + 0.085, "the barrier acted: %g", low);
  CHECK(high > 0.9, "the barrier acted: %g", high);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// At rest kp (y - q) carries the weight; without kp the velocity becomes that asked for; a ball turns to its target.
static void test_actuated_rest(void)
{
  struct scene scene;
  scene_begin(&scene);
  mechanism_vector(scene.definition.gravity, 0, 0, -STANDARD_GRAVITY);
  int shape = scene_box(&scene, 0.1, 0.2, 0.3, 1, 1, 1);
  static const char *const types[3] = {"slide", "slide", "ball"};
  for (int i = 0; i < 3; i++) {
    struct dc_body_definition *body = mechanism_link(&scene,
                                                     i == 0   ? "lift"
                                                     : i == 1 ? "belt"
                                                              : "head",
                                                     types[i], -1, shape, 0.8);
    mechanism_vector(body->position, 2 * i, 0, 0);
    if (i == 1)
      mechanism_vector(body->axis, 0, 1, 0);
    mechanism_pd(&scene, body, i == 1 ? 0 : 40, i == 1 ? 20 : 8, i == 2 ? 2 : NAN, i == 2 ? 0.2 : NAN);
    body->filter.collide = false;
  }
  scene_create(&scene);
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene.model, 300);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 300);
  for (int t = 0; t < 300; t++) {
    const double target[5] = {0.5, 0, 1, -1.2, 1.1};
    memcpy(input->target_position + 5 * t, target, sizeof target);
    input->target_velocity[5 * t + 1] = 0.3;
  }
  dc_rollout_set_tight(scene.rollout, true);
  CHECK(dc_rollout_forward(scene.rollout, input, trajectory, &scene.error) == DC_OK, "%s", scene.error.text);
  const double *last = frame_of(trajectory, 300), *before = frame_of(trajectory, 299);
  double turn[3];
  const double target[3] = {1, -1.2, 1.1};
  CHECK(trajectory->unconverged_steps == 0, "%d", trajectory->unconverged_steps);
  // below 1e-14 observed
  CHECK_NEAR(last[0], 0.5 - 0.8 * STANDARD_GRAVITY / 40, 1e-12);
  CHECK_NEAR((last[1] - before[1]) / 0.04, 0.3, 1e-12);
  dc_rotation_log(turn, last + 2);
  CHECK_NEAR(dc_vec_distance(turn, target), 0, 1e-12);
  dc_rollout_input_destroy(input);
  dc_trajectory_destroy(trajectory);
  scene_end(&scene);
}

// A slide of 2 kg from 1 m/s after one step of 0.01 s, against what implicit Euler makes of its passive forces:
// (m + a) (v' - v)/h = -k (h v' - rest) - c v' - f + F.
static void test_passive_step(void)
{
  struct scene scene;
  const double h = 0.01, k = 30, rest = 0.1, c = 4, a = 1, f = 3, force = 0.7;
  scene_begin(&scene);
  mechanism_vector(scene.definition.gravity, 0, 0, 0);
  struct dc_body_definition *body =
      mechanism_link(&scene, "slide", "slide", -1, scene_box(&scene, 1, 1, 1, 1, 1, 1), 2);
  struct dc_joint_definition *joint = (struct dc_joint_definition *)body->joint.objects;
  joint->stiffness = k, joint->rest = rest, joint->damping = c, joint->armature = a, joint->dry_friction = f;
  joint->force = force;
  mechanism_numbers(&scene, &body->joint_velocity, 1, (const double[]){1});
  scene.definition.time.step = h;
  scene_create(&scene);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 1);
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene.model, 1);
  CHECK(input && trajectory, "memory");
  CHECK(dc_rollout_forward(scene.rollout, input, trajectory, &scene.error) == DC_OK, "%s", scene.error.text);
  double v = ((2 + a) / h * 1 + k * rest - f + force) / ((2 + a) / h + k * h + c);
  CHECK_NEAR(trajectory->q[trajectory->nq], h * v, 1e-12);
  dc_trajectory_destroy(trajectory);
  dc_rollout_input_destroy(input);
  scene_end(&scene);
}

RUN_TESTS({"step potential of an arm", test_step_potential}, {"adjoint against differences", test_adjoint},
          {"forces of actuators", test_actuator_forces}, {"a step of a passive joint", test_passive_step},
          {"small swings", test_small_swings}, {"passive chains lose energy", test_passive_energy},
          {"momentum of three bodies", test_momentum}, {"ends of ranges", test_ends_of_ranges},
          {"actuators at rest", test_actuated_rest})
