// SPDX-License-Identifier: Apache-2.0
// checkpoint.h5: the arrays of a snapshot below /arrays (64-bit numbers, [count] each), and on the root the attributes
// "format", "version", "scene_hash", "mesh_hash", "vector_width" and "checksum" (hashes in hexadecimal, as in run.json).
#include "io/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "io/h5_file.h"
#include "io/json_text.h"
#include "io/run_files.h"

#define FORMAT "dcsim checkpoint 1"
#define FILE_NAME "checkpoint.h5"
enum { HASH_SIZE = 17, TEXT_SIZE = 128 };

static void format_hash(char text[HASH_SIZE], uint64_t hash)
{
  snprintf(text, HASH_SIZE, "%016" PRIx64, hash);
}

// FNV-1a of name, kind and numbers of every array, summed, so that the order of the arrays does not matter.
static uint64_t checksum(const struct dc_snapshot *snapshot)
{
  struct dc_snapshot_entry entry;
  uint64_t sum = 0;
  for (size_t i = 0; dc_snapshot_entry(snapshot, i, &entry); i++) {
    uint64_t hash = dc_hash(DC_HASH_SEED, entry.name, strlen(entry.name) + 1);
    hash = dc_hash(hash, entry.reals ? "r" : "i", 1);
    if (entry.reals)
      hash = dc_hash(hash, entry.reals, entry.count * sizeof *entry.reals);
    for (size_t k = 0; !entry.reals && k < entry.count; k++) {
      int64_t integer = entry.integers[k];
      hash = dc_hash(hash, &integer, sizeof integer);
    }
    sum += hash;
  }
  return sum;
}

enum dc_status dc_checkpoint_identify(const struct dc_scene *scene, const char *version, const char *vector_width,
                                      struct dc_checkpoint_identity *identity, struct dc_error *error)
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
                                                .mesh_hash = scene->mesh_hash,
                                                .vector_width = vector_width};
  dc_text_free(&resolved);
  dc_arena_destroy(copies.arena);
  return status;
}

static void put_identity(struct writer *writer, const struct dc_checkpoint_identity *identity, uint64_t sum)
{
  char scene[HASH_SIZE], mesh[HASH_SIZE], sum_text[HASH_SIZE];
  format_hash(scene, identity->scene_hash);
  format_hash(mesh, identity->mesh_hash);
  format_hash(sum_text, sum);
  const char *const attributes[][2] = {
      {"format", FORMAT},  {"version", identity->version},           {"scene_hash", scene},
      {"mesh_hash", mesh}, {"vector_width", identity->vector_width}, {"checksum", sum_text}};
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
    dc_h5_put_strings(writer, writer->file, attributes[i][0], 0, &attributes[i][1]);
}

static void put_array(struct writer *writer, hid_t parent, const struct dc_snapshot_entry *entry)
{
  hsize_t shape = entry->count;
  hid_t stored = entry->reals ? H5T_IEEE_F64LE : H5T_STD_I64LE,
        native = entry->reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_LONG;
  const void *values = entry->reals ? (const void *)entry->reals : (const void *)entry->integers;
  char *link = dc_h5_link_name(entry->name);
  hid_t space = checked(writer, H5Screate_simple(1, &shape, NULL)), dataset = -1;
  if (link)
    dataset = H5Dcreate2(parent, link, stored, space, H5P_DEFAULT, writer->dataset_properties, H5P_DEFAULT);
  checked(writer, dataset);
  if (entry->count)
    checked(writer, H5Dwrite(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  close_object(dataset);
  close_object(space);
  free(link);
}

// The whole file in memory; NULL when memory is out, which is all that can fail.
static char *build_image(const struct dc_checkpoint_identity *identity, const struct dc_snapshot *snapshot,
                         size_t *size)
{
  struct writer writer = {.file = -1};
  struct error_printing saved = dc_h5_silence();
  struct dc_snapshot_entry entry;
  dc_h5_writer_open(&writer);
  if (!writer.failed) {
    put_identity(&writer, identity, checksum(snapshot));
    hid_t group =
        checked(&writer, H5Gcreate2(writer.file, "arrays", H5P_DEFAULT, writer.group_properties, H5P_DEFAULT));
    for (size_t i = 0; !writer.failed && dc_snapshot_entry(snapshot, i, &entry); i++)
      put_array(&writer, group, &entry);
    close_object(group);
  }
  char *image = dc_h5_writer_image(&writer, FORMAT, size);
  dc_h5_writer_close(&writer);
  dc_h5_speak(saved);
  return image;
}

enum dc_status dc_checkpoint_write(struct dc_run *run, const struct dc_checkpoint_identity *identity,
                                   const struct dc_snapshot *snapshot, struct dc_error *error)
{
  size_t size = 0;
  char *image = build_image(identity, snapshot, &size);
  enum dc_status status = DC_OK;
  if (!image)
    status = dc_fail(error, DC_MEMORY, "%.800s/" FILE_NAME ": out of memory", dc_run_directory(run));
  if (!status)
    status = dc_run_sync(run, error);
  if (!status)
    status = dc_run_write_file(run, FILE_NAME, image, size, error);
  free(image);
  return status;
}

struct reader {
  const char *path;
  size_t file_size;
  struct dc_error *error;
};

static enum dc_status damaged(const struct reader *reader, const char *what)
{
  return dc_fail(reader->error, DC_CHECKPOINT, "%.500s: %.200s", reader->path, what);
}

static enum dc_status out_of_memory(const struct reader *reader)
{
  return dc_fail(reader->error, DC_MEMORY, "%.800s: out of memory", reader->path);
}

// The name that dc_h5_link_name made link from, in the same memory.
static void decode_name(char *link)
{
  char *to = link;
  for (const char *from = link; *from;) {
    unsigned character;
    if (*from == '%' && sscanf(from + 1, "%2x", &character) == 1) {
      *to++ = (char)character;
      from += 3;
    } else {
      *to++ = *from++;
    }
  }
  *to = '\0';
}

// Numbers of an open dataset into the snapshot.  All of them must be in the file itself, so that memory stays in
// proportion to it.
static enum dc_status get_numbers(const struct reader *reader, hid_t dataset, hid_t type, hid_t space, const char *name,
                                  struct dc_snapshot *snapshot)
{
  enum { BYTES = 8 };
  bool reals = H5Tget_class(type) == H5T_FLOAT;
  hsize_t count = 0;
  if ((!reals && H5Tget_class(type) != H5T_INTEGER) || H5Tget_size(type) != BYTES ||
      H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &count, NULL) < 0)
    return damaged(reader, "holds an array of another kind");
  if (count > reader->file_size / BYTES || (count && H5Dget_storage_size(dataset) != count * BYTES))
    return damaged(reader, "claims more numbers than the file holds");
  void *values = dc_alloc((size_t)count, reals ? sizeof(double) : sizeof(long));
  if (!values)
    return out_of_memory(reader);
  enum dc_status status = DC_OK;
  if (count && H5Dread(dataset, reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_LONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    status = damaged(reader, "holds an array that cannot be read");
  else if (reals)
    status = dc_snapshot_put_reals(snapshot, name, (size_t)count, values);
  else
    status = dc_snapshot_put_integers(snapshot, name, (size_t)count, values);
  free(values);
  if (status == DC_MEMORY)
    return out_of_memory(reader);
  return status == DC_USAGE ? damaged(reader, "holds two arrays of one name") : status;
}

static enum dc_status get_array(const struct reader *reader, hid_t group, hsize_t index, struct dc_snapshot *snapshot)
{
  ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, NULL, 0, H5P_DEFAULT);
  if (length <= 0 || (size_t)length > reader->file_size)
    return damaged(reader, "holds an array without a name");
  char *link = malloc((size_t)length + 1);
  if (!link)
    return out_of_memory(reader);
  enum dc_status status = DC_OK;
  hid_t dataset = -1;
  if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, link, (size_t)length + 1, H5P_DEFAULT) ==
      length)
    dataset = H5Dopen2(group, link, H5P_DEFAULT);
  if (dataset >= 0) {
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    decode_name(link);
    status = get_numbers(reader, dataset, type, space, link, snapshot);
    close_object(space);
    close_object(type);
  } else {
    status = damaged(reader, "holds something that is no array");
  }
  close_object(dataset);
  free(link);
  return status;
}

static enum dc_status get_arrays(const struct reader *reader, hid_t file, struct dc_snapshot *snapshot)
{
  H5G_info_t info;
  hid_t group = H5Gopen2(file, "arrays", H5P_DEFAULT);
  enum dc_status status = DC_OK;
  if (group < 0 || H5Gget_info(group, &info) < 0)
    status = damaged(reader, "holds no arrays");
  for (hsize_t i = 0; !status && i < info.nlinks; i++)
    status = get_array(reader, group, i, snapshot);
  close_object(group);
  char stored[TEXT_SIZE] = "", computed[HASH_SIZE];
  format_hash(computed, checksum(snapshot));
  if (!status && (!dc_h5_get_string(file, "checksum", stored, sizeof stored) || strcmp(stored, computed) != 0))
    status = damaged(reader, "the numbers are not those that were written (checksum)");
  return status;
}

// Adds "what STORED (now CURRENT)" to the list when they differ.
static void compare(hid_t file, const char *attribute, const char *what, const char *current,
                    struct dc_text *differences)
{
  char stored[TEXT_SIZE];
  if (!dc_h5_get_string(file, attribute, stored, sizeof stored))
    strcpy(stored, "unknown");
  if (strcmp(stored, current) != 0)
    dc_text_add(differences, "%s%s %s (now %s)", differences->length ? ", " : "", what, stored, current);
}

static enum dc_status check_identity(const struct reader *reader, hid_t file,
                                     const struct dc_checkpoint_identity *identity)
{
  char scene[HASH_SIZE], mesh[HASH_SIZE];
  struct dc_text differences = {0};
  format_hash(scene, identity->scene_hash);
  format_hash(mesh, identity->mesh_hash);
  compare(file, "version", "another version", identity->version, &differences);
  compare(file, "scene_hash", "another scene", scene, &differences);
  compare(file, "mesh_hash", "other meshes", mesh, &differences);
  compare(file, "vector_width", "other vector kernels", identity->vector_width, &differences);
  enum dc_status status = DC_OK;
  if (differences.failed)
    status = out_of_memory(reader);
  else if (differences.length)
    status = dc_fail(reader->error, DC_CHECKPOINT, "%.500s: was written with %.300s; --force goes on all the same",
                     reader->path, differences.bytes);
  dc_text_free(&differences);
  return status;
}

static enum dc_status read_file(struct reader *reader, const struct dc_checkpoint_identity *identity, bool force,
                                struct dc_snapshot *snapshot)
{
  char *image;
  enum dc_status status = dc_h5_read_image(reader->path, FORMAT, &image, &reader->file_size, reader->error);
  if (status) {
    if (status == DC_IO)
      status = DC_CHECKPOINT;
    if (reader->error)
      reader->error->status = status;
    return status;
  }
  struct error_printing saved = dc_h5_silence();
  hid_t file = dc_h5_open_image(image, reader->file_size);
  if (file < 0)
    status = damaged(reader, "HDF5 cannot open it");
  if (!status && !force)
    status = check_identity(reader, file, identity);
  if (!status)
    status = get_arrays(reader, file, snapshot);
  if (file >= 0)
    H5Fclose(file);
  dc_h5_speak(saved);
  free(image);
  return status;
}

enum dc_status dc_checkpoint_read(const char *directory, const struct dc_checkpoint_identity *identity, bool force,
                                  struct dc_snapshot *snapshot, struct dc_error *error)
{
  dc_snapshot_clear(snapshot);
  char *path = dc_path_join(directory, FILE_NAME);
  if (!path)
    return dc_fail(error, DC_MEMORY, "%.800s: out of memory", directory);
  struct reader reader = {.path = path, .error = error};
  enum dc_status status = read_file(&reader, identity, force, snapshot);
  if (status)
    dc_snapshot_clear(snapshot);
  free(path);
  return status;
}
