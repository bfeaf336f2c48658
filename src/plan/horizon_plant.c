// SPDX-License-Identifier: Apache-2.0
// A receding horizon whose steps are executed in a plant: where its windows start (docs/theory.md, "The plant").
//
// The plant's frame q_p cannot be the start of a window: its contact may be closer than the planning world bears, or, of
// soft contacts, in surfaces that overlap.  But the frame q that the last window foresaw is one of the planning world.  One
// step of that world leads from there towards the plant,
//
//   q_s = argmin |q' - q_p|^2_M / (2 h^2) + mu V(q'),
//
// which is its own step from q with velocity (q_p - q) / h when nothing but inertia, contact and what joints allow acts.
// Like every step it crosses nothing.  The window then starts from q_s with the plant's velocity v: the state before is
// q_s - h v.  Where the plant did what was foreseen, bit for bit, the window goes on as if there was no plant.
//
// A trial executes all steps of a window in the plant without recording them: the plant is a simulator and can be asked.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/horizon_internal.h"

struct dc_horizon_plant {
  struct dc_execution *execution;
  struct dc_rollout_input *input;    // of the step towards the plant
  struct dc_trajectory *trajectory;  // of it
  double *q;                         // [nq] the next window's start
  double *q_before;                  // [nq] the plant's state before its last frame
  double before_length;              // s between them
  bool moved;                        // q is not the plant's frame
  // Of trials; NULL without.
  struct dc_execution *trial;
  struct dc_rollout_input *tried;
  struct dc_trajectory *outcome;
};

struct dc_horizon_plant *dc_horizon_plant_create(const struct dc_plant *plant, const struct dc_model *model, int steps,
                                                 struct dc_error *error)
{
  struct dc_horizon_plant *own = dc_alloc(1, sizeof *own);
  if (!own) {
    dc_fail(error, DC_MEMORY, "out of memory for a plant");
    return NULL;
  }
  own->execution = dc_execution_create(plant, steps, error);
  if (!own->execution) {
    dc_horizon_plant_destroy(own);
    return NULL;
  }
  own->input = dc_rollout_input_create(model, 1);
  own->trajectory = dc_record_create(model, 1);
  own->q = dc_alloc((size_t)model->bodies.nq, sizeof *own->q);
  own->q_before = dc_alloc((size_t)model->bodies.nq, sizeof *own->q_before);
  if (own->input && own->trajectory && own->q && own->q_before)
    return own;
  dc_fail(error, DC_MEMORY, "out of memory for a plant");
  dc_horizon_plant_destroy(own);
  return NULL;
}

enum dc_status dc_horizon_plant_add_trials(struct dc_horizon_plant *own, const struct dc_plant *plant,
                                           const struct dc_model *model, int steps, struct dc_error *error)
{
  own->trial = dc_execution_create(plant, steps, error);
  if (!own->trial)
    return error ? error->status : DC_MEMORY;
  own->tried = dc_rollout_input_create(model, steps);
  own->outcome = dc_record_create(model, steps);
  if (!own->tried || !own->outcome || dc_record_add_velocity(own->outcome, steps))
    return dc_fail(error, DC_MEMORY, "out of memory for trials in a plant");
  return DC_OK;
}

void dc_horizon_plant_destroy(struct dc_horizon_plant *own)
{
  if (!own)
    return;
  dc_execution_destroy(own->trial);
  dc_rollout_input_destroy(own->tried);
  dc_trajectory_destroy(own->outcome);
  dc_execution_destroy(own->execution);
  dc_rollout_input_destroy(own->input);
  dc_trajectory_destroy(own->trajectory);
  free(own->q);
  free(own->q_before);
  free(own);
}

// Where the plant is; all zeros at the start of the run.
static struct dc_plan_start plant_state(const struct dc_receding_horizon *h)
{
  const struct dc_trajectory *executed = h->executed;
  size_t k = (size_t)executed->steps;
  if (k == 0)
    return (struct dc_plan_start){0};
  return (struct dc_plan_start){.q = executed->q + k * (size_t)executed->nq,
                                .velocity = executed->velocity + k * (size_t)executed->nv,
                                .q_before = h->plant->q_before,
                                .before_length = h->plant->before_length};
}

struct dc_plan_start dc_horizon_plant_start(const struct dc_receding_horizon *h)
{
  struct dc_plan_start start = plant_state(h);
  if (!h->plant->moved)
    return start;
  start.q = h->plant->q;
  start.q_before = NULL;
  return start;
}

enum dc_status dc_horizon_execute(struct dc_receding_horizon *h, int count, struct dc_error *error)
{
  size_t k = (size_t)h->executed->steps, actuators = (size_t)h->model->bodies.actuator_count;
  const double *before = k > 0 ? h->target_position + (k - 1) * actuators : NULL;
  struct dc_plan_start start = plant_state(h);
  enum dc_status status =
      dc_execution_run(h->plant->execution, h->plan->input, &start, before, count, h->executed, error);
  if (status) {
    dc_error_prefix(error, "after step %zu", k);
    return status == DC_INFEASIBLE ? DC_NUMERICAL : status;
  }
  struct dc_plan_start end = dc_execution_end(h->plant->execution);
  memcpy(h->plant->q_before, end.q_before, (size_t)h->executed->nq * sizeof *end.q_before);
  h->plant->before_length = end.before_length;
  return DC_OK;
}

// Frame 0 of the outcome is the last executed one.
static void begin_outcome(const struct dc_receding_horizon *h, struct dc_trajectory *outcome)
{
  const struct dc_trajectory *executed = h->executed;
  size_t k = (size_t)executed->steps, nq = (size_t)executed->nq, nv = (size_t)executed->nv;
  size_t bodies = (size_t)executed->bodies;
  outcome->steps = outcome->between.count = outcome->unconverged_steps = 0;
  outcome->largest_residual = 0;
  outcome->min_gap[0] = executed->min_gap[k];
  memcpy(outcome->q, executed->q + k * nq, nq * sizeof *outcome->q);
  memcpy(outcome->velocity, executed->velocity + k * nv, nv * sizeof *outcome->velocity);
  memcpy(outcome->poses, executed->poses + k * bodies, bodies * sizeof *outcome->poses);
}

double dc_horizon_trial(struct dc_receding_horizon *h, const double *parameters, bool *reached)
{
  struct dc_horizon_plant *own = h->plant;
  size_t k = (size_t)h->executed->steps, actuators = (size_t)h->model->bodies.actuator_count;
  int steps = h->plan->window.steps;
  const double *before = k > 0 ? h->target_position + (k - 1) * actuators : NULL;
  struct dc_plan_start start = plant_state(h);
  own->tried->steps = steps;
  dc_rollout_input_reset(h->model, own->tried);
  dc_task_apply(h->task, h->model, &h->plan->window, h->plan->state, parameters, own->tried);
  begin_outcome(h, own->outcome);
  *reached = false;
  if (dc_execution_run(own->trial, own->tried, &start, before, steps, own->outcome, NULL))
    return INFINITY;
  *reached = dc_task_success(h->task, h->model, own->outcome, steps);
  struct dc_trajectory last = dc_horizon_frame_of(own->outcome, steps);
  double loss = dc_task_loss(h->task, h->model, own->tried, &last, NULL);
  return isfinite(loss) ? loss : INFINITY;
}

// Neither gravity nor actuators: inertia, contact, limits and couplings are left.
static void free_of_forces(const struct dc_model *model, struct dc_rollout_input *input)
{
  size_t bytes = (size_t)model->bodies.count * sizeof(double);
  dc_rollout_input_reset(model, input);
  memset(input->design.gravity, 0, sizeof input->design.gravity);
  memset(input->design.kp_scale, 0, bytes);
  memset(input->design.kd_scale, 0, bytes);
}

enum dc_status dc_horizon_place(struct dc_receding_horizon *h, const double *foreseen, struct dc_error *error)
{
  struct dc_horizon_plant *own = h->plant;
  const struct dc_bodies *bodies = &h->model->bodies;
  size_t nq = (size_t)bodies->nq;
  const double *q = h->executed->q + (size_t)h->executed->steps * nq;
  own->moved = memcmp(foreseen, q, nq * sizeof *q) != 0;
  h->foreseen &= !own->moved || own->trial;  // else what the plan ends with is no more certain
  if (!own->moved)
    return DC_OK;
  free_of_forces(h->model, own->input);
  memcpy(own->input->q, foreseen, nq * sizeof *q);
  dc_state_difference(bodies, foreseen, q, own->input->velocity);
  for (int v = 0; v < bodies->nv; v++)
    own->input->velocity[v] /= h->model->definition.time.step;
  dc_rollout_set_conservative(h->plan->rollout, true);
  enum dc_status status = dc_rollout_forward(h->plan->rollout, own->input, own->trajectory, error);
  dc_rollout_set_conservative(h->plan->rollout, false);
  if (status) {
    dc_error_prefix(error, "start of the window after step %d, on the way to where the plant is", h->executed->steps);
    return status == DC_INFEASIBLE ? DC_NUMERICAL : status;
  }
  memcpy(own->q, own->trajectory->q + nq, nq * sizeof *own->q);
  return DC_OK;
}

enum dc_status dc_horizon_plant_save(const struct dc_receding_horizon *h, struct dc_snapshot *snapshot)
{
  const struct dc_horizon_plant *own = h->plant;
  size_t nq = h->executed->steps ? (size_t)h->executed->nq : 0;
  double numbers[2] = {own->before_length, own->moved};
  enum dc_status status = dc_snapshot_put_reals(snapshot, "horizon/plant/q_before", nq, own->q_before);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/plant/start", own->moved ? nq : 0, own->q);
  return status ? status : dc_snapshot_put_reals(snapshot, "horizon/plant/numbers", 2, numbers);
}

enum dc_status dc_horizon_plant_load(struct dc_receding_horizon *h, const struct dc_snapshot *snapshot,
                                     struct dc_error *error)
{
  struct dc_horizon_plant *own = h->plant;
  size_t nq = h->executed->steps ? (size_t)h->executed->nq : 0;
  double numbers[2];
  enum dc_status status = dc_snapshot_get_reals(snapshot, "horizon/plant/numbers", 2, numbers, error);
  if (status)
    return status;
  own->before_length = numbers[0];
  own->moved = numbers[1] != 0;
  if (nq && !(own->before_length > 0 && own->before_length <= h->model->definition.time.step))
    return dc_fail(error, DC_CHECKPOINT, "horizon/plant/numbers: holds %g", own->before_length);
  status = dc_horizon_get_states(h, snapshot, "horizon/plant/q_before", nq > 0, own->q_before, error);
  return status ? status
                : dc_horizon_get_states(h, snapshot, "horizon/plant/start", nq > 0 && own->moved, own->q, error);
}
