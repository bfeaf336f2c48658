// SPDX-License-Identifier: Apache-2.0
// The nearest positive semidefinite matrix in the Frobenius norm: eigenvalues and vectors by LAPACK (dsyev), then the
// sum of lambda v v^T over the positive ones (Higham 1988).
#include "math/project.h"

#include <stddef.h>
#include <string.h>

// LAPACK
void dsyev_(const char *jobs, const char *uplo, const int *n, double *a, const int *lda, double *values, double *work,
            const int *lwork, int *info, size_t jobs_length, size_t uplo_length);

// The nearest positive semidefinite matrix: sum of lambda v v^T over eigenvalues above 0. A matrix whose eigenvalues
// are not found stays as it is.
void dc_project(int n, double *matrix)
{
  double vectors[DC_PROJECT_MOST * DC_PROJECT_MOST], values[DC_PROJECT_MOST], work[64 * DC_PROJECT_MOST];
  int size = 64 * DC_PROJECT_MOST, info;
  memcpy(vectors, matrix, (size_t)(n * n) * sizeof *matrix);
  dsyev_("V", "L", &n, vectors, &n, values, work, &size, &info, 1, 1);
  if (info)
    return;
  memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
  for (int l = 0; l < n; l++)
    for (int i = 0; i < n && values[l] > 0; i++)
      for (int k = 0; k < n; k++)
        matrix[n * i + k] += values[l] * vectors[n * l + i] * vectors[n * l + k];
}
