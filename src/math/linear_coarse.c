// SPDX-License-Identifier: Apache-2.0
// A coarse space of rigid motions, the second level below block sweeps.
//
// Sweeps carry information from node to node only, and need many iterations for bodies that are stiff compared with
// their mass over a time step.  The remaining error has almost no strain: it is nearly rigid in every small part of the
// body.  Therefore connected nodes are grouped into parts of some tens, each with six modes,
//
//     u_i = t + w x (x_i - x_part)/l,   or   u = Z y with rows Z_i = [1, -[(x_i - x_part)/l]x],
//
// and the residual r after a sweep is corrected by u = Z (Z^T (A + C) Z)^-1 Z^T r.  This is two-level multiplicative
// Schwarz with the rigid modes of aggregation (Vanek, Mandel and Brezina 1996), without smoothing of Z.
//
// Steps: list the graph of nodes, grow parts, list the blocks of the coarse matrix (once per pattern); sum Z^T A Z
// (when A is renewed); add Z^T C Z and factor (every solution); restrict, solve, prolong (every application).
#include "math/linear_coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_pairs.h"
#include "base/memory.h"
#include "math/linear_backend.h"
#include "math/vector.h"

// Nodes per part, most parts, and modes per part.  Smaller parts take fewer iterations, but more of them fill the
// coarse matrix, which is factored for every solution.
enum { PART_NODES = 27, MOST_PARTS = 64, MODES = 6 };
// Relative increase of the diagonal: parts of one or two nodes, or of nodes in a line, have fewer than six modes.
static const double REGULAR = 1e-8;

struct dc_coarse {
  struct dc_arena *arena;
  int nodes, parts;
  int *part;                           // [nodes]
  double (*arm)[3];                    // [nodes] (x - x_part)/l
  int block_count;                     // of the coarse matrix: the diagonal ones first
  int (*between)[2];                   // [block_count] parts, the first >= the second
  int *block_of;                       // [blocks of the fine matrix] the coarse block that each adds to
  double (*sums)[MODES * MODES];       // [block_count] Z^T A Z
  struct dc_symmetric_matrix *matrix;  // Z^T (A + C) Z
  double *right;                       // [MODES parts]
};

void dc_coarse_destroy(struct dc_coarse *coarse)
{
  if (!coarse)
    return;
  dc_symmetric_destroy(coarse->matrix);
  dc_arena_destroy(coarse->arena);
}

// Neighbours of every node, start [nodes + 1] and list.
struct graph {
  int *start, *list;
};

// Lists the neighbours of every node in two passes over the pattern: counts, then entries.
static void make_graph(const struct dc_symmetric_matrix *matrix, struct graph *graph)
{
  int nodes = matrix->block_count;
  int *end = graph->start + 1;
  for (int pass = 0; pass < 2; pass++) {
    for (int column = 0; column < nodes; column++)
      for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++) {
        int row = matrix->block_row[k];
        if (pass == 0) {
          end[row + 1]++;
          end[column + 1]++;
        } else {
          graph->list[end[row]++] = column;
          graph->list[end[column]++] = row;
        }
      }
    for (int i = 0; i < nodes && pass == 0; i++)
      end[i + 1] += end[i];
  }
}

// Grows parts breadth first, each from the first node without a part, to at most `most` nodes.  A part that stays below
// a third of that joins a neighbouring part.
static void make_parts(struct dc_coarse *coarse, const struct graph *graph, int *queue)
{
  int most = coarse->nodes / MOST_PARTS > PART_NODES ? coarse->nodes / MOST_PARTS : PART_NODES;
  for (int i = 0; i < coarse->nodes; i++)
    coarse->part[i] = -1;
  for (int seed = 0; seed < coarse->nodes; seed++) {
    int count = 0, next = 0, joined = -1;
    if (coarse->part[seed] >= 0)
      continue;
    queue[count++] = seed;
    coarse->part[seed] = coarse->parts;
    while (next < count) {
      int node = queue[next++];
      for (int k = graph->start[node]; k < graph->start[node + 1]; k++) {
        int other = graph->list[k];
        if (coarse->part[other] >= 0 && coarse->part[other] != coarse->parts)
          joined = coarse->part[other];
        if (coarse->part[other] >= 0 || count == most)
          continue;
        queue[count++] = other;
        coarse->part[other] = coarse->parts;
      }
    }
    if (3 * count >= most || joined < 0)
      coarse->parts++;
    else
      for (int k = 0; k < count; k++)
        coarse->part[queue[k]] = joined;
  }
}

// Orders the parts of a block's row and column: the first >= the second.
static void key_of(const struct dc_coarse *coarse, int row, int column, int key[2])
{
  int a = coarse->part[row], b = coarse->part[column];
  key[0] = a > b ? a : b;
  key[1] = a > b ? b : a;
}

// Lists the blocks of the coarse matrix, and finds for every block of the fine matrix the one it adds to.
static bool list_blocks(struct dc_coarse *coarse, const struct dc_symmetric_matrix *matrix)
{
  int pairs = matrix->block_start[coarse->nodes], count = 0;
  coarse->between = dc_arena_alloc(coarse->arena, (size_t)(coarse->parts + pairs), sizeof *coarse->between);
  coarse->block_of = dc_arena_alloc(coarse->arena, (size_t)pairs, sizeof *coarse->block_of);
  if (dc_arena_failed(coarse->arena))
    return false;
  int(*apart)[2] = coarse->between + coarse->parts;
  for (int p = 0; p < coarse->parts; p++)
    coarse->between[p][0] = coarse->between[p][1] = p;
  for (int column = 0; column < coarse->nodes; column++)
    for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++) {
      key_of(coarse, matrix->block_row[k], column, apart[count]);
      count += apart[count][0] != apart[count][1];
    }
  size_t kept = dc_index_pairs_sort(apart, (size_t)count);
  coarse->block_count = coarse->parts + (int)kept;
  for (int column = 0; column < coarse->nodes; column++)
    for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++) {
      int key[2];
      key_of(coarse, matrix->block_row[k], column, key);
      const int(*at)[2] = key[0] == key[1] ? NULL : bsearch(key, apart, kept, sizeof *apart, dc_index_pair_compare);
      coarse->block_of[k] = at ? (int)(at - (const int(*)[2])coarse->between) : key[0];
    }
  return true;
}

// Allocates everything whose size depends on the pattern; scratch holds temporary arrays.
static bool create(struct dc_coarse *coarse, const struct dc_symmetric_matrix *matrix, struct dc_arena *scratch)
{
  size_t nodes = (size_t)matrix->block_count, pairs = (size_t)matrix->block_start[nodes];
  struct graph graph = {dc_arena_alloc(scratch, nodes + 2, sizeof(int)),
                        dc_arena_alloc(scratch, 2 * pairs, sizeof(int))};
  int *queue = dc_arena_alloc(scratch, nodes, sizeof *queue);
  coarse->nodes = matrix->block_count;
  coarse->part = dc_arena_alloc(coarse->arena, nodes, sizeof *coarse->part);
  coarse->arm = dc_arena_alloc(coarse->arena, nodes, sizeof *coarse->arm);
  if (dc_arena_failed(scratch) || dc_arena_failed(coarse->arena))
    return false;
  make_graph(matrix, &graph);
  make_parts(coarse, &graph, queue);
  int *sizes = dc_arena_alloc(scratch, (size_t)coarse->parts, sizeof *sizes);
  if (!sizes || !list_blocks(coarse, matrix))
    return false;
  for (int p = 0; p < coarse->parts; p++)
    sizes[p] = MODES;
  coarse->sums = dc_arena_alloc(coarse->arena, (size_t)coarse->block_count, sizeof *coarse->sums);
  coarse->right = dc_arena_alloc(coarse->arena, MODES * (size_t)coarse->parts, sizeof *coarse->right);
  coarse->matrix = dc_symmetric_create(coarse->parts, sizes, coarse->block_count - coarse->parts,
                                       (const int(*)[2])(coarse->between + coarse->parts), DC_SOLVER_AUTOMATIC);
  return coarse->matrix && !dc_arena_failed(coarse->arena);
}

// The struct lives in its own arena; temporary lists of the graph are in another one, which ends here.
struct dc_coarse *dc_coarse_create(const struct dc_symmetric_matrix *matrix)
{
  struct dc_arena *arena = dc_arena_create(), *scratch = dc_arena_create();
  struct dc_coarse *coarse = dc_arena_alloc(arena, 1, sizeof *coarse);
  if (coarse)
    coarse->arena = arena;
  bool complete = coarse && create(coarse, matrix, scratch);
  dc_arena_destroy(scratch);
  if (complete)
    return coarse;
  if (coarse)
    dc_symmetric_destroy(coarse->matrix);
  dc_arena_destroy(arena);
  return NULL;
}

// Computes the arms of nodes about the centroid of their part, in units of its size l.
static void set_arms(struct dc_coarse *coarse, const double *places)
{
  double *middle = coarse->right;  // [parts][MODES]: a sum, a count, a size
  memset(middle, 0, MODES * (size_t)coarse->parts * sizeof *middle);
  memset(coarse->arm, 0, (size_t)coarse->nodes * sizeof *coarse->arm);
  for (int i = 0; i < coarse->nodes && places; i++) {
    double *of = middle + MODES * (size_t)coarse->part[i];
    dc_vec_add(of, of, places + 3 * (size_t)i);
    of[3]++;
  }
  for (int i = 0; i < coarse->nodes && places; i++) {
    double *of = middle + MODES * (size_t)coarse->part[i];
    dc_vec_add_scaled(coarse->arm[i], places + 3 * (size_t)i, -1 / of[3], of);
    of[4] = fmax(of[4], dc_vec_norm(coarse->arm[i]));
  }
  for (int i = 0; i < coarse->nodes && places; i++) {
    double size = middle[MODES * (size_t)coarse->part[i] + 4];
    dc_vec_scale(coarse->arm[i], coarse->arm[i], size > 0 ? 1 / size : 0);
  }
}

// sum += Z_i^T B Z_j.  With [r]x v = r x v, the rows of -B [r]x are r x (rows of B), and the columns of [r]x B are r x
// (columns of B).
static void add_modes(const double arm_i[3], const double block[9], const double arm_j[3], double *sum)
{
  double wide[3][MODES];
  for (int k = 0; k < 3; k++) {
    const double *row = block + 3 * k;
    dc_vec_copy(wide[k], row);
    dc_vec_cross(wide[k] + 3, arm_j, row);
  }
  for (int m = 0; m < MODES; m++) {
    double column[3] = {wide[0][m], wide[1][m], wide[2][m]}, turned[3];
    dc_vec_cross(turned, arm_i, column);
    for (int k = 0; k < 3; k++) {
      sum[MODES * k + m] += column[k];
      sum[MODES * (3 + k) + m] += turned[k];
    }
  }
}

// sum += from^T, both [MODES][MODES]: the mirror image of a block of the fine matrix, of which only one is stored.
static void add_transposed(const double *from, double *sum)
{
  for (int k = 0; k < MODES * MODES; k++)
    sum[k] += from[MODES * (k % MODES) + k / MODES];
}

// sums = Z^T A Z, block by block over the fine matrix
static void sum_matrix(struct dc_coarse *coarse, const struct dc_symmetric_matrix *matrix)
{
  const double *values = matrix->values;
  memset(coarse->sums, 0, (size_t)coarse->block_count * sizeof *coarse->sums);
  for (int column = 0; column < coarse->nodes; column++) {
    const int *start = matrix->column_start + 3 * (size_t)column;
    double block[9], product[MODES * MODES];
    for (int j = 0; j < 3; j++)
      for (int i = j; i < 3; i++)
        block[3 * i + j] = block[3 * j + i] = values[start[j] + i - j];
    add_modes(coarse->arm[column], block, coarse->arm[column], coarse->sums[coarse->part[column]]);
    for (int k = matrix->block_start[column]; k < matrix->block_start[column + 1]; k++) {
      int row = matrix->block_row[k], to = coarse->part[row], from = coarse->part[column];
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
          block[3 * i + j] = values[start[j] + 3 - j + matrix->block_below[k] + i];
      memset(product, 0, sizeof product);
      add_modes(coarse->arm[row], block, coarse->arm[column], product);
      double *sum = coarse->sums[coarse->block_of[k]];
      for (int m = 0; m < MODES * MODES && to >= from; m++)
        sum[m] += product[m];
      if (to <= from)
        add_transposed(product, sum);
    }
  }
}

// Sums the matrix over the rigid motions of each part (6 modes), adds the blocks c of nodes, and factors it.
bool dc_coarse_update(struct dc_coarse *coarse, const struct dc_symmetric_matrix *matrix, const double *places,
                      bool afresh, const double *c)
{
  if (afresh) {
    set_arms(coarse, places);
    sum_matrix(coarse, matrix);
  }
  dc_symmetric_clear(coarse->matrix);
  for (int b = 0; b < coarse->block_count; b++)
    dc_symmetric_add_block(coarse->matrix, coarse->between[b][0], coarse->between[b][1], 1, coarse->sums[b], MODES);
  for (int i = 0; i < coarse->nodes && c; i++) {
    const double *block = c + 9 * (size_t)i;
    double sum[MODES * MODES] = {0};
    if (block[0] == 0 && block[4] == 0 && block[8] == 0)
      continue;
    add_modes(coarse->arm[i], block, coarse->arm[i], sum);
    dc_symmetric_add_block(coarse->matrix, coarse->part[i], coarse->part[i], 1, sum, MODES);
  }
  for (int k = 0; k < coarse->matrix->size; k++) {
    double *pivot = &coarse->matrix->values[coarse->matrix->column_start[k]];
    *pivot = *pivot > 0 ? *pivot * (1 + REGULAR) : 1;  // 0: a part of one node does not rotate
  }
  return dc_symmetric_factor_positive(coarse->matrix) == DC_OK;
}

// Coarse correction: sums the residual to forces and torques of parts, solves, and spreads the motions over the nodes.
void dc_coarse_correct(struct dc_coarse *coarse, const double *r, double *u)
{
  double *y = coarse->right, turned[3];
  memset(y, 0, MODES * (size_t)coarse->parts * sizeof *y);
  for (size_t i = 0; i < (size_t)coarse->nodes; i++) {
    double *of = y + MODES * (size_t)coarse->part[i];
    dc_vec_add(of, of, r + 3 * i);
    dc_vec_cross(turned, coarse->arm[i], r + 3 * i);
    dc_vec_add(of + 3, of + 3, turned);
  }
  dc_symmetric_solve(coarse->matrix, y, y, NULL);
  for (size_t i = 0; i < (size_t)coarse->nodes; i++) {
    const double *of = y + MODES * (size_t)coarse->part[i];
    dc_vec_cross(turned, of + 3, coarse->arm[i]);
    dc_vec_add(u + 3 * i, of, turned);
  }
}
