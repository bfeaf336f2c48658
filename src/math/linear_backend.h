// SPDX-License-Identifier: Apache-2.0
// The symmetric block matrix and the interface of its factorizations, which all backends share.  Private to src/math.
#ifndef DC_MATH_LINEAR_BACKEND_H
#define DC_MATH_LINEAR_BACKEND_H

#include <float.h>
#include <stdbool.h>

#include "base/status.h"

// A pivot at most this fraction of the numbers that it was computed from is rounding: a few units in the last place.
#define DC_PIVOT_TOLERANCE (8 * DBL_EPSILON)

// Number of right-hand sides that share a pass over the matrix.
enum { DC_SOLVE_TILE = 4 };

struct dc_linear_backend;

// The lower triangle in compressed columns, rows ascending.  All scalar columns of a block column have the same rows of
// blocks: first the lower triangle of the diagonal block, then the off-diagonal blocks by ascending row.
struct dc_symmetric_matrix {
  struct dc_arena *arena;  // owns all arrays below
  int block_count, size;
  int *offsets;       // [block_count + 1] first unknown of each block
  int *block_start;   // [block_count + 1] first off-diagonal block of each block column
  int *block_row;     // [block_start[block_count]] its block row, ascending within a column
  int *block_below;   // [block_start[block_count]] unknowns of the off-diagonal blocks above it in its column
  int *column_start;  // [size + 1] first entry of each column
  int *row;           // [entries]
  double *values;     // [entries]
  double *solution, *candidate, *residual;  // [DC_SOLVE_TILE][size] for solves and their refinement
  double *interleaved[2];                   // [size][DC_SOLVE_TILE], a vector and its product
  const struct dc_linear_backend *backend;
  void *state;        // state of the backend
  bool factored;      // state holds a usable factorization
  long factor_count;  // factorizations tried since creation
};

// One kind of factorization.  create sees the pattern only, so that it may order the unknowns once; NULL when out of
// memory.
struct dc_linear_backend {
  const char *name;
  void *(*create)(const struct dc_symmetric_matrix *matrix);
  void (*destroy)(void *state);
  // positive: Cholesky, else for indefinite matrices
  enum dc_status (*factor)(void *state, const struct dc_symmetric_matrix *matrix, bool positive);
  void (*solve)(void *state, double *x);  // in place; x is aligned to 64 bytes
};

extern const struct dc_linear_backend dc_linear_dense, dc_linear_sparse, dc_linear_supernodal, dc_linear_strong;

// Operations of the next factorization of a state of dc_linear_supernodal, which is analysed for it; infinite when
// memory runs out.
double dc_linear_supernodal_work(void *state);

// Index of the off-diagonal block (row, column), row > column; -1 when it is not in the pattern.
int dc_symmetric_find_block(const struct dc_symmetric_matrix *matrix, int row, int column);

// Fills in a view of the matrix for CHOLMOD; the view points into the matrix.
struct cholmod_sparse_struct;
void dc_cholmod_view(const struct dc_symmetric_matrix *matrix, struct cholmod_sparse_struct *view);

#endif
