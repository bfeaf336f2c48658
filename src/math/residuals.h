// SPDX-License-Identifier: Apache-2.0
// Residual rows: a loss that is a sum of squares of rows that count only outside of a set, with their Jacobian.
//
// A group of rows belongs to one thing that shall be somewhere, such as a body in a frame.  Its rows d have a weight w
// and a set about 0, a disc or a box, within which nothing is wrong.  With the residual e of its objective the gradient
// of the loss is 2 sum w J^T e, whatever e is: d, d where it is outside of the disc, or the way from the set to d.
#ifndef DC_MATH_RESIDUALS_H
#define DC_MATH_RESIDUALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { DC_RESIDUAL_AXES = 3 };

struct dc_residual_group {
  int axes;                    // rows, at most DC_RESIDUAL_AXES
  double d[DC_RESIDUAL_AXES];  // unit of the objective
  double e[DC_RESIDUAL_AXES];
  double weight, value;           // w with the frame's share; what the group adds to the loss
  double radius;                  // of the disc; NAN: a box
  double half[DC_RESIDUAL_AXES];  // half widths of the box
};

struct dc_residual_rows {
  int group_count, row_count, dimension;
  struct dc_residual_group *groups;  // [group_count]
  int *first;                        // [group_count] row
  double *jacobian;                  // [row_count][dimension]
  bool forward;                      // how it was computed: by directions, or by rows
  size_t group_capacity, first_capacity, jacobian_capacity;
};

// Makes room; contents are not kept.  Zeros to begin with.  DC_OK or DC_MEMORY.
enum dc_status dc_residual_rows_resize(struct dc_residual_rows *rows, int groups, int row_count, int dimension);
void dc_residual_rows_release(struct dc_residual_rows *rows);

// gradient [dimension] = 2 sum w J^T e.
void dc_residual_gradient(const struct dc_residual_rows *rows, double *gradient);

#endif
