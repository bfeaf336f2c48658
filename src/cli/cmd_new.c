// SPDX-License-Identifier: Apache-2.0
// dcsim new: a scene to begin with.  A template is a file scenes/templates/NAME.json, copied unchanged together with
// the files NAME.* beside it.  Nothing is ever overwritten.
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/copying.h"

static const char *const names[] = {"billiards", "push", "arm", "robot", "grasp", "identification", NULL};
static const char *const summaries[] = {
    "a ball that hits others: the start is optimized",
    "a rod pushes a box over a table with friction: targets of an actuator are optimized",
    "two links on hinges push a puck",
    "an arm from a URDF file pushes a box",
    "a gripper closes on an object: a pose, not a motion",
    "the friction that a recorded motion shows",
};

// Files beside the template are called NAME.* and keep their names; the scene gets the one that was asked for,
// and comes last.
static bool add_files(struct cli_copying *copying, const char *folder, const char *name, const char *file)
{
  char scene[CLI_COPY_PATH + 64], pattern[CLI_COPY_PATH + 64], beside[2 * CLI_COPY_PATH];
  const char *slash = strrchr(file, '/');
  int length = slash ? (int)(slash - file) + 1 : 0;
  glob_t found;
  snprintf(scene, sizeof scene, "%s%s.json", folder, name);
  snprintf(pattern, sizeof pattern, "%s%s.*", folder, name);
  // The pattern cannot be misread: names of templates are those of the list above.
  if (glob(pattern, 0, NULL, &found) != 0)
    return false;
  bool well = true;
  for (size_t k = 0; k < found.gl_pathc && well; k++) {
    if (strcmp(found.gl_pathv[k], scene) == 0)
      continue;
    snprintf(beside, sizeof beside, "%.*s%s", length, file, strrchr(found.gl_pathv[k], '/') + 1);
    well = cli_copying_add(copying, found.gl_pathv[k], beside);
  }
  globfree(&found);
  return well && cli_copying_add(copying, scene, file);
}

// Templates are a shelf like examples, from which one is copied under a name of the user's.
static int run(const struct cli_arguments *arguments)
{
  static const struct cli_shelf shelf = {.kind = "template",
                                         .folder = "scenes/templates/",
                                         .names = names,
                                         .summaries = summaries,
                                         .how = "dcsim new TEMPLATE FILE writes one",
                                         .add = add_files};
  return cli_copy_from(&shelf, "new", arguments);
}

static const struct cli_option *const options[] = {cli_common_options, NULL};

const struct cli_command cli_command_new = {
    .name = "new",
    .summary = "Write a scene to begin with; list the templates without operands.",
    .operand = "TEMPLATE",
    .operand_value = CLI_VALUE_CHOICES,
    .operand_choices = names,
    .second_operand = "FILE",
    .details = "Files that the scene names (a robot, a recording) are written beside it.  Nothing is overwritten.",
    .options = options,
    .run = run,
};
