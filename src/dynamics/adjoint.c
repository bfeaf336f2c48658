// SPDX-License-Identifier: Apache-2.0
// The adjoint of a rollout.  At a converged step dL/dq+ = 0, so that for a cotangent a of q+
//     lambda = -H^-1 a,   a(q) += lambda^T d2L/(dq+ dq),   a(q-) += lambda^T d2L/(dq+ dq-),   a(design) += lambda^T
// d2L/(dq+ d design) with the true Hessian H (paper 000, section 3.2; docs/theory.md, "Adjoint").
#include <string.h>

#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

// An indefinite or badly conditioned Hessian may still be solved; beyond this relative residual the gradient is
// refused.
static const double LARGEST_RESIDUAL = 1e-6;

static enum dc_status solve_transposed(struct dc_rollout *rollout, const struct dc_step_state *state, const double *a,
                                       double *lambda, struct dc_error *error)
{
  double residual;
  int nv = rollout->model->bodies.nv;
  bool zero = true;
  for (int i = 0; i < nv; i++)
    zero &= a[i] == 0;
  if (zero) {
    memset(lambda, 0, (size_t)nv * sizeof *lambda);
    return DC_OK;
  }
  dc_symmetric_clear(rollout->matrix);
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_hessian(state, true, rollout->matrix);
  if (dc_symmetric_factor_positive(rollout->matrix) && dc_symmetric_factor_indefinite(rollout->matrix))
    return dc_fail(error, DC_NUMERICAL, "the Hessian of a step is singular: no gradient");
  dc_symmetric_solve(rollout->matrix, a, lambda, &residual);
  if (!(residual <= LARGEST_RESIDUAL))
    return dc_fail(error, DC_NUMERICAL,
                   "the Hessian of a step is nearly singular (relative residual %.1e): no gradient", residual);
  for (int i = 0; i < nv; i++)
    lambda[i] = -lambda[i];
  return DC_OK;
}

// q_{-1} = x - h v, exp(-h [omega]x) R with E = exp(-h [omega]x): a tangent d of R moves q_{-1} by E d, one of omega
// by -h J(-h omega).
static void pull_back_start(const struct dc_model *model, const struct dc_rollout_input *input, const double *now,
                            const double *before, struct dc_rollout_cotangent *cotangent)
{
  double h = model->definition.time.step;
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    if (body->joint->nv == 0)
      continue;
    int v = body->v_offset;
    double turn[3], q[4], e[9], jacobian[9], part[3];
    dc_vec_scale(turn, input->velocity + v, -h);
    dc_rotation_exp(q, turn);
    dc_rotation_matrix(e, q);
    dc_rotation_left_jacobian(jacobian, turn);
    dc_mat_apply_transposed(part, e, before + v);
    for (int k = 0; k < 3; k++) {
      cotangent->q[v + k] += now[v + k] + part[k];
      cotangent->q[v + 3 + k] += now[v + 3 + k] + before[v + 3 + k];
      cotangent->velocity[v + 3 + k] -= h * before[v + 3 + k];
    }
    dc_mat_apply_transposed(part, jacobian, before + v);
    for (int k = 0; k < 3; k++)
      cotangent->velocity[v + k] -= h * part[k];
  }
}

enum dc_status dc_rollout_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, const double *frames,
                                  struct dc_rollout_cotangent *cotangent, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  size_t nq = (size_t)model->bodies.nq, nv = (size_t)model->bodies.nv, steps = (size_t)trajectory->steps;
  double *a_next = rollout->state_cotangent[0], *a_now = rollout->state_cotangent[1],
         *a_before = rollout->state_cotangent[2];
  if (trajectory->unconverged_steps)
    return dc_fail(error, DC_NUMERICAL, "%d steps did not converge: no gradient", trajectory->unconverged_steps);
  memcpy(a_next, frames + steps * nv, nv * sizeof *a_next);
  if (steps)
    memcpy(a_now, frames + (steps - 1) * nv, nv * sizeof *a_now);
  dc_state_move(&model->bodies, input->q, -model->definition.time.step, input->velocity, rollout->q_before);
  for (size_t t = steps; t-- > 0;) {
    const double *q = trajectory->q + t * nq;
    dc_poses(&model->bodies, t ? q - nq : rollout->q_before, rollout->before);
    dc_poses(&model->bodies, q, rollout->now);
    dc_poses(&model->bodies, q + nq, rollout->next);
    struct dc_step_state state = {.model = model,
                                  .design = &input->design,
                                  .before = rollout->before,
                                  .now = rollout->now,
                                  .next = rollout->next,
                                  .pair_count = rollout->pair_count,
                                  .pair_bodies = rollout->pair_bodies,
                                  .pairs = trajectory->pairs + t * (size_t)rollout->pair_count,
                                  .block_sums = rollout->block_sums};
    enum dc_status status = solve_transposed(rollout, &state, a_next, rollout->lambda, error);
    if (status) {
      dc_error_prefix(error, "step %zu", t + 1);
      return status;
    }
    if (t)
      memcpy(a_before, frames + (t - 1) * nv, nv * sizeof *a_before);
    else
      memset(a_before, 0, nv * sizeof *a_before);
    struct dc_step_cotangent out = {.now = a_now, .before = a_before, .design = &cotangent->design};
    for (int i = 0; dc_step_terms[i]; i++)
      dc_step_terms[i]->add_mixed(&state, rollout->lambda, &out);
    double *free_vector = a_next;
    a_next = a_now;
    a_now = a_before;
    a_before = free_vector;
  }
  // Now a_next belongs to q_0 and a_now to q_{-1}.
  if (!steps)
    memset(a_now, 0, nv * sizeof *a_now);
  pull_back_start(model, input, a_next, a_now, cotangent);
  return DC_OK;
}
