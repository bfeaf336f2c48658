// SPDX-License-Identifier: Apache-2.0
// Contacts of convex hulls by GJK, EPA and clipping: distances against a quadratic program, depths against all
// separating axes; contact points lie on both hulls, and are those of boxes on boxes.
#include "bench/hull_manifold.h"

#include "base/random.h"
#include "bench/figure.h"
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

// The point nearest to the origin of the hull of points: min |sum w x|^2 over weights of sum 1, by moving weight from
// the farthest point that has some to the nearest (Mitchell, Demyanov, Malozemov 1974).
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

static void check_distances(uint64_t seed)
{
  static struct dc_epa epa;
  static double difference[MOST_POINTS][3];
  struct dc_random random;
  double apart_off = 0, inside_off = 0, points_off = 0;
  int apart = 0, inside = 0;
  dc_random_seed(&random, seed);
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
    points_off = larger(points_off, dc_vec_norm(between));
    if (distance < 0) {
      inside++;
      inside_off = larger(inside_off, fabs(distance + axis_depth(hulls, poses)));
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
      apart_off = larger(apart_off, fabs(distance - program_distance((const double(*)[3])difference, count)));
    }
    dc_arena_destroy(arena);
  }
  printf("# %d pairs apart within %.1e of the quadratic program, %d overlapping within %.1e of all axes, points %.1e\n",
         apart, apart_off, inside, inside_off, points_off);
  CHECK(apart > 50 && inside > 50, "%d apart, %d overlapping", apart, inside);
  // 2e-15 m, 1e-15 m and 1e-15 m observed
  CHECK(apart_off < 5e-14, "distances off by %g", apart_off);
  CHECK(inside_off < 2e-14, "depths off by %g", inside_off);
  CHECK(points_off < 2e-14, "points off by %g", points_off);
}

static void test_distances(void)
{
  for (uint64_t seed = 3; seed < 6; seed++)
    check_distances(seed);
}

// How far a point of the world stands out of a hull, m; 0 on its surface, less inside.
static double height_above(const struct dc_bench_hull *hull, const struct dc_pose *pose, const double x[3])
{
  double arm[3], local[3], most = -INFINITY;
  dc_vec_sub(arm, x, pose->position);
  dc_mat_apply_transposed(local, pose->rotation, arm);
  for (int f = 0; f < hull->face_count; f++) {
    dc_vec_sub(arm, local, hull->vertices[hull->corners[hull->first[f]]]);
    most = larger(most, dc_vec_dot(hull->normals[f], arm));
  }
  return most;
}

// The normal, world, of the face that is nearest to a direction; how near.
static double nearest_face(const struct dc_bench_hull *hull, const struct dc_pose *pose, const double direction[3],
                           double normal[3])
{
  double best = -INFINITY, n[3];
  for (int f = 0; f < hull->face_count; f++) {
    dc_mat_apply(n, pose->rotation, hull->normals[f]);
    double along = dc_vec_dot(n, direction);
    if (along > best)
      dc_vec_copy(normal, n);
    best = fmax(best, along);
  }
  return best;
}

struct found {
  int nearest, polygons, flat,
      deepest;  // pairs: without a polygon, with one, along a face's normal, to the deepest point
  double off;   // m
};

// Half the distance from a contact along the normal of the reference face is a point of the surface of either hull.
// Where that normal is the direction of the depth, no contact is deeper, and one is as deep, unless the face nearest to
// the direction does not have the deepest vertex.
static void check_contacts(struct dc_epa *epa, const struct dc_bench_hull hulls[2], const struct dc_pose poses[2],
                           struct found *found)
{
  struct dc_hull_contact c[DC_HULL_POINTS];
  double normal[3], back[3], points[2][3], planes[2][3], least = INFINITY;
  double distance = dc_bench_hull_distance(epa, &hulls[0], &poses[0], &hulls[1], &poses[1], normal, points);
  int count = dc_bench_hull_contacts(epa, &hulls[0], &poses[0], &hulls[1], &poses[1], c);
  dc_vec_scale(back, normal, -1);
  double along[2] = {nearest_face(&hulls[0], &poses[0], normal, planes[0]),
                     nearest_face(&hulls[1], &poses[1], back, planes[1])};
  int reference = along[1] > along[0];
  bool nearest = false;
  CHECK(count > 0 && count <= DC_HULL_POINTS, "%d contacts", count);
  for (int i = 0; i < count; i++) {
    double middle[3], off = 0;
    CHECK(dc_vec_distance(c[i].normal, normal) < 1e-14, "another normal");
    dc_vec_sub(middle, c[i].point, points[0]);
    dc_vec_add_scaled(middle, middle, -0.5 * distance, normal);
    nearest = count == 1 && c[i].distance == distance && dc_vec_norm(middle) < 1e-13;
    for (int s = 0; s < 2 && !nearest; s++) {
      double x[3];
      dc_vec_add_scaled(x, c[i].point, (s == reference ? -0.5 : 0.5) * c[i].distance, planes[reference]);
      off = larger(off, fabs(height_above(&hulls[s], &poses[s], x)));
    }
    found->off = larger(found->off, off);
    least = fmin(least, c[i].distance);
  }
  found->nearest += nearest;
  found->polygons += !nearest;
  if (nearest || along[reference] < 1 - 1e-12)
    return;
  found->flat++;
  found->deepest += fabs(least - distance) < 1e-12;
  CHECK(least > distance - 1e-12, "the deepest of %d contacts %g, depth %g", count, least, distance);
}

static void test_contacts(void)
{
  static struct dc_epa epa;
  struct found found = {.off = 0};
  struct dc_random random;
  dc_random_seed(&random, 9);
  for (int i = 0; i < 4 * PAIRS; i++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_bench_hull hulls[2];
    struct dc_pose poses[2];
    for (int s = 0; s < 2; s++) {
      draw_hull(&random, arena, &hulls[s]);
      draw_pose(&random, 1.2, &poses[s]);
    }
    check_contacts(&epa, hulls, poses, &found);
    dc_arena_destroy(arena);
  }
  printf("# %d pairs touch by faces, %d of %d at the deepest point, %d by nearest points; on the hulls to %.1e m\n",
         found.polygons, found.deepest, found.flat, found.nearest, found.off);
  CHECK(found.polygons > 100 && found.flat > 100 && found.nearest > 10, "too few of a kind");
  CHECK(100 * found.deepest >= 98 * found.flat, "%d of %d", found.deepest, found.flat);  // 380 of 383 observed
  CHECK(found.off < 5e-14, "contacts off the hulls by %g", found.off);                   // 2e-15 m observed
}

// Of all pairs of hulls of two bodies those whose balls meet are looked at: those left out are apart.
static void test_near(void)
{
  enum { HULLS = 4 };
  static struct dc_epa epa;
  struct dc_random random;
  int looked_at = 0, pairs = 0;
  dc_random_seed(&random, 4);
  for (int i = 0; i < 20; i++) {
    struct dc_arena *arena = dc_arena_create();
    struct dc_bench_hull hulls[2 * HULLS];
    struct dc_pose poses[2];
    struct dc_hull_contact c[DC_HULL_POINTS * HULLS * HULLS], one[DC_HULL_POINTS];
    int all = 0, expected = 0;
    for (int h = 0; h < 2 * HULLS; h++)
      draw_hull(&random, arena, &hulls[h]);
    for (int s = 0; s < 2; s++)
      draw_pose(&random, 4, &poses[s]);
    for (int h = 0; h < HULLS * HULLS; h++) {
      const struct dc_bench_hull *a = &hulls[h / HULLS], *b = &hulls[HULLS + h % HULLS];
      double centers[2][3], normal[3], points[2][3];
      world(&poses[0], a->center, centers[0]);
      world(&poses[1], b->center, centers[1]);
      int count = dc_bench_hull_contacts(&epa, a, &poses[0], b, &poses[1], one);
      bool near = dc_vec_distance(centers[0], centers[1]) < a->radius + b->radius;
      all += count;
      expected += near ? count : 0;
      looked_at += near;
      pairs++;
      CHECK(near || dc_bench_hull_distance(&epa, a, &poses[0], b, &poses[1], normal, points) > 0, "it overlaps");
    }
    CHECK(dc_bench_hulls_contacts(&epa, hulls, HULLS, hulls + HULLS, HULLS, poses, false, c) == all, "all pairs");
    CHECK(dc_bench_hulls_contacts(&epa, hulls, HULLS, hulls + HULLS, HULLS, poses, true, c) == expected, "near pairs");
    dc_arena_destroy(arena);
  }
  printf("# %d of %d pairs are near\n", looked_at, pairs);
  CHECK(looked_at > pairs / 5 && looked_at < 4 * pairs / 5, "%d of %d", looked_at, pairs);
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

// The face that two boxes have in common, deep or apart, is a rectangle.  With the upper box turned by 45 degrees it is
// an octagon, every other corner of which is chosen: those of a square.
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
  int sides = 0, diagonals = 0;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      double square = dc_vec_dot(c[i].point, c[i].point), apart = dc_vec_distance(c[i].point, c[j].point);
      square -= c[i].point[2] * c[i].point[2];
      sides += fabs(apart * apart - 2 * square) < 1e-12;
      diagonals += fabs(apart * apart - 4 * square) < 1e-12;
    }
  CHECK(sides == 4 && diagonals == 2, "%d sides, %d diagonals", sides, diagonals);
  dc_arena_destroy(arena);
}

// A corner some rounding errors away from a face: the direction to it is rounding itself, that of the contact is the
// face's.
static void test_touching(void)
{
  enum { POSES = 400 };
  static struct dc_epa epa;
  struct dc_arena *arena = dc_arena_create();
  struct dc_bench_hull box;
  struct dc_random random;
  double worst = 0, farthest = 0;
  dc_random_seed(&random, 7);
  make_box(HALF, arena, &box);
  for (int i = 0; i < POSES; i++) {
    struct dc_pose poses[2];
    double normal[3], points[2][3], axis[3], lowest[3], corner[3];
    double at[3] = {0.5 + 1e-15 * (1 << i % 8), uniform(&random, -0.4, 0.4), uniform(&random, -0.4, 0.4)};
    for (int s = 0; s < 2; s++)
      draw_pose(&random, 0.5, &poses[s]);
    dc_mat_apply(axis, poses[0].rotation, (const double[3]){1, 0, 0});
    dc_mat_apply_transposed(lowest, poses[1].rotation, axis);
    for (int k = 0; k < 3; k++)
      lowest[k] = lowest[k] > 0 ? -HALF[k] : HALF[k];
    dc_mat_apply(corner, poses[1].rotation, lowest);
    world(&poses[0], at, poses[1].position);
    dc_vec_sub(poses[1].position, poses[1].position, corner);
    farthest = larger(farthest, fabs(dc_bench_hull_distance(&epa, &box, &poses[0], &box, &poses[1], normal, points)));
    worst = larger(worst, dc_vec_distance(normal, axis));
  }
  printf("# touching boxes: distances within %.1e, normals within %.1e\n", farthest, worst);
  CHECK(farthest < 2e-13 && worst < 1e-9, "distance %g, normal off by %g", farthest, worst);
  dc_arena_destroy(arena);
}

// Of the seven corners of a prism that leans on a box the deepest is among the four that are chosen, whichever it is.
// None is opposite to another: the farthest from the highest need not be the deepest.
static void test_prism(void)
{
  static struct dc_epa epa;
  struct dc_arena *arena = dc_arena_create();
  struct dc_bench_hull hulls[2];
  struct dc_error error;
  double corners[14][3];
  make_box(HALF, arena, &hulls[1]);
  for (int i = 0; i < 14; i++)
    dc_vec_copy(corners[i],
                (const double[3]){0.4 * cos(2 * i * M_PI / 7), 0.4 * sin(2 * i * M_PI / 7), i < 7 ? -0.5 : 0.5});
  CHECK(!dc_bench_make_hull((const double(*)[3])corners, 14, arena, &hulls[0], &error), "a prism");
  for (int i = 0; i < 28; i++) {
    struct dc_pose poses[2] = {{.position = {0.02, 0.01, 1}}, {.quaternion = {1, 0, 0, 0}}};
    struct dc_hull_contact c[DC_HULL_POINTS];
    double about = i * M_PI / 14 + 0.1, normal[3], points[2][3], least = INFINITY;
    dc_rotation_exp(poses[0].quaternion, (const double[3]){0.02 * cos(about), 0.02 * sin(about), 0});
    for (int s = 0; s < 2; s++)
      dc_rotation_matrix(poses[s].rotation, poses[s].quaternion);
    double distance = dc_bench_hull_distance(&epa, &hulls[0], &poses[0], &hulls[1], &poses[1], normal, points);
    int count = dc_bench_hull_contacts(&epa, &hulls[0], &poses[0], &hulls[1], &poses[1], c);
    for (int k = 0; k < count; k++)
      least = fmin(least, c[k].distance);
    CHECK(count == 4 && distance < 0 && fabs(least - distance) < 1e-13, "%d contacts, %g of %g", count, least,
          distance);
  }
  dc_arena_destroy(arena);
}

// Hulls of a figure's parts have as few vertices as the paper's engine wants, all near the part's level set; points
// with too many corners are refused.
static void test_hulls(void)
{
  enum { MANY = 65 };
  struct dc_arena *arena = dc_arena_create();
  struct dc_manifold_surface surface;
  struct dc_bench_hull hulls[DC_FIGURE_PARTS], hull;
  struct dc_error error = {0};
  struct dc_random random;
  double points[MANY][3], g[3], worst = 0;
  CHECK(!dc_bench_figure(DC_FIGURE_PARTS, arena, &surface, &error), "%s", error.text);
  CHECK(!dc_bench_make_hulls(surface.sdf, arena, hulls, &error), "%s", error.text);
  for (int i = 0; i < DC_FIGURE_PARTS; i++) {
    CHECK(hulls[i].vertex_count <= DC_HULL_VERTICES_OF_PAPER, "%d vertices", hulls[i].vertex_count);
    for (int v = 0; v < hulls[i].vertex_count; v++) {
      struct dc_sdf part = *surface.sdf;
      part.children = &surface.sdf->children[i];
      part.child_count = 1;
      worst = larger(worst, fabs(dc_sdf_value(&part, hulls[i].vertices[v], g)) / hulls[i].radius);
    }
  }
  printf("# vertices are off level sets by %.1e of the radius\n", worst);
  CHECK(worst < 2e-9, "off by %g", worst);  // 1e-10 observed
  dc_random_seed(&random, 2);
  for (int i = 0; i < MANY; i++) {
    for (int k = 0; k < 3; k++)
      points[i][k] = uniform(&random, -1, 1);
    dc_vec_scale(points[i], points[i], 1 / dc_vec_norm(points[i]));
  }
  CHECK(dc_bench_make_hull((const double(*)[3])points, MANY, arena, &hull, &error) == DC_BAD_INPUT, "too many");
  CHECK(!dc_bench_make_hull((const double(*)[3])points, MANY - 1, arena, &hull, &error), "%s", error.text);
  dc_arena_destroy(arena);
}

// Two boxes that stand on edges across each other: the nearest points are where these cross.
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

RUN_TESTS({"hulls", test_hulls}, {"distances and depths", test_distances}, {"contacts", test_contacts},
          {"near pairs", test_near}, {"boxes", test_boxes}, {"touching boxes", test_touching}, {"a prism", test_prism},
          {"edges", test_edges})
