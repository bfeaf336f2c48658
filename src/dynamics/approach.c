// SPDX-License-Identifier: Apache-2.0
// The place of the first touch along a line.
//
// The true distance D of the surfaces bounds how far a body may move, and where the surfaces that meet are flat it
// falls to 0 in proportion to the way.  So each step goes to where a line through the last two distances (at first one
// of slope 1, which is safe) leaves the gap that is asked for; of convex bodies D is convex and the line never leads
// too far.  The line that has told D right is believed to the end.  Where a step does lead into the other body, which
// models tell by an infinite energy, or distances do not settle, bisection takes over; the least step on the way there
// is a tenth of the size.
#include "dynamics/approach.h"

#include <math.h>

#include "math/vector.h"

enum { MOST_HALVINGS = 60, MOST_STEPS = 8 };
static const double STEP = 0.1, FARTHEST = 1e3;  // over the size
static const double SETTLED = 0.01;              // error of a distance that was told, over the distance
static const double LEAST_SLOPE = 0.05;

// Shifts the body and evaluates the pair.
static double energy_at(struct dc_approach *approach, double s, int order)
{
  approach->at = s;
  dc_vec_add_scaled(approach->poses[approach->body].position, approach->start, s, approach->direction);
  return dc_contact_evaluate_pair(approach->contact, approach->poses, approach->pair, order, approach->pairs);
}

bool dc_approach_meets(struct dc_approach *approach, double s)
{
  return !isfinite(energy_at(approach, s, 1));
}

// A stretch of the line: the bodies are apart at one end and together at the other.
struct bracket {
  double apart, together;
};

// Between a place where bodies are apart and one where they meet, which an infinite energy tells.
static double bisect(struct dc_approach *approach, struct bracket bracket, double precision)
{
  for (int i = 0; i < MOST_HALVINGS && bracket.apart - bracket.together > precision; i++) {
    double middle = 0.5 * (bracket.apart + bracket.together);
    *(isfinite(energy_at(approach, middle, 0)) ? &bracket.apart : &bracket.together) = middle;
  }
  return bracket.apart;
}

// Walks on by half of the distance until the bodies meet.
static double walk(struct dc_approach *approach, double from, double size, double precision)
{
  struct bracket bracket = {from, from};
  do {
    double step = fmax(STEP * size, 0.5 * dc_contact_pair_distance(approach->contact, approach->pair));
    bracket.apart = bracket.together;
    bracket.together -= step;
    if (bracket.together < -FARTHEST * size)
      return NAN;
  } while (isfinite(energy_at(approach, bracket.together, 0)));
  return bisect(approach, bracket, precision);
}

// The distance along the line of approach at which the pair touches, by a secant: the true distance d at a place
// divided by its slope along the line says how far it is to touch. Each step stops a small distance short of that,
// `left`, because the energy of surfaces that meet is not finite. The slope is at most 1, as no distance shrinks
// faster than the motion. Steps end where the distance found is the one foretold; a line that hardly approaches
// (LEAST_SLOPE) is walked in steps of the size instead.
double dc_approach_estimate(struct dc_approach *approach, double size, double gap)
{
  double distance = dc_contact_pair_distance(approach->contact, approach->pair), at = 0, slope = 1;
  gap = fmin(gap, 0.5 * distance);
  for (int i = 0; i < MOST_STEPS; i++) {
    double left = i == 0 ? gap : fmax(gap, 0.1 * distance / slope), next = at - (distance / slope - left);
    if (!isfinite(energy_at(approach, next, 1)))
      return bisect(approach, (struct bracket){at, next}, SETTLED * gap);
    double found = dc_contact_pair_distance(approach->contact, approach->pair), told = slope * left;
    bool settled = fabs(found - told) <= SETTLED * told && left <= 2 * gap;
    if (!(at - next > 0) || settled)
      return next - found / slope;
    slope = fmin(1, (distance - found) / (at - next));
    at = next;
    distance = found;
    if (slope < LEAST_SLOPE)
      break;
  }
  return walk(approach, at, size, SETTLED * gap);
}

// The estimate is put into a bracket: one end where the surfaces are apart, one where they meet, both found by margins
// that grow fourfold from what the estimate may be off. Bisection between them ends at the precision.
double dc_approach_touching(struct dc_approach *approach, double size, double precision)
{
  double about = dc_approach_estimate(approach, size, STEP * size * SETTLED);
  if (isnan(about))
    return NAN;
  struct bracket bracket = {about, about};
  double margin = fmax(SETTLED * SETTLED * SETTLED * size, precision);
  for (; !isfinite(energy_at(approach, bracket.apart, 0)); margin *= 4) {
    bracket.apart += margin;
    if (bracket.apart > FARTHEST * size)
      return NAN;
  }
  for (; isfinite(energy_at(approach, bracket.together, 0)); margin *= 4) {
    bracket.together -= margin;
    if (bracket.together < -FARTHEST * size)
      return NAN;
  }
  return bisect(approach, bracket, precision);
}
