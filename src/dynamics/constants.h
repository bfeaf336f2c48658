// SPDX-License-Identifier: Apache-2.0
// Values that the solution of a step depends on (step.c).  They decide how many iterations a step takes and where it
// counts as solved, not where its minimum is.  A change alters the last bits of every motion; it is judged by the
// iterations a step takes (scripts/paper/step-cost) and by the tests in tests/dynamics.
#ifndef DC_DYNAMICS_CONSTANTS_H
#define DC_DYNAMICS_CONSTANTS_H

#include <float.h>

// Line search
static const double DC_STEP_SUFFICIENT_DECREASE = 1e-4;      // Armijo's condition, part of the slope's promise
static const double DC_STEP_SLOPE_DECREASE = 0.5;            // part of the slope that may be left where slopes decide
static const double DC_STEP_VALUE_NOISE = 64 * DBL_EPSILON;  // of the sum of the terms' magnitudes
static const double DC_STEP_TINY_CHANGE = 1e-9;              // of the same: below it slopes decide, as values are blind
// Convergence
static const double DC_STEP_LEAST_MOVE = 1e-6;       // part of a body's size, the least move that matters in a step
static const double DC_STEP_LONG_RUN = 1e5;          // steps over which a force that is left out must not matter
static const double DC_STEP_ROUNDING_LIMITED = 1e3;  // times the noise: residuals below that stop falling are converged
// Newton's steps
static const double DC_STEP_SAME_HESSIAN = 0.005;  // of residuals: the next step of nodes keeps H if the last left less
static const double DC_STEP_SHORT_STEP = 0.5;      // part of a step: after a shorter one the next one is damped more
static const double DC_STEP_SMALL_GAIN = 0.2;      // part of the decrease promised, likewise after a bounded step
static const double DC_STEP_DAMPING_FACTOR = 4;    // from one damping to the next
// Dampings that are tried on an indefinite Hessian, times the inertia.
static const double DC_STEP_LEAST_DAMPING = 1.0 / 64, DC_STEP_MOST_DAMPING = 64;
// Continuation (follow_path)
static const double DC_STEP_SOFTER = 0.1;           // factor from one stiffness of the path to the next
static const double DC_STEP_MOST_HARDENING = 1e16;  // largest factor on the stiffness at its beginning
static const double DC_STEP_OPENED = 0.1;  // target gap at its beginning, relative to the motion in an interval
// Iterations without progress, after which nodes have multipliers instead.  Beside rigid bodies residuals rise and fall
// while a barrier is climbed, and factorizations are what the nodes' steps avoid.
enum { DC_STEP_NODE_PATIENCE = 4, DC_STEP_MIXED_PATIENCE = 25 };
enum {
  DC_STEP_HALVINGS = 50,         // of a step in a line search
  DC_STEP_PATH_ITERATIONS = 12,  // for each stiffness of the path
  DC_STEP_SHIFTS = 12,           // of the diagonal of a projected Hessian, each ten times the last
  DC_STEP_PATIENCE = 6           // iterations with an indefinite Hessian before the exact one is damped more
};

#endif
