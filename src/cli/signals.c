// SPDX-License-Identifier: Apache-2.0
// Signals of the command line; handlers call async-signal-safe functions only.
//
// The first SIGINT or SIGTERM of a deferring command sets a flag that progress functions poll; a second one ends the
// program.  SIGUSR1 requests a checkpoint.
#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t deferred, silent, line_drawn, received, checkpoints, checkpoint_wanted;
static struct timespec first_time;

static const double same_signal = 0.5;  // s

// Messages from handlers: write() is safe there, stdio is not.  A line of progress that is drawn is ended
// first.
static void note(const char *text)
{
  if (line_drawn)
    (void)!write(STDERR_FILENO, "\n", 1);
  line_drawn = 0;
  (void)!write(STDERR_FILENO, text, strlen(text));
}

// The clock of the system may be set while a run goes on; this one only moves on.
static double seconds_since_first(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - first_time.tv_sec) + 1e-9 * (double)(now.tv_nsec - first_time.tv_nsec);
}

// Ends the program at once if nothing is deferred, or for a second signal.  One that follows within same_signal
// is the same request, which terminals and job managers may send to a process twice.
// errno is restored, since the handler may run between a failed call and the test of its reason.
static void stop(int signal_number)
{
  int saved = errno;
  if (!deferred || (received && seconds_since_first() > same_signal))
    _exit(128 + signal_number);
  if (!received) {
    clock_gettime(CLOCK_MONOTONIC, &first_time);
    received = signal_number;
    if (!silent)
      note("dcsim: stopping after this iteration; a second signal stops at once\n");
  }
  errno = saved;
}

// Notes the request if there is anything to write; the next report of progress takes it.
static void checkpoint(int signal_number)
{
  int saved = errno;
  (void)signal_number;
  checkpoint_wanted = checkpoints;
  if (!silent && checkpoints)
    note("dcsim: SIGUSR1: writing a checkpoint after this iteration\n");
  else if (!silent)
    note("dcsim: SIGUSR1: there is nothing to write a checkpoint of; going on\n");
  errno = saved;
}

// System calls go on after a handler (SA_RESTART): a run that is asked to stop ends its iteration and writes its
// files.
// A handler may be SIG_IGN or SIG_DFL, too.
static void handle(int signal_number, void (*handler)(int))
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  // Neither handler may interrupt the other, so that first_time is read consistently.
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(signal_number, &action, NULL);
}

// Shells start background jobs with SIGINT ignored; then it stays ignored.
static void handle_unless_ignored(int signal_number)
{
  struct sigaction inherited;
  if (sigaction(signal_number, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN)
    return;
  handle(signal_number, stop);
}

// Broken pipes and full quotas show as failed writes instead of ending the program, so that the run directory
// can be closed properly.
void cli_signals_install(void)
{
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
  handle(SIGUSR1, checkpoint);
  handle_unless_ignored(SIGINT);
  handle_unless_ignored(SIGTERM);
}

// For commands that only print: who reads no longer has seen enough, and the program may end as others do.
void cli_signals_end_with_reader(void)
{
  handle(SIGPIPE, SIG_DFL);
}

// From here on the first signal asks for an end instead of bringing it; quiet: without a word.
void cli_signals_defer(bool quiet)
{
  silent = quiet;
  deferred = 1;
}

// The number of the signal that asked for an end; 0: none.
int cli_signals_received(void)
{
  return received;
}

// A run directory is there, to which SIGUSR1 may ask for a checkpoint.
void cli_signals_allow_checkpoints(void)
{
  checkpoints = 1;
}

// Whether SIGUSR1 has asked for a checkpoint since the last call.
bool cli_signals_take_checkpoint(void)
{
  if (!checkpoint_wanted)
    return false;
  checkpoint_wanted = 0;
  return true;
}

// Whether the cursor stands behind a line of progress, which a message must end first.
void cli_signals_set_line(bool drawn)
{
  line_drawn = drawn;
}
