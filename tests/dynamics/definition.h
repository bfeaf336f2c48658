// SPDX-License-Identifier: Apache-2.0
// Definitions of bodies from the defaults of the option tables, and random vectors and rotations for them.
#ifndef DC_TESTS_DYNAMICS_DEFINITION_H
#define DC_TESTS_DYNAMICS_DEFINITION_H

#include "base/random.h"
#include "body/body.h"
#include "math/rotation.h"

static inline int definition_joint_type(const char *name, size_t length)
{
  for (int i = 0; dc_joint_types[i]; i++)
    if (strlen(dc_joint_types[i]->name) == length && strncmp(dc_joint_types[i]->name, name, length) == 0)
      return i;
  CHECK(false, "no joint %s", name);
  return 0;
}

// Gives the body joints of these types, "slide hinge": names between single spaces, outermost first.
static inline struct dc_joint_definition *definition_joints(struct dc_arena *arena,
                                                            struct dc_body_definition *definition, const char *types)
{
  enum { MOST = 8 };
  struct dc_joint_definition *joints = dc_arena_alloc(arena, MOST, sizeof *joints);
  int count = 0;
  for (const char *name = types; *name && count < MOST; count++) {
    size_t length = strcspn(name, " ");
    CHECK(dc_options_set_defaults(dc_joint_options, &joints[count], arena, NULL) == DC_OK, "joint");
    joints[count].type = definition_joint_type(name, length);
    name += length + (name[length] == ' ');
  }
  definition->joint = (struct dc_object_list){count, joints};
  return joints;
}

static inline struct dc_body_definition definition_of(struct dc_arena *arena, const char *name, const char *joints,
                                                      int shape)
{
  struct dc_body_definition definition;
  memset(&definition, 0, sizeof definition);
  CHECK(dc_options_set_defaults(dc_body_options, &definition, arena, NULL) == DC_OK, "body");
  definition.name = name;
  definition.shape = shape;
  definition_joints(arena, &definition, joints);
  return definition;
}

static inline void random_vector(struct dc_random *random, int count, double size, double *vector)
{
  for (int i = 0; i < count; i++)
    vector[i] = size * (2 * dc_random_uniform(random) - 1);
}

static inline void random_rotation(struct dc_random *random, double *quaternion)
{
  for (int i = 0; i < 4; i++)
    quaternion[i] = dc_random_normal(random);
  dc_rotation_normalize(quaternion);
}

#endif
