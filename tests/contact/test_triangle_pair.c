// SPDX-License-Identifier: Apache-2.0
// The triangle-pair kernels against the paper's formulation in 113-bit arithmetic.
#include "harness.h"

#include "bench/pairs.h"
#include "pair_cases.h"
#include "quad_reference.h"

enum { GAPS = DC_BATCH, SAMPLES = 4, STARTS = 3 };
enum start { COLD, WARM, BAD };

static const char *const start_names[] = {"cold", "warm", "bad start"};

struct errors {
  double energy, gradient, hessian;
};

static void keep_largest(struct errors *a, struct errors b)
{
  a->energy = larger(a->energy, b.energy);
  a->gradient = larger(a->gradient, b.gradient);
  a->hessian = larger(a->hessian, b.hessian);
}

// Errors relative to the norms, rotations in units of the reach of triangle a about c_a so that all blocks count
// alike.
static struct errors compare(const struct quad_reference *reference, double reach, double energy,
                             const double gradient[6], const double hessian[21])
{
  double g = 0, dg = 0, h = 0, dh = 0;
  for (int i = 0, e = 0; i < 6; i++) {
    double unit_i = i < 3 ? 1 / reach : 1;
    g += pow(unit_i * (double)reference->gradient[i], 2);
    dg += pow(unit_i * (double)(reference->gradient[i] - gradient[i]), 2);
    for (int j = 0; j <= i; j++, e++) {
      double unit = unit_i * (j < 3 ? 1 / reach : 1), times = i == j ? 1 : 2;
      h += times * pow(unit * (double)reference->hessian[i][j], 2);
      dh += times * pow(unit * (double)(reference->hessian[i][j] - hessian[e]), 2);
    }
  }
  double de = fabs((double)((energy - reference->energy) / reference->energy));
  struct errors result = {de, sqrt(dg / g), sqrt(dh / h)};
  if (!(isfinite(de) && isfinite(result.gradient) && isfinite(result.hessian)))
    result = (struct errors){INFINITY, INFINITY, INFINITY};
  return result;
}

static double reach_of(const double x[6][3])
{
  return fmax(dc_vec_norm(x[0]), fmax(dc_vec_norm(x[1]), dc_vec_norm(x[2])));
}

struct variant {
  const char *name;
  double aspect, ratio, scale, arm;
  bool turned;
};

static const struct variant variants[] = {{"plain", 1, 1, 1, 0.5, true},
                                          {"exactly parallel", 1, 1, 1, 0.5, false},
                                          {"sliver 1e-3", 1e-3, 1, 1, 0.5, true},
                                          {"sliver 1e-6", 1e-6, 1, 1, 0.5, true},
                                          {"b 1000 times larger", 1, 1000, 1, 0.5, true},
                                          {"scale 1e-6", 1, 1, 1e-6, 0.5, true},
                                          {"scale 1e6", 1, 1, 1e6, 0.5, true},
                                          {"100 sizes away", 1, 1, 1, 100, true}};
enum { VARIANTS = sizeof variants / sizeof *variants };

// One position and variant, lane g with gap 10^-(g+1).
struct cell {
  struct dc_triangle_batch batch;   // vertices; no planes
  struct dc_triangle_batch before;  // a little earlier, in another turn of the scene, with its planes
  double vertices[GAPS][6][3];
  struct quad_reference reference[GAPS];
};

// The earlier pose: a moved by up to a third of the gap.
static void step_back(struct dc_random *random, const double x[6][3], double gap, double y[6][3])
{
  double turn[3], shift[3], cross[3], center[3] = {0, 0, 0};
  for (int v = 0; v < 3; v++)
    dc_vec_add_scaled(center, center, 1 / 3.0, x[v]);
  for (int k = 0; k < 3; k++) {
    shift[k] = gap * between(random, -0.1, 0.1);
    turn[k] = gap * between(random, -0.1, 0.1);
  }
  memcpy(y, x, 18 * sizeof(double));
  for (int v = 0; v < 3; v++) {
    double lever[3];
    dc_vec_sub(lever, x[v], center);
    double reach = dc_vec_norm(lever);
    dc_vec_cross(cross, turn, lever);
    for (int k = 0; k < 3; k++)
      y[v][k] += shift[k] + cross[k] / fmax(reach, 1e-300);
  }
}

static void make_cell(struct dc_random *random, enum position position, const struct variant *v, struct cell *cell)
{
  start_batch(&cell->batch, v->scale);
  start_batch(&cell->before, v->scale);
  for (int g = 0; g < GAPS; g++) {
    struct pair_case c = {.position = position,
                          .gap = pow(10, -1 - g),
                          .aspect = v->aspect,
                          .ratio = v->ratio,
                          .scale = v->scale,
                          .arm = v->arm,
                          .turned = v->turned};
    double earlier[6][3];
    make_case(random, &c, cell->vertices[g]);
    set_lane(&cell->batch, g, cell->vertices[g]);
    step_back(random, cell->vertices[g], c.gap * v->scale, earlier);
    set_lane(&cell->before, g, earlier);
    cell->reference[g] = reference_quad(cell->vertices[g], v->scale, 2, 1e-5);
    CHECK(cell->reference[g].converged, "reference of %s, %s, gap 1e-%d", position_names[position], v->name, g + 1);
  }
  double matrix[9];
  random_rotation(random, matrix);
  turn_scene(&cell->before, matrix);
}

// A remembered plane that still separates but lies close to b, and is tilted a little.
static void spoil_planes(struct dc_triangle_batch *batch)
{
  for (int lane = 0; lane < DC_BATCH; lane++) {
    double plane[4];
    world_plane(batch, lane, plane);
    double tilt = 1e-3 * batch->gap[lane];
    plane[0] += tilt / batch->length;
    plane[3] += (lane % 2 ? 0.47 : 0.495) * batch->gap[lane];
    double length = dc_vec_norm(plane);
    for (int i = 0; i < 4; i++)
      plane[i] /= length;
    remember_plane(batch, lane, plane);
  }
}

static void run_kernel(const struct dc_lane_kernels *kernels, const struct cell *cell, enum start start,
                       struct dc_triangle_batch *batch, double hessian[DC_HESSIAN][DC_BATCH])
{
  *batch = cell->batch;
  memset(hessian, 0, DC_HESSIAN * sizeof *hessian);
  if (start == WARM) {
    struct dc_triangle_batch before = cell->before;
    kernels->triangle_pairs(&before, 0, NULL);
    memcpy(batch->plane, before.plane, sizeof batch->plane);
  } else if (start == BAD) {
    kernels->triangle_pairs(batch, 0, NULL);
    spoil_planes(batch);
  }
  kernels->triangle_pairs(batch, 2, hessian);
}

// Residuals of one cell over all kernels and starts, per gap.
static void measure_cell(const struct cell *cell, const char *what, const char *where, struct errors worst[GAPS])
{
  const struct dc_lane_kernels *const *kernels = dc_lane_kernels_all();
  for (; *kernels; kernels++)
    for (int start = 0; start < STARTS; start++) {
      struct dc_triangle_batch batch;
      double hessian[DC_HESSIAN][DC_BATCH];
      run_kernel(*kernels, cell, start, &batch, hessian);
      CHECK(batch.unconverged == 0, "%s: %s, %s, %s: %d", (*kernels)->name, start_names[start], what, where,
            (int)batch.unconverged);
      // Warm starts must profit: a plane remembered in wrong coordinates would start cold.
      if (start == WARM)
        CHECK(batch.iterations <= 6 * DC_BATCH / (*kernels)->width, "%s: %s, %s: %d iterations", (*kernels)->name, what,
              where, (int)batch.iterations);
      for (int g = 0; g < GAPS; g++) {
        double gradient[6], h[DC_HESSIAN];
        for (int i = 0; i < 6; i++)
          gradient[i] = batch.gradient[i][g];
        for (int i = 0; i < DC_HESSIAN; i++)
          h[i] = hessian[i][g];
        keep_largest(&worst[g],
                     compare(&cell->reference[g], reach_of(cell->vertices[g]), batch.energy[g], gradient, h));
      }
    }
}

// Observed over all positions, kernels and starts, at gaps 1e-1, 1e-2, ... 1e-8 of the size: gradient 1e-11 (the
// tolerance of the plane) down to 1e-5, then 1e-10, 1e-9, 1e-8 (rounding of the distances, 1e-16 / gap); Hessian
// 2e-11, then 2e-10, 2e-9, 2e-8; energy 1e-15, growing to 5e-9.  A triangle 1000 times larger: 1000 times the part
// that comes from rounding.
static void test_accuracy(void)
{
  static struct cell cell;
  struct dc_random random;
  dc_random_seed(&random, 3);
  for (int v = 0; v < VARIANTS; v++) {
    struct errors worst[GAPS] = {{0, 0, 0}};
    for (int p = 0; p < POSITIONS; p++)
      for (int sample = 0; sample < SAMPLES; sample++) {
        make_cell(&random, p, &variants[v], &cell);
        measure_cell(&cell, position_names[p], variants[v].name, worst);
      }
    printf("# %-20s gradient, Hessian at 1e-1 ... 1e-8:", variants[v].name);
    for (int g = 0; g < GAPS; g++) {
      double rounding = 5e-16 * variants[v].ratio * pow(10, 1 + g);
      printf(" %.0e %.0e", worst[g].gradient, worst[g].hessian);
      CHECK(worst[g].energy < 1e-14 + rounding, "%s, gap 1e-%d: %.2g", variants[v].name, g + 1, worst[g].energy);
      CHECK(worst[g].gradient < 5e-11 + rounding, "%s, gap 1e-%d: %.2g", variants[v].name, g + 1, worst[g].gradient);
      CHECK(worst[g].hessian < 5e-11 + rounding, "%s, gap 1e-%d: %.2g", variants[v].name, g + 1, worst[g].hessian);
    }
    printf("\n");
  }
}

// The reference does not depend on its own step: observed 1e-17.
static void test_reference(void)
{
  struct dc_random random;
  dc_random_seed(&random, 5);
  for (int p = 0; p < POSITIONS; p++) {
    struct pair_case c = {.position = p, .gap = 1e-5, .aspect = 1, .ratio = 1, .scale = 1, .arm = 0.5, .turned = true};
    double x[6][3], g[6], h[DC_HESSIAN];
    make_case(&random, &c, x);
    struct quad_reference fine = reference_quad(x, 1, 2, 1e-6), coarse = reference_quad(x, 1, 2, 1e-5);
    for (int i = 0, e = 0; i < 6; i++) {
      g[i] = (double)fine.gradient[i];
      for (int j = 0; j <= i; j++, e++) {
        h[e] = (double)fine.hessian[i][j];
        CHECK_NEAR((double)fine.hessian[j][i], h[e], 1e-13 * (double)fabsq(fine.hessian[5][5]) + 1e-13 * fabs(h[e]));
      }
    }
    struct errors errors = compare(&coarse, reach_of(x), (double)fine.energy, g, h);
    CHECK(errors.hessian < 1e-14, "%s: %.2g", position_names[p], errors.hessian);
  }
}

// Two random triangles, b shifted so that the largest gap over the axes becomes what is asked, relative to the size
// 1.
static double random_pair_at(struct dc_random *random, double wanted, int shape, double x[6][3])
{
  double width[2] = {1, 1}, apart = 1;
  quad q[6][3], plane[4] = {0};
  for (int t = 0; t < 2; t++)
    width[t] = shape & 1 ? pow(10, between(random, -6, 0)) : 1;
  for (int v = 0; v < 6; v++)
    for (int k = 0; k < 3; k++)
      x[v][k] = between(random, -0.5, 0.5);
  if (shape & 2)  // parallel
    for (int v = 0; v < 6; v++)
      x[v][2] = v < 3 ? 0.25 : -0.25;
  for (int t = 0; t < 6; t += 3)
    for (int k = 0; k < 3; k++)
      x[t + 2][k] = x[t][k] + (x[t + 1][k] - x[t][k]) * 0.3 + width[t / 3] * (x[t + 2][k] - x[t][k]);
  // Newton on the gap along its own axis; a few rounds end at or near the gap wanted.
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 18; i++)
      q[i / 3][i % 3] = x[i / 3][i % 3];
    apart = (double)separation_quad(q, plane);
    for (int v = 3; v < 6 && round < 3; v++)
      for (int k = 0; k < 3; k++)
        x[v][k] += (double)plane[k] * (apart - wanted);
  }
  return apart;
}

// Separated or not, against the separating-axis test in 113 bits: no wrong verdict, and separated pairs converge.
static void test_verdicts(void)
{
  enum { ROUNDS = 2500 };
  struct dc_random random;
  dc_random_seed(&random, 11);
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  int wrong = 0, unconverged = 0, separated = 0, crossing = 0;
  for (int round = 0; round < ROUNDS; round++) {
    struct dc_triangle_batch batch;
    double apart[DC_BATCH];
    start_batch(&batch, 1);
    for (int lane = 0; lane < DC_BATCH; lane++) {
      double x[6][3], wanted = pow(10, between(&random, -9, 0)) * (lane % 4 == 3 ? -0.2 : 1);
      do
        apart[lane] = random_pair_at(&random, wanted, (round + lane) % 4, x);
      while (fabs(apart[lane]) < 1e-9);
      set_lane(&batch, lane, x);
      separated += apart[lane] > 0;
      crossing += apart[lane] < 0;
    }
    for (int i = 0; all[i]; i++) {
      struct dc_triangle_batch copy = batch;
      all[i]->triangle_pairs(&copy, 1, NULL);
      unconverged += (int)copy.unconverged;
      for (int lane = 0; lane < DC_BATCH; lane++) {
        bool finite = isfinite(copy.energy[lane]) && copy.energy[lane] > 0 && copy.gap[lane] > 0;
        bool infinite = copy.energy[lane] == INFINITY && copy.gap[lane] == 0 && copy.gradient[5][lane] == 0;
        wrong += apart[lane] > 0 ? !finite : !infinite;
      }
    }
  }
  printf("# %d separated, %d crossing\n", separated, crossing);
  CHECK(wrong == 0, "%d wrong verdicts", wrong);
  CHECK(unconverged == 0, "%d not converged", unconverged);
  CHECK(separated > 5 * ROUNDS && crossing > ROUNDS / 2, "%d, %d", separated, crossing);
}

// Triangles that share a vertex, an edge or a point of a face (exact in binary fractions) touch.
static void test_touching(void)
{
  static const double touching[][6][3] = {
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 0}, {0.5, 0.5, -1}, {0.25, 0.75, -1}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {0.25, 0.75, -1}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, -1, 0}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, -1}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {-1, 0, 0}, {0, -1, 0}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}, {0.25, 0.25, -1}, {2, 2, 0}},
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.125, 0.125, 0}, {0.25, 0.125, 0}, {0.125, 0.25, 0}}};
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  for (int i = 0; all[i]; i++) {
    struct dc_triangle_batch batch;
    double hessian[DC_HESSIAN][DC_BATCH] = {{0}};
    start_batch(&batch, 1);
    for (int lane = 0; lane < DC_BATCH; lane++)
      set_lane(&batch, lane, touching[lane]);
    all[i]->triangle_pairs(&batch, 2, hessian);
    for (int lane = 0; lane < DC_BATCH; lane++) {
      CHECK(batch.energy[lane] == INFINITY, "%s: case %d: %g", all[i]->name, lane, batch.energy[lane]);
      for (int e = 0; e < DC_HESSIAN; e++)
        CHECK(hessian[e][lane] == 0, "%s: case %d", all[i]->name, lane);
    }
  }
}

// Gaps down to rounding, far from c_a, from planes remembered at a larger gap: energies are positive or INFINITY,
// never NaN.
static void test_tiny_gaps(void)
{
  struct dc_random random;
  dc_random_seed(&random, 13);
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  for (int round = 0; round < 400; round++) {
    struct dc_triangle_batch batch, wide;
    start_batch(&batch, 1);
    start_batch(&wide, 1);
    for (int lane = 0; lane < DC_BATCH; lane++) {
      struct pair_case c = {.position = (round + lane) % POSITIONS,
                            .gap = pow(10, -9 - lane),
                            .ratio = 1,
                            .scale = 1,
                            .aspect = round % 3 ? 1 : 1e-4,
                            .arm = round % 2 ? 100 : 0.5,
                            .turned = true};
      double x[6][3];
      make_case(&random, &c, x);
      set_lane(&batch, lane, x);
      for (int v = 3; v < 6; v++)
        for (int k = 0; k < 3; k++)
          x[v][k] += 1e-7 * dc_random_normal(&random);
      set_lane(&wide, lane, x);
    }
    for (int i = 0; all[i]; i++) {
      struct dc_triangle_batch copy = batch, before = wide;
      double hessian[DC_HESSIAN][DC_BATCH] = {{0}};
      all[i]->triangle_pairs(&before, 0, NULL);
      memcpy(copy.plane, before.plane, sizeof copy.plane);
      all[i]->triangle_pairs(&copy, 2, hessian);
      for (int lane = 0; lane < DC_BATCH; lane++) {
        CHECK(copy.energy[lane] > 0, "%s, gap 1e-%d: %g", all[i]->name, 9 + lane, copy.energy[lane]);
        CHECK(isfinite(copy.gradient[3][lane]) && isfinite(hessian[20][lane]) && isfinite(copy.plane[3][lane]),
              "%s, gap 1e-%d", all[i]->name, 9 + lane);
      }
    }
  }
}

// The benchmark's scalar code of the paper's formulation.  Observed: energy 3e-13, gradient 1e-10, Hessian 2e-10 at
// gaps down to 1e-2, length not 1.
static void test_paper_formulation(void)
{
  struct dc_random random;
  struct errors worst = {0, 0, 0};
  dc_random_seed(&random, 17);
  for (int i = 0; i < 200; i++) {
    struct pair_case c = {.position = i % POSITIONS,
                          .gap = pow(10, between(&random, -2, 0)),
                          .aspect = 1,
                          .ratio = 1,
                          .scale = 1,
                          .arm = 0.5,
                          .turned = true};
    double x[6][3], plane[4] = {0, 0, 0, 0}, energy, gradient[6], hessian[DC_HESSIAN];
    make_case(&random, &c, x);
    CHECK(dc_paper_pair(x, 0.3, 2, plane, &energy, gradient, hessian) > 0, "%s", position_names[c.position]);
    struct quad_reference reference = reference_quad(x, 0.3, 2, 1e-5);
    keep_largest(&worst, compare(&reference, reach_of(x), energy, gradient, hessian));
    CHECK(dc_paper_pair(x, 0.3, 2, plane, &energy, gradient, hessian) <= 2, "%s", position_names[c.position]);
  }
  printf("# energy %.1e gradient %.1e Hessian %.1e\n", worst.energy, worst.gradient, worst.hessian);
  CHECK(worst.energy < 1e-12, "%.2g", worst.energy);
  CHECK(worst.gradient < 1e-9, "%.2g", worst.gradient);
  CHECK(worst.hessian < 1e-9, "%.2g", worst.hessian);
}

RUN_TESTS({"the reference itself", test_reference}, {"accuracy against 113-bit arithmetic", test_accuracy},
          {"verdicts against 113-bit arithmetic", test_verdicts}, {"touching triangles", test_touching},
          {"gaps down to rounding", test_tiny_gaps}, {"the paper's formulation in scalar code", test_paper_formulation})
