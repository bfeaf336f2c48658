// SPDX-License-Identifier: Apache-2.0
// Formats progress: parts of a line (count, bar, curve of losses, loss, best, gap, times), of which the least important
// are dropped on a narrow terminal.
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"

enum {
  DEFAULT_WIDTH = 80,  // columns of a terminal of unknown width
  WIDEST = 240,
  SHORTEST_BAR = 8,  // columns; a shorter bar is not drawn
  LONGEST_BAR = 40
};
static const double redraw_seconds = 0.2;  // least time between redrawn lines, s
static const double plain_seconds = 5;     // least time between plain lines, s

// Seconds of a clock that is never set back, from an arbitrary beginning.
double cli_seconds(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Whether a variable is set to something: an empty one counts as unset, as no-color.org asks.
static bool is_set(const char *variable)
{
  const char *value = getenv(variable);
  return value && value[0];
}

// Whether the environment says that output is UTF-8.
static bool is_unicode(void)
{
  static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++)
    if (is_set(variables[i])) {
      const char *value = getenv(variables[i]);
      return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
  return false;
}

// Colours and redrawn lines are for terminals that can do them, curves for those with UTF-8; NO_COLOR is
// respected.
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
                                    .first_fraction = -1,
                                    .sparks = terminal && is_unicode(),
                                    .stride = 1};
}

// Only every stride-th loss is kept.  When the room is full every other one is dropped and the stride doubles,
// so the curve always spans the whole run.
// CLI_SPARKS points are about as many as a terminal has columns to spare.
static void keep_loss(struct cli_progress *progress, double loss)
{
  if (!progress->losses || !isfinite(loss) || progress->offered++ % progress->stride)
    return;
  // Every other loss stays: the curve keeps its shape, with half the points.
  if (progress->kept == CLI_SPARKS) {
    for (int i = 0; i < CLI_SPARKS / 2; i++)
      progress->history[i] = progress->history[2 * i];
    progress->kept = CLI_SPARKS / 2;
    progress->stride *= 2;
  }
  progress->history[progress->kept++] = loss;
}

// Draws the losses as a curve in eighths of a line's height, 3 bytes of UTF-8 each, on a logarithmic scale if all are
// positive.
// The characters are U+2581 to U+2588, whose UTF-8 forms differ in the last byte alone.
static void draw_sparks(const struct cli_progress *progress, char *text)
{
  double low = INFINITY, high = -INFINITY;
  bool logarithms = true;
  for (int i = 0; i < progress->kept; i++) {
    low = fmin(low, progress->history[i]), high = fmax(high, progress->history[i]);
    logarithms = logarithms && progress->history[i] > 0;
  }
  text = stpcpy(text, "  ");
  for (int i = 0; i < progress->kept; i++) {
    double value = progress->history[i];
    // Equal losses have no range to divide by; a part that is not positive, NAN among it, is the lowest eighth.
    double part = logarithms ? log(value / low) / log(high / low) : (value - low) / (high - low);
    int eighth = part > 0 ? (int)(part * 7.999) : 0;
    *text++ = '\xe2', *text++ = '\x96', *text++ = (char)(0x81 + eighth);
  }
  *text = '\0';
}

// The parts of a line, in the order in which they are dropped on a narrow terminal.
enum part { SPARKS, GAP, ELAPSED, BEST, BAR, LOSS, LEFT, COUNT, PARTS };
static const enum part reading_order[PARTS] = {COUNT, BAR, SPARKS, LOSS, BEST, GAP, ELAPSED, LEFT};

struct line {
  char text[PARTS][64];
};

// Whether the report is about draws of a first guess, which come before iterations and have a count of their own.
static bool is_draw(const dcsim_progress *report)
{
  return report->unit && strcmp(report->unit, "draw") == 0;
}

// Seconds left, NAN when unknown, extrapolated from the fraction done since the first report.  Draws of a first guess
// end with the first good one, so that their estimate is an upper bound.
// With f done since the first report at t₀ the estimate is (t - t₀) (1 - f) / (f - f₀).  A run that is resumed begins
// at f₀ > 0, and the part done before has cost nothing now.  The limit of time bounds the estimate.
static double seconds_left(const struct cli_progress *progress, const dcsim_progress *report, double time)
{
  double seconds = NAN, done = report->fraction - progress->first_fraction;
  if (is_draw(report) && report->iteration > 1)
    seconds = (time - progress->draws_began) * (report->iterations - report->iteration) / (report->iteration - 1);
  else if (!is_draw(report) && report->fraction < 1 && progress->first_fraction >= 0 && done > 0)
    seconds = (time - progress->first_time) * (1 - report->fraction) / done;
  if (progress->max_seconds > 0 && isfinite(seconds))
    seconds = fmax(0, fmin(seconds, progress->max_seconds - report->seconds));
  return seconds;
}

// Prints the parts of a line of progress; parts that have no number stay empty.
static void format_parts(const struct cli_progress *progress, const dcsim_progress *report, double time,
                         struct line *line)
{
  enum { SIZE = sizeof line->text[0] };
  const char *unit = report->unit ? report->unit : progress->unit;
  double left = seconds_left(progress, report, time);
  *line = (struct line){0};
  snprintf(line->text[COUNT], SIZE, "%s %d/%d", unit, report->iteration, report->iterations);
  if (progress->losses && isfinite(report->loss))
    snprintf(line->text[LOSS], SIZE, "  loss %.6g", report->loss);
  if (progress->losses && isfinite(report->best_loss))
    snprintf(line->text[BEST], SIZE, "  best %.6g", report->best_loss);
  if (progress->losses && isfinite(report->min_gap))
    snprintf(line->text[GAP], SIZE, "  gap %.3g m", report->min_gap);
  snprintf(line->text[ELAPSED], SIZE, "  %.1f s", report->seconds);
  if (progress->sparks && progress->kept > 1)
    draw_sparks(progress, line->text[SPARKS]);
  if (left < 1e7)
    snprintf(line->text[LEFT], SIZE, "  ETA %s%ld:%02ld:%02ld", is_draw(report) ? "< " : "", (long)left / 3600,
             (long)left / 60 % 60, (long)left % 60);
}

// The width is asked for with every line: windows change their size.
static int terminal_width(void)
{
  struct winsize window;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
    return window.ws_col < WIDEST ? window.ws_col : WIDEST;
  return DEFAULT_WIDTH;
}

// Columns of UTF-8 text: the number of bytes that begin a character.
static int columns_of(const char *text)
{
  int columns = 0;
  for (; *text; text++)
    columns += (*text & 0xc0) != 0x80;
  return columns;
}

// Columns of all parts together, in whatever order they are printed.
static int length_of(const struct line *line)
{
  int length = 0;
  for (int i = 0; i < PARTS; i++)
    length += columns_of(line->text[i]);
  return length;
}

// Shortens the bar to the room there is, then drops parts: a line must never wrap, since the cursor could not return to
// its start.
// The parts before COUNT in the enumeration may be dropped, the count never.  fraction < 0: there is no bar.
static void fit(struct line *line, double fraction, int columns)
{
  static const char frame[] = "  []";
  int bar = (int)strlen(frame) + SHORTEST_BAR;
  bool has_bar = fraction >= 0;
  for (int i = 0; i < COUNT && length_of(line) + (has_bar ? bar : 0) > columns; i++) {
    line->text[i][0] = '\0';
    has_bar = has_bar && i != BAR;
  }
  if (!has_bar)
    return;
  int room = columns - length_of(line) - (int)strlen(frame);
  int width = room < LONGEST_BAR ? room : LONGEST_BAR, full = (int)(fmin(fraction, 1) * width);
  char *at = stpcpy(line->text[BAR], "  [");
  for (int i = 0; i < width; i++)
    *at++ = i < full ? '=' : i == full ? '>' : ' ';
  strcpy(at, "]");
}

// Puts the parts together as they are read, not in the order in which they are dropped.
static void join(const struct line *line, char *text)
{
  text[0] = '\0';
  for (int i = 0; i < PARTS; i++)
    strcat(text, line->text[reading_order[i]]);
}

// Draws the line over the one before.  Text is cut by bytes only where it has no characters of several bytes.
// The green of a new best loss lasts until the next line is drawn.  What an earlier, longer line has left is
// overwritten with blanks, as not every terminal erases to the end of a line.
static void draw(struct cli_progress *progress, const dcsim_progress *report, struct line *line)
{
  char text[sizeof line->text + 1];
  int width = terminal_width() - 1;
  fit(line, report->fraction, width);
  join(line, text);
  if ((int)strlen(text) > width && columns_of(text) > width)
    text[width] = '\0';  // the parts that are always present are ASCII
  int length = columns_of(text), before = progress->drawn < width ? progress->drawn : width;
  bool green = progress->color && progress->losses && report->is_best;
  fprintf(stderr, "\r%s%s%s%*s", green ? "\033[32m" : "", text, green ? "\033[0m" : "",
          before > length ? before - length : 0, "");
  progress->drawn = length > before ? length : before;
  cli_signals_set_line(true);
}

// The first and the last report of a run are always shown, others after some time.
static bool is_due(const struct cli_progress *progress, const dcsim_progress *report, double time)
{
  bool end = report->iteration >= report->iterations && !is_draw(report);
  if (progress->printed < 0 || end)
    return true;
  return time - progress->printed >= (progress->terminal ? redraw_seconds : plain_seconds);
}

// Draws the line on a terminal, or prints it as a line of its own, where everything is kept: a log has no
// width.
static void show(struct cli_progress *progress, const dcsim_progress *report, double time)
{
  struct line line;
  format_parts(progress, report, time, &line);
  progress->printed = time;
  if (progress->terminal) {
    draw(progress, report, &line);
  } else {
    char text[sizeof line.text + 1];
    join(&line, text);
    fprintf(stderr, "%s\n", text);
  }
  fflush(stderr);
}

// A heartbeat between two reports has no numbers.
static bool is_empty(const dcsim_progress *report)
{
  return report->fraction < 0 && isnan(report->loss);
}

// Passes the report to the live view and takes its requests; waits while it is paused.
static int ask_view(dcsim_view *view, const dcsim_progress *report)
{
  static const struct timespec moment = {.tv_nsec = 20000000};
  int wish = dcsim_view_observe(view, is_empty(report) ? NULL : report);
  while (dcsim_view_is_paused(view) && !cli_signals_received()) {
    nanosleep(&moment, NULL);
    wish = wish ? wish : dcsim_view_observe(view, NULL);
    if (wish)
      break;
  }
  return wish ? wish : dcsim_view_observe(view, NULL);
}

// Called by the library after every iteration: notes losses and times for the estimate, draws the line when it is due,
// asks the live view, and answers with a signal, the request of a checkpoint, or 0.
// The answer is that of dcsim_run_options.progress: 0 goes on, DCSIM_PROGRESS_CHECKPOINT asks for a checkpoint,
// anything else stops.  A signal has precedence over the live view, and a stop over a checkpoint.
int cli_progress_report(void *context, const dcsim_progress *report)
{
  struct cli_progress *progress = context;
  double time = cli_seconds();
  if (is_draw(report)) {
    if (report->iteration == 1)
      progress->draws_began = time;
  } else if (progress->first_fraction < 0 && !is_empty(report)) {
    progress->first_fraction = report->fraction;
    progress->first_time = time;
  }
  if (!is_draw(report))
    keep_loss(progress, report->loss);
  if (!progress->quiet && report->iterations > 0 && is_due(progress, report, time))
    show(progress, report, time);
  int wish = progress->view ? ask_view(progress->view, report) : 0;
  if (cli_signals_received())
    return 128 + cli_signals_received();
  return cli_signals_take_checkpoint() ? DCSIM_PROGRESS_CHECKPOINT : wish;
}

// Leaves the last line standing and begins a new one, so that what follows is not drawn over.
void cli_progress_finish(struct cli_progress *progress)
{
  cli_signals_set_line(false);
  if (progress->drawn)
    fputc('\n', stderr);
  progress->drawn = 0;
}
