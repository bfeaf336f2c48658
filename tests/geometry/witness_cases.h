// SPDX-License-Identifier: Apache-2.0
// Solids and poses for the tests of witness points, and the check of what defines an answer.
#ifndef DC_TESTS_WITNESS_CASES_H
#define DC_TESTS_WITNESS_CASES_H

#include "base/random.h"
#include "geometry/convex/hull.h"
#include "geometry/convex/witness.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_POINTS = 200, MOST_PARTS = 20, EDGE_EDGE = 3000 };

static inline double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// A solid and the meshes its parts are made of.
struct fixture {
  struct dc_arena *arena;
  struct dc_mesh meshes[MOST_PARTS];
  struct dc_shape shape;
  struct dc_solid solid;
};

static inline void begin(struct fixture *fixture)
{
  *fixture = (struct fixture){.arena = dc_arena_create(), .shape = {.name = "test"}};
}

static inline void add_hull(struct fixture *fixture, const double (*points)[3], int count)
{
  struct dc_error error;
  if (dc_hull(points, count, fixture->arena, &fixture->meshes[fixture->shape.part_count], &error)) {
    CHECK(false, "%s", error.text);
    exit(1);
  }
  fixture->shape.part_count++;
}

static inline void finish(struct fixture *fixture)
{
  struct dc_error error;
  fixture->shape.parts = fixture->meshes;
  if (dc_solid_create(&fixture->shape, fixture->arena, &fixture->solid, &error)) {
    CHECK(false, "%s", error.text);
    exit(1);
  }
}

static inline void end(struct fixture *fixture)
{
  dc_arena_destroy(fixture->arena);
}

static inline void add_box(struct fixture *fixture, double x, double y, double z, const double matrix[9],
                           const double center[3])
{
  double points[8][3];
  for (int i = 0; i < 8; i++) {
    const double corner[3] = {i & 1 ? 0.5 * x : -0.5 * x, i & 2 ? 0.5 * y : -0.5 * y, i & 4 ? 0.5 * z : -0.5 * z};
    dc_mat_apply(points[i], matrix, corner);
    dc_vec_add(points[i], points[i], center);
  }
  add_hull(fixture, (const double(*)[3])points, 8);
}

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3];

static inline void make_box(struct fixture *fixture, double x, double y, double z)
{
  begin(fixture);
  add_box(fixture, x, y, z, identity, zero);
  finish(fixture);
}

// Points on an ellipsoid, a box, a prism or pyramid, or a plate; within size, about a centre up to offset away.
static inline void make_random(struct dc_random *random, int kind, double size, double offset, struct fixture *fixture)
{
  double points[MOST_POINTS][3], axes[3], center[3];
  int count = 0;
  for (int k = 0; k < 3; k++) {
    axes[k] = size * between(random, 0.3, 1);
    center[k] = between(random, -offset, offset);
  }
  if (kind == 3)
    axes[2] = size * between(random, 0.002, 0.02);
  if (kind == 0) {
    count = 4 + (int)(between(random, 0, 1) * between(random, 0, 1) * (MOST_POINTS - 4));
    for (int i = 0; i < count; i++) {
      for (int k = 0; k < 3; k++)
        points[i][k] = dc_random_normal(random);
      double scale = 0.5 * between(random, 0.95, 1) / dc_vec_norm(points[i]);
      for (int k = 0; k < 3; k++)
        points[i][k] *= scale * axes[k];
    }
  } else if (kind == 1 || kind == 3) {
    for (; count < 8; count++)
      for (int k = 0; k < 3; k++)
        points[count][k] = (count >> k & 1 ? 0.5 : -0.5) * axes[k];
  } else {
    int sides = 3 + (int)between(random, 0, 10);
    double top = dc_random_uniform(random) < 0.5 ? 1 : between(random, 0.2, 1);
    for (; count < 2 * sides; count++) {
      double angle = 2 * M_PI * (count / 2) / sides, radius = 0.5 * (count % 2 ? top : 1);
      points[count][0] = radius * axes[0] * cos(angle);
      points[count][1] = radius * axes[1] * sin(angle);
      points[count][2] = (count % 2 ? 0.5 : -0.5) * axes[2];
    }
  }
  for (int i = 0; i < count; i++)
    dc_vec_add(points[i], points[i], center);
  begin(fixture);
  add_hull(fixture, (const double(*)[3])points, count);
  finish(fixture);
}

static inline void random_rotation(struct dc_random *random, double matrix[9])
{
  double q[4];
  for (int k = 0; k < 4; k++)
    q[k] = dc_random_normal(random);
  dc_rotation_normalize(q);
  dc_rotation_matrix(matrix, q);
}

// Puts the solid's centre at a point.
static inline void place(const struct dc_solid *solid, const double at[3], struct dc_placement *placement)
{
  double center[3];
  dc_mat_apply(center, placement->rotation, solid->center);
  dc_vec_sub(placement->position, at, center);
}

static inline void to_world(const struct dc_placement *placement, const double local[3], double world[3])
{
  dc_mat_apply(world, placement->rotation, local);
  dc_vec_add(world, world, placement->position);
}

static inline struct dc_placement rest_placement(void)
{
  return (struct dc_placement){{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

// min_B n.b - max_A n.a
static inline double gap_along(const struct dc_convex *const parts[2], const struct dc_placement placements[2],
                               const double normal[3])
{
  double gap = 0;
  for (int side = 0; side < 2; side++) {
    double local[3], sign = side ? -1 : 1, most = -INFINITY;
    dc_mat_apply_transposed(local, placements[side].rotation, normal);
    dc_vec_scale(local, local, sign);
    for (int v = 0; v < parts[side]->vertex_count; v++) {
      double height = dc_vec_dot(local, parts[side]->vertices[v]);
      most = height > most ? height : most;
    }
    gap -= most + sign * dc_vec_dot(normal, placements[side].position);
  }
  return gap;
}

static inline void triangle_normal(const struct dc_convex *part, int triangle, double normal[3])
{
  const int *corner = part->triangles[triangle];
  double a[3], b[3];
  dc_vec_sub(a, part->vertices[corner[1]], part->vertices[corner[0]]);
  dc_vec_sub(b, part->vertices[corner[2]], part->vertices[corner[0]]);
  dc_vec_cross(normal, a, b);
  dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
}

// How far a world point lies above the part's highest plane: 0 on its surface, below 0 inside.
static inline double height_over(const struct dc_convex *part, const struct dc_placement *placement,
                                 const double point[3])
{
  double from[3], local[3], most = -INFINITY;
  dc_vec_sub(from, point, placement->position);
  dc_mat_apply_transposed(local, placement->rotation, from);
  for (int t = 0; t < part->triangle_count; t++) {
    double normal[3], offset[3];
    triangle_normal(part, t, normal);
    dc_vec_sub(offset, local, part->vertices[part->triangles[t][0]]);
    most = larger(most, dc_vec_dot(normal, offset));
  }
  return most;
}

// The largest gap along the normals of faces and, of few faces, along the products of edges.
static inline double separating_axes(const struct dc_convex *const parts[2], const struct dc_placement placements[2])
{
  double most = -INFINITY;
  for (int side = 0; side < 2; side++)
    for (int t = 0; t < parts[side]->triangle_count; t++) {
      double local[3], normal[3];
      triangle_normal(parts[side], t, local);
      dc_mat_apply(normal, placements[side].rotation, local);
      dc_vec_scale(normal, normal, side ? -1 : 1);
      most = larger(most, gap_along(parts, placements, normal));
    }
  if (parts[0]->triangle_count * parts[1]->triangle_count >= EDGE_EDGE)
    return most;
  for (int s = 0; s < 3 * parts[0]->triangle_count; s++)
    for (int t = 0; t < 3 * parts[1]->triangle_count; t++) {
      const int *p = parts[0]->triangles[s / 3], *q = parts[1]->triangles[t / 3];
      int ends[2][2] = {{p[s % 3], p[(s + 1) % 3]}, {q[t % 3], q[(t + 1) % 3]}};
      double edge[2][3], local[3], normal[3];
      if (ends[0][0] > ends[0][1])  // each edge once in one direction, of the other both
        continue;
      for (int side = 0; side < 2; side++) {
        dc_vec_sub(local, parts[side]->vertices[ends[side][1]], parts[side]->vertices[ends[side][0]]);
        dc_mat_apply(edge[side], placements[side].rotation, local);
      }
      dc_vec_cross(normal, edge[0], edge[1]);
      double length = dc_vec_norm(normal);
      if (length <= 1e-9 * dc_vec_norm(edge[0]) * dc_vec_norm(edge[1]))
        continue;
      dc_vec_scale(normal, normal, 1 / length);
      most = larger(most, gap_along(parts, placements, normal));
    }
  return most;
}

// Worst of what was seen, of the coordinates where not said otherwise.
struct worst {
  double gap, closure, surface, unit, depth;  // depth, m: how much below the separating axes
  int apart, overlapping;
};

static inline void check_answer(const struct dc_witness *found, const struct dc_solid *const solids[2],
                                const struct dc_placement placements[2], bool axes, struct worst *worst,
                                const char *what, int number)
{
  const struct dc_convex *parts[2] = {&solids[0]->parts[found->part[0]], &solids[1]->parts[found->part[1]]};
  double scale = 0, difference[3];
  for (int side = 0; side < 2; side++)
    scale =
        fmax(scale, dc_vec_norm(solids[side]->center) + solids[side]->radius + dc_vec_norm(placements[side].position));
  dc_vec_sub(difference, found->point[1], found->point[0]);
  dc_vec_add_scaled(difference, difference, -found->distance, found->normal);
  double gap = fabs(gap_along(parts, placements, found->normal) - found->distance) / scale;
  double closure = dc_vec_norm(difference) / scale, unit = fabs(dc_vec_norm(found->normal) - 1);
  double surface = 0;
  for (int side = 0; side < 2; side++)
    surface = larger(surface, fabs(height_over(parts[side], &placements[side], found->point[side])) / scale);
  worst->gap = larger(worst->gap, gap);
  worst->closure = larger(worst->closure, closure);
  worst->surface = larger(worst->surface, surface);
  worst->unit = larger(worst->unit, unit);
  // Observed: 3e-13 where EPA ends at its tolerance, else 7e-15; 4e-16; 8e-13; 2e-15.
  CHECK(gap < 1e-12, "%s %d: distance %.17g, gap off by %g", what, number, found->distance, gap * scale);
  CHECK(closure < 1e-13, "%s %d: points off by %g", what, number, closure * scale);
  CHECK(surface < 1e-11, "%s %d: distance %g, points off the surface by %g", what, number, found->distance,
        surface * scale);
  CHECK(unit < 1e-14, "%s %d: normal", what, number);
  if (found->distance > 0) {
    worst->apart++;
  } else {
    worst->overlapping++;
    double bound = axes ? separating_axes(parts, placements) : -INFINITY;
    worst->depth = larger(worst->depth, bound - found->distance);  // 1e-14 observed
    CHECK(found->distance >= bound - 1e-9, "%s %d: distance %.12g, separating axes %.12g", what, number,
          found->distance, bound);
  }
}

static inline void report(const struct worst *worst)
{
  printf("# %d apart, %d overlapping; worst gap %.2g, closure %.2g, surface %.2g of the coordinates, unit %.2g, depth "
         "below axes %.2g m\n",
         worst->apart, worst->overlapping, worst->gap, worst->closure, worst->surface, worst->unit, worst->depth);
}

// Points spread over a sphere of radius 1: how far inside it the hull may lie.
static inline double make_ball(struct fixture *fixture)
{
  double points[MOST_POINTS][3], least = 1;
  for (int i = 0; i < MOST_POINTS; i++) {
    double height = 1 - (2 * i + 1.0) / MOST_POINTS, angle = i * M_PI * (3 - sqrt(5)),
           radius = sqrt(1 - height * height);
    points[i][0] = radius * cos(angle), points[i][1] = radius * sin(angle), points[i][2] = height;
  }
  begin(fixture);
  add_hull(fixture, (const double(*)[3])points, MOST_POINTS);
  finish(fixture);
  for (int t = 0; t < fixture->meshes[0].triangle_count; t++) {
    double normal[3];
    triangle_normal(&fixture->solid.parts[0], t, normal);
    least = fmin(least, dc_vec_dot(normal, fixture->meshes[0].vertices[fixture->meshes[0].triangles[t][0]]));
  }
  return 1 - least;
}

static inline struct dc_witness query_once(const struct dc_solid *first, const struct dc_solid *second,
                                           const struct dc_placement *at_first, const struct dc_placement *at_second)
{
  struct dc_witness witness;
  struct dc_witness_search *search = dc_witness_search_create(first, second);
  dc_witness_query(search, at_first, at_second, &witness);
  dc_witness_search_destroy(search);
  return witness;
}

// Motion of the second solid by small steps, sometimes by large ones; gap: kept near.
static inline void move(struct dc_random *random, double step, struct dc_placement *placement)
{
  double turn[3], q[4], matrix[9], old[9];
  for (int k = 0; k < 3; k++) {
    turn[k] = 10 * step * dc_random_normal(random);
    placement->position[k] += step * dc_random_normal(random);
  }
  dc_rotation_exp(q, turn);
  dc_rotation_matrix(matrix, q);
  memcpy(old, placement->rotation, sizeof old);
  dc_mat_multiply(placement->rotation, matrix, old);
}

static inline double difference_between(const struct dc_witness *a, const struct dc_witness *b)
{
  return larger(larger(dc_vec_distance(a->point[0], b->point[0]), dc_vec_distance(a->point[1], b->point[1])),
                larger(dc_vec_distance(a->normal, b->normal), fabs(a->distance - b->distance)));
}

#endif
