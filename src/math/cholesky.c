// SPDX-License-Identifier: Apache-2.0
// Cholesky's factorization of dense matrices of up to a few hundred unknowns: libraries spend more on their calls and
// on packing than on the numbers.
//
// Four columns at a time, with those to their left done:
// 1. a_ij -= sum_k<J l_ik l_jk over all columns k to the left, in blocks of eight rows by four columns that stay in
//    registers;
// 2. the four columns one after the other: what those before take, l_jj = sqrt(a_jj), l_ij = a_ij / l_jj.
//
// Each entry has its own sum in the order of k, and no product is fused with a sum: the bits are the same on all
// processors.
#include "math/cholesky.h"

#include <math.h>
#include <string.h>

#include "math/wide.h"

enum { COLUMNS = 4 };

// Four numbers side by side; memory need not be aligned.
typedef double quad __attribute__((vector_size(32)));
typedef double quad_in_memory __attribute__((vector_size(32), aligned(8), may_alias));

#define LOAD(from) (*(const quad_in_memory *)(from))
#define STORE(to, value) (*(quad_in_memory *)(to) = (value))

// Step 1 of the head for the four columns from `first` on.  Rows begin at a multiple of eight: some entries above the
// diagonal are computed, too, and not used.
DC_WIDE static void take_left(size_t stride, size_t first, double *a)
{
  for (size_t i = first / DC_CHOLESKY_ROWS * DC_CHOLESKY_ROWS; i < stride; i += DC_CHOLESKY_ROWS) {
    double *to = a + first * stride + i;
    quad sum[COLUMNS][2];
    for (int c = 0; c < COLUMNS; c++) {
      sum[c][0] = LOAD(to + (size_t)c * stride);
      sum[c][1] = LOAD(to + (size_t)c * stride + 4);
    }
    for (size_t k = 0; k < first; k++) {
      const double *column = a + k * stride;
      quad low = LOAD(column + i), high = LOAD(column + i + 4);
      for (int c = 0; c < COLUMNS; c++) {
        quad factor = (quad){0, 0, 0, 0} + column[first + (size_t)c];
        sum[c][0] -= low * factor;
        sum[c][1] -= high * factor;
      }
    }
    for (int c = 0; c < COLUMNS; c++) {
      STORE(to + (size_t)c * stride, sum[c][0]);
      STORE(to + (size_t)c * stride + 4, sum[c][1]);
    }
  }
}

// Column j, to which those from `first` on are left to be applied.
// False if the pivot is not positive, or not finite: the matrix is not positive definite then.
DC_WIDE static bool finish_column(size_t stride, size_t first, size_t j, double *a)
{
  double *column = a + j * stride;
  size_t begin = j / 4 * 4;
  for (size_t k = first; k < j; k++) {
    const double *left = a + k * stride;
    quad factor = (quad){0, 0, 0, 0} + left[j];
    for (size_t i = begin; i < stride; i += 4)
      STORE(column + i, LOAD(column + i) - LOAD(left + i) * factor);
  }
  double pivot = column[j];
  if (!(pivot > 0) || !isfinite(pivot))
    return false;
  pivot = sqrt(pivot);
  quad scale = (quad){0, 0, 0, 0} + 1 / pivot;
  for (size_t i = begin; i < stride; i += 4)
    STORE(column + i, LOAD(column + i) * scale);
  column[j] = pivot;
  return true;
}

// Left-looking: a group of four begins when all columns to its left are finished, so that its entries are loaded and
// stored once for all of these instead of once for each.
bool dc_cholesky_factor(int n, double *a)
{
  size_t stride = (size_t)dc_cholesky_stride(n), size = (size_t)n;
  for (size_t first = 0; first < size; first += COLUMNS) {
    take_left(stride, first, a);
    for (size_t j = first; j < first + COLUMNS && j < size; j++)
      if (!finish_column(stride, first, j, a))
        return false;
  }
  return true;
}

// L y = x, then L^T x = y, four columns at a time.
// Forwards, four unknowns are found in turn and then taken off all rows below at once.  Backwards, four sums run over
// the rows below side by side, and the four unknowns follow from the last to the first.  Entries of x beyond n are set
// to 0 between both ways, since the sums read them.  x has as many entries as a column, dc_cholesky_stride(n).
DC_WIDE void dc_cholesky_solve(int n, const double *l, double *x)
{
  size_t stride = (size_t)dc_cholesky_stride(n), size = (size_t)n;
  for (size_t first = 0; first < size; first += COLUMNS) {
    size_t end = first + COLUMNS < size ? first + COLUMNS : size;
    quad part[COLUMNS];
    memset(part, 0, sizeof part);
    for (size_t j = first; j < end; j++) {
      const double *column = l + j * stride;
      x[j] /= column[j];
      part[j - first] = (quad){0, 0, 0, 0} + x[j];
      for (size_t i = j + 1; i < end; i++)
        x[i] -= column[i] * x[j];
    }
    const double *block = l + first * stride;
    for (size_t i = first + COLUMNS; i < stride; i += 4) {
      quad sum = LOAD(x + i);
      for (int c = 0; c < COLUMNS; c++)
        sum -= LOAD(block + (size_t)c * stride + i) * part[c];
      STORE(x + i, sum);
    }
  }
  memset(x + size, 0, (stride - size) * sizeof *x);
  for (size_t first = (size - 1) / COLUMNS * COLUMNS;; first -= COLUMNS) {
    size_t end = first + COLUMNS < size ? first + COLUMNS : size;
    const double *block = l + first * stride;
    quad sum[COLUMNS];
    memset(sum, 0, sizeof sum);
    for (size_t i = first + COLUMNS; i < stride; i += 4)
      for (int c = 0; c < COLUMNS; c++)
        sum[c] += LOAD(block + (size_t)c * stride + i) * LOAD(x + i);
    for (size_t j = end; j-- > first;) {
      const double *column = l + j * stride;
      quad s = sum[j - first];
      double value = x[j] - ((s[0] + s[2]) + (s[1] + s[3]));
      for (size_t i = j + 1; i < end; i++)
        value -= column[i] * x[i];
      x[j] = value / column[j];
    }
    if (first == 0)
      return;
  }
}
