// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of symmetric 6x6 and 3x3 matrices by cyclic Jacobi rotations (Golub and Van Loan, section 8.5).
//
// A sweep zeroes every off-diagonal entry once; convergence is quadratic, so that SWEEPS is never reached in practice.
// Jacobi's method is more accurate than tridiagonalization at this size, and small eigenvalues keep their relative
// precision.
#include "math/eigen6.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { N = 6, SWEEPS = 30 };

// One Jacobi rotation that zeroes a[p][q] (Golub and Van Loan, section 8.5).
static void rotate(double a[N][N], double v[N][N], int p, int q)
{
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < N; k++) {
    double kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (int k = 0; k < N; k++) {
    double pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
    double vp = v[k][p], vq = v[k][q];
    v[k][p] = c * vp - s * vq;
    v[k][q] = s * vp + c * vq;
  }
}

// Cyclic Jacobi rotations until all off-diagonal entries are below rounding; columns of v are the eigenvectors.
void dc_eigen6(double a[N][N], double values[N], double v[N][N])
{
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      v[i][k] = i == k;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool diagonal = true;
    for (int p = 0; p < N; p++)
      for (int q = p + 1; q < N; q++)
        if (fabs(a[p][q]) > 1e-17 * (fabs(a[p][p]) + fabs(a[q][q]))) {
          rotate(a, v, p, q);
          diagonal = false;
        }
    if (diagonal)
      break;
  }
  for (int i = 0; i < N; i++)
    values[i] = a[i][i];
}

// Embeds the matrix into 6x6 with three zero rows and columns, which no rotation mixes with it.
void dc_eigen3(const double matrix[9], double values[3], double vectors[9])
{
  double work[N][N] = {{0}}, all[N], axes[N][N];
  for (int k = 0; k < 9; k++)
    work[k / 3][k % 3] = matrix[k];
  dc_eigen6(work, all, axes);
  memcpy(values, all, 3 * sizeof *values);
  for (int k = 0; k < 9; k++)
    vectors[k] = axes[k / 3][k % 3];
}

// The nearest positive semidefinite matrix in the Frobenius norm: sum of lambda v v^T over the positive lambda.
void dc_eigen6_project(double matrix[N][N])
{
  double work[N][N], values[N], vectors[N][N];
  memcpy(work, matrix, sizeof work);
  dc_eigen6(work, values, vectors);
  memset(matrix, 0, sizeof work);
  for (int l = 0; l < N; l++)
    for (int i = 0; i < N && values[l] > 0; i++)
      for (int k = 0; k < N; k++)
        matrix[i][k] += values[l] * vectors[i][l] * vectors[k][l];
}
