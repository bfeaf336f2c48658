// SPDX-License-Identifier: Apache-2.0
// The geometry of impacts: what the law of impact (impact_law.h) is given of a pair of bodies, and its derivatives.
// Private to src/dynamics.
//
// The wrenches of the barrier on both bodies, f = -dP/d(w_a, t_a, w_b, t_b), say along what a pair opens: n = f/|f|
// with |f| the size of the force on a.  A displacement of the frames, x = (v_a, d_a, v_b, d_b) with
//     v_i = -1/2 eps_ijk D_jk,   D = R' R^T,   d = c' - c,
// opens it by n.x.  n acts with equal and opposite forces along one line, so that impulses along it leave momentum as
// it is, and angular momentum, too, where the frames do not move.
#ifndef DC_DYNAMICS_IMPACT_PAIR_H
#define DC_DYNAMICS_IMPACT_PAIR_H

#include "dynamics/impact_law.h"
#include "dynamics/step.h"

// The direction of opening of a pair and the size of the force without stiffness; a size of 0: none.
struct dc_impact_normal {
  double along[12], size;
};
struct dc_impact_normal dc_impact_normal(const struct dc_pair_derivatives *pair);

// Twists of both bodies of a pair out of those of all bodies [bodies][6].
void dc_impact_gather(const int pair[2], const double (*twists)[6], double both[12]);

// The displacements of both bodies between poses, and D of either.
struct dc_impact_move {
  double by[12], turn[2][9];
};
struct dc_impact_move dc_impact_move(const struct dc_step_state *state, int pair, const struct dc_pose *from,
                                     const struct dc_pose *to);

// (tr(D) - D)/2 applied to v: how a turn v of R' moves the displacement.
void dc_impact_turn(const double d[9], const double v[3], double out[3]);

// Pulls weights on a displacement [12] back: adds those on twists of the frames that it begins and ends with; NULL: not
// wanted.
void dc_impact_pull_back_move(const struct dc_impact_move *move, const double weights[12], double from[12],
                              double to[12]);
void dc_impact_push_move(const struct dc_impact_move *move, const double from[12], const double to[12], double by[12]);

// Pulls weights on the direction [12] and on the size back: adds those on twists of the frames that contact was
// evaluated at; and how both change along twists.
void dc_impact_pull_back_normal(const struct dc_pair_derivatives *pair, const double along[12], double size,
                                double twists[12]);
void dc_impact_push_normal(const struct dc_pair_derivatives *pair, const double twists[12], double along[12],
                           double *size);

// The force without stiffness of what is near, 1/m; 0 of models whose forces end somewhere: whatever acts is near.
double dc_impact_near_force(const struct dc_model_definition *definition);
// How near is what pushes with so many times that force: 0 ... 1.
double dc_impact_nearness(double strength);

// Whether something of what an interval has left of a pair acts in the next one.
bool dc_impact_acts(const double *memory);
// The impulse of the kick over an interval of h in which a pair opens by o, L S(t), N s, and its derivatives.
struct dc_impact_kick {
  double impulse, energy;             // N s; its integral over o, L w U(t) with w in m, J s
  double by_opening;                  // N s/m
  double by_left[DC_IMPACT_NUMBERS];  // by what is left
};
struct dc_impact_kick dc_impact_kick(const double left[DC_IMPACT_NUMBERS], double o, double h, double still);
// The force of restitution over an interval of h in which a pair opens by o, N, and its derivative (terms_impact.c).
double dc_impact_force(const double left[DC_IMPACT_NUMBERS], double o, double h, double still, double *bend);

// The numbers that the law is given of a pair at the end of an interval; memory [DC_IMPACT_NUMBERS]: what the interval
// before has left, NULL: nothing.  False: nothing is near: all that is said is of the kick and of friction.
bool dc_impact_given(const struct dc_step_state *state, int pair, const double *memory, double given[DC_IMPACT_GIVEN]);

// The derivatives of a weighted sum of what is given: by twists of the frames at t+1, t and t-1, ln of the stiffness,
// factors on masses of both bodies, gravity, and by the memory where the kick depends on it.
struct dc_impact_slopes {
  double next[12], now[12], before[12], stiffness, mass[2], gravity[3], memory[DC_IMPACT_REMEMBERED];
};
void dc_impact_given_slopes(const struct dc_step_state *state, int pair, const double *memory,
                            const double weights[DC_IMPACT_GIVEN], struct dc_impact_slopes *slopes);

// Whether a pair ends the interval with less than a force of what is near.
bool dc_impact_is_far(const struct dc_step_state *state, int pair);

// Restitution of a pair, at most 1, and its derivatives by those of its bodies (equal ones share); NAN: none is set.
double dc_impact_restitution(const struct dc_step_state *state, int pair, double slopes[2]);

#endif
