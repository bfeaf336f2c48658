// SPDX-License-Identifier: Apache-2.0
// Terms of the step potential away from any stationary point: gradient, Hessian and mixed derivatives against
// differences of value and gradient.
#include "harness.h"

#include "dynamics/step.h"
#include "scenes.h"

enum { TERM_BODIES = 3, TERM_NV = 12, TERM_DESIGN = 1 + 3 + TERM_BODIES };

struct term_problem {
  struct scene scene;
  struct dc_contact *contact;
  struct dc_rollout_input *input;
  struct dc_pair_derivatives pairs[8];
  struct dc_pose poses[3][SCENE_BODIES];
  double q[3][14];  // t-1, t, t+1
  double block_sums[SCENE_BODIES][36];
};

static struct dc_step_state term_state(struct term_problem *problem, const struct dc_step_term *term)
{
  for (int k = 0; k < 3; k++)
    dc_poses(&problem->scene.model.bodies, problem->q[k], problem->poses[k]);
  struct dc_step_state state = {.model = &problem->scene.model,
                                .design = &problem->input->design,
                                .before = problem->poses[0],
                                .now = problem->poses[1],
                                .next = problem->poses[2],
                                .pair_count = dc_contact_pair_count(problem->contact),
                                .pair_bodies = dc_contact_pairs(problem->contact),
                                .pairs = problem->pairs,
                                .block_sums = problem->block_sums};
  if (term == &dc_contact_term)
    state.contact_energy = dc_contact_evaluate(problem->contact, problem->poses[2], 2, problem->pairs);
  return state;
}

// Number i of the design: stiffness, gravity, masses.
static double *design_number(struct dc_design *design, int i)
{
  return i == 0 ? &design->stiffness_scale : i < 4 ? &design->gravity[i - 1] : &design->body_mass_scale[i - 4];
}

// Central difference of value (gradient NULL) or gradient [TERM_NV] for a move of frame k (or of the design, k = 3)
// along coordinate i.
static double term_difference(struct term_problem *problem, const struct dc_step_term *term, int k, int i,
                              double *gradient)
{
  double kept[14], step = 1e-5, values[2], both[2][TERM_NV] = {{0}};
  double *number = k == 3 ? design_number(&problem->input->design, i) : NULL, start = number ? *number : 0;
  if (k < 3)
    memcpy(kept, problem->q[k], sizeof kept);
  for (int side = 0; side < 2; side++) {
    double tangent[TERM_NV] = {0}, move = side ? -step : step;
    if (number) {
      *number = start + move;
    } else {
      tangent[i] = 1;
      dc_state_move(&problem->scene.model.bodies, kept, move, tangent, problem->q[k]);
    }
    struct dc_step_state state = term_state(problem, term);
    values[side] = term->value(&state);
    term->add_gradient(&state, both[side]);
  }
  if (number)
    *number = start;
  else
    memcpy(problem->q[k], kept, sizeof kept);
  for (int j = 0; gradient && j < TERM_NV; j++)
    gradient[j] = (both[0][j] - both[1][j]) / (2 * step);
  return (values[0] - values[1]) / (2 * step);
}

static void start_terms(struct term_problem *problem)
{
  struct dc_random random;
  dc_random_seed(&random, 11);
  memset(problem, 0, sizeof *problem);
  struct scene *scene = &problem->scene;
  scene_begin(scene);
  scene->definition.contact.stiffness = 0.1;
  random_vector(&random, 3, 9, scene->definition.gravity);
  struct dc_body_definition *a = scene_body(scene, "a", scene_box(scene, 0.1, 0.2, 0.35, 1, 1, 1), 0.8, 0, 0, 0.4);
  scene_body(scene, "floor", scene_plane(scene), 0, 0, 0, 0);
  scene_body(scene, "b", scene_sphere(scene, 0.1, 0, "icosahedron"), 0.3, 0.35, 0.1, 0.3);
  random_rotation(&random, a->rotation);
  scene_create(scene);
  problem->input = dc_rollout_input_create(&scene->model);
  problem->input->design.stiffness_scale = 1.3;
  problem->input->design.body_mass_scale[0] = 0.7;
  problem->input->design.body_mass_scale[2] = 1.9;
  problem->contact =
      dc_contact_create(scene->definition.contact_model, &scene->definition.contact, &scene->model.bodies, NULL);
  for (int k = 0; k < 3; k++) {
    double tangent[TERM_NV];
    random_vector(&random, TERM_NV, 0.03, tangent);
    dc_state_move(&scene->model.bodies, problem->input->q, 1, tangent, problem->q[k]);
  }
}

static void end_terms(struct term_problem *problem)
{
  dc_contact_destroy(problem->contact);
  dc_rollout_input_destroy(problem->input);
  scene_end(&problem->scene);
}

static double largest_of(const double *numbers, int count)
{
  double largest = 0;
  for (int i = 0; i < count; i++)
    largest = fmax(largest, fabs(numbers[i]));
  return largest;
}

// The Hessian belongs to the exponential chart: the symmetric part of the differences of the gradient.
static void check_term_hessian(struct term_problem *problem, const struct dc_step_term *term)
{
  const int sizes[2] = {6, 6}, coupled[1][2] = {{0, 1}};
  struct dc_symmetric_matrix *matrix = dc_symmetric_create(2, sizes, 1, coupled, DC_SOLVER_DENSE);
  double differences[TERM_NV][TERM_NV], hessian[TERM_NV][TERM_NV], worst = 0;
  struct dc_step_state state = term_state(problem, term);
  term->add_hessian(&state, true, matrix);
  for (int i = 0; i < TERM_NV; i++) {
    double unit[TERM_NV] = {0};
    unit[i] = 1;
    dc_symmetric_multiply(matrix, unit, hessian[i]);
    term_difference(problem, term, 2, i, differences[i]);
  }
  for (int i = 0; i < TERM_NV; i++)
    for (int j = 0; j < TERM_NV; j++)
      worst = fmax(worst, fabs(hessian[i][j] - 0.5 * (differences[i][j] + differences[j][i])));
  CHECK_NEAR(worst / fmax(1e-3, largest_of(&hessian[0][0], TERM_NV * TERM_NV)), 0, 3e-7);  // 3.5e-8
  dc_symmetric_destroy(matrix);
}

static void check_term_mixed(struct term_problem *problem, const struct dc_step_term *term)
{
  struct dc_random random;
  dc_random_seed(&random, 12);
  double lambda[TERM_NV], states[2][TERM_NV] = {{0}}, scale[TERM_BODIES] = {0}, numbers[2 * TERM_NV + TERM_DESIGN],
                          worst = 0;
  struct dc_design design = {.body_mass_scale = scale};
  struct dc_step_cotangent out = {.before = states[0], .now = states[1], .design = &design};
  random_vector(&random, TERM_NV, 1, lambda);
  struct dc_step_state state = term_state(problem, term);
  term->add_mixed(&state, lambda, &out);
  memcpy(numbers, states, sizeof states);
  for (int i = 0; i < TERM_DESIGN; i++)
    numbers[2 * TERM_NV + i] = *design_number(&design, i);
  for (int i = 0; i < 2 * TERM_NV + TERM_DESIGN; i++) {
    double gradient[TERM_NV], along = 0;
    term_difference(problem, term,
                    i < TERM_NV       ? 0
                    : i < 2 * TERM_NV ? 1
                                      : 3,
                    i < 2 * TERM_NV ? i % TERM_NV : i - 2 * TERM_NV, gradient);
    for (int j = 0; j < TERM_NV; j++)
      along += lambda[j] * gradient[j];
    worst = fmax(worst, fabs(along - numbers[i]));
  }
  CHECK_NEAR(worst / largest_of(numbers, 2 * TERM_NV + TERM_DESIGN), 0, 1e-9);  // 2.2e-11 observed
}

static void test_terms(void)
{
  struct term_problem problem;
  start_terms(&problem);
  for (int t = 0; dc_step_terms[t]; t++) {
    const struct dc_step_term *term = dc_step_terms[t];
    double gradient[TERM_NV] = {0}, worst = 0;
    struct dc_step_state state = term_state(&problem, term);
    term->add_gradient(&state, gradient);
    for (int i = 0; i < TERM_NV; i++)
      worst = fmax(worst, fabs(gradient[i] - term_difference(&problem, term, 2, i, NULL)));
    CHECK_NEAR(worst / largest_of(gradient, TERM_NV), 0, 3e-8);  // 3.3e-9 observed
    check_term_hessian(&problem, term);
    check_term_mixed(&problem, term);
  }
  end_terms(&problem);
}

RUN_TESTS({"terms against differences", test_terms})
