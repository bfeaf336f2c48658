// SPDX-License-Identifier: Apache-2.0
// What is told about the memory of plans beforehand, against what they allocate.
#include "plan/plan_memory.h"

#include "plan_scene.h"

#define SHAPES                                                                                                         \
  "'shapes': {'ball': {'type': 'sphere', 'radius': 0.1, 'surface': 'mesh', 'level': 1}, 'fine': {'type': 'sphere', "   \
  "'surface': 'mesh', 'radius': 0.1, "                                                                                 \
  "'level': 4}, "                                                                                                      \
  "'box': {'type': 'box', 'surface': 'mesh', 'size': [0.3, 0.3, 0.3]}, 'floor': {'type': 'plane'}, "                   \
  "'round': {'type': 'sphere', 'radius': 0.1, 'level': 4}, 'long': {'type': 'capsule', 'radius': 0.1, 'height': "      \
  "0.1}, "                                                                                                             \
  "'hull': {'type': 'box', 'size': [0.3, 0.3, 0.3]}, 'rims': {'type': 'cylinder', 'radius': 0.1, 'height': 0.2}}"

// A scene of count bodies of a shape, side by side, after what begins it.
static struct dc_scene *row_of(int count, const char *shape, const char *rest)
{
  char *text = malloc(256 * (size_t)count + 2000), *at = text;
  at += sprintf(at, "{'time': {'step': 0.01, 'steps': 10}, " SHAPES ", 'bodies': [");
  for (int i = 0; i < count; i++)
    at += sprintf(at, "%s{'name': 'b%d', 'shape': '%s', 'position': [%g, 0, 1]}", i ? ", " : "", i, shape, 0.5 * i);
  sprintf(at, "]%s}", rest);
  struct dc_scene *scene = read_scene(text);
  free(text);
  return scene;
}

static const struct {
  int count;
  const char *shape, *rest;
} scenes[] = {
    {1, "ball", ""},
    {2, "ball", ", 'control': [{'type': 'initial_state', 'body': 'b0', 'velocity': 'xyz'}]"},
    {2, "box", ", 'gravity': [0, 0, 0]"},
    {2, "fine", ""},
    {5, "ball", ""},
    {5, "box", ", 'contact': {'model': 'exact'}"},
    {10, "ball", ""},
    {10, "fine", ""},
    {10, "ball", ", 'contact': {'model': 'ipc', 'friction': 0.3}"},
    {20, "ball", ", 'contact': {'friction': 0.3}"},
    {20, "box", ", 'contact': {'model': 'sdrs'}"},
    {50, "ball", ""},
    {1, "round", ""},
    {5, "round", ""},
    {20, "round", ", 'contact': {'friction': 0.3}"},
    {50, "round", ""},
    {5, "long", ""},
    {20, "long", ", 'contact': {'friction': 0.3}"},
    {2, "hull", ""},
    {10, "hull", ", 'contact': {'friction': 0.3}"},
    {10, "rims", ""},
    {20, "rims", ", 'contact': {'model': 'exact'}"},
    {10, "round", ", 'contact': {'model': 'ipc'}"},
    {1, "round", ", 'control': [{'type': 'torque', 'body': 'b0', 'limit': [1]}]"},
};

// Within a hundredth, but for what is rounded up to whole blocks.
static void test_plans(void)
{
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
    struct dc_scene *scene = row_of(scenes[s].count, scenes[s].shape, scenes[s].rest);
    for (int steps = 0; steps <= 1000; steps += 250) {
      if (steps * dc_model_pair_count(&scene->model) > 100000)
        continue;
      struct dc_error error = {0};
      size_t begin = dc_allocated_bytes();
      struct dc_rollout *rollout = dc_rollout_create(&scene->model, &error);
      size_t own = dc_allocated_bytes() - begin;
      dc_rollout_destroy(rollout);
      begin = dc_allocated_bytes();
      struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, steps, &error);
      double made = (double)(dc_allocated_bytes() - begin - own);
      CHECK(plan != NULL, "%s", error.text);
      dc_plan_destroy(plan);
      double told = dc_plan_bytes(&scene->model, &scene->task, steps);
      CHECK(fabs(told - made) <= 0.01 * made + 4096, "scene %zu, %d steps: %g told, %g made", s, steps, told, made);
    }
    dc_scene_destroy(scene);
  }
}

// Bytes that a plan of so many steps makes besides its rollout.
static double made_by(struct dc_plan *create(const struct dc_model *, const struct dc_task *, int, struct dc_error *),
                      const struct dc_scene *scene, int steps)
{
  struct dc_error error = {0};
  size_t begin = dc_allocated_bytes();
  dc_rollout_destroy(dc_rollout_create(&scene->model, &error));
  size_t rollout = dc_allocated_bytes() - begin;
  begin = dc_allocated_bytes();
  struct dc_plan *plan = create(&scene->model, &scene->task, steps, &error);
  double made = (double)(dc_allocated_bytes() - begin - rollout);
  CHECK(plan != NULL, "%s", error.text);
  dc_plan_destroy(plan);
  return made;
}

static struct dc_plan *in_memory(const struct dc_model *model, const struct dc_task *task, int steps,
                                 struct dc_error *error)
{
  return dc_plan_create_forward(model, task, steps, false, error);
}

// What a simulation makes, a plan without a tape and one with: each as told, the tape alone between the last two.
static void test_tapes(void)
{
  enum { STEPS = 400 };
  struct dc_scene *scene = row_of(20, "ball", "");
  int *tape = &scene->model.definition.solver.tape;
  double pairs = STEPS * (double)dc_model_pair_count(&scene->model) * (double)sizeof(struct dc_pair_derivatives);
  double forward = made_by(in_memory, scene, STEPS), stored = made_by(dc_plan_create, scene, STEPS), told;
  CHECK_NEAR(dc_forward_plan_bytes(&scene->model, &scene->task, STEPS, false), forward, 0.01 * forward);
  CHECK(forward + pairs < stored, "%g for a simulation, %g for a plan", forward, stored);
  *tape = DC_TAPE_RECOMPUTED;
  double recomputed = made_by(dc_plan_create, scene, STEPS);
  CHECK_NEAR(recomputed, stored - pairs, 4096);
  told = dc_plan_bytes(&scene->model, &scene->task, STEPS);
  CHECK_NEAR(told, recomputed, 0.01 * recomputed);
  *tape = DC_TAPE_AUTO;
  double most = 1e9 / (pairs / STEPS);
  CHECK(dc_model_stores_tape(&scene->model, floor(most)) && !dc_model_stores_tape(&scene->model, ceil(most) + 1),
        "up to %g steps", most);
  *tape = DC_TAPE_STORED;
  CHECK(dc_model_stores_tape(&scene->model, 1e7), "whatever it takes");
  dc_scene_destroy(scene);
}

// What is kept comes with the first values that are asked for.
static void test_kept(void)
{
  struct dc_scene *scene = row_of(20, "ball", "");
  struct dc_error error = {0};
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, 100, &error);
  CHECK(plan != NULL, "%s", error.text);
  size_t begin = dc_allocated_bytes();
  dc_plan_keep_none(plan);
  double made = (double)(dc_allocated_bytes() - begin);
  CHECK(made > 0, "%g", made);
  CHECK_NEAR(dc_plan_kept_bytes(&scene->model, &scene->task, 100), made, 0.01 * made + 4096);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
}

// Blocks of nodes, with both iterative solvers from 5,000 on: more is told than made, which leaves room for solutions.
static void test_soft(void)
{
  static const int cells[] = {8, 18};
  for (int c = 0; c < 2; c++) {
    char text[1000];
    snprintf(text, sizeof text,
             "{'time': {'step': 0.01, 'steps': 4}, 'shapes': {'floor': {'type': 'plane'}}, 'bodies': [\n"
             " {'name': 'floor', 'shape': 'floor', 'joint': 'fixed'},\n"
             " {'name': 'b', 'position': [0, 0, 0.201], 'soft': {'form': 'block', 'size': [0.4, 0.4, 0.4],\n"
             "  'cells': [%d, %d, %d], 'young': 20000, 'poisson': 0.3}}]}",
             cells[c], cells[c], cells[c]);
    struct dc_scene *scene = read_scene(text);
    struct dc_error error = {0};
    size_t begin = dc_allocated_bytes();
    struct dc_rollout *rollout = dc_rollout_create(&scene->model, &error);
    double made = (double)(dc_allocated_bytes() - begin), told = dc_rollout_bytes(&scene->model);
    CHECK(rollout && made > 0.4 * told && made < 0.8 * told, "%g made, %g told", made, told);
    dc_rollout_destroy(rollout);
    dc_scene_destroy(scene);
  }
}

static void test_horizons(void)
{
  static const char rest[] = ", 'control': [{'type': 'initial_state', 'body': 'b0', 'velocity': 'xyz'}]";
  struct dc_scene *scene = row_of(5, "ball", rest);
  const struct dc_horizon horizon = {.length = 7, .iterations = 1, .apply = 1};
  scene->definition.time.steps = 400;
  scene->model.definition.time.steps = 400;
  struct dc_error error = {0};
  struct dc_rollout *rollout = dc_rollout_create(&scene->model, &error);
  dc_rollout_destroy(rollout);
  size_t begin = dc_allocated_bytes();
  struct dc_receding_horizon *h =
      dc_horizon_create(&scene->model, &scene->task, &horizon, scene->optimizer, scene->optimizer_options, &error);
  double made = (double)(dc_allocated_bytes() - begin);
  CHECK(h != NULL, "%s", error.text);
  dc_horizon_destroy(h);
  double told = dc_rollout_bytes(&scene->model) + dc_horizon_bytes(&scene->model, &scene->task, 7, 400);
  CHECK(fabs(told - made) <= 0.2 * made, "%g told, %g made", told, made);
  dc_scene_destroy(scene);
}

// The plant of a long run: every frame of it is kept for as long as it is executed.
static void test_execution(void)
{
  struct dc_scene *scene = row_of(5, "ball", "");
  enum { STEPS = 400, SUBSTEPS = 5 };
  const struct dc_plant plant = {.model = scene->model, .substeps = SUBSTEPS};
  struct dc_error error = {0};
  size_t begin = dc_allocated_bytes();
  struct dc_execution *execution = dc_execution_create(&plant, STEPS, &error);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene->model, 1);
  struct dc_trajectory *executed = dc_record_create(&scene->model, 1);
  CHECK(execution && dc_execution_begin(execution, input, 1, executed, &error) == DC_OK, "%s", error.text);
  double made = (double)(dc_allocated_bytes() - begin);
  double told = dc_execution_bytes(&plant, STEPS);
  CHECK(fabs(told - made) <= 0.2 * made, "%g told, %g made", told, made);
  dc_trajectory_destroy(executed);
  dc_rollout_input_destroy(input);
  dc_execution_destroy(execution);
  dc_scene_destroy(scene);
}

// The contact's lists grow with what is near, so the share of the whole run is what counts: within a fifth, of leaves
// within a factor of 1.3.
static void test_runs(void)
{
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
    struct dc_scene *scene = row_of(scenes[s].count, scenes[s].shape, scenes[s].rest);
    struct dc_error error = {0};
    double loss;
    enum { STEPS = 200 };
    size_t begin = dc_allocated_bytes();
    struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error);
    plan->trajectory->steps = plan->input->steps = plan->window.steps = 2;
    CHECK(dc_plan_evaluate(plan, plan->parameters, &loss, NULL, &error) == DC_OK, "scene %zu: %s", s, error.text);
    double made = (double)(dc_allocated_bytes() - begin);
    dc_plan_destroy(plan);
    double told = dc_rollout_bytes(&scene->model) + dc_plan_bytes(&scene->model, &scene->task, STEPS);
    printf("# scene %zu: %.0f told, %.0f made\n", s, told, made);
    bool leaves = scenes[s].shape[0] == 'r' || scenes[s].shape[0] == 'h' || scenes[s].shape[0] == 'l';
    double most = leaves ? 1.3 : 1.2, least = leaves ? 1 / 1.3 : 0.8;
    CHECK(told >= least * made && told <= most * made, "scene %zu: %g told, %g made", s, told, made);
    dc_scene_destroy(scene);
  }
}

RUN_TESTS({"plans of any number of steps", test_plans}, {"with and without tapes", test_tapes},
          {"what is kept", test_kept}, {"soft bodies", test_soft}, {"horizons", test_horizons},
          {"plants", test_execution}, {"runs of two dozen scenes", test_runs})
