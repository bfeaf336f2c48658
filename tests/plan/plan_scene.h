// SPDX-License-Identifier: Apache-2.0
// Scenes from text and whole optimizations for the tests of src/plan.
#ifndef DC_TESTS_PLAN_SCENE_H
#define DC_TESTS_PLAN_SCENE_H

#include <unistd.h>

#include "harness.h"
#include "io/scene/scene.h"
#include "plan/receding_horizon.h"
#include "plan/refine.h"

// A pusher and what it pushes over the floor: the sections of a scene behind "time".  The objective goes on with more.
#define PUSH_SECTIONS                                                                                                  \
  " 'contact': {'stiffness': 1e-4, 'friction': 0.3},\n"                                                                \
  " 'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 0}, 'floor': {'type': 'plane'}},\n"                  \
  " 'bodies': [{'name': 'floor', 'shape': 'floor', 'joint': 'fixed'},\n"                                               \
  "            {'name': 'a', 'shape': 'ball', 'mass': 1, 'position': [-0.25, 0.02, 0.15],\n"                           \
  "             'pd': {'kp': 400, 'kd': 40, 'kp_rotation': 4, 'kd_rotation': 0.4}},\n"                                 \
  "            {'name': 'b', 'shape': 'ball', 'mass': 1, 'position': [0, 0, 0.12]}],\n"                                \
  " 'control': [{'type': 'pd_velocity', 'body': 'a', 'coordinates': 'x y'}],\n"                                        \
  " 'objective': [{'type': 'reach', 'body': 'b', 'target': [0.4, 0.1, 0], 'when': 'every'},\n"

// Quotes in text are single ones.
static inline struct dc_scene *read_scene(const char *text)
{
  char path[] = "/tmp/dcsim-plan-XXXXXX";
  int fd = mkstemp(path);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  struct dc_scene *scene = NULL;
  struct dc_error error = {0};
  if (!file) {
    printf("Bail out! cannot write %s\n", path);
    exit(1);
  }
  for (const char *c = text; *c; c++)
    fputc(*c == '\'' ? '"' : *c, file);
  fclose(file);
  if (dc_scene_read(path, NULL, &scene, &error) != DC_OK) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  unlink(path);
  return scene;
}

// Minimizes with the scene's optimizer; parameters NULL: the plan's own; result may be NULL.
static inline enum dc_status optimize(struct dc_plan *plan, const struct dc_scene *scene, const double *parameters,
                                      dc_plan_observer *observer, void *observer_context,
                                      struct dc_optimizer_result *result, struct dc_error *error)
{
  enum dc_status status = dc_plan_begin(plan, scene->optimizer, scene->optimizer_options,
                                        parameters ? parameters : plan->parameters, error);
  if (result)
    *result = (struct dc_optimizer_result){0};
  if (status)
    return status;
  status = dc_plan_continue(plan, observer, observer_context, error);
  if (result)
    *result = *dc_minimization_result(plan->descent.running);
  return status;
}

static inline struct dc_refine *refine_of(const struct dc_scene *scene)
{
  struct dc_error error = {0};
  struct dc_refine *refine = dc_refine_create(&scene->model, &scene->refinement.settings, scene->refinement.pairs.count,
                                              scene->refinement.pairs.objects, &error);
  if (!refine) {
    printf("Bail out! %s\n", error.text);
    exit(1);
  }
  return refine;
}

#endif
