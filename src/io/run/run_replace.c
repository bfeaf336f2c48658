// SPDX-License-Identifier: Apache-2.0
// A run in the place of an earlier one.  The earlier one is moved aside to DIR.old and removed when the new one has its
// result: whatever happens in between, one of them is there.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/run.h"
#include "io/run/run_files.h"

// All that a run directory may hold (docs/run-directory.md).
static const char *const members[] = {
    "scene.json",       "resolved.json",  "run.json", "loss.csv",    "progress.jsonl",
    "trajectory.h5",    "checkpoint.bin", "run.glb",  "report.html", "comparison.html",
    "certificate.json", "design.csv",     ".lock",    "meshes",      "frames",
    "export",           "design",         "cases",    NULL};

// Finds a name DIR-2, DIR-3 and so on that nothing has, for messages and for runs that must not write over
// another.
void dc_run_find_free(const char *directory, char *name, size_t size)
{
  struct stat info;
  for (int i = 2;; i++)
    if (snprintf(name, size, "%.800s-%d", directory, i) < 0 || lstat(name, &info) != 0)
      return;
}

// Whether a name is one that a run may have.  Temporary files of a killed process count as such.
static bool is_member(const char *name)
{
  for (int i = 0; members[i]; i++)
    if (strcmp(members[i], name) == 0)
      return true;
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || dc_file_is_temporary(name);
}

// DC_IO when a directory holds anything that no run leaves: somebody keeps files of their own there, which must
// not be removed with it.
enum dc_status dc_run_check_members(const char *directory, struct dc_error *error)
{
  int listing = dc_open_listing(dc_open_here, directory, true);
  DIR *folder = listing < 0 ? NULL : fdopendir(listing);
  if (!folder) {
    enum dc_status failure = dc_fail_file(error, directory, "read");
    if (listing >= 0)
      close(listing);
    return failure;
  }
  enum dc_status status = DC_OK;
  for (struct dirent *entry; !status && (entry = readdir(folder));)
    if (!is_member(entry->d_name))
      status = dc_fail(error, DC_IO, "%.600s: holds %.200s, which is no part of a run; nothing is overwritten",
                       directory, entry->d_name);
  closedir(folder);
  return status;
}

// Whether another process holds the lock of a run.  The lock is tried and given up at once.
bool dc_run_is_written(const char *directory)
{
  int folder = dc_directory_open(directory), fd = folder >= 0 ? dc_open_append(folder, ".lock", DC_MUST_EXIST) : -1;
  bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
  if (fd >= 0)
    close(fd);
  if (folder >= 0)
    close(folder);
  return held;
}

// Renames a run directory to NAME.old before a new run takes its name; aside [size] is that name, "" when there
// was no run.  Directories that hold no run stay, for dc_run_create to refuse.  Refused are a run that is being
// written, one with files of other origin, and one whose NAME.old exists: that one has not been replaced yet.
enum dc_status dc_run_set_aside(const char *directory, char *aside, size_t size, struct dc_error *error)
{
  struct stat info;
  size_t length = strlen(directory);
  while (length > 1 && directory[length - 1] == '/')
    length--;
  aside[0] = '\0';
  bool whole = dc_run_has(directory, "scene.json") && dc_run_has(directory, "resolved.json");
  if (lstat(directory, &info) != 0 || (!whole && !dc_run_has(directory, "run.json")))
    return DC_OK;  // no run: whether there is anything else dc_run_create finds out
  enum dc_status status = dc_run_check_members(directory, error);
  if (!status && dc_run_is_written(directory))
    status = dc_fail(error, DC_IO, "%.800s: another run is being written to this directory", directory);
  if (status)
    return status;
  int written = snprintf(aside, size, "%.*s.old", (int)length, directory);
  if (written >= (int)size)
    status = dc_fail(error, DC_IO, "%.800s: the name is too long", directory);
  else if (lstat(aside, &info) == 0)
    status =
        dc_fail(error, DC_IO, "%.400s: exists; it is the run before %.400s, which has no result yet: keep one of them",
                aside, directory);
  else if (rename(directory, aside) != 0)
    status = dc_fail_file(error, directory, "move aside");
  if (status)
    aside[0] = '\0';
  return status;
}

void dc_run_take_back(const char *aside, const char *directory)
{
  (void)!rename(aside, directory);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk)
{
  (void)info, (void)type, (void)walk;
  return remove(path);
}

// Removes a directory with all it holds, from below, without following links or leaving the file system.
void dc_run_discard(const char *aside)
{
  nftw(aside, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
