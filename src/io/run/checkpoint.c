// SPDX-License-Identifier: Apache-2.0
// checkpoint.bin: a seal (io/run/seal.h), then records of
//
//   kind, name_size, count   64-bit integers; a name of no more than name_size bytes, its terminating zero included
//   name [name_size]         padded with zeros to a multiple of 8 bytes
//   numbers [count]          8 bytes each; of a text its bytes, padded like the name
//
// in the byte order of the machine: texts that say what the checkpoint belongs to, then the arrays of the snapshot.
#include "io/run/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "io/json/json_text.h"
#include "io/run/run_files.h"
#include "io/run/seal.h"

#define FORMAT "dcsim checkpoint 2"
#define FILE_NAME "checkpoint.bin"
enum { TEXT_SIZE = 128, WORD = 8, IDENTITIES = 5 };
enum kind { REALS, INTEGERS, TEXT };
_Static_assert(sizeof(double) == WORD && sizeof(long) == WORD, "numbers of 64 bits are stored as they are in memory");

// Three words before each record, in the byte order of the machine: on one of the other order the kind of the
// first record is none of those below, and the file is refused.
struct record_head {
  int64_t kind;
  uint64_t name_size, count;
};

// Finds the identity of a run, which a checkpoint must share to be resumed: hashes of the resolved scene and of its
// meshes, version, and the kernels and BLAS that decide the last bits.
enum dc_status dc_checkpoint_identify(const struct dc_scene *scene, const char *version, const char *vector_width,
                                      const char *blas_core, struct dc_checkpoint_identity *identity,
                                      struct dc_error *error)
{
  struct dc_mesh_copies copies;
  struct dc_text resolved = {0};
  enum dc_status status = dc_mesh_copies_plan(scene, &copies, error);
  if (status)
    return status;
  status = dc_mesh_copies_resolve(&copies, scene, &resolved, error);
  if (!status)
    *identity = (struct dc_checkpoint_identity){.version = version,
                                                .scene_hash = dc_hash(DC_HASH_SEED, resolved.bytes, resolved.length),
                                                .mesh_hash = scene->source.mesh_hash,
                                                .vector_width = vector_width,
                                                .blas_core = blas_core};
  dc_text_free(&resolved);
  dc_arena_destroy(copies.arena);
  return status;
}

// One part of the identity: its name in the file, the words of messages about another one, its value.
struct identity_text {
  const char *name, *what;
  char value[TEXT_SIZE];
};

// Writes the five parts of an identity as texts, hashes as 16 hexadecimal digits.
static void spell_identity(const struct dc_checkpoint_identity *identity, struct identity_text texts[IDENTITIES])
{
  static const struct identity_text names[IDENTITIES] = {
      {.name = "version", .what = "another version"},
      {.name = "scene_hash", .what = "another scene"},
      {.name = "mesh_hash", .what = "other meshes"},
      {.name = "vector_width", .what = "other vector kernels"},
      {.name = "blas_core", .what = "another core type of OpenBLAS"}};
  memcpy(texts, names, sizeof names);
  snprintf(texts[0].value, TEXT_SIZE, "%s", identity->version);
  snprintf(texts[1].value, TEXT_SIZE, "%016" PRIx64, identity->scene_hash);
  snprintf(texts[2].value, TEXT_SIZE, "%016" PRIx64, identity->mesh_hash);
  snprintf(texts[3].value, TEXT_SIZE, "%s", identity->vector_width);
  snprintf(texts[4].value, TEXT_SIZE, "%s", identity->blas_core);
}

// The next multiple of a word; it overflows for sizes near SIZE_MAX, which take() has to exclude.
static size_t padded(size_t size)
{
  return (size + WORD - 1) / WORD * WORD;
}

static void add_padded(struct dc_text *file, const void *bytes, size_t size)
{
  static const char zeros[WORD];
  if (size)
    dc_text_append(file, bytes, size);
  dc_text_append(file, zeros, padded(size) - size);
}

// Adds a record.  Everything is padded to words, so that numbers of a file in memory are aligned when they are
// read in place.
static void add_record(struct dc_text *file, enum kind kind, const char *name, size_t count, const void *values)
{
  struct record_head head = {.kind = kind, .name_size = strlen(name) + 1, .count = count};
  add_padded(file, &head, sizeof head);
  add_padded(file, name, (size_t)head.name_size);
  add_padded(file, values, kind == TEXT ? count : count * WORD);
}

// Builds the whole file in memory, with room for the seal in front, which is made last, over all bytes behind
// it.  file->failed: memory is out.
// Texts of the identity come first, so that a checkpoint of another run is refused before its arrays are looked at.
static void build(const struct dc_checkpoint_identity *identity, const struct dc_snapshot *snapshot,
                  struct dc_text *file)
{
  static const char room[DC_SEAL_SIZE];
  struct identity_text texts[IDENTITIES];
  struct dc_snapshot_entry entry;
  dc_text_append(file, room, sizeof room);
  spell_identity(identity, texts);
  for (int i = 0; i < IDENTITIES; i++)
    add_record(file, TEXT, texts[i].name, strlen(texts[i].value), texts[i].value);
  for (size_t i = 0; dc_snapshot_entry(snapshot, i, &entry); i++)
    add_record(file, entry.reals ? REALS : INTEGERS, entry.name, entry.count,
               entry.reals ? (const void *)entry.reals : (const void *)entry.integers);
  if (!file->failed)
    dc_seal(FORMAT, file->bytes, file->length);
}

// Writes the checkpoint of a run.  Rows of loss.csv and progress.jsonl are synced first: a checkpoint must
// never be newer than the rows that it says were written, or a resumed run would miss some.
enum dc_status dc_checkpoint_write(struct dc_run *run, const struct dc_checkpoint_identity *identity,
                                   const struct dc_snapshot *snapshot, struct dc_error *error)
{
  struct dc_text file = {0};
  enum dc_status status = DC_OK;
  build(identity, snapshot, &file);
  if (file.failed)
    status = dc_fail(error, DC_MEMORY, "%.800s/" FILE_NAME ": out of memory", dc_run_directory(run));
  if (!status)
    status = dc_run_sync(run, error);
  if (!status)
    status = dc_run_write_file(run, FILE_NAME, file.bytes, file.length, error);
  dc_text_free(&file);
  return status;
}

// The file in memory, `size` bytes with its seal, and the place `at` of the next record.
struct reader {
  const char *path, *image;
  size_t at, size;
  struct dc_error *error;
};

// A record of the file; name and values point into the image, so that nothing is copied before the snapshot
// does.
struct record {
  enum kind kind;
  const char *name;
  size_t count;
  const void *values;
};

// A sealed file that is wrong inside was written by another program: DC_CHECKPOINT, not DC_IO.
static enum dc_status damaged(const struct reader *reader, const char *what)
{
  return dc_fail(reader->error, DC_CHECKPOINT, "%.500s: %.200s", reader->path, what);
}

static enum dc_status out_of_memory(const struct reader *reader)
{
  return dc_out_of_memory_in(reader->error, reader->path);
}

// Takes `size` bytes and their padding out of the image; NULL when it does not have them.  Both are compared
// with what is left, as padding may overflow where `size` alone does not.
static const void *take(struct reader *reader, size_t size)
{
  size_t left = reader->size - reader->at;
  if (size > left || padded(size) > left)
    return NULL;
  const void *bytes = reader->image + reader->at;
  reader->at += padded(size);
  return bytes;
}

// Reads one record: head, name with its zero, values.  Every size is compared with the file's before it is used.
// On success the name is a string within the image, and values are aligned to a word, since everything before is
// padded.
static enum dc_status next_record(struct reader *reader, struct record *record)
{
  struct record_head head;
  const void *bytes = take(reader, sizeof head);
  if (!bytes)
    return damaged(reader, "ends inside a record");
  memcpy(&head, bytes, sizeof head);
  if (head.kind < REALS || head.kind > TEXT)
    return damaged(reader, "holds a record of another kind");
  size_t unit = head.kind == TEXT ? 1 : WORD;
  if (head.count > reader->size / unit || head.name_size > reader->size)
    return damaged(reader, "claims more numbers than the file holds");
  record->kind = (enum kind)head.kind;
  record->count = (size_t)head.count;
  record->name = take(reader, (size_t)head.name_size);
  record->values = record->name ? take(reader, record->count * unit) : NULL;
  if (!record->values)
    return damaged(reader, "claims more numbers than the file holds");
  if (head.name_size == 0 || memchr(record->name, '\0', (size_t)head.name_size) != record->name + head.name_size - 1)
    return damaged(reader, "holds a record without a name");
  return DC_OK;
}

// Reads the texts with which a checkpoint begins; adds "WHAT STORED (now CURRENT)" to the list for each that
// differs, so that one message names all differences.
static enum dc_status compare_identity(struct reader *reader, const struct dc_checkpoint_identity *identity,
                                       struct dc_text *differences)
{
  struct identity_text texts[IDENTITIES];
  spell_identity(identity, texts);
  for (int i = 0; i < IDENTITIES; i++) {
    struct record record = {0};
    enum dc_status status = next_record(reader, &record);
    if (status)
      return status;
    if (record.kind != TEXT || record.count >= TEXT_SIZE || strcmp(record.name, texts[i].name) != 0)
      return damaged(reader, "does not say what it belongs to");
    if (record.count != strlen(texts[i].value) || memcmp(record.values, texts[i].value, record.count) != 0)
      dc_text_add(differences, "%s%s %.*s (now %s)", differences->length ? ", " : "", texts[i].what, (int)record.count,
                  (const char *)record.values, texts[i].value);
  }
  return differences->failed ? out_of_memory(reader) : DC_OK;
}

// Reads all records up to the end as arrays of the snapshot.
static enum dc_status get_arrays(struct reader *reader, struct dc_snapshot *snapshot)
{
  while (reader->at < reader->size) {
    struct record record = {0};
    enum dc_status status = next_record(reader, &record);
    if (status)
      return status;
    if (record.kind == TEXT)
      return damaged(reader, "holds a text among its arrays");
    status = record.kind == REALS ? dc_snapshot_put_reals(snapshot, record.name, record.count, record.values)
                                  : dc_snapshot_put_integers(snapshot, record.name, record.count, record.values);
    if (status == DC_MEMORY)
      return out_of_memory(reader);
    if (status)
      return damaged(reader, "holds two arrays of one name");
  }
  return DC_OK;
}

// Compares the identity, then reads the arrays.  With `force` a checkpoint of another version, scene or
// processor is taken all the same; arrays that do not fit the run are still refused later, by their sizes.
static enum dc_status read_image(struct reader *reader, const struct dc_checkpoint_identity *identity, bool force,
                                 struct dc_snapshot *snapshot)
{
  struct dc_text differences = {0};
  enum dc_status status = compare_identity(reader, identity, &differences);
  if (!status && differences.length && !force)
    status = dc_fail(reader->error, DC_CHECKPOINT, "%.500s: was written with %.400s; --force goes on all the same",
                     reader->path, differences.bytes);
  dc_text_free(&differences);
  return status ? status : get_arrays(reader, snapshot);
}

// DC_CHECKPOINT when the path names nothing or no regular file; DC_IO when a file cannot be examined, as it may be a
// checkpoint.
static enum dc_status check_file(const char *path, struct dc_error *error)
{
  struct stat info;
  if (stat(path, &info) < 0)
    return dc_fail(error, errno == ENOENT || errno == ENOTDIR ? DC_CHECKPOINT : DC_IO, "%.800s: cannot open: %s", path,
                   strerror(errno));
  return S_ISREG(info.st_mode) ? DC_OK : dc_fail(error, DC_CHECKPOINT, "%.800s: is not a regular file", path);
}

// Reads the checkpoint of a directory into a snapshot, which stays empty when anything fails.  The seal, a hash
// over the file, is checked before any of its numbers is used.
enum dc_status dc_checkpoint_read(const char *directory, const struct dc_checkpoint_identity *identity, bool force,
                                  struct dc_snapshot *snapshot, struct dc_error *error)
{
  dc_snapshot_clear(snapshot);
  char *path = dc_path_join(directory, FILE_NAME), *image = NULL;
  if (!path)
    return dc_out_of_memory_in(error, directory);
  struct reader reader = {.path = path, .at = DC_SEAL_SIZE, .error = error};
  enum dc_status status = check_file(path, error);
  if (!status)
    status = dc_sealed_file_read(path, FORMAT, &image, &reader.size, error);
  reader.image = image;
  if (!status)
    status = read_image(&reader, identity, force, snapshot);
  if (status)
    dc_snapshot_clear(snapshot);
  free(image);
  free(path);
  return status;
}
