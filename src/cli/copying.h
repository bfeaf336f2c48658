// SPDX-License-Identifier: Apache-2.0
// Shipped scenes and what they name, copied to where somebody works.  Nothing is ever overwritten.
#ifndef CLI_COPYING_H
#define CLI_COPYING_H

#include <stddef.h>

#include "cli/options.h"

enum { CLI_COPY_PATH = 4096, CLI_COPY_MOST = 64 };

// Files, the scene last; from[i] becomes "" when to[i] was made.
struct cli_copying {
  const char *kind;  // what is copied: "template", "example"
  bool folders;      // those on the way are made
  char *from[CLI_COPY_MOST], *to[CLI_COPY_MOST];
  int count;
};

// False: too many files, or out of memory.
bool cli_copying_add(struct cli_copying *copying, const char *from, const char *to);

// A command that copies one of several shipped scenes, or lists them, each with a line about it, without an operand.
struct cli_shelf {
  const char *kind, *folder;  // as of cli_copying; below the data directory, with its "/"
  const char *const *names, *const *summaries;
  const char *how;  // below the list
  bool folders;
  // Adds the files of a name in a folder, the scene last, which is to be file: the second operand, or NULL.
  bool (*add)(struct cli_copying *copying, const char *folder, const char *name, const char *file);
};
// A file that is there already is an error, of files other than the scene only when it is another one.  The exit
// status, after a message if it is not 0; what was made is then removed.
int cli_copy_from(const struct cli_shelf *shelf, const char *command, const struct cli_arguments *arguments);

#endif
