// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

enum { PLAIN_EVERY = 10, WIDEST = 200 };
static const double redraw_seconds = 0.2;  // least time between two lines
static const double silent_seconds = 10;   // most time without one

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_set(const char *variable)
{
  const char *value = getenv(variable);
  return value && value[0];
}

void cli_progress_start(struct cli_progress *progress, const char *unit, bool losses, double max_seconds, bool quiet)
{
  const char *kind = getenv("TERM");
  bool terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0;
  *progress = (struct cli_progress){.unit = unit,
                                    .losses = losses,
                                    .max_seconds = max_seconds,
                                    .quiet = quiet,
                                    .terminal = terminal,
                                    .color = terminal && !is_set("NO_COLOR"),
                                    .printed = -1,
                                    .last = -1,
                                    .first = -1};
}

// "1:02:03", or "" when nothing can be said.
static void remaining(const struct cli_progress *progress, const dcsim_progress *report, char *text, size_t size)
{
  text[0] = '\0';
  if (!(report->seconds > 0) || report->iteration < 0 || report->iterations <= report->iteration)
    return;
  double seconds =
      report->seconds * (report->iterations - report->iteration) / (report->iteration - progress->first + 1.0);
  if (progress->max_seconds > 0)
    seconds = fmax(0, fmin(seconds, progress->max_seconds - report->seconds));
  if (seconds < 1e7)
    snprintf(text, size, "  ETA %ld:%02ld:%02ld", (long)seconds / 3600, (long)seconds / 60 % 60, (long)seconds % 60);
}

static void format_line(const struct cli_progress *progress, const dcsim_progress *report, char *text, size_t size)
{
  char left[32], gap[48] = "";
  const char *unit = report->unit ? report->unit : progress->unit;
  remaining(progress, report, left, sizeof left);
  if (isfinite(report->min_gap))
    snprintf(gap, sizeof gap, "  gap %.3g m", report->min_gap);
  if (progress->losses)
    snprintf(text, size, "%s %d/%d  loss %.6g  best %.6g%s  %.1f s%s", unit, report->iteration, report->iterations,
             report->loss, report->best_loss, gap, report->seconds, left);
  else
    snprintf(text, size, "%s %d/%d  %.1f s%s", unit, report->iteration, report->iterations, report->seconds, left);
}

static bool is_due(const struct cli_progress *progress, const dcsim_progress *report, double time)
{
  if (progress->printed < 0 || report->iteration >= report->iterations)
    return true;
  double waited = time - progress->printed;
  if (waited < redraw_seconds)
    return false;
  bool round = report->iteration % PLAIN_EVERY == 0 && report->iteration != progress->last;
  return progress->terminal || round || waited >= silent_seconds;
}

// A line never wraps: the cursor could not go back to its beginning.
static void cut_to_terminal(char *text)
{
  struct winsize window;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && strlen(text) >= window.ws_col)
    text[window.ws_col - 1] = '\0';
}

int cli_progress_report(void *context, const dcsim_progress *report)
{
  struct cli_progress *progress = context;
  double time = now();
  if (progress->first < 0)
    progress->first = report->iteration;
  if (!progress->quiet && report->iterations > 0 && is_due(progress, report, time)) {
    char text[WIDEST];
    format_line(progress, report, text, sizeof text);
    progress->printed = time;
    progress->last = report->iteration;
    if (progress->terminal) {
      cut_to_terminal(text);
      bool green = progress->color && progress->losses && report->is_best;
      fprintf(stderr, "\r%s%s%s\033[K", green ? "\033[32m" : "", text, green ? "\033[0m" : "");
      progress->drawn = true;
      cli_signals_set_line(true);
    } else {
      fprintf(stderr, "%s\n", text);
    }
    fflush(stderr);
  }
  if (cli_signals_received())
    return 128 + cli_signals_received();
  return cli_signals_take_checkpoint() ? DCSIM_PROGRESS_CHECKPOINT : 0;
}

void cli_progress_finish(struct cli_progress *progress)
{
  cli_signals_set_line(false);
  if (progress->drawn)
    fputc('\n', stderr);
  progress->drawn = false;
}
