// SPDX-License-Identifier: Apache-2.0
// Opens the scene of every point before anything runs, in processes instead of threads: a scene that crashes a
// library counts as one that does not open.
//
// Process k of n tries every n-th point of the share and ends at its first bad one.  It writes to its pipe the number
// of each point that it tries, as -2 - number, and at its end the answer: -1, or the number of the bad point with the
// error.  A pipe that ends without an answer means that the last point tried crashed the process.  The parent
// collects the answers, stops processes that are beyond the first bad point known, and reports the first of all, so
// that the message does not depend on the number of processes.
#include "sweep/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/internal.h"

enum { MOST_JOBS = 256 };

// Drawn cases are opened by the program itself, since their bodies may differ from the scene's.
static int try_case(const struct dc_sweep_place *place, long point, dcsim_error *error)
{
  struct dc_error local = {0};
  enum dc_status status = dc_process_try(place, point, &local);
  return status ? dc_api_fail(error, &local, status) : DCSIM_OK;
}

// Opens the scene of a point in this process, as the command of its run would: --set, --model, --seed, folders.
static int open_scene(const struct dc_study *study, long point, dcsim_scene **scene, dcsim_error *error)
{
  struct dc_point about;
  struct dc_error local = {0};
  if (dc_study_point(study, point, &about, &local))
    return dc_api_fail(error, &local, local.status);
  dcsim_scene_options options = {
      .size = sizeof options,
      .model = about.model,
      .override_count = about.override_count,
      .overrides = about.overrides,
      .allowed_path_count = study->allowed_paths.count,
      .allowed_paths = study->allowed_paths.strings,
      .package_path_count = study->package_paths.count,
      .package_paths = study->package_paths.strings,
      .seed_given = about.seed != NULL,
  };
  char *end = NULL;
  int status = 0;
  errno = 0;
  if (about.seed)
    options.seed = strtoull(about.seed, &end, 10);
  if (about.seed &&
      (errno || *end || end == about.seed || about.seed[0] == '-' || options.seed > (UINT64_C(1) << 53))) {
    dc_fail(&local, DC_BAD_INPUT, "seed: must be a whole number from 0 to 2^53 (is %.40s)", about.seed);
    status = dc_api_fail(error, &local, DC_BAD_INPUT);
  }
  if (!status)
    status = dcsim_scene_open(study->scene, &options, scene, error);
  dc_arena_destroy(about.arena);
  return status;
}

// Puts the number of the point and its values in front of a message.
static enum dc_status fail_point(const struct dc_study *study, long point, int status, const char *message,
                                 struct dc_error *error)
{
  struct dc_text values = {0};
  int columns = dc_study_columns(study);
  for (int i = 0; i < columns && values.length < 200; i++) {
    dc_text_add(&values, "%s%s=", i ? ", " : "", dc_study_column(study, i));
    dc_study_value(study, point, i, &values);
  }
  if (status == DCSIM_USAGE)  // a malformed path here comes from a file, not from the command line
    status = DCSIM_BAD_INPUT;
  dc_fail(error, (enum dc_status)status, "point %ld (%.240s): %.700s", point, values.bytes ? values.bytes : "no values",
          message);
  dc_text_free(&values);
  return (enum dc_status)status;
}

// Hashes scene and meshes of a point, by which a sweep that goes on recognizes its study.
enum dc_status dc_sweep_hash_scene(const struct dc_study *study, long point, uint64_t *hash, struct dc_error *error)
{
  dcsim_scene *scene = NULL;
  dcsim_error local = {0};
  int status = study->kind->draws ? dcsim_scene_open(study->scene, NULL, &scene, &local)
                                  : open_scene(study, point, &scene, &local);
  if (status)
    return fail_point(study, point, status, local.text, error);
  *hash = scene->scene->source.scene_hash ^ (scene->scene->source.mesh_hash * 3);
  dcsim_scene_close(scene);
  return DC_OK;
}

// The answer of a checking process; point -1: all scenes open.
struct answer {
  long point;
  dcsim_error error;
};

// A process that checks points, the pipe it answers through, and the point it is trying.
// A checker's pid is 0 when its end has been collected, and its pipe is closed then.
struct checker {
  pid_t pid;
  int fd;
  long point;  // the point it is trying
};

// Runs in the child: writes every point's number before trying it, and the answer at the end.
static _Noreturn void check_points(const struct dc_sweep_place *place, const struct dc_share *share, int k, int n,
                                   int fd)
{
  const struct dc_study *study = place->study;
  struct answer answer = {.point = -1};
  long number = 0;
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_IGN);
  dcsim_set_threads(1);
  for (long point = 0; point < study->points.count && answer.point < 0; point++) {
    dcsim_scene *scene = NULL;
    if (!dc_share_has(share, point) || number++ % n != k)
      continue;
    struct answer at = {.point = -2 - point};
    if (write(fd, &at, sizeof at) != sizeof at)
      _exit(1);
    if (study->kind->draws ? try_case(place, point, &answer.error) : open_scene(study, point, &scene, &answer.error))
      answer.point = point;
    dcsim_scene_close(scene);
  }
  (void)!write(fd, &answer, sizeof answer);
  _exit(0);
}

// Forks a process that checks every n-th point from k on and answers through a pipe.
static enum dc_status start(const struct dc_sweep_place *place, const struct dc_share *share, int k, int n,
                            struct checker *checker, struct dc_error *error)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return dc_fail(error, DC_MEMORY, "no pipe to a process: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    check_points(place, share, k, n, ends[1]);
  }
  int reason = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return dc_fail(error, DC_MEMORY, "no memory for a process: %s", strerror(reason));
  }
  *checker = (struct checker){.pid = pid, .fd = ends[0], .point = -1};
  return DC_OK;
}

// Reads one message: true when the process has ended.  *first becomes the point it found bad, if that comes earlier.
static bool listen_to(struct checker *checker, struct answer *first)
{
  struct answer answer;
  int how = 0;
  ssize_t got = read(checker->fd, &answer, sizeof answer);
  if (got < 0 && errno == EINTR)
    return false;
  if (got == (ssize_t)sizeof answer && answer.point <= -2) {
    checker->point = -2 - answer.point;
    return false;
  }
  if (got != (ssize_t)sizeof answer) {  // it crashed
    answer = (struct answer){.point = checker->point, .error = {.status = DCSIM_BAD_INPUT}};
    strcpy(answer.error.text, "opening the scene ended its process");
  }
  close(checker->fd);
  while (waitpid(checker->pid, &how, 0) < 0 && errno == EINTR)
    continue;
  checker->pid = 0;
  if (answer.point >= 0 && (first->point < 0 || answer.point < first->point))
    *first = answer;
  return true;
}

// Reads the answers of all processes until each has ended; false when the caller stops it.  A process that tries a
// point behind the first bad one known is killed: its answer could not come first any more.
static bool wait_for_all(struct checker *checkers, int count, struct answer *first, int (*stop)(void *context),
                         void *context)
{
  struct pollfd polls[MOST_JOBS];
  for (int running = count; running > 0;) {
    if (stop(context))
      return false;
    for (int i = 0; i < count; i++)
      polls[i] = (struct pollfd){.fd = checkers[i].pid ? checkers[i].fd : -1, .events = POLLIN};
    if (poll(polls, (nfds_t)count, 100) <= 0)
      continue;
    for (int i = 0; i < count; i++) {
      // A process beyond the first bad point need not continue.
      bool late = checkers[i].pid && first->point >= 0 && checkers[i].point > first->point;
      if (late)
        kill(checkers[i].pid, SIGKILL);
      if (polls[i].revents && listen_to(&checkers[i], first))
        running--;
    }
  }
  return true;
}

// Reads all scenes of a study before anything runs, by several processes; the first mistake by number of point is told.
enum dc_status dc_sweep_check(const struct dc_sweep_place *place, const struct dc_share *share, int jobs,
                              int (*stop)(void *context), void *context, struct dc_error *error)
{
  const struct dc_study *study = place->study;
  struct checker checkers[MOST_JOBS];
  int count = 0, most = jobs < MOST_JOBS ? jobs : MOST_JOBS;
  struct answer first = {.point = -1};
  enum dc_status status = DC_OK;
  if (study->points.count < most)
    most = (int)study->points.count;
  for (; count < most && !status; count++)
    if ((status = start(place, share, count, most, &checkers[count], error)))
      break;
  if (!status && !wait_for_all(checkers, count, &first, stop, context))
    status = dc_fail(error, DC_STOPPED, "stopped before anything ran");
  for (int i = 0; i < count; i++)
    if (checkers[i].pid) {
      kill(checkers[i].pid, SIGKILL);
      waitpid(checkers[i].pid, NULL, 0);
      close(checkers[i].fd);
    }
  if (!status && first.point >= 0)
    status = fail_point(study, first.point, first.error.status, first.error.text, error);
  return status;
}
