// SPDX-License-Identifier: Apache-2.0
// "overlaps": "separate": where bodies start that lie in each other or in the ground.
#include "harness.h"

#include "urdf_fixture.h"

#undef BOX
#define BOX "<geom type='box' size='.1 .1 .1' mass='1'/>"
#define WORLD(inner) "<mujoco><worldbody>" inner "</worldbody></mujoco>"

static double height_of(const struct dc_scene *scene, const char *name)
{
  for (int i = 0; i < scene->model.bodies.count; i++)
    if (strcmp(scene->model.bodies.bodies[i].name, name) == 0)
      return scene->model.bodies.bodies[i].start.position[2];
  return NAN;
}

// A start inside of the ground, of a free body, of one on slides, of two that lie in each other: each is moved by no
// more than what parts it, and what cannot move stays.
static void test_separate(void)
{
  static const char model[] = WORLD(
      "<geom name='floor' type='plane' size='1 1 1'/><body name='f' pos='0 0 .07'><freejoint/>" BOX
      "</body><body name='s' pos='3 0 .05'><joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/><geom size='.1' "
      "mass='1'/></body><body name='t' pos='6 0 .13'><freejoint/>" BOX "</body><body name='u' pos='6.15 0 "
      ".13'><freejoint/>" BOX "</body><body name='h' pos='9 0 .05'><joint axis='0 0 1'/>" BOX "</body>");
  struct dc_scene *scene = NULL;
  struct dc_error error = {0};
  write_bytes("robot.urdf", model, strlen(model));
  write_scene("scene.json",
              "{'contact': {'model': 'bsh'}, " TIME ", 'include': {'file': 'robot.urdf', 'overlaps': 'separate'}}");
  CHECK(dc_scene_read("scene.json", NULL, &scene, &error) == DC_OK, "%s", error.text);
  if (!scene)
    return;
  const struct dc_bodies *bodies = &scene->model.bodies;
  double gap = 2e-3 * 0.1 * sqrt(3), *q = bodies->initial_q;
  CHECK_NEAR(height_of(scene, "f"), 0.1 + gap, 1e-12);
  CHECK_NEAR(height_of(scene, "h"), 0.05, 0);
  int told = 0;
  for (const struct dc_note *note = scene->notes.first; note; note = note->next)
    told += strstr(note->text, "is moved by (") != NULL;
  CHECK(told == 4, "%d", told);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    if (strcmp(body->name, "s") == 0)
      CHECK_NEAR(q[body->q_offset], 0.05 + 2e-4, 2e-4);
    if (strcmp(body->name, "t") == 0)
      CHECK_NEAR(body->start.position[0], 6 - 0.025 - gap / 2, 1e-12);
    if (strcmp(body->name, "u") == 0)
      CHECK_NEAR(body->start.position[0], 6.175 + gap / 2, 1e-12);
  }
  CHECK(strstr(scene->resolved, "0.1003464"), "%s", scene->resolved);
  dc_scene_destroy(scene);
}

RUN_TESTS_IN_TEMPORARY_FOLDER({"starts moved apart", test_separate})
