// SPDX-License-Identifier: Apache-2.0
// LU factorization with partial pivoting, column by column: P A = L U with the pivots on the way, L below the diagonal.
#include "math/general.h"

#include <math.h>
#include <stddef.h>

static void swap(double *a, double *b)
{
  double other = *a;
  *a = *b;
  *b = other;
}

// LU with row pivots, by columns, in place; false: singular.
// Column k: the largest entry on or below the diagonal becomes the pivot, and whole rows are exchanged.  Below it the
// factors l_ik = a_ik / a_kk replace the entries, and a_ij -= l_ik a_kj follows for all columns to the right.
bool dc_general_factor(int n, double *matrix, int *pivots)
{
  for (int k = 0; k < n; k++) {
    double *column = matrix + (size_t)k * (size_t)n;
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(column[i]) > fabs(column[pivot]))
        pivot = i;
    pivots[k] = pivot;
    if (!isfinite(column[pivot]) || column[pivot] == 0)
      return false;
    for (int j = 0; j < n && pivot != k; j++)
      swap(matrix + (size_t)j * (size_t)n + k, matrix + (size_t)j * (size_t)n + pivot);
    for (int i = k + 1; i < n; i++)
      column[i] /= column[k];
    for (int j = k + 1; j < n; j++) {
      double *other = matrix + (size_t)j * (size_t)n;
      for (int i = k + 1; i < n; i++)
        other[i] -= column[i] * other[k];
    }
  }
  return true;
}

// Solves with the factors, or with their transpose, in place.
//
//     A x = b:    rows are exchanged in the order of the pivots, then L y = b and U x = y;
//     A^T x = b:  U^T y = b and L^T z = y, then rows are exchanged in reverse.
//
// The diagonal of L is 1 and not stored.  Inner loops run down columns in both cases, as they lie in memory: the former
// updates what is left of b, the latter sums.
void dc_general_solve(int n, const double *factored, const int *pivots, bool transposed, double *b)
{
#define AT(i, j) factored[(size_t)(j) * (size_t)n + (size_t)(i)]
  if (!transposed) {
    for (int k = 0; k < n; k++)
      swap(&b[k], &b[pivots[k]]);
    for (int k = 0; k < n; k++)
      for (int i = k + 1; i < n; i++)
        b[i] -= AT(i, k) * b[k];
    for (int k = n - 1; k >= 0; k--) {
      b[k] /= AT(k, k);
      for (int i = 0; i < k; i++)
        b[i] -= AT(i, k) * b[k];
    }
    return;
  }
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < k; i++)
      b[k] -= AT(i, k) * b[i];
    b[k] /= AT(k, k);
  }
  for (int k = n - 1; k >= 0; k--)
    for (int i = k + 1; i < n; i++)
      b[k] -= AT(i, k) * b[i];
  for (int k = n - 1; k >= 0; k--)
    swap(&b[k], &b[pivots[k]]);
#undef AT
}
