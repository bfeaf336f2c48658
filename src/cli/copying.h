// SPDX-License-Identifier: Apache-2.0
// Copies shipped scenes, and the files they name, to the user's folder.  Nothing is ever overwritten.
#ifndef CLI_COPYING_H
#define CLI_COPYING_H

#include <stddef.h>
#include <stdio.h>

#include "cli/options.h"

enum { CLI_COPY_PATH = 4096, CLI_COPY_MOST = 64 };

// Files to copy, the scene last; from[i] becomes "" when to[i] has been created.
struct cli_copying {
  const char *kind;  // kind of scene: "template", "example"
  bool folders;      // create missing folders
  char *from[CLI_COPY_MOST], *to[CLI_COPY_MOST];
  int count;
};

// Adds a file; false: too many files, or out of memory.
bool cli_copying_add(struct cli_copying *copying, const char *from, const char *to);

// Opens a regular file for reading, without waiting for a pipe; NULL with errno.
FILE *cli_open_file(const char *path);

// A command that copies one of several shipped scenes, or, without an operand, lists them with a line each.
struct cli_shelf {
  const char *kind, *folder;  // as in cli_copying; folder below the data directory, ends with "/"
  const char *const *names, *const *summaries;
  const char *how;  // text below the list
  bool folders;
  // Adds the files of a name, the scene last, to be copied to file: the second operand, or NULL.
  bool (*add)(struct cli_copying *copying, const char *folder, const char *name, const char *file);
};
// Copies one choice.  An existing file is an error, but a file other than the scene only if its contents differ.
// Returns the exit status, after a message if it is not 0; files created so far are then removed.
int cli_copy_from(const struct cli_shelf *shelf, const char *command, const struct cli_arguments *arguments);

#endif
