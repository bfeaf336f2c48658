// SPDX-License-Identifier: Apache-2.0
// Values by which searches, races and refinements share their work (search.c, race.c, refine.c).  They decide how soon
// a plan is found, not which plans are good: tolerances of the scene do that.  A change gives other turns, so that
// checkpoints of automatic searches do not go on.  It is judged by rates over whole sets of tasks (scripts/untuned over
// scenes/tasks and scenes/newcomer, scripts/paper/shots, scripts/soak/goals.py with a seed by which nothing was
// chosen), never by one scene.
#ifndef DC_PLAN_CONSTANTS_H
#define DC_PLAN_CONSTANTS_H

// Searches: a turn advances every member that is left
enum {
  DC_SEARCH_BATCH = 16,     // draws a turn
  DC_SEARCH_NEAR_FROM = 2,  // from this round on, counted from 0, some draws are about the stage's best
  DC_SEARCH_NEAR_EVERY = 3  // one draw of so many, nearer with every round
};
// Iterations of a first-order method in a turn: a fan's iteration costs four times as much, and all wait for the
// longest.
enum { DC_WALK_PACE = 4 };
static const double DC_SEARCH_PROGRESS = 0.7;  // a member that does not stall gets below this part of its loss

// Newton iterations of a rollout, beyond which a point that an optimizer tries is refused: their sum.  Points that are
// dear without being lost, as the first that touch anything, must stay below it.
enum {
  DC_POINT_WORK = 4,        // times those of the best point so far
  DC_POINT_WORK_STEP = 20,  // a step, as a first guess may touch nothing
  DC_POINT_WORK_SOLVES = 15  // times solver.max_iterations
};

// Races: heats and rounds, in turns
enum {
  DC_RACE_HEAT = 2,           // turns after which the worse half of the members ends
  DC_RACE_LEAST_LEFT = 2,     // members that a heat leaves in any case
  DC_RACE_ALONE_IDLE = 2,     // turns without progress that end the first fan's time alone
  DC_RACE_LEAD = 8,           // turns that the first fan has alone before the others have as many, all together
  DC_RACE_DEFAULT_SHARE = 6,  // turns from which on the default walk has as much as all others together
  DC_RACE_MARGIN_TURNS = 4,   // to come inside of the tolerances where everything is reached
  DC_RACE_LEAST_KNOTS = 3,    // of draws that change over time
  DC_RACE_MOST_KNOTS = 10,    // likewise
  DC_RACE_HARD = 4,           // of so many draws one shoots hard enough to topple what it hits
  DC_RACE_GRASPS = 4,         // of so many draws one grasps, where hands can
  DC_RACE_GRASP_AT = 2        // the one with this number
};
static const double DC_RACE_NUMB = 1e-10;          // part of the loss that a gradient must have to tell where to go
static const double DC_RACE_NOTHING_LEFT = 1e-12;  // part of the first loss: recordings are followed to their digits
static const double DC_RACE_STILL_THERE = 0.7;     // of the loss where shorter steps began: below it they begin again
static const double DC_RACE_LEFT = 2;              // times its best loss: a fan there has left the best point
// Steps of the members
static const double DC_RACE_RATE_BESIDE_FANS = 0.03;  // of Adam, in the parameters' units
static const double DC_RACE_LARGE_RATE = 0.05;        // likewise in the first round where there are residual rows
static const double DC_RACE_SHORTER = 1.0 / 3;        // factor on the leader's rate from the best point
static const double DC_RACE_SUFFICIENT = 0.3;     // a fan ends with the first step that leaves this part of the loss
static const double DC_RACE_LEAST_LENGTH = 1e-4;  // of the steps of the small fan, which takes lower points only
// Other worlds: turns at most, and what is other in them
enum { DC_RACE_SMOOTH_TURNS = 6, DC_RACE_APPROACH_TURNS = 24, DC_RACE_SOFT_TURNS = 20 };
static const double DC_RACE_SMOOTH_SPEED = 0.1;   // m/s: where smoother friction sets in, as far as the next two allow
static const double DC_RACE_SMOOTHER_LEAST = 10;  // factor on the scene's smoothing speed
static const double DC_RACE_SMOOTHER_MOST = 100;  // likewise
static const double DC_RACE_STIFFER = 3;          // factor on the contact stiffness beside smoother friction
static const double DC_RACE_SOFTEST = 3e4;  // factor on it in the first stage of softer contact: gaps grow by its root
static const double DC_RACE_HEAVIER = 10;   // factor on the weight of what is judged, with every second round
enum { DC_RACE_MOST_HEAVIER = 8 };          // rounds in which that weight grows
// Windows of a race, in steps: a part of the run within two bounds, rounded up to a multiple of the steps applied
enum {
  DC_RACE_WINDOWS = 2,        // in a turn
  DC_RACE_WINDOW_PARTS = 5,   // a window has this part of the run
  DC_RACE_WINDOW_LEAST = 20,  // bounds of its length
  DC_RACE_WINDOW_MOST = 48,
  DC_RACE_WINDOW_APPLIED = 4,     // steps that are applied of it
  DC_RACE_LEAST_WINDOWS = 2,      // a run shorter than so many has none
  DC_RACE_WINDOW_ITERATIONS = 5,  // in each
  DC_RACE_WINDOW_DRAWS = 4        // likewise
};
static const double DC_RACE_WINDOW_SPREAD = 0.1;  // deviation of the draws, in the parameters' units

// Refinement: standard deviations of restarts about the best pose (docs/theory.md, "Refinement")
static const double DC_REFINE_RESTART_TURN = 0.3;     // rad
static const double DC_REFINE_RESTART_SHIFT = 0.05;   // of the body's size
static const double DC_REFINE_RESTART_JOINT = 0.1;    // rad or m
static const double DC_REFINE_RESTART_OFFSET = 0.01;  // of targets that are placed on each other, of the body's size
static const double DC_REFINE_ALIGN_SPREAD = 0.5;     // factor on those of poses where restarts are aligned
static const double DC_REFINE_ALIGN_TILT = 0.5;       // likewise of normals
enum { DC_REFINE_OPPOSED_EVERY = 2, DC_REFINE_TURNED_EVERY = 3 };  // restarts that are far
// Surfaces at targets
static const double DC_REFINE_CONE_REACH = 0.5;  // part of the tolerance around a target in which normals are collected
static const double DC_REFINE_FLAT_SHARE = 0.04;  // least share of the surface in the sides at a flat target
static const double DC_REFINE_FLAT_PART = 0.1;    // of the tolerance: points so near count as nearest where it is flat
static const double DC_REFINE_PARALLEL = 1e-9;    // one less the cosine between normals that are the same
enum { DC_REFINE_EDGE_NORMALS = 2 };              // of an edge; a side has one
// Perturbations of the baselines that difference queries (paper 002, section V-B)
static const double DC_REFINE_DIFFERENCE_TURN = 0.1;    // rad
static const double DC_REFINE_DIFFERENCE_SHIFT = 0.01;  // m

// Alignment of opposed normals (refine_align.c): a damped Gauss-Newton method over distances and normals
static const double DC_ALIGN_ARM = 0.02;              // m: an error of 0.1 rad weighs as much as 2 mm
static const double DC_ALIGN_SOFT = 0.05;             // sine of the spread of normals that halves their weight
static const double DC_ALIGN_NARROWED = 0.7;          // part of the cones in which normals must be
static const double DC_ALIGN_FARTHEST_COSINE = -0.8;  // between the nearest two normals, at most
static const double DC_ALIGN_LEAST_COSINE = 0.2;      // between other normals and the cone's axis
static const double DC_ALIGN_DAMPING = 1e-4;          // initial damping of steps, in the metric
static const double DC_ALIGN_FINER = 0.2;             // factor on it after better steps
static const double DC_ALIGN_COARSER = 5;             // factor on it after others
static const double DC_ALIGN_DONE = 1e-18;            // m^2: below this the alignment is done
static const double DC_ALIGN_LONGEST = 0.1;           // m: longest step, in the metric
static const double DC_ALIGN_NEGLIGIBLE = 1e-7;       // m: a shorter step ends it
static const double DC_ALIGN_STALLED =
    0.7;  // part of the sum of squares: where it is left after so many steps, it ends
enum {
  DC_ALIGN_PATIENCE = 8,  // those steps
  DC_ALIGN_STEPS = 60,    // at most
  DC_ALIGN_PASSES = 6     // repetitions of a step
};

#endif
