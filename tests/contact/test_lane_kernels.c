// SPDX-License-Identifier: Apache-2.0
// What every copy of the kernels must have in common: the same numbers, weights, a barrier that pushes and never
// pulls.
#include "harness.h"

#include "bench/pairs.h"
#include "pair_cases.h"

enum { ROUNDS = 300 };

static void random_batch(struct dc_random *random, double smallest_gap, struct dc_triangle_batch *batch)
{
  start_batch(batch, 0.5);
  for (int lane = 0; lane < DC_BATCH; lane++) {
    struct pair_case c = {.position = (int)between(random, 0, POSITIONS),
                          .gap = pow(smallest_gap, dc_random_uniform(random)),
                          .aspect = 1,
                          .ratio = 1,
                          .scale = 1,
                          .arm = 1,
                          .turned = true};
    double x[6][3];
    make_case(random, &c, x);
    set_lane(batch, lane, x);
  }
}

// Sum of |a - b| over sum of |b|, of one lane.
static double difference(double (*a)[DC_BATCH], double (*b)[DC_BATCH], int count, int lane)
{
  double sum = 0, size = 0;
  for (int i = 0; i < count; i++) {
    sum += fabs(a[i][lane] - b[i][lane]);
    size += fabs(b[i][lane]);
  }
  return sum / size;
}

// Whether all kernels agree with the first one, from cold planes or from the optimum.
static void compare_widths(uint64_t seed, bool from_optimum, double tolerance)
{
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  if (!all[1])
    SKIP("one kernel only");
  struct dc_random random;
  dc_random_seed(&random, seed);
  double worst[3] = {0, 0, 0};
  for (int round = 0; round < ROUNDS; round++) {
    struct dc_triangle_batch batch, first;
    double sum[DC_HESSIAN][DC_BATCH] = {{0}};
    random_batch(&random, 1e-2, &batch);
    if (from_optimum)
      all[0]->triangle_pairs(&batch, 0, NULL);
    first = batch;
    all[0]->triangle_pairs(&first, 2, sum);
    for (int i = 1; all[i]; i++) {
      struct dc_triangle_batch other = batch;
      double hessian[DC_HESSIAN][DC_BATCH] = {{0}};
      all[i]->triangle_pairs(&other, 2, hessian);
      for (int lane = 0; lane < DC_BATCH; lane++) {
        worst[0] = larger(worst[0], fabs(other.energy[lane] / first.energy[lane] - 1));
        worst[1] = larger(worst[1], difference(other.gradient, first.gradient, 6, lane));
        worst[2] = larger(worst[2], difference(hessian, sum, DC_HESSIAN, lane));
      }
    }
  }
  printf("# energy %.1e gradient %.1e Hessian %.1e\n", worst[0], worst[1], worst[2]);
  CHECK(worst[0] < 1e-12, "%.2g", worst[0]);
  CHECK(worst[1] < tolerance, "%.2g", worst[1]);
  CHECK(worst[2] < tolerance, "%.2g", worst[2]);
}

// Widths differ in rounding and, as lanes are solved in groups, in when a plane gets a new frame.  Observed: energy
// 4e-15, gradient 1.5e-12, Hessian 1.3e-12 (the tolerance of the plane).
static void test_widths(void)
{
  compare_widths(1, false, 3e-11);
}

// From planes converged to rounding the widths agree to rounding.  Observed: energy 5e-15, gradient 2e-14, Hessian
// 3e-14.
static void test_widths_from_optimum(void)
{
  compare_widths(2, true, 1e-12);
}

// Weights scale a lane's Hessian; lanes of weight 0 and crossing lanes add exactly nothing, whatever else is in the
// sum.
static void test_weights(void)
{
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int round = 0; round < ROUNDS; round++) {
    struct dc_triangle_batch batch;
    random_batch(&random, 1e-4, &batch);
    for (int i = 0; all[i]; i++) {
      struct dc_triangle_batch plain = batch, weighted = batch;
      double sum[DC_HESSIAN][DC_BATCH] = {{0}}, hessian[DC_HESSIAN][DC_BATCH];
      for (int e = 0; e < DC_HESSIAN; e++)
        for (int lane = 0; lane < DC_BATCH; lane++)
          hessian[e][lane] = 1;
      for (int lane = 0; lane < DC_BATCH; lane++)
        weighted.weight[lane] = lane % 3 == 2 ? 0 : 1 + lane;
      for (int k = 0; k < 9; k++)
        weighted.vertices[9 + k][7] = weighted.vertices[k][7];  // the same triangle twice
      all[i]->triangle_pairs(&plain, 2, sum);
      all[i]->triangle_pairs(&weighted, 2, hessian);
      CHECK(weighted.energy[7] == INFINITY && weighted.gap[7] == 0, "%g", weighted.energy[7]);
      for (int lane = 0; lane < DC_BATCH; lane++)
        for (int e = 0; e < DC_HESSIAN; e++) {
          double added = lane % 3 == 2 || lane == 7 ? 0 : (1 + lane) * sum[e][lane];
          if (added == 0)
            CHECK(hessian[e][lane] == 1, "%s", all[i]->name);
          else
            CHECK_NEAR(hessian[e][lane], 1 + added, 1e-9 * (1 + fabs(added)) * (1 + fabs(sum[0][lane] / sum[e][lane])));
        }
      // Unused lanes that repeat a used one: the used lane's numbers do not change.
      struct dc_triangle_batch single = batch;
      for (int lane = 1; lane < DC_BATCH; lane++)
        for (int k = 0; k < 18; k++)
          single.vertices[k][lane] = single.vertices[k][0];
      all[i]->triangle_pairs(&single, 1, NULL);
      CHECK_NEAR(single.energy[0], plain.energy[0], 1e-12 * plain.energy[0]);
    }
  }
}

// Signed distance, in the plane across direction, of point from the triangle's outline; negative inside.
static double outside(const double triangle[3][3], const double point[3], const double direction[3])
{
  double area[3], normal[3], e1[3], e2[3], worst = -INFINITY, size = 0;
  dc_vec_sub(e1, triangle[1], triangle[0]);
  dc_vec_sub(e2, triangle[2], triangle[0]);
  dc_vec_cross(normal, e1, e2);
  double sign = dc_vec_dot(normal, direction) >= 0 ? 1 : -1;
  for (int v = 0; v < 3; v++) {
    double edge[3], lever[3];
    dc_vec_sub(edge, triangle[(v + 1) % 3], triangle[v]);
    dc_vec_sub(lever, point, triangle[v]);
    dc_vec_cross(area, edge, lever);
    size = larger(size, dc_vec_norm(edge));
    worst = larger(worst, -sign * dc_vec_dot(area, direction) / dc_vec_norm(direction));
  }
  return worst / size;
}

// Paper 000, Eq. 2: the force on a lies in the cone of (point of a) - (point of b).  The wrench is one force along
// the plane's normal whose line passes through both triangles.  Observed for the line: 5e-16.
static void test_pushes_apart(void)
{
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  struct dc_random random;
  dc_random_seed(&random, 4);
  double worst = 0;
  for (int round = 0; round < ROUNDS; round++) {
    struct dc_triangle_batch batch;
    random_batch(&random, 1e-4, &batch);
    for (int i = 0; all[i]; i++) {
      struct dc_triangle_batch copy = batch, moved;
      all[i]->triangle_pairs(&copy, 1, NULL);
      moved = copy;
      for (int lane = 0; lane < DC_BATCH; lane++) {
        double x[6][3], force[3], torque[3], point[3], plane[4];
        world_plane(&copy, lane, plane);
        for (int k = 0; k < 18; k++)
          x[k / 3][k % 3] = copy.vertices[k][lane];
        for (int k = 0; k < 3; k++)
          torque[k] = -copy.gradient[k][lane], force[k] = -copy.gradient[3 + k][lane];
        double size = dc_vec_norm(force);
        CHECK(copy.energy[lane] > 0 && size > 0, "%s: energy %g", all[i]->name, copy.energy[lane]);
        for (int a = 0; a < 3; a++)
          for (int b = 3; b < 6; b++) {
            double between_vertices[3];
            dc_vec_sub(between_vertices, x[a], x[b]);
            CHECK(dc_vec_dot(force, between_vertices) > 0, "%s: pulls", all[i]->name);
          }
        CHECK(dc_vec_dot(force, plane) > (1 - 1e-9) * size, "%s: not along the normal", all[i]->name);
        CHECK(fabs(dc_vec_dot(force, torque)) < 1e-9 * size * size, "%s: a screw", all[i]->name);
        dc_vec_cross(point, force, torque);
        dc_vec_scale(point, point, 1 / (size * size));
        worst = larger(worst, larger(outside(x, point, force), outside(x + 3, point, force)));
        double step = 0.1 * copy.gap[lane];
        for (int k = 0; k < 9; k++)
          moved.vertices[k][lane] += step * plane[k % 3];
      }
      all[i]->triangle_pairs(&moved, 0, NULL);
      for (int lane = 0; lane < DC_BATCH; lane++)
        CHECK(moved.energy[lane] < copy.energy[lane], "%s: does not decrease", all[i]->name);
    }
  }
  printf("# outside by %.1e\n", worst);
  CHECK(worst < 1e-9, "%.2g", worst);
}

// gap is the sum of the least distances to the plane, so never more than the distance of any two vertices.  The plane
// that comes out is a unit plane with a on its positive side, in the axes of b, and a plane remembered in b's frame
// survives a turn of the whole scene.
static void test_planes(void)
{
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  struct dc_random random;
  dc_random_seed(&random, 5);
  for (int round = 0; round < ROUNDS; round++) {
    struct dc_triangle_batch batch;
    double matrix[9];
    random_batch(&random, 1e-3, &batch);
    random_rotation(&random, matrix);
    for (int i = 0; all[i]; i++) {
      struct dc_triangle_batch first = batch, second;
      all[i]->triangle_pairs(&first, 1, NULL);
      second = first;
      turn_scene(&second, matrix);
      all[i]->triangle_pairs(&second, 1, NULL);
      CHECK(second.iterations == DC_BATCH / all[i]->width, "%s: %d iterations from the optimum", all[i]->name,
            (int)second.iterations);
      for (int lane = 0; lane < DC_BATCH; lane++) {
        double plane[4], least[2] = {INFINITY, INFINITY}, force[3], turned[3];
        world_plane(&first, lane, plane);
        CHECK_NEAR(dc_vec_norm(plane), 1, 1e-14);
        for (int v = 0; v < 6; v++) {
          double x[3] = {batch.vertices[3 * v][lane], batch.vertices[3 * v + 1][lane], batch.vertices[3 * v + 2][lane]};
          double h = (v < 3 ? 1 : -1) * (dc_vec_dot(plane, x) + plane[3]);
          least[v / 3] = fmin(least[v / 3], h);
        }
        CHECK(least[0] > 0 && least[1] > 0, "%s: %g, %g", all[i]->name, least[0], least[1]);
        CHECK_NEAR(first.gap[lane], least[0] + least[1], 1e-14);
        CHECK_NEAR(second.energy[lane], first.energy[lane], 1e-11 * first.energy[lane]);  // observed 1e-12
        for (int k = 0; k < 3; k++)
          force[k] = first.gradient[3 + k][lane];
        dc_mat_apply(turned, matrix, force);
        for (int k = 0; k < 3; k++)
          CHECK_NEAR(second.gradient[3 + k][lane], turned[k], 1e-10 * dc_vec_norm(force));  // observed 3e-11
      }
    }
  }
}

static void test_benchmark(void)
{
  struct dc_pair_rates rates;
  struct dc_error error = {0};
  CHECK(dc_bench_pairs(&rates, &error) == DC_OK, "%s", error.text);
  CHECK(rates.kernels >= 1 && strcmp(rates.kernel[rates.kernels - 1].name, "baseline") == 0, "%d", rates.kernels);
  for (int i = -1; i < rates.kernels; i++) {
    const struct dc_pair_rate *rate = i < 0 ? &rates.paper : &rates.kernel[i];
    for (int order = 0; order < 3; order++)
      CHECK(rate->cold[order] > 0 && isfinite(rate->cold[order]) && rate->warm[order] > 0, "%s", rate->name);
    CHECK(rate->warm_iterations < rate->cold_iterations, "%s", rate->name);
    printf("# %-8s cold %.2f warm %.2f million pairs/s with Hessian\n", rate->name, 1e-6 * rate->cold[2],
           1e-6 * rate->warm[2]);
  }
}

RUN_TESTS({"widths agree", test_widths}, {"widths agree from the optimum", test_widths_from_optimum},
          {"weights and unused lanes", test_weights}, {"forces push apart", test_pushes_apart},
          {"planes and gaps", test_planes}, {"benchmark", test_benchmark})
