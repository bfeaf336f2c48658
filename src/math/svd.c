// SPDX-License-Identifier: Apache-2.0
// Thin singular value decomposition by LAPACK's divide and conquer (dgesdd), with OpenBLAS on one thread, for the same
// bits.
#include "math/svd.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

// LAPACK's Fortran interface; the last argument is the hidden length of the string.
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t length);

// LAPACK reads the rows of a as columns: it decomposes a^T = v diag(s) u^T, whose left vectors are the columns of v.
// Its right vectors come as interleaved rows, and are rearranged afterwards.
enum dc_status dc_svd(int rows, int columns, double *a, double *s, double *u, double *v, struct dc_error *error)
{
  int k = rows < columns ? rows : columns, info = 0, query = -1;
  double wanted = 0;
  if (k == 0)
    return DC_OK;
  for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
    if (!isfinite(a[i]))
      return dc_fail(error, DC_NUMERICAL, "a matrix to be decomposed is not finite");
  openblas_set_num_threads(1);
  size_t right = (size_t)k * (size_t)rows;
  int *integers = dc_alloc(8 * (size_t)k, sizeof *integers);
  double *vt = dc_alloc(right, sizeof *vt);
  dgesdd_("S", &columns, &rows, a, &columns, s, v, &columns, vt, &k, &wanted, &query, integers, &info, 1);
  int work_size = (int)wanted;
  double *work = dc_alloc((size_t)work_size, sizeof *work);
  enum dc_status status = integers && vt && work ? DC_OK : dc_out_of_memory(error);
  if (!status)
    dgesdd_("S", &columns, &rows, a, &columns, s, v, &columns, vt, &k, work, &work_size, integers, &info, 1);
  if (!status && info)
    status = dc_fail(error, DC_NUMERICAL, "a singular value decomposition did not converge");
  for (int i = 0; i < k && !status; i++)
    for (int r = 0; r < rows; r++)
      u[(size_t)i * (size_t)rows + (size_t)r] = vt[(size_t)r * (size_t)k + (size_t)i];
  free(integers);
  free(vt);
  free(work);
  return status;
}
