// SPDX-License-Identifier: Apache-2.0
// Witness points: what defines them is checked on random, known and hostile pairs.
#include "geometry/witness.h"

#include "base/random.h"
#include "geometry/hull.h"
#include "geometry/mesh_groups.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { MOST_POINTS = 200, MOST_PARTS = 20, EDGE_EDGE = 3000 };

static double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// ---- Solids

// A solid and the meshes its parts are made of.
struct fixture {
  struct dc_arena *arena;
  struct dc_mesh meshes[MOST_PARTS];
  struct dc_shape shape;
  struct dc_solid solid;
};

static void begin(struct fixture *fixture)
{
  *fixture = (struct fixture){.arena = dc_arena_create(), .shape = {.name = "test"}};
}

static void add_hull(struct fixture *fixture, const double (*points)[3], int count)
{
  struct dc_error error;
  if (dc_hull(points, count, fixture->arena, &fixture->meshes[fixture->shape.part_count], &error)) {
    CHECK(false, "%s", error.text);
    exit(1);
  }
  fixture->shape.part_count++;
}

static void finish(struct fixture *fixture)
{
  struct dc_error error;
  fixture->shape.parts = fixture->meshes;
  if (dc_solid_create(&fixture->shape, fixture->arena, &fixture->solid, &error)) {
    CHECK(false, "%s", error.text);
    exit(1);
  }
}

static void end(struct fixture *fixture)
{
  dc_arena_destroy(fixture->arena);
}

static void add_box(struct fixture *fixture, double x, double y, double z, const double matrix[9],
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

static void make_box(struct fixture *fixture, double x, double y, double z)
{
  begin(fixture);
  add_box(fixture, x, y, z, identity, zero);
  finish(fixture);
}

// Points on an ellipsoid, a box, a prism or pyramid, or a plate; within size, about a centre up to offset away.
static void make_random(struct dc_random *random, int kind, double size, double offset, struct fixture *fixture)
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

// ---- Poses

static void random_rotation(struct dc_random *random, double matrix[9])
{
  double q[4];
  for (int k = 0; k < 4; k++)
    q[k] = dc_random_normal(random);
  dc_rotation_normalize(q);
  dc_rotation_matrix(matrix, q);
}

// Puts the solid's centre at a point.
static void place(const struct dc_solid *solid, const double at[3], struct dc_placement *placement)
{
  double center[3];
  dc_mat_apply(center, placement->rotation, solid->center);
  dc_vec_sub(placement->position, at, center);
}

static void to_world(const struct dc_placement *placement, const double local[3], double world[3])
{
  dc_mat_apply(world, placement->rotation, local);
  dc_vec_add(world, world, placement->position);
}

static struct dc_placement rest_placement(void)
{
  return (struct dc_placement){{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

// ---- What defines witness points

// The largest sign n.x of a part.
static double reach(const struct dc_convex *part, const struct dc_placement *placement, const double normal[3],
                    double sign)
{
  double most = -INFINITY;
  for (int v = 0; v < part->vertex_count; v++) {
    double x[3];
    to_world(placement, part->vertices[v], x);
    most = fmax(most, sign * dc_vec_dot(normal, x));
  }
  return most;
}

// min_B n.b - max_A n.a
static double gap_along(const struct dc_convex *const parts[2], const struct dc_placement placements[2],
                        const double normal[3])
{
  return -reach(parts[1], &placements[1], normal, -1) - reach(parts[0], &placements[0], normal, 1);
}

static void triangle_normal(const struct dc_convex *part, int triangle, double normal[3])
{
  const int *corner = part->triangles[triangle];
  double a[3], b[3];
  dc_vec_sub(a, part->vertices[corner[1]], part->vertices[corner[0]]);
  dc_vec_sub(b, part->vertices[corner[2]], part->vertices[corner[0]]);
  dc_vec_cross(normal, a, b);
  dc_vec_scale(normal, normal, 1 / dc_vec_norm(normal));
}

// How far a world point lies above the part's highest plane: 0 on its surface, below 0 inside.
static double height_over(const struct dc_convex *part, const struct dc_placement *placement, const double point[3])
{
  double from[3], local[3], most = -INFINITY;
  dc_vec_sub(from, point, placement->position);
  dc_mat_apply_transposed(local, placement->rotation, from);
  for (int t = 0; t < part->triangle_count; t++) {
    double normal[3], offset[3];
    triangle_normal(part, t, normal);
    dc_vec_sub(offset, local, part->vertices[part->triangles[t][0]]);
    most = fmax(most, dc_vec_dot(normal, offset));
  }
  return most;
}

// The largest gap along the normals of faces and, of few faces, along the products of edges.
static double separating_axes(const struct dc_convex *const parts[2], const struct dc_placement placements[2])
{
  double most = -INFINITY;
  for (int side = 0; side < 2; side++)
    for (int t = 0; t < parts[side]->triangle_count; t++) {
      double local[3], normal[3];
      triangle_normal(parts[side], t, local);
      dc_mat_apply(normal, placements[side].rotation, local);
      dc_vec_scale(normal, normal, side ? -1 : 1);
      most = fmax(most, gap_along(parts, placements, normal));
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
      most = fmax(most, gap_along(parts, placements, normal));
    }
  return most;
}

// Worst of what was seen, of the coordinates where not said otherwise.
struct worst {
  double gap, closure, surface, unit, depth;  // depth, m: how much below the separating axes
  int apart, overlapping;
};

static void check_answer(const struct dc_witness *found, const struct dc_solid *const solids[2],
                         const struct dc_placement placements[2], bool axes, struct worst *worst, const char *what,
                         int number)
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
    surface = fmax(surface, fabs(height_over(parts[side], &placements[side], found->point[side])) / scale);
  worst->gap = fmax(worst->gap, gap);
  worst->closure = fmax(worst->closure, closure);
  worst->surface = fmax(worst->surface, surface);
  worst->unit = fmax(worst->unit, unit);
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
    worst->depth = fmax(worst->depth, bound - found->distance);
    CHECK(found->distance >= bound - 1e-9, "%s %d: distance %.12g, separating axes %.12g", what, number,
          found->distance, bound);
  }
}

static void report(const struct worst *worst)
{
  printf("# %d apart, %d overlapping; worst gap %.2g, closure %.2g, surface %.2g of the coordinates, unit %.2g, depth "
         "below axes %.2g m\n",
         worst->apart, worst->overlapping, worst->gap, worst->closure, worst->surface, worst->unit, worst->depth);
}

static void test_random(void)
{
  struct dc_random random;
  struct worst worst = {0};
  dc_random_seed(&random, 1);
  for (int i = 0; i < 1000; i++) {
    struct fixture fixtures[2];
    double size[2], offset = i % 4 == 0 ? 5 : i % 4 == 1 ? 0.1 : 0;
    size[0] = pow(10, between(&random, -2, 0));
    size[1] = i % 3 == 0 ? pow(10, between(&random, -2, 0)) : size[0] * between(&random, 0.3, 3);
    for (int side = 0; side < 2; side++)
      make_random(&random, (int)between(&random, 0, 4), size[side], offset, &fixtures[side]);
    const struct dc_solid *solids[2] = {&fixtures[0].solid, &fixtures[1].solid};
    struct dc_witness_search *search = dc_witness_search_create(solids[0], solids[1]);
    for (int j = 0; j < 10; j++) {
      struct dc_placement placements[2];
      struct dc_witness witness;
      double at[3], direction[3], away = between(&random, 0, 1.2) * (solids[0]->radius + solids[1]->radius);
      for (int k = 0; k < 3; k++) {
        at[k] = between(&random, -offset, offset);
        direction[k] = dc_random_normal(&random);
      }
      for (int side = 0; side < 2; side++) {
        random_rotation(&random, placements[side].rotation);
        if (i % 5 == 0)  // parallel sides
          memcpy(placements[side].rotation, identity, sizeof identity);
      }
      place(solids[0], at, &placements[0]);
      dc_vec_add_scaled(at, at, away / dc_vec_norm(direction), direction);
      place(solids[1], at, &placements[1]);
      if (j % 2 == 0)
        dc_witness_search_reset(search);
      dc_witness_query(search, &placements[0], &placements[1], &witness);
      check_answer(&witness, solids, placements, true, &worst, "pair", 10 * i + j);
      if (j % 3 == 2) {  // the same, touching to rounding
        dc_vec_add_scaled(placements[1].position, placements[1].position, -witness.distance, witness.normal);
        dc_witness_query(search, &placements[0], &placements[1], &witness);
        CHECK(fabs(witness.distance) < 1e-11, "pair %d: %g instead of touching", 10 * i + j, witness.distance);
        check_answer(&witness, solids, placements, true, &worst, "touching pair", 10 * i + j);
      }
    }
    dc_witness_search_destroy(search);
    end(&fixtures[0]);
    end(&fixtures[1]);
  }
  report(&worst);
}

// ---- Known pairs

static const struct dc_placement *shifted(double x, double y, double z, const double matrix[9],
                                          struct dc_placement *placement)
{
  *placement = (struct dc_placement){.position = {x, y, z}};
  memcpy(placement->rotation, matrix, 9 * sizeof *matrix);
  return placement;
}

static struct dc_witness query_once(const struct dc_solid *first, const struct dc_solid *second,
                                    const struct dc_placement *at_first, const struct dc_placement *at_second)
{
  struct dc_witness witness;
  struct dc_witness_search *search = dc_witness_search_create(first, second);
  dc_witness_query(search, at_first, at_second, &witness);
  dc_witness_search_destroy(search);
  return witness;
}

// Residuals observed: 2e-16.
static void check_known(const struct dc_witness *found, double distance, const double normal[3], const double *first,
                        const double *second)
{
  CHECK_NEAR(found->distance, distance, 1e-15);
  CHECK_NEAR(dc_vec_distance(found->normal, normal), 0, 1e-15);
  if (first)
    CHECK_NEAR(dc_vec_distance(found->point[0], first), 0, 2e-15);
  if (second)
    CHECK_NEAR(dc_vec_distance(found->point[1], second), 0, 2e-15);
}

static void test_known(void)
{
  static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  const double h = sqrt(0.5), s = sqrt(3);
  const double about_x[9] = {1, 0, 0, 0, h, -h, 0, h, h}, about_y[9] = {h, 0, h, 0, 1, 0, -h, 0, h};
  // Rows: two directions across (1, 1, 1), and it: a corner of the cube up and one down.
  const double on_corner[9] = {h, -h, 0, h / s, h / s, -2 * h / s, 1 / s, 1 / s, 1 / s};
  struct dc_placement first, second;
  struct fixture cube, plate;
  make_box(&cube, 1, 1, 1);
  make_box(&plate, 4, 4, 1);
  const struct dc_solid *c = &cube.solid, *p = &plate.solid;
  for (int i = 0; i < 6; i++) {
    static const double gaps[6] = {1, 0.25, 1e-6, -1e-6, -0.0625, -0.125};
    double gap = gaps[i];
    shifted(0, 0, 0, identity, &first);
    struct dc_witness found = query_once(c, c, &first, shifted(1 + gap, 0.25, -0.5, identity, &second));
    check_known(&found, gap, x, NULL, NULL);  // sides
    CHECK(found.point[0][1] >= -0.25 && found.point[0][1] <= 0.5 && fabs(found.point[0][2] + 0.25) <= 0.25,
          "gap %g: point (%g, %g) is not common to both sides", gap, found.point[0][1], found.point[0][2]);
    found = query_once(p, c, &first, shifted(0.25, -1, 0.5 + s / 2 + gap, on_corner, &second));
    check_known(&found, gap, z, (double[3]){0.25, -1, 0.5}, (double[3]){0.25, -1, 0.5 + gap});  // a side and a corner
    shifted(0.125, 0.25, 0, about_x, &first);
    found = query_once(c, c, &first, shifted(0.25, 0, 2 * h + gap, about_y, &second));
    check_known(&found, gap, z, (double[3]){0.25, 0.25, h}, (double[3]){0.25, 0.25, h + gap});  // edges
    shifted(0, 0, 0, on_corner, &first);
    found = query_once(c, c, &first, shifted(0, 0, s + fabs(gap), on_corner, &second));
    check_known(&found, fabs(gap), z, (double[3]){0, 0, s / 2}, (double[3]){0, 0, s / 2 + fabs(gap)});  // corners
  }
  // A side of many triangles: the triangle nearest to the origin does not hold the nearest point of the side.
  struct dc_witness found =
      query_once(p, c, shifted(0, 0, 0, identity, &first), shifted(1.75, -1.25, 0.875, identity, &second));
  check_known(&found, -0.125, z, NULL, NULL);
  CHECK(fabs(found.point[0][0] - 1.625) <= 0.375 && fabs(found.point[0][1] + 1.25) <= 0.5 &&
            fabs(found.point[0][2] - 0.5) <= 1e-15,
        "point (%g, %g, %g)", found.point[0][0], found.point[0][1], found.point[0][2]);
  end(&cube);
  end(&plate);
}

// Points spread over a sphere of radius 1: how far inside it the hull may lie.
static double make_ball(struct fixture *fixture)
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

static void test_balls(void)
{
  struct dc_random random;
  struct fixture ball;
  double inside = make_ball(&ball), worst = 0;
  dc_random_seed(&random, 2);
  struct dc_witness_search *search = dc_witness_search_create(&ball.solid, &ball.solid);
  for (int i = 0; i < 300; i++) {
    struct dc_placement first, second;
    struct dc_witness found;
    double at[3], apart = between(&random, 0.05, 3);
    for (int k = 0; k < 3; k++)
      at[k] = dc_random_normal(&random);
    dc_vec_scale(at, at, apart / dc_vec_norm(at));
    random_rotation(&random, first.rotation);
    random_rotation(&random, second.rotation);
    place(&ball.solid, zero, &first);
    place(&ball.solid, at, &second);
    dc_witness_query(search, &first, &second, &found);
    CHECK(found.distance >= apart - 2 && found.distance <= apart - 2 + 2 * inside + 1e-12,
          "%d: balls %g apart at distance %g, up to %g expected", i, apart, found.distance, 2 * inside + apart - 2);
    worst = fmax(worst, found.distance - (apart - 2));
  }
  printf("# balls inside spheres by up to %.3g, distances by %.3g longer\n", inside, worst);
  dc_witness_search_destroy(search);
  end(&ball);
}

// ---- Where a query starts, and which solid is the first

// Motion of the second solid by small steps, sometimes by large ones; gap: kept near.
static void move(struct dc_random *random, double step, struct dc_placement *placement)
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

static double difference_between(const struct dc_witness *a, const struct dc_witness *b)
{
  return fmax(fmax(dc_vec_distance(a->point[0], b->point[0]), dc_vec_distance(a->point[1], b->point[1])),
              fmax(dc_vec_distance(a->normal, b->normal), fabs(a->distance - b->distance)));
}

static void test_warm(void)
{
  struct dc_random random;
  double distances = 0, rest = 0, mirrored = 0;
  int apart = 0, count = 0;
  dc_random_seed(&random, 3);
  for (int i = 0; i < 60; i++) {
    struct fixture a, b;
    make_random(&random, i % 4, 1, 0, &a);
    make_random(&random, i / 4 % 4, 1, 0, &b);
    struct dc_witness_search *searches[4];
    for (int s = 0; s < 4; s++)
      searches[s] = dc_witness_search_create(s == 3 ? &b.solid : &a.solid, s == 3 ? &a.solid : &b.solid);
    struct dc_placement first = rest_placement(), second = rest_placement();
    random_rotation(&random, second.rotation);
    for (int j = 0; j < 100; j++) {
      struct dc_witness warm, same, cold, swapped;
      move(&random, j % 20 ? 2e-3 : 0.2, &second);
      dc_witness_query(searches[0], &first, &second, &warm);
      dc_witness_query(searches[1], &first, &second, &same);
      CHECK(memcmp(&warm, &same, sizeof warm) == 0, "%d, %d: the same history gives other bits", i, j);
      dc_witness_search_reset(searches[2]);
      dc_witness_query(searches[2], &first, &second, &cold);
      dc_witness_query(searches[3], &second, &first, &swapped);
      struct dc_witness mirror = {.distance = swapped.distance};
      dc_vec_copy(mirror.point[0], swapped.point[1]);
      dc_vec_copy(mirror.point[1], swapped.point[0]);
      dc_vec_scale(mirror.normal, swapped.normal, -1);
      distances = fmax(distances, fmax(fabs(warm.distance - cold.distance), fabs(warm.distance - mirror.distance)));
      rest = fmax(rest, difference_between(&warm, &cold));
      mirrored = fmax(mirrored, difference_between(&warm, &mirror));
      apart += warm.distance > 0;
      count++;
      // Back to near contact.
      dc_vec_add_scaled(second.position, second.position, between(&random, -0.02, 0.02) - warm.distance, warm.normal);
    }
    for (int s = 0; s < 4; s++)
      dc_witness_search_destroy(searches[s]);
    end(&a);
    end(&b);
  }
  printf("# %d of %d apart; distances differ by %.2g, points and normals by %.2g, swapped by %.2g\n", apart, count,
         distances, rest, mirrored);
  CHECK(distances < 1e-14, "%g", distances);
  CHECK(rest < 1e-10, "%g", rest);
  CHECK(mirrored < 1e-10, "%g", mirrored);
}

// ---- Unions

// Boxes around a ring, end to end but for a gap; standing: the walls of a cup with a bottom.
static void make_ring(struct fixture *fixture, int count, double radius, bool standing, double offset)
{
  const double shift[3] = {offset, -offset, offset};
  begin(fixture);
  for (int i = 0; i < count; i++) {
    double angle = 2 * M_PI * i / count, c = cos(angle), s = sin(angle), width = 2 * M_PI * radius / count;
    const double matrix[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    double center[3] = {radius * c, radius * s, 0};
    dc_vec_add(center, center, shift);
    add_box(fixture, standing ? 0.05 * radius : 0.3 * radius, 0.9 * width, (standing ? 1.5 : 0.3) * radius, matrix,
            center);
  }
  if (standing)
    add_box(fixture, radius, radius, 0.05 * radius, identity, (double[3]){offset, -offset, offset - 0.75 * radius});
  finish(fixture);
}

// One of a solid's parts alone.
static struct dc_solid alone(const struct dc_solid *solid, int part)
{
  struct dc_solid single = *solid;
  single.part_count = 1;
  single.parts = &solid->parts[part];
  return single;
}

static void test_unions(void)
{
  struct dc_random random;
  struct fixture ring, cup;
  int apart = 0, count = 0;
  double worst = 0;
  dc_random_seed(&random, 4);
  make_ring(&ring, 16, 0.06, false, 0.5);
  make_ring(&cup, 19, 0.07, true, -3);
  struct dc_witness_search *search = dc_witness_search_create(&ring.solid, &cup.solid);
  struct dc_witness_search *cold = dc_witness_search_create(&ring.solid, &cup.solid);
  struct dc_placement first = rest_placement(), second = rest_placement();
  random_rotation(&random, first.rotation);
  for (int i = 0; i < 400; i++) {
    struct dc_witness found, again, best = {.distance = INFINITY};
    if (i % 20 == 0) {
      double at[3];
      to_world(&first, ring.solid.center, at);
      for (int k = 0; k < 3; k++)
        at[k] += between(&random, -0.2, 0.2);
      random_rotation(&random, second.rotation);
      if (i % 40 == 0)
        memcpy(second.rotation, first.rotation, sizeof first.rotation);
      place(&cup.solid, at, &second);
    } else {
      move(&random, 1e-3, &second);
    }
    dc_witness_query(search, &first, &second, &found);
    dc_witness_search_reset(cold);
    dc_witness_query(cold, &first, &second, &again);
    for (int a = 0; a < ring.solid.part_count; a++)
      for (int b = 0; b < cup.solid.part_count; b++) {
        struct dc_solid part_a = alone(&ring.solid, a), part_b = alone(&cup.solid, b);
        struct dc_witness one = query_once(&part_a, &part_b, &first, &second);
        if (one.distance < best.distance - 1e-13) {
          best = one;
          best.part[0] = a, best.part[1] = b;
        }
      }
    worst = fmax(worst, fmax(fabs(found.distance - best.distance), fabs(again.distance - best.distance)));
    CHECK(fabs(found.distance - best.distance) < 1e-14, "%d: %.17g, of all pairs of parts %.17g", i, found.distance,
          best.distance);  // 3e-15 observed
    CHECK(found.part[0] == best.part[0] && found.part[1] == best.part[1], "%d: parts %d and %d, expected %d and %d", i,
          found.part[0], found.part[1], best.part[0], best.part[1]);
    CHECK(again.part[0] == found.part[0] && again.part[1] == found.part[1], "%d: parts without memory", i);
    if (i % 40 != 0)  // parallel sides have many nearest points
      CHECK(difference_between(&again, &found) < 1e-12, "%d: %g without memory", i, difference_between(&again, &found));
    apart += found.distance > 0;
    count++;
    dc_vec_add_scaled(second.position, second.position,
                      between(&random, -0.003, 0.003) - (i % 20 == 0 ? 0 : found.distance), found.normal);
  }
  printf("# %d of %d apart, distances off by %.2g\n", apart, count, worst);
  dc_witness_search_destroy(search);
  dc_witness_search_destroy(cold);
  end(&ring);
  end(&cup);
}

// Of parts at the same distance the first counts, wherever the query starts.
static void test_equal_parts(void)
{
  struct fixture pair, box;
  struct dc_placement first = rest_placement(), second = rest_placement();
  struct dc_witness found;
  begin(&pair);
  add_box(&pair, 1, 1, 1, identity, (double[3]){-1, 0, 0});
  add_box(&pair, 1, 1, 1, identity, (double[3]){1, 0, 0});
  finish(&pair);
  make_box(&box, 4, 4, 1);
  struct dc_witness_search *search = dc_witness_search_create(&pair.solid, &box.solid);
  second.position[2] = 1.25;
  second.rotation[2] = 0.001, second.rotation[6] = -0.001;  // a little lower over the second
  dc_witness_query(search, &first, &second, &found);
  CHECK(found.part[0] == 1, "part %d", found.part[0]);
  second.rotation[2] = second.rotation[6] = 0;
  dc_witness_query(search, &first, &second, &found);
  CHECK(found.part[0] == 0 && found.point[0][0] <= -0.5, "part %d", found.part[0]);
  CHECK_NEAR(found.distance, 0.25, 1e-15);
  dc_witness_search_destroy(search);
  end(&pair);
  end(&box);
}

// ---- Hostile pairs

static bool is_finite(const struct dc_witness *found)
{
  double sum = found->distance;
  for (int k = 0; k < 3; k++)
    sum += found->normal[k] + found->point[0][k] + found->point[1][k];
  return isfinite(sum);
}

enum { MOST_SUPPORTS = 500 };

// Queries of two solids one in the other, at the same place, and touching, in many ways; returns the most supports.
// exact: EPA has room enough.
static long check_hostile(const struct fixture *a, const struct fixture *b, bool exact, struct dc_random *random,
                          struct worst *worst, int number)
{
  const struct dc_solid *solids[2] = {&a->solid, &b->solid};
  struct dc_witness_search *search = dc_witness_search_create(solids[0], solids[1]);
  long most = 0;
  for (int i = 0; i < 40; i++) {
    struct dc_placement placements[2] = {rest_placement(), rest_placement()};
    struct dc_witness found;
    if (i % 4 == 1) {
      random_rotation(random, placements[1].rotation);
      place(solids[1], solids[0]->center, &placements[1]);
    }
    if (i % 4 == 2) {  // two vertices in one place
      double at[3];
      const struct dc_convex *part = &solids[0]->parts[0], *other = &solids[1]->parts[0];
      random_rotation(random, placements[1].rotation);
      dc_mat_apply(at, placements[1].rotation, other->vertices[i % other->vertex_count]);
      dc_vec_sub(placements[1].position, part->vertices[i % part->vertex_count], at);
    }
    if (i % 4 == 3) {  // off by almost nothing
      double q[4], turn[3];
      for (int k = 0; k < 3; k++) {
        turn[k] = pow(10, between(random, -17, -6)) * (k - 1);
        placements[1].position[k] = solids[0]->size * pow(10, between(random, -17, -6));
      }
      dc_rotation_exp(q, turn);
      dc_rotation_matrix(placements[1].rotation, q);
    }
    for (int again = 0; again < 4; again++) {
      if (i % 3 == 0)
        dc_witness_search_reset(search);
      long before = dc_witness_search_supports(search);
      dc_witness_query(search, &placements[0], &placements[1], &found);
      long supports = dc_witness_search_supports(search) - before;
      most = supports > most ? supports : most;
      CHECK(supports <= MOST_SUPPORTS, "%d, %d: %ld supports", number, i, supports);
      CHECK(is_finite(&found), "%d, %d: not finite", number, i);
      if (exact)
        check_answer(&found, solids, placements, again == 0 && i < 8, worst, "hostile", 100 * number + i);
      // Touching, then a little apart or in.
      double step = again == 1 ? 1e-13 * solids[0]->size * (i - 20) : 0;
      dc_vec_add_scaled(placements[1].position, placements[1].position, step - found.distance, found.normal);
    }
  }
  dc_witness_search_destroy(search);
  return most;
}

static void test_hostile(void)
{
  enum { KINDS = 9 };
  struct dc_random random;
  struct fixture fixtures[KINDS];
  struct worst worst = {0};
  long most = 0;
  dc_random_seed(&random, 5);
  make_box(&fixtures[0], 1, 1, 1);
  make_box(&fixtures[1], 1, 1, 1e-5);
  make_box(&fixtures[2], 1, 1e-4, 1e-4);
  make_box(&fixtures[3], 100, 0.01, 1);
  make_ball(&fixtures[4]);
  make_random(&random, 2, 0.01, 0, &fixtures[5]);
  make_random(&random, 2, 1, 0, &fixtures[6]);
  make_random(&random, 0, 1, 5, &fixtures[7]);
  begin(&fixtures[8]);
  add_hull(&fixtures[8], (const double[4][3]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-6}}, 4);
  finish(&fixtures[8]);
  for (int a = 0; a < KINDS; a++)
    for (int b = 0; b < KINDS; b++) {
      long supports = check_hostile(&fixtures[a], &fixtures[b], a != 4 || b != 4, &random, &worst, KINDS * a + b);
      most = supports > most ? supports : most;
    }
  printf("# up to %ld supports\n", most);
  report(&worst);
  for (int k = 0; k < KINDS; k++)
    end(&fixtures[k]);
}

// Two balls in one place, whose difference has thousands of sides at almost the same distance: EPA runs out of room.
static void test_room(void)
{
  struct dc_random random;
  struct fixture ball;
  double inside = make_ball(&ball);
  dc_random_seed(&random, 6);
  for (int i = 0; i < 5; i++) {
    struct dc_placement first = rest_placement(), second = rest_placement();
    const struct dc_convex *parts[2] = {ball.solid.parts, ball.solid.parts};
    random_rotation(&random, second.rotation);
    struct dc_witness found = query_once(&ball.solid, &ball.solid, &first, &second);
    const struct dc_placement placements[2] = {first, second};
    CHECK_NEAR(found.distance, gap_along(parts, placements, found.normal), 1e-14);  // 4e-16 observed
    CHECK(found.distance >= -2 && found.distance <= -2 + 2 * inside, "%g", found.distance);
    for (int side = 0; side < 2; side++)  // near the surface
      CHECK(fabs(height_over(parts[side], &placements[side], found.point[side])) <= 2 * inside, "%g",
            height_over(parts[side], &placements[side], found.point[side]));
  }
  end(&ball);
}

// ---- Solids

// A cube with a vertex in the middle of a side, that much inside it.
static void test_solids(void)
{
  for (int i = 0; i < 2; i++) {
    double inside = i ? 1e-7 : 0, vertices[9][3];
    int triangles[14][3];
    struct dc_error error;
    struct dc_solid solid;
    struct fixture cube;
    make_box(&cube, 1, 1, 1);
    const struct dc_convex *part = &cube.solid.parts[0];
    CHECK(part->vertex_count == 8 && part->triangle_count == 12 && part->climbs, "cube");
    CHECK_NEAR(part->radius, sqrt(0.75), 1e-15);
    CHECK_NEAR(cube.solid.size, sqrt(3), 1e-15);
    CHECK_NEAR(cube.solid.surface_area, 6, 1e-14);
    for (int v = 0; v < 8; v++)
      for (int n = part->neighbor_start[v]; n < part->neighbor_start[v + 1]; n++) {
        int w = part->neighbors[n], back = 0;
        for (int m = part->neighbor_start[w]; m < part->neighbor_start[w + 1]; m++)
          back += part->neighbors[m] == v;
        CHECK(back == 1 && (n == part->neighbor_start[v] || part->neighbors[n - 1] < w), "neighbours %d and %d", v, w);
      }
    memcpy(vertices, part->vertices, 8 * sizeof *vertices);
    memcpy(triangles, part->triangles, 12 * sizeof *triangles);
    double normal[3];
    const int *corner = part->triangles[0];
    int a = corner[0], b = corner[1], c = corner[2];
    triangle_normal(part, 0, normal);
    for (int k = 0; k < 3; k++)
      vertices[8][k] = (vertices[a][k] + vertices[b][k] + vertices[c][k]) / 3 - inside * normal[k];
    memcpy(triangles[0], (int[3]){a, b, 8}, sizeof *triangles);
    memcpy(triangles[12], (int[3]){b, c, 8}, sizeof *triangles);
    memcpy(triangles[13], (int[3]){c, a, 8}, sizeof *triangles);
    const struct dc_mesh mesh = {.vertex_count = 9, .triangle_count = 14, .vertices = vertices, .triangles = triangles};
    const struct dc_shape dented = {.name = "dented", .part_count = 1, .parts = &mesh};
    CHECK(dc_solid_create(&dented, cube.arena, &solid, &error) == DC_OK, "%s", error.text);
    CHECK(solid.parts[0].vertex_count == (i ? 8 : 9), "%d vertices", solid.parts[0].vertex_count);
    const struct dc_shape none = {.name = "none"};
    CHECK(dc_solid_create(&none, cube.arena, &solid, &error) == DC_BAD_INPUT && strstr(error.text, "\"none\""), "%s",
          error.text);
    end(&cube);
  }
}

RUN_TESTS({"random pairs", test_random}, {"known pairs", test_known}, {"balls", test_balls},
          {"starts and order", test_warm}, {"unions", test_unions}, {"equal parts", test_equal_parts},
          {"hostile pairs", test_hostile}, {"out of room", test_room}, {"solids", test_solids})
