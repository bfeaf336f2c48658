// SPDX-License-Identifier: Apache-2.0
// A bending test of a mesh: how much of the bending of the material its elements allow.
//
// 1. The long axis e and the flattest axis n are principal axes of the volume, about its mean c.
// 2. The stress sigma = -s e e^T, s = n . (x - c), is in equilibrium: it is that of pure bending, whatever the outline,
//    with the tractions sigma . normal on the surface.  With Young's modulus 1 its energy is half of A = int s^2 dV.
// 3. The nodes take the forces f_a = sum_samples V sigma g_a.  By the principle of virtual work K u = f makes u the
//    projection of the true displacement onto those of the elements, in the energy of small displacements, so that u .
//    f = A_h <= A (Strang and Fix, An Analysis of the Finite Element Method, 1.6).
// 4. A_h / A is the result: 1 where elements can bend as the material does.
//
// Rigid motions meet no force; a millionth of a millionth of the diagonal keeps them at rest.
#include <math.h>
#include <stdlib.h>

#include "elastic/element.h"
#include "math/linear_solver.h"
#include "math/svd3.h"

static const double AT_REST = 1e-11;

// Bending of a solid: along `axis`, stress in proportion to the height along `across` over `center`.
struct bend {
  double center[3], axis[3], across[3];
};

static double height(const struct bend *bend, const double x[3])
{
  double arm[3];
  dc_vec_sub(arm, x, bend->center);
  return dc_vec_dot(arm, bend->across);
}

// Principal axes of nodes that carry the volume.
static void set_bend(const struct dc_elastic *elastic, struct bend *bend)
{
  double moment[9] = {0}, u[9], v[9], s[3], arm[3];
  int longest = 0, flattest = 0;
  *bend = (struct bend){{0}, {0}, {0}};
  for (int i = 0; i < elastic->mesh->node_count; i++)
    dc_vec_add_scaled(bend->center, bend->center, elastic->node_volumes[i] / elastic->volume, elastic->mesh->nodes[i]);
  for (int i = 0; i < elastic->mesh->node_count; i++) {
    dc_vec_sub(arm, elastic->mesh->nodes[i], bend->center);
    for (int k = 0; k < 9; k++)
      moment[k] += elastic->node_volumes[i] / elastic->volume * arm[k / 3] * arm[k % 3];
  }
  dc_svd3(moment, u, s, v);
  for (int k = 1; k < 3; k++) {
    if (s[k] > s[longest])
      longest = k;
    if (s[k] <= s[flattest])
      flattest = k;
  }
  if (flattest == longest)
    flattest = (longest + 1) % 3;
  for (int k = 0; k < 3; k++) {
    bend->axis[k] = u[3 * k + longest];
    bend->across[k] = u[3 * k + flattest];
  }
}

// The place of a sample at rest: the middle of a linear element, or near a corner of a quadratic one.
static void sample_place(const struct dc_elastic *elastic, int sample, double x[3])
{
  const int *nodes = dc_sample_nodes(elastic, sample);
  double near = elastic->quadratic ? (5 + 3 * sqrt(5)) / 20 : 0.25, rest = (1 - near) / 3;
  x[0] = x[1] = x[2] = 0;
  for (int a = 0; a < 4; a++)
    dc_vec_add_scaled(x, x, a == sample % DC_QUADRATIC_SAMPLES ? near : rest, elastic->mesh->nodes[nodes[a]]);
}

static void add_forces(const struct dc_elastic *elastic, const struct bend *bend, double *forces)
{
  double x[3], stress[9];
  for (int s = 0; s < elastic->sample_count; s++) {
    sample_place(elastic, s, x);
    for (int k = 0; k < 9; k++)
      stress[k] = -height(bend, x) * bend->axis[k / 3] * bend->axis[k % 3];
    dc_element_add_stress(elastic, s, stress, 1, forces);
  }
}

// int s^2 dV: over a tetrahedron V/20 (sum s_i^2 + (sum s_i)^2).
static double full_work(const struct dc_elastic *elastic, const struct bend *bend)
{
  double work = 0, g[4][3];
  for (int e = 0; e < elastic->mesh->element_count; e++) {
    const int *nodes = elastic->mesh->elements[e];
    double sum = 0, squares = 0;
    for (int a = 0; a < 4; a++) {
      double s = height(bend, elastic->mesh->nodes[nodes[a]]);
      sum += s;
      squares += s * s;
    }
    work += dc_elastic_tetrahedron_gradients((const double(*)[3])elastic->mesh->nodes, nodes, g) / 20 *
            (squares + sum * sum);
  }
  return work;
}

// Blocks of 3 by node, and one for each two nodes of an element. Repeated pairs are the matrix's business.
static struct dc_symmetric_matrix *stiffness_pattern(const struct dc_elastic *elastic)
{
  int count = elastic->mesh->node_count, nodes = elastic->corners, pairs = 0;
  int *sizes = dc_alloc((size_t)count, sizeof *sizes);
  int(*pair)[2] = dc_alloc((size_t)elastic->element_count * (size_t)(nodes * (nodes - 1) / 2), sizeof *pair);
  struct dc_symmetric_matrix *matrix = NULL;
  for (int i = 0; i < count && sizes; i++)
    sizes[i] = 3;
  for (int e = 0; e < elastic->element_count && pair; e++) {
    const int *of = dc_elastic_stencil(elastic, e, &nodes);
    for (int a = 0; a < nodes; a++)
      for (int b = 0; b < a; b++, pairs++)
        pair[pairs][0] = of[a], pair[pairs][1] = of[b];
  }
  if (sizes && pair)
    matrix = dc_symmetric_create(count, sizes, pairs, (const int(*)[2])pair, DC_SOLVER_AUTOMATIC);
  free(sizes);
  free(pair);
  return matrix;
}

// Adds the stiffness at rest for Young's modulus 1.
static void add_stiffness(const struct dc_elastic *elastic, double poisson, struct dc_symmetric_matrix *matrix)
{
  struct dc_elasticity elasticity = {DC_MATERIAL_NEO_HOOKEAN, dc_lame_of(3, 1, poisson), 0, NULL, NULL};
  double blocks[DC_ELEMENT_BLOCKS][9];
  for (int e = 0; e < elastic->element_count; e++) {
    int count;
    const int *nodes = dc_elastic_stencil(elastic, e, &count);
    dc_elastic_element_hessian(elastic, elasticity, elastic->mesh->nodes[0], e, false, blocks);
    for (int a = 0; a < count; a++)
      for (int b = 0; b <= a; b++)
        dc_symmetric_add_block(matrix, nodes[a], nodes[b], 1, blocks[dc_element_block(a, b)], 3);
  }
}

// A_h / A of the head: forces of pure bending, the displacement u = K^-1 f that they cause, and their work u . f over
// that of the material. NAN where memory is short or the system cannot be solved.
double dc_elastic_flexibility(const struct dc_elastic *elastic, double poisson)
{
  struct bend bend;
  size_t size = 3 * (size_t)elastic->mesh->node_count;
  double *forces = dc_alloc(2 * size, sizeof *forces), ratio = NAN;
  struct dc_symmetric_matrix *matrix = stiffness_pattern(elastic);
  if (forces && matrix) {
    set_bend(elastic, &bend);
    add_forces(elastic, &bend, forces);
    add_stiffness(elastic, poisson, matrix);
    dc_symmetric_add_diagonal(matrix, AT_REST * dc_symmetric_norm(matrix));
    if (!dc_symmetric_factor_positive(matrix)) {
      double residual;
      dc_symmetric_solve(matrix, forces, forces + size, &residual);
      ratio = dc_dot(forces, forces + size, (int)size) / full_work(elastic, &bend);
    }
  }
  dc_symmetric_destroy(matrix);
  free(forces);
  return ratio;
}
