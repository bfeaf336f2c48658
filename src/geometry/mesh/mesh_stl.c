// SPDX-License-Identifier: Apache-2.0
// STL, binary and text. Triangles have corners of their own, which are welded where they are equal (mesh_weld). Normals
// are not read: the order of corners says what is outside, and files often have wrong ones or zeros.
//
// Binary files may begin with "solid" as well, so that the size decides: it must be exactly what the count promises.
#include "geometry/mesh/mesh_read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Binary: 80 bytes of anything, a count, and per triangle normal and corners (12 floats) and two bytes;
// little-endian.
enum { HEADER = 80, PROLOGUE = HEADER + 4, RECORD = 50 };

// The shortest facet in text: "facet normal 0 0 0 outer loop", three times "vertex 0 0 0", "endloop endfacet".
enum { SHORTEST_FACET = 85 };

// The least significant byte first, whatever the order of this machine.
static uint32_t read_u32(const char *bytes)
{
  const unsigned char *byte = (const unsigned char *)bytes;
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

// IEEE 754 in single precision, which all machines share that this runs on.
static double read_float(const char *bytes)
{
  uint32_t bits = read_u32(bytes);
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

// Text never passes for binary: four characters at the place of the count promise gigabytes.
static bool is_binary(const struct dc_mesh_file *file)
{
  return file->size >= PROLOGUE && (uint64_t)file->size == PROLOGUE + (uint64_t)RECORD * read_u32(file->bytes + HEADER);
}

// Whether a text begins with "solid" and holds no zero bytes.
static bool is_text(const struct dc_mesh_file *file)
{
  size_t blank = strspn(file->bytes, " \t\r\n");
  return strncasecmp(file->bytes + blank, "solid", 5) == 0 && memchr(" \t\r\n", file->bytes[blank + 5], 5) &&
         !memchr(file->bytes, '\0', file->size);
}

// By content first, then by name: a broken file called .stl is told as such.
bool dc_mesh_is_stl(const struct dc_mesh_file *file)
{
  size_t length = strlen(file->name);
  return is_binary(file) || is_text(file) || (length >= 4 && strcasecmp(file->name + length - 4, ".stl") == 0);
}

// Corners of all triangles, then one message about those that are not finite.
static enum dc_status parse_binary(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                   struct dc_error *error)
{
  size_t count = read_u32(file->bytes + HEADER), corner_count = 3 * count, bad = 0, first_bad = 0;
  double(*corners)[3] = dc_alloc(corner_count, sizeof *corners);
  if (!corners)
    return dc_out_of_memory_for(error, "a mesh of %zu triangles", count);
  for (size_t i = 0; i < count; i++) {
    const char *record = file->bytes + PROLOGUE + RECORD * i + 12;
    double *corner = corners[3 * i];
    bool finite = true;
    for (int k = 0; k < 9; k++) {
      corner[k] = read_float(record + 4 * k);
      finite = finite && isfinite(corner[k]);
    }
    if (!finite && bad++ == 0)
      first_bad = i;
  }
  enum dc_status status;
  if (bad)
    status = dc_fail(error, DC_BAD_INPUT, "%.700s: %zu triangle%s with coordinates that are not finite (first: %zu)",
                     file->name, bad, dc_plural((long)bad), first_bad);
  else
    status = dc_mesh_weld(corners, (int)count, arena, mesh, error);
  free(corners);
  return status;
}

// A place in the text of a file, with its line for messages.
struct scanner {
  const struct dc_mesh_file *file;
  const char *at, *end;
  long line;
};

static bool is_blank(char character)
{
  return character == ' ' || (character >= '\t' && character <= '\r');
}

// The next word, across lines; false at the end of the text.
static bool next_word(struct scanner *scanner, const char **word, size_t *length)
{
  for (; scanner->at < scanner->end && is_blank(*scanner->at); scanner->at++)
    scanner->line += *scanner->at == '\n';
  *word = scanner->at;
  while (scanner->at < scanner->end && !is_blank(*scanner->at))
    scanner->at++;
  *length = (size_t)(scanner->at - *word);
  return *length > 0;
}

// Keywords in any case, as files have both.
static bool is_word(const char *word, size_t length, const char *text)
{
  return length == strlen(text) && strncasecmp(word, text, length) == 0;
}

// Says what stands where something else should, or that the file has ended there.
static enum dc_status fail_expected(const struct scanner *scanner, const char *expected, const char *word,
                                    size_t length, struct dc_error *error)
{
  struct dc_mesh_quote quote;
  if (length == 0)
    return dc_mesh_fail_at(scanner->file, scanner->line, error, "the file ends where %s should stand", expected);
  return dc_mesh_fail_at(scanner->file, scanner->line, error, "'%s' stands where %s should",
                         dc_mesh_quote(&quote, word, length), expected);
}

// Goes past the words of a NULL-terminated list; each "*" stands for any word.
static enum dc_status expect(struct scanner *scanner, const char *const *words, struct dc_error *error)
{
  for (; *words; words++) {
    const char *word;
    size_t length;
    bool any = strcmp(*words, "*") == 0;
    if (!next_word(scanner, &word, &length) || !(any || is_word(word, length, *words)))
      return fail_expected(scanner, any ? "a number" : *words, word, length, error);
  }
  return DC_OK;
}

// Parses the text after "facet", up to "endfacet"; corner [9].
static enum dc_status parse_facet(struct scanner *scanner, double *corner, struct dc_error *error)
{
  static const char *const before[] = {"normal", "*", "*", "*", "outer", "loop", NULL};
  static const char *const vertex[] = {"vertex", NULL};
  static const char *const after[] = {"endloop", "endfacet", NULL};
  enum dc_status status = expect(scanner, before, error);
  for (int i = 0; i < 9 && !status; i++) {
    const char *word;
    size_t length;
    if (i % 3 == 0)
      status = expect(scanner, vertex, error);
    if (!status && (!next_word(scanner, &word, &length) || !dc_mesh_parse_number(word, length, &corner[i])))
      status = fail_expected(scanner, "a finite decimal number", word, length, error);
  }
  return status ? status : expect(scanner, after, error);
}

// One "solid NAME ... endsolid NAME" behind its first word; *count triangles are in corners so far.
static enum dc_status parse_solid(struct scanner *scanner, double (*corners)[3], size_t *count, struct dc_error *error)
{
  scanner->at += strcspn(scanner->at, "\n");
  for (;;) {
    const char *word;
    size_t length;
    next_word(scanner, &word, &length);
    if (is_word(word, length, "endsolid")) {
      scanner->at += strcspn(scanner->at, "\n");
      return DC_OK;
    }
    if (!is_word(word, length, "facet"))
      return fail_expected(scanner, "facet or endsolid", word, length, error);
    enum dc_status status = parse_facet(scanner, corners[3 * *count], error);
    if (status)
      return status;
    ++*count;
  }
}

// Any number of solids, joined to one mesh.  The size of the file bounds the number of facets.
static enum dc_status parse_text(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  struct scanner scanner = {file, file->bytes, file->bytes + file->size, 1};
  // One more than fit: the last may be begun and not ended.
  size_t most = file->size / SHORTEST_FACET + 1, count = 0, length;
  double(*corners)[3] = dc_alloc(3 * most, sizeof *corners);
  if (!corners)
    return dc_out_of_memory_for(error, "a mesh of %zu triangles", most);
  enum dc_status status = DC_OK;
  for (const char *word; !status && next_word(&scanner, &word, &length);)
    status = is_word(word, length, "solid") ? parse_solid(&scanner, corners, &count, error)
                                            : fail_expected(&scanner, "solid", word, length, error);
  if (!status && count == 0)
    status = dc_fail(error, DC_BAD_INPUT, "%.700s: no triangles", file->name);
  if (!status)
    status = dc_mesh_weld(corners, (int)count, arena, mesh, error);
  free(corners);
  return status;
}

// Chooses the form, or says why it is neither.
enum dc_status dc_mesh_parse_stl(const struct dc_mesh_file *file, struct dc_arena *arena, struct dc_mesh *mesh,
                                 struct dc_error *error)
{
  if (is_binary(file)) {
    if (file->size == PROLOGUE)
      return dc_fail(error, DC_BAD_INPUT, "%.700s: no triangles", file->name);
    return parse_binary(file, arena, mesh, error);
  }
  if (is_text(file))
    return parse_text(file, arena, mesh, error);
  if (file->size < PROLOGUE)
    return dc_fail(error, DC_BAD_INPUT,
                   "%.700s: neither text STL (no \"solid\") nor binary STL (%zu bytes, at least %d)%s", file->name,
                   file->size, PROLOGUE, file->size >= HEADER ? ": it ends after the header, without triangles" : "");
  uint32_t count = read_u32(file->bytes + HEADER);
  return dc_fail(error, DC_BAD_INPUT, "%.700s: binary STL of %lu triangles must have %llu bytes (has %zu)", file->name,
                 (unsigned long)count, PROLOGUE + (unsigned long long)RECORD * count, file->size);
}
