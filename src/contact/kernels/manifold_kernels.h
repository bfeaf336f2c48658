// SPDX-License-Identifier: Apache-2.0
// Arguments and results of the vector kernels of contact manifolds (docs/theory.md, "Contact manifolds").  Arrays hold
// one number for each pair or point, and their length is a multiple of DC_BATCH.
#ifndef DC_CONTACT_MANIFOLD_KERNELS_H
#define DC_CONTACT_MANIFOLD_KERNELS_H

// Smoothing of the nearest points of two edges; both without unit, for edges scaled to length 1.
struct dc_edge_smoothing {
  double softness;        // of comparing, clipping and choosing
  double regularization;  // lambda: pulls towards the middles
};

// Ends of pairs of edges: start and end of the first (x, y, z each), then of the second.
enum { DC_EDGE_ENDS = 12, DC_EDGE_RESULTS = 3, DC_QUADRICS_MOST = 64 };

// A superquadric in the axes of the points.
struct dc_quadric {
  double position[3], rotation[9];  // of its axes
  double inverse_square[3];         // 1/a^2, 1/b^2, 1/c^2
  double e1, e2, inverse_e1, inverse_e2;
  double least;       // added to |x|^2
  double radius;      // of the ball about its centre that holds it
  double numbers[5];  // as in geometry/implicit/sdf.h: what the others are made of
};

// A smooth union of at most DC_QUADRICS_MOST.
struct dc_quadrics {
  int count;
  const struct dc_quadric *quadrics;
  double softness;  // of the union, m; of one alone it does not matter
};

#endif
