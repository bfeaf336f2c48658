// SPDX-License-Identifier: Apache-2.0
// Cables: they run through points of soft bodies and the origins of frames of rigid ones, and pull only (paper 004, Eq.
// 3).  A cable is a body without shape and joint; its length is the one coordinate of its actuator, counted from
// `length`.
#ifndef DC_BODY_CABLE_H
#define DC_BODY_CABLE_H

#include "base/options.h"
#include "base/status.h"

struct dc_bodies;
struct dc_body_definition;
struct dc_pose;
struct dc_support;

// "cable" of a body; the option table is dc_cable_options.
struct dc_cable_definition {
  struct dc_index_list through;
  double stiffness;  // N/m
  double smoothing;  // m
  double length;     // m; NAN: that at the start
};
extern const struct dc_option dc_cable_options[];

struct dc_cable {
  int body, actuator;
  int count;
  const int *through;  // [count] bodies whose frames it runs through
  // [count] supports of points on soft bodies; NULL: the point is on a rigid body, which may be fixed
  const struct dc_support **supports;
  double stiffness, smoothing;
  double length;  // m, at which the actuator's coordinate is zero
};

// The cable of a body, or NULL.
const struct dc_cable *dc_cable_of(const struct dc_bodies *bodies, int body);

// Unit vectors along the count - 1 stretches of a cable from point to point, and their lengths, m; returns the sum.
double dc_cable_stretches(const struct dc_cable *cable, const struct dc_pose *poses, double (*along)[3],
                          double *lengths);

// Steps of building bodies: rules, and construction when all frames are at their starts.
enum dc_status dc_cable_check(const struct dc_body_definition *definition, int index, struct dc_error *error);
enum dc_status dc_cables_build(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                               struct dc_arena *arena, struct dc_error *error);

// Lists the pairs of Hessian blocks, mechanisms and nodes, that cables couple, in the form of dc_soft_list_edges.
long dc_cables_list_pairs(const struct dc_bodies *bodies, int (*pairs)[2]);

enum { DC_CABLE_POINTS = 100 };

#endif
