// SPDX-License-Identifier: Apache-2.0
// The linearization of one step.  Row i of dq'/d(q, velocity, targets, forces) is the adjoint of the coordinate i at
// frame 1.  The velocity at the end is the difference of q' and the state s that its last interval began with, over the
// length l of it, so that with the rows of dq' and of ds (s = q unless the step was divided)
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
  struct dc_arena *arena;
  int count;                    // rows of the adjoint: coordinates of the state at the end, then of the one inside
  struct dc_adjoint_row *rows;  // [count]
  double (*no_wrenches)[6];     // [bodies]
  double *weights, *between;    // weights [2 nv][nv]: rows of 1, then zeros; [nv][between.count][nv]
  double *inside;               // [nv][3 nv + 2 actuators] rows of the state that the last interval began with
  double *end;                  // the same of the state at the end
  double *differences;          // [nv][3 nv + 2 actuators] of both: rows of the velocity at the end
  double *velocity;             // [nv] at the end
  size_t nv, width;             // width: 3 nv + 2 actuators
};

// Row i of the state at the end sees coordinate i of frame 1; row nv + i that of the last state inside.
static bool create_row(const struct dc_model *model, size_t inside, int i, struct linearization *l)
{
  size_t nv = l->nv, at = (size_t)i;
  struct dc_adjoint_row *row = &l->rows[i];
  *row = (struct dc_adjoint_row){.first = 1, .last = 1, .input = dc_rollout_cotangent_create(model, 1)};
  row->frames.wrenches = l->no_wrenches;
  row->frames.forces = l->weights + at * nv;
  if (at < nv) {
    row->frames.forces[at] = 1;
  } else {
    double *between = l->between + (at - nv) * inside * nv;
    between[(inside - 1) * nv + at - nv] = 1;
    row->frames.between = between;
  }
  return row->input && !dc_rollout_cotangent_add_forces(model, row->input);
}

// Allocates one linearization and creates a row of the adjoint for each coordinate.
static enum dc_status create(const struct dc_model *model, const struct dc_trajectory *trajectory,
                             struct linearization *l, struct dc_error *error)
{
  size_t nv = (size_t)model->bodies.nv, inside = (size_t)trajectory->between.count;
  l->nv = nv;
  l->width = 3 * nv + 2 * (size_t)model->bodies.actuator_count;
  l->count = model->bodies.nv * (inside ? 2 : 1);
  l->rows = dc_arena_alloc(l->arena, (size_t)l->count, sizeof *l->rows);
  l->no_wrenches = dc_arena_alloc(l->arena, (size_t)model->bodies.count, sizeof *l->no_wrenches);
  l->weights = dc_arena_alloc(l->arena, (size_t)l->count * nv, sizeof(double));
  l->between = dc_arena_alloc(l->arena, nv * inside * nv, sizeof(double));
  l->inside = dc_arena_alloc(l->arena, nv * l->width, sizeof(double));
  l->end = dc_arena_alloc(l->arena, nv * l->width, sizeof(double));
  l->velocity = dc_arena_alloc(l->arena, nv, sizeof(double));
  l->differences = dc_arena_alloc(l->arena, nv * l->width, sizeof(double));
  bool complete = !dc_arena_failed(l->arena);
  for (int i = 0; i < l->count && complete; i++)
    complete = create_row(model, inside, i, l);
  return complete ? DC_OK : dc_out_of_memory_for(error, "a linearization");
}

static void destroy(struct linearization *l)
{
  for (int i = 0; i < l->count && l->rows; i++)
    dc_rollout_cotangent_destroy(l->rows[i].input);
  dc_arena_destroy(l->arena);
}

// Derivatives of the state at the end and, where the step was divided, of that inside.
static enum dc_status find_rows(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                const struct dc_trajectory *trajectory, struct linearization *l, struct dc_error *error)
{
  size_t nv = l->nv, targets = (l->width - 3 * nv) / 2;
  enum dc_status status = dc_rollout_adjoint_block(rollout, input, trajectory, l->count, l->rows, error);
  for (size_t i = 0; i < (size_t)l->count && !status; i++) {
    const struct dc_rollout_cotangent *c = l->rows[i].input;
    double *row = i < nv ? l->end + i * l->width : l->inside + (i - nv) * l->width;
    memcpy(row, c->q, nv * sizeof *row);
    memcpy(row + nv, c->velocity, nv * sizeof *row);
    memcpy(row + 2 * nv, c->target_position, targets * sizeof *row);
    memcpy(row + 2 * nv + targets, c->target_velocity, targets * sizeof *row);
    memcpy(row + 2 * nv + 2 * targets, c->force, nv * sizeof *row);
  }
  for (size_t i = 0; i < nv && (size_t)l->count == nv; i++)
    l->inside[i * l->width + i] = 1;  // the state before
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

// Splits rows [nv][width] into the two matrices, where they are rows from first on.
static void split(const struct linearization *l, const double *rows, size_t first, double *state, double *drive)
{
  size_t states = 2 * l->nv, drives = l->width - states;
  for (size_t i = 0; i < l->nv; i++) {
    memcpy(state + (first + i) * states, rows + i * l->width, states * sizeof *state);
    memcpy(drive + (first + i) * drives, rows + i * l->width + states, drives * sizeof *drive);
  }
}

// Rows of the state first, then those of the velocity as differences of rows, joint part by joint part.
static enum dc_status linearize(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                const struct dc_trajectory *trajectory, struct linearization *l, double *state,
                                double *drive, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t inside = (size_t)trajectory->between.count;
  double at, length;
  enum dc_status status = find_rows(rollout, input, trajectory, l, error);
  if (status)
    return status;
  dc_trajectory_state(trajectory, 0, (int)inside, &at);
  length = trajectory->time_step * (1 - at);
  dc_trajectory_velocity(rollout->model, input, trajectory, 1, l->velocity);
  split(l, l->end, 0, state, drive);
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++)
      difference_rows(l, &bodies->bodies[i].parts[p], length, l->differences);
  split(l, l->differences, l->nv, state, drive);
  return DC_OK;
}

// state [2 nv][2 nv] and drive [2 nv][2 actuators + nv] are rows of an adjoint over one step (readout.h).
enum dc_status dc_step_linearize(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                 const struct dc_trajectory *trajectory, double *state, double *drive,
                                 struct dc_error *error)
{
  struct linearization l = {0};
  if (!dc_model_has_adjoint(rollout->model))
    return dc_fail(error, DC_BAD_INPUT, "the contact model \"%s\" has no derivatives of a step",
                   rollout->model->definition.contact_model->name);
  l.arena = dc_arena_create();
  enum dc_status status = create(rollout->model, trajectory, &l, error);
  if (!status)
    status = linearize(rollout, input, trajectory, &l, state, drive, error);
  destroy(&l);
  return status;
}
