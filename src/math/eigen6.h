// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of symmetric 6x6 and 3x3 matrices, and projection to positive semidefinite ones.
#ifndef DC_MATH_EIGEN6_H
#define DC_MATH_EIGEN6_H

// Eigenvalues [6] and orthonormal eigenvectors (columns of vectors) by cyclic Jacobi rotations; matrix is destroyed.
void dc_eigen6(double matrix[6][6], double values[6], double vectors[6][6]);

// The same for a symmetric 3x3 matrix, given row by row; column k of vectors, kept row by row, belongs to values[k].
void dc_eigen3(const double matrix[9], double values[3], double vectors[9]);

// Replaces matrix by the nearest positive semidefinite one (negative eigenvalues set to zero).
void dc_eigen6_project(double matrix[6][6]);

#endif
