// SPDX-License-Identifier: Apache-2.0
// Runs a function in a forked process and brings its answer back through a pipe.
//
// 1. All signals are blocked while the process forks, so that no handler of this program runs in the child; then the
//    parent takes signals again.  The system ends the child when its parent ends.
// 2. The child closes every file but the pipe and the standard ones, sets its limits, works, writes struct answer and
//    then the bytes, and leaves by _exit: exit handlers and buffered output belong to the parent.
// 3. The parent reads until the end of the pipe, or until the child has had its time, and collects the child.  Less
//    than a whole answer is no answer, whatever the exit status says: another part of the program may have collected
//    that.
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "base/clock.h"

enum { ANSWER_FD = STDERR_FILENO + 1 };

// A child with a limit of processor time may take so many times as long by the wall clock: it may share its core with
// others, but one that waits (for a file that is a pipe, for a lock) is ended.
enum { WALL_PER_PROCESSOR_TIME = 10 };

// The first part of the message from the child; `size` bytes follow it.
struct answer {
  enum dc_status status;
  struct dc_error error;
  size_t size;
};

// A pipe may take fewer bytes than it is given, and signals may interrupt the call; 0, or -1 with errno.
static int write_all(int fd, const void *bytes, size_t size)
{
  for (const char *from = bytes; size;) {
    ssize_t written = write(fd, from, size);
    if (written < 0 && errno != EINTR)
      return -1;
    from += written < 0 ? 0 : written;
    size -= written < 0 ? 0 : (size_t)written;
  }
  return 0;
}

// Waits until there is something to read or the time is over (deadline by dc_seconds; 0: no limit).
static bool is_ready(int fd, double deadline)
{
  for (;;) {
    double left = deadline > 0 ? deadline - dc_seconds() : 1000;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (left <= 0)
      return false;
    if (poll(&ready, 1, (int)(1000 * (left < 1000 ? left : 1000)) + 1) > 0)
      return true;
  }
}

// DC_MEMORY, without a message, when there are fewer bytes, or no more before the deadline.
static enum dc_status read_all(int fd, double deadline, void *bytes, size_t size, struct dc_error *error)
{
  for (char *to = bytes; size;) {
    if (!is_ready(fd, deadline))
      return DC_MEMORY;
    ssize_t got = read(fd, to, size);
    if (got < 0 && errno != EINTR)
      return dc_fail(error, DC_IO, "the answer of a process cannot be read: %s", strerror(errno));
    if (got == 0)
      return DC_MEMORY;
    to += got < 0 ? 0 : got;
    size -= got < 0 ? 0 : (size_t)got;
  }
  return DC_OK;
}

// Closes all open files but the standard ones and the pipe.  A run's lock is among them, and must not outlive the run
// when that is killed.
static void close_all_but(int answer)
{
  dup2(answer, ANSWER_FD);
#ifdef HAVE_CLOSE_RANGE
  if (close_range(ANSWER_FD + 1, ~0U, 0) == 0)
    return;
#endif
  for (long fd = ANSWER_FD + 1, end = sysconf(_SC_OPEN_MAX); fd < end; fd++)
    close((int)fd);
}

// Bytes of address space that this process has; 0: not known.
static size_t address_space(void)
{
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1)
    pages = 0;
  if (file)
    fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// Limits processor time and address space; a wary child writes no core file and prints nothing.
static void set_limits(const struct dc_child_limits *limits)
{
  size_t used = limits->megabytes ? address_space() : 0;
  if (limits->seconds)
    setrlimit(RLIMIT_CPU, &(struct rlimit){.rlim_cur = limits->seconds, .rlim_max = limits->seconds});
  struct rlimit space;
  if (used && getrlimit(RLIMIT_AS, &space) == 0) {
    rlim_t most = used + ((rlim_t)limits->megabytes << 20);
    space.rlim_cur = space.rlim_cur < most ? space.rlim_cur : most;  // RLIM_INFINITY is the largest number
    setrlimit(RLIMIT_AS, &space);
  }
  if (limits->wary) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
    }
  }
}

// Runs in the forked process: no exit handlers, and no flushing of the parent's buffers.
static _Noreturn void work_and_exit(dc_child_work *work, void *context, const struct dc_child_limits *limits, int fd)
{
  struct answer answer;
  char *bytes = NULL;
  memset(&answer, 0, sizeof answer);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_all_but(fd);
  set_limits(limits);
  answer.status = work(context, &bytes, &answer.size, &answer.error);
  if (write_all(ANSWER_FD, &answer, sizeof answer) == 0 && bytes)
    write_all(ANSWER_FD, bytes, answer.size);
  _exit(0);
}

// Reads the answer and the bytes behind it.  Without an answer: DC_MEMORY, and the message stays empty.
static enum dc_status receive(int fd, double deadline, struct answer *answer, char **bytes, size_t *size,
                              struct dc_error *error)
{
  enum dc_status status = read_all(fd, deadline, answer, sizeof *answer, error);
  if (status)
    return status;
  if (answer->status) {
    if (error)
      *error = answer->error;
    return answer->status;
  }
  *bytes = malloc(answer->size ? answer->size : 1);
  if (!*bytes)
    return dc_out_of_memory_for(error, "%zu bytes", answer->size);
  *size = answer->size;
  return read_all(fd, deadline, *bytes, *size, error);
}

// Waits for the child and returns its wait status; 0 when another part of the program has collected it already.
static int wait_for(pid_t child)
{
  int how = 0;
  while (waitpid(child, &how, 0) < 0)
    if (errno != EINTR)
      return 0;
  return how;
}

// Explains, from the wait status, why a child ended without an answer.
static enum dc_status fail_without_answer(int how, const struct dc_child_limits *limits, struct dc_error *error)
{
  if (limits->wary && WIFSIGNALED(how) && (WTERMSIG(how) == SIGKILL || WTERMSIG(how) == SIGXCPU))
    return dc_fail(error, DC_BAD_INPUT, "takes more than %u s or %u MB", limits->seconds, limits->megabytes);
  if (limits->wary && WIFSIGNALED(how))
    return dc_fail(error, DC_BAD_INPUT, "the process that reads it broke down (signal %d)", WTERMSIG(how));
  if (limits->wary)
    return dc_fail(error, DC_BAD_INPUT, "the process that reads it broke down (status %d)", WEXITSTATUS(how));
  if (WIFSIGNALED(how))
    return dc_fail(error, DC_MEMORY, "out of memory or time (the process for it ended with signal %d)", WTERMSIG(how));
  return dc_fail(error, DC_MEMORY, "out of memory (the process for it ended with status %d)", WEXITSTATUS(how));
}

// The steps of the head.  Errors are kept apart in `local` until the child's end is known, which may have to stand in
// for a message that never came.
enum dc_status dc_child_run_within(const struct dc_child_limits *limits, dc_child_work *work, void *context,
                                   char **bytes, size_t *size, struct dc_error *error)
{
  int ends[2];
  struct answer answer;
  struct dc_error local = {0};
  sigset_t all, before;
  *bytes = NULL;
  *size = 0;
  if (pipe2(ends, O_CLOEXEC))
    return dc_fail(error, DC_MEMORY, "no pipe to a process: %s", strerror(errno));
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0)
    work_and_exit(work, context, limits, ends[1]);
  int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  double deadline = limits->seconds ? dc_seconds() + WALL_PER_PROCESSOR_TIME * (double)limits->seconds : 0;
  enum dc_status status = child < 0 ? dc_fail(&local, DC_MEMORY, "no memory for a process: %s", strerror(reason))
                                    : receive(ends[0], deadline, &answer, bytes, size, &local);
  close(ends[0]);
  if (child > 0) {
    if (status && deadline > 0 && dc_seconds() > deadline)
      kill(child, SIGKILL);
    int how = wait_for(child);
    if (status && !local.text[0])
      status = fail_without_answer(how, limits, &local);
  }
  if (status) {
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    if (error)
      *error = local;
  }
  return status;
}

enum dc_status dc_child_run(dc_child_work *work, void *context, unsigned seconds, char **bytes, size_t *size,
                            struct dc_error *error)
{
  return dc_child_run_within(&(struct dc_child_limits){.seconds = seconds}, work, context, bytes, size, error);
}

enum dc_status dc_child_run_wary(dc_child_work *work, void *context, unsigned seconds, unsigned megabytes, char **bytes,
                                 size_t *size, struct dc_error *error)
{
  const struct dc_child_limits limits = {.seconds = seconds, .megabytes = megabytes, .wary = true};
  return dc_child_run_within(&limits, work, context, bytes, size, error);
}
