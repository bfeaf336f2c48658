// SPDX-License-Identifier: Apache-2.0
// Newton's steps of nodes: what they leave of the gradient of the model that they minimize, by the terms themselves; and
// systems that are solved by conjugate gradients against a factorization.
#include "harness.h"

#include "dynamics/node_newton.h"
#include "step_state.h"

enum { MOST = 400 };

struct problem {
  struct scene scene;
  struct dc_rollout_input *input;
  struct dc_step_state state;
  double before[MOST], now[MOST], next[MOST], gradient[MOST];
  double wrenches[SCENE_BODIES][6];
};

// A block of 75 nodes that comes down on a plane at an angle; its lowest nodes are at a gap, m; speed in units of 2 m/s.
static void start(struct problem *problem, double friction, double gap, double speed)
{
  struct scene *scene = &problem->scene;
  double tangent[MOST];
  memset(problem, 0, sizeof *problem);
  scene_begin(scene);
  scene->definition.time.step = 0.005;
  scene->definition.contact.friction = friction;
  scene->definition.gravity[2] = -9.8;
  scene_body(scene, "floor", scene_plane(scene), 0, 0, 0, 0);
  struct dc_body_definition *block = scene_body(scene, "block", -1, 1, 0, 0, 0.02 + gap);
  struct dc_soft_definition *soft = dc_arena_alloc(scene->arena, 1, sizeof *soft);
  CHECK(!dc_options_set_defaults(dc_soft_options, soft, scene->arena, NULL), "soft");
  block->soft = soft;
  block->mass = NAN;
  static double size[] = {0.1, 0.1, 0.04}, cells[] = {4, 4, 2};
  soft->size = (struct dc_real_list){3, size};
  soft->cells = (struct dc_real_list){3, cells};
  soft->young = 2e4;
  soft->barrier = 1e-3;  // so that normal forces at the start hold nodes
  soft->self_contact = false;
  scene_create(scene);
  int nv = scene->model.bodies.nv;
  CHECK(nv == 225 && scene->rollout->node_newton, "%d", nv);
  problem->input = dc_rollout_input_create(&scene->model, 1);
  memcpy(problem->now, problem->input->q, (size_t)nv * sizeof *problem->now);
  for (int k = 0; k < nv; k++) {
    tangent[k] = speed * (k % 3 == 2 ? -0.01 : k % 3 ? 0.002 : 0.007);
    problem->before[k] = problem->now[k] - tangent[k];
  }
  dc_node_bound_each(&scene->model, problem->now, tangent);
  for (int k = 0; k < nv; k++)
    problem->next[k] = problem->now[k] + tangent[k];
  problem->state =
      step_state_at(scene, problem->input, whole_step(scene, 0), problem->before, problem->now, problem->next);
  evaluate_state(scene, &problem->state);
  struct dc_step_forces forces = {problem->wrenches, problem->gradient};
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_gradient(&problem->state, &forces);
}

static void end(struct problem *problem)
{
  dc_rollout_input_destroy(problem->input);
  scene_end(&problem->scene);
}

// The Hessian, made positive semidefinite as in a step that begins far from its end, into the rollout's matrix.
static void assemble(struct problem *problem, bool laws_apart)
{
  struct dc_rollout *rollout = problem->scene.rollout;
  struct dc_step_hessian hessian = {.blocks = rollout->blocks,
                                    .assembler = rollout->assembler,
                                    .kinematics = &rollout->next,
                                    .matrix = rollout->matrix};
  problem->state.laws_apart = laws_apart;
  dc_step_assemble(&problem->state, false, NULL, &hessian);
}

// Adds the gradient of barriers and friction at q, times sign.
static void add_contact(struct problem *problem, const double *q, double sign, double *sum)
{
  double contact[MOST] = {0};
  struct dc_step_state state = problem->state;
  struct dc_step_forces forces = {problem->wrenches, contact};
  state.q_next = q;
  dc_node_contact_term.add_gradient(&state, &forces);
  for (int k = 0; k < problem->scene.model.bodies.nv; k++)
    sum[k] += sign * contact[k];
}

static double largest_of(const double *numbers, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++)
    largest = fmax(largest, fabs(numbers[i]));
  return largest;
}

// How fast nodes at the plane slide, m/s: the slowest and the fastest.
static void sliding_speeds(const struct problem *problem, const double *q, double speeds[2])
{
  speeds[0] = INFINITY;
  speeds[1] = 0;
  for (int k = 0; k < problem->scene.model.bodies.nv; k += 3) {
    double way = hypot(q[k] - problem->now[k], q[k + 1] - problem->now[k + 1]) / problem->scene.definition.time.step;
    if (q[k + 2] > 1e-3)
      continue;
    speeds[0] = fmin(speeds[0], way);
    speeds[1] = fmax(speeds[1], way);
  }
}

static void check_step(double friction, double gap, double speed, bool sticks)
{
  static struct problem problem;
  double allowed[MOST], step[MOST], left[MOST], q[MOST], speeds[2];
  start(&problem, friction, gap, speed);
  struct dc_rollout *rollout = problem.scene.rollout;
  int nv = problem.scene.model.bodies.nv;
  for (int k = 0; k < nv; k++)
    allowed[k] = 1e-12;
  assemble(&problem, true);
  struct dc_node_step done =
      dc_node_newton_step(rollout->node_newton, &problem.state, rollout->matrix, problem.gradient, allowed, step);
  dc_symmetric_multiply(rollout->matrix, step, left);
  for (int k = 0; k < nv; k++) {
    left[k] += problem.gradient[k];
    q[k] = problem.next[k] + step[k];
  }
  add_contact(&problem, problem.next, -1, left);
  add_contact(&problem, q, 1, left);
  double part = largest_of(left, nv) / largest_of(problem.gradient, nv);
  sliding_speeds(&problem, q, speeds);
  printf("# friction %g: %d iterations, %d products, %.1e is left, nodes slide at %.2g to %.2g m/s\n", friction,
         done.iterations, done.products, part, speeds[0], speeds[1]);
  // observed 2 and 6
  CHECK(done.positive && done.iterations <= 4 && done.products <= 12, "%d iterations", done.iterations);
  CHECK(part <= 1e-3, "%g is left", part);  // what is asked for; observed 1e-4
  CHECK(dc_node_contact_term.gap(rollout, q) > 0, "through the plane");
  // observed 0.002, and 0.48
  CHECK(sticks ? speeds[0] < 1e-2 : speeds[0] > 0.1, "the slowest slides at %g m/s", speeds[0]);
  end(&problem);
}

static void test_steps(void)
{
  check_step(0, 1e-4, 1, false);
  check_step(0.2, 1e-4, 1, false);
  check_step(4, 1e-4, 1, true);
  check_step(0.2, 1e-6, 0, true);  // pushed off by barriers
}

static void test_systems(void)
{
  static struct problem problem;
  double b[MOST], x[MOST], y[MOST], apart[MOST];
  struct dc_random random;
  start(&problem, 0.5, 1e-4, 1);
  struct dc_rollout *rollout = problem.scene.rollout;
  int nv = problem.scene.model.bodies.nv;
  dc_random_seed(&random, 4);
  for (int k = 0; k < nv; k++)
    x[k] = b[k] = dc_random_normal(&random);
  assemble(&problem, false);
  CHECK(dc_node_newton_answer(rollout->node_newton, rollout->matrix, x), "not solved");
  CHECK(!dc_symmetric_factor_positive(rollout->matrix), "indefinite");
  dc_symmetric_solve(rollout->matrix, b, y, NULL);
  for (int k = 0; k < nv; k++)
    apart[k] = x[k] + y[k];
  printf("# solutions are %.1e apart\n", largest_of(apart, nv) / largest_of(y, nv));
  CHECK_NEAR(largest_of(apart, nv) / largest_of(y, nv), 0, 1e-11);  // observed 2e-14
  CHECK(!dc_node_newton_prefers_iterations(rollout->node_newton, 1), "75 nodes");
  dc_symmetric_add_diagonal(rollout->matrix, -10 * dc_symmetric_norm(rollout->matrix));
  memcpy(x, b, sizeof x);
  CHECK(!dc_node_newton_answer(rollout->node_newton, rollout->matrix, x), "indefinite");
  CHECK(memcmp(x, b, (size_t)nv * sizeof *x) == 0, "the right-hand side is lost");
  end(&problem);
}

RUN_TESTS({"steps", test_steps}, {"systems", test_systems})
