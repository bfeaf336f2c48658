// SPDX-License-Identifier: Apache-2.0
// Opening files that a user or a file names.
//
// 1. A file is opened without waiting (O_NONBLOCK) and without becoming a terminal of this process; what it is shows
//    only then, by fstat, so that nobody can put another one in its place between a look and the opening.  Opening a
//    device may act on it, and so the name is looked at first, too.
// 2. A name that another file gives is resolved below a folder by the kernel (openat2, RESOLVE_BENEATH: absolute names,
//    ".." beyond the folder and links out of it fail with EXDEV).  Kernels before 5.6, and containers that forbid
//    the call, have a stricter rule: such a name has no ".." and meets no links.
#include "base/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __NR_openat2
#include <linux/openat2.h>
#endif

const int dc_open_here = AT_FDCWD;

enum { READING = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

// Words for a message about a file that is not regular.
static const char *kind_of(mode_t mode)
{
  if (S_ISDIR(mode))
    return "a directory";
  if (S_ISFIFO(mode))
    return "a named pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

// Opens one part of a name after the other, none of them a link.
static int open_without_links(int folder, const char *name)
{
  int at = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  while (at >= 0 && *name) {
    size_t length = strcspn(name, "/");
    const char *rest = name + length + strspn(name + length, "/");
    char *part = strndup(name, length);
    bool stays = part && length > 0 && strcmp(part, "..") != 0;
    int next = stays ? openat(at, part, (*rest ? O_PATH | O_DIRECTORY | O_CLOEXEC : READING) | O_NOFOLLOW) : -1;
    int reason = stays ? errno : part ? EXDEV : ENOMEM;
    free(part);
    close(at);
    at = next;
    name = rest;
    errno = reason;
  }
  return at;
}

// Absolute and empty names are refused before the kernel is asked, with the errno that it would give.
static int open_below(int folder, const char *name)
{
  if (!*name || *name == '/') {
    errno = *name ? EXDEV : ENOENT;
    return -1;
  }
#ifdef __NR_openat2
  struct open_how how = {.flags = (unsigned)READING, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  long fd = syscall(__NR_openat2, folder, name, &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
    return (int)fd;
#endif
  return open_without_links(folder, name);
}

// 1. A look at the name, where links are followed: opening a device might act on it.
// 2. The opening itself, without waiting.
// 3. fstat of what was opened decides: only a regular file of at most `most` bytes stays open.
// errno is kept over close(), since callers report it.
enum dc_open_result dc_open_read(int folder, const char *name, enum dc_open_links links, size_t most,
                                 struct dc_opened *opened)
{
  struct stat info;
  *opened = (struct dc_opened){.fd = -1};
  bool known = links == DC_LINKS_FOLLOWED && fstatat(folder, name, &info, 0) == 0;
  if (known && !S_ISREG(info.st_mode) && !S_ISSOCK(info.st_mode)) {  // the system says of sockets why it opens none
    opened->kind = kind_of(info.st_mode);
    opened->is_folder = S_ISDIR(info.st_mode);
    return DC_OPEN_SPECIAL;
  }
  int fd = links == DC_LINKS_BELOW ? open_below(folder, name) : openat(folder, name, READING);
  if (fd < 0)
    return DC_OPEN_FAILED;
  enum dc_open_result result = DC_OPENED;
  if (fstat(fd, &info) < 0)
    result = DC_OPEN_FAILED;
  else if (!S_ISREG(info.st_mode))
    result = DC_OPEN_SPECIAL;
  else if ((unsigned long long)info.st_size > most)
    result = DC_OPEN_LARGE;
  opened->kind = result == DC_OPEN_SPECIAL ? kind_of(info.st_mode) : NULL;
  opened->is_folder = result == DC_OPEN_SPECIAL && S_ISDIR(info.st_mode);
  opened->size = result == DC_OPEN_FAILED ? 0 : (size_t)info.st_size;
  if (result == DC_OPENED) {
    opened->fd = fd;
    return result;
  }
  int reason = errno;
  close(fd);
  errno = reason;
  return result;
}

// The descriptor belongs to the stream as soon as there is one, and is closed with it.
enum dc_open_result dc_open_stream(int folder, const char *name, enum dc_open_links links, size_t most, FILE **stream,
                                   struct dc_opened *opened)
{
  enum dc_open_result result = dc_open_read(folder, name, links, most, opened);
  *stream = result == DC_OPENED ? fdopen(opened->fd, "r") : NULL;
  if (result == DC_OPENED && !*stream) {
    int reason = errno;
    close(opened->fd);
    errno = reason;
    result = DC_OPEN_FAILED;
  }
  opened->fd = -1;  // belongs to the stream
  return result;
}

// O_NONBLOCK keeps the opening of a named pipe from waiting; fstat then refuses everything but regular files.
int dc_open_append(int folder, const char *name, enum dc_open_existing existing)
{
  struct stat info;
  int making = existing == DC_MUST_EXIST ? 0 : existing == DC_MAY_EXIST ? O_CREAT : O_CREAT | O_EXCL;
  int fd = openat(folder, name, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | making, 0666);
  if (fd >= 0 && (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode))) {
    close(fd);
    errno = EINVAL;
    return -1;
  }
  return fd;
}

int dc_open_new(int folder, const char *name)
{
  return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int dc_open_folder(int folder, const char *name, bool follow)
{
  return openat(folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

int dc_open_listing(int folder, const char *name, bool follow)
{
  return openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

int dc_make_folder(int folder, const char *name)
{
  return mkdirat(folder, name, 0777);
}
