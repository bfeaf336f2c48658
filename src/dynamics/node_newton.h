// SPDX-License-Identifier: Apache-2.0
// Newton's steps of scenes of nodes, in which contact with half-spaces and its friction count exactly.  Private to
// src/dynamics.
#ifndef DC_DYNAMICS_NODE_NEWTON_H
#define DC_DYNAMICS_NODE_NEWTON_H

#include "dynamics/step.h"

// Belongs to the arena but for what dc_node_newton_destroy releases.  *node_newton is NULL where the model has other
// freedoms than those of nodes.  DC_MEMORY.
enum dc_status dc_node_newton_create(const struct dc_model *model, struct dc_symmetric_matrix *matrix,
                                     struct dc_arena *arena, struct dc_node_newton **node_newton);
// From here on for a matrix of the same blocks with another pattern, before the former one is destroyed.  DC_MEMORY.
enum dc_status dc_node_newton_follow(struct dc_node_newton *node_newton, struct dc_symmetric_matrix *matrix);
void dc_node_newton_destroy(struct dc_node_newton *node_newton);

// Systems solved by conjugate gradients or GMRES since creation; factorizations are not counted.
struct dc_linear_work dc_node_newton_work(const struct dc_node_newton *newton);

// Another interval begins, at q [nv], which is kept until something is solved: what preconditioners keep of a matrix is
// that of the next one.
void dc_node_newton_renew(struct dc_node_newton *newton, const double *q);

// The outcome of dc_node_newton_step.
struct dc_node_step {
  bool positive;   // false: the matrix is not positive definite, and there is no step
  int iterations;  // of the problem with contact
};

// The minimum over d of gradient . d + d^T H d/2 with the contact of nodes at x+ + d added exactly and that at x+ taken
// off the gradient [nv].  The matrix holds H without contact (laws_apart).  Every component of what is left of the
// gradient is at most a part of its allowed [nv] or of the largest one's ratio, whichever is larger, unless iterations
// run out.
struct dc_node_step dc_node_newton_step(struct dc_node_newton *newton, const struct dc_step_state *state,
                                        struct dc_symmetric_matrix *matrix, const double *gradient,
                                        const double *allowed, double *step);

// Whether systems with that many right-hand sides are solved faster by conjugate gradients than by a factorization,
// where the matrix is positive definite and well-conditioned.
bool dc_node_newton_prefers_iterations(const struct dc_node_newton *newton, int count);
// Whether these systems have contact beside the matrix (laws_apart), as their preconditioner wants it.
bool dc_node_newton_keeps_apart(const struct dc_node_newton *newton);
// Before they are solved for a state, whose H the matrix holds, with contact or without as its laws_apart says.
void dc_node_newton_prepare(struct dc_node_newton *newton, const struct dc_step_state *state);
// Adds what is kept apart to the matrix, for a factorization.
void dc_node_newton_join(struct dc_node_newton *newton, struct dc_symmetric_matrix *matrix);
// x <- -H^-1 x with what the matrix holds now; false, x as it was: H is not positive definite, or too many iterations.
bool dc_node_newton_answer(struct dc_node_newton *newton, const struct dc_symmetric_matrix *matrix, double *x);

#endif
