// SPDX-License-Identifier: Apache-2.0
// Residual rows: a loss that is a weighted sum of squared distances from target sets, with the Jacobian of the
// distances.
//
// A group of rows belongs to one thing that has a target, such as a body in a frame.  Its rows d have a weight w and a
// set about 0, a disc or a box, inside which the loss is zero.  With the residual e of the objective, the gradient of
// the loss is 2 sum w J^T e.  Depending on the objective, e is d, d where it lies outside of the disc, or the vector
// from the set to d.
#ifndef DC_MATH_RESIDUALS_H
#define DC_MATH_RESIDUALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { DC_RESIDUAL_AXES = 3 };

struct dc_residual_group {
  int axes;                       // number of rows, at most DC_RESIDUAL_AXES
  double d[DC_RESIDUAL_AXES];     // unit of the objective
  double e[DC_RESIDUAL_AXES];     // residual, see above; same unit
  double weight, value;           // w times the frame's share; contribution to the loss
  double radius;                  // radius of the disc; NAN: the set is a box
  double half[DC_RESIDUAL_AXES];  // half widths of the box
};

struct dc_residual_rows {
  int group_count, row_count, dimension;
  struct dc_residual_group *groups;  // [group_count]
  int *first;                        // [group_count] first row of each group
  double *jacobian;                  // [row_count][dimension]
  bool forward;  // whether the Jacobian was computed by directions (forward), else by rows (adjoint)
  size_t group_capacity, first_capacity, jacobian_capacity;
};

// Makes room, without keeping contents; a new struct is all zeros.  DC_OK or DC_MEMORY.
enum dc_status dc_residual_rows_resize(struct dc_residual_rows *rows, int groups, int row_count, int dimension);
void dc_residual_rows_release(struct dc_residual_rows *rows);

// gradient [dimension] = 2 sum w J^T e.
void dc_residual_gradient(const struct dc_residual_rows *rows, double *gradient);

#endif
