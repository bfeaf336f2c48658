// SPDX-License-Identifier: Apache-2.0
// The one way to files: whatever a user or a file names is opened here (scripts/check-opens).
#ifndef DC_BASE_OPEN_H
#define DC_BASE_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

// The folder of names that are relative to the working directory.
extern const int dc_open_here;

enum dc_open_links {
  DC_LINKS_FOLLOWED,  // the user named the file, and may have named a link
  DC_LINKS_BELOW      // another file named it: links and ".." end in the folder or below, else it is refused
};

enum dc_open_result {
  DC_OPENED,
  DC_OPEN_FAILED,   // errno says why
  DC_OPEN_SPECIAL,  // a folder, a pipe, a socket, a device: "kind" says which
  DC_OPEN_LARGE     // has "size" bytes, more than asked for
};

struct dc_opened {
  int fd;            // -1: not open; close it otherwise
  size_t size;       // bytes, as far as they fit
  const char *kind;  // "a directory"
  bool is_folder;
};

// Opens a regular file of at most `most` bytes for reading.  It never waits: a pipe is refused before anybody writes
// to it.  folder: an open folder, or dc_open_here.
enum dc_open_result dc_open_read(int folder, const char *name, enum dc_open_links links, size_t most,
                                 struct dc_opened *opened);

// The same as a stream, for readers of lines; NULL also when out of memory (DC_OPEN_FAILED).
enum dc_open_result dc_open_stream(int folder, const char *name, enum dc_open_links links, size_t most, FILE **stream,
                                   struct dc_opened *opened);

enum dc_open_existing {
  DC_MUST_EXIST,
  DC_MAY_EXIST,  // is made where there is none
  DC_MUST_BE_NEW
};
// Opens a regular file for reading and appending.  The name itself must not be a link.  -1 with errno, ELOOP for a link
// and EINVAL for a special file.
int dc_open_append(int folder, const char *name, enum dc_open_existing existing);

// Makes a regular file for reading and writing where there is none, not even a link; -1 with errno.
int dc_open_new(int folder, const char *name);

// Opens a folder, for names in it; links of the name itself are followed or refused.  -1 with errno.
int dc_open_folder(int folder, const char *name, bool follow);
// Does the same to list or sync it, which needs permission to read.
int dc_open_listing(int folder, const char *name, bool follow);

// Makes a folder; -1 with errno, EEXIST where there is anything of that name.
int dc_make_folder(int folder, const char *name);

#endif
