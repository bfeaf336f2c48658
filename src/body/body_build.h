// SPDX-License-Identifier: Apache-2.0
// Steps of building bodies that have files of their own.  Private to src/body.
#ifndef DC_BODY_BODY_BUILD_H
#define DC_BODY_BODY_BUILD_H

#include <math.h>

#include "body/body.h"

// Soft bodies and cables have no joint; dc_jointless_check refuses options that need one (what: "soft body" or
// "cable").
static inline bool dc_is_jointless(const struct dc_body_definition *definition)
{
  return definition->soft || definition->cable;
}
// A marker is a point of the body that it is fixed to: it has neither shape nor mass.
static inline bool dc_is_marker(const struct dc_body_definition *definition)
{
  const struct dc_joint_definition *joints = definition->joint.objects;
  return definition->shape < 0 && isnan(definition->mass) && isnan(definition->density) &&
         definition->joint.count == 1 && dc_joint_types[joints->type] == &dc_joint_fixed;
}
enum dc_status dc_jointless_check(const struct dc_body_definition *definition, int index, const char *what,
                                  struct dc_error *error);
// Refuses what a cable has not: mass, place, contact.
enum dc_status dc_thread_check(const struct dc_body_definition *definition, int index, struct dc_error *error);

// Checks one definition by itself, its motion once it is known whether the body moves, and the names of all bodies.
enum dc_status dc_body_check(const struct dc_body_definition *definition, int index, int count, struct dc_error *error);
enum dc_status dc_body_check_motion(const struct dc_body_definition *definition, int index, bool moves,
                                    const struct dc_shape *shape, const struct dc_shape *visual,
                                    struct dc_error *error);
enum dc_status dc_body_check_names(int count, const struct dc_body_definition *definitions, struct dc_error *error);

// Sets the start of body i, whose joint parts are built; follows: a coupling says where its coordinate starts.
// DC_BAD_INPUT, DC_MEMORY.
enum dc_status dc_body_set_start(struct dc_bodies *bodies, const struct dc_body_definition *definition, int i,
                                 bool follows, struct dc_arena *arena, struct dc_error *error);
// Sets its actuator, if it has one: gains in effect, targets, and its place in vectors of actuator targets.
enum dc_status dc_body_set_actuator(struct dc_bodies *bodies, const struct dc_body_definition *definition, int i,
                                    struct dc_arena *arena, struct dc_error *error);

// Checks couplings [count] between bodies whose joints are built; definitions: of the bodies.
enum dc_status dc_couplings_check(const struct dc_bodies *bodies, int count, const struct dc_coupling *couplings,
                                  struct dc_error *error);
// Sets the start of all followers from that of their leaders: positions in initial_q, and joint velocities.  A leader
// moves a little where a follower would start at an end of its range.  The couplings must have passed the check.
enum dc_status dc_couplings_start(struct dc_bodies *bodies, const struct dc_body_definition *definitions, int count,
                                  const struct dc_coupling *couplings, struct dc_arena *arena, struct dc_error *error);

// Lists which bodies may touch, from joints and filters.
enum dc_status dc_body_filter(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                              struct dc_arena *arena, struct dc_error *error);

// Coefficients of pairs.
enum dc_status dc_body_pair_friction(struct dc_bodies *bodies, const struct dc_body_definition *definitions,
                                     struct dc_arena *arena, struct dc_error *error);

#endif
