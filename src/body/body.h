// SPDX-License-Identifier: Apache-2.0
// Bodies, their frames and the state.
//
// Every body has one frame: origin at its centre of mass, axes those of its shape.  A state q holds, body after
// body, the coordinates of its joint: 7 numbers for a free body (position of the centre of mass in m, then a unit
// quaternion w, x, y, z), none for a fixed one.  Derivatives live in the tangent space: per free body a twist (w,
// t), rotation vector in rad first, then translation in m, acting as
//     R <- exp([w]x) R,   x <- x + t        (world axes, about the centre of mass).
#ifndef DC_BODY_BODY_H
#define DC_BODY_BODY_H

#include "base/options.h"
#include "geometry/shape.h"

struct dc_pose {
  double position[3];    // of the frame's origin, m
  double quaternion[4];  // w, x, y, z
  double rotation[9];    // the same as a matrix, row by row
};

struct dc_joint_type {
  const char *name, *summary, *reference;
  int nq, nv;  // numbers in the state, degrees of freedom
};

extern const struct dc_joint_type dc_joint_free, dc_joint_fixed;
extern const struct dc_joint_type *const dc_joint_types[];  // NULL-terminated

// A body as a scene gives it; the option table is dc_body_options.  Position and rotation are those of the shape's
// frame.
struct dc_body_definition {
  const char *name;
  int joint;                   // index into dc_joint_types
  int shape;                   // index into the model's shapes
  double density;              // kg/m^3; NAN: mass is given
  double mass;                 // kg; NAN: density is given
  double position[3];          // m
  double rotation[4];          // unit quaternion w, x, y, z
  double velocity[3];          // of the centre of mass, m/s
  double angular_velocity[3];  // world axes, rad/s
  double color[3];             // linear RGB in [0, 1]
};

extern const struct dc_option dc_body_options[];

struct dc_body {
  const char *name;
  const struct dc_joint_type *joint;
  const struct dc_shape *shape;
  double center[3];                   // centre of mass in the shape's frame, m
  double mass;                        // kg; 0 for fixed bodies
  double second_moment[9];            // of the solid about the centre of mass, body axes, kg m^2; integral of r r^T dm
  double radius;                      // farthest vertex from the centre of mass, m; 0 for half spaces
  int q_offset, v_offset;             // into state and tangent vectors; -1 for fixed bodies
  double position[3], quaternion[4];  // initial pose of the frame (fixed bodies: for ever)
  double velocity[3], angular_velocity[3];
  double color[3];
};

struct dc_bodies {
  int count, nq, nv;
  struct dc_body *bodies;  // [count]
};

// Builds bodies from definitions [count] and built shapes (kept by reference); everything is owned by arena.
enum dc_status dc_bodies_create(struct dc_bodies *bodies, int count, const struct dc_body_definition *definitions,
                                const struct dc_shape *shapes, struct dc_arena *arena, struct dc_error *error);

int dc_bodies_find(const struct dc_bodies *bodies, const char *name);  // index or -1

void dc_initial_state(const struct dc_bodies *bodies, double *q);  // [nq]
// Poses [count] of all frames at state q [nq].
void dc_poses(const struct dc_bodies *bodies, const double *q, struct dc_pose *poses);
// r [nq] = q moved along scale * tangent [nv]; r may be q.
void dc_state_move(const struct dc_bodies *bodies, const double *q, double scale, const double *tangent, double *r);
// tangent [nv] that moves from to to: move(from, 1, tangent) = to, rotation at most pi.
void dc_state_difference(const struct dc_bodies *bodies, const double *from, const double *to, double *tangent);

#endif
