// SPDX-License-Identifier: Apache-2.0
// Solutions of (A + C) x = b by iteration, for matrices of 3x3 blocks, C block diagonal.  Blocks of 6, 9, ... unknowns,
// such as those of free bodies, count as several of 3 (view_of).
//
// Conjugate gradients with sweeps use the preconditioner M = (D + L) D^-1 (D + L^T), a symmetric Gauss-Seidel sweep
// over the blocks of A + C = L + D + L^T.  With z = (D + L^T) x the system is
//
//     (D + L)^-1 (A + C) (D + L^T)^-1 z = (D + L)^-1 b,   preconditioned by D.
//
// Because A + C = (D + L) + (D + L^T) - D, its product with p costs two triangular solves, no more than a plain product
// with A (Eisenstat 1981):
//
//     t = (D + L^T)^-1 p,   p -> t + (D + L)^-1 (p - D t).
//
// Other methods apply A + C and their preconditioner one after the other.  The iterations themselves stand in
// linear_krylov.c.
#include "math/linear_iterative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_backend.h"
#include "math/linear_coarse.h"
#include "math/linear_projective.h"
#include "math/vector.h"

// A matrix in blocks of 3 unknowns, wherever they stand in its own.  The lists are those of the matrix where all of its
// blocks have 3; an entry (i, j) of an off-diagonal block is value column_start[3 column + j] + 3 - j + below + i.
struct view {
  int *column_start;
  double *values;
  const int *block_start, *block_row, *block_below;
};

struct dc_block_solver {
  struct dc_arena *arena;
  struct dc_symmetric_matrix *matrix;
  struct view view;
  struct dc_block_method method;
  int blocks;
  // The blocks left of the diagonal, row by row: their columns and their places in the values.
  int *row_start, *row_column;  // [blocks + 1], [block_start[blocks]]
  struct dc_block_place *row_place;
  double *diagonal, *inverse;  // [blocks][9] D and D^-1
  double *right, *t;           // [size]
  struct dc_krylov *krylov;
  struct dc_projective *projective;  // NULL: another preconditioner
  struct dc_coarse *coarse;          // NULL: another preconditioner
  const double *places;              // positions of nodes for the coarse space, or NULL
  bool afresh;                       // preconditioners are to be made from the present values
  const double *added;               // C of the present system, or NULL
};

double *dc_symmetric_values(struct dc_symmetric_matrix *matrix)
{
  return matrix->values;
}

// Finds the place of the k-th block below the diagonal of a column; k < 0: of the diagonal block.
static struct dc_block_place place_of(const struct dc_symmetric_matrix *matrix, int column, int k)
{
  struct dc_block_place place;
  const int *start = matrix->column_start + matrix->offsets[column];
  for (int j = 0; j < 3; j++)
    place.at[j] = start[j] + (k < 0 ? 0 : 3 - j + matrix->block_below[k]);
  return place;
}

bool dc_symmetric_place(const struct dc_symmetric_matrix *matrix, int row, int column, struct dc_block_place *place)
{
  int k = row == column ? -1 : dc_symmetric_find_block(matrix, row, column);
  *place = place_of(matrix, column, k);
  return row == column || k >= 0;
}

// The same of a view.
static struct dc_block_place place_in(const struct view *view, int column, int k)
{
  struct dc_block_place place;
  for (int j = 0; j < 3; j++)
    place.at[j] = view->column_start[3 * (size_t)column + (size_t)j] + (k < 0 ? 0 : 3 - j + view->block_below[k]);
  return place;
}

// Whether all blocks have so many unknowns, or a multiple of it.
static bool all_blocks(const struct dc_symmetric_matrix *matrix, bool multiple)
{
  bool all = true;
  for (int i = 0; i < matrix->block_count; i++) {
    int size = matrix->offsets[i + 1] - matrix->offsets[i];
    all &= multiple ? size % 3 == 0 : size == 3;
  }
  return all;
}

// Lists the blocks of 3 unknowns below the diagonal, column by column, into arrays unless these are NULL; returns their
// number.  In its own block a column of part p meets the parts behind it, then all parts of the blocks below.
static int list_view(const struct dc_symmetric_matrix *matrix, int *block_start, int *block_row, int *block_below)
{
  int count = 0, column = 0;
  for (int block = 0; block < matrix->block_count; block++) {
    int first = matrix->offsets[block], parts = (matrix->offsets[block + 1] - first) / 3;
    for (int p = 0; p < parts; p++, column++) {
      if (block_start)
        block_start[column] = count;
      for (int r = p + 1; r < parts; r++, count++)
        if (block_row)
          block_row[count] = first / 3 + r, block_below[count] = 3 * (r - p - 1);
      for (int k = matrix->block_start[block]; k < matrix->block_start[block + 1]; k++) {
        int row = matrix->block_row[k], from = matrix->offsets[row];
        for (int r = 0; r < (matrix->offsets[row + 1] - from) / 3; r++, count++)
          if (block_row)
            block_row[count] = from / 3 + r, block_below[count] = 3 * (parts - p - 1) + matrix->block_below[k] + 3 * r;
      }
    }
  }
  if (block_start)
    block_start[column] = count;
  return count;
}

// Blocks of 6 and more are seen as several of 3 by lists of their own; values stay where they are.
static bool view_of(const struct dc_symmetric_matrix *matrix, struct dc_arena *arena, struct view *view)
{
  *view = (struct view){matrix->column_start, matrix->values, matrix->block_start, matrix->block_row,
                        matrix->block_below};
  if (all_blocks(matrix, false))
    return true;
  size_t below = (size_t)list_view(matrix, NULL, NULL, NULL);
  int *start = dc_arena_alloc(arena, (size_t)matrix->size / 3 + 1, sizeof *start),
      *row = dc_arena_alloc(arena, below, sizeof *row), *above = dc_arena_alloc(arena, below, sizeof *above);
  if (!start || !row || !above)
    return false;
  list_view(matrix, start, row, above);
  view->block_start = start, view->block_row = row, view->block_below = above;
  return true;
}

void dc_block_solver_destroy(struct dc_block_solver *solver)
{
  if (!solver)
    return;
  dc_krylov_destroy(solver->krylov);
  dc_projective_destroy(solver->projective);
  dc_coarse_destroy(solver->coarse);
  dc_arena_destroy(solver->arena);
}

// Lists the off-diagonal blocks by rows, from the list by columns.
static void list_rows(struct dc_block_solver *solver)
{
  const struct view *view = &solver->view;
  int *start = solver->row_start;
  for (int k = 0; k < view->block_start[solver->blocks]; k++)
    start[view->block_row[k] + 1]++;
  for (int i = 0; i < solver->blocks; i++)
    start[i + 1] += start[i];
  for (int column = 0; column < solver->blocks; column++)
    for (int k = view->block_start[column]; k < view->block_start[column + 1]; k++) {
      int at = start[view->block_row[k]]++;
      solver->row_column[at] = column;
      solver->row_place[at] = place_in(view, column, k);
    }
  memmove(start + 1, start, (size_t)solver->blocks * sizeof *start);
  start[0] = 0;
}

// Creates the Krylov method and the preconditioner; false: out of memory.
static bool create_method(struct dc_block_solver *solver, const struct dc_symmetric_matrix *matrix)
{
  enum dc_preconditioner preconditioner = solver->method.preconditioner;
  bool projects = preconditioner == DC_PRECONDITION_PROJECTIVE || preconditioner == DC_PRECONDITION_WOODBURY;
  solver->krylov = dc_krylov_create(matrix->size, solver->method.krylov, dc_block_method_sweeps(solver->method));
  if (projects)
    solver->projective = dc_projective_create(matrix, preconditioner == DC_PRECONDITION_WOODBURY);
  if (preconditioner == DC_PRECONDITION_TWO_LEVEL)
    solver->coarse = dc_coarse_create(matrix);
  return solver->krylov && (!projects || solver->projective) &&
         (preconditioner != DC_PRECONDITION_TWO_LEVEL || solver->coarse);
}

// Creates an iterative solver for a matrix of blocks of 3 unknowns, or of multiples for sweeps; NULL when it has
// others, or memory runs out.
struct dc_block_solver *dc_block_solver_create(struct dc_symmetric_matrix *matrix, struct dc_block_method method)
{
  if (!all_blocks(matrix, dc_block_method_sweeps(method)))
    return NULL;
  struct dc_arena *arena = dc_arena_create();
  struct dc_block_solver *solver = dc_arena_alloc(arena, 1, sizeof *solver);
  struct view view;
  if (!solver || !view_of(matrix, arena, &view)) {
    dc_arena_destroy(arena);
    return NULL;
  }
  size_t blocks = (size_t)matrix->size / 3, size = (size_t)matrix->size, below = (size_t)view.block_start[blocks];
  *solver = (struct dc_block_solver){.arena = arena,
                                     .matrix = matrix,
                                     .view = view,
                                     .method = method,
                                     .afresh = true,
                                     .blocks = matrix->size / 3,
                                     .row_start = dc_arena_alloc(arena, blocks + 1, sizeof *solver->row_start),
                                     .row_column = dc_arena_alloc(arena, below, sizeof *solver->row_column),
                                     .row_place = dc_arena_alloc(arena, below, sizeof *solver->row_place),
                                     .diagonal = dc_arena_alloc(arena, 9 * blocks, sizeof(double)),
                                     .inverse = dc_arena_alloc(arena, 9 * blocks, sizeof(double)),
                                     .right = dc_arena_alloc(arena, size, sizeof(double)),
                                     .t = dc_arena_alloc(arena, size, sizeof(double))};
  if (dc_arena_failed(arena) || !create_method(solver, matrix)) {
    dc_block_solver_destroy(solver);
    return NULL;
  }
  list_rows(solver);
  return solver;
}

// Only the lower triangle of a diagonal block is stored: the upper one is its mirror image.
void dc_block_diagonal(const struct dc_block_solver *solver, int node, double block[9])
{
  const double *values = solver->view.values;
  struct dc_block_place place = place_in(&solver->view, node, -1);
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++)
      block[3 * i + j] = block[3 * j + i] = values[place.at[j] + i - j];
}

// sum += B v and sum += B^T v of a stored block
static inline void add_product(const double *values, const struct dc_block_place *place, const double *v, double *sum)
{
  const double *a = values + place->at[0], *b = values + place->at[1], *c = values + place->at[2];
  for (int i = 0; i < 3; i++)
    sum[i] += a[i] * v[0] + b[i] * v[1] + c[i] * v[2];
}

static inline void add_transposed(const double *values, const struct dc_block_place *place, const double *v,
                                  double *sum)
{
  for (int j = 0; j < 3; j++)
    sum[j] += dc_vec_dot(values + place->at[j], v);
}

// Blocks below the node's diagonal are stored in its column, those to the left in its row as transposes.
void dc_block_add_row(const struct dc_block_solver *solver, int node, const double move[3], double *sum)
{
  const struct view *view = &solver->view;
  for (int k = view->block_start[node]; k < view->block_start[node + 1]; k++) {
    struct dc_block_place place = place_in(view, node, k);
    add_product(view->values, &place, move, sum + 3 * (size_t)view->block_row[k]);
  }
  for (int k = solver->row_start[node]; k < solver->row_start[node + 1]; k++)
    add_transposed(view->values, &solver->row_place[k], move, sum + 3 * (size_t)solver->row_column[k]);
}

void dc_block_set_diagonal(const struct dc_block_solver *solver, int node, const double block[9])
{
  struct dc_block_place place = place_in(&solver->view, node, -1);
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++)
      solver->view.values[place.at[j] + i - j] = block[3 * i + j];
}

// Inverts a symmetric positive definite 3x3 matrix by cofactors; false when it is not positive definite.
static bool invert(const double m[9], double inverse[9])
{
  double minor = m[0] * m[4] - m[1] * m[1];
  dc_vec_cross(inverse, m + 3, m + 6);
  dc_vec_cross(inverse + 3, m + 6, m);
  dc_vec_cross(inverse + 6, m, m + 3);
  double determinant = dc_vec_dot(m, inverse);
  if (!(m[0] > 0 && minor > 0 && determinant > 0))
    return false;
  for (int i = 0; i < 9; i++)
    inverse[i] /= determinant;
  return true;
}

// D = diagonal of A + C, and its inverse; false when a block is not positive definite.
static bool set_diagonals(struct dc_block_solver *solver, const double *c)
{
  for (int i = 0; i < solver->blocks; i++) {
    double *block = solver->diagonal + 9 * (size_t)i;
    dc_block_diagonal(solver, i, block);
    for (int k = 0; k < 9 && c; k++)
      block[k] += c[9 * (size_t)i + (size_t)k];
    if (!invert(block, solver->inverse + 9 * (size_t)i))
      return false;
  }
  return true;
}

// x <- (D + L)^-1 x
static void solve_lower(const struct dc_block_solver *solver, double *x)
{
  const struct view *view = &solver->view;
  const double *values = view->values;
  const int *row = view->block_row, *first = view->block_start;
  for (int column = 0; column < solver->blocks; column++) {
    double y[3], *at = x + 3 * (size_t)column;
    dc_mat_apply(y, solver->inverse + 9 * (size_t)column, at);
    dc_vec_copy(at, y);
    const int *start = view->column_start + 3 * (size_t)column, *below = view->block_below;
    const double *a = values + start[0] + 3, *b = values + start[1] + 2, *c = values + start[2] + 1;
    const double y0 = y[0], y1 = y[1], y2 = y[2];
    for (int k = first[column]; k < first[column + 1]; k++) {
      double *to = x + 3 * (size_t)row[k];
      const double *u = a + below[k], *v = b + below[k], *w = c + below[k];
      double t0 = u[0] * y0 + v[0] * y1 + w[0] * y2, t1 = u[1] * y0 + v[1] * y1 + w[1] * y2,
             t2 = u[2] * y0 + v[2] * y1 + w[2] * y2;
      to[0] -= t0;
      to[1] -= t1;
      to[2] -= t2;
    }
  }
}

// x <- (D + L^T)^-1 x
static void solve_upper(const struct dc_block_solver *solver, double *x)
{
  const struct view *view = &solver->view;
  const double *values = view->values;
  for (int column = solver->blocks - 1; column >= 0; column--) {
    double sum[3], *at = x + 3 * (size_t)column;
    dc_vec_copy(sum, at);
    const int *start = view->column_start + 3 * (size_t)column, *below = view->block_below;
    const double *a = values + start[0] + 3, *b = values + start[1] + 2, *c = values + start[2] + 1;
    for (int k = view->block_start[column]; k < view->block_start[column + 1]; k++) {
      const double *from = x + 3 * (size_t)view->block_row[k];
      int j = below[k];
      sum[0] -= a[j] * from[0] + a[j + 1] * from[1] + a[j + 2] * from[2];
      sum[1] -= b[j] * from[0] + b[j + 1] * from[1] + b[j + 2] * from[2];
      sum[2] -= c[j] * from[0] + c[j + 1] * from[1] + c[j + 2] * from[2];
    }
    dc_mat_apply(at, solver->inverse + 9 * (size_t)column, sum);
  }
}

// y -= L x, or y -= L^T x
static void subtract_strict(const struct dc_block_solver *solver, bool transposed, const double *x, double *y)
{
  const struct view *view = &solver->view;
  const int *row = view->block_row, *first = view->block_start, *below = view->block_below;
  for (int column = 0; column < solver->blocks; column++) {
    const int *start = view->column_start + 3 * (size_t)column;
    const double *a = view->values + start[0] + 3, *b = view->values + start[1] + 2,
                 *c = view->values + start[2] + 1, *own = x + 3 * (size_t)column;
    double *at = y + 3 * (size_t)column;
    for (int k = first[column]; k < first[column + 1]; k++) {
      const double *u = a + below[k], *v = b + below[k], *w = c + below[k], *from = x + 3 * (size_t)row[k];
      double *to = y + 3 * (size_t)row[k];
      if (transposed) {
        at[0] -= dc_vec_dot(u, from);
        at[1] -= dc_vec_dot(v, from);
        at[2] -= dc_vec_dot(w, from);
      } else {
        for (int i = 0; i < 3; i++)
          to[i] -= u[i] * own[0] + v[i] * own[1] + w[i] * own[2];
      }
    }
  }
}

// y = diag(blocks) x, blocks [blocks][9].
static void apply_blocks(const struct dc_block_solver *solver, const double *blocks, const double *x, double *y)
{
  for (size_t i = 0; i < (size_t)solver->blocks; i++)
    dc_mat_apply(y + 3 * i, blocks + 9 * i, x + 3 * i);
}

// y = (D + L)^-1 (A + C) (D + L^T)^-1 p
static void multiply_swept(void *context, const double *p, double *y)
{
  struct dc_block_solver *solver = context;
  int size = solver->matrix->size;
  double *t = solver->t;
  memcpy(t, p, (size_t)size * sizeof *t);
  solve_upper(solver, t);
  apply_blocks(solver, solver->diagonal, t, y);
  for (int i = 0; i < size; i++)
    y[i] = p[i] - y[i];
  solve_lower(solver, y);
  for (int i = 0; i < size; i++)
    y[i] += t[i];
}

// y = D x
static void precondition_swept(void *context, const double *x, double *y)
{
  const struct dc_block_solver *solver = context;
  apply_blocks(solver, solver->diagonal, x, y);
}

// y = (A + C) x
static void multiply(void *context, const double *x, double *y)
{
  const struct dc_block_solver *solver = context;
  dc_symmetric_multiply(solver->matrix, x, y);
  for (size_t i = 0; i < (size_t)solver->blocks && solver->added; i++) {
    double sum[3];
    dc_mat_apply(sum, solver->added + 9 * i, x + 3 * i);
    dc_vec_add(y + 3 * i, y + 3 * i, sum);
  }
}

// y = (two-level preconditioner)^-1 x.  Half a sweep, y = (D + L)^-1 x, leaves the residual -L^T y.  Rigid motions u of
// parts reduce it to r = -L^T y - (D + L + L^T) u, and the other half of the sweep yields y + u + (D + L^T)^-1 r = y +
// (D + L^T)^-1 (-L^T y - L u).
static void precondition_two_level(struct dc_block_solver *solver, const double *x, double *y)
{
  size_t size = (size_t)solver->matrix->size;
  double *half = solver->t, *left = solver->right;
  memcpy(half, x, size * sizeof *x);
  solve_lower(solver, half);
  memset(left, 0, size * sizeof *left);
  subtract_strict(solver, true, half, left);
  dc_coarse_correct(solver->coarse, left, y);
  subtract_strict(solver, false, y, left);
  solve_upper(solver, left);
  for (size_t i = 0; i < size; i++)
    y[i] = half[i] + left[i];
}

// y = M^-1 x
static void precondition(void *context, const double *x, double *y)
{
  struct dc_block_solver *solver = context;
  size_t size = (size_t)solver->matrix->size;
  switch (solver->method.preconditioner) {
  case DC_PRECONDITION_NONE: memcpy(y, x, size * sizeof *y); break;
  case DC_PRECONDITION_JACOBI: apply_blocks(solver, solver->inverse, x, y); break;
  case DC_PRECONDITION_TWO_LEVEL: precondition_two_level(solver, x, y); break;
  case DC_PRECONDITION_PROJECTIVE:
  case DC_PRECONDITION_WOODBURY: dc_projective_apply(solver->projective, x, y); break;
  case DC_PRECONDITION_GAUSS_SEIDEL:
    memcpy(solver->t, x, size * sizeof *x);
    solve_lower(solver, solver->t);
    apply_blocks(solver, solver->diagonal, solver->t, y);
    solve_upper(solver, y);
    break;
  }
}

// Only noted here: the next solution renews what its method needs, with the values of that time.
void dc_block_solver_renew(struct dc_block_solver *solver, const double *places)
{
  solver->afresh = true;
  solver->places = places;
}

// Conjugate gradients in the swept variables z; x = (D + L^T)^-1 z at the end.
static struct dc_iterations solve_swept(struct dc_block_solver *solver, const double *b, double part, int most,
                                        double *x)
{
  const struct dc_linear_map matrix = {multiply_swept, solver}, inverse = {precondition_swept, solver};
  memcpy(solver->right, b, (size_t)solver->matrix->size * sizeof *b);
  solve_lower(solver, solver->right);
  struct dc_iterations done = dc_krylov_solve(solver->krylov, &matrix, &inverse, solver->right, part, most, x);
  solve_upper(solver, x);
  return done;
}

// Solves (A + diag c) x = b to a part of b: the preconditioner is brought up to date first, then conjugate gradients,
// GMRES or sweeps.
struct dc_iterations dc_block_solve(struct dc_block_solver *solver, const double *c, const double *b, double part,
                                    int most, double *x)
{
  const struct dc_linear_map matrix = {multiply, solver}, inverse = {precondition, solver};
  struct dc_iterations done = {.positive = set_diagonals(solver, c)};
  memset(x, 0, (size_t)solver->matrix->size * sizeof *x);
  solver->added = c;
  if (done.positive && solver->projective)
    done.positive = dc_projective_update(solver->projective, solver->matrix, solver->afresh, c);
  if (done.positive && solver->coarse)
    done.positive = dc_coarse_update(solver->coarse, solver->matrix, solver->places, solver->afresh, c);
  if (!done.positive)
    return done;
  solver->afresh = false;
  return dc_block_method_sweeps(solver->method) ? solve_swept(solver, b, part, most, x)
                                                : dc_krylov_solve(solver->krylov, &matrix, &inverse, b, part, most, x);
}
