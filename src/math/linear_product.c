// SPDX-License-Identifier: Apache-2.0
// Products of a symmetric block matrix with a vector, by its lower triangle in compressed columns.
#include "math/linear_backend.h"
#include "math/linear_solver.h"
#include "math/wide.h"

// Four numbers side by side; memory need not be aligned.
typedef double four __attribute__((vector_size(32)));
typedef double four_in_memory __attribute__((vector_size(32), aligned(8), may_alias));

// y = A x with the lower triangle: every entry off the diagonal counts twice.  Those of a column are summed in four
// parts, so that sums need not wait for each other.
DC_WIDE void dc_symmetric_multiply(const struct dc_symmetric_matrix *matrix, const double *x, double *y)
{
  const int *row = matrix->row;
  const double *values = matrix->values;
  for (int i = 0; i < matrix->size; i++)
    y[i] = 0;
  for (int j = 0; j < matrix->size; j++) {
    int k = matrix->column_start[j] + 1, end = matrix->column_start[j + 1];
    double xj = x[j];
    four sum = {values[k - 1] * xj, 0, 0, 0};
    for (; k + 4 <= end && row[k + 3] - row[k] == 3; k += 4) {
      four value = *(const four_in_memory *)(values + k);
      *(four_in_memory *)(y + row[k]) += value * xj;
      sum += value * *(const four_in_memory *)(x + row[k]);
    }
    for (int l = 0; k < end; k++, l = (l + 1) % 4) {
      y[row[k]] += values[k] * xj;
      sum[l] += values[k] * x[row[k]];
    }
    y[j] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}
