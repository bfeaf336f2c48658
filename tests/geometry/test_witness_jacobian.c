// SPDX-License-Identifier: Apache-2.0
// Jacobians of smoothed witness points over twists: they hold the equations of the points and are derivatives of the
// whole query.
#include "witness_query.h"

static void twist_velocity(const double twist[6], const double center[3], const double point[3], double velocity[3])
{
  double r[3];
  dc_vec_sub(r, point, center);
  dc_vec_cross(velocity, twist, r);
  dc_vec_add(velocity, velocity, twist + 3);
}

static void apply_jacobian(const double jacobian[18], const double twist[6], double rate[3])
{
  for (int r = 0; r < 3; r++) {
    rate[r] = 0;
    for (int c = 0; c < 6; c++)
      rate[r] += jacobian[6 * r + c] * twist[c];
  }
}

// Coupled, at the witness points: the two equations hold for any twists, hence both solids moved by one twist take
// their points with them.  Paper mode: the latter only where one of the points follows nothing.  At smoothed points:
// shifts only.
static void jacobian_holds_equations(void)
{
  dc_random_seed(&generator, 8);
  struct dc_witness_settings settings;
  default_settings(&settings);
  double equations = 0, rigid[2][2][2] = {0};
  for (int i = 0; i < 400; i++) {
    struct dc_witness witness;
    struct dc_witness_side sides[2];
    double center[2][3], twist[2][6], jacobian[2][2][18], rate[2][3], part[3];
    settings.coupled = i % 2;
    settings.smoothed_point = i / 2 % 2;
    bool vertex = i / 4 % 2;
    for (int k = 0; k < 2; k++) {
      random_vector(witness.point[k], 1);
      random_vector(center[k], 1);
      random_vector(twist[k], 1);
      random_vector(twist[k] + 3, 1);
      for (int c = 0; c < 9; c++)
        sides[k].follow[c] = vertex && k ? 0 : 0.25 * dc_random_normal(&generator);
      dc_vec_copy(sides[k].point, witness.point[k]);
      if (settings.smoothed_point)
        sides[k].point[i % 3] += 0.1;
    }
    for (int pass = 0; pass < 3; pass++) {
      dc_witness_jacobian(&settings, &witness, sides, (const double(*)[3])center, jacobian);
      for (int k = 0; k < 2; k++) {
        apply_jacobian(jacobian[k][0], twist[0], rate[k]);
        apply_jacobian(jacobian[k][1], twist[1], part);
        dc_vec_add(rate[k], rate[k], part);
      }
      for (int k = 0; k < 2; k++) {
        double own[3], at_other[3], relative[3], followed[3], expected[3];
        twist_velocity(twist[k], center[k], sides[k].point, own);
        twist_velocity(twist[k], center[k], witness.point[1 - k], at_other);
        dc_vec_sub(relative, rate[1 - k], at_other);
        dc_mat_apply(followed, sides[k].follow, relative);
        dc_vec_add(expected, own, followed);
        if (settings.coupled)
          equations = larger(equations, difference(rate[k], expected, 3) / (1 + largest(expected, 3)));
        if (pass > 0) {
          twist_velocity(twist[k], center[k], witness.point[k], own);
          double *w = &rigid[settings.coupled][vertex][pass - 1];
          if (pass == 2 || !settings.smoothed_point)
            *w = larger(*w, difference(rate[k], own, 3) / (1 + largest(own, 3)));
        }
      }
      // then one twist for both, then one without rotation
      memcpy(twist[1], twist[0], sizeof twist[0]);
      dc_vec_copy(center[1], center[0]);
      if (pass == 1)
        memset(twist[0], 0, 3 * sizeof(double)), memset(twist[1], 0, 3 * sizeof(double));
    }
  }
  printf("# equations %g; moved together: coupled %g %g, paper at a vertex %g %g, else %g %g\n", equations,
         fmax(rigid[1][0][0], rigid[1][1][0]), fmax(rigid[1][0][1], rigid[1][1][1]), rigid[0][1][0], rigid[0][1][1],
         rigid[0][0][0], rigid[0][0][1]);
  CHECK_NEAR(equations, 0, 1e-13);  // observed 9e-16
  for (int pass = 0; pass < 2; pass++) {
    CHECK_NEAR(larger(rigid[1][0][pass], rigid[1][1][pass]), 0, 1e-13);
    CHECK_NEAR(rigid[0][1][pass], 0, 1e-13);
    CHECK(rigid[0][0][pass] > 0.01, "paper mode differs by %g", rigid[0][0][pass]);
  }
}

// Parallel faces: coupled equations have no unique solution; the regularized one is large, not endless.
static void parallel_faces(void)
{
  struct dc_witness_settings settings;
  default_settings(&settings);
  settings.coupled = true;
  struct dc_witness witness = {.point = {{0, 0, 0}, {0, 0, 1}}, .normal = {0, 0, 1}, .distance = 1};
  struct dc_witness_side sides[2] = {{.follow = {1, 0, 0, 0, 1}}, {.follow = {1, 0, 0, 0, 1}, .point = {0, 0, 1}}};
  double center[2][3] = {{0}}, jacobian[2][2][18];
  dc_witness_jacobian(&settings, &witness, sides, (const double(*)[3])center, jacobian);
  CHECK(isfinite(largest(jacobian[0][0], 18)) && largest(jacobian[0][0], 18) < 2e4, "%g", largest(jacobian[0][0], 18));
  CHECK_NEAR(jacobian[0][0][6 * 2 + 5], 1, 1e-12);
  for (int k = 0; k < 2; k++)  // identical unbounded followers
    for (int c = 0; c < 9; c += 4)
      sides[k].follow[c] = 1 / sqrt(0.9999);
  dc_witness_jacobian(&settings, &witness, sides, (const double(*)[3])center, jacobian);
  CHECK(isfinite(largest(jacobian[0][0], 72)));
}

// Moves a placement by the twist times `by` about center.
static void move(struct dc_placement *placement, const double twist[6], double by, const double center[3])
{
  double w[3], q[4], rotation[9], turned[9], r[3], moved[3];
  dc_vec_scale(w, twist, by);
  dc_rotation_exp(q, w);
  dc_rotation_matrix(rotation, q);
  dc_mat_multiply(turned, rotation, placement->rotation);
  memcpy(placement->rotation, turned, sizeof turned);
  dc_vec_sub(r, placement->position, center);
  dc_mat_apply(moved, rotation, r);
  dc_vec_add(placement->position, center, moved);
  dc_vec_add_scaled(placement->position, placement->position, by, twist + 3);
}

// Derivative of both witness points by component c of the twist of solid k, by central differences of fourth order.
static void query_by_differences(struct dc_witness_search *search, const struct query *query, int k, int c, double h,
                                 double rate[6])
{
  static const double weights[4] = {1, -8, 8, -1}, steps[4] = {-2, -1, 1, 2};
  double twist[6] = {0};
  twist[c] = 1;
  memset(rate, 0, 6 * sizeof *rate);
  for (int s = 0; s < 4; s++) {
    struct dc_placement placements[2] = {query->placements[0], query->placements[1]};
    struct dc_witness witness;
    move(&placements[k], twist, steps[s] * h, query->placements[k].position);
    dc_witness_query(search, &placements[0], &placements[1], &witness);
    for (int i = 0; i < 6; i++)
      rate[i] += weights[s] * witness.point[i / 3][i % 3] / (12 * h);
  }
}

static int rank_of(const double follow[9])
{
  return (int)lround(follow[0] + follow[4] + follow[8]);
}

// Analytical and coupled, the Jacobian is that of the query wherever the query is smooth: between vertex and face,
// between edges, apart and in overlap.  Smoothness is told by two steps of differences that agree.
static void analytical_is_derivative_of_query(void)
{
  struct fixture *fixtures[2];
  for (int i = 0; i < 2; i++) {
    double points[24][3];
    fixtures[i] = fixture_begin();
    dc_random_seed(&generator, 20 + (uint64_t)i);
    for (int k = 0; k < 24; k++)
      random_vector(points[k], 0.5);
    fixture_hull(fixtures[i], (const double(*)[3])points, 24);
    fixture_build(fixtures[i], 8, 1);
  }
  struct dc_witness_search *search = dc_witness_search_create(&fixtures[0]->solid, &fixtures[1]->solid);
  struct dc_witness_settings settings;
  default_settings(&settings);
  settings.method = DC_WITNESS_ANALYTICAL;
  settings.coupled = true;
  int kinds[2][3][3] = {0}, smooth = 0, tried = 500;
  double worst[2] = {0};
  for (int i = 0; i < tried; i++) {
    struct query query;
    struct dc_witness_side sides[2];
    double center[2][3], jacobian[2][2][18], rates[2][2][6][6], off = 0, error = 0, most = 0;
    for (int k = 0; k < 2; k++) {
      query.solids[k] = (struct dc_witness_solid){&fixtures[k]->solid, &fixtures[k]->samples};
      random_placement(&query.placements[k], i % 3 ? 1.5 : 0.3);
      dc_vec_copy(center[k], query.placements[k].position);
    }
    dc_witness_query(search, &query.placements[0], &query.placements[1], &query.witness);
    memcpy(query.target, query.witness.point, sizeof query.target);
    derive(&settings, &query, sides);
    dc_witness_jacobian(&settings, &query.witness, sides, (const double(*)[3])center, jacobian);
    for (int h = 0; h < 2; h++)
      for (int k = 0; k < 2; k++)
        for (int c = 0; c < 6; c++)
          query_by_differences(search, &query, k, c, h ? 2e-5 : 1e-5, rates[h][k][c]);
    for (int k = 0; k < 2; k++)
      for (int c = 0; c < 6; c++)
        for (int r = 0; r < 6; r++) {
          double exact = jacobian[r / 3][k][6 * (r % 3) + c];
          off = larger(off, fabs(rates[0][k][c][r] - rates[1][k][c][r]));
          error = larger(error, fabs(exact - rates[0][k][c][r]));
          most = larger(most, fabs(rates[0][k][c][r]));
        }
    int first = rank_of(sides[0].follow), second = rank_of(sides[1].follow);
    if (off > 1e-7 * most || most > 100)  // the latter between edges that are nearly parallel
      continue;
    smooth++;
    kinds[query.witness.distance < 0][first][second]++;
    double *w = &worst[query.witness.distance < 0];
    *w = larger(*w, error / most);
    CHECK(error < 1e-8 * most, "case %d, features %d and %d, distance %g: %g of %g", i, first, second,
          query.witness.distance, error, most);
  }
  printf("# smooth in %d of %d; apart %g (vertex-face %d, edge-edge %d, vertex-edge %d, vertex-vertex %d), overlap %g "
         "(%d, %d)\n",
         smooth, tried, worst[0], kinds[0][0][2] + kinds[0][2][0], kinds[0][1][1], kinds[0][0][1] + kinds[0][1][0],
         kinds[0][0][0], worst[1], kinds[1][0][2] + kinds[1][2][0], kinds[1][1][1]);
  // observed: all smooth, 1.6e-10
  CHECK(smooth > 0.9 * tried, "%d", smooth);
  CHECK(kinds[0][0][2] > 5 && kinds[0][2][0] > 5 && kinds[0][1][1] > 20 && kinds[0][1][0] > 5 && kinds[0][0][0] > 5);
  CHECK(kinds[1][0][2] + kinds[1][2][0] > 10 && kinds[1][1][1] > 10);
  dc_witness_search_destroy(search);
  fixture_end(fixtures[0]);
  fixture_end(fixtures[1]);
}

// Smooth solids at some distance: the mean of the smoothed Jacobian over draws points the way of the differences of the
// query over steps as large as the samples' radius.
static void smoothed_points_the_same_way(void)
{
  struct fixture *fixture = fixture_begin();
  fixture_ellipsoid(fixture, 0.03, 0.05, 0.02, 400);
  fixture_build(fixture, 1024, 5);
  struct dc_witness_search *search = dc_witness_search_create(&fixture->solid, &fixture->solid);
  struct dc_witness_settings settings;
  default_settings(&settings);
  dc_random_seed(&generator, 30);
  double cosines[2] = {0};
  int counts[2] = {0};
  for (int i = 0; i < 60; i++) {
    struct query query;
    double center[2][3], mean[2][6][6] = {0}, product = 0, square[2] = {0};
    for (int k = 0; k < 2; k++) {
      query.solids[k] = (struct dc_witness_solid){&fixture->solid, &fixture->samples};
      random_placement(&query.placements[k], 0.06);
      dc_vec_copy(center[k], query.placements[k].position);
    }
    dc_witness_query(search, &query.placements[0], &query.placements[1], &query.witness);
    memcpy(query.target, query.witness.point, sizeof query.target);
    query.draw.radius_scale = 1;
    for (uint64_t key = 0; key < 50; key++) {
      struct dc_witness_side sides[2];
      double jacobian[2][2][18];
      query.draw.key = key;
      derive(&settings, &query, sides);
      dc_witness_jacobian(&settings, &query.witness, sides, (const double(*)[3])center, jacobian);
      for (int k = 0; k < 2; k++)
        for (int c = 0; c < 6; c++)
          for (int r = 0; r < 6; r++)
            mean[k][c][r] += jacobian[r / 3][k][6 * (r % 3) + c] / 50;
    }
    for (int k = 0; k < 2; k++)
      for (int c = 3; c < 6; c++) {
        double rate[6];
        query_by_differences(search, &query, k, c, 0.003, rate);
        for (int r = 0; r < 6; r++) {
          product += rate[r] * mean[k][c][r];
          square[0] += rate[r] * rate[r];
          square[1] += mean[k][c][r] * mean[k][c][r];
        }
      }
    int overlap = query.witness.distance < 0;
    cosines[overlap] += product / sqrt(square[0] * square[1]);
    counts[overlap]++;
  }
  printf("# mean cosine to differences: apart %g of %d, in overlap %g of %d\n", cosines[0] / counts[0], counts[0],
         cosines[1] / counts[1], counts[1]);
  CHECK(counts[0] > 40 && cosines[0] > 0.8 * counts[0]);  // observed 0.887; in overlap little is known
  dc_witness_search_destroy(search);
  fixture_end(fixture);
}

RUN_TESTS({"the Jacobian holds the equations", jacobian_holds_equations}, {"parallel faces", parallel_faces},
          {"analytical is the derivative of the query", analytical_is_derivative_of_query},
          {"smoothed points the same way", smoothed_points_the_same_way})
