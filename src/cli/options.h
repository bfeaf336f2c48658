// SPDX-License-Identifier: Apache-2.0
// Command-line options.  The tables of a command drive the parser, `dcsim COMMAND --help`, `dcsim completion` and the
// test that compares manual pages with them.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_option_type {
  CLI_FLAG,     // bool
  CLI_TEXT,     // const char *, not empty
  CLI_LIST,     // struct cli_list; may be repeated
  CLI_CHOICE,   // const char *, one of choices
  CLI_INTEGER,  // int64_t
  CLI_REAL,     // double
  CLI_VECTOR,   // double [3], written x,y,z
  CLI_SIZE      // int64_t [2], written WxH
};

// The meaning of a value or operand, from which shells derive candidates.
enum cli_value {
  CLI_VALUE_ANY,        // no candidates
  CLI_VALUE_FILE,       // any file
  CLI_VALUE_DIRECTORY,  // any folder
  CLI_VALUE_RUN,        // a run directory
  CLI_VALUE_SCENE,      // a scene file
  CLI_VALUE_OVERRIDE,   // PATH=VALUE
  CLI_VALUE_MODEL,      // a contact model
  CLI_VALUE_FAMILY,     // a family of `dcsim list`
  CLI_VALUE_BENCH,      // a benchmark
  CLI_VALUE_CHOICES     // one of choices
};

struct cli_list {
  int count;
  const char **items;  // owned
};

// One option.  minimum and maximum bound every number in it.
struct cli_option {
  const char *name;  // without the two dashes
  char letter;       // for the short form, or 0
  enum cli_option_type type;
  const char *argument;  // name of the value in the help; NULL for flags
  enum cli_value value;
  double minimum, maximum;
  bool minimum_excluded;       // the value must be > minimum
  const char *const *choices;  // NULL-terminated
  const char *help;
  size_t offset;  // of the value in struct cli_arguments
};

// Tables end with an option whose name is NULL; a command has a NULL-terminated list of them.
#define CLI_OPTIONS_END                                                                                                \
  {                                                                                                                    \
    .name = NULL                                                                                                       \
  }

struct cli_command;

// All values that options set.  Defaults of numbers: integers -1; max_time, tolerance and softnesses 0; checkpoint its
// own default; vectors NAN.
struct cli_arguments {
  const struct cli_command *const *commands;  // all there are, NULL-terminated
  const char *operand;                        // SCENE, RUN, FAMILY or NAME; NULL when not given
  const char *second;                         // the second operand
  bool help, json, quiet, quick, require_success, force, no_report, gather, retry, mpi, manifold, overwrite, view;
  bool results_only, grid, contacts, trails, annotate;
  const char *output, *model, *plant, *control, *gradient, *resume, *video, *format, *camera, *follow;
  const char *task;                  // bench: a kind; sweep: a part
  const char *write, *scenes, *run;  // options of bench
  struct cli_list overrides, allowed_paths, package_paths, methods, more;
  int64_t jobs, threads, seed, frames, steps, every, samples, draws, closed_draws, directions, size[2], port;
  double max_time, limit, tolerance, checkpoint, orbit, eye[3], target[3], softness, gradient_softness;
  char *command_line;  // quoted for a shell; owned
  char **argv;         // the arguments of the program, NULL-terminated; not owned
};

// Entries of option tables by type; least and most are bounds, completion is the kind of candidates.
#define CLI_ENTRY(text, kind, member, ...)                                                                             \
  {                                                                                                                    \
    .name = (text), .type = (kind), .offset = offsetof(struct cli_arguments, member), __VA_ARGS__                      \
  }
#define CLI_FLAG_OPTION(text, member, meaning) CLI_ENTRY(text, CLI_FLAG, member, .help = (meaning))
#define CLI_TEXT_OPTION(text, member, operand, completion, meaning)                                                    \
  CLI_ENTRY(text, CLI_TEXT, member, .argument = (operand), .value = (completion), .help = (meaning))
#define CLI_LIST_OPTION(text, member, operand, completion, meaning)                                                    \
  CLI_ENTRY(text, CLI_LIST, member, .argument = (operand), .value = (completion), .help = (meaning))
#define CLI_CHOICE_OPTION(text, member, operand, names, meaning)                                                       \
  CLI_ENTRY(text, CLI_CHOICE, member, .argument = (operand), .value = CLI_VALUE_CHOICES, .choices = (names),           \
            .help = (meaning))
#define CLI_INTEGER_OPTION(text, member, operand, least, most, meaning)                                                \
  CLI_ENTRY(text, CLI_INTEGER, member, .argument = (operand), .minimum = (least), .maximum = (most), .help = (meaning))
#define CLI_REAL_OPTION(text, member, operand, least, most, meaning)                                                   \
  CLI_ENTRY(text, CLI_REAL, member, .argument = (operand), .minimum = (least), .maximum = (most), .help = (meaning))
#define CLI_POSITIVE_OPTION(text, member, operand, most, meaning)                                                      \
  CLI_ENTRY(text, CLI_REAL, member, .argument = (operand), .minimum_excluded = true, .maximum = (most),                \
            .help = (meaning))
// A scene stores seeds as JSON numbers, which are exact up to 2^53.
#define CLI_SEED_OPTION(meaning) CLI_INTEGER_OPTION("seed", seed, "N", 0, 0x1p53, meaning)
// --output of commands that write one file, or a directory.
#define CLI_OUTPUT_FILE(meaning)                                                                                       \
  CLI_ENTRY("output", CLI_TEXT, output, .letter = 'o', .argument = "FILE", .value = CLI_VALUE_FILE, .help = (meaning))
#define CLI_OUTPUT_DIRECTORY(meaning)                                                                                  \
  CLI_ENTRY("output", CLI_TEXT, output, .letter = 'o', .argument = "DIR", .value = CLI_VALUE_DIRECTORY,                \
            .help = (meaning))

struct cli_command {
  const char *name, *summary;
  const char *operand;  // name of the operand in the help; NULL: none
  enum cli_value operand_value;
  const char *const *operand_choices;  // NULL-terminated, for CLI_VALUE_CHOICES
  bool operand_required;
  bool more_operands;          // takes any number of further operands of the first kind, in arguments->more
  const char *second_operand;  // required with a first one; NULL: only one operand
  const char *details;         // more lines of help, or NULL
  const struct cli_option *const *options;
  int (*run)(const struct cli_arguments *arguments);  // the exit status
};

// Parses argv[2] to argv[argc - 1] for a command.  Returns 0, or an exit status after a message; the arguments must be
// freed in both cases.
int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_arguments *arguments);
void cli_arguments_free(struct cli_arguments *arguments);

// Prints the help of a command on stdout.
void cli_print_help(const struct cli_command *command);
// Prints a list of all commands [NULL-terminated].
void cli_print_usage(const struct cli_command *const *commands, FILE *file);

// Option tables shared by several commands.
extern const struct cli_option cli_scene_options[];  // --set, --model, --allow-path, --package-path, --seed
extern const struct cli_option
    cli_run_options[];  // -o, --control, --frames, --no-report, --max-time, --require-success
extern const struct cli_option cli_thread_options[];  // --threads
extern const struct cli_option cli_port_options[];    // --port
extern const struct cli_option cli_quiet_options[];   // --quiet
extern const struct cli_option cli_common_options[];  // --json, --help
extern const struct cli_option cli_help_options[];    // --help

#endif
