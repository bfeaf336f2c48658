// SPDX-License-Identifier: Apache-2.0
// Planar pushing by a driven ball, from several starts: the cost that gradient descent with each contact model reaches.
#include "bench/push.h"

#include <stdlib.h>
#include <string.h>

#include "bench/scene.h"
#include "plan/trajectory_plan.h"

enum { BOX, PUSHER, STEPS = 40, HOLD = 5, ITERATIONS = 60 };
static const double RATE = 0.02;        // learning rate of Adam, m
static const double DIFFERENCE = 1e-4;  // step of differences for models without an adjoint, m

static const struct dc_bench_shape cube = {"box", {{"size", 3, {0.2, 0.2, 0.2}}, {"divisions", 3, {1, 1, 1}}}};
static const struct dc_bench_shape ball = {"sphere", {{"radius", 1, {0.05}}, {"level", 1, {0}}}};

// The nearest we have to planar pushing in the irs_mpc papers (quasi-static there, frictionless with inertia here): a
// box that slides and turns in a plane, a driven ball that does not touch it, and a place for the box.  The first guess
// leaves the ball where it is.
static const struct dc_bench_setting task_setting = {
    .step = 0.05,
    .stiffness = 1e-4,
    .bodies = {{.name = "box", .shape = &cube, .joints = "xyr", .mass = 1},
               {.name = "pusher", .shape = &ball, .joints = "xy", .mass = 0.2, .kp = 100, .kd = 10}}};
static const double target[3] = {0.5, 0, 0};
static const double starts[DC_PUSH_STARTS][3] = {
    [DC_PUSH_BESIDE] = {-0.1, 0.4, 0}, [DC_PUSH_WRONG_SIDE] = {0.25, 0.1, 0}};

static enum dc_status out_of_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "a benchmark's task");
}

static enum dc_status build_task(struct dc_arena *arena, struct dc_task *task, struct dc_error *error)
{
  struct dc_held_options *control = dc_arena_alloc(arena, 1, sizeof *control);
  struct dc_reach_options *reach = dc_arena_alloc(arena, 1, sizeof *reach);
  task->controls = dc_arena_alloc(arena, 1, sizeof *task->controls);
  task->objectives = dc_arena_alloc(arena, 1, sizeof *task->objectives);
  if (!control || !reach || !task->controls || !task->objectives)
    return out_of_memory(error);
  enum dc_status status = dc_options_set_defaults(dc_control_pd_targets.options, control, arena, error);
  if (!status)
    status = dc_options_set_defaults(dc_objective_reach.options, reach, arena, error);
  control->actuator.body = PUSHER;
  control->hold = HOLD;
  reach->body = BOX;
  memcpy(reach->target, target, sizeof reach->target);
  task->controls[0] = (struct dc_control){&dc_control_pd_targets, control};
  task->objectives[0] = (struct dc_objective){&dc_objective_reach, reach};
  task->control_count = task->objective_count = 1;
  return status;
}

static enum dc_status evaluate(void *context, const double *x, double *value, double *gradient, struct dc_error *error)
{
  return dc_plan_evaluate(context, x, value, gradient, error);
}

static enum dc_status minimize(struct dc_plan *plan, struct dc_arena *arena, double *cost, struct dc_error *error)
{
  struct dc_problem problem = {.dimension = plan->parameter_count, .context = plan, .evaluate = evaluate};
  if (!dc_model_has_adjoint(plan->model))
    dc_plan_set_gradient(plan, &(struct dc_gradient_settings){.type = DC_GRADIENT_DIFFERENCES, .step = DIFFERENCE});
  struct dc_first_order_options *options = dc_arena_alloc(arena, 1, dc_optimizer_adam.options_size);
  struct dc_optimizer_result result = {0};
  if (!options)
    return out_of_memory(error);
  enum dc_status status = dc_options_set_defaults(dc_optimizer_adam.options, options, arena, error);
  options->common.iterations = ITERATIONS;
  options->learning_rate = RATE;
  if (!status)
    status = dc_minimize(&dc_optimizer_adam, options, &problem, plan->parameters, NULL, NULL, &result, error);
  *cost = result.best_value / result.first_value;
  return status;
}

enum dc_status dc_bench_push(const struct dc_contact_model *model, enum dc_push_start start, double *cost,
                             struct dc_error *error)
{
  struct dc_bench_setting setting = task_setting;
  struct dc_bench_scene scene;
  struct dc_task task = {0};
  struct dc_plan *plan = NULL;
  memcpy(setting.bodies[PUSHER].position, starts[start], sizeof starts[start]);
  enum dc_status status = dc_bench_scene_create(&setting, model, &scene, error);
  if (!status)
    status = build_task(scene.arena, &task, error);
  if (!status)
    status = dc_control_pd_targets.check(task.controls[0].options, &scene.model, error);
  if (!status) {
    plan = dc_plan_create(&scene.model, &task, STEPS, error);
    status = plan ? minimize(plan, scene.arena, cost, error) : error->status;
  }
  dc_plan_destroy(plan);
  dc_bench_scene_destroy(&scene);
  return status;
}
