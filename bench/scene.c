// SPDX-License-Identifier: Apache-2.0
// Builds small scenes of bodies with joints and actuators for benchmarks, for any contact model.
#include "bench/scene.h"

#include <math.h>
#include <string.h>

// Settings by contact model; NULL: of all others.  The factor on the stiffness makes up for the size of the potential
// near contact: 12 length/gap, of ipc's barrier about 1, of sdrs' (support - x)^4/x^5.  The reaches of local barriers,
// 5 and 16 mm, are short against the cases' distances and long against the way of a short step.
static const struct {
  const char *model;
  double stiffness_factor, dhat, support;
} settings_table[] = {{"ipc", 1e4, 5e-3, 0.1}, {"sdrs", 0.1, 5e-3, 8e-3}, {NULL, 1, 5e-3, 8e-3}};

static enum dc_status fail_memory(struct dc_error *error)
{
  return dc_out_of_memory_for(error, "a benchmark's scene");
}

static int joint_type(const char *name)
{
  int i = 0;
  while (dc_joint_types[i] && strcmp(dc_joint_types[i]->name, name) != 0)
    i++;
  return i;
}

static enum dc_status add_joints(const struct dc_bench_body *body, struct dc_arena *arena,
                                 struct dc_body_definition *definition, struct dc_error *error)
{
  int count = (int)strlen(body->joints);
  struct dc_joint_definition *joints = dc_arena_alloc(arena, (size_t)count + 1, sizeof *joints);
  double *velocity = dc_arena_alloc(arena, (size_t)count + 1, sizeof *velocity);
  enum dc_status status = joints && velocity ? DC_OK : fail_memory(error);
  for (int i = 0; i < (count ? count : 1) && !status; i++) {
    char letter = body->joints[i];
    status = dc_options_set_defaults(dc_joint_options, &joints[i], arena, error);
    joints[i].type = joint_type(!letter ? "fixed" : letter == 'r' ? "hinge" : "slide");
    if (letter)
      for (int k = 0; k < 3; k++)
        joints[i].axis[k] = k == (letter == 'r' ? 2 : letter - 'x');
    velocity[i] = body->velocity[i];
  }
  definition->joint = (struct dc_object_list){.count = count ? count : 1, .objects = joints};
  definition->joint_velocity = (struct dc_real_list){.count = count, .values = velocity};
  return status;
}

static enum dc_status add_actuator(const struct dc_bench_body *body, struct dc_arena *arena,
                                   struct dc_body_definition *definition, struct dc_error *error)
{
  if (body->kp == 0)
    return DC_OK;
  definition->pd = dc_arena_alloc(arena, 1, sizeof *definition->pd);
  if (!definition->pd)
    return fail_memory(error);
  enum dc_status status = dc_options_set_defaults(dc_pd_options, definition->pd, arena, error);
  definition->pd->kp = body->kp;
  definition->pd->kd = body->kd;
  return status;
}

static enum dc_status add_body(struct dc_bench_scene *scene, const struct dc_bench_body *body, int i,
                               struct dc_error *error)
{
  struct dc_body_definition *definition = &scene->bodies[i];
  enum dc_status status = dc_bench_shape_build(body->shape, body->name, scene->arena, &scene->shapes[i], error);
  if (!status)
    status = dc_options_set_defaults(dc_body_options, definition, scene->arena, error);
  if (status)
    return status;
  definition->name = body->name;
  definition->shape = i;
  definition->mass = body->mass > 0 ? body->mass : NAN;
  memcpy(definition->position, body->position, sizeof definition->position);
  status = add_joints(body, scene->arena, definition, error);
  return status ? status : add_actuator(body, scene->arena, definition, error);
}

static void choose_contact(const struct dc_bench_setting *setting, const struct dc_contact_model *contact,
                           struct dc_contact_settings *settings)
{
  int i = 0;
  while (settings_table[i].model && strcmp(settings_table[i].model, contact->name) != 0)
    i++;
  settings->stiffness = setting->stiffness * settings_table[i].stiffness_factor;
  settings->dhat = settings_table[i].dhat;
  settings->support = settings_table[i].support;
  settings->friction = setting->friction;
}

enum dc_status dc_bench_scene_create(const struct dc_bench_setting *setting, const struct dc_contact_model *contact,
                                     struct dc_bench_scene *scene, struct dc_error *error)
{
  struct dc_model_definition *definition = &scene->definition;
  *scene = (struct dc_bench_scene){.arena = dc_arena_create()};
  if (!scene->arena)
    return fail_memory(error);
  enum dc_status status = dc_options_set_defaults(dc_step_options, &definition->solver, scene->arena, error);
  if (!status)
    status = dc_options_set_defaults(dc_contact_options, &definition->contact, scene->arena, error);
  if (!status)
    status = dc_options_set_defaults(dc_mujoco_options, &definition->mujoco, scene->arena, error);
  for (int i = 0; i < DC_BENCH_BODIES && setting->bodies[i].name && !status; i++) {
    status = add_body(scene, &setting->bodies[i], i, error);
    definition->shape_count = definition->body_count = i + 1;
  }
  if (status)
    return status;
  choose_contact(setting, contact, &definition->contact);
  definition->contact_model = contact;
  definition->time.step = setting->step;
  definition->gravity[2] = setting->gravity;
  definition->shapes = scene->shapes;
  definition->bodies = scene->bodies;
  return dc_model_create(&scene->model, definition, scene->arena, error);
}

void dc_bench_scene_destroy(struct dc_bench_scene *scene)
{
  dc_arena_destroy(scene->arena);
}
