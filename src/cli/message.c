// SPDX-License-Identifier: Apache-2.0
// Messages on standard error, made printable; on ranks other than 0 they are kept instead of printed.
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool muted;
static char kept[1024];

static void print(const char *format, va_list arguments)
{
  char text[4096];
  vsnprintf(text, sizeof text, format, arguments);
  if (muted)
    snprintf(kept, sizeof kept, "%.1000s", text);
  else
    fprintf(stderr, "dcsim: %s\n", dcsim_make_printable(text));
}

void cli_message_mute(void)
{
  muted = true;
}

const char *cli_message_kept(void)
{
  return kept;
}

void cli_message(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

int cli_fail(int status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
  return status;
}

// Levenshtein distance, ignoring case; names longer than the buffer are far from everything.
static int edit_distance(const char *a, const char *b)
{
  enum { LONGEST = 40 };
  int row[LONGEST + 1];
  int columns = (int)strnlen(b, LONGEST + 1);
  if (columns > LONGEST || strnlen(a, LONGEST + 1) > LONGEST)
    return LONGEST;
  for (int j = 0; j <= columns; j++)
    row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= columns; j++) {
      int replace = diagonal + (strncasecmp(&a[i - 1], &b[j - 1], 1) != 0);
      int insert = row[j - 1] + 1, drop = row[j] + 1;
      diagonal = row[j];
      row[j] = replace < insert ? replace : insert;
      if (drop < row[j])
        row[j] = drop;
    }
  }
  return row[columns];
}

// The candidate nearest to a mistyped name; NULL when more than 3 letters, or more than half of the candidate, differ.
// A beginning of at least 3 letters always counts as near.
const char *cli_suggest(const char *name, const char *const *candidates)
{
  enum { FAR = 4 };
  const char *nearest = NULL;
  int nearest_distance = FAR;
  for (int i = 0; candidates[i]; i++) {
    // A beginning of a name counts as near, however much is missing.
    bool prefix = strlen(name) >= 3 && strncmp(candidates[i], name, strlen(name)) == 0;
    int distance = prefix ? 1 : edit_distance(name, candidates[i]);
    if (distance < nearest_distance && 2 * distance <= (int)strlen(candidates[i])) {
      nearest = candidates[i];
      nearest_distance = distance;
    }
  }
  return nearest;
}

void cli_open_standard_streams(void)
{
  for (int descriptor = 0; descriptor <= 2; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR);
}

void cli_print_report(const dcsim_report *report, int json)
{
  const char *text = json ? report->json : dcsim_make_printable(report->text);
  size_t length = text ? strlen(text) : 0;
  if (length == 0)
    return;
  fwrite(text, 1, length, stdout);
  if (text[length - 1] != '\n')
    putchar('\n');
}

int cli_close_output(void)
{
  errno = 0;
  bool lost = ferror(stdout) != 0;
  if (fflush(stdout) != 0)
    lost = true;
  int reason = errno;
  if (fclose(stdout) != 0 && !lost) {
    lost = true;
    reason = errno;
  }
  if (!lost)
    return DCSIM_OK;
  return cli_fail(DCSIM_IO, "standard output: %s", reason ? strerror(reason) : "write error");
}
