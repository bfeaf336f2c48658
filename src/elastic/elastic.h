// SPDX-License-Identifier: Apache-2.0
// Elastic solids, sheets and rods of linear simplices (docs/theory.md, "Solids", "Sheets and rods").  With the nodes
// x_a of an element and the gradients g_a of its shape functions at rest
//     F = sum_a x_a g_a^T,   energy V psi(F),   force of node a  -V P g_a,   P = d psi / d F.
// Gradients of triangles and segments are given in axes of their own, the third or the last two components 0, so that
// these columns of F are 0.  Quadratic tetrahedra of ten nodes (quadratic.c) have gradients that vary: their F is taken
// at four places, the samples, which share the volume; a linear element is one sample.  Sheets and rods also bend:
// every inner edge or node has the quadratic energy of a stencil of nodes
//
//     B w/2 |sum_a k_a x_a|^2,   B the bending stiffness (bending.c).
#ifndef DC_ELASTIC_ELASTIC_H
#define DC_ELASTIC_ELASTIC_H

#include "base/memory.h"
#include "base/status.h"
#include "elastic/material.h"
#include "geometry/mesh/simplices.h"

// An inner edge of a sheet with the triangles on both sides, or an inner node of a rod with its neighbours.
struct dc_bend {
  int nodes[4];               // a rod has three: the last is -1
  double factors[4], weight;  // k_a; w, so that the energy is B w/2 |sum k_a x_a|^2
};

enum { DC_ELEMENT_NODES = 10 };  // of an element at most

struct dc_elastic {
  const struct dc_simplices *mesh;  // its nodes are the positions at rest
  int element_count, corners;       // elements of the energy and nodes of each
  // [element_count] quadratic tetrahedra: corners 0 1 2 3, then the middles of 01 02 03 12 13 23; each is eight
  // elements of the mesh.  NULL: the elements are those of the mesh
  const int (*quadratic)[DC_ELEMENT_NODES];
  int sample_count, stride;  // samples, in the order of elements: one or four each; nodes that gradients hold for one
  double (*gradients)[3];    // [sample_count * stride] g_a, 1/m
  double *volumes;           // [sample_count] at rest, m^3
  double *node_volumes;      // [nodes] the node's share of the volumes of its elements, m^3
  double volume;             // m^3
  double steepness;          // mean square of g_a, 1/m^2: elements are as narrow as it is large
  int bend_count;
  struct dc_bend *bends;  // [bend_count] of sheets and rods
};

// Prepares a mesh.  section: thickness of a sheet, m; cross section of a rod, m^2; 1 for solids.  Arrays are owned by
// arena; mesh is kept by reference.  DC_MEMORY.
enum dc_status dc_elastic_create(struct dc_elastic *elastic, const struct dc_simplices *mesh, double section,
                                 struct dc_arena *arena, struct dc_error *error);
// The same for quadratic tetrahedra [count] whose eighths are the elements of the mesh, one after the other, the four
// at corners first.  Arrays are kept by reference.
enum dc_status dc_elastic_create_quadratic(struct dc_elastic *elastic, const struct dc_simplices *mesh, int count,
                                           const int (*quadratic)[DC_ELEMENT_NODES], struct dc_arena *arena,
                                           struct dc_error *error);
enum dc_status dc_elastic_add_bends(struct dc_elastic *elastic, struct dc_arena *arena, struct dc_error *error);

// The part of the bending of the material that the elements of a solid allow, at most 1, by a test of small bending
// about the flattest axis (flexibility.c); NAN when memory is short or the mesh too poor.  It factors one matrix.
double dc_elastic_flexibility(const struct dc_elastic *elastic, double poisson);

// Stencils couple nodes: first the elements, then the bends.  Returns the nodes of one, at most DC_ELEMENT_NODES;
// *count: how many.
static inline int dc_elastic_stencil_count(const struct dc_elastic *elastic)
{
  return elastic->element_count + elastic->bend_count;
}
static inline const int *dc_elastic_stencil(const struct dc_elastic *elastic, int stencil, int *count)
{
  bool bend = stencil >= elastic->element_count;
  *count = elastic->corners + bend;
  return bend                 ? elastic->bends[stencil - elastic->element_count].nodes
         : elastic->quadratic ? elastic->quadratic[stencil]
                              : elastic->mesh->elements[stencil];
}

// The following functions take positions, directions and forces of the nodes as [3 nodes], m and N.

// Growth of the rest shape of a solid in parts (growth.h): c, the logarithm of the stretch, of every part.
struct dc_growth {
  const int *part_of;             // [samples], -1: does not grow
  const double (*directions)[3];  // [parts] unit vectors at rest; 0: all directions
  const double *strains;          // [parts]
};

struct dc_elasticity {
  enum dc_material material;
  struct dc_lame lame;
  double bending;                  // N m of sheets, N m^2 of rods
  const double *factors;           // [elements of the mesh] on Lame's constants; NULL: 1
  const struct dc_growth *growth;  // NULL: none
};

// Energy, J; INFINITY where an element is inverted whose material does not allow it.
double dc_elastic_energy(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x);
// gradient += scale d energy / d x
void dc_elastic_add_gradient(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                             double scale, double *gradient);
// Energy at y and gradient += its derivative by y, in one pass over the elements; with viscosity times the dissipation
// since x (see below), viscosity >= 0.
double dc_elastic_evaluate(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                           const double *y, double viscosity, double *gradient);
// (d energy / d x) . direction
double dc_elastic_along(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                        const double *direction);
// out [elements of the mesh] += each element's part of (d energy / d x) . direction, without its factor.
void dc_elastic_along_each(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                           const double *direction, double *out);
// How the force derivative by x changes with the strain of one part of the growth: strains [parts] += (d^2 energy /
// d x d strain) . direction, and gradient += scale times that derivative along a change of the strains [parts].
void dc_elastic_along_growth(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                             const double *direction, double *strains);
void dc_elastic_add_growth_gradient(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                                    const double *change, double *gradient);
// The blocks of the Hessian of one stencil for its nodes a and b <= a, row by row, at dc_element_block(a, b).
// projected: positive semidefinite.
enum { DC_ELEMENT_BLOCKS = DC_ELEMENT_NODES * (DC_ELEMENT_NODES + 1) / 2 };
static inline int dc_element_block(int a, int b)
{
  return a * (a + 1) / 2 + b;
}
void dc_elastic_element_hessian(const struct dc_elastic *elastic, struct dc_elasticity elasticity, const double *x,
                                int stencil, bool projected, double blocks[DC_ELEMENT_BLOCKS][9]);

// Viscosity: resists the change of Green's strain E = (F^T F - I)/2 from places x to y within a time h,
//     D = eta/(2 h) sum V |E(y) - E(x)|^2,   eta in Pa s;
// rotations cost nothing.  The functions return D / (eta/h).
double dc_elastic_strain_change(const struct dc_elastic *elastic, const double *x, const double *y);
// gradient += scale d D / d y
void dc_elastic_add_strain_gradient(const struct dc_elastic *elastic, const double *x, const double *y, double scale,
                                    double *gradient);
// blocks += scale times the Hessian blocks of D by y
void dc_elastic_add_strain_hessian(const struct dc_elastic *elastic, const double *x, const double *y, int element,
                                   bool projected, double scale, double blocks[DC_ELEMENT_BLOCKS][9]);
// sum += scale * the derivative by x of (d D / d y) . direction, and transposed: the derivative by y of
// (d D / d x) . direction.
void dc_elastic_add_strain_mixed(const struct dc_elastic *elastic, const double *x, const double *y, bool transposed,
                                 double scale, const double *direction, double *sum);

#endif
