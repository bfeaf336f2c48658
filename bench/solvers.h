// SPDX-License-Identifier: Apache-2.0
// Iterative methods and preconditioners on the systems of a soft body that slides on the ground.
#ifndef BENCH_SOLVERS_H
#define BENCH_SOLVERS_H

#include "base/status.h"
#include "math/linear_iterative.h"

struct dc_solver_row {
  struct dc_block_method method;
  struct dc_iterations done;
  int loose[2];            // iterations until the residual is 1e-4 and 1e-6 of the right-hand side; -1: not in 1000
  double first, again;     // s of processor time for a solution, the preconditioner made for it or at hand
  double residual, apart;  // |b - A x| over |b|, and largest component of x - x_direct over that of x_direct
};

enum { DC_SOLVER_ROWS = 12 };

struct dc_solver_case {
  double young, friction, step;  // Pa, 1, s
  double stiffness;              // (E + viscosity/step) step^2/(density cell^2): of a cell beside its mass in a step
  int nodes, contacts;           // contacts: nodes whose contact is more than 1e-6 of their own stiffness
  double factor, solve;          // s of processor time of a factorization and of a solution by it
  int row_count;  // of rows; above 5000 nodes those that fail on fewer nodes, NONE and PROJECTIVE, are left out
  struct dc_solver_row rows[DC_SOLVER_ROWS];
};

// A cube of cells^3 cubes of 1 cm falls on the ground with 0.5 m/s and slides with 0.5 m/s.  After 8 steps of `step`,
// s, the exact Hessian of the last one, with contact separate, is solved for a random right-hand side.  Iterations end
// at a residual of 1e-10 of it (conjugate gradients with sweeps: in the preconditioner's norm), or after 1000.  young
// in Pa.  Statuses of dc_rollout_forward; DC_MEMORY; DC_NUMERICAL when the Hessian is not positive definite.
enum dc_status dc_bench_solvers(long cells, double young, double friction, double step, struct dc_solver_case *result,
                                struct dc_error *error);

#endif
