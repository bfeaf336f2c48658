// SPDX-License-Identifier: Apache-2.0
// Matrices of many blocks each of which is coupled to all others, but strongly to few: bodies that act on each other at
// any distance.  The strong part alone is factored, and conjugate gradients (Hestenes and Stiefel 1952) with that
// factor as preconditioner solve the whole.
//
// 1. With D the diagonal, f_IJ is the Frobenius norm of a block (I, J) of D^-1/2 A D^-1/2.  Blocks with f_IJ <= WEAK
//    are left out, and rho_I is the sum of f_IJ over what is left out of the rows I.
// 2. The strong part S is what is kept, with the diagonal times 1 - rho_I.  Then A - S is positive semidefinite, since
//    |x_I^T F_IJ x_J| <= f_IJ (|D^1/2 x_I|^2 + |D^1/2 x_J|^2)/2.  So A is positive definite if S is (Ajiz and Jennings
//    1984), and the eigenvalues of S^-1 A are not below 1.
// 3. S is factored in dense blocks (linear_supernodal.c), which is analysed anew where the pattern of S has changed.
//    The result is a function of A alone.
// 4. Where little is weak, S is not positive definite, or would take about as long as the whole, A is factored by
//    linear_dense.c, and so it is where conjugate gradients do not end soon.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_backend.h"
#include "math/linear_groups.h"
#include "math/linear_solver.h"
#include "math/wide.h"

static const double WEAK = 1e-4;       // largest f_IJ that is left out
static const double MOST_WEAK = 0.1;   // rho_I
static const double MOST_KEPT = 0.25;  // entries of S, of those of A
static const double WORTH = 0.2;       // operations on S, of those on A: they take longer, and A is multiplied, too
static const double TIGHT =
    1e-10;  // part of the residual, in the norm of S^-1, that ends the iterations; refinement squares it
enum { FEW = 150, MOST_ITERATIONS = 30 };  // FEW: unknowns that are all factored

struct strong {
  void *dense;                              // state of dc_linear_dense; NULL before it was needed
  const struct dc_symmetric_matrix *whole;  // of the last factorization
  struct dc_symmetric_matrix part;          // S: compressed columns alone
  void *factor;                             // state of dc_linear_supernodal for the pattern of part; NULL: none
  int *column_start, *row;                  // the pattern of S at hand, as in part
  int capacity;                             // entries of S that there is room for
  double *square, *sum;                     // [size] 1/D, and of a block column sums of squares by rows
  double *weakness;                         // [block_count] rho
  double *norms;                            // [off-diagonal blocks] f
  struct dc_linear_groups groups;
  double *residual, *conditioned, *direction, *product;  // [size]
  bool iterates, positive;  // by S and iterations; what was asked of the last factorization
};

static void destroy(void *state)
{
  struct strong *strong = state;
  if (strong->dense)
    dc_linear_dense.destroy(strong->dense);
  if (strong->factor)
    dc_linear_supernodal.destroy(strong->factor);
  dc_linear_groups_destroy(&strong->groups);
  free(strong->part.column_start);
  free(strong->part.row);
  free(strong->part.values);
  free(strong->column_start);
  free(strong->row);
  free(strong->square);
  free(strong->sum);
  free(strong->weakness);
  free(strong->norms);
  free(strong->residual);
  free(strong->conditioned);
  free(strong->direction);
  free(strong->product);
  free(strong);
}

// Room for S is bounded by MOST_KEPT of the entries: a matrix that needs more is factored as a whole.
static void *create(const struct dc_symmetric_matrix *matrix)
{
  struct strong *strong = dc_alloc(1, sizeof *strong);
  if (!strong)
    return NULL;
  size_t n = (size_t)matrix->size;
  strong->capacity = (int)(MOST_KEPT * matrix->column_start[n]);
  size_t kept = (size_t)strong->capacity;
  strong->part.size = matrix->size;
  bool complete = dc_linear_groups_create(&strong->groups, matrix);
  complete &= (strong->part.column_start = dc_alloc(n + 1, sizeof(int))) != NULL;
  complete &= (strong->part.row = dc_alloc(kept, sizeof(int))) != NULL;
  complete &= (strong->part.values = dc_alloc(kept, sizeof(double))) != NULL;
  complete &= (strong->column_start = dc_alloc(n + 1, sizeof(int))) != NULL;
  complete &= (strong->row = dc_alloc(kept, sizeof(int))) != NULL;
  complete &= (strong->norms = dc_alloc((size_t)matrix->block_start[matrix->block_count], sizeof(double))) != NULL;
  complete &= (strong->weakness = dc_alloc((size_t)matrix->block_count, sizeof(double))) != NULL;
  double **of_unknowns[] = {&strong->square,      &strong->sum,       &strong->residual,
                            &strong->conditioned, &strong->direction, &strong->product};
  for (size_t i = 0; i < sizeof of_unknowns / sizeof *of_unknowns; i++)
    complete &= (*of_unknowns[i] = dc_alloc(n, sizeof(double))) != NULL;
  if (complete)
    return strong;
  destroy(strong);
  return NULL;
}

// sum[i] += scale values[i]^2
DC_WIDE static void add_squares(const double *values, int count, double scale, double *restrict sum)
{
  for (int i = 0; i < count; i++)
    sum[i] += scale * (values[i] * values[i]);
}

// The norms f of the blocks of a block column, and what the weak ones add to rho.
static void judge_column(struct strong *strong, const struct dc_symmetric_matrix *matrix, int block)
{
  int first = matrix->offsets[block], end = matrix->offsets[block + 1], blocks = matrix->block_start[block],
      last = matrix->block_start[block + 1];
  if (blocks == last || first == end)
    return;
  int height = matrix->column_start[first + 1] - matrix->column_start[first] - (end - first);
  memset(strong->sum, 0, (size_t)height * sizeof *strong->sum);
  for (int j = first; j < end; j++)
    add_squares(matrix->values + matrix->column_start[j] + (end - j), height, strong->square[j], strong->sum);
  for (int k = blocks; k < last; k++) {
    int row = matrix->block_row[k], offset = matrix->offsets[row], rows = matrix->offsets[row + 1] - offset;
    const double *sum = strong->sum + matrix->block_below[k];
    double square = 0;
    for (int i = 0; i < rows; i++)
      square += sum[i] * strong->square[offset + i];
    double norm = strong->norms[k] = sqrt(square);
    if (norm <= WEAK) {
      strong->weakness[block] += norm;
      strong->weakness[row] += norm;
    }
  }
}

// Finds all norms; false where the diagonal is not positive or too much is weak.
static bool judge(struct strong *strong, const struct dc_symmetric_matrix *matrix)
{
  for (int i = 0; i < matrix->size; i++) {
    double diagonal = matrix->values[matrix->column_start[i]];
    if (!(diagonal > 0))
      return false;
    strong->square[i] = 1 / diagonal;
  }
  memset(strong->weakness, 0, (size_t)matrix->block_count * sizeof *strong->weakness);
  for (int block = 0; block < matrix->block_count; block++)
    judge_column(strong, matrix, block);
  for (int block = 0; block < matrix->block_count; block++)
    if (!(strong->weakness[block] <= MOST_WEAK))
      return false;
  return true;
}

// Appends the entries of a column of the part that are not zero; false when there are too many.
static bool keep(struct strong *strong, const double *values, int row, int rows, int *count)
{
  if (*count + rows > strong->capacity)
    return false;
  for (int i = 0; i < rows; i++)
    if (values[i] != 0) {
      strong->row[*count] = row + i;
      strong->part.values[(*count)++] = values[i];
    }
  return true;
}

// Makes S by columns.
static bool gather(struct strong *strong, const struct dc_symmetric_matrix *matrix)
{
  int count = 0;
  for (int block = 0; block < matrix->block_count; block++)
    for (int j = matrix->offsets[block], end = matrix->offsets[block + 1]; j < end; j++) {
      const double *values = matrix->values + matrix->column_start[j];
      int diagonal = strong->column_start[j] = count;
      if (!keep(strong, values, j, end - j, &count))
        return false;
      strong->part.values[diagonal] *= 1 - strong->weakness[block];
      for (int k = matrix->block_start[block]; k < matrix->block_start[block + 1]; k++) {
        int row = matrix->block_row[k];
        if (strong->norms[k] > WEAK && !keep(strong, values + (end - j) + matrix->block_below[k], matrix->offsets[row],
                                             matrix->offsets[row + 1] - matrix->offsets[row], &count))
          return false;
      }
    }
  strong->column_start[matrix->size] = count;
  return true;
}

// The operations of Cholesky's method on the groups of the whole.
static double dense_work(struct strong *strong, const struct dc_symmetric_matrix *matrix)
{
  double work = 0;
  dc_linear_groups_find(&strong->groups, matrix);
  for (int g = 0; g < strong->groups.count; g++)
    work += pow(strong->groups.start[g + 1] - strong->groups.start[g], 3) / 3;
  return work;
}

// Makes the pattern at hand that of the part.  What was analysed for it stays where it is the same.
static bool analyze(struct strong *strong)
{
  struct dc_symmetric_matrix *part = &strong->part;
  size_t starts = ((size_t)part->size + 1) * sizeof(int), rows = (size_t)strong->column_start[part->size] * sizeof(int);
  if (strong->factor && memcmp(part->column_start, strong->column_start, starts) == 0 &&
      memcmp(part->row, strong->row, rows) == 0)
    return true;
  if (strong->factor)
    dc_linear_supernodal.destroy(strong->factor);
  memcpy(part->column_start, strong->column_start, starts);
  memcpy(part->row, strong->row, rows);
  strong->factor = dc_linear_supernodal.create(part);
  return strong->factor;
}

// Steps 1 to 3 of the head; false where the whole matrix has to be factored.
static bool factor_part(struct strong *strong, const struct dc_symmetric_matrix *matrix)
{
  if (matrix->size < FEW || !judge(strong, matrix) || !gather(strong, matrix) || !analyze(strong))
    return false;
  if (dc_linear_supernodal_work(strong->factor) > WORTH * dense_work(strong, matrix))
    return false;
  return dc_linear_supernodal.factor(strong->factor, &strong->part, true) == DC_OK;
}

// The dense state holds size^2 numbers and more: it is made only when it is needed.
static enum dc_status factor_whole(struct strong *strong, const struct dc_symmetric_matrix *matrix, bool positive)
{
  if (!strong->dense && !(strong->dense = dc_linear_dense.create(matrix)))
    return DC_MEMORY;
  return dc_linear_dense.factor(strong->dense, matrix, positive);
}

static enum dc_status factor(void *state, const struct dc_symmetric_matrix *matrix, bool positive)
{
  struct strong *strong = state;
  strong->whole = matrix;
  strong->positive = positive;
  strong->iterates = factor_part(strong, matrix);
  return strong->iterates ? DC_OK : factor_whole(strong, matrix, positive);
}

// Four partial sums, so that additions need not wait for each other; their order is fixed.
static double dot(const double *a, const double *b, int count)
{
  double sum[4] = {0, 0, 0, 0};
  for (int i = 0; i < count; i++)
    sum[i % 4] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y = S^-1 r; returns r.y.
static double condition(struct strong *strong)
{
  int n = strong->part.size;
  memcpy(strong->conditioned, strong->residual, (size_t)n * sizeof *strong->conditioned);
  dc_linear_supernodal.solve(strong->factor, strong->conditioned);
  return dot(strong->residual, strong->conditioned, n);
}

// Conjugate gradients from S^-1 b; false when they do not end.
static bool iterate(struct strong *strong, const double *b, double *x)
{
  int n = strong->part.size;
  double *r = strong->residual, *p = strong->direction, *q = strong->product;
  memcpy(r, b, (size_t)n * sizeof *r);
  double first = condition(strong), now = first;
  memset(x, 0, (size_t)n * sizeof *x);
  memset(p, 0, (size_t)n * sizeof *p);
  for (int k = 0; k < MOST_ITERATIONS && now > TIGHT * TIGHT * first; k++) {
    double before = now;
    for (int i = 0; i < n; i++)
      p[i] += strong->conditioned[i];
    dc_symmetric_multiply(strong->whole, p, q);
    double step = now / dot(p, q, n);
    for (int i = 0; i < n; i++) {
      x[i] += step * p[i];
      r[i] -= step * q[i];
    }
    now = condition(strong);
    for (int i = 0; i < n; i++)
      p[i] *= now / before;
  }
  return now <= TIGHT * TIGHT * first;
}

// NAN where neither way is left.
static void solve(void *state, double *x)
{
  struct strong *strong = state;
  double *b = strong->sum;
  size_t bytes = (size_t)strong->whole->size * sizeof *b;
  if (strong->iterates) {
    memcpy(b, x, bytes);
    if (iterate(strong, b, x))
      return;
    memcpy(x, b, bytes);
    strong->iterates = false;
    if (factor_whole(strong, strong->whole, strong->positive)) {
      for (int i = 0; i < strong->whole->size; i++)
        x[i] = NAN;
      return;
    }
  }
  dc_linear_dense.solve(strong->dense, x);
}

const struct dc_linear_backend dc_linear_strong = {
    .name = "strong", .create = create, .destroy = destroy, .factor = factor, .solve = solve};
