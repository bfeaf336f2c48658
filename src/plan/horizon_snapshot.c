// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a receding horizon: everything on which its rest depends, saved between two calls.
//
// Executed frames are saved as they are, since a plant may not be able to repeat them.  Poses follow from
// coordinates.  Trajectories of the open window are rolled out again by its plan.  What is read is checked before it
// is used: sizes against the scene, times of states within their steps, rotations for being some.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/horizon_internal.h"

enum { COUNTS = 10 };
enum { INITIAL_LOSS, LOSS, LOWEST_LOSS, GRADIENT_NORM, LARGEST_RESIDUAL, PROGRESS, VALUES };
static const long MOST_COUNTED = LONG_MAX / 4;  // so that sums of some of them do not overflow

// Counts of every step: Newton iterations, evaluations, convergence, substeps.
enum { STEP_COUNTS = 4 };

// Counts of each executed step.
static enum dc_status save_counts(const struct dc_trajectory *executed, struct dc_snapshot *snapshot)
{
  size_t k = (size_t)executed->steps;
  long *steps = dc_alloc(STEP_COUNTS * k, sizeof *steps);
  if (!steps)
    return DC_MEMORY;
  for (size_t t = 0; t < k; t++) {
    long *counts = steps + STEP_COUNTS * t;
    counts[0] = executed->newton_iterations[t];
    counts[1] = executed->evaluations[t];
    counts[2] = executed->converged[t];
    counts[3] = dc_trajectory_substeps(executed, (int)t);
  }
  enum dc_status status = dc_snapshot_put_integers(snapshot, "horizon/executed/step_counts", STEP_COUNTS * k, steps);
  free(steps);
  return status;
}

// Memories of intervals: the number of each step's memory, then of each state's between, and all memories.
static enum dc_status save_memories(const struct dc_trajectory *executed, struct dc_snapshot *snapshot)
{
  size_t k = (size_t)executed->steps, between = (size_t)executed->between.count;
  long *numbers = dc_alloc(k + between, sizeof *numbers), count = executed->memories.count;
  if (!numbers)
    return DC_MEMORY;
  for (size_t i = 0; i < k + between; i++)
    numbers[i] = i < k ? executed->remembers[i] : executed->between.remembers[i - k];
  enum dc_status status = dc_snapshot_put_integers(snapshot, "horizon/executed/memory_count", 1, &count);
  if (!status)
    status = dc_snapshot_put_integers(snapshot, "horizon/executed/remembers", k + between, numbers);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/executed/memories",
                                   (size_t)count * (size_t)executed->memory_count, executed->memories.numbers);
  free(numbers);
  return status;
}

// The same, read back after states between.
static enum dc_status load_memories(struct dc_trajectory *executed, const struct dc_snapshot *snapshot,
                                    struct dc_error *error)
{
  struct dc_memories *memories = &executed->memories;
  size_t k = (size_t)executed->steps, between = (size_t)executed->between.count, each = (size_t)executed->memory_count;
  long count, *numbers = dc_alloc(k + between, sizeof *numbers);
  enum dc_status status = numbers ? DC_OK : dc_out_of_memory_for(error, "a checkpoint");
  if (!status)
    status = dc_snapshot_get_counts(snapshot, "horizon/executed/memory_count", 1, (long)(k + between), &count, error);
  if (!status)
    status = dc_snapshot_get_counts(snapshot, "horizon/executed/remembers", k + between, count, numbers, error);
  if (!status && dc_grow(&memories->numbers, &memories->capacity, (size_t)count * each, sizeof *memories->numbers))
    status = dc_out_of_memory_for(error, "a checkpoint");
  if (!status)
    status =
        dc_horizon_get_reals(snapshot, "horizon/executed/memories", (size_t)count * each, memories->numbers, error);
  memories->count = status ? 0 : (int)count;
  for (size_t i = 0; i < k + between && !status; i++)
    *(i < k ? &executed->remembers[i] : &executed->between.remembers[i - k]) = (int)numbers[i];
  free(numbers);
  return status;
}

// States, targets and states inside of divided steps that were executed.
static enum dc_status save_executed(const struct dc_receding_horizon *h, struct dc_snapshot *snapshot)
{
  const struct dc_trajectory *executed = h->executed;
  size_t k = (size_t)executed->steps, targets = k * (size_t)h->model->bodies.actuator_count;
  size_t between = (size_t)executed->between.count, nq = (size_t)executed->nq;
  enum dc_status status = save_counts(executed, snapshot);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/executed/q", (k + 1) * nq, executed->q);
  if (!status && executed->velocity)
    status = dc_snapshot_put_reals(snapshot, "horizon/executed/velocity", (k + 1) * (size_t)executed->nv,
                                   executed->velocity);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/executed/min_gap", k + 1, executed->min_gap);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/executed/between_at", between, executed->between.at);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/executed/between_q", between * nq, executed->between.q);
  if (!status)
    status = save_memories(executed, snapshot);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/target_position", targets, h->target_position);
  return status ? status : dc_snapshot_put_reals(snapshot, "horizon/target_velocity", targets, h->target_velocity);
}

// Poses of all executed frames from their coordinates.
static enum dc_status pose_executed(struct dc_receding_horizon *h, struct dc_error *error)
{
  const struct dc_trajectory *executed = h->executed;
  enum dc_status status = DC_OK;
  for (int f = 0; f <= executed->steps && !status; f++)
    status = dc_horizon_pose(h, "horizon/executed/q", f, executed->q + (size_t)f * (size_t)executed->nq,
                             executed->poses + (size_t)f * (size_t)executed->bodies, error);
  return status;
}

// Loads the states inside of divided steps; substeps [steps].
static enum dc_status load_between(struct dc_trajectory *executed, const long *substeps, size_t stride,
                                   const struct dc_snapshot *snapshot, struct dc_error *error)
{
  size_t count = 0, nq = (size_t)executed->nq, k = (size_t)executed->steps;
  for (size_t t = 0; t < k; t++) {
    if (substeps[stride * t] < 1)
      return dc_fail(error, DC_CHECKPOINT, "horizon/executed/step_counts: step %zu has no part", t + 1);
    count += (size_t)substeps[stride * t] - 1;
  }
  if (count > (size_t)INT_MAX / 2)
    return dc_fail(error, DC_CHECKPOINT, "horizon/executed/step_counts: %zu parts of steps", count);
  double *at = dc_alloc(count, sizeof *at), *q = dc_alloc(count * nq, sizeof *q);
  enum dc_status status = at && q ? DC_OK : dc_out_of_memory_for(error, "a checkpoint");
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "horizon/executed/between_at", count, at, error);
  if (!status)
    status = dc_horizon_get_reals(snapshot, "horizon/executed/between_q", count * nq, q, error);
  dc_trajectory_clear_between(executed);
  for (size_t t = 0, i = 0; t < k && !status; t++) {
    executed->between_first[t + 1] = executed->between.count;
    for (long part = 1; part < substeps[stride * t] && !status; part++, i++) {
      if (!(at[i] > 0 && at[i] < 1 && (part == 1 || at[i] > at[i - 1])))
        status = dc_fail(error, DC_CHECKPOINT, "horizon/executed/between_at: holds %g", at[i]);
      else if (dc_trajectory_add_between(executed, (int)t, at[i], q + i * nq, NULL, NULL))
        status = dc_out_of_memory_for(error, "a checkpoint");
    }
  }
  free(at);
  free(q);
  return status;
}

// The same, read back into the trajectory.
static enum dc_status load_executed(struct dc_receding_horizon *h, int count, const struct dc_snapshot *snapshot,
                                    struct dc_error *error)
{
  struct dc_trajectory *executed = h->executed;
  size_t k = (size_t)count, targets = k * (size_t)h->model->bodies.actuator_count, nq = (size_t)executed->nq;
  long *steps = dc_alloc(STEP_COUNTS * k, sizeof *steps);
  if (!steps)
    return dc_out_of_memory_for(error, "a checkpoint");
  enum dc_status status = dc_snapshot_get_counts(snapshot, "horizon/executed/step_counts", STEP_COUNTS * k,
                                                 INT_MAX / (count + 1), steps, error);
  if (!status)
    status = dc_horizon_get_reals(snapshot, "horizon/executed/q", (k + 1) * nq, executed->q, error);
  if (!status && executed->velocity)
    status = dc_horizon_get_reals(snapshot, "horizon/executed/velocity", (k + 1) * (size_t)executed->nv,
                                  executed->velocity, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "horizon/executed/min_gap", k + 1, executed->min_gap, error);
  if (!status)
    status = dc_horizon_get_reals(snapshot, "horizon/target_position", targets, h->target_position, error);
  if (!status)
    status = dc_horizon_get_reals(snapshot, "horizon/target_velocity", targets, h->target_velocity, error);
  executed->steps = count;
  if (!status)
    status = load_between(executed, steps + STEP_COUNTS - 1, STEP_COUNTS, snapshot, error);
  if (!status)
    status = load_memories(executed, snapshot, error);
  for (size_t t = 0; !status && t < k; t++) {
    const long *counts = steps + STEP_COUNTS * t;
    executed->newton_iterations[t] = (int)counts[0];
    executed->evaluations[t] = (int)counts[1];
    executed->converged[t] = counts[2] != 0;
    executed->unconverged_steps += !executed->converged[t];
  }
  free(steps);
  return status ? status : pose_executed(h, error);
}

// Saves counts and losses, parameters of the window and of all steps applied, the state, executed frames, and the plan
// of the present window.
enum dc_status dc_horizon_save(const struct dc_receding_horizon *h, struct dc_snapshot *snapshot)
{
  long counts[COUNTS] = {h->executed->steps, h->iterations,           h->idle,    h->success, h->begun, h->window.open,
                         h->window.retried,  h->window.newton_before, h->stalled, h->foreseen};
  double values[VALUES] = {[INITIAL_LOSS] = h->initial_loss,
                           [LOSS] = h->loss,
                           [LOWEST_LOSS] = h->lowest_loss,
                           [GRADIENT_NORM] = h->window.gradient_norm,
                           [LARGEST_RESIDUAL] = h->executed->largest_residual,
                           [PROGRESS] = h->progress};
  size_t window = (size_t)dc_task_parameter_count(h->task, h->model, dc_horizon_window_steps(h));
  size_t whole = (size_t)dc_task_parameter_count(h->task, h->model, h->steps);
  enum dc_status status = dc_snapshot_put_integers(snapshot, "horizon/counts", COUNTS, counts);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/values", VALUES, values);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/parameters", window, h->parameters);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/applied", whole, h->applied);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/state", (size_t)h->plan->sizes.state, h->plan->state);
  if (!status)
    status = save_executed(h, snapshot);
  if (!status && h->plant)
    status = dc_horizon_plant_save(h, snapshot);
  return status ? status : dc_plan_save(h->plan, snapshot);
}

// Reads the counts and checks them against the scene.
static enum dc_status load_counts(struct dc_receding_horizon *h, const struct dc_snapshot *snapshot,
                                  struct dc_error *error)
{
  long counts[COUNTS];
  double values[VALUES];
  enum dc_status status = dc_snapshot_get_counts(snapshot, "horizon/counts", COUNTS, MOST_COUNTED, counts, error);
  if (!status)
    status = dc_snapshot_get_reals(snapshot, "horizon/values", VALUES, values, error);
  if (status)
    return status;
  if (counts[0] > h->steps)
    return dc_fail(error, DC_CHECKPOINT, "the checkpoint is at step %ld of %d", counts[0], h->steps);
  if (counts[1] > INT_MAX / 2)
    return dc_fail(error, DC_CHECKPOINT, "the checkpoint was written after %ld iterations", counts[1]);
  if (!isfinite(values[INITIAL_LOSS]) || !isfinite(values[LOSS]) || !isfinite(values[LOWEST_LOSS]))
    return dc_fail(error, DC_CHECKPOINT, "horizon/values: a loss is not finite");
  h->iterations = (int)counts[1];
  h->idle = counts[2];
  h->success = counts[3] != 0;
  h->begun = counts[4] != 0;
  h->window.open = counts[5] != 0;
  h->window.retried = counts[6] != 0;
  h->window.newton_before = counts[7];
  h->stalled = counts[8];
  h->foreseen = counts[9] != 0;
  h->initial_loss = values[INITIAL_LOSS];
  h->loss = values[LOSS];
  h->lowest_loss = values[LOWEST_LOSS];
  h->window.gradient_norm = values[GRADIENT_NORM];
  h->executed->largest_residual = values[LARGEST_RESIDUAL];
  h->progress = values[PROGRESS];
  return load_executed(h, (int)counts[0], snapshot, error);
}

// Loads the same, in the order in which sizes become known: counts first, which tell the window.
enum dc_status dc_horizon_load(struct dc_receding_horizon *h, const struct dc_snapshot *snapshot,
                               struct dc_error *error)
{
  enum dc_status status = load_counts(h, snapshot, error);
  if (status)
    return status;
  size_t window = (size_t)dc_task_parameter_count(h->task, h->model, dc_horizon_window_steps(h));
  size_t whole = (size_t)dc_task_parameter_count(h->task, h->model, h->steps);
  status = dc_horizon_get_reals(snapshot, "horizon/parameters", window, h->parameters, error);
  if (!status)
    status = dc_horizon_get_reals(snapshot, "horizon/applied", whole, h->applied, error);
  if (!status)
    status = dc_horizon_get_reals(snapshot, "horizon/state", (size_t)h->plan->sizes.state, h->plan->state, error);
  if (!status && h->plant)
    status = dc_horizon_plant_load(h, snapshot, error);
  dc_horizon_set_start(h);
  if (!status && h->window.open)
    status = dc_horizon_begin_window(h, error);
  return status ? status : dc_plan_load(h->plan, snapshot, error);
}
