// SPDX-License-Identifier: Apache-2.0
// A receding horizon whose steps are executed in a plant: starts of windows, and trials (docs/theory.md, "The plant").
//
// The plant's frame q_p cannot be the start of a window: in its contact bodies may be closer than the planning world
// allows, or overlap where contact is soft.  But the frame q foreseen by the last window is a state of the planning
// world.  One step of that world leads from there towards the plant,
//
//     q_s = argmin |q' - q_p|^2_M / (2 h^2) + mu V(q'),
//
// which is its own step from q with velocity (q_p - q) / h under inertia, contact and joints alone.  Like every step it
// passes through nothing.  The window then starts from q_s with the plant's velocity v: the state before is q_s - h v.
// Where the plant did exactly what was foreseen, the window continues as if there were no plant.
//
// A trial executes all steps of a window in the plant without recording them.
//
// The simulator's friction may be wrong; then trials use several factors on it.  After every window each factor
// predicts the applied steps from the plant's state, and the squared distances of bodies from where they really came to
// rest are added to its error.  A factor counts as long as no other one has predicted twice as well.
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
  double before_length;              // length of the interval between them, s
  size_t impact_count;               // of dc_trajectory_memory of the plant
  // Numbers that impacts have left there; behind them 0 where the plan's model remembers more numbers (bounces on
  // time).
  double *impacts;
  bool moved;  // q differs from the plant's frame
  // Trials; NULL without.
  struct dc_execution *trial;
  struct dc_rollout_input *tried;
  struct dc_trajectory *outcome;
  int factor_count;       // of friction
  const double *factors;  // [factor_count]
  double *predicted;      // [factor_count][bodies][3] predicted centres of mass
  double *misses;         // [factor_count] accumulated squared errors, m^2
};

static const double WORSE = 4;  // ratio of squared errors at which a factor is dropped: (twice as well)^2
// Below this total squared error, m^2, the factors are indistinguishable.
static const double UNTOLD = 1e-6;
// Squared error of a prediction that cannot be executed, m^2.
static const double NOTHING_FORETOLD = 1;

// The plant of a horizon and inputs for single steps.
struct dc_horizon_plant *dc_horizon_plant_create(const struct dc_plant *plant, const struct dc_model *model, int steps,
                                                 struct dc_error *error)
{
  struct dc_horizon_plant *own = dc_alloc(1, sizeof *own);
  if (!own) {
    dc_out_of_memory_for(error, "a plant");
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
  own->impact_count = dc_model_memory_count(&plant->model);
  size_t planned = dc_model_memory_count(model);
  own->impacts = dc_alloc(own->impact_count > planned ? own->impact_count : planned, sizeof *own->impacts);
  if (own->input && own->trajectory && own->q && own->q_before && own->impacts)
    return own;
  dc_out_of_memory_for(error, "a plant");
  dc_horizon_plant_destroy(own);
  return NULL;
}

// A second execution in which windows are tried, for each factor of friction that is thought possible.
enum dc_status dc_horizon_plant_add_trials(struct dc_horizon_plant *own, const struct dc_horizon *horizon,
                                           const struct dc_model *model, int steps, struct dc_error *error)
{
  static const double as_it_is = 1;
  int given = horizon->trial_friction.count;
  own->factor_count = given ? given : 1;
  own->factors = given ? horizon->trial_friction.values : &as_it_is;
  own->trial = dc_execution_create(horizon->plant, steps, error);
  if (!own->trial)
    return error ? error->status : DC_MEMORY;
  own->misses = dc_alloc((size_t)own->factor_count, sizeof *own->misses);
  own->predicted = dc_alloc((size_t)own->factor_count * (size_t)model->bodies.count * 3, sizeof *own->predicted);
  own->tried = dc_rollout_input_create(model, steps);
  own->outcome = dc_record_create(model, steps);
  if (!own->misses || !own->predicted || !own->tried || !own->outcome || dc_record_add_velocity(own->outcome, steps))
    return dc_out_of_memory_for(error, "trials in a plant");
  return DC_OK;
}

void dc_horizon_plant_destroy(struct dc_horizon_plant *own)
{
  if (!own)
    return;
  dc_execution_destroy(own->trial);
  dc_rollout_input_destroy(own->tried);
  dc_trajectory_destroy(own->outcome);
  free(own->misses);
  free(own->predicted);
  dc_execution_destroy(own->execution);
  dc_rollout_input_destroy(own->input);
  dc_trajectory_destroy(own->trajectory);
  free(own->q);
  free(own->q_before);
  free(own->impacts);
  free(own);
}

// State of the plant; all zeros at the start of the run.
static struct dc_plan_start plant_state(const struct dc_receding_horizon *h)
{
  const struct dc_trajectory *executed = h->executed;
  size_t k = (size_t)executed->steps;
  if (k == 0)
    return (struct dc_plan_start){0};
  return (struct dc_plan_start){.q = executed->q + k * (size_t)executed->nq,
                                .velocity = executed->velocity + k * (size_t)executed->nv,
                                .q_before = h->plant->q_before,
                                .before_length = h->plant->before_length,
                                .memory = h->plant->impact_count ? h->plant->impacts : NULL};
}

struct dc_plan_start dc_horizon_plant_start(const struct dc_receding_horizon *h)
{
  struct dc_plan_start start = plant_state(h);
  if (!h->plant->moved)
    return start;
  start.q = h->plant->q;
  start.q_before = start.memory = NULL;
  return start;
}

// Frame 0 of the outcome is the last executed one.
static void begin_outcome(const struct dc_receding_horizon *h, struct dc_trajectory *outcome)
{
  const struct dc_trajectory *executed = h->executed;
  size_t k = (size_t)executed->steps, nq = (size_t)executed->nq, nv = (size_t)executed->nv;
  size_t bodies = (size_t)executed->bodies;
  outcome->steps = outcome->unconverged_steps = 0;
  dc_trajectory_clear_between(outcome);
  outcome->largest_residual = 0;
  outcome->min_gap[0] = executed->min_gap[k];
  memcpy(outcome->q, executed->q + k * nq, nq * sizeof *outcome->q);
  memcpy(outcome->velocity, executed->velocity + k * nv, nv * sizeof *outcome->velocity);
  memcpy(outcome->poses, executed->poses + k * bodies, bodies * sizeof *outcome->poses);
}

// The plant's last position targets; NULL at the start of the run.
static const double *targets_before(const struct dc_receding_horizon *h)
{
  size_t k = (size_t)h->executed->steps, actuators = (size_t)h->model->bodies.actuator_count;
  return k > 0 ? h->target_position + (k - 1) * actuators : NULL;
}

// Executes steps from the plant's state with a factor on friction; records only own->outcome.
static enum dc_status try_steps(struct dc_receding_horizon *h, const struct dc_rollout_input *input, int steps,
                                double factor)
{
  struct dc_horizon_plant *own = h->plant;
  struct dc_plan_start start = plant_state(h);
  begin_outcome(h, own->outcome);
  dc_execution_set_friction(own->trial, factor);
  return dc_execution_run(own->trial, input, &start, targets_before(h), steps, own->outcome, NULL);
}

// Predicts where the next steps lead with every factor; NAN where they cannot be executed.
static void foretell(struct dc_receding_horizon *h, int steps)
{
  struct dc_horizon_plant *own = h->plant;
  int bodies = h->model->bodies.count;
  for (int f = 0; f < own->factor_count; f++) {
    enum dc_status status = try_steps(h, h->plan->input, steps, own->factors[f]);
    const struct dc_pose *poses = own->outcome->poses + (size_t)steps * (size_t)bodies;
    double *predicted = own->predicted + 3 * (size_t)(f * bodies);
    for (int i = 0; i < 3 * bodies; i++)
      predicted[i] = status ? NAN : poses[i / 3].position[i % 3];
  }
}

// Adds the squared errors of the predictions.
static void compare(struct dc_receding_horizon *h)
{
  struct dc_horizon_plant *own = h->plant;
  int bodies = h->model->bodies.count;
  const struct dc_pose *poses = h->executed->poses + (size_t)h->executed->steps * (size_t)bodies;
  for (int f = 0; f < own->factor_count; f++) {
    const double *predicted = own->predicted + 3 * (size_t)(f * bodies);
    double missed = 0;
    for (int i = 0; i < 3 * bodies; i++) {
      double off = poses[i / 3].position[i % 3] - predicted[i];
      missed += off * off;
    }
    own->misses[f] += isfinite(missed) ? missed : NOTHING_FORETOLD;
  }
}

// Executes `count` steps of the window in the plant.  With several factors of friction their predictions are made
// before and compared with the states after.
enum dc_status dc_horizon_execute(struct dc_receding_horizon *h, int count, struct dc_error *error)
{
  struct dc_horizon_plant *own = h->plant;
  int k = h->executed->steps;
  bool several = own->trial && own->factor_count > 1;
  struct dc_plan_start start = plant_state(h);
  if (several)
    foretell(h, count);
  enum dc_status status =
      dc_execution_run(own->execution, h->plan->input, &start, targets_before(h), count, h->executed, error);
  if (status) {
    dc_error_prefix(error, "after step %d", k);
    return status == DC_INFEASIBLE ? DC_NUMERICAL : status;
  }
  if (several)
    compare(h);
  struct dc_plan_start end = dc_execution_end(own->execution);
  memcpy(own->q_before, end.q_before, (size_t)h->executed->nq * sizeof *end.q_before);
  own->before_length = end.before_length;
  if (own->impact_count)
    dc_trajectory_set_memory(own->impacts, own->impact_count, end.memory);
  return DC_OK;
}

// UNTOLD is added so that errors near zero, which say nothing, do not rule factors out.
bool dc_horizon_factor_counts(const struct dc_receding_horizon *h, int factor)
{
  const struct dc_horizon_plant *own = h->plant;
  double least = own->misses[0];
  for (int f = 1; f < own->factor_count; f++)
    least = fmin(least, own->misses[f]);
  return own->misses[factor] <= WORSE * least + UNTOLD;
}

// `earlier` lets objectives look at the frames before, which lie in front of the pointers.
struct dc_trajectory dc_horizon_frame_of(const struct dc_trajectory *whole, int frame)
{
  struct dc_trajectory single = *whole;
  single.steps = 0;
  single.earlier = frame;
  single.q += (size_t)frame * (size_t)single.nq;
  single.poses += (size_t)frame * (size_t)single.bodies;
  single.min_gap += frame;
  if (single.velocity)
    single.velocity += (size_t)frame * (size_t)single.nv;
  return single;
}

// Loss of the last frame with one factor; INFINITY when it cannot be executed.
static double try_factor(struct dc_receding_horizon *h, double factor, bool *reached)
{
  struct dc_horizon_plant *own = h->plant;
  int steps = h->plan->window.steps;
  *reached = false;
  if (try_steps(h, own->tried, steps, factor))
    return INFINITY;
  *reached = dc_task_success(h->task, h->model, own->tried, own->outcome, steps);
  struct dc_trajectory last = dc_horizon_frame_of(own->outcome, steps);
  double loss = dc_task_loss(h->task, h->model, own->tried, &last, NULL);
  return isfinite(loss) ? loss : INFINITY;
}

// The controls with parameters, as the input of a trial.
static void set_tried(struct dc_receding_horizon *h, const double *parameters)
{
  struct dc_horizon_plant *own = h->plant;
  own->tried->steps = h->plan->window.steps;
  dc_rollout_input_reset(h->model, own->tried);
  dc_task_apply(h->task, h->model, &h->plan->window, h->plan->state, parameters, own->tried);
}

// INFINITY where the plant fails or its loss is not finite; else *tried shows the trial, owned by the plant.
double dc_horizon_try_whole(struct dc_receding_horizon *h, const double *parameters, struct dc_horizon_tried *tried)
{
  struct dc_horizon_plant *own = h->plant;
  int steps = h->plan->window.steps;
  set_tried(h, parameters);
  *tried = (struct dc_horizon_tried){.input = own->tried, .outcome = own->outcome};
  if (try_steps(h, own->tried, steps, 1))
    return INFINITY;
  tried->reached = dc_task_success(h->task, h->model, own->tried, own->outcome, steps);
  double loss = dc_task_loss(h->task, h->model, own->tried, own->outcome, NULL);
  return isfinite(loss) ? loss : INFINITY;
}

// The worst loss of the window over all factors of friction that are still possible; ends when it is above `enough`.
double dc_horizon_trial(struct dc_receding_horizon *h, const double *parameters, double enough, bool *reached)
{
  struct dc_horizon_plant *own = h->plant;
  double worst = -INFINITY;
  set_tried(h, parameters);
  *reached = true;
  for (int f = 0; f < own->factor_count && worst < enough; f++) {
    bool there;
    if (!dc_horizon_factor_counts(h, f))
      continue;
    worst = fmax(worst, try_factor(h, own->factors[f], &there));
    *reached &= there;
  }
  return worst;
}

// An input without gravity and actuators, so that inertia, contact, limits and couplings are left.
static void free_of_forces(const struct dc_model *model, double stiffness, struct dc_rollout_input *input)
{
  size_t bytes = (size_t)model->bodies.count * sizeof(double);
  dc_rollout_input_reset(model, input);
  input->design.stiffness_scale *= stiffness;
  memset(input->design.gravity, 0, sizeof input->design.gravity);
  memset(input->design.kp_scale, 0, bytes);
  memset(input->design.kd_scale, 0, bytes);
}

// The start of the next window where the plant is not where the plan foresaw it.  One conservative step without gravity
// and actuators leads from the foreseen state towards the plant's, so that the start satisfies the contact of the plan.
enum dc_status dc_horizon_place(struct dc_receding_horizon *h, const double *foreseen, struct dc_error *error)
{
  struct dc_horizon_plant *own = h->plant;
  const struct dc_bodies *bodies = &h->model->bodies;
  size_t nq = (size_t)bodies->nq;
  const double *q = h->executed->q + (size_t)h->executed->steps * nq;
  own->moved = memcmp(foreseen, q, nq * sizeof *q) != 0;
  h->foreseen &= !own->moved || own->trial;  // otherwise it is no longer certain that the plan reaches
  if (!own->moved)
    return DC_OK;
  free_of_forces(h->model, h->plan->scaled.stiffness, own->input);
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

// Only what cannot be computed from the executed frames: the state before, impacts, errors of the factors, and where
// the window starts if it was moved.
enum dc_status dc_horizon_plant_save(const struct dc_receding_horizon *h, struct dc_snapshot *snapshot)
{
  const struct dc_horizon_plant *own = h->plant;
  size_t nq = h->executed->steps ? (size_t)h->executed->nq : 0;
  double numbers[2] = {own->before_length, own->moved};
  enum dc_status status = dc_snapshot_put_reals(snapshot, "horizon/plant/q_before", nq, own->q_before);
  if (!status && own->impact_count)
    status = dc_snapshot_put_reals(snapshot, "horizon/plant/impacts", own->impact_count, own->impacts);
  if (!status && own->trial)
    status = dc_snapshot_put_reals(snapshot, "horizon/plant/misses", (size_t)own->factor_count, own->misses);
  if (!status)
    status = dc_snapshot_put_reals(snapshot, "horizon/plant/start", own->moved ? nq : 0, own->q);
  return status ? status : dc_snapshot_put_reals(snapshot, "horizon/plant/numbers", 2, numbers);
}

static enum dc_status load_misses(struct dc_horizon_plant *own, const struct dc_snapshot *snapshot,
                                  struct dc_error *error)
{
  size_t count = (size_t)own->factor_count;
  enum dc_status status = dc_snapshot_get_reals(snapshot, "horizon/plant/misses", count, own->misses, error);
  for (size_t f = 0; f < count && !status; f++)
    if (!(own->misses[f] >= 0 && isfinite(own->misses[f])))
      status = dc_fail(error, DC_CHECKPOINT, "horizon/plant/misses: holds %g", own->misses[f]);
  return status;
}

// The plant's part of a checkpoint.
enum dc_status dc_horizon_plant_load(struct dc_receding_horizon *h, const struct dc_snapshot *snapshot,
                                     struct dc_error *error)
{
  struct dc_horizon_plant *own = h->plant;
  size_t nq = h->executed->steps ? (size_t)h->executed->nq : 0;
  double numbers[2];
  enum dc_status status = dc_snapshot_get_reals(snapshot, "horizon/plant/numbers", 2, numbers, error);
  if (!status && own->impact_count)
    status = dc_horizon_get_reals(snapshot, "horizon/plant/impacts", own->impact_count, own->impacts, error);
  if (!status && own->trial)
    status = load_misses(own, snapshot, error);
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
