// SPDX-License-Identifier: Apache-2.0
// Viscosity of solids (elastic/elastic.h): dissipation D = V |S|^2/2 per sample with the change of strain S = E(y) -
// E(x).  With G = F_y and V the volume, for moves dy and dx
//
//     dE_y = sym(G^T dG),   dD = V S : (G^T dG),   d2D = V (dE_y : dE_y + S : (dG^T dG)),
//     mixed: -V dE_y : dE_x.
#include "elastic/element.h"

// rate = sym(f^T m)
static void strain_rate(const double f[9], const double m[9], double rate[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += f[3 * k + i] * m[3 * k + j] + f[3 * k + j] * m[3 * k + i];
      rate[3 * i + j] = 0.5 * sum;
    }
}

// E(y) - E(x) = sym((F_y + F_x)^T (F_y - F_x))/2: differences first, so that no large numbers cancel.
static void change_to(const struct dc_elastic *elastic, int e, const double *x, const double fy[9], double change[9])
{
  double fx[9], sum[9], difference[9];
  dc_element_gradient(elastic, e, x, fx);
  for (int i = 0; i < 9; i++) {
    sum[i] = 0.5 * (fy[i] + fx[i]);
    difference[i] = fy[i] - fx[i];
  }
  strain_rate(sum, difference, change);
}

static void strain_change(const struct dc_elastic *elastic, int e, const double *x, const double *y, double fy[9],
                          double change[9])
{
  dc_element_gradient(elastic, e, y, fy);
  change_to(elastic, e, x, fy, change);
}

double dc_element_add_viscosity(const struct dc_elastic *elastic, int e, const double *x, const double f[9],
                                double scale, double p[9])
{
  double change[9], stress[9];
  change_to(elastic, e, x, f, change);
  dc_mat_multiply(stress, f, change);
  for (int i = 0; i < 9; i++)
    p[i] += scale * stress[i];
  return 0.5 * scale * dc_dot(change, change, 9);
}

double dc_elastic_strain_change(const struct dc_elastic *elastic, const double *x, const double *y)
{
  double sum = 0, f[9], change[9];
  for (int e = 0; e < elastic->sample_count; e++) {
    strain_change(elastic, e, x, y, f, change);
    sum += 0.5 * elastic->volumes[e] * dc_dot(change, change, 9);
  }
  return sum;
}

// Adds scale V F S g_a to the forces of the nodes.
static void add_stress(const struct dc_elastic *elastic, int e, const double f[9], const double strain[9], double scale,
                       double *gradient)
{
  double stress[9];
  dc_mat_multiply(stress, f, strain);
  dc_element_add_stress(elastic, e, stress, scale, gradient);
}

void dc_elastic_add_strain_gradient(const struct dc_elastic *elastic, const double *x, const double *y, double scale,
                                    double *gradient)
{
  double f[9], change[9];
  for (int e = 0; e < elastic->sample_count; e++) {
    strain_change(elastic, e, x, y, f, change);
    add_stress(elastic, e, f, change, scale, gradient);
  }
}

// Blocks of nodes a and b of a sample: (G g_b)(G g_a)^T/2 + (g_a.g_b) G G^T/2, and (g_a . S g_b) I, which compression
// makes negative; projected leaves the latter out where it is.
static void add_sample_hessian(const struct dc_elastic *elastic, const double *x, const double *y, int sample,
                               bool projected, double scale, double blocks[DC_ELEMENT_BLOCKS][9])
{
  double f[9], change[9], square[9], moved[DC_ELEMENT_NODES][3], strained[DC_ELEMENT_NODES][3],
      volume = scale * elastic->volumes[sample];
  const double(*gradients)[3] = dc_sample_gradients(elastic, sample);
  strain_change(elastic, sample, x, y, f, change);
  dc_mat_multiply_transposed(square, f, f);
  for (int a = 0; a < elastic->corners; a++) {
    dc_mat_apply(moved[a], f, gradients[a]);
    dc_mat_apply(strained[a], change, gradients[a]);
  }
  for (int a = 0; a < elastic->corners; a++)
    for (int b = 0; b <= a; b++) {
      double *block = blocks[dc_element_block(a, b)], half = 0.5 * volume,
             product = half * dc_vec_dot(gradients[a], gradients[b]),
             tension = projected ? 0 : volume * dc_vec_dot(gradients[a], strained[b]);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          block[3 * i + j] += half * moved[b][i] * moved[a][j] + product * square[3 * i + j];
      for (int i = 0; i < 9; i += 4)
        block[i] += tension;
    }
}

void dc_elastic_add_strain_hessian(const struct dc_elastic *elastic, const double *x, const double *y, int element,
                                   bool projected, double scale, double blocks[DC_ELEMENT_BLOCKS][9])
{
  int each = elastic->quadratic ? DC_QUADRATIC_SAMPLES : 1;
  for (int s = each * element; s < each * (element + 1); s++)
    add_sample_hessian(elastic, x, y, s, projected, scale, blocks);
}

void dc_elastic_add_strain_mixed(const struct dc_elastic *elastic, const double *x, const double *y, bool transposed,
                                 double scale, const double *direction, double *sum)
{
  const double *from = transposed ? x : y, *to = transposed ? y : x;
  double f[9], moved[9], rate[9];
  for (int e = 0; e < elastic->sample_count; e++) {
    dc_element_gradient(elastic, e, from, f);
    dc_element_gradient(elastic, e, direction, moved);
    strain_rate(f, moved, rate);
    dc_element_gradient(elastic, e, to, f);
    add_stress(elastic, e, f, rate, -scale, sum);
  }
}
