// SPDX-License-Identifier: Apache-2.0
// Whether a run directory keeps to itself.  Runs come from others, and a link in one may lead anywhere: what it leads
// to would be shown as a part of the run, or written over by one that goes on.  So before anything in a run is opened,
// the links in it, and in its folders, are followed once: each must end in the run.  A run that is not trusted, by the
// wish of the user or since another user owns it, has no links at all.  Runs of cases ("cases") are runs of their own.
#include "io/run/run_check.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/run_files.h"

enum { DEEPEST = 4 };

struct walk {
  const char *home;  // the run, a real path
  bool trusted;
  struct dc_error *error;
};

// Refuses a link, unless the run is trusted and the link ends within it.  A link that leads nowhere is refused
// as well: whoever creates its target later decides what is read.
static enum dc_status check_link(const struct walk *walk, const char *path)
{
  size_t length = strlen(walk->home);
  char *real = walk->trusted ? realpath(path, NULL) : NULL;
  bool inside =
      real && strncmp(real, walk->home, length) == 0 && (real[length] == '/' || walk->home[length - 1] == '/');
  free(real);
  if (inside)
    return DC_OK;
  return dc_fail(walk->error, DC_IO, "%.700s: is a link%s: nothing in this run is read or written", path,
                 walk->trusted ? " that leads out of the run" : ", and the run is not trusted");
}

static enum dc_status check_folder(const struct walk *walk, const char *path, int depth);

// Checks one entry of a folder: links by check_link, folders by descending.  d_type saves a system call per
// file; where the file system does not tell it, lstat does.
static enum dc_status check_entry(const struct walk *walk, const char *folder, const struct dirent *entry, int depth)
{
  struct stat info;
  unsigned char type = entry->d_type;
  if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
      (type != DT_LNK && type != DT_DIR && type != DT_UNKNOWN))
    return DC_OK;
  char *path = dc_path_join(folder, entry->d_name);
  if (!path)
    return dc_out_of_memory_in(walk->error, folder);
  if (type == DT_UNKNOWN && lstat(path, &info) == 0)
    type = S_ISLNK(info.st_mode) ? DT_LNK : S_ISDIR(info.st_mode) ? DT_DIR : DT_REG;
  enum dc_status status = DC_OK;
  if (type == DT_LNK)
    status = check_link(walk, path);
  else if (type == DT_DIR && !(depth == 0 && strcmp(entry->d_name, "cases") == 0))
    status = check_folder(walk, path, depth + 1);
  free(path);
  return status;
}

// Checks the entries of a folder and of those in it, to a depth at which runs have nothing.  A folder that
// cannot be read is passed over, as nothing can be opened in it either.
static enum dc_status check_folder(const struct walk *walk, const char *path, int depth)
{
  if (depth > DEEPEST)
    return DC_OK;  // no run reads so deep
  int listing = dc_open_listing(dc_open_here, path, depth == 0);
  DIR *stream = listing < 0 ? NULL : fdopendir(listing);
  if (!stream) {
    bool unreadable = listing < 0 && errno != ENOMEM;
    if (listing >= 0)
      close(listing);
    return unreadable ? DC_OK : dc_out_of_memory_in(walk->error, path);
  }
  enum dc_status status = DC_OK;
  for (const struct dirent *entry; !status && (entry = readdir(stream));)
    status = check_entry(walk, path, entry, depth);
  closedir(stream);
  return status;
}

bool dc_run_is_foreign(const char *directory)
{
  struct stat info;
  return stat(directory, &info) == 0 && info.st_uid != geteuid();
}

// Whether a folder holds anything that a run leaves, so that it is not overwritten by mistake. Without memory for a
// path it counts as one.
bool dc_run_looks_like_run(const char *directory)
{
  static const char *const members[] = {"resolved.json", "scene.json", "run.json", "checkpoint.bin", "trajectory.h5"};
  bool found = false;
  for (size_t i = 0; i < sizeof members / sizeof *members && !found; i++) {
    struct stat info;
    char *path = dc_path_join(directory, members[i]);
    found = !path || lstat(path, &info) == 0;
    free(path);
  }
  return found;
}

// Checks a run directory.  A run that another user owns is not trusted, whatever the caller says.  A directory
// that does not exist is no failure here.
enum dc_status dc_run_check(const char *directory, bool trusted, struct dc_error *error)
{
  struct stat info;
  if (stat(directory, &info) < 0 || !S_ISDIR(info.st_mode))
    return DC_OK;  // whoever opens it says so
  char *home = realpath(directory, NULL);
  if (!home)
    return errno == ENOMEM ? dc_out_of_memory_in(error, directory) : DC_OK;
  const struct walk walk = {.home = home, .trusted = trusted && info.st_uid == geteuid(), .error = error};
  enum dc_status status = check_folder(&walk, directory, 0);
  if (status == DC_IO && !dc_run_looks_like_run(directory))  // some other folder: its links are not what is wrong
    status = dc_fail(error, DC_IO, "%.700s: is no run, which has a resolved.json", directory);
  free(home);
  return status;
}
