// SPDX-License-Identifier: Apache-2.0
// The first guess that takes a body between hands and carries it to its goal.
#include "plan/race_grasp.h"

#include "plan_scene.h"

// A gripper beside a cube of this size, %g, which is to lie on a step; %s: gravity, and the control of the right
// finger.
static const char scene_format[] =
    "{'name': 'grip', 'time': {'step': 0.03, 'steps': 90}, 'gravity': [0, 0, %s], 'contact': {'friction': 0.8},\n"
    " 'shapes': {'ground': {'type': 'plane'}, 'cube': {'type': 'box', 'size': [%g, 0.06, 0.06]},\n"
    "            'step': {'type': 'box', 'size': [0.16, 0.2, 0.1]},\n"
    "            'palm': {'type': 'box', 'size': [0.24, 0.06, 0.03]}, 'finger': {'type': 'box', 'size': [0.02, 0.04, "
    "0.1]}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "            {'name': 'step', 'joint': 'fixed', 'shape': 'step', 'position': [0.35, 0, 0.051]},\n"
    "            {'name': 'cube', 'shape': 'cube', 'mass': 0.1, 'position': [0.05, 0, 0.031]},\n"
    "            {'name': 'palm', 'joint': [{'type': 'slide', 'axis': [1, 0, 0]}, {'type': 'slide', 'axis': [0, 0, 1]}],\n"
    "             'shape': 'palm', 'mass': 0.5, 'position': [0, 0, 0.3], 'pd': {'kp': 500, 'kd': 50, "
    "'gravity_compensation': true}},\n"
    "            {'name': 'left', 'parent': 'palm', 'frame': 'world', 'joint': {'type': 'slide', 'axis': [1, 0, 0]},\n"
    "             'shape': 'finger', 'mass': 0.1, 'position': [-0.07, 0, 0.225], 'pd': {'kp': 300, 'kd': 20}},\n"
    "            {'name': 'right', 'parent': 'palm', 'frame': 'world', 'joint': {'type': 'slide', 'axis': [1, 0, 0]},\n"
    "             'shape': 'finger', 'mass': 0.1, 'position': [0.07, 0, 0.225], 'pd': {'kp': 300, 'kd': 20}}],\n"
    " 'control': [{'type': 'pd_targets', 'body': 'palm', 'hold': 5}, {'type': 'pd_targets', 'body': 'left', 'hold': 5}%s],\n"
    " 'objective': [{'type': 'reach', 'body': 'cube', 'target': [0.35, 0, 0.132], 'tolerance': 0.03, 'rest': 0.1}]}\n";
static const char right_moves[] = ", {'type': 'pd_targets', 'body': 'right', 'hold': 5}";
enum { MOST_PARAMETERS = 72, STEPS = 90 };

static struct dc_scene *read_step(const char *gravity, double width, const char *right)
{
  char text[4096];
  snprintf(text, sizeof text, scene_format, gravity, width, right);
  return read_scene(text);
}

// One rollout of the guess puts the cube on the step, at rest there: also one that fits only between opened fingers.
static void test_on_step(void)
{
  static const double widths[] = {0.06, 0.03, 0.11};
  for (int k = 0; k < 3; k++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_scene *scene = read_step("-9.81", widths[k], right_moves);
    struct dc_hands hands = {.can_take = true};
    struct dc_error error = {0};
    double loss = NAN, parameters[MOST_PARAMETERS] = {0};
    CHECK(dc_approach_create(&hands.around, &scene->model, &scene->task, 2, arena));
    struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error);
    CHECK(plan && plan->parameter_count == MOST_PARAMETERS, "%s", error.text);
    struct dc_grasp grasp = {.squeeze = 0.3, .clearance = 0.7};
    CHECK(dc_grasp_guess(&hands, plan->model, plan->task, &plan->window, plan->state, &grasp, parameters));
    CHECK(dc_plan_evaluate(plan, parameters, &loss, NULL, &error) == DC_OK, "%s", error.text);
    CHECK(loss == 0, "width %g: loss %g", widths[k], loss);
    dc_plan_destroy(plan);
    dc_scene_destroy(scene);
    dc_arena_destroy(arena);
  }
}

// Writes the gripper's scene with a further body before the cube, and with controls behind those of the gripper's left finger.
static struct dc_scene *read_with(const char *body, const char *controls)
{
  char text[4608], with[5632];
  snprintf(text, sizeof text, scene_format, "-9.81", 0.06, controls);
  char *bodies = strstr(text, "{'name': 'cube'");
  snprintf(with, sizeof with, "%.*s%s,\n%s", (int)(bodies - text), text, body, bodies);
  return read_scene(with);
}

static bool guess_of(struct dc_scene *scene, struct dc_grasp *grasp, double *parameters)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_hands hands = {.can_take = true};
  const struct dc_window window = {.steps = STEPS, .time_step = 0.03};
  *grasp = (struct dc_grasp){.squeeze = 0.3, .clearance = 0.7};
  CHECK(dc_approach_create(&hands.around, &scene->model, &scene->task, 2, arena));
  bool made = dc_grasp_guess(&hands, &scene->model, &scene->task, &window, NULL, grasp, parameters);
  dc_arena_destroy(arena);
  return made;
}

// A control keeps its own first guess where it moves no hand: a ball joint that is held turned, a slide far away, or what
// hangs on the palm but carries no hand.
static void test_others(void)
{
  static const struct {
    const char *body, *control;
    int count;
  } others[] = {
      {"{'name': 'lamp', 'joint': 'ball', 'anchor': [2, 0, 1], 'shape': 'finger', 'mass': 0.1, 'position': [2, 0, 1], "
       "'pd': {'kp': 9, 'kd': 1}}",
       "{'type': 'pd_targets', 'body': 'lamp', 'hold': 90}", 3},
      {"{'name': 'door', 'joint': {'type': 'slide', 'axis': [0, 0, 1]}, 'shape': 'finger', 'collide': false, 'mass': 0.1, "
       "'position': [2, 0, 1], 'pd': {'kp': 9, 'kd': 1}}",
       "{'type': 'pd_targets', 'body': 'door', 'hold': 90}", 1},
      {"{'name': 'eye', 'parent': 'palm', 'joint': {'type': 'hinge', 'axis': [0, 0, 1]}, 'shape': 'finger', 'collide': "
       "false, 'mass': 0.1, 'position': [0, 0, 0.1], 'pd': {'kp': 9, 'kd': 1}}",
       "{'type': 'pd_targets', 'body': 'eye', 'hold': 90}", 1}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    char controls[256];
    snprintf(controls, sizeof controls, "%s, %s", right_moves, others[k].control);
    struct dc_scene *scene = read_with(others[k].body, controls);
    double parameters[MOST_PARAMETERS + 3] = {[MOST_PARAMETERS] = 0.3, 0.2, 0.1};
    struct dc_grasp grasp;
    CHECK(guess_of(scene, &grasp, parameters));
    CHECK(parameters[0] != 0, "hands move");
    CHECK(parameters[MOST_PARAMETERS] == 0.3, "%s: %g", others[k].control, parameters[MOST_PARAMETERS]);
    CHECK(others[k].count == 1 || (parameters[MOST_PARAMETERS + 1] == 0.2 && parameters[MOST_PARAMETERS + 2] == 0.1));
    dc_scene_destroy(scene);
  }
}

// Forty slides beside the gripper count for nothing; where the palm hangs on them they are too many, which is told.
static void test_many(void)
{
  enum { SLIDES = 40 };
  static const char palm[] = "{'name': 'palm',";
  for (int carry = 0; carry < 2; carry++) {
    char text[4608], bodies[12288] = "", controls[4096], with[20480];
    size_t written = 0, controlled = (size_t)snprintf(controls, sizeof controls, "%s", right_moves);
    for (int i = 0; i < SLIDES; i++) {
      char parent[32] = "";
      if (carry && i)
        snprintf(parent, sizeof parent, " 'parent': 'k%d',", i - 1);
      written += (size_t)snprintf(bodies + written, sizeof bodies - written,
                                  "{'name': 'k%d',%s 'joint': {'type': 'slide', 'axis': [0, 1, 0]}, 'shape': 'finger', 'mass': 0.1, "
                                  "'collide': false, 'position': [0, 1, 1], 'pd': {'kp': 9, 'kd': 1}},\n", i, parent);
      controlled += (size_t)snprintf(controls + controlled, sizeof controls - controlled,
                                     ", {'type': 'pd_targets', 'body': 'k%d', 'hold': 90}", i);
    }
    snprintf(text, sizeof text, scene_format, "-9.81", 0.06, "%s");
    char *cube = strstr(text, "{'name': 'cube'"), *hand = strstr(text, palm);
    char *last = strstr(hand, "%s");
    snprintf(with, sizeof with, "%.*s%s%.*s%s%s%.*s%s%s", (int)(cube - text), text, bodies, (int)(hand - cube), cube, palm,
             carry ? " 'parent': 'k39', 'frame': 'world'," : "", (int)(last - hand - (long)strlen(palm)),
             hand + strlen(palm), controls, last + 2);
    struct dc_scene *scene = read_scene(with);
    double parameters[MOST_PARAMETERS + SLIDES] = {0};
    struct dc_grasp grasp;
    struct dc_error error = {0};
    CHECK(guess_of(scene, &grasp, parameters) == !carry);
    CHECK(grasp.crowded == (carry == 1));
    if (carry)
      CHECK(dc_grasp_begin(&scene->model, &scene->task, STEPS, &grasp, parameters, &error) == DC_BAD_INPUT &&
            strstr(error.text, "more than 32 slides"), "%s", error.text);
    dc_scene_destroy(scene);
  }
}

static void test_none(void)
{
  struct dc_grasp grasp = {.squeeze = 0.3, .clearance = 0.7};
  struct dc_arena *arena = dc_arena_create();
  struct dc_scene *none = read_step("0", 0.06, right_moves);
  struct dc_hands hands = {.can_take = true};
  const struct dc_window window = {.steps = STEPS, .time_step = 0.03};
  double parameters[MOST_PARAMETERS] = {0};
  CHECK(dc_approach_create(&hands.around, &none->model, &none->task, 2, arena));
  CHECK(!dc_grasp_guess(&hands, &none->model, &none->task, &window, NULL, &grasp, parameters), "nothing is up");
  CHECK(parameters[0] == 0, "parameters stay");
  hands.around.hand_count = 1;
  CHECK(!dc_grasp_guess(&hands, &none->model, &none->task, &window, NULL, &grasp, parameters), "one hand holds nothing");
  dc_scene_destroy(none);
  dc_arena_destroy(arena);
}

RUN_TESTS({"a cube is put on a step", test_on_step}, {"other drives keep their targets", test_others},
          {"too many lead the hands", test_many},
          {"nothing to grasp", test_none})
