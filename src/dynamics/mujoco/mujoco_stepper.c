// SPDX-License-Identifier: Apache-2.0
// The library MuJoCo as a stepper: its own joints, contacts and integration, our states, actuators and design
// (docs/theory.md, "MuJoCo").
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "dynamics/mujoco/mujoco_simulation.h"
#include "dynamics/saturation.h"
#include "dynamics/stepper.h"
#include "dynamics/weight.h"
#include "math/rotation.h"
#include "math/vector.h"

static const double TIGHT = 1e-14;  // tolerance of rollouts for difference checks

static void set_constants(struct dc_mujoco_simulation *simulation, void *context)
{
  (void)context;
  mj_setConst(simulation->model, simulation->data);
  dc_mujoco_connect_centers(simulation->model);
}

// Masses change what MuJoCo derives from them.
static enum dc_status set_masses(struct dc_mujoco_simulation *simulation, const struct dc_bodies *bodies,
                                 const struct dc_design *design, struct dc_error *error)
{
  bool changed = false;
  for (int i = 0; i < bodies->count; i++) {
    double scale = design->body_mass_scale[i];
    int body = simulation->body[i];
    if (scale == simulation->scale[i])
      continue;
    simulation->scale[i] = scale;
    simulation->model->body_mass[body] = scale * simulation->mass[i];
    dc_vec_scale(simulation->model->body_inertia + 3 * body, simulation->inertia + 3 * i, scale);
    changed = true;
  }
  return changed ? dc_mujoco_call(set_constants, simulation, NULL, DC_NUMERICAL, error) : DC_OK;
}

// The gain of entry k of a coordinate, by one of the functions of pd.
static double gain_of(const struct dc_mujoco_coordinate *at, const struct dc_body *body, int k,
                      double (*of)(const struct dc_pd_definition *, int, bool))
{
  bool turns = at->part->kind == DC_PART_BALL || at->part->kind == DC_PART_HINGE;
  return of(body->pd, at->part->v - body->v_offset + k, turns);
}

// Damping of the joints.  An actuator's force at the end of a step of MuJoCo, h long, is kp (y - q - h q'+) + kd (v -
// q'+), linear in the new velocity q'+.  Its part h kp + kd is damping, which both Euler and implicit take at the end
// of their step; the rest is applied (apply_actuators).
static void set_joints(struct dc_mujoco_simulation *simulation, const struct dc_bodies *bodies,
                       const struct dc_design *design)
{
  mjModel *m = simulation->model;
  double implicit = m->opt.integrator == mjINT_RK4 ? 0 : m->opt.timestep;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct dc_mujoco_coordinate *at = &simulation->coordinates[i];
    const struct dc_pd_definition *pd = bodies->bodies[at->body].pd;
    if (!isinf(at->part->range[0]))
      dc_design_range(design, at->part, m->jnt_range + 2 * m->dof_jntid[at->freedom]);
    for (int k = 0; pd && k < dc_part_nv(at->part); k++)
      m->dof_damping[at->freedom + k] =
          at->part->passive.damping + design->kd_scale[at->body] * gain_of(at, &bodies->bodies[at->body], k, dc_pd_kd) +
          implicit * design->kp_scale[at->body] * gain_of(at, &bodies->bodies[at->body], k, dc_pd_kp);
  }
}

// The restitution e of an oscillator of damping ratio z is exp(-pi z / sqrt(1 - z^2)).  The stiffness k of contacts
// stays that of the setting (MuJoCo, "Solver parameters": k = 1/(t z)^2 of time constant t and damping ratio z, t at
// least two of its steps), its damping becomes 2 z sqrt(k).  Where nothing sets a restitution both are those of the
// setting.
static void set_restitution(mjModel *m, const struct dc_model *model, const struct dc_design *design, int pair, int a,
                            int b)
{
  const double *set = model->definition.mujoco.solref;
  double e = dc_design_pair_restitution(model, design, a, b), pi = acos(-1), *solref = m->pair_solref + mjNREF * pair;
  if (isnan(e))
    return;
  double ratio = e > 0 ? -log(e) / hypot(pi, log(e)) : 1, time = fmax(set[0], 2 * m->opt.timestep) * set[1];
  double k = set[0] > 0 ? 1 / (time * time) : -set[0];
  solref[0] = -k;
  solref[1] = -fmax(2 * ratio * sqrt(k), mjMINVAL);
}

// Sets the numbers of the design in the compiled model: gravity, friction and restitution of pairs, joints.
static void apply_design(struct dc_mujoco_simulation *simulation, const struct dc_model *model,
                         const struct dc_design *design)
{
  mjModel *m = simulation->model;
  dc_vec_copy(m->opt.gravity, design->gravity);
  for (int p = 0; p < m->npair; p++) {
    int a = simulation->pair_bodies[p][0], b = simulation->pair_bodies[p][1];
    double scale[2] = {design->friction_scale[a], design->friction_scale[b]};
    double now[2] = {scale[0] * dc_model_friction(model, a), scale[1] * dc_model_friction(model, b)};
    double *friction = m->pair_friction + 5 * p, disc = 2.0 / 3 * model->definition.mujoco.patch;
    friction[0] = friction[1] = fmax(dc_bodies_pair_friction(&model->bodies, a, b, now, scale), mjMINMU);
    friction[2] = fmax(disc * friction[0], mjMINMU);  // m, of even pressure
    set_restitution(m, model, design, p, a, b);
  }
  set_joints(simulation, &model->bodies, design);
}

// Resetting everything clears megabytes.  Every step sets positions, velocities and warm start; what else lasts from
// step to step are the forces applied, which only actuators set anew, and the time.
static void reset(struct dc_mujoco_simulation *simulation, void *context)
{
  (void)context;
  mjData *d = simulation->data;
  if (!simulation->clean)
    mj_resetData(simulation->model, d);
  d->time = 0;
  memset(d->qfrc_applied, 0, (size_t)simulation->model->nv * sizeof *d->qfrc_applied);
  simulation->clean = true;
}

// Begins a rollout: a fresh state, masses and numbers of the design, the velocity of the input.
static enum dc_status start(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  struct dc_mujoco_simulation *simulation = rollout->own;
  simulation->model->opt.tolerance = rollout->asked.tight ? TIGHT : model->definition.mujoco.tolerance;
  enum dc_status status = dc_mujoco_need_data(simulation, error);
  if (!status)
    status = dc_mujoco_call(reset, simulation, NULL, DC_NUMERICAL, error);
  if (!status)
    status = set_masses(simulation, &model->bodies, &input->design, error);
  if (status)
    return status;
  apply_design(simulation, model, &input->design);
  if (model->bodies.nv)
    memcpy(simulation->tangent, input->velocity, (size_t)model->bodies.nv * sizeof *input->velocity);
  return DC_OK;
}

// The force s on a length or angle, which damping D makes s - D q'+ at the end of the step, under a limit: what it
// becomes is taken as linear in the velocity, at the one that the step begins with.
static double limit_force(struct dc_mujoco_simulation *simulation, const struct dc_mujoco_coordinate *at, int freedom,
                          double effort, double damping, double s)
{
  double velocity = simulation->data->qvel[freedom];
  struct dc_saturated law = dc_saturate(effort, s - damping * velocity);
  simulation->model->dof_damping[freedom] = at->part->passive.damping + law.slope * damping;
  return law.force + law.slope * damping * velocity;
}

// Applies the part of the actuators' forces that is not damping.  Weights that they hold are those of the step's first
// frame, weight.  The torque on a rotation with target Y is -kp sin(angle) axis of R Y^T, as the implicit step has it
// (docs/theory.md, "Actuators"), turned to the body's axes like the velocity.
static void apply_actuators(struct dc_mujoco_simulation *simulation, const struct dc_model *model,
                            const struct dc_rollout_input *input, int step, const struct dc_weight *weight)
{
  mjData *d = simulation->data;
  const struct dc_bodies *bodies = &model->bodies;
  const mjOption *option = &simulation->model->opt;
  double implicit = option->integrator == mjINT_RK4 ? 0 : option->timestep;
  size_t row = (size_t)step * (size_t)bodies->actuator_count;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct dc_mujoco_coordinate *at = &simulation->coordinates[i];
    const struct dc_body *body = &bodies->bodies[at->body];
    for (int k = 0; k < dc_part_nv(at->part) && at->part->passive.force != 0; k++)
      d->qfrc_applied[at->freedom + k] = at->part->passive.force;
    if (!body->pd)
      continue;
    size_t first = row + (size_t)(body->actuator + at->part->v - body->v_offset);
    const double *position = input->target_position + first, *velocity = input->target_velocity + first;
    const double *initial = bodies->initial_q + at->part->q, *now = d->qpos + at->position;
    double kp = input->design.kp_scale[at->body] * gain_of(at, body, 0, dc_pd_kp);
    double kd = input->design.kd_scale[at->body] * gain_of(at, body, 0, dc_pd_kd);
    if (body->pd->kp_each.count && !(kp > 0) && !(kd > 0))
      continue;  // passive
    double *force = d->qfrc_applied + at->freedom, target[4], torque[3], rotation[9];
    if (at->part->kind != DC_PART_BALL) {
      for (int k = 0; k < dc_part_nv(at->part); k++) {
        force[k] = kp * (dc_target_origin(bodies, at->part, k) + position[k] - now[k]) +
                   kd * (at->part->target_velocity + velocity[k]);
        if (body->pd->gravity_compensation && dc_part_nv(at->part) == 1)
          force[k] += dc_weight_hold(weight, at->body, at->part->v);
        if (body->pd->effort > 0)
          force[k] = limit_force(simulation, at, at->freedom + k, body->pd->effort, kd + implicit * kp, force[k]);
        force[k] += at->part->passive.force;
      }
      continue;
    }
    dc_rotation_exp(target, position);
    dc_rotation_multiply(target, target, initial);
    dc_rotation_conjugate(target, target);
    dc_rotation_multiply(target, now, target);  // (cos, sin axis) of half the angle
    for (int k = 0; k < 3; k++)
      torque[k] = kd * velocity[k] - 2 * kp * target[0] * target[1 + k];
    dc_rotation_matrix(rotation, now);
    dc_mat_apply_transposed(force, rotation, torque);
  }
}

// The part of weights that does not act, as forces at the centres of mass.
static void apply_buoyancy(struct dc_mujoco_simulation *simulation, const struct dc_model *model,
                           const struct dc_design *design)
{
  for (int i = 0; i < model->bodies.count; i++) {
    const struct dc_body *body = &model->bodies.bodies[i];
    if (body->buoyancy != 0)
      dc_vec_scale(simulation->data->xfrc_applied + 6 * simulation->body[i], design->gravity,
                   -body->buoyancy * body->mass * design->body_mass_scale[i]);
  }
}

// Given forces, added to those of the actuators; torques about a rotation's axes turned to the body's.
static void apply_forces(struct dc_mujoco_simulation *simulation, const struct dc_model *model, const double *forces)
{
  mjData *d = simulation->data;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct dc_mujoco_coordinate *at = &simulation->coordinates[i];
    double *sum = d->qfrc_applied + at->freedom, force[3] = {0}, rotation[9];
    int n = dc_part_nv(at->part);
    memcpy(force, forces + at->part->v, (size_t)n * sizeof *force);
    if (at->part->kind == DC_PART_BALL) {
      dc_rotation_matrix(rotation, d->qpos + at->position);
      dc_mat_apply_transposed(force, rotation, forces + at->part->v);
    }
    for (int k = 0; k < n; k++)
      sum[k] = (model->bodies.bodies[at->body].pd || at->part->passive.force != 0 ? sum[k] : 0) + force[k];
  }
}

static void run_step(struct dc_mujoco_simulation *simulation, void *context)
{
  (void)context;
  mj_step(simulation->model, simulation->data);
}

// After a bad number MuJoCo starts over from its reference state; nothing of that may pass as a result.
static enum dc_status check_step(const struct dc_mujoco_simulation *simulation, struct dc_error *error)
{
  static const struct {
    int kind;
    const char *text;
  } faults[] = {{mjWARN_BADQPOS, "a position is not finite or too large"},
                {mjWARN_BADQVEL, "a velocity is not finite or too large"},
                {mjWARN_BADQACC, "an acceleration is not finite or too large"},
                {mjWARN_INERTIA, "the inertia matrix is singular"}};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (simulation->data->warning[faults[i].kind].number)
      return dc_fail(error, DC_NUMERICAL, "MuJoCo: %s (more substeps or lower gains may help)", faults[i].text);
  for (int i = 0; i < simulation->model->nq; i++)
    if (!isfinite(simulation->data->qpos[i]))
      return dc_fail(error, DC_NUMERICAL, "MuJoCo: a position is not finite");
  return DC_OK;
}

// One step of MuJoCo.  Where its memory for contacts or constraints was too small, memory is enlarged and the step done
// again from the state before.
static enum dc_status substep(struct dc_mujoco_simulation *simulation, const struct dc_model *model,
                              const struct dc_rollout_input *input, int step, const struct dc_weight *weight,
                              struct dc_error *error)
{
  dc_mujoco_keep_state(simulation);
  for (;;) {
    apply_actuators(simulation, model, input, step, weight);
    apply_buoyancy(simulation, model, &input->design);
    if (input->force)
      apply_forces(simulation, model, input->force + (size_t)step * (size_t)model->bodies.nv);
    enum dc_status status = dc_mujoco_call(run_step, simulation, NULL, DC_NUMERICAL, error);
    const mjWarningStat *warning = simulation->data->warning;
    for (int w = 0; w < mjNWARNING; w++)
      simulation->clean &= !status && warning[w].number == 0;
    if (status || (!warning[mjWARN_CONTACTFULL].number && !warning[mjWARN_CNSTRFULL].number))
      return status ? status : check_step(simulation, error);
    status = dc_mujoco_grow(simulation, error);
    if (status)
      return status;
    dc_mujoco_restore_state(simulation);
  }
}

// The gap is that of our own geometry, as for the other models.
static enum dc_status measure_gap(struct dc_rollout *rollout, double *gap, struct dc_error *error)
{
  double begin = dc_seconds();
  enum dc_status status = dc_rigid_evaluate(&rollout->rigid, rollout->next.poses, 0, rollout->rigid.pairs, error);
  rollout->rigid.seconds += dc_seconds() - begin;
  *gap = dc_contact_near_distance(rollout->rigid.contact);
  return status;
}

// One step of ours as substeps of MuJoCo.  Its state is set from the frame and its warm start cleared, so that a
// rollout that goes on from a frame gives the same bits.
static enum dc_status step_forward(struct dc_rollout *rollout, const struct dc_rollout_input *input, int step,
                                   struct dc_trajectory *trajectory, struct dc_step_report *report,
                                   struct dc_error *error)
{
  double *q = trajectory->q + (size_t)step * (size_t)trajectory->nq, *q_next = q + trajectory->nq;
  struct dc_mujoco_simulation *simulation = rollout->own;
  const struct dc_mujoco_settings *settings = &rollout->model->definition.mujoco;
  struct dc_weight weight = {
      .model = rollout->model,
      .design = &input->design,
      .q = q,
      .poses = trajectory->poses + (size_t)step * (size_t)trajectory->bodies,
  };
  // From the frame alone, without warm start: a rollout that goes on from a frame gives the same bits.
  dc_mujoco_set_state(simulation, q, simulation->tangent);
  memset(simulation->data->qacc_warmstart, 0, (size_t)simulation->model->nv * sizeof(double));
  *report = (struct dc_step_report){.evaluations = !rollout->asked.gapless, .converged = true, .min_gap = INFINITY};
  for (long s = 0; s < settings->substeps; s++) {
    enum dc_status status = substep(simulation, rollout->model, input, step, &weight, error);
    if (status)
      return status;
    int iterations = simulation->data->nefc ? simulation->data->solver_iter : 0;
    report->iterations += iterations;
    report->converged &= iterations < settings->iterations;
  }
  dc_mujoco_get_state(simulation, q_next, simulation->tangent);
  dc_poses(&rollout->model->bodies, q_next, rollout->next.poses);
  return rollout->asked.gapless ? DC_OK : measure_gap(rollout, &report->min_gap, error);
}

static void get_velocity(const struct dc_rollout *rollout, double *velocity)
{
  const struct dc_mujoco_simulation *simulation = rollout->own;
  if (rollout->model->bodies.nv)
    memcpy(velocity, simulation->tangent, (size_t)rollout->model->bodies.nv * sizeof *velocity);
}

const struct dc_stepper dc_mujoco_stepper = {
    .name = "mujoco",
    .create = dc_mujoco_create,
    .destroy = dc_mujoco_destroy,
    .start = start,
    .step = step_forward,
    .velocity = get_velocity,
};
