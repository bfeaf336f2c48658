// SPDX-License-Identifier: Apache-2.0
// Baselines for nearest points of edges (paper 001, V-2): the same box-constrained problem with a logarithmic barrier,
// solved by iteration.
#ifndef BENCH_EDGE_BASELINES_H
#define BENCH_EDGE_BASELINES_H

// ends [12] as in contact/kernels/manifold_kernels.h; lambda as there; barrier: coefficient of the logarithms, of the
// problem scaled to edges of length 1.  Both return the number of iterations, -1 when they did not converge.

// Primal-dual interior point method (Newton on the KKT conditions), to residuals of 1e-10.
int dc_edge_interior_point(const double ends[12], double lambda, double barrier, double alpha[2]);
// L-BFGS with memory 5 and backtracking on objective plus barrier, to gradients of 1e-8.
int dc_edge_lbfgs(const double ends[12], double lambda, double barrier, double alpha[2]);
// The exact solution by cases, nothing smoothed.
void dc_edge_exact(const double ends[12], double alpha[2]);

#endif
