// SPDX-License-Identifier: Apache-2.0
// Follows a run that another process writes: reads rows of progress.jsonl as they appear, and rolls out the best
// parameters now and then, within a share of the time.
//
// The other process knows nothing of this: the file is read from where the last look ended, a line that is cut off is
// kept until its rest is there, and buttons become signals.  Rollouts take at most `share` of the time, so that those
// who watch do not keep the machine from optimizing.
#include "commands/watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/open.h"
#include "commands/glb.h"
#include "io/run/run_files.h"

enum {
  CHUNK = 1 << 16,        // bytes read at once
  LONGEST_LINE = 1 << 26  // bytes of a row; a longer one is no row of ours
};
static const double share = 0.1;  // fraction of the time that rollouts may take

// State of a page about a run that another process writes.  The text that was read and is no whole line yet
// stands in line, length bytes of capacity.  next_rollout is when the next rollout may begin, s; ended: the
// result has been read.
struct dc_watch {
  char *directory;
  const dcsim_scene *scene;
  struct dc_live *live;
  dcsim_problem *problem;  // NULL: rows cannot be rolled out
  int parameter_count;
  double *parameters;  // [parameter_count] of the best row
  bool new_best;
  double best_loss, next_rollout;
  int file;  // progress.jsonl; -1: it does not exist yet
  char *line;
  size_t length, capacity;
  bool ended;
};

// Watches a run that another process writes: its rows are read from progress.jsonl, and trajectories are made here, by
// rolling out the parameters of the best row.
struct dc_watch *dc_watch_create(const char *directory, const dcsim_scene *scene, struct dc_live *live)
{
  struct dc_watch *watch = dc_alloc(1, sizeof *watch);
  if (!watch)
    return NULL;
  *watch = (struct dc_watch){.scene = scene, .live = live, .best_loss = INFINITY, .file = -1};
  watch->directory = strdup(directory);
  // Rows of a horizon have the parameters of a window, which cannot be rolled out as a whole.
  if (!scene->scene->horizon_given && !scene->scene->refinement.given &&
      dcsim_problem_create(scene, NULL, &watch->problem, NULL) == DCSIM_OK) {
    watch->parameter_count = dcsim_problem_dimension(watch->problem);
    watch->parameters = dc_alloc((size_t)watch->parameter_count, sizeof *watch->parameters);
  }
  if (!watch->directory || (watch->problem && !watch->parameters)) {
    dc_watch_destroy(watch);
    return NULL;
  }
  return watch;
}

// Accepts NULL and a watch that was made in part.  The live view is the caller's.
void dc_watch_destroy(struct dc_watch *watch)
{
  if (!watch)
    return;
  dcsim_problem_destroy(watch->problem);
  if (watch->file >= 0)
    close(watch->file);
  free(watch->directory);
  free(watch->parameters);
  free(watch->line);
  free(watch);
}

// The number behind a key of a row; NAN where it is null or missing.
// Rows are written by dcsim itself (io/run/run.c) in one fixed form, "key": number.  A search for the key is
// therefore enough; no JSON is parsed, because rows with thousands of parameters arrive many times a second.
static double number_of(const char *row, const char *key)
{
  const char *place = strstr(row, key);
  char *end;
  if (!place)
    return NAN;
  place += strlen(key);
  double number = strtod(place, &end);
  return end == place ? NAN : number;
}

// The parameters of a row; false when it has none, or too few.
static bool read_parameters(struct dc_watch *watch, const char *row)
{
  static const char key[] = "\"parameters\": [";
  const char *at = strstr(row, key);
  if (!at || !watch->problem)
    return false;
  at += sizeof key - 1;
  for (int i = 0; i < watch->parameter_count; i++) {
    char *end;
    watch->parameters[i] = strtod(at, &end);
    if (end == at)
      return false;
    at = end + (*end == ',');
    at += *at == ' ';
  }
  return true;
}

// Takes one row of progress.jsonl; the parameters of a new best are kept for the next rollout.
static void take_row(struct dc_watch *watch, const char *row)
{
  double iteration = number_of(row, "\"iteration\": ");
  dcsim_progress progress = {.iteration = fabs(iteration) < INT_MAX ? (int)iteration : 0,
                             .loss = number_of(row, "\"loss\": "),
                             .gradient_norm = number_of(row, "\"gradient_norm\": "),
                             .min_gap = number_of(row, "\"min_gap\": "),
                             .seconds = number_of(row, "\"seconds\": "),
                             .fraction = -1,
                             .unit = watch->scene->scene->horizon_given ? "step" : NULL};
  if (progress.loss < watch->best_loss) {
    watch->best_loss = progress.loss;
    progress.is_best = 1;
    watch->new_best = read_parameters(watch, row);
  }
  progress.best_loss = isfinite(watch->best_loss) ? watch->best_loss : NAN;
  dc_live_observe(watch->live, &progress);
}

// Takes the complete lines read so far; the rest stays.
static void take_lines(struct dc_watch *watch)
{
  char *begin = watch->line, *end;
  while ((end = memchr(begin, '\n', watch->length - (size_t)(begin - watch->line)))) {
    *end = '\0';
    take_row(watch, begin);
    begin = end + 1;
  }
  watch->length -= (size_t)(begin - watch->line);
  memmove(watch->line, begin, watch->length);
}

// Room for one more chunk, doubled as needed.  False: the line is too long to be a row, or out of memory.
static bool make_room(struct dc_watch *watch)
{
  if (watch->length + CHUNK <= watch->capacity)
    return true;
  if (watch->capacity >= LONGEST_LINE)
    return false;
  size_t capacity = 2 * watch->capacity + 2 * CHUNK;
  char *line = realloc(watch->line, capacity);
  if (line) {
    watch->line = line;
    watch->capacity = capacity;
  }
  return line != NULL;
}

// Opens a file of the run, whose links must not lead out of it; -1: it is not there.
static int open_in(const struct dc_watch *watch, const char *name)
{
  struct dc_opened opened = {.fd = -1};
  int folder = dc_directory_open(watch->directory);
  if (folder >= 0) {
    dc_open_read(folder, name, DC_LINKS_BELOW, SIZE_MAX, &opened);
    close(folder);
  }
  return opened.fd;
}

// A run that is resumed cuts off the rows behind its checkpoint and writes them anew: reading goes on at the end of
// what is left.
static void follow_cut(struct dc_watch *watch)
{
  struct stat info;
  off_t at = lseek(watch->file, 0, SEEK_CUR);
  if (at < 0 || fstat(watch->file, &info) || info.st_size >= at)
    return;
  lseek(watch->file, info.st_size, SEEK_SET);
  watch->length = 0;
}

// Reads what has been added since the last look.
static void read_rows(struct dc_watch *watch)
{
  if (watch->file < 0)
    watch->file = open_in(watch, "progress.jsonl");
  if (watch->file >= 0)
    follow_cut(watch);
  while (watch->file >= 0 && make_room(watch)) {
    ssize_t got = read(watch->file, watch->line + watch->length, CHUNK);
    if (got <= 0)
      return;
    watch->length += (size_t)got;
    take_lines(watch);
  }
}

// Reads the files that a run writes at its end.
static void take_result(struct dc_watch *watch)
{
  const struct dc_scene *scene = watch->scene->scene;
  struct dc_error error = {0};
  struct dc_stored_trajectory stored;
  struct dc_run_result result;
  watch->ended = true;
  if (dc_run_read_thinned(watch->directory, scene, false, dc_api_most_frames(scene->model.bodies.count), &stored,
                          &error) == DC_OK)
    dc_live_set_stored(watch->live, &stored);
  dc_arena_destroy(stored.arena);
  char words[160] = "the run has ended";
  if (dc_run_read_result(watch->directory, &result, &error) == DC_OK)
    snprintf(words, sizeof words, "the run has ended: loss %.6g, task %s", result.loss,
             result.success ? "reached" : "not reached");
  dc_live_end(watch->live, words);
}

// Rolls the best parameters out and shows the trajectory, then waits so long that rollouts keep to their share
// of the time.
// The pause is duration × (1 / share - 1), so that duration over duration + pause is the share.
static void roll_out(struct dc_watch *watch)
{
  double loss, began = dc_seconds();
  dcsim_trajectory trajectory = DCSIM_SIZED(dcsim_trajectory);
  watch->new_best = false;
  if (dcsim_problem_evaluate(watch->problem, watch->parameters, &loss, NULL, NULL) == DCSIM_OK &&
      dcsim_problem_get_trajectory(watch->problem, &trajectory, NULL) == DCSIM_OK)
    dc_live_set_trajectory(watch->live, &trajectory);
  watch->next_rollout = dc_seconds() + (dc_seconds() - began) * (1 / share - 1);
}

// Called several times a second by the loop of dcsim_watch: new rows first, then either the result of a run that has
// ended, or a rollout of the best parameters if one is due.  After the result nothing more is read.
void dc_watch_look(struct dc_watch *watch)
{
  if (watch->ended)
    return;
  // Checked first: the files of the end are written after all rows.
  bool over = dc_run_has(watch->directory, "run.json");
  read_rows(watch);
  if (over)
    take_result(watch);
  else if (watch->new_best && dc_seconds() >= watch->next_rollout)
    roll_out(watch);
}

// The process that holds the lock of the run, according to the kernel's list; 0: none.
// The list (/proc/locks, Linux only) has no paths: a file is known by its device and inode, which must be those of
// the run's .lock.
static pid_t find_writer(const struct dc_watch *watch)
{
  struct stat info;
  pid_t writer = 0;
  int lock = open_in(watch, ".lock");
  bool found = lock >= 0 && fstat(lock, &info) == 0;
  if (lock >= 0)
    close(lock);
  FILE *locks = found ? fopen("/proc/locks", "re") : NULL;
  char line[256];
  while (locks && !writer && fgets(line, sizeof line, locks)) {
    unsigned major, minor;
    uint64_t inode;
    int pid;
    // "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF"
    if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %x:%x:%" SCNu64, &pid, &major, &minor, &inode) == 4 && pid > 0 &&
        inode == info.st_ino && makedev(major, minor) == info.st_dev)
      writer = pid;
  }
  if (locks)
    fclose(locks);
  return writer;
}

// Passes a button of the page on to the process that writes the run, as a signal.
bool dc_watch_wish(struct dc_watch *watch, const char *name)
{
  static const struct {
    const char *name;
    int signal;
  } signals[] = {{"pause", SIGSTOP}, {"resume", SIGCONT}, {"checkpoint", SIGUSR1}, {"stop", SIGTERM}};
  pid_t writer = find_writer(watch);
  for (size_t i = 0; writer && i < sizeof signals / sizeof signals[0]; i++) {
    if (strcmp(name, signals[i].name) != 0)
      continue;
    if (!dc_live_wish(watch->live, name) || kill(writer, signals[i].signal))
      return false;
    // A stopped process acts on the signal when it continues.
    return signals[i].signal != SIGTERM || kill(writer, SIGCONT) == 0;
  }
  return false;
}
