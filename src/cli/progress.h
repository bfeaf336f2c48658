// SPDX-License-Identifier: Apache-2.0
// Progress on stderr: a line with a bar that is redrawn on a terminal, now and then a plain line otherwise.
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
  int drawn;       // columns that an unfinished line covers on the terminal; 0: none stands there
  double printed;  // time of the last line, s; negative: none
  // First report that said which part of the work is done, which a resumed run does not begin with 0; later ones are
  // compared with it.
  double first_fraction;  // negative: none yet
  double first_time;      // s
  double draws_began;     // s, time of the first draw of a first guess
  bool sparks;            // the terminal shows Unicode
  // Losses so far: that of every stride-th report; where there is no room every other one is dropped.
  double history[CLI_SPARKS];
  int kept, stride, offered;
  dcsim_view *view;  // that is told, and asked what to do; NULL: none
};

void cli_progress_start(struct cli_progress *progress, const char *unit, bool losses, double max_seconds, bool quiet);
// A dcsim_progress_function; context is the struct cli_progress.  128 and the signal after the first SIGINT or SIGTERM,
// DCSIM_PROGRESS_CHECKPOINT after SIGUSR1 where checkpoints are allowed.
int cli_progress_report(void *context, const dcsim_progress *report);
// Ends the line.
void cli_progress_finish(struct cli_progress *progress);

// A monotonic clock, s.
double cli_seconds(void);

#endif
