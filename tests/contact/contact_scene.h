// SPDX-License-Identifier: Apache-2.0
// Small scenes for the tests of src/contact: shapes and settings from text, bodies, poses.
#ifndef DC_TESTS_CONTACT_SCENE_H
#define DC_TESTS_CONTACT_SCENE_H

#include "base/random.h"
#include "contact/common/contact_internal.h"
#include "harness.h"
#include "math/rotation.h"
#include "math/vector.h"

#ifdef _OPENMP
#include <omp.h>
#endif

// How many threads evaluate; without OpenMP it is always one.  They do share what they may, whether it pays or not.
static inline void scene_threads(int count)
{
  dc_loops_always_shared(count > 1);
#ifdef _OPENMP
  omp_set_num_threads(count);
#else
  (void)count;
#endif
}

enum { SCENE_BODIES = 12, SCENE_CONTACTS = 16 };

struct scene {
  struct dc_arena *arena;
  struct dc_shape shapes[SCENE_BODIES];
  struct dc_body_definition definitions[SCENE_BODIES];
  int count, contact_count;
  struct dc_joint_definition joints[SCENE_BODIES];
  struct dc_bodies bodies;
  double q[7 * SCENE_BODIES];
  struct dc_pose poses[SCENE_BODIES];
  struct dc_kinematics kinematics;
  struct dc_path path;
  struct dc_contact *contacts[SCENE_CONTACTS];
  struct dc_error error;
};

static inline void scene_need(struct scene *scene, bool holds, const char *what)
{
  if (holds)
    return;
  printf("Bail out! %s: %s\n", what, scene->error.text);
  exit(99);
}

// Options as "name=value name=value,value,value"; choices by name, booleans as true or false.
static inline void scene_options(struct scene *scene, const struct dc_option *table, const char *text, void *target)
{
  char *copy = dc_arena_strdup(scene->arena, text), *rest = NULL;
  scene_need(scene, copy && !dc_options_set_defaults(table, target, scene->arena, &scene->error), text);
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(word, '=');
    scene_need(scene, value, word);
    *value++ = 0;
    int index = dc_option_find(table, word);
    scene_need(scene, index >= 0, word);
    char *at = (char *)target + table[index].offset;
    if (table[index].type == DC_REAL)
      *(double *)at = strtod(value, NULL);
    else if (table[index].type == DC_INTEGER)
      *(long *)at = strtol(value, NULL, 10);
    else if (table[index].type == DC_BOOLEAN)
      *(bool *)at = strcmp(value, "true") == 0;
    else if (table[index].type == DC_REALS)
      for (int k = 0; k < table[index].count; k++, value += *value == ',')
        ((double *)at)[k] = strtod(value, &value);
    else if (table[index].type == DC_REAL_LIST) {
      struct dc_real_list *list = (struct dc_real_list *)at;
      list->values = dc_arena_alloc(scene->arena, (size_t)table[index].count, sizeof *list->values);
      scene_need(scene, list->values, word);
      for (list->count = 0; *value; value += *value == ',')
        list->values[list->count++] = strtod(value, &value);
    } else
      for (int k = 0; table[index].choices[k]; k++)
        if (strcmp(table[index].choices[k], value) == 0)
          *(int *)at = k;
  }
}

static inline void scene_start(struct scene *scene)
{
  memset(scene, 0, sizeof *scene);
  scene_threads(1);  // these scenes are small; a busy machine makes waiting threads slow
  scene->arena = dc_arena_create();
  scene_need(scene, scene->arena, "memory");
}

// Gives a body one joint of that type, with the defaults.
static inline struct dc_joint_definition *scene_joint(struct scene *scene, int i, const char *type)
{
  struct dc_joint_definition *joint = &scene->joints[i];
  scene_need(scene, !dc_options_set_defaults(dc_joint_options, joint, scene->arena, &scene->error), type);
  joint->type = 0;
  while (dc_joint_types[joint->type] && strcmp(dc_joint_types[joint->type]->name, type) != 0)
    joint->type++;
  scene_need(scene, dc_joint_types[joint->type], type);
  scene->definitions[i].joint = (struct dc_object_list){.count = 1, .objects = joint};
  return joint;
}

// Adds a body of a shape of its own, "type option=value ...", at the origin.
static inline int scene_body(struct scene *scene, bool fixed, const char *shape_text)
{
  int i = scene->count++;
  struct dc_shape *shape = &scene->shapes[i];
  size_t length = strcspn(shape_text, " ");
  char *type = dc_arena_strdup(scene->arena, shape_text);
  type[length] = 0;
  shape->name = dc_arena_printf(scene->arena, "%s%d", type, i);
  shape->type = dc_shape_type_find(type);
  scene_need(scene, shape->type, shape_text);
  void *options = dc_arena_alloc(scene->arena, 1, shape->type->options_size + 1);
  scene_options(scene, shape->type->options, shape_text + length + (shape_text[length] == ' '), options);
  dc_shape_keep_mesh(shape->type, options);  // tests of leaves ask for them
  shape->options = options;
  scene_need(scene, !dc_shape_build(shape, scene->arena, &scene->error), shape_text);
  scene_need(scene, !dc_options_set_defaults(dc_body_options, &scene->definitions[i], scene->arena, &scene->error),
             shape_text);
  scene->definitions[i].name = shape->name;
  scene->definitions[i].shape = i;
  scene_joint(scene, i, fixed ? "fixed" : "free");
  return i;
}

// Adds a soft body of options "name=value ..." at a place; they are kept in *soft, which outlives the scene.
static inline int scene_soft(struct scene *scene, struct dc_soft_definition *soft, const char *options, double x,
                             double y, double z)
{
  int i = scene->count++;
  struct dc_body_definition *definition = &scene->definitions[i];
  scene_options(scene, dc_soft_options, options, soft);
  scene_need(scene, !dc_options_set_defaults(dc_body_options, definition, scene->arena, &scene->error), options);
  definition->name = dc_arena_printf(scene->arena, "soft%d", i);
  definition->soft = soft;
  scene_joint(scene, i, "free");
  dc_vec_copy(definition->position, (const double[3]){x, y, z});
  return i;
}

static inline void scene_finish(struct scene *scene)
{
  scene_need(
      scene,
      !dc_bodies_create(&scene->bodies, scene->count, scene->definitions, scene->shapes, scene->arena, &scene->error),
      "bodies");
  scene_need(scene,
             !dc_kinematics_create(&scene->bodies, scene->arena, &scene->kinematics, &scene->error) &&
                 !dc_path_create(&scene->bodies, scene->arena, &scene->path, &scene->error),
             "path");
  dc_initial_state(&scene->bodies, scene->q);
  dc_poses(&scene->bodies, scene->q, scene->poses);
}

// Path of free bodies from the scene's poses along twists [bodies], zeros for bodies that never move.  The scene's
// state becomes that of its poses.
static inline const struct dc_path *scene_path(struct scene *scene, const double (*twists)[6])
{
  static double tangent[6 * SCENE_BODIES];
  for (int i = 0; i < scene->count; i++) {
    const struct dc_body *body = &scene->bodies.bodies[i];
    if (!body->free)
      continue;
    memcpy(scene->q + body->q_offset, scene->poses[i].position, sizeof scene->poses[i].position);
    memcpy(scene->q + body->q_offset + 3, scene->poses[i].quaternion, sizeof scene->poses[i].quaternion);
    memcpy(tangent + body->v_offset, twists[i], sizeof twists[i]);
  }
  dc_kinematics_update(&scene->bodies, scene->q, &scene->kinematics);
  // A scene may have put bodies that never move elsewhere.
  memcpy(scene->kinematics.poses, scene->poses, (size_t)scene->count * sizeof *scene->poses);
  dc_path_begin(&scene->path, scene->q, tangent, &scene->kinematics);
  return &scene->path;
}

// Two movable bodies
static inline void scene_pair(struct scene *scene, const char *a, const char *b)
{
  scene_start(scene);
  scene_body(scene, false, a);
  scene_body(scene, false, b);
  scene_finish(scene);
}

// A contact problem of that model; lives until the scene ends.
static inline struct dc_contact *scene_contact(struct scene *scene, const char *model, const char *settings_text)
{
  struct dc_contact_settings settings;
  scene_options(scene, dc_contact_options, settings_text, &settings);
  scene_need(scene, scene->contact_count < SCENE_CONTACTS, "too many contacts");
  struct dc_contact *contact =
      dc_contact_create(dc_contact_model_find(model), &settings, &scene->bodies, &scene->error);
  scene_need(scene, contact, model);
  scene->contacts[scene->contact_count++] = contact;
  return contact;
}

static inline void scene_end(struct scene *scene)
{
  for (int i = 0; i < scene->contact_count; i++)
    dc_contact_destroy(scene->contacts[i]);
  dc_arena_destroy(scene->arena);
}

static inline double between(struct dc_random *random, double low, double high)
{
  return low + (high - low) * dc_random_uniform(random);
}

static inline void random_direction(struct dc_random *random, double direction[3])
{
  for (int k = 0; k < 3; k++)
    direction[k] = dc_random_normal(random);
  dc_vec_scale(direction, direction, 1 / dc_vec_norm(direction));
}

static inline void pose_turn_to(struct dc_pose *pose, const double quaternion[4])
{
  memcpy(pose->quaternion, quaternion, sizeof pose->quaternion);
  dc_rotation_normalize(pose->quaternion);
  dc_rotation_matrix(pose->rotation, pose->quaternion);
}

static inline void pose_random_rotation(struct dc_random *random, struct dc_pose *pose)
{
  double q[4];
  for (int i = 0; i < 4; i++)
    q[i] = dc_random_normal(random);
  pose_turn_to(pose, q);
}

// moved = pose moved along scale * twist (w, t)
static inline void pose_move(const struct dc_pose *pose, double scale, const double twist[6], struct dc_pose *moved)
{
  double turn[3], q[4], product[4];
  dc_vec_scale(turn, twist, scale);
  dc_rotation_exp(q, turn);
  dc_rotation_multiply(product, q, pose->quaternion);
  dc_vec_add_scaled(moved->position, pose->position, scale, twist + 3);
  pose_turn_to(moved, product);
}

// Moves body a from far away along direction towards body b (both convex, b's frame origin inside it) until the
// surfaces meet; returns that distance of the origins.
static inline double touching_distance(struct dc_contact *contact, struct dc_pose *poses, const double direction[3])
{
  double low = 0, high = contact->colliders[0].radius + contact->colliders[1].radius, depth;
  for (int i = 0, pair; i < 60; i++) {
    double middle = 0.5 * (low + high);
    dc_vec_add_scaled(poses[0].position, poses[1].position, middle, direction);
    if (dc_contact_overlap(contact, poses, &pair, &depth))
      low = middle;
    else
      high = middle;
  }
  return high;
}

// Both turns of the largest safe fraction of a path.
static inline double safe_fraction_of(struct dc_contact *contact, const struct dc_path *path)
{
  return dc_contact_safe_fraction_within(contact, path, dc_contact_nearest_fraction(contact, path));
}

#endif
