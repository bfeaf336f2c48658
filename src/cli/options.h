// SPDX-License-Identifier: Apache-2.0
// Command-line options: the option tables of scenes (base/options.h) with a letter and candidates for shells.  The
// tables of a command drive the parser, `dcsim COMMAND --help`, `dcsim completion` and the test that compares manual
// pages with them.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"

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

// One option.  Its type is one of:
//   DC_BOOLEAN      a flag, without a value
//   DC_STRING       text, not empty; one of option.choices where there are some
//   DC_STRING_LIST  text that may be given repeatedly
//   DC_INTEGER, DC_REAL
//   DC_REALS        numbers with commas between them, x,y,z
// The name stands without the two dashes, the offset is that in struct cli_arguments, and there is no default text:
// what is not given keeps the value that cli_parse sets.
struct cli_option {
  struct dc_option option;
  char letter;           // for the short form, or 0
  const char *argument;  // name of the value in the help; NULL for flags
  enum cli_value value;
};

// Tables end with an option whose name is NULL; a command has a NULL-terminated list of them.
#define CLI_OPTIONS_END                                                                                                \
  {                                                                                                                    \
    .option.name = NULL                                                                                                \
  }

struct cli_command;

// Values that options of one command set, or of a few that belong together.
struct cli_run_arguments {  // simulate, optimize and whoever shows or follows a run
  bool require_success, no_report, overwrite, results_only, view;
  const char *plant, *control, *resume;
  long frames, port;
  double max_time, checkpoint;  // s
};
struct cli_render_arguments {
  bool grid, contacts, trails, annotate;
  const char *video, *camera, *follow, *size;
  long every, samples;
  double orbit, eye[3], target[3];  // degrees; m
};
struct cli_verify_arguments {
  bool untrusted;  // the run of a stranger
  long draws, closed_draws, directions;
};
struct cli_sweep_arguments {
  bool gather, retry, verify;
  long jobs;
};
struct cli_query_arguments {
  bool manifold;
  double softness, gradient_softness;
};
struct cli_bench_arguments {
  const char *write, *scenes, *run;
  struct dc_string_list methods;
  double limit;  // s
};

// All values that options set.  Defaults of numbers: integers -1; max_time, tolerance and softnesses 0; checkpoint its
// own default; vectors NAN.
struct cli_arguments {
  const struct cli_command *const *commands;  // all there are, NULL-terminated
  const char *operand;                        // SCENE, RUN, FAMILY or NAME; NULL when not given
  const char *second;                         // the second operand
  bool help, json, quiet, quick, force, mpi;
  const char *output, *model, *gradient, *format;
  const char *task;                                                     // bench: a kind; sweep: a part
  struct dc_string_list overrides, allowed_paths, package_paths, more;  // .strings of all lists is owned
  long threads, seed, steps;
  double tolerance;
  struct cli_run_arguments run;
  struct cli_render_arguments render;
  struct cli_verify_arguments verify;
  struct cli_sweep_arguments sweep;
  struct cli_query_arguments query;
  struct cli_bench_arguments bench;
  char *command_line;  // quoted for a shell; owned
  char **argv;         // the arguments of the program, NULL-terminated; not owned
};

// Entries of option tables by type; least and most are bounds, completion is the kind of candidates.
#define CLI_ENTRY(text, kind, member, meaning, ...)                                                                    \
  {                                                                                                                    \
    .option.name = (text), .option.type = (kind), .option.unit = "", .option.help = (meaning),                         \
    .option.offset = offsetof(struct cli_arguments, member), __VA_ARGS__                                               \
  }
#define CLI_BOUNDS(least, most) .option.minimum = (least), .option.maximum = (most)
#define CLI_FLAG_OPTION(text, member, meaning) CLI_ENTRY(text, DC_BOOLEAN, member, meaning, .letter = 0)
#define CLI_TEXT_OPTION(text, member, operand, completion, meaning)                                                    \
  CLI_ENTRY(text, DC_STRING, member, meaning, .argument = (operand), .value = (completion))
#define CLI_LIST_OPTION(text, member, operand, completion, meaning)                                                    \
  CLI_ENTRY(text, DC_STRING_LIST, member, meaning, .argument = (operand), .value = (completion))
#define CLI_CHOICE_OPTION(text, member, operand, names, meaning)                                                       \
  CLI_ENTRY(text, DC_STRING, member, meaning, .argument = (operand), .value = CLI_VALUE_CHOICES,                       \
            .option.choices = (names))
#define CLI_INTEGER_OPTION(text, member, operand, least, most, meaning)                                                \
  CLI_ENTRY(text, DC_INTEGER, member, meaning, .argument = (operand), CLI_BOUNDS(least, most))
#define CLI_REAL_OPTION(text, member, operand, least, most, meaning)                                                   \
  CLI_ENTRY(text, DC_REAL, member, meaning, .argument = (operand), CLI_BOUNDS(least, most))
#define CLI_POSITIVE_OPTION(text, member, operand, most, meaning)                                                      \
  CLI_ENTRY(text, DC_REAL, member, meaning, .argument = (operand), .option.minimum_excluded = true,                    \
            .option.maximum = (most))
// double [3], each within `most` of zero
#define CLI_VECTOR_OPTION(text, member, most, meaning)                                                                 \
  CLI_ENTRY(text, DC_REALS, member, meaning, .argument = "x,y,z", .option.count = 3, CLI_BOUNDS(-(most), most))
// A scene stores seeds as JSON numbers, which are exact up to 2^53.
#define CLI_SEED_OPTION(meaning) CLI_INTEGER_OPTION("seed", seed, "N", 0, 0x1p53, meaning)
// --output of commands that write one file, or a directory.
#define CLI_OUTPUT_FILE(meaning)                                                                                       \
  CLI_ENTRY("output", DC_STRING, output, meaning, .letter = 'o', .argument = "FILE", .value = CLI_VALUE_FILE)
#define CLI_OUTPUT_DIRECTORY(meaning)                                                                                  \
  CLI_ENTRY("output", DC_STRING, output, meaning, .letter = 'o', .argument = "DIR", .value = CLI_VALUE_DIRECTORY)

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
