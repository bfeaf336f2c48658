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

// The folder of shipped data that has a file: of the environment or the installation, or the present one; NULL: none has.
const char *cli_data_folder(const char *file);

// False: too many files, or out of memory.
bool cli_copying_add(struct cli_copying *copying, const char *from, const char *to);
// Copies all.  A file that is there already is an error, of files other than the scene only when it is another one.  0, or an
// exit status after a message; what was made is then removed.
int cli_copying_run(struct cli_copying *copying);
// Says what was written and what to do next, or as JSON {kind: name, "scene", "files"}.
void cli_copying_tell(const struct cli_copying *copying, bool json, const char *name);
void cli_copying_free(struct cli_copying *copying);

// A choice of names, each with a line about it.
void cli_list_choices(bool json, const char *const *names, const char *const *summaries, const char *how);
// 0, or an exit status after a message that names the nearest one.
int cli_check_choice(const char *command, const char *kind, const char *given, const char *const *names);

#endif
