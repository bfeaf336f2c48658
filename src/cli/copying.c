// SPDX-License-Identifier: Apache-2.0
// Finds shipped data and copies files from it, all or none.
//
// The data folder is the first of these that has the file: DCSIM_DATADIR; beside the program, installed or in its build
// tree; the installed one; the present folder.  Copies are synced; on a failure the files made so far are removed.
#include "cli/copying.h"

#include <dcsim.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "cli/message.h"
#include "cli/session.h"

// Regular files only: without O_NONBLOCK a fifo would hang, and a terminal must not become the controlling one.
FILE *cli_open_file(const char *path)
{
  struct stat info;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool regular = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  FILE *file = regular ? fdopen(fd, "rb") : NULL;
  if (fd >= 0 && !regular)
    errno = EINVAL;
  if (fd >= 0 && !file) {
    int reason = errno;
    close(fd);
    errno = reason;
  }
  return file;
}

// Whether a folder holds a file that can be read; too long a path counts as none.
static bool has_file(const char *folder, const char *file)
{
  char path[CLI_COPY_PATH];
  return snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path && access(path, R_OK) == 0;
}

// Finds the data folder that has a file, in the order of the head; false: none has it.
// The program's own place is asked before the place it was configured for, so that a tree that was moved still finds
// its files.  Paths that are too long for the buffer are cut off and then have no such file.
static bool find_data(const char *file, char folder[CLI_COPY_PATH])
{
  static const char *const beside[] = {"/../share/dcsim", "/.."};
  const char *data = getenv("DCSIM_DATADIR");
  char program[CLI_PATH];
  char *slash = cli_find_program(program) ? strrchr(program, '/') : NULL;
  bool given = data && *data;
  // DCSIM_DATADIR, where it is set, is asked alone before the present folder: tests and wheels bring their own data.
  for (int i = 0; i < 2 && slash && !given; i++) {
    snprintf(folder, CLI_COPY_PATH, "%.*s%s", (int)(slash - program), program, beside[i]);
    if (has_file(folder, file))
      return true;
  }
  const char *others[] = {given ? data : DC_DATADIR, "."};
  for (int i = 0; i < 2; i++) {
    snprintf(folder, CLI_COPY_PATH, "%s", others[i]);
    if (has_file(folder, file))
      return true;
  }
  return false;
}

// Appends a pair of paths, both copied.  False: too many, or out of memory.
bool cli_copying_add(struct cli_copying *copying, const char *from, const char *to)
{
  int i = copying->count;
  if (i == CLI_COPY_MOST)
    return false;
  copying->from[i] = strdup(from);
  copying->to[i] = strdup(to);
  copying->count++;
  return copying->from[i] && copying->to[i];
}

// Whether two files hold the same bytes: one that a former copy has left need not be written again.
static bool same_content(const char *a, const char *b)
{
  FILE *files[2] = {cli_open_file(a), cli_open_file(b)};
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

// Finds the first free one of NAME-2.ending, NAME-3.ending, ...; "" when the name is too long.
static void find_free(const char *path, char *found, size_t size)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  size_t length = dot && (!slash || dot > slash + 1) && dot > path ? (size_t)(dot - path) : strlen(path);
  struct stat info;
  bool fits = true;
  for (int i = 2; fits && (i == 2 || lstat(found, &info) == 0); i++)
    fits = snprintf(found, size, "%.*s-%d%s", (int)length, path, i, path + length) < (int)size;
  if (!fits)
    found[0] = '\0';
}

// Another file has the name.  For the scene a free name is offered; other files must have their names, as the
// scene names them, so that another folder is.
static int fail_existing(const struct cli_copying *copying, const char *path, bool scene)
{
  char other[CLI_COPY_PATH];
  if (!scene)
    return cli_fail(DCSIM_IO, "%s: exists and is not the %s's; take another folder", path, copying->kind);
  find_free(path, other, sizeof other);
  return cli_fail(DCSIM_IO, "%s: exists; nothing is overwritten%s%s%s", path, other[0] ? " (free is " : "", other,
                  other[0] ? ")" : "");
}

// Makes the folders of a path; a failure shows when the file is created.
static void make_folders(const char *path)
{
  char folder[CLI_COPY_PATH];
  for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
    if (snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path) < (int)sizeof folder && folder[0])
      mkdir(folder, 0777);
}

// Copies one file; 0 also where the same file exists already, unless it is the scene.
// A scene that exists is never taken for the shipped one, even with the same bytes: it may be somebody's work.
static int copy_file(struct cli_copying *copying, int i)
{
  bool scene = i == copying->count - 1, failed = false;
  const char *path = copying->to[i];
  FILE *from = cli_open_file(copying->from[i]);
  if (!from)
    return cli_fail(DCSIM_IO, "%s: cannot be read: %s", copying->from[i], strerror(errno));
  // Folders first; the file is then created exclusively, so that nothing that exists is opened, links among it.
  if (copying->folders)
    make_folders(path);
  FILE *to = fopen(path, "wbxe");
  if (!to) {
    int reason = errno;
    fclose(from);
    if (reason == EEXIST)
      return !scene && same_content(copying->from[i], path) ? 0 : fail_existing(copying, path, scene);
    return cli_fail(DCSIM_IO, "%s: cannot be created: %s", path,
                    reason == ENOENT ? "its folder is not there" : strerror(reason));
  }
  // Errors of reading and writing are looked for once, behind the last byte and before the file counts as made.
  for (int c; (c = getc(from)) != EOF;)
    putc(c, to);
  failed = ferror(from) || ferror(to) || fflush(to) || fsync(fileno(to));
  fclose(from);
  failed = fclose(to) || failed;
  if (failed) {
    unlink(path);
    return cli_fail(DCSIM_IO, "%s: cannot be written", path);
  }
  copying->from[i][0] = '\0';  // created by this run
  return 0;
}

// Removes the files that this run has made, which copy_file() has marked by an empty source.
// Folders that were made stay: they may have been there before.
static void take_back(const struct cli_copying *copying)
{
  for (int i = 0; i < copying->count; i++)
    if (copying->from[i] && copying->to[i] && !copying->from[i][0])
      unlink(copying->to[i]);
}

// Copies in the order of the list, whose last member is the scene: it exists only when all that it names does.
static int copy_all(struct cli_copying *copying)
{
  int status = 0;
  for (int i = 0; i < copying->count && !status; i++)
    status = copy_file(copying, i);
  if (status)
    take_back(copying);
  return status;
}

// Frees both lists; the struct itself is the caller's.
static void release(struct cli_copying *copying)
{
  for (int i = 0; i < copying->count; i++) {
    free(copying->from[i]);
    free(copying->to[i]);
  }
}

// A JSON string; control characters, which file names may hold, become question marks.
static void print_quoted(const char *text)
{
  putchar('"');
  for (; *text; text++)
    printf(*text == '"' || *text == '\\' ? "\\%c" : (unsigned char)*text < 32 ? "?" : "%c", *text);
  putchar('"');
}

// Prints what was written and what to do next.
static void tell(const struct cli_copying *copying, bool json, const char *name)
{
  const char *scene = copying->to[copying->count - 1];
  if (json) {
    printf("{\"%s\": \"%s\", \"scene\": ", copying->kind, name);
    print_quoted(scene);
    printf(", \"files\": [");
    for (int i = 0; i < copying->count; i++) {
      fputs(i ? ", " : "", stdout);
      print_quoted(copying->to[i]);
    }
    printf("]}\n");
    return;
  }
  // The next commands repeat the name of the scene as it was written.
  char *file = dcsim_make_printable(strdup(scene));
  printf("%s", file ? file : "");
  for (int i = 0; i < copying->count - 1; i++)
    printf(", %s", dcsim_make_printable(copying->to[i]));
  printf("\n  next: dcsim check %s\n        dcsim optimize %s -o runs/%s\n", file ? file : "", file ? file : "", name);
  free(file);
}

// Lists the names of a shelf with their summaries.
// Names and summaries are constants of the program, so that JSON needs no escapes here.
static void list_choices(const struct cli_shelf *shelf, bool json)
{
  const char *const *names = shelf->names, *const *summaries = shelf->summaries;
  int width = 16;
  for (int i = 0; names[i]; i++)
    width = (int)strlen(names[i]) + 2 > width ? (int)strlen(names[i]) + 2 : width;
  if (json)
    printf("{");
  for (int i = 0; names[i]; i++)
    if (json)
      printf("%s\n  \"%s\": \"%s\"", i ? "," : "", names[i], summaries[i]);
    else
      printf("%-*s%s\n", width, names[i], summaries[i]);
  if (json)
    printf("\n}\n");
  else
    printf("\n%s\n", shelf->how);
}

// Refuses a name that the shelf does not have, with the most similar one.
static int check_choice(const struct cli_shelf *shelf, const char *command, const char *given)
{
  for (int i = 0; shelf->names[i]; i++)
    if (strcmp(shelf->names[i], given) == 0)
      return 0;
  const char *near = dc_suggest(given, shelf->names);
  return cli_fail(DCSIM_USAGE, "%s: no %s \"%.200s\"%s%s%s (dcsim %s lists them)", command, shelf->kind, given,
                  near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "", command);
}

// Without a name lists the shelf; with one, finds its folder among the data files, lists the files it needs, copies
// them and prints the next commands.
// Returns 0; DCSIM_USAGE for an unknown name; DCSIM_IO where data are missing or a file exists; DCSIM_MEMORY.
int cli_copy_from(const struct cli_shelf *shelf, const char *command, const struct cli_arguments *arguments)
{
  char scene[128], data[CLI_COPY_PATH], folder[CLI_COPY_PATH];
  const char *name = arguments->operand;
  struct cli_copying copying = {.kind = shelf->kind, .folders = shelf->folders};
  if (!name) {
    list_choices(shelf, arguments->json);
    return 0;
  }
  int status = check_choice(shelf, command, name);
  if (status)
    return status;
  snprintf(scene, sizeof scene, "%s%s.json", shelf->folder, name);
  if (!find_data(scene, data) || snprintf(folder, sizeof folder, "%s/%s", data, shelf->folder) >= (int)sizeof folder)
    status = cli_fail(DCSIM_IO, "%s: not found in %s", scene, DC_DATADIR);
  else if (!shelf->add(&copying, folder, name, arguments->second))
    status = cli_fail(DCSIM_MEMORY, "out of memory for the files of %s", scene);
  if (!status)
    status = copy_all(&copying);
  if (!status)
    tell(&copying, arguments->json, name);
  release(&copying);
  return status;
}
