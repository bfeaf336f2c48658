// SPDX-License-Identifier: Apache-2.0
// Dense factorizations on a copy of the lower triangle, by columns: Cholesky by our own code for few unknowns
// (cholesky.c), else by LAPACK (dpotrf), and Bunch-Kaufman (dsytrf).  They win for small or well-filled matrices: their
// time goes into numbers side by side instead of index lists.
//
// Cholesky takes each group of coupled unknowns (linear_groups.c) for itself, one matrix behind the other.
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/cholesky.h"
#include "math/linear_backend.h"
#include "math/linear_groups.h"

enum { SMALL = 128 };  // unknowns; our code and LAPACK's take as long there

// LAPACK's Fortran interface; the last argument is the hidden length of the string.
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);
void dsytrf_(const char *uplo, const int *n, double *a, const int *lda, int *pivots, double *work, const int *lwork,
             int *info, size_t length);
void dsytrs_(const char *uplo, const int *n, const int *columns, const double *a, const int *lda, const int *pivots,
             double *b, const int *ldb, int *info, size_t length);

struct dense {
  int size, stride, work_size;
  bool positive;                   // whether factor is of Cholesky, else of Bunch and Kaufman
  struct dc_linear_groups groups;  // of Cholesky
  double *factor;                  // [stride][stride] by columns, lower triangle; of each group with its own stride
  double *work;                    // [work_size]
  double *padded;                  // [stride] a right-hand side
  int *pivots;                     // [size]
};

static void destroy(void *state)
{
  struct dense *dense = state;
  dc_linear_groups_destroy(&dense->groups);
  free(dense->factor);
  free(dense->work);
  free(dense->padded);
  free(dense->pivots);
  free(dense);
}

// Numbers of all groups: of one of all unknowns, or of that and a part of each block.
static size_t room_for(const struct dc_symmetric_matrix *matrix)
{
  size_t stride = (size_t)dc_cholesky_stride(matrix->size), room = stride * stride;
  for (int block = 0; block < matrix->block_count; block++) {
    size_t own = (size_t)dc_cholesky_stride(matrix->offsets[block + 1] - matrix->offsets[block]);
    room += own * own;
  }
  return room;
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
  bool grouped = dc_linear_groups_create(&dense->groups, matrix);
  dense->factor = dc_alloc(room_for(matrix), sizeof(double));
  dense->padded = dc_alloc((size_t)stride, sizeof(double));
  dense->pivots = dc_alloc((size_t)n, sizeof(int));
  if (dense->factor && dense->pivots)
    dsytrf_("L", &n, dense->factor, &lda, dense->pivots, &best, &query, &info, 1);
  dense->work_size = best >= 1 && best < INT_MAX ? (int)best : 1;
  dense->work = dc_alloc((size_t)dense->work_size, sizeof(double));
  if (!grouped || !dense->factor || !dense->padded || !dense->pivots || !dense->work) {
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

static int group_size(const struct dense *dense, int group)
{
  return dense->groups.start[group + 1] - dense->groups.start[group];
}

// Copies the entries of one group; whatever couples it to others is zero.
static void scatter_group(const struct dense *dense, int group, const struct dc_symmetric_matrix *matrix, double *to)
{
  const struct dc_linear_groups *groups = &dense->groups;
  size_t stride = (size_t)dc_cholesky_stride(group_size(dense, group));
  memset(to, 0, stride * stride * sizeof *to);
  for (int at = groups->start[group]; at < groups->start[group + 1]; at++, to += stride) {
    int j = groups->unknown[at], begin = matrix->column_start[j], end = matrix->column_start[j + 1];
    if (matrix->row[end - 1] - j == end - 1 - begin) {
      for (int i = at; i < groups->start[group + 1] && groups->unknown[i] - j < end - begin; i++)
        to[i - groups->start[group]] = matrix->values[begin + groups->unknown[i] - j];
      continue;
    }
    for (int k = begin; k < end; k++)
      if (groups->of[matrix->row[k]] == group)
        to[groups->place[matrix->row[k]]] = matrix->values[k];
  }
}

// Whether Cholesky's pivots carry information: one below the rounding of its own diagonal entry does not determine a
// sign.  OpenBLAS lets NaN pass; whatever goes wrong in a row reaches its diagonal.
static bool cholesky_holds(const struct dense *dense, int group, const struct dc_symmetric_matrix *matrix,
                           const double *factor)
{
  size_t stride = (size_t)dc_cholesky_stride(group_size(dense, group));
  for (int at = dense->groups.start[group]; at < dense->groups.start[group + 1]; at++, factor += stride + 1) {
    double diagonal = matrix->values[matrix->column_start[dense->groups.unknown[at]]];
    if (!isfinite(*factor) || !(*factor * *factor > DC_PIVOT_TOLERANCE * diagonal))
      return false;
  }
  return true;
}

// Bunch-Kaufman reports no breakdown for NaN; a factor that is finite everywhere had none.
static bool all_finite(const struct dense *dense)
{
  size_t n = (size_t)dense->size;
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++)
      if (!isfinite(dense->factor[j * (size_t)dense->stride + i]))
        return false;
  return true;
}

// Every group is scattered and factored behind the one before; a failure of any makes the whole matrix not positive.
static enum dc_status factor_groups(struct dense *dense, const struct dc_symmetric_matrix *matrix)
{
  double *factor = dense->factor;
  dc_linear_groups_find(&dense->groups, matrix);
  for (int group = 0; group < dense->groups.count; group++) {
    int n = group_size(dense, group), stride = dc_cholesky_stride(n), info = 0;
    if (n == dense->size)
      scatter(dense, matrix);
    else
      scatter_group(dense, group, matrix, factor);
    if (n <= SMALL)
      info = !dc_cholesky_factor(n, factor);
    else
      dpotrf_("L", &n, factor, &stride, &info, 1);
    if (info != 0 || !cholesky_holds(dense, group, matrix, factor))
      return DC_NUMERICAL;
    factor += (size_t)stride * (size_t)stride;
  }
  return DC_OK;
}

// Groups serve Cholesky's method only; an indefinite matrix is factored as a whole, with the pivots of Bunch-Kaufman.
static enum dc_status factor(void *state, const struct dc_symmetric_matrix *matrix, bool positive)
{
  struct dense *dense = state;
  int n = dense->size, lda = dense->stride, info = 0;
  dense->positive = positive;
  if (positive)
    return factor_groups(dense, matrix);
  scatter(dense, matrix);
  dsytrf_("L", &n, dense->factor, &lda, dense->pivots, dense->work, &dense->work_size, &info, 1);
  return info == 0 && all_finite(dense) ? DC_OK : DC_NUMERICAL;
}

// One group's part of x.  For large ones two triangular solves: dpotrs packs panels that one right-hand side does not
// pay for.
static void solve_group(struct dense *dense, int group, const double *factor, double *x)
{
  const int *unknown = dense->groups.unknown + dense->groups.start[group];
  int n = group_size(dense, group), stride = dc_cholesky_stride(n);
  double *padded = dense->padded;
  memset(padded + n, 0, (size_t)(stride - n) * sizeof *padded);
  for (int i = 0; i < n; i++)
    padded[i] = x[unknown[i]];
  if (n <= SMALL) {
    dc_cholesky_solve(n, factor, padded);
  } else {
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, factor, stride, padded, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, factor, stride, padded, 1);
  }
  for (int i = 0; i < n; i++)
    x[unknown[i]] = padded[i];
}

static void solve(void *state, double *x)
{
  struct dense *dense = state;
  int n = dense->size, lda = dense->stride, one = 1, info;
  const double *factor = dense->factor;
  for (int group = 0; dense->positive && group < dense->groups.count; group++) {
    size_t stride = (size_t)dc_cholesky_stride(group_size(dense, group));
    solve_group(dense, group, factor, x);
    factor += stride * stride;
  }
  if (!dense->positive)
    dsytrs_("L", &n, &one, dense->factor, &lda, dense->pivots, x, &n, &info, 1);
}

const struct dc_linear_backend dc_linear_dense = {
    .name = "dense", .create = create, .destroy = destroy, .factor = factor, .solve = solve};
