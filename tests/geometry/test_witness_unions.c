// SPDX-License-Identifier: Apache-2.0
// Witness points of unions, of solids that are hard to tell apart, and how solids are made.
#include "geometry/witness_cases.h"

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
    worst = larger(worst, larger(fabs(found.distance - best.distance), fabs(again.distance - best.distance)));
    CHECK(fabs(found.distance - best.distance) < 1e-14, "%d: %.17g, of all pairs of parts %.17g", i, found.distance,
          best.distance);  // 1.4e-17 observed
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

RUN_TESTS({"unions", test_unions}, {"equal parts", test_equal_parts}, {"hostile pairs", test_hostile},
          {"out of room", test_room}, {"solids", test_solids})
