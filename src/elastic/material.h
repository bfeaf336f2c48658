// SPDX-License-Identifier: Apache-2.0
// Elastic materials: energy densities of the deformation gradient F by its singular values (paper 004, section 3;
// docs/theory.md, "Solids").  With F = U diag(s) V^T, U and V rotations, and Lame's constants mu and lambda
//     arap          mu sum (s_i - 1)^2
//     corotated     mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2
//     neo_hookean   mu/2 (sum s_i^2 - 3) - mu log J + lambda/2 log^2 J,   J = s_0 s_1 s_2 > 0
// All are linear in mu and lambda, so that the derivatives by these are the same functions for other constants.
#ifndef DC_ELASTIC_MATERIAL_H
#define DC_ELASTIC_MATERIAL_H

#include <stdbool.h>

enum dc_material { DC_MATERIAL_ARAP, DC_MATERIAL_COROTATED, DC_MATERIAL_NEO_HOOKEAN };
extern const char *const dc_material_names[];  // NULL-terminated

struct dc_lame {
  double mu, lambda;  // N/m^2
};

// Lame's constants from Young's modulus (N/m^2) and Poisson's ratio < 1/2, and their derivatives by either.  For solids
// (dimension 3), for sheets without stress across (2: lambda E nu/(1 - nu^2)), for rods (1: lambda 0, mu E/2).
struct dc_lame dc_lame_of(int dimension, double young, double poisson);
struct dc_lame dc_lame_by_young(int dimension, double poisson);
struct dc_lame dc_lame_by_poisson(int dimension, double young, double poisson);

// Energy density psi and its derivatives by the singular values, J/m^3.  For dF let M = U^T dF V.  The second
// derivative of psi(F) along dF has the block `second` on the diagonal of M.  For the pair of axes i, j other than k,
// it multiplies the symmetric part of M_ij by minus[k] = (psi_i - psi_j)/(s_i - s_j), and the antisymmetric part by
// plus[k] = (psi_i + psi_j)/(s_i + s_j) (specification: paper 004, Eq. 35-40).
struct dc_material_response {
  double energy;  // INFINITY where the material has no value (neo_hookean, J <= 0)
  double first[3], second[3][3], minus[3], plus[3];
};
// second_order: compute second, minus and plus, too.
void dc_material_respond(enum dc_material material, struct dc_lame lame, const double s[3], bool second_order,
                         struct dc_material_response *response);
// Makes the second derivative positive semidefinite by cutting off its negative eigenvalues.
void dc_material_project(struct dc_material_response *response);

#endif
