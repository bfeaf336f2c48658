// SPDX-License-Identifier: Apache-2.0
// Storage of residual rows, and the gradient 2 sum w J^T e of their loss.
#include "math/residuals.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

// Arrays only grow, so that objectives evaluated in every step allocate at the first one.
enum dc_status dc_residual_rows_resize(struct dc_residual_rows *rows, int groups, int row_count, int dimension)
{
  size_t count = (size_t)groups;
  rows->group_count = groups;
  rows->row_count = row_count;
  rows->dimension = dimension;
  return dc_grow(&rows->groups, &rows->group_capacity, count, sizeof *rows->groups) ||
                 dc_grow(&rows->first, &rows->first_capacity, count, sizeof *rows->first) ||
                 dc_grow(&rows->jacobian, &rows->jacobian_capacity, (size_t)row_count * (size_t)dimension,
                         sizeof *rows->jacobian)
             ? DC_MEMORY
             : DC_OK;
}

void dc_residual_rows_release(struct dc_residual_rows *rows)
{
  free(rows->groups);
  free(rows->first);
  free(rows->jacobian);
  memset(rows, 0, sizeof *rows);
}

// Rows without residual are skipped: inside of its set a target has neither loss nor gradient.
void dc_residual_gradient(const struct dc_residual_rows *rows, double *gradient)
{
  memset(gradient, 0, (size_t)rows->dimension * sizeof *gradient);
  for (int g = 0; g < rows->group_count; g++) {
    const struct dc_residual_group *group = &rows->groups[g];
    for (int k = 0; k < group->axes; k++) {
      const double *row = rows->jacobian + (size_t)(rows->first[g] + k) * (size_t)rows->dimension;
      for (int i = 0; i < rows->dimension && group->e[k] != 0; i++)
        gradient[i] += 2 * group->weight * group->e[k] * row[i];
    }
  }
}
