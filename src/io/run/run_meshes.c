// SPDX-License-Identifier: Apache-2.0
// Meshes and recorded motions beside resolved.json, so that a run can be moved and still be drawn and resumed.
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "io/run/run_files.h"

// Mesh files as dc_mesh_read takes them, bytes.
static const size_t mesh_limit = (size_t)64 << 20;
// Longest base name that all common file systems take, bytes.
enum { LONGEST_NAME = 255 };

static const char *mesh_file_of(const struct dc_shape *shape)
{
  if (!shape->type || strcmp(shape->type->name, "mesh") != 0)
    return NULL;
  return ((const struct dc_mesh_shape_options *)shape->options)->file;
}

static const char *recording_of(const struct dc_objective *objective)
{
  if (!objective->type->take_recording)
    return NULL;
  int file = dc_option_find(objective->type->options, "file");
  return *(const char *const *)((const char *)objective->options + objective->type->options[file].offset);
}

static int find_source(const struct dc_mesh_copies *copies, const char *file)
{
  for (int i = 0; i < copies->count; i++)
    if (strcmp(copies->sources[i], file) == 0)
      return i;
  return -1;
}

static bool name_taken(const struct dc_mesh_copies *copies, const char *name)
{
  for (int i = 0; i < copies->count; i++)
    if (strcasecmp(copies->names[i], name) == 0)
      return true;
  return false;
}

// The base name of file, or "stem-2.ending", "stem-3.ending" …; NULL when out of memory.
static const char *free_name(const struct dc_mesh_copies *copies, const char *file)
{
  const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
  const char *ending = strrchr(base, '.');
  if (!ending || ending == base)
    ending = base + strlen(base);
  const char *name = dc_arena_strdup(copies->arena, base);
  for (int number = 2; name && name_taken(copies, name); number++) {
    size_t stem = (size_t)(ending - base), tail = strlen(ending) + 12;
    if (stem + tail > LONGEST_NAME)
      stem = tail < LONGEST_NAME ? LONGEST_NAME - tail : 1;
    name = dc_arena_printf(copies->arena, "%.*s-%d%s", (int)stem, base, number, ending);
  }
  return name;
}

static bool add_source(struct dc_mesh_copies *copies, const char *file)
{
  if (find_source(copies, file) >= 0)
    return true;
  const char *name = free_name(copies, file);
  if (!name)
    return false;
  copies->sources[copies->count] = file;
  copies->names[copies->count++] = name;
  return true;
}

enum dc_status dc_mesh_copies_plan(const struct dc_scene *scene, struct dc_mesh_copies *copies, struct dc_error *error)
{
  memset(copies, 0, sizeof *copies);
  copies->arena = dc_arena_create();
  int shape_count = scene->definition.shape_count;
  size_t most = (size_t)scene->mesh_file_count + (size_t)shape_count;
  bool enough = copies->arena != NULL;
  if (enough) {
    copies->sources = dc_arena_alloc(copies->arena, most, sizeof *copies->sources);
    copies->names = dc_arena_alloc(copies->arena, most, sizeof *copies->names);
    enough = copies->sources && copies->names;
  }
  for (int i = 0; enough && i < scene->mesh_file_count; i++)
    enough = add_source(copies, scene->mesh_files[i]);
  for (int i = 0; enough && i < shape_count; i++) {
    const char *file = mesh_file_of(&scene->definition.shapes[i]);
    enough = !file || add_source(copies, file);
  }
  if (enough)
    return DC_OK;
  dc_arena_destroy(copies->arena);
  memset(copies, 0, sizeof *copies);
  return dc_fail(error, DC_MEMORY, "out of memory for the names of mesh files");
}

static enum dc_status copy_mesh(const char *source, const char *folder, const char *name, struct dc_error *error)
{
  char *bytes, *path = dc_path_join(folder, name);
  size_t size;
  if (!path)
    return dc_fail(error, DC_MEMORY, "%.800s: out of memory", name);
  enum dc_status status = dc_file_read(source, mesh_limit, &bytes, &size, error);
  bool same = false;
  if (!status)
    status = dc_file_compare(path, bytes, size, &same, error);
  if (!status && !same)
    status = dc_file_write(path, bytes, size, error);
  free(bytes);
  free(path);
  return status;
}

enum dc_status dc_mesh_copies_write(const struct dc_mesh_copies *copies, const char *directory, struct dc_error *error)
{
  if (copies->count == 0)
    return DC_OK;
  int created;
  char *folder = dc_path_join(directory, "meshes");
  if (!folder)
    return dc_fail(error, DC_MEMORY, "%.800s: out of memory", directory);
  enum dc_status status = dc_directory_create(folder, &created, error);
  for (int i = 0; !status && i < copies->count; i++)
    status = copy_mesh(copies->sources[i], folder, copies->names[i], error);
  free(folder);
  return status;
}

void dc_mesh_copies_remove(const struct dc_mesh_copies *copies, const char *directory)
{
  char *folder = copies->count ? dc_path_join(directory, "meshes") : NULL;
  if (!folder)
    return;
  for (int i = 0; i < copies->count; i++) {
    char *path = dc_path_join(folder, copies->names[i]);
    if (path)
      unlink(path);
    free(path);
  }
  rmdir(folder);
  free(folder);
}

// A walk over the members of one JSON object, in text that holds no comments.  cJSON gives no positions and prints
// numbers inexactly, so values are replaced in the text itself.
struct members {
  const char *at, *end;
  const char *key, *key_end;  // token with quotes
  const char *value, *value_end;
  bool failed;  // for want of memory a key could not be decoded
};

static const char *skip_space(const char *at, const char *end)
{
  while (at < end && strchr(" \t\r\n", *at) && *at)
    at++;
  return at;
}

// Past the string token that begins at at; end when it is not closed.
static const char *skip_string(const char *at, const char *end)
{
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\' && at + 1 < end)
      at++;
  return at < end ? at + 1 : end;
}

// Past the value that begins at at.
static const char *skip_value(const char *at, const char *end)
{
  long depth = 0;
  while (at < end) {
    if (*at == '"') {
      at = skip_string(at, end);
    } else if (*at == '{' || *at == '[') {
      depth++, at++;
      continue;
    } else if (*at == '}' || *at == ']') {
      depth--, at++;
    } else if (depth > 0) {
      at++;
      continue;
    } else {
      while (at < end && *at && !strchr(",]} \t\r\n", *at))
        at++;
      return at;
    }
    if (depth <= 0)
      return at;
  }
  return end;
}

// Begins at an object's brace; false when at is not one.
static bool members_begin(struct members *members, const char *at, const char *end)
{
  at = skip_space(at, end);
  *members = (struct members){.at = at + 1, .end = end};
  return at < end && *at == '{';
}

static bool members_next(struct members *members)
{
  const char *end = members->end, *at = skip_space(members->at, end);
  if (at < end && *at == ',')
    at = skip_space(at + 1, end);
  if (at >= end || *at != '"')
    return false;
  members->key = at;
  members->key_end = at = skip_string(at, end);
  at = skip_space(at, end);
  if (at >= end || *at != ':')
    return false;
  members->value = skip_space(at + 1, end);
  members->value_end = members->at = skip_value(members->value, end);
  return members->value < end;
}

// The decoded key, released with free(); NULL when memory is out: the text is one that we wrote.
static char *member_key(const struct members *members)
{
  cJSON *key = cJSON_ParseWithLength(members->key, (size_t)(members->key_end - members->key));
  char *text = cJSON_IsString(key) ? strdup(key->valuestring) : NULL;
  cJSON_Delete(key);
  return text;
}

static bool members_find(struct members *members, const char *name)
{
  while (members_next(members)) {
    char *key = member_key(members);
    bool same = key && strcmp(key, name) == 0;
    members->failed |= !key;
    free(key);
    if (same)
      return true;
  }
  return false;
}

// Copy of the mesh that the shape of that name is made of, or -1.
static int copy_of_shape(const struct dc_mesh_copies *copies, const struct dc_scene *scene, const char *name)
{
  for (int i = 0; name && i < scene->definition.shape_count; i++) {
    const struct dc_shape *shape = &scene->definition.shapes[i];
    const char *file = mesh_file_of(shape);
    if (file && strcmp(shape->name, name) == 0)
      return find_source(copies, file);
  }
  return -1;
}

// The text of a scene while "file" members are replaced.
struct replacement {
  const struct dc_mesh_copies *copies;
  const char *done;  // up to here it is in resolved
  int replaced;
  struct dc_text *resolved;
};

static bool find_member(struct replacement *replacement, struct members *members, const char *name)
{
  bool found = members_find(members, name);
  replacement->resolved->failed |= members->failed;
  return found;
}

// The "file" of the object from at to end becomes that of a copy.
static void replace_file(struct replacement *replacement, const char *at, const char *end, int copy)
{
  struct members object;
  if (copy < 0 || !members_begin(&object, at, end))
    return;
  if (!find_member(replacement, &object, "file"))
    return;
  dc_text_append(replacement->resolved, replacement->done, (size_t)(object.value - replacement->done));
  char *file = dc_path_join("meshes", replacement->copies->names[copy]);
  if (file)
    dc_text_string(replacement->resolved, file);
  replacement->resolved->failed |= !file;
  free(file);
  replacement->done = object.value_end;
  replacement->replaced++;
}

static void replace_of_shapes(struct replacement *replacement, const struct dc_scene *scene, struct members top)
{
  struct members shapes;
  if (!find_member(replacement, &top, "shapes") || !members_begin(&shapes, top.value, top.value_end))
    return;
  while (members_next(&shapes)) {
    char *name = member_key(&shapes);
    replacement->resolved->failed |= !name;
    replace_file(replacement, shapes.value, shapes.value_end, copy_of_shape(replacement->copies, scene, name));
    free(name);
  }
}

static const char *soft_file_of(const struct dc_scene *scene, int body)
{
  return scene->bodies[body].soft ? scene->bodies[body].soft->file : NULL;
}

// The bodies of the text are those of the scene, in their order.
static void replace_of_bodies(struct replacement *replacement, const struct dc_scene *scene, struct members top)
{
  if (!find_member(replacement, &top, "bodies"))
    return;
  const char *end = top.value_end, *at = skip_space(top.value + 1, end);
  for (int i = 0; at < end && *at == '{' && i < scene->definition.body_count; i++) {
    const char *value_end = skip_value(at, end), *file = soft_file_of(scene, i);
    struct members body;
    if (file && members_begin(&body, at, value_end) && find_member(replacement, &body, "soft"))
      replace_file(replacement, body.value, body.value_end, find_source(replacement->copies, file));
    at = skip_space(value_end, end);
    if (at < end && *at == ',')
      at = skip_space(at + 1, end);
  }
}

// The objectives of the text are those of the scene, in their order; a shot comes last.
static void replace_of_objectives(struct replacement *replacement, const struct dc_scene *scene, struct members top)
{
  if (!find_member(replacement, &top, "objective"))
    return;
  const char *end = top.value_end, *at = skip_space(top.value + 1, end);
  for (int i = 0; at < end && *at == '{' && i < scene->task.objective_count; i++) {
    const char *value_end = skip_value(at, end), *file = recording_of(&scene->task.objectives[i]);
    replace_file(replacement, at, value_end, file ? find_source(replacement->copies, file) : -1);
    at = skip_space(value_end, end);
    if (at < end && *at == ',')
      at = skip_space(at + 1, end);
  }
}

enum dc_status dc_mesh_copies_resolve(const struct dc_mesh_copies *copies, const struct dc_scene *scene,
                                      struct dc_text *resolved, struct dc_error *error)
{
  const char *text = scene->resolved, *end = text + strlen(text);
  struct replacement replacement = {.copies = copies, .done = text, .resolved = resolved};
  int expected = 0;
  for (int i = 0; i < scene->definition.shape_count; i++)
    expected += mesh_file_of(&scene->definition.shapes[i]) != NULL;
  for (int i = 0; i < scene->definition.body_count; i++)
    expected += soft_file_of(scene, i) != NULL;
  for (int i = 0; i < scene->task.objective_count; i++)
    expected += recording_of(&scene->task.objectives[i]) != NULL;
  struct members top;
  if (expected && members_begin(&top, text, end)) {
    replace_of_shapes(&replacement, scene, top);
    replace_of_bodies(&replacement, scene, top);
    replace_of_objectives(&replacement, scene, top);
  }
  dc_text_append(resolved, replacement.done, (size_t)(end - replacement.done));
  if (resolved->failed)
    return dc_fail(error, DC_MEMORY, "out of memory for the resolved scene");
  if (replacement.replaced != expected)
    return dc_fail(error, DC_BAD_INPUT, "resolved scene: %d of %d mesh files and recorded motions have a \"file\"",
                   replacement.replaced, expected);
  return DC_OK;
}
