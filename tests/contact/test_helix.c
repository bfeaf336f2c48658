// SPDX-License-Identifier: Apache-2.0
// Certificates of motions along helices: the path is the one of constant twist between its ends, boxes that tip over
// edges at tiny gaps are clear, and no motion that is said to be clear meets anything on its way.
#include "contact/contact_scene.h"

static double distance_of(const double a[3], const double b[3])
{
  double d[3];
  dc_vec_sub(d, a, b);
  return dc_vec_norm(d);
}

// A point of the body at arm r of the start, at s; its velocity by the twist there.
static void point_at(const struct dc_path *path, double s, const double r[3], double x[3], double velocity[3])
{
  struct dc_pose pose;
  double twist[6], arm[3];
  dc_path_at(path, 0, s, &pose, twist);
  dc_mat_apply(arm, pose.rotation, r);
  dc_vec_add(x, pose.position, arm);
  dc_vec_cross(velocity, twist, arm);
  dc_vec_add(velocity, velocity, twist + 3);
}

// The twist about the origin of the world, (w, x' - w x x), is the same at any place of the path; ends are those of the
// straight path; velocities are those that differences show, accelerations w x them and never above the bound.
static void test_path(void)
{
  struct dc_random random;
  struct scene scene;
  dc_random_seed(&random, 11);
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.3,0.2,0.1");
  scene_finish(&scene);
  const double step = 1e-4;
  double ends = 0, twists = 0, slopes = 0, bends = 0;
  for (int i = 0; i < 200; i++) {
    double twist[1][6], r[3], x[3][3], v[3][3], first[3], size = i % 4 ? between(&random, 1e-3, 1) : 1e-7;
    pose_random_rotation(&random, &scene.poses[0]);
    random_direction(&random, scene.poses[0].position);
    random_direction(&random, twist[0]);
    dc_vec_scale(twist[0], twist[0], size);
    random_direction(&random, twist[0] + 3);
    random_direction(&random, r);
    scene_path(&scene, (const double(*)[6])twist);
    point_at(&scene.path, 1, r, x[0], v[0]);
    // The axis is |t| / (2 tan(|w| / 2)) or less away from the frame.
    CHECK(!dc_path_wind(&scene.path, 0, 0), "an axis through the frame");
    CHECK(dc_path_wind(&scene.path, 0, 1.1 / size), "turning by %g", size);
    CHECK(!dc_path_wind(&scene.path, 0, 1.1 / size), "once only");
    const struct dc_frame_path *frame = &scene.path.frames[0];
    point_at(&scene.path, 1, r, x[1], v[1]);
    ends = fmax(ends, distance_of(x[0], x[1]));
    for (int k = 0; k <= 10; k++) {
      double s = step + (1 - 2 * step) * k / 10, moment[3], slope[3], bend[3], across[3];
      for (int side = 0; side < 3; side++)
        point_at(&scene.path, s + (side - 1) * step, r, x[side], v[side]);
      dc_vec_cross(moment, twist[0], x[1]);
      dc_vec_sub(moment, v[1], moment);
      if (k == 0)
        dc_vec_copy(first, moment);
      twists = fmax(twists, distance_of(moment, first) / (1 + dc_vec_norm(first)));
      dc_vec_sub(slope, x[2], x[0]);
      dc_vec_scale(slope, slope, 0.5 / step);
      slopes = fmax(slopes, distance_of(slope, v[1]));
      dc_vec_sub(bend, v[2], v[0]);
      dc_vec_scale(bend, bend, 0.5 / step);
      dc_vec_cross(across, twist[0], v[1]);
      bends = fmax(bends, distance_of(bend, across));
      CHECK(dc_vec_norm(across) <= frame->bend + frame->turn * frame->turn * dc_vec_norm(r) * (1 + 1e-9), "bend");
    }
  }
  CHECK(ends <= 1e-14 && twists <= 1e-13 && slopes <= 1e-6 && bends <= 1e-6, "%g %g %g %g", ends, twists, slopes,
        bends);  // 1e-15, 2e-15, and of second order in the step
  static const double others[][1][6] = {
      {{0, 0, 0, 1, 2, 3}}, {{0.1, 0.2, 0.3, 0.5, 1, 1.5}}, {{0, 0, 1.1, 1, 0, 0}}, {{0, 0, NAN, 1, 0, 0}}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    scene_path(&scene, others[k]);
    CHECK(!dc_path_wind(&scene.path, 0, 10), "without a turn, along the axis, by more than 1, without a number: %zu",
          k);
  }
  scene_end(&scene);
}

// The twist between two poses whose rotation vector is w, about the point `about` of the world, and along w by `slide`.
static void turn_about(const struct dc_pose *pose, const double w[3], const double about[3], const double slide[3],
                       double twist[6])
{
  double q[4], rotation[9], arm[3], turned[3];
  dc_rotation_exp(q, w);
  dc_rotation_matrix(rotation, q);
  dc_vec_sub(arm, pose->position, about);
  dc_mat_apply(turned, rotation, arm);
  dc_vec_copy(twist, w);
  for (int k = 0; k < 3; k++)
    twist[3 + k] = turned[k] - arm[k] + slide[k];
}

// A cube that stands on an edge at a gap turns about that edge, by up to 0.5 rad, over meshes, leaves and a half-space.
// The straight motion goes through the floor wherever its sagitta exceeds the gap.
static void test_tipping(void)
{
  static const char *const cubes[] = {"box size=0.065,0.065,0.065", "box size=0.065,0.065,0.065 surface=leaves"};
  static const char *const floors[] = {"box size=1,1,0.1", "box size=1,1,0.1 surface=leaves", "plane"};
  int straight = 0, wound = 0, count = 0;
  for (int cube = 0; cube < 2; cube++)
    for (int floor = 0; floor < 3; floor++) {
      struct scene scene;
      struct dc_pair_derivatives pairs[1];
      scene_start(&scene);
      scene_body(&scene, false, cubes[cube]);
      scene_body(&scene, true, floors[floor]);
      scene_finish(&scene);
      scene.poses[1].position[2] = floor < 2 ? -0.05 : 0;
      struct dc_contact *contact = scene_contact(&scene, "bsh", "");
      for (int k = 0; k < 20; k++, count++) {
        int pair;
        double gap = pow(10, -4 - k % 4), turn = 0.05 * pow(10, 0.25 * (k / 4)), tilt = 0.3 + 0.1 * (k % 3);
        double twists[2][6] = {{0}}, upright[6] = {0, tilt}, spin[6] = {0, 0, 0.7}, slide[3] = {0, 0, 0};
        memset(&scene.poses[0], 0, sizeof scene.poses[0]);
        pose_turn_to(&scene.poses[0], (const double[4]){1, 0, 0, 0});
        pose_move(&scene.poses[0], 1, upright, &scene.poses[0]);
        pose_move(&scene.poses[0], 1, spin, &scene.poses[0]);
        double edge[3], axis[3] = {-turn * sin(0.7), turn * cos(0.7), 0};
        dc_mat_apply(edge, scene.poses[0].rotation, (const double[3]){0.0325, 0, -0.0325});
        scene.poses[0].position[2] = gap - edge[2];
        dc_vec_add(edge, edge, scene.poses[0].position);
        turn_about(&scene.poses[0], axis, edge, slide, twists[0]);
        CHECK(isfinite(dc_contact_evaluate(contact, scene.poses, 0, pairs)), "apart");
        scene_path(&scene, (const double(*)[6])twists);
        straight += dc_contact_path_clear(contact, &scene.path, &pair);
        bool clear = dc_contact_motion_clear(contact, &scene.path, &pair);
        wound += clear;
        CHECK(clear, "cube %d, floor %d, gap %g, turning by %g", cube, floor, gap, turn);
        twists[0][5] -= 1.5 * gap;
        scene_path(&scene, (const double(*)[6])twists);
        CHECK(!dc_contact_motion_clear(contact, &scene.path, &pair), "ending below the floor by half of the gap %g",
              gap);
      }
      scene_end(&scene);
    }
  printf("# cubes that tip: %d of %d motions clear, %d of them straight\n", wound, count, straight);
  CHECK(straight < count / 4, "%d of %d are clear without helices", straight, count);
}

// Places of the path as it was judged: whether bodies overlap anywhere on the way.
static bool meets(struct dc_contact *contact, const struct scene *scene, double resolution)
{
  double way = 0;
  for (int i = 0; i < scene->count; i++)
    way += scene->path.frames[i].shift + scene->path.frames[i].turn * scene->bodies.bodies[i].radius;
  int steps = (int)fmin(ceil(way / resolution) + 1, 5000);
  for (int i = 1; i <= steps; i++) {
    struct dc_pose moved[SCENE_BODIES];
    double depth, twist[6];
    int pair;
    for (int k = 0; k < scene->count; k++)
      dc_path_at(&scene->path, k, (double)i / steps, &moved[k], twist);
    if (dc_contact_overlap(contact, moved, &pair, &depth))
      return true;
  }
  return false;
}

struct counts {
  int straight, wound, crossing, timid;
};

// The vertex of the first body that is farthest against a direction, in the world.
static void lowest_vertex(const struct dc_contact *contact, const struct scene *scene, const double direction[3],
                          double vertex[3])
{
  const struct dc_collider *collider = &contact->colliders[0];
  int lowest = 0;
  for (int v = 1; v < collider->vertex_count; v++)
    if (dc_vec_dot(direction, collider->turned[v]) < dc_vec_dot(direction, collider->turned[lowest]))
      lowest = v;
  dc_vec_add(vertex, scene->poses[0].position, collider->turned[lowest]);
}

// Random motions by up to 1 rad: of the first body about where it nearly touches the second one, which stands still
// then, or of both about points in or near them, with a slip.  The third stands.
static void count_motion(struct dc_contact *contact, struct scene *scene, struct dc_random *random,
                         const double direction[3], bool tips, struct counts *counts)
{
  struct dc_pair_derivatives pairs[SCENE_BODIES * SCENE_BODIES];
  double twists[SCENE_BODIES][6] = {{0}}, w[3], about[3], slip[3];
  int pair;
  if (!isfinite(dc_contact_evaluate(contact, scene->poses, 0, pairs)))
    return;
  for (int body = 0; body < (tips ? 1 : 2); body++) {
    double size = scene->bodies.bodies[body].radius, turn = body ? 0.2 : 1;
    random_direction(random, w);
    dc_vec_scale(w, w, between(random, 0, turn));
    random_direction(random, about);
    dc_vec_scale(about, about, between(random, 0.3, 1) * size);
    dc_vec_add(about, about, scene->poses[body].position);
    random_direction(random, slip);
    dc_vec_scale(slip, slip, tips ? 0 : 0.01 * size);
    if (tips)
      lowest_vertex(contact, scene, direction, about);
    turn_about(&scene->poses[body], w, about, slip, twists[body]);
  }
  scene_path(scene, (const double(*)[6])twists);
  bool clear = dc_contact_path_clear(contact, &scene->path, &pair);
  counts->straight += clear;
  if (clear)
    return;
  clear = dc_contact_motion_clear(contact, &scene->path, &pair);
  CHECK(clear == (pair < 0), "pair %d", pair);
  bool met = meets(contact, scene, 1e-3);
  CHECK(!clear || !met, "a motion said to be clear meets something");
  counts->wound += clear;
  counts->crossing += met;
  counts->timid += !clear && !met;
}

// Cards, needles and plates that turn far close to each other: three bodies, of which two move.
static void test_thin_bodies(void)
{
  static const char *const bodies[][3] = {
      {"box size=0.4,0.3,0.002", "box size=0.3,0.3,0.002", "box size=0.5,0.02,0.02"},
      {"box size=0.5,0.004,0.004", "box size=0.004,0.4,0.004", "box size=0.6,0.6,0.004 divisions=2,2,1"},
      {"box size=0.4,0.3,0.002 surface=leaves", "box size=0.4,0.004,0.004 surface=leaves", "plane"},
      {"cylinder radius=0.15 height=0.003 sides=9", "sphere radius=0.05 level=1", "box size=0.3,0.3,0.003"}};
  struct dc_random random;
  struct counts counts = {0};
  dc_random_seed(&random, 12);
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    struct scene scene;
    scene_start(&scene);
    for (int i = 0; i < 3; i++)
      scene_body(&scene, i == 2, bodies[k][i]);
    scene_finish(&scene);
    struct dc_contact *contact = scene_contact(&scene, "bsh", "");
    for (int i = 0; i < 120; i++) {
      double direction[3], place[3];
      pose_random_rotation(&random, &scene.poses[0]);
      pose_random_rotation(&random, &scene.poses[1]);
      random_direction(&random, direction);
      random_direction(&random, place);
      dc_vec_scale(scene.poses[1].position, place, between(&random, 0.2, 0.5));
      if (k == 2)
        scene.poses[1].position[2] = fabs(scene.poses[1].position[2]) + 0.1;
      double gap = pow(10, between(&random, -6, -2));
      double distance = touching_distance(contact, scene.poses, direction) + gap;
      dc_vec_add_scaled(scene.poses[0].position, scene.poses[1].position, distance, direction);
      count_motion(contact, &scene, &random, direction, i % 2, &counts);
    }
    scene_end(&scene);
  }
  printf("# thin bodies: %d motions clear straight, %d more by helices, %d meet something, %d are not decided\n",
         counts.straight, counts.wound, counts.crossing, counts.timid);
  CHECK(counts.wound >= 10 && counts.crossing >= 50, "%d, %d", counts.wound, counts.crossing);
}

// A rod turns about a point near its end: along the helix its far end sweeps an arc, along the chord both ends are
// farther inwards by 0.3 (1 - cos(1/2)) = 0.037 m.  A ball is met by the far end on the helix only, another by the near
// end on the chord only, a third by neither.
static void test_between(void)
{
  struct scene scene;
  struct dc_pair_derivatives pairs[1];
  int pair;
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.65,0.05,0.05");
  scene_body(&scene, true, "sphere radius=0.01 level=1");
  scene_finish(&scene);
  struct dc_contact *contact = scene_contact(&scene, "bsh", "");
  double twists[2][6] = {{0}}, w[3] = {0, 0, 0.999}, about[3] = {0, 0, 0}, slide[3] = {0, 0, 0};
  scene.poses[0].position[0] = 0.3;
  turn_about(&scene.poses[0], w, about, slide, twists[0]);
  for (int k = 0; k < 3; k++) {
    double place = k == 0 ? 0.62 : k == 1 ? -0.05 : 0.66;
    scene.poses[1].position[0] = place * cos(0.5);
    scene.poses[1].position[1] = place * sin(0.5);
    contact->fixed_turned = false;
    CHECK(isfinite(dc_contact_evaluate(contact, scene.poses, 0, pairs)), "apart");
    scene_path(&scene, (const double(*)[6])twists);
    bool straight = dc_contact_path_clear(contact, &scene.path, &pair);
    bool clear = dc_contact_motion_clear(contact, &scene.path, &pair);
    CHECK(clear && straight == (k != 1), "ball %d", k);
    CHECK(!meets(contact, &scene, 1e-3), "ball %d", k);
    CHECK(scene.path.frames[0].helix == (k == 1), "only where it is needed");
    dc_path_wind(&scene.path, 0, 1);
    CHECK(dc_contact_path_clear(contact, &scene.path, &pair) == (k != 0), "the helix past ball %d", k);
  }
  scene_end(&scene);
}

// Links of a body would not follow it along a helix: one that carries any keeps its path.
static void test_links(void)
{
  struct scene scene;
  scene_start(&scene);
  scene_body(&scene, false, "box size=0.5,0.1,0.5");
  scene_body(&scene, false, "box size=0.05,0.05,0.05");
  scene_joint(&scene, 1, "hinge");
  scene.definitions[1].parent = 0;
  dc_vec_copy(scene.definitions[1].position, (const double[3]){0, 0, 0.4});
  scene_body(&scene, false, "box size=0.5,0.1,0.5");
  scene_finish(&scene);
  static const double twists[SCENE_BODIES][6] = {{0, 0.9, 0, 0.1}, {0}, {0, 0.9, 0, 0.1}};
  scene_path(&scene, twists);
  CHECK(!dc_path_wind(&scene.path, 0, 1) && !dc_path_wind(&scene.path, 1, 1), "a base and its link");
  CHECK(dc_path_wind(&scene.path, 2, 1), "a body alone");
  scene_end(&scene);
}

RUN_TESTS({"helices", test_path}, {"tipping over edges", test_tipping}, {"thin bodies", test_thin_bodies},
          {"chord and arc", test_between}, {"bodies with links", test_links})
