// SPDX-License-Identifier: Apache-2.0
// Completion for zsh: one call of _arguments for every command.
//
// The script that is printed is `begin`, then _dcsim() with a branch for each command, made from the tables of
// options, then `end`. Names that are known at run time only (models, families, benchmarks, keys of scenes) are asked
// of the program by the functions in `begin`.
#include <stdio.h>
#include <string.h>

#include "cli/completion.h"

static const char begin[] =
    "#compdef dcsim\n"
    "# zsh completion of dcsim, printed by: dcsim completion zsh\n\n"
    "_dcsim_names() {\n"
    "  local -a names\n"
    "  names=(${(f)\"$(_call_program names $program $2 2>/dev/null | sed -nE \"$3\")\"})\n"
    "  compadd -X $1 -a names\n"
    "}\n"
    "_dcsim_models() { _dcsim_names 'contact model' 'list models' 's/^  ([a-z][a-z_-]*):.*/\\1/p' }\n"
    "_dcsim_families() { _dcsim_names family list 's/^([a-z]+)$/\\1/p' }\n"
    "_dcsim_benchmarks() { _dcsim_names benchmark bench 's/^([a-z]+) .*/\\1/p' }\n"
    "_dcsim_scenes() { _files -g '*.json(-.)' }\n\n"
    "_dcsim_overrides() {\n"
    "  local -a names\n"
    "  names=(gravity= contact.model= optimizer.type= shapes. bodies. control. objective. ${(f)\"$(\n"
    "    _call_program paths $program list 2>/dev/null | awk '\n"
    "      /^[a-z]/ { family = $1 }\n"
    "      /^  [a-z]/ {\n"
    "        sub(\":.*\", \"\", $1)\n"
    "        part = family == \"models\" ? \"contact\" : family == \"optimizers\" ? \"optimizer\" : \"\"\n"
    "        if (family == \"sections\" && $1 != \"bodies\" && $1 != \"shot\")\n"
    "          part = $1\n"
    "      }\n"
    "      /^    [a-z]/ && part != \"\" { print part \".\" $1 \"=\" }')\"})\n"
    "  compadd -S '' -a names\n"
    "}\n\n";

static const char end[] = "_dcsim \"$@\"\n";

// How zsh completes a value of each kind: functions of its own, or those above, which ask the program.
static const char *const actions[] = {
    [CLI_VALUE_ANY] = " ",
    [CLI_VALUE_FILE] = "_files",
    [CLI_VALUE_DIRECTORY] = "_files -/",
    [CLI_VALUE_RUN] = "_files -/",
    [CLI_VALUE_SCENE] = "_dcsim_scenes",
    [CLI_VALUE_OVERRIDE] = "_dcsim_overrides",
    [CLI_VALUE_MODEL] = "_dcsim_models",
    [CLI_VALUE_FAMILY] = "_dcsim_families",
    [CLI_VALUE_BENCH] = "_dcsim_benchmarks",
    [CLI_VALUE_CHOICES] = NULL,
};

// Prints text within single quotes, with backslashes before characters that _arguments and _describe interpret.
static void print_escaped(const char *text)
{
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", stdout);
    else if (strchr("[]:\\", *text))
      printf("\\%c", *text);
    else
      putchar(*text);
  }
}

// ":message:action"
static void print_action(const char *message, enum cli_value value, const char *const *choices)
{
  putchar(':');
  print_escaped(message);
  putchar(':');
  if (value != CLI_VALUE_CHOICES) {
    fputs(actions[value], stdout);
    return;
  }
  for (int i = 0; choices[i]; i++)
    printf("%c%s", i ? ' ' : '(', choices[i]);
  putchar(')');
}

// One specification of _arguments: both forms of an option exclude each other, "+" and "=" say how a value may
// stand, and "*" that the option may be repeated.
static void print_option(const struct cli_option *entry)
{
  bool value = entry->option.type != DC_BOOLEAN;
  const char *sign = value ? "=" : "";
  printf(" \\\n        ");
  // Letters come with the form in which the value follows them directly.
  if (entry->letter)
    printf("'(-%c --%s)'{-%c%s,--%s%s}'", entry->letter, entry->option.name, entry->letter, value ? "+" : "",
           entry->option.name, sign);
  else
    printf("'%s--%s%s", entry->option.type == DC_STRING_LIST ? "*" : "", entry->option.name, sign);
  putchar('[');
  print_escaped(entry->option.help);
  putchar(']');
  if (value)
    print_action(entry->argument, entry->value, entry->option.choices);
  putchar('\'');
}

// The branch of a command: its options, then any number of operands of its kind.
// -s lets letters of flags be combined, as the parser does.
static void print_command(const struct cli_command *command)
{
  printf("    %s)\n      _arguments -s", command->name);
  for (int i = 0; command->options[i]; i++)
    for (const struct cli_option *entry = command->options[i]; entry->option.name; entry++)
      print_option(entry);
  if (command->operand) {
    printf(" \\\n        '*");
    print_action(command->operand, command->operand_value, command->operand_choices);
    putchar('\'');
  }
  printf(" ;;\n");
}

// Everything is printed from the tables of the commands, so that no option can be forgotten here.
void cli_print_zsh_completion(const struct cli_command *const *commands)
{
  fputs(begin, stdout);
  printf("_dcsim() {\n"
         "  local program=$words[1] curcontext=$curcontext state line\n"
         "  typeset -A opt_args\n"
         "  local -a commands\n"
         "  commands=(\n");
  for (int c = 0; commands[c]; c++) {
    printf("    '%s:", commands[c]->name);
    print_escaped(commands[c]->summary);
    printf("'\n");
  }
  printf("  )\n"
         "  _arguments -C '(- *)--version[print versions]' '(- *)'{-h,--help}'[print help]' \\\n"
         "    '1:command:->command' '*::argument:->argument' && return\n"
         "  case $state in\n"
         "    command) _describe command commands; return ;;\n"
         "  esac\n"
         "  case $words[1] in\n");
  for (int c = 0; commands[c]; c++)
    print_command(commands[c]);
  printf("  esac\n}\n\n");
  fputs(end, stdout);
}
