// SPDX-License-Identifier: Apache-2.0
// Dense factorizations on a copy of the lower triangle, by columns: Cholesky by our own code for few unknowns
// (cholesky.c), else by LAPACK (dpotrf), and Bunch-Kaufman (dsytrf).  They win for small or well-filled matrices: their
// time goes into numbers side by side instead of index lists.
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/linear_backend.h"

enum { SMALL = 128 };  // unknowns; our code and LAPACK's take as long there

// LAPACK's Fortran interface; the last argument is the hidden length of the string.
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivots, double *work, const int *lwork,
             int *info, size_t length);
void dsytrs_(const char *uplo, const int *n, const int *columns, const double *a, const int *lda, const int *pivots,
             double *b, const int *ldb, int *info, size_t length);

struct dense {
  int size, stride, work_size;
  bool positive;   // whether factor is of Cholesky, else of Bunch and Kaufman
  double *factor;  // [stride][stride] by columns, lower triangle
  double *work;    // [work_size]
  double *padded;  // [stride] a right-hand side
  int *pivots;     // [size]
};

static void destroy(void *state)
{
  struct dense *dense = state;
  free(dense->factor);
  free(dense->work);
  free(dense->padded);
  free(dense->pivots);
  free(dense);
}

// Room for LAPACK's dsytrf, whose best workspace it is asked for.
static void *create(const struct dc_symmetric_matrix *matrix)
{
  // OpenBLAS rounds differently with another number of threads.
  openblas_set_num_threads(1);
  struct dense *dense = dc_alloc(1, sizeof *dense);
  if (!dense)
    return NULL;
  int n = matrix->size, query = -1, info = 0, stride = dc_cholesky_stride(n), lda = n ? stride : 1;
  double best = 1;
  dense->size = n;
  dense->stride = stride;
  dense->factor = dc_alloc((size_t)stride * (size_t)stride, sizeof(double));
  dense->padded = dc_alloc((size_t)stride, sizeof(double));
  dense->pivots = dc_alloc((size_t)n, sizeof(int));
  if (dense->factor && dense->pivots)
    dsytrf_("L", &n, dense->factor, &lda, dense->pivots, &best, &query, &info, 1);
  dense->work_size = best >= 1 && best < INT_MAX ? (int)best : 1;
  dense->work = dc_alloc((size_t)dense->work_size, sizeof(double));
  if (!dense->factor || !dense->padded || !dense->pivots || !dense->work) {
    destroy(dense);
    return NULL;
  }
  return dense;
}

// Copies the stored entries into the dense lower triangle; the rest is zero.
static void scatter(struct dense *dense, const struct dc_symmetric_matrix *matrix)
{
  size_t stride = (size_t)dense->stride, n = (size_t)dense->size;
  memset(dense->factor, 0, stride * stride * sizeof *dense->factor);
  for (size_t j = 0; j < n; j++) {
    double *column = dense->factor + j * stride;
    int begin = matrix->column_start[j], end = matrix->column_start[j + 1];
    if (matrix->row[end - 1] - matrix->row[begin] == end - 1 - begin) {
      memcpy(column + j, matrix->values + begin, (size_t)(end - begin) * sizeof *column);
      continue;
    }
    for (int k = begin; k < end; k++)
      column[matrix->row[k]] = matrix->values[k];
  }
}

// Whether Cholesky's pivots carry information: one below the rounding of its own diagonal entry does not determine a
// sign.  OpenBLAS lets NaN pass; whatever goes wrong in a row reaches its diagonal.
static bool cholesky_holds(const struct dense *dense, const struct dc_symmetric_matrix *matrix)
{
  for (int j = 0; j < dense->size; j++) {
    double pivot = dense->factor[(size_t)j * ((size_t)dense->stride + 1)];
    double diagonal = matrix->values[matrix->column_start[j]];
    if (!isfinite(pivot) || !(pivot * pivot > DC_PIVOT_TOLERANCE * diagonal))
      return false;
  }
  return true;
}

static bool all_finite(const struct dense *dense)
{
  size_t n = (size_t)dense->size;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      if (!isfinite(dense->factor[j * (size_t)dense->stride + i]))
        return false;
  return true;
}

static enum dc_status factor(void *state, const struct dc_symmetric_matrix *matrix, bool positive)
{
  struct dense *dense = state;
  int n = dense->size, lda = dense->stride, info = 0;
  scatter(dense, matrix);
  dense->positive = positive;
  if (positive) {
    if (n <= SMALL)
      info = !dc_cholesky_factor(n, dense->factor);
    else
      dpotrf_("L", &n, dense->factor, &lda, &info, 1);
    return info == 0 && cholesky_holds(dense, matrix) ? DC_OK : DC_NUMERICAL;
  }
  dsytrf_("L", &n, dense->factor, &lda, dense->pivots, dense->work, &dense->work_size, &info, 1);
  return info == 0 && all_finite(dense) ? DC_OK : DC_NUMERICAL;
}

static void solve(void *state, double *x)
{
  struct dense *dense = state;
  int n = dense->size, lda = dense->stride, one = 1, info;
  if (dense->positive && n <= SMALL) {
    memcpy(dense->padded, x, (size_t)n * sizeof *x);
    memset(dense->padded + n, 0, (size_t)(lda - n) * sizeof *x);
    dc_cholesky_solve(n, dense->factor, dense->padded);
    memcpy(x, dense->padded, (size_t)n * sizeof *x);
    return;
  }
  if (dense->positive) {  // two triangular solves: dpotrs packs panels that one right-hand side does not pay for
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, dense->factor, lda, x, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, dense->factor, lda, x, 1);
    return;
  }
  dsytrs_("L", &n, &one, dense->factor, &lda, dense->pivots, x, &n, &info, 1);
}

const struct dc_linear_backend dc_linear_dense = {
    .name = "dense", .create = create, .destroy = destroy, .factor = factor, .solve = solve};
