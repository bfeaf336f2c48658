// SPDX-License-Identifier: Apache-2.0
// A run directory from its creation to its end:
// 1. dc_run_create makes the directory, locks it, refuses one that holds a run, and writes scene.json, resolved.json,
//    meshes and the headers of the row files;
// 2. dc_run_add_row appends a line to loss.csv and progress.jsonl, to both or to neither;
// 3. dc_run_write_file replaces a file as a whole (trajectory.h5, checkpoint.bin, run.json, design/);
// 4. dc_run_close syncs the rows and releases the lock.
//
// dc_run_reopen and dc_run_begin_again take an existing directory instead of step 1: the former to go on after a
// checkpoint, the latter when there is none yet.  The lock is flock() on DIR/.lock, which ends with the process.  All
// files are addressed through the descriptor of the directory; a directory that was moved or replaced is noticed before
// anything is written.
#include "io/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/row_file.h"
#include "io/run/run_check.h"
#include "io/run/run_files.h"

#define LOCK_NAME ".lock"
#define LOSS_COLUMNS "iteration,loss,gradient_norm,newton_iterations,min_gap"

// A run directory that this process writes.  All descriptors are its own; `directory` is for messages and for
// the functions that take paths, `folder` is what files are made in.
struct dc_run {
  char *directory, *lock_path;
  int folder;          // the directory itself, wherever it is moved to; -1: not open
  int lock;            // -1: not held
  const char *header;  // of loss.csv
  struct dc_row_file loss, progress;
  bool bare;  // without scene and rows
};

// The header of loss.csv, which has a column for the stage of a search.
static const char *loss_header(const struct dc_scene *scene)
{
  return dc_search_wanted(&scene->search) ? LOSS_COLUMNS ",stage\n" : LOSS_COLUMNS "\n";
}

// Whether the open file or directory is still the one that has the name in folder: same device, same inode.
static bool is_named(int fd, int folder, const char *name)
{
  struct stat held, named;
  return fstat(fd, &held) == 0 && fstatat(folder, name, &named, 0) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

// Creates DIR/.lock and locks it, or fails when another process holds it.  The lock of flock() is on the file
// and not on its name.  After locking, the name is therefore looked at again, since a writer that ended may
// have removed the file in between; then the next file is tried.
// The loop ends, since each round needs another writer that removed its lock in between.  DC_IO: the directory is in
// use.
static enum dc_status lock_acquire(struct dc_run *run, struct dc_error *error)
{
  for (;;) {
    run->lock = dc_open_append(run->folder, LOCK_NAME, DC_MAY_EXIST);
    if (run->lock < 0)
      return dc_fail_file(error, run->lock_path, "create");
    int reason = flock(run->lock, LOCK_EX | LOCK_NB) < 0 ? errno : 0;
    // another writer may have removed the file between our open and our lock
    if (reason == 0 && is_named(run->lock, run->folder, LOCK_NAME))
      return DC_OK;
    close(run->lock);
    run->lock = -1;
    if (reason == EWOULDBLOCK)
      return dc_fail(error, DC_IO, "%.800s: another run is being written to this directory", run->lock_path);
    if (reason && reason != EINTR) {
      errno = reason;
      return dc_fail_file(error, run->lock_path, "lock");
    }
  }
}

// Removes the lock and gives it up, in this order.  The name may be that of another run's lock by now, when
// somebody removed ours, and is left alone then.
static void lock_release(struct dc_run *run)
{
  if (run->lock < 0)
    return;
  if (is_named(run->lock, run->folder, LOCK_NAME))
    unlinkat(run->folder, LOCK_NAME, 0);
  close(run->lock);
  run->lock = -1;
}

// Takes the directory for this process: a descriptor, which stays that of this directory wherever it is moved
// to, and the lock.
static enum dc_status occupy(struct dc_run *run, struct dc_error *error)
{
  run->folder = dc_directory_open(run->directory);
  return run->folder < 0 ? dc_fail_file(error, run->lock_path, "create") : lock_acquire(run, error);
}

// Whether the name of the run directory still means the directory that this process has open.
bool dc_run_is_in_place(const struct dc_run *run)
{
  return is_named(run->folder, AT_FDCWD, run->directory);
}

// Whoever removes or moves the directory may put another run in its place, which must not get our files.
static enum dc_status check_place(const struct dc_run *run, struct dc_error *error)
{
  if (dc_run_is_in_place(run))
    return DC_OK;
  return dc_fail(error, DC_IO, "%.800s: the directory of the run was removed, moved or replaced", run->directory);
}

// DC_IO when one of these files [ending with NULL] exists.
static enum dc_status refuse_existing(const char *directory, const char *const *names, struct dc_error *error)
{
  for (int i = 0; names[i]; i++) {
    struct stat info;
    char *path = dc_path_join(directory, names[i]);
    if (!path)
      return dc_out_of_memory_in(error, directory);
    bool exists = lstat(path, &info) == 0;
    if (exists) {
      char other[840];
      dc_run_find_free(directory, other, sizeof other);
      dc_fail(error, DC_IO, "%.800s: exists; the directory already holds a run (free is %s)", path, other);
    }
    free(path);
    if (exists)
      return DC_IO;
  }
  return DC_OK;
}

// Writes directory/name as a whole: temporary file, fsync, rename.
static enum dc_status write_named(const char *directory, const char *name, const void *bytes, size_t size,
                                  struct dc_error *error)
{
  char *path = dc_path_join(directory, name);
  if (!path)
    return dc_out_of_memory_in(error, directory);
  enum dc_status status = dc_file_write(path, bytes, size, error);
  free(path);
  return status;
}

// False also when that cannot be found out.
static bool is_missing(const char *directory, const char *name)
{
  struct stat info;
  char *path = dc_path_join(directory, name);
  bool missing = path && lstat(path, &info) < 0 && errno == ENOENT;
  free(path);
  return missing;
}

// A file that is not there, or cannot be removed, is no error: this cleans up after another failure.
static void remove_named(const char *directory, const char *name)
{
  char *path = dc_path_join(directory, name);
  if (path)
    unlink(path);
  free(path);
}

// Removes the temporary files that a killed process left.
static void sweep(const char *directory)
{
  static const char *const folders[] = {"meshes", "design/meshes", NULL};
  dc_directory_sweep(directory);
  for (int i = 0; folders[i]; i++) {
    char *folder = dc_path_join(directory, folders[i]);
    if (folder)
      dc_directory_sweep(folder);
    free(folder);
  }
}

// Writes meshes, resolved.json and scene.json, in this order: a directory that has scene.json has the others
// too, and is_missing() of one file tells whether the scene is complete.
// The resolved text names the copies of meshes, relative to the directory, so that it can be moved as a whole.
static enum dc_status write_scene(const char *directory, const struct dc_scene *scene,
                                  const struct dc_mesh_copies *copies, bool replace, struct dc_error *error)
{
  struct dc_text resolved = {0};
  enum dc_status status = dc_mesh_copies_resolve(copies, scene, &resolved, error);
  if (!status)
    status = dc_mesh_copies_write(copies, directory, replace, error);
  if (!status)
    status = write_named(directory, "resolved.json", resolved.bytes, resolved.length, error);
  if (!status)
    status = write_named(directory, "scene.json", scene->source.text, strlen(scene->source.text), error);
  dc_text_free(&resolved);
  return status;
}

// Creates loss.csv with its header and progress.jsonl without any line.
static enum dc_status open_rows(struct dc_run *run, struct dc_error *error)
{
  struct dc_text header = {0};
  dc_text_append(&header, run->header, strlen(run->header));
  enum dc_status status = header.failed ? dc_out_of_memory_in(error, run->directory) : DC_OK;
  if (!status)
    status = dc_row_file_create(&run->progress, run->directory, "progress.jsonl", error);
  if (!status)
    status = dc_row_file_create(&run->loss, run->directory, "loss.csv", error);
  if (!status)
    status = dc_row_file_write(&run->loss, &header, error);
  if (!status) {
    dc_row_file_keep(&run->loss, &header);
    status = dc_directory_sync(run->directory, error);
  }
  dc_text_free(&header);
  return status;
}

// Refuses a resolved.json with another text than the scene's, DC_IO.  *there: there is one with the same text, which a
// run has left that was killed while it was created.
static enum dc_status refuse_resolved(const char *directory, const struct dc_scene *scene,
                                      const struct dc_mesh_copies *copies, bool *there, struct dc_error *error)
{
  static const char *const name[] = {"resolved.json", NULL};
  struct dc_text resolved = {0};
  *there = false;
  if (is_missing(directory, name[0]))
    return DC_OK;
  char *path = dc_path_join(directory, name[0]);
  enum dc_status status =
      path ? dc_mesh_copies_resolve(copies, scene, &resolved, error) : dc_out_of_memory_in(error, directory);
  if (!status)
    status = dc_file_compare(path, resolved.bytes, resolved.length, there, error);
  free(path);
  dc_text_free(&resolved);
  return status || *there ? status : refuse_existing(directory, name, error);
}

// Writes scene and rows, and takes back on failure what was made: not a resolved.json that was there before.
static enum dc_status start_files(struct dc_run *run, const struct dc_scene *scene, const struct dc_mesh_copies *copies,
                                  bool resolved, struct dc_error *error)
{
  static const char *const names[] = {"loss.csv", "progress.jsonl", "scene.json", "resolved.json", NULL};
  sweep(run->directory);
  if (run->bare)
    return DC_OK;
  enum dc_status status = write_scene(run->directory, scene, copies, false, error);
  if (!status)
    status = open_rows(run, error);
  if (status) {
    for (int i = 0; names[i + resolved]; i++)
      remove_named(run->directory, names[i]);
    dc_mesh_copies_remove(copies, run->directory);
  }
  return status;
}

// Writes what a run begins with into a directory that this process has locked, and takes it back on failure.  A
// directory that holds any file that a run writes is refused, so that nothing is ever written over.
static enum dc_status populate(struct dc_run *run, const struct dc_scene *scene, struct dc_error *error)
{
  static const char *const own_files[] = {"scene.json",     "loss.csv",    "progress.jsonl", "run.json",
                                          "trajectory.h5",  "run.glb",     "report.html",    "design.csv",
                                          "checkpoint.bin", "design",      NULL};
  struct dc_mesh_copies copies;
  bool resolved = false;
  enum dc_status status = refuse_existing(run->directory, own_files, error);
  if (!status)
    status = dc_mesh_copies_plan(scene, &copies, error);
  if (status)
    return status;
  status = refuse_resolved(run->directory, scene, &copies, &resolved, error);
  if (!status)
    status = start_files(run, scene, &copies, resolved, error);
  dc_arena_destroy(copies.arena);
  return status;
}

// The lock goes first, while the folder in which its name stands is still open.
static void run_destroy(struct dc_run *run)
{
  lock_release(run);
  if (run->folder >= 0)
    close(run->folder);
  free(run->lock_path);
  free(run->directory);
  free(run);
}

// The bare object: nothing on disk yet.  NULL when out of memory.
static struct dc_run *run_allocate(const char *directory)
{
  struct dc_run *run = calloc(1, sizeof *run);
  if (!run)
    return NULL;
  run->folder = run->lock = run->loss.fd = run->progress.fd = -1;
  size_t length = strlen(directory);
  while (length > 1 && directory[length - 1] == '/')
    length--;
  run->directory = strndup(directory, length);
  run->lock_path = run->directory ? dc_path_join(run->directory, LOCK_NAME) : NULL;
  if (!run->lock_path) {
    run_destroy(run);
    return NULL;
  }
  return run;
}

// Creates a run directory: folders, lock, files of the scene and of rows.  When anything fails, what was made
// is removed, folders above it included, as far as this call has made them.  `bare`: without scene and rows,
// for results that belong to no optimization.
enum dc_status dc_run_create(const char *directory, const struct dc_scene *scene, bool bare, struct dc_run **run,
                             struct dc_error *error)
{
  *run = NULL;
  if (directory[0] == '\0')
    return dc_fail(error, DC_IO, "the name of the run directory is empty");
  struct dc_run *created = run_allocate(directory);
  if (!created)
    return dc_out_of_memory_in(error, directory);
  created->header = loss_header(scene);
  created->bare = bare;
  int new_directories;
  enum dc_status status = dc_directory_create(created->directory, &new_directories, error);
  if (!status)
    status = occupy(created, error);
  if (!status)
    status = populate(created, scene, error);
  if (status) {
    dc_row_file_close(&created->loss, NULL);
    dc_row_file_close(&created->progress, NULL);
    lock_release(created);
    dc_directory_remove(created->directory, new_directories);
    run_destroy(created);
    return status;
  }
  *run = created;
  return DC_OK;
}

// Makes DIR hold `scene`, unless it does already: the files of a run belong together when it goes on with
// another scene.  Only meshes are written again where the resolved text is the same, since a mesh may have been
// lost.
static enum dc_status renew_scene(const char *directory, const struct dc_scene *scene, struct dc_error *error)
{
  struct dc_mesh_copies copies;
  struct dc_text resolved = {0};
  enum dc_status status = dc_mesh_copies_plan(scene, &copies, error);
  if (status)
    return status;
  status = dc_mesh_copies_resolve(&copies, scene, &resolved, error);
  char *path = dc_path_join(directory, "resolved.json");
  if (!status && !path)
    status = dc_out_of_memory_in(error, directory);
  bool same = false;
  if (!status)
    status = dc_file_compare(path, resolved.bytes, resolved.length, &same, error);
  if (!status && same && !is_missing(directory, "scene.json"))
    status = dc_mesh_copies_write(&copies, directory, true, error);
  else if (!status)
    status = write_scene(directory, scene, &copies, true, error);
  free(path);
  dc_text_free(&resolved);
  dc_arena_destroy(copies.arena);
  return status;
}

// DC_CHECKPOINT when loss.csv holds anything behind its header.
static enum dc_status refuse_rows(const struct dc_run *run, struct dc_error *error)
{
  const char *directory = run->directory;
  struct stat info;
  char *path = dc_path_join(directory, "loss.csv");
  if (!path)
    return dc_out_of_memory_in(error, directory);
  bool rows = lstat(path, &info) == 0 && (!S_ISREG(info.st_mode) || info.st_size > (off_t)strlen(run->header));
  free(path);
  return rows ? dc_fail(error, DC_CHECKPOINT, "%.800s/checkpoint.bin: is missing, but loss.csv has rows", directory)
              : DC_OK;
}

// Opens the files of a locked directory to go on after `rows` rows.  Rows beyond these were written after the
// checkpoint and will be computed again.  They are cut off last, when all else has gone well, by marking both
// files as torn.
// DC_CHECKPOINT: the row files have fewer rows than the checkpoint says.
static enum dc_status go_on(struct dc_run *run, const struct dc_scene *scene, long rows, struct dc_error *error)
{
  sweep(run->directory);
  enum dc_status status = dc_row_file_reopen(&run->loss, run->directory, "loss.csv", run->header, rows, error);
  if (!status)
    status = dc_row_file_reopen(&run->progress, run->directory, "progress.jsonl", "", rows, error);
  if (!status)
    status = renew_scene(run->directory, scene, error);
  if (status)
    return status;
  run->loss.torn = run->progress.torn = true;
  return dc_run_sync(run, error);
}

// Makes the files of a locked directory anew whose run was killed before its first checkpoint.
static enum dc_status begin_again(struct dc_run *run, const struct dc_scene *scene, long rows, struct dc_error *error)
{
  static const char *const later_files[] = {"run.json", "trajectory.h5", "checkpoint.bin", NULL};
  (void)rows;
  enum dc_status status = refuse_rows(run, error);
  if (!status)
    status = refuse_existing(run->directory, later_files, error);
  if (status)
    return status;
  sweep(run->directory);
  remove_named(run->directory, "loss.csv");
  remove_named(run->directory, "progress.jsonl");
  status = renew_scene(run->directory, scene, error);
  return status ? status : open_rows(run, error);
}

typedef enum dc_status opener(struct dc_run *run, const struct dc_scene *scene, long rows, struct dc_error *error);

// The common part of dc_run_reopen and dc_run_begin_again: checks links in the directory, locks it and lets
// open_files do the rest.  On failure nothing is cut off from files of rows.
static enum dc_status open_again(const char *directory, opener *open_files, const struct dc_scene *scene, long rows,
                                 struct dc_run **run, struct dc_error *error)
{
  *run = NULL;
  if (directory[0] == '\0')
    return dc_fail(error, DC_IO, "the name of the run directory is empty");
  struct dc_run *opened = run_allocate(directory);
  if (!opened)
    return dc_out_of_memory_in(error, directory);
  opened->header = loss_header(scene);
  enum dc_status status = dc_run_check(directory, true, error);
  if (!status)
    status = occupy(opened, error);
  if (!status)
    status = open_files(opened, scene, rows, error);
  if (status) {
    opened->loss.torn = opened->progress.torn = false;
    dc_row_file_close(&opened->loss, NULL);
    dc_row_file_close(&opened->progress, NULL);
    run_destroy(opened);
    return status;
  }
  *run = opened;
  return DC_OK;
}

// Opens the directory to go on after its first `rows` rows; the run is the caller's, closed by dc_run_close.
enum dc_status dc_run_reopen(const char *directory, const struct dc_scene *scene, long rows, struct dc_run **run,
                             struct dc_error *error)
{
  return open_again(directory, go_on, scene, rows, run, error);
}

// Whether a run was killed before its first checkpoint: it has a scene and nothing to go on from.
bool dc_run_was_cut_short(const char *directory)
{
  return is_missing(directory, "checkpoint.bin") && !is_missing(directory, "resolved.json");
}

// Opens the directory of a run that has not computed anything yet.  DC_CHECKPOINT: it has rows but no checkpoint.
enum dc_status dc_run_begin_again(const char *directory, const struct dc_scene *scene, struct dc_run **run,
                                  struct dc_error *error)
{
  return open_again(directory, begin_again, scene, 0, run, error);
}

// Replaces a file of the run as a whole, through the descriptor of the directory, after a check that the
// directory is still in its place.
enum dc_status dc_run_write_file(struct dc_run *run, const char *name, const void *bytes, size_t size,
                                 struct dc_error *error)
{
  char *path = dc_path_join(run->directory, name);
  enum dc_status status = path ? check_place(run, error) : dc_out_of_memory_in(error, name);
  if (!status)
    status = dc_file_write_at(run->folder, name, path, bytes, size, error);
  free(path);
  return status;
}

// The descriptor stays the run's.  DC_IO: the directory is no longer in its place.
enum dc_status dc_run_folder(const struct dc_run *run, int *folder, struct dc_error *error)
{
  *folder = run->folder;
  return check_place(run, error);
}

// Makes the rows written so far durable; a checkpoint may then count them.
enum dc_status dc_run_sync(struct dc_run *run, struct dc_error *error)
{
  enum dc_status status = run->bare ? DC_OK : dc_row_file_sync(&run->loss, error);
  return status || run->bare ? status : dc_row_file_sync(&run->progress, error);
}

const char *dc_run_directory(const struct dc_run *run)
{
  return run->directory;
}

// One row of loss.csv. Reals are written so that they read back with the same bits, which resuming and `dcsim diff`
// rely on.
static void format_loss(struct dc_text *text, const struct dc_plan_iteration *row)
{
  dc_text_add(text, "%d,", row->iteration);
  dc_text_real(text, row->loss, "");
  dc_text_add(text, ",");
  dc_text_real(text, row->gradient_norm, "");
  dc_text_add(text, ",%ld,", row->newton_iterations);
  dc_text_real(text, row->min_gap, "");
  if (row->phase)
    dc_text_add(text, ",%d.%s", row->stage, row->phase);
  dc_text_add(text, "\n");
}

// A member with an array of numbers, 17 digits each; null for what is not finite.
static void format_numbers(struct dc_text *text, const char *name, int count, const double *numbers)
{
  dc_text_add(text, ", \"%s\": [", name);
  for (int i = 0; i < count; i++) {
    dc_text_add(text, "%s", i ? ", " : "");
    dc_text_real(text, numbers[i], "null");
  }
  dc_text_add(text, "]");
}

// Writes a row of progress.jsonl.
// The form is fixed, "key": value with one blank, and read by commands/watch.c and run_design.c without a parser.
static void format_progress(struct dc_text *text, const struct dc_plan_iteration *row)
{
  dc_text_add(text, "{\"iteration\": %d, \"loss\": ", row->iteration);
  dc_text_real(text, row->loss, "null");
  dc_text_add(text, ", \"gradient_norm\": ");
  dc_text_real(text, row->gradient_norm, "null");
  dc_text_add(text, ", \"newton_iterations\": %ld, \"min_gap\": ", row->newton_iterations);
  dc_text_real(text, row->min_gap, "null");
  if (row->phase)
    dc_text_add(text, ", \"stage\": \"%d.%s\"", row->stage, row->phase);
  dc_text_add(text, ", \"best\": %s, \"seconds\": ", row->best ? "true" : "false");
  dc_text_real(text, row->seconds, "null");
  if (row->term_count)
    format_numbers(text, "terms", row->term_count, row->terms);
  format_numbers(text, "parameters", row->parameter_count, row->parameters);
  dc_text_add(text, "}\n");
}

// Adds a row to loss.csv and progress.jsonl, to both or to none: a failure of the second takes the first back.
// A bare run has no rows and only checks its place.
enum dc_status dc_run_add_row(struct dc_run *run, const struct dc_plan_iteration *row, struct dc_error *error)
{
  struct dc_text loss = {0}, progress = {0};
  if (run->bare)
    return check_place(run, error);
  format_loss(&loss, row);
  format_progress(&progress, row);
  enum dc_status status = DC_OK;
  if (loss.failed || progress.failed)
    status = dc_out_of_memory_in(error, run->directory);
  if (!status)
    status = check_place(run, error);
  if (!status)
    status = dc_row_file_write(&run->loss, &loss, error);
  if (!status)
    status = dc_row_file_write(&run->progress, &progress, error);
  if (!status) {
    dc_row_file_keep(&run->loss, &loss);
    dc_row_file_keep(&run->progress, &progress);
  } else if (run->loss.fd >= 0) {
    dc_row_file_mend(&run->loss, NULL);
  }
  dc_text_free(&loss);
  dc_text_free(&progress);
  return status;
}

// Both files are closed in any case; the first failure is reported.  NULL is accepted.
enum dc_status dc_run_close(struct dc_run *run, struct dc_error *error)
{
  if (!run)
    return DC_OK;
  enum dc_status status = dc_row_file_close(&run->loss, error);
  enum dc_status progress_status = dc_row_file_close(&run->progress, status ? NULL : error);
  run_destroy(run);
  return status ? status : progress_status;
}
