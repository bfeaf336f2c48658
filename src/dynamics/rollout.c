// SPDX-License-Identifier: Apache-2.0
// A rollout owns the workspace of steps and adjoints for one model.  dc_rollout_forward:
// 1. adopts the shapes of the input: another design of shapes makes another model and workspace (redesign);
// 2. places the start and the state before it, and checks that nothing overlaps (start);
// 3. takes one step after the other (stepper->step: dc_implicit_step, or MuJoCo), each from the last state and the one
//    before it; it keeps the new state, its poses, its gap and the counts of the step's report.
//
// It ends at the first step that fails, or when proceed or cancel say so.  Warm starts of contact are reset at the
// start, so that a rollout depends on its input only.
#include "dynamics/rollout.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/barrier_step.h"
#include "dynamics/node_newton.h"
#include "dynamics/stepper.h"
#include "dynamics/surface_lag.h"
#include "math/vector.h"

// One array of the workspace: where its pointer stands, and how large it is.
struct request {
  void *pointer;  // to the pointer to be set
  size_t count, size;
};

// Allocates all arrays of struct dc_rollout that step and adjoint work in.
static bool allocate_workspace(struct dc_rollout *rollout, struct dc_error *error)
{
  struct dc_arena *arena = rollout->arena;
  const struct dc_bodies *model_bodies = &rollout->model->bodies;
  size_t bodies = (size_t)model_bodies->count, nq = (size_t)model_bodies->nq, nv = (size_t)model_bodies->nv;
  size_t real = sizeof(double), twist = sizeof(double[6]);
  const struct request requests[] = {
      {&rollout->newton.gradient, nv, real},
      {&rollout->newton.trial_gradient, nv, real},
      {&rollout->newton.step, nv, real},
      {&rollout->newton.unbounded_step, nv, real},
      {&rollout->newton.magnitude, nv, real},
      {&rollout->newton.allowed, nv, real},
      {&rollout->newton.held, nv, real},
      {&rollout->nodes.duals, (size_t)dc_node_touch_count(rollout->model), sizeof(struct dc_node_dual)},
      {&rollout->rigid.shares, (size_t)dc_surface_pair_count(model_bodies), sizeof(struct dc_surface_share)},
      {&rollout->q_before, nq, real},
      {&rollout->q_now, nq, real},
      {&rollout->newton.q_trial, nq, real},
      {&rollout->adjoint.coefficient_cotangents, bodies, real},
      {&rollout->frames.wrenches, bodies, twist},
      {&rollout->frames.floors, bodies, twist},
      {&rollout->adjoint.twists, bodies, twist},
      {&rollout->adjoint.wrenches_now, bodies, twist},
      {&rollout->adjoint.wrenches_before, bodies, twist},
      {&rollout->frames.blocks, bodies, sizeof *rollout->frames.blocks}};
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
    void *memory = dc_arena_alloc(arena, requests[i].count, requests[i].size);
    if (!memory)
      return false;
    memcpy(requests[i].pointer, &memory, sizeof memory);
  }
  if (rollout->base->shapes_change && !(rollout->shape_workspace = dc_shape_workspace_create(rollout, arena)))
    return false;
  if (rollout->model->definition.time.integrator == DC_SECOND_ORDER &&
      !(rollout->prediction = dc_prediction_create(rollout->model, arena)))
    return false;
  if (rollout->prediction && model_bodies->node_count &&
      !(rollout->nodes.past = dc_arena_alloc(arena, nv, sizeof *rollout->nodes.past)))
    return false;
  rollout->assembler = dc_assembler_create(model_bodies, arena);
  rollout->bounded = dc_bounded_move_create(model_bodies, rollout->rigid.pair_count, arena);
  rollout->newton.barrier = dc_barrier_step_create(model_bodies->node_count ? 0 : model_bodies->nv, arena);
  return rollout->assembler && rollout->bounded && rollout->newton.barrier &&
         !dc_kinematics_create(model_bodies, arena, &rollout->before, error) &&
         !dc_kinematics_create(model_bodies, arena, &rollout->now, error) &&
         !dc_kinematics_create(model_bodies, arena, &rollout->next, error) &&
         !dc_path_create(model_bodies, arena, &rollout->path, error);
}

// Where the blocks of each soft element stand in the matrix, found once for all steps.
static bool place_elements(struct dc_rollout *rollout)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  rollout->nodes.element_places =
      dc_arena_alloc(rollout->arena, dc_elastic_place_count(bodies), sizeof *rollout->nodes.element_places);
  return rollout->nodes.element_places &&
         dc_elastic_list_places(bodies, rollout->matrix, rollout->nodes.element_places);
}

// Makes everything that belongs to rollout->model, in rollout->arena.  former: NULL, or the contact for the design
// before.
static enum dc_status build(struct dc_rollout *rollout, const struct dc_contact *former, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  rollout->stepper = dc_stepper_of(model);
  assert(!rollout->stepper->adjoint == !dc_model_has_adjoint(model));
  assert(!rollout->stepper->velocity == !dc_model_keeps_velocity(model));
  enum dc_status status = dc_rigid_create(rollout, former, error);
  if (!status)
    status = dc_surface_contact_create(&model->bodies, &rollout->surface, error);
  if (!status)
    status = dc_far_field_create(&model->bodies, &model->definition.contact,
                                 model->definition.contact_model->hierarchical, &rollout->far, error);
  if (!status && rollout->far)
    dc_far_field_scale(rollout->far, rollout->far_factor);
  if (status)
    return status;
  rollout->matrix = dc_step_matrix_create(rollout);
  if (!rollout->matrix || !place_elements(rollout) || !allocate_workspace(rollout, error) ||
      dc_node_newton_create(model, rollout->matrix, rollout->arena, &rollout->nodes.newton))
    return dc_out_of_memory_for(error, "a rollout");
  return rollout->stepper->create ? rollout->stepper->create(rollout, error) : DC_OK;
}

// Also of a rollout that was made in part; its shape is the caller's.
static void release(struct dc_rollout *rollout)
{
  if (rollout->stepper && rollout->stepper->destroy)
    rollout->stepper->destroy(rollout);
  dc_node_newton_destroy(rollout->nodes.newton);
  dc_symmetric_destroy(rollout->matrix);
  dc_rigid_destroy(&rollout->rigid);
  dc_shape_workspace_destroy(rollout->shape_workspace);
  dc_surface_contact_destroy(rollout->surface);
  dc_far_field_destroy(rollout->far);
  free(rollout->pattern.extra);
  free(rollout->pattern.wanted);
  dc_arena_destroy(rollout->arena);
}

// Creates a rollout; with a design that changes shapes it starts with those of the model.
struct dc_rollout *dc_rollout_create(const struct dc_model *model, struct dc_error *error)
{
  struct dc_rollout *rollout = dc_alloc(1, sizeof *rollout);
  if (!rollout || !(rollout->arena = dc_arena_create()) ||
      (model->shapes_change && !(rollout->shape = dc_shape_design_create(model)))) {
    dc_out_of_memory_for(error, "a rollout");
    dc_rollout_destroy(rollout);
    return NULL;
  }
  rollout->model = rollout->base = model;
  rollout->far_factor = 1;
  if (rollout->shape)
    dc_shape_design_reset(model, rollout->shape);
  if (build(rollout, NULL, error)) {
    dc_rollout_destroy(rollout);
    return NULL;
  }
  return rollout;
}

void dc_rollout_destroy(struct dc_rollout *rollout)
{
  if (!rollout)
    return;
  release(rollout);
  dc_shape_design_destroy(rollout->shape);
  free(rollout);
}

// A model of the design and all that belongs to it in memory of their own; the old ones go when that has succeeded. A
// failure leaves the rollout as it was.  Requests hold for the new design, too.  The former contact lends what did not
// change: most designs move few bodies.
static enum dc_status redesign(struct dc_rollout *rollout, const struct dc_shape_design *design, struct dc_error *error)
{
  struct dc_rollout fresh = {.base = rollout->base,
                             .shape = rollout->shape,
                             .far_factor = rollout->far_factor,
                             .rigid = {.seconds = rollout->rigid.seconds},
                             .asked = rollout->asked,
                             .arena = dc_arena_create()};
  struct dc_model *model = fresh.arena ? dc_arena_alloc(fresh.arena, 1, sizeof *model) : NULL;
  enum dc_status status = model ? DC_OK : dc_out_of_memory_for(error, "a design");
  if (!status)
    status = dc_model_redesign(rollout->base, design, fresh.arena, model, error);
  if (!status) {
    fresh.model = model;
    status = build(&fresh, rollout->rigid.contact, error);
  }
  if (status) {
    release(&fresh);
    return status;
  }
  release(rollout);
  *rollout = fresh;
  dc_shape_design_copy(rollout->shape, design);
  return DC_OK;
}

// Comparing designs bit by bit is cheap beside making a model, and optimizers often evaluate one design many times.
const struct dc_model *dc_rollout_adopt(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                        struct dc_error *error)
{
  if (input->shape && rollout->shape && !dc_shape_design_equal(input->shape, rollout->shape) &&
      redesign(rollout, input->shape, error))
    return NULL;
  return rollout->model;
}

struct dc_contact *dc_rollout_contact(struct dc_rollout *rollout)
{
  return rollout->rigid.contact;
}

struct dc_far_field *dc_rollout_far_field(struct dc_rollout *rollout)
{
  return rollout->far;
}

void dc_rollout_scale_far_field(struct dc_rollout *rollout, double factor)
{
  rollout->far_factor = factor;
  if (rollout->far)
    dc_far_field_scale(rollout->far, factor);
}

// Counts of direct factorizations add up over the matrices that new touches made necessary (pattern.c).
struct dc_linear_work dc_rollout_linear_work(const struct dc_rollout *rollout)
{
  struct dc_linear_work work = {0};
  if (rollout->nodes.newton)
    work = dc_node_newton_work(rollout->nodes.newton);
  if (rollout->matrix) {
    work.matrix = dc_symmetric_backend_name(rollout->matrix);
    work.factorizations = rollout->factored_before + dc_symmetric_factor_count(rollout->matrix);
  }
  return work;
}

double dc_rollout_contact_seconds(const struct dc_rollout *rollout)
{
  return rollout->rigid.seconds;
}

void dc_rollout_set_proceed(struct dc_rollout *rollout, dc_rollout_proceed *proceed, void *context)
{
  rollout->asked.proceed = proceed;
  rollout->asked.proceed_context = context;
}

void dc_rollout_set_cancel(struct dc_rollout *rollout, struct dc_stop_request *cancel)
{
  rollout->asked.cancel = cancel;
}

void dc_rollout_set_tight(struct dc_rollout *rollout, bool tight)
{
  rollout->asked.tight = tight;
}

bool dc_rollout_is_tight(const struct dc_rollout *rollout)
{
  return rollout->asked.tight;
}

void dc_rollout_set_alike(struct dc_rollout *rollout, const struct dc_trajectory *other)
{
  rollout->asked.alike = other;
}

void dc_rollout_set_most_iterations(struct dc_rollout *rollout, long most)
{
  rollout->asked.most_iterations = most;
}

void dc_rollout_set_most_in_all(struct dc_rollout *rollout, long most)
{
  rollout->asked.most_in_all = most;
}

void dc_rollout_set_conservative(struct dc_rollout *rollout, bool conservative)
{
  rollout->asked.conservative = conservative;
}

void dc_rollout_set_gapless(struct dc_rollout *rollout, bool gapless)
{
  rollout->asked.gapless = gapless;
}

// Frame 0: the initial state and the one before it, contact evaluated there, counts cleared.
static enum dc_status start(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                            struct dc_trajectory *trajectory, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  dc_contact_reset(rollout->rigid.contact);
  rollout->newton.usual = 0;
  rollout->asked.spent = 0;
  dc_rollout_start_state(rollout, input, trajectory->q);
  dc_rollout_state_before(rollout, input, rollout->q_before);
  rollout->before_length = input->q_before ? input->before_length : trajectory->time_step;
  dc_poses(bodies, trajectory->q, rollout->now.poses);
  memcpy(trajectory->poses, rollout->now.poses, (size_t)bodies->count * sizeof *trajectory->poses);
  // Soft contacts of a foreign stepper leave frames in which surfaces overlap: going on from one is no mistake.
  bool soft = rollout->stepper->velocity && input->q_before;
  enum dc_status status = soft ? DC_OK : dc_step_check_start(rollout, input, trajectory->q, error);
  if (!status)
    status = dc_rigid_evaluate(&rollout->rigid, rollout->now.poses, 1, rollout->rigid.pairs, error);
  if (status)
    return status;
  dc_impact_start(rollout, input->memory);
  trajectory->min_gap[0] = dc_step_gap(rollout, trajectory->q);
  dc_trajectory_clear_between(trajectory);
  trajectory->unconverged_steps = trajectory->regularized_steps = 0;
  trajectory->largest_residual = 0;
  return rollout->stepper->start ? rollout->stepper->start(rollout, input, error) : DC_OK;
}

// The loop of a rollout: the start, then step by step the stepper (ours or a foreign one), whose report, poses and
// velocities go into the trajectory.  The caller may stop it between steps; the steps made so far stay.
enum dc_status dc_rollout_forward(struct dc_rollout *rollout, const struct dc_rollout_input *input,
                                  struct dc_trajectory *trajectory, struct dc_error *error)
{
  size_t nv = (size_t)rollout->model->bodies.nv;
  if (!dc_rollout_adopt(rollout, input, error))
    return error ? error->status : DC_INFEASIBLE;
  enum dc_status status = start(rollout, input, trajectory, error);
  if (trajectory->velocity)
    memcpy(trajectory->velocity, input->velocity, nv * sizeof *input->velocity);
  for (int t = 0; t < trajectory->steps && !status; t++) {
    struct dc_step_report report;
    if (dc_rollout_cancelled(rollout)) {
      status = dc_fail(error, DC_STOPPED, "stopped");
      break;
    }
    if (t > 0 && !dc_rollout_goes_on(rollout)) {
      status = dc_fail(error, DC_STOPPED, "stopped after %d of %d steps", t, trajectory->steps);
      trajectory->steps = t;
      break;
    }
    trajectory->between_first[t + 1] = trajectory->between.count;
    status = rollout->stepper->step(rollout, input, t, trajectory, &report, error);
    if (!status && !report.converged && !rollout->model->definition.solver.accept_unconverged)
      status = dc_fail(error, DC_NUMERICAL, "no convergence");  // of a foreign stepper
    if (status) {
      dc_error_prefix(error, "step %d", t + 1);
      break;
    }
    memcpy(trajectory->poses + (size_t)(t + 1) * (size_t)trajectory->bodies, rollout->next.poses,
           (size_t)trajectory->bodies * sizeof *trajectory->poses);
    if (trajectory->velocity)
      rollout->stepper->velocity(rollout, trajectory->velocity + (size_t)(t + 1) * nv);
    trajectory->newton_iterations[t] = report.iterations;
    rollout->asked.spent += report.iterations;
    trajectory->evaluations[t] = report.evaluations;
    trajectory->converged[t] = report.converged;
    trajectory->min_gap[t + 1] = report.min_gap;
    trajectory->unconverged_steps += !report.converged;
    trajectory->regularized_steps += report.regularized;
    trajectory->largest_residual = fmax(trajectory->largest_residual, report.residual);
    dc_trajectory_release(trajectory, t);
  }
  return status;
}
