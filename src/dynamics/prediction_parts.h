// SPDX-License-Identifier: Apache-2.0
// Forces in a prediction (prediction.c): actuators, springs and damping, by halves of intervals, ties, couplings and
// pins of soft bodies.  Private
// to its files.
#ifndef DC_DYNAMICS_PREDICTION_PARTS_H
#define DC_DYNAMICS_PREDICTION_PARTS_H

#include "dynamics/step.h"

// Half of an interval, there or back, as actuators and springs see it.
struct dc_half {
  double weight;      // s^2, of their forces in G
  const double *end;  // [nq] where it leads to by twice its length
  double *middle;     // [nq] lengths and angles
  double *curvature;  // [nv] of the energies of what pushes
  struct dc_step_state state;
};
enum { DC_HALF_THERE, DC_HALF_BACK, DC_HALVES };

struct dc_halves {
  struct dc_half half[DC_HALVES];
  double *scaled;  // [nv]
};

// Room; false: out of memory.
bool dc_halves_create(const struct dc_bodies *bodies, struct dc_arena *arena, struct dc_halves *halves);
// Halves of the interval there, to q [nq], and of the one before back, both from q_now and with the targets of the
// interval.
void dc_halves_begin(const struct dc_step_state *state, const double *q, struct dc_halves *halves);
// Sets middles, and the curvatures there.
void dc_halves_find(const struct dc_step_state *state, struct dc_halves *halves);
// Adds to G [nv] what they push.
void dc_halves_add_kicks(const struct dc_step_state *state, struct dc_halves *halves, double *sum);
// Adds the derivatives of mu [nv] times that, but for those by q*, which are in dG/dq*.
void dc_halves_add_mixed(const struct dc_step_state *state, struct dc_halves *halves, const double *mu,
                         struct dc_step_cotangent *out);
// The transposed: adds the change of what they add to G, but for that by q*.
void dc_halves_add_product(const struct dc_step_state *state, struct dc_halves *halves,
                           const struct dc_step_variation *variation, double *sum);

// Adds what ties do to the frames at t in G, as wrenches [bodies][6]; next: the predicted frames.
void dc_prediction_add_ties(const struct dc_step_state *state, const struct dc_pose *next, double (*wrenches)[6]);
// Adds what twists of frames do to that: of the predicted ones, those at t or those at t-1.  It is symmetric.
void dc_prediction_add_tie_block(const struct dc_step_state *state, enum dc_force_place place,
                                 const double (*twists)[6], double (*wrenches)[6]);

// Adds what pins of soft bodies do to the frames at t in G, as wrenches [bodies][6].
void dc_prediction_add_pins(const struct dc_step_state *state, double (*wrenches)[6]);
// Adds what twists of the frames at t and a tangent of nodes [nv] (NULL: none) do to that, and to joints [nv] (NULL: to
// nobody) what twists do to the nodes' forces.  It is symmetric.
void dc_prediction_add_pin_block(const struct dc_step_state *state, const double (*twists)[6], const double *nodes,
                                 double (*wrenches)[6], double *joints);

// Adds to G [nv] what couplings do; next [nq]: the predicted state.
void dc_prediction_add_couplings(const struct dc_step_state *state, const double *next, double *sum);
// Adds what a tangent [nv] of one of the states does to that, or the transposed of it.
void dc_prediction_add_coupling_block(const struct dc_step_state *state, enum dc_force_place place, const double *next,
                                      bool transposed, const double *tangent, double *sum);

#endif
