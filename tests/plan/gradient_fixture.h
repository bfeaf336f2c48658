// SPDX-License-Identifier: Apache-2.0
// A ball that is thrown at another one, one between walls, and plans over them.
#ifndef DC_TESTS_PLAN_GRADIENT_FIXTURE_H
#define DC_TESTS_PLAN_GRADIENT_FIXTURE_H

#include <omp.h>
#include "base/random.h"
#include "base/threads.h"
#include "plan/worker.h"
#include "plan_scene.h"

static const char pair_text[] =
    "{'name': 'pair', 'time': {'step': 0.02, 'steps': 6}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 1, 'base': 'octahedron'}},\n"
    " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.1, 'position': [-0.3, 0, 0], 'velocity': [2, 0, 0]},\n"
    "            {'name': 'eight', 'shape': 'ball', 'mass': 0.1, 'position': [0, 0.02, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'cue', 'position': 'y', 'velocity': 'xy'}],\n"
    " 'objective': [{'type': 'reach', 'body': 'eight', 'target': [0.5, 0.2, 0], 'tolerance': 0.01}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.05, 'iterations': 5}}\n";
enum { PAIR_PARAMETERS = 3 };
static const double pair_parameters[PAIR_PARAMETERS] = {0.03, 0.4, -0.2};

// A ball between two thick walls whose faces are 0.1 m away from it; %s: what is controlled.
static const char walls_text[] =
    "{'name': 'walls', 'time': {'step': 0.02, 'steps': 3}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 1, 'base': 'octahedron'},\n"
    "            'wall': {'type': 'box', 'size': [40, 1, 1]}},\n"
    " 'bodies': [{'name': 'ball', 'shape': 'ball', 'mass': 0.1},\n"
    "            {'name': 'left', 'shape': 'wall', 'joint': 'fixed', 'position': [-20.2, 0, 0]},\n"
    "            {'name': 'right', 'shape': 'wall', 'joint': 'fixed', 'position': [20.2, 0, 0]}],\n"
    " 'control': [{'type': 'initial_state', 'body': 'ball', %s}],\n"
    " 'objective': [{'type': 'reach', 'body': 'ball', 'target': [0.3, 0.5, 0]}]}\n";

// The cue is driven from window to window; whether it meets the other ball depends on what is drawn.
static const char windows_text[] =
    "{'name': 'windows', 'time': {'step': 0.05, 'steps': 5}, 'gravity': [0, 0, 0], 'contact': {'stiffness': 1e-5},\n"
    " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 1, 'base': 'octahedron'}},\n"
    " 'bodies': [{'name': 'cue', 'shape': 'ball', 'mass': 0.1, 'position': [-0.4, 0, 0],\n"
    "             'joint': [{'type': 'slide', 'axis': [1, 0, 0]}, {'type': 'slide', 'axis': [0, 1, 0]}],\n"
    "             'pd': {'kp': 100, 'kd': 10}},\n"
    "            {'name': 'eight', 'shape': 'ball', 'mass': 0.1, 'position': [0, 0.02, 0]}],\n"
    " 'control': [{'type': 'pd_velocity', 'body': 'cue', 'speed': 3, 'gain': 10}],\n"
    " 'objective': [{'type': 'reach', 'body': 'eight', 'target': [0.5, 0.2, 0], 'tolerance': 0.01}],\n"
    " 'optimizer': {'type': 'adam', 'learning_rate': 0.1, 'iterations': 3},\n"
    " 'horizon': {'length': 3, 'iterations': 2}}\n";

static inline struct dc_plan *create(const struct dc_scene *scene, const struct dc_gradient_settings *settings)
{
  struct dc_error error = {0};
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, (int)scene->definition.time.steps, &error);
  if (!plan) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  if (settings)
    dc_plan_set_gradient(plan, settings);
  return plan;
}

static inline void set_defaults(const struct dc_option *table, void *settings)
{
  struct dc_arena *arena = dc_arena_create();
  CHECK(dc_options_set_defaults(table, settings, arena, NULL) == DC_OK);
  dc_arena_destroy(arena);
}

static inline struct dc_gradient_settings settings_of(enum dc_gradient_type type)
{
  struct dc_gradient_settings settings = {0};
  set_defaults(dc_gradient_options, &settings);
  settings.type = (int)type;
  settings.samples = 10;
  return settings;
}

static inline double norm(const double *x, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum = hypot(sum, x[i]);
  return sum;
}

static inline void gradient_at(const struct dc_scene *scene, const struct dc_gradient_settings *settings, bool tight,
                               double *loss, double *gradient)
{
  struct dc_error error = {0};
  struct dc_plan *plan = create(scene, settings);
  dc_rollout_set_tight(plan->rollout, tight);
  CHECK(dc_plan_evaluate(plan, pair_parameters, loss, gradient, &error) == DC_OK, "%s", error.text);
  dc_plan_destroy(plan);
}

#endif
