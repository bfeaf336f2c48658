// SPDX-License-Identifier: Apache-2.0
// Contact manifolds beside what geometry knows: edges and vertices of boxes on boxes, edges that turn past parallel
// ones.
#include "bench/manifold_cases.h"

#include "harness.h"

static void test_boxes(void)
{
  struct dc_error error = {0};
  struct dc_box_edges edges;
  struct dc_box_vertices vertices;
  CHECK(!dc_bench_box_edges(0.005, 500, 21, &edges, &error), "%s", error.text);
  printf("# %d crossings of %d poses; activity at least %.3g, others %.3g (median); normals within %.2g deg (90 %%)\n",
         edges.crossings, edges.poses, edges.least, edges.others, edges.p90);
  CHECK(edges.crossings > 4000 && edges.missed == 0 && edges.least >= 0.1, "activities of crossings %g", edges.least);
  CHECK(edges.p90 <= 3, "normals %g deg", edges.p90);
  CHECK(edges.others <= 0.12, "others %g", edges.others);
  CHECK(!dc_bench_box_vertices(100, 21, &vertices, &error), "%s", error.text);
  // superquadrics are rounder than cubes, by 3.4 % of the edge at most
  CHECK(vertices.inside > 1000 && vertices.differ <= 0.1 * vertices.inside && vertices.deepest <= 0.034,
        "%d of %d vertices differ, up to %g deep", vertices.differ, vertices.inside, vertices.deepest);
  CHECK(vertices.away_most <= 2, "normals away from sides %g deg", vertices.away_most);  // 1.2 observed
}

static void test_parallel_edges(void)
{
  struct dc_parallel_sweep hard, regularized, soft;
  dc_bench_parallel(1e-11, 0, &hard);
  dc_bench_parallel(1e-11, 0.01, &regularized);
  dc_bench_parallel(0.1, 0.01, &soft);
  CHECK(hard.step > 0.5, "without smoothing it jumps: %g", hard.step);
  CHECK(regularized.step < 2e-2, "regularized: %g", regularized.step);
  CHECK(soft.step < 2e-2 && soft.slope_error < 1e-6, "smoothed: %g, derivative within %g", soft.step,
        soft.slope_error);  // 1.3e-10 observed
}

RUN_TESTS({"boxes on boxes", test_boxes}, {"edges that become parallel", test_parallel_edges})
