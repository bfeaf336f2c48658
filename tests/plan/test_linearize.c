// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a plan: both ways, with every objective and friction, against the gradient; what has none.
#include "plan/linearize.h"
#include "plan_scene.h"

// A pusher and what it pushes over the floor.
static const char push_text[] =
    "{'time': {'step': 0.02, 'steps': 6}, 'contact': {'stiffness': 1e-4, 'friction': 0.3},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 0}, 'floor': {'type': 'plane'}},\n"
    " 'bodies': [{'name': 'floor', 'shape': 'floor', 'joint': 'fixed'},\n"
    "            {'name': 'a', 'shape': 'ball', 'mass': 1, 'position': [-0.25, 0.02, 0.15],\n"
    "             'pd': {'kp': 400, 'kd': 40, 'kp_rotation': 4, 'kd_rotation': 0.4}},\n"
    "            {'name': 'b', 'shape': 'ball', 'mass': 1, 'position': [0, 0, 0.12]}],\n"
    " 'control': [{'type': 'pd_velocity', 'body': 'a', 'coordinates': 'x y'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'b', 'target': [0.4, 0.1, 0], 'when': 'every'},\n"
    "               {'type': 'region', 'bodies': ['a'], 'center': [1, 0, 0], 'radius': 0.2},\n"
    "               {'type': 'velocity', 'bodies': ['a'], 'weight': 0.1},\n"
    "               {'type': 'effort', 'weight': 0.001}]}\n";

static struct dc_plan *create(const struct dc_scene *scene, bool forward)
{
  struct dc_error error = {0};
  int steps = (int)scene->definition.time.steps;
  struct dc_plan *plan = forward ? dc_plan_create_forward(&scene->model, &scene->task, steps, false, &error)
                                 : dc_plan_create(&scene->model, &scene->task, steps, &error);
  if (!plan) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return plan;
}

static void test_ways(void)
{
  struct dc_scene *scene = read_scene(push_text);
  struct dc_plan *plan = create(scene, false);
  struct dc_residual_rows rows[2] = {{0}, {0}};
  struct dc_error error = {0};
  double loss, gradient[64], sum[64], value = 0, off = 0, largest = 0;
  int n = plan->parameter_count;
  CHECK(n == 12, "%d parameters", n);
  for (int i = 0; i < n; i++)
    plan->parameters[i] = 0.3 * sin(1 + i);
  for (int way = 0; way < 2; way++) {
    enum dc_status status =
        dc_plan_linearize(plan, plan->parameters, way ? DC_PRODUCTS_REVERSE : DC_PRODUCTS_FORWARD, &rows[way], &error);
    CHECK(status == DC_OK && rows[way].forward == !way, "%s", error.text);
  }
  // reach 6 x 3, region 2, velocity 6 x 3, effort 6 x 6
  CHECK(rows[0].row_count == 74 && rows[0].group_count == 49, "%d rows, %d groups", rows[0].row_count,
        rows[0].group_count);
  for (int r = 0; r < rows[0].row_count * n; r++) {
    off = larger(off, fabs(rows[0].jacobian[r] - rows[1].jacobian[r]));
    largest = larger(largest, fabs(rows[0].jacobian[r]));
  }
  CHECK(largest > 0 && off <= 1e-11 * largest, "%g of %g", off, largest);
  CHECK(dc_plan_evaluate(plan, plan->parameters, &loss, gradient, &error) == DC_OK, "%s", error.text);
  for (int g = 0; g < rows[0].group_count; g++)
    value += rows[0].groups[g].value;
  CHECK_NEAR(value, loss, 1e-13 * loss);
  dc_residual_gradient(&rows[0], sum);
  off = largest = 0;
  for (int i = 0; i < n; i++) {
    off = larger(off, fabs(gradient[i] - sum[i]));
    largest = larger(largest, fabs(gradient[i]));
  }
  CHECK(largest > 0 && off <= 1e-11 * largest, "%g of %g", off, largest);
  for (int way = 0; way < 2; way++)
    dc_residual_rows_release(&rows[way]);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

static void test_refusal(void)
{
  struct dc_scene *scene = read_scene(push_text);
  struct dc_plan *plan = create(scene, true);
  struct dc_residual_rows rows = {0};
  struct dc_error error = {0};
  CHECK(dc_plan_linearize(plan, plan->parameters, DC_PRODUCTS_AUTO, &rows, &error) == DC_BAD_INPUT, "rollouts alone");
  struct dc_objective_type without = dc_objective_reach;
  without.rows = NULL;
  struct dc_objective objective = {&without, scene->task.objectives[0].options};
  struct dc_task task = {.objective_count = 1, .objectives = &objective};
  struct dc_plan *bare = dc_plan_create(&scene->model, &task, 2, &error);
  CHECK(bare && dc_plan_linearize(bare, bare->parameters, DC_PRODUCTS_AUTO, &rows, &error) == DC_BAD_INPUT,
        "no rows: %s", error.text);
  dc_plan_destroy(bare);
  dc_plan_destroy(plan);
  dc_residual_rows_release(&rows);
  dc_scene_destroy(scene);
}

RUN_TESTS({"Jacobian both ways", test_ways}, {"refusals", test_refusal})
