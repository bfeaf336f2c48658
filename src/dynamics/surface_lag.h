// SPDX-License-Identifier: Apache-2.0
// Friction of the surfaces of soft bodies in intervals of changing lengths: what the touches of a pair of surfaces get
// of their normal impulses (surface_lag.c).  Private to src/dynamics.
#ifndef DC_DYNAMICS_SURFACE_LAG_H
#define DC_DYNAMICS_SURFACE_LAG_H

#include "dynamics/step.h"

// Friction of a pair in an interval gets the factor f on all its normal forces at t, whose sizes have the sum F, and
// keeps some of their impulse for the next interval.  by_force, by_kept: derivatives by F and by S, what the interval
// before has kept.
struct dc_surface_share {
  double force;                                    // F, N
  double now[3], before[3];                        // sums of the forces at t and t-1, N
  double factor, factor_by_force, factor_by_kept;  // of ln f
  double kept, kept_by_force, kept_by_kept;        // N s
};

// Finds the shares of an interval, multiplies the strengths of all sliding contacts by them and leaves the touches of t
// evaluated.  DC_MEMORY.
enum dc_status dc_surface_share_out(struct dc_rollout *rollout, const struct dc_step_state *state,
                                    struct dc_error *error);
// The sliding contacts of a pair.
const struct dc_sliding_contact *dc_surface_sliding_of(const struct dc_step_state *state, int pair, size_t *count);
// Adds weight times d(ln f) of a pair, by places at t and by what was kept; how ln f moves.
void dc_surface_share_pull_back(const struct dc_step_state *state, int pair, double weight,
                                struct dc_step_cotangent *out);
double dc_surface_share_push(const struct dc_step_state *state, int pair, const struct dc_step_variation *variation);

// In memories: the impulses that are kept for the next interval; their derivative along weights, by places at t and by
// what was kept before; how they move.
void dc_surface_leave(const struct dc_step_state *state, double (*left)[DC_IMPACT_NUMBERS]);
void dc_surface_pull_back_left(const struct dc_step_state *state, const double (*weights)[DC_IMPACT_NUMBERS],
                               struct dc_step_cotangent *out);
void dc_surface_push_left(const struct dc_step_state *state, const struct dc_step_variation *variation,
                          double (*left)[DC_IMPACT_NUMBERS]);

#endif
