// SPDX-License-Identifier: Apache-2.0
// Projection of small symmetric matrices to positive semidefinite ones, such as Hessians of terms that are not convex.
#ifndef DC_MATH_PROJECT_H
#define DC_MATH_PROJECT_H

enum { DC_PROJECT_MOST = 12 };

// Replaces the symmetric matrix [n][n] by the nearest positive semidefinite one (negative eigenvalues set to zero); n
// is at most DC_PROJECT_MOST.
void dc_project(int n, double *matrix);

#endif
