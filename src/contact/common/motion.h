// SPDX-License-Identifier: Apache-2.0
// Motion of one body's frame along a path, as continuous collision detection sees it (docs/theory.md, "No tunnelling").
//
// A point at arm r of a body is at x(s) = c(s) + R(s) R(0)^T r, so over a stretch d from s it is within
// d^2/2 (bend + turn^2 |r|) of its tangent (body/path.h); on a helix its acceleration is w x its velocity, of one size all
// along.
#ifndef DC_CONTACT_MOTION_H
#define DC_CONTACT_MOTION_H

#include <math.h>
#include <string.h>

#include "body/path.h"
#include "math/vector.h"

#define DC_HELIX_ROUNDING (1 + 1e-12)  // on what velocities and rates are rounded by

// Where a frame is at a fraction of the path, and how it moves there.
struct dc_instant {
  double s, center[3], rotation[9], twist[6];
};

struct dc_motion {
  const struct dc_path *path;
  int body;
  bool moves, steady, helix;       // as in body/path.h
  double spin, bend;               // bounds: turn^2, |c''|
  struct dc_instant start, later;  // later: the last one asked for
};

// The motion of a body from the beginning of a path.
static inline struct dc_motion dc_motion_of(const struct dc_path *path, int body)
{
  const struct dc_frame_path *frame = &path->frames[body];
  struct dc_motion motion = {.path = path,
                             .body = body,
                             .moves = frame->turn != 0 || frame->shift != 0,
                             .steady = frame->steady,
                             .helix = frame->helix,
                             .spin = frame->turn * frame->turn,
                             .bend = frame->bend};
  dc_vec_copy(motion.start.center, path->poses[body].position);
  memcpy(motion.start.rotation, path->poses[body].rotation, sizeof motion.start.rotation);
  memcpy(motion.start.twist, frame->twist, sizeof frame->twist);
  return motion;
}

// The first s >= 0 with room + slope s - bend s^2 / 2 <= 0; INFINITY when there is none, 0 when the numbers overflow.
// Of the two forms of the root the one without cancellation: what the other is too large by, times the slope, may
// exceed the room.
static inline double dc_first_zero(double room, double slope, double bend)
{
  double root = sqrt(slope * slope + 2 * bend * room);
  if (!(room > 0) || !(root < INFINITY))
    return 0;
  if (slope < 0)
    return 2 * room / (root - slope);
  return bend > 0 ? (slope + root) / bend : INFINITY;
}

static inline const struct dc_instant *dc_motion_at(struct dc_motion *motion, double s)
{
  if (s == 0 || !motion->moves)
    return &motion->start;
  if (s != motion->later.s) {
    struct dc_pose pose;
    dc_path_at(motion->path, motion->body, s, &pose, motion->later.twist);
    dc_vec_copy(motion->later.center, pose.position);
    memcpy(motion->later.rotation, pose.rotation, sizeof pose.rotation);
    motion->later.s = s;
  }
  return &motion->later;
}

// Velocity of the point at arm r from the centre.
static inline void dc_point_velocity(const struct dc_instant *instant, const double r[3], double velocity[3])
{
  dc_vec_cross(velocity, instant->twist, r);
  dc_vec_add(velocity, velocity, instant->twist + 3);
}

// Bound of the acceleration of the point at arm r that has the velocity of a point of the body; from any instant on.
static inline double dc_point_bend(const struct dc_motion *motion, const double r[3], const double velocity[3])
{
  double across[3];
  if (!motion->helix)
    return motion->bend + motion->spin * dc_vec_norm(r);
  dc_vec_cross(across, motion->start.twist, velocity);
  return DC_HELIX_ROUNDING * dc_vec_norm(across);
}

#endif
