// SPDX-License-Identifier: Apache-2.0
// Sparse simplicial factorizations by CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008).  The simplicial method calls
// no BLAS, so that its bits do not depend on threads.  The ordering is found once; every factorization starts from a
// fresh copy of the symbolic factor, so that none depends on earlier ones.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"
#include "math/linear_backend.h"

struct sparse {
  cholmod_common common;
  cholmod_sparse matrix;  // a view of the caller's columns
  cholmod_factor *symbolic;
  cholmod_factor *numeric;  // L L^T or L D L^T of the last factorization, NULL before
  double *permuted;         // [size] right-hand side in the factor's order
  double *magnitude;        // [size] sum of the absolute numbers that each pivot was computed from
};

static void destroy(void *state)
{
  struct sparse *sparse = state;
  cholmod_free_factor(&sparse->numeric, &sparse->common);
  cholmod_free_factor(&sparse->symbolic, &sparse->common);
  cholmod_finish(&sparse->common);
  free(sparse->permuted);
  free(sparse->magnitude);
  free(sparse);
}

// The matrix as CHOLMOD sees it, without a copy.
void dc_cholmod_view(const struct dc_symmetric_matrix *matrix, cholmod_sparse *view)
{
  size_t n = (size_t)matrix->size;
  *view = (cholmod_sparse){.nrow = n,
                           .ncol = n,
                           .nzmax = (size_t)matrix->column_start[n],
                           .p = matrix->column_start,
                           .i = matrix->row,
                           .x = matrix->values,
                           .stype = -1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1,
                           .packed = 1};
}

// CHOLMOD without supernodes, ordered by AMD; the pattern is analyzed here, once.
static void *create(const struct dc_symmetric_matrix *matrix)
{
  struct sparse *sparse = dc_alloc(1, sizeof *sparse);
  if (!sparse)
    return NULL;
  cholmod_common *common = &sparse->common;
  cholmod_start(common);
  common->print = 0;
  common->supernodal = CHOLMOD_SIMPLICIAL;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_AMD;
  common->postorder = 1;
  common->final_asis = 0;
  common->final_super = 0;
  common->final_pack = 1;
  common->final_monotonic = 1;
  size_t n = (size_t)matrix->size;
  dc_cholmod_view(matrix, &sparse->matrix);
  sparse->permuted = dc_alloc(n, sizeof(double));
  sparse->magnitude = dc_alloc(n, sizeof(double));
  if (n)
    sparse->symbolic = cholmod_analyze(&sparse->matrix, common);
  if (!sparse->permuted || !sparse->magnitude || (n && !sparse->symbolic)) {
    destroy(sparse);
    return NULL;
  }
  return sparse;
}

// Whether the pivots carry information: one that is not above the rounding of the numbers it was computed from does
// not.  These numbers are a_jj in L L^T, and |a_jj| + sum_k L_jk^2 |d_k| in L D L^T, which grows when pivoting would
// have been needed.  CHOLMOD lets tiny and NaN pivots pass.
static bool pivots_hold(struct sparse *sparse, bool positive)
{
  const cholmod_factor *numeric = sparse->numeric;
  const int *start = numeric->p, *count = numeric->nz, *row = numeric->i, *order = numeric->Perm;
  const double *values = numeric->x, *diagonal = sparse->matrix.x;
  const int *column_start = sparse->matrix.p;
  int n = (int)numeric->n;
  for (int j = 0; j < n; j++)
    sparse->magnitude[j] = fabs(diagonal[column_start[order[j]]]);
  for (int j = 0; j < n; j++) {
    double lead = values[start[j]], pivot = positive ? lead * lead : lead;
    if (!isfinite(pivot) || !(fabs(pivot) > DC_PIVOT_TOLERANCE * sparse->magnitude[j]))
      return false;
    for (int k = start[j] + 1; !positive && k < start[j] + count[j]; k++)
      sparse->magnitude[row[k]] += values[k] * values[k] * fabs(pivot);
  }
  return true;
}

// Factors LL^T, or LDL^T when the matrix need not be positive definite; fails when pivots are too small.
static enum dc_status factor(void *state, const struct dc_symmetric_matrix *matrix, bool positive)
{
  (void)matrix;  // CHOLMOD reads its columns through the view
  struct sparse *sparse = state;
  cholmod_common *common = &sparse->common;
  cholmod_free_factor(&sparse->numeric, common);
  common->status = CHOLMOD_OK;
  common->final_ll = positive;
  sparse->numeric = cholmod_copy_factor(sparse->symbolic, common);
  if (!sparse->numeric || !cholmod_factorize(&sparse->matrix, sparse->numeric, common))
    return common->status == CHOLMOD_OUT_OF_MEMORY ? DC_MEMORY : DC_NUMERICAL;
  const cholmod_factor *numeric = sparse->numeric;
  bool complete = common->status == CHOLMOD_OK && numeric->minor == numeric->n && !numeric->is_super &&
                  numeric->xtype == CHOLMOD_REAL && numeric->is_ll == positive;
  return complete && pivots_hold(sparse, positive) ? DC_OK : DC_NUMERICAL;
}

// P A P^T = L L^T or L D L^T: permute, solve forward and backward, permute back.  The first entry of column j is L_jj
// or d_j.
static void solve(void *state, double *x)
{
  struct sparse *sparse = state;
  const cholmod_factor *numeric = sparse->numeric;
  const int *start = numeric->p, *count = numeric->nz, *row = numeric->i, *order = numeric->Perm;
  const double *values = numeric->x;
  double *y = sparse->permuted;
  int n = (int)numeric->n;
  for (int j = 0; j < n; j++)
    y[j] = x[order[j]];
  for (int j = 0; j < n; j++) {
    if (numeric->is_ll)
      y[j] /= values[start[j]];
    for (int k = start[j] + 1; k < start[j] + count[j]; k++)
      y[row[k]] -= values[k] * y[j];
  }
  for (int j = n - 1; j >= 0; j--) {
    if (!numeric->is_ll)
      y[j] /= values[start[j]];
    for (int k = start[j] + 1; k < start[j] + count[j]; k++)
      y[j] -= values[k] * y[row[k]];
    if (numeric->is_ll)
      y[j] /= values[start[j]];
  }
  for (int j = 0; j < n; j++)
    x[order[j]] = y[j];
}

const struct dc_linear_backend dc_linear_sparse = {
    .name = "sparse", .create = create, .destroy = destroy, .factor = factor, .solve = solve};
