// SPDX-License-Identifier: Apache-2.0
// The law of impact (impact_law.h), with derivatives by dual numbers: every number carries its derivatives by all that
// is given.
//
// With c0 and c the speeds of opening before and in the interval, u0 = (-c0)+ and u = (-c)+ those of approach, J the
// impulse, a, I, r what was left and x+ the smooth positive part:
//   1. Arrival.  b = S((c - c0)/u0: from 0.4 % to 1.2 %) S(u0: from 10 to 30 still speeds and more under gravity)
//   nearness
//      (1 - G of the interval before, whose kick ends the rest of the approach);  a <- max(a, b u0).
//   2. Mobility.  An impulse J makes of c what is the larger one of J times the mobility of the free bodies and of
//      d = (c - c0)+ + load: other contacts share the latter, loads hide from it.
//   3. Compression.  I <- I + (J + K) min(1, (u0 - u)+/d), K the impulse of the kick in the interval.
//   4. Its end.  G = S((a - u)/a: from 10 % to 10.5 %); the mass that was braked is m = I/(a - u); target r' = G e a,
//      kick = 1.5 G m (e a + u): the rest of the approach is ended with it.
//   5. What is taken back: hold = J nearness min(1, (c - r)+/d).
//   6. Friction of the next interval has the net normal impulse J - hold + kick, what it is owed, and ahead of time the
//      impulse of the kick to come, G m (e a - c)+, of bodies on joints at most 3 J or, where that is more, (e a - c)+
//      times the mass of both bodies without their joints, if what hangs there touches nothing else; at least 0.  The
//      difference is owed from then on.  So the sum of all that friction has had is that of all net normal impulses,
//      whatever becomes of the kick.
//   7. a, I and W are forgotten as G goes to 1, and far away.
//   8. Way lost.  W <- W + h (a - u)+; e W is what the bodies are behind when the kick has come, and the impulse that
//      moves them on by it in an interval of h is e W m/h (impact_late.h).  They have parted for the time W/a already,
//      in which gravity has taken its part of the speed: e a becomes (e a - load W/(a h))+.
#include "dynamics/impact_law.h"

#include <math.h>
#include <string.h>

static const double LEAST_BRAKED = 0.004, BRAKED = 0.012;  // of the speed of approach, where compression begins
static const double LEAST_ARRIVAL = 10, ARRIVAL = 30;      // still speeds
static const double LEAST_LOADED = 0.25, LOADED = 0.75;    // of the load, added to those
static const double COUNTED = 20;                          // still speeds from which on impulses count in full
static const double ENDS = 0.100, ENDED = 0.105;           // of the speed of arrival that is braked
static const double FORGETS = 0.8;                         // of an end
// Times the impulse of a mechanism's contact in the interval.  Chosen among 0 to 4 and none by drawn motions of links
// (kinds `finger` and `chain skid` of scripts/soak/physics.py): too little loses friction (with 3 once 0.72 of mu), too
// much cannot be given back (without a bound up to 1.5 of mu). It has no part in how joints move the bodies; that of
// the two bodies without their joints, which is the least that the kick must have, may be more.
static const double MOST_AHEAD = 3;
static const double RESERVE = 1.5;                         // of the impulse of restitution
static const double ROUND = 0.1;                           // width of the corners of shares
static const double NO_SPEED = 1e-9;                       // of the still one: divides nothing by zero

double dc_smooth_step(double t)
{
  return t <= 0 ? 0 : t >= 1 ? 1 : t * t * t * (10 + t * (6 * t - 15));
}

double dc_smooth_step_slope(double t)
{
  return t <= 0 || t >= 1 ? 0 : 30 * t * t * (1 - t) * (1 - t);
}

double dc_smooth_step_integral(double t)
{
  return t <= 0 ? 0 : t >= 1 ? t - 0.5 : t * t * t * t * (2.5 + t * (t - 3));
}

struct dual {
  double value, slopes[DC_IMPACT_GIVEN];
};

static struct dual given_number(const double *given, int i)
{
  struct dual r = {.value = given[i]};
  r.slopes[i] = 1;
  return r;
}

// The function of a number with this value and slope.
static struct dual apply(struct dual a, double value, double slope)
{
  for (int i = 0; i < DC_IMPACT_GIVEN; i++)
    a.slopes[i] *= slope;
  a.value = value;
  return a;
}

// s a + t b
static struct dual combine(double s, struct dual a, double t, struct dual b)
{
  for (int i = 0; i < DC_IMPACT_GIVEN; i++)
    a.slopes[i] = s * a.slopes[i] + t * b.slopes[i];
  a.value = s * a.value + t * b.value;
  return a;
}

static struct dual shift(struct dual a, double s)
{
  a.value += s;
  return a;
}

static struct dual times(struct dual a, struct dual b)
{
  struct dual r = combine(b.value, a, a.value, b);
  r.value = a.value * b.value;
  return r;
}

static struct dual over(struct dual a, struct dual b)
{
  double value = a.value / b.value;
  struct dual r = combine(1 / b.value, a, -value / b.value, b);
  r.value = value;
  return r;
}

static struct dual step(struct dual a)
{
  return apply(a, dc_smooth_step(a.value), dc_smooth_step_slope(a.value));
}

// max(a, 0), smooth over a width
static struct dual positive(struct dual a, double width)
{
  double t = a.value / width;
  return apply(a, t >= 1 ? a.value - 0.5 * width : width * dc_smooth_step_integral(t), dc_smooth_step(t));
}

// min(a, 1)
static struct dual share(struct dual a)
{
  return combine(1, a, -1, positive(shift(a, 0.5 * ROUND - 1), ROUND));
}

// The larger one, smooth over a width.
static struct dual larger(struct dual a, struct dual b, double width)
{
  double d = a.value - b.value, root = sqrt(d * d + width * width);
  struct dual r = combine(0.5 + 0.5 * d / root, a, 0.5 - 0.5 * d / root, b);
  r.value = 0.5 * (a.value + b.value + root);
  return r;
}

// Where compression begins: the weight of the speed of approach as one of arrival.
static struct dual beginning(struct dual change, struct dual approach, struct dual load, struct dual near, double still)
{
  struct dual braked = over(change, shift(approach, still));
  struct dual least = shift(combine(LEAST_LOADED, load, 0, load), LEAST_ARRIVAL * still);
  struct dual width = shift(combine(LOADED - LEAST_LOADED, load, 0, load), (ARRIVAL - LEAST_ARRIVAL) * still);
  struct dual fast = step(over(combine(1, approach, -1, least), width));
  braked = step(apply(braked, (braked.value - LEAST_BRAKED) / (BRAKED - LEAST_BRAKED), 1 / (BRAKED - LEAST_BRAKED)));
  return times(times(braked, fast), near);
}

// Step 8: the way W, weighed as the impulse of compression is.
static struct dual way_lost(const double given[DC_IMPACT_GIVEN], struct dual arrival, struct dual approach,
                            struct dual weight, double still)
{
  struct dual way = given_number(given, DC_IMPACT_WENT);
  if (given[DC_IMPACT_LENGTH] == 0)
    return way;
  struct dual braked = times(weight, positive(combine(1, arrival, -1, approach), still));
  return combine(1, way, 1, times(given_number(given, DC_IMPACT_LENGTH), braked));
}

// The speed of opening that gravity has left after some time.
static struct dual less_fall(const double given[DC_IMPACT_GIVEN], struct dual speed, struct dual time, double still)
{
  struct dual fall = over(given_number(given, DC_IMPACT_LOAD), given_number(given, DC_IMPACT_LENGTH));
  return positive(shift(combine(1, speed, -1, times(fall, time)), 0.5 * still), still);
}

// The net normal impulse that friction has not had of all that was before J.
static struct dual owed_before(const double given[DC_IMPACT_GIVEN])
{
  struct dual kept = times(given_number(given, DC_IMPACT_UNUSED), given_number(given, DC_IMPACT_PUSHED));
  struct dual owed = combine(1, given_number(given, DC_IMPACT_MEMORY + DC_IMPACT_OWED), 1, kept);
  return combine(1, owed, 1, given_number(given, DC_IMPACT_KICKED));
}

// Step 6: what friction may use, and what is owed beside it.  more: the net normal impulse beside J; ahead: what
// friction has before it has come.
static void give_to_friction(const double given[DC_IMPACT_GIVEN], struct dual more, struct dual ahead,
                             struct dual out[DC_IMPACT_LAW])
{
  struct dual push = given_number(given, DC_IMPACT_PUSH), near = given_number(given, DC_IMPACT_NEARNESS);
  more = combine(1, more, 1, owed_before(given));
  more = combine(1, more, given[DC_IMPACT_MORE], push);
  struct dual whole = shift(over(combine(1, more, 1, ahead), push), 1);
  struct dual beside = shift(positive(shift(whole, 0.5 * ROUND), ROUND), -1);
  out[DC_IMPACT_BESIDE] = times(near, beside);
  out[DC_IMPACT_OWED] = combine(1, more, -1, times(push, times(near, beside)));
}

static void leave(const struct dual out[DC_IMPACT_LAW], double left[DC_IMPACT_LAW],
                  double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN])
{
  for (int i = 0; i < DC_IMPACT_LAW; i++) {
    left[i] = out[i].value;
    if (slopes)
      memcpy(slopes[i], out[i].slopes, sizeof out[i].slopes);
  }
}

// The larger one of a bound and the impulse that changes a speed by so much at a mobility; 0: the bound.
static struct dual larger_bound(struct dual bound, struct dual speed, struct dual mobility)
{
  if (!(mobility.value > 0))
    return bound;
  struct dual ratio = over(over(speed, mobility), bound);
  return times(bound, shift(positive(shift(ratio, 0.5 * ROUND - 1), ROUND), 1));
}

// The numbers of the law carry their derivatives by all that is given (struct dual), so that slopes [law][given] come
// with the values.  The order is that of the head; branches are entered where their smooth steps are still 0.
void dc_impact_law(const double given[DC_IMPACT_GIVEN], double still, double left[DC_IMPACT_LAW],
                   double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN])
{
  struct dual c0 = given_number(given, DC_IMPACT_BEFORE), c = given_number(given, DC_IMPACT_OPENING),
              push = given_number(given, DC_IMPACT_PUSH), near = given_number(given, DC_IMPACT_NEARNESS),
              load = given_number(given, DC_IMPACT_LOAD), mobility = given_number(given, DC_IMPACT_MOBILITY),
              e = given_number(given, DC_IMPACT_RESTITUTION), a = given_number(given, DC_IMPACT_MEMORY),
              impulse = given_number(given, DC_IMPACT_MEMORY + 1), target = given_number(given, DC_IMPACT_MEMORY + 2);
  struct dual zero = {0}, change = combine(1, c, -1, c0), out[DC_IMPACT_LAW];
  push = combine(1 + given[DC_IMPACT_MORE], push, 0, zero);
  struct dual u0 = positive(combine(-1, c0, 0, zero), still), u = positive(combine(-1, c, 0, zero), still);
  struct dual opened = shift(combine(1, positive(change, still), 1, load), still);
  struct dual made = larger(times(push, mobility), opened, still);
  struct dual unkicked = shift(combine(-1, given_number(given, DC_IMPACT_MEMORY + DC_IMPACT_ENDED), 0, zero), 1);
  struct dual arrival = times(times(beginning(change, u0, load, near, still), unkicked), u0);
  if (a.value > arrival.value)
    arrival = a;
  struct dual counted = step(combine(1 / (COUNTED * still), arrival, 0, zero));
  struct dual both = combine(1, push, 1, given_number(given, DC_IMPACT_KICKED));
  struct dual compressed =
      share(over(positive(combine(1, u0, -1, u), still), larger(times(both, mobility), opened, still)));
  impulse = combine(1, impulse, 1, times(times(times(counted, compressed), both), near));
  struct dual way = way_lost(given, arrival, u, times(counted, near), still), waits = zero;
  struct dual held = times(near, share(over(positive(combine(1, c, -1, target), still), made)));
  struct dual end = zero, kick = zero, change_to_come = zero, returned = zero;
  target = zero;
  if (arrival.value > 0) {
    struct dual size = shift(arrival, NO_SPEED * still), taken = combine(1, arrival, -1, u), full = times(e, arrival);
    struct dual part = over(taken, size);
    if (given[DC_IMPACT_LENGTH] != 0)
      full = less_fall(given, full, over(way, size), still);
    end = step(apply(part, (part.value - ENDS) / (ENDED - ENDS), 1 / (ENDED - ENDS)));
    if (end.value > 0) {
      struct dual mass = times(end, over(impulse, taken));
      target = times(end, full);
      change_to_come = times(end, combine(1, full, 1, u));
      kick = combine(RESERVE, times(mass, combine(1, full, 1, u)), 0, zero);
      waits = times(times(mass, e), way);
      returned = times(mass, positive(combine(1, full, -1, c), still));
      // The mass of mechanisms is a guess: others that push on them may hide most of the braking.
      if (given[DC_IMPACT_MOBILITY] == 0) {
        struct dual most = larger_bound(combine(MOST_AHEAD, push, 0, zero), positive(combine(1, full, -1, c), still),
                                        given_number(given, DC_IMPACT_LIGHTEST));
        returned = times(most, share(over(returned, most)));
      }
    }
  }
  struct dual kept = step(apply(end, (end.value - FORGETS) / (1 - FORGETS), 1 / (1 - FORGETS)));
  kept = times(near, shift(combine(-1, kept, 0, zero), 1));
  out[DC_IMPACT_ARRIVAL] = times(kept, arrival);
  out[DC_IMPACT_IMPULSE] = times(kept, impulse);
  out[DC_IMPACT_TARGET] = target;
  out[DC_IMPACT_KICK] = kick;
  out[DC_IMPACT_CHANGE] = change_to_come;
  out[DC_IMPACT_ENDED] = end;
  out[DC_IMPACT_WAY] = times(kept, way);
  out[DC_IMPACT_WAITS] = waits;
  out[DC_IMPACT_HELD] = held;
  out[DC_IMPACT_HOLD] = times(held, push);
  give_to_friction(given, combine(-1, out[DC_IMPACT_HOLD], 0, zero), returned, out);
  leave(out, left, slopes);
}

void dc_impact_part(const double given[DC_IMPACT_GIVEN], double left[DC_IMPACT_LAW],
                    double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN])
{
  leave((struct dual[DC_IMPACT_LAW]){[DC_IMPACT_OWED] = owed_before(given)}, left, slopes);
}

void dc_impact_lag(const double given[DC_IMPACT_GIVEN], double left[DC_IMPACT_LAW],
                   double slopes[DC_IMPACT_LAW][DC_IMPACT_GIVEN])
{
  struct dual near = given_number(given, DC_IMPACT_NEARNESS), push = given_number(given, DC_IMPACT_PUSH);
  struct dual all = combine(1, owed_before(given), given[DC_IMPACT_MORE], push), owed = all;
  // A share below 1 may take away more than a short interval pushes: friction has at least nothing.  positive() changes
  // nothing from half of the corner's width on.
  struct dual whole = shift(over(owed, push), 1);
  if (whole.value < 0.5 * ROUND)
    owed = times(push, shift(positive(shift(whole, 0.5 * ROUND), ROUND), -1));
  struct dual used = times(near, owed);
  leave((struct dual[DC_IMPACT_LAW]){[DC_IMPACT_BESIDE] = over(used, push),
                                     [DC_IMPACT_OWED] = combine(1, all, -1, used)},
        left, slopes);
}
