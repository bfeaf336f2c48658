// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a plan: both ways, with every objective and friction, against the gradient; what has none.
#include <omp.h>

#include "base/threads.h"
#include "plan/linearize.h"
#include "plan/worker.h"
#include "plan_scene.h"

static const char push_text[] =
    "{'time': {'step': 0.02, 'steps': 6}, 'design': [{'type': 'number', 'of': 'kd'}],\n" PUSH_SECTIONS
    "               {'type': 'effort', 'weight': 0.001},\n"  // sees the input; those behind it do not
    "               {'type': 'region', 'bodies': ['a'], 'center': [1, 0, 0], 'radius': 0.2},\n"
    "               {'type': 'velocity', 'bodies': ['a'], 'weight': 0.1}]}\n";

static struct dc_plan *create_for(const struct dc_model *model, const struct dc_task *task, bool forward)
{
  struct dc_error error = {0};
  int steps = (int)model->definition.time.steps;
  struct dc_plan *plan =
      forward ? dc_plan_create_forward(model, task, steps, false, &error) : dc_plan_create(model, task, steps, &error);
  if (!plan) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return plan;
}

static struct dc_plan *create(const struct dc_scene *scene, bool forward)
{
  return create_for(&scene->model, &scene->task, forward);
}

static void test_ways(void)
{
  struct dc_scene *scene = read_scene(push_text);
  struct dc_plan *plan = create(scene, false);
  struct dc_residual_rows rows[2] = {{0}, {0}};
  struct dc_error error = {0};
  double loss, gradient[64], sum[64], value = 0, off = 0, largest = 0;
  int n = plan->parameter_count;
  CHECK(n == 13, "%d parameters", n);
  for (int i = 0; i < n; i++)
    plan->parameters[i] = 0.3 * sin(1 + i);
  for (int way = 0; way < 2; way++) {
    enum dc_status status =
        dc_plan_linearize(plan, plan->parameters, way ? DC_PRODUCTS_REVERSE : DC_PRODUCTS_FORWARD, &rows[way], &error);
    CHECK(status == DC_OK && rows[way].forward == !way, "%s", error.text);
  }
  // reach 6 x 3, effort 6 x 6, region 2, velocity 6 x 3
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

// At the lowest of several points the Jacobian has the same bits whichever thread has rolled it out, and no rollout
// more is counted; another plan that is told where it was rolled out has them too.
static void test_kept(void)
{
  enum { POINTS = 5, PARAMETERS = 13, MOST = 74 * PARAMETERS };
  struct dc_scene *scene = read_scene(push_text);
  struct dc_plan *plan = create(scene, false);
  struct dc_residual_rows rows = {0};
  struct dc_error error = {0};
  double xs[POINTS][PARAMETERS], losses[POINTS], jacobian[MOST];
  enum dc_status statuses[POINTS];
  int before = omp_get_max_threads(), lowest = 0;
  CHECK(dc_plan_begin(plan, scene->optimizer, scene->optimizer_options, plan->parameters, &error) == DC_OK);
  CHECK(plan->parameter_count == PARAMETERS && plan->descent.problem.linearize);
  for (int i = 0; i < POINTS; i++)
    for (int k = 0; k < PARAMETERS; k++)
      xs[i][k] = 0.3 * sin(1 + k + 2 * i);
  for (int threads = 1; threads < 5; threads++) {
    omp_set_num_threads(threads);
    dc_loops_always_shared(true);
    long rollouts = plan->work.rollouts;
    CHECK(dc_plan_values(plan, POINTS, xs[0], losses, statuses, &error) == DC_OK, "%s", error.text);
    for (int i = 0; i < POINTS; i++)
      lowest = losses[i] < losses[lowest] ? i : lowest;
    CHECK(plan->kept.sample == lowest, "%d with %d threads", plan->kept.sample, threads);
    CHECK(dc_plan_linearize(plan, xs[lowest], DC_PRODUCTS_REVERSE, &rows, &error) == DC_OK, "%s", error.text);
    CHECK(plan->work.rollouts - rollouts == POINTS, "%ld", plan->work.rollouts - rollouts);
    CHECK(dc_plan_loss(plan, NULL) == losses[lowest]);
    if (threads == 1)
      memcpy(jacobian, rows.jacobian, sizeof jacobian);
    CHECK(memcmp(jacobian, rows.jacobian, sizeof jacobian) == 0, "%d threads", threads);
    struct dc_plan *other = create(scene, false);
    dc_plan_keep_of(other, plan, xs[lowest]);
    CHECK(other->kept.sample == 0);
    CHECK(dc_plan_linearize(other, xs[lowest], DC_PRODUCTS_REVERSE, &rows, &error) == DC_OK, "%s", error.text);
    CHECK(other->work.rollouts == 0 && memcmp(jacobian, rows.jacobian, sizeof jacobian) == 0);
    dc_plan_destroy(other);
  }
  long rollouts = plan->work.rollouts;
  CHECK(dc_plan_linearize(plan, xs[lowest ? 0 : 1], DC_PRODUCTS_REVERSE, &rows, &error) == DC_OK, "%s", error.text);
  CHECK(plan->work.rollouts - rollouts == 1, "another point is rolled out");
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_residual_rows_release(&rows);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// The rows of a plan with cases are those of each world alone, one below the other, bit for bit; products with them fit
// together, and the weighted squares sum up to the loss.
static void test_cases(void)
{
  enum { WORLDS = 3 };
  struct dc_scene *scene = read_scene(
      "{'time': {'step': 0.02, 'steps': 6},\n" PUSH_SECTIONS "               {'type': 'effort', 'weight': 0.001}],\n"
      " 'cases': [{'bodies': {'b': {'mass': 3}}}, {'bodies': {'b': {'position': [0.01, 0.03, 0.12]}}}]}\n");
  struct dc_plan *plan = create(scene, false);
  struct dc_residual_rows rows = {0}, alone = {0};
  struct dc_error error = {0};
  struct dc_task own = scene->task;
  double loss, sum = 0, gradient[64], transposed[64], direction[64], product[256], weights[256], along = 0;
  int n = plan->parameter_count, groups = 0, count = 0;
  own.case_count = 0;
  for (int i = 0; i < n; i++) {
    plan->parameters[i] = 0.3 * sin(1 + i);
    direction[i] = cos(3 * i);
  }
  CHECK(dc_plan_begin(plan, scene->optimizer, scene->optimizer_options, plan->parameters, &error) == DC_OK &&
        plan->descent.problem.row_count == WORLDS * (6 * 3 + 6 * 6));
  CHECK(dc_plan_linearize(plan, plan->parameters, DC_PRODUCTS_REVERSE, &rows, &error) == DC_OK, "%s", error.text);
  CHECK(rows.row_count == plan->descent.problem.row_count && rows.row_count <= 256, "%d", rows.row_count);
  for (int i = 0; i < WORLDS; i++) {
    const struct dc_task_world *other = &scene->task.cases[i ? i - 1 : 0];
    struct dc_plan *world = create_for(i ? other->model : &scene->model, i ? other->task : &own, false);
    CHECK(dc_plan_linearize(world, plan->parameters, DC_PRODUCTS_REVERSE, &alone, &error) == DC_OK, "%s", error.text);
    CHECK(memcmp(rows.jacobian + count * n, alone.jacobian, (size_t)(alone.row_count * n) * sizeof(double)) == 0);
    for (int g = 0; g < alone.group_count; g++)
      CHECK(memcmp(&rows.groups[groups + g], &alone.groups[g], sizeof *rows.groups) == 0 &&
            rows.first[groups + g] == count + alone.first[g]);
    groups += alone.group_count;
    count += alone.row_count;
    dc_plan_destroy(world);
  }
  CHECK(groups == rows.group_count && count == rows.row_count);
  CHECK(dc_plan_evaluate(plan, plan->parameters, &loss, gradient, &error) == DC_OK, "%s", error.text);
  for (int g = 0; g < groups; g++)
    for (int k = 0; k < rows.groups[g].axes; k++)
      weights[rows.first[g] + k] = 2 * rows.groups[g].weight * rows.groups[g].e[k];
  for (int g = 0; g < groups; g++)
    sum += rows.groups[g].value;
  CHECK_NEAR(sum, loss, 1e-14 * loss);
  CHECK(dc_plan_pull_back(plan, plan->parameters, weights, transposed, &error) == DC_OK, "%s", error.text);
  CHECK(dc_plan_push_forward(plan, plan->parameters, direction, product, &error) == DC_OK, "%s", error.text);
  for (int r = 0; r < count; r++)
    along -= weights[r] * product[r];
  for (int i = 0; i < n; i++) {
    CHECK_NEAR(transposed[i], gradient[i], 1e-13);  // 6e-16
    along += gradient[i] * direction[i];
  }
  CHECK_NEAR(along, 0, 1e-13);  // 2e-16
  dc_residual_rows_release(&rows);
  dc_residual_rows_release(&alone);
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

RUN_TESTS({"Jacobian both ways", test_ways}, {"where rollouts are kept", test_kept}, {"cases", test_cases},
          {"refusals", test_refusal})
