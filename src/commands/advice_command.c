// SPDX-License-Identifier: Apache-2.0
// Commands to try: the command that was given, with one thing changed.
//
// A command keeps the scene with every option that decides what the task is (--set, --model, --plant, --gradient,
// --seed, folders that files may come from), the controls that it begins with and its output.  A --set of the same path
// and a --model are replaced, not repeated.  Words are quoted for a shell.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/advice.h"

enum { MOST_OUTPUTS = 1000 };

// Adds a change PATH=VALUE to an attempt; more than there is room for are left out.
void dc_attempt_set(struct dc_attempt *attempt, const char *change, ...)
{
  va_list arguments;
  if (attempt->count == (int)(sizeof attempt->changes / sizeof *attempt->changes))
    return;
  va_start(arguments, change);
  vsnprintf(attempt->changes[attempt->count++], sizeof *attempt->changes, change, arguments);
  va_end(arguments);
}

// Appends a blank and the word, in quotes where a shell would take it for something else.
static void add_word(struct dc_text *text, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (word[0] && strspn(word, plain) == strlen(word)) {
    dc_text_add(text, " %s", word);
    return;
  }
  dc_text_append(text, " '", 2);
  for (; *word; word++)
    if (*word == '\'')
      dc_text_append(text, "'\\''", 4);
    else
      dc_text_append(text, word, 1);
  dc_text_append(text, "'", 1);
}

static bool same_path(const char *a, const char *b)
{
  size_t length = strcspn(a, "=");
  return length == strcspn(b, "=") && strncmp(a, b, length) == 0;
}

// Whether an option of the original command is replaced by the attempt: --model by another model, --set by a
// change of the same path.
static bool is_replaced(const struct dc_attempt *attempt, const char *option, const char *value)
{
  if (strcmp(option, "--model") == 0)
    return attempt->model != NULL;
  for (int i = 0; i < attempt->count && strcmp(option, "--set") == 0; i++)
    if (same_path(attempt->changes[i], value))
      return true;
  return false;
}

// Appends the scene's file and the options that are kept.
static void add_scene(struct dc_text *text, const dcsim_scene *scene, const struct dc_attempt *attempt)
{
  const char *word = scene->words;
  add_word(text, word ? word : scene->scene->path);
  if (!word)
    return;
  for (word += strlen(word) + 1; *word;) {
    const char *value = word + strlen(word) + 1;
    if (!is_replaced(attempt, word, value)) {
      add_word(text, word);
      add_word(text, value);
    }
    word = value + strlen(value) + 1;
  }
}

// Appends where the run goes: the output of the run that is done, where nothing was written or it may be
// replaced, else the next free name made of it.
static void add_output(struct dc_text *text, const dcsim_run_options *options)
{
  char name[1200];
  snprintf(name, sizeof name, "%.1100s", options->directory);
  for (size_t end = strlen(name); end > 1 && name[end - 1] == '/'; end--)
    name[end - 1] = '\0';
  size_t length = strlen(name);
  bool given = strcmp(name, "none") != 0 && !options->overwrite;
  for (int k = 2; given && k < MOST_OUTPUTS && access(name, F_OK) == 0; k++)
    snprintf(name + length, sizeof name - length, "-%d", k);
  add_word(text, "-o");
  add_word(text, name);
  if (options->overwrite)
    add_word(text, "--overwrite");
}

// Writes the command of an attempt into the advice.  A command that does not fit is left out: half a command is
// worse than none.
void dc_advice_try(struct dc_advice *advice, const char *command, const dcsim_scene *scene,
                   const dcsim_run_options *options, const struct dc_attempt *attempt)
{
  struct dc_text text = {0};
  const char *control = attempt->control ? attempt->control : options ? options->control_run : NULL;
  dc_text_add(&text, "dcsim %s", command);
  add_scene(&text, scene, attempt);
  if (attempt->model) {
    add_word(&text, "--model");
    add_word(&text, attempt->model);
  }
  if (control) {
    add_word(&text, "--control");
    add_word(&text, control);
  }
  if (options && options->directory)
    add_output(&text, options);
  for (int i = 0; i < attempt->count; i++) {
    add_word(&text, "--set");
    add_word(&text, attempt->changes[i]);
  }
  advice->changes = *attempt;
  advice->attempt[0] = '\0';
  if (!text.failed && text.length < sizeof advice->attempt)
    memcpy(advice->attempt, text.bytes, text.length + 1);
  dc_text_free(&text);
}

// Writes the command that continues a run, as it would be typed: words with blanks are quoted. A command that does not
// fit is left out.
void dc_advice_resume(struct dc_advice *advice, const char *command, const char *directory)
{
  struct dc_text text = {0};
  dc_text_add(&text, "dcsim %s --resume", command);
  add_word(&text, directory);
  if (!text.failed && text.length < sizeof advice->attempt)
    memcpy(advice->attempt, text.bytes, text.length + 1);
  dc_text_free(&text);
}

// Opens the scene with the options that are kept and the changes, as the command would; NULL: it cannot be
// opened.
static dcsim_scene *open_changed(const dcsim_scene *scene, const struct dc_attempt *attempt)
{
  enum { MOST_WORDS = 400 };
  const char *sets[MOST_WORDS], *allowed[MOST_WORDS], *packages[MOST_WORDS];
  dcsim_scene_options given = {.size = sizeof given, .overrides = sets, .allowed_paths = allowed,
                               .package_paths = packages, .model = attempt->model};
  dcsim_scene *changed = NULL;
  const char *word = scene->words;
  if (!word)
    return NULL;
  for (word += strlen(word) + 1; *word;) {
    const char *value = word + strlen(word) + 1;
    if (given.override_count + attempt->count >= MOST_WORDS || given.allowed_path_count >= MOST_WORDS ||
        given.package_path_count >= MOST_WORDS)
      return NULL;
    if (strcmp(word, "--set") == 0 && !is_replaced(attempt, word, value))
      sets[given.override_count++] = value;
    else if (strcmp(word, "--allow-path") == 0)
      allowed[given.allowed_path_count++] = value;
    else if (strcmp(word, "--package-path") == 0)
      packages[given.package_path_count++] = value;
    else if (strcmp(word, "--model") == 0 && !attempt->model)
      given.model = value;
    else if (strcmp(word, "--gradient") == 0)
      given.gradient = value;
    else if (strcmp(word, "--plant") == 0)
      given.plant = value;
    word = value + strlen(value) + 1;
  }
  given.seed = scene->seed;
  given.seed_given = scene->seed != 0;
  for (int i = 0; i < attempt->count; i++)
    sets[given.override_count++] = attempt->changes[i];
  return dcsim_scene_open(scene->words, &given, &changed, NULL) ? NULL : changed;
}

// Runs an attempt in this process without output, for at most `seconds`, and tells its loss and whether it
// reached the task.  False: it did not run.
bool dc_advice_run(const struct session *session, const struct dc_attempt *attempt, double seconds, double *loss,
                   bool *reached)
{
  const dcsim_run_options own = {.size = sizeof own,
                                 .directory = "none",
                                 .control_run = attempt->control ? attempt->control : session->options->control_run,
                                 .max_seconds = seconds,
                                 .unadvised = 1};
  dcsim_result result = DCSIM_SIZED(dcsim_result);
  dcsim_scene *changed = open_changed(session->scene, attempt);
  if (!changed)
    return false;
  int status = session->optimize(changed, &own, &result, NULL, NULL);
  dcsim_scene_close(changed);
  *loss = result.loss;
  *reached = result.success != 0;
  return (status == DCSIM_OK || status == DCSIM_STOPPED) && result.steps > 0;
}
