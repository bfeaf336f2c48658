// SPDX-License-Identifier: Apache-2.0
// Symmetric linear systems of blocks, such as 6x6 of rigid bodies and 3x3 of nodes: one interface, dense LAPACK for
// small matrices, CHOLMOD for large ones.
//
// A matrix has block_count block rows of given sizes; only the lower triangle of blocks (row >= column) is stored and
// only blocks named in the pattern may be touched.  Memory is allocated at creation, none in clear, add, factor or
// solve (the sparse backends allocate inside CHOLMOD in factor, the supernodal one also in solve).
#ifndef DC_MATH_LINEAR_SOLVER_H
#define DC_MATH_LINEAR_SOLVER_H

#include <stdbool.h>

#include "base/status.h"

struct dc_symmetric_matrix;

// SUPERNODAL suits patterns that fill in, such as those of elastic solids.  STRONG suits many bodies of which each is
// coupled to all, but strongly to few: values must not change between a factorization and its last solution.
enum dc_solver_backend {
  DC_SOLVER_AUTOMATIC,
  DC_SOLVER_DENSE,
  DC_SOLVER_SPARSE,
  DC_SOLVER_SUPERNODAL,
  DC_SOLVER_STRONG
};

// sizes [block_count]; pairs [pair_count][2]: off-diagonal blocks that may be non-zero (any order, row != column;
// both orders name the same block; duplicates allowed).  Diagonal blocks are always there.  AUTOMATIC takes dense up
// to 600 unknowns, or where the pattern fills more than a third of the lower triangle up to 3000 unknowns.  Returns
// NULL when out of memory.
struct dc_symmetric_matrix *dc_symmetric_create(int block_count, const int *sizes, int pair_count,
                                                const int (*pairs)[2], enum dc_solver_backend backend);
void dc_symmetric_destroy(struct dc_symmetric_matrix *matrix);

void dc_symmetric_clear(struct dc_symmetric_matrix *matrix);
// Adds scale * block (rows of block row, columns of block column, row by row, leading dimension stride).  For row ==
// column the whole symmetric block is given; for row < column the transpose is added to block (column, row).
void dc_symmetric_add_block(struct dc_symmetric_matrix *matrix, int row, int column, double scale, const double *block,
                            int stride);
// Adds scale times a symmetric block to the last three unknowns of two different blocks of rows.
void dc_symmetric_add_corner(struct dc_symmetric_matrix *matrix, int row, int column, double scale,
                             const double (*block)[3]);
// Adds a symmetric block [count][count], row by row, at chosen unknowns of the diagonal block (row, row): places
// [count] within it, all different.
void dc_symmetric_add_places(struct dc_symmetric_matrix *matrix, int row, int count, const int *places,
                             const double *block);
// Adds numbers [count] at unknown `row` of a block row and at places [count], all different, of a block column, and at
// the mirror image: at the diagonal of the matrix twice.
void dc_symmetric_add_row(struct dc_symmetric_matrix *matrix, int row_block, int row, int column_block, int count,
                          const int *places, const double *values);
void dc_symmetric_add_diagonal(struct dc_symmetric_matrix *matrix, double value);
// Largest absolute entry; not finite when any entry is not.
double dc_symmetric_norm(const struct dc_symmetric_matrix *matrix);
void dc_symmetric_multiply(const struct dc_symmetric_matrix *matrix, const double *x, double *y);  // y = A x

// Cholesky factorization; the matrix keeps its values.  DC_OK, or DC_NUMERICAL when it is not (numerically) positive
// definite or not finite (a pivot below the rounding of its diagonal entry counts as zero), or DC_MEMORY.
enum dc_status dc_symmetric_factor_positive(struct dc_symmetric_matrix *matrix);
// Factors a symmetric matrix that may be indefinite, for the adjoint.  Dense: Bunch-Kaufman; sparse: LDL^T without
// pivoting.  DC_NUMERICAL when singular or not finite, or when the sparse one would have needed pivoting; DC_MEMORY.  A
// nearly singular matrix shows in the residual of the solution.
enum dc_status dc_symmetric_factor_indefinite(struct dc_symmetric_matrix *matrix);
// Name of the backend, "dense", "sparse", "supernodal" or "strong", and the number of factorizations tried since
// creation.
const char *dc_symmetric_backend_name(const struct dc_symmetric_matrix *matrix);
long dc_symmetric_factor_count(const struct dc_symmetric_matrix *matrix);
// Solves with the last factorization: x = A^-1 b; x may be b.  relative_residual: |b - A x|_inf / |b|_inf of
// the returned x after one step of iterative refinement, computed, not estimated, with the values that the matrix has
// now; NULL: neither is done.  NaN everywhere after a factorization that failed.
void dc_symmetric_solve(struct dc_symmetric_matrix *matrix, const double *b, double *x, double *relative_residual);
// Solves for count right-hand sides b [count][size] at once, with refinement: faster than one by one, and with the same
// bits.
void dc_symmetric_solve_block(struct dc_symmetric_matrix *matrix, int count, const double *b, double *x,
                              double *relative_residuals);

#endif
