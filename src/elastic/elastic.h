// SPDX-License-Identifier: Apache-2.0
// Elastic solids of linear tetrahedra (docs/theory.md, "Solids").  With the nodes x_a of an element and the gradients
// g_a of its shape functions at rest
//     F = sum_a x_a g_a^T,   energy V psi(F),   force of node a  -V P g_a,   P = d psi / d F.
#ifndef DC_ELASTIC_ELASTIC_H
#define DC_ELASTIC_ELASTIC_H

#include "base/memory.h"
#include "base/status.h"
#include "elastic/material.h"
#include "geometry/mesh/tetrahedra.h"

struct dc_elastic {
  const struct dc_tetrahedra *mesh;  // its nodes are the places at rest
  double (*gradients)[4][3];         // [elements] g_a, 1/m
  double *volumes;                   // [elements] at rest, m^3
  double *node_volumes;              // [nodes] a quarter of those of the elements at a node, m^3
  double volume;                     // m^3
};

// Arrays are owned by arena; mesh is kept.  DC_MEMORY.
enum dc_status dc_elastic_create(struct dc_elastic *elastic, const struct dc_tetrahedra *mesh, struct dc_arena *arena,
                                 struct dc_error *error);

// What follows takes places, directions and forces of the nodes as [3 nodes], m and N.

struct dc_elasticity {
  enum dc_material material;
  struct dc_lame lame;
};

// J; INFINITY where an element is inverted that its material does not allow to be.
double dc_elastic_energy(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x);
// gradient += scale d energy / d x
void dc_elastic_add_gradient(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                             double scale, double *gradient);
// (d energy / d x) . direction
double dc_elastic_along(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                        const double *direction);
// The blocks of the Hessian of one element for its nodes a and b <= a, row by row, at dc_element_block(a, b).  projected:
// positive semidefinite.
enum { DC_ELEMENT_BLOCKS = 10 };
static inline int dc_element_block(int a, int b)
{
  return a * (a + 1) / 2 + b;
}
void dc_elastic_element_hessian(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                                int element, bool projected, double blocks[DC_ELEMENT_BLOCKS][9]);

// Viscosity: resists the change of Green's strain E = (F^T F - I)/2 from places x to y within a time h,
//     D = eta/(2 h) sum V |E(y) - E(x)|^2,   eta in Pa s;
// turns cost nothing.  The functions have D / (eta/h).
double dc_elastic_strain_change(const struct dc_elastic *elastic, const double *x, const double *y);
// gradient += scale d D / d y
void dc_elastic_add_strain_gradient(const struct dc_elastic *elastic, const double *x, const double *y, double scale,
                                    double *gradient);
// blocks += scale times those of D
void dc_elastic_add_strain_hessian(const struct dc_elastic *elastic, const double *x, const double *y, int element,
                                   bool projected, double scale, double blocks[DC_ELEMENT_BLOCKS][9]);
// sum += scale * the derivative by x of (d D / d y) . direction, and transposed: the derivative by y of
// (d D / d x) . direction.
void dc_elastic_add_strain_mixed(const struct dc_elastic *elastic, const double *x, const double *y, bool transposed,
                                 double scale, const double *direction, double *sum);

#endif
