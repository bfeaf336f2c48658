// SPDX-License-Identifier: Apache-2.0
// Iterative solution of symmetric systems whose blocks are all 3x3, such as those of nodes: access to blocks by place,
// sweeps over blocks, and Krylov methods with preconditioners.  The matrix is that of linear_solver.h.
#ifndef DC_MATH_LINEAR_ITERATIVE_H
#define DC_MATH_LINEAR_ITERATIVE_H

#include "math/linear_krylov.h"
#include "math/linear_solver.h"

// The place of a block: its three columns begin at values[at[.]].  Only the lower triangle of a diagonal block is
// stored.
struct dc_block_place {
  int at[3];
};
// Finds block (row, column), both of 3 unknowns, row >= column; false when it is not in the pattern.
bool dc_symmetric_place(const struct dc_symmetric_matrix *matrix, int row, int column, struct dc_block_place *place);
double *dc_symmetric_values(struct dc_symmetric_matrix *matrix);

// Preconditioners.  GAUSS_SEIDEL: a symmetric sweep over the blocks.  JACOBI: the diagonal blocks.  PROJECTIVE: the
// matrix of projective dynamics (linear_projective.c), without C.  WOODBURY: the same corrected by C.  TWO_LEVEL: half
// a sweep, rigid motions of parts of the body (linear_coarse.c), the other half.
enum dc_preconditioner {
  DC_PRECONDITION_GAUSS_SEIDEL,
  DC_PRECONDITION_JACOBI,
  DC_PRECONDITION_WOODBURY,
  DC_PRECONDITION_TWO_LEVEL,
  DC_PRECONDITION_PROJECTIVE,
  DC_PRECONDITION_NONE
};
struct dc_block_method {
  enum dc_krylov_method krylov;
  enum dc_preconditioner preconditioner;
};

// Whether the method is conjugate gradients with sweeps, the only one that measures residuals in the norm of its
// preconditioner.
static inline bool dc_block_method_sweeps(struct dc_block_method method)
{
  return method.krylov == DC_CONJUGATE_GRADIENTS && method.preconditioner == DC_PRECONDITION_GAUSS_SEIDEL;
}

struct dc_block_solver;

// Creates a solver that keeps a pointer to the matrix, whose values may change.  NULL when out of memory or when a
// block has another size than 3.  For sweeps a block may have a multiple of 3 unknowns, and counts as so many blocks.
struct dc_block_solver *dc_block_solver_create(struct dc_symmetric_matrix *matrix, struct dc_block_method method);
// Makes the next solution renew PROJECTIVE, WOODBURY and TWO_LEVEL from the values that the matrix has then, and
// TWO_LEVEL from the positions [3 blocks] of its nodes (NULL: not known; else kept until then).  Without a call they
// stay as they are.
void dc_block_solver_renew(struct dc_block_solver *solver, const double *places);
void dc_block_solver_destroy(struct dc_block_solver *solver);

// The diagonal block of a node, and the products of the other rows with a motion of that node: sum += A_row,node move
// for every row but the node's own.
void dc_block_diagonal(const struct dc_block_solver *solver, int node, double block[9]);
void dc_block_set_diagonal(const struct dc_block_solver *solver, int node, const double block[9]);  // in the matrix
void dc_block_add_row(const struct dc_block_solver *solver, int node, const double move[3], double *sum);

// Solves (A + C) x = b, C block diagonal [blocks][9] (NULL: none).  It ends when the residual is at most `part` of b,
// or after `most` iterations.  The norm is that of the preconditioner for conjugate gradients with sweeps, else the
// Euclidean one.  x is the last iterate; where the result is !positive (also for a preconditioner that cannot be made),
// the one before.
struct dc_iterations dc_block_solve(struct dc_block_solver *solver, const double *c, const double *b, double part,
                                    int most, double *x);

#endif
