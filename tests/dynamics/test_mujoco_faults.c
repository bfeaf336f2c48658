// SPDX-License-Identifier: Apache-2.0
// What goes wrong in MuJoCo, or for want of memory, comes back as an error.
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef DC_MUJOCO
#include <mujoco/mujoco.h>
#endif

#include "mujoco_scenes.h"

// An explosion is an error, and the next rollout knows nothing of it.
static void test_divergence(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  struct dc_error error = {0};
  if (!set_up(&experiment, HEAP, 1.0, ", 'mujoco': {'integrator': 'RK4'}"))
    return;
  roll(&experiment);
  struct dc_trajectory *first = dc_trajectory_create(&experiment.scene->model, 40);
  dc_trajectory_copy(first, experiment.trajectory);
  experiment.input->design.kp_scale[3] = 1e9;
  enum dc_status status = dc_rollout_forward(experiment.rollout, experiment.input, experiment.trajectory, &error);
  CHECK(status == DC_NUMERICAL && strstr(error.text, "MuJoCo"), "%d: %s", status, error.text);
  experiment.input->design.kp_scale[3] = 1;
  roll(&experiment);
  CHECK(same_bits(first, experiment.trajectory), "as before");
  dc_trajectory_destroy(first);
  tear_down(&experiment);
}

static void test_refusals(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  struct dc_error error = {0};
  struct dc_trajectory_cotangent frames = {0};
  if (!set_up(&experiment, HEAP, 1.0, ""))
    return;
  const struct dc_model *model = &experiment.scene->model;
  struct dc_rollout_cotangent *cotangent = dc_rollout_cotangent_create(model, 40);
  roll(&experiment);
  CHECK(!dc_model_has_adjoint(model), "no adjoint");
  enum dc_status status =
      dc_rollout_adjoint(experiment.rollout, experiment.input, experiment.trajectory, &frames, cotangent, &error);
  CHECK(status == DC_BAD_INPUT && strstr(error.text, "no adjoint"), "%d: %s", status, error.text);
  dc_rollout_cotangent_destroy(cotangent);
  experiment.input->q[model->bodies.bodies[1].q_offset + 2] = 0.05;
  status = dc_rollout_forward(experiment.rollout, experiment.input, experiment.trajectory, &error);
  CHECK(status == DC_INFEASIBLE && strstr(error.text, "overlap"), "%d: %s", status, error.text);
  tear_down(&experiment);
}

#ifdef DC_MUJOCO
static void *no_memory(size_t size)
{
  (void)size;
  return NULL;
}

// A rollout without memory for room fails, and the next one does not care.
static void check_out_of_memory(struct experiment *experiment)
{
  struct dc_error error = {0};
  void *(*before)(size_t) = mju_user_malloc;
  mju_user_malloc = no_memory;
  enum dc_status status = dc_rollout_forward(experiment->rollout, experiment->input, experiment->trajectory, &error);
  CHECK(status == DC_MEMORY, "%d: %s", status, error.text);
  status = dc_rollout_forward(experiment->rollout, experiment->input, experiment->trajectory, &error);
  CHECK(status == DC_MEMORY, "%d: %s", status, error.text);
  mju_user_malloc = before;
}
#endif

// More contacts than there is room for at first: 100 boxes on four corners each.
static void test_many_contacts(void)
{
  NEEDS_MUJOCO();
  struct experiment experiment;
  char *bodies = NULL;
  size_t length;
  FILE *file = open_memstream(&bodies, &length);
  for (int i = 0; file && i < 100; i++)
    fprintf(file, ", {'name': 'b%d', 'shape': 'box', 'position': [%g, %g, 0.0505]}", i, 0.2 * (i % 10), 0.2 * (i / 10));
  if (file)
    fclose(file);
  bool made =
      set_up(&experiment,
             "{'time': {'step': 0.01, 'steps': 12}, 'contact': {'model': 'mujoco', 'friction': 0.5},"
             "'mujoco': {'substeps': 2}, 'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.1]},"
             "'ground': {'type': 'plane'}}, 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'}%s]}",
             bodies);
  free(bodies);
  if (!made)
    return;
#ifdef DC_MUJOCO
  check_out_of_memory(&experiment);
#endif
  roll(&experiment);
  for (int i = 1; i <= 100; i++)
    CHECK_NEAR(last_pose(&experiment, i)->position[2], 0.05, 5e-4);  // 5.3e-5 observed
  tear_down(&experiment);
}

// A chain too deep for MuJoCo's reader is refused with its words.
static void test_refused_model(void)
{
  NEEDS_MUJOCO();
  enum { LINKS = 600 };
  struct dc_error error = {0};
  struct dc_scene *scene;
  char *bodies = NULL, *text = NULL;
  size_t length;
  FILE *file = open_memstream(&bodies, &length);
  for (int i = 0; file && i < LINKS; i++)
    fprintf(file, "%s{'name': 'b%d', 'shape': 'box', 'joint': 'hinge', 'collide': false%s%.0d%s}", i ? ", " : "", i,
            i ? ", 'parent': 'b" : "", i ? i - 1 : 0,
            i == 1 ? "0'"
            : i    ? "'"
                   : "");
  if (file)
    fclose(file);
  if (asprintf(&text,
               "{'time': {'step': 0.01, 'steps': 1}, 'contact': {'model': 'mujoco'},"
               "'shapes': {'box': {'type': 'box', 'size': [0.1, 0.1, 0.1]}}, 'bodies': [%s]}",
               bodies) < 0)
    return;
  write_scene("deep.json", text);
  CHECK(dc_scene_read("deep.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
  if (scene) {
    struct dc_rollout *rollout = dc_rollout_create(&scene->model, &error);
    CHECK(!rollout && error.status == DC_BAD_INPUT && strstr(error.text, "MuJoCo refuses"), "%s", error.text);
    dc_rollout_destroy(rollout);
  }
  dc_scene_destroy(scene);
  free(bodies);
  free(text);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"divergence", test_divergence}, {"refusals", test_refusals},
                              {"many contacts", test_many_contacts},
                              {"a model that MuJoCo refuses", test_refused_model})
