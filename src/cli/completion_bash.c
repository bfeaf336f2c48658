// SPDX-License-Identifier: Apache-2.0
// Completion for bash: functions made from the tables that return candidates, and one that calls them.
//
// The script that is printed has two halves.  The first is made here from the tables of commands and options, so that
// it knows every one of them: _dcsim_commands, _dcsim_options (names of a command's options), _dcsim_value and
// _dcsim_operand (the kind of word that an option or a command takes).  The second, `end`, is the same always: _dcsim
// finds out which word is being completed, and _dcsim_offer turns a kind into candidates, by asking bash for files and
// the program for names of models, families and keys.  Bash has no return values for texts: functions answer in REPLY.
#include <stdio.h>

#include "cli/completion.h"

static const char begin[] = "# bash completion of dcsim, printed by: dcsim completion bash\n"
                            "# The functions below answer in REPLY.\n\n";

// Words that bash splits at '=' are joined again, whether COMP_WORDBREAKS contains it or not.
static const char end[] =
    "# Names that \"$1 list FAMILY\" or \"$1 bench\" print at the beginning of lines.\n"
    "_dcsim_names() {\n"
    "  \"${1/#\\~/$HOME}\" \"${@:2}\" 2>/dev/null | sed -nE 's/^ ? ?([a-z][a-z_-]*)(:| ).*/\\1/p'\n"
    "}\n\n"
    "# Paths that --set may name, as far as they do not depend on the scene.\n"
    "_dcsim_overrides() {\n"
    "  printf '%s\\n' gravity= contact.model= optimizer.type= shapes. bodies. control. objective.\n"
    "  \"${1/#\\~/$HOME}\" list 2>/dev/null | awk '\n"
    "    /^[a-z]/ { family = $1 }\n"
    "    /^  [a-z]/ {\n"
    "      sub(\":.*\", \"\", $1)\n"
    "      part = family == \"models\" ? \"contact\" : family == \"optimizers\" ? \"optimizer\" : \"\"\n"
    "      if (family == \"sections\" && $1 != \"bodies\" && $1 != \"shot\")\n"
    "        part = $1\n"
    "    }\n"
    "    /^    [a-z]/ && part != \"\" { print part \".\" $1 \"=\" }'\n"
    "}\n\n"
    "# What begins with $2 of the kind in REPLY, for the program $1.\n"
    "_dcsim_offer() {\n"
    "  local names= IFS=$'\\n'\n"
    "  case ${REPLY%% *} in\n"
    "    file | directory | run | scene) compopt -o filenames 2>/dev/null ;;\n"
    "    override) compopt -o nospace 2>/dev/null ;;\n"
    "  esac\n"
    "  case ${REPLY%% *} in\n"
    "    choice) names=${REPLY#* }; names=${names// /$IFS} ;;\n"
    "    model) names=$(_dcsim_names \"$1\" list models | grep -v '^models$') ;;\n"
    "    family) names=$(\"${1/#\\~/$HOME}\" list 2>/dev/null | grep '^[a-z]') ;;\n"
    "    bench) names=$(_dcsim_names \"$1\" bench) ;;\n"
    "    override) names=$(_dcsim_overrides \"$1\") ;;\n"
    "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$2\"); return ;;\n"
    "    directory | run) mapfile -t COMPREPLY < <(compgen -d -- \"$2\"); return ;;\n"
    "    scene) mapfile -t COMPREPLY < <(compgen -d -- \"$2\"; compgen -f -X '!*.json' -- \"$2\"); return ;;\n"
    "    *) return ;;\n"
    "  esac\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$2\")\n"
    "}\n\n"
    "_dcsim() {\n"
    "  local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} REPLY=\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} before= word operands= i\n"
    "  COMPREPLY=()\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    _dcsim_commands\n"
    "    COMPREPLY=($(compgen -W \"$REPLY --help --version\" -- \"$current\"))\n"
    "    return\n"
    "  fi\n"
    "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "    [[ ${COMP_WORDS[i]} == -- ]] && operands=yes\n"
    "  done\n"
    "  if [[ $current == = ]]; then\n"
    "    current=\n"
    "    before=value\n"
    "  elif [[ $option == = ]]; then\n"
    "    option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    before=value\n"
    "  elif [[ $current == --*=* ]]; then\n"
    "    option=${current%%=*}\n"
    "    before=$option=\n"
    "    current=${current#*=}\n"
    "  fi\n"
    "  [[ $operands ]] || _dcsim_value \"$command\" \"$option\"\n"
    "  if [[ $REPLY || $before ]]; then\n"
    "    _dcsim_offer \"$program\" \"$current\"\n"
    "    if [[ $before == --* ]]; then\n"
    "      for i in \"${!COMPREPLY[@]}\"; do COMPREPLY[i]=$before${COMPREPLY[i]}; done\n"
    "    fi\n"
    "    return\n"
    "  fi\n"
    "  _dcsim_operand \"$command\"\n"
    "  if [[ $current == -* && ! $operands || ! $REPLY ]]; then\n"
    "    _dcsim_options \"$command\"\n"
    "    COMPREPLY=($(compgen -W \"$REPLY\" -- \"$current\"))\n"
    "  else\n"
    "    _dcsim_offer \"$program\" \"$current\"\n"
    "  fi\n"
    "}\n"
    "complete -F _dcsim dcsim\n";

// Words that stand for kinds in the script, as _dcsim_offer knows them.
static const char *const kinds[] = {
    [CLI_VALUE_ANY] = "any",        [CLI_VALUE_FILE] = "file",     [CLI_VALUE_DIRECTORY] = "directory",
    [CLI_VALUE_RUN] = "run",        [CLI_VALUE_SCENE] = "scene",   [CLI_VALUE_OVERRIDE] = "override",
    [CLI_VALUE_MODEL] = "model",    [CLI_VALUE_FAMILY] = "family", [CLI_VALUE_BENCH] = "bench",
    [CLI_VALUE_CHOICES] = "choice",
};

// "REPLY='kind choices'"
static void print_kind(enum cli_value value, const char *const *choices)
{
  printf("REPLY='%s", kinds[value]);
  for (int i = 0; value == CLI_VALUE_CHOICES && choices[i]; i++)
    printf(" %s", choices[i]);
  printf("'");
}

// Long names of all options, one case for each command.
// The output is a shell function with a case statement, which answers in REPLY.
static void print_options(const struct cli_command *const *commands)
{
  printf("_dcsim_options() {\n  case $1 in\n");
  for (int c = 0; commands[c]; c++) {
    printf("    %s) REPLY='", commands[c]->name);
    const char *separator = "";
    for (int i = 0; commands[c]->options[i]; i++)
      for (const struct cli_option *entry = commands[c]->options[i]; entry->option.name; entry++) {
        printf("%s--%s", separator, entry->option.name);
        separator = " ";
      }
    printf("' ;;\n");
  }
  printf("    *) REPLY= ;;\n  esac\n}\n\n");
}

// Options without a value need no candidates.
// A line of the case statement is 'COMMAND --OPTION' | 'COMMAND -LETTER') REPLY='KIND CHOICES'.
static void print_values(const struct cli_command *const *commands)
{
  printf("_dcsim_value() {\n  case \"$1 $2\" in\n");
  for (int c = 0; commands[c]; c++)
    for (int i = 0; commands[c]->options[i]; i++)
      for (const struct cli_option *entry = commands[c]->options[i]; entry->option.name; entry++) {
        if (entry->option.type == DC_BOOLEAN)
          continue;
        printf("    '%s --%s'", commands[c]->name, entry->option.name);
        if (entry->letter)
          printf(" | '%s -%c'", commands[c]->name, entry->letter);
        printf(") ");
        print_kind(entry->value, entry->option.choices);
        printf(" ;;\n");
      }
  printf("    *) REPLY= ;;\n  esac\n}\n\n");
}

// The kind of what stands behind a command without an option.
static void print_operands(const struct cli_command *const *commands)
{
  printf("_dcsim_operand() {\n  case $1 in\n");
  for (int c = 0; commands[c]; c++) {
    if (!commands[c]->operand)
      continue;
    printf("    %s) ", commands[c]->name);
    print_kind(commands[c]->operand_value, commands[c]->operand_choices);
    printf(" ;;\n");
  }
  printf("    *) REPLY= ;;\n  esac\n}\n\n");
}

// A script for bash, written from the tables of commands and options: their names, then the values that an option
// takes, then files or folders as operands. A new option is completed without a change here.
void cli_print_bash_completion(const struct cli_command *const *commands)
{
  fputs(begin, stdout);
  printf("_dcsim_commands() {\n  REPLY='");
  for (int c = 0; commands[c]; c++)
    printf("%s%s", c ? " " : "", commands[c]->name);
  printf("'\n}\n\n");
  print_options(commands);
  print_values(commands);
  print_operands(commands);
  fputs(end, stdout);
}
