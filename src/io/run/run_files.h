// SPDX-License-Identifier: Apache-2.0
// Files of a run directory: written completely or not at all.  Every message names the file and the system's reason.
#ifndef DC_IO_RUN_FILES_H
#define DC_IO_RUN_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "io/json/json_text.h"
#include "io/scene/scene.h"

// "directory/name", released with free(); NULL when out of memory.
char *dc_path_join(const char *directory, const char *name);

// DC_IO: "path: cannot WHAT: reason of errno".
enum dc_status dc_fail_file(struct dc_error *error, const char *path, const char *what);

// Writes size bytes at the end of what fd has; DC_IO when not all could be written.
enum dc_status dc_write_all(int fd, const char *path, const void *bytes, size_t size, struct dc_error *error);

// A file being made under a temporary name in folder (dc_directory_open), for what path will name.
enum { DC_TEMPORARY_SIZE = 48 };
struct dc_new_file {
  int folder, fd;  // fd: open for reading and writing
  char temporary[DC_TEMPORARY_SIZE];
};
enum dc_status dc_new_file_begin(int folder, const char *path, struct dc_new_file *file, struct dc_error *error);
// With status DC_OK syncs, closes and renames it to name, and syncs the folder; otherwise, or when that fails, removes
// it.  Returns status or DC_IO.
enum dc_status dc_new_file_end(struct dc_new_file *file, const char *name, const char *path, enum dc_status status,
                               struct dc_error *error);

// Replaces path by a file of these bytes: temporary file in the same directory, fsync, close, rename, fsync of the
// directory. After a failure path is what it was before (or the new file, when only the last fsync failed) and no
// temporary file is left.
enum dc_status dc_file_write(const char *path, const void *bytes, size_t size, struct dc_error *error);

// The same for the file name in folder (dc_directory_open), whatever the folder is called by now; path is for messages.
enum dc_status dc_file_write_at(int folder, const char *name, const char *path, const void *bytes, size_t size,
                                struct dc_error *error);

// Reads a regular file of at most limit bytes (DC_MEMORY beyond) into *bytes, released with free() and followed by a
// zero. Never blocks on a FIFO or device.
enum dc_status dc_file_read(const char *path, size_t limit, char **bytes, size_t *size, struct dc_error *error);

// Opens a regular file of at most limit bytes (DC_MEMORY beyond) for reading: *fd, *size.  Never blocks.
enum dc_status dc_file_open(const char *path, size_t limit, int *fd, size_t *size, struct dc_error *error);

// *same: whether path is a regular file of exactly these bytes.  DC_IO when it is there and cannot be read, DC_MEMORY.
enum dc_status dc_file_compare(const char *path, const void *bytes, size_t size, bool *same, struct dc_error *error);

// Makes a directory and its parents.  *created counts those that did not exist before (also on failure).
enum dc_status dc_directory_create(const char *path, int *created, struct dc_error *error);
// Makes directory/name, or takes the one that is there, but no link to one: DC_IO.
enum dc_status dc_directory_create_in(const char *directory, const char *name, struct dc_error *error);
// Takes back the last created directories as far as they are empty.
void dc_directory_remove(const char *path, int created);
// Whether dc_file_write names its temporary files like this.
bool dc_file_is_temporary(const char *name);
// Removes the temporary files of dc_file_write that a killed process left in directory, as far as that is possible.
// Only for the one writer of a directory.
void dc_directory_sweep(const char *directory);
// A descriptor of the directory itself, for names in it; negative with errno on failure.
int dc_directory_open(const char *directory);
// Makes new names in directory durable; DC_IO.
enum dc_status dc_directory_sync(const char *directory, struct dc_error *error);

// The mesh files of a scene and their names below DIR/meshes: base names, a number added where two would be the same
// without regard to case.
struct dc_mesh_copies {
  struct dc_arena *arena;
  int count;
  const char **sources;  // [count] as opened
  const char **names;    // [count]
  bool *made;            // [count] by dc_mesh_copies_write
};
enum dc_status dc_mesh_copies_plan(const struct dc_scene *scene, struct dc_mesh_copies *copies, struct dc_error *error);
// Copies them into directory/meshes; does nothing when there are none.  A copy that is there already is left alone.
// Another file of its name is replaced where `replace` says so, and refused otherwise: DC_IO.
enum dc_status dc_mesh_copies_write(const struct dc_mesh_copies *copies, const char *directory, bool replace,
                                    struct dc_error *error);
// Takes back the copies that were made, and the folder when nothing else is in it.
void dc_mesh_copies_remove(const struct dc_mesh_copies *copies, const char *directory);
// scene->resolved with "file" of every shape made of a mesh file set to "meshes/NAME"; all else byte for byte.
// DC_BAD_INPUT when it is not the scene's.
enum dc_status dc_mesh_copies_resolve(const struct dc_mesh_copies *copies, const struct dc_scene *scene,
                                      struct dc_text *resolved, struct dc_error *error);

#endif
