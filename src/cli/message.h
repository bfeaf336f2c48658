// SPDX-License-Identifier: Apache-2.0
// Messages on stderr and data on stdout.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <dcsim.h>
#include <stdbool.h>

// Prints "dcsim: <text>" on stderr; control characters, as file names may hold, are replaced (dcsim_make_printable).
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Does the same and returns status.
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// From now on messages are kept instead of printed: the last one, "" when there was none.
void cli_message_mute(void);
const char *cli_message_kept(void);

// Opens descriptors 0 to 2 where the caller left them closed, so that no file of a run gets one of these numbers;
// writing to such a stdout fails.
void cli_open_standard_streams(void);
// Prints the report on stdout, its JSON or its text, made printable, with a final newline.  A report without text
// prints nothing.
void cli_print_report(const dcsim_report *report, int json);
// Flushes and closes stdout at the end of a program: the status to end with.  Output that was lost is DCSIM_IO, with a
// message; where it may be cut, as by "| head", not when the reader of a pipe has gone.
int cli_leave(int status, bool may_be_cut);

#endif
