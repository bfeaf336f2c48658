// SPDX-License-Identifier: Apache-2.0
// Joints: how a body moves relative to its parent.
//
// A joint is a sequence of parts, outermost first.  The innermost part displaces the body from its pose at rest, then
// the next one outwards displaces the result, as in a chain of massless links.  Four kinds of parts make up every
// joint.
#ifndef DC_BODY_JOINT_H
#define DC_BODY_JOINT_H

#include "base/options.h"

enum dc_part_kind {
  DC_PART_TRANSLATION,  // 3 numbers (m), 3 degrees of freedom along the axes of the outer frame
  DC_PART_BALL,         // unit quaternion (w, x, y, z); 3 degrees of freedom: R <- exp([w]x) R, outer frame's axes
  DC_PART_SLIDE,        // one number (m) along the axis
  DC_PART_HINGE         // one number (rad) about the axis through the anchor
};

// Forces of a joint that nothing drives (dynamics/terms_passive.c).
struct dc_joint_passive {
  bool given;                // one of them is not zero
  double stiffness, rest;    // spring, N/m or N m/rad, towards the coordinate rest, m or rad; a ball's is its start
  double damping, armature;  // N s/m or N m s/rad; kg or kg m^2
  double dry_friction;       // N or N m
  double force;              // constant, N or N m
};

struct dc_joint_part {
  enum dc_part_kind kind;
  int q, v;          // first entry in the state and in tangent vectors
  double axis[3];    // slide, hinge: unit vector in the body's frame at rest
  double anchor[3];  // ball, hinge: the fixed point of the rotation, in the body's frame, m
  double range[2];   // slide, hinge: bounds of the coordinate; -INFINITY, INFINITY without
  double target;     // slide, hinge: coordinate that an actuator pulls to without controls; NAN: the start
  double target_velocity;  // slide, hinge: and the velocity that it asks for then
  struct dc_joint_passive passive;
};

static inline int dc_part_nq(const struct dc_joint_part *part)
{
  return part->kind == DC_PART_TRANSLATION ? 3 : part->kind == DC_PART_BALL ? 4 : 1;
}

static inline int dc_part_nv(const struct dc_joint_part *part)
{
  return part->kind == DC_PART_TRANSLATION || part->kind == DC_PART_BALL ? 3 : 1;
}

// An entry of a body's "joint"; the option table is dc_joint_options.  Axis and anchor are given in the same frame as
// the body's position; NAN: those of the body's entry, then the defaults.
struct dc_joint_definition {
  int type;          // index into dc_joint_types
  double axis[3];    // default z; planar: the normal of the plane
  double axis2[3];   // universal: the second axis, which the first one turns; default: the coordinate
                     // axis after the one nearest to axis, made perpendicular
  double anchor[3];  // default: the position of the body
  double range[2];   // of the only coordinate
  double damping, armature, stiffness, rest, dry_friction, force;  // struct dc_joint_passive, of every part
};
extern const struct dc_option dc_joint_options[];

// A kind of joint: which parts it adds.  Adding another joint is one more of these.
struct dc_joint_type {
  const char *name, *summary, *reference;
  int nq, nv;              // numbers in the state, degrees of freedom
  bool only, axis, range;  // stands alone on a body without parent; takes an axis; takes a range
  int part_count;
  enum dc_part_kind parts[3];
  // Which of the joint's axes part i uses: 0 the axis, 1 axis2, 2 the one perpendicular to both.
  int part_axis[3];
};

extern const struct dc_joint_type dc_joint_free, dc_joint_fixed;
extern const struct dc_joint_type *const dc_joint_types[];  // NULL-terminated

#endif
