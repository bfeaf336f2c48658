// SPDX-License-Identifier: Apache-2.0
// Linear bounds on motions: they name what a motion would close, and only that.
#include "contact/contact_scene.h"

enum { GUARDS = 64 };
static const double KEEP = 0.3;

static int bounds_of(struct dc_contact *contact, struct scene *scene, const double (*twists)[6],
                     struct dc_gap_bound *bounds)
{
  struct dc_pair_derivatives pairs[SCENE_BODIES * SCENE_BODIES];
  double energy = dc_contact_evaluate(contact, scene->poses, 0, pairs);
  CHECK(isfinite(energy), "%g", energy);
  return dc_contact_gap_bounds(contact, scene_path(scene, twists), KEEP, bounds, GUARDS);
}

// By how much the motion brings the two points of a bound nearer to each other along its normal.
static double closing(const struct dc_gap_bound *bound, const double (*twists)[6])
{
  double a[3], b[3];
  dc_vec_cross(a, twists[bound->a], bound->arm_a);
  dc_vec_add(a, a, twists[bound->a] + 3);
  dc_vec_cross(b, twists[bound->b], bound->arm_b);
  dc_vec_add(b, b, twists[bound->b] + 3);
  dc_vec_sub(a, a, b);
  return -dc_vec_dot(bound->normal, a);
}

// Distance of the two points along the normal.
static double apart(const struct dc_gap_bound *bound, const struct scene *scene)
{
  double d[3];
  for (int k = 0; k < 3; k++)
    d[k] = scene->poses[bound->a].position[k] + bound->arm_a[k] - scene->poses[bound->b].position[k] - bound->arm_b[k];
  return dc_vec_dot(bound->normal, d);
}

// Faces of two boxes 1 mm apart: 0.7 mm may be used up, less what the planes of triangles that do not face each other
// squarely are tilted by.
static void test_faces(void)
{
  struct scene scene;
  struct dc_gap_bound bounds[GUARDS];
  scene_pair(&scene, "box size=0.2,0.2,0.2", "box size=0.2,0.2,0.2");
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  scene.poses[0].position[0] = 0.201;
  scene.poses[1].position[0] = 0;
  const double aside[2][6] = {{0, 0, 0, 0, 0.002, 0}}, away[2][6] = {{0, 0, 0, 0.05, 0, 0}},
               little[2][6] = {{0, 0, 0, -0.0005, 0, 0}}, much[2][6] = {{0, 0, 0, -0.01, 0, 0}, {0}},
               both[2][6] = {{0, 0, 0, -0.1, 0, 0}, {0, 0, 0, -0.1, 0, 0}},
               turn[2][6] = {{0, 0, 0, 0, 0, 0}, {0, 0, 0.1, 0, 0, 0}};
  CHECK(bounds_of(contact, &scene, aside, bounds) == 0, "sliding along the faces is free");
  CHECK(bounds_of(contact, &scene, away, bounds) == 0, "so is parting");
  CHECK(bounds_of(contact, &scene, little, bounds) == 0, "and half of the gap");
  CHECK(bounds_of(contact, &scene, both, bounds) == 0, "and what both do");
  CHECK(bounds_of(contact, &scene, much, bounds) == 1, "one bound for one pair");
  CHECK(bounds[0].room > 0.0005 && bounds[0].room < 0.0007, "%g", bounds[0].room);  // 0.00058 observed
  CHECK_NEAR(bounds[0].normal[0], 1, 1e-3);
  CHECK_NEAR(closing(&bounds[0], much), 0.01, 1e-5);
  CHECK(bounds_of(contact, &scene, turn, bounds) == 1, "a turn swings an edge of b towards a");
  CHECK_NEAR(bounds[0].arm_b[0], 0.1, 1e-12);
  CHECK_NEAR(bounds[0].arm_b[1], -0.1, 1e-12);
  scene_end(&scene);
}

// The vertex of a tilted box that uses up most of its own height.
static void test_half_space(void)
{
  struct scene scene;
  struct dc_gap_bound bounds[GUARDS];
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.2,0.2,0.2");
  scene_body(&scene, true, "plane");
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  const double lift[6] = {0, 0.3, 0, 0, 0, 0.15};
  struct dc_pose start = scene.poses[0];
  pose_move(&start, 1, lift, &scene.poses[0]);
  double low = 0.15 - 0.1 * (cos(0.3) + sin(0.3));
  const double fall[2][6] = {{0, 0, 0, 0, 0, -0.05}}, rise[2][6] = {{0, 0, 0, 0, 0, 0.05}};
  CHECK(bounds_of(contact, &scene, rise, bounds) == 0, "upwards");
  CHECK(bounds_of(contact, &scene, fall, bounds) == 1, "downwards");
  CHECK_NEAR(bounds[0].room, (1 - KEEP) * low, 1e-15);
  CHECK_NEAR(scene.poses[0].position[2] + bounds[0].arm_a[2], low, 1e-15);
  CHECK(bounds[0].normal[2] == 1 && bounds[0].a == 0 && bounds[0].b == 1, "of the box, upwards");
  scene_end(&scene);
}

// Random motions of random pairs: what a bound says is so; a motion that misses no bound ends where nothing
// meets.
static void test_random(void)
{
  static const char *const shapes[][2] = {
      {"sphere radius=0.1 level=1", "sphere radius=0.15 level=0"},
      {"box size=0.3,0.2,0.1", "box size=0.05,0.05,0.8 divisions=1,1,4"},
      {"box size=0.5,0.5,0.01 divisions=3,3,1", "cylinder radius=0.05 height=0.5 sides=6"}};
  struct dc_random random;
  dc_random_seed(&random, 7);
  int missed = 0, kept[2] = {0};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    struct scene scene;
    scene_pair(&scene, shapes[s][0], shapes[s][1]);
    struct dc_contact *contact = scene_contact(&scene, "bsh", "");
    for (int i = 0; i < 200; i++) {
      double twists[2][6] = {{0}}, direction[3], gap = exp(between(&random, log(1e-4), log(1e-2)));
      for (int body = 0; body < 2; body++)
        pose_random_rotation(&random, &scene.poses[body]);
      random_direction(&random, direction);
      dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position,
                        touching_distance(contact, scene.poses, direction) + gap, direction);
      bool turns = i % 2;
      for (int body = 0; body < 2; body++) {
        random_direction(&random, twists[body]);
        dc_vec_scale(twists[body], twists[body], turns ? 8 * gap : 0);
        random_direction(&random, twists[body] + 3);
        dc_vec_scale(twists[body] + 3, twists[body] + 3, 2 * gap);
      }
      struct dc_gap_bound bounds[GUARDS];
      int count = bounds_of(contact, &scene, (const double(*)[6])twists, bounds);
      CHECK(count <= 1, "%d bounds of one pair", count);
      if (count) {
        missed++;
        CHECK_NEAR(dc_vec_norm(bounds[0].normal), 1, 1e-12);
        bool stays = bounds[0].axis == DC_AXIS_STAYS;  // else both arms reach one point
        double way = apart(&bounds[0], &scene);
        CHECK(bounds[0].straight > 0 && (stays ? bounds[0].straight < way : fabs(way) < 1e-15), "room %g of %g",
              bounds[0].straight, way);
        CHECK(closing(&bounds[0], (const double(*)[6])twists) > bounds[0].room, "%g closes, %g room",
              closing(&bounds[0], (const double(*)[6])twists), bounds[0].room);
      } else if (8 * gap < contact->pairs[0].near.beyond) {
        kept[turns]++;
        for (int body = 0; body < 2; body++) {
          struct dc_pose start = scene.poses[body];
          pose_move(&start, 1, twists[body], &scene.poses[body]);
        }
        int pair;
        double depth;
        CHECK(!dc_contact_overlap(contact, scene.poses, &pair, &depth), "a motion within its bounds overlaps by %g",
              depth);
      }
    }
    scene_end(&scene);
  }
  CHECK(missed > 100 && kept[0] > 50 && kept[1] > 50, "%d missed, %d and %d kept", missed, kept[0], kept[1]);
  printf("# %d motions missed a bound, %d shifts and %d turns missed none\n", missed, kept[0], kept[1]);
}

// Any number of threads, and no more than there is room for.
static void test_threads(void)
{
  struct scene scene;
  struct dc_gap_bound bounds[2][GUARDS];
  double twists[SCENE_BODIES][6] = {{0}};
  scene_start(&scene);
  for (int i = 0; i < 8; i++)
    scene_body(&scene, false, "sphere radius=0.1 level=3");
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  for (int i = 0; i < 8; i++) {
    scene.poses[i].position[0] = 0.202 * (i % 4);
    scene.poses[i].position[1] = 0.202 * (i / 4);
    twists[i][3] = -0.02 * (i % 4), twists[i][4] = -0.02 * (i / 4);
  }
  bounds_of(contact, &scene, (const double(*)[6])twists, bounds[0]);  // only what has cost much wakes threads
  int count = bounds_of(contact, &scene, (const double(*)[6])twists, bounds[0]);
  CHECK(dc_contact_most_threads(contact) != 1 && count >= 10, "%d bounds", count);
  scene_threads(3);
  const struct dc_path *path = scene_path(&scene, (const double(*)[6])twists);
  CHECK(dc_contact_gap_bounds(contact, path, KEEP, bounds[1], GUARDS) == count, "with three threads");
  CHECK(memcmp(bounds[0], bounds[1], (size_t)count * sizeof **bounds) == 0, "the same bits");
  scene_threads(1);
  CHECK(dc_contact_gap_bounds(contact, path, KEEP, bounds[1], 3) == 3, "three");
  double least = fmin(bounds[1][0].missed, fmin(bounds[1][1].missed, bounds[1][2].missed));
  int more = 0;
  for (int k = 0; k < count; k++)
    more += bounds[0][k].missed > least;
  CHECK(least > 0.01 && more <= 2, "those that are missed most: %d are missed by more than %g", more, least);
  scene_end(&scene);
}

RUN_TESTS({"faces", test_faces}, {"half space", test_half_space}, {"random motions", test_random},
          {"threads", test_threads})
