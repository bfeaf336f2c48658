// SPDX-License-Identifier: Apache-2.0
// The matrix of projective dynamics as a preconditioner, with or without a correction by contact.  Private to src/math.
#ifndef DC_MATH_LINEAR_PROJECTIVE_H
#define DC_MATH_LINEAR_PROJECTIVE_H

#include "math/linear_solver.h"

struct dc_projective;

// Creates the preconditioner for matrices of that pattern, all of whose blocks are 3x3.  contact: with Woodbury's
// correction.  NULL: out of memory.
struct dc_projective *dc_projective_create(const struct dc_symmetric_matrix *matrix, bool contact);
void dc_projective_destroy(struct dc_projective *projective);
// Takes the values of the matrix (afresh) and the blocks c [blocks][9] of C (NULL: none).  False: not positive
// definite, or out of memory.
bool dc_projective_update(struct dc_projective *projective, const struct dc_symmetric_matrix *matrix, bool afresh,
                          const double *c);
// y <- (P + C)^-1 x, [size] and apart.
void dc_projective_apply(struct dc_projective *projective, const double *x, double *y);

#endif
