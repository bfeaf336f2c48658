// SPDX-License-Identifier: Apache-2.0
// Files of meshes of simplices: which format, and from what the file names to what a mesh holds.
#include "geometry/mesh/simplices_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/tetrahedra.h"

static const double LARGEST_PLACE = 1e9;  // m

// Cursors.

enum dc_status dc_cursor_fail(struct dc_mesh_cursor *cursor, const char *format, ...)
{
  char text[256];
  va_list arguments;
  if (cursor->status)
    return cursor->status;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cursor->status = cursor->binary ? dc_fail(cursor->error, DC_BAD_INPUT, "%.700s: byte %zu: %s", cursor->file->name,
                                            cursor->at, text)
                                  : dc_mesh_fail_at(cursor->file, cursor->line, cursor->error, "%s", text);
  return cursor->status;
}

const char *dc_cursor_line(struct dc_mesh_cursor *cursor, size_t *length)
{
  const char *begin = cursor->file->bytes + cursor->at, *end = memchr(begin, '\n', cursor->file->size - cursor->at);
  *length = end ? (size_t)(end - begin) : cursor->file->size - cursor->at;
  cursor->at += *length + (end != NULL);
  cursor->line += end != NULL;
  if (*length && begin[*length - 1] == '\r')
    --*length;
  return begin;
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *dc_cursor_word(struct dc_mesh_cursor *cursor, size_t *length)
{
  const char *bytes = cursor->file->bytes;
  for (; cursor->at < cursor->file->size && is_space(bytes[cursor->at]); cursor->at++)
    cursor->line += bytes[cursor->at] == '\n';
  size_t begin = cursor->at;
  while (cursor->at < cursor->file->size && !is_space(bytes[cursor->at]))
    cursor->at++;
  *length = cursor->at - begin;
  return bytes + begin;
}

bool dc_cursor_word_is(struct dc_mesh_cursor *cursor, const char *wanted)
{
  size_t length;
  const char *word = dc_cursor_word(cursor, &length);
  return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

// A number of so many bytes, in the order of this machine.
static bool take_bytes(struct dc_mesh_cursor *cursor, int bytes, unsigned char number[8])
{
  memset(number, 0, 8);
  if (cursor->file->size - cursor->at < (size_t)bytes) {
    dc_cursor_fail(cursor, "the file ends within its numbers");
    return false;
  }
  for (int i = 0; i < bytes; i++)
    number[i] = (unsigned char)cursor->file->bytes[cursor->at + (size_t)(cursor->swapped ? bytes - 1 - i : i)];
  cursor->at += (size_t)bytes;
  return true;
}

static double take_number(struct dc_mesh_cursor *cursor, const char *what)
{
  size_t length;
  double number;
  struct dc_mesh_quote quote;
  const char *word = dc_cursor_word(cursor, &length);
  if (length == 0)
    dc_cursor_fail(cursor, "the file ends where %s should be", what);
  else if (!dc_mesh_parse_number(word, length, &number))
    dc_cursor_fail(cursor, "must be %s (is \"%s\")", what, dc_mesh_quote(&quote, word, length));
  else
    return number;
  return 0;
}

static int64_t integer_of(const unsigned char number[8], int bytes)
{
  int16_t half;
  int32_t single;
  int64_t large;
  memcpy(&half, number, sizeof half);
  memcpy(&single, number, sizeof single);
  memcpy(&large, number, sizeof large);
  return bytes == 1 ? (signed char)number[0] : bytes == 2 ? half : bytes == 4 ? single : large;
}

int64_t dc_cursor_integer(struct dc_mesh_cursor *cursor, int bytes)
{
  unsigned char number[8];
  if (cursor->status)
    return 0;
  if (!cursor->binary) {
    double value = take_number(cursor, "a whole number");
    if (!(value >= -1e15 && value <= 1e15 && value == (double)(int64_t)value))
      dc_cursor_fail(cursor, "must be a whole number (is %g)", value);
    return cursor->status ? 0 : (int64_t)value;
  }
  if (!take_bytes(cursor, bytes, number))
    return 0;
  return integer_of(number, bytes);
}

double dc_cursor_real(struct dc_mesh_cursor *cursor, int bytes)
{
  unsigned char number[8];
  float single;
  double value;
  if (cursor->status)
    return 0;
  if (!cursor->binary) {
    value = take_number(cursor, "a number");
  } else {
    if (!take_bytes(cursor, bytes, number))
      return 0;
    memcpy(&single, number, sizeof single);
    memcpy(&value, number, sizeof value);
    if (bytes == 4)
      value = (double)single;
  }
  if (!(value >= -LARGEST_PLACE && value <= LARGEST_PLACE))
    dc_cursor_fail(cursor, "must be within %g m (is %g)", LARGEST_PLACE, value);
  return value;
}

int64_t dc_cursor_count(struct dc_mesh_cursor *cursor, int64_t count, size_t least_bytes)
{
  size_t left = cursor->file->size - cursor->at;
  if (!cursor->status && (count < 0 || (uint64_t)count > left / least_bytes))
    dc_cursor_fail(cursor, "must be a number of things that the file can hold (is %lld)", (long long)count);
  return cursor->status ? 0 : count;
}

// Parts.

static void out_of_memory(struct dc_mesh_cursor *cursor)
{
  cursor->status = dc_fail(cursor->error, DC_MEMORY, "%.700s: out of memory", cursor->file->name);
}

void dc_parts_add_node(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, int64_t number,
                       const double *place)
{
  if (cursor->status)
    return;
  if (dc_grow(&parts->nodes, &parts->node_capacity, parts->node_count + 1, sizeof *parts->nodes) ||
      dc_grow(&parts->numbers, &parts->number_capacity, parts->node_count + 1, sizeof *parts->numbers)) {
    out_of_memory(cursor);
    return;
  }
  memcpy(parts->nodes[parts->node_count], place, sizeof parts->nodes[0]);
  parts->numbers[parts->node_count++] = number;
}

void dc_parts_add_element(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, const int64_t *nodes)
{
  if (cursor->status)
    return;
  if (dc_grow(&parts->elements, &parts->element_capacity, parts->element_count + 1, sizeof *parts->elements)) {
    out_of_memory(cursor);
    return;
  }
  for (int k = 0; k < 4; k++)
    parts->elements[parts->element_count][k] = k < parts->corners ? nodes[k] : -1;
  parts->element_count++;
}

// From numbers of the file to indices.
struct named {
  int64_t number;
  int index;
};

static int compare_named(const void *p, const void *q)
{
  const struct named *a = p, *b = q;
  return a->number < b->number ? -1 : a->number > b->number;
}

static enum dc_status number_elements(const struct dc_simplices_parts *parts, const struct named *sorted,
                                      const char *name, struct dc_simplices *mesh, struct dc_error *error)
{
  for (size_t i = 1; i < parts->node_count; i++)
    if (sorted[i].number == sorted[i - 1].number)
      return dc_fail(error, DC_BAD_INPUT, "%.700s: there are two nodes %lld", name, (long long)sorted[i].number);
  for (size_t e = 0; e < parts->element_count; e++)
    for (int k = 0; k < 4; k++) {
      struct named key = {.number = parts->elements[e][k]};
      const struct named *found =
          k < parts->corners ? bsearch(&key, sorted, parts->node_count, sizeof key, compare_named) : NULL;
      if (k < parts->corners && !found)
        return dc_fail(error, DC_BAD_INPUT, "%.700s: element %zu: there is no node %lld", name, e,
                       (long long)key.number);
      mesh->elements[e][k] = found ? found->index : -1;
    }
  return DC_OK;
}

static enum dc_status make_mesh(const struct dc_simplices_parts *parts, const char *name, struct dc_arena *arena,
                                struct dc_simplices *mesh, struct dc_error *error)
{
  if (parts->element_count == 0)
    return dc_fail(error, DC_BAD_INPUT, "%.700s: there are no %s in it", name,
                   parts->corners == 4 ? "tetrahedra" : "triangles");
  mesh->node_count = (int)parts->node_count;
  mesh->element_count = (int)parts->element_count;
  mesh->nodes = dc_arena_alloc(arena, parts->node_count, sizeof *mesh->nodes);
  mesh->elements = dc_arena_alloc(arena, parts->element_count, sizeof *mesh->elements);
  struct named *sorted = dc_alloc(parts->node_count, sizeof *sorted);
  enum dc_status status = DC_OK;
  if (!mesh->nodes || !mesh->elements || !sorted)
    status = dc_fail(error, DC_MEMORY, "%.700s: out of memory", name);
  for (size_t i = 0; i < parts->node_count && !status; i++) {
    memcpy(mesh->nodes[i], parts->nodes[i], sizeof mesh->nodes[i]);
    sorted[i] = (struct named){parts->numbers[i], (int)i};
  }
  if (!status) {
    qsort(sorted, parts->node_count, sizeof *sorted, compare_named);
    status = number_elements(parts, sorted, name, mesh, error);
  }
  free(sorted);
  return status;
}

static bool begins_with(const struct dc_mesh_file *file, const char *text)
{
  size_t length = strlen(text);
  return file->size >= length && memcmp(file->bytes, text, length) == 0;
}

enum dc_status dc_simplices_parse(const struct dc_mesh_file *file, int corners, struct dc_arena *arena,
                                  struct dc_simplices *mesh, struct dc_error *error)
{
  struct dc_simplices_parts parts = {.corners = corners};
  struct dc_mesh_cursor cursor = {.file = file, .line = 1, .error = error};
  *mesh = (struct dc_simplices){.corners = corners};
  if (begins_with(file, "$"))
    dc_simplices_parse_msh(&cursor, &parts);
  else if (begins_with(file, "# vtk DataFile"))
    dc_simplices_parse_vtk(&cursor, &parts);
  else if (begins_with(file, "<"))
    dc_simplices_parse_vtu(&cursor, &parts);
  else
    dc_cursor_fail(&cursor,
                   "must begin as a mesh of Gmsh (\"$MeshFormat\") or of VTK (\"# vtk DataFile\", \"<VTKFile\")");
  enum dc_status status = cursor.status ? cursor.status : make_mesh(&parts, file->name, arena, mesh, error);
  free(parts.nodes);
  free(parts.numbers);
  free(parts.elements);
  return status;
}

// The triangles of an OBJ or STL file; nodes that none of them uses are dropped.
static enum dc_status take_triangles(const char *path, struct dc_arena *arena, struct dc_simplices *mesh,
                                     struct dc_error *error)
{
  struct dc_mesh surface;
  enum dc_status status = dc_mesh_read(path, arena, &surface, error);
  if (status)
    return status;
  *mesh =
      (struct dc_simplices){.corners = 3,
                            .node_count = surface.vertex_count,
                            .element_count = surface.triangle_count,
                            .nodes = surface.vertices,
                            .elements = dc_arena_alloc(arena, (size_t)surface.triangle_count, sizeof *mesh->elements)};
  for (int t = 0; t < surface.triangle_count && mesh->elements; t++)
    memcpy(mesh->elements[t], surface.triangles[t], sizeof surface.triangles[t]);
  return mesh->elements ? DC_OK : dc_fail(error, DC_MEMORY, "%.700s: out of memory", path);
}

static bool is_surface(const char *path)
{
  size_t length = strlen(path);
  return length > 4 && (strcmp(path + length - 4, ".obj") == 0 || strcmp(path + length - 4, ".stl") == 0);
}

enum dc_status dc_simplices_read(const char *path, int corners, struct dc_arena *arena, struct dc_simplices *mesh,
                                 struct dc_error *error)
{
  struct dc_mesh_file file = {.name = path};
  char *bytes = NULL;
  enum dc_status status;
  if (corners == 3 && is_surface(path)) {
    status = take_triangles(path, arena, mesh, error);
  } else {
    status = dc_mesh_load(path, &bytes, &file.size, error);
    file.bytes = bytes;
    if (!status)
      status = dc_simplices_parse(&file, corners, arena, mesh, error);
    free(bytes);
  }
  if (status)
    return status;
  status = corners == 4 ? dc_tetrahedra_finish(mesh, arena, error) : dc_sheet_finish(mesh, arena, error);
  if (status == DC_BAD_INPUT)
    dc_error_prefix(error, "%.700s", path);
  return status;
}
