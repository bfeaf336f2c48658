// SPDX-License-Identifier: Apache-2.0
// Messages on standard error, made printable; on ranks other than 0 they are kept instead of printed.
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool muted;
static char kept[1024];

// Prints one line, or keeps it for rank 0, which alone has the terminal.  Control characters are replaced: names in
// messages come from files of others.
// Lines are at most 4 kB; longer messages are cut off.
static void print(const char *format, va_list arguments)
{
  char text[4096];
  vsnprintf(text, sizeof text, format, arguments);
  if (muted)
    snprintf(kept, sizeof kept, "%.1000s", text);
  else
    fprintf(stderr, "dcsim: %s\n", dcsim_make_printable(text));
}

// From here on messages are kept, the last one only: for ranks other than 0, which have no terminal of their own.
void cli_message_mute(void)
{
  muted = true;
}

// The last message that was kept, "" without; it belongs to the program.
const char *cli_message_kept(void)
{
  return kept;
}

// A line "dcsim: ..." on standard error, formatted like printf without a line end.
void cli_message(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

// A message on the error stream, and the status it goes with, so that a failure is one line: return cli_fail(...).
int cli_fail(int status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
  return status;
}

// A program may be started without streams 0 to 2, and files opened later would take their numbers.  They get
// /dev/null; standard output only for reading, so that what is written to it fails and is noticed at the end.
void cli_open_standard_streams(void)
{
  for (int descriptor = 0; descriptor <= 2; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", descriptor == 1 ? O_RDONLY : O_RDWR);
}

// JSON is complete and printable by itself; text may hold names, whose control characters are replaced.
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

// Whether the program at the other end of the pipe has gone.
static bool nobody_reads(void)
{
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}

// Output is lost if any write failed, also the last one, or the closing.  Where the reader of a pipe has gone
// and the command only prints, that is no failure.
// A disk that is full often shows only when the buffer is flushed, or when a network file is closed.
static int close_output(bool may_be_cut)
{
  errno = 0;
  bool lost = ferror(stdout) != 0;
  if (fflush(stdout) != 0)
    lost = true;
  // The reason is kept before anything else can change it.
  int reason = errno;
  bool cut = lost && may_be_cut && nobody_reads();
  if (fclose(stdout) != 0 && !lost) {
    lost = true;
    reason = errno;
  }
  if (!lost)
    return DCSIM_OK;
  if (cut)
    return DCSIM_OK;
  return cli_fail(DCSIM_IO, "standard output: %s", reason ? strerror(reason) : "write error");
}

// The status that the program ends with: that of its command, or of output that was lost.  It does not return where
// memory is out.
int cli_leave(int status, bool may_be_cut)
{
  int lost = close_output(may_be_cut);
  // An earlier failure is the cause and keeps its status; an unmet condition cannot be reported when the report is
  // lost.
  status = lost && status <= DCSIM_UNMET ? lost : status;
  // OpenBLAS waits at exit for threads of its own, which look for memory for ever.
  if (status == DCSIM_MEMORY) {
    fflush(NULL);
    _exit(status);
  }
  return status;
}
