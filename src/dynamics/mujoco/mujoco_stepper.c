// SPDX-License-Identifier: Apache-2.0
// The library MuJoCo as a stepper: its own joints, contacts and integration, our states, actuators and design
// (docs/theory.md, "MuJoCo").
#include <locale.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dynamics/mujoco/mujoco_description.h"
#include "dynamics/mujoco/mujoco_protect.h"
#include "dynamics/saturation.h"
#include "dynamics/stepper.h"
#include "dynamics/weight.h"
#include "math/rotation.h"
#include "math/vector.h"

// Room for constraints and contacts doubles when it runs out, as far as MuJoCo, which counts bytes in an int, can
// have it.
enum { MOST_CONSTRAINTS = 8192, MOST_CONTACTS = 1 << 17 };

static const double TIGHT = 1e-14;  // tolerance of rollouts for difference checks

// Where a part of a joint lives in MuJoCo's state.
struct coordinate {
  const struct dc_joint_part *part;
  int body, position, freedom;  // body of ours; first entries of qpos and qvel
};

struct simulation {
  mjModel *model;
  mjData *data;
  int coordinate_count;
  struct coordinate *coordinates;
  int *body;                             // [bodies] of MuJoCo
  int (*pair_bodies)[2];                 // [npair] of ours
  double *mass, *inertia;                // [bodies], [bodies][3] without a design's scales
  double *scale;                         // [bodies] in effect
  double *position, *velocity, *warmth;  // state before a step of MuJoCo
  double *tangent;                       // [nv] velocity at the last frame, ours
  bool clean;                            // all steps since the last reset were without a warning
};

// A protected call on a simulation.
struct protected_call {
  void (*call)(struct simulation *simulation, void *context);
  struct simulation *simulation;
  void *context;
};

static void run_call(void *context)
{
  const struct protected_call *made = context;
  made->call(made->simulation, made->context);
}

static enum dc_status protect(void (*call)(struct simulation *simulation, void *context), struct simulation *simulation,
                              void *context, enum dc_status failure, struct dc_error *error)
{
  struct protected_call made = {call, simulation, context};
  return dc_mujoco_protect(run_call, &made, failure, error);
}

struct text {
  const char *bytes;
  size_t length;
  char message[512];
};

// The compiler and the last model that it keeps are not for several threads.
static void compile(struct simulation *simulation, void *context)
{
  static const char name[] = "model.xml";
  struct text *text = context;
  mjVFS *files = dc_alloc(1, sizeof *files);
  if (!files || text->length > INT32_MAX) {
    free(files);
    return;
  }
  mj_defaultVFS(files);
  if (mj_makeEmptyFileVFS(files, name, (int)text->length) == 0) {
    memcpy(files->filedata[mj_findFileVFS(files, name)], text->bytes, text->length);
    simulation->model = mj_loadXML(name, files, text->message, (int)sizeof text->message);
    mj_freeLastXML();
  }
  mj_deleteVFS(files);
  free(files);
}

static void make_data(struct simulation *simulation, void *context)
{
  (void)context;
  simulation->data = mj_makeData(simulation->model);
}

// A rollout that ran out of memory while it made room for contacts has none, and may still be asked again.
static enum dc_status need_data(struct simulation *simulation, struct dc_error *error)
{
  enum dc_status status = simulation->data ? DC_OK : protect(make_data, simulation, NULL, DC_MEMORY, error);
  if (!status && !simulation->data)
    status = dc_fail(error, DC_MEMORY, "out of memory for MuJoCo");
  return status;
}

static enum dc_status load(struct simulation *simulation, const struct dc_model *model, struct dc_error *error)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  struct text text = {.bytes = NULL};
  char *bytes = dc_mujoco_describe(model, &text.length, error);
  if (!bytes)
    return error ? error->status : DC_MEMORY;
  text.bytes = bytes;
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);  // a decimal point is a point to MuJoCo's reader, too
  if (!plain) {
    free(bytes);
    return dc_fail(error, DC_MEMORY, "out of memory for MuJoCo");
  }
  locale_t before = uselocale(plain);
  pthread_mutex_lock(&lock);
  enum dc_status status = protect(compile, simulation, &text, DC_BAD_INPUT, error);
  pthread_mutex_unlock(&lock);
  uselocale(before);
  freelocale(plain);
  free(bytes);
  if (status)
    return status;
  for (char *c = text.message; *c; c++)  // one line
    if (*c == '\n')
      *c = ' ';
  if (!simulation->model)
    return dc_fail(error, text.message[0] ? DC_BAD_INPUT : DC_MEMORY, "MuJoCo refuses the model: %s",
                   text.message[0] ? text.message : "out of memory");
  return need_data(simulation, error);
}

static int named(const mjModel *model, int type, const char *format, int a, int b)
{
  char name[48];
  snprintf(name, sizeof name, format, a, b);
  return mj_name2id(model, type, name);
}

static void find_coordinates(struct simulation *simulation, const struct dc_bodies *bodies)
{
  const mjModel *m = simulation->model;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    for (int p = 0; p < body->part_count; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      int joint = named(m, mjOBJ_JOINT, "j%d", body->free ? body->v_offset : part->v, 0);
      bool turns = body->free && part->kind == DC_PART_BALL;
      simulation->coordinates[simulation->coordinate_count++] =
          (struct coordinate){part, i, m->jnt_qposadr[joint] + (turns ? 3 : 0), m->jnt_dofadr[joint] + (turns ? 3 : 0)};
    }
  }
}

static void find_bodies(struct simulation *simulation, const struct dc_bodies *bodies, int *ours)
{
  const mjModel *m = simulation->model;
  for (int i = 0; i < bodies->count; i++) {
    int body = m->geom_bodyid[named(m, mjOBJ_GEOM, "g%d_%d", i, 0)];
    simulation->body[i] = body;
    ours[body] = i;
    simulation->mass[i] = m->body_mass[body];
    dc_vec_copy(simulation->inertia + 3 * i, m->body_inertia + 3 * body);
    simulation->scale[i] = 1;
  }
  for (int p = 0; p < m->npair; p++) {
    simulation->pair_bodies[p][0] = ours[m->geom_bodyid[m->pair_geom1[p]]];
    simulation->pair_bodies[p][1] = ours[m->geom_bodyid[m->pair_geom2[p]]];
  }
}

static void apply_settings(struct simulation *simulation, const struct dc_model_definition *definition)
{
  const struct dc_mujoco_settings *settings = &definition->mujoco;
  mjModel *m = simulation->model;
  m->opt.timestep = definition->time.step / (double)settings->substeps;
  m->opt.integrator = settings->integrator;
  m->opt.cone = settings->cone;
  m->opt.solver = settings->solver;
  m->opt.iterations = (int)settings->iterations;
  m->opt.noslip_iterations = (int)settings->noslip_iterations;
  m->opt.impratio = settings->impratio;
  if (settings->multiccd)
    m->opt.enableflags |= mjENBL_MULTICCD;
  for (int p = 0; p < m->npair; p++) {
    memcpy(m->pair_solref + mjNREF * p, settings->solref, sizeof settings->solref);
    memcpy(m->pair_solimp + mjNIMP * p, settings->solimp, sizeof settings->solimp);
  }
  for (int j = 0; j < m->njnt; j++) {
    memcpy(m->jnt_solref + mjNREF * j, settings->solref, sizeof settings->solref);
    memcpy(m->jnt_solimp + mjNIMP * j, settings->solimp, sizeof settings->solimp);
  }
  for (int e = 0; e < m->neq; e++) {
    memcpy(m->eq_solref + mjNREF * e, settings->solref, sizeof settings->solref);
    memcpy(m->eq_solimp + mjNIMP * e, settings->solimp, sizeof settings->solimp);
  }
}

static enum dc_status create(struct dc_rollout *rollout, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  struct dc_arena *arena = rollout->arena;
  struct simulation *simulation = rollout->own = dc_arena_alloc(arena, 1, sizeof *simulation);
  if (!simulation)
    return dc_fail(error, DC_MEMORY, "out of memory for MuJoCo");
  enum dc_status status = load(simulation, rollout->model, error);
  if (status)
    return status;
  const mjModel *m = simulation->model;
  size_t count = (size_t)bodies->count, parts = 0;
  for (int i = 0; i < bodies->count; i++)
    parts += (size_t)bodies->bodies[i].part_count;
  int *ours = dc_arena_alloc(arena, (size_t)m->nbody, sizeof *ours);
  simulation->coordinates = dc_arena_alloc(arena, parts, sizeof *simulation->coordinates);
  simulation->body = dc_arena_alloc(arena, count, sizeof *simulation->body);
  simulation->pair_bodies = dc_arena_alloc(arena, (size_t)m->npair, sizeof *simulation->pair_bodies);
  simulation->mass = dc_arena_alloc(arena, count, sizeof *simulation->mass);
  simulation->inertia = dc_arena_alloc(arena, 3 * count, sizeof *simulation->inertia);
  simulation->scale = dc_arena_alloc(arena, count, sizeof *simulation->scale);
  simulation->position = dc_arena_alloc(arena, (size_t)m->nq, sizeof(double));
  simulation->velocity = dc_arena_alloc(arena, (size_t)m->nv, sizeof(double));
  simulation->warmth = dc_arena_alloc(arena, (size_t)m->nv, sizeof(double));
  simulation->tangent = dc_arena_alloc(arena, (size_t)bodies->nv, sizeof(double));
  if (!ours || !simulation->tangent || !simulation->coordinates || !simulation->body || !simulation->pair_bodies ||
      !simulation->mass || !simulation->inertia || !simulation->scale || !simulation->position ||
      !simulation->velocity || !simulation->warmth)
    return dc_fail(error, DC_MEMORY, "out of memory for MuJoCo");
  find_coordinates(simulation, bodies);
  find_bodies(simulation, bodies, ours);
  apply_settings(simulation, &rollout->model->definition);
  return DC_OK;
}

static void destroy(struct dc_rollout *rollout)
{
  struct simulation *simulation = rollout->own;
  if (!simulation)
    return;
  if (simulation->data)
    mj_deleteData(simulation->data);
  if (simulation->model)
    mj_deleteModel(simulation->model);
}

// States.  Both have a quaternion for what turns freely; our angular velocity has the axes of the outer frame,
// w: R <- exp(h [w]x) R, MuJoCo's those of the body, R^T w.

static void set_state(struct simulation *simulation, const double *q, const double *velocity)
{
  mjData *d = simulation->data;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct coordinate *at = &simulation->coordinates[i];
    const double *from = q + at->part->q, *rate = velocity + at->part->v;
    double rotation[9];
    memcpy(d->qpos + at->position, from, (size_t)dc_part_nq(at->part) * sizeof *from);
    memcpy(d->qvel + at->freedom, rate, (size_t)dc_part_nv(at->part) * sizeof *rate);
    if (at->part->kind != DC_PART_BALL)
      continue;
    dc_rotation_matrix(rotation, from);
    dc_mat_apply_transposed(d->qvel + at->freedom, rotation, rate);
  }
}

static void get_state(const struct simulation *simulation, double *q, double *velocity)
{
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct coordinate *at = &simulation->coordinates[i];
    double *to = q + at->part->q;
    memcpy(to, simulation->data->qpos + at->position, (size_t)dc_part_nq(at->part) * sizeof *to);
    memcpy(velocity + at->part->v, simulation->data->qvel + at->freedom,
           (size_t)dc_part_nv(at->part) * sizeof *velocity);
    if (at->part->kind != DC_PART_BALL)
      continue;
    double rotation[9];
    dc_rotation_normalize(to);
    dc_rotation_matrix(rotation, to);
    dc_mat_apply(velocity + at->part->v, rotation, simulation->data->qvel + at->freedom);
  }
}

static void set_constants(struct simulation *simulation, void *context)
{
  (void)context;
  mj_setConst(simulation->model, simulation->data);
}

// Masses change what MuJoCo derives from them.
static enum dc_status set_masses(struct simulation *simulation, const struct dc_bodies *bodies,
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
  return changed ? protect(set_constants, simulation, NULL, DC_NUMERICAL, error) : DC_OK;
}

// The gain of a coordinate's angles or lengths.
static double gain(const struct coordinate *at, double of_lengths, double of_angles, double scale)
{
  bool turns = at->part->kind == DC_PART_BALL || at->part->kind == DC_PART_HINGE;
  return scale * (turns ? of_angles : of_lengths);
}

// An actuator's force at the end of a step of MuJoCo, h long, kp (y - q - h q'+) + kd (v - q'+), is linear in the new
// velocity q'+: h kp + kd is damping, which both Euler and implicit take at the end of their step; the rest is applied.
static void set_joints(struct simulation *simulation, const struct dc_bodies *bodies, const struct dc_design *design)
{
  mjModel *m = simulation->model;
  double implicit = m->opt.integrator == mjINT_RK4 ? 0 : m->opt.timestep;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct coordinate *at = &simulation->coordinates[i];
    const struct dc_pd_definition *pd = bodies->bodies[at->body].pd;
    if (!isinf(at->part->range[0]))
      dc_design_range(design, at->part, m->jnt_range + 2 * m->dof_jntid[at->freedom]);
    for (int k = 0; pd && k < dc_part_nv(at->part); k++)
      m->dof_damping[at->freedom + k] = gain(at, pd->kd, pd->kd_rotation, design->kd_scale[at->body]) +
                                        implicit * gain(at, pd->kp, pd->kp_rotation, design->kp_scale[at->body]);
  }
}

// The restitution e of an oscillator of damping ratio z is exp(-pi z / sqrt(1 - z^2)).  The stiffness k of contacts stays
// that of the setting (MuJoCo, "Solver parameters": k = 1/(t z)^2 of time constant t and damping ratio z, t at least two
// of its steps), its damping becomes 2 z sqrt(k).  Where nothing sets a restitution both are those of the setting.
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

static void apply_design(struct simulation *simulation, const struct dc_model *model, const struct dc_design *design)
{
  mjModel *m = simulation->model;
  dc_vec_copy(m->opt.gravity, design->gravity);
  for (int p = 0; p < m->npair; p++) {
    int a = simulation->pair_bodies[p][0], b = simulation->pair_bodies[p][1];
    double of_a = design->friction_scale[a] * dc_model_friction(model, a);
    double of_b = design->friction_scale[b] * dc_model_friction(model, b);
    double *friction = m->pair_friction + 5 * p, disc = 2.0 / 3 * model->definition.mujoco.patch;
    friction[0] = friction[1] = fmax(sqrt(of_a) * sqrt(of_b), mjMINMU);
    friction[2] = fmax(disc * friction[0], mjMINMU);  // m, of even pressure
    set_restitution(m, model, design, p, a, b);
  }
  set_joints(simulation, &model->bodies, design);
}

// Resetting everything clears megabytes.  Every step sets positions, velocities and warm start; what else lasts from step to
// step are the forces applied, which only actuators set anew, and the time.
static void reset(struct simulation *simulation, void *context)
{
  (void)context;
  mjData *d = simulation->data;
  if (!simulation->clean)
    mj_resetData(simulation->model, d);
  d->time = 0;
  memset(d->qfrc_applied, 0, (size_t)simulation->model->nv * sizeof *d->qfrc_applied);
  simulation->clean = true;
}

static enum dc_status start(struct dc_rollout *rollout, const struct dc_rollout_input *input, struct dc_error *error)
{
  const struct dc_model *model = rollout->model;
  struct simulation *simulation = rollout->own;
  simulation->model->opt.tolerance = rollout->tight ? TIGHT : model->definition.mujoco.tolerance;
  enum dc_status status = need_data(simulation, error);
  if (!status)
    status = protect(reset, simulation, NULL, DC_NUMERICAL, error);
  if (!status)
    status = set_masses(simulation, &model->bodies, &input->design, error);
  if (status)
    return status;
  apply_design(simulation, model, &input->design);
  if (model->bodies.nv)
    memcpy(simulation->tangent, input->velocity, (size_t)model->bodies.nv * sizeof *input->velocity);
  return DC_OK;
}

// The force s on a length or angle, which damping D makes s - D q'+ at the end of the step, under a limit: what it becomes is
// taken as linear in the velocity, at the one that the step begins with.
static double limit_force(struct simulation *simulation, int freedom, double effort, double damping, double s)
{
  double velocity = simulation->data->qvel[freedom];
  struct dc_saturated law = dc_saturate(effort, s - damping * velocity);
  simulation->model->dof_damping[freedom] = law.slope * damping;
  return law.force + law.slope * damping * velocity;
}

// What of the actuators' forces is not damping.  Weights that they hold are those of the step's first frame, weight.  Of a rotation with target Y: -kp sin(angle) axis of R Y^T, as the
// implicit step has it (docs/theory.md, "Actuators"), turned to the body's axes like the velocity.
static void apply_actuators(struct simulation *simulation, const struct dc_model *model,
                            const struct dc_rollout_input *input, int step, const struct dc_weight *weight)
{
  mjData *d = simulation->data;
  const struct dc_bodies *bodies = &model->bodies;
  const mjOption *option = &simulation->model->opt;
  double implicit = option->integrator == mjINT_RK4 ? 0 : option->timestep;
  size_t row = (size_t)step * (size_t)bodies->actuator_count;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct coordinate *at = &simulation->coordinates[i];
    const struct dc_body *body = &bodies->bodies[at->body];
    if (!body->pd)
      continue;
    size_t first = row + (size_t)(body->actuator + at->part->v - body->v_offset);
    const double *position = input->target_position + first, *velocity = input->target_velocity + first;
    const double *initial = bodies->initial_q + at->part->q, *now = d->qpos + at->position;
    double kp = gain(at, body->pd->kp, body->pd->kp_rotation, input->design.kp_scale[at->body]);
    double kd = gain(at, body->pd->kd, body->pd->kd_rotation, input->design.kd_scale[at->body]);
    double *force = d->qfrc_applied + at->freedom, target[4], torque[3], rotation[9];
    if (at->part->kind != DC_PART_BALL) {
      for (int k = 0; k < dc_part_nv(at->part); k++) {
        force[k] = kp * (initial[k] + position[k] - now[k]) + kd * velocity[k];
        if (body->pd->gravity_compensation && dc_part_nv(at->part) == 1)
          force[k] += dc_weight_hold(weight, at->body, at->part->v);
        if (body->pd->effort > 0)
          force[k] = limit_force(simulation, at->freedom + k, body->pd->effort, kd + implicit * kp, force[k]);
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

// Given forces, added to those of the actuators; torques about a rotation's axes turned to the body's.
static void apply_forces(struct simulation *simulation, const struct dc_model *model, const double *forces)
{
  mjData *d = simulation->data;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct coordinate *at = &simulation->coordinates[i];
    double *sum = d->qfrc_applied + at->freedom, force[3] = {0}, rotation[9];
    int n = dc_part_nv(at->part);
    memcpy(force, forces + at->part->v, (size_t)n * sizeof *force);
    if (at->part->kind == DC_PART_BALL) {
      dc_rotation_matrix(rotation, d->qpos + at->position);
      dc_mat_apply_transposed(force, rotation, forces + at->part->v);
    }
    for (int k = 0; k < n; k++)
      sum[k] = (model->bodies.bodies[at->body].pd ? sum[k] : 0) + force[k];
  }
}

static void run_step(struct simulation *simulation, void *context)
{
  (void)context;
  mj_step(simulation->model, simulation->data);
}

static void keep_state(struct simulation *simulation)
{
  const mjModel *m = simulation->model;
  const mjData *d = simulation->data;
  memcpy(simulation->position, d->qpos, (size_t)m->nq * sizeof(double));
  memcpy(simulation->velocity, d->qvel, (size_t)m->nv * sizeof(double));
  memcpy(simulation->warmth, d->qacc_warmstart, (size_t)m->nv * sizeof(double));
}

static void restore_state(struct simulation *simulation)
{
  const mjModel *m = simulation->model;
  mjData *d = simulation->data;
  memcpy(d->qpos, simulation->position, (size_t)m->nq * sizeof(double));
  memcpy(d->qvel, simulation->velocity, (size_t)m->nv * sizeof(double));
  memcpy(d->qacc_warmstart, simulation->warmth, (size_t)m->nv * sizeof(double));
}

// Twice the room, the stack by MuJoCo's own rule; MuJoCo would leave out what finds none.
static enum dc_status grow(struct simulation *simulation, struct dc_error *error)
{
  mjModel *m = simulation->model;
  if (m->njmax >= MOST_CONSTRAINTS || m->nconmax >= MOST_CONTACTS)
    return dc_fail(error, DC_MEMORY, "MuJoCo: more than %d contacts or %d constraints", m->nconmax, m->njmax);
  long rest = m->nstack - 5L * (m->njmax + m->nv) * (m->njmax + m->nv);
  m->njmax = m->njmax * 2 < MOST_CONSTRAINTS ? m->njmax * 2 : MOST_CONSTRAINTS;
  m->nconmax *= 2;
  long stack = rest + 5L * (m->njmax + m->nv) * (m->njmax + m->nv);
  if (stack > INT32_MAX)
    return dc_fail(error, DC_MEMORY, "MuJoCo: no room for %d constraints", m->njmax);
  m->nstack = (int)stack;
  mj_deleteData(simulation->data);
  simulation->data = NULL;
  return need_data(simulation, error);
}

// After a bad number MuJoCo starts over from its reference state; nothing of that may pass as a result.
static enum dc_status check_step(const struct simulation *simulation, struct dc_error *error)
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

static enum dc_status substep(struct simulation *simulation, const struct dc_model *model,
                              const struct dc_rollout_input *input, int step, const struct dc_weight *weight,
                              struct dc_error *error)
{
  keep_state(simulation);
  for (;;) {
    apply_actuators(simulation, model, input, step, weight);
    if (input->force)
      apply_forces(simulation, model, input->force + (size_t)step * (size_t)model->bodies.nv);
    enum dc_status status = protect(run_step, simulation, NULL, DC_NUMERICAL, error);
    const mjWarningStat *warning = simulation->data->warning;
    for (int w = 0; w < mjNWARNING; w++)
      simulation->clean &= !status && warning[w].number == 0;
    if (status || (!warning[mjWARN_CONTACTFULL].number && !warning[mjWARN_CNSTRFULL].number))
      return status ? status : check_step(simulation, error);
    status = grow(simulation, error);
    if (status)
      return status;
    restore_state(simulation);
  }
}

// The gap is that of our own geometry, as for the other models.
static enum dc_status measure_gap(struct dc_rollout *rollout, struct dc_pair_derivatives *pairs, double *gap,
                                  struct dc_error *error)
{
  double begin = dc_seconds();
  double energy = dc_contact_evaluate(rollout->contact, rollout->next.poses, 0, pairs);
  rollout->contact_seconds += dc_seconds() - begin;
  if (isnan(energy))
    return dc_fail(error, DC_MEMORY, "out of memory for contact pairs");
  *gap = dc_contact_min_gap(rollout->contact);
  return DC_OK;
}

static enum dc_status step_forward(struct dc_rollout *rollout, const struct dc_rollout_input *input, int step,
                                   struct dc_trajectory *trajectory, struct dc_step_report *report,
                                   struct dc_error *error)
{
  double *q = trajectory->q + (size_t)step * (size_t)trajectory->nq, *q_next = q + trajectory->nq;
  struct simulation *simulation = rollout->own;
  const struct dc_mujoco_settings *settings = &rollout->model->definition.mujoco;
  struct dc_weight weight = {rollout->model, &input->design, q,
                             trajectory->poses + (size_t)step * (size_t)trajectory->bodies};
  // From the frame alone, without warm start: a rollout that goes on from a frame gives the same bits.
  set_state(simulation, q, simulation->tangent);
  memset(simulation->data->qacc_warmstart, 0, (size_t)simulation->model->nv * sizeof(double));
  *report = (struct dc_step_report){.evaluations = !rollout->gapless, .converged = true, .min_gap = INFINITY};
  for (long s = 0; s < settings->substeps; s++) {
    enum dc_status status = substep(simulation, rollout->model, input, step, &weight, error);
    if (status)
      return status;
    int iterations = simulation->data->nefc ? simulation->data->solver_iter : 0;
    report->iterations += iterations;
    report->converged &= iterations < settings->iterations;
  }
  get_state(simulation, q_next, simulation->tangent);
  dc_poses(&rollout->model->bodies, q_next, rollout->next.poses);
  return rollout->gapless ? DC_OK : measure_gap(rollout, rollout->pairs, &report->min_gap, error);
}

static void get_velocity(const struct dc_rollout *rollout, double *velocity)
{
  const struct simulation *simulation = rollout->own;
  if (rollout->model->bodies.nv)
    memcpy(velocity, simulation->tangent, (size_t)rollout->model->bodies.nv * sizeof *velocity);
}

const struct dc_stepper dc_mujoco_stepper = {
    .name = "mujoco",
    .create = create,
    .destroy = destroy,
    .start = start,
    .step = step_forward,
    .velocity = get_velocity,
};
