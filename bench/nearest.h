// SPDX-License-Identifier: Apache-2.0
// Speed of nearest points on one core (paper 001, V-2): of pairs of edges in the manifold's lanes, beside an interior
// point method and L-BFGS; of vertices and triangles, beside an interior point method.
#ifndef BENCH_NEAREST_H
#define BENCH_NEAREST_H

#include "base/status.h"

enum { DC_NEAREST_METHODS = 8, DC_NEAREST_COUNTS = 5 };

// Processor time of one pair, medians of several repetitions, where so many are computed at a time: once for the last
// number, in parts of a million.  All are drawn from the unit cube.
struct dc_nearest_rate {
  const char *kind, *name;  // "edges" or "faces"
  double nanoseconds[DC_NEAREST_COUNTS];
  double iterations;  // mean, of 10,000 pairs; 0: none
  int failures;       // of the same
};

extern const int dc_nearest_counts[DC_NEAREST_COUNTS];

// Takes about half a minute and 400 MB.  DC_MEMORY.
enum dc_status dc_bench_nearest(struct dc_nearest_rate rates[DC_NEAREST_METHODS], struct dc_error *error);

#endif
