// SPDX-License-Identifier: Apache-2.0
// Small dense matrices without symmetry: Gaussian elimination with pivots, without memory of its own.
#ifndef DC_MATH_GENERAL_H
#define DC_MATH_GENERAL_H

#include <stdbool.h>

// Factors a matrix [n][n], by columns, in place; pivots [n] are rows.  False: it is singular or not finite.
bool dc_general_factor(int n, double *matrix, int *pivots);
// Solves A x = b, or A^T x = b, with a factored matrix; b [n] becomes x.
void dc_general_solve(int n, const double *factored, const int *pivots, bool transposed, double *b);

#endif
