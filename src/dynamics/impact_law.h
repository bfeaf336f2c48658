// SPDX-License-Identifier: Apache-2.0
// The law of impact of one pair of bodies: what the impulses of a pair in an interval mean for the next one
// (docs/theory.md, "Restitution").  Private to src/dynamics.
//
// A barrier gives back an accident of stiffness, step and speed.  The law takes that away and gives back what the
// material says, from the speeds of opening before and in an interval and the impulse J of the barrier in it:
//   1. The speed of arrival a is remembered from the first interval in which the barrier brakes the approach.
//   2. The impulse I of compression is summed up until a tenth of the approach has ended.
//   3. Then the bodies are pushed apart until they open with e a, by an impulse of at most 1.5 times what I tells.
//   4. Of an interval in which they open faster than they were to, the part of J that made it is taken back.
#ifndef DC_DYNAMICS_IMPACT_LAW_H
#define DC_DYNAMICS_IMPACT_LAW_H

#include <stdbool.h>

// The memory: numbers that an interval leaves of a pair to the next one; all 0 where nothing happened.
enum dc_impact_number {
  DC_IMPACT_ARRIVAL,  // a, m/s; 0: no impact is under way
  DC_IMPACT_IMPULSE,  // I, N s
  DC_IMPACT_TARGET,   // speed of opening that the next interval is to have, m/s
  DC_IMPACT_KICK,     // most impulse that may bring it there, N s
  DC_IMPACT_CHANGE,   // change of the speed of opening that the kick is to make, m/s
  DC_IMPACT_ENDED,    // whether a compression has ended, so that the next interval has a kick, 0 ... 1
  DC_IMPACT_BESIDE,   // net normal impulse that friction may use from then on, over J, less 1
  DC_IMPACT_OWED,     // net normal impulse beside that; below 0: friction has had it ahead of time, N s
  DC_IMPACT_HELD,     // the part of J, 0 ... 1, that is taken back in the next interval
  DC_IMPACT_HOLD,     // that impulse, N s
  DC_IMPACT_NUMBERS,
  // Where bounces are on time (impact_late.h), the law says beside them:
  DC_IMPACT_WAY = DC_IMPACT_NUMBERS,  // way that compression has kept the bodies from, m
  DC_IMPACT_WAITS,                    // impulse times time that gives it back, kg m
  DC_IMPACT_LAW
};

// Numbers by which an interval is judged.
enum dc_impact_given {
  DC_IMPACT_BEFORE,    // speed of opening over the interval before, m/s
  DC_IMPACT_OPENING,   // over the interval, m/s
  DC_IMPACT_PUSH,      // J, N s
  DC_IMPACT_NEARNESS,  // from 0, far, to 1
  DC_IMPACT_LOAD,      // speed at which gravity alone would press the bodies together in the interval, m/s
  DC_IMPACT_MOBILITY,  // change of the speed of opening by an impulse of 1 N s, free bodies only; else 0, 1/kg
  DC_IMPACT_LIGHTEST,  // the same, without their joints, of bodies on joints that touch nothing else; at least theirs, else 0
  DC_IMPACT_RESTITUTION,
  DC_IMPACT_KICKED,  // impulse of the kick in the interval, N s
  DC_IMPACT_UNUSED,  // what friction may use and has kept in this interval (lag.c), over J of the interval before
  DC_IMPACT_PUSHED,  // J of the interval before, N s
  DC_IMPACT_LENGTH,  // of the interval, s; 0: ways are not counted
  DC_IMPACT_WENT,    // the way of the intervals before, m
  DC_IMPACT_MORE,    // impulse of contact in the interval over J, less 1 (contact_share.c); has no derivative
  DC_IMPACT_MEMORY,  // the first numbers that the interval before has left
  DC_IMPACT_REMEMBERED = DC_IMPACT_HOLD,  // so many of them
  DC_IMPACT_GIVEN = DC_IMPACT_MEMORY + DC_IMPACT_REMEMBERED
};

// Sets what is left; slopes NULL or the derivatives by all that is given.  still: speed that is nothing, m/s, > 0.
void dc_impact_law(const double given[DC_IMPACT_GIVEN], double still, double left[DC_IMPACT_LAW],
                   double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN]);

// The same of an interval at whose end nothing is near: what is owed to friction stays owed.
void dc_impact_part(const double given[DC_IMPACT_GIVEN], double left[DC_IMPACT_LAW],
                    double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN]);
// The same of pairs without a restitution: friction may use J and what is owed.
void dc_impact_lag(const double given[DC_IMPACT_GIVEN], double left[DC_IMPACT_LAW],
                   double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN]);

// How far a kick has come: its part at a speed of opening, by t = (target - opening)/w + 1/2,
// w = 0.05 (target + 0.02 change + still): a narrower end would make rounding of places a part of the kick.
#define DC_IMPACT_WIDTH 0.05
#define DC_IMPACT_LEAST_WIDTH 0.02

// 0 below 0, 1 from 1 on, twice continuously differentiable; its derivative; its integral from 0.
double dc_smooth_step(double t);
double dc_smooth_step_slope(double t);
double dc_smooth_step_integral(double t);

#endif
