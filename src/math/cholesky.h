// SPDX-License-Identifier: Apache-2.0
// Cholesky's factorization of small dense matrices, A = L L^T, for steps of few bodies (cholesky.c).
#ifndef DC_MATH_CHOLESKY_H
#define DC_MATH_CHOLESKY_H

#include <stdbool.h>

enum { DC_CHOLESKY_ROWS = 8 };  // rows that are worked on side by side

// Numbers from one column to the next of a matrix of n columns, which has room for as many columns.
static inline int dc_cholesky_stride(int n)
{
  return (n + DC_CHOLESKY_ROWS - 1) / DC_CHOLESKY_ROWS * DC_CHOLESKY_ROWS;
}

// L in place of the lower triangle of A, by columns [stride][stride]; what is above it and beyond n is zero before and
// any number after.  False: a pivot is not positive.
bool dc_cholesky_factor(int n, double *a);
// x [stride] becomes A^-1 x; numbers beyond n are zero before and any number after.
void dc_cholesky_solve(int n, const double *l, double *x);

#endif
