// SPDX-License-Identifier: Apache-2.0
// The base line is compiled as hard as the kernels are (src/contact/kernels/lane_kernels_template.h).
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

#include "bench/pairs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/sort.h"
#include "contact/kernels/lane_kernels.h"
#include "math/vector.h"

enum { PAIRS = 4096, BATCHES = PAIRS / DC_BATCH, REPETITIONS = 9, PAPER_LIMIT = 100 };

static double vertex_sign(int v)
{
  return v < 3 ? 1 : -1;
}

// Gap along the axis, negative when the intervals overlap; *middle: where the plane half-way is; *sign: -1 when b is
// above a.
static double axis_gap(const double x[6][3], const double axis[3], double *middle, double *sign)
{
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int v = 0; v < 6; v++) {
    double h = dc_vec_dot(x[v], axis);
    low[v / 3] = fmin(low[v / 3], h);
    high[v / 3] = fmax(high[v / 3], h);
  }
  *sign = low[0] - high[1] >= low[1] - high[0] ? 1 : -1;
  *middle = *sign > 0 ? 0.5 * (low[0] + high[1]) : 0.5 * (low[1] + high[0]);
  return *sign > 0 ? low[0] - high[1] : low[1] - high[0];
}

// Largest gap over centroid line, normals, edge crosses and in-plane edge normals, with the unit middle plane there.
static double separating_plane(const double x[6][3], double plane[4])
{
  double axes[18][3], edges[6][3], best = -INFINITY;
  for (int v = 0; v < 6; v++)
    dc_vec_sub(edges[v], x[v / 3 * 3 + (v + 1) % 3], x[v]);
  for (int k = 0; k < 3; k++)
    axes[0][k] = x[0][k] + x[1][k] + x[2][k] - x[3][k] - x[4][k] - x[5][k];
  dc_vec_cross(axes[1], edges[0], edges[1]);
  dc_vec_cross(axes[2], edges[3], edges[4]);
  for (int i = 0; i < 9; i++)
    dc_vec_cross(axes[3 + i], edges[i / 3], edges[3 + i % 3]);
  for (int i = 0; i < 6; i++)
    dc_vec_cross(axes[12 + i], axes[1 + i / 3], edges[i]);
  for (int i = 0; i < 18; i++) {
    double middle, sign, length = dc_vec_norm(axes[i]);
    if (length == 0)
      continue;
    double gap = axis_gap(x, axes[i], &middle, &sign) / length;
    if (gap > best) {
      best = gap;
      dc_vec_scale(plane, axes[i], sign / length);
      plane[3] = -sign * middle / length;
    }
  }
  return best;
}

static double plane_distances(const double x[6][3], const double plane[4], double u[6])
{
  double least = INFINITY;
  for (int v = 0; v < 6; v++) {
    u[v] = vertex_sign(v) * (dc_vec_dot(x[v], plane) + plane[3]);
    least = fmin(least, u[v]);
  }
  return least;
}

// Value of the paper's L at the plane; INFINITY outside its domain.
static double paper_value(const double x[6][3], const double plane[4], double u[6])
{
  double length = dc_vec_norm(plane);
  if (length >= 1 || !(plane_distances(x, plane, u) > 0))
    return INFINITY;
  double value = 12 / (1 - length);
  for (int v = 0; v < 6; v++)
    value += 1 / u[v];
  return value;
}

// Gradient [4] and Hessian [4][4] (lower triangle) of L in the plane.
static void paper_derivatives(const double x[6][3], const double plane[4], const double u[6], double g[4],
                              double h[4][4])
{
  double length = dc_vec_norm(plane), rest = 1 - length, direction[3];
  dc_vec_scale(direction, plane, 1 / length);
  double slope = 12 / (rest * rest), bend = 24 / (rest * rest * rest) - slope / length;
  memset(h, 0, 16 * sizeof(double));
  for (int i = 0; i < 3; i++) {
    g[i] = slope * direction[i];
    for (int j = 0; j <= i; j++)
      h[i][j] = bend * direction[i] * direction[j];
    h[i][i] += slope / length;
  }
  g[3] = 0;
  for (int v = 0; v < 6; v++) {
    double r = 1 / u[v], q = vertex_sign(v) * r * r, w = 2 * r * r * r, y[4] = {x[v][0], x[v][1], x[v][2], 1};
    for (int i = 0; i < 4; i++) {
      g[i] -= q * y[i];
      for (int j = 0; j <= i; j++)
        h[i][j] += w * y[i] * y[j];
    }
  }
}

// Cholesky factor in place; false when the matrix is not positive definite.
static bool factor(double h[4][4])
{
  for (int i = 0; i < 4; i++)
    for (int j = 0; j <= i; j++) {
      double sum = h[i][j];
      for (int k = 0; k < j; k++)
        sum -= h[i][k] * h[j][k];
      if (i > j)
        h[i][j] = sum / h[j][j];
      else if (sum > 0)
        h[i][i] = sqrt(sum);
      else
        return false;
    }
  return true;
}

// y = L^-1 g
static void solve_lower(const double l[4][4], const double g[4], double y[4])
{
  for (int i = 0; i < 4; i++) {
    y[i] = g[i];
    for (int k = 0; k < i; k++)
      y[i] -= l[i][k] * y[k];
    y[i] /= l[i][i];
  }
}

// x = L^-T y
static void solve_upper(const double l[4][4], const double y[4], double x[4])
{
  for (int i = 3; i >= 0; i--) {
    x[i] = y[i];
    for (int k = i + 1; k < 4; k++)
      x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
}

// Damped Newton from a plane inside the domain.  The last step, below the tolerance, is taken without a test.
static int paper_newton(const double x[6][3], double plane[4], double *value, double u[6])
{
  *value = paper_value(x, plane, u);
  for (int iteration = 1; iteration <= PAPER_LIMIT; iteration++) {
    double g[4], h[4][4], y[4], step[4], trial[4], trial_u[6], decrement = 0, alpha = 1;
    paper_derivatives(x, plane, u, g, h);
    if (!factor(h))
      return -1;
    solve_lower(h, g, y);
    solve_upper(h, y, step);
    for (int i = 0; i < 4; i++)
      decrement += y[i] * y[i];
    bool last = decrement <= 1e-11 * *value;
    for (;;) {
      for (int i = 0; i < 4; i++)
        trial[i] = plane[i] - alpha * step[i];
      double next = paper_value(x, trial, trial_u);
      if (next <= *value - 1e-4 * alpha * decrement || (last && next < INFINITY)) {
        *value = next;
        break;
      }
      alpha *= 0.5;
      if (alpha < 1e-12)
        return -1;
    }
    memcpy(plane, trial, sizeof trial);
    memcpy(u, trial_u, sizeof trial_u);
    if (last)
      return iteration;
  }
  return -1;
}

// With u_v = n.(x + w x x + (w x (w x x))/2 + t) + d on the vertices of a, z = (x x n; n), y = (x; 1), r = 1/u, at
// the optimum:
//     P_xi   = - sum_a r^2 z,
//     P_xixi = sum_a 2 r^3 z z^T - r^2 [rotation block (n x^T + x n^T)/2 - (n.x) I]  -  M L_pp^-1 M^T,
//     M      = sum_a 2 r^3 z y^T - r^2 [rotation rows [x]x, translation rows I; no column for d].
static int twist_derivatives(const double x[6][3], const double arm[3], const double plane[4], const double u[6],
                             int order, double gradient[6], double hessian[21])
{
  double mixed[6][4] = {{0}};
  memset(gradient, 0, 6 * sizeof(double));
  memset(hessian, 0, DC_HESSIAN * sizeof(double));
  for (int v = 0; v < 3; v++) {
    double lever[3], z[6], r = 1 / u[v], q = r * r, w = 2 * q * r, y[4] = {x[v][0], x[v][1], x[v][2], 1};
    dc_vec_add(lever, x[v], arm);
    dc_vec_cross(z, lever, plane);
    dc_vec_copy(z + 3, plane);
    for (int i = 0; i < 6; i++)
      gradient[i] -= q * z[i];
    if (order < 2)
      continue;
    double along = dc_vec_dot(lever, plane), cross[9];
    dc_mat_cross(cross, lever);
    for (int i = 0, e = 0; i < 6; i++) {
      for (int j = 0; j <= i; j++, e++) {
        hessian[e] += w * z[i] * z[j];
        if (i < 3)
          hessian[e] -= q * (0.5 * (plane[i] * lever[j] + lever[i] * plane[j]) - (i == j ? along : 0));
      }
      for (int k = 0; k < 4; k++)
        mixed[i][k] += w * z[i] * y[k];
    }
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++)
        mixed[i][k] -= q * cross[3 * i + k];
      mixed[3 + i][i] -= q;
    }
  }
  if (order < 2)
    return 0;
  double g[4], h[4][4], rows[6][4];
  paper_derivatives(x, plane, u, g, h);
  if (!factor(h))
    return -1;
  for (int i = 0, e = 0; i < 6; i++) {
    solve_lower(h, mixed[i], rows[i]);
    for (int j = 0; j <= i; j++, e++)
      for (int k = 0; k < 4; k++)
        hessian[e] -= rows[i][k] * rows[j][k];
  }
  return 0;
}

int dc_paper_pair(const double vertices[6][3], double length, int order, double plane[4], double *energy,
                  double gradient[6], double hessian[21])
{
  // In units of length, about the mean of the vertices: the plane's offset must not cancel against a distant origin.
  double x[6][3], mean[3] = {0, 0, 0}, p[4], u[6], value;
  for (int v = 0; v < 6; v++)
    dc_vec_add_scaled(mean, mean, 1 / (6 * length), vertices[v]);
  for (int v = 0; v < 6; v++)
    for (int k = 0; k < 3; k++)
      x[v][k] = vertices[v][k] / length - mean[k];
  memcpy(p, plane, sizeof p);
  p[3] += dc_vec_dot(p, mean);
  if (dc_vec_norm(p) == 0 || paper_value(x, p, u) == INFINITY) {
    *energy = INFINITY;
    if (!(separating_plane(x, p) > 0))
      return 0;
    // The best length of n for this direction: the minimum of 12 / (1 - |n|) + sum / |n|.
    double sum = 0;
    plane_distances(x, p, u);
    for (int v = 0; v < 6; v++)
      sum += 1 / u[v];
    double scale = sqrt(sum) / (sqrt(12) + sqrt(sum));
    for (int i = 0; i < 4; i++)
      p[i] *= scale;
  }
  int iterations = paper_newton(x, p, &value, u);
  if (iterations < 0)
    return -1;
  *energy = value - 12;
  memcpy(plane, p, sizeof p);
  plane[3] -= dc_vec_dot(p, mean);
  if (order < 1)
    return iterations;
  double g[6], h[DC_HESSIAN];
  if (twist_derivatives(x, mean, p, u, order, g, h) < 0)
    return -1;
  // Rotations have no unit, translations are in units of length.
  for (int i = 0, e = 0; i < 6; i++) {
    double scale_i = i < 3 ? 1 : 1 / length;
    gradient[i] = scale_i * g[i];
    for (int j = 0; order > 1 && j <= i; j++, e++)
      hessian[e] = scale_i * (j < 3 ? 1 : 1 / length) * h[e];
  }
  return iterations;
}

// The timed workload: pairs at two poses, and the planes found at the first one.
struct workload {
  struct dc_triangle_batch *batches;  // [BATCHES] at the second pose
  double (*planes)[4][DC_BATCH];      // [BATCHES] start planes
  double (*vertices)[6][3];           // [PAIRS] at the second pose
  double (*paper_planes)[4];          // [PAIRS]
  double hessian[DC_HESSIAN][DC_BATCH] __attribute__((aligned(64)));
  double sink;  // keeps results alive
};

// Two random triangles of size about 1, b moved along a random direction until the gap is as asked.
static void random_pair(struct dc_random *random, double gap, double x[6][3])
{
  double plane[4], moved[6][3], direction[3];
  do
    for (int i = 0; i < 18; i++)
      x[i / 3][i % 3] = dc_random_uniform(random) - 0.5;
  while (separating_plane(x, plane) > 0);
  for (int k = 0; k < 3; k++)
    direction[k] = dc_random_normal(random);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
  double low = 0, high = 10;
  memcpy(moved, x, sizeof moved);
  for (int i = 0; i < 40; i++) {
    double distance = 0.5 * (low + high);
    for (int v = 3; v < 6; v++)
      dc_vec_add_scaled(moved[v], x[v], distance, direction);
    if (separating_plane(moved, plane) < gap)
      low = distance;
    else
      high = distance;
  }
  for (int v = 3; v < 6; v++)
    dc_vec_add_scaled(x[v], x[v], high, direction);
}

static void fill(struct dc_triangle_batch *batch, int lane, const double x[6][3])
{
  for (int i = 0; i < 18; i++)
    batch->vertices[i][lane] = x[i / 3][i % 3];
  batch->weight[lane] = 1;
}

// The pairs, solved at the first pose for the warm starts, then left at the second.
static void prepare(struct workload *work)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  for (int i = 0; i < PAIRS; i++) {
    struct dc_triangle_batch *batch = &work->batches[i / DC_BATCH];
    double x[6][3], turn[3], shift[3], cross[3], energy, gap = pow(10, -2 * dc_random_uniform(&random));
    random_pair(&random, gap, x);
    fill(batch, i % DC_BATCH, x);
    dc_paper_pair(x, 1, 0, work->paper_planes[i], &energy, NULL, NULL);
    for (int k = 0; k < 3; k++) {
      turn[k] = 0.03 * gap * (2 * dc_random_uniform(&random) - 1);
      shift[k] = 0.03 * gap * (2 * dc_random_uniform(&random) - 1);
    }
    memcpy(work->vertices[i], x, sizeof x);
    for (int v = 0; v < 3; v++) {
      dc_vec_cross(cross, turn, x[v]);
      for (int k = 0; k < 3; k++)
        work->vertices[i][v][k] += cross[k] + shift[k];
    }
  }
  for (int b = 0; b < BATCHES; b++) {
    struct dc_triangle_batch *batch = &work->batches[b];
    batch->length = 1;
    batch->rotation_b[0] = batch->rotation_b[4] = batch->rotation_b[8] = 1;
    dc_lane_kernels()->triangle_pairs(batch, 0, work->hessian);
    memcpy(work->planes[b], batch->plane, sizeof batch->plane);
    for (int lane = 0; lane < DC_BATCH; lane++)
      fill(batch, lane, work->vertices[b * DC_BATCH + lane]);
  }
}

// Seconds for all pairs once; adds the iterations and the pairs that failed.
static double time_kernel(struct workload *work, const struct dc_lane_kernels *kernels, bool warm, int order,
                          long *iterations, long *failures)
{
  double start = dc_seconds();
  for (int b = 0; b < BATCHES; b++) {
    struct dc_triangle_batch *batch = &work->batches[b];
    if (warm)
      memcpy(batch->plane, work->planes[b], sizeof batch->plane);
    else
      memset(batch->plane, 0, sizeof batch->plane);
    kernels->triangle_pairs(batch, order, work->hessian);
    *iterations += batch->iterations;
    *failures += batch->unconverged;
  }
  return dc_seconds() - start;
}

static double time_paper(struct workload *work, bool warm, int order, long *iterations, long *failures)
{
  double start = dc_seconds(), energy, gradient[6] = {0}, hessian[DC_HESSIAN] = {0};
  for (int i = 0; i < PAIRS; i++) {
    double plane[4] = {0, 0, 0, 0};
    if (warm)
      memcpy(plane, work->paper_planes[i], sizeof plane);
    int count = dc_paper_pair(work->vertices[i], 1, order, plane, &energy, gradient, hessian);
    *iterations += count;
    *failures += count < 0;
    work->sink += energy + gradient[0] + hessian[0];
  }
  return dc_seconds() - start;
}

// Fills one row; kernels NULL: the paper's formulation.  Returns the number of pairs that failed.
static long measure(struct workload *work, const struct dc_lane_kernels *kernels, struct dc_pair_rate *rate)
{
  *rate = (struct dc_pair_rate){.name = kernels ? kernels->name : "paper", .width = kernels ? kernels->width : 1};
  long failures = 0;
  for (int warm = 0; warm < 2; warm++)
    for (int order = 0; order < 3; order++) {
      long iterations = 0;
      double times[REPETITIONS];
      for (int i = -1; i < REPETITIONS; i++) {  // the first round, not kept, fills the caches
        iterations = 0;
        double time = kernels ? time_kernel(work, kernels, warm, order, &iterations, &failures)
                              : time_paper(work, warm, order, &iterations, &failures);
        if (i >= 0)
          times[i] = time;
      }
      dc_bench_sort(times, REPETITIONS);
      *(warm ? &rate->warm_iterations : &rate->cold_iterations) = (double)iterations * rate->width / PAIRS;
      (warm ? rate->warm : rate->cold)[order] = PAIRS / times[REPETITIONS / 2];
    }
  return failures;
}

enum dc_status dc_bench_pairs(struct dc_pair_rates *rates, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  struct workload *work = dc_alloc(1, sizeof *work);
  *rates = (struct dc_pair_rates){0};
  if (work) {
    work->batches = dc_alloc(BATCHES, sizeof *work->batches);
    work->planes = dc_alloc(BATCHES, sizeof *work->planes);
    work->vertices = dc_alloc(PAIRS, sizeof *work->vertices);
    work->paper_planes = dc_alloc(PAIRS, sizeof *work->paper_planes);
  }
  if (!work || !work->batches || !work->planes || !work->vertices || !work->paper_planes) {
    status = dc_fail(error, DC_MEMORY, "no memory for the benchmark of the pair kernels");
  } else {
    prepare(work);
    long failures = measure(work, NULL, &rates->paper);
    const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
    for (; all[rates->kernels] && rates->kernels < DC_BENCH_KERNELS; rates->kernels++)
      failures += measure(work, all[rates->kernels], &rates->kernel[rates->kernels]);
    if (failures || !isfinite(work->sink))
      status = dc_fail(error, DC_NUMERICAL, "benchmark of the pair kernels: %ld solves did not converge", failures);
  }
  if (work) {
    free(work->batches);
    free(work->planes);
    free(work->vertices);
    free(work->paper_planes);
  }
  free(work);
  return status;
}
