// SPDX-License-Identifier: Apache-2.0
// Writes NPZ: a ZIP archive without compression, one .npy file an array.  The archive is made in memory and written
// at its end.
//
// Formats: PKWARE, APPNOTE.TXT (.ZIP File Format Specification), 6.3.10, sections 4.3 and 4.4; NumPy Enhancement
// Proposal 1 (the .npy format), version 1.0.
#include "io/run/npz.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "io/run/run_files.h"

enum {
  NEEDED_VERSION = 20,       // of a reader
  NAMES_ARE_UTF8 = 1 << 11,  // a flag
  DOS_DATE = 0x21,           // 1980-01-01: the same arrays give the same bytes
  NPY_ALIGNMENT = 64,        // of what follows the header
  REPLACEMENT = 0xfffd
};

// ZIP and .npy are little-endian on every machine.
static void put_u16(struct dc_text *text, size_t value)
{
  const char bytes[2] = {(char)(value & 255), (char)(value >> 8 & 255)};
  dc_text_append(text, bytes, sizeof bytes);
}

static void put_u32(struct dc_text *text, size_t value)
{
  put_u16(text, value);
  put_u16(text, value >> 16);
}

// CRC-32 of ISO 3309 (reflected polynomial 0xedb88320).
// The table is made at each call, 2,048 shifts, which is nothing beside an array and needs no state between threads.
static uint32_t crc32(const char *bytes, size_t size)
{
  uint32_t table[256], crc = 0xffffffffu;
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
  }
  for (size_t i = 0; i < size; i++)
    crc = crc >> 8 ^ table[(crc ^ (unsigned char)bytes[i]) & 255];
  return ~crc;
}

// Writes the fields that the header before an entry (section 4.3.7) and its line in the central directory
// (4.3.12) have in common.  Entries are stored without compression, so that both sizes are the same.
// Flag bit 11 says that names are UTF-8 (section 4.4.4).  Version 2.0 is the least a reader needs for folders and
// deflate.
static void put_entry(struct dc_text *text, uint32_t crc, size_t size, size_t name_length)
{
  put_u16(text, NEEDED_VERSION);
  put_u16(text, NAMES_ARE_UTF8);
  put_u16(text, 0);  // stored
  put_u16(text, 0);  // time
  put_u16(text, DOS_DATE);
  put_u32(text, crc);
  put_u32(text, size);  // compressed
  put_u32(text, size);
  put_u16(text, name_length);
  put_u16(text, 0);  // extra fields
}

// Adds an entry `name` + `suffix` to the archive and its line to the directory.  The directory grows beside the
// archive and is appended to it at the end, when every offset is known.
static void add_bytes(struct dc_npz *npz, const char *name, const char *suffix, const char *bytes, size_t size)
{
  size_t offset = npz->archive.length, length = strlen(name) + strlen(suffix);
  npz->directory.failed |= length > UINT16_MAX;
  if (npz->archive.failed)
    return;
  uint32_t crc = crc32(bytes, size);
  dc_text_append(&npz->archive, "PK\3\4", 4);
  put_entry(&npz->archive, crc, size, length);
  dc_text_add(&npz->archive, "%s%s", name, suffix);
  dc_text_append(&npz->archive, bytes, size);
  dc_text_append(&npz->directory, "PK\1\2", 4);
  put_u16(&npz->directory, NEEDED_VERSION);
  put_entry(&npz->directory, crc, size, length);
  put_u16(&npz->directory, 0);  // comment
  put_u16(&npz->directory, 0);  // disk
  put_u16(&npz->directory, 0);  // attributes inside
  put_u32(&npz->directory, 0);  // and outside
  put_u32(&npz->directory, offset);
  dc_text_add(&npz->directory, "%s%s", name, suffix);
  npz->entries++;
}

// An array that could not be put together makes the archive invalid, which dc_npz_write reports.
static void add_entry(struct dc_npz *npz, const char *name, const struct dc_text *array)
{
  npz->archive.failed |= array->failed;
  add_bytes(npz, name, ".npy", array->bytes, array->length);
}

// Adds an entry that is no array, under exactly this name.
void dc_npz_put_bytes(struct dc_npz *npz, const char *name, const void *bytes, size_t size)
{
  add_bytes(npz, name, "", bytes, size);
}

// Writes the header of an array: magic, version 1.0, the length of what follows, and a Python dictionary with
// type, order and shape.  It is filled up with spaces so that the numbers behind it begin at a multiple of
// NPY_ALIGNMENT.  `type` is as NumPy writes it; characters: the number behind it for texts ("<U7"), 0 for
// numbers.
// A shape of one dimension has a comma behind its number, as a tuple of Python does.
static void put_header(struct dc_text *array, const char *type, size_t characters, int dimensions, const size_t *shape)
{
  static const char magic[] = "\x93NUMPY\1\0";  // and the version
  enum { PREFIX = sizeof magic - 1 + 2 };
  struct dc_text header = {0};
  dc_text_add(&header, "{'descr': '%s", type);
  if (characters)
    dc_text_add(&header, "%zu", characters);
  dc_text_add(&header, "', 'fortran_order': False, 'shape': (");
  for (int i = 0; i < dimensions; i++)
    dc_text_add(&header, i ? " %zu," : "%zu,", shape[i]);
  dc_text_add(&header, "), }");
  while ((PREFIX + header.length + 1) % NPY_ALIGNMENT && !header.failed)
    dc_text_append(&header, " ", 1);
  dc_text_append(&header, "\n", 1);
  dc_text_append(array, magic, sizeof magic - 1);
  put_u16(array, header.length);
  if (header.failed)
    array->failed = true;
  else
    dc_text_append(array, header.bytes, header.length);
  dc_text_free(&header);
}

// Adds an array of doubles, little-endian, with the last index fastest.
void dc_npz_put_reals(struct dc_npz *npz, const char *name, int dimensions, const size_t *shape, const double *values)
{
  struct dc_text array = {0};
  size_t count = 1;
  for (int i = 0; i < dimensions; i++)
    count *= shape[i];
  put_header(&array, "<f8", 0, dimensions, shape);
  for (size_t i = 0; i < count && !array.failed; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    put_u32(&array, bits & 0xffffffffu);
    put_u32(&array, bits >> 32);
  }
  add_entry(npz, name, &array);
  dc_text_free(&array);
}

// The code point at *text, which moves behind it; a byte that is no UTF-8 becomes U+FFFD.
static uint32_t next_code_point(const char **text)
{
  size_t length = dc_utf8_length(*text, strlen(*text));
  uint32_t point = length ? dc_utf8_code_point(*text, length) : REPLACEMENT;
  *text += length ? length : 1;
  return point;
}

// NumPy counts the characters of a text by code points, not by bytes.
static size_t count_code_points(const char *text)
{
  size_t count = 0;
  for (; *text; count++)
    next_code_point(&text);
  return count;
}

// Adds texts as NumPy's "<U": all get the length of the longest one in code points (at least 1), 4 bytes each,
// filled up with zeros.
void dc_npz_put_texts(struct dc_npz *npz, const char *name, size_t count, const char *const *texts)
{
  struct dc_text array = {0};
  size_t longest = 1;
  for (size_t i = 0; i < count; i++) {
    size_t length = count_code_points(texts[i]);
    longest = length > longest ? length : longest;
  }
  put_header(&array, "<U", longest, 1, &count);
  for (size_t i = 0; i < count && !array.failed; i++) {
    const char *text = texts[i];
    for (size_t k = 0; k < longest; k++)
      put_u32(&array, *text ? next_code_point(&text) : 0);
  }
  add_entry(npz, name, &array);
  dc_text_free(&array);
}

// Appends the directory and the end record (section 4.3.16), writes the file as a whole, and frees the archive
// in any case.  ZIP64 is not written: archives end at 4 GiB and 65,534 entries.
enum dc_status dc_npz_write(struct dc_npz *npz, const char *path, struct dc_error *error)
{
  size_t offset = npz->archive.length, length = npz->directory.length, entries = npz->entries;
  dc_text_append(&npz->archive, npz->directory.bytes ? npz->directory.bytes : "", length);
  dc_text_append(&npz->archive, "PK\5\6", 4);
  put_u16(&npz->archive, 0);  // this disk
  put_u16(&npz->archive, 0);  // that of the directory
  put_u16(&npz->archive, entries);
  put_u16(&npz->archive, entries);
  put_u32(&npz->archive, length);
  put_u32(&npz->archive, offset);
  put_u16(&npz->archive, 0);  // comment
  enum dc_status status;
  if (npz->archive.failed || npz->directory.failed)
    status = dc_fail(error, DC_MEMORY, "%.800s: out of memory, or a name is too long", path);
  else if (npz->archive.length > UINT32_MAX || entries >= UINT16_MAX)
    status =
        dc_fail(error, DC_MEMORY, "%.800s: over 4 GiB or 65534 arrays, which NPZ files of this kind cannot hold", path);
  else
    status = dc_file_write(path, npz->archive.bytes, npz->archive.length, error);
  dc_npz_free(npz);
  return status;
}

// Leaves an empty archive, which may be filled or freed again.
void dc_npz_free(struct dc_npz *npz)
{
  dc_text_free(&npz->archive);
  dc_text_free(&npz->directory);
  npz->entries = 0;
}
