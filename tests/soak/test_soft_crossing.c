// SPDX-License-Identifier: Apache-2.0
// Soft scenes by the judge of crossings, which shares no code with libdc: surfaces of soft bodies against half-spaces,
// rigid bodies, each other and themselves, on the way from every frame to the next.
#include "harness.h"

#include "io/scene/scene.h"
#include "math/vector.h"
#include "plan/trajectory_plan.h"
#include "soak/crossing.h"

enum { MOST_BODIES = 40 };

struct world {
  struct dc_scene *scene;
  struct dc_plan *plan;
  struct crossing_mesh meshes[MOST_BODIES];
};

// The surface of a rigid body about its centre of mass.
static void take_rigid(const struct dc_body *body, struct crossing_mesh *mesh)
{
  const struct dc_mesh *from = &body->shape->mesh;
  mesh->half_space = body->shape->type && body->shape->type->half_space;
  mesh->vertex_count = from->vertex_count;
  mesh->triangle_count = from->triangle_count;
  mesh->triangles = from->triangles;
  mesh->vertices = malloc(((size_t)from->vertex_count + 1) * sizeof *mesh->vertices);
  for (int v = 0; v < from->vertex_count; v++)
    dc_vec_sub(mesh->vertices[v], from->vertices[v], body->center);
}

static struct crossing_motion motion_of(const struct world *world, int body, int step)
{
  const struct dc_trajectory *trajectory = world->plan->trajectory;
  double numbers[2][7];
  for (int end = 0; end < 2; end++) {
    const struct dc_pose *pose = &trajectory->poses[(size_t)(step + end) * (size_t)trajectory->bodies + (size_t)body];
    memcpy(numbers[end], pose->position, sizeof pose->position);
    memcpy(numbers[end] + 3, pose->quaternion, sizeof pose->quaternion);
  }
  return crossing_free_motion(numbers[0], numbers[1]);
}

static void set_step(struct world *world, int step)
{
  const struct dc_bodies *bodies = &world->scene->model.bodies;
  const struct dc_trajectory *trajectory = world->plan->trajectory;
  for (int s = 0; s < bodies->soft_count; s++) {
    const struct dc_soft *soft = &bodies->soft[s];
    const double *q = trajectory->q + (size_t)step * (size_t)trajectory->nq + soft->q_offset;
    world->meshes[soft->body].from = (const double(*)[3])q;
    world->meshes[soft->body].to = (const double(*)[3])(q + trajectory->nq);
  }
}

static void check_step(struct world *world, const char *name, int step, int *judged)
{
  const struct dc_bodies *bodies = &world->scene->model.bodies;
  set_step(world, step);
  for (int s = 0; s < bodies->soft_count; s++)
    for (int b = 0; b < bodies->count; b++) {
      const struct crossing_mesh *soft = &world->meshes[bodies->soft[s].body], *other = &world->meshes[b];
      if (!other->half_space && !other->triangle_count)
        continue;
      struct crossing_motion a = motion_of(world, bodies->soft[s].body, step), c = motion_of(world, b, step);
      struct crossing_result found = crossing_between(soft, &a, other, &c, 1e-9);
      CHECK(found.verdict == CROSSING_CLEAR, "%s, step %d: %s and %s: verdict %d, depth %g", name, step,
            bodies->bodies[bodies->soft[s].body].name, bodies->bodies[b].name, found.verdict, found.depth);
      ++*judged;
    }
}

// At most so many steps of a scene; steps that were divided go from state to state inside of them, and are left out.
static void check_scene(const char *name, int most)
{
  const char *folder = getenv("srcdir");
  char path[1024];
  struct dc_error error = {0};
  struct world world = {0};
  snprintf(path, sizeof path, "%s/scenes/%s.json", folder ? folder : ".", name);
  CHECK(dc_scene_read(path, NULL, &world.scene, &error) == DC_OK, "%s", error.text);
  const struct dc_model *model = &world.scene->model;
  int steps = model->definition.time.steps < most ? (int)model->definition.time.steps : most, judged = 0, divided = 0;
  double loss;
  world.plan = dc_plan_create(model, &world.scene->task, steps, &error);
  CHECK(world.plan && model->bodies.count <= MOST_BODIES, "%s", error.text);
  CHECK(dc_plan_evaluate(world.plan, world.plan->parameters, &loss, NULL, &error) == DC_OK, "%s", error.text);
  for (int b = 0; b < model->bodies.count; b++) {
    const struct dc_soft *soft = dc_soft_of(&model->bodies, b);
    if (soft)
      world.meshes[b] = (struct crossing_mesh){.vertex_count = soft->node_count,
                                               .triangle_count = soft->mesh.triangle_count,
                                               .triangles = soft->mesh.triangles};
    else
      take_rigid(&model->bodies.bodies[b], &world.meshes[b]);
  }
  for (int step = 0; step < steps; step++) {
    const int *between = world.plan->trajectory->between_first;
    if (between[step + 1] > between[step])
      divided++;
    else
      check_step(&world, name, step, &judged);
  }
  CHECK(judged > steps / 2 && divided < steps / 2, "%s: %d of %d steps divided", name, divided, steps);
  for (int b = 0; b < model->bodies.count; b++)
    free(world.meshes[b].vertices);
  dc_plan_destroy(world.plan);
  dc_scene_destroy(world.scene);
}

static void test_gripper(void)
{
  check_scene("soft_gripper", 60);
}

static void test_drape(void)
{
  check_scene("cloth_drape", 32);
}

static void test_jelly(void)
{
  check_scene("soft_identify", 30);
}

static void test_curtain(void)
{
  check_scene("cloth_curtain", 40);
}

// The judge itself: a sheet of one triangle that a fixed one is driven through, and beside it.
static void test_judge(void)
{
  static double fixed[3][3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  static int triangle[1][3] = {{0, 1, 2}};
  static const double above[3][3] = {{0, -0.2, 0.5}, {0, 0.2, 0.5}, {0, 0, 0.9}};
  static const double below[3][3] = {{0, -0.2, -0.9}, {0, 0.2, -0.9}, {0, 0, -0.5}};
  static const double aside[3][3] = {{0, -0.2, 0.1}, {0, 0.2, 0.1}, {0, 0, 0.5}};
  struct crossing_mesh sheet = {
      .vertex_count = 3, .triangle_count = 1, .triangles = triangle, .from = above, .to = below};
  struct crossing_mesh wall = {.vertex_count = 3, .triangle_count = 1, .vertices = fixed, .triangles = triangle};
  struct crossing_mesh ground = {.half_space = true};
  const double origin[7] = {0, 0, 0, 1};
  struct crossing_motion rest = crossing_free_motion(origin, origin);
  CHECK(crossing_between(&sheet, &rest, &wall, &rest, 1e-9).verdict == CROSSING_FOUND);
  CHECK(crossing_between(&sheet, &rest, &ground, &rest, 1e-9).verdict == CROSSING_FOUND);
  sheet.to = aside;
  CHECK(crossing_between(&sheet, &rest, &wall, &rest, 1e-9).verdict == CROSSING_CLEAR);
  CHECK(crossing_between(&sheet, &rest, &ground, &rest, 1e-9).verdict == CROSSING_CLEAR);
}

TEST_MAIN
{
  static const struct test tests[] = {
      {"the judge finds and does not find", test_judge},
      {"a gripper and a block", test_gripper},
      {"a cloth and a ball", test_drape},
      {"a jelly and the ground", test_jelly},
      {"a curtain and itself", test_curtain},
  };
  return run_tests(tests, sizeof tests / sizeof *tests);
}
