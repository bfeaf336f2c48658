// SPDX-License-Identifier: Apache-2.0
// dcsim_verify: the certificate of a run, which says what holds of the plan that it left behind.
//
// The run is opened from its own files, never from the scene that it was made of.  Checks follow in the order in which
// each needs the one before (check_all):
// 1. reproduction: the stored controls are rolled out again and compared bit for bit, with speeds, torques and
//    contacts; where they do not reproduce, the stored poses themselves are judged;
// 2. geometry: whether all triangles are certainly apart at every state and on the straight motion between states,
//    whatever the contact model of the run is;
// 3. residuals: how far every step is from a minimum of its step potential;
// 4. phantom impulses: the share of contact impulses that act from afar, which is the price of a gradient at any
//    distance;
// 5. gradient: the adjoint against central differences along random directions;
// 6. other worlds (verify_worlds.c): other contact models, stiffnesses and time steps, and perturbed starts.
//
// A check that cannot be made leaves a note in its place and NAN as its number; it is no failure of the command.
#include "commands/output.h"
#include "commands/run_scene.h"
#include "commands/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "math/vector.h"
#include "plan/plan_memory.h"

enum {
  DRAWS = 16,            // perturbed starts of each world; DC_VERIFY_DRAWS_MOST bounds what the caller asks for
  QUICK_DRAWS = 4,       // with --quick
  DIRECTIONS = 4,        // random directions along which the gradient is compared
  QUICK_DIRECTIONS = 2,  // with --quick
  PARTS = 5              // checks before other worlds, of which progress tells
};

static enum dc_status fail_memory(struct dc_verification *v)
{
  return dc_out_of_memory_in(&v->error, v->directory);
}

// Makes the plan of the stored run and its input as it drove the run: by its parameters or, of a receding
// horizon, by the targets that were applied.  Forces of controls have no stored targets and come from the
// parameters in any case.
// The plan has the stored number of steps and no adjoint.  It owns its input, whose target_position and
// target_velocity are [steps × actuators].  DC_BAD_INPUT: the scene counts other parameters than trajectory.h5 has,
// so that the two files do not belong together.
static enum dc_status restore_plan(struct dc_verification *v)
{
  const struct dc_scene *scene = v->scene;
  const struct dc_applied_targets *targets = &v->stored.targets;
  int steps = v->stored.all_frames - 1;
  v->plan = dc_plan_create_forward(&scene->model, &scene->task, steps, false, &v->error);
  if (!v->plan)
    return v->error.status;
  if (v->plan->parameter_count != v->stored.control_count)
    return dc_fail(&v->error, DC_BAD_INPUT, "%.300s: trajectory.h5 has %d parameters, the scene %d", v->directory,
                   v->stored.control_count, v->plan->parameter_count);
  if (scene->plant_given && !(v->there = dc_execution_create(&scene->plant, 1, &v->error)))
    return v->error.status;
  memcpy(v->plan->parameters, v->stored.control, (size_t)v->stored.control_count * sizeof *v->stored.control);
  if (!targets->position) {
    dc_plan_apply(v->plan, v->plan->parameters);
    return DC_OK;
  }
  size_t count = (size_t)targets->steps * (size_t)scene->model.bodies.actuator_count;
  if (scene->model.forced)
    dc_plan_apply(v->plan, v->plan->parameters);
  else
    dc_plan_reset_input(v->plan);
  memcpy(v->plan->input->target_position, targets->position, count * sizeof *targets->position);
  memcpy(v->plan->input->target_velocity, targets->velocity, count * sizeof *targets->velocity);
  return DC_OK;
}

// Makes a trajectory of the stored poses, joints and places of nodes, for runs whose controls do not reproduce them.
// The record holds q [frames][nq] and poses [frames][bodies] and no velocities, which nothing that judges poses
// needs. A free body's q is its position, m, and its unit quaternion; joints and nodes have their own numbers. Poses
// of bodies on joints follow from q by forward kinematics.
static enum dc_status take_stored(struct dc_verification *v)
{
  const struct dc_bodies *bodies = &v->scene->model.bodies;
  const struct dc_stored_trajectory *stored = &v->stored;
  v->judged = dc_record_create(&v->scene->model, stored->frames - 1);
  if (!v->judged)
    return fail_memory(v);
  for (int f = 0; f < stored->frames; f++) {
    double *q = v->judged->q + (size_t)f * (size_t)bodies->nq;
    for (int i = 0; i < bodies->count; i++) {
      size_t row = (size_t)f * (size_t)bodies->count + (size_t)i;
      if (!bodies->bodies[i].free)
        continue;
      memcpy(q + bodies->bodies[i].q_offset, stored->position + 3 * row, 3 * sizeof *q);
      memcpy(q + bodies->bodies[i].q_offset + 3, stored->quaternion + 4 * row, 4 * sizeof *q);
    }
    for (int j = 0; j < stored->joint_count; j++) {
      const struct dc_stored_joint *joint = &stored->joints[j];
      memcpy(q + bodies->bodies[joint->body].q_offset, joint->values + (size_t)f * (size_t)joint->width,
             (size_t)joint->width * sizeof *q);
    }
    if (stored->nodes)
      memcpy(q + bodies->first_node_q, stored->nodes + 3 * (size_t)f * (size_t)bodies->node_count,
             3 * (size_t)bodies->node_count * sizeof *q);
    dc_poses(bodies, q, v->judged->poses + (size_t)f * (size_t)bodies->count);
  }
  return DC_OK;
}

// Notes a difference: the first one gives frame and body (-1: no body), the largest one the deviation, m.
static void differs(struct dc_findings *found, int frame, int body, double distance)
{
  found->deviation = fmax(found->deviation, distance);
  if (found->frame >= 0)
    return;
  found->reproduced = false;
  found->frame = frame;
  found->body = body;
}

// Compares the places of the nodes of soft bodies in a frame.
static void compare_nodes(struct dc_findings *found, const struct dc_bodies *bodies, int frame, const double *again,
                          const double *stored)
{
  for (int i = 0; i < bodies->soft_count; i++) {
    const struct dc_soft *soft = &bodies->soft[i];
    size_t first = (size_t)(soft->q_offset - bodies->first_node_q);
    for (size_t k = first; k < first + 3 * (size_t)soft->node_count; k += 3)
      if (memcmp(again + k, stored + k, 3 * sizeof *again) != 0)
        differs(found, frame, soft->body, dc_vec_distance(again + k, stored + k));
  }
}

// Compares the stored run with the one rolled out again, bit for bit: poses of all bodies, joints, nodes, gaps.
static void compare(struct dc_verification *v, const struct dc_trajectory *again)
{
  const struct dc_stored_trajectory *stored = &v->stored;
  struct dc_findings *found = &v->found;
  const struct dc_bodies *bodies = &v->scene->model.bodies;
  for (int f = 0; f < stored->frames; f++) {
    for (int i = 0; i < stored->bodies; i++) {
      size_t row = (size_t)f * (size_t)stored->bodies + (size_t)i;
      const struct dc_pose *pose = &again->poses[row];
      if (memcmp(pose->position, stored->position + 3 * row, sizeof pose->position) != 0 ||
          memcmp(pose->quaternion, stored->quaternion + 4 * row, sizeof pose->quaternion) != 0)
        differs(found, f, i, dc_vec_distance(pose->position, stored->position + 3 * row));
    }
    for (int j = 0; j < stored->joint_count; j++) {
      const struct dc_stored_joint *joint = &stored->joints[j];
      const double *q = again->q + (size_t)f * (size_t)again->nq + bodies->bodies[joint->body].q_offset;
      if (memcmp(q, joint->values + (size_t)f * (size_t)joint->width, (size_t)joint->width * sizeof *q) != 0)
        differs(found, f, joint->body, 0);
    }
    if (stored->nodes)
      compare_nodes(found, bodies, f, again->q + (size_t)f * (size_t)again->nq + bodies->first_node_q,
                    stored->nodes + 3 * (size_t)f * (size_t)bodies->node_count);
    if (stored->min_gap && memcmp(&again->min_gap[f], &stored->min_gap[f], sizeof *again->min_gap) != 0)
      differs(found, f, -1, 0);
  }
}

// Compares what the file says beside states, of as many frames as it has: times, coordinates, speeds, targets, torques
// and contacts.  The first table that differs leaves a note.
// The rollout may be longer than the file, for a simulation that was stopped; it is shortened to the stored steps in
// a copy, which shares its arrays.  Times are compared with frame × time step in floating point, since the writer
// computes them in this way.  The readout (targets, torques, contact forces) is computed anew and freed here.
static enum dc_status compare_readout(struct dc_verification *v, struct session *session, struct outcome *outcome)
{
  const struct dc_stored_trajectory *stored = &v->stored;
  struct dc_trajectory again = *outcome->best;
  struct readout readout = {0};
  const char *name = "time";
  int frame = -1;
  again.steps = stored->frames - 1;
  outcome->best = &again;
  enum dc_status status = dc_session_read_out(session, outcome, true, &readout);
  for (int f = 0; f < stored->frames && frame < 0; f++)
    if (stored->time[f] != f * again.time_step)
      frame = f;
  const struct dc_run_readout rows = {.model = outcome->model, .input = &readout.input, .contacts = outcome->contacts};
  if (!status && frame < 0)
    status = dc_run_compare_readout(stored, &again, &rows, &name, &frame);
  if (!status && frame >= 0) {
    v->found.reproduced = false;
    snprintf(v->found.reproduction_note, sizeof v->found.reproduction_note,
             "from frame %d on its numbers of \"%s\" are not those of its controls", frame, name);
  }
  dc_session_free_readout(&readout);
  return status == DC_MEMORY ? fail_memory(v) : status ? dc_fail(&v->error, status, "%s", session->error.text) : DC_OK;
}

// Rolls the controls out again, as dcsim simulate --control RUN does, and compares.  Controls that cannot be
// rolled out, or end early, leave a note, and the stored poses are judged instead.
// The three outcomes of the rollout:
// * it fails with the plan's own fault (DC_BAD_INPUT, DC_NUMERICAL, DC_INFEASIBLE) or ends early: a note, no failure;
// * it has all frames: they are compared, and the rollout is judged if it agrees, as it has velocities too;
// * it fails otherwise (memory, files): the command fails with this status.
static enum dc_status reproduce(struct dc_verification *v)
{
  const dcsim_run_options run = {.size = sizeof run, .directory = "none", .control_run = v->directory};
  struct session session = {.scene = v->opened, .options = &run, .best_loss = NAN, .first_loss = NAN};
  struct outcome outcome;
  v->found.frame = v->found.body = -1;
  v->found.frames = v->stored.frames;
  enum dc_status status = dc_session_compute(&session, &outcome);
  const struct dc_trajectory *again = status ? NULL : outcome.best;
  if (status == DC_BAD_INPUT || status == DC_NUMERICAL || status == DC_INFEASIBLE) {
    snprintf(v->found.reproduction_note, sizeof v->found.reproduction_note, "its controls cannot be rolled out: %.400s",
             session.error.text);
  } else if (!status && again->steps < v->stored.frames - 1) {
    snprintf(v->found.reproduction_note, sizeof v->found.reproduction_note, "its controls give %d steps, it has %d",
             again->steps, v->stored.frames - 1);
  } else if (!status) {
    v->found.reproduced = true;
    compare(v, again);
  }
  bool failed = status && !v->found.reproduction_note[0];
  if (failed)
    dc_fail(&v->error, status, "%s", session.error.text);
  enum dc_status taken = v->found.reproduced ? compare_readout(v, &session, &outcome) : DC_OK;
  if (v->found.reproduced && !taken) {
    v->judged = dc_record_create(&v->scene->model, again->steps);
    taken = v->judged && !dc_trajectory_copy(v->judged, again) ? DC_OK : fail_memory(v);
    if (!taken)
      v->judged->steps = v->stored.frames - 1;  // of a simulation that was stopped
  }
  if (!status)
    free(outcome.applied);
  dc_session_release(&session);
  if (failed)
    return status;
  return taken || v->found.reproduced ? taken : take_stored(v);
}

// The roll-out to which the frames belong, and its model: the scene's world, or the plant in which the run was
// executed.
static struct dc_rollout *rollout_of_frames(const struct dc_verification *v, const struct dc_model **model)
{
  *model = v->there ? &v->scene->plant.model : &v->scene->model;
  return v->there ? dc_execution_rollout(v->there) : v->plan->rollout;
}

// Finds the largest residual of the stored steps and counts those that did not converge.  Steps whose residual cannot
// be told leave a note in its place.
// A residual is relative: 1 is the largest that the solver accepts.  The test is written as !(r <= most), so that a
// residual that is not a number becomes the largest and is seen.  Between two stored frames of a plant with substeps
// several steps lie; their states are not stored, and therefore no residual can be computed.
static enum dc_status check_residuals(struct dc_verification *v)
{
  const struct dc_model *model;
  struct dc_rollout *rollout = rollout_of_frames(v, &model);
  struct dc_findings *found = &v->found;
  size_t steps = (size_t)v->judged->steps;
  struct dc_error local = {0};
  double *residuals = dc_alloc(steps, sizeof *residuals);
  bool *converged = dc_alloc(steps, sizeof *converged);
  enum dc_status status = DC_MEMORY;
  if (v->there && v->scene->plant.substeps > 1)
    status = dc_fail(&local, DC_BAD_INPUT, "only every %dth step of the plant is stored", v->scene->plant.substeps);
  else if (residuals && converged)
    status = dc_rollout_residuals(rollout, v->plan->input, v->judged, residuals, converged, &local);
  found->residual = NAN;
  if (status == DC_BAD_INPUT || status == DC_NUMERICAL) {
    snprintf(found->residual_note, sizeof found->residual_note, "%.250s", local.text);
    status = DC_OK;
  } else if (!status) {
    found->residual = 0;
    for (int t = 0; t < v->judged->steps; t++) {
      if (!(residuals[t] <= found->residual)) {
        found->residual = residuals[t];
        found->residual_step = t + 1;
      }
      found->unconverged += !converged[t];
    }
  }
  free(residuals);
  free(converged);
  return status ? fail_memory(v) : DC_OK;
}

// The share of impulses from afar among those of bodies that gain any; 0 where there are none.
static double share_from_afar(const struct dc_bodies *bodies, const double *near, const double *far)
{
  double sum = 0, from_afar = 0;
  for (int i = 0; i < bodies->count; i++) {
    if (!dc_gains_impulses(bodies, i))
      continue;
    sum += near[i] + far[i];
    from_afar += far[i];
  }
  return sum > 0 ? from_afar / sum : 0;
}

// Finds the share of contact impulses that act from afar, first between movable bodies (phantom_between), then of all
// pairs.
// The arrays near and far [bodies], N s, belong to the findings and are freed by close_run.  The second pass
// overwrites those of the first, because the report lists the bodies' shares among all pairs.
static enum dc_status check_phantom(struct dc_verification *v)
{
  const struct dc_bodies *bodies = &v->scene->model.bodies;
  struct dc_findings *found = &v->found;
  struct dc_error local = {0};
  const struct dc_model *model;
  struct dc_rollout *rollout = rollout_of_frames(v, &model);
  found->near = dc_alloc((size_t)bodies->count, sizeof *found->near);
  found->far = dc_alloc((size_t)bodies->count, sizeof *found->far);
  found->phantom = found->phantom_between = NAN;
  if (!found->near || !found->far)
    return fail_memory(v);
  for (int all = 0; all < 2; all++) {  // those of all pairs are kept
    enum dc_status status =
        dc_check_phantom(rollout, model, v->plan->input, v->judged, !all, found->near, found->far, &local);
    if (status == DC_BAD_INPUT || status == DC_NUMERICAL) {
      snprintf(found->phantom_note, sizeof found->phantom_note, "%.250s", local.text);
      return DC_OK;
    }
    if (status)
      return fail_memory(v);
    *(all ? &found->phantom : &found->phantom_between) = share_from_afar(bodies, found->near, found->far);
  }
  return DC_OK;
}

// Finds the largest error among the directions that have a difference.  Where steps are divided differently on
// both sides of a point, the loss jumps there, and a difference across says nothing (`straddles`).
// A relative error that is not a number counts as the largest, as residuals do.
static void sum_up_slopes(struct dc_findings *found)
{
  found->gradient_error = 0;
  found->straddling = 0;
  for (int d = 0; d < found->directions; d++) {
    const struct dc_gradient_difference *slope = &found->slopes[d];
    found->straddling += slope->straddles;
    if (!slope->straddles && !(slope->relative_error <= found->gradient_error))
      found->gradient_error = slope->relative_error;
  }
  if (found->straddling < found->directions)
    return;
  found->gradient_error = NAN;
  snprintf(found->gradient_note, sizeof found->gradient_note, "all differences straddle a change of division");
}

// Whether the adjoint has nothing to be compared with: where all is reached the loss is flat.
static bool is_flat(const struct dc_findings *found)
{
  for (int d = 0; d < found->directions; d++)
    if (found->slopes[d].adjoint != 0 || found->slopes[d].difference != 0)
      return false;
  return true;
}

// Compares the adjoint with differences at the parameters of the run or, where the loss is flat there, at the
// first guess: a plan that reaches its task has a zero gradient, which would agree with any.
// The plan may have fewer steps than the run (the window of a receding horizon); the stored parameters are resized to
// it.  The same seed gives the same directions at both points.  Errors of the rollout are returned in *error.
static enum dc_status compare_slopes(struct dc_verification *v, struct dc_plan *plan, struct dc_error *error)
{
  struct dc_findings *found = &v->found;
  const struct dc_scene *scene = v->scene;
  double *first = dc_alloc((size_t)plan->parameter_count, sizeof *first);
  if (!first)
    return dc_out_of_memory(error);
  memcpy(first, plan->parameters, (size_t)plan->parameter_count * sizeof *first);
  dc_parameters_resize(&scene->task, &scene->model, v->stored.all_frames - 1, v->stored.control, plan->window.steps,
                       plan->parameters);
  enum dc_status status =
      dc_gradient_check_directions(plan, plan->parameters, v->options->seed, found->directions, found->slopes, error);
  if (!status && is_flat(found)) {
    found->gradient_at_first_guess = true;
    status = dc_gradient_check_directions(plan, first, v->options->seed, found->directions, found->slopes, error);
  }
  if (!status && is_flat(found))
    snprintf(found->gradient_note, sizeof found->gradient_note,
             "the gradient is zero at the controls and at the first guess");
  free(first);
  return status;
}

// The reason why gradients cannot be compared, or NULL.
static const char *lacks_gradient(const struct dc_verification *v)
{
  if (!dc_model_has_adjoint(&v->scene->model))
    return "the contact model has no adjoint";
  if (!v->plan->parameter_count)
    return "there are no parameters";
  return v->options->directions ? NULL : "no directions were asked for";
}

// Checks the gradient over the steps that the optimizer saw at a time.  A point without a value leaves a note.
// Memory is checked before the plan is made: its tape is the largest object of the command, and a machine that holds
// the run's rollout may not hold the adjoint's.  A point without a value (overlap, failed step) is a note; every
// other status ends the command.
static enum dc_status check_gradient(struct dc_verification *v)
{
  const struct dc_scene *scene = v->scene;
  struct dc_findings *found = &v->found;
  struct dc_error local = {0};
  int steps = dc_api_optimized_steps(scene);
  const char *missing = lacks_gradient(v);
  found->gradient_error = NAN;
  if (missing) {
    snprintf(found->gradient_note, sizeof found->gradient_note, "%s", missing);
    return DC_OK;
  }
  if (steps > v->stored.frames - 1)
    steps = v->stored.frames - 1;
  enum dc_status status = dc_api_check_memory(
      scene, dc_rollout_bytes(&scene->model) + dc_plan_bytes(&scene->model, &scene->task, steps), &v->error);
  struct dc_plan *plan = status ? NULL : dc_plan_create(&scene->model, &scene->task, steps, &v->error);
  if (!plan)
    return v->error.status;
  found->directions = v->options->directions;
  status = compare_slopes(v, plan, &local);
  dc_plan_destroy(plan);
  if (dc_point_has_no_value(status))
    snprintf(found->gradient_note, sizeof found->gradient_note, "%.250s", local.text);
  else if (status)
    return dc_fail(&v->error, status, "%s", local.text);
  if (found->gradient_note[0])
    found->directions = 0;
  else
    sum_up_slopes(found);
  return DC_OK;
}

// Makes all checks, in the order in which each needs those before, and reports progress between them.
static enum dc_status check_all(struct dc_verification *v)
{
  enum dc_status status = restore_plan(v);
  if (!status)
    status = reproduce(v);
  if (!status && !(status = dc_verify_report_progress(v, true)))
    status = dc_check_geometry(&v->scene->model, v->judged, &v->found.geometry, &v->error);
  if (!status && !(status = dc_verify_report_progress(v, true)))
    status = check_residuals(v);
  if (!status && !(status = dc_verify_report_progress(v, true)))
    status = check_phantom(v);
  if (!status && !(status = dc_verify_report_progress(v, true)))
    status = check_gradient(v);
  if (!status && !(status = dc_verify_report_progress(v, true)))
    status = dc_verify_worlds(v);
  return status;
}

// Opens a run that has ended and has a trajectory in time.  A run whose plan was transferred to a plant is
// opened without the plant: the stored frames are those of the plan.
// Two scenes may be open afterwards: `resolved` has the plant, `opened` is the one that the frames belong to.  They
// are one pointer if the plan was not transferred.  DC_BAD_INPUT: a refinement, which is many runs; DC_IO: the run
// lacks files that are written at its end.
static enum dc_status open_run(struct dc_verification *v, dcsim_error *error)
{
  struct dc_run_result result = {0};
  struct dc_error local = {0};
  const dcsim_scene_options own = {.size = sizeof own, .confined = v->options->untrusted};
  int opened = dc_api_open_run_scene(v->directory, "resolved.json", &own, &v->resolved, error);
  if (opened)
    return (enum dc_status)opened;
  v->opened = v->resolved;
  if (dc_run_has(v->directory, "run.json") && !dc_run_read_result(v->directory, &result, &local) &&
      result.transferred) {
    const dcsim_scene_options planned = {
        .size = sizeof planned, .plant = "none", .confined = v->options->untrusted};
    opened = dc_api_open_run_scene(v->directory, "resolved.json", &planned, &v->opened, error);
  }
  if (opened) {
    dcsim_scene_close(v->resolved);
    return (enum dc_status)opened;
  }
  v->scene = v->opened->scene;
  if (v->scene->refinement.given)
    return dc_fail(&v->error, DC_BAD_INPUT, "%.300s: a refinement has no trajectory to certify", v->directory);
  const char *needed[] = {"trajectory.h5", "run.json"};
  for (int i = 0; i < 2; i++)
    if (!dc_run_has(v->directory, needed[i]))
      return dc_fail(&v->error, DC_IO, "%.300s: has no %s: the run has not ended", v->directory, needed[i]);
  enum dc_status status = dc_run_read_trajectory(v->directory, v->scene, &v->stored, &v->error);
  return status ? status : dc_run_hash_trajectory(v->directory, &v->hash, &v->error);
}

// Releases all that open_run and the checks have made, complete or not: NULL is accepted everywhere.
static void close_run(struct dc_verification *v)
{
  free(v->found.near);
  free(v->found.far);
  dc_trajectory_destroy(v->judged);
  dc_plan_destroy(v->plan);
  dc_arena_destroy(v->stored.arena);
  dc_execution_destroy(v->there);
  if (v->opened != v->resolved)
    dcsim_scene_close(v->opened);
  dcsim_scene_close(v->resolved);
}

// Beside the run unless a file was asked for; "none" writes nothing.
// The file is replaced as a whole (dc_file_write), so that a reader finds the old certificate or the new one.
static enum dc_status write_certificate(struct dc_verification *v, const char *json)
{
  const char *asked = v->options->file;
  if (asked && strcmp(asked, "none") == 0)
    return DC_OK;
  char *made = asked ? NULL : dc_path_join(v->directory, dc_certificate_name);
  const char *path = asked ? asked : made;
  enum dc_status status = path ? dc_file_write(path, json, strlen(json), &v->error) : fail_memory(v);
  free(made);
  return status;
}

// Describes and writes what was found.  DC_UNMET, with the report, where a requirement of the scene does not
// hold.
// The certificate is written in either case: a plan that fails its requirements is the one whose certificate is read.
// *report is the caller's only if the status is success or DC_UNMET.
static int hand_over(struct dc_verification *v, dcsim_report *report, dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dcsim_report made = {0};
  bool holds = dc_verify_describe(v, &text, &json);
  int outside = dc_api_report(&made, &text, &json, error);
  if (outside)
    return outside;
  enum dc_status status = write_certificate(v, made.json);
  if (!status && !holds)
    status = dc_fail(&v->error, DC_UNMET, "%.300s: the requirements of the scene are not met", v->directory);
  if (report && (!status || status == DC_UNMET))
    *report = made;
  else
    dcsim_report_free(&made);
  return status ? dc_api_fail(error, &v->error, status) : DCSIM_OK;
}

// A count that was asked for, within its bound: 0 stands for the default, what is negative for none.
static int count_of(int asked, int standard, int most)
{
  if (asked <= 0)
    return asked ? 0 : standard;
  return asked < most ? asked : most;
}

// Verifies a run directory and leaves a certificate.
// Status: that of the first file that cannot be read or check that cannot be made; DCSIM_STOPPED if the caller's
// progress function asks for it; DCSIM_UNMET if all checks were made and the scene demands more than holds.
int dcsim_verify(const char *directory, const dcsim_verify_options *options, dcsim_report *report, dcsim_error *error)
{
  struct dc_error local = {0};
  dcsim_verify_options own = {0};
  enum dc_status status = dc_api_read_sized(&own, sizeof own, options, &local);
  if (dc_api_need(directory, "directory", error))
    return DCSIM_USAGE;
  if (!status && own.file)
    status = dc_api_check_output_of_run(directory, own.file, &local);
  if (status)
    return dc_api_fail(error, &local, status);
  own.draws = count_of(own.draws, own.quick ? QUICK_DRAWS : DRAWS, DC_VERIFY_DRAWS_MOST);
  own.directions = count_of(own.directions, own.quick ? QUICK_DIRECTIONS : DIRECTIONS, DC_VERIFY_DIRECTIONS_MOST);
  struct dc_verification v = {
      .directory = directory, .options = &own, .began = dc_seconds(), .checks = PARTS + DC_WORLDS};
  status = open_run(&v, error);
  if (status && !v.scene)  // error says why
    return (int)status;
  if (!status)
    status = check_all(&v);
  int outside = status ? dc_api_fail(error, &v.error, status) : hand_over(&v, report, error);
  close_run(&v);
  return outside;
}
