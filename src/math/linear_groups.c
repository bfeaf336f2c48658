// SPDX-License-Identifier: Apache-2.0
// Which unknowns of a symmetric block matrix are coupled at all.  Balls that nothing turns, or bodies that do not feel
// each other, leave zeros where the pattern has room; a factorization of groups that are not coupled costs the sum of
// their cubes, not the cube of the sum.
//
// 1. An unknown is bound if an entry outside of its own block is not zero.
// 2. Within a block whatever is coupled to a bound unknown is bound, too.
// 3. The bound unknowns are one group, what is left of each block is another.
//
// Few unknowns, or groups that save little, stay one group: they gain less than the search costs.
#include "math/linear_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/linear_backend.h"
#include "math/wide.h"

enum { FEW = 32 };                // unknowns
static const double WORTH = 0.5;  // most work that the groups may leave, of that on the whole

typedef uint64_t bits __attribute__((may_alias));
// Four side by side; memory need not be aligned.
typedef uint64_t four __attribute__((vector_size(32)));
typedef uint64_t four_in_memory __attribute__((vector_size(32), aligned(8), may_alias));

bool dc_linear_groups_create(struct dc_linear_groups *groups, const struct dc_symmetric_matrix *matrix)
{
  size_t n = (size_t)matrix->size;
  groups->start = dc_alloc((size_t)matrix->block_count + 2, sizeof *groups->start);
  groups->unknown = dc_alloc(n, sizeof *groups->unknown);
  groups->place = dc_alloc(n, sizeof *groups->place);
  groups->of = dc_alloc(n, sizeof *groups->of);
  groups->bound = dc_alloc(n, sizeof *groups->bound);
  return groups->start && groups->unknown && groups->place && groups->of && groups->bound;
}

void dc_linear_groups_destroy(struct dc_linear_groups *groups)
{
  free(groups->start);
  free(groups->unknown);
  free(groups->place);
  free(groups->of);
  free(groups->bound);
}

// Passes over `height` entries from one row on; returns all their bits but the sign's, so that 0 means none but zero.
static inline uint64_t mark(const bits *values, int height, uint64_t *bound)
{
  uint64_t any = 0;
  four all = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= height; i += 4) {
    four size = *(const four_in_memory *)(values + i) << 1;
    *(four_in_memory *)(bound + i) |= size;
    all |= size;
  }
  for (; i < height; i++) {
    uint64_t size = values[i] << 1;
    bound[i] |= size;
    any |= size;
  }
  return any | all[0] | all[1] | all[2] | all[3];
}

// Marks rows and columns by the entries outside of their own block; block rows that follow each other are one run.
DC_WIDE static void mark_outside(const struct dc_symmetric_matrix *matrix, int block, uint64_t *bound)
{
  int end = matrix->offsets[block + 1], last = matrix->block_start[block + 1];
  for (int j = matrix->offsets[block]; j < end; j++) {
    const bits *values = (const bits *)(matrix->values + matrix->column_start[j] + (end - j));
    for (int k = matrix->block_start[block]; k < last;) {
      int first = matrix->offsets[matrix->block_row[k]], row = matrix->block_row[k];
      for (; k < last && matrix->block_row[k] == row; k++)
        row++;
      int height = matrix->offsets[row] - first;
      bound[j] |= mark(values, height, bound + first);
      values += height;
    }
  }
}

// Passes what is bound on within a block, until nothing changes.
static void spread_within(const struct dc_symmetric_matrix *matrix, int block, uint64_t *bound)
{
  int first = matrix->offsets[block], end = matrix->offsets[block + 1];
  for (bool changed = true; changed;) {
    changed = false;
    for (int j = first; j < end; j++) {
      const double *values = matrix->values + matrix->column_start[j];
      for (int i = j + 1; i < end; i++)
        if (values[i - j] != 0 && !bound[i] != !bound[j]) {
          bound[i] = bound[j] = 1;
          changed = true;
        }
    }
  }
}

// Appends an unknown to the group that is being filled; *next is its place in the list of all.
static void put(struct dc_linear_groups *groups, int group, int unknown, int *next)
{
  groups->of[unknown] = group;
  groups->place[unknown] = *next - groups->start[group];
  groups->unknown[(*next)++] = unknown;
}

// Makes one group of all unknowns.
static void join(struct dc_linear_groups *groups, int size)
{
  int next = 0;
  groups->count = 1;
  groups->start[0] = 0;
  for (int i = 0; i < size; i++)
    put(groups, 0, i, &next);
  groups->start[1] = next;
}

// Sum of the cubes of the groups' sizes, over the cube of the whole.
static double work(const struct dc_linear_groups *groups, int size)
{
  double sum = 0;
  for (int g = 0; g < groups->count; g++)
    sum += pow((double)(groups->start[g + 1] - groups->start[g]) / size, 3);
  return sum;
}

// The steps of the head, in time proportional to the stored entries apart from spread_within, which repeats a block
// until nothing changes.
void dc_linear_groups_find(struct dc_linear_groups *groups, const struct dc_symmetric_matrix *matrix)
{
  int next = 0;
  uint64_t *bound = groups->bound;
  if (matrix->size < FEW) {
    join(groups, matrix->size);
    return;
  }
  memset(bound, 0, (size_t)matrix->size * sizeof *bound);
  for (int block = 0; block < matrix->block_count; block++)
    mark_outside(matrix, block, bound);
  for (int block = 0; block < matrix->block_count; block++)
    spread_within(matrix, block, bound);
  groups->count = 0;
  groups->start[0] = 0;
  for (int i = 0; i < matrix->size; i++)
    if (bound[i])
      put(groups, 0, i, &next);
  if (next > 0)
    groups->start[++groups->count] = next;
  for (int block = 0; block < matrix->block_count; block++) {
    for (int i = matrix->offsets[block]; i < matrix->offsets[block + 1]; i++)
      if (!bound[i])
        put(groups, groups->count, i, &next);
    if (next > groups->start[groups->count])
      groups->start[++groups->count] = next;
  }
  if (work(groups, matrix->size) > WORTH)
    join(groups, matrix->size);
}
