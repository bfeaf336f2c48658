// SPDX-License-Identifier: Apache-2.0
// Thresholds of advice, and tolerances of what commands predict and report.  Those of advice are rules of thumb,
// listed in docs/advice.md, which has to change with them; no shipped scene may meet one of a scene
// (tests/cli/test_advice.sh).  Lengths of drawings stand in overlay.c.
#ifndef DC_COMMANDS_CONSTANTS_H
#define DC_COMMANDS_CONSTANTS_H

// Advice on a scene before it runs (advise_scene.c).
static const double DC_ADVISE_FLOATING = 0.25;    // resting gap over a body's size
static const double DC_ADVISE_FALL = 0.25;        // way of a free fall in the first step over a body's size
static const double DC_ADVISE_RESTITUTION = 0.1;  // difference of the predicted restitution from the one asked for
static const double DC_ADVISE_FRICTION = 0.4;     // part of Coulomb's at the mean speed of the way to a goal
static const double DC_ADVISE_SPIN_LOSS = 0.3;    // part of a spin that the integrator takes in a second
static const double DC_ADVISE_TURN = 1;           // rad in a step that the integrator of second order still follows
static const double DC_ADVISE_UNLIKE = 1000;      // ratio of the radii of bodies that move: millimetres beside metres
static const double DC_ADVISE_SLIVER = 200;       // longest edge of a triangle over the height above it
static const double DC_ADVISE_SLIVERS = 0.05;     // part of the triangles that are slivers
// volume of a surface through points over that of their hull; 1.07 observed with 1,000 points of a ball, 1.24
// with 400
static const double DC_ADVISE_SWOLLEN = 1.15;
static const double DC_DEPENDENT_TWIST = 1e-6;  // part of a twist that the others must leave for it to be independent

// Advice on a task (advise_task.c, advise_targets.c).
// rad: a bound beyond a turn is probably in degrees
static const double DC_ADVISE_ANGLE = 2 * 3.14159265358979323846 + 1e-6;
static const double DC_ADVISE_ROUND = 1e-3;       // rad: an angle so near to a twelfth of a turn is one, up to
static const double DC_ADVISE_MOST_TURNS = 10;   // so many turns; no whole number of degrees is there
static const double DC_ADVISE_WRITTEN = 0.05;    // rad: turns that are written with one decimal are as near to them
static const double DC_ADVISE_RIGID = 1e5;      // kp h^2 over the inertia of a mechanism that one step cannot resolve
static const double DC_ADVISE_FIRM = 100;       // the same, which holds as well
static const double DC_ADVISE_FALLS = 20;       // sizes that a body falls within a run before it is told
static const double DC_ADVISE_GRAVITY = 100;    // m/s^2: beyond it is probably in cm/s^2 or mm/s^2
static const double DC_ADVISE_DENSITY = 22600;  // kg/m^3, of osmium: a free body is lighter than a ball of it about it
static const double DC_ADVISE_SWUNG = 0.5;         // part of a swing's amplitude that steps take within a run
static const double DC_ADVISE_SWING_UP = 1;        // rad from hanging beyond which a weak motor has to swing
static const double DC_ADVISE_SOLID = 10;         // kg/m^3, of light foams
static const double DC_ADVISE_EARTH = 0.1;        // part by which gravity may differ from the Earth's to be meant as that
static const double DC_ADVISE_LIGHT = 0.1;      // kg/m^3, below the lightest solids: lengths are not in metres
static const double DC_ADVISE_MILLIMETRES = 3e-5;  // kg/m^3: above it lengths are rather in cm, below it in mm
static const double DC_ADVISE_MEANT = 0.1;         // sizes (or rad) from its target that a body is meant to go
static const double DC_ADVISE_LIMP = 0.05;         // part of the way to its target that gains bring a joint in a run
static const double DC_ADVISE_MOVES = 0.01;        // radians or sizes that forces move a joint in a run
static const double DC_ADVISE_FOLLOWS = 400;  // kp T^2 over the inertia of one that follows within a tenth of the run
static const double DC_ADVISE_HELD = 1000;    // force of an actuator over the weight and inertia of all bodies
static const double DC_ADVISE_FAST = 100;     // m/s: a mean speed to a target beyond it is probably a mistake of units

// Advice on a run that has ended (advise_run.c).
static const double DC_ADVISE_FLAT = 1e-3;      // a loss that fell by less than this part of itself did not fall
static const double DC_ADVISE_FALLING = 0.02;   // part of the loss that it still fell by in its last rows
static const double DC_ADVISE_SWING = 0.2;      // of the loss, between a high and a low of an oscillation
static const double DC_ADVISE_REVERSALS = 0.5;  // of the last rows that turn the course around
// J/kg: a far field of a soft body that was of use in docs/measured/soft_far.md
static const double DC_ADVISE_FAR_FIELD = 1e-3;
// part of a body's way that the field of distant bodies must explain, for it to count as moved by it
static const double DC_MOVED_BY_FIELD = 0.1;
// s of a run that another one like it may take to try advice; each trial is an optimization, which users wait
// for
static const double DC_TRIED_SECONDS = 1;
static const double DC_TRIED_LEAST = 0.5;         // s that a trial may take, however short the run was
static const double DC_TRIED_HELPFUL = 0.9;       // of the loss, that what is advised must bring it below
static const double DC_NEARNESS_MOST_WORK = 2e6;  // frames times triangles whose gaps are looked at: about a second

// Predicted rebounds (rebound.c) and starts inside of barriers (start_inside.c).
static const double DC_REBOUND_LEAST_GAP = 1e-9;  // of the table of forces, over the size of the smaller body
static const double DC_REBOUND_MOST_GAP = 1.0;    // likewise; beyond it the force counts as none
// part of the weight that what a body rests on bears; a wall that leans against it bears less
static const double DC_REBOUND_SUPPORT = 0.5;
static const double DC_INSIDE_THROWN = 2;        // force of contact over the weight: a body at rest has 1
static const double DC_INSIDE_NEAR = 2e-2;       // gap over the size above which a pair is no contact
static const double DC_INSIDE_PRECISION = 1e-9;  // of the place of the touch, over the size

// Queries, checks of gradients and certificates.
static const double DC_QUERY_SMOOTHING = 0.01;       // of a body's size, of signed distances made from convex parts
static const double DC_QUERY_LEAST_ACTIVITY = 1e-3;  // of contacts that are told; a file has all
static const double DC_QUERY_LEAST_SOFTNESS = 1e-3;  // factor on all softnesses that may be asked for
static const double DC_QUERY_MOST_SOFTNESS = 1e3;    // likewise

#endif
