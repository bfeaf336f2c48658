// SPDX-License-Identifier: Apache-2.0
// The seal is a text of three lines in the first 512 bytes, padded with zeros:
//     FORMAT
//     size BYTES
//     fnv1a HASH
// HASH is the 64-bit FNV-1a of all bytes behind the seal, in hexadecimal; BYTES counts the seal too.  A file is whole
// when the seal made from what is there equals the one that is written.
#include "io/run/seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/run/run_files.h"

// Format, size, FNV-1a of the bytes behind.
static void make_seal(char seal[DC_SEAL_SIZE], const char *format, size_t size, uint64_t hash)
{
  memset(seal, 0, DC_SEAL_SIZE);
  snprintf(seal, DC_SEAL_SIZE, "%s\nsize %zu\nfnv1a %016llx\n", format, size, (unsigned long long)hash);
}

static uint64_t hash_behind(const char *image, size_t size)
{
  return dc_hash(DC_HASH_SEED, image + DC_SEAL_SIZE, size - DC_SEAL_SIZE);
}

// Writes the seal over the first DC_SEAL_SIZE bytes of an image, which must be left free for it.
void dc_seal(const char *format, char *image, size_t size)
{
  char seal[DC_SEAL_SIZE];
  make_seal(seal, format, size, hash_behind(image, size));
  memcpy(image, seal, DC_SEAL_SIZE);
}

// Seals a mapped file.  Pages that have been hashed are released block by block, so that a file of gigabytes is
// not in memory as a whole.
void dc_seal_mapped(const char *format, const struct dc_mapped_file *file, size_t size)
{
  static const size_t block = 4 << 20;
  uint64_t hash = DC_HASH_SEED;
  for (size_t at = DC_SEAL_SIZE; at < size; at += block) {
    hash = dc_hash(hash, file->bytes + at, size - at < block ? size - at : block);
    dc_mapped_file_release(file);
  }
  make_seal(file->bytes, format, size, hash);
}

// Makes the seal that the bytes should have and compares all of it: format, size, hash of the bytes behind the
// seal.  DC_CHECKPOINT tells another format from damage by the message alone.
static enum dc_status check_seal(const char *path, const char *format, const char *image, size_t size, uint64_t hash,
                                 struct dc_error *error)
{
  char seal[DC_SEAL_SIZE];
  size_t length = strlen(format);
  if (size <= DC_SEAL_SIZE || memcmp(image, format, length) != 0 || image[length] != '\n')
    return dc_fail(error, DC_CHECKPOINT, "%.800s: is not of the format \"%s\"", path, format);
  make_seal(seal, format, size, hash);
  if (memcmp(seal, image, DC_SEAL_SIZE) != 0)
    return dc_fail(error, DC_CHECKPOINT, "%.800s: is damaged (size or hash is not what was written)", path);
  return DC_OK;
}

// Hashes a file without mapping it: a file that another process cuts off while it is read is then an error, and
// no signal.
static enum dc_status check_file(int fd, const char *path, const char *format, size_t size, struct dc_error *error)
{
  enum { BLOCK = 1 << 16 };
  char seal[DC_SEAL_SIZE] = {0}, block[BLOCK];
  uint64_t hash = DC_HASH_SEED;
  for (size_t at = 0; at < size;) {
    size_t wanted = at ? BLOCK : DC_SEAL_SIZE;
    ssize_t got = pread(fd, block, wanted, (off_t)at);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return dc_fail_file(error, path, "read");
    if (got == 0 || (at == 0 && got < DC_SEAL_SIZE))
      break;
    if (at)
      hash = dc_hash(hash, block, (size_t)got);
    else
      memcpy(seal, block, DC_SEAL_SIZE);
    at += (size_t)got;
  }
  return check_seal(path, format, seal, size, hash, error);
}

// The mapping is private to this process and must be released by dc_mapped_file_destroy.  DC_CHECKPOINT: another
// format, or damage; DC_IO, DC_MEMORY: the file cannot be read or mapped.
enum dc_status dc_sealed_file_map(const char *path, const char *format, struct dc_mapped_file *file,
                                  struct dc_error *error)
{
  int fd;
  size_t size;
  *file = (struct dc_mapped_file){0};
  enum dc_status status = dc_file_open(path, DC_SEALED_MOST_BYTES, &fd, &size, error);
  if (status)
    return status;
  status = check_file(fd, path, format, size, error);
  if (!status && dc_mapped_file_open(fd, size, file))
    status = dc_fail(error, errno == ENOMEM ? DC_MEMORY : DC_IO, "%.800s: cannot be mapped: %s", path, strerror(errno));
  close(fd);
  return status;
}

// Reads the file into memory, seal included, and checks it; *image is released with free().
enum dc_status dc_sealed_file_read(const char *path, const char *format, char **image, size_t *size,
                                   struct dc_error *error)
{
  enum dc_status status = dc_file_read(path, DC_SEALED_MOST_BYTES, image, size, error);
  if (!status)
    status = check_seal(path, format, *image, *size, *size > DC_SEAL_SIZE ? hash_behind(*image, *size) : 0, error);
  if (status) {
    free(*image);
    *image = NULL;
  }
  return status;
}
