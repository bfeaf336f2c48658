// SPDX-License-Identifier: Apache-2.0
// A run directory has a copy of every mesh file.  A glTF file may name other files, its buffers; in the copy their
// bytes stand in the text, as "data:" with base64 (RFC 4648), so that one file is the whole mesh.  All else stays as it
// is, byte for byte.  A buffer that cannot be opened below the folder of the file is left alone: its mesh was read
// without.
#include "io/run/gltf_copy.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/characters.h"
#include "base/memory.h"
#include "base/open.h"
#include "io/json/json_scan.h"
#include "io/json/json_text.h"
#include "io/json/json_value.h"
#include "io/run/run_files.h"

// Appends bytes in base64: three bytes become four digits of six bits each; a last group of one or two bytes is
// filled up with "=".
static void add_base64(struct dc_text *text, const unsigned char *bytes, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size && !text->failed; i += 3) {
    size_t left = size - i;
    unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                     (left > 2 ? (unsigned)bytes[i + 2] : 0);
    const char four[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                          left > 2 ? digits[group & 63] : '='};
    dc_text_append(text, four, sizeof four);
  }
}

// Reads a file below the folder, at most `limit` bytes; NULL when that cannot be.  Links that lead out of the
// folder are not followed: a mesh from elsewhere must not copy files of its user into a run.
static unsigned char *read_below(int folder, const char *name, size_t limit, size_t *size)
{
  struct dc_opened opened;
  if (dc_open_read(folder, name, DC_LINKS_BELOW, limit, &opened) != DC_OPENED)
    return NULL;
  unsigned char *bytes = dc_alloc(opened.size + 1, 1);
  size_t done = 0;
  for (ssize_t got = 1; bytes && done < opened.size && got > 0;) {
    got = read(opened.fd, bytes + done, opened.size - done);
    if (got < 0 && errno == EINTR)
      got = 1;
    else if (got > 0)
      done += (size_t)got;
  }
  close(opened.fd);
  if (bytes && done < opened.size) {
    free(bytes);
    return NULL;
  }
  *size = opened.size;
  return bytes;
}

// The bytes of a buffer's file: by its name as it stands, then with its %20 and the like decoded.
static unsigned char *read_named(int folder, const char *name, size_t limit, size_t *size)
{
  unsigned char *bytes = read_below(folder, name, limit, size);
  char *plain = !bytes && strchr(name, '%') ? dc_percent_decode(name) : NULL;
  if (plain)
    bytes = read_below(folder, plain, limit, size);
  free(plain);
  return bytes;
}

// Copies the text and replaces the uri of each buffer by its data.  The place of a string in the text comes
// from the parser; the text between two of them is copied as it stands.
static void take_in(const struct dc_json_document *document, int folder, size_t limit, struct dc_text *text)
{
  const char *done = document->text;
  const cJSON *buffer;
  cJSON_ArrayForEach (buffer, cJSON_GetObjectItemCaseSensitive(document->root, "buffers")) {
    const cJSON *uri = cJSON_GetObjectItemCaseSensitive(buffer, "uri");
    size_t size;
    unsigned char *bytes = cJSON_IsString(uri) && strncmp(uri->valuestring, "data:", 5) != 0
                               ? read_named(folder, uri->valuestring, limit, &size)
                               : NULL;
    if (!bytes)
      continue;
    const char *begin = document->text + document->places.places[uri->valueint].value;
    dc_text_append(text, done, (size_t)(begin - done));
    dc_text_add(text, "\"data:application/octet-stream;base64,");
    add_base64(text, bytes, size);
    dc_text_append(text, "\"", 1);
    done = dc_json_after_string(begin);
    free(bytes);
  }
  dc_text_append(text, done, strlen(done));
}

// Replaces the text of a .gltf file by one that has its buffers inside; files with another ending stay as they
// are.  *bytes, from malloc, is freed and replaced on success and untouched on failure.  The result may have at
// most `limit` bytes.
enum dc_status dc_gltf_take_in(const char *path, size_t limit, char **bytes, size_t *size, struct dc_error *error)
{
  const char *ending = strrchr(path, '.'), *slash = strrchr(path, '/');
  if (!ending || strcasecmp(ending, ".gltf") != 0)
    return DC_OK;
  struct dc_json_document document = {0};
  struct dc_text text = {0};
  struct dc_arena *arena = dc_arena_create();
  char *name = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int folder = name ? dc_directory_open(name) : -1;
  enum dc_status status = arena && name ? DC_OK : dc_out_of_memory_in(error, path);
  if (!status && folder < 0)
    status = dc_fail_file(error, path, "open the folder of");
  if (!status)
    status = dc_json_load_text(&document, path, *bytes, arena, error);
  if (!status) {
    take_in(&document, folder, limit, &text);
    if (text.failed)
      status = dc_out_of_memory_in(error, path);
    else if (text.length > limit)
      status = dc_fail(error, DC_BAD_INPUT, "%.800s: has more than %zu bytes with its buffers", path, limit);
  }
  dc_json_release(&document);
  if (!status) {
    free(*bytes);
    *bytes = text.bytes;
    *size = text.length;
    text = (struct dc_text){0};
  }
  dc_text_free(&text);
  if (folder >= 0)
    close(folder);
  free(name);
  dc_arena_destroy(arena);
  return status;
}
