// SPDX-License-Identifier: Apache-2.0
// Energy densities of sheets and rods, with stress and blocks of the Hessian (docs/theory.md, "Sheets and rods").
//
// A sheet has two columns f_1, f_2 of F in space, with the invariants I = |F|^2 and J = |f_1 x f_2|.  The singular
// values have the sum T = sqrt(I + 2 J), the squared difference I - 2 J, and the product J >= 0: a sheet cannot be
// inverted.
//
//     arap          mu (I - 2 T + 2)
//     corotated     mu (I - 2 T + 2) + lambda/2 (T - 2)^2
//     neo_hookean   mu/2 (I - 2) - mu log J + lambda/2 log^2 J
//     P = 2 psi_I F + psi_J G,   G = (f_2 x n, n x f_1),   n = (f_1 x f_2)/J,
//
// With W dF = df_1 x f_2 + f_1 x df_2 the second derivative along dF is
//
//     2 psi_I |dF|^2 + psi_J (|W dF|^2 - (n.W dF)^2)/J + 2 psi_J n.(df_1 x df_2)
//     + psi_II (2 F:dF)^2 + 2 psi_IJ (2 F:dF)(G:dF) + psi_JJ (G:dF)^2.
//
// It includes motions out of the sheet: a stretched sheet resists them, a compressed one buckles.
//
// A rod has one column f: psi = mu (|f| - 1)^2.
#include <math.h>

#include "elastic/element.h"
#include "math/project.h"

// Invariants of a sheet, computed from C' = F^T F - 1, so that near rest no large numbers cancel.
struct sheet {
  double f[2][3], normal[3], g[2][3];  // columns of F, n, G
  double trace, change;                // of C'; J^2 - 1
  double j, t, excess;                 // J, T, T - 2
};

// Quantities of F = (f_0, f_1), all measured from 0 at rest so that small strains lose no digits: C - 1, J = |f_0 x
// f_1|, the trace T = s_1 + s_2 = sqrt(tr C + 2 J) of the stretch, and its excess T - 2. g_0 and g_1 are dJ/df_0 and
// dJ/df_1, from the unit normal.
static void set_sheet(struct sheet *sheet, const double f[9])
{
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 3; i++)
      sheet->f[j][i] = f[3 * i + j];
  double c00 = dc_vec_dot(sheet->f[0], sheet->f[0]) - 1, c11 = dc_vec_dot(sheet->f[1], sheet->f[1]) - 1,
         c01 = dc_vec_dot(sheet->f[0], sheet->f[1]);
  dc_vec_cross(sheet->normal, sheet->f[0], sheet->f[1]);
  sheet->j = dc_vec_norm(sheet->normal);
  sheet->trace = c00 + c11;
  sheet->change = c00 + c11 + (c00 * c11 - c01 * c01);
  sheet->t = sqrt(sheet->trace + 2 + 2 * sheet->j);
  sheet->excess = (sheet->trace + 2 * sheet->change / (sheet->j + 1)) / (sheet->t + 2);
  if (sheet->j > 0)
    dc_vec_scale(sheet->normal, sheet->normal, 1 / sheet->j);
  dc_vec_cross(sheet->g[0], sheet->f[1], sheet->normal);
  dc_vec_cross(sheet->g[1], sheet->normal, sheet->f[0]);
}

static double log_j(const struct sheet *sheet)
{
  return sheet->change > -0.5 ? 0.5 * log1p(sheet->change) : log(sheet->j);
}

// Energy density of a sheet from the quantities of set_sheet. Neo-Hookean: mu/2 (tr C - 2 - 2 log J) + lambda/2 log^2
// J, infinite where the area vanishes. Others by the singular values s: mu sum (s_i - 1)^2, and for corotated sheets
// lambda/2 (s_1 + s_2 - 2)^2.
static double sheet_energy(struct dc_elasticity elasticity, const struct sheet *sheet, const double f[9])
{
  struct dc_lame lame = elasticity.lame;
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    if (!(sheet->j > 0))
      return INFINITY;
    double log_j_now = log_j(sheet);
    return 0.5 * lame.mu * (sheet->trace - 2 * log_j_now) + 0.5 * lame.lambda * log_j_now * log_j_now;
  }
  // sum (s_i - 1)^2 = ((T - 2)^2 + (s_1 - s_2)^2)/2,   (s_1^2 - s_2^2)^2 = (C_00 - C_11)^2 + 4 C_01^2
  double difference = 0, product = 0;
  for (int i = 0; i < 3; i++) {
    difference += (f[3 * i] - f[3 * i + 1]) * (f[3 * i] + f[3 * i + 1]);
    product += f[3 * i] * f[3 * i + 1];
  }
  double apart = (difference * difference + 4 * product * product) / (sheet->t * sheet->t),
         square = sheet->excess * sheet->excess,
         lambda = elasticity.material == DC_MATERIAL_COROTATED ? lame.lambda : 0;
  return 0.5 * lame.mu * (square + apart) + 0.5 * lambda * square;
}

// Derivatives of psi by I and J: psi_I, psi_J, psi_II, psi_IJ, psi_JJ.
struct slopes {
  double i, j, ii, ij, jj;
};

static struct slopes slopes_of(struct dc_elasticity elasticity, const struct sheet *sheet)
{
  struct dc_lame lame = elasticity.lame;
  double j = sheet->j, t = sheet->t;
  if (elasticity.material == DC_MATERIAL_NEO_HOOKEAN) {
    double pressure = lame.lambda * log_j(sheet) - lame.mu;
    return (struct slopes){0.5 * lame.mu, pressure / j, 0, 0, (lame.lambda - pressure) / (j * j)};
  }
  // psi = mu (I + 2) + phi(T), T_I = 1/(2 T), T_J = 1/T
  double lambda = elasticity.material == DC_MATERIAL_COROTATED ? lame.lambda : 0,
         by_t = lambda * sheet->excess - 2 * lame.mu, second = (lambda - by_t / t) / (t * t);
  return (struct slopes){lame.mu + by_t / (2 * t), by_t / t, 0.25 * second, 0.5 * second, second};
}

static void sheet_stress(struct dc_elasticity elasticity, const struct sheet *sheet, double p[9])
{
  struct slopes by = slopes_of(elasticity, sheet);
  bool possible = sheet->j > 0;
  for (int i = 0; i < 9; i++)
    p[i] = i % 3 < 2 && possible ? 2 * by.i * sheet->f[i % 3][i / 3] + by.j * sheet->g[i % 3][i / 3] : 0;
}

// Second derivative by the entries of both columns, h [6][6].
static void sheet_hessian(struct dc_elasticity elasticity, const struct sheet *sheet, double h[36])
{
  struct slopes by = slopes_of(elasticity, sheet);
  const double *n = sheet->normal;
  double w[6][3], cross[9];  // columns of W without their part along n
  for (int c = 0; c < 6; c++) {
    double unit[3] = {0};
    unit[c % 3] = 1;
    if (c < 3)
      dc_vec_cross(w[c], unit, sheet->f[1]);
    else
      dc_vec_cross(w[c], sheet->f[0], unit);
    dc_vec_add_scaled(w[c], w[c], -dc_vec_dot(n, w[c]), n);
  }
  dc_mat_cross(cross, n);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) {
      int i = a % 3, j = b % 3, p = a / 3, q = b / 3;
      double turn = p == q ? 0 : p < q ? -cross[3 * i + j] : cross[3 * i + j];
      h[6 * a + b] = (a == b ? 2 * by.i : 0) + by.j * (dc_vec_dot(w[a], w[b]) / sheet->j + turn) +
                     4 * by.ii * sheet->f[p][i] * sheet->f[q][j] +
                     2 * by.ij * (sheet->f[p][i] * sheet->g[q][j] + sheet->g[p][i] * sheet->f[q][j]) +
                     by.jj * sheet->g[p][i] * sheet->g[q][j];
    }
}

// Returns |f| - 1, computed from |f|^2 - 1, with the direction f/|f|.
static double rod_stretch(const double f[9], double direction[3], double *length)
{
  for (int i = 0; i < 3; i++)
    direction[i] = f[3 * i];
  *length = dc_vec_norm(direction);
  double stretch = (dc_vec_dot(direction, direction) - 1) / (*length + 1);
  if (*length > 0)
    dc_vec_scale(direction, direction, 1 / *length);
  return stretch;
}

double dc_membrane_energy(int corners, struct dc_elasticity elasticity, const double f[9])
{
  struct sheet sheet;
  double direction[3], length;
  if (corners == 2) {
    double stretch = rod_stretch(f, direction, &length);
    return elasticity.lame.mu * stretch * stretch;
  }
  set_sheet(&sheet, f);
  return sheet_energy(elasticity, &sheet, f);
}

void dc_membrane_stress(int corners, struct dc_elasticity elasticity, const double f[9], double p[9])
{
  struct sheet sheet;
  double direction[3], length;
  if (corners == 2) {
    double force = 2 * elasticity.lame.mu * rod_stretch(f, direction, &length);
    for (int i = 0; i < 9; i++)
      p[i] = i % 3 == 0 ? force * direction[i / 3] : 0;
    return;
  }
  set_sheet(&sheet, f);
  sheet_stress(elasticity, &sheet, p);
}

// 2 mu (t t^T + (1 - 1/|f|)(I - t t^T)); a rod shorter than at rest has negative curvature across, which projection
// removes.
static void rod_block(struct dc_elasticity elasticity, const double f[9], bool projected, double block[9])
{
  double t[3], length, stretch = rod_stretch(f, t, &length), across = length > 0 ? stretch / length : 0;
  if (projected)
    across = fmax(across, 0);
  for (int i = 0; i < 9; i++)
    block[i] = 2 * elasticity.lame.mu * ((i % 4 == 0 ? across : 0) + (1 - across) * t[i / 3] * t[i % 3]);
}

// Blocks [3][3] of d2(V W)/dx_a dx_b: the Hessian of W by the columns of F, contracted with the corners' shape
// gradients, as F = sum x_a g_a^T. Rods have one column, sheets two. projected: eigenvalues below 0 are left out
// before, which keeps the sum positive semidefinite.
void dc_membrane_blocks(int corners, struct dc_elasticity elasticity, const double f[9], const double (*gradients)[3],
                        double volume, bool projected, double blocks[DC_ELEMENT_BLOCKS][9])
{
  struct sheet sheet;
  double h[36], block[9] = {0};
  if (corners == 2) {
    rod_block(elasticity, f, projected, block);
  } else {
    set_sheet(&sheet, f);
    sheet_hessian(elasticity, &sheet, h);
    if (projected)
      dc_project(6, h);
  }
  for (int a = 0; a < corners; a++)
    for (int b = 0; b <= a; b++) {
      double *out = blocks[dc_element_block(a, b)];
      for (int i = 0; i < 9; i++) {
        double sum = 0;
        for (int p = 0; p < 2 && corners == 3; p++)
          for (int q = 0; q < 2; q++)
            sum += gradients[a][p] * gradients[b][q] * h[6 * (3 * p + i / 3) + 3 * q + i % 3];
        if (corners == 2)
          sum = gradients[a][0] * gradients[b][0] * block[i];
        out[i] = volume * sum;
      }
    }
}
