// SPDX-License-Identifier: Apache-2.0
// Contacts of convex hulls by GJK, EPA and clipping: distances against a quadratic program, depths against all separating axes,
// contact points against boxes on boxes.
#include "bench/hull_manifold.h"

#include "base/random.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { POINTS = 24, PAIRS = 300, MOST_POINTS = POINTS * POINTS };

static double uniform(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static void draw_hull(struct dc_random *random, struct dc_arena *arena, struct dc_bench_hull *hull)
{
  double points[POINTS][3];
  struct dc_error error;
  for (int i = 0; i < POINTS; i++)
    for (int k = 0; k < 3; k++)
      points[i][k] = uniform(random, -0.5, 0.5) * (k + 1);
  CHECK(!dc_bench_make_hull((const double(*)[3])points, POINTS, arena, hull, &error), "a hull");
}

static void draw_pose(struct dc_random *random, double size, struct dc_pose *pose)
{
  double w[3];
  for (int k = 0; k < 3; k++) {
    w[k] = uniform(random, -2, 2);
    pose->position[k] = uniform(random, -size, size);
  }
  dc_rotation_exp(pose->quaternion, w);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

static void world(const struct dc_pose *pose, const double x[3], double out[3])
{
  dc_mat_apply(out, pose->rotation, x);
  dc_vec_add(out, out, pose->position);
}

// The point nearest to the origin of the hull of points: min |sum w x|^2 over weights of sum 1, by moving weight from the
// farthest point that has some to the nearest (Mitchell, Demyanov, Malozemov 1974).
static double program_distance(const double (*x)[3], int count)
{
  static double weight[MOST_POINTS];
  double at[3];
  for (int i = 0; i < count; i++)
    weight[i] = i == 0;
  dc_vec_copy(at, x[0]);
  for (int iteration = 0; iteration < 200000; iteration++) {
    int low = 0, high = -1;
    double step[3];
    for (int i = 0; i < count; i++) {
      if (dc_vec_dot(x[i], at) < dc_vec_dot(x[low], at))
        low = i;
      if (weight[i] > 0 && (high < 0 || dc_vec_dot(x[i], at) > dc_vec_dot(x[high], at)))
        high = i;
    }
    dc_vec_sub(step, x[low], x[high]);
    double slope = dc_vec_dot(step, at), square = dc_vec_dot(step, step);
    if (!(slope < -1e-15))
      break;
    double part = fmin(weight[high], -slope / square);
    weight[high] -= part;
    weight[low] += part;
    dc_vec_add_scaled(at, at, part, step);
  }
  return dc_vec_norm(at);
}

// The least overlap over all directions that may be the shortest way out: normals of faces, products of edges.
static double axis_depth(const struct dc_bench_hull *hulls, const struct dc_pose *poses)
{
  double depth = INFINITY, x[2][POINTS][3];
  for (int s = 0; s < 2; s++)
    for (int v = 0; v < hulls[s].vertex_count; v++)
      world(&poses[s], hulls[s].vertices[v], x[s][v]);
  double axes[2][3 * POINTS * POINTS][3];
  int counts[2] = {0, 0};
  static double directions[20000][3];
  int count = 0;
  for (int s = 0; s < 2; s++)
    for (int f = 0; f < hulls[s].face_count; f++) {
      dc_mat_apply(directions[count++], poses[s].rotation, hulls[s].normals[f]);
      int first = hulls[s].first[f], corners = hulls[s].first[f + 1] - first;
      for (int i = 0; i < corners; i++) {
        int a = hulls[s].corners[first + i], b = hulls[s].corners[first + (i + 1) % corners];
        if (a < b)
          dc_vec_sub(axes[s][counts[s]++], x[s][b], x[s][a]);
      }
    }
  for (int i = 0; i < counts[0]; i++)
    for (int j = 0; j < counts[1] && count < 20000; j++) {
      dc_vec_cross(directions[count], axes[0][i], axes[1][j]);
      double size = dc_vec_norm(directions[count]);
      if (size > 1e-9)
        dc_vec_scale(directions[count], directions[count], 1 / size);
      count += size > 1e-9;
    }
  for (int i = 0; i < count; i++) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int s = 0; s < 2; s++)
      for (int v = 0; v < hulls[s].vertex_count; v++) {
        double along = dc_vec_dot(directions[i], x[s][v]);
        low[s] = fmin(low[s], along);
        high[s] = fmax(high[s], along);
      }
    depth = fmin(depth, fmin(high[0] - low[1], high[1] - low[0]));
  }
  return depth;
}

static void test_distances(void)
{
  static struct dc_epa epa;
  static double difference[MOST_POINTS][3];
  struct dc_random random;
  double apart_off = 0, inside_off = 0, points_off = 0;
  int apart = 0, inside = 0;
  dc_random_seed(&random, 3);
  for (int i = 0; i < PAIRS; i++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_bench_hull hulls[2];
    struct dc_pose poses[2];
    double normal[3], points[2][3], between[3];
    for (int s = 0; s < 2; s++) {
      draw_hull(&random, arena, &hulls[s]);
      draw_pose(&random, 1.2, &poses[s]);
    }
    double distance = dc_bench_hull_distance(&epa, &hulls[0], &poses[0], &hulls[1], &poses[1], normal, points);
    dc_vec_sub(between, points[1], points[0]);
    dc_vec_add_scaled(between, between, -distance, normal);
    points_off = fmax(points_off, dc_vec_norm(between));
    if (distance < 0) {
      inside++;
      inside_off = fmax(inside_off, fabs(distance + axis_depth(hulls, poses)));
    } else {
      int count = 0;
      for (int a = 0; a < hulls[0].vertex_count; a++)
        for (int b = 0; b < hulls[1].vertex_count; b++, count++) {
          double x[2][3];
          world(&poses[0], hulls[0].vertices[a], x[0]);
          world(&poses[1], hulls[1].vertices[b], x[1]);
          dc_vec_sub(difference[count], x[0], x[1]);
        }
      apart++;
      apart_off = fmax(apart_off, fabs(distance - program_distance((const double(*)[3])difference, count)));
    }
    dc_arena_destroy(arena);
  }
  printf("# %d pairs apart within %.1e of the quadratic program, %d overlapping within %.1e of all axes, points %.1e\n",
         apart, apart_off, inside, inside_off, points_off);
  CHECK(apart > 50 && inside > 50, "%d apart, %d overlapping", apart, inside);
  CHECK(apart_off < 1e-7, "distances off by %g", apart_off);
  CHECK(inside_off < 1e-9, "depths off by %g", inside_off);
  CHECK(points_off < 1e-9, "points off by %g", points_off);
}

static void make_box(const double half[3], struct dc_arena *arena, struct dc_bench_hull *hull)
{
  double points[8][3];
  struct dc_error error;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++)
      points[i][k] = half[k] * (i >> k & 1 ? 1 : -1);
  CHECK(!dc_bench_make_hull((const double(*)[3])points, 8, arena, hull, &error), "a box");
  CHECK(hull->face_count == 6 && hull->first[6] == 24, "%d faces of %d corners", hull->face_count, hull->first[6]);
}

static const double HALF[3] = {0.5, 0.5, 0.5}, DEPTH = 0.02;

static int box_contacts(const struct dc_bench_hull *box, double x, double y, double yaw, double height,
                        struct dc_hull_contact contacts[DC_HULL_POINTS])
{
  static struct dc_epa epa;
  struct dc_pose poses[2] = {{.quaternion = {1, 0, 0, 0}}, {.quaternion = {1, 0, 0, 0}}};
  const double turn[3] = {0, 0, yaw};
  dc_vec_copy(poses[0].position, (const double[3]){x, y, height});
  dc_rotation_exp(poses[0].quaternion, turn);
  for (int s = 0; s < 2; s++)
    dc_rotation_matrix(poses[s].rotation, poses[s].quaternion);
  return dc_bench_hull_contacts(&epa, box, &poses[0], box, &poses[1], contacts);
}

// The face that two boxes have in common, deep or apart: a rectangle; of the octagon of a box turned by 45 degrees four corners.
static void test_boxes(void)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_bench_hull box;
  struct dc_hull_contact c[DC_HULL_POINTS];
  make_box(HALF, arena, &box);
  for (int apart = 0; apart < 2; apart++) {
    double gap = apart ? 0.03 : -DEPTH, height = 1 + gap, corners = 0;
    int count = box_contacts(&box, 0.2, 0.1, 0, height, c);
    CHECK(count == 4, "%d contacts", count);
    for (int i = 0; i < count; i++) {
      CHECK(fabs(c[i].distance - gap) < 1e-12 && fabs(c[i].normal[2] + 1) < 1e-12, "contact %d: %g", i, c[i].distance);
      CHECK(fabs(c[i].point[2] - (0.5 + 0.5 * gap)) < 1e-12, "height %g", c[i].point[2]);
      bool left = fabs(c[i].point[0] + 0.3) < 1e-12, right = fabs(c[i].point[0] - 0.5) < 1e-12;
      bool front = fabs(c[i].point[1] + 0.4) < 1e-12, back = fabs(c[i].point[1] - 0.5) < 1e-12;
      CHECK((left || right) && (front || back), "corner at %g %g", c[i].point[0], c[i].point[1]);
      corners += right + 2 * back;
    }
    CHECK(corners == 6, "each corner once");
  }
  int count = box_contacts(&box, 0, 0, M_PI / 4, 1 - DEPTH, c);
  CHECK(count == 4, "%d contacts", count);
  for (int i = 0; i < count; i++) {
    double most = fmax(fabs(c[i].point[0]), fabs(c[i].point[1])),
           least = fmin(fabs(c[i].point[0]), fabs(c[i].point[1]));
    CHECK(fabs(most - 0.5) < 1e-12 && fabs(least - (sqrt(0.5) - 0.5)) < 1e-12, "corner of the octagon at %g %g",
          c[i].point[0], c[i].point[1]);
  }
  dc_arena_destroy(arena);
}

// Two boxes on edges across each other meet in one point, at any faces' sides.
static void test_edges(void)
{
  static struct dc_epa epa;
  struct dc_arena *arena = dc_arena_create();
  struct dc_bench_hull box;
  struct dc_pose poses[2];
  double normal[3], points[2][3], top = 0.5 * sqrt(2);
  const double turns[2][3] = {{M_PI / 4, 0, 0}, {0, M_PI / 4, 0}};
  make_box(HALF, arena, &box);
  for (int s = 0; s < 2; s++) {
    dc_vec_copy(poses[s].position, (const double[3]){0.1 * s, 0.2 * s, s ? 0 : 2 * top + 0.05});
    dc_rotation_exp(poses[s].quaternion, turns[s]);
    dc_rotation_matrix(poses[s].rotation, poses[s].quaternion);
  }
  double distance = dc_bench_hull_distance(&epa, &box, &poses[0], &box, &poses[1], normal, points);
  CHECK(fabs(distance - 0.05) < 1e-12 && fabs(normal[2] + 1) < 1e-9, "%g along %g", distance, normal[2]);
  CHECK(fabs(points[0][0] - 0.1) < 1e-9 && fabs(points[0][1]) < 1e-9, "at %g %g", points[0][0], points[0][1]);
  dc_arena_destroy(arena);
}

RUN_TESTS({"distances and depths", test_distances}, {"boxes", test_boxes}, {"edges", test_edges})
