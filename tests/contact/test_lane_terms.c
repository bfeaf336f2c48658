// SPDX-License-Identifier: Apache-2.0
// Centred terms and blends against second differences in 113-bit arithmetic.
#include "harness.h"

#include <quadmath.h>

#include "base/random.h"
#include "contact/kernels/lane_kernels.h"
#include "math/vector.h"

typedef __float128 quad;

// scale (24 sqrt(l / rho) + 12 l / rho), rho^2 = |a - b|^2 + spread
struct radial {
  double a[3], b[3], spread, scale, length;
};

static double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

// 0: A alone, 1: C alone, 2: (1 - phi) A + phi (C + constant)
struct energy {
  struct radial inner_term, centred;
  double shift, constant, inner, blend;
};

static quad distance_quad(const struct radial *r, const quad twist[6])
{
  quad angle = sqrtq(twist[0] * twist[0] + twist[1] * twist[1] + twist[2] * twist[2]), sum = 0, once[3], again[3];
  quad c1 = angle > 0 ? sinq(angle) / angle : 1, c2 = angle > 0 ? 2 * powq(sinq(angle / 2) / angle, 2) : 0;
  for (int k = 0; k < 3; k++)
    once[k] = twist[(k + 1) % 3] * r->a[(k + 2) % 3] - twist[(k + 2) % 3] * r->a[(k + 1) % 3];
  for (int k = 0; k < 3; k++)
    again[k] = twist[(k + 1) % 3] * once[(k + 2) % 3] - twist[(k + 2) % 3] * once[(k + 1) % 3];
  for (int k = 0; k < 3; k++) {
    quad d = r->a[k] + c1 * once[k] + c2 * again[k] + twist[3 + k] - r->b[k];
    sum += d * d;
  }
  return sqrtq(sum);
}

static quad radial_quad(const struct radial *r, const quad twist[6])
{
  quad distance = distance_quad(r, twist), rho = sqrtq(distance * distance + r->spread);
  return r->scale * (12 * powq(1 + sqrtq(r->length / rho), 2) - 12);
}

static quad phi_quad(const struct energy *e, const quad twist[6])
{
  quad t = (distance_quad(&e->centred, twist) - e->inner) / ((quad)e->blend * e->inner);
  return ((6 * t - 15) * t + 10) * t * t * t;
}

static quad energy_quad(const struct energy *e, int which, const quad twist[6])
{
  quad inner = radial_quad(&e->inner_term, twist) + e->shift, centred = radial_quad(&e->centred, twist) + e->constant;
  quad phi = which == 2 ? phi_quad(e, twist) : which;
  return (1 - phi) * inner + phi * centred;
}

// Central differences with step 1e-7: truncation 1e-13, rounding 1e-20.
static void differences(const struct energy *e, int which, double gradient[6], double hessian[DC_HESSIAN])
{
  const quad h = 1e-7Q;
  for (int i = 0, entry = 0; i < 6; i++) {
    quad plus[6] = {0}, minus[6] = {0};
    plus[i] = h, minus[i] = -h;
    gradient[i] = (double)((energy_quad(e, which, plus) - energy_quad(e, which, minus)) / (2 * h));
    for (int j = 0; j <= i; j++, entry++) {
      quad sum = 0;
      for (int corner = 0; corner < 4; corner++) {
        quad twist[6] = {0};
        twist[i] += corner & 1 ? h : -h;
        twist[j] += corner & 2 ? h : -h;
        sum += (corner == 0 || corner == 3 ? 1 : -1) * energy_quad(e, which, twist);
      }
      hessian[entry] = (double)(sum / (4 * h * h));
    }
  }
}

static double norm(const double *a, int count)
{
  double sum = 0;
  for (int i = 0; i < count; i++)
    sum += a[i] * a[i];
  return sqrt(sum);
}

static double relative_difference(const double *a, const double *b, int count)
{
  double d[DC_HESSIAN];
  for (int i = 0; i < count; i++)
    d[i] = a[i] - b[i];
  return norm(d, count) / norm(b, count);
}

static void random_energy(struct dc_random *random, struct energy *e)
{
  *e = (struct energy){.shift = between(random, 0, 5),
                       .constant = between(random, 0, 12),
                       .blend = pow(10, between(random, -1, 0)),
                       .inner = between(random, 0.5, 2)};
  struct radial *terms[2] = {&e->inner_term, &e->centred};
  for (int i = 0; i < 2; i++) {
    double direction[3], distance = e->inner * (1 + e->blend * between(random, 0.1, 0.9));
    for (int k = 0; k < 3; k++) {
      terms[i]->a[k] = 0.5 * dc_random_normal(random);
      direction[k] = dc_random_normal(random);
    }
    dc_vec_add_scaled(terms[i]->b, terms[i]->a, -distance / dc_vec_norm(direction), direction);
    terms[i]->spread = i && dc_random_uniform(random) < 0.3 ? 0 : between(random, 0, 0.5);
    terms[i]->scale = between(random, 0.01, 1);
    terms[i]->length = 0.7;
  }
}

static void column(double (*rows)[DC_BATCH], int count, int lane, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = rows[i][lane];
}

// Observed: energy 4e-16, gradient 2e-14, Hessian 2e-13 (the differences').
static void test_centred(void)
{
  struct dc_random random;
  dc_random_seed(&random, 1);
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  double worst[3] = {0, 0, 0};
  for (int round = 0; round < 20; round++) {
    struct energy energies[DC_BATCH];
    struct dc_centred_batch batch = {.length = 0.7};
    for (int lane = 0; lane < DC_BATCH; lane++) {
      random_energy(&random, &energies[lane]);
      energies[lane].constant = 0;
      const struct radial *r = &energies[lane].centred;
      for (int k = 0; k < 3; k++)
        batch.center_a[k][lane] = r->a[k], batch.center_b[k][lane] = r->b[k];
      batch.spread[lane] = r->spread, batch.scale[lane] = r->scale;
      batch.weight[lane] = between(&random, -1, 2);
    }
    for (int i = 0; all[i]; i++) {
      double hessian[DC_HESSIAN][DC_BATCH] = {{0}};
      all[i]->centred_terms(&batch, 2, hessian);
      for (int lane = 0; lane < DC_BATCH; lane++) {
        double g[6], h[DC_HESSIAN], gradient[6], entries[DC_HESSIAN];
        quad zero[6] = {0};
        differences(&energies[lane], 1, gradient, entries);
        column(batch.gradient, 6, lane, g);
        column(hessian, DC_HESSIAN, lane, h);
        for (int k = 0; k < DC_HESSIAN; k++)
          entries[k] *= batch.weight[lane];
        double energy = (double)energy_quad(&energies[lane], 1, zero);
        worst[0] = larger(worst[0], fabs(batch.energy[lane] / energy - 1));
        worst[1] = larger(worst[1], relative_difference(g, gradient, 6));
        worst[2] = larger(worst[2], relative_difference(h, entries, DC_HESSIAN));
      }
    }
  }
  printf("# %.1e %.1e %.1e\n", worst[0], worst[1], worst[2]);
  CHECK(worst[0] < 4e-15, "%.2g", worst[0]);
  CHECK(worst[1] < 1e-12, "%.2g", worst[1]);
  CHECK(worst[2] < 1e-12, "%.2g", worst[2]);
}

// (1 - phi) H_A + the kernel's part is the Hessian of (1 - phi) A + phi C.  Observed: 2e-11 (the differences', blends
// are steep).
static void test_blend(void)
{
  struct dc_random random;
  dc_random_seed(&random, 2);
  const struct dc_lane_kernels *const *all = dc_lane_kernels_all();
  double worst = 0;
  for (int round = 0; round < 20; round++) {
    struct energy common, energies[DC_BATCH];
    struct dc_node_batch nodes = {.length = 0.7};
    struct dc_blend_batch batch = {0};
    double phi[DC_BATCH], inner_hessian[DC_BATCH][DC_HESSIAN];
    random_energy(&random, &common);
    for (int lane = 0; lane < DC_BATCH; lane++) {
      struct energy *e = &energies[lane];
      double gradient[6];
      quad zero[6] = {0};
      do
        random_energy(&random, e);
      while (fabs(e->blend / common.blend - 1) > 0.1);
      e->blend = common.blend;
      differences(e, 0, gradient, inner_hessian[lane]);
      for (int k = 0; k < 3; k++)
        nodes.center_a[k][lane] = e->centred.a[k], nodes.center_b[k][lane] = e->centred.b[k];
      nodes.spread[lane] = e->centred.spread, nodes.scale[lane] = e->centred.scale;
      nodes.constant[lane] = e->constant, nodes.inner[lane] = e->inner, nodes.zone[lane] = e->blend * e->inner;
      batch.weight[lane] = between(&random, 0.1, 2);
      batch.energy[lane] = (double)energy_quad(e, 0, zero);
      for (int k = 0; k < 6; k++)
        batch.gradient[k][lane] = gradient[k];
      phi[lane] = (double)phi_quad(e, zero);
    }
    for (int i = 0; all[i]; i++) {
      double hessian[DC_HESSIAN][DC_BATCH] = {{0}};
      all[i]->blend_setup(&nodes, &batch);
      all[i]->blend_hessians(&batch, hessian);
      for (int lane = 0; lane < DC_BATCH; lane++) {
        double h[DC_HESSIAN], gradient[6], expected[DC_HESSIAN];
        differences(&energies[lane], 2, gradient, expected);
        column(hessian, DC_HESSIAN, lane, h);
        for (int k = 0; k < DC_HESSIAN; k++)
          h[k] = h[k] / batch.weight[lane] + (1 - phi[lane]) * inner_hessian[lane][k];
        worst = larger(worst, relative_difference(h, expected, DC_HESSIAN));
      }
    }
  }
  printf("# %.1e\n", worst);
  CHECK(worst < 2e-10, "%.2g", worst);
}

RUN_TESTS({"centred terms", test_centred}, {"blends", test_blend})
