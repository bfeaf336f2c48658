// SPDX-License-Identifier: Apache-2.0
// Hands that a race brings to the body that has a goal: which links they are, and how much their terms weigh.
#include "plan/race_approach.h"

#include "plan_scene.h"

// A gripper of a palm and two fingers above a cube, beside another cube without a goal; %s: the palm's control.
static const char gripper_format[] =
    "{'name': 'grip', 'time': {'step': 0.03, 'steps': 4},\n"
    " 'shapes': {'ground': {'type': 'plane'}, 'cube': {'type': 'box', 'size': [0.06, 0.06, 0.06]},\n"
    "            'palm': {'type': 'box', 'size': [0.2, 0.06, 0.03]}, 'finger': {'type': 'box', 'size': [0.02, 0.04, "
    "0.1]}},\n"
    " 'bodies': [{'name': 'ground', 'joint': 'fixed', 'shape': 'ground'},\n"
    "            {'name': 'other', 'shape': 'cube', 'mass': 0.1, 'position': [0.4, 0, 0.031]},\n"
    "            {'name': 'cube', 'shape': 'cube', 'mass': 0.1, 'position': [0.1, 0, 0.031]},\n"
    "            {'name': 'palm', 'joint': {'type': 'slide', 'axis': [0, 0, 1]}, 'shape': 'palm', 'mass': 0.5,\n"
    "             'position': [0, 0, 0.4], 'pd': {'kp': 500, 'kd': 50}},\n"
    "            {'name': 'left', 'parent': 'palm', 'frame': 'world', 'joint': {'type': 'slide', 'axis': [1, 0, 0]},\n"
    "             'shape': 'finger', 'mass': 0.1, 'position': [-0.07, 0, 0.325], 'pd': {'kp': 300, 'kd': 20}},\n"
    "            {'name': 'right', 'parent': 'palm', 'frame': 'world', 'joint': {'type': 'slide', 'axis': [1, 0, 0]},\n"
    "             'shape': 'finger', 'mass': 0.1, 'position': [0.07, 0, 0.325], 'pd': {'kp': 300, 'kd': 20}}],\n"
    " 'control': [%s],\n"
    " 'objective': [{'type': 'reach', 'body': '%s', 'target': [0.1, 0, 0.2], 'tolerance': 0.03}]}\n";
enum { CUBE = 2, LEFT = 4, RIGHT = 5, STEPS = 4 };
static const char palm_moves[] = "{'type': 'pd_targets', 'body': 'palm'}";

static struct dc_scene *read_gripper(const char *control, const char *goal)
{
  char text[4096];
  snprintf(text, sizeof text, gripper_format, control, goal);
  return read_scene(text);
}

static void test_hands(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_scene *scene = read_gripper(palm_moves, "cube");
  struct dc_approach approach;
  CHECK(dc_approach_create(&approach, &scene->model, &scene->task, 2, arena), "a gripper has hands");
  CHECK(approach.body == CUBE, "the cube with the goal, not the other: %d", approach.body);
  CHECK(approach.hand_count == 2 && approach.hands[0] == RIGHT && approach.hands[1] == LEFT,
        "fingers, the nearer first, not the palm: %d", approach.hand_count);
  CHECK(approach.task.objective_count == 4, "their distances and their middle are added");
  CHECK(scene->task.objective_count == 1, "the scene keeps its own");
  dc_scene_destroy(scene);
  dc_arena_destroy(arena);
}

// The terms that are added have about the loss that was given: they are squares of distances between surfaces, which
// are shorter than those of the centres that weigh them.
static void test_weights(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_scene *scene = read_gripper(palm_moves, "cube");
  struct dc_approach approach;
  struct dc_error error = {0};
  double own, with, parameters[STEPS] = {0};
  CHECK(dc_approach_create(&approach, &scene->model, &scene->task, 2, arena));
  struct dc_plan *plan = dc_plan_create(&scene->model, &scene->task, STEPS, &error);
  struct dc_plan *near = dc_plan_create(&scene->model, &approach.task, STEPS, &error);
  CHECK(plan && near, "%s", error.text);
  CHECK(dc_plan_evaluate(plan, parameters, &own, NULL, &error) == DC_OK, "%s", error.text);
  CHECK(dc_plan_evaluate(near, parameters, &with, NULL, &error) == DC_OK, "%s", error.text);
  CHECK(with - own > 1 && with - own < 2, "added terms: %g of 2", with - own);
  dc_plan_destroy(near);
  dc_plan_destroy(plan);
  dc_scene_destroy(scene);
  dc_arena_destroy(arena);
}

static void test_none(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_approach approach;
  struct dc_scene *own = read_gripper(palm_moves, "left"), *start = read_gripper(palm_moves, "cube");
  CHECK(!dc_approach_create(&approach, &own->model, &own->task, 2, arena),
        "a goal of the gripper itself needs no hands");
  CHECK(!dc_approach_create(&approach, &start->model, &start->task, 0, arena), "nothing is left to reach");
  dc_scene_destroy(own);
  dc_scene_destroy(start);
  start = read_gripper("{'type': 'initial_state', 'body': 'cube', 'velocity': 'xyz'}", "other");
  CHECK(!dc_approach_create(&approach, &start->model, &start->task, 2, arena), "a body that is thrown is no hand");
  dc_scene_destroy(start);
  dc_arena_destroy(arena);
}

RUN_TESTS({"hands of a gripper", test_hands}, {"weights", test_weights}, {"nothing to bring near", test_none})
