// SPDX-License-Identifier: Apache-2.0
// Meshes and recorded motions beside resolved.json, so that a run can be moved and still be drawn and resumed:
// 1. dc_mesh_copies_plan lists every file once and gives it a name in DIR/meshes that no other has;
// 2. dc_mesh_copies_write copies the files;
// 3. dc_mesh_copies_resolve writes the resolved scene with the names of the copies in place of the files'.
//
// The names follow from the scene alone, so that a resumed run finds the copies that the first one made.
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/json/json_scan.h"
#include "io/json/json_value.h"
#include "io/run/gltf_copy.h"
#include "io/run/run_files.h"

// Bytes of a mesh file, the limit that dc_mesh_read has, too.
static const size_t mesh_limit = (size_t)64 << 20;
// Longest base name that all common file systems take, bytes.
enum { LONGEST_NAME = 255 };

// The file that a shape is read from; NULL for shapes that are computed.
static const char *mesh_file_of(const struct dc_shape *shape)
{
  if (!shape->type || strcmp(shape->type->name, "mesh") != 0)
    return NULL;
  return ((const struct dc_mesh_shape_options *)shape->options)->file;
}

// The file of the recorded motion that an objective follows; NULL without one.
static const char *recording_of(const struct dc_objective *objective)
{
  if (!objective->type->take_recording)
    return NULL;
  int file = dc_option_find(objective->type->options, "file");
  return *(const char *const *)((const char *)objective->options + objective->type->options[file].offset);
}

// The number of a file among the copies, -1 where it is not listed.
static int find_source(const struct dc_mesh_copies *copies, const char *file)
{
  for (int i = 0; i < copies->count; i++)
    if (strcmp(copies->sources[i], file) == 0)
      return i;
  return -1;
}

// Whether a copy has this name; case does not count, as it does not on some file systems.
static bool name_taken(const struct dc_mesh_copies *copies, const char *name)
{
  for (int i = 0; i < copies->count; i++)
    if (strcasecmp(copies->names[i], name) == 0)
      return true;
  return false;
}

// The base name of a file, or "stem-2.ending", "stem-3.ending" and so on, the first that is free; NULL when
// memory is out.  The stem is cut where the name would become longer than file systems take.
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

// Tetrahedra of TetGen have their places in a file beside theirs, which keeps its ending.
static bool add_companion(struct dc_mesh_copies *copies, const char *file, const char *name)
{
  size_t length = strlen(file), stem = strlen(name) - 4;
  if (length <= 4 || strcmp(file + length - 4, ".ele") != 0)
    return true;
  copies->sources[copies->count] = dc_arena_printf(copies->arena, "%.*s.node", (int)length - 4, file);
  copies->names[copies->count] = dc_arena_printf(copies->arena, "%.*s.node", (int)stem, name);
  return copies->sources[copies->count] && copies->names[copies->count++];
}

// Adds a file that is not listed yet, with its companion.
static bool add_source(struct dc_mesh_copies *copies, const char *file)
{
  if (find_source(copies, file) >= 0)
    return true;
  const char *name = free_name(copies, file);
  if (!name)
    return false;
  copies->sources[copies->count] = file;
  copies->names[copies->count++] = name;
  return add_companion(copies, file, name);
}

// Lists the mesh files of a scene, each once, with the name that its copy gets.  There is room for a companion
// of every file.
enum dc_status dc_mesh_copies_plan(const struct dc_scene *scene, struct dc_mesh_copies *copies, struct dc_error *error)
{
  memset(copies, 0, sizeof *copies);
  copies->arena = dc_arena_create();
  int shape_count = scene->definition.shape_count;
  size_t most = 2 * ((size_t)scene->source.mesh_file_count + (size_t)shape_count);
  bool enough = copies->arena != NULL;
  if (enough) {
    copies->sources = dc_arena_alloc(copies->arena, most, sizeof *copies->sources);
    copies->names = dc_arena_alloc(copies->arena, most, sizeof *copies->names);
    copies->made = dc_arena_alloc(copies->arena, most, sizeof *copies->made);
    enough = copies->sources && copies->names && copies->made;
  }
  for (int i = 0; enough && i < scene->source.mesh_file_count; i++)
    enough = add_source(copies, scene->source.mesh_files[i]);
  for (int i = 0; enough && i < shape_count; i++) {
    const char *file = mesh_file_of(&scene->definition.shapes[i]);
    enough = !file || add_source(copies, file);
  }
  if (enough)
    return DC_OK;
  dc_arena_destroy(copies->arena);
  memset(copies, 0, sizeof *copies);
  return dc_out_of_memory_for(error, "the names of mesh files");
}

// Copies a file, unless the same bytes are there already.  *made: it was written.
static enum dc_status copy_mesh(const char *source, const char *folder, const char *name, bool replace, bool *made,
                                struct dc_error *error)
{
  struct stat info;
  char *bytes, *path = dc_path_join(folder, name);
  size_t size;
  if (!path)
    return dc_out_of_memory_in(error, name);
  enum dc_status status = dc_file_read(source, mesh_limit, &bytes, &size, error);
  bool same = false;
  if (!status)
    status = dc_gltf_take_in(source, mesh_limit, &bytes, &size, error);
  if (!status)
    status = dc_file_compare(path, bytes, size, &same, error);
  if (!status && !same && !replace && lstat(path, &info) == 0)
    status = dc_fail(error, DC_IO, "%.800s: exists and is not the scene's; take another folder", path);
  if (!status && !same) {
    status = dc_file_write(path, bytes, size, error);
    *made = !status;
  }
  free(bytes);
  free(path);
  return status;
}

enum dc_status dc_mesh_copies_write(const struct dc_mesh_copies *copies, const char *directory, bool replace,
                                    struct dc_error *error)
{
  if (copies->count == 0)
    return DC_OK;
  char *folder = dc_path_join(directory, "meshes");
  if (!folder)
    return dc_out_of_memory_in(error, directory);
  enum dc_status status = dc_directory_create_in(directory, "meshes", error);
  for (int i = 0; !status && i < copies->count; i++)
    status = copy_mesh(copies->sources[i], folder, copies->names[i], replace, &copies->made[i], error);
  free(folder);
  return status;
}

// Takes away the copies that this run has made, and the folder if nothing else is in it.
void dc_mesh_copies_remove(const struct dc_mesh_copies *copies, const char *directory)
{
  char *folder = copies->count ? dc_path_join(directory, "meshes") : NULL;
  if (!folder)
    return;
  for (int i = 0; i < copies->count; i++) {
    char *path = copies->made[i] ? dc_path_join(folder, copies->names[i]) : NULL;
    if (path)
      unlink(path);
    free(path);
  }
  rmdir(folder);
  free(folder);
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

// The text of a scene while "file" members are replaced in the text itself: printing the tree anew would lose
// the last bits of numbers (cJSON).
struct replacement {
  const struct dc_mesh_copies *copies;
  struct dc_json_document document;  // of the text
  const char *done;                  // up to here it is in resolved
  int replaced;
  struct dc_text *resolved;
};

// Replaces the "file" of an object by that of a copy; copy < 0: there is none.  Objects come in the order of
// the text, so that the text between two of them is appended once.
static void replace_file(struct replacement *replacement, const cJSON *object, int copy)
{
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "file");
  if (copy < 0 || !cJSON_IsString(value))
    return;
  const char *begin = replacement->document.text + replacement->document.places.places[value->valueint].value;
  dc_text_append(replacement->resolved, replacement->done, (size_t)(begin - replacement->done));
  char *file = dc_path_join("meshes", replacement->copies->names[copy]);
  if (file)
    dc_text_string(replacement->resolved, file);
  replacement->resolved->failed |= !file;
  free(file);
  replacement->done = dc_json_after_string(begin);
  replacement->replaced++;
}

static const char *soft_file_of(const struct dc_scene *scene, int body)
{
  return scene->bodies[body].soft ? scene->bodies[body].soft->file : NULL;
}

// Replaces the files of shapes (by name), soft bodies and recordings (by place).  Bodies and objectives of the
// text are those of the scene, in their order; a shot comes last.
static void replace_files(struct replacement *replacement, const struct dc_scene *scene)
{
  const struct dc_mesh_copies *copies = replacement->copies;
  const cJSON *root = replacement->document.root, *item;
  int i = 0;
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "shapes"))
    replace_file(replacement, item, copy_of_shape(copies, scene, item->string));
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "bodies")) {
    const char *file = i < scene->definition.body_count ? soft_file_of(scene, i) : NULL;
    replace_file(replacement, cJSON_GetObjectItemCaseSensitive(item, "soft"), file ? find_source(copies, file) : -1);
    i++;
  }
  i = 0;
  cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(root, "objective")) {
    const char *file = i < scene->task.objective_count ? recording_of(&scene->task.objectives[i]) : NULL;
    replace_file(replacement, item, file ? find_source(copies, file) : -1);
    i++;
  }
}

// Writes the resolved scene with the names of the copies in place of the files.  As many files must be replaced
// as the scene names: a resolved text that still points elsewhere could not be moved, and is an error.
enum dc_status dc_mesh_copies_resolve(const struct dc_mesh_copies *copies, const struct dc_scene *scene,
                                      struct dc_text *resolved, struct dc_error *error)
{
  int expected = 0;
  for (int i = 0; i < scene->definition.shape_count; i++)
    expected += mesh_file_of(&scene->definition.shapes[i]) != NULL;
  for (int i = 0; i < scene->definition.body_count; i++)
    expected += soft_file_of(scene, i) != NULL;
  for (int i = 0; i < scene->task.objective_count; i++)
    expected += recording_of(&scene->task.objectives[i]) != NULL;
  struct replacement replacement = {.copies = copies, .done = scene->resolved, .resolved = resolved};
  if (expected) {
    enum dc_status status =
        dc_json_load_text(&replacement.document, "resolved scene", scene->resolved, copies->arena, error);
    if (status)
      return status;
    replacement.done = replacement.document.text;
    replace_files(&replacement, scene);
  }
  dc_text_append(resolved, replacement.done, strlen(replacement.done));
  dc_json_release(&replacement.document);
  if (resolved->failed)
    return dc_out_of_memory_for(error, "the resolved scene");
  if (replacement.replaced != expected)
    return dc_fail(error, DC_BAD_INPUT, "resolved scene: %d of %d mesh files and recorded motions have a \"file\"",
                   replacement.replaced, expected);
  return DC_OK;
}
