// SPDX-License-Identifier: Apache-2.0
// Legacy files of VTK: unstructured grids, as text or bytes (the most significant first), with CELLS as counts and
// nodes or, of version 5, as offsets and nodes.  Data of points and cells are not read.
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/simplices_read.h"

// Types of cells that are read, by VTK's numbers: vertex, line, triangle, tetrahedron, then the last three of second
// order.  Corners come first among the nodes.
static const struct kind {
  int type, corners, nodes;
} kinds[] = {{1, 1, 1}, {3, 2, 2}, {5, 3, 3}, {10, 4, 4}, {21, 2, 3}, {22, 3, 6}, {24, 4, 10}};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct cells {
  int64_t count, total;
  int64_t *begin, *nodes;  // cell c has nodes [begin[c], begin[c + 1]); begin [count + 1], nodes [total]
};

// Whether this machine's numbers have their least significant byte first: those of binary files do not.
static bool little_endian(void)
{
  const int one = 1;
  return *(const char *)&one == 1;
}

// Counts are text in binary files too.
static int64_t read_count(struct dc_mesh_cursor *cursor, size_t least_bytes)
{
  bool binary = cursor->binary;
  cursor->binary = false;
  int64_t count = dc_cursor_count(cursor, dc_cursor_integer(cursor, 4), least_bytes);
  cursor->binary = binary;
  return count;
}

// Passes over the rest of a line, behind which binary numbers begin.
static void end_line(struct dc_mesh_cursor *cursor)
{
  size_t length;
  if (!cursor->status)
    dc_cursor_line(cursor, &length);
}

// POINTS count type: nodes get the numbers 0, 1 and so on, by which cells name them.
static void read_points(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  int64_t count = read_count(cursor, 2);
  size_t length;
  const char *type = dc_cursor_word(cursor, &length);
  bool single = length == 5 && memcmp(type, "float", 5) == 0;
  if (!cursor->status && !single && !(length == 6 && memcmp(type, "double", 6) == 0))
    dc_cursor_fail(cursor, "points must be float or double");
  end_line(cursor);
  for (int64_t i = 0; i < count && !cursor->status; i++) {
    double place[3];
    for (int k = 0; k < 3; k++)
      place[k] = dc_cursor_real(cursor, single ? 4 : 8);
    dc_parts_add_node(parts, cursor, i, place);
  }
}

// False: out of memory, or the section is there twice.
static bool make_room(struct dc_mesh_cursor *cursor, struct cells *cells)
{
  if (cells->begin || cursor->status)
    return !dc_cursor_fail(cursor, "CELLS must be there once");
  cells->begin = dc_alloc((size_t)cells->count + 1, sizeof *cells->begin);
  cells->nodes = dc_alloc((size_t)cells->total, sizeof *cells->nodes);
  if (cells->begin && cells->nodes)
    return true;
  cursor->status = dc_out_of_memory_in(cursor->error, cursor->file->name);
  return false;
}

// "CELLS n size", each as how many and its nodes.
static void read_counted(struct dc_mesh_cursor *cursor, struct cells *cells)
{
  int64_t at = 0;
  end_line(cursor);
  if (!make_room(cursor, cells))
    return;
  for (int64_t c = 0; c < cells->count && !cursor->status; c++) {
    int64_t nodes = dc_cursor_integer(cursor, 4);
    if (nodes < 0 || nodes > cells->total - at)
      dc_cursor_fail(cursor, "must be how many nodes a cell has (is %lld)", (long long)nodes);
    for (int64_t k = 0; k < nodes && !cursor->status; k++)
      cells->nodes[at++] = dc_cursor_integer(cursor, 4);
    cells->begin[c + 1] = at;
  }
}

// Version 5: "CELLS n + 1 total", "OFFSETS type", "CONNECTIVITY type".
static void read_offsets(struct dc_mesh_cursor *cursor, struct cells *cells)
{
  for (int part = 0; part < 2; part++) {
    size_t length;
    if (!cursor->status && !dc_cursor_word_is(cursor, part ? "CONNECTIVITY" : "OFFSETS"))
      dc_cursor_fail(cursor, "must be %s", part ? "CONNECTIVITY" : "OFFSETS");
    const char *type = dc_cursor_word(cursor, &length);
    int bytes = length == 12 && memcmp(type, "vtktypeint64", 12) == 0 ? 8 : 4;
    end_line(cursor);
    if (part == 0 && (cells->count < 1 || !make_room(cursor, cells)))
      return;
    int64_t *to = part ? cells->nodes : cells->begin;
    for (int64_t i = 0; i < (part ? cells->total : cells->count + 1) && !cursor->status; i++) {
      to[i] = dc_cursor_integer(cursor, bytes);
      if (!part && (to[i] < (i ? to[i - 1] : 0) || to[i] > cells->total))
        dc_cursor_fail(cursor, "offsets must rise to %lld (one is %lld)", (long long)cells->total, (long long)to[i]);
    }
  }
}

// CELLS with two counts; of version 5 the first is that of the offsets, one more than there are cells.
static void read_cells(struct dc_mesh_cursor *cursor, struct cells *cells, bool offsets)
{
  cells->count = read_count(cursor, 1);
  cells->total = read_count(cursor, 1);
  if (offsets) {
    cells->count--;
    read_offsets(cursor, cells);
  } else {
    read_counted(cursor, cells);
  }
}

// One cell by its type: elements with as many corners as are wanted are added, ones with fewer (points, edges)
// passed over, all others refused.
void dc_parts_add_cell(struct dc_simplices_parts *parts, struct dc_mesh_cursor *cursor, int64_t cell, int64_t type,
                       const int64_t *nodes, int64_t count)
{
  struct kind kind = {0};
  for (int i = 0; i < KINDS; i++)
    if (kinds[i].type == type)
      kind = kinds[i];
  if (kind.corners == 0 || kind.corners > parts->corners)
    dc_cursor_fail(cursor, "cells of type %lld are not read here: %s", (long long)type,
                   parts->corners == 4 ? "tetrahedra must be of type 10 or 24" : "triangles must be of type 5 or 22");
  else if (count != kind.nodes)
    dc_cursor_fail(cursor, "cell %lld of type %lld must have %d nodes (has %lld)", (long long)cell, (long long)type,
                   kind.nodes, (long long)count);
  else if (kind.corners == parts->corners)
    dc_parts_add_element(parts, cursor, nodes);
  parts->quadratic |= kind.corners == parts->corners && kind.nodes > kind.corners;
}

// Types stand behind the cells, which is why cells are kept until now.
static void read_types(struct dc_mesh_cursor *cursor, const struct cells *cells, struct dc_simplices_parts *parts)
{
  int64_t count = read_count(cursor, 1);
  if (!cursor->status && (!cells->begin || count != cells->count))
    dc_cursor_fail(cursor, "there must be as many types as cells before them");
  end_line(cursor);
  for (int64_t c = 0; c < count && !cursor->status; c++) {
    int64_t type = dc_cursor_integer(cursor, 4);
    if (!cursor->status)
      dc_parts_add_cell(parts, cursor, c, type, cells->nodes + cells->begin[c], cells->begin[c + 1] - cells->begin[c]);
  }
}

// Up to an empty line.
static void skip_metadata(struct dc_mesh_cursor *cursor)
{
  size_t length = 1;
  end_line(cursor);
  while (length && cursor->at < cursor->file->size)
    dc_cursor_line(cursor, &length);
}

// Version, title, text or bytes, and the one kind of data set that is read.  Numbers of binary files begin with
// the most significant byte.
static void read_head(struct dc_mesh_cursor *cursor, bool *offsets)
{
  size_t length;
  const char *line = dc_cursor_line(cursor, &length), *version = "# vtk DataFile Version ";
  size_t begin = strlen(version);
  *offsets = length > begin && memcmp(line, version, begin) == 0 && line[begin] == '5';
  dc_cursor_line(cursor, &length);  // a title
  const char *word = dc_cursor_word(cursor, &length);
  bool binary = length == 6 && memcmp(word, "BINARY", 6) == 0;
  if (!binary && !(length == 5 && memcmp(word, "ASCII", 5) == 0))
    dc_cursor_fail(cursor, "must be ASCII or BINARY");
  if (!cursor->status && !(dc_cursor_word_is(cursor, "DATASET") && dc_cursor_word_is(cursor, "UNSTRUCTURED_GRID")))
    dc_cursor_fail(cursor, "must be DATASET UNSTRUCTURED_GRID");
  cursor->binary = binary;
  cursor->swapped = little_endian();
}

// Sections in the order of the file.  CELL_TYPES ends the reading: data of points and cells come behind it.
enum dc_status dc_simplices_parse_vtk(struct dc_mesh_cursor *cursor, struct dc_simplices_parts *parts)
{
  struct cells cells = {0};
  bool offsets, done = false;
  read_head(cursor, &offsets);
  while (!cursor->status && !done) {
    size_t length;
    const char *word = dc_cursor_word(cursor, &length);
    if (length == 6 && memcmp(word, "POINTS", 6) == 0) {
      read_points(cursor, parts);
    } else if (length == 5 && memcmp(word, "CELLS", 5) == 0) {
      read_cells(cursor, &cells, offsets);
    } else if (length == 10 && memcmp(word, "CELL_TYPES", 10) == 0) {
      read_types(cursor, &cells, parts);
      done = true;  // what comes behind is data
    } else if (length == 8 && memcmp(word, "METADATA", 8) == 0) {
      skip_metadata(cursor);
    } else {
      struct dc_mesh_quote quote;
      dc_cursor_fail(cursor, "must be POINTS, CELLS or CELL_TYPES (is \"%s\")", dc_mesh_quote(&quote, word, length));
    }
  }
  free(cells.begin);
  free(cells.nodes);
  return cursor->status;
}
