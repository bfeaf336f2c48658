// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of robots from URDF files.
#ifndef DC_TESTS_IO_URDF_FIXTURE_H
#define DC_TESTS_IO_URDF_FIXTURE_H

#include <math.h>

#include "harness.h"
#include "io/robot/urdf.h"
#include "io/scene/scene_build.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "scene_files.h"

#define TIME "'time': {'step': 0.01, 'steps': 2}"
#define BOX "<collision><geometry><box size='1 2 3'/></geometry></collision>"
#define LINK(name) "<link name='" name "'>" BOX "</link>\n"
#define JOINT(name, type, parent, child, more)                                                                         \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>\n"

// A scene's tree as far as dc_scene_load_tree makes it.
struct tree {
  struct dc_scene scene;
  struct dc_scene_settings settings;
  struct dc_scene_build build;
  struct dc_error error;
  enum dc_status status;
};

// Writes robot to robot.urdf (' stays ', which XML takes as well), and loads a scene with that "include".
static inline void load_as(struct tree *tree, const char *include, const char *robot)
{
  char text[2000];
  if (robot)
    write_bytes("robot.urdf", robot, strlen(robot));
  snprintf(text, sizeof text, "{" TIME ",\n 'include': %s}", include);
  write_scene("scene.json", text);
  struct dc_scene_settings settings = tree->settings;
  *tree = (struct tree){.settings = settings, .scene = {.path = "scene.json"}};
  tree->scene.arena = tree->scene.notes.arena = dc_arena_create();
  tree->build = (struct dc_scene_build){.scene = &tree->scene,
                                        .settings = &tree->settings,
                                        .error = &tree->error,
                                        .reader = {.arena = tree->scene.arena, .error = &tree->error}};
  tree->status = dc_scene_load_tree(&tree->build);
}

static inline void load(struct tree *tree, const char *robot)
{
  load_as(tree, "'robot.urdf'", robot);
  CHECK(tree->status == DC_OK, "%s", tree->error.text);
}

static inline void unload(struct tree *tree)
{
  dc_json_release(&tree->build.document);
  dc_arena_destroy(tree->scene.arena);
}

// Some remark has this in it.
static inline void check_note(const struct tree *tree, const char *text)
{
  const struct dc_note *note = tree->scene.notes.first;
  while (note && !strstr(note->text, text))
    note = note->next;
  CHECK(note != NULL, "no note: %s", text);
}

static inline const cJSON *member(const cJSON *object, const char *key)
{
  return cJSON_GetObjectItemCaseSensitive(object, key);
}

static inline const cJSON *find_body(const struct tree *tree, const char *name)
{
  const cJSON *body;
  cJSON_ArrayForEach (body, member(tree->build.document.root, "bodies"))
    if (strcmp(member(body, "name")->valuestring, name) == 0)
      return body;
  return NULL;
}

static inline const cJSON *find_shape(const struct tree *tree, const char *name)
{
  return member(member(tree->build.document.root, "shapes"), name);
}

// text: the value of key as JSON without blanks, or "-" when it is missing.
static inline void check_json(const cJSON *object, const char *key, const char *text)
{
  char expected[1000];
  const cJSON *value = member(object, key);
  char *printed = value ? cJSON_PrintUnformatted(value) : NULL;
  size_t length = 0;
  for (const char *c = text; *c && length + 1 < sizeof expected; c++)
    expected[length++] = *c == '\'' ? '"' : *c;
  expected[length] = '\0';
  CHECK(object != NULL, "%s", key);
  CHECK(strcmp(printed ? printed : "-", expected) == 0, "%s: %s, expected %s", key, printed ? printed : "-", expected);
  cJSON_free(printed);
}

static inline void check_numbers(const cJSON *object, const char *key, int count, const double *expected,
                                 double tolerance)
{
  const cJSON *value = member(object, key);
  CHECK(cJSON_GetArraySize(value) == count, "%s", key);
  for (int i = 0; i < count && value; i++)
    CHECK_NEAR(cJSON_GetArrayItem(value, i) ? cJSON_GetArrayItem(value, i)->valuedouble : NAN, expected[i], tolerance);
}

// A frame is carried on by the origin of a joint and then by the joint's turn and slide, in matrices.
struct frame {
  double r[9], x[3];
};

static inline void chain(struct frame *frame, const double *xyz, const double *rpy, const double *turn,
                         const double *slide)
{
  const double angles[3][3] = {{0, 0, rpy[2]}, {0, rpy[1], 0}, {rpy[0], 0, 0}};
  double moved[3], q[4], m[9], next[9];
  dc_mat_apply(moved, frame->r, xyz);
  dc_vec_add(frame->x, frame->x, moved);
  for (int i = 0; i < 4; i++) {
    dc_rotation_exp(q, i < 3 ? angles[i] : turn);
    dc_rotation_matrix(m, q);
    dc_mat_multiply(next, frame->r, m);
    memcpy(frame->r, next, sizeof next);
  }
  dc_mat_apply(moved, frame->r, slide);
  dc_vec_add(frame->x, frame->x, moved);
}

#endif
