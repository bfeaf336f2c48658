// SPDX-License-Identifier: Apache-2.0
// Sparse factorizations in dense blocks: CHOLMOD's supernodal L L^T (Chen, Davis, Hager and Rajamanickam 2008), for
// patterns that fill in as those of solids do.  The ordering, AMD's or METIS's with fewer operations, is found once, at
// the first factorization: systems solved by iteration may never need one.
//
// BLAS and CHOLMOD run on one thread.  For BLAS, bits must not depend on threads.  CHOLMOD would otherwise start four
// threads for every loop over the rows of a block and wait for all of them, which beside other processes took most of
// the time.  L D L^T of indefinite matrices, which is rare, is left to linear_sparse.c.
#include <cblas.h>
#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "base/memory.h"
#include "math/linear_backend.h"

struct supernodal {
  cholmod_common common;
  cholmod_sparse matrix;     // a view of the caller's columns
  cholmod_factor *factor;    // NULL before the first one; analysed once, numbers replaced by every factorization
  cholmod_dense *x, *y, *e;  // kept by cholmod_solve2
  void *indefinite;          // state of dc_linear_sparse, NULL before it was needed
  bool positive;             // which of the two was factored last
};

// Makes parallel regions run on one thread until resume_threads; returns the setting to restore.
static int pause_threads(void)
{
#ifdef _OPENMP
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  return levels;
#else
  return 0;
#endif
}

static void resume_threads(int levels)
{
#ifdef _OPENMP
  omp_set_max_active_levels(levels);
#else
  (void)levels;
#endif
}

static void destroy(void *state)
{
  struct supernodal *solver = state;
  if (solver->indefinite)
    dc_linear_sparse.destroy(solver->indefinite);
  cholmod_free_factor(&solver->factor, &solver->common);
  cholmod_free_dense(&solver->x, &solver->common);
  cholmod_free_dense(&solver->y, &solver->common);
  cholmod_free_dense(&solver->e, &solver->common);
  cholmod_finish(&solver->common);
  free(solver);
}

// CHOLMOD with supernodes; the ordering is the better one of AMD and METIS.
static void *create(const struct dc_symmetric_matrix *matrix)
{
  openblas_set_num_threads(1);
  struct supernodal *solver = dc_alloc(1, sizeof *solver);
  if (!solver)
    return NULL;
  cholmod_common *common = &solver->common;
  cholmod_start(common);
  common->print = 0;
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->quick_return_if_not_posdef = 1;
  common->nmethods = 2;
  common->method[0].ordering = CHOLMOD_AMD;
  common->method[1].ordering = CHOLMOD_METIS;
  dc_cholmod_view(matrix, &solver->matrix);
  return solver;
}

// The same test as in linear_sparse.c: every pivot is above the rounding of the diagonal entry it was computed from.
static bool pivots_hold(const struct supernodal *solver)
{
  const cholmod_factor *factor = solver->factor;
  const int *first = factor->super, *rows = factor->pi, *start = factor->px, *order = factor->Perm;
  const int *column_start = solver->matrix.p;
  const double *values = factor->x, *diagonal = solver->matrix.x;
  for (size_t s = 0; s < factor->nsuper; s++)
    for (int j = 0, stride = rows[s + 1] - rows[s]; j < first[s + 1] - first[s]; j++) {
      double lead = values[start[s] + (long)j * stride + j], pivot = lead * lead;
      if (!(pivot > DC_PIVOT_TOLERANCE * fabs(diagonal[column_start[order[first[s] + j]]]) && isfinite(pivot)))
        return false;
    }
  return true;
}

// Orders the unknowns once; numbers of operations stand in common.fl afterwards.
static bool analyze(struct supernodal *solver)
{
  if (!solver->factor)
    solver->factor = cholmod_analyze(&solver->matrix, &solver->common);
  return solver->factor;
}

// CHOLMOD counts the operations of the ordering it has chosen.
double dc_linear_supernodal_work(void *state)
{
  struct supernodal *solver = state;
  int levels = pause_threads();
  bool known = analyze(solver);
  resume_threads(levels);
  return known ? solver->common.fl : INFINITY;
}

// Analyzes the pattern once and factors LL^T; matrices that need not be positive definite go to the simplicial backend.
static enum dc_status factor(void *state, const struct dc_symmetric_matrix *matrix, bool positive)
{
  struct supernodal *solver = state;
  cholmod_common *common = &solver->common;
  solver->positive = positive;
  if (!positive) {
    if (!solver->indefinite && !(solver->indefinite = dc_linear_sparse.create(matrix)))
      return DC_MEMORY;
    return dc_linear_sparse.factor(solver->indefinite, matrix, false);
  }
  common->status = CHOLMOD_OK;
  int levels = pause_threads();
  bool done = analyze(solver) && cholmod_factorize(&solver->matrix, solver->factor, common);
  resume_threads(levels);
  if (!done)
    return common->status == CHOLMOD_OUT_OF_MEMORY ? DC_MEMORY : DC_NUMERICAL;
  bool complete = common->status == CHOLMOD_OK && solver->factor->minor == solver->factor->n;
  return complete && pivots_hold(solver) ? DC_OK : DC_NUMERICAL;
}

// Solves in place; NAN when memory runs out.
static void solve(void *state, double *x)
{
  struct supernodal *solver = state;
  if (!solver->positive) {
    dc_linear_sparse.solve(solver->indefinite, x);
    return;
  }
  size_t n = solver->matrix.nrow;
  cholmod_dense b = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = x, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
  int levels = pause_threads();
  bool done =
      cholmod_solve2(CHOLMOD_A, solver->factor, &b, NULL, &solver->x, NULL, &solver->y, &solver->e, &solver->common);
  resume_threads(levels);
  if (done)
    memcpy(x, solver->x->x, n * sizeof *x);
  else
    for (size_t i = 0; i < n; i++)  // out of memory
      x[i] = NAN;
}

const struct dc_linear_backend dc_linear_supernodal = {
    .name = "supernodal", .create = create, .destroy = destroy, .factor = factor, .solve = solve};
