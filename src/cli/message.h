// SPDX-License-Identifier: Apache-2.0
// Messages on stderr and data on stdout.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <dcsim.h>

// "dcsim: <text>" on stderr; what dcsim_make_printable replaces, a file name may hold.
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The same; returns status.
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// From now on messages are kept instead: the last one, "" while there was none.
void cli_message_mute(void);
const char *cli_message_kept(void);

// The nearest of the NULL-terminated candidates for "did you mean", or NULL when none is near.
const char *cli_suggest(const char *name, const char *const *candidates);

// Opens descriptors 0 to 2 where the caller left them closed, so that no file of a run becomes one of them; what is
// then written to stdout fails.
void cli_open_standard_streams(void);
// The report on stdout: its JSON or its text, made printable, with a newline at the end.  A report without text prints
// nothing.
void cli_print_report(const dcsim_report *report, int json);
// Flushes and closes stdout.  DCSIM_IO, with a message, when anything written to it was lost.
int cli_close_output(void);

#endif
