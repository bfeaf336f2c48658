// SPDX-License-Identifier: Apache-2.0
// The steps of a derivative of a witness point, in the frame of its solid.  Private to the derivatives, their
// tests and what measures their times.
#ifndef DC_GEOMETRY_WITNESS_LOCAL_H
#define DC_GEOMETRY_WITNESS_LOCAL_H

#include "geometry/convex/witness_derivative.h"

// One side of a query in the frame of its solid.
struct dc_witness_local {
  double own[3];     // the witness point of this solid, m
  double offset[3];  // from it to that of the other solid, m
  double normal[3];  // unit, out of this solid
  double radius;     // where points are taken from, m
  double distance;   // signed, of the query, m
  int part;          // of this solid
};

// Side `side` of a query in the frame of its solid; target: where its point should be, world, m.
void dc_witness_localize(const struct dc_witness_settings *settings, const struct dc_witness_solid *solid,
                         const struct dc_placement *placement, const struct dc_witness *witness, int side,
                         const double target[3], const struct dc_witness_draw *draw, struct dc_witness_local *local);

// Points relative to the witness point, m.
struct dc_witness_points {
  int count;
  double x[DC_WITNESS_SAMPLES_MOST], y[DC_WITNESS_SAMPLES_MOST], z[DC_WITNESS_SAMPLES_MOST];
};

// Draws settings->samples points with replacement from the candidates and the witness point itself.  For adaptive and
// fixed sampling, candidates are samples within local->radius whose normals are within 120 degrees of local->normal; if
// there are fewer than a quarter of the points, that many nearest ones are taken (paper 002, section IV-C).  key
// identifies the draw.
void dc_witness_sample(const struct dc_witness_settings *settings, const struct dc_witness_solid *solid,
                       const struct dc_witness_local *local, uint64_t key, struct dc_witness_points *points);

// The smoothed point relative to the witness point, m, and how it follows the other one, which is at offset from the
// witness point.  Of samples that are equally far from that to rounding: their mean, which follows nothing.
void dc_witness_smooth(const struct dc_witness_settings *settings, const struct dc_witness_points *points,
                       const double offset[3], double mean[3], double follow[9]);

// The same of the score <v, y> / 1e-3, y = offset, or -offset when distance < 0.
void dc_witness_smooth_direction(const struct dc_witness_points *points, const double offset[3], double distance,
                                 double mean[3], double follow[9]);

// How the closest point of the convex part follows a point: the projection onto its face or its edge, 0 at a vertex.
void dc_witness_follow_exactly(const struct dc_solid *solid, const struct dc_witness_local *local, double follow[9]);

#endif
