// SPDX-License-Identifier: Apache-2.0
// A model as MuJoCo has it beside the scene that includes it.
#ifndef DC_TESTS_IO_MJCF_FIXTURE_H
#define DC_TESTS_IO_MJCF_FIXTURE_H

#include <mujoco/mujoco.h>

#include "base/random.h"
#include "body/kinematics.h"
#include "io/scene/scene.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "urdf_fixture.h"

enum { MOST_STATE = 160, MOST_BODIES = 120 };

struct pair {
  mjModel *model;
  struct dc_scene *scene;
  struct dc_arena *arena;
};

// Copies a model of the test's source folder.
static inline void copy_model(const char *name, const char *path)
{
  char from[1000], text[8000];
  snprintf(from, sizeof from, "%s/%s.xml", DC_TEST_MODELS, name);
  FILE *file = fopen(from, "rb");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  CHECK(file && size > 0 && size < sizeof text, "%s", from);
  if (file)
    fclose(file);
  write_bytes(path, text, size);
}

// file: in the working folder; more: of the include.
static inline void open_files(struct pair *pair, const char *original, const char *file, const char *more)
{
  char text[1000], message[500];
  struct dc_error error = {0};
  pair->arena = dc_arena_create();
  pair->model = mj_loadXML(original, NULL, message, sizeof message);
  CHECK(pair->model, "%s", message);
  snprintf(text, sizeof text, "{'name': 's', 'contact': {'model': 'bsh'}, " TIME ", 'include': {'file': '%s'%s}}", file,
           more);
  write_scene("scene.json", text);
  pair->scene = NULL;
  CHECK(dc_scene_read("scene.json", NULL, &pair->scene, &error) == DC_OK, "%s", error.text);
}

static inline void open_pair(struct pair *pair, const char *name, const char *more)
{
  copy_model(name, "model.xml");
  open_files(pair, "model.xml", "model.xml", more);
}

static inline void close_pair(struct pair *pair)
{
  dc_scene_destroy(pair->scene);
  mj_deleteModel(pair->model);
  dc_arena_destroy(pair->arena);
}

// MuJoCo's body of that name; one that the file leaves without is called by its number here.
static inline int id_of(const mjModel *model, const char *name)
{
  int id = mj_name2id(model, mjOBJ_BODY, name);
  return id >= 0 || (sscanf(name, "body%d", &id) == 1 && id < model->nbody) ? id : -1;
}

// The joint of MuJoCo that part p of a body is: those of bodies without mass come first.
static inline int joint_of(const mjModel *model, const struct dc_body *body, int p)
{
  int id = id_of(model, body->name), below = model->body_jntnum[id];
  if (p >= body->part_count - below)
    return model->body_jntadr[id] + p - (body->part_count - below);
  return model->body_jntadr[model->body_parentid[id]] + p;
}

// MuJoCo's coordinates of ours.
static inline void translate(const struct pair *pair, const double *q, double *qpos)
{
  const struct dc_bodies *bodies = &pair->scene->model.bodies;
  const mjModel *model = pair->model;
  memcpy(qpos, model->qpos0, (size_t)model->nq * sizeof *qpos);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    int id = id_of(model, body->name);
    double rotation[9], arm[3];
    if (body->free) {
      double *to = qpos + model->jnt_qposadr[model->body_jntadr[id]];
      memcpy(to + 3, q + body->q_offset + 3, 4 * sizeof *to);
      dc_rotation_matrix(rotation, to + 3);
      dc_mat_apply(arm, rotation, model->body_ipos + 3 * id);
      dc_vec_sub(to, q + body->q_offset, arm);
      continue;
    }
    for (int p = 0; p < body->part_count; p++) {
      double *to = qpos + model->jnt_qposadr[joint_of(model, body, p)];
      const double *from = q + body->parts[p].q;
      if (body->parts[p].kind == DC_PART_BALL)
        memcpy(to, from, 4 * sizeof *to);
      else
        *to += *from;
    }
  }
}

// Position, turn and mass of every body.
static inline void compare_bodies(const struct pair *pair, const mjData *data, const struct dc_pose *poses,
                                  const char *name)
{
  const struct dc_bodies *bodies = &pair->scene->model.bodies;
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    int id = id_of(pair->model, body->name);
    if (id <= 0 || !dc_body_moves(body))
      continue;
    bool mesh = false;  // MuJoCo's vertices are floats: 1.4e-8 observed
    for (int g = 0; g < pair->model->body_geomnum[id]; g++)
      mesh |= pair->model->geom_type[pair->model->body_geomadr[id] + g] == mjGEOM_MESH;
    CHECK_NEAR(body->mass, pair->model->body_mass[id], (mesh ? 3e-8 : 1e-12) * body->mass);
    double off = dc_vec_distance(poses[i].position, data->xipos + 3 * id), turned = 0;
    for (int k = 0; k < 9; k++)
      turned = larger(turned, fabs(poses[i].rotation[k] - data->xmat[9 * id + k]));
    CHECK(off < 1e-9 && turned < 1e-9, "%s: %s is %g m and %g off", name, body->name, off, turned);  // seen: 1e-15
  }
}

// v^T M v / 2 from our twists.
static inline double kinetic_energy(const struct dc_bodies *bodies, const struct dc_kinematics *kinematics,
                                    const double *v)
{
  double twists[MOST_BODIES][6], energy = 0;
  dc_twists(bodies, kinematics, v, twists);
  for (int i = 0; i < bodies->count; i++) {
    const struct dc_body *body = &bodies->bodies[i];
    const double *s = body->second_moment, *w = twists[i];
    double local[3], trace = s[0] + s[4] + s[8], bent[3];
    dc_mat_apply_transposed(local, kinematics->poses[i].rotation, w);
    dc_mat_apply(bent, s, local);
    energy += 0.5 * body->mass * dc_vec_dot(w + 3, w + 3) +
              0.5 * (trace * dc_vec_dot(local, local) - dc_vec_dot(local, bent));
  }
  return energy;
}

// At drawn positions: poses, kinetic energy for drawn velocities (all of the mass matrix, but for the armature, which
// we do not have) and the power of the weight.  These make the accelerations of free fall.
static inline void compare_models(struct pair *pair, const char *name)
{
  if (!pair->scene || !pair->model)
    return;
  const struct dc_bodies *bodies = &pair->scene->model.bodies;
  mjModel *model = pair->model;
  mjData *data = mj_makeData(model);
  struct dc_kinematics kinematics;
  struct dc_random random;
  const double h = 1e-5;
  double q[MOST_STATE], moved[2][MOST_STATE], v[MOST_STATE], qpos[MOST_STATE], to[2][MOST_STATE];
  CHECK(dc_kinematics_create(bodies, pair->arena, &kinematics, NULL) == DC_OK, " ");
  CHECK(bodies->nv == model->nv, "%s: %d of %d degrees of freedom", name, bodies->nv, model->nv);
  for (int i = 0; i < model->nv; i++) {
    model->dof_M0[i] -= model->dof_armature[i];  // what MuJoCo takes for bodies that only slide
    model->dof_armature[i] = 0;
  }
  dc_random_seed(&random, 7);
  for (int draw = 0; draw < 10 && bodies->nv == model->nv; draw++) {
    dc_initial_state(bodies, q);
    for (int i = 0; i < bodies->nv; i++)
      v[i] = dc_random_uniform(&random) - 0.5;
    dc_state_move(bodies, q, 2, v, q);
    for (int i = 0; i < bodies->nv; i++)
      v[i] = dc_random_uniform(&random) - 0.5;
    dc_kinematics_update(bodies, q, &kinematics);
    dc_state_move(bodies, q, -h, v, moved[0]);
    dc_state_move(bodies, q, h, v, moved[1]);
    translate(pair, moved[0], to[0]);
    translate(pair, moved[1], to[1]);
    translate(pair, q, qpos);
    memcpy(data->qpos, qpos, (size_t)model->nq * sizeof *qpos);
    mj_differentiatePos(model, data->qvel, 2 * h, to[0], to[1]);
    mj_forward(model, data);
    compare_bodies(pair, data, kinematics.poses, name);
    double full[MOST_STATE * MOST_STATE], ours = kinetic_energy(bodies, &kinematics, v), theirs = 0;
    mj_fullM(model, full, data->qM);
    for (int i = 0; i < model->nv; i++)
      for (int k = 0; k < model->nv; k++)
        theirs += 0.5 * data->qvel[i] * full[i * model->nv + k] * data->qvel[k];
    CHECK_NEAR(ours, theirs, 1e-8 * theirs);  // seen: 1e-10, of the differences
    double twists[MOST_BODIES][6], power = 0, weight = 0, speed = 0;
    dc_twists(bodies, &kinematics, v, twists);
    for (int i = 0; i < bodies->count; i++)
      power += bodies->bodies[i].mass * dc_vec_dot(model->opt.gravity, twists[i] + 3);
    mj_resetData(model, data);
    memcpy(data->qpos, qpos, (size_t)model->nq * sizeof *qpos);
    mj_forward(model, data);  // at rest: what is left of the bias is the weight
    mj_differentiatePos(model, data->qvel, 2 * h, to[0], to[1]);
    for (int i = 0; i < model->nv; i++) {
      weight -= data->qfrc_bias[i] * data->qvel[i];
      speed += fabs(data->qfrc_bias[i] * data->qvel[i]);
    }
    CHECK_NEAR(power, weight, 1e-8 * (speed + 1e-3));
  }
  mj_deleteData(data);
}

static inline int body_called(const struct dc_bodies *bodies, const char *name)
{
  for (int i = 0; i < bodies->count; i++)
    if (strcmp(bodies->bodies[i].name, name) == 0)
      return i;
  return -1;
}

// Two scenes with the same moving bodies, whatever their order: starts, and at drawn states poses, energies, who
// touches whom.
static inline void compare_scenes(struct pair *pair, struct dc_scene *other, double tolerance, const char *name)
{
  const struct dc_bodies *first = &pair->scene->model.bodies, *second = &other->model.bodies;
  struct dc_kinematics at[2];
  struct dc_random random;
  double q[2][MOST_STATE], v[2][MOST_STATE];
  CHECK(first->nv == second->nv && first->nq == second->nq, "%s: %d and %d", name, first->nv, second->nv);
  CHECK(dc_kinematics_create(first, pair->arena, &at[0], NULL) == DC_OK &&
            dc_kinematics_create(second, pair->arena, &at[1], NULL) == DC_OK,
        " ");
  dc_random_seed(&random, 3);
  for (int draw = 0; draw < 5 && first->nv == second->nv; draw++) {
    dc_initial_state(first, q[0]);
    dc_initial_state(second, q[1]);
    for (int i = 0; i < first->nv; i++)
      v[0][i] = dc_random_uniform(&random) - 0.5;
    for (int i = 0; i < first->count; i++) {
      int same = body_called(second, first->bodies[i].name);
      const struct dc_body *a = &first->bodies[i], *b = same < 0 ? NULL : &second->bodies[same];
      CHECK(!dc_body_moves(a) || (b && a->nv == b->nv), "%s: %s", name, a->name);
      if (a->nv && b && a->nv == b->nv)
        memcpy(v[1] + b->v_offset, v[0] + a->v_offset, (size_t)a->nv * sizeof **v);
    }
    if (draw) {
      dc_state_move(first, q[0], 1, v[0], q[0]);
      dc_state_move(second, q[1], 1, v[1], q[1]);
    }
    dc_kinematics_update(first, q[0], &at[0]);
    dc_kinematics_update(second, q[1], &at[1]);
    for (int i = 0; i < first->count; i++) {
      int same = body_called(second, first->bodies[i].name);
      if (same < 0)
        continue;
      CHECK_NEAR(first->bodies[i].mass, second->bodies[same].mass, tolerance * first->bodies[i].mass);
      double off = dc_vec_distance(at[0].poses[i].position, at[1].poses[same].position);
      for (int k = 0; k < 9; k++)
        off = larger(off, fabs(at[0].poses[i].rotation[k] - at[1].poses[same].rotation[k]));
      CHECK(off <= tolerance, "%s: %s is %g off", name, first->bodies[i].name, off);
      for (int j = 0; j < i; j++) {
        int beside = body_called(second, first->bodies[j].name);
        CHECK(beside < 0 || dc_bodies_touch(first, i, j) == dc_bodies_touch(second, same, beside), "%s: %s and %s",
              name, first->bodies[i].name, first->bodies[j].name);
      }
    }
    double energy = kinetic_energy(first, &at[0], v[0]);
    CHECK_NEAR(kinetic_energy(second, &at[1], v[1]), energy, tolerance * energy);
  }
}

#endif
