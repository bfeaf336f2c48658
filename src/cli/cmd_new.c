// SPDX-License-Identifier: Apache-2.0
// dcsim new: a scene to begin with.  A template is a file scenes/templates/NAME.json, copied as it is, and what it names: files
// NAME.* beside it.  Nothing is ever overwritten.
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
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
enum { PATH_LENGTH = 4096, MOST_FILES = 8 };

static void list_templates(bool json)
{
  if (json)
    printf("{");
  for (int i = 0; names[i]; i++)
    if (json)
      printf("%s\n  \"%s\": \"%s\"", i ? "," : "", names[i], summaries[i]);
    else
      printf("%-16s%s\n", names[i], summaries[i]);
  printf(json ? "\n}\n" : "\ndcsim new TEMPLATE FILE writes one\n");
}

// What is copied; from[i] becomes "" when to[i] was made.
struct copying {
  char *from[MOST_FILES], *to[MOST_FILES];
  int count;
};

static bool same_content(const char *a, const char *b)
{
  FILE *files[2] = {fopen(a, "rbe"), fopen(b, "rbe")};
  bool same = files[0] && files[1];
  for (int c = 0; same && c != EOF;) {
    c = getc(files[0]);
    same = c == getc(files[1]);
  }
  for (int i = 0; i < 2; i++)
    if (files[i])
      fclose(files[i]);
  return same;
}

// The first of NAME-2.ending, NAME-3.ending ... that is free; "" when the name is too long.
static void find_free(const char *path, char *found, size_t size)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t length = dot && (!slash || dot > slash + 1) && dot > path ? (size_t)(dot - path) : strlen(path);
  for (int i = 2; i < 10000; i++)
    if (snprintf(found, size, "%.*s-%d%s", (int)length, path, i, path + length) >= (int)size ||
        access(found, F_OK) != 0)
      break;
}

static int fail_existing(const char *path, bool scene)
{
  char other[PATH_LENGTH];
  if (!scene)
    return cli_fail(DCSIM_IO, "%s: exists and is not the template's; give FILE in another folder", path);
  find_free(path, other, sizeof other);
  return cli_fail(DCSIM_IO, "%s: exists; nothing is overwritten (free is %s)", path, other);
}

// 0 also where the same file is there already, unless it is the scene.
static int copy_file(struct copying *copying, int i)
{
  bool scene = i == copying->count - 1, failed = false;
  const char *path = copying->to[i];
  FILE *from = fopen(copying->from[i], "rbe");
  if (!from)
    return cli_fail(DCSIM_IO, "%s: cannot be read: %s", copying->from[i], strerror(errno));
  FILE *to = fopen(path, "wbxe");
  if (!to) {
    int reason = errno;
    fclose(from);
    if (reason == EEXIST)
      return !scene && same_content(copying->from[i], path) ? 0 : fail_existing(path, scene);
    return cli_fail(DCSIM_IO, "%s: cannot be created: %s", path, strerror(reason));
  }
  for (int c; (c = getc(from)) != EOF;)
    putc(c, to);
  failed = ferror(from) || ferror(to) || fflush(to) || fsync(fileno(to));
  fclose(from);
  failed = fclose(to) || failed;
  if (failed) {
    unlink(path);
    return cli_fail(DCSIM_IO, "%s: cannot be written", path);
  }
  copying->from[i][0] = '\0';  // made here
  return 0;
}

static bool add_file(struct copying *copying, const char *from, const char *folder, int length, const char *name)
{
  int i = copying->count;
  if (i == MOST_FILES)
    return false;
  copying->from[i] = strdup(from);
  if (asprintf(&copying->to[i], "%.*s%s", length, folder, name) < 0)
    copying->to[i] = NULL;
  copying->count++;
  return copying->from[i] && copying->to[i];
}

// The template's files, the scene last.  False when there is none or memory is out.
static bool find_files(const char *name, const char *file, struct copying *copying)
{
  const char *data = getenv("DCSIM_DATADIR"), *slash = strrchr(file, '/');
  const char *folders[] = {data && *data ? data : DC_DATADIR, "."};
  int length = slash ? (int)(slash - file) + 1 : 0;
  for (int i = 0; i < 2; i++) {
    char scene[PATH_LENGTH], pattern[PATH_LENGTH];
    glob_t found;
    snprintf(scene, sizeof scene, "%s/scenes/templates/%s.json", folders[i], name);
    snprintf(pattern, sizeof pattern, "%s/scenes/templates/%s.*", folders[i], name);
    if (access(scene, R_OK) != 0 || glob(pattern, 0, NULL, &found) != 0)
      continue;
    bool well = true;
    for (size_t k = 0; k < found.gl_pathc && well; k++)
      if (strcmp(found.gl_pathv[k], scene) != 0)
        well = add_file(copying, found.gl_pathv[k], file, length, strrchr(found.gl_pathv[k], '/') + 1);
    globfree(&found);
    return well && add_file(copying, scene, file, (int)strlen(file), "");
  }
  return false;
}

static void release(struct copying *copying, bool take_back)
{
  for (int i = 0; i < copying->count; i++) {
    if (take_back && copying->from[i] && copying->to[i] && !copying->from[i][0])
      unlink(copying->to[i]);
    free(copying->from[i]);
    free(copying->to[i]);
  }
}

static void print_quoted(const char *text)
{
  putchar('"');
  for (; *text; text++)
    printf(*text == '"' || *text == '\\' ? "\\%c" : (unsigned char)*text < 32 ? "?" : "%c", *text);
  putchar('"');
}

static void tell(const struct cli_arguments *arguments, const struct copying *copying)
{
  if (arguments->json) {
    printf("{\"template\": \"%s\", \"scene\": ", arguments->operand);
    print_quoted(arguments->second);
    printf(", \"files\": [");
    for (int i = 0; i < copying->count; i++) {
      fputs(i ? ", " : "", stdout);
      print_quoted(copying->to[i]);
    }
    printf("]}\n");
    return;
  }
  char *file = dcsim_make_printable(strdup(arguments->second));
  printf("%s", file ? file : "");
  for (int i = 0; i < copying->count - 1; i++)
    printf(", %s", dcsim_make_printable(copying->to[i]));
  printf("\n  next: dcsim check %s\n        dcsim optimize %s -o runs/%s\n", file ? file : "", file ? file : "",
         arguments->operand);
  free(file);
}

static int run(const struct cli_arguments *arguments)
{
  struct copying copying = {0};
  bool known = false;
  int status = 0;
  if (!arguments->operand) {
    list_templates(arguments->json);
    return 0;
  }
  for (int i = 0; names[i]; i++)
    known = known || strcmp(names[i], arguments->operand) == 0;
  if (!known) {
    const char *near = cli_suggest(arguments->operand, names);
    return cli_fail(DCSIM_USAGE, "new: no template \"%.200s\"%s%s%s (dcsim new lists them)", arguments->operand,
                    near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
  }
  if (!find_files(arguments->operand, arguments->second, &copying))
    status = cli_fail(DCSIM_IO, "scenes/templates/%s.json: not found in %s", arguments->operand, DC_DATADIR);
  for (int i = 0; i < copying.count && !status; i++)
    status = copy_file(&copying, i);
  if (!status)
    tell(arguments, &copying);
  release(&copying, status != 0);
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
