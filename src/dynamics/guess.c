// SPDX-License-Identifier: Apache-2.0
// The way of a step is guessed to be that of the step before, w, or w + (w - w-), which counts the last change of the
// velocity, too.  The second guess is better by an order in the step where forces change slowly, and worse where contacts
// come and go.  So both guesses are kept, and when the way that they were for is known it is told which was nearer:
//
//     the second one is taken where, one step before, |w - 2 w- + w--| < NEARER |w - w-|,
//
// in the norm of places, angles times the reach of what they turn.  A guess changes how many iterations a step takes and
// its last digits, not its minimum.
//
// Newton iterations with NEARER 1/4 and, in brackets, 1/2, over those of the first guess alone, one rollout each:
//
//     Allegro hand and ball 0.78 (0.77), and cube 0.87 (0.87)    push 1.00 (1.02), billiards 1.02 (1.02)
//     LEAP hand and cube 0.97 (0.96)                             card house of two storeys 0.83 (0.83)
//     ant_push 0.98 (0.96), with leaves 0.98 (0.97)              fracture/cube 0.95 (0.94), arch of 25 stones 0.97 (0.96)
#include "dynamics/guess.h"

static const double NEARER = 0.25;

void dc_guess_reset(struct dc_guess *guess)
{
  guess->straight_known = guess->bent_known = false;
}

// The square of the distance between two ways.
static double apart(const struct dc_bodies *bodies, const double *a, const double *b)
{
  double sum = 0;
  for (int v = 0; v < bodies->nv; v++) {
    double difference = (a[v] - b[v]) * bodies->reach[v];
    sum += difference * difference;
  }
  return sum;
}

// A try of the same interval finds the guesses of the one before and takes the first: its own way is that of the last.
void dc_guess_way(struct dc_guess *guess, const struct dc_bodies *bodies, bool equal, double *way)
{
  size_t nv = (size_t)bodies->nv;
  bool follows = equal && guess->straight_known;
  bool bends = follows && guess->bent_known &&
               apart(bodies, way, guess->bent) < NEARER * NEARER * apart(bodies, way, guess->straight);
  for (size_t v = 0; v < nv; v++) {
    double straight = way[v], bent = follows ? 2 * straight - guess->straight[v] : straight;
    guess->straight[v] = straight;
    guess->bent[v] = bent;
    way[v] = bends ? bent : straight;
  }
  guess->straight_known = true;
  guess->bent_known = follows;
}
