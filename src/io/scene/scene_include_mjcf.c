// SPDX-License-Identifier: Apache-2.0
// "include" of an MJCF file: its options, the files that it may read, its start.  The loader
// (io/robot/mjcf_load.c) knows neither scenes nor the rules of which files may be opened; it asks through
// struct dc_mjcf_opener, whose functions are here.
#include <math.h>
#include <string.h>

#include "io/robot/mjcf.h"
#include "io/scene/scene_build.h"

struct opening {
  struct dc_scene_build *build;
  const char *folder;  // of the model's file
};

// The opener's function: a file that a model names, relative to the folder of the model's file, under the same
// rules as a scene's own files.
static enum dc_status find(void *context, const char *file, const char **path, struct dc_error *error)
{
  const struct opening *opening = context;
  const struct dc_scene_build *build = opening->build;
  if (file[0] && file[0] != '/')
    file = dc_arena_printf(build->scene->arena, "%s/%s", opening->folder, file);
  return file ? dc_scene_find_file(build->scene->source.folder, file, build->settings, build->scene->arena, path, error)
              : dc_out_of_memory(error);
}

static uint32_t add_source(void *context, const char *name, const char *text)
{
  const struct opening *opening = context;
  return dc_json_add_source(&opening->build->document, opening->build->scene->arena, name, text);
}

// "joint_position": an object of coordinates by the names of joints, without prefix.
static enum dc_status read_start(struct dc_scene_build *build, const struct dc_json *value, const struct dc_mjcf *mjcf,
                                 const double **result)
{
  int count = dc_mjcf_joint_count(mjcf);
  struct dc_json given = dc_json_member(value, "joint_position");
  double *start = dc_arena_alloc(build->scene->arena, (size_t)count + 1, sizeof *start);
  if (!start)
    return dc_json_fail(value, build->error, DC_MEMORY, "out of memory");
  for (int j = 0; j < count; j++)
    start[j] = NAN;
  *result = start;
  if (!given.node)
    return DC_OK;
  if (!cJSON_IsObject(given.node))
    return dc_refuse_type(&build->reader, &given, "an object");
  cJSON *node;
  cJSON_ArrayForEach (node, given.node) {
    struct dc_json member = dc_json_element(&given, node, 0);
    int joint = dc_mjcf_find_joint(mjcf, node->string);
    if (joint < 0)
      return dc_json_fail_key(&member, build->error, DC_BAD_INPUT, "the model has no such hinge or slide");
    enum dc_status status = dc_read_option(&build->reader, &member, dc_start_options, &start[joint]);
    if (status)
      return status;
  }
  return DC_OK;
}

// Refuses options that have a meaning for URDF only: MJCF itself says how its root moves, which hulls are
// convex, what is excluded and how inertias are made.
static enum dc_status check_keys(struct dc_scene_build *build, const struct dc_json *value)
{
  static const char *const others[] = {"base", "convex", "longest_edge", "srdf", "inertia", "density"};
  for (size_t i = 0; cJSON_IsObject(value->node) && i < sizeof others / sizeof *others; i++) {
    struct dc_json member = dc_json_member(value, others[i]);
    if (member.node)
      return dc_json_fail_key(&member, build->error, DC_BAD_INPUT, "must not be given for an MJCF file");
  }
  return DC_OK;
}

// Adds a robot of MJCF: load with the files it includes, start, then its bodies are written into the scene's tree.
enum dc_status dc_scene_include_mjcf(struct dc_scene_build *build, const struct dc_json *value,
                                     const struct dc_include_options *options, const struct dc_urdf_use *use,
                                     const struct dc_scene_robot_file *file)
{
  struct dc_arena *arena = build->scene->arena;
  struct dc_mjcf *mjcf = NULL;
  struct opening opening = {build, file->folder};
  const struct dc_mjcf_opener opener = {&opening, find, add_source};
  const struct dc_mjcf_file model = {
      .name = file->name, .path = file->path, .text = file->text, .length = file->length, .source = file->source};
  struct dc_mjcf_use how = {
      .common = *use,
      .keyframe = options->keyframe,
      .refuse_forces = options->unsupported == DC_UNSUPPORTED_REFUSE,
      .refuse_structure = options->unsupported != DC_UNSUPPORTED_SKIP,
  };
  enum dc_status status = check_keys(build, value);
  if (!status)
    status = dc_mjcf_load(&mjcf, &model, &opener, arena, build->error);
  if (!status)
    status = read_start(build, value, mjcf, &how.common.start);
  if (!status)
    status = dc_mjcf_add(mjcf, &how, arena, &build->document, value->node, build->error);
  dc_mjcf_release(mjcf);
  return status;
}
