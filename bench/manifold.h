// SPDX-License-Identifier: Apache-2.0
// Speed of contact manifolds on one core (paper 001, V-2, V-3): nearest points (bench/nearest.h) and whole manifolds
// of two figures beside GJK and clipped polygons between their hulls.
#ifndef BENCH_MANIFOLD_H
#define BENCH_MANIFOLD_H

#include "bench/nearest.h"

enum { DC_MANIFOLD_FIGURES = 8 };

// Rates for two figures at random poses.
struct dc_figure_rate {
  int parts, vertices, edges, vertex_contacts, edge_contacts;
  const char *options;            // "", "no edges", "one-sided", ...
  double forward, with_gradient;  // s of processor time; the gradient is that of the mean distance by 12 numbers
  // The same figures as convex hulls of at most 31 vertices (bench/hull_manifold.h): all pairs of hulls, those whose
  // balls meet, s; how many contacts these find, medians.  Of rows without options, else 0.
  double hulls, near_hulls;
  int hull_contacts, near_hull_contacts;
};

struct dc_manifold_rates {
  struct dc_nearest_rate nearest[DC_NEAREST_METHODS];
  int figures;
  struct dc_figure_rate figure[DC_MANIFOLD_FIGURES];
};

// Takes about a minute and 400 MB.  DC_MEMORY.
enum dc_status dc_bench_manifold(struct dc_manifold_rates *rates, struct dc_error *error);

#endif
