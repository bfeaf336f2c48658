// SPDX-License-Identifier: Apache-2.0
// Small scenes built in C: shapes from their option tables, a model and a rollout of it.
#ifndef DC_TESTS_DYNAMICS_SCENES_H
#define DC_TESTS_DYNAMICS_SCENES_H

#include <omp.h>

#include "base/random.h"
#include "dynamics/definition.h"
#include "dynamics/rollout.h"
#include "math/rotation.h"
#include "math/vector.h"

enum { SCENE_SHAPES = 8, SCENE_BODIES = 32 };

struct scene {
  struct dc_arena *arena;
  struct dc_shape shapes[SCENE_SHAPES];
  struct dc_body_definition bodies[SCENE_BODIES];
  struct dc_model_definition definition;
  struct dc_model model;
  struct dc_rollout *rollout;
  struct dc_error error;
};

// Without bodies, with the defaults of the option tables: bsh, no gravity, steps of 0.04 s.  One thread: these
// scenes are too small to gain from more.
static inline void scene_begin(struct scene *scene)
{
  memset(scene, 0, sizeof *scene);
  omp_set_num_threads(1);
  scene->arena = dc_arena_create();
  scene->definition.time = (struct dc_time_settings){.step = 0.04};
  scene->definition.contact_model = dc_contact_model_find("bsh");
  CHECK(dc_options_set_defaults(dc_step_options, &scene->definition.solver, scene->arena, NULL) == DC_OK, "solver");
  CHECK(dc_options_set_defaults(dc_contact_options, &scene->definition.contact, scene->arena, NULL) == DC_OK,
        "contact");
  scene->definition.shapes = scene->shapes;
  scene->definition.bodies = scene->bodies;
}

static inline void *scene_option(const struct dc_shape *shape, const char *name)
{
  return (char *)shape->options + shape->type->options[dc_option_find(shape->type->options, name)].offset;
}

static inline struct dc_shape *scene_add_shape(struct scene *scene, const char *type)
{
  struct dc_shape *shape = &scene->shapes[scene->definition.shape_count++];
  shape->name = type;
  shape->type = dc_shape_type_find(type);
  void *options = dc_arena_alloc(scene->arena, 1, shape->type->options_size + 1);
  CHECK(dc_options_set_defaults(shape->type->options, options, scene->arena, NULL) == DC_OK, "%s", type);
  dc_shape_keep_mesh(shape->type, options);
  shape->options = options;
  return shape;
}

static inline int scene_build(struct scene *scene, struct dc_shape *shape)
{
  CHECK(dc_shape_build(shape, scene->arena, &scene->error) == DC_OK, "%s", scene->error.text);
  return (int)(shape - scene->shapes);
}

static inline int scene_sphere(struct scene *scene, double radius, long level, const char *base)
{
  struct dc_shape *shape = scene_add_shape(scene, "sphere");
  *(double *)scene_option(shape, "radius") = radius;
  *(long *)scene_option(shape, "level") = level;
  *(int *)scene_option(shape, "base") = strcmp(base, "octahedron") == 0;
  return scene_build(scene, shape);
}

static inline int scene_box(struct scene *scene, double x, double y, double z, double cells_x, double cells_y,
                            double cells_z)
{
  struct dc_shape *shape = scene_add_shape(scene, "box");
  double *size = scene_option(shape, "size"), *cells = scene_option(shape, "divisions");
  size[0] = x, size[1] = y, size[2] = z;
  cells[0] = cells_x, cells[1] = cells_y, cells[2] = cells_z;
  return scene_build(scene, shape);
}

static inline int scene_plane(struct scene *scene)
{
  return scene_build(scene, scene_add_shape(scene, "plane"));
}

// A body of mass kg (0: fixed) at (x, y, z); the caller may change the rest of the definition.
static inline struct dc_body_definition *scene_body(struct scene *scene, const char *name, int shape, double mass,
                                                    double x, double y, double z)
{
  struct dc_body_definition *body = &scene->bodies[scene->definition.body_count++];
  *body = definition_of(scene->arena, name, mass > 0 ? "free" : "fixed", shape);
  body->mass = mass > 0 ? mass : NAN;
  body->position[0] = x, body->position[1] = y, body->position[2] = z;
  return body;
}

// Model and rollout of what has been added.
static inline void scene_create(struct scene *scene)
{
  enum dc_status status = dc_model_create(&scene->model, &scene->definition, scene->arena, &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  scene->rollout = dc_rollout_create(&scene->model, &scene->error);
  CHECK(scene->rollout, "%s", scene->error.text);
}

static inline void scene_end(struct scene *scene)
{
  dc_rollout_destroy(scene->rollout);
  dc_arena_destroy(scene->arena);
}

// A trajectory of the model's own start, every step converged.
static inline struct dc_trajectory *scene_roll(struct scene *scene, int steps)
{
  struct dc_trajectory *trajectory = dc_trajectory_create(&scene->model, steps);
  struct dc_rollout_input *input = dc_rollout_input_create(&scene->model, steps);
  enum dc_status status = dc_rollout_forward(scene->rollout, input, trajectory, &scene->error);
  CHECK(status == DC_OK, "%s", scene->error.text);
  CHECK(trajectory->unconverged_steps == 0, "%d steps did not converge", trajectory->unconverged_steps);
  dc_rollout_input_destroy(input);
  return trajectory;
}

static inline const double *frame_of(const struct dc_trajectory *trajectory, int frame)
{
  return trajectory->q + (size_t)frame * (size_t)trajectory->nq;
}

// Derivatives of a loss by the frames of a trajectory, all zero.
static inline struct dc_trajectory_cotangent scene_frames(const struct dc_model *model, int steps)
{
  size_t frames = (size_t)steps + 1, bodies = (size_t)model->bodies.count, nv = (size_t)model->bodies.nv;
  return (struct dc_trajectory_cotangent){.wrenches = dc_alloc(frames * bodies, sizeof(double[6])),
                                          .forces = dc_alloc(frames * nv, sizeof(double))};
}

static inline void scene_clear_frames(const struct dc_model *model, int steps, struct dc_trajectory_cotangent *frames)
{
  memset(frames->wrenches, 0, ((size_t)steps + 1) * (size_t)model->bodies.count * sizeof *frames->wrenches);
  memset(frames->forces, 0, ((size_t)steps + 1) * (size_t)model->bodies.nv * sizeof *frames->forces);
}

static inline void scene_free_frames(struct dc_trajectory_cotangent *frames)
{
  free(frames->wrenches);
  free(frames->forces);
}

// Checks that the scene is refused with a message that begins so; ends it.
static inline void scene_refuse(struct scene *scene, const char *start)
{
  struct dc_error error = {0};
  enum dc_status status = dc_model_create(&scene->model, &scene->definition, scene->arena, &error);
  CHECK(status == DC_BAD_INPUT && strncmp(error.text, start, strlen(start)) == 0, "\"%s\" instead of \"%s\"",
        error.text, start);
  dc_arena_destroy(scene->arena);
}

#endif
