// SPDX-License-Identifier: Apache-2.0
// Signals.  The first SIGINT or SIGTERM asks a run to finish its iteration, the second ends the process.
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

// SIGPIPE and SIGXFSZ are ignored, so that writing fails with a reason; SIGUSR1 leaves a note and nothing else; SIGINT
// and SIGTERM end the process with 130 or 143.
void cli_signals_install(void);

// For commands that only tell something: a reader that has had enough, such as head, ends the process, as it ends other
// programs.  Runs go on without their reader.
void cli_signals_end_with_reader(void);

// From now on the first SIGINT or SIGTERM is only noted.  Signals within half a second of it count as the same one:
// timeout(1) and schedulers send it to the process and to its group.  quiet: no note on stderr.
void cli_signals_defer(bool quiet);

// The first SIGINT or SIGTERM that was noted, or 0.
int cli_signals_received(void);

// From now on SIGUSR1 asks for a checkpoint.
void cli_signals_allow_checkpoints(void);

// Whether a checkpoint was asked for since the last call.
bool cli_signals_take_checkpoint(void);

// Whether an unfinished progress line stands on the terminal, so that notes begin on a new line.
void cli_signals_set_line(bool drawn);

#endif
