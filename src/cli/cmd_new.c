// SPDX-License-Identifier: Apache-2.0
// dcsim new: a scene to begin with.  A template is a file scenes/templates/NAME.json, copied as it is, and what it names: files
// NAME.* beside it.  Nothing is ever overwritten.
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/copying.h"
#include "cli/message.h"

static const char *const names[] = {"billiards", "push", "arm", "robot", "grasp", "identification", NULL};
static const char *const summaries[] = {
    "a ball that hits others: the start is optimized",
    "a rod pushes a box over a table with friction: targets of an actuator are optimized",
    "two links on hinges push a puck",
    "an arm from a URDF file pushes a box",
    "a gripper closes on an object: a pose, not a motion",
    "the friction that a recorded motion shows",
};

// What stands beside the template is copied beside the scene.
static bool find_files(const char *name, const char *file, const char *folder, struct cli_copying *copying)
{
  char scene[CLI_COPY_PATH], pattern[CLI_COPY_PATH], beside[2 * CLI_COPY_PATH];
  const char *slash = strrchr(file, '/');
  int length = slash ? (int)(slash - file) + 1 : 0;
  glob_t found;
  snprintf(scene, sizeof scene, "%s/scenes/templates/%s.json", folder, name);
  snprintf(pattern, sizeof pattern, "%s/scenes/templates/%s.*", folder, name);
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

static int run(const struct cli_arguments *arguments)
{
  char file[64];
  const char *name = arguments->operand;
  struct cli_copying copying = {.kind = "template"};
  if (!name) {
    cli_list_choices(arguments->json, names, summaries, "dcsim new TEMPLATE FILE writes one");
    return 0;
  }
  int status = cli_check_choice("new", "template", name, names);
  if (status)
    return status;
  snprintf(file, sizeof file, "scenes/templates/%s.json", name);
  const char *folder = cli_data_folder(file);
  if (!folder || !find_files(name, arguments->second, folder, &copying))
    status = cli_fail(DCSIM_IO, "%s: not found in %s", file, DC_DATADIR);
  if (!status)
    status = cli_copying_run(&copying);
  if (!status)
    cli_copying_tell(&copying, arguments->json, name);
  cli_copying_free(&copying);
  return status;
}

static const struct cli_option *const options[] = {cli_common_options, NULL};

const struct cli_command cli_command_new = {
    .name = "new",
    .summary = "Write a scene to begin with; list the templates without operands.",
    .operand = "TEMPLATE",
    .operand_value = CLI_VALUE_CHOICES,
    .operand_choices = names,
    .second_operand = "FILE",
    .details = "What the scene names (a robot, a recording) is written beside it.  Nothing is overwritten.",
    .options = options,
    .run = run,
};
