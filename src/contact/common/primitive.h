// SPDX-License-Identifier: Apache-2.0
// Primitives: fixed bodies whose surface is given by its signed distance (the gap) instead of by triangles.  The gap of
// a mesh to a primitive is that of its vertices, each with a barrier of its own.
//
// A primitive is one descriptor: what it needs of its pose, the gap of a point with its gradient, the sum of a barrier
// over points with its derivatives, and how far a motion may go.  Models know only these; a second one (a ball, a
// sampled distance field) brings a file like half_space.c and a line in dc_primitive_type_of (docs/adding.md, "A
// primitive").
#ifndef DC_CONTACT_PRIMITIVE_H
#define DC_CONTACT_PRIMITIVE_H

#include "contact/contact.h"
#include "contact/common/motion.h"

// A primitive in some frame, at first the world.
struct dc_primitive {
  const struct dc_primitive_type *type;  // NULL: the collider is a mesh
  double normal[3], height;              // half-space: n.x - height is the gap, |n| = 1
};

// Points of a mesh about the centre of its frame, in world axes.
struct dc_primitive_points {
  const struct dc_contact *contact;
  const struct dc_collider *collider;
  const double (*arms)[3];
  int count;
  const double *radii;  // of balls about the points, whose gaps count; NULL: 0
};

// A barrier b of the gap, for points first ... first + count - 1 at the gaps given: b, b' and b'' into values
// [count][3], all 0 where it has ended.  A gap that is not positive may give anything.
typedef void dc_primitive_barrier(const struct dc_primitive_points *points, int first, int count, const double *gaps,
                                  double (*values)[3]);

struct dc_primitive_type {
  const char *name;
  // The primitive at a pose of its body.
  void (*place)(struct dc_primitive *primitive, const struct dc_pose *pose);
  // The same in a frame with this origin and the columns of this rotation as axes (NULL: those of the world).
  void (*see)(const struct dc_primitive *primitive, const double origin[3], const double *rotation,
              struct dc_primitive *seen);
  // Gap of a point of the primitive's frame, negative inside; its gradient, a unit vector, unless normal is NULL.
  double (*gap)(const struct dc_primitive *primitive, const double x[3], double *normal);
  // Adds the sum of b over points to *result: energy, for order >= 1 gradient and for order 2 Hessian for a twist of
  // their frame about its centre.  seen: about that centre, world axes.  Returns the least gap.
  double (*sum)(const struct dc_primitive *seen, const struct dc_primitive_points *points,
                dc_primitive_barrier *barrier, int order, struct dc_pair_derivatives *result);
  // How far a mesh may go along its motion from the fraction s before a vertex could have used up its gap of the start
  // but for the part `keep` of it; a lower bound.
  double (*stretch)(const struct dc_primitive *primitive, const struct dc_collider *collider, struct dc_motion *motion,
                    double keep, double s);
};

extern const struct dc_primitive_type dc_half_space;  // half_space.c

// The primitive type of a shape without a mesh; NULL: none of them.
const struct dc_primitive_type *dc_primitive_type_of(const struct dc_shape *shape);

// The primitive of a pair's body b about the centre of body a, world axes.
static inline struct dc_primitive dc_primitive_about(const struct dc_primitive *primitive, const struct dc_pose *pose_a)
{
  struct dc_primitive seen;
  primitive->type->see(primitive, pose_a->position, NULL, &seen);
  return seen;
}

static inline double dc_primitive_gap(const struct dc_primitive *primitive, const double x[3], double *normal)
{
  return primitive->type->gap(primitive, x, normal);
}

#endif
