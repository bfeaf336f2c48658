// SPDX-License-Identifier: Apache-2.0
// Progress on stderr: a line that is redrawn on a terminal, now and then a plain line otherwise.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <dcsim.h>
#include <stdbool.h>

struct cli_progress {
  const char *unit;    // what is counted: "iteration", "frame"
  bool losses;         // show loss and gap
  double max_seconds;  // 0: no limit
  bool quiet, terminal, color;
  bool drawn;      // a line without its end stands on the terminal
  double printed;  // time of the last line, s; negative: none
  int last;        // iteration it showed; negative: none
  int first;       // iteration of the first report, which a resumed run does not begin with 0; negative: none
};

void cli_progress_start(struct cli_progress *progress, const char *unit, bool losses, double max_seconds, bool quiet);
// A dcsim_progress_function; context is the struct cli_progress.  128 and the signal after the first SIGINT or SIGTERM,
// DCSIM_PROGRESS_CHECKPOINT after SIGUSR1 where checkpoints are allowed.
int cli_progress_report(void *context, const dcsim_progress *report);
// Ends the line.
void cli_progress_finish(struct cli_progress *progress);

#endif
