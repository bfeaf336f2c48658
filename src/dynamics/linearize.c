// SPDX-License-Identifier: Apache-2.0
// The linearization of one step.  Row i of dq'/d(q, velocity, targets) is the adjoint of the coordinate i at frame 1.  The
// velocity at the end is the difference of q' and the state s that its last interval began with, over the length l of
// it, so that with the rows of dq' and of ds (s = q unless the step was divided)
//     d velocity' = (dq' - ds) / l,
// and for a rotation R' = exp(l w) S, whose tangents act from the left,
//     dw = J(l w)^-1 (dR' - exp(l w) dS) / l,     exp(l w) dS: the tangent of S carried to R',
// J the left Jacobian: J(l w)^-1 exp(l w) = J(-l w)^-1.
#include <stdlib.h>
#include <string.h>

#include "dynamics/readout.h"
#include "dynamics/step.h"
#include "math/rotation.h"
#include "math/vector.h"

// Memory of one linearization.
struct linearization {
  struct dc_rollout_cotangent *cotangent;
  struct dc_trajectory_cotangent frames;
  double *between;   // [between.count][nv]
  double *inside;    // [nv][2 nv + 2 actuators] rows of the state that the last interval began with
  double *end;       // the same of the state at the end
  double *velocity;  // [nv] at the end
  size_t nv, width;  // width: 2 nv + 2 actuators
};

static enum dc_status create(const struct dc_model *model, const struct dc_trajectory *trajectory,
                             struct linearization *l, struct dc_error *error)
{
  size_t bodies = (size_t)model->bodies.count, inside = (size_t)trajectory->between.count;
  l->nv = (size_t)model->bodies.nv;
  l->width = 2 * l->nv + 2 * (size_t)model->bodies.actuator_count;
  l->cotangent = dc_rollout_cotangent_create(model, 1);
  l->frames.wrenches = dc_alloc(2 * bodies, sizeof *l->frames.wrenches);
  l->frames.forces = dc_alloc(2 * l->nv, sizeof(double));
  l->frames.between = l->between = dc_alloc(inside * l->nv, sizeof(double));
  l->inside = dc_alloc(l->nv * l->width, sizeof(double));
  l->end = dc_alloc(l->nv * l->width, sizeof(double));
  l->velocity = dc_alloc(l->nv, sizeof(double));
  bool complete =
      l->cotangent && l->frames.wrenches && l->frames.forces && l->between && l->inside && l->end && l->velocity;
  return complete ? DC_OK : dc_fail(error, DC_MEMORY, "out of memory for a linearization");
}

static void destroy(struct linearization *l)
{
  dc_rollout_cotangent_destroy(l->cotangent);
  free(l->frames.wrenches);
  free(l->frames.forces);
  free(l->between);
  free(l->inside);
  free(l->end);
  free(l->velocity);
}

// rows [nv][width]: derivatives of the coordinates whose cotangents are given by weights [nv], zeros on return.
static enum dc_status find_rows(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                const struct dc_trajectory *trajectory, struct linearization *l, double *weights,
                                double *rows, struct dc_error *error)
{
  const struct dc_rollout_cotangent *c = l->cotangent;
  size_t vector = l->nv * sizeof(double), targets = (l->width - 2 * l->nv) / 2;
  enum dc_status status = DC_OK;
  for (size_t i = 0; i < l->nv && !status; i++) {
    double *row = rows + i * l->width;
    dc_rollout_cotangent_clear(rollout->model, l->cotangent);
    weights[i] = 1;
    status = dc_rollout_adjoint(rollout, input, trajectory, &l->frames, l->cotangent, error);
    weights[i] = 0;
    memcpy(row, c->q, vector);
    memcpy(row + l->nv, c->velocity, vector);
    memcpy(row + 2 * l->nv, c->target_position, targets * sizeof(double));
    memcpy(row + 2 * l->nv + targets, c->target_velocity, targets * sizeof(double));
  }
  return status;
}

// Rows of the velocity at the end, of the degrees of freedom of one part, from those of both states: into rows.
static void difference_rows(const struct linearization *l, const struct dc_joint_part *part, double length,
                            double *rows)
{
  double ends[9] = {1}, insides[9] = {1}, turn[3];
  int n = dc_part_nv(part);
  bool ball = part->kind == DC_PART_BALL;
  if (ball) {
    dc_vec_scale(turn, l->velocity + part->v, length);
    dc_rotation_left_jacobian_inverse(ends, turn);
    dc_vec_scale(turn, turn, -1);
    dc_rotation_left_jacobian_inverse(insides, turn);
  }
  for (int i = 0; i < n; i++)
    for (size_t k = 0; k < l->width; k++) {
      double sum = 0;
      for (int j = ball ? 0 : i; j < (ball ? n : i + 1); j++) {
        size_t from = (size_t)(part->v + j) * l->width + k;
        sum += (ball ? ends[3 * i + j] : 1) * l->end[from] - (ball ? insides[3 * i + j] : 1) * l->inside[from];
      }
      rows[(size_t)(part->v + i) * l->width + k] = sum / length;
    }
}

// Splits rows [2 nv][width], states' first, into the two matrices.
static void split(const struct linearization *l, const double *rows, size_t first, double *state, double *target)
{
  size_t states = 2 * l->nv, targets = l->width - states;
  for (size_t i = 0; i < l->nv; i++) {
    memcpy(state + (first + i) * states, rows + i * l->width, states * sizeof *state);
    if (targets)
      memcpy(target + (first + i) * targets, rows + i * l->width + states, targets * sizeof *target);
  }
}

static enum dc_status linearize(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                const struct dc_trajectory *trajectory, struct linearization *l, double *state,
                                double *target, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t inside = (size_t)trajectory->between.count;
  double at, length;
  enum dc_status status = find_rows(rollout, input, trajectory, l, l->frames.forces + l->nv, l->end, error);
  if (status)
    return status;
  if (inside)
    status = find_rows(rollout, input, trajectory, l, l->between + (inside - 1) * l->nv, l->inside, error);
  for (size_t i = 0; i < l->nv && !inside; i++)
    l->inside[i * l->width + i] = 1;
  if (status)
    return status;
  dc_trajectory_state(trajectory, 0, (int)inside, &at);
  length = trajectory->time_step * (1 - at);
  dc_trajectory_velocity(rollout->model, input, trajectory, 1, l->velocity);
  split(l, l->end, 0, state, target);
  double *rows = dc_alloc(l->nv * l->width, sizeof *rows);
  if (!rows)
    return dc_fail(error, DC_MEMORY, "out of memory for a linearization");
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++)
      difference_rows(l, &bodies->bodies[i].parts[p], length, rows);
  split(l, rows, l->nv, state, target);
  free(rows);
  return DC_OK;
}

enum dc_status dc_step_linearize(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                 const struct dc_trajectory *trajectory, double *state, double *target,
                                 struct dc_error *error)
{
  struct linearization l = {0};
  if (!dc_model_has_adjoint(rollout->model))
    return dc_fail(error, DC_BAD_INPUT, "the contact model \"%s\" has no derivatives of a step",
                   rollout->model->definition.contact_model->name);
  enum dc_status status = create(rollout->model, trajectory, &l, error);
  if (!status)
    status = linearize(rollout, input, trajectory, &l, state, target, error);
  destroy(&l);
  return status;
}
