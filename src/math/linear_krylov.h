// SPDX-License-Identifier: Apache-2.0
// Krylov methods for a matrix and a preconditioner that are given by their products with vectors.
#ifndef DC_MATH_LINEAR_KRYLOV_H
#define DC_MATH_LINEAR_KRYLOV_H

#include <stdbool.h>

// CONJUGATE_GRADIENTS: matrix and preconditioner are symmetric and positive definite.  GMRES: any matrix, restarted
// after 50 iterations, preconditioned from the right, so that the residual is the true one (Saad and Schultz 1986; Saad
// 2003, 9.3.2).
enum dc_krylov_method { DC_CONJUGATE_GRADIENTS, DC_GMRES };

// y <- A x, both [size] and apart.
struct dc_linear_map {
  void (*apply)(void *context, const double *x, double *y);
  void *context;
};

// The outcome of a solution.
struct dc_iterations {
  int count;
  bool positive;   // all residuals were finite, no direction had negative curvature (for which GMRES does not look)
  bool converged;  // the residual fell by the part asked for
};

struct dc_krylov;

// Creates a workspace; NULL when out of memory.  own_norm: conjugate gradients measure residuals by sqrt(r . M^-1 r)
// instead of |r|.
struct dc_krylov *dc_krylov_create(int size, enum dc_krylov_method method, bool own_norm);
void dc_krylov_destroy(struct dc_krylov *krylov);
// Solves A x = b, all [size], with M^-1 near A^-1.  It ends when the norm of b - A x is at most `part` of that of b, or
// after `most` iterations, each of which applies both maps once.  x is the last iterate; where !positive, the one
// before.
struct dc_iterations dc_krylov_solve(struct dc_krylov *krylov, const struct dc_linear_map *matrix,
                                     const struct dc_linear_map *inverse, const double *b, double part, int most,
                                     double *x);

#endif
