// SPDX-License-Identifier: Apache-2.0
// A model and a state of the library MuJoCo: how they are made from ours, and how states go there and back.
#include "dynamics/mujoco/mujoco_simulation.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "dynamics/mujoco/mujoco_description.h"
#include "dynamics/mujoco/mujoco_protect.h"
#include "math/rotation.h"
#include "math/vector.h"

// Room for constraints and contacts doubles when it runs out, as far as MuJoCo, which counts bytes in an int, can
// have it.
enum { MOST_CONSTRAINTS = 8192, MOST_CONTACTS = 1 << 17 };

// A protected call on a simulation.
struct protected_call {
  void (*call)(struct dc_mujoco_simulation *simulation, void *context);
  struct dc_mujoco_simulation *simulation;
  void *context;
};

static void run_call(void *context)
{
  const struct protected_call *made = context;
  made->call(made->simulation, made->context);
}

enum dc_status dc_mujoco_call(void (*call)(struct dc_mujoco_simulation *simulation, void *context),
                              struct dc_mujoco_simulation *simulation, void *context, enum dc_status failure,
                              struct dc_error *error)
{
  struct protected_call made = {call, simulation, context};
  return dc_mujoco_protect(run_call, &made, failure, error);
}

struct text {
  const char *bytes;
  char *room;  // to be filled
  size_t length;
  char message[512];
};

static const char model_name[] = "model.mjb";

// In a process of its own: *bytes becomes the compiled model.
static void compile(struct dc_mujoco_simulation *simulation, void *context)
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

static void save(struct dc_mujoco_simulation *simulation, void *context)
{
  struct text *compiled = context;
  mj_saveModel(simulation->model, NULL, compiled->room, (int)compiled->length);
}

// MuJoCo's compiler ends the process or leaves its lock behind when memory is out or a model is too much for it, and
// the model is as large as a scene says: both are the child's.
static enum dc_status compile_apart(void *context, char **bytes, size_t *size, struct dc_error *error)
{
  struct text *text = context;
  struct dc_mujoco_simulation simulation = {0};
  enum dc_status status = dc_mujoco_call(compile, &simulation, text, DC_BAD_INPUT, error);
  if (status)
    return status;
  for (char *c = text->message; *c; c++)  // one line
    if (*c == '\n')
      *c = ' ';
  if (!simulation.model)
    return dc_fail(error, text->message[0] ? DC_BAD_INPUT : DC_MEMORY, "MuJoCo refuses the model: %s",
                   text->message[0] ? text->message : "out of memory");
  struct text compiled = {.length = (size_t)mj_sizeModel(simulation.model)};
  if (!(compiled.room = malloc(compiled.length + 1)))
    return dc_out_of_memory_for(error, "MuJoCo");
  *bytes = compiled.room;
  *size = compiled.length;
  return dc_mujoco_call(save, &simulation, &compiled, DC_MEMORY, error);
}

// Takes the model from the bytes that the child has made.
static void take(struct dc_mujoco_simulation *simulation, void *context)
{
  struct text *compiled = context;
  mjVFS *files = dc_alloc(1, sizeof *files);
  if (!files || compiled->length > INT32_MAX) {
    free(files);
    return;
  }
  mj_defaultVFS(files);
  if (mj_makeEmptyFileVFS(files, model_name, (int)compiled->length) == 0) {
    memcpy(files->filedata[mj_findFileVFS(files, model_name)], compiled->bytes, compiled->length);
    simulation->model = mj_loadModel(model_name, files);
  }
  mj_deleteVFS(files);
  free(files);
}

static void make_data(struct dc_mujoco_simulation *simulation, void *context)
{
  (void)context;
  simulation->data = mj_makeData(simulation->model);
}

enum dc_status dc_mujoco_need_data(struct dc_mujoco_simulation *simulation, struct dc_error *error)
{
  enum dc_status status = simulation->data ? DC_OK : dc_mujoco_call(make_data, simulation, NULL, DC_MEMORY, error);
  if (!status && !simulation->data)
    status = dc_out_of_memory_for(error, "MuJoCo");
  return status;
}

// Compiles the description into MuJoCo's model, in another process.  Only one thread at a time does so, in a
// locale whose numbers have a decimal point.
static enum dc_status load(struct dc_mujoco_simulation *simulation, const struct dc_model *model,
                           struct dc_error *error)
{
  enum { SECONDS = 60, MEGABYTES = 1024, PER_BYTE = 64 };
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  struct text text = {.bytes = NULL}, compiled = {.bytes = NULL};
  struct dc_error why = {0};
  char *bytes = dc_mujoco_describe(model, &text.length, error), *answer = NULL;
  if (!bytes)
    return error ? error->status : DC_MEMORY;
  text.bytes = bytes;
  locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);  // a decimal point is a point to MuJoCo's reader, too
  if (!plain) {
    free(bytes);
    return dc_out_of_memory_for(error, "MuJoCo");
  }
  locale_t before = uselocale(plain);
  pthread_mutex_lock(&lock);
  enum dc_status status =
      dc_child_run_wary(compile_apart, &text, SECONDS + (unsigned)(text.length >> 20),
                        MEGABYTES + (unsigned)((text.length * PER_BYTE) >> 20), &answer, &compiled.length, &why);
  compiled.bytes = answer;
  if (status)
    dc_fail(error, status, "%s%.900s", strncmp(why.text, "MuJoCo", 6) == 0 ? "" : "MuJoCo: the model ", why.text);
  else
    status = dc_mujoco_call(take, simulation, &compiled, DC_BAD_INPUT, error);
  pthread_mutex_unlock(&lock);
  uselocale(before);
  freelocale(plain);
  free(answer);
  free(bytes);
  if (!status && !simulation->model)
    status = dc_out_of_memory_for(error, "MuJoCo");
  return status ? status : dc_mujoco_need_data(simulation, error);
}

static int named(const mjModel *model, int type, const char *format, int a, int b)
{
  char name[48];
  snprintf(name, sizeof name, format, a, b);
  return mj_name2id(model, type, name);
}

// A free body has one joint there, three places and then a quaternion.  Ours has two parts, which are found one by
// one.
static void find_coordinates(struct dc_mujoco_simulation *simulation, const struct dc_bodies *bodies)
{
  const mjModel *m = simulation->model;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    for (int p = 0; p < body->part_count; p++) {
      const struct dc_joint_part *part = &body->parts[p];
      int joint = named(m, mjOBJ_JOINT, "j%d", body->free ? body->v_offset : part->v, 0);
      bool turns = body->free && part->kind == DC_PART_BALL;
      simulation->coordinates[simulation->coordinate_count++] = (struct dc_mujoco_coordinate){
          part, i, m->jnt_qposadr[joint] + (turns ? 3 : 0), m->jnt_dofadr[joint] + (turns ? 3 : 0)};
    }
  }
}

// Finds MuJoCo's bodies by the names of their geometries and notes their masses; ours [bodies of MuJoCo] maps them
// back.
static void find_bodies(struct dc_mujoco_simulation *simulation, const struct dc_bodies *bodies, int *ours)
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

void dc_mujoco_connect_centers(mjModel *model)
{
  for (int e = 0; e < model->neq; e++)
    if (model->eq_type[e] == mjEQ_CONNECT)
      memset(model->eq_data + mjNEQDATA * e, 0, 6 * sizeof *model->eq_data);
}

// Options of "mujoco" that a description does not hold, set in the compiled model.
static void apply_settings(struct dc_mujoco_simulation *simulation, const struct dc_model_definition *definition)
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
  for (int t = 0; t < m->ntendon; t++) {
    memcpy(m->tendon_solref_lim + mjNREF * t, settings->solref, sizeof settings->solref);
    memcpy(m->tendon_solimp_lim + mjNIMP * t, settings->solimp, sizeof settings->solimp);
  }
  dc_mujoco_connect_centers(m);
  for (int e = 0; e < m->neq; e++) {
    memcpy(m->eq_solref + mjNREF * e, settings->solref, sizeof settings->solref);
    memcpy(m->eq_solimp + mjNIMP * e, settings->solimp, sizeof settings->solimp);
  }
}

// Compiles the model for MuJoCo and maps bodies, coordinates and pairs of one to the other.
enum dc_status dc_mujoco_create(struct dc_rollout *rollout, struct dc_error *error)
{
  const struct dc_bodies *bodies = &rollout->model->bodies;
  struct dc_arena *arena = rollout->arena;
  struct dc_mujoco_simulation *simulation = rollout->own = dc_arena_alloc(arena, 1, sizeof *simulation);
  if (!simulation)
    return dc_out_of_memory_for(error, "MuJoCo");
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
    return dc_out_of_memory_for(error, "MuJoCo");
  find_coordinates(simulation, bodies);
  find_bodies(simulation, bodies, ours);
  apply_settings(simulation, &rollout->model->definition);
  return DC_OK;
}

void dc_mujoco_destroy(struct dc_rollout *rollout)
{
  struct dc_mujoco_simulation *simulation = rollout->own;
  if (!simulation)
    return;
  if (simulation->data)
    mj_deleteData(simulation->data);
  if (simulation->model)
    mj_deleteModel(simulation->model);
}

// States.  Both have a quaternion for what turns freely; our angular velocity has the axes of the outer frame,
// w: R <- exp(h [w]x) R, MuJoCo's those of the body, R^T w.

// Copies coordinates to MuJoCo's places. Both sides store quaternions alike, but MuJoCo's velocity of a ball is in the
// axes of the body and ours in world axes, so that it is turned by R^T.
void dc_mujoco_set_state(struct dc_mujoco_simulation *simulation, const double *q, const double *velocity)
{
  mjData *d = simulation->data;
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct dc_mujoco_coordinate *at = &simulation->coordinates[i];
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

// Reads the state; MuJoCo's angular velocities of balls are in the body's frame, ours in the world's.
void dc_mujoco_get_state(const struct dc_mujoco_simulation *simulation, double *q, double *velocity)
{
  for (int i = 0; i < simulation->coordinate_count; i++) {
    const struct dc_mujoco_coordinate *at = &simulation->coordinates[i];
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

void dc_mujoco_keep_state(struct dc_mujoco_simulation *simulation)
{
  const mjModel *m = simulation->model;
  const mjData *d = simulation->data;
  memcpy(simulation->position, d->qpos, (size_t)m->nq * sizeof(double));
  memcpy(simulation->velocity, d->qvel, (size_t)m->nv * sizeof(double));
  memcpy(simulation->warmth, d->qacc_warmstart, (size_t)m->nv * sizeof(double));
}

void dc_mujoco_restore_state(struct dc_mujoco_simulation *simulation)
{
  const mjModel *m = simulation->model;
  mjData *d = simulation->data;
  memcpy(d->qpos, simulation->position, (size_t)m->nq * sizeof(double));
  memcpy(d->qvel, simulation->velocity, (size_t)m->nv * sizeof(double));
  memcpy(d->qacc_warmstart, simulation->warmth, (size_t)m->nv * sizeof(double));
}

// MuJoCo's compiler gives the stack 5 (njmax + nv)^2 numbers beside what else it holds; the same rule gives the
// larger one.  It counts bytes in an int, which bounds the growth.
enum dc_status dc_mujoco_grow(struct dc_mujoco_simulation *simulation, struct dc_error *error)
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
  return dc_mujoco_need_data(simulation, error);
}
