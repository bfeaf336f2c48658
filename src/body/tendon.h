// SPDX-License-Identifier: Apache-2.0
// Tendons: forces along a sum of lengths and angles, L = sum of factor_i q_i (docs/theory/bodies.md, "Tendons").
#ifndef DC_BODY_TENDON_H
#define DC_BODY_TENDON_H

#include <stdbool.h>

#include "base/options.h"

enum { DC_TENDON_JOINTS = 100 };

// A slide or hinge that a tendon runs over: the coordinate is its number among those of the body, outermost first.
struct dc_tendon_joint {
  int body;
  long coordinate;
  double factor;
};

// The option table is dc_tendon_options.  L is in m or rad, whichever its joints have; forces are the work by that.
struct dc_tendon {
  struct dc_object_list joints;  // struct dc_tendon_joint
  double stiffness;              // J/m^2 or J/rad^2
  double rest[2];                // L between which the spring is slack
  double damping;                // N s/m
  double dry_friction;           // N
  double effort;                 // limit of what spring and damping do together, N; NAN: none
  double range[2];               // of L; NAN: none
  double range_stiffness;        // J/m^2, of its ends; set with the model
};
extern const struct dc_option dc_tendon_options[];

struct dc_bodies;
struct dc_joint_part;
// The part that a joint of a tendon is; NULL: the body has none of that number.
const struct dc_joint_part *dc_tendon_part(const struct dc_bodies *bodies, const struct dc_tendon_joint *joint);
// MuJoCo 2 takes negative lengths for none.  The sign with which the lengths where the spring is slack are not all
// negative, and these and the range as they are then: a tendon of turned factors is the same.
double dc_tendon_turned(const struct dc_tendon *tendon, double rest[2], double range[2]);
// Checks tendons [count] over joints that are built.
enum dc_status dc_tendons_check(const struct dc_bodies *bodies, int count, const struct dc_tendon *tendons,
                                struct dc_error *error);

#endif
