// SPDX-License-Identifier: Apache-2.0
// Speed of the triangle-pair kernels beside the paper's own formulation, measured in one run.
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include "base/status.h"

enum { DC_BENCH_KERNELS = 3 };

// Triangle pairs per second on one core, for order 0 (energy), 1 (and gradient), 2 (and Hessian): medians of several
// repetitions.
struct dc_pair_rate {
  const char *name;                         // of the kernel, or "paper"
  int width;                                // doubles per vector
  double cold[3];                           // no remembered plane
  double warm[3];                           // from the plane of a pose that differs by 3 % of the gap
  double cold_iterations, warm_iterations;  // mean Newton iterations per solve (of a group of width pairs)
};

struct dc_pair_rates {
  int kernels;  // rows used of kernel
  struct dc_pair_rate kernel[DC_BENCH_KERNELS];
  struct dc_pair_rate paper;
};

// Times all kernels this processor runs and dc_paper_pair on the same 4096 random pairs whose gaps are spread over
// 1e-2 ... 1 of their size, on the calling thread; takes about a second.  DC_MEMORY, DC_NUMERICAL (some pair did not
// converge).
enum dc_status dc_bench_pairs(struct dc_pair_rates *rates, struct dc_error *error);

// The potential as paper 000, section 4 states it, in plain scalar code: damped Newton over the four plane parameters
// of
//     12 / (1 - |n|) + sum over both triangles of 1 / (+-(n.x + d)),
// derivatives by the implicit function theorem.  It is the base line of the benchmark and a second opinion for tests;
// it loses digits, and convergence, where gaps are below 1e-6 of the size.
//
// vertices: triangle a, then b, relative to c_a.  plane: start (n, d) in, optimum out, in units of length; n = 0:
// start from the separating-axis test.  *energy: P - 12, INFINITY where the triangles touch or cross; gradient [6]
// and hessian [21] (lower triangle, row by row) for a twist of a about c_a, of orders 1 and 2 and left alone
// otherwise. Returns the number of Newton iterations, or -1 when they did not converge.
int dc_paper_pair(const double vertices[6][3], double length, int order, double plane[4], double *energy,
                  double gradient[6], double hessian[21]);

#endif
