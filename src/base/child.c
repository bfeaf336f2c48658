// SPDX-License-Identifier: Apache-2.0
// The answer of the process goes through a pipe: struct answer, then the bytes.  Less than that is no answer, whatever the
// exit status: another part of the program may have collected that.
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

enum { ANSWER_FD = STDERR_FILENO + 1 };

struct answer {
  enum dc_status status;
  struct dc_error error;
  size_t size;
};

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

// DC_MEMORY, without a message, when there are fewer bytes.
static enum dc_status read_all(int fd, void *bytes, size_t size, struct dc_error *error)
{
  for (char *to = bytes; size;) {
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

// A run's lock among them, which must not outlive the run when that is killed.
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

// In the forked process: no exit handlers, no flushing of what the parent has in its buffers.
static _Noreturn void work_and_exit(dc_child_work *work, void *context, unsigned seconds, int fd)
{
  struct answer answer;
  char *bytes = NULL;
  memset(&answer, 0, sizeof answer);
  close_all_but(fd);
  if (seconds)
    setrlimit(RLIMIT_CPU, &(struct rlimit){.rlim_cur = seconds, .rlim_max = seconds});
  answer.status = work(context, &bytes, &answer.size, &answer.error);
  if (write_all(ANSWER_FD, &answer, sizeof answer) == 0 && bytes)
    write_all(ANSWER_FD, bytes, answer.size);
  _exit(0);
}

static enum dc_status receive(int fd, struct answer *answer, char **bytes, size_t *size, struct dc_error *error)
{
  enum dc_status status = read_all(fd, answer, sizeof *answer, error);
  if (status)
    return status;
  if (answer->status) {
    if (error)
      *error = answer->error;
    return answer->status;
  }
  *bytes = malloc(answer->size ? answer->size : 1);
  if (!*bytes)
    return dc_fail(error, DC_MEMORY, "out of memory for %zu bytes", answer->size);
  *size = answer->size;
  return read_all(fd, *bytes, *size, error);
}

// How a process ended that should have answered; 0 when another part of the program has asked for that already.
static int wait_for(pid_t child)
{
  int how = 0;
  while (waitpid(child, &how, 0) < 0)
    if (errno != EINTR)
      return 0;
  return how;
}

static enum dc_status fail_without_answer(int how, struct dc_error *error)
{
  if (WIFSIGNALED(how))
    return dc_fail(error, DC_MEMORY, "out of memory or time (the process for it ended with signal %d)", WTERMSIG(how));
  return dc_fail(error, DC_MEMORY, "out of memory (the process for it ended with status %d)", WEXITSTATUS(how));
}

enum dc_status dc_child_run(dc_child_work *work, void *context, unsigned seconds, char **bytes, size_t *size,
                            struct dc_error *error)
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
    work_and_exit(work, context, seconds, ends[1]);
  int reason = errno;
  close(ends[1]);
  enum dc_status status = child < 0 ? dc_fail(&local, DC_MEMORY, "no memory for a process: %s", strerror(reason))
                                    : receive(ends[0], &answer, bytes, size, &local);
  close(ends[0]);
  if (child > 0) {
    int how = wait_for(child);
    if (status && !local.text[0])
      fail_without_answer(how, &local);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (status) {
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    if (error)
      *error = local;
  }
  return status;
}
