// SPDX-License-Identifier: Apache-2.0
// Reading a run's text files back.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open.h"
#include "io/run/run.h"
#include "io/run/run_files.h"

static const size_t LARGEST = (size_t)1 << 30;  // bytes of a text

enum dc_status dc_run_read_text(const char *directory, const char *name, char **text, struct dc_error *error)
{
  size_t size;
  char *path = dc_path_join(directory, name);
  *text = NULL;
  if (!path)
    return dc_out_of_memory_in(error, directory);
  enum dc_status status = dc_file_read(path, LARGEST, text, &size, error);
  free(path);
  return status;
}

// Whether the run has a file of this name.  No memory is needed, so that "no" never means that memory is out.
bool dc_run_has(const char *directory, const char *name)
{
  struct stat info;
  int folder = dc_directory_open(directory);  // no memory is needed: "no" never means that it is out
  bool has = folder >= 0 && fstatat(folder, name, &info, 0) == 0;
  if (folder >= 0)
    close(folder);
  return has;
}

// Turns the terms of a line of progress.jsonl into a line of a table; false: it has none, or is not whole.  The
// line is scanned for the texts that format_progress (run.c) writes, which is much faster than a tree for every
// row of a long run.
static bool take_terms(const char *line, struct dc_text *table)
{
  static const char first[] = "{\"iteration\": ", key[] = ", \"terms\": [", none[] = "null";
  const char *at = strstr(line, key);
  if (!at || strncmp(line, first, sizeof first - 1) != 0)
    return false;
  dc_text_add(table, "%ld", strtol(line + sizeof first - 1, NULL, 10));
  at += sizeof key - 1;
  for (;;) {
    bool is_number = strncmp(at, none, sizeof none - 1) != 0;
    char *end = (char *)at + (is_number ? 0 : sizeof none - 1);
    double term = is_number ? strtod(at, &end) : NAN;
    if (end == at)
      return false;
    dc_text_append(table, ",", 1);
    dc_text_short_real(table, term, "");
    at = end + 2;
    if (*end == ']')
      break;
    if (end[0] != ',' || end[1] != ' ')
      return false;
  }
  dc_text_append(table, "\n", 1);
  return true;
}

// Makes a table of the loss's terms from progress.jsonl, which the caller frees; NULL when no row has any.
// Rows that cannot be read are left out, as the last one of a killed run may be.
enum dc_status dc_run_read_terms(const char *directory, char **table, struct dc_error *error)
{
  struct dc_text text = {0};
  char *path = dc_path_join(directory, "progress.jsonl"), *line = NULL;
  size_t capacity = 0;
  struct dc_opened opened;
  bool any = false;
  FILE *file = NULL;
  if (path)
    dc_open_stream(dc_open_here, path, DC_LINKS_FOLLOWED, LARGEST, &file, &opened);
  *table = NULL;
  dc_text_add(&text, "iteration\n");
  while (file && !text.failed && getline(&line, &capacity, file) > 0) {
    size_t before = text.length;
    if (take_terms(line, &text)) {
      any = true;
    } else if (!text.failed) {
      text.length = before;
      text.bytes[before] = '\0';
    }
  }
  bool failed = !path || text.failed;
  if (file)
    fclose(file);
  free(line);
  free(path);
  if (any && !failed)
    *table = text.bytes;
  else
    dc_text_free(&text);
  return failed ? dc_out_of_memory_in(error, directory) : DC_OK;
}

// Number of whole lines.
static long count_lines(const char *text)
{
  long lines = 0;
  for (const char *end; (end = strchr(text, '\n')); text = end + 1)
    lines++;
  return lines;
}

// Keeps the header and `most` rows at equal distances, the first and the last among them, in place.  *rows
// counts all rows, *kept those that stay.
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
