// SPDX-License-Identifier: Apache-2.0
// Journals: lines of JSON that are appended whole or not at all.
//
// A line is written with one call to the end of the file; if that fails halfway, the file is cut back to its old
// length.  On opening, whatever follows the last line end is cut off, since a machine may have lost power within a
// line.  fsync runs at most once a second.  A line ends with a checksum of what stands before it, as its last member;
// a line without a right one is damaged: it is left out and counted, so that its point is run again.
#include "sweep/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/open.h"
#include "io/json/json_value.h"
#include "io/run/run_files.h"

enum { LARGEST = 1 << 30 };  // bytes of a journal

static const double sync_seconds = 1;

// Frees a row and makes it one about which nothing is known: NAN, and -1 for counts that may be absent.
void dc_sweep_row_clear(struct dc_sweep_row *row)
{
  free(row->message);
  *row = (struct dc_sweep_row){.loss = NAN, .initial_loss = NAN, .min_gap = NAN, .seconds = NAN, .rollouts = -1};
  for (int i = 0; i < DC_VERDICTS; i++)
    row->verdicts[i] = NAN;
}

// Keeps a row in place of another one.  Empty messages, of which a large sweep has millions, are freed.
void dc_sweep_row_keep(struct dc_sweep_row *kept, const struct dc_sweep_row *row)
{
  dc_sweep_row_clear(kept);
  *kept = *row;
  if (!row->message || row->message[0])
    return;
  free(kept->message);
  kept->message = NULL;
}

// Rows without a message hold NULL, which printers need not know.
const char *dc_sweep_row_message(const struct dc_sweep_row *row)
{
  return row->message ? row->message : "";
}

// Verdict 0 is the one on the whole run, the others are those of the worlds.
const char *dc_verdict_name(int verdict)
{
  return verdict ? dc_worlds[verdict - 1].name : "holds";
}

// Numbers have as few digits as give them back; NAN becomes null.
static void put_real(struct dc_text *text, const char *key, double value)
{
  dc_text_add(text, ", \"%s\": ", key);
  dc_text_short_real(text, value, "null");
}

// The last member of a line: FNV-1a of the bytes before it, as 16 hexadecimal digits.
enum { CHECK_LENGTH = sizeof ", \"check\": \"0123456789abcdef\"}" - 1 };

// The checksum as the text that ends a line; length does not count it.
static void print_check(const char *line, size_t length, char check[CHECK_LENGTH + 1])
{
  snprintf(check, CHECK_LENGTH + 1, ", \"check\": \"%016" PRIx64 "\"}", dc_hash(DC_HASH_SEED, line, length));
}

// Appends the checksum of the line that began at `begin`, and ends it.
void dc_journal_seal(struct dc_text *text, size_t begin)
{
  char check[CHECK_LENGTH + 1];
  if (text->failed)
    return;
  print_check(text->bytes + begin, text->length - begin, check);
  dc_text_add(text, "%s\n", check);
}

// Whether a line ends with the checksum of what stands before it.
static bool is_whole(const char *line, size_t length)
{
  char check[CHECK_LENGTH + 1];
  if (length <= CHECK_LENGTH)
    return false;
  print_check(line, length - CHECK_LENGTH, check);
  return memcmp(line + length - CHECK_LENGTH, check, CHECK_LENGTH) == 0;
}

// A line of the journal: what one point of a study has come to, as JSON, closed by a checksum. Numbers that are not
// known are left out.
void dc_sweep_row_print(long point, const struct dc_sweep_row *row, struct dc_text *text)
{
  size_t begin = text->length;
  dc_text_add(text, "{\"point\": %ld, \"status\": %d, \"success\": %s, \"stopped\": %s", point, row->status,
              row->success ? "true" : "false", row->stopped ? "true" : "false");
  put_real(text, "loss", row->loss);
  put_real(text, "initial_loss", row->initial_loss);
  put_real(text, "min_gap", row->min_gap);
  put_real(text, "seconds", row->seconds);
  dc_text_add(text, ", \"iterations\": %ld, \"steps\": %ld", row->iterations, row->steps);
  if (row->rollouts >= 0)
    dc_text_add(text, ", \"rollouts\": %ld", row->rollouts);
  for (int i = 0; i < DC_VERDICTS; i++)
    if (!isnan(row->verdicts[i]))
      put_real(text, dc_verdict_name(i), row->verdicts[i]);
  dc_text_add(text, ", \"message\": ");
  dc_text_string(text, dc_sweep_row_message(row));
  dc_journal_seal(text, begin);
}

static const double MOST_STATUS = 255;

// NAN where a member is missing or no number.
static double get_real(const cJSON *object, const char *key)
{
  const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsNumber(member) ? member->valuedouble : NAN;
}

// -1 where a count is missing, negative or larger than any run's.
static long get_count(const cJSON *object, const char *key)
{
  double number = get_real(object, key);
  return number >= 0 && number <= 1e15 ? (long)number : -1;
}

// Reads one line of a journal: the number of the point, or -1 when the line is damaged, or forged with a status that no
// process has.  Other numbers that are missing become NAN or -1, so that journals of earlier versions stay readable.
long dc_sweep_row_parse(const char *line, size_t length, struct dc_sweep_row *row)
{
  while (length && line[length - 1] == '\n')
    length--;
  cJSON *object = is_whole(line, length) ? cJSON_ParseWithLength(line, length) : NULL;
  long point = cJSON_IsObject(object) ? get_count(object, "point") : -1;
  double status = get_real(object, "status");
  const cJSON *message = cJSON_GetObjectItemCaseSensitive(object, "message");
  *row = (struct dc_sweep_row){0};
  if (point >= 0 && fabs(status) <= MOST_STATUS && cJSON_IsString(message))
    *row = (struct dc_sweep_row){
        .done = true,
        .status = (int)status,
        .success = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "success")),
        .stopped = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "stopped")),
        .loss = get_real(object, "loss"),
        .initial_loss = get_real(object, "initial_loss"),
        .min_gap = get_real(object, "min_gap"),
        .seconds = get_real(object, "seconds"),
        .iterations = get_count(object, "iterations"),
        .steps = get_count(object, "steps"),
        .rollouts = get_count(object, "rollouts"),
        .message = strdup(message->valuestring),
    };
  for (int i = 0; i < DC_VERDICTS; i++)
    row->verdicts[i] = get_real(object, dc_verdict_name(i));
  cJSON_Delete(object);
  return row->message ? point : -1;
}

// Cuts off the bytes behind the last line end, which is looked for in blocks from the end of the file: a journal may
// have a gigabyte, and only its last line can be incomplete.
static enum dc_status mend(struct dc_journal *journal, struct dc_error *error)
{
  char block[4096];
  struct stat info;
  if (fstat(journal->fd, &info) < 0)
    return dc_fail_file(error, journal->path, "read");
  off_t end = info.st_size, whole = 0;
  while (end > 0 && whole == 0) {
    off_t begin = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
    ssize_t got = pread(journal->fd, block, (size_t)(end - begin), begin);
    if (got != (ssize_t)(end - begin))
      return dc_fail_file(error, journal->path, "read");
    for (ssize_t i = got; i > 0 && whole == 0; i--)
      if (block[i - 1] == '\n')
        whole = begin + i;
    end = begin;
  }
  if (whole < info.st_size && ftruncate(journal->fd, whole) < 0)
    return dc_fail_file(error, journal->path, "cut off an incomplete line");
  return DC_OK;
}

// Opens or creates the journal, locks it against a second sweep, and cuts off an incomplete last line, which a killed
// sweep may leave.
enum dc_status dc_journal_open(const char *directory, const char *name, struct dc_journal *journal,
                               struct dc_error *error)
{
  *journal = (struct dc_journal){.path = dc_path_join(directory, name), .fd = -1, .synced = dc_seconds()};
  if (!journal->path)
    return dc_out_of_memory_in(error, directory);
  journal->fd = dc_open_append(dc_open_here, journal->path, DC_MAY_EXIST);
  enum dc_status status = journal->fd < 0 ? dc_fail_file(error, journal->path, "create") : DC_OK;
  if (!status && flock(journal->fd, LOCK_EX | LOCK_NB) < 0)
    status = errno == EWOULDBLOCK ? dc_fail(error, DC_IO, "%.800s: another sweep is writing it", journal->path)
                                  : dc_fail_file(error, journal->path, "lock");
  if (!status)
    status = mend(journal, error);
  if (status)
    dc_journal_close(journal, NULL);
  return status;
}

// A signal may interrupt the call, which is then made again.
static enum dc_status sync_journal(struct dc_journal *journal, struct dc_error *error)
{
  while (fsync(journal->fd) < 0)
    if (errno != EINTR)
      return dc_fail_file(error, journal->path, "sync");
  journal->synced = dc_seconds();
  return DC_OK;
}

// Appends lines as a whole: when a write fails the file gets its length back.  A journal that was removed or replaced
// meanwhile is an error, as its lines would be lost.  The file is synced at most every sync_seconds.
enum dc_status dc_journal_add(struct dc_journal *journal, const char *lines, size_t length, struct dc_error *error)
{
  struct stat before, named;
  if (fstat(journal->fd, &before) < 0)
    return dc_fail_file(error, journal->path, "read");
  if (stat(journal->path, &named) < 0 || named.st_ino != before.st_ino || named.st_dev != before.st_dev)
    return dc_fail(error, DC_IO, "%.800s: was removed, moved or replaced", journal->path);
  enum dc_status status = dc_write_all(journal->fd, journal->path, lines, length, error);
  if (status) {
    (void)!ftruncate(journal->fd, before.st_size);
    return status;
  }
  return dc_seconds() - journal->synced < sync_seconds ? DC_OK : sync_journal(journal, error);
}

// The last lines are synced here, also where the second since the last sync is not over.
enum dc_status dc_journal_close(struct dc_journal *journal, struct dc_error *error)
{
  enum dc_status status = DC_OK;
  if (journal->fd >= 0) {
    status = sync_journal(journal, error);
    close(journal->fd);
  }
  free(journal->path);
  *journal = (struct dc_journal){.fd = -1};
  return status;
}

// The names of journals: that of a sweep alone, and one for each task of an array.
static int is_journal(const struct dirent *entry)
{
  size_t length = strlen(entry->d_name);
  return length > 6 && strncmp(entry->d_name, "journal", 7) == 0 && strcmp(entry->d_name + length - 6, ".jsonl") == 0;
}

// Sorts by bytes, independent of the locale: "journal.jsonl" comes after those of tasks.
static int by_name(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

// Whether a journal begins with the line that names its study; an empty one, or one cut off within its first line,
// may yet get it.
static bool names_study(const char *line)
{
  const char *end = strchr(line, '\n');
  return !end || (strncmp(line, "{\"study\"", 8) == 0 && is_whole(line, (size_t)(end - line)));
}

// Rows and identities of a journal; a later row of a point replaces an earlier one.  Returns how many lines are
// damaged.
static long read_lines(const char *text, long points, struct dc_sweep_row *rows, struct dc_text *identities)
{
  long damaged = 0;
  for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
    struct dc_sweep_row row;
    if (strncmp(line, "{\"study\"", 8) == 0 && is_whole(line, (size_t)(end - line))) {
      dc_text_append(identities, line, (size_t)(end - line) + 1);
      continue;
    }
    long point = dc_sweep_row_parse(line, (size_t)(end - line), &row);
    if (point < 0 || point >= points) {
      free(row.message);
      damaged++;
      continue;
    }
    dc_sweep_row_keep(&rows[point], &row);
  }
  return damaged;
}

// One journal: it must belong to a study before its rows are believed, since another study's points are others.
static enum dc_status read_journal(const char *directory, const char *name, long points, struct dc_sweep_row *rows,
                                   struct dc_text *identities, long *damaged, struct dc_error *error)
{
  char *path = dc_path_join(directory, name), *bytes = NULL;
  size_t size;
  enum dc_status status =
      path ? dc_file_read(path, LARGEST, &bytes, &size, error) : dc_out_of_memory_in(error, directory);
  if (!status && !names_study(bytes))
    status =
        dc_fail(error, DC_CHECKPOINT,
                "%.800s:1: the line that names the study is damaged, or of an older version: remove the journal to run "
                "its points again",
                path);
  if (!status)
    *damaged += read_lines(bytes, points, rows, identities);
  free(bytes);
  free(path);
  return status;
}

// All journals of the directory in the order of their names; a directory that is not there holds none.
enum dc_status dc_journals_read(const char *directory, long points, struct dc_sweep_row *rows,
                                struct dc_text *identities, long *damaged, struct dc_error *error)
{
  struct dirent **entries;
  int count = scandir(directory, &entries, is_journal, by_name);
  if (count < 0)
    return errno == ENOENT ? DC_OK : dc_fail_file(error, directory, "read");
  enum dc_status status = DC_OK;
  for (int i = 0; i < count; i++) {
    if (!status)
      status = read_journal(directory, entries[i]->d_name, points, rows, identities, damaged, error);
    free(entries[i]);
  }
  free(entries);
  return status;
}
