// SPDX-License-Identifier: Apache-2.0
// The judge of crossings itself, on motions whose answer is known.
#include "soak/crossing.h"
#include "harness.h"

enum { SPHERE_VERTICES = 26 };  // rings of 8 at three latitudes and two poles
static double sphere_vertices[SPHERE_VERTICES][3];
static int sphere_triangles[48][3];
static double box_vertices[2][8][3];
static int box_triangles[12][3];
static struct crossing_mesh ball, plate, rod;
static struct crossing_mesh ground = {.half_space = true};
static const double origin[7] = {0, 0, 0, 1};

static void add(int (*triangles)[3], int *count, int a, int b, int c)
{
  const int corners[3] = {a, b, c};
  memcpy(triangles[(*count)++], corners, sizeof corners);
}

// Of radius 1: poles at z = +-1, a ring of vertices at x = 1 and so on.
static void make_ball(void)
{
  static const double latitudes[3] = {-0.7853981633974483, 0, 0.7853981633974483};
  int count = 0;
  for (int ring = 0; ring < 3; ring++)
    for (int k = 0; k < 8; k++) {
      double *v = sphere_vertices[8 * ring + k], angle = k * 0.7853981633974483;
      v[0] = cos(latitudes[ring]) * cos(angle);
      v[1] = cos(latitudes[ring]) * sin(angle);
      v[2] = sin(latitudes[ring]);
    }
  sphere_vertices[24][2] = -1;
  sphere_vertices[25][2] = 1;
  for (int k = 0; k < 8; k++) {
    int next = (k + 1) % 8;
    add(sphere_triangles, &count, 24, next, k);
    add(sphere_triangles, &count, 25, 16 + k, 16 + next);
    for (int ring = 0; ring < 2; ring++) {
      add(sphere_triangles, &count, 8 * ring + k, 8 * ring + next, 8 * ring + 8 + k);
      add(sphere_triangles, &count, 8 * ring + next, 8 * ring + 8 + next, 8 * ring + 8 + k);
    }
  }
  ball = (struct crossing_mesh){SPHERE_VERTICES, count, sphere_vertices, sphere_triangles, NULL, false, NULL, NULL};
}

static void make_box(struct crossing_mesh *mesh, double (*vertices)[3], double x, double y, double z)
{
  static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  int count = 0;
  for (int k = 0; k < 8; k++) {
    vertices[k][0] = (k & 1 ? x : -x) / 2;
    vertices[k][1] = (k & 2 ? y : -y) / 2;
    vertices[k][2] = (k & 4 ? z : -z) / 2;
  }
  for (int k = 0; k < 6; k++) {
    add(box_triangles, &count, quads[k][0], quads[k][1], quads[k][2]);
    add(box_triangles, &count, quads[k][0], quads[k][2], quads[k][3]);
  }
  *mesh = (struct crossing_mesh){8, count, vertices, box_triangles, NULL, false, NULL, NULL};
}

static enum crossing_verdict judge(const struct crossing_mesh *a, const double *a0, const double *a1,
                                   const struct crossing_mesh *b, const double *b0, const double *b1)
{
  struct crossing_motion move_a = crossing_free_motion(a0, a1), move_b = crossing_free_motion(b0, b1);
  return crossing_between(a, &move_a, b, &move_b, 1e-9).verdict;
}

static void test_balls_that_swap(void)
{
  for (double far = 2; far < 3e3; far *= 3) {
    const double left[7] = {-far, 0.1, 0, 1}, right[7] = {far, 0, 0.2, 1};
    CHECK(judge(&ball, left, right, &ball, right, left) == CROSSING_FOUND, "distance %g", 2 * far);
  }
}

static void test_balls_that_bounce(void)
{
  const double left[7] = {-5, 0, 0, 1}, near_left[7] = {-1 - 1e-9, 0, 0, 1}, right[7] = {5, 0, 0, 1};
  const double near_right[7] = {1 + 1e-9, 0, 0, 1};
  CHECK(judge(&ball, left, near_left, &ball, right, near_right) == CROSSING_CLEAR);
  CHECK(judge(&ball, near_left, left, &ball, near_right, right) == CROSSING_CLEAR);
}

// The lower pole of one passes over the upper pole of the other.
static void test_near_miss(void)
{
  for (double gap = 1e-3; gap > 1e-12; gap *= 0.1) {
    const double left[7] = {-20, 0, 0, 1}, right[7] = {20, 0, 0, 1};
    const double above[7] = {0, 0, 2 + gap, 1}, touched[7] = {0, 0, 2 - gap, 1};
    CHECK(judge(&ball, left, right, &ball, above, above) == CROSSING_CLEAR, "gap %g", gap);
    enum crossing_verdict found = judge(&ball, left, right, &ball, touched, touched);
    CHECK(found == CROSSING_FOUND || (gap < 1e-9 && found == CROSSING_UNDECIDED), "depth %g: %d", gap, found);
  }
}

static void test_faces_that_slide(void)
{
  for (double gap = 1e-3; gap > 1e-12; gap *= 0.1) {
    const double from[7] = {-3, 0.2, 0.01 + gap, 1}, to[7] = {4, 0.1, 0.01 + gap, 1};
    const double low_from[7] = {-3, 0.2, 0.01 - gap, 1}, low_to[7] = {4, 0.1, 0.01 - gap, 1};
    CHECK(judge(&plate, from, to, &plate, origin, origin) == CROSSING_CLEAR, "gap %g", gap);
    CHECK(judge(&plate, low_from, low_to, &plate, origin, origin) == CROSSING_FOUND, "depth %g", gap);
  }
}

// A rod that lies above a plate before and after turns half way round in between.  Its corners pass at
// sqrt(1 + 0.005^2) from its centre.
static void test_rod_that_turns(void)
{
  double touch = sqrt(1 + 2.5e-5);
  for (double gap = 1e-2; gap > 1e-11; gap *= 0.1)
    for (int side = -1; side <= 1; side += 2) {
      enum crossing_verdict expected = side > 0 ? CROSSING_CLEAR : CROSSING_FOUND;
      double height = touch + side * gap;
      const double from[7] = {0, 0, height + 0.005, 1}, to[7] = {0, 0, height + 0.005, 1e-3, 0, 1, 0};
      const double low[7] = {0, 0, height, 1}, low_to[7] = {0, 0, height, 1e-3, 0, 1, 0};
      CHECK(judge(&rod, from, to, &plate, origin, origin) == expected, "plate, gap %g", side * gap);
      CHECK(judge(&plate, origin, origin, &rod, from, to) == expected, "the other way round, gap %g", side * gap);
      CHECK(judge(&rod, low, low_to, &ground, origin, origin) == expected, "half-space, gap %g", side * gap);
    }
}

// A carriage runs along x, a rod hangs on it by one end and swings through the vertical half-way. A rod tips over an
// edge that stays where it is: its chord crosses the ground, the turn about the edge does not, and from a radius on
// that is too small for the axis it is not looked for.
static void test_rod_that_tips(void)
{
  for (double gap = 1e-2; gap > 1e-9; gap *= 0.1)
    for (double turn = 0.05 + 4 * sqrt(gap); turn < 0.95; turn *= 2) {
      const double *edge = rod.vertices[1], start = 0.3;  // x > 0, z < 0
      double poses[2][7] = {{0}};
      for (int k = 0; k < 2; k++) {
        double angle = start + k * turn;
        poses[k][0] = -(cos(angle) * edge[0] + sin(angle) * edge[2]);
        poses[k][2] = gap - (-sin(angle) * edge[0] + cos(angle) * edge[2]);
        poses[k][3] = cos(angle / 2), poses[k][5] = sin(angle / 2);
      }
      struct crossing_motion straight = crossing_free_motion(poses[0], poses[1]), wound = straight;
      struct crossing_motion still = crossing_free_motion(origin, origin);
      struct crossing_pose end;
      double radius = hypot(edge[0], edge[2]);
      CHECK(!crossing_wind(&wound, 0.99 * radius) && crossing_wind(&wound, 1.01 * radius), "the axis is at the edge");
      crossing_pose_at(&wound, 1, &end);
      CHECK(hypot(end.position[0] - poses[1][0], end.position[2] - poses[1][2]) < 1e-12, "the same end");
      CHECK(crossing_between(&rod, &wound, &ground, &still, 1e-14).verdict == CROSSING_CLEAR, "gap %g, turn %g", gap,
            turn);
      double sagitta = radius * (1 - cos(turn / 2));
      CHECK(crossing_between(&rod, &straight, &ground, &still, 1e-14).verdict == CROSSING_FOUND || sagitta < 2 * gap,
            "gap %g, turn %g, straight", gap, turn);
    }
}

static void test_chain(void)
{
  const struct crossing_joint joints[2] = {{.slide = true, .axis = {1, 0, 0}},
                                           {.axis = {0, 1, 0}, .anchor = {-1, 0, 0}}};
  const double rest[7] = {0, 0, 0, 1}, from[2] = {-4, 0.5}, to[2] = {6, 3.14159265358979323846 - 0.5};
  struct crossing_chain chain = {.joint_count = 2, .joints = joints, .rest = crossing_pose_of(rest)};
  struct crossing_motion move = crossing_chain_motion(&chain, from, to);
  struct crossing_pose pose;
  crossing_pose_at(&move, 0.5, &pose);
  CHECK_NEAR(pose.position[0], 0, 1e-15);
  CHECK_NEAR(pose.position[2], -1, 1e-15);
  CHECK_NEAR(pose.rotation[6], -1, 1e-15);
  double touch = sqrt(4 + 2.5e-5);  // of the corners from the anchor
  for (double gap = 1e-2; gap > 1e-9; gap *= 0.1)
    for (int side = -1; side <= 1; side += 2) {
      enum crossing_verdict expected = side > 0 ? CROSSING_CLEAR : CROSSING_FOUND;
      const double floor[7] = {0, 0, -touch - side * gap, 1}, below[7] = {0, 0, -touch - side * gap - 0.005, 1};
      struct crossing_motion still = crossing_free_motion(floor, floor), table = crossing_free_motion(below, below);
      CHECK(crossing_between(&rod, &move, &ground, &still, 1e-9).verdict == expected, "half-space, gap %g", side * gap);
      CHECK(crossing_between(&rod, &move, &plate, &table, 1e-9).verdict == expected, "plate, gap %g", side * gap);
    }
}

// A quaternion and its negative are one rotation; the way is the shorter one.
static void test_shorter_way(void)
{
  const double from[7] = {0, 0, 0.5, cos(0.1), 0, sin(0.1), 0}, to[7] = {0, 0, 0.5, -cos(0.2), 0, -sin(0.2), 0};
  struct crossing_motion move = crossing_free_motion(from, to);
  struct crossing_pose pose;
  CHECK_NEAR(move.turn[1], 0.2, 1e-15);
  crossing_pose_at(&move, 0.5, &pose);
  CHECK_NEAR(pose.rotation[0], cos(0.3), 1e-15);
  CHECK_NEAR(pose.rotation[6], -sin(0.3), 1e-15);
  CHECK(judge(&rod, from, to, &plate, origin, origin) == CROSSING_CLEAR);
}

static double draw(void)
{
  static unsigned long long state = 88172645463325252ull;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1;
}

// Whether a vertex of a surface is inside the rod's box, shrunk, at some of many moments: no use of triangles.
static bool vertex_inside_rod(const struct crossing_mesh *mesh, const struct crossing_motion *move,
                              const struct crossing_motion *move_rod)
{
  for (int sample = 0; sample <= 2000; sample++) {
    struct crossing_pose pose, box;
    crossing_pose_at(move, sample / 2000.0, &pose);
    crossing_pose_at(move_rod, sample / 2000.0, &box);
    for (int v = 0; v < mesh->vertex_count; v++) {
      double arm[3], inside[3];
      for (int i = 0; i < 3; i++) {
        const double *r = &pose.rotation[3 * i], *x = mesh->vertices[v];
        arm[i] = pose.position[i] + r[0] * x[0] + r[1] * x[1] + r[2] * x[2] - box.position[i];
      }
      for (int i = 0; i < 3; i++)
        inside[i] = box.rotation[i] * arm[0] + box.rotation[3 + i] * arm[1] + box.rotation[6 + i] * arm[2];
      if (fabs(inside[0]) < 0.999 && fabs(inside[1]) < 0.00499 && fabs(inside[2]) < 0.00499)
        return true;
    }
  }
  return false;
}

// Surfaces that are disjoint before can only hold a vertex of each other after they have crossed.
static void test_random_motions(void)
{
  int found = 0, clear = 0;
  for (int k = 0; k < 2000; k++) {
    double pose[4][7];
    for (int i = 0; i < 28; i++)
      pose[i / 7][i % 7] = (i % 7 < 3 ? 1.6 : 1) * draw();
    struct crossing_motion move = crossing_free_motion(pose[0], pose[1]),
                           other = crossing_free_motion(pose[2], pose[3]);
    enum crossing_verdict verdict = crossing_between(&ball, &move, &rod, &other, 1e-9).verdict;
    found += verdict == CROSSING_FOUND;
    clear += verdict == CROSSING_CLEAR;
    CHECK(verdict != CROSSING_UNDECIDED, "motion %d", k);
    CHECK(verdict != CROSSING_CLEAR || !vertex_inside_rod(&ball, &move, &other), "motion %d", k);
  }
  CHECK(found > 200 && clear > 200, "%d crossings, %d clear", found, clear);
}

TEST_MAIN
{
  static const struct test tests[] = {
      {"balls that swap sides cross, however far they move", test_balls_that_swap},
      {"balls that meet to a nanometre and part again do not", test_balls_that_bounce},
      {"vertices that pass each other", test_near_miss},
      {"faces that slide over each other", test_faces_that_slide},
      {"a rod that turns through a plate between its states", test_rod_that_turns},
      {"a rod that tips over an edge crosses along its chord only", test_rod_that_tips},
      {"of two ways to turn the shorter one is taken", test_shorter_way},
      {"a rod on a carriage swings through the vertical", test_chain},
      {"random motions: what samples find inside has crossed", test_random_motions},
  };
  make_ball();
  make_box(&plate, box_vertices[0], 2, 2, 0.01);
  make_box(&rod, box_vertices[1], 2, 0.01, 0.01);
  if (!crossing_mesh_prepare(&ball) || !crossing_mesh_prepare(&plate) || !crossing_mesh_prepare(&rod))
    return 99;
  int failed = run_tests(tests, sizeof tests / sizeof *tests);
  free(ball.nodes);
  free(plate.nodes);
  free(rod.nodes);
  return failed;
}
