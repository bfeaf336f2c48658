// SPDX-License-Identifier: Apache-2.0
// The parser of command lines, driven by the option tables, and the help that is printed from them.
//
// Long options take their value behind "=" or as the next argument; letters of flags may be combined.  Numbers must be
// decimal and within the bounds of their entry.  An unknown option is answered with the most similar one.
#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

#define HELP_OPTION CLI_ENTRY("help", DC_BOOLEAN, help, "print this help", .letter = 'h')

const struct cli_option cli_scene_options[] = {
    CLI_LIST_OPTION("set", overrides, "PATH=VALUE", CLI_VALUE_OVERRIDE,
                    "change the scene, as in optimizer.iterations=10; may be repeated"),
    CLI_TEXT_OPTION("model", model, "NAME", CLI_VALUE_MODEL,
                    "contact model, with its overlay from the scene's \"models\""),
    CLI_LIST_OPTION("allow-path", allowed_paths, "DIR", CLI_VALUE_DIRECTORY,
                    "folder outside the scene's that meshes may be read from; may be repeated"),
    CLI_LIST_OPTION("package-path", package_paths, "DIR", CLI_VALUE_DIRECTORY,
                    "folder in which package://NAME/ of included robots is DIR/NAME/; may be repeated"),
    CLI_SEED_OPTION("seed of everything random, instead of the scene's"),
    CLI_OPTIONS_END,
};

const struct cli_option cli_run_options[] = {
    CLI_OUTPUT_DIRECTORY("run directory, \"none\" for none; default: runs/<scene name>-<UTC time>"),
    CLI_FLAG_OPTION("overwrite", run.overwrite, "replace the run that the run directory holds"),
    CLI_TEXT_OPTION("control", run.control, "RUN", CLI_VALUE_RUN,
                    "take controls and parameters from an earlier run directory"),
    CLI_TEXT_OPTION("plant", run.plant, "WORLD", CLI_VALUE_MODEL,
                    "world to execute plans in: a contact model, JSON or none; default: the scene's"),
    CLI_INTEGER_OPTION("frames", run.frames, "N", 0, 1e6, "pictures to render at the end; default: 0"),
    CLI_FLAG_OPTION("no-report", run.no_report, "do not write report.html at the end"),
    CLI_FLAG_OPTION("results-only", run.results_only,
                    "leave neither trajectory nor report, only numbers and checkpoints"),
    CLI_POSITIVE_OPTION("max-time", run.max_time, "SECONDS", 1e9, "stop after the iteration that passes this time"),
    CLI_FLAG_OPTION("require-success", run.require_success, "exit with 1 when the task is not reached"),
    CLI_OPTIONS_END,
};

const struct cli_option cli_thread_options[] = {
    CLI_INTEGER_OPTION("threads", threads, "N", 1, 1024, "threads to compute with; results do not depend on it"),
    CLI_OPTIONS_END,
};

const struct cli_option cli_port_options[] = {
    CLI_INTEGER_OPTION("port", run.port, "N", 0, 65535,
                       "port of the live view on 127.0.0.1; default: 0, any that is free"),
    CLI_OPTIONS_END,
};

const struct cli_option cli_quiet_options[] = {
    CLI_FLAG_OPTION("quiet", quiet, "no progress and no notes on stderr, errors only"),
    CLI_OPTIONS_END,
};

const struct cli_option cli_common_options[] = {
    CLI_FLAG_OPTION("json", json, "machine-readable result on stdout"),
    HELP_OPTION,
    CLI_OPTIONS_END,
};

const struct cli_option cli_help_options[] = {HELP_OPTION, CLI_OPTIONS_END};

// The option of a command by its long name, which need not end with a zero; NULL without.
static const struct cli_option *find_long(const struct cli_command *command, const char *name, size_t length)
{
  for (int i = 0; command->options[i]; i++)
    for (const struct cli_option *entry = command->options[i]; entry->option.name; entry++)
      if (strlen(entry->option.name) == length && strncmp(entry->option.name, name, length) == 0)
        return entry;
  return NULL;
}

// The option of a command by its letter; NULL without.
static const struct cli_option *find_letter(const struct cli_command *command, char letter)
{
  for (int i = 0; command->options[i]; i++)
    for (const struct cli_option *entry = command->options[i]; entry->option.name; entry++)
      if (entry->letter && entry->letter == letter)
        return entry;
  return NULL;
}

// Refuses a long option and names the nearest one that the command has.
static int fail_unknown(const struct cli_command *command, const char *name, size_t length)
{
  enum { MOST = 64 };
  const char *names[MOST + 1], *near = NULL;
  char text[64];
  int count = 0;
  for (int i = 0; command->options[i]; i++)
    for (const struct cli_option *entry = command->options[i]; entry->option.name && count < MOST; entry++)
      names[count++] = entry->option.name;
  names[count] = NULL;
  if (length < sizeof text) {
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    near = dc_suggest(text, names);
  }
  // A name that is too long for the list is no mistyped one: it gets the pointer to --help.
  if (near)
    return cli_fail(DCSIM_USAGE, "%s: unknown option --%.*s (did you mean --%s?)", command->name, (int)length, name,
                    near);
  return cli_fail(DCSIM_USAGE, "%s: unknown option --%.*s (see dcsim %s --help)", command->name, (int)length, name,
                  command->name);
}

// Messages name an option as given: "--output" or "-o".
// The value is cut off at 200 characters, since it may be anything.
static int fail_number(const char *given, const struct dc_option *option, const char *value)
{
  const char *kind = option->type == DC_REAL ? "a number" : "a whole number";
  // Bounds are told with all digits, so that the number that a message asks for is one that passes.
  if (option->minimum_excluded)
    return cli_fail(DCSIM_USAGE, "%s: must be %s > %.17g, at most %.17g (is \"%.200s\")", given, kind, option->minimum,
                    option->maximum, value);
  return cli_fail(DCSIM_USAGE, "%s: must be %s from %.17g to %.17g (is \"%.200s\")", given, kind, option->minimum,
                  option->maximum, value);
}

// Whether a number keeps to the bounds of its option.
static bool within(const struct dc_option *option, double number)
{
  char rule[128];
  return !dc_option_check(option, number, rule, sizeof rule);
}

// Reads a decimal integer.
static bool read_integer(const struct dc_option *option, const char *text, long *integer)
{
  // strtol would take blanks and a sign as well; no whole number of a command line is negative.
  if (*text < '0' || *text > '9')
    return false;
  char *end;
  errno = 0;
  *integer = strtol(text, &end, 10);
  return !errno && !*end && within(option, (double)*integer);
}

// Reads a decimal number; *end is behind it.  strtod would also accept leading blanks, "inf", "nan" and hexadecimal
// digits.
// Accepted are an optional sign, digits, one point and an exponent; the value must keep to the option's bounds.
static bool read_real(const struct dc_option *option, const char *text, char **end, double *real)
{
  size_t sign = *text == '-' || *text == '+';
  if (!text[sign] || !strchr("0123456789.", text[sign]) || strchr("xX", text[sign + 1] ? text[sign + 1] : '.'))
    return false;
  *real = strtod(text, end);
  return *end != text && within(option, *real);
}

// Reads numbers [count] with commas between them.
static bool read_reals(const struct dc_option *option, const char *text, int count, double *reals)
{
  char *end = NULL;
  for (int i = 0; i < count; i++, text = end + 1)
    if (!read_real(option, text, &end, &reals[i]) || *end != (i < count - 1 ? ',' : '\0'))
      return false;
  return true;
}

// Whether a list that ends with NULL holds a name.
static bool listed(const char *name, const char *const *names)
{
  for (int i = 0; names && names[i]; i++)
    if (strcmp(names[i], name) == 0)
      return true;
  return false;
}

// Stores a text, which is kept by reference; of an option with choices it must be one of them.
static int store_text(const char *given, const struct dc_option *option, const char *value, const char **target)
{
  if (option->choices && !listed(value, option->choices)) {
    char names[256] = "";
    for (int i = 0; option->choices[i]; i++)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s\"%s\"", i ? ", " : "", option->choices[i]);
    return cli_fail(DCSIM_USAGE, "%s: must be one of %s (is \"%.200s\")", given, names, value);
  }
  if (!value[0])
    return cli_fail(DCSIM_USAGE, "%s: must not be empty", given);
  *target = value;
  return 0;
}

// Stores the value of an option; NULL for flags.  given: the option's name as messages say it.
// The option's offset is the place of its value in struct cli_arguments, whose type must be the one of the entry:
// bool, const char *, list of texts, long, double, or double [count].  Returns 0, or DCSIM_USAGE after a message.
static int store(const char *given, const struct dc_option *option, const char *value, struct cli_arguments *arguments)
{
  void *target = (char *)arguments + option->offset;
  switch (option->type) {
  case DC_BOOLEAN: *(bool *)target = true; return 0;
  case DC_STRING: return store_text(given, option, value, target);
  // There is room: lists are as long as the command line has words (prepare).
  case DC_STRING_LIST: {
    struct dc_string_list *list = target;
    return store_text(given, option, value, &list->strings[list->count++]);
  }
  case DC_INTEGER: return read_integer(option, value, target) ? 0 : fail_number(given, option, value);
  case DC_REAL: return read_reals(option, value, 1, target) ? 0 : fail_number(given, option, value);
  // All options with several numbers are points in space.
  case DC_REALS:
    if (!read_reals(option, value, option->count, target))
      return cli_fail(DCSIM_USAGE, "%s: must be three numbers x,y,z of at most %g m (is \"%.200s\")", given,
                      option->maximum, value);
    return 0;
  default: return cli_fail(DCSIM_USAGE, "%s: no command line has options of this type", given);
  }
}

// Stores an option with an inline value (NULL: none; then the next argument may be its value); *index moves behind it.
static int take(const char *given, const struct cli_option *entry, const char *value, int argc, char **argv, int *index,
                struct cli_arguments *arguments)
{
  bool flag = entry->option.type == DC_BOOLEAN;
  if (flag && value)
    return cli_fail(DCSIM_USAGE, "%s: takes no value (is \"%.200s\")", given, value);
  if (!flag && !value) {
    if (*index + 1 >= argc)
      return cli_fail(DCSIM_USAGE, "%s: needs a value (%s)", given, entry->argument);
    value = argv[++*index];
  }
  return store(given, &entry->option, value, arguments);
}

// "--name", "--name=value" or "--name value"; *index moves behind a value of its own.
static int parse_long(const struct cli_command *command, int argc, char **argv, int *index,
                      struct cli_arguments *arguments)
{
  const char *name = argv[*index] + 2;
  size_t length = strcspn(name, "=");
  const struct cli_option *entry = find_long(command, name, length);
  if (!entry)
    return fail_unknown(command, name, length);
  // Names of the table are short, unlike what stands on the command line.
  char given[80];
  snprintf(given, sizeof given, "--%s", entry->option.name);
  return take(given, entry, name[length] ? name + length + 1 : NULL, argc, argv, index, arguments);
}

// Letters of flags may be combined; a value follows its letter or is the next argument.
// "-ho DIR", "-oDIR" and "-h -o DIR" are all accepted; a flag takes no value, so that the next letter is an option
// again.
static int parse_letters(const struct cli_command *command, int argc, char **argv, int *index,
                         struct cli_arguments *arguments)
{
  for (const char *letter = argv[*index] + 1; *letter; letter++) {
    const struct cli_option *entry = find_letter(command, *letter);
    if (!entry)
      return cli_fail(DCSIM_USAGE, "%s: unknown option -%c (see dcsim %s --help)", command->name, *letter,
                      command->name);
    const char given[] = {'-', *letter, '\0'};
    // A letter with a value takes the rest of the word, or the next word, and ends the word either way.
    bool flag = entry->option.type == DC_BOOLEAN;
    int status = take(given, entry, !flag && letter[1] ? letter + 1 : NULL, argc, argv, index, arguments);
    if (status || !flag)
      return status;
  }
  return 0;
}

// Joins argv to one line that a shell would split into the same words.
// The line is written into run.json, from where it can be pasted; NULL: out of memory.
static char *join(int argc, char **argv)
{
  size_t size = 1;
  // Each character may become four ('\''), with two quotes and a blank around the word.
  for (int i = 0; i < argc; i++)
    size += 4 * strlen(argv[i]) + 3;
  char *line = malloc(size), *at = line;
  for (int i = 0; line && i < argc; i++) {
    // Words of these characters mean the same to every shell; all others are quoted.
    bool plain = argv[i][0] && strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                               "_-+=./,:%@") == strlen(argv[i]);
    if (i)
      *at++ = ' ';
    if (!plain)
      *at++ = '\'';
    for (const char *c = argv[i]; *c; c++) {
      if (*c == '\'')
        at = stpcpy(at, "'\\''");
      else
        *at++ = *c;
    }
    if (!plain)
      *at++ = '\'';
  }
  if (line)
    *at = '\0';
  return line;
}

// Sets defaults; -1 and NAN mark options that were not given.  Lists have room for as many items as there are
// arguments.
static int prepare(int argc, char **argv, struct cli_arguments *arguments)
{
  *arguments = (struct cli_arguments){
      .threads = -1,
      .seed = -1,
      .steps = -1,
      .run = {.frames = -1, .checkpoint = 30},
      .render = {.every = -1, .samples = -1, .eye = {NAN, NAN, NAN}, .target = {NAN, NAN, NAN}},
      .verify = {.draws = -1, .directions = -1},
      .sweep = {.jobs = -1},
  };
  arguments->command_line = join(argc, argv);
  arguments->argv = argv;
  arguments->overrides.strings = calloc((size_t)argc, sizeof(const char *));
  arguments->allowed_paths.strings = calloc((size_t)argc, sizeof(const char *));
  arguments->package_paths.strings = calloc((size_t)argc, sizeof(const char *));
  arguments->bench.methods.strings = calloc((size_t)argc, sizeof(const char *));
  arguments->more.strings = calloc((size_t)argc, sizeof(const char *));
  if (!arguments->command_line || !arguments->overrides.strings || !arguments->allowed_paths.strings ||
      !arguments->package_paths.strings || !arguments->bench.methods.strings || !arguments->more.strings)
    return cli_fail(DCSIM_MEMORY, "out of memory for the command line");
  return 0;
}

// The operand, then a second one or any number of more, as the command has them.
// An empty operand is refused, because it comes from an unset variable of a script more often than from a file's
// name.
static int take_operand(const struct cli_command *command, const char *operand, struct cli_arguments *arguments)
{
  // A second operand is only looked at behind the first.
  bool second = command->second_operand && arguments->operand;
  if (command->more_operands && arguments->operand && operand[0]) {
    arguments->more.strings[arguments->more.count++] = operand;
    return 0;
  }
  if (!command->operand || (arguments->operand && !second) || arguments->second)
    return cli_fail(DCSIM_USAGE, "%s: unexpected argument \"%s\" (see dcsim %s --help)", command->name, operand,
                    command->name);
  if (!operand[0])
    return cli_fail(DCSIM_USAGE, "%s: %s must not be empty", command->name,
                    second ? command->second_operand : command->operand);
  *(second ? &arguments->second : &arguments->operand) = operand;
  return 0;
}

// Parses the arguments behind the command: operands, --name, letters; after "--" all are operands.  --help ends
// parsing.
// argv[1] is the command itself.  Returns 0, or the status of the first mistake after its message; arguments are to
// be freed in both cases.
int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_arguments *arguments)
{
  int status = prepare(argc, argv, arguments);
  bool only_operands = false;
  for (int i = 2; i < argc && !status && !arguments->help; i++) {
    if (only_operands || argv[i][0] != '-' || !argv[i][1])
      status = take_operand(command, argv[i], arguments);
    else if (strcmp(argv[i], "--") == 0)
      only_operands = true;
    else if (argv[i][1] == '-')
      status = parse_long(command, argc, argv, &i, arguments);
    else
      status = parse_letters(command, argc, argv, &i, arguments);
  }
  // Operands are counted at the end: --help behind a wrong command line still helps.
  if (!status && !arguments->help && command->operand_required && !arguments->operand)
    status =
        cli_fail(DCSIM_USAGE, "%s: missing %s (see dcsim %s --help)", command->name, command->operand, command->name);
  if (!status && !arguments->help && command->second_operand && arguments->operand && !arguments->second)
    status = cli_fail(DCSIM_USAGE, "%s: missing %s%s (see dcsim %s --help)", command->name,
                      strcmp(command->operand, command->second_operand) == 0 ? "the second " : "",
                      command->second_operand, command->name);
  return status;
}

// Texts belong to argv; only the lists and the joined line are freed.
void cli_arguments_free(struct cli_arguments *arguments)
{
  free(arguments->overrides.strings);
  free(arguments->allowed_paths.strings);
  free(arguments->package_paths.strings);
  free(arguments->bench.methods.strings);
  free(arguments->more.strings);
  free(arguments->command_line);
}

// Usage, summary, details and options of a command, made from its tables.
// The texts come from the same table as the parser's names, so that no option is without help.
void cli_print_help(const struct cli_command *command)
{
  enum { COLUMN = 24 };
  printf("usage: dcsim %s [options]", command->name);
  const char *second = command->second_operand, *blank = second ? " " : "";
  if (command->operand)
    printf(command->operand_required ? " %s%s%s" : " [%s%s%s]", command->operand, blank, second ? second : "");
  if (command->more_operands)
    printf(" [%s ...]", command->operand);
  printf("\n\n%s\n", command->summary);
  if (command->details)
    printf("%s\n", command->details);
  printf("\noptions:\n");
  for (int i = 0; command->options[i]; i++)
    for (const struct cli_option *entry = command->options[i]; entry->option.name; entry++) {
      char left[80], letter[8] = "";
      if (entry->letter)
        snprintf(letter, sizeof letter, "-%c, ", entry->letter);
      snprintf(left, sizeof left, "%s--%s%s%s", letter, entry->option.name, entry->argument ? " " : "",
               entry->argument ? entry->argument : "");
      printf("  %-*s %s\n", COLUMN, left, entry->option.help);
    }
}

// All commands with their summaries, in the order of the table.
void cli_print_usage(const struct cli_command *const *commands, FILE *file)
{
  fprintf(file, "usage: dcsim COMMAND [options] [SCENE|RUN]\n"
                "       dcsim --version | --help\n\n"
                "Trajectory optimization through contact.\n\ncommands:\n");
  for (int i = 0; commands[i]; i++)
    fprintf(file, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(file, "\nOptions of a command: dcsim COMMAND --help; manual: dcsim help COMMAND, dcsim help scene\n");
}
