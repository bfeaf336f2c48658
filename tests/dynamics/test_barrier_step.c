// SPDX-License-Identifier: Apache-2.0
// Steps that see barriers as poles: their potentials against those of contact, and the minimum against bisection.
#include "harness.h"

#include "dynamics/barrier_step.h"
#include "dynamics/mechanisms.h"
#include "dynamics/step.h"

enum { MOST = 512 };

// Contact and its derivatives at the start.
static void evaluate(struct scene *scene)
{
  struct dc_rollout *rollout = scene->rollout;
  double q[7 * SCENE_BODIES];
  dc_initial_state(&scene->model.bodies, q);
  dc_kinematics_update(&scene->model.bodies, q, &rollout->next);
  CHECK(isfinite(dc_contact_evaluate(rollout->rigid.contact, rollout->next.poses, 2, rollout->rigid.pairs)),
        "evaluated");
}

// Energies and gradients of all gaps of the first pair add up to those of the pair.
static void check_sums(struct scene *scene)
{
  static struct dc_contact_barrier barriers[MOST];
  struct dc_rollout *rollout = scene->rollout;
  double twists[SCENE_BODIES][6] = {{0.3, -0.7, 0.2, 0.5, 0.1, -0.4}, {0.1, 0.2, -0.3, 0.2, 0.4, 0.1}};
  double energy = 0, sum[12] = {0}, whole[12], size = 0;
  evaluate(scene);
  int count =
      dc_contact_barriers(rollout->rigid.contact, rollout->next.poses, (const double(*)[6])twists, 0, barriers, MOST);
  const struct dc_pair_derivatives *pair = &rollout->rigid.pairs[0];
  dc_contact_expand_gradient(pair, whole);
  CHECK(count > 0 && count < MOST, "%d gaps", count);
  for (int k = 0; k < count; k++) {
    energy += barriers[k].energy;
    for (int i = 0; i < 12; i++)
      sum[i] += barriers[k].gradient[i];
  }
  for (int i = 0; i < 12; i++)
    size = fmax(size, fabs(whole[i]));
  CHECK_NEAR(energy, pair->energy, 1e-9 * pair->energy);
  for (int i = 0; i < 12; i++)
    CHECK_NEAR(sum[i], whole[i], 1e-8 * size);
}

static void test_sums(void)
{
  const struct dc_contact_model *exact = dc_contact_model_find("exact");
  for (int kind = 0; kind < 3; kind++) {
    struct scene scene;
    scene_begin(&scene);
    int box = kind == 1 ? scene_sphere(&scene, 0.1, 0, "octahedron") : scene_box(&scene, 0.2, 0.2, 0.2, 1, 1, 1);
    scene.definition.contact_model = exact;
    scene_body(&scene, "a", box, 1, 0.01, 0.02, 0.202);
    scene_body(&scene, "b", kind == 2 ? scene_plane(&scene) : box, 0, 0, 0, 0);
    scene_create(&scene);
    check_sums(&scene);
    scene_end(&scene);
  }
}

// A box of 0.2 m whose lower face is a gap above a plane: dJ = k x + force - mu sum_v 12 w_v / (h_v + x)^2, all of
// length 1 and weights 1/8.
static double slope_at(double mu, double k, double force, double gap, double x)
{
  double low = gap + x, high = gap + 0.2 + x;
  return k * x + force - mu * 6 * (1 / (low * low) + 1 / (high * high));
}

static double minimum(double mu, double k, double force, double gap)
{
  double from = -gap, to = 1;
  for (int i = 0; i < 200; i++) {
    double middle = 0.5 * (from + to);
    *(slope_at(mu, k, force, gap, middle) > 0 ? &to : &from) = middle;
  }
  return 0.5 * (from + to);
}

// The bent step from a gap, which Newton's own misses, and its metric: H' x = -dJ.
static void check_minimum(double gap, double k, double force)
{
  struct scene scene;
  scene_begin(&scene);
  scene_body(&scene, "box", scene_box(&scene, 0.2, 0.2, 0.2, 1, 1, 1), 1, 0, 0, 0.1 + gap);
  scene_body(&scene, "ground", scene_plane(&scene), 0, 0, 0, 0);
  scene_create(&scene);
  struct dc_rollout *rollout = scene.rollout;
  struct dc_rollout_input *input = dc_rollout_input_create(&scene.model, 1);
  double mu = scene.model.definition.contact.stiffness, h[6][6], step[6], response[6],
         *gradient = rollout->newton.gradient;
  evaluate(&scene);
  const struct dc_pair_derivatives *pair = &rollout->rigid.pairs[0];
  dc_contact_expand_hessian(pair, true, h, NULL, NULL);
  for (int i = 0; i < 6; i++) {
    gradient[i] = mu * pair->gradient[i] + (i == 5 ? force : 0);
    for (int j = 0; j < 6; j++)
      h[i][j] = mu * h[i][j] + (i == j ? k : 0);
  }
  dc_symmetric_clear(rollout->matrix);
  dc_symmetric_add_block(rollout->matrix, 0, 0, 1, &h[0][0], 6);
  CHECK(dc_symmetric_factor_positive(rollout->matrix) == DC_OK, "positive");
  dc_symmetric_solve(rollout->matrix, gradient, step, NULL);
  for (int i = 0; i < 6; i++)
    step[i] = -step[i];
  double newton = step[5], right = minimum(mu, k, force, gap);
  struct dc_step_state state = {
      .model = &scene.model, .input = input, .hardening = 1, .rigid = &rollout->rigid, .pairs = rollout->rigid.pairs};
  dc_barrier_step_bend(rollout->newton.barrier, rollout, &state, step);
  CHECK(fabs(newton - right) > 0.2 * (gap + right), "Newton's step goes by %g instead of %g", newton, right);
  CHECK_NEAR(step[5], right, 0.01 * (gap + right));
  CHECK(dc_barrier_step_count(rollout->newton.barrier) > 0, "bent");
  dc_symmetric_solve(rollout->matrix, gradient, response, NULL);
  dc_barrier_step_solve(rollout->newton.barrier, gradient, response);
  for (int i = 0; i < 6; i++)
    CHECK_NEAR(response[i], -step[i], 1e-3 * fabs(step[5]));
  dc_rollout_input_destroy(input);
  scene_end(&scene);
}

// From far below the gap at rest, from above it, and towards a plane that is not felt yet.
static void test_minimum(void)
{
  check_minimum(1e-6, 1000, 10);
  check_minimum(1e-4, 1000, 10);
  check_minimum(1e-2, 10, 1000);
  check_minimum(1e-3, 1e5, 100);
}

RUN_TESTS({"gaps add up to pairs", test_sums}, {"minimum with poles", test_minimum})
