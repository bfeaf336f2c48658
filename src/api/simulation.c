// SPDX-License-Identifier: Apache-2.0
// Step by step in the caller's process: every step is a roll-out of one step from the state (q, qd).
//
// A step of this simulation needs more than the state in two cases, which the handle keeps: what impacts have
// left (restitution and friction of the interval before), and the state before where a stepper of its own
// remembers.  Both are forgotten when the caller sets a state.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/arrays.h"
#include "api/poll.h"
#include "dynamics/readout.h"
#include "math/rotation.h"
#include "math/vector.h"

struct dcsim_simulation {
  const struct dc_model *model;
  struct dc_rollout *rollout;
  struct dc_rollout_input *input;  // of the last step
  struct dc_trajectory *trajectory;
  bool stepped;    // trajectory is that of input
  double *q, *qd;  // the state
  // of a stepper that brings its own contacts, in which surfaces may overlap: the state before; NULL: none
  double *before;
  // what impacts have left at the state, and at the beginning of the last step (dc_trajectory_memory); remembers: the
  // state is that after a step, else nothing is left
  double *impacts, *impacts_before;
  bool remembers;
  struct dc_api_arrays arrays;
  struct dc_api_poll poll;
};

// Room for one step: rollout, input, a trajectory of two frames, and the state, which begins as the scene does.
static enum dc_status create(dcsim_simulation *simulation, const struct dc_scene *scene, struct dc_error *error)
{
  const struct dc_model *model = simulation->model = &scene->model;
  if (scene->refinement.given)
    return dc_fail(error, DC_BAD_INPUT, "%.300s: a refinement has no time to step through", scene->path);
  // Its steps follow from the state and the one before it, of which a caller who sets the state has none.
  if (model->definition.time.integrator == DC_SECOND_ORDER)
    return dc_fail(error, DC_BAD_INPUT, "%.300s: time.integrator: a step of \"second_order\" is no function of q and qd; for "
                   "single steps take \"euler\", for \"second_order\" a roll-out", scene->path);
  enum dc_status status = dc_api_check_memory(scene, dc_api_problem_bytes(scene, 1), error);
  if (status)
    return status;
  simulation->rollout = dc_rollout_create(model, error);
  if (!simulation->rollout)
    return error->status;
  dc_api_poll_begin(&simulation->poll);
  dc_rollout_set_cancel(simulation->rollout, &simulation->poll.request);
  // A caller waits for this one step: Newton's method may take as long as a run would let it, and no longer.
  dc_rollout_set_most_iterations(simulation->rollout, DC_MOST_SOLVES * model->definition.solver.max_iterations);
  simulation->input = dc_rollout_input_create(model, 1);
  simulation->trajectory = dc_trajectory_create(model, 1);
  simulation->q = dc_alloc((size_t)model->bodies.nq, sizeof(double));
  simulation->qd = dc_alloc((size_t)model->bodies.nv, sizeof(double));
  if (!simulation->input || !simulation->trajectory || !simulation->q || !simulation->qd)
    return dc_out_of_memory_for(error, "a simulation");
  dc_initial_state(&model->bodies, simulation->q);
  dc_initial_velocity(&model->bodies, simulation->qd);
  return DC_OK;
}

// The scene must stay open as long as the simulation.  DCSIM_BAD_INPUT: a refinement, the integrator
// second_order; DCSIM_MEMORY.
int dcsim_simulation_create(const dcsim_scene *scene, dcsim_simulation **simulation, dcsim_error *error)
{
  if (dc_api_need(scene, "scene", error))
    return DCSIM_USAGE;
  if (dc_api_need(simulation, "simulation", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  // Destroying takes what a creation that failed half-way has left, so that there is one way out.
  dcsim_simulation *made = *simulation = dc_alloc(1, sizeof *made);
  enum dc_status status = made ? create(made, scene->scene, &local) : dc_out_of_memory_for(&local, "a simulation");
  if (!status)
    return DCSIM_OK;
  dcsim_simulation_destroy(made);
  *simulation = NULL;
  return dc_api_fail(error, &local, status);
}

// NULL is accepted; arrays that were handed out end here.
void dcsim_simulation_destroy(dcsim_simulation *simulation)
{
  if (!simulation)
    return;
  dc_rollout_destroy(simulation->rollout);
  dc_rollout_input_destroy(simulation->input);
  dc_trajectory_destroy(simulation->trajectory);
  free(simulation->q);
  free(simulation->qd);
  free(simulation->before);
  free(simulation->impacts);
  free(simulation->impacts_before);
  dc_api_arrays_free(&simulation->arrays);
  free(simulation);
}

// The function is asked within a step, as for problems; NULL asks nobody.
void dcsim_simulation_set_poll(dcsim_simulation *simulation, dcsim_poll_function *poll, void *context)
{
  if (!simulation)
    return;
  simulation->poll.function = poll;
  simulation->poll.context = context;
}

// Refuses quaternions of balls and free bodies that are off length 1 by more than 1e-3: most likely other
// numbers stand there.
static enum dc_status check_quaternions(const struct dc_bodies *bodies, const double *q, struct dc_error *error)
{
  static const double farthest = 1e-3;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++) {
      const struct dc_joint_part *part = &bodies->bodies[i].parts[p];
      double length = part->kind == DC_PART_BALL ? sqrt(dc_dot(q + part->q, q + part->q, 4)) : 1;
      if (fabs(length - 1) > farthest)
        return dc_fail(error, DC_USAGE, "the quaternion of \"%s\", from q[%d] on, has length %.6g",
                       bodies->bodies[i].name, part->q, length);
    }
  return DC_OK;
}

// Makes quaternions exactly unit.  One that is so within rounding is left alone, so that a state that a step
// has returned keeps its bits and the next step is that of an uninterrupted run.
static void normalize_quaternions(const struct dc_bodies *bodies, double *q)
{
  static const double rounding = 1e-14;
  for (int i = 0; i < bodies->count; i++)
    for (int p = 0; p < bodies->bodies[i].part_count; p++)
      if (bodies->bodies[i].parts[p].kind == DC_PART_BALL) {
        double *quaternion = q + bodies->bodies[i].parts[p].q;
        if (fabs(dc_dot(quaternion, quaternion, 4) - 1) > rounding)
          dc_rotation_normalize(quaternion);
      }
}

// Sets the state; NULL: the scene's.  Quaternions may be off the unit length by 1e-3 and are normalized.  The step
// before is forgotten.
int dcsim_simulation_set_state(dcsim_simulation *simulation, const double *q, const double *qd, dcsim_error *error)
{
  if (dc_api_need(simulation, "simulation", error))
    return DCSIM_USAGE;
  const struct dc_bodies *bodies = &simulation->model->bodies;
  struct dc_error local = {0};
  enum dc_status status = q ? dc_api_check_finite("q", q, bodies->nq, &local) : DC_OK;
  if (!status && qd)
    status = dc_api_check_finite("qd", qd, bodies->nv, &local);
  if (!status && q)
    status = check_quaternions(bodies, q, &local);
  if (status)
    return dc_api_fail(error, &local, status);
  // Nothing is changed before all is checked: a refused state leaves the one that was.
  if (q)
    memcpy(simulation->q, q, (size_t)bodies->nq * sizeof *q);
  else
    dc_initial_state(bodies, simulation->q);
  if (qd)
    memcpy(simulation->qd, qd, (size_t)bodies->nv * sizeof *qd);
  else
    dc_initial_velocity(bodies, simulation->qd);
  if (q)
    normalize_quaternions(bodies, simulation->q);
  free(simulation->before);
  simulation->before = NULL;
  simulation->stepped = simulation->remembers = false;
  return DCSIM_OK;
}

// Copies q [nq] and qd [nv], m, rad and per second; either may be NULL.
void dcsim_simulation_get_state(const dcsim_simulation *simulation, double *q, double *qd)
{
  if (!simulation)
    return;
  const struct dc_bodies *bodies = &simulation->model->bodies;
  if (q)
    memcpy(q, simulation->q, (size_t)bodies->nq * sizeof *q);
  if (qd)
    memcpy(qd, simulation->qd, (size_t)bodies->nv * sizeof *qd);
}

// Checks and copies drives into the input of the step: targets and their velocities [actuators], generalized forces
// [nv].  NULL keeps the scene's.
static enum dc_status set_drives(dcsim_simulation *simulation, const double *target, const double *velocity,
                                 const double *force, struct dc_error *error)
{
  struct dc_rollout_input *input = simulation->input;
  int count = simulation->model->bodies.actuator_count, nv = simulation->model->bodies.nv;
  enum dc_status status = target ? dc_api_check_finite("target", target, count, error) : DC_OK;
  if (!status && velocity)
    status = dc_api_check_finite("target_velocity", velocity, count, error);
  if (!status && force)
    status = dc_api_check_finite("force", force, nv, error);
  if (!status && force && dc_rollout_input_add_forces(simulation->model, input))
    status = dc_out_of_memory_for(error, "forces");
  if (status)
    return status;
  if (target)
    memcpy(input->target_position, target, (size_t)count * sizeof *target);
  if (velocity)
    memcpy(input->target_velocity, velocity, (size_t)count * sizeof *velocity);
  if (force)
    memcpy(input->force, force, (size_t)nv * sizeof *force);
  return DC_OK;
}

// Hands what impacts have left at the state to the step that begins, from a copy: the step writes its own over
// the first.
static enum dc_status take_impacts(dcsim_simulation *simulation, struct dc_error *error)
{
  size_t count = (size_t)simulation->trajectory->memory_count;
  simulation->input->memory = NULL;
  if (!count)
    return DC_OK;
  if (!simulation->impacts)
    simulation->impacts = dc_alloc(count, sizeof(double));
  if (!simulation->impacts_before)
    simulation->impacts_before = dc_alloc(count, sizeof(double));
  if (!simulation->impacts || !simulation->impacts_before)
    return dc_out_of_memory_for(error, "impacts");
  dc_trajectory_set_memory(simulation->impacts_before, count, simulation->remembers ? simulation->impacts : NULL);
  simulation->input->memory = simulation->impacts_before;
  return DC_OK;
}

// Keeps the state before the step for steppers that return velocities of their own (trajectory->velocity).
static enum dc_status keep_before(dcsim_simulation *simulation, struct dc_error *error)
{
  size_t nq = (size_t)simulation->model->bodies.nq;
  if (!simulation->trajectory->velocity)
    return DC_OK;
  if (!simulation->before && !(simulation->before = dc_alloc(nq, sizeof(double))))
    return dc_out_of_memory_for(error, "a state");
  memcpy(simulation->before, simulation->q, nq * sizeof *simulation->before);
  return DC_OK;
}

// Whether a step leads so far that rounding leaves nothing of it: more than FARTHEST m or rad by the velocity, or by
// the force f over the length h of the step alone, f h^2 / mass, with the moments of the body's own mass for turns.
// Newton's method would spend its whole patience before it fails.
// The comparisons are written so that numbers that overflow to infinity or are no numbers are refused, too.
static enum dc_status check_reach(const dcsim_simulation *simulation, const double *force, struct dc_error *error)
{
  static const double FARTHEST = 1e9;
  const struct dc_bodies *bodies = &simulation->model->bodies;
  double h = simulation->model->definition.time.step;
  for (int b = 0; b < bodies->count; b++)
    for (int p = 0; p < bodies->bodies[b].part_count; p++) {
      const struct dc_body *body = &bodies->bodies[b];
      const struct dc_joint_part *part = &body->parts[p];
      bool turns = part->kind == DC_PART_BALL || part->kind == DC_PART_HINGE;
      double moment = body->second_moment[0] + body->second_moment[4] + body->second_moment[8];
      double inertia = turns ? moment : body->mass;
      for (int i = part->v; i < part->v + dc_part_nv(part); i++) {
        double pushed = force && inertia > 0 ? fabs(force[i]) * h * h / inertia : 0;
        if (!(pushed <= FARTHEST) || !(fabs(simulation->qd[i]) * h <= FARTHEST))
          return dc_fail(error, DC_NUMERICAL, "%s[%d] is %.3g: a step of %g s would move \"%s\" by more than %g %s",
                         pushed <= FARTHEST ? "qd" : "force", i, pushed <= FARTHEST ? simulation->qd[i] : force[i], h,
                         body->name, FARTHEST, turns ? "rad" : "m");
      }
    }
  return DC_OK;
}

// Makes one step: the state becomes the start of a roll-out of one step; its end and the velocity there become
// the state.  On failure the state is the one before.
static enum dc_status step(dcsim_simulation *simulation, const double *target, const double *velocity,
                           const double *force, struct dc_error *error)
{
  const struct dc_model *model = simulation->model;
  struct dc_rollout_input *input = simulation->input;
  size_t nq = (size_t)model->bodies.nq, nv = (size_t)model->bodies.nv;
  simulation->stepped = false;
  // Every step begins with the scene's targets and forces: drives of the step before do not linger.
  dc_rollout_input_reset(model, input);
  enum dc_status status = set_drives(simulation, target, velocity, force, error);
  if (!status)
    status = check_reach(simulation, force, error);
  if (status)
    return status;
  memcpy(input->q, simulation->q, nq * sizeof *input->q);
  memcpy(input->velocity, simulation->qd, nv * sizeof *input->velocity);
  input->q_before = simulation->before;
  input->before_length = model->definition.time.step;
  status = take_impacts(simulation, error);
  if (!status)
    status = dc_rollout_forward(simulation->rollout, input, simulation->trajectory, error);
  if (!status)
    status = keep_before(simulation, error);
  if (status)
    return status;
  // From here on nothing fails: the state becomes frame 1, with what impacts have left behind its last interval.
  memcpy(simulation->q, simulation->trajectory->q + nq, nq * sizeof *simulation->q);
  if (simulation->impacts)
    dc_trajectory_set_memory(
        simulation->impacts, (size_t)simulation->trajectory->memory_count,
        dc_trajectory_memory(simulation->trajectory, 0, dc_trajectory_substeps(simulation->trajectory, 0)));
  simulation->remembers = true;
  dc_trajectory_velocity(model, input, simulation->trajectory, 1, simulation->qd);
  simulation->stepped = true;
  return DC_OK;
}

// Advances the state by the scene's time step.  DCSIM_USAGE: a drive that is not finite; DCSIM_INFEASIBLE: bodies
// overlap in the state; DCSIM_NUMERICAL: the step cannot be solved; DCSIM_STOPPED: poll has asked for it.
int dcsim_simulation_step(dcsim_simulation *simulation, const double *target, const double *target_velocity,
                          const double *force, dcsim_error *error)
{
  if (dc_api_need(simulation, "simulation", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  dc_api_poll_begin(&simulation->poll);
  enum dc_status status = step(simulation, target, target_velocity, force, &local);
  return status ? dc_api_fail_in_process(error, &local, status) : DCSIM_OK;
}

// Trajectory of the last step, or NULL.
static const struct dc_trajectory *stepped(const dcsim_simulation *simulation)
{
  return simulation->stepped ? simulation->trajectory : NULL;
}

int dcsim_simulation_get_trajectory(dcsim_simulation *simulation, dcsim_trajectory *trajectory, dcsim_error *error)
{
  if (dc_api_need(simulation, "simulation", error))
    return DCSIM_USAGE;
  return dc_api_get_trajectory(simulation->model, simulation->input, stepped(simulation), &simulation->arrays,
                               trajectory, error);
}

int dcsim_simulation_get_contacts(dcsim_simulation *simulation, dcsim_contacts *contacts, dcsim_error *error)
{
  if (dc_api_need(simulation, "simulation", error))
    return DCSIM_USAGE;
  return dc_api_get_contacts(simulation->rollout, simulation->input, stepped(simulation), &simulation->arrays, contacts,
                             error);
}

// Derivatives of the last step by state and drives; they hold for the state that the step began with.
// a [2 nv][2 nv] is by tangent of q and qd, b [2 nv][2 actuators + nv] by targets, their velocities and forces, both
// row by row (dc_step_linearize).  DCSIM_USAGE before the first step.
int dcsim_simulation_linearize(dcsim_simulation *simulation, double *a, double *b, dcsim_error *error)
{
  if (dc_api_need(simulation, "simulation", error))
    return DCSIM_USAGE;
  if (dc_api_need(a, "a", error))
    return DCSIM_USAGE;
  if (dc_api_need(b, "b", error))
    return DCSIM_USAGE;
  struct dc_error local = {0};
  dc_api_poll_begin(&simulation->poll);
  enum dc_status status = simulation->stepped ? dc_step_linearize(simulation->rollout, simulation->input,
                                                                  simulation->trajectory, a, b, &local)
                                              : dc_fail(&local, DC_USAGE, "there is no step to linearize");
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}
