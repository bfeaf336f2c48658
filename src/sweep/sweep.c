// SPDX-License-Identifier: Apache-2.0
// A sweep from its study to its tables (dcsim_sweep).
//
// Rank 0 or the only process (lead):
// 1. read the study; identify it by hashes of study and scene and by the version;
// 2. unless a journal is there, open the scenes of all points, so that mistakes show before anything runs;
// 3. make and lock the directory, read the journals, refuse those of another identity;
// 4. run the points that have no row (run_points.c), appending a row for each;
// 5. write the tables from all rows.
//
// Other ranks wait for the directory, then run points.  An array of a queue runs step 4 for a share of the points in
// each of its tasks; gathering runs steps 1, 3 and 5.
#include "sweep/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/internal.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/hash.h"
#include "base/open.h"
#include "base/transport.h"
#include "io/run/run_files.h"

#define LOCK_NAME ".lock"

enum { IDENTITY = 3 };
static const char *const identity_keys[IDENTITY] = {"study", "scene", "version"};
struct identity {
  char values[IDENTITY][40];
};

// Hash of the study with all values of its factors, also those that a file of points brought along.
static uint64_t hash_study(const struct dc_study *study)
{
  uint64_t hash = dc_hash(DC_HASH_SEED, study->text, study->length);
  for (int i = 0; i < study->points.factor_count; i++) {
    const struct dc_factor *factor = &study->points.factors[i];
    for (long j = 0; factor->texts && j < factor->levels * factor->columns; j++)
      hash = dc_hash(hash, factor->texts[j], strlen(factor->texts[j]) + 1);
  }
  return hash;
}

// Three values that must be the same when a sweep goes on: the study with its points, the scene, and the
// version.
static enum dc_status identify(const struct dc_study *study, struct identity *identity, struct dc_error *error)
{
  uint64_t scene = 0;
  enum dc_status status = dc_sweep_hash_scene(study, 0, &scene, error);
  snprintf(identity->values[0], sizeof identity->values[0], "%016" PRIx64, hash_study(study));
  snprintf(identity->values[1], sizeof identity->values[1], "%016" PRIx64, scene);
  snprintf(identity->values[2], sizeof identity->values[2], "%s", dcsim_version());
  return status;
}

// The first line of a journal: hashes of study and scene, and the version. The journal of another study is not
// continued.
static void print_identity(const struct identity *identity, struct dc_text *text)
{
  size_t begin = text->length;
  for (int i = 0; i < IDENTITY; i++)
    dc_text_add(text, "%s\"%s\": \"%s\"", i ? ", " : "{", identity_keys[i], identity->values[i]);
  dc_journal_seal(text, begin);
}

// DC_CHECKPOINT when a journal was started for something else.
static enum dc_status compare_identities(const struct dc_sweep *sweep, const char *lines, const struct identity *own,
                                         struct dc_error *error)
{
  for (const char *line = lines; line && *line; line = strchr(line, '\n') + 1) {
    size_t length = strcspn(line, "\n");
    for (int i = 0; i < IDENTITY; i++) {
      char pair[80];
      snprintf(pair, sizeof pair, "\"%s\": \"%s\"", identity_keys[i], own->values[i]);
      if (!memmem(line, length, pair, strlen(pair)))
        return dc_fail(error, DC_CHECKPOINT, "%.600s: holds the points of a sweep with another %s", sweep->directory,
                       identity_keys[i]);
    }
  }
  return DC_OK;
}

// Each task of an array has a journal of its own, so that no two processes append to one file.
static void name_journal(const struct dc_sweep *sweep, char name[64])
{
  if (sweep->options->tasks > 0)
    snprintf(name, 64, "journal-%d-of-%d.jsonl", sweep->share.task % sweep->share.tasks, sweep->share.tasks);
  else
    snprintf(name, 64, "journal.jsonl");
}

// Whether this sweep, or this task of an array, has a journal with something in it: it then goes on instead of
// beginning, and its scenes were opened then.
static bool has_begun(const struct dc_sweep *sweep, const char *directory)
{
  char name[64];
  struct stat info;
  name_journal(sweep, name);
  char *path = dc_path_join(directory, name);
  bool begun = path && stat(path, &info) == 0 && info.st_size > 0;
  free(path);
  return begun;
}

// Tasks of a queue's array share the directory; a whole sweep locks it.  The lock is the system's and ends with the
// process, so that a killed sweep leaves none.
static enum dc_status lock_directory(struct dc_sweep *sweep, struct dc_error *error)
{
  char *path = dc_path_join(sweep->directory, LOCK_NAME);
  if (!path)
    return dc_out_of_memory_in(error, sweep->directory);
  sweep->lock = dc_open_append(dc_open_here, path, DC_MAY_EXIST);
  enum dc_status status = sweep->lock < 0 ? dc_fail_file(error, path, "create") : DC_OK;
  if (!status && flock(sweep->lock, (sweep->options->tasks > 0 ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0)
    status = errno == EWOULDBLOCK ? dc_fail(error, DC_IO, "%.800s: another sweep is being run in this directory", path)
                                  : dc_fail_file(error, path, "lock");
  free(path);
  return status;
}

// Makes the directory, finds its real path, as runs start elsewhere, and locks it.
static enum dc_status find_directory(struct dc_sweep *sweep, struct dc_error *error)
{
  int created;
  const char *given = sweep->options->directory;
  char *points = dc_path_join(given, "points");
  enum dc_status status = points ? dc_directory_create(points, &created, error) : dc_out_of_memory_in(error, given);
  free(points);
  if (!status && !(sweep->directory = realpath(given, NULL)))
    status = dc_fail_file(error, given, "find");
  sweep->place.directory = sweep->directory;
  return status ? status : lock_directory(sweep, error);
}

// Forgets rows of failed points, which are computed again.  Their lines stay in the journal; the later line of a
// point counts.
static void forget_failures(struct dc_sweep *sweep)
{
  for (long i = 0; i < sweep->study->points.count; i++)
    if (sweep->rows[i].done && sweep->rows[i].status != 0)
      dc_sweep_row_clear(&sweep->rows[i]);
}

// Counts the points of this process's share, and those that are done already.
static void count_rows(struct dc_sweep *sweep)
{
  for (long i = 0; i < sweep->study->points.count; i++) {
    if (!dc_share_has(&sweep->share, i))
      continue;
    sweep->wanted++;
    if (sweep->rows[i].done)
      dc_sweep_count_row(sweep, &sweep->rows[i]);
  }
  sweep->began_with = sweep->done;
}

// DC_IO where a directory without journals holds the study or the tables of somebody else, which would be written over.
// A journal may have been removed so that its points are run again: its study is there then.
static enum dc_status refuse_others(const struct dc_sweep *sweep, struct dc_error *error)
{
  static const char *const names[] = {"study.json", "sweep.csv", "sweep.h5", "sweep.html"};
  bool other = false, copied = false;
  enum dc_status status = DC_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names && !status && !other; i++) {
    struct stat info;
    bool same = false;
    char *path = dc_path_join(sweep->directory, names[i]);
    if (!path)
      return dc_out_of_memory_in(error, sweep->directory);
    bool there = lstat(path, &info) == 0;
    if (there && i == 0)
      status = dc_file_compare(path, sweep->study->text, sweep->study->length, &same, error);
    copied = copied || same;
    other = there && !copied;
    if (other && !status)
      status = dc_fail(error, DC_IO, "%.800s: exists, and there is no journal that it would belong to: nothing is written over",
                       path);
    free(path);
  }
  return status;
}

// Opens the directory and reads what is known.
static enum dc_status open_directory(struct dc_sweep *sweep, const struct identity *identity, struct dc_error *error)
{
  char name[64];
  struct dc_text known = {0}, own = {0};
  enum dc_status status = find_directory(sweep, error);
  if (!status)
    status =
        dc_journals_read(sweep->directory, sweep->study->points.count, sweep->rows, &known, &sweep->damaged, error);
  if (!status)
    status = compare_identities(sweep, known.bytes, identity, error);
  if (!status && !known.length && !sweep->options->gather)
    status = refuse_others(sweep, error);
  name_journal(sweep, name);
  bool begun = !status && has_begun(sweep, sweep->directory);
  if (!status && !sweep->options->gather)
    status = dc_journal_open(sweep->directory, name, &sweep->journal, error);
  if (!status && !sweep->options->gather && !begun) {
    print_identity(identity, &own);
    status = dc_journal_add(&sweep->journal, own.bytes, own.length, error);
  }
  char *copy = dc_path_join(sweep->directory ? sweep->directory : ".", "study.json");
  if (!status && copy && !begun && sweep->share.task % sweep->share.tasks == 0)
    status = dc_file_write(copy, sweep->study->text, sweep->study->length, error);
  free(copy);
  dc_text_free(&known);
  dc_text_free(&own);
  if (!status && sweep->options->retry)
    forget_failures(sweep);
  if (!status)
    count_rows(sweep);
  return status;
}

// Asked while scenes are checked; a tenth of the time limit is kept for what follows.
static int ask_to_stop(void *context)
{
  struct dc_sweep *sweep = context;
  const dcsim_sweep_options *options = sweep->options;
  const dcsim_sweep_progress progress = {.size = sizeof progress,
                                         .points = sweep->study->points.count,
                                         .checking = 1,
                                         .seconds = dc_seconds() - sweep->began,
                                         .seconds_left = -1};
  if (options->max_seconds > 0 && progress.seconds > 0.9 * options->max_seconds)
    return 1;
  return options->progress ? options->progress(options->progress_context, &progress) : 0;
}

// The report of a sweep: counts, damaged lines, paths of table and page.
static enum dc_status describe(const struct dc_sweep *sweep, dcsim_report *report, dcsim_error *error)
{
  struct dc_text text = {0};
  struct dc_json_writer json = {0};
  dc_text_add(&text, "%ld of %ld points done: %ld reached, %ld failed\n", sweep->done, sweep->wanted, sweep->reached,
              sweep->failed);
  if (sweep->damaged > 0)
    dc_text_add(&text, "  note: %ld damaged lines of the journal were left out; their points count as not run\n",
                sweep->damaged);
  if (sweep->options->tasks == 0)
    dc_text_add(&text, "  table: %s/sweep.csv\n  page: %s/sweep.html\n", sweep->options->directory,
                sweep->options->directory);
  dc_json_begin(&json, NULL, '{');
  dc_json_put_string(&json, "sweep", sweep->options->directory);
  DC_JSON_NUMBERS(&json, {"points", sweep->wanted}, {"done", sweep->done}, {"reached", sweep->reached},
                  {"failed", sweep->failed}, {"damaged_lines", sweep->damaged},
                  {"seconds", dc_seconds() - sweep->began});
  dc_json_end(&json, "}");
  return (enum dc_status)dc_api_report(report, &text, &json, error);
}

// Nothing is run.  Points that are missing make the status "stopped", and the table is written all the same.
static enum dc_status gather(struct dc_sweep *sweep)
{
  if (sweep->done < sweep->wanted)
    return dc_fail(&sweep->error, DC_STOPPED, "%ld of %ld points are done; the table has these", sweep->done,
                   sweep->wanted);
  return DC_OK;
}

// Runs rank 0, or the only process.
static enum dc_status lead(struct dc_sweep *sweep, int jobs, bool *something)
{
  struct identity identity;
  const dcsim_sweep_options *options = sweep->options;
  enum dc_status status = identify(sweep->study, &identity, &sweep->error);
  if (!status && !options->gather && !has_begun(sweep, options->directory))
    status = dc_sweep_check(&sweep->place, &sweep->share, jobs, ask_to_stop, sweep, &sweep->error);
  if (!status)
    status = open_directory(sweep, &identity, &sweep->error);
  if (status) {
    if (sweep->ranks)
      dc_ranks_dismiss(sweep->ranks);
    return status;
  }
  if (sweep->ranks && options->gather)
    dc_ranks_dismiss(sweep->ranks);
  else if (sweep->ranks)
    dc_ranks_begin(sweep, hash_study(sweep->study));
  status = options->gather ? gather(sweep) : dc_sweep_run_points(sweep, jobs);
  *something = status == DC_OK || status == DC_STOPPED;
  if (!*something || options->tasks > 0)
    return status;
  struct dc_error error = {0};
  enum dc_status written = dc_sweep_write_tables(sweep, &error);
  if (written)
    sweep->error = error;
  return written ? written : status;
}

// Runs any rank; only rank 0 prints and reports.
static enum dc_status run(struct dc_sweep *sweep, const char *path, bool *something)
{
  const dcsim_sweep_options *options = sweep->options;
  bool worker = sweep->ranks && dc_ranks_is_worker(sweep->ranks);
  int jobs = options->jobs > 0 ? options->jobs : sweep->ranks ? 1 : dc_core_count();
  enum dc_status status = dc_study_read(path, &sweep->study, &sweep->error);
  sweep->place.study = sweep->study;
  if (worker) {
    if (dc_ranks_wait_for_start(sweep, status ? 0 : hash_study(sweep->study)))
      dc_sweep_run_points(sweep, jobs);
    return DC_OK;
  }
  if (!status && !(sweep->rows = calloc((size_t)sweep->study->points.count, sizeof *sweep->rows)))
    status = dc_out_of_memory_for(&sweep->error, "the points");
  if (status && sweep->ranks)
    dc_ranks_dismiss(sweep->ranks);
  return status ? status : lead(sweep, jobs, something);
}

// Combinations that cannot be meant, before anything is made.
static enum dc_status check_options(const dcsim_sweep_options *options, struct dc_error *error)
{
  if (!options->directory || !options->directory[0])
    return dc_fail(error, DC_USAGE, "a sweep needs a directory");
  if (!options->program && !options->gather)
    return dc_fail(error, DC_USAGE, "a sweep needs the path of the program dcsim");
  if (options->tasks < 0 || options->task < 0 || options->task > options->tasks)
    return dc_fail(error, DC_USAGE, "task %d of %d: must be from 0 to %d", options->task, options->tasks,
                   options->tasks);
  if (options->gather && (options->tasks > 0 || options->retry))
    return dc_fail(error, DC_USAGE, "gathering runs nothing: no task and no retry go with it");
  if (options->ranks && (options->tasks > 0 || options->gather))
    return dc_fail(error, DC_USAGE, "ranks share all points: no task and no gathering go with them");
  return DC_OK;
}

// Closes the journal, drops the lock, and frees rows.  A failure to sync here has nobody left to be told to: the
// tables are written already.
static void release(struct dc_sweep *sweep)
{
  struct dc_error closing = {0};
  if (sweep->journal.fd >= 0)
    dc_journal_close(&sweep->journal, &closing);
  if (sweep->lock >= 0)
    close(sweep->lock);
  for (long i = 0; sweep->rows && i < sweep->study->points.count; i++)
    free(sweep->rows[i].message);
  free(sweep->rows);
  free(sweep->directory);
  dc_study_destroy(sweep->study);
}

// Runs, resumes or gathers a sweep.  The report comes also when it was stopped, as long as something is done.
int dcsim_sweep(const char *study, const dcsim_sweep_options *options, dcsim_report *report, dcsim_error *error)
{
  dcsim_sweep_options own = {.threads = 1};
  struct dc_sweep sweep = {.options = &own, .lock = -1, .journal = {.fd = -1}, .began = dc_seconds()};
  enum dc_status status = dc_api_read_sized(&own, sizeof own, options, &sweep.error);
  bool something = false;
  if (!status)
    status = check_options(&own, &sweep.error);
  if (!status)
    status = dc_ranks_start(own.program, own.ranks, &sweep.ranks, &sweep.error);
  if (status)
    return dc_api_fail(error, &sweep.error, status);
  dc_transport_forget_launcher();  // child processes are no MPI ranks
  sweep.share = own.tasks > 0 ? (struct dc_share){own.task, own.tasks} : (struct dc_share){0, 1};
  sweep.place = (struct dc_sweep_place){.program = own.program, .threads = own.threads > 0 ? own.threads : 1};
  status = run(&sweep, study, &something);
  dc_ranks_finish(sweep.ranks);
  int outside = status ? dc_api_fail(error, &sweep.error, status) : DCSIM_OK;
  if (something && report) {
    int described = (int)describe(&sweep, report, outside ? NULL : error);
    outside = outside ? outside : described;
  }
  release(&sweep);
  return outside;
}
