// SPDX-License-Identifier: Apache-2.0
// The integrator "second_order": derivatives in every slice of the input through joints of all kinds, contact, friction
// and divided steps; going on from a state; what it refuses.
#include "harness.h"

#include "gradients.h"
#include "mechanisms.h"

static void prepare(const struct dc_model *model, struct dc_rollout_input *input)
{
  struct dc_random random;
  dc_random_seed(&random, 73);
  arm_targets(model, input);
  for (int i = 0; i < model->bodies.nv; i++)
    input->velocity[i] += 0.6 * (dc_random_uniform(&random) - 0.5);
}

static void rough_arm(struct scene *scene)
{
  arm(scene);
  scene->definition.contact.friction = 0.5;
  scene->definition.contact.friction_smoothing = 0.3;
}

// Limited forces that turn light links by radians in 0.04 s.
static void short_steps(struct scene *scene)
{
  limited_arm(scene);
  scene->definition.time.step = 0.01;
}

// A body of three different moments, turning fast, and a chain under a free body.
static void tumbling(struct scene *scene)
{
  struct dc_random random;
  dc_random_seed(&random, 44);
  scene_begin(scene);
  mechanism_vector(scene->definition.gravity, 0.5, -0.3, -9.8);
  scene->definition.contact.stiffness = 1e-4;
  int box = scene_box(scene, 0.2, 0.12, 0.05, 1, 1, 1);
  struct dc_body_definition *body = scene_body(scene, "free", box, 0.4, 0, 0, 0);
  random_rotation(&random, body->rotation);
  random_vector(&random, 3, 12, body->angular_velocity);
  struct dc_body_definition *base = scene_body(scene, "base", box, 0.4, 0.5, 0, 0);
  random_vector(&random, 3, 8, base->angular_velocity);
  struct dc_body_definition *tail = mechanism_link(scene, "tail", "ball", 1, box, 0.2);
  mechanism_vector(tail->position, 0.8, 0.05, 0);
  mechanism_vector(tail->anchor, 0.65, 0, 0);
}

// Two balls that meet so fast that steps are divided.
static void collision(struct scene *scene)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  scene_begin(scene);
  mechanism_vector(scene->definition.gravity, 0, 0, -9.8);
  scene->definition.contact.stiffness = 1e-6;
  scene->definition.contact.friction = 0.4;
  scene->definition.contact.friction_smoothing = 0.3;
  int ball = scene_sphere(scene, 0.1, 0, "icosahedron");
  for (int side = 0; side < 2; side++) {
    double sign = side ? 1 : -1;
    struct dc_body_definition *body = scene_body(scene, side ? "b" : "a", ball, 1, sign, side * 0.03, 0);
    body->velocity[0] = -sign * 20;
    random_rotation(&random, body->rotation);
    random_vector(&random, 3, 3, body->angular_velocity);
  }
}

// A box, and a chain whose end is held at a corner of it: a loop of two mechanisms.  stiffness: NAN of the tie's own
// choice.
static void hold_together(struct scene *scene, double stiffness)
{
  static struct dc_tie tie;
  int box = scene_box(scene, 0.2, 0.12, 0.05, 1, 1, 1), first = scene->definition.body_count;
  scene_body(scene, "block", box, 0.4, 3, 0, 3)->velocity[1] = 0.5;
  scene_body(scene, "base", box, 0.5, 3.5, 0, 3)->angular_velocity[1] = 3;
  struct dc_body_definition *tail = mechanism_link(scene, "tail", "ball", first + 1, box, 0.2);
  mechanism_vector(tail->position, 3.25, 0, 3.05);
  mechanism_vector(tail->anchor, 3.4, 0, 3);
  struct dc_body_definition *corner = mechanism_link(scene, "corner", "fixed", first, box, 0.1);
  mechanism_vector(corner->position, 3.25, 0, 3.05);
  for (int i = 0; i < 4; i++)
    scene->bodies[first + i].filter.collide = false;
  tie = (struct dc_tie){.body = first + 3, .to = first + 2, .stiffness = stiffness};
  scene->definition.ties = &tie;
  scene->definition.tie_count = 1;
}

static void loop(struct scene *scene)
{
  arm(scene);
  scene->definition.time.step = 0.01;
  hold_together(scene, NAN);
}

static void divided_loop(struct scene *scene)
{
  collision(scene);
  hold_together(scene, NAN);
}

static void divided_spring(struct scene *scene)
{
  collision(scene);
  hold_together(scene, 2000);
}

static const struct {
  const char *name;
  void (*add)(struct scene *scene);
  int steps;
  double step, taylor;
  bool components, divided;
} scenes[] = {{"arm", arm, 5, 1e-5, 1e-4, false, false},
              {"arm with friction", rough_arm, 5, 1e-5, 1e-4, false, false},
              {"coupled arm", coupled_arm, 5, 1e-5, 1e-4, false, false},
              {"passive arm", passive_arm, 5, 1e-5, 1e-4, false, false},
              {"limited arm", short_steps, 5, 1e-5, 1e-4, false, false},
              {"tumbling", tumbling, 5, 1e-5, 1e-3, true, false},
              {"loop", loop, 5, 1e-6, 1e-4, false, false},
              {"divided", collision, 3, 1e-6, 1e-4, false, true},
              {"divided loop", divided_loop, 3, 1e-6, 1e-4, false, true},
              {"divided spring", divided_spring, 3, 1e-6, 1e-4, false, true}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void begin(int k, struct scene *scene, struct gradient_problem *problem)
{
  scenes[k].add(scene);
  scene->definition.time.integrator = DC_SECOND_ORDER;
  scene_create(scene);
  start_gradient(problem, scene, scenes[k].steps, scenes[k].divided ? NULL : prepare);
  bool divided = dc_trajectory_divided_steps(problem->trajectory) > 0;
  CHECK(divided == scenes[k].divided, "%s: divided %d", scenes[k].name, divided);
}

static void test_gradients(void)
{
  for (int k = 0; k < SCENES; k++) {
    struct scene scene;
    struct gradient_problem problem;
    begin(k, &scene, &problem);
    double apart = products_apart(&problem, problem.trajectory);
    CHECK(apart <= (scenes[k].divided ? 1e-9 : 1e-10), "%s: products apart by %g", scenes[k].name, apart);
    check_block(&problem, scenes[k].name, scenes[k].divided ? 1e-9 : 1e-10);
    if (scenes[k].components)
      check_components(&problem, scenes[k].name, scenes[k].step, 1e-6);
    else
      check_directions(&problem, scenes[k].name, scenes[k].step, 1e-6, scenes[k].taylor);
    end_gradient(&problem);
    scene_end(&scene);
  }
}

// A rollout that goes on from a state and the one before it has the bits of the rollout it goes on from.
static void test_going_on(void)
{
  for (int k = 0; k < SCENES; k++) {
    struct scene scene;
    struct gradient_problem problem;
    begin(k, &scene, &problem);
    const struct dc_trajectory *whole = problem.trajectory;
    int from = scenes[k].steps - 1, nq = whole->nq;
    double at;
    struct dc_trajectory *rest = dc_trajectory_create(&scene.model, 1);
    struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 1);
    memcpy(input->q, frame_of(whole, from), (size_t)nq * sizeof(double));
    input->q_before = dc_trajectory_state(whole, from - 1, dc_trajectory_substeps(whole, from - 1) - 1, &at);
    input->before_length = whole->time_step * (1 - at);
    size_t actuators = (size_t)scene.model.bodies.actuator_count;
    memcpy(input->target_position, problem.input->target_position + (size_t)from * actuators,
           actuators * sizeof(double));
    memcpy(input->target_velocity, problem.input->target_velocity + (size_t)from * actuators,
           actuators * sizeof(double));
    enum dc_status status = dc_rollout_forward(scene.rollout, input, rest, &scene.error);
    CHECK(status == DC_OK, "%s", scene.error.text);
    double worst = 0;
    for (int i = 0; i < nq; i++)
      worst = larger(worst, fabs(frame_of(rest, 1)[i] - frame_of(whole, from + 1)[i]));
    CHECK(worst <= 1e-12, "%s: apart by %g", scenes[k].name, worst);
    dc_trajectory_destroy(rest);
    dc_rollout_input_destroy(input);
    end_gradient(&problem);
    scene_end(&scene);
  }
}

// The forces of drives that are told are those that move: half of what is told of both steps at a frame changes the
// momentum there, with a limit of the force and without.
static void test_readings(void)
{
  enum { STEPS = 12 };
  for (double effort = 0; effort < 4; effort += 3) {
    struct scene scene;
    double force[STEPS];
    scene_begin(&scene);
    mechanism_vector(scene.definition.gravity, 0, 0, 0);
    scene.definition.time.integrator = DC_SECOND_ORDER;
    scene.definition.time.step = 0.02;
    struct dc_body_definition *cart = mechanism_link(&scene, "cart", "slide", -1, scene_box(&scene, 0.1, 0.1, 0.1, 1, 1, 1), 2);
    mechanism_vector(cart->axis, 1, 0, 0);
    mechanism_numbers(&scene, &cart->joint_velocity, 1, (const double[]){3});
    mechanism_pd(&scene, cart, 300, 5, NAN, NAN);
    cart->pd->effort = effort;
    scene_create(&scene);
    struct dc_trajectory *trajectory = scene_roll(&scene, STEPS);
    struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, STEPS);
    for (int step = 0; step < STEPS; step++)
      dc_rollout_actuator_forces(&scene.model, input, trajectory, step, &force[step]);
    for (int t = 1; t < STEPS; t++) {
      double push = 2 * (*frame_of(trajectory, t + 1) - 2 * *frame_of(trajectory, t) + *frame_of(trajectory, t - 1)) / (0.02 * 0.02);
      CHECK(fabs(push - 0.5 * (force[t] + force[t - 1])) < 1e-6 && fabs(force[0]) > 2, "limit %g, frame %d: %g N, told %g and %g", effort, t, push, force[t - 1], force[t]);
    }
    dc_rollout_input_destroy(input);
    dc_trajectory_destroy(trajectory);
    scene_end(&scene);
  }
}

// Sines of turns beyond a right angle are those of smaller ones: a body that turns so far in a step is named.
static void test_turns(void)
{
  struct scene scene;
  scene_begin(&scene);
  scene.definition.time.integrator = DC_SECOND_ORDER;
  struct dc_body_definition *body = scene_body(&scene, "wheel", scene_box(&scene, 0.2, 0.2, 0.1, 1, 1, 1), 1, 0, 0, 0);
  body->angular_velocity[2] = 50;  // 2 rad in a step
  scene_create(&scene);
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene.model, 1);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 1);
  enum dc_status status = dc_rollout_forward(scene.rollout, input, trajectory, &scene.error);
  CHECK(status == DC_NUMERICAL && strstr(scene.error.text, "\"wheel\" turns by 2 rad"), "%s", scene.error.text);
  dc_trajectory_destroy(trajectory);
  dc_rollout_input_destroy(input);
  scene_end(&scene);
}

RUN_TESTS({"adjoint and tangent against differences", test_gradients}, {"going on from a state", test_going_on},
          {"forces of drives that are told", test_readings}, {"a turn that is too large is named", test_turns})
