// SPDX-License-Identifier: Apache-2.0
// Decodes the data arrays of VTK's XML files: base64, with or without zlib blocks, with 32-bit or 64-bit sizes.
#include "geometry/mesh/vtk_data.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// Deflate packs at most 1032 to 1, so that sizes beyond this are forged and are refused before memory is asked for.
enum { MOST_RATIO = 1100 };  // of what zlib unpacks to what it was packed to

// Bytes one after the other.  Headers and data may be encoded apart: padding ends a group of four characters, not the
// stream.
struct stream {
  const char *at, *end;
  bool base64;
  unsigned char group[3];
  int left;  // bytes of the group that are not consumed yet
};

// The value of a digit in base64; -1: none.
static int digit_of(char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Reads the next group of four digits; false: the stream ends, or is not base64.
static bool read_group(struct stream *stream)
{
  unsigned bits = 0;
  int digits = 0, padding = 0;
  while (digits + padding < 4) {
    if (stream->at == stream->end)
      return false;
    char c = *stream->at++;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
      continue;
    int digit = digit_of(c);
    if (c == '=')
      padding++;
    else if (digit < 0 || padding)
      return false;
    else
      digits++;
    bits = bits << 6 | (unsigned)(digit < 0 ? 0 : digit);
  }
  stream->left = 3 - padding;
  for (int i = 0; i < stream->left; i++)
    stream->group[stream->left - 1 - i] = (unsigned char)(bits >> (16 - 8 * i));
  return stream->left > 0;
}

// Exactly count bytes, decoded if need be; false: there are not so many.
static bool take(struct stream *stream, size_t count, unsigned char *bytes)
{
  size_t room = (size_t)(stream->end - stream->at);
  if (!stream->base64) {
    if (count > room)
      return false;
    if (count)
      memcpy(bytes, stream->at, count);
    stream->at += count;
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    if (stream->left == 0 && !read_group(stream))
      return false;
    bytes[i] = stream->group[--stream->left];
  }
  return true;
}

// Reads a number of the header.
static bool take_size(struct stream *stream, const struct dc_vtk_encoding *encoding, uint64_t *number)
{
  unsigned char bytes[8];
  const int one = 1;
  bool little = (*(const char *)&one == 1) != encoding->swapped;
  int count = encoding->header_bytes;
  if (!take(stream, (size_t)count, bytes))
    return false;
  *number = 0;
  for (int i = 0; i < count; i++)
    *number = *number << 8 | bytes[little ? count - 1 - i : i];
  return true;
}

static enum dc_status out_of_memory(struct dc_mesh_cursor *cursor)
{
  return cursor->status = dc_out_of_memory_in(cursor->error, cursor->file->name);
}

// Unpacks zlib blocks: first all sizes, then the blocks; every size is checked against what is there before it is used.
static enum dc_status unpack(struct dc_mesh_cursor *cursor, const struct dc_vtk_encoding *encoding,
                             struct stream *stream, char **bytes, size_t *size)
{
  static const char cut[] = "the array ends within its blocks", wrong[] = "the sizes of its blocks cannot be";
  uint64_t count, block, last, room = (uint64_t)(stream->end - stream->at), total = 0, packed;
  if (!take_size(stream, encoding, &count) || !take_size(stream, encoding, &block) ||
      !take_size(stream, encoding, &last))
    return dc_cursor_fail(cursor, "%s", cut);
  if (count > room || block > MOST_RATIO * room || last > block)
    return dc_cursor_fail(cursor, "%s", wrong);
  if (count && block && count > MOST_RATIO * room / block + 1)
    return dc_cursor_fail(cursor, "%s", wrong);
  struct stream sizes = *stream;
  *size = count ? (size_t)((count - 1) * block + (last ? last : block)) : 0;
  *bytes = dc_alloc(*size, 1);
  unsigned char *from = dc_alloc(room, 1);
  if (!*bytes || !from)
    out_of_memory(cursor);
  for (uint64_t i = 0; i < count && !cursor->status; i++)  // skips the sizes
    if (!take_size(stream, encoding, &packed))
      dc_cursor_fail(cursor, "%s", cut);
  stream->left = 0;  // the data start a group of their own
  for (uint64_t i = 0; i < count && !cursor->status; i++) {
    uLongf wanted = (uLongf)(i + 1 < count || !last ? block : last), got = wanted;
    if (!take_size(&sizes, encoding, &packed) || packed > room || !take(stream, (size_t)packed, from))
      dc_cursor_fail(cursor, "%s", cut);
    else if (uncompress((Bytef *)*bytes + total, &got, from, (uLong)packed) != Z_OK || got != wanted)
      dc_cursor_fail(cursor, "block %llu is no data of zlib", (unsigned long long)i);
    total += wanted;
  }
  free(from);
  return cursor->status;
}

// An array that is not packed is its size and its bytes.
enum dc_status dc_vtk_decode(struct dc_mesh_cursor *cursor, const struct dc_vtk_encoding *encoding, const char *text,
                             const char *end, char **bytes, size_t *size)
{
  struct stream stream = {.at = text, .end = end, .base64 = encoding->base64};
  uint64_t count;
  *bytes = NULL;
  *size = 0;
  if (encoding->packed)
    return unpack(cursor, encoding, &stream, bytes, size);
  if (!take_size(&stream, encoding, &count) || count > (uint64_t)(end - text))
    return dc_cursor_fail(cursor, "the array does not hold as many bytes as it says, or is not base64");
  *size = (size_t)count;
  *bytes = dc_alloc(*size, 1);
  if (!*bytes)
    return out_of_memory(cursor);
  if (!take(&stream, *size, (unsigned char *)*bytes))
    return dc_cursor_fail(cursor, "the array does not hold as many bytes as it says, or is not base64");
  return DC_OK;
}
