// SPDX-License-Identifier: Apache-2.0
// The command line: finds the command, parses its options, runs it; exits with the statuses of dcsim.h.
#include <dcsim.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/signals.h"

// All commands, in the order of the help.
static const struct cli_command *const cli_commands[] = {
    &cli_command_new,
    &cli_command_example,
    &cli_command_simulate,
    &cli_command_optimize,
    &cli_command_gradcheck,
    &cli_command_probe,
    &cli_command_query,
    &cli_command_check,
    &cli_command_view,
    &cli_command_render,
    &cli_command_report,
    &cli_command_import,
    &cli_command_export,
    &cli_command_diff,
    &cli_command_verify,
    &cli_command_list,
    &cli_command_schema,
    &cli_command_sweep,
    &cli_command_dataset,
    &cli_command_bench,
    &cli_command_completion,
    &cli_command_help,
    NULL,
};

// Versions of libraries are those that run, not those that were built with: problems are reported with them.
static void print_version(void)
{
  const char *libraries = dcsim_libraries();
  printf("dcsim %s\n%s", dcsim_version(), libraries);
  if (libraries[0] && libraries[strlen(libraries) - 1] != '\n')
    putchar('\n');
}

// A word that is no command: the nearest one is offered, and options before the command are explained.
static int fail_unknown(const char *name)
{
  const char *names[sizeof cli_commands / sizeof cli_commands[0]];
  int count = 0;
  if (name[0] == '-')
    return cli_fail(DCSIM_USAGE, "unknown option %s (options of a command stand behind it; see dcsim --help)", name);
  for (; cli_commands[count]; count++)
    names[count] = cli_commands[count]->name;
  names[count] = NULL;
  const char *near = dc_suggest(name, names);
  if (near)
    return cli_fail(DCSIM_USAGE, "unknown command \"%s\" (did you mean \"%s\"?)", name, near);
  return cli_fail(DCSIM_USAGE, "unknown command \"%s\" (see dcsim --help)", name);
}

// Whether a command was asked for its options, and has done nothing else.
static bool helped;

// Parses, helps or runs; what the parser has allocated is freed in every case.
// The exit status is the command's; a wrong command line has DCSIM_USAGE and prints one line on standard error.
static int run_command(const struct cli_command *command, int argc, char **argv)
{
  struct cli_arguments arguments;
  int status = cli_parse(command, argc, argv, &arguments);
  arguments.commands = cli_commands;
  helped = !status && arguments.help;
  if (helped)
    cli_print_help(command);
  else if (!status)
    status = command->run(&arguments);
  cli_arguments_free(&arguments);
  return status;
}

// Finds the command by the first argument; --version and --help stand alone.
// argv[1] must be a command; options in front of it are refused with a hint.
static int dispatch(int argc, char **argv)
{
  // A program without a command was called by mistake: the usage goes where messages go.
  if (argc < 2) {
    cli_print_usage(cli_commands, stderr);
    return DCSIM_USAGE;
  }
  // These two are no options of commands and take none.
  bool version = strcmp(argv[1], "--version") == 0;
  if (version || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    if (argc > 2)
      return cli_fail(DCSIM_USAGE, "%s: unexpected argument \"%s\"", argv[1], argv[2]);
    if (version)
      print_version();
    else
      cli_print_usage(cli_commands, stdout);
    return 0;
  }
  for (int i = 0; cli_commands[i]; i++)
    if (strcmp(cli_commands[i]->name, argv[1]) == 0)
      return run_command(cli_commands[i], argc, argv);
  return fail_unknown(argv[1]);
}

// Whether main has reached its end, by which correct_status tells an exit of a library.
static bool ended;

// Called at exit.  The program ends by returning from main; libraries may exit where memory or threads run out (libgomp
// with status 1, after its own message), which is none of our statuses.
// Only functions that are safe in any state are called: a library that gives up may hold the locks of stdio.
static void correct_status(void)
{
  static const char text[] = "dcsim: a library ended the program: out of memory or of threads\n";
  if (ended)
    return;
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(DCSIM_MEMORY);
}

// Whether a command does nothing but print: who cuts its output, as by "| head", has seen enough.
static bool only_prints(int argc, char **argv)
{
  static const char *const names[] = {"list", "help",   "schema", "completion", "example",
                                      "new",  "--help", "-h",     "--version"};
  for (size_t i = 0; argc > 1 && i < sizeof names / sizeof names[0]; i++)
    if (strcmp(argv[1], names[i]) == 0)
      return true;
  return helped;
}

// A thread's stack, and this one's, is as large as the limit was when the program began: below what recursions and
// libraries take the limit is raised as far as it may be, and the program begins again.
// Returns 0 where the stack suffices.  After a successful execv the program begins anew and finds a large limit, so
// that it never begins a third time.
static int need_stack(char **argv)
{
  enum { LEAST = 512 << 10, GOOD = 8 << 20 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= LEAST)
    return 0;
  rlim_t had = limit.rlim_cur;
  limit.rlim_cur = GOOD;
  bool raised = (limit.rlim_max >= GOOD && setrlimit(RLIMIT_STACK, &limit) == 0) ||
                (limit.rlim_max >= LEAST && limit.rlim_max < GOOD && (limit.rlim_cur = limit.rlim_max) &&
                 setrlimit(RLIMIT_STACK, &limit) == 0);
  if (raised)
    execv("/proc/self/exe", argv);
  return cli_fail(DCSIM_MEMORY, "the stack is limited to %lu KB, and %d KB are needed (ulimit -s)",
                  (unsigned long)(had >> 10), LEAST >> 10);
}

// Whether the process may not have all the memory that it asks for, whatever the machine has.
static bool memory_is_limited(void)
{
  static const int kinds[] = {RLIMIT_AS, RLIMIT_DATA};
  struct rlimit limit;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (getrlimit(kinds[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      return true;
  return false;
}

// OpenBLAS begins threads when it is loaded.  Each looks for 128 MB, for ever where address space is limited, and is
// waited for at a fork and at the end.  Told to have one thread, of which computing uses no more, it begins none: the
// program begins again once.
static void spare_threads(char **argv)
{
  static const char name[] = "OPENBLAS_NUM_THREADS";
  const char *given = getenv(name);
  if (memory_is_limited() && !(given && strcmp(given, "1") == 0) && setenv(name, "1", 1) == 0)
    execv("/proc/self/exe", argv);
}

// Everything that may go wrong around a command: standard streams that are closed, a stack that is too small, a
// library that ends the program, signals, and output that is lost on a full disk. The first failure is the exit
// status.
int main(int argc, char **argv)
{
  cli_open_standard_streams();
  if (need_stack(argv))
    return DCSIM_MEMORY;
  spare_threads(argv);
  if (atexit(correct_status))
    return cli_fail(DCSIM_MEMORY, "out of memory");
  cli_signals_install();
  int status = dispatch(argc, argv);
  ended = true;
  return cli_leave(status, only_prints(argc, argv));
}
