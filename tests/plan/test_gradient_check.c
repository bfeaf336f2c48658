// SPDX-License-Identifier: Apache-2.0
// The check of gradients: differences through divided steps, at a change of division, with any number of threads.
#include <omp.h>

#include "base/threads.h"
#include "plan/gradient_check.h"
#include "plan/plan_cases.h"
#include "plan/product_check.h"
#include "plan_scene.h"

// Two balls, that would pass each other in the second step if it was not divided.
static const char collision_text[] =
    "{'time': {'step': 0.04, 'steps': 2}, 'gravity': [0, 0, 0],\n"
    " 'contact': {'model': 'sdrs', 'support': 0.0044, 'stiffness': 8e-8},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 0}},\n"
    " 'bodies': [{'name': 'a', 'shape': 'ball', 'mass': 1, 'position': [-1.24, 0, 0], 'rotation': [0.8, 0.2, 0.4, "
    "0.4]},\n"
    "            {'name': 'b', 'shape': 'ball', 'mass': 1, 'position': [1.24, 0.05, 0], 'velocity': [-20, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'a', 'velocity': 'x', 'initial': [20]}],\n"
    " 'objective': [{'type': 'reach', 'body': 'b', 'target': [0.3, 0.2, 0.4]}]}\n";

// A ball that is pushed aside, and what it pushes.
static const char pair_text[] =
    "{'time': {'step': 0.02, 'steps': 4}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-4},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'level': 0}},\n"
    " 'bodies': [{'name': 'a', 'shape': 'ball', 'mass': 1, 'position': [-0.25, 0.02, 0]},\n"
    "            {'name': 'b', 'shape': 'ball', 'mass': 1, 'position': [0, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'a', 'velocity': 'xy', 'initial': [0.5, 0]}],\n"
    " 'objective': [{'type': 'reach', 'body': 'b', 'target': [0.4, 0.1, 0]}]}\n";

static struct dc_plan *create(const struct dc_scene *scene)
{
  struct dc_error error = {0};
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, &error);
  if (!plan) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return plan;
}

static void test_divided(void)
{
  struct dc_scene *scene = read_scene(collision_text);
  struct dc_plan *plan = create(scene);
  struct dc_gradient_check check;
  struct dc_error error = {0};
  CHECK(dc_gradient_check(plan, plan->parameters, 1, &check, &error) == DC_OK, "%s", error.text);
  int passed_over = 0;
  for (int i = 0; i < check.count; i++)
    passed_over += check.checks[i].passed_over;
  CHECK(check.steps == 2 && check.divided_steps == 1, "%d of %d divided", check.divided_steps, check.steps);
  CHECK(check.count == DC_GRADIENT_CHECKS && check.straddling == 0, "%d of %d", check.straddling, check.count);
  CHECK(check.max_relative_error <= 1e-6, "%g", check.max_relative_error);  // 2.1e-10 observed
  CHECK(passed_over > 0, "some of the steps of 0.16 m reach over a change");
  CHECK(check.taylor_count == DC_TAYLOR_DIRECTIONS && check.taylor_straddling == 0, "%d orders", check.taylor_count);
  for (int i = 0; i < check.taylor_count; i++)
    CHECK_NEAR(check.taylor_orders[i], 2, 0.05);
  CHECK(check.products.apart <= 1e-12, "%g", check.products.apart);  // through the divided step
  CHECK(check.products.rows && check.products.both && check.products.row_count == 3, "rows");
  CHECK(check.products.ways_apart <= 1e-12 && check.products.gradient_apart <= 1e-12, "%g, %g",
        check.products.ways_apart, check.products.gradient_apart);
  CHECK(check.products.differences && check.products.difference_error <= 1e-6, "%g", check.products.difference_error);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Between a speed and another one with other divisions: the last number before a change, as rollouts of the check go.
static double last_before_change(struct dc_plan *plan, double low, double high)
{
  struct dc_trajectory *record = dc_record_create(plan->model, plan->window.steps);
  struct dc_error error = {0};
  double loss;
  dc_rollout_set_tight(plan->rollout, true);
  CHECK(dc_plan_evaluate(plan, &low, &loss, NULL, &error) == DC_OK && !dc_plan_record(plan, record, &error), "%s",
        error.text);
  CHECK(dc_plan_evaluate(plan, &high, &loss, NULL, &error) == DC_OK, "%s", error.text);
  CHECK(!dc_trajectory_divided_alike(record, plan->trajectory), "other divisions at %g", high);
  for (;;) {
    double middle = 0.5 * (low + high);
    if (!(low < middle && middle < high))
      break;
    CHECK(dc_plan_evaluate(plan, &middle, &loss, NULL, &error) == DC_OK, "%s", error.text);
    *(dc_trajectory_divided_alike(record, plan->trajectory) ? &low : &high) = middle;
  }
  dc_rollout_set_tight(plan->rollout, false);
  dc_trajectory_destroy(record);
  return low;
}

static void test_straddling(void)
{
  struct dc_scene *scene = read_scene(collision_text);
  struct dc_plan *plan = create(scene);
  struct dc_gradient_check check;
  struct dc_error error = {0};
  double speed = last_before_change(plan, 20, 25);
  CHECK(dc_gradient_check(plan, &speed, 1, &check, &error) == DC_OK, "%s", error.text);
  int straddling = 0;
  for (int i = 0; i < check.count; i++) {
    const struct dc_gradient_difference *entry = &check.checks[i];
    straddling += entry->straddles;
    CHECK(!entry->straddles || (isnan(entry->difference) && isnan(entry->relative_error) && entry->passed_over > 0),
          "%s", entry->parameter);
  }
  CHECK(check.checks[0].straddles, "the speed itself, %.17g", speed);
  CHECK(check.straddling == straddling && straddling > 1, "%d, not %d", check.straddling, straddling);
  CHECK(check.max_relative_error <= 1e-6, "%g", check.max_relative_error);
  // Downwards steps are divided alike, so that directions that lead there have an order.
  CHECK(check.taylor_straddling > 0 && check.taylor_count + check.taylor_straddling == DC_TAYLOR_DIRECTIONS,
        "%d and %d", check.taylor_count, check.taylor_straddling);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Rollouts are spread over the threads, which changes no bit.
static void test_threads(void)
{
  struct dc_scene *scene = read_scene(pair_text);
  struct dc_gradient_check one, many;
  struct dc_error error = {0};
  int before = omp_get_max_threads();
  for (int threads = 1; threads <= 4; threads *= 2) {
    struct dc_plan *plan = create(scene);
    struct dc_loop_counts counts = dc_loop_counts();
    omp_set_num_threads(threads);
    dc_loops_always_shared(threads > 1);
    CHECK(dc_gradient_check(plan, plan->parameters, 3, threads > 1 ? &many : &one, &error) == DC_OK, "%s", error.text);
    CHECK(threads == 1 || dc_loop_counts().helped > counts.helped, "nobody helped");
    dc_plan_destroy(plan);
    if (threads == 1)
      continue;
    CHECK(one.loss == many.loss && one.max_relative_error == many.max_relative_error && one.count == many.count);
    for (int i = 0; i < one.count; i++) {
      const struct dc_gradient_difference *a = &one.checks[i], *b = &many.checks[i];
      CHECK(strcmp(a->parameter, b->parameter) == 0 && a->adjoint == b->adjoint && a->difference == b->difference &&
                a->relative_error == b->relative_error && a->step == b->step && a->spread == b->spread,
            "%s with %d threads", a->parameter, threads);
    }
    CHECK(one.taylor_count == many.taylor_count);
    for (int i = 0; i < one.taylor_count; i++)
      CHECK(one.taylor_orders[i] == many.taylor_orders[i], "order %d with %d threads", i, threads);
  }
  dc_loops_always_shared(false);
  omp_set_num_threads(before);
  dc_scene_destroy(scene);
}

// Bodies that land while two pyramids meet far away and divide their steps in short parts: rounding of places is seen
// in velocities, and the narrow ends of the law of impact magnify it.
static const char rounded_text[] =
    "{'time': {'step': 0.01, 'steps': 6, 'integrator': 'second_order'},\n"
    " 'contact': {'model': 'ipc', 'friction': 0.2, 'friction_smoothing': 0.02, 'restitution': 0},\n"
    " 'shapes': {'floor': {'type': 'plane'}, 'ball': {'type': 'sphere', 'radius': 0.08, 'level': 0, 'surface': 'mesh'},\n"
    "  'far': {'type': 'hulls', 'surface': 'mesh', 'parts': [{'vertices': [0.06, 0, -0.02, -0.06, 0, -0.02, 0, 0.05, -0.02, "
    "0, 0, 0.06]}]}},\n"
    " 'bodies': [{'name': 'floor', 'joint': 'fixed', 'shape': 'floor'},\n"
    "  {'name': 'a', 'shape': 'ball', 'mass': 1.0331994146875574, 'position': [0, 0, 0.16821841957769681], 'friction': 0.1317787090704674,\n"
    "   'velocity': [-0.930472241503788, -1.9436961346555006, -3.1203520404720257],\n"
    "   'angular_velocity': [0.961284366550025, 3.2132639899710993, -3.152801925791855],\n"
    "   'rotation': [0.6367262034123684, -0.0752624640079381, 0.7616083590316569, 0.09417011655844838]},\n"
    "  {'name': 'left', 'shape': 'far', 'mass': 1, 'position': [-1.4064249848994237, -0.01, 50], 'velocity': [50.63167389123868, 0, 0]},\n"
    "  {'name': 'right', 'shape': 'far', 'mass': 1, 'position': [1.4064249848994237, 0.01, 50], 'velocity': [-50.63167389123868, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'a', 'velocity': 'xyz', 'angular_velocity': 'y'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'a', 'target': [0.34829460933566025, 0.360143716399996, 0.9685615641776232]},\n"
    "               {'type': 'velocity', 'bodies': ['a'], 'weight': 0.1}],\n"
    " 'design': [{'type': 'number', 'of': 'friction'}, {'type': 'number', 'of': 'gravity'},\n"
    "            {'type': 'number', 'of': 'mass', 'bodies': ['a']}]}\n";

static const char noisy_text[] =
    "{'time': {'step': 0.004, 'steps': 6, 'integrator': 'second_order'},\n"
    " 'contact': {'model': 'ipc', 'friction': 0.6, 'friction_smoothing': 0.02, 'restitution': 0.6},\n"
    " 'shapes': {'floor': {'type': 'plane'}, 'ball': {'type': 'sphere', 'radius': 0.08, 'level': 0, 'surface': 'mesh'},\n"
    "  'far': {'type': 'hulls', 'surface': 'mesh', 'parts': [{'vertices': [0.06, 0, -0.02, -0.06, 0, -0.02, 0, 0.05, -0.02, "
    "0, 0, 0.06]}]}},\n"
    " 'bodies': [{'name': 'floor', 'joint': 'fixed', 'shape': 'floor'},\n"
    "  {'name': 'a', 'shape': 'ball', 'mass': 1.952687482641662, 'position': [0, 0, 0.12085696528898973],\n"
    "   'velocity': [-0.15386795974949985, 1.9739400304066748, -2.5887930505329098],\n"
    "   'angular_velocity': [3.9405759532690228, -2.058595715412454, -3.4188390970292692],\n"
    "   'rotation': [0.3497011276421169, 0.5502840744897587, -0.6146567850216557, -0.4439522444088144]},\n"
    "  {'name': 'left', 'shape': 'far', 'mass': 1, 'position': [-0.5019511011708063, -0.01, 50], 'velocity': [32.82120756681377, 0, 0]},\n"
    "  {'name': 'right', 'shape': 'far', 'mass': 1, 'position': [0.5019511011708063, 0.01, 50], 'velocity': [-32.82120756681377, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'a', 'velocity': 'xyz', 'angular_velocity': 'y'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'a', 'target': [0.6445176127794023, 0.06565246802186087, 0.6738937592389419]},\n"
    "               {'type': 'velocity', 'bodies': ['a'], 'weight': 0.1}],\n"
    " 'design': [{'type': 'number', 'of': 'friction'}, {'type': 'number', 'of': 'gravity'},\n"
    "            {'type': 'number', 'of': 'mass', 'bodies': ['a']}]}\n";

static struct dc_product_check products_of(const char *text)
{
  struct dc_scene *scene = read_scene(text);
  struct dc_plan *plan = create(scene);
  struct dc_product_check check;
  struct dc_error error = {0};
  dc_plan_set_tight(plan, true);
  CHECK(dc_product_check(plan, plan->parameters, 1, &check, &error) == DC_OK, "%s", error.text);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
  return check;
}

// Tangent and adjoint are apart by rounding, and the check knows how large that is: 1.3e-9 of 4.9e-10 observed.  Where
// nothing magnifies it, it is small.
static void test_rounding(void)
{
  struct dc_product_check rounded = products_of(rounded_text), plain = products_of(collision_text);
  CHECK(rounded.rounding > 1e-11 && rounded.rounding < 1e-7, "%g", rounded.rounding);
  CHECK(rounded.apart <= 10 * rounded.rounding, "%g, rounding %g", rounded.apart, rounded.rounding);
  CHECK(plain.rounding <= 1e-13, "%g", plain.rounding);
}

// Two differences of a noisy loss that agree by chance decide nothing: the third neighbour tells.
static void test_chance(void)
{
  struct dc_product_check noisy = products_of(noisy_text);
  CHECK(noisy.differences, "there are differences");
  CHECK(noisy.difference_error <= 1e-6 || noisy.spread >= 0.1 * noisy.difference_error, "error %g, spread %g",
        noisy.difference_error, noisy.spread);
}

RUN_TESTS({"divided steps", test_divided}, {"at a change of division", test_straddling},
          {"equal bits with any number of threads", test_threads},
          {"rounding of products", test_rounding}, {"differences that agree by chance", test_chance})
