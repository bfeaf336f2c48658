// SPDX-License-Identifier: Apache-2.0
// Derivatives of rollouts, by the stepper that moved the model.
#include "dynamics/stepper.h"

static enum dc_status refuse(const struct dc_rollout *rollout, struct dc_error *error)
{
  return dc_fail(error, DC_BAD_INPUT, "model %s has no adjoint; use --gradient fd or bundle",
                 rollout->model->definition.contact_model->name);
}

// The trajectory was rolled out with the shapes of the input: the model of these shapes is adopted first, else frames
// and bodies would not fit.
enum dc_status dc_rollout_adjoint_block(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        const struct dc_trajectory *trajectory, int count, struct dc_adjoint_row *rows,
                                        struct dc_error *error)
{
  if (!rollout->stepper->adjoint)
    return refuse(rollout, error);
  if (!dc_rollout_adopt(rollout, input, error))
    return error ? error->status : DC_INFEASIBLE;
  return rollout->stepper->adjoint(rollout, input, trajectory, count, rows, error);
}

// One loss is a block of one row that sees all frames.
enum dc_status dc_rollout_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                                  struct dc_rollout_cotangent *cotangent, struct dc_error *error)
{
  struct dc_adjoint_row row = {.last = trajectory->steps, .frames = *frames, .input = cotangent};
  return dc_rollout_adjoint_block(rollout, input, trajectory, 1, &row, error);
}

// Shapes have an adjoint but no tangent: a direction that moves a vertex is refused rather than ignored.
enum dc_status dc_rollout_tangent(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  const struct dc_trajectory *trajectory, int count,
                                  const struct dc_rollout_cotangent *const *directions, double *tangents,
                                  struct dc_error *error)
{
  if (!dc_rollout_adopt(rollout, input, error))
    return error ? error->status : DC_INFEASIBLE;
  for (int d = 0; d < count; d++)
    if (directions[d]->shape && !dc_shape_design_is_zero(directions[d]->shape))
      return dc_fail(error, DC_BAD_INPUT, "a design of shapes has no products forward");
  return rollout->stepper->tangent
             ? rollout->stepper->tangent(rollout, input, trajectory, count, directions, tangents, error)
             : refuse(rollout, error);
}
