// SPDX-License-Identifier: Apache-2.0
// Symmetric systems whose blocks are all 3x3, such as those of nodes: access by place, sweeps over the blocks, and
// conjugate gradients.  The matrix is that of linear_solver.h.
#ifndef DC_MATH_LINEAR_ITERATIVE_H
#define DC_MATH_LINEAR_ITERATIVE_H

#include "math/linear_solver.h"

// Where an off-diagonal or diagonal block is: its three columns begin at values[at[.]].  What is below the diagonal only is
// stored of diagonal blocks.
struct dc_block_place {
  int at[3];
};
// The place of block (row, column), both of 3 unknowns, row >= column; false when it is not in the pattern.
bool dc_symmetric_place(const struct dc_symmetric_matrix *matrix, int row, int column, struct dc_block_place *place);
double *dc_symmetric_values(struct dc_symmetric_matrix *matrix);

struct dc_block_solver;

// NULL when out of memory or a block has another size than 3.  The matrix, whose values may change, is kept.
struct dc_block_solver *dc_block_solver_create(struct dc_symmetric_matrix *matrix);
void dc_block_solver_destroy(struct dc_block_solver *solver);

// A diagonal block with what is added to it, and what row `node` of A holds beside it: sum += A_row,node move for every row
// but the node's own.
void dc_block_diagonal(const struct dc_block_solver *solver, int node, double block[9]);
void dc_block_spread(const struct dc_block_solver *solver, int node, const double move[3], double *sum);

// What conjugate gradients did.
struct dc_iterations {
  int count;
  bool positive;   // no direction of negative curvature was met
  bool converged;  // the residual fell by the part asked for
};

// Solves (A + C) x = b, C block diagonal [blocks][9] (NULL: none), by conjugate gradients with a block symmetric Gauss-Seidel
// sweep as preconditioner, until the residual in its norm is at most part of what it was at x = 0, or for so many iterations.
// x is the best found; where !positive the iterate before.
struct dc_iterations dc_block_solve(struct dc_block_solver *solver, const double *c, const double *b, double part,
                                    int most, double *x);

#endif
