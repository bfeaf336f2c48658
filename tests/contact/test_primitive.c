// SPDX-License-Identifier: Apache-2.0
// Primitives behind their table: gap, frames, sum of a barrier, motion bound.  A new one joins `primitives`.
#include "contact/contact_scene.h"

static const char *const primitives[] = {"plane"};
enum { PRIMITIVES = sizeof primitives / sizeof *primitives };

// A box above a primitive that stands anywhere; every point that follows is on the outer side.
static struct dc_contact *start(struct scene *scene, const char *shape, struct dc_random *random)
{
  scene_start(scene);
  scene_body(scene, false, "box size=0.3,0.25,0.2 divisions=6,5,4");
  scene_body(scene, true, shape);
  scene_finish(scene);
  struct dc_contact *contact = scene_contact(scene, "bsh", "");
  struct dc_pose *poses = scene->poses;
  double outwards[3];
  pose_random_rotation(random, &poses[0]);
  pose_random_rotation(random, &poses[1]);
  for (int k = 0; k < 3; k++) {
    poses[1].position[k] = between(random, -1, 1);
    outwards[k] = poses[1].rotation[3 * k + 2];
  }
  dc_vec_add_scaled(poses[0].position, poses[1].position, between(random, 0.25, 0.6), outwards);
  dc_collider_turn(&contact->colliders[0], &poses[0]);
  dc_collider_turn(&contact->colliders[1], &poses[1]);
  return contact;
}

// The gradient is a unit vector and that of the gap, in the world as in any other frame.
static void test_gap(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int trial = 0; trial < 40 * PRIMITIVES; trial++) {
    struct scene scene;
    struct dc_contact *contact = start(&scene, primitives[trial / 40], &random);
    const struct dc_primitive *world = &contact->colliders[1].primitive;
    const struct dc_pose *frame = &scene.poses[0];
    struct dc_primitive seen, about = dc_primitive_about(world, frame);
    double x[3], local[3], turned[3], n[3], n_seen[3], n_about[3];
    world->type->see(world, frame->position, frame->rotation, &seen);
    for (int k = 0; k < 3; k++)
      local[k] = between(&random, -0.1, 0.1);
    dc_mat_apply(turned, frame->rotation, local);
    dc_vec_add(x, frame->position, turned);
    double gap = dc_primitive_gap(world, x, n);
    CHECK_NEAR(dc_vec_norm(n), 1, 2e-15);                            // observed: 6e-16
    CHECK_NEAR(dc_primitive_gap(&seen, local, n_seen), gap, 1e-15);  // observed: 2e-16
    CHECK_NEAR(dc_primitive_gap(&about, turned, n_about), gap, 1e-15);
    dc_mat_apply(turned, frame->rotation, n_seen);
    for (int k = 0; k < 3; k++) {
      double ahead[3], behind[3], step = 1e-6;
      CHECK_NEAR(turned[k], n[k], 2e-15);  // observed: 8e-16
      CHECK_NEAR(n_about[k], n[k], 1e-15);
      dc_vec_copy(ahead, x);
      dc_vec_copy(behind, x);
      ahead[k] += step;
      behind[k] -= step;
      double slope = (dc_primitive_gap(world, ahead, NULL) - dc_primitive_gap(world, behind, NULL)) / (2 * step);
      CHECK_NEAR(slope, n[k], 1e-9);  // observed: 1.3e-10, the rounding of gaps of 1 m over the step
    }
    scene_end(&scene);
  }
}

// b = 1/h + h^2/2 of points that weigh 1, by its index into blocks: every point must be asked for once.
static void barrier(const struct dc_primitive_points *points, int first, int count, const double *gaps,
                    double (*values)[3])
{
  CHECK(first >= 0 && first + count <= points->count, "%d + %d of %d", first, count, points->count);
  for (int v = 0; v < count; v++) {
    values[v][0] = 1 / gaps[v] + 0.5 * gaps[v] * gaps[v];
    values[v][1] = -1 / (gaps[v] * gaps[v]) + gaps[v];
    values[v][2] = 2 / (gaps[v] * gaps[v] * gaps[v]) + 1;
  }
}

static double sum_at(struct dc_contact *contact, const struct dc_pose *pose, int order, struct dc_pair_derivatives *sum,
                     double *least)
{
  struct dc_collider *a = &contact->colliders[0];
  dc_collider_turn(a, pose);
  struct dc_primitive seen = dc_primitive_about(&contact->colliders[1].primitive, pose);
  struct dc_primitive_points points = {contact, a, (const double(*)[3])a->turned, a->vertex_count, NULL};
  *sum = (struct dc_pair_derivatives){.energy = 0};
  *least = seen.type->sum(&seen, &points, barrier, order, sum);
  return sum->energy;
}

// Energy is the sum over the vertices, gradient and Hessian are those of differences, to second order in the step.
static void test_sum(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  for (int trial = 0; trial < 20 * PRIMITIVES; trial++) {
    struct scene scene;
    struct dc_contact *contact = start(&scene, primitives[trial / 20], &random);
    const struct dc_collider *a = &contact->colliders[0];
    struct dc_pair_derivatives sum, ahead, behind;
    double expected = 0, lowest = INFINITY, least, other, step = 1e-5;
    sum_at(contact, &scene.poses[0], 2, &sum, &least);
    for (int v = 0; v < a->vertex_count; v++) {
      double x[3];
      dc_vec_add(x, scene.poses[0].position, a->turned[v]);
      double gap = dc_primitive_gap(&contact->colliders[1].primitive, x, NULL);
      expected += 1 / gap + 0.5 * gap * gap;
      lowest = fmin(lowest, gap);
    }
    CHECK_NEAR(sum.energy, expected, 1e-13 * expected);
    CHECK_NEAR(least, lowest, 1e-15);
    double scale = fabs(sum.hessian[0]) + fabs(sum.hessian[20]) + 1e3;
    for (int k = 0; k < 6; k++) {
      struct dc_pose moved;
      double twist[6] = {0};
      twist[k] = 1;
      pose_move(&scene.poses[0], step, twist, &moved);
      sum_at(contact, &moved, 1, &ahead, &other);
      pose_move(&scene.poses[0], -step, twist, &moved);
      sum_at(contact, &moved, 1, &behind, &other);
      CHECK_NEAR((ahead.energy - behind.energy) / (2 * step), sum.gradient[k], 1e-8 * scale);
      for (int l = 0; l < 6; l++) {  // gradients about a frame that turns: symmetric part
        double along = (ahead.gradient[l] - behind.gradient[l]) / (2 * step);
        if (l == k || (k >= 3 && l >= 3))
          CHECK_NEAR(along, sum.hessian[k >= l ? k * (k + 1) / 2 + l : l * (l + 1) / 2 + k], 1e-7 * scale);
      }
    }
    scene_end(&scene);
  }
}

// Up to the stretch no vertex uses up its gap but for the part that is kept, and for straight motions the bound is
// exact.
static void test_stretch(void)
{
  struct dc_random random;
  dc_random_seed(&random, 3);
  const double keep = 0.1;
  for (int trial = 0; trial < 60 * PRIMITIVES; trial++) {
    struct scene scene;
    struct dc_contact *contact = start(&scene, primitives[trial / 60], &random);
    const struct dc_collider *a = &contact->colliders[0];
    const struct dc_primitive *primitive = &contact->colliders[1].primitive;
    double twists[2][6] = {{0}}, spin = trial % 2 ? 2 : 0, used = INFINITY;
    for (int k = 0; k < 6; k++)
      twists[0][k] = between(&random, -1, 1) * (k < 3 ? spin : 1.5);
    const struct dc_path *path = scene_path(&scene, (const double(*)[6])twists);
    struct dc_motion motion = {.path = path,
                               .moves = true,
                               .steady = path->frames[0].steady,
                               .spin = path->frames[0].turn * path->frames[0].turn,
                               .bend = path->frames[0].bend};
    CHECK(motion.steady, "a free body");
    dc_vec_copy(motion.start.center, path->poses[0].position);
    memcpy(motion.start.rotation, path->poses[0].rotation, sizeof motion.start.rotation);
    memcpy(motion.start.twist, path->frames[0].twist, sizeof motion.start.twist);
    double reach = primitive->type->stretch(primitive, a, &motion, keep, 0);
    for (int sample = 0; sample <= 100; sample++) {
      struct dc_pose pose;
      double twist[6], s = fmin(reach, 1) * sample / 100;
      dc_path_at(path, 0, s, &pose, twist);
      for (int v = 0; v < a->vertex_count; v++) {
        double x[3], start_x[3];
        dc_vec_add(start_x, path->poses[0].position, a->turned[v]);
        dc_mat_apply(x, pose.rotation, a->vertices[v]);
        dc_vec_add(x, x, pose.position);
        double first = dc_primitive_gap(primitive, start_x, NULL), left = dc_primitive_gap(primitive, x, NULL);
        CHECK(left >= keep * first - 1e-14, "%g of %g left at %g", left, first, s);
        used = fmin(used, left - keep * first);
      }
    }
    if (spin == 0 && reach < 1)
      CHECK_NEAR(used, 0, 1e-14);
    scene_end(&scene);
  }
}

RUN_TESTS({"gap and frames", test_gap}, {"sum of a barrier", test_sum}, {"motion bound", test_stretch})
