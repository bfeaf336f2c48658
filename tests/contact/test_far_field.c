// SPDX-License-Identifier: Apache-2.0
// The far field of soft bodies: derivatives against differences, what it promises against samples.
#include <float.h>

#include "contact/far/far_field.h"
#include "contact_scene.h"

enum { SOFT = 3, MOST = 700, POINTS = 400 };

// A block, a sheet and a rod, all soft, and a rigid box and a rigid ball, a fixed one and one that moves.
struct world {
  struct scene scene;
  struct dc_soft_definition soft[SOFT];
  struct dc_contact_settings settings;
  struct dc_far_field *field;
  double q[MOST], forward[MOST];
};

static void add_soft(struct world *world, const char *options, double x, double y, double z)
{
  struct scene *scene = &world->scene;
  int i = scene->count++;
  scene_options(scene, dc_soft_options, options, &world->soft[i]);
  scene_need(scene, !dc_options_set_defaults(dc_body_options, &scene->definitions[i], scene->arena, &scene->error),
             options);
  scene->definitions[i].name = dc_arena_printf(scene->arena, "soft%d", i);
  scene->definitions[i].soft = &world->soft[i];
  scene_joint(scene, i, "free");
  memcpy(scene->definitions[i].position, (double[]){x, y, z}, sizeof scene->definitions[i].position);
}

// Nodes are moved at random, by `noise`; the bodies are `gap` apart.
static void make_world(struct world *world, uint64_t seed, double gap, double noise, bool hierarchical)
{
  struct scene *scene = &world->scene;
  memset(world, 0, sizeof *world);
  scene_start(scene);
  add_soft(world, "size=0.12,0.08,0.06 cells=4,2,2 young=1e4 far_field=0.7", 0, 0, 0);
  add_soft(world, "type=cloth size=0.1,0.1 cells=5,4 young=1e4 far_field=0.5", 0.01, -0.02, 0.04 + gap);
  add_soft(world, "type=rod size=0.1 cells=7 young=1e4 thickness=0.002 far_field=0.3", 0, 0.05 + gap, 0.01);
  scene_body(scene, true, "box size=0.04,0.05,0.06 divisions=2,2,2");
  memcpy(scene->definitions[3].position, (double[]){-0.09 - gap, 0.009, 0.0375}, sizeof(double[3]));
  memcpy(scene->definitions[3].rotation, (double[]){0.9, 0.2, 0.1, 0.3743}, sizeof(double[4]));
  scene_body(scene, false, "sphere radius=0.03 level=1");
  memcpy(scene->definitions[4].position, (double[]){0.1 + gap, 0.009, 0.01}, sizeof(double[3]));
  scene_finish(scene);
  world->settings = (struct dc_contact_settings){.length = 0.3, .blend = 0.4, .reference_area = NAN};
  CHECK(!dc_far_field_create(&scene->bodies, &world->settings, hierarchical, &world->field, &scene->error), "%s",
        scene->error.text);
  struct dc_random random;
  dc_random_seed(&random, seed);
  dc_initial_state(&scene->bodies, world->q);
  for (int k = scene->bodies.first_node_q; k < scene->bodies.nq; k++) {
    world->q[k] += noise * dc_random_normal(&random);
    world->forward[k] = dc_random_normal(&random);
  }
}

static void destroy_world(struct world *world)
{
  dc_far_field_destroy(world->field);
  dc_arena_destroy(world->scene.arena);
}

// At q moved by step times forward, the free ball by step times an own shift.
static const double BALL[3] = {0.3, -0.7, 1.1};

static double evaluate(struct world *world, double step)
{
  const struct dc_bodies *bodies = &world->scene.bodies;
  double q[MOST];
  memcpy(q, world->q, sizeof q);
  for (int k = bodies->first_node_q; k < bodies->nq; k++)
    q[k] += step * world->forward[k];
  dc_poses(bodies, q, world->scene.poses);
  dc_vec_add_scaled(world->scene.poses[4].position, world->scene.poses[4].position, step, BALL);
  CHECK(!dc_far_field_evaluate(world->field, q, world->scene.poses), "memory");
  return dc_far_field_energy(world->field);
}

static void set_velocities(struct world *world)
{
  int count;
  struct dc_far_body *far = dc_far_field_bodies(world->field, &count);
  for (int b = 0; b < count; b++) {
    const struct dc_soft *soft = dc_soft_of(&world->scene.bodies, far[b].body);
    for (int p = 0; p < far[b].point_count && far[b].body != 3; p++)
      dc_vec_copy(far[b].velocity[p], soft ? world->forward + soft->q_offset + 3 * p : BALL);
  }
}

// All gradients one after the other; returns how many numbers.
static int list_gradient(struct world *world, bool product, double *list)
{
  int count, n = 0;
  struct dc_far_body *far = dc_far_field_bodies(world->field, &count);
  for (int b = 0; b < count; b++)
    for (int p = 0; p < far[b].point_count; p++, n += 3)
      dc_vec_copy(list + n, product ? far[b].product[p] : far[b].gradient[p]);
  CHECK(n <= 3 * POINTS, "%d", n);
  return n;
}

static double along_forward(struct world *world)
{
  double sum = 0;
  int count;
  set_velocities(world);
  struct dc_far_body *far = dc_far_field_bodies(world->field, &count);
  for (int b = 0; b < count; b++)
    for (int p = 0; p < far[b].point_count; p++)
      sum += dc_vec_dot(far[b].gradient[p], far[b].velocity[p]);
  return sum;
}

// Through touch, blends and distance, fourth-order differences; with all pairs of triangles, too.  Third derivatives jump
// where blends begin and end: with longer steps thousands of blends show that (2e-5 at 1e-5 m).
static void test_derivatives(void)
{
  const double gaps[4] = {1e-4, 0.02, 0.08, 1}, step = 3e-7, weights[4] = {8, -8, -1, 1}, moves[4] = {1, -1, 2, -2};
  for (int c = 0; c < 5; c++) {
    static struct world world;
    static double sums[3 * POINTS], list[3 * POINTS];
    make_world(&world, (uint64_t)c + 1, gaps[c % 4], 4e-3, c < 4);
    double slope = 0, worst = 0, size = 0;
    int n = 0;
    memset(sums, 0, sizeof sums);
    for (int end = 0; end < 4; end++) {
      slope += weights[end] * evaluate(&world, step * moves[end]) / (12 * step);
      n = list_gradient(&world, false, list);
      for (int k = 0; k < n; k++)
        sums[k] += weights[end] * list[k] / (12 * step);
    }
    evaluate(&world, 0);
    double along = along_forward(&world);
    dc_far_field_multiply(world.field);
    list_gradient(&world, true, list);
    for (int k = 0; k < n; k++) {
      worst = fmax(worst, fabs(list[k] - sums[k]));
      size = fmax(size, fabs(list[k]));
    }
    printf("# gap %g: %ld terms; slope %.2g, Hessian %.2g off\n", gaps[c % 4], dc_far_field_term_count(world.field),
           fabs(slope - along) / fabs(along), worst / size);
    // observed 2e-9 and 2e-9
    CHECK(fabs(slope - along) <= 1e-7 * fabs(along), "gap %g: slope %g, %g", gaps[c % 4], slope, along);
    CHECK(worst <= 1e-6 * size, "gap %g: Hessian off by %g", gaps[c % 4], worst / size);
    destroy_world(&world);
  }
}

// Whatever deforms, what bodies do to each other sums up to no force and no torque.
static void test_balance(void)
{
  const double gaps[3] = {1e-4, 0.03, 0.5};
  for (int c = 0; c < 3; c++) {
    static struct world world;
    double force[3] = {0}, torque[3] = {0}, size = 0;
    int count;
    make_world(&world, (uint64_t)c + 11, gaps[c], 5e-3, true);
    evaluate(&world, 0);
    struct dc_far_body *far = dc_far_field_bodies(world.field, &count);
    for (int b = 0; b < count; b++)
      for (int p = 0; p < far[b].point_count; p++) {
        const struct dc_pose *pose = &world.scene.poses[far[b].body];
        const struct dc_soft *soft = dc_soft_of(&world.scene.bodies, far[b].body);
        double x[3], turn[3];
        if (soft) {
          dc_vec_copy(x, world.q + soft->q_offset + 3 * p);
        } else {
          dc_mat_apply(x, pose->rotation, far[b].arm[p]);
          dc_vec_add(x, x, pose->position);
        }
        dc_vec_add(force, force, far[b].gradient[p]);
        dc_vec_cross(turn, x, far[b].gradient[p]);
        dc_vec_add(torque, torque, turn);
        size += dc_vec_norm(far[b].gradient[p]);
      }
    printf("# gap %g: force %.1e, torque %.1e of all\n", gaps[c], dc_vec_norm(force) / size,
           dc_vec_norm(torque) / size);
    CHECK(dc_vec_norm(force) <= 1e-13 * size, "gap %g: force %g of %g", gaps[c], dc_vec_norm(force), size);
    CHECK(dc_vec_norm(torque) <= 1e-13 * size, "gap %g: torque %g of %g", gaps[c], dc_vec_norm(torque), size);
    destroy_world(&world);
  }
}

// A deformed soft block and a ball beside it; [0]: the hierarchy, [1]: all pairs.
static void make_couple(struct world *world, double distance, bool hierarchical)
{
  struct scene *scene = &world->scene;
  memset(world, 0, sizeof *world);
  scene_start(scene);
  add_soft(world, "size=0.2,0.2,0.2 cells=4,4,4 young=1e4 far_field=1", 0, 0, 0);
  scene_body(scene, true, "sphere radius=0.1 level=2");
  memcpy(scene->definitions[1].position, (double[]){distance, 0.02, -0.01}, sizeof(double[3]));
  scene_finish(scene);
  world->settings = (struct dc_contact_settings){.length = 1, .blend = 0.3, .reference_area = 0.1};
  CHECK(!dc_far_field_create(&scene->bodies, &world->settings, hierarchical, &world->field, &scene->error), "%s",
        scene->error.text);
  struct dc_random random;
  dc_random_seed(&random, 5);
  dc_initial_state(&scene->bodies, world->q);
  for (int k = scene->bodies.first_node_q; k < scene->bodies.nq; k++)
    world->q[k] += 3e-3 * dc_random_normal(&random);
  dc_poses(&scene->bodies, world->q, scene->poses);
  CHECK(!dc_far_field_evaluate(world->field, world->q, scene->poses), "memory");
}

// From touch to a hundred sizes the block is pushed away, by ever less, by about what all pairs push, of which the hierarchy
// has never more energy; and what the force is at touch is bounded.
static void test_promises(void)
{
  double before = INFINITY, least = INFINITY, most = 0;
  for (double distance = 0.212; distance < 100; distance *= 1.02) {
    double force[2] = {0}, energy[2];
    for (int all = 0; all < 2; all++) {
      static struct world world;
      int count;
      make_couple(&world, distance, !all);
      struct dc_far_body *far = dc_far_field_bodies(world.field, &count);
      CHECK(count == 2 && far[0].body == 0, "%d bodies", count);
      for (int p = 0; p < far[0].point_count; p++)
        force[all] += far[0].gradient[p][0];
      energy[all] = dc_far_field_energy(world.field);
      destroy_world(&world);
    }
    CHECK(force[0] > 0, "at %g the block is pulled: %g", distance, force[0]);
    CHECK(energy[0] > 0 && energy[0] <= energy[1] * (1 + 1e-14), "at %g energies %g, %g", distance, energy[0],
          energy[1]);
    CHECK(force[0] < before, "at %g the force rises: %g after %g", distance, force[0], before);
    before = force[0];
    least = fmin(least, force[0] / force[1]);
    most = fmax(most, force[0] / force[1]);
  }
  printf("# force of the hierarchy over that of all pairs: %.3f to %.3f\n", least, most);
  CHECK(least > 0.8 && most < 1.1, "%g to %g", least, most);
}

RUN_TESTS({"derivatives against differences", test_derivatives}, {"balance", test_balance},
          {"pushes at any distance", test_promises})
