// SPDX-License-Identifier: Apache-2.0
// Executes steps of a plan in a plant: start and design are taken over, targets are interpolated to the plant's
// steps, and the rollout is condensed to frames at the plan's time steps.
//
// A plant is a model with its own contact, friction or simulator and with `substeps` of its steps in one of the
// plan's.  Its bodies and actuators are those of the plan, in the same order.
#include "plan/plant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dc_execution {
  const struct dc_plant *plant;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;    // input of the plant's steps
  struct dc_trajectory *trajectory;  // trajectory of the plant's steps
  int capacity;                      // most steps of the plan
  double *velocity;                  // [nv] at the end
  double friction;                   // factor on the design's friction
};

// The start from which a trajectory goes on: its last state, the state before it, and the time between.
struct dc_plan_start dc_plan_go_on(const struct dc_model *model, const struct dc_trajectory *trajectory,
                                   double *velocity)
{
  const struct dc_bodies *bodies = &model->bodies;
  // The last interval may be a part of a divided step; a velocity that the simulator does not record is the mean over
  // it.
  int last = trajectory->steps - 1;
  double at;
  struct dc_plan_start start = {.q = trajectory->q + (size_t)trajectory->steps * (size_t)bodies->nq,
                                .velocity = velocity};
  start.q_before = dc_trajectory_state(trajectory, last, dc_trajectory_substeps(trajectory, last) - 1, &at);
  start.before_length = trajectory->time_step * (1 - at);
  start.memory = dc_trajectory_memory(trajectory, last, dc_trajectory_substeps(trajectory, last));
  if (trajectory->velocity) {
    memcpy(velocity, trajectory->velocity + (size_t)trajectory->steps * (size_t)bodies->nv,
           (size_t)bodies->nv * sizeof *velocity);
    return start;
  }
  dc_state_difference(bodies, start.q_before, start.q, velocity);
  for (int i = 0; i < bodies->nv; i++)
    velocity[i] /= start.before_length;
  return start;
}

// A rollout of the plant with room for so many steps.
struct dc_execution *dc_execution_create(const struct dc_plant *plant, int steps, struct dc_error *error)
{
  struct dc_execution *execution = dc_alloc(1, sizeof *execution);
  if (!execution) {
    dc_out_of_memory_for(error, "a plant");
    return NULL;
  }
  execution->plant = plant;
  execution->capacity = steps;
  execution->friction = 1;
  execution->rollout = dc_rollout_create(&plant->model, error);
  if (!execution->rollout) {
    dc_execution_destroy(execution);
    return NULL;
  }
  execution->input = dc_rollout_input_create(&plant->model, steps * plant->substeps);
  execution->trajectory = dc_record_create(&plant->model, steps * plant->substeps);
  execution->velocity = dc_alloc((size_t)plant->model.bodies.nv, sizeof *execution->velocity);
  if (execution->input && execution->trajectory && execution->velocity)
    return execution;
  dc_out_of_memory_for(error, "%d steps of a plant", steps * plant->substeps);
  dc_execution_destroy(execution);
  return NULL;
}

void dc_execution_destroy(struct dc_execution *execution)
{
  if (!execution)
    return;
  dc_rollout_destroy(execution->rollout);
  dc_rollout_input_destroy(execution->input);
  dc_trajectory_destroy(execution->trajectory);
  free(execution->velocity);
  free(execution);
}

void dc_execution_set_proceed(struct dc_execution *execution, dc_rollout_proceed *proceed, void *context)
{
  dc_rollout_set_proceed(execution->rollout, proceed, context);
}

void dc_execution_set_friction(struct dc_execution *execution, double factor)
{
  execution->friction = factor;
}

struct dc_rollout *dc_execution_rollout(struct dc_execution *execution)
{
  return execution->rollout;
}

struct dc_plan_start dc_execution_end(const struct dc_execution *execution)
{
  return dc_plan_go_on(&execution->plant->model, execution->trajectory, execution->velocity);
}

// Sets start and design of the plant's rollout: the plan's, or what the plant has instead.
static void take_start(struct dc_execution *execution, const struct dc_rollout_input *from,
                       const struct dc_plan_start *start)
{
  const struct dc_plant *plant = execution->plant;
  const struct dc_bodies *bodies = &plant->model.bodies;
  struct dc_rollout_input *input = execution->input;
  dc_rollout_input_copy_start(&plant->model, plant->instead ? plant->instead : from, input);
  for (int i = 0; i < bodies->count; i++)
    input->design.friction_scale[i] *= execution->friction;
  if (!start->q)
    return;
  memcpy(input->q, start->q, (size_t)bodies->nq * sizeof *input->q);
  memcpy(input->velocity, start->velocity, (size_t)bodies->nv * sizeof *input->velocity);
  input->q_before = start->q_before;
  input->before_length = start->before_length;
  input->memory = start->memory;
}

// Interpolates position targets: s / n of the way from one row to the next; the last one is the row itself, bit for
// bit. `before` [actuators] is the row before the first, NULL: zeros.  Velocity targets and given forces are those of
// the plan's step throughout.
static void take_targets(struct dc_execution *execution, const struct dc_rollout_input *from, const double *before,
                         int steps)
{
  struct dc_rollout_input *input = execution->input;
  size_t actuators = (size_t)execution->plant->model.bodies.actuator_count, bytes = actuators * sizeof(double);
  int n = execution->plant->substeps;
  input->steps = steps * n;
  for (int t = 0; t < steps; t++) {
    const double *end = from->target_position + (size_t)t * actuators, *begin = t > 0 ? end - actuators : before;
    for (int s = 1; s <= n; s++) {
      size_t row = ((size_t)t * (size_t)n + (size_t)s - 1) * actuators;
      double *position = input->target_position + row, part = (double)s / n;
      for (size_t i = 0; i < actuators && s < n; i++)
        position[i] = (1 - part) * (begin ? begin[i] : 0) + part * end[i];
      if (s == n)
        memcpy(position, end, bytes);
      memcpy(input->target_velocity + row, from->target_velocity + (size_t)t * actuators, bytes);
    }
  }
  size_t nv = (size_t)execution->plant->model.bodies.nv;
  for (int k = 0; k < steps * n && from->force; k++)  // given forces are constant over a step of the plan
    memcpy(input->force + (size_t)k * nv, from->force + (size_t)(k / n) * nv, nv * sizeof *input->force);
}

// Appends step t of the plan: combines the plant's steps t n ... (t + 1) n.
static enum dc_status append_step(const struct dc_execution *execution, int t, struct dc_trajectory *to)
{
  const struct dc_trajectory *from = execution->trajectory;
  int n = execution->plant->substeps, first = t * n;
  size_t k = (size_t)to->steps, end = (size_t)(first + n), nq = (size_t)to->nq, bodies = (size_t)to->bodies;
  memcpy(to->q + (k + 1) * nq, from->q + end * nq, nq * sizeof *to->q);
  memcpy(to->poses + (k + 1) * bodies, from->poses + end * bodies, bodies * sizeof *to->poses);
  to->min_gap[k + 1] = dc_trajectory_gap(from, first + 1, first + n);
  to->newton_iterations[k] = to->evaluations[k] = 0;
  to->converged[k] = true;
  for (int s = first; s < first + n; s++) {
    to->newton_iterations[k] += from->newton_iterations[s];
    to->evaluations[k] += from->evaluations[s];
    to->converged[k] &= from->converged[s];
  }
  to->unconverged_steps += !to->converged[k];
  to->between_first[k + 1] = to->between.count;
  enum dc_status status = DC_OK;
  bool same = n == 1 && from->memory_count == to->memory_count;
  // States inside of divided steps are kept where a step of the plant is a step of the plan.
  for (int i = from->between_first[first], part = 1; n == 1 && i < from->between_first[first + 1] && !status;
       i++, part++)
    status = dc_trajectory_add_between(to, (int)k, from->between.at[i], from->between.q + (size_t)i * nq, NULL,
                                       same ? dc_trajectory_memory(from, first, part) : NULL);
  if (!status)
    status = dc_trajectory_remember(
        to, (int)k, same ? dc_trajectory_memory(from, first, dc_trajectory_substeps(from, first)) : NULL);
  to->steps++;
  return status;
}

// Velocities at the ends of the plan's steps: those of the plant's last step before each.
static void note_velocities(struct dc_execution *execution, int steps, struct dc_trajectory *executed)
{
  struct dc_trajectory until = *execution->trajectory;
  size_t nv = (size_t)executed->nv, first = (size_t)(executed->steps - steps);
  for (int t = 1; t <= steps && executed->velocity; t++) {
    until.steps = t * execution->plant->substeps;
    dc_plan_go_on(&execution->plant->model, &until, executed->velocity + (first + (size_t)t) * nv);
  }
}

// Runs the plant with the plan's targets from a start, and appends a frame for each whole step of the plan that was
// made, also when it was stopped.
enum dc_status dc_execution_run(struct dc_execution *execution, const struct dc_rollout_input *input,
                                const struct dc_plan_start *start, const double *before, int steps,
                                struct dc_trajectory *executed, struct dc_error *error)
{
  struct dc_trajectory *trajectory = execution->trajectory;
  if (input->force && !execution->input->force)
    return dc_fail(error, DC_BAD_INPUT, "forces of controls (\"torque\") cannot be executed in another world");
  take_start(execution, input, start);
  take_targets(execution, input, before, steps);
  trajectory->steps = steps * execution->plant->substeps;
  enum dc_status status = dc_rollout_forward(execution->rollout, execution->input, trajectory, error);
  if (status && status != DC_STOPPED) {
    dc_error_prefix(error, "in the plant");
    return status;
  }
  int done = trajectory->steps / execution->plant->substeps;
  for (int t = 0; t < done; t++)
    if (append_step(execution, t, executed))
      return dc_out_of_memory_for(error, "the steps that were executed");
  note_velocities(execution, done, executed);
  executed->largest_residual = fmax(executed->largest_residual, trajectory->largest_residual);
  return status;
}

// Executes the first steps from the input's own start; frame 0 is taken from the execution.
enum dc_status dc_execution_begin(struct dc_execution *execution, const struct dc_rollout_input *input, int steps,
                                  struct dc_trajectory *executed, struct dc_error *error)
{
  static const struct dc_plan_start own = {0};
  const struct dc_trajectory *trajectory = execution->trajectory;
  executed->steps = executed->unconverged_steps = executed->regularized_steps = 0;
  dc_trajectory_clear_between(executed);
  executed->largest_residual = 0;
  enum dc_status status = dc_execution_run(execution, input, &own, NULL, steps, executed, error);
  if (status && status != DC_STOPPED)
    return status;
  memcpy(executed->q, trajectory->q, (size_t)executed->nq * sizeof *executed->q);
  memcpy(executed->poses, trajectory->poses, (size_t)executed->bodies * sizeof *executed->poses);
  executed->min_gap[0] = trajectory->min_gap[0];
  if (executed->velocity && executed->nv)
    memcpy(executed->velocity, input->velocity, (size_t)executed->nv * sizeof *executed->velocity);
  return status;
}
