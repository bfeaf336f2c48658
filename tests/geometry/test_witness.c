// SPDX-License-Identifier: Apache-2.0
// Witness points of convex solids: what defines them is checked on random and known pairs.
#include "geometry/witness_cases.h"

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
        double gap = solids[0]->size * pow(10, between(&random, -13, -4)) * (j % 2 ? -1 : 1);
        dc_vec_add_scaled(placements[1].position, placements[1].position, gap - witness.distance, witness.normal);
        dc_witness_query(search, &placements[0], &placements[1], &witness);
        check_answer(&witness, solids, placements, false, &worst, "near pair", 10 * i + j);
      }
    }
    dc_witness_search_destroy(search);
    end(&fixtures[0]);
    end(&fixtures[1]);
  }
  report(&worst);
}

static const struct dc_placement *shifted(double x, double y, double z, const double matrix[9],
                                          struct dc_placement *placement)
{
  *placement = (struct dc_placement){.position = {x, y, z}};
  memcpy(placement->rotation, matrix, 9 * sizeof *matrix);
  return placement;
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
    worst = larger(worst, found.distance - (apart - 2));
  }
  printf("# balls inside spheres by up to %.3g, distances by %.3g longer\n", inside, worst);
  dc_witness_search_destroy(search);
  end(&ball);
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
    for (int s = 0; s < 4; s++)  // three of them in one room, which changes nothing
      searches[s] = dc_witness_search_create_beside(s == 3 ? &b.solid : &a.solid, s == 3 ? &a.solid : &b.solid,
                                                    s >= 2 ? searches[1] : NULL);
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
      distances = larger(distances, larger(fabs(warm.distance - cold.distance), fabs(warm.distance - mirror.distance)));
      rest = larger(rest, difference_between(&warm, &cold));
      mirrored = larger(mirrored, difference_between(&warm, &mirror));
      apart += warm.distance > 0;
      count++;
      // Back to near contact.
      dc_vec_add_scaled(second.position, second.position, between(&random, -0.02, 0.02) - warm.distance, warm.normal);
    }
    for (int s = 3; s >= 0; s--)
      dc_witness_search_destroy(searches[s]);
    end(&a);
    end(&b);
  }
  printf("# %d of %d apart; distances differ by %.2g, points and normals by %.2g, swapped by %.2g\n", apart, count,
         distances, rest, mirrored);
  CHECK(distances < 1e-14, "%g", distances);  // 1.3e-15 observed
  CHECK(rest < 1e-12, "%g", rest);            // 1.5e-15
  CHECK(mirrored < 1e-11, "%g", mirrored);    // 8e-14: features at small angles
}

RUN_TESTS({"random pairs", test_random}, {"known pairs", test_known}, {"balls", test_balls},
          {"starts and order", test_warm})
