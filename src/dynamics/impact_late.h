// SPDX-License-Identifier: Apache-2.0
// Bounces on time: the way that compression has kept two bodies from, given back without entering their speed
// (docs/theory.md, "Restitution").  Private to src/dynamics.
//
// A body of the mass m that comes with a and is reflected with e within an interval is at its end by
//     e m^-1 times the integral of the impulse of compression over time,   s = e sum h (a - u),
// ahead of a body that is braked there and pushed apart from the next interval on.  So three intervals follow it:
//   1. the interval of the kick, in which WAITS = m s n waits, n the direction of opening where compression ended;
//   2. an interval with the impulse PUSH/h, PUSH = WAITS of interval 1: it moves the pair by s;
//   3. an interval with the impulse -BACK/h-, BACK = PUSH of interval 2 and h- its length: it takes the speed back.
// A part of a divided step would move the pair by s in a time as short as the part, whatever stands in the way, and
// dividing it once more would not help.  PUSH therefore waits in such a part for the next whole step.
// Both impulses are equal and opposite forces.  Only pairs of bodies that are free or fixed have them, and
// only where neither body is near another one after the kick: a body in the way would throw them back.
#ifndef DC_DYNAMICS_IMPACT_LATE_H
#define DC_DYNAMICS_IMPACT_LATE_H

#include "dynamics/step.h"

// Numbers of a pair that an interval leaves to the next one beside those of impact_law.h, behind those of all pairs and
// nodes.
enum dc_late_number {
  DC_LATE_WAY,    // W, m
  DC_LATE_WAITS,  // [12] of both bodies: torque about the frame's origin, and force; kg m^2 and kg m
  DC_LATE_PUSH = DC_LATE_WAITS + 12,
  DC_LATE_BACK = DC_LATE_PUSH + 12,
  DC_LATE_NUMBERS = DC_LATE_BACK + 12
};

// How many numbers of a memory stand before them.
size_t dc_impact_late_place(const struct dc_model *model);
// Those of a pair; NULL: none.
const double *dc_late_of(const struct dc_rigid_contact *rigid, const double (*memory)[DC_IMPACT_NUMBERS], int pair);
double *dc_late_in(const struct dc_rigid_contact *rigid, double (*memory)[DC_IMPACT_NUMBERS], int pair);
bool dc_late_acts(const struct dc_rigid_contact *rigid, const double (*memory)[DC_IMPACT_NUMBERS], int pair);

// Sets the numbers that a pair leaves; law: those of the law, memory: of the interval before.
void dc_late_leave(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                   const double law[DC_IMPACT_LAW], double late[DC_LATE_NUMBERS]);
// Its derivatives along weights: sets those by what the law says, adds those by twists next [12] of the frames at t+1
// and by the memory before.
void dc_late_pull_back(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                       const double law[DC_IMPACT_LAW], const double weights[DC_LATE_NUMBERS],
                       double by_law[DC_IMPACT_LAW], double next[12], double before[DC_LATE_NUMBERS]);
// How it moves by those.
void dc_late_push(const struct dc_step_state *state, int pair, const double (*memory)[DC_IMPACT_NUMBERS],
                  const double law[DC_IMPACT_LAW], const double by_law[DC_IMPACT_LAW], const double next[12],
                  const double before[DC_LATE_NUMBERS], double late[DC_LATE_NUMBERS]);
// The force on the displacement of a pair in an interval: D of terms_impact.c has back . displacement.
void dc_late_force(const struct dc_step_state *state, const double late[DC_LATE_NUMBERS], double back[12]);
// Adds weights times the derivatives of that force by late.
void dc_late_pull_back_force(const struct dc_step_state *state, const double weights[12], double late[DC_LATE_NUMBERS]);

#endif
