// SPDX-License-Identifier: Apache-2.0
// Certificates of motions on bows: the way is the one that was asked for, bodies that slide over corners are clear, alone
// and with others on top, what a larger part of a body would hit is not, and no motion said to be clear meets anything.
#include "contact/contact_scene.h"

// Places by differences of the way: velocities, accelerations and their bound, straight and on a helix.
static void test_path(void)
{
  struct dc_random random;
  struct scene scene;
  dc_random_seed(&random, 21);
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.3,0.2,0.1");
  scene_finish(&scene);
  const double step = 1e-4;
  double ends = 0, slopes = 0, bends = 0;
  for (int i = 0; i < 200; i++) {
    double twist[1][6], bow[3], none[3] = {0, 0, 0}, last[6], still[6];
    struct dc_pose poses[4];
    pose_random_rotation(&random, &scene.poses[0]);
    random_direction(&random, twist[0]);
    dc_vec_scale(twist[0], twist[0], between(&random, 1e-3, 1));
    random_direction(&random, twist[0] + 3);
    random_direction(&random, bow);
    scene_path(&scene, (const double(*)[6])twist);
    const struct dc_frame_path *frame = &scene.path.frames[0];
    if (i % 2)
      CHECK(dc_path_wind(&scene.path, 0, 2000), "wound");
    struct dc_frame_path before = *frame;
    dc_path_at(&scene.path, 0, 1, &poses[3], last);
    CHECK(dc_path_bow(&scene.path, 0, bow) && frame->bowed && frame->helix == (i % 2), "bowed");
    CHECK(!dc_path_wind(&scene.path, 0, 2000), "not wound after it");
    dc_path_at(&scene.path, 0, 0, &poses[0], still);
    dc_vec_sub(still, frame->twist + 3, still + 3);
    slopes = fmax(slopes, dc_vec_norm(still));
    dc_path_at(&scene.path, 0, 1, &poses[0], last);
    ends = fmax(ends, dc_vec_distance(poses[0].position, poses[3].position));
    for (int k = 0; k <= 10; k++) {
      double s = step + (1 - 2 * step) * k / 10, twists[3][6], slope[3], bend[3];
      for (int side = 0; side < 3; side++)
        dc_path_at(&scene.path, 0, s + (side - 1) * step, &poses[side], twists[side]);
      for (int c = 0; c < 3; c++) {
        slope[c] = (poses[2].position[c] - poses[0].position[c]) / (2 * step) - twists[1][3 + c];
        bend[c] = (twists[2][3 + c] - twists[0][3 + c]) / (2 * step);
      }
      slopes = fmax(slopes, dc_vec_norm(slope));
      bends = fmax(bends, dc_vec_norm(bend) / frame->bend);
      CHECK(dc_vec_norm(twists[1] + 3) <= frame->shift, "speed");
    }
    CHECK(dc_path_bow(&scene.path, 0, none) && !frame->bowed, "no bow any more");
    for (int k = 0; k < 6; k++)
      CHECK_NEAR(frame->twist[k], before.twist[k], 1e-13);
    CHECK_NEAR(frame->shift, before.shift, 1e-9);
    CHECK_NEAR(frame->bend, before.bend, 1e-9);
  }
  CHECK(ends <= 1e-14 && slopes <= 1e-6 && bends <= 1 + 1e-6, "%g %g %g", ends, slopes, bends);
  CHECK(bends > 0.99, "the bound is reached: %g", bends);
  scene_end(&scene);
}

static bool overlaps_at(struct dc_contact *contact, const struct scene *scene, double s)
{
  struct dc_pose moved[SCENE_BODIES];
  double depth, twist[6];
  int pair;
  for (int k = 0; k < scene->count; k++)
    dc_path_at(&scene->path, k, s, &moved[k], twist);
  return dc_contact_overlap(contact, moved, &pair, &depth);
}

// Whether bodies overlap anywhere on the way as it was judged.
static bool meets(struct dc_contact *contact, const struct scene *scene, int steps)
{
  for (int i = 1; i <= steps; i++)
    if (overlaps_at(contact, scene, (double)i / steps))
      return true;
  return false;
}

// Boxes stand on edges, one above the other: |x| is how far the lower edge of one may be below the ridge of the next, at
// x from it.  The lowest free one goes by 2 w from the left of its ridge to the right, w below it, with those on top.
// Half of sqrt(2) w opens the pair; where that is more than bows may have the motion is not clear.
static void slide(int on_top, const char *kind, double w, double gap, bool asked)
{
  struct scene scene;
  struct dc_pair_derivatives pairs[SCENE_BODIES * SCENE_BODIES];
  double twists[SCENE_BODIES][6] = {{0}}, tilt[6] = {0, M_PI / 4}, up = 0;
  int pair;
  scene_start(&scene);
  for (int i = 0; i < 2 + on_top; i++)
    scene_body(&scene, i == 0, kind);
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  for (int i = 0; i < scene.count; i++) {
    memset(&scene.poses[i], 0, sizeof scene.poses[i]);
    pose_turn_to(&scene.poses[i], (const double[4]){1, 0, 0, 0});
    pose_move(&scene.poses[i], 1, tilt, &scene.poses[i]);
    scene.poses[i].position[0] = i ? -w : 0;
    scene.poses[i].position[2] = up;
    up += 0.2 * sqrt(2) + (i ? sqrt(2) * gap : sqrt(2) * gap - w);
    twists[i][3] = i ? 2 * w : 0;
  }
  CHECK(isfinite(dc_contact_evaluate(contact, scene.poses, 0, pairs)), "apart");
  scene_path(&scene, (const double(*)[6])twists);
  CHECK(!dc_contact_path_clear(contact, &scene.path, &pair), "w %g: the straight way goes through the ridge", w);
  bool clear = dc_contact_motion_clear(contact, &scene.path, &pair);
  CHECK(clear == asked, "%d on top, w %g, gap %g: %s", on_top, w, gap, clear ? "clear" : "not clear");
  CHECK(!clear || !meets(contact, &scene, 400), "%d on top, w %g, gap %g meets something", on_top, w, gap);
  CHECK(scene.path.frames[1].bowed || !clear, "on a bow");
  scene_end(&scene);
}

static void test_corners(void)
{
  static const char *const kinds[] = {"box size=0.2,0.2,0.2", "box size=0.2,0.2,0.2 surface=leaves"};
  for (int kind = 0; kind < 2; kind++)
    for (int on_top = 0; on_top < 4; on_top++)
      for (int k = 0; k < 3; k++) {
        double gap = pow(10, -5 - k);
        slide(on_top, kinds[kind], 1e-4, gap, true);
        slide(on_top, kinds[kind], 2e-3, gap, false);
      }
}

// Links of a body would not follow it, and fixed bodies stay.
static void test_others(void)
{
  struct scene scene;
  static const double twists[SCENE_BODIES][6] = {{0, 0, 0, 0.1}, {0}, {0}}, bow[3] = {0, 0, 1e-3};
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.5,0.1,0.5");
  scene_body(&scene, false, "box size=0.05,0.05,0.05");
  scene_joint(&scene, 1, "hinge");
  scene.definitions[1].parent = 0;
  dc_vec_copy(scene.definitions[1].position, (const double[3]){0, 0, 0.4});
  scene_body(&scene, true, "box size=0.5,0.1,0.5");
  scene_finish(&scene);
  scene_path(&scene, twists);
  for (int body = 0; body < 3; body++)
    CHECK(!dc_path_bow(&scene.path, body, bow) && !scene.path.frames[body].bowed, "body %d", body);
  scene_end(&scene);
}

// Places the first body along a direction from the second one, nearly touching it, and lets its motion end as near to it,
// in a direction beside that one.
static void touch(struct dc_contact *contact, struct dc_random *random, struct dc_pose *poses, double direction[3],
                  double (*twists)[6])
{
  struct dc_pose moved[SCENE_BODIES];
  double aside[3], distance = touching_distance(contact, poses, direction) + pow(10, between(random, -7, -5));
  dc_vec_add_scaled(poses[0].position, poses[1].position, distance, direction);
  memcpy(moved, poses, sizeof moved);
  for (int k = 0; k < 2; k++)
    pose_move(&poses[k], 1, twists[k], &moved[k]);
  random_direction(random, aside);
  dc_vec_add_scaled(direction, direction, pow(10, between(random, -5, -3)), aside);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
  distance = touching_distance(contact, moved, direction) + pow(10, between(random, -7, -5));
  for (int k = 0; k < 3; k++)
    twists[0][3 + k] = moved[1].position[k] + distance * direction[k] - poses[0].position[k];
}

// Boxes turn and slide while they lean on each other: what is said to be clear is looked at closely, and is not clear
// when it ends deeper.
static void test_drawn(void)
{
  struct dc_random random;
  int straight = 0, bowed = 0, timid = 0, met = 0;
  dc_random_seed(&random, 22);
  struct scene scene;
  scene_start(&scene);
  for (int i = 0; i < 3; i++)
    scene_body(&scene, i == 2, i == 1 ? "box size=0.3,0.2,0.02" : "box size=0.3,0.3,0.02");
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  for (int i = 0; i < 400; i++) {
    struct dc_pair_derivatives pairs[SCENE_BODIES * SCENE_BODIES];
    double direction[3], place[3], twists[SCENE_BODIES][6] = {{0}};
    int pair;
    for (int k = 0; k < 2; k++) {
      pose_random_rotation(&random, &scene.poses[k]);
      random_direction(&random, twists[k]);
      dc_vec_scale(twists[k], twists[k], pow(10, between(&random, -4, -2)));
      random_direction(&random, twists[k] + 3);
      dc_vec_scale(twists[k] + 3, twists[k] + 3, pow(10, between(&random, -5, -3)));
    }
    random_direction(&random, direction);
    random_direction(&random, place);
    dc_vec_scale(scene.poses[1].position, place, between(&random, 0.2, 0.5));
    touch(contact, &random, scene.poses, direction, (double(*)[6])twists);
    if (!isfinite(dc_contact_evaluate(contact, scene.poses, 0, pairs)))
      continue;
    scene_path(&scene, (const double(*)[6])twists);
    bool clear = dc_contact_path_clear(contact, &scene.path, &pair);
    straight += clear;
    if (clear)
      continue;
    clear = dc_contact_motion_clear(contact, &scene.path, &pair);
    bool meet = meets(contact, &scene, 200);
    CHECK(!clear || !meet, "draw %d: a motion said to be clear meets something", i);
    for (int k = 0; k < 2; k++)
      CHECK(!clear || dc_vec_norm(scene.path.frames[k].bow) <= scene.bodies.bodies[k].radius / 256, "draw %d", i);
    bowed += clear && (scene.path.frames[0].bowed || scene.path.frames[1].bowed);
    timid += !clear && !meet;
    dc_vec_add_scaled(twists[0] + 3, twists[0] + 3, -2e-5, direction);
    scene_path(&scene, (const double(*)[6])twists);
    bool ends = overlaps_at(contact, &scene, 1);
    dc_contact_evaluate(contact, scene.poses, 0, pairs);
    CHECK(!ends || !dc_contact_motion_clear(contact, &scene.path, &pair), "draw %d ends in the other body", i);
    met += ends;
  }
  printf("# drawn boxes: %d motions clear straight, %d on bows, %d are not decided\n", straight, bowed, timid);
  CHECK(bowed >= 10 && timid <= bowed && met >= 10, "%d, %d, %d", bowed, timid, met);
  scene_end(&scene);
}

RUN_TESTS({"ways with a bow", test_path}, {"over corners", test_corners}, {"fixed bodies and links", test_others},
          {"drawn boxes", test_drawn})
