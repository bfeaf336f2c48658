// SPDX-License-Identifier: Apache-2.0
// Thin singular value decomposition of a matrix of any size.
#ifndef DC_MATH_SVD_H
#define DC_MATH_SVD_H

#include "base/status.h"

// The thin decomposition a = u diag(s) v^T of a [rows][columns], k = min(rows, columns): s [k] falling, u [k][rows] and
// v [k][columns] hold one singular vector after the other; a is destroyed.  The same bits whatever the number of
// threads.  DC_NUMERICAL when a is not finite or nothing converges, DC_MEMORY.
enum dc_status dc_svd(int rows, int columns, double *a, double *s, double *u, double *v, struct dc_error *error);

#endif
