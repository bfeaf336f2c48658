// SPDX-License-Identifier: Apache-2.0
// The matrix of projective dynamics as a preconditioner.
//
// Projective dynamics solves with M/h^2 + sum w V G^T G: one number for every pair of nodes, times the identity in
// space (paper 004, Eq. 24).  For any matrix of 3x3 blocks, P is made of a third of the traces of its blocks.  At rest
// it equals that matrix with w = (4 mu + lambda)/3, pins, bending and viscosity included.  P is positive semidefinite
// where the matrix is, and its factor has a ninth of the numbers.
//
// Contact C = B B^T, blocks of few nodes, is added by Woodbury's identity (paper 004, Eq. 27), in a form without the
// inverse of C, which may be singular.  With the columns U of the identity at these nodes,
//
//     (P + U B B^T U^T)^-1 = P^-1 - P^-1 U B (I + B^T W B)^-1 B^T U^T P^-1,   W = U^T P^-1 U.
#include "math/linear_projective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_backend.h"
#include "math/vector.h"

static const double LEAST_CONTACT = 1e-6;  // blocks of C below this part of a node's own stiffness are ignored

struct dc_projective {
  struct dc_arena *arena;
  int blocks;
  struct dc_symmetric_matrix *scalar;
  double *x, *y;  // [3][blocks] by axes
  bool corrects;
  int contact_count, capacity;        // nodes in contact; size of the arrays for them
  int *nodes, *wanted;                // [blocks] nodes whose W is known, and nodes in contact now
  double *delassus;                   // [capacity][capacity] W, grown when needed
  double (*roots)[9];                 // [blocks] B
  double *right;                      // [3 blocks]
  struct dc_symmetric_matrix *small;  // I + B^T W B
};

void dc_projective_destroy(struct dc_projective *projective)
{
  if (!projective)
    return;
  dc_symmetric_destroy(projective->scalar);
  dc_symmetric_destroy(projective->small);
  free(projective->delassus);
  dc_arena_destroy(projective->arena);
}

// Creates the preconditioner: one scalar matrix with the pattern of the blocks, which serves all three axes.
struct dc_projective *dc_projective_create(const struct dc_symmetric_matrix *matrix, bool contact)
{
  int blocks = matrix->block_count, pairs = matrix->block_start[blocks];
  struct dc_arena *arena = dc_arena_create();
  struct dc_projective *projective = dc_arena_alloc(arena, 1, sizeof *projective);
  int *sizes = dc_alloc((size_t)blocks, sizeof *sizes), (*between)[2] = dc_alloc((size_t)pairs, sizeof *between);
  bool complete = projective && sizes && between;
  for (int column = 0; column < blocks && complete; column++) {
    sizes[column] = 1;
    for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++) {
      between[k][0] = matrix->block_row[k];
      between[k][1] = column;
    }
  }
  if (complete) {
    size_t n = (size_t)blocks;
    *projective = (struct dc_projective){
        .arena = arena,
        .blocks = blocks,
        .corrects = contact,
        .scalar = dc_symmetric_create(blocks, sizes, pairs, (const int(*)[2])between, DC_SOLVER_SUPERNODAL),
        .x = dc_arena_alloc(arena, 3 * n, sizeof(double)),
        .y = dc_arena_alloc(arena, 3 * n, sizeof(double)),
        .nodes = dc_arena_alloc(arena, n, sizeof(int)),
        .wanted = dc_arena_alloc(arena, n, sizeof(int)),
        .roots = dc_arena_alloc(arena, n, sizeof *projective->roots),
        .right = dc_arena_alloc(arena, 3 * n, sizeof(double))};
    complete = projective->scalar && !dc_arena_failed(arena);
  }
  free(sizes);
  free(between);
  if (complete)
    return projective;
  if (projective)
    dc_symmetric_destroy(projective->scalar);
  dc_arena_destroy(arena);
  return NULL;
}

// A third of the trace of a stored block; k < 0: of the diagonal block.
static double mean_of(const struct dc_symmetric_matrix *matrix, int column, int k)
{
  const int *start = matrix->column_start + matrix->offsets[column];
  double sum = 0;
  for (int j = 0; j < 3; j++)
    sum += matrix->values[k < 0 ? start[j] : start[j] + 3 - j + matrix->block_below[k] + j];
  return sum / 3;
}

// Fills P from the traces and factors it.
static bool factor(struct dc_projective *projective, const struct dc_symmetric_matrix *matrix)
{
  dc_symmetric_clear(projective->scalar);
  for (int column = 0; column < projective->blocks; column++) {
    double mean = mean_of(matrix, column, -1);
    dc_symmetric_add_block(projective->scalar, column, column, 1, &mean, 1);
    for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++) {
      mean = mean_of(matrix, column, k);
      dc_symmetric_add_block(projective->scalar, matrix->block_row[k], column, 1, &mean, 1);
    }
  }
  projective->contact_count = 0;
  return dc_symmetric_factor_positive(projective->scalar) == DC_OK;
}

// Lists nodes in contact and returns their number; c may be NULL.
static int list_contacts(struct dc_projective *projective, const double *c)
{
  const double *own = projective->scalar->values;
  int count = 0;
  for (int i = 0; i < projective->blocks && c; i++) {
    const double *block = c + 9 * (size_t)i;
    if (block[0] + block[4] + block[8] > LEAST_CONTACT * 3 * own[projective->scalar->column_start[i]])
      projective->wanted[count++] = i;
  }
  return count;
}

// Computes W for the nodes in contact, unless these are the same as before.  False: out of memory.
// Each node takes one solve with P, whose right-hand side is 1 at this node; W keeps what the others in contact
// receive.  One number per pair of nodes is enough for all three axes.  Contact changes slowly, so that W often serves
// many solves.
static bool find_delassus(struct dc_projective *projective, int count)
{
  size_t n = (size_t)projective->blocks;
  if (count == projective->contact_count &&
      memcmp(projective->nodes, projective->wanted, (size_t)count * sizeof *projective->nodes) == 0)
    return true;
  if (count > projective->capacity) {
    free(projective->delassus);
    projective->delassus = dc_alloc((size_t)count * (size_t)count, sizeof *projective->delassus);
    projective->capacity = projective->delassus ? count : 0;
  }
  if (count != projective->contact_count || !projective->small) {
    int size = 3 * count;
    dc_symmetric_destroy(projective->small);
    projective->small = dc_symmetric_create(1, &size, 0, NULL, DC_SOLVER_DENSE);
  }
  projective->contact_count = 0;
  if (!projective->delassus || !projective->small)
    return false;
  for (int k = 0; k < count; k++) {
    memset(projective->x, 0, n * sizeof *projective->x);
    projective->x[projective->wanted[k]] = 1;
    dc_symmetric_solve(projective->scalar, projective->x, projective->y, NULL);
    for (int l = 0; l < count; l++)
      projective->delassus[(size_t)k * (size_t)count + (size_t)l] = projective->y[projective->wanted[l]];
  }
  memcpy(projective->nodes, projective->wanted, (size_t)count * sizeof *projective->nodes);
  projective->contact_count = count;
  return true;
}

// Cholesky root B of C = B B^T, lower triangular; pivots that are rounding are set to 0.
static void root_of(const double c[9], double b[9])
{
  double largest = fmax(c[0], fmax(c[4], c[8]));
  memset(b, 0, 9 * sizeof *b);
  for (int j = 0; j < 3; j++) {
    double pivot = c[4 * j];
    for (int k = 0; k < j; k++)
      pivot -= b[3 * j + k] * b[3 * j + k];
    if (!(pivot > DC_PIVOT_TOLERANCE * largest))
      continue;
    b[4 * j] = sqrt(pivot);
    for (int i = j + 1; i < 3; i++) {
      double sum = c[3 * i + j];
      for (int k = 0; k < j; k++)
        sum -= b[3 * i + k] * b[3 * j + k];
      b[3 * i + j] = sum / b[4 * j];
    }
  }
}

// Factors I + B^T W B.
// The 3x3 block of nodes k and l is w_kl B_k^T B_l, plus the identity on the diagonal.
static bool factor_small(struct dc_projective *projective, const double *c)
{
  int count = projective->contact_count;
  double block[9], *whole = dc_alloc(9 * (size_t)count * (size_t)count, sizeof *whole);
  if (!whole)
    return false;
  for (int k = 0; k < count; k++)
    root_of(c + 9 * (size_t)projective->nodes[k], projective->roots[k]);
  for (int k = 0; k < count; k++)
    for (int l = 0; l < count; l++) {
      double transposed[9], w = projective->delassus[(size_t)k * (size_t)count + (size_t)l];
      for (int i = 0; i < 9; i++)
        transposed[i] = projective->roots[k][3 * (i % 3) + i / 3];
      dc_mat_multiply(block, transposed, projective->roots[l]);
      for (int i = 0; i < 9; i++)
        whole[(size_t)(3 * k + i / 3) * 3 * (size_t)count + (size_t)(3 * l + i % 3)] =
            w * block[i] + (k == l && i % 4 == 0);
    }
  dc_symmetric_clear(projective->small);
  dc_symmetric_add_block(projective->small, 0, 0, 1, whole, 3 * count);
  free(whole);
  return dc_symmetric_factor_positive(projective->small) == DC_OK;
}

// P is factored anew only when asked for; W depends on P and on which nodes are in contact, B on the present C.
bool dc_projective_update(struct dc_projective *projective, const struct dc_symmetric_matrix *matrix, bool afresh,
                          const double *c)
{
  if (afresh && !factor(projective, matrix))
    return false;
  int count = projective->corrects ? list_contacts(projective, c) : 0;
  if (count == 0) {
    projective->contact_count = 0;
    return true;
  }
  return find_delassus(projective, count) && factor_small(projective, c);
}

// y <- P^-1 x; y may be x.
static void solve_axes(struct dc_projective *projective, const double *x, double *y)
{
  size_t n = (size_t)projective->blocks;
  for (size_t axis = 0; axis < 3; axis++) {
    for (size_t i = 0; i < n; i++)
      projective->x[i] = x[3 * i + axis];
    dc_symmetric_solve(projective->scalar, projective->x, projective->y, NULL);
    for (size_t i = 0; i < n; i++)
      y[3 * i + axis] = projective->y[i];
  }
}

// y = P^-1 x: one scalar solve per axis; blocks of contact are added by the Woodbury formula, which takes a second one.
// The second solve has the right-hand side x - U B z, with (I + B^T W B) z = B^T U^T P^-1 x from the first.
void dc_projective_apply(struct dc_projective *projective, const double *x, double *y)
{
  int count = projective->contact_count;
  double *right = projective->right;
  solve_axes(projective, x, y);
  if (count == 0)
    return;
  for (int k = 0; k < count; k++)
    dc_mat_apply_transposed(right + 3 * k, projective->roots[k], y + 3 * (size_t)projective->nodes[k]);
  dc_symmetric_solve(projective->small, right, right, NULL);
  memcpy(y, x, 3 * (size_t)projective->blocks * sizeof *y);
  for (int k = 0; k < count; k++) {
    double push[3], *at = y + 3 * (size_t)projective->nodes[k];
    dc_mat_apply(push, projective->roots[k], right + 3 * k);
    dc_vec_sub(at, at, push);
  }
  solve_axes(projective, y, y);
}
