// SPDX-License-Identifier: Apache-2.0
// Motion of frames while the state follows a straight line in its charts, q(s) = move(q, s, tangent), as continuous
// collision detection needs it; free bodies may go to the same end along helices.
#ifndef DC_BODY_PATH_H
#define DC_BODY_PATH_H

#include "body/kinematics.h"

// Motion of one frame for s in [0, 1].  A point at arm r (world axes, at s = 0) is at c(s) + R(s) R(0)^T r.
struct dc_frame_path {
  double twist[6];  // (w, t): velocity of the frame at s = 0
  double turn;      // sum of the rates of all rotations that carry the frame: bound of |w(s)|, rad
  double shift;     // bound of |c'(s)|, m
  double bend;      // bound of |c''(s)|, m
  bool steady;      // w is the same all along
  bool helix;       // steady, and a point's acceleration is w x its velocity
};
// |d2/ds2 (R(s) R(0)^T r)| <= turn^2 |r| holds for the sum of the rates, but not for every bound of |w|
// (docs/theory.md, "No tunnelling").

struct dc_path {
  const struct dc_bodies *bodies;
  const double *q, *tangent;     // [nq] at s = 0, [nv] from there
  const struct dc_pose *poses;   // at s = 0
  struct dc_frame_path *frames;  // [bodies]
  double (*twists)[6];           // [bodies] workspace
};

// Sizes the workspace; owned by arena.
enum dc_status dc_path_create(const struct dc_bodies *bodies, struct dc_arena *arena, struct dc_path *path,
                              struct dc_error *error);
// Starts a path at q along tangent; kinematics must be those of q.  Keeps the pointers.
void dc_path_begin(struct dc_path *path, const double *q, const double *tangent,
                   const struct dc_kinematics *kinematics);
// Lets a free body without links go to the same end at constant twist: about one axis that stands still and along it.
// The axis must not be farther from the frame than `reach`, nor the turn larger than 1 rad: the body leaves its path by
// an eighth of `reach` at most, so that what flies does not go around anything.  False where it keeps the path it has.
bool dc_path_wind(struct dc_path *path, int body, double reach);
// Pose of a body at s and its velocity (w, t) there, exactly.  Takes time in proportion to the length of its chain.
void dc_path_at(const struct dc_path *path, int body, double s, struct dc_pose *pose, double twist[6]);

// Returns the largest s in [0, 1] that leaves every coordinate with a range at least a tenth of its distance to the
// bound ahead; 0 when one is at or beyond that bound.  lower, upper [nv]: shifts of the ends of the ranges.
double dc_path_within_ranges(const struct dc_bodies *bodies, const double *lower, const double *upper, const double *q,
                             const double *tangent);

#endif
