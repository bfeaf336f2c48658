// SPDX-License-Identifier: Apache-2.0
// One implicit time step: the minimum of a sum of terms, L(q+; q, q-, design) (paper 000, Eq. 1).  Private to
// src/dynamics.
#ifndef DC_DYNAMICS_STEP_H
#define DC_DYNAMICS_STEP_H

#include "dynamics/rollout.h"
#include "math/linear_solver.h"

// What the terms of a step see: poses [bodies] at t-1, t and t+1 and the contact derivatives at t+1.
struct dc_step_state {
  const struct dc_model *model;
  const struct dc_design *design;
  const struct dc_pose *before, *now, *next;
  int pair_count;
  const int (*pair_bodies)[2];
  const struct dc_pair_derivatives *pairs;
  double contact_energy;     // sum over the pairs, without stiffness
  double (*block_sums)[36];  // [bodies], workspace of add_hessian
};

// Cotangents a step passes on: to the states at t and t-1 [nv] and to the design.
struct dc_step_cotangent {
  double *now, *before;
  struct dc_design *design;
};

// A term of the step potential.  Blocks of matrix are bodies that move, in order; tangent vectors have nv entries.
struct dc_step_term {
  const char *name, *reference;
  double (*value)(const struct dc_step_state *state);                         // J
  void (*add_gradient)(const struct dc_step_state *state, double *gradient);  // N m, N
  // exact: the true Hessian; otherwise a positive semidefinite one near it.
  void (*add_hessian)(const struct dc_step_state *state, bool exact, struct dc_symmetric_matrix *matrix);
  // Adds lambda^T d2L / (d q+ d x) for x = q, q- and the numbers of the design.
  void (*add_mixed)(const struct dc_step_state *state, const double *lambda, struct dc_step_cotangent *cotangent);
};

extern const struct dc_step_term dc_inertia_term, dc_gravity_term, dc_contact_term;
extern const struct dc_step_term *const dc_step_terms[];  // NULL-terminated

// Adds damping times the positive part of the inertia to the Hessian: a step shorter in what only inertia resists.
void dc_inertia_add_damping(const struct dc_step_state *state, double damping, struct dc_symmetric_matrix *matrix);

// Block row of a movable body in the matrix: its index among the movable bodies.
static inline int dc_block_of(const struct dc_body *body)
{
  return body->v_offset / 6;
}

struct dc_rollout {
  const struct dc_model *model;
  struct dc_contact *contact;
  struct dc_symmetric_matrix *matrix;
  struct dc_arena *arena;
  bool tight;
  int pair_count;
  const int (*pair_bodies)[2];
  double contact_seconds;  // spent in contact evaluations since creation
  // Workspace of a step.
  struct dc_pose *before, *now, *next;  // [bodies]
  struct dc_pair_derivatives *pairs, *trial_pairs;
  double *q_before;                                      // [nq]
  double *q_trial;                                       // [nq]
  double *gradient, *trial_gradient, *step, *magnitude;  // [nv]; magnitude: noise floor of the gradient
  double (*twists)[6];                                   // [bodies]
  double (*block_sums)[36];                              // [bodies]
  // Workspace of the adjoint.
  double *lambda, *state_cotangent[3];  // [nv] each
};

// What a step reports.
struct dc_step_report {
  int iterations, evaluations;
  bool converged, regularized;
  double residual;  // relative to the tolerance
  double min_gap;
};

// Solves the step from q at t and rollout->q_before at t-1 into q_next; leaves the derivatives of the contact at the
// solution in pairs.
enum dc_status dc_step_solve(struct dc_rollout *rollout, const struct dc_design *design, const double *q,
                             double *q_next, struct dc_pair_derivatives *pairs, struct dc_step_report *report,
                             struct dc_error *error);

#endif
