// SPDX-License-Identifier: Apache-2.0
// Symmetric block matrices: pattern, assembly, products, and solution with one step of iterative refinement.
//
// 1. Creation sorts the pairs of blocks, lays out compressed columns and chooses a backend by size and fill.
// 2. Blocks are added at places found by bisection in their block column.
// 3. A solution by the backend is refined once, x + A^-1 (b - A x), and kept only if the residual falls; the relative
//    residual that is returned is computed from the stored values, so that it also detects a factorization gone wrong.
//
// Several right-hand sides share a pass over the matrix, DC_SOLVE_TILE at a time, with the same operations in the same
// order for each, so that a tile returns the bits of single solutions.
#include "math/linear_solver.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_backend.h"

enum { DENSE_ALWAYS = 600, DENSE_AT_MOST = 3000 };  // unknowns

struct pair {
  int column, row;
};

// By column, then by row: the order in which compressed columns store blocks.
static int compare_pairs(const void *a, const void *b)
{
  const struct pair *p = a, *q = b;
  if (p->column != q->column)
    return p->column < q->column ? -1 : 1;
  return (p->row > q->row) - (p->row < q->row);
}

// Returns the distinct pairs as (larger block = row, smaller = column), sorted by column; their number in *count.
static struct pair *sorted_pairs(int pair_count, const int (*pairs)[2], int *count)
{
  struct pair *sorted = dc_alloc((size_t)pair_count, sizeof *sorted);
  if (!sorted)
    return NULL;
  for (int i = 0; i < pair_count; i++) {
    int a = pairs[i][0], b = pairs[i][1];
    assert(a != b);
    sorted[i] = (struct pair){a < b ? a : b, a < b ? b : a};
  }
  qsort(sorted, (size_t)pair_count, sizeof *sorted, compare_pairs);
  *count = 0;
  for (int i = 0; i < pair_count; i++)
    if (i == 0 || compare_pairs(&sorted[i], &sorted[*count - 1]) != 0)
      sorted[(*count)++] = sorted[i];
  return sorted;
}

static int block_size(const struct dc_symmetric_matrix *matrix, int block)
{
  return matrix->offsets[block + 1] - matrix->offsets[block];
}

// Lays out blocks and columns.  Returns the number of entries, or -1 when they are too many for 32-bit indices or
// memory runs out.
static long lay_out(struct dc_symmetric_matrix *matrix, const int *sizes, int count, const struct pair *sorted)
{
  int blocks = matrix->block_count;
  long size = 0, entries = 0;
  matrix->offsets = dc_arena_alloc(matrix->arena, (size_t)blocks + 1, sizeof(int));
  matrix->block_start = dc_arena_alloc(matrix->arena, (size_t)blocks + 1, sizeof(int));
  matrix->block_row = dc_arena_alloc(matrix->arena, (size_t)count, sizeof(int));
  matrix->block_below = dc_arena_alloc(matrix->arena, (size_t)count, sizeof(int));
  if (dc_arena_failed(matrix->arena))
    return -1;
  for (int i = 0; i < blocks; i++) {
    size += sizes[i];
    if (size >= INT_MAX)
      return -1;
    matrix->offsets[i + 1] = (int)size;
  }
  matrix->size = (int)size;
  matrix->column_start = dc_arena_alloc(matrix->arena, (size_t)size + 1, sizeof(int));
  if (!matrix->column_start)
    return -1;
  for (int column = 0, k = 0; column < blocks; column++) {
    int below = 0;
    matrix->block_start[column] = k;
    for (; k < count && sorted[k].column == column; k++) {
      matrix->block_row[k] = sorted[k].row;
      matrix->block_below[k] = below;
      below += sizes[sorted[k].row];
    }
    matrix->block_start[column + 1] = k;
    for (int i = 0; i < sizes[column]; i++) {
      matrix->column_start[matrix->offsets[column] + i] = (int)entries;
      entries += sizes[column] - i + below;
      if (entries >= INT_MAX)
        return -1;
    }
  }
  matrix->column_start[size] = (int)entries;
  return entries;
}

// Writes the row index of every entry.
static void fill_rows(struct dc_symmetric_matrix *matrix)
{
  int *row = matrix->row;
  for (int column = 0; column < matrix->block_count; column++)
    for (int i = matrix->offsets[column]; i < matrix->offsets[column + 1]; i++) {
      for (int j = i; j < matrix->offsets[column + 1]; j++)
        *row++ = j;
      for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++)
        for (int j = matrix->offsets[matrix->block_row[k]]; j < matrix->offsets[matrix->block_row[k] + 1]; j++)
          *row++ = j;
    }
}

// AUTOMATIC takes the dense backend where the matrix is small, or of middle size and well filled.
static const struct dc_linear_backend *choose(enum dc_solver_backend backend, int size, long entries)
{
  if (backend != DC_SOLVER_AUTOMATIC)
    return backend == DC_SOLVER_DENSE    ? &dc_linear_dense
           : backend == DC_SOLVER_SPARSE ? &dc_linear_sparse
           : backend == DC_SOLVER_STRONG ? &dc_linear_strong
                                         : &dc_linear_supernodal;
  double triangle = 0.5 * size * (size + 1.0);
  if (size <= DENSE_ALWAYS || (size <= DENSE_AT_MOST && (double)entries > triangle / 3))
    return &dc_linear_dense;
  return &dc_linear_sparse;
}

// Creates a symmetric matrix of blocks, its lower triangle by columns, with the pattern of the pairs, and chooses its
// backend by size and fill.
struct dc_symmetric_matrix *dc_symmetric_create(int block_count, const int *sizes, int pair_count,
                                                const int (*pairs)[2], enum dc_solver_backend backend)
{
  struct dc_arena *arena = dc_arena_create();
  struct dc_symmetric_matrix *matrix = dc_arena_alloc(arena, 1, sizeof *matrix);
  int count = 0;
  struct pair *sorted = sorted_pairs(pair_count, pairs, &count);
  long entries = -1;
  if (matrix && sorted) {
    matrix->arena = arena;
    matrix->block_count = block_count;
    entries = lay_out(matrix, sizes, count, sorted);
  }
  free(sorted);
  if (entries >= 0) {
    size_t tile = DC_SOLVE_TILE * (size_t)matrix->size;
    double **of_tiles[] = {&matrix->residual, &matrix->solution, &matrix->candidate, &matrix->interleaved[0],
                           &matrix->interleaved[1]};
    matrix->row = dc_arena_alloc(arena, (size_t)entries, sizeof(int));
    matrix->values = dc_arena_alloc(arena, (size_t)entries, sizeof(double));
    for (size_t i = 0; i < sizeof of_tiles / sizeof *of_tiles; i++)
      *of_tiles[i] = dc_arena_alloc(arena, tile, sizeof(double));
  }
  if (entries >= 0 && !dc_arena_failed(arena)) {
    fill_rows(matrix);
    matrix->backend = choose(backend, matrix->size, entries);
    matrix->state = matrix->backend->create(matrix);
    if (matrix->state)
      return matrix;
  }
  dc_arena_destroy(arena);
  return NULL;
}

void dc_symmetric_destroy(struct dc_symmetric_matrix *matrix)
{
  if (!matrix)
    return;
  matrix->backend->destroy(matrix->state);
  dc_arena_destroy(matrix->arena);
}

void dc_symmetric_clear(struct dc_symmetric_matrix *matrix)
{
  memset(matrix->values, 0, (size_t)matrix->column_start[matrix->size] * sizeof *matrix->values);
}

// Bisection for the first row that is not less, over the off-diagonal blocks of the column.
int dc_symmetric_find_block(const struct dc_symmetric_matrix *matrix, int row, int column)
{
  int low = matrix->block_start[column], high = matrix->block_start[column + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (matrix->block_row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < matrix->block_start[column + 1] && matrix->block_row[low] == row ? low : -1;
}

// entry[i] += scale * source[i * step].  Six contiguous unknowns per body are the common case, unrolled by the
// compiler.
static inline void add_column(double *entry, const double *source, int count, long step, double scale)
{
  if (count == 6 && step == 1) {
    for (int i = 0; i < 6; i++)
      entry[i] += scale * source[i];
    return;
  }
  for (int i = 0; i < count; i++)
    entry[i] += scale * source[i * step];
}

// Adds scale times a block; a block above the diagonal is added as its transpose below.
void dc_symmetric_add_block(struct dc_symmetric_matrix *matrix, int row, int column, double scale, const double *block,
                            int stride)
{
  // Column j of the stored block, row >= column, begins at block[j * by_column] and advances by by_row.  The rows of a
  // diagonal block serve as its columns, since it is symmetric.
  int by_row = stride, by_column = 1;
  if (row <= column) {
    int swap = row;
    row = column, column = swap;
    by_row = 1, by_column = stride;
  }
  int columns = block_size(matrix, column), rows = block_size(matrix, row);
  int k = row == column ? 0 : dc_symmetric_find_block(matrix, row, column);
  assert(k >= 0);
  if (k < 0)
    return;
  for (int j = 0; j < columns; j++) {
    double *entry = matrix->values + matrix->column_start[matrix->offsets[column] + j];
    const double *source = block + (long)j * by_column;
    if (row == column)
      add_column(entry, source + j, rows - j, 1, scale);
    else
      add_column(entry + columns - j + matrix->block_below[k], source, rows, by_row, scale);
  }
}

// Adds to the last 3 by 3 entries of a block, which belong to a node behind a body's own coordinates. Only the lower
// triangle is stored, by columns, so that the block's transpose is added where row and column stand the other way
// round.
void dc_symmetric_add_corner(struct dc_symmetric_matrix *matrix, int row, int column, double scale,
                             const double (*block)[3])
{
  int right = row < column ? column : row, left = row < column ? row : column;
  int k = dc_symmetric_find_block(matrix, right, left), columns = block_size(matrix, left);
  assert(k >= 0);
  if (k < 0)
    return;
  for (int j = 0; j < 3; j++) {
    int first = matrix->column_start[matrix->offsets[left] + columns - 3 + j];
    double *entry = matrix->values + first + (3 - j) + matrix->block_below[k] + block_size(matrix, right) - 3;
    for (int i = 0; i < 3; i++)
      entry[i] += scale * block[i][j];
  }
}

void dc_symmetric_add_places(struct dc_symmetric_matrix *matrix, int row, int count, const int *places,
                             const double *block)
{
  const int *starts = matrix->column_start + matrix->offsets[row];
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++)
      if (places[i] >= places[j])
        matrix->values[starts[places[j]] + places[i] - places[j]] += block[j * count + i];
}

// Adds to the stored triangle what stands at (row, places) of two blocks; within one block, and its mirror image.
void dc_symmetric_add_row(struct dc_symmetric_matrix *matrix, int row_block, int row, int column_block, int count,
                          const int *places, const double *values)
{
  int height = block_size(matrix, column_block), below = 0;
  if (row_block == column_block) {
    for (int i = 0; i < count; i++) {
      int low = places[i] < row ? places[i] : row, high = places[i] < row ? row : places[i];
      matrix->values[matrix->column_start[matrix->offsets[row_block] + low] + high - low] +=
          low == high ? 2 * values[i] : values[i];
    }
    return;
  }
  bool turned = row_block < column_block;
  int left = turned ? row_block : column_block, right = turned ? column_block : row_block;
  int k = dc_symmetric_find_block(matrix, right, left);
  assert(k >= 0);
  if (k < 0)
    return;
  below = matrix->block_below[k];
  if (turned) {
    double *entry =
        matrix->values + matrix->column_start[matrix->offsets[left] + row] + block_size(matrix, left) - row + below;
    for (int i = 0; i < count; i++)
      entry[places[i]] += values[i];
    return;
  }
  for (int i = 0; i < count; i++)
    matrix->values[matrix->column_start[matrix->offsets[left] + places[i]] + height - places[i] + below + row] +=
        values[i];
}

void dc_symmetric_add_diagonal(struct dc_symmetric_matrix *matrix, double value)
{
  for (int i = 0; i < matrix->size; i++)
    matrix->values[matrix->column_start[i]] += value;
}

// Largest absolute number; NaN when any is NaN.
static double largest(const double *numbers, long count)
{
  double most = 0;
  for (long i = 0; i < count; i++) {
    double magnitude = fabs(numbers[i]);
    if (isnan(magnitude))
      return magnitude;
    if (magnitude > most)
      most = magnitude;
  }
  return most;
}

// Without a branch for each.
static bool all_finite(const double *numbers, long count)
{
  double none[4] = {0, 0, 0, 0};
  long i = 0;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++)
      none[l] += 0 * numbers[i + l];
  for (; i < count; i++)
    none[0] += 0 * numbers[i];
  return none[0] + none[1] + none[2] + none[3] == 0;
}

// The largest absolute entry; the upper triangle mirrors the lower and adds nothing.
double dc_symmetric_norm(const struct dc_symmetric_matrix *matrix)
{
  return largest(matrix->values, matrix->column_start[matrix->size]);
}

// An empty matrix counts as factored.  A failure leaves the matrix without a factorization, and solutions are NAN then.
static enum dc_status factor(struct dc_symmetric_matrix *matrix, bool positive)
{
  matrix->factored = false;
  matrix->factor_count++;
  // Neither LAPACK nor CHOLMOD is reliable about NaN and infinity.
  if (!all_finite(matrix->values, matrix->column_start[matrix->size]))
    return DC_NUMERICAL;
  enum dc_status status = matrix->size ? matrix->backend->factor(matrix->state, matrix, positive) : DC_OK;
  matrix->factored = status == DC_OK;
  return status;
}

const char *dc_symmetric_backend_name(const struct dc_symmetric_matrix *matrix)
{
  return matrix->backend->name;
}

long dc_symmetric_factor_count(const struct dc_symmetric_matrix *matrix)
{
  return matrix->factor_count;
}

enum dc_status dc_symmetric_factor_positive(struct dc_symmetric_matrix *matrix)
{
  return factor(matrix, true);
}

enum dc_status dc_symmetric_factor_indefinite(struct dc_symmetric_matrix *matrix)
{
  return factor(matrix, false);
}

// r = b - A x; returns its largest absolute number.
static double residual_of(const struct dc_symmetric_matrix *matrix, const double *b, const double *x, double *r)
{
  dc_symmetric_multiply(matrix, x, r);
  for (int i = 0; i < matrix->size; i++)
    r[i] = b[i] - r[i];
  return largest(r, matrix->size);
}

// Solves; if the residual is asked for, with one step of iterative refinement, kept if it improves.
void dc_symmetric_solve(struct dc_symmetric_matrix *matrix, const double *b, double *x, double *relative_residual)
{
  int n = matrix->size;
  size_t bytes = (size_t)n * sizeof(double);
  if (!matrix->factored || n == 0) {
    for (int i = 0; i < n; i++)
      x[i] = NAN;
    if (relative_residual)
      *relative_residual = n ? NAN : 0;
    return;
  }
  double *solution = matrix->solution, *candidate = matrix->candidate, *residual = matrix->residual;
  memcpy(solution, b, bytes);
  matrix->backend->solve(matrix->state, solution);
  if (!relative_residual) {
    memcpy(x, solution, bytes);
    return;
  }
  double error = residual_of(matrix, b, solution, residual);
  if (error > 0 && isfinite(error)) {
    matrix->backend->solve(matrix->state, residual);
    for (int i = 0; i < n; i++)
      candidate[i] = solution[i] + residual[i];
    double refined = residual_of(matrix, b, candidate, residual);
    if (refined < error) {
      error = refined;
      solution = candidate;
    }
  }
  *relative_residual = error == 0 ? 0 : error / largest(b, n);
  memcpy(x, solution, bytes);
}

// Y = A X for DC_SOLVE_TILE vectors, interleaved; each in the order of dc_symmetric_multiply.
static void multiply_tile(const struct dc_symmetric_matrix *matrix, const double *restrict x, double *restrict y)
{
  const int *row = matrix->row;
  for (int i = 0; i < DC_SOLVE_TILE * matrix->size; i++)
    y[i] = 0;
  for (int j = 0; j < matrix->size; j++) {
    int k = matrix->column_start[j];
    double xj[DC_SOLVE_TILE], sums[4][DC_SOLVE_TILE] = {{0}};
    for (int c = 0; c < DC_SOLVE_TILE; c++) {
      xj[c] = x[DC_SOLVE_TILE * j + c];
      sums[0][c] = matrix->values[k] * xj[c];
    }
    k++;
    for (int l = 0; k < matrix->column_start[j + 1]; k++, l = (l + 1) % 4) {
      double *sum = sums[l];
      const double value = matrix->values[k], *xi = x + DC_SOLVE_TILE * row[k];
      double *yi = y + DC_SOLVE_TILE * row[k];
#pragma omp simd
      for (int c = 0; c < DC_SOLVE_TILE; c++) {
        yi[c] += value * xj[c];
        sum[c] += value * xi[c];
      }
    }
    for (int c = 0; c < DC_SOLVE_TILE; c++)
      y[DC_SOLVE_TILE * j + c] += (sums[0][c] + sums[1][c]) + (sums[2][c] + sums[3][c]);
  }
}

// r = b - A x for a tile of vectors, and the largest absolute number of each.
static void residuals_of(const struct dc_symmetric_matrix *matrix, const double *b, const double *x, double *r,
                         double errors[DC_SOLVE_TILE])
{
  int n = matrix->size;
  double *in = matrix->interleaved[0], *out = matrix->interleaved[1];
  for (int c = 0; c < DC_SOLVE_TILE; c++)
    for (int i = 0; i < n; i++)
      in[DC_SOLVE_TILE * i + c] = x[c * n + i];
  multiply_tile(matrix, in, out);
  for (int c = 0; c < DC_SOLVE_TILE; c++) {
    for (int i = 0; i < n; i++)
      r[c * n + i] = b[c * n + i] - out[DC_SOLVE_TILE * i + c];
    errors[c] = largest(r + c * n, n);
  }
}

// Solves DC_SOLVE_TILE right-hand sides with one step of refinement each; their residuals share one pass over the
// matrix.
static void solve_tile(struct dc_symmetric_matrix *matrix, const double *b, double *x,
                       double relative_residuals[DC_SOLVE_TILE])
{
  int n = matrix->size;
  size_t bytes = (size_t)n * sizeof(double);
  double *residual = matrix->residual, *candidate = matrix->candidate, *solution = matrix->solution;
  double errors[DC_SOLVE_TILE], refined[DC_SOLVE_TILE];
  memcpy(solution, b, DC_SOLVE_TILE * bytes);
  for (int c = 0; c < DC_SOLVE_TILE; c++)
    matrix->backend->solve(matrix->state, solution + c * n);
  residuals_of(matrix, b, solution, residual, errors);
  for (int c = 0; c < DC_SOLVE_TILE; c++) {
    matrix->backend->solve(matrix->state, residual + c * n);
    for (int i = 0; i < n; i++)
      candidate[c * n + i] = solution[c * n + i] + residual[c * n + i];
  }
  residuals_of(matrix, b, candidate, residual, refined);
  for (int c = 0; c < DC_SOLVE_TILE; c++) {
    bool better = refined[c] < errors[c];
    double error = better ? refined[c] : errors[c];
    relative_residuals[c] = error == 0 ? 0 : error / largest(b + c * n, n);
    memcpy(solution + c * n, (better ? candidate : solution) + c * n, bytes);
  }
  memcpy(x, solution, DC_SOLVE_TILE * bytes);
}

// Whole tiles first; the right-hand sides that do not fill one are solved one by one, with the same bits.
void dc_symmetric_solve_block(struct dc_symmetric_matrix *matrix, int count, const double *b, double *x,
                              double *relative_residuals)
{
  size_t n = (size_t)matrix->size;
  int done = 0;
  for (; matrix->factored && n > 0 && done + DC_SOLVE_TILE <= count; done += DC_SOLVE_TILE)
    solve_tile(matrix, b + (size_t)done * n, x + (size_t)done * n, relative_residuals + done);
  for (; done < count; done++)
    dc_symmetric_solve(matrix, b + (size_t)done * n, x + (size_t)done * n, relative_residuals + done);
}
