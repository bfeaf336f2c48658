// SPDX-License-Identifier: Apache-2.0
// dcsim help: the manual page of a command or of the scene format, by man.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/session.h"

enum { MOST_TOPICS = 64 };

// Topics are the commands, "scene" and "dcsim"; "help" itself has no page.  Commands are in section 1 as
// dcsim-NAME, the format of scenes is in section 5.
// Returns whether there is such a page; name and section are set in any case.
static bool find_page(const struct cli_command *const *commands, const char *topic, char name[80], int *section)
{
  bool scene = strcmp(topic, "scene") == 0, known = scene || strcmp(topic, "dcsim") == 0;
  for (int i = 0; commands[i]; i++)
    known = known || (strcmp(commands[i]->name, topic) == 0 && commands[i] != &cli_command_help);
  *section = scene ? 5 : 1;
  snprintf(name, 80, "%s%.60s", strcmp(topic, "dcsim") == 0 ? "" : "dcsim-", topic);
  return known;
}

// Refuses a topic, with the nearest one: commands may be misspelt here as anywhere.
static int fail_unknown(const struct cli_command *const *commands, const char *topic)
{
  const char *names[MOST_TOPICS] = {"scene", "dcsim"};
  int count = 2;
  for (int i = 0; commands[i] && count < MOST_TOPICS - 1; i++)
    names[count++] = commands[i]->name;
  const char *near = dc_suggest(topic, names);
  return cli_fail(DCSIM_USAGE,
                  "help: no page about \"%.200s\"%s%s%s; there is one for each command, \"scene\" and \"dcsim\"", topic,
                  near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

// Finds the file of a page: in the build tree, in the installation that the program lies in, or where it was installed.
static bool find_file(const char *name, int section, char path[CLI_PATH])
{
  char program[CLI_PATH - 120] = "";
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  char *slash = length > 0 ? strrchr(program, '/') : NULL;
  // A build tree has its pages in man/, beside the program or one folder up.
  const char *const inside[] = {"man", "../man"};
  if (slash)
    *slash = '\0';
  for (int i = 0; slash && i < 2; i++) {
    snprintf(path, CLI_PATH, "%s/%s/%s.%d", program, inside[i], name, section);
    if (access(path, R_OK) == 0)
      return true;
  }
  if (slash) {
    snprintf(path, CLI_PATH, "%s/../share/man/man%d/%s.%d", program, section, name, section);
    if (access(path, R_OK) == 0)
      return true;
  }
  snprintf(path, CLI_PATH, "%s/man%d/%s.%d", DC_MANDIR, section, name, section);
  return access(path, R_OK) == 0;
}

// Replaces this process by man: with the file of the page if it is found, else with its name, which man looks
// for itself.  Signals that are ignored here would stay ignored in man.
// Returns only where man cannot be started.
static int run(const struct cli_arguments *arguments)
{
  char name[80], path[CLI_PATH], number[] = "1";
  int section;
  // Without a topic the list of commands helps more than a page.
  if (!arguments->operand) {
    cli_print_usage(arguments->commands, stdout);
    return 0;
  }
  if (!find_page(arguments->commands, arguments->operand, name, &section))
    return fail_unknown(arguments->commands, arguments->operand);
  number[0] = (char)('0' + section);
  bool found = find_file(name, section, path);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  execlp("man", "man", found ? "-l" : number, found ? path : name, (char *)NULL);
  if (found)
    return cli_fail(DCSIM_IO, "help: there is no program man; the page is %s", path);
  return cli_fail(DCSIM_IO, "help: there is no program man; see dcsim %s --help",
                  section == 1 && strcmp(name, "dcsim") != 0 ? arguments->operand : "");
}

static const struct cli_option *const options[] = {cli_help_options, NULL};

const struct cli_command cli_command_help = {
    .name = "help",
    .summary = "Show the manual page of a command or of \"scene\", the scene format.",
    .operand = "TOPIC",
    .operand_value = CLI_VALUE_ANY,
    .options = options,
    .run = run,
};
