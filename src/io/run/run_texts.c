// SPDX-License-Identifier: Apache-2.0
// Reading a run's text files back.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/run/run.h"
#include "io/run/run_files.h"

static const size_t LARGEST = (size_t)1 << 30;  // bytes of a text

enum dc_status dc_run_read_text(const char *directory, const char *name, char **text, struct dc_error *error)
{
  size_t size;
  char *path = dc_path_join(directory, name);
  *text = NULL;
  if (!path)
    return dc_fail(error, DC_MEMORY, "%.800s: out of memory", directory);
  enum dc_status status = dc_file_read(path, LARGEST, text, &size, error);
  free(path);
  return status;
}

bool dc_run_has(const char *directory, const char *name)
{
  struct stat info;
  char path[PATH_MAX];  // so that "no" never means that memory is out
  int length = snprintf(path, sizeof path, "%s/%s", directory, name);
  return length > 0 && length < (int)sizeof path && stat(path, &info) == 0;
}

// Number of whole lines.
static long count_lines(const char *text)
{
  long lines = 0;
  for (const char *end; (end = strchr(text, '\n')); text = end + 1)
    lines++;
  return lines;
}

void dc_run_thin_rows(char *text, long most, long *rows, long *kept)
{
  long lines = count_lines(text), line = 0, next = 0;
  *rows = lines > 0 ? lines - 1 : 0;
  *kept = *rows > most ? most : *rows;
  char *write = text;
  for (char *read = text, *end; (end = strchr(read, '\n')); read = end + 1, line++) {
    // The header, and row k of those that stay is row k (rows - 1) / (kept - 1) of all.
    if (line > 0 && line - 1 != (*kept > 1 ? (long)((double)next * (double)(*rows - 1) / (double)(*kept - 1)) : 0))
      continue;
    next += line > 0;
    memmove(write, read, (size_t)(end + 1 - read));
    write += end + 1 - read;
  }
  *write = '\0';
}
