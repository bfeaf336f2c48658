// SPDX-License-Identifier: Apache-2.0
// Objects are clouds of points in pieces; each piece becomes its hull.
#include "bench/objects.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "geometry/convex/hull.h"
#include "geometry/mesh/mesh_groups.h"
#include "math/rotation.h"
#include "math/vector.h"

enum {
  MOST_PIECES = 32,
  MOST_POINTS = 2400,
  CONVEX_LEAST = 30,  // vertices of an object of the convex set
  CONVEX_MOST = 210,
  MOST_ATTEMPTS = 60
};

struct cloud {
  int count, pieces;
  int start[MOST_PIECES + 1];  // points start[i] to start[i + 1] - 1 are piece i
  double points[MOST_POINTS][3];
};

static void begin_piece(struct cloud *cloud)
{
  cloud->start[cloud->pieces++] = cloud->count;
  cloud->start[cloud->pieces] = cloud->count;
}

static void add_point(struct cloud *cloud, const double point[3])
{
  dc_vec_copy(cloud->points[cloud->count], point);
  cloud->start[cloud->pieces] = ++cloud->count;
}

static double between(struct dc_random *random, double least, double most)
{
  return least + (most - least) * dc_random_uniform(random);
}

// One of least ... most.
static int one_of(struct dc_random *random, int least, int most)
{
  return least + (int)((most - least + 1) * dc_random_uniform(random));
}

static void any_direction(struct dc_random *random, double direction[3])
{
  double length;
  do {
    for (int k = 0; k < 3; k++)
      direction[k] = dc_random_normal(random);
    length = dc_vec_norm(direction);
  } while (length < 1e-3);
  dc_vec_scale(direction, direction, 1 / length);
}

static void any_rotation(struct dc_random *random, double rotation[9])
{
  double quaternion[4];
  for (int k = 0; k < 4; k++)
    quaternion[k] = dc_random_normal(random);
  dc_rotation_normalize(quaternion);
  dc_rotation_matrix(rotation, quaternion);
}

static void add_placed(struct cloud *cloud, const struct dc_placement *placement, double x, double y, double z)
{
  double local[3] = {x, y, z}, point[3];
  dc_mat_apply(point, placement->rotation, local);
  dc_vec_add(point, point, placement->position);
  add_point(cloud, point);
}

static const struct dc_placement at_origin = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static void add_box(struct cloud *cloud, const struct dc_placement *placement, const double half[3])
{
  for (int k = 0; k < 8; k++)
    add_placed(cloud, placement, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
}

// A regular polygon at height z.
static void add_polygon(struct cloud *cloud, const struct dc_placement *placement, int sides, double radius, double z)
{
  for (int k = 0; k < sides; k++)
    add_placed(cloud, placement, radius * cos(2 * M_PI * k / sides), radius * sin(2 * M_PI * k / sides), z);
}

// Points of (|x/a|^(2/e2) + |y/b|^(2/e2))^(e2/e1) + |z/c|^(2/e1) = 1 (Barr 1981) in random directions p: the left side
// grows with the power 2/e1 of |p|.
static void add_superquadric(struct cloud *cloud, struct dc_random *random, const double center[3],
                             const double axes[3], int count)
{
  double e1 = between(random, 0.15, 1.2), e2 = between(random, 0.15, 1.2), rotation[9];
  any_rotation(random, rotation);
  for (int i = 0; i < count; i++) {
    double p[3], point[3];
    any_direction(random, p);
    double disc = pow(pow(fabs(p[0] / axes[0]), 2 / e2) + pow(fabs(p[1] / axes[1]), 2 / e2), e2 / e1);
    dc_vec_scale(p, p, pow(disc + pow(fabs(p[2] / axes[2]), 2 / e1), -e1 / 2));
    dc_mat_apply(point, rotation, p);
    dc_vec_add(point, point, center);
    add_point(cloud, point);
  }
}

static void any_axes(struct dc_random *random, double least, double most, double axes[3])
{
  for (int k = 0; k < 3; k++)
    axes[k] = between(random, least, most);
}

// Generators of the convex set, of about count points on curved surfaces.
static void dented_ellipsoid(struct cloud *cloud, struct dc_random *random, int count)
{
  double axes[3], noise = between(random, 0, 0.05);
  any_axes(random, 0.3, 1, axes);
  begin_piece(cloud);
  for (int i = 0; i < count; i++) {
    double p[3];
    any_direction(random, p);
    dc_vec_scale(p, p, 1 + noise * dc_random_normal(random));
    add_placed(cloud, &at_origin, axes[0] * p[0], axes[1] * p[1], axes[2] * p[2]);
  }
}

static void superquadric(struct cloud *cloud, struct dc_random *random, int count)
{
  double axes[3], center[3] = {0};
  any_axes(random, 0.25, 1, axes);
  begin_piece(cloud);
  add_superquadric(cloud, random, center, axes, count);
}

static void group_of_primitives(struct cloud *cloud, struct dc_random *random, int count)
{
  int primitives = one_of(random, 2, 4);
  begin_piece(cloud);
  for (int i = 0; i < primitives; i++) {
    struct dc_placement placement;
    any_direction(random, placement.position);
    dc_vec_scale(placement.position, placement.position, between(random, 0, 0.6));
    any_rotation(random, placement.rotation);
    double half[3];
    any_axes(random, 0.15, 0.6, half);
    if (i > 0 && dc_random_uniform(random) < 0.4) {
      add_box(cloud, &placement, half);
      continue;
    }
    int sides = one_of(random, 8, 8 + count / 12);
    add_polygon(cloud, &placement, sides, half[0], half[2]);
    add_polygon(cloud, &placement, sides, half[0], -half[2]);
  }
}

// Generators of the hard set.
static void box(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  double half[3];
  any_axes(random, 0.1, 1, half);
  begin_piece(cloud);
  add_box(cloud, &at_origin, half);
}

static void prism(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  int sides = one_of(random, 3, 8);
  double half = between(random, 0.1, 1.5);
  begin_piece(cloud);
  add_polygon(cloud, &at_origin, sides, 1, half);
  add_polygon(cloud, &at_origin, sides, 1, -half);
}

static void pyramid(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  begin_piece(cloud);
  add_polygon(cloud, &at_origin, one_of(random, 3, 8), 1, 0);
  add_placed(cloud, &at_origin, between(random, -0.3, 0.3), between(random, -0.3, 0.3), between(random, 0.4, 2));
}

static void plate(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  double half[3] = {between(random, 0.5, 1), between(random, 0.5, 1), between(random, 0.01, 0.05)};
  begin_piece(cloud);
  add_box(cloud, &at_origin, half);
}

static void few_points(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  int points = one_of(random, 8, 40);
  begin_piece(cloud);
  for (int i = 0; i < points; i++) {
    double p[3];
    any_direction(random, p);
    dc_vec_scale(p, p, cbrt(dc_random_uniform(random)));
    add_point(cloud, p);
  }
}

// Generators of the concave set.
static void ring(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  int pieces = one_of(random, 10, 17), corners = one_of(random, 6, 10);
  double width = between(random, 0.15, 0.45), height = between(random, 0.15, 0.45);
  for (int i = 0; i < pieces; i++) {
    begin_piece(cloud);
    for (int end = 0; end < 2; end++)
      for (int k = 0; k < corners; k++) {
        double around = 2 * M_PI * ((i + end) % pieces) / pieces, across = 2 * M_PI * k / corners;
        double radius = 1 + width * cos(across);
        add_placed(cloud, &at_origin, radius * cos(around), radius * sin(around), height * sin(across));
      }
  }
}

static void cup(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  int sides = one_of(random, 8, 14);
  double wall = between(random, 0.08, 0.25), floor = between(random, 0.08, 0.25), height = between(random, 0.8, 2.5);
  double flare = between(random, 0.7, 1.3);  // radius of the rim, that of the foot being 1
  begin_piece(cloud);
  add_polygon(cloud, &at_origin, sides, 1, 0);
  add_polygon(cloud, &at_origin, sides, 1 + (flare - 1) * floor / height, floor);
  for (int i = 0; i < sides; i++) {
    begin_piece(cloud);
    for (int k = 0; k < 8; k++) {
      double around = 2 * M_PI * ((i + (k & 1)) % sides) / sides;
      double radius = (k & 2 ? flare : 1) * (k & 4 ? 1 - wall : 1);
      add_placed(cloud, &at_origin, radius * cos(around), radius * sin(around), k & 2 ? height : 0);
    }
  }
}

static void group_of_boxes(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  struct dc_placement placements[7];
  double halves[7][3];
  int boxes = one_of(random, 3, 7);
  for (int i = 0; i < boxes; i++) {
    placements[i] = at_origin;
    any_axes(random, 0.08, 0.6, halves[i]);
    if (i > 0) {  // its centre is on the surface of one before
      int parent = one_of(random, 0, i - 1), axis = one_of(random, 0, 2);
      double local[3], offset[3];
      for (int k = 0; k < 3; k++)
        local[k] = halves[parent][k] * between(random, -0.9, 0.9);
      local[axis] = dc_random_uniform(random) < 0.5 ? -halves[parent][axis] : halves[parent][axis];
      dc_mat_apply(offset, placements[parent].rotation, local);
      dc_vec_add(placements[i].position, placements[parent].position, offset);
      if (dc_random_uniform(random) < 0.3)
        any_rotation(random, placements[i].rotation);
    }
    begin_piece(cloud);
    add_box(cloud, &placements[i], halves[i]);
  }
}

static void cluster(struct cloud *cloud, struct dc_random *random, int count)
{
  (void)count;
  int pieces = one_of(random, 2, 5);
  for (int i = 0; i < pieces; i++) {
    double axes[3], center[3] = {0};
    any_axes(random, 0.15, 0.6, axes);
    if (i > 0)
      dc_vec_copy(center, cloud->points[one_of(random, 0, cloud->count - 1)]);
    begin_piece(cloud);
    add_superquadric(cloud, random, center, axes, one_of(random, 40, 100));
  }
}

typedef void generator(struct cloud *cloud, struct dc_random *random, int count);
static const struct {
  const char *name;
  int generator_count;
  generator *generators[5];
} sets[DC_BENCH_SETS] = {
    [DC_BENCH_CONVEX] = {"convex", 3, {dented_ellipsoid, superquadric, group_of_primitives}},
    [DC_BENCH_HARD] = {"hard", 5, {box, prism, pyramid, plate, few_points}},
    [DC_BENCH_CONCAVE] = {"concave", 4, {ring, cup, group_of_boxes, cluster}},
};

const char *dc_bench_set_name(int set)
{
  return sets[set].name;
}

// Brings the bounding box about the origin, with that diagonal.
static void fit(struct cloud *cloud, double diagonal)
{
  double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, middle[3];
  for (int i = 0; i < cloud->count; i++)
    for (int k = 0; k < 3; k++) {
      lower[k] = fmin(lower[k], cloud->points[i][k]);
      upper[k] = fmax(upper[k], cloud->points[i][k]);
    }
  dc_vec_add(middle, lower, upper);
  dc_vec_scale(middle, middle, 0.5);
  double scale = diagonal / dc_vec_distance(lower, upper);
  for (int i = 0; i < cloud->count; i++) {
    dc_vec_sub(cloud->points[i], cloud->points[i], middle);
    dc_vec_scale(cloud->points[i], cloud->points[i], scale);
  }
}

// The hulls of all pieces as one mesh with a group each.  They are made of triangles that touch every point.
static enum dc_status hulls(struct cloud *cloud, struct dc_arena *arena, struct dc_mesh *mesh, struct dc_error *error)
{
  static const int corners = 3;
  int(*triangles)[3] = dc_alloc((size_t)cloud->count, sizeof *triangles);
  if (!triangles)
    return dc_out_of_memory_for(error, "an object");
  int group_start[MOST_PIECES + 1] = {0}, count = 0;
  for (int piece = 0; piece < cloud->pieces; piece++) {
    int end = cloud->start[piece + 1];
    for (int i = cloud->start[piece]; i < end; i += corners, count++)
      for (int k = 0; k < corners; k++)
        triangles[count][k] = i + k < end ? i + k : end - 1;
    group_start[piece + 1] = count;
  }
  struct dc_mesh points = {.vertex_count = cloud->count,
                           .triangle_count = count,
                           .vertices = cloud->points,
                           .triangles = triangles,
                           .group_count = cloud->pieces,
                           .group_start = group_start};
  enum dc_status status = dc_mesh_hulls(&points, 0, arena, mesh, error);
  free(triangles);
  return status;
}

// Draws until the object belongs to the set; only the number of points of a convex one is not known before.
static enum dc_status draw(int set, struct dc_random *random, struct cloud *cloud, struct dc_error *error)
{
  double diagonal = fmin(fmax(0.2 * dc_random_uniform(random), 0.01), 0.2);
  generator *make = sets[set].generators[one_of(random, 0, sets[set].generator_count - 1)];
  int count = one_of(random, 60, 240);
  for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    cloud->count = cloud->pieces = 0;
    make(cloud, random, count);
    fit(cloud, diagonal);
    if (set != DC_BENCH_CONVEX)
      return DC_OK;
    struct dc_arena *scratch = dc_arena_create();
    struct dc_mesh hull;
    if (!scratch)
      return dc_out_of_memory_for(error, "an object");
    enum dc_status status = hulls(cloud, scratch, &hull, error);
    dc_arena_destroy(scratch);
    if (status || (hull.vertex_count >= CONVEX_LEAST && hull.vertex_count <= CONVEX_MOST))
      return status;
    count = hull.vertex_count < CONVEX_LEAST ? (int)fmin(1.5 * count, (double)MOST_POINTS / 8) : count / 2 + 10;
  }
  return dc_fail(error, DC_NUMERICAL, "no object of %d to %d vertices in %d draws", CONVEX_LEAST, CONVEX_MOST,
                 MOST_ATTEMPTS);
}

enum dc_status dc_bench_object(int set, uint64_t seed, struct dc_arena *arena, struct dc_shape *shape,
                               struct dc_error *error)
{
  static const struct dc_mesh_shape_options options = {.file = "", .scale = 1, .convex = true};
  struct dc_random random;
  dc_random_seed(&random, seed);
  *shape = (struct dc_shape){.name = dc_arena_printf(arena, "%s %016llx", sets[set].name, (unsigned long long)seed),
                             .type = dc_shape_type_find("mesh"),
                             .options = &options};
  struct cloud *cloud = dc_alloc(1, sizeof *cloud);
  if (!cloud || !shape->name) {
    free(cloud);
    return dc_out_of_memory_for(error, "an object");
  }
  enum dc_status status = draw(set, &random, cloud, error);
  if (!status)
    status = hulls(cloud, arena, &shape->mesh, error);
  free(cloud);
  if (!status)
    status = dc_mesh_convex_parts(&shape->mesh, arena, &shape->part_count, &shape->parts, error);
  if (!status)
    dc_mesh_mass_properties(&shape->mesh, &shape->properties);
  return status;
}
