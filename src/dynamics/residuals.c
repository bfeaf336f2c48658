// SPDX-License-Identifier: Apache-2.0
// The residuals of a trajectory: what is left of the gradient of the step potential at every state it went through,
// computed from the states alone.
#include <math.h>
#include <string.h>

#include "dynamics/linearization.h"

// Judges one interval; rollout->q_before is the state before it.
static enum dc_status judge_interval(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                     const struct dc_trajectory *trajectory, struct dc_state_place end,
                                     struct dc_step_residual *residual, struct dc_error *error)
{
  struct dc_step_interval interval = dc_interval_to(input, trajectory, end);
  const double *q = dc_trajectory_state(trajectory, end.step, end.inside - 1, NULL);
  dc_poses(&rollout->model->bodies, q, rollout->now.poses);
  const double *memory = dc_trajectory_memory(trajectory, end.step, end.inside - 1);
  enum dc_status status =
      dc_rigid_evaluate(&rollout->rigid, rollout->now.poses, memory ? 1 : 0, rollout->rigid.spare, error);
  dc_impact_begin(&rollout->rigid, (const double(*)[DC_IMPACT_NUMBERS])memory, rollout->rigid.spare);
  return status ? status
                : dc_step_judge(rollout, input, &interval, q,
                                dc_trajectory_state(trajectory, end.step, end.inside, NULL), residual, error);
}

// Every interval is judged from its three states and the memory it began with, after contact has forgotten its warm
// starts: the verdict cannot inherit anything from the solver that it judges.
enum dc_status dc_rollout_residuals(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                    const struct dc_trajectory *trajectory, double *residuals, bool *converged,
                                    struct dc_error *error)
{
  const struct dc_model_definition *definition = &rollout->model->definition;
  size_t bytes = (size_t)trajectory->nq * sizeof(double);
  if (definition->contact_model->flags & DC_CONTACT_FOREIGN)
    return dc_fail(error, DC_BAD_INPUT, "the contact model \"%s\" has no step potential to judge",
                   definition->contact_model->name);
  dc_contact_reset(rollout->rigid.contact);
  dc_rollout_state_before(rollout, input, rollout->q_before);
  enum dc_status status = DC_OK;
  for (int t = 0; t < trajectory->steps && !status; t++) {
    residuals[t] = 0;
    converged[t] = true;
    for (int k = 1; k <= dc_trajectory_substeps(trajectory, t) && !status; k++) {
      struct dc_state_place end = {t, k};
      struct dc_step_residual residual = {0};
      status = judge_interval(rollout, input, trajectory, end, &residual, error);
      residuals[t] = fmax(residuals[t], residual.relative);
      converged[t] &= residual.converged;
      memcpy(rollout->q_before, dc_trajectory_state(trajectory, t, k - 1, NULL), bytes);
    }
    if (status)
      dc_error_prefix(error, "step %d", t + 1);
  }
  return status;
}
