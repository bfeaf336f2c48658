// SPDX-License-Identifier: Apache-2.0
// Private to src/body: the steps of building bodies.
#ifndef DC_BODY_BODY_BUILD_H
#define DC_BODY_BODY_BUILD_H

#include <math.h>

#include "body/body.h"

// Bodies that have no joint: soft ones and cables; what must not be given for these (what: "soft body" or "cable").
static inline bool dc_is_jointless(const struct dc_body_definition *definition)
{
  return definition->soft || definition->cable;
}
// A point of the body that it is fixed to: without shape and mass.
static inline bool dc_is_marker(const struct dc_body_definition *definition)
{
  const struct dc_joint_definition *joints = definition->joint.objects;
  return definition->shape < 0 && isnan(definition->mass) && isnan(definition->density) &&
         definition->joint.count == 1 && dc_joint_types[joints->type] == &dc_joint_fixed;
}
enum dc_status dc_jointless_check(const struct dc_body_definition *definition, int index, const char *what,
                                  struct dc_error *error);

// Rules of one definition; of its motion once it is known whether the body moves at all; of all names.
enum dc_status dc_body_check(const struct dc_body_definition *definition, int index, int count, struct dc_error *error);
enum dc_status dc_body_check_motion(const struct dc_body_definition *definition, int index, bool moves,
                                    const struct dc_shape *shape, const struct dc_shape *visual,
                                    struct dc_error *error);
enum dc_status dc_body_check_names(int count, const struct dc_body_definition *definitions, struct dc_error *error);

// Rules of couplings [count] between bodies whose joints are built; definitions: of the bodies.
enum dc_status dc_couplings_check(const struct dc_bodies *bodies, int count, const struct dc_coupling *couplings,
                                  struct dc_error *error);
// Start of all followers from that of what they follow, which moves a little where one of them would start at an end of
// its range: positions in initial_q and joint velocities.  The couplings must have passed the check.
enum dc_status dc_couplings_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions, int count,
                                  const struct dc_coupling *couplings, struct dc_arena *arena, struct dc_error *error);

// What touches, from joints and filters.
enum dc_status dc_body_filter(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                              struct dc_arena *arena, struct dc_error *error);

#endif
