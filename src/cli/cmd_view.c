// SPDX-License-Identifier: Apache-2.0
// dcsim view: a live page about a run that another process may be writing, or one of a scene's start.
#include <stdbool.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "cli/message.h"
#include "cli/signals.h"

// Called again and again while the page is served; the address is printed once.
static int watch(void *context, const char *address)
{
  bool *told = context;
  if (!*told)
    cli_message("live view: %s", address);
  *told = true;
  return cli_signals_received();
}

// A file is a scene to be placed by hand, everything else a run.  Options that change a scene have no meaning
// for a run, whose scene is stored.
static int run(const struct cli_arguments *arguments)
{
  bool told = false;
  dcsim_error error = {0};
  const dcsim_watch_options options = {
      .size = sizeof options, .port = (int)arguments->run.port, .watching = watch, .context = &told};
  // A page wants no more than one thread: the run that it shows may need the others.
  dcsim_set_threads(arguments->threads > 0 ? (int)arguments->threads : 1);
  cli_signals_defer(true);
  const dcsim_scene_options scene_options = cli_scene_options_of(arguments);
  struct stat info;
  bool is_file = stat(arguments->operand, &info) == 0 && !S_ISDIR(info.st_mode);
  if (!is_file && (scene_options.override_count || scene_options.model || scene_options.allowed_path_count ||
                   scene_options.package_path_count || scene_options.seed_given))
    return cli_fail(DCSIM_USAGE, "view: options that change a scene go with a scene's file, not with a run");
  int status = is_file ? dcsim_place(arguments->operand, &scene_options, &options, &error)
                       : dcsim_watch(arguments->operand, &options, &error);
  return status ? cli_fail(status, "%s", error.text) : 0;
}

static const struct cli_option *const options[] = {cli_port_options, cli_scene_options, cli_thread_options,
                                                   cli_help_options, NULL};

const struct cli_command cli_command_view = {
    .name = "view",
    .summary = "Serve a page about a run, finished or under way, or to place a scene's bodies by hand.",
    .operand = "RUN|SCENE",
    .operand_value = CLI_VALUE_RUN,
    .operand_required = true,
    .details = "Goes on until SIGINT or SIGTERM.  The page can pause and stop a run that another process writes.\n"
               "That of a scene has sliders for free bodies and joints, and writes what was changed into the file.",
    .options = options,
    .run = run,
};
