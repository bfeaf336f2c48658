// SPDX-License-Identifier: Apache-2.0
// One point as a child process: its arguments, start, end and outcome.
//
// The outcome is read from the run directory (run.json, certificate.json); standard error is read for the message of a
// failure.  A process that was interrupted by a signal that does not concern the point is started again with --resume,
// at most MOST_ATTEMPTS times.  A process starts by vfork, since copying page tables would take most of the sweep's own
// time.
#include "sweep/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/characters.h"
#include "io/json/json_value.h"
#include "io/run/run.h"
#include "sweep/remover.h"

// CANNOT_START is the exit status that shells use for a program that is not found.
enum { MOST_ATTEMPTS = 3, CANNOT_START = 127 };

// Six digits at least, so that names sort in the order of numbers.
const char *dc_point_name(long point, char name[DC_POINT_NAME])
{
  snprintf(name, DC_POINT_NAME, "points/%06ld", point);
  return name;
}

// The directory of a point's run; NULL when out of memory.
static char *directory_of(const struct dc_sweep_place *place, long point)
{
  char name[DC_POINT_NAME];
  return dc_path_join(place->directory, dc_point_name(point, name));
}

// Makes the arguments for a drawn case of the task after which the scene is named: its run in `run` or, with
// NULL, only opening it.
static const char **make_case(const struct dc_sweep_place *place, const struct dc_point *about, const char *run)
{
  const struct dc_study *study = place->study;
  const char *base = strrchr(study->scene, '/') + 1, *dot = strrchr(base, '.');
  int length = dot ? (int)(dot - base) : (int)strlen(base);
  const char **list = dc_arena_alloc(about->arena, 24 + 2 * (size_t)about->override_count, sizeof *list);
  int n = 0;
  if (!list)
    return NULL;
#define ADD(option, value) (list[n++] = (option), list[n++] = (value))
  ADD(place->program, "bench");
  ADD("tasks", "--task");
  list[n++] = dc_arena_printf(about->arena, "%.*s", length, base);
  ADD("--scenes", dc_arena_printf(about->arena, "%.*s", (int)(base - study->scene), study->scene));
  ADD("--threads", dc_arena_printf(about->arena, "%d", place->threads));
  ADD("--draws", "1");
  ADD(run ? "--run" : "--write", run ? run : "none");
  if (study->point_seconds > 0)
    ADD("--limit", dc_arena_printf(about->arena, "%.17g", study->point_seconds));
  for (int i = 0; i < about->override_count; i++)
    ADD("--set", about->overrides[i]);
  if (about->method)
    ADD("--method", about->method);
  if (about->seed)
    ADD("--seed", about->seed);
#undef ADD
  return list;
}

// Arguments of the process, in arena.  Paths of runs are relative to the study's directory, in which the process
// starts, so that messages do not depend on its place.
static const char **make_arguments(const struct dc_sweep_place *place, const struct dc_point *about, const char *run,
                                   bool resume)
{
  const struct dc_study *study = place->study;
  size_t most = 20 + 2 * (size_t)(about->override_count + study->allowed_paths.count + study->package_paths.count);
  const char **list = dc_arena_alloc(about->arena, most, sizeof *list);
  int n = 0;
  if (study->kind->draws)
    return make_case(place, about, run);
  if (!list)
    return NULL;
#define ADD(option, value) (list[n++] = (option), list[n++] = (value))
  ADD(place->program, study->kind->command);
  list[n++] = "--quiet";
  ADD("--threads", dc_arena_printf(about->arena, "%d", place->threads));
  if (study->point_seconds > 0)
    ADD("--max-time", dc_arena_printf(about->arena, "%.17g", study->point_seconds));
  if (study->keep == DC_KEEP_RESULTS)
    list[n++] = study->verify ? "--no-report" : "--results-only";
  if (resume) {
    ADD("--resume", run);
  } else {
    ADD("-o", run);
    for (int i = 0; i < study->allowed_paths.count; i++)
      ADD("--allow-path", study->allowed_paths.strings[i]);
    for (int i = 0; i < study->package_paths.count; i++)
      ADD("--package-path", study->package_paths.strings[i]);
    for (int i = 0; i < about->override_count; i++)
      ADD("--set", about->overrides[i]);
    if (about->model)
      ADD("--model", about->model);
    if (about->seed)
      ADD("--seed", about->seed);
    ADD("--", study->scene);
  }
#undef ADD
  return list;
}

// The words of "dcsim verify" for a run of this sweep.  Its page is left out where only results are kept, which is what
// the last word says.
static const char **make_verification(const struct dc_sweep_place *place, struct dc_arena *arena, const char *run)
{
  const char *threads = dc_arena_printf(arena, "%d", place->threads);
  const char *made[] = {place->program, "verify", "--quiet", "--threads", threads, run, "--no-report", NULL};
  const char **list = dc_arena_alloc(arena, sizeof made / sizeof *made, sizeof *list);
  if (!list || !threads)
    return NULL;
  memcpy(list, made, sizeof made);
  if (place->study->keep != DC_KEEP_RESULTS)
    list[sizeof made / sizeof *made - 2] = NULL;
  return list;
}

// Becomes the program of the point, between vfork and exec: system calls only, since the memory is the parent's.  It
// gets a process group of its own, dies with the sweep where the system can do that, and starts in the study's
// directory.  A parent that died before prctl took effect is noticed by getppid.
static _Noreturn void become(const struct dc_sweep_place *place, const char **arguments, pid_t parent, int said)
{
  int nothing = open("/dev/null", O_RDWR);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Its own process group: a terminal's signal goes to the sweep, which passes it on.
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent)
    _exit(CANNOT_START);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(said, STDERR_FILENO);
  if (!place->directory || chdir(place->directory) == 0)
    execv(place->program, (char *const *)arguments);
  static const char text[] = "dcsim: the program of this point cannot be started\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(CANNOT_START);
}

// Starts the program with vfork.  Signals are blocked until the child has replaced itself, since a handler would run
// in the parent's memory.  The reading end of the program's standard error is said_fd.  A descriptor that becomes
// readable when the program has ended is end_fd; it is -1 where the system has none.
static enum dc_status spawn(const struct dc_sweep_place *place, const char **arguments, struct dc_process *process,
                            struct dc_error *error)
{
  int ends[2];
  pid_t parent = getpid();
  if (pipe2(ends, O_CLOEXEC))
    return dc_fail(error, DC_MEMORY, "no pipe to a process: %s", strerror(errno));
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t pid = vfork();  // fork would copy the page tables, most of a sweep's own time
  if (pid == 0)
    become(place, arguments, parent, ends[1]);
  int reason = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return dc_fail(error, DC_MEMORY, "no memory for a process: %s", strerror(reason));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  process->pid = pid;
#ifdef SYS_pidfd_open
  process->end_fd = (int)syscall(SYS_pidfd_open, pid, 0);
#else
  process->end_fd = -1;
#endif
  process->said_fd = ends[0];
  return DC_OK;
}

// Reads run.json into a row; false when there is none.
static bool read_result(const struct dc_sweep_place *place, long point, struct dc_sweep_row *row, int *exit_status)
{
  struct dc_run_result result;
  struct dc_error ignored = {0};
  char *directory = directory_of(place, point);
  bool there = directory && dc_run_read_result(directory, &result, &ignored) == DC_OK;
  free(directory);
  if (!there)
    return false;
  row->success = result.success;
  row->stopped = result.stopped;
  row->loss = result.loss;
  row->initial_loss = result.initial_loss;
  row->min_gap = result.min_gap;
  row->seconds = result.seconds;
  row->iterations = result.iterations;
  row->steps = result.steps;
  row->rollouts = result.rollouts;
  *exit_status = result.exit_status;
  return true;
}

// Reads the certificate into a row; false when this run has none.
static bool read_verdicts(const struct dc_sweep_place *place, long point, struct dc_sweep_row *row)
{
  struct dc_error ignored = {0};
  char *text = NULL, *directory = directory_of(place, point);
  bool there = directory && dc_run_read_certificate(directory, &text, &ignored) == DC_OK && text;
  cJSON *root = there ? cJSON_Parse(text) : NULL;
  const cJSON *holds = cJSON_GetObjectItemCaseSensitive(root, "holds");
  const cJSON *worlds = cJSON_GetObjectItemCaseSensitive(root, "worlds");
  there = cJSON_IsBool(holds);
  if (there)
    row->verdicts[0] = cJSON_IsTrue(holds);
  for (int i = 0; there && i < DC_WORLDS; i++) {
    const cJSON *world = cJSON_GetObjectItemCaseSensitive(worlds, dc_worlds[i].name);
    const cJSON *open = cJSON_GetObjectItemCaseSensitive(world, "open");
    const cJSON *closed = cJSON_GetObjectItemCaseSensitive(world, "closed");
    if (cJSON_IsBool(open) || cJSON_IsBool(closed))
      row->verdicts[1 + i] = cJSON_IsTrue(open) || cJSON_IsTrue(closed);
  }
  cJSON_Delete(root);
  free(text);
  free(directory);
  return there;
}

// Whether a run has ended well, and more time would not have continued it.
static bool has_ended_well(const struct dc_sweep_place *place, long point, struct dc_sweep_row *row)
{
  int recorded = -1;
  return read_result(place, point, row, &recorded) && recorded == 0 &&
         !(row->stopped && place->study->point_seconds == 0);
}

// Prepares the directory of a point, by what is there.
// * A run that has ended well, of a study that verifies: only the certificate is missing.
// * A run that was begun and did not end, or was ended by a signal (status above 128): it is resumed.
// * Anything else that a run leaves is removed, and files of other origin are refused.  A failed run without a line in
//   a journal would fail again: it starts anew, so that it leaves the same result.
static enum dc_status prepare(const struct dc_sweep_place *place, long point, const char *directory,
                              struct dc_process *process, struct dc_error *error)
{
  struct dc_sweep_row row;
  int recorded = 0;
  // A process of a killed sweep may live a moment longer, where the system does not end it with its parent.
  for (int wait = 0; dc_run_is_written(directory); wait++) {
    if (wait == 500)
      return dc_fail(error, DC_IO, "%.800s: another run is being written to this directory", directory);
    usleep(10000);
  }
  process->certifying = place->study->verify && has_ended_well(place, point, &row);
  process->resumed = !process->certifying && place->study->kind->resumable && dc_run_has(directory, "resolved.json") &&
                     (!read_result(place, point, &row, &recorded) || recorded == 0 || recorded > 128);
  struct stat info;
  enum dc_status status = DC_OK;
  bool removed = !process->certifying && !process->resumed && lstat(directory, &info) == 0;
  if (removed && S_ISDIR(info.st_mode))
    status = dc_run_check_members(directory, error);
  if (removed && !status)
    dc_remove_directory(directory);
  return status;
}

// Starts the process of a point, or its certification where the run has ended well already.
enum dc_status dc_process_start(const struct dc_sweep_place *place, long point, struct dc_process *process,
                                struct dc_error *error)
{
  struct dc_point about;
  char name[DC_POINT_NAME];
  char *directory = directory_of(place, point);
  // Attempts count only while the struct stays with its point.
  int attempts = process->point == point ? process->attempts : 0;
  *process = (struct dc_process){.point = point, .attempts = attempts + 1};
  enum dc_status status =
      directory ? prepare(place, point, directory, process, error) : dc_out_of_memory_for(error, "point %ld", point);
  free(directory);
  if (status)
    return status;
  status = dc_study_point(place->study, point, &about, error);
  if (status)
    return status;
  dc_point_name(point, name);
  const char **arguments = process->certifying ? make_verification(place, about.arena, name)
                                               : make_arguments(place, &about, name, process->resumed);
  status = arguments ? spawn(place, arguments, process, error) : dc_out_of_memory_for(error, "point %ld", point);
  dc_arena_destroy(about.arena);
  return status;
}

// A request to write a checkpoint and end, made once: a second signal would end the program without one.
void dc_process_stop(struct dc_process *process)
{
  if (process->pid > 0 && !process->stopping)
    kill(process->pid, SIGTERM);
  process->stopping = true;
}

// Without a checkpoint: the time of the sweep itself is over.
void dc_process_kill(struct dc_process *process)
{
  if (process->pid > 0)
    kill(process->pid, SIGKILL);
  process->stopping = true;
}

// Reads what the process has written; true at its end.  The last DC_SAID bytes are kept.
static bool read_said(struct dc_process *process)
{
  for (;;) {
    char block[512];
    ssize_t got = read(process->said_fd, block, sizeof block);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got == 0;
    size_t size = (size_t)got, room = DC_SAID - 1 - process->said_length;
    if (size > room) {
      size_t drop = size - room;
      memmove(process->said, process->said + drop, process->said_length - drop);
      process->said_length -= drop;
    }
    memcpy(process->said + process->said_length, block, size);
    process->said_length += size;
    process->said[process->said_length] = '\0';
  }
}

// Descriptors are -1 when they are closed, and are closed once.
static void close_if_open(int *fd)
{
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

// Whether the process has ended.  Its output ends some milliseconds earlier, while its memory is released.
bool dc_process_has_ended(struct dc_process *process)
{
  if (process->said_fd >= 0 && read_said(process))
    close_if_open(&process->said_fd);
  if (process->said_fd >= 0 && process->end_fd < 0)
    return false;
  pid_t ended = waitpid(process->pid, &process->how, WNOHANG);
  if (ended != process->pid && !(ended < 0 && errno != EINTR))
    return false;
  close_if_open(&process->said_fd);
  close_if_open(&process->end_fd);
  return true;
}

// Finds the error in a process's output: the first line that is neither a warning nor a note, without the program's
// name.
static char *find_message(const struct dc_process *process)
{
  static const char prefix[] = "dcsim: ";
  const char *line = process->said, *message = "";
  size_t length = 0;
  while (*line) {
    size_t size = strcspn(line, "\n");
    const char *text = strncmp(line, prefix, sizeof prefix - 1) == 0 ? line + sizeof prefix - 1 : NULL;
    if (text && strncmp(text, "warning: ", 9) != 0 && strncmp(text, "the results so far", 18) != 0) {
      message = text;
      length = size - (size_t)(text - line);
      break;
    }
    line += size + (line[size] == '\n');
  }
  char *copy = strndup(message, length);
  if (copy)
    dc_replace_controls(copy, '?', "");
  return copy;
}

// Opens a drawn case in a process of its own and waits for it; the message is that of the process.
enum dc_status dc_process_try(const struct dc_sweep_place *place, long point, struct dc_error *error)
{
  struct dc_point about;
  struct dc_process process = {.point = point};
  enum dc_status status = dc_study_point(place->study, point, &about, error);
  if (status)
    return status;
  const char **arguments = make_case(place, &about, NULL);
  status = arguments ? spawn(place, arguments, &process, error) : dc_out_of_memory_for(error, "point %ld", point);
  dc_arena_destroy(about.arena);
  if (status)
    return status;
  while (!dc_process_has_ended(&process))
    poll(&(struct pollfd){.fd = process.said_fd, .events = POLLIN}, 1, process.said_fd < 0 ? 2 : 100);
  if (WIFEXITED(process.how) && WEXITSTATUS(process.how) == 0)
    return DC_OK;
  char *message = find_message(&process);
  bool known = WIFEXITED(process.how) && message && message[0];
  dc_fail(error, known ? (enum dc_status)WEXITSTATUS(process.how) : DC_BAD_INPUT, "%.900s",
          known ? message : "opening the case ended its process");
  free(message);
  return error->status;
}

// Whether a signal ended the process that tells nothing about the point, such as of somebody who stops the job or of
// a system out of memory.  The run can be resumed then; a signal like SIGSEGV is a result of the point.  A program
// that caught the signal ends with 128 plus its number.
static bool was_interrupted(const struct dc_process *process, int how)
{
  int number = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how) > 128 ? WEXITSTATUS(how) - 128 : 0;
  bool foreign = number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP;
  return foreign && (process->stopping || process->attempts < MOST_ATTEMPTS);
}

// A point whose process ended without a result: with its own last words where it had any.
static enum dc_process_end fail_broken(struct dc_process *process, char *message, struct dc_error *error)
{
  char name[DC_POINT_NAME];
  dc_fail(error, DC_IO, "%s: %.900s", dc_point_name(process->point, name),
          message && message[0] ? message : "ended without a result");
  free(message);
  return DC_BROKEN;
}

// Finds the outcome of a process that has ended: its result from run.json, or how it ended.  DC_INTERRUPTED: it
// is to be started again, because a signal that tells nothing about the point ended it, its checkpoint was
// unusable, or its certification follows.  DC_BROKEN: the sweep itself cannot go on.
enum dc_process_end dc_process_finish(const struct dc_sweep_place *place, struct dc_process *process,
                                      struct dc_sweep_row *row, struct dc_error *error)
{
  int how = process->how, recorded = 0;
  process->pid = 0;
  *row = (struct dc_sweep_row){0};
  dc_sweep_row_clear(row);
  if (was_interrupted(process, how))
    return DC_INTERRUPTED;
  int status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
  if (status == DC_CHECKPOINT && process->resumed && process->attempts < MOST_ATTEMPTS) {
    char *directory = directory_of(place, process->point);
    if (directory)
      dc_remove_directory(directory);
    free(directory);
    return DC_INTERRUPTED;
  }
  bool result = status != CANNOT_START && read_result(place, process->point, row, &recorded);
  if (status == DC_IO || status == CANNOT_START || (status == 0 && !result))
    return fail_broken(process, find_message(process), error);
  if (place->study->verify && !process->certifying && status == 0 && has_ended_well(place, process->point, row)) {
    process->attempts = 0;
    return DC_INTERRUPTED;
  }
  if (process->certifying && read_verdicts(place, process->point, row) && status == DC_UNMET)
    status = 0;  // a negative verdict is a result, not a failure
  row->done = true;
  row->status = status;
  row->message = find_message(process);
  if (WIFSIGNALED(how)) {
    free(row->message);
    if (asprintf(&row->message, "ended by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how))) < 0)
      row->message = NULL;
  }
  if (row->status == 0 && row->message)
    row->message[0] = '\0';
  if (row->message)
    return DC_ENDED;
  dc_out_of_memory_for(error, "the result of point %ld", process->point);
  return DC_BROKEN;
}

// Adopts a run that has ended well and has no row yet, as a killed sweep leaves it between the end of the
// process and the journal.
bool dc_point_adopt(const struct dc_sweep_place *place, long point, struct dc_sweep_row *row)
{
  *row = (struct dc_sweep_row){0};
  dc_sweep_row_clear(row);
  bool certified = !place->study->verify || read_verdicts(place, point, row);
  if (!certified || !has_ended_well(place, point, row) || !(row->message = strdup("")))
    return false;
  row->done = true;
  return true;
}

// Removes the directory of a point, unless the study keeps it.
void dc_point_tidy(const struct dc_sweep_place *place, long point, const struct dc_sweep_row *row)
{
  enum dc_sweep_keep keep = place->study->keep;
  bool failed = row->status != 0 || !row->success || row->verdicts[0] == 0;
  if (keep == DC_KEEP_EVERYTHING || (keep == DC_KEEP_FAILURES && failed))
    return;
  char *directory = directory_of(place, point);
  if (directory)
    dc_remover_remove(place->remover, directory);
}
