// SPDX-License-Identifier: Apache-2.0
// Progress on stderr: on a terminal a line with a bar that is redrawn, otherwise a plain line every few seconds.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <dcsim.h>
#include <stdbool.h>

enum { CLI_SPARKS = 16 };  // columns of the curve of losses

struct cli_progress {
  const char *unit;    // what is counted: "iteration", "frame"
  bool losses;         // show loss and gap
  double max_seconds;  // 0: no limit
  bool quiet, terminal, color;
  int drawn;       // columns of an unfinished line on the terminal; 0: none
  double printed;  // time of the last line, s; negative: none
  // The first report with a fraction, which for a resumed run is not 0; the speed is computed since then.
  double first_fraction;  // negative: none yet
  double first_time;      // s
  double draws_began;     // time of the first draw of a first guess, s
  bool sparks;            // the terminal shows Unicode
  // Losses so far: every stride-th report; when full, every other one is dropped and stride doubles.
  double history[CLI_SPARKS];
  int kept, stride, offered;
  dcsim_view *view;  // live view that gets the reports; NULL: none
};

void cli_progress_start(struct cli_progress *progress, const char *unit, bool losses, double max_seconds, bool quiet);
// A dcsim_progress_function with the struct cli_progress as context.  Returns 128 + signal after the first SIGINT or
// SIGTERM, and DCSIM_PROGRESS_CHECKPOINT after SIGUSR1 where checkpoints are allowed.
int cli_progress_report(void *context, const dcsim_progress *report);
// Ends the line.
void cli_progress_finish(struct cli_progress *progress);

// A monotonic clock, s.
double cli_seconds(void);

#endif
