// SPDX-License-Identifier: Apache-2.0
// Unknowns of a symmetric block matrix in groups that no entry but zero couples (linear_groups.c).
#ifndef DC_MATH_LINEAR_GROUPS_H
#define DC_MATH_LINEAR_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

struct dc_symmetric_matrix;

struct dc_linear_groups {
  int count;        // at most one more than there are blocks
  int *start;       // [count + 1] first place of each group
  int *unknown;     // [size] by place: ascending within a group
  int *place;       // [size] by unknown: within its group
  int *of;          // [size] the unknown's group
  uint64_t *bound;  // [size] workspace
};

// Room for a matrix; false: out of memory.
bool dc_linear_groups_create(struct dc_linear_groups *groups, const struct dc_symmetric_matrix *matrix);
void dc_linear_groups_destroy(struct dc_linear_groups *groups);
void dc_linear_groups_find(struct dc_linear_groups *groups, const struct dc_symmetric_matrix *matrix);

#endif
