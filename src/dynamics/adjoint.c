// SPDX-License-Identifier: Apache-2.0
// The adjoint of a rollout.  At a converged step dL/dq+ = 0, so that for a cotangent a of q+
//     lambda = -H^-1 a,   a(q) += lambda^T d2L/(dq+ dq),   a(q-) += lambda^T d2L/(dq+ dq-),   a(design) += lambda^T
// d2L/(dq+ d design) with the true Hessian H (paper 000, section 3.2; docs/theory.md, "Adjoint").
#include <string.h>

#include "dynamics/stepper.h"
#include "math/rotation.h"
#include "math/vector.h"

// An indefinite or badly conditioned Hessian may still be solved; beyond this relative residual the gradient is
// refused.
static const double LARGEST_RESIDUAL = 1e-6;

// The gradient of all terms by the frames, which the curvature of chains is contracted with.
static void frame_gradient(struct dc_rollout *rollout, const struct dc_step_state *state)
{
  struct dc_step_forces forces = {.wrenches = rollout->wrenches, .joints = rollout->gradient};
  memset(rollout->wrenches, 0, (size_t)state->model->bodies.count * sizeof *rollout->wrenches);
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_gradient(state, &forces);
}

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
  struct dc_step_hessian hessian = {.blocks = rollout->blocks,
                                    .assembler = rollout->assembler,
                                    .kinematics = &rollout->next,
                                    .matrix = rollout->matrix};
  frame_gradient(rollout, state);
  dc_step_assemble(state, true, (const double(*)[6])rollout->wrenches, &hessian);
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
static void pull_back_ball(const double *velocity, double h, const double *before, double *q, double *cotangent)
{
  double turn[3], quaternion[4], e[9], jacobian[9], part[3];
  dc_vec_scale(turn, velocity, -h);
  dc_rotation_exp(quaternion, turn);
  dc_rotation_matrix(e, quaternion);
  dc_rotation_left_jacobian(jacobian, turn);
  dc_mat_apply_transposed(part, e, before);
  dc_vec_add(q, q, part);
  dc_mat_apply_transposed(part, jacobian, before);
  dc_vec_add_scaled(cotangent, cotangent, -h, part);
}

static void pull_back_start(const struct dc_model *model, const struct dc_rollout_input *input, const double *now,
                            const double *before, struct dc_rollout_cotangent *cotangent)
{
  double h = model->definition.time.step;
  for (int v = 0; v < model->bodies.nv; v++)
    cotangent->q[v] += now[v];
  for (int i = 0; i < model->bodies.count && !input->q_before; i++)
    for (int p = 0; p < model->bodies.bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &model->bodies.bodies[i].parts[p];
      int v = part->v;
      if (part->kind == DC_PART_BALL) {
        pull_back_ball(input->velocity + v, h, before + v, cotangent->q + v, cotangent->velocity + v);
        continue;
      }
      for (int k = v; k < v + dc_part_nv(part); k++) {
        cotangent->q[k] += before[k];
        cotangent->velocity[k] -= h * before[k];
      }
    }
}

// Contact at a state and its derivatives, as they were when the step that ends there was solved, but for rounding.
static enum dc_status recompute_pairs(struct dc_rollout *rollout, const struct dc_pose *poses,
                                      struct dc_pair_derivatives *pairs, struct dc_error *error)
{
  double energy = dc_contact_evaluate(rollout->contact, poses, 2, pairs);
  if (isnan(energy))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  if (!isfinite(energy) || !dc_contact_solved(rollout->contact))
    return dc_fail(error, DC_NUMERICAL, "the planes of the contact were not solved again: no gradient");
  return DC_OK;
}

// Contact at t: what friction acts on and, where the interval before needs them too, its derivatives, in
// rollout->trial_pairs.
static enum dc_status evaluate_now(struct dc_rollout *rollout, const struct dc_step_state *state, bool friction,
                                   bool pairs, struct dc_error *error)
{
  if (pairs)
    return recompute_pairs(rollout, state->now, rollout->trial_pairs, error);
  if (friction && isnan(dc_contact_evaluate(rollout->contact, state->now, 0, rollout->trial_pairs)))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  return DC_OK;
}

// The lists of friction at t and its energies at t+1, as they were when the step was solved; pairs: leave the derivatives
// of the contact at t in rollout->trial_pairs.
static enum dc_status restore_contact(struct dc_rollout *rollout, const struct dc_rollout_input *input, bool pairs,
                                      struct dc_step_state *state, struct dc_error *error)
{
  struct dc_friction_law law = dc_step_friction_law(rollout, input, state->interval.length, rollout->coefficients);
  bool any = false;
  for (int i = 0; i < rollout->model->bodies.count; i++)
    any |= rollout->coefficients[i] > 0;
  enum dc_status status = evaluate_now(rollout, state, any, pairs, error);
  if (status || !any)
    return status;
  status = dc_contact_friction_begin(rollout->contact, state->now, &law, error);
  state->rubs = dc_contact_rubs(rollout->contact);
  if (status || !state->rubs)
    return status;
  state->friction_energy =
      dc_contact_friction_evaluate(rollout->contact, state->next, 2, DC_FRICTION_CONVEX, rollout->friction);
  if (!dc_contact_solved(rollout->contact) || !dc_contact_friction_solved(rollout->contact))
    return dc_fail(error, DC_NUMERICAL, "the planes that friction acts on were not solved: no gradient");
  return DC_OK;
}

// Pulls one interval back: a_next is the cotangent of q(t+1); a_now and a_before gain what it passes on.  pairs: as of
// restore_contact.
static enum dc_status pull_back_interval(struct dc_rollout *rollout, const struct dc_rollout_input *input, bool pairs,
                                         struct dc_step_state *state, const double *a_next, double *a_now,
                                         double *a_before, struct dc_rollout_cotangent *cotangent,
                                         struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t bytes = (size_t)bodies->count * sizeof *rollout->twists;
  enum dc_status status = restore_contact(rollout, input, pairs, state, error);
  if (!status)
    status = solve_transposed(rollout, state, a_next, rollout->lambda, error);
  if (status)
    return status;
  dc_twists(bodies, &rollout->next, rollout->lambda, rollout->twists);
  memset(rollout->wrenches_now, 0, bytes);
  memset(rollout->wrenches_before, 0, bytes);
  struct dc_step_direction direction = {.joints = rollout->lambda, .twists = (const double(*)[6])rollout->twists};
  struct dc_step_cotangent out = {.now = {rollout->wrenches_now, a_now},
                                  .before = {rollout->wrenches_before, a_before},
                                  .input = cotangent,
                                  .coefficients = rollout->coefficient_cotangents};
  for (int i = 0; dc_step_terms[i]; i++)
    dc_step_terms[i]->add_mixed(state, &direction, &out);
  dc_pull_back(bodies, &rollout->now, (const double(*)[6])rollout->wrenches_now, a_now);
  dc_pull_back(bodies, &rollout->before, (const double(*)[6])rollout->wrenches_before, a_before);
  return DC_OK;
}

// A state of a trajectory: number `inside` of those that step `step` was solved through; frame t is the last one of step
// t - 1, the first frame number 0 of step 0, and what came before it number -1.
struct state_place {
  int step, inside;
};

static struct state_place place_before(const struct dc_trajectory *trajectory, struct state_place place)
{
  place.inside--;
  if (place.inside == 0 && place.step > 0) {
    place.step--;
    place.inside = dc_trajectory_substeps(trajectory, place.step);
  }
  return place;
}

static const double *state_of(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory,
                              struct state_place place)
{
  if (place.inside < 0)
    return rollout->q_before;
  return trajectory->steps ? dc_trajectory_state(trajectory, place.step, place.inside, NULL) : trajectory->q;
}

// Part of its step that lies before a state.
static double part_before(const struct dc_trajectory *trajectory, struct state_place place)
{
  double at;
  dc_trajectory_state(trajectory, place.step, place.inside, &at);
  return at;
}

// The interval that ends in a state; lengths as the forward solve has them, to the bit.
static struct dc_step_interval interval_to(const struct dc_trajectory *trajectory, struct state_place end,
                                           double first_before_length)
{
  double h = trajectory->time_step, at = part_before(trajectory, end), before_length = first_before_length;
  struct state_place begin = {end.step, end.inside - 1}, now = place_before(trajectory, end);
  double length = h * (at - part_before(trajectory, begin));
  if (now.inside > 0)
    before_length =
        h * (part_before(trajectory, now) - part_before(trajectory, (struct state_place){now.step, now.inside - 1}));
  return (struct dc_step_interval){
      .step = end.step, .length = length, .ratio = length / before_length, .remaining = h * (1 - at)};
}

// Whether there is no tape to read.
static bool recomputes(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory)
{
  return rollout->pair_count > 0 && trajectory->pair_count == 0;
}

// What contact is differentiated by at the end of an interval.  Without a tape it has been evaluated again.
static const struct dc_pair_derivatives *pairs_at(const struct dc_rollout *rollout,
                                                  const struct dc_trajectory *trajectory, struct state_place end)
{
  size_t count = (size_t)trajectory->pair_count;
  if (recomputes(rollout, trajectory))
    return rollout->pairs;
  if (end.inside == dc_trajectory_substeps(trajectory, end.step))
    return dc_trajectory_pairs(trajectory, end.step);
  return trajectory->between.pairs + (size_t)(trajectory->between_first[end.step] + end.inside - 1) * count;
}

// Cotangent [nv] of the coordinates of a state from the loss alone, which sees frames; kinematics are those of the state.
static void loss_cotangent(const struct dc_rollout *rollout, const struct dc_trajectory *trajectory,
                           const struct dc_trajectory_cotangent *frames, struct state_place place,
                           const struct dc_kinematics *kinematics, double *a)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  size_t nv = (size_t)bodies->nv, frame = (size_t)place.step + (place.inside > 0);
  bool is_frame =
      place.inside == 0 || (place.inside > 0 && place.inside == dc_trajectory_substeps(trajectory, place.step));
  if (!is_frame) {
    size_t inside = place.inside < 0 ? 0 : (size_t)(trajectory->between_first[place.step] + place.inside - 1);
    if (place.inside > 0 && frames->between)
      memcpy(a, frames->between + inside * nv, nv * sizeof *a);
    else
      memset(a, 0, nv * sizeof *a);
    return;
  }
  memcpy(a, frames->forces + frame * nv, nv * sizeof *a);
  dc_pull_back(bodies, kinematics, (const double(*)[6])frames->wrenches + frame * (size_t)bodies->count, a);
}

// What was `now` becomes `next`.
static void move_back(struct dc_rollout *rollout)
{
  struct dc_kinematics free_one = rollout->next;
  rollout->next = rollout->now;
  rollout->now = rollout->before;
  rollout->before = free_one;
  struct dc_pair_derivatives *pairs = rollout->pairs;
  rollout->pairs = rollout->trial_pairs;
  rollout->trial_pairs = pairs;
}

static struct dc_step_state interval_state(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                           const struct dc_trajectory *trajectory, struct state_place next)
{
  struct state_place now = place_before(trajectory, next), before = place_before(trajectory, now);
  double first_before_length = input->q_before ? input->before_length : trajectory->time_step;
  return (struct dc_step_state){.model = rollout->model,
                                .input = input,
                                .interval = interval_to(trajectory, next, first_before_length),
                                .q_before = state_of(rollout, trajectory, before),
                                .q_now = state_of(rollout, trajectory, now),
                                .q_next = state_of(rollout, trajectory, next),
                                .before = rollout->before.poses,
                                .now = rollout->now.poses,
                                .next = rollout->next.poses,
                                .pair_count = rollout->pair_count,
                                .pair_bodies = rollout->pair_bodies,
                                .pairs = pairs_at(rollout, trajectory, next),
                                .contact = rollout->contact,
                                .hardening = 1,
                                .friction = rollout->friction};
}

enum dc_status dc_implicit_adjoint(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                   const struct dc_trajectory *trajectory, const struct dc_trajectory_cotangent *frames,
                                   struct dc_rollout_cotangent *cotangent, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  double *a_next = rollout->state_cotangent[0], *a_now = rollout->state_cotangent[1],
         *a_before = rollout->state_cotangent[2];
  int last = trajectory->steps - 1;
  struct state_place next = {0, 0}, now;
  if (trajectory->unconverged_steps)
    return dc_fail(error, DC_NUMERICAL, "%d steps did not converge: no gradient", trajectory->unconverged_steps);
  if (trajectory->steps)
    next = (struct state_place){last, dc_trajectory_substeps(trajectory, last)};
  now = place_before(trajectory, next);
  dc_rollout_state_before(rollout, input, rollout->q_before);
  dc_kinematics_update(bodies, state_of(rollout, trajectory, next), &rollout->next);
  loss_cotangent(rollout, trajectory, frames, next, &rollout->next, a_next);
  dc_kinematics_update(bodies, state_of(rollout, trajectory, now), &rollout->now);
  loss_cotangent(rollout, trajectory, frames, now, &rollout->now, a_now);
  bool recompute = recomputes(rollout, trajectory);
  enum dc_status status = DC_OK;
  if (recompute && next.inside > 0)
    status = recompute_pairs(rollout, rollout->next.poses, rollout->pairs, error);
  while (next.inside > 0) {
    struct state_place before = place_before(trajectory, now);
    dc_kinematics_update(bodies, state_of(rollout, trajectory, before), &rollout->before);
    loss_cotangent(rollout, trajectory, frames, before, &rollout->before, a_before);
    struct dc_step_state state = interval_state(rollout, input, trajectory, next);
    if (!status)
      status = pull_back_interval(rollout, input, recompute && now.inside > 0, &state, a_next, a_now, a_before,
                                  cotangent, error);
    if (status) {
      dc_error_prefix(error, "step %d", next.step + 1);
      return status;
    }
    double *free_vector = a_next;
    a_next = a_now;
    a_now = a_before;
    a_before = free_vector;
    move_back(rollout);
    next = now;
    now = before;
  }
  // Now a_next belongs to q_0 and a_now to q_{-1}.
  pull_back_start(rollout->model, input, a_next, a_now, cotangent);
  return DC_OK;
}
