// SPDX-License-Identifier: Apache-2.0
// A coarse space of rigid motions of parts of a body, for two-level preconditioners.  Private to src/math.
#ifndef DC_MATH_LINEAR_COARSE_H
#define DC_MATH_LINEAR_COARSE_H

#include "math/linear_solver.h"

struct dc_coarse;

// Creates the coarse space for matrices of that pattern, all of whose blocks are 3x3.  NULL: out of memory.
struct dc_coarse *dc_coarse_create(const struct dc_symmetric_matrix *matrix);
void dc_coarse_destroy(struct dc_coarse *coarse);
// Factors Z^T (A + C) Z.  afresh: takes the values of the matrix and the positions [3 blocks] of its nodes (NULL: parts
// only translate), else keeps Z^T A Z as it is.  c [blocks][9] are the blocks of C (NULL: none).  False: not positive
// definite.
bool dc_coarse_update(struct dc_coarse *coarse, const struct dc_symmetric_matrix *matrix, const double *places,
                      bool afresh, const double *c);
// u = Z (Z^T (A + C) Z)^-1 Z^T r, [size]; u may be r.
void dc_coarse_correct(struct dc_coarse *coarse, const double *r, double *u);

#endif
